#!/bin/sh
# status.sh - tests the exit statuses of all commands: 0 if what was asked for was reached, 1 if the work failed, missed its goal or
# could not be written, 2 for misuse and bad input; and one line of explanation unless it is 0.
#   status.sh PLUMB
set -u
plumb=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

# status WANTED ARGUMENTS...: the exit status of plumb, with one line on standard error unless it is 0.
status()
{
    wanted=$1
    shift
    "$plumb" "$@" >"$dir/out" 2>"$dir/err"
    found=$?
    lines=$(wc -l <"$dir/err")
    [ "$found" -eq "$wanted" ] && { [ "$found" -eq 0 ] || [ "$lines" -eq 1 ]; } && return
    echo "FAILED: plumb $*: status $found, expected $wanted; $lines lines: $(cat "$dir/err")" >&2
    failures=$((failures + 1))
}

cd "$dir" || exit 1
printf '1 2\n3 4\n' >regular.txt
printf '1 1\n1 1\n' >singular.txt
printf '1e-300 0\n0 1e300\n' >wide.txt
printf '1 1\n1 1.0000000000000002\n' >noise.txt
printf '1e300\n1e-300\n' >wide_b.txt
printf '1\n2\n' >b.txt
printf '1 nan\n3 4\n' >nan.txt
printf '1\nx^2 - 2;\n' >simple.phc
printf '1\nx^2 + 1;\n' >complex.phc
printf '1\nx^2 - 2*x + 1;\n' >double.phc
printf '2\nx + y - 1;\nx + y - 2;\n' >empty.phc
printf '2\nx^2 - ;\nx;\n' >broken.phc
cat >start.sol <<END
1 1
===========================================================================
solution 1 :
t :  1.0 0.0
m : 1
the solution for t :
 x :  1.4142  0.0
== err :  0 = rco :  1 = res :  0 =
END

status 0 lsq regular.txt b.txt
status 0 lsq regular.txt b.txt --digits 60
status 1 lsq singular.txt b.txt
status 1 lsq noise.txt b.txt -p d
status 1 lsq wide.txt wide_b.txt
status 1 lsq singular.txt b.txt --digits 5
status 2 lsq nan.txt b.txt
status 0 qr regular.txt
status 1 qr singular.txt
status 2 qr nan.txt
status 0 random -m 3
status 2 random
status 0 eval simple.phc --at x=3
status 1 eval simple.phc --at x=1e200
status 1 eval simple.phc --at x=1e200 --jacobian
status 2 eval simple.phc --at y=3
status 0 newton simple.phc start.sol
status 0 newton simple.phc start.sol --digits 60
status 0 newton simple.phc start.sol --digits 70
status 1 newton simple.phc start.sol -p dd --digits 50
status 2 newton simple.phc start.sol -p dd --digits 70
status 1 newton double.phc start.sol --digits 70
status 1 newton simple.phc start.sol -p d --max-steps 1
status 1 newton double.phc start.sol
status 1 newton complex.phc start.sol -p d
status 2 newton broken.phc start.sol
status 0 solve simple.phc
status 0 solve empty.phc
status 2 solve broken.phc
status 0 track simple.phc
status 0 track empty.phc
status 1 track simple.phc --max-steps 1
status 2 track broken.phc
certified=0
if "$plumb" info | grep -q '^certificates  none'; then
    certified=1
fi
status $certified certify simple.phc start.sol
status 1 certify double.phc start.sol
status 2 certify broken.phc start.sol
status 0 system show simple.phc
status 0 system convert simple.phc
status 0 system random -n 2 --monomials 2 --variables 2 --degree 2
status 0 system family katsura 3
status 0 system start simple.phc
status 2 system show broken.phc
status 2 system convert broken.phc
status 2 system family nobody 3
status 2 system start broken.phc
status 0 info
status 0 demo
status 0 completion bash
status 2 completion nothing
status 2 nothing

# An output that cannot be written is not reached, whatever the command.
if [ -w /dev/full ]; then
    while read -r words; do
        # shellcheck disable=SC2086
        "$plumb" $words >/dev/full 2>err
        if [ $? -ne 1 ] || [ "$(wc -l <err)" -ne 1 ]; then
            echo "FAILED: plumb $words >/dev/full: $(cat err)" >&2
            failures=$((failures + 1))
        fi
    done <<END
lsq regular.txt b.txt
qr regular.txt
random -m 3
eval simple.phc --at x=3
newton simple.phc start.sol
solve simple.phc
track simple.phc
certify simple.phc start.sol
system show simple.phc
system convert simple.phc
system random -n 2 --monomials 2 --variables 2 --degree 2
system family katsura 3
system start simple.phc
info
demo
completion bash
--help
--version
END
fi

[ $failures -eq 0 ] && echo "exit statuses: all is well"
[ $failures -eq 0 ]
