// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * make_summaries HOST FIRST LAST ROWS [SAMPLING]: prints a file with summaries of these numbers, of
 * one minute each, with so many rows, and with variances if it is sampled. Row r of summary n has
 * (r + 1) * (n + 1) allocations of 64 bytes; a name has characters that formats must escape.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/summary/summary.h"
#include "fleet/summary/summary_file.h"

#define RUN 1790000000000000000ULL
#define MINUTE 60000000000ULL
#define MINUTES 29833334ULL /* the first end, in minutes since 1970 */

static void fail_summaries(const char *what)
{
	fprintf(stderr, "make_summaries: %s\n", what);
	exit(2);
}

static void add_many_rows(struct summary *summary, uint64_t number, unsigned long rows)
{
	for (unsigned long i = 0; i < rows; i++) {
		char name[80];
		const char *names[SUMMARY_NAMES] = { name, "kernel", "kmalloc-64" };
		enum summary_kind kind = i % 50 == 49 ? SUMMARY_COMM : SUMMARY_CODE;
		struct summary_row *row;

		snprintf(name, sizeof(name),
			 i % 50 == 49 ? "a\tname\\with\n%lu' \xff" : "some_kernel_function_%lu", i);
		row = summary_get_row(summary, kind, names);
		if (!row)
			fail_summaries("no memory");
		row->counts.allocations = (i + 1) * (number + 1);
		row->counts.allocated = 64 * row->counts.allocations;
		/* many digits; printed if sampled */
		row->counts.allocated_variance =
			SUMMARY_VARIANCE_UNIT *
			(double)(row->counts.allocations * UINT64_C(12345678901));
		row->counts.frees = row->counts.allocations / 2;
		row->counts.freed = 64 * row->counts.frees;
		row->counts.live_objects = number + i;
		row->counts.live_bytes = 64 * row->counts.live_objects;
	}
}

static void print_summary(char *host, uint64_t number, unsigned long rows, uint64_t sampling)
{
	char boot[] = "6f8a1f0e-0000-4000-8000-000000000001";
	const struct summary_source source = { host, boot, RUN, number, number };
	char kernel[] = "6.1.0-30-amd64", arch[] = "x86_64", role[] = "web";
	const struct summary_host facts = { kernel, arch, role, 8, 1ULL << 34, 1 << 28, 1 << 27 };
	struct summary summary;
	char *text;
	size_t size;

	if (summary_init(&summary) || summary_add_source(&summary, &source) ||
	    summary_set_host(&summary, &facts))
		fail_summaries("no memory");
	summary.end = summary.live_at = (MINUTES + number) * MINUTE;
	summary.live_hosts = 1;
	summary.begin = summary.end - MINUTE;
	summary.missing.recorded = 1000 + number;
	summary.missing.sampling = sampling;
	add_many_rows(&summary, number, rows);
	summary_sort(&summary);
	if (summary_write_text(&summary, &text, &size))
		fail_summaries("no memory");
	fwrite(text, 1, size, stdout);
	free(text);
	summary_deinit(&summary);
}

int main(int argc, char **argv)
{
	uint64_t last;

	if (argc != 5 && argc != 6)
		fail_summaries("HOST FIRST LAST ROWS [SAMPLING]");
	fputs(SUMMARY_FILE_HEADER, stdout);
	last = strtoull(argv[3], NULL, 10);
	for (uint64_t i = strtoull(argv[2], NULL, 10); i <= last; i++)
		print_summary(argv[1], i, strtoul(argv[4], NULL, 10),
			      argc > 5 ? strtoull(argv[5], NULL, 10) : 0);
	return fclose(stdout) ? 2 : 0;
}
