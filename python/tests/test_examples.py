"""The examples run, and print what they promise; so do the lines of Python in the README and in docs/python.md."""

import doctest
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import numpy
import pytest

import plumb

ROOT = pathlib.Path(__file__).parents[2]


def output_of(script, *arguments):
    done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_linkage(tmp_path):
    picture = tmp_path / "linkage.png"
    pytest.importorskip("matplotlib")
    said = output_of(ROOT / "examples" / "linkage.py", str(picture))
    assert "The linkage can be assembled in 6 ways" in said and picture.stat().st_size > 1000


def test_fit():
    said = output_of(ROOT / "examples" / "fit.py")
    numpy_digits = float(re.search(r"numpy.linalg.lstsq: +([-\d.]+)", said).group(1))
    found = {name: (float(a), float(b)) for name, a, b in
             re.findall(r"in (\w+) *: +([-\d.]+) correct digits, ([-\d.]+) estimated", said)}
    assert numpy_digits < 8 and all(estimated <= correct + 1 for correct, estimated in found.values())
    assert found["dd"][0] > 15 and found["qd"][0] > 45 and "chooses qd" in said


def test_semidefinite():
    said = output_of(ROOT / "examples" / "semidefinite.py", "12")
    errors = {name: float(error) for name, error in re.findall(r"(\w+) *: minimum .* error ([-+.e\d]+)", said)}
    assert errors["d"] > 1e-9 and errors["dd"] < 1e-12 and errors["qd"] < 1e-28


def test_polynomial():
    """The error is that of the best polynomial, 2^-n / (n + 1)!, or the precision; no more digits are estimated than agree."""
    said = output_of(ROOT / "examples" / "polynomial.py", "24")
    found = {name: (float(error), float(estimated), float(agree or 64)) for name, error, estimated, agree in
             re.findall(r"(\w+) *: largest error ([-+.e\d]+), .*?([.\d]+) digits .* estimated(?:, ([.\d]+) agree)?", said)}
    best = 2.0**-24 / math.factorial(25)
    assert set(found) == {"d", "dd", "qd"} and all(estimated <= agree + 1 for _, estimated, agree in found.values())
    assert found["qd"][0] < 2 * best and found["dd"][0] < 2 * best + 1e-29 and 1e-17 < found["d"][0] < 1e-13
    assert found["qd"][1] > 50 and found["dd"][1] > 15


def test_qd_path():
    said = output_of(ROOT / "examples" / "qd_path.py")
    ends = dict(re.findall(r"^(\w+) *: (\D+) after", said, re.MULTILINE))
    assert ends == {"d": "precision exhausted", "dd": "precision exhausted", "qd": "success", "auto": "success"}
    found, exact = re.search(r"y - w = ([\d.]+), exactly ([\d.]+)", said).groups()
    assert found == exact


def test_lines_of_python_in_the_readme(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    subprocess.run([sys.executable, str(script)], check=True, cwd=tmp_path, timeout=300)


def test_lines_of_python_in_the_documentation(tmp_path, monkeypatch):
    """Every line of docs/python.md runs, in one session, and prints what stands there; '...' stands for last digits."""
    pytest.importorskip("sympy")
    if not plumb.certificates_available():
        pytest.skip("the page was written with FLINT")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) == 5 and all(block.startswith(">>> ") for block in blocks)
    said = []
    names = {}
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, names, "docs/python.md", None, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert not said, "".join(said)


def wheel_of_numpy(folder):
    """A wheel that makes the NumPy of this Python known to another environment of it, as a folder of wheels would."""
    with zipfile.ZipFile(folder / f"numpy-{numpy.__version__}-py3-none-any.whl", "w") as wheel:
        here = f"numpy-{numpy.__version__}.dist-info"
        wheel.writestr("numpy.pth", str(pathlib.Path(numpy.__file__).parents[1]))
        wheel.writestr(f"{here}/METADATA", f"Metadata-Version: 2.1\nName: numpy\nVersion: {numpy.__version__}\n")
        wheel.writestr(f"{here}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{here}/RECORD", "")


def test_commands_of_the_documentation(tmp_path):
    """The lines that install the package, as they stand there, in a fresh environment that sees nothing else; NumPy comes from a folder of
    wheels. pip checks the tag of the wheel and what it needs."""
    wheel = os.environ.get("PLUMB_WHEEL")
    if not wheel:
        pytest.skip("the package was not installed from a wheel")
    page = (ROOT / "docs" / "python.md").read_text()
    lines = re.findall(r"^(python3 -m venv env|env/bin/pip install .*?whl)(?: *#.*)?$", page, re.MULTILINE)
    assert lines == ["python3 -m venv env", "env/bin/pip install build/wheel/plumb-*.whl"]
    (tmp_path / "build" / "wheel").mkdir(parents=True)
    shutil.copy(wheel, tmp_path / "build" / "wheel")
    wheel_of_numpy(tmp_path)
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PLUMB_LIBRARY", "VIRTUAL_ENV")}
    environment.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    python = pathlib.Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}" # that of no environment
    for line in lines:
        subprocess.run(["sh", "-c", line.replace("python3", str(python))], check=True, cwd=tmp_path, env=environment, capture_output=True)
    script = "import plumb; print(plumb.__file__); print(len(plumb.solve(['x^2 + y^2 = 5', 'x*y = 2'])))"
    done = subprocess.run(["env/bin/python", "-c", script], check=True, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.stdout.startswith(str(tmp_path / "env")) and done.stdout.endswith("\n4\n")
