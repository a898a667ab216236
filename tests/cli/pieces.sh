#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sets of pieces. A capture that is split into pieces shows the same in each view; the figures of the
# pieces, each read alone, add up to those of the capture; and at the end of each piece the same
# objects are live as in the capture at that time. Captures of other kernels, of both byte orders; three
# of them if $KMEMTRACE_STRIDE is larger than 1.
. "$srcdir/cli/cli.sh"
need xz
need jq

# run STATUS COMMAND...: writes its output to the file said
run()
{
	local expected=$1 status

	shift
	"$builddir/$1" "${@:2}" >said 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat said)"
}

says()
{
	grep -qF -- "$1" said || wrong "it does not say \"$1\" but: $(cat said)"
}

# report CAPTURE VIEW [OPTION...]: as JSON, without what names the capture
report()
{
	"$report" "$2" --format=json -l 0 "${@:3}" -i "$1" 2>/dev/null |
		grep -v '^    "piece'
}

# value FILE KEY: of kernel/status
value()
{
	awk -v key="$2" '$1 == key { print $2 }' "$1/kernel/status"
}

same_in_each_view()
{
	local view

	for view in summary sites caches sizes leaks lifetimes timeline cpus nodes findings; do
		report "$1" $view >whole.json
		report "$2" $view >set.json
		[ -s whole.json ] || wrong "$1: $view shows nothing"
		cmp -s whole.json set.json ||
			wrong "$1: $view of the pieces: $(diff whole.json set.json | head -5)"
	done
}

counters='.totals | { allocations, frees, failed, bytes_requested, bytes_allocated, missed_frees,
	frees_unmatched, null_frees, resizes, repeated, from_backup, cross_cpu_frees, own_allocations, own_frees }'
live='[.. | objects | select(has("site") and .live_objects > 0) |
	{ site, address, live_objects, live_bytes }] | sort_by(.site, .address)'

each_alone()
{
	local name=$1 piece begin until

	begin=$(value "$name" begin)
	rm -f counted
	for piece in "$name".set/piece.*; do
		report "$piece" sites >piece.json
		jq -c "($counters) + (.loss | {lost, recorded})" piece.json >>counted
		until=$(value "$piece" until)
		report "$name" sites ${until:+--at=$((until - begin))ns} >whole.json
		jq "$live" piece.json >piece.live
		jq "$live" whole.json >whole.live
		cmp -s piece.live whole.live ||
			wrong "$piece: live: $(diff piece.live whole.live | head -5)"
	done
	jq -s -S 'reduce .[] as $piece ({}; . as $sum | $piece | with_entries(.value += ($sum[.key] // 0)))' \
		counted >sum.json
	report "$name" sites | jq -S "($counters) + (.loss | {lost, recorded})" >whole.json
	cmp -s sum.json whole.json ||
		wrong "$name: the pieces add up to $(diff whole.json sum.json)"
}

# A part of the time: a set is read from the last checkpoint before it. Live objects at a time: from
# one piece.
same_at_times()
{
	local begin end middle times part

	part='[.sites, (.totals | { allocations, frees, live_objects })]'
	begin=$(value "$1" begin)
	end=$(value "$1" end)
	middle=$(((end - begin) / 2))
	for times in "$((middle - middle / 4))ns,$((middle + middle / 4))ns" "${middle}ns," ",${middle}ns"; do
		report "$1" sites --time="$times" | jq "$part" >whole.json
		report "$1.set" sites --time="$times" | jq "$part" >set.json
		cmp -s whole.json set.json ||
			wrong "$1 --time=$times: $(diff whole.json set.json | head -5)"
	done
	report "$1" sites --at=${middle}ns | jq "$live" >whole.json
	report "$1.set" sites --at=${middle}ns | jq "$live" >set.json
	cmp -s whole.json set.json ||
		wrong "$1 --at=${middle}ns: $(diff whole.json set.json | head -5)"
}

names="sample 6.1-armhf 6.12-s390x"
[ "${KMEMTRACE_STRIDE:-1}" -gt 1 ] ||
	names="$names 5.10-amd64 6.1-amd64 6.1-arm64 6.1-s390x 6.12-amd64 6.12-arm64"
for name in $names; do
	if [ $name = sample ]; then
		cp -r "$srcdir/data/sample" sample
	else
		xz -dc "$srcdir/data/guests/$name.tar.xz" | tar -xf - || exit 1
	fi
	# packets are not split: smaller ones make more pieces
	run 0 kmemtrace-pack --split=20k -o $name.set $name
	[ "$(ls $name.set | wc -l)" -gt 1 ] || wrong "$name: one piece"
	# planted errors are found in a piece, too
	"$check" -q $name >said 2>&1
	run $? kmemtrace-check $name.set
	same_in_each_view $name $name.set
	each_alone $name
	same_at_times $name
	# without its first pieces, the set begins with a checkpoint
	last=$(ls $name.set | tail -n 1)
	before=$(report "$name.set/$last" sites | jq '.totals.initial_objects')
	find $name.set -mindepth 1 -maxdepth 1 ! -name "$last" -exec rm -r {} +
	after=$(report "$name.set" sites | jq '.totals.initial_objects')
	[ "$before" = "$after" ] && [ "$after" -gt 0 ] ||
		wrong "$name: $after objects at the begin of the last piece, not $before"
done

# no piece begins after the end of the capture, as the empty packets do that end the streams
run 0 kmemtrace-pack --split=1ms -o timed sample
last=timed/$(ls timed | tail -n 1)
awk '$1 == "cpu" { recorded += $6 } END { exit recorded > 0 ? 0 : 1 }' "$last/kernel/status" &&
	[ "$(value "$last" begin)" -lt "$(value sample end)" ] ||
	wrong "$last: $(head -n 12 "$last/kernel/status")"

# A checkpoint does not grow with the number of pieces: lines that each piece has stand in it once.
run 0 kmemtrace-pack --split=1 -o many 6.1-armhf
for piece in many/piece.*; do
	printf 'kmalloc kmalloc-%s 64 64\n' a b c >>"$piece/kernel/caches"
	printf 'debug kmalloc-%s 64 FZ\n' a b c >>"$piece/kernel/caches"
	printf 'user %s name\n' 7001 7002 >>"$piece/kernel/tasks"
	printf 'cgroup %s 1 /system.slice\n' 9001 9002 >>"$piece/kernel/cgroups"
	printf 'stack %s 1 0 1000 2000\n' a1 a2 >>"$piece/kernel/stacks"
	printf 'file %s - /bin/sh\nfunction %s 10 20 main\nframes 1 1 18\n' 1 1 2 2 \
		>>"$piece/kernel/user_symbols"
	rm -rf "$piece/checkpoint"
done
"$check" -q --repair many >said 2>&1 # its planted errors stay
# shared_lines PIECE
shared_lines()
{
	grep -hE '^(kmalloc|debug|user|cgroup|stack|file|function|frames) ' "$1"/checkpoint/kernel/* | sort
}
[ "$(ls many | wc -l)" -gt 8 ] || wrong "many has only $(ls many | wc -l) pieces"
shared_lines many/piece.000002 >second
shared_lines "many/$(ls many | tail -n 1)" >newest
[ -s second ] && cmp -s second newest ||
	wrong "lines of a checkpoint are repeated: $(wc -l <second), at the end $(wc -l <newest)"

# a stream that does not go on
run 0 kmemtrace-pack --split=20k -o gap sample
cp gap/piece.000001/cpu0 gap/piece.000002/cpu0
run 1 kmemtrace-check gap
says "gap/piece.000002/cpu0: begins with event 0, but the piece before ends with"

# missing and damaged parts
run 0 kmemtrace-pack --split=20k -o set sample
count=$(find set -maxdepth 1 -name 'piece.*' | wc -l)
run 0 kmemtrace-report sites -i set
says ", $count pieces"
run 0 kmemtrace-report sites --at=0.0001 -i set
says ", 1 of $count pieces"
piece=set/piece.000002
cp -r $piece whole
rm -r $piece/checkpoint
run 0 kmemtrace-report sites -v -i $piece
says "the checkpoint of $piece is missing"
run 0 kmemtrace-report sites -i set
run 1 kmemtrace-check $piece
says "the checkpoint"
run 0 kmemtrace-check --repair set
says "$piece: the checkpoint is made"
diff -r whole $piece >/dev/null || wrong "the checkpoint that is made again differs"
truncate -s 60 $piece/checkpoint/state
run 2 kmemtrace-report sites -i $piece
says "$piece/checkpoint/state is damaged"
run 0 kmemtrace-check --repair set
run 0 kmemtrace-check set
rm $piece/checkpoint/cpu0
run 1 kmemtrace-check $piece
says "objects were live at the begin, but the streams have"
run 0 kmemtrace-report sites -v -i $piece
says "damaged in the checkpoint"
# the next checkpoint that is made knows of it
gone=$("$report" sites --format=json -i $piece | jq '.totals.live_error_objects')
cp -r set chain
rm -r chain/piece.000001 chain/piece.000003/checkpoint
"$check" -q --repair chain >said 2>&1
lost=$(awk '$1 == "lost" { print $2 }' chain/piece.000003/checkpoint/state)
[ "$gone" -gt 0 ] && [ "$lost" -ge "$gone" ] ||
	wrong "$gone objects are damaged, and the next checkpoint says lost $lost"
# the damaged one is made again, since the piece before is there
run 0 kmemtrace-check --repair set
says "$piece: the checkpoint is made"
diff -r whole $piece >/dev/null || wrong "a damaged checkpoint is made again, and differs"
for file in state cpu0 kernel/tasks kernel/caches; do
	for size in 0 7 100; do
		rm -rf $piece
		cp -r whole $piece
		truncate -s $size $piece/checkpoint/$file
		"$report" sites -i $piece >said 2>&1
		[ $? -le 2 ] || wrong "$file of $size bytes: $(cat said)"
	done
	rm -rf $piece
	cp -r whole $piece
	head -c 4096 /dev/urandom >$piece/checkpoint/$file
	"$report" sites -i $piece >said 2>&1
	[ $? -le 2 ] || wrong "random $file: $(cat said)"
done
rm -rf $piece
cp -r whole $piece

# wrong commands
run 2 kmemtrace-pack --split=20k sample
says "--split needs -o DIR"
run 2 kmemtrace-pack --split=20k -o other $piece
says "is a piece of a set already"
run 2 kmemtrace-pack --split=20k -o set sample
says "is not empty"
run 2 kmemtrace-pack --split=never -o other sample
says "is not a size"
run 2 kmemtrace-pack set
says "is a set of pieces"
exit $failed
