#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Messages are sent on CPU 0 and received on CPU 1: each object that a call site allocates for a
# message is freed on the other CPU once, in the sites view and in the matrix of cross-CPU frees.
. "$srcdir/live/live.sh"
need jq
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "only one CPU is online"

messages=20000
sent=$((messages + 1)) # one more message ends the receiver
# the ring has room for all events of the load
"$kmemtraced" -q -m 64 -- "$builddir/tests/live/workload" skb $messages . >truth 2>workload.log
code=$?
[ $code = 77 ] && skip "$(cat workload.log)"
[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"
checked
[ -n "$(value kmemtrace.data/kernel/status context)" ] ||
	skip "on this kernel, events of interrupts look like those of the task"

begin=$(value kmemtrace.data/kernel/status begin)
hidden=$(json '.loss.lost + .loss.skipped')
[ "$hidden" -lt $((messages / 2)) ] || skip "$hidden events were lost or skipped"
# an interrupt may allocate there, too
view() { # view NAME OPTION…: NAME.json
	"$report" "$@" -p "$(value truth task)" --time "$(($(value truth begin) - begin))ns," \
		--where='context == "task"' --format=json -l 0 >"$1.json" || fail "report $1: exit $?"
}
view sites
jq -r ".sites[] | select(.allocations >= $messages - $hidden) |
	\"\(.site) \(.allocations) \(.frees) \(.cross_cpu_frees)\"" sites.json >sites
[ "$(wc -l <sites)" -ge 2 ] || fail "fewer than two call sites have allocated for each message"
total=0 pattern=
while read -r site allocations frees crossed; do
	echo "$site: $allocations allocated for $sent messages, $frees freed, $crossed of them on the other CPU;" \
		"$hidden lost or skipped"
	for count in "$allocations" "$frees" "$crossed"; do
		if [ "$count" -gt $sent ] || [ "$count" -lt $((sent - hidden)) ]; then
			fail "$site: $count is not the number of messages"
		fi
	done
	total=$((total + crossed))
	pattern=${pattern:+$pattern|}$(echo "${site%%/*}" | sed 's/[+.]/\\&/g')
done <sites

view cpus --site "^($pattern)/"
matrix=$(jq '[.crossings[] | select(.alloc_cpu == 0 and .free_cpu == 1) | .frees] | add // 0' cpus.json)
[ "$matrix" = "$total" ] || fail "the matrix has $matrix frees from CPU 0 to CPU 1, the sites $total"
