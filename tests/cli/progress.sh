#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What takes longer than a second says on a terminal how far it is, and wipes that in the end. Nothing
# of it goes into what is printed, and none of it is there with -q or without a terminal.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command -v script >/dev/null || { echo "script (bsdutils) is not installed"; exit 77; }
[ -d /proc/self/fd ] || { echo "/proc tells no open files here"; exit 77; }
"$builddir/bench/generate" 3000000 1000 big || exit 1
failed=0

# on_terminal COMMAND…: its standard error is a terminal. It is held for more than a second as soon
# as it reads; fails if it was too fast to be held.
on_terminal()
{
	rm -rf pid shown printed packed
	script -qec "sh -c 'echo \$\$ >pid.new; mv pid.new pid; exec $* >printed'" /dev/null \
		</dev/null >shown 2>&1 &
	script=$!
	until [ -s pid ] || ! kill -0 $script 2>/dev/null; do sleep 0.01; done
	held=$(cat pid)
	while kill -0 "$held" 2>/dev/null; do
		case $(ls -l "/proc/$held/fd" 2>/dev/null) in
		*/big/cpu*)
			kill -STOP "$held" && sleep 1.2
			# script stops itself when what it runs stops, be it late
			while kill -CONT $script 2>/dev/null; do
				kill -CONT "$held" 2>/dev/null
				sleep 0.05
			done
			wait
			return 0
			;;
		esac
	done
	wait
	return 1
}

# expect YES|no COMMAND…: a line that tells progress, or none
expect()
{
	wanted=$1
	shift
	for try in 1 2 3 4 5; do
		on_terminal "$@" && { [ "$wanted" = no ] || grep -q '% of' shown; } && break
	done
	if [ "$wanted" = yes ]; then
		tr '\r' '\n' <shown | grep -qE '^big: +[0-9]+% of [0-9.]+ MB, [0-9]+ MB/s' ||
			{ echo "$*: no progress after $try tries:"; od -c shown | head; failed=1; }
		# behind it the line is empty
		tail -c 4 shown | od -An -c | tr -d ' ' | grep -q '^\\r033\[K$' ||
			grep -q "$(printf '\r\033\[K')" shown ||
			{ echo "$*: the line stands there still:"; od -c shown | tail -n 3; failed=1; }
	elif grep -q '% of' shown; then
		echo "$*: progress:"
		od -c shown | head
		failed=1
	fi
}

expect yes "$builddir/kmemtrace-report" -i big
"$builddir/kmemtrace-report" -i big >plain 2>errors || failed=1
[ -s errors ] && { echo "without a terminal:"; cat errors; failed=1; }
cmp plain printed || failed=1
expect yes "$builddir/kmemtrace-check" big
grep -q '^big: ok' printed || { echo "the check:"; cat printed; failed=1; }
expect no "$builddir/kmemtrace-check" -q big
expect yes "$builddir/kmemtrace-pack" -o packed big
grep -q 'big: .*packed: 3000000 events\|packed: 3000000 events' shown || { echo "packing:"; cat shown; failed=1; }
expect no "$builddir/kmemtrace-pack" -q -o packed big
exit $failed
