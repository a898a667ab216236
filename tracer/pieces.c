// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A switch from piece to piece, as the streams see it. */
#include "config.h"

#include "tracer/pieces.h"

struct directory *session_piece_directory(struct session *session)
{
	return session_piece_is_switching(session) ? &session->rotation.other : &session->directory;
}

uint64_t session_piece_skipped(const struct session *session, unsigned int cpu)
{
	if (session_piece_is_switching(session) && session->rotation.switched[cpu])
		return 0;
	return session->misses.reported - session->rotation.base.skipped;
}

void session_piece_opened(struct session *session, unsigned int cpu)
{
	struct rotation *rotation = &session->rotation;
	uint64_t time = session->streams.drains[cpu].writer.first_time;

	if (!session_piece_is_switching(session))
		return;
	rotation->switched[cpu] = true;
	rotation->first = time < rotation->first ? time : rotation->first;
	rotation->last = time > rotation->last ? time : rotation->last;
}
