/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugfile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "open.h"

enum { MAX_CHECKED = 1 << 30, BLOCK = 1 << 16 };

/* ---- what is meant */

/*
 * A name, zeros up to the next multiple of four, the checksum. False: there is none, or it is no
 * mere name.
 */
static bool read_link(const struct elf *elf, char name[DEBUG_LINK_MAX], u32 *checksum)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".gnu_debuglink");
	size_t size;

	if (!section || section->sh_size < 8 || section->sh_size > DEBUG_LINK_MAX ||
	    !bytes_read(&elf->bytes, section->sh_offset, name, section->sh_size) ||
	    !memchr(name, '\0', section->sh_size - sizeof(*checksum)))
		return false;
	memcpy(checksum, name + section->sh_size - sizeof(*checksum), sizeof(*checksum));
	size = strlen(name);
	return size && !memchr(name, '/', size);
}

bool debug_link_read(const struct elf *elf, struct debug_link *link)
{
	char name[DEBUG_LINK_MAX] = {};

	*link = (struct debug_link){};
	link->id_size = (u32)elf_build_id(elf, link->id);
	if (read_link(elf, name, &link->checksum))
		memcpy(link->name, name, strlen(name));
	return link->id_size >= 2 || *link->name;
}

bool shared_link_read(const struct elf *elf, struct debug_link *link)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".gnu_debugaltlink");
	char text[DEBUG_LINK_MAX + ELF_MAX_BUILD_ID], *end;
	const char *name;
	size_t size;

	*link = (struct debug_link){.shared = true};
	if (!section || section->sh_size > sizeof(text) ||
	    !bytes_read(&elf->bytes, section->sh_offset, text, section->sh_size))
		return false;
	end = memchr(text, '\0', min((size_t)section->sh_size, (size_t)DEBUG_LINK_MAX));
	if (!end)
		return false;
	size = (size_t)section->sh_size - (size_t)(++end - text);
	if (size < 2 || size > ELF_MAX_BUILD_ID)
		return false;
	name = strrchr(text, '/');
	name = name ? name + 1 : text;
	memcpy(link->name, name, strlen(name));
	memcpy(link->id, end, size);
	link->id_size = (u32)size;
	return debug_link_is_sane(link);
}

static bool has_checksum(const struct bytes *bytes, u32 wanted)
{
	_cleanup_free_ char *block = xcalloc(1, BLOCK);
	uLong sum = crc32(0, NULL, 0);

	if (bytes->size > MAX_CHECKED)
		return false;
	for (u64 at = 0; at < bytes->size; at += BLOCK)
		sum = crc32(sum, (const Bytef *)block,
			    (uInt)bytes_read_some(bytes, at, block, BLOCK));
	return sum == wanted;
}

bool debug_link_means(const struct debug_link *link, const struct bytes *found)
{
	u8 id[ELF_MAX_BUILD_ID];
	struct elf debug;
	bool same;

	if (elf_init(&debug, *found))
		return false;
	same = link->id_size ? elf_build_id(&debug, id) == link->id_size &&
				       !memcmp(id, link->id, link->id_size)
			     : has_checksum(found, link->checksum);
	elf_release(&debug);
	return same;
}

/* ---- what is there */

bool debug_link_is_sane(const struct debug_link *link)
{
	return link->id_size <= ELF_MAX_BUILD_ID && memchr(link->name, '\0', DEBUG_LINK_MAX) &&
	       !strchr(link->name, '/') && strcmp(link->name, "..") != 0;
}

/* ROOT/.build-id/ab/cdef....debug, as gdb has it. */
static void path_of(struct strbuf *path, const char *root, const struct debug_link *link)
{
	strbuf_addf(path, "%s/.build-id/%02x/", root, link->id[0]);
	for (size_t i = 1; i < link->id_size; i++)
		strbuf_addf(path, "%02x", link->id[i]);
	strbuf_adds(path, ".debug");
}

/* What root has installed. */
static int open_installed(const char *path)
{
	_cleanup_close_ int look = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (look < 0 || fstat(look, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != 0 || (st.st_mode & S_IWOTH))
		return -EPERM;
	return steal_fd(&look);
}

int debugfile_open(const struct debug_link *link, const char *root)
{
	_cleanup_strbuf_ struct strbuf path = {};

	if (link->id_size < 2)
		return -ENOENT;
	path_of(&path, root, link);
	return open_installed(path.s);
}

/* dh_dwz, of debhelper, makes a directory for each architecture. */
int shared_file_open(const struct debug_link *link, const char *root)
{
	static const char *const places[] = {"", "x86_64-linux-gnu/", "aarch64-linux-gnu/"};
	int look = debugfile_open(link, root);

	for (size_t i = 0; i < ARRAY_SIZE(places) && look < 0 && *link->name; i++) {
		_cleanup_free_ char *path = format("%s/.dwz/%s%s", root, places[i], link->name);

		look = open_installed(path);
	}
	return look;
}

/* A debug file is trusted if its owner can write the binary too, or if everybody may read it. */
static bool is_trusted(const struct stat *own, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || (st->st_dev == own->st_dev && st->st_ino == own->st_ino))
		return false;
	return st->st_uid == own->st_uid || (!st->st_uid && st->st_mode & S_IROTH);
}

static int try_beside(const struct stat *own, int root, const char *path)
{
	_cleanup_close_ int look = look_in_root(root, path);
	struct stat st;

	if (look < 0)
		return look;
	if (fstat(look, &st))
		return -errno;
	return is_trusted(own, &st) ? steal_fd(&look) : -EPERM;
}

/* By its build id, below another root than wick's: a container's own. */
static int try_by_id(const struct debug_link *link, const struct stat *own, int root)
{
	_cleanup_strbuf_ struct strbuf path = {};

	if (link->id_size < 2)
		return -ENOENT;
	path_of(&path, DEBUG_ROOT, link);
	return try_beside(own, root, path.s);
}

static int try_by_name(const struct debug_link *link, const struct stat *own, int root,
		       const char *path, const char *before, const char *behind)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *at = NULL;

	if (!slash || !*link->name)
		return -ENOENT;
	at = format("%s%.*s%s%s", before, (int)(slash - path), path, behind, link->name);
	return try_beside(own, root, at);
}

size_t debugfiles_beside(const struct debug_link *link, int root, const char *path, int file,
			 int *found, size_t max)
{
	static const struct {
		const char *before, *behind; /* the directory */
	} places[] = {{"", "/"}, {"", "/.debug/"}, {DEBUG_ROOT, "/"}};
	struct stat own;
	size_t nr = 0;
	int look;

	if (fstat(file, &own) || !max)
		return 0;
	look = try_by_id(link, &own, root);
	if (look >= 0)
		found[nr++] = look;
	for (size_t i = 0; i < ARRAY_SIZE(places) && nr < max; i++) {
		look = try_by_name(link, &own, root, path, places[i].before, places[i].behind);
		if (look >= 0)
			found[nr++] = look;
	}
	return nr;
}
