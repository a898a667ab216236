# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of tracing as in the bench cost, of tools that are close to each other: in many short
# rounds, in which a tool and that which it is compared with are measured within seconds. Sourced by
# bench/run.

space_pairs=(2000 300)
about_pairs="added CPU time of the workload, in short alternating slices"

# Compared with each other: the second with the first.
pairs_sets=("empty program|kmemtraced --profile" "kmemtraced|kmemtraced --stacks")

# pairs_case WORK TIMES TOOL…
pairs_case()
{
	local work=$1 times=$2 tool round count
	local -A slice_ns

	shift 2
	count_events "$work" "$times"
	ratio pairs added_ns "$work" "$2" "$work" "$1"
	slices_begin "$work" "$times"
	count=$((rounds * $(sized 6 1)))
	for ((round = 0; round < count; round++)); do
		turned "$round" "$@"
		slices_round slices_next "${turned[@]}"
		for tool; do
			sample pairs "$work" "$tool" added_ns "$(awk -v a="${slice_ns[$tool]}" \
				-v b="${slice_ns[untraced]}" -v events="$events" \
				'BEGIN { printf "%.3f\n", (a - b) / 2 / events }')"
		done
		sample pairs "$work" untraced cpu_ns "$(divide "${slice_ns[untraced]}" $((2 * events)))"
	done
	slices_end
}

bench_pairs()
{
	local set tool tools words list

	lock
	for set in "${pairs_sets[@]}"; do
		IFS='|' read -r -a list <<<"$set"
		usable_tools pairs "${list[@]}"
		[ ${#tools[@]} = 2 ] || continue
		for tool in "${tools[@]}"; do
			tool_words "$tool" COMMAND
			command_line pairs "$tool" "${words[@]}"
		done
		pairs_case fs "$(sized 25000 1000)" "${tools[@]}"
		[ "$quick" = no ] || continue
		pairs_case skb 60000 "${tools[@]}"
		pairs_case dir 12000 "${tools[@]}"
	done
	unlock
}
