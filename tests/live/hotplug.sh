#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A CPU that is offline when the capture begins has a ring from its first event on. A CPU may also go
# offline during the capture.
. "$srcdir/live/live.sh"
need jq taskset
begin_alone

switch=/sys/devices/system/cpu/cpu1/online
[ -w $switch ] || skip "cpu1 cannot be taken offline"
[ "$(cat $switch)" = 1 ] || skip "cpu1 is offline already"
before_end "echo 1 >$switch"
echo 0 2>/dev/null >$switch || skip "cpu1 cannot be taken offline"
[ "$(cat $switch)" = 0 ] || skip "cpu1 cannot be taken offline"

start_daemon -q
[ -e kmemtrace.data/cpu1 ] && fail "a stream of a CPU that is offline"
echo 1 >$switch || fail "cpu1 cannot be taken online"
taskset -c 1 ls -R /proc/self >/dev/null 2>&1
wait_for "the stream of cpu1" [ -s kmemtrace.data/cpu1 ]
echo 0 >$switch
echo 1 >$switch
taskset -c 1 ls -R /proc/self >/dev/null 2>&1
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked
[ "$(json '.loss.per_cpu[] | select(.cpu == 1) | .recorded > 0')" = true ] || fail "nothing of cpu1 was recorded"
json '.loss.per_cpu[] | "cpu\(.cpu): recorded \(.recorded), lost \(.lost)"'
[ "$(json '.loss.per_cpu[] | select(.cpu == 1).lost')" = 0 ] || fail "events of cpu1 were lost when it came online"

# the capture ends before kmemtraced has seen the CPU
for try in 1 2 3 4 5; do
	echo 0 >$switch
	"$kmemtraced" -q -- sh -c "echo 1 >$switch" || fail "exit $?"
	checked
	[ "$(json '[.loss.per_cpu[] | select(.cpu == 1).lost] | add // 0')" = 0 ] ||
		fail "try $try: events of cpu1 were lost: $(json '.loss.per_cpu')"
done

# page faults on a CPU that comes online are not counted until kmemtraced has seen it
for online in 1 0; do
	echo $online >$switch
	"$kmemtraced" -q --probes=vm.pagefault.return -- sh -c "echo 1 >$switch" || fail "exit $?"
	checked
	skipped=$(sed -n 's/^probe vm.pagefault.return counted [0-9]* skipped \([^ ]*\) .*/\1/p' kmemtrace.data/kernel/status)
	case $online:$skipped in
	1:*[!0-9]* | 1: | 0:[!u]* | 0:) fail "skipped is $skipped: $(cat kmemtrace.data/kernel/status)" ;;
	1:0) number=0 text='; the kernel counted [0-9]* ' ;;
	1:*) number=$skipped text="; the kernel counted [0-9]*; skipped $skipped " ;;
	0:*) number=null text='; it is not known how many it skipped ' ;;
	esac
	"$report" -v | tr -s '\n ' ' ' | grep -q "$text" || fail "no \"$text\": $("$report" -v)"
	[ "$(json '.loss.probes[0].skipped')" = "$number" ] || fail "skipped: $(json .loss.probes)"
done
echo 0 >$switch
"$kmemtraced" -q --count --probes=vm.pagefault.return --format=json -- sh -c "echo 1 >$switch" >counted ||
	fail "--count: exit $?"
[ "$(jq -c '.loss.skipped_partial, (.count[0].count > 0)' counted | xargs)" = "true true" ] ||
	fail "--count: $(cat counted)"

# a CPU that had no ring is counted too
echo 0 >$switch
"$kmemtraced" -q --count --by=cpu --format=json -- sh -c "echo 1 >$switch; taskset -c 1 ls -R /proc/self >seen 2>&1" >counted ||
	fail "--count --by=cpu: exit $?"
[ "$(jq '[.count[] | select(.count > 100).cpu] | sort == [0, 1]' counted)" = true ] || fail "--count --by=cpu: $(cat counted)"
