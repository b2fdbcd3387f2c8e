/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python_stacks.h: the Python frames of threads that are blocked, from their process's memory. For
 * those that run, bpf/python.h does the same; here, no thread is stopped, so that a thread's native
 * stack is read after its frames: what is as it was when it was copied, has not run in between.
 *
 * The answer:	struct python_head, struct files_python_stack for each thread that was asked for,
 *		struct wick_python_frame, struct wick_code_body with line tables, each padded to 8
 *		bytes
 *
 * A process may say of its memory what it likes, and so may the answer.
 */
#ifndef FILES_PYTHON_STACKS_H
#define FILES_PYTHON_STACKS_H

#include "base/strbuf.h"
#include "bytes.h"
#include "files.h"
#include "python.h"

struct python_question {
	struct wick_python python;
	u64 base;
	u64 nr;
	struct files_python_thread threads[];
};

struct python_head {
	u32 nr_stacks, nr_frames, nr_codes;
	u32 pad;
};

/* As words of 8 bytes. */
size_t python_question_words(size_t nr_threads);
struct python_question *python_question_new(const struct wick_python *python, u64 base,
					    const struct files_python_thread *threads, size_t nr);

/* In a parser: appends the answer. Offsets in `memory` are addresses. False: it is no question. */
bool python_stacks_read(const struct bytes *memory, const struct python_question *question,
			size_t words, struct strbuf *answer);

/* In wick: a copy, if it is as it has to be; else NULL. To be freed by files_python_free(). */
struct files_python *python_stacks_check(const void *answer, size_t size, size_t nr_threads);

#endif
