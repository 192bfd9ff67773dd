#!/bin/sh
# system.sh PLUMB SYSTEMS - plumb system as a command: known systems, round trips of both formats, one line and a status for
# every kind of failure, and nothing written then. SYSTEMS is the folder of the system files.
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
    "$plumb" system "$@" >stdout 2>stderr
    status=$?
    if [ $status -ne 0 ] || [ -s stderr ] || ! grep -q -e "$text" stdout; then
        complain "plumb system $*: status $status, expected 0 and '$text'"
    fi
}

# fails STATUS TEXT ARGUMENTS...: that status, one line with TEXT on stderr, nothing on stdout, nothing in out/.
fails() {
    wanted=$1
    text=$2
    shift 2
    "$plumb" system "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb system $*: status $status, expected $wanted and one line '$text'"
    fi
    if [ -n "$(ls -A out)" ]; then
        complain "plumb system $*: left $(ls -A out)"
        rm -f out/*
    fi
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || complain "$1 and $2 differ"
}

: >stdout
: >stderr
good '^usage: plumb system COMMAND' --help
for command in show convert random family start; do
    good "^usage: plumb system $command" $command --help
    good 'options:' $command --help
done

# show
good '^Bezout number 120$' show "$systems/cyclic5.phc"
good '^unknowns      5: x1, x2, x3, x4, x5$' show "$systems/cyclic5.phc"
good '^degrees       2 (5x), 1$' show "$systems/katsura5.phc"
good '^monomials     7 (5x)$' show "$systems/mult_kss5.phc"
good '"bezout": "1458"' show --json "$systems/eco8.phc"
good '"bezout": null' show --json "$systems/overdet_minors34.phc"
good '^Bezout number - (not as many' show "$systems/overdet_minors34.phc"
"$plumb" system family noon 100 >big.phc
good '^Bezout number 515377520732011331036461129765621272702107522001$' show big.phc
good '^mixed volume  70: bounds the solutions without zero' show --mixed-volume "$systems/cyclic5.phc"
good '^mixed volume  30: ' show --mixed-volume "$systems/katsura5.phc"
good '^ *32: bounds all isolated solutions' show --mixed-volume --threads 3 "$systems/katsura5.phc"
good '"stable_mixed_volume": 3,' show --mixed-volume --json "$systems/mult_griewank_osborne.phc"
good '"mixed_volume": 0,' show --mixed-volume --json "$systems/mult_griewank_osborne.phc"
good '"mixed_volume": null' show --json "$systems/cyclic5.phc"
good '^mixed volume  - (not as many' show --mixed-volume "$systems/overdet_minors34.phc"
"$plumb" system show "$systems/cyclic5.phc" | grep -q 'mixed' && complain "a mixed volume that nobody asked for"
printf '2\n x^2 + y;\n x - y;\n' | "$plumb" system show - >stdout 2>stderr || complain "show -"
grep -q '^equations     2$' stdout || complain "show - tells nothing"

# convert: both forms read back to the same text
for file in "$systems"/*.phc; do
    "$plumb" system convert "$file" >a.phc 2>stderr || complain "convert $file"
    "$plumb" system convert --form plain a.phc -o b.txt || complain "convert --form plain $file"
    "$plumb" system convert b.txt >c.phc || complain "convert back $file"
    same a.phc c.phc
done

# random and family
"$plumb" system random >a.phc && "$plumb" system random --seed 1 -o b.phc && same a.phc b.phc
"$plumb" system random --seed 2 >b.phc && cmp -s a.phc b.phc && complain "two seeds, one system"
good '^in all        1024 monomials of at most 5 unknowns$' show a.phc
"$plumb" system random --dim 8 --monomials 3 --variables 2 --degree 4 --form plain >a.txt
good '^monomials     3 (8x)$' show a.txt
"$plumb" system family katsura 5 >a.phc && "$plumb" system convert "$systems/katsura5.phc" >b.phc && same a.phc b.phc
"$plumb" system family cyclic 7 >a.phc && "$plumb" system convert "$systems/cyclic7.phc" >b.phc && same a.phc b.phc
"$plumb" system family noon 4 >a.phc && "$plumb" system convert "$systems/noon4.phc" >b.phc && same a.phc b.phc
good '^Bezout number 1458$' show "$systems/eco8.phc"

# equations on the command line, products without '*', files of Bertini and msolve, and notes
printf '2\n x^2 + y^2 - 5;\n x*y - 2;\n' >plain.phc
"$plumb" system convert plain.phc >a.phc
"$plumb" system convert -e 'x^2 + y^2 = 5' --equation='x*y = 2' >b.phc 2>stderr || complain "convert -e"
same a.phc b.phc
[ ! -s stderr ] || complain "a note about nothing: $(cat stderr)"
printf 'CONFIG\nMPTYPE: 2;\nEND;\nINPUT\nvariable_group x, y;\nfunction f, g;\nf = x^2 + y^2 - 5;\ng = x*y - 2;\nEND;\n' >bertini
"$plumb" system convert bertini >b.phc || complain "convert a Bertini file"
same a.phc b.phc
printf 'x,y\n0\nx^2+y^2-5,\nx*y-2\n' >msolve.ms
"$plumb" system convert msolve.ms >b.phc || complain "convert an msolve file"
same a.phc b.phc
"$plumb" system show -e '2pi*x = 1' -e 'x + pi = 2' >stdout 2>stderr || complain "show -e with a note"
grep -q '^plumb system show: note: -e: pi is an unknown here, not the number 3.14159...$' stderr || complain "no note"
printf '1\n x - 1;\n x - 2;\n' >more.phc
"$plumb" system show more.phc >stdout 2>stderr || complain "show with polynomials to spare"
grep -q 'note: more.phc: line 3: 1 polynomial after the 1 that line 1 announces is ignored' stderr ||
    complain "nothing about the polynomial that is ignored"
fails 2 "^plumb system show: -e 'x y', column 3: found 'y', expected" show -e x -e 'x y'
fails 2 "found -e/--equation with SYSTEM 'a.phc', expected one of them" show a.phc -e x
fails 2 'equation needs a value (EQ)' show -e
fails 2 'found more than 64, expected fewer' show $(seq -f '-ex%.0f' 1 65)

# groups of unknowns
"$plumb" system show -e 'l*x = 2x + y' -e 'l*y = x - y' -e 'x + 3y = 1' >stdout || complain "show with groups"
grep -q '^ *2: bounds the isolated solutions, with groups {l}, {x, y}$' stdout || complain "no groups: $(cat stdout)"
"$plumb" system show "$systems/cyclic5.phc" | grep -q 'groups' && complain "groups that are no better than one"
good '"multihomogeneous": 256' show --json "$systems/eco8.phc"
good '"groups": \[\]' show --json "$systems/overdet_minors34.phc"

# misuse
fails 2 'the command is missing'
fails 2 "unknown command 'nonsense'" nonsense
fails 2 "did you mean 'plumb system show'" shwo
fails 2 'argument SYSTEM is missing' show
fails 2 "unknown option '--nonsense'" show --nonsense
fails 2 "unexpected argument 'b'" show a b
fails 2 'missing.phc could not be read' show missing.phc
fails 2 'argument SYSTEM is missing' convert
fails 2 "form: found 'other', expected phc or plain" convert --form other a.phc
fails 2 'argument N is missing' family cyclic
fails 2 "found 'cycle', expected one of cyclic, katsura" family cycle 5
fails 2 "found '1', expected a whole number from 2 to 200 for cyclic" family cyclic 1 -o out/x.phc
fails 2 "found 'five', expected a whole number" family cyclic five
fails 2 "found '99999999999999999999'" family noon 99999999999999999999
fails 2 'variables: found 5, expected at most 4, the value of --dim' random --dim 4 -o out/x.phc
fails 2 'monomials: found 100, expected fewer' random --dim 5 --variables 5 --degree 2 --monomials 100 -o out/x.phc
fails 2 'dim: found .0., expected a whole number from 1' random --dim 0
fails 2 'expected at most 1000000 monomials' random --dim 100000 --monomials 100000
fails 1 'could not be written' family cyclic 5 -o out/no/such/folder.phc

# bad input: file, line and column, and an output file that was there stays as it was
printf '2\n x + y;\n x + 2 y;\n' >bad.phc
fails 2 "^plumb: bad.phc:3:8: found 'y', expected" show bad.phc
fails 2 "^plumb: bad.phc:3:8: found 'y', expected" convert bad.phc -o out/x.phc
echo before >kept
"$plumb" system convert bad.phc -o kept 2>/dev/null
[ "$(cat kept)" = before ] || complain "a failed conversion changed its output file"
fails 2 '^plumb: standard input:1:1: found end of text' show -
echo '(x + y + z + w)^9999' >power.txt
fails 2 'power.txt:1:1: .*takes too long to expand' show power.txt
fails 2 'zero:1:1: found byte 0x00' show /dev/zero
"$plumb" system family cyclic 5 >/dev/full 2>stderr
status=$?
[ $status -eq 1 ] || complain "a full disk: status $status, expected 1"
exit $((failures > 0))
