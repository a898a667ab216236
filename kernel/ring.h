/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory and the messages that the BPF programs and kmemtraced share while a capture runs: the
 * control block of each CPU's ring, and the names of caches and tasks. Never on disk.
 */
#ifndef KERNEL_RING_H
#define KERNEL_RING_H

#include "kernel/record.h"

/* The tracepoints that have a backup program: see bpf/backup.bpf.h. */
enum kmt_backup_kind {
	KMT_BACKED_UP_KFREE,
	KMT_BACKED_UP_CACHE_FREE,
	KMT_BACKUP_KINDS,
};

/* The state of a backup program. It only advances, until kmemtraced switches it off at the end. */
enum kmt_backup_state {
	KMT_MARKING_OFF = 0,   /* the first programs leave no marks */
	KMT_MARKING_BEGUN = 1, /* they leave marks; the backup programs only clear them */
	KMT_MARKING_COMPLETE =
		2, /* all events in flight have a mark: they record a free without one */
};

/*
 * The tracepoints that have copies, in the order of enum tracepoint_id: see bpf/copies.bpf.h. The
 * numbers of the copies are 1 to KMT_COPIES.
 */
enum kmt_copied_kind {
	KMT_COPIED_KFREE,
	KMT_COPIED_CACHE_FREE,
	KMT_COPIED_FREES, /* the number of frees */
	KMT_COPIED_KMALLOC = KMT_COPIED_FREES,
	KMT_COPIED_CACHE_ALLOC,
	KMT_COPIED_KINDS,
};
#define KMT_COPIES 4

/* How the programs know the context of an event: see bpf/context.bpf.h. */
enum kmt_context_source {
	KMT_CONTEXT_UNKNOWN,	   /* they do not: each event counts as a task's */
	KMT_CONTEXT_FROM_COUNT,	   /* the preempt count: all contexts */
	KMT_CONTEXT_FROM_SOFTIRQS, /* the tracepoints of softirqs: softirqs only */
};

#define KMT_MARKS 63

/* The events of one tracepoint that are in flight on a CPU. */
struct kmt_marks {
	/* not 0: a mark found no free slot; the backup program has recorded nothing since then */
	uint64_t full;
	uint64_t list[KMT_MARKS];
};

/*
 * The control block of a CPU; one for each possible CPU, in one memory-mapped array. An event first
 * takes a number (sequence), before anything can fail. Then it takes the slots of its record, or is
 * lost if there is no room. So in a mapped ring, at any time sequence = slots - more_slots + lost +
 * events between these two steps. A long record adds (its slots - 1) to more_slots before it takes
 * its slots. With BPF ring buffers, slots and more_slots stay 0.
 */
struct kmt_control {
	uint64_t sequence;    /* events numbered; written by the CPU */
	uint64_t slots;	      /* slots taken */
	uint64_t lost;	      /* events that found no room */
	uint64_t from_backup; /* of the numbered events: frees recorded by a backup program */
	uint64_t more_slots;  /* of the slots taken: not the first slot of their record */
	uint64_t from_copies; /* of the numbered events: allocations recorded by a later copy */
	uint64_t deferred;    /* events that the first copy could not mark, so it did not record */
	uint64_t from_front;  /* of the numbered events: recorded by a front program */
	uint64_t tail; /* slots given back; written by kmemtraced, on a cache line of its own */
	uint64_t in_softirq; /* KMT_CONTEXT_FROM_SOFTIRQS: not 0 while the CPU runs a softirq */
	uint64_t reserved[6];
	struct kmt_marks marks[KMT_BACKUP_KINDS];
	uint64_t front_found[KMT_COPIED_KINDS]; /* marks of front programs that copy 1 found */
	uint64_t front_deferred;		/* events that a front program could not mark */
	uint64_t from_first; /* of the numbered events: by copy 1, after a front program */
	/* while events are counted, not recorded (bpf/count.bpf.h): */
	uint64_t count_own;	  /* events of kmemtraced itself, which are not counted */
	uint64_t count_ungrouped; /* events that found no room for their key */
	/* while allocations are sampled (bpf/sampling.bpf.h): */
	int64_t until_sample; /* bytes; kmemtraced sets it before the programs are attached */
	/* of a profile: the allocations, frees and bytes of this CPU (bpf/profile.bpf.h) */
	struct {
		uint64_t kmalloc, kmalloc_bytes, cache_alloc, cache_alloc_bytes, kfree, cache_free;
	} counted;
	uint64_t unsized; /* allocations of a size that is not known, which is never sampled */
	struct {
		uint64_t allocations, bytes, frees;
	} counted_elsewhere; /* with atomic operations */
	uint64_t samples;    /* allocations that were sampled */
	uint64_t unwalked;   /* of these: the kernel stack could not be walked */
	uint64_t no_room;    /* of these: the stack found no room */
	uint64_t dropped;    /* not in samples: the map of sampled objects had no room */
	/* of a profile: the last large kmalloc(), until its second report or its free */
	struct {
		uint64_t pointer, call_site, events;
	} large;
	uint64_t user_unwalked;	  /* of the samples: the user stack could not be walked */
	uint64_t sample_interval; /* bytes: until_sample was drawn with it */
	uint64_t unused[4];
};
_Static_assert(sizeof(struct kmt_control) == 1408, "whole cache lines");

/*
 * A record takes consecutive slots of the ring, enough for its words. A record that begins near the
 * end of the ring does not wrap: it continues in the overhang, the memory after the last slot. The
 * slots that it took at the start of the ring stay unused.
 */
#define KMT_SLOTS(words) (((words) + KMT_RECORD_WORDS - 1U) / KMT_RECORD_WORDS)
#define KMT_RING_OVERHANG (KMT_SLOTS(KMT_WORDS_MAX) - 1) /* slots behind the last */

/* A BPF ring buffer puts 8 bytes before each record. */
#define KMT_BUFFERED_RECORD (8 + sizeof(struct kmt_record))

/*
 * An event first checks for room and then takes its slots. Events that interrupt it between these
 * two steps take their slots first. The margin is enough for 64 such events at once, with their
 * stacks (KMT_STACK_SLOTS). At most 44 are possible: 11 programs take slots (six on allocations and
 * frees, two backup programs, three hooks), each at most once in each of four contexts (task,
 * softirq, hard interrupt, NMI). Programs on process memory are nine, and run for tasks: they add
 * at most one slot each. Copies and front programs are not preempted between the two steps: at most
 * five of them are between, and hooks.
 */
#define KMT_RING_MARGIN 256

/* A stack and its event take their slots at once. */
#define KMT_STACK_WORDS (KMT_RECORD_WORDS + 1)
#define KMT_STACK_SLOTS (KMT_SLOTS(KMT_STACK_WORDS) + KMT_SLOTS(KMT_RECORD_WORDS))
_Static_assert(KMT_RING_MARGIN >= 64 * KMT_STACK_SLOTS, "room for 64 events");
_Static_assert(KMT_WORDS_MAX == KMT_STACK_WORDS, "no record takes more slots");

/* The tasks that the untraced-task table has: bpf/untraced.bpf.h. */
enum kmt_task_table {
	KMT_TABLE_NONE,
	KMT_TABLE_OF_UNTRACED, /* the tasks of processes that -p does not name */
	KMT_TABLE_OF_OTHERS,   /* while events are counted: all that are not kmemtraced's */
};

/*
 * The parts of an event that make a key of the map counts, where events are counted instead of
 * recorded: see bpf/count.bpf.h. A key has a word for the head, if it has any of its parts, then
 * the words of the other parts, in this order. A part that the key does not have is 0 in its word.
 */
enum kmt_count_part {
	/* the head */
	KMT_COUNT_KIND = 1 << 0,   /* bits 0 to 7: enum kmt_id */
	KMT_COUNT_OBJECT = 1 << 1, /* bits 8 and 9: 0 no object, 1 KMT_ZERO_SIZE_PTR, 2 an object */
	KMT_COUNT_NODE = 1 << 2,   /* bits 16 to 31: node of the record, with the context */
	KMT_COUNT_GFP = 1 << 3,	   /* bits 32 to 63 */
	KMT_COUNT_MODE = 1 << 9,   /* bits 10 and 11: enum kmt_mode of a page fault; else 0 */
	KMT_COUNT_HEAD = KMT_COUNT_KIND | KMT_COUNT_OBJECT | KMT_COUNT_NODE | KMT_COUNT_GFP |
			 KMT_COUNT_MODE,
	KMT_COUNT_SITE = 1 << 4,
	KMT_COUNT_LAST = 1 << 5, /* the last 8 bytes of struct kmt_record */
	KMT_COUNT_TID = 1 << 6,	 /* one word: the thread in bits 0 to 31 */
	KMT_COUNT_PID = 1 << 7,	 /* the process in bits 32 to 63 */
	KMT_COUNT_COMM = 1 << 8, /* two words */
	KMT_COUNT_UID = 1 << 10, /* real user id of the current task */
	/* the victim of oom_kill, else 0; in the word of KMT_COUNT_LAST, which the key lacks */
	KMT_COUNT_VICTIM = 1 << 11,
};
#define KMT_COUNT_WORDS 7 /* at most */

/* A count on one CPU: a value of the map counts, or in a slot. */
struct kmt_count {
	uint64_t events;
	uint64_t since; /* ns: of the first event with this key; 0: there was none */
};
#define KMT_COUNT_BUSY 1 /* since, while the slot's key is written */

/* A slot of a table in the memory of a ring. */
struct kmt_count_slot {
	struct kmt_count count;
	uint64_t key[KMT_COUNT_WORDS];
};

/* Names are rare, and go through one BPF ring buffer. */
enum kmt_message_kind {
	KMT_MESSAGE_CACHE = 1,	    /* key: kmt_record.cache; first seen at time */
	KMT_MESSAGE_CACHE_GONE = 2, /* key: kmt_record.cache; freed at time */
	KMT_MESSAGE_TASK = 3,	    /* key: tid; new, or renamed, at time; uid */
	/* a module was loaded at time: the address (key) and size of its code, if they are known */
	KMT_MESSAGE_MODULE = 4,
	KMT_MESSAGE_MODULE_INIT =
		5, /* the same for its init functions; comes before that message */
	KMT_MESSAGE_MODULE_GONE = 6, /* a module is unloaded at time */
	KMT_MESSAGE_CGROUP = 7,	     /* key: its id; new, or renamed; struct kmt_path_message */
	KMT_MESSAGE_CGROUP_GONE = 8, /* key: its id; the same struct, without a path */
	KMT_MESSAGE_CGROUP_TASK = 9, /* key: tid; tgid; moved to cgroup; size 1: all its threads */
};

#define KMT_NAME_SIZE 64
#define KMT_UID_UNKNOWN UINT32_MAX

struct kmt_message {
	uint32_t kind; /* enum kmt_message_kind */
	union {
		uint32_t tgid;	     /* of a task */
		uint32_t accounting; /* of a cache: enum cache_accounting */
	};
	uint64_t time;
	uint64_t key;
	uint64_t cgroup; /* of a task: id of its cgroup; 0: not known */
	union {
		uint32_t object_size; /* of a cache, bytes: usable size of an object */
		uint32_t is_new;      /* of a task: it is created, not renamed */
	};
	union {
		uint32_t size; /* of a cache, bytes: distance of objects; of a module: of code */
		uint32_t uid;  /* of a task: real user id, or KMT_UID_UNKNOWN */
	};
	char name[KMT_NAME_SIZE]; /* NUL-terminated */
};

#define KMT_PATH_SIZE 1024 /* a longer path of a cgroup is cut */

struct kmt_path_message {
	struct kmt_message head;
	char path[KMT_PATH_SIZE]; /* NUL-terminated */
};

#define KMT_FRAMES_MAX                                                             \
	127 /* the most that the kernel walks, if perf_event_max_stack is as usual \
	     */

/* A stack that no record has named before, in a BPF ring buffer of its own. */
struct kmt_stack_message {
	uint64_t id;
	uint64_t time;	/* ns */
	uint32_t tgid;	/* the process of a user stack; 0: a kernel stack */
	uint32_t count; /* of frames; the message ends after them */
	uint64_t frames[KMT_FRAMES_MAX + 1];
};

/* The facts known so far about a cache, on a kernel without BTF. */
struct kmt_partial_cache {
	uint64_t since;		    /* ns: first seen */
	uint32_t object_size, size; /* bytes; 0: seen in no allocation yet */
	uint64_t complete;	    /* not 0: a kmt_message was sent */
	char name[KMT_NAME_SIZE]; /* empty: seen in no event yet; before 6.18 only frees have it */
};

/* Fields of trace event entries that the programs read on a kernel without BTF. */
enum kmt_field {
	KMT_FIELD_ALLOC_POINTER,
	KMT_FIELD_ALLOC_REQUESTED,
	KMT_FIELD_ALLOC_ALLOCATED,
	KMT_FIELD_ALLOC_NAME,
	KMT_FIELD_FREE_POINTER,
	KMT_FIELD_FREE_NAME,
	KMT_FIELD_NEWTASK_PID,
	KMT_FIELD_NEWTASK_COMM,
	KMT_FIELD_NEWTASK_FLAGS,
	KMT_FIELD_RENAME_PID,
	KMT_FIELD_RENAME_COMM,
	KMT_FIELD_MODULE_LOAD_NAME,
	KMT_FIELD_MODULE_FREE_NAME,
	/* of a cgroup: cgroup_mkdir, cgroup_rename, cgroup_rmdir */
	KMT_FIELD_CGROUP_ROOT,
	KMT_FIELD_CGROUP_ID,
	KMT_FIELD_CGROUP_PATH,
	/* of a task that moves: cgroup_attach_task, cgroup_transfer_tasks */
	KMT_FIELD_MOVE_ROOT,
	KMT_FIELD_MOVE_ID,
	KMT_FIELD_MOVE_PID,
	KMT_FIELDS
};

struct kmt_field_position {
	uint32_t offset, size; /* bytes, from the start of the entry; size 0: no such field */
};

/* Stands for the id of the traced process if a map lists several. No process has this id. */
#define KMT_TRACED_LIST UINT32_MAX

/*
 * A front program (bpf/front.bpf.h) learns these values from the events of one thread of
 * kmemtraced, the learner.
 */
struct kmt_front {
	uint64_t distance;	/* from its stack pointer to the copies' context; 0: not known */
	uint64_t candidate;	/* the distance at the last event of the learner */
	uint64_t stack;		/* the stack pointer at the last event; 0: copy 1 has seen it */
	uint64_t arguments;	/* a hash of that event's arguments */
	uint32_t preempt_count; /* in the front program, at events of tasks that may be preempted */
	uint32_t agreed;	/* so many events in succession had that distance */
	uint32_t learner;	/* tid */
	uint32_t reserved;
};

/* Counters and states of all CPUs. */
struct kmt_totals {
	/* Messages that found no room. With BTF, the next event of a cache sends its name again;
	 * without BTF, kmemtraced reads the name at the end: name_messages_add_incomplete(). */
	uint64_t names_lost;
	uint64_t bulk_alloc;	 /* address of the hooked bulk allocation; 0: not called yet */
	uint64_t rollback_frees; /* bulk frees attributed to a failed bulk allocation */
	/* not 0: the program on new tasks is attached, so the untraced-task table is valid;
	 * written by kmemtraced */
	uint64_t untraced_table_valid;
	uint64_t names_requested; /* not 0: a request of bpf/fields.bpf.h waits for an entry */
	uint64_t sample_interval; /* bytes, of the next draws; written by kmemtraced */
	uint32_t backup_state[KMT_BACKUP_KINDS]; /* enum kmt_backup_state; written by kmemtraced */
	uint32_t matched[KMT_BACKUP_KINDS];	 /* not 0: a backup program found its mark */
	uint32_t copy_matched[KMT_COPIED_KINDS]; /* not 0: a later copy found a mark */
	struct kmt_front fronts[KMT_COPIED_KINDS];
};

/* The programs on software events (bpf/process.bpf.h) whose runs are counted. */
enum kmt_run_counter {
	KMT_RUNS_FAULT,
	KMT_RUNS_MINOR,
	KMT_RUNS_MAJOR,
	KMT_RUN_COUNTERS
};

/* Counted by bpf/preemption.bpf.c. */
struct kmt_preemption {
	uint32_t events;      /* of the thread that probes */
	uint32_t unknown;     /* of these: the preempt count cannot be read */
	uint32_t preemptible; /* of these: the tracepoint had not switched preemption off */
};

#endif
