/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of a running kmemtraced, as one text. */
#ifndef TRACER_OPTIONS_TEXT_H
#define TRACER_OPTIONS_TEXT_H

#include "tracer/options.h"

/* The options of the command line, then those of the configuration file; to be freed, or NULL. */
char *options_text(const struct options *options);

#endif
