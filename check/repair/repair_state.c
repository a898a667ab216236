// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Printed lines of a repair. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "check/repair/repair_state.h"
#include "cli/message.h"

void repair_print(const struct repair *repair, const char *format, ...)
{
	va_list arguments;

	if (repair->quiet)
		return;
	va_start(arguments, format);
	print_text("%s", repair->path);
	print_text_arguments(format, arguments);
	va_end(arguments);
	putchar('\n');
}
