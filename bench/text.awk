# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the figures, a block for each bench, case and metric, and then the ratios.
BEGIN {
	FS = "\t"
	unit("events", "events", 1, 0)
	unit("cpu_ns", "CPU time untraced, ns an event", 1, 1)
	unit("added_ns", "CPU time added to the workload, ns an event", 1, 1)
	unit("program_ns", "time of a BPF program that does nothing, with its measurement, ns", 1, 1)
	unit("above_ns", "time of the BPF programs above programs that do nothing, ns an event", 1, 1)
	unit("skipped_ppm", "hidden by the kernel (nested), per million events", 1, 2)
	unit("request_ns", "CPU time of the server and of kmemtraced, us a request", 1e3, 3)
	unit("own_ns", "that of kmemtraced itself, us a request", 1e3, 3)
	unit("own_percent", "CPU time of the program itself, percent of one CPU", 1, 2)
	unit("events_s", "million events a second", 1e6, 2)
	unit("captured", "events captured", 1, 0)
	unit("lost", "events lost, as the tool reports", 1, 0)
	unit("lost_percent", "events lost, percent", 1, 2)
	unit("bytes_event", "bytes an event on disk", 1, 2)
	unit("writer_ns", "CPU time of the tool itself, ns an event", 1, 1)
	unit("publish_ns", "CPU time of --publish, on top of a capture, ns an event", 1, 1)
	unit("peak_bytes", "peak memory, MiB", 1048576, 1)
	unit("live", "live objects at most", 1, 0)
	unit("of_allowed", "memory / (64 MiB + 100 bytes a live object)", 1, 2)
	unit("bytes_s", "GB a second", 1e9, 2)
	unit("rows_s", "rows of summaries loaded, a second", 1, 0)
	unit("bytes_row", "bytes a row of a summary", 1, 1)
	unit("host_day_bytes", "MB of a host in a day", 1e6, 3)
	count = split("growth versions outliers top hosts history", questions, " ")
	for (i = 1; i <= count; i++)
		unit(questions[i] "_s", "time of the question " questions[i] ", s", 1, 4)
}

function unit(metric, title, scale, digits) {
	titles[metric] = title
	scales[metric] = scale
	digit[metric] = digits
}

function number(metric, value) {
	return sprintf("%.*f", digit[metric], value / scales[metric])
}

# Explains why there is no ratio: the figure is below 0, or the divisor is not above 0.
function no_ratio(    a, b) {
	a = medians[$1, $2, $3, $4]
	b = medians[$1, $2, $5, $6]
	return sprintf("no ratio: %s is %s", a < 0 ? left : right, number($2, a < 0 ? a : b))
}

FILENAME == ARGV[1] {
	medians[$1, $4, $2, $3] = $6
	block = $1 FS $2 FS $4
	if (!(block in rows))
		blocks[++block_count] = block
	rows[block] = rows[block] sprintf("    %-36s %12s %12s %12s %3d\n", $3, number($4, $6),
		number($4, $7), number($4, $8), $5)
	next
}

{
	left = $4
	right = $6
	if ($3 != $5) {
		left = left ", " $3
		right = right ", " $5
	}
	name = $1 ", " $3 ": " titles[$2]
	if (!(name in compared))
		names[++name_count] = name
	compared[name] = compared[name] sprintf("    %-66s %s\n", left " / " right,
		$7 == "" ? no_ratio() : sprintf("%8.2f  (%s)%s", $7,
			$8 == "" ? "a round has no ratio" : sprintf("%.2f..%.2f", $8, $9),
			$10 == "" ? "" : sprintf("  95 %%: %.2f to %s", $10,
				$11 == "" ? "any" : sprintf("%.2f", $11))))
}

END {
	for (i = 1; i <= block_count; i++) {
		split(blocks[i], part, FS)
		printf "%s, %s: %s\n", part[1], part[2], titles[part[3]]
		printf "    %-36s %12s %12s %12s %3s\n%s\n", "", "median", "least", "most", "n", rows[blocks[i]]
	}
	if (name_count)
		print "Ratios (least and most of single rounds), and their interval"
	for (i = 1; i <= name_count; i++)
		printf "  %s\n%s", names[i], compared[names[i]]
}
