#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --profile counts each event of a load that perf counts, estimates its bytes, and records the free of
# each sampled object and no other free, also if many sampled objects are live.
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT
mkfifo line

# The command of kmemtraced: lets the load run, and returns when it is done.
# With $STOPPED, kmemtraced gets no CPU for so many seconds meanwhile.
cat >drive <<'END'
echo >line
[ -z "${STOPPED-}" ] || { kill -STOP $PPID; sleep $STOPPED; kill -CONT $PPID; }
until [ "$(cat /proc/$1/comm)" = done ]; do sleep 0.02; done
END

sum() # sum COLUMN: of the lines "counted CPU ALLOCATIONS FREES BYTES"
{
	awk -v column="$1" '$1 == "counted" { sum += $column } END { print sum + 0 }' \
		kmemtrace.data/kernel/status
}

lost() # records, of all CPUs
{
	awk '$1 == "cpu" { sum += $8 } END { print sum + 0 }' kmemtrace.data/kernel/status
}

# between WHAT LEAST FOUND MOST
between()
{
	[[ $3 -ge $2 && $3 -le $4 ]] || fail "$1: $3 is not from $2 to $4"
}

# The estimate of all bytes is the counted number, within 5 sigma: 2.55 halves of its interval.
estimates()
{
	"$report" sites --format=json >estimates 2>/dev/null || fail "sites: exit $?"
	jq -c '[.estimates.counted_bytes, .totals.bytes_allocated, .estimates]' estimates
	[ "$(jq .estimates.counted_bytes estimates)" = "$(sum 5)" ] || fail "$1: not $(sum 5) bytes"
	if [ "$(lost)" != 0 ]; then
		jq -e '.estimates | .samples > 1000 and .bytes_allocated_low < .counted_bytes and
			.counted_bytes <= .bytes_allocated_high' estimates >/dev/null ||
			fail "$1: $(lost) records are lost, and the interval does not hold the truth"
		return
	fi
	jq -e '.estimates.samples > 1000 and (.estimates.counted_bytes - .totals.bytes_allocated | fabs) <
		2.55 * (.estimates.bytes_allocated_high - .estimates.bytes_allocated_low) / 2' estimates >/dev/null ||
		fail "$1: the estimate is wrong"
}

# one WORKLOAD ROUNDS [OPTION]
one()
{
	local work=$1 rounds=$2 option=${3:---max-samples=0} pid allocations frees skipped unknown
	"$builddir/tests/live/workload" "$work" "$rounds" folder wait <line >truth 2>workload.log &
	pid=$!
	exec 3>line
	for _ in $(seq 100); do
		[ "$(cat /proc/$pid/comm 2>/dev/null)" = ready ] && break
		sleep 0.05
	done
	kill -0 $pid 2>/dev/null || skip "$(cat workload.log)"
	"$kmemtraced" -q --profile=4k "$option" -p $pid -- sh drive $pid 2>kmemtraced.log ||
		fail "exit $?: $(cat kmemtraced.log)"
	echo >&3
	exec 3>&-
	wait $pid || fail "$work: $(cat workload.log)"
	checked
	allocations=$(($(value truth kmalloc) + $(value truth kmem_cache_alloc)))
	frees=$(($(value truth kfree) + $(value truth kmem_cache_free)))
	skipped=$(value kmemtrace.data/kernel/status skipped)
	# some events of the task are before and after the time in which perf counts
	# a second report is known if its allocation was sampled: of 3.4 in 10,000 large ones it is not
	unknown=0
	[ "$work" != large ] || { unknown=20 && allocations=$((allocations - $(json .totals.repeated))); }
	between "$work: allocations" $((allocations - skipped - unknown)) "$(sum 3)" $((allocations + 100))
	# a profile does not count kfree(NULL): up to 160 were seen in RCU callbacks of other tasks' objects
	between "$work: frees" $((frees - skipped - 600)) "$(sum 4)" $((frees + 100))
	echo "$work: perf counted $allocations allocations and $frees frees," \
		"kmemtraced $(sum 3) and $(sum 4), skipped in all tasks $skipped"
	estimates "$work"
}

one fs 20000
# The kernel may report a large allocation twice: it is one. Each round also allocates a file's name.
one large 10000
between "large: bytes" $((10000 * 32768)) "$(sum 5)" $((10000 * (32768 + 4096 + 500)))
KMEMTRACED_WITHOUT=fetch one fs 5000

# While samples come too fast, they are taken from more bytes: the first ones, and few later ones.
one fs 20000 --max-samples=1000
jq -e '.estimates | .interval_bytes == 4096 and .interval_bytes_most >= 16 * 4096 and
	.samples < .counted_bytes / 4096 / 2' estimates >/dev/null || fail "the interval did not follow"
value kmemtrace.data/kernel/status sample_interval_most

# While the ring fills, since kmemtraced gets no CPU, the CPU takes samples from more bytes. No sample is
# lost: kmemtraced waits ten times as long as the ring would last.
STOPPED=0.25 one fs 20000 --max-samples=1000
between "lost records" 0 "$(lost)" 0
# An interval that does not change: the samples are lost, and the interval of the estimate says so.
STOPPED=0.4 one fs 20000 --max-samples=0
between "lost records" 1000 "$(lost)" 1000000
"$report" sites >sites.txt 2>&1
tr -s ' \n' ' ' <sites.txt |
	grep -q 'lost records may be samples or their frees: the intervals include up to [1-9]' ||
	fail "no word on lost samples: $(head -20 sites.txt)"

# Directories: objects of which nearly each is sampled, 30,000 of them at once.
cat >directories <<'END'
for round in 1 2; do
	seq -f folder/%g 15000 | xargs mkdir && seq -f folder/%g 15000 | xargs rmdir
done
sleep 1
END
# the missed frees of objects of the commands: the machine has others, sometimes many
missed_frees()
{
	"$report" sites --where='comm == "mkdir" || comm == "rmdir"' --format=json | jq .totals.missed_frees
}
"$kmemtraced" -q -- sh directories || fail "exit $?"
missed=$(missed_frees)
"$kmemtraced" -q --profile=64 --max-samples=0 -m 64 -- sh directories || fail "exit $?"
checked
between "samples dropped" 0 "$(value kmemtrace.data/kernel/status samples_dropped)" 0
between "frees of no sampled object" 0 "$(json .totals.frees_unmatched)" 0
between "sampled objects" 50000 "$(json .totals.allocations)" 10000000
between "live objects" 0 "$(json .totals.live_objects)" $(($(json .totals.allocations) / 20))
# as many as a capture of all events misses: of the paths that are not observed
between "missed frees" 0 "$(missed_frees)" $((missed + missed / 2 + 500))
echo "many live samples: $(json '.totals | "\(.allocations) allocations, \(.frees) frees, \(.live_objects) live, \(.missed_frees) missed, \(.peak_bytes) bytes at the peak"')"

# The map of sampled objects has room for 65,536.
"$kmemtraced" -q --profile=64 --max-samples=0 -m 64 -- sh -c 'seq -f folder/%g 45000 | xargs mkdir &&
	seq -f folder/%g 45000 | xargs rmdir' || fail "exit $?"
checked
between "samples dropped" 5000 "$(value kmemtrace.data/kernel/status samples_dropped)" 10000000
between "frees of no sampled object" 0 "$(json .totals.frees_unmatched)" 0
exit 0
