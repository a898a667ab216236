// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same program is started again, with the privileges of the first one: so the full capture has
 * its own programs and rings, and takes nothing from the profile.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/worker.h"
#include "tracer/pieces/trigger_process.h"

__attribute__((noreturn)) static void execute_kmemtraced(const char *path, const char *duration,
							 const struct saved_process_state *saved)
{
	process_state_restore(saved);
	worker_default_signals();
	/* only the first kmemtraced notifies systemd */
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	execl("/proc/self/exe", "kmemtraced", "-q", "-z", "-o", path, "-d", duration, (char *)NULL);
	_exit(127);
}

int trigger_record_full(const char *path, const char *duration,
			const struct saved_process_state *saved, char *name, size_t size,
			int *status)
{
	char stamp[40];
	time_t now = time(NULL);
	struct tm utc;
	pid_t child;

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
	snprintf(name, size, "%s.full.%s", path, stamp);
	child = fork();
	if (!child)
		execute_kmemtraced(name, duration, saved);
	if (child < 0)
		return -errno;
	*status = worker_wait(child);
	return 0;
}
