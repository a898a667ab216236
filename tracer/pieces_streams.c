// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ring and the stream of each CPU. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "tracer/load/machine.h"
#include "tracer/pieces.h"
#include "tracer/pieces_streams.h"

#define NAME_SIZE 32 /* of a stream */

static const char *stream_name(unsigned int cpu, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "cpu%u", cpu);
	return name;
}

static const char *stream_path(const struct session *session, unsigned int cpu, char *path,
			       size_t size)
{
	char name[NAME_SIZE];

	return directory_name(&session->directory, stream_name(cpu, name), path, size);
}

int session_streams_open(struct session *session, unsigned int cpu)
{
	struct directory *directory = session_piece_directory(session);
	struct drain *drain = &session->streams.drains[cpu];
	char path[4096], name[NAME_SIZE];
	int err, fd = -1;

	drain->control = &session->streams.rings.controls[cpu];
	drain->ring = session->streams.rings.list[cpu].slots;
	drain->slots = session->streams.rings.slots;
	drain->status = &session->status;
	if (options_have_streams(session->options)) {
		fd = directory_create(directory, stream_name(cpu, name));
		if (fd < 0)
			return error_set(&session->error, fd, directory->errmsg);
	}
	err = drain_open(
		drain, fd, directory_name(directory, stream_name(cpu, name), path, sizeof(path)),
		session->metadata.uuid, cpu, machine_now(),
		session->streams.rings.buffered ? session->streams.rings.list[cpu].fd : -1);
	if (err)
		return error_set(&session->error, err, drain->writer.errmsg);
	if (session_aggregates(session))
		drain->writer.sink = publish_sink(&session->publish);
	writer_pack(&drain->writer, session->streams.packer);
	session->streams.draining[cpu] = true;
	session_piece_opened(session, cpu);
	return 0;
}

int session_streams_add(struct session *session, unsigned int cpu)
{
	const struct topology_cpu *about = topology_find(&session->streams.topology, cpu);
	struct rings *rings = &session->streams.rings;
	int err;

	err = rings_add(rings, cpu, about ? about->node : -1);
	if (err)
		return error_set(&session->error, err, rings->errmsg);
	err = session_streams_open(session, cpu);
	if (err)
		return err;
	err = rings_insert(rings, cpu, bpf_variant_map_fd(&session->programs.variant, "rings"));
	return err ? error_set(&session->error, err, rings->errmsg) : 0;
}

void session_streams_rename(struct session *session)
{
	char path[4096];

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		if (session->streams.draining[i])
			writer_rename(&session->streams.drains[i].writer,
				      stream_path(session, i, path, sizeof(path)));
}

uint64_t session_streams_count_own(struct session *session, unsigned int cpu)
{
	struct drain *drain = &session->streams.drains[cpu];
	char name[NAME_SIZE];
	int fd = -1;

	if (drain->may_be_incomplete && options_have_streams(session->options))
		fd = directory_read(&session->directory, stream_name(cpu, name));
	return drain_count_own(drain, fd);
}

/*
 * First writes the rest of all streams, as far as the disk has space. Then releases the reserved
 * space, and writes the last packet of each stream with it.
 */
int session_streams_finish(struct session *session, uint64_t end)
{
	int err = 0, failed;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		/* a CPU that came online and never got a ring may still have had events */
		if (!session->streams.draining[i] && session->streams.rings.controls[i].sequence) {
			failed = session_streams_open(session, i);
			err = err ? err : failed;
		}
		if (!session->streams.draining[i])
			continue;
		failed = drain_rest(&session->streams.drains[i], session_piece_skipped(session, i));
		if (failed && !err)
			err = error_set(&session->error, failed,
					session->streams.drains[i].writer.errmsg);
	}
	directory_release(&session->directory);
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		if (!session->streams.draining[i])
			continue;
		failed = drain_finish(&session->streams.drains[i], end,
				      session_piece_skipped(session, i));
		if (failed && !err)
			err = error_set(&session->error, failed,
					session->streams.drains[i].writer.errmsg);
	}
	return err;
}
