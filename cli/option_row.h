/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An option of a program in one row. From it come the option of argp with its help, the check of
 * its value on the command line and in a configuration file, and the completion in the shell.
 */
#ifndef CLI_OPTION_ROW_H
#define CLI_OPTION_ROW_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_NAME 40	/* bytes: "--name" */
#define OPTION_WHY 1000 /* bytes: why a value is wrong */

/* The member that gets the value. An option without an argument sets it to 1, or to .value. */
#define OPTION_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* A bool that is set, too, when the option is given. */
#define OPTION_GIVEN(type, member) .given = 1 + offsetof(type, member)

enum argument_kind {
	ARGUMENT_TEXT,	 /* const char * */
	ARGUMENT_PATH,	 /* const char *, not empty */
	ARGUMENT_CHOICE, /* an enum or bool: the index of a word */
	ARGUMENT_NUMBER,
	ARGUMENT_DURATION, /* ns; a number without a unit: seconds */
	ARGUMENT_SECONDS,  /* the same, rounded up to seconds */
	ARGUMENT_AGE,	   /* ns; the text has a unit */
	ARGUMENT_SIZE,	   /* bytes */
};

/*
 * Lists of names are separated by "|". A row without a name and an argument is a heading; one with
 * an argument is for the completion of the plain arguments. A table ends with a row of zeros.
 */
struct option_row {
	const char *name;
	char letter; /* 0: none */
	const char *argument, *help;
	size_t at, size; /* OPTION_AT(); size 0: nothing is stored */
	size_t given;	 /* OPTION_GIVEN() */
	enum argument_kind kind;
	uint64_t least, most; /* ns or bytes; most 0: no limit */
	uint64_t all;	      /* the value of the word "all"; 0: the word is refused */
	uint64_t value;	      /* of an option without an argument; 0: 1 */
	const char *unit;     /* of ARGUMENT_NUMBER: "threads" */
	const char *optional; /* the argument can be left out, and then is this; "": no value */
	const char *const *choices;	   /* of ARGUMENT_CHOICE, end with NULL; or: */
	const char *(*word)(size_t index); /* NULL after the last; of other kinds: to complete */
	const char *words;		   /* examples, to complete; "": none */
	const char *needs;		   /* one of these options must be given, too */
	const char *excludes;		   /* none of these may be given */
	int key;			   /* of argp, for a help filter; 0: any */
	bool command_line_only;		   /* a configuration file cannot have it */
	bool reloads;			   /* its value can change while the program runs */
	/* In place of at, or after the check of the kind. state->input: the options of the table.
	 */
	void (*parse)(struct argp_state *state, const char *text);
};

/* "-o", or "--output" if it has no letter: as messages name it. Returns name. */
const char *option_row_name(const struct option_row *row, char name[OPTION_NAME]);

/* The word of a choice or a completion; NULL: there are no more. */
const char *option_row_word(const struct option_row *row, size_t index);

/*
 * The value of a text, which is stored in the options. False: the text is wrong, nothing is stored,
 * and why has the reason, as in: "soon" is not a duration above 0.
 */
bool option_row_store(const struct option_row *row, const char *text, void *options,
		      char why[OPTION_WHY]);

/*
 * The row as a line for tests and for the completion: name, letter, argument (in brackets if it can
 * be left out), kind, least and most value, and the words, with tabs between; "-": there is none.
 */
void option_row_print(const struct option_row *row);

#endif
