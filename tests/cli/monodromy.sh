#!/bin/sh
# monodromy.sh PLUMB FAMILIES - plumb monodromy as a command: what it prints, the file that plumb solve --at takes, first solutions from
# files, symmetries, and one line for every bad input. FAMILIES is the folder of the families.
plumb=$1
families=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
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
    "$plumb" monodromy "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne 0 ] || [ -s stderr ] || ! grep -q -e "$text" stdout; then
        complain "plumb monodromy $*: status $status, expected 0 and '$text'"
    fi
}

# fails STATUS TEXT ARGUMENTS...: one line with TEXT on stderr.
fails() {
    expected=$1
    text=$2
    shift 2
    "$plumb" monodromy "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$expected" ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb monodromy $*: status $status, expected $expected and '$text'"
    fi
}

p3p=$families/p3p.phc
good '^8 solutions for generic parameters$' "$p3p"
good '^the permutations of [0-9]* loops generate a group of order 192$' "$p3p"
good 'at most 0.00098, if loops act like random elements' "$p3p"
good '^8 solutions for generic parameters in 4 classes' "$p3p" --symmetry 'x = -x, y = -y, z = -z'
good 'all permutations, a group of order 6$' -e 'x^3 - a*x + b' --parameters a,b
good '"group_order": "192"' "$p3p" --json
good '"classes": 2' -e 'a*x^4 + b*x^3 + x^2 + b*x + a' --parameters a,b --symmetry 'x = 1/x' --json

# The trace test: it finds that all solutions are there, or not; of other families by a curve.
good '^trace test: complete ' "$families/so3.phc" --from "$families/so3.sol" --trace
good '"trace_test": "complete"' "$families/so3.phc" --from "$families/so3.sol" --trace --json
fails 1 'solutions are missing: the trace test has failed' "$families/so3.phc" --from "$families/so3.sol" --trace --solutions 2 -q
good '^trace test: complete ' "$p3p" --trace
good '^trace test: complete ' "$families/kuramoto6common.phc" --trace --seed 3 # whose curve takes more than one search
fails 1 'solutions are missing: the trace test has failed' "$p3p" --trace --solutions 6 -q

# The file is a start of solve --at, and of further loops.
good '^8 solutions' "$p3p" -o p3p.fam --threads 1
"$plumb" monodromy "$p3p" -o again.fam -q --threads 3 && cmp p3p.fam again.fam ||
    complain "the bytes depend on the number of threads"
PLUMB_ISA=scalar "$plumb" monodromy "$p3p" -o scalar.fam -q && cmp p3p.fam scalar.fam ||
    complain "another instruction set gives other bytes"
printf 'a,b,c,u,v,w\n1,1.1,1.2,0.5,0.4,0.45\n' >t.csv
"$plumb" solve "$p3p" --at t.csv --family p3p.fam --count >stdout 2>stderr ||
    complain "solve --at does not take the solutions"
grep -q '^target 1: 8 solutions, 8 real' stdout || complain "solve --at has other solutions"
good '^8 solutions' "$p3p" --from p3p.fam
"$plumb" monodromy "$p3p" -q -o - >stdout 2>stderr && cmp stdout p3p.fam || complain "-o - has other bytes"

# First solutions from a list: without the parameters, and with them.
good '^8 solutions' "$families/so3.phc" --from "$families/so3.sol"
cat >x.sol <<EOF
1 2
===========================================================================
solution 1 :
t :  0.0E+00   0.0E+00
m : 1
the solution for t :
 a : 8.0   0.0
 x : 2.0   0.0
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
EOF
good '^3 solutions' -e 'x^3 - a' --parameters a --from x.sol
fails 2 'another family' -e 'x^3 - a' --parameters a --from p3p.fam
fails 2 'found 2 unknowns, expected the 3' "$p3p" --from x.sol
fails 2 'no unknown b' -e 'x^3 - b' --parameters b --from x.sol
fails 2 'could not be read' "$p3p" --from missing.sol

fails 2 'declares no parameters' -e 'x^2 - 2'
fails 2 'no unknown of the family' "$p3p" --symmetry 'q = x'
fails 2 'expected the image of an unknown' "$p3p" --symmetry 'x'
fails 2 'the image of x' "$p3p" --symmetry 'x = +*'
fails 2 'the family has no unknown q' "$p3p" --symmetry 'x = q'
fails 2 'takes a solution to no solution' "$p3p" --symmetry 'x = y, y = x'
fails 2 'no parameters with a regular solution' -e 'x^2 + 0*a' --parameters a
fails 2 'cannot both have standard output' "$p3p" -o - --json
fails 1 'solutions may be missing after 1 loop' "$p3p" --max-loops 1
good '"outcome": "reached"' "$p3p" --solutions 4 --json

[ $failures -eq 0 ]
