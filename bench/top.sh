# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of kmemtrace-top beside a million slab events a second, and what the details that it shows
# cost kmemtraced: CPU time in percent of one CPU. Sourced by bench/run.

space_top=(20 20)
about_top="CPU time of kmemtrace-top, and of kmemtraced with the details that it shows"

top_rate=1000000 # events a second
top_tools=("kmemtraced --publish --no-details" "kmemtraced --publish" "kmemtraced --publish --stacks"
	"kmemtraced --publish --profile")

# percent_of NS: of one CPU, in the seconds of a turn
percent_of()
{
	awk -v ns="$1" -v seconds="$seconds" 'BEGIN { printf "%.3f\n", ns / seconds / 1e7 }'
}

# start_top KEY: starts kmemtrace-top on a terminal of its own, as a user does; sets $shown
start_top()
{
	# shellcheck disable=SC2016 # script's shell expands it
	TERM=xterm COLUMNS=120 LINES=50 script -qc "exec '$build/kmemtrace-top' -i '$scratch/memstat' -k $1" \
		/dev/null >"$out" 2>&1 </dev/null 9>&- &
	for ((i = 0; i < 2400; i++)); do
		shown=$(pgrep -P $! -x kmemtrace-top) && return
		kill -0 $! 2>/dev/null || break
		sleep 0.05
	done
	could_not "top: kmemtrace-top does not start: $(tail -n 1 "$out")"
}

# top_turn TOOL: a load, kmemtraced that traces it, and kmemtrace-top
top_turn()
{
	local tool=$1 key=site i load top_before daemon_before options time time_before events events_before

	read -ra options <<<"${tool#kmemtraced --publish}"
	[[ $tool != *--no-details ]] || key=cache
	[[ $tool != *--stacks && $tool != *--profile ]] || key=stack
	# with a priority that keeps it at its rate
	nice -n -20 "$build/bench/workload" --paced $((seconds + 80)) fs "$times" "$memory" >"$log" 2>&1 9>&- &
	load=$!
	"$build/kmemtraced" -q -p $load --no-capture --publish="$scratch/memstat" "${options[@]}" \
		>"$log" 2>&1 9>&- &
	serving=$!
	command_line top "$tool" "$build/kmemtraced" -q -p PID --no-capture --publish "${options[@]}"
	for ((i = 0; i < 1200; i++)); do
		if [ -e "$scratch/memstat" ] && [[ $tool == *--no-details || -e $scratch/memstat.details ]]; then
			break
		fi
		sleep 0.1
	done
	[ -e "$scratch/memstat" ] || could_not "top: $tool: $(tail -n 1 "$log")"
	sleep 1
	start_top "$key"
	sleep 1
	read -r time_before events_before <<<"$(top_moment)"
	daemon_before=$(cpu_of "$serving") top_before=$(cpu_of "$shown")
	sleep "$seconds"
	sample top fs "$tool" own_percent "$(percent_of $(($(cpu_of "$serving") - daemon_before)))"
	sample top fs "kmemtrace-top of ${tool#kmemtraced }" own_percent \
		"$(percent_of $(($(cpu_of "$shown") - top_before)))"
	read -r time events <<<"$(top_moment)"
	[[ $tool == *--profile ]] || sample top fs "$tool" events_s \
		"$(divide "$(((events - events_before) * 1000000000))" "$((time - time_before))" 0)"
	kill "$shown"
	service_stop
	kill $load
	wait $load
}

# Prints the moment that kmemtrace-top shows, ns, and the events until then.
top_moment()
{
	"$build/kmemtrace-top" -w -i "$scratch/memstat" --format=json -n 1 -d 0.1 -l 1 |
		jq -r '"\(.time_ns) \(.total.allocations + .total.frees)"'
}

bench_top()
{
	local tool seconds times shown round

	lock
	command -v script >/dev/null || could_not "script is not installed (Debian package bsdutils)"
	times_of fs "$top_rate"
	seconds=$(sized 60 3)
	for ((round = 0; round < rounds; round++)); do
		for tool in "${top_tools[@]}"; do
			top_turn "$tool"
		done
	done
	ratio top own_percent fs "kmemtraced --publish" fs "kmemtraced --publish --no-details"
	ratio top own_percent fs "kmemtraced --publish --stacks" fs "kmemtraced --publish"
	unlock
}
