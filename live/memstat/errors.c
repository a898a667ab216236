// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The errors of the library: their texts, and the failure that a list keeps. */
#include "config.h"

#include <errno.h>

#include "live/memstat/internal.h"

const char *memstat_strerror(int error)
{
	static const char *const texts[] = {
		[MEMSTAT_ERROR_UNDEFINED] = "Unknown error",
		[MEMSTAT_ERROR_NOMEMORY] = "Cannot allocate memory",
		[MEMSTAT_ERROR_VERSION] = "Version mismatch",
		[MEMSTAT_ERROR_PERMISSION] = "Permission denied",
		[MEMSTAT_ERROR_TOOMANYCPUS] = "Too many CPUs",
		[MEMSTAT_ERROR_DATAERROR] = "Data format error",
		[MEMSTAT_ERROR_KVM] = "KVM error",
		[MEMSTAT_ERROR_KVM_NOSYMBOL] = "KVM unable to find symbol",
		[MEMSTAT_ERROR_KVM_SHORTREAD] = "KVM short read",
	};

	if (error < 0 || error >= (int)(sizeof(texts) / sizeof(*texts)))
		error = MEMSTAT_ERROR_UNDEFINED;
	return texts[error];
}

int error_of(int err)
{
	switch (err) {
	case ENOMEM:
		return MEMSTAT_ERROR_NOMEMORY;
	case EACCES:
	case EPERM:
		return MEMSTAT_ERROR_PERMISSION;
	case EPROTONOSUPPORT:
		return MEMSTAT_ERROR_VERSION;
	default:
		return MEMSTAT_ERROR_DATAERROR;
	}
}

int list_fail(struct memory_type_list *list, const struct failure *failure)
{
	list->failure = *failure;
	errno = failure->err;
	return -1;
}
