// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frees what a session knows of its pieces. */
#include "config.h"

#include <stdlib.h>

#include "tracer/pieces/rotation.h"

void rotation_close(struct rotation *rotation)
{
	keeper_close(&rotation->keeper);
	directory_deinit(&rotation->other);
	directory_deinit(&rotation->set);
	status_deinit(&rotation->other_status);
	hash_map_deinit(&rotation->base.lost_tasks);
	free(rotation->base.lost);
	free(rotation->base.probes.list);
	free(rotation->switched);
}
