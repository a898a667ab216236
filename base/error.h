/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of the first error, which the program prints once: those that come later follow from it.
 * The functions return err, a -errno. error may be NULL: then only err matters.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
	char text[800]; /* "": no error yet */
};

int error_set(struct error *error, int err, const char *text);

/* The text becomes "what: " and the text of err. */
int error_set_at(struct error *error, int err, const char *what);

__attribute__((format(printf, 3, 4))) int error_format(struct error *error, int err,
						       const char *format, ...);

#endif
