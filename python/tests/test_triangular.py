"""Cholesky factors and triangular systems, compared with products in the precision of the arrays."""

import numpy
import pytest

import plumb

DIGITS = {"d": 13, "dd": 28, "qd": 58}


def matrices(shape, precision, seed, iscomplex=True):
    """Positive definite matrices, exact in every precision."""
    rng = numpy.random.default_rng(seed)
    g = rng.integers(-9, 10, shape) + 1j * rng.integers(-9, 10, shape) * iscomplex
    a = g @ g.conj().swapaxes(-1, -2) + 5 * numpy.eye(shape[-1])
    return plumb.array(a if iscomplex else a.real, precision)


def adjoint(x):
    return numpy.conj(numpy.swapaxes(x, -1, -2))


def small(difference, scale, precision):
    return float(abs(difference).to_numpy().max()) <= 10.0**-DIGITS[precision] * scale


@pytest.mark.parametrize("precision", DIGITS)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (40, 40), (2, 3, 5, 5)])
@pytest.mark.parametrize("iscomplex", [False, True])
def test_factors_multiply_to_the_matrix(precision, shape, iscomplex):
    a = matrices(shape, precision, 1, iscomplex)
    lower, upper = plumb.cholesky(a), plumb.cholesky(a, upper=True)
    assert small(lower @ adjoint(lower) - a, 1e4, precision)
    assert small(adjoint(upper) @ upper - a, 1e4, precision)
    assert small(adjoint(upper) - lower, 1e2, precision)
    assert not numpy.any(numpy.triu(lower.to_numpy(), 1)) and lower.precision == precision
    b = plumb.array(numpy.arange(shape[-1] * 2.0).reshape(shape[-1], 2), precision)
    for factor, options in ((lower, {}), (upper, {"upper": True})):
        assert small(a @ plumb.cholesky_solve(factor, b, **options) - b, 1e6, precision)
    vector = plumb.cholesky_solve(lower, numpy.ones(shape[:-1]))
    assert vector.shape == shape[:-1]
    assert small((a @ vector.reshape(*vector.shape, 1))[..., 0] - 1, 1e5, precision)


@pytest.mark.parametrize("precision", DIGITS)
@pytest.mark.parametrize("trans", ["N", "T", "C", 0, 1, 2])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_systems(precision, trans, lower, unit):
    a = matrices((6, 6), precision, 2)
    half = (numpy.tril if lower else numpy.triu)(a.to_numpy())
    if unit:  # what is on the diagonal is not read
        half = half / 1024
        full = half + numpy.diag(1 - numpy.diag(half))
    else:
        full = half
    full, b = plumb.array(full, precision), plumb.array(numpy.arange(12.0).reshape(6, 2), precision)
    op = {"N": full, "T": full.T, "C": adjoint(full)}[{0: "N", 1: "T", 2: "C"}.get(trans, trans)]
    x = plumb.solve_triangular(plumb.array(half, precision) if unit else a, b, lower=lower, trans=trans, unit_diagonal=unit)
    assert small(op @ x - b, 1e6, precision)
    assert plumb.solve_triangular(a, [1.0] * 6, lower=lower).shape == (6,)


def test_what_has_no_factor():
    with pytest.raises(plumb.SingularError, match="leading 2 x 2"):
        plumb.cholesky([[1, 2], [2, 1]])
    with pytest.raises(numpy.linalg.LinAlgError, match="matrix 1 is not"):
        numpy.linalg.cholesky(plumb.array([[[1, 0], [0, 1]], [[1, 2], [2, 1]]], "dd"))
    with pytest.raises(plumb.NonfiniteError):
        plumb.cholesky([[float("inf")]])
    with pytest.raises(plumb.ArgumentError, match="square"):
        plumb.cholesky([[1, 2]])
    with pytest.raises(plumb.SingularError, match="entry 1 of the diagonal"):
        plumb.solve_triangular([[1, 2], [0, 0]], [1, 2])
    with pytest.raises(plumb.ArgumentError, match="trans"):
        plumb.solve_triangular([[1.0]], [1.0], trans="H")
    with pytest.raises(plumb.ArgumentError, match="expected 2 rows"):
        plumb.cholesky_solve([[1.0, 0], [0, 1]], [1.0])
    assert plumb.cholesky(numpy.zeros((0, 0))).shape == (0, 0)
