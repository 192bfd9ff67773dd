#!/usr/bin/env python3
"""answers.py - plumb solve on small systems whose answers are known exactly: is anything wrong with status 0?

    answers.py --plumb build/plumb --driver build/tests/answers --count 2900 --jobs 2

The systems of planted.py come in seven families: zero coordinates, clusters, pairs near the real axis, sizes from 1e-30 to 1e30, tiny
positive coordinates, inconsistent systems, and products with fat points and curves. --count of each are solved, in turn by the program,
by C (the program answers.c) and by Python; every sixteenth by all three, whose answers must agree.

An answer is wrong if an isolated solution is missing although the status is 0; if a solution is not one, or further away from it
than ten times the stated error; if a multiplicity, "real", a filter, a certificate, a bound, "complete" or a set of positive dimension
is false; if the status contradicts the numbers of paths; or if Python returns an incomplete list without a warning. A cluster must contain
as many solutions as it says. Answers with status 1 are undecided: they are counted, with those apart that quad doubles have the
digits for (planted.py has the rule), and what they do say must be true. Each wrong answer is a line with the command that repeats it.

The exit status is 1 if an answer was wrong, or if more than --most-undecided percent of the runs that have the digits are undecided."""

import argparse
import itertools
import json
import math
import multiprocessing
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from fractions import Fraction

from exact import Gauss, distance, modulus, unlike
from planted import FAMILIES, problem

PATHS = ("regular", "singular", "infinite", "not_isolated", "extraneous", "undecided", "failed")
KINDS = {1: "regular", 2: "singular", 3: "cluster"}
ROUNDING = {1: 2.0 ** -52, 2: 2.0 ** -104, 4: 2.0 ** -208}
LIMBS = {"d": 1, "dd": 2, "qd": 4}
LARGEST = 1e15  # --largest, where it is not given
VAGUE = 0.1     # a relative error above which nothing is said


class Failure(Exception):
    """A crash, or a run that takes too long."""


# ---- The three interfaces: each gives status, message, paths, solutions and, from the program, certificates

class Program:
    def __init__(self, options):
        self.plumb, self.seconds = options.plumb, options.most_seconds

    def command(self, made, seed):
        words = [self.plumb, "solve"]
        for equation in made.equations():
            words += ["-e", equation]
        return words + ["--" + option for option in made.options] + ["--seed", str(seed)]

    def run(self, made, seed, *more):
        try:
            return subprocess.run(self.command(made, seed) + ["--threads", "1", "--backend", "cpu", *more], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            raise Failure("it takes more than %g s" % self.seconds) from None

    def text(self, made, seed):
        done = self.run(made, seed)
        return done.returncode, done.stdout.decode()

    def solve(self, made, seed):
        done = self.run(made, seed, "--json")
        message = done.stderr.decode(errors="replace").strip()
        if done.returncode not in (0, 1, 2):
            raise Failure("the program ended with status %d" % done.returncode)
        if done.returncode == 2:
            return {"status": 2, "message": message}
        answer = json.loads(done.stdout)
        answer.update(status=done.returncode, message=message)
        for solution in answer["solutions"]:
            solution["x"] = [Gauss(re, im) for re, im in solution["x"]]
            solution["prec"] = LIMBS[solution["precision"]]
        return answer


class Lines:
    """A process that answers requests with one line each."""

    def __init__(self, command, environment, seconds):
        self.words, self.environment, self.seconds, self.process = command, environment, seconds, None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, bufsize=0)
        try:
            self.process.stdin.write(request.encode())
        except BrokenPipeError:
            pass
        answer, end = b"", time.monotonic() + self.seconds
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not piece:
                self.process.kill()
                status = self.process.wait()
                self.process = None
                raise Failure("the process ended with status %d" % status if ready else "it takes more than %g s" % self.seconds)
            answer += piece
        return json.loads(answer)


def exact_parts(pair):
    return Gauss(*(sum(Fraction(*float.fromhex(limb).as_integer_ratio()) for limb in part) for part in pair))


def finish(answer):
    """What C and Python tell, in the words of the program."""
    if answer["status"]:
        return {"status": 2, "message": answer["message"]}
    paths = answer["paths"]
    clusters = sum(KINDS.get(solution["kind"]) == "cluster" for solution in answer["solutions"])
    answer["status"] = 1 if paths["undecided"] + paths["failed"] + clusters else 0
    for solution in answer["solutions"]:
        solution["x"] = [exact_parts(pair) for pair in solution["x"]]
        solution["kind"] = KINDS.get(solution["kind"], "unknown")
        solution["real"] = bool(solution["real"])
        for name in ("err", "residual"):
            solution[name] = float.fromhex(solution[name])
    return answer


class Driver:
    def __init__(self, options):
        self.lines = Lines([options.driver], None, options.most_seconds)

    def solve(self, made, seed):
        flags = " ".join(str(int(option in made.options)) for option in ("real", "positive", "nonzero"))
        equations = made.equations()
        return finish(self.lines.ask("%d %s %d\n%s\n" % (seed, flags, len(equations), "\n".join(equations))))


class Python:
    def __init__(self, options):
        environment = dict(os.environ, PYTHONPATH=options.package, PLUMB_LIBRARY=options.library, OMP_NUM_THREADS="1")
        self.lines = Lines([options.python, "-B", os.path.abspath(__file__), "--serve"], environment, options.most_seconds)

    def solve(self, made, seed):
        return finish(self.lines.ask(json.dumps({"equations": made.equations(), "options": made.options, "seed": seed}) + "\n"))


def serve():
    """The other end of the class Python: one answer for each line of standard input."""
    import plumb
    plumb.set_threads(1)
    for line in sys.stdin:
        wanted = json.loads(line)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                found = plumb.solve(wanted["equations"], seed=wanted["seed"], backend="cpu", **dict.fromkeys(wanted["options"], True))
            except plumb.Error as error:
                print(json.dumps({"status": error.status or 1, "message": str(error)}), flush=True)
                continue
        report, solutions = found.report, []
        paths = {name: report[name] for name in PATHS}
        paths["total"] = report["paths"]
        for one in found:
            solutions.append({
                "x": [[[limb.hex() for limb in part] for part in unknown] for unknown in one.x.limbs.tolist()],
                "kind": int(one._record["kind"]), "multiplicity": one.multiplicity, "real": one.isreal, "err": one.error.hex(),
                "residual": one.residual.hex(), "prec": LIMBS[one.precision]})
        print(json.dumps({"status": 0, "paths": paths, "unknowns": found.unknowns, "solutions": solutions,
                          "warned": bool(told), "says_complete": found.complete}), flush=True)


def assemble_package(source, folder):
    """The Python package from the sources, as a wheel has it."""
    package = os.path.join(folder, "plumb")
    shutil.copytree(os.path.join(source, "python", "plumb"), package)
    header = os.path.join(source, "include", "plumb.h")
    with open(os.path.join(package, "_abi.py"), "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, os.path.join(source, "python", "declare.py"), header], stdout=file, check=True)


def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return python
        except OSError:
            pass
    return None


# ---- The judge

class Judge:
    def __init__(self, made, answer):
        self.made, self.answer, self.status, self.wrong = made, answer, answer["status"], []
        self.clustered = self.beyond = False

    def verdict(self):
        """"right", "clustered" (roots are not told apart, and it says so), "beyond" (some are larger than --largest, and it says so),
        "undecided", or "wrong"; and what is wrong."""
        if self.status == 2:
            none_isolated = not self.made.points and not self.made.distinct and "isolated" in self.answer["message"]
            return ("right", []) if none_isolated else ("wrong", ["refused: " + self.answer["message"]])
        places = [self.answer["unknowns"].index(name) for name in self.made.names]
        for k, solution in enumerate(self.answer["solutions"]):
            solution["name"], solution["x"] = "solution %d" % (k + 1), [solution["x"][place] for place in places]
        self.check_paths()
        if self.made.points is None:
            self.check_counts()
        else:
            self.check_solutions()
            self.check_certificates()
        if self.wrong:
            return "wrong" if self.status == 0 else "false", self.wrong
        if self.status == 1:
            return "clustered" if self.clustered else "undecided", []
        return "beyond" if self.beyond else "right", []

    def check_paths(self):
        paths, answer = self.answer["paths"], self.answer
        lost = paths["undecided"] + paths["failed"]
        if sum(paths.get(name, 0) for name in PATHS + ("beyond",)) != paths["total"]:
            self.wrong.append("the account of paths is not complete")
        if self.status == 0 and lost:
            self.wrong.append("status 0, but %d paths are undecided or failed" % lost)
        if paths["not_isolated"] and not self.made.curve:
            self.wrong.append("%d paths on sets of positive dimension, of which there are none" % paths["not_isolated"])
        if "warned" in answer:
            if lost and not answer["warned"]:
                self.wrong.append("Python gives no warning that solutions may be missing")
                self.status = 0
            if lost and answer["says_complete"]:
                self.wrong.append("Python says that the list is complete")
        elif self.status == 1 and "message" in answer and not answer["message"]:
            self.wrong.append("status 1 without a message")

    def check_counts(self):
        """Of systems whose solutions Singular has counted."""
        made, solutions, real = self.made, self.answer["solutions"], 0
        if len(solutions) > made.distinct or (self.status == 0 and len(solutions) < made.distinct):
            self.wrong.append("%d distinct solutions of %d" % (len(solutions), made.distinct))
        for solution in solutions:
            least = max(modulus(c) for c in solution["x"]) / 10 ** 6
            sizes = [Fraction(max(modulus(c), least, 1e-6)) for c in solution["x"]]
            if any(modulus(poly.at(solution["x"])) > 1e-8 * float(poly.size_at(sizes)) for poly in made.polys):
                self.wrong.append(solution["name"] + " is none")
            if solution["real"]:
                real += 1
            if made.roots == made.distinct and solution["multiplicity"] != 1:
                self.wrong.append("%s has multiplicity 1, not %d" % (solution["name"], solution["multiplicity"]))
        if real > made.real or (self.status == 0 and real < made.real):
            self.wrong.append("%d real solutions of %d" % (real, made.real))
        if not self.wrong and made.roots > made.distinct and self.status == 0 and all(s["multiplicity"] == 1 for s in solutions):
            self.wrong.append("no multiple solution was found")

    def tolerance(self, solution):
        """How far a solution may be away from the true one."""
        size = max(modulus(c) for c in solution["x"])
        err = solution["err"]
        if err is None or not math.isfinite(err):
            return None
        return 10 * (err + ROUNDING[solution["prec"]]) * (size if size > err else 1.0)

    def is_expected(self, point):
        options = self.made.options
        return (("real" not in options or point.is_real()) and ("positive" not in options or point.is_positive()) and
                ("nonzero" not in options or point.is_nonzero()))

    def check_solutions(self):
        made, solutions = self.made, self.answer["solutions"]
        single, clusters = [], []
        for solution in solutions:
            tolerance = self.tolerance(solution)
            if tolerance is None or (solution["err"] > VAGUE and max(modulus(c) for c in solution["x"]) > 1e-300):
                self.wrong.append("%s has the error %s" % (solution["name"], solution["err"]))
                continue
            if solution["kind"] == "cluster":
                tolerance *= 0.1000001  # it is a radius, no estimate
            gaps = {p: distance(point.x, solution["x"]) for p, point in enumerate(made.points)}
            solution["near"] = sorted((p for p in gaps if gaps[p] <= tolerance),
                                      key=lambda p: (made.points[p].multiplicity != solution["multiplicity"],
                                                     unlike(made.points[p].x, solution["x"]), gaps[p]))
            solution["inside"] = []
            (clusters if solution["kind"] == "cluster" else single).append(solution)
        owner = match(single)
        for solution in single:
            self.check_single(solution, next((p for p, s in owner.items() if s is solution), None))
        taken = set(owner)
        for p, point in enumerate(made.points):
            around = [solution for solution in clusters if p in solution["near"] and p not in owner]
            if around:
                min(around, key=lambda solution: distance(point.x, solution["x"]))["inside"].append(p)
                taken.add(p)
        for solution in clusters:
            inside = solution["inside"]
            count = sum(made.points[p].multiplicity or 2 for p in inside)
            unsure = made.overdetermined and any(made.points[p].multiplicity != 1 for p in inside)
            if solution["multiplicity"] != count and not (unsure and solution["multiplicity"] > count):
                self.wrong.append("%s is a cluster of %d, but %d are there" % (solution["name"], solution["multiplicity"], count))
            self.clustered = True
        self.check_missing([point for p, point in enumerate(made.points) if p not in taken and self.is_expected(point)])

    def check_single(self, solution, p):
        name = solution["name"]
        if p is None:
            gap = min([distance(point.x, solution["x"]) for point in self.made.points], default=math.inf)
            size = max(modulus(c) for c in solution["x"]) or 1.0
            what = "the same as another one" if solution["near"] else "none (the nearest has a relative distance of %.1e)" % (gap / size)
            self.wrong.append("%s with error %.1e is %s" % (name, solution["err"], what))
            return
        point = self.made.points[p]
        if not self.is_expected(point):
            self.wrong.append("%s is not %s" % (name, " and ".join(self.made.options)))
        if solution["real"] != point.is_real():
            self.wrong.append("%s is %sreal" % (name, "" if point.is_real() else "not "))
        m = solution["multiplicity"]
        if point.multiplicity is None:
            good = m >= 2
        elif self.made.overdetermined and point.multiplicity > 1:
            good = m >= point.multiplicity  # that of random combinations can be larger
        else:
            good = m == point.multiplicity
        if not good or (solution["kind"] == "regular" and m != 1):
            self.wrong.append("%s has multiplicity %s, not %d" % (name, point.multiplicity or "at least 2", m))

    def check_missing(self, missing):
        paths = self.answer["paths"]
        beyond = paths.get("beyond", 0)
        large = sum(max(modulus(c) for c in point.x) > LARGEST / 10 for point in missing)
        if self.status == 0 and missing and large == len(missing) and beyond >= large:
            self.beyond = True
        elif missing and (self.status == 0 or len(missing) > paths["undecided"] + paths["failed"] + beyond):
            worst = min(missing, key=lambda point: max(modulus(c) for c in point.x))
            self.wrong.append("%d of %d solutions are missing, such as (%s)" % (
                len(missing), sum(map(self.is_expected, self.made.points)), ", ".join(map(repr, worst.x))))

    def check_certificates(self):
        made, answer = self.made, self.answer
        for solution in answer["solutions"]:
            box = solution.get("certificate")
            if not box or "centre" not in box:
                continue
            name = solution["name"] + ", " + box["verdict"] + ","
            centre = [Gauss(*map(from_hex, pair)) for pair in box["centre"]]
            radius = [from_hex(text) for text in box["radius"]]
            places = [answer["unknowns"].index(unknown) for unknown in made.names]
            inside = [point for point in made.points if all(
                abs(z.re - centre[k].re) <= radius[k] and abs(z.im - centre[k].im) <= radius[k] for z, k in zip(point.x, places))]
            if box["verdict"] == "certified" and (len(inside) != 1 or inside[0].multiplicity != 1):
                self.wrong.append("%s has %d solutions in its box" % (name, len(inside)))
            elif box["verdict"] == "excluded" and inside:
                self.wrong.append(name + " is a solution")
            elif inside:
                for what, truth in (("real", inside[0].is_real()), ("positive", inside[0].is_positive())):
                    if box[what] is not None and box[what] != truth:
                        self.wrong.append("%s is %s: %s" % (name, what, box[what]))
        if answer.get("complete") and answer["certified_distinct"] != len(made.points): # of isolated solutions
            self.wrong.append("it is not complete: %d of %d" % (answer["certified_distinct"], len(made.points)))
        roots = sum(1 if made.overdetermined else point.multiplicity or 1 for point in made.points)
        if answer.get("bound") is not None and answer["bound"] < roots:
            self.wrong.append("the bound %d is too small" % answer["bound"])


def from_hex(text):
    """"-0x1921fb54p-27" exactly."""
    digits, _, power = text.partition("p")
    return int(digits, 16) * Fraction(2) ** int(power or 0)


def match(solutions):
    """A largest set of pairs of solutions and points nearby, each of them in one pair at most: points to solutions."""
    owner = {}

    def place(solution, seen):
        for p in solution["near"]:
            if p not in seen:
                seen.add(p)
                if p not in owner or place(owner[p], seen):
                    owner[p] = solution
                    return True
        return False

    for solution in solutions:
        place(solution, set())
    return owner


def agree(answers, text):
    """What the interfaces tell differently; text is the status of the program without --json, and what it shows."""
    def summary(answer):
        if answer["status"] == 2:
            return 2
        solutions = [(s["kind"], s["multiplicity"], s["real"]) for s in answer["solutions"]]
        return answer["status"], [answer["paths"][name] for name in PATHS], solutions

    found = {name: summary(answer) for name, answer in answers.items()}
    first = next(iter(found.values()))
    wrong = ["the answers of %s differ" % " and ".join(found)] if any(other != first for other in found.values()) else []
    (status, shown), answer = text, next(iter(answers.values()))
    count = len(re.findall(r"^solution \d+:", shown, re.MULTILINE))
    if status != answer["status"] or count != min(len(answer.get("solutions", [])), 20):
        wrong.append("the text, with status %d, differs from JSON" % status)
    return wrong


# ---- The campaign

interfaces = {}


def begin(options):
    interfaces["program"] = Program(options)
    if options.driver:
        interfaces["C"] = Driver(options)
    if options.package:
        interfaces["Python"] = Python(options)


def run(task):
    """Solves one problem; returns one dictionary per run."""
    family, seed, k, only = task
    made, plumb_seed = problem(family, seed, k)
    names = [name for name in interfaces if only in (None, name)]
    chosen = names if k % 16 == 0 else [names[k % len(names)]]
    results, answers = [], {}
    command = " ".join(map(shlex.quote, interfaces["program"].command(made, plumb_seed)))
    for name in chosen:
        began = time.monotonic()
        try:
            answer = answers[name] = interfaces[name].solve(made, plumb_seed)
            verdict, wrong = Judge(made, answer).verdict()
        except Failure as failure:
            verdict, wrong = "wrong", [str(failure)]
        results.append({"family": family, "seed": seed, "number": k, "kind": made.kind, "digits": made.has_digits, "interface": name,
                        "verdict": verdict, "wrong": wrong, "seconds": round(time.monotonic() - began, 3), "command": command})
    if len(answers) > 1 and len(answers) == len(chosen):
        differences = agree(answers, interfaces["program"].text(made, plumb_seed))
        if differences:
            results[0].update(verdict="wrong", wrong=results[0]["wrong"] + differences)
    return results


def tell(line):
    print("%s: %s %d (%s), seed %d, %s: %s\n    %s" % ("WRONG" if line["verdict"] == "wrong" else "FALSE", line["family"], line["number"],
                                                     line["kind"], line["seed"], line["interface"], "; ".join(line["wrong"]),
                                                     line["command"]), flush=True)


class Table:
    COLUMNS = ("runs", "right", "clustered", "beyond", "undecided", "wrong", "false")

    def __init__(self):
        self.rows, self.slowest = {}, 0.0

    def add(self, line):
        row = self.rows.setdefault(line["family"], {})
        for name in ("runs", line["verdict"]):
            row[name, line["digits"]] = row.get((name, line["digits"]), 0) + 1
        self.slowest = max(self.slowest, line["seconds"])

    def total(self, name, digits=None):
        return sum(row.get((name, d), 0) for row in self.rows.values() for d in (True, False) if digits in (None, d))

    def show(self):
        print("%-14s %s" % ("family", "  ".join("%16s" % name for name in self.COLUMNS)))
        for family, row in [(family, self.rows[family]) for family in FAMILIES if family in self.rows] + [("all", None)]:
            cells = []
            for name in self.COLUMNS:
                with_digits, without = (row.get((name, d), 0) if row else self.total(name, d) for d in (True, False))
                cells.append("%16s" % ("%d (%d + %d)" % (with_digits + without, with_digits, without)))
            print("%-14s %s" % (family, "  ".join(cells)))
        print("(runs that quad doubles have the digits for + others)\n"
              "clustered: roots are not told apart, which it says; beyond: right, but solutions above --largest are only counted;\n"
              "false: the status is 1, and what is said besides is wrong")


def version_file(options, folder):
    said = subprocess.run([options.plumb, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    version = next(word for word in said if word[0].isdigit())
    with open(os.path.join(folder, "plumb", "_version.py"), "w", encoding="utf-8") as file:
        file.write('__version__ = "%s"\n' % version)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--driver", help="the program answers, for C")
    parser.add_argument("--library", help="libplumb.so, for Python (default: beside the program)")
    parser.add_argument("--interface", choices=("program", "C", "Python"), help="only this one")
    parser.add_argument("--count", type=int, default=30, help="how many systems of each family")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=1, help="seed of the systems")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="only this one; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="how many systems at a time")
    parser.add_argument("--most-seconds", type=float, default=60, help="limit of each run")
    parser.add_argument("--most-undecided", type=float, default=2, help="percent of the runs that have the digits")
    parser.add_argument("--shown", type=int, default=20, help="how many wrong answers are shown of each family")
    parser.add_argument("--output", help="file to which each run is added, one JSON object per line")
    options = parser.parse_args()
    options.plumb = os.path.abspath(options.plumb)
    options.driver = os.path.abspath(options.driver) if options.driver else None
    options.library = os.path.abspath(options.library or os.path.join(os.path.dirname(options.plumb), "libplumb.so"))
    options.package, options.python = None, python_with_numpy()
    table, shown = Table(), {}
    tasks = [(family, options.seed, k, options.interface) for k in range(options.first, options.first + options.count)
             for family in options.family or FAMILIES]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="plumb-answers-") as folder:
        if options.python and os.path.exists(options.library):
            assemble_package(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."), folder)
            version_file(options, folder)
            options.package = folder
        with multiprocessing.Pool(options.jobs, begin, (options,)) as pool:
            for line in itertools.chain.from_iterable(pool.imap_unordered(run, tasks, chunksize=4)):
                table.add(line)
                if options.output:
                    with open(options.output, "a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
                if line["wrong"]:
                    shown[line["family"]] = shown.get(line["family"], 0) + 1
                    if shown[line["family"]] <= options.shown:
                        tell(line)
    table.show()
    runs, undecided = table.total("runs", True), table.total("undecided", True) + table.total("clustered", True)
    print("%d runs in %.0f s, the slowest %.2f s; wrong with status 0: %d" % (
        table.total("runs"), time.monotonic() - began, table.slowest, table.total("wrong")))
    print("undecided or clustered although quad doubles have the digits: %d of %d runs (%.2f%%)" % (undecided, runs, 100 * undecided / max(runs, 1)))
    sys.exit(1 if table.total("wrong") + table.total("false") or 100 * undecided > options.most_undecided * runs else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main()
