// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies the symbols of functions from a System.map or a copy of /proc/kallsyms. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/import_symbols.h"
#include "kernel/symbols.h"

#define LINE_BYTES 1024	   /* Linux allows names of 512 */
#define TEXT_MAX (1 << 26) /* bytes; kallsyms has 20 MB, and gzip can inflate a thousandfold */

/* A line with address 0 is left out: readers take it as a sign that all addresses are hidden. */
static int copy_symbols(struct import_target *target, const char *path, gzFile file,
			uint64_t *hidden)
{
	char line[LINE_BYTES];
	bool rest = false;
	int code;

	while (gzgets(file, line, sizeof(line)) && gztell(file) <= TEXT_MAX) {
		bool whole = strchr(line, '\n') != NULL || gzeof(file);
		const char *at = line;
		uint64_t address = 0;

		if (!rest && whole && symbols_is_code(line)) {
			number_parse(&at, 16, &address);
			line[strcspn(line, "\n")] = '\0';
			*hidden += !address;
			if (address && gzprintf(target->symbols, "%s\n", line) <= 0)
				return import_target_fail_symbols(target);
			target->has_symbols |= address != 0;
		}
		rest = !whole;
	}
	if (gztell(file) > TEXT_MAX)
		return error_format(
			&target->error, -EFBIG,
			"%s: has more than 64 MiB of text: it is not the symbols of a kernel",
			path);
	gzerror(file, &code);
	if (code == Z_ERRNO)
		return error_set_at(&target->error, -errno, path);
	if (code != Z_OK && code != Z_STREAM_END)
		return error_format(&target->error, -EINVAL,
				    "%s: is damaged or cut off: copy the file again", path);
	return 0;
}

int import_symbols_load(struct import_target *target, const char *path)
{
	bool had_symbols = target->has_symbols;
	uint64_t hidden = 0;
	gzFile file;
	int err;

	errno = 0;
	file = gzopen(path, "rbe");
	if (!file)
		return error_format(&target->error, errno ? -errno : -ENOMEM, "%s: %s", path,
				    strerror(errno ? errno : ENOMEM));
	target->has_symbols = false;
	err = copy_symbols(target, path, file, &hidden);
	gzclose(file);
	if (!err && !target->has_symbols)
		err = error_format(
			&target->error, -ENODATA,
			hidden ? "%s: all addresses are 0: the kernel hides them from other users: copy the file as root"
			       : "%s: holds no symbols: expected System.map or a copy of /proc/kallsyms",
			path);
	target->has_symbols |= had_symbols;
	return err;
}
