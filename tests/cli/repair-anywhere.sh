#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A capture is cut, has flipped bits or lacks a file, at many offsets: kmemtrace-check finds each
# damage that a CRC covers, no program crashes, and the repaired capture passes every check. Of the
# offsets, each third one is tried, each one with ./test all, or each $KMEMTRACE_STRIDE-th.
. "$srcdir/cli/cli.sh"

flip()
{
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\$(printf %o $((byte ^ 1 << $2 % 8)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
fail()
{
	echo "$what: $1"
	cat out
	failed=1
}
# try STATUS: checks and repairs the capture "damaged". $what describes the damage. STATUS is the
# lowest allowed exit status of the check: 1 if it must find the damage, else 0.
try()
{
	"$check" damaged >out 2>&1
	status=$?
	[ $status -gt 2 ] || [ $status -lt "$1" ] && fail "kmemtrace-check: exit $status"
	"$report" -i damaged >out 2>&1
	status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || fail "kmemtrace-report: exit $status"
	"$check" --repair damaged >out 2>&1 || fail "--repair: exit $?"
	"$check" damaged >out 2>&1 || fail "after it: exit $?"
	"$report" -i damaged --format=json >out 2>&1 || fail "report: exit $?"
	seen=$(sed -n 's/.*"seen": \([0-9]*\),/\1/p' out)
	# If the status is undamaged, every event is still accounted for.
	case $file in
	cpu*) [ "$seen" = "$all" ] || fail "seen $seen, not $all" ;;
	esac
	rm -rf damaged damaged.damaged
}

tried=0 stride=3
[ "${KMT_TIER-}" != all ] || stride=1
stride=${KMEMTRACE_STRIDE:-$stride}
"$mktrace" good <"$srcdir/cli/small.trace" || exit 1
all=$("$report" -i good --format=json | sed -n 's/.*"seen": \([0-9]*\),/\1/p')
for file in cpu0 cpu1 metadata kernel/status kernel/caches kernel/symbols; do
	size=$(stat -c %s good/$file)
	certain=0
	case $file in cpu*) certain=1 ;; esac
	for at in 0 1 3 4 7 50 111 112 113 150 "$((size / 3))" "$((size / 2))" \
		"$((size - 113))" "$((size - 112))" "$((size - 2))" "$((size - 1))"; do
		{ [ "$at" -ge 0 ] && [ "$at" -lt "$size" ]; } || continue
		tried=$((tried + 1))
		[ $((tried % stride)) -eq 0 ] || continue
		cp -r good damaged
		truncate -s "$at" damaged/$file
		what="$file cut at $at"
		try $certain
		cp -r good damaged
		flip damaged/$file "$at"
		what="$file flipped at $at"
		try $certain
	done
	cp -r good damaged
	rm damaged/$file
	what="without $file"
	try 1
done

# Only the last packet of a stream is left. It counts lost events, but the first packet of a stream
# must not.
file=cpu0
size=$(stat -c %s good/$file)
cp -r good damaged
dd if=/dev/zero of=damaged/$file bs=1 count=$((size - 112)) conv=notrunc 2>/dev/null
what="$file zeroed, except for its last packet"
try 1

exit $failed
