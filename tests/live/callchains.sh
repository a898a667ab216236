#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf's call chains of kmalloc() and the stacks of --stacks=all, of the same allocations at the same
# time: the ten most frequent paths of three loads are the same, as often.
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
		for (last = depth; list[last] ~ /^(entry_|do_syscall_64|x64_sys_call|el0|do_el0|invoke_syscall)/; last--)
			;
		sub(/^(__(x64|do|se|arm64)_sys_|ksys_)/, "", list[last])
		sub(/^mmap_pgoff$/, "mmap", list[last])
		for (i = first; i <= last; i++)
			path = path (i > first ? " < " : "") list[i]
		if (depth)
			print path
		delete list
		depth = 0
	}' | sort | uniq -c | sort -k1,1rn -k2 | sed 's/^ *//'
}

# compare NAME COMM COMMAND…
compare()
{
	local name=$1 comm=$2

	shift 2
	"$kmemtraced" -q --stacks=all -m 128 -- perf record -q -g -m 64M -N -e kmem:kmalloc -o perf.data -- \
		"$@" >/dev/null 2>record.log || fail "$name: $(tail -n 3 record.log)"
	perf report -i perf.data --stats 2>/dev/null | awk '/LOST/ { n += $NF } END { exit n > 0 }' ||
		{ echo "$name: perf lost events" && return; }
	checked
	perf script -i perf.data -F comm,event,ip,sym 2>/dev/null | paths_of_perf "$comm" | head -n 10 >by-perf
	"$report" count --by=stack --where="name == \"kmalloc\" && comm == \"$comm\"" --format=json |
		jq -r '.count[] | "\(.count) \(.stack)"' | sort -k1,1rn -k2 | head -n 10 >by-us
	echo "$name: $(wc -l <by-perf) paths, the first: $(head -n 1 by-perf)"
	[ "$(wc -l <by-perf)" -ge 4 ] || fail "$name: perf has few chains: $(cat by-perf)"
	diff -u by-perf by-us || fail "$name: perf (-) and kmemtraced (+) have other paths"
	rm -rf kmemtrace.data
	compared=$((compared + 1))
}

# names that no other process has
for program in sh find tar; do
	ln -s "$(command -v $program)" kmt-$program
done
compared=0
compare pipes kmt-sh ./kmt-sh -c 'for i in 1 2 3 4 5 6 7 8 9; do cat /etc/passwd | grep -c root; done'
compare find kmt-find ./kmt-find /etc /usr/share/doc -maxdepth 3 -newer /etc/passwd
compare tar kmt-tar ./kmt-tar cf /dev/null --exclude=cache /etc /var/lib/dpkg
[ $compared -ge 2 ] || skip "perf lost events of two loads"
exit 0
