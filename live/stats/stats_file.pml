/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A model, for spin, of a statistics file. The process "writer" is stats_file_write() of
 * stats_file_write.c, which kmemtraced calls again and again. The process "reader" is
 * stats_file_open() of stats_file_open.c and copy_snapshot() of stats_file_read.c. The first writer
 * dies at any step; then a second one publishes at the same path. tests/build/models.sh searches
 * all states, then those with each of the mistakes (#ifdef) below.
 *
 * Properties:
 *	torn	a reader gets the counters and the names of one snapshot, as the writer had them
 *	ends	a reader ends, while a writer writes for ever, and after one died
 *
 * Bounds. A snapshot has a counter that changes each time, and one that may change: more counters
 * are written and copied in the same way. The first writer makes at most four snapshots, two in each
 * slot: later ones differ in their numbers only. The second makes two. There is one reader, since
 * readers change nothing. It reads once, at any time, since a view keeps nothing but names, which do
 * not change; and it tries twice. ENDLESS: a writer that never ends.
 *
 * Memory. A store with release order is a step of the writer at the time when it becomes visible.
 * So the stores before it in the code are steps before it. The store of a slot's generation has no
 * order: it may pass the store of current before it. The reader has a barrier before and after each
 * read of a generation. The copies between two barriers have no order.
 *
 * Assumed: one writer at a time has the path: see stats_file_lock.pml. A word does not tear. A reader
 * does not sleep for the 2^32 snapshots after which a generation returns. A file keeps its inode
 * number while it is open.
 */
#define WRITES 4
#define WRITES_OF_SECOND 2
#define TRIES 2 /* 100 in the code */
#define NO_FILE 2

/* A broken property is in the message of spin. This variable stays false. */
bool torn;
#define HOLDS(property, condition) assert(property || (condition))

typedef file {
	byte current;	    /* of the head */
	byte generation[2]; /* of each slot, as its counters */
	byte changing[2];   /* the writer and the generation */
	byte rare[2];	    /* also the offset of its name */
	byte names[WRITES + WRITES_OF_SECOND + 1];
	bool is_locked
}
file files[2];
byte path = NO_FILE; /* the file of that name */
bool first_ends;     /* the first writer dies */
bool reader_ended;

#define SLOT(generation) ((generation) & 1)
#define SNAPSHOT(writer, generation) (8 * (writer) + (generation))
byte rare_of[16]; /* for the property only: by snapshot */

inline store_counters()
{
	if
	:: changed > written[SLOT(generation)] -> /* put_type() */
#ifdef NAMES_REPLACED /* torn: add_text() in place of the last text */
		files[at].names[1] = rare;
		files[at].rare[SLOT(generation)] = 1;
#else
		atomic {
			files[at].names[rare] = rare;
			files[at].rare[SLOT(generation)] = rare
		}
#endif
	:: else
	fi;
	files[at].changing[SLOT(generation)] = SNAPSHOT(which, generation)
}

/* stats_file_write(). No order with the store of current before: that may come now, or has come. */
inline write_snapshot()
{
#ifdef GENERATION_LATE /* torn: as if put_words() had no release order */
	store_counters();
	files[at].generation[SLOT(generation)] = generation;
#else
	files[at].generation[SLOT(generation)] = generation;
	if
	:: is_late -> files[at].current = last; is_late = false
	:: else
	fi;
#ifdef CURRENT_EARLY /* torn: current has no release order */
	files[at].current = generation;
#endif
	store_counters();
#endif
#ifdef CHANGES_OF_BOTH /* torn: one written_generation, not one for each slot */
	written[0] = generation;
	written[1] = generation;
#else
	written[SLOT(generation)] = generation;
#endif
	if
	:: files[at].current = generation
	:: path == at -> is_late = true
	fi;
	path = at /* stats_file_lock_publish() */
}

proctype writer(byte which; byte at)
{
	byte generation, last, rare, changed, written[2];
	bool is_late;

	files[at].is_locked = true;
	{
end:
		do
#ifdef ENDLESS
		:: true ->
			last = generation;
			generation = generation % 4 + 1;
#else
		:: generation < (which -> WRITES_OF_SECOND : WRITES) ->
			last = generation;
			generation++;
			if
			:: atomic {
				changed = generation;
				rare = (generation == 1 -> 1 + which * WRITES : rare + 1)
			   }
			:: generation > 1
			fi;
#endif
			rare_of[SNAPSHOT(which, generation)] = rare;
			write_snapshot()
		:: is_late -> files[at].current = generation; is_late = false
#ifndef ENDLESS
		:: !which && first_ends -> break
#endif
		od
	} unless { first_ends && !which };
	if
	:: !which ->
		atomic {
			files[at].is_locked = false;
#ifdef FILE_REUSED /* torn: check_replaceable() and no new file: the same generations come again */
			run writer(1, 0)
#else
			run writer(1, 1)
#endif
		}
	:: else
	fi
}

/* A copy may take the counters in any order. */
inline copy_slot()
{
	if
	:: changing = files[at].changing[SLOT(current)]; rare = files[at].rare[SLOT(current)]
	:: rare = files[at].rare[SLOT(current)]; changing = files[at].changing[SLOT(current)]
	fi;
	name = files[at].names[rare]
}

inline copy_snapshot()
{
	do
#ifdef TRIES_WITHOUT_END /* ends */
	:: true ->
#else
	:: tries == TRIES -> break /* -EAGAIN */
	:: tries < TRIES ->
		tries++;
#endif
		current = files[at].current;
#ifdef CHECK_EARLY /* torn: read_generation() without a barrier before it */
		generation = files[at].generation[SLOT(current)];
		copy_slot();
#else
		copy_slot();
		generation = files[at].generation[SLOT(current)];
#endif
#ifdef NO_CHECK /* torn */
		generation = current;
#endif
		if
		:: generation == current ->
#ifndef ENDLESS
			d_step {
				HOLDS(torn, current == changing % 8 && rare_of[changing] == name)
			};
#endif
			break
		:: else
		fi
	od
}

active proctype reader()
{
	byte at, tries, current, generation, changing, rare, name;

	at = path; /* stats_file_open() */
	if
	:: at != NO_FILE ->
		if
		:: files[at].is_locked -> copy_snapshot()
		:: else /* -ENOENT: the writer has ended */
		fi
	:: else
	fi;
	reader_ended = true
}

#ifndef ENDLESS
active proctype kill()
{
	first_ends = true
}
#endif

init {
	run writer(0, 0)
}

#ifdef ENDLESS
ltl ends { <> reader_ended }
#endif
