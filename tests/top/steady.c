// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * steady FILE RATE LOST BEGIN [nostacks|profile]: publishes figures as kmemtraced does, until its
 * standard input ends. Each moment is one second after the one before: RATE objects of 64 bytes
 * were allocated by one site, in the process 4242, and half as many freed. Another site holds 100
 * objects of 192 bytes. So the rate is RATE between any two moments that a reader sees. LOST:
 * events; BEGIN: second. The stacks are estimates: one stack of the first site has all of its
 * objects, one of the other the rest. A profile has nothing but them.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/stats/details_file.h"
#include "live/stats/stats_file.h"

#define SECOND UINT64_C(1000000000)
#define EVERY_MS 50

/* The standard errors are a tenth of the bytes. */
static int put_stacks(char *text, size_t size, uint64_t allocated, uint64_t freed, bool is_profile)
{
	static const char *const names[] = {
		"stack 7 %s "
		"steady_site\\x20[load]\\x20<\\x20do_steady_work\\x20<\\x20ksys_read\\x20"
		"<\\x20read\n",
		"syscall 5 %s read\n",
	};
	char figures[300];
	int length;

	snprintf(figures, sizeof(figures),
		 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " 400 200",
		 allocated, freed, allocated * 64, freed * 64, allocated * 64 / 10,
		 (allocated - freed) * 64 / 10);
	length = snprintf(text, size, "sampling 65536 65536 %s\n",
			  is_profile ? "profile" : "stacks");
	for (size_t i = 0; i < 2; i++)
		length += snprintf(text + length, size - (size_t)length, names[i], figures);
	length += snprintf(text + length, size - (size_t)length,
			   "stack 0 100 0 19200 0 1000 1000 2 2 -\n"
			   "syscall 6 100 0 19200 0 1000 1000 2 2 kthread:load\n"
			   "unlisted 0 0\nend\n");
	return length;
}

static void write_details(struct details_file *file, uint64_t begin, uint64_t second, uint64_t rate,
			  uint64_t lost, const char *what)
{
	uint64_t allocated = rate * second, freed = allocated / 2, live = allocated - freed;
	char text[4000];
	int size;

	size = snprintf(text, sizeof(text),
			"details 1\nmoment %" PRIu64 " %" PRIu64 " %" PRIu64 " 0\n"
			"slabs %" PRIu64 " 900 1000 921600 1048576 65536\n"
			"cache 0 kmalloc-64\ncache 1 dentry\n"
			"site 0 steady_site+0x10/0x80\\x20[load]\nsite 1 other_site+0x20/0x90\n"
			"pair 0 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n"
			"lifetimes 0 11:%" PRIu64 "\npair 1 1 1 100 0 19200 0\n"
			"process 3 4242 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" load\\x1ber 3\nprocess 4 1 100 0 19200 0 init 4\n"
			"comm 3 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " load\\x1ber\n"
			"comm 4 100 0 19200 0 init\n"
			"cgroup 3 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " /load\n"
			"cgroup 4 100 0 19200 0 /\nlater 1 2 3\n"
			"scan %" PRIu64 "\nlive 0 %" PRIu64 " %" PRIu64 " 33 64\n"
			"ages 0 20:%" PRIu64 "\nlive 1 100 19200 192 192\nages 1 31:100\n"
			"held 0 3 %" PRIu64 " %" PRIu64 "\nheld 1 4 100 19200\n",
			(begin + second) * SECOND, begin * SECOND, lost,
			(begin + second - 3) * SECOND, allocated, freed, allocated * 64, freed * 64,
			freed, allocated, freed, allocated * 64, freed * 64, allocated, freed,
			allocated * 64, freed * 64, allocated, freed, allocated * 64, freed * 64,
			(begin + second) * SECOND, live, live * 50, live, live, live * 64);
	if (strcmp(what, "profile") == 0)
		size = snprintf(text, sizeof(text),
				"details 1\nmoment %" PRIu64 " %" PRIu64 " %" PRIu64 " 0\n",
				(begin + second) * SECOND, begin * SECOND, lost);
	if (strcmp(what, "nostacks") != 0)
		size += put_stacks(text + size, sizeof(text) - (size_t)size, allocated, freed,
				   !strcmp(what, "profile"));
	else
		size += snprintf(text + size, sizeof(text) - (size_t)size, "end\n");
	details_file_write(file, text, (size_t)size);
}

int main(int argc, char **argv)
{
	struct type_stats_cpu cpu = { 0 };
	struct type_stats_type type = { .kind = TYPE_STATS_CACHE,
					.name = (char *)"kmalloc-64",
					.aliases = "other,twin",
					.object_size = 64,
					.size = 64,
					.cpus = &cpu,
					.cpu_count = 1 };
	struct type_stats type_stats = { .types = &type, .count = 1 };
	struct stats_snapshot snapshot = { .paths = "kmem_cache_alloc_bulk,kfree_nolock" };
	struct stats_file_settings settings = { .group = (gid_t)-1,
						.cpus = 1,
						.types_max = { 4, 4 } };
	struct pollfd input = { .events = POLLIN };
	struct details_file *details;
	struct stats_file *file;
	char name[400];
	struct error error = { 0 };
	const char *slash;
	uint64_t rate, begin;

	if (argc != 5 && argc != 6)
		return 2;
	settings.path = argv[1];
	rate = strtoull(argv[2], NULL, 10);
	snapshot.lost = strtoull(argv[3], NULL, 10);
	begin = strtoull(argv[4], NULL, 10);
	snapshot.begin = begin * SECOND;
	if (stats_file_create(&file, &settings, &error)) {
		fprintf(stderr, "steady: %s\n", error.text);
		return 2;
	}
	slash = strrchr(argv[1], '/');
	snprintf(name, sizeof(name), "%s" DETAILS_FILE_SUFFIX, slash ? slash + 1 : argv[1]);
	if (details_file_create(&details, stats_file_directory(file), name, (gid_t)-1))
		return 2;
	for (uint64_t second = 1; poll(&input, 1, EVERY_MS) == 0; second++) {
		snapshot.time = (begin + second) * SECOND;
		type_stats.generation = type.changed = second;
		type.numallocs = cpu.numallocs = rate * second;
		stats_file_write(file, &type_stats, &snapshot);
		write_details(details, begin, second, rate, snapshot.lost, argc > 5 ? argv[5] : "");
	}
	details_file_remove(details);
	stats_file_remove(file);
	return 0;
}
