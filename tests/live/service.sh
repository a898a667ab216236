#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The unit is safe by the measure of systemd, and kmemtraced publishes with what the unit permits: few
# capabilities, and file systems that cannot be written.
. "$srcdir/live/live.sh"
unit=$builddir/tracer/kmemtraced.service
[ -s "$unit" ] || fail "the unit was not built: $unit"
set=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr '[:upper:]' '[:lower:]' |
	sed 's/ *cap_/,+/g')
[ "$set" = ",+bpf,+perfmon,+syslog" ] || fail "the unit has the bounding set $set"
command=$(sed -n 's/^ExecStart=//p' "$unit")
[ "${command#/*/kmemtraced }" = "-q --publish --no-capture" ] || fail "the unit runs $command"

need setpriv unshare
[ "$(id -u)" = 0 ] || skip "needs root, to make the conditions of the unit"
# the unit's own /run/kmemtrace and /tmp; the shells have read these scripts before
cat >conditions <<'END'
set -e
mount -t tmpfs -o mode=755 run /run
mkdir /run/kmemtrace
mount -t tmpfs tmp /tmp
mount --bind /proc/sys /proc/sys
for point in /proc/sys /sys /; do
	mount -o remount,bind,ro $point
done
exec "$@"
END
cat >service <<'END'
"$kmemtraced" -q --publish --no-capture 2>&1 &
daemon=$!
for _ in $(seq 100); do
	[ ! -s /run/kmemtrace/memstat ] || break
	sleep 0.05
done
sleep 0.5
"$client" 2>&1
kill $daemon
wait $daemon
echo "exit $?, left: $(ls /run/kmemtrace)"
END
unshare -m sh -c "$(cat conditions)" sh true >out 2>&1 || skip "no file system can be mounted: $(cat out)"
kmemtraced=$kmemtraced client=$builddir/memstat/examples/memstat-uma \
	unshare -m sh -c "$(cat conditions)" sh \
	setpriv --bounding-set="-all$set" --inh-caps=-all --no-new-privs sh -c "$(cat service)" >out 2>&1
tail -n 1 out | grep -qx 'exit 0, left: ' || fail "under the conditions of the unit: $(cat out)"
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
