/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's types that bpf/heap.bpf.c reads, as in bpf/vmlinux.h. */
#ifndef BPF_HEAP_TYPES_BPF_H
#define BPF_HEAP_TYPES_BPF_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};

struct page {
	unsigned long compound_head;
	unsigned int page_type;
};

/* since Linux 7.1 */
struct page___info {
	unsigned long compound_info;
};

enum pagetype {
	PGTY_slab = 0, /* another number in each kernel */
};

struct slab {
	struct kmem_cache *slab_cache;
	void *freelist;
	unsigned long counters;
	unsigned int inuse : 16;
	unsigned int objects : 15;
};

struct kmem_cache_order_objects {
	unsigned int x;
};

struct kmem_cache_cpu {
	void *freelist;
	unsigned long tid;
	struct slab *slab;
};

struct slab_sheaf {
	struct list_head barn_list;
	struct kmem_cache *cache;
	unsigned int size;
	void *objects[0];
};

struct slub_percpu_sheaves {
	struct slab_sheaf *main, *spare, *rcu_free;
};

struct node_barn {
	struct list_head sheaves_full;
};

struct kmem_cache_node {
	struct node_barn *barn;
};

struct kmem_cache_per_node_ptrs {
	struct node_barn *barn;
};

struct kmem_cache___lists {
	struct kmem_cache_cpu *cpu_slab;
	struct slub_percpu_sheaves *cpu_sheaves;
	unsigned int size, object_size, offset, red_left_pad;
	struct kmem_cache_order_objects oo, min;
	const char *name;
	struct list_head list;
	unsigned long random;
	struct kmem_cache_node *node[1];
};

/* since Linux 7.1 */
struct kmem_cache___nodes {
	struct kmem_cache_per_node_ptrs per_node[1];
};

struct pipe_buffer {
	struct page *page;
};

struct pipe_inode_info {
	struct pipe_buffer *bufs;
};

struct file {
	void *private_data;
};

struct fdtable {
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct___files {
	struct files_struct *files;
};

struct proto {
	struct kmem_cache *slab;
};

struct sock_common {
	struct proto *skc_prot;
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

#pragma clang attribute pop

#endif
