#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A profile of all tasks counts what perf counts on all CPUs: not fewer events than in a time within
# the profile, and not more than in a time around it. All inequalities hold beside any load.
. "$srcdir/live/live.sh"
. "$srcdir/live/estimates.sh"
need jq perf

own_folder folder || mkdir -p folder
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

count_around outside true 2>complaint || skip "perf stat: $(cat complaint)"
cat >load <<END
$(command -v perf) stat -x , -o inside -a -e kmem:kmalloc -e kmem:kmem_cache_alloc \
	-e kmem:kmem_cache_free -e kmem:kfree --filter 'ptr != 0' -- \
	"$builddir/tests/live/workload" \$1 \$2 folder
END

one() # one WORK TIMES
{
	# An interval so short that each allocation of more than a page is sampled: perf counts the second report
	# of a large one, which the profile does not count; it is in the totals if the first one was sampled.
	count_around outside "$kmemtraced" -q -m 16 --include-self --profile=256 --max-samples=0 -- sh load "$1" "$2" >/dev/null ||
		fail "exit $?"
	checked
	figures
	# what the profile may not have seen; the second report of an allocation without a record is not known
	skipped=$(figure .loss.skipped) lost=$(figure .loss.lost) dropped=$(value kmemtrace.data/kernel/status samples_dropped)
	repeated=$(figure .totals.repeated)
	echo "$1: skipped $skipped, lost $lost, dropped $dropped, repeated $repeated"
	between "$1: allocations" $(($(events inside kmalloc cache_alloc) - skipped - repeated - lost - dropped)) \
		"$(counted 3)" "$(events outside kmalloc cache_alloc)"
	between "$1: frees" $(($(events inside kfree cache_free) - skipped)) \
		"$(counted 4)" "$(events outside kfree cache_free)"
	between "$1: frees of objects that were not sampled" 0 "$(figure .totals.frees_unmatched)" "$lost"
	# nearly all bytes of large allocations are in samples: the estimate has no error, but the count has one,
	# if an interrupt came between the two reports of one (profile.sh measures it)
	[ "$1" = large ] || estimates "$1"
}

one fs 5000
one skb 30000
one large 3000
exit 0
