// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts the objects in the streams of a checkpoint. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/reader.h"
#include "capture/stream_files.h"
#include "check/check_checkpoint.h"
#include "kernel/record_kinds.h"

/* Adds the allocations of live objects. 0 or -errno; -EBADMSG: error is set. */
static int count_live(const struct capture_stream *stream, uint64_t begin, uint64_t *live,
		      struct error *error)
{
	struct kmt_record record;
	struct packet packet;
	struct cursor cursor;
	struct stream file;
	int more = stream_open(&file, stream->path);

	if (more)
		return more;
	while ((more = stream_next(&file, &packet)) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_next(&cursor, &record) == 1)
			*live += record.time < begin && record_kind_is_known(record.id) &&
				 record_kind_is_one_of(record.id,
						       RECORD_KINDS_WITH(RECORD_ALLOCATION));
	}
	if (more == -EBADMSG || more == -EPROTONOSUPPORT)
		more = error_format(error, -EBADMSG, "cpu%u: byte %" PRIu64 ": %s", stream->cpu,
				    file.offset, file.errmsg);
	stream_close(&file);
	return more;
}

int check_checkpoint_objects(const struct capture *capture, struct error *error)
{
	struct capture_parts parts = { .list = capture->parts.list, .count = 1 };
	struct capture_stream *streams;
	const char *failed;
	uint64_t live = 0;
	size_t count;
	int err = stream_files_find(&parts, &streams, &count, &failed);

	for (size_t i = 0; i < count && !err; i++)
		err = count_live(&streams[i], capture->checkpoint.begin, &live, error);
	stream_files_deinit(streams, count);
	if (err || live == capture->checkpoint.objects)
		return err;
	return error_format(error, -EBADMSG,
			    "%" PRIu64
			    " objects were live at the begin, but the streams have %" PRIu64,
			    capture->checkpoint.objects, live);
}
