/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings that kmemtraced writes before it loads the programs; the verifier then treats them as
 * constants.
 */
#ifndef BPF_SETTINGS_BPF_H
#define BPF_SETTINGS_BPF_H

const volatile uint32_t ring_slots = 1024; /* a power of two; 0: count, do not record */
const volatile uint32_t count_parts;	   /* enum kmt_count_part: of a key */
const volatile uint32_t count_slots = 1;   /* of each CPU's table: a power of two */
const volatile uint64_t count_head;	   /* the bits of the head that a key has */
const volatile uint64_t count_task;	   /* the bits of the process and thread that it has */
const volatile uint32_t count_own_tgid;	   /* kmemtraced, whose events are not counted */
const volatile uint32_t possible_cpus = 1;
const volatile uint32_t traced_tgid;	 /* the only traced process; 0: all; or KMT_TRACED_LIST */
const volatile uint32_t task_table;	 /* enum kmt_task_table */
const volatile uint32_t sample_interval; /* bytes, or SAMPLING_EACH; 0: nothing is sampled */
const volatile bool profile;		 /* only sampled allocations and their frees are recorded */
const volatile bool raises_interval;	 /* see bpf/sampling.bpf.h */
const volatile bool user_stacks;	 /* samples in tasks have the stack of the process too */
const volatile uint64_t stack_seed;	 /* random: no process knows the id of a stack */
const volatile uint32_t sampled_mask;	 /* of a mark, with profile: see bpf/sampled.bpf.h */
const volatile bool backup_enabled;	 /* the frees have backup programs */
const volatile uint32_t last_copy;	 /* the number of copies that are attached */
const volatile bool front_enabled;	 /* front programs run before the copies */
const volatile uint32_t context_source;	 /* enum kmt_context_source */
const volatile uint32_t realloc_gfp;	 /* index of krealloc()'s argument with the GFP flags */
const volatile bool bulk_alloc_returns_bool; /* else the number of objects */
const volatile bool frees_have_name; /* kmem_cache_free has the cache's name, not its address */
const volatile bool allocations_have_cache; /* kmem_cache_alloc has the cache's address */
const volatile bool reads_cgroups;	    /* cgroups are recorded, of this hierarchy: */
const volatile uint32_t cgroup_hierarchy;   /* its number in the kernel; 0: version 2 */
const volatile uint32_t victim_offset;	    /* of the task id in the entry of oom/mark_victim */
/* the positions of the fields in the trace event entries, on a kernel without BTF */
const volatile struct kmt_field_position fields[KMT_FIELDS];

#endif
