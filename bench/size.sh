# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Bytes of an event on disk, raw and packed, the CPU time of writing it and of publishing statistics
# of it, and the speed of packing on one CPU. Sourced by bench/run.

space_size=(2000 300)
about_size="bytes an event on disk, raw and packed, and the writer's CPU time"

# size_writer TOOL: the CPU time of kmemtraced itself, minus its time with nothing to record, an event;
# sets $writer_ns to it.
size_writer()
{
	local tool=$1 words idle busy data=$scratch/recorded/data

	rm -rf "$data"
	tool_words "$tool" true
	measure "${words[@]}" || could_not "size: $tool: $(tail -n 1 "$log")"
	idle=$(value "$measured" cpu_ns)
	rm -rf "$data"
	tool_words "$tool" "$build/bench/workload" fs "$times" "$memory"
	measure "${words[@]}" || could_not "size: $tool: $(tail -n 1 "$log")"
	command_line size "$tool" "${words[@]}"
	busy=$(($(value "$measured" cpu_ns) - $(value "$out" total_ns)))
	sample size fs "$tool" bytes_event "$(divide "$(size_of "$data")" "$(recorded "$data")")"
	writer_ns=$(divide "$((busy - idle))" "$(recorded "$data")")
	sample size fs "$tool" writer_ns "$writer_ns"
}

# Publishing: its CPU time in this round minus that of a capture alone.
size_publish()
{
	local capture_ns=$1

	size_writer "kmemtraced --publish"
	sample size fs "kmemtraced --publish" publish_ns \
		"$(awk -v a="$writer_ns" -v b="$capture_ns" 'BEGIN { printf "%.3f\n", a - b }')"
}

# size_pack CASE CAPTURE: packs on one CPU, reading and writing included.
size_pack()
{
	local name=$1 capture=$2 count

	count=$(recorded "$capture")
	warm "$capture"/cpu*
	rm -rf "$scratch/packed"
	measure taskset -c 0 "$build/kmemtrace-pack" -o "$scratch/packed" "$capture" ||
		could_not "size: kmemtrace-pack: $(tail -n 1 "$log")"
	command_line size kmemtrace-pack taskset -c 0 "$build/kmemtrace-pack" \
		-o "$scratch/packed" "$capture"
	sample size "$name" kmemtrace-pack bytes_event "$(divide "$(size_of "$scratch/packed")" "$count")"
	sample size "$name" kmemtrace-pack events_s \
		"$(divide "$((count * 1000000000))" "$(value "$measured" wall_ns)" 0)"
}

bench_size()
{
	local tool tools times writer_ns capture_ns

	lock
	usable_tools size kmemtraced "kmemtraced -z"
	times_of fs "$(sized 4000000 200000)"
	rm -rf "$scratch/recorded" "$scratch/raw"
	mkdir "$scratch/recorded"
	"$build/bench/generate" --random "$(sized 2000000 100000)" "$(sized 200000 10000)" \
		"$scratch/random" 2>"$log" || could_not "size: $(tail -n 1 "$log")"
	for _ in $(seq "$rounds"); do
		for tool in "${tools[@]}"; do
			size_writer "$tool"
			[ "$tool" = kmemtraced ] || continue
			capture_ns=$writer_ns
			mv "$scratch/recorded/data" "$scratch/raw"
		done
		size_publish "$capture_ns"
		sample size random kmemtraced bytes_event \
			"$(divide "$(size_of "$scratch/random")" "$(recorded "$scratch/random")")"
		if packs; then
			size_pack fs "$scratch/raw"
			size_pack random "$scratch/random"
		fi
		rm -rf "$scratch/raw"
	done
	packs || absent size kmemtrace-pack "this build does not pack"
	rm -rf "$scratch/recorded" "$scratch/packed" "$scratch/random"
	unlock
}
