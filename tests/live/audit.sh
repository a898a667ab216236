#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The readings of the slab allocator: each cache has the slabs that /proc/slabinfo has; an object that a
# process holds is never taken for dead; and objects that were freed on a path without an event are not live.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

CHURN=40000
KEEP=3000
PHANTOMS=15000
BATCH=$((750 * $(nproc))) # objects that the kernel may free later: a batch of each CPU, and those of a grace period

register=register$$ # as no other task is named
cp "$builddir/tests/live/register" $register
mkfifo keep
slabs >before
cat /proc/slabinfo >memory.before
# of two triggers, one has a limit that is never reached: only objects that were freed without an event would do it
start_daemon -v --audit --metrics="$PWD/audit.prom" --metrics-interval=100ms --metrics-owners=1000 --metrics-top=4000 \
	--trigger="live(eventpoll_epi) > $((KEEP / 2 * 128))" --trigger="live(eventpoll_epi) > $((PHANTOMS * 128))"
while sleep 0.1 && slabs; do :; done | awk '$1 == "eventpoll_epi" && $2 > most { print most = $2; fflush() }' >peaks & # paced: samples
peaks=$!
./$register $CHURN $KEEP <keep >kept 2>register.log &
exec 8>keep
registered() {
	[ -s kept ] || ! kill -0 $! 2>/dev/null
}
wait_for "the load" registered
[ -s kept ] || skip "$(cat register.log)"
registered_at=$(date +%s.%N)
published() { # a reading after the load
	awk -v after="$registered_at" '$1 == "kmemtrace_audit_time_seconds" { found = $2 > after } END { exit !found }' audit.prom
}
has_reader() {
	[ -s audit.prom ] && ! grep -q 'is not read' daemon.log
}
# the first text comes after the reader is open
has_reader && wait_for "a reading for the metrics" published
cp audit.prom text
has_reader && wait_for_message 1 "trigger 'live(eventpoll_epi) > $((KEEP / 2 * 128))': "
stop_daemon
kill $peaks
slabs >after
cat /proc/slabinfo >memory.after
exec 8>&-
wait $!
checked
[ -s kmemtrace.data/kernel/heap ] || skip "$(grep 'the slab allocator is not read' daemon.log)"
[ "$(grep -c ^heap kmemtrace.data/kernel/heap)" = 2 ] || fail "not two readings: $(grep ^heap kmemtrace.data/kernel/heap)"

# A cache can get a slab between two readings and give it back, and differ by chance: a reading that is wrong differs each
# time, and in the same direction.
# differing FILE: "CACHE more" or "CACHE less" of each cache whose slabs in the last reading of FILE are not those of slabinfo;
# "few less" if too few could be compared
differing()
{
	same_slabs before after "$1" >differ
	sed 's/^\(.*\): \([0-9]*\) slabs, [0-9]* objects, but \([0-9]*\), .*/\1 \2 \3/; s/^only .*/few 0 1/' differ |
		awk '{ print $1, $2 > $3 ? "more" : "less" }' | sort
}
differing kmemtrace.data/kernel/heap >wrong
tries=10
while [ -s wrong ] && [ $((tries -= 1)) -gt 0 ]; do
	slabs >before
	"$kmemtraced" -q --audit -d 0.1 -o again || fail "kmemtraced: exit $?"
	slabs >after
	differing again/kernel/heap | comm -12 wrong - >still
	mv still wrong
	rm -rf again
done
echo "/proc/slabinfo has the same slabs after $((11 - tries)) readings"
[ ! -s wrong ] || fail "kernel/heap differs from /proc/slabinfo each time: $(cat wrong differ)"

# The live objects of the process, by cache: the names of call sites differ between kernels.
live() { # live CACHE DIR
	"$report" caches --format=json -l 0 --comm="$register" -i "$2" >caches.json || fail "caches: exit $?"
	jq --arg cache "$1" '[.caches[] | select(.cache == $cache or (.aliases // [] | index($cache))) | .live_objects] | add // 0' \
		caches.json
}
found=$(live eventpoll_epi kmemtrace.data)
[ "$found" -ge $KEEP ] || fail "the process holds $KEEP objects of eventpoll_epi, and $found are live"
[ "$found" -le $((KEEP + BATCH)) ] || fail "$found objects of eventpoll_epi are live; the process holds $KEEP"

# The metrics, while the process holds the objects: those of its other caches too.
held=$("$report" caches --format=json -l 0 --comm="$register" | jq '[.caches[].live_bytes] | add')
shown=$(value text "kmemtrace_comm_live_bytes{comm=\"$register\"}")
[ "$((shown - held))" -le $((BATCH * 256)) ] && [ "$((held - shown))" -le $((BATCH * 256)) ] ||
	fail "the process holds $held bytes, and the metrics show ${shown:-none}"
freed=$(value text kmemtrace_audit_freed_objects_total)
# the memory of slabs lies between that of before and of after, but for a tenth: other loads can have grown and shrunk
memory=$(value text kmemtrace_slab_bytes)
sum=$(awk '/^kmemtrace_cache_slab_bytes/ { sum += $NF } END { print sum + 0 }' text)
[ "$sum" = "$memory" ] || fail "the caches of the metrics have $sum bytes of slabs, and all of them $memory"
awk -v page="$(getconf PAGESIZE)" -v memory="$memory" 'FNR > 2 { kernel[FILENAME] += $15 * $6 * page }
	END {
		for (file in kernel) { below += memory < kernel[file] * 0.9; above += memory > kernel[file] * 1.1 }
		exit below == 2 || above == 2
	}' memory.before memory.after ||
	fail "the metrics show $memory bytes of slabs; /proc/slabinfo differs: $(cat memory.after)"

peak=$(tail -n 1 peaks)
echo "eventpoll_epi: room for at most ${peak:-0} objects meanwhile"
[ "${peak:-0}" -ge $PHANTOMS ] || ! grep "eventpoll_epi) > $((PHANTOMS * 128))': " daemon.log ||
	fail "a trigger of $PHANTOMS objects fired, while the cache had room for $peak"

# The same without the readings: the audit is what made the difference, if this kernel has such a path.
cp -r kmemtrace.data without
rm without/kernel/heap
without=$(live eventpoll_epi without)
echo "eventpoll_epi: live $found with the audit, $without without"
missed=$(value text 'kmemtrace_cache_missed_frees{cache="eventpoll_epi"}')
[ "$without" -le "$found" ] || [ "${missed:-0}" -gt 0 ] || fail "the metrics show no missed frees of eventpoll_epi"
