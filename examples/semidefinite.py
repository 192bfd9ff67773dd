"""A semidefinite program in double double: an interior point method on plumb's matrix products and Cholesky factors.

A polynomial p of degree 2d in one variable is at least c everywhere if p - c is a sum of squares, that is, v^T X v with a positive
semidefinite X, where v has the powers of x up to d. The largest c is the minimum of p. The dual matrix Z has the moments of the
points where the minimum is attained: Z[i, j] is the mean of x^(i + j).

Here p is the Chebyshev polynomial of degree 2d, whose minimum is -1. It is attained at d points, so that Z has the rank d, and
powers of x are nearly dependent: in double, the method ends with few correct digits or none; in double double it goes on.

    python3 examples/semidefinite.py [DEGREE]
"""

# %% The program: minimise the inner product of C and X, where those of A[k] and X are b[k]
import sys

import numpy

import plumb


def chebyshev(degree):
    """The coefficients, from that of 1 on: integers."""
    before, now = [1], [0, 1]
    for _ in range(degree - 1):
        before, now = now, [2 * a - b for a, b in zip([0, *now], [*before, 0, 0])]
    return now


def minimum_of(polynomial):
    """A, b and C. The minimum is p[0] minus the inner product of C and X."""
    size = len(polynomial) // 2 + 1
    A = numpy.zeros((len(polynomial) - 1, size, size))
    for i in range(size):
        for j in range(size):
            if i + j > 0:
                A[i + j - 1, i, j] = 1  # sums along antidiagonals are coefficients
    C = numpy.zeros((size, size))
    C[0, 0] = 1
    return A, numpy.array(polynomial[1:], dtype=float), C


# %% The method: Newton steps towards X Z = mu I, with mu going to zero (Helmberg, Rendl, Vanderbei and Wolkowicz 1996)
def is_definite(x):
    try:
        plumb.cholesky(x)
        return True
    except plumb.SingularError:
        return False


def step_length(x, dx):
    """The largest step of 1, 0.8, 0.64, ... that stays inside the cone, with some distance to its boundary."""
    step = 1.0
    while not is_definite(x + dx * (step / 0.9)):
        step *= 0.8
    return step


def inner(x, y):
    return (x * y).sum()


def symmetric(x):
    return (x + x.T) / 2


def solve(A, b, C, precision, tolerance):
    """X, the dual objective, and the number of steps."""
    A, b, C = (plumb.array(one, precision) for one in (A, b, C))
    m, n = A.shape[:2]
    flat = A.reshape(m, n * n)
    eye = plumb.eye(n, precision=precision)
    X, Z, y = eye * n, eye * (2 * n), plumb.zeros(m, precision)
    for steps in range(1, 200):
        mu = float(inner(X, Z)) / n
        primal, dual = b - flat @ X.reshape(n * n), C - (flat.T @ y).reshape(n, n) - Z
        errors = max(abs(primal).to_numpy().max(), abs(dual).to_numpy().max(), mu * n)
        if errors < tolerance:
            break
        target = mu / 10
        if not is_definite(Z):  # the precision is exhausted
            break
        inverse = plumb.cholesky_solve(plumb.cholesky(Z), eye)  # of Z
        columns = (X @ A @ inverse).reshape(m, n * n)  # for all A at a time
        schur = flat @ columns.T
        rest = primal - flat @ (target * inverse - X - X @ dual @ inverse).reshape(n * n)
        try:
            dy = plumb.cholesky_solve(plumb.cholesky((schur + schur.T) / 2), rest)
        except plumb.SingularError:  # likewise
            break
        dZ = dual - (flat.T @ dy).reshape(n, n)
        dX = symmetric(target * inverse - X - X @ dZ @ inverse)
        along_x, along_z = step_length(X, dX), step_length(Z, dZ)
        if min(along_x, along_z) < 1e-6:
            break
        X, y, Z = symmetric(X + dX * along_x), y + dy * along_z, symmetric(Z + dZ * along_z)
    return X, b @ y, steps


# %% In double, double double and quad double
degree = int(sys.argv[1]) if len(sys.argv) > 1 else 16
polynomial = chebyshev(degree)
for precision, tolerance in (("d", 1e-13), ("dd", 1e-24), ("qd", 1e-50)):
    X, value, steps = solve(*minimum_of(polynomial), precision, tolerance)
    found = polynomial[0] - value
    error = abs(float(found + 1))
    print(f"{precision:2}: minimum {found.to_strings(20)}, error {error:.1e}, {steps} steps")
