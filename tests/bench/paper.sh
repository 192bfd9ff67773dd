#!/bin/sh
# cli_bench_paper.sh PLUMB - plumb bench paper from outside: what it measures comes out as JSON and goes into a page, verdicts on
# numbers by rule are those expected, and whatever is wrong is said in one line with nothing written. The page itself is looked
# at by browser/paper.sh.
plumb=$1
tests=$(cd "$(dirname "$0")" && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
mkdir out nothing
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
    env PATH="$path" "$plumb" bench paper "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -e "$text" stderr; then
        complain "plumb bench paper $*: status $status, expected $wanted and one line '$text'"
    fi
    if [ -n "$(ls -A out)" ]; then
        complain "plumb bench paper $*: left $(ls -A out)"
        rm -f out/*
    fi
}

# silent ARGUMENTS...: status 0 and not a word.
silent() {
    "$plumb" bench paper "$@" >stdout 2>stderr </dev/null
    status=$?
    if [ $status -ne 0 ] || [ -s stdout ] || [ -s stderr ]; then
        complain "plumb bench paper $*: status $status, expected 0 and silence"
    fi
}

# in_page TEXT...: each is in page.html.
in_page() {
    for text in "$@"; do
        grep -q -F -e "$text" page.html || complain "not in the page: $text"
    done
}

"$plumb" bench paper --help >stdout 2>stderr || complain "--help"
grep -q 'default: auto' stdout || complain "--help shows no default"

# ---- what makes no sense
fails 2 "unknown option '--fast'" --fast
fails 2 'needs a file' --from -o out/page.html
fails 2 'files come with --from' one.json
fails 2 'does not go with --from' --json --from one.json
fails 2 'expected auto, cpu or gpu' --backend fpga
fails 2 'from 16 to 256' --most-n 8
fails 2 'expected a number' --budget soon

# ---- measured: a little of everything, in a hurry
silent --json --quick --backend cpu --most-n 16 --count 2 --budget 0 --commit abcdef -o measured.json
for text in '"benchmark": "paper"' '"commit": "abcdef"' '"work": "eval"' '"recalibrates": "qd"' '"elimination": \[' '"cpuall_us"'; do
    grep -q "$text" measured.json || complain "not in the JSON: $text"
done
if grep -q '"gpu_us"' measured.json; then complain "a GPU on a processor"; fi
if [ "$(timeout -s INT 1 "$plumb" bench paper --json -o out/never.json >stdout 2>stderr; echo $?)" -ne 124 ] ||
    [ -n "$(ls -A out)" ]; then
    complain "stopped by Ctrl-C: $(ls -A out)"
    rm -f out/*
fi

# ---- without gnuplot: before any measuring
path=$here/nothing
fails 1 'gnuplot was not found' -o out/page.html
path=$PATH
if ! command -v gnuplot >/dev/null; then
    echo "no gnuplot here: pages were not drawn"
    exit $((failures > 0))
fi

# ---- files that are none
printf '{"benchmark": "paper", "cases": [' >broken.json
echo '{"some": "thing"}' >other.json
fails 2 'could not be read' --from nowhere.json -o out/page.html
fails 2 'broken.json:1' --from measured.json broken.json -o out/page.html
fails 2 'other.json: expected the JSON' --from other.json -o out/page.html
fails 1 'could not be written' --from measured.json -o nowhere/page.html

# ---- pages
silent --from measured.json -o page.html --plots .
in_page 'id="table1"' 'id="table6"' 'commit' 'abcdef' 'measured.json' 'measured with --quick' 'not measured' 'id="plot-table4-1"'
grep -q 'prefers-color-scheme' quality-up.svg && grep -q '</svg>' speedup.svg || complain "plots as files"

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

cat >paths.json <<'END'
{"benchmark": "track", "backend": "gpu", "device": "Loom", "machine": {"cpu": "Mill", "cores": 4}, "commit": "0", "date": "2001-02-03",
 "results": [{"mode": "newton", "prec": "d", "us": 66}, {"mode": "newton", "prec": "qd", "us": 1222},
             {"mode": "track", "prec": "dd", "us": 1000, "steps": 99}]}
END
silent --from contrary.json obedient.json processor.json paths.json "$tests"/../../bench/results/*.json -o page.html
in_page 'Obedient &lt;Mill&gt; &amp; Sons' '2001-02-03' 'Loom beside 4 cores' '>2916.8<' '>597.47<' 'the product is 137' \
    'the quotient is 7.27' '3136' 'id="peers-1"' 'id="gpu-eval-1"' 'id="track-gpu-1-2"' '<td>660</td><td>10.0' 'Arb' '1.00 times as long as complex qd' 'from n = 80 on' \
    'from n = 32 on; the GPU pays for up to 1 level of'
if grep -q -i -e '<script' -e 'src=' -e '@import' -e 'url(' page.html; then complain "the page asks for something"; fi
if grep -q -e '<Mill>' -e '<i>' -e '>nan<' -e '>inf' page.html; then complain "the page is not clean"; fi
exit $((failures > 0))
