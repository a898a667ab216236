// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * empty COMMAND [ARG...]: runs a command while a BPF program that does nothing is attached to each
 * of the four tracepoints: the minimum cost of a tracer that uses BPF.
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

/* The descriptors close with the process. 0 or -errno. */
static int attach(const char *event)
{
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "empty", "GPL", nothing,
				    sizeof(nothing) / sizeof(nothing[0]), NULL);

	if (program < 0)
		return program;
	program = bpf_raw_tracepoint_open(event, program);
	return program < 0 ? program : 0;
}

int main(int argc, char **argv)
{
	int err, status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: empty COMMAND [ARG...]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		err = attach(events[i]);
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
