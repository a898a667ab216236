// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Drops old days, or hosts. An age counts from now, not from the newest interval: a host whose
 * clock is in the future must not make the store drop all.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/message.h"
#include "fleet/drop.h"
#include "fleet/names.h"
#include "fleet/scope.h"

static int drop_days(struct store *store, const struct fleet_options *options)
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

static int drop_hosts(struct store *store, const struct fleet_options *options)
{
	struct scope scope;
	char *where = NULL;
	size_t size;
	FILE *sql;
	int err = scope_init(&scope, store, options);

	if (!err)
		err = names_check(&scope);
	if (!err) {
		sql = text_open(&where, &size);
		if (sql)
			scope_where(&scope, sql, NULL);
		err = sql ? text_close(sql, &where) : -ENOMEM;
	}
	if (!err)
		err = store->ops->drop_hosts(store, where);
	free(where);
	if (err)
		return error_msg("%s", *store->errmsg ? store->errmsg : strerror(-err));
	if (!options->quiet)
		info_msg("%s: all rows of %s are dropped", store->location, options->hosts);
	return EXIT_OK;
}

int drop_rows(struct store *store, const struct fleet_options *options)
{
	return options->hosts ? drop_hosts(store, options) : drop_days(store, options);
}
