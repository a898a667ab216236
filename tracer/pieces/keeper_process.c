// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The process: takes requests in their order, except that checkpoints are made in a process of
 * their own, one after the other, so that their memory goes back and a crash ends one of them only.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/checkpoint.h"
#include "base/array.h"
#include "base/inside.h"
#include "base/worker.h"
#include "capture/parts.h"
#include "tracer/pieces/keeper_work.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/system/confine.h"
#include "tracer/system/thread_list.h"

#define NICE (-10) /* the disk limit depends on the removal */
#define JOB_NICE 5
#define JOB_POLL_MS 20
#define DUMP_POLL_MS 50
#define DUMP_FACTOR 2 /* a dump that waits raises the limit of pieces by this factor */
#define JOB_SECONDS 600

/* The piece that waits for its checkpoint; NULL: it has one, or gets none. */
static struct job *find_waiting(const struct keeper_work *work, unsigned int piece)
{
	for (size_t i = 0; i < work->waiting_count; i++)
		if (work->waiting[i].piece == piece)
			return &work->waiting[i];
	return NULL;
}

/* Takes the threads over. */
static void add_waiting(struct keeper_work *work, unsigned int piece, struct thread_list threads)
{
	struct job *list = array_grow(work->waiting, work->waiting_count, sizeof(*list));

	if (!list) {
		keeper_say(work, "piece.%06u gets its checkpoint at the next start only: %s", piece,
			   strerror(ENOMEM));
		thread_list_deinit(&threads);
		return;
	}
	work->waiting = list;
	list[work->waiting_count++] = (struct job){ piece, threads, false };
}

static void drop_waiting(struct keeper_work *work, size_t i)
{
	thread_list_deinit(&work->waiting[i].threads);
	work->waiting_count--;
	memmove(work->waiting + i, work->waiting + i + 1,
		(work->waiting_count - i) * sizeof(*work->waiting));
}

/* dumps: an open directory, in which dumps may be removed; -1: none. */
static int confine_keeper(int set, int dumps)
{
	struct confinement confinement;
	uint64_t capabilities = 0;
	struct stat about;
	int err;

	confinement_open(&confinement);
	err = confinement_allow_reading(&confinement, "/proc");
	if (!err)
		err = confinement_allow(&confinement, set, CONFINE_KEEP);
	if (!err && dumps >= 0)
		err = confinement_allow(&confinement, dumps, CONFINE_PRUNE);
	/* without it, root removes only what is in a directory of his own */
	if (dumps >= 0 && !fstat(dumps, &about) && about.st_uid != geteuid())
		capabilities = 1ULL << CAP_DAC_OVERRIDE;
	if (!err)
		err = confine_thread(&confinement, capabilities);
	confinement_close(&confinement);
	return err;
}

/* The work of the process that makes a checkpoint. 0 or -errno. */
static int make_checkpoint(const struct keeper_work *work)
{
	const struct job *job = &work->waiting[0];
	const struct checkpoint_threads threads = { job->threads.time, job->threads.ids,
						    job->threads.count };
	const unsigned int piece = job->piece;
	char from[64 + PIECE_NAME_SIZE], to[sizeof(from)], name[PIECE_NAME_SIZE];
	struct error error = { 0 };
	struct keeper_work copy = *work;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* if more pieces wait, it keeps the keeper's priority, to be faster than pieces come */
	if (work->waiting_count == 1)
		setpriority(PRIO_PROCESS, 0, JOB_NICE);
	signal(SIGALRM, SIG_DFL);
	alarm(JOB_SECONDS);
	/* it removes no dumps */
	if (work->settings->dumps.parent >= 0 && confine_keeper(work->settings->set, -1))
		return -EPERM;
	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", work->settings->set,
		 piece_name(piece - 1, name));
	snprintf(to, sizeof(to), "/proc/self/fd/%d/%s", work->settings->set,
		 piece_name(piece, name));
	err = checkpoint_make(from, to, threads.count ? &threads : NULL, &error);
	if (err)
		keeper_say(&copy, "piece.%06u has no checkpoint: %s", piece,
			   *error.text ? error.text : strerror(-err));
	return err;
}

static void start_job(struct keeper_work *work)
{
	while (!work->job && work->waiting_count) {
		work->job_piece = work->waiting[0].piece;
		work->job = fork();
		if (!work->job)
			_exit(make_checkpoint(work) ? 1 : 0);
		if (work->job < 0) {
			work->job = 0;
			keeper_say(work, "piece.%06u has no checkpoint: %s", work->job_piece,
				   strerror(errno));
			drop_waiting(work, 0);
		}
	}
}

/* Removes the half checkpoint of a job that was killed. */
static void clean_job(struct keeper_work *work)
{
	char name[PIECE_NAME_SIZE];
	int piece = inside_open_directory(work->settings->set, piece_name(work->job_piece, name));

	if (piece >= 0)
		inside_remove_directory(piece, PIECE_NEW_CHECKPOINT);
	if (piece >= 0)
		close(piece);
}

static void remove_piece(struct keeper_work *work, unsigned int piece)
{
	int err = piece_set_remove(work->settings->set, piece);

	if (err)
		keeper_say(work, "piece.%06u cannot be removed: %s", piece, strerror(-err));
}

static void end_job(struct keeper_work *work, int status)
{
	bool source_is_empty = work->waiting[0].is_empty;

	if (status) {
		if (WIFSIGNALED(status))
			keeper_say(
				work,
				"piece.%06u has no checkpoint: the process that made it was ended by signal %d (%s)",
				work->job_piece, WTERMSIG(status), strsignal(WTERMSIG(status)));
		clean_job(work);
	}
	work->job = 0;
	drop_waiting(work, 0);
	if (source_is_empty)
		remove_piece(work, work->job_piece - 1);
}

/*
 * The successor of a piece must have all that it needs before the piece is removed. A checkpoint
 * that could not be made is not waited for.
 */
static bool is_piece_needed(const struct keeper_work *work, unsigned int piece)
{
	return find_waiting(work, piece + 1);
}

/* A dump that waits gets the pieces that were there when it was asked for, for some time. */
static void keep_max_files(struct keeper_work *work)
{
	const size_t most = (size_t)work->settings->max_files * (work->dumping ? DUMP_FACTOR : 1);
	unsigned int *numbers;
	size_t count;

	if (!work->settings->max_files ||
	    parts_list_pieces_at(work->settings->set, &numbers, &count))
		return;
	/* kmemtraced may be ahead, and have asked for a dump in between */
	while (count && numbers[count - 1] > work->writing)
		count--;
	for (size_t i = 0; i + most < count; i++) {
		if (numbers[i] >= work->writing || is_piece_needed(work, numbers[i]))
			break;
		remove_piece(work, numbers[i]);
	}
	free(numbers);
}

static void cancel_job(struct keeper_work *work)
{
	kill(work->job, SIGKILL);
	worker_wait(work->job);
	work->job = 0;
	clean_job(work);
}

/*
 * The tables of the piece stay, until the checkpoint is made of them. Then the piece is removed.
 */
static void remove_events(struct keeper_work *work, unsigned int piece)
{
	find_waiting(work, piece + 1)->is_empty = true;
	/* a dump has links to the streams: to cut them would free nothing */
	if (piece_is_in_dump(work->settings->set, piece))
		return;
	if (work->job && work->job_piece == piece + 1)
		cancel_job(work);
	if (!piece_empty(work->settings->set, piece))
		keeper_say(
			work,
			"piece.%06u: --max-disk leaves no room for it until piece.%06u has its checkpoint: its events count as lost there",
			piece, piece + 1);
}

static void give_up_checkpoint(struct keeper_work *work, unsigned int piece)
{
	if (work->job && work->job_piece == piece + 1)
		cancel_job(work);
	drop_waiting(work, (size_t)(find_waiting(work, piece + 1) - work->waiting));
	keeper_say(
		work,
		"piece.%06u gets no checkpoint: --max-disk leaves no room for the tables of the piece before",
		piece + 1);
	remove_piece(work, piece);
}

/* The steps by which pieces are removed, from the gentlest. */
enum step {
	REMOVE_UNNEEDED,
	REMOVE_EVENTS,
	REMOVE_ALL,
	STEPS,
};

/* Does the step with the piece. False: nothing can be removed. */
static bool remove_by_step(struct keeper_work *work, enum step step, unsigned int piece)
{
	bool needed = is_piece_needed(work, piece);

	if (step == REMOVE_UNNEEDED && !needed)
		remove_piece(work, piece);
	else if (step == REMOVE_EVENTS && needed && !find_waiting(work, piece + 1)->is_empty)
		remove_events(work, piece);
	else if (step == REMOVE_ALL && needed)
		give_up_checkpoint(work, piece);
	else
		return false;
	return true;
}

/* The bytes of pieces and dumps together: a file may be a part of both. False: not known. */
static bool measure_disk_use(const struct keeper_work *work, uint64_t *bytes)
{
	uint64_t dump_bytes;
	uint32_t dumps;

	if (piece_set_measure(work->settings->set, work->writing, bytes) ||
	    dump_limits_measure(&work->settings->dumps, &dump_bytes, &dumps))
		return false;
	*bytes += dump_bytes;
	return true;
}

static bool is_done(const struct keeper_work *work, uint64_t before, uint64_t bytes)
{
	uint64_t now;

	return measure_disk_use(work, &now) && now + bytes <= before;
}

/* Frees so many bytes, of the oldest dumps and pieces first. False: they are not there. */
static bool make_room(struct keeper_work *work, uint64_t bytes)
{
	unsigned int *numbers;
	uint64_t before;
	size_t count;
	bool done = false;

	if (!measure_disk_use(work, &before) ||
	    parts_list_pieces_at(work->settings->set, &numbers, &count))
		return false;
	while (!done && keeper_remove_dump(work))
		done = is_done(work, before, bytes);
	for (enum step step = 0; step < STEPS && !done; step++)
		for (size_t i = 0; i < count && numbers[i] < work->writing && !done; i++)
			done = remove_by_step(work, step, numbers[i]) &&
			       is_done(work, before, bytes);
	free(numbers);
	start_job(work);
	return done;
}

static void prepare_piece(struct keeper_work *work, unsigned int piece)
{
	struct keeper_answer done = { .kind = KEEPER_PREPARED, .piece = piece };

	done.err = piece_prepare(work->settings->set, piece);
	if (done.err)
		keeper_say(work, "piece.%06u: its directory cannot be made: %s", piece,
			   strerror(-done.err));
	else
		work->prepared = piece;
	thread_list_deinit(&work->threads);
	/* if it fails, the checkpoint will have the names of threads that have ended, too */
	thread_list_read(&work->threads);
	keeper_answer(work, &done);
	keeper_send_sizes(work, KEEPER_SIZES, false);
}

static void take_request(struct keeper_work *work, const struct keeper_request *request)
{
	switch (request->kind) {
	case KEEPER_PREPARE:
		prepare_piece(work, request->piece);
		break;
	case KEEPER_ENDED:
		work->writing = request->piece + 1;
		add_waiting(work, work->writing, work->threads);
		work->threads = (struct thread_list){ 0 };
		start_job(work);
		keeper_send_sizes(work, KEEPER_SIZES, false);
		break;
	case KEEPER_MAKE_ROOM:
		keeper_send_sizes(work, KEEPER_ROOM, !make_room(work, request->bytes));
		break;
	case KEEPER_DUMP:
		work->dumping++;
		break;
	case KEEPER_DUMPED:
		work->dumping -= request->piece && work->dumping;
		keeper_limit_dumps(work);
		keeper_send_sizes(work, KEEPER_SIZES, false);
		break;
	default:
		break;
	}
}

/* After an earlier run: makes missing checkpoints, removes pieces and dumps over the limit. */
static void continue_set(struct keeper_work *work)
{
	unsigned int *numbers;
	size_t count;

	dump_limits_clean(&work->settings->dumps);
	keeper_limit_dumps(work);
	if (parts_list_pieces_at(work->settings->set, &numbers, &count))
		return;
	for (size_t i = 1; i < count; i++)
		if (numbers[i] == numbers[i - 1] + 1 &&
		    !piece_set_has_checkpoint(work->settings->set, numbers[i]) &&
		    piece_set_follows(work->settings->set, numbers[i]))
			add_waiting(work, numbers[i], (struct thread_list){ 0 });
	free(numbers);
	start_job(work);
}

static void poll_job(struct keeper_work *work)
{
	int status;

	if (!work->job) {
		if (work->dumping)
			keeper_update_sizes(work);
		return;
	}
	if (waitpid(work->job, &status, WNOHANG) != work->job) {
		if (work->settings->has_max_disk)
			keeper_update_sizes(work);
		return;
	}
	end_job(work, status);
	keep_max_files(work);
	start_job(work);
	keeper_send_sizes(work, KEEPER_SIZES, false);
}

/* The limit of the disk holds while checkpoints and dumps grow. */
static int poll_ms(const struct keeper_work *work)
{
	if (work->job)
		return JOB_POLL_MS;
	return work->dumping && work->settings->dumps.max_disk ? DUMP_POLL_MS : -1;
}

static void serve_requests(struct keeper_work *work)
{
	struct keeper_request request;
	bool ending = false, began = false;

	keeper_send_sizes(work, KEEPER_SIZES, false);
	while (!ending || work->job) {
		struct pollfd waiting = { .fd = ending ? -1 : work->requests, .events = POLLIN };

		if (poll(&waiting, 1, poll_ms(work)) > 0) {
			ssize_t got = read(work->requests, &request, sizeof(request));

			/* a start that fails leaves all that is there */
			if (got == sizeof(request) && !began) {
				began = true;
				continue_set(work);
			}
			if (got == sizeof(request))
				take_request(work, &request);
			else if (got >= 0 || errno != EINTR)
				ending = true;
		}
		poll_job(work);
		if (!work->job && began)
			keep_max_files(work);
	}
	if (work->prepared)
		piece_prepare_undo(work->settings->set, work->prepared);
}

int keeper_work(const struct keeper_settings *settings, int requests, int answers)
{
	struct keeper_work work = { .settings = settings,
				    .requests = requests,
				    .answers = answers,
				    .writing = settings->first };
	int err;

	worker_ignore_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, NICE);
	err = confine_keeper(settings->set, settings->dumps.parent);
	if (err)
		return err;
	serve_requests(&work);
	thread_list_deinit(&work.threads);
	free(work.waiting);
	return 0;
}
