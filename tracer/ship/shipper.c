// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtraced's side: a socket, on which neither side ever waits. */
#include "config.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "base/utc.h"
#include "base/worker.h"
#include "cli/message.h"
#include "fleet/summary/summary_file.h"
#include "live/stats/trusted_directory.h"
#include "tracer/ship/shipper.h"
#include "tracer/ship/shipper_work.h"

#define PROGRAM "kmemtrace-ship"
#define USER_DEFAULT "65534" /* a user who owns no file, on all systems */
#define STATE "ship"	     /* a directory beside the files */
#define PAUSE_NS 5000000
#define END_PAUSES 1800 /* 9 s */

static int find_user(struct shipper_work *work, struct error *error)
{
	const char *name = work->settings->options->user;
	const struct passwd *user;
	uint64_t number;

	if (geteuid() && name)
		return error_format(error, -EPERM,
				    "--ship-user: only root can become another user");
	if (geteuid())
		return 0;
	work->changes_user = true;
	name = name ? name : USER_DEFAULT;
	user = getpwnam(name);
	if (user) {
		work->user = user->pw_uid;
		work->group = user->pw_gid;
	} else if (number_in_range(name, 1, INT32_MAX, &number)) {
		work->user = (uid_t)number;
		work->group = (gid_t)number;
	} else {
		return error_format(error, -ENOENT, "--ship-user %s: there is no such user", name);
	}
	if (!work->user)
		return error_format(error, -EPERM,
				    "--ship-user %s: sending summaries needs no privilege", name);
	if (!capng_get_caps_process() && capng_have_capability(CAPNG_EFFECTIVE, CAP_SETUID) &&
	    capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID))
		return 0;
	return error_format(
		error, -EPERM,
		"--ship-to: kmemtraced is root without CAP_SETUID and CAP_SETGID, and " PROGRAM
		" may not be root: see kmemtraced(8), \"Sending them\"");
}

/* Beside this program, as when it is built, or where it is installed. */
static int find_program(struct shipper_work *work, struct error *error)
{
	static const char *const places[] = { "/" PROGRAM, "/../bin/" PROGRAM };
	char directory[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
	char *slash;

	directory[length < 0 ? 0 : length] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct stat about;

		if ((size_t)snprintf(work->path, sizeof(work->path), "%s%s", directory,
				     places[i]) >= sizeof(work->path))
			continue;
		work->program = open(work->path, O_PATH | O_CLOEXEC);
		if (work->program >= 0 && !fstat(work->program, &about) && S_ISREG(about.st_mode))
			return 0;
		close_fd(&work->program);
		work->program = -1;
	}
	return error_format(
		error, -ENOENT,
		"--ship-to: " PROGRAM
		" is not installed: this build of kmemtrace has none (no libcurl), or it is in another package");
}

/*
 * Opens the directory as a path only: root without CAP_DAC_OVERRIDE may not read it. 0 or -errno.
 */
static int take_state(struct shipper_work *work)
{
	struct stat about;
	int err = inside_make_directory(work->directory, STATE, 0700);

	if (err && err != -EEXIST)
		return err;
	work->state = openat(work->directory, STATE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (work->state < 0 || fstat(work->state, &about))
		return -errno;
	if (!work->changes_user || (about.st_uid == work->user && about.st_gid == work->group))
		return 0;
	return fchownat(work->state, "", work->user, work->group, AT_EMPTY_PATH) ? -errno : 0;
}

/* Its owner is the user, who can write nothing else. */
static int open_state(struct shipper_work *work, struct error *error)
{
	int err = take_state(work);

	return err ? error_format(error, err, "--ship-to: %s/" STATE ": %s",
				  work->settings->directory, strerror(-err))
		   : 0;
}

static int open_directory(struct shipper_work *work, struct error *error)
{
	__attribute__((cleanup(free_text))) char *path = NULL;

	if (asprintf(&path, "%s/*" SUMMARY_FILE_SUFFIX, work->settings->directory) < 0) {
		path = NULL;
		return error_set_at(error, -ENOMEM, "--ship-to");
	}
	work->directory = trusted_directory_open(path, error);
	return work->directory < 0 ? work->directory : 0;
}

static int prepare_work(struct shipper_work *work, struct error *error)
{
	const struct ship_options *options = work->settings->options;
	char text[SHIPPER_CREDENTIALS_MAX];
	int err = find_program(work, error);

	if (!err)
		err = find_user(work, error);
	if (!err)
		err = shipper_credentials(options, text, sizeof(text), error);
	explicit_bzero(text, sizeof(text));
	if (!err && options->ca) {
		work->ca = absolute_path(options->ca);
		err = work->ca ? 0 : error_set_at(error, -ENOMEM, "--ship-ca");
	}
	if (!err && options->ca && access(options->ca, R_OK))
		err = error_format(error, -errno, "--ship-ca: %s: %s", options->ca,
				   strerror(errno));
	if (!err)
		err = open_directory(work, error);
	return err ? err : open_state(work, error);
}

static int start_process(struct shipper *shipper, struct shipper_work *work, struct error *error)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets))
		return error_set_at(error, -errno, "--ship-to");
	shipper->pid = fork();
	if (!shipper->pid) {
		work->requests = sockets[1];
		_exit(shipper_work(work));
	}
	close(sockets[1]);
	shipper->socket = sockets[0];
	if (shipper->pid > 0)
		return 0;
	shipper->pid = 0;
	return error_set_at(error, -errno, "--ship-to");
}

int shipper_start(struct shipper *shipper, const struct shipper_settings *settings,
		  struct error *error)
{
	struct shipper_work work = {
		.settings = settings, .requests = -1, .directory = -1, .state = -1, .program = -1
	};
	int err;

	*shipper = (struct shipper){ .socket = -1 };
	err = prepare_work(&work, error);
	if (!err)
		err = start_process(shipper, &work, error);
	close_fd(&work.directory);
	close_fd(&work.state);
	close_fd(&work.program);
	free(work.ca);
	return err;
}

static void send_request(struct shipper *shipper, enum shipper_request what)
{
	const char byte = (char)what;

	/* the process has ended, and the report says so */
	if (shipper->socket >= 0 && write(shipper->socket, &byte, 1) != 1)
		errno = 0;
}

void shipper_go(struct shipper *shipper)
{
	send_request(shipper, SHIPPER_GO);
}

void shipper_restart(struct shipper *shipper)
{
	send_request(shipper, SHIPPER_RESTART);
}

static void note_end(struct shipper *shipper, int status)
{
	char text[100];

	shipper->pid = 0;
	if (shipper->is_ending)
		return;
	shipper->report.failing_since = utc_now();
	snprintf(shipper->report.failure, sizeof(shipper->report.failure),
		 "the process that starts " PROGRAM ": %s: restart kmemtraced",
		 worker_end_text(status, text, sizeof(text)));
	error_msg("--ship-to: %s: kmemtraced goes on", shipper->report.failure);
}

void shipper_step(struct shipper *shipper)
{
	bool has_ended;
	int status;

	if (shipper->socket < 0)
		return;
	/* before the reports: then the last one is among them */
	has_ended = shipper->pid && waitpid(shipper->pid, &status, WNOHANG) == shipper->pid;
	while (shipper_report_receive(&shipper->report, shipper->socket))
		;
	if (has_ended)
		note_end(shipper, status);
}

bool shipper_end(struct shipper *shipper)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (!shipper->pid)
		return true;
	shipper->is_ending = true;
	send_request(shipper, SHIPPER_END);
	for (int i = 0; i < END_PAUSES && shipper->pid; i++) {
		nanosleep(&pause, NULL);
		shipper_step(shipper);
	}
	return !shipper->pid;
}

void shipper_close(struct shipper *shipper)
{
	if (shipper->socket >= 0)
		close(shipper->socket);
	shipper->socket = -1;
}
