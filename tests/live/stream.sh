#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced -o - | kmemtrace-report -i -: events appear while tracing goes on, with names; all events
# are there; losses are counted; the end of either side ends the other.
. "$srcdir/live/live.sh"
need jq
TMPDIR=$scratch/temporary
export TMPDIR
mkdir "$TMPDIR"

# the stream, printed while it comes and again later, has each event once
"$kmemtraced" -o - -d 1s 2>daemon.log | tee stream | "$report" events -i - --format=json >now 2>now.log ||
	fail "events: exit $?: $(cat now.log)"
"$report" events -i - --format=json <stream >later 2>later.log || fail "again: exit $?: $(cat later.log)"
cmp -s now later || fail "another output of the same stream: $(diff now later | head -5)"
"$report" count -i - --format=json <stream >counted 2>/dev/null || fail "count: exit $?"
recorded=$(sed -n 's/.*standard output: \([0-9]*\) events, \([0-9]*\) lost.*/\1/p' daemon.log)
own=$(jq '.totals.own_allocations + .totals.own_frees + .totals.repeated' counted)
[ -n "$recorded" ] && [ "$(($(wc -l <now) + own))" -ge "$((recorded - own))" ] ||
	fail "of $recorded events, $(wc -l <now) were printed and $own are kmemtraced's own"
[ "$(jq .loss.recorded counted)" = "$recorded" ] || fail "count: $(jq -c .loss counted), not $recorded"
[ "$(jq .capture.complete counted)" = true ] || fail "the capture is not complete"
jq -s -e 'map(.time_ns) | . == sort' now >/dev/null || fail "events are not in order of time"
jq -r 'select(.site != null).site' now | grep -q '+0x.*/0x' || fail "call sites have no names"

# within a second: the name of a program that starts after the begin
"$kmemtraced" -q -o - -- sh -c 'sleep 1; cp /bin/true ./streamed; for i in $(seq 25); do ./streamed; sleep 0.1; done' |
	"$report" events -i - --where='comm == "streamed"' >live.txt 2>live.log &
reader=$!
for _ in $(seq 25); do
	sleep 0.1
	[ -s live.txt ] && break
done
[ -s live.txt ] || fail "no event came within 2.5 s: $(cat live.log)"
kill -0 $reader || fail "the capture is over: it shows no event before its end"
wait $reader
[ "$(wc -l <live.txt)" -ge 500 ] || fail "25 programs made $(wc -l <live.txt) events"

# each allocation of a program that starts after the begin has its stack
"$kmemtraced" -q -o - --stacks=all -- sh -c 'sleep 0.3; cp /bin/true ./stacked; ./stacked; sleep 0.1; ./stacked' |
	"$report" events -i - --where='comm == "stacked" && operation == "allocation"' -F stack --format=json \
		>stacks 2>stacks.log || fail "stacks: exit $?: $(cat stacks.log)"
jq -s -e 'length > 100 and all(.stack != null)' stacks >/dev/null ||
	fail "of $(wc -l <stacks) allocations, $(grep -c null stacks) have no stack"

# the reader ends first, then the sender
"$kmemtraced" -o - -d 60s 2>daemon.log | "$report" events -i - 2>/dev/null | head -n 5 >five
[ "$(wc -l <five)" = 5 ] || fail "head got $(wc -l <five) lines"
grep -q 'standard output: [0-9]* events' daemon.log || fail "the sender: $(cat daemon.log)"
# the sender is killed
"$kmemtraced" -q -o - -d 60s >stream 2>daemon.log &
daemon=$!
sleep 1
stop_daemon KILL
"$report" count -i - --format=json <stream >counted 2>log || fail "a killed sender: exit $?: $(cat log)"
grep -q 'the stream ended before the capture was complete' log || fail "a killed sender: $(cat log)"
[ "$(jq .query.counted counted)" -gt 0 ] || fail "nothing of a killed sender was counted"

# a reader that is stopped while a load makes events: what is lost is counted
"$kmemtraced" -m 1 -o - 2>daemon.log -- sh -c ': >begun
	until [ -e stopped ]; do sleep 0.1; done
	for i in $(seq 20000); do : >f; rm f; done
	: >over' |
	sh -c 'echo $$ >reader; exec "$0" count -i - --format=json' "$report" >counted 2>log &
slow=$!
until [ -e begun ] && [ -s reader ]; do sleep 0.1; done
kill -STOP "$(cat reader)"
: >stopped
until [ -e over ]; do sleep 0.1; done
kill -CONT "$(cat reader)"
wait $slow || fail "slow: $(cat log)"
[ "$(jq '.loss.seen - .loss.recorded - .loss.lost - .loss.skipped' counted)" = 0 ] ||
	fail "slow: $(jq -c .loss counted)"
[ "$(jq .loss.lost counted)" = "$(sed -n 's/.*events, \([0-9]*\) lost.*/\1/p' daemon.log)" ] ||
	fail "slow: $(jq -c .loss counted), but $(cat daemon.log)"
[ "$(jq .loss.lost counted)" -gt 0 ] || fail "slow: nothing was lost"
[ -z "$(ls -A "$TMPDIR")" ] || fail "temporary files stay: $(ls -A "$TMPDIR")"
