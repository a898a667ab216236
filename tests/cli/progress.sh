#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A command that takes longer than a second shows a progress line on a terminal and clears it at the
# end. The line is never part of the output, and -q or an output that is not a terminal disables it.
. "$srcdir/cli/cli.sh"
command -v script >/dev/null || skip "script (bsdutils) is not installed"
[ -d /proc/self/fd ] || { echo "/proc does not show open files here"; exit 77; }
"$builddir/bench/generate" 3000000 1000 big || exit 1

# on_terminal COMMAND...: runs the command with a terminal as standard error, and stops it for more
# than a second when it reads the capture. Fails if the command ended before that.
on_terminal()
{
	rm -rf pid shown printed packed
	script -qec "sh -c 'echo \$\$ >pid.new; mv pid.new pid; exec $* >printed'" /dev/null \
		</dev/null >shown 2>&1 &
	script=$!
	until [ -s pid ] || ! kill -0 $script 2>/dev/null; do sleep 0.01; done # paced: until it runs
	held=$(cat pid)
	while kill -0 "$held" 2>/dev/null; do
		case $(ls -l "/proc/$held/fd" 2>/dev/null) in
		*/big/cpu*)
			kill -STOP "$held" && sleep 1.2 # paced: a line comes after a second
			# script stops itself when what it runs stops, maybe with a delay
			while kill -CONT $script 2>/dev/null; do
				kill -CONT "$held" 2>/dev/null
				sleep 0.05 # paced: script may end
			done
			wait
			return 0
			;;
		esac
	done
	wait
	return 1
}

# expect yes|no COMMAND...: the command shows a progress line, or none
expect()
{
	wanted=$1
	shift
	for try in 1 2 3 4 5 6 7 8 9 10; do
		on_terminal "$@" && { [ "$wanted" = no ] || grep -q '% of' shown; } && break
		echo "$*: not stopped while it read, try $try"
	done
	if [ "$wanted" = yes ]; then
		tr '\r' '\n' <shown | grep -qE '^big: +[0-9]+% of [0-9.]+ MB, [0-9]+ MB/s' ||
			{ echo "$*: no progress after $try tries:"; od -c shown | head; failed=1; }
		# at the end the line is cleared
		tail -c 4 shown | od -An -c | tr -d ' ' | grep -q '^\\r033\[K$' ||
			grep -q "$(printf '\r\033\[K')" shown ||
			{ echo "$*: the line was not cleared:"; od -c shown | tail -n 3; failed=1; }
	elif grep -q '% of' shown; then
		echo "$*: progress:"
		od -c shown | head
		failed=1
	fi
}

expect yes "$report" -i big
"$report" -i big >plain 2>errors || failed=1
[ -s errors ] && { echo "without a terminal:"; cat errors; failed=1; }
cmp plain printed || failed=1
expect yes "$check" big
grep -q '^big: ok' printed || { echo "the check:"; cat printed; failed=1; }
expect no "$check" -q big
expect yes "$pack" -o packed big
grep -q 'big: .*packed: 3000000 events\|packed: 3000000 events' shown || { echo "packing:"; cat shown; failed=1; }
expect no "$pack" -q -o packed big
exit $failed
