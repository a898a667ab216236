// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Short names of the containers and units in a cgroup's path. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "kernel/container.h"

static bool ends_with(const char *part, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && !memcmp(part + length - size, suffix, size);
}

static bool begins_with(const char *part, size_t length, const char *prefix)
{
	return length > strlen(prefix) && !memcmp(part, prefix, strlen(prefix));
}

const char *container_find_id(const char *part, size_t length)
{
	static const char monitor[] = "conmon-";
	const char *id;

	if (ends_with(part, length, ".scope"))
		length -= strlen(".scope");
	if (length < CONTAINER_ID)
		return NULL;
	id = part + length - CONTAINER_ID;
	for (size_t i = 0; i < CONTAINER_ID; i++)
		if (!id[i] || !strchr("0123456789abcdef", id[i]))
			return NULL;
	if (id != part && (id[-1] != '-' || ends_with(part, (size_t)(id - part), monitor)))
		return NULL;
	return id;
}

static int hex_digit(char digit)
{
	const char *found = digit ? strchr("0123456789abcdef", digit) : NULL;

	return found ? (int)(found - "0123456789abcdef") : -1;
}

/* systemd writes a byte of a name as \xHH. */
static void unescape_unit(const char *part, size_t length, char name[CONTAINER_TEXT])
{
	size_t used = 0;

	for (size_t i = 0; i < length && used < CONTAINER_TEXT - 1; i++) {
		bool escaped = length - i >= 4 && part[i] == '\\' && part[i + 1] == 'x' &&
			       hex_digit(part[i + 2]) >= 0 && hex_digit(part[i + 3]) >= 0;
		int byte = escaped ? hex_digit(part[i + 2]) * 16 + hex_digit(part[i + 3]) : 0;

		name[used++] = byte ? (char)byte : part[i];
		i += byte ? 3 : 0;
	}
	name[used] = '\0';
}

/* Machines of systemd-machined: systemd-nspawn, libvirt; and LXC's. */
static bool machine_name(const char *part, size_t length, char name[CONTAINER_TEXT])
{
	static const struct {
		const char *prefix, *suffix;
	} forms[] = { { "machine-", ".scope" },
		      { "systemd-nspawn@", ".service" },
		      { "lxc.payload.", "" } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t before = strlen(forms[i].prefix), after = strlen(forms[i].suffix);

		if (!begins_with(part, length, forms[i].prefix) || length <= before + after ||
		    !ends_with(part, length, forms[i].suffix))
			continue;
		unescape_unit(part + before, length - before - after, name);
		return true;
	}
	return false;
}

static bool is_container(const char *part, size_t length, char name[CONTAINER_TEXT])
{
	const char *id = container_find_id(part, length);

	if (!id)
		return machine_name(part, length, name);
	snprintf(name, CONTAINER_TEXT, "%.*s", CONTAINER_SHORT_ID, id);
	return true;
}

static bool is_unit(const char *part, size_t length, char name[CONTAINER_TEXT])
{
	bool is_user = begins_with(part, length, "user-") && ends_with(part, length, ".slice");

	if (!is_user && !ends_with(part, length, ".service"))
		return false;
	unescape_unit(part, length, name);
	return true;
}

static bool find_innermost(const char *path, bool (*names)(const char *, size_t, char *),
			   char name[CONTAINER_TEXT])
{
	const char *end = path + strlen(path), *part;

	for (;; end = part - 1) {
		for (part = end; part > path && part[-1] != '/';)
			part--;
		if (part < end && names(part, (size_t)(end - part), name))
			return true;
		if (part == path)
			return false;
	}
}

bool container_name(const char *path, char name[CONTAINER_TEXT])
{
	return find_innermost(path, is_container, name) || find_innermost(path, is_unit, name);
}
