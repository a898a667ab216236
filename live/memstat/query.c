// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A query of any source: begins and ends the update, and keeps the error on the list. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "live/memstat/internal.h"

/* Sets the message for a source that returned -errno without update_fail(). */
static void explain_error(struct update *update, int err)
{
	struct failure *failure = &update->failure;

	if (failure->err && !update->cut)
		return;
	failure->err = err;
	failure->error = error_of(err);
	switch (err) {
	case EBADMSG:
	case EEXIST:
	case EINVAL:
		snprintf(failure->errmsg, sizeof(failure->errmsg),
			 "the counters are inconsistent: the data is damaged or incomplete");
		break;
	default:
		errno = err;
		snprintf(failure->errmsg, sizeof(failure->errmsg), "%m");
	}
}

int query(struct memory_type_list *list, unsigned int allocators, source_read *read, void *handle)
{
	int saved = errno, err;
	struct update update;

	if (!list) {
		errno = EINVAL;
		return -1;
	}
	update_begin(&update, list, allocators);
	err = -read(&update, handle);
	free(update.percpu);
	if (update.err)
		err = update.err;
	if (err) {
		update_abandon(&update);
		explain_error(&update, err);
		return list_fail(list, &update.failure);
	}
	update_commit(&update);
	if (update.cut)
		return list_fail(list, &update.failure);
	errno = saved;
	return 0;
}

int query_flags(struct memory_type_list *list, int flags, unsigned int allocators,
		source_read *read, void *handle)
{
	struct failure failure = { .error = MEMSTAT_ERROR_DATAERROR, .err = EINVAL };

	if (!flags || !list)
		return query(list, allocators, read, handle);
	snprintf(failure.errmsg, sizeof(failure.errmsg), "flags 0x%x: no flags are defined: give 0",
		 (unsigned int)flags);
	return list_fail(list, &failure);
}
