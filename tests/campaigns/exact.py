"""exact.py - what the campaign `answers` computes exactly: Gaussian rationals, polynomials with such coefficients, linear systems,
and the roots of a polynomial in one unknown, each in a disc that is proven to contain this root and no other."""

import decimal
import math
from fractions import Fraction

DIGITS = 300  # of roots that are not rational


class Redraw(Exception):
    """The random numbers do not give a problem whose answer is known; the next ones may."""


# ---- Gaussian rationals

class Gauss:
    """re + im*i with fractions re and im."""

    __slots__ = ("re", "im")

    def __init__(self, re=0, im=0):
        self.re, self.im = Fraction(re), Fraction(im)

    @staticmethod
    def of(value):
        return value if isinstance(value, Gauss) else Gauss(value)

    def __add__(self, other):
        other = Gauss.of(other)
        return Gauss(self.re + other.re, self.im + other.im)

    def __sub__(self, other):
        other = Gauss.of(other)
        return Gauss(self.re - other.re, self.im - other.im)

    def __rsub__(self, other):
        return Gauss.of(other) - self

    def __mul__(self, other):
        other = Gauss.of(other)
        if not self.im and not other.im:
            return Gauss(self.re * other.re)
        return Gauss(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other):
        other = Gauss.of(other)
        size = other.re * other.re + other.im * other.im
        return self * Gauss(other.re / size, -other.im / size)

    def __neg__(self):
        return Gauss(-self.re, -self.im)

    def __pow__(self, power):
        product = Gauss(1)
        for _ in range(power):
            product = product * self
        return product

    def __eq__(self, other):
        other = Gauss.of(other)
        return self.re == other.re and self.im == other.im

    def __bool__(self):
        return bool(self.re) or bool(self.im)

    def __hash__(self):
        return hash((self.re, self.im))

    def __repr__(self):
        return "%.8g%+.8gi" % (to_float(self.re), to_float(self.im))

    __radd__, __rmul__ = __add__, __mul__


def to_float(value):
    """A fraction as the nearest double, also beyond the range of its numerator."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def modulus(z):
    """|z| rounded to double, of numbers whose squares are beyond the range of a double, too."""
    re, im = abs(to_float(z.re)), abs(to_float(z.im))
    return math.hypot(re, im)


def distance(a, b):
    """The largest distance of two coordinates."""
    return max(modulus(p - q) for p, q in zip(a, b))


def unlike(a, b):
    """The largest distance of two coordinates, relative to these: tells points apart that differ in tiny ones."""
    return max((modulus(p - q) / (modulus(p) + modulus(q)) for p, q in zip(a, b) if p or q), default=0.0)


# ---- Polynomials

class Poly:
    """A polynomial in n unknowns: tuples of n exponents to Gaussian rationals other than zero."""

    def __init__(self, n, terms):
        self.n, self.terms = n, {key: c for key, c in terms.items() if c}

    @staticmethod
    def constant(n, value):
        return Poly(n, {(0,) * n: Gauss.of(value)})

    @staticmethod
    def unknown(n, k):
        return Poly(n, {tuple(int(i == k) for i in range(n)): Gauss(1)})

    @staticmethod
    def linear(coefficients, constant):
        n = len(coefficients)
        poly = Poly.constant(n, constant)
        for k, c in enumerate(coefficients):
            poly = poly + Poly.unknown(n, k) * c
        return poly

    def of(self, other):
        return other if isinstance(other, Poly) else Poly.constant(self.n, other)

    def __add__(self, other):
        terms = dict(self.terms)
        for key, c in self.of(other).terms.items():
            terms[key] = terms[key] + c if key in terms else c
        return Poly(self.n, terms)

    def __neg__(self):
        return Poly(self.n, {key: -c for key, c in self.terms.items()})

    def __sub__(self, other):
        return self + -self.of(other)

    def __rsub__(self, other):
        return self.of(other) - self

    def __mul__(self, other):
        terms = {}
        for a, p in self.terms.items():
            for b, q in self.of(other).terms.items():
                key = tuple(i + j for i, j in zip(a, b))
                terms[key] = terms[key] + p * q if key in terms else p * q
        return Poly(self.n, terms)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, power):
        product = Poly.constant(self.n, 1)
        for _ in range(power):
            product = product * self
        return product

    def degree(self):
        return max((sum(key) for key in self.terms), default=0)

    def at(self, point):
        """The value at a point, a list of Gaussian rationals or of polynomials."""
        powers, total = {}, point[0] * 0
        for key, c in self.terms.items():
            term = c
            for k, power in enumerate(key):
                if power:
                    if (k, power) not in powers:
                        powers[k, power] = point[k] ** power
                    term = powers[k, power] * term
            total = total + term
        return total

    def size_at(self, sizes):
        """The sum of the moduli of the terms, where unknowns have these moduli."""
        return sum((abs(c.re) + abs(c.im)) * math.prod(s ** power for s, power in zip(sizes, key)) for key, c in self.terms.items())

    def derivative(self, k):
        return Poly(self.n, {key[:k] + (key[k] - 1,) + key[k + 1:]: c * key[k] for key, c in self.terms.items() if key[k]})

    def text(self, names):
        """As plumb and Singular read it."""
        words = []
        for key, c in sorted(self.terms.items(), reverse=True):
            product = "*".join(name if power == 1 else "%s^%d" % (name, power) for name, power in zip(names, key) if power)
            if c.im:
                number, sign = "(%s%s%s*i)" % (rational(c.re), "+" if c.im > 0 else "-", rational(abs(c.im))), "+"
            else:
                number, sign = rational(abs(c.re)), "-" if c.re < 0 else "+"
            words.append(sign + (product if product and number == "1" else number + "*" + product if product else number))
        text = "".join(words) or "0"
        return text[1:] if text[0] == "+" else text


def rational(value):
    """A fraction, with powers of ten as such."""
    top, bottom = value.numerator, value.denominator
    zeros = 0
    while bottom % 10 == 0:
        bottom, zeros = bottom // 10, zeros + 1
    text = str(top)
    if bottom > 1:
        text += "/%d" % bottom
    if zeros:
        text += "/10^%d" % zeros if zeros > 3 else "/%d" % 10 ** zeros
    return text


# ---- Linear algebra

def echelon(rows):
    """The reduced row echelon form of a matrix of fractions or Gaussian rationals, and its pivot columns."""
    rows, pivots, r = [list(row) for row in rows], [], 0
    for c in range(len(rows[0]) if rows else 0):
        k = next((k for k in range(r, len(rows)) if rows[k][c]), None)
        if k is None:
            continue
        rows[r], rows[k] = rows[k], rows[r]
        head = rows[r][c]
        rows[r] = [v / head for v in rows[r]]
        for m in range(len(rows)):
            if m != r and rows[m][c]:
                factor = rows[m][c]
                rows[m] = [v - factor * w for v, w in zip(rows[m], rows[r])]
        pivots.append(c)
        r += 1
    return rows[:r], pivots


def rank(rows):
    return len(echelon(rows)[1]) if rows else 0


def solve_linear(rows, right):
    """The solutions of rows * x = right: a point and the dimension of the solutions; None if there is none."""
    n = len(rows[0])
    reduced, pivots = echelon([list(row) + [b] for row, b in zip(rows, right)])
    if n in pivots:
        return None
    point = [Fraction(0)] * n
    for row, c in zip(reduced, pivots):
        point[c] = row[n]
    return point, n - len(pivots)


# ---- Roots in one unknown

def square_root(value):
    """The square root of a fraction above 0: exactly, or to DIGITS digits."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    shift = 10 ** (DIGITS + len(str(value.denominator)))
    return Fraction(math.isqrt(value.numerator * shift * shift // value.denominator), shift)


def roots_of(coefficients):
    """The roots of a polynomial with simple roots (fractions, from the constant on) to about DIGITS digits, by the method of Ehrlich
    and Aberth. Smith's discs prove that there is one root in each; a disc that meets the real axis has a real one."""
    coefficients = list(coefficients)
    while not coefficients[-1]:
        coefficients.pop()
    zero = []
    if not coefficients[0]:
        zero = [Gauss(0)]
        coefficients = coefficients[1:]
    n = len(coefficients) - 1
    if n < 1 or not coefficients[0]:
        if n < 1:
            return zero
        raise Redraw
    with decimal.localcontext() as context:
        context.Emax, context.Emin, context.prec = decimal.MAX_EMAX, decimal.MIN_EMIN, 30
        guesses = first_guesses(coefficients)
        for precision, most in ((30, 60), (150, 200), (2 * DIGITS, 3)):
            context.prec = precision
            c = [decimal.Decimal(f.numerator) / decimal.Decimal(f.denominator) for f in coefficients]
            small, last, turns = decimal.Decimal(10) ** (10 - precision // 2), None, 0
            while turns < most and (last is None or last > small):
                moved = max(aberth(c, guesses, k, small) for k in range(n))
                if precision == 30 and last is not None and moved < 1e-3 and moved > last / 2:
                    break  # close roots: these digits do not suffice
                last, turns = moved, turns + 1
        context.prec = DIGITS + 20
        guesses = [(+re, +im) for re, im in guesses]
        context.prec = 3 * DIGITS  # so that rounding errors are far below the radii
        c = [decimal.Decimal(f.numerator) / decimal.Decimal(f.denominator) for f in coefficients]
        for k in range(n):
            radius, gap = disc(c, guesses, k)
            re, im = guesses[k]
            if radius * 10 ** 60 > gap or radius > decimal.Decimal(10) ** -200 * (abs(re) + abs(im)):
                raise Redraw
            if abs(im) <= radius:
                guesses[k] = re, decimal.Decimal(0)
        return zero + [Gauss(Fraction(re), Fraction(im)) for re, im in guesses]


def first_guesses(coefficients):
    """Moduli from the Newton polygon of the coefficients, with odd arguments."""
    logs = [(k, log10(c)) for k, c in enumerate(coefficients) if c]
    hull = []
    for k, height in logs:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (k - hull[-2][0]) <= (height - hull[-2][1]) * (hull[-1][0] - hull[-2][0]):
            hull.pop()
        hull.append((k, height))
    guesses = []
    for (a, low), (b, high) in zip(hull, hull[1:]):
        size = decimal.Decimal(10) ** decimal.Decimal(repr((low - high) / (b - a)))
        for k in range(b - a):
            angle = 2 * math.pi * (k + 0.17) / (b - a) + 0.7 * a
            guesses.append((size * decimal.Decimal(repr(math.cos(angle))), size * decimal.Decimal(repr(math.sin(angle)))))
    return guesses


def log10(value):
    value = abs(value)
    top, bottom = str(value.numerator), str(value.denominator)
    return math.log10(float(top[:17])) - math.log10(float(bottom[:17])) + len(top[17:]) - len(bottom[17:])


def times(a, b):
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def inverse(a):
    size = a[0] * a[0] + a[1] * a[1]
    return a[0] / size, -a[1] / size


def aberth(c, guesses, k, small):
    """Moves one guess; returns the size of the correction over that of the guess."""
    z, zero = guesses[k], decimal.Decimal(0)
    value, slope = (c[-1], zero), (zero, zero)
    for coefficient in reversed(c[:-1]):
        slope = times(slope, z)
        slope = slope[0] + value[0], slope[1] + value[1]
        value = times(value, z)
        value = value[0] + coefficient, value[1]
    if value == (0, 0):
        return zero
    quotient = times(slope, inverse(value))  # p'/p
    for m, other in enumerate(guesses):
        if m != k:
            gap = z[0] - other[0], z[1] - other[1]
            if gap == (0, 0):
                gap = abs(z[0]) * small, zero
            near = inverse(gap)
            quotient = quotient[0] - near[0], quotient[1] - near[1]
    if quotient == (0, 0):
        return decimal.Decimal(1)
    step = inverse(quotient)
    guesses[k] = z[0] - step[0], z[1] - step[1]
    return (abs(step[0]) + abs(step[1])) / (abs(z[0]) + abs(z[1]))


def disc(c, roots, k):
    """Smith's radius around root k, and its smallest distance from another one."""
    z, value = roots[k], (c[-1], decimal.Decimal(0))
    for coefficient in reversed(c[:-1]):
        value = times(value, z)
        value = value[0] + coefficient, value[1]
    radius, gap = len(roots) * (abs(value[0]) + abs(value[1])) / abs(c[-1]), decimal.Decimal("inf")
    for m, root in enumerate(roots):
        if m != k:
            apart = max(abs(root[0] - z[0]), abs(root[1] - z[1]))
            if not apart:
                raise Redraw
            radius /= apart
            gap = min(gap, apart)
    return radius, gap
