#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bench/run measures everything in small sizes, says so as text and as JSON, and leaves nothing
# behind, also when it is stopped. How fast anything is, is not asserted.
. "$srcdir/live/live.sh"
need jq
run=$top_srcdir/bench/run
# bench/run takes the same lock
exec 9>&-
mkdir tmp
export TMPDIR="$scratch/tmp"

nothing_left() {
	[ -z "$(ls tmp)" ] || fail "$1 left in TMPDIR: $(ls tmp)"
	left=$(find /dev/shm /sys/kernel/tracing/instances -maxdepth 1 -name 'kmemtrace-bench*' -newer begun 2>/dev/null)
	[ -z "$left" ] || fail "$1 left $left"
}

true_of() { # true_of WHAT FILTER: of the results
	jq -e "$2" results.json >/dev/null || fail "the results do not tell $1: $(jq -c "$2" results.json 2>&1)"
}

for wrong in --rounds=0 --rounds --nothing nothing "--rounds 2x"; do
	# shellcheck disable=SC2086 # two words
	$run $wrong >out 2>&1
	[ $? = 2 ] || fail "bench/run $wrong did not end with 2: $(cat out)"
done
$run --help | grep -q -- '--json FILE' || fail "--help says nothing of --json"
$run --list >list || fail "--list: exit $?"
[ "$(cut -f 1 list | xargs)" = "cost loss size analysis check" ] || fail "--list printed $(cat list)"

touch begun
$run --build "$builddir" --quick --rounds 1 --json results.json >text 2>log || fail "exit $?: $(tail -5 log)"
nothing_left "bench/run"

for word in '^cpu: ' '^kernel: Linux ' '^kmemtrace: ' '^perf: ' '^bpftrace: ' '^trace-cmd: ' \
	'^cost, fs: CPU time added' '^Ratios' '^what must hold'; do
	grep -q "$word" text || fail "the text does not have '$word': $(cat text)"
done
true_of "all keys" 'keys == ["absent", "commands", "date", "figures", "machine", "quick", "ratios",
	"required", "rounds", "schema", "tools"]'
true_of "the machine" '.machine | .cpu != null and (.cpus | tonumber) > 0 and .memory != null and
	.kernel != null and .system != null and .scratch != null'
true_of "the tools" '.tools | has("kmemtrace") and has("perf") and has("bpftrace") and has("trace-cmd")'
true_of "what it was" '.schema == 1 and .quick and .rounds == 1'
true_of "all benches" '[.figures[].bench] | unique == ["analysis", "check", "cost", "loss", "size"]'
true_of "figures" '.figures | all(has("case") and has("tool") and has("metric") and
	(.rounds >= 1) and (.least <= .median) and (.median <= .most) and (.samples | length) == .rounds)'
true_of "our own cost" '[.figures[] | select(.bench == "cost" and .tool == "kmemtraced" and
	.metric == "added_ns") | .case] | sort == ["dir", "fs", "mixed", "skb"]'
true_of "losses" '.figures | any(.tool == "kmemtraced" and .metric == "lost")'
true_of "captures" '.figures | any(.tool == "kmemtraced" and .metric == "bytes_event" and .median > 40 and .median < 60)'
true_of "sizes" '[.figures[] | select(.tool == "kmemtrace-report" and .metric == "events") |
	{(.case): .median}] | add | .["fs 12"] > .["fs 1"] and .live == 40000'
true_of "commands" '(.commands | length) > 0 and (.commands | all(.command | length > 0))'
# each row was measured, unless a tool that it needs is told as absent
true_of "what must hold" '(.required | length) == '"$(grep -vc '^#' "$top_srcdir/bench/required")"' and
	((.absent | length) > 0 or (.required | all(.measured != null and .met != null)))'

# stopped in the middle of it
touch begun
$run --build "$builddir" --quick cost >text 2>log &
pid=$!
for _ in $(seq 100); do
	ls -d tmp/*/recorded >/dev/null 2>&1 && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || fail "stopped by SIGTERM it ended with $status: $(cat log)"
nothing_left "bench/run, stopped,"
exit 0
