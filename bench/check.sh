# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The speed of kmemtrace-check, compared with only reading the files. Sourced by bench/run.

space_check=(2000 300)
about_check="bytes a second of kmemtrace-check, compared with reading the file"

# check_run CASE TOOL COMMAND…
check_run()
{
	local name=$1 tool=$2

	shift 2
	# the output of cat is discarded
	[ "$tool" != cat ] || local out=/dev/null
	measure_long "$@"
	# exit status 1: there are findings, which is not a failure
	[ $? -le 1 ] || could_not "check: $tool: $(tail -n 1 "$log")"
	command_line check "$tool" "$@"
	sample check "$name" "$tool" bytes_s \
		"$(divide "$((bytes * 1000000000))" "$(value "$measured" wall_ns)" 0)"
	[ "$tool" = cat ] || sample check "$name" "$tool" events_s \
		"$(divide "$((count * 1000000000))" "$(value "$measured" wall_ns)" 0)"
}

bench_check()
{
	local bytes count name times names=(raw)

	for name in kmemtrace-check "kmemtrace-check --heap"; do
		ratio check bytes_s raw "$name" raw cat
		ratio check events_s packed "$name" raw "$name"
	done
	lock
	rm -rf "$scratch/raw" "$scratch/packed"
	times_of fs "$(sized 12000000 200000)"
	tool_run kmemtraced "$build/bench/workload" fs "$times" "$memory" ||
		could_not "check: kmemtraced: $(tail -n 1 "$log")"
	unlock
	mv "$scratch/recorded/data" "$scratch/raw"
	count=$(recorded "$scratch/raw")
	if packs; then
		measure "$build/kmemtrace-pack" -o "$scratch/packed" "$scratch/raw" ||
			could_not "check: kmemtrace-pack: $(tail -n 1 "$log")"
		names+=(packed)
	fi
	warm "$scratch/${names[-1]}"/cpu* "$scratch"/raw/cpu*
	for _ in $(seq "$rounds"); do
		for name in "${names[@]}"; do
			bytes=$(size_of "$scratch/$name")
			check_run "$name" kmemtrace-check "$build/kmemtrace-check" "$scratch/$name"
			check_run "$name" "kmemtrace-check --heap" "$build/kmemtrace-check" --heap "$scratch/$name"
			check_run "$name" cat cat "$scratch/$name"/cpu*
		done
	done
	rm -rf "$scratch/recorded" "$scratch/raw" "$scratch/packed"
}
