/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CMocka, with the headers that it needs before it. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Two names with one hash of hash_text(), for salts that end with eight zero bits. */
#define FNV_NAME "ro:jc)#=-DQ&^0W"
#define FNV_TWIN "n6$#nTSwaf@!_t."

#endif
