#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A Prometheus reads the metrics through the textfile collector of node_exporter: no counter is reset,
# the sum of the rows is the total in each reading, and the series end with kmemtraced.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need prometheus prometheus-node-exporter promtool jq

mkdir textfile data

# serve NAME COMMAND ARG…: with a free port of this machine as $port; PORT in an argument is it
serve() {
	name=$1
	shift
	for _ in $(seq 20); do
		port=$(shuf -i 20000-29999 -n 1)
		# shellcheck disable=SC2046 # no argument has a space
		$(echo "$@" | sed "s/PORT/$port/") >"$name.log" 2>&1 &
		server=$!
		before_end "kill $server 2>/dev/null; wait $server"
		wait_for "$name" eval 'listens $server $port || ! kill -0 $server'
		listens $server "$port" && return
		echo "$name: port $port: once more: $(tail -n 1 "$name.log")"
	done
	skip "$name does not start: $(tail -n 3 "$name.log")"
}

listens() { # listens PROCESS PORT: the socket that listens there is one of the process
	inode=$(awk -v port=":$(printf %04X "$2")" '$2 ~ port "$" && $4 == "0A" { print $10 }' /proc/net/tcp /proc/net/tcp6)
	[ -n "$inode" ] && find "/proc/$1/fd" -lname "socket:\[$inode\]" 2>/dev/null | grep -q .
}

serve exporter prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$scratch/textfile" --web.listen-address=127.0.0.1:PORT
exporter=$port
cat >prometheus.yml <<END
scrape_configs:
  - job_name: node
    scrape_interval: 500ms
    scrape_timeout: 500ms
    static_configs: [ { targets: [ "127.0.0.1:$exporter" ] } ]
END
serve prometheus prometheus --config.file=prometheus.yml --storage.tsdb.path=data \
	--web.listen-address=127.0.0.1:PORT
url=http://127.0.0.1:$port

query() { # query EXPRESSION: the value of the only result; none
	promtool query instant -o json "$url" "$1" >result 2>query.log || return
	jq -r 'if length == 1 then .[0].value[1] else "none" end' result
}

# has_figure EXPRESSION: it has a result, $figure: it has none after a reading that took too long
has_figure() {
	figure=$(query "$1") && [ "$figure" != none ]
}

is_true() { # is_true EXPRESSION: it has a result that is not 0
	case $(query "$1") in
	none | 0 | "") return 1 ;;
	esac
}

"$kmemtraced" -q --no-capture --metrics=textfile/kmemtrace.prom --metrics-interval=200ms --metrics-top=5 2>daemon.log &
daemon=$!
wait_for "allocations" is_true 'kmemtrace_allocated_objects_total > 0'
wait_for "the state of the collector" has_figure node_textfile_scrape_error
[ "$figure" = 0 ] || fail "the collector refuses the file: $(cat exporter.log)"
mkdir work
for _ in $(seq 4); do
	"$builddir/tests/live/workload" fs 5000 work >/dev/null 2>workload.log || fail "$(cat workload.log)"
	for by in cache function; do
		wait_for "the rows by $by" is_true "count(kmemtrace_${by}_live_bytes) <= bool 11"
	done
done
wait_for 'a rate' is_true 'rate(kmemtrace_allocated_objects_total[5m])'
wait_for '5 readings' is_true 'count_over_time(kmemtrace_live_bytes[5m]) > 4'
for by in cache function; do
	for counter in allocated_bytes allocated_objects freed_bytes freed_objects; do
		metric=kmemtrace_${by}_${counter}_total
		wait_for "$metric" has_figure "max(resets(${metric}[5m]))"
		[ "$figure" = 0 ] || fail "a row of $metric went backwards"
	done
	for gauge in live_bytes live_objects; do
		wait_for "$gauge by $by" has_figure "sum(kmemtrace_${by}_$gauge) - on() kmemtrace_$gauge"
		[ "$figure" = 0 ] || fail "the rows of $by differ from $gauge by $figure"
	done
done
wait_for "the growth" has_figure 'topk(1, delta(kmemtrace_function_live_bytes[5m]))'

# Each query of the dashboard has an answer.
dashboard=$top_srcdir/fleet/grafana/kmemtrace-prometheus.json
jq -r '.panels[].targets[].expr' "$dashboard" | sed 's/\$instance/.*/g; s/\$__rate_interval/5m/g; s/\$__range/5m/g' >expressions
[ "$(wc -l <expressions)" -ge 12 ] || fail "the dashboard has too few queries: $(cat expressions)"
answers() { # answers EXPRESSION
	promtool query instant -o json "$url" "$1" >result 2>query.log || fail "the dashboard's $1: $(cat query.log)"
	[ "$(jq length result)" -ge 1 ]
}
while read -r expression; do
	wait_for "an answer of $expression" answers "$expression" </dev/null
done <expressions

# the series end, and do not go on with the last values
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
wait_for 'the end of the series' is_true 'absent(kmemtrace_live_bytes)'
exit 0
