# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# KMT_SQLITE: sets have_sqlite, SQLITE_CFLAGS and SQLITE_LIBS. Without SQLite kmemtrace-fleet has no
# store in a file.
AC_DEFUN([KMT_SQLITE], [
AC_ARG_WITH([sqlite],
	[AS_HELP_STRING([--without-sqlite],
		[kmemtrace-fleet stores nothing in files (default: if SQLite is there)])],
	[], [with_sqlite=auto])
have_sqlite=no
AS_IF([test "x$with_sqlite" != xno],
	[PKG_CHECK_MODULES([SQLITE], [sqlite3 >= 3.12], [have_sqlite=yes], [have_sqlite=no])])
# pkg-config may describe the library of the building machine
AS_IF([test "x$have_sqlite" = xyes], [
	kmt_save_CFLAGS=$CFLAGS kmt_save_LIBS=$LIBS
	CFLAGS="$CFLAGS $SQLITE_CFLAGS" LIBS="$SQLITE_LIBS $LIBS"
	AC_MSG_CHECKING([whether SQLite can be linked with])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <sqlite3.h>]], [[return sqlite3_libversion_number();]])],
		[], [have_sqlite=no])
	AC_MSG_RESULT([$have_sqlite])
	CFLAGS=$kmt_save_CFLAGS LIBS=$kmt_save_LIBS
])
AS_IF([test "x$have_sqlite" = xyes],
	[AC_DEFINE([HAVE_SQLITE], [1], [Define to 1 if SQLite is there.])],
	[AS_IF([test "x$with_sqlite" = xyes],
		[AC_MSG_ERROR([SQLite is missing (Debian: libsqlite3-dev)])])
	SQLITE_CFLAGS= SQLITE_LIBS=])
AC_SUBST([SQLITE_CFLAGS])
AC_SUBST([SQLITE_LIBS])
])
