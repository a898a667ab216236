# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compares the figures and the ratios with the requirements. Prints those of the benches in the
# variable benches, and writes all of them, separated by tabs, to the file named by the variable
# output: what limit measured met.
BEGIN {
	OFS = "\t"
	split(benches, list, " ")
	for (i in list)
		asked[list[i]]
	printf "%-62s %16s %16s  %s\n", "requirement", "required", "measured", "met?"
}

# Formats a number; a large one in groups of three digits.
function grouped(value,    digits, sign) {
	if (value > -1000 && value < 1000)
		return sprintf("%.3g", value)
	sign = value < 0 ? "-" : ""
	digits = sprintf("%.0f", value < 0 ? -value : value)
	value = ""
	for (; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
		value = "," substr(digits, length(digits) - 2) value
	return sign digits value
}

# Stores the median, the least and the most, which begin at the field first.
function note(key, first) {
	values[key, "median"] = f[first]
	values[key, "least"] = f[first + 1]
	values[key, "most"] = f[first + 2]
}

FILENAME == ARGV[1] {
	split($0, f, "\t")
	note(f[1] SUBSEP f[4] SUBSEP f[2] SUBSEP f[3], 6)
	next
}

FILENAME == ARGV[2] {
	split($0, f, "\t")
	note(f[1] SUBSEP f[2] SUBSEP f[3] SUBSEP f[4] SUBSEP f[5] SUBSEP f[6], 7)
	next
}

/^#/ { next }

{
	count = split($0, f, / *\| */)
	which = split(f[4], metric, ":") > 1 ? metric[2] : "median"
	key = f[3] SUBSEP metric[1] SUBSEP f[5] SUBSEP f[6]
	if (count > 6)
		key = key SUBSEP f[7] SUBSEP f[8]
	key = key SUBSEP which
	split(f[2], limit, " ")
	value = key in values ? values[key] : ""
	if (value != "")
		met = (limit[1] == "<=" ? value + 0 <= limit[2] + 0 : value + 0 >= limit[2] + 0) ? "yes" : "no"
	else
		met = key in values ? "no ratio" : "not measured"
	if (f[3] in asked)
		printf "%-62s %16s %16s  %s\n", f[1],
			limit[1] " " (limit[2] + 0 < 1000 ? limit[2] : grouped(limit[2] + 0)),
			value == "" ? "-" : grouped(value + 0), met
	print f[1], f[2], value, met >output
}
