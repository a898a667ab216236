/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --descriptors: kmemtraced hands over open files, so that this process needs no right to open
 * them, and the user and the password, so that they are in no environment. Standard input is a
 * socket with messages (base/fd_message.h):
 *
 *   "credentials TEXT"  first, and once: the lines of a file of credentials; "": none
 *   "file NAME"         with the file
 *
 * After each round, the status goes the other way. The end of the messages is the end of the work.
 */
#ifndef FLEET_SHIP_RECEIVE_H
#define FLEET_SHIP_RECEIVE_H

#include <stdbool.h>

#include "fleet/clickhouse/credentials.h"
#include "fleet/ship/files.h"

/* Waits for the first message. 0 or -errno with credentials->error set. */
int ship_receive_credentials(struct clickhouse_credentials *credentials, int socket);

/* Takes the files that have come. 1: no more come; 0; or -errno with files->errmsg set. */
int ship_receive_files(struct ship_files *files, int socket);

/* Do no more messages come? The answer is true also while some wait. */
bool ship_receive_has_ended(int socket);

#endif
