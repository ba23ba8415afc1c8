/* hlo_text.c - cuts the HLO text of a program's operations into the pieces that TraceLens finds in it.
 *
 * An operation becomes one line, as XLA prints it (HloInstruction::ToString, verbose, without
 * the shapes of operands), but without attributes that are not needed. The pieces are then
 * cut out of the line where TraceLens's patterns cut them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "hlo/hlo_text.h"

#include "base/text.h"

#include <stdlib.h>

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
	TL_GROW(op->operands, *cap, op->n_operands + 1);
	op->operands[op->n_operands++] = tl_arena_dup(a, s, (size_t)(end - s));
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

const struct tl_hlo_op *tl_hlo_op_named(const struct tl_hlo_ops *ops, const char *name, size_t len)
{
	uint32_t id = tl_strtab_find(&ops->names, name, len);

	return id ? &ops->items[id] : NULL;
}

/* Puts the shapes of operands in the place of their names. Roots are no operands but of
 * nested computations. */
static void resolve_operands(const struct tl_hlo_ops *ops, struct tl_hlo_op *op)
{
	for (size_t i = 0; i < op->n_operands; i++) {
		const char *name = op->operands[i];
		const struct tl_hlo_op *by = *name == '%' ? tl_hlo_op_named(ops, name, strlen(name)) : NULL;
		if (by && !by->root)
			op->operands[i] = by->output;
	}
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
	const struct tl_hlo_op *by = name ? tl_hlo_op_named(ops, name, strlen(name)) : NULL;

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

void tl_hlo_read_ops(struct tl_hlo_ops *ops, const struct tl_value *program)
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
	for (size_t i = 1; i < ops->n; i++)
		resolve_operands(ops, &ops->items[i]);
	tl_map_release(&name_of);
	free(named);
}

void tl_hlo_release_ops(struct tl_hlo_ops *ops)
{
	for (size_t i = 1; i < ops->n; i++)
		free(ops->items[i].operands);
	free(ops->items);
	tl_strtab_release(&ops->names);
	tl_arena_release(&ops->arena);
}
