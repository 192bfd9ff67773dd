#!/bin/sh
# decompose.sh PLUMB - plumb decompose as a command: what it says, its file and JSON, and exit statuses.
plumb=$1
command=decompose
. "$(dirname "$0")/expect.sh"

cat >sommese.txt <<'END'
(y-x^2)*(x^2+y^2+z^2-1)*(x-0.5);
(z-x^3)*(x^2+y^2+z^2-1)*(y-0.5);
(y-x^2)*(z-x^3)*(x^2+y^2+z^2-1)*(z-0.5);
END
cat >expected <<'END'
dimension 2   1 component    degree 2
dimension 1   4 components   degrees 1, 1, 1, 3
dimension 0   1 point
END
run 0 sommese.txt -o c.json
head -n 3 out | cmp -s - expected || complain "not the lines that were expected"
says '^embedded components are not reported$'
says '^195 paths = 9 to witness points and isolated solutions + 162 to larger components + 13 extraneous + 11 at infinity, '
for threads in 1 2 3; do
    run 0 sommese.txt -o again.json -q -t $threads
    cmp -s c.json again.json || complain "$threads threads change the file"
    [ ! -s out ] || complain "-q is not quiet"
done
run 0 sommese.txt -o - # standard output has the file alone
cmp -s c.json out || complain "not the same on standard output"
run 0 sommese.txt --dimension 2
says '^dimensions below 2 were not looked at (--dimension)$'
! grep -q '^dimension [01]' out || complain "a dimension that was not asked for"
run 0 sommese.txt --json --dimension 1
says '"least_dimension": 1'
! grep -q '"isolated"' out || complain "isolated solutions were not asked for"

# What certificates prove, where FLINT is there.
if "$plumb" info --json | tr -d '\n' | grep -q '"certify"[^}]*"usable": true'; then
    run 0 -e 'a*d-b*c' -e 'c*f-d*e' --certify --html page.html -o c.json
    says '^dimension 4: 4 certified witness points = root count: the sum of the degrees is proven$'
    grep -q 'Dimension 4: 4 certified witness points = root count: the sum of the degrees is proven' page.html || complain "not on the page"
    grep -q '"certified": 4,.*"root_count": 4,.*"degree_proven": true' c.json || complain "not in the file"
    run 0 sommese.txt
    says '^dimension 2: nothing is proven$'
    says '^dimension 0: 1 certified solution proves that the number of isolated solutions is at least 1$'
    run 0 -e 'x*y - x' -e 'x*z' --no-certify
    ! grep -q 'certif\|proven' out || complain "--no-certify"
    run 0 -e '(x-y)^2' --certify
    says '^dimension 1: nothing is proven$'
    run 1 sommese.txt --certify -q
    warns '^plumb decompose: 8 of 8 witness points of components of multiplicity 1 could not be certified$'
fi
run 2 sommese.txt --certify --no-certify
warns 'exclude each other'
run 0 -e '(x-y)^2'
says '^dimension 1   1 component   degree 1 (multiplicity 2)$'
run 0 -e 'x^2' -e 'x*y' -e 'y^2 + 0*z'
says '^dimension 1   1 component   degree 1 (multiplicity at most 4)$'
run 0 -e 'x^2 + y^2 = 1' -e 'x^2 + y^2 = 2'
says '^no solutions$'
run 0 -e 'x*y = 1' -e '(x - 1)^2*(y - 3)'
says '^dimension 0   2 points   1 multiple, 3 with multiplicity$'
run 0 -e '0*x + 0*y'
says '^dimension 2   1 component   degree 1$'
run 0 -e 'a*b*c*d*f*g*h*j*k*l*m*p*q'
says '^dimension 12   13 components   degrees 1 (13 times)$'

run 2 -e 'x/y = 1' -e 'x*y'
warns 'the equations have denominators'
run 2 -e 'x*('
warns 'column'
run 2 sommese.txt -o c.phc
warns '.json'
run 2 sommese.txt -o - --json
warns 'cannot both have standard output'
run 2 nowhere.txt
warns 'nowhere.txt'
run 2 sommese.txt -o sommese.txt
run 1 -e x -o nowhere/c.json
warns 'nowhere'
[ "$failures" -eq 0 ]
