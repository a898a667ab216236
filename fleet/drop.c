// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Drops old days. An age counts from now, not from the newest interval: a host whose clock is in
 * the future must not make the store drop all.
 */
#include "config.h"

#include <string.h>
#include <time.h>

#include "cli/message.h"
#include "fleet/drop.h"
#include "fleet/scope.h"

int drop_days(struct store *store, const struct fleet_options *options)
{
	uint64_t now = (uint64_t)time(NULL) * NSEC_PER_SEC, ns = options->drop_before.ns;
	char date[DATE_SIZE];

	if (options->drop_before.is_age)
		ns = now > ns ? now - ns : 0;
	ns -= ns % (24 * NSEC_PER_HOUR);
	if (store->ops->drop(store, ns))
		return error_msg("%s", store->errmsg);
	if (!options->quiet)
		info_msg("%s: the days before %.*s are dropped", store->location,
			 (int)strlen("2026-11-23"), date_text(ns, date));
	return EXIT_OK;
}
