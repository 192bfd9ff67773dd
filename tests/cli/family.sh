#!/bin/sh
# family.sh PLUMB FAMILIES [kills] - plumb solve --at as a command: formats of targets and of solutions, the file of generic solutions, the same
# bytes for any number of threads, and one line for every bad input. FAMILIES is the folder of the families.
plumb=$1
families=$2
kills=${3:-none} # runs that are killed take long
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

# good TEXT ARGUMENTS...: status 0, TEXT on stdout, nothing on stderr. Standard input is the file `in`.
good() {
    text=$1
    shift
    "$plumb" solve "$@" >stdout 2>stderr <in
    status=$?
    if [ $status -ne 0 ] || [ -s stderr ] || ! grep -q -e "$text" stdout; then
        complain "plumb solve $*: status $status, expected 0 and '$text'"
    fi
}

# fails TEXT ARGUMENTS...: status 2, one line with TEXT on stderr, nothing on stdout.
fails() {
    text=$1
    shift
    "$plumb" solve "$@" >stdout 2>stderr <in
    status=$?
    if [ $status -ne 2 ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb solve $*: status $status, expected 2 and '$text'"
    fi
}

: >in
p3p=$families/p3p.phc
printf 'w,a,b,c,u,v\n0.45,1,1.1,1.2,0.5,0.4\n\n# a remark\n.5,1,1,1,.5,1/2\r\n' >t.csv
good '^2 targets, 8 paths each: 2 generic' "$p3p" --at t.csv
good '^target 1: 8 solutions, 8 real, 2 positive$' "$p3p" --at t.csv --count --positive
good '^1,generic,8,8,2,8,0,0,0$' "$p3p" --at t.csv --count -o -
good '"outcome": "generic", "arcs": 1' "$p3p" --at t.csv --json
"$plumb" solve "$p3p" --at t.csv --threads 1 -o one.csv -q && "$plumb" solve "$p3p" --at t.csv --threads 3 -o three.csv -q
cmp one.csv three.csv || complain "the bytes depend on the number of threads"
"$plumb" solve "$p3p" --at - -o - <t.csv | cmp - one.csv || complain "a stream has other solutions than a file"
if "$plumb" solve "$p3p" --at t.csv --backend gpu --count -q -o gpu.csv 2>stderr; then
    "$plumb" solve "$p3p" --at t.csv --backend cpu --count -q -o cpu.csv
    cmp gpu.csv cpu.csv || complain "a GPU has other numbers of solutions"
else
    grep -q 'no usable GPU' stderr || complain "--backend gpu"
fi
printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }" >four.npy
printf '\000\000\000\000\000\000\020\100' >>four.npy
good '^  x = -2\.0*$' -e 'x^2 - a' --parameters a --at four.npy
good '^  x = -2\.0*$' -e 'x^2 - a' --parameters a --at a=4
good '^  x = -1\.0*, y = 3\.0*$' -e 'x^2 - a' -e 'y - b' --parameters a,b --at 'b=3,a = 2/2'
good '^  x = 1\.0* + 1\.0*\*i$' -e 'x^2 - a' --parameters a --at a.re=0,a.im=2
fails "^plumb solve: --at a=4: found no column for the parameter b" -e 'x^2 - a' -e 'y - b' --parameters a,b --at a=4
fails "^plumb solve: --at a=4,3: found '3', expected NAME=VALUE" -e 'x^2 - a' -e 'y - b' --parameters a,b --at a=4,3
fails "^plumb solve: --at a=4i: found '4i', expected a number; complex ones have two columns, a.re and a.im" -e 'x^2 - a' --parameters a --at a=4i
printf 'a;b\n1;2\n' >semicolons.csv
fails "^plumb: semicolons.csv:1:1: found 'a;b', expected the name of a parameter (a, b)" -e 'x^2 - a' -e 'y - b' --parameters a,b --at semicolons.csv
printf 'a.re,a.im\n0,2\n' >in
good '^  x = 1\.0* + 1\.0*\*i$' -e 'x^2 - a' --parameters a --at -
: >in

# The generic solutions
good '2 generic' "$p3p" --at t.csv --family p3p.fam
cp p3p.fam kept
good '2 generic' "$p3p" --at t.csv --family p3p.fam
cmp kept p3p.fam || complain "the file of generic solutions was changed"
fails 'another family' -e 'x^2 - a' --parameters a --at four.npy --family p3p.fam
sed 's/^u :/q :/' kept >p3p.fam
fails 'expected the value of the parameter u' "$p3p" --at t.csv --family p3p.fam

# Targets that are special
printf 'a\n0\n' >zero.csv
good 'special: of 2 paths 2 to singular' -e 'x^2 - a' --parameters a --at zero.csv
good 'special, solved anew' -e 'x^2 - a' --parameters a --at zero.csv --special

# Bad targets: nothing is solved
bad() {
    printf "$2" >bad.csv
    fails "^plumb: bad.csv:$1" -e 'x^2 + b*x - a' --parameters a,b --at bad.csv
}
bad '1: found no line' ''
bad '1:1: found no column for the parameter b' 'a\n1\n'
bad "1:5: found 'q', expected the name of a parameter (a, b)" 'a,b,q\n1,2,3\n'
bad '1:5: found a second column for the parameter a' 'a,b,a\n'
bad '1:1: found no column for a.im' 'a.re,b\n'
bad "3:3: found 'nan', expected a finite number for the parameter b" 'a,b\n1,2\n1,nan\n'
bad "2:1: found 'one'" 'a,b\none,2\n'
bad '2:2: found 1 number, expected 2' 'a,b\n1\n'
bad '2:4: found more than 2 numbers, expected 2' 'a,b\n1,2,3\n'
bad '2:1: ' 'a,b\n1e999,2\n'
fails 'could not be read' "$p3p" --at none.csv

# A stream stops at the bad row; the targets before it are complete.
printf 'a\n4\n9\nx\n16\n' | "$plumb" solve -e 'x^2 - a' --parameters a --at - --count >stdout 2>stderr
[ $? -eq 2 ] && [ "$(grep -c '^target' stdout)" -eq 2 ] && grep -q '^plumb: standard input:4:1:' stderr ||
    complain "a stream with a bad row"

# The same bytes for every instruction set: 60 targets, of which some differed once (contraction.sh).
awk 'BEGIN { srand(3); print "a,b,c,u,v,w"; for (k = 0; k < 60; k++) { for (j = 0; j < 6; j++) printf "%s%.6f", j ? "," : "", 2 * rand() - 1; print "" } }' >many.csv
PLUMB_ISA=scalar "$plumb" solve "$p3p" --at many.csv -q -o scalar.csv && "$plumb" solve "$p3p" --at many.csv -q -o widest.csv
cmp -s scalar.csv widest.csv || complain "another instruction set gives other bytes"

# Generic solutions that may be missing are missing from every target: status 1, and they are not kept.
"$plumb" solve "$p3p" --at many.csv --max-steps 20 --reruns 0 --count --family lost.txt >stdout 2>stderr
[ $? -eq 1 ] && grep -q 'generic solutions may be missing' stderr && grep -q 'are not kept in lost.txt' stderr && [ ! -e lost.txt ] ||
    complain "generic paths that failed"

# Generic solutions that are not regular are missing, too: status 1, and a later run with the same file says so again.
printf 'a,b\n2,3\n' >ab.csv
for k in 1 2; do
    "$plumb" solve -e '(x - a)^2*(x - b)' --parameters a,b --at ab.csv --family double.fam --count >stdout 2>stderr
    [ $? -eq 1 ] && grep -q '1 of the 2 generic solutions are not regular, and are left out' stderr && [ "$(wc -l <stderr)" -eq 1 ] &&
        grep -q '^target 1: 1 solution' stdout || complain "generic solutions that are not regular, run $k"
done
sed 's/^LEFT OUT.*/LEFT OUT, BECAUSE THEY ARE NOT REGULAR : x/' double.fam >bad.fam
fails 'expected a number of solutions' -e '(x - a)^2*(x - b)' --parameters a,b --at ab.csv --family bad.fam

# Certificates are those of the exact system of a target.
if "$plumb" info | grep -q '^certificates *by'; then
    good '^target 1: 8 solutions, 8 real; 8 certified, 8 of them real$' "$p3p" --at t.csv --count --certify
    good '"certified_distinct": 8, "certified_real": 8, "certified_positive": 2' "$p3p" --at t.csv --certify --json
    good '"certificate": {"verdict": "certified"' "$p3p" --at t.csv --certify --json
    printf 'a,b\n1,1\n2,3\n' >twice.csv
    good '^target 1: 1 solution, 1 real; 0 certified' -e '(x - a)*(x - b)' --parameters a,b --at twice.csv --certify --count
    good '^target 2: 2 solutions, 2 real; 2 certified, 2 of them real' -e '(x - a)*(x - b)' --parameters a,b --at twice.csv --certify
else
    fails 'needs FLINT' "$p3p" --at t.csv --certify
fi

# An array: its shape, and its numbers where od shows doubles.
printf 'a,b\n1,1\n2,3\n' >twice.csv
"$plumb" solve -e '(x - a)*(x - b)' --parameters a,b --at twice.csv -q -o two.npy --threads 1 || complain "an array"
head -c 128 two.npy | grep -a -q "'shape': (2, 2, 1), }" && [ "$(wc -c <two.npy)" -eq 192 ] || complain "the shape of an array"
tail -c 32 two.npy | od -An -t fD -w16 | awk '{ print $1 + 0, $2 + 0 }' | sort >numbers
printf '2 0\n3 0\n' | cmp -s - numbers || complain "the numbers of an array: $(cat numbers)"
"$plumb" solve "$families/p3p.phc" --at - -q -o stream.npy <t.csv && head -c 128 stream.npy | grep -a -q "(2, 8, 3)" || complain "a stream as an array"
fails 'an array has solutions' "$p3p" --at t.csv --count -o x.npy

if [ "$kills" = kills ]; then

# A run that was killed or stopped goes on where its journal says, to the same bytes. The targets come slowly, so that the journal has lines.
grow() {
    cat early.csv
    sleep 2.3
    cat late.csv
    sleep "$1"
}
head -n 25 many.csv >early.csv
tail -n +26 many.csv | head -n 3 >late.csv
cat early.csv late.csv >all.csv
for kind in csv npy jsonl; do
    "$plumb" solve "$p3p" --at all.csv -q -o whole.$kind || complain "the whole run"
done
for kind in csv npy; do
    rm -f killed.$kind killed.$kind.*
    mkfifo rows && ( (grow 20) >rows 2>/dev/null & )
    "$plumb" solve "$p3p" --at - -q -o killed.$kind <rows &
    run=$!
    for k in $(seq 80); do
        sleep 0.1
        grep -q '"targets": 27' killed.$kind.journal 2>/dev/null && break
    done
    kill -9 $run
    wait $run 2>/dev/null
    rm -f rows
    [ ! -e killed.$kind ] || complain "a run that was killed has left a file"
    fails 'holds a run that was stopped' "$p3p" --at all.csv -q -o killed.$kind
    fails 'cannot resume: --seed is 2' "$p3p" --at all.csv -q -o killed.$kind --resume --seed 2
    fails 'cannot resume: --real is yes' "$p3p" --at all.csv -q -o killed.$kind --resume --real
    sed '3s/^./7/' all.csv >other.csv
    fails 'the first 27 targets of other.csv differ' "$p3p" --at other.csv -q -o killed.$kind --resume
    printf '{"targets": 9' >>killed.$kind.journal
    printf 'half a line' >>killed.$kind.part
    "$plumb" solve "$p3p" --at all.csv -q -o killed.$kind --resume || complain "a run that is resumed"
    cmp killed.$kind whole.$kind || complain "a run that was killed and resumed has other bytes"
    [ ! -e killed.$kind.journal ] && [ ! -e killed.$kind.part ] || complain "files that a resumed run has left"
done
# With neighbours, too, wherever in a group it was stopped.
motion="--map a=1:1.5:4000,b=1,c=1.1,u=.5,v=.4,w=.45 --neighbours 16 --family p3p.fam -q"
cp kept p3p.fam
"$plumb" solve "$p3p" $motion -o whole.csv -t 1 || complain "a motion"
for after in 0.1 0.2 0.4; do
    "$plumb" solve "$p3p" $motion -o cut.csv -t 1 2>/dev/null &
    run=$!
    sleep $after
    kill -INT $run
    wait $run
    if [ -e cut.csv.journal ]; then
        "$plumb" solve "$p3p" $motion -o cut.csv --resume || complain "a motion that is resumed"
    elif [ ! -e cut.csv ]; then # it had not begun
        continue
    fi
    cmp cut.csv whole.csv || complain "a motion that was stopped after $after s has other bytes"
    rm -f cut.csv cut.csv.*
done
mkfifo rows && ( (grow 20) >rows 2>/dev/null & )
"$plumb" solve "$p3p" --at - -o stopped.jsonl <rows >stdout 2>stderr &
run=$!
for k in $(seq 80); do
    sleep 0.1
    grep -q '"targets": 27' stopped.jsonl.journal 2>/dev/null && break
done
kill -INT $run
wait $run
[ $? -eq 1 ] && grep -q 'stopped after 27 targets; --resume continues it' stderr || complain "a run that is stopped"
head -n 27 whole.jsonl | cmp - stopped.jsonl || complain "what a stopped run has"
sed 's/"bytes"/"bites"/' stopped.jsonl.journal >damaged
cp damaged stopped.jsonl.journal
"$plumb" solve "$p3p" --at all.csv -q -o stopped.jsonl --resume && cmp stopped.jsonl whole.jsonl || complain "a journal with a damaged line"
rm -f rows
echo precious >mine.csv.journal
fails 'is not a journal' "$p3p" --at all.csv -q -o mine.csv
[ "$(cat mine.csv.journal)" = precious ] || complain "a file of others was changed"
rm -f mine.csv.journal
echo precious >mine.csv.part
fails 'mine.csv.part exists' "$p3p" --at all.csv -q -o mine.csv
[ "$(cat mine.csv.part)" = precious ] && [ ! -e mine.csv.journal ] || complain "another file of others was changed"
fails 'needs -o FILE' "$p3p" --at all.csv --resume
if [ -c /dev/full ]; then
    "$plumb" solve "$p3p" --at all.csv -q -o - >/dev/full 2>stderr
    [ $? -eq 1 ] && grep -q 'could not be written' stderr || complain "a full disk"
fi

fi

# Maps: the targets are centers of cells, row by row; branches; what --map refuses.
printf '2\nparameters a, b;\nx^2 - a;\ny - x - b;\n' >map.phc
good '^8 targets, 2 paths each: 8 generic, .* 8 real solutions, 2 positive$' map.phc --map a=-1:1:4,b=-2:2:2 --plot map.svg
grep -q '>0 to 2 real solutions at 4 x 2 targets<' map.svg && grep -q '>2 (50%)<' map.svg || complain "a map"
[ "$(grep -c 'shape-rendering' map.svg)" -eq 2 ] || complain "the cells of a map"
good '2 positive$' map.phc --map b=-2:2:2,a=-1:1:4 --plot turned.svg --positive
grep -q '>0 to 1 positive solutions at 2 x 4 targets<' turned.svg || complain "a map of positive solutions"
printf 'a,b\n-.75,-1\n-.25,-1\n.25,-1\n.75,-1\n-.75,1\n-.25,1\n.25,1\n.75,1\n' >cells.csv
"$plumb" solve map.phc --map a=-1:1:4,b=-2:2:2 -q -o cells.npy && "$plumb" solve map.phc --at cells.csv -q -o rows.npy && cmp cells.npy rows.npy ||
    complain "the targets of a map"
good '^2 branches of 0 to 2 real solutions, 1 turning points, 0 crossings, 0 open ends' map.phc --map a=-1:1:20,b=1/3 --plot fold.svg
grep -q '>2 branches of real solutions over a<' fold.svg && grep -q '>b = 1/3<' fold.svg || complain "branches"
good '^2 branches' map.phc --map a=-1:1:20,b=2 --plot plane.svg --plot-coordinates x:y --positive
good '"real_count": 2' map.phc --map a=1:2:3,b=0 --json
good '^target 3: 2 solutions, 2 real$' map.phc --map a=1:2:3,b=0 --count
for range in a=1,b=2 a=1:2:3 a=1:2:3,b=1,a=2 a=1:2:3,c=1,b=1 a=1:2:1,b=1 a=2:1:5,b=1 a=1:2:3:4,b=1 a,b=1:2:3 a=1:2:3,b=x; do
    fails '^plumb solve: --map: ' map.phc --map $range --plot no.svg
done
fails '--at and --map exclude each other' map.phc --at cells.csv --map a=0:1:2,b=1
fails 'belongs to a --map over one' map.phc --map a=0:1:2,b=0:1:2 --plot no.svg --plot-coordinates x
fails 'found a parameter' map.phc --map a=0:1:2,b=0 --plot no.svg --plot-coordinates a
fails 'excludes --resume' map.phc --map a=0:1:2,b=0:1:2 --plot no.svg --resume
fails 'excludes --plot without --map' map.phc --at cells.csv --plot no.svg
fails 'are not real' -e 'x^2 - i*a' --parameters a --map a=1:2:3 --plot no.svg
[ ! -e no.svg ] || complain "a picture of a run that was refused"

# Neighbours: the same solutions and counts, the same bytes for any number of threads.
good '^30 of 32 targets from the one before; 0 of these' "$p3p" --map a=1:1.5:32,b=1,c=1,u=.5,v=.4,w=.45 --neighbours 16 --count -o near.csv
"$plumb" solve "$p3p" --map a=1:1.5:32,b=1,c=1,u=.5,v=.4,w=.45 --count -q -o far.csv && cmp near.csv far.csv || complain "neighbours find something else"
for threads in 1 3; do
    "$plumb" solve "$p3p" --map a=1:1.5:40,b=1,c=1,u=.5,v=.4,w=.45 --neighbours 16 -q -o near$threads.csv -t $threads
done
cmp near1.csv near3.csv || complain "neighbours depend on threads"
good '"neighbour": "taken"' "$p3p" --map a=1:1.5:4,b=1,c=1,u=.5,v=.4,w=.45 --neighbours 4 --json
fails 'belongs to --at or --map' "$p3p" --neighbours 4

# Options
fails 'the system has parameters' "$p3p"
fails '--at excludes --plan' "$p3p" --at t.csv --plan
fails '--family belongs to --at or --map' "$p3p" --family x
fails 'declares its parameters already' "$p3p" --at t.csv --parameters a
fails 'no unknown q' -e 'x^2 - a' --parameters q --at t.csv
fails 'declares no parameters' -e 'x^2 - a' --at t.csv
[ $failures -eq 0 ]
