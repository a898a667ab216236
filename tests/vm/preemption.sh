#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel that preempts tasks in tracepoints: with more threads than CPUs, and with a real-time
# thread that moves them from CPU to CPU, few events are skipped for the number of preemptions, no event is
# recorded twice, and each that ftrace counted was recorded, lost, or skipped.
# $KMEMTRACE_LONG=1: three more loads.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=7-amd64
most=50 # skipped events for 100 preemptions; without copies of the programs, 2000 and more

# Prints for a capture: events that ftrace counted, missing and excess records, the events that ftrace
# itself dropped, and the preemptions of the threads. An event that was recorded twice is an excess,
# unless another of its thread and kind is missing.
compare_counts()
{
	local windows=() id

	while read -r id; do
		windows+=("$id" 0 18446744073709551615)
	done <"$1.ids"
	"$builddir/tests/live/count" "$1" "${windows[@]}" >counted || fail "$1 cannot be counted"
	awk -v ids="$1.ids" -v truth="$1.truth" '
		BEGIN {
			while ((getline id <ids) > 0) { list[++n] = id; mine[id] = 1 }
			while ((getline line <truth) > 0) {
				split(line, field)
				if (field[1] == "dropped") dropped += field[3]
				else if (field[1] == "preemptions") preemptions = field[2]
				else if (field[1] in mine) fired[field[1] " " field[2]] = field[3]
			}
		}
		$1 == "kmalloc" { at++ }
		/^k/ { recorded[list[at] " " $1] = $2 }
		END {
			for (key in recorded) {
				more = fired[key] - recorded[key]
				sum += fired[key]
				if (more > 0) missing += more; else excess -= more
			}
			print sum + 0, missing + 0, excess + 0, dropped + 0, preemptions + 0
		}' counted
}

check_run()
{
	local fired missing excess dropped preemptions skipped lost spans

	checked "$1"
	[ "$(sed -n 's/^preemption //p' "$1/kernel/status")" = "yes $2" ] ||
		fail "$1: $(grep '^preemption' "$1/kernel/status"), not: yes $2"
	read -r fired missing excess dropped preemptions < <(compare_counts "$1")
	skipped=$(sed -n 's/^skipped //p' "$1/kernel/status")
	lost=$(sed -n 's/^cpu .* lost \([0-9]*\) .*/\1/p' "$1/kernel/status" | paste -sd+)
	lost=$((lost))
	spans=$(awk '$1 == "skip" { sum += $4 } END { print sum + 0 }' "$1/kernel/status")
	echo "$1: ftrace counted $fired events of the threads: $missing missing, $excess excess, in" \
		"$preemptions preemptions; ftrace dropped $dropped;" \
		"lost $lost, skipped $skipped in all tasks; from later copies:" \
		"$(sed -n 's/^rescued //p' "$1/kernel/status") frees"
	[ "$fired" -ge 10000 ] || fail "$1: only $fired events: this proves little"
	[ "$excess" -le "$dropped" ] || fail "$1: $excess records too many"
	[ "$missing" -le $((lost + skipped)) ] ||
		fail "$1: $missing are missing, lost $lost, skipped only $skipped"
	[ "$spans" = "$skipped" ] || fail "$1: skipped $skipped, of which $spans have a time"
	[ $((missing - lost)) -le $((preemptions * most / 100)) ] ||
		fail "$1: $missing are missing in $preemptions preemptions: more than $most of 100"
	"$builddir/tests/live/doubles" "$1" >doubled || fail "$1: doubles"
	grep -q '^doubles 0$' doubled || fail "$1: recorded twice: $(cat doubled)"
}

look_up_fetched "$kernel"
cat >runs <<'END'
six 6
eight-moved 8 flip
many 64
END
[ -z "${KMEMTRACE_LONG:-}" ] || cat >>runs <<'END'
eight 8
six-moved 6 flip
many-moved 64 flip
END
succeed "$triplet-gcc" -O2 -static -pthread -o pipes "$srcdir/vm/pipes.c"
MEMORY=2048 in_guest "$kernel" "$srcdir/vm/preemption.guest" pipes runs
cd "$kernel" || exit 1
while read -r name _; do
	check_run "$name" "4 front"
done <../runs
exit 0
