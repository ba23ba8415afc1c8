/* hlo_collectives.c - reads the collectives in the text of a program of XLA.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/hlo_collectives.h"

#include "base/pattern.h"
#include "base/text.h"
#include "base/value.h"
#include "work/name_rules.h"
#include "model/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 1 << 22, MAX_DIMS = 64 };

const char *const tl_hlo_kinds[] = { "all-gather", "all-reduce", "all-to-all", "reduce-scatter", "collective-permute", "other" };

enum tl_hlo_kind tl_hlo_kind_of(const char *name)
{
	size_t i = 0;

	while (i < TL_HLO_OTHER && !tl_starts_with(name, tl_hlo_kinds[i]))
		i++;
	return (enum tl_hlo_kind)i;
}

/* ---- what lines look like -------------------------------------------------------------------- */

#define OPERATIONS "(?:all-to-all|all-gather|all-reduce|reduce-scatter|collective-permute)"
#define LIST "\\{[0-9]+(?:,[0-9]+)*\\}"
#define SIZES "\\[[0-9]+(?:,[0-9]+)*\\]"
enum {
	P_NAME, P_GROUPS, P_REFERENCE_GROUPS, P_PAIRS, P_TENSORS, P_OTHER_TENSORS, P_SPLIT, P_ARRAY, P_REFERENCE_ARRAY, P_IOTA, P_OPCODE,
	P_CALLS, P_COMPUTATION, P_MODULE, PATTERNS
};
static const char *const patterns[PATTERNS] = {
	[P_NAME] = "scheduling_name=\"([^\"]*" OPERATIONS "[^\"]*)\"",
	[P_GROUPS] = "replica_groups=(\\{(?:" LIST "(?:," LIST ")*)?\\}|" SIZES "<=" SIZES "(?:T\\([0-9]+(?:,[0-9]+)*\\))?)",
	[P_REFERENCE_GROUPS] = "replica_groups=(\\{" LIST "(?:," LIST ")*\\}|" SIZES "<=" SIZES ")",
	[P_PAIRS] = "source_target_pairs=(\\{\\{[0-9]+,[0-9]+\\}(?:,\\{[0-9]+,[0-9]+\\})*\\})",
	[P_TENSORS] = "=\\s+(.+?)\\s+" OPERATIONS "\\(",
	[P_OTHER_TENSORS] = "=\\s+(.+?),?\\s*(?:\\s[a-z-]+\\(|,\\s+channel_id|,\\s+replica_groups|$)",
	[P_SPLIT] = "dimensions=\\{([0-9]+)\\}",
	[P_ARRAY] = "([a-z][a-z0-9]*)\\[([0-9]+(?:,[0-9]+)*)\\]",
	[P_REFERENCE_ARRAY] = "([a-zA-Z]+[0-9]*)\\[([0-9,]*[0-9][0-9,]*)\\]",
	[P_IOTA] = "^\\[([0-9,]+)\\]<=\\[([0-9,]+)\\](?:T\\(([0-9,]+)\\))?$",
	[P_OPCODE] = "=\\s+.+?\\s([a-z][a-z0-9-]*)\\(",
	[P_CALLS] = "[ ,]calls=%?([^ ,]+)",
	[P_COMPUTATION] = "^(?:ENTRY )?%?([^ ]+) \\(.*\\{$",
	[P_MODULE] = "^HloModule ([^ ,]+)",
};

struct piece { const char *s; size_t len; }; /* s NULL: none */

struct groups { bool known; struct tl_hlo_groups all; uint32_t text; /* see tl_hlo_groups_text */ };

/* A collective of a node, program and name, without padding. */
struct key { int64_t node; uint32_t module, name; };

struct tl_hlo_collectives {
	struct tl_strtab *strings;
	bool reference;
	struct tl_pattern patterns[PATTERNS];
	struct tl_name_rules *bits;     /* of types */
	struct tl_hlo_collective *items; size_t n, cap;
	struct tl_strtab keys;          /* struct key; modules of nodes have the name 0 */
	size_t *first; size_t cap_first; /* by id in `keys`: the index of the first item */
	struct tl_strtab replicas;      /* texts of groups */
	struct groups *groups; size_t cap_groups; /* by id in `replicas` */
	int64_t devices;                /* of the job */
	int64_t last;                   /* one more than the greatest device in any groups */
	struct tl_hlo_dump_doubts doubts;
	struct tl_arena arena;          /* of groups and doubts */
};

/* A dump while it is read. */
struct dump {
	struct tl_hlo_collectives *c;
	int64_t node;
	uint32_t module;
	size_t line;
	uint32_t computation;           /* the one that the line is in; id of its name in `strings` */
	struct tl_map bodies;           /* by computation: the item of its collective, and 1 */
	struct tl_map calls;            /* by item: the computation that it calls */
};

struct tl_hlo_collectives *tl_hlo_collectives_new(struct tl_strtab *strings, int64_t devices, bool reference)
{
	struct tl_hlo_collectives *c = tl_calloc(1, sizeof *c);

	c->strings = strings;
	c->devices = devices < 1 ? 1 : devices > MAX_DEVICES ? MAX_DEVICES : devices;
	c->reference = reference;
	c->bits = tl_name_rules_new(TL_XLA_TYPE_BITS);
	for (size_t i = 0; i < PATTERNS; i++) {
		struct tl_error err;
		char why[200];
		bool sound = tl_pattern_compile(&c->patterns[i], patterns[i], 0, NULL, why);
		tl_must(sound ? TL_OK : tl_fail(&err, TL_ERR_DATA, "%s: %s", patterns[i], why), &err);
	}
	return c;
}

void tl_hlo_collectives_free(struct tl_hlo_collectives *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < PATTERNS; i++)
		tl_pattern_release(&c->patterns[i]);
	tl_name_rules_free(c->bits);
	tl_strtab_release(&c->keys);
	tl_strtab_release(&c->replicas);
	tl_arena_release(&c->arena);
	free(c->groups);
	free(c->first);
	free(c->items);
	free(c);
}

/* The group n of what the pattern finds. */
static struct piece cut(const struct tl_hlo_collectives *c, int pattern, const char *s, size_t len, uint32_t n)
{
	struct piece p = { 0 };

	if (!tl_pattern_group(&c->patterns[pattern], s, len, n, &p.s, &p.len))
		p.s = NULL;
	return p;
}

static uint32_t text_id(const struct tl_hlo_collectives *c, struct piece p)
{
	return p.s ? tl_intern(c->strings, p.s, p.len) : 0;
}

/* ---- groups ----------------------------------------------------------------------------------------- */

/* Numbers between commas; returns how many, MAX_DIMS at most. A number that is too large becomes -1. */
static size_t numbers(struct piece p, int64_t out[MAX_DIMS])
{
	size_t n = 0;

	for (const char *s = p.s, *end = p.s + p.len; s < end && n < MAX_DIMS; s++) {
		int64_t value = 0;
		if (!tl_is_digit(*s))
			continue;
		for (; s < end && tl_is_digit(*s); s++)
			value = value < 0 || value > INT64_MAX / 10 - 1 ? -1 : value * 10 + (*s - '0');
		out[n++] = value;
	}
	return n;
}

/* The product; -1: too large. */
static int64_t product(const int64_t *dims, size_t n)
{
	int64_t all = 1;

	for (size_t i = 0; i < n; i++)
		if (dims[i] < 0 || __builtin_mul_overflow(all, dims[i], &all))
			return -1;
	return all;
}

static void even_groups(struct tl_hlo_collectives *c, struct tl_hlo_groups *g, size_t n, size_t size)
{
	*g = (struct tl_hlo_groups){ tl_arena_alloc(&c->arena, n * size * sizeof *g->members), tl_arena_alloc(&c->arena, n * sizeof *g->ends), n };
	for (size_t i = 0; i < n; i++)
		g->ends[i] = (i + 1) * size;
}

/* {{0,1},{2,3}}. False: a number is too large. */
static bool listed_groups(struct tl_hlo_collectives *c, const char *s, struct tl_hlo_groups *g)
{
	size_t members = 1;

	for (const char *p = s; *p; p++) {
		members += *p == ',';
		g->n += *p == '}' && p[1] != 0;
	}
	*g = (struct tl_hlo_groups){ tl_arena_alloc(&c->arena, members * sizeof *g->members), tl_arena_alloc(&c->arena, g->n * sizeof *g->ends), 0 };
	members = 0;
	for (const char *p = s + 1; *p; p++) {
		char *end;
		if (*p == '}' && p[1])
			g->ends[g->n++] = members;
		if (!tl_is_digit(*p))
			continue;
		g->members[members] = strtoll(p, &end, 10);
		if (g->members[members++] >= MAX_DEVICES)
			return false;
		p = end - 1;
	}
	return true;
}

/* [dims]<=[shape]T(order): 0 … N - 1 in this shape, its dimensions in this order, as groups of all but the first of dims. */
static bool tiled_groups(struct tl_hlo_collectives *c, const char *s, struct tl_hlo_groups *g)
{
	size_t len = strlen(s), at = 0;
	struct piece how = cut(c, P_IOTA, s, len, 3);
	int64_t dims[MAX_DIMS], shape[MAX_DIMS], order[MAX_DIMS], place[MAX_DIMS] = { 0 }, step[MAX_DIMS];
	size_t n_dims = numbers(cut(c, P_IOTA, s, len, 1), dims), n = numbers(cut(c, P_IOTA, s, len, 2), shape), n_order = how.s ? numbers(how, order) : 0;
	int64_t all = product(shape, n);
	uint64_t seen = 0;

	for (size_t i = 0; i < n_order; i++)
		seen |= order[i] >= 0 && (size_t)order[i] < n ? UINT64_C(1) << order[i] : 0;
	if (all <= 0 || all > MAX_DEVICES || all != product(dims, n_dims) || (how.s && (n_order != n || seen != UINT64_MAX >> (64 - n))))
		return false;
	even_groups(c, g, (size_t)dims[0], (size_t)(all / dims[0]));
	step[n - 1] = 1;
	for (size_t i = n - 1; i > 0; i--)
		step[i - 1] = step[i] * shape[i];
	for (size_t i = 0; i < n && !how.s; i++)
		order[i] = (int64_t)i;
	for (; at < (size_t)all; at++) {
		g->members[at] = 0;
		for (size_t i = 0; i < n; i++)
			g->members[at] += place[i] * step[order[i]];
		for (size_t i = n; i > 0 && ++place[i - 1] == shape[order[i - 1]]; i--)
			place[i - 1] = 0;
	}
	return true;
}

static void read_groups_text(struct tl_hlo_collectives *c, const char *s, struct groups *g)
{
	if (!strcmp(s, "{}")) {
		even_groups(c, &g->all, 1, (size_t)c->devices);
		for (int64_t i = 0; i < c->devices; i++)
			g->all.members[i] = i;
		g->known = true;
	} else {
		g->known = *s == '{' ? listed_groups(c, s, &g->all) : tiled_groups(c, s, &g->all);
	}
	for (size_t i = 0; g->known && i < g->all.ends[g->all.n - 1]; i++)
		c->last = g->all.members[i] >= c->last ? g->all.members[i] + 1 : c->last;
}

static struct groups *groups_of(struct tl_hlo_collectives *c, uint32_t replicas)
{
	const char *s = tl_str(c->strings, replicas);
	uint32_t known = c->replicas.count, id = tl_intern_str(&c->replicas, s);

	TL_GROW(c->groups, c->cap_groups, (size_t)id + 1);
	if (id > known) {
		c->groups[id] = (struct groups){ 0 };
		read_groups_text(c, s, &c->groups[id]);
	}
	return &c->groups[id];
}

const struct tl_hlo_groups *tl_hlo_groups_of(struct tl_hlo_collectives *c, uint32_t replicas)
{
	const struct groups *g = replicas ? groups_of(c, replicas) : NULL;

	return g && g->known ? &g->all : NULL;
}

uint32_t tl_hlo_groups_text(struct tl_hlo_collectives *c, uint32_t replicas)
{
	struct groups *g = replicas ? groups_of(c, replicas) : NULL;
	struct tl_buf b = { 0 };

	if (!g || !g->known || g->text)
		return g && g->known ? g->text : 0;
	for (size_t i = 0; i < g->all.n; i++) {
		tl_buf_adds(&b, i ? "], [" : "[[");
		for (size_t start = tl_hlo_group_start(&g->all, i), k = start; k < g->all.ends[i]; k++)
			tl_buf_addf(&b, "%s%" PRId64, k > start ? ", " : "", g->all.members[k]);
	}
	tl_buf_adds(&b, "]]");
	g->text = tl_intern(c->strings, b.data, b.len);
	tl_buf_release(&b);
	return g->text;
}

int64_t tl_hlo_last_device(const struct tl_hlo_collectives *c)
{
	return c->last;
}

static void read_groups(struct dump *d, struct tl_hlo_collective *item, const char *line, size_t len)
{
	struct tl_hlo_collectives *c = d->c;
	struct piece p = cut(c, c->reference ? P_REFERENCE_GROUPS : P_GROUPS, line, len, 1);

	if (!p.s)
		p = cut(c, P_PAIRS, line, len, 1);
	if (!p.s)
		return;
	item->replicas = text_id(c, p);
	const struct tl_hlo_groups *g = tl_hlo_groups_of(c, item->replicas);
	if (g) {
		item->group_size = (int64_t)g->ends[0];
		return;
	}
	if (!c->doubts.groups++) {
		char *where = tl_strdupf("node %" PRId64 ", line %zu: %s", d->node, d->line, tl_str(c->strings, item->replicas));
		c->doubts.first_group = tl_arena_dup(&c->arena, where, strlen(where));
		free(where);
	}
	item->replicas = 0;
}

/* ---- what each device brings -------------------------------------------------------------------------- */

/* The second element of a tuple, between its commas; the whole if there is none. */
static struct piece second_element(struct piece p)
{
	const char *end = p.s + p.len, *from = NULL;
	int depth = 0;

	for (const char *s = p.s; s < end; s++) {
		depth += strchr("({[", *s) ? 1 : strchr(")}]", *s) ? -1 : 0;
		if (*s == ',' && depth == 1 && from)
			return (struct piece){ from, (size_t)(s - from) };
		if (*s == ',' && depth == 1)
			from = s + 1;
	}
	return from ? (struct piece){ from, (size_t)(end - 1 - from) } : p;
}

/* Where the text stands in the piece; NULL: nowhere. */
static const char *found_in(struct piece p, const char *text)
{
	return memmem(p.s, p.len, text, strlen(text));
}

/* What TraceLens takes of the shapes of a tuple. */
static struct piece reference_output(const char *name, struct piece p)
{
	const char *end = p.s + p.len, *next;
	bool nested = p.len > 1 && p.s[0] == '(' && p.s[1] == '(';

	if (strstr(name, "reduce-scatter") || strstr(name, "collective-permute"))
		return p;
	if (!strstr(name, "all-gather-start") && !strstr(name, "all-to-all"))
		return p;
	if (nested && (next = found_in(p, "), (")) != NULL) {
		struct piece second = { next + 4, (size_t)(end - next - 4) };
		next = found_in(second, "), (");
		return next ? (struct piece){ second.s, (size_t)(next - second.s) } : second;
	}
	if (nested && (next = found_in(p, "), ")) != NULL) {
		struct piece second = { next + 3, (size_t)(end - next - 3) };
		next = found_in(second, "), ");
		return next ? (struct piece){ second.s, (size_t)(next - second.s) } : second;
	}
	if (p.len && *p.s == '(' && found_in(p, ", ") && !memchr(p.s + 1, '(', p.len - 1)) {
		struct piece second = { found_in(p, ", ") + 2, 0 };
		second.len = (size_t)(end - 1 - second.s);
		next = found_in(second, ", ");
		return next ? (struct piece){ second.s, (size_t)(next - second.s) } : second;
	}
	return p;
}

/* Bytes of so many elements; 0: not known. TraceLens knows no types of f8 and of less than 8 bits. */
static int64_t bytes_of(struct tl_hlo_collectives *c, struct piece type, int64_t elements)
{
	char *name = tl_strndup(type.s, type.len);
	int64_t bits = strtoll(tl_name_rules_find(c->bits, name, type.len), NULL, 10), all;

	if (c->reference && (bits < 8 || tl_starts_with(name, "f8")))
		bits = 0;
	free(name);
	return elements < 0 || __builtin_mul_overflow(elements, bits, &all) || all > INT64_MAX - 7 ? 0 : (all + 7) / 8;
}

/* The sizes of what the device brings of an array; false: it brings nothing that can be told. */
static bool cut_slice(const struct tl_hlo_collectives *c, enum tl_hlo_kind kind, const struct tl_hlo_collective *item, int64_t *dims, size_t n)
{
	if (item->split < 0 || (!c->reference && kind != TL_HLO_ALL_GATHER && kind != TL_HLO_REDUCE_SCATTER))
		return true;
	if ((size_t)item->split >= n)
		return false;
	if (!c->reference && kind == TL_HLO_REDUCE_SCATTER) /* the shape is that of the result */
		return !__builtin_mul_overflow(dims[item->split], item->group_size, &dims[item->split]);
	if (!item->group_size || dims[item->split] % item->group_size)
		return false;
	dims[item->split] /= item->group_size;
	return true;
}

/* shapes: those that count of the line. */
static void read_slice(struct tl_hlo_collectives *c, struct tl_hlo_collective *item, enum tl_hlo_kind kind, struct piece shapes)
{
	int pattern = c->reference ? P_REFERENCE_ARRAY : P_ARRAY;
	const char *end = shapes.s + shapes.len;
	int64_t dims[MAX_DIMS];
	struct tl_buf b = { 0 };
	struct piece array;
	bool any = false;

	for (; (array = cut(c, pattern, shapes.s, (size_t)(end - shapes.s), 0)).s; shapes.s = array.s + array.len) {
		struct piece type = cut(c, pattern, array.s, array.len, 1);
		size_t n = numbers(cut(c, pattern, array.s, array.len, 2), dims);
		any = true;
		if (!cut_slice(c, kind, item, dims, n))
			continue;
		int64_t bytes = bytes_of(c, type, product(dims, n));
		if (__builtin_add_overflow(item->bytes, bytes, &item->bytes))
			item->bytes = bytes = 0;
		if (!bytes && product(dims, n) && !c->doubts.sizes++)
			c->doubts.first_size = tl_arena_dup(&c->arena, array.s, array.len);
		tl_buf_addf(&b, "%s{'dtype': '%.*s', 'dimensions': (", b.len ? ", " : "[", (int)type.len, type.s);
		for (size_t i = 0; i < n; i++)
			tl_buf_addf(&b, "%s%" PRId64, i ? ", " : "", dims[i]);
		tl_buf_addf(&b, "%s), 'bytes': %" PRId64 "}", n == 1 ? "," : "", bytes);
	}
	tl_buf_adds(&b, b.len ? "]" : "[]");
	item->slice = any ? tl_intern(c->strings, b.data, b.len) : 0;
	tl_buf_release(&b);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static struct piece tensors_of(const struct tl_hlo_collectives *c, const char *line, size_t len)
{
	struct piece p = cut(c, P_TENSORS, line, len, 1);

	return p.s ? p : cut(c, P_OTHER_TENSORS, line, len, 1);
}

/* What a line says of a collective, but its name. */
static void read_facts(struct dump *d, struct tl_hlo_collective *item, const char *line, size_t len)
{
	struct tl_hlo_collectives *c = d->c;
	const char *name = tl_str(c->strings, item->name);
	struct piece tensors = tensors_of(c, line, len), split = cut(c, P_SPLIT, line, len, 1), opcode = cut(c, P_OPCODE, line, len, 1);
	int64_t dims[MAX_DIMS];

	read_groups(d, item, line, len);
	item->tensors = text_id(c, tensors);
	item->split = split.s && numbers(split, dims) ? dims[0] : -1;
	if (!tensors.s || !item->replicas)
		return;
	if (c->reference)
		tensors = reference_output(name, tensors);
	else if (opcode.s && (tl_text_is(opcode.s, opcode.len, "all-gather-start") || tl_text_is(opcode.s, opcode.len, "collective-permute-start")))
		tensors = second_element(tensors);
	read_slice(c, item, opcode.s && !c->reference ? tl_hlo_kind_of(tl_str(c->strings, text_id(c, opcode))) : TL_HLO_OTHER, tensors);
}

static void read_line(struct dump *d, const char *line, size_t len)
{
	struct tl_hlo_collectives *c = d->c;
	struct piece name = { 0 }, calls;

	if (!memmem(line, len, "scheduling_name", 15)) {
		if (!c->reference && len && line[len - 1] == '{')
			d->computation = text_id(c, cut(c, P_COMPUTATION, line, len, 1));
		return;
	}
	name = cut(c, P_NAME, line, len, 1);
	if (!name.s)
		return;
	TL_GROW(c->items, c->cap, c->n + 1);
	c->items[c->n] = (struct tl_hlo_collective){ .node = d->node, .module = d->module, .name = text_id(c, name) };
	read_facts(d, &c->items[c->n], line, len);
	calls = c->reference ? (struct piece){ 0 } : cut(c, P_CALLS, line, len, 1);
	if (calls.s)
		*tl_map_put(&d->calls, c->n, NULL) = text_id(c, calls);
	else if (d->computation && c->items[c->n].replicas)
		*tl_map_put(&d->bodies, d->computation, NULL) = (uint32_t)c->n + 1;
	c->n++;
}

/* An operation that calls a computation is what the collective there is. */
static void follow_calls(struct dump *d, size_t first)
{
	for (size_t i = first; i < d->c->n && d->calls.count; i++) {
		const uint32_t *computation = tl_map_get(&d->calls, i), *body = computation ? tl_map_get(&d->bodies, *computation) : NULL;
		if (!body)
			continue;
		struct tl_hlo_collective called = d->c->items[*body - 1];
		called.name = d->c->items[i].name;
		d->c->items[i] = called;
	}
}

static void index_item(struct tl_hlo_collectives *c, size_t i)
{
	const struct tl_hlo_collective *item = &c->items[i];
	uint32_t module = c->reference ? 0 : item->module, known = c->keys.count;
	uint32_t id = tl_intern(&c->keys, (const char *)&(struct key){ item->node, module, item->name }, sizeof(struct key));

	TL_GROW(c->first, c->cap_first, (size_t)id + 1);
	if (id > known) {
		c->first[id] = i;
		return;
	}
	const struct tl_hlo_collective *first = &c->items[c->first[id]];
	if (!c->reference && (first->replicas != item->replicas || first->bytes != item->bytes) && !c->doubts.doubles++)
		c->doubts.first_double = tl_str(c->strings, item->name);
}

/* At the end of a program: its collectives are those from `first` on. */
static void finish_program(struct dump *d, const char *module, size_t first)
{
	struct tl_hlo_collectives *c = d->c;

	if (!d->module && module)
		d->module = tl_intern_str(c->strings, module);
	follow_calls(d, first);
	for (size_t i = first; i < c->n; i++) {
		c->items[i].module = d->module;
		index_item(c, i);
	}
	if (d->module && c->n > first)
		tl_intern(&c->keys, (const char *)&(struct key){ d->node, d->module, 0 }, sizeof(struct key));
	tl_map_release(&d->bodies);
	tl_map_release(&d->calls);
	*d = (struct dump){ .c = c, .node = d->node, .line = d->line };
}

size_t tl_hlo_collectives_add(struct tl_hlo_collectives *c, int64_t node, const char *module, const char *text, size_t len)
{
	struct dump d = { .c = c, .node = node };
	size_t before = c->n, first = c->n;

	for (const char *end = text + len, *next; text < end; text = next) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
		next = newline ? newline + 1 : end;
		d.line++;
		while (text < stop && tl_is_blank(*text))
			text++;
		while (stop > text && tl_is_blank(stop[-1]))
			stop--;
		if (stop - text <= 10 || memcmp(text, "HloModule ", 10) != 0) {
			read_line(&d, text, (size_t)(stop - text));
			continue;
		}
		finish_program(&d, module, first);
		first = c->n;
		d.module = text_id(c, cut(c, P_MODULE, text, (size_t)(stop - text), 1));
	}
	finish_program(&d, module, first);
	return c->n - before;
}

const struct tl_hlo_collective *tl_hlo_collectives_all(const struct tl_hlo_collectives *c, size_t *n)
{
	*n = c->n;
	return c->items;
}

static const struct tl_hlo_collective *item_of(const struct tl_hlo_collectives *c, int64_t node, uint32_t module, uint32_t name)
{
	uint32_t id = tl_strtab_find(&c->keys, (const char *)&(struct key){ node, module, name }, sizeof(struct key));

	return id ? &c->items[c->first[id]] : NULL;
}

const struct tl_hlo_collective *tl_hlo_collective_find(const struct tl_hlo_collectives *c, int64_t node, uint32_t module, uint32_t name)
{
	const struct tl_hlo_collective *item = !c->reference && module ? item_of(c, node, module, name) : NULL;
	bool has_module = !c->reference && module && tl_strtab_find(&c->keys, (const char *)&(struct key){ node, module, 0 }, sizeof(struct key));

	return item || has_module ? item : item_of(c, node, 0, name);
}

struct tl_hlo_dump_doubts tl_hlo_dump_doubts(const struct tl_hlo_collectives *c)
{
	return c->doubts;
}

/* ---- the collectives of the programs in a trace, as lines of such text -------------------------------- */

/* The name of the computation with this id; "" if there is none. */
static const char *computation_named(const struct tl_value *computations, int64_t id)
{
	for (size_t i = 0; i < computations->len; i++)
		if (tl_value_int_member(&computations->items[i], "id") == id)
			return tl_value_text_member(&computations->items[i], "name");
	return "";
}

static void add_line(struct tl_buf *b, const struct tl_value *operation, const struct tl_value *computations)
{
	const char *opcode = tl_value_text_member(operation, "opcode"), *name = tl_value_text_member(operation, "name");
	const char *groups = tl_value_text_member(operation, "replica_groups"), *pairs = tl_value_text_member(operation, "source_target_pairs");
	const char *scheduled = tl_value_text_member(tl_value_member(operation, "metadata"), "scheduling_name");
	const struct tl_value *dimensions = tl_value_list_member(operation, "dimensions"), *calls = tl_value_list_member(operation, "calls");
	bool own = tl_hlo_kind_of(opcode) != TL_HLO_OTHER && !strstr(opcode, "-done");

	if (!own && (!calls->len || strcmp(opcode, "async-start") != 0))
		return;
	tl_buf_addf(b, "%%%s = %s %s()", name, tl_value_text_member(operation, "shape"), opcode);
	if (*pairs)
		tl_buf_addf(b, ", source_target_pairs=%s", pairs);
	else if (own)
		tl_buf_addf(b, ", replica_groups=%s", *groups ? groups : "{}");
	for (size_t i = 0; i < dimensions->len; i++)
		tl_buf_addf(b, "%s%" PRId64 "%s", i ? "," : ", dimensions={", (int64_t)dimensions->items[i].i, i + 1 < dimensions->len ? "" : "}");
	if (!own)
		tl_buf_addf(b, ", calls=%%%s", computation_named(computations, (int64_t)calls->items[0].i));
	tl_buf_addf(b, ", metadata={scheduling_name=\"%s\"}\n", *scheduled ? scheduled : name);
}

static void add_program(struct tl_buf *b, const struct tl_value *program)
{
	const struct tl_value *computations = tl_value_list_member(program, "computations");

	tl_buf_addf(b, "HloModule %s,\n", tl_value_text_member(program, "name"));
	for (size_t c = 0; c < computations->len; c++) {
		const struct tl_value *operations = tl_value_list_member(&computations->items[c], "instructions");
		tl_buf_addf(b, "%%%s () {\n", tl_value_text_member(&computations->items[c], "name"));
		for (size_t i = 0; i < operations->len; i++)
			add_line(b, &operations->items[i], computations);
	}
}

size_t tl_hlo_program_text(const struct tl_trace *t, struct tl_buf *out, size_t *damaged)
{
	struct tl_arena values = { 0 };
	struct tl_value v;
	size_t n = 0;

	*damaged = 0;
	for (size_t i = 0; i < t->n_meta; i++) {
		if (!tl_starts_with(tl_str(&t->strings, t->meta[i].key), TL_META_PROGRAM))
			continue;
		n++;
		if (tl_value_parse(&values, tl_str(&t->strings, t->meta[i].json), tl_str_len(&t->strings, t->meta[i].json), &v, NULL))
			++*damaged;
		else
			add_program(out, &v);
		tl_arena_clear(&values);
	}
	tl_arena_release(&values);
	return n;
}
