// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/text.h"
#include "tracer/host/host_facts.h"

#define NSEC_PER_SEC 1000000000ULL
#define KIB 1024
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"
#define FILE_MAX 65536 /* bytes */

void host_boot_id(char id[BOOT_ID_SIZE])
{
	__attribute__((cleanup(free_text))) char *text = NULL;

	strcpy(id, "unknown");
	if (read_file(AT_FDCWD, BOOT_ID_FILE, BOOT_ID_SIZE - 1, &text, NULL))
		return;
	text[strcspn(text, "\n")] = '\0';
	if (*text)
		strcpy(id, text);
}

static void find_memory(struct summary_host *host)
{
	const struct {
		const char *key;
		uint64_t *bytes;
	} rows[] = { { "MemTotal:", &host->memory },
		     { "SReclaimable:", &host->slab_reclaimable },
		     { "SUnreclaim:", &host->slab_unreclaimable } };
	__attribute__((cleanup(free_text))) char *text = NULL;
	const char *at;
	struct line line;

	if (read_file(AT_FDCWD, "/proc/meminfo", FILE_MAX, &text, NULL))
		return;
	at = text;
	while (line_next(&line, &at))
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			uint64_t kib;

			if (line_key(&line, rows[i].key) && line_u64(&line, 10, &kib))
				*rows[i].bytes = kib * KIB;
		}
}

void host_facts_find(struct summary_host *host)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	host->cpus = cpus > 0 ? (uint32_t)cpus : 0;
	find_memory(host);
}

uint64_t process_cpu_ns(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

uint64_t process_resident_bytes(void)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	uint64_t resident = 0;
	struct line line;

	if (read_file(AT_FDCWD, "/proc/self/statm", FILE_MAX, &text, NULL))
		return 0;
	line = (struct line){ text, text + strlen(text) };
	/* the second number */
	if (!line_u64(&line, 10, &resident) || !line_u64(&line, 10, &resident))
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
