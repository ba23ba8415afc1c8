/* survey.c - the first pass over the traces of ranks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuse/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/decimal.h"
#include "json/value.h"
#include "model/fields.h"

/* ---- offsets that keep the ids of ranks apart ------------------------------------------- */

static const char *const keys[TL_SHIFTED] = {
	"pid", TL_KEY_FLOW_ID, TL_KEY_CORRELATION, TL_KEY_EXTERNAL_ID, TL_KEY_RECORD, TL_KEY_SEQUENCE,
};

const char *tl_shifted_key(enum tl_shifted f)
{
	return keys[f];
}

enum tl_shifted tl_shifted_by_key(const char *key, size_t len, bool top)
{
	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		if (top == (f == TL_SHIFT_ID) && len == strlen(keys[f]) && !memcmp(key, keys[f], len))
			return (enum tl_shifted)f;
	return TL_SHIFTED;
}

static void see_id(struct tl_shift *s, enum tl_shifted f, int64_t id)
{
	if (!tl_is_shiftable(id))
		return;
	s->found[f] = true;
	if (id > s->largest[f])
		s->largest[f] = id;
}

/* Is the largest id of this rank at most the limit? */
static bool fits(int64_t step, int64_t rank, int64_t largest, int64_t limit)
{
	int64_t sum;

	return !__builtin_mul_overflow(step, rank, &sum) && !__builtin_add_overflow(sum, largest, &sum) && sum <= limit;
}

/* The lowest power of ten above the largest id, times ten: people can read rank and id in the sum. */
static int64_t roomy_step(int64_t largest)
{
	int64_t step = 10;

	while (step / 10 <= largest)
		step *= 10;
	return step;
}

/* A roomy step or, if ids would exceed the limit, one without room. */
static int64_t step_within(int64_t largest, int64_t highest_rank, int64_t limit)
{
	int64_t step = roomy_step(largest);

	if (!fits(step, highest_rank, largest, limit))
		step /= 10;
	if (!fits(step, highest_rank, largest, limit))
		step = largest + 1;
	return step;
}

static bool choose(struct tl_shift *s, int64_t highest_rank)
{
	for (unsigned f = 0; f < TL_SHIFTED; f++) {
		if (!fits(s->step[f], highest_rank, TL_SHIFT_LARGEST, INT64_MAX))
			return false;
		if (s->step[f] && !fits(s->step[f], highest_rank, s->largest[f], f == TL_SHIFT_PID ? UINT32_MAX : TL_SHIFT_LARGEST))
			*(f == TL_SHIFT_PID ? &s->wide_pids : &s->wide_ids) = true;
	}
	return true;
}

bool tl_shift_choose(struct tl_shift *s, int64_t highest_rank)
{
	int64_t largest = 0;

	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		largest = s->largest[f] > largest ? s->largest[f] : largest;
	int64_t step = step_within(largest, highest_rank, TL_SHIFT_LARGEST);
	for (unsigned f = TL_SHIFT_ID; f < TL_SHIFTED; f++)
		s->step[f] = step;
	s->step[TL_SHIFT_PID] = step_within(s->largest[TL_SHIFT_PID], highest_rank, UINT32_MAX);
	return choose(s, highest_rank);
}

bool tl_shift_choose_reference(struct tl_shift *s, int64_t highest_rank, enum tl_shifted linking)
{
	const enum tl_shifted shifted[] = { TL_SHIFT_PID, TL_SHIFT_ID, linking };

	for (size_t i = 0; i < sizeof shifted / sizeof *shifted; i++)
		if (s->found[shifted[i]])
			s->step[shifted[i]] = roomy_step(s->largest[shifted[i]]);
	return choose(s, highest_rank);
}

/* Where a layout has ids, and whether its events may be launches. */
struct tl_survey_layout {
	struct { uint32_t field; enum tl_shifted id; } places[TL_SHIFTED];
	size_t n_places;
	bool is_call, has_correlation;
};

/* ---- what a text says ------------------------------------------------------------- */

static bool is_number(const char *s, size_t len)
{
	size_t i = len && *s == '-';

	if (i == len)
		return false;
	while (i < len && tl_is_digit(s[i]))
		i++;
	return i == len;
}

bool tl_pid_number(const char *json, size_t len, int64_t *pid)
{
	return is_number(json, len) && tl_json_int64(json, json + len, pid) && tl_is_shiftable(*pid);
}

static struct tl_base_time base_time(const char *json, size_t len)
{
	struct tl_base_time base = { 0 };

	base.known = is_number(json, len) && tl_json_int64(json, json + len, &base.ns);
	return base;
}

/* What the member does not tell is `none`. */
static int64_t number_in(const struct tl_value *info, const char *name, int64_t none)
{
	const struct tl_value *v = tl_value_member(info, name);

	return v && v->type == TL_V_INT && v->i >= 0 && v->i <= INT32_MAX ? (int64_t)v->i : none;
}

static void find_rank(struct tl_survey *s, const char *json, size_t len)
{
	struct tl_arena arena = { 0 };
	struct tl_value info;
	struct tl_error err;

	if (tl_value_parse(&arena, json, len, &info, &err) == TL_OK) {
		s->rank = number_in(&info, "rank", -1);
		s->world = number_in(&info, "world_size", 0);
	}
	tl_arena_release(&arena);
}

/* ---- the sink ---------------------------------------------------------------------- */

static void forget(struct tl_survey *s)
{
	tl_by_id_forget(&s->tracks);
	tl_by_id_forget(&s->layouts);
	s->n_infos = 0;
}

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct tl_survey *s = (struct tl_survey *)sink;

	(void)err;
	forget(s);
	s->tables = tables;
	s->rank = -1;
	s->world = 0;
	if (!s->n_traces++)
		s->source = tl_strdup(h->source);
	TL_GROW(s->bases, s->cap_bases, s->n_traces);
	s->bases[s->n_traces - 1] = (struct tl_base_time){ 0 };
	if (h->ticks_per_us > s->ticks_per_us)
		s->ticks_per_us = h->ticks_per_us;
	return TL_OK;
}

static void reset(struct tl_sink *sink)
{
	forget((struct tl_survey *)sink);
}

static uint64_t member_hash(const char *key, size_t key_len, const char *json, size_t json_len)
{
	return tl_hash_u64(tl_hash(key, key_len)) ^ tl_hash(json, json_len);
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len,
                           struct tl_error *err)
{
	struct tl_survey *s = (struct tl_survey *)sink;

	(void)err;
	++*tl_map_put(&s->members, member_hash(key, key_len, json, json_len), NULL);
	if (tl_text_is(key, key_len, "distributedInfo"))
		find_rank(s, json, json_len);
	else if (tl_text_is(key, key_len, TL_BASE_TIME))
		s->bases[s->n_traces - 1] = base_time(json, json_len);
	return TL_OK;
}

static struct tl_survey_layout describe(const struct tl_survey *s, const struct tl_layout *l)
{
	const struct tl_strtab *strings = &s->tables->strings;
	struct tl_survey_layout info = { .is_call = tl_kind_is_launch(l->kind) };

	for (uint32_t i = 0; i < l->n_fields && info.n_places < TL_SHIFTED; i++) {
		const struct tl_field *f = &l->fields[i];
		enum tl_shifted id = tl_shifted_by_key(tl_str(strings, f->key), tl_str_len(strings, f->key), f->top);
		info.has_correlation |= id == TL_SHIFT_CORRELATION;
		if (id != TL_SHIFTED && f->type == TL_FIELD_INT) {
			info.places[info.n_places].field = i;
			info.places[info.n_places++].id = id;
		}
	}
	return info;
}

static const struct tl_survey_layout *info_of(struct tl_survey *s, uint32_t layout)
{
	uint32_t *known = tl_by_id(&s->layouts, layout);

	if (!*known) {
		TL_PUSH(s->infos, s->n_infos, s->cap_infos, describe(s, tl_layout_of(s->tables, layout)));
		*known = (uint32_t)s->n_infos;
	}
	return &s->infos[*known - 1];
}

static void see_process(struct tl_survey *s, uint32_t track)
{
	const struct tl_strtab *strings = &s->tables->strings;
	uint32_t *seen = tl_by_id(&s->tracks, track), text = tl_track_of(s->tables, track).pid;
	int64_t pid;

	if (!*seen && tl_pid_number(tl_str(strings, text), tl_str_len(strings, text), &pid))
		see_id(&s->shift, TL_SHIFT_PID, pid);
	*seen = 1;
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct tl_survey *s = (struct tl_survey *)sink;
	const struct tl_survey_layout *info = info_of(s, e->layout);
	const struct tl_strtab *strings = &s->tables->strings;

	(void)err;
	if (s->first_only && s->n_traces > 1)
		return TL_OK;
	see_process(s, e->track);
	for (size_t i = 0; i < info->n_places; i++)
		see_id(&s->shift, info->places[i].id, e->values[info->places[i].field]);
	if (info->is_call && !s->has_launch && strcasestr(tl_str(strings, e->name), "launch")) {
		s->has_launch = true;
		s->launch_has_correlation = info->has_correlation;
	}
	return TL_OK;
}

bool tl_survey_is_common(const struct tl_survey *s, const char *key, size_t key_len, const char *json, size_t json_len)
{
	const uint32_t *n = tl_map_get(&s->members, member_hash(key, key_len, json, json_len));

	return n && *n == s->n_traces;
}

void tl_survey_init(struct tl_survey *s)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = tl_ignore_link, .end = tl_ignore_end,
	};
	*s = (struct tl_survey){ .sink = { &ops }, .ticks_per_us = 1, .rank = -1 };
}

void tl_survey_release(struct tl_survey *s)
{
	free(s->source);
	free(s->bases);
	free(s->infos);
	tl_map_release(&s->members);
	tl_by_id_release(&s->tracks);
	tl_by_id_release(&s->layouts);
}
