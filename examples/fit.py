"""A badly conditioned fit: plumb estimates how many digits are correct, and takes the precision that they need.

A polynomial of degree 10 is fitted to 82 points between -9 and -3. The data come from a known polynomial, so the exact
coefficients are known. The columns of the matrix are powers of x, and are nearly dependent.

    python3 examples/fit.py
"""

# %% The data
from fractions import Fraction

import numpy

import plumb

degree = 10
coefficients = [Fraction((-1) ** k * (k + 3), 7 * k + 1) for k in range(degree + 1)]
abscissas = [Fraction(-9) + Fraction(6 * k, 81) for k in range(82)]
matrix = [[x**k for k in range(degree + 1)] for x in abscissas]
values = [sum(c * p for c, p in zip(coefficients, row)) for row in matrix]


def correct_digits(x):
    """The number of digits in which the largest coefficient is right."""
    error = max(abs(a - b) for a, b in zip(plumb.array(x, "qd").to_fractions(), coefficients))
    largest = max(abs(c) for c in coefficients)
    return 64.0 if not error else -float(numpy.log10(float(error / largest)))


# %% NumPy, in double
A, b = numpy.array(matrix, dtype=float), numpy.array(values, dtype=float)
print(f"numpy.linalg.lstsq:  {correct_digits(numpy.linalg.lstsq(A, b, rcond=None)[0]):5.1f} correct digits")

# %% plumb, in each precision: the estimate promises what is there, or less
for precision in ("d", "dd", "qd"):
    r = plumb.lstsq(matrix, values, precision)
    print(f"plumb.lstsq in {precision:3}:   {correct_digits(r.x):5.1f} correct digits, {r.digits:.1f} estimated, "
          f"condition number {r.condition:.1e}")

# %% or in the precision that 20 digits take
r = plumb.lstsq(matrix, values, digits=20)
print(f"plumb.lstsq for 20 digits chooses {r.precision} and has {correct_digits(r.x):.1f}")
