#!/usr/bin/env python3
"""members.py PLUMB [COUNT [SEED]] - plumb member on points whose place is known exactly.

COUNT points (default 300) are spread over systems whose components have rational parametrisations: generic and special points of them,
the same moved by 1e-6 to 1e-14, and points of one component that are so near to another. Fractions decide what is true. Then everything
once more with a tolerance of 1e-20, where points have errors of up to 1e-21. No answer may be wrong, and at most 1% undecided."""

import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction as Q


def sphere(t, u):
    d = 1 + t * t + u * u
    return [2 * t / d, 2 * u / d, (d - 2) / d]


def lemniscate(t):
    return [(t + t**3) / (1 + t**4), (t - t**3) / (1 + t**4)]


def small(r):
    return Q(r.choice([-1, 1]) * r.randint(1, 9), 1) * Q(1, 10 ** r.randint(6, 14))


def number(r):
    return Q(r.randint(-40, 40), r.randint(1, 15))


def nonzero(r):
    return number(r) or Q(1)


# System, unknowns, components: (equations that vanish on it alone, as functions; points). A point function takes a random generator.
E8 = Q(1, 10**8)
E14 = Q(1, 10**14)
CASES = [
    ("(y-x^2)*(x^2+y^2+z^2-1)*(x-0.5);(z-x^3)*(x^2+y^2+z^2-1)*(y-0.5);(y-x^2)*(z-x^3)*(x^2+y^2+z^2-1)*(z-0.5)", "xyz", [
        (2, lambda x, y, z: [x * x + y * y + z * z - 1], lambda r: sphere(number(r), number(r))),
        (3, lambda x, y, z: [y - x * x, z - x**3], lambda r: (lambda t: [t, t * t, t**3])(r.choice([number(r), Q(1, 2), Q(0)]))),
        (1, lambda x, y, z: [x - Q(1, 2), z - Q(1, 8)], lambda r: [Q(1, 2), r.choice([number(r), Q(1, 4) + small(r)]), Q(1, 8)])]),
    ("x^2-y^2*z", "xyz", [
        (3, lambda x, y, z: [x * x - y * y * z], lambda r: (lambda u, v: [u * v, v, u * u])(number(r), r.choice([number(r), Q(0)])))]),
    ("z*(x^2+y^2)-x^3", "xyz", [
        (3, lambda x, y, z: [z * (x * x + y * y) - x**3],
         lambda r: (lambda x, y: [x, y, x**3 / (x * x + y * y)])(nonzero(r), number(r)))]),
    ("(y-x^2)^2*(x+y);(y-x^2)^3", "xy", [(2, lambda x, y: [y - x * x], lambda r: (lambda t: [t, t * t])(number(r)))]),
    ("(y-x^2)^2*(x+y)", "xy", [
        (2, lambda x, y: [y - x * x], lambda r: (lambda t: [t, t * t])(r.choice([number(r), Q(0), Q(-1), -1 + small(r)]))),
        (1, lambda x, y: [x + y], lambda r: (lambda t: [t, -t])(r.choice([number(r), -1 + small(r)])))]),
    ("y-x^2;z-x^3;x*z-y^2", "xyz", [(3, lambda x, y, z: [y - x * x, z - x**3], lambda r: (lambda t: [t, t * t, t**3])(number(r)))]),
    ("y^2-x^3", "xy", [(3, lambda x, y: [y * y - x**3], lambda r: (lambda t: [t * t, t**3])(r.choice([number(r), number(r), Q(0)])))]),
    ("y^2-x^2*(x+1)", "xy", [(3, lambda x, y: [y * y - x * x * (x + 1)],
                              lambda r: (lambda t: [t * t - 1, t * (t * t - 1)])(r.choice([number(r), number(r), Q(1)])))]),
    ("(x^2+y^2)^2-x^2+y^2", "xy", [(4, lambda x, y: [(x * x + y * y)**2 - x * x + y * y],
                                    lambda r: lemniscate(r.choice([number(r), number(r), Q(0)])))]),
    ("(x-y)*(x-y-1e-8)*(x-y-1e-8-1e-14)", "xy", [
        (1, lambda x, y: [x - y], lambda r: (lambda t: [t, t])(number(r))),
        (1, lambda x, y: [x - y - E8], lambda r: (lambda t: [t + E8, t])(number(r))),
        (1, lambda x, y: [x - y - E8 - E14], lambda r: (lambda t: [t + E8 + E14, t])(number(r)))]),
    ("(x^2+y^2-1)*(x^2+y^2-1-1e-8*x)", "xy", [
        (2, lambda x, y: [x * x + y * y - 1],
         lambda r: (lambda t: [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)])(Q(1) if r.random() < 0.02 else number(r))),
        (2, lambda x, y: [x * x + y * y - 1 - E8 * x], 
         lambda r: (lambda m: [(E8 - 2 * m) / (1 + m * m), 1 + m * (E8 - 2 * m) / (1 + m * m)])(number(r)))]),
    ("a*d-b*c;c*f-d*e", "abcdef", [
        (1, lambda a, b, c, d, e, f: [c, d], lambda r: [number(r), number(r), Q(0), Q(0), number(r), number(r)]),
        (3, lambda a, b, c, d, e, f: [a * d - b * c, c * f - d * e, a * f - b * e],
         lambda r: (lambda u, v, w, s, t: [u * s, u * t, v * s, v * t, w * s, w * t])(
             number(r), r.choice([number(r), small(r)]), number(r), number(r), number(r)))]),
    ("a+b+c+d;a*b+b*c+c*d+d*a;a*b*c+b*c*d+c*d*a+d*a*b;a*b*c*d-1", "abcd", [
        (2, lambda a, b, c, d: [a + c, b + d, a * b - 1], lambda r: (lambda t: [t, 1 / t, -t, -1 / t])(nonzero(r))),
        (2, lambda a, b, c, d: [a + c, b + d, a * b + 1], lambda r: (lambda t: [t, -1 / t, -t, 1 / t])(nonzero(r)))]),
    ("(x^2+y^2-z)*(x-1)*(y+2);(x^2+y^2-z)*(y-3)*(x+z)", "xyz", [
        (2, lambda x, y, z: [x * x + y * y - z], lambda r: (lambda x, y: [x, y, x * x + y * y])(number(r), number(r))),
        (1, lambda x, y, z: [x - 1, y - 3], lambda r: [Q(1), Q(3), r.choice([number(r), 10 + small(r)])]),
        (1, lambda x, y, z: [x - 1, x + z], lambda r: [Q(1), number(r), Q(-1)]),
        (1, lambda x, y, z: [y + 2, x + z], lambda r: (lambda t: [t, Q(-2), -t])(number(r)))]),
]


def run(plumb, *words):
    done = subprocess.run([plumb, *words], capture_output=True, text=True)
    if done.returncode not in (0, 1) or (done.stderr and done.returncode == 1 and words[0] == "decompose"):
        sys.exit(f"plumb {' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def match(components, names, parts):
    """The number of each part in the file: the component whose witness points its equations vanish at."""
    order = [components["unknowns"].index(n) for n in names]
    numbers = []
    for degree, equations, _ in parts:
        for k, c in enumerate(components["components"]):
            def vanishes(point):
                x = [Gauss(Q(point["x"][i][0]), Q(point["x"][i][1])) for i in order]
                return all(Gauss.of(v).size() < Q(1, 10**30) for v in equations(*x))
            if c["degree"] == degree and all(vanishes(p) for p in c["points"]) and k not in numbers:
                numbers.append(k)
                break
        else:
            sys.exit(f"no component fits part {len(numbers) + 1}")
    return numbers


class Gauss:
    """Complex numbers with rational parts."""

    def __init__(self, re, im=0):
        self.re, self.im = Q(re), Q(im)

    @staticmethod
    def of(v):
        return v if isinstance(v, Gauss) else Gauss(v)

    def __add__(self, o):
        o = Gauss.of(o)
        return Gauss(self.re + o.re, self.im + o.im)

    def __sub__(self, o):
        o = Gauss.of(o)
        return Gauss(self.re - o.re, self.im - o.im)

    def __mul__(self, o):
        o = Gauss.of(o)
        return Gauss(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __pow__(self, n):
        r = Gauss(1)
        for _ in range(n):
            r = r * self
        return r

    def __rmul__(self, o):
        return self * o

    def __neg__(self):
        return Gauss(-self.re, -self.im)

    def size(self):
        return max(abs(self.re), abs(self.im))


def main():
    plumb, count, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    r = random.Random(seed)
    wrong = undecided = asked = on = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (system, names, parts) in enumerate(CASES):
            file, points_file = os.path.join(folder, "c.json"), os.path.join(folder, "p.json")
            components = run(plumb, "decompose", *[w for e in system.split(";") for w in ("-e", e)], "--json", "-o", file,
                             "--seed", str(seed))
            numbers = match(components, names, parts)
            points, truths, doubtful = [], [], []
            for k in range((count + len(CASES) - 1) // len(CASES)):
                x = parts[k % len(parts)][2](r)
                if k // len(parts) % 2:
                    x[r.randrange(len(x))] += small(r)
                points.append(x)
                sizes = [max(abs(v) for v in equations(*x)) for _, equations, _ in parts]
                truths.append([size == 0 for size in sizes])
                doubtful.append([0 < size < Q(1, 10**15) for size in sizes])  # it may pass within the tolerance
            for tolerance in (0, 1e-20):
                moved = [[v + (Q(r.randint(-9, 9), 10**22) if tolerance else 0) for v in x] for x in points]
                with open(points_file, "w") as out:
                    json.dump({"unknowns": list(names), "solutions": [{"x": [[str(v), "0"] for v in x]} for x in moved]}, out)
                answer = run(plumb, "member", file, points_file, "--json", "--tol", str(tolerance), "--seed", str(seed))
                bad = open_ = 0
                for k, (truth, got) in enumerate(zip(truths, answer["members"])):
                    for part, number_of in enumerate(numbers):
                        said = got["of_components"][number_of]["member"]
                        if tolerance and doubtful[k][part]:
                            continue
                        asked += 1
                        on += truth[part]
                        if said == "undecided":
                            open_ += 1
                        elif (said == "on") != truth[part]:
                            bad += 1
                            print(f"WRONG: {system}, seed {seed}, part {part + 1}, tolerance {tolerance}: "
                                  f"{[str(v) for v in moved[k]]} is said to be {said}: {got}")
                wrong += bad
                undecided += open_
                print(f"{system[:50]:52} tol {tolerance:<6} {len(points)} points, {open_} undecided, {bad} wrong, "
                      f"{answer['seconds']:.2f} s", flush=True)
    print(f"seed {seed}: {asked} questions, {on} on, {asked - on} off; {wrong} wrong, {undecided} undecided")
    sys.exit(wrong > 0 or 100 * undecided > asked)


if __name__ == "__main__":
    main()
