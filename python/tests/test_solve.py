"""All solutions of ten systems, checked by Newton's method in mpmath; tracking; files, tables, pictures; interrupts."""

import csv
import fractions
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import mpmath
import numpy
import pytest
import sympy

import plumb
from test_threads import growth, in_threads

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data" / "systems"
x, y = sympy.symbols("x y")

# Ten systems and the number of their distinct solutions, real ones among them.
SYSTEMS = {
    "circle and hyperbola": (["x^2 + y^2 = 5", "x*y = 2"], 4, 4),
    "three spheres": (["x^2 + y^2 + z^2 = 3", "(x-1)^2 + y^2 + z^2 = 2", "x^2 + (y-1)^2 + z^2 = 2"], 2, 2),
    "cubic": (["x^3 - 6*x^2 + 11*x - 6"], 3, 3),
    "roots of unity": (["x^7 - 1"], 7, 1),
    "double root": (["(x - 1)^2*(x + 2)"], 2, 2),
    "decimal coefficients": (["0.1*x^2 + 1/3*y - 1", "x*y^2 - 0.7"], 5, None),
    "overdetermined": (["x^2 - 1", "x*y - 1", "y^2 - 1"], 2, 2),
    "ellipses": (["x^2 + 4*y^2 = 4", "4*x^2 + y^2 = 4"], 4, 4),
    "cyclic5": (DATA / "cyclic5.phc", 70, 10),
    "katsura5": (DATA / "katsura5.phc", None, None),
    "noon4": (DATA / "noon4.phc", 73, None),
}


def functions(system):
    """Values and Jacobian of a system in mpmath, by way of SymPy: nothing of plumb but its text."""
    symbols = sympy.symbols(system.unknowns)
    symbols = list(symbols) if isinstance(symbols, (tuple, list)) else [symbols]
    names = {str(symbol): symbol for symbol in symbols}
    texts = [line.rstrip(";").replace("^", "**") for line in str(system).splitlines() if line]
    equations = [sympy.sympify(text, locals=names, rational=True) for text in texts]
    slopes = sympy.Matrix(equations).jacobian(symbols)
    return sympy.lambdify(symbols, equations, "mpmath"), sympy.lambdify(symbols, slopes.tolist(), "mpmath")


def check_solutions(system, solutions, most=12):
    """Every regular solution is within its estimated error of a solution, by two steps of Newton's method."""
    values, slopes = functions(system)
    regular = solutions.regular()
    places = range(0, len(regular), max(1, len(regular) // most))
    with mpmath.workdps(150):
        for k in places:
            point = mpmath.matrix(regular[k].x.to_mpmath())
            root = point.copy()
            for _ in range(3):
                J, f = mpmath.matrix(slopes(*root)), mpmath.matrix(values(*root))
                root -= mpmath.lu_solve(J.H * J, J.H * f) if J.rows > J.cols else mpmath.lu_solve(J, f)
            size = max(abs(v) for v in root) or 1
            error = max(abs(v) for v in point - root) / size
            assert error <= mpmath.mpf(10) ** (1 - regular[k].digits), (k, regular[k].digits)
            assert regular[k].digits >= 10
            assert regular[k].isreal == (max(abs(mpmath.im(v)) for v in root) < mpmath.mpf(10) ** -60 * size)


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_solutions(name):
    equations, count, real = SYSTEMS[name]
    system = plumb.System.read(equations) if isinstance(equations, pathlib.Path) else plumb.System(equations)
    solutions = plumb.solve(system)
    assert solutions.complete, solutions
    assert count is None or len(solutions) == count
    assert real is None or len(solutions.real()) == real
    check_solutions(system, solutions)
    found = solutions.points
    gap = numpy.abs(found[:, None, :] - found[None, :, :]).max(axis=2) + 10 * numpy.eye(len(found))
    assert gap.min() > 1e-8
    again = plumb.solve(system)
    assert numpy.array_equal(again.x.planes, solutions.x.planes)


@pytest.mark.parametrize("max_steps", [3, 8, 20, 10000])
@pytest.mark.parametrize("equations", [["x^2+y^2-5", "x*y-2"], ["x^40-2", "y-x"], ["x*(y+z-2)", "x*(y^2+z-5)", "y^2-x-1"], ["(x-1)^40"],
                                       ["x^3+y^3-1", "x*y-1/10^12"], ["x-1", "y-2"], ["x-1", "x-2"]])
def test_warnings_agree_with_the_program(equations, max_steps):
    """Python warns where the program ends with status 1, with the same words. PLUMB_PROGRAM names the program."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solutions = plumb.solve(equations, max_steps=max_steps)
    lines = [str(one.message) for one in caught if one.category is plumb.IncompleteWarning]
    assert len(lines) == (0 if solutions.complete else 1) and all(one.filename == __file__ for one in caught)
    missing = solutions.report["failed"] + solutions.report["undecided"]
    assert solutions.complete == (missing == 0) and (missing == 0 or str(missing) in lines[0])
    assert missing == 0 or lines[0] in repr(solutions)
    program = os.environ.get("PLUMB_PROGRAM")
    if program:
        words = [word for equation in equations for word in ("-e", equation)]
        done = subprocess.run([program, "solve", *words, "--max-steps", str(max_steps), "--no-certify", "-q"],
                              capture_output=True, text=True)
        assert done.returncode == len(lines) and done.stderr == "".join(f"plumb solve: {line}\n" for line in lines)


def test_a_system_that_the_program_refuses_is_an_error():
    """What remains of the equations has fewer of them than unknowns: the program ends with status 2, and Python raises the same words."""
    equations = ["x*y", "x*z", "y^2-1"]  # y = 1 or -1, x = 0, and z is free
    with pytest.raises(plumb.ArgumentError, match="2 independent equations for 3 unknowns") as raised:
        plumb.solve(equations)
    program = os.environ.get("PLUMB_PROGRAM")
    if program:
        done = subprocess.run([program, "solve", *(word for one in equations for word in ("-e", one))], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"plumb solve: -e: {raised.value}\n")


def test_solutions_of_a_file_are_not_known_to_be_complete(tmp_path):
    solutions = plumb.solve("x^2 - 2")
    solutions.save(tmp_path / "roots.sol")
    assert solutions.complete and not plumb.Solutions.read(tmp_path / "roots.sol").complete


@pytest.mark.skipif(not plumb.certificates_available(), reason="needs FLINT")
def test_unproven_solutions_are_a_warning(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plumb.solve("(x - 1)^2*(x + 2)", certify=True)  # singular ones are not expected to be proven
    import plumb._solve as inside
    made = inside.proofs_of

    def without_one(*arguments):
        proofs = made(*arguments)
        proofs[0]["status"] = "not certified: no box around the point contracts"
        return proofs
    monkeypatch.setattr(inside, "proofs_of", without_one)
    with pytest.warns(plumb.IncompleteWarning, match="1 of 2 regular solutions could not be certified"):
        plumb.solve("x^2 - 2", certify=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plumb.solve("x^2 - 2")  # nobody asked for it


@pytest.mark.skipif(not plumb.certificates_available(), reason="needs FLINT")
def test_certificates_by_default(monkeypatch):
    """The rule of the program: up to so many solutions in so many unknowns, and proofs decide what is real."""
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    assert all(one.certificate["certified"] for one in solutions) and solutions.uncertified is None
    assert plumb.solve("x^2 - 2", certify=False)[0].certificate is None
    positive = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], positive=True)
    assert len(positive) == 2 and all(one.certificate["positive"] for one in positive)
    import plumb._solve as inside
    for name in ("MOST_SOLUTIONS", "MOST_UNKNOWNS"):
        with monkeypatch.context() as patch:
            patch.setattr(inside, name, 0)
            few = plumb.solve("x^2 - 2")
            assert few[0].certificate is None and "up to 0" in few.uncertified
            assert plumb.solve("x^2 - 2", certify=True)[0].certificate["certified"]
    assert plumb.solve("(x^2 - 1)/(x - 2)").uncertified == "the equations have denominators"
    with pytest.warns(plumb.IncompleteWarning, match="not certified: the equations have denominators"):
        assert len(plumb.solve("(x^2 - 1)/(x - 2)", certify=True)) == 2
    for wrong in ("yes", 1, None):
        with pytest.raises(plumb.ArgumentError, match="certify"):
            plumb.solve("x^2 - 2", certify=wrong)


def test_quotients_leave_out_zeros_of_denominators():
    solutions = plumb.solve(["(x^2 - 1)/(x - 1) = 0"])
    assert [float(s["x"].real) for s in solutions] == [-1.0] and solutions.report["extraneous"] == 1
    assert len(plumb.solve(["x^-2 + y/x - 1", "(x + 1)/(y - 2) = 3"])) == 2
    assert plumb.System("x/y - 1; y/(x*y)").denominators == 2 and plumb.System("x/2").denominators == 0
    assert str(plumb.System(str(plumb.System("x*y/x - 1/(y - 2)")))) == str(plumb.System("x*y/x - 1/(y - 2)"))
    with pytest.raises(plumb.ArgumentError, match="denominators"):
        plumb.evaluate(["1/x - y"], [1, 1])


def test_quotients_of_sympy():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y")
    solutions = plumb.solve([sympy.Eq(x / y, 2), 1 / (x * y) - sympy.Rational(1, 8)])
    assert sorted(round(float(s["x"].real), 9) for s in solutions) == [-4.0, 4.0]
    with pytest.raises(plumb.ArgumentError, match="neither a polynomial nor a quotient"):
        plumb.System([sympy.sin(x) + 1 / y])


def test_a_plan_tells_the_paths_and_estimates_their_time():
    plan = plumb.plan(["x^2 + y^2 = 5", "x*y = 2"])
    assert (plan.paths, plan.start, plan.sample, plan.no_solution) == (4, "total", 4, None)
    assert plan.counts["total"] == 4 and 0 < plan.estimated_seconds < 60
    plan = plumb.plan(plumb.System(["x - 3", "x + y - 4"]))
    assert (plan.paths, plan.start, plan.simplified["eliminated"], plan.estimated_seconds) == (0, "none", 2, 0)
    assert "contradicts" in plumb.plan(["x - 1", "x - 2"]).no_solution
    with pytest.raises(plumb.ArgumentError):
        plumb.plan(["x + y - 1"])


def test_digits_are_as_asked():
    system = plumb.System(["x^2 + y^2 = 3", "x*y = 1"])
    solutions = plumb.solve(system, digits=50)
    assert len(solutions) == 4 and all(one.digits >= 50 for one in solutions)
    with mpmath.workdps(80):
        golden = (1 + mpmath.sqrt(5)) / 2
        assert min(abs(point[0] - golden) for point in solutions.to_mpmath()) < mpmath.mpf(10) ** -50


def test_kinds_of_equations_agree():
    expected = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    for form in ("x^2 + y^2 - 5; x*y - 2", [x**2 + y**2 - 5, x * y - 2], ["x**2 + y**2 - 5;", "x*y - 2;"],
                 [sympy.Eq(x**2 + y**2, 5), sympy.Eq(x * y, 2)], plumb.System("x^2 + y^2 - 5; x*y - 2")):
        assert numpy.array_equal(plumb.solve(form).x.planes, expected.x.planes)
    other = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], ["y", "x"])
    assert other.unknowns == ["y", "x"]
    assert sorted(map(tuple, other.points.real[:, ::-1].round(8))) == sorted(map(tuple, expected.points.real.round(8)))


def test_choices():
    equations = ["x^2 + y^2 = 5", "x*y = 2"]
    assert len(plumb.solve(equations, positive=True)) == 2
    assert len(plumb.solve(["x^2 - x", "y - x - 1"], nonzero=True)) == 1
    assert len(plumb.solve("x^3 - 1", real=True)) == 1 and len(plumb.solve("x^3 - 1")) == 3
    for start in ("total", "auto"):
        solutions = plumb.solve(equations, start=start, seed=7)
        assert len(solutions) == 4 and solutions.report["seed"] == 7
    for precision in ("d", "dd", "qd"):
        solutions = plumb.solve(equations, precision=precision)
        assert len(solutions) == 4 and solutions.x.precision == precision


needs_flint = pytest.mark.skipif(not plumb.certificates_available(), reason="no FLINT")


@needs_flint
def test_certificates():
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], certify=True)
    assert "4 certified" in repr(solutions)
    exact = {(1, 2), (2, 1), (-1, -2), (-2, -1)}
    for one in solutions:
        proof = one.certificate
        assert proof["certified"] and proof["real"] and proof["distinct"] and proof["status"] == "certified"
        center = proof["center"].to_mpmath()
        with mpmath.workdps(80):  # one of the exact solutions is in the box
            assert any(all(abs(c - v) <= r for c, v, r in zip(center, point, proof["radii"])) for point in exact)
        assert proof["radius"] >= max(proof["radii"]) * 0.5 and proof["bits"] >= 64
    assert sum(one.certificate["positive"] for one in solutions) == 2
    assert all(one.certificate for one in solutions[1:3])
    double = plumb.solve("(x - 1)^2*(x + 2)", certify=True)
    assert sorted(one.certificate["certified"] for one in double) == [False, True]
    twice = plumb.certify("x^2 - 2", [[1.4142135623730951], [1.4142135623730950]])
    assert {one["same_as"] for one in twice} & {0, 1} and plumb.certify("x^2 - 2", [1.4142135623730951])[0]["certified"]
    assert not plumb.certify("x^2 - 2", [[float("nan")]])[0]["certified"]
    for call in (lambda: plumb.certify("x^2 - 2", [[1, 2]]), lambda: plumb.certify("x + y", [[1, 2]]),
                 lambda: plumb.certify("x^2 - 2", [[1]], max_bits=3), lambda: plumb.certify(None, [[1]]),
                 lambda: plumb.certify("x^2 - 2", [[[1]]]), lambda: plumb.certify("x^2 - 2", None)):
        with pytest.raises((TypeError, ValueError)):
            call()


@needs_flint
def test_certificates_in_files(tmp_path):
    def number(text):
        mantissa, exponent = text.split("p")
        return int(mantissa, 16) * fractions.Fraction(2) ** int(exponent)

    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], certify=True)
    path = tmp_path / "proofs.json"
    for some in (solutions, solutions[1:3]):
        some.save(path)
        written = json.loads(path.read_text())
        assert written["unknowns"] == ["x", "y"] and len(written["solutions"]) == len(some)
        for one in written["solutions"]:  # one of the exact solutions is in the exact box
            proof = one["certificate"]
            assert proof["verdict"] == "certified" and proof["real"] is proof["distinct"] is True
            box = [(number(c[0]), number(r)) for c, r in zip(proof["centre"], proof["radius"])]
            assert any(all(abs(c - v) < r for (c, r), v in zip(box, point)) for point in ((1, 2), (2, 1), (-1, -2), (-2, -1)))
        assert numpy.array_equal(plumb.Solutions.read(path).points, some.points)
    over = plumb.solve(["x^2 = x", "x*y = 0", "y^2 = y"], certify=True)
    over.save(path)
    assert [one["certificate"] for one in json.loads(path.read_text())["solutions"]] == [None] * len(over) != []
    with pytest.raises(OSError):
        solutions.save(tmp_path / "none" / "proofs.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["proofs.json"]


def test_solutions_are_a_sequence():
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    assert len(solutions) == 4 and len(list(solutions)) == 4 and len(solutions[1:3]) == 2 and len(solutions[::-1]) == 4
    assert isinstance(solutions[-1], plumb.Solution) and isinstance(solutions[:1], plumb.Solutions)
    assert solutions["x"].shape == (4,) and solutions.points.shape == (4, 2) and solutions.points.dtype == complex
    assert solutions.limbs.shape == (4, 2, 2, {"d": 1, "dd": 2, "qd": 4}[solutions.x.precision])
    assert len(solutions.filter(lambda one: float(one["x"].real) > 0)) == 2 and not len(solutions.singular())
    one = solutions[0]
    assert one.multiplicity == 1 and one.isreal and not one.issingular and one.error < 1e-10 and one.condition >= 1
    assert one.precision in ("d", "dd", "qd") and one.residual < 1e-10 and len(one) == 2
    assert one["x"] == one[0] == one[x] == one.to_dict()["x"] and one.keys() == ["x", "y"] and "x = " in repr(one)
    for bad in (4, -5):
        with pytest.raises(IndexError):
            solutions[bad]
    for bad in ("z", "real"):
        with pytest.raises(KeyError):
            solutions[bad]
        with pytest.raises(KeyError):
            one[bad]
    assert solutions.to_fractions()[0][0][0].denominator >= 1
    double = plumb.solve("(x - 1)^2*(x + 2)")
    assert sorted(double.multiplicities) == [1, 2] and len(double.singular()) == 1


def test_summary_and_tables():
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    text = repr(solutions)
    assert "Solutions with 4 entries in x, y" in text and "4 regular solutions (4 real)" in text and "seed" in text
    page = solutions._repr_html_()
    assert page.count("<tr>") == 5 and "<th>x</th>" in page
    none = plumb.solve("x^2 + 1", real=True)
    assert len(none) == 0 and none.points.shape == (0, 1) and "0 entries" in repr(none) and none._repr_html_()
    pandas = pytest.importorskip("pandas")
    frame = solutions.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4 and {"x", "y", "multiplicity", "condition"} <= set(frame)
    assert frame["certified"].all() == plumb.certificates_available()
    assert solutions.to_pandas(exact=True)["x"][0] == solutions[0]["x"] and len(solutions.to_dataframe()) == 4


def test_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        plumb.solve("x^2 - 2").to_pandas()


def test_printing_shows_the_digits_that_are_known():
    root = plumb.solve("x^2 - 2", precision="d")[1]
    known = root.digits
    assert len(str(root["x"].real)) - 1 <= known < 20 and str(root["x"].real).startswith("1.41421356237")
    assert f"x = {root['x'].real}" in repr(root) and "(real)" in str(root) and len(str(root)) < 40
    root = plumb.solve("x^2 - 2", digits=40)[1]
    assert 40 <= len(str(root["x"].real)) <= 66 and str(root["x"].real)[:40] == "1.41421356237309504880168872420969807856"
    assert str(root["x"].real) in str(root) and str(root["x"].real) not in repr(root)
    for one in plumb.solve(DATA_CYCLIC5):
        assert all(len(str(value)) < 2 * 70 for value in one.x)


def test_files(tmp_path):
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], precision="qd")
    for ending in (".sol", ".phc", ".json"):
        path = tmp_path / f"x{ending}"
        solutions.save(path)
        again = plumb.Solutions.read(path)
        assert numpy.array_equal(again.x.planes, solutions.x.planes) and again.unknowns == ["x", "y"]
    json.loads((tmp_path / "x.json").read_text())
    solutions.save(str(tmp_path / "x.csv"))
    with open(tmp_path / "x.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    values = plumb.array([[row["re(x)"], row["re(y)"]] for row in rows], "qd")
    assert (abs(values - solutions.x.real).max() < 1e-60) and max(len(row["re(x)"]) for row in rows) < 70
    with pytest.raises(ValueError):
        solutions.save(tmp_path / "x.xyz")
    with pytest.raises(OSError):
        solutions.save(tmp_path / "no" / "x.sol")
    with pytest.raises(OSError):
        plumb.Solutions.read(tmp_path / "none.sol")
    plumb.solve("x^2 + 1", real=True).save(tmp_path / "none.json")


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    solutions = plumb.solve("(x^5 - 1)*(x - 2)^2")
    panel = solutions.plot("x")
    assert sum(len(part.get_offsets()) for part in panel.collections) == len(solutions)
    assert len(plumb.solve(["x^2 + y^2 = 5", "x*y = 2"]).plot()) == 2
    with pytest.raises(plumb.ArgumentError):
        solutions.plot("y")


def test_tracking_from_known_starts():
    paths = plumb.track(["x^2 - 3", "y^2 - x"], ["x^2 - 1", "y^2 - 1"], [[1, 1], [1, -1], [-1, 1], [-1, -1]])
    assert len(paths) == 4 and paths.success.all() and paths.ends.shape == (4, 2) and paths.ends.precision == "qd"
    exact = {(s * 3**0.5, t * (s * 3**0.5 + 0j) ** 0.5) for s in (1, -1) for t in (1, -1)}
    for end in paths.points:
        assert min(max(abs(end[0] - a), abs(end[1] - b)) for a, b in exact) < 1e-12
    assert (paths.steps > 0).all() and (paths.error < 1e-10).all() and "4 success" in repr(paths) and paths._repr_html_()
    total = plumb.track("x^3 - 2*x + 5", precision="dd")
    assert len(total) == 3 and total.success.all() and total.ends.precision == "dd"
    single = plumb.track("x^2 - 3", "x^2 - 1", [1.0])
    assert len(single) == 1 and single.multiplicity.tolist() == [1]
    bad = plumb.track("x^2 - 3", "x^2 - 1", [[5.0]])
    assert not bad.success.any() and bad.status[0] == "not a solution of the start system"


def test_a_path_that_needs_qd():
    folder = pathlib.Path(__file__).parents[2] / "examples" / "crossing"
    starts = plumb.Solutions.read(folder / "start.sol")
    start, target = plumb.System.read(folder / "start.phc"), plumb.System.read(folder / "target.phc")
    paths = plumb.track(target, start, starts.x, gamma=1)
    assert paths.success.all() and paths.precision[0] == "qd"
    assert not plumb.track(target, start, starts.x, gamma=1, precision="dd").success.any()


EQUATIONS = ["x^2 + y^2 = 5", "x*y = 2"]


def test_larger_solutions_are_counted_on_their_own():
    equations = ["x^4 - y", "x^5 - x*y + x - 30"]  # their only solution is (30, 810000)
    assert len(plumb.solve(equations)) == 1 and len(plumb.solve(equations, largest=1e4)) == 0
    for largest, expected in ((1e15, 1), (1e4, 0)):
        status = plumb.track(equations, projective=True, largest=largest).status.tolist()
        assert status.count("success") == expected
        assert status.count("at infinity") + status.count("beyond the largest size") == len(status) - expected
        assert expected or status.count("beyond the largest size") > 0
    report = plumb.solve(equations, start="total", largest=1e4).report
    assert report["beyond"] + report["infinite"] == 20 and 0 < report["beyond_min"] <= report["beyond_max"]


@pytest.mark.parametrize("call", [
    lambda: plumb.solve(None), lambda: plumb.solve([]), lambda: plumb.solve(5), lambda: plumb.solve("x +"),
    lambda: plumb.solve(["x + y"]), lambda: plumb.solve(EQUATIONS, ["x"]), lambda: plumb.solve(EQUATIONS, 5),
    lambda: plumb.solve(EQUATIONS, precision="x"), lambda: plumb.solve(EQUATIONS, precision=None),
    lambda: plumb.solve(EQUATIONS, digits=0), lambda: plumb.solve(EQUATIONS, digits=10001), lambda: plumb.solve(EQUATIONS, digits="x"),
    lambda: plumb.solve(EQUATIONS, digits=2.5), lambda: plumb.solve(EQUATIONS, start="x"), lambda: plumb.solve(EQUATIONS, start=None),
    lambda: plumb.solve(EQUATIONS, seed=-1), lambda: plumb.solve(EQUATIONS, seed="x"), lambda: plumb.solve(EQUATIONS, seed=2**64),
    lambda: plumb.solve(EQUATIONS, progress=5), lambda: plumb.solve(EQUATIONS, max_steps=0), lambda: plumb.solve(EQUATIONS, backend="x"),
    lambda: plumb.solve(EQUATIONS, largest=1.0), lambda: plumb.solve(EQUATIONS, largest=-1e26), lambda: plumb.solve(EQUATIONS, largest="x"),
    lambda: plumb.track("x^2 - 1", largest=float("nan")),
    lambda: plumb.track(None), lambda: plumb.track("x^2 - 1", "x^2 - 2"), lambda: plumb.track("x^2 - 1", "x^2 - 2", [[1, 2]]),
    lambda: plumb.track("x^2 - 1", "x^2 - 2", None), lambda: plumb.track("x^2 - 1", "x^2 - 2", [[["1"]]]),
    lambda: plumb.track("x^2 - 1", ["x^2 - 2", "x - 1"], [[1]]), lambda: plumb.track("x^2 - 1", "x^2 - 2", [[1]], gamma=0),
    lambda: plumb.track("x^2 - 1", "x^2 - 2", [[1]], gamma="x"), lambda: plumb.track("x^2 - 1", "x^2 - 2", [[1]], tolerance=-1),
    lambda: plumb.track("x^2 - 1", precision="x"), lambda: plumb.track(["x + y"]), lambda: plumb.track("x^2 - 1", seed=-1)])
def test_misuse_is_an_exception(call):
    with pytest.raises((TypeError, ValueError, MemoryError)):
        call()


# ---- Long calls ------------------------------------------------------------------------------------------------------


def test_progress(capsys):
    told = []
    plumb.solve(DATA_CYCLIC5, progress=lambda done, failed, total: told.append((done, failed, total)))
    assert told and told[-1][0] <= told[-1][2] and told[-1][2] > 0

    def stop(done, failed, total):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        plumb.solve(DATA_CYCLIC5, progress=stop)
    with pytest.raises(RuntimeError, match="enough"):
        in_a_thread(lambda: plumb.solve(DATA_CYCLIC5, progress=stop))
    capsys.readouterr()
    plumb.solve(DATA_CYCLIC5, progress=True)
    assert "paths: |" in capsys.readouterr().err
    plumb.solve(DATA_CYCLIC5)
    assert capsys.readouterr().err == ""


DATA_CYCLIC5 = (DATA / "cyclic5.phc").read_text()

BAR = """
import sys, time, plumb
plumb.solve(open(sys.argv[1]).read(), progress=None if len(sys.argv) < 3 else eval(sys.argv[2]))
"""


@pytest.mark.parametrize("where", ["terminal", "pipe", "notebook"])
def test_a_bar_is_shown_where_somebody_looks(where, tmp_path):
    """On a terminal and in a notebook a call that takes long shows its progress; in a pipe it says nothing."""
    script = tmp_path / "bar.py"
    begin = "import plumb._run; plumb._run.PATIENCE = 0.0\n"  # as if it took long
    script.write_text(("import sys; sys.modules['ipykernel'] = sys\n" if where == "notebook" else "") + begin + BAR)
    reader, writer = os.openpty() if where == "terminal" else os.pipe()
    process = subprocess.Popen([sys.executable, str(script), str(DATA / "cyclic6.phc")], stderr=writer)
    os.close(writer)
    said = b""
    try:
        while chunk := os.read(reader, 4096):
            said += chunk
    except OSError:
        pass  # the end of a terminal
    os.close(reader)
    assert process.wait() == 0 and (b"paths: |" in said) == (where != "pipe"), said
    assert where != "pipe" or said == b""


def in_a_thread(function):
    """The result of a function that runs in another thread, or its exception."""
    errors = []

    def work():
        try:
            function()
        except BaseException as error:
            errors.append(error)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    for error in errors:
        raise error


INTERRUPTED = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
import plumb
system = plumb.System.read(sys.argv[1])
def interrupt(done, failed, total):
    if done >= 20:
        os.kill(os.getpid(), signal.SIGINT)
begin = time.time()
try:
    {call}
except KeyboardInterrupt as error:
    partial = error.partial
    print(type(error).__name__, len(partial), "after", time.time() - begin)
    assert 0 < len(partial) < {all}, len(partial)
    {check}
    sys.exit(0)
sys.exit("not interrupted")
"""


@pytest.mark.parametrize("call, check, count", [
    ("plumb.solve(system, progress=interrupt)", "assert not partial.complete and partial.report['unfinished'] > 0", 2184),
    ("plumb.solve(system, progress=interrupt, certify=False)", "assert not partial.complete and partial.uncertified is None", 256),
    ("plumb.track(system, progress=interrupt)", "assert len(partial.ends) == len(partial.status)", 720)])
def test_ctrl_c_keeps_what_is_finished(call, check, count, tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED.format(call=call, check=check, all=count))
    name = "katsura8.phc" if count == 256 else "cyclic6.phc" if count == 720 else "cyclic7.phc"
    done = subprocess.run([sys.executable, str(script), str(DATA / name)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Interrupted"), done.stdout


OFTEN = """
import signal, sys, plumb
import plumb._solve as inside, plumb._track as tracks
signal.signal(signal.SIGINT, signal.default_int_handler)
again = lambda: [signal.raise_signal(signal.SIGINT) for _ in range(3)]

def pressed(function):
    def other(*arguments):
        again()
        result = function(*arguments)
        again()
        return result
    return other

inside.solutions_of, inside._report = pressed(inside.solutions_of), pressed(inside._report)
tracks.Paths = pressed(tracks.Paths)

def progress(done, failed, total):
    if done:
        again()

handler = signal.getsignal(signal.SIGINT)
for call in (plumb.solve, plumb.track):
    try:
        call(plumb.System.read(sys.argv[1]), progress=progress)
        sys.exit("not interrupted")
    except plumb.Interrupted as error:
        assert error.partial is not None and str(error).startswith("stopped after"), error
    assert signal.getsignal(signal.SIGINT) is handler
try:  # it comes when the results of a call that has ended are fetched
    plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    sys.exit("not interrupted")
except plumb.Interrupted as error:
    assert len(error.partial) == 4 and error.partial.complete
signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(LookupError("alarm")))
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:  # exceptions of other handlers wait for the end of the call
    plumb.track(plumb.System.read(sys.argv[2]), progress=False)
    sys.exit("not interrupted")
except LookupError as error:
    assert str(error) == "alarm"
"""


@pytest.mark.skipif(not plumb.certificates_available(), reason="needs FLINT")
def test_ctrl_c_during_certificates_keeps_the_solutions():
    """The paths are finished then; a thread tells its progress in the call itself."""
    counts = []

    def progress(done, failed, total):
        counts.append((done, total))
        if len(counts) > 1 and done < counts[-2][0]:  # they count from the beginning
            raise KeyboardInterrupt

    with pytest.raises(plumb.Interrupted) as error:
        in_a_thread(lambda: plumb.solve(DATA_CYCLIC5, progress=progress, real=True))
    partial = error.value.partial
    assert len(partial) == 10 and partial.complete and partial.uncertified == "stopped on request" and partial[0].certificate is None


def test_ctrl_c_again_and_again_keeps_the_result(tmp_path):
    script = tmp_path / "often.py"
    script.write_text(OFTEN)
    done = subprocess.run([sys.executable, str(script), str(DATA / "cyclic6.phc"), str(DATA / "cyclic7.phc")],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


LONG = """
import signal, sys, time, plumb
signal.signal(signal.SIGINT, signal.default_int_handler)
n = 16
names = ["x%d" % k for k in range(n)]
terms = lambda k, *steps: "*".join(names[(k + s) % n] for s in steps)
equations = [f"{terms(k, 0, 1, 3, 4)} + {terms(k, 2, 5, 5)} - {terms(k, 7, 4)} + {terms(k, 1, 6, 9)} - {k + 2}" for k in range(n)]
print("ready", flush=True)
try:
    plumb.solve(equations)
except plumb.Interrupted:
    sys.exit(7)
"""


def test_ctrl_c_from_outside():
    """A signal of the terminal, while mixed cells are enumerated or a great many paths are tracked."""
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.wait(timeout=60) == 7
    assert time.monotonic() - begin < 20
    process.stdout.close()


def test_threads_solve_at_the_same_time():
    expected = plumb.solve(DATA_CYCLIC5).x.planes
    assert all(in_threads(4, lambda k: numpy.array_equal(plumb.solve(DATA_CYCLIC5).x.planes, expected)))


def test_a_thousand_solves_do_not_grow():
    def work():
        solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
        solutions.points, solutions.to_mpmath(), repr(solutions)
    assert growth(work, 500) < 3_000_000


# Measured coefficients: the third equation misses the points (0.8, 0.6) and (-0.6, -0.8) by rounding.
MEASURED = ["x^2 + y^2 = 1", "x*y = 0.48", "x^3 - y^3 = 0.29600000000000004"]


def test_points_that_nearly_solve_more_equations_are_told_and_accepted():
    none = plumb.solve(MEASURED)
    assert len(none) == 0 and none.complete
    assert none.report["misses"] == 2 and 1e-18 < none.report["miss"] < 1e-16
    assert "near misses: 2" in repr(none)
    found = plumb.solve(MEASURED, residual=1e-15)
    assert len(found) == 2 and found.report["misses"] == 0 and found.report["miss"] == 0.0
    assert sorted(found.points.real.round(14).tolist()) == [[-0.6, -0.8], [0.8, 0.6]]
    assert len(plumb.solve(MEASURED, residual=1e-19)) == 0
    for wrong in (-1e-3, 2.0, float("nan")):
        with pytest.raises(plumb.ArgumentError, match="residual"):
            plumb.solve(MEASURED, residual=wrong)


def test_equations_that_follow_from_others_are_counted():
    report = plumb.solve(["x^2 = 2", "2*x^2 = 4"]).report
    assert (report["dependent"], report["squared"], report["distinct"]) == (1, 0, 2)
    report = plumb.solve(["x - y", "x^3*z^3 - 2*x + 1 + x^5*z^5 - x^4*y*z^5", "x^3*z^3 + 3*z - 5"]).report
    assert report["lowered"] == 1 and report["dependent"] == 0 and report["clusters"] == 0


@pytest.mark.parametrize("equations, kinds", [
    (["x^2 - x", "x*y", "y^2 - y"], [("regular", 1)] * 3),
    (["x^2", "x*y", "y^2"], [("singular", 3)]),
    (["x + y^2", "x*y", "x^2"], [("singular", 3)]),
    (["(x-1)^2*(x-1-1/10^8)^2"], [("singular", 2)] * 2),
    (["x^2 - 2*x + 1", "x^2 - x - 1/10^12*x"], []),
])
def test_exact_answers(equations, kinds):
    for seed in (1, 2):
        solutions = plumb.solve(equations, seed=seed)
        assert solutions.complete
        assert [(one.kind, one.multiplicity) for one in solutions] == kinds


def test_tiny_coordinates_are_positive():
    assert len(plumb.solve(["x^2 - x*y + 1/10^20", "y^2 + x - 1"], positive=True)) == 2
    assert len(plumb.solve(["x^3 + 83/10^16*x^2 + 3/125/10^28*x"], positive=True, seed=59017)) == 0


def test_clusters_have_a_kind_of_their_own(tmp_path):
    """A cluster in the place of a singular solution: one that cannot be resolved takes seconds to find."""
    solutions = plumb.solve(["(x - 1)^3*(x + 2)"])
    assert sorted(one.kind for one in solutions) == ["regular", "singular"]
    assert solutions.report["clusters"] == 0 and len(solutions.clusters()) == 0
    solutions._records["kind"][solutions._records["kind"] == plumb._abi.SOLUTION_SINGULAR] = plumb._abi.SOLUTION_CLUSTER
    assert (len(solutions.regular()), len(solutions.singular()), len(solutions.clusters())) == (1, 0, 1)
    cluster = solutions.clusters()[0]
    assert cluster.iscluster and not cluster.issingular and cluster.kind == "cluster" and cluster.multiplicity == 3
    assert "cluster of 3" in repr(cluster) and "1 cluster (1 real)" in repr(solutions)
    solutions.save(tmp_path / "some.json")
    kinds = [one["kind"] for one in json.loads((tmp_path / "some.json").read_text())["solutions"]]
    assert sorted(kinds) == ["cluster", "regular"]
    solutions.save(tmp_path / "some.csv")
    rows = list(csv.DictReader((tmp_path / "some.csv").open()))
    assert sorted(row["cluster"] for row in rows) == ["False", "True"]


# ---- Checkpoints

SCRIPT = """
import sys, plumb
print("ready", flush=True)
plumb.solve(plumb.System.read(sys.argv[1]), start="total", checkpoint=sys.argv[2])
"""


def limbs(solutions):
    return [solution.x.planes.tobytes() for solution in solutions]


def test_a_killed_script_continues_from_its_checkpoint(tmp_path):
    kills = int(os.environ.get("PLUMB_KILLS", "6"))
    system, checkpoint = DATA / "cyclic5.phc", tmp_path / "run.journal"
    expected = limbs(plumb.solve(plumb.System.read(system), start="total"))
    random = numpy.random.default_rng(20263)
    for _ in range(kills):
        with subprocess.Popen([sys.executable, "-c", SCRIPT, str(system), str(checkpoint)], stdout=subprocess.PIPE) as script:
            assert script.stdout.readline() == b"ready\n"
            time.sleep(random.uniform(0, 0.06))
            script.kill()
        if random.integers(3) == 0:
            assert limbs(plumb.solve(plumb.System.read(system), start="total", checkpoint=checkpoint)) == expected
            checkpoint.unlink()
    assert limbs(plumb.solve(plumb.System.read(system), start="total", checkpoint=checkpoint)) == expected
    assert checkpoint.exists()
    with pytest.raises(plumb.ArgumentError, match="cannot resume: --seed is 2"):
        plumb.solve(plumb.System.read(system), start="total", seed=2, checkpoint=checkpoint)


def test_ranges_of_paths_share_the_work(tmp_path):
    system = plumb.System.read(DATA / "cyclic5.phc")
    parts = [plumb.solve(system, start="total", paths=some) for some in (range(0, 50), range(50, 120))]
    assert [part.report["paths"] for part in parts] == [50, 70]
    assert sum(part.report["regular"] for part in parts) == 70
    for bad in (range(0), range(0, 10, 2), range(-1, 5), (0, 5), 7):
        with pytest.raises(plumb.ArgumentError, match="expected a range of numbers"):
            plumb.solve(system, paths=bad)
    with pytest.raises(plumb.ArgumentError, match="expected numbers up to 120"):
        plumb.solve(system, start="total", paths=range(0, 121))


RANKS = """
import sys, plumb
for seed in (1, 2):
    found = plumb.solve(plumb.System.read(sys.argv[1]), seed=seed, ranks=True)
    assert (found is None) == (plumb.rank() > 0)
    if found is not None:
        print([value.hex() for value in found.x._planes.ravel()])
"""


def test_ranks_share_the_paths():
    """mpirun -n 3 of a script: the same bits as in one process."""
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is missing")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    done = subprocess.run(["mpirun", "-n", "3", sys.executable, "-c", RANKS, str(DATA / "cyclic5.phc")], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if "ranks need the plugin" in done.stderr:
        pytest.skip("the plugin for MPI is missing")
    assert done.returncode == 0, done.stderr
    system = plumb.System.read(DATA / "cyclic5.phc")
    alone = [str([value.hex() for value in plumb.solve(system, seed=seed).x._planes.ravel()]) for seed in (1, 2)]
    assert done.stdout.splitlines() == alone


def test_ranks_need_a_launcher():
    if any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_STEP_NUM_TASKS")):
        pytest.skip("a launcher has started these tests")
    with pytest.raises(plumb.UnsupportedError, match="ranks need a launcher"):
        plumb.solve("x^2 - 2", ranks=True)
    assert plumb.rank() == 0


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("name", ["cyclic5", "double root", "overdetermined", "roots of unity"])
def test_a_stream_has_the_solutions_of_the_list(name, chunk, tmp_path):
    equations = SYSTEMS[name][0]
    system = plumb.System.read(equations) if isinstance(equations, pathlib.Path) else plumb.System(equations)
    expected = plumb.solve(system)
    with plumb.solve_stream(system, chunk=chunk, checkpoint=tmp_path / "run.journal") as stream:
        assert len(stream) == len(expected)
        assert stream.report == expected.report
        count = 0
        for one, other in zip(stream, expected):
            assert [limbs_of(v) for v in one.x] == [limbs_of(v) for v in other.x]
            assert (one.isreal, one.multiplicity) == (other.isreal, other.multiplicity)
            count += 1
        assert count == len(expected)
        assert list(stream) == []
    has_paths = not plumb.plan(system).simplified["direct"]  # the roots of one equation are isolated without paths
    assert (tmp_path / "run.journal").exists() == has_paths


def limbs_of(value):
    """The limbs of a complex number that are not zero."""
    planes = numpy.asarray(value._planes).reshape(2, -1)
    return [[limb for limb in part if limb] for part in planes]


def test_a_stream_can_be_left_and_refuses_what_makes_no_sense():
    stream = plumb.solve_stream("x^7 - 1", chunk=2)
    assert next(iter(stream)) is not None
    stream.close()
    assert list(stream) == []
    with pytest.raises(plumb.ArgumentError):
        plumb.solve_stream("x^7 - 1", chunk=0)
    with pytest.raises(plumb.ArgumentError):
        plumb.solve_stream("x^7 - 1", backend="abacus")
