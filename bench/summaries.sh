# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of summaries for kmemtraced beside a million slab events a second, on top of publishing: CPU time
# in percent of one CPU. Sourced by bench/run.

space_summaries=(60 60)
about_summaries="CPU time of kmemtraced with summaries, beside a million events a second"

summaries_tools=("kmemtraced --publish" "kmemtraced --publish --summaries=10"
	"kmemtraced --publish --summaries=10 --summaries-by=cgroup,comm")

# summaries_turn TOOL: a load, and kmemtraced that traces it
summaries_turn()
{
	local tool=$1 i load daemon_before options

	read -ra options <<<"${tool#kmemtraced --publish}"
	[[ $tool != *--summaries* ]] || options+=(--summaries-dir="$scratch/summaries")
	# with a priority that keeps it at its rate
	nice -n -20 "$build/bench/workload" --paced $((seconds + 80)) fs "$times" "$memory" >"$log" 2>&1 9>&- &
	load=$!
	"$build/kmemtraced" -q --no-capture --publish="$scratch/memstat" "${options[@]}" \
		>"$log" 2>&1 9>&- &
	serving=$!
	command_line summaries "$tool" "$build/kmemtraced" -q --no-capture --publish "${options[@]}"
	for ((i = 0; i < 600; i++)); do
		[ -e "$scratch/memstat.details" ] && break
		sleep 0.1
	done
	[ -e "$scratch/memstat.details" ] || could_not "summaries: $tool: $(tail -n 1 "$log")"
	sleep 2
	daemon_before=$(cpu_of "$serving")
	sleep "$seconds"
	sample summaries fs "$tool" own_percent "$(percent_of $(($(cpu_of "$serving") - daemon_before)))"
	service_stop
	kill $load
	wait $load
	rm -rf "$scratch/summaries"
}

bench_summaries()
{
	local tool seconds times round

	lock
	times_of fs "$top_rate"
	seconds=$(sized 40 3)
	for ((round = 0; round < rounds; round++)); do
		for tool in "${summaries_tools[@]}"; do
			summaries_turn "$tool"
		done
	done
	for tool in "${summaries_tools[@]:1}"; do
		ratio summaries own_percent fs "$tool" fs "kmemtraced --publish"
	done
	unlock
}
