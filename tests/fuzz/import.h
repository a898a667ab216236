/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Imports an input as kmemtrace-import does. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include "capture/import/import_source.h"
#include "tests/fuzz/fuzz.h"

/*
 * Imports files of the target into a new capture, which kmemtrace-check must find whole. Returns
 * true if there is one; an import that fails must say why.
 */
bool fuzz_import(const struct import_source *source, char *const *paths, size_t count);

#endif
