#!/bin/sh
# merge.sh - tests plumb merge: journals of parts give the bytes of one run, in any order. Journals that do not belong together are refused,
# and missing paths are reported by number.
#   merge.sh PLUMB JOURNAL_LINES
set -u
plumb=$1 journal_lines=$2
. "$(dirname "$0")/checks.sh"
cd "$dir" || exit 1

"$plumb" system family cyclic 5 -o system.txt
"$plumb" solve system.txt -q -o whole.sol || fail "the whole"
for paths in 1-20 21-45 40-59 60 61-70; do
    "$plumb" solve system.txt --paths $paths -q --no-certify -o part$paths.sol || fail "paths $paths"
    [ -e part$paths.sol.journal ] || fail "paths $paths: no journal"
done
run "a part again" 2 "$plumb" solve system.txt --paths 60 -q -o part60.sol
run "a part of the output itself" 2 "$plumb" merge system.txt part60.sol.journal -q --resume -o part60.sol
grep -q "part60.sol.journal, are one file" "$dir/err" || fail "a part of the output itself: $(cat "$dir/err")"
run "a part again, resumed" 0 "$plumb" solve system.txt --paths 60 -q --resume -o part60.sol

# same NAME: the merged solutions are those of one run, and only the journals of the parts are left.
same()
{
    cmp -s whole.sol all.sol || fail "$1: other bytes"
    [ ! -e all.sol.journal ] || fail "$1: the journal is still there"
    rm -f all.sol
}

run "in order" 0 "$plumb" merge system.txt part1-20.sol.journal part21-45.sol.journal part40-59.sol.journal \
    part60.sol.journal part61-70.sol.journal -q -o all.sol
same "in order"
run "shuffled, and one twice" 0 "$plumb" merge system.txt part61-70.sol.journal part40-59.sol.journal \
    part1-20.sol.journal part60.sol.journal part21-45.sol.journal part1-20.sol.journal -q -o all.sol
same "shuffled, and one twice"
mkdir shuffled # lines in another order
for journal in part*.journal; do
    { head -1 "$journal" && tail -n +2 "$journal" | sort -r; } >shuffled/"$journal"
done
run "lines shuffled" 0 "$plumb" merge system.txt shuffled/*.journal -q -o all.sol
same "lines shuffled"
run "text" 0 "$plumb" merge system.txt part*.journal
holds "text" "70 certified distinct isolated solutions"

"$plumb" solve system.txt -q --plot whole.svg || fail "the picture of the whole"
run "a picture and a page" 0 "$plumb" merge system.txt part*.journal -q --plot all.svg --html all.html
cmp -s whole.svg all.svg || fail "the merged picture differs"
grep -q '70 isolated solutions, 10 real' all.html || fail "no page of the merged run"

refuse "missing" "no part has paths 21-39, 61-70; fill (--fill) tracks them here" "$plumb" merge system.txt \
    part1-20.sol.journal part40-59.sol.journal part60.sol.journal -q -o all.sol
refuse "one is missing" "no part has path 60; fill (--fill) tracks it here" "$plumb" merge system.txt part1-20.sol.journal \
    part21-45.sol.journal part40-59.sol.journal part61-70.sol.journal -q -o all.sol
ls all.sol* >/dev/null 2>&1 && fail "a refusal left files"
run "filled" 0 "$plumb" merge system.txt part40-59.sol.journal part1-20.sol.journal --fill -q -o all.sol
same "filled"

# ---- What does not belong together -------------------------------------------------------------------------------------------
"$plumb" solve system.txt --paths 1-10 --seed 2 -q -o seed.sol
refuse "another seed" "cannot merge: --seed is 1, for seed.sol.journal it was 2" "$plumb" merge system.txt \
    part*.journal seed.sol.journal -q -o all.sol
"$plumb" solve system.txt --paths 1-10 -p dd -q -o prec.sol
refuse "another precision" "cannot merge: --precision is auto, for prec.sol.journal it was dd" "$plumb" merge \
    system.txt part*.journal prec.sol.journal -q -o all.sol
"$plumb" solve system.txt --paths 1-10 --largest 1e20 -q -o largest.sol
refuse "another largest root" "cannot merge: --largest is inf, for largest.sol.journal it was 100000000000000000000" "$plumb" merge \
    system.txt part*.journal largest.sol.journal -q -o all.sol
run "the largest root of the parts" 0 "$plumb" merge system.txt largest.sol.journal --fill
holds "the largest root of the parts" "70 certified distinct isolated solutions"
"$plumb" system family cyclic 4 -o other.txt
refuse "another system" "the system differs from what it was for part1-20.sol.journal" "$plumb" merge other.txt \
    part*.journal -q -o all.sol
sed '1s/"plumb": "[^"]*"/"plumb": "0.0.1"/' part1-20.sol.journal >version.journal # its checksum is wrong, too
refuse "another version" "version.journal:1: the first line is damaged" "$plumb" merge system.txt part*.journal \
    version.journal -q -o all.sol
refuse "no journal" "whole.sol is not a journal of plumb solve" "$plumb" merge system.txt part*.journal whole.sol -q \
    -o all.sol
refuse "no journal, the first" "whole.sol is not a journal of plumb solve" "$plumb" merge system.txt whole.sol -q \
    -o all.sol
refuse "no file" "nothing.journal could not be read" "$plumb" merge system.txt part*.journal nothing.journal -q \
    -o all.sol
refuse "no journals" "JOURNAL" "$plumb" merge system.txt -q -o all.sol

# ---- Damage ----------------------------------------------------------------------------------------------------------------------
cp part1-20.sol.journal good
sed '5s/"steps": [0-9]*/"steps": 7/' good >part1-20.sol.journal
"$plumb" merge system.txt part*.journal -q -o all.sol >out 2>err
[ $? -eq 2 ] || fail "a damaged line: not status 2"
grep -q "part1-20.sol.journal: 1 damaged line, the first is line 5" err || fail "a damaged line: $(cat err)"
grep -q "no part has path [0-9]*; fill (--fill) tracks it here" err || fail "a damaged line: $(cat err)"
"$plumb" merge system.txt part*.journal --fill -q -o all.sol 2>err || fail "a damaged line, filled: $(cat err)"
same "a damaged line, filled"
sed '5s/"steps": [0-9]*/"steps": 7/' good | "$journal_lines" >other.journal # a line that contradicts another one
cp good part1-20.sol.journal
refuse "a contradiction" "ends differently in" "$plumb" merge system.txt part*.journal other.journal -q -o all.sol
{ cat good && printf '{"path": 7, "co'; } >part1-20.sol.journal # a line that was being written
run "half a line" 0 "$plumb" merge system.txt part*.journal -q -o all.sol
same "half a line"
: >empty.journal
refuse "an empty file" "empty.journal is not a journal" "$plumb" merge system.txt part*.journal empty.journal -q \
    -o all.sol

# ---- Mixed cells that parts share ---------------------------------------------------------------------------------------------
"$plumb" solve system.txt --start polyhedral --no-certify -q -o whole.sol || fail "polyhedral"
for paths in 1-35 36-70; do
    run "cells, paths $paths" 0 "$plumb" solve system.txt --start polyhedral --cells cells.txt --paths $paths \
        --no-certify -q -o cells$paths.sol
    cp cells.txt cells$paths.txt
done
cmp -s cells1-35.txt cells36-70.txt || fail "the cells were written twice"
run "cells" 0 "$plumb" merge system.txt cells*.journal --no-certify -q -o all.sol
same "cells"
refuse "cells of another system" "cells.txt has the mixed cells of another system" "$plumb" solve other.txt \
    --start polyhedral --cells cells.txt -q
refuse "cells of another seed" "cells.txt has the mixed cells of another system" "$plumb" solve system.txt --seed 2 \
    --start polyhedral --cells cells.txt -q
"$plumb" solve system.txt --start polyhedral --cells cells.txt --no-certify --json >json
grep -q '"mixed_cells": "confirmed"' json || fail "cells: not confirmed: $(cat json)"
"$plumb" system family cyclic 10 -o large.txt # takes more steps than are made again
run "many cells, written" 0 "$plumb" solve large.txt --cells many.txt --paths 1 --no-certify
grep -q believed "$dir/out" && fail "our own cells are believed"
run "many cells, read" 0 "$plumb" solve large.txt --cells many.txt --paths 1 --no-certify
holds "many cells" "the mixed cells of many.txt are believed"
sed '3s/1/2/' cells.txt >damaged.txt
refuse "damaged cells" "damaged.txt is damaged" "$plumb" solve system.txt --cells damaged.txt -q
refuse "no cells" "system.txt is damaged, or not a file of mixed cells" "$plumb" solve system.txt --cells system.txt -q

[ $failures -eq 0 ]
