#!/usr/bin/env python3
"""certified.py - certifies all regular solutions of known systems, and compares the numbers of real ones with exact ones.

    certified.py --plumb build/plumb [--only NAMES] [--jobs N] [--output FILE] FOLDER...

../data/real_roots.txt has for each system the number of its regular solutions and how many of them are real, counted without
plumb; NAME.phc must be in one of the folders, and systems that are in none are left out. For each of them `plumb solve
--certify` must find and certify as many regular solutions, distinct and all of them proven to be real or not, with as many real
ones as expected; `plumb certify --check` must accept the certificates. Status 77 if plumb has no certificates."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "real_roots.txt")


def read_table():
    systems = {}
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith("#"):
                systems[words[0]] = (int(words[1]), int(words[2]) if words[2] != "-" else None, words[3])
    return systems


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)


def check(plumb, path, regular, real):
    """One system: a line about it, and a list of what is wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "solutions.json")
        began = time.monotonic()
        done = run(plumb, "solve", path, "--certify", "--quiet", "--threads", "1", "--output", file)
        seconds = time.monotonic() - began
        if done.returncode != 0:
            wrong.append("plumb solve: status %d, %s" % (done.returncode, done.stderr.strip()[-200:]))
        if not os.path.exists(file):
            return "no solutions", wrong
        began = time.monotonic()
        done = run(plumb, "certify", "--check", file, path, "--threads", "1")
        checking = time.monotonic() - began
        with open(file, encoding="utf-8") as stream:
            claims = any(s["certificate"] and s["certificate"].get("centre") for s in json.load(stream)["solutions"])
        if done.returncode != (0 if claims else 2): # a file that claims nothing is refused
            wrong.append("plumb certify --check: status %d, %s" % (done.returncode, done.stderr.strip()[-200:]))
        with open(file, encoding="utf-8") as stream:
            answer = json.load(stream)
        done = run(plumb, "certify", path, file, "--threads", "1", "--json")
        proving = json.loads(done.stdout)["seconds"]
    found = [s for s in answer["solutions"] if s["kind"] == "regular"]
    name = "squared up" if answer["square_up"] else "certified"
    proven = [s["certificate"] for s in found if s["certificate"] and s["certificate"]["verdict"] == name]
    counts = {
        "regular solutions": (len(found), regular),
        "certified": (len(proven), regular),
        "distinct": (sum(c["distinct"] is True for c in proven), regular),
        "real": (sum(c["real"] is True for c in proven), real),
        "not real": (sum(c["real"] is False for c in proven), regular - real if real is not None else None),
    }
    if len([s for s in answer["solutions"] if s["certificate"] and s["certificate"]["verdict"] == name]) > len(proven):
        wrong.append("a solution that is not regular is certified")
    for what, (is_there, expected) in counts.items():
        if expected is not None and is_there != expected:
            wrong.append("%d %s, expected %d" % (is_there, what, expected))
    bits = max((c["bits"] for c in proven), default=0)
    line = "%d regular, %d %s, %d real, up to %d bits; solved in %.2f s, certified in %.3f s, checked in %.2f s" % (
        len(found), len(proven), name, counts["real"][0], bits, seconds, proving, checking)
    return line, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="folders of systems")
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--only", help="only these systems, separated by commas")
    parser.add_argument("--jobs", type=int, default=1, help="how many systems at a time")
    parser.add_argument("--output", help="file to which a line per system is written")
    options = parser.parse_args()
    plumb = os.path.abspath(options.plumb)
    if "\ncertificates  by " not in run(plumb, "info").stdout:
        print("plumb has no certificates: nothing is tested")
        sys.exit(77)
    out = open(options.output, "w", encoding="utf-8") if options.output else sys.stdout
    names = options.only.split(",") if options.only else None
    systems = violations = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {}
        for name, (regular, real, _) in read_table().items():
            paths = [os.path.join(folder, name + ".phc") for folder in options.folders]
            paths = [path for path in paths if os.path.exists(path)]
            if paths and (not names or name in names):
                waiting[pool.submit(check, plumb, paths[0], regular, real)] = name
        for task in concurrent.futures.as_completed(waiting):
            line, wrong = task.result()
            systems += 1
            violations += bool(wrong)
            print("%s%s: %s" % ("VIOLATION: " if wrong else "", waiting[task], "; ".join([line] + wrong)), file=out,
                  flush=True)
    print("systems: %d, violations: %d" % (systems, violations), file=out, flush=True)
    sys.exit(1 if violations or systems == 0 else 0)


if __name__ == "__main__":
    main()
