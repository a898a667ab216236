# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# What the benches have in common: figures are noted one a line, and added up at the end. Sourced
# by bench/run, which sets $build, $scratch, $memory, $results, $rounds and $quick.

note()
{
	echo "bench: $*" >&2
}

# could_not WHAT…: ends everything; what was measured is printed first, and then this.
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

# sample BENCH CASE TOOL METRIC VALUE: a figure of one round.
sample()
{
	line "$@" >>"$results/samples"
}

# ratio BENCH METRIC CASE TOOL CASE TOOL: the first divided by the second is to be told.
ratio()
{
	grep -qsxF "$(line "$@")" "$results/ratios" || line "$@" >>"$results/ratios"
}

# absent BENCH TOOL WHY: it is not measured; once each.
absent()
{
	grep -qsF "$(line "$1" "$2")" "$results/absent" && return
	note "$1: $2 is left out: $3"
	line "$1" "$2" "$3" >>"$results/absent"
}

# command_line BENCH TOOL WORD…: how it was called; once each.
command_line()
{
	local bench=$1 tool=$2 word words=''

	grep -qsF "$(line "$bench" "$tool")" "$results/commands" && return
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

# value FILE KEY: of a line "KEY VALUE".
value()
{
	awk -v key="$2" '$1 == key { print $2; exit }' "$1"
}

# divide A B [DIGITS]
divide()
{
	awk -v a="$1" -v b="$2" -v digits="${3:-3}" 'BEGIN { printf "%.*f\n", digits, b ? a / b : 0 }'
}

# room BENCH: there is as much free in $scratch as it takes, or the end. Each bench removes what it
# wrote before the next begins.
room()
{
	local -n sizes=room_$1
	local free need

	need=$(sized "${sizes[0]}" "${sizes[1]}")
	free=$(df -Pm "$scratch" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$need" ] ||
		could_not "$1 needs $need MiB in $scratch, where $free are free:" \
			"set TMPDIR to a folder with more room, or use --quick"
}

# sized FULL QUICK: the number for this run.
sized()
{
	if [ "$quick" = yes ]; then echo "$2"; else echo "$1"; fi
}

# at_most N: the number of rounds, of what takes long.
at_most()
{
	if [ "$rounds" -lt "$1" ]; then echo "$rounds"; else echo "$1"; fi
}

# Live captures and tests of one build take turns, as tests/live/live.sh does.
lock()
{
	exec 9>"$build/live.lock" || could_not "$build/live.lock cannot be written"
	flock -n 9 && return
	note "waits for another measurement or live test that holds $build/live.lock"
	guarded flock 9 || could_not "$build/live.lock cannot be locked"
}

unlock()
{
	exec 9>&-
}

# count_events WORK TIMES: how many slab events that makes, in $events.
count_events()
{
	local file=$results/count.$1.$2

	[ -s "$file" ] || guarded "$build/bench/workload" --count "$1" "$2" "$memory" "$tree" >"$file" 2>"$log" ||
		could_not "the workload $1: $(tail -n 1 "$log")"
	events=$(value "$file" events)
	[ "${events:-0}" -gt 0 ] || could_not "the workload $1 made no slab events"
}

# times_of WORK EVENTS: how often it must run to make about so many; in $times.
times_of()
{
	local probe

	probe=$(sized 20000 2000)
	count_events "$1" "$probe"
	times=$(($2 * probe / events))
}

# guarded COMMAND…: in a group of its own and not waited for by the shell alone, so that a signal
# ends us at once, and it with us.
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

# measure COMMAND…: its output goes to $out, its figures to $figures.
measure()
{
	guarded "$build/bench/measure" "$figures" "$@" >"$out" 2>"$log" </dev/null
}

# measure_long COMMAND…: the same, but again until two seconds have gone by: the times are the mean,
# and $out holds what all runs printed.
measure_long()
{
	guarded "$build/bench/measure" -s "$(sized 2 0)" "$figures" "$@" >"$out" 2>"$log" </dev/null
}

# size_of CAPTURE: bytes of its streams.
size_of()
{
	cat "$1"/cpu* | wc -c
}

# recorded CAPTURE [KEY]: events recorded, lost, skipped or seen on all CPUs, by its own account.
recorded()
{
	awk -v key="${2:-recorded}" '$1 == "cpu" { for (i = 3; i < NF; i += 2) if ($i == key) sum += $(i + 1) }
		END { printf "%d\n", sum }' "$1/kernel/status"
}

# warm FILE…: into the page cache, so that what is measured is the program and not the disk.
warm()
{
	cat "$@" >/dev/null
}
