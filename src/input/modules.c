/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modules.h"

#include "base/strbuf.h"

/* Addresses of the kernel, on all 64-bit architectures that perf knows. */
static const u64 FIRST_KERNEL_ADDRESS = 0xffff000000000000;

static bool ends(struct string s, const char *with)
{
	size_t size = strlen(with);

	return s.size >= size && !memcmp(s.s + s.size - size, with, size);
}

struct string module_base(struct string path)
{
	const char *slash = memrchr(path.s, '/', path.size);
	size_t cut = slash ? (size_t)(slash - path.s) + 1 : 0;

	return (struct string){.s = path.s + cut, .size = path.size - cut};
}

/* perf-12.map; what perf inject makes of a jitdump; [JIT] tid 12. */
static bool is_jit(struct string base)
{
	return (string_begins(base, "perf-") && ends(base, ".map")) ||
	       string_begins(base, "jitted-") || string_begins(base, "[JIT]");
}

/* In brackets are modules of the kernel, but for these. */
static bool is_of_process(struct string base)
{
	static const char *const names[] = {"[vdso]", "[vsyscall]", "[heap]",	"[stack]",
					    "[anon]", "[uprobes]",  "[unknown]"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (string_is(base, names[i]))
			return true;
	return false;
}

static bool is_kernel(struct string base, u64 address)
{
	if (base.size && base.s[0] == '[')
		return !is_of_process(base);
	return string_begins(base, "vmlinux") || string_begins(base, "bpf_prog_") ||
	       ends(base, ".ko") || ends(base, ".ko.xz") || ends(base, ".ko.gz") ||
	       ends(base, ".ko.zst") || address >= FIRST_KERNEL_ADDRESS;
}

enum frame_kind module_kind(struct string base, u64 address)
{
	if (is_jit(base))
		return FRAME_JIT;
	return is_kernel(base, address) ? FRAME_KERNEL : FRAME_USER;
}

bool module_is_known(struct string name)
{
	return name.size && !string_is(name, "[unknown]");
}

struct tree_frame module_note(struct string base, struct strings *names)
{
	_cleanup_strbuf_ struct strbuf note = {};
	bool bare = module_is_known(base) && base.s[0] != '[';

	if (!module_is_known(base))
		base = (struct string){"[unknown]", 9};
	strbuf_adds(&note, bare ? "[" : "");
	strbuf_add(&note, base.s, base.size);
	strbuf_adds(&note, bare ? "]" : "");
	return (struct tree_frame){.name = strings_add(names, note.s, note.size),
				   .kind = FRAME_NOTE};
}
