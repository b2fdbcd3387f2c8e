/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For frames.c: an indirect function, whose resolver runs in the middle of binding it. */
extern void bottom(void);
void call_lazily(void);
void indirect(void);

static void nothing(void)
{
}

static void (*resolve(void))(void)
{
	bottom();
	return nothing;
}

void indirect(void) __attribute__((ifunc("resolve")));

void call_lazily(void)
{
	indirect();
	__asm__ volatile("");
}
