"""components.py - are the irreducible components of systems with known answers found?

    components.py --plumb build/plumb --seeds 10 --count 200
Each system is decomposed with the seeds 1 to --seeds; dimensions, degrees and multiplicities must be those that are known, and the exit
status 0. Without names: all systems that take less than about a minute. "planted": --count random systems with planted components.
"all": everything. --limit: seconds per run. --write: only write the systems, one file each, for other programs. One JSON object per
system.

An answer such as "2: 1 3*2; 0: 5" means: in dimension 2 components of degrees 1 and 3, the latter of multiplicity 2; 5 isolated
solutions. "~2" is a multiplicity that is shown as an upper bound. Each has a source: by construction, the literature, or Singular, run
for this list (minAssGTZ of primdec.lib).
"""

import argparse
import collections
import itertools
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

# ---- Systems -------------------------------------------------------------------------------------------------------------------

def adjacent_minors(n):
    return [f"a{i}*b{i + 1} - a{i + 1}*b{i}" for i in range(1, n)]


def components_of_adjacent_minors(n):
    """Diaconis, Eisenbud and Sturmfels (1998): for each set of inner columns without neighbours, which are zero, the 2 x 2 minors of
    each block between them; a block of m columns has degree m. All have dimension n + 1."""
    degrees = []
    for zero in itertools.product((0, 1), repeat=n - 2):
        if any(a and b for a, b in zip(zero, zero[1:])):
            continue
        degree = block = 1
        for is_zero in zero + (0,):
            if is_zero:
                degree, block = degree * block, 0
            else:
                block += 1
        degrees.append(degree * block)
    return f"{n + 1}: " + " ".join(map(str, sorted(degrees)))


def determinant(m):
    return " + ".join(f"{m[0][i]}*{m[1][j]}*{m[2][k]} - {m[0][i]}*{m[2][j]}*{m[1][k]}" for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))


def rank_two(rows, columns):
    x = [[f"x{i}{j}" for j in range(columns)] for i in range(rows)]
    return [determinant([[x[i][j] for j in some] for i in few]) for few in itertools.combinations(range(rows), 3)
            for some in itertools.combinations(range(columns), 3)]


def commuting(n):
    return [" + ".join(f"a{i}{k}*b{k}{j} - b{i}{k}*a{k}{j}" for k in range(n)) for i in range(n) for j in range(n)]


def cyclic(n):
    names = [f"x{i}" for i in range(n)]
    return [" + ".join("*".join(names[(i + j) % n] for j in range(d)) for i in range(n)) for d in range(1, n)] + ["*".join(names) + " - 1"]


def cross(a, b):
    return [f"(({a[i]})*({b[j]}) - ({a[j]})*({b[i]}))" for i, j in ((1, 2), (2, 0), (0, 1))]


def dot(a, b):
    return " + ".join(f"({x})*({y})" for x, y in zip(a, b))


def six_revolute(lengths):
    """A closed chain of six hinges, each at a right angle to the next, without offsets: directions z1 = (1,0,0), z2, ..., z5 and
    z6 = (0,1,0) of the hinges. A Bricard linkage if the squares of the lengths with odd and with even numbers add up to the same."""
    z = [["1", "0", "0"]] + [[f"{c}{i}" for c in "xyz"] for i in range(2, 6)] + [["0", "1", "0"]]
    links = [cross(z[i], z[(i + 1) % 6]) for i in range(6)]
    return [dot(z[i], z[i]) + " - 1" for i in range(1, 5)] + [dot(z[i], z[i + 1]) for i in range(5)] + \
        [" + ".join(f"{lengths[i]}*{links[i][c]}" for i in range(6)) for c in range(3)]


def seven_bar():
    """Two four-bar linkages that are Roberts cognates, joined at the point that both guide on the same curve."""
    a0, a1, a2, a3 = 4, 2, 5, 3
    equations = []
    for v, g in (("t", "(2+i)"), ("u", "(2-i)")):
        equations += [f"{a1}*{v}1 + {a2}*{v}2 - {a3}*{v}3 - {a0}", f"{a1}*{v}1 + {g}*{a2}*{v}2 - {g}*{a2}*{v}4 - {a1}*{v}5",
                      f"{a2}*{v}4 + {a1}*{v}5 - {a3}*{v}6 - {a0}"]
    return equations + [f"t{k}*u{k} - 1" for k in range(1, 7)]


def platform(base, top, squares):
    """A Stewart-Gough platform in Study's coordinates: a rotation e and g, with e*g = 0 and |g + e b - a e|^2 = L^2 |e|^2 for each leg
    from a to b, in the patch e0 + 2 e1 + 3 e2 + 5 e3 = 1."""
    e, g = [f"e{k}" for k in range(4)], [f"g{k}" for k in range(4)]

    def times(left, right):  # of quaternions with texts as entries
        def sum_of(*terms):
            return " + ".join(f"({s})*({left[i]})*({right[j]})" for s, i, j in terms)
        return [sum_of((1, 0, 0), (-1, 1, 1), (-1, 2, 2), (-1, 3, 3)), sum_of((1, 0, 1), (1, 1, 0), (1, 2, 3), (-1, 3, 2)),
                sum_of((1, 0, 2), (-1, 1, 3), (1, 2, 0), (1, 3, 1)), sum_of((1, 0, 3), (1, 1, 2), (-1, 2, 1), (1, 3, 0))]

    equations = [dot(e, g), "e0 + 2*e1 + 3*e2 + 5*e3 - 1"]
    for a, b, square in zip(base, top, squares):
        eb, ae = times(e, [0, *b]), times([0, *a], e)
        equations.append(" + ".join(f"({g[k]} + {eb[k]} - ({ae[k]}))^2" for k in range(4)) + f" - ({square})*({dot(e, e)})")
    return equations


def griffis_duffy(squares=None):
    """Both plates are equilateral triangles; each leg joins a vertex of one to the midpoint of a side of the other. Without squares of
    leg lengths those of a general pose: a rotation and a translation with rational entries."""
    v = [(2, 0, 0), (0, 2, 0), (0, 0, 2)]
    base = [p for k in range(3) for p in (v[k], tuple((x + y) // 2 for x, y in zip(v[k], v[(k + 1) % 3])))]
    top = base[1:] + base[:1]
    if squares is None:
        e, t = (3, 1, -2, 1), (Fraction(1, 2), Fraction(2, 3), Fraction(5, 4))
        squares = [sum((x - y + z) ** 2 for x, y, z in zip(t, a, rotated(e, b))) for a, b in zip(base, top)]
    return platform(base, top, squares)


def rotated(e, v):
    """The rotation by the quaternion e."""
    w, n = e[1:], sum(x * x for x in e)
    wv, ww = sum(x * y for x, y in zip(w, v)), sum(x * x for x in w)
    c = (w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0])
    return [Fraction((e[0] ** 2 - ww) * v[k] + 2 * wv * w[k] + 2 * e[0] * c[k], n) for k in range(3)]


def kuramoto(n):
    """Equal oscillators, all coupled, without a reference: s = sin, c = cos of the phases."""
    return [f"s{k}^2 + c{k}^2 - 1" for k in range(1, n + 1)] + \
        [" + ".join(f"s{i}*c{j} - c{i}*s{j}" for j in range(1, n + 1) if j != i) for i in range(1, n + 1)]


def cyclooctane():
    """Eight atoms with bonds of length 1 and squared distances 8/3 of next neighbours; atom 1 at the origin, atom 2 at (1, 0, 0), atom 3 in
    the plane z = 0."""
    p = [["0", "0", "0"], ["1", "0", "0"], ["x3", "y3", "0"]] + [[f"{c}{k}" for c in "xyz"] for k in range(4, 9)]

    def distance(i, j):
        return " + ".join(f"({a} - ({b}))^2" for a, b in zip(p[i], p[j]))
    return [distance(i, (i + 1) % 8) + " - 1" for i in range(1, 8)] + [distance(i, (i + 2) % 8) + " - 8/3" for i in range(8)]


# Two systems of PHCpack's collection.
BUTCHER = ["z*u + y*v + t*w - w^2 - 0.5*w - 0.5",
           "z*u^2 + y*v^2 - t*w^2 + w^3 + w^2 - 1/3*t + 4/3*w",
           "z*v*x - t*w^2 + w^3 - 0.5*t*w + w^2 - 1/6*t + 2/3*w",
           "z*u^3 + y*v^3 + t*w^3 - w^4 - 1.5*w^3 + t*w - 2.5*w^2 - 0.25*w - 0.25",
           "z*u*v*x + t*w^3 - w^4 + 0.5*t*w^2 - 1.5*w^3 + 0.5*t*w - 1.75*w^2 - 0.375*w - 0.125",
           "z*v^2*x + t*w^3 - w^4 + t*w^2 - 1.5*w^3 + 2/3*t*w - 7/6*w^2 - 1/12*w - 1/12",
           "- t*w^3 + w^4 - t*w^2 + 1.5*w^3 - 1/3*t*w + 13/12*w^2 + 7/24*w + 1/24"]
COHN2 = ["x^3*y^2 + 4*x^2*y^2*z - x^2*y*z^2 + 288*x^2*y^2 + 207*x^2*y*z + 1152*x*y^2*z + 156*x*y*z^2 + x*z^3 - 3456*x^2*y + 20736*x*y^2 + 19008*x*y*z + 432*x*z^2 + 82944*y^2*z - 497664*x*y + 62208*x*z + 2985984*x",
         "y^3*t^3 + 4*y^3*t^2 - y^2*z*t^2 + 4*y^2*t^3 - 48*y^2*t^2 - 5*y*z*t^2 + 108*y*z*t + z^2*t + 144*z*t - 1728*z",
         "- x^2*z^2*t + 4*x*z^2*t^2 + z^3*t^2 + x^3*z + 156*x^2*z*t + 207*x*z^2*t + 1152*x*z*t^2 + 288*z^2*t^2 + 432*x^2*z + 19008*x*z*t + 82944*x*t^2 - 3456*z^2*t + 20736*z*t^2 + 62208*x*z - 497664*z*t + 2985984*z",
         "y^3*t^3 - x*y^2*t^2 + 4*y^3*t^2 + 4*y^2*t^3 - 5*x*y^2*t - 48*y^2*t^2 + x^2*y + 108*x*y*t + 144*x*y - 1728*x"]
SPHERE = "(x^2+y^2+z^2-1)"
Case = collections.namedtuple("Case", "equations answer source arguments slow", defaults=([], False))
CASES = {
    "sommese": Case([f"(y-x^2)*{SPHERE}*(x-0.5)", f"(z-x^3)*{SPHERE}*(y-0.5)", f"(y-x^2)*(z-x^3)*{SPHERE}*(z-0.5)"],
                    "2: 2; 1: 1 1 1 3; 0: 1", "Sommese, Verschelde and Wampler 2001; by construction"),
    "whitney": Case(["x^2-y^2*z"], "2: 3", "by construction"),
    "cartan": Case(["z*(x^2+y^2)-x^3"], "2: 3", "by construction"),
    "double_line": Case(["(x-y)^2"], "1: 1*2", "by construction"),
    "meeting": Case(["(x^2+y^2-1)*(x-2*y)"], "1: 1 2", "by construction"),
    "near_lines": Case(["(x-y)*(x-y-1e-8)"], "1: 1 1", "by construction"),
    "near_conics": Case(["(x^2+y^2-1)*(x^2+y^2-1-1e-8*x)"], "1: 2 2", "by construction"),
    "empty": Case(["x^2+y^2-1", "x^2+y^2-2"], "", "by construction"),
    "whole": Case(["0*x+0*y"], "2: 1", "by construction"),
    "cyclic4": Case(cyclic(4), "1: 2 2", "Backelin 1989"),
    "cyclic8": Case(cyclic(8), "1: " + " ".join(["2"] * 8 + ["16"] * 8) + "; 0: 1152", "Bjorck and Froberg 1994; Sommese, Verschelde and Wampler 2001",
                    slow=True),
    "cyclic9": Case(cyclic(9), "2: 3 3 3 3 3 3; 0: 6156", "Faugere 2001: 6 surfaces of degree 3; 6,642 isolated solutions counted with multiplicity, "
                    "162 of them of multiplicity 4", slow=True),
    "rank2_3x4": Case(rank_two(3, 4), "10: 6", "Giambelli's formula"),
    "rank2_4x5": Case(rank_two(4, 5), "14: 50", "Giambelli's formula", ["--dimension", "14"], True),
    "commuting2": Case(commuting(2), "6: 3", "Motzkin and Taussky 1955: irreducible; degree by Macaulay"),
    "commuting3": Case(commuting(3), "12: 31", "Motzkin and Taussky 1955: irreducible; degree by Macaulay"),
    "bricard": Case(six_revolute([1, 2, 5, 3, 6, 7]), "1: 24", "Singular 4.3: minAssGTZ modulo 32003"),
    "six_revolute": Case(six_revolute([1, 2, 5, 3, 6, 8]), "0: 16", "Lee and Liang 1988: at most 16"),
    "seven_bar": Case(seven_bar(), "1: 6; 0: 6", "Singular 4.3: minAssGTZ over F_p with a square root of -1, p = 32009"),
    "griffis_duffy": Case(griffis_duffy(), "1: " + " ".join(["1"] * 12 + ["28"]), "Sommese, Verschelde and Wampler 2004"),
    "griffis_duffy_equal": Case(griffis_duffy([3] * 6), "1: " + " ".join(["1"] * 12 + ["4"] + ["6"] * 4), "Husty and Karger 2000; Sommese, Verschelde and Wampler 2004"),
    "butcher": Case(BUTCHER, "3: 1 1 1; 2: 1 1; 0: 5", "Singular 4.3: minAssGTZ over Q, 3 + 2 prime components and two of 2 and 3 points"),
    "cohn2": Case(COHN2, "2: 8; 1: 1*~2 1*~2; 0: 18", "dimension 2 by a Groebner basis; degrees and points are plumb's"),
    "kuramoto3": Case(kuramoto(3), "1: 2 2 2 2 2 2", "by hand: the phases are equal or opposite (4 circles), or cube roots of unity apart (2); Singular 4.3: minAssGTZ over Q"),
    "kuramoto4": Case(kuramoto(4), "2: 4 4 4; 1: 2 2 2 2 2", "by hand: two opposite pairs (3 surfaces), or three or four equal phases (5 circles); Singular 4.3: minAssGTZ modulo 32003"),
    "cyclooctane": Case(cyclooctane(), "2: 72 72 632 632", "degree 1408 in all: HomotopyContinuation.jl's example of the same 17 unknowns; a sphere and a Klein bottle "
                        "(Martin, Thompson, Coutsias and Watson 2010), each for both signs of y3; the four degrees are plumb's", slow=True),
    **{f"minors{n}": Case(adjacent_minors(n), components_of_adjacent_minors(n), "Diaconis, Eisenbud and Sturmfels 1998") for n in range(3, 10)},
}


# ---- Planted components ----------------------------------------------------------------------------------------------------------

def linear_change(r, names):
    """Unknowns as random linear forms in the same unknowns, with determinant 1 or -1: so that degrees stay."""
    n = len(names)
    rows = [[int(i == j) for j in range(n)] for i in range(n)]
    for _ in range(2 * n):
        i, j = r.sample(range(n), 2)
        f = r.choice((-1, 1, 2))
        rows[i] = [a + f * b for a, b in zip(rows[i], rows[j])]
    return ["(" + " + ".join(f"({c})*{name}" for c, name in zip(row, names) if c) + f" + ({r.randint(-3, 3)}))" for row in rows]


def form(r, u, degree):
    """A random polynomial with all terms up to the degree, which is irreducible for almost all coefficients, in 2 unknowns or more."""
    terms = [m for d in range(degree + 1) for m in itertools.combinations_with_replacement(u, d)]
    return "(" + " + ".join("*".join([f"({r.choice((-1, 1)) * r.randint(1, 9)})", *m]) for m in terms) + ")"


def planted(number):
    r = random.Random(number)
    kind = number % 5
    if kind == 0:  # a hypersurface, perhaps multiple, and complete intersections
        u = linear_change(r, ["x", "y", "z"])
        a, b, c, m = r.randint(1, 2), r.randint(1, 2), r.randint(1, 2), r.choice((1, 1, 2))
        s = form(r, u, a)
        return [f"{s}^{m}*{form(r, u, b)}", f"{s}^{m}*{form(r, u, c)}"], f"2: {a}{f'*~{m}' if m > 1 else ''}; 1: {b * c}"
    if kind == 1:  # a graph of polynomials over a line, and a surface
        u = linear_change(r, ["x", "y", "z"])
        p, q, s = r.randint(1, 3), r.randint(2, 4), r.randint(1, 2)

        def polynomial(degree):
            return " + ".join(f"({r.choice((-1, 1)) * r.randint(1, 5)})*{u[0]}^{d}" for d in range(degree + 1))
        surface = form(r, u, s)
        return [f"({u[1]} - ({polynomial(p)}))*{surface}", f"({u[2]} - ({polynomial(q)}))*{surface}"], f"2: {s}; 1: {max(p, q)}"
    if kind == 2:  # linear spaces
        u = linear_change(r, ["x", "y", "z", "w"])
        a, b = r.randint(1, 3), r.randint(1, 3)
        return ["*".join(form(r, u, 1) for _ in range(k)) for k in (a, b)], "2: " + " ".join(["1"] * (a * b))
    if kind == 3:  # 2 x 2 minors of a 2 x 3 matrix of linear forms, and a hyperplane
        u = linear_change(r, ["x", "y", "z", "w"])
        m = [[form(r, u, 1) for _ in range(3)] for _ in range(2)]
        plane = form(r, u, 1) if r.random() < 0.5 else None
        minors = [f"({m[0][i]}*{m[1][j]} - {m[0][j]}*{m[1][i]})" for i, j in ((0, 1), (0, 2), (1, 2))]
        return [f"{e}*{plane}" if plane else e for e in minors], ("3: 1; " if plane else "") + "2: 3"
    u = linear_change(r, ["x", "y"])  # curves in the plane, perhaps multiple, and points
    a, b, m = r.randint(1, 3), r.randint(1, 3), r.choice((1, 2, 3))
    points = r.choice((0, 1, 2))
    curve = f"{form(r, u, a)}^{m}"
    other = form(r, u, b)
    if points == 0:
        return [f"{curve}*{other}"], "1: " + " ".join(sorted([f"{a}{f'*{m}' if m > 1 else ''}", str(b)]))
    return [f"{curve}*{other}", f"{curve}*{form(r, u, points)}"], f"1: {a}{f'*~{m}' if m > 1 else ''}; 0: {b * points}"


# ---- The campaign ----------------------------------------------------------------------------------------------------------------

def normal(answer):
    """The same answer with sorted components."""
    return "; ".join(part.split(":")[0] + ": " + " ".join(sorted(part.split(":")[1].split(), key=lambda c: (int(c.split("*")[0]), c)))
                     for part in answer.split("; ") if part)


def describe(report):
    found = collections.defaultdict(list)
    for c in report["components"]:
        text = str(c["degree"])
        if c["multiplicity"] > 1:
            text += f"*{'~' if c['multiplicity_is_bound'] else ''}{c['multiplicity']}"
        found[c["dimension"]].append(text + ("" if c["state"] == "irreducible" else "?"))
    answer = "; ".join(f"{d}: " + " ".join(found[d]) for d in sorted(found, reverse=True))
    isolated = len(report.get("isolated") or [])
    return normal(answer + ("; " if answer and isolated else "") + (f"0: {isolated}" if isolated else ""))


def run_one(options, name, case, seed):
    command = [options.plumb, "decompose", *[w for e in case.equations for w in ("-e", e)], "--json", "--seed", str(seed), "--threads", "1", *case.arguments]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False)
    except subprocess.TimeoutExpired:
        return {"found": "", "paths": 0, "seconds": options.limit, "wrong": f"seed {seed}: no answer in {options.limit:.0f} s"}
    report = json.loads(done.stdout) if done.stdout else {"components": [], "dimensions": []}
    found = describe(report)
    wrong = None
    if done.returncode != 0:
        wrong = f"seed {seed}: status {done.returncode}: {done.stderr.strip()[:200]}: {found}"
    elif found != normal(case.answer):
        wrong = f"seed {seed}: {found}"
    return {"found": found, "paths": sum(d["paths"]["total"] for d in report["dimensions"]), "seconds": time.monotonic() - begin, "wrong": wrong}


def campaign(options, name, cases):
    """cases: (case, seed)."""
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda c: run_one(options, name, *c), cases))
    wrong = [r["wrong"] for r in results if r["wrong"]]
    times = sorted(r["seconds"] for r in results)
    print(json.dumps({"system": name, "expected": cases[0][0].answer if name != "planted" else None, "source": cases[0][0].source, "runs": len(results),
                      "right": len(results) - len(wrong), "wrong": wrong[:20], "paths": max(r["paths"] for r in results),
                      "seconds": [round(times[0], 2), round(times[len(times) // 2], 2), round(times[-1], 2)]}), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=3600)
    parser.add_argument("--write")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.plumb = os.path.abspath(options.plumb)
    names = options.names or [name for name in CASES if not CASES[name].slow] + ["planted"]
    if names == ["all"]:
        names = [*CASES, "planted"]
    good = True
    for name in names:
        if name == "planted":
            systems = [(Case(*planted(k), "by construction"), k + 1) for k in range(options.count)]
        else:
            systems = [(CASES[name], seed) for seed in range(1, options.seeds + 1)]
        if options.write:
            with open(os.path.join(options.write, name + ".txt"), "w", encoding="ascii") as file:
                file.write(";\n".join(CASES[name].equations) + ";\n")
            continue
        good = campaign(options, name, systems) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
