"""Puts two result files of one benchmark side by side: for each row both times and their ratio. Rows that became slower by more
than a limit are marked."""

import math

from markdown import cell, escape, table
from results import Misuse, number, text, whole

# Which members name a row, and which of its times are compared. Times of the processor in the file of a GPU are left out: they
# tell about neighbours on that machine more than about the program.
NAMES = ("work", "op", "mode", "how", "system", "precision", "kind", "n", "paths", "points_per_call", "systems", "isa", "g")
TIMES = ("ns", "us", "launch_us", "eval_us", "lsq_us", "path_us", "gpu_us", "mgs_us", "lu_us")
TIMES_OF_CPU = ("cpu1_us", "cpuall_us")


def times_of(results):
    if results.gpu:
        return TIMES
    return TIMES + TIMES_OF_CPU


def name_of(row):
    """What identifies a row, as a tuple of texts. The sizes of recalibrated cases follow from times: they are no part of it."""
    parts = []
    for key in NAMES:
        if key == "how" or (key == "n" and "recalibrates" in row):
            continue
        value = row.get(key)
        if isinstance(value, str):
            parts.append(value)
        elif isinstance(value, (int, float)) and (key not in ("paths", "points_per_call", "systems") or value > 1):
            parts.append("n = " + whole(value) if key == "n" else "%s %s" % (whole(value), key))
    if "recalibrates" in row:
        parts.append("recalibrates " + text(row, "recalibrates"))
    return tuple(parts)


def rows_by_name(results):
    found = {}
    for row in results.rows + [r for r in results.root.get("elimination", []) if isinstance(r, dict)]:
        name = name_of(row)
        while name in found:  # the same name twice: the second one is another row
            name += ("again",)
        found[name] = row
    return found


class Comparison:
    """lines: (name, time, before, after) for all rows and times in both files, in the order of the first."""

    def __init__(self, before, after, times=None):
        if before.benchmark != after.benchmark or before.gpu != after.gpu:
            raise Misuse("%s and %s are of different benchmarks" % (before.name, after.name))
        old, new = rows_by_name(before), rows_by_name(after)
        self.before, self.after = before, after
        self.missing = [name for name in old if name not in new]
        self.added = [name for name in new if name not in old]
        self.lines = []
        for name, row in old.items():
            for time in times or times_of(before):
                pair = number(row, time), number(new.get(name, {}), time)
                again = time == "launch_us" and pair == (number(row, "us"), number(new.get(name, {}), "us"))
                if not any(math.isnan(t) for t in pair) and pair[0] > 0 and not again:
                    self.lines.append((name, time, *pair))

    def slower(self, percent):
        return [line for line in self.lines if line[3] > (1 + percent / 100) * line[2]]

    def markdown(self, percent):
        """The whole comparison as Markdown."""
        slower = self.slower(percent)
        head = ("", "time", "before", "after", "after / before", "")
        rows = [
            (escape(", ".join(name)), time, cell(old), cell(new), "%.3f" % (new / old),
             "**slower**" if (name, time, old, new) in slower else "")
            for name, time, old, new in self.lines
        ]
        said = ["%s: before, %s, commit `%s`, %s; after, %s, commit `%s`, %s" % (
            self.before.benchmark, escape(self.before.machine), escape(self.before.commit), escape(self.before.date),
            escape(self.after.machine), escape(self.after.commit), escape(self.after.date)), ""]
        said += table(head, "ll" + "rrr" + "l", rows)
        said.append("")
        for what, names in (("missing after", self.missing), ("new after", self.added)):
            said += ["%s: %s\n" % (what, escape(", ".join(name))) for name in names]
        ratios = sorted(new / old for _, _, old, new in self.lines)
        if ratios:
            said.append("%d of %d times are more than %g%% slower; the median ratio is %.3f, the largest %.3f." % (
                len(slower), len(ratios), percent, ratios[len(ratios) // 2], ratios[-1]))
        return "\n".join(said) + "\n"
