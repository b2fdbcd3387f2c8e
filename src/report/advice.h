/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h: what to do about code that has no names. */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include "base/strbuf.h"
#include "base/strings.h"
#include "report.h"

/*
 * Which Debian package each of these files is from: an array of as many names, NULL where none is
 * known; to be freed with packages_free(). All at once, because dpkg's lists are read through for
 * it. An empty path is in none.
 */
char **packages_of(const struct string *paths, size_t nr);
void packages_free(char **packages, size_t nr);

/* Can a package help a file in this state? */
bool advice_needs_package(enum files_state state);
/* For a file without symbols: which package has them. `package` is the one it is from, or NULL. */
void advise_file(struct strbuf *out, const char *package, enum files_state state);

#endif
