// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/ship/accepted.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/message.h"
#include "fleet/summary/summary_file.h"

#define HEADER "kmemtrace-ship 1\n"
#define STATE_MAX ((size_t)256 << 20) /* bytes */

static int fail_accepted(struct accepted *accepted, const char *path, int err)
{
	snprintf(accepted->errmsg, sizeof(accepted->errmsg), "%s: %s", path, strerror(-err));
	return err;
}

static int fail_format(struct accepted *accepted)
{
	snprintf(
		accepted->errmsg, sizeof(accepted->errmsg),
		"%s: this is not a whole state file: remove it, and all summaries are sent again, which changes nothing in the store",
		accepted->path);
	return -EBADMSG;
}

static int parse_source(struct accepted *accepted, struct line *line)
{
	char host[SUMMARY_NAME_SIZE], boot[SUMMARY_NAME_SIZE];
	struct summary_source source = { .host = host, .boot = boot };
	int err;

	line_word(line, host, sizeof(host));
	line_word(line, boot, sizeof(boot));
	if (!*host || !line_u64(line, 10, &source.run) || !line_u64(line, 10, &source.first) ||
	    !line_u64(line, 10, &source.last) || source.first > source.last)
		return fail_format(accepted);
	err = summary_add_source(&accepted->set, &source);
	if (err == -ENOMEM)
		return fail_accepted(accepted, accepted->path, err);
	return err ? fail_format(accepted) : 0;
}

static int parse_url(struct accepted *accepted, struct line *line)
{
	char url[SUMMARY_NAME_SIZE];

	line_word(line, url, sizeof(url));
	if (strcmp(url, accepted->url) == 0)
		return 0;
	snprintf(accepted->errmsg, sizeof(accepted->errmsg),
		 "%s: this state is about another server, %s: name another file with --state",
		 accepted->path, url);
	return -EINVAL;
}

static int parse_accepted(struct accepted *accepted, const char *text)
{
	struct line line;
	int err = 0;

	if (strncmp(text, HEADER, strlen(HEADER)) != 0)
		return fail_format(accepted);
	text += strlen(HEADER);
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "end"))
			return 0;
		if (line_key(&line, "to"))
			err = parse_url(accepted, &line);
		else if (line_key(&line, "source"))
			err = parse_source(accepted, &line);
		else if (line_key(&line, "rollup") &&
			 (!line_u64(&line, 10, &accepted->to_roll_up.begin) ||
			  !line_u64(&line, 10, &accepted->to_roll_up.until)))
			err = fail_format(accepted);
	}
	return err ? err : fail_format(accepted);
}

/* A file beside it, since each save replaces the state file. */
static int lock_accepted(struct accepted *accepted)
{
	__attribute__((cleanup(free_text))) char *path = NULL;

	if (asprintf(&path, "%s.lock", accepted->path) < 0) {
		path = NULL;
		return fail_accepted(accepted, accepted->path, -ENOMEM);
	}
	accepted->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (accepted->lock < 0)
		return fail_accepted(accepted, path, -errno);
	if (!flock(accepted->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return fail_accepted(accepted, path, -errno);
	snprintf(accepted->errmsg, sizeof(accepted->errmsg),
		 "%s: another kmemtrace-ship uses this state file: name another one with --state",
		 accepted->path);
	return -EBUSY;
}

int accepted_open(struct accepted *accepted, const char *path, const char *url)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err;

	*accepted = (struct accepted){ .path = path, .url = url, .lock = -1 };
	err = summary_init(&accepted->set);
	if (err)
		return fail_accepted(accepted, path, err);
	err = lock_accepted(accepted);
	if (err)
		return err;
	err = read_file(AT_FDCWD, path, STATE_MAX, &text, NULL);
	if (err == -ENOENT)
		return 0;
	err = err ? fail_accepted(accepted, path, err) : parse_accepted(accepted, text);
	if (err != -EBADMSG)
		return err;
	summary_deinit(&accepted->set);
	accepted->to_roll_up = (struct ship_span){ 0 };
	return summary_init(&accepted->set) ? fail_accepted(accepted, path, -ENOMEM) : err;
}

void accepted_close(struct accepted *accepted)
{
	summary_deinit(&accepted->set);
	if (accepted->lock >= 0)
		close(accepted->lock);
	accepted->lock = -1;
}

bool accepted_has(const struct accepted *accepted, const struct summary *summary)
{
	return summary_compare_sources(&accepted->set, summary) == -EALREADY;
}

int accepted_add(struct accepted *accepted, const struct summary_source *source)
{
	int err = summary_add_source(&accepted->set, source);

	return err == -EEXIST ? 0 : err;
}

void ship_span_add(struct ship_span *span, uint64_t begin, uint64_t until)
{
	if (!span->until || begin < span->begin)
		span->begin = begin;
	if (until > span->until)
		span->until = until;
}

static void write_state(const struct accepted *accepted, FILE *file)
{
	fputs(HEADER "to ", file);
	text_write_word(file, accepted->url);
	fputc('\n', file);
	if (accepted->to_roll_up.until)
		fprintf(file, "rollup %" PRIu64 " %" PRIu64 "\n", accepted->to_roll_up.begin,
			accepted->to_roll_up.until);
	for (size_t i = 0; i < accepted->set.source_count; i++) {
		const struct summary_source *source = &accepted->set.sources[i];

		fputs("source ", file);
		text_write_word(file, source->host);
		fputc(' ', file);
		text_write_word(file, source->boot);
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", source->run, source->first,
			source->last);
	}
	fputs("end\n", file);
}

static int replace_file(struct accepted *accepted)
{
	__attribute__((cleanup(free_text))) char *path = NULL;
	FILE *file;
	int fd, err;

	if (asprintf(&path, "%s.new", accepted->path) < 0) {
		path = NULL;
		return fail_accepted(accepted, accepted->path, -ENOMEM);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fail_accepted(accepted, path, -errno);
	file = fdopen(fd, "w");
	if (!file) {
		err = fail_accepted(accepted, path, -errno);
		close(fd);
		return err;
	}
	write_state(accepted, file);
	err = text_write_result(file);
	if (err)
		fclose(file);
	else
		err = close_synced(file);
	if (!err && rename(path, accepted->path))
		err = -errno;
	if (err) {
		unlink(path);
		return fail_accepted(accepted, accepted->path, err);
	}
	return 0;
}

void accepted_save(struct accepted *accepted)
{
	bool could_not = accepted->cannot_save;

	accepted->cannot_save = replace_file(accepted) != 0;
	if (accepted->cannot_save && !could_not)
		error_msg(
			"%s: the state cannot be written: what was sent is sent again after the next start",
			accepted->errmsg);
}

/* Makes the folders of the path that are missing. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			error_msg("%s: %s", path, strerror(errno));
			return -1;
		}
		*slash = '/';
	}
	return 0;
}

char *accepted_default_path(const char *url)
{
	const char *service = getenv("STATE_DIRECTORY"); /* of systemd */
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	uint64_t hash = hash_text(0, url);
	char *path;
	int length;

	if (service && *service == '/')
		length = asprintf(&path, "%s/%016" PRIx64 ".state", service, hash);
	else if (state && *state == '/')
		length = asprintf(&path, "%s/kmemtrace/ship/%016" PRIx64 ".state", state, hash);
	else if (home && *home == '/')
		length = asprintf(&path, "%s/.local/state/kmemtrace/ship/%016" PRIx64 ".state",
				  home, hash);
	else {
		error_msg("there is no home directory for the state file: name one with --state");
		return NULL;
	}
	if (length < 0) {
		error_msg("%s", strerror(ENOMEM));
		return NULL;
	}
	if (make_folders(path)) {
		free(path);
		return NULL;
	}
	return path;
}
