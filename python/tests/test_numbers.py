"""Numbers of Python, NumPy, mpmath and SymPy become limbs, correctly rounded, and come back exactly."""

import decimal
import fractions
import math
import random

import mpmath
import numpy
import pytest
import sympy

import plumb

PRECISIONS = ("d", "dd", "qd")
LIMBS = {"d": 1, "dd": 2, "qd": 4}


def canonical(value, prec):
    """The expansion that docs/numbers.md defines, from the exact value."""
    limbs = []
    for _ in range(prec):
        limbs.append(value.numerator / value.denominator)
        value -= fractions.Fraction(limbs[-1])
    return limbs


def random_ratio(generator):
    numerator = generator.getrandbits(generator.choice((10, 60, 250))) * generator.choice((-1, 1))
    denominator = generator.getrandbits(generator.choice((1, 40, 250))) + 1
    return fractions.Fraction(numerator, denominator) * fractions.Fraction(2) ** generator.randint(-200, 200)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_fractions_are_rounded_to_nearest_and_come_back(precision):
    generator = random.Random(1)
    ratios = [random_ratio(generator) for _ in range(2000)]
    x = plumb.array(ratios, precision)
    for k, ratio in enumerate(ratios):
        assert x.limbs[k].tolist() == canonical(ratio, LIMBS[precision])
    again = plumb.array(x.to_fractions(), precision)
    assert numpy.array_equal(x.planes, again.planes)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_ten_thousand_numbers_survive_text_mpmath_and_fractions(precision):
    generator = numpy.random.default_rng(7)
    exponents = generator.integers(-250, 250, 10000)
    planes = numpy.zeros((LIMBS[precision], 10000))
    planes[0] = numpy.ldexp(generator.uniform(0.5, 1, 10000) * generator.choice((-1, 1), 10000), exponents)
    for k in range(1, LIMBS[precision]):
        planes[k] = planes[k - 1] * 2.0**-54 * generator.uniform(-0.9, 0.9, 10000)
    x = plumb.from_planes(planes, precision)
    for way in (x.to_strings(), x.to_mpmath(), x.to_fractions()):
        assert numpy.array_equal(plumb.array(way, precision).planes, planes)


def test_complex_numbers_survive():
    generator = random.Random(3)
    numbers = [mpmath.mpc(mpmath.mpf(generator.getrandbits(200)) / 3, generator.random()) for _ in range(500)]
    x = plumb.array(numbers, "qd")
    assert x.iscomplex and x.shape == (500,)
    assert numpy.array_equal(plumb.array(x.to_mpmath(), "qd").planes, x.planes)
    assert numpy.array_equal(plumb.array(x.to_strings(), "qd").planes, x.planes)


def test_mpmath_is_exact_whatever_its_working_precision():
    x = plumb.array("1/3", "qd")
    with mpmath.workdps(5):
        value = x.to_mpmath()
    with mpmath.workdps(100):
        assert abs(value - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -64
        third = mpmath.mpf(1) / 3
    assert numpy.array_equal(plumb.array(third, "qd").planes, x.planes)


@pytest.mark.parametrize("number, expected", [
    (True, 1), (3, 3), (2**64 + 1, 2**64 + 1), (0.1, fractions.Fraction(0.1)), ("0.1", fractions.Fraction(1, 10)),
    ("1/3", fractions.Fraction(1, 3)), (b"7", 7), (decimal.Decimal("0.3"), fractions.Fraction(3, 10)),
    (fractions.Fraction(2, 7), fractions.Fraction(2, 7)), (numpy.float32(0.1), fractions.Fraction(float(numpy.float32(0.1)))),
    (numpy.int64(2**62 + 1), 2**62 + 1), (numpy.uint64(2**64 - 1), 2**64 - 1), (mpmath.mpf(5) / 4, fractions.Fraction(5, 4)),
    (sympy.Rational(2, 3), fractions.Fraction(2, 3)), (sympy.Integer(9), 9), (sympy.Float("0.5"), fractions.Fraction(1, 2)),
    (numpy.longdouble(1) / 3, None), (10**5000 // 10**4999, 10)])
def test_kinds_of_numbers(number, expected):
    x = plumb.array(number, "qd")
    assert x.shape == () and not x.iscomplex
    if expected is None:
        expected = fractions.Fraction(0)
        while number:  # of 64 or 113 bits
            expected += fractions.Fraction(float(number))
            number -= float(number)
    assert x.planes.tolist() == canonical(fractions.Fraction(expected), 4)


@pytest.mark.parametrize("number", [2 + 3j, "2+3i", numpy.complex64(2 + 3j), mpmath.mpc(2, 3), 2 + 3 * sympy.I])
def test_kinds_of_complex_numbers(number):
    x = plumb.array([number, 1], "dd")
    assert x.iscomplex and complex(x[0]) == 2 + 3j and complex(x[1]) == 1


def test_irrational_constants_of_sympy():
    x = plumb.array([sympy.sqrt(2), sympy.pi], "qd")
    with mpmath.workdps(80):
        assert abs(x.to_mpmath()[0] - mpmath.sqrt(2)) < mpmath.mpf(10) ** -63
        assert abs(x.to_mpmath()[1] - mpmath.pi) < mpmath.mpf(10) ** -62


def test_lists_keep_every_number_exact():
    """NumPy would make texts of numbers beside texts, and doubles of integers beside doubles."""
    x = plumb.array([0.1, "0.1", 2**60 + 1, 0.5], "qd")
    assert x.to_fractions() == [fractions.Fraction(0.1), x[1].to_fractions(), 2**60 + 1, fractions.Fraction(1, 2)]
    assert x[0] != x[1]
    y = plumb.array([2**60 + 1, 0.5], "dd")
    assert y.to_fractions()[0] == 2**60 + 1
    z = plumb.array([[x[1], 2], [3, "1/3"]], "qd")
    assert z[0, 0] == x[1] and z.shape == (2, 2)


def test_matrices_of_mpmath_and_sympy():
    assert plumb.array(mpmath.matrix([[1, 2], [3, 4]])).to_numpy().tolist() == [[1, 2], [3, 4]]
    assert plumb.array(sympy.Matrix([[1, sympy.Rational(1, 2)]])).to_fractions() == [[1, fractions.Fraction(1, 2)]]


def test_special_values():
    x = plumb.array([math.inf, -math.inf, math.nan, -0.0], "dd")
    assert x.to_numpy()[:2].tolist() == [math.inf, -math.inf] and math.isnan(x.to_numpy()[2])
    assert str(x[0]) == "inf" and str(x[3]) == "-0"
    assert mpmath.isinf(x.to_mpmath()[0]) and mpmath.isnan(x.to_mpmath()[2])
    assert plumb.array(mpmath.inf, "dd").to_numpy() == math.inf and plumb.array(mpmath.nan, "dd") != 1
    with pytest.raises(plumb.ArgumentError):
        x.to_fractions()
    for huge in (10**400, "1e400", mpmath.mpf(10) ** 400, fractions.Fraction(10**400)):
        with pytest.raises(plumb.RangeError):
            plumb.array(huge, "dd")
    assert float(plumb.array(mpmath.mpf(10) ** -100000, "qd")) == 0.0


@pytest.mark.parametrize("bad", ["", "x", "1/0", "1.2.3", "one"])
def test_texts_that_are_no_numbers(bad):
    with pytest.raises(plumb.ParseError) as error:
        plumb.array(bad, "qd")
    assert "line 1" in str(error.value) and error.value.line == 1 and isinstance(error.value, ValueError)


@pytest.mark.parametrize("bad", [None, object(), {}, [None], [[1], [2, 3]], [{}], sympy.Symbol("x"),
                                 numpy.array(["2020-01-01"], dtype="datetime64[D]")])
def test_objects_that_are_no_numbers(bad):
    with pytest.raises((TypeError, ValueError)):
        plumb.array(bad, "qd")
