# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Holds the figures and the ratios against the table of what must hold. Prints it, and writes the
# same tab-separated to what the variable told names: what limit measured met.
BEGIN {
	OFS = "\t"
	printf "%-62s %12s %12s  %s\n", "what must hold", "required", "measured", "met?"
}

FILENAME == ARGV[1] {
	split($0, f, "\t")
	values[f[1], f[4], f[2], f[3]] = f[6]
	next
}

FILENAME == ARGV[2] {
	split($0, f, "\t")
	values[f[1], f[2], f[3], f[4], f[5], f[6]] = f[7]
	next
}

/^#/ { next }

{
	count = split($0, f, / *\| */)
	key = f[3] SUBSEP f[4] SUBSEP f[5] SUBSEP f[6]
	if (count > 6)
		key = key SUBSEP f[7] SUBSEP f[8]
	split(f[2], limit, " ")
	met = measured = "not measured"
	if (key in values) {
		measured = sprintf(values[key] < 1000 ? "%.3g" : "%.0f", values[key])
		met = (limit[1] == "<=" ? values[key] <= limit[2] + 0 : values[key] >= limit[2] + 0) ? "yes" : "no"
	}
	printf "%-62s %12s %12s  %s\n", f[1], f[2], measured == "not measured" ? "-" : measured, met
	print f[1], f[2], key in values ? values[key] : "", met >told
}
