#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# prune.sh CAPTURE: makes a real capture small enough for a fixture. It keeps the symbols of call
# sites in events, each with the next symbol, which ends it, and the tasks with events. Streams,
# caches and status do not change.
set -eu
capture=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

babeltrace2 "$capture" >"$work/events" 2>/dev/null
# the number of digits in the addresses of the captured kernel
digits=$(gzip -dcf "$capture/kernel/symbols" | awk '!/^#/ { print length($1); exit }')
sed -n 's/.*call_site = 0x\([0-9A-F]*\),.*/\1/p' "$work/events" | tr A-F a-f | sort -u |
	awk -v digits="$digits" '{ printf "%" digits "s\n", $1 }' | tr ' ' 0 | sort >"$work/sites"
sed -n 's/.*tid = \([0-9]*\),.*/\1/p' "$work/events" | sort -u >"$work/tasks"

# sorted as text: addresses of equal length are then in numeric order
gzip -dcf "$capture/kernel/symbols" | grep -v '^#' | sort -s -k1,1 >"$work/symbols"
awk 'NR == FNR { sites[++count] = $1; next }
	BEGIN { at = 1 }
	{
		if (wanted) { print before; print; wanted = 0; shown = NR }
		while (at <= count && sites[at] < $1) { if (before != "") hit = 1; at++ }
		if (hit) { if (shown != NR - 1) print before; if (shown != NR) print; shown = NR; hit = 0 }
		before = $0
	}' "$work/sites" "$work/symbols" | uniq >"$capture/kernel/symbols"
awk 'NR == FNR { had[$1]; next } $2 in had' "$work/tasks" "$capture/kernel/tasks" >"$work/kept"
cp "$work/kept" "$capture/kernel/tasks"
du -sk "$capture"
