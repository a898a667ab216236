#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A profile whose trigger begins a full capture: it has every event of that time, the profile goes on, and
# the command gets the path. A trigger that fires meanwhile begins no other one.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

mkfifo numbers answers
"$builddir/tests/live/descriptors" <numbers >answers 2>load.log &
load=$!
exec 3>numbers 4<answers
trap 'stop_daemon; kill $load 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

hold() { # hold NUMBER: of eventfds
	echo "$1" >&3
	read -r held <&4 || skip "$(cat load.log)"
	[ "$held" = "$1" ] || fail "the load holds $held, not $1"
}

full() { # the full captures
	find . -maxdepth 1 -name 'kmemtrace.data.full.*'
}

start_daemon -q --profile=1k --max-samples=0 --trigger='live(filp) > 400k' --trigger='live(filp) > 500k' \
	--trigger-full=3s --trigger-command='echo "$KMEMTRACE_PATH" >>paths; :'
hold 8000
for _ in $(seq 100); do
	[ -s "$(full)/kernel/tasks" ] && break
	sleep 0.05
done
[ -s "$(full)/kernel/tasks" ] || fail "no full capture: $(ls; cat daemon.log)"
# in the full capture: 4000 files are closed and opened
sleep 0.5
hold 4000
hold 8000
for _ in $(seq 200); do
	[ "$(grep -c . paths 2>/dev/null)" = 2 ] && break
	sleep 0.1
done
[ "$(grep -c . paths)" = 2 ] || fail "the commands did not run: $(cat paths daemon.log)"
hold 0
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
exec 3>&- 4<&-

[ "$(full | wc -l)" = 1 ] || fail "not one full capture: $(ls)"
full=$PWD/$(basename "$(full)")
[ "$(sort -u paths)" = "$full" ] || fail "other paths: $(cat paths)"
grep -q "$full has every event of the next 3s" daemon.log || fail "no message: $(cat daemon.log)"
checked "$full"
checked kmemtrace.data
opened=$("$report" count -i "$full" --where="tid == $load && caller_function == \"alloc_empty_file\"" --format=json |
	jq '.count[0].count')
lost=$("$report" -i "$full" --format=json | jq '.loss.lost + .loss.skipped')
echo "files opened in the full capture: $opened of 4000, $lost lost or skipped"
[ "$opened" -le 4000 ] && [ "$opened" -ge $((4000 - lost)) ] || fail "the full capture has $opened of 4000 files"
exit 0
