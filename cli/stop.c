// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Handlers that only store the number of the signal, or that it came. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/stop.h"

static volatile sig_atomic_t stop, is_request[NSIG], requested[NSIG];

static void request_stop(int number)
{
	if (is_request[number])
		requested[number] = 1;
	else
		stop = number;
}

void stop_make_request(int number)
{
	is_request[number] = 1;
}

bool stop_take_request(int number)
{
	if (!requested[number])
		return false;
	requested[number] = 0;
	return true;
}

static bool is_ignored(int number)
{
	return number == SIGPIPE || number == SIGXFSZ;
}

static bool is_stop(int number)
{
	static const int numbers[] = { SIGINT,	SIGTERM,   SIGHUP,   SIGQUIT, SIGUSR1,
				       SIGUSR2, SIGALRM,   SIGIO,    SIGPWR,  SIGXCPU,
				       SIGPROF, SIGVTALRM, SIGSTKFLT };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number == numbers[i])
			return true;
	return number >= SIGRTMIN && number <= SIGRTMAX;
}

int stop_signal(void)
{
	return stop;
}

const char *stop_signal_name(char *buffer, size_t size)
{
	const char *name = sigabbrev_np(stop);

	if (name)
		snprintf(buffer, size, "SIG%s", name);
	else
		snprintf(buffer, size, "SIGRTMIN+%d", stop - SIGRTMIN);
	return buffer;
}

void stop_handle_signals(struct saved_signals *saved)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action = { .sa_handler = request_stop }, before;

		if (!is_ignored(number) && !is_stop(number))
			continue;
		if (is_ignored(number))
			action.sa_handler = SIG_IGN;
		sigaction(number, NULL, &before);
		if (saved)
			saved->actions[number] = before;
		/*
		 * An ignored SIGINT means only that a shell started the program in the background:
		 * kill -INT must stop it, and SIGTERM must always.
		 */
		if (before.sa_handler == SIG_IGN && number != SIGINT && number != SIGTERM)
			continue;
		sigaction(number, &action, NULL);
	}
}

void stop_restore_signals(const struct saved_signals *saved)
{
	for (int number = 1; number < NSIG; number++)
		if (is_ignored(number) || is_stop(number))
			sigaction(number, &saved->actions[number], NULL);
}
