/* hlo.c - finds the operation of an event in the programs that XLA compiled.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "work/hlo.h"
#include "base/value.h"
#include "work/name_rules.h"
#include "model/fields.h"

/* ---- cuts the HLO text of a program's operations into the pieces that TraceLens finds in it ---- */

/* The operations of a program. */
struct tl_hlo_ops {
	struct tl_strtab names;    /* with their % */
	struct tl_hlo_op *items;   /* by id in `names`, from 1 */
	size_t n, cap;             /* n counts [0] */
	struct tl_arena arena;
};

/* ---- a line of HLO text ---------------------------------------------------------------- */

/* Adds KEY="TEXT" with the escapes of C. */
static void add_quoted(struct tl_buf *b, const char *key, const char *text)
{
	tl_buf_addf(b, "%s=\"", key);
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (strchr("\n\r\t\"'\\", c) || c < 0x20 || c > 0x7e)
			tl_buf_addc(b, '\\'); /* what follows does not matter: no piece goes beyond it */
		tl_buf_addc(b, *p);
	}
	tl_buf_addc(b, '"');
}

static void add_metadata(struct tl_buf *b, const struct tl_value *m)
{
	static const struct { const char *key; bool counts; } texts[] = {
		{ "op_type", true }, { "op_name", true }, { "source_file", true }, { "source_line", false },
		{ "deduplicated_name", false }, { "scheduling_name", true },
	};
	size_t n = sizeof texts / sizeof *texts, i = 0;
	const char *between = ", metadata={";

	while (i < n && !(texts[i].counts && *tl_value_text_member(m, texts[i].key)))
		i++;
	if (i == n)
		return;
	for (i = 0; i < n; i++) {
		const char *text = tl_value_text_member(m, texts[i].key);
		int64_t line = tl_value_int_member(m, texts[i].key);
		if (!*text && !line)
			continue;
		tl_buf_adds(b, between);
		if (line)
			tl_buf_addf(b, "%s=%lld", texts[i].key, (long long)line);
		else
			add_quoted(b, texts[i].key, text);
		between = " ";
	}
	tl_buf_addc(b, '}');
}

static bool braces_balance(const char *s)
{
	int depth = 0;

	for (; *s && depth >= 0; s++)
		depth += *s == '{' ? 1 : *s == '}' ? -1 : 0;
	return !depth;
}

/* names: of the operations, by their ids. */
static void add_operands(struct tl_buf *b, const struct tl_value *operation, const struct tl_map *name_of,
                         const struct tl_value *const *named)
{
	const struct tl_value *operands = tl_value_list_member(operation, "operands");

	for (size_t i = 0; i < operands->len; i++) {
		const uint32_t *at = operands->items[i].type == TL_V_INT ? tl_map_get(name_of, (uint64_t)operands->items[i].i) : NULL;
		tl_buf_adds(b, i ? ", " : "");
		if (i && i % 5 == 0)
			tl_buf_addf(b, "/*index=%zu*/", i);
		tl_buf_addf(b, "%%%s", at ? tl_value_text_member(named[*at], "name") : "");
	}
	if (!strcmp(tl_value_text_member(operation, "opcode"), "parameter"))
		tl_buf_addf(b, "%lld", (long long)tl_value_int_member(operation, "parameter_number"));
}

/* Puts the character `keep` in place of a and b where they stand together. */
static void join_pairs(struct tl_buf *line, char a, char b, char keep)
{
	size_t to = 0;

	for (size_t i = 0; i < line->len; i++) {
		bool pair = i + 1 < line->len && line->data[i] == a && line->data[i + 1] == b;
		line->data[to++] = pair ? keep : line->data[i];
		i += pair;
	}
	line->len = to;
	line->data[to] = 0;
}

/* %NAME = SHAPE OPCODE(OPERANDS), ATTRIBUTES, with the blanks of TraceLens: only those that its
 * pieces end at. */
static void add_line(struct tl_buf *b, const struct tl_value *operation, const struct tl_map *name_of,
                     const struct tl_value *const *named)
{
	const char *target = tl_value_text_member(operation, "custom_call_target");
	const char *config = tl_value_text_member(operation, "backend_config");

	tl_buf_addf(b, "%%%s = %s %s(", tl_value_text_member(operation, "name"), tl_value_text_member(operation, "shape"),
	            tl_value_text_member(operation, "opcode"));
	add_operands(b, operation, name_of, named);
	tl_buf_addc(b, ')');
	if (*target) {
		tl_buf_adds(b, ", ");
		add_quoted(b, "custom_call_target", target);
	}
	add_metadata(b, tl_value_member(operation, "metadata"));
	if (*config == '{' && braces_balance(config)) /* else it is quoted, and no piece */
		tl_buf_addf(b, ", backend_config=%s", config);
	join_pairs(b, ')', ',', ')');
	join_pairs(b, ',', ' ', ',');
	join_pairs(b, ' ', '%', '%');
}

/* Does TraceLens read this line? */
static bool is_read(const struct tl_buf *line)
{
	static const char *const words[] = {
		"get-tuple-element", "bf16", "f8", "f16", "f32", "f64", "s32", "s64", "u32", "u64", "pred", NULL
	};
	bool read = strstr(line->data, "metadata") && line->data[line->len - 1] != ')';

	for (size_t i = 0; words[i] && !read; i++)
		read = strstr(line->data, words[i]) != NULL;
	return read;
}

/* ---- pieces of the line ------------------------------------------------------------------ */

/* From the first `start` on, as far as its characters are letters, digits or in `more`. */
static const char *piece(struct tl_arena *a, const char *line, const char *start, const char *more)
{
	const char *from = strstr(line, start);

	if (!from)
		return NULL;
	const char *end = from + strlen(start);
	while (*end && (tl_in_name(*end) || strchr(more, *end)))
		end++;
	return tl_arena_dup(a, from, (size_t)(end - from));
}

static void add_operand(struct tl_hlo_op *op, size_t *cap, struct tl_arena *a, const char *s, const char *end)
{
	TL_PUSH(op->operands, op->n_operands, *cap, tl_arena_dup(a, s, (size_t)(end - s)));
}

/* Pieces that begin with b, f or s and end with }, which shapes of arrays do. */
static void cut_shapes(struct tl_hlo_op *op, size_t *cap, struct tl_arena *a, const char *s, const char *end)
{
	for (const char *p = s; p < end; p++) {
		const char *q = p + 1;
		if (!strchr("bfs", *p))
			continue;
		while (q < end && (tl_is_digit(*q) || (*q >= 'a' && *q <= 'z') || strchr("[]{,", *q)))
			q++;
		if (q == end || *q != '}')
			continue;
		add_operand(op, cap, a, p, q + 1);
		p = q;
	}
}

/* The operands in the text of a call: its shapes if it has any, as a cut tuple has, else
 * what stands between commas. */
static void cut_operands(struct tl_hlo_op *op, struct tl_arena *a, const char *call)
{
	const char *open = strchr(call, '('), *s = open ? open + 1 : call, *end = strchrnul(s, ')'), *comma;
	size_t cap = 0;

	cut_shapes(op, &cap, a, s, end);
	if (op->n_operands)
		return;
	for (; (comma = memchr(s, ',', (size_t)(end - s))); s = comma + 1)
		add_operand(op, &cap, a, s, comma);
	add_operand(op, &cap, a, s, end);
}

/* %NAME = OUTPUT CALL … to an operation; blanks end output and call. */
static struct tl_hlo_op cut_line(struct tl_arena *a, char *line)
{
	struct tl_hlo_op op = {
		.metadata = piece(a, line, "metadata={", "=\"()/ @.-"),
		.custom_call_target = piece(a, line, "custom_call_target=\"", "=\"()/ @.$-"),
		.backend_config = piece(a, line, "backend_config={", "=\"()/ @.,:[]{}-"),
	};
	char *rest = line;

	op.name = strsep(&rest, " ");
	strsep(&rest, " ");
	op.output = rest ? strsep(&rest, " ") : "";
	cut_operands(&op, a, rest ? strsep(&rest, " ") : "");
	op.name = tl_arena_dup(a, op.name, strlen(op.name));
	op.output = tl_arena_dup(a, op.output, strlen(op.output));
	op.is_gemm = op.custom_call_target && (strstr(op.custom_call_target, "matmul") || strstr(op.custom_call_target, "cublas"));
	return op;
}

/* ---- all operations of a program ------------------------------------------------------------ */

/* The operation of that name, or NULL. */
static const struct tl_hlo_op *hlo_op_named(const struct tl_hlo_ops *ops, const char *name, size_t len)
{
	uint32_t id = tl_strtab_find(&ops->names, name, len);

	return id ? &ops->items[id] : NULL;
}

const char *tl_hlo_float_type(const char *shape)
{
	static const char *const types[] = { "bf16", "f16", "f32", "f8", "fp8", NULL };
	size_t i = 0;

	while (types[i] && !tl_starts_with(shape, types[i]))
		i++;
	return types[i];
}

static const char *type_of(const struct tl_hlo_ops *ops, const char *operand)
{
	const char *name = strchr(operand, '%');
	const struct tl_hlo_op *by = name ? hlo_op_named(ops, name, strlen(name)) : NULL;

	return tl_hlo_float_type(by ? by->output : operand);
}

static const char *type_of_all(const struct tl_hlo_ops *ops, const struct tl_hlo_op *op)
{
	const char *type = type_of(ops, op->operands[0]);

	if (strstr(op->custom_call_target, "f8"))
		return "fp8";
	for (size_t i = 1; i < op->n_operands; i++)
		if (type_of(ops, op->operands[i]) != type)
			return NULL;
	return type;
}

/* named: the operations that `name_of` gives the index of, by their ids. */
static void read_computation(struct tl_hlo_ops *ops, const struct tl_value *computation, const struct tl_map *name_of,
                             const struct tl_value *const *named)
{
	const struct tl_value *operations = tl_value_list_member(computation, "instructions");
	int64_t root = tl_value_int_member(computation, "root");
	struct tl_buf line = { 0 };

	for (size_t i = 0; i < operations->len; i++) {
		tl_buf_clear(&line);
		add_line(&line, &operations->items[i], name_of, named);
		bool is_root = tl_value_int_member(&operations->items[i], "id") == root;
		if (!is_root && !is_read(&line))
			continue;
		struct tl_hlo_op op = cut_line(&ops->arena, line.data);
		op.root = is_root;
		uint32_t id = tl_intern_str(&ops->names, op.name);
		if (id < ops->n)
			free(ops->items[id].operands);
		TL_GROW(ops->items, ops->cap, (size_t)id + 1);
		ops->items[id] = op;
		ops->n = ops->names.count + 1;
	}
	tl_buf_release(&line);
}

/* Reads the operations of a program, a value as lib/readers/xplane_hlo.c describes it. */
static void hlo_read_ops(struct tl_hlo_ops *ops, const struct tl_value *program)
{
	const struct tl_value *computations = tl_value_list_member(program, "computations"), **named = NULL;
	struct tl_map name_of = { 0 };
	size_t n = 0, cap = 0;

	for (size_t c = 0; c < computations->len; c++) {
		const struct tl_value *operations = tl_value_list_member(&computations->items[c], "instructions");
		for (size_t i = 0; i < operations->len; i++) {
			TL_GROW(named, cap, n + 1);
			named[n] = &operations->items[i];
			*tl_map_put(&name_of, (uint64_t)tl_value_int_member(named[n], "id"), NULL) = (uint32_t)n;
			n++;
		}
	}
	for (size_t c = 0; c < computations->len; c++)
		read_computation(ops, &computations->items[c], &name_of, named);
	for (size_t i = 1; i < ops->n; i++)
		if (ops->items[i].is_gemm)
			ops->items[i].type = type_of_all(ops, &ops->items[i]);
	for (size_t i = 1; i < ops->n; i++) {
		/* puts the shapes of operands in the place of their names; roots are no operands but of nested computations */
		for (size_t k = 0; k < ops->items[i].n_operands; k++) {
			const char *name = ops->items[i].operands[k];
			const struct tl_hlo_op *by = *name == '%' ? hlo_op_named(ops, name, strlen(name)) : NULL;
			if (by && !by->root)
				ops->items[i].operands[k] = by->output;
		}
	}
	tl_map_release(&name_of);
	free(named);
}

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
		struct tl_hlo_ops *ops = &h->programs[i].ops;
		for (size_t k = 1; k < ops->n; k++)
			free(ops->items[k].operands);
		free(ops->items);
		tl_strtab_release(&ops->names);
		tl_arena_release(&ops->arena);
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
		hlo_read_ops(&p->ops, &v);
		const struct tl_value *computations = tl_value_list_member(&v, "computations");
		for (uint32_t c = 0; c < computations->len; c++) {
			const struct tl_value *list = tl_value_list_member(&computations->items[c], "instructions");
			for (uint32_t i = 0; i < list->len; i++) {
				uint32_t id = tl_intern_str(&p->names, tl_value_text_member(&list->items[i], "name"));
				TL_GROW(p->origins, p->cap_origins, (size_t)id + 1);
				p->origins[id] = origin_of(&list->items[i], &h->arena);
			}
		}
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
	const struct tl_hlo_op *op = hlo_op_named(&p->ops, key.data, key.len);
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

	for (uint32_t i = 0; i < h->trace->n_events && !h->all_asked; i++)
		ask(h, i);
	h->all_asked = true;
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
