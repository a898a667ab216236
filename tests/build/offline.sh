#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# --disable-tracer builds the offline tools on a machine without clang and libbpf.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Links to all programs and libraries of this machine, except clang, LLVM, libbpf and libelf.
mkdir "$scratch/bin" "$scratch/pc" "$scratch/build"
for folder in /usr/sbin /usr/bin /sbin /bin; do
	find "$folder/" -mindepth 1 -maxdepth 1 ! -name '*clang*' ! -name 'llvm*' \
		-exec ln -sf -t "$scratch/bin" {} +
done
pkg-config --variable=pc_path pkg-config | tr : '\n' | while read -r folder; do
	[ -d "$folder" ] || continue
	find "$folder/" -mindepth 1 -maxdepth 1 -name '*.pc' ! -name libbpf.pc ! -name libelf.pc \
		-exec ln -sf -t "$scratch/pc" {} +
done
export PATH=$scratch/bin PKG_CONFIG_LIBDIR=$scratch/pc
! command -v clang || { echo "clang is still there"; exit 1; }
! pkg-config --exists libbpf || { echo "libbpf is still there"; exit 1; }

cd "$scratch/build"
"$top_srcdir/configure" --disable-tracer --enable-werror CFLAGS=-O0
make -j"$jobs"
for tool in kmemtrace-check kmemtrace-import kmemtrace-merge kmemtrace-pack kmemtrace-report; do
	./$tool --version
	if ldd ./$tool | grep -E 'libbpf|libelf'; then
		exit 1
	fi
done
[ ! -e kmemtraced ]
