#!/bin/sh
# journal.sh PLUMB LINES - the journals of plumb track: killed early they are no obstacle, damaged lines are tracked again and told, what is no
# journal is not touched, two runs do not share one, and what is finished is on the disk soon.
plumb=$1
checked=$2 # gives lines their checksums
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# refuse WORDS COMMAND...: status 2 and one line with the words; no file changes.
refuse()
{
    words=$1
    shift
    cksum ./*.journal ./*.jsonl >before 2>/dev/null
    "$@" >out 2>err
    status=$?
    cksum ./*.journal ./*.jsonl >after 2>/dev/null
    [ $status -eq 2 ] || fail "$*: status $status, expected 2: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$words" err || fail "$*: no '$words' in: $(cat err)"
    cmp -s before after || fail "$*: a file was changed: $(diff before after)"
}

# same COMMAND...: the solutions of whole.sol in part.sol, with status 0, and no journal. What was told is in err.
same()
{
    "$@" >out 2>err || fail "$*: status $?: $(cat err)"
    cmp -s whole.sol part.sol || fail "$*: other solutions"
    [ ! -e part.sol.journal ] || fail "$*: the journal is left over"
    rm -f part.sol
}

# The number of lines of a file that may be missing.
lines()
{
    { wc -l <"$1" || echo 0; } 2>/dev/null
}

# The journal of a run that was killed when some paths had ended.
killed()
{
    rm -f part.sol.journal
    "$plumb" track $job -o part.sol >out 2>&1 &
    pid=$!
    while [ "$(lines part.sol.journal)" -lt 6 ] && kill -0 $pid 2>/dev/null; do
        sleep 0.02
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ "$(lines part.sol.journal)" -ge 6 ]
}

"$plumb" system family katsura 5 -o f.phc || fail "no system"
job="f.phc -p qd --threads 2 --backend cpu -q"
"$plumb" track $job -o whole.sol || fail "the run failed"

# ---- killed early, whatever is left is no obstacle
head=$(printf '{"journal": "plumb track"')
for left in nothing empty zeros cut damaged; do
    for resume in "" --resume; do
        case $left in
            nothing) : ;;
            empty) : >part.sol.journal ;;
            zeros) head -c 4096 /dev/zero >part.sol.journal ;;
            cut) printf '%s, "plumb": "0' "$head" >part.sol.journal ;;
            damaged) printf '%s, "plumb": "0", "check": "0"}\n' "$head" >part.sol.journal ;;
        esac
        same "$plumb" track $job $resume -o part.sol
        if [ "$left$resume" = nothing--resume ]; then # killed before it had a journal
            grep -q "no part.sol.journal to continue: the run starts from the beginning" err || fail "not told: $(cat err)"
        else
            [ -s err ] && fail "$left: told $(cat err)"
        fi
    done
done
for moment in 0.01 0.03 0.1; do
    "$plumb" track $job -o part.sol >out 2>&1 &
    pid=$!
    sleep $moment
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ -e part.sol.journal ]; then
        [ "$(head -c 25 part.sol.journal)" = "$head" ] || fail "killed after $moment s: no first line"
        [ "$(lines part.sol.journal)" -ge 1 ] || fail "killed after $moment s: half a first line"
        if [ "$(lines part.sol.journal)" -gt 1 ]; then
            same "$plumb" track $job --resume -o part.sol
        else
            cp part.sol.journal early
            same "$plumb" track $job -o part.sol
            cp early part.sol.journal
            same "$plumb" track $job --resume -o part.sol
        fi
    fi
    ls .plumb-* 2>/dev/null && fail "killed after $moment s: a temporary file is left over"
    rm -f part.sol part.sol.journal
done

# ---- what is finished is kept, long before a block of paths is done
killed || fail "no journal with finished paths"
head -n "$(lines part.sol.journal)" part.sol.journal >good # whole lines
cp good part.sol.journal
refuse "resume it (--resume)" "$plumb" track $job -o part.sol
refuse "--seed is 2" "$plumb" track $job --seed 2 --resume -o part.sol
same "$plumb" track $job --resume -o part.sol
[ -s err ] && fail "an undamaged journal: told $(cat err)"

# ---- damaged lines are told and tracked again
damage() # LINES WORDS: part.sol.journal is damaged so
{
    same "$plumb" track $job --resume -o part.sol
    grep -qF "part.sol.journal: $1, the first is line $2:" err || fail "not told: $1, line $2: $(cat err)"
    [ "$(wc -l <err)" -le 1 ] || fail "more than one line: $(cat err)"
}
sed '3s/0x1\./0x0./' good >part.sol.journal && damage "1 damaged line" 3
sed '2s/"steps": \([0-9]*\)/"steps": 1\1/; 4s/"code"/"kode"/' good >part.sol.journal && damage "2 damaged lines" 2
sed '2s/"success"/"at infinity"/' good >part.sol.journal && damage "1 damaged line" 2
sed '1s/"--seed": "1"/"--seed": "2"/' good >part.sol.journal && damage "1 damaged line" 1
sed '1s/journal/jornual/' good >part.sol.journal && damage "1 damaged line" 1
{ sed -n 1,3p good && head -c 512 /dev/zero && echo && sed -n '4,$p' good; } >part.sol.journal && damage "1 damaged line" 4
sed 's/$/\r/; 1s/\r//' good >part.sol.journal && damage "$(($(wc -l <good) - 1)) damaged lines" 2
"$plumb" track $job --seed 2 -o other.sol >out 2>&1 & # a line of another run is none of this
pid=$!
while [ "$(lines other.sol.journal)" -lt 3 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.02
done
cp other.sol.journal other
wait $pid
{ cat good && sed -n 2p other; } >part.sol.journal && damage "1 damaged line" "$(($(wc -l <good) + 1))"
{ sed -n 1,2p good && sed -n 2p good && sed -n '2,$p' good; } >part.sol.journal # the same line again is no harm
same "$plumb" track $job --resume -o part.sol
{ cat good && printf '{"path": 1, "co'; } >part.sol.journal # as is a line that was being written
same "$plumb" track $job --resume -o part.sol
[ -s err ] && fail "half a line: told $(cat err)"

# ---- what is no journal is not touched
for foreign in 'my notes, without a line end' '{"plumb": "0.1.0", "--seed": "1"}' '[1, 2, 3]' '{"path": 1}'; do
    printf '%s' "$foreign" >part.sol.journal
    refuse "is not a journal of plumb track" "$plumb" track $job --resume -o part.sol
    refuse "is not a journal of plumb track" "$plumb" track $job -o part.sol
    printf '%s\nand more\n' "$foreign" >part.sol.journal
    refuse "is not a journal of plumb track" "$plumb" track $job --resume -o part.sol
    refuse "is not a journal of plumb track" "$plumb" track $job -o part.sol
done
head -c 100000 "$plumb" >part.sol.journal
refuse "is not a journal of plumb track" "$plumb" track $job --resume -o part.sol
rm part.sol.journal
mkdir part.sol.journal
refuse "is not a journal of plumb track" "$plumb" track $job -o part.sol
rmdir part.sol.journal
refuse "needs --path-log" "$plumb" track $job --resume -o part.sol --plot part.svg
cp good part.sol.journal
printf '{"result": 1}\nnot whole' >log.jsonl
refuse "is not a path log" "$plumb" track $job --resume -o part.sol --path-log log.jsonl
rm log.jsonl part.sol.journal

# ---- keys and values that this version does not write, in lines whose checksum is right
unknown() # WORDS SED: the second is a change of the journal
{
    sed "$2" good | "$checked" >part.sol.journal
    cmp -s good part.sol.journal && fail "no change: $2"
    refuse "$1" "$plumb" track $job --resume -o part.sol
    rm part.sol.journal
}
"$checked" <good >again && cmp -s good again || fail "checksums are made otherwise"
unknown "part.sol.journal:3: found a wrong or unknown member 'code'" '3s/"code"/"kode"/'
unknown "part.sol.journal:3: found a wrong or unknown member 'extra'" '3s/"code"/"extra": 1, "code"/'
unknown "part.sol.journal:3: found a wrong or unknown member 'code'" '3s/"success"/"succes"/'
unknown "part.sol.journal:4: found a wrong or unknown member 'x'" '4s/0x1/1x1/'
unknown "part.sol.journal:2: found a wrong or unknown member 'path'" '2s/"path": [0-9]*/"path": 1000/'
unknown "part.sol.journal:2: found a wrong or unknown member 'steps'" '2s/"steps": [0-9]*/"steps": -1/'
unknown "part.sol.journal:1: found the unknown key '--sead'" '1s/"--seed": "1"/"--seed": "1", "--sead": "1"/'
unknown "part.sol.journal:1: found no '--seed'" '1s/"--seed": "1", //'
unknown "plumb is" '1s/"plumb": "[^"]*"/"plumb": "0.0.1"/'

# ---- two runs on one output
"$plumb" track $job -o part.sol >out 2>&1 &
pid=$!
while [ ! -e part.sol.journal ] && kill -0 $pid 2>/dev/null; do
    sleep 0.02
done
if kill -STOP $pid 2>/dev/null; then
    cp part.sol.journal held
    for resume in "" --resume; do
        "$plumb" track $job $resume -o part.sol >out2 2>err
        [ $? -eq 2 ] || fail "two runs: the second was not refused"
        grep -q "part.sol.journal is in use: process $pid " err || fail "two runs: $(cat err), expected process $pid"
    done
    cmp -s held part.sol.journal || fail "two runs: the second changed the journal"
    kill -CONT $pid
else
    fail "two runs: the first was too fast"
fi
wait $pid || fail "two runs: the first failed: $(cat out)"
cmp -s whole.sol part.sol || fail "two runs: the first has other solutions"
killed && same "$plumb" track $job --resume -o part.sol # a lock ends with its process

ls -A | grep '^\.plumb-' && fail "a temporary file is left over"
[ $failures -eq 0 ] && echo "journals: all is well"
[ $failures -eq 0 ]
