// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints how many records are of no process that is named: foreign DIR TGID …. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/capture.h"
#include "trace/order.h"

int main(int argc, char **argv)
{
	const struct event *events;
	struct capture capture;
	struct order *order;
	uint64_t foreign = 0;
	int got;

	if (argc < 3 || capture_open(&capture, argv[1]) || order_open(&order, &capture, 1, 0))
		return 2;
	while ((got = order_next(order, &events)) > 0)
		for (int i = 0; i < got; i++) {
			const struct task *task =
				tasks_find(&capture.tasks, events[i].task, events[i].time);
			bool named = false;

			for (int k = 2; k < argc && task; k++)
				named |= task->tgid == strtoul(argv[k], NULL, 10);
			foreign += !named;
		}
	order_close(order);
	capture_close(&capture);
	printf("%" PRIu64 "\n", foreign);
	return got ? 2 : 0;
}
