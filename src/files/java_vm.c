/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_vm.c: from an address to the method.
 *
 *	blob         name: "nmethod", or what else it is
 *	nmethod   -> Method -> ConstMethod: numbers of name and signature in the constant pool
 *	                    -> ConstantPool: symbols by number; the class that it belongs to
 */
#include "java_vm.h"

#include "base/strbuf.h"
#include "java_scopes.h"
#include "wick.h"

enum {
	MAX_BLOB_NAME = 256,
	MAX_SYMBOL = 2048,
	MAX_ARGUMENTS = 256,
};

struct vm {
	struct java_code code;
	struct strbuf name;
};

static bool field_u64(const struct vm *vm, u64 object, enum java_field field, u64 *value)
{
	return java_field_u64(&vm->code, object, field, value);
}

/* ---- names */

/* A symbol's bytes, which have no end. */
static bool read_symbol(struct vm *vm, u64 symbol, char *to, size_t *size)
{
	const struct java_symbols *s = &vm->code.symbols;
	u64 length;

	if (s->has[SYMBOL_LENGTH]
		    ? !vm_read_u16(vm->code.memory, symbol + s->fields[SYMBOL_LENGTH], &length)
		    : !vm_read_u16(vm->code.memory, symbol + s->fields[SYMBOL_LENGTH_HIGH] + 2,
				   &length))
		return false;
	*size = min(length, (u64)MAX_SYMBOL);
	return vm_read(vm->code.memory, symbol + s->fields[SYMBOL_BODY], to, *size);
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
	const u64 *fields = vm->code.symbols.fields;
	u64 constant, pool, holder, name, signature, at;

	if (!field_u64(vm, method, METHOD_CONST, &constant) ||
	    !field_u64(vm, constant, CONST_POOL, &pool) ||
	    !vm_read_u16(vm->code.memory, constant + fields[CONST_NAME], &name) ||
	    !vm_read_u16(vm->code.memory, constant + fields[CONST_SIGNATURE], &signature) ||
	    !field_u64(vm, pool, POOL_HOLDER, &holder))
		return false;
	at = pool + vm->code.symbols.sizes[TYPE_POOL];
	return field_u64(vm, holder, KLASS_NAME, &found->klass) &&
	       vm_read_u64(vm->code.memory, at + name * sizeof(u64), &found->name) &&
	       vm_read_u64(vm->code.memory, at + signature * sizeof(u64), &found->signature);
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

static bool is_method(const char *kind)
{
	return !strcmp(kind, "nmethod") || !strcmp(kind, "native nmethod");
}

static bool name_blob(struct vm *vm, u64 blob)
{
	char kind[MAX_BLOB_NAME];
	u64 name, method;

	strbuf_clear(&vm->name);
	if (!field_u64(vm, blob, BLOB_NAME, &name) ||
	    !vm_read_string(vm->code.memory, name, kind, sizeof(kind)) || !*kind)
		return false;
	if (is_method(kind)) {
		if (field_u64(vm, blob, NMETHOD_METHOD, &method) && name_method(vm, method))
			return true;
		strbuf_clear(&vm->name);
		return false;
	}
	strbuf_adds(&vm->name, kind);
	return true;
}

static void name_interpreted(struct vm *vm, struct files_symbol *symbol)
{
	strbuf_clear(&vm->name);
	if (!name_method(vm, symbol->address & ~WICK_FRAME_METHOD)) {
		strbuf_clear(&vm->name);
		strbuf_adds(&vm->name, "Interpreter");
	}
	reply_name(symbol, symbol->address, vm->name.s, vm->name.size);
}

static void vm_release(struct vm *vm)
{
	free(vm->code.memory);
	strbuf_release(&vm->name);
}

s64 java_vm_name(const struct bytes *memory, u64 libjvm, struct files_symbols *reply)
{
	_cleanup_(vm_release) struct vm vm = {.code.memory = vm_memory_new(memory)};
	struct java_block block = {};
	bool named = false;
	s64 nr_named = 0;

	if (!java_code_read(&vm.code, vm.code.memory, libjvm))
		return -1;
	for (size_t i = 0; i < reply->nr; i++) {
		struct files_symbol *symbol = &reply->at[i];

		if (symbol->address & WICK_FRAME_METHOD) {
			name_interpreted(&vm, symbol);
			nr_named++;
			continue;
		}
		if (symbol->address < block.start || symbol->address >= block.end) {
			block = (struct java_block){};
			named = java_find_block(&vm.code, symbol->address, &block) &&
				name_blob(&vm, block.start);
		}
		if (!named)
			continue;
		reply_name(symbol, block.start, vm.name.s, vm.name.size);
		nr_named++;
	}
	return nr_named;
}

/* ---- what is inlined */

static bool is_compiled(const struct vm *vm, u64 blob)
{
	char kind[MAX_BLOB_NAME];
	u64 name;

	return field_u64(vm, blob, BLOB_NAME, &name) &&
	       vm_read_string(vm->code.memory, name, kind, sizeof(kind)) && is_method(kind);
}

static u32 name_of(struct vm *vm, u64 method, struct found_lines *found)
{
	strbuf_clear(&vm->name);
	return name_method(vm, method) ? found_lines_name(found, vm->name.s, vm->name.size) : 0;
}

static void add_scopes(struct vm *vm, const struct java_scopes *scopes, size_t i,
		       struct found_lines *found)
{
	struct files_line lines[JAVA_MAX_SCOPES] = {};

	for (size_t s = 0; s < scopes->nr; s++)
		lines[s] = (struct files_line){
			.function = name_of(vm, scopes->methods[s], found),
			.inlined = s + 1 < scopes->nr,
		};
	found_lines_add(found, i, lines, scopes->nr);
}

bool java_vm_lines(const struct bytes *memory, u64 libjvm, const struct files_symbols *asked,
		   struct found_lines *found)
{
	_cleanup_(vm_release) struct vm vm = {.code.memory = vm_memory_new(memory)};
	struct java_block block = {};
	struct java_scopes scopes;

	if (!java_code_read(&vm.code, vm.code.memory, libjvm))
		return false;
	for (size_t i = 0; i < asked->nr; i++) {
		u64 address = asked->at[i].address;

		if (java_find_block(&vm.code, address, &block) && is_compiled(&vm, block.start) &&
		    java_scopes_find(&vm.code, block.start, address, &scopes) && scopes.nr > 1)
			add_scopes(&vm, &scopes, i, found);
	}
	return true;
}
