/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * viewer.h: the style and the script by which a reader zooms, searches and rearranges a flame
 * graph. They are embedded from viewer/, and know the picture's data (svg_data.c) and nothing else,
 * so that any document with an <svg> of ours can have them.
 */
#ifndef WICK_EMIT_VIEWER_H
#define WICK_EMIT_VIEWER_H

#include "base/strbuf.h"

void viewer_add_style(struct strbuf *b);
/* One function, which runs where it stands. No part of it ends a CDATA section or a <script>. */
void viewer_add_script(struct strbuf *b);

#endif
