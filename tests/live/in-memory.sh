#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --in-memory: nothing is on disk but the dumps, at SIGUSR2, at a trigger and at the end, all whole; the limit
# of memory holds; without room on the disk the recorder goes on; after kill -9 nothing is left.
. "$srcdir/live/live.sh"
need jq

start_recorder() { # start_recorder OPTION…; sets $pieces to a link to the folder of the pieces
	"$kmemtraced" -q --in-memory "$@" 2>daemon.log &
	daemon=$!
	wait_for "the pieces" find_pieces
	wait_for "the begin of the capture" has_piece "$pieces/" 1
}

find_pieces() {
	pieces=$(find /proc/$daemon/fd -lname '/kmemtraced.new.??????' -print -quit)
	[ -n "$pieces" ]
}

in_memory() { # bytes in the file system of the pieces
	stat -L -f -c '%b %f %S' "$pieces" | awk '{ print ($1 - $2) * $3 }'
}

busy
start_recorder -p $load -o recorder --overwrite=4s --trigger='live > 1'
wait_for_message 1 'live > 1: .* has the last'
[ "$(in_memory)" -gt 100000 ] || fail "no pieces in memory: $(in_memory)"
wait_for "ten pieces of half a second" has_piece "$pieces/" 10
kill -USR2 $daemon
wait_for_message 1 'SIGUSR2: .* has the last [0-9]* pieces'
[ -e recorder ] && fail "the set is on disk: $(ls)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
grep -q 'the end: .* has the last [0-9]* pieces' daemon.log || fail "no dump at the end: $(cat daemon.log)"
[ "$(ls -d recorder* | wc -l)" = 3 ] || fail "not three dumps: $(ls)"
for dump in recorder.dump.*Z; do
	checked "$dump"
	[ "$(dir=$dump json .loss.recorded)" -gt 100 ] || fail "$dump has no events"
done
pieces=$(ls "$dump" | wc -l)
# more than 8 while old pieces wait for their checkpoints
[ "$pieces" -ge 8 ] || fail "the last dump has $pieces pieces"

# the limit of memory, while dumps are written; a disk that is full
own_folder small size=256k || skip "no file system can be mounted"
cpus=$(getconf _NPROCESSORS_CONF)
limit=$((cpus * 2 * 8)) most=0 asked=0
[ $limit -ge 32 ] || limit=32
start_recorder -m 2 -p $load -o small/recorder --overwrite=1h --max-disk=${limit}M
[ "$(stat -L -f -c '%b %S' "$pieces" | awk '{ print $1 * $2 }')" = $((limit << 20)) ] ||
	fail "the kernel has no limit of $limit MiB"
no_room='SIGUSR2: .*/small/recorder.dump.[^ ]* cannot be written: .*No space left on device'
cannot_be_written() { # three dumps, one after the other
	size=$(in_memory)
	[ "$size" -gt $most ] && most=$size
	[ "$(grep -c "$no_room" daemon.log)" = $asked ] && asked=$((asked + 1)) && kill -USR2 "$daemon"
	[ $asked -gt 3 ]
}
wait_for "messages about a full disk" cannot_be_written
[ $most -gt 0 ] && [ $most -le $((limit << 20)) ] || fail "$most bytes in memory"
is_empty() { # what did not fit is removed a moment after its message, and after the end of kmemtraced
	[ -z "$(ls small)" ]
}
wait_for "an empty disk" is_empty
echo "at most $((most >> 20)) MiB of $limit in memory"

# nothing is left after kill -9, and the next one begins
stop_daemon KILL
wait_for "an empty disk after kill -9" is_empty
"$kmemtraced" -q -p $load -o large --overwrite=1h --in-memory -d 0.5 2>daemon.log || fail "exit $?: $(cat daemon.log)"
checked large.dump.*Z
