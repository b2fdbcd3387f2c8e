/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf_scopes.h"

#include <dwarf.h>

enum {
	MAX_REFERENCES = 8, /* from an inlined call to the declaration of what is called */
	MAX_SCOPES = 128,
	MAX_NAME = 4096,      /* bytes; the function's own name is enough else */
	STEPS_AT_ONCE = 1024, /* between two looks at the clock */
};

static bool is_cxx(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

static bool refers(Dwarf_Die *from, Dwarf_Die *to)
{
	static const unsigned int names[] = {DW_AT_abstract_origin, DW_AT_specification};
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (dwarf_formref_die(dwarf_attr(from, names[i], &attribute), to))
			return true;
	return false;
}

static Dwarf_Die declaration_of(const Dwarf_Die *function)
{
	Dwarf_Die at = *function, next;

	for (size_t i = 0; i < MAX_REFERENCES && refers(&at, &next); i++)
		at = next;
	return at;
}

/* The child of `parent` that is, or has, what is at an offset. */
static bool find_child(Dwarf_Die *parent, u64 offset, u64 deadline_ns, Dwarf_Die *found)
{
	Dwarf_Die child, next;

	if (!dwarf_haschildren(parent) || dwarf_child(parent, &child))
		return false;
	for (u32 steps = 1; !dwarf_siblingof(&child, &next) && dwarf_dieoffset(&next) <= offset;
	     steps++) {
		child = next;
		if ((!(steps % STEPS_AT_ONCE) || dwarf_haschildren(&child)) &&
		    monotonic_ns() >= deadline_ns)
			return false;
	}
	*found = child;
	return dwarf_dieoffset(&child) <= offset;
}

/* A function's own scopes are not those of what is local to it. */
static void enter(Dwarf_Die *scope, struct strbuf *scoped)
{
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_subprogram:
		strbuf_clear(scoped);
		return;
	case DW_TAG_namespace:
		strbuf_addf(scoped, "%s::", name ? name : "(anonymous namespace)");
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (name)
			strbuf_addf(scoped, "%s::", name);
		return;
	}
}

bool dwarf_scoped_name(const Dwarf_Die *function, const char *name, u64 deadline_ns,
		       struct strbuf *scoped)
{
	Dwarf_Die at, declaration = declaration_of(function);
	u64 offset = dwarf_dieoffset(&declaration);

	if (!dwarf_diecu(&declaration, &at, NULL, NULL) || !is_cxx(&at))
		return false;
	for (size_t i = 0; i < MAX_SCOPES; i++) {
		if (!find_child(&at, offset, deadline_ns, &at) || scoped->size > MAX_NAME)
			return false;
		if (dwarf_dieoffset(&at) == offset) {
			strbuf_adds(scoped, name);
			return true;
		}
		enter(&at, scoped);
	}
	return false;
}
