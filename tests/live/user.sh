#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An ordinary user captures and publishes with a few capabilities, ambient ones or those of the file.
# Files that the user may not read are named at the start, and unknown in the reports.
. "$srcdir/live/live.sh"
need jq setpriv
[ "$(id -u)" = 0 ] || skip "needs root, to act as another user with capabilities"
chmod 755 .
mkdir -m 1777 user folder
TMPDIR=$scratch/user # of the user, for files that kmemtraced removes
export TMPDIR
cp "$kmemtraced" copy
setpriv --reuid=65534 --regid=65534 --clear-groups ./copy -V >out ||
	skip "another user cannot run programs in $scratch"
work='for i in $(seq 200); do : >folder/$i; rm folder/$i; done'

# as_user CAPABILITIES COMMAND…: the capabilities as setpriv has them, such as ,+bpf,+perfmon
as_user()
{
	set=-all$1
	shift
	$replace setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$set" \
		--ambient-caps="$set" --bounding-set="$set" "$@"
}
replace=

# the name of the user is that of id(1)
whole() # whole WHO: the capture has all events of the workload, and they add up
{
	checked user/capture
	[ "$(json .capture.complete)" = true ] || fail "$1: the capture is not complete"
	[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] ||
		fail "$1: the counters do not add up"
	"$report" sites user/capture | grep -q '+0x.*/0x' || fail "$1: call sites have no names"
	"$report" count user/capture --where='comm == "rm" && uid == 65534 && user == "'"$(id -un 65534 2>/dev/null || echo 65534)"'"' --by=tid --format=json >rm || exit 1
	# 200 processes of the user, each of which has some hundred events
	lost=$(json '.loss.lost + .loss.skipped')
	[ $(($(jq .query.counted rm) + lost)) -ge 10000 ] && [ $(($(jq '.count | length' rm) + lost)) -ge 200 ] ||
		fail "$1: rm has another uid: $(jq -c .query rm)"
}
dir=user/capture

as_user ,+bpf,+perfmon,+syslog "$kmemtraced" -o $dir -- sh -c "$work" 2>log ||
	fail "a user: exit $?: $(cat log)"
whole "a user"
grep -qxF "kmemtraced: /proc/slabinfo cannot be read: the growth of each cache is unknown: run as root, or with CAP_DAC_READ_SEARCH" log ||
	fail "nothing is said of /proc/slabinfo: $(cat log)"
[ -e $dir/kernel/slabinfo ] && fail "a user could read /proc/slabinfo"
"$report" slabinfo $dir >out
grep -qx 'The capture does not have two readings of /proc/slabinfo.' out || fail "slabinfo: $(tail -n 3 out)"
[ "$(stat -c %u $dir)" = 65534 ] || fail "the capture does not belong to the user"

# a user who is root has no more without capabilities
setpriv --bounding-set=-all --inh-caps=-all "$kmemtraced" --doctor >doctor 2>log && fail "root without capabilities: exit 0"
for line in 'NO      privileges   root: this root lacks CAP_BPF and CAP_PERFMON: its container or service must allow this' \
	'No capture is possible here.'; do
	grep -qxF "$line" doctor || fail "root without capabilities: $(cat doctor log)"
done
setpriv --bounding-set=-all --inh-caps=-all "$kmemtraced" -q -d 1 -o none 2>log && fail "root without capabilities: exit 0"
grep -q '^kmemtraced: .*: this root lacks CAP_BPF and CAP_PERFMON: its container or service must allow this$' log ||
	fail "root without capabilities: $(cat log)"

# with one more capability it is known; then these are the privileges during the capture
# with exec, so that the signal does not go to the shell that runs the function
replace=exec
rm -rf $dir
as_user ,+bpf,+perfmon,+syslog,+dac_read_search "$kmemtraced" -q -o $dir 2>log &
daemon=$!
replace=
wait_for "the begin of the capture" captures $dir
wait_for "the privileges of the capture" grep -q '^Seccomp:.2' /proc/$daemon/status
grep -E '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs):' /proc/$daemon/status >privileges
stop_daemon
[ "$status" = 0 ] || fail "with CAP_DAC_READ_SEARCH: exit $status: $(cat log)"
tr '\t' ' ' <privileges | diff - /dev/fd/3 3<<END || fail "kmemtraced of a user has these privileges"
CapInh: 0000000000000000
CapPrm: 0000008400000004
CapEff: 0000008400000004
CapAmb: 0000000000000000
NoNewPrivs: 1
END
checked $dir
[ -s $dir/kernel/slabinfo ] || fail "with CAP_DAC_READ_SEARCH: /proc/slabinfo was not read"
[ -s log ] && fail "with CAP_DAC_READ_SEARCH and -q: $(cat log)"

# a user publishes in a directory of the own
as_user "" mkdir user/published
as_user ,+bpf,+perfmon,+syslog "$kmemtraced" -q --publish=user/published/memstat --no-capture -- \
	sh -c 'cd user/published
		until [ -e memstat ] && [ -e memstat.details ]; do sleep 0.05; done # paced: a poll
		stat -c "%u %a %n" memstat memstat.details' >out 2>log || fail "publishing: exit $?: $(cat log)"
[ "$(cat out)" = "65534 600 memstat
65534 600 memstat.details" ] || fail "published: $(cat out)"
[ -z "$(ls user/published)" ] || fail "these files stay: $(ls user/published)"

# without CAP_BPF there is no capture
as_user ,+perfmon,+syslog "$kmemtraced" -q -o user/none -d 0.2 2>log
code=$?
[ $code = 2 ] || fail "without CAP_BPF: exit $code: $(cat log)"
grep -q 'with CAP_BPF and CAP_PERFMON' log || fail "without CAP_BPF: $(cat log)"
[ -e user/none ] && fail "without CAP_BPF: a capture was left"

# the same with file capabilities
command -v setcap >/dev/null || { echo "note: setcap is not installed: no file capabilities"; exit 0; }
setcap cap_bpf,cap_perfmon,cap_syslog=ep copy 2>log ||
	{ echo "note: no file capabilities here: $(cat log)"; exit 0; }
rm -rf $dir
setpriv --reuid=65534 --regid=65534 --clear-groups ./copy -q -o $dir -- sh -c "$work" 2>log ||
	fail "with file capabilities: exit $?: $(cat log)"
whole "file capabilities"
exit 0
