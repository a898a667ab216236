// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The recorded kernel's symbols, from a file that its user has. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "import/import_target.h"
#include "base/number.h"
#include "kernel/symbols.h"

#define LINE_BYTES 1024 /* Linux allows names of 512 */

/* Readers take the lines as they are, but one of a zero address says that all were hidden. */
static int copy_symbols(struct import_target *target, const char *path, gzFile file,
			uint64_t *hidden)
{
	char line[LINE_BYTES];
	bool rest = false;
	int code;

	while (gzgets(file, line, sizeof(line))) {
		bool whole = strchr(line, '\n') != NULL || gzeof(file);
		const char *at = line;
		uint64_t address = 0;

		if (!rest && whole && symbols_is_code(line)) {
			number_parse(&at, 16, &address);
			line[strcspn(line, "\n")] = '\0';
			*hidden += !address;
			if (address && gzprintf(target->symbols, "%s\n", line) <= 0)
				return target_fail(target, EIO,
						   "kernel/symbols: cannot be written");
			target->has_symbols |= address != 0;
		}
		rest = !whole;
	}
	gzerror(file, &code);
	if (code == Z_ERRNO)
		return target_fail(target, errno, "%s: %s", path, strerror(errno));
	if (code != Z_OK && code != Z_STREAM_END)
		return target_fail(target, EINVAL, "%s: is damaged or cut off: copy it anew", path);
	return 0;
}

int target_symbols(struct import_target *target, const char *path)
{
	bool had_symbols = target->has_symbols;
	uint64_t hidden = 0;
	gzFile file;
	int err;

	errno = 0;
	file = gzopen(path, "rbe");
	if (!file)
		return target_fail(target, errno ? errno : ENOMEM, "%s: %s", path,
				   strerror(errno ? errno : ENOMEM));
	target->has_symbols = false;
	err = copy_symbols(target, path, file, &hidden);
	gzclose(file);
	if (!err && !target->has_symbols)
		err = target_fail(
			target, ENODATA,
			hidden ? "%s: all its addresses are 0: the kernel hides them from "
				 "who is not root: copy it as root"
			       : "%s: holds no symbols: System.map or a copy of "
				 "/proc/kallsyms is wanted",
			path);
	target->has_symbols |= had_symbols;
	return err;
}
