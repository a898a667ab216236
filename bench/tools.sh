# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The tools that trace a workload: how each is called, and whether it can run here. Sourced by
# bench/run.

trace_cmd_buffers=kmemtrace-bench.$$
events_perf=kmem:kmalloc,kmem:kfree,kmem:kmem_cache_alloc,kmem:kmem_cache_free
script_bpftrace='tracepoint:kmem:kmalloc, tracepoint:kmem:kfree, tracepoint:kmem:kmem_cache_alloc,
	tracepoint:kmem:kmem_cache_free { @[args->call_site] = count(); }'

# tool_words TOOL COMMAND…: sets $words to the command line that traces COMMAND with the tool. The
# recording is written below $scratch/recorded.
tool_words()
{
	local tool=$1 dir=$scratch/recorded

	shift
	case $tool in
	untraced) words=() ;;
	kmemtraced) words=("$build/kmemtraced" -q -o "$dir/data" --) ;;
	"kmemtraced --stacks") words=("$build/kmemtraced" -q --stacks -o "$dir/data" --) ;;
	"kmemtraced --profile") words=("$build/kmemtraced" -q --profile -o "$dir/data" --) ;;
	# the metrics 15 times as often as without the option, so that each turn has some
	"kmemtraced --profile --metrics") words=("$build/kmemtraced" -q --profile --no-capture
		--metrics="$dir/kmemtrace.prom" --metrics-interval=1 --) ;;
	"kmemtraced --no-rescue") words=("$build/kmemtraced" -q --no-rescue -o "$dir/data" --) ;;
	"kmemtraced --count") words=("$build/kmemtraced" -q --count --by=site --) ;;
	"kmemtraced --count --no-rescue")
		words=("$build/kmemtraced" -q --no-rescue --count --by=site --)
		;;
	"kmemtraced --publish") words=("$build/kmemtraced" -q --publish="$dir/memstat" -o "$dir/data" --) ;;
	"kmemtraced -z") words=("$build/kmemtraced" -q -z -o "$dir/data" --) ;;
	# the PID of a task that sleeps
	"kmemtraced -p PID") words=("$build/kmemtraced" -q -p "$sleeper" -o "$dir/data" --) ;;
	"kmemtraced --probes="*) words=("$build/kmemtraced" -q "${tool#* }" -o "$dir/data" --) ;;
	"empty program") words=("$build/bench/empty") ;;
	"per-CPU hash of counts") words=("$build/bench/empty" -c) ;;
	"perf record") words=(perf record -q -a -B -N -c 1 -m 64M -e "$events_perf" -o "$dir/perf.data" --) ;;
	"perf record, default -m") words=(perf record -q -a -B -N -c 1 -e "$events_perf" -o "$dir/perf.data" --) ;;
	"perf record -e "*) words=(perf record -q -a -B -N -c 1 -m 64M -e "${tool##* }" -o "$dir/perf.data" --) ;;
	"ftrace buffers") words=("$build/bench/ftrace" -m 64 -o "$dir") ;;
	# in an instance, which does not affect other users of ftrace
	"trace-cmd record") words=(trace-cmd record -q -B "$trace_cmd_buffers" -b 65536 -e kmem:kmalloc
		-e kmem:kfree -e kmem:kmem_cache_alloc -e kmem:kmem_cache_free -o "$dir/trace.dat") ;;
	bpftrace)
		words=(bpftrace -q -o "$dir/bpftrace.out" -e "$script_bpftrace" -c "$*")
		return
		;;
	*) could_not "there is no tool $tool" ;;
	esac
	words+=("$@")
}

# tool_run TOOL COMMAND…: runs it; the output goes to $out, errors to $log.
tool_run()
{
	local words

	rm -rf "$scratch/recorded"
	mkdir "$scratch/recorded" || could_not "$scratch cannot be written"
	tool_words "$@"
	guarded "${words[@]}" >"$out" 2>"$log" </dev/null
}

# Removes what trace-cmd leaves behind after a failure.
tools_clean()
{
	rmdir "/sys/kernel/tracing/instances/$trace_cmd_buffers" 2>/dev/null
}

is_ours()
{
	[[ $1 == kmemtraced* ]]
}

# Prints the command and the Debian package of a peer.
package_of()
{
	case $1 in
	perf*) echo perf linux-perf ;;
	trace-cmd*) echo trace-cmd trace-cmd ;;
	bpftrace) echo bpftrace bpftrace ;;
	esac
}

packs()
{
	"$build/kmemtraced" --help | grep -q -e '^ *-z' && [ -x "$build/kmemtrace-pack" ]
}

# usable BENCH TOOL: can it run here? Tries once with an empty workload; if not, notes why.
usable()
{
	local bench=$1 tool=$2 known=$results/usable command package file why

	file=$known/${tool//[ \/]/_}
	mkdir -p "$known"
	if [ ! -e "$file" ]; then
		read -r command package < <(package_of "$tool")
		if [ -n "$command" ] && ! command -v "$command" >/dev/null; then
			why="$command is not installed (Debian package $package)"
		elif [ "$tool" = "kmemtraced -z" ] && ! packs; then
			why="this build does not pack"
		elif ! tool_run "$tool" "$(type -P true)"; then
			# trace-cmd prints the error, and on the next line its location
			why="it fails here: $(grep -v '^ *$' "$log" | head -n 2 | tr -s ' \n' ' ')"
			tools_clean
			is_ours "$tool" && could_not "$tool: $(tail -n 1 "$log")"
		else
			why=
		fi
		echo "$why" >"$file"
	fi
	why=$(cat "$file")
	[ -z "$why" ] && return
	absent "$bench" "$tool" "$why"
	return 1
}

# usable_tools BENCH TOOL…: sets $tools to those that can run here.
usable_tools()
{
	local bench=$1 tool

	shift
	tools=()
	for tool; do
		usable "$bench" "$tool" && tools+=("$tool")
	done
	return 0
}

# captured TOOL: sets $captured to the number of recorded events and $lost to the number of lost
# events that the tool reports.
captured()
{
	local dir=$scratch/recorded

	case $1 in
	kmemtraced*)
		captured=$(recorded "$dir/data") lost=$(recorded "$dir/data" lost)
		;;
	perf*)
		"$build/bench/perfdata" "$dir/perf.data" >"$measured" 2>"$log" || could_not "$(cat "$log")"
		captured=$(value "$measured" samples) lost=$(value "$measured" lost)
		;;
	ftrace*)
		captured=$(value "$out" read) lost=$(value "$out" lost)
		;;
	trace-cmd*)
		# by the counters of the kernel; the events left in the buffers were recorded too
		trace-cmd report -i "$dir/trace.dat" --stat >"$measured" 2>/dev/null
		captured=$(awk '/^(entries|read events): / { n += $NF } END { print n + 0 }' "$measured")
		lost=$(awk '/^(overrun|commit overrun|dropped events): / { n += $NF } END { print n + 0 }' "$measured")
		;;
	esac
}
