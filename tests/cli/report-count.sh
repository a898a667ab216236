#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view count: groups, statistics, histograms and expressions in all formats; lower bounds where
# events are lost; figures equal to those that jq computes from the events; wrong options.
. "$srcdir/cli/cli.sh"
need jq

"$mktrace" kmemtrace.data <"$srcdir/cli/events.trace" || exit 1
grep -v '^lose' "$srcdir/cli/events.trace" | "$mktrace" whole || exit 1
# the number of skipped events is unknown: of all probes, of one probe
cp -r whole unknown
sed -i 's/^skipped .*/skipped unknown/' unknown/kernel/status
cp -r whole probed
echo 'probe vm.pagefault counted unknown skipped unknown software event' >>probed/kernel/status
report()
{
	"$report" "$@" 2>&1
	status=$?
	[ $status -eq 0 ] || echo "exit $status"
}
# try ARGUMENT…: the report below the lines about the capture and its heap
try()
{
	echo "--- $*"
	report count "$@" | sed '/^capture/,/^counted/{/^counted/!d;}'
}
{
	try -i whole
	try -i unknown --sum=bytes_alloc --avg=bytes_alloc
	try -i probed --sum=bytes_alloc --avg=bytes_alloc
	try -i whole --by=type,operation --sum=bytes_alloc --avg=bytes_req,age --min=age --max=age
	try --by=name,comm --sum=bytes_req,age --count=comm --avg=bytes_req
	try --by=cpu,requested_node,node,from_backup,cross_cpu,gfp_flags --min=time --max=ptr
	try -i whole --by=operation --hist=bytes_req,age
	try -i whole --linear=bytes_req,0,256,64 --where='operation == "allocation"'
	try -i whole --linear='age,1us,6us,1.5us'
	try -i whole --by='bytes_req / 100,bytes_req > 100' --sum='bytes_alloc - bytes_req'
	try -i whole --by=site --where='bytes_req > 100 && comm == "sh"' -s +site -l 1
	try -i whole --by=cpu --where='gfp_flags & __GFP_ZERO == __GFP_ZERO'
	try -i whole --where=false --by=cpu
	try -i whole --where=false --sum=bytes_req
	try -i whole --time=0.1, --by=outcome --cpu=1
	echo "--- json"
	report count -i whole --by=comm,cross_cpu --sum=bytes_req --avg=age --hist=age --format=json \
		--where='age > 3us' | jq -c .report,.query,.count[],.histogram[]
	echo "--- csv"
	report count -i whole --by=comm,age --avg=age --sum=bytes_req --format=csv | tr '\r' '~'
	echo "--- csv of a histogram"
	report count -i whole --by=comm --hist=bytes_req --format=csv | tr '\r' '~'
	for wrong in "--by=cmm" "--by=cpu," "--sum=comm" "--hist=ptr" "--where=cpu" \
		"--where=cpu==1,true" "--where=age>5" "--linear=bytes_req,0,10" \
		"--linear=bytes_req,0,10,0" "--linear=bytes_req,10,0,1" \
		"--linear=bytes_req,0,10,1,1" "--linear=bytes_req,0,1M,1" "--linear=age,0,10,1" \
		"--linear=bytes_req,cpu,10,1" "--by=gfp_flags&__GFP_NEW" "--older=1s" \
		"-Fcpu" "--by=1,2,3,4,5,6,7,8,9" "-snothing"; do
		try -i whole "$wrong"
	done
	echo "--- other views"
	report sites -i whole --sum=bytes_req
	report caches -i whole --by=cpu
	report sites -i whole -F cpu
} >out
compare report-count.expected out

# same NAME QUERY JQ: the rows of count, and what jq makes of the events, both sorted.
same()
{
	"$report" count -i "$capture" --format=json "$@" >json || exit 1
	jq -S '.count | map(del(.lower_bound)) | sort' json >counted
	jq -S -s "$program | sort" events >computed
	[ "$(jq length computed)" -ge 2 ] || { echo "$*: jq has no rows"; failed=1; }
	diff -u computed counted || { echo "$capture: $*: differs from jq"; failed=1; }
}
total='def total(f): map(f | values) | if length > 0 then add else null end;'
for capture in kmemtrace.data "$srcdir/data/sample"; do
	"$report" events -i "$capture" --format=json >events 2>/dev/null
	program="$total group_by([.comm, .cpu]) | map({ comm: .[0].comm, cpu: .[0].cpu, count: length,
		sum_bytes_req: total(.bytes_requested), sum_age: total(.age_ns),
		max_age: map(.age_ns) | max, min_bytes_alloc: (map(.bytes_allocated | values) | min) })"
	same --by=comm,cpu --sum=bytes_req,age --max=age --min=bytes_alloc
	program='map(select(.bytes_requested > 64 and .bytes_requested % 8 == 0 and
		((.site // "") | test("alloc|caller")))) | group_by([.site, .outcome]) |
		map({ site: .[0].site, outcome: .[0].outcome, count: length })'
	same --by=site,outcome --where='size > 64 && size % 8 == 0 && site =~ "alloc|caller"'
	program='group_by([.alloc_site, .cache]) | map({ alloc_site: .[0].alloc_site,
		cache: .[0].cache, count: length })'
	same --by=alloc_site,cache
	# the buckets of a histogram hold the same events
	"$report" count -i "$capture" --by=cpu --hist=bytes_req --format=json |
		jq -S '.histogram | map({ cpu, from, count } | select(.count > 0)) | sort' >counted
	jq -S -s 'map(select(.bytes_requested != null) | { cpu, from: (if .bytes_requested == 0 then 0
		else .bytes_requested | log2 | floor | exp2 end) }) | group_by([.cpu, .from]) |
		map(.[0] + { count: length }) | sort' events >computed
	diff -u computed counted || { echo "$capture: the histogram differs from jq"; failed=1; }
	# the same selection of events
	where='cpu == 1 && (operation == "free" || bytes_alloc >= 256) && !(comm =~ "^s")'
	"$report" events -i "$capture" -F time,comm --format=json \
		--where="$where" 2>/dev/null | jq -c . >counted
	jq -c 'select(.cpu == 1 and ((.event | test("free")) or .bytes_allocated >= 256) and
		.comm != null and (.comm | test("^s") | not)) | { time: .time_ns, comm }' \
		events >computed
	[ -s computed ] || { echo "$capture: no events are selected"; failed=1; }
	diff -u computed counted >differences ||
		{ head -20 differences; echo "$capture: events differ from jq"; failed=1; }
done
# a heading that one column has is a sort key
for sign in '' + -; do
	for key in sum_bytes_req sum; do
		"$report" count -i whole --by=name,comm --sum=bytes_req -s $sign$key --format=csv >sorted.$key 2>errors ||
			{ echo "-s $sign$key: $(cat errors)"; failed=1; }
	done
	cmp sorted.sum sorted.sum_bytes_req || failed=1
done
# groups without a value are behind those with one
"$report" count -i whole --by=type,operation --sum=bytes_req -s sum --format=csv | tr -d '\r' | awk -F, 'NR > 1 { print $4 == "" ? "-" : "n" }' | uniq >order
[ "$(xargs <order)" = "n -" ] || { echo "sums that are not known: $(xargs <order)"; failed=1; }
"$report" count -i whole --by=comm --sum=bytes_req,bytes_alloc -s sum >sorted 2>errors && { echo "two sums: exit 0"; failed=1; }
grep -q 'no sort key is named "sum"' errors || { echo "two sums: $(cat errors)"; failed=1; }
exit $failed
