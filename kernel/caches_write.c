// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the lines of slab caches. */
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "kernel/caches.h"

int caches_write_cache(FILE *file, const struct cache *cache)
{
	fprintf(file, "cache 0x%" PRIx64 " %" PRIu64 " %" PRIu32 " %" PRIu32 " ", cache->address,
		cache->since, cache->object_size, cache->size);
	text_write_word(file, cache->name);
	if (cache->accounting && *cache->name)
		fputs(cache->accounting == CACHE_ACCOUNTED ? " accounted" : " unaccounted", file);
	putc('\n', file);
	return text_write_result(file);
}

int caches_write_gone(FILE *file, uint64_t address, uint64_t until)
{
	fprintf(file, "gone 0x%" PRIx64 " %" PRIu64 "\n", address, until);
	return text_write_result(file);
}

int caches_write_alias(FILE *file, const char *name, const char *others)
{
	fputs("alias ", file);
	text_write_word(file, name);
	putc(' ', file);
	text_write_word(file, others);
	putc('\n', file);
	return text_write_result(file);
}

int caches_write_kmalloc(FILE *file, const struct kmalloc_name *kmalloc)
{
	fputs("kmalloc ", file);
	text_write_word(file, kmalloc->text);
	if (kmalloc->size)
		fprintf(file, " %" PRIu32 " %" PRIu32, kmalloc->object_size, kmalloc->size);
	putc('\n', file);
	return text_write_result(file);
}

int caches_write_reclaim(FILE *file, const struct cache_reclaim_account *account)
{
	if (account->reclaim == CACHE_RECLAIM_UNKNOWN)
		return 0;
	fputs("reclaim_account ", file);
	text_write_word(file, account->name);
	fputs(account->reclaim == CACHE_RECLAIMABLE ? " 1\n" : " 0\n", file);
	return text_write_result(file);
}

int caches_write_debug(FILE *file, const struct cache_debug *debug)
{
	fputs("debug ", file);
	text_write_word(file, debug->name);
	fprintf(file, " %" PRIu32 " ", debug->bytes);
	text_write_word(file, debug->flags);
	putc('\n', file);
	return text_write_result(file);
}
