// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allocates objects of some slab caches and keeps them, between two readings of /proc/slabinfo:
 * hold FILES SOCKETS FOLDER CACHE…. Prints the begin and the end of each reading (ns of the
 * capture's clock) and the numbers of objects.
 *
 * SLUB counts all objects on a CPU's own slab as active, even the free ones. Shrinking the cache
 * takes these slabs from the CPUs, so that only objects in use are counted.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CACHES_MAX 8
#define DELETED 5 /* each 5th file is deleted again */

struct cache_reading {
	unsigned long active, size, per_slab;
};

struct reading {
	uint64_t begin, end; /* ns */
	struct cache_reading caches[CACHES_MAX];
};

static void skip_hold(const char *what)
{
	fprintf(stderr, "hold: %s: %s\n", what, strerror(errno));
	exit(77);
}

static uint64_t read_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void shrink_cache(const char *cache)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		skip_hold(path);
	close(fd);
}

static void take_line(const char *line, struct reading *reading, char **names, int count)
{
	struct cache_reading cache;
	char name[100];

	if (sscanf(line, "%99s %lu %*u %lu %lu", name, &cache.active, &cache.size,
		   &cache.per_slab) != 4)
		return;
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			reading->caches[i] = cache;
}

static void read_slabs(struct reading *reading, char **names, int count)
{
	/* wait until RCU has freed its objects */
	const struct timespec calm = { .tv_nsec = 500000000 };
	FILE *file = fopen("/proc/slabinfo", "r");
	char *line = NULL;
	size_t space = 0;

	if (!file)
		skip_hold("/proc/slabinfo");
	nanosleep(&calm, NULL);
	reading->begin = read_time();
	for (int i = 0; i < count; i++)
		shrink_cache(names[i]);
	while (getline(&line, &space, file) >= 0)
		take_line(line, reading, names, count);
	reading->end = read_time();
	free(line);
	fclose(file);
	errno = ENOENT;
	for (int i = 0; i < count; i++)
		if (!reading->caches[i].size)
			skip_hold(names[i]);
}

static void make_files(const char *folder, long count)
{
	char name[300];
	int fd;

	for (long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/%ld", folder, i);
		fd = open(name, O_CREAT | O_RDWR, 0600);
		if (fd < 0)
			skip_hold(name);
		close(fd);
		if (i % DELETED == 0)
			unlink(name);
	}
}

static void make_sockets(long count)
{
	struct rlimit limit;
	int ends[2];

	if (getrlimit(RLIMIT_NOFILE, &limit))
		skip_hold("RLIMIT_NOFILE");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		skip_hold("RLIMIT_NOFILE");
	for (long i = 0; i < count / 2; i++)
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
			skip_hold("socketpair");
}

int main(int argc, char **argv)
{
	char **names = argv + 4;
	int count = argc - 4;
	struct reading before = { 0 }, after = { 0 };

	if (count < 1 || count > CACHES_MAX) {
		fprintf(stderr, "usage: hold FILES SOCKETS FOLDER CACHE...\n");
		return 2;
	}
	read_slabs(&before, names, count);
	make_files(argv[3], atol(argv[1]));
	make_sockets(atol(argv[2]));
	read_slabs(&after, names, count);
	printf("before %" PRIu64 " %" PRIu64 "\nafter %" PRIu64 " %" PRIu64 "\n", before.begin,
	       before.end, after.begin, after.end);
	for (int i = 0; i < count; i++)
		printf("cache %s %lu %lu %lu %lu\n", names[i], after.caches[i].size,
		       after.caches[i].per_slab, before.caches[i].active, after.caches[i].active);
	return 0;
}
