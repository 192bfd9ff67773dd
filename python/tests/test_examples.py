"""The examples run, and print what they promise; so do the lines of Python in the README and in docs/python.md."""

import pathlib
import re
import subprocess
import sys

import pytest

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


def test_qd_path():
    said = output_of(ROOT / "examples" / "qd_path.py")
    ends = dict(re.findall(r"^(\w+) *: (\D+) after", said, re.MULTILINE))
    assert ends == {"d": "precision exhausted", "dd": "precision exhausted", "qd": "success", "auto": "success"}
    found, exact = re.search(r"y - w = ([\d.]+), exactly ([\d.]+)", said).groups()
    assert found == exact


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_lines_of_python_in_the_documentation(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    subprocess.run([sys.executable, str(script)], check=True, cwd=tmp_path, timeout=300)
