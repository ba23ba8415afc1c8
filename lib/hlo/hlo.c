/* hlo.c - finds the operation of an event in the programs that XLA compiled.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "hlo/hlo_text.h"

#include "base/text.h"
#include "kernels/name_rules.h"
#include "model/fields.h"

#include <stdio.h>
#include <stdlib.h>

struct program {
	uint32_t key, json;             /* of the trace's member */
	bool read;
	const char *name;
	struct tl_hlo_ops ops;
	struct tl_strtab names;         /* of all operations */
	struct tl_hlo_origin *origins; size_t cap_origins; /* by id in `names` */
};

/* What an event says of its operation; without padding. */
struct asked { int64_t id; uint32_t id_type, module, op, pad; };

struct tl_hlo {
	const struct tl_trace *trace;
	bool roots;                     /* find roots, too */
	struct program *programs; size_t n_programs;
	uint32_t keys[3];               /* string ids of the events' fields */
	struct tl_strtab asked;         /* struct asked */
	struct answer { bool known; const struct tl_hlo_op *op; } *answers; size_t n_answers, cap_answers; /* by id in `asked` */
	bool all_asked;                 /* `asked` has what all events say */
	struct tl_name_rules *collectives;
	struct tl_hlo_doubts doubts;
	struct tl_arena arena;          /* names of programs, texts of origins */
};

/* ---- programs ---------------------------------------------------------------------------- */

struct tl_hlo *tl_hlo_new(const struct tl_trace *t, bool roots)
{
	static const char *const keys[] = { "program_id", "hlo_module", "hlo_op" };
	struct tl_hlo *h = tl_calloc(1, sizeof *h);

	h->trace = t;
	h->roots = roots;
	h->collectives = tl_name_rules_new(TL_XLA_COLLECTIVES);
	for (size_t i = 0; i < 3; i++)
		h->keys[i] = tl_strtab_find(&t->strings, keys[i], strlen(keys[i]));
	h->programs = tl_calloc(t->n_meta + 1, sizeof *h->programs);
	for (size_t i = 0; i < t->n_meta; i++)
		if (tl_starts_with(tl_str(&t->strings, t->meta[i].key), TL_META_PROGRAM))
			h->programs[h->n_programs++] = (struct program){ .key = t->meta[i].key, .json = t->meta[i].json };
	return h;
}

void tl_hlo_free(struct tl_hlo *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n_programs; i++) {
		tl_hlo_release_ops(&h->programs[i].ops);
		tl_strtab_release(&h->programs[i].names);
		free(h->programs[i].origins);
	}
	free(h->programs);
	tl_name_rules_free(h->collectives);
	free(h->answers);
	tl_strtab_release(&h->asked);
	tl_arena_release(&h->arena);
	free(h);
}

static struct tl_hlo_origin origin_of(const struct tl_value *instruction, struct tl_arena *arena)
{
	const struct tl_value *metadata = tl_value_member(instruction, "metadata");
	const char *file = tl_value_text_member(metadata, "source_file"), *slash = strrchr(file, '/');
	struct tl_hlo_origin o = { 0 };
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s:%s", tl_value_text_member(metadata, "op_name"), tl_value_text_member(metadata, "op_type"));
	o.framework_op = tl_arena_dup(arena, b.data, b.len);
	tl_buf_clear(&b);
	tl_buf_addf(&b, "%s:%lld", slash ? slash + 1 : file, (long long)tl_value_int_member(metadata, "source_line"));
	o.source = *file ? tl_arena_dup(arena, b.data, b.len) : NULL;
	tl_buf_release(&b);
	return o;
}

static void read_origins(struct tl_hlo *h, struct program *p, const struct tl_value *program)
{
	const struct tl_value *computations = tl_value_list_member(program, "computations");

	for (uint32_t c = 0; c < computations->len; c++) {
		const struct tl_value *list = tl_value_list_member(&computations->items[c], "instructions");
		for (uint32_t i = 0; i < list->len; i++) {
			uint32_t id = tl_intern_str(&p->names, tl_value_text_member(&list->items[i], "name"));
			TL_GROW(p->origins, p->cap_origins, (size_t)id + 1);
			p->origins[id] = origin_of(&list->items[i], &h->arena);
		}
	}
}

static struct program *read_program(struct tl_hlo *h, struct program *p)
{
	struct tl_arena values = { 0 };
	struct tl_value v;

	if (p->read)
		return p;
	p->read = true;
	p->name = "";
	if (tl_value_parse(&values, tl_str(&h->trace->strings, p->json), tl_str_len(&h->trace->strings, p->json), &v, NULL)) {
		h->doubts.damaged++;
	} else {
		const char *name = tl_value_text_member(&v, "name");
		p->name = tl_arena_dup(&h->arena, name, strlen(name));
		tl_hlo_read_ops(&p->ops, &v);
		read_origins(h, p, &v);
	}
	tl_arena_release(&values);
	return p;
}

static struct program *program_by_id(struct tl_hlo *h, int64_t number)
{
	char key[64];
	int len = snprintf(key, sizeof key, TL_META_PROGRAM "%lld", (long long)number);

	uint32_t id = tl_strtab_find(&h->trace->strings, key, (size_t)len);
	for (size_t i = 0; id && i < h->n_programs; i++)
		if (h->programs[i].key == id)
			return read_program(h, &h->programs[i]);
	return NULL;
}

static struct program *program_by_name(struct tl_hlo *h, const char *name)
{
	struct program *begins = NULL;

	for (size_t i = 0; i < h->n_programs && *name; i++) {
		struct program *p = read_program(h, &h->programs[i]);
		if (!strcmp(p->name, name))
			return p;
		if (!begins && tl_starts_with(p->name, name))
			begins = p;
	}
	return begins;
}

const struct tl_hlo_origin *tl_hlo_origin(struct tl_hlo *h, int64_t program_id, const char *op)
{
	const struct program *p = program_by_id(h, program_id);
	uint32_t id = p ? tl_strtab_find(&p->names, op, strlen(op)) : 0;

	return id ? &p->origins[id] : NULL;
}

const char *tl_hlo_program_name(struct tl_hlo *h, size_t i)
{
	return i < h->n_programs ? read_program(h, &h->programs[i])->name : NULL;
}

bool tl_hlo_program(struct tl_hlo *h, const char *name, size_t i, const struct tl_hlo_op **ops, size_t *n)
{
	struct program *first = program_by_name(h, name), *p = first;

	while (p && i > 0) {
		for (p++; p < h->programs + h->n_programs && strcmp(read_program(h, p)->name, first->name); p++)
			;
		p = p < h->programs + h->n_programs ? p : NULL;
		i--;
	}
	*n = p && p->ops.n ? p->ops.n - 1 : 0;
	*ops = *n ? p->ops.items + 1 : NULL;
	return p;
}

/* ---- what events say ------------------------------------------------------------------------ */

/* The id of what the event says; 0: it names no operation. */
static uint32_t ask(struct tl_hlo *h, uint32_t event)
{
	struct asked a = { 0 };
	int64_t module, op;

	if (tl_trace_field(h->trace, event, h->keys[2], false, &op) != TL_FIELD_STRING)
		return 0;
	a.op = (uint32_t)op;
	if (tl_trace_field(h->trace, event, h->keys[1], false, &module) == TL_FIELD_STRING)
		a.module = (uint32_t)module;
	a.id_type = (uint32_t)tl_trace_field(h->trace, event, h->keys[0], false, &a.id);
	uint32_t id = tl_intern(&h->asked, (const char *)&a, sizeof a);
	TL_GROW(h->answers, h->cap_answers, (size_t)id + 1);
	for (; h->n_answers <= id; h->n_answers++)
		h->answers[h->n_answers] = (struct answer){ 0 };
	return id;
}

static void ask_all(struct tl_hlo *h)
{
	for (uint32_t i = 0; i < h->trace->n_events && !h->all_asked; i++)
		ask(h, i);
	h->all_asked = true;
}

static struct asked asked_by(const struct tl_hlo *h, uint32_t id)
{
	struct asked a;

	memcpy(&a, tl_str(&h->asked, id), sizeof a);
	return a;
}

static const struct tl_hlo_op *op_of_program(const struct program *p, const char *name)
{
	struct tl_buf key = { 0 };

	tl_buf_addf(&key, "%%%s", name);
	const struct tl_hlo_op *op = tl_hlo_op_named(&p->ops, key.data, key.len);
	tl_buf_release(&key);
	return op;
}

/* ---- collectives by another name ----------------------------------------------------------- */

/* The family of a collective whose name in a trace, FAMILY.NUMBER, may have another number than in the
 * program; "": it is none. */
static const char *family_of(struct tl_hlo *h, const char *name, int64_t *number)
{
	const char *family = tl_name_rules_find(h->collectives, name, strlen(name));

	*number = *family ? strtoll(name + strlen(family) + 1, NULL, 10) : 0;
	return family;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct tl_hlo_op *const *)a)->name, (*(const struct tl_hlo_op *const *)b)->name);
}

/* The operations whose names begin with %FAMILY and the suffix, in the order of their names. */
static size_t ops_named(const struct program *p, const char *family, const char *suffix, const struct tl_hlo_op **out)
{
	size_t n = 0, len = strlen(family);

	for (size_t i = 1; i < p->ops.n; i++) {
		const struct tl_hlo_op *op = &p->ops.items[i];
		if (!op->root && !strncmp(op->name + 1, family, len) && tl_starts_with(op->name + 1 + len, suffix))
			out[n++] = op;
	}
	qsort(out, n, sizeof *out, by_name);
	return n;
}

/* How many operations of the family with lower numbers the trace has that the program does
 * not know by name. */
static size_t rank_of(struct tl_hlo *h, const struct program *p, const struct asked *a, const char *family, int64_t number)
{
	size_t rank = 0;

	ask_all(h);
	for (uint32_t id = 1; id <= h->asked.count; id++) {
		struct asked other = asked_by(h, id);
		const char *name = tl_str(&h->trace->strings, other.op);
		int64_t n;
		if (other.id == a->id && other.id_type == a->id_type && other.module == a->module &&
		    !strcmp(family_of(h, name, &n), family) && n < number && !op_of_program(p, name))
			rank++;
	}
	return rank;
}

/* A collective FAMILY.NUMBER is the one of the program's FAMILY-start, else FAMILY-done, that
 * has the same rank; the last of them for the surplus. */
static const struct tl_hlo_op *collective(struct tl_hlo *h, const struct program *p, const struct asked *a)
{
	int64_t number;
	const char *family = family_of(h, tl_str(&h->trace->strings, a->op), &number);
	const struct tl_hlo_op **candidates, *op = NULL;

	if (!*family)
		return NULL;
	candidates = tl_alloc((p->ops.n + 1) * sizeof *candidates);
	size_t n = ops_named(p, family, "-start", candidates);
	if (!n)
		n = ops_named(p, family, "-done", candidates);
	if (n) {
		size_t rank = n > 1 ? rank_of(h, p, a, family, number) : 0;
		op = candidates[rank < n ? rank : n - 1];
	}
	free(candidates);
	return op;
}

/* ---- the operation of an event --------------------------------------------------------------- */

static const struct tl_hlo_op *answer(struct tl_hlo *h, const struct asked *a)
{
	const char *name = tl_str(&h->trace->strings, a->op);
	struct program *p = a->id_type == TL_FIELD_INT ? program_by_id(h, a->id) : NULL;
	const struct tl_hlo_op *op;

	if (!p)
		p = program_by_name(h, tl_str(&h->trace->strings, a->module));
	op = p ? op_of_program(p, name) : NULL;
	if (op && op->root && !h->roots) /* no doubt: the program has the operation */
		return NULL;
	if (p && !op)
		op = collective(h, p, a);
	if (op)
		return op;
	if (!h->doubts.first)
		h->doubts.first = name;
	h->doubts.operations += p != NULL;
	h->doubts.without_program += !p;
	return NULL;
}

const struct tl_hlo_op *tl_hlo_of_event(struct tl_hlo *h, uint32_t event)
{
	uint32_t id = ask(h, event);

	if (!id)
		return NULL;
	if (!h->answers[id].known) {
		struct asked a = asked_by(h, id);
		const struct tl_hlo_op *op = answer(h, &a);
		h->answers[id] = (struct answer){ true, op };
	}
	return h->answers[id].op;
}

struct tl_hlo_doubts tl_hlo_doubts(const struct tl_hlo *h)
{
	return h->doubts;
}
