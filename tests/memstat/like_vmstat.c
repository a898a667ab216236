/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program in the style of FreeBSD's vmstat -m and -z, written from FreeBSD's libmemstat(3) alone,
 * in the common subset of C and C++. Only kvm_open() is replaced, by memstat_capture_open().
 */
#include <sys/types.h>

#include <err.h>
#include <inttypes.h>
#include <memstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail_list(const char *what, struct memory_type_list *mtlp, void *kd)
{
	int error = memstat_mtl_geterror(mtlp);

	if (error == MEMSTAT_ERROR_KVM)
		errx(1, "%s: %s", what, memstat_capture_errortext((struct memstat_capture *)kd));
	errx(1, "%s: %s", what, memstat_strerror(error));
}

static void show_malloc(struct memory_type_list *mtlp)
{
	struct memory_type *mtp;
	size_t zones = memstat_malloc_zone_get_count(), i;
	int first;

	printf("%16s %5s %6s %8s  Size(s)\n", "Type", "InUse", "MemUse", "Requests");
	for (mtp = memstat_mtl_first(mtlp); mtp != NULL; mtp = memstat_mtl_next(mtp)) {
		if (memstat_get_numallocs(mtp) == 0 && memstat_get_count(mtp) == 0)
			continue;
		printf("%16s %5" PRIu64 " %5" PRIu64 "K %8" PRIu64 "  ", memstat_get_name(mtp),
		       memstat_get_count(mtp), (memstat_get_bytes(mtp) + 1023) / 1024,
		       memstat_get_numallocs(mtp));
		first = 1;
		for (i = 0; i < zones; i++) {
			if (!memstat_malloc_zone_used(mtp, i))
				continue;
			printf("%s%zu", first ? "" : ",", memstat_malloc_zone_get_size(i));
			first = 0;
		}
		printf("\n");
	}
}

static void show_zones(struct memory_type_list *mtlp)
{
	struct memory_type *mtp;
	char name[MEMTYPE_MAXNAME + 1];

	printf("%-20s %6s %6s %8s %8s %8s %4s %4s\n\n", "ITEM", "SIZE", "LIMIT", "USED", "FREE",
	       "REQ", "FAIL", "SLEEP");
	for (mtp = memstat_mtl_first(mtlp); mtp != NULL; mtp = memstat_mtl_next(mtp)) {
		strncpy(name, memstat_get_name(mtp), MEMTYPE_MAXNAME);
		name[MEMTYPE_MAXNAME] = '\0';
		strcat(name, ":");
		printf("%-20s%6" PRIu64 ", %6" PRIu64 ",%8" PRIu64 ",%8" PRIu64 ",%8" PRIu64
		       ",%4" PRIu64 ",%4" PRIu64 "\n",
		       name, memstat_get_size(mtp), memstat_get_countlimit(mtp),
		       memstat_get_count(mtp), memstat_get_free(mtp), memstat_get_numallocs(mtp),
		       memstat_get_failures(mtp), memstat_get_sleeps(mtp));
	}
}

int main(int argc, char *argv[])
{
	struct memory_type_list *mtlp;
	int wants_malloc, failed;
	void *kd = NULL;

	if (argc < 2 || argc > 3 || (strcmp(argv[1], "-m") != 0 && strcmp(argv[1], "-z") != 0))
		errx(1, "usage: like_vmstat -m|-z [core]");
	wants_malloc = strcmp(argv[1], "-m") == 0;
	if (argc == 3) {
		kd = memstat_capture_open(argv[2]);
		if (kd == NULL)
			err(1, "%s", argv[2]);
	}
	mtlp = memstat_mtl_alloc();
	if (mtlp == NULL)
		err(1, "memstat_mtl_alloc");

	if (wants_malloc) {
		failed = kd ? memstat_kvm_malloc(mtlp, kd) : memstat_sysctl_malloc(mtlp, 0);
		if (failed < 0)
			fail_list("malloc", mtlp, kd);
		show_malloc(mtlp);
	} else {
		failed = kd ? memstat_kvm_uma(mtlp, kd) : memstat_sysctl_uma(mtlp, 0);
		if (failed < 0)
			fail_list("zones", mtlp, kd);
		show_zones(mtlp);
	}
	memstat_mtl_free(mtlp);
	memstat_capture_close((struct memstat_capture *)kd);
	return 0;
}
