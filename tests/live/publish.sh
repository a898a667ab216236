#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Under a load of millions of events, the published snapshots have the same counters as a capture of
# the same run at the same times, and no counter ever decreases. If a small ring loses records, the
# snapshots report it.
. "$srcdir/live/live.sh"
need jq

own_folder folder || skip "no tmpfs can be mounted"
mkdir folder/fs folder/dir folder/skb
follow=$builddir/tests/live/follow

cat >load.sh <<'END'
# several processes at once, until enough snapshots were read; with $STOPPED, kmemtraced gets no CPU while they run
until grep -q enough follow.out || ! kill -0 $follower; do
	[ -z "${STOPPED-}" ] || kill -STOP $PPID
	for work in fs dir skb; do
		"$builddir/tests/live/workload" $work 2000 folder/$work >/dev/null 2>workload.log &
	done
	wait
	[ -z "${STOPPED-}" ] || kill -CONT $PPID
	sleep 0.3 # paced: kmemtraced has the time to aggregate the events
done
# the next snapshot may have been made before, and the one after it has all that was lost
last=$(($(grep -c '^snapshot ' follow.out) + 2))
until [ "$(grep -c '^snapshot ' follow.out)" -ge $last ] || ! kill -0 $follower; do
	sleep 0.05 # paced: kmemtraced waits for this command
done
END

# one SNAPSHOTS COMPARED OPTION…
one() {
	snapshots=$1 compared=$2
	shift 2
	rm -rf kmemtrace.data*
	: >follow.out
	"$follow" memstat kmemtrace.data "$snapshots" "$compared" >follow.out 2>follow.log &
	follower=$!
	before_end "kill $follower 2>/dev/null"
	# a capture has the missed frees of the last reading of the allocator only
	"$kmemtraced" --no-audit --publish=memstat "$@" -- sh load.sh 2>daemon.log
	code=$?
	[ $code = 0 ] || fail "kmemtraced: exit $code: $(cat daemon.log workload.log)"
	cat daemon.log
	aggregated=$(sed -n 's/.*memstat: \([0-9]*\) events aggregated.*/\1/p' daemon.log)
	not_aggregated=$(sed -n 's/.*events aggregated, \([0-9]*\) not.*/\1/p' daemon.log)
	recorded=$(json .loss.recorded)
	[ $((aggregated + not_aggregated)) = "$recorded" ] ||
		fail "$aggregated events aggregated + $not_aggregated not aggregated are not $recorded recorded"
	[ "$not_aggregated" = 0 ] || skip "this machine is too busy: $not_aggregated events could not be aggregated"
	wait $follower || fail "follow: $(cat follow.log)"
	checked
	cat follow.out
	[ "$(value follow.out snapshots)" -ge "$snapshots" ] || fail "too few snapshots"
	[ ! -e memstat ] || fail "the published file is still there"
}

export builddir follower
one 60 6
[ "$(value follow.out types)" -ge 50 ] || fail "too few types"
KMEMTRACED_WITHOUT=fetch one 10 3
# the load has more events than the ring has room for
STOPPED=1 one 20 4 -m 1
lost=$(json .loss.lost)
[ "$lost" -gt 0 ] || fail "the small ring lost nothing"
[ "$(value follow.out lost)" -ge "$lost" ] || fail "$lost events are lost, and more than published"
exit 0
