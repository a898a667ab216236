/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A monitor in the style of FreeBSD's netstat -m: it looks types up by name and keeps the last
 * counters in the caller slots to compute rates. Written from FreeBSD's libmemstat(3) alone.
 */
#include <sys/types.h>

#include <err.h>
#include <inttypes.h>
#include <memstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_REQUESTS 0
#define SLOT_NAME 0
#define CPUS 4

static void show_cpus(struct memory_type *mtp)
{
	uint64_t allocs, frees;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		allocs = memstat_get_percpu_numallocs(mtp, cpu);
		frees = memstat_get_percpu_numfrees(mtp, cpu);
		if (allocs == 0 && frees == 0)
			continue;
		printf("    cpu %d: %" PRIu64 "/%" PRIu64 " allocations/frees, %" PRIu64 "/%" PRIu64
		       " bytes, %" PRIu64 " cached, %" PRIu64 " allocations since\n",
		       cpu, allocs, frees, memstat_get_percpu_memalloced(mtp, cpu),
		       memstat_get_percpu_memfreed(mtp, cpu), memstat_get_percpu_free(mtp, cpu),
		       allocs - memstat_get_percpu_caller_uint64(mtp, cpu, SLOT_REQUESTS));
		memstat_set_percpu_caller_uint64(mtp, cpu, SLOT_REQUESTS, allocs);
		memstat_set_percpu_caller_pointer(mtp, cpu, SLOT_NAME, mtp);
		if (memstat_get_percpu_caller_pointer(mtp, cpu, SLOT_NAME) != mtp)
			errx(1, "cpu %d: a pointer was not kept", cpu);
	}
}

static void show_type(struct memory_type *mtp, const char *name)
{
	uint64_t requests = memstat_get_numallocs(mtp);
	const char *seen = (const char *)memstat_get_caller_pointer(mtp, SLOT_NAME);

	if (seen != NULL && seen != memstat_get_name(mtp))
		errx(1, "%s: its name lies elsewhere now", name);
	printf("%" PRIu64 "/%" PRIu64 "/%" PRIu64 " %s in use (current/cache/total)\n",
	       memstat_get_count(mtp), memstat_get_free(mtp),
	       memstat_get_count(mtp) + memstat_get_free(mtp), name);
	printf("  %" PRIu64 "K of %" PRIu64 "K given out, %" PRIu64 "K back; %" PRIu64
	       " requests denied, %" PRIu64 " delayed; %" PRIu64 " requests since\n",
	       (memstat_get_bytes(mtp) + 1023) / 1024, (memstat_get_memalloced(mtp) + 1023) / 1024,
	       (memstat_get_memfreed(mtp) + 1023) / 1024, memstat_get_failures(mtp),
	       memstat_get_sleeps(mtp), requests - memstat_get_caller_uint64(mtp, SLOT_REQUESTS));
	memstat_set_caller_uint64(mtp, SLOT_REQUESTS, requests);
	memstat_set_caller_pointer(mtp, SLOT_NAME, (void *)memstat_get_name(mtp));
	show_cpus(mtp);
}

int main(int argc, char *argv[])
{
	static const int allocators[] = { ALLOCATOR_UMA, ALLOCATOR_MALLOC };
	struct memory_type_list *mtlp;
	struct memory_type *mtp;
	void *kd = NULL;
	int rounds, round, found, i;
	size_t which;

	if (argc < 4 || (rounds = atoi(argv[2])) < 1)
		errx(1, "usage: like_netstat core|- rounds name ...");
	if (strcmp(argv[1], "-") != 0 && (kd = memstat_capture_open(argv[1])) == NULL)
		err(1, "%s", argv[1]);
	mtlp = memstat_mtl_alloc();
	if (mtlp == NULL) {
		warn("memstat_mtl_alloc");
		return 1;
	}
	for (round = 0; round < rounds; round++) {
		if ((kd ? memstat_kvm_all(mtlp, kd) : memstat_sysctl_all(mtlp, 0)) < 0) {
			warnx("%s", memstat_strerror(memstat_mtl_geterror(mtlp)));
			memstat_mtl_free(mtlp);
			return 1;
		}
		for (i = 3; i < argc; i++) {
			found = 0;
			for (which = 0; which < sizeof(allocators) / sizeof(*allocators); which++) {
				mtp = memstat_mtl_find(mtlp, allocators[which], argv[i]);
				if (mtp == NULL)
					continue;
				show_type(mtp, argv[i]);
				found = 1;
			}
			if (!found)
				printf("there is no %s\n", argv[i]);
		}
	}
	memstat_mtl_free(mtlp);
	memstat_capture_close((struct memstat_capture *)kd);
	return 0;
}
