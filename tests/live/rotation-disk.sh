#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-disk: du never finds more in a set and its dumps, whatever the load, and what is left is whole. A
# recorder removes old dumps too, but not the newest.
. "$srcdir/live/live.sh"
need ps

stand_still() {
	ps -eLo pgid=,stat= | awk -v group="$daemon" '$1 == group && $2 !~ /^[TZ]/ { running = 1 } END { exit running }'
}

measure() { # while kmemtraced stands still, since du reads one file after the other
	kill -STOP -"$daemon"
	wait_for "the stop of kmemtraced" stand_still
	size=$(du -cs --block-size=1 set* | tail -1 | cut -f1)
	[ "$size" -le $((limit << 20)) ] || fail "$size bytes, more than $limit MiB: $(du -a set*)"
	[ "$size" -gt $most ] && most=$size
	kill -CONT -"$daemon"
}

is_full() { # the first and other pieces were removed
	measure
	[ ! -d set/piece.000001 ] && has_piece set 10
}

dumps_are_full() { # three dumps were written, and one was removed
	kill -0 $load || skip "$(cat workload.log)"
	measure
	# one request at a time; beside a load of the machine, the limit may take the piece before its dump is made
	! grep 'cannot be written' daemon.log | grep -v 'no piece is finished, or --max-disk has removed it' ||
		fail "a dump failed: $(grep -v 'leaves no room for it until' daemon.log)"
	message $asked ': SIGUSR2: ' && {
		asked=$((asked + 1))
		kill -USR2 "$daemon"
	}
	[ "$asked" -gt 4 ] && message 1 'set.dump.[^ ]*: removed: --max-disk leaves no room for it'
}

end() { # the capture ends, and all of it is whole
	echo "at most $((most >> 20)) MiB of $limit in $(echo set*), $(ls set | wc -l) pieces"
	stop_daemon
	[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
	for piece in set*/piece.*; do
		"$check" "$piece" >check.log 2>&1 && continue
		# the last resort, which is said
		grep -q "${piece##*/} gets no checkpoint" daemon.log && grep -q ': 1 problem: ' check.log ||
			fail "kmemtrace-check: $(head -20 check.log; cat daemon.log; ls set*)"
	done
}

cpus=$(getconf _NPROCESSORS_CONF)
busy
busy
# the smallest ones for these rings
limit=$((cpus * 4 * 4))
[ $limit -ge 32 ] || limit=32
for option in --switch-output=1h --switch-output=300ms; do
	most=0
	start_set set -m 4 $option --max-disk=${limit}M
	wait_for "a full disk" is_full
	end
	rm -r set
done

# One fast load alone: beside the whole machine's, dumps wait long for checkpoints.
"$builddir/tests/live/workload" fs 1000000000 . >/dev/null 2>workload.log &
load=$!
before_end "kill $load"
limit=$((cpus * 2 * 8)) most=0 asked=0
[ $limit -ge 32 ] || limit=32
start_set set -p $load -m 2 --overwrite=1h --max-disk=${limit}M
wait_for "a disk full of dumps" dumps_are_full
wait_for_message $asked ': SIGUSR2: '
end
newest=$(sed -n 's/.*: \([^ ]*\) has the last .*/\1/p' daemon.log | tail -1)
[ -d "$newest" ] || fail "the newest dump, $newest, is gone: $(cat daemon.log)"

"$kmemtraced" -q -o new -m 512 --switch-output=1h --max-disk=32M true 2>small.log
[ $? = 2 ] && grep -q 'less than four times the rings' small.log || fail "a limit below the rings: $(cat small.log)"
"$kmemtraced" -q -o new -m 512 --overwrite=1h --max-disk=64M true 2>small.log
[ $? = 2 ] && grep -q 'less than eight times the rings' small.log || fail "a limit below the rings: $(cat small.log)"
[ ! -e new ] || fail "a set was made nevertheless"
exit 0
