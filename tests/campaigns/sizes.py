#!/usr/bin/env python3
"""sizes.py - plumb solve on systems whose solutions have sizes from 1e-20 to 1e20: are all of them found, to 15 digits of each unknown?

    sizes.py --plumb build/plumb --count 1000 --seed 1

The systems have 1 to 6 unknowns and coefficients that are exact. There are six kinds; the complete lists of solutions of the first
five are known exactly:

    scaled       moderate solutions in other units, one for each unknown
    grid         products of x_k - a over some a for each unknown; the equations are combined in every second system
    products     each equation is a product of sparse linear forms
    binomials    each equation is a product of binomials
    triangular   products of x_k - (c x_(k-1) + d) and of x_k x_(k-1) - c
                 (the equations of the last three are combined in some systems: there are more paths than solutions then)
    sparse       random trinomials; there are as many solutions as their mixed volume, and all must be certified

A solution is found if each of its unknowns is there to 15 digits, relative to its own size. An answer is wrong if it is not complete, or has
a point that is not a solution, although the status is 0; it is missed if the status is not 0. Each such line has the command that repeats it.
The exit status is 1 if an answer was wrong or missed."""

import argparse
import itertools
import json
import math
import random
import shlex
import subprocess
import sys
import time
from fractions import Fraction

from exact import Gauss, Poly, Redraw, solve_linear

MOST_SOLUTIONS = 64
DIGITS = Fraction(1, 10 ** 15)


class System:
    def __init__(self, kind, polys, points):
        self.kind, self.polys, self.points, self.n = kind, polys, points, polys[0].n
        self.names = ["x%d" % (k + 1) for k in range(self.n)]
        if points is None:
            return
        if not 0 < len(points) <= MOST_SOLUTIONS or len(set(points)) < len(points):
            raise Redraw
        for point in points:
            if not all(c and 10 ** -20 <= abs(c) <= 10 ** 20 for c in point):
                raise Redraw
            if any(poly.at([Gauss(c) for c in point]) for poly in polys):
                raise AssertionError("%s: a point is not a solution" % kind)

    def equations(self):
        return [poly.text(self.names) for poly in self.polys]


# ---- Random pieces

def digit(rng):
    return Fraction(rng.choice((-1, 1)) * rng.randint(1, 99), rng.choice((1, 1, 2, 3, 7, 10)))


def size(rng, most=18):
    return digit(rng) * Fraction(10) ** rng.randint(-most, most)


def unknowns(n):
    return [Poly.unknown(n, k) for k in range(n)]


def product(factors):
    factors = list(factors)
    return math.prod(factors[1:], start=factors[0])


def combined(rng, polys):
    """Integer combinations with an inverse."""
    n = len(polys)
    while True:
        rows = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(n)]
        if solve_linear([[Fraction(c) for c in row] for row in rows], [Fraction(0)] * n)[1] == 0:
            return [sum((poly * c for poly, c in zip(polys, row)), Poly.constant(n, 0)) for row in rows]


def degrees(rng, n, most=3):
    """Degrees of the equations, with at most so many solutions."""
    while True:
        d = [rng.randint(1, most) for _ in range(n)]
        if math.prod(d) <= MOST_SOLUTIONS:
            return d


# ---- The kinds

def scaled(rng, n):
    columns = [list({digit(rng) for _ in range(d)}) for d in degrees(rng, n)]
    polys = [product(x - a for a in column) for x, column in zip(unknowns(n), columns)]
    if n > 1 and rng.random() < 0.5:
        polys = combined(rng, polys)
    units = [Fraction(10) ** rng.randint(-18, 18) for _ in range(n)]
    polys = [poly.at([x * (1 / u) for x, u in zip(unknowns(n), units)]) for poly in polys]
    polys = [poly * Fraction(10) ** rng.randint(-20, 20) for poly in polys]
    return System("scaled", polys, [tuple(c * u for c, u in zip(point, units)) for point in itertools.product(*columns)])


def grid(rng, n):
    columns = [[size(rng) for _ in range(d)] for d in degrees(rng, n)]
    polys = [product(x - a for a in column) for x, column in zip(unknowns(n), columns)]
    if rng.random() < 0.5:
        polys = combined(rng, polys)
    return System("grid", polys, list(itertools.product(*columns)))


def products(rng, n):
    """Linear forms in two or three unknowns, with a constant; each choice of one from each equation has one solution."""
    forms = []
    for d in degrees(rng, n):
        forms.append([])
        for _ in range(d):
            chosen = rng.sample(range(n), min(n, rng.randint(1, 3)))
            forms[-1].append(([size(rng, 8) if k in chosen else Fraction(0) for k in range(n)], size(rng, 8)))
    points = []
    for choice in itertools.product(*forms):
        solved = solve_linear([row for row, _ in choice], [-b for _, b in choice])
        if solved is None:
            continue
        if solved[1]:
            raise Redraw
        points.append(tuple(solved[0]))
    polys = [product(Poly.linear(row, b) for row, b in equation) for equation in forms]
    return System("products", combined(rng, polys) if rng.random() < 0.3 else polys, points)


def binomials(rng, n):
    """x_k = c times a product of powers of the unknowns before it, in some order."""
    order = rng.sample(range(n), n)
    x = unknowns(n)
    choices = []
    for place, k in enumerate(order):
        choices.append([])
        for _ in range(rng.randint(1, 2 if n > 2 else 3)):
            powers = {j: rng.choice((-1, 1, 1)) for j in rng.sample(order[:place], min(place, rng.randint(0, 2)))}
            choices[-1].append((k, powers, size(rng, 9)))
    points = []
    for choice in itertools.product(*choices):
        point = [Fraction(0)] * n
        for k, powers, c in choice:
            point[k] = c * math.prod((point[j] ** e for j, e in powers.items()), start=Fraction(1))
        points.append(tuple(point))
    polys = []
    for equation in choices:
        factors = []
        for k, powers, c in equation:
            left, right = x[k], Poly.constant(n, c)
            for j, e in powers.items():
                left, right = (left, right * x[j]) if e > 0 else (left * x[j], right)
            factors.append(left - right)
        polys.append(product(factors))
    return System("binomials", combined(rng, polys) if rng.random() < 0.3 else polys, points)


def triangular(rng, n):
    x = unknowns(n)
    polys, points = [], [()]
    for k, d in enumerate(degrees(rng, n)):
        factors, after = [], []
        for _ in range(d):
            c, a = size(rng, 9), size(rng, 9)
            if k == 0:
                factors.append((x[0] - a, lambda p, a=a: a))
            elif rng.random() < 0.5:
                factors.append((x[k] - x[k - 1] * c - a, lambda p, a=a, c=c: p[-1] * c + a))
            else:
                factors.append((x[k] * x[k - 1] - c, lambda p, c=c: c / p[-1]))
        for point in points:
            after += [point + (value(point),) for _, value in factors]
        points = after
        polys.append(product(factor for factor, _ in factors))
    return System("triangular", combined(rng, polys) if rng.random() < 0.3 else polys, points)


def sparse(rng, n):
    polys = []
    for _ in range(n):
        terms = {(0,) * n: Gauss(size(rng, 6))}
        while len(terms) < 3:
            terms[tuple(rng.choice((0, 0, 1, 1, 2)) for _ in range(n))] = Gauss(size(rng, 6))
        polys.append(Poly(n, terms))
    if any(not any(key[k] for poly in polys for key in poly.terms) for k in range(n)):
        raise Redraw
    return System("sparse", polys, None)


KINDS = (scaled, grid, products, binomials, triangular, sparse)


def make(seed, number, plumb):
    for turn in itertools.count():
        rng = random.Random("%d %d %d" % (seed, number, turn))
        try:
            system = KINDS[number % len(KINDS)](rng, 1 + number // len(KINDS) % 6)
        except Redraw:
            continue
        system.count = len(system.points) if system.points else mixed_volume(system, plumb)
        if 0 < system.count <= MOST_SOLUTIONS:
            return system


def mixed_volume(system, plumb):
    done = subprocess.run([plumb, "system", "show", "--mixed-volume", "--json"] + options_of(system), capture_output=True, check=True)
    return json.loads(done.stdout)["stable_mixed_volume"]


def options_of(system):
    return [word for equation in system.equations() for word in ("-e", equation)]


# ---- Answers

def agrees(x, point):
    return all(max(abs(z.re - c), abs(z.im)) <= abs(c) * DIGITS for z, c in zip(x, point))


def residual(poly, x):
    sizes = [abs(c.re) + abs(c.im) for c in x]
    value = poly.at(x)
    return (abs(value.re) + abs(value.im)) / poly.size_at(sizes)


def judge(system, answer):
    """What is wrong with an answer; None: nothing."""
    place = [answer["unknowns"].index(name) for name in system.names]
    found = [[Gauss(*solution["x"][k]) for k in place] for solution in answer["solutions"]]
    if system.points is None:
        close = all(residual(poly, x) <= Fraction(1, 10 ** 14) for x in found for poly in system.polys)
        if not close:
            return "a point is not a solution"
        if len(found) != system.count:
            return "%d solutions of %d" % (len(found), system.count)
        certified = sum(solution.get("certificate") is not None for solution in answer["solutions"])
        return None if certified == len(found) else "%d of %d are certified" % (certified, len(found))
    missing = [point for point in system.points if not any(agrees(x, point) for x in found)]
    more = [x for x in found if not any(agrees(x, point) for point in system.points)]
    if missing:
        return "%d of %d solutions are missing, such as %s" % (len(missing), len(system.points), ["%.3g" % c for c in missing[0]])
    return "%d points are no solutions" % len(more) if more else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default="build/plumb")
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="systems (default 1000)")
    parser.add_argument("--first", type=int, default=0, metavar="K", help="number of the first system (default 0)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-seconds", type=float, default=120.0, metavar="S", help="limit per system (default 120)")
    parser.add_argument("--only", metavar="KIND", help="systems of this kind only")
    options = parser.parse_args()
    counts = {kind.__name__: [0, 0, 0, 0.0] for kind in KINDS}
    slowest = (0.0, None)
    for number in range(options.first, options.first + options.count):
        kind = KINDS[number % len(KINDS)].__name__
        if options.only and options.only != kind:
            continue
        system = make(options.seed, number, options.plumb)
        words = [options.plumb, "solve"] + options_of(system)
        began = time.monotonic()
        try:
            done = subprocess.run(words + ["--json"], capture_output=True, check=False, timeout=options.most_seconds)
            status, answer = done.returncode, json.loads(done.stdout) if done.returncode in (0, 1) else None
        except subprocess.TimeoutExpired:
            status, answer = None, None
        seconds = time.monotonic() - began
        wrong = judge(system, answer) if answer else "status %s" % status
        tally = counts[kind]
        tally[0] += 1
        tally[3] += seconds
        slowest = max(slowest, (seconds, number))
        if wrong or status != 0:
            tally[1 if status == 0 else 2] += 1
            print("%s %d (seed %d): %s: %s (status %s, %.1f s): %s" % ("WRONG" if status == 0 else "missed", number, options.seed, kind,
                  wrong, status, seconds, " ".join(shlex.quote(word) for word in words)), flush=True)
    print("seed %d" % options.seed)
    for kind, (systems, wrong, missed, seconds) in counts.items():
        if systems:
            print("%-10s %5d systems, %d wrong, %d missed, %.3f s per system" % (kind, systems, wrong, missed, seconds / systems))
    print("slowest: number %s, %.1f s" % (slowest[1], slowest[0]))
    return any(wrong or missed for _, wrong, missed, _ in counts.values())


if __name__ == "__main__":
    sys.exit(main())
