#!/bin/sh
# files.sh PLUMB - the files that commands write: refused before the work where they cannot be written, or are inputs or one another;
# replaced as a whole, with their permissions and through links; nothing else left in the folder.
plumb=$1
dir=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# refuse STATUS WORDS COMMAND...: one line with the words, that status, within a second of work, and nothing new in the folder.
refuse()
{
    wanted=$1 words=$2
    shift 2
    ls -A >before
    timeout 20 "$@" >out 2>err
    status=$?
    ls -A >after
    [ $status -eq "$wanted" ] || fail "$*: status $status, expected $wanted: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$words" err || fail "$*: no '$words' in: $(cat err)"
    cmp -s before after || fail "$*: something new is there: $(diff before after)"
}

touch before after out err
"$plumb" random -m 6 -n 4 -o A.mtx && "$plumb" random -m 6 -n 1 -o b.mtx || fail "no matrices"
"$plumb" system family katsura 3 -o f.phc || fail "no system"
"$plumb" system family cyclic 7 -o long.phc || fail "no system" # takes minutes: outputs are tried before
"$plumb" track f.phc -q -o roots.sol || fail "no solutions"

# ---- outputs that cannot be written are refused at once, by every command that writes
mkdir folder.phc closed
chmod a-w closed
for output in folder.phc /dev/full nowhere/x.phc f.phc/x.phc; do
    refuse 1 "could not be written" "$plumb" system family noon 4 -o $output
    refuse 1 "could not be written" "$plumb" system convert f.phc -o $output
    refuse 1 "could not be written" "$plumb" system random -n 3 -o $output
    refuse 1 "could not be written" "$plumb" system start long.phc -o $output
    refuse 1 "could not be written" "$plumb" system start long.phc -o ok.phc --solutions $output
    refuse 1 "could not be written" "$plumb" random -m 3 -o $output
    refuse 1 "could not be written" "$plumb" lsq A.mtx b.mtx -o $output
    refuse 1 "could not be written" "$plumb" lsq A.mtx b.mtx --covariance $output
    refuse 1 "could not be written" "$plumb" qr A.mtx --q $output
    refuse 1 "could not be written" "$plumb" qr A.mtx --r $output
    refuse 1 "could not be written" "$plumb" newton f.phc roots.sol -o $output
    refuse 1 "could not be written" "$plumb" track long.phc -o $output
    refuse 1 "could not be written" "$plumb" track long.phc --path-log $output
    refuse 1 "could not be written" "$plumb" track long.phc --plot $output
    refuse 1 "could not be written" "$plumb" bench lsq -o $output
    refuse 1 "could not be written" "$plumb" bench paper --quick -o $output
done
refuse 1 "nothing can be written into 'nowhere'" "$plumb" bench paper --quick -o page.html --plots nowhere
refuse 1 "nothing can be written into 'f.phc'" "$plumb" bench paper --quick -o page.html --plots f.phc
refuse 2 "found an empty name" "$plumb" track long.phc -o ''
: >locked.sol
chmod a-w locked.sol
if [ "$(id -u)" -ne 0 ]; then # root may write anywhere
    refuse 1 "Permission denied" "$plumb" track long.phc -o closed/x.sol
    refuse 1 "Permission denied" "$plumb" track long.phc -o locked.sol
fi

# ---- a standard output that is closed or full is refused at once where it will be used, and only there
refuse 1 "standard output could not be written" sh -c '"$1" track long.phc >&-' - "$plumb"
refuse 1 "standard output could not be written" sh -c '"$1" track long.phc --json >&-' - "$plumb"
refuse 1 "standard output could not be written" sh -c '"$1" track long.phc >/dev/full' - "$plumb"
refuse 1 "standard output could not be written" sh -c '"$1" system convert f.phc >&-' - "$plumb"
"$plumb" system convert f.phc -o quiet.txt >&- 2>err || fail "standard output is not needed: $(cat err)"
"$plumb" track f.phc -q -o quiet.sol >&- 2>err || fail "standard output is not needed: $(cat err)"
# No file of ours becomes descriptor 1 or 2.
sh -c '"$1" system convert f.phc -o both.txt >&- 2>&-' - "$plumb" || fail "both streams closed"
cmp -s both.txt quiet.txt || fail "messages or results went into the wrong file"
refuse 2 "could not be read" sh -c '"$1" system convert - -o in.txt <&-' - "$plumb"

# ---- outputs that are inputs, or one another, by whatever name
cp f.phc saved.phc
ln -s f.phc link.phc
ln f.phc hard.phc
mkdir sub
ln -s .. sub/up
for name in f.phc ./f.phc link.phc hard.phc sub/up/f.phc "$dir/f.phc"; do
    refuse 2 "are one file" "$plumb" track f.phc -o "$name"
    refuse 2 "are one file" "$plumb" system convert "$name" -o f.phc
    refuse 2 "are one file" "$plumb" system start f.phc --solutions "$name"
done
refuse 2 "are one file" "$plumb" qr A.mtx --q same.mtx --r same.mtx
refuse 2 "are one file" "$plumb" qr A.mtx --q same.mtx --r sub/up/same.mtx
refuse 2 "are one file" "$plumb" lsq A.mtx b.mtx -o b.mtx
refuse 2 "are one file" "$plumb" lsq A.mtx b.mtx -o x.mtx --covariance ./x.mtx
refuse 2 "are one file" "$plumb" newton f.phc roots.sol -o roots.sol
refuse 2 "are one file" "$plumb" track f.phc --start f.phc --start-solutions roots.sol -o roots.sol
refuse 2 "are one file" "$plumb" system convert - -o f.phc <f.phc
refuse 2 "are one file" sh -c '"$1" system convert f.phc >>f.phc' - "$plumb"
refuse 2 "are one file" sh -c '"$1" system convert - <f.phc >>f.phc' - "$plumb"
touch out.mtx
refuse 2 "are one file" sh -c '"$1" lsq A.mtx b.mtx -o out.mtx >>out.mtx' - "$plumb"
ln -s roots.sol t.sol.journal
refuse 2 "are one file" "$plumb" track f.phc --start f.phc --start-solutions roots.sol -o t.sol
rm t.sol.journal
# Mixed cells are written where there are none, and otherwise read: an output or an input like every other.
refuse 2 "are one file" "$plumb" solve f.phc --start polyhedral --cells c.json -o c.json
refuse 2 "are one file" sh -c '"$1" solve f.phc --start polyhedral --cells out.mtx >>out.mtx' - "$plumb"
refuse 2 "--cells need files" "$plumb" solve f.phc --start polyhedral --cells - -q
refuse 1 "could not be written" "$plumb" solve long.phc --start polyhedral --cells nowhere/cells
"$plumb" solve f.phc --start polyhedral --cells cells.json -q || fail "no mixed cells"
cp cells.json saved.cells
refuse 2 "are one file" "$plumb" solve f.phc --start polyhedral --cells cells.json -o cells.json
ln -s cells.json t.sol.journal
refuse 2 "are one file" "$plumb" solve f.phc --start polyhedral --cells cells.json -q -o t.sol
rm t.sol.journal
cmp -s cells.json saved.cells || fail "mixed cells were changed"
cmp -s f.phc saved.phc || fail "an input was changed"
"$plumb" track f.phc -q -o /dev/null || fail "a device is no conflict"
"$plumb" qr A.mtx -q --q /dev/null --r /dev/null || fail "two outputs to the null device"

# ---- an output replaces a file with its permissions, and follows links
echo old >mode.txt
chmod 640 mode.txt
"$plumb" system convert f.phc -o mode.txt || fail "not replaced"
[ "$(stat -c %a mode.txt)" = 640 ] || fail "the permissions are $(stat -c %a mode.txt)"
(umask 027 && "$plumb" system convert f.phc -o new.txt)
[ "$(stat -c %a new.txt)" = 640 ] || fail "the umask does not count: $(stat -c %a new.txt)"
echo old >sub/target.txt
ln -s sub/target.txt there.txt
"$plumb" system convert f.phc -o there.txt || fail "not written through a link"
[ -L there.txt ] && cmp -s sub/target.txt new.txt || fail "the link was replaced"
ln -s sub/missing.txt dangling.txt
"$plumb" system convert f.phc -o dangling.txt || fail "not written through a link to nothing"
[ -L dangling.txt ] && cmp -s sub/missing.txt new.txt || fail "the link to nothing was replaced"
ln -s round.txt round.txt
refuse 1 "could not be written" "$plumb" system convert f.phc -o round.txt
mkfifo pipe
cat pipe >piped.txt &
"$plumb" system convert f.phc -o new.phc
"$plumb" system convert f.phc -o pipe || fail "not written into a pipe"
wait
cmp -s piped.txt new.phc && [ -p pipe ] || fail "the pipe has something else"
"$plumb" system convert f.phc -o /dev/stdout | cat >stdout.txt
cmp -s stdout.txt new.phc || fail "/dev/stdout has something else"
long=$(printf '%0251d' 0).txt
"$plumb" system convert f.phc -o "$long" || fail "a long name"

# ---- files that may not grow: the old one stays, one line says so, also without the signal that ulimit sends
"$plumb" random -m 60 -o big.mtx && cp big.mtx kept.mtx || fail "no matrix"
refuse 1 "File too large" sh -c 'ulimit -f 8; exec "$1" random -m 60 --seed 2 -o big.mtx' - "$plumb"
cmp -s big.mtx kept.mtx || fail "an old file was destroyed"

# ---- all files of a command, or none
echo old >q.npy
refuse 1 "File too large" sh -c 'ulimit -f 128; exec "$1" qr big.mtx -p d --q q.npy --r r.mtx' - "$plumb"
grep -qx old q.npy || fail "one of two files was written"

ls -A | grep -q '^\.plumb-' && fail "a temporary file is left over"
[ $failures -eq 0 ] && echo "files: all is well"
[ $failures -eq 0 ]
