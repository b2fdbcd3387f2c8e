/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.h: what some views say in words, besides their pictures: a page of text, and all of it as
 * JSON. `wick why` prints it; `record` writes the text beside its pictures.
 */
#ifndef CMD_PAGES_H
#define CMD_PAGES_H

#include "output.h"
#include "summary.h"

struct page;

/* NULL: it has none. */
const struct page *page_of_view(const struct view *view);
/*
 * Which outputs the page is for, when all have formats: text, and a name that ends in ".json".
 */
bool page_takes_path(const char *path);

/* Finds the moment of --at, which pages are then about; an error says why there is none. */
int page_find_moment(struct finished *f, struct error *error);
/* On standard output, as wide and long as a terminal is. Returns the exit status. */
int page_print(const struct finished *f, const struct page *page);
/* JSON, on standard output. */
int page_print_json(const struct finished *f, const struct page *page);
/* Into a file, and adds that to those written. */
int page_write(struct finished *f, const struct page *page, const char *path, enum output_as as);

#endif
