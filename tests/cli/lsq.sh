#!/bin/sh
# lsq.sh PLUMB LSQ_JSON NEAR DATA - plumb lsq, qr and random from outside: answers to known problems, one line and a status
# for every kind of failure, and nothing written then. LSQ_JSON and NEAR are the programs of lsq_json.c and near.c, DATA is
# tests/data.
plumb=$1
lsq_json=$2
near=$3
bad=$4/matrices/bad
data=$4/lsq
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
    "$plumb" "$@" >stdout 2>stderr
    status=$?
    if [ $status -ne 0 ] || [ -s stderr ] || ! grep -q -e "$text" stdout; then
        complain "plumb $*: status $status, expected 0 and '$text'"
    fi
}

# silent ARGUMENTS...: status 0 and not a word.
silent() {
    "$plumb" "$@" >stdout 2>stderr
    status=$?
    if [ $status -ne 0 ] || [ -s stdout ] || [ -s stderr ]; then
        complain "plumb $*: status $status, expected 0 and silence"
    fi
}

# fails STATUS TEXT ARGUMENTS...: that status, one line with TEXT on stderr, nothing on stdout, nothing in out/.
fails() {
    wanted=$1
    text=$2
    shift 2
    "$plumb" "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb $*: status $status, expected $wanted and one line '$text'"
    fi
    if [ -n "$(ls -A out)" ]; then
        complain "plumb $*: left $(ls -A out)"
        rm -f out/*
    fi
}

# missed TEXT ARGUMENTS...: status 1 and one line with TEXT on stderr, beside results on stdout or in a file.
missed() {
    text=$1
    shift
    "$plumb" "$@" >stdout 2>stderr
    status=$?
    if [ $status -ne 1 ] || [ ! -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb $*: status $status, expected 1 and one line '$text'"
    fi
}

# json ARGUMENTS...: sets precision, method, backend, m, n, rhs, rank, digits, right and residual.
json() {
    precision='' method='' backend='' m='' n='' rhs='' rank='' digits=-99 right=-99 residual=99
    "$plumb" lsq --json "$@" >stdout 2>stderr || complain "plumb lsq --json $*"
    line=$("$lsq_json" <stdout 2>>stderr) || complain "plumb lsq --json $*: not what was promised"
    eval "$line"
}

# holds CONDITION...: a test on what json has set.
holds() {
    [ "$@" ] || complain "not so: $* ($line)"
}

# ---- the 12 x 12 Hilbert matrix, exact, with b = A * ones
{
    printf '%%%%MatrixMarket matrix array real general\n12 12\n'
    for j in 0 1 2 3 4 5 6 7 8 9 10 11; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "1/$((i + j))"; done
    done
} >hilbert.mtx
cat >sums.mtx <<'END'
%%MatrixMarket matrix array real general
12 1
86021/27720
785633/360360
631193/360360
535097/360360
935059/720720
2833255/2450448
853661/816816
14819303/15519504
68276701/77597520
190049623/232792560
177351847/232792560
3825136961/5354228880
END

"$plumb" lsq -p d hilbert.mtx sums.mtx >stdout 2>stderr # a number nobody believes, or a column that depends on the others
case $? in
1) grep -q 'column .* depends' stderr || { grep -q 'no correct digits' stderr && grep -q 'none correct.*try -p dd' stdout; } ||
    complain "d fails without a reason" ;;
*) complain "d on the Hilbert matrix" ;;
esac
json -p dd hilbert.mtx sums.mtx
holds "$precision $method $backend $m $n $rhs $rank" = "dd mgs cpu 12 12 1 12"
holds "$right" -ge 15
holds "$digits" -ge 10
holds "$digits" -le "$right"
json -p qd hilbert.mtx sums.mtx
holds "$precision" = qd
holds "$right" -ge 46
holds "$digits" -ge 42
holds "$digits" -le "$right"
json --digits 20 hilbert.mtx sums.mtx
holds "$precision" != d
holds "$right" -ge 20
holds "$digits" -ge 20
json -p auto --digits 10 hilbert.mtx sums.mtx
holds "$precision" = dd
holds "$digits" -ge 10
for method_wanted in mgs refined lu auto; do
    json -p qd --method $method_wanted hilbert.mtx sums.mtx
    holds "$precision" = qd
    holds "$right" -ge 44
    holds "$digits" -le $((right + 1))
done
json -p dd --reorth hilbert.mtx sums.mtx
holds "$right" -ge 14
json -p dd --pivot hilbert.mtx sums.mtx
holds "$right" -ge 14
missed 'x has about [45][0-9] correct digits (estimated), fewer than the 60 wanted' lsq --digits 60 hilbert.mtx sums.mtx
missed 'fewer than the 64 wanted' lsq --digits=64 hilbert.mtx sums.mtx -o out/x.mtx # and x is written
[ -s out/x.mtx ] || complain "x is not written when digits are missing"
rm -f out/x.mtx
good '^digits  *about 1[0-9] correct' lsq hilbert.mtx sums.mtx # dd is the default
good '^solved  *12 x 12 by mgs in dd, CPU, ' lsq hilbert.mtx sums.mtx
[ "$(grep -c -E '^  (1\.0000000000000|0\.9999999999999)[0-9]*$' stdout)" -eq 12 ] || complain "x is not shown in full"

# ---- files in and out
good . random -m 9 -n 4 --g 3 -p dd -o A.mtx --seed 3 -o - # the last -o wins
mv stdout A.mtx
"$plumb" random -m 9 -n 2 -p dd --seed 4 -o b.npy || complain "random does not write npy"
json A.mtx b.npy
holds "$m $n $rhs" = "9 4 2"
good . lsq -p dd A.mtx b.npy -o -
mv stdout x.mtx
grep -q '^4 2$' x.mtx || complain "-o - does not write 4 x 2"
good '^residual  *[0-9.e+-]*$' lsq -p dd A.mtx b.npy -o out/x.mtx
cmp -s x.mtx out/x.mtx || complain "-o FILE is not -o -"
[ "$(wc -l <stdout)" -eq 5 ] || complain "with -o the summary is not five lines"
"$plumb" lsq - b.npy -o - <A.mtx | cmp -s - x.mtx || complain "A from standard input"
"$plumb" lsq A.mtx - -o - <b.npy | cmp -s - x.mtx || complain "b from standard input"
"$plumb" lsq -t 1 A.mtx b.npy -o - | cmp -s - x.mtx || complain "one thread gives other bits"
"$plumb" lsq -t 3 A.mtx b.npy -o - | cmp -s - x.mtx || complain "three threads give other bits"
PLUMB_ISA=scalar "$plumb" lsq A.mtx b.npy -o - | cmp -s - x.mtx || complain "scalar code gives other bits"
good '^(.* [+-] .*\*i)$' lsq A.mtx b.npy --quiet
[ "$(wc -l <stdout)" -eq 8 ] || complain "--quiet is not x alone"
silent lsq A.mtx b.npy --quiet -o out/x.npy
printf '%%%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n' >I.mtx
"$plumb" lsq I.mtx out/x.npy -o - | cmp -s - x.mtx || complain "npy does not hold the same x" # and real A, complex b
chmod 640 out/x.npy
silent lsq A.mtx b.npy --quiet -o out/x.npy
[ -n "$(find out/x.npy -perm 640)" ] || complain "the rights of a file that is replaced change"
ln -s x.npy out/link.npy
silent lsq A.mtx b.npy --quiet -o out/link.npy
[ -L out/link.npy ] || complain "a link is replaced instead of what it names"
[ "$(ls out)" = "$(printf 'link.npy\nx.mtx\nx.npy')" ] || complain "other files beside the outputs: $(ls out)"
silent lsq A.mtx b.npy --quiet -o /dev/null
[ -c /dev/null ] || complain "/dev/null is gone"
rm -f out/*

# ---- formats by name
for name in x.txt x x.json.gz x.phc; do
    fails 2 "found 'out/$name', expected a name that ends in .mtx, .npy, .csv or .json" lsq A.mtx b.npy -o out/$name
done
silent lsq A.mtx b.npy -q -oout/x.csv
"$plumb" lsq I.mtx out/x.csv -o - | cmp -s - x.mtx || complain "CSV does not hold the same x"
"$plumb" random -m 4 -n 1 --seed 9 -o one.mtx && "$plumb" random -m 4 -n 1 --seed 9 -o one.csv # a complex number per line
"$plumb" lsq -p qd I.mtx one.csv -o - >a && "$plumb" lsq -p qd I.mtx one.mtx -o - | cmp -s - a || complain "a complex column as CSV"
silent lsq A.mtx b.npy -q --output=out/x.json
"$lsq_json" <out/x.json >line 2>>stderr || complain "-o x.json is not the report"
grep -q 'm=9 n=4 rhs=2' line || complain "-o x.json: $(cat line)"
rm -f out/*

# ---- tables of numbers
printf '1,2\n3,4\n5,6.5\n' >a.csv
printf '# a comment\n\n  1\t2\n 3 4 \r\n5 6.5\n' >a.txt
printf '\357\273\277"first";second\n"1"; 2\n3;4\n5;13/2\n\n' >a.semi
printf '%%%%MatrixMarket matrix array real general\n3 2\n1\n3\n5\n2\n4\n6.5\n' >a.mtx
printf 'y\n1\n2\n4\n' >y.csv
good . lsq a.mtx y.csv -o -
mv stdout expected.mtx
for table in a.csv a.txt a.semi; do
    "$plumb" lsq $table y.csv -o - | cmp -s - expected.mtx || complain "$table is not a.mtx"
done
"$plumb" lsq - y.csv -o - <a.csv | cmp -s - expected.mtx || complain "a table from standard input"
printf '1+2i,(1 - 1*i)\n3,-i\n' >c.csv
printf '%%%%MatrixMarket matrix array complex general\n2 2\n1 2\n3 0\n1 -1\n0 -1\n' >c.mtx
printf '1\n2\n' >two.csv
good . lsq c.mtx two.csv -o -
mv stdout expected.mtx
"$plumb" lsq c.csv two.csv -o - | cmp -s - expected.mtx || complain "complex tables"

# ---- how well x is determined: against values from exact rational arithmetic
for problem in line hilbert gauss; do
    a=$data/${problem}_A.csv b=$data/${problem}_b.csv
    for prec in d:11 dd:27 qd:59; do
        good '^standard errors$' lsq "$a" "$b" -p ${prec%:*} --errors --covariance out/c.mtx
        sed 1,3d out/c.mtx >entries
        "$near" ${prec#*:} entries "$data/${problem}_covariance.txt" 2>stderr || complain "covariance of $problem in ${prec%:*}"
        "$plumb" lsq "$a" "$b" -p ${prec%:*} --errors --json >stdout 2>stderr
        sed -n 's/.*"standard_errors"://p' stdout | tr '{}' '  ' >entries
        "$near" ${prec#*:} entries "$data/${problem}_errors.txt" 2>stderr || complain "errors of $problem in ${prec%:*}"
        rm -f out/c.mtx
    done
done
cp "$data/line_A.csv" line.csv
fails 2 'expected more rows than columns' lsq hilbert.mtx sums.mtx --errors
printf '1,2\n2,1\n3,4\n4,2\n5,1\n' >sides.csv
fails 2 'expected one: --covariance' lsq line.csv sides.csv --covariance out/c.csv
good 'standard errors, right-hand side 2 of 2' lsq line.csv sides.csv --errors
printf '1,1\n1,1\n1,1\n' >same.csv
printf '1\n2\n4\n' >three.csv
fails 1 'column 2 depends' lsq same.csv three.csv --errors
fails 1 'no standard errors' lsq same.csv three.csv --errors --pivot

# ---- fewer rows than columns: the solution of least norm is (1, -3, 2) / 7 of x - 3 y + 2 z = 2
printf '1 -3 2\n' >plane.txt
printf '2\n' >plane_b.txt
good '^solved  *1 x 3 for the least norm by mgs in qd, CPU' lsq -p qd plane.txt plane_b.txt
printf '1/7\n-3/7\n2/7\n' >seventh.txt
good . lsq -p qd plane.txt plane_b.txt -o -
sed 1,3d stdout >entries
"$near" 60 entries seventh.txt 2>stderr || complain "the point of a plane that is nearest to 0"
good '^residual  *[0-9.]*\(e-6[0-9]\)\{0,1\}$' lsq -p qd plane.txt plane_b.txt
good '^digits  *about 6[0-9] correct' lsq -p qd plane.txt plane_b.txt
json -p dd plane.txt plane_b.txt
holds "$precision $method $m $n $rhs $rank" = "dd mgs 1 3 1 1"
json --digits 25 plane.txt plane_b.txt
holds "$precision $digits" = "dd $digits"
holds "$digits" -ge 25
json -p qd --method refined plane.txt plane_b.txt
holds "$precision $method" = "qd refined"
good '^note  *modified Gram-Schmidt in d: there is no lower precision' lsq -p d --method refined plane.txt plane_b.txt
printf '1 2 3\n2 4 6\n' >parallel.txt
fails 1 'parallel.txt: row 2 depends numerically on those before it (in dd); a higher precision may help' lsq parallel.txt two.csv
fails 1 'parallel.txt: row 2 depends' lsq parallel.txt two.csv --json
fails 1 'parallel.txt: row 2 depends' lsq -p auto parallel.txt two.csv
silent random -m 5 -n 12 -p dd --seed 11 -o wide.mtx
silent random -m 5 -n 2 -p dd --seed 12 -o wide_b.mtx
good . lsq wide.mtx wide_b.mtx -o -
mv stdout wide_x.mtx
"$plumb" lsq -t 3 wide.mtx wide_b.mtx -o - | cmp -s - wide_x.mtx || complain "three threads give other bits for the least norm"
PLUMB_ISA=scalar "$plumb" lsq wide.mtx wide_b.mtx -o - | cmp -s - wide_x.mtx || complain "scalar code gives other bits for the least norm"

# ---- QR
good '^decomposed  *9 x 4 in qd, CPU, ' qr A.mtx -p qd --q Q.mtx --r R.npy --orthogonality
grep -q '^orthogonality  *[0-9.]*e-6[0-9]' stdout || complain "Q is not orthogonal to qd"
json -p qd Q.mtx A.mtx -o Y.mtx # Q Y = A has the solution R
holds "$residual" -le -58
good . qr A.mtx -p qd --r -
"$plumb" lsq -p qd R.npy R.npy --json | "$lsq_json" >stdout || complain "R cannot be read"
good '"rank": 4' qr --json A.mtx
good '"orthogonality": null' qr --json A.mtx
fails 2 'only one of' qr A.mtx --q - --r -
fails 2 'goes with --pivot' qr A.mtx --permutation out/P.mtx
fails 2 'the argument A is missing' qr
fails 1 'could not be written' qr A.mtx --q out/Q.mtx --r nowhere/R.mtx # all or none

# ---- ranks and failures of the numbers
printf '%%%%MatrixMarket matrix array real general\n4 3\n1\n2\n3\n4\n2\n4\n6\n8\n1\n0\n0\n1\n' >dependent.mtx
printf '%%%%MatrixMarket matrix array integer general\n4 1\n1\n2\n3\n4\n' >four.mtx
fails 1 'dependent.mtx: column 2 depends' lsq dependent.mtx four.mtx -o out/x.mtx
fails 1 'dependent.mtx: column 2 depends' lsq dependent.mtx four.mtx --json
fails 1 'dependent.mtx: column 2 depends' lsq -p auto dependent.mtx four.mtx
fails 1 'dependent.mtx: column 2 depends' qr dependent.mtx --q out/Q.mtx --r out/R.mtx
json --pivot dependent.mtx four.mtx
holds "$rank" = 2
holds "$residual" -le -30
good '^rank  *2 of 3$' lsq --pivot dependent.mtx four.mtx
good '^columns  *[123] [123] [123]$' qr --pivot dependent.mtx
shown=$(sed -n 's/^columns *//p' stdout)
good '"permutation": ' qr --pivot dependent.mtx --json
good . qr --pivot dependent.mtx --permutation -
[ "$(tail -3 stdout | tr '\n' ' ')" = "$shown " ] || complain "--permutation does not say $shown"
[ "$(tail -3 stdout | sort | tr '\n' ' ')" = "1 2 3 " ] || complain "that is no permutation"
# A rank that only rounding has lowered: the solution is (-1, 2), and (1, 0) is that of another problem.
doubts() # doubts 'WORDS' ARGUMENTS...: x is shown, no digit is claimed, and the reason is in the last line
{
    words=$1
    shift
    "$plumb" lsq --pivot "$@" >stdout 2>stderr
    [ $? -eq 1 ] && grep -q '^digits  *none claimed' stdout && grep -q "$words" stderr || complain "lsq --pivot $* claims digits"
}
printf '1e20 1e20\n1 2\n' >graded.txt
printf '1e20\n3\n' >graded_b.txt
doubts 'the columns that were left out are no exact combinations' -p d graded.txt graded_b.txt
good '^rank  *2 of 2$' lsq -p dd --pivot graded.txt graded_b.txt
printf '0.1 0.2 0.3\n0.5 0.5 1\n0.7 0.1 0.8\n' >decimals.txt
printf '1\n2\n3\n' >decimals_b.txt
doubts 'the matrix was rounded before' -p d decimals.txt decimals_b.txt
printf '1 2 3\n5 5 10\n7 1 8\n' >integers.txt
printf '0.1\n0.2\n0.3\n' >integers_b.txt
good '^digits  *about 1[0-9] correct' lsq -p d --pivot integers.txt integers_b.txt
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n4\n' >singular.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n2\n' >two.mtx
fails 1 'singular.mtx: column 2' lsq --method lu singular.mtx two.mtx
printf '%%%%MatrixMarket matrix array real general\n1 1\n1e-200\n' >tiny.mtx
printf '%%%%MatrixMarket matrix array real general\n1 1\n1e200\n' >huge.mtx
fails 1 'out of the range' lsq tiny.mtx huge.mtx -o out/x.mtx

# ---- a GPU, where there is one; and one line where there is none
if "$plumb" lsq --backend gpu --quiet A.mtx b.npy >stdout 2>stderr; then
    json --backend gpu A.mtx b.npy
    holds "$precision $method $backend" = "dd mgs gpu"
    good '"backend": "gpu"' qr --backend gpu --json A.mtx
    good 'no GPU form' lsq --backend gpu --pivot A.mtx b.npy
else
    fails 1 'no usable GPU' lsq --backend gpu A.mtx b.npy
    fails 1 'no usable GPU' qr --backend gpu A.mtx --q out/Q.mtx
fi
fails 2 "'fpga', expected auto, cpu or gpu" qr --backend fpga A.mtx
fails 1 'could not be written' lsq A.mtx b.npy -o nowhere/x.mtx
mkdir out.mtx
fails 1 'could not be written' lsq A.mtx b.npy -o out.mtx # a folder
echo old >keep.mtx
fails 1 'depends' lsq dependent.mtx four.mtx -o keep.mtx
[ "$(cat keep.mtx)" = old ] || complain "a failure changed the old output"
"$plumb" lsq A.mtx b.npy >/dev/full 2>stderr
[ $? -eq 1 ] || complain "a full disk is not status 1"

# ---- input that makes no sense
fails 2 'four.mtx: found 4 rows, expected 9 as in A.mtx' lsq A.mtx four.mtx -o out/x.mtx
printf '%%%%MatrixMarket matrix array real general\n1 2\n1\n2\n' >flat.mtx
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >one.mtx
fails 2 'flat.mtx: found 1 x 2, expected at least as many rows as columns: --pivot' lsq --pivot flat.mtx one.mtx
fails 2 'flat.mtx: found 1 x 2, expected a square' lsq --method lu flat.mtx one.mtx
fails 2 'flat.mtx: found 1 x 2, expected more rows than columns' lsq --errors flat.mtx one.mtx
fails 2 'flat.mtx: found 1 x 2, expected at least as many rows' qr flat.mtx
fails 2 'dependent.mtx: found 4 x 3, expected a square' lsq --method lu dependent.mtx four.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\nnan\n4\n' >nan.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 0\n2 -inf\n' >inf.mtx
fails 2 'nan.mtx: row 1, column 2: found NaN' lsq nan.mtx two.mtx
fails 2 'inf.mtx: row 2, column 1: found an infinity' lsq singular.mtx inf.mtx
fails 2 'nan.mtx: row 1, column 2: found NaN' qr nan.mtx
fails 2 'nowhere.mtx could not be read: No such file' lsq nowhere.mtx two.mtx
fails 2 'out could not be read' lsq out two.mtx
fails 2 'standard input:1:1: found end of text' lsq - two.mtx
fails 2 'both' lsq - -
fails 2 '/dev/zero:1:1: found ' lsq /dev/zero two.mtx # has no end
printf '%%%%MatrixMarket matrix array real general\n1000000000000 1\n1\n' >promise.mtx
fails 2 'promise.mtx:2:1: found a header for 1000000000000 x 1' lsq promise.mtx two.mtx
head -5 A.mtx >early.mtx
fails 2 'early.mtx:[0-9]*:[0-9]*: ' lsq early.mtx b.npy
for file in "$bad"/*.mtx "$bad"/*.npy "$bad"/*.csv; do
    fails 2 "^plumb: $file:[0-9]*:[0-9]*: " lsq "$file" two.mtx -o out/x.mtx
    fails 2 "^plumb: $file:[0-9]*:[0-9]*: " qr "$file" --q out/Q.mtx --r out/R.mtx
done

# ---- misuse
fails 2 'the argument A is missing' lsq
fails 2 'the argument b is missing' lsq A.mtx
fails 2 "unexpected argument 'more'" lsq A.mtx b.npy more
fails 2 "unknown option '--nonsense'" lsq --nonsense A.mtx b.npy
fails 2 "'td', expected d, dd, qd or auto" lsq -p td A.mtx b.npy
fails 2 "'auto', expected d, dd or qd" qr -p auto A.mtx
fails 2 'digits goes with -p auto' lsq -p dd --digits 20 A.mtx b.npy
fails 2 "digits: found '0'" lsq --digits 0 A.mtx b.npy
fails 2 "digits: found 'ten'" lsq --digits ten A.mtx b.npy
fails 2 "'qr', expected mgs, refined, lu or auto" lsq --method qr A.mtx b.npy
fails 2 'pivot goes with --method mgs' lsq --method lu --pivot A.mtx b.npy
fails 2 'auto chooses the method' lsq -p auto --reorth A.mtx b.npy
fails 2 'auto chooses the method' lsq --digits 20 --method mgs A.mtx b.npy
fails 2 "'fpga', expected auto, cpu or gpu" lsq --backend fpga A.mtx b.npy
fails 2 "-t/--threads: found '0'" lsq -t 0 A.mtx b.npy
fails 2 '-o/--output needs a value' lsq A.mtx b.npy -o
fails 2 'can have standard output' lsq A.mtx b.npy --json -o -

# ---- random matrices
good '^2 3$' random -m 2 -n 3 --seed 5
mv stdout five.mtx
good '^%%MatrixMarket matrix array complex general$' random -m 2 -n 3 --seed 5 --kind unit -p qd
cmp -s stdout five.mtx || complain "the same seed gives another matrix"
good . random -m 2 -n 3 --seed 6
cmp -s stdout five.mtx && complain "another seed gives the same matrix"
good '^-1043\.147476162348460522012594578933* 1248\.6678518944853589' random -m 2 --g 4 -p dd
good '^3 3$' random -m 3 --kind range --g 0.5 -p d
fails 2 'needs --g' random -m 2 --kind range
fails 2 'goes with --kind range' random -m 2 --kind unit --g 3
fails 2 "'3\.x', expected a number from 0 to 300" random -m 2 --g 3.x
fails 2 '-m/--rows is missing' random
fails 2 'seed: found' random -m 2 --seed -1
fails 2 "unexpected argument 'A.mtx'" random -m 2 A.mtx
fails 1 'does not fit into memory' random -m 1000000000 -n 1000000000 -o out/r.mtx
fails 1 'could not be written' random -m 2 -o nowhere/r.mtx

for command in lsq qr random; do
    good "^usage: plumb $command" $command --help
    good 'default' help $command
done
exit $((failures > 0))
