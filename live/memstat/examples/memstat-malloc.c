/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows which kernel functions hold memory of kmalloc(), like vmstat -m of FreeBSD. */
#include <inttypes.h>
#include <stdio.h>

#include "client.h"

#define WIDTH_MIN 13

/* Prints the size classes that the function used; allocations of whole pages have none. */
static void print_sizes(const struct memory_type *type)
{
	const char *separator = "  ";

	for (size_t n = 0; n < memstat_malloc_zone_get_count(); n++) {
		if (memstat_malloc_zone_used(type, n)) {
			printf("%s%zu", separator, memstat_malloc_zone_get_size(n));
			separator = ",";
		}
	}
	puts(*separator == ',' ? "" : "  -");
}

static void print_malloc_types(const struct memory_type *const *types, size_t count, int width)
{
	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	printf("%*s %7s %8s %10s  Size(s)\n", width, "Type", "InUse", "MemUse", "Requests");
	for (size_t i = 0; i < count; i++) {
		printf("%*s %7" PRIu64 " %7" PRIu64 "K %10" PRIu64, width,
		       memstat_get_name(types[i]), memstat_get_count(types[i]),
		       (memstat_get_bytes(types[i]) + 1023) / 1024,
		       memstat_get_numallocs(types[i]));
		print_sizes(types[i]);
	}
}

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "memstat-malloc",
		.about = "Show which kernel functions hold memory of kmalloc(): objects and\n"
			 "memory in use, allocations requested, and the size classes used; - if\n"
			 "all allocations failed or were too large for a slab.",
		.live = memstat_sysctl_malloc,
		.capture = memstat_kvm_malloc,
		.print = print_malloc_types,
	};

	return client_main(&client, argc, argv);
}
