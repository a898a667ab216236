#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced -o - | kmemtrace-report -i -: events appear while tracing goes on, with names; all events
# are there; losses are counted; the end of either side ends the other.
. "$srcdir/live/live.sh"
need jq
TMPDIR=$scratch/temporary
export TMPDIR
mkdir "$TMPDIR"
mkfifo pipe

# stream OPTION…: kmemtraced in the background, to the pipe
stream() {
	"$kmemtraced" -o - "$@" >pipe 2>daemon.log &
	daemon=$!
}

# of the last line of kmemtraced: events, lost ones
result() {
	sed -n 's/.*standard output: \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' daemon.log
}

# The stream of a process, printed while it comes and again later, has each event once.
begin_files
hold 0
stream -p $load
tee stream <pipe | "$report" events -i - --format=json >now 2>now.log &
reader=$!
wait_for "the begin of the capture" grep -q 'Seccomp:.2' /proc/$daemon/status
hold 3000
hold 0
wait_for "events while the capture goes on" [ -s now ]
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
wait $reader || fail "events: exit $?: $(cat now.log)"
end_files
"$report" events -i - --format=json <stream >later 2>later.log || fail "again: exit $?: $(cat later.log)"
cmp -s now later || fail "another output of the same stream: $(diff now later | head -5)"
"$report" count -i - --format=json <stream >counted 2>/dev/null || fail "count: exit $?"
read -r recorded lost <<<"$(result)"
own=$(jq '.totals.own_allocations + .totals.own_frees + .totals.repeated' counted)
[ $(($(wc -l <now) + own)) = "$recorded" ] ||
	fail "of $recorded events, $(wc -l <now) were printed and $own are kmemtraced's own"
opened=$("$report" count -i - --where='operation == "allocation" && caller_function == "alloc_empty_file"' \
	--format=json <stream 2>/dev/null | jq .query.counted)
lost=$((lost + $(jq .loss.skipped counted)))
[ "$opened" -le 3000 ] && [ "$opened" -ge $((3000 - lost)) ] || fail "$opened of 3000 files, $lost lost or skipped"
[ "$(jq .loss.recorded counted)" = "$recorded" ] || fail "count: $(jq -c .loss counted), not $recorded"
[ "$(jq .capture.complete counted)" = true ] || fail "the capture is not complete"
jq -s -e 'map(.time_ns) | . == sort' now >/dev/null || fail "events are not in order of time"
jq -r 'select(.site != null).site' now | grep -q '+0x.*/0x' || fail "call sites have no names"

# While it goes on, it has the names of programs that start after the begin: it ends when one was seen.
stream -- sh -c 'cp /bin/true "$0"
	while [ -p pipe ] && ! [ -e seen ]; do
		"./$0"
		echo >>runs
		sleep 0.1 # paced: the load
	done' streamed$$
"$report" events -i - --where="comm == \"streamed$$\"" -F tid --format=json <pipe >streamed.json 2>live.log &
reader=$!
wait_for "an event of a new program" [ -s streamed.json ]
: >seen
wait $reader || fail "exit $?: $(cat live.log)"
wait $daemon || fail "exit $?: $(cat daemon.log)"
daemon=
runs=$(wc -l <runs) tasks=$(sort -u streamed.json | wc -l)
read -r recorded lost <<<"$(result)"
[ "$tasks" -le "$runs" ] && [ "$tasks" -ge $((runs - lost)) ] || fail "$runs programs, $tasks have events, $lost were lost"

# each allocation of a program that starts after the begin has its stack
stream --stacks=all -- sh -c 'cp /bin/true "$0"; "./$0"; "./$0"' stacked$$
"$report" events -i - --where="comm == \"stacked$$\" && operation == \"allocation\"" -F stack --format=json <pipe \
	>stacks 2>stacks.log || fail "stacks: exit $?: $(cat stacks.log)"
wait $daemon || fail "exit $?: $(cat daemon.log)"
daemon=
read -r recorded lost <<<"$(result)"
jq -s -e --argjson lost "$lost" 'length > 100 - $lost and (map(select(.stack == null)) | length) <= $lost' stacks >/dev/null ||
	fail "of $(wc -l <stacks) allocations, $(grep -c null stacks) have no stack; $lost were lost"

# the reader ends first, then the sender, which would go on for an hour
"$kmemtraced" -o - -d 3600s 2>daemon.log | "$report" events -i - 2>/dev/null | head -n 5 >five
[ "$(wc -l <five)" = 5 ] || fail "head got $(wc -l <five) lines"
[ -n "$(result)" ] || fail "the sender: $(cat daemon.log)"
# the sender is killed
rm stream
"$kmemtraced" -q -o - >stream 2>daemon.log &
daemon=$!
some() {
	[ "$(wc -c <stream)" -ge 1000000 ] || ! ls -R "/proc/$$" >/dev/null
}
wait_for "a megabyte of the stream" some
stop_daemon KILL
"$report" count -i - --format=json <stream >counted 2>log || fail "a killed sender: exit $?: $(cat log)"
grep -q 'the stream ended before the capture was complete' log || fail "a killed sender: $(cat log)"
[ "$(jq .query.counted counted)" -gt 0 ] || fail "nothing of a killed sender was counted"

# A reader that is stopped while a load makes more events than ring and pipe can hold: what is lost is counted.
stream -m 1 -- sh -c ': >begun
	while [ -e begun ] && ! [ -e stopped ]; do
		sleep 0.1 # paced: the reader is stopped first
	done
	for i in 1 2 3 4 5; do echo 8000; echo 0; done | "$0" >/dev/null
	: >over' "$builddir/tests/live/descriptors"
"$report" count -i - --format=json <pipe >counted 2>log &
reader=$!
before_end 'kill -CONT $reader 2>/dev/null; kill $reader 2>/dev/null'
wait_for "the begin of the load" [ -e begun ]
halt $reader
: >stopped
wait_for "the end of the load" [ -e over ]
kill -CONT $reader
wait $reader || fail "slow: $(cat log)"
wait $daemon || fail "slow: exit $?: $(cat daemon.log)"
daemon=
[ "$(jq '.loss.seen - .loss.recorded - .loss.lost - .loss.skipped' counted)" = 0 ] ||
	fail "slow: $(jq -c .loss counted)"
read -r recorded lost <<<"$(result)"
[ "$(jq .loss.lost counted)" = "$lost" ] || fail "slow: $(jq -c .loss counted), but $(cat daemon.log)"
[ "$lost" -gt 0 ] || fail "slow: nothing was lost"

# A reader that hangs does not keep kmemtraced from stopping: it says that events were not sent.
exec 3<>pipe
stream -m 1 -- sh -c 'for i in 1 2 3 4 5; do echo 8000; echo 0; done | "$0" >/dev/null
	: >loaded' "$builddir/tests/live/descriptors"
grep -a -m 1 -q 'time 0$' <&3
wait_for "the end of the load" [ -e loaded ]
stop_daemon
[ "$status" = 2 ] || fail "a reader that hangs: exit $status: $(cat daemon.log)"
grep -q 'the reader took nothing for 5 s: [1-9][0-9]* bytes of events were not sent' daemon.log ||
	fail "a reader that hangs: $(cat daemon.log)"
exec 3>&-
[ -z "$(ls -A "$TMPDIR")" ] || fail "temporary files stay: $(ls -A "$TMPDIR")"
