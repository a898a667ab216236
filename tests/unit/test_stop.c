// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every signal that would end a program asks it to stop, unless the caller ignores it. */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "cli/stop.h"

/* The default actions of the kernel on signals, as signal(7) has them. */
static bool ends_by_default(int number)
{
	const struct rlimit no_core = { 0 };
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(number, SIG_DFL); /* a shell ignores some of them in the background */
		raise(number);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	if (WIFSTOPPED(status)) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return WIFSIGNALED(status);
}

static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* The stop signal after this signal, in a child; 0: none. */
static int stop_after(int number, bool ignored)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(number, ignored ? SIG_IGN : SIG_DFL);
		stop_handle_signals(NULL);
		raise(number);
		_exit(stop_signal());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_signals(void **state)
{
	unsigned int stops = 0;

	(void)state;
	for (int number = 1; number <= SIGRTMAX; number++) {
		/* two of them belong to the C library */
		if (number == SIGKILL || (number > SIGSYS && number < SIGRTMIN) ||
		    is_fault(number) || !ends_by_default(number))
			continue;
		if (number == SIGPIPE || number == SIGXFSZ) {
			assert_int_equal(stop_after(number, false), 0);
			continue;
		}
		assert_int_equal(stop_after(number, false), number);
		assert_int_equal(stop_after(number, true),
				 number == SIGINT || number == SIGTERM ? number : 0);
		stops++;
	}
	assert_int_equal(stops, 13 + SIGRTMAX - SIGRTMIN + 1);
}

static void test_names(void **state)
{
	char name[20];

	(void)state;
	stop_handle_signals(NULL);
	raise(SIGUSR1);
	assert_string_equal(stop_signal_name(name, sizeof(name)), "SIGUSR1");
	raise(SIGRTMIN + 2);
	assert_string_equal(stop_signal_name(name, sizeof(name)), "SIGRTMIN+2");
}

static void test_restores(void **state)
{
	struct saved_signals saved;
	struct sigaction action;

	(void)state;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	stop_handle_signals(&saved);
	stop_restore_signals(&saved);
	sigaction(SIGUSR1, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_IGN);
	sigaction(SIGUSR2, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	sigaction(SIGPIPE, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
}

/* In a child, as the state stays. */
static void request_ends_nothing(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		bool wrong;

		stop_handle_signals(NULL);
		stop_make_request(SIGHUP);
		wrong = stop_take_request(SIGHUP);
		raise(SIGHUP);
		raise(SIGHUP);
		wrong |= stop_signal() || stop_take_request(SIGUSR2) || !stop_take_request(SIGHUP);
		wrong |= stop_take_request(SIGHUP);
		raise(SIGUSR2);
		wrong |= stop_signal() != SIGUSR2;
		_exit(wrong);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals),
		cmocka_unit_test(request_ends_nothing),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_restores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
