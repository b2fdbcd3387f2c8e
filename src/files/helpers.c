/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "forker.h"

enum {
	MAX_STUCK = 16,		     /* that are left behind */
	ENDS_NS = 200 * 1000 * 1000, /* most have ended so long after they were killed */
	MAX_CPU_S = 60,		     /* then a parser makes room for a new one */
};

struct helper {
	struct child child; /* pid 0: there is none */
	uid_t owner;	    /* of a parser */
	bool busy;
	u32 number; /* of the last request */
};

/* One that was killed. */
struct left {
	int pidfd; /* -1: none */
	u64 since;
};

struct helpers {
	pthread_mutex_t lock, forking;
	unsigned int refs;
	bool closed;
	int forker;
	pid_t forker_pid;
	struct helper at[NR_HELPER_ROLES][HELPERS_AT_ONCE];
	struct left left[MAX_STUCK];
	struct helpers_count count;
};

struct helpers *helpers_new(void)
{
	struct helpers *helpers = xcalloc(1, sizeof(*helpers));

	helpers->refs = 1;
	pthread_mutex_init(&helpers->lock, NULL);
	pthread_mutex_init(&helpers->forking, NULL);
	for (size_t i = 0; i < MAX_STUCK; i++)
		helpers->left[i].pidfd = -1;
	helpers->forker = forker_start(&helpers->forker_pid);
	return helpers;
}

/* ---- ends */

static u64 process_cpu_ns(u32 pid)
{
	struct timespec used;
	clockid_t clock;

	if (!pid || (pid_t)pid < 0 || clock_getcpuclockid((pid_t)pid, &clock) ||
	    clock_gettime(clock, &used))
		return 0;
	return (u64)used.tv_sec * NSEC_PER_SEC + (u64)used.tv_nsec;
}

static u64 cpu_ns(const struct helper *helper)
{
	return helper->child.pid ? process_cpu_ns(helper->child.pid) : 0;
}

static bool has_ended(int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	return poll(&ended, 1, 0) == 1;
}

/* With the lock held. */
static u32 count_stuck(struct helpers *helpers)
{
	u64 now = monotonic_ns();
	u32 nr = 0;

	for (size_t i = 0; i < MAX_STUCK; i++) {
		struct left *left = &helpers->left[i];

		if (left->pidfd >= 0 && has_ended(left->pidfd)) {
			close(left->pidfd);
			left->pidfd = -1;
		}
		nr += left->pidfd >= 0 && now - left->since > ENDS_NS;
	}
	return nr;
}

/* With the lock held: those too that may be about to end. */
static u32 count_left(const struct helpers *helpers)
{
	u32 nr = 0;

	for (size_t i = 0; i < MAX_STUCK; i++)
		nr += helpers->left[i].pidfd >= 0;
	return nr;
}

/* With the lock held. */
static void leave_behind(struct helpers *helpers, int pidfd)
{
	for (size_t i = 0; i < MAX_STUCK; i++)
		if (helpers->left[i].pidfd < 0) {
			helpers->left[i] = (struct left){.pidfd = pidfd, .since = monotonic_ns()};
			return;
		}
	close(pidfd);
}

/* With the lock held. Closing the socket ends an idle one, too. */
static void end(struct helpers *helpers, struct helper *helper, bool failed)
{
	helpers->count.cpu_ns += cpu_ns(helper);
	helpers->count.nr_ended += failed;
	forker_end(helpers->forker, helper->child.pid);
	close(helper->child.socket);
	count_stuck(helpers);
	leave_behind(helpers, helper->child.pidfd);
	*helper = (struct helper){};
}

struct helpers *helpers_get(struct helpers *helpers)
{
	pthread_mutex_lock(&helpers->lock);
	helpers->refs++;
	pthread_mutex_unlock(&helpers->lock);
	return helpers;
}

/* With the lock held. */
static void end_all(struct helpers *helpers)
{
	for (int role = 0; role < NR_HELPER_ROLES; role++)
		for (size_t i = 0; i < HELPERS_AT_ONCE; i++) {
			struct helper *helper = &helpers->at[role][i];

			if (helper->child.pid && !helper->busy)
				end(helpers, helper, false);
			else if (helper->child.pid)
				forker_end(helpers->forker, helper->child.pid);
		}
}

void helpers_end(struct helpers *helpers)
{
	pthread_mutex_lock(&helpers->lock);
	helpers->closed = true;
	end_all(helpers);
	pthread_mutex_unlock(&helpers->lock);
}

void helpers_put(struct helpers *helpers)
{
	bool last;

	if (!helpers)
		return;
	pthread_mutex_lock(&helpers->lock);
	last = --helpers->refs == 0;
	if (last)
		end_all(helpers);
	pthread_mutex_unlock(&helpers->lock);
	if (!last)
		return;
	for (size_t i = 0; i < MAX_STUCK; i++)
		cleanup_close(&helpers->left[i].pidfd);
	if (helpers->forker >= 0)
		forker_stop(helpers->forker, helpers->forker_pid);
	pthread_mutex_destroy(&helpers->lock);
	pthread_mutex_destroy(&helpers->forking);
	free(helpers);
}

/* ---- one for a call */

/* Of the idle ones, one that has served this owner, else one that is not there yet, else any. */
static struct helper *choose(struct helpers *helpers, enum helper_role role, uid_t owner)
{
	struct helper *best = NULL;

	for (size_t i = 0; i < HELPERS_AT_ONCE; i++) {
		struct helper *helper = &helpers->at[role][i];

		if (helper->busy)
			continue;
		if (helper->child.pid && helper->owner == owner)
			return helper;
		if (!best || (best->child.pid && !helper->child.pid))
			best = helper;
	}
	return best;
}

static struct helper *reserve(struct helpers *helpers, enum helper_role role, uid_t owner)
{
	struct helper *helper;

	pthread_mutex_lock(&helpers->lock);
	helper = !helpers->closed && helpers->forker >= 0 && count_stuck(helpers) < MAX_STUCK
			 ? choose(helpers, role, owner)
			 : NULL;
	if (helper) {
		if (helper->child.pid && helper->owner != owner)
			end(helpers, helper, false);
		helper->busy = true;
	}
	pthread_mutex_unlock(&helpers->lock);
	return helper;
}

static void release(struct helpers *helpers, struct helper *helper, bool failed)
{
	pthread_mutex_lock(&helpers->lock);
	if (helper->child.pid && (failed || cpu_ns(helper) > MAX_CPU_S * NSEC_PER_SEC))
		end(helpers, helper, failed);
	helper->busy = false;
	pthread_mutex_unlock(&helpers->lock);
}

/* NULL: there is none to be had. */
static struct helper *take(struct helpers *helpers, enum helper_role role, uid_t owner)
{
	struct helper *helper = reserve(helpers, role, owner);
	struct child child;
	int err;

	if (!helper || helper->child.pid)
		return helper;
	pthread_mutex_lock(&helpers->forking);
	err = forker_make(helpers->forker, role, &child);
	pthread_mutex_unlock(&helpers->forking);
	pthread_mutex_lock(&helpers->lock);
	if (err)
		helper->busy = false;
	else
		*helper = (struct helper){.child = child, .owner = owner, .busy = true};
	helpers->count.nr_made += !err;
	pthread_mutex_unlock(&helpers->lock);
	return err ? NULL : helper;
}

/* ---- calls */

/*
 * A late helper that sleeps waits for a file system: FUSE lets it sleep until it is killed, others
 * do not (D). One that runs is in a file without end, or has not been given a CPU.
 */
static bool sleeps(u32 pid)
{
	_cleanup_free_ char *path = format("/proc/%u/stat", pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[128] = "", *name_end;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	name_end = strrchr(text, ')');
	return name_end && (!strncmp(name_end, ") D", 3) || !strncmp(name_end, ") S", 3));
}

static enum files_state state_of(const struct helper *helper, int err)
{
	if (err != -ETIMEDOUT)
		return FILES_CRASHED;
	return sleeps(helper->child.pid) ? FILES_TIMED_OUT : FILES_TOO_LONG;
}

static int call_opener(struct helper *helper, struct opener_request *request, struct helper_fds fds,
		       struct opener_reply *reply, struct received *with, u64 deadline_ns)
{
	const struct message message = {
		.head = request,
		.size = sizeof(*request),
		.path = request->mapping.path ? request->mapping.path : "",
		.fds = fds.fds,
		.nr_fds = fds.nr,
	};
	int err;

	request->number = ++helper->number;
	err = message_send(helper->child.socket, &message, deadline_ns);
	if (!err)
		err = message_receive(helper->child.socket, reply, sizeof(*reply), MESSAGE_MAX_FDS,
				      with, deadline_ns);
	if (!err && reply->number != request->number) {
		received_close(with);
		err = -EPROTO;
	}
	return err;
}

enum files_state helpers_open(struct helpers *helpers, struct opener_request *request,
			      struct helper_fds fds, struct opener_reply *reply,
			      struct received *with, u64 deadline_ns)
{
	enum files_state state;
	struct helper *opener;
	int err;

	*with = (struct received){};
	if (request->mapping.path && strlen(request->mapping.path) >= MESSAGE_MAX_PATH)
		return FILES_GONE;
	opener = take(helpers, OPENER, 0);
	if (!opener)
		return FILES_CRASHED;
	err = call_opener(opener, request, fds, reply, with, deadline_ns);
	state = err ? state_of(opener, err) : FILES_OK;
	release(helpers, opener, err != 0);
	return state;
}

/* By way of an opener, which opens the file and passes all of it on. */
static enum files_state pass_on(struct helpers *helpers, const struct parse_job *job, int parser,
				int answer, int addresses, u64 deadline_ns)
{
	struct opener_request request = {
		.task = OPEN_FOR_PARSER,
		.stamp = job->request.stamp,
		.parse = job->request,
	};
	int fds[MESSAGE_MAX_FDS];
	enum files_state state;
	struct opener_reply reply;
	struct received with;
	size_t nr = 0;

	fds[nr++] = parser;
	fds[nr++] = answer;
	if (addresses >= 0)
		fds[nr++] = addresses;
	fds[nr++] = job->file;
	for (size_t i = 0; i < job->debug.nr && i < MAX_DEBUG_FILES; i++)
		fds[nr++] = job->debug.fds[i];
	state = helpers_open(helpers, &request, (struct helper_fds){fds, nr}, &reply, &with,
			     deadline_ns);
	received_close(&with);
	return state == FILES_OK ? (enum files_state)reply.state : state;
}

static enum files_state send_vdso(const struct parse_job *job, const struct helper *parser,
				  int answer, int addresses, u64 deadline_ns)
{
	int fds[] = {answer, addresses};
	const struct message message = {
		.head = &job->request,
		.size = sizeof(job->request),
		.fds = fds,
		.nr_fds = addresses < 0 ? 1 : 2,
	};
	int err = message_send(parser->child.socket, &message, deadline_ns);

	return err ? state_of(parser, err) : FILES_OK;
}

static enum files_state receive_reply(const struct helper *parser, struct parser_reply *reply,
				      u64 deadline_ns)
{
	struct received with = {};
	int err =
		message_receive(parser->child.socket, reply, sizeof(*reply), 0, &with, deadline_ns);

	if (err)
		return state_of(parser, err);
	return reply->number == parser->number ? FILES_OK : FILES_CRASHED;
}

static bool may_be_said(u32 state)
{
	return state == FILES_OK || state == FILES_NO_SYMBOLS || state == FILES_BAD ||
	       state == FILES_GONE;
}

static enum files_state parse(struct helpers *helpers, const struct parse_job *job,
			      struct helper *parser, struct parser_reply *reply,
			      struct answer *answer, u64 deadline_ns)
{
	_cleanup_close_ int to = answer_new(), addresses = -1;
	enum files_state state;

	if (job->addresses)
		addresses = answer_new_addresses(job->addresses, job->request.nr_addresses);
	if (to < 0 || (job->addresses && addresses < 0))
		return FILES_GONE;
	if (job->file < 0)
		state = send_vdso(job, parser, to, addresses, deadline_ns);
	else
		state = pass_on(helpers, job, parser->child.socket, to, addresses, deadline_ns);
	if (state != FILES_OK)
		return state;
	state = receive_reply(parser, reply, deadline_ns);
	if (state != FILES_OK)
		return state;
	if (!may_be_said(reply->state) || !debug_link_is_sane(&reply->link))
		return FILES_CRASHED;
	if ((reply->state == FILES_OK || reply->state == FILES_NO_SYMBOLS) &&
	    answer_map(to, answer))
		return FILES_CRASHED;
	return FILES_OK;
}

enum files_state helpers_parse(struct helpers *helpers, const struct parse_job *job,
			       struct parser_reply *reply, struct answer *answer, u64 deadline_ns)
{
	struct helper *parser = take(helpers, PARSER, job->owner);
	struct parse_job numbered = *job;
	enum files_state state;

	*answer = (struct answer){};
	if (!parser)
		return FILES_CRASHED;
	numbered.request.number = ++parser->number;
	state = parse(helpers, &numbered, parser, reply, answer, deadline_ns);
	/* What an opener could not open has not come to the parser. */
	release(helpers, parser,
		state == FILES_CRASHED || state == FILES_TIMED_OUT || state == FILES_TOO_LONG);
	return state;
}

/* It serves once, so it has no place among those that are kept. */
static bool make_for_once(struct helpers *helpers, enum helper_role role, struct helper *helper)
{
	bool may;
	int err;

	pthread_mutex_lock(&helpers->lock);
	may = !helpers->closed && helpers->forker >= 0 && count_stuck(helpers) < MAX_STUCK;
	helpers->count.nr_made += may;
	pthread_mutex_unlock(&helpers->lock);
	if (!may)
		return false;
	pthread_mutex_lock(&helpers->forking);
	err = forker_make(helpers->forker, role, &helper->child);
	pthread_mutex_unlock(&helpers->forking);
	return !err;
}

enum files_state helpers_attach(struct helpers *helpers, const struct attach_request *request,
				int socket, u64 deadline_ns)
{
	const struct message message = {
		.head = request, .size = sizeof(*request), .fds = &socket, .nr_fds = 1};
	struct helper attacher = {};
	struct attach_reply reply;
	struct received with = {};
	int err;

	if (!make_for_once(helpers, ATTACHER, &attacher))
		return FILES_CRASHED;
	err = message_send(attacher.child.socket, &message, deadline_ns);
	if (!err)
		err = message_receive(attacher.child.socket, &reply, sizeof(reply), 0, &with,
				      deadline_ns);
	pthread_mutex_lock(&helpers->lock);
	end(helpers, &attacher, err != 0);
	pthread_mutex_unlock(&helpers->lock);
	if (err)
		return err == -ETIMEDOUT ? FILES_VM_SILENT : FILES_CRASHED;
	return reply.state == FILES_OK || reply.state == FILES_NO_MAP
		       ? (enum files_state)reply.state
		       : FILES_REFUSED;
}

int helpers_download(struct helpers *helpers, const struct download_request *request,
		     const char *environment, u64 *size, u64 deadline_ns)
{
	const struct message message = {
		.head = request, .size = sizeof(*request), .path = environment};
	struct helper downloader = {};
	struct download_reply reply;
	struct received with = {};
	int err;

	if (!make_for_once(helpers, DOWNLOADER, &downloader))
		return -EAGAIN;
	err = message_send(downloader.child.socket, &message, deadline_ns);
	if (!err)
		err = message_receive(downloader.child.socket, &reply, sizeof(reply), 1, &with,
				      deadline_ns);
	pthread_mutex_lock(&helpers->lock);
	end(helpers, &downloader, err != 0);
	pthread_mutex_unlock(&helpers->lock);
	if (err)
		return err;
	if (reply.error || with.nr_fds != 1) {
		received_close(&with);
		return reply.error < 0 ? reply.error : -EPROTO;
	}
	*size = reply.size;
	return with.fds[0];
}

void helpers_distrust(struct helpers *helpers, uid_t owner)
{
	pthread_mutex_lock(&helpers->lock);
	for (size_t i = 0; i < HELPERS_AT_ONCE; i++) {
		struct helper *parser = &helpers->at[PARSER][i];

		if (parser->child.pid && !parser->busy && parser->owner == owner)
			end(helpers, parser, true);
	}
	pthread_mutex_unlock(&helpers->lock);
}

u32 helpers_forker(const struct helpers *helpers)
{
	return helpers->forker >= 0 ? (u32)helpers->forker_pid : 0;
}

/* Gives what was killed just now the time to end. */
static u32 wait_for_stuck(struct helpers *helpers)
{
	const struct timespec pause = {.tv_nsec = NSEC_PER_MSEC};
	u32 nr = 0, nr_new = 1;

	while (nr_new) {
		pthread_mutex_lock(&helpers->lock);
		nr = count_stuck(helpers);
		nr_new = count_left(helpers) - nr;
		pthread_mutex_unlock(&helpers->lock);
		if (nr_new)
			nanosleep(&pause, NULL);
	}
	return nr;
}

struct helpers_count helpers_count(struct helpers *helpers)
{
	u32 nr_stuck = wait_for_stuck(helpers);
	struct helpers_count count;

	pthread_mutex_lock(&helpers->lock);
	count = helpers->count;
	count.nr_stuck = nr_stuck;
	count.cpu_ns += process_cpu_ns((u32)helpers->forker_pid);
	for (int role = 0; role < NR_HELPER_ROLES; role++)
		for (size_t i = 0; i < HELPERS_AT_ONCE; i++)
			count.cpu_ns += cpu_ns(&helpers->at[role][i]);
	pthread_mutex_unlock(&helpers->lock);
	return count;
}
