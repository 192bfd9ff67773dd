"""plumb.decompose: components with known degrees, their points and files."""

import json
from fractions import Fraction

import pytest

import plumb

SPHERE = "(x^2+y^2+z^2-1)"
SOMMESE = [f"(y-x^2)*{SPHERE}*(x-0.5)", f"(z-x^3)*{SPHERE}*(y-0.5)", f"(y-x^2)*(z-x^3)*{SPHERE}*(z-0.5)"]


def test_components_are_known():
    c = plumb.decompose(SOMMESE)
    assert [(k.dimension, k.degree) for k in c] == [(2, 2), (1, 1), (1, 1), (1, 1), (1, 3)]
    assert len(c.isolated) == 1 and c.isolated[0].isreal
    assert c.complete and all(k.irreducible and k.trace_digits > 30 and len(k.points) == k.degree for k in c)
    assert sorted(c.slices) == [1, 2]


def test_multiple_components():
    c = plumb.decompose("(x-y)^2")
    assert (c[0].degree, c[0].multiplicity, c[0].multiplicity_is_bound) == (1, 2, False)
    assert c[0].points[0].multiplicity == 2


def test_lower_dimensions_are_left_out():
    c = plumb.decompose(SOMMESE, dimension=2)
    assert len(c) == 1 and c.isolated is None and len(c.of_dimension(1)) == 0


def test_files(tmp_path):
    c = plumb.decompose(["x*y", "x*z"], seed=3)
    c.save(tmp_path / "c.json")
    read = json.loads((tmp_path / "c.json").read_text())
    assert [(k["dimension"], k["degree"]) for k in read["components"]] == [(2, 1), (1, 1)]
    assert read["seed"] == 3


def test_certificates():
    if not plumb.certificates_available():
        pytest.skip("FLINT is missing")
    c = plumb.decompose(["a*d - b*c", "c*f - d*e"])
    assert c.proofs == {4: (4, True)} and [k.certified for k in c] == [1, 3] and c.certificates
    assert plumb.decompose("x*y", certify=False).proofs == {}
    assert plumb.decompose(SOMMESE, certify=True).proofs == {0: (1, False)}


def test_checkpoints(tmp_path):
    folder = tmp_path / "journal"

    def stop(done, failed, total):
        if total > 4:
            raise KeyboardInterrupt

    with pytest.raises(plumb.Interrupted) as stopped:
        plumb.decompose(SOMMESE, checkpoint=folder, progress=stop)
    assert stopped.value.partial.incomplete and folder.exists()
    c = plumb.decompose(SOMMESE, checkpoint=folder)
    assert [k.degree for k in c] == [2, 1, 1, 1, 3] and not folder.exists()
    assert c._text == plumb.decompose(SOMMESE)._text


def test_misuse():
    with pytest.raises(plumb.Error):
        plumb.decompose("x/y - 1")
    with pytest.raises((plumb.Error, TypeError, ValueError)):
        plumb.decompose("x", dimension=-1)


def test_members():
    c = plumb.decompose(["x*(x^2 + y^2 + z^2 - 1)", "x*(y - 2*z)"])
    found = c.member([(0, 3, 4), ("0.6", "0", "0"), (1, 0, 0), {"z": 0, "y": Fraction(1, 3), "x": 0}, (0.6, 0.0, 1j)])
    assert [m.on for m in found] == [[0], [], [1], [0], []]
    assert found[1].proven and not found[0].proven and all(not m.undecided and m.isolated is False for m in found)
    sampled = c.sample(3, component=1)
    assert [m.on for m in c.member(sampled, tolerance=1e-30)] == [[1]] * 3
    assert [m.on for m in c.member(sampled)] == [[]] * 3  # they are rounded
    with pytest.raises(plumb.ArgumentError):
        c.member([(1, 2)])
    with pytest.raises(plumb.ArgumentError):
        c.member([(1, 2, float("nan"))])


def test_samples_and_slices(tmp_path):
    c = plumb.decompose(["x^2 + y^2 - 1"])
    points = c.sample(5, real=True)
    assert len(points) == 5 and all(p.isreal for p in points)
    cut = c.slice("x = 1/2")
    assert len(cut) == 2 and all(p.isreal and abs(float(p["x"].real) - 0.5) < 1e-15 for p in cut)
    with pytest.raises(plumb.ArgumentError):
        c.slice("x^2 = 1")
    with pytest.raises(plumb.ArgumentError):
        c.sample(component=1)
    c.save(tmp_path / "c.json")
    again = plumb.read_components(tmp_path / "c.json")
    assert again.unknowns == c.unknowns and len(again) == 1 and again[0].degree == 2 and again.slices == c.slices
    assert [m.on for m in again.member([("3/5", "4/5")])] == [[0]]


def test_curves():
    ovals = plumb.decompose(["((x-1)^2+y^2)*((x+1)^2+y^2) - 9/10"]).curves()
    assert len(set(ovals.pieces)) == 2 and ovals.doubtful == 0
    for line in ovals.lines:
        x, y = line.T
        assert abs(((x - 1)**2 + y**2) * ((x + 1)**2 + y**2) - 0.9).max() < 1e-6
    acnode = plumb.decompose(["y^2 - x^2*(x-1)"]).curves(box=((-2, -2), (2, 2)))
    assert len(acnode.isolated) == 1 and abs(acnode.isolated).max() < 1e-8
    with pytest.raises(plumb.ArgumentError):
        acnode = plumb.decompose(["y - x"]).curves(box=((0,), (1,)))
