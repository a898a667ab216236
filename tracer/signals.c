// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Handlers that only note which signal came. */
#include "config.h"

#include <stddef.h>

#include "tracer/signals.h"

static const int numbers[SIGNALS_COUNT] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

static volatile sig_atomic_t stop;

static void take_signal(int number)
{
	stop = number;
}

int signals_stop(void)
{
	return stop;
}

void signals_set(struct signals *signals)
{
	struct sigaction action = { .sa_handler = take_signal };

	for (size_t i = 0; i < SIGNALS_COUNT; i++) {
		int number = numbers[i];

		/* a shell's background job ignores SIGINT: kill -INT is meant all the same; nohup
		 * means what it says
		 */
		action.sa_handler = number == SIGPIPE || number == SIGXFSZ ? SIG_IGN : take_signal;
		sigaction(number, NULL, &signals->before[i]);
		if (number == SIGHUP && signals->before[i].sa_handler == SIG_IGN)
			continue;
		sigaction(number, &action, NULL);
	}
}

void signals_restore(const struct signals *signals)
{
	for (size_t i = 0; i < SIGNALS_COUNT; i++)
		sigaction(numbers[i], &signals->before[i], NULL);
}
