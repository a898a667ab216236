// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * programs COMMAND [ARG...]: runs a command, then prints the time that the BPF programs of the
 * machine took meanwhile, in ns, and how often they ran; those of bench/empty.c, which do nothing,
 * apart. The kernel measures them (BPF_ENABLE_STATS, Linux 5.8), and adds the time of the
 * measurement itself to each run.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#define PROGRAMS_MAX 4096
#define EMPTY_NAME "bench_empty"

struct program {
	uint32_t id;
	bool is_empty;
	uint64_t ns, runs; /* since it was loaded */
};

/* Reads all programs. Returns how many, or -errno. */
static int read_programs(struct program *list)
{
	uint32_t id = 0, size;
	struct bpf_prog_info info;
	int fd, err, count = 0;

	while (count < PROGRAMS_MAX && !bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue; /* it was unloaded */
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		err = bpf_obj_get_info_by_fd(fd, &info, &size) ? -errno : 0;
		close(fd);
		if (err)
			return err;
		list[count++] = (struct program){ id, !strcmp(info.name, EMPTY_NAME),
						  info.run_time_ns, info.run_cnt };
	}
	return count;
}

/* Prints what the programs that are there now did since the first reading. */
static void print_difference(const struct program *now, int count, const struct program *before,
			     int before_count)
{
	struct program sums[2] = { 0 };

	for (int i = 0; i < count; i++) {
		struct program *sum = &sums[now[i].is_empty];

		sum->ns += now[i].ns;
		sum->runs += now[i].runs;
		for (int j = 0; j < before_count; j++)
			if (before[j].id == now[i].id) {
				sum->ns -= before[j].ns;
				sum->runs -= before[j].runs;
			}
	}
	printf("programs_ns %" PRIu64 "\nprograms_runs %" PRIu64 "\n", sums[0].ns, sums[0].runs);
	printf("empty_ns %" PRIu64 "\nempty_runs %" PRIu64 "\n", sums[1].ns, sums[1].runs);
}

int main(int argc, char **argv)
{
	static struct program before[PROGRAMS_MAX], now[PROGRAMS_MAX];
	int err, status, before_count, count;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: programs COMMAND [ARG...]\n");
		return 2;
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		fprintf(stderr, "programs: the kernel does not measure BPF programs: %s\n",
			strerror(errno));
		return 2;
	}
	before_count = read_programs(before);
	err = before_count < 0 ? before_count : 0;
	if (!err)
		err = -posix_spawnp(&child, argv[1], NULL, NULL, argv + 1, environ);
	if (err) {
		fprintf(stderr, "programs: %s: %s\n", argv[1], strerror(-err));
		return 2;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 2;
	count = read_programs(now);
	if (count < 0) {
		fprintf(stderr, "programs: the BPF programs cannot be read: %s\n",
			strerror(-count));
		return 2;
	}
	print_difference(now, count, before, before_count);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
