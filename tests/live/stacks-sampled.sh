#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --stacks=all records the stack of each allocation: bpftrace counts the same paths as often, at the
# same time. --stacks=BYTES samples each size of allocation with its probability; without BYTES it begins dense.
. "$srcdir/live/live.sh"
need jq

own_folder folder || mkdir -p folder
mkfifo line

# The command of kmemtraced: lets the load run, and returns when it is done or has failed.
cat >drive <<'END'
echo >line
until [ "$(cat /proc/$1/comm)" = done ] || ! grep -qs '^State:.*[RSD] ' /proc/$1/status; do
	sleep 0.02 # paced: a poll
done
END

# begin_load WORKLOAD ROUNDS: it waits for a line of its pipe; $load
begin_load()
{
	"$builddir/tests/live/workload" "$1" "$2" folder wait <line >truth 2>workload.log &
	load=$!
	before_end "kill $load 2>/dev/null"
	# the task between its two times, and the interrupts that came meanwhile: for bpftrace, and for the report
	traced="tid == $load && comm == \"window\"" window="tid == $load && current_comm == \"window\""
	exec 3>line
	wait_for "the load" ready
}

ready()
{
	kill -0 $load || skip "$(cat workload.log)"
	[ "$(cat /proc/$load/comm)" = ready ]
}

# capture OPTION…: captures the load, all events of which have room in a ring
capture()
{
	"$kmemtraced" -q -m 32 "$@" -- sh drive $load 2>kmemtraced.log || fail "$*: exit $?: $(cat kmemtraced.log)"
	echo >&3
	exec 3>&-
	wait $load || skip "$(cat workload.log)"
	checked
}

# count BY: the counts of the allocations of the load, as JSON
count()
{
	"$report" count --by="$1" --where="operation == \"allocation\" && $window" --format=json
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

begin_load fs 2000
if command -v bpftrace >/dev/null; then
	begin_bpftrace "$traced" kstack kmalloc kmem_cache_alloc
	capture --stacks=all
	end_bpftrace
	each_has_a_stack
	# what kmemtraced lost, and what bpftrace missed of the events that perf counted
	lost=$(json '.loss.lost + .loss.skipped')
	missed=$(($(value truth kmalloc) + $(value truth kmem_cache_alloc) -
		$(paths_of_bpftrace | awk '{ sum += $1 } END { print sum + 0 }')))
	[ $missed -ge 0 ] || missed=0
	same=0
	while read -r times path; do
		# the path of the report ends with the name of the system call
		jq -r --argjson least $((times - lost)) --argjson most $((times + missed)) \
			'.count[] | select(.count >= $least and .count <= $most).stack' paths |
			sed 's/ < [a-z0-9_]*$/ < /' >candidates
		while read -r candidate; do
			[[ "$path" != *" < $candidate"* ]] || break
		done <candidates
		[[ -s candidates && "$path" == *" < $candidate"* ]] ||
			fail "bpftrace: $times$path; the report: $(jq -c .count paths)"
		same=$((same + 1))
	done < <(paths_of_bpftrace | head -n 8)
	[ $same -ge 5 ] || fail "bpftrace has only $same paths: $(cat traced)"
	echo "--stacks=all: the $same most frequent paths are bpftrace's; kmemtraced lost $lost, bpftrace missed $missed"
else
	capture --stacks=all
	each_has_a_stack
fi

# sampled WHAT: of each size, and of all, as many samples as the probabilities say, within 5 sigma
sampled()
{
	checked
	# the view events shows each event as one: count would estimate
	"$report" events -F 'bytes_alloc,stack != null' --format=csv 2>/dev/null \
		--where="operation == \"allocation\" && $window" >events || fail "events: exit $?"
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

begin_load fs 5000
capture --stacks=4k
sampled --stacks=4k
# as kernels that lack what this one has
begin_load dir 3000
KMEMTRACED_WITHOUT=fetch capture --stacks=4k
sampled "--stacks=4k without BPF_FETCH"

# begins_with INTERVAL OPTION…: the least interval of a capture
begins_with()
{
	interval=$1
	shift
	"$kmemtraced" -q "$@" -- true 2>kmemtraced.log || fail "$*: exit $?: $(cat kmemtraced.log)"
	[ "$(value kmemtrace.data/kernel/status sample_interval)" = "$interval" ] ||
		fail "$*: it begins with another interval than $interval: $(grep sample_ kmemtrace.data/kernel/status)"
}

# dense, unless the interval is given or never changes; a profile stays on
begins_with 8192 --stacks
begins_with 8192 --user-stacks
begins_with 8192 --stacks --max-samples=100
begins_with 65536 --stacks=64k
begins_with 524288 --stacks --max-samples=0
begins_with 524288 --profile
# No process knows the id that a stack has: it is another one in each capture.
for name in first second; do
	"$kmemtraced" -q --stacks=all -o $name true || fail "$name: exit $?"
	awk '$1 == "stack" { print $2 }' $name/kernel/stacks | sort >$name.ids
	# the first two frames are of the BPF program
	awk '$1 == "stack" { $2 = $3 = $5 = $6 = ""; print }' $name/kernel/stacks | sort -u >$name.frames
done
[ -n "$(comm -12 first.frames second.frames)" ] || fail "two captures of true have no stack in common"
[ -z "$(comm -12 first.ids second.ids)" ] || fail "two captures have ids in common: $(comm -12 first.ids second.ids | head -n 3)"
exit 0
