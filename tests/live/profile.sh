#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --profile counts each event of a load that perf counts, estimates its bytes, and records the free of
# each sampled object and no other free, also if many sampled objects are live.
. "$srcdir/live/live.sh"
. "$srcdir/live/estimates.sh"
need jq

own_folder folder || mkdir -p folder
mkfifo line

# The command of kmemtraced: lets the load run, and returns when it is done.
# With $STOPPED, kmemtraced gets no CPU meanwhile.
cat >drive <<'END'
[ -z "${STOPPED-}" ] || kill -STOP $PPID
echo >line
until [ "$(cat /proc/$1/comm)" = done ]; do sleep 0.02; done # paced: kmemtraced waits for this command
[ -z "${STOPPED-}" ] || kill -CONT $PPID
END

status() # status KEY
{
	value kmemtrace.data/kernel/status "$1"
}

is_called() # is_called PROCESS NAME
{
	[ "$(cat "/proc/$1/comm")" = "$2" ]
}

perf_counted() # perf_counted ALLOCATIONS|FREES [around_]
{
	case $1 in
	allocations) echo $(($(value truth "${2-}kmalloc") + $(value truth "${2-}kmem_cache_alloc"))) ;;
	# a profile does not count kfree(NULL)
	frees) echo $(($(value truth "${2-}kfree") - $(value truth "${2-}kfree_null") +
		$(value truth "${2-}kmem_cache_free"))) ;;
	esac
}

# one WORKLOAD ROUNDS [OPTION…]
one()
{
	work=$1 rounds=$2
	shift 2
	"$builddir/tests/live/workload" "$work" "$rounds" folder wait <line >truth 2>workload.log &
	load=$!
	exec 3>line
	wait_for "the load" eval 'is_called $load ready || ! kill -0 $load'
	kill -0 $load 2>/dev/null || skip "$(cat workload.log)"
	"$kmemtraced" -q --profile=4k --max-samples=0 "$@" -p $load -- sh drive $load 2>kmemtraced.log ||
		fail "exit $?: $(cat kmemtraced.log)"
	echo >&3
	exec 3>&-
	wait $load || fail "$work: $(cat workload.log)"
	checked
	figures
	# Skipped: in all tasks. Perf counts the second report of a large allocation too; the profile does if an
	# interrupt had an event between both reports. The rounds free what they allocate, the rest is of interrupts.
	skipped=$(status skipped) lost=$(figure .loss.lost) repeated=$(figure .totals.repeated) interrupts=0 twice=0
	least=$(perf_counted allocations) most=$(perf_counted allocations around_) frees=$(perf_counted frees around_)
	if [ "$repeated" -gt 0 ]; then
		interrupts=$((most - repeated + frees - (least - repeated) / rounds * rounds * 2))
		twice=$(($(counted 3) + skipped + repeated - least))
		[ $twice -gt 0 ] || twice=0
		least=$((least - lost))
	fi
	echo "$work: skipped $skipped, lost $lost, repeated $repeated, in interrupts $interrupts, counted twice $twice"
	# perf counts in a time within the profile, and in a time around it
	between "$work: allocations" $((least - skipped - repeated)) "$(counted 3)" $((most - repeated + interrupts))
	between "$work: frees" $(($(perf_counted frees) - skipped)) "$(counted 4)" "$frees"
	estimates "$work" $((twice * 32768))
}

one fs 10000
# The kernel may report a large allocation twice: it is one. Each round also allocates a file's name. With this
# interval, each large allocation is sampled, so that each second report is known.
one large 5000 --profile=256 -m 16
between "large: bytes" $(((5000 - skipped) * 32768)) "$(counted 5)" \
	$((5000 * (32768 + 4096 + 500) + twice * 32768))
KMEMTRACED_WITHOUT=fetch one fs 5000

# While the ring fills, since kmemtraced gets no CPU, the CPU takes samples from more bytes. No sample is
# lost: the load has more samples than the ring has room for, but not eleven times as many.
STOPPED=1 one fs 10000 --max-samples=1000 -m 2
between "lost records" 0 "$(figure .loss.lost)" 0
between "the longest interval" 8192 "$(figure .estimates.interval_bytes_most)" $((64 * 4096))
# An interval that does not change: the samples are lost, and the interval of the estimate says so.
STOPPED=1 one fs 10000 -m 1
between "lost records" 1000 "$(figure .loss.lost)" 1000000
"$report" -v sites >sites.txt 2>&1
tr -s ' \n' ' ' <sites.txt |
	grep -q 'lost records may be samples or their frees: the intervals include up to [1-9]' ||
	fail "no word on lost samples: $(head -20 sites.txt)"

# While samples come too fast, they are taken from more bytes: the first ones, and few later ones. An estimate needs many.
followed()
{
	"$builddir/tests/live/workload" fs 10000 folder >truth 2>workload.log || fail "$(cat workload.log)"
	"$report" sites --format=json >estimates 2>/dev/null
	jq -e '.estimates | .interval_bytes == 4096 and .interval_bytes_most >= 16 * 4096 and .samples > 1000' \
		estimates >/dev/null
}
start_daemon -q --profile=4k --max-samples=300
wait_for "a longer interval, and samples" followed
stop_daemon
checked
figures
estimates followed
jq -e '.estimates | .samples < .counted_bytes / 4096 / 2' estimates >/dev/null || fail "the interval did not follow"

# Objects of which nearly each is sampled, 7,000 of them at once. A lost record may be that of a sample or of its free.
# recorded OPERATION: the records of the load's sampled eventfds. An allocation without a stack is not sampled: it has
# the address of a sampled object whose free was missed, and shows that.
recorded()
{
	"$report" events --where="tid == $load && function =~ \"eventfd\" && operation == \"$1\"" --format=csv \
		-F operation,stack 2>/dev/null | tr -d '\r' |
		awk -F, '$1 == "free" || $2 != "" { count++ } END { print count - 1 }' # a line is the header
}
begin_files
hold 0
start_daemon -q --profile=64 --max-samples=0 -m 64
for number in 7000 0 7000 0; do
	hold $number
done
stop_daemon
end_files
checked
figures
lost=$(figure '.loss.lost + .loss.skipped') dropped=$(status samples_dropped)
sampled=$(recorded allocation) freed=$(recorded free)
between "sampled objects" $((4000 - lost - dropped)) "$sampled" 14000
between "their frees" $((sampled - lost)) "$freed" $((sampled + lost))
between "frees of no sampled object" 0 "$(figure .totals.frees_unmatched)" "$lost"

# The map of sampled objects has room for 65,536: of all objects in the capture, so many are live, and not more.
cat >peak.awk <<'END'
$1 == "allocation" && $3 == "" { $1 = "free" } # a free was missed, and this object is not sampled
$1 == "allocation" && !($2 in live) { live[$2]; if (++number > most) most = number }
$1 == "free" && $2 in live { delete live[$2]; number-- }
END { print most }
END
"$kmemtraced" -q --include-self --profile=64 --max-samples=0 -m 64 -- sh -c 'seq -f folder/%g 40000 | xargs mkdir &&
	seq -f folder/%g 40000 | xargs rmdir' || fail "exit $?"
checked
figures
lost=$(figure '.loss.lost + .loss.skipped')
between "samples dropped" 5000 "$(status samples_dropped)" 10000000
between "frees of no sampled object" 0 "$(figure .totals.frees_unmatched)" "$lost"
"$report" events --format=csv -F operation,ptr,stack 2>/dev/null | tr ',\r' '  ' | awk -f peak.awk >most
between "live samples" $((65536 - lost)) "$(cat most)" $((65536 + lost))
exit 0
