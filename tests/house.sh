#!/bin/sh
# house.sh ROOT - every include points down the house (docs/design.md): no file includes a room above its own, the two programs do not
# include each other, nor do the two machines, and above the machines only what is allowed here sees more than backend/backend.h. Nothing
# in src waits or measures by the time of day, which may be set at any moment: there is base/os/clock.h, and CLOCK_MONOTONIC. What the
# headers of app, solver/run and solver/ranks declare has the prefix of its folder. The program does not look into a context. Nothing
# calls hypot, whose last bit is the C library's choice and which needs glibc 2.35 where it was linked by a newer one.
cd "$1" || exit 2
! grep -rnE 'CLOCK_REALTIME|gettimeofday|[^_a-z]time\((NULL|0)\)' src || exit 1
! grep -rnE '[^_a-z]hypot\(' src || exit 1
rooms="arith base model text method backend solver app cli bench" # from the ground up
allowed='^src/solver/context/context[.]c:backend/cpu/kernels[.]h$'
grep -rE '^ *# *include "[^"]*/' src bench | awk -F'[:"]' -v rooms="$rooms" -v allowed="$allowed" '
    function room(path) { sub(/^src\//, "", path); sub(/\/.*/, "", path); return path }
    function wrong(why) { print $1 " includes " $3 ": " why; bad = 1 }
    BEGIN { for (k = split(rooms, name, " "); k; k--) height[name[k]] = k }
    { from = room($1); to = room($3) }
    !(to in height) || height[to] > height[from] { wrong("it is not below") }
    from == "bench" && to == "cli" { wrong("the two programs share only src/app") }
    $1 ":" $3 ~ /^src\/backend\/(cpu.*:backend\/cuda|cuda.*:backend\/cpu)/ { wrong("a machine does not know the other one") }
    from ~ /solver|app|cli/ && $3 ~ /^backend\// && $3 != "backend/backend.h" && $1 ":" $3 !~ allowed { wrong("only backend/backend.h is for this room") }
    END { exit bad || NR < 100 }' || exit 1 # with fewer than 100 includes, the sources were not found

# prefixed FOLDER PREFIX: calls that its headers declare
prefixed() {
    grep -rhE '^[a-z_].*[ *][a-z_]+\(' --include='*.h' "src/$1" | grep -vE '^(typedef|static|__attribute)' |
        sed -E 's/^[^(]*[ *]([a-z_0-9]+)\(.*/\1/' | awk -v prefix="$2" -v folder="$1" '
            index($0, prefix) != 1 { print "src/" folder " declares " $0 ": expected " prefix "..."; bad = 1 }
            END { exit bad || NR < 10 }'
}
! grep -rnE 'context->|solver/context/' src/cli src/app || exit 1

# The program calls plumb.h: of the solver it may see the run of plumb track, the traces of newton, parts of families, the ranks that info shows, what
# system says about groups and starts without scales, and the memory that least squares will need.
seen='^src/cli/(track/.*:solver/(run|homotopy|ranks)/|newton/.*:solver/newton/|family/.*:solver/(run|ranks|family)/|info[.]c:(solver/ranks/|backend/backend[.]h)|system/.*:solver/(multihomogeneous|homotopy)/|(lsq/lsq|qr)[.]c:backend/backend[.]h)'
! grep -rE '^ *# *include "(solver|backend)/' src/cli | sed 's/# *include "//' | grep -vE "$seen" || exit 1
grep -q 'plumb_solve(' src/cli/solve/job.c || exit 1
prefixed app app_ && prefixed solver/run run_ && prefixed solver/ranks ranks_
