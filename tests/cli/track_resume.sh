#!/bin/sh
# track_resume.sh - tests that a run of plumb track that was stopped and resumed ends with the same bytes as one that was not, and is resumed with
# the same inputs and options only.
#   track_resume.sh PLUMB
set -u
plumb=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

refuse()
{
    name=$1 words=$2
    shift 2
    "$@" >out 2>err
    [ $? -eq 2 ] || fail "$name: not status 2"
    [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$words" err || fail "$name: no '$words' in: $(cat err)"
}

# stop LINES WORD JOB...: starts the job and stops it when its log has so many lines with the word. Fails when it was faster.
stop()
{
    lines=$1 word=$2
    shift 2
    : >log.jsonl
    "$plumb" track "$@" -o part.sol --path-log log.jsonl >out 2>err &
    pid=$!
    waited=0
    while [ "$(grep -c "$word" log.jsonl)" -lt "$lines" ] && kill -0 $pid 2>/dev/null && [ $waited -lt 1200 ]; do
        sleep 0.02
        waited=$((waited + 1))
    done
    kill -INT $pid 2>/dev/null
    wait $pid
    status=$?
    [ -f part.sol.journal ] || return 1
    [ $status -eq 1 ] || fail "stopped, and status $status: $(cat err)"
    grep -q "stopped; --resume continues" out || fail "does not say that it was stopped: $(cat out)"
    head -1 part.sol | grep -q "THE SOLUTIONS" && tail -1 part.sol | grep -q "^====" || fail "half a file of solutions"
    ls .plumb-* 2>/dev/null && fail "a temporary file is left over"
    return 0
}

# ---- Stopped again and again -------------------------------------------------------------------------------------------
"$plumb" system family cyclic 5 -o target.phc
job="target.phc -p qd --threads 2 --backend cpu"
"$plumb" track $job --quiet -o whole.sol 2>err
whole=$?
grep -qx "70 5" whole.sol || fail "not 70 solutions: $(sed -n 2p whole.sol)"
resume= stops=0
while [ $stops -lt 3 ] && stop 8 '"code"' $job $resume; do
    stops=$((stops + 1))
    resume=--resume
done
[ $stops -gt 0 ] || fail "could not be stopped"

if [ -f part.sol.journal ]; then
    cp part.sol.journal journal
    refuse "without --resume" "resume it (--resume)" "$plumb" track $job -o part.sol
    refuse "another seed" "--seed is 2, for part.sol.journal it was 1" "$plumb" track $job --seed 2 --resume -o part.sol
    refuse "another precision" "--precision is dd" "$plumb" track $job -p dd --resume -o part.sol
    refuse "another step control" "--turn is 0.5" "$plumb" track $job --turn 0.5 --resume -o part.sol
    refuse "another largest root" "--largest is 100000000000000000000, for part.sol.journal it was inf" "$plumb" track $job --largest 1e20 --resume -o part.sol
    refuse "another scaling" "--no-scale is yes" "$plumb" track $job --no-scale --resume -o part.sol
    refuse "other paths" "--paths is 1-7" "$plumb" track $job --paths 1-7 --resume -o part.sol
    "$plumb" system family noon 5 -o other.phc
    refuse "another target" "differs from what it was" "$plumb" track other.phc -p qd --backend cpu --resume -o part.sol
    cmp -s journal part.sol.journal || fail "a refusal changed the journal"
    echo '{"path": 1, "co' >>part.sol.journal # the machine was switched off in the middle of a line
    truncate -s -1 part.sol.journal
    { head -1 journal && echo '{"path": 1}'; } >broken.sol.journal
    "$plumb" track $job --resume -o broken.sol --quiet 2>err
    [ $? -eq $whole ] || fail "a journal with a damaged line: another status"
    grep -q "broken.sol.journal: 1 damaged line, the first is line 2" err || fail "does not tell the damage: $(cat err)"
    cmp -s whole.sol broken.sol || fail "a journal with a damaged line gave something else"
    "$plumb" track $job --threads 1 --resume -o part.sol --quiet 2>err
    [ $? -eq $whole ] || fail "the resumed run has another status"
fi
cmp -s whole.sol part.sol || fail "stopped and resumed, it found something else"
[ ! -f part.sol.journal ] || fail "the journal is left over"

# ---- Stopped while paths are tracked again ------------------------------------------------------------------------------
# Every start solution twice: every regular end is that of two paths.
"$plumb" system start target.phc -o start.phc --solutions start.sol || fail "no start system"
{
    echo "THE SOLUTIONS :"
    echo "240 5"
    echo "===================="
    sed '1,3d; /^====/d' start.sol
    sed '1,3d; /^====/d' start.sol
} >twice.sol
job="target.phc --start start.phc --start-solutions twice.sol -p d --reruns 1 --threads 2 --backend cpu"
"$plumb" track $job --quiet -o whole.sol 2>err
whole=$?
again=no
if stop 300 '"rerun": 1' $job; then
    again=yes
    "$plumb" track $job --resume -o part.sol --quiet 2>err
    [ $? -eq $whole ] || fail "resumed among reruns, another status"
fi
cmp -s whole.sol part.sol || fail "stopped among reruns and resumed, it found something else"

[ $failures -eq 0 ] && echo "plumb track --resume: all is well after $stops stops; among reruns: $again"
[ $failures -eq 0 ]
