#!/bin/sh
# tidy.sh ROOT - scripts/tidy with a clang-tidy that is a script: it passes only if every file was checked and nothing was found, and it
# notices a clang-tidy that is killed, fails without a word, or is not there.
root=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

# check NAME STATUS EXPECTED SCRIPT: the status of scripts/tidy on four files, and a pattern for a line that it prints ("": nothing).
check()
{
    printf '#!/bin/sh\n%s\n' "$4" >"$work/clang-tidy"
    chmod +x "$work/clang-tidy"
    said=$(PATH=$work:$PATH "$root/scripts/tidy" "$work" one.c two.c three.c four.c 2>&1)
    status=$?
    if [ "$status" -ne "$2" ] || { [ -z "$3" ] && [ -n "$said" ]; } || ! printf '%s\n' "$said" | grep -qE -e "$3"; then
        printf '%s: status %s, expected %s, and a line "%s"; it said:\n%s\n' "$1" "$status" "$2" "$3" "$said"
        bad=1
    fi
}

on_three='case "$*" in *three.c*)'
check clean 0 '' 'exit 0'
check "only counts" 0 '' 'echo "12 warnings generated." >&2; echo "Suppressed 12 warnings"'
check "a warning" 1 '^three.c:1:1: warning: no$' "$on_three echo 'three.c:1:1: warning: no';; esac"
check "an error" 1 '^three.c:1:1: error: no$' "$on_three echo 'three.c:1:1: error: no'; exit 1;; esac"
check "killed" 1 '^tidy: clang-tidy died of signal 9 and has not checked three.c four.c$' "$on_three kill -KILL \$\$;; esac"
check "a crash" 1 '^tidy: clang-tidy died of signal 6 ' "$on_three kill -ABRT \$\$;; esac"
check "no word" 1 '^tidy: clang-tidy ended with status 1 and may not have checked three.c four.c$' "$on_three exit 1;; esac"
check "a status of its own" 1 '^tidy: clang-tidy ended with status 3 ' "$on_three echo 'three.c: hm'; exit 3;; esac"
check "its shell is killed" 1 '^tidy: these were not checked: .*three.c four.c$' "$on_three kill -KILL \$PPID;; esac"
check "not there" 1 '^tidy: clang-tidy ended with status 12[67] ' 'exit 127'
exit $bad
