#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One call of kmemtraced or of a library in it fails, each in turn: memory, files, the disk, threads,
# bpf(2). kmemtraced neither crashes nor hangs. Exit status 0: the capture has everything that it has
# without a failure. Exit status 2: a message says what failed; the older capture is not lost; a
# capture that has begun is consistent, or --repair makes it so. The same for a kill before a call.
# KMEMTRACE_STRIDE=1: each call, not only each n-th of the table below.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"

# each line: what fails, with which error, and how many calls are left out
faults="
stack ENOMEM 120
bpf ENOMEM 160
close EIO 2500
fallocate ENOSPC 6
flock ENOLCK 4
getdents EIO 120
mkdir ENOSPC 3
mmap ENOMEM 19
open EMFILE 2300
read EIO 8500
readlink EIO 600
rename EIO 5
stat EIO 3900
thread EAGAIN 3
truncate EIO 1
unlink EIO 27
write ENOSPC 250
open KILL 2300
rename KILL 7
unlink KILL 27
write KILL 250
"
inject=$builddir/tests/faults/inject
published=$scratch/published/memstat
options="-z --publish=$published"
runs=0
mkdir published

broken() {
	echo "wrong: $fault $n: $*: $(head -n 2 err)"
	failed=1
}

# One line for each table: what must be the same in every capture of this kernel
tables() {
	gzip -dc "$1/kernel/symbols" | grep -c '^[^[]*$'
	gzip -dc "$1/kernel/symbols" | grep -c '^# module '
	cat "$1/kernel/gfp" "$1/kernel/topology" "$1"/kernel/formats/* | cksum
	grep -c '^kmalloc ' "$1/kernel/caches"
	grep '^alias ' "$1/kernel/caches" | sort -u | wc -l
	grep -c '^sizes ' "$1/kernel/slabinfo"
	grep -c '^read ' "$1/kernel/slabinfo"
	grep -c '^task ' "$1/kernel/tasks" | grep -c '[0-9][0-9]'
	grep '^complete' "$1/kernel/status"
}

# Another task has loaded a module or made a cache meanwhile: a capture without a failure has the new tables too.
tables_changed() {
	"$kmemtraced" -q -z -o fresh true && tables fresh >fresh.tables && tables capture | cmp -s fresh.tables - || return
	echo "tables of this kernel have changed: $(cat diff)"
	mv fresh.tables good.tables
}

# with_fault COMMAND…: in ./capture, where an older capture is; sets $code
with_fault() {
	rm -rf mark capture capture.* published/memstat*
	cp -r good capture
	cp -r good capture.old
	echo >>capture.old/metadata
	if [ "$fault" = stack ]; then
		FAULT="$fault:$n" FAULT_MARK=$scratch/mark LD_PRELOAD=$builddir/tests/faults/fail.so \
			timeout -k 5 120 "$@" 2>&1 | cat >err
	else
		timeout -k 5 120 "$inject" "$fault" "$n" "$error" mark "$@" 2>&1 | cat >err
	fi
	code=${PIPESTATUS[0]} # the pipe is closed when all processes of kmemtraced have ended
}

repaired() { # the capture is consistent, or as one that was killed
	"$check" capture >check.log 2>&1 && return
	[ "$code" != 0 ] || return
	grep -q 'cut off' check.log && "$check" --repair -o capture.whole capture >repair.log 2>&1 &&
		"$check" capture.whole >check.log 2>&1
}

judge() { # of a run whose call has failed
	if [ "$error" = KILL ]; then
		[ $code = 137 ] || broken "killed: exit status $code"
	elif [ $code != 0 ] && [ $code != 2 ]; then
		broken "exit status $code"
	elif [ $code = 2 ] && ! grep -q '^kmemtraced: ..*: ' err; then
		broken "exit status 2 without a message that says what failed"
	fi
	if cmp -s good/metadata capture/metadata; then
		[ "$error" = KILL ] || [ -e capture.old/metadata ] || broken "the capture before the older one is gone"
	else
		cmp -s good/metadata capture.old/metadata || broken "the older capture is gone"
		if [ -e capture ]; then
			repaired || broken "$(head -n 2 check.log)"
		fi
	fi
	[ $code != 0 ] || ! cmp -s good/metadata capture/metadata || broken "exit status 0 without a capture"
	[ $code != 0 ] || tables capture | diff good.tables - >diff || tables_changed ||
		broken "exit status 0, but tables differ: $(cat diff)"
	[ $code = 2 ] && [ "$fault" = unlink ] && grep -q 'memstat: cannot be removed' err && rm published/memstat
	[ "$error" = KILL ] || [ ! -e published/memstat ] || broken "a published file is left"
	[ "$error" = KILL ] || [ -z "$(find . -maxdepth 1 -name 'capture.new.*')" ] || broken "the start left $(ls -d capture.new.*)"
}

# shellcheck disable=SC2086 # several options
"$inject" unlink 0 EIO mark "$kmemtraced" -q $options -o good -- true 2>err
code=$?
[ $code != 77 ] || skip "$(cat err)"
[ $code = 0 ] && [ -s mark ] || fail "without a failure: exit $code: $(cat err)"
rm -rf good
# shellcheck disable=SC2086 # several options
"$kmemtraced" -q $options -o good -- true || fail "without a failure: exit $?"
checked good
tables good >good.tables

while read -r fault error stride; do
	[ -n "$fault" ] || continue
	stride=${KMEMTRACE_STRIDE:-$stride} before=$runs
	for ((n = 1 + stride / 2; ; n += stride)); do
		# shellcheck disable=SC2086 # several options
		with_fault "$kmemtraced" -q $options -o capture -- true
		[ -s mark ] || break
		judge
		runs=$((runs + 1))
	done
	echo "$fault $error: $((runs - before)) runs"
	[ $runs -gt $before ] || broken "no such call"
done <<<"$faults"

# the published file cannot be removed: one of the last calls; the file for --status is removed after it
fault=unlink error=EIO n=0
# shellcheck disable=SC2086 # several options
with_fault "$kmemtraced" -q $options -o capture -- true
last=$(cat mark)
for ((n = last; n > last - 5; n--)); do
	# shellcheck disable=SC2086 # several options
	with_fault "$kmemtraced" -q $options -o capture -- true
	grep -q 'memstat: cannot be removed' err && break
done
[ -s mark ] && [ $code = 2 ] || broken "the published file cannot be removed: exit status $code"
judge
checked capture

# without a capture, nothing but the published file is written
fault=stack error=ENOMEM
for ((n = 1; ; n += ${KMEMTRACE_STRIDE:-300})); do
	with_fault "$kmemtraced" -q --publish="$published" --no-capture -d 0.02
	[ -s mark ] || break
	[ $code = 0 ] || [ $code = 2 ] || broken "exit status $code"
	[ $code = 0 ] || grep -q '^kmemtraced: ..*: ' err || broken "exit status $code without a message that says what failed"
	[ ! -e published/memstat ] || broken "a published file is left"
	runs=$((runs + 1))
done

# what the kills left
"$kmemtraced" -q --publish="$published" -o capture -- true || fail "after the faults: exit $?"
checked capture
left=$(find . -maxdepth 1 -name 'capture.new.*')
[ -z "$left" ] || fail "the next start left $left"
echo "$runs runs"
[ $runs -ge 25 ] || fail "that is too few"
exit $failed
