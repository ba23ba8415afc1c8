/* rocprofv3_names.c - what the tables of a process in rocprofv3's JSON say: names of kernels
 * and operations, numbers of GPUs, texts of markers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/value.h"

bool tl_rocprof_int(struct tl_json_doc *d, int64_t *out)
{
	int c = tl_json_doc_peek(d);

	if (c == '-' || tl_is_digit(c))
		return tl_json_doc_int(d, out);
	tl_json_doc_value(d, NULL);
	return false;
}

/* Takes the value at hand, if it is a string; else passes over it, and out is empty. */
static void take_text(struct tl_json_doc *d, struct tl_buf *out)
{
	tl_buf_clear(out);
	if (tl_json_doc_peek(d) == '"')
		tl_json_doc_string(d, out);
	else
		tl_json_doc_value(d, NULL);
}

/* Takes the JSON text of the value at hand, if that begins with `first`; else passes over it,
 * and out is empty. */
static void take_json(struct tl_json_doc *d, char first, struct tl_buf *out)
{
	tl_buf_clear(out);
	tl_json_doc_value(d, tl_json_doc_peek(d) == first ? out : NULL);
}

static uint32_t intern(struct tl_rocprof_names *n, const struct tl_buf *text)
{
	return tl_intern(&n->texts, tl_buf_text(text), text->len);
}

/* The number in {"handle": NUMBER}. */
static void take_handle(struct tl_json_doc *d, int64_t *handle)
{
	if (tl_json_doc_peek(d) != '{') {
		tl_rocprof_int(d, handle);
		return;
	}
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "handle"))
			tl_rocprof_int(d, handle);
		else
			tl_json_doc_value(d, NULL);
}

#define COMMAND_MAX ((size_t)64 * 1024)

/* ---- metadata --------------------------------------------------------------------- */

static void node(struct tl_json_doc *d, struct tl_process *p)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "hostname"))
			take_json(d, '"', &p->hostname);
		else
			tl_json_doc_value(d, NULL);
}

static void command(struct tl_json_doc *d, struct tl_process *p, struct tl_buf *name)
{
	take_json(d, '[', &p->command);
	if (p->command.len > COMMAND_MAX)
		tl_buf_clear(&p->command);
	if (p->command.len) {
		/* the process's name: the file name of its first word */
		struct tl_arena arena = { 0 };
		struct tl_value v = { 0 };
		if (!tl_value_parse(&arena, p->command.data, p->command.len, &v, NULL) && v.len && v.items[0].type == TL_V_TEXT) {
			const char *slash = strrchr(v.items[0].text, '/');
			tl_buf_clear(name);
			tl_buf_adds(name, slash ? slash + 1 : v.items[0].text);
		}
		tl_arena_release(&arena);
	}
}

void tl_rocprof_metadata(struct tl_json_doc *d, struct tl_process *p, struct tl_buf *name)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "pid"))
			p->has_pid |= tl_rocprof_int(d, &p->pid);
		else if (tl_json_doc_name_is(d, "init_time"))
			p->has_init |= tl_rocprof_int(d, &p->init);
		else if (tl_json_doc_name_is(d, "fini_time"))
			p->has_fini |= tl_rocprof_int(d, &p->fini);
		else if (tl_json_doc_name_is(d, "command"))
			command(d, p, name);
		else if (tl_json_doc_name_is(d, "node") && tl_json_doc_peek(d) == '{')
			node(d, p);
		else
			tl_json_doc_value(d, NULL);
}

/* ---- kernel symbols ---------------------------------------------------------------- */

/* The names of a symbol, the one to take first. */
enum { TRUNCATED, FORMATTED, PLAIN, N_NAMES };
static const char *const name_keys[N_NAMES] = { "truncated_kernel_name", "formatted_kernel_name", "kernel_name" };

struct symbol { struct tl_buf names[N_NAMES]; bool has_name, has_id; int64_t id; };

static void symbol_member(struct tl_json_doc *d, struct symbol *s)
{
	for (int i = 0; i < N_NAMES; i++)
		if (tl_json_doc_name_is(d, name_keys[i])) {
			s->has_name |= tl_json_doc_peek(d) == '"';
			take_text(d, &s->names[i]);
			return;
		}
	if (tl_json_doc_name_is(d, "kernel_id"))
		s->has_id |= tl_rocprof_int(d, &s->id);
	else
		tl_json_doc_value(d, NULL);
}

static void symbol(struct tl_json_doc *d, struct tl_rocprof_names *n, struct symbol *s)
{
	int64_t start = tl_json_doc_offset(d);
	int take = 0;

	s->has_name = s->has_id = false;
	for (int i = 0; i < N_NAMES; i++)
		tl_buf_clear(&s->names[i]);
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		symbol_member(d, s);
	if (!d->status && !s->has_id)
		tl_json_doc_fail(d, start, "a kernel symbol without kernel_id");
	while (take < PLAIN && !s->names[take].len)
		take++;
	if (!d->status && s->has_name)
		*tl_map_put(&n->kernels, (uint64_t)s->id, NULL) = intern(n, &s->names[take]);
}

void tl_rocprof_symbols(struct tl_json_doc *d, struct tl_rocprof_names *n)
{
	struct symbol s = { 0 };

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d))
		symbol(d, n, &s);
	for (int i = 0; i < N_NAMES; i++)
		tl_buf_release(&s.names[i]);
	n->has_symbols = true;
}

/* ---- strings ------------------------------------------------------------------------ */

static void operations(struct tl_json_doc *d, struct tl_rocprof_names *n, struct tl_rocprof_kind *kind, struct tl_buf *text)
{
	*kind = (struct tl_rocprof_kind){ (uint32_t)n->n_operations, 0 };
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		take_text(d, text);
		TL_GROW(n->operations, n->cap_operations, n->n_operations + 1);
		n->operations[n->n_operations++] = text->len ? intern(n, text) : 0;
		kind->n++;
	}
}

/* The list of kinds, in which a record's `kind` is an index. */
static void kinds(struct tl_json_doc *d, struct tl_rocprof_names *n, struct tl_buf *text)
{
	n->n_kinds = n->n_operations = 0;
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		struct tl_rocprof_kind kind = { 0, 0 };
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "operations"))
				operations(d, n, &kind, text);
			else
				tl_json_doc_value(d, NULL);
		TL_GROW(n->kinds, n->cap_kinds, n->n_kinds + 1);
		n->kinds[n->n_kinds++] = kind;
	}
}

uint32_t tl_rocprof_operation(const struct tl_rocprof_names *n, int64_t kind, int64_t operation)
{
	if (kind < 0 || (uint64_t)kind >= n->n_kinds || operation < 0 || operation >= n->kinds[kind].n)
		return 0;
	return n->operations[n->kinds[kind].first + (uint64_t)operation];
}

/* Texts of roctx calls: a list of {"key": correlation id, "value": text}. */
static void markers(struct tl_json_doc *d, struct tl_rocprof_names *n, struct tl_buf *text)
{
	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		bool has_key = false;
		int64_t key = 0;
		tl_buf_clear(text);
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			if (tl_json_doc_name_is(d, "key"))
				has_key |= tl_rocprof_int(d, &key);
			else if (tl_json_doc_name_is(d, "value"))
				take_text(d, text);
			else
				tl_json_doc_value(d, NULL);
		if (!d->status && has_key && text->len)
			*tl_map_put(&n->markers, (uint64_t)key, NULL) = intern(n, text);
	}
}

void tl_rocprof_strings(struct tl_json_doc *d, struct tl_rocprof_names *n)
{
	struct tl_buf text = { 0 };

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "buffer_records"))
			kinds(d, n, &text);
		else if (tl_json_doc_name_is(d, "marker_api"))
			markers(d, n, &text);
		else
			tl_json_doc_value(d, NULL);
	tl_buf_release(&text);
	n->has_strings = true;
}

/* ---- agents --------------------------------------------------------------------------- */

enum { AGENT_GPU = 2 };
struct agent { int64_t handle, type, number, units; struct tl_buf name, product; };

static void agent_member(struct tl_json_doc *d, struct agent *a)
{
	if (tl_json_doc_name_is(d, "id"))
		take_handle(d, &a->handle);
	else if (tl_json_doc_name_is(d, "type"))
		tl_rocprof_int(d, &a->type);
	else if (tl_json_doc_name_is(d, "logical_node_type_id"))
		tl_rocprof_int(d, &a->number);
	else if (tl_json_doc_name_is(d, "cu_count"))
		tl_rocprof_int(d, &a->units);
	else if (tl_json_doc_name_is(d, "name"))
		take_json(d, '"', &a->name);
	else if (tl_json_doc_name_is(d, "product_name"))
		take_json(d, '"', &a->product);
	else
		tl_json_doc_value(d, NULL);
}

static void add_agent(struct tl_rocprof_names *n, const struct agent *a)
{
	const struct tl_buf *name = a->product.len > 2 ? &a->product : &a->name; /* with their quotes */
	bool gpu = a->type == AGENT_GPU && a->number >= 0 && a->number < INT32_MAX;

	*tl_map_put(&n->gpus, (uint64_t)a->handle, NULL) = gpu ? (uint32_t)a->number + 1 : 0;
	if (!gpu)
		return;
	tl_gpu_describe(&n->gpu_list, a->number, name->len ? name->data : "\"\"", true, a->units);
}

void tl_rocprof_agents(struct tl_json_doc *d, struct tl_rocprof_names *n)
{
	struct agent a = { 0 };

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		a.handle = a.type = a.units = 0;
		a.number = -1;
		tl_buf_clear(&a.name);
		tl_buf_clear(&a.product);
		tl_json_doc_enter(d, '{');
		while (tl_json_doc_member(d))
			agent_member(d, &a);
		if (!d->status)
			add_agent(n, &a);
	}
	tl_buf_release(&a.name);
	tl_buf_release(&a.product);
}

void tl_rocprof_names_release(struct tl_rocprof_names *n)
{
	tl_strtab_release(&n->texts);
	tl_map_release(&n->kernels);
	tl_map_release(&n->markers);
	tl_map_release(&n->gpus);
	free(n->kinds);
	free(n->operations);
	tl_buf_release(&n->gpu_list);
	*n = (struct tl_rocprof_names){ 0 };
}
