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
name=kmt-$$
mkdir "$base/$name-a" "$base/$name-b" 2>mkdir.log || skip "no cgroup can be made: $(cat mkdir.log)"
tracing=/sys/kernel/tracing/instances/$name
clean()
{
	stop_daemon
	for group in "$base/$name"-*; do
		[ -d "$group" ] || continue
		while read -r task; do
			echo "$task" >"$base/cgroup.procs" 2>/dev/null
		done <"$group/cgroup.procs"
		rmdir "$group"
	done
	[ -d $tracing ] && rmdir $tracing
	cd /
	rm -rf "$scratch"
}
trap clean EXIT
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
for group in a b; do
	[ -s $group ] || fail "no load ran in $group: $(cat log)"
	fired=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value $group $event)))
	done
	begin=$(awk '$1 == "begin" { print $2 }' kmemtrace.data/kernel/status)
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

# a task moves, and ftrace has the time
mkdir $tracing || skip "no tracing instance can be made"
echo mono >$tracing/trace_clock
echo 1 >$tracing/events/cgroup/cgroup_attach_task/enable
start_daemon -q
sh -c 'echo 0 >"$1-a/cgroup.procs"; echo >ready; exec "$2" fs 1000000 folder' sh "$base/$name" "$workload" >/dev/null 2>&1 &
load=$!
for _ in $(seq 100); do
	[ -e ready ] && break
	sleep 0.05
done
sleep 0.6
echo $load >"$base/$name-b/cgroup.procs"
sleep 0.3
mkdir "$base/$name-c"
echo $load >"$base/$name-c/cgroup.procs"
sleep 0.2
# only a hierarchy of version 1 can rename
last=$name-c
[ $version = 1 ] && mv "$base/$name-c" "$base/$name-d" && last=$name-d
sleep 0.2
kill $load
wait $load 2>/dev/null
rmdir "$base/$last" || fail "the cgroup cannot be removed"
stop_daemon
checked
awk -v load=$load '$1 ~ /:$/ || /cgroup_attach_task/ {
	if ($0 ~ " pid=" load " " && match($0, / [0-9]+\.[0-9]+: /))
		print substr($0, RSTART + 1, RLENGTH - 3)
}' $tracing/trace >moves
[ "$(wc -l <moves)" = 3 ] || fail "ftrace saw $(wc -l <moves) moves: $(cat $tracing/trace)"
"$report" events kmemtrace.data --where="tid == $load && context == \"task\"" -F time,cgroup \
	--format=json >events.json || fail "no events"
jq -r 'select(.cgroup) | "\(.time) \(.cgroup)"' events.json |
	awk '$2 != last { if (NR > 1) print before, $1, $2; last = $2 } { before = $1 }' >splits
begin=$(awk '$1 == "begin" { print $2 }' kmemtrace.data/kernel/status)
expected="/$name-a /$name-b /$name-c"
[ $version = 1 ] && expected="$expected /$name-d"
[ "$(awk '{ printf "%s%s", (NR > 1 ? " " : ""), $3 }' splits)" = "$expected" ] ||
	fail "the task was in these cgroups: $(cat splits)"
# the last event before and the first one after each move, within the time of a move
awk -v begin="$begin" 'NR == FNR { split($1, t, "."); at[NR] = t[1] * 1e9 + t[2] * 1e3 - begin; next }
	FNR <= 3 && ($1 > at[FNR] + 50000 || $2 < at[FNR] - 50000) {
		print "move", FNR, "at", at[FNR], "ns: last event before", $1, "first after", $2
		wrong = 1
	}
	END { exit wrong }' moves splits || fail "the events are not split where ftrace saw the moves"
for group in "-b" "-c"; do
	[ "$(events "cgroup == \"/$name$group\"")" -ge 1000 ] || fail "$group has few events"
done
grep -qE "^gone [0-9]+ [0-9]+$" kmemtrace.data/kernel/cgroups || fail "the removed cgroup is not gone"
echo "moves: $(tr '\n' ' ' <moves); splits: $(tr '\n' ';' <splits)"

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
begin=$(awk '$1 == "begin" { print $2 }' kmemtrace.data/kernel/status)
mine="tid == $(cat pid) && context == \"task\" && time >= $((first - begin - 1000))ns"
for truth in true false; do
	said=$(grep -E ' \[[0-9]+\] ..[^shHzZ].. ' trace | grep -c "accounted=$truth")
	found=$(events "$mine && charged == $truth")
	echo "accounted=$truth: the kernel says $said, charged $found"
	[ "$said" -ge 100 ] && [ "$said" = "$found" ] ||
		fail "charged == $truth: $found allocations, the kernel says $said"
done
said=$(grep -E ' \[[0-9]+\] ..[^shHzZ].. ' trace | grep -c "accounted=true")
"$report" cgroups kmemtrace.data --where="$mine" --format=json >cgroups.json || exit 1
found=$(jq '[.cgroups[] | .charged_allocations] | add' cgroups.json)
[ "$said" = "$found" ] || fail "the view cgroups has $found charged allocations, the kernel says $said"
exit 0
