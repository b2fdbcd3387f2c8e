/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_symbols.c: libjvm.so is read as it is loaded, in the process's memory: its exported symbols
 * are found by the hash table that the dynamic linker uses (DT_GNU_HASH, or DT_HASH), and the
 * tables by two of these symbols.
 */
#include "java_symbols.h"

#include <elf.h>

enum {
	MAX_HEADERS = 64,
	MAX_DYNAMIC = 256,
	MAX_CHAIN = 4096,
	MAX_ENTRIES = 16384,
	MAX_SIZE = 4096,
	MAX_NAME = 64, /* of a type or field that is looked for */
};

/* ---- symbols of a library in memory */

struct loaded {
	struct vm_memory *memory;
	u64 base;
	u64 symbols, strings, hash, old_hash; /* addresses; 0: there are none */
};

/* The C library has added where the file is loaded; others have not. */
static u64 address_in(const struct loaded *l, u64 value)
{
	return value < l->base ? l->base + value : value;
}

static bool find_dynamic(const struct loaded *l, u64 *at)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (!vm_read(l->memory, l->base, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned int i = 0; i < head.e_phnum && i < MAX_HEADERS; i++) {
		if (!vm_read(l->memory, l->base + head.e_phoff + i * sizeof(part), &part,
			     sizeof(part)))
			return false;
		if (part.p_type == PT_DYNAMIC) {
			*at = l->base + part.p_vaddr;
			return true;
		}
	}
	return false;
}

static bool read_dynamic(struct loaded *l)
{
	Elf64_Dyn entry;
	u64 at;

	if (!find_dynamic(l, &at))
		return false;
	for (unsigned int i = 0; i < MAX_DYNAMIC; i++) {
		if (!vm_read(l->memory, at + i * sizeof(entry), &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			l->symbols = address_in(l, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_STRTAB)
			l->strings = address_in(l, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_GNU_HASH)
			l->hash = address_in(l, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_HASH)
			l->old_hash = address_in(l, entry.d_un.d_ptr);
	}
	return l->symbols && l->strings && (l->hash || l->old_hash);
}

static u32 hash_of(const char *name)
{
	u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (u8)*name;
	return hash;
}

static bool is_symbol(const struct loaded *l, u64 index, const char *name, u64 *address)
{
	char found[MAX_NAME];
	Elf64_Sym symbol;

	if (!vm_read(l->memory, l->symbols + index * sizeof(symbol), &symbol, sizeof(symbol)) ||
	    !vm_read_string(l->memory, l->strings + symbol.st_name, found, sizeof(found)) ||
	    strcmp(found, name))
		return false;
	*address = l->base + symbol.st_value;
	return true;
}

/*
 * The table: four numbers (buckets, first symbol, words of the filter, a shift), the filter of
 * 8-byte words, a first symbol for each bucket, and for each symbol its hash, whose lowest bit says
 * that it is its bucket's last.
 */
static bool find_by_hash(const struct loaded *l, const char *name, u64 *address)
{
	u32 head[4], hash = hash_of(name);
	u64 buckets, index, stored;

	if (!vm_read(l->memory, l->hash, head, sizeof(head)) || !head[0])
		return false;
	buckets = l->hash + sizeof(head) + (u64)head[2] * sizeof(u64);
	if (!vm_read_u32(l->memory, buckets + hash % head[0] * sizeof(u32), &index) ||
	    index < head[1])
		return false;
	for (unsigned int i = 0; i < MAX_CHAIN; i++, index++) {
		u64 chain = buckets + (u64)head[0] * sizeof(u32);

		if (!vm_read_u32(l->memory, chain + (index - head[1]) * sizeof(u32), &stored))
			return false;
		if ((stored | 1) == (hash | 1) && is_symbol(l, index, name, address))
			return true;
		if (stored & 1)
			return false;
	}
	return false;
}

/* As the System V ABI has it. */
static u32 old_hash_of(const char *name)
{
	u32 hash = 0, high;

	for (; *name; name++) {
		hash = (hash << 4) + (u8)*name;
		high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	return hash;
}

/* Two numbers, of buckets and symbols; each bucket's first symbol; each symbol's next; 0: none. */
static bool find_by_old_hash(const struct loaded *l, const char *name, u64 *address)
{
	u64 buckets = l->old_hash + 2 * sizeof(u32), nr, index;

	if (!vm_read_u32(l->memory, l->old_hash, &nr) || !nr ||
	    !vm_read_u32(l->memory, buckets + old_hash_of(name) % nr * sizeof(u32), &index))
		return false;
	for (unsigned int i = 0; i < MAX_CHAIN && index; i++) {
		if (is_symbol(l, index, name, address))
			return true;
		if (!vm_read_u32(l->memory, buckets + (nr + index) * sizeof(u32), &index))
			return false;
	}
	return false;
}

static bool find_symbol(const struct loaded *l, const char *name, u64 *address)
{
	return l->hash ? find_by_hash(l, name, address) : find_by_old_hash(l, name, address);
}

/* ---- the tables */

/* VMStructEntry and VMTypeEntry, as all versions have them. */
struct field_entry {
	u64 type, field, type_string;
	u32 is_static, padding;
	u64 offset, address;
};

struct type_entry {
	u64 name, superclass;
	u32 is_oop, is_integer, is_unsigned, padding;
	u64 size;
};

static const struct {
	const char *type, *field;
	enum java_field is;
} known_fields[] = {
	{"CodeCache", "_heaps", CODE_CACHE_HEAPS},
	{"CodeCache", "_heap", CODE_CACHE_HEAP},
	{"GrowableArrayBase", "_len", LIST_LENGTH},
	{"GenericGrowableArray", "_len", LIST_LENGTH},
	{"GrowableArray<int>", "_data", LIST_ELEMENTS},
	{"CodeHeap", "_memory", HEAP_MEMORY},
	{"CodeHeap", "_segmap", HEAP_SEGMAP},
	{"CodeHeap", "_log2_segment_size", HEAP_LOG2_SEGMENT},
	{"VirtualSpace", "_low", SPACE_LOW},
	{"VirtualSpace", "_high", SPACE_HIGH},
	{"VirtualSpace", "_high_boundary", SPACE_END},
	{"HeapBlock::Header", "_length", BLOCK_LENGTH},
	{"HeapBlock::Header", "_used", BLOCK_USED},
	{"CodeBlob", "_name", BLOB_NAME},
	{"nmethod", "_method", NMETHOD_METHOD},
	{"CompiledMethod", "_method", NMETHOD_METHOD},
	{"Method", "_constMethod", METHOD_CONST},
	{"ConstMethod", "_constants", CONST_POOL},
	{"ConstMethod", "_name_index", CONST_NAME},
	{"ConstMethod", "_signature_index", CONST_SIGNATURE},
	{"ConstantPool", "_pool_holder", POOL_HOLDER},
	{"Klass", "_name", KLASS_NAME},
	{"Symbol", "_length", SYMBOL_LENGTH},
	{"Symbol", "_length_and_refcount", SYMBOL_LENGTH_HIGH},
	{"Symbol", "_body", SYMBOL_BODY},
	{"CodeBlob", "_frame_size", BLOB_FRAME_SIZE},
	{"CodeBlob", "_frame_complete_offset", BLOB_FRAME_COMPLETE},
	{"CodeBlob", "_code_begin", BLOB_CODE_BEGIN},
	{"CodeBlob", "_code_offset", BLOB_CODE_OFFSET},
	{"Abstract_VM_Version", "_vm_major_version", VM_VERSION},
	{"PcDesc", "_pc_offset", PC_OFFSET},
	{"PcDesc", "_scope_decode_offset", PC_SCOPE},
	{"nmethod", "_scopes_pcs_offset", NMETHOD_PCS},
	{"nmethod", "_dependencies_offset", NMETHOD_DEPENDENCIES},
	{"nmethod", "_metadata_offset", NMETHOD_METADATA},
	{"CompiledMethod", "_scopes_data_begin", NMETHOD_SCOPES_BEGIN},
	{"nmethod", "_immutable_data", NMETHOD_IMMUTABLE},
	{"nmethod", "_scopes_data_offset", NMETHOD_SCOPES},
	{"CodeBlob", "_mutable_data", BLOB_MUTABLE},
	{"CodeBlob", "_content_offset", BLOB_CONTENT},
};

static const char *const known_types[NR_JAVA_TYPES] = {
	[TYPE_POOL] = "ConstantPool",
	[TYPE_BLOCK] = "HeapBlock",
	[TYPE_PC_DESC] = "PcDesc",
};

static void take_field(const struct field_entry *entry, const char *type, const char *field,
		       struct java_symbols *symbols)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_fields); i++) {
		if (strcmp(type, known_fields[i].type) || strcmp(field, known_fields[i].field))
			continue;
		symbols->fields[known_fields[i].is] =
			entry->is_static ? entry->address : entry->offset;
		symbols->has[known_fields[i].is] = true;
	}
}

/* int, and int16_t from 23 on */
static void take_type(struct vm_memory *memory, const struct field_entry *entry, const char *field,
		      struct java_symbols *symbols)
{
	char type[MAX_NAME];

	if (!strcmp(field, "_frame_complete_offset") &&
	    vm_read_string(memory, entry->type_string, type, sizeof(type)))
		symbols->frame_complete_is_short = !strcmp(type, "int16_t");
}

static bool read_fields(struct vm_memory *memory, u64 at, struct java_symbols *symbols)
{
	char type[MAX_NAME], field[MAX_NAME];
	struct field_entry entry;

	for (unsigned int i = 0; i < MAX_ENTRIES; i++, at += sizeof(entry)) {
		if (!vm_read(memory, at, &entry, sizeof(entry)))
			return false;
		if (!entry.type)
			return true;
		if (vm_read_string(memory, entry.type, type, sizeof(type)) &&
		    vm_read_string(memory, entry.field, field, sizeof(field))) {
			take_field(&entry, type, field, symbols);
			take_type(memory, &entry, field, symbols);
		}
	}
	return false;
}

static bool read_types(struct vm_memory *memory, u64 at, struct java_symbols *symbols)
{
	struct type_entry entry;
	char name[MAX_NAME];

	for (unsigned int i = 0; i < MAX_ENTRIES; i++, at += sizeof(entry)) {
		if (!vm_read(memory, at, &entry, sizeof(entry)))
			return false;
		if (!entry.name)
			return true;
		if (!vm_read_string(memory, entry.name, name, sizeof(name)))
			continue;
		for (int type = 0; type < NR_JAVA_TYPES; type++)
			if (!strcmp(name, known_types[type]))
				symbols->sizes[type] = entry.size;
	}
	return false;
}

static bool is_complete(const struct java_symbols *s)
{
	bool heaps = s->has[CODE_CACHE_HEAPS] && s->has[LIST_LENGTH] && s->has[LIST_ELEMENTS];

	for (int i = HEAP_MEMORY; i < SYMBOL_LENGTH; i++)
		if (!s->has[i])
			return false;
	return (heaps || s->has[CODE_CACHE_HEAP]) &&
	       (s->has[SYMBOL_LENGTH] || s->has[SYMBOL_LENGTH_HIGH]) && s->has[SYMBOL_BODY] &&
	       s->sizes[TYPE_POOL] && s->sizes[TYPE_POOL] <= MAX_SIZE && s->sizes[TYPE_BLOCK] &&
	       s->sizes[TYPE_BLOCK] <= MAX_SIZE;
}

/* That of HotSpot, which Java's is since 9: before, there was one code heap only. */
static bool read_version(struct vm_memory *memory, struct java_symbols *s)
{
	return !s->has[CODE_CACHE_HEAPS] || !s->has[VM_VERSION] ||
	       vm_read_u32(memory, s->fields[VM_VERSION], &s->version);
}

bool java_symbols_have_frames(const struct java_symbols *s)
{
	return s->has[BLOB_FRAME_SIZE] && s->has[BLOB_FRAME_COMPLETE] &&
	       (s->has[BLOB_CODE_BEGIN] || s->has[BLOB_CODE_OFFSET]);
}

bool java_symbols_read(struct vm_memory *memory, u64 libjvm, struct java_symbols *symbols)
{
	struct loaded l = {.memory = memory, .base = libjvm};
	u64 fields, types;

	*symbols = (struct java_symbols){};
	return read_dynamic(&l) && find_symbol(&l, "gHotSpotVMStructs", &fields) &&
	       find_symbol(&l, "gHotSpotVMTypes", &types) && vm_read_u64(memory, fields, &fields) &&
	       vm_read_u64(memory, types, &types) && read_fields(memory, fields, symbols) &&
	       read_types(memory, types, symbols) && is_complete(symbols) &&
	       read_version(memory, symbols);
}
