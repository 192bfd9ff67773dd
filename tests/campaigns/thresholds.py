#!/usr/bin/env python3
"""thresholds.py - which verdicts depend on the thresholds of path tracking.

    thresholds.py --driver build/tests/thresholds --jobs 2 --output thresholds.txt [FOLDER]...

Halves and doubles each entry of src/method/track/thresholds.h, one at a time, and solves the systems of the folders (tests/data/systems
unless others are given) with it. Shares, which have to stay below 1, go half of the way to 1 instead where they would pass it. A change of the
numbers of regular, singular, infinite, ... paths or of distinct solutions is reported, and so is a run that takes more than --limit
seconds of CPU time. Before that the driver, with the thresholds as they are, has to give the numbers of plumb (--plumb).

A system whose numbers change with the seed alone, among the first --seeds ones, is unsteady: any change of a path may change its
verdicts, and what changes there tells nothing about a threshold. It is reported, but not as a violation.

An entry whose text in the table says why it is sharp ("sharp: ...") may change verdicts. The status is 1 if another one does."""

import argparse
import concurrent.futures
import glob
import json
import os
import resource
import subprocess
import sys

COUNTS = ["regular", "singular", "infinite", "beyond", "not_isolated", "extraneous", "undecided", "failed"]


class Entry:
    def __init__(self, line):
        self.kind, self.name, value, self.what, self.source, self.trade = line.split("\t")
        self.value = float(value)
        self.is_sharp = "sharp: " in self.trade

    def changed(self):
        """The values that are tried."""
        half, double = self.value / 2, self.value * 2
        if self.kind == "share" and double >= 1:
            double = (1 + self.value) / 2
        if self.kind == "whole":
            half, double = max(1, int(half)), int(double)
        if self.name in ("TRACK_APART", "TRACK_MOST_FACTOR", "TRACK_JUMP_REACH"):  # have to stay above 1
            half = (1 + self.value) / 2
        return [half, double]


def solve(options, start, entry, value, files, seed=1):
    """The numbers of each file; of those that did not end None."""
    command = [options.driver, "--seed", str(seed)] + (["--start", "total"] if start == "total" else [])
    if entry:
        command.append(f"{entry.name}={value!r}")

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit))

    found = {}
    left = list(files)
    while left:
        run = subprocess.run(command + left, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        for line in run.stdout.splitlines():
            file, counts = line.split("\t")
            found[file] = counts
        ended = [file for file in left if file in found]
        left = left[len(ended):]
        if left:  # the first of them was stopped, or has no solutions to be found
            found[left[0]] = f"did not end within {options.limit} s (status {run.returncode})"
            left = left[1:]
    return found


def counts_of_plumb(options, start, file):
    run = subprocess.run([options.plumb, "solve", file, "--no-certify", "--threads", "1", "--backend", "cpu", "--json",
                          "--start", start], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        return None
    answer = json.loads(run.stdout)
    return " ".join(f"{name}={answer['paths'][name]}" for name in COUNTS)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, help="the program thresholds of a build")
    parser.add_argument("--plumb", help="the program plumb of the same build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=20, help="seconds of CPU time per run")
    parser.add_argument("--only", help="names of systems, separated by commas")
    parser.add_argument("--names", help="names of thresholds, separated by commas")
    parser.add_argument("--seeds", type=int, default=8, help="seeds with which unsteady systems are looked for")
    parser.add_argument("--starts", default="auto", help="start systems: auto, total or auto,total")
    parser.add_argument("--output", help="file for the report; default: standard output")
    parser.add_argument("folders", nargs="*", default=[os.path.join(here, "..", "data", "systems")])
    options = parser.parse_args()
    files = sorted(os.path.normpath(file) for folder in options.folders for file in glob.glob(os.path.join(folder, "*.phc")))
    if options.only:
        files = [file for file in files if os.path.basename(file)[:-4] in options.only.split(",")]
    table = subprocess.run([options.driver, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    entries = [Entry(line) for line in table.splitlines()]
    if options.names:
        entries = [entry for entry in entries if entry.name in options.names.split(",")]
    if not files or not entries:
        sys.exit("thresholds: no systems or no thresholds of these names")
    output = open(options.output, "w", encoding="utf-8") if options.output else sys.stdout
    bad = 0

    def say(text):
        print(text, file=output, flush=True)

    jobs, unsteady = [], set()
    for start in options.starts.split(","):
        usual = solve(options, start, None, None, files)
        for file in files if options.plumb else []:
            expected = counts_of_plumb(options, start, file)
            if expected is not None and not usual[file].startswith(expected):
                bad += 1
                say(f"VIOLATION {file}, start {start}: plumb finds {expected}, the driver {usual[file]}")
        for seed in range(2, options.seeds + 1):
            found = solve(options, start, None, None, files, seed)
            for file in files:
                if found[file] != usual[file] and (start, file) not in unsteady:
                    unsteady.add((start, file))
                    say(f"unsteady {os.path.basename(file)}, start {start}: {usual[file]} becomes {found[file]} with seed {seed}")
        jobs += [(start, usual, entry, value) for entry in entries for value in entry.changed()]
    sharp = set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(solve, options, start, entry, value, files) for start, _, entry, value in jobs]
        for (start, usual, entry, value), run in zip(jobs, runs):
            found = run.result()
            for file in files:
                if found[file] == usual[file]:
                    continue
                kind = "unsteady" if (start, file) in unsteady else "sharp" if entry.is_sharp else "VIOLATION"
                bad += kind == "VIOLATION"
                if kind != "unsteady":
                    sharp.add(entry.name)
                say(f"{kind} {entry.name} = {value:g} instead of {entry.value:g}, {os.path.basename(file)}, start {start}: "
                    f"{usual[file]} becomes {found[file]}")
    say(f"{len(entries)} thresholds, {len(files)} systems, {len(jobs)} changes: {len(sharp)} thresholds change verdicts"
        f"{': ' + ', '.join(sorted(sharp)) if sharp else ''}; {bad} violations")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
