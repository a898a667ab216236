/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns the byte order of a finished stream. */
#ifndef TESTS_UNIT_BYTESWAP_H
#define TESTS_UNIT_BYTESWAP_H

int byteswap_stream(const char *path); /* 0 or -errno */

#endif
