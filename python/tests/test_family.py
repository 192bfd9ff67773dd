"""plumb.Family: known numbers of solutions, the same bits for a target alone, files, and what is refused."""

import copy
import os
import pickle
import shutil
import subprocess
import threading
import warnings

import numpy
import pytest

import plumb

P3P = ["x^2 + y^2 - 2*x*y*u - a^2", "y^2 + z^2 - 2*y*z*v - b^2", "z^2 + x^2 - 2*z*x*w - c^2"]
LENGTHS = "a, b, c, u, v, w"


@pytest.fixture(scope="module")
def p3p():
    return plumb.Family(P3P, LENGTHS).generic()


@pytest.fixture(scope="module")
def targets():
    return numpy.random.default_rng(1).uniform(-1, 1, (60, 6))


def test_p3p_has_8_solutions(p3p, targets):
    assert (p3p.unknowns, p3p.parameters, p3p.paths, p3p.incomplete) == (["x", "y", "z"], list("abcuvw"), 8, None)
    found = p3p.solve(targets)
    assert len(found) == 60 and found.complete and found.incomplete is None
    assert found.outcome.tolist() == ["generic"] * 60 and found.solutions.tolist() == found.regular.tolist() == [8] * 60
    assert found.x.shape == (60, 8, 3) and found.records.shape == (60, 8) and found.targets.shape == (60, 6)
    assert not found.failed.any() and not found.infinite.any() and not found.singular.any() and found.arcs.min() == 1
    system = plumb.System(P3P, ["x", "y", "z", *"abcuvw"])
    points = numpy.concatenate([found.x.to_numpy(), numpy.broadcast_to(targets[:, None], (60, 8, 6))], axis=-1)
    assert abs(plumb.evaluate(system, points).values.to_numpy()).max() < 1e-9
    apart = abs(found.x.to_numpy()[:, :, None] - found.x.to_numpy()[:, None]).max(axis=-1) + numpy.eye(8)
    assert apart.min() > 1e-6
    isreal = found.records["real"] != 0
    assert (isreal.sum(axis=1) == found.real).all() and (found.real % 2 == 0).all() and found.real.max() > 0
    for k, solutions in enumerate(found):
        assert [s.isreal for s in solutions] == sorted(isreal[k], reverse=True)  # real ones come first
        positive = [s.isreal and (s.x.real > 0).all() for s in solutions]
        assert positive == sorted(positive, reverse=True) and sum(positive) == found.positive[k]


def test_entries_are_solutions(p3p, targets):
    found = p3p.solve(targets[:3])
    one = found[2]
    assert isinstance(one, plumb.Solutions) and len(one) == 8 and one.complete and one.unknowns == ["x", "y", "z"]
    assert len(one.real()) == found.real[2] and {s.kind for s in one} == {"regular"} and len(one.singular()) == 0
    assert one.report["outcome"] == "generic" and one.report["paths"] == 8 and one.report["seed"] == 1
    assert "8 paths tracked, start system: generic solutions" in repr(one)
    exact = plumb.solve(p3p.at(targets[2]), certify=False)
    for s in exact:
        assert abs(one.points - s.x.to_numpy()).max(axis=1).min() < 1e-9
    assert (found[-1].x.planes == one.x.planes).all() and len(list(found)) == 3
    some = found[[True, False, True]]
    assert len(some) == 2 and (some[1].x.planes == one.x.planes).all() and (found[1:][1].x.planes == one.x.planes).all()
    with pytest.raises(IndexError):
        found[3]


def test_bits_depend_on_the_target_alone(p3p, targets):
    whole = p3p.solve(targets)
    for k in (0, 17, 59):
        alone = p3p.solve(targets[k:k + 1])
        assert (alone.x.planes[:, 0] == whole.x.planes[:, k]).all()
        assert (alone.records[0] == whole.records[k]).all() and alone.instances[0] == whole.instances[k]
    again = plumb.Family(P3P, LENGTHS).solve(plumb.array(targets, "qd"))  # its generic solutions are found on the way
    assert (again.x.planes == whole.x.planes).all()
    plumb.set_threads(1)
    try:
        assert (p3p.solve(targets).x.planes == whole.x.planes).all()
    finally:
        plumb.set_threads(0)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(p3p.solve(targets)))
    thread.start()
    thread.join()
    assert (seen[0].x.planes == whole.x.planes).all()


def test_digits_of_targets_are_kept():
    family = plumb.Family("x^3 - a", "a")
    for precision, digits in (("dd", 29), ("qd", 60)):
        found = family.solve(plumb.array([["1/3"], ["0.1"]], precision), precision)
        assert found.x.precision == precision
        for k, value in enumerate(("1/3", "0.1")):
            real = found[k].real()[0]["x"].real
            assert abs(real**3 - plumb.array(value, precision)) < 10.0**-digits
    assert abs(float(family.solve([[0.1]], "qd")[0].real()[0]["x"].real**3 - plumb.array("0.1", "qd"))) > 1e-18


def test_targets_by_name():
    family = plumb.Family(["x^2 + y^2 - a", "x*y - b"], "a, b")
    rows = family.solve([[5, 2], [5, 0.5], [5, "1/3"]], "qd")
    for given in ({"b": [2, 0.5, "1/3"], "a": 5}, {"a": [5], "b": plumb.array([2, 0.5, "1/3"], "qd")}):
        assert [str(x) for x in family.solve(given, "qd")] == [str(x) for x in rows]
    assert family.solve({"a": numpy.array([5.0, 1.0]), "b": 0.25}).real.tolist() == [4, 4]
    assert str(family.at({"b": 2, "a": 5})) == str(family.at([5, 2]))
    for given, message in (({"a": 1}, "no value of the parameter b"), ({"a": 1, "b": 2, "c": 3}, "a value of c"),
                           ({"a": [1, 2], "b": [1, 2, 3]}, "2 values of the parameter a, expected 3")):
        with pytest.raises(plumb.ArgumentError, match=message):
            family.solve(given)


def test_complex_targets():
    found = plumb.Family("x^2 - a", "a").solve(numpy.array([[2j], [-1]]))
    assert found.real.tolist() == [0, 0] and found.solutions.tolist() == [2, 2]
    assert numpy.allclose(found[0].points**2, 2j) and numpy.allclose(found[1].points**2, -1)


def test_special_targets():
    family = plumb.Family("a*x^2 + b*x - 1", "a, b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is missing
        found = family.solve([[0, 1], [-1, 2], [1, 1]])
    assert found.outcome.tolist() == ["special", "special", "generic"]
    assert found.infinite.tolist() == [1, 0, 0] and found.singular.tolist() == [0, 2, 0] and found.solutions.tolist() == [1, 1, 2]
    assert (found[1][0].kind, found[1][0].multiplicity, found[0][0].kind) == ("singular", 2, "regular")
    assert "1 generic, 2 special" in repr(found)
    assert family.solve([[-1, 2]], special=True).outcome.tolist() == ["solved anew"]


def test_what_may_be_missing_is_a_warning():
    family = plumb.Family(["x^2 + y^2 - a", "x*y - b"], "a, b").generic()
    with pytest.warns(plumb.IncompleteWarning, match=r"2 of 2 targets \(0, 1\): paths failed"):
        found = family.solve([[1, 2], [3, 1]], max_steps=1, reruns=0)
    assert not found.complete and found.failed.tolist() == [4, 4] and found.outcome.tolist() == ["incomplete"] * 2
    assert not found[0].complete and "may be missing" in found[0].report["incomplete"]
    with pytest.warns(plumb.IncompleteWarning, match="2 of the 3 generic solutions|generic solution.*not regular"):
        family = plumb.Family("(x - a)*x^2", "a").generic()
    assert family.paths == 1 and family.incomplete
    with pytest.warns(plumb.IncompleteWarning, match="left out of all targets"):
        assert not family.solve([[1]])[0].complete


def test_declared_parameters(tmp_path):
    family = plumb.Family("parameters b, a; a*x^2 - b")
    assert (family.parameters, family.unknowns, family.system.parameters, family.system.unknowns) == (["b", "a"], ["x"], ["b", "a"], ["x", "b", "a"])
    path = tmp_path / "family.phc"
    path.write_text("1\nparameters b, a;\na*x^2 - b;\n")
    again = plumb.Family(plumb.System.read(path), ["b", "a"])
    assert again.system == family.system
    assert (again.solve([[2, 1]]).x.planes == family.solve([[2, 1]]).x.planes).all()
    assert plumb.System("x - 1").parameters == []


def test_sympy():
    sympy = pytest.importorskip("sympy")
    x, y, r, a = sympy.symbols("x y r a")
    family = plumb.Family([sympy.Eq(x**2 + y**2, r), y - a * x - 1], [r, a], [y, x])
    assert (family.unknowns, family.parameters) == (["y", "x"], ["r", "a"])
    found = family.solve([[5, sympy.Rational(1)]])
    assert sorted(found[0].points.real.round(9).tolist()) == [[-1.0, -2.0], [2.0, 1.0]]


def test_files_and_pickles(p3p, targets, tmp_path):
    p3p.write(tmp_path / "p3p.family")
    expected = p3p.solve(targets[:5])
    for same in (plumb.Family.read(tmp_path / "p3p.family"), pickle.loads(pickle.dumps(p3p)), copy.copy(p3p)):
        assert same.paths == 8 and same.parameters == list("abcuvw") and same.system == p3p.system
        assert (same.solve(targets[:5]).x.planes == expected.x.planes).all()
    fresh = pickle.loads(pickle.dumps(plumb.Family("x - a", "a")))
    assert fresh.paths == 0
    fresh.write(tmp_path / "fresh.family")  # the generic solutions are found on the way
    assert fresh.paths == 1 and plumb.Family.read(tmp_path / "fresh.family").paths == 1
    again = pickle.loads(pickle.dumps(expected))
    assert (again[1].x.planes == expected[1].x.planes).all()


def test_the_program_reads_the_file(p3p, targets, tmp_path):
    program = os.environ.get("PLUMB_PROGRAM") or shutil.which("plumb")
    if not program:
        pytest.skip("the program is not there")
    p3p.write(tmp_path / "p3p.family")
    p3p.system.save(tmp_path / "p3p.phc")
    numpy.savetxt(tmp_path / "at.csv", targets[:4], delimiter=",", header=",".join("abcuvw"), comments="", fmt="%.17g")
    said = subprocess.run([program, "solve", "p3p.phc", "--at", "at.csv", "--family", "p3p.family", "--count"], cwd=tmp_path,
                          capture_output=True, text=True, check=True, timeout=100).stdout
    real = int(p3p.solve(targets[:4]).real.sum())
    assert f"4 targets, 8 paths each: 4 generic, 0 special, 0 incomplete; {real} real solution" in said


def test_no_targets(p3p):
    found = p3p.solve(numpy.zeros((0, 6)))
    assert len(found) == 0 and found.x.shape == (0, 8, 3) and found.complete and "0 targets" in repr(found) and list(found) == []


def test_progress(p3p, targets):
    calls = []
    p3p.solve(targets, progress=lambda *counts: calls.append(counts))
    assert calls and calls[-1][2] >= 480 and all(done <= total for done, _, total in calls)

    def fail(*counts):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        p3p.solve(targets, progress=fail)
    with pytest.raises(TypeError, match="progress"):
        p3p.solve(targets, progress=3)


def test_interrupted(p3p):
    """An interrupt stops the paths, and partial has an entry for every target."""
    many = numpy.random.default_rng(2).uniform(-1, 1, (20000, 6))

    def stop(*counts):
        raise KeyboardInterrupt
    with pytest.raises(plumb.Interrupted, match="of 20000 targets") as caught:
        p3p.solve(many, progress=stop)
    partial = caught.value.partial
    assert len(partial) == 20000 and "stopped" in partial.outcome and not partial.complete
    assert "stopped before" in partial.incomplete and "20000 targets" in partial.incomplete
    assert len(partial[19999]) == 0 and not partial[19999].complete
    family = plumb.Family([f"x{k}^3 + a*x{(k + 1) % 7} - b" for k in range(7)], "a, b")
    with pytest.raises(plumb.Interrupted):
        family.generic(progress=stop, start="total")
    assert family.paths == 0  # a part of the generic solutions is not taken for all


@pytest.mark.parametrize("at, line", [
    ([1, 2], r"at has the shape \(2,\), expected \(targets, 2\): values of a, b"),
    ([[1, 2, 3]], r"at has the shape \(1, 3\), expected \(targets, 2\)"),
    (3.0, r"at has the shape \(\), expected"),
    (numpy.zeros((1, 1, 2)), r"at has the shape \(1, 1, 2\)"),
    ([[1, 2], [3]], "."),
    ([[1, 2], [3, numpy.nan]], r"at\[1, 1\], a value of the parameter b, is not finite"),
    ([[complex(0, numpy.inf), 2]], r"at\[0, 0\], a value of the parameter a, is not finite"),
    ([["q", 2]], "."),
])
def test_bad_targets(at, line):
    family = plumb.Family("x^2 - a*x - b", "a, b")
    with pytest.raises(ValueError, match=line):
        family.solve(at)
    assert family.paths == 0  # before any work is done


def test_bad_families(tmp_path):
    for arguments, line in [(("x^2 - a",), "parameters are missing"), (("x^2 - a", []), "parameters are missing"),
                            (("x^2 - a", "q"), "q"), (("x^2 - a", "a a"), "a parameter is given twice"),
                            (("x^2 - a", "3"), "a name of a parameter"), (("x^2 - a", "x, a"), "."),
                            (("x^2 - a", "a", "x, a"), "both a parameter and an unknown: a"),
                            (("x^2 - a", "a", "y"), "further unknowns: x"),
                            (("parameters a; x^2 - a", "b"), "parameters are b, but the equations declare a"),
                            (("x/y - a; y - 1", "a"), "denominators|quotient"), (("x*y - a", "a"), "equation")]:
        with pytest.raises(ValueError, match=line):
            plumb.Family(*arguments)
    with pytest.raises(TypeError):
        plumb.Family(3, "a")
    with pytest.raises(TypeError):
        plumb.Family("x - a", 3)
    with pytest.raises(TypeError):
        plumb.Family("x - a", "a").solve({"a": object()})
    family = plumb.Family("x^2 - a", "a")
    for options in ({"precision": "od"}, {"seed": -1}, {"reruns": 9}, {"max_steps": 0}, {"backend": "fast"}):
        with pytest.raises(ValueError):
            family.solve([[1]], **options)
    with pytest.raises(ValueError, match="start is 'best'"):
        family.generic(start="best")
    with pytest.raises(ValueError, match=r"target has the shape \(1, 1\), expected \(1,\): values of a"):
        family.at([[1]])
    with pytest.raises(OSError):
        plumb.Family.read(tmp_path / "nothing")
    (tmp_path / "wrong").write_text("1\nparameters a;\nx^2 - a;\n")
    with pytest.raises(plumb.ParseError, match="GENERIC PARAMETERS"):
        plumb.Family.read(tmp_path / "wrong")
    with pytest.raises(OSError):
        family.write(tmp_path / "no" / "folder")


def test_monodromy_finds_the_solutions(p3p):
    family = plumb.Family(P3P, LENGTHS)
    found = family.monodromy(symmetry=[{"x": "-x", "y": "-y", "z": "-z"}], seed=3)
    assert (found.outcome, found.solutions, found.classes, found.orbits, found.order, found.proven) == ("quiet", 8, 4, 1, 192, True)
    assert family.paths == 8 and family.incomplete is None and found.doubt == 2**-10 and found.failed == 0
    assert found.permutations.shape[1] == 8 and (numpy.sort(found.permutations, axis=1) == numpy.arange(8)).all()
    target = numpy.random.default_rng(2).uniform(-1, 1, (1, 6))
    assert family.solve(target).real.tolist() == p3p.solve(target).real.tolist()
    again = family.monodromy()  # from its own solutions
    assert again.solutions == 8 and again.loops > 10
    big = plumb.Family([f"x{k}^2 - a{k}" for k in range(3)], "a0, a1, a2").monodromy()
    assert (big.solutions, big.order) == (8, 8)


def test_monodromy_from_solutions():
    family = plumb.Family("x^3 - a", "a")
    assert family.monodromy([[2]], [8]).order == 3
    assert family.monodromy(plumb.array([["2.5"]])).solutions == 3
    assert family.monodromy([[1 + 2j]], max_solutions=1).outcome == "reached"
    for given in ({"solutions": [[1, 2]]}, {"solutions": [[2]], "parameters": [8, 1]}, {"parameters": [8]},
                  {"symmetry": [{"q": "x"}]}, {"symmetry": [{"x": "x + 1"}]}, {"loops": 0}, {"solutions": [[0]], "parameters": [0]}):
        with pytest.raises(plumb.ArgumentError):
            family.monodromy(**given)
    with pytest.warns(plumb.IncompleteWarning, match="generic solutions may be missing"):
        assert plumb.Family("x^3 - a*x + b", "a, b").monodromy(max_loops=1).outcome == "loops"


def test_solutions_that_are_not_regular_are_missing(tmp_path):
    family = plumb.Family("(x - a)^2*(x - b)", "a, b")
    with pytest.warns(plumb.IncompleteWarning, match="1 of the 2 generic solutions are not regular"):
        family.generic()
    family.write(tmp_path / "double.family")
    again = plumb.Family.read(tmp_path / "double.family")
    assert "1 of the 2 generic solutions are not regular" in again.incomplete
    with pytest.warns(plumb.IncompleteWarning):
        assert not again.solve([[2, 3]]).complete


def test_branches_of_an_s_curve():
    family = plumb.Family("x^3 - 3*x - a", "a")
    found = family.branches([-4], [4], 41)
    assert len(found) == 3 and [len(b) for b in found] == [len(b.s) for b in found]
    assert found.report["turns"] == 2 and (found.report["least"], found.report["most"]) == (1, 3)
    assert sorted((b.begin, b.end) for b in found) == [("edge", "turn"), ("turn", "edge"), ("turn", "turn")]
    for b in found:
        inner = slice(b.begin == "turn", len(b) - (b.end == "turn"))
        x, a = b.x[inner, 0], b.parameters[inner, 0]
        assert abs(x**3 - 3 * x - a).max() < 1e-9 and (numpy.diff(b.s) > 0).all()
    with pytest.raises(plumb.ArgumentError):
        family.branches([-4], [4j])
    with pytest.raises(plumb.ArgumentError):
        family.branches([-4], [4], 1)
    assert len(found[:2]) == 2 and "2 turning points" in repr(found)


def test_map_counts_real_solutions():
    family = plumb.Family("x^2 - a*x + b", "a, b")
    found = family.map({"b": (-1, 1, 4), "a": (-2, 2, 8)})
    b, a = found.values
    assert found.names == ["b", "a"] and found.real.shape == (8, 4)
    assert (found.real == numpy.where(a[:, None]**2 > 4 * b[None], 2, 0)).all()
    assert (found.positive == numpy.where(b[None] < 0, 1, numpy.where((a[:, None] > 0) & (found.real == 2), 2, 0))).all()
    assert family.map({"a": (0, 4, 3), "b": "1/3"}, neighbours=3).solutions.tolist() == [2, 2, 2]
    for bad in ({"a": (0, 1, 2)}, {"a": 1, "b": 2}, {"a": (1, 0, 2), "b": 1}, {"a": (0, 1, 2), "b": 1, "c": 2}):
        with pytest.raises(plumb.ArgumentError):
            family.map(bad)


def test_maps_and_branches_are_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    family = plumb.Family(["x^2 - a", "y - x - b"], "a, b")
    axes = family.branches([-1, 0], [1, 0], 21).plot()
    assert axes.get_xlabel() == "a" and axes.get_ylabel() == "x" and len(axes.lines) == 2
    assert family.branches([-1, 0], [1, 1], 21).plot(("x", "y")).get_ylabel() == "y"
    assert family.map({"a": (-1, 1, 4), "b": (0, 1, 3)}).plot("positive").get_ylabel() == "b"
    assert family.map({"a": (-1, 1, 4), "b": 1}).plot().get_xlabel() == "a"


def test_neighbours_find_the_same():
    family = plumb.Family(P3P, LENGTHS).generic()
    at = [[1 + 0.01 * k, 1, 1.1, 0.5, 0.4, 0.45] for k in range(40)]
    plain, near = family.solve(at), family.solve(at, neighbours=16)
    assert near.outcome.tolist() == plain.outcome.tolist() and near.real.tolist() == plain.real.tolist()
    assert near.instances["neighbour"].tolist() == [int(k % 16 > 0) for k in range(40)]
    assert abs(numpy.sort(near.x.to_numpy().real, axis=1) - numpy.sort(plain.x.to_numpy().real, axis=1)).max() < 1e-8


def test_trace_test():
    slices = [f"a{k}*x + b{k}*y + c{k}*z - d{k}" for k in (1, 2)]
    family = plumb.Family(["x^2 + y^2 + z^2 - 1"] + slices, ", ".join(f"{n}{k}" for k in (1, 2) for n in "abcd"))
    assert family.monodromy(trace=True).trace == "complete" and family.paths == 2
    with pytest.warns(plumb.IncompleteWarning, match="trace test failed"):
        assert plumb.Family(family.system).monodromy(trace=True, max_solutions=1).trace == "missing"
    assert plumb.Family("x^3 - a*x + b", "a, b").monodromy(trace=True).trace == "complete"
