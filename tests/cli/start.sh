#!/bin/sh
# start.sh PLUMB SYSTEMS - plumb system start as a command: its files read back, the count is right, the division into blocks does
# not matter, and every failure is one line and a status with nothing written. SYSTEMS is the folder of the system files.
plumb=$1
systems=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
mkdir out
failures=0
unset PLUMB_ISA

complain() {
    echo "FAILED: $*" >&2
    cat stdout stderr >&2
    failures=$((failures + 1))
}

# good TEXT ARGUMENTS...: status 0, TEXT on stdout, nothing on stderr.
good() {
    text=$1
    shift
    "$plumb" system start "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne 0 ] || [ -s stderr ] || ! grep -q -e "$text" stdout; then
        complain "plumb system start $*: status $status, expected 0 and '$text'"
    fi
}

# fails STATUS TEXT ARGUMENTS...: that status, one line with TEXT on stderr, nothing on stdout, nothing in out/.
fails() {
    wanted=$1
    text=$2
    shift 2
    "$plumb" system start "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb system start $*: status $status, expected $wanted and one line '$text'"
    fi
    if [ -n "$(ls -A out)" ]; then
        complain "plumb system start $*: left $(ls -A out)"
        rm -f out/*
    fi
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || complain "$1 and $2 differ"
}

: >stdout
: >stderr
good '^usage: plumb system start' --help
good 'default: qd' --help
"$plumb" system --help >stdout && grep -q '^  start ' stdout || complain "system --help does not know start"

# The system: square, of the degrees of the target, the same for the same seed.
cyclic=$systems/cyclic5.phc
"$plumb" system start "$cyclic" -o g.phc >stdout 2>stderr || complain "start -o"
[ -s stdout ] && complain "start -o says something"
"$plumb" system show g.phc >stdout
grep -q '^degrees       1, 2, 3, 4, 5$' stdout || complain "wrong degrees"
grep -q '^unknowns      5: x1, x2, x3, x4, x5$' stdout || complain "wrong unknowns"
"$plumb" system convert g.phc >a.phc && same g.phc a.phc
"$plumb" system start "$cyclic" >b.phc && same g.phc b.phc
"$plumb" system start "$cyclic" --seed 2 >c.phc && cmp -s g.phc c.phc && complain "the seed does not show"
"$plumb" system start - <"$cyclic" >d.phc && same g.phc d.phc
"$plumb" system start "$cyclic" --form plain >e.txt && "$plumb" system convert e.txt >f.phc && same g.phc f.phc
"$plumb" system start - <g.phc >h.phc && same g.phc h.phc

# Counts, exact beyond any machine word.
good '^120$' "$cyclic" --count-only
good '"bezout": "120"' "$cyclic" --count-only --json
good '"system_file": null' "$cyclic" --json
"$plumb" system family noon 100 >big.phc
good '^515377520732011331036461129765621272702107522001$' big.phc --count-only

# Solutions: all of them or the first ones, more than a block; in each precision the start system is zero there.
"$plumb" system family reimer 5 >r.phc
for prec in d dd qd; do
    good "\"precision\": \"$prec\"" r.phc -o r.start.phc --solutions r.$prec.sol -p $prec --json
    good '"written": 720' r.phc -o r.start.phc --solutions r.$prec.sol -p $prec --json
    [ "$(grep -c '^solution' r.$prec.sol)" -eq 720 ] || complain "not all of 720 solutions"
    sed -n 2p r.$prec.sol | grep -q '^720 5$' || complain "the head does not say 720 solutions"
    "$plumb" system start r.phc -o r.start.phc --solutions r.first.sol -p $prec --limit 300 || complain "--limit"
    sed '1,/^====/d;/^solution 301 :/,$d' r.$prec.sol >all.part
    sed '1,/^====/d;/^====/d' r.first.sol >first.part
    same all.part first.part
done
[ "$(sed 's/^solution.*//' r.qd.sol | grep '^ x' | sort -u | wc -l)" -eq 20 ] || complain "not the 2 + 3 + 4 + 5 + 6 roots"
"$plumb" eval r.start.phc --at r.qd.sol >values 2>stderr || complain "eval at the start solutions"
[ "$(grep -c '^f' values)" -eq 3600 ] || complain "not 5 values at 720 solutions"
small='\([^ ]*e-[67][0-9]\|0\)'
grep '^f' values | grep -v "= ($small [+-] $small\*i)\$" >large
[ -s large ] && complain "the start system is not zero at its solutions: $(head -n 1 large)"
good '^THE SOLUTIONS :$' r.phc --solutions - --limit 1 # after the system, one file for both
"$plumb" system convert stdout >k.phc && same k.phc r.start.phc
good '"written": 2' big.phc --solutions big.sol --limit 2 --json -p d

# Failures.
cat >wide.txt <<EOT
x*y - 1
EOT
echo 'x - y; 3;' >constant.txt
echo 'x - x; x - y;' >zero.txt
echo 'x^2 - ; y;' >bad.txt
fails 2 'wide.txt: found 1 equations in 2 unknowns, expected as many equations as unknowns' wide.txt -o out/g.phc
fails 2 'constant.txt: equation 2 is constant' constant.txt -o out/g.phc
fails 2 'zero.txt: equation 1 is zero' zero.txt -o out/g.phc --solutions out/s.sol
fails 2 '^plumb: bad.txt:1:7: found' bad.txt -o out/g.phc
fails 2 'nowhere.phc' nowhere.phc -o out/g.phc
fails 2 'expected at most 1000000 without --limit N, which writes the first N' big.phc -o out/g.phc --solutions out/s.sol
fails 2 'argument SYSTEM is missing' -o out/g.phc
fails 2 'one standard output' r.phc --json -o -
fails 2 'one standard output' r.phc --json --solutions -
fails 2 'are one file' r.phc -o out/g.phc --solutions out/g.phc
fails 2 'found --count-only with --output' r.phc -o out/g.phc --count-only
fails 2 'found --count-only with --solutions' r.phc --solutions out/s.sol --count-only
fails 2 "'td'" r.phc -o out/g.phc -p td
fails 2 "'0'" r.phc -o out/g.phc --limit 0
fails 2 "'latex'" r.phc -o out/g.phc --form latex
fails 1 'out/no/s.sol could not be written' r.phc -o out/g.phc --solutions out/no/s.sol
fails 1 'out/no/g.phc could not be written' r.phc -o out/no/g.phc --solutions out/s.sol

[ $failures -eq 0 ] || exit 1
