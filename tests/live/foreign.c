// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints how many records are of other processes than the named ones: foreign DIR TGID …. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "capture/merge.h"

int main(int argc, char **argv)
{
	const struct event *events;
	struct capture capture;
	struct merge *merge;
	uint64_t foreign = 0;
	int got;

	if (argc < 3 || capture_open(&capture, argv[1]) || merge_open(&merge, &capture, 1, 0))
		return 2;
	while ((got = merge_next(merge, &events)) > 0)
		for (int i = 0; i < got; i++) {
			const struct task *task =
				tasks_find(&capture.tasks, events[i].task, events[i].time);
			bool named = false;

			for (int k = 2; k < argc && task; k++)
				named |= task->tgid == strtoul(argv[k], NULL, 10);
			foreign += !named;
		}
	merge_close(merge);
	capture_close(&capture);
	printf("%" PRIu64 "\n", foreign);
	return got ? 2 : 0;
}
