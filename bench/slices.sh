# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Measures tools in short slices of one load that stays the same process: in a round each tool has
# two turns, in an order that is read the same from both ends, so that a machine which becomes
# slower or faster at a constant rate changes no difference. A turn is the median of some slices: other
# programs, and other guests of the host, disturb single ones. Sourced by bench/run.

slices_turn=5 # slices of a turn: an odd number

# hold TOOL: starts the tool with a command that waits, and returns when the command runs.
hold()
{
	local words

	rm -rf "$scratch/recorded" "$scratch/ready" "$scratch/release"
	if ! { mkdir "$scratch/recorded" && mkfifo "$scratch/ready" "$scratch/release"; }; then
		could_not "$scratch cannot be written"
	fi
	# opened for both, a pipe never waits for the other end
	exec {ready}<>"$scratch/ready" {released}<>"$scratch/release"
	# shellcheck disable=SC2016 # the arguments of this shell
	tool_words "$1" sh -c 'echo >"$0" && read line <"$1"' "$scratch/ready" "$scratch/release"
	set -m
	"${words[@]}" >"$out" 2>"$log" </dev/null 9>&- &
	running=$!
	set +m
	read -r -t 120 -u "$ready" || could_not "$1 did not start: $(tail -n 1 "$log")"
	# the tool becomes idle
	sleep 0.05
}

# release TOOL: ends the tool of hold().
release()
{
	local status

	echo >&"$released"
	wait "$running"
	status=$?
	running=
	exec {ready}>&- {released}>&-
	[ $status = 0 ] || could_not "$1 ended with $status: $(tail -n 1 "$log")"
}

# slices_begin WORK TIMES: starts the workload, which waits for slices.
slices_begin()
{
	coproc "$build/bench/workload" --slices "$1" "$2" "$memory" "$tree" 2>"$scratch/slices.log" 9>&-
	slicing=$COPROC_PID
}

# Sets $ns to the CPU time of a slice, the median of a turn.
slices_next()
{
	local list=() i

	for ((i = 0; i < slices_turn; i++)); do
		if ! echo >&"${COPROC[1]}" || ! read -r _ ns <&"${COPROC[0]}"; then
			could_not "the workload: $(cat "$scratch/slices.log")"
		fi
		list+=("$ns")
	done
	ns=$(printf '%s\n' "${list[@]}" | sort -n | sed -n "$((slices_turn / 2 + 1))p")
}

slices_end()
{
	local pid=$slicing in=${COPROC[1]}

	exec {in}>&-
	wait "$pid"
	slicing=
}

# slices_round MEASURE TOOL…: calls MEASURE, which sets $ns, twice with each tool and without. Sets
# slice_ns[TOOL] to the sum of both.
slices_round()
{
	local measure=$1 tool i order=(untraced "${@:2}")

	for ((i = $#; i > 0; i--)); do
		order+=("${order[i - 1]}")
	done
	slice_ns=()
	for tool in "${order[@]}"; do
		hold "$tool"
		"$measure"
		release "$tool"
		slice_ns[$tool]=$(awk -v a="${slice_ns[$tool]:-0}" -v b="$ns" 'BEGIN { printf "%.0f\n", a + b }')
	done
}

# turned COUNT ITEM…: sets $turned to the items, the first COUNT of them last.
turned()
{
	local count=$(($1 % ($# - 1)))

	shift
	turned=("${@:count+1}" "${@:1:count}")
}
