#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A fleet with a leak on 17 hosts since one version of the kernel: growth has it as its first and only
# row, names the 17 hosts and no other, versions finds the version, and outliers the host that
# allocates far more than its peers. A healthy fleet shows nothing. Each answer states the missing
# intervals as they were planted. 200 hosts; KMEMTRACE_LONG=1: 1,000 hosts, and ten healthy fleets.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
fleet=$builddir/kmemtrace-fleet
hosts=200 seeds=2
[ "${KMEMTRACE_LONG:-}" = 1 ] && hosts=1000 seeds="2 3 4 5 6 7 8 9 10 11"

planted()
{
	sed -n "s/^$1 //p" planted
}

# ask STATUS ARGUMENT...: the answer in JSON
ask()
{
	local expected=$1 status

	shift
	"$fleet" --db=store "$@" --format=json >answer 2>stderr
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat stderr)"
}

# has FILTER VALUE: jq prints this of the answer
has()
{
	local value

	value=$(jq -r "$1" answer)
	[ "$value" = "$2" ] || wrong "$1 is $value, not $2"
}

# the answer states what the generator planted
states_missing()
{
	has .coverage.hosts_seen "$hosts"
	has .coverage.hosts_expected "$hosts"
	has .coverage.intervals "$(planted summaries)"
	has .coverage.intervals_missing_in_gaps "$(planted lost_intervals)"
	has .coverage.intervals_missing_of_silent_hosts "$(planted silent_intervals)"
	has .coverage.hosts_silent "$(planted silent_hosts | tr , '\n' | wc -l)"
	has .coverage.lost "$(planted lost_events)"
}

"$fleet" --db=probe init 2>message || {
	cat message
	grep -q 'built without SQLite' message && exit 77
	exit 1
}

"$builddir/tests/fleet/hosts" --hosts=$hosts data >planted || exit 1
[ "$(planted lost_intervals)" -gt 0 ] && [ "$(planted silent_intervals)" -gt 0 ] &&
	[ "$(planted leak_hosts | tr , '\n' | wc -l)" = 17 ] || wrong "planted: $(cat planted)"
"$fleet" --db=store load -q data || wrong "load: exit status $?"

ask 1 growth
states_missing
has '.growth | length' 1
has '.growth[0].function' "$(planted leak_function)"
has '.growth[0].hosts' 17
jq -r '.growth[0].names' answer | sed 's/, /\n/g' | sort >found
planted leak_hosts | tr , '\n' | sort | cmp -s - found || wrong "other hosts: $(tr '\n' ' ' <found)"
grep -qF 'intervals are missing' stderr || wrong "no sentence: $(cat stderr)"
ask 0 growth --partial
[ ! -s stderr ] || wrong "--partial: $(cat stderr)"
ask 1 growth --by=cache
has '.growth | length' 1
has '.growth[0].cache' "$(planted leak_cache)"

ask 1 versions
states_missing
has '[.versions[].function] | unique | length' 1
has '.versions[0] | .function, .since, .change, .hosts_with, .hosts_without' "$(planted leak_function)
$(planted leak_kernel)
grows
17
0"
jq -e '.versions[0].confidence_percent > 99.99' answer >/dev/null ||
	wrong "confidence: $(jq '.versions[0]' answer)"
# the version before it has no leak: nothing came with it
ask 1 versions 6.1.0-18-amd64 6.1.0-21-amd64
has '.versions | length' 0

ask 1 outliers
states_missing
has '.outliers | length' 1
has '.outliers[0] | .host + " " + .name' "$(planted outlier)"

for question in top hosts; do
	ask 1 $question
	states_missing
done
has '[.hosts[] | select(.silent > 0) | .host] | sort | join(",")' "$(planted silent_hosts)"

for seed in $seeds; do
	rm -rf data store
	"$builddir/tests/fleet/hosts" --hosts=$hosts --seed="$seed" --healthy data >planted || exit 1
	"$fleet" --db=store load -q data || wrong "load: exit status $?"
	for question in growth "growth --by=cache" "growth --by=cgroup" versions outliers; do
		# shellcheck disable=SC2086 # words
		ask 1 $question
		has ".${question%% *} | length" 0
	done
	states_missing
done
exit $failed
