#!/bin/sh
# contraction.sh LIBRARY - the compiler has fused no product and sum of its own accord. No source of plumb asks for the instructions that
# multiply and then add and subtract in turn (vfmaddsub, vfmsubadd): where they are, gcc has made them of plain doubles although
# -ffp-contract=off forbids it. Status 77 without objdump, or on processors that have no such instructions.
case $(uname -m) in x86_64 | amd64) ;; *) exit 77 ;; esac
command -v objdump >/dev/null || exit 77
found=$(objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /vfm(addsub|subadd)/ { print name; exit }')
if [ -n "$found" ]; then
    echo "FAILED: $1: fused products in $found" >&2
    exit 1
fi
