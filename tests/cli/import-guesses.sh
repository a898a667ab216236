#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A recording does not name the class of a kmalloc(): the header says that the name is a guess. It is
# unknown where the size does not decide it: with slab debugging, and from 16 KiB on if the page
# size is not known.
. "$srcdir/cli/cli.sh"

# sizes REQUESTED/ALLOCATED…: a text of perf script with an allocation of each.
sizes()
{
	for size; do
		time=$((time + 1))
		echo "app 100 [000] 10.00000000$time: kmem:kmalloc: call_site=foo+0x10 ptr=0xffff00010${time}000000" \
			"bytes_req=${size%/*} bytes_alloc=${size#*/} gfp_flags=GFP_KERNEL|__GFP_ACCOUNT node=-1"
	done
}

explain()
{
	echo "--- $1"
	"$builddir/kmemtrace-import" -o got text 2>&1 | grep 'kmalloc'
	"$check" got
	"$report" caches --format=csv -i got 2>errors | sed 's/,.*//'
	"$report" caches -i got 2>errors | grep '^quality'
	"$report" caches -v -i got 2>errors | tr -s ' \n' ' ' | sed 's/.*\(the classes.*\) allocated [0-9]* obj.*/\1/'
	echo
}

time=0
{
	sizes 64/64 90/96 8000/8192 >text
	explain classes
	sizes 1000/1024 20000/32768 131072/131072 200000/262144 >text
	explain 'unknown page size'
	{ echo '# arch : x86_64' && cat text; } >with-arch && mv with-arch text
	explain 'known page size'
	time=0
	sizes 64/96 1000/3072 200/640 200000/262144 >text
	sed -i 's/|__GFP_ACCOUNT//; /=262144/s/ptr=[^ ]*/ptr=(nil)/' text
	explain 'slab debugging'
	sizes 20000/32768 150000/196608 >text
	explain '64 KiB pages'
} >out
compare import-guesses.expected out
