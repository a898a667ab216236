#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-ship and two real ClickHouse servers: all rows are there, and once; also when all is sent
# again, when a server is killed in the middle of it, and when its disk was full.
. "$srcdir/cli/cli.sh"
[ -x "$builddir/kmemtrace-ship" ] || skip "this build has no kmemtrace-ship (no libcurl)"
# shellcheck source=tests/fleet/clickhouse.sh
. "$srcdir/fleet/clickhouse.sh"
clickhouse_need
follower=
cleanup()
{
	[ -z "$follower" ] || kill "$follower" 2>/dev/null
	clickhouse_stop_all
	mountpoint -q "$scratch/full" && umount -l "$scratch/full"
}
before_end cleanup
make_summaries=$builddir/tests/fleet/make_summaries

# ship STATUS OPTION...: what it says is in the file said
ship()
{
	local expected=$1 status

	shift
	"$builddir/kmemtrace-ship" --max-memory=200M --state=state "$@" >said 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat said)"
}

# The sum of a column over both servers, each asked for the query's one number.
both()
{
	echo $(($(clickhouse_query 0 "$1") + $(clickhouse_query 1 "$1")))
}

# equals TEXT EXPECTED ACTUAL
equals()
{
	[ "$2" = "$3" ] || wrong "$1: $3, not $2"
}

# The rows and sums of the views, which must be those of HOSTS hosts with LAST + 1 summaries of ROWS rows.
has_all()
{
	local what=$1 hosts=$2 last=$3 rows=$4 sum

	# (1 + ... + rows) * (1 + ... + (last + 1)) allocations a host
	sum=$((hosts * (rows * (rows + 1) / 2) * ((last + 1) * (last + 2) / 2)))
	equals "$what: intervals" $((hosts * (last + 1))) "$(both 'SELECT count() FROM fleet.intervals')"
	equals "$what: figures" $((hosts * (last + 1) * rows)) "$(both 'SELECT count() FROM fleet.figures')"
	equals "$what: allocations" $sum "$(both 'SELECT sum(allocations) FROM fleet.figures')"
	equals "$what: hourly" $sum "$(both 'SELECT sum(allocations) FROM fleet.figures_hourly')"
	equals "$what: daily" $sum "$(both 'SELECT sum(allocations) FROM fleet.figures_daily')"
}

clickhouse_start 0 "$scratch/0" || exit 1
clickhouse_start 1 "$scratch/1" || exit 1
servers=127.0.0.1:${clickhouse_ports[0]},127.0.0.1:${clickhouse_ports[1]}
to=--to=clickhouse://$servers/fleet

mkdir files
for i in 0 1 2 3 4 5 6 7; do
	"$make_summaries" "host$i" 0 59 60 >files/$i.kms
done
ship 2 "$to" files
grep -q ': make the database and its tables with --init (code 81)$' said || wrong "no tables: $(cat said)"
ship 0 "$to" --init
ship 0 "$to" --init files
grep -qF "sent 480 summaries" said || wrong "$(cat said)"
has_all first 8 59 60
for i in 0 1; do
	hosts=$(clickhouse_query $i 'SELECT countDistinct(host) FROM fleet.figures')
	[ "$hosts" -gt 0 ] && [ "$hosts" -lt 8 ] || wrong "server $i has $hosts of 8 hosts"
done
equals names 'a\tname\\with\n49\'"'"' '$'\xff' \
	"$(clickhouse_query 0 "SELECT DISTINCT function FROM fleet.figures WHERE kind = 'comm'")"
equals facts '6.1.0-30-amd64 x86_64 web 8 17179869184 268435456 134217728 1003 60000000000' \
	"$(for i in 0 1; do clickhouse_query $i "SELECT kernel, arch, role, cpus, memory, slab_reclaimable, slab_unreclaimable, recorded, until - begin FROM fleet.intervals WHERE host = 'host3' AND number = 3"; done | tr '\t' ' ')"

# the same again: as after a lost state file
rm state
ship 0 "$to" files
grep -qF "sent 480 summaries" said || wrong "$(cat said)"
has_all again 8 59 60

# a server is killed in the middle of it, and comes back
for i in 0 1 2 3 4 5 6 7; do
	"$make_summaries" "host$i" 0 119 400 >files/$i.kms
done
for i in 0 1; do
	clickhouse_query $i 'DROP DATABASE fleet'
done
rm state
ship 0 "$to" --init
"$builddir/kmemtrace-ship" --max-memory=200M --state=state --max-wait=500ms --give-up=2m "$to" files \
	>said 2>&1 &
follower=$!
some_rows()
{
	[ "$(clickhouse_query 0 'SELECT count() > 10000 FROM fleet.figures_rows')" = 1 ]
}
wait_for "rows in the server" some_rows
clickhouse_kill 0
sleep 1 # paced: it tries again meanwhile
kill -0 $follower 2>/dev/null || wrong "it ended before the server came back: $(cat said)"
clickhouse_start 0 "$scratch/0" || exit 1
wait $follower
status=$?
follower=
equals "killed: exit status" 0 $status
has_all killed 8 119 400
equals "killed: messages" 1 "$(grep -c 'answers again' said)"
grep -q 'sent 960 summaries' said || wrong "killed: $(cat said)"

# users: a wrong password, and the right one
export KMEMTRACE_CLICKHOUSE_USER=fleet KMEMTRACE_CLICKHOUSE_PASSWORD=wrong
"$make_summaries" late 0 0 5 >files/late.kms
ship 2 "$to" files
grep -q 'Wrong password for user fleet: check the user and the password (code 193)$' said ||
	wrong "wrong password: $(cat said)"
KMEMTRACE_CLICKHOUSE_PASSWORD='secret word'
ship 0 "$to" files
unset KMEMTRACE_CLICKHOUSE_USER KMEMTRACE_CLICKHOUSE_PASSWORD

# days that are older than the retention go, the sums of days stay
daily=$(both 'SELECT sum(allocations) FROM fleet.figures_daily')
ship 0 "$to" --retention=1h
equals retention 0 "$(both 'SELECT count() FROM fleet.figures')"
equals "retention: intervals" 0 "$(both 'SELECT count() FROM fleet.intervals')"
equals "retention: daily" "$daily" "$(both 'SELECT sum(allocations) FROM fleet.figures_daily')"

# a cluster of the two: sent to one of them, rows are on both, and each shows all
clickhouse_kill 0
clickhouse_kill 1
shard()
{
	echo "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host>" \
		"<port>${clickhouse_native_ports[$1]}</port></replica></shard>"
}
# a row that is not sent at once is missing for a minute
clickhouse_profile='<distributed_directory_monitor_sleep_time_ms>60000</distributed_directory_monitor_sleep_time_ms>'
clickhouse_extra="<remote_servers><pair>$(shard 0)$(shard 1)</pair></remote_servers>"
clickhouse_start 0 "$scratch/0" || exit 1
clickhouse_start 1 "$scratch/1" || exit 1
rm -f state files/*
ship 0 "--to=clickhouse://$servers/pair" --init --cluster=pair
for again in 1 2 2; do
	rm -f state
	for i in 0 1 2 3 4 5 6 7; do
		"$make_summaries" "host$i" 0 $((again * 10 - 1)) 20 >files/$i.kms
	done
	ship 0 "--to=clickhouse://127.0.0.1:${clickhouse_ports[0]}/pair" files
	for i in 0 1; do
		equals "cluster $again, server $i" $((1600 * again)) \
			"$(clickhouse_query $i 'SELECT count() FROM pair.figures')"
		equals "cluster $again, server $i: hourly" $((8 * 210 * 10 * again * (10 * again + 1) / 2)) \
			"$(clickhouse_query $i 'SELECT sum(allocations) FROM pair.figures_hourly')"
		local_rows=$(clickhouse_query $i 'SELECT count() FROM pair.figures_local FINAL')
		[ "$local_rows" -gt 0 ] && [ "$local_rows" -lt $((1600 * again)) ] ||
			wrong "cluster: server $i has $local_rows rows"
	done
done
ship 0 "--to=clickhouse://$servers/pair" --retention=1h
equals "cluster: retention" 0 "$(clickhouse_query 0 'SELECT count() FROM pair.figures')"

# a full disk
if ! mkdir full || ! mount -t tmpfs -o size=4m kmemtrace-test full 2>/dev/null; then
	echo "note: no full disk was tested: only root can mount a small one"
	exit $failed
fi
clickhouse_extra=
clickhouse_start 2 "$scratch/full" || exit 1
rm -f state files/*
for i in 0 1 2 3; do
	"$make_summaries" "host$i" 0 99 400 >files/$i.kms
done
to=--to=clickhouse://127.0.0.1:${clickhouse_ports[2]}/fleet
ship 0 "$to" --init
"$builddir/kmemtrace-ship" --max-memory=200M --state=state --max-wait=500ms --give-up=2m "$to" files \
	>said 2>&1 &
follower=$!
wait_for "a full disk" grep -q refused said
grep -q 'the server refused: .*[Nn]o space left on device (code [0-9]*)$' said || wrong "full: $(cat said)"
sleep 1 # paced: it tries again meanwhile
mount -o remount,size=200m full
wait $follower
equals "full: exit status" 0 $?
follower=
equals "full: figures" $((4 * 100 * 400)) "$(clickhouse_query 2 'SELECT count() FROM fleet.figures')"
equals "full: hourly" $((4 * 80200 * 5050)) \
	"$(clickhouse_query 2 'SELECT sum(allocations) FROM fleet.figures_hourly')"
equals "full: messages" 3 "$(wc -l <said)"
exit $failed
