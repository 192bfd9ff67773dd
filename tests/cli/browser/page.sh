#!/bin/sh
# page.sh PLUMB - writes pages by plumb solve and plumb decompose with --html and has Chromium use them: with few solutions, with 20,000, of
# a family, of components, and with texts that want to be markup. Status 77, skipped, without Chromium.
plumb=$(realpath "$1")
tests=$(cd "$(dirname "$0")" && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 2
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# ---- Files, without a browser
"$plumb" solve -e 'x^2+y^2=5' -e 'x*y=2' --html run.html -q || fail "no page"
grep -q '"schema": *"plumb-page/1"' run.html || fail "no data in the page"
grep -qE '(src|href)=|https?://' run.html && fail "the page refers to something outside"
echo '1 x' >bad.phc
"$plumb" solve bad.phc --html bad.html -q 2>err && fail "bad input was solved"
[ -e bad.html ] && fail "a page was written for bad input"
"$plumb" solve -e 'x^2=2' --html run.txt 2>err && fail "a page in run.txt"
grep -q 'ends in .html' err || fail "run.txt: $(cat err)"
"$plumb" solve -e 'x^2=2' --html same.html --plot same.html 2>err && fail "two outputs in one file"
"$plumb" solve -e 'x^2=2' --html /dev/full -q 2>err && fail "a page on a full device"

# Names of files are texts, too; those of unknowns are letters and digits.
hostile='a"><script>window.owned=1<script><img src=x onerror=owned=1>&lt;b>.phc'
printf '2\n x^2 + y^2 - 5;\n x*y - 2;\n' >"$hostile"
"$plumb" solve "$hostile" --html hostile.html -q || fail "hostile name"
[ "$(grep -c '<script' hostile.html)" = "$(grep -c '<script' run.html)" ] || fail "a script came from the name of a file"

# Families and components
printf 'a,b\n5,2\n2,1\n-1,1\n"0,1","0,-1"\n' >wrong.csv
printf 'a,b\n5,2\n2,1\n-1,1\n0,0\n' >targets.csv
"$plumb" solve -e 'x^2+y^2=a' -e 'x*y=b' --parameters a,b --at targets.csv --html family.html -q || fail "no page of a family"
"$plumb" solve "$hostile" --parameters y --at /dev/null --html empty.html -q 2>err && fail "targets without a heading"
[ -e empty.html ] && fail "a page was written for bad targets"
"$plumb" solve -e 'x^2+y^2=a' -e 'x*y=b' --parameters a,b --at wrong.csv --html wrong.html -q 2>err && fail "bad targets"
[ -e wrong.html ] && fail "a page was written for bad targets"
"$plumb" solve -e 'x^2=a' --parameters a --at targets.csv --html page.txt 2>err && fail "a page in page.txt"
"$plumb" solve -e 'x^2=a' --parameters a --at targets.csv --html - 2>err && fail "a page on standard output"
"$plumb" decompose -e 'x*(x-1)*(y-2)' -e 'x*y*(y-2)' --html sets.html -q || fail "no page of components"
"$plumb" decompose -e 'x*y' --html sets.txt -q 2>err && fail "a page in sets.txt"
"$plumb" decompose -e 'x*y' --html /dev/full -q 2>err && fail "a page of components on a full device"
cp "$hostile" "family $hostile"
"$plumb" decompose "family $hostile" --html hostile_sets.html -q || fail "hostile name of a system with components"
for page in family sets hostile_sets; do
    [ "$(grep -c '<script' $page.html)" = "$(grep -c '<script' run.html)" ] || fail "a script in $page.html"
    [ $page = hostile_sets ] || ! grep -qE '(src|href)=|https?://' $page.html || fail "$page.html refers to something outside"
done

browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
    [ $failures -eq 0 ] || exit 1
    echo "skipped: needs chromium"
    exit 77
fi
look() {
    HOME=$here timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions \
        --user-data-dir="$here/profile" --allow-file-access-from-files --virtual-time-budget=20000 --enable-logging=stderr \
        --hide-scrollbars --host-resolver-rules='MAP * ~NOTFOUND' "$@" 2>"$here/stderr"
}
if ! look --dump-dom about:blank | grep -q '<html'; then
    echo "skipped: $browser does not start: $(head -n 1 "$here/stderr")"
    exit 77
fi

# 20,000 solutions, every tenth of them real, and texts that would end the script if they could.
awk 'BEGIN {
    srand(1)
    printf "{\"title\": \"\\u003c/script>\\u003cscript>owned=1\\u003c/script>\", \"sentence\": \"twenty thousand \\u003cb>solutions\", \"warnings\": [\"\\u003cimg src=x onerror=owned=1>\"], "
    printf "\"equation_count\": 2, \"equations\": [\"x^20000 - 1\", \"\\u003cb>y\"], \"unknowns\": [\"x\", \"\\u003cb>y\"], \"work\": [], \"account\": [], \"costs\": [], \"certificates\": [], \"footer\": \"\", \"solutions\": ["
    for (k = 0; k < 20000; k++) {
        real = k % 10 == 0
        printf "%s[\"regular\", 1, %d, 0, 1e-16, 1e-15, %d, 16, null, [[\"%.15f\", \"%s\"], [\"%.15f\", \"%s\"]]]", k ? "," : "", real, k + 1,
               rand() - 0.5, real ? "0" : rand() - 0.5, rand() - 0.5, real ? "0" : rand() - 0.5
    }
    print "]}"
}' >many.json
awk 'FNR == NR { data = $0; next } after { print data; after = 0; next } { print } /id="data"/ { after = 1 }' many.json run.html >many.html

# The same as a family: 5,000 targets with four solutions each, and hostile texts in every place that a text can have.
awk 'BEGIN {
    srand(1)
    bad = "\\u003c/script>\\u003cscript>owned=1\\u003c/script>\\u003cimg src=x onerror=owned=1>"
    printf "{\"title\": \"%s\", \"sentence\": \"%s twenty thousand\", \"warnings\": [\"%s\"], \"equation_count\": 1, \"equations\": [\"%s\"], ", bad, bad, bad, bad
    printf "\"unknowns\": [\"%s\"], \"parameters\": [\"%s\"], \"slices\": [[1, [\"%s\"]]], \"evidence\": \"%s\", \"work\": [\"%s\"], ", bad, bad, bad, bad, bad
    printf "\"account\": [[\"%s\", 1, \"%s\"]], \"costs\": [[\"%s\", \"%s\"]], \"certificates\": [\"%s\"], \"footer\": \"%s\", ", bad, bad, bad, bad, bad, bad
    printf "\"groups\": {\"one\": \"target\", \"heading\": \"%s\", \"hint\": \"%s\", \"columns\": [[\"%s\", \"number\"], [\"outcome\", \"text\"], [\"real\", \"count\"]], \"rows\": [", bad, bad, bad
    for (k = 0; k < 5000; k++) {
        printf "%s[[\"%.3f\", \"0\"], \"%s\", %d, [", k ? "," : "", k / 5000, bad, k % 10 == 0 ? 4 : 0
        for (i = 0; i < 4; i++)
            printf "%s[\"regular\", 1, %d, 0, 1e-16, 1e-15, 3, 16, null, [[\"%.15f\", \"%s\"]]]", i ? "," : "", k % 10 == 0, rand() - 0.5, k % 10 == 0 ? "0" : rand() - 0.5
        printf "]]"
    }
    print "]}}"
}' >groups.json
awk 'FNR == NR { data = $0; next } after { print data; after = 0; next } { print } /id="data"/ { after = 1 }' groups.json run.html >groups.html

cp "$tests/check.html" .
check() {
    look --window-size=1200,1000 --dump-dom "file://$here/check.html#$1,$2,$3${4:+,$4}" | sed -n '/<pre id="found">/,/<\/pre>/p' >found
    grep -oE '(checked|sorted) .*' found || fail "$1: no answer: $(cat found)"
    grep -q FAILED found && fail "$1: $(cat found)"
    grep CONSOLE stderr && fail "$1: messages on the console"
}
check run.html 4 4
check hostile.html 4 4
"$plumb" solve -e 'x^5=x+1' --html five.html -q || fail "no page of one unknown"
check five.html 5 1
check many.html 20000 2000
check groups.html 20000 2000 5000
check family.html 11 7 4
check sets.html 3 1 3
for parameters in a,b a; do
    "$plumb" solve -e 'x^2+y^2=a' -e "x*y=${parameters#a,}" --parameters $parameters --at targets.csv --count --html counts.html -q ||
        fail "no page of numbers"
    check counts.html 0 0 4
    cut -d, -f1 targets.csv >one.csv && mv one.csv targets.csv
done
check hostile_sets.html 4 4 1
look --print-to-pdf="$here/family.pdf" "file://$here/family.html" >/dev/null
[ "$(wc -c <family.pdf 2>/dev/null || echo 0)" -ge 10000 ] || fail "the page of a family does not print"
look --print-to-pdf="$here/page.pdf" "file://$here/run.html" >/dev/null
[ "$(wc -c <page.pdf 2>/dev/null || echo 0)" -ge 10000 ] || fail "the page does not print"
[ $failures -eq 0 ]
