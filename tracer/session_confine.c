// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Knows which capabilities and directories the work of each thread needs. */
#include "config.h"

#include <linux/capability.h>
#include <unistd.h>

#include "cli/message.h"
#include "tracer/session.h"

#define BIT(capability) (1ULL << (capability))

static int fail_confinement(struct session *session, int err)
{
	return error_set_at(&session->error, err, "privileges cannot be given up");
}

/* /proc/slabinfo and the sections of modules are for root, or need this capability. */
static uint64_t to_read(void)
{
	return geteuid() ? BIT(CAP_DAC_READ_SEARCH) : 0;
}

int session_confine_prepare(struct session *session)
{
	const struct directory *directory = &session->pieces.present.directory;
	int err;

	confinement_open(&session->confinement);
	err = confinement_allow_reading(&session->confinement, "/proc");
	if (!err)
		err = confinement_allow_reading(&session->confinement, "/sys");
	/* it can be mounted for this process only */
	if (!err && session->figures.debugfs >= 0)
		err = confinement_allow(&session->confinement, session->figures.debugfs,
					CONFINE_READ);
	if (!err && session->options->rotation.enabled)
		err = confinement_allow(&session->confinement, session->pieces.set.fd, CONFINE_SET);
	else if (!err)
		err = confinement_allow(&session->confinement, directory->fd, CONFINE_WRITE);
	/* the temporary directory is removed at the end */
	if (!err && options_is_temporary(session->options))
		err = confinement_allow(&session->confinement, directory->parent, CONFINE_REMOVE);
	/* so is the file for --status, which is not opened again */
	if (!err && session->service.status_file.directory >= 0)
		err = confinement_allow(&session->confinement,
					session->service.status_file.directory, CONFINE_RENAME);
	/* the configuration file, when it is read again */
	if (!err && session->options->config.is_open)
		err = confinement_allow(&session->confinement, session->options->config.directory,
					CONFINE_READ);
	return err ? fail_confinement(session, err) : 0;
}

int session_confine_modules(void *data)
{
	const struct session *session = data;

	return confine_thread(&session->confinement, BIT(CAP_SYSLOG) | to_read());
}

int session_confine_publish(void *data)
{
	struct session *session = data;
	uint64_t capabilities = to_read();
	struct online_place place;
	int err = 0;

	for (int i = 0; i < ONLINE_COUNTER_IDS && !err; i++) {
		if (!online_counters[i]->find_place ||
		    !online_counters[i]->find_place(&session->publish, &place))
			continue;
		capabilities |= place.capabilities;
		err = confinement_allow(&session->confinement, place.directory, place.use);
	}
	return err ? err : confine_thread(&session->confinement, capabilities);
}

static void say_what_is_missing(const struct confinement *confinement)
{
	if (confinement->no_seccomp[0])
		info_msg("system calls are not restricted: %s", confinement->no_seccomp);
	if (confinement->no_landlock[0])
		info_msg("files are not restricted: %s", confinement->no_landlock);
}

int session_confine(struct session *session)
{
	const struct confine_calls calls = {
		.command = session->command.pid,
		.keeper = session->pieces.keeper.worker.pid,
		/* names are then requested while events come; CPUs may come online */
		.metrics = session->options->metrics.path,
		.perf_events = session->plan.missing_features.btf || session->options->has_probes,
	};
	/* the addresses of modules are read at once, while they are loaded */
	uint64_t capabilities = BIT(CAP_BPF) | BIT(CAP_SYSLOG) | to_read();
	int err;

	if (calls.perf_events)
		capabilities |= BIT(CAP_PERFMON);
	/* the command may run as another user */
	if (calls.command)
		capabilities |= BIT(CAP_KILL);
	err = confine_thread(&session->confinement, capabilities);
	if (err)
		return fail_confinement(session, err);
	confine_calls(&session->confinement, &calls);
	if (session->options->verbose)
		say_what_is_missing(&session->confinement);
	return 0;
}
