/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "downloader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "jail.h"
#include "message.h"

/* ---- the library */

static const char library[] = "libdebuginfod.so.1";

/* elfutils/debuginfod.h */
struct debuginfod_client;

struct client {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	/* By `executable` of a request. */
	int (*find[2])(struct debuginfod_client *client, const unsigned char *id, int id_size,
		       char **path);
};

static bool client_load(struct client *client)
{
	void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	const struct {
		const char *name;
		void *to; /* a pointer to a function */
	} symbols[] = {
		{"debuginfod_begin", &client->begin},
		{"debuginfod_end", &client->end},
		{"debuginfod_find_debuginfo", &client->find[0]},
		{"debuginfod_find_executable", &client->find[1]},
	};

	for (size_t i = 0; loaded && i < ARRAY_SIZE(symbols); i++) {
		void *found = dlsym(loaded, symbols[i].name);

		if (!found)
			return false;
		memcpy(symbols[i].to, &found, sizeof(found));
	}
	return loaded != NULL;
}

/* ---- its cache */

static const char cache_path[] = "DEBUGINFOD_CACHE_PATH";

static void remove_tree(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    unlinkat(fd, entry->d_name, 0))
			remove_tree(fd, entry->d_name);
	if (directory)
		closedir(directory);
	unlinkat(at, name, AT_REMOVEDIR);
}

/*
 * A child that removes the directory when its parent ends, however it does: it holds the other end
 * of a pipe, and nothing is ever written to that.
 */
static bool remove_at_end(const char *directory, int socket)
{
	int ends[2];
	pid_t pid;
	char none;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (pid) {
		close(ends[0]);
		return pid > 0;
	}
	close(ends[1]);
	close(socket);
	while (read(ends[0], &none, 1) < 0 && errno == EINTR)
		;
	remove_tree(AT_FDCWD, directory);
	_exit(0);
}

static bool make_cache(int socket)
{
	static const char *const places[] = {"/var/tmp", "/tmp"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path = format("%s/wick-debuginfod-XXXXXX", places[i]);

		if (!mkdtemp(path))
			continue;
		if (remove_at_end(path, socket))
			return !setenv(cache_path, path, true);
		rmdir(path);
	}
	return false;
}

/* ---- a download */

/* Lines NAME=VALUE: the process had none of these any more. */
static void set_environment(char *lines)
{
	char *rest = lines, *line, *value;

	while ((line = strsep(&rest, "\n"))) {
		value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = '\0';
		setenv(line, value, true);
	}
}

static int find(const struct download_request *request)
{
	struct debuginfod_client *asking;
	struct client client;
	int fd;

	if (!client_load(&client))
		return -ENOSYS;
	asking = client.begin();
	if (!asking)
		return -ENOMEM;
	fd = client.find[request->executable](asking, request->id, (int)request->id_size, NULL);
	client.end(asking);
	return fd;
}

static void answer(int socket, const struct download_request *request, char *environment)
{
	const char *own;
	struct download_reply reply = {.error = -EACCES};
	struct message message = {.head = &reply, .size = sizeof(reply)};
	_cleanup_close_ int fd = -1;
	struct stat st;

	set_environment(environment);
	own = getenv(cache_path);
	if ((own && !access(own, W_OK | X_OK)) || make_cache(socket)) {
		fd = find(request);
		reply.error = min(fd, 0);
	}
	if (fd >= 0 && !fstat(fd, &st)) {
		reply.size = (u64)st.st_size;
		message.fds = &fd;
		message.nr_fds = 1;
	}
	message_send(socket, &message, UINT64_MAX);
}

void downloader_run(int socket)
{
	struct download_request request;
	_cleanup_free_ char *environment = xcalloc(1, MESSAGE_MAX_PATH + 1);
	struct received with = {.path = environment};

	if (jail_downloader())
		return;
	if (message_receive(socket, &request, sizeof(request), 0, &with, UINT64_MAX) ||
	    request.id_size > FILES_MAX_BUILD_ID || request.executable > 1)
		return;
	answer(socket, &request, environment);
}
