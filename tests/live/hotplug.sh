#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A CPU that is offline when the capture begins gets its ring when it comes online. A CPU may also go
# offline during the capture.
. "$srcdir/live/live.sh"
need jq

switch=/sys/devices/system/cpu/cpu1/online
[ -w $switch ] || skip "cpu1 cannot be taken offline"
[ "$(cat $switch)" = 1 ] || skip "cpu1 is offline already"
trap 'echo 1 >$switch 2>/dev/null; stop_daemon; cd /; rm -rf "$scratch"' EXIT
echo 0 2>/dev/null >$switch || skip "cpu1 cannot be taken offline"
[ "$(cat $switch)" = 0 ] || skip "cpu1 cannot be taken offline"

start_daemon -q
[ -e kmemtrace.data/cpu1 ] && fail "a stream of a CPU that is offline"
echo 1 >$switch || fail "cpu1 cannot be taken online"
sleep 1.5
taskset -c 1 ls -R /proc/self >/dev/null 2>&1
echo 0 >$switch
sleep 0.3
echo 1 >$switch
sleep 0.3
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked
[ "$(json '.loss.per_cpu[] | select(.cpu == 1) | .recorded > 0')" = true ] || fail "nothing of cpu1 was recorded"
json '.loss.per_cpu[] | "cpu\(.cpu): recorded \(.recorded), lost \(.lost)"'

# page faults on a CPU that comes online are not counted until kmemtraced has seen it
for online in 1 0; do
	echo $online >$switch
	"$kmemtraced" -q --probes=vm.pagefault.return -- sh -c "echo 1 >$switch; sleep 0.4" || fail "exit $?"
	checked
	case $online in
	1) expected=0 number=0 text='; the kernel counted [0-9]* ' ;;
	0) expected=unknown number=null text='; it is not known how many it skipped ' ;;
	esac
	grep -q "^probe vm.pagefault.return counted [0-9]* skipped $expected " kmemtrace.data/kernel/status ||
		fail "skipped is not $expected: $(cat kmemtrace.data/kernel/status)"
	"$report" | tr -s '\n ' ' ' | grep -q "$text" || fail "no \"$text\": $("$report")"
	[ "$(json '.loss.probes[0].skipped')" = $number ] || fail "skipped: $(json .loss.probes)"
done
echo 0 >$switch
"$kmemtraced" -q --count --probes=vm.pagefault.return --format=json -- sh -c "echo 1 >$switch; sleep 0.4" >counted ||
	fail "--count: exit $?"
[ "$(jq -c '.loss.skipped_partial, (.count[0].count > 0)' counted | xargs)" = "true true" ] ||
	fail "--count: $(cat counted)"
