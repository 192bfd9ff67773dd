"""NumPy's functions of Arrays: the digits of mpmath or a TypeError, never a double without being asked."""

import itertools
import operator
import pathlib
import re

import mpmath
import numpy
import pytest

import numpy_calls
import plumb

OURS, THEIRS = numpy_calls.arrays()
KEPT = {call: oracle or call for calls in numpy_calls.KEPT.values() for call, oracle in calls.items()}
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python-numpy.md"


def numbers_of(found):
    return found.to_mpmath() if isinstance(found, plumb.Array) else found


@pytest.mark.parametrize("call", KEPT)
def test_digits_of(call):
    found = numpy_calls.called(call, OURS)
    with mpmath.workdps(120):
        exact = numpy_calls.called(KEPT[call], THEIRS)
    if isinstance(found, plumb.Array):
        assert found.precision == numpy_calls.PRECISION
        rounded = numpy.empty(found.shape, dtype=object)
        for index in numpy.ndindex(*found.shape):
            rounded[index] = found[index].to_mpmath()
        exact = numpy.asarray(exact, dtype=object)
        assert found.shape == exact.shape
        with mpmath.workdps(120):
            for one, other in zip(rounded.flat, exact.flat):
                assert abs(one - other) <= mpmath.mpf(10)**-numpy_calls.DIGITS * (abs(other) + 1), call
    else:  # places, truth values, shapes: no rounding is possible
        assert not isinstance(found, (float, complex, numpy.floating)) and getattr(found, "dtype", numpy.dtype(int)).kind in "bi"
        assert all(map(numpy.array_equal, found, exact)) if isinstance(found, tuple) else numpy.array_equal(found, exact)


@pytest.mark.parametrize("call", numpy_calls.REFUSED)
def test_refusal_of(call):
    said = numpy_calls.message_of(call, OURS)
    assert said and "NotImplemented" not in said and "NoneType" not in said, said


def test_there_are_more_than_a_hundred():
    assert len(KEPT) >= 100


@pytest.mark.skipif(int(numpy.__version__.split(".")[0]) != 1, reason="messages of NumPy differ between versions")
def test_the_page_is_up_to_date():
    assert numpy_calls.page() == PAGE.read_text(), "run python3 python/tests/numpy_calls.py >docs/python-numpy.md"


SHAPES = [(), (1,), (5,), (0,), (3, 4), (1, 4), (0, 3), (2, 3, 4), (2, 1, 3)]
OF_ONE = [lambda x, name=name: getattr(numpy, name)(x) for name in (
    "negative absolute square conjugate floor ceil rint trunc sign isnan isfinite signbit logical_not positive ravel transpose sort "
    "unique squeeze atleast_2d nonzero argwhere zeros_like ones_like triu diag cumsum cumprod diff trace flip").split()] + [
    lambda x, name=name, axis=axis: getattr(numpy, name)(x, axis=axis) for axis in (None, 0, -1) for name in
    "sum prod max min mean var std ptp median any all argmax argmin count_nonzero cumsum cumprod".split()] + [
    lambda x, name=name: getattr(numpy, name)(x, axis=(0, 1), keepdims=True) for name in "sum prod max min mean var std any all".split()] + [
    lambda x: numpy.argsort(x, kind="stable"), lambda x: numpy.sum(x, where=x == x, initial=2), lambda x: numpy.linalg.norm(x), lambda x: numpy.linalg.norm(x, 1),
    lambda x: numpy.linalg.norm(x, axis=-1, keepdims=True), lambda x: numpy.pad(x, 1, mode="edge"), lambda x: numpy.repeat(x, 2),
    lambda x: numpy.concatenate([x, x], axis=-1), lambda x: numpy.stack([x, x]), lambda x: numpy.tile(x, (2, 1)), lambda x: numpy.roll(x, 1),
    lambda x: numpy.array_split(x, 2), lambda x: numpy.take(x, [0, -1]), lambda x: numpy.where(x == x, x, 1), lambda x: numpy.append(x, [1, 2]),
    lambda x: numpy.unique(x, return_index=True, return_inverse=True, return_counts=True), lambda x: numpy.quantile(x, 0.25),
    lambda x: numpy.linalg.det(x), lambda x: numpy.average(x, axis=0), lambda x: numpy.expand_dims(x, 0), lambda x: numpy.delete(x, [0])]
OF_TWO = [lambda x, y, name=name: getattr(numpy, name)(x, y) for name in (
    "add subtract multiply divide maximum minimum less less_equal greater equal not_equal floor_divide remainder fmod hypot copysign "
    "logical_and fmax fmin dot matmul inner outer kron vdot searchsorted isclose array_equal append convolve polyval").split()] + [
    lambda x, y: numpy.tensordot(x, y, 1), lambda x, y: numpy.einsum("ij,jk", x, y), lambda x, y: numpy.einsum("...i,...i", x, y),
    lambda x, y: numpy.add.outer(x, y)]


def doubles_of(found):
    if isinstance(found, (list, tuple)):
        return [doubles_of(one) for one in found]
    return found.to_numpy() if isinstance(found, plumb.Array) else numpy.asarray(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("functions, count", [(OF_ONE, 1), (OF_TWO, 2)])
def test_shapes_and_axes_are_those_of_numpy(functions, count):
    """Small integers: NumPy's doubles have the result, with its shape, or an exception where we have one, too."""
    generator = numpy.random.default_rng(3)
    compared = 0
    for shapes in itertools.product(SHAPES, repeat=count):
        given = [generator.integers(-4, 5, shape).astype(float) for shape in shapes]
        for number, function in enumerate(functions):
            try:
                expected = function(*given)
            except Exception:
                if () not in shapes:  # some functions of NumPy have an axis 0 there, and some have not
                    with pytest.raises(Exception):
                        function(*(plumb.array(one, "dd") for one in given))
                continue
            found = function(*(plumb.array(one, "dd") for one in given))
            pairs = zip(doubles_of(found), expected) if isinstance(expected, (list, tuple)) else [(doubles_of(found), expected)]
            for ours, theirs in pairs:
                assert ours.shape == numpy.shape(theirs), (number, shapes)
                assert numpy.allclose(ours, theirs, rtol=1e-12, atol=1e-12, equal_nan=True), (number, shapes)
            compared += 1
    assert compared > 500


# Functions for which an Array in second place is no number of the result: a tolerance, a choice, a name.
CHOICES = {"bmat", "filled", "mask_cols", "mask_rowcols", "mask_rows", "ndenumerate", "real_if_close"}
# DLPack hands out limbs, which are not rounded, and functions of types give back a default.
CONVERSIONS = {"from_dlpack", "mintypecode", "obj2sctype"}
# They read and write files, print, change settings of NumPy, or (rot90) change an array of doubles by themselves.
LEFT_OUT = re.compile("_|save|set|gen|rec|disp|err|from(file|regex)|load|test$|info$|lookfor|source|show|rot90")
MODULES = ("", "linalg", "fft", "ma", "polynomial.polynomial", "polynomial.chebyshev", "lib.scimath", "lib.stride_tricks")


def public_functions():
    """Every function of NumPy that has a public name, and the methods of its universal functions."""
    for module in MODULES:
        whole = operator.attrgetter(module)(numpy) if module else numpy
        for name in sorted(dir(whole)):
            function = None if LEFT_OUT.match(name) else getattr(whole, name, None)
            if callable(function) and not isinstance(function, type):
                yield name, function
                for method in ("reduce", "accumulate", "outer", "reduceat", "at") if isinstance(function, numpy.ufunc) else ():
                    yield name, getattr(function, method)


def has_doubles(found, depth=0):
    """Whether a result has floating-point numbers that are no Arrays."""
    if isinstance(found, (float, complex, numpy.inexact)):
        return True
    if isinstance(found, numpy.ndarray):
        return found.dtype.kind in "fc" and found.size > 0
    if isinstance(found, (list, tuple)) and depth < 3:
        return any(has_doubles(one, depth + 1) for one in found)
    return False


@pytest.mark.filterwarnings("ignore")
def test_no_function_rounds_silently():
    """All functions of NumPy, with Arrays in the usual places: none returns doubles, and no array of doubles has changed."""
    v, m, f, g = OURS["v"], OURS["m"], numpy.arange(0.5, 4), numpy.arange(9.0).reshape(3, 3)
    calls = [(v,), (m,), (v[0],), (v, v), (m, m), (v, f), (m, g), (v, 2), (m, 1), (v, [0, 1], v[:2]), (m, m, m), (v > 0, v, f), (0, v[0], 5)]
    mixed = [(f, v), (g, m), (2, v)]
    rounding, answers = set(), 0
    for name, function in public_functions():
        for given in calls + (mixed if name not in CHOICES else []):
            copies = [one.copy() if isinstance(one, plumb.Array) else one for one in given]
            found = None
            try:
                found = function(*copies)
                answers += 1
            except Exception:
                pass
            if has_doubles(found) and name not in CONVERSIONS:
                rounding.add((name, getattr(function, "__name__", ""), str(given)[:200]))
            if not (numpy.array_equal(f, numpy.arange(0.5, 4)) and numpy.array_equal(g, numpy.arange(9.0).reshape(3, 3))):
                rounding.add((name, "has changed doubles", str(given)[:200]))
                f[...], g[...] = numpy.arange(0.5, 4), numpy.arange(9.0).reshape(3, 3)
    assert not rounding and answers > 500, rounding


def test_arguments_by_place_are_those_of_numpy():
    """What NumPy calls the fourth argument is not ours: the same call with all arguments by place, and by name."""
    a, v = OURS["a"], OURS["v"]
    out = plumb.zeros(4, "qd")
    assert numpy.sum(a, 0, None, out) is out and numpy.all(out == a.sum(axis=0))
    assert numpy.all(numpy.quantile(a, 0.25, 0, None, False, "linear", True) == numpy.quantile(a, 0.25, axis=0, keepdims=True))
    assert numpy.all(numpy.std(a, 1, None, None, 1, True) == numpy.std(a, axis=1, ddof=1, keepdims=True))
    assert numpy.all(numpy.median(a, 0, None, False, True) == numpy.median(a, axis=0, keepdims=True))
    for wrong in (lambda: numpy.sum(a, 0, float), lambda: numpy.cross(a, a, 0), lambda: numpy.linalg.matrix_rank(a, 1e-3),
                  lambda: numpy.array2string(v, precision=3), lambda: numpy.dot(v, v, v), lambda: numpy.ldexp(v, v)):
        with pytest.raises(TypeError, match="numpy|exponent"):
            wrong()
    doubles = numpy.ones(4)
    assert numpy.cov(doubles, v).precision == numpy.percentile(doubles, abs(v[0])).precision == "qd"
