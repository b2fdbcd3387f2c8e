/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.c: flamegraph.pl's palettes by their names, and one of our own that shows kinds.
 *
 * A palette is a list of rules, the first that fits gives a hue; a hue is a range of shades, out of
 * which a hash of the name picks one. (flamegraph.pl: shades at random, names and ranges as here.)
 * Notes are grey in every palette: they are not functions.
 */
#include "palette.h"
#include "emit.h"

#include <sys/random.h>

/* A channel is base + span * v[by]: v are three numbers in [0, 1) that follow from the name. */
struct hue {
	struct channel {
		u8 base, span, by;
	} red, green, blue;
};

#define HUE(r, rs, rv, g, gs, gv, b, bs, bv)                                                       \
	{                                                                                          \
		{r, rs, rv}, {g, gs, gv},                                                          \
		{                                                                                  \
			b, bs, bv                                                                  \
		}                                                                                  \
	}

static const struct hue hot = HUE(205, 50, 2, 0, 230, 0, 0, 55, 1);
static const struct hue mem = HUE(0, 0, 0, 190, 50, 1, 0, 210, 0);
static const struct hue io = HUE(80, 60, 0, 80, 60, 0, 190, 55, 1);
static const struct hue red = HUE(200, 55, 0, 50, 80, 0, 50, 80, 0);
static const struct hue green = HUE(50, 60, 0, 200, 55, 0, 50, 60, 0);
static const struct hue blue = HUE(80, 60, 0, 80, 60, 0, 205, 50, 0);
static const struct hue yellow = HUE(175, 55, 0, 175, 55, 0, 50, 20, 0);
static const struct hue purple = HUE(190, 65, 0, 80, 60, 0, 190, 65, 0);
static const struct hue aqua = HUE(50, 60, 0, 165, 55, 0, 165, 55, 0);
static const struct hue orange = HUE(190, 65, 0, 90, 65, 0, 0, 0, 0);

static const struct hue kind_user = HUE(243, 10, 0, 172, 40, 1, 84, 36, 2);
static const struct hue kind_kernel = HUE(232, 14, 0, 104, 30, 1, 82, 26, 2);
static const struct hue kind_inlined = HUE(214, 22, 0, 208, 22, 1, 92, 30, 2);
static const struct hue kind_jit = HUE(118, 36, 0, 194, 24, 1, 110, 34, 2);
static const struct hue kind_waker = HUE(104, 34, 0, 190, 26, 1, 204, 22, 2);
static const struct hue kind_group = HUE(168, 22, 0, 184, 20, 0, 208, 16, 0);
static const struct hue waits_user = HUE(140, 34, 0, 184, 26, 1, 238, 14, 2);
static const struct hue waits_kernel = HUE(132, 26, 0, 142, 22, 1, 226, 22, 2);
static const struct hue waits_inlined = HUE(150, 26, 0, 212, 20, 1, 214, 20, 2);
static const struct hue wakers_user = HUE(104, 34, 0, 204, 26, 1, 204, 22, 2);
static const struct hue wakers_kernel = HUE(84, 30, 0, 166, 20, 1, 178, 18, 2);
static const struct hue memory_user = HUE(130, 34, 0, 208, 26, 1, 120, 34, 2);
static const struct hue memory_kernel = HUE(120, 30, 0, 172, 18, 1, 84, 26, 2);
static const struct hue memory_inlined = HUE(196, 22, 0, 214, 20, 1, 104, 30, 2);

static const struct hue kind_note = HUE(196, 18, 0, 196, 18, 0, 196, 18, 0);

enum rule_on { ON_ANY, ON_KIND, ON_PART, ON_CLASS };

struct rule {
	enum rule_on on;
	enum frame_kind kind;
	const char *text;
	const struct hue *hue;
};

enum { MAX_RULES = 16 };

/* As in flamegraph.pl, whose regular expressions these are; the kind stands for its suffix there.
 */
static const struct palette {
	const char *name;
	bool kinds; /* its colours say which kind a frame is of */
	struct rule rules[MAX_RULES];
} palettes[] = {
	{"hot", .rules = {{ON_ANY, .hue = &hot}}},
	{"mem", .rules = {{ON_ANY, .hue = &mem}}},
	{"io", .rules = {{ON_ANY, .hue = &io}}},
	{"wakeup", .rules = {{ON_ANY, .hue = &aqua}}},
	{"chain", .rules = {{ON_KIND, FRAME_WAKER, .hue = &aqua}, {ON_ANY, .hue = &blue}}},
	{"java", .rules =
			 {
				 {ON_KIND, FRAME_JIT, .hue = &green},
				 {ON_KIND, FRAME_INLINED, .hue = &aqua},
				 {ON_CLASS, .text = "java/", .hue = &green},
				 {ON_CLASS, .text = "javax/", .hue = &green},
				 {ON_CLASS, .text = "jdk/", .hue = &green},
				 {ON_CLASS, .text = "net/", .hue = &green},
				 {ON_CLASS, .text = "org/", .hue = &green},
				 {ON_CLASS, .text = "com/", .hue = &green},
				 {ON_CLASS, .text = "io/", .hue = &green},
				 {ON_CLASS, .text = "sun/", .hue = &green},
				 {ON_PART, .text = ":::", .hue = &green},
				 {ON_PART, .text = "::", .hue = &yellow},
				 {ON_KIND, FRAME_KERNEL, .hue = &orange},
				 {ON_ANY, .hue = &red},
			 }},
	{"js", .rules =
		       {
			       {ON_KIND, FRAME_JIT, .text = "/", .hue = &green},
			       {ON_KIND, FRAME_JIT, .hue = &aqua},
			       {ON_PART, .text = "::", .hue = &yellow},
			       {ON_PART, .text = ".js", .hue = &green},
			       {ON_PART, .text = ":", .hue = &aqua},
			       {ON_KIND, FRAME_KERNEL, .hue = &orange},
			       {ON_ANY, .hue = &red},
		       }},
	{"perl", .rules =
			 {
				 {ON_PART, .text = "::", .hue = &yellow},
				 {ON_PART, .text = "Perl", .hue = &green},
				 {ON_PART, .text = ".pl", .hue = &green},
				 {ON_KIND, FRAME_KERNEL, .hue = &orange},
				 {ON_ANY, .hue = &red},
			 }},
	{"red", .rules = {{ON_ANY, .hue = &red}}},
	{"green", .rules = {{ON_ANY, .hue = &green}}},
	{"blue", .rules = {{ON_ANY, .hue = &blue}}},
	{"aqua", .rules = {{ON_ANY, .hue = &aqua}}},
	{"yellow", .rules = {{ON_ANY, .hue = &yellow}}},
	{"purple", .rules = {{ON_ANY, .hue = &purple}}},
	{"orange", .rules = {{ON_ANY, .hue = &orange}}},
	/* Of our own views: blue, aqua and green as people know them, with kinds apart. */
	{"waits", .kinds = true,
	 .rules =
		 {
			 {ON_KIND, FRAME_KERNEL, .hue = &waits_kernel},
			 {ON_KIND, FRAME_INLINED, .hue = &waits_inlined},
			 {ON_KIND, FRAME_JIT, .hue = &kind_jit},
			 {ON_KIND, FRAME_WAKER, .hue = &wakers_user},
			 {ON_KIND, FRAME_GROUP, .hue = &kind_group},
			 {ON_ANY, .hue = &waits_user},
		 }},
	{"wakers", .kinds = true,
	 .rules =
		 {
			 {ON_KIND, FRAME_KERNEL, .hue = &wakers_kernel},
			 {ON_KIND, FRAME_INLINED, .hue = &waits_inlined},
			 {ON_KIND, FRAME_JIT, .hue = &kind_jit},
			 {ON_KIND, FRAME_GROUP, .hue = &kind_group},
			 {ON_ANY, .hue = &wakers_user},
		 }},
	{"memory", .kinds = true,
	 .rules =
		 {
			 {ON_KIND, FRAME_KERNEL, .hue = &memory_kernel},
			 {ON_KIND, FRAME_INLINED, .hue = &memory_inlined},
			 {ON_KIND, FRAME_JIT, .hue = &waits_inlined},
			 {ON_KIND, FRAME_WAKER, .hue = &wakers_user},
			 {ON_KIND, FRAME_GROUP, .hue = &kind_group},
			 {ON_ANY, .hue = &memory_user},
		 }},
};

static const struct palette by_kind = {
	.kinds = true,
	.rules =
		{
			{ON_KIND, FRAME_KERNEL, .hue = &kind_kernel},
			{ON_KIND, FRAME_INLINED, .hue = &kind_inlined},
			{ON_KIND, FRAME_JIT, .hue = &kind_jit},
			{ON_KIND, FRAME_WAKER, .hue = &kind_waker},
			{ON_KIND, FRAME_GROUP, .hue = &kind_group},
			{ON_ANY, .hue = &kind_user},
		},
};

static bool begins_with(struct string s, const char *text)
{
	return s.size >= strlen(text) && !memcmp(s.s, text, strlen(text));
}

static bool has_part(struct string s, const char *text)
{
	return !text || memmem(s.s, s.size, text, strlen(text));
}

static bool rule_fits(const struct rule *rule, struct string name, enum frame_kind kind)
{
	struct string behind_l = {name.s + 1, name.size - 1};

	switch (rule->on) {
	case ON_ANY:
		return true;
	case ON_KIND:
		return kind == rule->kind && has_part(name, rule->text);
	case ON_PART:
		return has_part(name, rule->text);
	case ON_CLASS: /* "java/lang/String", or with an L in front as the JVM writes it */
		return begins_with(name, rule->text) ||
		       (begins_with(name, "L") && begins_with(behind_l, rule->text));
	}
	return false;
}

static const struct hue *find_hue(const struct palette *palette, struct string name,
				  enum frame_kind kind)
{
	const struct rule *rule = palette->rules;

	if (kind == FRAME_NOTE || kind == FRAME_GONE)
		return &kind_note;
	while (!rule_fits(rule, name, kind))
		rule++;
	return rule->hue;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo), not hash_bytes(): that one differs from run to run. */
static u64 hash_name(struct string name)
{
	u64 hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < name.size; i++)
		hash = (hash ^ (unsigned char)name.s[i]) * 0x100000001b3ull;
	/* The low bits of FNV mix poorly; fold the high ones in. */
	return hash ^ hash >> 29;
}

static u32 shade(struct channel channel, const u8 v[3])
{
	return channel.base + channel.span * v[channel.by] / 256;
}

/*
 * A number in [0, 1) that names share which begin alike: flamegraph.pl's --hash. Earlier letters
 * weigh more, three count; a module's name in front of a backtick does not.
 */
static double likeness(struct string name, bool backwards)
{
	const char *tick = memchr(name.s, '`', name.size);
	size_t skip = tick ? (size_t)(tick - name.s) + 1 : 0, size = name.size - skip;
	double sum = 0, weight = 1, largest = 1;

	for (size_t i = 0; i < min(size, (size_t)3); i++) {
		size_t at = skip + (backwards ? size - 1 - i : i);
		unsigned int base = 10 + (unsigned int)i;

		sum += (double)((unsigned char)name.s[at] % base) / (base - 1) * weight;
		largest += weight;
		weight *= 0.7;
	}
	return 1 - sum / largest;
}

static u64 any_number(void)
{
	u64 number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = hash_u64(monotonic_ns());
	return number;
}

static void choose_shades(u8 v[3], struct string name, enum shades shades)
{
	u64 hash = shades == SHADES_AT_RANDOM ? any_number() : hash_name(name);

	for (size_t i = 0; i < 3; i++)
		v[i] = (u8)(hash >> 8 * i);
	if (shades != SHADES_ALIKE)
		return;
	v[0] = (u8)(likeness(name, false) * 255);
	v[1] = v[2] = (u8)(likeness(name, true) * 255);
}

u32 palette_color(const struct palette *palette, struct string name, enum frame_kind kind,
		  enum shades shades)
{
	const struct hue *hue = find_hue(palette, name, kind);
	u8 v[3];

	choose_shades(v, name, shades);
	return shade(hue->red, v) << 16 | shade(hue->green, v) << 8 | shade(hue->blue, v);
}

bool palette_shows_kinds(const struct palette *palette)
{
	return palette->kinds;
}

/* sRGB to linear light within 0.5 %, without pow(): a cubic through the curve. */
static double linear(u32 channel)
{
	double c = (channel & 0xff) / 255.0;

	return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}

bool palette_label_is_light(u32 color)
{
	double luminance =
		0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8) + 0.0722 * linear(color);

	/* (L + .05) / .05 = 1.05 / (L + .05) */
	return luminance < 0.1791;
}

/* The second pair is ColorBrewer's PuOr, which all kinds of colour vision tell apart. */
static const u32 delta_hues[2][2] = {{0x0000ff, 0xff0000}, {0x5e3c99, 0xe66101}};

u32 palette_delta(bool more, u64 delta, u64 largest, bool color_blind)
{
	u32 pale = largest ? (u32)((unsigned __int128)210 * (largest - delta) / largest) : 210;
	u32 hue = delta_hues[color_blind][more], color = 0;

	if (!delta)
		return 0xffffff;
	for (u32 shift = 0; shift <= 16; shift += 8) {
		u32 channel = hue >> shift & 0xff;

		color |= (channel + (0xff - channel) * pale / 0xff) << shift;
	}
	return color;
}

/* flamegraph.pl's, from the top to the bottom. */
static const struct {
	const char *name, *top, *bottom;
} backgrounds[] = {
	{"yellow", "#eeeeee", "#eeeeb0"},
	{"blue", "#eeeeee", "#e0e0ff"},
	{"green", "#eef2ee", "#e0ffe0"},
	{"grey", "#f8f8f8", "#e8e8e8"},
};

bool palette_background(const char *name, const char **top, const char **bottom)
{
	for (size_t i = 0; i < ARRAY_SIZE(backgrounds); i++) {
		if (strcmp(backgrounds[i].name, name))
			continue;
		*top = backgrounds[i].top;
		*bottom = backgrounds[i].bottom;
		return true;
	}
	if (*name != '#' || strlen(name) != 7 || strspn(name + 1, "0123456789abcdefABCDEF") != 6)
		return false;
	*top = *bottom = name;
	return true;
}

bool background_exists(const char *name)
{
	const char *top, *bottom;

	return palette_background(name, &top, &bottom);
}

const struct palette *palette_find(const char *name)
{
	if (!name)
		return &by_kind;
	for (size_t i = 0; i < ARRAY_SIZE(palettes); i++)
		if (!strcmp(palettes[i].name, name))
			return &palettes[i];
	return NULL;
}

bool palette_exists(const char *name)
{
	return palette_find(name) != NULL;
}

void palette_names(struct strbuf *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(palettes); i++)
		strbuf_addf(b, "%s%s", i ? " " : "", palettes[i].name);
}
