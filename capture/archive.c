// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The header that is before each file of a tar archive. */
#include "config.h"

#include <string.h>

#include "capture/archive.h"

_Static_assert(sizeof(struct archive_header) == ARCHIVE_BLOCK, "tar ABI");

/* The field of the checksum counts as spaces. */
unsigned int archive_checksum(const struct archive_header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	const size_t begin = offsetof(struct archive_header, checksum);
	unsigned int sum = sizeof(header->checksum) * ' ';

	for (size_t i = 0; i < sizeof(*header); i++)
		if (i < begin || i >= begin + sizeof(header->checksum))
			sum += bytes[i];
	return sum;
}

bool archive_has_magic(const void *bytes, size_t size)
{
	const struct archive_header *header = bytes;

	return size >= sizeof(*header) && !memcmp(header->magic, "ustar", 5);
}

bool archive_is_name(const char *path)
{
	size_t length = strlen(path), suffix = strlen(ARCHIVE_SUFFIX);

	return length > suffix && !strcmp(path + length - suffix, ARCHIVE_SUFFIX);
}
