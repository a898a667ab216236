#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-top beside a load that holds known numbers of objects: it shows how many were allocated
# and are live, to the object, by site, function, cache, comm, process, cgroup and stack, and its rates are
# the differences; of a kmemtraced that publishes, of the next one, and of one that it starts itself.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq pgrep
top=$builddir/kmemtrace-top
[ -x "$top" ] || skip "kmemtrace-top was not built"
TMPDIR=$scratch
export TMPDIR
top_pid=
before_end '[ -z "$top_pid" ] || kill -KILL $top_pid'

# publish OPTION…: of the load only, since other tasks make eventfds, too
publish() {
	"$kmemtraced" -q -p "$load" --publish=memstat "$@" 2>daemon.log 3>&- 4<&- &
	daemon=$!
}

# show FILE OPTION…: in the background, one moment after the other
show() {
	file=$1
	shift
	"$top" --format=json -d 0.5 -l 0 "$@" >"$file" 2>log 3>&- 4<&- &
	top_pid=$!
}

# shows FILTER: the newest moment; $row: the row of the objects that an eventfd has of its own
none='{allocations: 0, frees: 0, live_objects: 0, allocations_per_s: 0}'
row="(.lost as \$lost | first(.rows[] | select(.name | test(\"eventfd\"))) // $none | .lost = \$lost)"
shows() {
	tail -n 1 "$file" | jq -se ".[0] | $1" >/dev/null
}

shown() { # shown FILTER: waits for it
	wait_for "a moment with $1, not $(tail -n 1 "$file" | jq -c "$row") $(cat log)" shows "$1"
}

# live NUMBER: so many objects; what was lost or skipped may be an object of the load, or its free
live() {
	shown "$row | (.live_objects - $1 | fabs) <= .lost"
}

end_show() {
	kill $top_pid
	wait $top_pid || fail "kmemtrace-top: exit $?: $(cat log)"
	top_pid=
}

# rates_of ROW: each rate is the difference to the moment before, and what is live was not freed
rates_of() {
	jq -se "map(.interval_s as \$s | $1 | .interval = \$s) | . as \$all |
		length >= 2 and all(.[]; .live_objects == .allocations - .frees) and
		all(range(1; length); (\$all[.].allocations - \$all[. - 1].allocations -
			\$all[.].allocations_per_s * \$all[.].interval | fabs) < 2)" "$file" >/dev/null ||
		fail "$file: the rates are not the differences: $(jq -c "[.interval_s, $1]" "$file")"
}

begin_files
publish --no-capture
made=0
for key in site function; do
	hold 0
	made=$((made + 3000 + 7500))
	show $key -w -i memstat --filter=eventfd -k $key
	shown .interval_s
	hold 3000
	live 3000
	hold 500
	live 500
	hold 8000
	live 8000
	end_show
	shows "$row | .allocations <= $made and .allocations >= $made - .lost" || fail "not $made: $(tail -n 1 $key)"
	rates_of "$row"
done

# The caches and tasks have the same objects; all tables have the same sum.
for key in site function cache comm process cgroup; do
	"$top" -i memstat --format=json -n 1 -d 0.5 -l 0 -k $key >$key 2>log || fail "$key: $(cat log)"
	jq -e '(.rows | map(.allocations) | add) == .total.allocations and
		(.rows | map(.live_bytes) | add // 0) == .total.live_bytes and
		(.rows | all(.frees <= .allocations))' $key >/dev/null || fail "$key: the rows do not add up"
done
# the cgroup is known by /proc
path=$(awk -F: '$2 ~ /memory/ { print $3; found = 1 } $2 == "" { other = $3 }
	END { if (!found) print other }' /proc/$load/cgroup)
for name in comm:descriptors "process:$load descriptors" "cgroup:$path"; do
	jq -e --arg name "${name#*:}" 'any(.rows[]; .name == $name and .live_objects >= 8000)' "${name%%:*}" >/dev/null ||
		fail "$name: $(jq -c '[.rows[] | [.name, .live_objects]]' "${name%%:*}")"
done
# the statistics file counts the same of each slab cache, at its own moment; large kmalloc() has none
jq -e '(.rows | map(select(.name != "kmalloc-large").allocations) | add) as $caches | (.memstat.types | map(select(.kind == "cache")) | map(.numallocs) | add) as $all |
	if .memstat.time_ns > .time_ns then $all >= $caches
	elif .memstat.time_ns < .time_ns then $all <= $caches
	else $all == $caches end' cache >/dev/null ||
	fail "memstat: $(jq -c '[.time_ns, .total, .memstat.time_ns,
		(.memstat.types | map(select(.kind == "cache")) | map(.numallocs) | add)]' cache)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ -z "$(ls memstat* 2>/dev/null)" ] || fail "left behind: $(ls)"

# One kmemtrace-top outlives kmemtraced, and shows the next one right.
publish --no-capture
show twice -w -i memstat --filter=eventfd -k function
shown .interval_s
stop_daemon KILL
wait_for "the end of kmemtraced" grep -q 'kmemtraced has ended: waiting for it$' log
hold 0
publish --no-capture
shown '.restarts == 1 and .interval_s > 0'
hold 4000
live 4000
grep -q 'kmemtraced publishes again$' log || fail "the next one is not seen: $(cat log)"
end_show
shows "$row | .allocations <= 4000 and .allocations >= 4000 - .lost and .frees == 0" || fail "not 4000 objects: $(tail -n 1 twice | jq -c .rows)"
stop_daemon

# A kmemtrace-top that counts its moments, and waits for no other kmemtraced, ends with it.
publish --no-capture
wait_for "the figures" [ -s memstat ]
show counted -n 1000 -i memstat
shown .interval_s
stop_daemon
wait $top_pid
[ $? = 2 ] || fail "kmemtraced has ended, and kmemtrace-top did not end with 2: $(cat log)"
top_pid=
grep -q 'memstat: kmemtraced has ended after [1-9][0-9]* of 1000 moments: with -w, kmemtrace-top waits' log || fail "$(cat log)"

# Where each allocation has a stack, the figures by stack are exact, and add up to the others.
hold 0
publish --no-capture --stacks=all
show stack -w -i memstat -k stack
shown .interval_s
hold 3000
shown '(([.rows[] | select(.name | test("^do_eventfd < .*eventfd2?$")).live_objects] | add // 0) - 3000 | fabs) <= .lost'
end_show
"$top" -i memstat --format=json -n 1 -d 0.5 -l 0 -k syscall >syscall 2>log || fail "exit $?: $(cat log)"
stop_daemon
for key in stack syscall; do
	jq -se 'all(.sampling_interval_bytes == 1 and (.lost > 0 or
		((.rows | map(.allocations) | add // 0) == .total.allocations and
		(.rows | map(.frees) | add // 0) == .total.frees and
		(.rows | map(.live_bytes) | add // 0) == .total.live_bytes)) and
		(.rows | all(.live_bytes_low == .live_bytes and .live_bytes_high == .live_bytes)))' \
		$key >/dev/null || fail "by $key: $(jq -c '[.lost, .total, (.rows | length),
			(.rows | map(.allocations) | add), (.rows | map(.frees) | add)]' $key)"
done
# besides these objects it makes their inodes, dentries and files
jq -e '.rows[] | select(.name | test("^eventfd2?$")) | .live_objects > 2 * 3000' syscall >/dev/null ||
	fail "by system call: $(jq -c .rows syscall)"
hold_often() { # 24000 eventfds
	for number in 8000 0 8000 0 8000; do
		hold $number
	done
}
# The allocations for them. Now and then the kernel allocates a node of a table, too: 1 % is left for that.
all=$(jq '.rows[] | select(.name | test("^eventfd2?$")) | .allocations * 8 * 0.99 | floor' syscall)

# Samples estimate the same: with thousands of them, the sums are close to what was counted.
hold 0
publish -o sampled --stacks=4k
show estimates -w -i memstat -k stack
shown .interval_s
hold_often
shown ".total.allocations >= $all - .lost"
end_show
stop_daemon
shows '(.rows | map(.samples) | add) as $samples |
	((.rows | map(.bytes_allocated) | add) / .total.bytes_allocated) as $allocated |
	((.rows | map(.live_bytes) | add) / .total.live_bytes) as $live |
	.sampling_interval_bytes == 4096 and $samples > 2000 and
	$allocated > 0.85 and $allocated < 1.15 and $live > 0.6 and $live < 1.4' ||
	fail "estimates: $(tail -n 1 estimates | jq -c '[.total, (.rows | map(.samples) | add),
		(.rows | map(.bytes_allocated) | add), (.rows | map(.live_bytes) | add)]')"

# A profile has samples only.
hold 0
publish --no-capture --profile=4k --max-samples=0
show profile -w -i memstat -k syscall
shown .interval_s
hold_often
eventfds='first(.rows[] | select(.name | test("^eventfd2?$")))'
shown "$eventfds.allocations > 0.85 * $all"
end_show
shows ".memstat.types == [] and ($eventfds | .allocations < 1.15 * $all and .samples > 100 and
	.live_bytes_low < .live_bytes and .live_bytes_high > .live_bytes)" ||
	fail "a profile: $(tail -n 1 profile | jq -c '[(.memstat.types | length), .rows[:2]]')"
stop_daemon

# By itself: the same figures, and nothing is left.
hold 0
show own --start -k process --filter="^$load "
shown .interval_s
hold_often
process="(.rows[0] // $none)"
shown "$process.allocations >= $all - .lost"
end_show
shows "$process.allocations <= 1.1 * $all" || fail "not $all allocations: $(tail -n 1 own | jq -c .rows)"
rates_of "$process"
publishes() {
	pgrep -f "publish=$scratch" >/dev/null
}
ended() {
	! publishes
}
publishes && fail "its kmemtraced runs on"
[ -z "$(find . -name 'kmemtrace-top.*')" ] || fail "left behind: $(ls)"
"$top" --start -b -n 1 -d 1 -k syscall >out 2>log || fail "by system call: $(cat log)"
grep -qE '^estimates: a sample each [0-9.]+[KM]?( to [0-9.]+[KM]?)? bytes; ' out || fail "not with stacks: $(cat out)"
# it ends with its parent, even if that is killed
rm out
"$top" --start -b >out 2>log 3>&- 4<&- &
top_pid=$!
wait_for "the first figures" [ -s out ]
publishes || fail "it has no kmemtraced: $(cat log)"
kill -KILL $top_pid
top_pid=
wait_for "the end of its kmemtraced" ended
# with --no-details, there are caches
publish --no-capture --no-details
"$top" -w -i memstat -b -n 1 -d 1 -k cache >out 2>log || fail "exit $?: $(cat log daemon.log)"
grep -q '; no details: by cache and kmalloc() caller only' out || fail "not said: $(cat out)"
"$top" -i memstat -b -n 1 -d 1 -k comm >out 2>log && fail "rows by comm without details"
grep -q 'publishes them without --no-details$' log || fail "the message: $(cat log)"
stop_daemon
end_files
exit 0
