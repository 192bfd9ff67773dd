#!/bin/sh
# report.sh PLUMB_BENCH - what is made of results: Markdown tables, comparisons and checks. Strings from a file never become markup.
bench=$1
tests=$(cd "$(dirname "$0")" && pwd)
results=$tests/../../bench/results
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
failures=0

complain() {
    echo "FAILED: $*" >&2
    cat stdout stderr >&2
    failures=$((failures + 1))
}

# run STATUS ARGUMENTS...: runs plumb-bench, which must end with that status; its output is in stdout and stderr.
run() {
    wanted=$1
    shift
    "$bench" "$@" >stdout 2>stderr </dev/null
    status=$?
    [ $status -eq "$wanted" ] || complain "plumb-bench $*: status $status, expected $wanted"
}

# misuse TEXT ARGUMENTS..., failure TEXT ARGUMENTS...: status 2 or 1, with one line that has TEXT on stderr and nothing on stdout.
says() {
    text=$2
    wanted_status=$1
    shift 2
    run "$wanted_status" "$@"
    if [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -q -F -e "$text" stderr; then
        complain "plumb-bench $*: expected one line with '$text'"
    fi
}
misuse() { says 2 "$@"; }
failure() { says 1 "$@"; }

# has TEXT...: each is in stdout.
has() {
    for text in "$@"; do
        grep -q -F -e "$text" stdout || complain "not in the output: $text"
    done
}

# ---- tables
run 0 table "$results"/arith-*.json
has '| dd | real | mul |' 'ns per operation'
run 0 table --headings "$results"/lsq-*.json "$results"/*-lsq.json "$results"/*-track.json "$results"/accuracy-*.json
has '### Least squares on a GPU' '| sequence | qd | 32 |' 'Gaussian elimination' 'katsura 10'
misuse 'the following arguments are required: FILE' table
misuse "could not be read" table nowhere.json
echo '{"benchmark": "lsq", "results": [' >broken.json
misuse 'broken.json:2:1' table broken.json
echo '{"some": "thing"}' >other.json
misuse 'expected the JSON that a benchmark' table other.json
echo '{"schema": "plumb/999", "benchmark": "lsq", "results": []}' >later.json
misuse "its schema is 'plumb/999'" table later.json

# Where quad doubles win is told as a range of n, with the sizes that do not belong to it.
cat >wins.json <<'END'
{"benchmark": "lsq", "backend": "gpu", "device": "Loom|<b>", "machine": {"cpu": "`Mill` *fast*", "cores": 4}, "commit": "c", "date": "2001-02-03",
 "results": [{"mode": "sequence", "prec": "dd", "n": 16, "us": 1, "cpu1_us": 10}, {"mode": "sequence", "prec": "qd", "n": 16, "us": 11},
             {"mode": "sequence", "prec": "dd", "n": 32, "us": 1, "cpu1_us": 80}, {"mode": "sequence", "prec": "qd", "n": 32, "us": 60},
             {"mode": "sequence", "prec": "dd", "n": 64, "us": 1, "cpu1_us": 90}, {"mode": "sequence", "prec": "qd", "n": 64, "us": 91},
             {"mode": "large", "prec": "dd", "n": 512, "us": 1, "cpu1_us": 9000}, {"mode": "large", "prec": "qd", "n": 512, "us": 600}]}
END
run 0 table wins.json
has 'less time than dd on one core from n = 32 to n = 512 except at n = 64, but not at n = 16.' 'Loom\|&lt;b&gt;' '\`Mill\` \*fast\*'

# One line per machine, for a README: the name of the GPU, and the libraries that a processor was compared with.
run 0 table --summary wins.json "$results"/lsq-xeon-avx2.json
has '- Loom\|&lt;b&gt;: 60' '- Intel Xeon, one core, avx2: '

# large problems: those of at least 512 rows that were measured on both machines
run 0 table --large "$results"/h200-lsq.json "$results"/lsq-xeon-avx2.json
has '| least squares | dd | complex | 1024 |' 'all 16 threads of its computer'
if grep -q -F "| 256 |" stdout; then
    complain "--large: a small problem"
fi

# into a document: what lies between the markers is replaced, and nothing else
printf 'before\n<!-- plumb bench table: begin -->\nold\n<!-- plumb bench table: end -->\nafter\n' >document.md
run 0 table --into document.md wins.json
if ! grep -q '^before$' document.md || ! grep -q '^after$' document.md || grep -q '^old$' document.md || ! grep -q 'Loom' document.md; then
    complain "--into: $(cat document.md)"
fi
echo 'no markers' >document.md
failure 'lacks the line' table --into document.md wins.json

# ---- comparisons
run 0 compare "$results"/h200-lsq.json "$results"/h200-lsq.json
has 'times are more than 5% slower; the median ratio is 1.000'
sed -e 's/"n": 32, "us": 60/"n": 32, "us": 66/' -e 's/"n": 512, "us": 600/"n": 512, "us": 500/' wins.json >slower.json
run 1 compare wins.json slower.json
has '| sequence, qd, n = 32 | us | 60.0 | 66.0 | 1.100 | **slower** |' '| large, qd, n = 512 | us | 600 | 500 | 0.833 | |' '1 of 8 times'
run 0 compare --limit 10.5 wins.json slower.json
run 1 compare --times us -o compared.md wins.json slower.json
grep -q 'slower' compared.md || complain "compare -o"
misuse 'different benchmarks' compare wins.json "$results"/h200-eval.json
failure 'no times in common' compare --times nothing wins.json slower.json

# ---- checks
run 0 check "$results"/*.json
failure 'no proper us' check "$(sed '0,/"us": [0-9.]*,/s///' "$results"/h200-lsq.json >missing.json && echo missing.json)"
failure 'exceeds' check "$(sed '0,/"error": [0-9.e-]*/s//"error": 1e-3/' "$results"/h200-lsq.json >wrong.json && echo wrong.json)"
failure 'before it was complete' check "$(sed 's/"complete": true/"complete": false/' "$results"/h200-lsq.json >half.json && echo half.json)"
exit $((failures > 0))
