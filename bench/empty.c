// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * empty [-c] COMMAND [ARG...]: runs a command while a BPF program that does nothing is attached to
 * each of the four tracepoints: the minimum cost of a tracer that uses BPF. With -c, the programs
 * count the events by call site in a hash map for each CPU: the usual way to count.
 */
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

static const char *const events[] = { "kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free" };

/* return 0 */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

#define R(n) BPF_REG_##n
#define LOAD(to, from, offset_)                                                         \
	{                                                                               \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), \
		.off = (offset_)                                                        \
	}
#define STORE(to, offset_, from)                                                        \
	{                                                                               \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), \
		.off = (offset_)                                                        \
	}
#define STORE_NUMBER(to, offset_, number)                                             \
	{                                                                             \
		.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = (to), .off = (offset_), \
		.imm = (number)                                                       \
	}
#define ADDRESS(to, offset_) /* on the stack */                                        \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = R(10) },    \
	{                                                                              \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (offset_) \
	}
#define ADD(to, number)                                                               \
	{                                                                             \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (number) \
	}
#define SET(to, number)                                                               \
	{                                                                             \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number) \
	}
#define MAP(to) /* its descriptor is set later */                                             \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (to), .src_reg = BPF_PSEUDO_MAP_FD }, \
	{                                                                                     \
		0                                                                             \
	}
#define CALL(function)                                        \
	{                                                     \
		.code = BPF_JMP | BPF_CALL, .imm = (function) \
	}
#define SKIP_IF_0(reg, count)                                                       \
	{                                                                           \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = (reg), .off = (count) \
	}
#define RETURN_0                           \
	SET(R(0), 0),                      \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

/* count = lookup(site); if it is there, ++*count, else update(site, 1) */
static struct bpf_insn counting[] = {
	LOAD(R(1), R(1), 0),
	STORE(R(10), -8, R(1)),
	MAP(R(1)),
	ADDRESS(R(2), -8),
	CALL(BPF_FUNC_map_lookup_elem),
	SKIP_IF_0(R(0), 5),
	LOAD(R(1), R(0), 0),
	ADD(R(1), 1),
	STORE(R(0), 0, R(1)),
	RETURN_0,
	STORE_NUMBER(R(10), -16, 1),
	MAP(R(1)),
	ADDRESS(R(2), -8),
	ADDRESS(R(3), -16),
	SET(R(4), BPF_NOEXIST),
	CALL(BPF_FUNC_map_update_elem),
	RETURN_0,
};

/* 0 or -errno */
static int make_counting(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "counts", 8, 8, 8192, NULL);

	for (size_t i = 0; map >= 0 && i < sizeof(counting) / sizeof(counting[0]); i++)
		if (counting[i].src_reg == BPF_PSEUDO_MAP_FD &&
		    counting[i].code == (BPF_LD | BPF_DW | BPF_IMM))
			counting[i].imm = map;
	return map < 0 ? map : 0;
}

/* The descriptors close with the process. 0 or -errno. */
static int attach_program(const char *event, const struct bpf_insn *instructions, size_t count)
{
	/* bench/programs.c looks for the name */
	const char *name = instructions == nothing ? "bench_empty" : "bench_count";
	int program =
		bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, name, "GPL", instructions, count, NULL);

	if (program < 0)
		return program;
	program = bpf_raw_tracepoint_open(event, program);
	return program < 0 ? program : 0;
}

int main(int argc, char **argv)
{
	const struct bpf_insn *instructions = nothing;
	size_t count = sizeof(nothing) / sizeof(nothing[0]);
	int err, status;
	pid_t child;

	if (argc > 2 && !strcmp(argv[1], "-c")) {
		instructions = counting;
		count = sizeof(counting) / sizeof(counting[0]);
		err = make_counting();
		if (err) {
			fprintf(stderr, "empty: no map can be made: %s\n", strerror(-err));
			return 2;
		}
		argv++;
		argc--;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: empty [-c] COMMAND [ARG...]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		err = attach_program(events[i], instructions, count);
		if (err) {
			fprintf(stderr, "empty: %s: no program can be attached: %s\n", events[i],
				strerror(-err));
			return 2;
		}
	}
	err = posix_spawnp(&child, argv[1], NULL, NULL, argv + 1, environ);
	if (err) {
		fprintf(stderr, "empty: %s: %s\n", argv[1], strerror(err));
		return 127;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
