"""Systems from texts and from SymPy, their evaluation against mpmath, Newton's method, and misuse."""

import fractions
import math
import pickle
import random
from fractions import Fraction

import mpmath
import numpy
import pytest
import sympy

import plumb

x, y, z = sympy.symbols("x y z")


def test_texts_and_expressions_agree():
    expected = plumb.System("x^2 + y^2 - 5; x*y - 2")
    for form in (["x^2 + y^2 = 5", "x*y = 2"], ["x**2 + y**2 - 5;", "x*y - 2;"], [x**2 + y**2 - 5, x * y - 2],
                 [sympy.Eq(x**2 + y**2, 5), sympy.Eq(x * y, 2)], sympy.Matrix([x**2 + y**2 - 5, x * y - 2]),
                 numpy.array([x**2 + y**2 - 5, x * y - 2]), expected, str(expected), ("x^2 = 5 - y^2", "0 = 2 - x*y")):
        system = plumb.System(form)
        assert system.unknowns == ["x", "y"] and len(system) == 2 and system.degrees == [2, 2] and system.isreal
        assert (system(1, 2) == 0).all() and (system([1, 2]) == 0).all()
        assert (system([3, "1/3"]).to_fractions()[0] - fractions.Fraction(37, 9)) ** 2 < fractions.Fraction(1, 10**100)
    assert plumb.System(expected) == expected and hash(plumb.System(expected)) == hash(expected)
    assert pickle.loads(pickle.dumps(expected)) == expected
    assert "2 equations in x, y" in repr(expected) and "<table>" in expected._repr_html_()


def test_order_of_unknowns():
    for order in (["x", "y"], ["y", "x"], [y, x], "y, x", ("y", "x", "z")):
        names = order.split(", ") if isinstance(order, str) else [str(name) for name in order]
        assert plumb.System(["x^2 - y", "x + 1"], order).unknowns == names
        assert plumb.System([x**2 - y, x + 1], order).unknowns == names
    for bad in (["x"], ["x", "x", "y"], ["x", "1y"], ["x", "i"], ["x", "y+1"], [3], "x"):
        with pytest.raises(ValueError):
            plumb.System(["x^2 - y", "x + 1"], bad)
        with pytest.raises(ValueError):
            plumb.System([x**2 - y, x + 1], bad)


def test_coefficients_are_exact():
    system = plumb.System([sympy.Rational(1, 3) * x + sympy.Float(0.1) * y, x + sympy.sqrt(2) * y, x + sympy.I * y])
    assert not system.isreal
    at = plumb.evaluate(system, [1, 0], precision="qd").values
    assert at[0].real.to_mpmath() == plumb.array("1/3", "qd").to_mpmath()
    at = plumb.evaluate(system, [0, 1], precision="qd").values
    assert at[0].real.to_fractions() == fractions.Fraction(0.1)
    with mpmath.workdps(80):
        assert abs(at[1].real.to_mpmath() - mpmath.sqrt(2)) < mpmath.mpf(10) ** -63
    assert complex(at[2]) == 1j


def random_system(generator, unknowns, equations):
    """A system as text, and as a function of mpmath numbers that returns values and Jacobian."""
    polynomials = []
    for _ in range(equations):
        terms = []
        for _ in range(5):
            powers = [generator.choice((0, 0, 1, 2, 3)) for _ in range(unknowns)]
            terms.append((fractions.Fraction(generator.randint(-99, 99), generator.randint(1, 99)), powers))
        polynomials.append(terms)
    text = [" + ".join(f"({c})" + "".join(f"*x{i}^{p}" for i, p in enumerate(powers)) for c, powers in terms)
            for terms in polynomials]

    def exact(point):
        values, slopes = [], []
        for terms in polynomials:
            values.append(sum(mpmath.mpf(c.numerator) / c.denominator * mpmath.fprod(v**p for v, p in zip(point, powers))
                              for c, powers in terms))
            slopes.append([sum(mpmath.mpf(c.numerator) / c.denominator * powers[j] *
                               mpmath.fprod(v**(p - (k == j)) for k, (v, p) in enumerate(zip(point, powers)) if p)
                               for c, powers in terms if powers[j]) for j in range(unknowns)])
        return values, slopes
    return text, exact


@pytest.mark.parametrize("iscomplex", [False, True])
@pytest.mark.parametrize("precision, digits", [("d", 12), ("dd", 28), ("qd", 58)])
def test_evaluation_agrees_with_mpmath(precision, digits, iscomplex):
    generator = random.Random(4)
    for trial in range(5):
        text, exact = random_system(generator, 3, 4)
        system = plumb.System(text, ["x0", "x1", "x2"])
        points = [[fractions.Fraction(generator.randint(-50, 50), 17) for _ in range(3)] for _ in range(7)]
        given = plumb.array(points, precision)
        if iscomplex:
            given = given + given[::-1] * 1j
        found = plumb.evaluate(system, given, jacobian=True)
        assert found.values.shape == (7, 4) and found.jacobian.shape == (7, 4, 3) and found.values.precision == precision
        assert found.values.iscomplex == iscomplex
        with mpmath.workdps(90):
            for k, point in enumerate(given.to_mpmath()):
                values, slopes = exact(point)
                for a, b in zip(found.values[k].to_mpmath(), values):
                    assert abs(a - b) <= mpmath.mpf(10) ** -digits * (1 + abs(b)) * 1e3
                for row, other in zip(found.jacobian[k].to_mpmath(), slopes):
                    for a, b in zip(row, other):
                        assert abs(a - b) <= mpmath.mpf(10) ** -digits * (1 + abs(b)) * 1e3


def test_terms_are_read_back():
    s = plumb.System(["x^2*y - 1/3*y + (2 - i/2)*x = 10^30", "0.1*y - 7/9*i", "y = y"], unknowns="x y")
    assert s.terms(0) == [(1, (2, 1)), ((2, Fraction(-1, 2)), (1, 0)), (Fraction(-1, 3), (0, 1)), (-10**30, (0, 0))]
    assert s.terms(1) == [(Fraction(1, 10), (0, 1)), ((0, Fraction(-7, 9)), (0, 0))] == s.terms(-2)
    assert s.terms(2) == [] and isinstance(s.terms(1)[0][0], Fraction)
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            s.terms(wrong)
    with pytest.raises(TypeError):
        s.terms("0")
    long = plumb.System("x - 10^6000 - 1/10^5000").terms(0)[1][0]
    assert long == -Fraction(10**11000 + 1, 10**5000)


def test_shapes_of_points():
    system = plumb.System("x^2 - y; x*y - 1")
    n = numpy.random.default_rng(2).standard_normal((3, 4, 2))
    found = plumb.evaluate(system, n, jacobian=True)
    assert found.values.shape == (3, 4, 2) and found.jacobian.shape == (3, 4, 2, 2)
    for index in numpy.ndindex(3, 4):
        one = plumb.evaluate(system, n[index], jacobian=True)
        assert numpy.array_equal(one.values.planes, found.values[index].planes)
        assert numpy.array_equal(one.jacobian.planes, found.jacobian[index].planes)
    for form in (numpy.asfortranarray(n), n[::-1], n.astype(">f8"), plumb.array(n), plumb.array(n[::-1])[::-1], n.tolist()):
        again = plumb.evaluate(system, form)
        expected = found.values[::-1] if form is not None and numpy.array_equal(numpy.asarray(form), n[::-1]) else found.values
        assert (again.values == expected).all() and again.jacobian is None
    empty = plumb.evaluate(system, numpy.zeros((0, 2)), jacobian=True)
    assert empty.values.shape == (0, 2) and empty.jacobian.shape == (0, 2, 2)
    complex_system = plumb.System("x^2 - i*y; x*y - 1")
    assert plumb.evaluate(complex_system, [[1.0, 2.0]]).values.iscomplex
    # Points that plumb returned are used as they are, and are not changed.
    points = plumb.newton(system, n + 3).x
    before = points.planes.copy()
    plumb.evaluate(system, points)
    assert numpy.array_equal(points.planes, before)


def test_newton_agrees_with_mpmath():
    system = plumb.System("x^2 + y^2 - 3; x*y - 1")
    starts = numpy.array([[1.6, 0.6], [0.6, 1.6], [-1.6, -0.6]])
    with mpmath.workdps(100):
        golden = (1 + mpmath.sqrt(5)) / 2
        exact = [[golden, golden - 1], [golden - 1, golden], [-golden, 1 - golden]]
        for precision, digits in (("d", 15), ("dd", 31), ("qd", 62)):
            r = plumb.newton(system, plumb.array(starts, precision))
            assert r.converged.all() and r.x.shape == (3, 2) and not r.x.iscomplex and set(r.status) == {"converged"}
            for k, point in enumerate(r.x.to_mpmath()):
                error = max(abs(a - b) for a, b in zip(point, exact[k])) / golden
                assert error <= r.error[k] and error < mpmath.mpf(10) ** -digits
        r = plumb.newton(system, starts[0], digits=40)
        assert r.converged and r.x.precision == "qd" and r.x.shape == (2,)
        assert max(abs(a - b) for a, b in zip(r.x.to_mpmath(), exact[0])) < mpmath.mpf(10) ** -40
    assert numpy.array_equal(starts, [[1.6, 0.6], [0.6, 1.6], [-1.6, -0.6]])
    bad = plumb.newton("x^2 + 1", [[0.0], [1.0]], max_steps=5)
    assert not bad.converged.any() and all(isinstance(text, str) for text in bad.status)
    assert plumb.newton("x^2 + 1", [0.9j]).converged


def test_mixed_volumes():
    assert plumb.mixed_volume(["x^2*y - 1", "x*y^2 - 1"]) >= plumb.mixed_volume(["x^2*y - 1", "x*y^2 - 1"], "nonzero") == 3


def test_files(tmp_path):
    system = plumb.System("x^2 - 1/3; x*y - i")
    for name in ("a.phc", "a.txt"):
        system.save(tmp_path / name)
        assert plumb.System.read(tmp_path / name) == system
    for call in (lambda: plumb.System.read(tmp_path / "none.phc"), lambda: system.save(tmp_path / "no" / "a.phc")):
        with pytest.raises(OSError):
            call()
    with pytest.raises(ValueError):
        system.save(tmp_path / "a.xyz")
    with pytest.raises(TypeError):
        plumb.System.read(None)


def test_errors_tell_where():
    with pytest.raises(plumb.ParseError) as error:
        plumb.System(["x^2 - 1", "x*y +"])
    assert error.value.line == 2 and "expected" in str(error.value)
    with pytest.raises(plumb.Error):
        plumb.System("x^99999 - 1")


def test_notes_are_warnings():
    with pytest.warns(UserWarning, match="pi"):
        plumb.System(["pi*x^2 - 1", "pi - x"])


GOOD = "x^2 - y; x*y - 1"


@pytest.mark.parametrize("call", [
    lambda: plumb.System(None), lambda: plumb.System(3), lambda: plumb.System([]), lambda: plumb.System(""),
    lambda: plumb.System([None]), lambda: plumb.System(["x", 3]), lambda: plumb.System(["x^2 - 1", x]),
    lambda: plumb.System([sympy.sin(x)]), lambda: plumb.newton([1 / x - 1], [1]), lambda: plumb.System([sympy.Integer(1)]),
    lambda: plumb.System([sympy.Eq(1, 1)]), lambda: plumb.System([sympy.sqrt(x)]), lambda: plumb.System([x**y]),
    lambda: plumb.System([sympy.oo * x]), lambda: plumb.System([x < 1]), lambda: plumb.System([x**20000 - 1]),
    lambda: plumb.System("x", 5), lambda: plumb.System(b"x"), lambda: plumb.System(["x^2 -"]),
    lambda: plumb.evaluate(GOOD, None), lambda: plumb.evaluate(GOOD, 1.0), lambda: plumb.evaluate(GOOD, [1, 2, 3]),
    lambda: plumb.evaluate(GOOD, [[1], [2]]), lambda: plumb.evaluate(GOOD, ["x", "y"]), lambda: plumb.evaluate(None, [1, 2]),
    lambda: plumb.evaluate(GOOD, [1, 2], precision="x"), lambda: plumb.evaluate(GOOD, [1, 2], backend="x"),
    lambda: plumb.evaluate(GOOD, numpy.broadcast_to(1.0, (2**50, 2)), precision="qd"),
    lambda: plumb.newton(GOOD, None), lambda: plumb.newton(GOOD, [1]), lambda: plumb.newton(GOOD, [1, 2], max_steps=-1),
    lambda: plumb.newton(GOOD, [1, 2], max_steps="x"), lambda: plumb.newton(GOOD, [1, 2], tolerance=-1.0),
    lambda: plumb.newton(GOOD, [1, 2], tolerance=math.nan), lambda: plumb.newton(GOOD, [1, 2], digits=0),
    lambda: plumb.newton(GOOD, [1, 2], digits="x"), lambda: plumb.newton(GOOD, [1, 2], precision="x"),
    lambda: plumb.newton(["x + y - 1"], [1, 2]), lambda: plumb.newton(None, [1, 2]), lambda: plumb.newton(GOOD, []),
    lambda: plumb.mixed_volume("x + y - 1"), lambda: plumb.mixed_volume(GOOD, "x"), lambda: plumb.mixed_volume(None),
    lambda: plumb.mixed_volume(GOOD, seed=-1), lambda: plumb.mixed_volume(GOOD, [])])
def test_misuse_is_an_exception(call):
    with pytest.raises((TypeError, ValueError, MemoryError, plumb.Error)):
        call()


def test_points_that_are_not_finite():
    found = plumb.evaluate(GOOD, [[math.inf, 1.0], [math.nan, 0.0], [1e200, 1e200]])
    assert not numpy.isfinite(found.values.to_numpy()).all()
    r = plumb.newton(GOOD, [math.nan, 1.0])
    assert not r.converged
