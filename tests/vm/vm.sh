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

# one guest at a time: it takes all CPUs
exec 9>"$builddir/vm.lock"
flock 9 2>/dev/null || true

check=$builddir/kmemtrace-check
report=$builddir/kmemtrace-report
daemon=$builddir/tests/vm/kmemtraced

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

# The kernels that kmemtraced can be built for: those of this machine's architecture.
mapfile -t guests < <(kernels_of "$(dpkg --print-architecture 2>/dev/null)")
[ ${#guests[@]} -gt 0 ] || skip "$srcdir/vm/kernels has no kernel of this machine's architecture"

# as configure found it
setting()
{
	sed -n "s/^$1 = //p" "$builddir/Makefile"
}

# A guest has no libraries.
# shellcheck disable=SC2046 # a command, and a list
echo 'int main(void) { return 0; }' |
	$(setting CC) -x c - -static -o static $(setting KMT_STATIC_LIBS) 2>static.log ||
	skip "no static program can be made with libbpf and libelf here: install their .a files" \
		"(Debian: libbpf-dev, libelf-dev, zlib1g-dev)"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$builddir" tests/vm/kmemtraced >make.log 2>&1 ||
	fail "kmemtraced cannot be built for a guest: $(tail -n 20 make.log)"

# in_guest KERNEL SCRIPT FILE…: runs it there, with kmemtraced and the planting module in /t; what it
# leaves in /out is then in the folder KERNEL. Sets release.
in_guest()
{
	local kernel=$1 script=$2 code

	shift 2
	look_up_fetched "$kernel"
	"$srcdir/vm/build-module.sh" "$kernel" "$srcdir/vm/plant" "module-$kernel" >log 2>&1
	code=$?
	[ $code -ne 77 ] || skip "$(cat log)"
	[ $code -eq 0 ] || fail "$kernel: $(cat log)"
	"$srcdir/vm/boot.sh" "$kernel" "$kernel" "$script" "$daemon" \
		"module-$kernel/plant.ko" "$@" >log 2>&1
	code=$?
	[ $code -ne 77 ] || skip "$(cat log)"
	[ $code -eq 0 ] || fail "$kernel: exit status $code: $(cat log "$kernel/console")"
	[ -d "$kernel/capture" ] || fail "$kernel: it sent no capture: $(cat "$kernel/console")"
}

checked() # the capture is right in every way that kmemtrace-check knows
{
	"$check" "$1/capture" >check.log 2>&1 ||
		fail "$1: kmemtrace-check: $(head -n 20 check.log)"
}

# json KERNEL VIEW FILTER: of what the report tells of the capture
json()
{
	"$report" "$2" -i "$1/capture" --format=json -l 0 | jq -r "$3"
}
