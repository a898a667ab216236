# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # the tests use its variables
# Sourced by the vm tests: a scratch folder, checks that skip the test, and captures in a guest.
set -u
program=vm
# shellcheck source=tests/vm/lab.sh
. "$srcdir/vm/lab.sh"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-vm.XXXXXX") || exit 1
trap 'cd /; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

# at most as many guests at the same time as there are CPUs
lock_slot()
{
	local slot

	for slot in $(seq "$(nproc)"); do
		exec 9>"$builddir/vm.lock.$slot"
		flock -n 9 && return
	done
	return 1
}
until lock_slot; do sleep 1; done

# lock_all_slots: no other guest runs beside ours.
lock_all_slots()
{
	local slot held

	exec 9>&-
	for slot in $(seq "$(nproc)"); do
		exec {held}>"$builddir/vm.lock.$slot"
		flock "$held"
	done
}

check=$builddir/kmemtrace-check
report=$builddir/kmemtrace-report

skip()
{
	echo "skipped: $*"
	exit 77
}

fail()
{
	echo "failed: $*"
	exit 1
}

command -v jq >/dev/null || skip "jq is not installed"

# succeed COMMAND…: runs a step of the preparation; skips or fails as its exit status says.
succeed()
{
	local code

	"$@" >log 2>&1
	code=$?
	[ $code -ne 77 ] || skip "$(cat log)"
	[ $code -eq 0 ] || fail "$(basename "$1") $2: exit status $code: $(cat log)" \
		"$(tail -n 40 "$2/console" 2>/dev/null)"
}

# in_guest KERNEL SCRIPT FILE…: runs the script in a guest, with our programs and the files in /t; the
# files that it writes to /out are then in the folder KERNEL.
# Sets release, arch and tools, the folder of the programs for its architecture.
in_guest()
{
	local kernel=$1 script=$2

	shift 2
	look_up_fetched "$kernel"
	tools=$builddir/vm-static/$arch
	succeed "$srcdir/vm/build-static.sh" "$kernel" "$tools"
	succeed "$srcdir/vm/boot.sh" "$kernel" "$kernel" "$script" "$tools"/kmemtraced \
		"$tools"/kmemtrace-{check,report} "$@"
}

checked() # kmemtrace-check finds nothing wrong in the capture
{
	"$check" "$1" >check.log 2>&1 || fail "$1: kmemtrace-check: $(head -n 20 check.log)"
}

# json CAPTURE VIEW FILTER: values of the report on the capture
json()
{
	"$report" "$2" -i "$1" --format=json -l 0 | jq -r "$3"
}
