#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --count counts each event of a task that perf counts: by each group, with a full map,
# and with the variants of the programs for kernels that have fewer features. A capture of the same
# load has the same counts.
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT
mkfifo line

# The command of kmemtraced: lets the load run, and returns when it is done.
cat >drive <<'END'
echo >line
until [ "$(cat /proc/$1/comm)" = done ]; do sleep 0.02; done
END

# load WORKLOAD ROUNDS OPTION…: traces the load with kmemtraced and these options; sets $status, and
# $fired to the events that perf counted.
load() {
	workload=$1 rounds=$2
	shift 2
	"$builddir/tests/live/workload" "$workload" "$rounds" folder wait <line >truth 2>workload.log &
	pid=$!
	exec 3>line
	for _ in $(seq 100); do
		[ "$(cat /proc/$pid/comm 2>/dev/null)" = ready ] && break
		sleep 0.05
	done
	kill -0 $pid 2>/dev/null || skip "$(cat workload.log)"
	"$kmemtraced" "$@" -p $pid -- sh drive $pid >output 2>kmemtraced.log
	status=$?
	echo >&3
	exec 3>&-
	wait $pid || fail "$workload: $(cat workload.log)"
	fired=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value truth $event)))
	done
	[ "$fired" -ge "$rounds" ] || fail "$workload: perf counted only $fired events"
}

# agree WHAT PERF COUNTED: PERF events by perf, COUNTED by kmemtraced; the rest was skipped
agree() {
	skipped=$(jq .loss.skipped output)
	echo "$1: perf $2, counted $3, skipped in all tasks $skipped"
	[ $(($2 - $3)) -ge 0 ] && [ $(($2 - $3)) -le "$skipped" ] || fail "$1: the counts differ"
}

sum() { # sum FILTER: of the counts of the groups that the filter of jq selects
	jq "[.count[] | select($1).count] | add // 0" output
}

# counted WORKLOAD ROUNDS BY: all events of the load, by these groups. Before and after it, an
# interrupt may have events in the same task: then kmemtraced counts more, and the load runs again.
counted() {
	for _ in 1 2 3; do
		load "$1" "$2" -q --rescue --count --by="$3" --where='comm == "window"' --format=json
		[ $status = 0 ] || fail "$1 --by=$3: exit $status: $(cat kmemtraced.log)"
		[ "$(sum true)" -gt "$fired" ] || break
	done
	agree "$1 --by=$3" "$fired" "$(sum true)"
	[ "$(sum true)" = "$(jq .query.counted output)" ] || fail "--by=$3: the groups are not all events"
}

for work in "fs 20000" "dir 20000" "skb 50000"; do
	# shellcheck disable=SC2086 # two words
	counted $work name
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		agree "$work $event" "$(value truth $event)" "$(sum ".name == \"$event\"")"
	done
done
counted fs 5000 site
counted fs 5000 comm,pid,tid,uid,user,cpu
[ "$(sum ".comm == \"window\" and .pid == $pid and .tid == $pid and .uid == $(id -u) and .user == \"$(id -un)\" and .cpu == 0")" = "$(sum true)" ] ||
	fail "events of another task or CPU: $(cat output)"
counted fs 5000 bytes_req,type,gfp_flag_name,requested_node
[ "$(sum '.bytes_req == null')" -ge 5000 ] && [ "$(sum '.bytes_req == 16384')" = 0 ] ||
	fail "the sizes of frees are known"

# kmemtraced does not count its own events, also where it does not ask for each event's task
for by in site site,pid; do
	"$kmemtraced" -q --count --by=$by --format=json -- true >output 2>kmemtraced.log || fail "$by: $(cat kmemtraced.log)"
	own=$(jq .loss.own output)
	[ "$own" -ge 20 ] && [ "$own" -le 5000 ] || fail "$by: $own own events: $(cat output)"
	echo "--by=$by: $own own events"
done

# the same load, recorded: the groups that each round has are equal, and so are their statistics
by='name,bytes_req,type,caller_function,gfp_flag_name,requested_node,outcome,zindx'
statistics='--sum=bytes_alloc --avg=bytes_req --min=bytes_req --max=bytes_alloc --linear=bytes_req,0,300,100'
where='operation == "allocation" && comm == "window"'
# shellcheck disable=SC2086 # several words
load fs 3000 -q --rescue --count --by=$by $statistics --where="$where" --format=json
[ $status = 0 ] || fail "exit $status: $(cat kmemtraced.log)"
jq '{ count, histogram } | map_values(map(select((.group_count // .count) >= 3000) | del(.lower_bound)))' output >counted
load fs 3000 -q --rescue
# shellcheck disable=SC2086
$report count --by=$by $statistics --where="$where" --format=json >output || fail "the report failed"
jq '{ count, histogram } | map_values(map(select((.group_count // .count) >= 3000) | del(.lower_bound)))' output >recorded
[ "$(jq '.count | length' counted)" -ge 5 ] || fail "too few groups: $(cat counted)"
[ "$(jq '.histogram | length' counted)" -ge 5 ] || fail "too few buckets: $(cat counted)"
diff counted recorded >difference || fail "a capture has other counts: $(cat difference)"

# the probes of process memory: the same system calls as in a capture
program=$builddir/tests/live/process_load
by="--by=probe,name,length --sum=length --where=comm==\"process_load\""
head -c 262144 /dev/zero >file
# shellcheck disable=SC2086
"$kmemtraced" -q --count --probes='vm.m*map,vm.brk' $by --format=csv -- \
	sh -c '"$1" minor file >said' sh "$program" >counted || fail "exit $?"
"$kmemtraced" -q --probes='vm.m*map,vm.brk' -- sh -c '"$1" minor file >said' sh "$program" || fail "exit $?"
# shellcheck disable=SC2086
$report count $by --format=csv | sort >recorded
sort counted | diff - recorded || fail "a capture has other system calls"
grep -q '^vm.munmap,munmap,516096,1,516096,false' recorded || fail "$(cat recorded)"

# without room for all keys: each event is in a group or counted as ungrouped
for _ in 1 2 3; do # an interrupt before or after the load may have events, too
	load fs 5000 -q --rescue --count --by=site --count-groups=4 --format=json
	ungrouped=$(jq .loss.ungrouped output)
	[ $status = 1 ] && [ "$ungrouped" -ge 5000 ] || fail "exit $status, $ungrouped events without a group"
	[ "$(jq '.count | length' output)" -ge 4 ] || fail "too few groups: $(cat output)"
	[ "$(jq '[.count[] | select(.lower_bound | not)] | length' output)" = 0 ] || fail "no bounds: $(cat output)"
	[ "$(($(sum true) + ungrouped))" -gt "$fired" ] || break
done
agree "four groups" "$fired" "$(($(sum true) + ungrouped))"
load fs 5000 -q --rescue --count --by=site --count-groups=4
grep -q '^ungrouped  *[0-9]* events found no room for their key' output || fail "the text does not say it: $(cat output)"
grep -q '^[a-z_]*+0x[0-9a-f/x]*  *>=[0-9]' output || fail "the text shows no bounds: $(cat output)"

for lack in btf fetch btf,fetch; do
	export KMEMTRACED_WITHOUT=$lack
	# without BTF, perf does not get events that interrupt a field program
	load fs 5000 -q --rescue --count --by=name,comm,site --sum=bytes_alloc --format=json \
		--where='comm == "window"'
	[ $status = 0 ] || fail "without $lack: exit $status: $(cat kmemtraced.log)"
	[ "$lack" != fetch ] || agree "without $lack" "$fired" "$(sum true)"
	[ "$(sum true)" -ge "$((fired - $(jq .loss.skipped output)))" ] || fail "without $lack: $(sum true) of $fired"
done
exit 0
