/* fuse.c - traces of ranks to one trace, in two passes: which ids they have, then the events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/fuse.h"

#include "base/map.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "base/decimal.h"
#include "base/value.h"
#include "model/fields.h"
#include "model/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- offsets that keep the ids of ranks apart ------------------------------------------- */

enum tl_shifted {
	TL_SHIFT_PID,
	TL_SHIFT_ID,           /* a member of the event, as is pid; the others are arguments */
	TL_SHIFT_CORRELATION,
	TL_SHIFT_EXTERNAL_ID,
	TL_SHIFT_RECORD,
	TL_SHIFT_SEQUENCE,
	TL_SHIFTED
};

#define TL_SHIFT_LARGEST ((int64_t)1 << 53) /* a larger id is not shifted */
static inline bool tl_is_shiftable(int64_t id)
{
	return id <= TL_SHIFT_LARGEST && id >= -TL_SHIFT_LARGEST;
}

struct tl_shift {
	bool found[TL_SHIFTED];       /* were there integers? */
	int64_t largest[TL_SHIFTED];  /* of them; at least 0 */
	int64_t step[TL_SHIFTED];     /* 0: the field stays as it is */
	bool wide_pids, wide_ids;     /* ids of the highest rank exceed 2^32 - 1, 2^53 */
};

/* ---- the first pass -------------------------------------------------------------------- */

/* Key of the member that tells from when, in ns, the times of a trace count. */
#define TL_BASE_TIME "baseTimeNanoseconds"

struct tl_survey {
	struct tl_sink sink;        /* each trace is read into it */
	bool first_only;            /* only the first trace's ids count */
	/* results */
	size_t n_traces;
	struct tl_shift shift;      /* the ids; no steps yet */
	bool has_launch;            /* the first trace has a runtime call that launches … */
	bool launch_has_correlation; /* … and the first such has a correlation */
	char *source;               /* of the first trace */
	int64_t ticks_per_us;       /* the finest */
	struct tl_base_time { bool known; int64_t ns; } *bases; /* of each trace: member baseTimeNanoseconds */
	size_t cap_bases;
	int64_t rank;               /* of the last trace: in member distributedInfo; -1: none */
	int64_t world;              /* the number of ranks that it tells there; 0: none */
	struct tl_map members;      /* hash of a member -> in how many traces it was */
	/* private: of the trace that is read */
	const struct tl_tables *tables;
	struct tl_by_id tracks;     /* 1: seen */
	struct tl_by_id layouts;    /* place in infos + 1 */
	struct tl_survey_layout *infos; size_t n_infos, cap_infos;
};

/* ---- offsets that keep the ids of ranks apart ------------------------------------------- */

static const char *const keys[TL_SHIFTED] = {
	"pid", TL_KEY_FLOW_ID, TL_KEY_CORRELATION, TL_KEY_EXTERNAL_ID, TL_KEY_RECORD, TL_KEY_SEQUENCE,
};

/* "pid", "id", "correlation", … */
static const char *shifted_key(enum tl_shifted f)
{
	return keys[f];
}

/* By the key of a field; TL_SHIFTED: none of them. */
static enum tl_shifted shifted_by_key(const char *key, size_t len, bool top)
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

/* Chooses the steps, for ranks up to this one. False: the ids do not fit in 64 bits. */
static bool shift_choose(struct tl_shift *s, int64_t highest_rank)
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

/* The same as TraceLens does; linking: the argument that links launches and kernels. */
static bool shift_choose_reference(struct tl_shift *s, int64_t highest_rank, enum tl_shifted linking)
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

/* Is this JSON text of a pid an id that can be shifted? */
static bool pid_number(const char *json, size_t len, int64_t *pid)
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

static void survey_forget(struct tl_survey *s)
{
	tl_by_id_forget(&s->tracks);
	tl_by_id_forget(&s->layouts);
	s->n_infos = 0;
}

static enum tl_status survey_begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct tl_survey *s = (struct tl_survey *)sink;

	(void)err;
	survey_forget(s);
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

static void survey_reset(struct tl_sink *sink)
{
	survey_forget((struct tl_survey *)sink);
}

static uint64_t member_hash(const char *key, size_t key_len, const char *json, size_t json_len)
{
	return tl_hash_u64(tl_hash(key, key_len)) ^ tl_hash(json, json_len);
}

static enum tl_status survey_meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len,
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
		enum tl_shifted id = shifted_by_key(tl_str(strings, f->key), tl_str_len(strings, f->key), f->top);
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

	if (!*seen && pid_number(tl_str(strings, text), tl_str_len(strings, text), &pid))
		see_id(&s->shift, TL_SHIFT_PID, pid);
	*seen = 1;
}

static enum tl_status survey_event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
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

/* Is the member the same in all traces? */
static bool survey_is_common(const struct tl_survey *s, const char *key, size_t key_len, const char *json, size_t json_len)
{
	const uint32_t *n = tl_map_get(&s->members, member_hash(key, key_len, json, json_len));

	return n && *n == s->n_traces;
}

static void survey_init(struct tl_survey *s)
{
	static const struct tl_sink_ops ops = {
		.begin = survey_begin, .reset = survey_reset, .meta = survey_meta, .event = survey_event, .link = tl_ignore_link, .end = tl_ignore_end,
	};
	*s = (struct tl_survey){ .sink = { &ops }, .ticks_per_us = 1, .rank = -1 };
}

#define MOST_ADDED (TL_SHIFTED + 1) /* arguments that an event gets */

/* What becomes of a field. */
enum change {
	AS_IT_IS,
	OFFSET,     /* an integer plus the offset of `shifted` */
	WITH_RANK,  /* a text with the rank in front */
	RANK,       /* the rank */
	RAW_PID,    /* the pid as it was */
};
struct column { enum change change; enum tl_shifted shifted; uint32_t from; };

/* What becomes of the events of a layout. */
struct plan {
	bool dropped;
	uint32_t layout;     /* in the output's tables; its fields are the columns */
	uint32_t n_columns;
	struct column *columns;
};

enum pid_kind { PID_NONE, PID_NUMBER, PID_OTHER, PID_KINDS };
struct process { int64_t pid, rank; bool device; };
struct lane {            /* a track of the trace */
	uint32_t track;      /* in the output's tables */
	enum pid_kind kind;
	uint32_t process;    /* place in processes + 1; 0: its pid is no number */
	int64_t raw;         /* the pid: a number, or a string id of the output's tables */
};

struct tl_fusion {
	struct tl_sink sink;
	const struct tl_fuse_options *options;
	struct tl_survey survey;
	struct tl_shift shift;
	struct tl_sink *to;
	struct tl_tables tables;
	struct tl_fuse_report report;
	struct TL_KEYED(struct process) processes; /* of the output, by pid */
	/* of the trace that is read */
	size_t n_begun;
	int64_t rank;
	int64_t scale;       /* ticks of the output a tick of the trace */
	int64_t delay;       /* ticks of the output that are added to its times */
	struct clock { size_t reference; int64_t offset_ns; } *clocks; /* of each trace; NULL: each has its own */
	struct tl_translation translation;
	struct tl_by_id plan_of[PID_KINDS], lane_of; /* by layout, by track: place + 1 */
	struct tl_by_id verdict[2]; /* by name: of events that are not TL_KIND_META, and that are */
	struct plan *plans; size_t n_plans, cap_plans;
	struct lane *lanes; size_t n_lanes, cap_lanes;
	struct tl_arena columns;
	struct tl_buf text;
	struct tl_field fields[TL_MAX_FIELDS + MOST_ADDED]; /* of the layout that is made */
	struct column made[TL_MAX_FIELDS + MOST_ADDED];
	int64_t values[TL_MAX_FIELDS + MOST_ADDED];
};

/* What is known by id is void. */
static void forget(struct tl_fusion *f)
{
	tl_translation_forget(&f->translation);
	for (unsigned i = 0; i < PID_KINDS; i++)
		tl_by_id_forget(&f->plan_of[i]);
	tl_by_id_forget(&f->lane_of);
	for (unsigned i = 0; i < 2; i++)
		tl_by_id_forget(&f->verdict[i]);
	tl_arena_clear(&f->columns);
	f->n_plans = f->n_lanes = 0;
}

static int64_t offset_of(const struct tl_fusion *f, enum tl_shifted id)
{
	return f->rank * f->shift.step[id];
}

/* ---- which events the fused trace keeps ------------------------------------------------- */

enum { KEPT = 1, LEFT_OUT };

static bool is_named(const struct tl_fuse_options *o, const char *cat, size_t len)
{
	for (size_t i = 0; i < o->n_categories; i++)
		if (len && tl_text_is(cat, len, o->categories[i]))
			return true;
	return false;
}

/* Can an event of the layout be kept? */
static bool keeps_layout(const struct tl_fusion *f, const struct tl_layout *l)
{
	const struct tl_fuse_options *o = f->options;
	const char *cat = tl_str(&f->translation.from->strings, l->cat);
	size_t len = tl_str_len(&f->translation.from->strings, l->cat);

	if (o->all || (l->kind == TL_KIND_META && !o->reference))
		return true;
	if (o->n_categories || o->collectives || o->name)
		return (!o->n_categories || is_named(o, cat, len)) && (!o->collectives || l->kind == TL_KIND_KERNEL);
	return !tl_text_is(cat, len, "Trace") && (o->python_function || !tl_text_is(cat, len, "python_function"));
}

/* The names that traces give to processes are replaced. */
static bool names_process(const char *s, size_t len)
{
	return tl_text_is(s, len, "process_name") || tl_text_is(s, len, "process_sort_index") || tl_text_is(s, len, "process_labels");
}

static bool keeps_name(const struct tl_fuse_options *o, bool meta, const char *s, size_t len)
{
	if (meta && names_process(s, len))
		return false;
	if (o->all || (meta && !o->reference))
		return true;
	if (o->collectives && strcmp(tl_name_rules_find(o->collectives, s, len), "communication") != 0)
		return false;
	return !o->name || tl_pattern_matches(o->name, s, len);
}

/* Is an event of such a layout, of this kind and name, kept? */
static bool keeps_event(struct tl_fusion *f, unsigned kind, uint32_t name)
{
	const struct tl_strtab *strings = &f->translation.from->strings;
	bool meta = kind == TL_KIND_META;
	uint32_t *verdict = tl_by_id(&f->verdict[meta], name);

	if (!*verdict)
		*verdict = keeps_name(f->options, meta, tl_str(strings, name), tl_str_len(strings, name)) ? KEPT : LEFT_OUT;
	return *verdict == KEPT;
}

/* ---- processes and threads ------------------------------------------------------------ */

/* 1 + the place of a process. */
static uint32_t process_of(struct tl_fusion *f, int64_t pid)
{
	bool is_new;
	struct process *p = TL_ITEM(&f->processes, (uint64_t)pid, &is_new);

	if (is_new)
		*p = (struct process){ .pid = pid, .rank = -1 };
	return (uint32_t)(p - f->processes.items) + 1;
}

static uint32_t add_text(struct tl_fusion *f)
{
	return tl_add_string(&f->tables, tl_buf_text(&f->text), f->text.len);
}

static struct lane make_lane(struct tl_fusion *f, uint32_t id)
{
	const struct tl_strtab *strings = &f->translation.from->strings;
	struct tl_track track = tl_track_of(f->translation.from, id);
	struct lane lane = { .kind = track.pid ? PID_OTHER : PID_NONE };
	const char *json = tl_str(strings, track.pid);
	size_t len = tl_str_len(strings, track.pid);
	uint32_t pid = tl_translate_string(&f->translation, track.pid);

	tl_buf_clear(&f->text);
	if (track.pid && pid_number(json, len, &lane.raw)) {
		lane.kind = PID_NUMBER;
		lane.process = process_of(f, lane.raw + offset_of(f, TL_SHIFT_PID));
		pid = tl_add_number(&f->tables, lane.raw + offset_of(f, TL_SHIFT_PID));
	} else if (track.pid) {
		lane.raw = pid;
		if (*json == '"' && !f->options->reference) {
			tl_buf_addf(&f->text, "\"RANK %" PRId64 "%s", f->rank, len > 2 ? " " : "");
			tl_buf_add(&f->text, json + 1, len - 1);
			pid = add_text(f);
		}
	}
	lane.track = tl_add_track(&f->tables, pid, tl_translate_string(&f->translation, track.tid));
	return lane;
}

static const struct lane *lane_of(struct tl_fusion *f, uint32_t track)
{
	uint32_t *known = tl_by_id(&f->lane_of, track);

	if (!*known) {
		TL_PUSH(f->lanes, f->n_lanes, f->cap_lanes, make_lane(f, track));
		*known = (uint32_t)f->n_lanes;
	}
	return &f->lanes[*known - 1];
}

static void use_process(struct tl_fusion *f, const struct lane *lane, unsigned kind)
{
	if (!lane->process || kind == TL_KIND_META)
		return;
	struct process *p = &f->processes.items[lane->process - 1];
	if (p->rank < 0)
		p->rank = f->rank;
	p->device |= tl_kind_is_gpu(kind);
}

/* ---- layouts ----------------------------------------------------------------------------- */

static void add_argument(struct tl_fusion *f, struct plan *p, const char *key, const char *suffix, uint8_t type, struct column c)
{
	tl_buf_clear(&f->text);
	tl_buf_addf(&f->text, "%s%s", key, suffix);
	struct tl_field field = { .key = add_text(f), .type = type };
	uint32_t i = 0;
	while (i < p->n_columns && (f->fields[i].key != field.key || f->fields[i].top != field.top))
		i++;
	f->fields[i] = field;
	f->made[i] = c;
	p->n_columns += i == p->n_columns;
}

static enum change change_of(const struct tl_fusion *f, const struct tl_field *field, enum tl_shifted id)
{
	if (id == TL_SHIFTED || !f->shift.step[id] || field->type == TL_FIELD_JSON)
		return AS_IT_IS;
	if (field->type == TL_FIELD_INT)
		return OFFSET;
	return f->options->reference ? AS_IT_IS : WITH_RANK;
}

static void make_columns(struct tl_fusion *f, struct plan *p, const struct tl_layout *l, enum pid_kind pid)
{
	const struct tl_strtab *strings = &f->translation.from->strings;
	enum tl_shifted shifted[TL_MAX_FIELDS];

	for (uint32_t i = 0; i < l->n_fields; i++) {
		struct tl_field field = l->fields[i];
		shifted[i] = shifted_by_key(tl_str(strings, field.key), tl_str_len(strings, field.key), field.top);
		f->made[i] = (struct column){ change_of(f, &field, shifted[i]), shifted[i], i };
		field.key = tl_translate_string(&f->translation, field.key);
		f->fields[i] = field;
	}
	p->n_columns = l->n_fields;
	add_argument(f, p, TL_KEY_RANK, "", TL_FIELD_INT, (struct column){ .change = RANK });
	if (pid != PID_NONE && f->shift.step[TL_SHIFT_PID])
		add_argument(f, p, shifted_key(TL_SHIFT_PID), "_raw", pid == PID_NUMBER ? TL_FIELD_INT : TL_FIELD_JSON,
		             (struct column){ .change = RAW_PID });
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (shifted[i] != TL_SHIFTED && f->shift.step[shifted[i]])
			add_argument(f, p, shifted_key(shifted[i]), "_raw", l->fields[i].type, (struct column){ .change = AS_IT_IS, .from = i });
}

static enum tl_status make_plan(struct tl_fusion *f, uint32_t layout, enum pid_kind pid, struct plan *p, struct tl_error *err)
{
	const struct tl_layout *l = tl_layout_of(f->translation.from, layout);
	struct tl_layout out = *l;

	*p = (struct plan){ .dropped = !keeps_layout(f, l) };
	if (p->dropped)
		return TL_OK;
	make_columns(f, p, l, pid);
	if (p->n_columns > TL_MAX_FIELDS)
		return tl_fail(err, TL_ERR_DATA, "an event has %u fields; with its rank and ids at most %d are possible",
		               (unsigned)l->n_fields, TL_MAX_FIELDS);
	out.cat = tl_translate_string(&f->translation, l->cat);
	out.flags |= TL_HAS_ARGS;
	out.n_fields = p->n_columns;
	out.fields = f->fields;
	p->layout = tl_add_layout(&f->tables, &out);
	p->columns = tl_arena_alloc(&f->columns, p->n_columns * sizeof *p->columns);
	memcpy(p->columns, f->made, p->n_columns * sizeof *p->columns);
	return TL_OK;
}

static enum tl_status plan_of(struct tl_fusion *f, uint32_t layout, enum pid_kind pid, const struct plan **plan, struct tl_error *err)
{
	uint32_t *known = tl_by_id(&f->plan_of[pid], layout);

	if (!*known) {
		TL_GROW(f->plans, f->cap_plans, f->n_plans + 1);
		enum tl_status st = make_plan(f, layout, pid, &f->plans[f->n_plans], err);
		if (st)
			return st;
		*known = (uint32_t)++f->n_plans;
	}
	*plan = &f->plans[*known - 1];
	return TL_OK;
}

/* ---- events -------------------------------------------------------------------------------- */

static int64_t value_of(struct tl_fusion *f, const struct column *c, uint8_t type, const int64_t *values, const struct lane *lane)
{
	const struct tl_strtab *strings = &f->translation.from->strings;

	switch (c->change) {
	case OFFSET:
		return values[c->from] + (tl_is_shiftable(values[c->from]) ? offset_of(f, c->shifted) : 0);
	case WITH_RANK:
		tl_buf_clear(&f->text);
		tl_buf_addf(&f->text, "%" PRId64 ":", f->rank);
		tl_buf_add(&f->text, tl_str(strings, (uint32_t)values[c->from]), tl_str_len(strings, (uint32_t)values[c->from]));
		return add_text(f);
	case RANK:
		return f->rank;
	case RAW_PID:
		return lane->raw;
	case AS_IT_IS:
		break;
	}
	return type == TL_FIELD_INT ? values[c->from] : tl_translate_string(&f->translation, (uint32_t)values[c->from]);
}

/* Times of the trace as those of the output. */
static enum tl_status convert_times(const struct tl_fusion *f, struct tl_event *e, unsigned flags, struct tl_error *err)
{
	if ((flags & TL_HAS_TS && (__builtin_mul_overflow(e->ts, f->scale, &e->ts) || __builtin_add_overflow(e->ts, f->delay, &e->ts))) ||
	    (flags & TL_HAS_DUR && __builtin_mul_overflow(e->dur, f->scale, &e->dur)))
		return tl_fail(err, TL_ERR_DATA, "the time of an event does not fit with the times of the other traces");
	return TL_OK;
}

static enum tl_status push(struct tl_fusion *f, const struct tl_event *e, struct tl_error *err)
{
	enum tl_status st = f->to->ops->event(f->to, e, err);

	f->report.n_events++;
	if (!st && tl_source_reset(&f->tables, f->to))
		forget(f);
	return st;
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct tl_fusion *f = (struct tl_fusion *)sink;
	const struct tl_layout *l = tl_layout_of(f->translation.from, e->layout);
	const struct lane *lane = lane_of(f, e->track);
	const struct plan *plan = NULL;
	enum tl_status st = plan_of(f, e->layout, lane->kind, &plan, err);

	if (st)
		return st;
	if (plan->dropped || !keeps_event(f, l->kind, e->name)) {
		f->report.n_dropped++;
		return TL_OK;
	}
	use_process(f, lane, l->kind);
	struct tl_event out = {
		.uid = f->report.n_events, .layout = plan->layout, .name = tl_translate_string(&f->translation, e->name),
		.track = lane->track, .ts = e->ts, .dur = e->dur, .values = f->values,
	};
	const struct tl_field *fields = tl_layout_of(&f->tables, plan->layout)->fields;
	for (uint32_t i = 0; i < plan->n_columns; i++)
		f->values[i] = value_of(f, &plan->columns[i], fields[i].type, e->values, lane);
	st = convert_times(f, &out, l->flags, err);
	return st ? st : push(f, &out, err);
}

/* ---- the rest of the sink --------------------------------------------------------------------- */

void tl_fusion_set_clock(struct tl_fusion *f, size_t trace, size_t reference, int64_t offset_ns)
{
	if (!f->clocks) {
		f->clocks = tl_alloc((f->survey.n_traces + 1) * sizeof *f->clocks);
		for (size_t i = 0; i < f->survey.n_traces; i++)
			f->clocks[i] = (struct clock){ i, 0 };
	}
	f->clocks[trace] = (struct clock){ reference, offset_ns };
}

/* Times count from the base of the first trace. */
static bool set_delay(struct tl_fusion *f, size_t trace)
{
	const struct tl_base_time *base = f->survey.bases;
	const struct clock *c = f->clocks ? &f->clocks[trace] : &(struct clock){ trace, 0 };
	int64_t ns = 0;

	f->delay = 0;
	if (f->options->reference)
		return true;
	if (base[0].known && base[c->reference].known && __builtin_sub_overflow(base[c->reference].ns, base[0].ns, &ns))
		return false;
	if (__builtin_sub_overflow(ns, c->offset_ns, &ns) || __builtin_mul_overflow(ns, f->survey.ticks_per_us, &f->delay))
		return false;
	f->delay /= 1000;
	return true;
}

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct tl_fusion *f = (struct tl_fusion *)sink;
	size_t trace = f->n_begun++;

	forget(f);
	f->translation.from = tables;
	if (f->n_begun > f->survey.n_traces)
		return tl_fail(err, TL_ERR_USAGE, "the first pass did not read this trace");
	f->scale = f->survey.ticks_per_us / h->ticks_per_us;
	if (f->scale * h->ticks_per_us != f->survey.ticks_per_us)
		return tl_fail(err, TL_ERR_DATA, "its clock has %" PRId64 " ticks a microsecond, that of another trace %" PRId64,
		               h->ticks_per_us, f->survey.ticks_per_us);
	if (!set_delay(f, trace))
		return tl_fail(err, TL_ERR_DATA, TL_BASE_TIME " %" PRId64 " is too far from %" PRId64 ", that of the first trace",
		               f->survey.bases[trace].ns, f->survey.bases[0].ns);
	return TL_OK;
}

static void reset(struct tl_sink *sink)
{
	forget((struct tl_fusion *)sink);
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len,
                           struct tl_error *err)
{
	struct tl_fusion *f = (struct tl_fusion *)sink;
	bool kept = tl_text_is(key, key_len, TL_BASE_TIME) || survey_is_common(&f->survey, key, key_len, json, json_len);

	if (f->n_begun > 1 || f->options->reference || !kept || tl_text_is(key, key_len, TL_META_EVENTS) ||
	    tl_text_is(key, key_len, TL_META_START) || tl_text_is(key, key_len, TL_META_WINDOW))
		return TL_OK;
	return f->to->ops->meta(f->to, key, key_len, json, json_len, err);
}

/* ---- the output -------------------------------------------------------------------------------- */

static enum tl_status push_label(struct tl_fusion *f, const struct process *p, const char *name, const char *key, uint8_t type,
                                 int64_t value, struct tl_error *err)
{
	struct tl_field field = { .key = tl_add_text(&f->tables, key), .type = type };
	struct tl_layout layout = {
		.kind = TL_KIND_META, .ph = 'M', .flags = TL_HAS_NAME | TL_HAS_ARGS, .n_fields = 1, .fields = &field,
	};
	struct tl_event e = { .uid = f->report.n_events, .values = &value };

	uint32_t pid = tl_add_number(&f->tables, p->pid);
	e.track = tl_add_track(&f->tables, pid, tl_add_text(&f->tables, "0"));
	e.name = tl_add_text(&f->tables, name);
	e.layout = tl_add_layout(&f->tables, &layout);
	return push(f, &e, err);
}

static enum tl_status name_process(struct tl_fusion *f, const struct process *p, struct tl_error *err)
{
	tl_buf_clear(&f->text);
	tl_buf_addf(&f->text, "RANK %" PRId64 " - %s", p->rank, p->device ? "GPU" : "CPU");
	enum tl_status st = push_label(f, p, "process_name", TL_KEY_META_NAME, TL_FIELD_STRING, add_text(f), err);
	return st ? st : push_label(f, p, "process_sort_index", "sort_index", TL_FIELD_INT, 2 * p->rank + p->device, err);
}

TL_ORDER(by_rank_and_pid, struct process, TL_ASC(x->rank) TL_ASC(x->pid))

enum tl_status tl_fusion_end(struct tl_fusion *f, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	struct process *all = f->processes.items;

	tl_merge_sort(all, f->processes.n, sizeof *all, by_rank_and_pid, NULL);
	for (size_t i = 0; i < f->processes.n && !st; i++)
		if (all[i].rank >= 0)
			st = name_process(f, &all[i], err);
	return st ? st : f->to->ops->end(f->to, err);
}

enum tl_status tl_fusion_begin(struct tl_fusion *f, int64_t highest_rank, struct tl_sink *to, struct tl_error *err)
{
	const struct tl_survey *s = &f->survey;
	struct tl_header header = { .source = s->source, .ticks_per_us = s->ticks_per_us };
	enum tl_shifted linking = s->launch_has_correlation ? TL_SHIFT_CORRELATION : TL_SHIFT_EXTERNAL_ID;
	bool good;

	f->shift = s->shift;
	if (f->options->reference)
		good = shift_choose_reference(&f->shift, highest_rank, linking);
	else
		good = shift_choose(&f->shift, highest_rank);
	if (!good)
		return tl_fail(err, TL_ERR_DATA, "the ids of rank %" PRId64 " and of those below cannot be kept apart in 64 bits", highest_rank);
	f->report.pid_step = f->shift.step[TL_SHIFT_PID];
	f->report.id_step = f->shift.step[f->options->reference ? linking : TL_SHIFT_CORRELATION];
	f->report.wide_pids = f->shift.wide_pids;
	f->report.wide_ids = f->shift.wide_ids;
	f->to = to;
	return to->ops->begin(to, &header, &f->tables, err);
}

struct tl_sink *tl_fusion_trace(struct tl_fusion *f, int64_t rank)
{
	f->rank = rank;
	return &f->sink;
}

struct tl_sink *tl_fusion_survey(struct tl_fusion *f)
{
	return &f->survey.sink;
}

int64_t tl_fusion_found_rank(const struct tl_fusion *f, int64_t *world)
{
	*world = f->survey.world;
	return f->survey.rank;
}

struct tl_fuse_report tl_fusion_report(const struct tl_fusion *f)
{
	return f->report;
}

struct tl_fusion *tl_fusion_new(const struct tl_fuse_options *options)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event,
		.link = tl_ignore_link, /* a link names events by the numbers that they had */
		.end = tl_ignore_end,   /* other traces follow */
	};
	struct tl_fusion *f = tl_calloc(1, sizeof *f);

	f->sink.ops = &ops;
	f->options = options;
	f->translation.to = &f->tables;
	survey_init(&f->survey);
	f->survey.first_only = options->reference;
	return f;
}

void tl_fusion_free(struct tl_fusion *f)
{
	if (!f)
		return;
	free(f->clocks);
	struct tl_survey *s = &f->survey;
	free(s->source);
	free(s->bases);
	free(s->infos);
	tl_map_release(&s->members);
	tl_by_id_release(&s->tracks);
	tl_by_id_release(&s->layouts);
	tl_translation_release(&f->translation);
	for (unsigned i = 0; i < PID_KINDS; i++)
		tl_by_id_release(&f->plan_of[i]);
	tl_by_id_release(&f->lane_of);
	for (unsigned i = 0; i < 2; i++)
		tl_by_id_release(&f->verdict[i]);
	tl_arena_release(&f->columns);
	tl_tables_release(&f->tables);
	TL_KEYED_RELEASE(&f->processes);
	tl_buf_release(&f->text);
	free(f->plans);
	free(f->lanes);
	free(f);
}
