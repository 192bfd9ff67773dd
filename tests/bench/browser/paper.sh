#!/bin/sh
# paper.sh PLUMB_BENCH - draws the page of plumb-bench paper and has Chromium look at it, as wide as a phone and as a desk, in light
# and in dark, and printed. Status 77, skipped, without gnuplot or Chromium.
bench=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failures=0
browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ] || ! command -v gnuplot >/dev/null || ! command -v python3 >/dev/null; then
    echo "skipped: needs python3, gnuplot and chromium"
    exit 77
fi

# look WHAT...: Chromium without a window or a network; a profile of its own, so that nothing is left behind.
look() {
    HOME=$here timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions \
        --user-data-dir="$here/profile" --allow-file-access-from-files --virtual-time-budget=20000 \
        --hide-scrollbars --host-resolver-rules='MAP * ~NOTFOUND' "$@" 2>"$here/stderr"
}

if ! look --dump-dom about:blank | grep -q '<html'; then
    echo "skipped: $browser does not start: $(head -n 1 "$here/stderr")"
    exit 77
fi

awk -v obeys=1 -v gpu=1 -f "$tests/paper_results.awk" >"$here/obedient.json"
awk -v obeys=0 -v gpu=0 -f "$tests/paper_results.awk" >"$here/contrary.json"
"$bench" paper --from "$here/obedient.json" "$here/contrary.json" "$tests"/../../bench/results/lsq-neoverse-v1.json \
    "$tests"/../../bench/results/h200-eval.json -o "$here/page.html" || exit 1
cp "$tests/browser/check.html" "$here/"
tables=$(grep -c '<table' "$here/page.html")
plots=$(grep -c '<svg' "$here/page.html")
if [ "$tables" -lt 14 ] || [ "$plots" -ne 12 ]; then
    echo "FAILED: $tables tables and $plots plots in the file"
    failures=1
fi

# check PAGE WIDTH SCHEME: what check.html found, a line each, in "$here/found".
check() {
    scheme=1 # what Chromium calls light
    [ "$3" = light ] || scheme=0
    look --window-size=1400,1000 --blink-settings=preferredColorScheme=$scheme --dump-dom \
        "file://$here/check.html#$1,$2,$3,$tables,$plots" | sed -n '/<pre id="found">/,/<\/pre>/p' >"$here/found"
}

for width in 360 1280; do
    for colours in light dark; do
        check page.html $width $colours
        if ! grep -q "checked .*plots, $width wide, $colours" "$here/found"; then
            echo "FAILED: no answer for $width wide, $colours"
            cat "$here/stderr"
            failures=$((failures + 1))
        elif grep -q FAILED "$here/found"; then
            cat "$here/found"
            failures=$((failures + 1))
        fi
    done
done

look --print-to-pdf="$here/page.pdf" "file://$here/page.html" >/dev/null
if [ "$(wc -c <"$here/page.pdf" 2>/dev/null || echo 0)" -lt 20000 ]; then
    echo "FAILED: the page does not print"
    failures=$((failures + 1))
fi

# What is looked for is found: a page that is too wide, with an empty table, must not pass.
sed 's|</main>|<p style="width:2000px">wide</p><div class="scroll"><table id="empty"></table></div></main>|' "$here/page.html" >"$here/bad.html"
check bad.html 360 light
if ! grep -q 'FAILED: .*sticks out' "$here/found"; then
    echo "FAILED: a page that is too wide passed"
    failures=$((failures + 1))
fi
[ $failures -eq 0 ]
