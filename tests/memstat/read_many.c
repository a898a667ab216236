// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * read_many DIR READS [AT_ONCE]: so many threads, at most AT_ONCE (16) at the same time, each open
 * the capture, read it into a list of their own and compare the counters with those of the first
 * read. Prints the number of reads. Exit status 1: a read failed or its counters differ.
 */
#include <sys/types.h>

#include <err.h>
#include <inttypes.h>
#include <memstat.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE_MAX 1024

struct sums {
	uint64_t types, numallocs, numfrees, memalloced, memfreed;
};

struct read {
	pthread_t thread;
	const char *path;
	struct sums sums;
	char error[400];
};

static void *read_capture(void *argument)
{
	struct read *read = argument;
	struct memstat_capture *capture = memstat_capture_open(read->path);
	struct memory_type_list *list = memstat_mtl_alloc();
	struct sums *sums = &read->sums;

	memset(sums, 0, sizeof(*sums));
	if (!capture || !list)
		snprintf(read->error, sizeof(read->error), "%s", memstat_capture_errortext(NULL));
	else if (memstat_kvm_all(list, capture))
		snprintf(read->error, sizeof(read->error), "%s", memstat_mtl_errortext(list));
	for (struct memory_type *type = memstat_mtl_first(list); type;
	     type = memstat_mtl_next(type)) {
		sums->types++;
		sums->numallocs += memstat_get_numallocs(type);
		sums->numfrees += memstat_get_numfrees(type);
		sums->memalloced += memstat_get_memalloced(type);
		sums->memfreed += memstat_get_memfreed(type);
	}
	memstat_mtl_free(list);
	memstat_capture_close(capture);
	return NULL;
}

/* Starts the threads together, so that the first uses of everything may meet. */
static void read_together(struct read *reads, int count)
{
	for (int i = 0; i < count; i++)
		if (pthread_create(&reads[i].thread, NULL, read_capture, &reads[i]))
			errx(1, "no thread can be created");
	for (int i = 0; i < count; i++)
		pthread_join(reads[i].thread, NULL);
}

int main(int argc, char **argv)
{
	static struct read reads[AT_ONCE_MAX];
	int total = argc > 2 ? atoi(argv[2]) : 0, at_once = argc > 3 ? atoi(argv[3]) : 16;
	struct sums first = { 0 };

	if (total < 1 || at_once < 1 || at_once > AT_ONCE_MAX)
		errx(1, "usage: read_many DIR READS [AT_ONCE]");
	for (int done = 0; done < total; done += at_once) {
		int count = total - done < at_once ? total - done : at_once;

		for (int i = 0; i < count; i++)
			reads[i].path = argv[1];
		read_together(reads, count);
		if (!done)
			first = reads[0].sums;
		for (int i = 0; i < count; i++) {
			if (reads[i].error[0])
				errx(1, "%s", reads[i].error);
			if (!first.numallocs || memcmp(&reads[i].sums, &first, sizeof(first)) != 0)
				errx(1, "read %d: %" PRIu64 " types and %" PRIu64 " allocations",
				     done + i, reads[i].sums.types, reads[i].sums.numallocs);
		}
	}
	printf("%d reads of %" PRIu64 " types and %" PRIu64 " allocations\n", total, first.types,
	       first.numallocs);
	return 0;
}
