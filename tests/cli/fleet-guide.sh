#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The commands of kmemtrace-fleet-guide(7), "With files", as they stand there, on the files of a fleet.
. "$srcdir/cli/cli.sh"
page=$srcdir/../fleet/kmemtrace-fleet-guide.7
sed -n '/^\.Sh WITH FILES/,/^\.Sh WITH CLICKHOUSE/p' "$page" |
	awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' | grep '^kmemtrace ' >commands
[ "$(wc -l <commands)" = 9 ] || { echo "the guide has $(wc -l <commands) commands"; exit 1; }

"$builddir/kmemtrace-fleet" --db=probe init 2>message || {
	grep -q SQLite message || { cat message; exit 1; }
	echo "skipped: $(cat message)"
	exit 77
}
# the files of each host and day, as kmemtraced writes them; the played days begin at 8 o'clock of the first
"$builddir/tests/fleet/hosts" --hosts=60 --hours=40 --interval=1800 played >planted || exit 1
mkdir summaries
for file in played/*; do
	host=${file##*/}
	awk -v host="${host%.kms}" '
		NR == 1 { header = $0; next }
		/^summary / {
			file = "summaries/" host "." (int($2 / 86400e9) <= 20833 ? "2027-01-15" : "2027-01-16") ".kms"
			if (!seen[file]++)
				print header >file
		}
		{ print >file }' "$file"
	echo "${host%.kms}" >>inventory
done
export PATH="$builddir:$PATH" LC_ALL=C
while read -r command; do
	sh -c "$command" >out 2>err </dev/null
	status=$?
	# hosts and intervals are missing, as planted
	[ $status -le 1 ] || { echo "exit $status: $command: $(cat err)"; failed=1; }
	case $command in
	*growth) grep -q "$(sed -n 's/^leak_function \([^ ]*\).*/\1/p' planted)" out || { echo "no leak: $(cat planted out)"; failed=1; } ;;
	*--html=*) [ -s saturday.html ] || { echo "no page"; failed=1; } ;;
	*' load '* | *merge*) ;;
	*) [ "$(wc -l <out)" -ge 5 ] || { echo "$command: only $(cat out err)"; failed=1; } ;;
	esac
done <commands
exit $failed
