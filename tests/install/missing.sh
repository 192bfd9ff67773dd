#!/bin/sh
# missing.sh ROOT - scripts/install-deps, as a user without root meets it: it names what is missing, what it is called in Debian, Ubuntu,
# Fedora and conda, and how to use a folder of one's own; it asks for nothing that plumb can do without, and for no package that the
# release does not have. The commands that it calls are stand-ins: a system where nothing is installed but what a case says.
set -eu
deps=$1/scripts/install-deps
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
mkdir "$bin"
for tool in sh cat tr grep; do ln -s "$(command -v $tool)" "$bin/$tool"; done
stand_in() { # stand_in NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}
stand_in cc 'exit 1' # finds no header
stand_in gcc 'exit 1'
stand_in make 'exit 1'
stand_in id 'echo 1000'
stand_in dpkg-query 'exit 1'
stand_in apt-get 'echo "apt-get was called" >&2; exit 1'
stand_in apt-cache 'case $2 in libflint-arb-dev) echo "Candidate: $ARB" ;; *) echo "Candidate: 3.1.3-2" ;; esac'

# says STATUS TEXT...: the status of install-deps build, and what it says; a text that begins with - must not be there.
says() {
    expected=$1
    shift
    status=0
    PATH=$bin "$bin/sh" "$deps" build >"$work/said" 2>&1 || status=$?
    [ "$status" = "$expected" ] || { cat "$work/said"; echo "status $status, expected $expected"; exit 1; }
    for text; do
        case $text in
        -*) ! grep -qF -e "${text#-}" "$work/said" || { cat "$work/said"; echo "not expected: ${text#-}"; exit 1; } ;;
        *) grep -qF -e "$text" "$work/said" || { cat "$work/said"; echo "expected: $text"; exit 1; } ;;
        esac
    done
}

ARB='1:2.23.0-1'
export ARB
says 1 'missing: cmake pkg-config libmpfr-dev libgmp-dev' 'Debian, Ubuntu  gcc make' 'Fedora          gcc make' 'conda           c-compiler' \
    'export CMAKE_PREFIX_PATH=' 'apt-get install -y --no-install-recommends cmake pkg-config libmpfr-dev libgmp-dev g++ libflint-dev libflint-arb-dev'
ARB='(none)' # since FLINT 3
says 1 'libgmp-dev g++ libflint-dev' '-libflint-dev libflint-arb-dev' '-apt-get was called'
stand_in cmake 'exit 1'
stand_in pkg-config 'exit 1'
mkdir -p "$work/opt/include"
: >"$work/opt/include/gmp.h"
CMAKE_PREFIX_PATH=$work/opt
export CMAKE_PREFIX_PATH
says 1 'missing: libmpfr-dev' # of which libgmp-dev is found in the prefix
: >"$work/opt/include/mpfr.h"
says 0 # without FLINT and a compiler of C++, but nobody is asked for them
[ ! -s "$work/said" ] || { cat "$work/said"; exit 1; }
rm "$bin/apt-get" "$bin/cmake" "$work/opt/include/mpfr.h" # another system
says 1 'missing: cmake mpfr' 'Fedora'
