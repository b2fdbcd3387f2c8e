/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtimes.c: the table. All are beginnings of names: files have versions, functions suffixes.
 */
#include "runtimes.h"

enum role {
	LIBC,
	RUNTIME_FILE,
	RUNTIME_FUNCTION,
	GOROUTINE,
	INTERPRETER,
	INTERPRETER_LOCK,
	WORD_LOCK,
	MONITOR_LOCK,
	CONDITION,
	MUTEX,
	JAVA_WAIT,
};

static const struct {
	const char *begins;
	enum role role;
} names[] = {
	/* C */
	{"libc.so", LIBC},
	{"libc-", LIBC},
	{"libc.musl", LIBC},
	{"ld-musl", LIBC},
	{"libpthread", LIBC},
	{"ld-linux", LIBC},
	/* Their futexes do not say that they are locks. */
	{"pthread_rwlock_", WORD_LOCK},
	{"__pthread_rwlock_", WORD_LOCK},
	/* glibc has several names for each. */
	{"pthread_cond_", CONDITION},
	{"__pthread_cond_", CONDITION},
	{"___pthread_cond_", CONDITION},
	{"pthread_mutex_", MUTEX},
	{"__pthread_mutex_", MUTEX},
	{"___pthread_mutex_", MUTEX},
	{"__GI___pthread_mutex_", MUTEX},
	/* Java. A monitor has no futex: each thread waits for one of its own. */
	{"libjvm.so", RUNTIME_FILE},
	{"ObjectMonitor::enter", MONITOR_LOCK},
	{"ObjectMonitor::EnterI", MONITOR_LOCK},
	{"ObjectSynchronizer::enter", MONITOR_LOCK},
	{"InterpreterRuntime::monitorenter", MONITOR_LOCK},
	{"SharedRuntime::complete_monitor_locking", MONITOR_LOCK},
	{"Runtime1::monitorenter", MONITOR_LOCK},
	/* Methods, behind their type: how Java's classes wait, where the program does. */
	{"java.util.concurrent.locks.", JAVA_WAIT},
	{"java.lang.Object.wait", JAVA_WAIT},
	{"java.lang.Thread.sleep", JAVA_WAIT},
	{"java.lang.Thread.join", JAVA_WAIT},
	{"java.lang.VirtualThread.", JAVA_WAIT},
	{"jdk.internal.misc.Unsafe.", JAVA_WAIT},
	{"sun.misc.Unsafe.", JAVA_WAIT},
	/* Go */
	{"runtime.", RUNTIME_FUNCTION},
	{"internal/runtime/", RUNTIME_FUNCTION},
	{"runtime/internal/", RUNTIME_FUNCTION},
	{"syscall.", RUNTIME_FUNCTION},
	{"internal/syscall/", RUNTIME_FUNCTION},
	{"internal/poll.", RUNTIME_FUNCTION},
	{"internal/sync.", RUNTIME_FUNCTION},
	{"sync.", RUNTIME_FUNCTION},
	{"time.Sleep", RUNTIME_FUNCTION},
	{"runtime.goexit", GOROUTINE},
	/* Python */
	{"python3", INTERPRETER},
	{"libpython3", INTERPRETER},
	{"take_gil", INTERPRETER_LOCK},
};

static bool has_role(struct string name, enum role role)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].role == role && string_begins(name, names[i].begins))
			return true;
	return false;
}

bool file_is_libc(struct string name)
{
	return has_role(name, LIBC);
}

bool file_is_runtime(struct string name)
{
	return has_role(name, RUNTIME_FILE);
}

bool function_is_runtimes(struct string name)
{
	return has_role(name, RUNTIME_FUNCTION);
}

bool method_waits(struct string name)
{
	const char *blank = memchr(name.s, ' ', name.size);
	size_t at = blank ? (size_t)(blank - name.s) + 1 : 0;

	return has_role((struct string){name.s + at, name.size - at}, JAVA_WAIT);
}

bool function_begins_goroutine(struct string name)
{
	return has_role(name, GOROUTINE);
}

bool file_is_interpreter(struct string name)
{
	return has_role(name, INTERPRETER);
}

bool function_takes_interpreter(struct string name)
{
	return has_role(name, INTERPRETER_LOCK);
}

enum library_lock function_waits_for_lock(struct string name)
{
	if (has_role(name, MONITOR_LOCK))
		return LOCK_OF_MONITOR;
	return has_role(name, WORD_LOCK) ? LOCK_BY_WORD : NO_LIBRARY_LOCK;
}

bool function_waits_for_condition(struct string name)
{
	return has_role(name, CONDITION);
}

bool function_waits_for_mutex(struct string name)
{
	return has_role(name, MUTEX);
}
