// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/host/snapshot.h"
#include "tracer/pieces.h"

uint64_t pieces_skipped(const struct pieces *pieces, unsigned int cpu)
{
	if (pieces_are_switching(pieces) && pieces->switched[cpu])
		return 0;
	return pieces->misses->reported - pieces->base.skipped;
}

int pieces_write_metadata(struct pieces *pieces, struct directory *directory)
{
	FILE *file = directory_open(directory, "metadata", false);
	int err, failed;

	if (!file)
		return error_set(pieces->error, -EIO, directory->errmsg);
	err = metadata_write(&pieces->metadata, file);
	failed = directory_close(directory, file, "metadata");
	if (err)
		return error_format(pieces->error, err, "%s/metadata: %s", directory->path,
				    strerror(-err));
	return failed ? error_set(pieces->error, failed, directory->errmsg) : 0;
}

/* The reading, with what follows from /sys/kernel/slab. */
int pieces_write_slabinfo(struct pieces *pieces, struct slabinfo_snapshot *snapshot, int err)
{
	if (err == -ENODATA)
		return 0;
	if (err)
		return error_set_at(pieces->error, err, "/proc/slabinfo");
	err = slab_layout_add_held(snapshot, &pieces->streams->topology);
	if (err) {
		error_set_at(pieces->error, err, "/sys/kernel/slab");
	} else {
		err = snapshot_write_slabinfo(&pieces->present.directory, snapshot);
		if (err)
			error_set(pieces->error, err, pieces->present.directory.errmsg);
	}
	slabinfo_snapshot_deinit(snapshot);
	return err;
}
