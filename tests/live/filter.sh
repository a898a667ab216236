#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -p records only events of the named processes, and the report says so. Reports separate the
# objects of kmemtraced itself from others, and --include-self counts them too.
. "$srcdir/live/live.sh"
need jq

cat >work <<'END'
rounds=0
until [ -e stop ]; do
	rounds=$((rounds + 1))
	echo $rounds >"$1"
done
END
sh work traced &
traced=$!
sh work worker &
worker=$!
before_end 'kill $traced $worker 2>/dev/null'

works() { # works NAME ROUNDS: the process has done more than that
	[ "$(cat "$1")" -gt "$2" ]
}

# of_these PROCESS…: captures these until each has worked; all events are theirs, and each has some
of_these() {
	start_daemon -q -p "$(echo "$@" | tr ' ' ,)"
	for name in traced worker; do
		wait_for "the work of $name" works $name $(($(cat $name || echo 0) + 200))
	done
	stop_daemon
	[ "$status" = 0 ] || fail "-p of $*: exit $status: $(cat daemon.log)"
	checked
	foreign=$("$builddir/tests/live/foreign" kmemtrace.data "$@") || fail "foreign: exit $?"
	[ "$foreign" = 0 ] || fail "$foreign events are not of $*"
	[ "$(json '.loss.filtered_pids | sort | join(" ")')" = "$(printf '%s\n' "$@" | sort -n | xargs)" ] || fail "the report does not know the filter"
	lost=$(json .loss.lost)
	for process; do
		events=$("$report" count --where="pid == $process" --format=json | jq .query.counted)
		[ $((events + lost)) -ge 400 ] || fail "only $events events of $process, and $lost lost"
	done
}

of_these $traced
"$report" >text || fail "report: exit $?"
grep -q "$traced" text || fail "the report does not name the process"
of_these $traced $worker
touch stop
wait

"$kmemtraced" -q -- true || fail "exit $?"
checked
own=$(json .loss.own)
[ "$own" -gt 0 ] || fail "kmemtraced allocates nothing itself: that cannot be"
[ "$(json '.totals.own_allocations + .totals.own_frees')" -gt 0 ] || fail "own objects are not separated"
"$kmemtraced" -q --include-self -- true || fail "--include-self: exit $?"
checked
[ "$(json '.totals.own_allocations + .totals.own_frees')" = 0 ] || fail "--include-self leaves own objects out"
exit 0
