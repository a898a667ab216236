# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Sourced by the tests of profiles: what the capture kmemtrace.data counted and estimates.

counted() # counted COLUMN: of the lines "counted CPU ALLOCATIONS FREES BYTES"
{
	awk -v column="$1" '$1 == "counted" { sum += $column } END { printf "%.0f", sum }' \
		kmemtrace.data/kernel/status
}

between() # between WHAT LEAST FOUND MOST
{
	echo "$1: $2 <= $3 <= $4"
	[ "$3" -ge "$2" ] && [ "$3" -le "$4" ] || fail "$1: $3 is not from $2 to $4"
}

# figures: makes the file estimates, from which figure FILTER takes one; a report takes long beside a load
figures()
{
	"$report" sites --format=json >estimates 2>/dev/null || fail "sites: exit $?"
}

figure()
{
	jq -r "$1" estimates
}

# estimates WHAT [BYTES]: in these figures, the estimate of all bytes is the counted number, within 5 sigma; this may have BYTES
# too many. The interval of the report is 1.96 sigma on each side, and above it is what lost samples may hide.
estimates()
{
	jq -c '[.totals.bytes_allocated, .estimates]' estimates
	[ "$(figure .estimates.counted_bytes)" = "$(counted 5)" ] || fail "$1: not $(counted 5) bytes"
	jq -e --argjson bytes "${2:-0}" '.totals.bytes_allocated as $estimate | .estimates |
		(1.55 * ($estimate - .bytes_allocated_low)) as $more | .samples > 1000 and
		.counted_bytes > .bytes_allocated_low - $more and
		.counted_bytes - $bytes < .bytes_allocated_high + $more' estimates >/dev/null || fail "$1: the estimate is wrong"
}
