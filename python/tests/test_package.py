"""The wheel: its tag, contents and size, what it needs, and the versions of Python that can read it."""

import ast
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import plumb

WHEEL = os.environ.get("PLUMB_WHEEL")
PACKAGE = pathlib.Path(plumb.__file__).parent
needs_wheel = pytest.mark.skipif(not WHEEL, reason="the package was not installed from a wheel")


@needs_wheel
def test_name_and_contents():
    cuda = b"cudaLaunchKernel" in (PACKAGE / "lib" / "libplumb.so").read_bytes()
    variant = r"\+cuda" if cuda else ""
    assert re.fullmatch(rf"plumb-\d+\.\d+\.\d+{variant}-py3-none-manylinux_2_\d+_\w+\.whl", pathlib.Path(WHEEL).name)
    assert importlib.metadata.version("plumb") == plumb.__version__ + ("+cuda" if cuda else "")
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
    assert {"plumb/lib/libplumb.so", "plumb/lib/libgmp.so.10", "plumb/lib/libmpfr.so.6", "plumb/py.typed"} <= set(names)
    licences = [name for name in names if "/licenses/" in name]
    for part in ("LICENSE", "LICENSE.libgmp.so.10.txt", "LICENSE.libmpfr.so.6.txt", "LICENSE.LGPL-3.txt"):
        assert any(name.endswith("/" + part) for name in licences), part
    assert not any("__pycache__" in name or "tests" in name for name in names)


@needs_wheel
def test_the_tag_is_honest():
    """The tag names the newest C library that is needed. The promise is glibc 2.34, with the C++ library that came with it: RHEL 9 has them."""
    promised = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", WHEEL).groups()))
    newest = (0, 0)
    for library in (PACKAGE / "lib").glob("*.so*"):
        said = subprocess.run(["readelf", "--wide", "--version-info", str(library)], check=True, capture_output=True,
                              text=True).stdout
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", said):
            newest = max(newest, tuple(map(int, version)))
        for version in re.findall(r"GLIBCXX_3\.4\.(\d+)", said):
            assert int(version) <= 29, library
        said = subprocess.run(["readelf", "--dynamic", str(library)], check=True, capture_output=True, text=True).stdout
        assert "[$ORIGIN]" in said
    assert (2, 17) <= newest <= promised <= (2, 34)


@needs_wheel
def test_the_wheels_libraries_are_loaded():
    script = "import plumb, sys; sys.stdout.write(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    for name in ("libplumb", "libgmp", "libmpfr"):
        found = {line.split()[-1] for line in maps.splitlines() if f"/{name}" in line}
        assert found and all(path.startswith(str(PACKAGE)) for path in found), name


def test_python_3_9_can_read_it():
    for path in PACKAGE.glob("*.py"):
        ast.parse(path.read_text(), filename=str(path), feature_version=(3, 9))


def test_import_is_light():
    script = ("import sys, plumb; heavy = {'sympy', 'mpmath', 'pandas', 'matplotlib', 'IPython'} & set(sys.modules); "
              "sys.exit(', '.join(heavy) or 0)")
    subprocess.run([sys.executable, "-c", script], check=True)


def test_version():
    assert plumb.info()["version"] == plumb.__version__
    assert plumb.info()["threads"] >= 1 and plumb.info()["isa"]


def test_a_library_of_another_version_is_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text('const char *plumb_version(void) { return "0.1.0"; }\n')
    library = tmp_path / "libplumb.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    for path, message in ((library, "version 0.1.0"), (tmp_path / "none.so", "could not be loaded")):
        done = subprocess.run([sys.executable, "-c", "import plumb"], capture_output=True, text=True,
                              env={**os.environ, "PLUMB_LIBRARY": str(path)})
        assert done.returncode == 1 and "ImportError" in done.stderr and message in done.stderr
