/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_names.h"

#include "debugfile.h"
#include "elf.h"
#include "plt.h"
#include "symtab.h"

/* In the roots where the file itself was looked for. */
static int open_beside(const struct elf *elf, const struct naming_place *place)
{
	int fds[NR_ROOTS + 1], found = -ENOENT;
	size_t nr = place->roots ? roots_all(place->roots, fds) : 0;

	for (size_t i = 0; i < nr; i++) {
		if (found < 0)
			found = debugfile_beside(elf, fds[i], place->path);
		close(fds[i]);
	}
	return found;
}

static bool debug_init(struct elf *debug, const struct elf *elf, const struct naming_place *place,
		       int *fd)
{
	struct bytes bytes;

	*fd = debugfile_open(elf, place->debug_root);
	if (*fd < 0)
		*fd = open_beside(elf, place);
	return *fd >= 0 && !bytes_of_file(&bytes, *fd) && !elf_init(debug, bytes);
}

/* A stripped file still has the names that others link to: those only count as all where nothing
 * better is. */
static enum files_state name_with_debug(const struct elf *elf, const struct naming_place *place,
					struct files_symbols *reply)
{
	_cleanup_(elf_release) struct elf debug = {};
	_cleanup_close_ int fd = -1;
	bool has_debug = debug_init(&debug, elf, place, &fd);

	if (!symtab_name(elf, has_debug ? &debug : NULL, reply) || !has_debug)
		return FILES_NO_SYMBOLS;
	return FILES_OK;
}

void name_elf(struct bytes bytes, const struct naming_place *place, struct files_symbols *reply)
{
	_cleanup_(elf_release) struct elf elf = {};

	if (elf_init(&elf, bytes)) {
		reply->state = FILES_BAD;
		return;
	}
	if (!elf_section(&elf, SHT_SYMTAB))
		reply->state = name_with_debug(&elf, place, reply);
	else
		reply->state = symtab_name(&elf, NULL, reply) ? FILES_OK : FILES_NO_SYMBOLS;
	plt_name(&elf, reply);
}
