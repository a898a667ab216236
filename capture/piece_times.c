// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "capture/piece_times.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 4))) static bool state_fault(char *text, size_t size,
							      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, size, format, arguments);
	va_end(arguments);
	return true;
}

static bool status_has_fault(const struct status *status, char *text, size_t size)
{
	if (status->complete != STATUS_COMPLETE)
		return false;
	if (status->end < status->begin)
		return state_fault(text, size, "end %" PRIu64 " is before begin %" PRIu64,
				   status->end, status->begin);
	if (status->until && (status->until < status->begin || status->until > status->end))
		return state_fault(text, size,
				   "until %" PRIu64 " is not between begin %" PRIu64
				   " and end %" PRIu64,
				   status->until, status->begin, status->end);
	return false;
}

bool piece_has_fault_behind(const struct status *status, const struct status *before, char *text,
			    size_t size)
{
	if (before->complete == STATUS_COMPLETE && !before->until)
		return state_fault(text, size,
				   "the piece before does not say until when it has all events");
	if (before->until && status->begin && status->begin != before->until)
		return state_fault(text, size,
				   "begin %" PRIu64 " differs from until %" PRIu64
				   " of the piece before",
				   status->begin, before->until);
	return false;
}

bool piece_has_fault(const struct status *status, const struct checkpoint_state *checkpoint,
		     char *text, size_t size)
{
	if (status_has_fault(status, text, size))
		return true;
	if (!checkpoint->begin)
		return false;
	if (status->begin && checkpoint->begin != status->begin)
		return state_fault(text, size,
				   "begin %" PRIu64
				   " of checkpoint/state differs from begin %" PRIu64
				   " of kernel/status",
				   checkpoint->begin, status->begin);
	if (checkpoint->since > checkpoint->begin)
		return state_fault(text, size,
				   "since %" PRIu64
				   " of checkpoint/state is after its begin %" PRIu64,
				   checkpoint->since, checkpoint->begin);
	if (checkpoint->lost_after > checkpoint->lost_before ||
	    checkpoint->lost_before > checkpoint->begin)
		return state_fault(text, size,
				   "events of checkpoint/state were lost between %" PRIu64
				   " and %" PRIu64 ", but it begins at %" PRIu64,
				   checkpoint->lost_after, checkpoint->lost_before,
				   checkpoint->begin);
	return false;
}
