#!/bin/sh
# paper.sh PLUMB PLUMB_BENCH - plumb-bench paper from outside: what it measures comes out as JSON and goes into a page, verdicts on
# numbers made by rule are the expected ones, and every mistake is reported in one line with nothing written. The page itself is
# looked at by browser/paper.sh. Status 77, skipped in part, without Python or gnuplot.
plumb=$1
bench=$2
tests=$(cd "$(dirname "$0")" && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
mkdir out nothing without
failures=0
path=$PATH
unset PLUMB_ISA

complain() {
    echo "FAILED: $*" >&2
    cat stdout stderr >&2
    failures=$((failures + 1))
}

# fails STATUS TEXT ARGUMENTS...: that status, one line with TEXT on stderr, nothing on stdout, nothing in out/.
fails() {
    wanted=$1
    text=$2
    shift 2
    env PATH="$path" "$bench" paper "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb-bench paper $*: status $status, expected $wanted and one line '$text'"
    fi
    if [ -n "$(ls -A out)" ]; then
        complain "plumb-bench paper $*: left $(ls -A out)"
        rm -f out/*
    fi
}

# silent ARGUMENTS...: status 0 and not a word.
silent() {
    "$bench" paper "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne 0 ] || [ -s stdout ] || [ -s stderr ]; then
        complain "plumb-bench paper $*: status $status, expected 0 and silence"
    fi
}

# in_page TEXT...: each is in page.html.
in_page() {
    for text in "$@"; do
        grep -q -F -e "$text" page.html || complain "not in the page: $text"
    done
}

"$bench" paper --help >stdout 2>stderr || complain "--help"
grep -q 'default: auto' stdout || complain "--help shows no default"

# ---- what makes no sense
fails 2 "unknown option '--fast'" --fast
fails 2 'needs at least one file' --from -o out/page.html
fails 2 'are read with --from' one.json
fails 2 'it excludes --from' --json --from one.json
fails 2 'ends in .json or .html' -o out/page.pdf
fails 2 'ends in .html' --from one.json -o out/page.json
fails 2 'belongs to a page' --plots out -o out/results.json
fails 2 'expected auto, cpu or gpu' --backend fpga
fails 2 'from 16 to 256' --most-n 8
fails 2 'expected a number' --budget soon

# ---- measured: a little of everything, in a hurry
silent --json --quick --backend cpu --most-n 16 --count 2 --budget 0 --commit abcdef -o measured.json
for text in '"schema": "plumb/1"' '"benchmark": "paper"' '"complete": true' '"commit": "abcdef"' '"work": "eval"' '"recalibrates": "qd"' '"elimination": \[' '"cpuall_us"'; do
    grep -q "$text" measured.json || complain "not in the JSON: $text"
done
if grep -q '"gpu_us"' measured.json; then complain "a GPU on a processor"; fi
# Stopped by Ctrl-C it writes what it has and says so.
timeout -s INT 1 "$bench" paper --json --backend cpu -o out/part.json >stdout 2>stderr
if ! grep -q 'the results are not complete' stderr || ! grep -q '"complete": false' out/part.json; then
    complain "stopped by Ctrl-C: $(ls -A out)"
fi
rm -f out/*

# ---- plumb runs plumb-bench where it is; where it is not, one line says so
"$plumb" bench paper --help >stdout 2>stderr || complain "plumb bench paper"
grep -q 'usage: plumb-bench paper' stdout || complain "plumb bench paper --help"
cp "$plumb" without/plumb
env PATH="$here/nothing" without/plumb bench paper >stdout 2>stderr </dev/null
if [ $? -ne 1 ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q 'plumb-bench is neither beside plumb nor on the PATH' stderr; then
    complain "plumb bench without plumb-bench"
fi

# ---- without Python, gnuplot or the script: said before any measuring
path=$here/nothing
fails 1 'python3 was not found' -o out/page.html
path=$PATH
skip() {
    echo "no $1 here: pages were not drawn"
    [ $failures -eq 0 ] || exit 1
    exit 77
}
command -v python3 >/dev/null || skip python3
ln -s "$(python3 -c 'import sys; print(sys.executable)')" nothing/python3
path=$here/nothing
fails 1 'gnuplot was not found' -o out/page.html
path=$PATH
cp "$bench" without/plumb-bench
without/plumb-bench paper -o out/page.html >stdout 2>stderr
if [ $? -ne 1 ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q 'the folder report is neither' stderr; then complain "no script"; fi
command -v gnuplot >/dev/null || skip gnuplot

# ---- files that are none
printf '{"benchmark": "paper", "cases": [' >broken.json
echo '{"some": "thing"}' >other.json
fails 2 'could not be read' --from nowhere.json -o out/page.html
fails 2 'broken.json:1:34' --from measured.json broken.json -o out/page.html
fails 2 'other.json: expected the JSON' --from other.json -o out/page.html
fails 1 'could not be written' --from measured.json -o nowhere/page.html

# ---- pages
silent --from measured.json -o page.html --plots .
silent --backend cpu --quick --most-n 16 --count 2 --budget 0 -o measured.html
grep -q 'this run' measured.html || complain "a page of this run"
in_page 'id="table1"' 'id="table6"' 'commit' 'abcdef' 'measured.json' 'measured with --quick' 'not measured' 'id="plot-table4-1"'
grep -q 'prefers-color-scheme' quality-up.svg && grep -q '</svg>' speedup.svg || complain "plots as files"
! grep -q 'var(' quality-up.svg speedup.svg || complain "plots with colours that not every renderer knows"

awk -v obeys=1 -v gpu=1 -f "$tests/paper_results.awk" >obedient.json
awk -v obeys=0 -v gpu=1 -f "$tests/paper_results.awk" >contrary.json
awk -v obeys=1 -v gpu=0 -f "$tests/paper_results.awk" >processor.json

# verdicts FILE YES NO NONE: how many of ours hold, do not, and were not measured; the paper's own come on top.
verdicts() {
    silent --from "$1" -o page.html
    found="$(grep -c '<tr id="s-' page.html) $(grep -o 'class="yes">holds' page.html | wc -l) $(grep -o 'class="no">does' page.html | wc -l) $(grep -o 'class="none">not measured' page.html | wc -l)"
    [ "$found" = "14 $2 $3 $4" ] || complain "$1: found $found, expected 14 $2 $3 $4"
}
verdicts obedient.json 25 0 0 # the paper's own numbers say yes to 11, and 3 it only states
verdicts contrary.json 11 14 0
verdicts processor.json 18 0 7

# A number decides as it is printed: 9.996 times is shown as 10.0 times and counts as double-digit, 9.98 does not.
sed 's/"precision": "dd", "kind": "complex", "n": 48, "cpu1_us": [0-9.e+]*, "cpuall_us": [0-9.e+]*, "gpu_us": [0-9.e+]*/"precision": "dd", "kind": "complex", "n": 48, "cpu1_us": 9996, "cpuall_us": 9996, "gpu_us": 1000/' obedient.json >edge.json
silent --from edge.json -o page.html
in_page '10.0 to 20.0 times from n = 48 to 80' 'There is no bar for all cores for n = 48: they are no faster than one core'
sed 's/"cpu1_us": 9996,/"cpu1_us": 9980,/' edge.json >short.json
silent --from short.json -o page.html
in_page 'only 9.98 times at n = 48; 20.0 times at n = 80'

cat >paths.json <<'END'
{"benchmark": "track", "backend": "gpu", "device": "Loom", "machine": {"cpu": "Mill", "cores": 4}, "commit": "0", "date": "2001-02-03",
 "results": [{"mode": "newton", "prec": "d", "us": 66}, {"mode": "newton", "prec": "qd", "us": 1222},
             {"mode": "track", "prec": "dd", "us": 1000, "steps": 99}]}
END
silent --from contrary.json obedient.json processor.json paths.json "$tests"/../../bench/results/*.json -o page.html
in_page 'Obedient &lt;Mill&gt; &amp; Sons' '2001-02-03' 'Loom with 4 cores' '>2916.8<' '>597.47<' 'the product is 137' \
    'the quotient is 7.27' '3136' 'id="peers-1"' 'id="gpu-eval-1"' 'id="track-gpu-1-2"' '<td>660</td><td>10.0' 'Arb' '1.00 times as long as complex qd' '12.0 to 32.0 times from n = 96 to 256' 'only 0.50 to 0.50 times at 11 of 11 sizes' \
    'from n = 32 to n = 80, but not at n = 16; the GPU adds up to 1 level of'
if grep -q -i -e '<script' -e 'src=' -e '@import' -e 'url(' page.html; then complain "the page asks for something"; fi
if grep -q -e '<Mill>' -e '<i>' -e '>nan<' -e '>inf' page.html; then complain "the page is not clean"; fi
exit $((failures > 0))
