#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The readings of the slab allocator: each cache has the slabs that /proc/slabinfo has.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"

CHURN=40000
KEEP=3000

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
