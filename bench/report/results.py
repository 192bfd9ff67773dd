"""The result files that plumb-bench writes: reading them and looking numbers up.

A result file is one JSON object. Its members "benchmark", "machine" and "results" say which benchmark ran, where, and what it
found, one object per row; docs/json.md describes them. Files that were written before there was a "schema" member are read
too: some of their members have other names."""

import json
import math
import os

SCHEMA = "plumb/1"
BENCHMARKS = ("arith", "lsq", "gemm", "eval", "newton", "track", "parameters", "solve", "accuracy", "paper", "families")
NAN = math.nan
MOST_BYTES = 64 << 20  # of a result file
LONGEST_LINE = 700  # of a message


class Failure(Exception):
    """The work failed: one line for the user and exit status 1."""

    status = 1


class Misuse(Failure):
    """The command line, or a file named on it, makes no sense: one line for the user and exit status 2."""

    status = 2


def number(row, *keys):
    """The number row[key][key]...; NaN where a member is missing or is no number."""
    for key in keys:
        row = row.get(key) if isinstance(row, dict) else None
    return float(row) if isinstance(row, (int, float)) and not isinstance(row, bool) else NAN


def text(row, key, default=""):
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, str) else default


def whole(x):
    """A number of unknowns, points and so on as text; an empty string for NaN."""
    return "" if math.isnan(x) else "%d" % round(x)


def short_name(name):
    """"Intel(R) Xeon(R) Processor" becomes "Intel Xeon": columns are narrow."""
    for noise in ("(R)", "(TM)", " Processor", " CPU", "NVIDIA "):
        name = name.replace(noise, "")
    return name


def renewed(root):
    """A file from before there was a schema, with the names of today."""
    accuracy = [root] if text(root, "benchmark") == "accuracy" else []
    accuracy += [part for part in (root.get("accuracy"),) if isinstance(part, dict)]
    for part in accuracy:
        rename([part], {"count": "matrices"})
    for part in [root] + accuracy:
        rename(part.get("results"), {"prec": "precision", "points": "points_per_call", "codes": "paths_by_code",
                                     "cpuall_codes": "cpuall_paths_by_code"})
        rename(part.get("elimination"), {"prec": "precision", "count": "systems"})
    if text(root, "benchmark") == "lsq":
        rename(root.get("results"), {"solves": "calls"})


def rename(rows, names):
    """Members keep their order, which tells the order of columns."""
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            members = [(names.get(key, key), value) for key, value in row.items()]
            row.clear()
            row.update(members)


class Results:
    """One result file."""

    def __init__(self, name, root):
        self.name = name  # of the file, without folders
        self.root = root
        if "schema" not in root:
            renewed(root)
        self.rows = [row for row in root["results"] if isinstance(row, dict)]
        self.benchmark = text(root, "benchmark")
        self.gpu = text(root, "backend") == "gpu"
        self.cpu = text(root.get("machine"), "cpu", "an unknown processor")
        self.cores = number(root.get("machine"), "cores")
        self.commit = text(root, "commit", "unknown")[:12]
        self.date = text(root, "date", "?")[:10]

    @property
    def machine(self):
        """The machine in a few words: the GPU if there is one, and the processor."""
        device = text(self.root, "device")
        gpu = short_name(device) + " with " if device else ""
        return "%s%s cores of %s" % (gpu, whole(self.cores) or "?", short_name(self.cpu))

    @property
    def quick(self):
        """Was anything in this file measured with fewer and shorter samples?"""
        return self.root.get("quick") is True or any("hurried" in row for row in self.rows)


def parse(name, source):
    """Reads one file whose content is source; name is for messages."""
    try:
        root = json.loads(source, parse_constant=lambda word: NAN)
    except json.JSONDecodeError as error:
        raise Misuse("%s:%d:%d: %s" % (name, error.lineno, error.colno, error.msg)) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise Misuse("%s: %s" % (name, error)) from None
    good = isinstance(root, dict) and isinstance(root.get("results"), list) and text(root, "benchmark") in BENCHMARKS
    if not good:
        raise Misuse("%s: expected the JSON that a benchmark of plumb-bench writes" % name)
    schema = text(root, "schema", SCHEMA)
    if schema != SCHEMA:
        raise Misuse("%s: its schema is '%s'; this program reads %s" % (name, schema, SCHEMA))
    return Results(os.path.basename(name), root)


def shown(message):
    """A message as one line for a terminal: what is not printable is escaped, and long messages are cut in the middle."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
                   for c in str(message).encode("utf-8", "backslashreplace").decode("utf-8"))
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE // 2] + "..." + line[-LONGEST_LINE // 2:]


def limited(file, name):
    """All bytes of a file that has no more than a result file can have: sources without an end are refused."""
    source = file.read(MOST_BYTES + 1)
    if len(source) > MOST_BYTES:
        raise Misuse("%s: found more than %d MB, expected the JSON of a benchmark" % (name, MOST_BYTES >> 20))
    return source


def read(path, stdin):
    """Reads the file at path; "-" is standard input, whose results are those of this run."""
    if path == "-":
        return parse("this run", limited(stdin.buffer, "this run"))
    try:
        with open(path, "rb") as file:
            return parse(path, limited(file, path))
    except OSError as error:
        raise Misuse("'%s' could not be read: %s" % (path, error.strerror)) from None
