// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Damage is reported when the rows are read. */
#include "config.h"

#include <errno.h>
#include <sys/param.h>

#include "cli/message.h"
#include "fleet/summary/summary_file.h"
#include "report/summaries/window.h"

/* The times of the whole file. */
static int find_times(struct summaries_window *window, const char *path)
{
	struct summary_reader reader;
	struct summary_head head;
	int more, err = summary_reader_open(&reader, path);

	window->begin = UINT64_MAX;
	while (!err && (more = summary_reader_skip(&reader, &head))) {
		if (more == -EBADMSG)
			continue;
		if (more < 0)
			err = more;
		else
			window->begin = MIN(window->begin, head.begin);
		if (more > 0)
			window->end = MAX(window->end, head.end);
	}
	if (err)
		error_msg("%s", reader.errmsg);
	summary_reader_close(&reader);
	return err;
}

static uint64_t find_later_time(uint64_t begin, uint64_t time)
{
	return time > UINT64_MAX - begin ? UINT64_MAX : begin + time;
}

int summaries_window_init(struct summaries_window *window, const struct select *select,
			  const char *path)
{
	int err;

	*window = (struct summaries_window){ .is_open = true, .before = UINT64_MAX };
	if (!select || (!select->after && !select->before && !select->at_begin))
		return 0;
	window->is_open = false;
	err = find_times(window, path);
	if (err)
		return err;
	window->after = select->after_is_date ? select->after
					      : find_later_time(window->begin, select->after);
	if (select->before || select->at_begin)
		window->before = select->before_is_date
					 ? select->before
					 : find_later_time(window->begin, select->before);
	return 0;
}

enum window_place summaries_window_find(const struct summaries_window *window,
					const struct summary *summary)
{
	if (window->is_open)
		return WINDOW_INSIDE;
	if (summary->end > window->before)
		return WINDOW_AFTER;
	return summary->begin < window->after ? WINDOW_BEFORE : WINDOW_INSIDE;
}
