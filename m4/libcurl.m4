# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# KMT_LIBCURL: sets have_libcurl, LIBCURL_CFLAGS and LIBCURL_LIBS. Without libcurl there is no
# kmemtrace-ship, and kmemtrace-fleet knows no ClickHouse; so it is in a static build, or for a machine
# whose libcurl is not installed here.
AC_DEFUN([KMT_LIBCURL], [
AC_ARG_WITH([libcurl],
	[AS_HELP_STRING([--without-libcurl],
		[build no kmemtrace-ship and no store of ClickHouse (default: if libcurl is there)])],
	[], [with_libcurl=auto])
have_libcurl=no
AS_IF([test "x$with_libcurl" != xno],
	[PKG_CHECK_MODULES([LIBCURL], [libcurl >= 7.85], [have_libcurl=yes], [have_libcurl=no])])
AS_IF([test "x$have_libcurl" = xyes], [
	kmt_save_CFLAGS=$CFLAGS kmt_save_LIBS=$LIBS
	CFLAGS="$CFLAGS $LIBCURL_CFLAGS" LIBS="$LIBCURL_LIBS $LIBS"
	AC_MSG_CHECKING([whether libcurl can be linked with])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <curl/curl.h>]],
		[[return curl_easy_setopt(curl_easy_init(), CURLOPT_PROTOCOLS_STR, "http");]])],
		[], [have_libcurl=no])
	AC_MSG_RESULT([$have_libcurl])
	CFLAGS=$kmt_save_CFLAGS LIBS=$kmt_save_LIBS
])
AS_IF([test "x$have_libcurl" = xno], [
	AS_IF([test "x$with_libcurl" = xyes],
		[AC_MSG_ERROR([libcurl is missing (Debian: libcurl4-gnutls-dev)])])
	LIBCURL_CFLAGS= LIBCURL_LIBS=
])
AS_IF([test "x$have_libcurl" = xyes],
	[AC_DEFINE([HAVE_LIBCURL], [1], [Define to 1 if ClickHouse servers can be used.])])
AC_SUBST([LIBCURL_CFLAGS])
AC_SUBST([LIBCURL_LIBS])
])
