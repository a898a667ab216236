// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the details once a second. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracer/load/machine.h"
#include "tracer/publish_details.h"

#define WRITE_EVERY 1000000000ULL /* ns */
#define WRITE_EARLY 50000000ULL	  /* a watermark may come a bit earlier than in this time */

int publish_details_start(struct publish_details *details,
			  const struct publish_details_settings *settings, int directory,
			  char *errmsg, size_t errmsg_size)
{
	const char *path = settings->path;
	const char *slash = strrchr(path, '/');
	char *name;
	int err;

	if (asprintf(&name, "%s" DETAILS_FILE_SUFFIX, slash ? slash + 1 : path) < 0)
		name = NULL;
	if (!name)
		err = -ENOMEM;
	else if (settings->enabled)
		err = details_file_create(&details->file, directory, name, settings->group);
	else
		err = details_file_remove_earlier(directory, name);
	free(name);
	if (err == -EEXIST && !settings->enabled)
		return 0;
	if (err)
		snprintf(
			errmsg, errmsg_size, "%s" DETAILS_FILE_SUFFIX ": %s", path,
			err == -EEXIST
				? "exists and is not of kmemtraced, and is not replaced: remove it, or choose another path"
				: strerror(-err));
	return err;
}

static int write_text(struct publish_details *details, const struct analysis *analysis,
		      const struct details_moment *moment)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int err, failed;

	if (!file)
		return -ENOMEM;
	err = details_write(&details->details, analysis, moment, file);
	failed = text_close(file, &text);
	if (!err)
		err = failed;
	if (!err)
		__atomic_store_n(&details->err, details_file_write(details->file, text, size),
				 __ATOMIC_RELEASE);
	free(text);
	return err;
}

int publish_details_step(struct publish_details *details, const struct analysis *analysis,
			 const struct details_moment *moment)
{
	uint64_t now = machine_now();
	int err;

	if (!details->file ||
	    (details->written && now - details->written < WRITE_EVERY - WRITE_EARLY))
		return 0;
	details->written = now;
	err = details_flush(&details->details, moment->time);
	if (!err)
		err = details_scan_live(&details->details, analysis, now);
	return err ? err : write_text(details, analysis, moment);
}

bool publish_details_failed(struct publish_details *details, const char *path, char *errmsg,
			    size_t errmsg_size)
{
	int err = __atomic_load_n(&details->err, __ATOMIC_ACQUIRE);

	if (err == details->reported)
		return false;
	details->reported = err;
	snprintf(
		errmsg, errmsg_size,
		"%s" DETAILS_FILE_SUFFIX
		": cannot be written: %s: kmemtrace-top shows no new figures by site, task or stack",
		path, strerror(-err));
	return err;
}

int publish_details_end(struct publish_details *details)
{
	int err = details_file_remove(details->file);

	details->file = NULL;
	return err;
}

void publish_details_close(struct publish_details *details)
{
	details_file_remove(details->file);
	details->file = NULL;
	details_deinit(&details->details);
}
