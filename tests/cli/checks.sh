# checks.sh - what tests of the program have in common; they read this file. $dir is a folder of their own, and $failures counts.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# run NAME STATUS COMMAND...: output in $dir/out and $dir/err.
run()
{
    name=$1 wanted=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    [ $status -eq "$wanted" ] || fail "$name: status $status instead of $wanted, $(cat "$dir/err")"
}

# holds NAME WORDS: the last output has them.
holds()
{
    grep -qF -- "$2" "$dir/out" || fail "$1: no '$2' in: $(cat "$dir/out")"
}

# refuse NAME WORDS COMMAND...: status 2, nothing on standard output, one line that holds the words.
refuse()
{
    name=$1 words=$2
    shift 2
    run "$name" 2 "$@"
    [ ! -s "$dir/out" ] || fail "$name: wrote $(head -1 "$dir/out")"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$name: not one line: $(cat "$dir/err")"
    grep -qF -- "$words" "$dir/err" || fail "$name: no '$words' in: $(cat "$dir/err")"
}
