#!/usr/bin/env python3
"""verdicts.py - compares the ends of all paths with exact numbers of roots, for many seeds.

    verdicts.py --plumb build/plumb --systems FOLDER --systems FOLDER --seeds 1-20 --jobs 16 --output results.jsonl

Each FOLDER has files NAME.phc and a README.md with a table of their Bezout numbers and numbers of roots with multiplicity
(and of distinct roots, where that is known). Systems of positive dimension, and those with a Bezout number above --most-paths, are left out. The
families eco and reimer are added, with 6 to 9 and 3 to 5 unknowns.

With --solve the systems are solved (plumb solve), by the start system with the fewest paths. An answer is wrong if it has more solutions
than there are, or if it is said to be complete (status 0) and has fewer; one that is said to be incomplete is unclear. Otherwise they are
tracked from the start system of total degree, and:

A verdict is wrong if more paths end at finite points than there are roots with multiplicity, if more paths than the others end
at infinity, if a path is said to end on a curve, or if all paths are decided and the distinct points are not as many as the
roots. Each run is one line of --output, added when it ends; runs that are already there are not repeated. The exit status
is 1 if a verdict was wrong, or if more than one path in 10,000 was undecided or failed."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

FINITE, INFINITE, CURVE = ("success", "singular endpoint"), "at infinity", "not isolated"


class System:
    def __init__(self, name, path, paths, roots, distinct=None):
        self.name, self.path, self.paths, self.roots, self.distinct = name, path, paths, roots, distinct


def read_table(folder):
    """The systems of a folder whose number of roots its table has."""
    columns, systems = None, []
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if "Bezout number" in cells and "name" in cells:
                columns = {title: k for k, title in enumerate(cells)}
            elif columns and len(cells) >= len(columns):
                row = {title: cells[k] for title, k in columns.items()}
                roots, paths, distinct = row["roots with multiplicity"], row["Bezout number"], row.get("distinct", "")
                if row.get("dimension", "0") == "0" and roots.isdigit() and paths.isdigit():
                    systems.append(System(row["name"], os.path.join(folder, row["name"] + ".phc"), int(paths),
                                          int(roots), int(distinct) if distinct.isdigit() else None))
    return systems


def eco(n):
    """For k = 1 .. n-1, (x_k + the sum over i of x_i x_(i+k)) x_n = k; x_1 + ... + x_(n-1) = -1; 2^(n-2) roots."""
    rows = []
    for k in range(1, n):
        terms = ["x%d*x%d" % (k, n)] + ["x%d*x%d*x%d" % (i, i + k, n) for i in range(1, n - k)]
        rows.append(" + ".join(terms) + " - %d;" % k)
    rows.append(" + ".join("x%d" % i for i in range(1, n)) + " + 1;")
    return rows, 2 * 3 ** (n - 2), 2 ** (n - 2)


def reimer(n):
    """For k = 2 .. n+1, the sum over i of (-1)^(i+1) 2 x_i^k = 1; roots by Groebner bases."""
    rows, paths = [], 1
    for k in range(2, n + 2):
        rows.append(" ".join("%s 2*x%d^%d" % ("+-"[i % 2], i + 1, k) for i in range(n)) + " - 1;")
        paths *= k
    return rows, paths, {3: 12, 4: 36, 5: 144}[n]


def write_families(folder):
    for family, sizes in ((eco, range(6, 10)), (reimer, range(3, 6))):
        for n in sizes:
            rows, paths, roots = family(n)
            name = "%s%d" % (family.__name__, n)
            path = os.path.join(folder, name + ".phc")
            with open(path, "w", encoding="utf-8") as file:
                file.write("%d\n%s\n" % (n, "\n".join(rows)))
            yield System(name, path, paths, roots)


def judge(system, found):
    """What is wrong with the numbers of a run; an empty list if nothing is."""
    codes, wrong = found["codes"], []
    finite, infinite = sum(codes.get(code, 0) for code in FINITE), codes.get(INFINITE, 0)
    if finite > system.roots:
        wrong.append("%d finite ends of %d" % (finite, system.roots))
    if infinite > system.paths - system.roots:
        wrong.append("%d at infinity of %d" % (infinite, system.paths - system.roots))
    if codes.get(CURVE, 0):
        wrong.append("%d not isolated of none" % codes[CURVE])
    if finite + infinite == system.paths and system.distinct is not None and found["distinct"] != system.distinct:
        wrong.append("%d distinct points of %d" % (found["distinct"], system.distinct))
    return wrong


def call(options, name, system, seed):
    """The report of a command, or a problem."""
    command = [options.plumb, name, system.path, "--seed", str(seed), "--json", "-t", str(options.threads)]
    try:
        run = subprocess.run(command + options.option, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=options.limit, check=False)
        return run.returncode, json.loads(run.stdout), None
    except subprocess.TimeoutExpired:
        return None, None, "takes more than %g seconds" % options.limit
    except ValueError:
        return None, None, "status %d: %s" % (run.returncode, run.stderr.decode()[:200])


def solve(options, system, seed):
    began = time.monotonic()
    line = {"system": system.name, "seed": seed}
    status, report, problem = call(options, "solve", system, seed)
    if problem:
        return dict(line, problem=problem)
    distinct, paths = len(report["solutions"]), report["paths"]
    roots = sum(solution["multiplicity"] for solution in report["solutions"])
    wrong = []
    if roots > system.roots or (roots < system.roots and status == 0):
        wrong.append("%d roots of %d" % (roots, system.roots))
    if system.distinct is not None and (distinct > system.distinct or (distinct < system.distinct and status == 0)):
        wrong.append("%d distinct points of %d" % (distinct, system.distinct))
    if (status == 0) != (report["incomplete"] is None):
        wrong.append("status %d, but incomplete: %s" % (status, report["incomplete"]))
    lost = paths["failed"] + paths["undecided"] + paths["not_tracked"]
    line.update(paths=paths["total"], codes={"success": paths["total"] - lost}, distinct=distinct, roots=roots,
                seconds=round(time.monotonic() - began, 2), wrong=wrong)
    if status:
        line["incomplete"] = report["incomplete"]
    return line


def track(options, system, seed):
    began = time.monotonic()
    line = {"system": system.name, "seed": seed}
    _, report, problem = call(options, "track", system, seed)
    if problem:
        return dict(line, problem=problem)
    codes = {code: count for code, count in report["paths_by_code"].items() if count}
    paths = report["path_count"]
    line.update(paths=paths, codes=codes, distinct=report["distinct_ends"], steps=round(report["steps"] / paths, 1),
                seconds=round(time.monotonic() - began, 2),
                unclear=[[path["path"], path["code"]] for path in report["failures"][:20]])
    line["wrong"] = judge(system, line)
    if paths != system.paths:
        line["problem"] = "%d paths of %d" % (paths, system.paths)
    return line


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def tell(line):
    what = line.get("wrong", []) + ([line["problem"]] if "problem" in line else [])
    unclear = line.get("unclear", []) or line.get("incomplete")
    if what or unclear:
        kind = "WRONG" if line.get("wrong") else "PROBLEM" if what else "unclear"
        ends = line.get("incomplete") or ", ".join("path %d %s" % tuple(end) for end in unclear[:4])
        print(kind, line["system"], "seed", line["seed"], "; ".join(what + ([ends] if ends else [])), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, help="the program plumb")
    parser.add_argument("--systems", action="append", default=[], help="a folder of systems; may be repeated")
    parser.add_argument("--only", action="append", default=[], help="only the system of this name; may be repeated")
    parser.add_argument("--seeds", type=numbers, default=range(1, 21), help="FIRST-LAST (default 1-20)")
    parser.add_argument("--solve", action="store_true", help="solve the systems instead of tracking paths of total degree")
    parser.add_argument("--most-paths", type=int, default=5040, help="largest Bezout number (default 5040)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each run (default 1)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one run (default 600)")
    parser.add_argument("--stop-after", type=float, help="begin no run after so many seconds")
    parser.add_argument("--option", action="append", default=[], help="a further word for the command; may be repeated")
    parser.add_argument("--output", help="a line of JSON per run is added to this file")
    options = parser.parse_args()
    options.plumb = os.path.abspath(options.plumb)
    began, lock, lines = time.monotonic(), threading.Lock(), []
    if options.output and os.path.exists(options.output):
        with open(options.output, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    known = {(line["system"], line["seed"]) for line in lines}
    for line in lines:
        tell(line)
    with tempfile.TemporaryDirectory(prefix="plumb-verdicts-") as folder:
        systems = {system.name: system for place in options.systems for system in read_table(place)}
        systems.update({system.name: system for system in write_families(folder)})
        chosen = [system for system in systems.values() if system.paths <= options.most_paths and
                  (not options.only or system.name in options.only)]
        chosen.sort(key=lambda system: -system.paths)  # long runs first, so that all jobs end at about the same time
        left = [(system, seed) for seed in options.seeds for system in chosen if (system.name, seed) not in known]

        def run(system, seed):
            if options.stop_after and time.monotonic() - began > options.stop_after:
                return
            line = (solve if options.solve else track)(options, system, seed)
            with lock:
                lines.append(line)
                tell(line)
                if options.output:
                    with open(options.output, "a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for future in [pool.submit(run, system, seed) for system, seed in left]:
                future.result()
    paths = sum(line.get("paths", 0) for line in lines)
    decided = sum(line.get("codes", {}).get(code, 0) for line in lines for code in FINITE + (INFINITE, CURVE))
    wrong, problems = sum(bool(line.get("wrong")) for line in lines), sum("problem" in line for line in lines)
    print("%d of %d runs, %d paths: %d runs with wrong verdicts, %d paths undecided or failed, %d problems" %
          (len(lines), len(left) + len(known), paths, wrong, paths - decided, problems))
    sys.exit(1 if wrong or problems or 10000 * (paths - decided) > paths else 0)


main()
