/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel types that the programs read, written by hand: CO-RE finds each field's offset in
 * the running kernel. Fields that are not read are left out.
 */
#ifndef BPF_VMLINUX_H
#define BPF_VMLINUX_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

typedef __u8 uint8_t;
typedef __s16 int16_t;
typedef __u16 uint16_t;
typedef __s32 int32_t;
typedef __u32 uint32_t;
typedef __s64 int64_t;
typedef __u64 uint64_t;

#define UINT32_MAX 0xffffffffU
#define UINT64_MAX 0xffffffffffffffffULL
#define NULL ((void *)0)

/* the UAPI numbers that the programs use (linux/bpf.h would define the types above again) */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_NOEXIST = 1,
};
enum {
	BPF_F_NUMA_NODE = 1U << 2,
	BPF_F_MMAPABLE = 1U << 10,
};
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_AVAIL_DATA = 0,
};
enum {
	BPF_F_USER_STACK = 1U << 8,
};

struct bpf_raw_tracepoint_args { /* UAPI: the arguments, a word each */
	__u64 args[0];
};

#ifndef KMT_WITHOUT_BTF
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kmem_cache {
	unsigned int flags;
	unsigned int size;
	unsigned int object_size;
	const char *name;
};

/* since Linux 6.9 */
enum _slab_flag_bits {
	_SLAB_ACCOUNT = 0, /* another number in each kernel */
};

struct mm_struct {
	unsigned long brk;
};

struct vm_area_struct {
	const void *vm_ops;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long address;
	void *page;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

enum cgroup_subsys_id {
	memory_cgrp_id = 0, /* another number in each kernel */
};

struct task_struct {
	struct mm_struct *mm;
	int pid;
	int tgid;
	void *stack;
	char comm[16];
	struct css_set *cgroups;
	struct task_struct *group_leader;
	__u64 start_time;
	__u64 self_exec_id;
};

struct module_memory {
	void *base;
	unsigned int size;
};

struct module {
	char name[56];
	struct module_memory mem[7];
};

struct module_layout {
	void *base;
	unsigned int text_size;
};

/* up to Linux 6.3 */
struct module___6_3 {
	struct module_layout core_layout;
	struct module_layout init_layout;
};

typedef struct {
	struct {
	} v;
} u64_stats_t; /* a 64-bit word; only its offset is used */

struct bpf_prog_stats {
	u64_stats_t misses;
};

struct bpf_prog_aux {
	__u32 id;
};

struct bpf_prog {
	struct bpf_prog_stats *stats;
	struct bpf_prog_aux *aux;
};

struct bpf_array {
	void *pptrs[0];
};

enum bpf_func_id {
	BPF_FUNC_map_lookup_percpu_elem = 195,
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog;
};

#pragma clang attribute pop
#endif

#endif
