#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# memstat-malloc and memstat-uma show this kernel while kmemtraced publishes: the first listing has
# every cache of /proc/slabinfo, also with what was in use before the start, in repeated listings of one list no counter decreases, the function
# and cache of the workload appear, and no counter is higher than in the capture of the same daemon.
. "$srcdir/live/live.sh"

examples=$builddir/live/memstat/examples
rounds=5000
KMEMTRACE_MEMSTAT=$scratch/memstat
export KMEMTRACE_MEMSTAT
own_folder folder || skip "no tmpfs can be mounted"

"$examples/memstat-uma" 2>before && fail "memstat-uma succeeds although nothing is published"
grep -q 'kmemtraced --publish' before || fail "memstat-uma does not say what to start: $(cat before)"

# a cache whose name has blanks is not compared, and none that appears or goes meanwhile
caches() {
	awk 'NR > 2 && $2 ~ /^[0-9]+$/ { print $1 }' /proc/slabinfo | sort
}
caches >early
start_daemon --publish="$KMEMTRACE_MEMSTAT"
uma() {
	"$examples/memstat-uma" >first 2>first.log
}
wait_for "statistics" uma
caches | comm -12 - early >caches
[ "$(wc -l <caches)" -gt 20 ] || fail "/proc/slabinfo has few caches: $(cat caches)"
while read -r cache; do
	size=$(cat "/sys/kernel/slab/$cache/object_size") || continue
	grep -qE "^$cache: +$size," first || fail "$cache of $size bytes is not in the first listing: $(cat first)"
done <caches

# inode_cache: a system has hundreds of inodes without a file system of their own
in_use() { # in_use LISTING CACHE
	awk -v cache="$2:" '$1 == cache { print $4 + 0 }' "$1"
}
active() { # by /proc/slabinfo, which counts free objects that a CPU holds too
	awk '$1 == "inode_cache" { print $2 }' /proc/slabinfo
}
# matches WHAT FOUND BEFORE AFTER: what was active before and after the listing
matches() {
	echo "$1: $2 of inode_cache in use; by /proc/slabinfo $3 before, $4 after"
	[ "$3" -le "$4" ] || set -- "$1" "$2" "$4" "$3"
	[ "${2:-0}" -ge $(($3 / 2)) ] && [ "$2" -le $(($4 * 2)) ] || fail "$1: $2 of inode_cache in use, $3 to $4 by /proc/slabinfo"
}
active=$(active)
KMEMTRACE_MEMSTAT_BASE=1 "$examples/memstat-uma" >base 2>base.log || fail "with a base: exit $?: $(cat base.log)"
found=$(in_use base inode_cache)
matches "with a base" "$found" "$active" "$(active)"
[ "$(in_use first inode_cache)" -lt "$found" ] || fail "without a base as many: $(cat first)"

"$builddir/tests/live/workload" fs $rounds folder >truth 2>workload.log &
workload=$!
before_end "kill $workload 2>/dev/null"
"$examples/memstat-malloc" -w 0.5 -c 3 >malloc 2>malloc.log &
malloc=$!
before_end "kill $malloc 2>/dev/null"
"$examples/memstat-uma" 0.5 3 >uma 2>uma.log || fail "memstat-uma: exit $?: $(cat uma.log)"
wait $malloc || fail "memstat-malloc: exit $?: $(cat malloc.log)"
wait $workload
code=$?
[ $code = 77 ] && skip "$(cat workload.log)"
[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"

# each round makes two pipes, of two kmalloc() and two files each, and opens a file
lost() { # lost LOG: the number of lost events that the client reported
	sed -n -e 's/.*: \([0-9]*\) events were lost:.*/\1/p' \
		-e 's/.*the number of lost events is unknown.*/1000000000/p' "$1"
}
all_published() {
	"$examples/memstat-malloc" >now 2>now.log &&
		[ "$(awk '$1 == "alloc_pipe_info" { print $(NF - 1) }' now)" -ge $((rounds * 4 - $(lost now.log | grep . || echo 0))) ]
}
wait_for "the events of the load" all_published
for client in malloc uma; do
	[ "$(grep -cE '^ITEM|Requests' $client)" = 3 ] || fail "memstat-$client: not 3 listings: $(cat $client)"
	{ echo; "$examples/memstat-$client"; } >>$client 2>$client.log ||
		fail "memstat-$client: exit $?: $(cat $client.log)"
done
stop_daemon
[ "$status" = 0 ] || fail "kmemtraced: exit $status: $(cat daemon.log)"
"$examples/memstat-uma" >after 2>after.log && fail "memstat-uma succeeds after kmemtraced has ended"
for client in malloc uma; do
	{ echo; "$examples/memstat-$client" -M kmemtrace.data; } >>$client 2>capture.log ||
		fail "memstat-$client -M: exit $?: $(cat capture.log)"
done

# "NUMBER-OF-LISTING REQUESTS IN-USE NAME" for each line of each listing
awk '/Requests/ { listing++; next }
	NF { name = $0; sub(/ +[0-9]+ +[0-9]+K +[0-9]+  [-0-9,]+$/, "", name); sub(/^ +/, "", name)
		print listing, $(NF - 1), $(NF - 3), name }' malloc >malloc.rows
awk -F ', *' '/^ITEM/ { listing++; next }
	NF { name = $1; sub(/: *[0-9]+$/, "", name); print listing, $5, $3, name }' uma >uma.rows

requests() { # requests CLIENT LISTING NAME
	awk -v listing="$2" -v name="$3" '$1 == listing { requests = $2; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
		if ($0 == name) print requests }' "$1.rows"
}
for client in malloc uma; do
	[ "$(wc -l <$client.rows)" -gt 50 ] || fail "memstat-$client shows little: $(cat $client)"
	awk '{ listing = $1; requests = $2; used = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
		if (requests < had[$0]) { print $0 ": " requests " after " had[$0]; wrong = 1 }
		if (used > requests) { print $0 ": " used " of " requests " in use"; wrong = 1 }
		had[$0] = requests; last[$0] = listing }
		END { for (name in last) if (last[name] != 5) { print name ": is gone"; wrong = 1 }
		exit wrong }' $client.rows >$client.wrong || fail "memstat-$client: $(cat $client.wrong)"
done

at_least() { # at_least CLIENT LISTING LOG NAME COUNT
	had=$(requests "$1" "$2" "$4") lost=$(lost "$3")
	[ "${had:-0}" -ge $(($5 - ${lost:-0})) ] ||
		fail "$4: ${had:-no} requests, not $5 or more; ${lost:-0} lost"
	echo "$4: ${had:-0} requests, $5 of them by the workload; lost: ${lost:-0}"
}
for listing in "4 malloc.log" "5 capture.log"; do
	# shellcheck disable=SC2086 # two words
	at_least malloc $listing alloc_pipe_info $((rounds * 4))
	# a merged cache may have the name of another one
	# shellcheck disable=SC2086 # two words
	[ -L /sys/kernel/slab/filp ] || at_least uma $listing filp $((rounds * 5))
done

# the same figures for a client that asks for nothing
export examples
active=$(active)
"$kmemtraced" -q --publish="$KMEMTRACE_MEMSTAT" --publish-base --no-capture -- sh -c '
	for _ in $(seq 1200); do "$examples/memstat-uma" >based && exit; sleep 0.1; done # paced: kmemtraced waits for this
	exit 1' 2>based.log ||
	fail "nothing was published with --publish-base: $(cat based.log)"
matches "--publish-base" "$(in_use based inode_cache)" "$active" "$(active)"
exit 0
