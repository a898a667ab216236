#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --proc-mem: the events of a process have the memory that /proc/PID/statm has, before and
# after it grew by a known number of pages; none has a memory after the process has ended. kmemtraced
# is confined meanwhile. Without an interval there is a reading at the begin and one at the end;
# without --proc-mem there is none, and null.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"

statm() { # size rss shr txt data
	awk '{ print $1, $2, $3, $4, $6 }' "/proc/$1/statm"
}

expect() { # expect SAID
	read -r said <&"${occupy[0]}" || fail "occupy has ended"
	[ "$said" = "$1" ] || fail "occupy said $said instead of $1"
}

go_on() {
	echo >&"${occupy[1]}"
}

readings() { # readings NUMBER
	[ "$(grep -c reading kmemtrace.data/kernel/process_memory)" -ge "$1" ]
}

three_readings() { # all processes are then read after this function was called
	wait_for "three readings" readings $(($(grep -c reading kmemtrace.data/kernel/process_memory) + 3))
}

coproc occupy { exec "$builddir/tests/live/occupy" 1000 5000; }
process=$!
expect mapped
first=$(statm $process)
start_daemon -v --proc-mem=20ms
three_readings
go_on
expect piped
go_on
expect mapped
second=$(statm $process)
three_readings
go_on
expect piped
go_on
wait $process
three_readings
# events of others, after its end
for _ in 1 2 3; do ls / >/dev/null; done
stop_daemon
[ "$status" = 0 ] || fail "kmemtraced: exit $status: $(cat daemon.log)"
"$check" -q kmemtrace.data || fail "kmemtrace-check: $("$check" kmemtrace.data)"

# a reading may find the process while it grows; while it exits, it has no memory any more
columns='proc_mem_size(),proc_mem_rss(),proc_mem_shr(),proc_mem_txt(),proc_mem_data()'
"$report" events --format=csv --where="pid == $process && proc_mem_size() != 0" -F "$columns" \
	2>/dev/null | tr , ' ' | tr -d '\r' | sed 1d | sed -n '1p;$p' >values
printf '%s\n%s\n' "$first" "$second" >truth
diff -u truth values || fail "values of the events"
grown=$(($(tail -n 1 truth | cut -d ' ' -f 1) - $(head -n 1 truth | cut -d ' ' -f 1)))
[ $grown = 5000 ] || fail "size grew by $grown pages"
# no value is older than the longest time from the begin of a reading to the end of the next one
gap=$(awk '$1 == "reading" { if (last && $3 - last > gap) gap = $3 - last; last = $2 } END { printf "%.0f", gap }' \
	kmemtrace.data/kernel/process_memory)
old=$("$report" count --format=csv --where="pid == $process" --max='proc_mem_age()' |
	tr -d '\r' | sed 1d | cut -d , -f 2)
[ "$old" -le "$gap" ] || fail "a value was $old ns old, two readings took $gap ns"
last=$("$report" events --format=csv -F "proc_mem_rss_pid($process),proc_mem_rss_pid($$) > 0" 2>/dev/null |
	tr -d '\r' | tail -n 1)
[ "$last" = ,true ] || fail "after the end: $last"

"$kmemtraced" -q --proc-mem -o twice -- sleep 0.3 || fail "exit $?" # paced: what is captured
[ "$(grep -c ^reading twice/kernel/process_memory)" = 2 ] || fail "$(grep reading twice/kernel/process_memory)"
"$kmemtraced" -q -o never -- sleep 0.1 || fail "exit $?" # paced: what is captured
[ ! -e never/kernel/process_memory ] || fail "readings without --proc-mem"
known=$("$report" count never --format=csv --count='proc_mem_rss()' | tr -d '\r' | sed 1d | cut -d , -f 2)
[ "$known" = 0 ] || fail "$known values without --proc-mem"
