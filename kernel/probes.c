// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the probes, and globs that choose some of them. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/probes.h"

const struct probe probes[PROBES] = {
	[PROBE_KMALLOC] = { "vm.kmalloc", false },
	[PROBE_KMALLOC_NODE] = { "vm.kmalloc_node", true },
	[PROBE_CACHE_ALLOC] = { "vm.kmem_cache_alloc", false },
	[PROBE_CACHE_ALLOC_NODE] = { "vm.kmem_cache_alloc_node", true },
	[PROBE_KFREE] = { "vm.kfree", false },
	[PROBE_CACHE_FREE] = { "vm.kmem_cache_free", false },
	[PROBE_BULK_ALLOC] = { "vm.bulk_alloc", false },
	[PROBE_BULK_FREE] = { "vm.bulk_free", false },
	[PROBE_REALLOC] = { "vm.krealloc", false },
	[PROBE_PAGE_FAULT] = { "vm.pagefault", false },
	[PROBE_PAGE_FAULT_RETURN] = { "vm.pagefault.return", false },
	[PROBE_WRITE_SHARED] = { "vm.write_shared", false },
	[PROBE_WRITE_SHARED_COPY] = { "vm.write_shared_copy", false },
	[PROBE_MMAP] = { "vm.mmap", false },
	[PROBE_MUNMAP] = { "vm.munmap", false },
	[PROBE_BRK] = { "vm.brk", false },
	[PROBE_OOM_KILL] = { "vm.oom_kill", false },
};

static const enum probe_id by_kind[KMT_ID_END] = {
	[KMT_KMALLOC] = PROBE_KMALLOC,
	[KMT_KFREE] = PROBE_KFREE,
	[KMT_CACHE_ALLOC] = PROBE_CACHE_ALLOC,
	[KMT_CACHE_FREE] = PROBE_CACHE_FREE,
	[KMT_BULK_ALLOC] = PROBE_BULK_ALLOC,
	[KMT_BULK_FREE] = PROBE_BULK_FREE,
	[KMT_REALLOC] = PROBE_REALLOC,
	[KMT_BACKUP_KFREE] = PROBE_KFREE,
	[KMT_BACKUP_CACHE_FREE] = PROBE_CACHE_FREE,
	[KMT_ANONYMOUS_ALLOC] = PROBE_CACHE_ALLOC,
	[KMT_PAGE_FAULT] = PROBE_PAGE_FAULT,
	[KMT_PAGE_FAULT_RETURN] = PROBE_PAGE_FAULT_RETURN,
	[KMT_WRITE_SHARED] = PROBE_WRITE_SHARED,
	[KMT_WRITE_SHARED_COPY] = PROBE_WRITE_SHARED_COPY,
	[KMT_MMAP] = PROBE_MMAP,
	[KMT_MUNMAP] = PROBE_MUNMAP,
	[KMT_BRK] = PROBE_BRK,
	[KMT_OOM_KILL] = PROBE_OOM_KILL,
};

const char *probe_name(size_t index)
{
	return index < PROBES ? probes[index].name : NULL;
}

enum probe_id probe_of(uint8_t id, int16_t node)
{
	enum probe_id probe = by_kind[id];

	return node >= 0 && probe + 1 < PROBES && probes[probe + 1].is_for_node ? probe + 1 : probe;
}

static bool part_matches(const char *glob, const char *text)
{
	return !*glob || !fnmatch(glob, text, 0);
}

bool probe_globs_take(const struct probe_globs *globs, enum probe_id probe)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!globs->list[i].is_dtrace &&
		    !fnmatch(globs->list[i].parts[0], probes[probe].name, 0))
			return true;
	return false;
}

/* Can the glob match a probe of dtmalloc, of some type? */
static bool matches_dtmalloc(const struct probe_glob *glob)
{
	const char *const *parts = glob->parts;

	return part_matches(parts[0], "dtmalloc") && part_matches(parts[1], "") &&
	       (part_matches(parts[3], "malloc") || part_matches(parts[3], "free"));
}

bool probe_globs_take_type(const struct probe_globs *globs, const char *type, bool is_free)
{
	char function[256];
	size_t length = 0;

	for (; type[length] && length < sizeof(function) - 1; length++)
		function[length] = strchr(" \t\n\v\f\r", type[length]) ? '_' : type[length];
	function[length] = '\0';
	for (size_t i = 0; i < globs->count; i++) {
		const struct probe_glob *glob = &globs->list[i];

		if (glob->is_dtrace && part_matches(glob->parts[0], "dtmalloc") &&
		    part_matches(glob->parts[1], "") && part_matches(glob->parts[2], function) &&
		    part_matches(glob->parts[3], is_free ? "free" : "malloc"))
			return true;
	}
	return false;
}

static int refuse_probe(struct probe_globs *globs, const char *text)
{
	const char *names[PROBES + 2] = { "dtmalloc:::malloc", "dtmalloc:::free" };
	char suggestion[80];

	for (size_t i = 0; i < PROBES; i++)
		names[i + 2] = probes[i].name;
	suggest_text(text, names, PROBES + 2, suggestion, sizeof(suggestion));
	return error_format(&globs->error, -EINVAL, "no probe is named \"%.60s\"%s", text,
			    *suggestion ? suggestion : ": kmemtraced -L lists them");
}

/* The parts of a name from right to left, since the first ones may lack. */
static bool split_probe(struct probe_glob *glob, char *text)
{
	size_t part = PROBE_PARTS;

	for (size_t i = 0; i < PROBE_PARTS; i++)
		glob->parts[i] = "";
	for (;;) {
		char *colon = strrchr(text, ':');

		if (!part)
			return false;
		glob->parts[--part] = colon ? colon + 1 : text;
		if (!colon)
			return true;
		*colon = '\0';
	}
}

static int parse_glob(struct probe_globs *globs, char *text)
{
	struct probe_glob *glob = &globs->list[globs->count];
	char name[80];
	bool is_known = false;

	snprintf(name, sizeof(name), "%s", text);
	if (globs->count == PROBE_GLOBS_MAX)
		return error_format(&globs->error, -EINVAL, "more than %d names of probes",
				    PROBE_GLOBS_MAX);
	globs->count++;
	glob->is_dtrace = strchr(text, ':');
	if (glob->is_dtrace)
		return split_probe(glob, text) && matches_dtmalloc(glob)
			       ? 0
			       : refuse_probe(globs, name);
	glob->parts[0] = text;
	for (unsigned int probe = 0; probe < PROBES && !is_known; probe++)
		is_known = !fnmatch(text, probes[probe].name, 0);
	return is_known ? 0 : refuse_probe(globs, name);
}

int probe_globs_parse(struct probe_globs *globs, const char *text)
{
	char *at, *next;
	int err = 0;

	probe_globs_deinit(globs);
	globs->text = strdup(text);
	if (!globs->text)
		return -ENOMEM;
	for (next = globs->text; !err && next;) {
		at = strsep(&next, ",");
		err = parse_glob(globs, at);
	}
	return err;
}

void probe_globs_deinit(struct probe_globs *globs)
{
	free(globs->text);
	globs->text = NULL;
	globs->count = 0;
}
