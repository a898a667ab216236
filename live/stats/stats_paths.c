// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "live/stats/stats_paths.h"

char *stats_paths_unobserved(const struct status *status)
{
	char *text = calloc(status->path_count + 1, sizeof(status->paths->name) + 1);

	for (size_t i = 0; i < status->path_count && text; i++) {
		if (status->paths[i].observed)
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, status->paths[i].name);
	}
	return text;
}
