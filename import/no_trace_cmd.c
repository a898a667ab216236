// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stands for source_trace_cmd.c where there is no libtracecmd. */
#include "config.h"

#include <errno.h>

#include "import/magic.h"
#include "import/source.h"

static int refuse(struct import_target *target, char *const *paths, size_t count)
{
	(void)count;
	return target_fail(
		target, ENOTSUP,
		"%s: is a recording of trace-cmd, which this kmemtrace-import was built "
		"without libtracecmd for: install it (Debian: libtracecmd-dev, libtracefs-dev, "
		"libtraceevent-dev) and build anew, or import the text of perf script",
		paths[0]);
}

const struct source source_trace_cmd = {
	.name = "trace-cmd",
	.sentence = "a recording of trace-cmd",
	.is = trace_cmd_is,
	.import = refuse,
	.has_symbols = true,
};
