#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tasks in two cgroups at once: each cgroup gets the events that perf counted in its task. The events
# of a task that moves are split at the moment that ftrace has; a cgroup that is removed keeps its
# name, also in its threads; and so does a renamed one, from then on.
. "$srcdir/live/live.sh"
need jq
[ "$(id -u)" = 0 ] || skip "needs root, to make cgroups"

# where kmemtraced looks: version 1 with the memory controller, else version 2
version=2 base=
if grep -q '^[0-9]*:\([^:]*,\)*memory[,:]' /proc/self/cgroup; then
	version=1
	base=$(awk '{ for (i = 7; $i != "-"; i++); }
		$4 == "/" && $(i + 1) == "cgroup" && ("," $(i + 3) ",") ~ /,memory,/ { print $5; exit }' \
		/proc/self/mountinfo)
else
	base=$(awk '{ for (i = 7; $i != "-"; i++); }
		$4 == "/" && $(i + 1) == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
fi
[ -d "$base" ] || skip "no hierarchy of cgroups with the memory controller is mounted"
name=$own_name
mkdir "$base/$name-a" "$base/$name-b" 2>mkdir.log || skip "no cgroup can be made: $(cat mkdir.log)"
tracing=/sys/kernel/tracing/instances/$name
load=
clean()
{
	[ -z "$load" ] || kill -KILL $load 2>/dev/null
	for group in "$base/$name"-*; do
		[ -d "$group" ] || continue
		while read -r task; do
			echo "$task" >"$base/cgroup.procs" 2>/dev/null
		done <"$group/cgroup.procs"
		rmdir "$group"
	done
	[ ! -d $tracing ] || rmdir $tracing
}
before_end clean
echo "version $version, in $base"

# events FILTER: of the last capture
events()
{
	"$report" count kmemtrace.data --where="$1" --format=json >counted.json || exit 1
	jq .query.counted counted.json
}

mkdir folder
# two loads at once; the third moves from a to b
cat >load <<'END'
set -u
in_group() # in_group GROUP COMMAND…
{
	group=$1
	shift
	sh -c 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"
}
in_group "$1-a" "$workload" fs 3000 folder >a &
in_group "$1-b" "$workload" skb 30000 folder >b &
wait
END
export workload="$builddir/tests/live/workload"
"$kmemtraced" -q -- sh load "$base/$name" 2>log || fail "kmemtraced: exit $?: $(cat log)"
checked
lost=$(json '.loss | .lost + .skipped')
begin=$(value kmemtrace.data/kernel/status begin)
for group in a b; do
	[ -s $group ] || fail "no load ran in $group: $(cat log)"
	fired=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value $group $event)))
	done
	time="time >= $(($(value $group begin) - begin))ns && time <= $(($(value $group end) - begin))ns"
	all=$(events "tid == $(value $group task) && $time")
	# the events of interrupts have another cgroup
	here=$(events "tid == $(value $group task) && $time && (cgroup == \"/$name-$group\" || context != \"task\")")
	left_out=$(jq '.totals | .own_frees + .repeated' counted.json)
	missing=$((fired - here))
	echo "$group: perf counted $fired, of which the cgroup has $here; $left_out left out, $lost lost or skipped"
	[ "$here" -ge 20000 ] || fail "$group: only $here events"
	[ "$here" = "$all" ] || fail "$group: the cgroup has $here of $all events of its task"
	[ $missing -ge 0 ] && [ $missing -le $((left_out + lost)) ] || fail "$group: $missing events are missing"
	# the view has all objects that perf saw, and those of the shell before
	"$report" cgroups kmemtrace.data --format=json >cgroups.json || exit 1
	fired=$(($(value $group kmalloc) + $(value $group kmem_cache_alloc)))
	here=$(jq ".cgroups[] | select(.cgroup == \"/$name-$group\") | .allocations" cgroups.json)
	echo "$group: perf counted $fired allocations, the view cgroups has $here"
	[ $((here + left_out + lost)) -ge $fired ] && [ "$here" -le $((fired + fired / 10)) ] ||
		fail "$group: the view has $here of $fired allocations"
done
a=$(value a task) b=$(value b task)
[ "$(events "cgroup == \"/$name-a\" && tid == $b || cgroup == \"/$name-b\" && tid == $a")" = 0 ] ||
	fail "one cgroup has events of the other's task"

# a task moves itself, and another task moves it while it works; ftrace has the times
mkdir "$base/$name-c" "$base/$name-e"
mkdir $tracing || skip "no tracing instance can be made"
echo mono >$tracing/trace_clock
echo 1 >$tracing/events/cgroup/cgroup_attach_task/enable
cat >load <<'END'
move()
{
	echo 0 >"$1/cgroup.procs"
	for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		: >folder/file
	done
}
for _ in 1 2 3 4 5; do
	move "$1-a"
	move "$1-b"
done
move "$1-c"
# only a hierarchy of version 1 can rename
[ "$2" = 2 ] || { mv "$1-c" "$1-d" && move "$1-d"; }
rounds=0
while :; do
	rounds=$((rounds + 1))
	echo $rounds >folder/rounds
done
END
works() # works ROUNDS: the load has done more than that
{
	[ "$(cat folder/rounds)" -gt "$1" ]
}
last=$name-c
[ $version = 1 ] && last=$name-d
start_daemon -q -m 128
sh load "$base/$name" $version 2>log &
load=$!
wait_for "the work of a task" works 100
echo begin >$tracing/trace_marker
echo $load >"$base/$name-e/cgroup.procs"
echo end >$tracing/trace_marker
wait_for "the work in another cgroup" works $(($(cat folder/rounds) + 100))
kill $load
wait $load 2>/dev/null
pid=$load load=
rmdir "$base/$last" "$base/$name-e" || fail "the cgroups cannot be removed"
stop_daemon
checked
[ "$(json .loss.lost)" = 0 ] || skip "$(json .loss.lost) events were lost, maybe all of the task in one of its cgroups"
# moves has a line for each move: the first and the last ns at which it can have been, and the cgroup
begin=$(value kmemtrace.data/kernel/status begin)
awk -v pid="$pid" -v begin="$begin" '
	{ match($0, / [0-9]+\.[0-9]+: /); split(substr($0, RSTART + 1, RLENGTH - 3), t, "."); at = t[1] * 1e9 + t[2] * 1e3 - begin }
	/ tracing_mark_write: begin/ { earliest = at }
	/ tracing_mark_write: end/ { printf "%.0f %.0f %s\n", earliest - 1000, at + 1000, path }
	/cgroup_attach_task/ && $0 ~ " pid=" pid " " {
		match($0, /dst_path=[^ ]*/)
		path = substr($0, RSTART + 9, RLENGTH - 9)
		if (!earliest)
			printf "%.0f %.0f %s\n", at - 1000, at + 1000, path
	}' $tracing/trace >moves
# splits: the time of the last event before, the time of the first one after, and its cgroup
"$report" events kmemtrace.data -l 0 --where="tid == $pid && context == \"task\"" -F time,cgroup \
	--format=json >events.json || fail "no events"
jq -r 'select(.cgroup) | "\(.time) \(.cgroup)"' events.json |
	awk -v name="/$name-" 'index($2, name) == 1 {
		if ($2 != last) print (NR > 1 ? before : 0), $1, $2; last = $2 } { before = $1 }' >splits
head -3 moves splits
# a rename moves no task
[ $version = 2 ] || sed -i "\|-d\$|d" splits
moves=$(awk '{ print $3 }' moves | sed "s|-d\$|-c|" | uniq | xargs)
expected="/$name-a /$name-b"
expected="$expected $expected $expected $expected $expected /$name-c /$name-e"
[ "$moves" = "$expected" ] || fail "ftrace saw other moves: $(cat $tracing/trace)"
[ "$(awk '{ print $3 }' splits | xargs)" = "$expected" ] || fail "the task was in these cgroups: $(cat splits)"
grep -v -e "-d\$" moves | paste -d ' ' splits - >both
awk '$1 > $5 || $2 < $4 { print "a move from", $4, "to", $5, "ns: last event before", $1, "first after", $2; wrong = 1 }
	END { exit wrong }' both || fail "the events are not split where ftrace saw the moves"
[ $version = 2 ] || [ "$(events "cgroup == \"/$name-d\"")" -gt 0 ] || fail "a renamed cgroup has no events"
for group in "$last" "$name-e"; do
	[ "$(events "cgroup == \"/$group\"")" -ge 20 ] || fail "$group has few events"
	id=$(awk -v path="/$group" '$1 == "cgroup" && $4 == path { print $2 }' kmemtrace.data/kernel/cgroups)
	grep -qE "^gone $id [0-9]+$" kmemtrace.data/kernel/cgroups || fail "the removed cgroup $group is not gone"
done

# In a namespace, the root that is mounted is not that of the hierarchy: older tasks have no cgroup.
mkdir root
if [ $version = 1 ]; then set -- -t cgroup -o memory; else set -- -t cgroup2; fi
if unshare -C -m mount "$@" none root 2>mount.log; then
	unshare -C -m sh -c 'program=$1 && shift && mount "$@" none root && umount -l "$0" &&
		exec "$program" -q -- true' "$base" "$kmemtraced" "$@" || fail "in a namespace: exit $?"
	! grep -E '^(cgroup|member) [0-9]+ 0 ' kmemtrace.data/kernel/cgroups ||
		fail "paths of a namespace look like those of the hierarchy"
else
	echo "note: no namespace with its own mount: $(cat mount.log)"
fi

# the kernel says itself which allocations ask for a charge
[ $version = 1 ] || grep -qw memory "$base/cgroup.subtree_control" ||
	{ echo "note: the cgroups have no memory controller"; exit 0; }
grep -q 'field:bool accounted' /sys/kernel/tracing/events/kmem/kmem_cache_alloc/format ||
	{ echo "note: this kernel's events do not say what is accounted"; exit 0; }
echo 0 >$tracing/events/cgroup/cgroup_attach_task/enable
echo >$tracing/trace
echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/events/kmem/kmalloc/enable
echo 1 >$tracing/events/kmem/kmem_cache_alloc/enable
mkdir -p "$base/$name-a"
"$kmemtraced" -q -- sh -c 'echo 0 >"$1/cgroup.procs"; echo $$ >pid; echo $$ >"$2/set_event_pid"; exec ls -l /sys/kernel/slab' \
	sh "$base/$name-a" $tracing >/dev/null || fail "kmemtraced: exit $?"
echo 0 >$tracing/events/enable
checked
grep -E -- "-$(cat pid) " $tracing/trace >trace
# in a task: no s, h, H, Z or z in the column of interrupts
first=$(head -n 1 trace | sed 's/.* \([0-9]*\)\.\([0-9]*\): .*/\1\2000/')
begin=$(value kmemtrace.data/kernel/status begin)
hidden=$(json '.loss | .lost + .skipped')
mine="tid == $(cat pid) && context == \"task\" && time >= $((first - begin - 1000))ns"
for truth in true false; do
	said=$(grep -E ' \[[0-9]+\] ..[^shHzZ].. ' trace | grep -c "accounted=$truth")
	found=$(events "$mine && charged == $truth")
	echo "accounted=$truth: the kernel says $said, charged $found; $hidden lost or skipped"
	[ "$said" -ge 100 ] && [ "$found" -le "$said" ] && [ "$found" -ge $((said - hidden)) ] ||
		fail "charged == $truth: $found allocations, the kernel says $said"
done
found=$(events "$mine && charged == true")
"$report" cgroups kmemtrace.data --where="$mine" --format=json >cgroups.json || exit 1
shown=$(jq '[.cgroups[] | .charged_allocations] | add' cgroups.json)
[ "$shown" = "$found" ] || fail "the view cgroups has $shown charged allocations, the events $found"
exit 0
