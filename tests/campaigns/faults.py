#!/usr/bin/env python3
"""faults.py - one allocation, thread creation or use of the disk fails in a small run of every command: each of them in turn; and
commands with long rational numbers run out of address space at many places.

    faults.py --plumb build/plumb --faults build/tests/libfaults.so [--inject build/tests/inject] [--count 100] [--seed 1] [--only NAME]

A disturbed run must end by itself, without a signal. Either it ends as the undisturbed run does, with the same outputs; or its
status is 1 or 2 and it says why in one line, and then every output has its old contents or those of the undisturbed run. A run of
track that was disturbed continues to the same result. --count is the most runs of each kind for a command; if there are more
allocations, a random choice of them is taken."""

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

OLD = b"old contents\n"

COMMANDS = (  # name, words, outputs, started with the contents OLD
    ("info", "info", ()),
    ("demo", "demo", ()),
    ("help", "lsq --help", ()),
    ("lsq", "lsq A.mtx b.mtx -o x.mtx", ("x.mtx",)),
    ("lsq table", "lsq A.csv b.csv -p auto --json", ()),
    ("lsq refined", "lsq A.mtx b.mtx -p qd --method refined -o x.npy", ("x.npy",)),
    ("lsq lu", "lsq S.mtx s.mtx -p dd --method lu -o x.csv", ("x.csv",)),
    ("lsq errors", "lsq A.mtx b.mtx --errors --covariance c.mtx -o x.json", ("c.mtx", "x.json")),
    ("lsq threads", "lsq big.npy bigb.npy -p dd -t 4 -q -o x.npy", ("x.npy",)),
    ("qr", "qr A.mtx --pivot --q q.mtx --r r.npy --permutation p.csv", ("q.mtx", "r.npy", "p.csv")),
    ("random", "random -m 5 -n 4 -o r.mtx", ("r.mtx",)),
    ("eval", "eval f.phc --random", ()),
    ("newton", "newton f.phc roots.sol -o n.sol", ("n.sol",)),
    ("system show", "system show f.phc", ()),
    ("system family", "system family katsura 4 -o k.phc", ("k.phc",)),
    ("system start", "system start f.phc -o g.phc", ("g.phc",)),
    ("track", "track f.phc -p d -t 1 -q -o t.sol", ("t.sol",)),
    ("track threads", "track f.phc -p d -t 3 -q -o t.json", ("t.json",)),
    ("track start", "track f.phc -p d -t 1 -q --start g0.phc --start-solutions g0.sol -o t.csv", ("t.csv",)),
    ("track log", "track f.phc -p d -t 1 -q --path-log t.jsonl", ("t.jsonl",)),
    ("solve", "solve f.phc -p d -t 1 -q --no-certify -o v.sol", ("v.sol",)),
    ("certify", "certify f.phc roots.sol -t 1 -q -o k.json", ("k.json",)),
    ("decompose", "decompose -e x*(y-1) -e x*(z-2)*(x+y+z) -t 1 -q --no-certify -o d.json", ("d.json",)),
    ("member", "member d0.json --at x=0,y=2 --at x=1,y=0 --at x=0.6,y=0.8 -t 1", ()),
    ("sample", "sample d0.json -n 2 -t 1 -o p.json", ("p.json",)),
    ("track plot", "track --plot t.svg --from-log log.jsonl", ("t.svg",)),
)

INPUTS = (
    "random -m 6 -n 4 --seed 3 -o A.mtx", "random -m 6 -n 1 --seed 4 -o b.mtx", "random -m 5 --seed 3 -o S.mtx",
    "random -m 5 -n 1 --seed 4 -o s.mtx", "random -m 200 -n 150 --seed 5 -p dd -o big.npy", "random -m 200 -n 1 --seed 6 -p dd -o bigb.npy",
    "system family katsura 2 -o f.phc", "track f.phc -p d -q -o roots.sol --path-log log.jsonl",
    "system start f.phc -o g0.phc --solutions g0.sol", "decompose -e x*(x^2+y^2-1) -q --no-certify -o d0.json")


SPACE = (  # commands that use much of GMP and MPFR
    ("system", "system convert long.phc -o o.phc"), ("system convert", "system convert many.phc -o o.phc"),
    ("lsq", "lsq long.csv b.csv -q"), ("lsq errors", "lsq big.npy bigb.npy --errors -q"), ("eval", "eval many.phc --random -p qd"),
    ("newton", "newton f.phc roots.sol -q"), ("random", "random -m 40 -o r.npy"), ("track", "track f.phc -p d -q -t 2"))


class Faults:
    def __init__(self):
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("--plumb", required=True)
        parser.add_argument("--faults", required=True, help="the library made of faults.c")
        parser.add_argument("--inject", help="the program inject, for uses of the disk")
        parser.add_argument("--count", type=int, default=10**9)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--only")
        parser.add_argument("--kinds", default="memory,thread,write,space")
        self.options = parser.parse_args()
        self.plumb = os.path.abspath(self.options.plumb)
        self.faults = os.path.abspath(self.options.faults)
        self.inject = os.path.abspath(self.options.inject) if self.options.inject else None
        self.random = random.Random(self.options.seed)
        self.violations = self.runs = self.failures = 0
        self.folder = tempfile.mkdtemp(prefix="plumb-faults-")
        os.chdir(self.folder)

    def run(self, words, kind=None, at=0, space=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (space, space))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = dict(os.environ, TMPDIR=self.folder, LC_ALL="C")
        before = [self.inject, "count", str(at), "once"] if kind == "write" else []
        if kind in ("memory", "thread"):
            environment.update(LD_PRELOAD=self.faults, FAULTS_KIND=kind, FAULTS_AT=str(at), FAULTS_COUNT="count")
        try:
            return subprocess.run(before + [self.plumb] + words.split(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=environment, check=False, timeout=120,
                                  preexec_fn=limit if space else None)
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(words, -99, expired.stdout or b"", expired.stderr or b"")

    def violation(self, name, what, words):
        self.violations += 1
        if self.violations <= 40:
            print("VIOLATION: %s: %s: %s" % (name, what, words), flush=True)

    @staticmethod
    def plain(output):
        """Without what differs from run to run: times."""
        if output is None:
            return None
        return re.sub(rb'"seconds": [^,\n]*|[0-9.e+-]+ s\b|(add|mul|div|sqrt) [0-9.]+|[0-9.]+ (us|ms|GB|GiB)\b', b"", output)

    def reset(self, outputs):
        for name in os.listdir("."):
            if name not in self.inputs:
                shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
        for name in outputs:
            with open(name, "wb") as file:
                file.write(OLD)

    def contents(self, outputs):
        found = []
        for name in outputs:
            try:
                with open(name, "rb") as file:
                    found.append(self.plain(file.read()))
            except FileNotFoundError:
                found.append(None)
        return found

    def try_command(self, name, words, outputs, kind):
        self.reset(outputs)
        done = self.run(words, kind)
        if kind == "write" and done.returncode == 77:  # the system does not allow it
            return
        with open("count", encoding="ascii") as file:
            count = int(file.read())
        expected, whole = self.plain(done.stdout), self.contents(outputs)
        if kind == "memory" and count == 0:
            self.violation(name, kind, "nothing is counted: is the library preloaded?")
        if done.returncode != 0:
            self.violation(name, kind, "the undisturbed run failed: %s" % done.stderr)
            return
        chosen = list(range(1, count + 1))
        if count > self.options.count:
            chosen = sorted(self.random.sample(chosen, self.options.count))
        failures = 0
        for at in chosen:
            self.reset(outputs)
            done = self.run(words, kind, at)
            what = "%s %d of %d" % (kind, at, count)
            self.judge(name, words, outputs, what, done, expected, whole)
            failures += done.returncode != 0
        self.runs += len(chosen)
        self.failures += failures
        print("%-14s %-7s %5d of %5d, %5d failed" % (name, kind, len(chosen), count, failures), flush=True)

    def judge(self, name, words, outputs, what, done, expected, whole):
        lines = done.stderr.decode(errors="replace").splitlines()
        found = self.contents(outputs)
        if done.returncode == 0:
            if self.plain(done.stdout) != expected or found != whole or lines:
                self.violation(name, what, "status 0, and not what the undisturbed run gives: %s" % lines)
            return
        if done.returncode not in (1, 2):
            self.violation(name, what, "status %d: %s" % (done.returncode, lines))
        elif len(lines) != 1:
            self.violation(name, what, "%d lines of explanation: %s" % (len(lines), lines))
        for output, content, new in zip(outputs, found, whole):
            if content not in (OLD, new) and not output.endswith(".jsonl"):
                self.violation(name, what, "%s is neither old nor new" % output)
        left = set(os.listdir(".")) - self.inputs - set(outputs) - {"count"}
        if left - {o + ".journal" for o in outputs}:
            self.violation(name, what, "left behind: %s" % sorted(left))
        if name.startswith(("track", "solve")) and any(o.endswith((".sol", ".json", ".csv")) for o in outputs):
            again = self.run(words + (" --resume" if any(n.endswith(".journal") for n in left) else ""))
            if again.returncode != 0 or self.contents(outputs) != whole:
                self.violation(name, what, "does not continue to the same result: %s" % again.stderr)

    def try_spaces(self, name, words, least):
        """Between what the program needs to start and what it needs to finish."""
        most, page = least, 4096
        while self.run(words, space=most).returncode != 0 and most < least + (1 << 30):
            most += 1 << 21
        count = min(self.options.count, 400)
        failures = 0
        for k in range(count):
            done = self.run(words, space=least + (most - least) * k // count // page * page)
            lines = done.stderr.decode(errors="replace").splitlines()
            failures += done.returncode != 0
            if done.returncode not in (0, 1, 2) or len(lines) != (done.returncode != 0):
                self.violation(name, "space %d of %d" % (k, count), "status %d: %s" % (done.returncode, lines))
        self.runs += count
        self.failures += failures
        print("%-14s %-7s %5d limits,   %5d failed" % (name, "space", count, failures), flush=True)

    def least_space(self):
        low, high = 1 << 20, 1 << 30
        while high - low > 4096:
            middle = (low + high) // 2
            if self.run("--version", space=middle).returncode == 0:
                high = middle
            else:
                low = middle
        return high

    def write_long_numbers(self):
        def digits(count):
            return "".join(self.random.choice("123456789") for _ in range(count))

        def ratio(count):
            return digits(count) + "/" + digits(count)

        with open("long.phc", "w", encoding="ascii") as file:
            file.write("2\n(x+%s*y+1)^30;\nx*y-%s;\n" % (ratio(300), ratio(200000)))
        with open("many.phc", "w", encoding="ascii") as file:
            file.write("2\n%s;\nx-y;\n" % "+".join("%s*x^%d*y^%d" % (ratio(20), k % 60, k // 60) for k in range(2000)))
        with open("long.csv", "w", encoding="ascii") as file:
            file.write("%s %s\n%s 3\n1 2\n" % (ratio(100000), ratio(100000), ratio(100000)))

    def main(self):
        for words in INPUTS:
            done = self.run(words)
            if done.returncode != 0:
                sys.exit("plumb %s: %s" % (words, done.stderr.decode()))
        with open("A.csv", "w", encoding="ascii") as file:
            file.write("1 2\n3 4\n5 7\n")
        with open("b.csv", "w", encoding="ascii") as file:
            file.write("1\n2\n3\n")
        self.write_long_numbers()
        self.inputs = set(os.listdir("."))
        certifies = b"certificates  none" not in self.run("info").stdout
        for name, words, outputs in COMMANDS:
            missing = {"track plot": not shutil.which("gnuplot"), "certify": not certifies}
            if self.options.only in (None, name) and not missing.get(name, False):
                for kind in (kind for kind in self.options.kinds.split(",") if kind != "space" and (kind != "write" or self.inject)):
                    self.try_command(name, words, outputs, kind)
        if "space" in self.options.kinds:
            least = self.least_space()
            for name, words in SPACE:
                if self.options.only in (None, name):
                    self.try_spaces(name, words, least)
        os.chdir("/")
        shutil.rmtree(self.folder)
        print("%d runs, %d of them failed with a message; violations: %d" % (self.runs, self.failures, self.violations))
        return 1 if self.violations else 0


sys.exit(Faults().main())
