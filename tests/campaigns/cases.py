"""What the campaigns about files have in common: every command that writes files, on small inputs, and what must hold after it was
disturbed.

A campaign runs in an empty folder. Each output has old contents before a run. After it, every output must have its old contents
or those of an undisturbed run, and there must be no other file, except the journal and the log of paths that were not finished."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
MARKS = "<!-- plumb bench table: begin -->\n%s\n<!-- plumb bench table: end -->\n"


class Case:
    """A command: its words, the files it writes, and those that grow while it works (in their place from the beginning)."""

    def __init__(self, name, program, words, outputs, growing=(), journal=None, old=None):
        self.name, self.program, self.words, self.outputs = name, program, words, outputs
        self.growing, self.journal = growing, journal
        self.old = old or {}  # contents of outputs that the command reads
        self.fresh, self.status = {}, None  # what an undisturbed run leaves

    def command(self, *more):
        return [self.program] + self.words + list(more)


class Campaign:
    def __init__(self, about):
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--plumb", required=True, help="the program plumb; plumb-bench lies beside it")
        parser.add_argument("--inject", help="the program inject")
        parser.add_argument("--preload", help="a library that every program loads, such as no_tmpfile")
        parser.add_argument("--count", type=int, required=True, help="how many disturbances (of each command)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--only", help="only the command of this name")
        self.options = parser.parse_args()
        self.plumb = os.path.abspath(self.options.plumb)
        self.inject = os.path.abspath(self.options.inject) if self.options.inject else None
        self.random = random.Random(self.options.seed)
        self.violations = 0
        self.folder = tempfile.mkdtemp(prefix="plumb-campaign-")
        os.chdir(self.folder)
        self.environment = dict(os.environ, TMPDIR=self.folder, ASAN_OPTIONS="detect_leaks=0", OMP_NUM_THREADS="2")
        if self.options.preload:
            self.environment["LD_PRELOAD"] = os.path.abspath(self.options.preload)

    def violation(self, *words):
        self.violations += 1
        if self.violations <= 20:
            print("VIOLATION:", *words, flush=True)

    def run(self, command, **more):
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment, check=False, **more)

    def end(self, summary):
        os.chdir("/")
        shutil.rmtree(self.folder)
        print("%s; violations: %d" % (summary, self.violations))
        sys.exit(1 if self.violations else 0)

    # ---- The commands

    def make_inputs(self):
        for words in (["random", "-m", "12", "-n", "8", "--seed", "3", "-o", "A.mtx"],
                      ["random", "-m", "12", "-n", "1", "--seed", "4", "-o", "b.mtx"],
                      ["system", "family", "katsura", "4", "-o", "f.phc"],
                      ["system", "family", "cyclic", "5", "-o", "cyclic.phc"],
                      ["system", "family", "cyclic", "6", "-o", "cyclic6.phc"],
                      ["system", "family", "cyclic", "10", "-o", "cyclic10.phc"],
                      ["track", "f.phc", "-p", "d", "-q", "-o", "roots.sol", "--path-log", "log.jsonl"]):
            made = self.run([self.plumb] + words)
            if made.returncode != 0:
                sys.exit("plumb %s: %s" % (" ".join(words), made.stderr.decode()))
        results = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "results")
        shutil.copy(os.path.join(results, "lsq-neoverse-v1.json"), "lsq.json")
        shutil.copy(os.path.join(results, "h200-paper.json"), "paper.json")
        self.inputs = set(os.listdir("."))

    def cases(self):
        def plumb(name, words, *outputs, **more):
            return Case(name, self.plumb, words.split(), outputs, **more)

        bench = self.plumb + "-bench"
        track = "track f.phc -p dd --threads 2 --backend cpu -q -o t.sol"
        decompose = ["decompose", "-e", "y^2 - x^3", "-e", "(y^2 - x^3)*(x*y - 1)", "--threads", "2", "--backend", "cpu", "-q", "-o", "c.json"]
        journal = "t.sol.journal"
        solve = "solve f.phc --threads 2 --backend cpu -q -o v.sol"
        # Paths from mixed cells; and a run that enumerates cells most of the time.
        sparse = "solve cyclic6.phc --threads 2 --backend cpu -q -o p.sol --no-certify"
        cells = "solve cyclic10.phc --paths 101-108 --threads 2 --backend cpu -q -o w.sol --no-certify"
        cases = [
            plumb("lsq", "lsq A.mtx b.mtx -q -o x.mtx --covariance c.npy", "x.mtx", "c.npy"),
            plumb("lsq-csv", "lsq A.mtx b.mtx -q -o x.csv -p qd", "x.csv"),
            plumb("qr", "qr A.mtx -q --pivot --q q.mtx --r r.csv --permutation p.json", "q.mtx", "r.csv", "p.json"),
            plumb("random", "random -m 40 -o m.mtx", "m.mtx"),
            plumb("system-random", "system random -n 8 -o s.phc", "s.phc"),
            plumb("system-family", "system family cyclic 6 -o s.txt", "s.txt"),
            plumb("system-convert", "system convert f.phc -o s.txt", "s.txt"),
            plumb("system-start", "system start f.phc -o g.phc --solutions g.sol", "g.phc", "g.sol"),
            plumb("newton", "newton f.phc roots.sol -q -p qd -o n.json", "n.json"),
            plumb("track", track, "t.sol", journal=journal),
            plumb("solve", solve, "v.sol", journal="v.sol.journal"),
            plumb("solve-json", solve.replace("v.sol", "v.json"), "v.json", journal="v.json.journal"),
            plumb("solve-log", solve + " --path-log v.jsonl", "v.sol", growing=("v.jsonl",), journal="v.sol.journal"),
            plumb("solve-polyhedral", sparse, "p.sol", journal="p.sol.journal"),
            plumb("solve-cells", cells, "w.sol", journal="w.sol.journal"),
            Case("decompose", self.plumb, decompose, ("c.json",), journal="c.json.journal"),
            plumb("track-log", track + " --path-log t.jsonl", "t.sol", growing=("t.jsonl",), journal=journal),
            Case("bench-table", bench, ["table", "lsq.json", "--into", "doc.md"], ("doc.md",),
                 old={"doc.md": ("before\n" + MARKS % "old" + "after\n").encode()}),
            Case("bench-accuracy", bench, "accuracy --count 1 -q -o measured.json".split(), ("measured.json",)),
            Case("bench-compare", bench, ["compare", "lsq.json", "lsq.json", "-o", "compared.md"], ("compared.md",)),
        ]
        if b'"usable": true' in self.run([self.plumb, "info", "--json"]).stdout.split(b'"certify"')[1].split(b"}")[0]:
            cases.append(plumb("certify", "certify f.phc roots.sol -q --threads 2 -o k.json", "k.json"))
        if shutil.which("gnuplot"):
            cases += [Case("bench-paper", bench, "paper --from paper.json -o page.html --plots .".split(),
                           ("page.html", "quality-up.svg", "speedup.svg")),
                      plumb("plot", "track --from-log log.jsonl --plot p.svg", "p.svg"),
                      plumb("track-plot", track + " --path-log t.jsonl --plot p.svg", "t.sol", "p.svg", growing=("t.jsonl",),
                            journal=journal),
                      plumb("solve-plot", solve + " --path-log v.jsonl --plot p.svg", "v.sol", "p.svg", growing=("v.jsonl",),
                            journal="v.sol.journal")]
        chosen = [case for case in cases if self.options.only in (None, case.name)]
        for case in chosen:
            self.reset(case)
            done = self.run(case.command())
            case.status = done.returncode
            case.fresh = {path: self.contents(path) for path in case.outputs}
            if done.returncode != 0 or None in case.fresh.values() or done.stderr:
                sys.exit("%s: status %d: %s" % (case.name, done.returncode, done.stderr.decode()))
        return chosen

    # ---- What must hold

    @staticmethod
    def contents(path):
        try:
            if os.path.isdir(path):  # the journal of plumb decompose: journals, and a file that says what is decomposed
                names = sorted(os.listdir(path))
                return b"\n".join([b"stages"] + [name.encode() for name in names if name[0] in "0123456789"])
            with open(path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    @staticmethod
    def is_new(case, path, found):
        """A picture depends on the order in which threads wrote the log, and measurements on the time: they have to be
        complete."""
        if path.endswith(".svg"):
            return found is not None and found.rstrip().endswith(b"</svg>")
        if path == "measured.json":
            return found is not None and found.startswith(b"{") and found.endswith(b"}\n")
        return found == case.fresh[path]

    @staticmethod
    def is_partial(path, found):
        """Solutions of the paths that had ended when a run was stopped, as a complete file."""
        if found and path.endswith(".json"):
            try:
                whole = json.loads(found)
                return isinstance(whole.get("solutions", whole.get("components")), list)
            except (AttributeError, KeyError, TypeError, ValueError):
                return False
        lines = found.decode().splitlines() if found and path.endswith(".sol") else []
        return len(lines) > 2 and lines[0] == "THE SOLUTIONS :" and lines[-1].startswith("====") and \
            int(lines[1].split()[0]) == sum(line.startswith("solution ") for line in lines)

    def old(self, case, path):
        return case.old.get(path, b"old contents of " + path.encode())

    def clean(self):
        for name in set(os.listdir(".")) - self.inputs:
            if os.path.isdir(name):
                shutil.rmtree(name)
            else:
                os.unlink(name)

    def reset(self, case, exist=True):
        """exist: there are outputs already."""
        self.clean()
        for path in case.outputs:
            if exist or path in case.old:
                with open(path, "wb") as file:
                    file.write(self.old(case, path))

    def check(self, case, exist, what, may_remain=()):
        """Each output is old or new, and nothing else is there. Returns whether all are new."""
        new = True
        for path in case.outputs:
            found = self.contents(path)
            is_new = self.is_new(case, path, found)
            new = new and is_new
            if case.journal and os.path.exists(case.journal) and self.is_partial(path, found):
                continue
            if not is_new and found != (self.old(case, path) if exist or path in case.old else None):
                self.violation("%s: %s: %s is neither old nor new" % (case.name, what, path))
        allowed = set(case.outputs) | set(case.growing) | {case.journal} | set(may_remain)
        for name in set(os.listdir(".")) - self.inputs - allowed:
            self.violation("%s: %s: %s is left behind" % (case.name, what, name))
        return new

    def check_continues(self, case, what):
        """A run that was disturbed is continued, or begins again, whatever its journal is like, and ends as an undisturbed one."""
        journal = self.contents(case.journal)
        lines = journal.count(b"\n") if journal else 0
        least = 0 if os.path.isdir(case.journal) else 1  # lines without anything to continue
        done = self.run(case.command(*(["--resume"] if lines > least else [])))
        if done.returncode != case.status or done.stderr:
            self.violation("%s: %s: continued with status %d: %s" % (case.name, what, done.returncode,
                                                                     done.stderr.decode()))
        self.check(case, False, what + ", continued")
        for path in case.outputs:
            if not self.is_new(case, path, self.contents(path)):
                self.violation("%s: %s: continued, %s is another" % (case.name, what, path))
        if os.path.exists(case.journal) != ("--paths" in case.words):  # a part of the paths keeps it, for plumb merge
            self.violation("%s: %s: the journal is left behind, or lost" % (case.name, what))
        return max(lines - 1, 0)
