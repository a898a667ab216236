#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view events: every kind of event in all formats, filtered and cut; losses on standard error;
# wrong options. There is a line for each event that the totals count.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/events.trace" || exit 1
try()
{
	echo "--- events $*"
	"$report" events "$@"
	status=$?
	[ $status -eq 0 ] || echo "exit $status"
}
{
	try --format=text
	try -l 2
	try --time 0.1, --cpu 1
	try --comm sh --max-size 150
	try --cache filp --pid 77
	try --older 1s
	try -s time_ns
	try --format=json
	"$report" events >/dev/full
	echo "to a full disk -> $?"
} >out 2>&1
{
	echo "--- csv"
	"$report" events --format=csv 2>/dev/null | tr '\r' '~'
} >>out
compare report-events.expected out

# A name must neither end a line nor reach the terminal.
printf 'task 10 0 10 s\\x0ah\\x20\\xff\n' >kmemtrace.data/kernel/tasks
"$report" events -l 1 2>/dev/null | grep -qF ' s\x0ah\x20\xff/10 ' || exit 1
"$report" events -l 1 --format=json 2>/dev/null |
	grep -qF '"comm": "s\nh \uFFFD"' || exit 1

# If a module is loaded at the address of another, each time has its own names.
"$mktrace" modules <<END || exit 1
begin 0
symbol 0xffffc0000000 first one
alloc 10 0 0xffff00100000 8/8 first+4
alloc 11 0 0xffff00200000 8/8 first+4
alloc 30 0 0xffff00100000 8/8 first+4
free 40 0 0xffff00200000 first+4
complete yes
END
printf '# since 20\nffffc0000000 t second\t[two]\n' >>modules/kernel/symbols
"$report" -i modules events --format=json |
	grep -oE '[a-z_]*site": "[^"]+"' >names
diff -u - names <<END || exit 1
site": "first+0x4 [one]"
site": "first+0x4 [one]"
site": "second+0x4 [two]"
missed_site": "first+0x4 [one]"
site": "second+0x4 [two]"
alloc_site": "first+0x4 [one]"
END

# lines FILTER…: as many as the totals count.
lines()
{
	"$report" -i "$srcdir/data/sample" events "$@" >lines 2>/dev/null
	"$report" -i "$srcdir/data/sample" sites --format=json "$@" |
		awk -F'[:,] *' '/"totals"/ { on = 1 } /}/ { on = 0 }
			on { gsub(/[ "]/, "", $1); value[$1] = $2 }
			END { print value["allocations"] + value["failed"] + value["frees"] + \
			value["null_frees"] + value["resizes"] }' >counted
	if [ "$(wc -l <lines)" -lt 100 ] || [ "$(wc -l <lines)" != "$(cat counted)" ]; then
		echo "$*: $(wc -l <lines) lines, but $(cat counted) events"
		exit 1
	fi
}
lines
lines --cpu 0
lines --time 0.003,0.006
lines --min-size 200
