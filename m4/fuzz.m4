# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# KMT_FUZZ: with --enable-fuzz, FUZZ_CFLAGS instruments all code for libFuzzer, the sanitizers and
# coverage; FUZZ_LIBS links a target with libFuzzer, which only clang has.
AC_DEFUN([KMT_FUZZ], [
AC_ARG_ENABLE([fuzz],
	[AS_HELP_STRING([--enable-fuzz],
		[build only what the fuzz targets in tests/fuzz need, for libFuzzer; needs CC=clang])],
	[], [enable_fuzz=no])
FUZZ_CFLAGS= FUZZ_LIBS=
AS_IF([test "x$enable_fuzz" = xyes], [
	FUZZ_CFLAGS="-Wno-unknown-warning-option -Wno-missing-field-initializers -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -fprofile-instr-generate -fcoverage-mapping"
	FUZZ_LIBS=-fsanitize=fuzzer
	kmt_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $FUZZ_CFLAGS $FUZZ_LIBS"
	AC_MSG_CHECKING([whether $CC links with libFuzzer])
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
		int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size);
		int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size)
		{
			return data && size > 5 ? 0 : 0;
		}]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([libFuzzer is needed for --enable-fuzz: use CC=clang, and install its runtime libraries (Debian: libclang-rt-dev)])])
	CFLAGS=$kmt_save_CFLAGS
])
AC_SUBST([FUZZ_LIBS])
])
