# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Common functions of the benches. Samples are written one a line, and evaluated at the end. Sourced
# by bench/run, which sets $build, $scratch, $memory, $results, $rounds and $quick.

note()
{
	echo "bench: $*" >&2
}

# could_not WHAT…: ends the run; the exit trap prints the results and then this message.
could_not()
{
	failure="$*"
	exit 2
}

line()
{
	local IFS=$'\t'

	echo "$*"
}

# sample BENCH CASE TOOL METRIC VALUE: writes a value of one round.
sample()
{
	line "$@" >>"$results/samples"
}

# ratio BENCH METRIC CASE TOOL CASE TOOL: requests the ratio of the first to the second.
ratio()
{
	grep -qsxF "$(line "$@")" "$results/ratios" || line "$@" >>"$results/ratios"
}

# absent BENCH TOOL WHY: notes, once for each, that a tool is not measured.
absent()
{
	grep -qsF "$(line "$1" "$2")" "$results/absent" && return
	note "$1: $2 is not measured: $3"
	line "$1" "$2" "$3" >>"$results/absent"
}

# command_line BENCH TOOL WORD…: notes, once for each, how a tool was called.
command_line()
{
	local bench=$1 tool=$2 word words=''

	grep -qsF "$(line "$bench" "$tool" "")" "$results/commands" && return
	shift 2
	for word; do
		[[ $word =~ ^[[:alnum:]_./:,=+-]+$ ]] || word="'${word//[[:space:]]/ }'"
		words="$words $word"
	done
	words=${words//"$scratch"/DIR}
	words=${words//"$memory"/MEM}
	words=${words//"$build/"/}
	words=${words// -p $sleeper / -p PID }
	line "$bench" "$tool" "${words# }" >>"$results/commands"
}

# value FILE KEY: prints the value of the line "KEY VALUE".
value()
{
	awk -v key="$2" '$1 == key { print $2; exit }' "$1"
}

# divide A B [DIGITS]
divide()
{
	awk -v a="$1" -v b="$2" -v digits="${3:-3}" 'BEGIN { printf "%.*f\n", digits, b ? a / b : 0 }'
}

# check_space BENCH: ends the run unless $scratch has enough free space for a bench. Each bench
# removes its files before the next begins.
check_space()
{
	local -n sizes=space_$1
	local free need

	need=$(sized "${sizes[0]}" "${sizes[1]}")
	free=$(df -Pm "$scratch" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$need" ] ||
		could_not "$1 needs $need MiB in $scratch, where $free are free:" \
			"set TMPDIR to a directory with more space, or use --quick"
}

# sized FULL QUICK: the number for this run.
sized()
{
	if [ "$quick" = yes ]; then echo "$2"; else echo "$1"; fi
}

# at_most N: the number of rounds for slow tools.
at_most()
{
	if [ "$rounds" -lt "$1" ]; then echo "$rounds"; else echo "$1"; fi
}

# Takes the lock of measurements with one build.
lock()
{
	exec 9>"$build/live.lock" || could_not "$build/live.lock cannot be written"
	flock -n 9 && return
	note "waits for another measurement that holds $build/live.lock"
	guarded flock 9 || could_not "$build/live.lock cannot be locked"
}

unlock()
{
	exec 9>&-
}

# count_events WORK TIMES: sets $events to the number of slab events of a workload.
count_events()
{
	local file=$results/count.$1.$2

	[ -s "$file" ] || guarded "$build/bench/workload" --count "$1" "$2" "$memory" "$tree" >"$file" 2>"$log" ||
		could_not "the workload $1: $(tail -n 1 "$log")"
	events=$(value "$file" events)
	[ "${events:-0}" -gt 0 ] || could_not "the workload $1 made no slab events"
}

# times_of WORK EVENTS: sets $times to the repetitions that make about so many events.
times_of()
{
	local probe

	probe=$(sized 20000 2000)
	count_events "$1" "$probe"
	times=$(($2 * probe / events))
}

# guarded COMMAND…: runs it in its own process group and in the background, so that a signal ends
# this script at once, and the command with it.
guarded()
{
	local status

	set -m
	"$@" &
	running=$!
	set +m
	wait "$running"
	status=$?
	running=
	return $status
}

# measure COMMAND…: writes its output to $out, its times and memory to $measured.
measure()
{
	guarded "$build/bench/measure" "$measured" "$@" >"$out" 2>"$log" </dev/null
}

# measure_long COMMAND…: the same, repeated for two seconds: the times are the mean, and $out has the
# output of all runs.
measure_long()
{
	guarded "$build/bench/measure" -s "$(sized 2 0)" "$measured" "$@" >"$out" 2>"$log" </dev/null
}

# size_of CAPTURE: prints the bytes of its streams.
size_of()
{
	cat "$1"/cpu* | wc -c
}

# recorded CAPTURE [KEY]: prints the events recorded, lost, skipped or seen on all CPUs, by its status.
recorded()
{
	awk -v key="${2:-recorded}" '$1 == "cpu" { for (i = 3; i < NF; i += 2) if ($i == key) sum += $(i + 1) }
		END { printf "%d\n", sum }' "$1/kernel/status"
}

# warm FILE…: reads files into the page cache, so that the disk is not measured.
warm()
{
	cat "$@" >/dev/null
}
