/* range_names.c - names of ranges.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/range_names.h"

#include "base/text.h"
#include "work/args.h"
#include "work/name_rules.h"

#include <stdlib.h>
#include <string.h>

enum { ALIKE = 3 }; /* so many names that differ in numbers are of one kind */

struct tl_folds {
	struct tl_strtab partly;  /* names with the runs folded that touch no letter */
	struct tl_strtab fully;   /* the same with those behind letters, too */
	uint32_t *n; size_t cap;  /* by id of these: how many names they are */
	struct tl_name_rules *kept;
	struct tl_buf text;
};

static bool is_letter(char c)
{
	return tl_is_letter(c) && c != '_';
}

static bool is_hex(char c)
{
	return tl_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The end of the run of digits at i. */
static size_t run_end(const char *s, size_t len, size_t i)
{
	size_t end = i;

	if (len - i > 2 && s[i] == '0' && s[i + 1] == 'x' && is_hex(s[i + 2]))
		for (end = i + 2; end < len && is_hex(s[end]); end++)
			;
	if (end > i)
		return end;
	while (end < len && tl_is_digit(s[end]))
		end++;
	if (end + 1 < len && s[end] == '.' && tl_is_digit(s[end + 1]))
		for (end++; end < len && tl_is_digit(s[end]); end++)
			;
	return end;
}

/* Do the letters before a run say that its number is to stay? */
static bool is_kept(struct tl_folds *f, const char *s, size_t run)
{
	char word[16];
	size_t n = 0;

	while (n < run && is_letter(s[run - n - 1]))
		n++;
	if (n >= sizeof word)
		return false;
	for (size_t i = 0; i < n; i++)
		word[i] = (char)(s[run - n + i] | 0x20);
	return *tl_name_rules_find(f->kept, word, n) != '\0';
}

static void fold(struct tl_folds *f, const char *s, size_t len, bool fully, struct tl_buf *out)
{
	tl_buf_clear(out);
	tl_buf_adds(out, ""); /* so that there is a text */
	for (size_t i = 0; i < len;) {
		if (!tl_is_digit(s[i])) {
			tl_buf_addc(out, s[i++]);
			continue;
		}
		size_t end = run_end(s, len, i);
		bool behind = end < len && is_letter(s[end]), before = i && is_letter(s[i - 1]);
		if (behind || (before && (!fully || is_kept(f, s, i))))
			tl_buf_add(out, s + i, end - i);
		else
			tl_buf_addc(out, 'N');
		i = end;
	}
}

struct tl_folds *tl_folds_new(void)
{
	struct tl_folds *f = tl_calloc(1, sizeof *f);

	f->kept = tl_name_rules_new(TL_KEPT_NUMBERS);
	return f;
}

void tl_folds_free(struct tl_folds *f)
{
	if (!f)
		return;
	tl_strtab_release(&f->partly);
	tl_strtab_release(&f->fully);
	tl_name_rules_free(f->kept);
	tl_buf_release(&f->text);
	free(f->n);
	free(f);
}

void tl_folds_add(struct tl_folds *f, const char *name, size_t len)
{
	fold(f, name, len, false, &f->text);
	uint32_t before = f->partly.count, id = tl_intern(&f->partly, f->text.data, f->text.len);
	if (id <= before)
		return;
	fold(f, name, len, true, &f->text);
	before = f->fully.count;
	id = tl_intern(&f->fully, f->text.data, f->text.len);
	TL_GROW(f->n, f->cap, (size_t)id + 1);
	f->n[id] = (id > before ? 0 : f->n[id]) + 1;
}

void tl_folds_name(struct tl_folds *f, const char *name, size_t len, struct tl_buf *folded)
{
	fold(f, name, len, true, folded);
	uint32_t id = tl_strtab_find(&f->fully, folded->data, folded->len);
	if (!id || f->n[id] < ALIKE)
		fold(f, name, len, false, folded);
}

/* ---- those of the ranges of a trace ----------------------------------------------------------- */

struct names {
	bool known, modules;
	struct tl_folds *folds;
	struct tl_by_id folded; /* string id -> string id */
	struct tl_arg style, end_thread, sequence, op_id, sizes, op_ids, module;
	struct tl_buf text;
};

static void release_names(void *kept)
{
	struct names *n = kept;

	tl_folds_free(n->folds);
	tl_by_id_release(&n->folded);
	tl_buf_release(&n->text);
}

/* Has the trace ranges of modules, and no frames? */
static bool has_modules(const struct tl_trace *t, const struct tl_arg *module)
{
	bool ranges = false, any = tl_strtab_find(&t->strings, TL_KEY_MODULE, strlen(TL_KEY_MODULE)) != 0;

	for (uint32_t i = 0; i < t->n_events && any; i++) {
		if (t->events[i].kind == TL_KIND_PYTHON)
			return false;
		ranges |= t->events[i].kind == TL_KIND_ANNOTATION && tl_arg_has(module, t, i);
	}
	return ranges;
}

static struct names *names_of(const struct tl_trace *t)
{
	struct names *n = tl_trace_keep(t, sizeof *n, release_names);

	if (n->known)
		return n;
	n->known = true;
	n->style = tl_arg_of(t, TL_KEY_STYLE);
	n->end_thread = tl_arg_of(t, TL_KEY_END_THREAD);
	n->sequence = tl_arg_of(t, TL_KEY_SEQUENCE);
	n->op_id = tl_arg_of(t, "op_id");
	n->sizes = tl_arg_of(t, TL_KEY_INPUT_DIMS);
	n->op_ids = tl_arg_of(t, "input_op_ids");
	n->module = tl_arg_of(t, TL_KEY_MODULE);
	n->modules = has_modules(t, &n->module);
	return n;
}

bool tl_is_range(const struct tl_trace *t, uint32_t event)
{
	uint8_t kind = t->events[event].kind;

	return kind == TL_KIND_ANNOTATION || (kind == TL_KIND_CPU_OP && tl_arg_has(&names_of(t)->style, t, event));
}

bool tl_range_nests(const struct tl_trace *t, uint32_t event)
{
	const struct names *n = names_of(t);
	int64_t value;

	if (tl_arg_has(&n->end_thread, t, event))
		return false;
	return tl_arg_get(&n->style, t, event, &value) != TL_FIELD_STRING || strcmp(tl_str(&t->strings, (uint32_t)value), "StartEnd") != 0;
}

/* Does a range tell of an operation of XLA? */
static bool is_operation(const struct tl_trace *t, uint32_t event, const struct tl_arg *operation)
{
	return tl_is_range(t, event) && tl_arg_has(operation, t, event);
}

void tl_settle_ranges(struct tl_trace *t)
{
	static const char key[] = "hlo_op";

	if (!tl_strtab_find(&t->strings, key, sizeof key - 1))
		return;
	struct tl_arg operation = tl_arg_of(t, key);
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t around = t->events[i].parent;
		if (around != TL_NONE && is_operation(t, i, &operation) && is_operation(t, around, &operation))
			t->events[around].kind = TL_KIND_ANNOTATION;
	}
}

/* Names of ranges before the first is folded. */
static void add_names(const struct tl_trace *t, struct names *n)
{
	struct tl_by_id seen = { 0 };

	n->folds = tl_folds_new();
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t name = t->events[i].name;
		if (!tl_is_range(t, i) || *tl_by_id(&seen, name))
			continue;
		*tl_by_id(&seen, name) = 1;
		tl_folds_add(n->folds, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	}
	tl_by_id_release(&seen);
}

static uint32_t folded(struct tl_trace *t, uint32_t name)
{
	struct names *n = names_of(t);

	if (!n->folds)
		add_names(t, n);
	if (name && !*tl_by_id(&n->folded, name)) {
		tl_folds_name(n->folds, tl_str(&t->strings, name), tl_str_len(&t->strings, name), &n->text);
		*tl_by_id(&n->folded, name) = tl_intern(&t->strings, n->text.data, n->text.len);
	}
	return name ? *tl_by_id(&n->folded, name) : 0;
}

uint32_t tl_range_folded(struct tl_trace *t, uint32_t event)
{
	return folded(t, t->events[event].name);
}

static void add_number(const struct tl_trace *t, const struct tl_arg *a, uint32_t event, const char *key, struct tl_buf *out)
{
	int64_t value;

	if (tl_arg_get(a, t, event, &value) == TL_FIELD_INT)
		tl_buf_addf(out, "%s%lld", key, (long long)value);
}

/* A list of lists, or of lists of them, which are one after the other in the text; a pair has parentheses and no blank. */
static void add_lists(const struct tl_trace *t, const struct tl_arg *a, uint32_t event, const char *key, bool pairs, struct tl_buf *out)
{
	int64_t value;
	int depth = 0;

	if (tl_arg_get(a, t, event, &value) != TL_FIELD_JSON)
		return;
	const char *json = tl_str(&t->strings, (uint32_t)value);
	tl_buf_adds(out, key);
	for (const char *s = json; *s; s++) {
		bool opens = *s == '[', closes = *s == ']', joined = opens && depth == 1 && s[1] == '[';
		depth += opens;
		if (*s == ',')
			tl_buf_adds(out, pairs && depth == 2 ? "," : ", ");
		else if (!opens && !closes)
			tl_buf_addc(out, *s);
		else if (!joined && !(closes && depth == 2 && s[-1] == ']'))
			tl_buf_addc(out, !pairs || depth == 1 ? *s : opens ? '(' : ')');
		depth -= closes;
	}
}

uint32_t tl_range_text(struct tl_trace *t, uint32_t event)
{
	struct names *n = names_of(t);
	uint32_t name = t->events[event].name;
	struct tl_buf *b = &n->text;

	if (!tl_arg_has(&n->style, t, event))
		return name;
	tl_buf_clear(b);
	tl_buf_add(b, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	add_number(t, &n->sequence, event, ", seq = ", b);
	add_number(t, &n->op_id, event, ", op_id = ", b);
	if (tl_arg_has(&n->op_id, t, event) || tl_arg_has(&n->sequence, t, event) || t->events[event].kind == TL_KIND_CPU_OP)
		add_lists(t, &n->sizes, event, ", sizes = ", false, b);
	add_lists(t, &n->op_ids, event, ", input_op_ids = ", true, b);
	return tl_intern(&t->strings, b->data, b->len);
}

/* ---- those that are calls of modules ------------------------------------------------------------ */

bool tl_modules_are_ranges(const struct tl_trace *t)
{
	return names_of(t)->modules;
}

uint32_t tl_range_module(const struct tl_trace *t, uint32_t event)
{
	int64_t module;

	return t->events[event].kind == TL_KIND_ANNOTATION && tl_arg_get(&names_of(t)->module, t, event, &module) == TL_FIELD_STRING &&
	       tl_range_nests(t, event) ? (uint32_t)module : 0;
}

uint32_t tl_range_module_folded(struct tl_trace *t, uint32_t event)
{
	return folded(t, tl_range_module(t, event));
}

uint32_t tl_module_within(struct tl_trace *t, uint32_t around, uint32_t module)
{
	const char *name = tl_str(&t->strings, module), *outer = tl_str(&t->strings, around);
	size_t len = strlen(outer);

	return len && tl_starts_with(name, outer) && name[len] == '.' && name[len + 1] ? tl_intern_str(&t->strings, name + len + 1) : module;
}
