/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_symbols.h: what HotSpot says of itself to debuggers. libjvm.so exports gHotSpotVMStructs, a
 * table of the fields of its structures, with their offsets, or where they are if they are static;
 * and gHotSpotVMTypes, with the sizes of types. So one reader knows the structures of all versions
 * (OpenJDK: src/hotspot/share/runtime/vmStructs.hpp).
 */
#ifndef FILES_JAVA_SYMBOLS_H
#define FILES_JAVA_SYMBOLS_H

#include "vm_memory.h"

enum java_field {
	CODE_CACHE_HEAPS, /* static: a list of code heaps (9 and later) */
	CODE_CACHE_HEAP,  /* static: the only one (8) */
	LIST_LENGTH,
	LIST_ELEMENTS,
	/* From here on to SYMBOL_LENGTH, all are needed. */
	HEAP_MEMORY, /* a virtual space, as is ... */
	HEAP_SEGMAP,
	HEAP_LOG2_SEGMENT,
	SPACE_LOW,
	SPACE_HIGH,
	SPACE_END, /* up to which it is reserved */
	BLOCK_LENGTH,
	BLOCK_USED,
	BLOB_NAME,
	NMETHOD_METHOD,
	METHOD_CONST,
	CONST_POOL,
	CONST_NAME,
	CONST_SIGNATURE,
	POOL_HOLDER,
	KLASS_NAME,
	SYMBOL_LENGTH,	    /* either this or ... */
	SYMBOL_LENGTH_HIGH, /* the upper half of a word (13 to 16) */
	SYMBOL_BODY,
	/* Not needed for names. */
	BLOB_FRAME_SIZE,
	BLOB_FRAME_COMPLETE,
	BLOB_CODE_BEGIN,  /* a pointer, or ... */
	BLOB_CODE_OFFSET, /* ... from the blob on (23 and later) */
	VM_VERSION,	  /* static */
	PC_OFFSET,
	PC_SCOPE,
	NMETHOD_PCS,
	NMETHOD_DEPENDENCIES, /* this and the next two up to 22; ... */
	NMETHOD_METADATA,
	NMETHOD_SCOPES_BEGIN,
	NMETHOD_IMMUTABLE, /* ... these in 25 */
	NMETHOD_SCOPES,
	BLOB_MUTABLE,
	BLOB_CONTENT,
	NR_JAVA_FIELDS,
};

enum java_type { TYPE_POOL, TYPE_BLOCK, TYPE_PC_DESC, NR_JAVA_TYPES };

struct java_symbols {
	u64 fields[NR_JAVA_FIELDS]; /* offsets, or addresses of what is static */
	bool has[NR_JAVA_FIELDS];
	u64 sizes[NR_JAVA_TYPES]; /* 0: not known */
	bool frame_complete_is_short;
	u64 version; /* of Java, from 9 on; 0: older, or not known */
};

/* What a frame's rule needs. */
bool java_symbols_have_frames(const struct java_symbols *symbols);

/* False where no HotSpot is loaded at `libjvm`, or one without what is needed. */
bool java_symbols_read(struct vm_memory *memory, u64 libjvm, struct java_symbols *symbols);

#endif
