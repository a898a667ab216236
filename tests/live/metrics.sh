#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --metrics: live objects and counters of a known load are exact, all rows are those of
# kmemtrace-report on a capture of the same run, with --profile too, and promtool finds no fault.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

metrics=$scratch/textfile/kmemtrace.prom
mkdir textfile

# row METRIC PATTERN: the sum of the values of a metric's rows whose labels match
row() {
	awk -v metric="kmemtrace_$1" -v pattern="$2" '{ name = $1; sub(/[{ ].*/, "", name) }
		name == metric && $0 ~ pattern { sum += $NF; found = 1 }
		END { if (found) printf "%.0f\n", sum; else print "none" }' "${3:-$metrics}"
}

is_fresh() { # the text has all events up to $after
	awk -v after="$after" '$1 == "kmemtrace_update_time_seconds" { found = $2 > after + 0.01 }
		END { exit !found }' "$metrics"
}

fresh() {
	after=$(date +%s.%N)
	wait_for "a new text" is_fresh
}

sums() { # the rows of each metric add up to the total
	for figure in live_bytes live_objects allocated_bytes_total allocated_objects_total \
		freed_bytes_total freed_objects_total; do
		total=$(row $figure . text)
		[ "$total" -gt 0 ] || fail "$figure is $total"
		for by in cache function; do
			sum=$(row "${by}_$figure" . text)
			[ "$sum" = "$total" ] || fail "the rows of ${by}_$figure add up to $sum, not $total"
		done
	done
	for by in comm container; do
		sum=$(row ${by}_live_bytes . text)
		[ "$sum" = "$(row live_bytes . text)" ] || fail "the rows of ${by}_live_bytes add up to $sum"
	done
}

# begin OPTION…: without a capture
begin() {
	"$kmemtraced" --no-capture --metrics="$metrics" --metrics-interval=100ms "$@" 2>daemon.log &
	daemon=$!
	fresh
}

# held_load: what the load does is in $live, $allocated and $freed
held_load() {
	hold 0
	fresh
	before_live=$(row function_live_objects eventfd) before=$(row function_allocated_objects_total eventfd)
	before_freed=$(row function_freed_objects_total eventfd)
	[ "$before" != none ] || before=0 before_live=0 before_freed=0
	hold 5000
	hold 1000
	hold 3000
	fresh
	cp "$metrics" text
	live=$(row function_live_objects eventfd text)
	[ "$live" != none ] || skip "no function of this kernel has eventfd in its name"
	live=$((live - before_live))
	allocated=$(($(row function_allocated_objects_total eventfd text) - before))
	freed=$(($(row function_freed_objects_total eventfd text) - before_freed))
	missing=$(($(row lost_events_total . text) + $(row skipped_events_total . text) +
		$(row uncounted_events_total . text)))
	echo "eventfd: live $live, allocated $allocated, freed $freed; missing $missing"
}

# The load alone. Only skipped events, of any task, may be missing.
begin_files
hold 0
begin --metrics-top=4000 -p $load
held_load
{ [ $((live + missing)) -ge 3000 ] && [ "$live" -le $((3000 + missing)) ]; } ||
	fail "3000 objects are held, and $live are live"
{ [ $((allocated + missing)) -ge 7000 ] && [ "$allocated" -le 7000 ]; } ||
	fail "7000 objects were allocated, not $allocated"
{ [ $((freed + missing)) -ge 4000 ] && [ "$freed" -le 4000 ]; } || fail "4000 objects were freed, not $freed"
filp=$(row cache_live_objects '"filp"' text)
{ [ $((filp + missing)) -ge 3000 ] && [ "$filp" -le 5000 ]; } || fail "3000 files are held, and $filp are live"
sums
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"

# The whole system: other processes may have eventfds too.
begin --metrics-top=4000
held_load
[ $((allocated + missing)) -ge 7000 ] || fail "7000 objects were allocated, not $allocated"
[ $((freed + missing)) -ge 4000 ] || fail "4000 objects were freed, not $freed"
sums
grep -q 0xffff text && fail "the text has addresses of the kernel: $(grep 0xffff text)"
[ "$(stat -c %a "$metrics")" = 644 ] || fail "the mode is $(stat -c %a "$metrics")"
"$kmemtraced" -q --no-capture --metrics="$metrics" true 2>second.log && fail "there are two writers"
grep -q 'another kmemtraced writes it' second.log || fail "refused without a reason: $(cat second.log)"
if command -v promtool >/dev/null; then
	promtool check metrics <text >promtool.log 2>&1 || fail "promtool: $(cat promtool.log)"
	cat promtool.log
else
	echo "note: promtool is not installed: the format was not checked by it"
fi
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ -z "$(ls textfile)" ] || fail "left behind: $(ls textfile)"
grep -q 'kmemtrace.prom: [0-9]* events aggregated' daemon.log || fail "no last line: $(cat daemon.log)"

# A row counts from when it is named, and (other) has the rest: few rows, and the sums are right.
begin --metrics-top=5 -p $load
hold 6000
fresh
cp "$metrics" text
[ "$(grep -c '^kmemtrace_function_live_bytes{' text)" -le 11 ] || fail "more than 10 rows and the others"
grep -q '^kmemtrace_cache_live_bytes{cache="filp"' text || fail "a large row is not named: $(cat text)"
live=$(row live_bytes . text)
[ "$(row function_live_bytes . text)" = "$live" ] && [ "$(row cache_live_bytes . text)" = "$live" ] ||
	fail "the live bytes of the rows are not $live"
[ "$(row comm_live_bytes . text)" = "$live" ] || fail "the live bytes of the task names are not $live"
[ "$(row comm_live_bytes "\"$(cat /proc/$load/comm)\"" text)" -gt $((live / 2)) ] ||
	fail "the load does not hold most: $(grep comm_live text)"
stop_daemon KILL
[ -e "$metrics" ] || fail "a killed kmemtraced has removed its file"

# same NAME FILTER SERIES: a number of the report is that of the text
same() {
	[ "$(json "$2")" = "$(row "$1" . text)" ] || fail "$1: the report has $(json "$2"), the text $(row "$1" . text)"
}

# Beside a capture of one process, with packing and type statistics: the same numbers, in each row.
hold 0
# the report would know the last reading of the allocator, which the text does not have
"$kmemtraced" -z --no-audit --publish=memstat --metrics="$metrics" --metrics-interval=100ms --metrics-top=4000 \
	-p $load 2>daemon.log &
daemon=$!
fresh
hold 2000
hold 500
fresh
cp "$metrics" text
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked
same allocated_objects_total .totals.allocations
same allocated_bytes_total .totals.bytes_allocated
same freed_objects_total '.totals | .frees - .frees_unmatched + .missed_frees'
same unmatched_frees_total .totals.frees_unmatched
same live_objects .totals.live_objects
same live_bytes .totals.live_bytes
rows() { # rows BY VIEW: of the report, as in the text
	"$report" "$2" ${3:+"$3"} -l 0 --format=json | jq -r --arg by "$1" '.[.report.view][] |
		select(.allocations > 0) | "\(.[$by]) \(.live_objects) \(.live_bytes) \(.allocations) \(.bytes_allocated) \(.frees + .missed_frees)"' |
		sort
}
values() { # values BY: the same of the text
	awk -v by="$1" '$1 ~ "^kmemtrace_" by "_[a-z_]*{" {
		metric = $0; sub(/{.*/, "", metric); sub("kmemtrace_" by "_", "", metric)
		name = $0; sub(/[^"]*"/, "", name); sub(/".*/, "", name)
		module = $0; if (sub(/.*module="/, "", module)) sub(/".*/, "", module); else module = "kernel"
		if (name ~ /^\(/) next
		if (module != "kernel") name = name " [" module "]"
		value[name, metric] = $NF; names[name] }
	END { for (name in names)
		print name, value[name, "live_objects"], value[name, "live_bytes"], value[name, "allocated_objects_total"],
			value[name, "allocated_bytes_total"], value[name, "freed_objects_total"] }' text | sort
}
rows cache caches >expected
values cache >found
[ -s expected ] || fail "the report has no caches"
diff expected found || fail "the caches differ from those of the report"
rows function sites --by=function | grep -v ' \[\|0x' >expected
values function | sed 's/#[0-9]* / /' | grep -v ' \[\|0x' >found
[ "$(wc -l <expected)" -ge 3 ] || fail "the report has too few functions"
diff expected found || fail "the functions differ from those of the report"

# Estimates are those of the report, with their intervals.
for option in "" --no-capture; do
	"$kmemtraced" --profile=1k $option --metrics="$metrics" --metrics-interval=100ms --metrics-top=4000 \
		-p $load 2>daemon.log &
	daemon=$!
	fresh
	hold 4000
	hold 1000
	hold 7000
	fresh
	cp "$metrics" text
	stop_daemon
	[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
	[ "$(row figures_estimated . text)" = 1 ] || fail "estimates are not marked"
	[ "$(row live_low_bytes . text)" -lt "$(row live_bytes . text)" ] &&
		[ "$(row live_bytes . text)" -lt "$(row live_high_bytes . text)" ] || fail "there is no interval"
	hold 0
	[ -z "$option" ] || continue
	checked
	same allocated_objects_total .totals.allocations
	same allocated_bytes_total .totals.bytes_allocated
	same live_objects .totals.live_objects
	same live_bytes .totals.live_bytes
	same live_low_bytes .estimates.live_bytes_low
	same live_high_bytes .estimates.live_bytes_high
	rows cache caches >expected
	values cache >found
	diff expected found || fail "the estimates of caches differ from those of the report"
	rm -rf kmemtrace.data*
done
echo "estimate: $(row live_low_bytes . text) <= $(row live_bytes . text) <= $(row live_high_bytes . text)"
[ -z "$(ls kmemtrace.data 2>/dev/null)" ] || fail "--no-capture wrote a capture"

# In the directory of another user, with the privilege that this takes.
if [ "$(id -u)" = 0 ]; then
	chown 65534 textfile
	begin -q
	fresh
	stop_daemon
	[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
	[ -z "$(ls textfile)" ] || fail "left behind: $(ls textfile)"
fi
end_files
exit 0
