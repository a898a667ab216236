#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Another user prepares the place where root writes a capture: root writes and removes nothing behind
# a link, takes no directory of that user, and never waits for a pipe. What killed programs left is
# removed, and nothing else.
. "$srcdir/cli/cli.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to act as two users"
need setpriv
chmod 755 .
mkdir -m 777 user

other() # other COMMAND…: as another user
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

import()
{
	timeout "$hang" "$builddir/kmemtrace-import" -q -o "$1" cpu0.out 2>said </dev/null
	code=$?
}

refuses() # refuses DIR SENTENCE
{
	import "$1"
	[ $code = 2 ] || wrong "$1: exit $code, not 2: $(cat said)"
	[ "$(cat said)" = "kmemtrace-import: $2" ] || wrong "$1: says $(cat said), not $2"
}

imports() # imports DIR
{
	import "$1"
	[ $code = 0 ] || wrong "$1: exit $code: $(cat said)"
	"$check" -q "$1" >said 2>&1 || wrong "$1: is not whole: $(cat said)"
}

mkdir relay
echo "0 free 0 1 0x1000 0x2000" | "$builddir/tests/mkrelay" little relay || exit 1
cp relay/cpu0.out .
imports mine

# An empty directory of another user, who could put links into it
other mkdir user/empty
refuses user/empty "user/empty: is an empty directory of another user (uid 65534): name another directory with -o"
[ -z "$(ls -A user/empty)" ] || wrong "user/empty: was written: $(ls -A user/empty)"
mkdir -m 775 open
refuses open "open: is an empty directory that other users can write: chmod go-w it, or name another directory with -o"
mkdir -m 755 own
imports own
imports own
imports own
[ -d own.old/kernel ] || wrong "own.old: the older capture is missing"

# A link in place of the directory
mkdir target
other ln -s "$scratch/target" user/link
refuses user/link "user/link: exists and is not a directory: name another with -o"

# DIR.old that leads to another capture, or is one of another user
imports user/data
cp -r mine precious
other ln -s "$scratch/precious" user/data.old
refuses user/data "user/data.old: is in the way of the older capture and cannot be removed: Not a directory: move it away"
diff -r mine precious || wrong "the capture behind user/data.old was changed"
rm user/data.old
cp -r mine user/data.old
chown -R 65534 user/data.old
refuses user/data "user/data.old: is in the way of the older capture and cannot be removed: it belongs to another user: move it away"
diff -r mine user/data.old || wrong "a capture of another user was removed"
rm -r user/data.old
cp -r mine user/data.old
rm -r user/data.old/kernel
mkdir elsewhere
echo precious >elsewhere/caches
ln -s "$scratch/elsewhere" user/data.old/kernel
import user/data
[ $code = 2 ] || wrong "user/data.old/kernel is a link: exit $code: $(cat said)"
[ -s elsewhere/caches ] || wrong "a file behind user/data.old/kernel was removed"
rm -r user/data.old
ls -A user | grep '\.new\.' && wrong "a refused import left a directory"
imports user/data
[ -d user/data.old/kernel ] || wrong "user/data.old: the older capture is missing"

# A pipe as metadata
cp -r mine pipe
rm pipe/metadata
mkfifo pipe/metadata
refuses pipe "pipe: holds files that are not of a capture, and is left alone: name another directory with -o"

# Left by killed programs: removed only if it is ours, has the whole name, and no program holds it
mkdir -p left.new.abc123/kernel/formats left.new.abc1234 left.new.held00 left.backup left.new.abc12_
echo half >left.new.abc123/cpu0
truncate -s 2M left.new.abc123/.reserve
mkdir user/left
mkdir left.new.other0
chown 65534 left.new.other0
ln -s mine left.new.link00
exec 9<left.new.held00
flock 9
imports left
exec 9<&-
ls -d left* >now
cat >expected <<END
left
left.backup
left.new.abc1234
left.new.abc12_
left.new.held00
left.new.link00
left.new.other0
END
diff expected now || wrong "other directories than expected were removed"
diff -r mine precious || wrong "a capture behind a link was changed"
[ -d mine/kernel ] || wrong "a capture behind left.new.link00 was removed"

# Left in an empty directory of our own, before anything was written; more than that is kept
mkdir -p begun/kernel/formats more/kernel
truncate -s 2M begun/.reserve
imports begun
[ -e begun/.reserve ] && wrong "begun: the reserved space is still there"
echo precious >more/kernel/caches
refuses more "more: holds files that are not of a capture, and is left alone: name another directory with -o"
[ -s more/kernel/caches ] || wrong "more: a file was removed"

# kmemtrace-check --repair: a pipe as metadata, tables behind links, directories that were left
broken() # broken NAME: a damaged capture of another user
{
	cp -r mine "$1"
	rm -r "$1/metadata" "$1/kernel"
}

repairs() # repairs DIR
{
	timeout "$hang" "$check" --repair "$1" >said 2>&1 </dev/null
	code=$?
}

mkdir secrets
echo secret >secrets/key
broken user/pipe
mkfifo user/pipe/metadata
cp -r mine/kernel user/pipe
repairs user/pipe
[ $code = 0 ] || wrong "repair with a pipe as metadata: exit $code: $(cat said)"
[ -p user/pipe.damaged/metadata ] || wrong "the original was not kept"
broken user/leads
ln -s "$scratch/secrets" user/leads/kernel
chmod 755 user/leads
chown -hR 65534 user/leads
repairs user/leads
[ $code = 2 ] || wrong "repair of tables behind a link: exit $code: $(cat said)"
grep -r secret user && wrong "repair copied files from behind a link"
[ -d user/leads ] || wrong "a refused repair moved the original"
ls -A user | grep '\.new\.' && wrong "a refused repair left a directory"
broken user/killed
cp -r mine/kernel user/killed
mkdir user/killed.new.abc123
echo half >user/killed.new.abc123/cpu0
repairs user/killed
[ $code = 0 ] || wrong "repair after a kill: exit $code: $(cat said)"
[ -e user/killed.new.abc123 ] && wrong "what a killed repair left is still there"

# kmemtrace-pack: in place, and to another directory
pack() # pack ARGUMENT…
{
	timeout "$hang" "$pack" -q "$@" >said 2>&1 </dev/null
	code=$?
}

cp -r mine user/packed
chown -R 65534 user/packed
other ln -s "$scratch/secrets/key" user/packed/.pack
pack user/packed
[ $code = 0 ] || wrong "pack: exit $code: $(cat said)"
[ "$(cat secrets/key)" = secret ] || wrong "pack wrote behind .pack"
[ -L user/packed/.pack ] && wrong "pack left .pack"
cp secrets/key user/stream
rm user/packed/cpu0
other ln -s ../stream user/packed/cpu0
pack user/packed
[ $code = 2 ] || wrong "a stream that is a link: exit $code: $(cat said)"
[ "$(cat user/stream)" = secret ] || wrong "pack changed a file behind a stream"
other mkdir user/packs
pack -o user/packs mine
[ $code = 2 ] || wrong "pack -o into a directory of another user: exit $code: $(cat said)"
[ -z "$(ls -A user/packs)" ] || wrong "user/packs was written: $(ls -A user/packs)"
pack -o user/whole mine
[ $code = 0 ] || wrong "pack -o: exit $code: $(cat said)"
"$check" -q user/whole || wrong "pack -o: is not whole"
exit $failed
