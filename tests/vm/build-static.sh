#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# build-static.sh KERNEL DIR [TARGET…]: configures and builds the programs that guests run, or the targets
# of make, in DIR, for the architecture of that kernel, statically linked, since a guest has no shared
# libraries. What an interrupted build left is built again.
# Exit status: 0: they are built, 2: they do not build, 77: they cannot be built here.
program=build-static.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -ge 2 ] || wrong "usage: build-static.sh KERNEL DIR [TARGET…]"
look_up_fetched "$1"
dir=$2 top=$(realpath "$vm/../..")
shift 2
[ $# -gt 0 ] || set -- kmemtraced kmemtrace-check kmemtrace-report
mkdir -p "$dir" || wrong "$dir cannot be made"
# tests of kernels of the same architecture may run at the same time
exec 8>"$dir/lock"
flock -n 8 || {
	echo "waiting: another test builds in $dir"
	flock -w 1500 8 || could_not "another test has built in $dir for 25 minutes"
}
# a file that was being written when its program was killed looks whole to make
[ ! -e "$dir/building" ] || find "$dir" -mindepth 1 ! -path "$dir/lock" -delete
echo 'int main(void) { return 0; }' | "$triplet-gcc" -x c - -static -o "$dir/static" \
	2>"$dir/log" || could_not "there is no $triplet-gcc with a static libc: install it (Debian:" \
	"gcc-${triplet//_/-} and libc6-dev-$arch-cross)"

# the libraries of riscv64 were compiled with a newer C library: they call these by their names of C23
link=-static
[ "$arch" != riscv64 ] || for name in fscanf sscanf strtol strtoll strtoul strtoull; do
	link+=" -Wl,--defsym=__isoc23_$name=$name"
done
# ignore the settings of a make that runs this script
unset MAKEFLAGS MAKELEVEL MFLAGS
cd "$dir" || wrong "$dir cannot be entered"
touch building
{
	{
		[ -f Makefile ] && [ ! "$top/configure" -nt config.status ] ||
			"$top/configure" --host="$triplet" --enable-werror --without-libtracecmd \
				CFLAGS=-O2 LDFLAGS="$link" PKG_CONFIG='pkg-config --static' \
				PKG_CONFIG_SYSROOT_DIR="$sysroot" \
				PKG_CONFIG_LIBDIR="$(echo "$sysroot"/usr/lib/*/pkgconfig)"
	} && make -j"$(nproc)" "$@"
} >log 2>&1
code=$?
rm building
[ $code -eq 0 ] || {
	tail -n 30 log >&2
	wrong "kmemtrace does not build for $arch, in $dir"
}
