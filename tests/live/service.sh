#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The unit is safe by the measure of systemd, and kmemtraced publishes, or records a profile, with what
# the unit permits: few capabilities, and file systems that cannot be written but for two directories.
. "$srcdir/live/live.sh"
unit=$builddir/tracer/kmemtraced.service
[ -s "$unit" ] || fail "the unit was not built: $unit"
set=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr '[:upper:]' '[:lower:]' |
	sed 's/ *cap_/,+/g')
[ "$set" = ",+bpf,+perfmon,+syslog" ] || fail "the unit has the bounding set $set"
command=$(sed -n 's/^ExecStart=//p' "$unit")
[ "$(echo "$command" | sed -E 's,--config=[^ ]*/,--config=,g')" = "${command%%/kmemtraced *}/kmemtraced --config=kmemtraced.conf --config=kmemtraced.conf" ] ||
	fail "the unit runs $command"
[ "$(sed -n 's/^Type=//p' "$unit")" = notify ] || fail "the unit does not wait until kmemtraced is ready"
cp "$top_srcdir/tracer/kmemtraced.conf" installed.conf
chmod 644 installed.conf
printf 'profile\nquiet\noutput = /var/lib/kmemtrace/profile\n' >profile.conf
chmod 644 profile.conf

need setpriv unshare
[ "$(id -u)" = 0 ] || skip "needs root, to make the conditions of the unit"
# the unit's own /run/kmemtrace and /tmp; the shells have read these scripts before
cat >conditions <<'END'
set -e
mount -t tmpfs -o mode=755 run /run
mkdir /run/kmemtrace
mount -t tmpfs -o mode=755 state /var/lib
mkdir -m 700 /var/lib/kmemtrace
mount -t tmpfs tmp /tmp
mount --bind /proc/sys /proc/sys
for point in /proc/sys /sys /var/lib /; do
	mount -o remount,bind,ro $point
done
mount --bind /var/lib/kmemtrace /var/lib/kmemtrace
mount -o remount,bind,rw /var/lib/kmemtrace
exec "$@"
END
cat >service <<'END'
"$kmemtraced" --config=/run/missing --config="$config" 2>&1 &
daemon=$!
for _ in $(seq 200); do
	[ ! -s /run/kmemtrace/status.$daemon ] || break
	sleep 0.05
done
for _ in $(seq 200); do
	[ -s /run/kmemtrace/memstat ] && "$client" >/dev/null 2>&1 && break
	[ "$config" = profile.conf ] && break
	sleep 0.05
done
sleep 0.5
[ "$config" = profile.conf ] || "$client" 2>&1
"$kmemtraced" --status
kill $daemon
wait $daemon
echo "exit $?, left: $(ls /run/kmemtrace)"
END
unshare -m sh -c "$(cat conditions)" sh true >out 2>&1 || skip "no file system can be mounted: $(cat out)"

# as_service CONFIG: its output is in the file out, its messages to the manager in the file messages
as_service() {
	socket=@kmemtrace-service-$$
	"$builddir/tests/live/listen" $socket 0 >messages 2>&1 &
	daemon=$!
	for _ in $(seq 200); do
		[ -s messages ] && break
		sleep 0.05
	done
	NOTIFY_SOCKET=$socket config=$1 kmemtraced=$kmemtraced client=$builddir/memstat/examples/memstat-uma \
		unshare -m sh -c "$(cat conditions)" sh \
		setpriv --bounding-set="-all$set" --inh-caps=-all --no-new-privs sh -c "$(cat service)" >out 2>&1
	tail -n 1 out | grep -qx 'exit 0, left: ' || fail "$1: under the conditions of the unit: $(cat out)"
	stop_daemon TERM
	grep -q 'READY=1' messages && grep -q 'STOPPING=1' messages || fail "$1: $(cat messages)"
}
as_service profile.conf
grep -q '/var/lib/kmemtrace/profile' out || fail "a profile is not listed: $(cat out)"
as_service installed.conf
# objects that are free: /proc/slabinfo was read
awk '/^kmalloc-/ && $5 + 0 > 0 { free++ } /^kmalloc-/ && $6 + 0 > 0 { requested++ }
	END { exit !(free && requested) }' out || fail "published: $(cat out)"

need systemd-analyze
systemd-analyze security --offline=true "$unit" >out 2>&1 || skip "systemd-analyze: $(tail -n 1 out)"
score=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' out)
[ -n "$score" ] || fail "systemd-analyze prints no score: $(cat out)"
echo "exposure by systemd-analyze: $score"
awk "BEGIN { exit !($score < 2.0) }" || fail "the exposure is not below 2.0: $(grep '✗' out)"
# not: that the manual and the program are not installed
sed "s,^ExecStart=[^ ]*,ExecStart=$kmemtraced,; /^Documentation/d" "$unit" >kmemtraced.service
systemd-analyze verify ./kmemtraced.service >out 2>&1
grep kmemtraced out && fail "systemd finds errors in the unit"
exit 0
