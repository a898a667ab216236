# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# A store of summaries of 10, 100 and 1,000 hosts, in SQLite and in ClickHouse: rows loaded a second,
# bytes a row, and the time of each question, also drawn against the number of hosts. Sourced by
# bench/run.

space_fleet=(6000 300)
about_fleet="load rate, size and time of each question of a fleet's store, by number of hosts"

fleet_questions=(growth versions outliers top hosts history)
fleet_interval=60 # s
fleet_rows=40	 # of a summary

# fleet_rate METRIC DIVIDEND: a sample of DIVIDEND a second of the measured command
fleet_rate()
{
	sample fleet "$name" "$tool" "$1" "$(divide "$(($2 * 1000000000))" "$(value "$measured" wall_ns)" 0)"
}

# fleet_ask STORE QUESTION WORD…
fleet_ask()
{
	local store=$1 question=$2 status=0

	shift 2
	# exit status 1: hosts or intervals are missing, as planned
	measure "$build/kmemtrace-fleet" --db="$store" "$question" "$@" --format=json || status=$?
	[ "$status" -le 1 ] || could_not "fleet: $tool: $question: $(tail -n 1 "$log")"
	command_line fleet "$tool, $question" "$build/kmemtrace-fleet" --db=STORE "$question" "$@" --format=json
	sample fleet "$name" "$tool" "${question}_s" \
		"$(divide "$(value "$measured" wall_ns)" 1000000000 4)"
}

# fleet_size STORE: the bytes of all files of the store
fleet_size()
{
	if [ "$tool" = SQLite ]; then
		cat "$1"* | wc -c
	else
		clickhouse_query 0 "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'fleet' AND table LIKE 'figures_rows'"
	fi
}

# fleet_store STORE: loads the summaries of $hosts hosts in $scratch/hosts, and asks
fleet_store()
{
	local store=$1 question

	measure "$build/kmemtrace-fleet" --db="$store" init || could_not "fleet: $tool: $(tail -n 1 "$log")"
	measure "$build/kmemtrace-fleet" -q --db="$store" load "$scratch/hosts" ||
		could_not "fleet: $tool: load: $(tail -n 1 "$log")"
	fleet_rate rows_s "$rows"
	sample fleet "$name" "$tool" bytes_row "$(divide "$(fleet_size "${store#*://}")" "$rows" 2)"
	sample fleet "$name" "$tool" host_day_bytes \
		"$(divide "$(($(fleet_size "${store#*://}") * 24))" "$((hosts * fleet_hours))" 0)"
	for question in "${fleet_questions[@]}"; do
		case $question in
		versions) fleet_ask "$store" versions 6.1.0-21-amd64 6.12.9-amd64 ;;
		history) fleet_ask "$store" history host-00003 ;;
		*) fleet_ask "$store" "$question" ;;
		esac
	done
}

fleet_clickhouse()
{
	# shellcheck source=tests/fleet/clickhouse.sh
	. "$top/tests/fleet/clickhouse.sh"
	if ! PATH=$PATH:/usr/sbin command -v clickhouse-server >/dev/null; then
		absent fleet ClickHouse "clickhouse-server is not installed"
		return
	fi
	clickhouse_start 0 "$scratch/clickhouse" >"$log" 2>&1 || could_not "fleet: $(tail -n 1 "$log")"
	fleet_store "clickhouse://127.0.0.1:${clickhouse_ports[0]}/fleet"
	clickhouse_kill 0
	rm -rf "$scratch/clickhouse"
}

# The times of each question: a bar of the number of hosts, ten characters for each factor of ten
# above a millisecond.
fleet_drawing()
{
	awk -F '\t' '$1 == "fleet" && $4 ~ /_s$/ && $4 != "rows_s" {
			key = sprintf("%-10s %-10s", $4, $3)
			sum[key, $2] += $5
			count[key, $2]++
			keys[key]
			names[$2]
		}
		END {
			for (key in keys)
				for (name in names) {
					if (!count[key, name])
						continue
					value = sum[key, name] / count[key, name]
					length_ = value > 0.001 ? int(10 * log(value * 1000) / log(10) + 0.5) : 0
					bar = ""
					while (length(bar) < length_)
						bar = bar "#"
					printf "%s %6d hosts %9.3f s %s\n", key, name, value, bar
				}
		}' "$results/samples" | sort -k1,2 -k3,3n
}

bench_fleet()
{
	local name hosts rows round tool fleet_hours

	fleet_hours=$(sized 6 1)
	for name in 10 $(sized '100 1000' ''); do
		hosts=$name
		rm -rf "$scratch/hosts"
		"$build/tests/fleet/hosts" --hosts="$hosts" --hours=$fleet_hours --interval=$fleet_interval \
			--rows=$fleet_rows "$scratch/hosts" >"$log" || could_not "fleet: $(tail -n 1 "$log")"
		rows=$(cat "$scratch"/hosts/*.kms | grep -c '^code ')
		sample fleet "$name" "files of summaries" bytes_row \
			"$(divide "$(cat "$scratch"/hosts/*.kms | wc -c)" "$rows" 2)"
		for ((round = 0; round < $(at_most 3); round++)); do
			tool=SQLite
			fleet_store "$scratch/fleet.db"
			rm -f "$scratch"/fleet.db*
			tool=ClickHouse
			fleet_clickhouse
		done
	done
	rm -rf "$scratch/hosts"
	{
		echo "Time of each question of a fleet; ten characters are a factor of ten, from 1 ms on"
		fleet_drawing
	} >"$results/drawing"
}
