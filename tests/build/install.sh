#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# A program that finds libmemstat by pkg-config compiles with the installed files, and runs with the
# installed library. After the removal no file is left.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
failed=0

quietly()
{
	"$@" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; exit 1; }
}

mkdir "$scratch/build"
cd "$scratch/build" || exit 1
quietly "$top_srcdir/configure" --disable-tracer --without-libtracecmd CFLAGS=-O0 \
	--prefix=/opt/kmt --libdir=/opt/kmt/lib/where
quietly make -j"$jobs"
quietly make install DESTDIR="$root"
lib=$root/opt/kmt/lib/where

[ "$(readlink "$lib/libmemstat.so")" = libmemstat.so.3 ] ||
	{ echo "libmemstat.so does not lead to the library:"; ls -l "$lib"; failed=1; }
[ -e "$root/opt/kmt/share/man/man3/libmemstat.3" ] || { echo "libmemstat(3) is not installed"; failed=1; }

cat >"$scratch/user.c" <<-END
	#include <memstat.h>
	int main(void)
	{
		struct memory_type_list *list = memstat_mtl_alloc();
		struct memstat_capture *capture = memstat_capture_open("$top_srcdir/tests/data/sample");
		int wrong = memstat_kvm_uma(list, capture) || !memstat_mtl_first(list);

		memstat_capture_close(capture);
		memstat_mtl_free(list);
		return wrong;
	}
END
flags=$(PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
	pkg-config --cflags --libs libmemstat) || exit 1
# shellcheck disable=SC2086 # a list
"${CC:-gcc}" -o "$scratch/user" "$scratch/user.c" $flags || exit 1
LD_LIBRARY_PATH=$lib "$scratch/user" || { echo "the program that uses it fails"; failed=1; }
readelf -d "$scratch/user" | grep -q 'NEEDED.*\[libmemstat.so.3\]' ||
	{ echo "the program does not ask for libmemstat.so.3"; failed=1; }

quietly make uninstall DESTDIR="$root"
find "$root" ! -type d | grep . && { echo "these stay when it is uninstalled"; failed=1; }
exit $failed
