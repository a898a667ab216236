#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Events in interrupts have their context: while a task sends to itself over TCP, as many of its
# events as perf counts by the flags of the trace events. Views by task give them a row of their
# own, and none to the task.
. "$srcdir/live/live.sh"
need jq

softirq=16 interrupts=24 # the flags of a trace event: TRACE_FLAG_SOFTIRQ, with TRACE_FLAG_HARDIRQ

count() { # count EXPRESSION: events
	"$report" count --format=json --where="$1" | jq '.count[0].count // 0'
}

one() { # one CONTEXTS FLAGS
	"$kmemtraced" -q --include-self -- "$builddir/tests/live/loopback" 3000 "common_flags & $2" >truth 2>complaint ||
		skip "$(cat complaint)"
	checked
	contexts=$(value kmemtrace.data/kernel/status context)
	[ "$contexts" = "$1" ] || fail "the status says context $contexts, not $1"
	begin=$(value kmemtrace.data/kernel/status begin)
	mine="tid == $(value truth task) && time >= $(($(value truth begin) - begin))ns && time <= $(($(value truth end) - begin))ns"
	perf=$(value truth all) ours=$(count "$mine && context != \"task\"")
	hidden=$(json '.loss.lost + .loss.skipped')
	echo "contexts $1: perf counts $perf events in interrupts, ours $ours of $(count "$mine"); $hidden lost or skipped"
	[ "$hidden" -lt "$perf" ] || skip "$hidden events were lost or skipped"
	[ "$ours" -le "$perf" ] && [ "$ours" -ge $((perf - hidden)) ] || fail "$perf and $ours"
}

case $(sed -n 's/^[a-z]* *context *//p' doctor.log) in
*NMIs*) one all $interrupts ;;
*softirqs*) one softirq $softirq ;;
*) skip "on this kernel the context is not known" ;;
esac

# the row of softirqs has all their allocations, and the task only its own
for by in task task,context; do
	"$report" sites --by=$by --format=json -l 0 >sites.json
	by_task=$(jq '[.sites[] | select(.task == "softirq") | .allocations] | add' sites.json)
	by_event=$(count 'context == "softirq" && outcome == "allocated"')
	echo "--by=$by: $by_task allocations in softirqs, of $by_event events"
	[ "$by_task" -gt 0 ] || fail "no allocation in a softirq"
	[ "$by_task" = "$by_event" ] || fail "$by_task and $by_event"
done
KMEMTRACED_WITHOUT=context "$kmemtraced" -q -- true || fail "without context: exit $?"
checked
[ "$("$report" count --by=context --format=json | jq -c '[.count[].context]')" = '[null]' ] ||
	fail "a context without a source"
KMEMTRACED_WITHOUT=fetch one softirq $softirq
exit 0
