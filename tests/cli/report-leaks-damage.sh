#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The order of leaks by damage: a large leak is before steady rows of a few objects, a process that
# leaks is first although it also used a cache whose frees are missed, and objects of such a cache
# are weighed apart. A process that only seems to grow, in such a cache, is last.
. "$srcdir/cli/cli.sh"

# Five seconds. grow leaks 20,000 objects from 0.5 s on and node objects; steady leaks 35 objects,
# and few 35 more; churn allocates node objects, the frees of which are missed: each address is
# allocated again, but the last 1,000. fill allocates 30,000 objects in the first half second.
awk 'function address() { return sprintf("0xffff8%08x000", ++objects) }
	BEGIN {
		print "begin 0\nend 5s\ncache file 0xffff00010000 192 192\ncache node 0xffff00020000 256 256"
		sites = split("grow steady few fill churn", site)
		for (i = 1; i <= sites; i++) {
			printf "symbol 0xffff81%06x %s\n", i * 4096, site[i]
			printf "task %d %d %s\n", i, i, site[i]
		}
		for (step = 0; step < 10000; step++) {
			time = step * 500000
			if (step < 1000)
				for (i = 0; i < 30; i++)
					printf "calloc %.0f 0 %s file fill+0x10 task=4\n", time, address()
			if (step % 9 < 4 && step >= 1000)
				for (i = 0; i < 5; i++)
					printf "calloc %.0f 0 %s file grow+0x10 task=1\n", time, address()
			if (step % 100 == 50)
				printf "calloc %.0f 0 %s node grow+0x20 task=1\n", time, address()
			if (step % 285 == 10)
				printf "alloc %.0f 1 %s 192/192 steady+0x10 task=2\nalloc %.0f 1 %s 192/192 few+0x10 task=3\n",
					time, address(), time + 1, address()
			printf "calloc %.0f 1 0xffff9%08x000 node churn+0x10 task=5\n", time, step % 1000
			if (step % 30 == 0)
				printf "cfree %.0f 1 0xffff9%08x000 node churn+0x20 task=5\n", time + 1, step % 1000
		}
		print "complete yes"
	}' | "$mktrace" kmemtrace.data || exit 1
{
	for by in site task; do
		"$report" leaks --by=$by --format=csv | tr -d '\r' | cut -d, -f1,3,4,11,12,15-18
	done
	"$report" leaks --by=task | sed '1,/^$/d; /^ *$/q'
} >out
compare report-leaks-damage.expected out
