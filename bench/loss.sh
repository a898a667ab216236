# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Events lost while all CPUs make events as fast as they can and the recording goes to a file: the
# number that each tool reports, and the number of events that it captured. Sourced by bench/run.

# MiB, normally and with --quick: perf takes 120 bytes an event
space_loss=(8000 500)
about_loss="events lost while all CPUs are busy, to a file"

loss_tools=(kmemtraced "kmemtraced --no-rescue" "kmemtraced -z" "perf record"
	"perf record, default -m" "ftrace buffers" "trace-cmd record")

loss_run()
{
	local tool=$1 captured lost

	tool_run "$tool" "$build/bench/workload" busy "$times" "$memory" ||
		could_not "loss: $tool: $(tail -n 1 "$log")"
	sample loss busy "$tool" events_s \
		"$(divide "$((events * 1000000000))" "$(value "$out" wall_ns)" 0)"
	captured "$tool"
	sample loss busy "$tool" captured "$captured"
	sample loss busy "$tool" lost "$lost"
	sample loss busy "$tool" lost_percent "$(divide "$((lost * 100))" "$((captured + lost))")"
}

bench_loss()
{
	local tool tools words times

	lock
	usable_tools loss "${loss_tools[@]}"
	times_of busy "$(sized 48000000 400000)"
	count_events busy "$times"
	sample loss busy untraced events "$events"
	for tool in "${tools[@]}"; do
		tool_words "$tool" workload busy "$times" FOLDER
		command_line loss "$tool" "${words[@]}"
	done
	for _ in $(seq "$(at_most 3)"); do
		for tool in "${tools[@]}"; do
			loss_run "$tool"
		done
	done
	rm -rf "$scratch/recorded"
	unlock
}
