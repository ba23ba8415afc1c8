/* maps.c - the maps of tables, which functions look up.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/functions.h"
#include "perf/models/table_lines.h"

#include <float.h>
#include <string.h>

static uint64_t map_key(uint32_t map, uint32_t key)
{
	return (uint64_t)map << 32 | key;
}

/* Maps that functions use as numbers, and those whose keys bpe() and prec() look up in lower case. */
static const struct { const char *name; bool number, lower; } known_maps[] = {
	{ "bytes", true, true }, { "precision", false, true },
	{ "moe-bytes", true, false }, { "triton-bytes", true, false }, { "triton-precision", false, false }, { "triton-cost", true, false },
};

static bool is_word(const struct tl_value *v)
{
	bool good = v->type == TL_V_TEXT && v->len && tl_is_letter(v->text[0]) && v->text[0] != '_';

	for (uint32_t i = 0; good && i < v->len; i++)
		good = tl_in_name(v->text[i]);
	return good;
}

/* A map of the user's own may hold anything. */
static enum tl_status check_known_map(struct tl_registry *r, const struct tl_cursor *c, const struct tl_field *map, struct tl_field *key,
                                      size_t pos, const struct tl_value *v)
{
	size_t i = 0, n = sizeof known_maps / sizeof *known_maps;
	double d = -1;

	while (i < n && (known_maps[i].name[0] != *map->s || !tl_field_is(map, known_maps[i].name)))
		i++;
	if (i == n)
		return TL_OK;
	if (known_maps[i].number && (!tl_v_number(v, &d) || !(d >= 0) || d > DBL_MAX))
		return tl_cursor_fail(c, pos, "expected a number, 0 or more, in the map %s", known_maps[i].name);
	if (!known_maps[i].number && !is_word(v))
		return tl_cursor_fail(c, pos, "expected the name of a precision, such as bf16");
	if (known_maps[i].lower && r->n_sources > TL_BUILT_IN) {
		char *folded = tl_arena_dup(&r->arena, key->s, key->len);
		for (size_t j = 0; j < key->len; j++)
			folded[j] = (char)(folded[j] >= 'A' && folded[j] <= 'Z' ? folded[j] | 32 : folded[j]);
		key->s = folded;
	}
	return TL_OK;
}

enum tl_status tl_registry_set(struct tl_registry *r, const struct tl_cursor *c, const struct tl_field *map, struct tl_field *key,
                               const struct tl_field *value)
{
	enum tl_status s;
	struct tl_value v;
	__int128 i;
	char copy[64], *end;

	if (value->len >= sizeof copy)
		return tl_cursor_fail(c, value->pos, "value of %zu bytes; at most %zu are expected", value->len, sizeof copy - 1);
	memcpy(copy, value->s, value->len);
	copy[value->len] = 0;
	double d = tl_parse_double(copy, &end);
	if (tl_parse_pyint(copy, value->len, &i))
		v = tl_v_int(i);
	else if (*end == 0 && end != copy)
		v = tl_v_real(d);
	else
		v = tl_v_text(tl_arena_dup(&r->arena, value->s, value->len), value->len);
	if ((s = check_known_map(r, c, map, key, value->pos, &v)))
		return s;
	uint32_t *at = tl_map_put(&r->maps, map_key(tl_field_intern(r, map), tl_field_intern(r, key)), NULL);
	if (!*at) {
		TL_GROW(r->map_values, r->cap_map_values, r->n_map_values + 1);
		*at = (uint32_t)++r->n_map_values;
	}
	r->map_values[*at - 1] = v;
	return TL_OK;
}

const struct tl_value *tl_registry_lookup(const struct tl_registry *r, const char *map, const char *key, size_t len)
{
	uint32_t m = tl_strtab_find(&r->strings, map, strlen(map)), k = tl_strtab_find(&r->strings, key, len);
	uint32_t *at = m && k ? tl_map_get(&r->maps, map_key(m, k)) : NULL;
	return at ? &r->map_values[*at - 1] : NULL;
}
