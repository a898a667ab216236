#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-top beside a known load: 10,000 objects a second of one site are its rate, and the objects
# that the load holds are live, in each refresh, by site, function, cache, comm, process and stack; of
# a kmemtraced that publishes, of the next one, and of one that it starts itself. It costs little.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq
top=$builddir/kmemtrace-top
[ -x "$top" ] || skip "kmemtrace-top was not built"
trap 'exec 3>&-; stop_daemon; cd /; rm -rf "$scratch"' EXIT
TMPDIR=$scratch
export TMPDIR
mkfifo input
held=3000

# with a priority that keeps it at its rate beside other work
nice -n -20 "$builddir/tests/live/steady" 10000 $held <input >ready 2>load.log 3>&- &
load=$!
exec 3>input

# check_json FILE MOMENTS: the site of the load, in each moment. Its tick is 5 ms; a busy machine may
# make it late, which the next moment makes up for: so the mean is closer than each moment.
check_json() {
	[ "$(wc -l <"$1")" = "$2" ] || fail "$1: not $2 moments: $(cat log)"
	jq -se 'map(.lost) | max <= 1000' "$1" >/dev/null || echo "note: losses: $(jq -c .lost "$1")"
	jq -se --argjson held $held '
		map(.rows[] | select(.name | test("eventfd")) | select(.live_objects > 100)) |
		length == ($moments | tonumber) and
		all(.allocations_per_s >= 9000 and .allocations_per_s <= 11000 and
			.live_objects >= $held - 250 and .live_objects <= $held + 250 and
			.live_objects == .allocations - .frees) and
		(map(.allocations_per_s) | add / length) as $mean | $mean > 9700 and $mean < 10300' \
		--arg moments "$2" "$1" >/dev/null ||
		fail "$1: not 10,000 a second and $held live: $(jq -c '[.interval_s, .lost,
			[.rows[] | select(.name | test("eventfd"))]]' "$1")"
}

# The load began before: what it held then is freed as unknown, so that it has to be as many again.
# Only the load is traced: other tasks make eventfds, too.
(exec "$kmemtraced" -q -p $load --publish=memstat --no-capture) 2>daemon.log &
daemon=$!
"$top" -w -i memstat --format=json -n 1 -d 1 >out 2>log || fail "exit $?: $(cat log daemon.log)"
"$top" -i memstat --format=json -n 6 -d 1 -l 0 --filter=eventfd >site 2>log || fail "exit $?: $(cat log)"
check_json site 6
"$top" -i memstat --format=json -n 3 -d 2 -l 0 --filter=eventfd -k function >function 2>log ||
	fail "exit $?: $(cat log)"
check_json function 3

# The caches and tasks have the same objects; all tables have the same sum.
for key in site function cache comm process cgroup; do
	"$top" -i memstat --format=json -n 1 -d 1 -l 0 -k $key >$key 2>log || fail "$key: $(cat log)"
	jq -e '(.rows | map(.allocations) | add) == .total.allocations and
		(.rows | map(.live_bytes) | add) == .total.live_bytes and
		(.rows | all(.frees <= .allocations))' $key >/dev/null || fail "$key: the rows do not add up"
done
for key in comm process; do
	jq -e --argjson held $held --arg load "$load steady" 'any(.rows[];
		(.name == "steady" or .name == $load) and
		.live_objects >= $held - 250 and .allocations_per_s > 9000)' $key >/dev/null ||
		fail "$key: $(jq -c '.rows[] | select(.name | test("steady$"))' $key)"
done
rate=$(jq --arg load "$load steady" '.rows[] | select(.name == $load) | .allocations_per_s' process)
# its own cgroup is known, by /proc
path=$(awk -F: '$2 ~ /memory/ { print $3; found = 1 } $2 == "" { other = $3 }
	END { if (!found) print other }' /proc/$load/cgroup)
jq -e --arg path "$path" '.rows[] | select(.name == $path) | .live_objects > 2000' cgroup >/dev/null ||
	fail "cgroup $path: $(jq -c '[.rows[] | [.name, .live_objects]]' cgroup)"
# the statistics file counts the same, at its own moment
jq -e '(.memstat.types | map(select(.kind == "cache")) | map(.numallocs) | add) as $all |
	if .memstat.time_ns > .time_ns then $all >= .total.allocations
	elif .memstat.time_ns < .time_ns then $all <= .total.allocations
	else $all == .total.allocations end' cache >/dev/null ||
	fail "memstat: $(jq -c '[.time_ns, .total, .memstat.time_ns,
		(.memstat.types | map(select(.kind == "cache")) | map(.numallocs) | add)]' cache)"

# The cost of the program itself: CPU time of 10 refreshes, once a second.
/bin/bash -c 'time -p "$0" -i memstat -b -n 10 -d 1 >/dev/null' "$top" 2>cost || fail "$(cat cost)"
awk '$1 == "user" || $1 == "sys" { sum += $2 } $1 == "real" { real = $2 }
	END { printf "%.2f %% of one CPU\n", 100 * sum / real; exit sum / real > 0.03 }' cost ||
	fail "costs too much: $(cat cost)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ -z "$(ls memstat* 2>/dev/null)" ] || fail "left behind: $(ls)"

# One kmemtrace-top outlives kmemtraced, and shows the next one right.
(exec "$kmemtraced" -q -p $load --publish=memstat --no-capture) 2>daemon.log &
daemon=$!
"$top" -w -i memstat --format=json -d 1 -l 0 --filter=eventfd -k function >twice 2>twice.log 9>&- &
top_pid=$!
wait_for_moments() {
	for _ in $(seq 300); do
		[ "$(wc -l <twice)" -ge "$1" ] && return
		sleep 0.1
	done
	fail "not $1 moments: $(cat twice.log daemon.log)"
}
wait_for_moments 3
kill -KILL $daemon
wait $daemon 2>/dev/null
for _ in $(seq 100); do
	grep -q 'kmemtraced has ended' twice.log && break
	sleep 0.1
done
grep -q 'kmemtraced has ended: waiting for it$' twice.log || fail "the end is not seen: $(cat twice.log)"
before=$(wc -l <twice)
(exec "$kmemtraced" -q -p $load --publish=memstat --no-capture) 2>daemon.log &
daemon=$!
wait_for_moments $((before + 4))
grep -q 'kmemtraced publishes again$' twice.log || fail "the next one is not seen: $(cat twice.log)"
kill $top_pid
wait $top_pid || fail "exit $?: $(cat twice.log)"
[ "$(tail -n 1 twice | jq .restarts)" = 1 ] || fail "not one restart: $(jq -c '[.restarts, .begin_ns]' twice)"
sed -n "$((before + 1)),$((before + 4))p" twice >again
check_json again 4
stop_daemon

# Where each allocation has a stack, the figures by stack are exact, and add up to the others.
(exec "$kmemtraced" -q -p $load --publish=memstat --no-capture --stacks=all) 2>daemon.log &
daemon=$!
"$top" -w -i memstat --format=json -n 4 -d 1 -l 0 -k stack >stack 2>log ||
	fail "exit $?: $(cat log daemon.log)"
"$top" -i memstat --format=json -n 1 -d 1 -l 0 -k syscall >syscall 2>log || fail "exit $?: $(cat log)"
stop_daemon
for key in stack syscall; do
	jq -se 'all(.sampling_interval_bytes == 1 and (.lost > 0 or
		((.rows | map(.allocations) | add) == .total.allocations and
		(.rows | map(.frees) | add) == .total.frees and
		(.rows | map(.live_bytes) | add) == .total.live_bytes)) and
		(.rows | all(.live_bytes_low == .live_bytes and .live_bytes_high == .live_bytes)))' \
		$key >/dev/null || fail "by $key: $(jq -c '[.lost, .total, (.rows | length),
			(.rows | map(.allocations) | add), (.rows | map(.frees) | add)]' $key)"
done
jq -e --argjson held $held '.rows | map(select(.name | test("^do_eventfd < .*eventfd2?$"))) |
	(map(.live_objects) | add) as $live | $live >= $held - 250 and $live <= $held + 250 and
	(map(.allocations_per_s) | add) > 1000' stack >/dev/null ||
	fail "by stack: $(jq -c '.rows[] | select(.name | test("eventfd"))' stack)"
# besides these objects it makes their inodes, dentries and files
jq -e --argjson held $held '.rows[] | select(.name | test("^eventfd2?$")) | .live_objects > 2 * $held' \
	syscall >/dev/null || fail "by system call: $(jq -c .rows syscall)"

# Samples estimate the same: with thousands of them, the sums are close to what was counted.
(exec "$kmemtraced" -q -p $load --publish=memstat -o sampled --stacks=4k) 2>daemon.log &
daemon=$!
"$top" -w -i memstat --format=json -n 5 -d 1 -l 0 -k stack >stack 2>log ||
	fail "exit $?: $(cat log daemon.log)"
stop_daemon
tail -n 1 stack | jq -e '(.rows | map(.samples) | add) as $samples |
	((.rows | map(.bytes_allocated) | add) / .total.bytes_allocated) as $allocated |
	((.rows | map(.live_bytes) | add) / .total.live_bytes) as $live |
	.sampling_interval_bytes == 4096 and $samples > 2000 and
	$allocated > 0.85 and $allocated < 1.15 and $live > 0.6 and $live < 1.4' >/dev/null ||
	fail "estimates: $(tail -n 1 stack | jq -c '[.total, (.rows | map(.samples) | add),
		(.rows | map(.bytes_allocated) | add), (.rows | map(.live_bytes) | add)]')"

# A profile has samples only: the load is among its system calls.
(exec "$kmemtraced" -q --publish=memstat --no-capture --profile=4k --max-samples=0) 2>daemon.log &
daemon=$!
"$top" -w -i memstat --format=json -n 3 -d 1 -l 0 -k syscall >syscall 2>log ||
	fail "exit $?: $(cat log daemon.log)"
tail -n 1 syscall | jq -e --argjson rate "$rate" '.memstat.types == [] and
	(.rows[] | select(.name | test("^eventfd2?$")) |
		.samples > 100 and .allocations_per_s > $rate / 2 and
		.live_bytes_low < .live_bytes and .live_bytes_high > .live_bytes)' >/dev/null ||
	fail "a profile: $(tail -n 1 syscall | jq -c '[(.memstat.types | length), .rows[:2]]')"
stop_daemon

# By itself: the same figures, and nothing is left.
"$top" --start --format=json -n 3 -d 2 -l 0 -k process --filter="^$load " >own 2>log || fail "exit $?: $(cat log)"
[ "$(wc -l <own)" = 3 ] || fail "not 3 moments: $(cat log)"
tail -n 1 own | jq -e --argjson rate "$rate" '.rows[0] |
	.allocations_per_s > 0.9 * $rate and .allocations_per_s < 1.1 * $rate' >/dev/null ||
	fail "not $rate a second: $(jq -c .rows own)"
pgrep -f "publish=$scratch" >/dev/null && fail "its kmemtraced runs on"
[ -z "$(find . -name 'kmemtrace-top.*')" ] || fail "left behind: $(ls)"
"$top" --start -b -n 1 -d 1 -k syscall >out 2>log || fail "by system call: $(cat log)"
grep -q '^estimates: a sample each 512K bytes; ' out || fail "not with stacks: $(cat out)"
# it ends with its parent, even if that is killed
"$top" --start -b >out 2>log &
top_pid=$!
for _ in $(seq 100); do
	[ -s out ] && break
	sleep 0.1
done
kill -KILL $top_pid
for _ in $(seq 50); do
	pgrep -f "publish=$scratch" >/dev/null || break
	sleep 0.1
done
pgrep -f "publish=$scratch" >/dev/null && fail "its kmemtraced lives longer than it"
# with --no-details, there are caches
(exec "$kmemtraced" -q --publish=memstat --no-capture --no-details) 2>daemon.log &
daemon=$!
"$top" -w -i memstat -b -n 1 -d 1 -k cache >out 2>log || fail "exit $?: $(cat log daemon.log)"
grep -q '; no details: by cache and kmalloc() caller only' out || fail "not said: $(cat out)"
"$top" -i memstat -b -n 1 -d 1 -k comm >out 2>log && fail "rows by comm without details"
grep -q 'publishes them without --no-details$' log || fail "the message: $(cat log)"
stop_daemon # which has the input of the load open, too
exec 3>&-
wait $load
exit 0
