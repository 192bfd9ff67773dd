#!/bin/sh
# gpus.sh - tests that several GPUs of a computer share the paths of a run: the bytes are those of one GPU. For the emulated GPU, which can be
# several.
#   gpus.sh PLUMB
set -u
plumb=$1
. "$(dirname "$0")/checks.sh"
cd "$dir" || exit 1
PLUMB_EMULATOR_DEVICES=3 "$plumb" info | grep -c '^GPU [0-9]' | grep -qx 3 || fail "not three GPUs"
for gpus in 1 3; do
    run "$gpus GPUs" 0 env PLUMB_EMULATOR_DEVICES=$gpus "$plumb" track -e 'x^4 - 2*x + 3' --backend gpu -q -o $gpus.sol
done
cmp -s 1.sol 3.sol || fail "three GPUs give other bytes than one"
[ $failures -eq 0 ]
