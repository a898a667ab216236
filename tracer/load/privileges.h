/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The privileges of this process, by its capabilities. Root may lack them: in a container, for one,
 * root has only those that the container was started with.
 */
#ifndef TRACER_LOAD_PRIVILEGES_H
#define TRACER_LOAD_PRIVILEGES_H

#include <stdbool.h>
#include <stdint.h>

#define PRIVILEGE(capability) (1ULL << (capability))
/* CAP_BPF and CAP_PERFMON: what programs and rings need. */
#define PRIVILEGES_TO_TRACE (PRIVILEGE(39) | PRIVILEGE(38))

#define PRIVILEGES_TEXT 200

struct privileges {
	bool is_root;
	uint64_t effective; /* capabilities: a bit each */
};

/* If the kernel does not say, root has all capabilities, and another user none. */
struct privileges privileges_read(void);

/* The wanted capabilities that are missing. CAP_SYS_ADMIN stands for CAP_BPF and CAP_PERFMON. */
uint64_t privileges_missing(const struct privileges *privileges, uint64_t wanted);

/*
 * The way to get these capabilities, with ": " before it: "run as root, or with CAP_X", or which
 * of them root lacks. "": none is missing. Returns text.
 */
const char *privileges_advice(const struct privileges *privileges, uint64_t wanted,
			      char text[PRIVILEGES_TEXT]);

/* The same of this process. */
const char *privileges_own_advice(uint64_t wanted, char text[PRIVILEGES_TEXT]);

#endif
