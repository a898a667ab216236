#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --publish --no-capture leaves no files behind, needs no more memory than the man page
# says, and refuses a second publisher; readers get an error after it ended, even by SIGKILL.
. "$srcdir/live/live.sh"

own_folder folder || skip "no tmpfs can be mounted"
follow=$builddir/tests/live/follow
mkdir empty tmp
TMPDIR=$scratch/tmp
export TMPDIR

# start OPTION…: returns once something is published
start() {
	(cd empty && exec "$kmemtraced" --publish=../memstat --no-capture "$@") 2>daemon.log &
	daemon=$!
	wait_for "statistics" published
}

published() { # published [KEY]: the value of the key is above 0
	"$follow" memstat >read.out 2>read.log && { [ -z "${1-}" ] || [ "$(value read.out "$1")" -gt 0 ]; }
}

nothing_left() { # nothing_left WHEN: neither the published file nor temporary files
	[ ! -e memstat ] || fail "$1: the file is still there"
	[ -z "$(find empty tmp -mindepth 1)" ] || fail "$1: left behind: $(find empty tmp)"
}

load() {
	"$builddir/tests/live/workload" fs "$1" folder >truth 2>workload.log || fail "$(cat workload.log)"
}

memory() { # of this process alone, KiB: neither rings nor the published file
	awk '$1 == "RssAnon:" { print $2 }' /proc/$daemon/status
}

"$follow" memstat >read.out 2>read.log && fail "something is published before the start"
grep -q 'kmemtraced --publish' read.log || fail "the message does not say how to start publishing: $(cat read.log)"

# Memory: the queue, 192 bytes for each object, and some for names.
objects=100000 queue=$((64 << 10))
start -m 4 --publish-objects=$objects
load ${KMEMTRACE_LONG:+10}5000
load 20000
most=$(memory)
bound=$((queue + objects * 192 / 1024 + 120 * 1024))
echo "$most KiB after $(value truth kmem_cache_alloc) events and as many frees, may be $bound"
[ "$most" -le "$bound" ] || fail "$most KiB are more than $bound"
has_load() {
	published && [ $(($(value read.out numallocs) + $(value read.out lost))) -ge "$(value truth kmem_cache_alloc)" ]
}
wait_for "the events of the load" has_load

# A second one is refused, and the first goes on.
"$kmemtraced" -q --publish=memstat --no-capture true 2>second.log && fail "there are two of them"
grep -q memstat second.log || fail "refused without a reason: $(cat second.log)"
"$follow" memstat >/dev/null || fail "the second one has stopped the first"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
cat daemon.log
nothing_left "at the end"

# Objects beyond the limit are counted as lost.
start -m 4 --publish-objects=10
loaded() { # loaded KEY: after one more load
	load 100
	published "$1"
}
wait_for "an object beyond the limit" loaded lost

# After SIGKILL the file stays, but readers refuse it.
stop_daemon KILL
"$follow" memstat >read.out 2>read.log && fail "statistics of a killed kmemtraced were read: $(cat read.out)"
grep -q 'kmemtraced --publish' read.log || fail "the message does not say how to publish again: $(cat read.log)"
start -m 4
# its first snapshot may have had no event yet
wait_for "types after the restart" loaded types
stop_daemon
nothing_left "after the restart"

# With a command, and its exit status.
"$kmemtraced" -q --publish=memstat --no-capture -- sh -c 'exit 7'
[ $? = 7 ] || fail "the command's exit status is lost"
nothing_left "with a command"

# If the command does not exist, the message explains --publish=FILE.
"$kmemtraced" --publish ./nothing 2>wrong.log && fail "a command that is not there is run"
grep -q 'if it is the value of --publish, use --publish=./nothing$' wrong.log || fail "no hint: $(cat wrong.log)"
"$kmemtraced" --publish=memstat --no-capture ./nothing 2>wrong.log && fail "nothing there is run"
grep -q "the value of --publish" wrong.log && fail "a hint where a file was named: $(cat wrong.log)"

# If the file system is full, there is one message, and the last line counts what is missing.
# full SIZE OPTION…: puts the messages into full.log, the numbers of the last line into $aggregated, $not and $lost
folders=0
full() {
	folders=$((folders + 1))
	own_folder full.$folders "size=$1,mode=755" || fail "no tmpfs of $1"
	shift
	"$kmemtraced" --publish=full.$folders/memstat --no-capture -m 4 "$@" -- \
		"$builddir/tests/live/workload" fs 2000 folder >truth 2>full.log ||
		fail "exit $? on a small file system: $(cat full.log)"
	said=$(grep -c 'memstat: No space left on device: [0-9]* types\{0,1\} [a-z]* omitted: make room in the file system' full.log)
	read -r aggregated not lost <<-END
		$(sed -n 's/.*: \([0-9]*\) events aggregated, \([0-9]*\) not aggregated, \([0-9]*\) lost.*/\1 \2 \3/p' full.log)
	END
}
full 60k
cat full.log
[ "$said" = 1 ] || fail "a full file system is reported $said times: $(cat full.log)"
[ "$not" -gt 0 ] || fail "nothing is missing on a full file system: $(cat full.log)"
full 60k -q
[ -s full.log ] && fail "not quiet: $(cat full.log)"
for try in 1 2 3; do
	full 16m
	[ "$said" = 0 ] || fail "a full file system is reported although it has space: $(cat full.log)"
	[ "$not" != 0 ] || break
	echo "try $try: the queue of events had no room for $not of them"
done
[ "$not" = 0 ] || skip "this machine is too busy: $not events could not be aggregated"
full 16m --publish-objects=1
[ "$((not + lost))" -ge "$(($(value truth kmem_cache_alloc) / 2))" ] ||
	fail "one object is followed, and only $not are missing: $(cat full.log)"
[ "$aggregated" -gt 0 ] || fail "nothing is aggregated: $(cat full.log)"

# If mounting is not allowed, kmemtraced uses a temporary directory.
if command -v setpriv >/dev/null; then
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		"$kmemtraced" -q --publish=memstat --no-capture -- sh -c 'ls tmp >seen' ||
		fail "exit $? without CAP_SYS_ADMIN"
	[ -s seen ] || fail "there was no temporary directory"
	nothing_left "without CAP_SYS_ADMIN"
	# what a killed kmemtraced left there is removed by the next start, and the file when it ends
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		"$kmemtraced" -q --publish=memstat --no-capture &
	daemon=$!
	wait_for "the published file" [ -e memstat ]
	stop_daemon KILL
	[ -n "$(ls tmp)" ] || fail "the killed kmemtraced had no temporary directory"
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		"$kmemtraced" -q --publish=memstat --no-capture -- sh -c '
			until "$0" memstat >read.out 2>read.log; do sleep 0.05; done # paced: kmemtraced waits for this' "$follow" ||
		fail "exit $? after a kill"
	nothing_left "after a kill without CAP_SYS_ADMIN"
else
	echo "note: setpriv is not installed: not tried without CAP_SYS_ADMIN"
fi
exit 0
