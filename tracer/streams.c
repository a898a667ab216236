// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "tracer/load/machine.h"
#include "tracer/streams.h"

int streams_init(struct streams *streams, unsigned int mib, bool buffered)
{
	struct topology *topology = &streams->topology;
	struct rings *rings = &streams->rings;
	int err;

	err = topology_read(topology, "");
	if (!err && !topology->count)
		err = -ENODATA;
	if (err)
		return error_set_at(streams->error, err, "/sys/devices/system/cpu");
	if (!mib)
		mib = rings_default_mib(machine_online_cpus(topology), machine_memory());
	err = rings_init(rings, machine_possible_cpus(topology), mib, buffered);
	for (size_t i = 0; i < topology->count && !err; i++)
		if (topology->list[i].online)
			err = rings_add(rings, topology->list[i].cpu, topology->list[i].node);
	if (err)
		return error_set(streams->error, err, rings->errmsg);
	streams->offline = machine_offline_cpus(topology);
	streams->drains = calloc(rings->possible_cpus, sizeof(*streams->drains));
	streams->draining = calloc(rings->possible_cpus, sizeof(*streams->draining));
	if (!streams->drains || !streams->draining)
		return error_set_at(streams->error, -ENOMEM, "the streams");
	return 0;
}

void streams_deinit(struct streams *streams)
{
	for (unsigned int i = 0; streams->draining && i < streams->rings.possible_cpus; i++)
		if (streams->draining[i])
			drain_close(&streams->drains[i]);
	free(streams->drains);
	free(streams->draining);
	free(streams->bases);
	packer_destroy(streams->packer);
	rings_deinit(&streams->rings);
	topology_deinit(&streams->topology);
}

struct stream_sums streams_sums(const struct streams *streams)
{
	struct stream_sums sums = streams->ended;

	for (unsigned int i = 0; i < streams->rings.possible_cpus; i++) {
		const struct writer *writer = &streams->drains[i].writer;

		if (!streams->draining[i])
			continue;
		sums.recorded += writer->loss.records;
		sums.lost += loss_missing(&writer->loss);
		sums.bytes += writer->size;
		sums.samples += streams->rings.controls[i].samples;
	}
	return sums;
}

/*
 * The watermark: all events before this time have been passed to the queue, or are lost. It is the
 * earliest of now, which was read before this round over the rings, and of the times that the CPUs
 * have reached:
 *
 * If the drain of a CPU has caught up, every event that took its number before now has been drained
 * or is lost. Any other event reads its time after it took its number, so after now. If the drain
 * has not caught up, the CPU has reached the time of its last record: the next event took its slots
 * later, and does not have an earlier time. If the clocks of CPUs differ, the writer clamps the
 * time of an event that would be before the watermark, as it does in the stream.
 *
 * A CPU without a ring loses its events until it gets a ring. It gets the ring during a round,
 * after the time now of that round.
 */
uint64_t streams_watermark(struct streams *streams, uint64_t now)
{
	uint64_t watermark = now;

	for (unsigned int i = 0; i < streams->rings.possible_cpus; i++) {
		struct drain *drain = &streams->drains[i];
		uint64_t reached;

		if (!streams->draining[i])
			continue;
		reached = writer_watermark(&drain->writer, drain->caught_up ? now : 0);
		if (reached < watermark)
			watermark = reached;
	}
	return watermark;
}

/*
 * The programs count an event that finds no slot, and a sample that finds no room, at once, before
 * a reader can see the gap in the numbers. The writer counts the records that it cannot write.
 */
uint64_t streams_lost(const struct streams *streams)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < streams->rings.possible_cpus; i++) {
		const struct kmt_control *control = &streams->rings.controls[i];
		const struct writer *writer = &streams->drains[i].writer;

		if (streams->draining[i] && writer->error)
			lost += loss_missing(&writer->loss) +
				(streams->bases ? streams->bases[i].lost : 0);
		else
			lost += __atomic_load_n(&control->lost, __ATOMIC_RELAXED);
		lost += __atomic_load_n(&control->dropped, __ATOMIC_RELAXED);
	}
	return lost;
}

uint64_t streams_waiting(const struct streams *streams)
{
	uint64_t waiting = 0;

	for (unsigned int i = 0; i < streams->rings.possible_cpus; i++)
		if (streams->draining[i])
			waiting += drain_waiting(&streams->drains[i]);
	return waiting;
}
