/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of an import. */
#ifndef CAPTURE_IMPORT_IMPORT_FINISH_H
#define CAPTURE_IMPORT_IMPORT_FINISH_H

#include "capture/import/import_target.h"

/* Writes the last packets, the tables and the metadata. 0 or -errno with target->error set. */
int import_finish(struct import_target *target);

#endif
