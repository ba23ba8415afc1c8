/* pftrace.c - events of Perfetto's traces and their arguments; the sheet of copies of memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/pftrace.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/text.h"
#include "sheets/pftrace_events.h"

static const char *const arg_names[TL_PFA_ARGS] = {
	"begin_ns", "end_ns", "delta_ns", "agent", "tid", "stream_ID", "operation",
	"grid_size", "workgroup_size", "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count", "LDS_Block_Size", "Scratch_Size",
	"copy_bytes", "src_agent", "dst_agent",
	"corr_id", "correlation_id", "correlationId", "CorrId",
	"device_id", "deviceId", "dev_id", "DevId", "gpu_id", "gpuId",
	"kernel_name", "KernelName", "symbol", "symbol_name", "funcName",
};

/* ---- events in the order of traceconv's JSON ------------------------------------------- */

static int compare_events(const void *pa, const void *pb, void *ctx)
{
	const struct tl_trace *t = ctx;
	const struct tl_ev *a = &t->events[*(const uint32_t *)pa], *b = &t->events[*(const uint32_t *)pb];
	bool a_async = t->layouts[a->layout].ph == 'b', b_async = t->layouts[b->layout].ph == 'b';

	if (a_async != b_async)
		return a_async ? 1 : -1;
	return (a->ts > b->ts) - (a->ts < b->ts);
}

/* Events of a trace of packets are not in the order of time. */
static void order_events(struct tl_pftrace *p)
{
	const struct tl_trace *t = p->trace;
	bool of_packets = false;

	for (size_t i = 0; i < t->n_meta; i++)
		of_packets |= !strcmp(tl_str(&t->strings, t->meta[i].key), TL_META_PACKETS);
	if (!of_packets)
		return;
	p->order = tl_alloc(((size_t)t->n_events + 1) * sizeof *p->order);
	for (uint32_t i = 0; i < t->n_events; i++)
		p->order[i] = i;
	tl_merge_sort(p->order, t->n_events, sizeof *p->order, compare_events, p->trace);
}

/* ---- arguments ---------------------------------------------------------------------------- */

struct tl_cell tl_pftrace_arg(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event)
{
	return tl_arg_cell(&p->cells, &p->args[arg], event);
}

/* "12", " -5 ", "1_000": digits with a sign, single underscores between them and blanks around. */
static bool int_of_text(const char *s, int64_t *n)
{
	char digits[32];
	size_t len = 0;
	bool was_digit = false;

	while (tl_is_blank(*s))
		s++;
	if (*s == '+' || *s == '-')
		digits[len++] = *s++;
	for (; tl_is_digit(*s) || (*s == '_' && was_digit && tl_is_digit(s[1])); s++) {
		was_digit = *s != '_';
		if (was_digit && len < sizeof digits - 1)
			digits[len++] = *s;
	}
	while (tl_is_blank(*s))
		s++;
	digits[len] = 0;
	errno = 0;
	*n = strtoll(digits, NULL, 10);
	return !*s && was_digit && !errno && len < sizeof digits - 1;
}

/* As Python's int() makes an integer of a value. False: it cannot. */
static bool int_of(const struct tl_pftrace *p, struct tl_cell c, int64_t *n)
{
	switch (c.type) {
	case TL_CELL_INT:
	case TL_CELL_BOOL:
		*n = c.i;
		return true;
	case TL_CELL_REAL:
		if (!(fabs(c.d) < 9.2e18))
			return false;
		*n = (int64_t)c.d;
		return true;
	case TL_CELL_TEXT: return int_of_text(tl_str(&p->trace->strings, c.text), n);
	default: return false;
	}
}

bool tl_pftrace_int_arg(struct tl_pftrace *p, enum tl_pftrace_arg arg, uint32_t event, int64_t *n)
{
	return p->args[arg].place[p->trace->events[event].layout] >= 0 && int_of(p, tl_pftrace_arg(p, arg, event), n);
}

const char *tl_pftrace_category(const struct tl_pftrace *p, uint32_t event)
{
	return tl_str(&p->trace->strings, p->trace->layouts[p->trace->events[event].layout].cat);
}

bool tl_pftrace_is(const struct tl_pftrace *p, uint32_t event, const char *category)
{
	return !strcmp(tl_pftrace_category(p, event), category);
}

/* ---- process, thread, GPU, time --------------------------------------------------------------- */

static bool number_of(const struct tl_pftrace *p, uint32_t json, int64_t *n)
{
	return json && int_of_text(tl_str(&p->trace->strings, json), n);
}

bool tl_pftrace_pid(const struct tl_pftrace *p, uint32_t event, int64_t *pid)
{
	return number_of(p, p->trace->tracks[p->trace->events[event].track].pid, pid);
}

bool tl_pftrace_tid(const struct tl_pftrace *p, uint32_t event, int64_t *tid)
{
	const struct tl_ev *e = &p->trace->events[event];
	char ph = p->trace->layouts[e->layout].ph;

	if (ph == 'b' || ph == 'n')
		return tl_pftrace_pid(p, event, tid);
	return number_of(p, p->trace->tracks[e->track].tid, tid);
}

/* Whether Python takes the value for true. */
static bool is_true(const struct tl_pftrace *p, struct tl_cell c)
{
	if (c.type == TL_CELL_TEXT)
		return *tl_str(&p->trace->strings, c.text) != 0;
	return c.type == TL_CELL_REAL ? c.d != 0 : (c.type == TL_CELL_INT || c.type == TL_CELL_BOOL) && c.i;
}

static bool agent_of(struct tl_pftrace *p, uint32_t event, uint64_t *key, struct tl_cell *agent)
{
	if (p->args[TL_PFA_AGENT].place[p->trace->events[event].layout] < 0)
		return false;
	*agent = tl_pftrace_arg(p, TL_PFA_AGENT, event);
	*key = (uint64_t)agent->i * 2 + (agent->type == TL_CELL_TEXT);
	return is_true(p, *agent);
}

bool tl_pftrace_gpu(struct tl_pftrace *p, uint32_t event, uint32_t *gpu)
{
	struct tl_cell agent;
	uint64_t key;

	if (!agent_of(p, event, &key, &agent))
		return false;
	*gpu = *tl_map_get(&p->gpu_of, key);
	return true;
}

/* GPUs are numbered in the order in which their agents appear. */
static void number_gpus(struct tl_pftrace *p)
{
	struct tl_strtab *strings = &p->trace->strings;
	struct tl_cell agent;
	char digits[TL_DOUBLE_TEXT];
	uint64_t key;
	bool is_new;

	for (uint32_t i = 0; i < p->trace->n_events; i++) {
		if (!agent_of(p, tl_pftrace_at(p, i), &key, &agent))
			continue;
		uint32_t *gpu = tl_map_put(&p->gpu_of, key, &is_new);
		if (!is_new)
			continue;
		*gpu = (uint32_t)p->n_agents;
		TL_GROW(p->agents, p->cap_agents, p->n_agents + 1);
		p->agents[p->n_agents++] = agent.type == TL_CELL_TEXT ? agent.text
			: tl_intern(strings, digits, tl_cell_format(digits, agent, 1));
	}
}

static int64_t in_whole_us(int64_t ns)
{
	return ns / 1000 * 1000;
}

bool tl_pftrace_own_time(const struct tl_pftrace *p, uint32_t event, int64_t *ts, int64_t *dur)
{
	const struct tl_ev *e = &p->trace->events[event];

	*ts = e->flags & TL_EV_HAS_TS ? e->ts : 0;
	*dur = e->flags & TL_EV_HAS_DUR ? e->dur : 0;
	if (p->options.reference) {
		*ts = in_whole_us(*ts);
		*dur = in_whole_us(*dur);
	}
	return e->flags & TL_EV_HAS_TS && e->flags & TL_EV_HAS_DUR;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* Groups without a number are written in another way here. */
bool tl_pftrace_pattern(struct tl_pattern *pattern, const char *python, char why[200])
{
	char *text = tl_strdup(python), *to = text;
	size_t weight = 0;

	for (const char *from = text; *from;) {
		bool escaped = *from == '\\' && from[1];
		*to++ = *from++;
		if (escaped)
			*to++ = *from++;
		else if (to[-1] == '(' && from[0] == '?' && from[1] == ':')
			from += 2;
	}
	*to = 0;
	bool good = tl_pattern_compile(pattern, text, 0, &weight, why);
	free(text);
	return good;
}

struct tl_pftrace *tl_pftrace_new(struct tl_trace *t, const struct tl_pftrace_options *options)
{
	struct tl_pftrace *p = tl_calloc(1, sizeof *p);

	p->trace = t;
	p->options = *options;
	p->cells.trace = t;
	for (size_t i = 0; i < TL_PFA_ARGS; i++)
		tl_arg_init(&p->args[i], t, arg_names[i]);
	tl_name_answers_init(&p->categories, TL_PFTRACE_CATEGORIES, &t->strings);
	if (options->communication)
		tl_name_rules_add_answer(p->categories.rules, 0, "rccl", options->communication, "communication");
	tl_name_answers_init(&p->launches, TL_PFTRACE_LAUNCHES, &t->strings);
	order_events(p);
	number_gpus(p);
	return p;
}

void tl_pftrace_free(struct tl_pftrace *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < TL_PFA_ARGS; i++)
		tl_arg_release(&p->args[i]);
	tl_arg_cells_release(&p->cells);
	tl_map_release(&p->gpu_of);
	tl_name_answers_release(&p->categories);
	tl_name_answers_release(&p->launches);
	free(p->order);
	free(p->agents);
	free(p->compute.items);
	free(p->communication.items);
	free(p->calls.items);
	free(p);
}

struct tl_pftrace_doubts tl_pftrace_doubts(const struct tl_pftrace *p)
{
	return p->doubts;
}

size_t tl_pftrace_agents(const struct tl_pftrace *p)
{
	return p->n_agents;
}

const char *tl_pftrace_agent(const struct tl_pftrace *p, size_t gpu)
{
	return tl_str(&p->trace->strings, p->agents[gpu]);
}

/* ---- memory_copy_by_copy_bytes ------------------------------------------------------------------------ */

static const char *const copy_columns[] = { "copy_bytes", "direction", NULL };

static const struct tl_column copies_columns[] = {
	{ "copy_bytes", .kind = TL_KEY },
	{ "direction", .kind = TL_KEY },
	{ "count", .kind = TL_COUNT },
	{ .name = NULL }
};
static const struct tl_sheet_def copies_def = {
	.name = "memory_copy_by_copy_bytes", .rows = copy_columns, .columns = copies_columns, .keys_ascending = true,
};

/* The category, but for blanks around it and capital letters. */
static bool is_copy(const struct tl_pftrace *p, uint32_t event)
{
	static const char wanted[] = "memory_copy";
	const char *s = tl_pftrace_category(p, event);

	while (tl_is_blank(*s))
		s++;
	if (strncasecmp(s, wanted, sizeof wanted - 1) != 0)
		return false;
	for (s += sizeof wanted - 1; tl_is_blank(*s); s++)
		;
	return !*s;
}

/* The number of an agent. Of "GPU-3" TraceLens makes no number. */
static void add_agent(struct tl_pftrace *p, struct tl_buf *b, enum tl_pftrace_arg arg, uint32_t event)
{
	int64_t n;

	if (tl_pftrace_int_arg(p, arg, event, &n))
		tl_buf_addf(b, "GPU %lld", (long long)n);
	else
		tl_buf_adds(b, "GPU ?");
}

static uint32_t direction_of(struct tl_pftrace *p, uint32_t event, struct tl_buf *b)
{
	const char *name = tl_str(&p->trace->strings, p->trace->events[event].name);

	tl_buf_clear(b);
	if (strcasestr(name, "MEMORY_COPY_HOST_TO_DEVICE")) {
		tl_buf_adds(b, "h2d (");
		add_agent(p, b, TL_PFA_TO, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_HOST")) {
		tl_buf_adds(b, "d2h (");
		add_agent(p, b, TL_PFA_FROM, event);
	} else if (strcasestr(name, "MEMORY_COPY_DEVICE_TO_DEVICE")) {
		tl_buf_adds(b, "d2d (");
		add_agent(p, b, TL_PFA_FROM, event);
		tl_buf_adds(b, " -> ");
		add_agent(p, b, TL_PFA_TO, event);
	}
	tl_buf_adds(b, b->len ? ")" : "other");
	return tl_intern(&p->trace->strings, b->data, b->len);
}

static struct tl_table *make_copies(void *made, const struct tl_sheet *s)
{
	struct tl_pftrace *p = made;
	struct tl_trace *t = p->trace;
	struct tl_buf text = { 0 };

	if (!(p->options.reports & TL_PFTRACE_COPIES))
		return NULL;
	struct tl_table *rows = tl_table_new(&t->strings, 1, copy_columns);
	for (uint32_t i = 0; i < t->n_events; i++) {
		int64_t bytes;
		if (!is_copy(p, i) || !tl_pftrace_int_arg(p, TL_PFA_BYTES, i, &bytes))
			continue;
		tl_table_add_row(rows, (struct tl_cell[]){ tl_cell_int(bytes), tl_cell_text(direction_of(p, i, &text)) });
	}
	tl_buf_release(&text);
	return tl_sheet_make(s->def, &(struct tl_sheet_input){ .own_rows = rows });
}

/* ---- sheets --------------------------------------------------------------------------------------------- */

static const struct tl_sheet sheets[] = {
	{ "category_summary", "device time of each GPU by class of kernel, and its overlap with communication", NULL,
	  TL_SHEET_USUAL, TL_NEEDS_OTHERS, NULL, tl_pftrace_categories },
	{ "xla_top", "kernels of no other class with the most time", NULL, 0, TL_NEEDS_OTHERS, &tl_pftrace_xla_def, tl_pftrace_xla },
	{ "kernel_summary", "kernels by name and configuration: time, registers, sizes", NULL,
	  0, TL_NEEDS_OTHERS, &tl_pftrace_kernels_def, tl_pftrace_kernels },
	{ "hip_summary", "HIP calls: time", NULL, 0, TL_NEEDS_OTHERS, &tl_pftrace_calls_def, tl_pftrace_calls },
	{ "api_kernel_summary", "HIP calls and the kernels they launched: time of call, queue and kernel", NULL,
	  0, TL_NEEDS_OTHERS, &tl_pftrace_api_def, tl_pftrace_api },
	{ "memory_copy_by_copy_bytes", "how many copies of memory, by size and direction", NULL,
	  0, TL_NEEDS_OTHERS, &copies_def, make_copies },
	{ .name = NULL },
};
const struct tl_sheet_family tl_pftrace_sheets = { "tl-pftrace", sheets };
