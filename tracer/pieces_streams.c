// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ring and the stream of each CPU. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/param.h>

#include "tracer/pieces_work.h"

#define NAME_SIZE 32 /* of a stream */

static const char *stream_name(unsigned int cpu, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "cpu%u", cpu);
	return name;
}

static const char *stream_path(const struct pieces *pieces, unsigned int cpu, char *path,
			       size_t size)
{
	char name[NAME_SIZE];

	return directory_name(&pieces->present.directory, stream_name(cpu, name), path, size);
}

void pieces_stream_opened(struct pieces *pieces, unsigned int cpu)
{
	uint64_t time = pieces->streams->drains[cpu].writer.first_time;

	if (!pieces_are_switching(pieces))
		return;
	pieces->switched[cpu] = true;
	pieces->first = time < pieces->first ? time : pieces->first;
	pieces->last = time > pieces->last ? time : pieces->last;
}

int pieces_open_stream(struct pieces *pieces, unsigned int cpu, uint64_t begin)
{
	struct directory *directory = pieces_are_switching(pieces) ? &pieces->other.directory
								   : &pieces->present.directory;
	struct streams *streams = pieces->streams;
	struct ring *ring = &streams->rings.list[cpu];
	struct drain *drain = &streams->drains[cpu];
	char path[4096], name[NAME_SIZE];
	int err, fd = -1;

	drain->control = &streams->rings.controls[cpu];
	drain->ring = ring->slots;
	drain->slots = streams->rings.slots;
	drain->status = &pieces->present.status;
	if (options_have_streams(pieces->options)) {
		fd = directory_create(directory, stream_name(cpu, name));
		if (fd < 0)
			return error_set(pieces->error, fd, directory->errmsg);
	}
	err = drain_open(drain, fd,
			 directory_name(directory, stream_name(cpu, name), path, sizeof(path)),
			 pieces->metadata.uuid, cpu, begin,
			 streams->rings.buffered ? ring->fd : -1);
	if (err)
		return error_set(pieces->error, err, drain->writer.errmsg);
	if (pieces->publish)
		drain->writer.sink = publish_sink(pieces->publish);
	writer_pack(&drain->writer, streams->packer);
	streams->draining[cpu] = true;
	pieces_stream_opened(pieces, cpu);
	return 0;
}

/* When a CPU without a ring may have had its first event, at the earliest. */
static uint64_t earliest_event(const struct pieces *pieces)
{
	uint64_t last_round = pieces->streams->last_round;

	return pieces_are_switching(pieces) ? last_round
					    : MAX(last_round, pieces->present.status.begin);
}

int pieces_add_stream(struct pieces *pieces, unsigned int cpu)
{
	const struct topology_cpu *about = topology_find(&pieces->streams->topology, cpu);
	const struct bpf_variant *variant = &pieces->programs->variant;
	struct rings *rings = &pieces->streams->rings;
	int rings_fd = bpf_variant_map_fd(variant, "rings");
	int taken_fd = bpf_variant_map_fd(variant, "spare_taken");
	bool had_spare = rings_take_spare(rings, cpu, taken_fd);
	int err = had_spare ? 0 : rings_add(rings, cpu, about ? about->node : -1);

	if (err)
		return error_set(pieces->error, err, rings->errmsg);
	err = pieces_open_stream(pieces, cpu, earliest_event(pieces));
	if (err)
		return err;
	err = rings_insert(rings, cpu, rings_fd);
	if (err)
		return error_set(pieces->error, err, rings->errmsg);
	if (pieces->streams->offline && --pieces->streams->offline && had_spare)
		rings_add_spare(rings, rings_fd, taken_fd); /* without it, events are lost */
	return 0;
}

void pieces_rename_streams(struct pieces *pieces)
{
	char path[4096];

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		if (pieces->streams->draining[i])
			writer_rename(&pieces->streams->drains[i].writer,
				      stream_path(pieces, i, path, sizeof(path)));
}

uint64_t pieces_count_own(struct pieces *pieces, unsigned int cpu)
{
	struct drain *drain = &pieces->streams->drains[cpu];
	char name[NAME_SIZE];
	int fd = -1;

	if (drain->may_be_incomplete && options_have_streams(pieces->options))
		fd = directory_read(&pieces->present.directory, stream_name(cpu, name));
	return drain_count_own(drain, fd);
}

/*
 * First writes the rest of all streams, as far as the disk has space. Then releases the reserved
 * space, and writes the last packet of each stream with it.
 */
int pieces_finish_streams(struct pieces *pieces, uint64_t end)
{
	int err = 0, failed;

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++) {
		/* a CPU that came online a moment ago may have had events */
		if (!pieces->streams->draining[i] && pieces->streams->rings.controls[i].sequence) {
			rings_take_spare(&pieces->streams->rings, i,
					 bpf_variant_map_fd(&pieces->programs->variant,
							    "spare_taken"));
			failed = pieces_open_stream(pieces, i, earliest_event(pieces));
			err = err ? err : failed;
		}
		if (!pieces->streams->draining[i])
			continue;
		failed = drain_rest(&pieces->streams->drains[i], pieces_skipped(pieces, i));
		if (failed && !err)
			err = error_set(pieces->error, failed,
					pieces->streams->drains[i].writer.errmsg);
	}
	directory_release(&pieces->present.directory);
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++) {
		if (!pieces->streams->draining[i])
			continue;
		failed = drain_finish(&pieces->streams->drains[i], end, pieces_skipped(pieces, i));
		if (failed && !err)
			err = error_set(pieces->error, failed,
					pieces->streams->drains[i].writer.errmsg);
	}
	return err;
}
