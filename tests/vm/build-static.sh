#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# build-static.sh KERNEL DIR: configures and builds the programs in DIR, for the architecture of that
# kernel, statically linked, since a guest has no shared libraries.
# Exit status: 0: they are built, 2: they do not build, 77: they cannot be built here.
program=build-static.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -eq 2 ] || wrong "usage: build-static.sh KERNEL DIR"
look_up "$1"
dir=$2 top=$(realpath "$vm/../..")
has_parts "$sysroot" "${static_libraries[@]}" || could_not "the static libraries of $arch" \
	"are not all in $lab: run $vm/fetch.sh, which downloads them"
mkdir -p "$dir" || wrong "$dir cannot be made"
# tests of kernels of the same architecture may run at the same time
exec 8>"$dir/lock"
flock 8
echo 'int main(void) { return 0; }' | "$triplet-gcc" -x c - -static -o "$dir/static" \
	2>"$dir/log" || could_not "there is no $triplet-gcc with a static libc: install it (Debian:" \
	"gcc-${triplet//_/-} and libc6-dev-$arch-cross)"

# ignore the settings of a make that runs this script
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR
cd "$dir" || wrong "$dir cannot be entered"
{
	{
		[ -f Makefile ] && [ ! "$top/configure" -nt config.status ] ||
			"$top/configure" --host="$triplet" --enable-werror --without-libtracecmd \
				CFLAGS=-O2 LDFLAGS=-static PKG_CONFIG='pkg-config --static' \
				PKG_CONFIG_SYSROOT_DIR="$sysroot" \
				PKG_CONFIG_LIBDIR="$(echo "$sysroot"/usr/lib/*/pkgconfig)"
	} && make -j"$(nproc)"
} >log 2>&1 || {
	tail -n 30 log >&2
	wrong "kmemtrace does not build for $arch, in $dir"
}
