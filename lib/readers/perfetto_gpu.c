/* perfetto_gpu.c - stages of a GPU in a trace of Perfetto (GpuRenderStageEvent), which libraries that record CUDA and HIP
 * write of kernels, copies and sets; and which GPUs there are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <string.h>

#include "base/decimal.h"
#include "base/json_writer.h"
#include "base/rows.h"
#include "base/scan.h"
#include "base/text.h"

enum { MOST_ARGS = 500, COMPUTE = 2 /* a category of stages */ };

/* What a stage says. Numbers: 0, none. */
struct stage {
	uint64_t event, duration, context, queue, stage, name_number, kernel;
	bool has_duration, has_kernel, has_grid, has_block, is_old;
	int64_t gpu, grid[3], block[3];
	struct tl_pf_text name;
};

/* ---- arguments -------------------------------------------------------------------------- */

static struct tl_pf_arg *next_arg(struct tl_pf_reader *r)
{
	return r->slice.n_args < MOST_ARGS ? &r->slice.args[r->slice.n_args] : NULL;
}

static bool has_arg(const struct tl_pf_reader *r, const char *key)
{
	for (size_t i = 0; i < r->slice.n_args; i++)
		if (tl_text_is(r->slice.args[i].key.s, r->slice.args[i].key.len, key))
			return true;
	return false;
}

/* A key that is there already stays as it is. */
static void keep_arg(struct tl_pf_reader *r)
{
	const struct tl_pf_text *key = &r->slice.args[r->slice.n_args].key;

	for (size_t i = 0; i < r->slice.n_args; i++)
		if (r->slice.args[i].key.len == key->len && !memcmp(r->slice.args[i].key.s, key->s, key->len))
			return;
	r->slice.n_args += key->len > 0;
}

static void add_int(struct tl_pf_reader *r, const char *key, int64_t value)
{
	struct tl_pf_arg *a = next_arg(r);

	if (!a)
		return;
	*a = (struct tl_pf_arg){ .key = { key, strlen(key), NULL }, .type = TL_FIELD_INT, .value = value };
	keep_arg(r);
}

/* ExtraComputeArg: 1 number of its name or 2 the name; 3, 4 a whole number, 5 a fraction, 6 a text, 7 the number of one. */
static bool read_arg(struct tl_pf_reader *r, const struct tl_pf_sequence *s, struct tl_bytes data)
{
	struct tl_pf_arg *a = next_arg(r);
	struct tl_pb_field f;
	bool known = false;

	if (!a)
		return true;
	*a = (struct tl_pf_arg){ .key = { "", 0, NULL }, .type = TL_FIELD_INT };
	while (tl_pb_next(&data, &f)) {
		known |= f.number >= 3 && f.number <= 7;
		if (f.number == 3 || f.number == 4)
			a->value = (int64_t)f.value;
		if (f.number >= 5 && f.number <= 7)
			a->type = f.number == 5 ? TL_FIELD_JSON : TL_FIELD_STRING;
		switch (f.number) {
		case 1: a->key = tl_pf_interned(r, s, TL_PF_KERNEL_ARGS, f.value); break;
		case 2: a->key = tl_pf_text(&f); break;
		case 5: a->text = tl_pf_fraction(r, f.value); break;
		case 6: a->text = tl_pf_text(&f); break;
		case 7: a->text = tl_pf_interned(r, s, TL_PF_ARG_TEXTS, f.value); break;
		default: break;
		}
	}
	const char *ours = tl_pf_argument(&r->known, a->key.s, a->key.len);
	if (ours)
		a->key = (struct tl_pf_text){ ours, strlen(ours), NULL };
	if (known)
		keep_arg(r);
	return !data.bad;
}

/* ExtraData: 1 a name, 2 a text; one that is a whole number becomes it. */
static bool read_extra(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct tl_pf_arg *a = next_arg(r);
	struct tl_pb_field f;

	if (!a)
		return true;
	*a = (struct tl_pf_arg){ .key = { "", 0, NULL }, .text = { "", 0, NULL }, .type = TL_FIELD_STRING };
	while (tl_pb_next(&data, &f))
		if (f.number == 1)
			a->key = tl_pf_text(&f);
		else if (f.number == 2)
			a->text = tl_pf_text(&f);
	if (tl_field_int(&(struct tl_field_text){ a->text.s, a->text.len }, &a->value))
		a->type = TL_FIELD_INT;
	keep_arg(r);
	return !data.bad;
}

/* ---- the stage ----------------------------------------------------------------------------- */

static bool read_size(struct tl_bytes data, int64_t size[3])
{
	struct tl_pb_field f;

	size[0] = size[1] = size[2] = 1;
	while (tl_pb_next(&data, &f))
		if (f.number >= 1 && f.number <= 3)
			size[f.number - 1] = (uint32_t)f.value;
	return !data.bad;
}

static bool read_launch(struct tl_pf_reader *r, const struct tl_pf_sequence *s, struct tl_bytes data, struct stage *to)
{
	struct tl_pb_field f;
	bool ok = true;

	while (ok && tl_pb_next(&data, &f))
		if (f.number == 1)
			ok = to->has_grid = read_size(tl_pb_message(&f), to->grid);
		else if (f.number == 2)
			ok = to->has_block = read_size(tl_pb_message(&f), to->block);
		else if (f.number == 3)
			ok = read_arg(r, s, tl_pb_message(&f));
	return ok && !data.bad;
}

/* Specifications of old writers: 1 {1 context, 2 pid}; 2 queues and 3 stages, of which each is numbered by its place. */
static bool read_old_names(struct tl_pf_sequence *old, struct tl_bytes data)
{
	struct tl_pb_field f, g;
	uint64_t n[4] = { 0 }, context = 0;
	int64_t pid = 0;

	while (tl_pb_next(&data, &f)) {
		struct tl_bytes inner = tl_pb_message(&f);
		struct tl_pf_text name = { "", 0, NULL };
		if (f.number < 1 || f.number > 3)
			continue;
		while (tl_pb_next(&inner, &g))
			if (f.number == 1)
				*(g.number == 1 ? &context : (uint64_t *)&pid) = g.value;
			else if (g.number == 1)
				name = tl_pf_text(&g);
		if (f.number == 1)
			tl_pf_name(old, TL_PF_CONTEXTS, context, name, (int32_t)pid);
		else
			tl_pf_name(old, f.number == 2 ? TL_PF_OLD_QUEUES : TL_PF_OLD_STAGES, n[f.number]++, name, 0);
		data.bad |= inner.bad;
	}
	return !data.bad;
}

static bool read_field(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct tl_pb_field *f, struct stage *to)
{
	switch (f->number) {
	case 1: to->event = f->value; break;
	case 2: to->duration = f->value; to->has_duration = true; break;
	case 3: case 13: to->queue = f->value; to->is_old = f->number == 3; break;
	case 4: case 14: to->stage = f->value; break;
	case 5: to->context = f->value; break;
	case 6: return read_extra(r, tl_pb_message(f));
	case 7: return read_old_names(r->old, tl_pb_message(f));
	case 11: to->gpu = (int32_t)f->value; break;
	case 17: to->name = tl_pf_text(f); break;
	case 19: to->kernel = f->value; to->has_kernel = true; break;
	case 20: to->name_number = f->value; break;
	case 21: return read_launch(r, s, tl_pb_message(f), to);
	default: break;
	}
	return true;
}

/* ---- to an event ----------------------------------------------------------------------------- */

static struct tl_pf_text named(struct tl_pf_reader *r, const struct tl_pf_sequence *s, enum tl_pf_interned kind, uint64_t number)
{
	return number ? tl_pf_interned(r, s, kind, number) : (struct tl_pf_text){ "", 0, NULL };
}

/* The name of a queue or stage. */
static struct tl_pf_text spec(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct stage *e, uint64_t number, enum tl_pf_interned old)
{
	return e->is_old ? tl_pf_interned(r, r->old, old, number) : named(r, s, TL_PF_STAGES, number);
}

/* Text with a NUL, in the room of the slice. */
static const char *string(struct tl_pf_reader *r, const struct tl_pf_text *t)
{
	return tl_arena_dup(&r->scratch, t->s, t->len);
}

static unsigned kind_of(struct tl_pf_reader *r, const struct stage *e, const struct tl_pf_text *stage)
{
	int kind = tl_pf_stage_kind(&r->known, string(r, stage), string(r, &e->name));

	if (kind >= 0)
		return (unsigned)kind;
	return e->has_kernel || e->has_grid || (stage->name && stage->name->number == COMPUTE) ? TL_KIND_KERNEL : TL_KIND_OTHER;
}

/* The queue is the thread of the context's process; its name is told once. */
static bool set_track(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct stage *e, uint32_t *track)
{
	struct tl_tables *t = &r->make.tables;
	const struct tl_pf_sequence *from = e->is_old ? r->old : s;
	struct tl_pf_text context = named(r, from, TL_PF_CONTEXTS, e->context);
	struct tl_pf_text queue = spec(r, s, e, e->queue, TL_PF_OLD_QUEUES);
	uint32_t pid = context.name ? tl_add_number(t, context.name->number) : 0;
	uint64_t key = (context.name ? (uint64_t)context.name->number : 0) * 31 + tl_hash_u64(e->queue);

	if (queue.len && tl_map_add(&r->queues, key)) {
		r->status = tl_push_name(&r->make, r->uid++, "thread_name", pid, tl_add_number(t, (int64_t)e->queue), queue.s, queue.len, &r->error);
		pid = context.name ? tl_add_number(t, context.name->number) : 0; /* the tables may have started anew */
	}
	*track = tl_add_track(t, pid, tl_add_number(t, (int64_t)e->queue));
	return !r->status;
}

static uint32_t id_of(struct tl_pf_reader *r, const struct tl_pf_text *t)
{
	return t->name ? tl_make_known(&r->make, &t->name->id, t->s, t->len) : tl_add_string(&r->make.tables, t->s, t->len);
}

static void add_args(struct tl_pf_reader *r)
{
	struct tl_maker *m = &r->make;

	for (size_t i = 0; i < r->slice.n_args; i++) {
		const struct tl_pf_arg *a = &r->slice.args[i];
		m->fields[i] = (struct tl_field){ .key = id_of(r, &a->key), .type = (uint8_t)a->type };
		m->values[i] = a->type == TL_FIELD_INT ? a->value : id_of(r, &a->text);
	}
	m->layout.n_fields = (uint32_t)r->slice.n_args;
}

static bool push(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct stage *e, bool has_ts, int64_t ts)
{
	struct tl_maker *m = &r->make;
	struct tl_pf_text stage = spec(r, s, e, e->stage, TL_PF_OLD_STAGES), name = e->name;
	unsigned kind = kind_of(r, e, &stage);
	struct tl_pf_text kernel = e->has_kernel ? tl_pf_interned(r, s, TL_PF_KERNELS, e->kernel) : name;
	uint32_t track;

	name = kernel.len ? kernel : name.len ? name : stage;
	if (!set_track(r, s, e, &track))
		return false;
	if (kind == TL_KIND_OTHER)
		tl_pf_note(r, "stages of graphics, which are no kernels or copies");
	add_int(r, TL_KEY_DEVICE, e->gpu);
	add_int(r, TL_KEY_STREAM, (int64_t)e->queue);
	r->beside = (struct tl_pf_beside){ .device = -1, .stream = -1, .tied = e->event && !has_arg(r, TL_KEY_CORRELATION) ? 1 << TL_PF_SUBMISSION : 0 };
	r->beside.ties[TL_PF_SUBMISSION] = (int64_t)e->event;
	tl_make_event(m, r->uid++, e->has_duration ? kind : TL_KIND_INSTANT, 'X');
	add_args(r);
	if (e->has_grid && !has_arg(r, TL_KEY_GRID))
		tl_make_size(m, TL_KEY_GRID, e->grid);
	if (e->has_block && !has_arg(r, TL_KEY_BLOCK))
		tl_make_size(m, TL_KEY_BLOCK, e->block);
	m->event.track = track;
	m->event.name = id_of(r, &name);
	m->layout.cat = tl_make_constant(m, "render_stage");
	if (has_ts && e->has_duration)
		tl_make_span(m, ts, e->duration > TL_JSON_FIXED_MAX ? TL_JSON_FIXED_MAX : (int64_t)e->duration);
	else if (has_ts)
		tl_make_instant(m, ts);
	r->n_events++;
	r->status = tl_push_made(m, &r->error);
	return !r->status;
}

bool tl_pf_stage(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data, bool has_ts, int64_t ts)
{
	struct stage e = { .name = { "", 0, NULL } };
	struct tl_pb_field f;
	bool ok = true;

	r->old = r->old ? r->old : tl_calloc(1, sizeof *r->old);
	r->slice.n_args = 0;
	if (r->scratch.total)
		tl_arena_clear(&r->scratch);
	while (ok && tl_pb_next(&data, &f))
		ok = read_field(r, s, &f, &e);
	if (!ok || data.bad)
		return tl_pf_damaged(r, "a damaged stage of a GPU");
	if (e.name_number)
		e.name = tl_pf_interned(r, s, TL_PF_NAMES, e.name_number);
	return push(r, s, &e, has_ts, ts);
}

/* ---- which GPUs ------------------------------------------------------------------------------ */

/* GpuInfo: its GPUs in the order of their numbers, 1 the name of each. It may come again. */
bool tl_pf_gpus(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct tl_buf name = { 0 };
	struct tl_pb_field f, g;
	int64_t number = 0;

	tl_buf_clear(&r->make.gpus);
	while (tl_pb_next(&data, &f)) {
		struct tl_bytes gpu = tl_pb_message(&f);
		if (f.number != 1)
			continue;
		tl_buf_clear(&name);
		while (tl_pb_next(&gpu, &g))
			if (g.number == 1 && !name.len)
				tl_json_quote(&name, (const char *)g.data, g.wire == TL_PB_BYTES ? (size_t)g.value : 0);
		if (name.len)
			tl_gpu_describe(&r->make.gpus, number, name.data, false, 0);
		number++;
		data.bad |= gpu.bad;
	}
	tl_buf_release(&name);
	return !data.bad || tl_pf_damaged(r, "damaged facts about GPUs");
}
