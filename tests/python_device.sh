#!/bin/sh
# python_device.sh LIBRARY - runs the tests of the Python package about arrays on a GPU with a library that has one, real or
# emulated. It is skipped where Debian's Python does not have NumPy, mpmath, SymPy and pytest.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy, mpmath, sympy, pytest' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$root/python/plumb" "$work"
"$python" "$root/python/declare.py" "$root/include/plumb.h" >"$work/plumb/_abi.py"
version=$(sed -n 's/^#define PLUMB_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$root/include/plumb.h" | paste -sd.)
printf '__version__ = "%s"\n' "$version" >"$work/plumb/_version.py"
cd "$work"
PLUMB_LIBRARY=$1 PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider \
    --rootdir="$root/python/tests" "$root/python/tests/test_device.py"
