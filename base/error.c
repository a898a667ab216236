// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int error_format(struct error *error, int err, const char *format, ...)
{
	va_list arguments;

	if (!error || *error->text)
		return err;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return err;
}

int error_set(struct error *error, int err, const char *text)
{
	return error_format(error, err, "%s", text);
}

int error_set_at(struct error *error, int err, const char *what)
{
	return error_format(error, err, "%s: %s", what, strerror(-err));
}
