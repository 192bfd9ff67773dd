#!/bin/sh
# newton.sh - tests plumb newton: solutions refined to the digits wanted, files that read back, solutions that did not
# converge, and one line with status 2 for invalid input.
#   newton.sh PLUMB
set -u
plumb=$1
. "$(dirname "$0")/checks.sh"

cat >"$dir/s.phc" <<'END'
2
 x^2 - 2;
 y - x - 1;
END
cat >"$dir/over.phc" <<'END'
3 2
 x^2 - 2;
 y - x - 1;
 x*y - x - 2;
END
cat >"$dir/under.phc" <<'END'
1 2
 x*y - 1;
END
cat >"$dir/multiple.phc" <<'END'
1
 (x - 1)^4;
END
cat >"$dir/start" <<'END'
THE SOLUTIONS :
2 2
===========================================================
solution 1 :
t :  1.0000000000E+00   0.0000000000E+00
m : 3
the solution for t :
 y :  2.5000000000E+00   0.0000000000E+00
 x :  1.5000000000E+00   0.0000000000E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
solution 2 :
t :  0.0000000000E+00   0.0000000000E+00
m : 1
the solution for t :
 y :  0.0000000000E+00   0.0000000000E+00
 x : -1.0000000000E+00   1.0000000000E-01
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
END
sed 's/^ x : -1.0.*/ x :  0.0   0.0/' "$dir/start" >"$dir/singular"
sed 's/ y :/ z :/' "$dir/start" >"$dir/other"
sed '8s/2.5000000000E+00/2.5q/' "$dir/start" >"$dir/broken"
printf 'THE SOLUTIONS :\n1 1\n====\nsolution 1 :\nt : 0.0 0.0\nm : 1\nthe solution for t :\n x : 1.5 0.25\n== err : 0 = rco : 1 = res : 0 ==\n' >"$dir/one"

root_d=1.414213562373
root_dd=1.4142135623730950488016887242
root_qd=1.41421356237309504880168872420969807856967187537694807317667

run "the default" 0 "$plumb" newton "$dir/s.phc" "$dir/start"
holds "the default" "2 of 2 solutions converged"
holds "the default" "x = ($root_d"
run "equations" 0 "$plumb" newton "$dir/start" -e 'x^2 = 2' -e 'y = x + 1'
holds "equations" "2 of 2 solutions converged"
refuse "equations and a system" "expected one of them" "$plumb" newton "$dir/s.phc" "$dir/start" -e 'x^2 = 2' -e 'y = x + 1'
refuse "equations without solutions" "argument SOLUTIONS is missing" "$plumb" newton -e 'x^2 = 2' -e 'y = x + 1'
run "in qd" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd
holds "in qd" "x = ($root_qd"
holds "in qd" "quadratic"
run "Jacobians in qd" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd --jacobian-precision qd
holds "Jacobians in qd" "x = ($root_qd"
run "refined" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --digits 25
holds "refined" "x = ($root_dd"
run "overdetermined" 0 "$plumb" newton "$dir/over.phc" "$dir/start" --digits 50
holds "overdetermined" "x = ($root_qd"
run "refined at most in dd" 1 "$plumb" newton "$dir/s.phc" "$dir/start" -p dd --digits 50
grep -q "2 of 2 solutions converged to fewer than the 50 digits wanted" "$dir/err" || fail "dd has 50 digits: $(cat "$dir/err")"
run "standard input" 0 sh -c "\"$plumb\" newton - \"$dir/start\" <\"$dir/s.phc\""
run "quiet" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --quiet
[ "$(head -1 "$dir/out")" = "solution 1" ] || fail "--quiet begins with $(head -1 "$dir/out")"

# JSON: corrections of every step, and nothing else on standard output.
run "JSON" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --json --digits 30
holds "JSON" '"converged": 2,'
holds "JSON" '"trace": [{"precision": "d", "jacobian_precision": "d",'
holds "JSON" '"quadratic": true'

# Files: multiplicity and t stay, the digits are there, and what was written is a start again, already converged.
run "to a file" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd -o "$dir/roots.sol"
[ "$(grep -c solution "$dir/out")" -eq 1 ] || fail "with -o solutions are shown: $(cat "$dir/out")"
grep -q "^ x :  $root_qd" "$dir/roots.sol" || fail "no root in: $(cat "$dir/roots.sol")"
grep -q "^m : 3" "$dir/roots.sol" || fail "the multiplicity is lost"
grep -q "^t :  1.0" "$dir/roots.sol" || fail "t is lost"
run "again" 0 "$plumb" newton "$dir/s.phc" "$dir/roots.sol" -p qd --max-steps 2 -o "$dir/roots.json"
grep -q '"solutions"' "$dir/roots.json" || fail "no JSON in: $(cat "$dir/roots.json")"
run "JSON again" 0 "$plumb" newton "$dir/s.phc" "$dir/roots.json" -p qd -o "$dir/third.sol"
run "to standard output" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd -o -
cmp -s "$dir/out" "$dir/roots.sol" || fail "-o - is not what a file gets"
run "one thread" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd --threads 1 -o -
cmp -s "$dir/out" "$dir/roots.sol" || fail "one thread gives other digits"
PLUMB_ISA=scalar run "scalar" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd -o -
cmp -s "$dir/out" "$dir/roots.sol" || fail "the scalar kernels differ"

# Many digits: numbers of any length in every form, and the file is a start again.
root_100=1.4142135623730950488016887242096980785696718753769480731766797379907324784621070388503875343276415727
run "100 digits" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --digits 100
holds "100 digits" "x = ($root_100"
holds "100 digits" "x = (-$root_100"
holds "100 digits" "2 of 2 solutions converged"
run "100 digits, overdetermined" 0 "$plumb" newton "$dir/over.phc" "$dir/start" --digits 100 --quiet
holds "100 digits, overdetermined" "x = ($root_100"
run "1,000 digits as JSON" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --digits 1000 --json
holds "1,000 digits as JSON" '"digits": 1000, "refined": "reached"'
holds "1,000 digits as JSON" "\"$root_100"
for form in phc json csv; do
    run "10,000 digits to a file" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --digits 10000 -o "$dir/long.$form"
    grep -q "$root_100" "$dir/long.$form" || fail "no digits in the .$form file"
    [ "$(tr -c 0-9 '\n' <"$dir/long.$form" | awk 'length > 9999' | wc -l)" -eq 4 ] || fail "not 4 long numbers in the .$form file"
done
run "one thread, many digits" 0 "$plumb" newton "$dir/s.phc" "$dir/start" --digits 10000 --threads 1 -o "$dir/long1.phc"
cmp -s "$dir/long.phc" "$dir/long1.phc" || fail "one thread gives other digits"
run "long numbers as a start" 0 "$plumb" newton "$dir/s.phc" "$dir/long.json" --digits 10000 -o "$dir/long1.phc"
for form in phc json; do
    run "long numbers as a start" 0 "$plumb" newton "$dir/s.phc" "$dir/long.$form" --digits 100 -q
    holds "long numbers as a start" "x = ($root_100"
done
run "a multiple root has no digits" 1 "$plumb" newton "$dir/multiple.phc" "$dir/one" --digits 100 -o "$dir/some.json"
grep -q "1 of 1 solution did not converge" "$dir/err" || fail "not counted: $(cat "$dir/err")"
holds "a multiple root has no digits" "singular"
grep -q '"digits": 0, "refined": "singular"' "$dir/some.json" || fail "refined: $(cat "$dir/some.json")"
for digits in 0 -1 10001 many 1e; do
    refuse "--digits $digits" "expected a number from 1 to 10000" "$plumb" newton "$dir/s.phc" "$dir/start" "--digits=$digits"
done
refuse "many digits in dd" "--digits 100 goes with -p auto" "$plumb" newton "$dir/s.phc" "$dir/start" -p dd --digits 100

# What does not converge: status 1, how many, and everything written all the same.
run "a singular point" 1 "$plumb" newton "$dir/s.phc" "$dir/singular" -p dd -o "$dir/some.sol"
grep -q "1 of 2 solutions did not converge" "$dir/err" || fail "not counted: $(cat "$dir/err")"
holds "a singular point" "the Jacobian is singular"
[ "$(grep -c '^solution' "$dir/some.sol")" -eq 2 ] || fail "not both solutions in: $(cat "$dir/some.sol")"
run "a multiple root" 1 "$plumb" newton "$dir/multiple.phc" "$dir/one" -p d --max-steps 100
holds "a multiple root" "slow"
run "few steps" 1 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd --max-steps 2
run "a tolerance" 0 "$plumb" newton "$dir/s.phc" "$dir/start" -p qd --max-steps 4 --tol 0.01

# Numbers are as long as their precision, also where a solution is exact but for a limb far below the last bit.
printf '2\nx^2 - y;\nx*y - 1;\n' >"$dir/exact.phc"
printf '{"unknowns": ["x", "y"], "solutions": [{"x": [["0.9", "0.1"], ["1.1", "0"]]}, {"x": [["-0.5", "0.8"], ["-0.6", "-0.8"]]}]}\n' >"$dir/exact.json"
run "short numbers" 0 "$plumb" newton "$dir/exact.phc" "$dir/exact.json" -p qd --json
longest=$(grep -oE '"-?[0-9.]+(e[-+]?[0-9]+)?"' "$dir/out" | awk '{ if (length > most) most = length } END { print most - 2 }')
[ "$longest" -le 75 ] || fail "a number of $longest characters in: $(cat "$dir/out")"

refuse "no system" "argument SYSTEM is missing" "$plumb" newton
refuse "no start" "argument SOLUTIONS is missing" "$plumb" newton "$dir/s.phc"
refuse "no such system" "could not be read" "$plumb" newton "$dir/nothing" "$dir/start"
refuse "no such start" "could not be read" "$plumb" newton "$dir/s.phc" "$dir/nothing"
refuse "a system as start" "s.phc:" "$plumb" newton "$dir/s.phc" "$dir/s.phc"
refuse "a bad number" "broken:8:" "$plumb" newton "$dir/s.phc" "$dir/broken"
refuse "other unknowns" "no unknown 'z'" "$plumb" newton "$dir/s.phc" "$dir/other"
refuse "too few unknowns" "solutions of 1 unknowns, expected 2" "$plumb" newton "$dir/s.phc" "$dir/one"
refuse "too few equations" "1 equations in 2 unknowns" "$plumb" newton "$dir/under.phc" "$dir/start"
refuse "bad precision" "d, dd, qd or auto" "$plumb" newton "$dir/s.phc" "$dir/start" -p td
refuse "bad Jacobian" "d, dd, qd or auto" "$plumb" newton "$dir/s.phc" "$dir/start" --jacobian-precision x
refuse "Jacobian above" "above -p d" "$plumb" newton "$dir/s.phc" "$dir/start" -p d --jacobian-precision qd
refuse "bad backend" "--backend" "$plumb" newton "$dir/s.phc" "$dir/start" --backend tpu
refuse "no steps" "--max-steps" "$plumb" newton "$dir/s.phc" "$dir/start" --max-steps 0
refuse "tolerance and digits" "without --digits" "$plumb" newton "$dir/s.phc" "$dir/start" --tol 1e-3 --digits 10
refuse "both from standard input" "standard input" "$plumb" newton - - </dev/null
refuse "JSON twice" "cannot both have standard output" "$plumb" newton "$dir/s.phc" "$dir/start" --json -o -

"$plumb" newton --help | grep -q "default: auto" || fail "--help does not show the default"

[ $failures -eq 0 ] && echo "plumb newton: all is well"
[ $failures -eq 0 ]
