#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One malloc() or one system call fails, each in turn: no program crashes, and each ends with a
# documented exit status. If that is the status of a run without a failure, the output is the same,
# too. $KMEMTRACE_STRIDE=1 lets each call fail, not only each seventh.
. "$srcdir/cli/cli.sh"
stride=${KMEMTRACE_STRIDE:-7} failed=0

declare -A errors=([close]=EIO [getdents]=EIO [mmap]=ENOMEM [open]=EMFILE [read]=EIO [rename]=EIO
	[stat]=EIO [thread]=EAGAIN [unlink]=EIO [write]=ENOSPC)

# with_fault CALL N COMMAND…: writes its output to out and err, and its exit status to $status
with_fault()
{
	rm -rf mark written
	if [ "$1" = malloc ]; then
		env FAULT="$1:$2" FAULT_MARK="$scratch/mark" LD_PRELOAD="$builddir/tests/faults/fail.so" \
			timeout "$hang" "${@:3}" >out 2>err
	else
		timeout "$hang" "$builddir/tests/faults/inject" "$1" "$2" "${errors[$1]}" mark "${@:3}" \
			>out 2>err
	fi
	status=$?
}

# try CALL COMMAND…: each stride-th call fails. Without memory and files, and where it writes, a
# program may fail only; if a table cannot be read, its reader may go on without it.
try()
{
	local call=$1 n without status

	shift
	rm -rf written
	"$@" >good 2>good.err
	without=$?
	for ((n = 1;; n += stride)); do
		with_fault "$call" $n "$@"
		[ -s mark ] || break
		if [ $status -gt 2 ]; then
			wrong "$call $n: $*: exit status $status: $(tail -n 1 err)"
		elif [ $status != $without ] && [ ! -s err ] && cmp -s out good; then
			wrong "$call $n: $*: exit status $status without a word"
		elif [ $status = $without ] && [ "$call" != read ] && [ "$call" != stat ] && ! cmp -s out good; then
			wrong "$call $n: $*: exit status $status, but another output:" \
				"$(diff good out | head -n 5)"
		fi
	done
	runs=$((runs + (n - 1) / stride))
}

with_fault malloc 1 "$report" --version
[ -s mark ] || { echo "a library cannot be preloaded into these programs"; exit 77; }
with_fault open 1 "$check" "$srcdir/data/sample"
[ $status != 77 ] || { cat err; exit 77; }
runs=0
capture=$srcdir/data/sample
for view in summary findings timeline slabinfo; do
	try malloc "$report" $view -i "$capture"
done
try malloc "$report" leaks --format=json -i "$capture"
try malloc "$report" events --format=csv -i "$capture"
try malloc "$report" count --by=comm --hist=age --linear=bytes_req,0,1k,64 \
	--where='comm =~ "a"' -i "$capture"
try malloc "$report" sites --site='[a-f]' --cache='[m-z]' -i "$capture"
# a capture that was cut off
cp -r "$capture" cut
rm cut/kernel/status
truncate -s $(($(stat -c %s cut/cpu1) - 20)) cut/cpu1
for call in malloc open read mmap getdents stat close; do
	try $call "$report" -i "$capture"
	try $call "$check" --heap "$capture"
	try $call "$pack" -o written "$capture"
	try $call "$pack" --anonymize=tasks -o written "$capture"
	try $call "$check" --repair -o written cut
	try $call "$builddir/kmemtrace-import" -o written "$srcdir/data/perf-script.txt"
done
for call in write rename unlink; do
	try $call "$pack" -o written "$capture"
	try $call "$pack" --anonymize=tasks -o written "$capture"
	try $call "$check" --repair -o written cut
	try $call "$builddir/kmemtrace-import" -o written "$srcdir/data/perf-script.txt"
done
# a load that ends with 0 has taken all files
fleet=$builddir/kmemtrace-fleet
"$builddir/tests/fleet/hosts" --hosts=6 --interval=3600 --rows=6 kms >/dev/null || exit 1
mkdir kms/below
mv kms/host-0000[13].kms kms/below
intervals()
{
	"$fleet" --db=written --partial --format=csv sql "SELECT COUNT(*) FROM intervals" 2>/dev/null | tail -n 1
}
rm -rf written
if "$fleet" -q --db=written load kms; then
	all=$(intervals)
	for ((n = 1;; n++)); do
		with_fault getdents $n "$fleet" -q --db=written load kms
		[ -s mark ] || break
		[ $status != 0 ] || [ "$(intervals)" = "$all" ] ||
			wrong "getdents $n: a load with exit status 0 has loaded $(intervals) of $all"
	done
	runs=$((runs + n))
fi
echo "$runs runs"
[ $runs -ge 300 ] || wrong "that is too few"
exit $failed
