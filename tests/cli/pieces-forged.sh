#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sets whose pieces were forged: one number, time or file of a set is changed at a time. kmemtrace-check says what
# is wrong and exits with 1; kmemtrace-report and kmemtrace-merge refuse the set, or say what they leave out.
. "$srcdir/cli/cli.sh"
need python3

merge=$builddir/kmemtrace-merge
"$pack" -q --split=20k -o whole "$srcdir/data/sample" || fail "pack"
"$check" -q whole || fail "the set is wrong before it is forged"
second=set/piece.000002 third=set/piece.000003

# forge COMMAND TEXT REPORT [MERGE]: what kmemtrace-check says of the set after the command, and the exit status of
# the others (MERGE: that of REPORT)
forge()
{
	rm -rf set merged
	cp -r whole set
	eval "$1" || fail "$1"
	"$check" -q set >said 2>&1
	[ $? = 1 ] && grep -qF -- "$2" said || wrong "$1: check does not say \"$2\" but $(cat said)"
	"$report" -v sites -i set >said 2>&1
	[ $? = "$3" ] || wrong "$1: report: $(cat said)"
	[ "$3" = 0 ] || grep -q 'kmemtrace-check' said || wrong "$1: report: $(cat said)"
	"$merge" -q -o merged set >said 2>&1
	[ $? = "${4:-$3}" ] || wrong "$1: merge: $(cat said)"
}

# status PIECE KEY VALUE, state PIECE KEY VALUE: replaces a line
status() { sed -i "s/^$2 .*/$2 $3/" "$1/kernel/status"; }
state() { sed -i "s/^$2 .*/$2 $3/" "$1/checkpoint/state"; }
number() { sed -i "s/kmt_piece = .*;/kmt_piece = $2;/" "$1/metadata"; }
header() { python3 "$srcdir/cli/forge.py" "$@"; }
gone() { rm "$1/cpu$2" && sed -i "/^cpu $2 /d" "$1/kernel/status"; }

# numbers that repeat, go backwards, or are those of another piece
forge "number $second 1" "$second/metadata: it is of piece 1, not of this one" 2
forge "number $second 9" "$second/metadata: it is of piece 9, not of this one" 2
forge "sed -i /kmt_piece/d $second/metadata" "$second/metadata: it is of piece 0, not of this one" 2
forge "number $second 3; number $third 2" "$third/metadata: it is of piece 2, not of this one" 2
forge "mv $second x; mv $third $second; mv x $third" "$second/metadata: it is of piece 3, not of this one" 2
forge "rm -r $second; mv $third $second" "$second/metadata: it is of piece 3, not of this one" 2

# pieces that are not there, and those of another run
forge "rm -r $second" "set: pieces are missing between piece.000001 and piece.000003, which are of one run" 0 1
forge "sed -i 's/uuid = \"..../uuid = \"0000/' set/piece.000001/metadata" \
	"$second: is of another run, but the piece before says that it is followed" 0 1
forge "sed -i 's/uuid = \"..../uuid = \"0000/' set/piece.000001/metadata" \
	"$second: has a checkpoint, but the piece before is of another run" 0 1

# times of pieces that overlap, have a gap between them, or are not those of the records
begin=$(awk '$1 == "begin" { print $2 }' whole/piece.000002/kernel/status)
until=$(awk '$1 == "until" { print $2 }' whole/piece.000002/kernel/status)
forge "status $second begin $((begin - 9))" "begin $((begin - 9)) differs from until $begin of the piece before" 2
forge "status $second begin $((begin + 9))" "begin $((begin + 9)) differs from until $begin of the piece before" 2
forge "status set/piece.000001 until $((begin - 9))" "begin $begin differs from until $((begin - 9)) of the piece" 2
forge "status $second until $((until + 9))" "until $((until + 9)), but a stream ends before that, at $until ns" 2
forge "status $second until 5" "until 5 is not between begin $begin and end" 2
forge "sed -i '/^until/d' $second/kernel/status" \
	"$third/kernel/status: the piece before does not say until when it has all events" 2
forge "status $second end 5" "end 5 is before begin $begin" 2
forge "status $second end $((until + 1))" "end $((until + 1)), but the streams end at" 0
forge "status $third end 9999999999999" "end 9999999999999, but the streams end at" 0
forge "status set/piece.000001 begin 9" "begin 9 is not in the time of the streams" 0
forge "status set/piece.000001 begin $((begin - 1)); status set/piece.000001 until $((begin - 2))" \
	"until $((begin - 2)) is not between begin $((begin - 1))" 2
forge "status set/piece.000001 begin 18446744073709551615" "is before begin 18446744073709551615" 2
forge "rm -r set/piece.000001; status $second begin $((begin - 9)); state $second begin $((begin - 9))" \
	"begin $((begin - 9)) is not in the time of the streams, $begin to" 0
forge "rm -r set/piece.000001; status $second begin $((begin + 9)); state $second begin $((begin + 9))" \
	"begin $((begin + 9)), but the streams of the piece begin at $begin ns" 0

# checkpoints that are of another time, or another piece
forge "rm -r set/piece.000001; state $second begin $((begin - 9))" \
	"begin $((begin - 9)) of checkpoint/state differs from begin $begin of kernel/status" 2
forge "rm -r set/piece.000001; state $second since $((begin + 9))" \
	"since $((begin + 9)) of checkpoint/state is after its begin $begin" 2
forge "rm -r set/piece.000001; state $second lost '9 9 1'" "events of checkpoint/state were lost between 9 and 1" 2
forge "rm -r $third/checkpoint; cp -r $second/checkpoint $third" "begin $begin of checkpoint/state differs from begin" 0
forge "state $second first_event '0 1'" "cpu0: its first event is 1, but the stream begins with 1532" 0

# streams that are not there, repeat events, or begin at another time
forge "gone $second 0" "$second: the stream of cpu0 is missing, but set/piece.000001/cpu0 exists" 0
forge "gone set/piece.000001 0" \
	"$second/cpu0: begins with event 1532, but the piece before has no stream of this CPU" 0
forge "gone $third 0" "$third: the stream of cpu0 is missing, but $second/cpu0 exists" 0
forge "cp set/piece.000001/cpu0 $second" "$second/cpu0: begins with event 0, but the piece before ends with 1531" 2
forge "header $second/cpu1 0 time_first=-5000 time_last=-5000" \
	"$second/cpu1: begins at $((begin - 5000)) ns, before the piece before it ends, at $begin ns" 2
forge "header set/piece.000001/cpu1 -1 time_first=-5000 time_last=-5000" \
	"$second/cpu1: begins at $begin ns, after the piece before it ends, at $((begin - 5000)) ns" 0
forge "header set/piece.000001/cpu1 -1 sequence_first=7 sequence_end=7" \
	"$second/cpu1: begins with event 0, but the piece before ends with 6" 2

# a repair knows the number of a piece without its metadata
rm -rf set
cp -r whole set
echo damaged >$second/metadata
"$check" -q --repair set >said 2>&1 || wrong "--repair: $(cat said)"
grep -q 'kmt_piece = 2;' $second/metadata || wrong "--repair: $(grep kmt_ $second/metadata)"
rm -r $second.damaged
"$check" -q set >said 2>&1 || wrong "after --repair: $(cat said)"
"$report" -v sites -i set >said 2>&1 || wrong "after --repair: $(cat said)"

# one piece alone
"$report" -v sites -i whole/piece.000002 >said 2>&1 || wrong "a piece: $(cat said)"
state whole/piece.000002 begin $((begin - 9))
"$report" -v sites -i whole/piece.000002 2>&1 | grep -q 'the times of the status are wrong: begin' ||
	wrong "a piece with a checkpoint of another time is shown as others are"
exit $failed
