"""Solutions with any number of digits, compared with mpmath."""

import mpmath
import pytest

import plumb


@pytest.mark.parametrize("digits", [1, 61, 100, 1000, 5000, 10000])
def test_square_roots(digits):
    r = plumb.refine("x^2 - 2; y - x*i", [1.4, 1.4j], digits)
    assert r.digits == digits and r.reached
    with mpmath.workdps(digits + 20):
        root = mpmath.sqrt(2)
        assert abs(r.x[0] - root) <= root * mpmath.mpf(10)**-digits
        assert abs(r.x[1] - root * 1j) <= root * mpmath.mpf(10)**-digits
    assert r.texts[0][1] == "0" and r.texts[1][0] == "0"


def test_solutions_of_a_system():
    system = plumb.System(["x^3 - y/3 + 1", "y^2 - x*y*7/11 - 2"])
    solutions = plumb.solve(system)
    r = plumb.refine(system, solutions.x, 300)
    assert len(r.x) == len(solutions) and all(r.reached) and set(r.digits) == {300}
    with mpmath.workdps(700):
        for x, y in r.x:
            values = [x**3 - y / 3 + 1, y**2 - x * y * 7 / 11 - 2]
            slopes = mpmath.matrix([[3 * x**2, -mpmath.mpf(1) / 3], [-y * 7 / 11, 2 * y - x * 7 / 11]])
            dx, dy = mpmath.lu_solve(slopes, mpmath.matrix(values))
            assert abs(dx) <= abs(x) * mpmath.mpf(10)**-300 and abs(dy) <= abs(y) * mpmath.mpf(10)**-300


def test_what_is_not_refined():
    r = plumb.refine("(x - 1)^2*(x + 2)", [[1], [-2], [float("nan")]], 200)
    assert r.reached == [False, True, False] and r.digits == [0, 200, 0]
    assert "singular" in r.status[0] and "not finite" in r.status[2]
    assert r.x[0] == [1] and r.x[1] == [-2] and mpmath.isnan(r.x[2][0])


def test_no_points():
    import numpy
    assert plumb.refine("x^2 - 2; y - x", numpy.zeros((0, 2)), 200).x == []


@pytest.mark.parametrize("digits", [0, -1, 10001, 1.5, "100", None])
def test_misuse(digits):
    with pytest.raises(plumb.ArgumentError, match="digits is"):
        plumb.refine("x^2 - 2", [1.4], digits)


def test_newton_says_where_more_digits_are():
    with pytest.raises(plumb.ArgumentError, match="plumb.refine"):
        plumb.newton("x^2 - 2", [1.4], digits=1000)


def test_progress_stops_the_call():
    class Enough(Exception):
        pass

    def stop(done, failed, total):
        raise Enough

    with pytest.raises(Enough):
        plumb.refine("x^2 - 2", [[1.4], [-1.4]], 10000, progress=stop)


def test_solve_with_many_digits(tmp_path):
    solutions = plumb.solve(["x^3 - y/3 + 1", "y^2 - x*y*7/11 - 2"], digits=300)
    assert len(solutions) == 6 and all(one.digits == 300 for one in solutions)
    refined = plumb.refine(plumb.System(["x^3 - y/3 + 1", "y^2 - x*y*7/11 - 2"]), solutions.x, 300)
    assert [one.texts for one in solutions] == refined.texts
    assert solutions.to_mpmath() == refined.x and solutions[2].to_mpmath() == refined.x[2]
    assert solutions.real()[0].texts == next(one for one in solutions if one.isreal).texts
    solutions.save(tmp_path / "all.json")
    solutions.save(tmp_path / "all.csv")
    for name in ("all.json", "all.csv"):
        assert all(text in (tmp_path / name).read_text() for one in solutions for pair in one.texts for text in pair)


def test_solve_with_many_digits_of_multiple_solutions():
    solutions = plumb.solve(["(x - 1)^2*(x - 3) + y", "y*(y - 2)"], digits=100)
    single = [one for one in solutions if one.multiplicity == 1]
    assert single and all(one.texts is not None for one in single)
    assert all(one.texts is None and one.to_mpmath() == one.x.to_mpmath() for one in solutions if one.multiplicity > 1)


def test_max_digits():
    equations = ["(x + y - 1)*(x + y - 1 - 1e-48)", "(x - 2*y)*(x - 2*y - 1e-40)"]
    found = plumb.solve(equations, start="total")
    assert len(found) == 4 and found.complete and found.report["mpfr_paths"] == 4 and found.report["mpfr_digits"] > 64
    with pytest.warns(plumb.IncompleteWarning):
        found = plumb.solve(equations, start="total", max_digits=64)
    assert found.report["mpfr_paths"] == 0 and not found.complete
    with pytest.raises(plumb.ArgumentError, match="max_digits is"):
        plumb.solve("x^2 - 2", max_digits=10001)
