#!/bin/sh
# cli.sh PLUMB - the manners of the program: help on stdout with status 0, misuse in one line on stderr with status 2.
plumb=$1
out=$(mktemp)
err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
failures=0
unset PLUMB_ISA

complain() {
    echo "FAILED: $*" >&2
    cat "$out" "$err" >&2
    failures=$((failures + 1))
}

# good TEXT ARGUMENTS...: status 0, TEXT on stdout, nothing on stderr.
good() {
    text=$1
    shift
    "$plumb" "$@" >"$out" 2>"$err"
    status=$?
    if [ $status -ne 0 ] || [ -s "$err" ] || ! grep -q -e "$text" "$out"; then
        complain "plumb $*: status $status, expected 0 and '$text'"
    fi
}

# misuse TEXT ARGUMENTS...: status 2, one line with TEXT on stderr, nothing on stdout.
misuse() {
    text=$1
    shift
    "$plumb" "$@" >"$out" 2>"$err"
    status=$?
    if [ $status -ne 2 ] || [ -s "$out" ] || [ "$(wc -l <"$err")" -ne 1 ] || ! grep -q -e "$text" "$err"; then
        complain "plumb $*: status $status, expected 2 and one line '$text'"
    fi
}

good '^plumb [0-9]*\.[0-9]*\.[0-9]*$' --version
good '^usage: plumb COMMAND' --help
good '^usage: plumb COMMAND' help
for command in info bench demo; do
    good "^usage: plumb $command" $command --help
    good "^usage: plumb $command" help $command
done
good 'default' info --help
good '^precisions *d, dd, qd$' info
good '"isa": "' info --json
misuse 'no command' # nothing at all
misuse "no command 'nonsense'" nonsense
misuse "no option '--nonsense'" --nonsense
misuse "no command 'nonsense'" help nonsense
misuse "unexpected argument 'more'" --version more
misuse "unexpected argument 'more'" help info more
misuse "'--nonsense'" info --nonsense

PLUMB_ISA=scalar
export PLUMB_ISA
good '"isa": "scalar"' info --json
PLUMB_ISA=abacus
misuse "PLUMB_ISA: 'abacus'.*available: scalar" info
unset PLUMB_ISA

"$plumb" --help >/dev/full 2>"$err"
status=$?
[ $status -eq 1 ] || complain "plumb --help on a full disk: status $status, expected 1"
exit $((failures > 0))
