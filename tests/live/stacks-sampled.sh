#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --stacks=all records the stack of each allocation: bpftrace counts the same paths as often, at the
# same time. --stacks=BYTES samples each size of allocation with its probability.
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT
mkfifo line

# The command of kmemtraced: lets the load run, and returns when it is done.
cat >drive <<'END'
echo >line
until [ "$(cat /proc/$1/comm)" = done ]; do sleep 0.02; done
END

# load WORKLOAD ROUNDS OPTION…: captures the load with these options of kmemtraced
load()
{
	local workload=$1 rounds=$2 pid
	shift 2
	"$builddir/tests/live/workload" "$workload" "$rounds" folder wait <line >truth 2>workload.log &
	pid=$!
	exec 3>line
	for _ in $(seq 100); do
		[ "$(cat /proc/$pid/comm 2>/dev/null)" = ready ] && break
		sleep 0.05
	done
	kill -0 $pid 2>/dev/null || skip "$(cat workload.log)"
	"$kmemtraced" -q "$@" -- sh drive $pid 2>kmemtraced.log || fail "$*: exit $?: $(cat kmemtraced.log)"
	echo >&3
	exec 3>&-
	wait $pid || fail "$workload: $(cat workload.log)"
	checked
}

# count BY: the counts of the allocations of the load, as JSON
count()
{
	"$report" count --by="$1" --where='operation == "allocation" && comm == "window"' --format=json
}

# each_has_a_stack: the stack of each allocation begins at its call site
each_has_a_stack()
{
	count caller_function,stack >paths || fail "count: exit $?"
	jq -e '.count | length > 5 and all(.caller_function as $caller |
		.stack // "" | startswith($caller + " < "))' paths >/dev/null ||
		fail "allocations without a stack, or with another: $(jq -c .count paths)"
	[ "$(value kmemtrace.data/kernel/status sample_interval)" = 1 ] || fail "the interval is not 1"
}

# The paths of bpftrace end with the entry into the kernel, and begin in the allocator.
paths_of_bpftrace()
{
	awk '/^@\[/ { path = ""; next }
		/^\]: / { print $2, path; next }
		{ sub(/\+.*/, "", $1); path = path " < " $1 }' traced | sort -rn
}

if command -v bpftrace >/dev/null; then
	bpftrace -e 'tracepoint:kmem:kmalloc, tracepoint:kmem:kmem_cache_alloc
		/comm == "window"/ { @[kstack] = count(); }' >traced 2>&1 &
	tracer=$!
	for _ in $(seq 100); do
		grep -q Attaching traced && break
		sleep 0.1
	done
	sleep 0.5
	load fs 2000 --stacks=all
	kill -INT $tracer
	wait $tracer
	each_has_a_stack
	same=0
	while read -r times path; do
		# the path of the report ends with the name of the system call
		jq -r --argjson times "$times" '.count[] | select(.count == $times).stack' paths |
			sed 's/ < [a-z0-9_]*$/ < /' >candidates
		while read -r candidate; do
			[[ "$path" != *" < $candidate"* ]] || break
		done <candidates
		[[ -s candidates && "$path" == *" < $candidate"* ]] ||
			fail "bpftrace: $times$path; the report: $(jq -c .count paths)"
		same=$((same + 1))
	done < <(paths_of_bpftrace | head -n 8)
	[ $same -ge 5 ] || fail "bpftrace has only $same paths: $(cat traced)"
	echo "--stacks=all: the $same most frequent paths are bpftrace's, to the count"
else
	load fs 2000 --stacks=all
	each_has_a_stack
fi

# sampled WHAT: of each size, and of all, as many samples as the probabilities say, within 5 sigma
sampled()
{
	checked
	# the view events shows each event as one: count would estimate
	"$report" events -F 'bytes_alloc,stack != null' --format=csv 2>/dev/null \
		--where='operation == "allocation" && comm == "window"' >events || fail "events: exit $?"
	tr -d '\r' <events | sort | uniq -c | awk '{ print $2 "," $1 }' >sizes
	awk -F , -v what="$1" '$1 + 0 { all[$1] += $3; if ($2 == "true") samples[$1] += $3 }
		function compare(what, found, expected, variance) {
			if (expected < 20 || (found - expected) ^ 2 <= 25 * variance)
				return
			print "failed: " what ": " found " samples, expected " expected
			wrong = 1
		}
		END {
			for (size in all) {
				p = 1 - exp(-size / 4096)
				expected += all[size] * p
				variance += all[size] * p * (1 - p)
				found += samples[size]
				compare(size " bytes", samples[size], all[size] * p, all[size] * p * (1 - p))
			}
			compare("all", found, expected, variance)
			print what ": " found " samples, expected " expected " +- " sqrt(variance)
			exit wrong || expected < 500
		}' sizes || fail "$1: $(cat sizes)"
}

load fs 5000 --stacks=4k
sampled --stacks=4k
# as kernels that lack what this one has
KMEMTRACED_WITHOUT=fetch load dir 3000 --stacks=4k
sampled "--stacks=4k without BPF_FETCH"
exit 0
