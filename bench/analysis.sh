# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The speed and memory of reports: kmemtrace-report with raw and packed captures, perf kmem and
# trace-cmd with their recordings of the same workload. Sourced by bench/run.

space_analysis=(7000 500)
about_analysis="events a second and memory of the reports, and how they grow"

allowed_bytes=$((64 << 20)) # and as many more for each live object:
allowed_bytes_object=100

# analysis_run CASE TOOL EVENTS LIVE COMMAND…
analysis_run()
{
	local name=$1 tool=$2 count=$3 live=$4 peak

	shift 4
	measure_long "$@" || could_not "analysis: $tool: $(tail -n 1 "$log")"
	command_line analysis "$tool" "$@"
	peak=$(value "$measured" peak_bytes)
	sample analysis "$name" "$tool" events "$count"
	sample analysis "$name" "$tool" events_s \
		"$(divide "$((count * 1000000000))" "$(value "$measured" wall_ns)" 0)"
	sample analysis "$name" "$tool" peak_bytes "$peak"
	is_ours "${tool/kmemtrace-report/kmemtraced}" || return 0
	sample analysis "$name" "$tool" of_allowed \
		"$(divide "$peak" "$((allowed_bytes + live * allowed_bytes_object))")"
}

# analysis_ours CASE CAPTURE SUFFIX: kmemtrace-report with a raw or packed capture
analysis_ours()
{
	local name=$1 capture=$2 count live

	count=$(recorded "$scratch/raw")
	analysis_run "$name" "kmemtrace-report$3" "$count" "$objects" "$build/kmemtrace-report" \
		-i "$scratch/$capture"
	analysis_run "$name" "kmemtrace-report findings$3" "$count" "$objects" \
		"$build/kmemtrace-report" findings -i "$scratch/$capture"
}

analysis_round()
{
	local name=$1 round=$2

	analysis_ours "$name" raw ""
	[ ! -e "$scratch/packed" ] || analysis_ours "$name" packed ", packed"
	[ ! -e "$scratch/perf.data" ] ||
		analysis_run "$name" "perf kmem stat" "$perf_events" 0 \
			perf kmem -i "$scratch/perf.data" --caller stat
	# these two take minutes, the others seconds
	if [ -e "$scratch/trace.dat" ] && [ "$round" -le "$(at_most 3)" ]; then
		analysis_run "$name" "trace-cmd report" "$trace_events" 0 \
			trace-cmd report -i "$scratch/trace.dat"
		# prints each event too
		analysis_run "$name" "kmemtrace-report events" "$(recorded "$scratch/raw")" "$objects" \
			"$build/kmemtrace-report" events -i "$scratch/raw"
	fi
}

# Records the same workload with perf and ftrace.
analysis_record_peers()
{
	local times=$1 captured lost cpu files=()

	if usable analysis "perf record"; then
		tool_run "perf record" "$build/bench/workload" fs "$times" "$memory" ||
			could_not "analysis: perf record: $(tail -n 1 "$log")"
		captured "perf record"
		perf_events=$captured
		mv "$scratch/recorded/perf.data" "$scratch"
	else
		absent analysis "perf kmem stat" "there is no perf"
	fi
	if ! command -v trace-cmd >/dev/null; then
		absent analysis "trace-cmd report" "trace-cmd is not installed (Debian package trace-cmd)"
		return
	fi
	usable analysis "ftrace buffers" || return
	tool_run "ftrace buffers" "$build/bench/workload" fs "$times" "$memory" ||
		could_not "analysis: ftrace: $(tail -n 1 "$log")"
	captured "ftrace buffers"
	trace_events=$captured
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
		files+=("$scratch/recorded/cpu$cpu")
	done
	# make a trace.dat of the pages of the buffers
	if ! { trace-cmd restore -c -o "$scratch/head.dat" &&
		trace-cmd restore -i "$scratch/head.dat" -o "$scratch/trace.dat" "${files[@]}"; } >"$log" 2>&1; then
		absent analysis "trace-cmd report" "trace-cmd restore fails here: $(tail -n 1 "$log")"
		rm -f "$scratch/trace.dat"
	fi
	rm -f "$scratch/head.dat"
}

analysis_clean()
{
	rm -rf "$scratch/recorded" "$scratch/raw" "$scratch/packed"
	rm -f "$scratch/perf.data" "$scratch/trace.dat"
}

# Measures all reports of the recordings in $scratch.
analysis_measure()
{
	local name=$1 round

	if packs; then
		measure "$build/kmemtrace-pack" -o "$scratch/packed" "$scratch/raw" ||
			could_not "analysis: kmemtrace-pack: $(tail -n 1 "$log")"
	else
		absent analysis "kmemtrace-report, packed" "this build does not pack"
	fi
	# the most live objects at the end of any of its slices
	if ! measure "$build/kmemtrace-report" timeline -i "$scratch/raw" --format=json ||
		! objects=$(jq -e '[.timeline[].live_objects] | max' "$out"); then
		could_not "analysis: the report has no timeline: $(tail -n 1 "$log")"
	fi
	sample analysis "$name" kmemtrace-report live "$objects"
	for file in "$scratch"/raw/cpu* "$scratch"/packed/cpu* "$scratch"/*.dat*; do
		[ ! -e "$file" ] || warm "$file"
	done
	for round in $(seq "$rounds"); do
		analysis_round "$name" "$round"
	done
	analysis_clean
}

# analysis_case NAME EVENTS
analysis_case()
{
	local name=$1 ours times objects perf_events trace_events

	for ours in kmemtrace-report "kmemtrace-report findings" "kmemtrace-report, packed" \
		"kmemtrace-report findings, packed"; do
		ratio analysis events_s "$name" "$ours" "$name" "perf kmem stat"
		ratio analysis events_s "$name" "$ours" "$name" "trace-cmd report"
		ratio analysis peak_bytes "$name" "$ours" "$name" "perf kmem stat"
	done
	ratio analysis events_s "$name" "kmemtrace-report events" "$name" "trace-cmd report"
	times_of fs "$2"
	tool_run kmemtraced "$build/bench/workload" fs "$times" "$memory" ||
		could_not "analysis: kmemtraced: $(tail -n 1 "$log")"
	mv "$scratch/recorded/data" "$scratch/raw"
	analysis_record_peers "$times"
	analysis_measure "$name"
}

bench_analysis()
{
	local tool

	lock
	analysis_clean
	analysis_case "fs 1" "$(sized 1000000 10000)"
	analysis_case "fs 4" "$(sized 4000000 40000)"
	analysis_case "fs 12" "$(sized 12000000 120000)"
	unlock
	for tool in kmemtrace-report "kmemtrace-report findings" "perf kmem stat" "trace-cmd report"; do
		ratio analysis events_s "fs 12" "$tool" "fs 1" "$tool"
		ratio analysis peak_bytes "fs 12" "$tool" "fs 1" "$tool"
	done
	"$build/bench/generate" "$(sized 4000000 40000)" "$(sized 2500000 25000)" "$scratch/raw" \
		2>"$log" || could_not "analysis: $(tail -n 1 "$log")"
	analysis_measure live
}
