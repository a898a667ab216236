#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-fleet: the answers of a small fleet, its filters and formats; wrong arguments, files and
# stores; a store that is locked, read-only, full or damaged; a load that is killed and repeated.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
# shellcheck source=tests/cli/summaries.bash
. "$srcdir/cli/summaries.bash"
pid=""
before_end '[ -z "$pid" ] || kill -9 $pid 2>/dev/null'
fleet=$builddir/kmemtrace-fleet

# run ARGUMENT...: the command, what it prints, and its exit status, for comparison
run()
{
	echo "--- kmemtrace-fleet $*"
	"$fleet" "$@" 2>&1
	echo "-> $?"
	echo
}

# number SQL: the only number of the answer
number()
{
	"$fleet" --db="$1" --partial --format=csv sql "$2" 2>/dev/null | tail -n 1 | tr -d '\r'
}

# same ONE OTHER: both stores have the same rows
same()
{
	local table store

	for table in intervals figures; do
		for store in "$1" "$2"; do
			"$fleet" --db="$store" --partial --format=csv sql "SELECT * FROM $table
				ORDER BY host, boot, run, number$([ $table = intervals ] ||
				echo ', kind, function, module, cache')" >rows."$store" 2>/dev/null
		done
		[ "$(wc -l <rows."$1")" -gt 10 ] || wrong "$1: $(cat rows."$1")"
		cmp -s rows."$1" rows."$2" || wrong "$1 and $2 have other $table"
	done
}

"$fleet" --db=store init 2>message || {
	cat message
	grep -q 'built without SQLite' message && exit 77
	exit 1
}

hosts=$builddir/tests/fleet/hosts
"$hosts" --hosts=12 --interval=1800 --rows=6 data >planted || exit 1
"$hosts" --hosts=12 --interval=1800 --rows=6 --stream stream.kms >planted2 || exit 1
cmp planted planted2 || wrong "one file has other figures"

{
	cat planted
	run --db=store load data
	run --db=store load data stream.kms
	run --db=store growth
	run --db=store growth --format=json
	run --db=store growth --by=cache --format=csv --partial
	run --db=store growth --role=db --legend
	run --db=store versions
	run --db=store versions 6.12.9-amd64 6.12.12-amd64
	run --db=store outliers
	run --db=store top --by=cgroup --kernel=6.12.9-amd64
	run --db=store top --since=2h --format=json
	run --db=store top -l 2 --time=2027-01-15T10:00,2027-01-15T12:00
	run --db=store hosts --host=host-00009,host-00011
	run --db=store history host-00009
	run --db=store history host-99999
	run --db=store sql 'SELECT role, COUNT(*) AS n, AVG(lost) FROM intervals GROUP BY role'
	run --db=store sql "SELECT host FROM intervals WHERE host = ''"
	printf '# the fleet\nhost-00003\nhost-00004\nhost-00777\n\nhost-00003\n' >expected
	run --db=store hosts --expect=expected -l 1
	run --db=store hosts --expect=expected -l 1 --partial --format=csv
	run --db=store hosts --expect=expected --host=host-00003,host-00004
} >out
compare fleet.expected out

# one file of all hosts and a file of each are the same, loaded once or twice
says 0 '573 summaries loaded from 1 file, 0 were there' --db=other load stream.kms
same store other

# wrong usage
says 2 '--db is missing' growth
says 2 'there is no such command: did you mean growth?' --db=store grwth
says 2 'a command is missing' --db=store
says 2 'load takes these arguments' --db=store load
says 2 'growth takes no argument' --db=store growth host-00001
says 2 'versions takes two versions' --db=store versions 6.1
says 2 'neither a date' --db=store growth --since=yesterday
says 2 'is not A,B' --db=store growth --time=1h
says 2 'is not a probability' --db=store growth --error-rate=2
says 2 'hosts has no groups' --db=store hosts --by=cache
says 2 'is for the question outliers' --db=store growth --figure=failed
says 2 'filters and formats are for questions' --db=store load --since=1h data
says 2 'leave out --host' --db=store history --host=a b
says 2 'nothing: No such file' --db=store growth --expect=nothing
: >empty
says 2 'it names no host' --db=store growth --expect=empty
says 2 '--cluster and --replicated are for the command init' --db=store --cluster=c growth
says 2 '--replicated needs --cluster=NAME' --db=store --replicated init
says 2 '--cluster is for ClickHouse' --db=store --cluster=c init
says 2 'neither a date' --db=store drop yesterday
says 2 'is not a duration above 0' --db=store --timeout=never growth
if "$fleet" --db=clickhouse://localhost:1/fleet growth 2>&1 | grep -q 'built without libcurl'; then
	says 2 'built without libcurl, which ClickHouse needs' --db=clickhouses://localhost/fleet init
else
	says 1 'no connection: is a ClickHouse server running there' --db=clickhouse://127.0.0.1:1/f growth
	says 2 'no connection: is a ClickHouse server running there' --db=clickhouse://127.0.0.1:1/f init
	says 2 'a user and a password do not belong in the address' --db=clickhouse://u:secret@h/f top
	! grep -q secret message || wrong "a password is in a message: $(cat message)"
	says 2 'the database is missing' --db=clickhouse://h load data
fi

# questions of the user change nothing, whatever the store is
for query in 'DELETE FROM runs' 'SELECT 1; DELETE FROM runs' 'PRAGMA user_version = 7' 'ATTACH "x" AS x' \
	'DROP VIEW figures' 'KILL QUERY WHERE 1' 'selected' '/**/ DROP VIEW figures' ''; do
	says 2 'not one question' --db=store sql "$query"
done
says 0 '(1)' --db=store --partial sql ' sElect(1)'
says 2 'no such table: hours' --db=store sql 'SELECT * FROM hours'
same store other

# what no host can have would be in the sums about all
cp store far
says 1 'far.kms: a summary is not loaded: it has a time or a figure that no host can have' --db=far load "$srcdir/cli/far.kms"
same store far

# answered ANSWER: a server that answers each question with this, is not believed
answered()
{
	local question server

	# shellcheck disable=SC2059 # with \t and \n
	printf "$1" >fake/answer
	server=127.0.0.1:$(cat fake/port)
	for question in top growth outliers 'versions a b' hosts 'history host-00001'; do
		# shellcheck disable=SC2086 # words
		says 2 "$server: not the answer that was asked for" --db="clickhouse://$server/f" $question
	done
}
if ! "$fleet" --db=clickhouse://localhost:1/f growth 2>&1 | grep -q 'built without libcurl' &&
	python3 -c 'import http.server, ssl' 2>/dev/null; then
	mkdir fake
	echo file >fake/mode
	python3 "$srcdir/fleet/fake_server.py" fake 2>/dev/null &
	pid=$!
	wait_for "the fake server" test -s fake/port
	answered 'a\tb\nString\tString\nx\ty\n'
	answered 'host\tend\nString\tUInt64\nweb\t12 hours\n'
	answered 'host\tend\nString\tUInt64\nweb\t123456789012345678901\n'
	# servers that send a byte now and then
	for mode in trickle slow; do
		echo $mode >fake/mode
		says 1 'no whole answer in time' --timeout=2s --db="clickhouse://127.0.0.1:$(cat fake/port)/f" hosts
	done
	kill $pid
	wait $pid 2>/dev/null
	pid=""
else
	echo "python3 or libcurl is missing: no server that sends anything"
fi

# old days go: those that ended before the day of a time, or of an age before now
cp store dropped
says 0 'the days before 2027-01-15 are dropped' --db=dropped drop 2027-01-15T23:59
same store dropped
says 0 'the days before 2027-01-16 are dropped' --db=dropped drop 2027-01-16T00:00:01
[ "$(number dropped 'SELECT COUNT(*) FROM intervals WHERE until < 1800057600000000000')" = 0 ] &&
	[ "$(number dropped 'SELECT COUNT(*) FROM intervals')" = "$(number store \
		'SELECT COUNT(*) FROM intervals WHERE until >= 1800057600000000000')" ] &&
	[ "$(number dropped 'SELECT COUNT(*) FROM figures')" = "$(number store \
		'SELECT COUNT(*) FROM figures WHERE until >= 1800057600000000000')" ] ||
	wrong "drop: $(number dropped 'SELECT MIN(until) FROM intervals')"
says 0 'are dropped' --db=dropped drop 1d
says 0 'were there already' --db=dropped load data stream.kms
same store dropped

# files that cannot be loaded, or not all of them
says 1 'nothing: No such file' --db=new load nothing
says 1 'new' --db=new load /dev/null
says 2 'no file of summaries is there' --db=new load "$(mkdir none && echo none)"
head -c 3000 data/host-00001.kms >torn.kms
says 1 'torn.kms: ' --db=new load torn.kms
says 1 'store: ' --db=new load store
[ "$(number new 'SELECT COUNT(*) FROM intervals')" -gt 0 ] || wrong "nothing of torn.kms is loaded"
says 0 '48 summaries' --db=whole load data/host-00001.kms
says 0 'were there already' --db=new load data/host-00001.kms
same new whole

# stores that cannot be used
says 2 'no such store: load summaries' --db=missing growth
says 2 'Is a directory' --db=data growth
says 2 'not a store of a fleet' --db=planted growth
says 2 'not a store of a fleet' --db=planted load data
cp whole later
printf '\0\0\0\7' | dd of=later bs=1 seek=60 conv=notrunc 2>/dev/null
says 2 'use a later version of kmemtrace' --db=later growth
cp whole foreign
printf '\0\0\0\7' | dd of=foreign bs=1 seek=68 conv=notrunc 2>/dev/null
says 2 'not a store of a fleet' --db=foreign load data
# damage anywhere ends with a message, or changes nothing
size=$(stat -c %s whole)
for ((offset = 0; offset < size; offset += 4093)); do
	cp whole damaged
	printf '\377\377\377\377\377\377\377\377' | dd of=damaged bs=1 seek=$offset conv=notrunc 2>/dev/null
	for question in growth hosts "load data/host-00002.kms"; do
		# shellcheck disable=SC2086 # words
		"$fleet" --db=damaged $question >message 2>&1
		status=$?
		[ $status -le 2 ] || wrong "damage at $offset, $question: exit status $status"
		[ $status != 2 ] || grep -q 'kmemtrace-fleet: damaged: ' message ||
			wrong "damage at $offset, $question: $(cat message)"
	done
done
head -c $((size / 2)) whole >cut
says 2 'the file is damaged' --db=cut top

# a store that may only be read answers, and cannot be loaded into
mkdir shut
cp whole shut/store
chmod 444 shut/store
chmod 555 shut
as_other=""
[ "$(id -u)" = 0 ] && {
	chmod 755 .
	as_other="setpriv --reuid=65534 --regid=65534 --clear-groups"
}
if [ -z "$as_other" ] || $as_other test -x "$fleet" -a -r shut/store 2>/dev/null; then
	$as_other "$fleet" --db=shut/store top >message 2>&1 || wrong "read-only: $(cat message)"
	$as_other "$fleet" --db=shut/store load data >message 2>&1 && wrong "a read-only store was changed"
	grep -q 'it may only be read' message || wrong "read-only: $(cat message)"
fi
chmod 755 shut

# a load is stopped in a transaction: the store is locked; then it is killed, and repeated
"$hosts" --hosts=60 --interval=600 big >/dev/null || exit 1
"$fleet" --db=killed load -q data/host-00001.kms || wrong "load"
before=$(number killed 'SELECT COUNT(*) FROM intervals')
cp killed one-host
for ((try = 1; try <= 20; try++)); do
	"$fleet" --db=killed load -q big &
	pid=$!
	until [ -e killed-journal ] || ! kill -0 $pid 2>/dev/null; do :; done
	halt $pid 2>/dev/null
	[ ! -e killed-journal ] || break
	echo "the load ended before it was stopped, try $try"
	wait $pid
	cp one-host killed
done
[ -e killed-journal ] || fail "no load was stopped"
says 2 'another program writes to it' --db=killed load data/host-00002.kms
[ "$(number killed 'SELECT COUNT(*) FROM intervals')" = "$before" ] ||
	wrong "a question to a locked store"
kill -9 $pid
wait $pid 2>/dev/null
pid=""
[ "$(number killed 'SELECT COUNT(*) FROM intervals')" = "$before" ] ||
	wrong "the killed load has left a part"
says 0 'were there already' --db=killed load big
rm -f once
"$fleet" --db=once load -q data/host-00001.kms big || wrong "load"
same killed once

# a disk without space: what was there stays
if unshare -rm true 2>/dev/null; then
	mkdir small
	# shellcheck disable=SC2016 # the shell inside expands it
	unshare -rm sh -c 'mount -t tmpfs -o size=600k none small && cp whole small/store &&
		{ "$1" --db=small/store load big 2>message; status=$?
		"$1" --db=small/store hosts --format=csv >rows 2>&1
		exit $status; }' sh "$fleet"
	status=$?
	[ $status = 2 ] || wrong "full disk: exit status $status: $(cat message)"
	grep -q 'no space is left' message || wrong "full disk: $(cat message)"
	"$fleet" --db=whole hosts --format=csv 2>&1 | cmp -s - rows || wrong "full disk: $(cat rows)"
fi
exit $failed
