/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python.h: how CPython's interpreter keeps its threads, frames and code objects, as far as its
 * stacks need. A file that is an interpreter (an executable, or libpython3.x.so) has one struct
 * wick_python, which src/unwind/cpython.c makes of its symbols, and bpf/python.h walks by;
 * of threads that were blocked, src/files/python_stacks.c.
 *
 *	_PyRuntime -> interpreter -> thread states, a list: the one whose thread_id is
 *	pthread_self() of the thread at hand -> frames, innermost first -> their code objects
 *
 * Up to 3.10 each Python frame is one of the C function _PyEval_EvalFrameDefault(). Since 3.11 a
 * Python function that calls another stays in the same one, and frames say where a C frame begins:
 * is_entry in 3.11, a frame of the evaluator's own before them since 3.12.
 *
 * Sources: CPython's Include/cpython/pystate.h, Include/internal/pycore_runtime.h, pycore_interp.h,
 * pycore_frame.h, Include/cpython/code.h, unicodeobject.h of each version; since 3.13 the head of
 * _PyRuntime, struct _Py_DebugOffsets, has the offsets of that very build.
 *
 * Read by clang for BPF, after vmlinux.h, and by the host's compiler.
 */
#ifndef WICK_PYTHON_H
#define WICK_PYTHON_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_PYTHONS = 64,	     /* interpreters that BPF knows at a time */
	WICK_PYTHON_TEXT = 232,	     /* bytes of a name; of a longer path the end is kept */
	WICK_PYTHON_LINES = 8 << 10, /* bytes of a line table; a function with more has no lines */
	WICK_PYTHON_OBJECT = 256,    /* bytes: members of frames and code objects lie within */
	WICK_PYTHON_FRAMES = 256,    /* of a stack */
	WICK_PYTHON_NO_MEMBER = 0xffffffff,
};

/* Where a frame says that it is the outermost one of a C frame. */
enum wick_python_entry {
	WICK_PYTHON_ENTRY_EACH,	 /* each frame is */
	WICK_PYTHON_ENTRY_FLAG,	 /* by a byte that is not 0 */
	WICK_PYTHON_ENTRY_OWNER, /* a frame of the evaluator's own follows: WICK_PYTHON_OWNER_C */
};
enum { WICK_PYTHON_OWNER_C = 3 }; /* this and above: pycore_frame.h, enum _frameowner */

/* Offsets in bytes, of the structure that the comment names. */
struct wick_python {
	__u32 version;		    /* 0x030b: 3.11; 0: the file is no interpreter */
	__u32 entry_by;		    /* enum wick_python_entry */
	__u64 eval_begin, eval_end; /* _PyEval_EvalFrameDefault(), in the file */
	__u64 runtime, code_type;   /* _PyRuntime, PyCode_Type; from the file's first byte, as it
					would lie in memory with the text */
	__u32 interpreter;	    /* _PyRuntime: the main interpreter, or the last one */
	__u32 threads;		    /* PyInterpreterState: the list of thread states */
	__u32 next, previous;	    /* PyThreadState */
	__u32 thread_id, native_id; /* PyThreadState; NO_MEMBER before 3.11: native_id */
	__u32 current;		    /* PyThreadState: the innermost frame, or ... */
	__u32 cframe;		    /* ... what points to it: _PyCFrame; NO_MEMBER: a frame */
	__u32 frame_code, frame_back, frame_at, frame_entry; /* a frame */
	__u32 code_file, code_name, code_line, code_lines;   /* PyCodeObject */
	__u32 code_begin;				     /* its first instruction; NO_MEMBER:
								frame_at is an index */
	__u32 at_unit;		      /* bytes that an index counts: 1, and 2 in 3.10 */
	__u32 ascii_text, other_text; /* where a str has its characters */
	__u32 kind_shift;	      /* of a str's state: bits of its kind (3), compact, ascii */
	__u32 frame_size, code_size;  /* from its first byte to the end of the last member above */
	__u32 pad;
};

/* A str: `size` bytes of characters of 1, 2 or 4 bytes each. */
struct wick_python_text {
	__u32 size;
	__u32 width;
	char bytes[WICK_PYTHON_TEXT];
};

/*
 * What follows the native frames of a struct wick_stack_body, for each Python frame, innermost
 * first: the id of its code object, and where in that it is. An id of 0 is no frame, only an entry.
 */
struct wick_python_frame {
	__u64 code;
	__u64 place; /* bytes from the first instruction, of 32 bits, and WICK_PYTHON_IS_ENTRY */
};
#define WICK_PYTHON_IS_ENTRY (1ull << 32)
#define WICK_PYTHON_PLACE    0xffffffffull

#endif
