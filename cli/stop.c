// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A handler that only stores the number of the signal. */
#include "config.h"

#include <stddef.h>

#include "cli/stop.h"

static const int numbers[STOP_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

static volatile sig_atomic_t stop;

static void request_stop(int number)
{
	stop = number;
}

int stop_signal(void)
{
	return stop;
}

void stop_handle_signals(struct saved_signals *saved)
{
	for (size_t i = 0; i < STOP_SIGNALS; i++) {
		int number = numbers[i];
		struct sigaction action = { .sa_handler = request_stop }, before;

		if (number == SIGPIPE || number == SIGXFSZ)
			action.sa_handler = SIG_IGN;
		sigaction(number, NULL, &before);
		if (saved)
			saved->actions[i] = before;
		/*
		 * An ignored SIGHUP means nohup. An ignored SIGINT means only that a shell started
		 * the program in the background: kill -INT must stop it.
		 */
		if (number == SIGHUP && before.sa_handler == SIG_IGN)
			continue;
		sigaction(number, &action, NULL);
	}
}

void stop_restore_signals(const struct saved_signals *saved)
{
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaction(numbers[i], &saved->actions[i], NULL);
}
