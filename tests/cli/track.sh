#!/bin/sh
# track.sh - tests plumb track: systems with known solutions, what it writes and draws, its messages when a path
# fails, and one line with status 2, and nothing written, for invalid input.
#   track.sh PLUMB TRACK_FILES EXAMPLES
set -u
plumb=$1 files=$2 examples=$3
. "$(dirname "$0")/checks.sh"
cd "$dir" || exit 1

# holds NAME FILE LINE: the file has the line.
holds()
{
    grep -qxF -- "$3" "$2" || fail "$1: no line '$3' in: $(head -30 "$2")"
}

# Solutions (1, 2), (2, 1), (-1, -2), (-2, -1).
cat >target.phc <<'END'
2
 x^2 + y^2 - 5;
 x*y - 2;
END
cat >start.phc <<'END'
2
 y^2 - 1;
 x^2 - 1;
END
cat >start.sol <<'END'
THE SOLUTIONS :
4 2
===========================================================
solution 1 :
t :  0.0E+00   0.0E+00
m : 1
the solution for t :
 y :  1.0E+00   0.0E+00
 x :  1.0E+00   0.0E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
solution 2 :
t :  0.0E+00   0.0E+00
m : 1
the solution for t :
 y : -1.0000000001E+00   0.0E+00
 x :  1.0E+00   0.0E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
solution 3 :
t :  0.0E+00   0.0E+00
m : 1
the solution for t :
 y :  1.0E+00   0.0E+00
 x : -1.0E+00   0.0E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
solution 4 :
t :  0.0E+00   0.0E+00
m : 1
the solution for t :
 y : -1.0E+00   0.0E+00
 x : -1.0E+00   0.0E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
END

# ---- It finds the solutions, in every precision ---------------------------------------------------------------------
for prec in d dd qd auto; do
    run "total degree in $prec" 0 "$plumb" track target.phc -p $prec -o found.sol
    holds "four of them in $prec" found.sol "4 2"
    grep -q "success  *4" out || fail "the table in $prec: $(cat out)"
    [ ! -s err ] || fail "something on stderr that is no terminal: $(cat err)"
    [ "$(grep -c '^m : 1$' found.sol)" -eq 4 ] || fail "four different ones in $prec: $(grep '^m' found.sol)"
    # x^2 and y^2 are 1 and 4: seen in the first digits.
    sed -n 's/^ x : *//p' found.sol | while read -r re im; do printf '%.6f ' "$re" && printf '%.6f\n' "$im"; done |
        tr -d - | sort >values
    printf '%s\n' '1.000000 0.000000' '1.000000 0.000000' '2.000000 0.000000' '2.000000 0.000000' >expected
    cmp -s values expected || fail "the values of x in $prec: $(cat values)"
    limbs=$prec
    [ $prec != auto ] || limbs=$(sed -n '4s/.*, //p' found.sol)
    [ $prec = auto ] || "$files" solutions found.sol $limbs || fail "numbers of the solutions in $prec"
done
run "a file" 0 "$plumb" track target.phc -o found.sol
run "equations" 0 "$plumb" track -e 'x^2 + y^2 = 5' -e 'x*y = 2' -o equations.sol
cmp -s found.sol equations.sol || fail "equations lead to other solutions than the file"
refuse "equations and a log" "exclude each other; found 'x'" "$plumb" track -e x --from-log x.jsonl --plot x.svg
run "given start" 0 "$plumb" track target.phc --start start.phc --start-solutions start.sol -o given.sol
holds "four of a given start" given.sol "4 2"
run "start system of its own making" 0 "$plumb" system start target.phc -o made.phc --solutions made.sol
run "from that" 0 "$plumb" track target.phc --start made.phc --start-solutions made.sol --quiet -o a.sol
run "its solutions made again" 0 "$plumb" track target.phc --start made.phc --quiet -o b.sol
[ "$(grep -c success b.sol)" -eq 4 ] || fail "solutions of a given start system are not made"
run "affine, gamma" 0 "$plumb" track target.phc --affine --gamma 0.6,0.8 --quiet -o c.sol
holds "four of them, affine" c.sol "4 2"

run "as JSON" 0 "$plumb" track target.phc --seed 3 -q -o a.json
run "as CSV" 0 "$plumb" track target.phc --seed 3 -q -oa.csv
run "in PHCpack's form" 0 "$plumb" track target.phc --seed=3 -q --output=a.sol
"$plumb" newton target.phc a.json -p qd -o from_json.phc -q && "$plumb" newton target.phc a.sol -p qd -o from_phc.phc -q &&
    cmp -s from_json.phc from_phc.phc || fail "JSON and PHCpack's form hold different solutions"
[ "$(head -1 a.csv)" = "number,multiplicity,t.re,t.im,error,rcond,residual,x.re,x.im,y.re,y.im" ] || fail "the header of a.csv"
[ "$(wc -l <a.csv)" -eq 5 ] || fail "not four solutions in a.csv"

# ---- Ends that are special ---------------------------------------------------------------------------------------------
printf '2\n (x - 1)^4 + 0*y;\n y^2 - x - 3;\n' >quadruple.phc
run "fourfold ends" 0 "$plumb" track quadruple.phc -o four.sol
grep -q "singular endpoint  *8   winding number 4: 8" out || fail "winding numbers: $(cat out)"
[ "$(grep -c '^m : 4$' four.sol)" -eq 8 ] || fail "multiplicities: $(grep '^m' four.sol)"
printf '2\n x^2;\n y^2;\n' >origin.phc
run "a fourfold point at the origin" 0 "$plumb" track origin.phc -o origin.sol
grep -q "distinct endpoints  *1$" out || fail "distinct endpoints: $(cat out)"
[ "$(grep -c '^m : 4$' origin.sol)" -eq 4 ] || fail "multiplicities: $(grep '^m' origin.sol)"
printf '2\n x*y;\n x^2 - x;\n' >line.phc
run "a line and a point" 0 "$plumb" track line.phc -o line.csv --path-log line.jsonl
grep -q "not isolated  *3$" out || fail "three on the line: $(cat out)"
[ "$(grep -c '"code": "not isolated"' line.jsonl)" -eq 3 ] || fail "the log does not say so"
[ "$(wc -l <line.csv)" -eq 5 ] || fail "not four solutions in line.csv"
run "their numbers as JSON" 0 "$plumb" track line.phc --json
grep -q '"not isolated": 3' out && grep -q '"distinct_ends": 4' out || fail "JSON: $(cat out)"
printf '2\n x^2 - 1;\n x*y - y - 1;\n' >away.phc
run "ends at infinity" 0 "$plumb" track away.phc -o away.sol
grep -q "at infinity  *3" out || fail "three at infinity: $(cat out)"
holds "one that is not" away.sol "1 2"
run "they are written too" 0 "$plumb" track away.phc -o away.sol --all --quiet
holds "all of them" away.sol "4 2"
sed -e '2s/4/5/' -e '/^solution 4/,$d' start.sol >twice.sol
sed -n '/^solution 3/,/^== err/p; /^solution 4/,$p' start.sol >>twice.sol
run "the same start twice" 0 "$plumb" track target.phc --start start.phc --start-solutions twice.sol -o twice2.sol
grep -q "tracked again with shorter steps  *2" out || fail "equal ends are not tracked again: $(cat out)"
[ "$(grep -c '^m : 2$' twice2.sol)" -eq 2 ] || fail "equal ends are not counted: $(grep '^m' twice2.sol)"

# ---- Unknowns of other sizes: (10^8, 10^-8), (2 10^8, 5 10^-9) ---------------------------------------------------------
printf '2\n x^2 - 3e8*x + 2e16;\n x*y - 1;\n' >far.phc
run "large and small" 0 "$plumb" track far.phc -o far.sol --path-log far.jsonl
grep -q "success  *2" out && grep -q "unknowns scaled by  *2^-2[5-9] to 2^2[5-9]$" out || fail "large and small: $(cat out)"
sed -n 's/^ [xy] : *//p' far.sol | while read -r re im; do printf '%.6e\n' "$re"; done | sort >values
printf '%s\n' 1.000000e+08 1.000000e-08 2.000000e+08 5.000000e-09 >expected
cmp -s values expected || fail "large and small: $(cat values)"
"$files" log far.jsonl >counts || fail "the path log of scaled unknowns"
run "its start" 0 "$plumb" system start far.phc -o near.phc --solutions near.sol
run "from its start" 0 "$plumb" track far.phc --start near.phc --start-solutions near.sol -o again.sol --json
cmp -s far.sol again.sol || fail "a start system made before gives something else"
grep -q '"scales"' out || fail "no scales in the JSON"
sed 's/^ x : *\([^ ]*\)E+08/ x : \1E+09/; s/^ x : *\([^ ]*\)E+07/ x : \1E+08/' near.sol >wrong.sol
refuse "ten times too large" "wrong.sol: solution 1 does not satisfy" "$plumb" track far.phc --start near.phc --start-solutions wrong.sol
run "not scaled" 0 "$plumb" system start far.phc --no-scale
cp out plain.phc
printf '2\n x^2 - 3*x + 2;\n x*y - 1;\n' >unit.phc
run "of the same degrees" 0 "$plumb" system start unit.phc
cmp -s out plain.phc || fail "--no-scale does not give the plain start system"
run "tracked unscaled" 0 "$plumb" track far.phc --no-scale
! grep -q "scaled by" out || fail "--no-scale scales"

# ---- The same bits ----------------------------------------------------------------------------------------------------
run "one thread" 0 "$plumb" track target.phc --threads 1 --quiet -o one.sol
run "two threads" 0 "$plumb" track target.phc --threads 2 --quiet -o two.sol
cmp -s one.sol two.sol || fail "one and two threads differ"
[ ! -s out ] && [ ! -s err ] || fail "--quiet is not"
run "a seed" 0 "$plumb" track target.phc --seed 2 --quiet -o two.sol
! cmp -s one.sol two.sol || fail "another seed, the same bits"
run "one path" 0 "$plumb" track target.phc --paths 3 --quiet -o alone.sol
sed '1,/^solution 1/d; /^====/d' alone.sol >alone
sed '1,/^solution 3/d; /^solution 4/,$d' one.sol >third
cmp -s alone third || fail "path 3 alone is another one"
run "solutions on standard output" 0 "$plumb" track target.phc -o -
cmp -s out one.sol || fail "standard output has something else"
ls *.journal >/dev/null 2>&1 && fail "a journal is left over"

# ---- What it writes ---------------------------------------------------------------------------------------------------
run "a log" 0 "$plumb" track target.phc -p dd --path-log log.jsonl --json
"$files" log log.jsonl >counts || fail "the path log"
grep -q " 4 records" counts || fail "records of the log: $(cat counts)"
"$files" json out || fail "the JSON"
holds "JSON counts" out '    "success": 4,'
holds "JSON says how many" out '  "path_count": 4,'
if command -v gnuplot >/dev/null; then
    run "a picture" 0 "$plumb" track target.phc --plot "it's.svg" --quiet
    run "a picture of a log" 0 "$plumb" track --plot log.svg --from-log log.jsonl
    for svg in "it's.svg" log.svg; do
        head -c 200 "$svg" | grep -q '<?xml' && tail -c 20 "$svg" | grep -q '</svg>' || fail "$svg is no SVG"
        ! command -v xmllint >/dev/null || xmllint --noout "$svg" || fail "$svg is not well-formed"
        for word in regular start end re im 'step size' precision; do
            grep -q ">.*$word" "$svg" || fail "$svg has no '$word'"
        done
    done
    refuse "a log that is none" "target.phc:1" "$plumb" track --plot no.svg --from-log target.phc
    refuse "no log" "could not be read" "$plumb" track --plot no.svg --from-log nothing
else
    echo "skipped: --plot, because gnuplot is not installed"
fi
run "no gnuplot" 1 env PATH=/nowhere "$plumb" track target.phc --plot no.svg -o no.sol
grep -q "needs gnuplot" err || fail "no gnuplot: $(cat err)"
ls no.* >/dev/null 2>&1 && fail "something written without gnuplot"

# ---- The largest root ----------------------------------------------------------------------------------------------------
large="-e x*y=1 -e 1e-36*x^2+y=2 --no-scale" # one root of size 1, two of size 10^18, one at infinity
run "roots of size 10^18" 0 "$plumb" track $large -o large.sol
holds "roots of size 10^18" large.sol "3 2"
run "up to 10^15" 0 "$plumb" track $large --largest 1e15 --json
holds "roots up to 10^15" out '    "success": 1,'
holds "beyond 10^15" out '    "beyond the largest size": 2'
run "up to 10^20" 0 "$plumb" track $large --largest 1e20 -o large.sol
holds "up to 10^20" large.sol "3 2"
run "all paths are accounted for" 0 "$plumb" track $large --largest 1e20 --json
holds "roots up to 10^20" out '    "success": 3,'
holds "beyond 10^20" out '    "at infinity": 1,'
for value in 99 1e101 0 -1e20 nan inf x; do
    refuse "--largest $value" "--largest: found '$value', expected a number from 100 to 1e+100" "$plumb" track $large \
        --largest $value -o no.sol
done

# ---- Paths that fail, and say why -------------------------------------------------------------------------------------
run "few steps" 1 "$plumb" track target.phc --max-steps 1 -o few.sol
grep -q "path 1: too many steps: 1 took it to t = " out || fail "a reason: $(cat out)"
holds "no solution" few.sol "0 2"
run "all ends" 1 "$plumb" track target.phc --max-steps 1 -o few.sol --all --quiet
holds "all four" few.sol "4 2"
crossing="$examples/crossing/target.phc --start $examples/crossing/start.phc --start-solutions $examples/crossing/start.sol"
for prec in d dd; do
    run "needs qd, tried in $prec" 1 "$plumb" track $crossing --affine --gamma 1,0 -p $prec
    grep -q "path 1: precision exhausted at t = 0.5.*$prec has too few digits" out || fail "no reason in $prec: $(cat out)"
done
run "needs qd and gets it" 0 "$plumb" track $crossing --affine --gamma 1,0 -p qd -o qd.sol
grep -q '^ x : -3.94172049485264' qd.sol || fail "the wrong end: $(cat qd.sol)"

# ---- What makes no sense ----------------------------------------------------------------------------------------------
sed 's/-1.0000000001E/-1.001E/' start.sol >wrong.sol
refuse "not a solution" "wrong.sol: solution 2 does not satisfy" "$plumb" track target.phc --start start.phc \
    --start-solutions wrong.sol -o no.sol --path-log no.jsonl
sed 's/^ y : -1.0000000001E+00/ y : nan/' start.sol >nan.sol
refuse "not a number" "solution 2 is not finite" "$plumb" track target.phc --start start.phc --start-solutions nan.sol
sed 's/^ y/ z/' start.sol >names.sol
refuse "other names" "no unknown 'z'" "$plumb" track target.phc --start start.phc --start-solutions names.sol -o no.sol
printf '2\n x^2 - 1;\n y^2;\n' >double.phc
sed 's/^ y : .*/ y : 0.0 0.0/' start.sol >double.sol
refuse "singular start" "solution 1 is singular" "$plumb" track target.phc --start double.phc --start-solutions double.sol
printf '3\n x^2 - 1;\n y^2 - 1;\n z - 1;\n' >three.phc
printf '2\n x^2 - 1;\n z^2 - 1;\n' >part.phc
refuse "names shared in part" "shares the unknown x with the target, but not z" "$plumb" track target.phc --start part.phc \
    --start-solutions start.sol -o no.sol
printf '2\n x^2 - 1;\n y^2;\n' >zero.phc
refuse "no constant" "equation 2 has no constant term" "$plumb" track target.phc --start zero.phc -o no.sol
refuse "three unknowns" "3" "$plumb" track target.phc --start three.phc --start-solutions start.sol -o no.sol
refuse "two unknowns for three" "solutions of 2 unknowns" "$plumb" track three.phc --start three.phc --start-solutions start.sol
printf '1 2\n x + y;\n' >wide.phc
refuse "no start system" "--start gives another" "$plumb" track wide.phc -o no.sol
printf '2\n x*y - 1;\n x + y;\n' >nostart.phc
refuse "no start solutions" "--start-solutions is missing" "$plumb" track target.phc --start nostart.phc
refuse "no system" "argument SYSTEM is missing" "$plumb" track
refuse "solutions alone" "--start-solutions needs --start" "$plumb" track target.phc --start-solutions start.sol
refuse "bad precision" "expected d, dd, qd or auto" "$plumb" track target.phc -p td
refuse "bad gamma" "expected RE,IM" "$plumb" track target.phc --gamma 1
refuse "no gamma" "not both zero" "$plumb" track target.phc --gamma 0,0
refuse "bad paths" "counted from 1" "$plumb" track target.phc --paths 0-2
refuse "too many paths" "numbers up to 4" "$plumb" track target.phc --paths 2-5
refuse "bad backend" "auto, cpu or gpu" "$plumb" track target.phc --backend tpu
refuse "two on standard input" "standard input" "$plumb" track - --start - --start-solutions start.sol
refuse "no such format" "expected a name that ends in .phc, .sol, .json or .csv" "$plumb" track target.phc -o no.txt
refuse "a plot that is no SVG" "ends in .svg" "$plumb" track target.phc --plot no.png
refuse "a log of another name" "ends in .jsonl" "$plumb" track target.phc --path-log no.log
refuse "two systems" "unexpected argument 'start.phc'" "$plumb" track target.phc start.phc
refuse "the old way" "unknown option '--target'" "$plumb" track --target=target.phc
refuse "resume nothing" "--resume needs -o" "$plumb" track target.phc --resume
refuse "a malformed target" "bad.phc:2" sh -c "echo 'x +' >bad.phc; \"$plumb\" track bad.phc -o no.sol"
refuse "no such file" "could not be read" "$plumb" track nothing.phc
ls no.* >/dev/null 2>&1 && fail "something was written: $(ls no.*)"

# A path to infinity is recognised by a trial far ahead, also where the terms of high degree there would be too small for a double.
"$plumb" system family cyclic 7 -o cyclic7.phc >/dev/null || fail "cyclic7 is not made"
for path in 235 242 299 352 392; do
    "$plumb" track cyclic7.phc --paths $path-$path --backend cpu --json >one.json || fail "path $path of cyclic7 fails"
    grep -qF '"at infinity": 1' one.json || fail "path $path of cyclic7 does not end at infinity"
    grep -qF '"qd": 0' one.json || fail "path $path of cyclic7 needs qd"
done

"$plumb" track --help >help || fail "--help fails"
for default in "auto)" "10000" "0.6" "16" "default: 2"; do
    grep -qF -- "$default" help || fail "--help does not show the default $default"
done

[ $failures -eq 0 ] && echo "plumb track: all is well"
[ $failures -eq 0 ]
