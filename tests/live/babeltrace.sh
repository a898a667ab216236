#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# babeltrace2, an independent reader of CTF, reads a capture: without losses it prints no warning and
# counts the same events; with losses it reports as many discarded events as were lost.
. "$srcdir/live/live.sh"
need babeltrace2 jq

mkdir folder
"$kmemtraced" -q -- "$builddir/tests/live/workload" dir 2000 folder >truth || skip "no workload"
checked
[ "$(json .loss.lost)" = 0 ] || skip "events were lost: this machine is too busy"
babeltrace2 kmemtrace.data >text 2>complaints || fail "babeltrace2: exit $?: $(head -5 complaints)"
[ -s complaints ] && fail "babeltrace2 complains: $(head -5 complaints)"
events=$(wc -l <text) recorded=$(json .loss.recorded)
echo "babeltrace2 $events events, recorded $recorded"
[ "$events" = "$recorded" ] || fail "babeltrace2 counts $events events, kmemtrace-report $recorded"

count() { # count EVENT…
	sum=0
	for event; do
		sum=$((sum + $(awk -v event="$event:" \
			'{ for (i = 1; i < 9; i++) if ($i == event) { n++; break } } END { print n + 0 }' text)))
	done
	echo $sum
}
allocations=$(count kmalloc kmem_cache_alloc kmem_cache_alloc_bulk kmem_cache_alloc_unnamed)
frees=$(count kfree kmem_cache_free kmem_cache_free_bulk kfree_rescued kmem_cache_free_rescued)
ours=$(json '.totals | .allocations + .failed + .own_allocations')
[ "$allocations" = "$ours" ] || fail "babeltrace2 counts $allocations allocations, kmemtrace-report $ours"
ours=$(json '.totals | .frees + .null_frees + .own_frees')
[ "$frees" = "$ours" ] || fail "babeltrace2 counts $frees frees, kmemtrace-report $ours"

starved -q -m 1 -- "$builddir/tests/live/workload" fs 100000 folder >truth || fail "exit $?"
checked
lost=$(json .loss.lost)
[ "$lost" -gt 0 ] || fail "the small ring lost nothing: this proves nothing"
babeltrace2 kmemtrace.data >text 2>complaints || fail "babeltrace2: exit $?: $(head -5 complaints)"
discarded=$(sed -n 's/.*[Tt]racer discarded \([0-9]*\) event.*/\1/p' complaints | awk '{ n += $1 } END { print n + 0 }')
echo "babeltrace2 $discarded discarded, lost $lost"
[ "$discarded" = "$lost" ] || fail "babeltrace2 finds $discarded events discarded, we lost $lost"
[ "$(wc -l <text)" = "$(json .loss.recorded)" ] || fail "babeltrace2 counts other events than ours"
