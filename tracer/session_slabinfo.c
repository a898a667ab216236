// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes a reading of /proc/slabinfo with what follows from /sys/kernel/slab. */
#include "config.h"

#include <errno.h>

#include "tracer/host/slab_layout.h"
#include "tracer/host/snapshot.h"
#include "tracer/session_slabinfo.h"

int session_slabinfo_write(struct session *session, struct slabinfo_snapshot *snapshot, int err)
{
	if (err == -ENODATA)
		return 0;
	if (err)
		return error_set_at(&session->error, err, "/proc/slabinfo");
	err = slab_layout_add_held(snapshot, &session->streams.topology);
	if (err) {
		error_set_at(&session->error, err, "/sys/kernel/slab");
	} else {
		err = snapshot_write_slabinfo(&session->directory, snapshot);
		if (err)
			error_set(&session->error, err, session->directory.errmsg);
	}
	slabinfo_snapshot_deinit(snapshot);
	return err;
}
