#!/usr/bin/env python3
"""roots.py - plumb solve on systems whose numbers of roots are known, with several seeds.

    roots.py --plumb build/plumb --seeds 10 --jobs 16 --output roots.txt FOLDER...

A folder has systems in PHCpack's format, and a README.md with a table of them: name, roots with multiplicity and, where they are
known, distinct roots and the dimension of the solutions. Each system is solved with --seeds seeds, or with --long-seeds if the
first run takes longer than --long seconds; every run has one thread.

What must hold: status 0; the numbers of the table; as many distinct roots with every seed; an account of all paths; distinct roots
that are further apart than their errors; and residuals at the numbers that were written, in exact arithmetic, that are as small as
claimed. If the dimension is above 0, the isolated roots must be the same with every seed, and paths that end on the other
solutions must be reported.

Each run is a line of the output as soon as it has ended; a violation says what is wrong."""

import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import time
from fractions import Fraction

# A root must be one to this relative residual, whatever plumb claims: |f_i(x)| over the sum of the moduli of the terms.
MOST_RESIDUAL = 1e-10


# ---- Tables of systems

class System:
    def __init__(self, path, row):
        def number(name):
            text = row.get(name, "")
            return int(text) if text.isdigit() else None

        self.path, self.name = path, row["name"]
        self.roots, self.distinct = number("roots with multiplicity"), number("distinct")
        self.dimension = number("dimension") or 0


def read_table(folder):
    systems, names = [], None
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if "name" in cells:
                names = cells
            elif names and len(cells) == len(names):
                row = dict(zip(names, cells))
                path = os.path.join(folder, row["name"] + ".phc")
                if os.path.exists(path):
                    systems.append(System(path, row))
    return systems


# ---- Polynomials in exact arithmetic

class Poly:
    """A polynomial: exponents (a tuple of pairs of an unknown and its power) to a pair of fractions, the coefficient."""

    def __init__(self, terms):
        self.terms = terms

    @staticmethod
    def number(text):
        return Poly({(): (Fraction(text), Fraction(0))})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, (re_part, im_part) in other.terms.items():
            old = terms.get(key, (0, 0))
            terms[key] = (old[0] + re_part, old[1] + im_part)
        return Poly(terms)

    def __neg__(self):
        return Poly({key: (-c[0], -c[1]) for key, c in self.terms.items()})

    def __pos__(self):
        return self

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        product = Poly({})
        for a, (a_re, a_im) in self.terms.items():
            terms = {}
            for b, (b_re, b_im) in other.terms.items():
                powers = dict(a)
                for name, power in b:
                    powers[name] = powers.get(name, 0) + power
                terms[tuple(sorted(powers.items()))] = (a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re)
            product = product + Poly(terms)
        return product

    def __truediv__(self, other):
        (re_part, im_part), = other.terms.values()
        size = re_part * re_part + im_part * im_part
        return self * Poly({(): (re_part / size, -im_part / size)})

    def __pow__(self, power):
        product, (count, _) = Poly.number("1"), power.terms[()]
        for _ in range(int(count)):
            product = product * self
        return product


def read_system(path, names):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^\s*\d+([ \t]+\d+)?[ \t]*\n", "", text)
    known = {name: Poly({((name, 1),): (Fraction(1), Fraction(0))}) for name in names}
    for unit in "iI":
        known.setdefault(unit, Poly({(): (Fraction(0), Fraction(1))}))
    polynomials = []
    for part in text.split(";")[:-1]:
        part = re.sub(r"(?<![A-Za-z_0-9.])(\d+\.?\d*(?:[eE][-+]?\d+)?)", r'number("\1")', part.replace("\n", " "))
        polynomials.append(eval(part.replace("^", "**"), {"__builtins__": {}, "number": Poly.number}, known))
    return polynomials


def common_multiple(*numbers):
    multiple = 1
    for number in numbers:
        multiple *= number // math.gcd(multiple, number)
    return multiple


def times(a, b):
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def limbs(text, count):
    """The sum of doubles that a decimal is read as: as many as the precision has, each of them nearest to the rest."""
    rest = total = Fraction(text)
    for _ in range(count):
        rest -= Fraction(float(rest))
    return total - rest


def residuals(polynomials, point, least):
    """For each equation its value at a point (Gaussian rationals by name), and the sum of the moduli of its terms, with moduli of
    unknowns of at least `least`: where an unknown is zero within its error, the terms with it would be noise."""
    scale = 1
    for pair in point.values():
        scale = common_multiple(scale, pair[0].denominator, pair[1].denominator)
    value_of = {name: (int(pair[0] * scale), int(pair[1] * scale)) for name, pair in point.items()}
    size_of = {name: max(abs(pair[0]) + abs(pair[1]), int(least * scale)) for name, pair in value_of.items()}
    powers = {}

    def power(name, k):
        if (name, k) not in powers:
            powers[name, k] = value_of[name] if k == 1 else times(power(name, k - 1), value_of[name])
        return powers[name, k]

    for polynomial in polynomials:
        common = 1
        for pair in polynomial.terms.values():
            common = common_multiple(common, pair[0].denominator, pair[1].denominator)
        degree = max((sum(k for _, k in key) for key in polynomial.terms), default=0)
        value, size = (0, 0), 0
        for key, pair in polynomial.terms.items():
            term = (int(pair[0] * common), int(pair[1] * common))
            modulus = abs(term[0]) + abs(term[1])
            for name, k in key:
                term = times(term, power(name, k))
                modulus *= size_of[name] ** k
            rest = scale ** (degree - sum(k for _, k in key))
            value = (value[0] + term[0] * rest, value[1] + term[1] * rest)
            size += modulus * rest
        unit = common * scale ** degree
        yield math.hypot(Fraction(value[0], unit), Fraction(value[1], unit)), Fraction(size, unit)


# ---- One run

def closest(points, errors):
    """The smallest distance of two points over the sum of their errors."""
    least = math.inf
    order = sorted(range(len(points)), key=lambda k: points[k][0].real)
    for a, k in enumerate(order):
        for m in order[a + 1:]:
            if points[m][0].real - points[k][0].real > errors[m] + errors[k]:
                break
            distance = max(abs(p - q) for p, q in zip(points[k], points[m]))
            least = min(least, distance / (errors[m] + errors[k] + 1e-300))
    return least


def check_answer(system, answer, status):
    """A list of what is wrong, and the largest relative residual."""
    wrong, paths, solutions = [], answer["paths"], answer["solutions"]
    roots = sum(solution["multiplicity"] for solution in solutions)
    if status != 0:
        wrong.append("status %d" % status)
    if sum(count for name, count in paths.items() if name != "total") != paths["total"]:
        wrong.append("the account of paths is not complete")
    if system.dimension > 0 and paths["not_isolated"] == 0:
        wrong.append("no path ended on the solutions of dimension %d" % system.dimension)
    if system.dimension == 0 and system.roots is not None and roots != system.roots:
        wrong.append("%d roots with multiplicity, expected %d" % (roots, system.roots))
    if system.distinct is not None and len(solutions) != system.distinct:
        wrong.append("%d distinct roots, expected %d" % (len(solutions), system.distinct))
    if paths["undecided"] + paths["failed"] > 0:
        wrong.append("%d paths undecided, %d failed" % (paths["undecided"], paths["failed"]))
    names = answer["unknowns"]
    polynomials = read_system(system.path, names)
    points, errors, most = [], [], 0.0
    for k, solution in enumerate(solutions):
        count = {"d": 1, "dd": 2, "qd": 4}[solution["precision"]]
        exact = {name: (limbs(pair[0], count), limbs(pair[1], count)) for name, pair in zip(names, solution["x"])}
        points.append([complex(*pair) for pair in exact.values()])
        largest = max(abs(c) for c in points[k])
        if solution["err"] is None or solution["residual"] is None:
            return wrong + ["root %d has no error or residual" % (k + 1)], most
        errors.append(solution["err"] * largest if largest > solution["err"] else solution["err"])
        absolute = relative = sizes = 0.0
        for value, size in residuals(polynomials, exact, Fraction(errors[k]) / Fraction(MOST_RESIDUAL)):
            absolute = max(absolute, value)
            relative = max(relative, float(Fraction(value) / size) if size else 0.0)
            sizes = max(sizes, float(size))
        most = max(most, relative)
        if relative > MOST_RESIDUAL:
            wrong.append("root %d has the relative residual %.1e" % (k + 1, relative))
        rounding = 1e3 * sizes * 2.0 ** (-53 * min(2 * count, 4))  # of the evaluation in the next higher precision
        if absolute > (1 + 1e-6) * solution["residual"] + rounding:
            wrong.append("root %d has the residual %.3e, claimed %.3e" % (k + 1, absolute, solution["residual"]))
    least = closest(points, errors)
    if least < 2:
        wrong.append("two roots are %.1f times their errors apart" % least)
    return wrong, most


def run_plumb(plumb, path, seed, most_seconds, extra):
    """What is known about a run, its answer (None without one) and its status."""
    command = [plumb, "solve", path, "--seed", str(seed), "--json", "--threads", "1"] + extra
    began = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, timeout=most_seconds)
    except subprocess.TimeoutExpired:
        return {"seconds": most_seconds, "wrong": ["it takes more than %g s" % most_seconds]}, None, None
    found = {"seconds": time.monotonic() - began, "wrong": []}
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        found["wrong"].append("status %d: %s" % (done.returncode, done.stderr.decode()[:200]))
        return found, None, done.returncode
    found["paths"], found["start"] = answer["paths"], answer["start"]["kind"]
    found["distinct"] = len(answer["solutions"])
    found["isolated"] = [[complex(float(a), float(b)) for a, b in solution["x"]] for solution in answer["solutions"]]
    return found, answer, done.returncode


def solve(plumb, system, seed, most_seconds, extra):
    found, answer, status = run_plumb(plumb, system.path, seed, most_seconds, extra)
    if answer is not None:
        found["wrong"], found["residual"] = check_answer(system, answer, status)
    return found


def same_points(some, others):
    """Are these the same sets of points, to about six digits?"""
    if len(some) != len(others):
        return False
    for point in some:
        size = max(1.0, max(abs(c) for c in point))
        if min(max(abs(p - q) for p, q in zip(point, other)) for other in others) > 1e-6 * size:
            return False
    return True


# ---- The campaign

def describe(system, seed, found):
    paths = found.get("paths", {})
    counts = ", ".join("%d %s" % (count, name.replace("_", " ")) for name, count in paths.items()
                       if count > 0 and name != "total")
    line = "%s seed %d: %.2f s" % (system.name, seed, found["seconds"])
    if paths:
        line += ", %s, %d paths: %s; %d distinct, relative residuals at most %.1e" % (
            found["start"], paths["total"], counts, found["distinct"], found["residual"])
    return "".join(["VIOLATION: " if found["wrong"] else "", line] + ["; " + text for text in found["wrong"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="folders of systems")
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--long", type=float, default=30, help="seconds from which a system has fewer seeds")
    parser.add_argument("--long-seeds", type=int, default=2)
    parser.add_argument("--most-seconds", type=float, default=3600, help="limit of each run")
    parser.add_argument("--jobs", type=int, default=1, help="how many runs at a time")
    parser.add_argument("--output", help="file to which each run is added")
    parser.add_argument("--only", help="only these systems, separated by commas")
    parser.add_argument("--options", default="", help="options that plumb solve gets in addition")
    options = parser.parse_args()
    plumb, extra = os.path.abspath(options.plumb), options.options.split()
    systems = [system for folder in options.folders for system in read_table(folder)]
    if options.only:
        systems = [system for system in systems if system.name in options.only.split(",")]
    out = open(options.output, "w", encoding="utf-8") if options.output else sys.stdout
    first, runs, violations = {}, 0, 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        def begin(system, seed):
            return pool.submit(solve, plumb, system, seed, options.most_seconds, extra), system, seed

        waiting = {task: (system, seed) for task, system, seed in (begin(system, 1) for system in systems)}
        while waiting:
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for task in done:
                (system, seed), found = waiting.pop(task), task.result()
                if system.name not in first:
                    first[system.name] = found
                    count = options.long_seeds if found["seconds"] > options.long else options.seeds
                    waiting.update({task: (system, k) for task, system, k in
                                    (begin(system, k) for k in range(2, count + 1))})
                elif found.get("distinct") != first[system.name].get("distinct"):
                    found["wrong"].append("not as many distinct roots as with seed 1")
                elif system.dimension > 0 and not same_points(found["isolated"], first[system.name]["isolated"]):
                    found["wrong"].append("not the isolated roots of seed 1")
                runs += 1
                violations += bool(found["wrong"])
                print(describe(system, seed, found), file=out, flush=True)
    print("systems: %d, runs: %d, violations: %d" % (len(systems), runs, violations), file=out, flush=True)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
