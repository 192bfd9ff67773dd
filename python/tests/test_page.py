"""The page of a run is that of plumb solve --html, and pictures say what is known."""

import html.parser
import json
import os
import pathlib
import re
import subprocess
import warnings

import pytest

import plumb
from plumb import _page

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data" / "systems"


def data_in(page):
    """The JSON of a page, as a browser takes it out of the element."""
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n?</script>', page, re.DOTALL).group(1))


def without_times(data):
    data = {key: value for key, value in data.items() if key not in ("title", "costs")}
    for row in data["solutions"]:  # Python and C write the same double in their own ways
        row[4:7] = [None if value is None else float(f"{value:.6g}") for value in row[4:7]]
    # the same bound can have two names: the program also computes the mixed volume of the system as it was given
    data["certificates"][0] = re.sub(r"= [a-z- A-Z]+ (\d+): complete", r"= \1: complete", re.sub(r" \([a-zA-Z -]+\)$", "", data["certificates"][0]))
    return data


@pytest.mark.parametrize("name, options", [("cyclic5", {}), ("mult_griewank_osborne", {}), ("eco8", {"digits": 100}), ("katsura5", {"positive": True}),
                                           ("overdet_minors34", {})])
def test_page_has_what_the_program_writes(tmp_path, name, options):
    program = os.environ.get("PLUMB_PROGRAM")
    if not program:
        pytest.skip("there is no program to compare with")
    words = [f"--{key}" + ("" if value is True else f"={value}") for key, value in options.items()]
    subprocess.run([program, "solve", DATA / f"{name}.phc", "--html", tmp_path / "run.html", "-q", *words], check=False)
    theirs = without_times(data_in((tmp_path / "run.html").read_text()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solutions = plumb.solve(plumb.System.read(DATA / f"{name}.phc"), **options)
    ours = without_times(data_in(solutions.html()))
    if not options.get("positive"):  # the program counts what is certified before it chooses
        assert ours == theirs
    else:
        assert ours["solutions"] == theirs["solutions"] and ours["account"] == theirs["account"]


def comparable(data):
    """A page without times, and with its doubles rounded: Python and C write the same double in their own ways."""
    def rounded(value):
        if isinstance(value, float):
            return float(f"{value:.6g}")
        return [rounded(one) for one in value] if isinstance(value, list) else value
    data = {key: value for key, value in data.items() if key != "title"}
    data["costs"] = [row for row in data["costs"] if not row[0].startswith("time")]
    data["groups"] = {key: rounded(value) for key, value in data["groups"].items()}
    return data


def written_by_the_program(tmp_path, *words):
    program = os.environ.get("PLUMB_PROGRAM")
    if not program:
        pytest.skip("there is no program to compare with")
    subprocess.run([program, *words, "--html", tmp_path / "run.html", "-q"], check=False)
    return comparable(data_in((tmp_path / "run.html").read_text()))


@pytest.mark.parametrize("equations, names, targets", [
    (["x^2 + y^2 = a", "x*y = b"], "a,b", [["5", "2"], ["2", "1"], ["-1", "1"], ["0", "0"], ["1.1", "1/3"]]),
    (["x^3 - 3*x + a"], "a", [["2"], ["0.5"]]),
    (["a*x^2 + x = 1"], "a", [["0"], ["1e-40"]])])
def test_page_of_a_family_has_what_the_program_writes(tmp_path, equations, names, targets):
    (tmp_path / "t.csv").write_text("\n".join([names, *map(",".join, targets)]) + "\n")
    theirs = written_by_the_program(tmp_path, "solve", *(word for one in equations for word in ("-e", one)), "--parameters", names, "--at", tmp_path / "t.csv")
    found = plumb.Family(equations, names.split(",")).solve(plumb.array(targets, "qd"))
    assert comparable(data_in(found.html())) == theirs
    assert found._repr_html_().count("<tr>") == len(targets) + 1 and "<script" not in found._repr_html_()
    part = data_in(found[:1].html())
    assert len(part["groups"]["rows"]) == 1 and part["sentence"].startswith("1 target with")


@pytest.mark.parametrize("equations, options", [
    (["(y-x^2)*(x^2+y^2+z^2-1)*(x-0.5)", "(z-x^3)*(x^2+y^2+z^2-1)*(y-0.5)", "(y-x^2)*(z-x^3)*(x^2+y^2+z^2-1)*(z-0.5)"], {}),
    (["x*(y^2 - 2)", "x*z"], {"dimension": 2}),
    (["x^2 + y^2 = 5", "x*y = 2"], {}),
    (["x + 1", "x"], {}),
    (["(x - y)^2*(x + y)"], {"seed": 7})])
def test_page_of_components_has_what_the_program_writes(tmp_path, equations, options):
    words = [f"--{key}={value}" for key, value in options.items()]
    theirs = written_by_the_program(tmp_path, "decompose", *(word for one in equations for word in ("-e", one)), *words)
    found = plumb.decompose(equations, **options)
    assert comparable(data_in(found.html())) == theirs
    assert "<table>" in found._repr_html_() or len(found) == 0
    found.html(tmp_path / "c.html")
    assert data_in((tmp_path / "c.html").read_text())["unknowns"] == found.unknowns


def test_numbers_without_known_digits_are_zero():
    found = plumb.Family("x^2 - a*x + b", "a, b").solve([[a / 10, 0] for a in range(-42, 43, 7)])
    texts = [text for row in data_in(found.html())["groups"]["rows"] for solution in row[-1] for pair in solution[9] for text in pair]
    assert "0" in texts and not any(re.fullmatch(r"-?\de-\d+", text) for text in texts)


def test_pages_of_what_is_missing():
    found = plumb.Family("x^2 - a", "a").solve([[1], [2], [3]])
    found.instances["code"][1] = plumb._abi.INSTANCE_INCOMPLETE
    found.instances["code"][2] = plumb._abi.INSTANCE_STOPPED
    data = data_in(found.html())
    assert len(data["groups"]["rows"]) == 2 and data["sentence"].startswith("2 targets with 2 paths each: 1 generic, 1 incomplete; ")
    assert data["warnings"] == ["Solutions of 1 target may be missing.", "The run was stopped: later targets are not on this page."]
    assert "\u26a0 Solutions of 1 target may be missing." in found._repr_html_()


class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)


def test_texts_are_no_markup():
    solutions = plumb.solve("x^2 - 2")
    hostile = '</script><script>owned=1</script><img src=x onerror=owned=1>&lt;b>"'
    page = solutions.html(title=hostile)
    assert Elements(page).names == Elements(solutions.html()).names and data_in(page)["title"] == hostile
    for other in (plumb.Family("x^2 - a", "a").solve([[1]]), plumb.decompose("x*y")):
        assert Elements(other.html(title=hostile)).names == Elements(page).names and data_in(other.html(title=hostile))["title"] == hostile
    other = plumb.Family("x^2 - a", "a").solve([[1]])
    other.parameters = ["<b>a"]
    assert "<b>" not in other._repr_html_() and "&lt;b&gt;a" in other._repr_html_() and "<b>" not in other.html()
    solutions._unknowns = ["<b>x"]
    assert "<b>" not in solutions._repr_html_() and "&lt;b&gt;x" in solutions._repr_html_()


def test_pages_are_written_whole(tmp_path):
    solutions = plumb.solve("x^5 = x + 1")
    assert solutions.html(tmp_path / "run.html") is None
    assert (tmp_path / "run.html").read_text() == solutions.html() and os.listdir(tmp_path) == ["run.html"]
    with pytest.raises(OSError):
        solutions.html(tmp_path / "nowhere" / "run.html")


def test_page_of_solutions_without_a_system(tmp_path):
    plumb.solve("x^2 - 2").save(tmp_path / "f.sol")
    data = data_in(plumb.Solutions.read(tmp_path / "f.sol").html())
    assert len(data["solutions"]) == 2 and data["equation_count"] == 0 and data["account"] == []


def test_short_form():
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    shown = solutions._repr_html_()
    assert "4 isolated solutions, 4 real" in shown and shown.count("<tr>") == 5 and "<script" not in shown
    many = plumb.solve(plumb.System.read(DATA / "cyclic5.phc"), certify=False)
    assert "and 50 more" in many._repr_html_()


def test_proven_to_be_all():
    if not plumb.certificates_available():
        pytest.skip("needs FLINT")
    solutions = plumb.solve(["x^2 + y^2 = 5", "x*y = 2"])
    assert _page.proven_line(solutions) == "4 certified distinct isolated solutions (4 real) = Bezout number 4: complete"
    assert _page.proven_line(solutions[:3]).startswith("at least 3 certified")


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    solutions = plumb.solve(["(x-1)^3*(x+2)", "y^2 = x"])
    panels = solutions.plot()
    assert [panel.get_xlabel() for panel in panels] == ["Re x", "Re y"] and [panel.get_ylabel() for panel in panels] == ["Im x", "Im y"]
    assert all(panel.get_aspect() == 1.0 for panel in panels)
    told = [text.get_text() for text in panels[0].figure.legends[0].get_texts()]
    counts = {label.split(":")[0]: int(label.split(":")[1]) for label in told}
    assert sum(counts.values()) == len(solutions) and sum(n for label, n in counts.items() if label.startswith("real")) == len(solutions.real())
    assert {text.get_text() for text in panels[0].texts} == {"\u00d73"}
    pair = solutions.plot(("x", "y"))
    assert pair.get_xlabel() == "x" and pair.get_ylabel() == "y"
    with pytest.raises(plumb.ArgumentError):
        solutions.plot("z")
    _, given = pyplot.subplots()
    assert solutions.plot("x", given) is given
    pyplot.close("all")


def test_picture_of_many():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    solutions = plumb.solve("x^900 = 2", certify=False)
    panel = solutions.plot()
    assert "not real, regular: 898 (darker: more)" in [text.get_text() for text in panel.figure.legends[0].get_texts()]
    pyplot.close("all")
