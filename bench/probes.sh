# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of the probes that are not slab events: the CPU time of a workload that makes one kind of
# event, with a tool minus that without, divided by the events. As in the bench cost, one round runs
# all tools in turn, with an untraced run before and after each. Sourced by bench/run.

space_probes=(1000 100)
about_probes="added CPU time of page faults, mmap(), munmap() and brk(), for each event"

# The workload; how many events one repetition makes; the probe; the same event for perf.
probes_cases=("touch 256 vm.pagefault exceptions:page_fault_user"
	"touch 256 vm.pagefault.return minor-faults"
	"maps 2 vm.mmap,vm.munmap syscalls:sys_enter_mmap,syscalls:sys_enter_munmap"
	"heap 2 vm.brk syscalls:sys_enter_brk")

# probes_run WORK TOOL TIMES: one run; sets $ns to its CPU time for each event.
probes_run()
{
	tool_run "$2" "$build/bench/workload" "$1" "$3" "$memory" ||
		could_not "probes: $2: $(tail -n 1 "$log")"
	ns=$(divide "$(value "$out" cpu_ns)" "$events")
	[ "$ns" != 0.000 ] || could_not "probes: $2: the workload printed no time"
}

# probes_round WORK TIMES TOOL…
probes_round()
{
	local work=$1 times=$2 tool before ns with

	shift 2
	probes_run "$work" untraced "$times"
	for tool; do
		before=$ns
		probes_run "$work" "$tool" "$times"
		with=$ns
		probes_run "$work" untraced "$times"
		sample probes "$work" untraced cpu_ns "$ns"
		sample probes "$work" "$tool" added_ns "$(awk -v a="$with" -v b="$before" -v c="$ns" \
			'BEGIN { printf "%.3f\n", a - (b + c) / 2 }')"
	done
}

bench_probes()
{
	local work each probe event tool tools words times events round

	lock
	for round in $(seq "$rounds"); do
		for tool in "${probes_cases[@]}"; do
			read -r work each probe event <<<"$tool"
			times=$(($(sized 1000000 20000) / each))
			events=$((times * each))
			usable_tools probes "kmemtraced --probes=$probe" "perf record -e $event"
			for tool in "${tools[@]}"; do
				tool_words "$tool" workload "$work" TIMES FOLDER
				command_line probes "$tool" "${words[@]}"
			done
			ratio probes added_ns "$work" "kmemtraced --probes=$probe" "$work" "perf record -e $event"
			probes_round "$work" "$times" "${tools[@]}"
		done
	done
	unlock
}
