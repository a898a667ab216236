#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The waste of the flow, of the live heap and of the peak, by call site and by slab cache, is that of
# a heap of awk from the events of real captures. The classes of sizes and their sites add up to it,
# and each advice names a class of the capture and what it saves.
. "$srcdir/cli/cli.sh"
for tool in jq xz; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done

# Prints the waste of the flow, the live heap and the peak for each name: column 5 or 6 of the events.
# An object that requested more than it got wastes nothing.
heap_of_awk() # heap_of_awk COLUMN <EVENTS
{
	awk -F '\t' -v column="$1" '
	function change(name, sign, waste, bytes) {
		live[name] += sign * waste
		held += sign * bytes
		names[name]
		if (held <= most)
			return
		most = held
		for (one in live)
			peak[one] = live[one]
	}
	$1 == "allocation" && $2 != "0x0" && $2 != "0x10" {
		if ($2 in bytes_of)
			change(name_of[$2], -1, waste_of[$2], bytes_of[$2])
		name_of[$2] = $column
		bytes_of[$2] = $4
		waste_of[$2] = $4 > $3 ? $4 - $3 : 0
		flow[$column] += waste_of[$2]
		change($column, 1, waste_of[$2], $4)
	}
	$1 == "resize" && $2 in bytes_of && $3 <= bytes_of[$2] {
		change(name_of[$2], -1, waste_of[$2], bytes_of[$2])
		flow[name_of[$2]] += bytes_of[$2] - $3 - waste_of[$2]
		waste_of[$2] = bytes_of[$2] - $3
		change(name_of[$2], 1, waste_of[$2], bytes_of[$2])
	}
	$1 == "free" && $2 in bytes_of {
		change(name_of[$2], -1, waste_of[$2], bytes_of[$2])
		delete bytes_of[$2]
	}
	END {
		for (name in names)
			printf "%s\t%d\t%d\t%d\n", name, flow[name], live[name], peak[name]
	}' | sort
}

compare_view() # compare CAPTURE VIEW COLUMN
{
	heap_of_awk "$3" <events >expected
	"$report" "$2" "$1" --format=json >report.json || failed=1
	jq -r ".$2[] | select(.allocations > 0) | [.${2%s}, .bytes_wasted, .live_waste, .peak_waste] | @tsv" report.json |
		awk -F '\t' '{ for (i = 2; i <= 4; i++) sum[$1, i] += $i; names[$1] }
			END { for (name in names) print name "\t" sum[name, 2] "\t" sum[name, 3] "\t" sum[name, 4] }' |
		sort >shown
	diff -u expected shown || { echo "$1: $2 differs from the heap of awk"; failed=1; }
	awk -F '\t' '$4 > 0 { found = 1 } END { exit !found }' shown ||
		{ echo "$1: $2: nothing is wasted at the peak: the comparison shows nothing"; failed=1; }
	jq -e "([.$2[].peak_waste] | add) == .totals.peak_waste and ([.$2[].live_waste] | add) == .totals.live_waste" \
		report.json >/dev/null || { echo "$1: $2 does not add up to the totals"; failed=1; }
}

for name in sample 6.1-amd64 6.12-amd64 6.12-arm64; do
	capture=$srcdir/data/$name
	if [ $name != sample ]; then
		xz -dc "$srcdir/data/guests/$name.tar.xz" | tar -xf - || exit 1
		capture=$name
	fi
	"$report" events "$capture" --format=json \
		-F operation,ptr,bytes_req,bytes_alloc,site,type 2>/dev/null |
		jq -r '[.operation, .ptr, .bytes_req // 0, .bytes_alloc // 0, .site, .type // ""] | @tsv' >events
	compare_view "$capture" sites 5
	compare_view "$capture" caches 6
	"$report" caches "$capture" --format=json --cache='^(dma-)?kmalloc-' >kmalloc.json
	"$report" sizes "$capture" --format=json --cache='^(dma-)?kmalloc-' >sizes.json
	for key in bytes_wasted live_waste peak_waste; do
		jq -n --slurpfile sizes sizes.json --slurpfile caches kmalloc.json -e "
			([\$caches[0].caches[].$key] | add) as \$sum |
			[\$sizes[0].classes, \$sizes[0].class_sites | [.[].$key] | add == \$sum] | all" \
			>/dev/null || { echo "$capture: $key of sizes is not that of caches"; failed=1; }
	done
	jq -e '.class_sites | all(.less_bytes == null or
		(. as $row | .advice | contains("\($row.less_bytes) byte\(if $row.less_bytes == 1 then "" else "s" end) less would fit \($row.fits)")))' sizes.json >/dev/null ||
		{ echo "$capture: an advice is wrong"; failed=1; }
done

# One request of 584 bytes, of four at the peak, is 72 bytes above kmalloc-512, which this kernel has; it
# has no kmalloc-cg-512. 700 bytes are not near a class. The fifth object comes after the peak,
# and one of 68 bytes is freed before.
"$mktrace" scripted <<'TRACE' || exit 1
kernel 6.12.0
begin 10s
end 20s
gfp 0x400000 __GFP_ACCOUNT
symbol 0xffff81000000 alloc_near
symbol 0xffff81000100 alloc_far
symbol 0xffff81000200 free_it
symbol 0xffff81000300 alloc_early
alloc 10500ms 0 0xffff00105000 68/128 alloc_early+0x10
free 10600ms 0 0xffff00105000 free_it+0x8
alloc 11s 0 0xffff00100000 584/1024 alloc_near+0x10
alloc 12s 0 0xffff00101000 584/1024 alloc_near+0x10
alloc 13s 0 0xffff00102000 584/1024 alloc_near+0x20 gfp=0x400000
alloc 14s 0 0xffff00103000 700/1024 alloc_far+0x10
free 15s 0 0xffff00101000 free_it+0x8
free 15500ms 0 0xffff00103000 free_it+0x8
alloc 16s 0 0xffff00104000 584/1024 alloc_near+0x10
TRACE
for class in 64 512 1k 2k cg-64 cg-1k; do
	echo "kmalloc kmalloc-$class"
done >>scripted/kernel/caches
{
	"$report" sizes scripted | sed '1,/^$/d'
	"$report" sites scripted -s waste -F site,peak_waste,live_waste,bytes_wasted | sed '1,/^$/d'
	"$report" caches scripted -s -live_waste -F cache,live_waste | sed '1,/^$/d'
	echo "--- the peak is not known"
	"$report" sizes scripted --older=1ms | sed '1,/^$/d; /^Requested/,$d'
	"$report" sites scripted --older=1ms -s waste -F site,peak_waste,live_waste | sed '1,/^$/d'
	echo "--- upper bounds: a free of the cache was missed"
	"$mktrace" missed <<-TRACE || exit 1
		kernel 6.12.0
		begin 10s
		end 20s
		symbol 0xffff81000000 alloc_twice
		alloc 11s 0 0xffff00100000 584/1024 alloc_twice+0x10
		alloc 12s 0 0xffff00100000 584/1024 alloc_twice+0x10
	TRACE
	"$report" missed | sed -n '/^What is wasted/,/^$/p'
	"$report" sites missed -F site,peak_waste,live_waste | sed '1,/^$/d'
	"$report" caches missed -F cache,peak_waste,live_waste | sed '1,/^$/d'
	"$report" sizes missed | sed '1,/^$/d; /^Requested/,$d'
} >out 2>&1
compare waste.expected out
exit $failed
