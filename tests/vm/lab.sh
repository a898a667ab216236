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

# The modules of a guest, if they are not built into its kernel: for its disks, and a file system.
guest_modules=(virtio virtio_ring virtio_mmio virtio_pci virtio_pci_legacy_dev virtio_pci_modern_dev
	virtio_blk ext4 jbd2 mbcache crc16 libcrc32c crc32c_generic)

# The Debian packages that a guest with systemd consists of, with those that they depend on.
systemd_packages=(systemd)

# list_parts FOLDER PART…: writes the packages or modules in a folder to a file there, so that
# has_parts FOLDER PART…: recognizes a folder that was made without one of them.
list_parts()
{
	printf '%s\n' "${@:2}" >"$1/parts"
}

has_parts()
{
	[ -s "$1/parts" ] && ! printf '%s\n' "${@:2}" | grep -qvxFf "$1/parts"
}

# All names in the table.
kernels()
{
	awk '/^[^#]/ { print $1 }' "$vm/kernels"
}

# look_up NAME: sets suite, package, arch, triplet, karch, console, machine from the table; home, the
# folder of its files; sysroot, the folder of its architecture's libraries, and their packages; systemd,
# the folder of a root file system; and release, its uname -r, or nothing if it was not fetched, or not
# all of it.
look_up()
{
	local name

	while read -r name suite package arch triplet karch console machine; do
		[ "$name" = "$1" ] || continue
		home=$lab/$name
		sysroot=$lab/sysroot-$arch
		libraries=("${static_libraries[@]}")
		# bookworm has no riscv64, and the libelf of later suites calls libzstd
		[ "$arch" != riscv64 ] || libraries+=(libzstd-dev)
		systemd=$lab/systemd-$arch
		has_parts "$home" "${guest_modules[@]}" && release=$(cat "$home/release") || release=''
		return
	done <"$vm/kernels"
	wrong "$1: no such kernel: $vm/kernels has" "$(kernels | xargs)"
}

# fetch NAME: downloads what is missing of it in the lab; ends the test if that is not possible.
fetch()
{
	local code

	"$vm/fetch.sh" "$1"
	code=$?
	[ $code -ne 77 ] || could_not "$1 is not in $lab, and cannot be downloaded"
	[ $code -eq 0 ] || wrong "$1 is not in $lab: fetch.sh: exit status $code"
}

# The same as look_up for a kernel that the test needs, with the libraries for its architecture.
look_up_fetched()
{
	look_up "$1"
	[ -n "$release" ] && has_parts "$sysroot" "${libraries[@]}" && return
	fetch "$1"
	look_up "$1"
}
