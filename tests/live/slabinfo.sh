#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the report calls live of a cache is what /proc/slabinfo says that it grew by, to the object
# as far as both can tell: between two readings, for caches that are not merged with others.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null || skip "no tmpfs can be mounted"
trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT
[ -r /proc/slabinfo ] || skip "/proc/slabinfo cannot be read"

# Not dentry: a kernel was seen to make dentries of /proc by the thousand with no tracepoint fired;
# perf saw nothing of them either.
caches=
for cache in shmem_inode_cache sock_inode_cache filp; do
	folder=/sys/kernel/slab/$cache
	[ -d $folder ] && [ ! -L $folder ] && [ "$(cat $folder/aliases)" = 0 ] && caches="$caches $cache"
done
[ -n "$caches" ] || skip "every cache that would do is merged with others"

# Some sandboxes' kernels run no BPF program while their own init is the current task, and interrupts
# that free objects come then too: what perf sees there, and a capture does not.
init=$(for task in /proc/1/task/*; do printf '|| common_pid == %s ' "${task##*/}"; done)
# shellcheck disable=SC2086 # a list
"$kmemtraced" -q -- perf stat -x , -o hidden -a -e kmem:kmem_cache_alloc --filter "${init#|| }" \
	-e kmem:kmem_cache_free --filter "${init#|| }" -- \
	"$builddir/tests/live/hold" 100000 8000 folder $caches >truth 2>hold.log
code=$?
[ $code = 77 ] && skip "$(cat hold.log)"
[ $code = 0 ] || fail "hold: exit $code: $(cat hold.log)"
checked

hidden=$(awk -F , '$3 ~ /^kmem:/ { sum += $1 } END { print sum + 0 }' hidden)
[ "$("$report" events -p 1 -l 1 2>/dev/null | wc -l)" = 0 ] || hidden=0

begin=$(value kmemtrace.data/kernel/status begin)
# what the capture itself keeps of slabinfo: from before the first event, and from its end
# shellcheck disable=SC2046 # times
set -- $(awk '$1 == "slab" { print $2 }' kmemtrace.data/kernel/slabinfo | uniq)
end=$(value kmemtrace.data/kernel/status end)
if [ $# != 2 ] || [ "$1" -gt "$begin" ] || [ "$2" != "$end" ]; then
	fail "kernel/slabinfo is of the times $*, the capture of $begin to $end"
fi
for cache in $caches; do
	[ "$(grep -c "^slab [0-9]* $cache [0-9]* [0-9]*$" kmemtrace.data/kernel/slabinfo)" = 2 ] ||
		fail "kernel/slabinfo does not tell $cache"
done
moment() { # moment KEY FIELD: ns from the capture's begin
	echo $(($(awk -v key="$1" -v field="$2" '$1 == key { print $field }' truth) - begin))
}
window() { # window FROM TO: the caches, as the report has them for that time
	"$report" caches --time "${1}ns,${2}ns" --format=json -l 0 || fail "report: exit $?"
}
window "$(moment before 2)" "$(moment before 3)" >at_begin
window "$(moment before 3)" "$(moment after 2)" >between
window "$(moment after 2)" "$(moment after 3)" >at_end
figure() { # figure FILE CACHE FILTER: 0 if there is no such cache
	jq --arg cache "$2" "[.caches[] | select(.cache == \$cache) | $3] | add // 0" "$1"
}

lost=$(json '.loss.lost + .loss.skipped')
compared=0
while read -r key cache size per_slab before after; do
	[ "$key" = cache ] || continue
	# of what is freed in the window the part that is older takes away from the cache, too
	ours=$(figure between "$cache" '.live_objects - .frees_unmatched')
	missed=$(figure between "$cache" .missed_frees)
	bytes=$(figure between "$cache" .live_bytes)
	objects=$(figure between "$cache" .live_objects)
	meanwhile=0 # from before the caches were shrunk until slabinfo was read
	for reading in at_begin at_end; do
		meanwhile=$((meanwhile + $(figure $reading "$cache" \
			'.allocations + .frees + .frees_unmatched')))
	done
	# each of these may have given a CPU a slab of its own again, and all of that counts as active
	slack=$((meanwhile * (per_slab + 1) + missed + lost + hidden))
	theirs=$((after - before)) difference=$((after - before - ours))
	echo "$cache: slabinfo $before + $theirs, live $ours; apart by $difference, may be $slack:" \
		"$meanwhile meanwhile, slabs of $per_slab; $missed missed, $lost lost or skipped, $hidden hidden"
	[ ${difference#-} -le $slack ] || fail "$cache: $difference objects too many"
	[ "$bytes" = $((objects * size)) ] || fail "$cache: $objects objects of $size are not $bytes bytes"
	# a figure that may be anything proves nothing
	[ $((slack * 10)) -le "$theirs" ] && compared=$((compared + 1))
done <truth
[ $compared -gt 0 ] || skip "too much was lost or skipped, or too much else went on, for a comparison"
