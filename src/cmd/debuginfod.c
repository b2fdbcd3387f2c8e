/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfod.h"

#include <argp.h>
#include <glob.h>

#include "base/numbers.h"
#include "base/strbuf.h"

enum { LIMIT_S = 60, MAX_LIMIT_S = 3600, MAX_URLS = 4096 };

static const char urls_name[] = "DEBUGINFOD_URLS";

/* What the client library and libcurl look at, beside the servers. */
static const char *const passed_on[] = {
	"DEBUGINFOD_CACHE_PATH",
	"DEBUGINFOD_HEADERS_FILE",
	"DEBUGINFOD_MAXSIZE",
	"DEBUGINFOD_IMA_CERT_PATH",
	"http_proxy",
	"https_proxy",
	"HTTPS_PROXY",
	"all_proxy",
	"ALL_PROXY",
	"no_proxy",
	"NO_PROXY",
	"SSL_CERT_FILE",
	"SSL_CERT_DIR",
	"CURL_CA_BUNDLE",
};

static void add_file(struct strbuf *urls, const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	char line[512];

	while (file && urls->size < MAX_URLS && fgets(line, sizeof(line), file)) {
		size_t size = strcspn(line, "\n");

		if (urls->size)
			strbuf_addc(urls, ' ');
		strbuf_add(urls, line, size);
	}
}

/* Separated by spaces. */
static void add_urls(struct strbuf *urls)
{
	const char *set = getenv(urls_name);
	glob_t found;

	if (set && *set) {
		strbuf_adds(urls, set);
		return;
	}
	if (glob("/etc/debuginfod/*.urls", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		add_file(urls, found.gl_pathv[i]);
	globfree(&found);
}

bool debuginfod_asked(struct argp_state *state)
{
	_cleanup_strbuf_ struct strbuf urls = {};

	add_urls(&urls);
	if (urls.size > MAX_URLS || (urls.size && memchr(urls.s, '\n', urls.size)))
		argp_error(state, "--debuginfod: cannot use what %s is set to", urls_name);
	if (!urls.size)
		argp_error(state,
			   "--debuginfod: no server is known: set DEBUGINFOD_URLS, to "
			   "https://debuginfod.debian.net or https://debuginfod.elfutils.org");
	return true;
}

static unsigned int limit_ms(void)
{
	const char *set = getenv("DEBUGINFOD_TIMEOUT");
	unsigned long seconds = set ? strtoul(set, NULL, 10) : 0;

	return (unsigned int)(seconds ? min(seconds, (unsigned long)MAX_LIMIT_S) : LIMIT_S) * 1000;
}

void debuginfod_use(struct files *files)
{
	_cleanup_strbuf_ struct strbuf lines = {}, urls = {};

	add_urls(&urls);
	strbuf_addf(&lines, "%s=%s\n", urls_name, urls.size ? urls.s : "");
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++) {
		const char *value = getenv(passed_on[i]);

		if (value && strlen(value) < MAX_URLS / ARRAY_SIZE(passed_on) &&
		    !strchr(value, '\n'))
			strbuf_addf(&lines, "%s=%s\n", passed_on[i], value);
	}
	files_use_debuginfod(files, lines.s, limit_ms());
}

static void add_part(struct strbuf *line, u32 nr, const char *what)
{
	if (nr)
		strbuf_addf(line, "%s%u %s", line->size ? ", " : "", nr, what);
}

void debuginfod_say(struct files *files)
{
	struct files_downloads d = files_downloads(files);
	_cleanup_strbuf_ struct strbuf line = {};

	if (d.has_no_library) {
		fprintf(stderr, "debuginfod: libdebuginfod.so.1 is not here: "
				"apt install libdebuginfod1\n");
		return;
	}
	if (d.nr)
		strbuf_addf(&line, "%u files, %.1f MB", d.nr, (double)d.bytes / 1e6);
	add_part(&line, d.nr_absent, "not there");
	add_part(&line, d.nr_late, "not in time");
	add_part(&line, d.nr_failed, "failed");
	if (d.nr_failed)
		strbuf_addf(&line, " (%s)", strerror(d.error));
	fprintf(stderr, "debuginfod: %s\n", line.size ? line.s : "nothing had to be asked for");
}
