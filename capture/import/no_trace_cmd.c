// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Replaces source_trace_cmd.c in a build without libtracecmd. */
#include "config.h"

#include <errno.h>

#include "capture/import/import_source.h"
#include "capture/import/trace_cmd_magic.h"

static int refuse_recording(struct import_target *target, char *const *paths, size_t count)
{
	(void)count;
	return error_format(
		&target->error, -ENOTSUP,
		"%s: is a recording of trace-cmd, but this kmemtrace-import was built without libtracecmd: install it (Debian: libtracecmd-dev, libtracefs-dev, libtraceevent-dev) and build again, or import the text that trace-cmd report prints",
		paths[0]);
}

const struct import_source source_trace_cmd = {
	.name = "trace-cmd",
	.description = "a recording of trace-cmd",
	.is = is_trace_cmd,
	.import = refuse_recording,
	.has_symbols = true,
};
