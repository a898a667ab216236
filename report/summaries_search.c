// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks at the first levels only: a user may name any directory. */
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/text.h"
#include "fleet/summary/summary_file.h"
#include "report/summaries_search.h"

#define DEPTH 3

bool summaries_search_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUMMARY_FILE_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUMMARY_FILE_SUFFIX);
}

static bool search_directory(const char *path, unsigned int depth)
{
	DIR *directory = opendir(path);
	bool found = false;
	struct dirent *entry;

	while (directory && !found && (entry = readdir(directory))) {
		__attribute__((cleanup(free_text))) char *name = NULL;
		struct stat status;

		if (*entry->d_name == '.')
			continue;
		name = join_path(path, entry->d_name);
		if (!name || lstat(name, &status))
			continue;
		if (S_ISREG(status.st_mode))
			found = summaries_search_name(name);
		else if (S_ISDIR(status.st_mode) && depth < DEPTH)
			found = search_directory(name, depth + 1);
	}
	if (directory)
		closedir(directory);
	return found;
}

bool summaries_search(const char *directory)
{
	return search_directory(directory, 1);
}
