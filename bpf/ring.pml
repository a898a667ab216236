/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A model, for spin, of the ring of one CPU. The processes "program" write records: take_slot(),
 * take_stack_and_slot() and commit() of bpf/mapped_ring.bpf.h, count_lost() of bpf/emit.bpf.h. The
 * process "kmemtraced" reads them: drain_run(), drain_rest() and drain_finish() of tracer/drain.c.
 * tests/build/models.sh searches all states, then those with each of the mistakes (#ifdef) below.
 *
 * Properties:
 *	overrun		no program takes a slot that was not given back
 *	torn		a record is taken out as its program wrote it
 *	twice		no number is taken out twice, or after it was counted as lost
 *	recorded	a number is counted as lost only if its event found no room
 *	early		drain->caught_up, is_empty(): each event that had a number before the call
 *			was taken out or is lost
 *	switched	a stream that ends has no number of the next stream
 *	stuck		once no program runs, a round takes out all records
 * So each number is taken out once, or is counted as lost once.
 *
 * Bounds. Three programs interrupt each other, as a hard interrupt a task, and an NMI both. With
 * PREEMPTED they run in any order, as copies may after they took their slots. More levels would
 * only need more of the margin: the comment at KMT_RING_MARGIN counts these. The ring has so few
 * slots that the events lap it. A record has one word besides its tag, since commit() orders all
 * words alike. find_consistent_counters() tries once, since another round is another try. The
 * numbers do not wrap: capture/loss.c widens them to 64 bits.
 *
 * Memory. A store becomes visible at any time after it, in any order with stores to other words,
 * but not after the next barrier of its CPU. In a program each atomic operation with BPF_FETCH is a
 * barrier. One without it, to lost and more_slots, is none on arm64. With ORDERED, as on x86 and
 * s390, it is a barrier, and the tag is a plain store that passes no other store. A program sees
 * the stores of its own CPU. It stores to a slot only after it has loaded a tail that permits this
 * (a control dependency). kmemtraced loads with acquire order and sets tail with release order. So
 * its steps are in the order of its code, and a mistake changes their order. Only two parties use
 * a word. So POWER, where stores may reach other CPUs in different orders, has no other states.
 *
 * Assumed: a program stays on its CPU and comes to its end, as the kernel guarantees. One thread
 * drains a ring; only it sets tail and clears tags. find_ring_map() gives the programs of a CPU
 * one ring, its own or the spare one, and this is the ring that kmemtraced drains. A load or store
 * of 64 bits does not tear. The writer takes each record.
 */
#ifdef WITH_STACKS /* an event alone takes one slot, a stack and its event take three */
#define NUMBERS (2 * (TASK_EVENTS + INTERRUPT_EVENTS + NMI_EVENTS))
#else
#define NUMBERS (TASK_EVENTS + INTERRUPT_EVENTS + NMI_EVENTS)
#endif

/* A broken property is in the message of spin. These variables stay false. */
bool overrun, torn, twice, recorded, early, switched, stuck;
#define HOLDS(property, condition) assert(property || (condition))

/* struct kmt_control. own_: as the programs see it; the others are visible to kmemtraced. */
byte own_sequence, sequence, own_lost, lost, own_more_slots, more_slots, slots, tail;
bool inserted; /* the ring is in the map rings */

/* The ring with its overhang. waiting_: a store that is not visible yet; 0: there is none. */
byte data[SLOTS + 1], waiting_data[SLOTS + 1], tag[SLOTS + 1], waiting_tag[SLOTS + 1];

/* A tag has the number of its record, and whether the record takes two slots. */
#define TAG(number, is_long) (2 * (number) + 2 + (is_long))
#define NUMBER(tag) ((tag) / 2 - 1)
#define PAYLOAD 255 /* of a long record, where a record that begins there would have its tag */

bool detached;	 /* no more programs begin */
byte running;	 /* the level of the running program; 0: none runs */
byte unfinished; /* programs that began and have not ended */

/* For the properties only. */
bool found_no_room[NUMBERS], taken_out[NUMBERS];
byte confirmed; /* all numbers below it are taken out or counted as lost */

/* All stores of the CPU become visible, */
inline barrier()
{
	d_step {
		for (each : 0 .. SLOTS) {
			data[each] = (waiting_data[each] -> waiting_data[each] : data[each]);
			tag[each] = (waiting_tag[each] -> waiting_tag[each] : tag[each]);
			waiting_data[each] = 0;
			waiting_tag[each] = 0
		}
		each = 0;
		sequence = own_sequence;
		lost = own_lost;
		more_slots = own_more_slots
	}
}

/* or kmemtraced looks at a word, and the store to it may be visible or not. */
inline load_counter(counter, own_counter, value)
{
	atomic {
		do
		:: counter < own_counter -> counter++
		:: break
		od;
		value = counter
	}
}

inline load_word(cell, waiting_cell, value)
{
	atomic {
		if
#ifdef ORDERED
		:: waiting_cell -> barrier()
#else
		:: waiting_cell -> cell = waiting_cell; waiting_cell = 0
#endif
		:: true
		fi;
		value = cell
	}
}

/* A step of a program. Interrupts may come between two steps. */
#ifdef PREEMPTED
#define CAN_BEGIN true
#define CAN_RUN true
#else
#define CAN_BEGIN (running < level)
#define CAN_RUN (running == level)
#endif

#ifdef ORDERED
#define RELAXED_ADD(counter) counter++; barrier()
#else
#define RELAXED_ADD(counter) counter++
#endif

#if defined(ORDERED) || defined(TAG_WITHOUT_ORDER) /* torn: a plain store, on arm64 */
#define COMMIT(at, value) waiting_tag[at] = value
#else
#define COMMIT(at, value) barrier(); tag[at] = value
#endif

inline begin()
{
	events--;
	unfinished++;
	below = running;
	running = level
}

inline finish()
{
	running = below;
	unfinished--;
	below = 0;
	number = 0;
	slot = 0;
	room = false
}

inline take_numbers(count)
{
	number = own_sequence;
	own_sequence = own_sequence + count;
	barrier()
}

/* find_ring() and has_room() */
inline find_room()
{
	atomic { CAN_RUN -> room = inserted; slot = tail };
	atomic { CAN_RUN -> room = room && slots - slot < SLOTS - MARGIN; slot = 0 }
}

inline take_slots(count)
{
	barrier();
	slot = slots % SLOTS;
	slots = slots + count;
	HOLDS(overrun, slots - tail <= SLOTS)
}

inline lose()
{
	found_no_room[number] = true;
	RELAXED_ADD(own_lost)
}

inline emit_event()
{
	find_room();
	if
	:: atomic { !room && CAN_RUN -> lose(); finish() }
	:: atomic { room && CAN_RUN -> take_slots(1); waiting_data[slot] = number + 1 };
		atomic { CAN_RUN -> COMMIT(slot, TAG(number, 0)); finish() }
	fi
}

inline emit_stack_and_event()
{
	find_room();
	if
	:: atomic {
		!room && CAN_RUN ->
#ifdef NUMBER_WITHOUT_FETCH /* recorded: lost may become visible before the number */
		number = own_sequence;
		RELAXED_ADD(own_sequence)
#else
		take_numbers(1)
#endif
	   };
		atomic { CAN_RUN -> lose(); finish() }
	:: atomic { room && CAN_RUN -> take_numbers(2) };
#ifndef MORE_SLOTS_LATE
		atomic { CAN_RUN -> RELAXED_ADD(own_more_slots) };
#endif
		atomic {
			CAN_RUN -> take_slots(3);
			waiting_data[slot] = number + 1;
			waiting_tag[slot + 1] = PAYLOAD;
			waiting_data[(slot + 2) % SLOTS] = number + 2
		};
#ifdef MORE_SLOTS_LATE /* recorded: these slots look as if two other events had taken them */
		atomic { CAN_RUN -> RELAXED_ADD(own_more_slots) };
#endif
		atomic { CAN_RUN -> COMMIT(slot, TAG(number, 1)) };
		atomic { CAN_RUN -> COMMIT((slot + 2) % SLOTS, TAG(number + 1, 0)); finish() }
	fi
}

proctype program(byte level; byte events)
{
	byte each, below, number, slot;
	bool room;

	do
	:: atomic { events && !detached && CAN_BEGIN -> begin(); take_numbers(1) };
		emit_event()
#ifdef WITH_STACKS
	:: atomic { events && !detached && CAN_BEGIN -> begin() };
		emit_stack_and_event()
#endif
	:: atomic { !events || detached -> events = 0; break }
	od
}

inline load_counters()
{
	slots_then = slots;
	load_counter(more_slots, own_more_slots, more_then);
	load_counter(lost, own_lost, lost_then)
}

inline find_consistent_counters()
{
#ifdef SEQUENCE_FIRST /* recorded: an event that is lost hides one that has no slots yet */
	load_counter(sequence, own_sequence, sequence_then);
	load_counters();
#else
	load_counters();
	load_counter(sequence, own_sequence, sequence_then);
#endif
	caught_up = sequence_then == slots_then - more_then + lost_then;
	more_then = 0;
	lost_then = 0
}

inline load_tag()
{
	load_word(tag[at], waiting_tag[at], word)
}

inline copy_data()
{
	load_word(data[at], waiting_data[at], copy)
}

inline put_record()
{
	d_step {
		HOLDS(torn, word != PAYLOAD);
		if
		:: word ->
			HOLDS(torn, copy == NUMBER(word) + 1);
			HOLDS(torn, !(word & 1) || tag[at + 1] == PAYLOAD);
			HOLDS(twice, !taken_out[NUMBER(word)] && NUMBER(word) >= confirmed);
			taken_out[NUMBER(word)] = true
		:: else
		fi;
		copy = 0
	}
}

inline clear_tags()
{
	d_step {
#ifndef TAG_KEPT /* torn: the next lap finds the tag of this one */
		tag[at] = (word -> 0 : tag[at]);
#endif
#ifndef FIRST_TAG_CLEARED /* torn: the next lap takes the payload of a long record for a tag */
		tag[at + 1] = (word & 1 -> 0 : tag[at + 1])
#endif
	}
}

inline give_back()
{
	d_step {
		next = (word -> next + 1 + (word & 1) : next);
		tail = next
	}
}

/* Programs do not touch the slots of a record until kmemtraced gives them back: so one step. */
inline take_record()
{
	at = next % SLOTS;
#if defined(DATA_BEFORE_TAG) /* torn: rings_load() without acquire order */
	copy_data();
	load_tag();
	put_record();
	clear_tags();
	give_back()
#elif defined(TAIL_BEFORE_COPY) /* torn: a store of tail without release order */
	load_tag();
	give_back();
	copy_data();
	put_record();
	clear_tags()
#elif defined(TAIL_BEFORE_CLEAR) /* stuck: the same; the tag of the next lap is cleared */
	load_tag();
	copy_data();
	put_record();
	give_back();
	clear_tags()
#else
	atomic {
		load_tag();
		copy_data();
		put_record();
		clear_tags();
		give_back()
	}
#endif
}

inline run_ring()
{
	next = tail;
	do
	:: next < head ->
		take_record();
		if
		:: word -> word = 0
		:: else -> break
		fi
	:: else -> break
	od;
	at = 0
}

/* writer_confirm_losses() */
inline confirm_losses()
{
	for (at : confirmed .. NUMBERS - 1) {
		HOLDS(recorded, at >= sequence_then || taken_out[at] || found_no_room[at])
	}
	confirmed = (sequence_then > confirmed -> sequence_then : confirmed)
}

inline check_switch()
{
	for (at : sequence_then .. NUMBERS - 1) {
		HOLDS(switched, !switching || !taken_out[at])
	}
	switching = false
}

/* drain_run() and, as soon as it may be, drain_switch() */
inline run_drain()
{
	find_consistent_counters();
#ifdef SWITCH_AT_HEAD /* switched */
	head = slots;
#else
	head = (switching && caught_up -> slots_then : slots);
#endif
	run_ring();
	d_step {
		if
		:: caught_up && next >= slots_then ->
			confirm_losses();
			check_switch()
		:: else
		fi;
		at = 0; head = 0; next = 0; caught_up = false; slots_then = 0; sequence_then = 0
	}
}

inline find_empty()
{
	numbered = sequence;
#ifdef EMPTY_SEQUENCE_FIRST /* early: as SEQUENCE_FIRST */
	load_counter(sequence, own_sequence, sequence_then);
	load_counters();
	caught_up = sequence_then == slots_then - more_then + lost_then;
	more_then = 0;
	lost_then = 0;
#else
	find_consistent_counters();
#endif
	d_step {
		is_empty = caught_up && tail == slots_then;
		HOLDS(stuck, !is_quiet || is_empty);
		for (at : 0 .. NUMBERS - 1) {
			HOLDS(early, !is_empty || at >= numbered || taken_out[at] ||
				     found_no_room[at])
		}
		at = 0; numbered = 0; caught_up = false; slots_then = 0; sequence_then = 0
	}
}

active proctype kmemtraced()
{
	byte at, each, head, next, word, copy, slots_then, more_then, lost_then, sequence_then;
	byte numbered;
	bool caught_up, switching, is_quiet, is_empty;

#ifdef COMES_ONLINE /* pieces_add_stream(), at any time, or never */
	if
	:: inserted = true
	:: true
	fi;
#endif
	do
#ifdef SWITCHES
	:: !detached && !switching -> switching = true
#endif
	:: !detached -> atomic { detached = true; switching = false } /* programs_detach() */
	:: is_empty -> break
	:: !is_empty ->
		atomic {
			is_quiet = detached && !unfinished;
			if
			:: is_quiet -> barrier() /* at last all stores are visible */
			:: else
			fi
		};
		run_drain();
		if
		:: detached -> find_empty() /* drain_rest() */
		:: else
		fi
	od
	/* drain_finish() counts the events as lost whose programs run even now */
}

init {
	atomic {
#ifndef COMES_ONLINE
		inserted = true;
#endif
		run program(1, TASK_EVENTS);
		run program(2, INTERRUPT_EVENTS);
		run program(3, NMI_EVENTS)
	}
}
