#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf kmem records the same events at the same time: it finds the same hottest call sites with the
# same bytes, except for the events that one of the two lost.
. "$srcdir/live/live.sh"
need perf jq

# one process, that waits until both look at it, and a second time until both have ended
mkdir folder
mkfifo line
"$builddir/tests/live/workload" fs 2000 folder wait <line >truth 2>workload.log &
load=$!
exec 3>line
sleeps() { # sleeps NAME: the load has this name and waits, or it has ended
	[ "$(cut -d ' ' -f 2,3 /proc/$load/stat)" = "($1) S" ] || ! kill -0 $load
}
wait_for "the load" sleeps ready
kill -0 $load 2>/dev/null || skip "$(cat workload.log)"
start_daemon -q -p $load
mkfifo control answers
perf record -q -e kmem:kmalloc,kmem:kmem_cache_alloc,kmem:kfree,kmem:kmem_cache_free -R -c 1 -m 64M \
	--control=fifo:control,answers -D -1 -p $load -o perf.data >perf.log 2>&1 &
perf=$!
before_end "kill $perf 2>/dev/null; wait $perf"
exec 4<>control 5<>answers
echo enable >&4
timeout 120 head -n 1 <&5 >/dev/null || skip "perf record does not begin: $(tail -n 1 perf.log)"
echo >&3
wait_for "the end of the load" sleeps done
echo stop >&4
wait $perf
stop_daemon
[ "$status" = 0 ] || fail "kmemtraced: exit $status: $(cat daemon.log)"
echo >&3
exec 3>&-
wait $load || skip "the workload did not run: $(cat workload.log)"
checked
perf kmem -i perf.data --caller stat -l 12 >perf.txt 2>>perf.log || skip "perf kmem stat: $(tail -1 perf.log)"
perf report -i perf.data --stats 2>/dev/null | awk '/LOST/ { n += $NF } END { print n + 0 }' >perf.lost

# " CALLSITE | TOTAL_ALLOC/PER | TOTAL_REQ/PER | HIT | PING-PONG | FRAG%"
awk -F'|' '$2 ~ /[0-9]+\// { gsub(/ /, "", $1); split($2, bytes, "/"); gsub(/ /, "", bytes[1])
	gsub(/ /, "", $4); print $1, bytes[1], $4 }' perf.txt >perf.sites
[ -s perf.sites ] || fail "perf kmem printed no call sites: $(head -20 perf.txt)"
"$report" --format=json -l 0 >report.json || fail "report: exit $?"

agreed=0
while read -r site bytes hits; do
	# "name+1f", or a bare address
	case $site in
	*+*) filter='.site | startswith($name + "+0x" + $offset + "/")' ;;
	*) filter='.address == "0x" + ($name | ltrimstr("0x"))' ;;
	esac
	ours=$(jq -r --arg name "${site%%+*}" --arg offset "${site#*+}" "[.sites[] | select($filter)] |
		\"\(map(.bytes_allocated) | add // 0) \(map(.allocations) | add // 0)\"" report.json)
	echo "$site: perf kmem $bytes bytes in $hits, ours $ours; perf lost $(cat perf.lost)"
	# what one of the two lost or skipped, the other may have
	set -- $ours
	[ "$hits" -ge 1000 ] || continue
	slack=$(($(cat perf.lost) + $(json '.loss.lost + .loss.skipped')))
	difference=$((hits - $2))
	[ ${difference#-} -le $slack ] || fail "$site: perf kmem saw $hits allocations, we $2, slack $slack"
	[ $slack -gt 0 ] || [ "$1" = "$bytes" ] || fail "$site: perf kmem saw $bytes bytes, we $1"
	[ "$2" = 0 ] || [ $(($1 / $2)) = $((bytes / hits)) ] || fail "$site: other bytes an object than perf kmem"
	agreed=$((agreed + 1))
done <perf.sites
[ $agreed -ge 3 ] || fail "only $agreed call sites could be compared"
