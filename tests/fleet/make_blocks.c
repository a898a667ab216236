// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes summaries of lines, and prints a file of them. A line is an interval of a host, with times
 * in seconds since 1970:
 *
 *     HOST ROLE KERNEL RUN NUMBER BEGIN END RECORDED LOST SKIPPED UNCOUNTED SAMPLING
 *
 * and its rows, of code: FUNCTION ALLOCATED FREED LIVE, in bytes.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/summary/summary.h"
#include "fleet/summary/summary_file.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
#define OBJECT 64 /* bytes */
#define FACTS 12

static void fail_blocks(const char *what)
{
	fprintf(stderr, "make_blocks: %s\n", what);
	exit(2);
}

static uint64_t parse_number(const char *word)
{
	return word ? strtoull(word, NULL, 10) : 0;
}

static void add_block_row(struct summary *summary, const char *function, char **save)
{
	const char *names[SUMMARY_NAMES] = { function, "kernel", "kmalloc-64" };
	struct summary_row *row = summary_get_row(summary, SUMMARY_CODE, names);

	if (!row)
		fail_blocks("no memory");
	row->counts.allocated = parse_number(strtok_r(NULL, " ", save));
	row->counts.freed = parse_number(strtok_r(NULL, " ", save));
	row->counts.live_bytes = parse_number(strtok_r(NULL, " ", save));
	row->counts.allocations = row->counts.allocated / OBJECT;
	row->counts.frees = row->counts.freed / OBJECT;
	row->counts.live_objects = row->counts.live_bytes / OBJECT;
	if (summary->missing.sampling)
		row->counts.allocated_variance =
			(double)row->counts.allocated * (double)summary->missing.sampling;
}

static void print_block(char *line)
{
	char *words[FACTS], *save, *function, boot[80], arch[] = "x86_64", *text;
	struct summary summary;
	struct summary_source source;
	size_t size;

	for (size_t i = 0; i < FACTS; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!words[i])
			fail_blocks("a line is too short");
	}
	snprintf(boot, sizeof(boot), "boot-%s", words[3]);
	source = (struct summary_source){ .host = words[0],
					  .boot = boot,
					  .run = parse_number(words[3]) * NSEC_PER_SEC,
					  .first = parse_number(words[4]),
					  .last = parse_number(words[4]) };
	if (summary_init(&summary) || summary_add_source(&summary, &source) ||
	    summary_set_host(&summary, &(struct summary_host){ .kernel = words[2],
							       .arch = arch,
							       .role = words[1],
							       .cpus = 2,
							       .memory = 1ULL << 32 }))
		fail_blocks("no memory");
	summary.begin = parse_number(words[5]) * NSEC_PER_SEC;
	summary.end = summary.live_at = parse_number(words[6]) * NSEC_PER_SEC;
	summary.live_hosts = 1;
	summary.missing.recorded = parse_number(words[7]);
	summary.missing.lost = parse_number(words[8]);
	summary.missing.skipped = parse_number(words[9]);
	summary.missing.uncounted = parse_number(words[10]);
	summary.missing.sampling = parse_number(words[11]);
	while ((function = strtok_r(NULL, " ", &save)))
		add_block_row(&summary, function, &save);
	summary_sort(&summary);
	if (summary_write_text(&summary, &text, &size))
		fail_blocks("no memory");
	fwrite(text, 1, size, stdout);
	free(text);
	summary_deinit(&summary);
}

int main(void)
{
	char line[4096];

	fputs(SUMMARY_FILE_HEADER, stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		print_block(line);
	}
	return fclose(stdout) ? 2 : 0;
}
