/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attributes.h: what --nameattr says of a function's boxes: see emit.h. */
#ifndef WICK_EMIT_ATTRIBUTES_H
#define WICK_EMIT_ATTRIBUTES_H

#include "base/strbuf.h"
#include "base/strings.h"
#include "emit.h"

struct name_attributes {
	char *title;	   /* NULL: none */
	bool link;	   /* an <a>, not a <g> */
	struct strbuf xml; /* ` key="value"`, escaped */
};

/* NULL: the function has none. */
const struct name_attributes *attributes_of(const struct attributes *attributes,
					    struct string name);

#endif
