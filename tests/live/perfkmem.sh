#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf kmem records the same events at the same time: it finds the same hottest call sites with the
# same bytes, except for the events that one of the two lost.
. "$srcdir/live/live.sh"
need perf jq

# one process, that waits until both look at it
mkdir folder
mkfifo go
sh -c 'read -r _ <go; exec "$@"' sh "$builddir/tests/live/workload" fs 4000 folder >truth &
pid=$!
start_daemon -q -p $pid
perf record -q -e kmem:kmalloc,kmem:kmem_cache_alloc,kmem:kfree,kmem:kmem_cache_free -R -c 1 -m 64M \
	-p $pid -o perf.data >perf.log 2>&1 &
perf=$!
for _ in $(seq 100); do
	[ -s perf.data ] && break
	sleep 0.1
done
sleep 0.5
echo >go
wait $pid || skip "the workload did not run"
wait $perf
stop_daemon
[ "$status" = 0 ] || fail "kmemtraced: exit $status: $(cat daemon.log)"
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
