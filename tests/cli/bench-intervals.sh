#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The interval of a ratio in bench/run is that of the sign test, whose ranks are in any table of
# statistics: also if rounds have a divisor below 0, and none with five rounds.
. "$srcdir/cli/cli.sh"

# interval RATIO...: of rounds with these ratios, whose divisors are 1, or -1 for a ratio with "!"
interval()
{
	for ratio; do
		divisor=1
		[ "$ratio" = "${ratio#!}" ] || divisor=-1
		printf 'bench\tload\ttool\tns\t%s\n' "$((${ratio#!} * divisor))"
		printf 'bench\tload\tother\tns\t%s\n' $divisor
	done >samples
	printf 'bench\tns\tload\ttool\tload\tother\n' >ratios
	awk -v figures=figures -v compared=compared -f "$top_srcdir/bench/figures.awk" samples ratios
	awk -F '\t' '{ print $7, "from", $10, "to", $11 }' compared
}

# is RESULT RATIO...
is()
{
	expected=$1
	shift
	found=$(interval "$@")
	[ "$found" = "$expected" ] && return
	echo "$*: $found, not $expected"
	failed=1
}

is "3 from  to " 1 2 3 4 5
is "3.5 from 1 to 6" 4 6 2 1 3 5
is "5 from 2 to 8" $(seq 9)
is "10.5 from 6 to 15" $(seq 20)
is "20.5 from 14 to 27" $(seq 40 -1 1)
# -50 is above r * -1 only if r is above 50: up to there the round is one of the lowest
is "4.5 from 1 to 8" 1 2 3 4 5 6 7 8 9 !50
exit $failed
