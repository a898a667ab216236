#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Messages are sent on CPU 0 and received on CPU 1: each object that a call site allocates for a
# message is freed on the other CPU once, in the sites view and in the matrix of cross-CPU frees.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "only one CPU is online"

messages=100000
sent=$((messages + 1)) # one more message ends the receiver
# an interrupt counts for the task that it interrupts, and may use the same site: try again then
for try in 1 2 3 4; do
	"$kmemtraced" -q -- "$builddir/tests/live/workload" skb $messages . >truth 2>workload.log
	code=$?
	[ $code = 77 ] && skip "$(cat workload.log)"
	[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"
	checked

	since=$(($(value truth begin) - $(value kmemtrace.data/kernel/status begin)))
	hidden=$(json '.loss.lost + .loss.skipped')
	"$report" sites -p "$(value truth task)" --time "${since}ns," --format=json -l 0 >sites.json ||
		fail "report: exit $?"
	jq -r "[.sites[] | select(.allocations >= $messages - $hidden)][] |
		\"\(.site) \(.allocations) \(.frees) \(.cross_cpu_frees)\"" sites.json >sites
	awk -v sent=$sent '$2 > sent && $2 <= sent + 20 { more = 1 } END { exit more }' sites && break
	echo "capture $try: something else allocated there: $(cat sites)"
done
[ "$(wc -l <sites)" -ge 2 ] || fail "fewer than two call sites have allocated for each message"
while read -r site allocations frees crossed; do
	echo "$site: $allocations allocated for $sent messages, $frees freed, $crossed of them on the other CPU;" \
		"$hidden lost or skipped"
	for count in "$allocations" "$frees" "$crossed"; do
		if [ "$count" -gt $sent ] || [ "$count" -lt $((sent - hidden)) ]; then
			fail "$site: $count is not the number of messages"
		fi
	done
	total=$((${total:-0} + crossed))
	pattern=${pattern:+$pattern|}$(echo "${site%%/*}" | sed 's/[+.]/\\&/g')
done <sites

"$report" cpus -p "$(value truth task)" --time "${since}ns," --site "^($pattern)/" --format=json -l 0 \
	>cpus.json || fail "report: exit $?"
matrix=$(jq '[.crossings[] | select(.alloc_cpu == 0 and .free_cpu == 1) | .frees] | add // 0' cpus.json)
[ "$matrix" = "$total" ] || fail "the matrix has $matrix frees from CPU 0 to CPU 1, the sites $total"
