/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_text.h: threads, places and what they wait for, in words, and as JSON. */
#ifndef REPORT_WHY_TEXT_H
#define REPORT_WHY_TEXT_H

#include "base/strbuf.h"
#include "why.h"

/* "java-12/34" */
void why_add_thread(struct strbuf *b, const struct profile *p, u32 leg);
/* " in commit"; of a thread without a user stack, the kernel's function. */
void why_add_function(struct strbuf *b, const struct profile *p, const struct why_label *label);
/* "java in commit"; of a thread without a user stack, the kernel's function. */
void why_add_place(struct strbuf *b, const struct profile *p, const struct why_label *label);
/* "lock 0x7ff0 in shared memory /dev/shm/x" */
void why_add_object(struct strbuf *b, const struct profile *p, const struct why_object *object);
/* The same of one of several: connections to one server are called alike. */
void why_add_object_briefly(struct strbuf *b, const struct profile *p,
			    const struct why_object *object);
/* What a node of a delay's tree says. */
void why_add_node(struct strbuf *b, const struct profile *p, const struct why_node *node);
void why_add_label(struct strbuf *b, const struct profile *p, const struct why_label *label);

struct json_object;
/* Members of a place: comm, function, class. */
void why_put_place(struct json_object *to, const struct profile *p, const struct why_label *label);
/* The tree of a delay as JSON, from the nodes below `parent` on; WHY_NO_STEP: all of it. */
struct json_object *why_tree_object(const struct profile *p, const struct why_delay *delay,
				    u32 parent);

#endif
