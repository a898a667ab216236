#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The units, installed by "make install", under a systemd that is the first process: that of the boot
# records what services before sysinit.target do; the start of the other returns when the first event is
# recorded; a reload reads the configuration file again; the watchdog starts a kmemtraced that hangs again;
# a stop leaves a whole capture, and no file in /run. The journal has the fields of messages.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=${KMEMTRACE_KERNEL:-6.12-amd64}
look_up_fetched "$kernel"
tools=$builddir/vm-static/$arch
succeed "$triplet-gcc" -O2 -static -o messages "$srcdir/vm/messages.c"
succeed "$srcdir/vm/root.sh" "$kernel" "$tools" root.tar
CPUS=1 DISK=$PWD/root.tar in_guest "$kernel" "$srcdir/vm/services.guest" "$srcdir"/vm/systemd/{init,run} messages
cd "$kernel" || exit 1

# from boot: ready before sysinit.target, so that an early service is observed
{ read -r ready; read -r initialized; read -r result; } <boot
[ "$ready" -gt 0 ] && [ "$ready" -le "$initialized" ] && [ "$result" = success ] ||
	fail "the capture of the boot: $(cat boot)"
"$check" boot.capture >check.log 2>&1 || fail "the capture of the boot: $(head -n 20 check.log)"
"$report" sites -i boot.capture --format=json -l 0 >boot.json 2>report.log
read -r sent _ <early
found=$(jq '[.sites[] | select(.site | startswith("load_msg+")) | .live_objects] | add' boot.json)
[ "$found" = "$sent" ] || fail "at boot, $sent messages were sent; the capture has $found"
# the header says what was there before; what grew since then is what the kernel counts itself
"$report" -v -i boot.capture >summary
grep -q 'tracing began [0-9.]* s after boot; by /proc/slabinfo, [0-9]*' summary || fail "the header: $(head -n 20 summary)"
"$report" slabinfo -i boot.capture --format=json -l 0 >slabinfo.json
# its bucket of messages, which the tracepoint calls kmalloc-1k
jq -e '(.slabinfo | length) > 20 and ([.slabinfo[].unobserved_objects // 0] | add) == 0 and
	(.slabinfo[] | select(.cache == "msg_msg-1k") | .growth_objects >= 500)' slabinfo.json >/dev/null ||
	fail "not what /proc/slabinfo shows: $(cat slabinfo.json)"

# start: the capture that the watchdog ended has all events since then
read -r first adjusted <first
"$check" --repair capture.old >repair.log 2>&1 || fail "the first capture: $(cat repair.log)"
"$report" sites -i capture.old --format=json -l 0 >sites.json 2>report.log
read -r sent _ <sent
found=$(jq '[.sites[] | select(.site | startswith("load_msg+")) | .allocations] | add' sites.json)
[ "$found" = "$sent" ] || fail "after the start, $sent messages were sent; the capture has $found"
[ "$adjusted" = -900 ] || fail "the OOM score is $adjusted"
[ "$(cat run)" = "status.$first" ] || fail "/run/kmemtrace has: $(cat run)"

# stop
checked capture
[ "$(cat stopped)" = success ] || fail "the stop: $(cat stopped)"
grep -q '^ *Status: "[0-9]* events, 0 lost, ' systemctl-status || fail "no status: $(cat systemctl-status)"

# watchdog
[ "$first" != "$(cat second)" ] || fail "the watchdog has not restarted process $first"
grep -q 'kmemtraced.service: Watchdog timeout' journal || fail "no timeout of the watchdog: $(cat journal)"

# message FILTER: the fields of the messages of kmemtraced for which it is true
message()
{
	jq -c "select(.SYSLOG_IDENTIFIER == \"kmemtraced\") | select($1)" journal.json
}
[ "$(message '.MESSAGE | endswith("read again: trigger changed")' | wc -l)" = 1 ] ||
	fail "the reload: $(message true)"
# its first firing; the second process fires too
message '.KMEMTRACE_TRIGGER == "live > 1"' | head -n 1 >trigger
[ "$(jq -r '"\(._PID) \(.PRIORITY) \(.KMEMTRACE_LOST) \(._SYSTEMD_UNIT)"' trigger)" = \
	"$first 4 0 kmemtraced.service" ] || fail "the fields of the trigger: $(cat trigger)"

# as the unit is installed, on a whole system
score=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' security)
awk "BEGIN { exit !(\"$score\" != \"\" && $score < 2.0) }" || fail "the exposure is not below 2.0: $(cat security)"
echo "exposure by systemd-analyze: $score; $(grep -c . journal.json) messages"
exit 0
