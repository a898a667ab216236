#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-fleet: small fleets whose answer is known. A leak is found in any length of time; figures
# that could not be tested or compared never look like good news; the time of day does not look like a
# change that came with a version; dead hosts and wrong clocks are named, and hide no other host.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
fleet=$builddir/kmemtrace-fleet
"$fleet" --db=probe init >message 2>&1 || {
	cat message
	grep -q 'built without SQLite' message && exit 77
	exit 1
}

# make_store NAME: a store of the lines that awk prints. They begin at T, a midnight; random() is from
# 0 to 1; day(TIME) from -1 to 1 and back once a day; line() begins one, of a run from its begin on.
make_store()
{
	{
		cat <<'AWK'
function random() { seed = (seed * 16807 + 12345) % 2147483647; return seed / 2147483647 }
function day(time) { return sin(6.283185307 * (time % 86400) / 86400) }
function line(host, role, kernel, run, number, begin, end) {
	printf "%s %s %s %d %d %d %d 1000 0 0 0 0", host, role, kernel, run, number, begin, end
}
function row(name, allocated, freed) { printf " %s %d %d 64000", name, allocated, freed }
BEGIN { T = 1800057600; H = 3600; D = 86400; seed = 7
AWK
		cat
		echo '}'
	} >program.awk
	awk -f program.awk | "$builddir/tests/fleet/make_blocks" >blocks.kms || exit 1
	rm -f "$1"
	"$fleet" --db="$1" load -q blocks.kms || wrong "load: exit status $?"
}

# ask STATUS STORE QUESTION...: the answer in JSON and as text
ask()
{
	local expected=$1 store=$2 status

	shift 2
	"$fleet" --db="$store" "$@" --format=json >answer 2>message
	status=$?
	[ $status = "$expected" ] || wrong "$store: $*: exit status $status, not $expected: $(cat message)"
	# one line, as a reader of the text sees it
	"$fleet" --db="$store" "$@" 2>&1 | tr -s ' \n' ' ' >text
}

# has FILTER VALUE: jq prints this of the answer
has()
{
	local value

	value=$(jq -r "$1" answer)
	[ "$value" = "$2" ] || wrong "$1 is $value, not $2: $(cat text)"
}

# says TEXT, says_not TEXT
says()
{
	grep -qF -- "$1" text || wrong "no \"$1\": $(cat text)"
}

says_not()
{
	! grep -qF -- "$1" text || wrong "\"$1\": $(cat text)"
}

# A leak of a megabyte an hour, in intervals of 15 minutes to 6 hours.
for days in 2 24 40 180 800; do
	make_store leak <<AWK
	length_s = $days > 40 ? 6 * H : H
	for (t = T; t < T + $days * D; t += length_s) {
		line("one", "web", "6.1.0", T, n++, t, t + length_s)
		row("leaks", (2 + random()) * 1e6 * length_s / H, 15e5 * length_s / H)
		row("daily", 1e8 + 1e7 * day(t) + random() * 1e6, 1e8 + random() * 1e6)
		print ""
	}
AWK
	ask 0 leak growth
	has '[.growth[].function] | join(" ")' leaks
	has '.growth[0].bytes_per_host_hour | . > 900000 and . < 1100000' true
done

# Growth of 40 days that came with a version, and of one host only.
make_store long <<'AWK'
	for (host = 0; host < 12; host++)
		for (t = T; t < T + 40 * D; t += 6 * H) {
			line("host-" host, "web", host < 6 ? "6.12" : "6.1", T, (t - T) / 6 / H, t, t + 6 * H)
			row("leaks", (host < 6 ? 4 : 3) * 1e6 + 1e5 * random(), 3e6 + 1e5 * random())
			row("one", (host == 2 ? 9 : 3) * 1e6 + 1e5 * random(), 3e6 + 1e5 * random())
			print ""
		}
AWK
ask 0 long versions
has '.versions[] | select(.change == "grows") | .function, .hosts_with, .of_hosts_with, .hosts_without,
	.of_hosts_without' 'leaks
6
6
0
6
one
1
6
0
6'
ask 0 long outliers --figure=growth
has '[.outliers[] | .host + " " + .name] | join(", ")' 'host-2 one'

# Four hours in intervals of an hour are too few slices.
make_store short <<'AWK'
	for (t = T; t < T + 4 * H; t += H) {
		line("one", "web", "6.1.0", T, n++, t, t + H)
		row("leaks", 2e6, 1e6)
		print ""
	}
AWK
ask 0 short growth
says_not 'Nothing grows'
says 'No series could be tested'
says 'six slices'

# A host that ran two kernels grows once at a time, and each of them 20 hours: not a day.
make_store upgraded <<'AWK'
	for (t = T; t < T + 38 * H; t += H) {
		run = t < T + 19 * H ? T : T + 19 * H
		line("one", "web", t < T + 19 * H ? "6.1.0" : "6.12.0", run, (t - run) / H, t, t + H)
		row("leaks", 1e6 + 1e5 * random(), 1e4 * random())
		print ""
	}
AWK
ask 0 upgraded growth
has '.growth[0] | .hosts, .bytes_per_host_hour == .bytes_per_hour, .bytes_per_hour < 1200000' '1
true
true'
says '2 series of a host were tested'
says '2 were shorter than 20 hours: their growth may be a part of a daily pattern'

# versions: a host that was traced for too short does not count as one on which nothing grows. Six hosts
# leak since 6.12, and six others had 6.1 for three hours only.
make_store untested <<'AWK'
	for (host = 0; host < 12; host++)
		for (t = T; t < T + (host < 6 ? 24 : 3) * H; t += H) {
			line("host-" host, "web", host < 6 ? "6.12" : "6.1", T, (t - T) / H, t, t + H)
			row("leaks", (2 + random()) * 1e6, 1e6)
			print ""
		}
AWK
ask 1 untested versions
has '.versions | length' 0
says 'no two versions of the kernel could be compared: a host needs six slices'
says 'Nothing could be compared.'

# Of roles: web allocates a thousandth of db, and most hosts of 6.12 are of web. In each role, 6.12
# allocates more.
make_store roles <<'AWK'
	for (host = 0; host < 60; host++)
		for (t = T; t < T + D; t += H) {
			web = host % 30 < 25 ? host < 30 : host >= 30
			line("host-" host, web ? "web" : "db", host < 30 ? "6.12" : "6.1", T, (t - T) / H, t, t + H)
			bytes = (web ? 1e6 : 1e9) * (host < 30 ? 1.5 : 1) * (1 + 0.1 * random())
			row("allocates", bytes, bytes)
			print ""
		}
AWK
ask 0 roles versions
has '.versions[] | .function, .change, .certain, .after > .before' 'allocates
more
yes
true'

# Each host was traced for ten hours of the night with 6.1, and by day with 6.12.
make_store hours <<'AWK'
	for (host = 0; host < 20; host++)
		for (t = T; t < T + 20 * H; t += H) {
			run = t < T + 10 * H ? T : T + 10 * H
			line("host-" host, "web", run == T ? "6.1" : "6.12", run, (t - run) / H, t, t + H)
			bytes = int((run == T ? 1e6 : 2e6) * (1 + 0.1 * random()))
			row("allocates", bytes, bytes)
			print ""
		}
AWK
ask 0 hours versions
has '.versions | length' 0
says 'the time of 20 hosts lacks some hours of the day'
says 'No growth came with a version for certain; allocations could not be compared.'

# For two days each, they are compared with themselves: four hosts, one after the other, are few.
for hosts in 4 20; do
	make_store "pairs$hosts" <<AWK
	for (host = 0; host < $hosts; host++)
		for (t = T; t < T + 4 * D; t += H) {
			run = t < T + 2 * D ? T : T + 2 * D
			line("host-" host, "web", run == T ? "6.1" : "6.12", run, (t - run) / H, t, t + H)
			bytes = int((run == T ? 1 : 2) * (1 + host) * 1e6 * (1 + 0.1 * random()))
			row("allocates", bytes, bytes)
			row("leaks", (run == T ? 1 : 2) * 1e6 + 1e5 * random(), 1e6 + 1e5 * random())
			print ""
		}
AWK
	ask 0 "pairs$hosts" versions
	has '[.versions[] | [.function, .change, .hosts_with, .of_hosts_with, .hosts_without, .of_hosts_without,
		.certain] | map(tostring) | join(" ")] | join(", ")' \
		"$([ $hosts = 4 ] && echo leaks grows 4 4 0 4 no ||
			echo leaks grows 20 20 0 20 yes, allocates more 20 20 20 20 yes, leaks more 20 20 20 20 yes)"
done

# Most of the fleet dies after a day: 34 of 40 hosts. Then a clock 400 days in the future, and one of
# 1970, hide nothing.
for clocks in right last future past; do
	make_store clocks <<AWK
	for (host = 0; host < 40; host++)
		for (t = T; t < T + 2 * D; t += H) {
			if ("$clocks" == "right" && host >= 6 && t >= T + D)
				break
			if ("$clocks" == "last" && host && t >= T + D)
				break
			offset = host != 7 || "$clocks" ~ /right|last/ ? 0 : "$clocks" == "future" ? 400 * D : T
			offset *= "$clocks" == "past" ? -1 : 1
			line("host-" host, "web", "6.1.0", T + offset, (t - T) / H, t + offset, t + offset + H)
			row("leaks", (host == 3 ? 3 : 2) * 1e6 + 1e5 * random(), 2e6 + 1e5 * random())
			print ""
		}
AWK
	case $clocks in
	right)
		ask 1 clocks hosts
		has '.coverage | .hosts_silent, .intervals_missing_of_silent_hosts' '34
816'
		ask 1 clocks hosts --since=12h
		has '.coverage | .hosts_seen, .hosts_expected, .hosts_silent' '6
40
34'
		says '34 of 40 hosts and 408 of 480 intervals are missing'
		;;
	last)
		ask 1 clocks hosts
		says 'host-0: its clock is 24 h ahead; if a clock that is ahead is right, all other hosts are silent'
		;;
	future)
		ask 1 clocks growth --since=24h
		says 'clocks: the clock of 1 host is ahead, or all other hosts are silent (with --partial'
		ask 0 clocks growth --since=24h --partial
		has '[.growth[] | [.function, .names]] | flatten | join(" ")' 'leaks host-3'
		has '.coverage | .end - .begin == 86400e9, .hosts_seen, .hosts_ahead' 'true
40
1'
		says 'host-7: its clock is 400 d ahead'
		ask 1 clocks hosts --since=24h
		has '.hosts[] | select(.clock_ahead > 0) | .host, .clock_ahead == 400 * 86400e9' 'host-7
true'
		ask 0 clocks growth --since=24h --until=1h
		has '.coverage.hosts_seen' 39
		;;
	past)
		ask 1 clocks growth
		has '[.growth[] | [.function, .names]] | flatten | join(" ")' 'leaks host-3'
		has '.coverage | .end - .begin == 2 * 86400e9, .intervals_missing_of_silent_hosts' 'true
48'
		says 'host-7: its clock is 20834 d behind'
		ask 1 clocks hosts
		has '[.hosts[] | select(.clock_behind > 0) | .host] | join(" ")' host-7
		;;
	esac
done

# Events that were not counted were recorded.
make_store events <<'AWK'
	print "one web 6.1.0", T, 0, T, T + H, 800, 100, 100, 300, 0
AWK
ask 0 events top
says 'recorded 800, lost 100, skipped 100, uncounted 300'
says '50.000% of the events are lost, skipped or uncounted; each may be an allocation or a free'

# A run that was stored from its third interval on, the last interval of the one before being long; it
# is silent for five hours. Live figures are bounds once events are lost.
make_store runs <<'AWK'
	for (t = T; t < T + 12 * H; t += 4 * H) {
		line("one", "web", "6.1.0", T, (t - T) / H / 4, t, t + 4 * H)
		row("some", 1e6, 0)
		print ""
	}
	for (n = 2; n < 6; n++) {
		print "one web 6.1.0", T + 12 * H, n, T + 12 * H + n * 1800, T + 12 * H + (n + 1) * 1800, 100, n == 3, 0, 0, 0,
			"some 64000 0 64000"
	}
	for (t = T; t < T + 20 * H; t += H) {
		line("two", "web", "6.1.0", T, (t - T) / H, t, t + H)
		print ""
	}
AWK
ask 1 runs hosts
has '.hosts[] | select(.host == "one") | .missing, .silent' '2
10'
ask 1 runs history one --until=2027-01-16T16:00
has '[.history[].missing] | add' 2
ask 1 runs history one --since=2027-01-16T04:00
has '[.history[].missing] | add' 2
has '[.history[].live_upper_bound] | map(tostring) | join(" ")' 'false false true true'
says '<=62.5K'
says 'intervals are missing: the answer is about the others; kmemtrace-fleet hosts names them'
says_not '0 of 1 hosts'

# Figures without their interval, as a load that was killed leaves in ClickHouse: all that comes later
# stays as it is. A view plays them.
make_store orphans <<'AWK'
	for (t = T; t < T + D; t += H) {
		if (t == T + 5 * H)
			continue
		line("one", "web", "6.1.0", T, (t - T) / H, t, t + H)
		row("leaks", 1e6 + 1e5 * random(), 1e4)
		print ""
	}
AWK
"$fleet" --db=orphans history one --format=csv >before 2>message
python3 - <<'PYTHON' || wrong "python"
import sqlite3
db = sqlite3.connect("orphans")
view = db.execute("SELECT sql FROM sqlite_master WHERE name = 'figures'").fetchone()[0].split(" AS ", 1)[1]
# the names of the columns of the view
columns = [row[1] for row in db.execute("PRAGMA table_info(figures)")]
other = {"number": "number - 15", "until": "until - 15 * 3600000000000"}
db.execute("DROP VIEW figures")
db.execute(f"CREATE VIEW figures AS SELECT * FROM ({view}) UNION ALL SELECT " +
	", ".join(other.get(column, column) for column in columns) + f" FROM ({view}) WHERE number = 20")
db.commit()
PYTHON
"$fleet" --db=orphans history one --format=csv 2>message | cmp - before || wrong "history: figures without an interval"
ask 1 orphans history one
says 'figures of intervals that are not stored are left out: of 1 '
ask 1 orphans growth
has '.growth[0].bytes_per_hour | . > 1000000 and . < 1080000' true
says 'rows of figures whose intervals are not stored are left out: 1 '

# outliers: without peers nothing is compared, and the note counts what was.
for hosts in 4 6; do
	make_store "peers$hosts" <<AWK
	for (host = 0; host < $hosts + 3; host++)
		for (t = T; t < T + D; t += H) {
			line("host-" host, host < $hosts ? "web" : "db", "6.1.0", T, (t - T) / H, t, t + H)
			row("some", 1e6 + 1e5 * random(), 1e6)
			row(host == 2 ? "rare" : "other", 1e6 + 1e5 * random(), 1e6)
			print ""
		}
AWK
	ask 0 "peers$hosts" outliers
	has '.outliers | length' 0
done
says '11 figures of a host were compared'
says '3 hosts have too few peers'
says 'No host is far from its peers for certain.'
ask 0 peers4 outliers
says_not 'for certain'
says 'No host could be compared: no five hosts have the same kernel and role'

# Names that the store does not have are no good news.
for question in "growth --kernel=6.12" "top --kernel=6.1.0,6.12" "versions 6.1.0 6.12"; do
	# shellcheck disable=SC2086 # words
	ask 2 peers4 $question
	says 'peers4: no host has the kernel 6.12; the store has: 6.1.0'
done
ask 2 peers4 outliers --role=batch
says 'no host has the role batch; the store has: db, web'
ask 2 peers6 growth --host=host-1,stranger
says 'no host has the name stranger; the store has: host-0, host-1, host-2,'
ask 1 peers4 growth --since=2028-01-01T00:00
says 'No interval of these hosts and of this time is stored.'
says_not 'for certain'

# Allocations that are sampled: the error of the bytes is in the text. Its variance is bytes * 4096.
make_store sampled <<'AWK'
	print "one web 6.1.0", T, 0, T, T + H, 1000, 0, 0, 0, 4096, "some 40960000 0 64000"
AWK
ask 0 sampled top
says '39.1M 39.1M 1.96 '
exit $failed
