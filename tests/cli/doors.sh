#!/bin/sh
# What comes from outside stays outside: no input runs a command, fills the memory, or writes to a terminal.
# usage: doors.sh PLUMB PLUMB_BENCH
set -u
plumb=$1
bench=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# expect STATUS TEXT COMMAND...: the status, one line on stderr that has the text, and no control characters.
expect() {
    status=$1
    text=$2
    shift 2
    timeout 60 "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$status" ] || fail "status $got instead of $status: $(printf "%.150s" "$*"): $(head -c 300 err)"
    [ "$(wc -l <err)" = 1 ] || fail "$(wc -l <err) lines instead of 1: $(printf "%.150s" "$*"): $(head -c 300 err)"
    grep -q -F -e "$text" err || fail "no '$text': $(printf "%.150s" "$*"): $(head -c 300 err)"
    [ "$(LC_ALL=C tr -d '\040-\176\n\200-\377' <err | wc -c)" = 0 ] || fail "control characters: $*"
}

printf '2\nx^2+y-3;\nx*y-1;\n' >system.phc
"$plumb" track system.phc -q --path-log log.jsonl || fail "no path log"

if command -v gnuplot >/dev/null; then
    # Names in a log that are commands of gnuplot.
    for name in 'x\nsystem(\"touch owned\")\n#' "x'; system('touch owned'); #" '`touch owned`' 'x\" . system(\"touch owned\")' \
        '@owned' '' '\u001b[31m'; do
        sed 's/"unknowns": \["x"/"unknowns": ["'"$(printf %s "$name" | sed 's/[\\&/]/\\&/g')"'"/' log.jsonl >bad.jsonl
        cmp -s log.jsonl bad.jsonl && fail "the log was not changed: $name"
        expect 2 'bad.jsonl:' "$plumb" track --plot bad.svg --from-log bad.jsonl
    done
    # Numbers beyond any count.
    for number in 8e50 -1 0.5 1e400; do
        sed 's/"rerun": 0}/"rerun": '$number'}/' log.jsonl >bad.jsonl
        expect 2 'bad.jsonl:1' "$plumb" track --plot bad.svg --from-log bad.jsonl
    done
    # Names of files that are commands of a shell or of gnuplot.
    for name in '|touch owned;.svg' '$(touch owned).svg' "'.system('touch owned').'.svg" '`touch owned`.svg'; do
        "$plumb" track --plot "$name" --from-log log.jsonl || fail "not drawn: $name"
        grep -q '</svg>' "./$name" || fail "no picture in $name"
    done
    expect 2 "--plot: found '|touch owned'" "$plumb" track --plot '|touch owned' --from-log log.jsonl
    # A gnuplotrc of the user is not read.
    mkdir home
    echo 'system("touch owned")' | tee home/.gnuplot >home/.gnuplotrc
    HOME=$work/home "$plumb" track --plot home.svg --from-log log.jsonl || fail "not drawn with a gnuplotrc"
    find . -name owned | grep -q . && fail "a command ran"
    expect 1 'No space left' "$plumb" track --plot /dev/full --from-log log.jsonl
    expect 2 'expected a path log' "$plumb" track --plot a.svg --from-log /dev/zero
    expect 2 'expected a step' "$plumb" track --plot a.svg --from-log /dev/urandom
fi

# Inputs without an end, and inputs that are not what they should be.
echo '1 2' >b.csv
for source in /dev/zero /dev/urandom; do
    expect 2 "$source" "$plumb" lsq $source b.csv
    expect 2 "$source" "$plumb" lsq b.csv $source
    expect 2 "$source" "$plumb" qr $source
    expect 2 "$source" "$plumb" eval $source --random
    expect 2 "$source" "$plumb" newton $source system.phc
    expect 2 "$source" "$plumb" newton system.phc $source
    expect 2 "$source" "$plumb" track $source
    expect 2 "$source" "$plumb" system show $source
    expect 2 "$source" "$plumb" track system.phc --start system.phc --start-solutions $source
    if command -v python3 >/dev/null; then
        expect 2 "$source" "$bench" table $source
        expect 2 "$source" "$bench" check $source
    fi
done

# Memory: everything that a command will take is added up before it begins. The second matrix is half as large as the memory
# that is available, but not what is done with it.
available=$(awk '/^MemAvailable:/ {print $2 * 1024}' /proc/meminfo 2>/dev/null)
half=$(awk -v b="${available:-1e10}" 'BEGIN {print int(sqrt(b / 16))}')
expect_large() {
    n=$1 wanted=$2 words=$3
    printf '%%%%MatrixMarket matrix coordinate real general\n%d %d 0\n' "$n" "$n" >large.mtx
    printf '%%%%MatrixMarket matrix coordinate real general\n%d 1 0\n' "$n" >large_b.mtx
    expect "$wanted" "$words" "$plumb" lsq large.mtx large_b.mtx -p d
    expect "$wanted" "$words" "$plumb" lsq large.mtx large_b.mtx -p d --method lu
    expect "$wanted" "$words" "$plumb" qr large.mtx -p d
}
expect_large 400000 2 'GB are available'
expect_large "$half" 1 'GB of memory, '
expect 1 'does not fit into memory' "$plumb" random -m 500000
printf '3\nx^10000-1;\ny^10000-1;\nz^10000-1;\n' >paths.phc
expect 1 'a run of 1000000000000 paths needs' "$plumb" track paths.phc

# Names in messages: control characters are shown, long names are cut.
escape=$(printf 'a\033[31m\nb')
expect 2 'a\x1b[31m\nb' "$plumb" track "$escape"
expect 2 'a\x1b[31m\nb' "$plumb" lsq "$escape" b.csv
expect 2 'a\x1b[31m\nb' "$plumb" "$escape"
expect 2 'a\x1b[31m\nb' "$plumb" lsq --"$escape"
expect 2 'a\x1b[31m\nb' "$plumb" lsq b.csv b.csv --method "$escape"
long=$(printf '%4000s' '' | tr ' ' x)
expect 2 'could not be read' "$plumb" track "$long"
[ "$(wc -c <err)" -lt 1000 ] || fail "a long name makes a long message"
sed 's/x/y/g; s/y/'"$(printf '\033')"'/' system.phc >control.phc
expect 2 'control.phc:' "$plumb" system show control.phc
printf '{"unknowns": ["\\u009b31m", "y"], "solutions": [{"x": [["1","0"],["1","0"]]}]}' >names.json
expect 2 'no unknown' "$plumb" track system.phc --start system.phc --start-solutions names.json
if command -v python3 >/dev/null; then
    printf '{"benchmark": "lsq", "results": [], "schema": "\\u001b[31m"}' >bench.json
    expect 2 'its schema is' "$bench" table bench.json
    expect 2 'a\x1b[31m\nb' "$bench" table "$escape"
fi

exit $failed
