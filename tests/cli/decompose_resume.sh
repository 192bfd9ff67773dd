#!/bin/sh
# decompose_resume.sh PLUMB [KILLS] - journals of plumb decompose: a run that is stopped or killed continues to the same bytes, also with other
# numbers of threads and ranks; what is no journal is left alone.
set -u
plumb=$1 kills=${2:-3}
. "$(dirname "$0")/checks.sh"
cd "$dir" || exit 1
unset PLUMB_ISA

# A Bricard linkage, a closed chain of six hinges that moves: 1,310 paths in seven stages, and loops for a curve of degree 24.
cat >hinges.txt <<'END'
(x2)*(x2) + (y2)*(y2) + (z2)*(z2) - 1;
(x3)*(x3) + (y3)*(y3) + (z3)*(z3) - 1;
(x4)*(x4) + (y4)*(y4) + (z4)*(z4) - 1;
(x5)*(x5) + (y5)*(y5) + (z5)*(z5) - 1;
(1)*(x2) + (0)*(y2) + (0)*(z2);
(x2)*(x3) + (y2)*(y3) + (z2)*(z3);
(x3)*(x4) + (y3)*(y4) + (z3)*(z4);
(x4)*(x5) + (y4)*(y5) + (z4)*(z5);
(x5)*(0) + (y5)*(1) + (z5)*(0);
1*((0)*(z2) - (0)*(y2)) + 2*((y2)*(z3) - (z2)*(y3)) + 5*((y3)*(z4) - (z3)*(y4)) + 3*((y4)*(z5) - (z4)*(y5)) +
6*((y5)*(0) - (z5)*(1)) + 7*((1)*(0) - (0)*(0));
1*((0)*(x2) - (1)*(z2)) + 2*((z2)*(x3) - (x2)*(z3)) + 5*((z3)*(x4) - (x3)*(z4)) + 3*((z4)*(x5) - (x4)*(z5)) +
6*((z5)*(0) - (x5)*(0)) + 7*((0)*(1) - (0)*(0));
1*((1)*(y2) - (0)*(x2)) + 2*((x2)*(y3) - (y2)*(x3)) + 5*((x3)*(y4) - (y3)*(x4)) + 3*((x4)*(y5) - (y4)*(x5)) +
6*((x5)*(1) - (y5)*(0)) + 7*((0)*(0) - (1)*(1));
END
job="hinges.txt --quiet -o part.json"
run "whole" 0 "$plumb" decompose hinges.txt --quiet -o whole.json

# same NAME: whole.json and part.json have the same bytes, and nothing else is left.
same()
{
    cmp -s whole.json part.json || fail "$1: other bytes"
    [ ! -e part.json.journal ] || fail "$1: the journal is still there"
    ls .plumb-* 2>/dev/null && fail "$1: a temporary file is left over"
    rm -rf part.json part.json.journal
}

# start STAGES: starts the job, and waits until it has begun so many stages; $pid
start()
{
    "$plumb" decompose $job --threads 1 >out 2>err &
    pid=$!
    for wait in $(seq 500); do
        [ "$(ls part.json.journal 2>/dev/null | grep -c -e -)" -ge "$1" ] && return
        kill -0 $pid 2>/dev/null || return
        sleep 0.01
    done
}

run "undisturbed" 0 "$plumb" decompose $job
same "undisturbed"

# ---- Killed ---------------------------------------------------------------------------------------------------------------
k=0 resumed=0
while [ $k -lt "$kills" ]; do
    start $((3 * k % 11 + 1))
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ -d part.json.journal ]; then
        resumed=$((resumed + 1))
        refuse "killed $k" "resume it (--resume)" "$plumb" decompose $job
        refuse "killed $k" "--seed is 2, for part.json.journal it was 1" "$plumb" decompose $job --resume --seed 2
        refuse "killed $k" "the system differs" "$plumb" decompose -e "x*y" --quiet -o part.json --resume
        run "killed $k" 0 "$plumb" decompose $job --resume --threads $((k % 3 + 1))
        [ ! -s err ] || fail "killed $k: told $(cat err)"
    fi
    same "killed $k"
    k=$((k + 1))
done
[ $resumed -gt 0 ] || fail "no run was killed in time"

# ---- Stopped, twice -------------------------------------------------------------------------------------------------------
start 3
kill -INT $pid
wait $pid
status=$?
if [ -d part.json.journal ]; then
    [ $status -eq 1 ] || fail "stopped: status $status"
    [ "$(wc -l <err)" -eq 1 ] && grep -q -e "--resume continues it" err || fail "stopped: told $(cat err)"
    grep -q '"stopped": true' part.json || fail "stopped: the file does not say so"
    "$plumb" decompose $job --resume --threads 1 >out 2>err &
    pid=$!
    sleep 0.3
    kill -TERM $pid
    wait $pid
    run "stopped" 0 "$plumb" decompose $job --resume
fi
same "stopped"
"$plumb" decompose hinges.txt --threads 1 >out 2>err & # without a file
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
[ $? -eq 1 ] && grep -q "a run with -o FILE can be continued by --resume" err || fail "stopped without -o: $(cat err)"
grep -q "^dimension [0-9]* was not finished" out || fail "stopped without -o: $(cat out)"

# ---- What is there --------------------------------------------------------------------------------------------------------
start 2
refuse "in use" "is in use: process" "$plumb" decompose $job --resume
kill -KILL $pid
wait $pid 2>/dev/null
last=$(ls part.json.journal/*-0 | sort -n -t / -k 2 | head -1)
printf x >>"$last" # half a line
run "half a line" 0 "$plumb" decompose $job --resume
same "half a line"
start 4
kill -KILL $pid
wait $pid 2>/dev/null
for file in part.json.journal/*-done; do
    echo damaged >"$file" # is computed again
done
run "finished dimensions are damaged" 0 "$plumb" decompose $job --resume
same "finished dimensions are damaged"
start 2
kill -KILL $pid
wait $pid 2>/dev/null
echo damaged >part.json.journal/decompose
refuse "damaged" "is not a journal of plumb decompose" "$plumb" decompose $job --resume
[ "$(cat part.json.journal/decompose)" = damaged ] || fail "damaged: it was changed"
rm -r part.json.journal
mkdir part.json.journal
echo mine >part.json.journal/notes
refuse "a folder of others" "it was left as it is" "$plumb" decompose $job
refuse "a folder of others" "it was left as it is" "$plumb" decompose $job --resume
[ "$(ls part.json.journal)" = notes ] || fail "a folder of others: $(ls part.json.journal)"
rm -r part.json.journal
echo mine >part.json.journal
refuse "a file" "it was left as it is" "$plumb" decompose $job
[ "$(cat part.json.journal)" = mine ] || fail "a file: it was changed"
rm part.json.journal
mkdir part.json.journal # of a run that was killed before it had written anything
run "an empty folder" 0 "$plumb" decompose $job
same "an empty folder"
run "nothing to resume" 0 "$plumb" decompose $job --resume
grep -q "there is no part.json.journal to continue" err || fail "nothing to resume: $(cat err)"
same "nothing to resume"
refuse "no output" "--resume needs -o FILE" "$plumb" decompose hinges.txt --resume
refuse "standard output" "--resume needs -o FILE" "$plumb" decompose hinges.txt --resume -o -

# ---- Ranks ----------------------------------------------------------------------------------------------------------------
refuse "no launcher" "--mpi needs a launcher" env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMI_RANK -u PMIX_RANK \
    -u SLURM_STEP_NUM_TASKS "$plumb" decompose hinges.txt --mpi
refuse "ranks and standard input" "--mpi needs a file" "$plumb" decompose - --mpi
if command -v mpirun >/dev/null && [ -e "$(dirname "$plumb")/libplumb_mpi.so" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none ASAN_OPTIONS=detect_leaks=0
    for n in 1 3; do
        run "$n ranks" 0 mpirun -n $n "$plumb" decompose $job --mpi
        same "$n ranks"
    done
    start 4
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    run "resumed by ranks" 0 mpirun -n 2 "$plumb" decompose $job --mpi --resume
    same "resumed by ranks"
    run "no paths" 0 mpirun -n 2 "$plumb" decompose -e 'x^2 + y^2 = 1' -e 'x^2 + y^2 = 2' --mpi
    holds "no paths" "no solutions"
    run "the whole space" 0 mpirun -n 2 "$plumb" decompose -e '0*x + 0*y' --mpi
    holds "the whole space" "dimension 2   1 component   degree 1"
    mpirun -n 2 "$plumb" decompose hinges.txt --mpi : -n 1 "$plumb" decompose hinges.txt --mpi --seed 2 >out 2>err
    [ $? -eq 2 ] || fail "other seeds: not status 2"
    [ "$(grep -c '^plumb' err)" -eq 1 ] && grep -q "rank 2 is different: the system" err || fail "other seeds: $(cat err)"
    mpirun -n 3 "$plumb" decompose missing.txt --mpi >out 2>err
    [ $? -eq 2 ] || fail "the input is missing: not status 2"
    grep -q "missing.txt could not be read" err || fail "the input is missing: $(cat err)"
fi
[ $failures -eq 0 ]
