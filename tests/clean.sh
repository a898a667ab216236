#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# clean.sh RUN FOLDER: waits until a run of ./test has ended, and removes all that is left of it: processes, mounts,
# cgroups, instances of tracefs, temporary files. Also if the run was killed: what tests make has the name RUN
# in its name, and processes have KMT_TEST_RUN=RUN in their environment.
# RUN is kmt.PID.BEGIN: the process of ./test, and when it began, since numbers of processes are used again.
# Sourced: only the functions.

# begin_of PID: in clock ticks since the boot; nothing if there is no such process
begin_of()
{
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

goes_on() # RUN
{
	local pid=${1#kmt.}

	[ "$(begin_of "${pid%.*}")" = "${pid#*.}" ]
}

# processes_with NAME=VALUE: in their environment
processes_with()
{
	grep -lszxF -e "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3
}

# end_processes NAME=VALUE: those with it in their environment and their children. They get some time to remove
# what they have made.
end_processes()
{
	local signal=TERM tries=0 pids

	while pids=$(processes_with "$1") && [ -n "$pids" ]; do
		# children may have another environment
		# shellcheck disable=SC2046,SC2086 # lists
		kill -$signal $pids $(pgrep -P "$(echo $pids | tr ' ' ,)") 2>/dev/null
		[ $signal = KILL ] || kill -CONT $pids 2>/dev/null
		sleep 0.05
		tries=$((tries + 1))
		[ $tries -lt 40 ] || signal=KILL
		[ $tries -lt 400 ] || return
	done
}

# clean RUN FOLDER: nothing, if these are not the name and the folder of a run
clean()
{
	local run=$1 folder=$2 place

	[[ $run =~ ^kmt\.[0-9]+\.[0-9]+$ && $folder == /*/$run ]] || return 0
	end_processes "KMT_TEST_RUN=$run"
	awk -v folder="$folder/" 'index($5, folder) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
		while read -r place; do
			umount -l "$place" 2>/dev/null
		done
	find /sys/fs/cgroup -depth -type d -path "*/$run.*" -exec rmdir {} + 2>/dev/null
	for place in /sys/kernel/tracing/instances/"$run".*; do
		[ -d "$place" ] && rmdir "$place"
	done
	rm -rf --one-file-system "$folder" /dev/shm/"$run".*
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
[ $# -eq 2 ] || { echo "usage: tests/clean.sh RUN FOLDER, as ./test starts it" >&2; exit 2; }
while goes_on "$1"; do
	sleep 0.5
done
clean "$1" "$2"
