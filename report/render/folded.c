// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Folded stacks, as flamegraph.pl and inferno read them: a line for each path, "root;...;leaf 12".
 */
#include "config.h"

#include <inttypes.h>

#include "report/render/render.h"

static int folded_print(const struct output *output, const struct flame *flame)
{
	for (size_t i = 0; i < flame->path_count; i++) {
		const struct flame_path *path = &flame->paths[i];

		if (path->shown.bytes)
			fprintf(output->file, "%s %" PRIu64 "\n", path->text, path->shown.bytes);
	}
	return 0;
}

const struct renderer renderer_folded = {
	.name = "folded",
	.print_flame = folded_print,
};
