/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Python program says of its functions: texts, and a line table of any version. */
#include "follow/python_codes.h"
#include "follow/python_lines.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	static const u32 versions[] = {0x0308, 0x030a, 0x030b};
	struct wick_code_body *body = xcalloc(1, sizeof(*body) + size);
	struct wick_python_frame frame = {.code = 1};
	struct python_codes *codes;
	struct profile p;

	if (size >= sizeof(*body))
		memcpy(body, input, sizeof(*body));
	memcpy(body + 1, input, size);
	body->body.nr = (u32)size;
	body->body.id = frame.code;
	profile_init(&p);
	codes = python_codes_new(&p);
	python_codes_add(codes, body);
	for (u64 place = 0; place < 64; place++)
		for (size_t v = 0; v < ARRAY_SIZE(versions); v++)
			python_line(versions[v], body->first_line, input, size, place);
	for (frame.place = 0; frame.place < 8; frame.place++)
		assert(python_codes_frame(codes, &frame) < p.frames.nr);
	python_codes_free(codes);
	profile_release(&p);
	free(body);
	return 0;
}
