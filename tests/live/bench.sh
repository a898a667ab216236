#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bench/run --quick measures everything in small sizes, prints the results as text and JSON, and
# leaves nothing behind, also when it is stopped. The test does not check how fast anything is.
. "$srcdir/live/live.sh"
need jq
run=$top_srcdir/bench/run
case $scratch in
*[[:space:]]*) skip "bench/run needs a TMPDIR without blanks" ;;
esac
# a lock of its own: another run of this test may measure with the same build
mkdir tmp build
ln -s "$builddir"/* build
rm -f build/live.lock
export TMPDIR="$scratch/tmp"
builddir=$scratch/build
pid=
before_end '[ -z "$pid" ] || { kill $pid; wait $pid; } 2>/dev/null'

nothing_left() {
	[ -z "$(ls tmp)" ] || fail "$1 left in TMPDIR: $(ls tmp)"
	left=$(find /dev/shm /sys/kernel/tracing/instances -maxdepth 1 -name "kmemtrace-bench.$pid*" 2>/dev/null)
	pid=
	[ -z "$left" ] || fail "$1 left $left"
}

true_of() { # true_of WHAT FILTER: checks the results
	jq -e "$2" results.json >/dev/null || fail "the results lack $1: $(jq -c "$2" results.json 2>&1)"
}

for wrong in --rounds=0 --rounds --rounds= --build= --json= --nothing nothing "--rounds 2x"; do
	# shellcheck disable=SC2086 # two words
	$run $wrong >out 2>&1
	[ $? = 2 ] || fail "bench/run $wrong did not end with 2: $(cat out)"
done
# says WORDS COMMAND…: it ends with 2 and an error with these words, and measures nothing
says() {
	words=$1
	shift
	"$@" >out 2>log
	[ $? = 2 ] || fail "$* did not end with 2: $(cat log)"
	tail -n 1 log | grep -q -e "$words" || fail "$* did not say '$words': $(cat log)"
	[ ! -s out ] || fail "$* printed $(cat out)"
}
says 'TMPDIR is .*blanks' env TMPDIR="$scratch/t mp" "$run" --build "$builddir" --quick check
says 'there is no Makefile' "$run" --build "$scratch/tmp" --quick check
says 'none: there is no Makefile' "$run" --build "$scratch/none" --quick --json none.json check
[ ! -e none.json ] || fail "an empty file for results was left"
says 'none/results.json: cannot be written' "$run" --build "$builddir" --json "$scratch/none/results.json" --quick check
$run --help | grep -q -- '--json FILE' || fail "--help does not mention --json"
$run --list >list || fail "--list: exit $?"
[ "$(cut -f 1 list | xargs)" = "cost pairs programs probes loss size analysis check service top summaries fleet" ] || fail "--list printed $(cat list)"

$run --build "$builddir" --quick --rounds 1 --json results.json >text 2>log &
pid=$!
wait $pid
status=$?
if grep -q 'needs .* MiB in' log; then skip "$(tail -n 1 log)"; fi
[ $status = 0 ] || fail "exit $status: $(tail -n 5 log)"
nothing_left "bench/run"

for word in '^cpu: ' '^kernel: Linux ' '^kmemtrace: ' '^perf: ' '^bpftrace: ' '^trace-cmd: ' \
	'^cost, fs: CPU time added' '^Ratios' '^requirement'; do
	grep -q "$word" text || fail "the text does not have '$word': $(cat text)"
done
true_of "all keys" 'keys == ["absent", "commands", "date", "failure", "figures", "machine", "quick", "ratios",
	"required", "rounds", "schema", "tools"]'
true_of "the machine" '.machine | .cpu != null and (.cpus | tonumber) > 0 and .memory != null and
	.kernel != null and .system != null and .scratch != null'
true_of "the tools" '.tools | has("kmemtrace") and has("perf") and has("bpftrace") and has("trace-cmd")'
true_of "what it was" '.schema == 1 and .quick and .rounds == 1 and .failure == null'
true_of "all benches" '[.figures[].bench] | unique == ["analysis", "check", "cost", "fleet", "loss", "pairs", "probes", "programs",
	"service", "size", "summaries", "top"]'
true_of "figures" '.figures | all(has("case") and has("tool") and has("metric") and
	(.rounds >= 1) and (.least <= .median) and (.median <= .most) and (.samples | length) == .rounds)'
true_of "the cost of publishing" 'any(.figures[]; .bench == "size" and .metric == "publish_ns" and
	.tool == "kmemtraced --publish")'
true_of "our own cost" '[.figures[] | select(.bench == "cost" and .tool == "kmemtraced" and
	.metric == "added_ns") | .case] == ["fs"]'
true_of "losses" '.figures | any(.tool == "kmemtraced" and .metric == "lost")'
true_of "captures" '.figures | any(.tool == "kmemtraced" and .metric == "bytes_event" and .median > 40 and .median < 60)'
true_of "sizes" '[.figures[] | select(.tool == "kmemtrace-report" and .metric == "events") |
	{(.case): .median}] | add | .["fs 12"] > .["fs 1"] and .live == 40000'
true_of "commands" '(.commands | length) > 0 and (.commands | all(.command | length > 0))'
# each row was measured, unless it is of a load that --quick leaves out, a tool that it needs is
# reported as absent, or its ratio is of a value below 0 or by one that is not above 0: in small sizes
# some are
grep -v '^#' "$top_srcdir/bench/required" >rows
jq -e --rawfile rows rows '
	def median($row; $i): [.figures[] | select(.bench == $row[2] and
		.metric == ($row[3] | split(":")[0]) and .case == $row[$i] and .tool == $row[$i + 1])] | .[0].median;
	. as $all | [$rows | split("\n")[] | select(length > 0) | split("|") | map(gsub("^ +| +$"; ""))] as $rows |
	(.required | length) == ($rows | length) and all(range($rows | length);
		$rows[.] as $row | $all.required[.] as $row_result |
		($all | median($row; 4)) as $a |
		(if $row | length > 6 then $all | median($row; 6) else 1 end) as $b |
		$row_result.what == $row[0] and ($row_result.met == null) == ($row_result.measured == null) and
		if $a == null or $b == null then $row_result.met == null and
			(($all.absent | length) > 0 or (($row[2] == "cost" or $row[2] == "pairs" or $row[2] == "programs") and
				$row[4] != "fs"))
		else ($row_result.met == null) == ($b <= 0 or ($row | length > 6) and $a < 0) end)
' results.json >/dev/null || fail "the results do not list the requirements: $(jq -c .required results.json)"
jq -e '[.figures[] | select(.metric == "lost" and .tool == "kmemtraced")][0].most as $most |
	.required | any(.required == "<= 0" and .measured == $most)' results.json >/dev/null ||
	fail "the requirement on lost events does not use the worst round"

# stopped while it measures
$run --build "$builddir" --quick --json results.json cost >text 2>log &
pid=$!
measured() {
	grep -qs added_ns tmp/*/results/samples
}
wait_for "a result" measured
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || fail "stopped by SIGTERM it ended with $status: $(cat log)"
nothing_left "bench/run, stopped,"
[ "$(tail -n 1 log)" = "bench: stopped by SIGTERM" ] || fail "stopped by SIGTERM it said $(cat log)"
grep -q '^cost, fs: CPU time added' text || fail "the results so far were not printed: $(cat text)"
true_of "the signal" '.failure == "stopped by SIGTERM" and any(.figures[]; .metric == "added_ns")'

# it waits for the lock, and can be stopped while it waits
exec 8>"$builddir/live.lock"
flock 8
$run --build "$builddir" --quick check >text 2>log 8>&- &
pid=$!
wait_for "the lock" grep -q 'waits for' log
kill -TERM $pid
wait $pid
status=$?
exec 8>&-
[ $status = 143 ] || fail "stopped while it waited it ended with $status: $(cat log)"
grep -q "waits for another .* $builddir/live.lock" log || fail "it did not say that it waits for the lock: $(cat log)"
nothing_left "bench/run, stopped while it waited,"
exit 0
