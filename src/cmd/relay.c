/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd.h"
#include "own_memory.h"
#include "rights.h"

#define LONG_NS (10 * 60 * NSEC_PER_SEC) /* a shorter run has no parts */

enum {
	LEAD_S = 4, /* from when a successor is open to its window: others look once a second */
	/*
	 * Bytes, or half of what a run may take: a runner with more hands over. That costs about a
	 * second of CPU time, and the file has again what is in its dictionaries.
	 */
	MOST_MEMORY = 256 << 20,
	LEAST_GROWTH = 2, /* times the memory of its first second, before a runner hands over */
	MAX_RUNNERS = 2,  /* at a time */
};

enum note_kind {
	NOTE_BEGUN,	/* to the parent: when the window begins */
	NOTE_HAND_OVER, /* to the parent: a successor is wanted, for this file */
	NOTE_END,	/* to a runner: when its window ends, since another one's begins */
	NOTE_STOP,	/* to a runner: its window ends now */
};

struct note {
	enum note_kind kind;
	u64 time;
	dev_t device;
	ino_t inode;
};

struct relay {
	int socket;
	bool follows, is_followed, has_told, has_asked;
	u64 first_begin; /* of the first runner's window */
	u64 end;	 /* of its own, if the parent has told it */
	u64 first_memory;
	dev_t device; /* the file that it goes on with */
	ino_t inode;
};

/* An end that is gone needs no note. */
static void tell(int socket, const struct note *note)
{
	send(socket, note, sizeof(*note), MSG_NOSIGNAL);
}

bool relay_is_wanted(const struct run_options *o)
{
	const struct collect_options *c = &o->collect;

	return o->recording && !o->look.outputs.nr && !o->drawing.page && !o->json && !o->stats &&
	       !c->program && !(o->needs & NEED_THREADS) &&
	       (!c->duration_ns || c->duration_ns >= LONG_NS || o->max_memory || o->part_ns);
}

/* ---- a runner */

bool relay_follows(const struct relay *r)
{
	return r && r->follows;
}

bool relay_is_part(const struct relay *r)
{
	return r && (r->follows || r->is_followed);
}

static void tell_begin(void *ctx, u64 begin)
{
	struct relay *r = ctx;

	tell(r->socket, &(struct note){.kind = NOTE_BEGUN, .time = begin});
	r->has_told = true;
}

void relay_fit(struct relay *r, struct collect_options *o)
{
	if (!relay_follows(r))
		return;
	o->start = (struct collect_start){
		.in_ns = LEAD_S * NSEC_PER_SEC, .tell = tell_begin, .ctx = r};
	if (o->duration_ns)
		o->start.until_ns = r->first_begin + o->duration_ns;
}

u64 relay_before(const struct relay *r, u64 begin)
{
	return relay_follows(r) ? begin - min(begin, r->first_begin) : 0;
}

/* Near its end a run needs no successor. */
static bool is_due(struct relay *r, const struct run_options *o, u64 begin, u64 end)
{
	u64 now = monotonic_ns(), memory = own_memory();

	if (!r->first_memory)
		r->first_memory = memory;
	if (end - min(end, now) < 2 * LEAD_S * NSEC_PER_SEC)
		return false;
	if (o->part_ns)
		return now - min(now, begin) >= o->part_ns;
	return memory > min(o->max_memory / 2, (u64)MOST_MEMORY) &&
	       memory > LEAST_GROWTH * r->first_memory;
}

static void hand_over(struct relay *r, int file)
{
	struct note note = {.kind = NOTE_HAND_OVER};
	struct stat st;

	r->has_asked = true;
	if (fstat(file, &st) || !S_ISREG(st.st_mode) || !relay_lock(file, false))
		return;
	note.device = st.st_dev;
	note.inode = st.st_ino;
	tell(r->socket, &note);
}

u64 relay_step(struct relay *r, const struct run_options *o, u64 begin, u64 end, int file)
{
	struct note note;

	if (!r)
		return UINT64_MAX;
	if (!r->has_told)
		tell_begin(r, begin);
	while (recv(r->socket, &note, sizeof(note), MSG_DONTWAIT) == sizeof(note)) {
		r->is_followed |= note.kind == NOTE_END;
		r->end = note.kind == NOTE_END ? note.time : 0;
	}
	if (!r->has_asked && is_due(r, o, begin, end))
		hand_over(r, file);
	return r->end;
}

int relay_open(const struct relay *r, const char *path, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	_cleanup_close_ int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fail(error, -errno, "cannot go on with %s: %s", path, strerror(errno));
	if (st.st_dev != r->device || st.st_ino != r->inode)
		return fail(
			error, -ESTALE,
			"cannot go on with %s: it is another file than the one that the run has "
			"begun",
			path);
	return steal_fd(&fd);
}

bool relay_lock(int file, bool wait)
{
	int err;

	do
		err = flock(file, LOCK_EX | (wait ? 0 : LOCK_NB));
	while (err && errno == EINTR);
	return !err;
}

/* ---- their parent */

struct runner {
	pid_t pid;
	int socket;
	u64 begin; /* of its window; 0: it has not told */
};

struct parent {
	int (*run)(void *ctx, struct relay *relay);
	void *ctx;
	sigset_t signals, before;
	int signal_fd;
	struct runner runners[MAX_RUNNERS]; /* in order */
	size_t nr;
	size_t nr_parts;
	struct relay next; /* what the next one is told */
	bool stops;
	int status;
};

static void run_here(struct parent *p, int socket, pid_t parent)
{
	struct relay relay = p->next;

	/* A signal to the parent is passed on; one that kills it ends the run as well. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < p->nr; i++)
		close(p->runners[i].socket);
	close(p->signal_fd);
	sigprocmask(SIG_SETMASK, &p->before, NULL);
	relay.socket = socket;
	relay.end = UINT64_MAX;
	exit(p->run(p->ctx, &relay));
}

/* Returns whether there is one more. */
static bool start_runner(struct parent *p)
{
	pid_t self = getpid(), pid;
	int ends[2];

	if (p->stops || p->nr == MAX_RUNNERS ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		run_here(p, ends[1], self);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	p->runners[p->nr++] = (struct runner){.pid = pid, .socket = ends[0]};
	return true;
}

static void take_note(struct parent *p, size_t from, const struct note *note)
{
	switch (note->kind) {
	case NOTE_BEGUN:
		p->nr_parts++;
		p->runners[from].begin = note->time;
		if (!p->next.first_begin)
			p->next.first_begin = note->time;
		if (from)
			tell(p->runners[from - 1].socket,
			     &(struct note){.kind = NOTE_END, .time = note->time});
		return;
	case NOTE_HAND_OVER:
		p->next.follows = true;
		p->next.device = note->device;
		p->next.inode = note->inode;
		if (from + 1 == p->nr)
			start_runner(p);
		return;
	case NOTE_END:
	case NOTE_STOP:
		return;
	}
}

static void take_notes(struct parent *p)
{
	struct note note;

	for (size_t i = 0; i < p->nr; i++)
		while (recv(p->runners[i].socket, &note, sizeof(note), MSG_DONTWAIT) ==
		       sizeof(note))
			take_note(p, i, &note);
}

/* One whose window has not begun has nothing to write. */
static void stop(struct parent *p)
{
	p->stops = true;
	for (size_t i = 0; i < p->nr; i++) {
		const struct runner *runner = &p->runners[i];

		if (i && (!runner->begin || runner->begin > monotonic_ns()))
			kill(runner->pid, SIGKILL);
		else
			tell(runner->socket, &(struct note){.kind = NOTE_STOP});
	}
}

/*
 * The first signal ends the run, and the second one ends it at once, as without a relay. What a
 * terminal or systemd sends it sends to all of them, so the first one is not passed on as a signal:
 * it would be a runner's second.
 */
static void pass_on(struct parent *p, const struct signalfd_siginfo *signal)
{
	if (!p->stops) {
		stop(p);
		return;
	}
	for (size_t i = 0; i < p->nr && signal->ssi_code != SI_KERNEL; i++)
		kill(p->runners[i].pid, (int)signal->ssi_signo);
}

static void end_runner(struct parent *p, size_t i, int status)
{
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

	if (!p->status && !(p->stops && i && WIFSIGNALED(status)))
		p->status = code;
	close(p->runners[i].socket);
	memmove(&p->runners[i], &p->runners[i + 1], (p->nr - i - 1) * sizeof(p->runners[0]));
	p->nr--;
}

static void reap(struct parent *p)
{
	for (size_t i = p->nr; i-- > 0;) {
		int status;

		if (waitpid(p->runners[i].pid, &status, WNOHANG) == p->runners[i].pid)
			end_runner(p, i, status);
	}
}

static void wait_for_runners(struct parent *p)
{
	struct pollfd polled[MAX_RUNNERS + 1] = {{.fd = p->signal_fd, .events = POLLIN}};
	struct signalfd_siginfo signal;

	for (size_t i = 0; i < p->nr; i++)
		polled[i + 1] = (struct pollfd){.fd = p->runners[i].socket, .events = POLLIN};
	if (poll(polled, (nfds_t)p->nr + 1, -1) < 0)
		return;
	take_notes(p);
	while (read(p->signal_fd, &signal, sizeof(signal)) == sizeof(signal)) {
		if (signal.ssi_signo != SIGCHLD)
			pass_on(p, &signal);
	}
	reap(p);
}

/* As signals.h has them. */
static void catch_signals(struct parent *p)
{
	struct sigaction hangup;

	sigemptyset(&p->signals);
	sigaddset(&p->signals, SIGCHLD);
	sigaddset(&p->signals, SIGINT);
	sigaddset(&p->signals, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&p->signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &p->signals, &p->before);
	p->signal_fd = signalfd(-1, &p->signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int relay_run(const struct run_options *o, int (*run)(void *ctx, struct relay *relay), void *ctx)
{
	struct parent p = {.run = run, .ctx = ctx};

	catch_signals(&p);
	if (p.signal_fd < 0 || !start_runner(&p)) {
		sigprocmask(SIG_SETMASK, &p.before, NULL);
		return run(ctx, NULL);
	}
	while (p.nr)
		wait_for_runners(&p);
	if (p.nr_parts > 1 && !o->quiet)
		fprintf(stderr,
			"%s has the run in %zu parts; `wick info %s` tells of it, `wick record -i "
			"%s` draws it\n",
			o->recording, p.nr_parts, o->recording, o->recording);
	close(p.signal_fd);
	return p.status;
}
