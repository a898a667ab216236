/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Typed values, and the state from which the values of the fields are taken. */
#ifndef ANALYSIS_FIELDS_VALUES_H
#define ANALYSIS_FIELDS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/fields/names.h"
#include "analysis/model.h"
#include "base/texts.h"
#include "kernel/probes.h"

enum value_type {
	VALUE_NUMBER,
	VALUE_BYTES,
	VALUE_ADDRESS,	/* 64 bits without a sign */
	VALUE_FLAGS,	/* bits */
	VALUE_TIME,	/* ns since the begin of the capture */
	VALUE_DURATION, /* ns */
	VALUE_TEXT,	/* number of a text */
	VALUE_BOOL,
	VALUE_NULL, /* of the constant null only */
};

#define VALUE_TYPES (VALUE_NULL + 1)

struct value {
	int64_t number; /* 0 if not known */
	bool known;	/* false: null */
};

static inline struct value value_unknown(void)
{
	return (struct value){ 0, false };
}

static inline struct value value_of(int64_t number)
{
	return (struct value){ number, true };
}

/* "number", "bytes", …: for messages and tables. */
const char *value_type_name(enum value_type type);

/* It must not be moved. */
struct value_source {
	const struct capture *capture;
	const struct analysis *analysis; /* of the last event */
	struct texts texts;
	struct names names;
	uint32_t name_texts[KMT_ID_END], probe_texts[PROBES], outcome_texts[OUTCOME_OTHER + 1],
		operation_texts[3], context_texts[KMT_CONTEXT_END], interrupts_text;
	/* a missed free: the object at the address that the next allocation event returns */
	uint64_t missed_site, missed_time;
	uint32_t missed_sequence;
	uint16_t missed_cpu;
	bool has_missed;      /* of an event that comes next */
	bool is_missed;	      /* of the event that was taken */
	uint64_t gfp_account; /* the bit of __GFP_ACCOUNT; 0: not known */
	uint32_t task;	      /* its task: index in names.tasks.list, + 1; 0: not looked up yet */
	int err;	      /* 0, or -ENOMEM: values are wrong */
};

int value_source_init(struct value_source *source); /* 0 or -ENOMEM */
void value_source_deinit(struct value_source *source);

/*
 * True if the transition is an event to be shown or counted: each event is one once. The values of
 * the fields are those of this transition. The capture of the analysis is always the same.
 */
bool value_source_take(struct value_source *source, const struct analysis *analysis,
		       const struct transition *transition);

/* The value of one field of the transition that was taken. */
typedef struct value value_getter(struct value_source *source, const struct transition *transition);

/* clang-format off */
#define VALUE_GETTERS(add)                                                                 \
	add(name) add(ptr) add(call_site) add(caller_function) add(gfp_flags)              \
	add(gfp_flag_name) add(bytes_req) add(bytes_alloc) add(task) add(zindx) add(cache) \
	add(time) add(cpu) add(node) add(memory_node) add(requested_node) add(tid)         \
	add(pid) add(comm) add(thread) add(operation) add(outcome) add(from_backup)        \
	add(site) add(module) add(age) add(freed_by) add(alloc_site) add(alloc_time)       \
	add(alloc_cpu)                                                                     \
	add(alloc_node) add(alloc_tid) add(alloc_pid) add(alloc_comm) add(cross_cpu)       \
	add(temporary) add(missed_site) add(probe) add(address) add(length)                \
	add(write_access) add(fault_type) add(victim) add(zero) add(uid) add(user) add(alloc_uid) \
	add(type_numallocs) add(type_numfrees) add(type_memalloced) add(type_memfreed)     \
	add(type_count) add(type_bytes) add(context) add(stack) add(syscall) add(process) \
	add(cgroup) add(container) add(charged) add(user_stack) \
	add(reclaimable) add(current_comm)
/* clang-format on */

/* Of the memory at a kernel address. */
struct value memory_node_of(struct value_source *source, uint64_t address);

#define DECLARE_GETTER(field) value_getter value_get_##field;
VALUE_GETTERS(DECLARE_GETTER)
#undef DECLARE_GETTER

#endif
