/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "naming.h"

#include "debugfile.h"
#include "elf.h"
#include "plt.h"
#include "symtab.h"

static bool debug_init(struct elf *debug, const struct elf *elf, const char *debug_root, int *fd)
{
	struct bytes bytes;

	*fd = debugfile_open(elf, debug_root);
	return *fd >= 0 && !bytes_of_file(&bytes, *fd) && !elf_init(debug, bytes);
}

/* A stripped file still has the names that others link to: those only count as all where nothing
 * better is. */
static enum files_state name_with_debug(const struct elf *elf, const char *debug_root,
					struct files_symbols *reply)
{
	_cleanup_(elf_release) struct elf debug = {};
	_cleanup_close_ int fd = -1;
	bool has_debug = debug_init(&debug, elf, debug_root, &fd);

	if (!symtab_name(elf, has_debug ? &debug : NULL, reply) || !has_debug)
		return FILES_NO_SYMBOLS;
	return FILES_OK;
}

void name_elf(struct bytes bytes, const char *debug_root, struct files_symbols *reply)
{
	_cleanup_(elf_release) struct elf elf = {};

	if (elf_init(&elf, bytes)) {
		reply->state = FILES_BAD;
		return;
	}
	if (!elf_section(&elf, SHT_SYMTAB))
		reply->state = name_with_debug(&elf, debug_root, reply);
	else
		reply->state = symtab_name(&elf, NULL, reply) ? FILES_OK : FILES_NO_SYMBOLS;
	plt_name(&elf, reply);
}
