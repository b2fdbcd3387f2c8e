/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash.c: what happens when wick crashes.
 *
 *	the thread that crashed		main thread, which may be the same
 *	says where
 *	stops ------------------------> leaves what it was at
 *					finishes the run, and writes it
 *					... if that crashes or hangs, forks a child, which
 *					    writes what there is, without names
 *					dies by the signal
 *
 * The first attempt is not in a child, since that has no threads to ask for names, and no rings of
 * perf events. The heap may be broken, or a lock held for ever, so each attempt has an alarm, and
 * can crash again. Nothing here but an attempt takes memory or locks. A handler knows nothing but
 * global variables.
 */
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/base.h"
#include "crash.h"
#include "temporary.h"

enum {
	STACK_SIZE = 1 << 20, /* of the handler, and of the rescue: it draws */
	HERE_S = 20,
	CHILD_S = 10,
	MAX_FRAMES = 32,
	BUILD_ID_SIZE = 20,
};

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct {
	crash_rescue *rescue;
	void *ctx;
	pid_t process; /* and its main thread; a child has no crash handler until it execs */
	pid_t thread;  /* that has crashed; 0: none */
	volatile bool is_rescuing; /* the main thread */
	volatile bool is_trying;   /* ... what fails goes on at `failed` */
	sigjmp_buf failed;
	char build_id[2 * BUILD_ID_SIZE + 1];
} crash;

static void say(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));

	(void)written;
}

/* ---- where it was */

static void add_hex(char *to, const u8 *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

static void take_build_id(const char *notes, size_t size)
{
	size_t at = 0;

	while (at + sizeof(ElfW(Nhdr)) <= size) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t description = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);

		if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= BUILD_ID_SIZE)
			add_hex(crash.build_id, (const u8 *)notes + description, note->n_descsz);
		at = description + ((note->n_descsz + 3) & ~3u);
	}
}

/* The first object is the program. */
static int find_build_id(struct dl_phdr_info *object, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];

		if (header->p_type == PT_NOTE && !crash.build_id[0])
			take_build_id((const char *)object->dlpi_addr + header->p_vaddr,
				      header->p_memsz);
	}
	return 1;
}

static void say_where(int number, const siginfo_t *info)
{
	void *frames[MAX_FRAMES];
	char address[2 * sizeof(u64) + 1];
	u64 value = (u64)(uintptr_t)info->si_addr;
	u8 bytes[sizeof(value)];

	for (size_t i = 0; i < sizeof(value); i++)
		bytes[i] = (u8)(value >> (56 - 8 * i));
	add_hex(address, bytes, sizeof(bytes));
	say("wick: crashed by SIG");
	say(sigabbrev_np(number));
	if (info->si_code > 0 && number != SIGABRT) {
		say(" at address 0x");
		say(address);
	}
	say(info->si_code <= 0 && info->si_pid != getpid() ? ", sent by another process" : "");
	say(", here (build id ");
	say(crash.build_id[0] ? crash.build_id : "unknown");
	say("):\n");
	backtrace_symbols_fd(frames, backtrace(frames, MAX_FRAMES), STDERR_FILENO);
	say("wick: this is a bug in wick " WICK_VERSION "; please report these lines and the "
	    "command.\n");
}

/* ---- the rescue */

static void unblock_signals(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGALRM);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaddset(&ours, crashes[i]);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

static void reset_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	unblock_signals();
}

static bool try_here(void)
{
	bool done;

	if (sigsetjmp(crash.failed, true)) {
		crash.is_trying = false;
		return false;
	}
	crash.is_trying = true;
	unblock_signals();
	alarm(HERE_S);
	done = crash.rescue(crash.ctx, CRASH_HERE);
	alarm(0);
	crash.is_trying = false;
	return done;
}

/* Without the C library's own fork(), whose steps take locks. */
static bool try_in_child(void)
{
	int status = 0;
	pid_t pid = _Fork();

	if (!pid) {
		reset_signals();
		alarm(CHILD_S);
		_exit(!crash.rescue(crash.ctx, CRASH_IN_CHILD));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void write_what_there_is(void)
{
	say(try_here() || try_in_child() ? "wick: what was collected until then is written\n"
					 : "wick: what was collected could not be written\n");
}

static _Noreturn void die(int number)
{
	temporary_remove_all();
	reset_signals();
	raise(number);
	_exit(128 + number);
}

/* The alarm is the process's, and may come to any thread. */
static void on_alarm(int number)
{
	if (crash.process != (pid_t)syscall(SYS_gettid))
		syscall(SYS_tgkill, crash.process, crash.process, number);
	else if (crash.is_trying)
		siglongjmp(crash.failed, 1);
}

/* In the main thread, once; what crashes in here comes here again. */
static void rescue_in_main_thread(int number)
{
	if (crash.is_trying)
		siglongjmp(crash.failed, 1);
	if (!crash.is_rescuing && crash.rescue) {
		crash.is_rescuing = true;
		write_what_there_is();
	}
	die(number);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	pid_t none = 0, self = (pid_t)syscall(SYS_gettid);
	bool is_first;

	(void)context;
	if (getpid() != crash.process)
		die(number);
	is_first = __atomic_compare_exchange_n(&crash.thread, &none, self, false, __ATOMIC_SEQ_CST,
					       __ATOMIC_SEQ_CST);
	if (is_first)
		say_where(number, info);
	if (self == crash.process)
		rescue_in_main_thread(number);
	if (is_first)
		syscall(SYS_tgkill, crash.process, crash.process, number);
	while (true)
		pause();
}

/* ---- */

static void use_other_stack(void)
{
	stack_t stack = {.ss_size = STACK_SIZE};

	stack.ss_sp = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
}

__attribute__((unused)) static void install(void)
{
	struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	const struct sigaction alarm_action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
	void *frame;

	crash.process = getpid();
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
	sigaction(SIGALRM, &alarm_action, NULL);
	unblock_signals();
	use_other_stack();
	dl_iterate_phdr(find_build_id, NULL);
	/* Its first call loads a library. */
	backtrace(&frame, 1);
}

void crash_catch(void)
{
#ifndef __SANITIZE_ADDRESS__
	install();
#endif
}

void crash_rescue_by(crash_rescue *rescue, void *ctx)
{
	crash.ctx = ctx;
	crash.rescue = rescue;
}
