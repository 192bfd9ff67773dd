#!/bin/sh
# threads.sh - tests that the threads of one process share the paths of a run: the bytes are those of one thread, also after a stop.
#   threads.sh PLUMB
set -u
plumb=$1
. "$(dirname "$0")/checks.sh"
cd "$dir" || exit 1
job="cyclic6.txt --start polyhedral --backend cpu --no-certify --quiet"
"$plumb" system family cyclic 6 -o cyclic6.txt
run "one thread" 0 "$plumb" solve $job --threads 1 -o whole.sol
for threads in 2 5; do
    run "$threads threads" 0 "$plumb" solve $job --threads $threads -o part.sol
    cmp -s whole.sol part.sol || fail "$threads threads give other bytes than one"
    rm -f part.sol
done
run "some paths" 0 "$plumb" solve $job --threads 4 --paths 3-5 -o part.sol # fewer paths than threads
[ "$(wc -l <part.sol.journal)" -eq 4 ] || fail "some paths: $(wc -l <part.sol.journal) lines in the journal"
rm -f part.sol part.sol.journal

# A stop in the midst of a run in qd, and its end with another number of threads.
job="$job -p qd"
run "qd" 0 "$plumb" solve $job --threads 3 -o whole.sol
"$plumb" solve $job --threads 4 -o part.sol >out 2>err &
pid=$!
waited=0
while [ "$( (cat part.sol.journal 2>/dev/null || :) | wc -l)" -lt 10 ] && [ $waited -lt 3000 ]; do
    sleep 0.02
    waited=$((waited + 1))
done
kill -TERM $pid
wait $pid
status=$?
if [ -e part.sol.journal ]; then # otherwise it had ended before the signal came
    [ $status -eq 1 ] || fail "stopped: status $status, $(cat err)"
    [ "$(grep -c "the run was stopped" err)" -eq 1 ] || fail "stopped: $(cat err)"
    run "resumed" 0 "$plumb" solve $job --threads 2 --resume -o part.sol
fi
cmp -s whole.sol part.sol || fail "resumed: other bytes"
[ $failures -eq 0 ]
