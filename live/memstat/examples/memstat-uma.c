/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows the slab caches of the kernel, like vmstat -z of FreeBSD. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client.h"

#define WIDTH_MIN 20

static void print_zones(const struct memory_type *const *types, size_t count, int width)
{
	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	printf("%-*s  %6s  %6s  %8s  %8s  %8s  %4s  %5s\n\n", width, "ITEM", "SIZE", "LIMIT",
	       "USED", "FREE", "REQ", "FAIL", "SLEEP");
	for (size_t i = 0; i < count; i++) {
		const struct memory_type *type = types[i];
		const char *name = memstat_get_name(type);

		printf("%s:%*s", name, width - (int)strlen(name), "");
		printf(" %6" PRIu64 ", %6" PRIu64 ", %8" PRIu64 ", %8" PRIu64 ", %8" PRIu64
		       ", %4" PRIu64 ", %5" PRIu64 "\n",
		       memstat_get_size(type), memstat_get_countlimit(type),
		       memstat_get_count(type), memstat_get_free(type), memstat_get_numallocs(type),
		       memstat_get_failures(type), memstat_get_sleeps(type));
	}
}

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "memstat-uma",
		.about = "Show the slab caches of the kernel: the object size in bytes, the limit\n"
			 "of objects (0: none), objects in use and free, allocations requested,\n"
			 "those that failed, and those that had to wait.",
		.live = memstat_sysctl_uma,
		.capture = memstat_kvm_uma,
		.print = print_zones,
	};

	return client_main(&client, argc, argv);
}
