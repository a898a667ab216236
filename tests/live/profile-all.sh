#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A profile of all tasks counts what perf counts on all CPUs: not fewer events than in a time within
# the profile, and not more than in a time around it.
. "$srcdir/live/live.sh"
need jq perf

mkdir folder
# kfree(NULL) is an event for perf only
count_around() # count_around FILE COMMAND...
{
	file=$1
	shift
	perf stat -x , -o "$file" -a -e kmem:kmalloc -e kmem:kmem_cache_alloc -e kmem:kmem_cache_free \
		-e kmem:kfree --filter 'ptr != 0' -- "$@"
}

events() # events FILE WORD...: of the lines with one of the words
{
	file=$1
	shift
	grep -E "$(echo "$@" | tr ' ' '|')" "$file" | awk -F , '{ sum += $1 } END { printf "%d\n", sum }'
}

counted() # counted COLUMN: of the lines "counted CPU ALLOCATIONS FREES BYTES"
{
	awk -v column="$1" '$1 == "counted" { sum += $column } END { print sum + 0 }' \
		kmemtrace.data/kernel/status
}

count_around outside true 2>complaint || skip "perf stat: $(cat complaint)"
cat >load <<END
$(command -v perf) stat -x , -o inside -a -e kmem:kmalloc -e kmem:kmem_cache_alloc \
	-e kmem:kmem_cache_free -e kmem:kfree --filter 'ptr != 0' -- \
	"$builddir/tests/live/workload" \$1 \$2 folder
END

one() # one WORK TIMES
{
	count_around outside "$kmemtraced" -q --include-self --profile=4k --max-samples=0 -- sh load "$1" "$2" >/dev/null ||
		fail "exit $?"
	checked
	skipped=$(json '.loss.skipped')
	# second reports of large allocations are counted by perf only; few of them are not recognized
	repeated=0
	[ "$1" != large ] || repeated=$(($(json .totals.repeated) + 20))
	inside=$(events inside kmalloc cache_alloc) outside=$(events outside kmalloc cache_alloc)
	ours=$(($(counted 3) + repeated))
	echo "$1: perf counted $inside to $outside allocations, the profile $ours, skipped $skipped"
	[ $((outside - inside)) -lt "$inside" ] || fail "too many other events: this proves nothing"
	[ $((ours + skipped)) -ge "$inside" ] && [ "$ours" -le $((outside + 20)) ] || fail "allocations: $ours"
	inside=$(events inside kfree cache_free) outside=$(events outside kfree cache_free)
	ours=$(counted 4)
	echo "$1: perf counted $inside to $outside frees, the profile $ours"
	[ $((ours + skipped)) -ge "$inside" ] && [ "$ours" -le "$outside" ] || fail "frees: $ours"
	"$report" sites --format=json >estimates 2>/dev/null
	jq -e '.estimates.samples > 1000 and (.estimates.counted_bytes - .totals.bytes_allocated | fabs) <
		2.55 * (.estimates.bytes_allocated_high - .estimates.bytes_allocated_low) / 2' estimates >/dev/null ||
		fail "the estimate is wrong: $(jq -c '[.estimates, .totals.bytes_allocated]' estimates)"
	[ "$(json .totals.frees_unmatched)" = 0 ] || fail "a free of an object that was not sampled"
}

one fs 50000
one skb 300000
one large 30000
exit 0
