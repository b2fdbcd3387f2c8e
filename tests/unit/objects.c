/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow/objects.h"

#include <sys/socket.h>

#include "test.h"

/* Names as BPF sends them, with their ends. */
#define NAMES(...) .names = __VA_ARGS__, .body = {.nr = sizeof(__VA_ARGS__)}

static const struct {
	const char *name;
	struct wick_object_body body;
} named[] = {
	{"0x7f10", {.key = {.kind = WICK_OBJECT_FUTEX, .id = 0x7f10}}},
	{"0x40 in shared memory /dev/shm/x",
	 {NAMES("x\0shm\0dev"), .key = {.kind = WICK_OBJECT_FUTEX, .id = 0x40},
	  .path_end = WICK_PATH_ROOT}},
	{"/var/lib/x",
	 {NAMES("x\0lib\0var"), .key = {.kind = WICK_OBJECT_FILE}, .path_end = WICK_PATH_ROOT}},
	{".../lib/x", {NAMES("x\0lib"), .key = {.kind = WICK_OBJECT_FILE}}},
	{"/", {.key = {.kind = WICK_OBJECT_FILE}, .path_end = WICK_PATH_ROOT}},
	{"memfd:x",
	 {NAMES("memfd:x"), .key = {.kind = WICK_OBJECT_FILE}, .path_end = WICK_PATH_PSEUDO}},
	{"eventfd", {NAMES("[eventfd]"), .key = {.kind = WICK_OBJECT_EVENT}}},
	{"epoll", {NAMES("[eventpoll]"), .key = {.kind = WICK_OBJECT_EVENT}}},
	{"inotify", {NAMES("inotify"), .key = {.kind = WICK_OBJECT_EVENT}}},
	{"77", {.key = {.kind = WICK_OBJECT_PIPE, .id = 77}}},
	{"", {.key = {.kind = WICK_OBJECT_CHILD}}},
	{"5", {.key = {.kind = WICK_OBJECT_CHILD, .id = 5}}},
	{"/run/x",
	 {NAMES("/run/x"), .key = {.kind = WICK_OBJECT_SOCKET, .family = AF_UNIX, .id = 9}}},
	{"9", {.key = {.kind = WICK_OBJECT_SOCKET, .family = AF_UNIX, .id = 9}}},
	{"9 of family 16", {.key = {.kind = WICK_OBJECT_SOCKET, .family = AF_NETLINK, .id = 9}}},
};

static void things_have_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		struct profile p;
		u32 row;

		profile_init(&p);
		row = objects_row(&p, &named[i].body);
		CHECK_EQ(row, 1);
		CHECK_STR(strings_get(&p.names, p.objects.at[row].name).s, named[i].name);
		CHECK_EQ(objects_row(&p, &named[i].body), row);
		profile_release(&p);
	}
}

static void no_thing_is_no_row(void)
{
	struct wick_object_body body = {.key = {.kind = WICK_NR_OBJECTS}};
	struct profile p;

	profile_init(&p);
	CHECK_EQ(objects_row(&p, &body), 0);
	body.key.kind = WICK_OBJECT_LOCK; /* how a futex is used */
	CHECK_EQ(objects_row(&p, &body), 0);
	profile_release(&p);
}

static const u8 here[16] = {10, 0, 0, 7}, there[16] = {10, 0, 0, 9};

static void the_ends_of_a_connection_find_each_other(void)
{
	struct wick_object_body client = {.key = {.kind = WICK_OBJECT_SOCKET,
						  .family = AF_INET,
						  .protocol = 6,
						  .local_port = 41822,
						  .remote_port = 5432}};
	struct wick_object_body server = client;
	struct object one, other;
	struct profile p;

	memcpy(client.key.local, here, sizeof(here));
	memcpy(client.key.remote, there, sizeof(there));
	memcpy(server.key.local, there, sizeof(there));
	memcpy(server.key.remote, here, sizeof(here));
	server.key.local_port = 5432;
	server.key.remote_port = 41822;
	profile_init(&p);
	one = p.objects.at[objects_row(&p, &client)];
	other = p.objects.at[objects_row(&p, &server)];
	CHECK_STR(strings_get(&p.names, one.name).s, "10.0.0.7:41822 -> 10.0.0.9:5432");
	CHECK_STR(strings_get(&p.names, other.name).s, "10.0.0.9:5432 -> 10.0.0.7:41822");
	CHECK(one.here && one.here == other.there && one.there == other.here);
	CHECK(one.here != one.there);
	server.key.remote_port = 41823;
	CHECK(p.objects.at[objects_row(&p, &server)].there != one.here);
	profile_release(&p);
}

static void an_address_of_ipv4_in_ipv6_is_written_as_one(void)
{
	static const u8 mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1};
	struct wick_object_body body = {.key = {.kind = WICK_OBJECT_SOCKET,
						.family = AF_INET6,
						.local_port = 80,
						.remote_port = 81}};
	struct profile p;

	memcpy(body.key.remote, mapped, sizeof(mapped));
	profile_init(&p);
	CHECK_STR(strings_get(&p.names, p.objects.at[objects_row(&p, &body)].name).s,
		  "[::]:80 -> 10.0.0.1:81");
	profile_release(&p);
}

int main(void)
{
	RUN(things_have_names);
	RUN(no_thing_is_no_row);
	RUN(the_ends_of_a_connection_find_each_other);
	RUN(an_address_of_ipv4_in_ipv6_is_written_as_one);
	return test_status();
}
