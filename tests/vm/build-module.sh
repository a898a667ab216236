#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# build-module.sh KERNEL SOURCES OUTDIR: builds the module whose Kbuild is in SOURCES for a kernel
# of the table, and writes its .ko to OUTDIR.
# Exit status: 0: it is built, 2: it does not build, 77: it cannot be built here.
program=build-module.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -eq 3 ] || wrong "usage: build-module.sh KERNEL SOURCES OUTDIR"
look_up_fetched "$1"
headers=$home/headers/usr/src/linux-headers-$release

# the compiler that these kernels were built with, if it is installed
native=
for compiler in "$triplet-gcc-12" "$triplet-gcc"; do
	command -v "$compiler" >/dev/null && native=$compiler && break
done
[ -n "$native" ] || could_not "there is no $triplet-gcc to build modules for $arch with"
cross=()
[ "$arch" = "$(dpkg --print-architecture)" ] || cross=(CROSS_COMPILE="$triplet-")

mkdir -p "$3"
cp "$2"/* "$3" || wrong "the sources cannot be copied into $3"
# BTF of modules would need the kernel's vmlinux, which not all packages of headers have, and pahole;
# kernels built with a newer compiler use an option that gcc 12 does not have
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$headers" M="$(realpath "$3")" ARCH="$karch" \
	"${cross[@]}" CC="$native" CONFIG_DEBUG_INFO_BTF_MODULES= \
	CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= modules >"$3/log" 2>&1 ||
	{
		cat "$3/log" >&2
		wrong "the module of $2 does not build for $release"
	}
