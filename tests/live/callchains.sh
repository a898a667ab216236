#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf's call chains of kmalloc() and the stacks of --stacks=all, of the same allocations at the same
# time: the ten most frequent paths of three loads are the same, as often, up to lost events.
. "$srcdir/live/live.sh"
need perf jq

# The chains of perf, as the field stack has them: without the functions of the allocator and the entry
# into the kernel, which our stacks do not show, and with the name of the system call.
paths_of_perf()
{
	awk -v comm="$1" '
	/^[^ \t]/ { flush(); wanted = $1 == comm; next }
	NF && wanted && $1 ~ /^ffff/ && length($1) == 16 { sub(/\+0x.*/, "", $2); list[++depth] = $2 }
	END { flush() }
	function flush(    first, last, i, path) {
		first = 1
		while (list[first] ~ /^(__traceiter_|__?k[vz]*[mc]alloc|__do_kmalloc)/)
			first++
		# they name their own caller as the call site (kmalloc_track_caller)
		while (list[first] ~ /^(kv?memdup|kstrn?dup|v?memdup_user)(_|$)/)
			first++
		for (last = depth; list[last] ~ /^(entry_|do_syscall_64|x64_sys_call|el0|do_el0|invoke_syscall)/; last--)
			;
		# also of a system call without a frame of its own, as the field "entry" has it
		sub(/^(__((x64|do|se|arm64)_)?sys_|ksys_)/, "", list[last])
		sub(/^(vm_)?mmap_pgoff$/, "mmap", list[last])
		if (list[last] ~ /^do_p?(read|write)v$/)
			sub(/^do_/, "", list[last])
		for (i = first; i <= last; i++)
			path = path (i > first ? " < " : "") list[i]
		if (depth)
			print path
		delete list
		depth = 0
	}' | sort | uniq -c | sort -k1,1rn -k2 | sed 's/^ *//'
}

# same_paths NAME COMMAND…: of a program with this name, which no other process has
same_paths()
{
	local name=$1 hidden

	shift
	ln -s "$(command -v "$name")" "$name-$$"
	"$kmemtraced" -q --stacks=all -m 128 -- perf record -q -g -m 64M -N -e kmem:kmalloc -o perf.data -- \
		"./$name-$$" "$@" >/dev/null 2>record.log || fail "$name: $(tail -n 3 record.log)"
	perf report -i perf.data --stats 2>/dev/null | awk '/LOST/ { n += $NF } END { exit n > 0 }' ||
		skip "$name: perf lost events"
	checked
	perf script -i perf.data -F comm,event,ip,sym 2>/dev/null | paths_of_perf "$name-$$" >by-perf
	"$report" count -l 0 --by=stack --where="name == \"kmalloc\" && current_comm == \"$name-$$\"" --format=json |
		jq -r '.count[] | "\(.count) \(.stack)"' | sort -k1,1rn -k2 >by-us
	hidden=$(json '.loss | .lost + .skipped')
	echo "$name: $(wc -l <by-perf) paths, the first: $(head -n 1 by-perf); $hidden lost or skipped"
	[ -s by-perf ] || fail "$name: perf has no chains"
	awk -v hidden="$hidden" '{ count = $1; $1 = ""; if (FNR <= 10) frequent[$0] }
		NR == FNR { perf[$0] = count; next } { ours[$0] = count }
		END {
			for (path in frequent)
				if (ours[path] + 0 > perf[path] + 0 || perf[path] - ours[path] > hidden) {
					print "perf " perf[path] + 0 ", kmemtraced " ours[path] + 0 ":" path
					wrong = 1
				}
			exit wrong
		}' by-perf by-us || fail "$name: perf and kmemtraced have other paths"
}

# shellcheck disable=SC2016 # of the other shell
same_paths sh -c 'for i in 1 2 3 4 5 6 7 8 9; do cat /etc/passwd | grep -c root; done'
same_paths find /etc /usr/share/doc -maxdepth 2 -newer /etc/passwd
same_paths tar cf /dev/null --exclude=cache /etc /var/lib/dpkg
exit 0
