/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print_types malloc|uma|all DIR [NS]: prints the types of a capture, at its end or NS ns after its
 * begin, as the library shows them, a line each, separated by tabs:
 *	kind name size rsize numallocs numfrees count memalloced memfreed failures missedfrees
 * then "unobserved NAME" for each unobserved path, and "lost N". Exit status 0; 1: the query
 *failed; 2: the capture could not be opened; 3: the counters contradict each other.
 */
#include <sys/types.h>
#include <errno.h>
#include <inttypes.h>
#include <memstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int (*query)(struct memory_type_list *list, void *kvm_handle);
} queries[] = {
	{ "malloc", memstat_kvm_malloc },
	{ "uma", memstat_kvm_uma },
	{ "all", memstat_kvm_all },
};

static int (*find_query(const char *name))(struct memory_type_list *list, void *kvm_handle)
{
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		if (!strcmp(name, queries[i].name))
			return queries[i].query;
	}
	return NULL;
}

/* Do the counters satisfy what holds for every type, even with lost events? */
static int is_consistent(const struct memory_type *type)
{
	uint64_t allocs = 0, bytes = 0;

	for (int cpu = 0; cpu < 64; cpu++) {
		allocs += memstat_get_percpu_numallocs(type, cpu);
		bytes += memstat_get_percpu_memalloced(type, cpu);
	}
	return memstat_get_numfrees(type) <= memstat_get_numallocs(type) &&
	       memstat_get_numallocs(type) - memstat_get_numfrees(type) ==
		       memstat_get_count(type) &&
	       memstat_get_memalloced(type) - memstat_get_memfreed(type) ==
		       memstat_get_bytes(type) &&
	       allocs == memstat_get_numallocs(type) && bytes == memstat_get_memalloced(type);
}

static int print_list(struct memory_type_list *list)
{
	struct memory_type *type;

	for (type = memstat_mtl_first(list); type; type = memstat_mtl_next(type)) {
		printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		       memstat_get_allocator(type) == ALLOCATOR_UMA ? "uma" : "malloc",
		       memstat_get_name(type), memstat_get_size(type), memstat_get_rsize(type),
		       memstat_get_numallocs(type), memstat_get_numfrees(type),
		       memstat_get_count(type), memstat_get_memalloced(type),
		       memstat_get_memfreed(type), memstat_get_failures(type),
		       memstat_get_missedfrees(type));
		if (!is_consistent(type)) {
			printf("the counters of %s contradict each other\n",
			       memstat_get_name(type));
			return 3;
		}
	}
	for (size_t n = 0; memstat_mtl_unobserved(list, n); n++)
		printf("unobserved %s\n", memstat_mtl_unobserved(list, n));
	if (memstat_mtl_lost(list, ALLOCATOR_ANY) == MEMSTAT_LOST_UNKNOWN)
		printf("lost unknown\n");
	else
		printf("lost %" PRIu64 "\n", memstat_mtl_lost(list, ALLOCATOR_ANY));
	return 0;
}

int main(int argc, char **argv)
{
	int (*query)(struct memory_type_list * list, void *kvm_handle);
	struct memstat_capture *capture;
	struct memory_type_list *list;
	int status, failed;

	query = argc > 2 ? find_query(argv[1]) : NULL;
	capture = query ? memstat_capture_open(argv[2]) : NULL;
	list = memstat_mtl_alloc();
	if (!capture || !list) {
		fprintf(stderr, "print_types: %s: %s\n", strerror(errno),
			memstat_capture_errortext(NULL));
		return 2;
	}
	if (argc > 3)
		memstat_capture_at(capture, strtoull(argv[3], NULL, 10));
	failed = query(list, capture);
	if (failed)
		fprintf(stderr, "print_types: %s: %s\n",
			memstat_strerror(memstat_mtl_geterror(list)), memstat_mtl_errortext(list));
	status = print_list(list);
	memstat_mtl_free(list);
	memstat_capture_close(capture);
	return status ? status : failed ? 1 : 0;
}
