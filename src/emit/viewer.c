/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "viewer.h"

#define EMBED(name, path)                                                                          \
	asm(".pushsection .rodata\nviewer_" #name ": .incbin \"src/emit/viewer/" path              \
	    "\"\n.byte 0\n.popsection\n");                                                         \
	extern const char viewer_##name[]

EMBED(css, "viewer.css");
EMBED(tree, "tree.js");
EMBED(derive, "derive.js");
EMBED(layout, "layout.js");
EMBED(words, "words.js");
EMBED(colors, "colors.js");
EMBED(page, "page.js");
EMBED(panels, "panels.js");
EMBED(draw, "draw.js");
EMBED(build, "build.js");
EMBED(state, "state.js");
EMBED(search, "search.js");
EMBED(keys, "keys.js");
EMBED(menu, "menu.js");
EMBED(table, "table.js");
EMBED(print, "print.js");
EMBED(start, "start.js");

/* In this order: what a part is made of comes before it. */
static const char *const parts[] = {
	viewer_tree,   viewer_derive, viewer_layout, viewer_words, viewer_colors, viewer_page,
	viewer_panels, viewer_draw,   viewer_build,  viewer_state, viewer_search, viewer_keys,
	viewer_menu,   viewer_table,  viewer_print,  viewer_start,
};

void viewer_add_style(struct strbuf *b)
{
	strbuf_adds(b, viewer_css);
}

void viewer_add_script(struct strbuf *b)
{
	strbuf_adds(b, "(function () {\n\"use strict\";\n");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		strbuf_adds(b, parts[i]);
	strbuf_adds(b, "})();\n");
}
