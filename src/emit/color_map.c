/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "color_map.h"

struct color_map {
	struct strings names;
	VEC(u32) colors; /* by name */
};

struct color_map *color_map_new(void)
{
	struct color_map *map = xcalloc(1, sizeof(*map));

	strings_init(&map->names);
	vec_add(&map->colors); /* the empty name, which no function has */
	return map;
}

void color_map_free(struct color_map *map)
{
	if (!map)
		return;
	strings_release(&map->names);
	vec_release(&map->colors);
	free(map);
}

u32 color_map_color(struct color_map *map, struct string name, u32 otherwise)
{
	u32 ref = strings_add(&map->names, name.s, name.size);

	if (!ref)
		return otherwise;
	if (ref == map->colors.nr)
		*vec_add(&map->colors) = otherwise;
	return map->colors.at[ref];
}

int color_map_read(struct color_map *map, FILE *in, const char *file_name, struct error *error)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0, number = 0;
	ssize_t size;

	while ((size = getline(&line, &room, in)) >= 0) {
		const char *arrow = strstr(line, "->rgb("), *next;
		unsigned int r, g, b;

		number++;
		while (arrow && (next = strstr(arrow + 1, "->rgb(")))
			arrow = next;
		if (!arrow || sscanf(arrow, "->rgb(%3u,%3u,%3u)", &r, &g, &b) != 3 || r > 255 ||
		    g > 255 || b > 255)
			return fail(error, -EINVAL, "%s:%zu: a line is 'name->rgb(0,128,255)'",
				    file_name, number);
		color_map_color(map, (struct string){line, (size_t)(arrow - line)},
				r << 16 | g << 8 | b);
	}
	return 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct strings *names = ctx;

	return strcmp(strings_get(names, *(const u32 *)a).s, strings_get(names, *(const u32 *)b).s);
}

void color_map_write(const struct color_map *map, FILE *out)
{
	_cleanup_free_ u32 *order = xcalloc(map->colors.nr, sizeof(*order));

	for (size_t i = 0; i < map->colors.nr; i++)
		order[i] = (u32)i;
	qsort_r(order, map->colors.nr, sizeof(*order), compare, (void *)&map->names);
	for (size_t i = 1; i < map->colors.nr; i++) {
		u32 color = map->colors.at[order[i]];

		fprintf(out, "%s->rgb(%u,%u,%u)\n", strings_get(&map->names, order[i]).s,
			color >> 16, color >> 8 & 255, color & 255);
	}
}
