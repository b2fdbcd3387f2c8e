/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.c: what to do about files without symbols, and about run-time code without names. */
#include "report/advice.h"
#include "test.h"

static void the_package_with_the_debug_file_is_that_which_there_is(void)
{
	/* Compared with what these packages of Debian 12 contain. */
	static const struct {
		const char *package, *debug;
	} cases[] = {
		{"libc6", "libc6-dbg"},
		{"python3.11-minimal", "python3.11-dbg"},
		{"python3.13", "python3.13-dbg"},
		{"libpython3.11-stdlib", "python3.11-dbg"},
		{"libpython3.11", "python3.11-dbg"},
		{"openjdk-17-jre-headless", "openjdk-17-dbg"},
		{"openjdk-21-jre", "openjdk-21-dbg"},
		{"binutils-x86-64-linux-gnu", "binutils-x86-64-linux-gnu-dbg"},
		{"libbinutils", "libbinutils-dbg"},
		{"libkrb5-3", "libkrb5-dbg"},
		{"libgssapi-krb5-2", "libkrb5-dbg"},
		{"libk5crypto3", "libkrb5-dbg"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *want = format("apt install %s", cases[i].debug);
		_cleanup_strbuf_ struct strbuf b = {};

		advise_file(&b, cases[i].package, FILES_NO_SYMBOLS);
		CHECK_STR(b.s, want);
	}
}

static void other_packages_have_one_in_the_debug_archive(void)
{
	static const char *const packages[] = {
		"git",	   "libc-bin", "python3-numpy", "libpython-x", "openjdk-17-jdk-headless",
		"liblzma5"};

	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		_cleanup_free_ char *want = format("apt install %s-dbgsym", packages[i]);
		_cleanup_strbuf_ struct strbuf b = {};

		advise_file(&b, packages[i], FILES_NO_SYMBOLS);
		CHECK(!strncmp(b.s, want, strlen(want)));
	}
}

static void runtimes_are_known_by_their_program_or_library(void)
{
	static const char *const known[] = {
		"node",	    "libnode.so.108", "libjvm.so",	   "libcoreclr.so",
		"php8.2",   "php-fpm8.2",     "libphp8.2.so",	   "libruby-3.1.so.3.1.2",
		"beam.smp", "mono",	      "libluajit-5.1.so.2"};
	static const char *const others[] = {"", "lib", "libc.so.6", "python3.11", "beam", "jvm"};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		CHECK(advice_knows_runtime(known[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(!advice_knows_runtime(others[i]));
}

static void a_map_that_lacks_names_is_said_to(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	advise_process(&b, "mono", 7, FILES_OK);
	CHECK_STR(b.s, "/tmp/perf-7.map did not name it: its runtime may write names late");
}

int main(void)
{
	RUN(the_package_with_the_debug_file_is_that_which_there_is);
	RUN(other_packages_have_one_in_the_debug_archive);
	RUN(runtimes_are_known_by_their_program_or_library);
	RUN(a_map_that_lacks_names_is_said_to);
	return test_status();
}
