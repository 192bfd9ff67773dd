# expect.sh - what tests of a command share; to be sourced, with plumb and command ("solve", or empty) set. Makes an empty folder for the test
# and goes there. A test ends with `[ "$failures" -eq 0 ]`.
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
failures=0
unset PLUMB_ISA
: >out
: >err

complain() {
    echo "FAILED: $*" >&2
    cat out err >&2
    failures=$((failures + 1))
}

# run STATUS ARGUMENTS...: the command has this status.
run() {
    wanted=$1
    shift
    "$plumb" $command "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || complain "plumb $command $*: status $status, expected $wanted"
}

# says TEXT: standard output has a line that matches. warns: standard error, which has one line.
says() {
    grep -q -e "$1" out || complain "standard output does not say '$1'"
}
warns() {
    grep -q -e "$1" err || complain "standard error does not say '$1'"
    [ "$(wc -l <err)" -eq 1 ] || complain "expected one line on standard error"
}
