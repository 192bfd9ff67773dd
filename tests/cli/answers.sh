#!/bin/sh
# answers.sh PLUMB - plumb solve on small systems with exact answers that few digits do not show: what the text, JSON and the exit
# status say, with several seeds.
plumb=$1
data=$(cd "$(dirname "$0")/../data/systems" && pwd) || exit 1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
failures=0

complain() {
    echo "FAILED: $*" >&2
    cat out err >&2
    failures=$((failures + 1))
}

# run STATUS ARGUMENTS...: plumb solve has this status.
run() {
    wanted=$1
    shift
    "$plumb" solve "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || complain "plumb solve $*: status $status, expected $wanted"
}

# says TEXT: standard output has a line that matches.
says() {
    grep -q -e "$1" out || complain "standard output does not say '$1'"
}

# count NUMBER TEXT: so many lines of standard output match.
count() {
    [ "$(grep -c -e "$2" out)" -eq "$1" ] || complain "not $1 lines say '$2'"
}

# A solution whose zeros belong to units from 10^-3 to 10^-13.
for seed in 5 12; do
    run 0 "$data/scaled_katsura5.phc" --no-certify --seed $seed
    says '^32 distinct isolated solutions, 16 real, '
done

for seed in 1 2 3; do
    # More equations than unknowns: solutions at which all terms of an equation vanish.
    run 0 -e 'x^2-x' -e 'x*y' -e 'y^2-y' --seed $seed
    says '^3 distinct isolated solutions, 3 real, '
    run 0 -e 'x^2' -e 'x*y' -e 'y^2' --seed $seed
    says '^solution 1: real, singular, multiplicity 3, '
    run 0 -e 'x+y^2' -e 'x*y' -e 'x^2' --seed $seed
    says '^solution 1: real, singular, multiplicity 3, '
    run 0 -e 'a^3-3*a^2+2*a' -e 'b^3-3*b^2+2*b' -e 'c^3-3*c^2+2*c' -e 'a^2+a*b+b^2-3*a-3*b+2' -e 'a^2+a*c+c^2-3*a-3*c+2' \
        -e 'b^2+b*c+c^2-3*b-3*c+2' --seed $seed
    says '^6 distinct isolated solutions, 6 real, '
    run 0 -e 'x^2-2*x+1' -e 'x^2-x-1/10^12*x' --seed $seed
    says '^0 distinct isolated solutions, '

    # Nearly real, and nearly zero.
    run 0 -e 'x^2-2+10*(y^2+56/10^16*y+1940/10^32)' -e 'y^2+56/10^16*y+1940/10^32' --seed $seed
    says '^4 distinct isolated solutions, 0 real, '
    count 4 ', certified not real$'
    run 0 -e 'x^2-x*y+1/10^20' -e 'y^2+x-1' --seed $seed --positive
    says '^4 distinct isolated solutions, 4 real, '
    says '^2 of them are positive$'
    says '^  x = 1\.0000000000000000000150[0-9]*e-20$'
    count 2 '^solution '
    says '^4 certified distinct isolated solutions (4 real) = Bezout number 4: complete$' # of which two are shown
    run 0 -e 'x^2-x*y+1/10^20' -e 'y^2+x-1' --seed $seed --nonzero
    count 4 '^solution .*, certified real$'
done

# Filters without certificates agree.
run 0 -e 'x^2-x*y+1/10^20' -e 'y^2+x-1' --positive --no-certify
count 2 '^solution '
run 0 -e 'x^3+83/10^16*x^2+3/125/10^28*x' --positive --seed 59017
says '^0 of them are positive$'
says '^3 certified distinct isolated solutions (3 real) = Bezout number 3: complete$'

# Equations that follow from others are left out, and nothing is lost by that.
run 0 -e 'x^2-2' -e '0'
says '^  dependent equations removed  *1$'
says '^2 certified distinct isolated solutions (2 real) = Bezout number 2: complete$'
run 0 -e 'x^2-2' -e '0' --json
says '"dependent": 1'
says '"clusters": 0'
says '"least": 0,*$'

# Measured data.
measured() {
    run 0 -e 'x^2+y^2=1' -e 'x*y=0.48' -e 'x^3-y^3=0.29600000000000004' "$@"
}
for seed in 1 2 3; do
    measured --seed $seed
    says '^0 distinct isolated solutions, '
    says '^2 points miss the equations by [0-9.]*e-1[78] or more; --residual X accepts points that miss them by at most X$'
    measured --seed $seed --json
    says '"least": [0-9.]*e-1[78],*$'
    measured --seed $seed --residual 1e-15
    says '^2 distinct isolated solutions, 2 real, '
    ! grep -q 'miss the equations' out || complain "points that are accepted do not miss"
done
measured --residual 1e-19
says '^0 distinct isolated solutions, '
run 2 -e 'x^2=2' --residual 2
grep -q -e '--residual' err || complain "standard error does not name --residual"
run 2 -e 'x^2=2' --residual -1

# Clusters: roots that few digits take for one.
run 0 -e '(x-1)^3*(x-1-1/10^5)^3'
count 2 '^solution .*: real, singular, multiplicity 3, error [0-9.]*e-6'
says '^  x = 1\.0000100000000000000'
run 0 -e '(x-1)^2*(x-1-1/10^8)^2'
count 2 '^solution .*: real, singular, multiplicity 2, '
run 0 -e 'x^30 - 2*(1000*x-1)^2'
says '^30 distinct isolated solutions, 4 real, '
says '^30 certified distinct isolated solutions (4 real) = Bezout number 30: complete$'
run 0 -e '(x-1)^8'
says '^8 paths = 0 regular + 8 singular + 0 at infinity + 0 not isolated '

[ $failures -eq 0 ] && echo "plumb solve: all answers are right"
exit $((failures > 0))
