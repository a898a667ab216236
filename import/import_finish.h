/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of an import. */
#ifndef IMPORT_IMPORT_FINISH_H
#define IMPORT_IMPORT_FINISH_H

#include "import/import_target.h"

/* Writes the last packets, the tables and the metadata. 0 or -errno with target->errmsg set. */
int import_finish(struct import_target *target);

#endif
