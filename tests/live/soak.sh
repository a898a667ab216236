#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A long capture in pieces beside a continuous one of the same events: bursts of a known number of events,
# ten triggers that fire once each. Nothing is lost, memory stays, the disk limit holds, each piece is whole,
# and the set has the figures of the continuous capture. KMEMTRACE_LONG=1: 30 minutes, half of them at as
# many events as this machine makes; it is skipped at the end where that were too many.
. "$srcdir/live/live.sh"
need jq

if [ -n "${KMEMTRACE_LONG-}" ]; then
	rounds=30 every=30s at_once=1000000 limit=4000 # MiB
else
	rounds=20 every=400ms at_once=1 limit=400
fi
[ "$(df --output=avail --block-size=1M . | tail -1)" -gt $((limit * 2)) ] || skip "needs $((limit * 2)) MiB of disk"
size=$(awk '$1 == "filp" { print $4 }' /proc/slabinfo)
[ -n "$size" ] || skip "/proc/slabinfo has no filp"

# One process holds files for the triggers, another one makes bursts: 400 times 50 files, nine events each.
begin_files
hold 0
mkfifo more finished
"$builddir/tests/live/descriptors" <more >finished 2>burst.log &
burst=$!
exec 5>more 6<finished
for _ in $(seq 400); do
	printf '50\n0\n'
done >cycles
bursts=0

one_burst() {
	cat cycles >&5
	head -n 800 <&6 >answered
	[ "$(wc -l <answered)" = 800 ] || skip "$(cat burst.log)"
	bursts=$((bursts + 1))
}

other=
before_end '[ -z "$other" ] || { kill -INT $other; wait $other; }'
triggers=() steps=()
held=130
for _ in 1 2 3 4 5 6 7 8 9 10; do # thresholds between the numbers of objects that the load will hold
	next=$((held * 3 / 2))
	triggers+=(--trigger="live(filp) > $(((held + next + 50) * size / 2))")
	steps+=("$next")
	held=$next
done
"$kmemtraced" -p "$load,$burst" --rescue -z -o whole -m 64 2>whole.log 3>&- 4<&- 5>&- 6<&- &
other=$!
OUTSTANDING=$scratch/outstanding LD_PRELOAD=$builddir/tests/faults/outstanding.so \
	"$kmemtraced" -p "$load,$burst" --rescue -z -o set -m 64 --switch-output=$every --max-disk=${limit}M \
	"${triggers[@]}" --trigger-command='echo "$KMEMTRACE_TRIGGER" >>fired; :' 2>daemon.log 3>&- 4<&- 5>&- 6<&- &
daemon=$!
both_capture() {
	captures whole && captures "$(find set -name 'piece.*' | head -n 1)"
}
wait_for "both captures" both_capture

pieces() {
	find set -maxdepth 1 -name 'piece.*' | wc -l
}

# Another piece, of a kmemtraced that has nothing to do: what it holds, in kB, is least then.
quiet() {
	rss=$(awk '$1 == "VmRSS:" { print $2 }' /proc/$daemon/status)
	bytes=$(($(od -An -t u8 outstanding.$daemon) / 1024))
	[ $rss -ge ${least_rss:=$rss} ] || least_rss=$rss
	[ $bytes -ge ${least_bytes:=$bytes} ] || least_bytes=$bytes
	[ "$(pieces)" -gt $now ]
}

goes_on() { # the continuous one too
	[ "$(du -s whole | cut -f 1)" -gt "$stored" ]
}

commands_ran() { # commands_ran NUMBER
	[ "$(wc -l <fired)" -ge "$1" ]
}

# The largest burst comes first, which waits in memory as a whole: its buffers are kept for all others.
before_end 'kill -CONT $daemon 2>/dev/null'
halt $daemon
for _ in 1 2 3 4; do
	one_burst
done
kill -CONT $daemon

stored=0 most=0
for round in $(seq $rounds); do
	now=$(pieces)
	for ((i = 0; i < at_once && $(pieces) <= now; i++)); do
		one_burst
	done
	wait_for "the next piece" [ -e "set/$(printf 'piece.%06d' $((now + 1)))" ]
	now=$(pieces) least_rss='' least_bytes=''
	wait_for "the piece after it" quiet
	echo "$round $least_rss $least_bytes" >>memory
	wait_for "more of the continuous capture" goes_on
	stored=$(du -s whole | cut -f 1)
	disk=$(du -s --block-size=1M set | cut -f1)
	[ "$disk" -gt $most ] && most=$disk
	[ "$disk" -le "$limit" ] || fail "the set has $disk MiB, more than $limit"
	if [ "$round" -le 10 ]; then
		hold "${steps[round - 1]}"
		wait_for "$round triggers" commands_ran "$round"
	fi
done
hold 0
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
kill -INT $other
wait $other || fail "the continuous capture: $(cat whole.log)"
other=
exec 5>&- 6<&-
end_files
tail -qn 1 daemon.log whole.log

# the triggers fire once each, in order
printf '%s\n' "${triggers[@]#--trigger=}" | diff - fired || fail "not ten triggers: $(cat daemon.log)"

# each piece is whole
for piece in set/piece.*; do
	checked "$piece"
done
pieces=$(pieces)
[ "$pieces" -ge $((2 * rounds)) ] || fail "only $pieces pieces"

# The least of each of five parts of the second half: a leak grows from part to part. What grows once does not:
# so a leak grows in at least three of the four steps, and by more than the room. The C library keeps memory
# for later, so the resident memory needs a long time to be flat.
flat() { # flat NAME COLUMN [ROOM]: in kB; without ROOM only prints
	awk -v rounds="$rounds" -v name="$1" -v column="$2" -v room="${3-}" '$1 * 2 > rounds {
			y = $column
			list[n++] = y
			sum_x += $1; sum_y += y; xx += $1 * $1; xy += $1 * y
		}
		END {
			for (part = 0; part < 5; part++)
				for (i = int(n * part / 5); i < int(n * (part + 1) / 5); i++)
					if (!least[part] || list[i] < least[part])
						least[part] = list[i]
			printf "%s in the second half, the least of each fifth: %d %d %d %d %d kB; slope %.3f kB a round\n", name,
				least[0], least[1], least[2], least[3], least[4],
				(n * xy - sum_x * sum_y) / (n * xx - sum_x ^ 2)
			for (part = 1; part < 5; part++)
				steps += least[part] > least[part - 1]
			leaks = steps >= 3 && least[4] > least[0] + room
			exit !(n >= 5 && least[4] > 0 && (room == "" || !leaks))
		}' memory
}
flat "outstanding bytes" 3 64 || fail "malloc() gives more than free() takes: $(cat memory)"
if [ -n "${KMEMTRACE_LONG-}" ]; then
	flat VmRSS 2 256 || fail "the memory grows: $(cat memory)"
else
	flat VmRSS 2
fi

# The same figures. Each of the two skips other events in interrupts, those inside an event, which may be
# frees of the tasks' objects: they are counted, and bound the difference; what the tasks did is equal.
figures_of() { # figures_of CAPTURE: into files of its own, since two run at once
	"$report" count -i $1 --by=event,site,cache,context --sum=bytes_alloc --format=json >$1.out ||
		fail "no report count of $1"
	jq -S '.count | map(select(.context == "task") | del(.lower_bound)) | sort_by(.event, .site, .cache)' $1.out >$1.count
	jq -c '.loss | {recorded, lost, skipped}' $1.out >$1.loss
	# a bound has a reason
	jq -e '.loss.lost + .loss.skipped > 0 or all(.count[]; .lower_bound | not)' $1.out >/dev/null ||
		fail "$1: lower bounds without a loss: $(jq -c .loss $1.out)"
	for view in sites caches; do
		"$report" $view -i $1 --where='context == "task"' --format=json >$1.out || fail "no report $view of $1"
		jq ".$view | sort_by(.site, .cache)" $1.out >$1.rows
		jq -c '.[] | [.site, .cache, .allocations, .bytes_requested, .bytes_allocated, .failed]' $1.rows >$1.$view
		jq -c '.[] | [.frees, .live_objects]' $1.rows >$1.$view.live
	done
}
(figures_of set) &
set=$!
(figures_of whole) &
whole=$!
wait $set || exit 1
wait $whole || exit 1
echo "$pieces pieces, at most $most MiB of $limit: $(cat set.loss); continuous: $(cat whole.loss)"
lost=$(cat set.loss whole.loss | jq -s 'map(.lost) | add | select(. > 0)')
if [ -n "$lost" ]; then
	[ -n "${KMEMTRACE_LONG-}" ] || fail "$lost events were lost"
	skip "this machine loses events at this rate: $lost"
fi
made=$("$report" count -i set --where="tid == $burst && caller_function == \"alloc_empty_file\"" --format=json |
	jq '.query.counted')
[ "$made" = $((bursts * 20000)) ] || fail "the set has $made of $((bursts * 20000)) files"
[ "$(jq length set.count)" -ge 10 ] && [ "$(wc -l <set.sites)" -ge 10 ] || fail "nothing was compared: $(cat set.count)"
for figures in count sites caches; do
	cmp -s set.$figures whole.$figures || fail "$figures: $(diff set.$figures whole.$figures | head -20)"
done
skipped=$(cat set.loss whole.loss | jq -s 'map(.skipped) | add')
jq -s -e "(.[0].recorded - .[1].recorded | fabs) <= $skipped" set.loss whole.loss >/dev/null ||
	fail "not the same events"
for view in sites caches; do
	differ=$(paste -d, set.$view.live whole.$view.live | jq -s -R 'split("\n") | map(select(length > 0) | "[\(.)]" | fromjson |
		(.[0][0] - .[1][0] | fabs), (.[0][1] - .[1][1] | fabs)) | add')
	echo "$view: $(wc -l <set.$view) rows are equal; frees and live objects differ by $differ, $skipped were skipped"
	[ "$differ" -le $((2 * skipped)) ] || fail "$view: $(diff set.$view.live whole.$view.live | head -20)"
done
exit 0
