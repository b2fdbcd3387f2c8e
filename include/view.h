/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h: ways to read a profile as weighted stacks. A view is a row: it costs nothing while a run is
 * on, and any number of them can be drawn from one profile. One function in src/view/ and one row in
 * views[] add a view.
 */
#ifndef WICK_VIEW_H
#define WICK_VIEW_H

#include "emit.h"
#include "profile.h"
#include "tree.h"

/* What the root frame of each stack is. */
enum grouping {
	GROUP_COMM,   /* java */
	GROUP_PID,    /* java-12: the process's name */
	GROUP_TID,    /* java-12/34: the thread's name */
	GROUP_CGROUP, /* /system.slice/tomcat.service */
	GROUP_NONE,
};

struct view_options {
	enum grouping group;
	bool reverse; /* stacks from leaf to root */
};

struct view {
	const char *name;    /* for the command line and file names */
	const char *title;   /* of the picture */
	const char *summary; /* for `wick list` */
	struct unit unit;
	/* Adds all stacks of the profile to the tree, whose names are profile->names. */
	void (*project)(struct profile *p, const struct view_options *options,
			struct call_tree *tree);
};

extern const struct view views[];
extern const size_t nr_views;

const struct view *view_by_name(const char *name);
/* -EINVAL when there is none of that name. */
int grouping_by_name(const char *name, enum grouping *group);

/* A function and the samples, or other units, in which it was the leaf. */
struct top_function {
	struct tree_frame frame;
	u64 self;
};

/* The functions with the largest self values, largest first; returns how many, at most `room`. */
size_t top_functions(const struct call_tree *tree, struct top_function *top, size_t room);

#endif
