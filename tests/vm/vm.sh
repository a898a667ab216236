# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # the tests use what it sets
# For the vm tests to source: a scratch folder, a reason to skip, and a capture made in a guest.
set -u
program=vm
# shellcheck source=tests/vm/lab.sh
. "$srcdir/vm/lab.sh"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-vm.XXXXXX") || exit 1
trap 'cd /; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

# no more guests at once than there are CPUs
take_turn()
{
	local turn

	for turn in $(seq "$(nproc)"); do
		exec 9>"$builddir/vm.lock.$turn"
		flock -n 9 && return
	done
	return 1
}
until take_turn; do sleep 1; done

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

# The kernels of this machine's architecture.
mapfile -t guests < <(kernels_of "$(dpkg --print-architecture 2>/dev/null)")

# succeed COMMAND…: a step of the way into a guest.
succeed()
{
	local code

	"$@" >log 2>&1
	code=$?
	[ $code -ne 77 ] || skip "$(cat log)"
	[ $code -eq 0 ] || fail "$(basename "$1") $2: exit status $code: $(cat log)" \
		"$(tail -n 40 "$2/console" 2>/dev/null)"
}

# in_guest KERNEL SCRIPT FILE…: runs it there, with our programs and the planting module in /t; what
# it leaves in /out is then in the folder KERNEL, and stays in the folder vm-captures of the build.
# Sets release, arch and tools, the folder where the programs for it are.
in_guest()
{
	local kernel=$1 script=$2

	shift 2
	look_up_fetched "$kernel"
	tools=$builddir/vm-static/$arch
	succeed "$srcdir/vm/build-static.sh" "$kernel" "$tools"
	succeed "$srcdir/vm/build-module.sh" "$kernel" "$srcdir/vm/plant" "module-$kernel"
	succeed "$srcdir/vm/boot.sh" "$kernel" "$kernel" "$script" "$tools"/kmemtraced \
		"$tools"/kmemtrace-{check,report} "module-$kernel/plant.ko" "$@"
}

checked() # the capture is right in every way that kmemtrace-check knows
{
	"$check" "$1" >check.log 2>&1 || fail "$1: kmemtrace-check: $(head -n 20 check.log)"
}

# json CAPTURE VIEW FILTER: of what the report tells of it
json()
{
	"$report" "$2" -i "$1" --format=json -l 0 | jq -r "$3"
}
