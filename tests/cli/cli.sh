#!/bin/sh
# cli.sh PLUMB MAN - the grammar of the program: help on stdout with status 0, misuse in one line on stderr with status 2, the
# same options everywhere, and every one of them in the man page MAN.
plumb=$1
man=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
out=$here/stdout
err=$here/stderr
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
# in groups; every command stands below a heading
"$plumb" help | awk '/^[a-z].*:$/ { heading = $0 } /^options:/ { exit } /^  [a-z]/ { if (heading == "") print; n[heading]++ }
    END { if (n["polynomial systems:"] < 7 || n["matrices:"] < 3 || n["the program itself:"] < 4) print "headings" }' >"$out"
[ ! -s "$out" ] || complain "the groups of plumb help: $(cat "$out")"
good '^usage: plumb-bench COMMAND' bench --help
good '^usage: plumb-bench COMMAND' help bench
good '^precisions *d, dd, qd$' info
good '"isa": "' info --json
misuse 'the command is missing' # nothing at all
misuse "unknown command 'nonsense'" nonsense
misuse "unknown option '--nonsense'" --nonsense
misuse "unknown command 'nonsense'" help nonsense
misuse "unexpected argument 'more'" --version more
misuse "unexpected argument 'more'" help info more
misuse "'--nonsense'" info --nonsense
misuse 'expected a whole number from 1 to 1024' track -t 1025 f.phc # as many as a context takes


# ---- one grammar: every command has the same standard options, and help that names every option of its table
"$plumb" completion options >options || complain "no list of options"
cut -f1 options | sort -u >commands
while read -r command; do
    [ "$command" = bench ] && continue
    good "^usage: plumb $command" $command --help
    good "^usage: plumb $command" $command nonsense --nonsense -h
    good "^usage: plumb $command" help $command
    good '^plumb [0-9]' $command -V
    misuse "unknown option '--nonsense'; 'plumb $command --help' lists the options" $command --nonsense
    misuse "did you mean '--version'" $command --verson
    "$plumb" $command --help >"$out"
    awk -F '\t' -v c="$command" '$1 == c { print $3 }' options | while read -r name; do
        grep -q -e "$name" "$out" || echo "plumb $command --help lacks $name"
    done >"$err"
    [ ! -s "$err" ] || complain "help of $command"
done <commands
# The same name has the same letter everywhere, and the same letter the same name; -n is a size.
awk -F '\t' '$2 != "-" && $2 != "-n" { if (name[$2] != "" && name[$2] != $3) print $2; name[$2] = $3 }
    { if (seen[$3] && letter[$3] != $2) print $3; seen[$3] = 1; letter[$3] = $2 }' options >"$out"
[ ! -s "$out" ] || complain "options whose names and letters differ between commands: $(cat "$out")"
for pair in 'precision -p' 'threads -t' 'output -o' 'quiet -q' 'help -h' 'version -V'; do
    set -- $pair
    grep -q -e "	$2	--$1	" options || complain "no option has the names $2 and --$1"
done

# ---- spelling: --name=value, -xvalue, joined flags, "--", and what was meant
good '^2 2$' random --rows=2
good '^2 3$' random -m2 -n3
good '^2 3$' random -m 2 --columns 3 --seed=18446744073709551615
misuse "did you mean '--seed'" random -m 2 --sede 3
misuse "did you mean '--seed'" random -m 2 --see=3
misuse "did you mean '--rows'" random --row 2
misuse "did you mean 'plumb track'" trakc
misuse "did you mean 'plumb lsq'" lqs
misuse "did you mean 'plumb newton'" help newtn
misuse "unknown option '-x'" random -m 2 -x
misuse '\-\-json takes no value' info --json=yes
misuse 'needs a value (N)' random -m
misuse "expected a whole number below 2^64" random -m 2 --seed 18446744073709551616
misuse "an empty name" random -m 2 -o ''
misuse 'could not be read' lsq -- --no-such-file b
misuse "the argument b is missing; usage: plumb lsq A b" lsq -- --json

# ---- completions are made from the same tables
"$plumb" completion bash >complete.bash && bash -n complete.bash || complain "bash completion"
if command -v bash >/dev/null; then
    bash -c '. ./complete.bash
        ask() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _plumb; echo "${COMPREPLY[*]}"; }
        ask plumb ls; ask plumb lsq --cov; ask plumb lsq --precision q; ask plumb system st; ask plumb system start --lim
        ask plumb track -p au' >"$out" 2>"$err"
    printf '%s\n' lsq --covariance qd start --limit auto >wanted
    cmp -s "$out" wanted || complain "bash completes something else"
fi
"$plumb" completion zsh >complete.zsh || complain "zsh completion"
"$plumb" completion fish >complete.fish || complain "fish completion"
! command -v zsh >/dev/null || zsh -n complete.zsh || complain "zsh completion is no zsh"
! command -v fish >/dev/null || fish -n complete.fish || complain "fish completion is no fish"
for shell in bash zsh fish; do
    for name in $(cut -f3 options | sort -u | sed 's/^--//'); do
        grep -q -e "$name" complete.$shell || echo "$shell: $name"
    done
done >"$out"
[ ! -s "$out" ] || complain "completions that lack options"
misuse "found 'tcsh', expected bash" completion tcsh

# ---- the man page has every command and every option of it, in its own section
while IFS='	' read -r command letter name value; do
    case $name in --help | --version) continue ;; esac
    sed -e 's/\\-/-/g' "$man" | awk -v c=".SS plumb $command" '$0 == c { on = 1; next } /^\.S[SH]/ { on = 0 } on' >section
    grep -q -e "$name" section || echo "plumb $command $name"
    [ "$letter" = - ] || grep -q -e "$letter" section || echo "plumb $command $letter"
done <options >"$out"
[ ! -s "$out" ] || complain "options that the man page lacks"

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
