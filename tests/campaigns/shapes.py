#!/usr/bin/env python3
"""shapes.py - plumb solve on small random systems of many shapes, beside exact counts by Singular.

    shapes.py --plumb build/plumb --count 20 --seeds 3 --jobs 2

--count systems of each shape are made from --seed: sparse ones, groups of equations with one support, solutions with zero
coordinates, multiple solutions, mechanisms, chemical equilibria, more equations than unknowns, solution curves beside isolated points;
and some members of known families. Singular counts the roots with multiplicity (the dimension of the quotient ring modulo a large prime,
after the curves were taken away) and the distinct ones (that of the radical). plumb solves each system with --seeds seeds and must find these numbers, account
for all paths, and have small residuals in exact arithmetic. Status 77 without Singular."""

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from roots import check_answer, describe, run_plumb

PRIME = 2147483629


class Shape:
    """A system as text, and a polynomial whose zeros are taken away before roots are counted (or None)."""

    def __init__(self, name, unknowns, equations, away=None):
        self.name, self.unknowns, self.equations, self.away = name, unknowns, equations, away
        self.path, self.roots, self.distinct, self.dimension = None, None, None, 0


# ---- Texts of polynomials

def number(rng, most=9):
    return rng.choice([-1, 1]) * rng.randint(1, most)


def monomial(exponents, names):
    return "*".join(["%s^%d" % (name, e) if e > 1 else name for name, e in zip(names, exponents) if e > 0])


def polynomial(rng, support, names):
    terms = []
    for exponents in support:
        product = monomial(exponents, names)
        terms.append("%d%s" % (number(rng), "*" + product if product else ""))
    return "+".join("(%s)" % term if term.startswith("-") else term for term in terms)


def points(rng, n, count, degree):
    found = set()
    while len(found) < count:
        point = [0] * n
        for _ in range(rng.randint(0, degree)):
            point[rng.randrange(n)] += 1
        found.add(tuple(point))
    return sorted(found)


def linear(rng, names):
    return "+".join(["(%d)*%s" % (number(rng), name) for name in names] + ["(%d)" % number(rng)])


def names_of(n):
    return list("xyzuvw"[:n])


# ---- Shapes

def sparse(rng, k):
    names = names_of(rng.randint(2, 4))
    equations = [polynomial(rng, points(rng, len(names), rng.randint(2, 5), 4), names) for _ in names]
    return Shape("sparse%d" % k, names, equations)


def semimixed(rng, k):
    names = names_of(rng.randint(2, 4))
    support = points(rng, len(names), len(names) + rng.randint(1, 3), 3)
    other = points(rng, len(names), len(names) + 1, 3)
    equations = [polynomial(rng, support if i < len(names) - 1 or rng.random() < 0.5 else other, names)
                 for i in range(len(names))]
    return Shape("semimixed%d" % k, names, equations)


def zeros(rng, k):
    """Lotka-Volterra systems and their like: every coordinate may be zero."""
    names = names_of(rng.randint(2, 4))
    equations = []
    for name in names:
        power = "^2" if rng.random() < 0.2 else ""
        equations.append("%s%s*(%s)" % (name, power, linear(rng, rng.sample(names, rng.randint(1, len(names))))))
    return Shape("zeros%d" % k, names, equations)


def multiple(rng, k):
    """Roots of multiplicity above 1: squares of linear forms, and lowest terms of higher degree at a point."""
    names = names_of(2 if rng.random() < 0.6 else 3)
    shift = {name: rng.randint(-2, 2) for name in names}
    moved = ["(%s-(%d))" % (name, shift[name]) for name in names]
    equations = []
    for i in range(len(names)):
        if rng.random() < 0.5:
            equations.append("(%s)^2*(%s)" % (linear(rng, names), linear(rng, names)) if i == 0 else
                             "(%s)*(%s)" % (linear(rng, names), linear(rng, names)))
        else:
            low = rng.randint(1, 2)
            support = [p for p in points(rng, len(names), 5, 3) if low <= sum(p)]
            equations.append(polynomial(rng, support or [tuple([low] + [0] * (len(names) - 1))], moved))
    return Shape("multiple%d" % k, names, equations)


def mechanism(rng, k):
    """Planar chains: points at given distances from each other and from points of the frame."""
    joints = rng.randint(1, 2)
    names = names_of(2 * joints)
    spots = [(names[2 * i], names[2 * i + 1]) for i in range(joints)]
    def distance(a, b):
        return "(%s-(%s))^2+(%s-(%s))^2-%d" % (a[0], b[0], a[1], b[1], rng.randint(2, 30))
    def fixed():
        return str(rng.randint(-5, 5)), str(rng.randint(-5, 5))
    equations = []
    for i, spot in enumerate(spots):
        equations.append(distance(spot, fixed()))
        equations.append(distance(spot, spots[i + 1] if i + 1 < joints else fixed()))
    return Shape("mechanism%d" % k, names, equations)


def chemistry(rng, k):
    """Mass-action equilibria: binomials, and laws of conservation."""
    names = names_of(rng.randint(3, 5))
    laws = rng.randint(1, 2)
    equations = []
    for _ in range(len(names) - laws):
        left, right = rng.sample(points(rng, len(names), 6, 2), 2)
        equations.append(polynomial(rng, [left, right], names))
    equations += ["+".join("%d*%s" % (rng.randint(1, 3), name) for name in names) + "-%d" % rng.randint(1, 20) for _ in range(laws)]
    return Shape("chemistry%d" % k, names, equations)


def overdetermined(rng, k):
    """Minors of a matrix of linear forms; or a system and multiples of its equations by further ones."""
    names = names_of(2)
    if rng.random() < 0.5:
        m = rng.randint(3, 4)
        rows = [[linear(rng, names) for _ in range(m)] for _ in range(m - 1)]

        def minor(columns, row=0):
            if row == len(rows):
                return "1"
            terms = []
            for i, c in enumerate(columns):
                terms.append("%s(%s)*(%s)" % ("-" if i % 2 else "+", rows[row][c], minor(columns[:i] + columns[i + 1:], row + 1)))
            return "".join(terms).lstrip("+")
        return Shape("minors%d" % k, names, [minor([c for c in range(m) if c != left]) for left in range(m)])
    a, b = linear(rng, names), linear(rng, names)
    f = polynomial(rng, points(rng, 2, 4, 2), names)
    return Shape("overdetermined%d" % k, names, ["(%s)*(%s)" % (a, b), "(%s)*(%s)" % (f, a),
                                                "(%s)*(%s)" % (f, linear(rng, names))])


def curve(rng, k):
    """A hypersurface of solutions, and points beside it."""
    names = names_of(rng.randint(2, 3))
    away = linear(rng, names) if rng.random() < 0.6 else polynomial(rng, points(rng, len(names), 3, 2), names)
    equations = ["(%s)*(%s)" % (away, polynomial(rng, [(0,) * len(names)] + points(rng, len(names), 3, 2)[1:], names))
                 for _ in names]
    return Shape("curve%d" % k, names, equations, away)


SHAPES = (sparse, semimixed, zeros, multiple, mechanism, chemistry, overdetermined, curve)


def chandra(n):
    names = ["h%d" % (i + 1) for i in range(n)]
    c = "0.51234"
    return Shape("chandra%d" % n, names, [
        "%d*%s-%s*%s*(%s)-%d" % (2 * n, h, c, h, "1+" + "+".join(
            "(%d/%d)*%s" % (i + 1, i + j + 2, g) for j, g in enumerate(names[:-1])), 2 * n) for i, h in enumerate(names)])


def families():
    yield Shape("caprasse", list("xyzt"), [
        "y^2*z+2*x*y*t-2*x-z", "-x^3*z+4*x*y^2*z+4*x^2*y*t+2*y^3*t+4*x^2-10*y^2+4*x*z-10*y*t+2",
        "2*y*z*t+x*t^2-x-2*z", "-x*z^3+4*y*z^2*t+4*x*z*t^2+2*y*t^3+4*x*z+4*z^2-10*y*t-10*t^2+2"])
    yield Shape("conform1", list("xyz"), ["-9-y^2-z^2-3*y^2*z^2+8*y*z", "-9-z^2-x^2-3*z^2*x^2+8*z*x", "-9-x^2-y^2-3*x^2*y^2+8*x*y"])
    yield Shape("trivial", list("xy"), ["x^2", "y^3"])
    yield Shape("cusp", list("xy"), ["y^2-x^3", "y-x^2*y+x^5"])
    yield Shape("tangent", list("xy"), ["x^2+y^2-1", "y-1"])
    yield Shape("ojika1", list("xy"), ["x^2+y-3", "x+(1/8)*y^2-(3/2)"])
    yield Shape("ojika2", list("xyz"), ["x^2+y+z-1", "x+y^2+z-1", "x+y+z^2-1"])
    yield Shape("cbms1", list("xyz"), ["x^3-y*z", "y^3-x*z", "z^3-x*y"])
    yield Shape("cbms2", list("xyz"), ["x^3-3*x^2*y+3*x*y^2-y^3-z^2", "z^3-3*z^2*x+3*z*x^2-x^3-y^2", "y^3-3*y^2*z+3*y*z^2-z^3-x^2"])
    for n in (3, 4, 5):
        yield chandra(n)


# ---- Exact counts

def count(singular, shape, most_seconds):
    lines = ['LIB "primdec.lib";', "ring r=%d,(%s),dp;" % (PRIME, ",".join(shape.unknowns)), "ideal i=%s;" % ",".join(
        "(%s)" % equation for equation in shape.equations), "option(redSB);"]
    if shape.away:
        lines += ["ideal s=i;", "i=sat(i,ideal(%s))[1];" % shape.away]
    lines += ["ideal g=std(i);", "print(dim(g));", "print(vdim(g));", "if (dim(g)==0) { print(vdim(std(radical(g)))); }", "quit;"]
    try:
        done = subprocess.run([singular, "-q", "--no-rc"], input="\n".join(lines), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, timeout=most_seconds)
    except subprocess.TimeoutExpired:
        return None
    values = [int(line) for line in done.stdout.split() if line.lstrip("-").isdigit()]
    return values if len(values) >= 2 else None


def exact(text):
    """Decimals and quotients as Singular reads them."""
    return re.sub(r"(\d+)\.(\d+)", lambda m: "(%s/%d)" % (int(m.group(1) + m.group(2)), 10 ** len(m.group(2))), text)


def write(shape, folder):
    shape.path = os.path.join(folder, shape.name + ".phc")
    with open(shape.path, "w", encoding="utf-8") as file:
        file.write("%d %d\n" % (len(shape.equations), len(shape.unknowns)))
        file.writelines(" %s;\n" % equation for equation in shape.equations)


def judge(plumb, singular, shape, seeds, most_seconds):
    """Lines about one system, and the number of violations; None if Singular cannot count its roots."""
    counted = count(singular, Shape(shape.name, shape.unknowns, [exact(e) for e in shape.equations],
                                    exact(shape.away) if shape.away else None), most_seconds)
    if counted is None or counted[0] > 0:
        return None
    dimension, roots = counted[0], counted[1]
    shape.roots, shape.distinct = (0, 0) if dimension < 0 else (roots, counted[2])
    lines, violations = [], 0
    for seed in range(1, seeds + 1):
        found, answer, status = run_plumb(plumb, shape.path, seed, most_seconds, ["--no-certify"])
        if answer is not None:
            squared = len(shape.equations) > len(shape.unknowns) and any(s["multiplicity"] > 1 for s in answer["solutions"])
            expected, shape.roots = shape.roots, None if squared else shape.roots  # larger for random combinations
            wrong, found["residual"] = check_answer(shape, answer, status)
            shape.roots = expected
            if shape.away and answer["paths"]["not_isolated"] == 0 and answer["paths"]["total"] > shape.roots:
                wrong.append("no path ended on the curve")
            found["wrong"] += wrong
        violations += bool(found["wrong"])
        lines.append(describe(shape, seed, found))
    return lines, violations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--count", type=int, default=20, help="how many systems of each shape")
    parser.add_argument("--seed", type=int, default=1, help="seed of the systems")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds each system is solved with")
    parser.add_argument("--most-seconds", type=float, default=60, help="limit of each run")
    parser.add_argument("--jobs", type=int, default=1, help="how many systems at a time")
    parser.add_argument("--only", help="only this shape, or family")
    parser.add_argument("--keep", help="folder in which systems with violations are left")
    options = parser.parse_args()
    singular = shutil.which("Singular")
    if not singular:
        sys.exit(77)
    shapes = list(families()) if options.only in (None, "families") else []
    for make in SHAPES:
        if options.only in (None, make.__name__):
            shapes += [make(random.Random("%s %d %d" % (make.__name__, options.seed, k)), k) for k in range(options.count)]
    systems = runs = violations = 0
    with tempfile.TemporaryDirectory(prefix="plumb-shapes-") as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        shapes = [shape for shape in shapes if all(any(name in text for text in shape.equations) for name in shape.unknowns)]
        for shape in shapes:
            write(shape, folder)
        tasks = [pool.submit(judge, os.path.abspath(options.plumb), singular, shape, options.seeds, options.most_seconds)
                 for shape in shapes]
        for shape, task in zip(shapes, tasks):
            if task.result() is None:
                continue
            lines, wrong = task.result()
            systems, runs, violations = systems + 1, runs + len(lines), violations + wrong
            for line in lines:
                if line.startswith("VIOLATION"):
                    print(line, flush=True)
            if wrong and options.keep:
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(shape.path, options.keep)
    print("systems: %d of %d that were made, runs: %d, violations: %d" % (systems, len(shapes), runs, violations))
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
