"""Numbers of Arrays among Python's own: conversions, formats, hashes, comparisons and copies."""

import copy
import decimal
import fractions
import math
import pickle
import random

import mpmath
import numpy
import pytest

import plumb

THIRD = plumb.array("1/3", "qd")
RANDOM = random.Random(4)


@pytest.mark.parametrize("spec", ["", ".30f", ".0f", "#.0f", "f", "e", "g", ".40e", ".3g", "#.3g", ".60g", ">50.20f", "<30.5e", "^30.5e", "*^30.3f", "+.3f", " .3f",
                                  "030.10f", "+030.10e", ",.3f", "_.2f", "E", "G", "=+20.3f", "20.4G", "040,.2f", "+060_.10g", ">040.20e", "<020.3f", "^ 024.1g"])
def test_formats_are_those_of_floats(spec):
    """Of doubles the same text, and of others the same form."""
    for value in [0.0, -0.0, 1.0, -1.5, 0.1, 1e-7, 123456789.123, 1e22, 5e-324, 1.7e308, 9.9999999, -2.5e-5, 999999.5,
                  *(RANDOM.uniform(-1, 1) * 10.0**RANDOM.randint(-20, 20) for _ in range(50))]:
        for precision in ("d", "dd", "qd"):
            expected = format(value, spec)
            if spec == "":
                continue
            assert format(plumb.array(value, precision), spec) == expected, (value, spec)


def test_formats_have_all_digits():
    assert f"{THIRD:.5%}" == "33.33333%" and f"{THIRD:.50f}" == "0." + "3" * 50 and f"{-THIRD:>40.30e}" == "   -3." + "3" * 30 + "e-01"
    assert f"{plumb.array('2/3', 'qd'):.60f}" == "0." + "6" * 59 + "7"
    assert f"{plumb.array('(1/3 + 2*i)'):.5f}" == "0.33333+2.00000j" and f"{plumb.array(1 - 2j):>12.1f}" == format(1 - 2j, ">12.1f")
    assert f"{plumb.array(math.inf):10.3f}" == format(math.inf, "10.3f") and f"{THIRD}" == str(THIRD)
    assert "{:.3f}".format(plumb.array(["1/3"], "dd")[0]) == "0.333" and "%.3f" % THIRD == "0.333"
    # A format that asks for no digits has those of str(), as that of a float has those of repr().
    assert f"{THIRD:70}" == format(str(THIRD), ">70") and f"{-THIRD:=+70}" == "-" + format(str(THIRD), ">69")
    assert f"{plumb.array('1/3+2i'):<80}" == format(str(plumb.array("1/3+2i")), "<80")
    with pytest.raises(ValueError):
        format(THIRD, "x")
    with pytest.raises(TypeError, match="to_strings"):
        format(plumb.array([1, 2]), ".3f")


@pytest.mark.parametrize("number", [0, 1, -1, 2**60, -2**70, 0.5, -0.0, 1e300, 0.1, fractions.Fraction(3, 8), decimal.Decimal("0.25"), 1j,
                                    1.5 - 2j, math.inf, -math.inf, mpmath.mpf("1.25"), mpmath.mpc(1, 2), numpy.float32(0.1), numpy.int8(3)])
@pytest.mark.parametrize("precision", ["d", "dd", "qd"])
def test_equal_numbers_have_equal_hashes(number, precision):
    if precision == "d" and number == -2**70 + 1:
        return
    x = plumb.array(number, precision)
    assert x == number and number == x and hash(x) == hash(number) and {number: 5}[x] == 5 and x in {number}
    assert not x != number


def test_hashes_of_numbers_that_only_limbs_hold():
    value = fractions.Fraction(1) + fractions.Fraction(1, 2**80)
    x = plumb.array(value, "dd")
    assert x == value and hash(x) == hash(value) == hash(x.astype("qd")) and x != 1 and len({x, x.astype("qd"), value}) == 1
    assert hash(plumb.array(math.nan)) == hash(plumb.array(math.nan)) or True  # no exception
    with pytest.raises(TypeError):
        hash(plumb.array([1, 2]))
    assert plumb.array("1e30").is_integer() and not x.is_integer() and not plumb.array(math.inf).is_integer()


def test_comparisons_are_exact():
    """A number is compared as it is, not as it would be rounded to the precision of the array."""
    third, tenth = fractions.Fraction(1, 3), decimal.Decimal("0.1")
    assert THIRD != third and not THIRD == third and (THIRD < third) == (THIRD.to_fractions() < third)
    assert (THIRD > third) != (THIRD < third) and (third > THIRD) == (THIRD < third)
    assert plumb.array("0.1", "qd") != tenth and plumb.array("0.1", "qd") == "0.1" and plumb.array(0.1, "qd") == 0.1
    big = 2**200 + 1
    assert plumb.array(big, "d") != big and plumb.array(big, "d") == 2**200 and plumb.array(big, "d") < big
    with mpmath.workdps(100):
        assert THIRD != mpmath.mpf(1) / 3 and THIRD == THIRD.to_mpmath() and THIRD.to_mpmath() == THIRD
    x = plumb.array(["1/3", "1/2"], "dd")
    assert (x == [third, fractions.Fraction(1, 2)]).tolist() == [False, True]
    assert (x <= numpy.array([0.5, 0.5])).tolist() == [True, True]


def test_conversions():
    x = plumb.array("1e20", "dd") + plumb.array("1/2", "dd")
    assert int(x) == 10**20 and math.floor(-x) == -10**20 - 1 and math.ceil(x) == 10**20 + 1 and math.trunc(-x) == -10**20
    assert round(x) == 10**20 and round(x + 1) == 10**20 + 2 and isinstance(round(x), int)
    assert round(THIRD, 5) == "0.33333" and round(THIRD, 5).precision == "qd" and round(plumb.array("12345.6"), -2) == 12300
    assert x.as_integer_ratio() == (2 * 10**20 + 1, 2) and math.sqrt(plumb.array(4)) == 2.0 and complex(THIRD) == 1 / 3
    assert list(range(5))[int(plumb.array(3))] == 3 and divmod(7, 2) == tuple(map(int, numpy.divmod(plumb.array(7), plumb.array(2))))
    for bad in (plumb.array(math.inf), plumb.array(1j), plumb.array([1, 2])):
        with pytest.raises((TypeError, ValueError)):
            int(bad)


def test_copies():
    x = plumb.array([["1/3", 2]], "qd")
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.copy()):
        assert numpy.array_equal(again.planes, x.planes) and again.precision == "qd"
        again[0, 0] = 5
        assert x[0, 0] == "1/3"
    root = plumb.solve(["x^2 + y^2 = 3", "x*y = 1"])[0]["x"].real  # its digits that are known stay known
    assert str(pickle.loads(pickle.dumps(root))) == str(copy.deepcopy(root)) == str(root) and len(str(root)) < 30
    one = x[0, 0]
    x[0, 0] = 7
    assert one == "1/3" and copy.deepcopy({"a": [one]})["a"][0] == one  # a number does not change with its array


def test_operations_in_place():
    x = plumb.array([1, 2], "dd")
    same, part = x, x[1:]
    x += 1
    x *= "1/2"
    assert x is same and x[0] == 1 and part[0] == "3/2"
    number = x[0]
    number += 1
    assert x[0] == 1 and number == 2  # numbers are replaced
    with pytest.raises(TypeError, match="qd"):
        x += plumb.array([1, 2], "qd")
    with pytest.raises(TypeError, match="complex"):
        x -= 1j
    doubles = numpy.zeros(2)
    with pytest.raises(TypeError, match="double"):
        doubles += x


@pytest.mark.parametrize("precision, digits", [("d", 17), ("dd", 32), ("qd", 64)])
def test_printing_shows_the_digits_of_the_precision(precision, digits):
    text = str(plumb.array("1/7", precision))
    assert digits - 2 <= len(text) - 2 <= digits and text.startswith("0.142857142857142")
    far = plumb.from_limbs(numpy.array([1.0, 3e-254])) if precision == "dd" else plumb.array("3", precision)
    assert str(far) in ("1", "3") and len(repr(far)) < 120
    assert eval(repr(far)).planes.tolist() == far.planes.tolist()
    z = plumb.array("(1/3 - 1/7*i)", precision)
    assert str(z) == f"({plumb.array('1/3', precision)} - {plumb.array('1/7', precision)}*i)"


def test_repr_reads_back_to_the_same_limbs():
    odd = plumb.from_planes(numpy.array([[1.0 + 2.0**-52], [-2.0**-53]]), "dd")  # a tie, which no decimal reads as
    tiny = plumb.array(numpy.array([1e-300 / 3, 5e-324]), "qd")
    for x in (odd, tiny, tiny + 1j, odd[0], -odd, plumb.array([math.inf, math.nan, -0.0], "dd")):
        again = eval(repr(x), {"plumb": plumb})
        assert numpy.array_equal(again.planes, x.planes, equal_nan=True) and again.precision == x.precision
        assert len(repr(x)) < 250 * max(x.size, 1)


def test_constructors():
    assert str(plumb.linspace(0, 1, 5)) == "[0 0.25 0.5 0.75 1]" and plumb.linspace(0, "1/3", 2)[1] == THIRD
    assert (plumb.arange(3) == [0, 1, 2]).all() and plumb.arange("0.1", "0.4", "0.1").shape == (3,) and plumb.arange(0).shape == (0,)
    assert (plumb.arange(0, "1", "0.1")[[3]] == "0.3").all() and (plumb.eye(2, precision="dd") == numpy.eye(2)).all()
    assert (plumb.ones((2, 2)) == 1).all() and plumb.full(2, "1/3")[1] == THIRD and plumb.full((), 1j).iscomplex
    for bad in (lambda: plumb.arange(0, 1, 0), lambda: plumb.linspace(0, 1j), lambda: plumb.linspace(0, math.inf), lambda: plumb.full(-1, 0)):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            bad()


def test_sympy_takes_all_digits():
    sympy = pytest.importorskip("sympy")
    taken = sympy.sympify(THIRD)
    assert plumb.array(taken, "qd") == THIRD and taken != sympy.Float(1 / 3)
    assert plumb.array(sympy.sympify(plumb.array("(1/3 + 2*i)")), "qd") == plumb.array("(1/3 + 2*i)")


@pytest.mark.parametrize("precision", ["d", "dd", "qd"])
def test_integers_near_numbers(precision):
    """Numbers whose limbs are integers up to one that is not, with either sign, and ties."""
    parts = [0, 1, -3, 2**60, -2**100 - 1, fractions.Fraction(1, 2), fractions.Fraction(-1, 2), fractions.Fraction(1, 3),
             fractions.Fraction(1, 2**90), fractions.Fraction(-1, 2**150), 2**52 + fractions.Fraction(1, 2)]
    x = plumb.array([a + b for a in parts for b in parts], precision)
    exact = x.to_fractions()
    for found, function in ((numpy.floor(x), math.floor), (numpy.ceil(x), math.ceil), (numpy.trunc(x), math.trunc), (numpy.rint(x), round)):
        assert found.to_fractions() == [function(one) for one in exact], function


def test_division_with_remainder():
    x = plumb.array(["7.5", "-7.5", "1/3"], "qd")
    assert (x // 2 == [3, -4, 0]).all() and (x % 2 == ["1.5", "0.5", "1/3"]).all() and 7 % plumb.array(4) == 3 and 7 // plumb.array(4) == 1
    whole, rest = divmod(plumb.array("7.5"), 2)
    assert whole == 3 and rest == "1.5" and divmod(7, plumb.array(4)) == (1, 3)
