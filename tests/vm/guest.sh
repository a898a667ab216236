# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Sourced by the scripts that run in a guest, as /t/guest.sh.
part_begin=$(cut -d ' ' -f 1 /proc/uptime)

# part NAME: prints on the console how long the part took that ends here
part()
{
	part_end=$(cut -d ' ' -f 1 /proc/uptime)
	echo "part: $1 $(awk "BEGIN { printf \"%.0f\", $part_end - $part_begin }")"
	part_begin=$part_end
}

# wait_for WHAT COMMAND…: until the command succeeds. The limit finds what never happens.
wait_for()
{
	what=$1 polls=0
	shift
	until "$@" 2>/dev/null; do
		polls=$((polls + 1))
		[ $polls -lt 6000 ] || { echo "$what: not after ten minutes" && exit 9; }
		sleep 0.1 # paced: this is wait_for
	done
}
