#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Another user changes the place where root captures, before and during the capture: root never
# writes behind a link, and the capture stays whole. A kill at any time of the start leaves nothing
# that the next start does not remove.
. "$srcdir/live/live.sh"
need setpriv
[ "$(id -u)" = 0 ] || skip "needs root, to act as two users"
chmod 755 .
mkdir -m 777 user
mkdir precious precious/kernel
for name in status .status symbols caches tasks slabinfo; do
	echo precious >precious/kernel/$name
done
cp -r precious before

other() # other COMMAND…: as another user
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

untouched() {
	diff -r before precious || fail "files behind a link were changed"
}

other ls user >/dev/null 2>&1 || skip "another user cannot reach $scratch"

# An empty directory of another user, who waits for files and replaces them by links
other mkdir user/empty
timeout 120 "$kmemtraced" -q -d 0.2 -o user/empty 2>err
code=$?
[ $code = 2 ] || fail "an empty directory of another user: exit $code, not 2: $(cat err)"
[ "$(cat err)" = "kmemtraced: user/empty: is an empty directory of another user (uid 65534): name another directory with -o" ] ||
	fail "an empty directory of another user: $(cat err)"
[ -z "$(ls -A user/empty)" ] || fail "user/empty was written: $(ls -A user/empty)"

# The default name waits in a directory where everyone can write
(cd user && other mkdir kmemtrace.data && other ln -s "$scratch/precious/kernel" kmemtrace.data/kernel)
(cd user && timeout 120 "$kmemtraced" -q -d 0.2 2>../err)
code=$?
[ $code = 2 ] || fail "links in kmemtrace.data: exit $code, not 2: $(cat err)"
untouched

# A pipe as metadata does not block kmemtraced
mkdir pipe pipe/kernel
mkfifo pipe/metadata
timeout 120 "$kmemtraced" -q -d 0.2 -o pipe 2>err
code=$?
[ $code = 2 ] || fail "a pipe as metadata: exit $code, not 2: $(cat err)"
grep -q 'left alone' err || fail "a pipe as metadata: $(cat err)"

# The directory is moved in mid-capture, and links take its place
"$kmemtraced" -q -o user/moving 2>daemon.log &
daemon=$!
wait_for "the begin of the capture" captures user/moving
other mv user/moving user/moved || fail "the other user cannot move the directory: $(cat daemon.log)"
other mkdir user/moving
other ln -s "$scratch/precious/kernel" user/moving/kernel
size=$(cat user/moved/cpu* | wc -c)
wait_for "more of the capture" eval '[ "$(cat user/moved/cpu* | wc -c)" -gt $size ]'
stop_daemon
[ "$status" = 0 ] || fail "moved in mid-capture: exit $status: $(cat daemon.log)"
untouched
[ "$(ls -A user/moving)" = kernel ] || fail "user/moving was written: $(ls -A user/moving)"
checked user/moved
grep -q '^complete yes' user/moved/kernel/status || fail "user/moved is not complete"
[ "$(cat daemon.log)" = "kmemtraced: user/moving: another program moved the capture, which is complete, to $(pwd -P)/user/moved" ] ||
	fail "moved in mid-capture: says: $(cat daemon.log)"

# A kill at some times of the start, into a new and into an empty directory
mkdir killed
for delay in 0.01 0.03 0.06 0.09 0.12 0.16 0.2 0.25 0.3 0.4; do
	mkdir -p killed/empty
	for target in killed/new killed/empty; do
		"$kmemtraced" -q -o $target 2>/dev/null &
		daemon=$!
		sleep $delay # paced: a moment of the start
		stop_daemon KILL
	done
done
ls -A killed
for target in killed/new killed/empty; do
	"$kmemtraced" -q -d 0.2 -o $target 2>err || fail "$target after kills: exit $?: $(cat err)"
	checked $target
done
left=$(find killed -name '*.new.*' -o -name .reserve)
[ -z "$left" ] || fail "kills left: $left"
exit 0
