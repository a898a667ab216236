/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of a capture: one piece, or with --switch-output a set of them. Functions return 0, or
 * -errno with the error set; those of a set do nothing without --switch-output.
 */
#ifndef TRACER_PIECES_H
#define TRACER_PIECES_H

#include "base/hash_map.h"
#include "capture/directory.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "tracer/memory_table.h"
#include "tracer/name_tables.h"
#include "tracer/pieces/keeper.h"
#include "tracer/recursion_misses.h"
#include "tracer/streams.h"
#include "tracer/system/tempdir.h"

struct slabinfo_snapshot;

struct piece {
	struct directory directory;
	struct status status;
};

/* How far the switch to the next piece is. */
enum pieces_state {
	PIECES_IDLE,	  /* one piece is written */
	PIECES_SWITCHING, /* streams are switched, each at its own moment */
	PIECES_CLOSING,	  /* all that is left of the old piece is its symbols and its status */
};

/* Counters of kernel/status that go on through all pieces, at the begin of the present one. */
struct pieces_base {
	uint64_t skipped, names_lost, hook_calls_skipped, mappings_lost;
	struct status_probes probes;
	struct hash_map lost_tasks; /* thread id: index in lost; if lost_count */
	uint64_t *lost;		    /* events that earlier pieces have as lost */
	size_t lost_count;
};

struct pieces {
	const struct options *options;
	struct error *error;
	/* the parts that write into the present piece, or that its status counts */
	struct streams *streams;
	struct name_tables *names;
	struct memory_table *memory;
	struct programs *programs;
	struct recursion_misses *misses;
	struct publish *publish; /* reads it; NULL: nothing is aggregated */

	char *path;		/* absolute; NULL: nothing stays on disk */
	struct tempdir tempdir; /* if nothing stays on disk, or the set is in memory: has it */
	struct metadata metadata;
	struct piece present;
	struct worker guard; /* of the older captures, until the start has succeeded */
	bool is_kept;	     /* the start has succeeded */
	uint64_t begin, end; /* ns: between them all programs are attached */

	/* the rest is of a set */
	struct directory set;
	struct keeper keeper;
	unsigned int number;  /* of the present piece */
	uint64_t piece_begin; /* ns: when it was begun, for its age */
	enum pieces_state state;
	struct piece other;   /* switching: the next one; closing: the old one */
	bool *switched;	      /* by CPU, while switching */
	uint64_t first, last; /* ns: the least and the greatest time of the streams' switch */
	struct pieces_base base;
	uint64_t old_bytes; /* on disk, of the old piece, until the keeper counts it */
	unsigned int old_number;
	uint64_t tables;       /* bytes on disk of the present piece's tables */
	uint64_t next_tables;  /* ns: when they are measured again */
	uint64_t next_request; /* ns: of the next request for room, after one that found none */
	bool said_full;
	bool requested; /* SIGUSR2 came */
};

/* After a start that failed, it removes what was made. */
void pieces_close(struct pieces *pieces);

/* Finds the path. */
int pieces_find_path(struct pieces *pieces);

/*
 * Opens the set, or makes its directory, and removes what a killed kmemtraced left in it. The set
 * goes on with the number after its last piece.
 */
int pieces_open_set(struct pieces *pieces);

/* Starts the keeper, which may remove pieces. */
int pieces_start_keeper(struct pieces *pieces);

/* Chooses the directory of the capture, or makes that of the first piece of this run. */
int pieces_make_directory(struct pieces *pieces);

/* Is the limit of --max-disk large enough for the rings? Else -EINVAL. */
int pieces_check_room(struct pieces *pieces);

int pieces_write_metadata(struct pieces *pieces, struct directory *directory);

/*
 * Gives the capture, or the first piece and a new set, its name, while the start can still fail. A
 * process does it, the guard. If kmemtraced ends or is killed before pieces_keep(), the guard gives
 * all captures the names that they had.
 */
int pieces_commit(struct pieces *pieces);

/* The start has succeeded: the guard removes the older capture, which had the name. */
void pieces_keep(struct pieces *pieces);

/* In some rounds: has the guard ended? */
void pieces_poll_guard(struct pieces *pieces);

/* Opens the stream of a CPU. begin: ns, not after its first event. */
int pieces_open_stream(struct pieces *pieces, unsigned int cpu, uint64_t begin);

/* Makes the ring and opens the stream of a CPU that came online during the capture. */
int pieces_add_stream(struct pieces *pieces, unsigned int cpu);

/*
 * The directory was renamed: gives the streams their new paths, for messages. Without memory, they
 * keep the old ones.
 */
void pieces_rename_streams(struct pieces *pieces);

/* The skipped events that the packets of a CPU have: those since the begin of its piece. */
uint64_t pieces_skipped(const struct pieces *pieces, unsigned int cpu);

/* Streams are being switched, each at its own moment. */
static inline bool pieces_are_switching(const struct pieces *pieces)
{
	return pieces->state == PIECES_SWITCHING;
}

/* Before a round: lets each drain take what --max-disk has room for. False: there is none. */
bool pieces_divide_room(struct pieces *pieces);

/*
 * From one piece to the next while events come: first the streams, each in a round in which its
 * drain has caught up, then the tables. The old piece is complete once its symbols are, too.
 *
 * pieces_switch_begin(): after the start: the keeper makes the directory of the next piece.
 * pieces_switch_stream(): after a round over the ring of a CPU, if that is wanted and possible.
 * pieces_switch_step(): after a round over all rings and messages: begins or goes on with a switch.
 * pieces_switch_finish(): after the programs were detached: completes a switch that has begun.
 */
int pieces_switch_begin(struct pieces *pieces, uint64_t now);
int pieces_switch_stream(struct pieces *pieces, unsigned int cpu);
int pieces_switch_step(struct pieces *pieces, uint64_t now);
int pieces_switch_finish(struct pieces *pieces);

/* Drains the rings after the programs were detached, and ends the streams at the time end (ns). */
int pieces_finish_streams(struct pieces *pieces, uint64_t end);

/*
 * The last reading of /proc/slabinfo in a piece. err: of the reading; -ENODATA: the kernel has no
 * slabinfo. Frees the snapshot.
 */
int pieces_write_slabinfo(struct pieces *pieces, struct slabinfo_snapshot *snapshot, int err);

/* Waits for the keeper at the very end. */
int pieces_end(struct pieces *pieces);

/* The bytes of the set and of its dumps on disk, as far as they are known. */
uint64_t pieces_disk_used(const struct pieces *pieces);

/* The pieces that exist. */
unsigned int pieces_count(const struct pieces *pieces);

/* Writes kernel/status for the first time. If kmemtraced is killed, readers find this version. */
int pieces_status_start(struct pieces *pieces);

/* Updates what is known of backup programs and hooks. Does not write the file. 0 or -errno. */
int pieces_status_update_programs(struct pieces *pieces);

/* Writes the file with the present values. */
int pieces_status_write(struct pieces *pieces);

/* Adds everything that is known at the end, and writes the file for the last time. */
int pieces_status_finish(struct pieces *pieces);

/* The allocations, frees and bytes that a profile counts, of all pieces. */
struct status_counted pieces_counted(const struct pieces *pieces);

#endif
