#!/bin/sh
# families.sh PLUMB FAMILIES FOLDER CORES SEEDS COUNT NAME... - what are families worth that have known numbers of solutions?
#
# For each family NAME of the folder FAMILIES: monodromy with the seeds 1 to SEEDS has to find all solutions, and where the trace
# test applies, it has to say so; COUNT random real targets, with parameters between -1 and 1, have to have as many solutions, or
# a stated reason; and a sample of SAMPLE targets
# (20) is checked in two ways: from generic solutions of another seed, in quad doubles only (or CHECK), all solutions have to be the same;
# `plumb solve` of the system of the target, from a start system of its own, has to find as many (where ANEW says so below).
# Jobs run on CORES cores, one thread each (or THREADS). FOLDER receives their output; the summary is one line per family. A machine
# without Python is enough. With LIMIT=S no job takes longer than S seconds, and with WORK=S none begins after S seconds.
plumb=$1 families=$2 folder=$3 cores=$4 seeds=$5 count=$6
[ $# -ge 7 ] || { sed -n 2p "$0" >&2; exit 2; }
shift 6
sample=${SAMPLE:-20} limit=${LIMIT:-3600} here=$(cd "$(dirname "$0")" && pwd)

swap='a=b, b=a, ac=bc, bc=ac, x=y, y=x, xc=yc, yc=xc'
cognate='x=a-x, xc=ac-xc, b=(a*y-x*b)/(y-x), bc=(ac*yc-xc*bc)/(yc-xc), y=y*(x-a)/(x-y), yc=yc*(xc-ac)/(xc-yc)'
for i in 1 2 3 4 5 6 7 8; do
    cognate="$cognate, g$i=(x*g$i+d$i)/(x-a), gc$i=(xc*gc$i+dc$i)/(xc-ac)"
done

# The number of solutions, and whether plumb solve has the same ones at a target (see tests/data/families).
expected() {
    case $1 in
    p3p | so3) echo 8 ;; fivepoint10) echo 10 ;; tangents) echo 12 ;; kuramoto4common) echo 14 ;; sixr) echo 16 ;;
    fivepoint | kuramoto4) echo 20 ;; lines27) echo 27 ;; so4 | stewart | fivepoint40) echo 40 ;; kuramoto6common) echo 62 ;;
    kuramoto6) echo 252 ;; so5) echo 384 ;; conics) echo 3264 ;; so6) echo 4768 ;; fourbar) echo 8652 ;;
    *) echo "families.sh: $1 is no family with a known number of solutions" >&2; exit 2 ;;
    esac
}
anew() {
    case $1 in p3p | tangents | lines27 | kuramoto4* | kuramoto6common | sixr | stewart | fivepoint) echo yes ;; *) echo no ;; esac
}

# targets NAME COUNT SEED: random real values of all parameters, with six digits.
targets() {
    tr '\n' ' ' <"$families/$1.phc" | sed 's/^.*parameters//; s/;.*//; s/ //g' |
        awk -v n="$2" -v seed="$3" '{ print; m = split($0, p, ","); srand(seed)
            for (k = 0; k < n; k++) { for (j = 0; j < m; j++) printf "%s%.6f", j ? "," : "", 2 * rand() - 1; print "" } }'
}

# loops NAME SEED FILE: one search; FILE receives the family.
loops() {
    set -- "$1" "$2" "$3" "$families/$1.phc"
    from=
    [ -f "$families/$1.sol" ] && from="--from $families/$1.sol"
    quiet=10
    trace=
    case $1 in so[0-9]) trace=--trace ;; esac # where it applies
    case $1 in so5 | so6) quiet=4 ;; conics | fourbar) quiet=5 ;; esac
    if [ "$1" = fourbar ]; then
        timeout "$limit" "$plumb" monodromy "$4" --symmetry "$swap" --symmetry "$cognate" --loops $quiet --seed "$2" --json -t "${THREADS:-1}" -o "$3"
    else
        # shellcheck disable=SC2086
        timeout "$limit" "$plumb" monodromy "$4" $from $trace --loops $quiet --seed "$2" --json -t "${THREADS:-1}" -o "$3"
    fi
}

# same A.csv B.csv: the largest difference of a solution from that of the other list, relative to its unknowns; "lost" if there is none.
same() {
    awk -F, 'function near(a, b,   i, d, s, most) {
                 most = 0
                 for (i = 7; i < n; i += 2) {
                     d = sqrt((x[a, i] - y[b, i])^2 + (x[a, i + 1] - y[b, i + 1])^2); s = sqrt(x[a, i]^2 + x[a, i + 1]^2)
                     d /= s > 1 ? s : 1
                     most = d > most ? d : most
                 }
                 return most
             }
             FNR == 1 { n = NF; next }
             NR == FNR { p++; for (i = 7; i <= n; i++) x[p, i] = $i + 0; key = int($7 * 1e4); row[$1, key, c[$1, key]++] = p; next }
             { q++; for (i = 7; i <= n; i++) y[q, i] = $i + 0
               best = 1; which = 0; key = int($7 * 1e4)
               for (k = key - 1; k <= key + 1; k++) for (j = 0; j < c[$1, k]; j++) {
                   d = near(row[$1, k, j], q)
                   if (d < best) { best = d; which = row[$1, k, j] }
               }
               if (which == 0 || used[which]++ || best > 1e-6) lost++
               else if (best > largest) largest = best }
             END { print p + 0, q + 0, lost + 0, largest + 0 }' "$1" "$2"
}

# job WORD...: one line of the plan.
job() {
    name=$2
    [ $(($(date +%s) - $(cat "$folder/began"))) -ge "${WORK:-1000000}" ] && return 0
    case $1 in
    monodromy)
        loops "$name" "$3" "$folder/$name.$3.family" >"$folder/$name.$3.json" 2>"$folder/$name.$3.err" ||
            echo "monodromy $name seed $3: $(head -1 "$folder/$name.$3.err")" >>"$folder/problems" ;;
    instances)
        targets "$name" "$4" "$3" >"$folder/$name.$3.targets.csv"
        timeout "$limit" "$plumb" solve "$families/$name.phc" --at "$folder/$name.$3.targets.csv" --family "$folder/$name.1.family" \
            --count -t "${THREADS:-1}" -q -o "$folder/$name.$3.count.csv" >/dev/null 2>"$folder/$name.$3.count.err" ||
            echo "instances $name $3: $(head -1 "$folder/$name.$3.count.err")" >>"$folder/problems" ;;
    check)
        targets "$name" "$3" 1 >"$folder/$name.sample.csv"
        "$plumb" solve "$families/$name.phc" --at "$folder/$name.sample.csv" --family "$folder/$name.1.family" -t "${THREADS:-1}" -q -o "$folder/$name.first.csv"
        "$plumb" solve "$families/$name.phc" --at "$folder/$name.sample.csv" --family "$folder/$name.2.family" --seed 2 -p "${CHECK:-qd}" -t "${THREADS:-1}" -q \
            -o "$folder/$name.second.csv"
        same "$folder/$name.first.csv" "$folder/$name.second.csv" >"$folder/$name.same"
        rm -f "$folder/$name.first.csv" "$folder/$name.second.csv" ;;
    anew) # the system of the target in row $3 of the sample
        targets "$name" "$3" 1 | awk -F, 'NR == 1 { n = split($0, p, ",") } { row = $0 } END { split(row, v, ","); for (i = 1; i <= n; i++) print p[i], v[i] }' |
            awk -v file="$families/$name.phc" '{ value[$1] = $2 }
                END { while ((getline line < file) > 0) text = text line "\n"
                      gsub(/#[^\n]*\n/, "", text); a = index(text, "parameters"); rest = substr(text, a); b = index(rest, ";")
                      text = substr(text, 1, a - 1) substr(rest, b + 1)
                      while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
                          w = substr(text, RSTART, RLENGTH)
                          printf "%s%s", substr(text, 1, RSTART - 1), (w in value) ? "(" value[w] ")" : w
                          text = substr(text, RSTART + RLENGTH)
                      }
                      print text }' >"$folder/$name.$3.anew.phc"
        timeout "$limit" "$plumb" solve "$folder/$name.$3.anew.phc" --no-certify --json -t "${THREADS:-1}" >"$folder/$name.$3.anew.json" 2>/dev/null ;;
    esac
}

if [ "$1" = -job ]; then # called by xargs
    shift
    job "$@"
    exit 0
fi
mkdir -p "$folder" || exit 1
rm -f "$folder/problems"
date +%s >"$folder/began"
for name; do
    expected "$name" >/dev/null || exit 2
done
run() { xargs -P "$cores" -L 1 "$here/families.sh" "$plumb" "$families" "$folder" "$cores" "$seeds" "$count" -job; }

# First the seeds, then what needs their families.
for name; do
    seed=1
    while [ $seed -le "$seeds" ]; do
        echo "monodromy $name $seed"
        seed=$((seed + 1))
    done
done | run
for name; do
    [ "$seeds" -ge 2 ] && [ "$sample" -gt 0 ] && echo "check $name $([ "$count" -lt "$sample" ] && echo "$count" || echo "$sample")"
    case $name in so5 | so6 | conics | fourbar) chunk=1 ;; *) chunk=$(((count + 63) / 64)) ;; esac
    begin=0
    while [ $begin -lt "$count" ]; do
        more=$((count - begin < chunk ? count - begin : chunk))
        echo "instances $name $((1000000 + begin)) $more"
        begin=$((begin + more))
    done
    k=1
    while [ "$(anew "$name")" = yes ] && [ $k -le "$sample" ] && [ $k -le "$count" ]; do
        echo "anew $name $k"
        k=$((k + 1))
    done
done | run

value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$2" | head -1; }
bad=0
for name; do
    want=$(expected "$name")
    found=0 seconds=0 orders=
    seed=1
    while [ $seed -le "$seeds" ]; do
        file=$folder/$name.$seed.json
        [ "$(value count "$file")" = "$want" ] && [ "$(value outcome "$file")" = quiet ] && found=$((found + 1))
        seconds=$(echo "$seconds $(value seconds "$file")" | awk '{ print $1 + $2 }')
        order=$(value group_order "$file")
        [ ${#order} -gt 24 ] && order="of ${#order} digits"
        orders=$(printf '%s\n%s' "$orders" "$order")
        seed=$((seed + 1))
    done
    cat "$folder/$name".1*.count.csv 2>/dev/null | awk -F, -v want="$want" -v name="$name" -v found="$found" -v seeds="$seeds" -v seconds="$seconds" \
        -v same="$(cat "$folder/$name.same" 2>/dev/null)" -v orders="$(echo "$orders" | sort -u | grep -v '^$' | tr '\n' ';')" \
        -v anew="$(for f in "$folder/$name".*.anew.json; do grep '^ *"regular":' "$f" 2>/dev/null | head -1; done | tr -dc '0-9\n' | sort | uniq -c | awk '{ printf "%s%d x %d", (NR > 1 ? ", " : ""), $1, $2 }')" '
        $1 == "target" { next }
        { n++; outcome[$2]++; real += $4; if ($2 == "generic" && $3 != want) wrong++ }
        END { printf "%s: monodromy %d of %d found %d (%.1f s each, order %s), %d targets:", name, found, seeds, want, seconds / (seeds ? seeds : 1), orders, n
              for (o in outcome) printf " %d %s,", outcome[o], o
              printf " %d wrong, %d real", wrong, real
              if (same != "") { split(same, s, " "); printf "; sample in qd from another seed: %d and %d solutions, %d differ, by at most %.1e", s[1], s[2], s[3], s[4] }
              if (anew != "") printf "; solved anew: %s", anew
              print "" }' >"$folder/$name.summary"
    cat "$folder/$name.summary"
    [ "$found" -eq "$seeds" ] || bad=1
    grep -q ' 0 wrong' "$folder/$name.summary" || bad=1
done
[ -s "$folder/problems" ] && cat "$folder/problems" && bad=1
exit $bad
