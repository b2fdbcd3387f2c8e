/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_types.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/strbuf.h"

const char kernel_btf[] = "/sys/kernel/btf/vmlinux";

/* ---- names */

/* All of a file, which can be one of sysfs, whose size says nothing: to be freed; NULL. */
static char *read_all(const char *path, size_t *size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct strbuf text = {};
	char block[65536];
	ssize_t n;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, block, sizeof(block))) > 0)
		strbuf_add(&text, block, (size_t)n);
	*size = text.size;
	return strbuf_detach(&text);
}

/* Since 6.17 that can be mapped. */
static char *map_all(const char *path, size_t *size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *memory;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return NULL;
	memory = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	*size = (size_t)st.st_size;
	return memory;
}

/* The names in it end in zeros. */
bool kernel_has_name(const char *name)
{
	static char *types; /* read once: some megabytes */
	static size_t size;
	_cleanup_free_ char *whole = format("%c%s", 'x', name);

	if (!types)
		types = map_all(kernel_btf, &size) ?: read_all(kernel_btf, &size);
	whole[0] = '\0';
	return types && memmem(types, size, whole, strlen(name) + 2);
}

bool has_tracepoint(const char *name)
{
	_cleanup_free_ char *type = format("btf_trace_%s", name);

	return kernel_has_name(type);
}

bool has_helper(const char *name)
{
	_cleanup_free_ char *constant = format("BPF_FUNC_%s", name);

	return kernel_has_name(constant);
}

bool has_lock_tracepoints(void)
{
	return has_tracepoint("mmap_lock_acquire_returned") &&
	       has_tracepoint("mmap_lock_released") && has_tracepoint("vm_unmapped_area") &&
	       !kernel_has_name("__data_loc_memcg_path");
}

/* ---- members */

static const struct btf_type *find_member(const struct btf *types, const struct btf_type *type,
					  const char *name)
{
	const struct btf_member *members = btf_members(type);

	for (u32 i = 0; i < btf_vlen(type); i++) {
		const char *member = btf__name_by_offset(types, members[i].name_off);
		const struct btf_type *t = btf__type_by_id(types, members[i].type);

		if (!strcmp(member, name))
			return t;
		t = *member || !btf_is_composite(t) ? NULL : find_member(types, t, name);
		if (t)
			return t;
	}
	return NULL;
}

const struct btf_type *member_of(const struct btf *types, const char *name, const char *member)
{
	s32 id = types ? btf__find_by_name_kind(types, name, BTF_KIND_STRUCT) : 0;

	return id > 0 ? find_member(types, btf__type_by_id(types, (u32)id), member) : NULL;
}

/* Since 6.2 the counters of a resident set are an array of what rss.h reads. */
bool has_rss_counters(const struct btf *types)
{
	const struct btf_type *set = member_of(types, "mm_struct", "rss_stat");

	return set && btf_is_array(set) && has_tracepoint("rss_stat");
}

/* ---- age */

int kernel_check_age(const struct btf *types, struct error *error)
{
	struct utsname host = {};

	if (types ? member_of(types, "task_struct", "__state") != NULL : kernel_has_name("__state"))
		return 0;
	uname(&host);
	return fail(error, -ENOTSUP,
		    "this kernel, Linux %s, is too old: wick takes Linux 5.14 and later.",
		    host.release);
}
