#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Writes to shared pages and their copies, faults without memory, and OOM kills: as many as a program
# made, and as kprobes of ftrace counted in its tasks. A kernel that refuses hooks lists the probes.
# $KMEMTRACE_KERNEL: another kernel of the table, from 6.1 on.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=${KMEMTRACE_KERNEL:-6.12-amd64}
look_up_fetched "$kernel"
succeed "$triplet-gcc" -O2 -static -o pages "$srcdir/vm/pages.c"
in_guest "$kernel" "$srcdir/vm/probes.guest" pages
cd "$kernel" || exit 1
checked pages.capture

# is_taken PROBE: prints the way; false if -L lists the probe as missing
is_taken()
{
	! grep "^$1 " list | grep -q ' missing: ..'
}

# count CAPTURE PROBE EXPRESSION: the number of these events
count()
{
	"$report" count -i "$1" --probes="$2" --where="$3" --format=json |
		jq "[.count[].count] | add // 0"
}

expect()
{
	[ "$2" = "$3" ] || fail "$1: $2, not $3: $(cat pages) $(cat list)"
}

# these kernels allow it: a way that is missing there is a fault of ours
case $kernel in
6.12-*64)
	for probe in vm.write_shared vm.write_shared_copy; do
		is_taken $probe || fail "$probe is missing: $(cat list)"
	done
	grep -q '^vm.pagefault.return.*pagefault_out_of_memory' list || fail "no OOM: $(cat list)"
	;;
esac

size=$(sed -n 's/^page //p' pages)
[ -n "$size" ] || fail "the program said: $(cat pages)"
while read -r name pid begin pages; do
	[ "$name" != page ] || continue
	where="pid == $pid && address >= $begin && address < $begin + $pages * $size"
	if is_taken vm.write_shared; then
		expect "$name: vm.write_shared" "$(count pages.capture vm.write_shared "$where")" "$pages"
	fi
	if is_taken vm.write_shared_copy; then
		# the last owner need not copy; the kernel does if a page waits for its list
		[ "$name" = parent ] || expect "$name: vm.write_shared_copy" \
			"$(count pages.capture vm.write_shared_copy "$where")" "$pages"
		zeros=0
		[ "$name" != zero ] || zeros=$pages
		expect "$name: zero" \
			"$(count pages.capture vm.write_shared_copy "$where && zero")" "$zeros"
	fi
done <pages

# each call of the function in the child, also for its stack and data; the parent began before the
# capture, in kmemtraced
for pair in vm.write_shared:do_wp_page vm.write_shared_copy:wp_page_copy; do
	is_taken "${pair%:*}" && grep -q "^${pair#*:} " truth || continue
	for pid in $(awk '$1 == "child" { print $2 }' pages); do
		expect "${pair%:*} of $pid" "$(count pages.capture "${pair%:*}" "tid == $pid")" \
			"$(awk -v f="${pair#*:}" -v p="$pid" '$1 == f && $2 == p { n += $3 } END { print n + 0 }' truth)"
	done
done

checked oom.capture
[ -s killed ] || fail "the guest killed no process"
"$report" count -i oom.capture --by=task --probes=vm.oom_kill --format=json 2>/dev/null |
	jq -r '.count[].task' | sed -n 's/.*[ (]pid \([0-9]*\)).*/\1/p' | sort >victims
# a task that was ending anyway, by its alarm, can be a victim too, without a message
sort killed | comm -23 - victims >absent
[ ! -s absent ] || fail "no vm.oom_kill of $(cat absent)"
[ "$(wc -l <victims)" -le $(($(wc -l <killed) + 1)) ] || fail "the victims are $(cat victims)"

# --proc-mem: at the begin, after each OOM kill, at the end; kills that come together share a reading
first=$("$report" events -i oom.capture --probes=vm.oom_kill -F time --format=json 2>/dev/null |
	jq -s '[.[].time // empty] | min')
awk -v first="$first" 'FNR == NR { if ($1 == "begin") first += $2; next }
	$1 == "reading" { before += $2 < first; after += $2 >= first }
	END { exit !(before == 1 && after >= 2) }' oom.capture/kernel/status oom.capture/kernel/process_memory ||
	fail "OOM kill at $first: $(grep '^reading' oom.capture/kernel/process_memory)"

# counted in the kernel, the task is also the victim; its name is not known then
victim="? (tid $(cat counted.killed))"
[ "$(jq -r '.count[] | "\(.count) \(.task) \(.victim)"' counted.json)" = "1 $victim $victim" ] ||
	fail "victim $(cat counted.killed) was counted as $(cat counted.json)"

if grep '^vm.pagefault.return' list | grep -q 'pagefault_out_of_memory'; then
	found=$(count oom.capture vm.pagefault.return 'fault_type == VM_FAULT_OOM')
	expect "faults without memory" "$found" "$(awk '{ n += $2 } END { print n + 0 }' oom.truth)"
	[ "$found" -gt 0 ] || fail "no fault without memory: this proves nothing"
	echo "$found faults without memory"
fi
if is_taken vm.write_shared; then echo "vm.write_shared: $(grep '^vm.write_shared ' list)"; fi
exit 0
