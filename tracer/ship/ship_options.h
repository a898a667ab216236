/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --ship-to. */
#ifndef TRACER_SHIP_SHIP_OPTIONS_H
#define TRACER_SHIP_SHIP_OPTIONS_H

#include "cli/option_table.h"

struct ship_options {
	const char *url;	 /* NULL: nothing is sent */
	const char *user;	 /* a name or a number; NULL: the default */
	const char *credentials; /* a file; NULL: the environment */
	const char *ca;		 /* a file; NULL: the authorities of the system */
	const char *max_wait;	 /* a duration; NULL: the default */
};

extern const struct option_row ship_rows[];

#endif
