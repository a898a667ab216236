#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kernel.sh NAME: boots a kernel of the table once, and checks: a healthy kernel has no certain finding;
# planted bugs are found; each event of a task that ftrace counted was recorded, lost, or skipped by the
# kernel; caches that untraced processes create and destroy have their names; so has the code of modules
# that come and go; a call site that leaks an object now and then is first in the leaks view; and the
# programs print the same on that machine as on this one.
# $KMEMTRACE_LONG=1: also profiles, modules without BTF and while kmemtraced is stopped, and the leak.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"
# shellcheck source=tests/vm/findings.sh
. "$srcdir/vm/findings.sh"

# A kernel without memory bugs, which is busy before, during and after the capture, has no certain
# finding.
check_healthy()
{
	local certain possible unobserved events least=5000

	[ "$arch" != "$(dpkg --print-architecture)" ] || least=20000
	checked healthy
	certain=$(json healthy findings '[.findings[] | select(.certainty == "certain")]')
	possible=$(json healthy findings \
		'[.findings[] | select(.certainty == "possible").count] | add // 0')
	events=$(json healthy findings .loss.recorded)
	[ "$certain" = "[]" ] || fail "certain in a healthy kernel: $certain"
	[ "$events" -ge $least ] || fail "only $events events of a healthy kernel: this proves little"
	# what is not observed makes all of them only possible: amd64 kernels of 6.x have no such path
	unobserved=$(json healthy findings '.loss.unobserved | join(", ")')
	[ "$arch" != amd64 ] || is_before 6.0 || ! is_before 7.0 || [ -z "$unobserved" ] ||
		fail "a healthy kernel: not observed: $unobserved: this proves little"
	echo "a healthy kernel: 0 certain, $possible possible findings in $events events;" \
		"not observed: ${unobserved:-nothing}"
}

# A call site that leaks an object now and then, among half a million correct allocations, is the
# first. It takes long: the kernels of this machine's architecture do it.
check_leaks()
{
	local events first

	[ -d leaks ] || return
	events=$(json leaks leaks .totals.allocations)
	first=$(json leaks leaks '.leaks[0] | "\(.live_objects) \(.site)"')
	[[ $first == "125 plant_leak+"*" [plant]" ]] || fail "the first leak is not plant_leak, with 125" \
		"objects: $(json leaks leaks '.leaks[:3]')"
	[ "$events" -ge 500000 ] || fail "only $events allocations beside the leak: this proves little"
	echo "the leak was found among $events allocations"
}

# The cgroups of version 2: a task that moves, and its child in one that is removed.
check_cgroups()
{
	local found

	grep -qx uncharged counts/kernel/cgroups || fail "a cgroup has a memory controller"
	found=$("$builddir/kmemtrace-report" count counts --by=cgroup --format=csv \
		--where="tid == $(cat task) && cgroup != \"softirq\" && cgroup != \"hardirq\"")
	awk -F , '$1 == "/counted" && $2 >= 2000 { many = 1 }
		NR > 1 && $1 != "/" && $1 != "/counted" { other = 1 }
		END { exit !many || other }' <<<"$found" || fail "the counted task was in: $found"
	found=$("$builddir/kmemtrace-report" count counts --by=comm --format=csv \
		--where='cgroup == "/short"')
	grep -q '^ls,[0-9]' <<<"$found" || fail "the cgroup that is gone had: $found"
	grep -q '^gone [0-9]* [0-9]*$' counts/kernel/cgroups || fail "no cgroup is gone"
}

check_counts()
{
	local lost skipped missing=0 fired=0 event truth recorded

	checked counts
	"$builddir/tests/live/count" counts "$(cat task)" 0 18446744073709551615 >counted ||
		fail "the capture cannot be counted"
	lost=$(value counted lost) skipped=$(value counted skipped)
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		truth=$(awk -v event="$event" '$1 == event || $1 == event "_node" { sum += $2 }
			END { print sum + 0 }' truth)
		recorded=$(value counted $event)
		[ "$truth" -ge 600 ] || fail "ftrace counted only $truth of $event: $(cat truth)"
		[ "$recorded" -le "$truth" ] ||
			fail "$event: $recorded were recorded, only $truth happened"
		fired=$((fired + truth)) missing=$((missing + truth - recorded))
	done
	check_cgroups
	echo "ftrace counted $fired: $missing are missing, lost $lost, skipped $skipped in all tasks"
	[ $missing -ge "$lost" ] || fail "$lost lost, but only $missing are missing"
	[ $missing -le $((lost + skipped)) ] ||
		fail "$missing are missing, lost $lost, skipped only $skipped"
}

# Did kmemtraced find out whether the kernel preempts tasks in tracepoints? 7.x does. Only amd64 has front
# programs.
check_preemption()
{
	local found expected="no 0"

	is_before 7.0 || expected="yes 4$([ "$arch" != amd64 ] || echo " front")"
	! grep -q 'hooks need BTF' planted/kernel/status || expected="unknown 0"
	found=$(sed -n 's/^preemption //p' planted/kernel/status)
	[ "$found" = "$expected" ] || fail "preemption $found, not $expected"
}

check_names()
{
	local i missed

	checked named
	missed=$(gaps named)
	json named caches '.caches[] | select(.cache | startswith("plant_name_")) |
		"\(.cache) \(.allocations) \(.frees)"' | sort >names
	for i in 1 2 3 4 5; do
		echo "plant_name_$i ${i}0 ${i}0"
	done >expected-names
	if grep -q 'hooks need BTF' named/kernel/status; then
		# a name may be known too late; but no cache may have the name of another
		! grep -vxFf expected-names names || fail "a cache has the name of another"
	elif grep -q '^cache ' planted/kernel/caches; then
		diff -u expected-names names || [ "$(difference expected-names names)" -le "$missed" ] ||
			fail "the caches do not have their names; $missed lost or skipped"
	fi
	echo "$(wc -l <names) of 5 caches that came and went have their names"
}

# A profile counts the bytes of each cache by its own size, though it samples none of its objects.
check_sizes()
{
	local bytes least

	[ -d sizes ] || return
	checked sizes
	# the largest object has 5 KiB
	least=$((1024 * (10 * 1 + 20 * 2 + 30 * 3 + 40 * 4 + 50 * 5 - 5 * $(gaps sizes))))
	bytes=$(awk '$1 == "counted" { sum += $5 } END { print sum + 0 }' sizes/kernel/status)
	[ "$bytes" -ge $least ] || fail "the profile counted $bytes bytes, less than $least"
	echo "the profile counted $bytes bytes of caches at one address, of $least at least"
}

# check_modules CAPTURE OBJECTS: each call site has its symbol or, if its module was removed too early
# to read the symbols, that module's name; and the module made and freed these objects.
check_modules()
{
	local allowed='0x[0-9a-f]+ \[plant(, unloaded)?\]'

	# since 6.4, /proc/modules does not say where the code of a module ends: a module that was there
	# while kmemtraced was stopped may lie behind another
	[ "$1" != modules-stopped ] || is_before 6.4 || allowed='0x[0-9a-f]+( \[plant(, unloaded)?\])?'

	checked "$1"
	json "$1" sites '.sites[] | "\(.allocations) \(.frees) \(.site)"' >found-sites
	grep -vE ' [^ ]+\+0x[0-9a-f]+(/0x[0-9a-f]+)?( \[[a-z0-9_]+\])?$' found-sites |
		grep -vE "($allowed)$" >unnamed
	[ ! -s unnamed ] || fail "$1: call sites have no name: $(cat unnamed)"
	! grep -F ' [plant]' found-sites | grep -vE ' (right_kfree|plant_named|plant_in_init)\+| 0x' ||
		fail "$1: call sites have a wrong name: $(cat found-sites)"
	awk -v objects="$2" -v gaps="$(gaps "$1")" '$3 ~ /^0x/ || $4 ~ /^\[plant/ { made += $1; freed += $2 }
		END { exit made > objects || freed > objects || 2 * objects - made - freed > gaps }' found-sites ||
		fail "$1: not $2 objects of the module: $(cat found-sites)"
	echo "$1: call sites of the module: $(grep -E '\[plant| 0x' found-sites | xargs)"
}

# Three paths lead to one function that allocates: each has its stack as often as it was taken.
check_stacks() # CAPTURE
{
	local path skipped entry='( < [a-z0-9_.]+)+$'

	# other kernels may walk a part of a stack only, or have no programs with stacks
	if [[ $arch != amd64 && $arch != arm64 ]]; then
		[ ! -d "$1" ] || checked "$1"
		return
	fi
	checked "$1"
	skipped=$(value "$1/kernel/status" skipped)
	"$report" count -i "$1" --format=json --by=stack \
		--where='operation == "allocation" && caller_function == "plant_helper [plant]"' |
		jq -r '.count[] | "\(.count) \(.stack)" | gsub(" \\[plant\\]"; "")' >"$1-paths" || fail "$1: count: exit $?"
	for path in "40 plant_helper < plant_path_one < paths" \
		"80 plant_helper < plant_between < plant_path_two < paths" \
		"120 plant_helper < plant_between < plant_path_three < paths"; do
		grep -qE "^$path$entry" "$1-paths" || [ "$skipped" != 0 ] ||
			fail "$1: not found: $path: $(cat "$1-paths")"
	done
	# all in the shell of the command, which the kernel walks on each machine
	"$report" count -i "$1" --format=json --by=user_stack \
		--where='operation == "allocation" && caller_function == "plant_helper [plant]"' |
		jq -r '.count[] | "\(.count) \(.user_stack)"' >"$1-user" || fail "$1: count: exit $?"
	[ "$(value "$1/kernel/status" user_stacks_unwalked)" = 0 ] || fail "$1: user stacks were not walked"
	[ "$(wc -l <"$1-user")" -ge 1 ] && ! grep -vE '^[0-9]+ ([a-z_]|busybox\+0x)' "$1-user" ||
		fail "$1: user stacks: $(cat "$1-user")"
	[ "$(wc -l <"$1-paths")" = 3 ] || fail "$1: other paths: $(cat "$1-paths")"
	echo "$1: $(value "$1/kernel/status" stacks_unwalked) stacks not walked, skipped $skipped:" \
		"$(sed 's/ < paths.*//' "$1-paths" "$1-user" | xargs -d '\n' printf '%s; ')"
}

# A module whose messages were lost has its names as soon as kmemtraced has read /proc/modules.
check_modules_lost()
{
	[ -d modules-lost ] || { echo "not captured: a module whose messages were lost" && return; }
	checked modules-lost
	! grep -qx 'names_lost 0' modules-lost/kernel/status || fail "modules-lost: no message was lost"
	json modules-lost sites '.sites[] | "\(.allocations) \(.frees) \(.site)"' >found-sites
	awk -v gaps="$(gaps modules-lost)" '$3 ~ /^right_kfree\+/ && $4 == "[plant]" { made += $1; freed += $2 }
		END { exit made > 40 || freed > 40 || 80 - made - freed > gaps }' found-sites ||
		fail "modules-lost: not 40 objects of right_kfree: $(cat found-sites)"
	echo "modules-lost: $(grep '^names_lost' modules-lost/kernel/status), then" \
		"$(grep -F '[plant' found-sites | xargs)"
}

# check_kfreed CAPTURE: the caches whose objects only kfree() freed have a line each, even if their
# names are not known.
check_kfreed()
{
	local known count

	[ "$(gaps "$1")" = 0 ] || { echo "$1: $(gaps "$1") lost or skipped: caches not compared" && return; }
	json "$1" caches '.caches[] | select(.cache | test("^(plant_name_|0x)")) |
		"\(.cache) \(.allocations) \(.frees) \(.object_size // 0)"' >kfreed
	known=$(grep -cx 'plant_name_1 10 10 1024\|plant_name_2 20 20 2048' kfreed)
	grep -q '^cache ' "$1/kernel/caches" || { echo "$1: events have no caches" && return; }
	for count in 10 20; do
		grep -qE "^(plant_name_${count%0}|0x[0-9a-f]+) $count $count ($((1024 * ${count%0}))|0)$" kfreed ||
			fail "$1: no cache with $count objects freed by kfree(): $(cat kfreed)"
	done
	grep -q 'hooks need BTF' "$1/kernel/status" || [ "$known" = 2 ] ||
		fail "$1: caches have no names: $(cat kfreed)"
	echo "$1: $known of 2 caches freed by kfree() only have names," \
		"$(grep -cE ' (10 10 1024|20 20 2048)$' kfreed) have sizes"
}

# --doctor says whether kmemtraced is confined on this kernel: landlock is there since 5.13.
check_confinement()
{
	local expected='^ok      confinement '

	[ -s jit-off.doctor ] || { echo "--doctor was not run" && return; }
	! is_before 5.13 || expected='^limited confinement .* are not restricted: landlock: '
	grep "$expected" jit-off.doctor || fail "no \"$expected\": $(cat jit-off.doctor)"
}

# Without the BPF JIT, the events have their own CPU, or the capture is refused.
check_jit_off()
{
	local status cpus

	[ -e jit-off.status ] || { echo "the BPF JIT cannot be switched off" && return; }
	status=$(cat jit-off.status)
	if [ "$status" = 2 ]; then
		grep -q 'sysctl net.core.bpf_jit_enable=1' jit-off.log ||
			fail "without the JIT: $(cat jit-off.log)"
		grep -q '^NO .*sysctl net.core.bpf_jit_enable=1' jit-off.doctor ||
			fail "without the JIT, --doctor does not name it: $(cat jit-off.doctor)"
		[ ! -e jit-off ] || fail "a capture without the JIT was refused, but is there"
		echo "without the JIT: refused: $(cat jit-off.log)"
		return
	fi
	[ "$status" = 0 ] || fail "without the JIT: exit $status: $(cat jit-off.log)"
	checked jit-off
	grep -q '^ok      cpu numbers' jit-off.doctor ||
		fail "without the JIT, --doctor is not sure of CPU numbers: $(cat jit-off.doctor)"
	cpus=$(json jit-off cpus '[.cpus[] | select(.allocations > 100)] | length')
	[ "$cpus" = 2 ] || fail "without the JIT, events are of $cpus of 2 CPUs"
	echo "without the JIT: the events have 2 CPUs"
}

# A CPU that comes online loses no event, and is counted.
check_hotplug()
{
	local counted

	[ -d online ] || { echo "no CPU can be taken offline" && return; }
	checked online
	grep -E '^cpu 1 seen [0-9]{3,} .* lost 0 ' online/kernel/status ||
		fail "not all events of CPU 1 were recorded: $(grep '^cpu ' online/kernel/status)"
	counted=$(awk -F , 'NR > 1 && $2 > 100 { print $1 }' online.csv | sort | xargs)
	[ "$counted" = "0 1" ] || fail "counted on CPUs $counted: $(cat online.csv)"
}

# One sentence says that the kernel is locked down, and what to do; --doctor says the same.
# The allocator's own lists have all slabs, and what a process keeps is live, no more and no less.
check_audit()
{
	local live

	checked audit
	if [ ! -s audit/kernel/heap ]; then
		is_before 5.19 || [ ! -e audit/kernel/btf ] || fail "no reading: $(grep 'allocator' audit.log)"
		echo "$(grep -o 'the slab allocator is not read.*' audit.log)"
		return
	fi
	same_slabs slabs.before slabs.after audit/kernel/heap >differ ||
		fail "kernel/heap differs from /proc/slabinfo: $(cat differ)"
	live=$("$report" caches -i audit --format=json -l 0 --comm=register |
		jq '[.caches[] | select(.cache == "eventpoll_epi" or (.aliases // "" | contains("eventpoll_epi"))).live_objects] | add // 0')
	# a batch of each CPU may wait to be freed
	[ "$live" -ge 500 ] && [ "$live" -le 2000 ] ||
		fail "$live objects of eventpoll_epi are live; the process keeps 500"
	echo "the allocator's lists: $(grep -c ^slab audit/kernel/heap) slabs in two readings; a process keeps" \
		"500 objects of eventpoll_epi, and $live are live"
}

check_locked_down()
{
	local why="the kernel is locked down (/sys/kernel/security/lockdown: confidentiality), so no BPF program may read its memory: boot it with lockdown=integrity, or without lockdown="

	[ "$(cat locked-down.status)" = 2 ] || fail "locked down: exit $(cat locked-down.status)"
	[ "$(cat locked-down.log)" = "kmemtraced: $why" ] || fail "locked down: $(cat locked-down.log)"
	[ "$(grep '^NO ' locked-down.doctor)" = "NO      tracepoints  $why" ] &&
		[ "$(tail -n 1 locked-down.doctor)" = "No capture is possible here." ] ||
		fail "locked down: --doctor: $(cat locked-down.doctor)"
	[ ! -e locked-down ] || fail "a capture of a kernel that is locked down was refused, but is there"
}

check_bytes()
{
	local file same=0

	"$srcdir/vm/explain.sh" "$builddir" planted here
	for file in here/*; do
		file=$(basename "$file")
		cmp "said/$file" "here/$file" || fail "$file: in the guest (-) and here (+):" \
			"$(diff -u "said/$file" "here/$file" | head -n 40)"
		grep -q '^exit status [01]$' "here/$file" || fail "$file: $(tail -n 5 "here/$file")"
		same=$((same + 1))
	done
	echo "$same outputs are the same, $(cat here/* | wc -c) bytes"
}

kernel=$1
write_planted
look_up_fetched "$kernel"
: >leaks
[ "$arch" != "$(dpkg --print-architecture)" ] || echo "leak 125" >leaks
long=()
[ -z "${KMEMTRACE_LONG:-}" ] || { touch long && long=("$PWD/long"); }
succeed "$srcdir/vm/build-module.sh" "$kernel" "$srcdir/vm/plant" module
succeed "$triplet-gcc" -O2 -static -I"$builddir" -o register "$srcdir/live/register.c"
in_guest "$kernel" "$srcdir/vm/kernel.guest" module/plant.ko planted leaks register \
	"$srcdir/vm/capture.guest" "$srcdir/vm/explain.sh" "${long[@]}"
echo "$release, $(grep -c '^unobserved ' "$kernel/planted/kernel/status") paths unobserved," \
	"$(sed -n 's/^part: \(planted .*)\).*/\1/p' "$kernel/console")"
mkdir -p "$builddir/vm-captures"
rm -rf "$builddir/vm-captures/$kernel"
cp -r "$kernel" "$builddir/vm-captures" || fail "the captures cannot be copied"
rm -rf "$builddir/vm-captures/$kernel/leaks"
cd "$kernel" || exit 1
check_healthy
check_preemption
check_counts
check_names
check_sizes
check_modules modules 72
[ ! -d modules-without-btf ] || check_modules modules-without-btf 72
[ ! -d modules-stopped ] || check_modules modules-stopped 44
check_modules_lost
check_kfreed modules
[ ! -d modules-without-btf ] || check_kfreed modules-without-btf
check_stacks stacks
[ ! -d profile ] || check_stacks profile
check_leaks
check_jit_off
check_hotplug
check_audit
check_locked_down
check_confinement
check_bytes
check_findings
exit 0
