#!/bin/sh
# eval.sh - tests plumb eval: values and Jacobians that can be checked by hand, numbers that read back, points
# from the command line and from files, and one line with status 2 for invalid input.
#   eval.sh PLUMB
set -u
plumb=$1
. "$(dirname "$0")/checks.sh"

# expect NAME WANTED COMMAND...: the output holds the line.
expect()
{
    name=$1 wanted=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" || fail "$name: status $?, $(cat "$dir/err")"
    grep -qxF -- "$wanted" "$dir/out" || fail "$name: no line '$wanted' in: $(cat "$dir/out")"
}

cat >"$dir/s.phc" <<'END'
2
 x^2*y - 3;
 (1 + i)*x - y^3;
END
cat >"$dir/large.phc" <<'END'
1
 1e400*x;
END

for prec in d dd qd; do
    expect "value in $prec" "f1 = (9 + 0*i)" "$plumb" eval "$dir/s.phc" --at x=2,y=3 -p $prec
    expect "complex value in $prec" "f2 = (-25 + 2*i)" "$plumb" eval "$dir/s.phc" --at 'x=2, y=3' -p $prec
    expect "derivative in $prec" "df1/dx = (12 + 0*i)" "$plumb" eval "$dir/s.phc" --at x=2,y=3 --jacobian -p $prec
    expect "complex derivative in $prec" "df2/dx = (1 + 1*i)" "$plumb" eval "$dir/s.phc" --at 'y=3,x=(2-i)' --jacobian -p $prec
done
expect "the default is qd" '  "precision": "qd",' "$plumb" eval "$dir/s.phc" --random --json
expect "JSON names the precision" '  "precision": "dd",' "$plumb" eval "$dir/s.phc" --at x=2,y=3 -p dd --json
expect "JSON values" '    {"x": [["2", "0"], ["3", "0"]], "values": [["9", "0"], ["-25", "2"]]}' "$plumb" eval "$dir/s.phc" --at x=2,y=3 --json
expect "JSON has its schema" '  "schema": "plumb/1",' "$plumb" eval "$dir/s.phc" --at x=2,y=3 --json
"$plumb" eval "$dir/s.phc" --at=x=2,y=3 --json --jacobian | grep -qF '"jacobian": [[["12", "0"], ["4", "0"]], [["1", "1"], ["-27", "0"]]]' || fail "JSON jacobian"
expect "from standard input" "f1 = (9 + 0*i)" sh -c "\"$plumb\" eval - --at x=2,y=3 <\"$dir/s.phc\""

# A seed means one point; another seed another one; and a lower precision the same one rounded.
"$plumb" eval "$dir/s.phc" --random --jacobian >"$dir/a"
"$plumb" eval "$dir/s.phc" --random --jacobian --seed 1 >"$dir/b"
"$plumb" eval "$dir/s.phc" --random --jacobian --seed 2 >"$dir/c"
cmp -s "$dir/a" "$dir/b" || fail "seed 1 is not the default"
! cmp -s "$dir/a" "$dir/c" || fail "seed 2 gives the point of seed 1"
PLUMB_ISA=scalar "$plumb" eval "$dir/s.phc" --random --jacobian >"$dir/b"
cmp -s "$dir/a" "$dir/b" || fail "the scalar kernels differ"

# What was printed reads back: evaluating at the printed point gives the same values.
x=$(sed -n 's/^x = //p' "$dir/a") y=$(sed -n 's/^y = //p' "$dir/a")
"$plumb" eval "$dir/s.phc" --at "x=$x,y=$y" --jacobian >"$dir/b" || fail "the printed point is refused"
cmp -s "$dir/a" "$dir/b" || fail "the printed point is another one"

# A file of solutions: every one of them, by name.
cat >"$dir/solutions" <<'END'
THE SOLUTIONS :
2 2
===========================================================
solution 1 :
t :  0.0000000000E+00   0.0000000000E+00
m : 1
the solution for t :
 y :  3.0000000000E+00   0.0000000000E+00
 x :  2.0000000000E+00   0.0000000000E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
solution 2 :
t :  0.0000000000E+00   0.0000000000E+00
m : 1
the solution for t :
 y :  0.0000000000E+00   0.0000000000E+00
 x :  0.0000000000E+00   0.0000000000E+00
== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==
END
expect "first of a file" "f1 = (9 + 0*i)" "$plumb" eval "$dir/s.phc" --at "$dir/solutions"
expect "second of a file" "f1 = (-3 + 0*i)" "$plumb" eval "$dir/s.phc" --at "$dir/solutions"
expect "a file as JSON" '  "points": [' "$plumb" eval "$dir/s.phc" --at "$dir/solutions" --json

expect "equations" "f2 = (1 + 0*i)" "$plumb" eval -e 'x^2 + y^2 = 5' -e 'x*y = 2 - x' --at x=1,y=2
refuse "bad equation" "-e 'x^2 + = 5', column 7: found '='" "$plumb" eval -e 'x^2 + = 5' --random
refuse "no system" "argument SYSTEM is missing" "$plumb" eval --random
refuse "no point" "--at POINT or --random" "$plumb" eval "$dir/s.phc"
refuse "two points" "exclude each other" "$plumb" eval "$dir/s.phc" --random --at x=1,y=2
refuse "unknown unknown" "no unknown 'z'" "$plumb" eval "$dir/s.phc" --at x=1,z=2
refuse "missing unknown" "no value for y" "$plumb" eval "$dir/s.phc" --at x=1
refuse "given twice" "two values for x" "$plumb" eval "$dir/s.phc" --at x=1,y=2,x=1
refuse "no number" "expected a number" "$plumb" eval "$dir/s.phc" --at x=,y=2
refuse "bad number" "--at: y" "$plumb" eval "$dir/s.phc" --at x=1,y=2z
refuse "no such file" "could not be read" "$plumb" eval "$dir/nothing" --random
refuse "no such points" "could not be read" "$plumb" eval "$dir/s.phc" --at "$dir/nothing"
refuse "a system as points" "s.phc:" "$plumb" eval "$dir/s.phc" --at "$dir/s.phc"
refuse "bad precision" "d, dd or qd" "$plumb" eval "$dir/s.phc" --random -p td
refuse "bad option" "unknown option" "$plumb" eval "$dir/s.phc" --random --fast
refuse "a coefficient too large" "beyond the largest double" "$plumb" eval "$dir/large.phc" --random
refuse "both from standard input" "standard input" "$plumb" eval - --at - </dev/null

# What overflows is shown, but it is not what was asked for.
printf '1\nx^2 - 1;\n' >"$dir/square.phc"
for more in "" "--jacobian" "--json"; do
    # shellcheck disable=SC2086
    "$plumb" eval "$dir/square.phc" --at x=1e200 $more >"$dir/out" 2>"$dir/err"
    if [ $? -ne 1 ] || ! grep -q "values at 1 of 1 point are out of the range" "$dir/err" || ! [ -s "$dir/out" ]; then
        fail "an overflow $more"
    fi
done
"$plumb" eval "$dir/square.phc" --at x=1e100 >/dev/null || fail "a large value"

"$plumb" eval --help | grep -q "default: qd" || fail "--help does not show the default"

[ $failures -eq 0 ] && echo "plumb eval: all is well"
[ $failures -eq 0 ]
