#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A Prometheus reads the metrics through the textfile collector of node_exporter: no counter is reset,
# the sum of the rows is the total in each reading, and the series end with kmemtraced.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need prometheus prometheus-node-exporter promtool jq

mkdir textfile data
servers=
trap 'stop_daemon; kill $servers 2>/dev/null; wait; cd /; rm -rf "$scratch"' EXIT

# serve NAME COMMAND ARG…: with a free port of this machine as $port; PORT in an argument is it
serve() {
	name=$1
	shift
	for _ in $(seq 20); do
		port=$(shuf -i 20000-29999 -n 1)
		# shellcheck disable=SC2046 # no argument has a space
		$(echo "$@" | sed "s/PORT/$port/") >"$name.log" 2>&1 &
		server=$!
		for _ in $(seq 200); do
			kill -0 $server 2>/dev/null || break
			if ready "$port"; then
				servers="$servers $server"
				return
			fi
			sleep 0.1
		done
		kill $server 2>/dev/null
		wait $server
	done
	skip "$name does not start: $(tail -n 3 "$name.log")"
}

ready() { # something listens there, of which only this server can be the owner
	[ -n "$(awk -v port=":$(printf %04X "$1")" '$2 ~ port "$" && $4 == "0A"' /proc/net/tcp /proc/net/tcp6)" ]
}

serve exporter prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$scratch/textfile" --web.listen-address=127.0.0.1:PORT
exporter=$port
cat >prometheus.yml <<END
scrape_configs:
  - job_name: node
    scrape_interval: 250ms
    scrape_timeout: 250ms
    static_configs: [ { targets: [ "127.0.0.1:$exporter" ] } ]
END
serve prometheus prometheus --config.file=prometheus.yml --storage.tsdb.path=data \
	--web.listen-address=127.0.0.1:PORT
url=http://127.0.0.1:$port

query() { # query EXPRESSION: the value of the only result; none
	promtool query instant -o json "$url" "$1" >result 2>query.log || return
	jq -r 'if length == 1 then .[0].value[1] else "none" end' result
}

# until EXPRESSION: it has a result that is not 0
until_true() {
	for _ in $(seq 150); do
		case $(query "$1") in
		none | 0 | "") sleep 0.2 ;;
		*) return ;;
		esac
	done
	fail "never true: $1: $(cat result query.log prometheus.log textfile/* | tail -n 20)"
}

"$kmemtraced" -q --no-capture --metrics=textfile/kmemtrace.prom --metrics-interval=200ms --metrics-top=5 2>daemon.log &
daemon=$!
until_true 'kmemtrace_allocated_objects_total > 0'
[ "$(query node_textfile_scrape_error)" = 0 ] || fail "the collector refuses the file: $(cat exporter.log)"
mkdir work
for _ in $(seq 4); do
	"$builddir/tests/live/workload" fs 5000 work >/dev/null 2>workload.log || fail "$(cat workload.log)"
	for by in cache function; do
		until_true "count(kmemtrace_${by}_live_bytes) <= bool 11"
	done
done
until_true 'rate(kmemtrace_allocated_objects_total[30s])'
until_true 'count_over_time(kmemtrace_live_bytes[1m]) > 10'
for by in cache function; do
	for figure in allocated_bytes allocated_objects freed_bytes freed_objects; do
		metric=kmemtrace_${by}_${figure}_total
		[ "$(query "max(resets(${metric}[5m]))")" = 0 ] || fail "a row of $metric went backwards"
	done
	for figure in live_bytes live_objects; do
		difference=$(query "sum(kmemtrace_${by}_$figure) - on() kmemtrace_$figure")
		[ "$difference" = 0 ] || fail "the rows of $by differ from $figure by $difference"
	done
done
echo "rate: $(query 'rate(kmemtrace_allocated_objects_total[1m])') objects a second," \
	"CPU $(query 'rate(kmemtrace_cpu_seconds_total[1m])')"
query 'topk(1, delta(kmemtrace_function_live_bytes[1m]))' >growth
[ "$(cat growth)" != none ] || fail "the growth cannot be computed"

# Each query of the dashboard has an answer.
dashboard=$top_srcdir/fleet/grafana/kmemtrace-prometheus.json
jq -r '.panels[].targets[].expr' "$dashboard" | sed 's/\$instance/.*/g; s/\$__rate_interval/10s/g; s/\$__range/1m/g' >expressions
[ "$(wc -l <expressions)" -ge 12 ] || fail "the dashboard has too few queries: $(cat expressions)"
while read -r expression; do
	promtool query instant -o json "$url" "$expression" >result 2>query.log </dev/null ||
		fail "the dashboard's $expression: $(cat query.log)"
	[ "$(jq length result)" -ge 1 ] || fail "the dashboard's $expression has no answer"
done <expressions

# the series end, and do not go on with the last values
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
until_true 'absent(kmemtrace_live_bytes)'
exit 0
