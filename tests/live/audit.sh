#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The readings of the slab allocator: each cache has the slabs that /proc/slabinfo has; an object that a
# process holds is never taken for dead; and objects that were freed on a path without an event are not live.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

CHURN=40000
KEEP=3000
BATCH=1500 # objects that the kernel may free later: a batch of each CPU, and those of a grace period

slabs() { # slabs FILE: "cache objects slabs" of /proc/slabinfo
	awk 'NR > 2 { print $1, $3, $15 }' /proc/slabinfo >"$1"
}

register=register$$ # as no other task is named
cp "$builddir/tests/live/register" $register
mkfifo keep
slabs before
start_daemon -v
./$register $CHURN $KEEP <keep >kept 2>register.log &
exec 8>keep
registered() {
	[ -s kept ] || ! kill -0 $! 2>/dev/null
}
wait_for "the load" registered
[ -s kept ] || skip "$(cat register.log)"
stop_daemon
slabs after
exec 8>&-
wait $!
checked
[ -s kmemtrace.data/kernel/heap ] || skip "$(grep 'the slab allocator is not read' daemon.log)"
[ "$(grep -c ^heap kmemtrace.data/kernel/heap)" = 2 ] || fail "not two readings: $(grep ^heap kmemtrace.data/kernel/heap)"

# Of a cache whose slabs did not change meanwhile, both readings have all slabs and objects.
awk '
FILENAME == "before" { objects[$1] = $2; slabs[$1] = $3; next }
FILENAME == "after" { same[$1] = objects[$1] == $2 && slabs[$1] == $3 && $3; next }
$1 == "heap" { reading++; cache = 0 }
$1 == "cache" { name[reading, cache++] = $6; caches[reading] = cache }
$1 == "slab" { found[reading, $2]++; room[reading, $2] += $5 }
END {
	for (cache = 0; cache < caches[2]; cache++) {
		one = name[2, cache]
		if (!same[one] || seen[one]++)
			continue
		compared++
		if (found[2, cache] != slabs[one] || room[2, cache] != objects[one]) {
			print one ": " found[2, cache] " slabs, " room[2, cache] " objects, but " slabs[one] ", " objects[one]
			failed = 1
		}
	}
	if (compared < 20) { print "only " compared + 0 " caches had the same slabs before and after"; failed = 1 }
	exit failed
}' before after kmemtrace.data/kernel/heap || fail "kernel/heap differs from /proc/slabinfo"

# What the process holds, by the names of the call sites that differ between kernels: by cache
live() { # live CACHE DIR
	"$report" caches --format=json -l 0 --comm="$register" -i "$2" >caches.json || fail "caches: exit $?"
	jq --arg cache "$1" '[.caches[] | select(.cache == $cache or (.aliases // [] | index($cache))) | .live_objects] | add // 0' \
		caches.json
}
found=$(live eventpoll_epi kmemtrace.data)
[ "$found" -ge $KEEP ] || fail "the process holds $KEEP objects of eventpoll_epi, and $found are live"
[ "$found" -le $((KEEP + BATCH)) ] || fail "$found objects of eventpoll_epi are live; the process holds $KEEP"

# The same without the readings: the audit is what made the difference, if this kernel has such a path.
cp -r kmemtrace.data without
rm without/kernel/heap
echo "eventpoll_epi: live $found with the audit, $(live eventpoll_epi without) without"
