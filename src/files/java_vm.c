/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_vm.c: from an address to the method.
 *
 *	code heap    | block | block | unused | block        made of segments
 *	segment map  0 1 2 0 1 2 3 ff ff ff 0 1              how far back the block's begin is
 *	block        header: length, used?; then a blob
 *	blob         name: "nmethod", or what else it is
 *	nmethod   -> Method -> ConstMethod: numbers of name and signature in the constant pool
 *	                    -> ConstantPool: symbols by number; the class that it belongs to
 */
#include "java_vm.h"

#include "base/strbuf.h"
#include "java_symbols.h"

enum {
	MAX_HEAPS = 8,
	MAX_HOPS = 1 << 16, /* back in the segment map: of a block of up to 16 million segments */
	FREE_SEGMENT = 0xff,
	MAX_LOG2_SEGMENT = 30,
	MAX_BLOB_NAME = 256,
	MAX_SYMBOL = 2048,
	MAX_ARGUMENTS = 256,
};

struct heap {
	u64 low, high, segmap, segmap_size;
	unsigned int log2_segment;
};

struct vm {
	struct vm_memory *memory;
	struct java_symbols symbols;
	struct heap heaps[MAX_HEAPS];
	size_t nr_heaps;
	struct strbuf name;
};

static bool field_u64(struct vm *vm, u64 object, enum java_field field, u64 *value)
{
	return vm_read_u64(vm->memory, object + vm->symbols.fields[field], value);
}

/* ---- code heaps */

static bool read_space(struct vm *vm, u64 space, u64 *low, u64 *high)
{
	return field_u64(vm, space, SPACE_LOW, low) && field_u64(vm, space, SPACE_HIGH, high) &&
	       *low < *high;
}

static void add_heap(struct vm *vm, u64 object)
{
	const u64 *fields = vm->symbols.fields;
	struct heap heap;
	u64 end, log2;

	if (vm->nr_heaps == MAX_HEAPS ||
	    !read_space(vm, object + fields[HEAP_MEMORY], &heap.low, &heap.high) ||
	    !read_space(vm, object + fields[HEAP_SEGMAP], &heap.segmap, &end) ||
	    !vm_read_u32(vm->memory, object + fields[HEAP_LOG2_SEGMENT], &log2) ||
	    log2 > MAX_LOG2_SEGMENT)
		return;
	heap.segmap_size = end - heap.segmap;
	heap.log2_segment = (unsigned int)log2;
	vm->heaps[vm->nr_heaps++] = heap;
}

static void read_heaps(struct vm *vm)
{
	const struct java_symbols *s = &vm->symbols;
	u64 list, nr, elements, object;

	if (!s->has[CODE_CACHE_HEAPS]) {
		if (vm_read_u64(vm->memory, s->fields[CODE_CACHE_HEAP], &object))
			add_heap(vm, object);
		return;
	}
	if (!vm_read_u64(vm->memory, s->fields[CODE_CACHE_HEAPS], &list) ||
	    !vm_read_u32(vm->memory, list + s->fields[LIST_LENGTH], &nr) ||
	    !field_u64(vm, list, LIST_ELEMENTS, &elements))
		return;
	for (u64 i = 0; i < min(nr, (u64)MAX_HEAPS); i++)
		if (vm_read_u64(vm->memory, elements + i * sizeof(u64), &object))
			add_heap(vm, object);
}

/* A block of a code heap. */
struct block {
	u64 start, end; /* its blob begins at the start */
};

static bool find_start(struct vm *vm, const struct heap *heap, u64 address, u64 *start)
{
	u64 segment = (address - heap->low) >> heap->log2_segment, hop;

	for (int i = 0; i < MAX_HOPS; i++) {
		if (segment >= heap->segmap_size ||
		    !vm_read_u8(vm->memory, heap->segmap + segment, &hop) || hop == FREE_SEGMENT ||
		    hop > segment)
			return false;
		if (!hop) {
			*start = heap->low + (segment << heap->log2_segment);
			return true;
		}
		segment -= hop;
	}
	return false;
}

/* In segments: a size_t, or from 23 on 32 bits; the flag follows it. */
static bool read_length(struct vm *vm, u64 start, u64 *length)
{
	const u64 *fields = vm->symbols.fields;

	if (fields[BLOCK_USED] - fields[BLOCK_LENGTH] == sizeof(u32))
		return vm_read_u32(vm->memory, start + fields[BLOCK_LENGTH], length);
	return vm_read_u64(vm->memory, start + fields[BLOCK_LENGTH], length);
}

static bool find_block(struct vm *vm, u64 address, struct block *block)
{
	for (size_t i = 0; i < vm->nr_heaps; i++) {
		const struct heap *heap = &vm->heaps[i];
		u64 start, length, used;

		if (address < heap->low || address >= heap->high)
			continue;
		if (!find_start(vm, heap, address, &start) || !read_length(vm, start, &length) ||
		    !vm_read_u8(vm->memory, start + vm->symbols.fields[BLOCK_USED], &used) ||
		    !used || length > (heap->high - start) >> heap->log2_segment)
			return false;
		block->start = start + vm->symbols.sizes[TYPE_BLOCK];
		block->end = start + (length << heap->log2_segment);
		return address >= block->start && address < block->end;
	}
	return false;
}

/* ---- names */

/* A symbol's bytes, which have no end. */
static bool read_symbol(struct vm *vm, u64 symbol, char *to, size_t *size)
{
	const struct java_symbols *s = &vm->symbols;
	u64 length;

	if (s->has[SYMBOL_LENGTH]
		    ? !vm_read_u16(vm->memory, symbol + s->fields[SYMBOL_LENGTH], &length)
		    : !vm_read_u16(vm->memory, symbol + s->fields[SYMBOL_LENGTH_HIGH] + 2, &length))
		return false;
	*size = min(length, (u64)MAX_SYMBOL);
	return vm_read(vm->memory, symbol + s->fields[SYMBOL_BODY], to, *size);
}

static void add_class(struct strbuf *to, const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		strbuf_add(to, name[i] == '/' ? "." : &name[i], 1);
}

/* One type of a signature (JVM specification, 4.3.2); returns what follows it, or NULL. */
static const char *add_type(struct strbuf *to, const char *at, const char *end)
{
	static const struct {
		char letter;
		const char *name;
	} plain[] = {{'B', "byte"}, {'C', "char"},  {'D', "double"},  {'F', "float"}, {'I', "int"},
		     {'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};
	const char *semicolon, *type = at;

	while (type < end && *type == '[')
		type++;
	if (type == end || type - at > UINT8_MAX)
		return NULL;
	if (*type == 'L') {
		semicolon = memchr(type, ';', (size_t)(end - type));
		if (!semicolon)
			return NULL;
		add_class(to, type + 1, (size_t)(semicolon - type - 1));
		for (; *at == '['; at++)
			strbuf_adds(to, "[]");
		return semicolon + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		if (*type != plain[i].letter)
			continue;
		strbuf_adds(to, plain[i].name);
		for (; *at == '['; at++)
			strbuf_adds(to, "[]");
		return type + 1;
	}
	return NULL;
}

static void add_arguments(struct strbuf *to, const char *at, const char *end)
{
	strbuf_adds(to, "(");
	for (int i = 0; i < MAX_ARGUMENTS && at && at < end && *at != ')'; i++) {
		if (i)
			strbuf_adds(to, ", ");
		at = add_type(to, at, end);
	}
	strbuf_adds(to, ")");
}

struct method_symbols {
	u64 klass, name, signature;
};

static bool find_symbols(struct vm *vm, u64 method, struct method_symbols *found)
{
	const u64 *fields = vm->symbols.fields;
	u64 constant, pool, holder, name, signature, at;

	if (!field_u64(vm, method, METHOD_CONST, &constant) ||
	    !field_u64(vm, constant, CONST_POOL, &pool) ||
	    !vm_read_u16(vm->memory, constant + fields[CONST_NAME], &name) ||
	    !vm_read_u16(vm->memory, constant + fields[CONST_SIGNATURE], &signature) ||
	    !field_u64(vm, pool, POOL_HOLDER, &holder))
		return false;
	at = pool + vm->symbols.sizes[TYPE_POOL];
	return field_u64(vm, holder, KLASS_NAME, &found->klass) &&
	       vm_read_u64(vm->memory, at + name * sizeof(u64), &found->name) &&
	       vm_read_u64(vm->memory, at + signature * sizeof(u64), &found->signature);
}

/* "long Service.parse(long, int)" */
static bool name_method(struct vm *vm, u64 method)
{
	char signature[MAX_SYMBOL], text[MAX_SYMBOL];
	const char *end, *close;
	struct method_symbols symbols;
	size_t size;

	if (!find_symbols(vm, method, &symbols) ||
	    !read_symbol(vm, symbols.signature, signature, &size) || !size || *signature != '(')
		return false;
	end = signature + size;
	close = memchr(signature, ')', size);
	if (close && add_type(&vm->name, close + 1, end))
		strbuf_adds(&vm->name, " ");
	if (!read_symbol(vm, symbols.klass, text, &size) || !size)
		return false;
	add_class(&vm->name, text, size);
	strbuf_adds(&vm->name, ".");
	if (!read_symbol(vm, symbols.name, text, &size) || !size)
		return false;
	strbuf_add(&vm->name, text, size);
	add_arguments(&vm->name, signature + 1, end);
	return true;
}

static bool name_blob(struct vm *vm, u64 blob)
{
	char kind[MAX_BLOB_NAME];
	u64 name, method;

	strbuf_clear(&vm->name);
	if (!field_u64(vm, blob, BLOB_NAME, &name) ||
	    !vm_read_string(vm->memory, name, kind, sizeof(kind)) || !*kind)
		return false;
	if (!strcmp(kind, "nmethod") || !strcmp(kind, "native nmethod")) {
		if (field_u64(vm, blob, NMETHOD_METHOD, &method) && name_method(vm, method))
			return true;
		strbuf_clear(&vm->name);
		return false;
	}
	strbuf_adds(&vm->name, kind);
	return true;
}

static void vm_release(struct vm *vm)
{
	free(vm->memory);
	strbuf_release(&vm->name);
}

s64 java_vm_name(const struct bytes *memory, u64 libjvm, struct files_symbols *reply)
{
	_cleanup_(vm_release) struct vm vm = {.memory = vm_memory_new(memory)};
	struct block block = {};
	bool named = false;
	s64 nr_named = 0;

	if (!java_symbols_read(vm.memory, libjvm, &vm.symbols))
		return -1;
	read_heaps(&vm);
	for (size_t i = 0; i < reply->nr; i++) {
		struct files_symbol *symbol = &reply->at[i];

		if (symbol->address < block.start || symbol->address >= block.end) {
			block = (struct block){};
			named = find_block(&vm, symbol->address, &block) &&
				name_blob(&vm, block.start);
		}
		if (!named)
			continue;
		reply_name(symbol, block.start, vm.name.s, vm.name.size);
		nr_named++;
	}
	return nr_named;
}
