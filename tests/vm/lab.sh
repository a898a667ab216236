# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # whoever sources it uses them, and sets $program
# Where the kernels are kept, and what the table says of each. Sourced.
set -u

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=${KMEMTRACE_LAB:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kmemtrace/lab}

# could_not WHAT-WHY-WHAT-TO-DO: ends with the status of a test that cannot run here.
could_not()
{
	echo "$program: $*"
	exit 77
}

wrong()
{
	echo "$program: $*" >&2
	exit 2
}

# What an architecture's static programs are linked with: packages of Debian.
static_libraries=(libbpf-dev libelf-dev zlib1g-dev libdeflate-dev libjansson-dev)

# The packages that were extracted into a folder are told in a file there, so that one that was
# made when fewer were needed is known for what it is.
# tell_packages FOLDER PACKAGE…; and has_packages FOLDER PACKAGE…: are they these?
tell_packages()
{
	printf '%s\n' "${@:2}" >"$1/packages"
}

has_packages()
{
	printf '%s\n' "${@:2}" | cmp -s - "$1/packages"
}

# The names in the table; and those of one architecture.
kernels()
{
	awk '/^[^#]/ { print $1 }' "$vm/kernels"
}

kernels_of()
{
	awk -v arch="$1" '/^[^#]/ && $4 == arch { print $1 }' "$vm/kernels"
}

# look_up NAME: sets suite, package, arch, triplet, karch, console, machine; home, where its files
# are; sysroot, where its architecture's libraries are; and release, what uname -r says in it, or
# nothing if it was not fetched.
look_up()
{
	local name

	while read -r name suite package arch triplet karch console machine; do
		[ "$name" = "$1" ] || continue
		home=$lab/$name
		sysroot=$lab/sysroot-$arch
		release=$(cat "$home/release" 2>/dev/null)
		return
	done <"$vm/kernels"
	wrong "$1: no such kernel: $vm/kernels has" "$(kernels | xargs)"
}

# The same of one that must be there.
look_up_fetched()
{
	look_up "$1"
	[ -n "$release" ] || could_not "the kernel $1 is not in $lab: run $vm/fetch.sh, which" \
		"downloads it"
}
