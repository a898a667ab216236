// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the fields, and the lists that are made from it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/fields/field_table.h"
#include "base/suggest.h"
#include "base/text.h"

#define FIELD_WORDS_MAX 200 /* names and aliases that a suggestion can be */

#define ALL "all"
#define ALLOCATIONS "allocations"
#define FREES "frees"
#define SLAB "events about slab objects"
#define FAULTS "pagefault, pagefault.return"
#define SAMPLED "sampled allocations"
#define STACKED "null without kmemtraced --stacks or --profile"
#define USER_STACKED "null without kmemtraced --user-stacks, and in an interrupt"
#define MATCHED "frees and resizes of a known object"
#define TYPED ALLOCATIONS ", " MATCHED ", others that name a cache"
#define SINCE                                                                                      \
	" since the begin of the capture, or of --time, this event included; of all CPUs, and of " \
	"the events that filters such as --comm select"
#define UNSIZED "null if the slab cache is not known"
#define NAMELESS "of all slab caches of its sizes if the kernel does not name them (before 6.0)"

/* Only code of the kernel has names. */
#define NAMED_SITE (KMT_COUNT_KIND | KMT_COUNT_MODE | KMT_COUNT_SITE)

const struct event_field event_fields[] = {
	/* SystemTap's names */
	{ "name", "event", VALUE_TEXT, true, true, ALL,
	  "the probe without vm.: kmalloc, kfree, kmem_cache_alloc, kmem_cache_free, bulk_alloc, bulk_free, krealloc; of a process event pagefault, pagefault.return, write_shared, write_shared_copy, mmap, munmap, brk or oom_kill",
	  "an allocation for a node is kmalloc or kmem_cache_alloc with a requested_node",
	  value_get_name, KMT_COUNT_KIND },
	{ "probe", "", VALUE_TEXT, true, true, ALL,
	  "the whole name of the probe, as --probes takes it: vm.kmalloc, or vm.kmalloc_node if the caller requested a node",
	  "", value_get_probe, KMT_COUNT_KIND | KMT_COUNT_NODE },
	{ "ptr", "pointer", VALUE_ADDRESS, true, true, SLAB,
	  "address of the object; 0 if there is none", "", value_get_ptr, COUNTED_NEVER },
	{ "caller_function", "function", VALUE_TEXT, false, true, ALL,
	  "the kernel function that called the allocator, or in which a page fault happened: symbol [module]",
	  "null in code of processes, whose symbols are not recorded", value_get_caller_function,
	  NAMED_SITE },
	{ "call_site", "", VALUE_ADDRESS, true, true, ALL,
	  "return address in the kernel code that called the allocator; of a page fault, address of the instruction, in a process or in the kernel",
	  "null if it is not known", value_get_call_site, KMT_COUNT_SITE },
	{ "gfp_flags", "", VALUE_FLAGS, true, true, "allocations, resizes",
	  "GFP flags of the request", "", value_get_gfp_flags, KMT_COUNT_KIND | KMT_COUNT_GFP },
	{ "gfp_flag_name", "gfp", VALUE_TEXT, true, true, "allocations, resizes",
	  "the same by name, as GFP_KERNEL|__GFP_ZERO", "", value_get_gfp_flag_name,
	  KMT_COUNT_KIND | KMT_COUNT_GFP },
	{ "bytes_req", "bytes_requested,size", VALUE_BYTES, true, true,
	  "allocations, resizes, " FREES " of a known object",
	  "bytes that the object's caller requested; of a slab cache, its object size", UNSIZED,
	  value_get_bytes_req, KMT_COUNT_KIND | KMT_COUNT_LAST | COUNTED_NO_FREES },
	{ "bytes_alloc", "bytes_allocated", VALUE_BYTES, true, true, ALLOCATIONS ", " MATCHED,
	  "bytes that the object occupies; 0 if the allocation failed", UNSIZED,
	  value_get_bytes_alloc,
	  KMT_COUNT_KIND | KMT_COUNT_OBJECT | KMT_COUNT_LAST | COUNTED_NO_FREES },
	{ "task", "", VALUE_TEXT, true, true, ALL,
	  "name and process of the current task: comm (pid 12); in an interrupt, as far as the capture has it, softirq, hardirq or nmi instead; of oom_kill those of the task that is killed",
	  "? (tid 12) if the task is not known, as one that is killed with kmemtraced --count",
	  value_get_task,
	  KMT_COUNT_PID | KMT_COUNT_COMM | KMT_COUNT_NODE | KMT_COUNT_VICTIM | FIELD_OF_TASK },
	{ "address", "", VALUE_ADDRESS, true, false, "process events except oom_kill",
	  "the address that was accessed or requested; 0 of an mmap leaves the choice to the kernel",
	  "", value_get_address, COUNTED_NEVER },
	{ "length", "", VALUE_BYTES, true, false, "mmap, munmap, brk",
	  "bytes that were requested; of brk the bytes by which the heap would grow, negative if it would shrink, 0 if only its end is asked for; 2^63 - 1 stands for this or more",
	  "null of brk on a kernel without BTF", value_get_length,
	  KMT_COUNT_KIND | KMT_COUNT_LAST },
	{ "write_access", "", VALUE_NUMBER, true, false, "pagefault", "1 for a write, 0 for a read",
	  "null if the kernel does not say it", value_get_write_access,
	  KMT_COUNT_KIND | KMT_COUNT_LAST },
	{ "fault_type", "", VALUE_NUMBER, true, false, "pagefault.return",
	  "0: no memory, 1: SIGBUS, 2: minor fault, 3: major fault (the page was read from a disk)",
	  "", value_get_fault_type, KMT_COUNT_KIND | KMT_COUNT_LAST },
	{ "victim", "", VALUE_TEXT, true, false, "oom_kill", "the task that is killed, as in task",
	  "", value_get_victim, KMT_COUNT_KIND | KMT_COUNT_VICTIM },
	{ "zero", "", VALUE_BOOL, true, false, "write_shared_copy",
	  "whether the shared page is the zero page: its copy needs clearing only", "",
	  value_get_zero, KMT_COUNT_KIND | KMT_COUNT_LAST },
	/* dtmalloc's names; its size is bytes_req */
	{ "type", "cache", VALUE_TEXT, true, true, TYPED,
	  "the object's slab cache, or size class of kmalloc()",
	  "unnamed-OBJECT/DISTANCE if the kernel does not name it (before 6.0)", value_get_cache,
	  KMT_COUNT_KIND | KMT_COUNT_OBJECT | KMT_COUNT_LAST | COUNTED_NO_FREES },
	{ "reclaimable", "", VALUE_BOOL, true, true, TYPED,
	  "whether the object's slab cache is reclaimable (SLAB_RECLAIM_ACCOUNT), as those of dentries, inodes and kmalloc-rcl: a shrinker frees its objects when memory is short",
	  "null if it is not known, as of other caches than those of kmalloc() in older and imported captures",
	  value_get_reclaimable,
	  KMT_COUNT_KIND | KMT_COUNT_OBJECT | KMT_COUNT_LAST | KMT_COUNT_GFP | COUNTED_NO_FREES },
	{ "zindx", "", VALUE_NUMBER, true, true, ALLOCATIONS " by kmalloc(), " FREES,
	  "zone size index: index of the size class in the kernel's kmalloc_caches; 0 in every free",
	  "null in slab caches and kmalloc-large", value_get_zindx,
	  KMT_COUNT_KIND | KMT_COUNT_OBJECT | KMT_COUNT_LAST },
	{ "type_numallocs", "", VALUE_NUMBER, true, false, TYPED, "allocations of the type" SINCE,
	  NAMELESS, value_get_type_numallocs, COUNTED_NEVER },
	{ "type_numfrees", "", VALUE_NUMBER, true, false, TYPED,
	  "frees of these objects; a missed free counts when its address is allocated again", "",
	  value_get_type_numfrees, COUNTED_NEVER },
	{ "type_memalloced", "", VALUE_BYTES, true, false, TYPED,
	  "sum of bytes_alloc of these allocations", UNSIZED, value_get_type_memalloced,
	  COUNTED_NEVER },
	{ "type_memfreed", "", VALUE_BYTES, true, false, TYPED, "sum of bytes_alloc of these frees",
	  UNSIZED, value_get_type_memfreed, COUNTED_NEVER },
	{ "type_count", "", VALUE_NUMBER, true, false, TYPED,
	  "type_numallocs - type_numfrees: live objects; wrong by 1 at most for each event that is lost or skipped",
	  "", value_get_type_count, COUNTED_NEVER },
	{ "type_bytes", "", VALUE_BYTES, true, false, TYPED,
	  "type_memalloced - type_memfreed: bytes of the live objects", UNSIZED,
	  value_get_type_bytes, COUNTED_NEVER },
	/* ours */
	{ "time", "time_ns", VALUE_TIME, true, true, ALL, "time since the begin of the capture",
	  "number of the event, if the capture has no times", value_get_time, COUNTED_NEVER },
	{ "cpu", "", VALUE_NUMBER, true, true, ALL, "the CPU of the event", "", value_get_cpu,
	  COUNTED_CPU },
	{ "node", "", VALUE_NUMBER, true, true, ALL, "NUMA node of this CPU",
	  "null if the capture does not have it", value_get_node, COUNTED_CPU },
	{ "memory_node", "", VALUE_NUMBER, true, true, SLAB,
	  "NUMA node of the object's memory, at ptr",
	  "null if the kernel did not let kmemtraced read where its memory lies",
	  value_get_memory_node, COUNTED_NEVER },
	{ "requested_node", "", VALUE_NUMBER, true, true, ALLOCATIONS,
	  "NUMA node that the caller requested; -1 for any", "", value_get_requested_node,
	  KMT_COUNT_KIND | KMT_COUNT_NODE },
	{ "tid", "", VALUE_NUMBER, true, true, ALL,
	  "thread id of the current task, also in an interrupt: of the task that was interrupted",
	  "", value_get_tid, KMT_COUNT_TID },
	{ "pid", "", VALUE_NUMBER, true, true, ALL, "process id of the current task",
	  "null if the task is not known, and in an interrupt, as far as the capture has it",
	  value_get_pid, KMT_COUNT_PID | KMT_COUNT_NODE | FIELD_OF_TASK },
	{ "uid", "", VALUE_NUMBER, true, true, ALL,
	  "real user id of the current task when it was created, renamed or executed a program, or when the capture began: a setuid() after that is not seen",
	  "null if it is not known, as in older and imported captures, and in an interrupt, as far as the capture has it",
	  value_get_uid, KMT_COUNT_UID | KMT_COUNT_NODE | FIELD_OF_TASK },
	{ "user", "", VALUE_TEXT, true, true, ALL,
	  "name of the user whose id is uid, in /etc/passwd where the capture was made",
	  "the id, if it has no name there; null if uid is", value_get_user,
	  KMT_COUNT_UID | KMT_COUNT_NODE | FIELD_OF_TASK },
	{ "comm", "execname", VALUE_TEXT, true, true, ALL,
	  "name of the current task; in an interrupt, as far as the capture has it, softirq, hardirq or nmi",
	  "null if the task is not known", value_get_comm,
	  KMT_COUNT_COMM | KMT_COUNT_NODE | FIELD_OF_TASK },
	{ "current_comm", "", VALUE_TEXT, true, true, ALL,
	  "name of the current task, also in an interrupt: of the task that was interrupted, as perf, ftrace and bpftrace name it",
	  "null if the task is not known", value_get_current_comm, KMT_COUNT_COMM },
	{ "thread", "", VALUE_TEXT, true, true, ALL,
	  "name and thread id of the current task: comm/12; in an interrupt, as far as the capture has it, softirq, hardirq or nmi",
	  "?/12 if the task is not known", value_get_thread,
	  KMT_COUNT_TID | KMT_COUNT_COMM | KMT_COUNT_NODE | FIELD_OF_TASK },
	{ "process", "", VALUE_TEXT, true, true, ALL,
	  "name and id of the process of the current task, with all its threads: the name is that of its first thread; in an interrupt, as far as the capture has it, softirq, hardirq or nmi",
	  "? (tid 12) if the task is not known", value_get_process, COUNTED_NEVER | FIELD_OF_TASK },
	{ "cgroup", "", VALUE_TEXT, true, true, ALL,
	  "the path of the current task's cgroup, in the hierarchy of the memory controller; in an interrupt, as far as the capture has it, softirq, hardirq or nmi",
	  "null if it is not known, as in older and imported captures", value_get_cgroup,
	  COUNTED_NEVER | FIELD_OF_TASK },
	{ "container", "", VALUE_TEXT, true, true, ALL,
	  "the container that the path of cgroup names: the first 12 digits of its id, or the name of a machine; else the service, or the slice of a user, of systemd",
	  "null if the path names none, and in an interrupt, as far as the capture has it",
	  value_get_container, COUNTED_NEVER | FIELD_OF_TASK },
	{ "charged", "", VALUE_BOOL, true, true, ALLOCATIONS,
	  "whether the object is charged to the memory cgroup of the current task, or to the next one above with a memory controller: by __GFP_ACCOUNT in its flags, or by SLAB_ACCOUNT of its slab cache; never in an interrupt or in the root cgroup",
	  "null if the cgroup or the flags of the slab cache are not known, as on kernels without BTF; a task that charges another cgroup than its own is not seen",
	  value_get_charged, COUNTED_NEVER },
	{ "context", "", VALUE_TEXT, true, true, ALL,
	  "in what the kernel was: task, softirq, hardirq (a hard interrupt) or nmi; in an interrupt, the current task is the one that was interrupted",
	  "null if kernel/status has no context; with context softirq, hard interrupts count as what they interrupted",
	  value_get_context, KMT_COUNT_NODE },
	{ "stack", "", VALUE_TEXT, false, true, SAMPLED,
	  "the functions on the kernel stack from the caller of the allocator to the entry into the kernel: function < caller < its caller < syscall",
	  STACKED, value_get_stack, COUNTED_NEVER | FIELD_OF_SAMPLES },
	{ "syscall", "", VALUE_TEXT, true, true, SAMPLED,
	  "where this path begins: the name of a system call; softirq:HANDLER, hardirq, page_fault or another exception, kthread:FUNCTION, or work:FUNCTION of a workqueue; a system call without a frame of its own has its name by the first function that it called: write for ksys_write, writev for do_writev, mmap for vm_mmap_pgoff; otherwise the name of this function",
	  STACKED, value_get_syscall, COUNTED_NEVER | FIELD_OF_SAMPLES },
	{ "user_stack", "", VALUE_TEXT, false, true, SAMPLED,
	  "the functions of the process on its stack at the allocation: function < caller < its caller; one without a name is FILE+0xOFFSET, or an address outside of a file",
	  USER_STACKED, value_get_user_stack, COUNTED_NEVER | FIELD_OF_SAMPLES },
	{ "operation", "", VALUE_TEXT, true, true, SLAB, "allocation, free or resize", "",
	  value_get_operation, KMT_COUNT_KIND },
	{ "outcome", "", VALUE_TEXT, true, true, SLAB,
	  "allocated, failed, freed, resized, unmatched (a free of an unknown object) or null-free",
	  "", value_get_outcome, KMT_COUNT_KIND | KMT_COUNT_OBJECT | COUNTED_NO_FREES },
	{ "from_backup", "", VALUE_BOOL, true, true, ALL,
	  "whether a backup program recorded the event", "", value_get_from_backup,
	  KMT_COUNT_KIND },
	{ "site", "", VALUE_TEXT, false, true, ALL, "call_site as symbol+offset/size [module]",
	  "null in code of processes", value_get_site, NAMED_SITE },
	{ "module", "", VALUE_TEXT, false, true, ALL, "the code at call_site: [module] or kernel",
	  "null without symbols, and in code of processes", value_get_module, NAMED_SITE },
	{ "age", "age_ns,lifetime", VALUE_DURATION, true, false, MATCHED,
	  "time since the object's allocation", "", value_get_age, COUNTED_NEVER },
	{ "freed_by", "", VALUE_TEXT, false, false, FREES, "the site of the free", "",
	  value_get_freed_by, NAMED_SITE },
	{ "alloc_site", "", VALUE_TEXT, false, false, MATCHED,
	  "the site of the object's allocation", "", value_get_alloc_site, COUNTED_NEVER },
	{ "alloc_time", "", VALUE_TIME, true, false, MATCHED, "time of the object's allocation", "",
	  value_get_alloc_time, COUNTED_NEVER },
	{ "alloc_cpu", "", VALUE_NUMBER, true, false, MATCHED, "CPU of the object's allocation", "",
	  value_get_alloc_cpu, COUNTED_NEVER },
	{ "alloc_node", "", VALUE_NUMBER, true, false, MATCHED,
	  "NUMA node of the CPU of the object's allocation", "null if the capture does not have it",
	  value_get_alloc_node, COUNTED_NEVER },
	{ "alloc_tid", "", VALUE_NUMBER, true, false, MATCHED,
	  "thread id of the current task at the allocation, also in an interrupt", "",
	  value_get_alloc_tid, COUNTED_NEVER },
	{ "alloc_pid", "", VALUE_NUMBER, true, false, MATCHED,
	  "process id of the task that allocated the object",
	  "null if the task is not known, or an interrupt allocated the object",
	  value_get_alloc_pid, COUNTED_NEVER },
	{ "alloc_uid", "", VALUE_NUMBER, true, false, MATCHED,
	  "uid of the task that allocated the object",
	  "null if it is not known, or an interrupt allocated the object", value_get_alloc_uid,
	  COUNTED_NEVER },
	{ "alloc_comm", "", VALUE_TEXT, true, false, MATCHED,
	  "name of the task that allocated the object, or interrupts",
	  "null if the task is not known", value_get_alloc_comm, COUNTED_NEVER },
	{ "cross_cpu", "", VALUE_BOOL, true, false, FREES " of a known object",
	  "whether another CPU allocated the object", "", value_get_cross_cpu, COUNTED_NEVER },
	{ "temporary", "", VALUE_BOOL, true, false, FREES " of a known object",
	  "whether the same task allocated the object on the same CPU, with no other allocation on it in between",
	  "", value_get_temporary, COUNTED_NEVER },
	{ "missed_site", "", VALUE_TEXT, false, false,
	  ALLOCATIONS " at the address of a live object (a missed free)",
	  "the site that allocated that object", "", value_get_missed_site, COUNTED_NEVER },
};

const size_t event_field_count = sizeof(event_fields) / sizeof(event_fields[0]);

/* Is the name one of a list separated by commas? */
static bool list_has(const char *list, const char *name, size_t length)
{
	while (*list) {
		size_t size = strcspn(list, ",");

		if (size == length && !memcmp(list, name, length))
			return true;
		list += size + (list[size] == ',');
	}
	return false;
}

const char *event_field_name(size_t index)
{
	return index < event_field_count ? event_fields[index].name : NULL;
}

const struct event_field *event_field_find(const char *name, size_t length)
{
	for (size_t i = 0; i < event_field_count; i++)
		if (list_has(event_fields[i].name, name, length) ||
		    list_has(event_fields[i].aliases, name, length))
			return &event_fields[i];
	return NULL;
}

const char *event_field_suggest(const char *name, char *buffer, size_t size)
{
	const char **words = calloc(FIELD_WORDS_MAX, sizeof(*words));
	char *list = NULL, *rest;
	size_t length, count = 0;
	FILE *file = text_open(&list, &length);

	*buffer = '\0';
	for (size_t i = 0; file && i < event_field_count; i++)
		fprintf(file, "%s,%s,", event_fields[i].name, event_fields[i].aliases);
	if (file)
		text_close(file, &list);
	for (char *word = words && list ? strtok_r(list, ",", &rest) : NULL;
	     word && count < FIELD_WORDS_MAX; word = strtok_r(NULL, ",", &rest))
		words[count++] = word;
	if (count)
		suggest_text(name, words, count, buffer, size);
	free(list);
	free(words);
	return buffer;
}

void event_field_list_at_allocation(char *buffer, size_t size)
{
	size_t used = 0;

	*buffer = '\0';
	for (size_t i = 0; i < event_field_count && used < size; i++)
		if (event_fields[i].at_allocation)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s",
						 used ? ", " : "", event_fields[i].name);
}

/* Where kmemtraced --count does not know the field. */
static const char *counted_text(const struct event_field *field)
{
	if (field->parts & COUNTED_NEVER)
		return "; not with kmemtraced --count";
	return field->parts & COUNTED_NO_FREES ? "; with kmemtraced --count, not of frees" : "";
}

void event_field_list(FILE *file)
{
	for (size_t i = 0; i < event_field_count; i++) {
		const struct event_field *field = &event_fields[i];
		char events[400];

		fprintf(file, "%s%s%s (%s)\n", field->name, *field->aliases ? "," : "",
			field->aliases, value_type_name(field->type));
		text_write_wrapped(file, LIST_INDENT, field->legend);
		snprintf(events, sizeof(events), "of events: %s%s%s%s", field->events,
			 *field->captures ? "; " : "", field->captures, counted_text(field));
		text_write_wrapped(file, LIST_INDENT, events);
	}
}

/* An item for each field: its names, its type, its definition, and the events that have it. */
void event_field_list_mdoc(FILE *file)
{
	for (size_t i = 0; i < event_field_count; i++) {
		const struct event_field *field = &event_fields[i];

		fprintf(file, ".It Cm %s", field->name);
		for (const char *at = field->aliases; *at; at++) {
			size_t length = strcspn(at, ",");

			fprintf(file, " , %.*s", (int)length, at);
			at += length - (at[length] == '\0');
		}
		fprintf(file, "\n%s;\n%s.\nOf events: %s%s%s%s.\n", value_type_name(field->type),
			field->legend, field->events, *field->captures ? "; " : "", field->captures,
			counted_text(field));
	}
}
