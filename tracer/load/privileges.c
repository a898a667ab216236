// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/load/privileges.h"

/* The C library's headers may be older than CAP_PERFMON and CAP_BPF (Linux 5.8). */
static const struct {
	unsigned int number;
	const char *name;
} capabilities[] = {
	{ 39, "CAP_BPF" },
	{ 38, "CAP_PERFMON" },
	{ CAP_SYSLOG, "CAP_SYSLOG" },
	{ CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH" },
	{ CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
};

#define CAPABILITIES (sizeof(capabilities) / sizeof(*capabilities))

struct privileges privileges_read(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct privileges privileges = { .is_root = !geteuid() };

	if (syscall(SYS_capget, &header, data))
		privileges.effective = privileges.is_root ? UINT64_MAX : 0;
	else
		privileges.effective = data[0].effective | (uint64_t)data[1].effective << 32;
	return privileges;
}

uint64_t privileges_missing(const struct privileges *privileges, uint64_t wanted)
{
	uint64_t effective = privileges->effective;

	if (effective & PRIVILEGE(CAP_SYS_ADMIN))
		effective |= PRIVILEGES_TO_TRACE;
	return wanted & ~effective;
}

/* "CAP_BPF and CAP_PERFMON" */
static void capability_list(uint64_t set, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < CAPABILITIES && length < size; i++)
		if (set & PRIVILEGE(capabilities[i].number))
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length ? " and " : "", capabilities[i].name);
}

const char *privileges_advice(const struct privileges *privileges, uint64_t wanted,
			      char text[PRIVILEGES_TEXT])
{
	uint64_t missing = privileges_missing(privileges, wanted);
	char names[100];

	*text = '\0';
	if (!missing)
		return text;
	capability_list(privileges->is_root ? missing : wanted, names, sizeof(names));
	snprintf(text, PRIVILEGES_TEXT,
		 privileges->is_root
			 ? ": this root lacks %s: its container or service must allow this"
			 : ": run as root, or with %s",
		 names);
	return text;
}

const char *privileges_own_advice(uint64_t wanted, char text[PRIVILEGES_TEXT])
{
	struct privileges privileges = privileges_read();

	return privileges_advice(&privileges, wanted, text);
}
