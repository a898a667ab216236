#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A profile whose trigger begins a full capture: it has every event of that time, the profile goes on, and
# the command gets the path. A trigger that fires meanwhile begins no other one. The command's signals are the
# default ones, also when those of kmemtraced are not.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

begin_files

full() { # the full captures
	find . -maxdepth 1 -name 'kmemtrace.data.full.*'
}

full_captures() {
	captures "$(full)"
}

commands_ran() {
	[ "$(wc -l <paths)" = 2 ]
}

trap '' PIPE USR2
start_daemon -q -p $load --profile=1k --max-samples=0 --trigger='live(filp) > 400k' --trigger='live(filp) > 500k' \
	--trigger-full=3s --trigger-command='echo "$KMEMTRACE_PATH" >>paths; grep -E "^Sig(Ign|Blk)" /proc/self/status >>signals; :'
trap - PIPE USR2
hold 8000
wait_for "the begin of the full capture" full_captures
# in the full capture: 4000 files are closed and opened
hold 4000
hold 8000
done_ns=$(date +%s%N)
wait_for "both commands" commands_ran
hold 0
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
end_files

[ "$(full | wc -l)" = 1 ] || fail "not one full capture: $(ls)"
full=$PWD/$(basename "$(full)")
while read -r name mask; do # signals 32 and 33 belong to libc, which lets no program change them
	[ $((0x$mask & ~0x180000000)) = 0 ] || fail "signals of the command: $name $mask"
done <signals
[ "$(sort -u paths)" = "$full" ] || fail "other paths: $(cat paths)"
grep -q "$full has every event of the next 3s" daemon.log || fail "no message: $(cat daemon.log)"
checked "$full"
# shellcheck disable=SC2046 # the offset of the clock: seconds and ns
set -- $(sed -n 's/.*offset_s = \([0-9]*\); offset = \([0-9]*\);.*/\1 \2/p' "$full/metadata")
[ "$done_ns" -lt $(($1 * 1000000000 + $2 + $(value "$full/kernel/status" end))) ] ||
	skip "the 3 seconds were over before the load"
checked kmemtrace.data
opened=$("$report" count -i "$full" --where="tid == $load && caller_function == \"alloc_empty_file\"" --format=json |
	jq '.count[0].count')
lost=$("$report" -i "$full" --format=json | jq '.loss.lost + .loss.skipped')
echo "files opened in the full capture: $opened of 4000, $lost lost or skipped"
[ "$opened" -le 4000 ] && [ "$opened" -ge $((4000 - lost)) ] || fail "the full capture has $opened of 4000 files"
exit 0
