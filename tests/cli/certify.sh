#!/bin/sh
# certify.sh - tests plumb certify: certificates in files, that they are checked by other arithmetic, that changed ones are refused,
# and what happens without the plugin.
#   certify.sh PLUMB
set -u
plumb=$1
. "$(dirname "$0")/checks.sh"

cat >"$dir/s.phc" <<'END'
2
 x^2 - 2;
 y^3 - x*y - 1;
END
cat >"$dir/over.phc" <<'END'
3 2
 x^2 + y^2 - 5;
 x*y - 2;
 x^3 + y^3 - 9;
END
cat >"$dir/over.json" <<'END'
{"unknowns": ["y", "x"], "solutions": [{"x": [["2.0000000000000001", "0"], ["1", "0"]]}]}
END
cat >"$dir/follows.phc" <<'END'
3 2
 x^2 - 2;
 y - x - 1;
 x*y - x - 2;
END
cat >"$dir/under.phc" <<'END'
1 2
 x*y - 1;
END
cat >"$dir/double.phc" <<'END'
1
 x^2 - 2*x + 1;
END
echo '{"unknowns": ["x"], "solutions": [{"x": [["1", "0"]]}]}' >"$dir/double.json"
echo '{"unknowns": ["x", "y"], "solutions": [{"x": [["1", "0"], ["1", "0"]]}]}' >"$dir/plain.json"

# Misuse comes before everything else.
refuse missing "the argument SOLUTIONS is missing" "$plumb" certify "$dir/s.phc"
refuse two "goes with one argument" "$plumb" certify --check "$dir/plain.json" "$dir/s.phc" "$dir/plain.json"
refuse streams "cannot both come from standard input" "$plumb" certify - -
refuse bits "from 64 to 1024" "$plumb" certify "$dir/s.phc" "$dir/plain.json" --bits 32
refuse nothing "found no \"certificate\"" "$plumb" certify --check "$dir/plain.json" "$dir/s.phc"

# Without the plugin: one line that says why, and the checker still works.
mkdir "$dir/alone"
cp "$plumb" "$dir/alone/plumb"
run alone_info 0 "$dir/alone/plumb" info
grep -q '^certificates *none: ' "$dir/out" || fail "info does not tell that there are no certificates: $(cat "$dir/out")"
run alone 1 "$dir/alone/plumb" certify "$dir/s.phc" "$dir/plain.json"
grep -q 'certification needs FLINT with Arb: ' "$dir/err" || fail "without the plugin: $(cat "$dir/err")"

# The folder of plugins is that of the program's own file, whatever name it was started with.
if command -v bash >/dev/null; then
    there=$(cd "$(dirname "$plumb")" && pwd)
    run renamed 0 bash -c 'exec -a "$1" "$2" info' - "$there/plumb" "$dir/alone/plumb"
    grep -q '^certificates *none: ' "$dir/out" || fail "argv[0] chooses the folder of plugins: $(grep '^cert' "$dir/out")"
    "$plumb" info | grep '^certificates' >"$dir/own"
    run elsewhere 0 bash -c 'exec -a "$1" "$2" info' - "$dir/alone/plumb" "$plumb"
    grep '^certificates' "$dir/out" | cmp -s - "$dir/own" || fail "argv[0] hides the plugin: $(grep '^cert' "$dir/out")"
fi

"$plumb" info | grep -q '^certificates *by ' || {
    echo "no certificates in this build: the rest is left out"
    exit $((failures > 0))
}
refuse under "1 equations and 2 unknowns" "$plumb" certify "$dir/under.phc" "$dir/plain.json"

# A list of solutions that is complete, in every format.
"$plumb" track "$dir/s.phc" -q -o "$dir/found.sol" || fail "track"
run certify 0 "$plumb" certify "$dir/s.phc" "$dir/found.sol" -o "$dir/c.json"
holds certify "6 of 6 solutions certified, 6 distinct, 2 real, 1 positive"
holds certify "6 certified distinct isolated solutions (2 real) = Bezout number 6: complete"
run quiet 0 "$plumb" certify "$dir/s.phc" "$dir/found.sol" -q -o "$dir/c.phc"
[ ! -s "$dir/out" ] || fail "quiet: $(cat "$dir/out")"
[ "$(grep -c 'certified, .*distinct' "$dir/c.phc")" -eq 6 ] || fail "no remarks in $(cat "$dir/c.phc")"
run again 0 "$plumb" certify "$dir/s.phc" "$dir/c.json" --json -t 1
holds again '"certified_distinct": 6'
holds again '"complete": true'
sed -n '/"solutions"/,$p' "$dir/out" >"$dir/one"
run threads 0 "$plumb" certify "$dir/s.phc" "$dir/c.json" --json -t 3
sed -n '/"solutions"/,$p' "$dir/out" | cmp -s - "$dir/one" || fail "certificates depend on the number of threads"

# Checked by the other arithmetic, also by a program without the plugin.
run check 0 "$plumb" certify --check "$dir/c.json" "$dir/s.phc"
holds check "6 of 6 certificates hold: 6 distinct zeros, 2 real, 1 positive"
run check_alone 0 "$dir/alone/plumb" certify --check "$dir/c.json" "$dir/s.phc" --json
holds check_alone '"checked": 6'

run equations 0 "$plumb" certify -e 'x^2 = 2' -e 'y^3 - x*y = 1' --check "$dir/c.json"
run typed 0 "$plumb" certify -e 'x^2 = 2' -e 'y^3 - x*y = 1' "$dir/found.sol" -q

# Certificates of one system do not hold for another, and none of these changes passes.
printf '2\n x^2 - 2;\n y^3 - x*y - 1 - 1e-15;\n' >"$dir/other.phc"
run other 1 "$plumb" certify --check "$dir/c.json" "$dir/other.phc"
holds other "the box does not contract"
refuse renamed "expected each unknown of the system once" sh -c "sed 's/y/z/g' '$dir/s.phc' >'$dir/z.phc' && '$plumb' certify --check '$dir/c.json' '$dir/z.phc'"
change() # change NAME SED WORDS
{
    sed "$2" "$dir/c.json" >"$dir/changed.json"
    cmp -s "$dir/c.json" "$dir/changed.json" && fail "$1: nothing was changed"
    run "$1" 1 "$plumb" certify --check "$dir/changed.json" "$dir/s.phc"
    holds "$1" "$3"
}
change not_real '0,/"real": false/s//"real": true/' "the box does not show that the zero is real"
change real '0,/"real": true/s//"real": false/' "the box does not show that the zero is not real"
change positive '0,/"positive": false/s//"positive": true/' "the box does not show that the zero is positive"
change same '0,/"distinct": true, "same_as": null/s//"distinct": false, "same_as": 2/' "the two zeros are the same"
change same_unsaid '0,/"distinct": true, "same_as": null/s//"distinct": null, "same_as": 2/' "the two zeros are the same"
change centre '0,/"centre": \[\["0x/s//"centre": [["0x1/' "the box does not contract"
change radius '0,/"radius": \["0x[0-9a-f]*/s//"radius": ["0x1/' "the box does not contract"
sed 's/"number": 2,/"number": 2, "certificate": '"$(sed -n 's/.*"number": 1,.*"certificate": \({.*}\)}.*/\1/p' "$dir/c.json")"',/; s/\("number": 2,.*\), "certificate": {"verdict.*/\1},/' "$dir/c.json" >"$dir/twice.json"
run twice 1 "$plumb" certify --check "$dir/twice.json" "$dir/s.phc"
holds twice "is not disjoint from that of solution"
for broken in 's/"verdict": "certified"/"verdict": "sure"/' 's/"bits": 64/"bits": 1.5/' 's/"centre": \[\[/"centre": [[[/' \
    's/"radius": \["0x/"radius": ["-0x/' 's/"real": true/"real": 1/'; do
    sed "$broken" "$dir/c.json" >"$dir/broken.json"
    run "$broken" 2 "$plumb" certify --check "$dir/broken.json" "$dir/s.phc"
done

# Nor does a record that its box contradicts: the file of plumb solve says more of each solution.
run record 0 "$plumb" solve "$dir/s.phc" -q -o "$dir/c.json"
run record_check 0 "$plumb" certify --check "$dir/c.json" "$dir/s.phc"
change record_real '0,/"real": false, "certificate"/s//"real": true, "certificate"/' "it is called real, and its box shows that the zero is not"
change record_not_real '0,/"real": true, "certificate"/s//"real": false, "certificate"/' "it is called not real, and its box shows that the zero is real"
change record_kind '0,/"kind": "regular"/s//"kind": "singular"/' "it is called singular, and its box shows that the zero is regular"
change record_multiplicity '0,/"multiplicity": 1,/s//"multiplicity": 2,/' "it has a multiplicity above 1"
change record_x '0,/"x": \[\["-/s//"x": [["/' "x does not belong to the zero in the box"
change record_digit '0,/"x": \[\["-1\.4/s//"x": [["-7.4/' "x does not belong to the zero in the box"
change record_imaginary '0,/"0"\], \["/s//"5"], ["/' "x does not belong to the zero in the box"
for broken in 's/"kind": "regular"/"kind": "good"/' 's/"multiplicity": 1,/"multiplicity": 1.5,/' 's/"x": \[\["/"x": [["/; s/"x": \[\[/"x": [["1"], [/' \
    's/"real": true, "cert/"real": "yes", "cert/'; do
    sed "$broken" "$dir/c.json" >"$dir/broken.json"
    run "$broken" 2 "$plumb" certify --check "$dir/broken.json" "$dir/s.phc"
done
# A file with a cluster is no broken one; the other solutions are checked.
sed '0,/"kind": "regular"/s//"kind": "cluster"/' "$dir/c.json" >"$dir/cluster.json"
run cluster 0 "$plumb" certify --check "$dir/cluster.json" "$dir/s.phc"
# The digits of x need not reach into the box.
sed 's/"x": \[\["\(-*[0-9]*\.[0-9][0-9][0-9]\)[0-9]*"/"x": [["\1"/' "$dir/c.json" >"$dir/short.json"
run short 0 "$plumb" certify --check "$dir/short.json" "$dir/s.phc"
# The counts of the whole file are those of its certificates.
"$plumb" solve "$dir/s.phc" --json >"$dir/c.json" || fail "solve --json"
run summary 0 "$plumb" certify --check "$dir/c.json" "$dir/s.phc" --json
holds summary '"refused_summary": null'
change summary_certified 's/"certified": 6/"certified": 5/' "certified is 5, and its certificates give 6"
change summary_distinct 's/"certified_distinct": 6/"certified_distinct": 7/' "certified_distinct is 7"
change summary_real 's/"certified_real": 2/"certified_real": 4/' "certified_real is 4"
change summary_not_real 's/"certified_not_real": 4/"certified_not_real": 2/' "certified_not_real is 2"
change summary_positive 's/"certified_positive": 1/"certified_positive": 2/' "certified_positive is 2"
change summary_excluded 's/"excluded": 0/"excluded": 1/' "excluded is 1"
change summary_complete 's/"complete": true/"complete": false/' "complete is false"
change summary_bound 's/"bound": 6/"bound": 7/' "which is not the Bezout number"
change summary_below 's/"bound": 6/"bound": 5/' "there are 6 distinct zeros"
"$plumb" solve "$dir/s.phc" --real --json >"$dir/c.json" || fail "solve --real --json"
run summary_some 0 "$plumb" certify --check "$dir/c.json" "$dir/s.phc"
change summary_not_all 's/"complete": false/"complete": true/' "complete is true"
# A multiplicity that a file has by mistake is not passed on with a certificate.
echo '{"unknowns": ["x"], "solutions": [{"x": [["1.4142135623730951", "0"]], "multiplicity": 3}]}' >"$dir/triple.json"
run triple 0 "$plumb" certify -e 'x^2 - 2' "$dir/triple.json" -q -o "$dir/triple_c.json"
run triple_check 0 "$plumb" certify -e 'x^2 - 2' --check "$dir/triple_c.json"
# A zero of a system whose coefficients are not real may be real without a proof.
run complex 0 "$plumb" solve -e '(1+i)*(x^2-2)' -q -o "$dir/complex.json"
run complex_check 0 "$plumb" certify -e '(1+i)*(x^2-2)' --check "$dir/complex.json"
# A file whose certificates claim nothing is no file of certificates.
run double_file 1 "$plumb" certify "$dir/double.phc" "$dir/double.json" -o "$dir/double_c.json"
refuse double_check "found no certificate that claims anything" "$plumb" certify --check "$dir/double_c.json" "$dir/double.phc"

# More equations than unknowns: nothing is called a solution.
run over 0 "$plumb" certify "$dir/over.phc" "$dir/over.json" -o "$dir/over_c.json"
holds over "that all given equations vanish there is not proven"
run over_check 0 "$plumb" certify --check "$dir/over_c.json" "$dir/over.phc"
holds over_check "1 distinct zeros of the squared-up system"
sed -i 's/"squared up"/"certified"/' "$dir/over_c.json"
refuse over_claim "because the file has \"square_up\"" "$plumb" certify --check "$dir/over_c.json" "$dir/over.phc"
sed 's/x^3 + y^3 - 9/x^3 + y^3 - 8/' "$dir/over.phc" >"$dir/wrong.phc"
run wrong 1 "$plumb" certify "$dir/wrong.phc" "$dir/over.json" -o "$dir/wrong_c.json"
holds wrong "excluded"
holds wrong "not proven; 1 point is proven to be no solution"
run wrong_check 0 "$plumb" certify --check "$dir/wrong_c.json" "$dir/wrong.phc"
sed 's/"certified"/"excluded"/' "$dir/over_c.json" >"$dir/claim.json"
run wrong_claim 1 "$plumb" certify --check "$dir/claim.json" "$dir/over.phc"
holds wrong_claim "no equation excludes a zero"

# Equations that follow from others: what is certified for as many as there are unknowns holds for all.
run follows 0 "$plumb" solve "$dir/follows.phc" -o "$dir/follows.json"
holds follows "dependent equations removed                  1"
holds follows "2 certified distinct isolated solutions (2 real) = Bezout number 2: complete"
run follows_again 0 "$plumb" certify "$dir/follows.phc" "$dir/follows.json"
holds follows_again "2 of 2 solutions certified, 2 distinct, 2 real"
run follows_check 0 "$plumb" certify --check "$dir/follows.json" "$dir/follows.phc"
holds follows_check "2 of 2 certificates hold: 2 distinct zeros, 2 real, 1 positive"
sed 's/x\*y - x - 2/x*y - x - 3/' "$dir/follows.phc" >"$dir/follows_not.phc"
refuse follows_not "expected it because the system has" "$plumb" certify --check "$dir/follows.json" "$dir/follows_not.phc"
printf 'i*x^2 - 2*i;\nx^2 - 2;\n(1 + i)*x^3 - (2 + 2*i)*x;\n' >"$dir/complex.phc"
run complex 0 "$plumb" solve "$dir/complex.phc" -o "$dir/complex.json"
holds complex "2 certified distinct isolated solutions"
run complex_check 0 "$plumb" certify --check "$dir/complex.json" "$dir/complex.phc"
holds complex_check "2 of 2 certificates hold: 2 distinct zeros"
run zero 0 "$plumb" solve -e 'x^2 - 2' -e '0*x'
holds zero "2 certified distinct isolated solutions (2 real) = Bezout number 2: complete"

# plumb solve certifies what it finds, unless it is told not to or cannot.
run solve 0 "$plumb" solve "$dir/s.phc" -o "$dir/solved.json"
holds solve "6 certified distinct isolated solutions (2 real) = Bezout number 6: complete"
run solve_check 0 "$plumb" certify --check "$dir/solved.json" "$dir/s.phc"
holds solve_check "6 of 6 certificates hold: 6 distinct zeros, 2 real, 1 positive"
run solve_json 0 "$plumb" solve "$dir/s.phc" --json --certify
holds solve_json '"complete": true'
run solve_real 0 "$plumb" solve "$dir/s.phc" --real
holds solve_real "6 certified distinct isolated solutions (2 real) = Bezout number 6: complete" # all are, also those not shown
run solve_not 0 "$plumb" solve "$dir/s.phc" --no-certify --json
holds solve_not '"certificate": null'
! grep -q certified_distinct "$dir/out" || fail "--no-certify: $(cat "$dir/out")"
refuse both "exclude each other" "$plumb" solve "$dir/s.phc" --certify --no-certify
run solve_alone 0 "$dir/alone/plumb" solve "$dir/s.phc"
holds solve_alone "not certified: this needs FLINT with Arb: "
run solve_alone_asked 1 "$dir/alone/plumb" solve "$dir/s.phc" --certify -q
run solve_over 0 "$plumb" solve "$dir/over.phc"
holds solve_over "that all given equations vanish there is not proven"
# x = 0 and a curve of degree 3 through it: the stable mixed volume is the bound that counts zero coordinates.
run solve_zero 0 "$plumb" solve -e 'x^2*y - x' -e 'y^2 - x*y - 1'
holds solve_zero "complete"

# The smallest bound that is known: elimination has removed the terms that make the stable mixed volume 8.
run solve_bound 0 "$plumb" solve -e 'x - y' -e 'x^3*z^3 - 2*x + 1 + x^5*z^5 - x^4*y*z^5' -e 'x^3*z^3 + 3*z - 5'
holds solve_bound "6 certified distinct isolated solutions (2 real) = Bezout number after elimination 6: complete"
run solve_nonzero 0 "$plumb" solve -e 'x^2*y - x' -e 'y^2 - x*y - 1' --nonzero # these paths do not lead to all solutions
! grep -q "polyhedral paths" "$dir/out" || fail "paths to some solutions are no bound of all: $(cat "$dir/out")"

# A singular solution is not certified, and that is said.
run double 1 "$plumb" certify "$dir/double.phc" "$dir/double.json"
holds double "not certified: the Jacobian is singular"
holds double "at least 0 certified distinct isolated solutions"
exit $((failures > 0))
