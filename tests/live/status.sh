#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --status lists each running kmemtraced, also for another user, and none that was killed.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq setpriv
own_run
first='' second=''
before_end 'kill -9 $first $second 2>/dev/null'
chmod 755 "$scratch"

none() { # none WHEN
	"$kmemtraced" --status >out 2>&1
	[ $? = 1 ] || fail "$1: not exit 1: $(cat out)"
	[ "$(cat out)" = "No kmemtraced is running." ] || fail "$1: $(cat out)"
	"$kmemtraced" --status --format=json >out
	[ $? = 1 ] || fail "$1: JSON: not exit 1"
	[ "$(jq -c .daemons out)" = "[]" ] || fail "$1: JSON: $(cat out)"
}

# listed NUMBER [FILTER]: waits until so many are listed in the file list, with at least 1000 events each
listed() {
	wait_for "$1 in the list" lists "$1" "${2:-true}"
	[ -s list.log ] && fail "$(cat list.log)"
}

lists() {
	ls -R /run >/dev/null
	"$kmemtraced" --status --format=json >list 2>list.log || return
	jq -e "(.daemons | length == $1 and all(.[]; .events >= 1000)) and ($2)" list >/dev/null
}

field() { # field PID NAME
	jq -r ".daemons[] | select(.pid == $1) | .$2" list
}

none "before the first"
begin=$(date -u +%s)
echo 'pack' >file.conf
"$kmemtraced" -q -o 'the capture' --config=file.conf -m 4 2>daemon1.log &
first=$!
"$kmemtraced" -q --publish --no-capture -m 4 2>daemon2.log &
second=$!
listed 2
now=$(date -u +%s)
[ "$(field $first capture)" = "$scratch/the capture" ] || fail "the capture: $(cat list)"
[ "$(field $first options)" = "-q -o the capture --config=file.conf -m 4 --pack" ] || fail "the options: $(cat list)"
[ "$(field $first published) $(field $second capture)" = "null null" ] || fail "of the other: $(cat list)"
[ "$(field $second published)" = /run/kmemtrace/memstat ] || fail "the published file: $(cat list)"
[ "$(field $second disk_bytes) $(field $second free_bytes) $(field $second counted)" = "null null null" ] ||
	fail "without a capture there is a size: $(cat list)"
[ "$(field $first disk_bytes)" -gt 0 ] || fail "no size: $(cat list)"
free_is() { # df says the same before and after, and the status between
	before=$(df --output=avail -B1 . | tail -n 1)
	lists 2 true || return
	after=$(df --output=avail -B1 . | tail -n 1)
	free=$(field $first free_bytes)
	[ $((free - before)) -ge -$((before / 8)) ] && [ $((free - after)) -le $((after / 8)) ]
}
wait_for "the free bytes of df" free_is
for pid in $first $second; do
	[ "$(field $pid memory_bytes)" -gt 1000000 ] || fail "memory: $(cat list)"
	[ "$(field $pid lost)" -ge 0 ] && [ "$(field $pid skipped)" -ge 0 ] || fail "losses: $(cat list)"
	since=$(date -u -d "$(field $pid since)" +%s) || fail "since: $(cat list)"
	[ "$since" -le "$now" ] && [ "$since" -ge "$begin" ] || fail "since $since, started at $begin, now $now"
done
# the figures move
listed 2 "any(.daemons[]; .pid == $first and .events > $(field $first events))"

# as text, for anyone; in lines of a terminal
setpriv --reuid=65534 --regid=65534 --clear-groups "$kmemtraced" --status >out 2>&1 || {
	code=$?
	setpriv --reuid=65534 --regid=65534 --clear-groups "$kmemtraced" -V >/dev/null 2>&1 &&
		fail "another user: exit $code: $(cat out)"
	"$kmemtraced" --status >out || fail "text: exit $?: $(cat out)"
	echo "note: another user cannot run kmemtraced in $builddir"
}
cat out
grep -q "^ *$first " out && grep -q "^ *$second " out || fail "the text lacks a process"
grep -qF "the capture" out && grep -qF -- "--publish --no-capture" out || fail "the text lacks a path or options"
[ "$(stat -c '%a %U' /run/kmemtrace/status.$first)" = "644 root" ] || fail "the mode: $(ls -l /run/kmemtrace)"

# a killed one is not listed, and the next one removes its file
kill -9 $first
wait $first 2>/dev/null
listed 1
[ "$(field $second pid)" = $second ] || fail "the killed one is listed: $(cat list)"
[ -e /run/kmemtrace/status.$first ] || fail "a killed kmemtraced removed its file"
"$kmemtraced" -q -d 0.1 -o other || fail "exit $?"
[ "$(ls /run/kmemtrace)" = "memstat
memstat.details
status.$second" ] || fail "left in /run/kmemtrace: $(ls /run/kmemtrace)"
sed "s/^start .*/start 1/" /run/kmemtrace/status.$second >damaged
cp damaged /run/kmemtrace/status.1
"$kmemtraced" --status >out 2>err || fail "beside a damaged file: exit $?"
grep -qx 'kmemtraced: /run/kmemtrace/status.1: it is damaged' err || fail "a damaged file is not reported: $(cat err)"
rm /run/kmemtrace/status.1
kill $second
wait $second || fail "exit $?: $(cat daemon2.log)"
[ -z "$(ls /run/kmemtrace)" ] || fail "left in /run/kmemtrace: $(ls /run/kmemtrace)"
none "after the last"

# without write access to /run it runs, and is not listed
mount -o remount,ro /run
"$kmemtraced" -q -o readonly -- "$kmemtraced" --status >out 2>&1
code=$?
[ $code = 1 ] || fail "without /run: exit $code: $(cat out)"
checked readonly
exit 0
