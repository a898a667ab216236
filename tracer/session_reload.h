/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SIGHUP with --config: reads the configuration file again, and takes what can change meanwhile. */
#ifndef TRACER_SESSION_RELOAD_H
#define TRACER_SESSION_RELOAD_H

#include "tracer/session.h"

/* Makes SIGHUP a request, if there is a configuration file. */
void session_reload_open(struct session *session);

/* Between rounds over the rings. */
void session_reload_step(struct session *session);

#endif
