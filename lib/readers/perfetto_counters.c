/* perfetto_counters.c - counters of GPUs in a trace of Perfetto (GpuCounterEvent).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "readers/counter_names.h"

/* What a descriptor says of one counter. */
struct spec { struct tl_pf_text name; struct tl_buf above, below; bool before; };

static void add_unit(const struct tl_pf_reader *r, struct tl_buf *to, uint64_t number)
{
	const char *unit = tl_pf_unit(&r->known, number);

	if (unit)
		tl_buf_addf(to, "%s%s", to->len ? "*" : "", unit);
}

/* GpuCounterSpec: 1 number, 2 name, 7 units, 8 units below the line of the fraction, 11 direction. False: it is of another one. */
static bool read_spec(const struct tl_pf_reader *r, struct tl_bytes data, uint64_t number, struct spec *to)
{
	struct tl_pb_field f;
	uint64_t own = 0;

	to->name = (struct tl_pf_text){ "", 0, NULL };
	to->before = false;
	tl_buf_clear(&to->above);
	tl_buf_clear(&to->below);
	while (tl_pb_next(&data, &f))
		switch (f.number) {
		case 1: own = f.value; break;
		case 2: to->name = tl_pf_text(&f); break;
		case 7: add_unit(r, &to->above, f.value); break;
		case 8: add_unit(r, &to->below, f.value); break;
		case 11: to->before = f.value == 1; break;
		default: break;
		}
	return own == number && to->name.len;
}

static bool find_spec(const struct tl_pf_reader *r, const struct tl_pf_text *set, uint64_t number, struct spec *to)
{
	struct tl_bytes data = { (const unsigned char *)set->s, (const unsigned char *)set->s + set->len, false };
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f))
		if (f.number == 1 && read_spec(r, tl_pb_message(&f), number, to))
			return true;
	return false;
}

static bool push(struct tl_pf_reader *r, struct spec *spec, int64_t gpu, double value, bool has_ts, int64_t ts)
{
	struct tl_maker *m = &r->make;
	struct tl_counter_name n = tl_counter_name(spec->name.s, spec->name.len);

	if (spec->below.len)
		tl_buf_addf(&spec->above, "%s/%s", spec->above.len ? "" : "1", spec->below.data);
	if (spec->above.len) {
		n.unit = spec->above.data;
		n.unit_len = spec->above.len;
	}
	n.device = gpu;
	r->beside = (struct tl_pf_beside){ .device = -1, .stream = -1 };
	tl_make_counter(m, r->uid++, &n, value);
	if (spec->before)
		tl_make_text(m, TL_KEY_OF, "before", 6);
	m->event.track = tl_add_track(&m->tables, 0, 0);
	if (has_ts)
		tl_make_instant(m, ts);
	m->layout.kind = TL_KIND_COUNTER;
	m->layout.ph = 'C';
	r->n_events++;
	r->status = tl_push_made(m, &r->error);
	return !r->status;
}

/* GpuCounter: 1 number, 2 a whole number or 3 a fraction. */
static bool push_value(struct tl_pf_reader *r, struct tl_bytes data, const struct tl_pf_text *set, int64_t gpu, bool has_ts, int64_t ts)
{
	struct tl_pb_field f;
	struct spec spec = { .name = { "", 0, NULL } };
	uint64_t number = 0;
	double value = NAN;

	while (tl_pb_next(&data, &f))
		if (f.number == 1)
			number = f.value;
		else if (f.number == 2 && f.wire == TL_PB_VARINT)
			value = (double)(int64_t)f.value;
		else if (f.number == 3 && f.wire == TL_PB_FIXED64)
			memcpy(&value, &f.value, sizeof value);
	if (data.bad)
		return tl_pf_damaged(r, "damaged counters of a GPU");
	bool ok = true;
	if (!isfinite(value))
		tl_pf_note(r, TL_NO_NUMBER);
	else if (!find_spec(r, set, number, &spec))
		tl_pf_note(r, "values of counters of a GPU that no packet describes, left out");
	else
		ok = push(r, &spec, gpu, value, has_ts, ts);
	tl_buf_release(&spec.above);
	tl_buf_release(&spec.below);
	return ok;
}

/* GpuCounterEvent: 1 a descriptor, of this packet and those that follow, or 4 the number of one; 2 values; 3 the GPU. */
bool tl_pf_gpu_counters(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data, bool has_ts, int64_t ts)
{
	struct tl_bytes again = data;
	struct tl_pf_text set = { NULL, 0, NULL }, own = set;
	struct tl_pb_field f;
	int64_t gpu = 0;
	bool ok = true;

	while (tl_pb_next(&data, &f))
		if (f.number == 1)
			own = tl_pf_text(&f);
		else if (f.number == 3)
			gpu = (int32_t)f.value;
		else if (f.number == 4)
			set = tl_pf_interned(r, s, TL_PF_COUNTERS, f.value);
	if (data.bad)
		return tl_pf_damaged(r, "damaged counters of a GPU");
	r->old = r->old ? r->old : tl_calloc(1, sizeof *r->old);
	if (own.len)
		tl_pf_name(r->old, TL_PF_COUNTERS, (uint32_t)gpu, own, -1);
	if (!set.s)
		set = tl_pf_interned(r, r->old, TL_PF_COUNTERS, (uint32_t)gpu);
	if (set.name && set.name->number >= 0)
		gpu = set.name->number;
	while (ok && tl_pb_next(&again, &f))
		if (f.number == 2)
			ok = push_value(r, tl_pb_message(&f), &set, gpu, has_ts, ts);
	return ok;
}
