/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The exit status of every program; kmemtraced's is that of the command that it runs, if any. */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

enum exit_status {
	EXIT_OK = 0,	   /* done, and nothing was found */
	EXIT_FINDINGS = 1, /* done, and there are problems or findings */
	EXIT_TROUBLE = 2,  /* could not be done */
};

#endif
