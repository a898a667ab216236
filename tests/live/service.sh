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

need setpriv unshare nsenter
[ "$(id -u)" = 0 ] || skip "needs root, to make the conditions of the unit"
# The /run of the unit. The programs and the configurations are in it, since the unit's /run, /var/lib and
# /tmp hide the places where they may be.
own_folder run mode=755 || skip "no file system can be mounted"
mkdir run/kmemtrace run/state run/build
mkdir -m 700 run/state/kmemtrace
cp "$top_srcdir/tracer/kmemtraced.conf" run/installed.conf
printf 'profile\nquiet\noutput = /var/lib/kmemtrace/profile\n' >run/profile.conf
chmod 644 run/*.conf
cat >conditions <<'END'
set -e
mount --bind "$builddir" run/build
mount --rbind run /run
cd /run
mount --bind /run/state /var/lib
mount -t tmpfs tmp /tmp
mount --bind /proc/sys /proc/sys
for point in /proc/sys /sys /var/lib /; do
	mount -o remount,bind,ro $point
done
mount --bind /run/state/kmemtrace /var/lib/kmemtrace
exec "$@"
END
unshare -m sh -c "$(cat conditions)" sh true >out 2>&1 || skip "no file system can be mounted: $(cat out)"
permitted="setpriv --bounding-set=-all$set --inh-caps=-all --no-new-privs"

# inside COMMAND…: as the service, in its mounts; the output is in the file out
inside() {
	# shellcheck disable=SC2086 # a list
	nsenter -t "$daemon" -m $permitted "$@" >out 2>&1
}

# begin_service CONFIG: as a daemon, whose messages to the manager are in the file messages
begin_service() {
	"$builddir/tests/live/listen" "@$own_name.$1" 0 >messages 2>&1 &
	listener=$!
	before_end "kill $listener 2>/dev/null"
	wait_for "the listener" grep -q listens messages
	# shellcheck disable=SC2086 # a list
	NOTIFY_SOCKET=@$own_name.$1 env -u TMPDIR unshare -m sh -c "$(cat conditions)" sh $permitted \
		/run/build/kmemtraced --config=/run/missing --config="$1" >daemon.log 2>&1 &
	daemon=$!
	wait_for "$1: READY=1" grep -q READY=1 messages
	wait_for "$1: the status" [ -s run/kmemtrace/status.$daemon ]
}

end_service() {
	stop_daemon TERM
	[ "$status" = 0 ] || fail "$1: under the conditions of the unit: exit $status: $(cat daemon.log)"
	[ -z "$(ls run/kmemtrace)" ] || fail "$1: left: $(ls run/kmemtrace)"
	wait_for "$1: STOPPING=1" grep -q STOPPING=1 messages
	kill $listener
}

begin_service profile.conf
inside /run/build/kmemtraced --status || fail "--status: exit $?: $(cat out)"
grep -q '/var/lib/kmemtrace/profile' out || fail "a profile is not listed: $(cat out)"
end_service profile.conf

# objects that are free: /proc/slabinfo was read
published() {
	inside env LD_LIBRARY_PATH=/run/build /run/build/live/memstat/examples/memstat-uma && awk '/^kmalloc-/ && $5 + 0 > 0 { free++ }
		/^kmalloc-/ && $6 + 0 > 0 { requested++ } END { exit !(free && requested) }' out
}
begin_service installed.conf
wait_for "statistics with free and with requested objects" published
inside /run/build/kmemtraced --status || fail "--status: exit $?: $(cat out)"
end_service installed.conf

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
