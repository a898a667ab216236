#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced -z records the events of a load; the capture is correct and small, and its unpacked copy gives
# the same report. If there is no time to pack, packets stay raw, and the capture is still correct.
. "$srcdir/live/live.sh"
need jq

own_folder folder || mkdir -p folder
workload="$builddir/tests/live/workload"

size() {
	cat "$1"/cpu* | wc -c
}

codecs() { # codecs CAPTURE: numbers of raw and of packed packets; of these, the records and bytes
	for stream in "$1"/cpu*; do
		"$builddir/tests/live/codecs" "$stream" || echo "$stream cannot be read" >>unread
	done | awk '{ raw += $1; packed += $2; records += $3; bytes += $4 } END { print raw, packed, records, bytes }'
}

packets() { # sets $raw, $packed, $records and $bytes
	rm -f unread
	read -r raw packed records bytes <<<"$(codecs kmemtrace.data)"
	[ ! -e unread ] || fail "$(cat unread)"
}

# the load may free objects of kmemtraced, in an interrupt, which perf counts too
"$kmemtraced" -q -z --include-self -- "$workload" fs 5000 folder >truth 2>workload.log
code=$?
[ $code = 77 ] && skip "$(cat workload.log)"
[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"
checked
missing=$(json '.loss.lost + .loss.skipped')
for operation in "allocation kmalloc kmem_cache_alloc" "free kfree kmem_cache_free"; do
	read -r operation one other <<<"$operation"
	least=$(($(value truth "$one") + $(value truth "$other")))
	most=$(($(value truth "around_$one") + $(value truth "around_$other")))
	found=$("$report" count --format=json --where="tid == $(value truth task) && current_comm == \"window\" && operation == \"$operation\"" |
		jq .query.counted)
	echo "$operation: perf counted $least to $most, the capture $found, lost and skipped $missing"
	[ $((found + missing)) -ge $least ] && [ "$found" -le $most ] || fail "$operation: $found"
done
packets
echo "packets: $packed packed, $raw raw; $records packed records in $bytes bytes"
[ "$packed" -gt 0 ] && [ "$bytes" -le $((records * 5)) ] || fail "more than 5 bytes an event"
"$report" -i kmemtrace.data >before || fail "report: $?"
"$pack" -qu kmemtrace.data || fail "unpack: $?"
checked
[ "$(size kmemtrace.data)" -ge $(($(json .loss.recorded) * 48)) ] || fail "unpacked it is too small"
"$report" -i kmemtrace.data >after || fail "report: $?"
diff before after || fail "unpacked it is another capture"

# After SIGKILL, every packet on disk is complete.
ten_packed() {
	"$workload" fs 1000 folder >truth 2>&1
	[ "$(codecs kmemtrace.data | cut -d ' ' -f 2)" -ge 10 ]
}
start_daemon -q -z
wait_for "ten packed packets" ten_packed
stop_daemon KILL
"$check" --repair -q kmemtrace.data || fail "repair: $?"
checked
packets
[ "$packed" -ge 10 ] || fail "of a killed capture only $packed packets are packed"

# A ring that is full leaves no time: kmemtraced gets no CPU while the load fills it.
cat >starve <<'END'
for _ in 1 2 3 4 5 6 7 8 9 10; do
	had=$(cat kmemtrace.data/cpu* | wc -c)
	kill -STOP $PPID
	"$@"
	kill -CONT $PPID
	until [ "$(cat kmemtrace.data/cpu* | wc -c)" -gt "$had" ]; do sleep 0.02; done # paced: kmemtraced waits for this command
done
END
"$kmemtraced" -q -z -m 1 -- sh starve "$workload" fs 1000 folder >truth 2>&1 || fail "starved: $?: $(cat truth)"
checked
packets
echo "starved: $(json .loss.lost) lost; packets: $packed packed, $raw raw"
[ "$(json .loss.lost)" -gt 0 ] || fail "the ring was never full"
[ "$raw" -ge 10 ] || fail "with full rings only $raw packets are raw"
exit 0
