#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The reports of filters that divide a capture add up to the whole; every record is counted once;
# the header of a report lists its filters.
. "$srcdir/cli/cli.sh"
set -uf

"$mktrace" kmemtrace.data <"$srcdir/cli/views.trace" || exit 1
"$mktrace" unnamed <"$srcdir/cli/unnamed.trace" || exit 1

# Each record counts as one of these.
events="allocations failed frees null_frees resizes left_out own_allocations own_frees unknown"
# Totals that add up for every filter, and totals that add up for filters other than --time.
always="allocations failed frees null_frees bytes_allocated"
objects="$always bytes_requested frees_unmatched missed_frees resizes cross_cpu_frees temporary
	live_objects live_bytes"

# "KEY VALUE" lines of a report's totals; the number of records left out among them.
totals()
{
	"$report" "$@" --format=json >json || exit 1
	awk '/^  "report"|^  "loss"|^  "totals"/ { inside = 1 }
		/^  }/ { inside = 0 }
		inside && $2 ~ /^[0-9]+,?$/ { gsub(/[":,]/, ""); print $1, $2 }' json >figures
	# the first value of a name is that of all CPUs
	awk -v events="$events" '!($1 in figure) { figure[$1] = $2 }
		END {
			count = split(events, event, " ")
			for (i = 1; i <= count; i++)
				sum += figure[event[i]]
			if (sum != figure["recorded"])
				print sum, "records are counted instead of", figure["recorded"]
		}' figures >wrong
	[ -s wrong ] && { echo "$*: $(cat wrong)"; return 1; }
	cat figures
}

last=
# add_up KEYS CAPTURE PART…: the parts, an option and its value each, and the whole.
add_up()
{
	keys=$1
	capture=$2
	shift 2
	if [ "$capture" != "$last" ]; then
		whole=$(totals -i "$capture") || { echo "$whole"; failed=1; return; }
		last=$capture
	fi
	: >parts
	for part; do
		# shellcheck disable=SC2086 # an option, or two
		one=$(totals -i "$capture" $part) || { echo "$one"; failed=1; return; }
		echo "$one" >>parts
	done
	for key in $keys; do
		sum=$(awk -v key="$key" '$1 == key { sum += $2 } END { printf "%d", sum }' parts)
		expected=$(echo "$whole" | awk -v key="$key" '$1 == key { print $2 }')
		[ "$sum" = "$expected" ] ||
			{ echo "$capture: $*: $key: $sum instead of $expected"; failed=1; }
	done
}

for capture in kmemtrace.data unnamed "$srcdir/data/sample"; do
	for size in 0 49 63 64 1000 4095 20000; do
		add_up "$objects" "$capture" --max-size=$size --min-size=$((size + 1))
	done
	add_up "$objects" "$capture" '--site=^[a-m]' '--site=^[^a-m]'
	add_up "$objects" "$capture" --site=0/0x --site='^[^/]*([^0]/[^/]*)?$'
	add_up "$objects" "$capture" '--cache=^.?.?.?.?kmalloc' --cache='^([^kd]|d[^m]|$|k[^m]|km[^a])'
	add_up "$objects" "$capture" --cpu=0 --cpu=1 --cpu=2,3,4-65535
	add_up "$objects" "$capture" --pid=0-16000 --pid=16001-4294967295
	add_up "$objects" "$capture" "--cpu=0 --max-size=50" "--cpu=0 --min-size=51" \
		"--cpu=1-3 --max-size=50" "--cpu=1-3 --min-size=51"
done
add_up "$objects" kmemtrace.data --node=0 --node=1 --cpu=3
add_up "$objects" kmemtrace.data --comm=sh --comm=worker --comm=cat --pid=31
add_up "$objects" kmemtrace.data --pid=10 --pid=20 --pid=31
for at in 0.3 0.301 1.4 1400000001ns 2450ms; do
	add_up "$always" kmemtrace.data --time=,$at --time=$at,
done
add_up "$always" "$srcdir/data/sample" --time=,3ms --time=3ms,7.5ms --time=7.5ms,
for age in 0 1ms 900ms 2h; do
	totals --older=$age >/dev/null || { totals --older=$age; failed=1; }
done

# --older longer than all lifetimes, and --older=0: frees without a known allocation have no age.
# same WHAT VALUE EXPECTED
same()
{
	[ "$2" = "$3" ] || { echo "$1: $2 instead of $3"; failed=1; }
}
figure()
{
	key=$1
	shift
	totals "$@" | awk -v key="$key" '$1 == key { print $2 }'
}
same "older than anything" "$(figure allocations --older=10s)" 0
same "of any age" "$(figure allocations --older=1ns)" "$(figure allocations -i kmemtrace.data)"
same "older than 800 ms" "$(figure allocations --older=800ms)" 12
same "heap at 1.4 s" "$(figure live_bytes --at=1.4)" 36192
same "the same as --time" "$(figure live_bytes --time=,1400ms)" 36192
same "a moment later" "$(figure live_bytes --at=1400000001ns)" 68960
same "the whole" "$(figure live_bytes --at=100h)" "$(figure live_bytes -i kmemtrace.data)"
same "a time behind the end" "$("$report" -v --at=100h sites | grep -c '^ *the capture ends at .* already$')" 1
same "a time before the end" "$("$report" -v --at=1.4 sites | grep -c 'already')" 0

for filter in --time=1,2 --at=1.4 --pid=10 --comm=cat '--site=^send' --cache=dentry --cpu=2 \
	--node=1 --min-size=1k --max-size=50 --older=800ms; do
	echo "--- $filter"
	"$report" -v sites "$filter" |
		sed '/^$/,$d; /^capture/d; /^time/d; /^events/d; /^left out/d'
done >out
compare report-filters.expected out

# merged caches have one name: each of its names selects it; a name that is nearly one is named
"$mktrace" merged <<-END || exit 1
	begin 1us
	cache pid 0xffff888100000100 192 192
	cache filp 0xffff888100000200 232 256
	alias pid cred,other
	alias cred pid,other
	calloc 10us 0 0xffff888000001000 pid 0xffffffff81000010 task=10
	calloc 11us 0 0xffff888000002000 filp 0xffffffff81000010 task=10
	end 1ms
END
for cache in pid '^cred$' oth; do
	same "the alias $cache" "$("$report" sites --cache="$cache" --format=json merged 2>err | jq -c '[.sites[].live_bytes]'; cat err)" '[192]'
done
same "a cache that is not there" "$("$report" sites --cache=fillp merged 2>&1 >/dev/null)" \
	'kmemtrace-report: merged: no object is of a slab cache that matches "fillp": did you mean filp?'
same "an anchored name that is not there" "$("$report" sites --cache='^fillp$' merged 2>&1 >/dev/null)" \
	'kmemtrace-report: merged: no object is of a slab cache that matches "^fillp$": did you mean filp?'

# the same in expressions, of objects and of events; the name of the row stays
for where in 'cache == "cred"' '"cred" == cache' 'cache =~ "^oth"' 'type == "pid"' 'cache != "filp"' 'cache !~ "^fi"'; do
	same "sites where $where" "$("$report" sites --where="$where" --format=json merged 2>err | jq -c '[.sites[].live_bytes]'; cat err)" '[192]'
	same "count where $where" "$("$report" count --by=cache --where="$where" --format=csv merged 2>err | tail -1 | tr -d '\r'; cat err)" 'pid,1,false'
done
for where in 'cache != "cred"' 'cache !~ "cred"' '!(cache == "other")'; do
	same "events where $where" "$("$report" events -F cache --where="$where" --format=csv merged 2>err | tail -1 | tr -d '\r'; cat err)" filp
done
for view in sites leaks count events 'flame --format=folded'; do
	# shellcheck disable=SC2086 # words
	same "$view: a cache that is not there" "$("$report" $view --where='comm == "cat" || cache == "crde"' merged 2>&1 >/dev/null)" \
		'kmemtrace-report: merged: no object is of a slab cache that matches "crde": did you mean cred?'
done
exit $failed
