#!/bin/sh
# solve.sh PLUMB SYSTEMS - plumb solve as a command: what it says, its files and JSON, exit statuses, and that a run that is
# stopped and continued, or tracked in parts, gives the same results. SYSTEMS is the folder of the system files.
plumb=$1
systems=$2
command=solve
. "$(dirname "$0")/expect.sh"

# same FILE FILE
same() {
    cmp -s "$1" "$2" || complain "$1 and $2 differ"
}

printf '2\n x^2 + y^2 - 5;\n x*y - 2;\n' >s.phc

# The answer.
run 0 --help
says '^usage: plumb solve'
run 0 s.phc
says '^2 equations in 2 unknowns$'
says '^  total degree  *4'
says '^solution 4: real, regular, error '
says '^  x = -*[12]\.00000000'
says '^4 distinct isolated solutions, 4 real, '
says '^4 paths = 4 regular + 0 singular + 0 at infinity + 0 not isolated + 0 extraneous + 0 undecided + 0 failed$'
run 0 s.phc --positive
says '^2 of them are positive$'
[ "$(grep -c '^solution' out)" -eq 2 ] || complain "two positive solutions"
run 0 s.phc -q
[ -s out ] && complain "--quiet says something"
"$plumb" solve - <s.phc >out 2>err || complain "standard input"

run 0 -e 'x^2 + y^2 = 5' -e 'x*y = 2'
says '^4 distinct isolated solutions, 4 real, '
run 2 -e 'x + y = 1'
warns '^plumb solve: -e: 1 independent equation'
run 2
warns 'SYSTEM is missing'

# A triple root, and a system with a solution that is not isolated.
printf '2\n 29*x^3 - 32*x*y;\n y - x^2;\n' >triple.phc
run 0 triple.phc
says '^solution 1: real, singular, multiplicity 3, '
printf '2\n x*y;\n x*(y - 1)*(x - 2);\n' >curve.phc # the line x = 0 and the point (2, 0)
run 0 curve.phc
says '^1 distinct isolated solution, 1 real, '
says 'paths* ended on a positive-dimensional set: it has solutions of dimension at least 1$'

# Any shape.
run 0 "$systems/overdet_minors34.phc"
says '^  equations combined at random  *4 to 2$'
says '^9 paths = 6 regular .* + 3 extraneous '
printf 'x + y - 3;\nx - y - 1;\n' >linear.txt
run 0 linear.txt --digits 40
says '^  unknowns eliminated exactly  *2$'
says '^  x = 2\.0*$'
says '^0 paths = '
printf 'x - 1;\nx - 2;\n' >none.txt
run 0 none.txt
says '^there is no solution: equation 2 contradicts the linear equations$'
says '^0 distinct isolated solutions'
run 0 -e 'x^2 + y^2 + x*y - 7' -e 'x*y - 2' -e 'x^2 + y^2 - 5'
says '^  dependent equations removed  *1$'
says '^4 distinct isolated solutions, 4 real, '
run 0 -e 'x^2 + y^2 - 25' -e '(x - 1)^2 + y^2 - 20' # circles: their difference is linear
says '^  degrees of equations lowered  *1$'
says '^  unknowns eliminated exactly  *1$'
says '^2 distinct isolated solutions, 2 real, '
run 0 -e 'x^2 + y^2 - 25' -e '(x - 1)^2 + y^2 - 20' -e '0*x' --json
says '"dependent": 1'
says '"lowered": 1'
says '"eliminated": 1'
run 0 -e 'x^2 + y' -e '2*x^2 + 2*y - 1'
says '^there is no solution: equation 2 contradicts the others$'
run 2 -e 'x*y + z' -e 'x*y + z^2' -e 'z - z^2'
warns '2 independent equations for 3 unknowns'
printf 'x^2 + y^2 - 1;\n' >under.txt
run 2 under.txt
warns 'under.txt: 1 independent equation for 2 unknowns: .* none is isolated$'

# Quotients: points where a denominator is zero are no solutions.
run 0 -e '(x^2 - 1)/(x - 1) = 0'
says '^1 distinct isolated solution, 1 real, '
says '^  x = -1\.00000000'
says '^2 paths = 1 regular + .* + 1 extraneous + 0 undecided + 0 failed$'
says '^not certified: the equations have denominators$'
run 0 -e '1/x + 1/y = 1' -e 'x = y' # (0, 0) solves the numerator
says '^1 distinct isolated solution, 1 real, '
says '^2 paths = 1 regular + .* + 1 extraneous + 0 undecided + 0 failed$'
run 0 -e 'x/y = 1' -e 'x*y/x = 0'
says '^0 distinct isolated solutions'
run 0 -e 'x^-2 + y/x - 1' -e '(x + 1)/(y - 2) = 3'
says '^2 distinct isolated solutions, 2 real, '
run 1 -e '(x^2 - 2)^2/(x^2 - 2)' # double and irrational: not decided
says ' 4 undecided '
run 1 -e 'x/y = 2' -e 'x*y = 8' --certify
warns 'not certified: the equations have denominators$'
printf '2\n (x^2 - 1)/(x - 1);\n y*x/x - 2;\n' >quotient.phc
run 0 quotient.phc -q -o quotient.sol
"$plumb" system convert quotient.phc -o again.phc && run 0 again.phc -q -o again.sol
same quotient.sol again.sol
run 2 -e 'x/(y - y) + y'
warns "^plumb solve: -e 'x/(y - y) + y', column 3: found a division by zero, expected another divisor$"
for arguments in 'eval quotient.phc --at x=1,y=1' 'newton quotient.phc quotient.sol' 'track quotient.phc' \
    'system start quotient.phc' 'certify quotient.phc quotient.sol'; do
    # shellcheck disable=SC2086
    "$plumb" $arguments >out 2>err
    [ $? -eq 2 ] || complain "plumb $arguments: expected status 2"
    warns 'quotient.phc: the equations have denominators; expected polynomials'
done

# One equation in one unknown: its roots are isolated, without paths.
product='(x - 1)'
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
    product="$product*(x - 10^$k)*(x - 1/10^$k)"
done
run 0 -e "$product"
says '^one equation in one unknown is left: its roots are isolated without paths$'
says '^25 distinct isolated solutions, 25 real, '
says '^25 paths = 25 regular + 0 singular '
says '^  x = 1\.0*e-12$'
run 0 -e '(x - 1)^40'
says '^solution 1: real, singular, multiplicity 40, '
says '^  x = 1\.0*$'
says '^40 paths = 0 regular + 40 singular '
run 0 -e 'x^30 - 2*(1000*x - 1)^2' # two real roots are 10^-48 apart
says '^30 distinct isolated solutions, 4 real, '
[ "$(grep -E '^  x = 0\.00(0999|1000)' out | sort -u | wc -l)" -eq 2 ] || complain "the pair of a Mignotte polynomial"
run 0 -e 'x^5 - 2' -o five.json
[ -e five.json.journal ] && complain "a journal without paths"
run 0 -e 'x^5 - 2' --start total
says '^  total degree  *5   used'
run 0 -e 'x^5 - 2' --path-log steps.jsonl
[ -s steps.jsonl ] || complain "--path-log does not track the paths of one equation"
run 0 -e 'x^5 - 2' --paths 2-3 -o part.json
[ -s part.json.journal ] || complain "--paths does not track the paths of one equation"

# More digits.
printf 'x^2 - 2;\n' >root.txt
run 0 root.txt --digits 50 --positive
says '^  x = 1\.4142135623730950488016887242096980785696718753769$'
run 2 s.phc --digits 10001
run 0 root.txt --digits 120 --positive
says '^  x = 1\.41421356237309504880168872420969807856967187537694807317667973799073247846210703885038753432764157273501384623'
run 0 root.txt --digits 120 --positive -o root.json -q
grep -q '1\.41421356237309504880168872420969807856967187537694807317667973799073247846210703885038753432764157' root.json ||
    complain "root.json has not 120 digits"

# A robot with six joints, whose coefficients were rounded to 12 digits: a set of solutions at infinity has become roots of size 1e12. The
# 16 of moderate size are found, and the others are given up soon.
run 0 "$systems/../hard/sixr_rounded.txt" --no-certify
says '^16 distinct isolated solutions, 0 real'
says '^288 paths = 16 regular + 0 singular + [0-9]* at infinity + [1-9][0-9]* given up far out + 0 not isolated + 0 extraneous + 0 undecided + 0 failed'

# Files: the same bytes from equal runs, and from a run in which JSON is asked for.
for ending in sol phc json csv; do
    run 0 "$systems/cyclic5.phc" -q -o "a.$ending"
    run 0 "$systems/cyclic5.phc" -q -o "b.$ending" -t 1
    same "a.$ending" "b.$ending"
done
[ "$(wc -l <a.csv)" -eq 71 ] || complain "cyclic5 has 70 solutions and a line of names"
# No number is longer than its precision, whatever limbs lie far below its last bit.
short() { # short FILE PRECISION MOST
    longest=$(grep "\"$2\"" "$1" | grep -oE '"-?[0-9.]+(e[-+]?[0-9]+)?"' | awk '{ if (length > most) most = length } END { print most - 2 }')
    [ "$longest" -ge 30 ] && [ "$longest" -le "$3" ] || complain "$1: a number of $longest characters"
}
run 0 -e 'x^2 - y' -e 'x*y - 1' --digits 50 --json
short out qd 75
run 0 "$systems/scaled_katsura5.phc" --no-certify --json -o scaled.json
short out dd 42
short scaled.json dd 42
head -1 a.csv | grep -q '^number,multiplicity,.*,kind,real,precision,x' || complain "the names of a table"
grep -q '"kind": "regular", "real": ' a.json || complain "kinds in a file"
"$plumb" newton "$systems/cyclic5.phc" a.json -q >out 2>err || complain "newton reads the solutions"
run 0 "$systems/cyclic5.phc" -o - --start total
grep -q '^120 paths = 70 regular' err || complain 'the summary does not make room'

run 0 s.phc --json
says '"kind": "total"'
says '"total": 4'
says '"multiplicity": 1, "real": true, "err": '

# Only the plan: what would be tracked, and about how long that takes.
run 0 "$systems/cyclic5.phc" --plan
says '^  polyhedral (mixed volume)  *70   used'
says '^70 paths would be tracked: about [0-9.e-]* [a-z]* on .*, estimated from [1-6][0-9] of them$'
grep -q '^solution' out && complain "--plan finds solutions"
run 0 "$systems/cyclic5.phc" --plan --json
says '"plan": {$'
says '"total": 70,$'
says '"estimated_seconds": '
run 0 "$systems/cyclic5.phc" --plan -q
[ -s out ] && complain "--plan --quiet says something"
run 0 linear.txt --plan
says '^no paths would be tracked$'
run 0 none.txt --plan
says '^there is no solution: '
for option in '-o x.sol' '--plot x.svg' '--path-log x.jsonl' '--resume' '--paths 1-2'; do
    # shellcheck disable=SC2086
    run 2 s.phc --plan $option
    warns '^plumb solve: --plan excludes '
done
"$plumb" system family cyclic 12 -o cyclic12.phc >out 2>err || complain "plumb system family cyclic 12"
"$plumb" solve cyclic12.phc --plan --start total -t 1 >out 2>err &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid 2>/dev/null
[ $? -gt 128 ] || complain "SIGTERM does not stop --plan"

# Part of the paths: the same solutions.
run 0 "$systems/cyclic5.phc" --paths 11-20 -q -o part.csv
says_no=$(cut -d, -f11- part.csv | tail -n +2 | while read -r line; do grep -q -e "$line" a.csv || echo missing; done)
[ -z "$says_no" ] || complain "paths 11 to 20 alone have other endpoints"

# A run that is stopped and continued.
if "$plumb" solve "$systems/cyclic5.phc" -q -o c.sol && [ ! -e c.sol.journal ]; then :; else
    complain "a journal is left behind"
fi
stopped=0
for wait in 0.02 0.05 0.1 0.2 0.4; do
    rm -f d.sol d.sol.journal
    "$plumb" solve "$systems/cyclic6.phc" -q -t 1 -o d.sol >out 2>err &
    pid=$!
    sleep $wait
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ -e d.sol.journal ]; then
        stopped=$((stopped + 1))
        run 0 "$systems/cyclic6.phc" -q -o d.sol --resume
    elif [ ! -e d.sol ]; then
        continue # killed before it began
    fi
    [ -e whole.sol ] || "$plumb" solve "$systems/cyclic6.phc" -q -o whole.sol
    same d.sol whole.sol
done
printf '{"journal": "plumb track"}\n{}\n' >e.sol.journal
run 2 s.phc -o e.sol
warns 'not a journal of plumb solve'

# Paths to infinity on which x grows like tau^(-1/6) until condition numbers are above 10^15: steps stay long where predictions have
# enough digits, and samples of slopes are accurate enough to tell the limit.
"$plumb" system family cyclic 9 -o cyclic9.phc >out 2>err || complain "plumb system family cyclic 9"
for path in 773 3536 9298; do
    run 0 cyclic9.phc --start polyhedral --no-certify --reruns 0 --max-steps 300 --paths $path-$path -o infinite.sol
    says '1 path = 0 regular + 0 singular + 1 at infinity'
    rm -f infinite.sol infinite.sol.journal
done

# The only root is (30, 810000).
run 0 -e 'x^4 = y' -e 'x^5 - x*y + x = 30' --start total
says '20 paths = 1 regular + 0 singular + 19 at infinity'
run 0 -e 'x^4 = y' -e 'x^5 - x*y + x = 30' --start total --largest 1e4
says '20 paths = 0 regular + 0 singular + [0-9]* at infinity + [1-9][0-9]* beyond --largest + 0 not isolated'
says '^[0-9]* paths* ended beyond --largest 10000 or w[aer]*s* given up on the way there, with a largest unknown '

# More solutions than are in memory at a time (16,384) are written like those of a list, which a picture needs.
for format in csv phc; do
    "$plumb" solve -e 'x^130-y-2' -e 'y^130-x-3' --no-certify -o many.$format >many.txt 2>/dev/null
    "$plumb" solve -e 'x^130-y-2' -e 'y^130-x-3' --no-certify -o list.$format --plot list.svg >list.txt 2>/dev/null
    cmp many.$format list.$format || complain "solutions that are written some at a time differ"
    sed 's/, [0-9.]* s$//' many.txt >many.same
    sed 's/, [0-9.]* s$//' list.txt | cmp - many.same || complain "solutions that are in memory some at a time are shown otherwise"
    [ ! -e many.$format.journal ] || complain "a journal is left behind"
done
[ "$(wc -l <many.csv)" -gt 16890 ] || complain "solutions are missing"

# Misuse and failures.
run 2 s.phc --largest 10
warns '--largest'
run 2 nothing.phc
warns 'nothing.phc'
run 2 s.phc -o x.png
warns 'x.png'
run 2 s.phc --paths 3-9
warns 'expected numbers up to 4'
run 2 s.phc --start none
warns 'none'
run 1 -e 'x*(y + z - 2)' -e 'x*(y^2 + z - 5)' -e 'y^2 - x - 1' --max-steps 8
warns 'up to 4 solutions may be missing'
run 1 -e 'x*(y + z - 2)' -e 'x*(y^2 + z - 5)' -e 'y^2 - x - 1' --max-steps 8 --json
grep -q '"incomplete": "4 of 4 paths failed or are undecided' out || complain "JSON does not say what may be missing"
# Start systems that are given up are not left out.
given_up() {
    run 1 -e 'x^9000*y^9000*(1+2*x-3*y)' -e 'x^9000*y^9000*(1-5*x+y)' -e 'z^9000*w^9000*(1-z-w)' -e 'z^9000*w^9000*(1+z-3*w)' \
        -e 'u^9000*v^9000*(1-u-v)' -e 'u^9000*v^9000*(1+u-3*v)' --nonzero --max-steps 1 "$@"
}
given_up
grep -q '^  total degree  *-   given up: 2^63 paths or more$' out || complain "the text leaves a start system out"
given_up --json
grep -q '"given_up": {"total": "2^63 paths or more", "multihomogeneous": "2^63' out || complain "JSON leaves a start system out"
run 0 -e 'x^2 - 2' --json
grep -q '"given_up": {}' out || complain "JSON says that a start system was given up"
grep -q '"incomplete": null' out || complain "JSON says that something may be missing"

[ $failures -eq 0 ] && echo "plumb solve: all is well; $stopped runs were killed and continued"
exit $((failures > 0))
