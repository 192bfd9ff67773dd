#!/bin/sh
# json.sh PLUMB JSON_NAMES DOC - every JSON output of the program follows one schema: the same name has the same type everywhere, and DOC
# (docs/json.md) describes every name. JSON_NAMES is the program of json_names.c.
plumb=$1
names=$2
doc=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# make STATUS NAME ARGUMENTS...: standard output of plumb goes to NAME.json.
make() {
    wanted=$1 name=$2
    shift 2
    "$plumb" "$@" >"$name.json" 2>err
    status=$?
    [ $status -eq "$wanted" ] || fail "plumb $*: status $status, expected $wanted: $(cat err)"
}

printf '1,2\n3,4\n5,6.5\n' >a.csv
printf '1\n2\n4\n' >b.csv
printf '2\n x^2 + y^2 - 5;\n x*y - 2;\n' >s.phc
make 0 lsq lsq a.csv b.csv --json --errors
make 0 lsq_auto lsq a.csv b.csv --json --digits 20
make 1 lsq_missed lsq a.csv b.csv --json --digits 64
make 0 qr qr a.csv --json --pivot --orthogonality
make 0 info info --json
make 0 show system show s.phc --json
make 0 show_volumes system show s.phc --json --mixed-volume
make 0 start system start s.phc --json --solutions start_solutions.json -o start.phc
make 0 start_count system start s.phc --json --count-only
make 0 track track s.phc --json -o found.json --path-log steps.jsonl --seed 18446744073709551615
make 1 track_failed track s.phc --json --max-steps 1 -o none.json --all
make 0 solve solve s.phc --json -o solved.json
printf 'a\n4\n0\n' >targets.csv
make 0 family solve -e 'x^2 - a' --parameters a --at targets.csv --json
mv family.json family.jsonl
make 0 monodromy monodromy -e 'x^2 - a' --parameters a --json
make 0 plan solve s.phc --json --plan
make 0 newton newton s.phc found.json --json -o refined.json
make 0 newton_digits newton s.phc found.json --json --digits 100 -o refined_digits.json
make 0 newton_again newton s.phc newton.json --json # a report is a file of solutions
printf '(x^2+y^2-1)*(x-2); (x^2+y^2-1)*(y-3);\n' >sets.txt
make 0 decompose decompose sets.txt --json
"$plumb" decompose sets.txt -q -o components.json || fail "decompose to JSON"
make 0 member member components.json --at x=2,y=3 --at x=1,y=0 --json
make 0 sample sample components.json --json
make 0 sliced sample components.json --slice 'x = y' --json
make 0 eval eval s.phc --at found.json --json --jacobian
make 0 eval_one eval s.phc --at x=1,y=2 --json
if "$plumb" info | grep -q '^certificates *by'; then
    make 0 certify certify s.phc found.json --json -o certified.json
    make 0 certify_again certify s.phc certify.json --json # a report is a file of solutions
    make 0 check certify --check certified.json s.phc --json
    sed 's/"real": true/"real": false/' certified.json >wrong.txt
    make 1 refused certify --check wrong.txt s.phc --json
    printf '2 1\n z^2 - 2;\n z^4 - 4;\n' >over.phc
    echo '{"unknowns": ["z"], "solutions": [{"x": [["1.4142135623730951", "0"]]}]}' >over.txt
    make 0 certify_over certify over.phc over.txt --json -o over_certified.json
fi
"$plumb" lsq a.csv b.csv -q -o x.json --covariance covariance.json || fail "lsq to JSON"
"$plumb" qr a.csv -q --q q.json --r r.json --pivot --permutation p.json || fail "qr to JSON"
"$plumb" random -m 2 -o random.json || fail "random to JSON"

"$names" ./*.json ./*.jsonl || fail "a file does not follow the schema"
grep -q '"seed": 18446744073709551615' track.json || fail "the seed is rounded"
"$names" --list | while read -r name; do
    grep -q "\`$name\`" "$doc" || echo "$name"
done >missing
[ ! -s missing ] || fail "docs/json.md does not describe: $(tr '\n' ' ' <missing)"
exit $((failures > 0))
