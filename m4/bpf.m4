# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# KMT_BPF_TOOLCHAIN: what kmemtraced needs to build: libbpf, libelf, and a clang that compiles for
# BPF, in the byte order of the host.
AC_DEFUN([KMT_BPF_TOOLCHAIN], [
	AC_REQUIRE([AC_CANONICAL_HOST])
	PKG_CHECK_MODULES([LIBBPF], [libbpf >= 1.1])
	PKG_CHECK_MODULES([LIBELF], [libelf])
	AC_ARG_VAR([BPF_CC], [clang, to compile for BPF])
	AC_CHECK_PROGS([BPF_CC], [clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14])
	AS_IF([test -z "$BPF_CC"],
		[AC_MSG_ERROR([clang is needed for kmemtraced: install it (Debian: clang) or use --disable-tracer])])

	AS_CASE([$host_cpu],
		[x86_64|i?86], [BPF_ARCH=x86],
		[aarch64*], [BPF_ARCH=arm64],
		[arm*], [BPF_ARCH=arm],
		[s390*], [BPF_ARCH=s390],
		[powerpc*], [BPF_ARCH=powerpc],
		[riscv*], [BPF_ARCH=riscv],
		[mips*], [BPF_ARCH=mips],
		[BPF_ARCH=$host_cpu])
	AC_C_BIGENDIAN([BPF_TARGET=bpfeb], [BPF_TARGET=bpfel])
	BPF_CFLAGS="-g -O2 -mcpu=v3 -target $BPF_TARGET -D__TARGET_ARCH_$BPF_ARCH -Wall -Wextra -Wno-unused-parameter"
	AS_IF([test "x$enable_werror" = xyes], [BPF_CFLAGS="$BPF_CFLAGS -Werror"])

	AC_MSG_CHECKING([whether $BPF_CC compiles for $BPF_TARGET with atomics])
	AS_ECHO(["unsigned long long x; unsigned long long f(void) { return __sync_fetch_and_add(&x, 1); }"]) >conftest-bpf.c
	AS_IF([$BPF_CC $BPF_CFLAGS -c conftest-bpf.c -o conftest-bpf.o >&AS_MESSAGE_LOG_FD 2>&1],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([$BPF_CC cannot compile for BPF: see config.log, or use --disable-tracer])])
	rm -f conftest-bpf.c conftest-bpf.o
	AC_SUBST([BPF_CFLAGS])
])
