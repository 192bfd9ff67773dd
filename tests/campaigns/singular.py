#!/usr/bin/env python3
"""singular.py - plumb solve on systems with singular solutions whose multiplicities are known: A-D-E singularities and others.

    singular.py --plumb build/plumb --count 100 --seeds 2

The systems vanish at points whose local rings are known by their normal forms, in coordinates that are adapted to nothing:

    ADE      the gradients of x^(k+1) + y^2 (A), x^2*y + y^(k-1) (D), x^3 + y^4, x^3 + x*y^3, x^3 + y^5 (E6, E7, E8), with squares of
             further unknowns, and with a higher term that makes another solution; their multiplicities are k
    curves   y^a - x^b and y^c - x^d, which meet min(a*d, b*c) times at the origin, and once at |a*d - b*c| other points
    cones    forms of degrees a, b and c, which have multiplicity a*b*c
    web      x^3 - y*z, y^3 - z*w, z^3 - x*w, w^3 - x*y and x_i^4 - the product of the others, with 30 and 131 at the origin

These are composed with coordinate changes: translations, linear ones, x -> x + c*y^2, and coverings x -> x^2 - 2, which move the
singular point to several irrational ones. Every answer is judged as those of answers.py are. The exit status is 1 if one
was wrong, or if more than --most-undecided percent of them are undecided."""

import argparse
import json
import multiprocessing
import os
import random
import shlex
import sys
import time
from fractions import Fraction

from answers import Failure, Judge, Program
from exact import Gauss, Poly, Redraw, solve_linear, square_root
from planted import Point, Problem, invertible, number, unknowns, value

MOST_DEGREE = 40    # of an equation
MOST_ROOTS = 700    # the product of degrees


# ---- Normal forms: polynomials, and their zeros with multiplicities

def gradient(f):
    return [f.derivative(k) for k in range(f.n)]


def ade(rng, most):
    """A gradient. Its zeros: the origin and what a higher term makes."""
    n = rng.choice((2, 2, 3))
    x, y, *more = unknowns(n)
    kind = rng.choice("AADDE")
    k = {"A": rng.randint(2, most), "D": rng.randint(4, min(most, 15)), "E": rng.randint(6, 8)}[kind]
    c, other = 0, []
    if rng.random() < 0.5:
        c = value(rng)
    if kind == "A":
        f = x ** (k + 1) + y * y + c * x ** (k + 2)
        other = [((Fraction(-(k + 1)) / ((k + 2) * c), 0), 1)] if c else []
    elif kind == "D":
        f = x * x * y + y ** (k - 1) + c * y ** k
        other = [((0, Fraction(-(k - 1)) / (k * c)), 1)] if c else []
    elif k == 7:
        f = x ** 3 + x * y ** 3 + c * x ** 4
        other = [((Fraction(-3) / (4 * c), 0), 2)] if c else []
    else:
        power = 4 if k == 6 else 5
        f = x ** 3 + y ** power + c * y ** (power + 1)
        other = [((0, Fraction(-power) / ((power + 1) * c)), 2)] if c else []
    for z in more:
        f = f + z * z * number(rng, 3)
    zeros = [((0,) * n, k)] + [(tuple(p) + (0,) * (n - 2), m) for p, m in other]
    return "%s%d" % (kind, k), gradient(f), zeros


def curves(rng, most):
    """Two branches; only the origin, or pairs without others that are not rational, so that the zeros are few."""
    x, y = unknowns(2)
    a, b, c, d = (rng.randint(1, 6) for _ in range(4))
    low, high = sorted((a * d, b * c))
    if low < 2 or low > most or high - low not in (1, 2, 4):
        raise Redraw
    # y^a = x^b and y^c = x^d with neither zero: x and y are roots of unity whose order divides ad - bc.
    zeros = [((0, 0), low)]
    units = {1: [(1, 0)], 2: [(1, 0), (-1, 0)], 4: [(1, 0), (0, 1), (-1, 0), (0, -1)]}[high - low]
    for p in units:
        for q in units:
            u, v = Gauss(*p), Gauss(*q)
            if v ** a == u ** b and v ** c == u ** d:
                zeros.append(((u, v), 1))
    if len(zeros) != 1 + high - low:
        raise Redraw
    return "curves%d" % low, [y ** a - x ** b, y ** c - x ** d], zeros


def cones(rng, most):
    """Forms without a common zero but the origin: powers of independent linear forms, and multiples of the earlier ones."""
    n = rng.choice((2, 2, 3))
    degrees = sorted(rng.randint(1 if n == 3 else 2, 6) for _ in range(n))
    product = 1
    for degree in degrees:
        product *= degree
    if product < 4 or product > most:
        raise Redraw
    forms = []
    for x, degree in zip(unknowns(n), degrees):
        form = x ** degree
        for earlier in forms:
            rest = degree - earlier.degree()
            form = form + earlier * sum((t * number(rng, 3) for t in unknowns(n)), Poly.constant(n, 0)) ** rest
        forms.append(form)
    return "cone%d" % product, forms, [((0,) * n, product)]


NORMAL = {"ade": ade, "curves": curves, "cones": cones}


# ---- Changes of coordinates: the new equations, and the preimages of zeros

def translate(rng, n):
    """x -> x - p"""
    p = [value(rng) if rng.random() < 0.7 else Fraction(0) for _ in range(n)]
    return [x - c for x, c in zip(unknowns(n), p)], lambda z: [[a + c for a, c in zip(z, p)]]


def linear(rng, n):
    rows = invertible(rng, n)
    return [Poly.linear(row, 0) for row in rows], lambda z: [solve_linear([[Gauss(c) for c in row] for row in rows], [Gauss.of(c) for c in z])[0]]


def bend(rng, n):
    """x_i -> x_i + c x_j^2"""
    i, j = rng.sample(range(n), 2)
    c = number(rng, 2)
    x = unknowns(n)
    return ([x[k] + c * x[j] * x[j] if k == i else x[k] for k in range(n)],
            lambda z: [[z[k] - z[j] * z[j] * c if k == i else z[k] for k in range(n)]])


def cover(rng, n):
    """x_i -> x_i^2 - r, where r is no square: two preimages of each zero with x_i other than -r."""
    i, r = rng.randrange(n), rng.choice((2, 3, 5, -1, -2))
    x = unknowns(n)

    def preimages(z):
        square = Gauss.of(z[i]) + r
        if not square or square.im:
            raise Redraw
        root = square_root(abs(square.re)) * (Gauss(1) if square.re > 0 else Gauss(0, 1))
        return [[root * sign if k == i else z[k] for k in range(n)] for sign in (1, -1)]
    return [x[k] * x[k] - r if k == i else x[k] for k in range(n)], preimages


CHANGES = (("translate",), ("linear",), ("bend",), ("linear", "translate"), ("bend", "linear", "translate"), ("linear", "bend"),
           ("cover",), ("cover", "linear"), ("cover", "linear", "translate"), ("linear", "cover", "bend"), ("cover", "cover"))
CHANGE = {"translate": translate, "linear": linear, "bend": bend, "cover": cover}


def compose(rng, polys, zeros, names):
    """Equations and zeros after these changes. An automorphism also combines the equations by its Jacobian, as gradients are."""
    n = polys[0].n
    for name in names:
        inner, preimages = CHANGE[name](rng, n)
        polys = [poly.at(inner) for poly in polys]
        if name != "cover":
            polys = [sum((polys[e] * inner[e].derivative(k) for e in range(n)), Poly.constant(n, 0)) for k in range(n)]
        zeros = [(x, m) for z, m in zeros for x in preimages([Gauss.of(c) for c in z])]
        degrees = 1
        for poly in polys:
            degrees *= poly.degree()
        if max(poly.degree() for poly in polys) > MOST_DEGREE or degrees > MOST_ROOTS:
            raise Redraw
    return polys, zeros


def web(rng):
    """Monomial equations in four unknowns; only the multiplicities of their solutions are known."""
    n, x = 4, unknowns(4)
    if rng.random() < 0.5:
        polys, multiplicities = [x[0] ** 3 - x[1] * x[2], x[1] ** 3 - x[2] * x[3], x[2] ** 3 - x[0] * x[3], x[3] ** 3 - x[0] * x[1]], [30] + 51 * [1]
    else:
        polys, multiplicities = [], [131] + 125 * [1]
        for k in range(n):
            product = Poly.constant(n, 1)
            for j in range(n):
                product = product * (x[j] if j != k else 1)
            polys.append(x[k] ** 4 - product)
    made = Problem("web%d" % multiplicities[0], polys, None, counts=(sum(multiplicities), len(multiplicities), None))
    made.multiplicities = multiplicities
    return made


def problem(family, seed, k, most):
    rng = random.Random("singular %s %d %d" % (family, seed, k))
    if family == "web":
        return web(rng)
    while True:
        try:
            kind, polys, zeros = NORMAL[family](rng, most)
            names = rng.choice(CHANGES)
            polys, zeros = compose(rng, polys, zeros, names)
            return Problem(kind + " " + " ".join(names), polys, [Point(x, m) for x, m in zeros])
        except Redraw:
            continue


# ---- The campaign

def judge(made, answer):
    if made.points is not None:
        return Judge(made, answer).verdict()
    if answer["status"] == 1:
        return "undecided", []
    found = sorted((solution["multiplicity"] for solution in answer["solutions"]), reverse=True)
    return ("right", []) if found == made.multiplicities else ("wrong", ["the multiplicities are %s" % found])


def run(task):
    family, options, k, seed = task
    made = problem(family, options.seed, k, options.most_multiplicity)
    program = Program(options)
    began = time.monotonic()
    try:
        answer = program.solve(made, seed)
        verdict, wrong = judge(made, answer)
    except Failure as failure:
        verdict, wrong = "slow", [str(failure)]
    return {"family": family, "number": k, "kind": made.kind, "seed": seed, "verdict": verdict, "wrong": wrong,
            "seconds": round(time.monotonic() - began, 2), "command": " ".join(map(shlex.quote, program.command(made, seed)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    families = list(NORMAL) + ["web"]
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--family", action="append", choices=families, help="only this one; may be repeated")
    parser.add_argument("--count", type=int, default=30, help="how many systems of each family")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=1, help="seed of the systems")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds each system is solved with")
    parser.add_argument("--most-multiplicity", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=1, help="how many systems at a time")
    parser.add_argument("--most-seconds", type=float, default=120, help="limit of each run")
    parser.add_argument("--most-undecided", type=float, default=2, help="percent of the runs")
    parser.add_argument("--output", help="file to which each run is added, one JSON object per line")
    options = parser.parse_args()
    options.plumb = os.path.abspath(options.plumb)
    tasks = [(family, options, k, seed) for k in range(options.first, options.first + options.count)
             for family in options.family or families for seed in range(1, options.seeds + 1)]
    table, began = {}, time.monotonic()
    with multiprocessing.Pool(options.jobs) as pool:
        for line in pool.imap(run, tasks):
            row = table.setdefault(line["family"], {})
            row["runs"], row[line["verdict"]] = row.get("runs", 0) + 1, row.get(line["verdict"], 0) + 1
            row["slowest"] = max(row.get("slowest", 0), line["seconds"])
            if options.output:
                with open(options.output, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            if line["verdict"] != "right":
                print("%s: %s %d (%s), seed %d, %.2f s: %s\n    %s" % (line["verdict"], line["family"], line["number"], line["kind"], line["seed"],
                                                              line["seconds"], "; ".join(line["wrong"]), line["command"]), flush=True)
    columns = ("runs", "right", "clustered", "undecided", "slow", "wrong", "false", "slowest")
    print("%-10s" % "family" + "".join("%11s" % name for name in columns))
    for family, row in table.items():
        print("%-10s" % family + "".join("%11g" % row.get(name, 0) for name in columns))

    def total(*names):
        return sum(row.get(name, 0) for row in table.values() for name in names)

    print("%d runs in %.0f s" % (total("runs"), time.monotonic() - began))
    sys.exit(1 if total("wrong", "false") or 100 * total("clustered", "undecided", "slow") > options.most_undecided * total("runs") else 0)


if __name__ == "__main__":
    main()
