# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# KMT_TRACECMD: sets have_tracecmd, TRACECMD_CFLAGS and TRACECMD_LIBS. Without libtracecmd
# kmemtrace-import does all but trace.dat; it has no static library, so a static build goes
# without.
AC_DEFUN([KMT_TRACECMD], [
AC_ARG_WITH([libtracecmd],
	[AS_HELP_STRING([--without-libtracecmd],
		[kmemtrace-import reads no trace.dat (default: if libtracecmd is there)])],
	[], [with_libtracecmd=auto])
have_tracecmd=no
AS_IF([test "x$with_libtracecmd" != xno],
	[PKG_CHECK_MODULES([TRACECMD], [libtracecmd], [have_tracecmd=yes], [have_tracecmd=no])])
AS_IF([test "x$have_tracecmd" = xyes], [
	kmt_save_CFLAGS=$CFLAGS kmt_save_LIBS=$LIBS
	CFLAGS="$CFLAGS $TRACECMD_CFLAGS" LIBS="$TRACECMD_LIBS $LIBS"
	AC_MSG_CHECKING([whether libtracecmd can be linked with])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <trace-cmd.h>]],
		[[return tracecmd_iterate_events_multi(0, 0, 0, 0);]])],
		[], [have_tracecmd=no])
	AC_MSG_RESULT([$have_tracecmd])
	CFLAGS=$kmt_save_CFLAGS LIBS=$kmt_save_LIBS
])
AS_IF([test "x$have_tracecmd" = xno], [
	AS_IF([test "x$with_libtracecmd" = xyes],
		[AC_MSG_ERROR([libtracecmd is missing (Debian: libtracecmd-dev, libtracefs-dev, libtraceevent-dev)])])
	TRACECMD_CFLAGS= TRACECMD_LIBS=
])
AC_SUBST([TRACECMD_CFLAGS])
AC_SUBST([TRACECMD_LIBS])
])
