#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --count counts each event of a task that perf counts: by each group, with a full map,
# and with the variants of the programs for kernels that have fewer features. A capture of the same
# load has the same counts.
. "$srcdir/live/live.sh"
need jq

mkdir folder
own_folder folder || echo "note: no file system in memory can be mounted"
mkfifo line
pid=
before_end '[ -z "$pid" ] || kill $pid 2>/dev/null'

# The command of kmemtraced: lets the load run, and returns when it is done.
cat >drive <<'END'
echo >line
until [ "$(cat /proc/$1/comm)" = done ]; do
	kill -0 $1 || exit
	sleep 0.02 # paced: the load works
done
END

ready() { # the load waits for its line, or has failed
	[ -s workload.log ] || [ "$(cat /proc/$pid/comm)" = ready ]
}

# load WORKLOAD ROUNDS OPTION…: traces the load with kmemtraced and these options; sets $status, and
# $fired to the events that perf counted, without $around that interrupts had before and after them.
load() {
	workload=$1 rounds=$2
	shift 2
	"$builddir/tests/live/workload" "$workload" "$rounds" folder wait <line >truth 2>workload.log &
	pid=$!
	exec 3>line
	wait_for "the load" ready
	[ ! -s workload.log ] || skip "$(cat workload.log)"
	"$kmemtraced" "$@" -p $pid -- sh drive $pid >output 2>kmemtraced.log
	status=$?
	echo >&3
	exec 3>&-
	wait $pid || fail "$workload: $(cat workload.log)"
	task=$pid pid='' fired=0 around=$(value truth around)
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value truth $event)))
	done
	[ "$fired" -ge "$rounds" ] || fail "$workload: perf counted only $fired events"
}

# agree WHAT PERF COUNTED: PERF events by perf, COUNTED by kmemtraced; the rest was skipped, or came around
agree() {
	skipped=$(jq .loss.skipped output)
	echo "$1: perf $2 and $around around, counted $3, skipped in all tasks $skipped"
	[ $(($2 - $3)) -le "$skipped" ] && [ $(($3 - $2)) -le "$around" ] || fail "$1: the counts differ"
}

sum() { # sum FILTER: of the counts of the groups that the filter of jq selects
	jq "[.count[] | select($1).count] | add // 0" output
}

# counted WORKLOAD ROUNDS BY: all events of the load, by these groups
counted() {
	load "$1" "$2" -q --rescue --count --by="$3" --where='current_comm == "window"' --format=json
	[ $status = 0 ] || fail "$1 --by=$3: exit $status: $(cat kmemtraced.log)"
	agree "$1 --by=$3" "$fired" "$(sum true)"
	[ "$(sum true)" = "$(jq .query.counted output)" ] || fail "--by=$3: the groups are not all events"
}

for work in "fs 2000" "dir 4000" "skb 20000"; do
	# shellcheck disable=SC2086 # two words
	counted $work name,site
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		agree "$work $event" "$(value truth $event)" "$(sum ".name == \"$event\"")"
	done
done
counted fs 1000 comm,pid,tid,uid,user,cpu
mine=".comm == \"window\" and .pid == $task and .uid == $(id -u) and .user == \"$(id -un)\""
in_interrupt='(.comm == "softirq" or .comm == "hardirq" or .comm == "nmi") and .pid == null and .uid == null and .user == null'
[ "$(sum "($mine or $in_interrupt) and .tid == $task and .cpu == 0")" = "$(sum true)" ] ||
	fail "events of another task or CPU: $(cat output)"
counted fs 1000 bytes_req,type,gfp_flag_name,requested_node
[ "$(sum '.bytes_req == null')" -ge 1000 ] && [ "$(sum '.bytes_req == 16384')" = 0 ] ||
	fail "the sizes of frees are known"

# kmemtraced does not count its own events, also where it does not ask for each event's task
for by in site site,pid; do
	"$kmemtraced" -q --count --by=$by --format=json -- sh -c 'echo $PPID $$ >pids; ls /proc/$$ >/dev/null; :' \
		>output 2>kmemtraced.log || fail "$by: $(cat kmemtraced.log)"
	own=$(jq .loss.own output) counted=$(jq .query.counted output)
	[ "$own" -gt 0 ] && [ "$counted" -gt 0 ] && [ "$counted" = "$(sum true)" ] ||
		fail "$by: $own own events: $(cat output)"
	echo "--by=$by: $own own events, and $counted"
done
read -r ours commands <pids
[ "$(sum ".pid == $ours")" = 0 ] && [ "$(sum ".pid == $commands")" -gt 0 ] ||
	fail "own events are in the groups: $(cat output)"

# the same load, recorded: the groups that each round has are equal, and so are their statistics, up to
# the events that either run lost or skipped
by='name,bytes_req,type,caller_function,gfp_flag_name,requested_node,outcome,zindx'
statistics='--sum=bytes_alloc --avg=bytes_req --min=bytes_req --max=bytes_alloc --linear=bytes_req,0,300,100'
where='operation == "allocation" && current_comm == "window"'
rounds=2000
# shellcheck disable=SC2086 # several words
load fs $rounds -q --rescue --count --by=$by $statistics --where="$where" --format=json
[ $status = 0 ] || fail "exit $status: $(cat kmemtraced.log)"
mv output counted
load fs $rounds -q --rescue -m 64
# shellcheck disable=SC2086
$report count --by=$by $statistics --where="$where" --format=json >recorded || fail "the report failed"
hidden=$(($(jq .loss.skipped counted) + $(json '.loss | .lost + .skipped')))
[ $hidden -lt $((rounds / 2)) ] || skip "$hidden events were lost or skipped"
jq -n --argjson hidden "$hidden" --argjson rounds "$rounds" --slurpfile counted counted --slurpfile recorded recorded '
	def size: .group_count // .count;
	def frequent: map(select(size >= $rounds - $hidden) | del(.lower_bound));
	def key($names): [.[$names[]]];
	def differ($a; $b; $names): ($a | frequent) as $a | ($b | frequent) as $b |
		if [$a[] | key($names)] - [$b[] | key($names)] != [] or ($a | length) != ($b | length)
		then {counted: $a, recorded: $b}
		else $a[] as $row | $b[] | select(key($names) == ($row | key($names)) and . != $row and
			((size) == ($row | size) or ((size) - ($row | size) | fabs) > $hidden)) | {counted: $row, recorded: .} end;
	if ($counted[0].count | frequent | length) < 5 or ($counted[0].histogram | frequent | length) < 5
	then "too few groups" else empty end,
	differ($counted[0].count; $recorded[0].count; $by | split(",")),
	differ($counted[0].histogram; $recorded[0].histogram; ($by | split(",")) + ["from"])' --arg by "$by" >difference
jq -c '.histogram[0], .count[0]' counted
[ ! -s difference ] || fail "a capture has other counts: $(cat difference)"

# the probes of process memory: the same system calls as in a capture; no other task has this name
program=$scratch/load-$$
ln -s "$builddir/tests/live/process_load" "$program"
by="--by=probe,name,length --sum=length --where=comm==\"load-$$\""
head -c 262144 /dev/zero >file
# shellcheck disable=SC2086
"$kmemtraced" -q --count --probes='vm.m*map,vm.brk' $by --format=csv -- \
	sh -c '"$1" minor file >said' sh "$program" >counted || fail "exit $?"
"$kmemtraced" -q --probes='vm.m*map,vm.brk' -- sh -c '"$1" minor file >said' sh "$program" || fail "exit $?"
# shellcheck disable=SC2086
$report count $by --format=csv | sort >recorded
sort counted | diff - recorded || fail "a capture has other system calls"
grep -q '^vm.munmap,munmap,516096,1,516096,false' recorded || fail "$(cat recorded)"

# sorted by a statistic, and only the first rows; in a report of a capture, too
for key in sum -sum_bytes_alloc +sum; do
	"$kmemtraced" -q --count --by=site --sum=bytes_alloc -s $key -l 3 --format=csv -- sh -c 'ls -lR /proc/self >/dev/null' >sorted || fail "exit $?"
	[ "$(wc -l <sorted)" = 4 ] || fail "-l 3: $(cat sorted)"
	direction=-r
	[ $key != +sum ] || direction=
	# shellcheck disable=SC2086 # an option or nothing
	sed 1d sorted | awk -F, '{ print $(NF - 1) }' | sort -c -n $direction || fail "-s $key: $(cat sorted)"
done

# without room for all keys: each event is in a group or counted as ungrouped
load fs 1000 -q --rescue --count --by=site --count-groups=4 --format=json
ungrouped=$(jq .loss.ungrouped output)
[ $status = 1 ] && [ "$ungrouped" -ge 1000 ] || fail "exit $status, $ungrouped events without a group"
[ "$(jq '.count | length' output)" -ge 4 ] || fail "too few groups: $(cat output)"
[ "$(jq '[.count[] | select(.lower_bound | not)] | length' output)" = 0 ] || fail "no bounds: $(cat output)"
agree "four groups" "$fired" "$(($(sum true) + ungrouped))"
load fs 1000 -q --rescue --count --by=site --count-groups=4
grep -q '^ungrouped  *[0-9]* events found no room for their key' output || fail "the text does not say it: $(cat output)"
grep -q '^[a-z_]*+0x[0-9a-f/x]*  *>=[0-9]' output || fail "the text shows no bounds: $(cat output)"

begin_alone # without BTF, the programs get the events by perf
for lack in btf fetch btf,fetch; do
	export KMEMTRACED_WITHOUT=$lack
	# without BTF, perf does not get events that interrupt a field program
	load fs 1000 -q --rescue --count --by=name,comm,site --sum=bytes_alloc --format=json \
		--where='current_comm == "window"'
	[ $status = 0 ] || fail "without $lack: exit $status: $(cat kmemtraced.log)"
	[ "$lack" != fetch ] || agree "without $lack" "$fired" "$(sum true)"
	[ "$(sum true)" -ge "$((fired - $(jq .loss.skipped output)))" ] || fail "without $lack: $(sum true) of $fired"
done
exit 0
