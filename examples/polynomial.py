"""A polynomial of high degree by least squares: what double cannot do, double double and quad double can.

The exponential function is approximated on [-1, 1] by a polynomial of degree n in powers of x, fitted at 8 n points. The
best one has an error of about 2^-n / (n + 1)!, which is 10^-62 for n = 40. The columns of the matrix, powers of x, are
nearly dependent: its condition number grows like 2.4^n. Small residuals are found all the same, down to the precision that
is used; coefficients lose the digits of the condition number, and plumb says how many are left.

    python3 examples/polynomial.py [DEGREE]
"""

# %% The data: points are doubles, values of the function have 80 digits
import math
import sys
from fractions import Fraction

import plumb

degree = int(sys.argv[1]) if len(sys.argv) > 1 else 40
DIGITS = 80


def exponential(x):
    """The Taylor series, until its terms are below 10^-80."""
    term, total, k = Fraction(1), Fraction(1), 0
    while abs(term) > Fraction(1, 10**DIGITS):
        k += 1
        term = Fraction(round(term * x / k * 10 ** (2 * DIGITS)), 10 ** (2 * DIGITS))
        total += term
    return total


def chebyshev_points(count):
    """Close to both ends, so that the error is as small there as in the middle."""
    return [Fraction(math.cos(math.pi * (2 * k + 1) / (2 * count))) for k in range(count)]


points = chebyshev_points(8 * degree)
matrix = [[x**k for k in range(degree + 1)] for x in points]
values = [exponential(x) for x in points]

# %% How well a polynomial approximates between the points, computed exactly
checks = [Fraction(k, 97) for k in range(-97, 98)]
exact = [exponential(x) for x in checks]


def largest_error(coefficients):
    def value(x):
        total = Fraction(0)
        for c in reversed(coefficients):
            total = total * x + c
        return total

    return max(abs(value(x) - e) for x, e in zip(checks, exact))


# %% The fits; their coefficients are compared with those of quad double
best = None
for precision in ("qd", "dd", "d"):
    r = plumb.lstsq(matrix, values, precision)
    coefficients = plumb.array(r.x, "qd").to_fractions()
    best = best or coefficients
    apart = max(abs(a - b) for a, b in zip(coefficients, best)) / max(map(abs, best))
    agree = f", {-math.log10(apart):.1f} agree with those of qd" if apart else ""
    print(f"{precision:2}: largest error {float(largest_error(coefficients)):.1e}, condition number {r.condition:.1e}, "
          f"{r.digits:.1f} digits of the coefficients estimated{agree}")
