/* jax_collectives.c - the collectives of a job of JAX, and the bandwidth of each group.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_collectives.h"

#include "work/args.h"
#include "base/merge_sort.h"
#include "work/name_rules.h"
#include "sheets/jax_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_GPUS = 8 };
#define GIB (1024.0 * 1024 * 1024)

/* A kernel of a collective; texts are ids in `strings`. */
struct event {
	int64_t node, pid, tid, ts, dur;   /* ticks */
	struct tl_cell correlation;
	uint32_t name, module, process;
	uint32_t index;                    /* among those of its name and GPU, by start */
	uint32_t slice, next;              /* of the slice; the next event there, from 1 */
	const struct tl_hlo_collective *of; /* NULL: no dump has it */
};
/* Events and slices by their numbers from 1; 0: none. */
struct slice { uint32_t first, last, next; };
struct operation { uint32_t first, last; /* slices */ };

struct tl_jax_collectives {
	struct tl_jax_collectives_options options;
	struct tl_strtab strings;
	int64_t ticks_per_us;              /* 0: there is no profile yet */
	int64_t last_node, gpus;           /* GPUs: how many a node has at most */
	struct event *events; size_t n, cap;
	struct tl_hlo_collectives *dumps;  /* NULL: none yet */
	struct tl_strtab slice_keys;       /* name and index */
	struct slice *slices; size_t cap_slices;
	struct TL_KEYED(struct operation) operations; /* by name */
	struct tl_table *groups, *slice_rows; /* raw rows, GROUP_… and SLICE_… */
	struct tl_jax_collectives_doubts doubts;
};

struct tl_jax_collectives *tl_jax_collectives_new(const struct tl_jax_collectives_options *o)
{
	struct tl_jax_collectives *j = tl_calloc(1, sizeof *j);

	j->options = *o;
	return j;
}

void tl_jax_collectives_free(struct tl_jax_collectives *j)
{
	if (!j)
		return;
	tl_table_free(j->groups);
	tl_table_free(j->slice_rows);
	tl_hlo_collectives_free(j->dumps);
	tl_strtab_release(&j->slice_keys);
	TL_KEYED_RELEASE(&j->operations);
	tl_strtab_release(&j->strings);
	free(j->events);
	free(j->slices);
	free(j);
}

static void leave(struct tl_jax_left *l, const char *what)
{
	if (!l->n++)
		l->first = what;
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* As the events of a profile are numbered: by GPU, stream and start, the longest first. */
TL_ORDER(by_place, struct event, TL_ASC(x->pid) TL_ASC(x->tid) TL_ASC(x->ts) TL_DESC(x->dur))

TL_ORDER_IN(by_start, uint32_t, struct event, TL_ASC(ctx[*x].ts))

/* Numbers the n events of a node, from `first` on. */
static void number_events(struct event *events, size_t n)
{
	uint32_t *order = tl_alloc((n + 1) * sizeof *order);
	struct tl_strtab keys = { 0 };
	struct tl_map seen = { 0 };

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	tl_merge_sort(order, n, sizeof *order, by_start, events);
	for (size_t i = 0; i < n; i++) {
		struct event *e = &events[order[i]];
		const int64_t key[] = { e->pid, e->name };
		e->index = (*tl_map_put(&seen, tl_intern(&keys, (const char *)key, sizeof key), NULL))++;
	}
	tl_map_release(&seen);
	tl_strtab_release(&keys);
	free(order);
}

static uint32_t copied(struct tl_jax_collectives *j, const struct tl_trace *t, uint32_t id)
{
	return id ? tl_intern(&j->strings, tl_str(&t->strings, id), tl_str_len(&t->strings, id)) : 0;
}

/* "HOST PLANE" by GPU, as xprof names its process. */
static void name_planes(struct tl_jax_collectives *j, const struct tl_trace *t, const char *host, struct tl_map *names)
{
	const struct tl_arg arg = tl_arg_of(t, "name");

	for (uint32_t i = 0; i < t->n_events; i++) {
		int64_t name;
		if (t->events[i].kind != TL_KIND_META || strcmp(tl_str(&t->strings, t->events[i].name), "process_name") != 0 ||
		    tl_arg_get(&arg, t, i, &name) != TL_FIELD_STRING)
			continue;
		char *text = tl_strdupf("%s%s%s", host, *host ? " " : "", tl_str(&t->strings, (uint32_t)name));
		*tl_map_put(names, t->tracks[t->events[i].track].pid, NULL) = tl_intern_str(&j->strings, text);
		free(text);
	}
}

static void add_event(struct tl_jax_collectives *j, int64_t node, struct tl_trace *t, const struct tl_arg *args, const struct tl_map *planes, uint32_t i)
{
	const struct tl_ev *e = &t->events[i];
	const struct tl_trace_track *track = &t->tracks[e->track];
	const uint32_t *plane = tl_map_get(planes, track->pid);
	int64_t op, module;
	struct event event = { .node = node, .ts = e->ts, .dur = e->dur, .correlation = tl_cell_copy(tl_arg_cell(t, &args[2], i), &t->strings, &j->strings) };

	event.pid = tl_jax_number(tl_str(&t->strings, track->pid));
	event.tid = tl_jax_number(tl_str(&t->strings, track->tid));
	event.process = plane ? *plane : 0;
	event.name = tl_arg_get(&args[0], t, i, &op) == TL_FIELD_STRING ? copied(j, t, (uint32_t)op) : tl_intern_str(&j->strings, "unknown");
	event.module = tl_arg_get(&args[1], t, i, &module) == TL_FIELD_STRING ? copied(j, t, (uint32_t)module) : 0;
	if (j->options.reference && event.dur < 1)
		event.dur = 1;
	if (!j->options.reference && event.dur < t->ticks_per_us / 1000)
		j->doubts.brief++;
	TL_PUSH(j->events, j->n, j->cap, event);
}

enum tl_status tl_jax_collectives_add_trace(struct tl_jax_collectives *j, int64_t node, const char *host, struct tl_trace *t, size_t *n, struct tl_error *err)
{
	const struct tl_arg args[] = { tl_arg_of(t, "hlo_op"), tl_arg_of(t, "hlo_module"), tl_arg_of(t, TL_KEY_CORRELATION) };
	struct tl_name_answers names;
	struct tl_map planes = { 0 };
	size_t first = j->n;

	if (j->ticks_per_us && t->ticks_per_us != j->ticks_per_us)
		return tl_fail(err, TL_ERR_DATA, "its clock has %" PRId64 " ticks a µs, that of the first profile %" PRId64, t->ticks_per_us, j->ticks_per_us);
	j->ticks_per_us = t->ticks_per_us;
	name_planes(j, t, host, &planes);
	tl_name_answers_init(&names, TL_JAX_COLLECTIVES, &t->strings);
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!tl_kind_is_gpu(t->events[i].kind))
			continue;
		int64_t pid = tl_jax_number(tl_str(&t->strings, t->tracks[t->events[i].track].pid));
		j->gpus = pid > j->gpus ? pid : j->gpus;
		if (tl_ev_has_span(&t->events[i]) && *tl_name_answer(&names, t->events[i].name))
			add_event(j, node, t, args, &planes, i);
	}
	tl_name_answers_release(&names);
	tl_map_release(&planes);
	*n = j->n - first;
	tl_merge_sort(j->events + first, *n, sizeof *j->events, by_place, NULL);
	number_events(j->events + first, *n);
	j->last_node = node > j->last_node ? node : j->last_node;
	return TL_OK;
}

static int64_t gpus_per_node(const struct tl_jax_collectives *j)
{
	int64_t asked = j->options.gpus_per_node;

	return asked ? asked : j->options.reference ? REFERENCE_GPUS : j->gpus;
}

static int64_t rank_of(const struct tl_jax_collectives *j, const struct event *e)
{
	return e->node * gpus_per_node(j) + e->pid - 1;
}

/* ---- dumps ---------------------------------------------------------------------------------------- */

static struct tl_hlo_collectives *dumps_of(struct tl_jax_collectives *j)
{
	if (!j->dumps)
		j->dumps = tl_hlo_collectives_new(&j->strings, (j->last_node + 1) * gpus_per_node(j), j->options.reference);
	return j->dumps;
}

size_t tl_jax_collectives_add_dump(struct tl_jax_collectives *j, int64_t node, const char *module, const char *text, size_t len)
{
	return tl_hlo_collectives_add(dumps_of(j), node, module, text, len);
}

/* ---- slices ------------------------------------------------------------------------------------------ */

static void add_to_operation(struct tl_jax_collectives *j, uint32_t name, uint32_t slice)
{
	bool is_new;
	struct operation *o = TL_ITEM(&j->operations, name, &is_new);

	if (is_new)
		o->first = slice;
	else
		j->slices[o->last].next = slice;
	o->last = slice;
}

static void add_to_slice(struct tl_jax_collectives *j, uint32_t event)
{
	struct event *e = &j->events[event - 1];
	const uint32_t key[] = { e->name, e->index };
	uint32_t known = j->slice_keys.count;

	e->slice = tl_intern(&j->slice_keys, (const char *)key, sizeof key);
	TL_GROW(j->slices, j->cap_slices, (size_t)e->slice + 1);
	if (e->slice > known) {
		j->slices[e->slice] = (struct slice){ event, event, 0 };
		add_to_operation(j, e->name, e->slice);
		return;
	}
	j->events[j->slices[e->slice].last - 1].next = event;
	j->slices[e->slice].last = event;
}

/* collective_id, a text id. */
static uint32_t id_of(struct tl_jax_collectives *j, const struct event *e)
{
	char *text = tl_strdupf("%s_%" PRIu32, tl_str(&j->strings, e->name), e->index);
	uint32_t id = tl_intern_str(&j->strings, text);

	free(text);
	return id;
}

/* The only text of groups that events of the slice have; 0: none, or several. TraceLens wants the first event to have it. */
static uint32_t groups_of_slice(struct tl_jax_collectives *j, const struct slice *s)
{
	const struct event *first = &j->events[s->first - 1];
	uint32_t replicas = 0;
	bool many = false;

	for (uint32_t i = s->first; i; i = j->events[i - 1].next) {
		uint32_t own = j->events[i - 1].of ? j->events[i - 1].of->replicas : 0;
		many |= own && replicas && own != replicas;
		replicas = own ? own : replicas;
	}
	bool lacks = j->options.reference && !(first->of && first->of->replicas);
	if (!many && replicas && !lacks)
		return replicas;
	leave(many ? &j->doubts.many_groups : &j->doubts.no_groups, tl_str(&j->strings, id_of(j, first)));
	return 0;
}

/* ---- the bandwidth of a group ---------------------------------------------------------------------------- */

/* What a group of n moves if each device brings d bytes. By nccl-tests (doc/PERFORMANCE.md of github.com/NVIDIA/nccl-tests) the whole
 * message; TraceLens counts what is sent and what is received. */
static struct tl_cell moved_bytes(const struct tl_jax_collectives *j, enum tl_hlo_kind kind, int64_t bytes, int64_t n)
{
	double d = (double)bytes, size = (double)n;
	int64_t all;

	if (!j->options.reference)
		return __builtin_mul_overflow(bytes, kind == TL_HLO_ALL_GATHER ? n : 1, &all) ? tl_cell_real(d * size) : tl_cell_int(all);
	switch (kind) {
	case TL_HLO_ALL_GATHER: return __builtin_mul_overflow(bytes, 2 * (n - 1), &all) ? tl_cell_real(2 * d * (size - 1)) : tl_cell_int(all);
	case TL_HLO_ALL_REDUCE: case TL_HLO_PERMUTE: return bytes > INT64_MAX / 2 ? tl_cell_real(2 * d) : tl_cell_int(2 * bytes);
	case TL_HLO_REDUCE_SCATTER: return tl_cell_real(d + d / size);
	case TL_HLO_ALL_TO_ALL: return tl_cell_real(2 * d * (size - 1) / size);
	default: return tl_cell_int(bytes);
	}
}

/* What the busiest link carries of each byte; source as above. */
static double bus_scaler(enum tl_hlo_kind kind, int64_t n)
{
	double others = (double)(n - 1) / (double)n;

	return kind == TL_HLO_ALL_REDUCE ? 2 * others : kind == TL_HLO_PERMUTE || kind == TL_HLO_OTHER ? 1 : others;
}

/* The events of a slice by device. */
struct met { struct tl_map by_rank; /* the first event of a device, from 1 */ uint32_t *same; /* by event: the next one of the device */ };

static void add_rank(struct tl_buf *b, int64_t rank)
{
	tl_buf_addf(b, "%s%" PRId64, b->len ? ", " : "[", rank);
}

static uint32_t finish_list(struct tl_jax_collectives *j, struct tl_buf *b)
{
	tl_buf_addc(b, ']');
	uint32_t id = tl_intern(&j->strings, b->data, b->len);
	tl_buf_release(b);
	return id;
}

/* The event of these devices that took least; 0: none that counts. *rows, *present: how many events, and whose. */
static uint32_t fastest_of(struct tl_jax_collectives *j, const struct met *met, const int64_t *members, size_t n, int64_t *rows, uint32_t *present)
{
	int64_t least = j->options.reference ? 0 : j->ticks_per_us / 1000;
	uint32_t fastest = 0;
	struct tl_buf b = { 0 };

	*rows = 0;
	for (size_t m = 0; m < n; m++) {
		const uint32_t *first = tl_map_get(&met->by_rank, (uint64_t)members[m]);
		bool again = m && members[m] == members[m - 1]; /* a device that sends to itself */
		if (first)
			add_rank(&b, members[m]);
		for (uint32_t i = first && !again ? *first : 0; i; i = met->same[i - 1]) {
			const struct event *e = &j->events[i - 1], *best = fastest ? &j->events[fastest - 1] : NULL;
			++*rows;
			if (e->dur >= least && (!best || e->dur < best->dur || (e->dur == best->dur && i < fastest)))
				fastest = i;
		}
	}
	*present = b.len ? finish_list(j, &b) : 0;
	return fastest;
}

/* about: what the dump says of the slice, for events that no dump has; NULL in TraceLens's way. */
static void add_group(struct tl_jax_collectives *j, const struct tl_cell *common, const struct met *met, const struct tl_hlo_groups *groups, size_t g,
                      const struct tl_hlo_collective *about)
{
	const int64_t *members = groups->members + tl_hlo_group_start(groups, g);
	size_t n = groups->ends[g] - tl_hlo_group_start(groups, g);
	enum tl_hlo_kind kind = tl_hlo_kind_of(tl_str(&j->strings, common[GROUP_COLLECTIVE_NAME].text));
	struct tl_cell c[N_GROUP];
	int64_t rows;
	uint32_t present;
	struct tl_buf b = { 0 };

	if (!j->options.reference && kind == TL_HLO_PERMUTE && n == 2 && members[0] == members[1])
		return; /* a device keeps what it has: no link carries it */
	uint32_t fastest = fastest_of(j, met, members, n, &rows, &present);
	if (!fastest)
		return;
	const struct event *e = &j->events[fastest - 1];
	const struct tl_hlo_collective *of = e->of ? e->of : about;
	memcpy(c, common, sizeof c);
	for (size_t i = 0; i < n; i++)
		add_rank(&b, members[i]);
	c[GROUP_GROUP_IDX] = tl_cell_int((int64_t)g);
	c[GROUP_GPU_GROUP] = tl_cell_text(finish_list(j, &b));
	c[GROUP_GPUS_IN_DATA] = tl_cell_text(present);
	c[GROUP_BUS_BANDWIDTH_SCALER] = tl_cell_real(bus_scaler(kind, (int64_t)n));
	c[GROUP_DURATION_US] = tl_cell_time(e->dur, false);
	c[GROUP_FASTEST_GPU_RANK] = tl_cell_int(rank_of(j, e));
	c[GROUP_ACTUAL_GROUP_SIZE] = tl_cell_int((int64_t)n);
	c[GROUP_PARTICIPANTS_IN_DATA] = tl_cell_int(rows);
	if (of) {
		c[GROUP_GROUP_DATA_SIZE_BYTES] = tl_cell_int(of->bytes);
		c[GROUP_ALGORITHMIC_BYTES] = moved_bytes(j, kind, of->bytes, (int64_t)n);
		double seconds = (double)e->dur / (double)j->ticks_per_us / 1e6;
		c[GROUP_ALGORITHMIC_BANDWIDTH_GBPS] = tl_cell_real(tl_cell_number(c[GROUP_ALGORITHMIC_BYTES], 1) / GIB / seconds);
		c[GROUP_BUS_BANDWIDTH_GBPS] = tl_cell_real(c[GROUP_ALGORITHMIC_BANDWIDTH_GBPS].d * c[GROUP_BUS_BANDWIDTH_SCALER].d);
	} else {
		leave(&j->doubts.no_bytes, tl_str(&j->strings, common[GROUP_COLLECTIVE_ID].text));
	}
	tl_table_add_row(j->groups, c);
}

static void add_slice(struct tl_jax_collectives *j, const struct slice *s, struct tl_cell data_size, uint32_t *same)
{
	uint32_t replicas = groups_of_slice(j, s);
	const struct tl_hlo_groups *groups = tl_hlo_groups_of(dumps_of(j), replicas);
	const struct event *first = &j->events[s->first - 1];
	const struct tl_hlo_collective *about = NULL;
	struct met met = { .same = same };
	struct tl_cell common[N_GROUP] = { 0 };

	if (!groups)
		return;
	for (uint32_t i = s->first; i; i = j->events[i - 1].next) {
		uint32_t *of_rank = tl_map_put(&met.by_rank, (uint64_t)rank_of(j, &j->events[i - 1]), NULL);
		same[i - 1] = *of_rank;
		*of_rank = i;
		about = about || j->options.reference ? about : j->events[i - 1].of;
	}
	common[GROUP_COLLECTIVE_NAME] = tl_cell_text(first->name);
	common[GROUP_COLLECTIVE_ID] = tl_cell_text(id_of(j, first));
	common[GROUP_TYPE] = tl_cell_str(&j->strings, tl_hlo_kinds[tl_hlo_kind_of(tl_str(&j->strings, first->name))]);
	common[GROUP_DATA_SIZE_BYTES] = data_size;
	for (size_t g = 0; g < groups->n; g++)
		add_group(j, common, &met, groups, g, about);
	tl_map_release(&met.by_rank);
}

/* What the first event of an operation, or the first that tells it, says of the bytes. */
static struct tl_cell data_size_of(const struct tl_jax_collectives *j, const struct operation *o)
{
	for (uint32_t s = o->first; s; s = j->slices[s].next)
		for (uint32_t i = j->slices[s].first; i; i = j->events[i - 1].next)
			if (j->events[i - 1].of || j->options.reference)
				return j->events[i - 1].of ? tl_cell_int(j->events[i - 1].of->bytes) : tl_cell_null();
	return tl_cell_null();
}

/* Are there GPUs that run an operation more often than others? Then its last slice has fewer events than its first. */
static void look_for_uneven(struct tl_jax_collectives *j, const struct operation *o)
{
	size_t of_first = 0, of_last = 0;

	for (uint32_t i = j->slices[o->first].first; i; i = j->events[i - 1].next)
		of_first++;
	for (uint32_t i = j->slices[o->last].first; i; i = j->events[i - 1].next)
		of_last++;
	if (of_first != of_last)
		leave(&j->doubts.uneven, tl_str(&j->strings, j->events[j->slices[o->first].first - 1].name));
}

/* ---- sheets ------------------------------------------------------------------------------------------------- */

/* How many operations the slices are of, and the mean of their sizes in MiB. */
void tl_jaxcoll_operation_cells(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_table *t = ((struct tl_jax_collectives *)ctx)->slice_rows;
	struct tl_map seen = { 0 };
	double bytes = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_new;
		tl_map_put(&seen, tl_table_cell(t, rows[i], SLICE_COLLECTIVE_NAME).text, &is_new);
		struct tl_cell c = tl_table_cell(t, rows[i], SLICE_DATA_SIZE_BYTES);
		bytes += is_new && !tl_cell_is_null(c) ? tl_cell_number(c, 1) : 0;
	}
	cells[0] = tl_cell_int((int64_t)seen.count);
	cells[1] = tl_cell_real(bytes / (double)seen.count / 1024 / 1024);
	tl_map_release(&seen);
}

void tl_jaxcoll_xla(void *made, struct tl_sheet_input *in)
{
	struct tl_jax_collectives *j = made;
	size_t n;
	const struct tl_hlo_collective *all = tl_hlo_collectives_all(dumps_of(j), &n);

	in->own_rows = tl_table_new(&j->strings, 1, tl_jaxcoll_xla_rows);
	for (size_t i = 0; i < n; i++) {
		const struct tl_hlo_collective *line = &all[i];
		tl_table_add_row(in->own_rows, (const struct tl_cell[N_XLA]){
			[XLA_NODE] = tl_cell_int(line->node),
			[XLA_COLLECTIVE_NAME] = tl_cell_text(line->name),
			[XLA_REPLICA_STRING] = tl_cell_text(line->replicas),
			[XLA_REPLICA_GROUPS] = tl_cell_text(tl_hlo_groups_text(j->dumps, line->replicas)),
			[XLA_REPLICA_GROUP_SIZE] = tl_cell_int(line->group_size),
			[XLA_TENSORS] = tl_cell_text(line->tensors),
			[XLA_SPLIT_DIMENSION] = line->split < 0 ? tl_cell_null() : tl_cell_int(line->split),
			[XLA_TENSOR_SLICE] = tl_cell_text(line->slice),
			[XLA_DATA_BYTES] = tl_cell_int(line->bytes),
		});
	}
}

void tl_jaxcoll_long(void *made, struct tl_sheet_input *in)
{
	struct tl_jax_collectives *j = made;

	in->own_rows = tl_table_new(&j->strings, j->ticks_per_us ? j->ticks_per_us : 1, tl_jaxcoll_long_rows);
	for (size_t i = 0; i < j->n; i++) {
		const struct event *e = &j->events[i];
		tl_table_add_row(in->own_rows, (const struct tl_cell[N_LONG]){
			[LONG_NODE] = tl_cell_int(e->node),
			[LONG_GPU_RANK] = tl_cell_int(rank_of(j, e)),
			[LONG_PID] = tl_cell_int(e->pid),
			[LONG_TS] = tl_cell_time(e->ts, false),
			[LONG_DUR] = tl_cell_time(e->dur, false),
			[LONG_COLLECTIVE_NAME] = tl_cell_text(e->name),
			[LONG_HLO_MODULE] = tl_cell_text(e->module),
			[LONG_CORRELATION_ID] = e->correlation,
			[LONG_REPLICA_STRING] = tl_cell_text(e->of ? e->of->replicas : 0),
			[LONG_REPLICA_GROUPS] = tl_cell_text(e->of ? tl_hlo_groups_text(j->dumps, e->of->replicas) : 0),
			[LONG_DATA_BYTES] = e->of ? tl_cell_int(e->of->bytes) : tl_cell_null(),
			[LONG_PROCESS_NAME] = tl_cell_text(e->process),
			[LONG_INDEX_IN_GROUP] = tl_cell_int(e->index),
			[LONG_COLLECTIVE_ID] = tl_cell_text(id_of(j, e)),
		});
	}
	tl_table_unify_column(in->own_rows, LONG_DATA_BYTES);
	tl_table_unify_column(in->own_rows, LONG_CORRELATION_ID);
}

void tl_jaxcoll_groups(void *made, struct tl_sheet_input *in)
{
	in->rows = ((struct tl_jax_collectives *)made)->groups;
}

void tl_jaxcoll_slices(void *made, struct tl_sheet_input *in)
{
	in->rows = ((struct tl_jax_collectives *)made)->slice_rows;
}

void tl_jax_collectives_finish(struct tl_jax_collectives *j)
{
	uint32_t *same = tl_calloc(j->n + 1, sizeof *same);

	for (size_t i = 0; i < j->n; i++) {
		j->events[i].of = tl_hlo_collective_find(dumps_of(j), j->events[i].node, j->events[i].module, j->events[i].name);
		add_to_slice(j, (uint32_t)i + 1);
	}
	j->groups = tl_table_new(&j->strings, j->ticks_per_us ? j->ticks_per_us : 1, tl_jaxcoll_group_rows);
	for (size_t i = 0; i < j->operations.n; i++) {
		struct tl_cell size = data_size_of(j, &j->operations.items[i]);
		for (uint32_t s = j->operations.items[i].first; s; s = j->slices[s].next)
			add_slice(j, &j->slices[s], size, same);
		look_for_uneven(j, &j->operations.items[i]);
	}
	tl_table_unify_column(j->groups, GROUP_ALGORITHMIC_BYTES);
	tl_table_unify_column(j->groups, GROUP_GROUP_DATA_SIZE_BYTES);
	j->slice_rows = tl_sheet_make(&tl_jaxcoll_slices_and_types_sheet, &(struct tl_sheet_input){ .rows = j->groups });
	free(same);
}

struct tl_jax_collectives_doubts tl_jax_collectives_doubts(const struct tl_jax_collectives *j)
{
	struct tl_jax_collectives_doubts d = j->doubts;

	d.gpus_per_node = gpus_per_node(j);
	d.devices = (j->last_node + 1) * d.gpus_per_node;
	if (j->dumps) {
		d.last_device = tl_hlo_last_device(j->dumps);
		d.dumps = tl_hlo_dump_doubts(j->dumps);
	}
	return d;
}
