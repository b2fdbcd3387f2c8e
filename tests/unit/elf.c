/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf.h"

#include <dirent.h>

#include "fixture.h"
#include "files/debugfile.h"
#include "files/elf_names.h"
#include "files/vdso.h"

static const char three_functions[] =
	"__attribute__((noinline)) int alpha(int x) { return x * 3; }\n"
	"__attribute__((noinline)) int beta(int x) { return alpha(x) + 1; }\n"
	"int gamma_(int) __attribute__((weak, alias(\"beta\")));\n"
	"int __beta(int) __attribute__((alias(\"beta\")));\n"
	"static int zeta(int) __attribute__((alias(\"alpha\"), used));\n"
	"int main(int argc, char **argv) { return beta(argc); }\n";

struct symbol {
	u64 address, size;
	char type, name[4096];
};

struct symbols {
	VEC_FIELDS(struct symbol);
};

/* Without debug files. */
static void name_alone(struct bytes bytes, struct files_symbols *reply)
{
	struct debug_link link;

	name_elf(bytes, NULL, reply, &link);
}

static int open_found(int look)
{
	_cleanup_free_ char *path = format("/proc/self/fd/%d", look);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	close(look);
	return fd;
}

static void run_nm(struct symbols *symbols, const char *path, const char *flags)
{
	_cleanup_free_ char *command = format("nm -S %s %s 2>/dev/null", flags, path);
	FILE *nm = popen(command, "r");
	unsigned long long address, size;
	char line[8192], type, name[4096];

	while (nm && fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %llx %c %4095s", &address, &size, &type, name) != 4)
			continue;
		name[strcspn(name, "@")] = '\0';
		*vec_add(symbols) = (struct symbol){.address = address, .size = size, .type = type};
		strcpy(symbols->at[symbols->nr - 1].name, name);
	}
	if (nm)
		pclose(nm);
}

/* The file offset of an address. */
static u64 offset_of(const struct elf *elf, u64 address)
{
	vec_for_each (&elf->segments, s)
		if (s->p_type == PT_LOAD && address - s->p_vaddr < s->p_filesz)
			return address - s->p_vaddr + s->p_offset;
	return 0;
}

static int open_elf(struct elf *elf, const char *path)
{
	struct bytes bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || bytes_of_file(&bytes, fd) || elf_init(elf, bytes))
		return -1;
	return fd;
}

static struct files_symbols *ask(const struct elf *elf, const u64 *addresses, size_t nr)
{
	_cleanup_free_ u64 *offsets = xcalloc(nr, sizeof(u64));
	struct files_symbols *reply;

	for (size_t i = 0; i < nr; i++)
		offsets[i] = offset_of(elf, addresses[i]);
	reply = reply_new(FILES_PENDING, offsets, nr);
	name_alone(elf->bytes, reply);
	return reply;
}

static void check_name(const char *path, const char *symbol, u64 delta, const char *want)
{
	struct symbols symbols = {};
	struct files_symbols *reply;
	struct elf elf;
	int fd = open_elf(&elf, path);

	CHECK(fd >= 0);
	run_nm(&symbols, path, "");
	vec_for_each (&symbols, s) {
		if (strcmp(s->name, symbol))
			continue;
		reply = ask(&elf, (u64[]){s->address + (delta == UINT64_MAX ? s->size - 1 : delta)},
			    1);
		CHECK_STR(reply->at[0].name, want);
		CHECK_EQ(reply->at[0].start, offset_of(&elf, s->address));
		CHECK_EQ(reply->state, FILES_OK);
		files_symbols_free(reply);
	}
	vec_release(&symbols);
	elf_release(&elf);
	close(fd);
}

static void aliases_have_an_order(void)
{
	CHECK(compile("aliases", "-O1", three_functions));
	check_name(in_fixture("aliases"), "beta", 0, "beta");
	check_name(in_fixture("aliases"), "__beta", 2, "beta");
	check_name(in_fixture("aliases"), "gamma_", UINT64_MAX, "beta");
	check_name(in_fixture("aliases"), "zeta", UINT64_MAX, "alpha");
	check_name(in_fixture("aliases"), "main", 1, "main");
}

static void every_kind_of_link_works(void)
{
	static const char *const flags[] = {"-no-pie", "-static", "-Wl,-z,noseparate-code",
					    "-fuse-ld=lld", "-Wl,-Ttext-segment=0x7000000 -no-pie"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!compile("link", flags[i], three_functions))
			continue;
		check_name(in_fixture("link"), "alpha", 0, "alpha");
		check_name(in_fixture("link"), "main", UINT64_MAX, "main");
	}
}

static const char bare_symbols[] =
	"asm(\".globl bare; bare: nop; nop; inner: nop; nop; .globl next; next: nop\\n\"\n"
	"    \".type sized, @function; .globl sized; sized: nop; nop; .size sized, 2; nop\");\n"
	"int main() { return 0; }\n";

/* The address of `bare` in a program that was made of that. */
static u64 address_of_bare(const char *path)
{
	_cleanup_free_ char *command = format("nm -D %s | grep ' bare'", path);
	FILE *nm = popen(command, "r");
	u64 address = 0;

	CHECK_EQ(fscanf(nm, "%lx", &address), 1);
	pclose(nm);
	return address;
}

/* The names from `bare` on. */
static struct files_symbols *ask_from_bare(const char *path)
{
	u64 bare = address_of_bare(path);
	struct files_symbols *reply;
	struct elf elf;
	int fd = open_elf(&elf, path);

	CHECK(fd >= 0);
	reply = ask(&elf, (u64[]){bare, bare + 3, bare + 4, bare + 5, bare + 6, bare + 7}, 6);
	elf_release(&elf);
	close(fd);
	return reply;
}

static void symbols_without_a_size_reach_to_the_next(void)
{
	struct files_symbols *reply;

	CHECK(compile("bare", "-O1 -rdynamic", bare_symbols));
	reply = ask_from_bare(in_fixture("bare"));
	CHECK_STR(reply->at[0].name, "bare");
	CHECK_STR(reply->at[1].name, "bare");
	CHECK_STR(reply->at[2].name, "next");
	CHECK_STR(reply->at[3].name, "sized");
	CHECK_STR(reply->at[4].name, "sized");
	CHECK(!reply->at[5].name);
	files_symbols_free(reply);
}

/* Functions that nothing else links to have no symbol there, and lie anywhere between. */
static void without_a_whole_table_they_name_their_own_address(void)
{
	struct files_symbols *reply;

	CHECK(compile("bare", "-O1 -rdynamic -s", bare_symbols));
	reply = ask_from_bare(in_fixture("bare"));
	CHECK_STR(reply->at[0].name, "bare");
	CHECK(!reply->at[1].name);
	CHECK_STR(reply->at[2].name, "next");
	CHECK_STR(reply->at[3].name, "sized");
	CHECK_STR(reply->at[4].name, "sized");
	CHECK(!reply->at[5].name);
	files_symbols_free(reply);
}

static bool is_code(const struct elf *elf, u64 address)
{
	vec_for_each (&elf->segments, s)
		if ((s->p_flags & PF_X) && address - s->p_vaddr < s->p_filesz)
			return true;
	return false;
}

static bool names_same_place(const struct symbols *symbols, u64 address, const char *name)
{
	vec_for_each (symbols, s)
		if (!strcmp(s->name, name) &&
		    (s->address == address ||
		     (address > s->address && address - s->address < s->size)))
			return true;
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Each function that nm knows has, at its first and last byte, a name that nm has for that place.
 */
static void compare_with_nm(const char *path, const char *flags, size_t *checked)
{
	struct symbols symbols = {};
	struct files_symbols *reply;
	struct elf elf;
	int fd = open_elf(&elf, path);
	u64 addresses[400] = {};
	size_t nr = 0;

	if (fd < 0)
		return;
	run_nm(&symbols, path, flags);
	vec_sort(&symbols, by_address);
	vec_for_each (&symbols, s) {
		if (!strchr("tTwWiu", s->type) || !s->size || !is_code(&elf, s->address) ||
		    nr + 2 > ARRAY_SIZE(addresses) ||
		    (nr && s->address + s->size - 1 <= addresses[nr - 1]))
			continue;
		if (!nr || s->address > addresses[nr - 1])
			addresses[nr++] = s->address;
		addresses[nr++] = s->address + s->size - 1;
	}
	reply = ask(&elf, addresses, nr);
	for (size_t i = 0; i < nr; i++)
		if (!reply->at[i].name ||
		    !names_same_place(&symbols, addresses[i], reply->at[i].name))
			test_report("%s: %llx is %s", path, (unsigned long long)addresses[i],
				    reply->at[i].name ? reply->at[i].name : "unnamed");
	*checked += nr;
	files_symbols_free(reply);
	vec_release(&symbols);
	elf_release(&elf);
	close(fd);
}

static void names_are_those_of_nm(void)
{
	static const char *const libraries[] = {"libc.so.6", "libstdc++.so.6", "libz.so.1",
						"libcrypto.so.3", "libm.so.6"};
	size_t checked = 0, tried = 0;
	DIR *dir = opendir("/usr/bin");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && tried < 60) {
		_cleanup_free_ char *path = format("/usr/bin/%s", entry->d_name);

		if (entry->d_type == DT_REG && ++tried)
			compare_with_nm(path, "-D", &checked);
	}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		_cleanup_free_ char *path = format("/lib/x86_64-linux-gnu/%s", libraries[i]);

		compare_with_nm(path, "-D", &checked);
	}
	CHECK(compile("static", "-static", three_functions));
	compare_with_nm(in_fixture("static"), "", &checked);
	CHECK(checked > 300);
}

static void stripped_files_say_so(void)
{
	static const char library[] =
		"int shown(int x) { return x + 1; }\n"
		"__attribute__((noinline, visibility(\"hidden\"))) int hidden(int x)"
		"{ return x * 7; }\n"
		"int other(int x) { return hidden(x) + 2; }";
	struct files_symbols *reply;
	struct symbols symbols = {};
	struct elf elf;
	int fd;

	CHECK(compile("stripped.so", "-O1 -shared -fPIC", library));
	run_nm(&symbols, in_fixture("stripped.so"), "");
	CHECK_EQ(run_command("strip %s", in_fixture("stripped.so")), 0);
	fd = open_elf(&elf, in_fixture("stripped.so"));
	vec_for_each (&symbols, s) {
		reply = ask(&elf, &s->address, 1);
		if (!strcmp(s->name, "shown"))
			CHECK_STR(reply->at[0].name, "shown");
		if (!strcmp(s->name, "hidden"))
			CHECK(!reply->at[0].name);
		CHECK_EQ(reply->state, FILES_NO_SYMBOLS);
		files_symbols_free(reply);
	}
	vec_release(&symbols);
	elf_release(&elf);
	close(fd);
}

static u64 address_of(const char *path, const char *symbol)
{
	struct symbols symbols = {};
	u64 address = 0;

	run_nm(&symbols, path, "");
	vec_for_each (&symbols, s)
		if (!strcmp(s->name, symbol))
			address = s->address;
	vec_release(&symbols);
	return address;
}

static void make_debug_file(const char *program, const struct elf *elf, const char *root)
{
	u8 id[ELF_MAX_BUILD_ID];
	size_t size = elf_build_id(elf, id);
	char hex[2 * ELF_MAX_BUILD_ID + 1] = "";

	CHECK_EQ(size, 20);
	for (size_t i = 1; i < size; i++)
		sprintf(hex + 2 * (i - 1), "%02x", id[i]);
	CHECK_EQ(run_command("mkdir -p %s/.build-id/%02x && objcopy --only-keep-debug %s"
			     " %s/.build-id/%02x/%s.debug",
			     root, id[0], program, root, id[0], hex),
		 0);
}

static void debug_files_are_found_by_build_id(void)
{
	_cleanup_free_ char *root = format("%s/debug", fixture_directory);
	struct files_symbols *reply;
	struct debug_link link;
	struct bytes debug;
	struct elf elf;
	u64 alpha;
	int fd, debug_fd;

	CHECK(compile("full", "-O1 -g -Wl,--build-id", three_functions));
	alpha = address_of(in_fixture("full"), "alpha");
	CHECK_EQ(run_command("strip -o %s %s", in_fixture("thin"), in_fixture("full")), 0);
	fd = open_elf(&elf, in_fixture("thin"));
	CHECK(debug_link_read(&elf, &link));
	CHECK_EQ(debugfile_open(&link, root), -ENOENT);
	make_debug_file(in_fixture("full"), &elf, root);

	alpha = offset_of(&elf, alpha);
	reply = reply_new(FILES_PENDING, &alpha, 1);
	CHECK(name_elf(elf.bytes, NULL, reply, &link));
	CHECK(!reply->at[0].name);
	debug_fd = open_found(debugfile_open(&link, root));
	CHECK_EQ(bytes_of_file(&debug, debug_fd), 0);
	CHECK(!name_elf(elf.bytes, &(struct debug_files){&debug, 1}, reply, &link));
	CHECK_STR(reply->at[0].name, "alpha");
	CHECK(reply->debug_file);
	CHECK_EQ(reply->state, FILES_OK);
	files_symbols_free(reply);
	close(debug_fd);

	if (!getuid()) {
		CHECK_EQ(run_command("chown -R 12345 %s", root), 0);
		CHECK_EQ(debugfile_open(&link, root), -EPERM);
		CHECK_EQ(run_command("chown -R 0 %s; chmod -R o+w %s", root, root), 0);
		CHECK_EQ(debugfile_open(&link, root), -EPERM);
	}
	elf_release(&elf);
	close(fd);
}

static void debug_files_of_a_container_are_found_by_build_id(void)
{
	_cleanup_free_ char *debug_root = format("%s/root/usr/lib/debug", fixture_directory);
	_cleanup_close_ int root = -1, thin = -1;
	struct debug_link link;
	struct elf elf;
	int found[4];

	CHECK(compile("full", "-O1 -g -Wl,--build-id", three_functions));
	CHECK_EQ(run_command("mkdir -p %s && strip -o %s %s", debug_root, in_fixture("root/thin"),
			     in_fixture("full")),
		 0);
	thin = open_elf(&elf, in_fixture("root/thin"));
	root = open(in_fixture("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK(debug_link_read(&elf, &link));
	CHECK_EQ(debugfiles_beside(&link, root, "/thin", thin, found, ARRAY_SIZE(found)), 0);
	make_debug_file(in_fixture("full"), &elf, debug_root);
	CHECK_EQ(debugfiles_beside(&link, root, "/thin", thin, found, ARRAY_SIZE(found)), 1);
	close(found[0]);
	if (!getuid()) { /* a stranger's, in a container where he may write */
		CHECK_EQ(run_command("chown -R 12345 %s", debug_root), 0);
		CHECK_EQ(debugfiles_beside(&link, root, "/thin", thin, found, ARRAY_SIZE(found)),
			 0);
	}
	elf_release(&elf);
}

/* Adds a section of what a command writes, to a stripped program. */
static int make_packed(const char *name, const char *command)
{
	return run_command("cd %s && strip -o thin full && %s > packed && objcopy --add-section "
			   ".gnu_debugdata=packed thin %s",
			   fixture_directory, command, name);
}

static struct files_symbols *name_alpha(const char *name)
{
	u64 alpha = address_of(in_fixture("full"), "alpha");
	struct files_symbols *reply;
	struct elf elf;
	int fd = open_elf(&elf, in_fixture(name));

	CHECK(fd >= 0);
	reply = ask(&elf, &alpha, 1);
	elf_release(&elf);
	close(fd);
	return reply;
}

static void check_packed(const char *command, const char *want, enum files_state state)
{
	struct files_symbols *reply;

	CHECK_EQ(make_packed("own", command), 0);
	reply = name_alpha("own");
	if (want)
		CHECK_STR(reply->at[0].name, want);
	else
		CHECK(!reply->at[0].name);
	CHECK_EQ(reply->state, state);
	files_symbols_free(reply);
}

static void packed_symbols_are_unpacked(void)
{
	static const char pack[] = "objcopy -S --keep-symbol=alpha --keep-symbol=beta full mini && "
				   "xz -c mini";

	CHECK(compile("full", "-O1 -g -Wl,--build-id", three_functions));
	check_packed(pack, "alpha", FILES_OK);
}

static void packed_bombs_and_garbage_are_nothing(void)
{
	static const char *const commands[] = {"head -c 400M /dev/zero | xz -0 -c",
					       "head -c 3000 /dev/urandom",
					       "xz -c full | head -c 500", "echo"};

	CHECK(compile("full", "-O1 -g -Wl,--build-id", three_functions));
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		check_packed(commands[i], NULL, FILES_NO_SYMBOLS);
}

static void stubs_are_named_by_what_they_call(void)
{
	static const char *const flags[] = {"-O1", "-O1 -fcf-protection -Wl,-z,ibtplt",
					    "-O1 -fcf-protection=none -Wl,-z,lazy -no-pie"};
	static const char text[] = "#include <stdio.h>\n#include <stdlib.h>\n"
				   "int main(int c, char **v) { puts(v[0]); return atoi(v[0]); }\n";

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		const Elf64_Shdr *plt;
		struct files_symbols *reply;
		struct elf elf;
		bool puts = false, atoi = false;
		int fd;

		CHECK(compile("stubs", flags[i], text));
		fd = open_elf(&elf, in_fixture("stubs"));
		plt = elf_section_named(&elf, ".plt.sec");
		if (!plt)
			plt = elf_section_named(&elf, ".plt");
		for (u64 at = 0; plt && at < plt->sh_size; at += 8) {
			reply = ask(&elf, (u64[]){plt->sh_addr + at}, 1);
			puts |= reply->at[0].name && !strcmp(reply->at[0].name, "puts@plt");
			atoi |= reply->at[0].name && (!strcmp(reply->at[0].name, "atoi@plt") ||
						      !strcmp(reply->at[0].name, "strtol@plt"));
			files_symbols_free(reply);
		}
		CHECK(puts);
		CHECK(atoi);
		elf_release(&elf);
		close(fd);
	}
}

static void the_vdso_has_names(void)
{
	struct files_symbols *reply;
	struct bytes bytes;
	struct elf elf;
	u64 addresses[512];
	size_t named = 0;

	if (vdso_bytes(&bytes))
		return;
	CHECK_EQ(elf_init(&elf, bytes), 0);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = i * 16;
	reply = reply_new(FILES_PENDING, addresses, ARRAY_SIZE(addresses));
	name_alone(bytes, reply);
	for (size_t i = 0; i < reply->nr; i++)
		named += reply->at[i].name && strstr(reply->at[i].name, "clock_gettime");
	CHECK(named > 0);
	files_symbols_free(reply);
	elf_release(&elf);
}

/* Whatever the bytes are: an answer for each address, and no crash. */
static enum files_state name_bytes(const void *text, size_t size)
{
	/* A copy of its own, so that a sanitizer sees a step beyond its end. */
	_cleanup_free_ void *copy = xmemdup(text, size);
	enum files_state state;
	struct files_symbols *reply;
	u64 addresses[64];

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = i * 256;
	reply = reply_new(FILES_PENDING, addresses, ARRAY_SIZE(addresses));
	name_alone(bytes_of_memory(copy, size), reply);
	state = reply->state;
	for (size_t i = 0; i < reply->nr; i++)
		if (reply->at[i].name)
			CHECK_EQ(strlen(reply->at[i].name), reply->at[i].name_size);
	files_symbols_free(reply);
	return state;
}

static void any_prefix_is_bad_or_less(void)
{
	_cleanup_strbuf_ struct strbuf file = {};

	CHECK(compile("prefix", "-O1", three_functions));
	read_file(in_fixture("prefix"), &file);
	CHECK(file.size > 8000);
	for (size_t size = 0; size < file.size; size += 64)
		CHECK(name_bytes(file.s, size) == FILES_BAD);
	CHECK_EQ(name_bytes(file.s, file.size), FILES_OK);
}

/* Each field of the headers, of each section and of the first symbols, set to what hurts. */
static void absurd_values_are_survived(void)
{
	static const u64 values[] = {0, 1, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
	_cleanup_strbuf_ struct strbuf file = {};
	const Elf64_Ehdr *header;
	size_t begins[3], sizes[3];
	u64 was;

	CHECK(compile("absurd", "-O1", three_functions));
	read_file(in_fixture("absurd"), &file);
	header = (const Elf64_Ehdr *)file.s;
	begins[0] = EI_NIDENT, sizes[0] = sizeof(*header) - EI_NIDENT;
	begins[1] = header->e_phoff, sizes[1] = header->e_phnum * sizeof(Elf64_Phdr);
	begins[2] = header->e_shoff, sizes[2] = header->e_shnum * sizeof(Elf64_Shdr);
	for (size_t part = 0; part < ARRAY_SIZE(begins); part++)
		for (size_t at = 0; at + 8 <= sizes[part]; at += 4)
			for (size_t v = 0; v < ARRAY_SIZE(values); v++)
				for (size_t width = 2; width <= 8; width *= 2) {
					memcpy(&was, file.s + begins[part] + at, 8);
					memcpy(file.s + begins[part] + at, &values[v], width);
					name_bytes(file.s, file.size);
					memcpy(file.s + begins[part] + at, &was, 8);
				}
	CHECK_EQ(name_bytes(file.s, file.size), FILES_OK);
}

static void symbol_names_out_of_bounds_are_nothing(void)
{
	_cleanup_strbuf_ struct strbuf file = {};
	const Elf64_Shdr *table;
	struct elf elf;
	int fd;

	CHECK(compile("names", "-O1", three_functions));
	read_file(in_fixture("names"), &file);
	fd = open_elf(&elf, in_fixture("names"));
	table = elf_section(&elf, SHT_SYMTAB);
	for (u64 i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym *symbol = (Elf64_Sym *)(file.s + table->sh_offset) + i;

		symbol->st_name = i % 2 ? UINT32_MAX : 0x7fffffff;
		symbol->st_size = UINT64_MAX;
	}
	name_bytes(file.s, file.size);
	elf_release(&elf);
	close(fd);
}

/* What is said of the addresses 0, 1, ... below `asked`, by `nr` symbols that all cover them. */
static struct files_symbols *ask_covered(size_t nr, size_t asked)
{
	size_t size = 0x1000 + nr * sizeof(Elf64_Sym);
	_cleanup_free_ char *file = xcalloc(1, size);
	_cleanup_free_ u64 *addresses = xcalloc(asked, sizeof(u64));
	Elf64_Shdr sections[] = {
		{},
		{.sh_type = SHT_SYMTAB, .sh_link = 2, .sh_offset = 0x1000, .sh_size = nr * 24ul},
		{.sh_type = SHT_STRTAB, .sh_offset = 0x800, .sh_size = 16}};
	Elf64_Phdr segment = {.p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = size};
	Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
			     .e_phoff = 0x100,
			     .e_phnum = 1,
			     .e_phentsize = sizeof(segment),
			     .e_shoff = 0x200,
			     .e_shnum = 3,
			     .e_shentsize = sizeof(Elf64_Shdr)};
	struct files_symbols *reply;

	memcpy(file, &header, sizeof(header));
	memcpy(file + 0x100, &segment, sizeof(segment));
	memcpy(file + 0x200, sections, sizeof(sections));
	memcpy(file + 0x801, "evil", 5);
	for (size_t i = 0; i < nr; i++)
		((Elf64_Sym *)(file + 0x1000))[i] =
			(Elf64_Sym){.st_name = 1,
				    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				    .st_shndx = 1,
				    .st_size = size};
	for (size_t i = 0; i < asked; i++)
		addresses[i] = i;
	reply = reply_new(FILES_PENDING, addresses, asked);
	name_alone(bytes_of_memory(file, size), reply);
	return reply;
}

static void work_is_bounded(void)
{
	struct files_symbols *reply = ask_covered(2000000, 4096);

	CHECK(reply->cut);
	CHECK_STR(reply->at[7].name, "evil");
	files_symbols_free(reply);
}

/* Comparing names costs a read of the file each, which is more than a step. */
static void comparing_names_is_bounded(void)
{
	struct files_symbols *reply = ask_covered(400000, 1);

	CHECK(reply->cut);
	CHECK_STR(reply->at[0].name, "evil");
	files_symbols_free(reply);
}

/* A build id behind `nr` sections which are all the same hundred empty notes. */
static size_t size_of_build_id(size_t nr)
{
	const Elf64_Nhdr note = {.n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID};
	const size_t empty = 100 * sizeof(note);
	_cleanup_free_ Elf64_Shdr *sections = xcalloc(nr + 1, sizeof(*sections));
	u8 file[2048] = {}, id[ELF_MAX_BUILD_ID];
	struct elf elf = {.bytes = bytes_of_memory(file, sizeof(file))};

	memcpy(file + empty, &note, sizeof(note));
	memcpy(file + empty + sizeof(note), "GNU\0good", 8);
	for (size_t i = 0; i < nr; i++)
		sections[i] = (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_size = empty};
	sections[nr] =
		(Elf64_Shdr){.sh_type = SHT_NOTE, .sh_offset = empty, .sh_size = sizeof(note) + 8};
	elf.sections.at = sections;
	elf.sections.nr = nr + 1;
	return elf_build_id(&elf, id);
}

static void notes_are_bounded(void)
{
	CHECK_EQ(size_of_build_id(5), 4);
	CHECK_EQ(size_of_build_id(60000), 0);
}

static void narrow_files_are_read(void)
{
	Elf32_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB},
			     .e_machine = EM_ARM,
			     .e_phoff = 0x100,
			     .e_phnum = 1,
			     .e_phentsize = sizeof(Elf32_Phdr),
			     .e_shoff = 0x200,
			     .e_shnum = 3,
			     .e_shentsize = sizeof(Elf32_Shdr)};
	Elf32_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 0x8000, .p_filesz = 0x1000};
	Elf32_Shdr sections[] = {{},
				 {.sh_type = SHT_SYMTAB,
				  .sh_link = 2,
				  .sh_offset = 0x400,
				  .sh_size = 2 * sizeof(Elf32_Sym)},
				 {.sh_type = SHT_STRTAB, .sh_offset = 0x500, .sh_size = 16}};
	Elf32_Sym symbols[] = {{},
			       {.st_name = 1,
				.st_value = 0x8801,
				.st_size = 16,
				.st_shndx = 1,
				.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC)}};
	struct files_symbols *reply;
	char file[0x1000] = {};

	memcpy(file, &header, sizeof(header));
	memcpy(file + 0x100, &segment, sizeof(segment));
	memcpy(file + 0x200, sections, sizeof(sections));
	memcpy(file + 0x400, symbols, sizeof(symbols));
	memcpy(file + 0x501, "thumb", 6);
	reply = reply_new(FILES_PENDING, (u64[]){0x7ff, 0x800, 0x80f, 0x810}, 4);
	name_alone(bytes_of_memory(file, sizeof(file)), reply);
	CHECK(!reply->at[0].name);
	CHECK_STR(reply->at[1].name, "thumb");
	CHECK_STR(reply->at[2].name, "thumb");
	CHECK(!reply->at[3].name);
	files_symbols_free(reply);
}

int main(void)
{
	fixture_begin();
	RUN(aliases_have_an_order);
	RUN(every_kind_of_link_works);
	RUN(symbols_without_a_size_reach_to_the_next);
	RUN(without_a_whole_table_they_name_their_own_address);
	RUN(names_are_those_of_nm);
	RUN(stripped_files_say_so);
	RUN(debug_files_are_found_by_build_id);
	RUN(debug_files_of_a_container_are_found_by_build_id);
	RUN(packed_symbols_are_unpacked);
	RUN(packed_bombs_and_garbage_are_nothing);
	RUN(stubs_are_named_by_what_they_call);
	RUN(the_vdso_has_names);
	RUN(any_prefix_is_bad_or_less);
	RUN(absurd_values_are_survived);
	RUN(symbol_names_out_of_bounds_are_nothing);
	RUN(work_is_bounded);
	RUN(comparing_names_is_bounded);
	RUN(notes_are_bounded);
	RUN(narrow_files_are_read);
	fixture_end();
	return test_status();
}
