# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # the tests use its variables; cli.sh has scratch and check
# Sourced by the vm tests: what cli.sh gives, steps of the preparation, and captures in a guest.
program=vm
# shellcheck source=tests/cli/cli.sh
. "$srcdir/cli/cli.sh"
# after cli.sh: its wrong() ends the test
# shellcheck source=tests/vm/lab.sh
. "$srcdir/vm/lab.sh"
need jq setpriv

# At most as many guests of a build folder at the same time as there are CPUs.
lock_slot()
{
	local slot

	for slot in $(seq "$(nproc)"); do
		exec 9>"$builddir/vm.lock.$slot"
		flock -n 9 && return
	done
	return 1
}

if ! lock_slot; then
	echo "waiting: $(nproc) other guests of this build folder run"
	until lock_slot; do
		[ $SECONDS -lt 3000 ] || skip "other guests have run for 50 minutes"
		sleep 1 # paced: no event says that another test ends
	done
fi

step='' # the process of a step, or nothing; its children are in its process group
before_end '[ -z "$step" ] || { kill -- -$step; wait $step; } 2>/dev/null'
# succeed COMMAND…: runs a step of the preparation; skips or fails as its exit status says. It ends with
# the test, in whatever way that ends.
succeed()
{
	local code

	setsid setpriv --pdeathsig TERM "$@" >log 2>&1 </dev/null &
	step=$!
	wait $step
	code=$?
	step=
	[ $code -ne 77 ] || skip "$(cat log)"
	[ $code -eq 0 ] || fail "$(basename "$1") $2: exit status $code: $(cat log)" \
		"$(tail -n 40 "$2/console" 2>/dev/null)"
}

# in_guest KERNEL SCRIPT FILE…: runs the script in a guest, with our programs and the files in /t; the
# files that it writes to /out are then in the folder KERNEL.
# Sets release, arch and tools, the folder of the programs for its architecture.
in_guest()
{
	local kernel=$1 script=$2 prepared

	shift 2
	look_up_fetched "$kernel"
	tools=$builddir/vm-static/$arch
	succeed "$srcdir/vm/build-static.sh" "$kernel" "$tools"
	prepared=$SECONDS
	succeed "$srcdir/vm/boot.sh" "$kernel" "$kernel" "$script" "$tools"/kmemtraced \
		"$tools"/kmemtrace-{check,report} "$@"
	times="seconds: preparation $prepared, guest $((SECONDS - prepared)): $(sed -n \
		's/^part: //p; s/.* is up after \([0-9.]*\) s$/boot \1/p' "$kernel/console" | paste -sd , |
		sed 's/,/, /g'); checks "
	ended=$SECONDS
	before_end 'echo "$times$((SECONDS - ended))"'
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

# gaps CAPTURE: how many events it lost, and how many the kernel skipped
gaps()
{
	awk '$1 == "cpu" { for (i = 3; i < NF; i += 2) if ($i == "lost") gaps += $(i + 1) }
		$1 == "skipped" { gaps += $2 } END { print gaps + 0 }' "$1/kernel/status"
}
