# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of tracing: the CPU time of the workload with a tool minus that without, divided by its
# slab events. One round runs all tools in turn, with an untraced run before and after each; the time
# without a tool is the mean of these two. Sourced by bench/run.

space_cost=(2000 300)
about_cost="added CPU time of the workload, for each event"

cost_tools=(kmemtraced "kmemtraced --stacks" "kmemtraced --profile" "kmemtraced --no-rescue"
	"kmemtraced -z" "kmemtraced -p PID"
	"kmemtraced --count" "kmemtraced --count --no-rescue" "empty program"
	"per-CPU hash of counts" "perf record" "ftrace buffers" "trace-cmd record" bpftrace)

# cost_run CASE TOOL TIMES: one run; sets $ns to its CPU time for each event.
cost_run()
{
	tool_run "$2" "$build/bench/workload" "$1" "$3" "$memory" "$tree" ||
		could_not "cost: $2: $(tail -n 1 "$log")"
	ns=$(divide "$(value "$out" cpu_ns)" "$events")
	[ "$ns" != 0.000 ] || could_not "cost: $2: the workload printed no time"
}

# Events for which the kernel did not run the programs: mostly frees in nested interrupts.
cost_skipped()
{
	local data=$scratch/recorded/data skipped

	skipped=$(recorded "$data" skipped)
	# some kernels do not count them
	grep -q '^skipped unknown' "$data/kernel/status" && return
	sample cost "$1" "$2" skipped_ppm \
		"$(divide "$((skipped * 1000000))" "$(recorded "$data" seen)")"
}

# cost_added CASE TOOL WITH BEFORE AFTER: ns an event with the tool, and in the untraced runs.
cost_added()
{
	sample cost "$1" "$2" added_ns \
		"$(awk -v a="$3" -v b="$4" -v c="$5" 'BEGIN { printf "%.3f\n", a - (b + c) / 2 }')"
}

# cost_round CASE TIMES ROUND: each round begins with another tool, since a tool may affect the next.
cost_round()
{
	local work=$1 times=$2 ns before with tool i

	cost_run "$work" untraced "$times"
	for i in "${!tools[@]}"; do
		before=$ns
		tool=${tools[($3 - 1 + i) % ${#tools[@]}]}
		cost_run "$work" "$tool" "$times"
		with=$ns
		case $tool in
		kmemtraced | "kmemtraced --no-rescue" | "kmemtraced -z") cost_skipped "$work" "$tool" ;;
		esac
		cost_run "$work" untraced "$times"
		sample cost "$work" untraced cpu_ns "$ns"
		cost_added "$work" "$tool" "$with" "$before" "$ns"
	done
}

# cost_case WORK TIMES
cost_case()
{
	local work=$1 times=$2 tool of round

	count_events "$work" "$times"
	sample cost "$work" untraced events "$events"
	for tool in "${tools[@]}"; do
		for of in "perf record" "ftrace buffers" "empty program" bpftrace; do
			is_ours "$tool" && ratio cost added_ns "$work" "$tool" "$work" "$of"
		done
		[ "$tool" != "kmemtraced --stacks" ] ||
			ratio cost added_ns "$work" "$tool" "$work" kmemtraced
	done
	for round in $(seq "$rounds"); do
		cost_round "$work" "$times" "$round"
	done
}

bench_cost()
{
	local tool tools words

	lock
	usable_tools cost "${cost_tools[@]}"
	for tool in "${tools[@]}"; do
		tool_words "$tool" workload fs TIMES FOLDER
		command_line cost "$tool" "${words[@]}"
	done
	cost_case fs "$(sized 100000 3000)"
	if [ "$quick" = no ]; then
		cost_case skb 1000000
		cost_case dir 400000
		cost_case mixed 100
	fi
	unlock
}
