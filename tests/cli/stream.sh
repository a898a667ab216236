#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A capture as a stream: the views events and count print the same as of the directory, however the
# packets are divided; damaged and cut streams, and views that need a whole capture, are answered.
. "$srcdir/cli/cli.sh"
TMPDIR=$scratch/temporary
export TMPDIR
mkdir "$TMPDIR"

frame() # frame KIND NAME FILE
{
	printf '%s %s %d\n' "$1" "$2" "$(wc -c <"$3")"
	cat "$3"
}
field() # field FILE OFFSET: eight bytes
{
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}
# packets FILE: cuts a stream into packet.N, sets $packets
packets()
{
	packets=0 at=0
	while [ $at -lt "$(wc -c <"$1")" ]; do
		size=$(($(field "$1" $((at + 48))) / 8))
		tail -c +$((at + 1)) "$1" | head -c $size >"packet.$packets"
		packets=$((packets + 1)) at=$((at + size))
	done
}
# stream CAPTURE: the first packets of all streams, then of each stream the others, one a frame, with
# a time before which all events have come: that of the next packet of any stream
stream()
{
	echo 'kmemtrace-stream 1'
	for name in metadata kernel/status kernel/symbols kernel/gfp kernel/topology; do
		[ ! -e "$1/$name" ] || frame replace $name "$1/$name"
	done
	# half of the names come later
	head -n 2 "$1/kernel/caches" >first
	frame append kernel/caches first
	head -n 2 "$1/kernel/tasks" >first
	frame append kernel/tasks first
	: >order
	for file in "$1"/cpu*; do
		packets "$file"
		cpu=${file##*/}
		number=0
		while [ $number -lt $packets ]; do
			mv packet.$number $cpu.$number
			echo "$(field $cpu.$number 24) $cpu $number" >>order
			number=$((number + 1))
		done
		frame append $cpu $cpu.0
	done
	echo 'time 0'
	tail -n +3 "$1/kernel/caches" >rest
	frame append kernel/caches rest
	tail -n +3 "$1/kernel/tasks" >rest
	frame append kernel/tasks rest
	sort -n order | while read -r time cpu number; do
		echo "time $time"
		[ $number = 0 ] || frame append $cpu $cpu.$number
	done
	frame replace kernel/status "$1/kernel/status"
	echo end
}

"$mktrace" small <"$srcdir/cli/events.trace" || exit 1
"$mktrace" views <"$srcdir/cli/views.trace" || exit 1
cp -r "$srcdir/data/sample" sample
"$pack" -q -u -o whole sample 2>/dev/null || cp -r sample whole
for capture in small views whole; do
	stream $capture >stream
	for format in text json csv; do
		for view in events 'count --by=comm,cpu,cache --sum=bytes_alloc'; do
			# shellcheck disable=SC2086
			$report $view -i $capture --format=$format >expected 2>expected.log
			# shellcheck disable=SC2086
			$report $view -i - --format=$format <stream >got 2>got.log
			status=$?
			[ $status = 0 ] || { echo "$capture: $view: exit $status: $(cat got.log)"; failed=1; }
			sed -i '/^  *"unread"/d' expected got
			cmp -s expected got || { diff expected got | head; echo "$capture: $view, $format differs"; failed=1; }
			sed "s/$capture/-/" expected.log | cmp -s - got.log ||
				{ cat got.log; echo "$capture: $view: another message"; failed=1; }
		done
	done
	[ "$($report events -i - <stream 2>/dev/null | wc -l)" -ge 10 ] || { echo "$capture: few events"; failed=1; }
done

# say WHAT: reads standard input
say()
{
	echo "--- $1"
	$report events -i - -F name 2>&1 >/dev/null
	echo "exit $?"
}
stream small >stream
{
	say "not a stream" <small/metadata
	say "nothing" </dev/null
	head -n 1 stream | say "the first line only"
	head -c 3000 stream | say "cut before the begin"
	sed '/^end$/d' stream | say "without its end"
	sed 's/^time [1-9].*/tiem 1/' stream | say "a damaged line"
	{ echo 'kmemtrace-stream 1'; printf 'append ../escape 1\nx'; } | say "another path"
	{ echo 'kmemtrace-stream 1'; printf 'append cpu0 99999999999999\nx'; } | say "a frame that is too large"
	{ echo 'kmemtrace-stream 2'; } | say "a later version"
	echo "--- no temporary directory"
	TMPDIR=/proc/none $report events -i - <stream 2>&1
	echo "exit $?"
	echo "--- another view"
	$report sites -i - <stream 2>&1
	echo "exit $?"
	echo "--- stored, as an argument"
	"$check" stream 2>&1
	echo "exit $?"
	$report events -i stream 2>&1
	echo "exit $?"
} >out
# cut anywhere, or with bytes that are wrong: a report or a message, never a crash
size=$(wc -c <stream)
for cut in $(seq 0 $((size / 100 + 1)) "$size") $((size - 1)) $((size - 4)); do
	head -c "$cut" stream >cut.stream
	{
		head -c "$cut" stream
		printf '\377\000\n7'
		tail -c +$((cut + 5)) stream
	} >wrong.stream
	for file in cut.stream wrong.stream; do
		timeout "$hang" "$report" events -i - <$file >/dev/null 2>log
		case $? in
		0) ;;
		2) grep -q '^kmemtrace-report: ' log || { echo "$file, byte $cut: no message"; failed=1; } ;;
		*) echo "$file, byte $cut: $(cat log)"; failed=1 ;;
		esac
	done
done
compare stream.expected out
[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; echo "temporary files stay"; failed=1; }
exit $failed
