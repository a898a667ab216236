#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The same report twice is the same bytes, although each run seeds its hash tables differently.
. "$srcdir/cli/cli.sh"

"$report" --help | sed -n '/^Views:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
	grep -vx diff >views # it takes two captures
[ "$(grep -c . views)" -ge 11 ] || { echo "these are not all views:"; cat views; exit 1; }
while read -r view; do
	filters="--cpu=0 --min-size=50"
	case $view in slabinfo | census | tracks | allocinfo | where) filters= ;; esac # they have none
	for options in --format=text --format=json "--format=csv $filters -l 0"; do
		for time in first second; do
			# shellcheck disable=SC2086 # some options
			"$report" "$view" -i "$srcdir/data/sample" $options \
				>$time 2>&1 || { cat $time; failed=1; }
		done
		[ -s first ] || { echo "$view $options: nothing"; failed=1; }
		cmp first second || { echo "$view $options"; failed=1; }
	done
done <views
exit $failed
