/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.c: names of what threads wait for. Those of files come with the body, since the process
 * can be gone; the host is asked for two that it keeps: the name of a disk, and of the process at
 * the other end of a Unix socket.
 */
#include "objects.h"

#include <arpa/inet.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "legs.h"

enum { MINOR_BITS = 20, MOST_NAMES = WICK_OBJECT_NAMES };

/* ---- files */

/* "/var/lib/x" of "x\0lib\0var\0". */
static void add_path(struct strbuf *b, const struct wick_object_body *body)
{
	const char *names[MOST_NAMES];
	size_t nr = 0, at = 0;

	while (at < body->body.nr && nr < MOST_NAMES) {
		names[nr++] = body->names + at;
		at += strnlen(body->names + at, body->body.nr - at) + 1;
	}
	if (body->path_end == WICK_PATH_CUT)
		strbuf_adds(b, "...");
	for (size_t i = nr; i-- > 0;) {
		const char *end = body->names + body->body.nr;

		if (body->path_end != WICK_PATH_PSEUDO)
			strbuf_addc(b, '/');
		strbuf_add(b, names[i], strnlen(names[i], (size_t)(end - names[i])));
	}
	if (!nr && body->path_end == WICK_PATH_ROOT)
		strbuf_addc(b, '/');
}

/* The kernel's names: include/linux/anon_inodes.h has no list of them. */
static void add_event(struct strbuf *b, const struct wick_object_body *body)
{
	_cleanup_strbuf_ struct strbuf name = {};
	const char *s;
	size_t size;

	strbuf_add(&name, body->names, strnlen(body->names, body->body.nr));
	s = name.s ? name.s : "";
	size = name.size;
	if (size > 2 && s[0] == '[' && s[size - 1] == ']') {
		s++;
		size -= 2;
	}
	if (size == strlen("eventpoll") && !memcmp(s, "eventpoll", size))
		strbuf_adds(b, "epoll");
	else
		strbuf_add(b, s, size);
}

static u32 name_of_disk(struct profile *p, u32 number)
{
	u32 major = number >> MINOR_BITS, minor = number & ((1u << MINOR_BITS) - 1);
	_cleanup_free_ char *path = format("/sys/dev/block/%u:%u", major, minor);
	_cleanup_strbuf_ struct strbuf name = {};
	char target[PATH_MAX];
	const char *base;
	ssize_t size;

	if (!number)
		return 0;
	size = readlink(path, target, sizeof(target) - 1);
	if (size > 0) {
		target[size] = 0;
		base = strrchr(target, '/');
		return strings_adds(&p->names, base ? base + 1 : target);
	}
	strbuf_addf(&name, "%u:%u", major, minor);
	return strings_adds(&p->names, name.s);
}

/* ---- sockets */

static bool is_internet(const struct wick_object_key *key)
{
	return key->family == AF_INET || key->family == AF_INET6;
}

/* An IPv4 address as IPv6 has it: ::ffff:a.b.c.d (RFC 4291, 2.5.5.2). */
static bool is_mapped(const __u64 address[2])
{
	static const u8 prefix[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(address, prefix, sizeof(prefix));
}

static void add_address(struct strbuf *b, u32 family, const __u64 address[2], u32 port)
{
	const char *bytes = (const char *)address;
	char text[INET6_ADDRSTRLEN] = "";

	if (family == AF_INET6 && is_mapped(address)) {
		family = AF_INET;
		bytes += 12;
	}
	inet_ntop((int)family, bytes, text, sizeof(text));
	strbuf_addf(b, family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

static void add_process(struct strbuf *b, u32 pid)
{
	char comm[WICK_COMM_SIZE];
	size_t size = legs_comm_of(pid, comm);

	strbuf_add(b, comm, size);
	strbuf_addf(b, size ? "-%u" : "%u", pid);
}

/* A name that begins with 0 is in no file system: unix(7). */
static void add_unix(struct strbuf *b, const struct wick_object_body *body)
{
	if (body->body.nr && !body->names[0]) {
		strbuf_addc(b, '@');
		strbuf_add(b, body->names + 1, body->body.nr - 1);
	} else if (body->body.nr) {
		strbuf_add(b, body->names, strnlen(body->names, body->body.nr));
	} else {
		strbuf_add_digits(b, body->key.id);
	}
	if (!body->peer_pid)
		return;
	strbuf_adds(b, " to ");
	add_process(b, body->peer_pid);
}

static void add_socket(struct strbuf *b, const struct wick_object_body *body)
{
	const struct wick_object_key *key = &body->key;

	if (key->family == AF_UNIX) {
		add_unix(b, body);
	} else if (is_internet(key)) {
		add_address(b, key->family, key->local, key->local_port);
		if (!key->remote_port)
			return;
		strbuf_adds(b, " -> ");
		add_address(b, key->family, key->remote, key->remote_port);
	} else {
		strbuf_addf(b, "%llu of family %u", (unsigned long long)key->id, key->family);
	}
}

/* What the ends of a connection are found by: a number for (one end, the other end). */
static u64 end_of(const struct wick_object_key *key, bool local)
{
	u64 words[6] = {
		key->local[0],	key->local[1],	 key->remote[0],
		key->remote[1], key->local_port, (u64)key->protocol << 32 | key->remote_port,
	};

	if (!local) {
		memcpy(words, key->remote, sizeof(key->remote));
		memcpy(words + 2, key->local, sizeof(key->local));
		words[4] = key->remote_port;
		words[5] = (u64)key->protocol << 32 | key->local_port;
	}
	return hash_bytes(words, sizeof(words)) | 1;
}

static void find_ends(struct object *object, const struct wick_object_key *key)
{
	if (key->kind != WICK_OBJECT_SOCKET)
		return;
	if (key->family == AF_UNIX && key->of) {
		object->here = key->id;
		object->there = key->of;
	} else if (is_internet(key) && key->remote_port) {
		object->here = end_of(key, true);
		object->there = end_of(key, false);
	}
}

/* ---- objects of any kind */

static void add_futex(struct strbuf *b, const struct wick_object_body *body)
{
	strbuf_addf(b, "0x%llx", (unsigned long long)body->key.id);
	if (!body->body.nr)
		return;
	strbuf_adds(b, " in shared memory ");
	add_path(b, body);
}

static void add_pipe(struct strbuf *b, const struct wick_object_body *body)
{
	if (body->body.nr)
		add_path(b, body);
	else
		strbuf_add_digits(b, body->key.id);
}

static void add_child(struct strbuf *b, const struct wick_object_body *body)
{
	if (body->key.id)
		strbuf_add_digits(b, body->key.id);
}

static void add_nothing(struct strbuf *b, const struct wick_object_body *body)
{
	(void)b;
	(void)body;
}

typedef void add_name_of(struct strbuf *b, const struct wick_object_body *body);

static add_name_of *const namers[WICK_NR_OBJECTS] = {
	[WICK_OBJECT_FUTEX] = add_futex,   [WICK_OBJECT_SOCKET] = add_socket,
	[WICK_OBJECT_FILE] = add_path,	   [WICK_OBJECT_PIPE] = add_pipe,
	[WICK_OBJECT_TERMINAL] = add_path, [WICK_OBJECT_EVENT] = add_event,
	[WICK_OBJECT_CHILD] = add_child,   [WICK_OBJECT_TIMER] = add_nothing,
};

u32 objects_row(struct profile *p, const struct wick_object_body *body)
{
	const struct wick_object_key *key = &body->key;
	_cleanup_strbuf_ struct strbuf name = {};
	struct object object = {
		.kind = key->kind,
		.peer_pid = body->peer_pid,
		.id = key->id,
		.of = key->of ^ (u64)key->device << 32,
	};

	if (key->kind >= WICK_NR_OBJECTS || !namers[key->kind])
		return 0;
	namers[key->kind](&name, body);
	object.name = strings_add(&p->names, name.s ? name.s : "", name.size);
	object.device = name_of_disk(p, body->disk);
	find_ends(&object, key);
	return profile_object(p, &object);
}
