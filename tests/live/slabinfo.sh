#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Between two readings, the report's live objects of a cache are exactly the objects by which it grew
# in /proc/slabinfo, within the known uncertainty of both; for caches that are not merged.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq perf

own_folder folder || skip "no tmpfs can be mounted"
[ -r /proc/slabinfo ] || skip "/proc/slabinfo cannot be read"

# Not dentry: a kernel was seen to allocate thousands of dentries of /proc without any tracepoint
# event; perf did not see them either.
caches=
for cache in shmem_inode_cache sock_inode_cache filp; do
	folder=/sys/kernel/slab/$cache
	[ -d $folder ] && [ ! -L $folder ] && [ "$(cat $folder/aliases)" = 0 ] && caches="$caches $cache"
done
[ -n "$caches" ] || skip "every cache that would do is merged with others"

# The kernels of some sandboxes run no BPF program while their own init is the current task; interrupts
# that free objects then are seen by perf, but not by a capture.
init=$(for task in /proc/1/task/*; do printf '|| common_pid == %s ' "${task##*/}"; done)
# shellcheck disable=SC2086 # a list
"$kmemtraced" -q -- perf stat -x , -o hidden -a -e kmem:kmem_cache_alloc --filter "${init#|| }" \
	-e kmem:kmem_cache_free --filter "${init#|| }" -- \
	"$builddir/tests/live/hold" 50000 8000 folder $caches >truth 2>hold.log
code=$?
[ $code = 77 ] && skip "$(cat hold.log)"
[ $code = 0 ] || fail "hold: exit $code: $(cat hold.log)"
checked

hidden=$(awk -F , '$3 ~ /^kmem:/ { sum += $1 } END { print sum + 0 }' hidden)
[ "$("$report" events -p 1 -l 1 2>/dev/null | wc -l)" = 0 ] || hidden=0

begin=$(value kmemtrace.data/kernel/status begin)
# kernel/slabinfo of the capture has three readings: before the first event, at the begin, at the end
# shellcheck disable=SC2046 # times
set -- $(awk '$1 == "slab" { print $2 }' kmemtrace.data/kernel/slabinfo | uniq)
end=$(value kmemtrace.data/kernel/status end)
until=$(awk -v time="$3" '$1 == "read" && $2 == time { print $3 }' kmemtrace.data/kernel/slabinfo)
if [ $# != 3 ] || [ "$1" -ge "$begin" ] || [ "$2" != "$begin" ] || [ "$3" -le "$begin" ] ||
	[ "${until:-0}" -le "$3" ] || [ "$until" -gt "$end" ]; then
	fail "kernel/slabinfo is of the times $* (to $until), the capture of $begin to $end"
fi
held_of() { # held_of CACHE: free objects that CPUs and nodes may hold, and that count as active
	awk -v cache="$1" '$1 == "slab" && $3 == cache && NF == 6 { print $6 }' kmemtrace.data/kernel/slabinfo
}
for cache in $caches; do
	[ "$(grep -c "^slab [0-9]* $cache [0-9]* [0-9]*$" kmemtrace.data/kernel/slabinfo)" = 2 ] ||
		fail "kernel/slabinfo does not have $cache twice"
	# of these caches a CPU holds a slab, and partial slabs; sheaves only from 6.18 on
	read -r per_slab <"/sys/kernel/slab/$cache/objs_per_slab"
	held=$(held_of "$cache")
	[ "${held:-0}" -ge $((per_slab * $(getconf _NPROCESSORS_ONLN))) ] ||
		fail "kernel/slabinfo: at most '$held' objects of $cache are held; a slab has $per_slab"
done
time_of() { # time_of KEY FIELD: ns from the capture's begin
	echo $(($(awk -v key="$1" -v field="$2" '$1 == key { print $field }' truth) - begin))
}
window() { # window FROM TO: the caches view for this time
	"$report" caches --time "${1}ns,${2}ns" --format=json -l 0 || fail "report: exit $?"
}
window "$(time_of before 2)" "$(time_of before 3)" >at_begin
window "$(time_of before 3)" "$(time_of after 2)" >between
window "$(time_of after 2)" "$(time_of after 3)" >at_end
value_of() { # value_of FILE CACHE FILTER: 0 if there is no such cache
	jq --arg cache "$2" "[.caches[] | select(.cache == \$cache) | $3] | add // 0" "$1"
}

lost=$(json '.loss.lost + .loss.skipped')
compared=0
while read -r key cache size per_slab before after; do
	[ "$key" = cache ] || continue
	# objects from before the window that are freed in it shrink the cache, too
	ours=$(value_of between "$cache" '.live_objects - .frees_unmatched')
	missed=$(value_of between "$cache" .missed_frees)
	bytes=$(value_of between "$cache" .live_bytes)
	objects=$(value_of between "$cache" .live_objects)
	meanwhile=0 # from before the caches were shrunk until slabinfo was read
	for window in at_begin at_end; do
		meanwhile=$((meanwhile + $(value_of $window "$cache" \
			'.allocations + .frees + .frees_unmatched')))
	done
	# each of these events may have given a CPU its own slab again, whose objects all count as active
	held=$(held_of "$cache")
	[ "$held" -lt $((meanwhile * per_slab)) ] || held=$((meanwhile * per_slab))
	slack=$((meanwhile + held + missed + lost + hidden))
	theirs=$((after - before)) difference=$((after - before - ours))
	echo "$cache: slabinfo $before + $theirs, live $ours; they differ by $difference, at most $slack is possible:" \
		"$meanwhile between the readings, at most $held held; $missed missed, $lost lost or skipped, $hidden hidden"
	[ ${difference#-} -le $slack ] || fail "$cache: $difference objects too many"
	[ "$bytes" = $((objects * size)) ] || fail "$cache: $objects objects of $size are not $bytes bytes"
	# with a large uncertainty, the comparison proves nothing
	[ $((slack * 10)) -le "$theirs" ] && compared=$((compared + 1))
done <truth
[ $compared -gt 0 ] || skip "too much was lost or skipped, or too much else went on, for a comparison"
