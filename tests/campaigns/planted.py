"""planted.py - polynomial systems whose isolated solutions are known exactly, for the campaign `answers`.

problem(family, seed, number) makes one; the same arguments make the same one. All coefficients are rational. Most solutions are
known by construction; others are those of a polynomial in one unknown (exact.py) or are counted by Singular, and problems that
need Singular are replaced by others where it is missing."""

import itertools
import math
import random
import shutil
import subprocess
from fractions import Fraction

from exact import Gauss, Poly, Redraw, echelon, modulus, rank, roots_of, solve_linear, square_root

# Have quad doubles the digits that it takes to decide a problem? The rule: let distances of two solutions be relative to the
# largest value of each unknown, d(i) the smallest distance of solution i from others, and m the multiplicities. Rounding errors
# of 1e-64 move solution i by about (1e-64 / product over j of d(i, j)^m(j))^(1/m(i)). This is less than its distance from the
# others if product over j of d(i, j)^m(j) times d(i)^m(i) is above 1e-64: "room" is the smallest of these numbers. What else has to
# be told from zero counts likewise: imaginary parts and coordinates that a filter looks at, what an equation misses a
# solution of the others by (to the power of its multiplicity), and factors by which combinations of equations lose digits.
LEAST_ROOM = 1e-45

SINGULAR = shutil.which("Singular")


class Point:
    """A solution; multiplicity None: at least 2."""

    def __init__(self, x, multiplicity=1):
        self.x, self.multiplicity = tuple(Gauss.of(c) for c in x), multiplicity

    def is_real(self):
        return not any(c.im for c in self.x)

    def is_positive(self):
        return self.is_real() and all(c.re > 0 for c in self.x)

    def is_nonzero(self):
        return all(self.x)


class Problem:
    """A system and its isolated solutions. curve: there are solutions that are not isolated. counts: the numbers of roots with
    multiplicity, of distinct ones, and of real ones among these, if the points themselves are not known; points is None then."""

    def __init__(self, kind, polys, points, curve=False, options=(), room=1.0, counts=(None, None, None)):
        self.kind, self.polys, self.points, self.curve = kind, polys, points, curve
        self.options, (self.roots, self.distinct, self.real) = list(options), counts
        self.n = polys[0].n
        self.names = list("xyzuvw"[:self.n])
        for k in range(self.n):
            if not any(key[k] for poly in polys for key in poly.terms):
                raise Redraw  # plumb would not know this unknown
        if any(not poly.terms for poly in polys):
            raise Redraw
        if points is None:
            self.room = room
            return
        self.check()
        self.room = min(room, self.room_of_points())

    @property
    def overdetermined(self):
        return len(self.polys) > self.n

    @property
    def has_digits(self):
        return self.room >= LEAST_ROOM

    def equations(self):
        return [poly.text(self.names) for poly in self.polys]

    def check(self):
        """The points must solve the system, exactly or to all digits that they have."""
        for point in self.points:
            sizes = [abs(c.re) + abs(c.im) for c in point.x]
            for poly in self.polys:
                value = poly.at(point.x)
                if abs(value.re) + abs(value.im) > poly.size_at(sizes) / 10 ** 180:
                    raise AssertionError("%s: a point is not a solution" % self.kind)

    def room_of_points(self):
        scales = [max([modulus(point.x[k]) for point in self.points] + [0.0]) or 1.0 for k in range(self.n)]
        room = 1.0
        for i, point in enumerate(self.points):
            product, least = 1.0, 1.0
            for j, other in enumerate(self.points):
                if i != j:
                    apart = min(1.0, max(modulus(p - q) / s for p, q, s in zip(point.x, other.x, scales)))
                    product *= apart ** (other.multiplicity or 4)
                    least = min(least, apart)
            room = min(room, product * least ** (point.multiplicity or 4))
            for c, s in zip(point.x, scales):
                if c.im:
                    room = min(room, abs(float(c.im)) / s)
                if c and self.options:
                    room = min(room, modulus(c) / s)
        return room


# ---- Random pieces

def number(rng, most=9):
    return rng.choice((-1, 1)) * rng.randint(1, most)


def value(rng):
    """A rational number of moderate size."""
    return Fraction(number(rng), rng.choice((1, 1, 1, 2, 3, 5)))


def tiny(rng, low, high, most=9):
    """A positive number of about 10^-low to 10^-high."""
    return Fraction(rng.randint(1, most), 10 ** rng.randint(low, high))


def unknowns(n):
    return [Poly.unknown(n, k) for k in range(n)]


def invertible(rng, n, most=3):
    while True:
        rows = [[Fraction(rng.randint(-most, most)) for _ in range(n)] for _ in range(n)]
        if rank(rows) == n:
            return rows


def combined(rng, polys, most=3):
    """As many combinations of the equations, which have the same solutions."""
    return [sum((poly * c for poly, c in zip(polys, row)), Poly.constant(polys[0].n, 0)) for row in invertible(rng, len(polys), most)]


def changed(rng, polys, points, most=3):
    """The system in other coordinates: x = A*u + b."""
    n = polys[0].n
    a, b = invertible(rng, n, most), [Fraction(rng.randint(-2, 2)) for _ in range(n)]
    images = [Poly.linear(row, shift) for row, shift in zip(a, b)]
    inverse, _ = echelon([list(row) + [Fraction(int(i == k)) for k in range(n)] for i, row in enumerate(a)])
    inverse = [row[n:] for row in inverse]
    moved = []
    for point in points:
        away = [c - shift for c, shift in zip(point.x, b)]
        moved.append(Point([sum((c * f for c, f in zip(away, row)), Gauss(0)) for row in inverse], point.multiplicity))
    return [poly.at(images) for poly in polys], moved


def scaled(polys, points, exponents):
    """x_k = 10^exponent_k * u_k."""
    n = polys[0].n
    images = [x * (Fraction(10) ** e) for x, e in zip(unknowns(n), exponents)]
    moved = [Point([c / (Fraction(10) ** e) for c, e in zip(point.x, exponents)], point.multiplicity) for point in points]
    return [poly.at(images) for poly in polys], moved


def power_product(x, roots):
    """The product of (x - root)^multiplicity."""
    product = Poly.constant(x.n, 1)
    for root, multiplicity in roots:
        product = product * (x - root) ** multiplicity
    return product


def grid_points(columns):
    """Points from a list of (value, multiplicity) for each unknown."""
    return [Point([v for v, _ in choice], math.prod(m for _, m in choice)) for choice in itertools.product(*columns)]


def with_multiplicities(polys, points):
    """Points with the multiplicity 1 if the Jacobian has full rank there; otherwise it is not known, but at least 2."""
    n = polys[0].n
    slopes = [[poly.derivative(k) for k in range(n)] for poly in polys]
    return [Point(point.x, 1 if rank([[d.at(point.x) for d in row] for row in slopes]) == n else None) for point in points]


def redundant(rng, polys):
    """One or two more equations that follow from the others."""
    n = polys[0].n
    more = list(polys)
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.5:
            more.append(sum((poly * rng.randint(-2, 2) for poly in polys), Poly.constant(n, 0)))
        else:
            more.append(rng.choice(polys) * (rng.choice(unknowns(n)) + rng.randint(-1, 1)))
    more = [poly for poly in more if poly.terms]
    if rng.random() < 0.5:
        rng.shuffle(more)
    return more


# ---- Singular

def common_denominator(poly):
    multiple = 1
    for c in poly.terms.values():
        multiple *= c.re.denominator // math.gcd(multiple, c.re.denominator)
    return multiple


def singular(names, polys, commands, seconds=20):
    """The numbers that Singular prints about the ideal i over the rationals. It rounds quotients of integers, so it gets no quotients."""
    whole = [poly * common_denominator(poly) for poly in polys]
    lines = ['LIB "primdec.lib";', 'LIB "rootsmr.lib";', "ring r=0,(%s),dp;" % ",".join(names),
             "ideal i=%s;" % ",".join(poly.text(names) for poly in whole), "option(redSB);"] + commands + ["quit;"]
    try:
        done = subprocess.run([SINGULAR, "-q", "--no-rc"], input="\n".join(lines), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Redraw from None
    return [int(word) for word in done.stdout.split() if word.lstrip("-").isdigit()]


def count_roots(polys):
    """Numbers of roots with multiplicity, of distinct ones and of real ones among these; Redraw if they are not finitely many."""
    names = list("xyzuvw"[:polys[0].n])
    found = singular(names, polys, ["ideal g=std(i);", "print(dim(g));",
                                    "if (dim(g)==0) { print(vdim(g)); print(vdim(std(radical(g)))); print(nrRootsDeterm(g)); }"])
    if found == [-1]:
        return 0, 0, 0
    if len(found) != 4 or found[0] != 0:
        raise Redraw
    return found[1:]


# ---- 1. Zero coordinates

def zeros_grid(rng):
    """Values of each unknown, zero among them, and equations that choose among the points of the grid."""
    n = rng.choice((2, 2, 2, 3, 3, 4))
    x = unknowns(n)
    most = 3 if n < 4 else 2
    common = [Fraction(0)] + rng.sample([Fraction(v) for v in (1, 2, 3, -1, -2)], rng.randint(1, most - 1))
    same = rng.random() < 0.5
    columns = [common if same else [Fraction(0)] + sorted({value(rng) for _ in range(rng.randint(1, most - 1))}) for _ in range(n)]
    double = rng.random() < 0.15
    powers = [[(v, 2 if double and rng.random() < 0.3 else 1) for v in column] for column in columns]
    own = [power_product(x[k], powers[k]) for k in range(n)]
    extra = []
    for _ in range(rng.randint(1, 3)):
        i, j = rng.sample(range(n), 2)
        shape = rng.randrange(5)
        if shape == 0:
            extra.append(x[i] * x[j])
        elif shape == 1:
            extra.append(x[i] * (x[j] - rng.choice(columns[j])))
        elif shape == 2 and same:  # (p(a) - p(b)) / (a - b): different values
            terms = Poly.constant(n, 0)
            for (d, *_), c in power_product(Poly.unknown(1, 0), [(v, 1) for v in common]).terms.items():
                for e in range(d):
                    terms = terms + x[i] ** e * x[j] ** (d - 1 - e) * c
            extra.append(terms)
        elif shape == 3:
            where = [rng.choice(column) for column in columns]
            c = [rng.randint(-2, 2) for _ in range(n)]
            extra.append(Poly.linear(c, -sum(a * b for a, b in zip(c, where))))
        else:
            extra.append((x[i] - rng.choice(columns[i])) * (x[j] - rng.choice(columns[j])) * rng.choice(x))
    polys = [poly for poly in own + extra if poly.terms]
    points = [point for point in grid_points(powers) if not any(poly.at(point.x) for poly in polys)]
    points = with_multiplicities(polys, points)
    if rng.random() < 0.3:
        polys = redundant(rng, polys)
    if rng.random() < 0.2:
        polys = combined(rng, polys)
    return Problem("grid", polys, points, options=some_options(rng))


def some_options(rng):
    return rng.choice(([], [], [], [], ["real"], ["nonzero"]))


def zeros_planted(rng):
    """One or two points with zero coordinates, and equations all of whose terms may vanish there."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    places = []
    for _ in range(rng.randint(1, 2)):
        place = [Fraction(0) if rng.random() < 0.5 else value(rng) for _ in range(n)]
        place[rng.randrange(n)] = Fraction(0)
        if place not in places:
            places.append(place)
    polys = []
    for _ in range(n + rng.randint(0, 2)):
        poly = Poly.constant(n, 0)
        for _ in range(rng.randint(2, 3)):
            term = Poly.constant(n, number(rng, 5))
            for place in places:
                k = rng.randrange(n)
                term = term * (x[k] - place[k])
            if rng.random() < 0.5:
                term = term * rng.choice(x)
            poly = poly + term
        polys.append(poly)
    if any(not poly.terms for poly in polys) or math.prod(sorted(poly.degree() for poly in polys)[-n:]) > 30:
        raise Redraw
    roots, distinct, _ = count_roots(polys)
    if distinct != len(places):
        raise Redraw
    points = with_multiplicities(polys, [Point(place) for place in places])
    if sum(point.multiplicity is None for point in points) == 1:
        for point in points:
            point.multiplicity = point.multiplicity or roots - len(places) + 1
    return Problem("planted", polys, points, options=some_options(rng))


def zeros_network(rng):
    """The steady states of a reaction network with mass action: all equations, and all laws of conservation."""
    n = rng.randint(3, 5)
    x = unknowns(n)
    speeds = [Poly.constant(n, 0)] * n
    changes, graded = [], rng.random() < 0.3
    for _ in range(rng.randint(n - 1, n + 2)):
        left = sorted(rng.sample(range(n), rng.choice((1, 1, 2))))
        right = sorted(rng.sample(range(n), rng.choice((1, 2))))
        if rng.random() < 0.2:
            left = [left[0], left[0]]
        if left == right:
            continue
        rate = Poly.constant(n, rng.randint(1, 99) * Fraction(10) ** (rng.randint(-6, 3) if graded else -rng.randint(0, 1)))
        for k in left:
            rate = rate * x[k]
        change = [right.count(k) - left.count(k) for k in range(n)]
        changes.append([Fraction(c) for c in change])
        speeds = [speed + rate * c for speed, c in zip(speeds, change)]
    reduced, pivots = echelon(changes) if changes else ([], [])
    if not 0 < len(pivots) < n:
        raise Redraw
    free = [k for k in range(n) if k not in pivots]
    laws = []
    for k in free:  # a basis of the vectors that are orthogonal to all changes
        law = [Fraction(0)] * n
        law[k] = Fraction(1)
        for row, c in zip(reduced, pivots):
            law[c] = -row[k]
        laws.append(Poly.linear(law, -rng.randint(1, 20)))
    polys = [speed for speed in speeds if speed.terms] + laws
    if not 4 <= math.prod(sorted(poly.degree() for poly in polys)[-n:]) <= 40:
        raise Redraw
    return Problem("network", polys, None, counts=count_roots(polys))


def zeros_products(rng):
    """Lotka-Volterra systems and their like: unknowns times linear forms."""
    n = rng.choice((2, 2, 3, 3, 4))
    forms = []
    for k in range(n):
        some = rng.sample(range(n), rng.randint(1, n))
        own = ([Fraction(int(i == k)) for i in range(n)], Fraction(0))
        forms.append([own, ([Fraction(number(rng)) if i in some else Fraction(0) for i in range(n)], Fraction(number(rng)))])
    if rng.random() < 0.3:
        forms.append([rng.choice(forms[0]), rng.choice(forms[1])])
    return from_forms(rng, "lotka", forms)


# ---- 2. Clusters

def cluster(rng, low, high, most_roots, most_multiplicity, most_degree):
    """2 to 5 values that are 10^-low to 10^-high apart, with multiplicities."""
    centre, apart = value(rng), tiny(rng, low, high, 3)
    count = rng.randint(2, most_roots)
    steps = rng.sample((0, 1, 2, 3, 5, -1, -2, -4), count)
    common = rng.random() < 0.5
    powers = [rng.randint(1, most_multiplicity)] * count if common else [rng.randint(1, most_multiplicity) for _ in range(count)]
    while sum(powers) > most_degree:
        k = powers.index(max(powers))
        powers[k] -= 1
        if powers[k] == 0:
            raise Redraw
    return [(centre + apart * step, power) for step, power in zip(steps, powers)]


def other_roots(rng, roots):
    for _ in range(rng.choice((0, 0, 1, 2))):
        v = value(rng) + rng.choice((10, -10))
        if all(v != root for root, _ in roots):
            roots = roots + [(v, 1)]
    return roots


def clusters_one(rng):
    x = Poly.unknown(1, 0)
    roots = other_roots(rng, cluster(rng, 3, rng.choice((10, 30, 60)), 5, 4, 12))
    return Problem("one unknown", [power_product(x, roots)], [Point([v], m) for v, m in roots])


def clusters_power(rng):
    """One root of a high multiplicity, and perhaps another root."""
    x = Poly.unknown(1, 0)
    a, b = value(rng), value(rng)
    roots = [(a, rng.choice((rng.randint(5, 10), rng.randint(5, 10), rng.randint(11, 18))))]
    if a != b and rng.random() < 0.5:
        roots.append((b, rng.randint(1, 3)))
    return Problem("power", [power_product(x, roots)], [Point([v], m) for v, m in roots])


def clusters_complex(rng):
    """A cluster around a number that is not real, and its conjugate: ((x - a)^2 + b^2)^m."""
    x = Poly.unknown(1, 0)
    poly, points = Poly.constant(1, 1), []
    a, b, apart = value(rng), abs(value(rng)), tiny(rng, 3, rng.choice((8, 20, 40)), 3)
    for step in rng.sample((0, 1, 2, -1), rng.randint(2, 3)):
        power = rng.randint(1, 2)
        centre, height = a + apart * step, b + apart * rng.randint(-1, 1)
        poly = poly * ((x - centre) ** 2 + height * height) ** power
        points += [Point([Gauss(centre, sign * height)], power) for sign in (1, -1)]
    return Problem("complex", [poly], points)


def clusters_grid(rng):
    """Two or three unknowns: a cluster in one of them or in two, other coordinates or combined equations."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    high = rng.choice((8, 20, 60))
    columns = [cluster(rng, 3, high, 3, 3, 5)]
    for k in range(1, n):
        columns.append(cluster(rng, 3, high, 2, 2, 3) if k == 1 and rng.random() < 0.3 else
                       [(v, 1) for v in {value(rng) for _ in range(rng.randint(1, 2))}])
    polys, points = [power_product(x[k], columns[k]) for k in range(n)], grid_points(columns)
    if rng.random() < 0.6:
        polys, points = changed(rng, polys, points, 2)
    if rng.random() < 0.5:
        polys = combined(rng, polys)
    if max(len(poly.terms) for poly in polys) > 80 or math.prod(poly.degree() for poly in polys) > 40:
        raise Redraw
    return Problem("grid", polys, points)


def clusters_triangular(rng):
    """p(x) and y = q(x), or (y - q(x))*(y - q(x) - c)."""
    x, y = unknowns(2)
    roots = other_roots(rng, cluster(rng, 3, rng.choice((8, 20, 60)), 4, 3, 7))
    q = Poly.constant(2, 0)
    for d in range(rng.randint(1, 3)):
        q = q + x ** d * number(rng, 3)
    shifts = [Fraction(0)] + ([Fraction(number(rng, 3))] if rng.random() < 0.4 else [])
    polys, points = [power_product(x, roots), math.prod((y - q - s for s in shifts), start=Poly.constant(2, 1))], []
    for v, m in roots:
        points += [Point([v, q.at([Gauss(v), Gauss(0)]) + s], m) for s in shifts]
    if rng.random() < 0.4:
        polys, points = changed(rng, polys, points, 2)
    return Problem("triangular", polys, points)


def clusters_mignotte(rng):
    """x^n - 2*(a*x - 1)^2: two roots that are about a^(-n/2 - 1) apart."""
    n, a = rng.randint(5, 12), rng.choice((rng.randint(5, 99), 100, 1000))
    x = Poly.unknown(1, 0)
    poly = x ** n - (x * a - 1) ** 2 * 2
    coefficients = [poly.terms[(k,)].re if (k,) in poly.terms else Fraction(0) for k in range(n + 1)]
    return Problem("mignotte", [poly], [Point([z]) for z in roots_of(coefficients)])


# ---- 3. Pairs near the real axis

def pair(rng, y):
    """(y + a)^2 + b^2 with small b, or (y + a)^2 - b^2, and its roots."""
    b = tiny(rng, 5, rng.choice((10, 20, 40)))
    a = rng.choice((Fraction(0), b * number(rng, 3), value(rng), value(rng), tiny(rng, 1, 20)))
    if rng.random() < 0.2:
        return (y + a) ** 2 - b * b, [Gauss(-a + b), Gauss(-a - b)]
    return (y + a) ** 2 + b * b, [Gauss(-a, b), Gauss(-a, -b)]


def near_real_two(rng):
    """x^2 - 2 + c*q(y), q(y), where the roots of q are a pair near the real axis."""
    x, y = unknowns(2)
    q, ys = pair(rng, y)
    two = rng.choice((2, 3, 5, 4, Fraction(1, 4), 1))
    side = square_root(Fraction(two))
    first = x * x - two + q * rng.choice((0, 1, 10, 100, -7))
    points = [Point([Gauss(sign * side), root]) for sign in (1, -1) for root in ys]
    return Problem("two unknowns", [first, q] if rng.random() < 0.7 else [q, first], points, options=rng.choice(([], [], ["real"])))


def near_real_one(rng):
    x = Poly.unknown(1, 0)
    q, ys = pair(rng, x)
    points = [Point([root]) for root in ys]
    for v in {value(rng) for _ in range(rng.randint(0, 2))}:
        if all(v != root for root in ys):
            q, points = q * (x - v), points + [Point([v])]
    return Problem("one unknown", [q], points, options=rng.choice(([], [], ["real"])))


def near_real_grid(rng):
    """Two pairs, or a pair and other coordinates; overdetermined in some cases."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    polys, columns = [], []
    for k in range(n):
        if k == 0 or rng.random() < 0.3:
            poly, roots = pair(rng, x[k])
        else:
            roots = [Gauss(v) for v in {value(rng) for _ in range(rng.randint(1, 2))}]
            poly = power_product(x[k], [(root, 1) for root in roots])
        polys.append(poly)
        columns.append([(root, 1) for root in roots])
    points = grid_points(columns)
    if rng.random() < 0.5:
        polys, points = changed(rng, polys, points, 2)
    if rng.random() < 0.5:
        polys = combined(rng, polys)
    if rng.random() < 0.2:
        polys = redundant(rng, polys)
    return Problem("grid", polys, points, options=rng.choice(([], [], ["real"])))


# ---- 4. Sizes

def sizes_scaled(rng):
    """Points of moderate size in other units."""
    n = rng.choice((1, 2, 2, 3))
    x = unknowns(n)
    columns = [[(v, 1) for v in {value(rng) for _ in range(rng.randint(1, 3 if n < 3 else 2))}] for _ in range(n)]
    polys, points = [power_product(x[k], columns[k]) for k in range(n)], grid_points(columns)
    if n > 1 and rng.random() < 0.6:
        polys = combined(rng, polys)
    if n > 1 and rng.random() < 0.4:
        polys, points = changed(rng, polys, points, 2)
    most = rng.choice((10, 20, 30))
    polys, points = scaled(polys, points, [rng.randint(-most, most) for _ in range(n)])
    polys = [poly * Fraction(10) ** rng.choice((0, rng.randint(-20, 20))) for poly in polys]
    return Problem("scaled", polys, points)


def sizes_quadratic(rng):
    """x^2 - (a + b)*x*y + a*b, y^2 - 1: moderate and small (or large) values of one unknown."""
    x, y = unknowns(2)
    a, b = value(rng), number(rng) * Fraction(10) ** (rng.choice((-1, -1, 1)) * rng.randint(1, 30))
    s = rng.choice((1, 1, 2, 3))
    polys = [x * x - x * y * (a + b) + a * b * s * s, y * y - s * s]
    points = [Point([sign * s * v, sign * s]) for sign in (1, -1) for v in (a, b)]
    if rng.random() < 0.3:
        polys = combined(rng, polys, 2)
    return Problem("quadratic", polys, points)


def sizes_combined(rng):
    """f and f + epsilon*g, for f and g with known common zeros."""
    x, y = unknowns(2)
    epsilon = tiny(rng, 4, rng.choice((16, 30)), 3)
    if rng.random() < 0.4:
        c, a = Fraction(number(rng, 4)), value(rng)  # x*y = c, and x^2*y - c*a or its like
        f = (x * y - c) * number(rng, 4)
        g = rng.choice((x * x * y - a * c, x * x * y - x * y - (a - 1) * c, x - a))
        points = [Point([a, c / a])]
    else:
        columns = [[(v, 1) for v in {value(rng) for _ in range(rng.randint(1, 2))}] for _ in range(2)]
        f, g = (power_product(p, column) for p, column in zip((x, y), columns))
        points = grid_points(columns)
        if rng.random() < 0.5:
            (f, g), points = changed(rng, [f, g], points, 2)
    if f.degree() < 1 or g.degree() < 1:
        raise Redraw
    return Problem("combined", [f * number(rng, 3), f * number(rng, 3) + g * epsilon], points, room=float(epsilon))


def sizes_one(rng):
    """Roots of very different size in one unknown, and another unknown that depends on it."""
    most = rng.choice((10, 20, 30))
    roots = {number(rng) * Fraction(10) ** rng.randint(-most, most) for _ in range(rng.randint(2, 5))}
    if rng.random() < 0.5:
        return Problem("one unknown", [power_product(Poly.unknown(1, 0), [(v, 1) for v in roots])], [Point([v]) for v in roots])
    x, y = unknowns(2)
    roots = sorted(roots)[:3]
    c = value(rng)
    if rng.random() < 0.5:
        return Problem("reciprocal", [power_product(x, [(v, 1) for v in roots]), x * y - c], [Point([v, c / v]) for v in roots])
    first = power_product(x, [(v, 1) for v in roots])
    return Problem("sum", [first, y * y - c * c + first], [Point([v, sign * c]) for v in roots for sign in (1, -1)])


def sizes_planted(rng):
    """One solution with a large or small coordinate beside moderate ones: (x - a)*(epsilon*x - 1) = 0, y^2 = b^2 + ..."""
    x, y = unknowns(2)
    epsilon, a, b = tiny(rng, 2, rng.choice((12, 20, 30))), value(rng), value(rng)
    far = 1 / epsilon
    if far == a:
        raise Redraw
    first = (x - a) * (x * epsilon - 1)
    c = value(rng)
    polys = [first, (y - b) * (y + c) + first * rng.choice((0, 1, 3))]
    points = [Point([v, w]) for v in (a, far) for w in {b, -c}]
    if len(points) < 4:
        raise Redraw
    return Problem("far", combined(rng, polys, 2) if rng.random() < 0.3 else polys, points)


# ---- 5. Tiny positive coordinates

def filters(rng):
    return rng.choice((["positive"], ["positive"], ["nonzero"], ["real"], []))


def tiny_quartic(rng):
    """x^2 - c*x*y + e, y^2 + x - 1."""
    x, y = unknowns(2)
    e, c = tiny(rng, 5, rng.choice((10, 20, 40))) * rng.choice((1, 1, -1)), Fraction(rng.randint(1, 3))
    polys = [x * x - x * y * c + e, y * y + x - 1]
    # y = (x^2 + e)/(c*x), so (x^2 + e)^2 = c^2*x^2*(1 - x)
    roots = roots_of([e * e, Fraction(0), 2 * e - c * c, c * c, Fraction(1)])
    return Problem("quartic", polys, [Point([z, (z * z + e) / (z * c)]) for z in roots], options=filters(rng))


def tiny_grid(rng):
    """Tiny values of both signs, and zero."""
    n = rng.choice((1, 2, 2, 3))
    x = unknowns(n)
    columns = []
    for _ in range(n):
        most = rng.choice((10, 20, 40))
        column = {rng.choice((tiny(rng, 3, most), tiny(rng, 3, most), -tiny(rng, 3, most), abs(value(rng)), Fraction(0)))
                  for _ in range(rng.randint(1, 3 if n < 3 else 2))}
        columns.append([(v, 1) for v in sorted(column)])
    polys, points = [power_product(x[k], columns[k]) for k in range(n)], grid_points(columns)
    if n > 1 and rng.random() < 0.5:
        polys = combined(rng, polys)
    if rng.random() < 0.2:
        polys = redundant(rng, polys)
    return Problem("grid", polys, points, options=filters(rng))


def tiny_binding(rng):
    """A + B = C: x*y = k*z, x + z = a, y + z = b."""
    x, y, z = unknowns(3)
    k = tiny(rng, 3, rng.choice((10, 20, 40)))
    a, b = abs(value(rng)) * rng.choice((1, tiny(rng, 1, 9))), abs(value(rng))
    roots = roots_of([a * b, -(a + b + k), Fraction(1)])
    points = [Point([a - root, b - root, root]) for root in roots]
    polys = [x * y - z * k, x + z - a, y + z - b]
    if rng.random() < 0.5:  # as networks are written: every steady-state equation
        polys = [z * k - x * y, z * k - x * y, x * y - z * k, x + z - a, y + z - b]
    return Problem("binding", polys, points, options=filters(rng))


def tiny_acid(rng):
    """A weak acid in water: h*oh = w, h*a = k*ha, a + ha = c, h = oh + a."""
    h, oh, a, ha = unknowns(4)
    w, k, c = tiny(rng, 10, 20), tiny(rng, 3, 12), tiny(rng, 0, 9)
    polys = [h * oh - w, h * a - ha * k, a + ha - c, h - oh - a]
    points = []
    for z in roots_of([-k * w, -(k * c + w), k, Fraction(1)]):
        ion = k * c * (Gauss(1) / (z + k))
        points.append(Point([z, w * (Gauss(1) / z), ion, c - ion]))
    return Problem("acid", polys, points, options=filters(rng))


# ---- 6. Inconsistent systems

def least_miss(points, others):
    """The smallest relative residual other than zero of some equations at points that solve all the others."""
    least = 1.0
    for point in points:
        sizes = [abs(c.re) + abs(c.im) for c in point.x]
        for poly in others:
            miss, size = modulus(poly.at(point.x)), float(poly.size_at(sizes))
            if miss and size:
                least = min(least, (miss / size) ** (point.multiplicity or 4))
    return least


def perturbation(rng):
    return rng.choice((0, 1, 1, 1)) * rng.choice((1, -1)) * tiny(rng, 3, rng.choice((10, 20, 40)))


def inconsistent_one(rng):
    """Two or three polynomials in one unknown, whose roots are equal or nearly so."""
    x = Poly.unknown(1, 0)
    roots = [(v, rng.choice((1, 1, 2))) for v in {value(rng) for _ in range(rng.randint(1, 3))}]
    polys = [power_product(x, roots)]
    shared, room = {v: m for v, m in roots}, 1.0
    for _ in range(rng.randint(1, 2)):
        others = {}
        for v, m in roots:
            if rng.random() < 0.8:
                others[v + perturbation(rng)] = rng.choice((1, 1, 2))
        if not others or rng.random() < 0.3:
            others[value(rng) + 20] = 1
        polys.append(power_product(x, list(others.items())))
        gaps = [float(abs(v - w)) ** max(m, others[w]) for v, m in roots for w in others if v != w]
        room = min([room] + gaps)
        shared = {v: min(m, others[v]) for v, m in shared.items() if v in others}
    if rng.random() < 0.3:
        polys = combined(rng, polys)
    return Problem("one unknown", polys, [Point([v], m) for v, m in shared.items()], room=room)


def inconsistent_grid(rng):
    """A grid of points, and equations that vanish at some of them up to a perturbation."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    columns = [[(v, 1) for v in {rng.choice((value(rng), value(rng), Fraction(0))) for _ in range(rng.randint(1, 2))}] for _ in range(n)]
    own, points = [power_product(x[k], columns[k]) for k in range(n)], grid_points(columns)
    if rng.random() < 0.3:
        own, points = changed(rng, own, points, 2)
    extra = []
    for _ in range(rng.randint(1, 2)):
        poly = Poly.linear([rng.randint(-3, 3) for _ in range(n)], 0)
        if rng.random() < 0.6:
            poly = poly * Poly.linear([rng.randint(-2, 2) for _ in range(n)], number(rng, 3)) + rng.choice(x) * number(rng, 3)
        poly = poly - poly.at(rng.choice(points).x) + perturbation(rng)
        extra.append(poly)
    extra = [poly for poly in extra if poly.terms]
    if not extra:
        raise Redraw
    room = least_miss(points, extra)
    kept = [point for point in points if not any(poly.at(point.x) for poly in extra)]
    polys = own + extra
    if rng.random() < 0.3:
        polys = combined(rng, polys)
    return Problem("grid", polys, kept, room=room)


def inconsistent_circle(rng):
    """x^2 + y^2 = 1, x*y = a*b, and a third equation through (a, b), exactly or nearly."""
    x, y = unknowns(2)
    p, q, r = rng.choice(((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25)))
    a, b = Fraction(p, r), Fraction(q, r)
    points = [Point(place) for place in ((a, b), (b, a), (-a, -b), (-b, -a))]
    third = rng.choice((x ** 3 - y ** 3, x ** 3 + y ** 2, x - y * y, x * x - y, x * x * y + x))
    third = third - third.at(points[0].x) + perturbation(rng)
    room = least_miss(points, [third])
    return Problem("circle", [x * x + y * y - 1, x * y - a * b, third], [point for point in points if not third.at(point.x)], room=room)


def inconsistent_double(rng):
    """A double point of two equations, which a third one misses or not: x^2 - 2*x + 1 and its like in two unknowns."""
    x, y = unknowns(2)
    a, b = value(rng), value(rng)
    shift, miss = rng.choice((0, 1)), perturbation(rng)
    polys = [(x - a) ** 2, (y - b) * (x + y - a - b + shift), (x - a) * number(rng, 3) + (y - b) * number(rng, 3) + miss]
    places = {(a, b), (a, b - shift)}  # the solutions of the first two
    points = [point for point in map(Point, sorted(places)) if not any(poly.at(point.x) for poly in polys)]
    return Problem("double", polys, with_multiplicities(polys, points), room=float(abs(miss)) ** 2 if miss else 1.0)


# ---- 7. Products of linear forms, fat points, curves

def product_of(forms):
    n = len(forms[0][0])
    return math.prod((Poly.linear(*form) for form in forms), start=Poly.constant(n, 1))


def from_forms(rng, kind, equations, options=()):
    """The system of products of linear forms, each a pair of coefficients and a constant. Its solutions are affine spaces: one factor
    of each equation vanishes. Multiplicities at isolated points are additive if there are as many equations as unknowns."""
    n = len(equations[0][0][0])
    for forms in equations:
        if any(not any(c) for c, _ in forms):
            raise Redraw
    places, spaces = {}, []
    for choice in itertools.product(*equations):
        rows, right = [list(c) for c, _ in choice], [-b for _, b in choice]
        found = solve_linear(rows, right)
        if found is None:
            continue
        if found[1] > 0:
            spaces.append((rows, right))
        else:
            places[tuple(found[0])] = places.get(tuple(found[0]), 0) + 1

    def on_space(place):
        return any(all(sum(c * v for c, v in zip(row, place)) == b for row, b in zip(rows, right)) for rows, right in spaces)

    polys = [product_of(forms) for forms in equations]
    points = [Point(place, m) for place, m in places.items() if not on_space(place)]
    if len(equations) > n:
        points = with_multiplicities(polys, points)
    if rng.random() < 0.2:
        polys = combined(rng, polys)
    return Problem(kind, polys, points, curve=bool(spaces), options=options)


def products_forms(rng):
    n = rng.choice((2, 2, 2, 3))
    through = [Fraction(rng.randint(-2, 2)) for _ in range(n)]
    coordinate = rng.random() < 0.3

    def form():
        if coordinate:
            k = rng.randrange(n)
            return [Fraction(int(i == k)) for i in range(n)], Fraction(rng.randint(-1, 1))
        c = [Fraction(rng.randint(-3, 3)) for _ in range(n)]
        if rng.random() < 0.3:
            return c, -sum(a * b for a, b in zip(c, through))
        return c, Fraction(number(rng, 5))

    count = n + (rng.random() < 0.3)
    return from_forms(rng, "forms", [[form() for _ in range(rng.randint(1, 3 if n == 2 else 2))] for _ in range(count)], some_options(rng))


def products_fat(rng):
    """Powers of maximal ideals, at one point or at two."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    places = [[Fraction(0)] * n if rng.random() < 0.4 else [Fraction(rng.randint(-2, 2)) for _ in range(n)]]
    powers = [rng.randint(2, 3 if n == 2 else 2)]
    if rng.random() < 0.4:
        other = [Fraction(rng.randint(-2, 2)) for _ in range(n)]
        if other != places[0]:
            places.append(other)
            powers.append(1)

    def generators(place, power):
        return [math.prod((x[k] - place[k] for k in choice), start=Poly.constant(n, 1))
                for choice in itertools.combinations_with_replacement(range(n), power)]

    polys = generators(places[0], powers[0])
    if len(places) > 1:
        polys = [a * b for a in polys for b in generators(places[1], powers[1])]
    if len(polys) > 9:
        raise Redraw
    if rng.random() < 0.3:
        polys = combined(rng, polys)
    return Problem("fat", polys, [Point(place, math.comb(n + power - 1, n)) for place, power in zip(places, powers)])


def products_few(rng):
    """A multiple point of x + y^2, x*y, x^2 and its like: generators of an ideal between two powers of the maximal ideal."""
    x, y = unknowns(2)
    a, b = rng.choice(((0, 0), (0, 0), (1, 0), (2, -1)))
    p, q = x - a, y - b
    polys, m = rng.choice((([p + q * q, p * q, p * p], 3), ([p * p, q * q, p * q * q], 4), ([p * p, p * q, q ** 3], 4),
                           ([p ** 3, q], 3), ([p * p - q ** 3, p * q, q ** 4], 5), ([p, q ** 4, p * q], 4), ([p * p, q * q], 4),
                           ([p * p - q * q, p * q, q ** 3], 4), ([p * p, p * q, q * q, p * q * q], 3)))
    if rng.random() < 0.3:
        polys = combined(rng, polys)
    return Problem("multiple point", polys, [Point([a, b], m)])


def products_curve(rng):
    """A curve or surface of solutions, and the points of a grid beside it."""
    n = rng.choice((2, 2, 3))
    x = unknowns(n)
    columns = [[(v, 1) for v in {Fraction(rng.randint(-3, 3)) for _ in range(rng.randint(1, 2))}] for _ in range(n)]
    polys, points = [power_product(x[k], columns[k]) for k in range(n)], grid_points(columns)
    if rng.random() < 0.5:
        polys = combined(rng, polys)
    curve = rng.choice((x[0] ** 2 + x[1] ** 2 - 5, x[0] * x[1] - 2, x[0] + x[1] + 1, x[0], x[1] - x[0] ** 2, x[0] - x[1]))
    polys = [poly * curve for poly in polys]
    points = [point for point in points if curve.at(point.x)]
    if rng.random() < 0.2:
        polys = redundant(rng, polys)
    return Problem("curve", polys, points, curve=True)


FAMILIES = {
    "zeros": (zeros_grid, zeros_grid, zeros_planted, zeros_network, zeros_products),
    "clusters": (clusters_one, clusters_one, clusters_complex, clusters_grid, clusters_triangular, clusters_mignotte,
                 clusters_power),
    "near_real": (near_real_two, near_real_two, near_real_one, near_real_grid),
    "sizes": (sizes_scaled, sizes_quadratic, sizes_combined, sizes_one, sizes_planted),
    "tiny": (tiny_quartic, tiny_grid, tiny_grid, tiny_binding, tiny_acid),
    "inconsistent": (inconsistent_one, inconsistent_grid, inconsistent_grid, inconsistent_circle, inconsistent_double),
    "products": (products_forms, products_forms, products_fat, products_few, products_curve),
}
NEED_SINGULAR = (zeros_planted, zeros_network)


def problem(family, seed, k):
    """Problem number k of a family, and the seed that plumb gets."""
    rng = random.Random("%s %d %d" % (family, seed, k))
    for _ in range(20):
        make = rng.choice([make for make in FAMILIES[family] if SINGULAR or make not in NEED_SINGULAR])
        for _ in range(40):
            try:
                made = make(rng)
            except Redraw:
                continue
            made.family = family
            return made, rng.randint(1, 999999)
    raise RuntimeError("no problem of the family %s with seed %d and number %d" % (family, seed, k))
