# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # scripts that source it use them, and set $program
# The lab, a folder with the kernels, and the table of kernels. Sourced.
set -u

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=${KMEMTRACE_LAB:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kmemtrace/lab}

# could_not MESSAGE: ends with the status of a test that cannot run here.
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

# The Debian packages with the libraries of the static programs.
static_libraries=(libbpf-dev libelf-dev libcap-ng-dev libseccomp-dev zlib1g-dev libdeflate-dev
	libjansson-dev)

# list_packages FOLDER PACKAGE…: writes the extracted packages to a file in the folder, so that
# has_packages FOLDER PACKAGE…: recognizes a folder that was made with other packages.
list_packages()
{
	printf '%s\n' "${@:2}" >"$1/packages"
}

has_packages()
{
	printf '%s\n' "${@:2}" | cmp -s - "$1/packages"
}

# All names in the table.
kernels()
{
	awk '/^[^#]/ { print $1 }' "$vm/kernels"
}

# look_up NAME: sets suite, package, arch, triplet, karch, console, machine from the table; home, the
# folder of its files; sysroot, the folder of its architecture's libraries; and release, its uname -r,
# or nothing if it was not fetched.
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

# The same for a kernel that must be in the lab.
look_up_fetched()
{
	look_up "$1"
	[ -n "$release" ] || could_not "the kernel $1 is not in $lab: run $vm/fetch.sh, which" \
		"downloads it"
}
