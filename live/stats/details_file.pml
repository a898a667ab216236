/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A model, for spin, of the file of details: details_file_write() and read_text() of
 * details_file.c. tests/build/models.sh searches all states, then those with each of the mistakes
 * (#ifdef) below.
 *
 * Properties:
 *	torn	a reader gets one text, with its size
 *	ends	a reader ends: it tries a bounded number of times, see stats_file.pml
 *
 * Bounds. A text is one word, which any store to it changes. Five texts, so that each slot is
 * written twice or more. One reader, since readers change nothing.
 *
 * Memory. The kernel copies the bytes of one pwrite() or pread() in any order. Two of them are in
 * order, by the barrier between them. A writer that dies writes no more.
 *
 * Assumed: a generation of 8 bytes does not tear. A new writer makes a new file.
 */
#define WRITES 5
#define TRIES 2 /* 100 in the code */

/* A broken property is in the message of spin. This variable stays false. */
bool torn;
#define HOLDS(property, condition) assert(property || (condition))

byte generation;     /* of the head; the text is in slot generation & 1 */
byte size[2], text[2]; /* of each slot: the number of the text stands for both */

#define SLOT(generation) ((generation) & 1)

active proctype writer()
{
	byte number;

	do
	:: number < WRITES ->
		number++;
#ifdef GENERATION_EARLY /* torn: write_at() without a barrier */
		generation = number;
#endif
		text[SLOT(number)] = number;
#ifdef ONE_SIZE /* torn: a size beside the generation, in the same pwrite() */
		if
		:: size[0] = number; generation = number
		:: generation = number; size[0] = number
		fi
#else
		size[SLOT(number)] = number;
		generation = number
#endif
	:: true -> break /* it ends or dies */
	:: number == WRITES -> break
	od
}

active proctype reader()
{
	byte tries, current, bytes, copy, after;

	do
	:: tries == TRIES -> break /* -EAGAIN */
	:: tries < TRIES ->
		tries++;
		current = generation;
#ifdef ONE_SIZE
		bytes = size[0];
#else
		bytes = size[SLOT(current)];
#endif
#ifdef CHECK_EARLY /* torn: read_at() without a barrier */
		after = generation;
#endif
		copy = text[SLOT(current)];
#ifndef CHECK_EARLY
		after = generation;
#endif
		if
		:: after == current -> HOLDS(torn, bytes == current && copy == current); break
		:: else
		fi
	od
}
