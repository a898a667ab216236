#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-fleet with real ClickHouse servers: a fleet in SQLite, on one server, on two and on a
# cluster has the same answers, to the byte. Loads and servers that are killed in the middle, and a
# disk that is full, lose nothing and repeat nothing, and each answer until then says what is missing.
# 24 hosts; KMEMTRACE_LONG=1: 1,000 hosts.
. "$srcdir/cli/cli.sh"
# shellcheck source=tests/cli/summaries.bash
. "$srcdir/cli/summaries.bash"
fleet=$builddir/kmemtrace-fleet
# shellcheck source=tests/fleet/clickhouse.sh
. "$srcdir/fleet/clickhouse.sh"
clickhouse_need
loader=
fake=
cleanup()
{
	[ -z "$loader" ] || kill -9 "$loader" 2>/dev/null
	[ -z "$fake" ] || kill "$fake" 2>/dev/null
	clickhouse_stop_all
	mountpoint -q "$scratch/full" && umount -l "$scratch/full"
}
before_end cleanup
for name in lite ch; do
	"$fleet" --db="$([ $name = lite ] && echo lite || echo clickhouse://127.0.0.1:1/x)" init >message 2>&1
	if grep -q 'built without' message; then
		echo "skipped: $(cat message)"
		exit 77
	fi
done

# answer DB QUESTION...: all that is printed, without the name of the store, and the exit status
answer()
{
	local db=$1

	shift
	"$fleet" --db="$db" "$@" 2>stderr
	echo "-> $?"
	sed "s|$db|STORE|" stderr
}

questions=(growth "growth --by=cache" versions "versions 6.12.9-amd64 6.12.12-amd64" outliers
	"outliers --figure=growth" top "top --by=cgroup --kernel=6.12.9-amd64" "top --by=comm --since=3h"
	hosts "hosts --role=db,web" "history host-00009" "hosts --expect=expected")

# same DB WHAT [LITE]: the answers are those of SQLite
same()
{
	local question format

	for question in "${questions[@]}"; do
		for format in text json; do
			# shellcheck disable=SC2086 # words
			answer "${3:-lite}" $question --format=$format >lite.answer
			# shellcheck disable=SC2086 # words
			answer "$1" $question --format=$format >other.answer
			cmp -s lite.answer other.answer ||
				wrong "$2: $question: $(diff lite.answer other.answer)"
		done
	done
}

# number DB SQL: the only number of the answer
number()
{
	"$fleet" --db="$1" --partial --format=csv sql "$2" 2>/dev/null | tail -n 1 | tr -d '\r'
}

# has_rows SERVER DATABASE
has_rows()
{
	[ "$(clickhouse_query "$1" "SELECT count() > 0 FROM $2.intervals_rows")" = 1 ]
}

hosts=24 interval=1800
[ "${KMEMTRACE_LONG:-}" = 1 ] && hosts=1000 interval=600
"$builddir/tests/fleet/hosts" --hosts=$hosts --interval=$interval data >planted || exit 1
summaries=$(sed -n 's/^summaries //p' planted)
printf 'host-00001\nhost-00777\nhost-00005\n' >expected
seq -f host-%05g 0 $((hosts - 1)) >all
seq -f host-%05g 0 47 >all48
clickhouse_start 0 "$scratch/0" || exit 1
clickhouse_start 1 "$scratch/1" || exit 1
one=127.0.0.1:${clickhouse_ports[0]} two=127.0.0.1:${clickhouse_ports[1]}

# the same answers of SQLite, one server and two
says 2 "$one: the database fleet has no tables of a fleet: make them with kmemtrace-fleet init" \
	--db="clickhouse://$one/fleet" load data
says 2 'has no tables of a fleet' --db="clickhouse://$one/fleet" top
for db in lite "clickhouse://$one/fleet" "clickhouse://$one,$two/pair"; do
	says 0 '' --db="$db" init
	says 0 '' --db="$db" init
	says 0 ": $summaries summaries loaded from $hosts files, 0 were there already" --db="$db" load data
	says 0 ": 0 summaries loaded from $hosts files, $summaries were there already" --db="$db" load data
done
same "clickhouse://$one/fleet" "one server"
same "clickhouse://$one,$two/pair" "two servers"
for i in 0 1; do
	on[i]=$(clickhouse_query $i 'SELECT countDistinct(host) FROM pair.figures')
	[ "${on[i]}" -gt 0 ] && [ "${on[i]}" -lt $hosts ] || wrong "server $i has ${on[i]} of $hosts hosts"
done

# figures without their interval, as a load that was killed leaves: all other rows stay as they are
says 0 '' --db="clickhouse://$one/orphan" init
clickhouse_query 0 "INSERT INTO orphan.intervals_rows SELECT * FROM fleet.intervals_rows WHERE NOT (host =
	'host-00001' AND number = 3)"
clickhouse_query 0 'INSERT INTO orphan.figures_rows SELECT * FROM fleet.figures_rows'
for db in lite "clickhouse://$one/orphan"; do
	"$fleet" --db="$db" history host-00001 --format=csv 2>message | sed 2,4d >"rows.${db%%:*}"
done
[ "$(wc -l <rows.lite)" -gt 20 ] && cmp -s rows.lite rows.clickhouse ||
	wrong "figures without an interval: $(diff rows.lite rows.clickhouse)"
"$fleet" --db="clickhouse://$one/orphan" history host-00001 2>&1 | tr -s ' \n' ' ' >message
grep -q 'figures of intervals that are not stored are left out: of 1 ' message ||
	wrong "figures without an interval: $(cat message)"
# no other question counts them: the answers are those of a store that has never seen the interval
says 0 '' --db="clickhouse://$one/unseen" init
for table in intervals figures; do
	clickhouse_query 0 "INSERT INTO unseen.${table}_rows SELECT * FROM fleet.${table}_rows WHERE NOT
		(host = 'host-00001' AND number = 3)"
done
for question in top 'top --by=cache' growth 'growth --by=cache' outliers 'outliers --figure=growth' versions; do
	for db in unseen orphan; do
		# shellcheck disable=SC2086 # words of the command line
		"$fleet" --db="clickhouse://$one/$db" $question --format=json 2>message |
			sed "s/$db/DB/" >"rows.$db"
	done
	[ "$(wc -c <rows.unseen)" -gt 200 ] && cmp -s rows.unseen rows.orphan ||
		wrong "$question counts figures without an interval: $(diff rows.unseen rows.orphan | head -20)"
done

# queries of the user: one server answers as SQLite does; of two, each row names its server
query='SELECT host, kernel, COUNT(*) AS n, SUM(allocated) AS bytes FROM figures GROUP BY host, kernel'
answer lite sql "$query ORDER BY host" >lite.answer
answer "clickhouse://$one/fleet" sql "$query ORDER BY host;" >other.answer
cmp -s lite.answer other.answer || wrong "sql: $(diff lite.answer other.answer)"
answer lite sql "$query" --format=csv | sort >lite.answer
answer "clickhouse://$one,$two/pair" sql "$query" --format=csv | sed -E 's/^(server|127[^,]*),//' |
	sort >other.answer
cmp -s lite.answer other.answer || wrong "sql of two: $(diff lite.answer other.answer)"
for query in 'SELECT 1; SELECT 2' 'SELECT 1 FORMAT JSON'; do
	says 2 "$one: the server refused: " --db="clickhouse://$one/fleet" sql "$query"
done
for query in 'DROP TABLE intervals_rows' 'INSERT INTO intervals_rows SELECT * FROM intervals_rows' \
	'SET readonly = 0' "KILL QUERY WHERE query_id != ''" ' -- a
	DROP TABLE intervals_rows' ''; do
	says 2 'not one question' --db="clickhouse://$one/fleet" sql "$query"
done
says 0 intervals_rows --db="clickhouse://$one/fleet" --partial sql 'SHOW TABLES'
# an answer of many megabytes
[ "$(number "clickhouse://$one/fleet" 'SELECT concat(toString(number), '"'$(printf 'x%0100d' 0)'"') FROM
	system.numbers LIMIT 100000' | tr -d '"')" = "99999$(printf 'x%0100d' 0)" ] || wrong "a large answer"

# names with all kinds of characters, and variances with all digits of a double
mkdir names
for i in 0 1 2; do
	"$builddir/tests/fleet/make_summaries" host$i 0 9 100 4096 >names/$i.kms
done
for db in strange "clickhouse://$one/strange" "clickhouse://$one,$two/strange2"; do
	says 0 '' --db="$db" init
	says 0 '30 summaries' --db="$db" load names
done
questions=("top --by=comm" "top -l 0" "hosts --host=it's,a\\'b")
same "clickhouse://$one/strange" "names of one server" strange
same "clickhouse://$one,$two/strange2" "names of two servers" strange
questions=(growth "history host-00001" hosts)
for db in strange "clickhouse://$one/strange" "clickhouse://$one,$two/strange2"; do
	answer "$db" top --format=csv >csv
	grep -q '^some_kernel_function_98,3,.*,211462824759483432960.000000' csv || wrong "$db: $(cat csv)"
done

# the servers in another order
says 2 'name the servers of a store always in the same order' --db="clickhouse://$two,$one/pair" load data
same "clickhouse://$two,$one/pair" "the other order"

# users and passwords
export KMEMTRACE_CLICKHOUSE_USER=fleet KMEMTRACE_CLICKHOUSE_PASSWORD=not-this-one
says 2 'Wrong password for user fleet: check the user and the password' --db="clickhouse://$one/fleet" top
! grep -q not-this-one message || wrong "a message has the password: $(cat message)"
unset KMEMTRACE_CLICKHOUSE_USER KMEMTRACE_CLICKHOUSE_PASSWORD
printf 'user fleet\npassword secret word\n' >credentials
chmod 644 credentials
says 2 'other users may read or write it' --db="clickhouse://$one/fleet" --credentials=credentials top
chmod 600 credentials
says 0 '2027-01-15' --db="clickhouse://$one/fleet" --credentials=credentials top --partial

# a server that is down, before a question and in its middle
both=clickhouse://$one,$two/pair
clickhouse_kill 1
for question in top growth "history host-00001"; do
	# shellcheck disable=SC2086 # words
	says 1 "$two: no connection" --db="$both" $question
	grep -q '; with --partial, the answer is about the hosts of the others$' message ||
		wrong "$question: $(cat message)"
	[ "$(wc -l <message)" = 1 ] || wrong "$question has an answer: $(cat message)"
done
says 0 "servers   1 of 2 answered: all hosts of $two are missing" --db="$both" top --partial
"$fleet" --db="$both" hosts --partial --format=json >rows 2>message || wrong "$(cat message)"
[ "$(jq -c '[.coverage.servers_missing, .coverage.hosts_seen]' rows)" = "[1,${on[0]}]" ] ||
	wrong "a server is down: $(jq -c .coverage rows)"
says 0 "1 of 2 servers with all their hosts " --db="$both" hosts --partial --format=csv
says 0 "${on[1]} of $hosts hosts and" --db="$both" hosts --partial --format=csv \
	--expect=all
says 2 "$two: no connection" --db="$both" load data
clickhouse_kill 0
says 1 "no connection" --db="$both" top --partial
clickhouse_start 0 "$scratch/0" || exit 1
clickhouse_start 1 "$scratch/1" || exit 1
for partial in "" --partial; do
	halt "${clickhouse_pids[1]}"
	# shellcheck disable=SC2086 # a word, or none
	"$fleet" --db="$both" top $partial >rows 2>message &
	loader=$!
	sleep 0.5 # paced: the question reaches the server
	clickhouse_kill 1
	wait $loader
	status=$?
	loader=
	[ $status = "$([ -n "$partial" ] && echo 0 || echo 1)" ] && grep -q "$two: " message ||
		wrong "killed in a question$partial: exit status $status: $(cat message)"
	[ -z "$partial" ] && [ -s rows ] && wrong "killed in a question: $(cat rows)"
	clickhouse_start 1 "$scratch/1" || exit 1
done
grep -q 'servers   1 of 2 answered' rows || wrong "killed in a question: $(cat rows)"
same "$both" "after the kills"

# an answer that is cut off
mkdir fake
echo cut_rows >fake/mode
python3 "$srcdir/fleet/fake_server.py" fake 2>/dev/null &
fake=$!
wait_for "the fake server" test -s fake/port
says 1 'the server closed the connection too early' --db="clickhouse://127.0.0.1:$(cat fake/port)/f" hosts
echo torn_rows >fake/mode
says 1 'the answer was cut off' --db="clickhouse://127.0.0.1:$(cat fake/port)/f" hosts
kill $fake
wait $fake 2>/dev/null
fake=

# a load is killed in the middle, then one of the servers; then all is loaded
"$builddir/tests/fleet/hosts" --hosts=48 --interval=300 big >planted || exit 1
says 0 '' --db=big.lite load big
for victim in load server; do
	for i in 0 1; do
		clickhouse_query $i 'DROP DATABASE IF EXISTS big'
	done
	says 0 '' --db="clickhouse://$one,$two/big" init
	"$fleet" --db="clickhouse://$one,$two/big" load big >message 2>&1 &
	loader=$!
	wait_for "rows in server 0" has_rows 0 big
	halt "${clickhouse_pids[1]}"
	sleep 0.2 # paced: some rows wait for the server
	if [ $victim = load ]; then
		kill -9 $loader
		wait $loader 2>/dev/null
		kill -CONT "${clickhouse_pids[1]}"
	else
		clickhouse_kill 1
		wait $loader
		status=$?
		[ $status = 2 ] && grep -q "$two: .*: load the same files again to continue$" message ||
			wrong "a server was killed: exit status $status: $(cat message)"
		says 1 "$two: no connection" --db="clickhouse://$one,$two/big" hosts
		clickhouse_start 1 "$scratch/1" || exit 1
	fi
	loader=
	says 1 ' seen of 48 expected' --db="clickhouse://$one,$two/big" hosts \
		--expect=all48
	grep -q " missing: the answer is about the others; kmemtrace-fleet hosts names them" message ||
		wrong "after the kill: $(cat message)"
	says 0 ' were there already' --db="clickhouse://$one,$two/big" load big
	! grep -q ', 0 were there already' message || wrong "nothing was loaded: $(cat message)"
	questions=(top growth hosts)
	same "clickhouse://$one,$two/big" "a killed $victim" big.lite
done

# days are dropped as in SQLite
questions=(top hosts "history host-00003" "growth --by=cache")
for time in 2027-01-15T23:00 2027-01-16T00:30 1d; do
	for db in big.lite "clickhouse://$one,$two/big"; do
		says 0 'are dropped' --db="$db" drop $time
	done
	same "clickhouse://$one,$two/big" "drop $time" big.lite
done
[ "$(number big.lite 'SELECT COUNT(*) FROM intervals WHERE until < 1800057600000000000')" = 0 ] &&
	[ "$(number big.lite 'SELECT COUNT(*) FROM intervals')" -gt 0 ] || wrong "drop"

# hosts are dropped as in SQLite, and can be loaded again
for command in "--host=host-00003,host-00005 drop" "load big"; do
	for db in big.lite "clickhouse://$one,$two/big"; do
		# shellcheck disable=SC2086 # words
		says 0 '' --db="$db" $command
	done
	same "clickhouse://$one,$two/big" "$command" big.lite
	[ "$command" = "load big" ] || ! "$fleet" --db="clickhouse://$one,$two/big" hosts -l 0 | grep -q 'host-0000[35]' ||
		wrong "$command: the hosts are still there"
done

# sums above 2^64 do not wrap around, on a server and over servers
for ((i = 0; i < 2100; i++)); do
	end=$((1800000000000000000 + i * 60000000000))
	printf 'summary %s %s %s 1\nsource large b 1 %s %s\nhost k x 1 1 1 1 -\ncost 1 1\nbound %s 0 0 0 0 0 0\n' \
		$((end - 60000000000)) $end $end $i $i 9007199254740991
	echo "code f kernel c 2 0 9007199254740991 0 0 0 0 2 100"
done | seal >large.kms
sed s/large/larger/ large.kms | grep -v '^end\|^kmemtrace' | seal >larger.kms
questions=(top hosts "history large" "growth --by=cache")
for db in large.lite "clickhouse://$one,$two/large"; do
	says 0 '' --db="$db" init
	says 0 '' --db="$db" load large.kms larger.kms
done
same "clickhouse://$one,$two/large" "large sums" large.lite
says 0 'a figure of 9223372036854775807 stands for that or more' --db="clickhouse://$one,$two/large" top
questions=(top hosts "history host-00003" "growth --by=cache")

# a full disk; it gets space, and all is loaded
if mkdir full && mount -t tmpfs -o size=2m kmemtrace-test full 2>/dev/null; then
	clickhouse_start 2 "$scratch/full" || exit 1
	full=clickhouse://$one,127.0.0.1:${clickhouse_ports[2]}/full
	rm -f big.lite
	"$fleet" --db=big.lite load -q big
	says 0 '' --db="$full" init
	says 2 'o space left on device' --db="$full" load big
	grep -q ': load the same files again to continue$' message || wrong "a full disk: $(cat message)"
	says 1 ' seen of 48 expected' --db="$full" hosts --expect=all48
	mount -o remount,size=300m full
	says 0 ' were there already' --db="$full" load big
	same "$full" "a full disk" big.lite
	clickhouse_kill 2
else
	echo "note: no full disk was tested: only root can mount a small one"
fi

# a cluster: tables on both, loaded by one, and each answers for all
clickhouse_kill 0
clickhouse_kill 1
shard()
{
	echo "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host>" \
		"<port>${clickhouse_native_ports[$1]}</port></replica></shard>"
}
# a row that is not sent at once is missing for a minute
clickhouse_profile='<distributed_directory_monitor_sleep_time_ms>60000</distributed_directory_monitor_sleep_time_ms>'
clickhouse_extra="<remote_servers><wide>$(shard 0)$(shard 1)</wide></remote_servers>"
clickhouse_start 0 "$scratch/0" || exit 1
clickhouse_start 1 "$scratch/1" || exit 1
says 2 'does not have this cluster' --db="clickhouse://$one/wide" --cluster=other init
clickhouse_query 0 'DROP DATABASE wide'
says 0 '' --db="clickhouse://$one,$two/wide" --cluster=wide init
says 0 ', 0 were there already' --db="clickhouse://$one/wide" load data/host-0000*.kms
says 0 " summaries loaded from $hosts files" --db="clickhouse://$one/wide" load data
allocations=$(number lite 'SELECT SUM(allocations) FROM figures')
for i in 0 1; do
	for table in figures_hourly figures_daily; do
		[ "$(clickhouse_query $i "SELECT sum(allocations) FROM wide.$table")" = "$allocations" ] ||
			wrong "cluster: $table of server $i"
	done
	[ "$(clickhouse_query $i 'SELECT count() > 0 FROM wide.figures_local')" = 1 ] ||
		wrong "cluster: no row on server $i"
done
says 0 ": 0 summaries loaded from $hosts files, $summaries were there already" \
	--db="clickhouse://$two/wide" load data
questions=(growth "top --by=cgroup" hosts "history host-00009")
for db in "$one" "$two" "$one,$two"; do
	same "clickhouse://$db/wide" "cluster by $db"
done
clickhouse_kill 1
says 1 "$one: the server refused: " --db="clickhouse://$one/wide" top
says 1 "$one: the server refused: " --db="clickhouse://$one/wide" top --partial
exit $failed
