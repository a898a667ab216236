#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -p records only events of the named processes, and the report says so. Reports separate the
# objects of kmemtraced itself from others, and --include-self counts them too.
. "$srcdir/live/live.sh"
need jq

work() {
	while [ ! -e stop ]; do
		ls -R /proc/self >/dev/null 2>&1
	done
}
work &
worker=$!
sh -c 'while [ ! -e stop ]; do read -r line </proc/self/stat; done' &
traced=$!

"$kmemtraced" -q -d 1 -p $traced || fail "-p: exit $?"
checked
foreign=$("$builddir/tests/live/foreign" kmemtrace.data $traced) || fail "foreign: exit $?"
[ "$foreign" = 0 ] || fail "$foreign events are not of process $traced"
[ "$(json .loss.recorded)" -gt 1000 ] || fail "only $(json .loss.recorded) events of $traced"
[ "$(json '.loss.filtered_pids | join(",")')" = $traced ] || fail "the report does not know the filter"
"$report" >text || fail "report: exit $?"
grep -q "$traced" text || fail "the report does not name the process"

"$kmemtraced" -q -d 1 -p $traced,$worker || fail "-p of two: exit $?"
checked
foreign=$("$builddir/tests/live/foreign" kmemtrace.data $traced $worker) || fail "foreign: exit $?"
[ "$foreign" = 0 ] || fail "$foreign events are of neither process"

"$kmemtraced" -q -d 1 || fail "exit $?"
checked
own=$(json .loss.own)
[ "$own" -gt 0 ] || fail "kmemtraced allocates nothing itself: that cannot be"
[ "$(json '.totals.own_allocations + .totals.own_frees')" -gt 0 ] || fail "own objects are not separated"
"$kmemtraced" -q -d 1 --include-self || fail "--include-self: exit $?"
checked
[ "$(json '.totals.own_allocations + .totals.own_frees')" = 0 ] || fail "--include-self leaves own objects out"
touch stop
wait
exit 0
