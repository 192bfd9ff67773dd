#!/bin/sh
# version.sh ROOT - the version is defined in include/plumb.h; whatever else names it, or the library that is named after it, agrees.
cd "$1" || exit 2
version=$(scripts/version) compatible=$(scripts/version compatible) bad=
agree() { # agree FILE PATTERN: the first line that matches has the version
    grep -m1 -E "$2" "$1" | grep -qF "$3" || { echo "$1: expected $3 in: $(grep -m1 -E "$2" "$1")" >&2; bad=1; }
}
agree CITATION.cff '^version:' "$version"
agree CHANGELOG.md '^## ' "$version"
agree packaging/conda/meta.yaml 'set version' "\"$version\""
agree packaging/spack/package.py '^ *version\(' "\"$version\""
agree packaging/spack/package.py '^ *url' "plumb-$version.tar.gz"
agree docs/plumb.1 '^\.TH' "\"plumb $compatible\""
agree docs/plumb-bench.1 '^\.TH' "\"plumb $compatible\""
agree docs/install.md 'libplumb[0-9]' "libplumb$compatible"
agree packaging/debian/control '^Package: libplumb[0-9]' "libplumb$compatible"
! grep -nE 'libplumb[0-9.]+[0-9]' packaging/debian/control packaging/debian/rules | grep -vF "libplumb$compatible" || bad=1
[ -f "packaging/debian/libplumb$compatible.install" ] || { echo "packaging/debian/libplumb$compatible.install is missing" >&2; bad=1; }
[ -z "$bad" ]
