#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Process events: kmemtrace-check accepts what a kernel can report, and nothing else; packed, of
# another byte order or anonymized they are the same; the views of slab objects do not count them.
. "$srcdir/cli/cli.sh"
trace=$srcdir/cli/process.trace

events()
{
	$report "$1" events --format=json 2>/dev/null \
		-F time,cpu,tid,pid,comm,name,probe,task,address,length,write_access,fault_type,zero,victim,call_site,site,caller_function,module,ptr,bytes_req,bytes_alloc,gfp_flags,type,zindx,requested_node,operation,outcome,age
}

for endian in little big; do
	{ echo "endian $endian"; cat "$trace"; } | "$mktrace" $endian || exit 1
	"$check" -q --heap $endian || wrong "kmemtrace-check $endian"
	events $endian >$endian.json
done
cmp little.json big.json || wrong "the byte orders differ"
cp -r little packed
"$pack" -q packed || wrong "kmemtrace-pack"
cmp -s little/cpu0 packed/cpu0 && wrong "nothing is packed"
events packed | cmp - little.json || wrong "packed"
"$pack" -q -u packed && cmp little/cpu0 packed/cpu0 && cmp little/cpu1 packed/cpu1 ||
	wrong "unpacked"
# the addresses are others, all else is the same
"$pack" -q -u --anonymize -o copy little || wrong "--anonymize"
"$check" -q --heap copy || wrong "kmemtrace-check of the copy"
events copy >copy.json
grep -q '7f0000001008\|555500001234\|7f0000010000' little.json || wrong "no addresses"
grep '7f000000\|5555000\|7f00000100' copy.json && wrong "addresses of processes are in the copy"
hide()
{
	sed 's/"0x[0-9a-f]*[0-9a-f]\{3\}"/"0x"/g; s/"[^"]*site": "[^"]*"/"site"/g' "$1"
}
hide little.json >little.hidden
hide copy.json | diff little.hidden - || wrong "the copy differs"

# slab objects are as without process events
grep -v '^pagefault\|^write_shared\|^mmap\|^munmap\|^brk\|^oom' "$trace" | "$mktrace" without
for view in sites caches leaks lifetimes cpus findings; do
	$report -v little $view | sed '1,/^$/d' >with.$view
	$report -v without $view | sed '1,/^$/d' | cmp - with.$view || wrong "the view $view"
done
# the columns before those of process events
$report little timeline --format=csv 2>/dev/null | cut -d, -f1-14 >with.timeline
head -n 1 with.timeline | grep -q ',peak_bytes$' || wrong "the columns of the timeline"
$report without timeline --format=csv 2>/dev/null | cut -d, -f1-14 | cmp - with.timeline ||
	wrong "the view timeline"

# values that no kernel reports
{
	cat "$trace"
	echo "pagefault 1101ms 0 0x1000 0x1000 3"
	echo "pagefault 1102ms 0 0x1000 0x1000 0 mode=3"
	echo "pagefault.return 1103ms 0 0x1000 0x1000 4"
	echo "write_shared_copy 1104ms 0 0x1000 2"
	echo "mmap 1105ms 0 0x1000 1 gfp=0xcc0"
	echo "munmap 1106ms 0 0x1000 1 node=0"
	echo "oom_kill 1107ms 0 0x100000000"
	echo "write_shared 1108ms 0 0x100000000"
} | "$mktrace" impossible || exit 1
printf '%s\n' 'word 32' 'begin 1s' 'end 2s' 'mmap 1107ms 0 0xbf000000 4096' \
	'write_shared 1108ms 0 0x100000000' 'complete yes' | "$mktrace" narrow32 || exit 1
{
	$report -v little | sed '/^$/q'
	echo "--- counters"
	$report little --format=json | sed -n '/process_events/p; /"slab_recorded"/,/]/p'
	echo "--- no slab events"
	{ echo no_slab; grep -v '^alloc\|^free' "$trace"; } | "$mktrace" no_slab
	$report -v no_slab | sed '/^$/q'
	"$check" no_slab
	$report little events --format=json 2>/dev/null | sed -n 5p
	echo "--- events"
	$report -v little events
	cat little.json
	echo "--- count"
	$report -v little count --by=probe --sum=length
	$report little count --format=json --by=fault_type --min=length --max=length --count=address |
		sed -n '/"query"/,$p'
	"$mktrace" slab <"$srcdir/cli/events.trace"
	$report slab count --by=probe,type --format=csv
	for probes in 'vm.*' 'vm.kmalloc' 'vm.k*node,vm.pagefault*' '*' 'vm.[a-m]*' dtmalloc:::malloc \
		dtmalloc:::free dtmalloc::: ::kmalloc-128: filp:malloc dtmalloc::filp:free ::f*:free \
		dtmalloc::no_type: vm.brk,:::free; do
		$report slab count --probes="$probes" --format=json >slab.json || wrong "$probes"
		$report little count --probes="$probes" --format=json >little.json || wrong "$probes"
		echo "$probes: $(sed -n 's/^    "counted": \([0-9]*\).*/\1/p' slab.json little.json | tr '\n' ' ')"
	done
	$report -v little count --probes=vm.brk --where='length > 0 || length == null' | sed '/^$/q'
	$report -v little count --probes=vm.brk | sed '/^$/q'
	$report -v little events --probes=vm.mmap,vm.brk 2>/dev/null
	for probes in vm.kfre vm.mmaps, '' vm.mmap, dtmaloc:::malloc dtmalloc:::realloc dtmalloc::a:b:free \
		dtmalloc:kernel:x:free; do
		$report -v little count --probes="$probes" 2>&1 | head -n 1
	done
	$report -v little sites --probes=vm.brk 2>&1 | head -n 1
	for capture in impossible narrow32; do
		echo "--- $capture"
		"$check" $capture
		echo "exit $?"
	done
} >out 2>&1
compare process-events.expected out
exit $failed
