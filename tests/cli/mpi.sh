#!/bin/sh
# mpi.sh - tests runs that several processes share (--mpi): the bytes are those of one process, whoever is different is refused, and
# a run that was stopped or killed continues to the same bytes. Needs mpirun and the plugin.
#   mpi.sh PLUMB PROGRAM [KILLS]     PROGRAM: ranks_solve, which calls plumb_solve; how many ranks are killed; "none" leaves out all long tests
set -u
plumb=$1 program=$2 kills=${3:-2}
. "$(dirname "$0")/checks.sh"
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$plumb")/libplumb_mpi.so" ]; then
    echo "skipped: mpirun or the plugin for MPI is missing"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid it, and Open MPI says so
export ASAN_OPTIONS=detect_leaks=0                   # MPI libraries keep memory until the end
cd "$dir" || exit 1

# line WORDS: the program said this, in one line; mpirun says more.
line()
{
    [ "$(grep -c '^plumb' err)" -eq 1 ] && grep '^plumb' err | grep -qF -- "$1" || fail "no line '$1' in: $(cat err)"
}

# same NAME: $whole and $part have the same bytes.
whole=whole.sol part=part.sol
same()
{
    cmp -s $whole $part || fail "$1: other bytes"
    [ ! -e $part.journal ] || fail "$1: the journal is still there"
    rm -f $part $part.journal
}

# ---- The same bytes -----------------------------------------------------------------------------------------------------
"$plumb" system family cyclic 6 -o cyclic6.txt
"$plumb" solve cyclic6.txt --quiet --certify -o whole.sol || fail "cyclic6"
for n in 1 3 7; do
    run "$n ranks" 0 mpirun -n $n "$plumb" solve cyclic6.txt --mpi --quiet --certify -o part.sol
    same "$n ranks"
done
run "threads" 0 mpirun -n 2 "$plumb" solve cyclic6.txt --mpi --threads 2 --quiet --certify -o part.sol
same "threads"
run "4 ranks" 0 mpirun -n 4 "$plumb" solve cyclic6.txt --mpi --certify --seed 2
holds "4 ranks" "156 certified distinct isolated solutions"
[ "$(grep -c '^156 distinct' out)" -eq 1 ] || fail "not one answer: $(cat out)"

printf 'x^3 + y^2 - 2\nx*y - 1\nx^2 + x*y - 2\n' >over.txt # more equations than unknowns
"$plumb" solve over.txt --quiet -o whole.sol || fail "overdetermined"
run "overdetermined" 0 mpirun -n 4 "$plumb" solve over.txt --mpi --quiet -o part.sol
same "overdetermined"
run "no paths" 0 mpirun -n 2 "$plumb" solve -e 'x - 1' --mpi
holds "no paths" "1 distinct isolated solution"

"$plumb" system family katsura 5 -o katsura5.txt
"$plumb" track katsura5.txt --quiet -o whole.sol || fail "katsura5"
run "track" 0 mpirun -n 4 "$plumb" track katsura5.txt --mpi --quiet -o part.sol
same "track"

# A family: rank 0 hands out targets.
printf 'parameters a, b;\nx^2 + a*y - b;\ny^2 - x*y + a;\nx + y + z - b;\n' >family.txt
awk 'BEGIN { print "a,b"; for (k = 1; k <= 700; k++) printf "%g,%g\n", k / 300, 2 - k / 400 }' >targets.csv
"$plumb" solve family.txt --at targets.csv --quiet -o whole.csv || fail "a family"
for n in 1 4; do
    run "a family, $n ranks" 0 mpirun -n $n "$plumb" solve family.txt --at targets.csv --mpi --quiet -o family.csv
    cmp -s whole.csv family.csv || fail "a family, $n ranks: other bytes"
    [ ! -e family.csv.journal ] || fail "a family, $n ranks: the journal is still there"
done
head -n 301 targets.csv >few.csv
"$plumb" solve family.txt --at few.csv --quiet --json >whole.txt || fail "a family as lines"
mpirun -n 3 "$plumb" solve family.txt --at - --mpi --json <few.csv >out 2>err && cmp -s whole.txt out || fail "a stream of targets: $(cat err)"
run "a bad target" 2 mpirun -n 3 "$plumb" solve family.txt --at no.csv --mpi
line "no.csv could not be read"

# ---- A program in C: several calls, one after the other, and one that fails -------------------------------------------------
PLUMB_MPI=$(cd "$(dirname "$plumb")" && pwd)/libplumb_mpi.so
export PLUMB_MPI
"$program" cyclic6.txt 3 >whole.txt || fail "a program alone"
[ "$(wc -l <whole.txt)" -eq 468 ] || fail "a program alone: $(wc -l <whole.txt) solutions"
for n in 2 3 5; do
    run "a program, $n ranks" 0 mpirun -n $n "$program" cyclic6.txt -3
    cmp -s whole.txt out || fail "a program, $n ranks: other bytes"
done
run "a program with a journal" 0 mpirun -n 3 "$program" cyclic6.txt 3 program.journal
cmp -s whole.txt out || fail "a program with a journal: other bytes"
unset PLUMB_MPI

mpirun -n 2 "$plumb" info --mpi >out 2>err || fail "info: $(cat err)"
grep -q "^MPI .*[0-9]" out && grep -q "^rank 0 " out && grep -q "^rank 1 " out || fail "info: $(cat out)"
if [ "$(nproc)" -gt 1 ]; then # ranks that are bound to a core each; the first one may use both while the other waits
    mpirun --bind-to core -n 2 "$plumb" info --mpi >out 2>err || fail "bound: $(cat err)"
    grep -q "^rank 0 .* 1 thread (2 while the others wait)" out || fail "bound: $(cat out)"
    run "bound" 0 mpirun --bind-to core -n 2 "$plumb" solve cyclic6.txt --mpi --quiet --certify -o part.sol
    "$plumb" solve cyclic6.txt --quiet --certify -o whole.sol || fail "cyclic6"
    same "bound"
fi
"$plumb" info --mpi | grep -q "^ranks .*mpirun -n N plumb info --mpi" || fail "info without ranks"

# ---- Misuse: one line, and no hang ----------------------------------------------------------------------------------------
refuse "no launcher" "--mpi needs a launcher" env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMI_RANK -u PMIX_RANK \
    -u SLURM_STEP_NUM_TASKS "$plumb" solve cyclic6.txt --mpi
refuse "path log" "--mpi excludes --path-log" "$plumb" solve cyclic6.txt --mpi --path-log log.jsonl
refuse "standard input" "--mpi needs a file" "$plumb" solve - --mpi
mpirun -n 2 "$plumb" solve cyclic6.txt --mpi --quiet -o part.sol : -n 1 "$plumb" solve cyclic6.txt --mpi --seed 2 \
    >out 2>err
[ $? -eq 2 ] || fail "other seeds: not status 2"
line "rank 2 is different: --seed is 2 there, and 1 on rank 0"
ls part.sol* >/dev/null 2>&1 && fail "other seeds: files are left"
mpirun -n 2 "$plumb" solve cyclic6.txt --mpi : -n 1 "$plumb" solve missing.txt --mpi >out 2>err
[ $? -eq 2 ] || fail "an input is missing: not status 2"
line "rank 2: missing.txt could not be read"
mpirun -n 3 "$plumb" solve missing.txt --mpi >out 2>err
[ $? -eq 2 ] || fail "the input is missing: not status 2"
line "missing.txt could not be read"
PLUMB_MPI=/nowhere.so mpirun -n 1 "$plumb" solve cyclic6.txt --mpi >out 2>err
[ $? -eq 1 ] || fail "no plugin: not status 1"
line "--mpi needs the plugin"

if [ "$kills" = none ]; then
    [ $failures -eq 0 ]
    exit
fi

# ---- Stopped, killed, resumed ------------------------------------------------------------------------------------------------
"$plumb" system family katsura 9 -o katsura9.txt
job="katsura9.txt --mpi -p qd --quiet --no-certify -o part.sol" # some seconds, long enough to be stopped
"$plumb" solve katsura9.txt -p qd --quiet --no-certify -o whole.sol || fail "katsura9"

# rank K: the process of this rank, as Open MPI or MPICH numbers it; that of MPICH is a child of a child of mpirun.
rank()
{
    for process in $(pgrep -x "$(basename "$plumb")"); do
        parent=$(ps -o ppid= -p "$process" | tr -d ' ')
        [ "$parent" = "$pid" ] || [ "$(ps -o ppid= -p "${parent:-0}" 2>/dev/null | tr -d ' ')" = "$pid" ] || continue
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$" && echo "$process" && return
    done
}

# start LINES RANK: starts the job on 4 ranks and waits until its journal has so many lines. $pid is that of mpirun, and
# $process_of_rank that of the rank. It is looked up meanwhile, because that takes long on a busy machine.
start()
{
    setsid mpirun -n 4 "$plumb" solve $job >out 2>err &
    pid=$!
    process_of_rank=
    waited=0
    while [ "$( (cat $part.journal 2>/dev/null || :) | wc -l)" -lt "$1" ] && [ $waited -lt 1500 ]; do
        [ -n "$process_of_rank" ] || process_of_rank=$(rank "$2")
        sleep 0.02
        waited=$((waited + 1))
    done
}

# ended NAME: waits for mpirun, a minute at most.
ended()
{
    waited=0
    while kill -0 $pid 2>/dev/null && [ $waited -lt 600 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    if kill -0 $pid 2>/dev/null; then
        fail "$1: it does not end"
        kill -9 $pid
    fi
    wait $pid
    status=$?
}

# resume NAME: to the same bytes, on another number of ranks.
resume()
{
    if [ ! -e $part.journal ]; then # then it must have ended before the signal came
        same "$1"
        return
    fi
    run "$1" 0 mpirun -n 3 "$plumb" solve $job --resume
    same "$1"
}

start 100 0
kill -TERM $pid
ended "a stop"
[ $status -ne 0 ] || fail "a stop: status 0"
resume "after a stop"

start 100 3
kill -TERM "$process_of_rank"
ended "a signal for one rank"
[ $status -eq 1 ] || fail "a signal for one rank: status $status"
line "the run was stopped"
resume "after a signal for one rank"

k=0
while [ $k -lt "$kills" ]; do
    start $((30 + 613 * k % 400)) $((k % 2)) # the manager, a worker
    kill -9 "$process_of_rank"
    ended "a kill"
    resume "after a kill"
    k=$((k + 1))
done

# not_answering LINES: a rank that is stopped does not keep the others from the end.
not_answering()
{
    start "$1" 2
    kill -STOP "$process_of_rank"
    waited=0
    while { [ ! -e $part ] || [ -e $part.journal ]; } && [ $waited -lt 600 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    [ $waited -lt 600 ] || fail "a rank that does not answer keeps the others from the end"
    ended "a rank that does not answer" # rank 0 wakes it
    [ $status -eq 0 ] || fail "a rank that does not answer: status $status, $(cat err)"
    same "a rank that does not answer"
}
not_answering 50

# ---- The same for a family, whose journal has a line every two seconds ---------------------------------------------------------
whole=whole.csv part=part.csv
awk 'BEGIN { print "a,b"; for (k = 1; k <= 40000; k++) printf "%g,%g\n", k / 20000, 2 - k / 30000 }' >targets.csv
job="family.txt --at targets.csv --mpi --quiet -o part.csv"
"$plumb" solve family.txt --at targets.csv --quiet -o whole.csv || fail "a family"
start 2 0
kill -TERM $pid
ended "a stop of a family"
[ $status -ne 0 ] || fail "a stop of a family: status 0"
resume "after a stop of a family"
for k in 0 1; do
    start $((2 + k)) $k
    kill -9 "$process_of_rank"
    ended "a kill of a family"
    resume "after a kill of a family"
done
not_answering 2

[ $failures -eq 0 ]
