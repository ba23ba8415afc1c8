/* fuse.c - traces of ranks to one trace: the second pass.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuse/fuse.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/merge_sort.h"
#include "base/text.h"
#include "fuse/survey.h"
#include "model/fields.h"

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
	if (track.pid && tl_pid_number(json, len, &lane.raw)) {
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
		shifted[i] = tl_shifted_by_key(tl_str(strings, field.key), tl_str_len(strings, field.key), field.top);
		f->made[i] = (struct column){ change_of(f, &field, shifted[i]), shifted[i], i };
		field.key = tl_translate_string(&f->translation, field.key);
		f->fields[i] = field;
	}
	p->n_columns = l->n_fields;
	add_argument(f, p, TL_KEY_RANK, "", TL_FIELD_INT, (struct column){ .change = RANK });
	if (pid != PID_NONE && f->shift.step[TL_SHIFT_PID])
		add_argument(f, p, tl_shifted_key(TL_SHIFT_PID), "_raw", pid == PID_NUMBER ? TL_FIELD_INT : TL_FIELD_JSON,
		             (struct column){ .change = RAW_PID });
	for (uint32_t i = 0; i < l->n_fields; i++)
		if (shifted[i] != TL_SHIFTED && f->shift.step[shifted[i]])
			add_argument(f, p, tl_shifted_key(shifted[i]), "_raw", l->fields[i].type, (struct column){ .change = AS_IT_IS, .from = i });
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
	bool kept = tl_text_is(key, key_len, TL_BASE_TIME) || tl_survey_is_common(&f->survey, key, key_len, json, json_len);

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
		good = tl_shift_choose_reference(&f->shift, highest_rank, linking);
	else
		good = tl_shift_choose(&f->shift, highest_rank);
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
	tl_survey_init(&f->survey);
	f->survey.first_only = options->reference;
	return f;
}

void tl_fusion_free(struct tl_fusion *f)
{
	if (!f)
		return;
	free(f->clocks);
	tl_survey_release(&f->survey);
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
