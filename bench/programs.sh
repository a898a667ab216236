# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The time that the BPF programs themselves take, as the kernel measures it, above that of programs
# that do nothing, which are there at the same events: it varies much less than the CPU time of a
# workload, but leaves out what it costs to call a program. Each round runs all tools in turn.
# Sourced by bench/run.

space_programs=(2000 300)
about_programs="time of the BPF programs, for each event"

programs_tools=(kmemtraced "kmemtraced --stacks" "kmemtraced --profile" "kmemtraced --count"
	"kmemtraced --count --no-rescue" "per-CPU hash of counts")

# programs_run WORK TOOL TIMES: one run; sets $time and $runs of the tool's programs, and $nothing to
# the time of one run of a program that does nothing.
programs_run()
{
	tool_run "$2" "$build/bench/empty" "$build/bench/programs" "$build/bench/workload" "$1" "$3" \
		"$memory" "$tree" || could_not "programs: $2: $(tail -n 1 "$log")"
	time=$(value "$out" programs_ns) runs=$(value "$out" programs_runs)
	nothing=$(divide "$(value "$out" empty_ns)" "$(value "$out" empty_runs)")
	[ "${runs:-0}" -gt 0 ] || could_not "programs: $2: no program ran"
}

programs_case()
{
	local work=$1 times=$2 tool round nothing time runs

	count_events "$work" "$times"
	ratio programs above_ns "$work" "kmemtraced --count" "$work" "per-CPU hash of counts"
	for round in $(seq "$rounds"); do
		for tool in "${tools[@]}"; do
			programs_run "$work" "$tool" "$times"
			sample programs "$work" "empty program" program_ns "$nothing"
			sample programs "$work" "$tool" above_ns "$(awk -v time="$time" -v runs="$runs" \
				-v nothing="$nothing" -v events="$events" \
				'BEGIN { printf "%.3f\n", (time - runs * nothing) / events }')"
		done
	done
}

bench_programs()
{
	local tool tools words

	lock
	usable_tools programs "${programs_tools[@]}"
	for tool in "${tools[@]}"; do
		tool_words "$tool" programs workload fs TIMES FOLDER
		command_line programs "$tool" "${words[@]}"
	done
	programs_case fs "$(sized 20000 3000)"
	if [ "$quick" = no ]; then
		programs_case skb 200000
		programs_case dir 80000
	fi
	unlock
}
