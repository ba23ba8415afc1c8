/* rocprofv3_csv.c - reads the tables (CSV) that rocprofv3 writes of a run: of kernels, copies, calls, markers, agents.
 *
 * A run has a file a table, PREFIX_kernel_trace.csv and so on. The input is one of them; the others are read from beside it, if
 * it is a plain file. What a table is its header line tells, in whatever order the columns stand.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory_io.h"
#include "base/utf8.h"
#include "base/number.h"
#include "readers/counter_names.h"
#include "readers/csv.h"
#include "readers/rocprofv3.h"

/* What a column is: a slot of a record, or one of these. */
enum { CATEGORY = TL_AMD_SLOTS, NAME, PID, NODE, LOGICAL, TYPE, UNITS, SHORT_NAME, PRODUCT, COUNTER, VALUE, OTHER };
static const struct { const char *name; uint8_t role; } known[] = {
	{ "Kind", CATEGORY }, { "Domain", CATEGORY },
	{ "Kernel_Name", NAME }, { "Function", NAME }, { "Direction", NAME }, { "Operation", NAME },
	{ "Process_Id", PID }, { "Thread_Id", TL_AMD_THREAD }, { "Correlation_Id", TL_AMD_CORRELATION },
	{ "Start_Timestamp", TL_AMD_START }, { "End_Timestamp", TL_AMD_END },
	{ "Agent_Id", TL_AMD_AGENT }, { "Queue_Id", TL_AMD_QUEUE }, { "Stream_Id", TL_AMD_STREAM },
	{ "Dispatch_Id", TL_AMD_DISPATCH }, { "Kernel_Id", TL_AMD_KERNEL },
	{ "LDS_Block_Size", TL_AMD_LDS }, { "Scratch_Size", TL_AMD_PRIVATE }, /* until ROCm 6.2 by the names of the next line */
	{ "Group_Segment_Size", TL_AMD_LDS }, { "Private_Segment_Size", TL_AMD_PRIVATE },
	{ "Workgroup_Size_X", TL_AMD_BLOCK }, { "Workgroup_Size_Y", TL_AMD_BLOCK_Y }, { "Workgroup_Size_Z", TL_AMD_BLOCK_Z },
	{ "Grid_Size_X", TL_AMD_ITEMS }, { "Grid_Size_Y", TL_AMD_ITEMS_Y }, { "Grid_Size_Z", TL_AMD_ITEMS_Z },
	{ "Source_Agent_Id", TL_AMD_FROM }, { "Destination_Agent_Id", TL_AMD_TO }, { "Allocation_Size", TL_AMD_ALLOCATED },
	{ "Node_Id", NODE }, { "Logical_Node_Id", LOGICAL }, { "Agent_Type", TYPE }, { "Cu_Count", UNITS },
	{ "Name", SHORT_NAME }, { "Product_Name", PRODUCT }, { "Counter_Name", COUNTER }, { "Counter_Value", VALUE },
};

/* The tables of a run, in the order in which they are read: what kernels need of others stands before them. */
static const char *const tables[] = { "agent_info", "hip_api_trace", "hsa_api_trace", "rccl_api_trace", "marker_api_trace",
	"kernel_trace", "memory_copy_trace", "memory_allocation_trace", "scratch_memory_trace", "counter_collection" };
enum { N_TABLES = sizeof tables / sizeof *tables, MOST_COLUMNS = 256 };

enum form { NO_FORM, AGENTS, EVENTS, DEVICE_EVENTS, COUNTERS }; /* of a table */
struct columns {
	struct { const char *name; uint8_t role; } items[MOST_COLUMNS];
	size_t n, place[OTHER + 1]; /* by role: the place of its last column, from 1; 0: there is none */
	enum form form;
};

struct agent { int64_t node, logical; uint32_t gpu; }; /* gpu: its number + 1; 0: no GPU */

struct reader {
	struct tl_maker make;
	const struct tl_read_options *options;
	struct tl_read_report *report;
	struct tl_error error;
	enum tl_status status;
	uint64_t uid;                /* of the next event */
	struct tl_csv csv;
	struct columns columns;      /* of the table at hand */
	struct tl_strtab headers;    /* texts of the columns */
	struct TL_KEYED(struct tl_process) processes; /* by pid */
	struct agent *agents; size_t n_agents, cap_agents;
	int64_t *gpu_agents; size_t n_gpus, cap_gpus; /* by number of the GPU: the agent's number in the process */
	struct tl_map gpus;          /* agent -> number of the GPU + 1; 0: no GPU */
	struct tl_buf text;
	bool has_device_table;
};

/* ---- the header line ------------------------------------------------------------------------ */

static uint8_t role_of(const struct tl_field_text *f)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (tl_text_is(f->s, f->len, known[i].name))
			return known[i].role;
	return OTHER;
}

static bool has(const struct columns *c, int role)
{
	return c->place[role];
}

static enum form form_of(const struct columns *c)
{
	bool device = has(c, TL_AMD_KERNEL) || has(c, TL_AMD_TO);

	if (has(c, NODE) && has(c, TYPE))
		return AGENTS;
	if (has(c, COUNTER) && has(c, VALUE))
		return COUNTERS;
	if (has(c, CATEGORY) && has(c, NAME) && has(c, TL_AMD_START) && has(c, TL_AMD_END))
		return device ? DEVICE_EVENTS : EVENTS;
	return NO_FORM;
}

/* Reads the header line, whose fields are names; false: there is none, or csv failed. headers: keeps the texts; may be NULL. */
static bool take_header(struct tl_csv *csv, struct columns *c, struct tl_strtab *headers, struct tl_error *err)
{
	memset(c, 0, sizeof *c);
	if (tl_csv_next(csv, err) <= 0 || csv->n > MOST_COLUMNS)
		return false;
	for (c->n = 0; c->n < csv->n; c->n++) {
		const struct tl_field_text *f = &csv->fields[c->n];
		uint8_t role = role_of(f);
		for (size_t i = 0; i < f->len; i++)
			if (!tl_in_name(f->s[i]))
				return false;
		c->place[role] = c->n + 1;
		c->items[c->n].role = role;
		c->items[c->n].name = headers ? tl_str(headers, tl_intern(headers, f->s, f->len)) : NULL;
	}
	c->form = form_of(c);
	return true;
}

/* ---- agents ------------------------------------------------------------------------------------ */

/* The field of the row at hand that has a role; NULL: there is none. */
static const struct tl_field_text *field_of(const struct reader *r, int role)
{
	return has(&r->columns, role) ? &r->csv.fields[r->columns.place[role] - 1] : NULL;
}

/* Its number; -1: there is none. */
static int64_t number_of(const struct reader *r, int role)
{
	const struct tl_field_text *f = field_of(r, role);
	int64_t number;

	return f && tl_field_int(f, &number) ? number : -1;
}

/* The agent that a text names: "Agent N", "N", or "GPU N", counted among GPUs. False: no such. */
static bool agent_of(const struct reader *r, const struct tl_field_text *f, int64_t *agent)
{
	const char *blank = memchr(f->s, ' ', f->len);
	size_t type = blank ? (size_t)(blank - f->s) : 0;
	struct tl_field_text number = { f->s + type + (type > 0), f->len - type - (type > 0) };

	if (!tl_field_int(&number, agent))
		return false;
	if (!type || tl_text_is(f->s, type, "Agent"))
		return true;
	if (!tl_text_is(f->s, type, "GPU") || *agent < 0 || (uint64_t)*agent >= r->n_gpus)
		return false;
	*agent = r->gpu_agents[*agent];
	return true;
}

static void take_agent(struct reader *r)
{
	const struct tl_field_text *type = field_of(r, TYPE), *name = field_of(r, PRODUCT);
	struct agent a = { number_of(r, NODE), number_of(r, LOGICAL), 0 };
	int64_t units = number_of(r, UNITS);

	name = name && name->len ? name : field_of(r, SHORT_NAME);
	a.logical = a.logical < 0 ? a.node : a.logical;
	if (tl_text_is(type->s, type->len, "GPU")) {
		tl_buf_clear(&r->text);
		tl_json_quote(&r->text, name ? name->s : "", name ? name->len : 0);
		tl_gpu_describe(&r->make.gpus, (int64_t)r->n_gpus, r->text.data, true, units < 0 ? 0 : units);
		TL_PUSH(r->gpu_agents, r->n_gpus, r->cap_gpus, a.logical);
		a.gpu = (uint32_t)r->n_gpus;
	}
	TL_PUSH(r->agents, r->n_agents, r->cap_agents, a);
}

/* Tables name agents by their place in the process or, with another option of rocprofv3, in the machine. */
static void number_agents(struct reader *r)
{
	bool is_new;

	TL_EACH_OF(const struct agent, a, r->agents, r->n_agents)
		*tl_map_put(&r->gpus, (uint64_t)a->logical, NULL) = a->gpu;
	TL_EACH_OF(const struct agent, a, r->agents, r->n_agents) {
		uint32_t *number = tl_map_put(&r->gpus, (uint64_t)a->node, &is_new);
		if (is_new)
			*number = a->gpu;
	}
}

/* ---- one row ---------------------------------------------------------------------------------------- */

/* A text with a comma behind a quote fell apart: its pieces are one field. False: the row has not as many fields as columns. */
static bool put_together(struct reader *r)
{
	struct tl_csv *c = &r->csv;
	size_t surplus = c->n - r->columns.n;

	if (c->n < r->columns.n || (surplus && !has(&r->columns, NAME)))
		return false;
	if (surplus) {
		size_t at = r->columns.place[NAME] - 1;
		const struct tl_field_text *last = &c->fields[at + surplus];
		bool at_quote = last->s[-1] == ',' && last->len && last->s[last->len - 1] == '"'; /* that of the whole */
		c->fields[at].len = (size_t)(last->s + last->len - c->fields[at].s) - at_quote;
		memmove(c->fields + at + 1, last + 1, (c->n - at - surplus - 1) * sizeof *last);
		c->n -= surplus;
	}
	return true;
}

static struct tl_process *process_of(struct reader *r, int64_t pid, bool has_pid)
{
	bool is_new;
	struct tl_process *p = TL_ITEM(&r->processes, (uint64_t)pid, &is_new);

	if (is_new) {
		p->number = r->processes.n;
		p->pid = pid;
		p->has_pid = has_pid;
		tl_process_place(&r->make, p);
	}
	return p;
}

/* The process of a row that does not tell it: that of the rows that do, else the number that the file's name begins with. */
static struct tl_process *only_process(struct reader *r)
{
	const char *slash = strrchr(r->csv.in->name, '/'), *name = slash ? slash + 1 : r->csv.in->name;
	struct tl_field_text number = { name, strcspn(name, "_") };
	int64_t pid = 0;

	if (r->processes.n > 1)
		tl_read_note(r->report, "kernels and copies of a run of several processes, taken as of the first", r->uid, -1);
	if (r->processes.n)
		return &r->processes.items[0];
	bool is_number = tl_is_digit(*name) && tl_field_int(&number, &pid);
	return process_of(r, is_number ? pid : 0, is_number);
}

/* The field as valid text, in r->text. */
static const struct tl_buf *text_of(struct reader *r, const struct tl_field_text *f)
{
	tl_buf_clear(&r->text);
	tl_buf_adds(&r->text, "");
	tl_buf_add_utf8(&r->text, f->s, f->len);
	return &r->text;
}

/* Begins the event of a row in the list of rocprofv3's JSON that it would stand in: hip_api of HIP_RUNTIME_API, memory_copy of
 * MEMORY_COPY. Returns its kind. */
static uint8_t begin_event(struct reader *r)
{
	struct tl_buf *b = &r->text;

	text_of(r, field_of(r, CATEGORY));
	for (char *p = b->data; p < b->data + b->len; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	const char *api = strstr(b->data, "_api");
	if (api && (api[4] == '_' || !api[4])) {
		b->len = strcspn(b->data, "_");
		tl_buf_adds(b, "_api");
	}
	int kind = tl_rocprofv3_kind(b->data, b->len);
	tl_make_event(&r->make, r->uid, kind < 0 ? TL_KIND_OTHER : (unsigned)kind, 'X');
	r->make.layout.cat = tl_add_string(&r->make.tables, b->data, b->len);
	return r->make.layout.kind;
}

/* Without a table of agents the direction of a copy tells which one is the host. */
static void tell_host(struct reader *r, const struct tl_amd_record *rec, const struct tl_field_text *direction)
{
	if (r->n_agents || rec->kind != TL_KIND_MEMCPY)
		return;
	if (tl_amd_given(rec, TL_AMD_FROM) && memmem(direction->s, direction->len, "HOST_TO_", 8))
		*tl_map_put(&r->gpus, (uint64_t)rec->slots[TL_AMD_FROM], NULL) = 0;
	if (tl_amd_given(rec, TL_AMD_TO) && memmem(direction->s, direction->len, "_TO_HOST", 8))
		*tl_map_put(&r->gpus, (uint64_t)rec->slots[TL_AMD_TO], NULL) = 0;
}

/* Takes the number in a column of the row that is a slot of records. False: it is none. */
static bool take_slot(struct reader *r, size_t column, struct tl_amd_record *rec)
{
	const struct tl_field_text *f = &r->csv.fields[column];
	int role = r->columns.items[column].role;
	bool is_agent = role == TL_AMD_AGENT || role == TL_AMD_FROM || role == TL_AMD_TO;
	int64_t number;

	if (role >= TL_AMD_SLOTS || !(is_agent ? agent_of(r, f, &number) : tl_field_int(f, &number)))
		return false;
	rec->slots[role] = number;
	rec->given |= 1u << role;
	return true;
}

/* A column that is not known, or has no number where one is expected, becomes an argument. */
static void add_argument(struct reader *r, size_t column)
{
	const struct tl_field_text *f = &r->csv.fields[column];
	int role = r->columns.items[column].role;
	const char *key = r->columns.items[column].name;
	int64_t number;

	if (role == CATEGORY || role == NAME || !f->len)
		return;
	if (!tl_field_int(f, &number)) {
		const struct tl_buf *text = text_of(r, f);
		tl_make_text(&r->make, key, text->data, text->len);
	} else if (role != PID) {
		tl_make_int(&r->make, key, number);
	}
}

static void push_row(struct reader *r)
{
	struct tl_amd_record rec = { .offset = -1, .kind = begin_event(r) };
	const struct tl_field_text *name = field_of(r, NAME), *pid = field_of(r, PID);
	int64_t number;

	for (size_t i = 0; i < r->columns.n; i++)
		if (!take_slot(r, i, &rec))
			add_argument(r, i);
	tell_host(r, &rec, name);
	tl_amd_fill(&r->make, &rec, pid && tl_field_int(pid, &number) ? process_of(r, number, true) : only_process(r), &r->gpus);
	const struct tl_buf *text = text_of(r, name);
	tl_make_name(&r->make, text->data, text->len);
	tl_make_range(&r->make, text->data, text->len, NULL, 0, true); /* the table tells of no range that it does not nest */
	r->status = tl_push_made(&r->make, &r->error);
	r->uid++;
}

/* A value of a kernel. Its process is that of the kernels, whose rows tell none. */
static void push_counter(struct reader *r)
{
	struct tl_amd_record rec = { .offset = -1 };
	double value = tl_parse_double(text_of(r, field_of(r, VALUE))->data, NULL);
	uint64_t uid = r->uid++;

	if (!isfinite(value)) {
		tl_read_note(r->report, TL_NO_NUMBER, uid, -1);
		return;
	}
	for (size_t i = 0; i < r->columns.n; i++)
		take_slot(r, i, &rec);
	const struct tl_buf *name = text_of(r, field_of(r, COUNTER));
	struct tl_counter_name what = tl_counter_name(name->data, name->len);
	if (what.device < 0 && tl_amd_given(&rec, TL_AMD_AGENT))
		what.device = tl_amd_gpu(&r->gpus, rec.slots[TL_AMD_AGENT]);
	tl_make_counter(&r->make, uid, &what, value);
	tl_make_process(&r->make, only_process(r));
	if (tl_amd_given(&rec, TL_AMD_START) && tl_amd_is_time(rec.slots[TL_AMD_START]))
		tl_make_start(&r->make, rec.slots[TL_AMD_START]);
	else
		tl_read_note(r->report, "values of counters without a time: start_timestamp is missing, or is no time", uid, -1);
	if (tl_amd_given(&rec, TL_AMD_DISPATCH))
		tl_make_int(&r->make, TL_KEY_DISPATCH, rec.slots[TL_AMD_DISPATCH]);
	else
		tl_make_correlation(&r->make, 1, rec.slots[TL_AMD_CORRELATION]);
	tl_make_text(&r->make, TL_KEY_OF, "kernel", strlen("kernel"));
	r->status = tl_push_made(&r->make, &r->error);
}

static void take_row(struct reader *r)
{
	if (r->columns.form == AGENTS)
		take_agent(r);
	else if (r->columns.form == COUNTERS)
		push_counter(r);
	else
		push_row(r);
}

/* ---- one table --------------------------------------------------------------------------------------- */

/* What is wrong with the row at hand; NULL: nothing. */
static const char *fault_of(struct reader *r)
{
	if (r->csv.cut)
		return "the table is cut short here";
	return put_together(r) ? NULL : "a row that has not as many fields as the table has columns, left out";
}

static void read_rows(struct reader *r)
{
	struct tl_csv *c = &r->csv;
	int got;

	while (!r->status && (got = tl_csv_next(c, &r->error)) > 0) {
		const char *fault = fault_of(r);
		if (!fault)
			take_row(r);
		else if (r->options->lenient)
			tl_read_note(r->report, fault, r->uid++, -1);
		else
			r->status = tl_fail(&r->error, TL_ERR_DATA, "%s, line %llu: %zu fields%s, expected %zu", c->in->name,
			                    (unsigned long long)c->line, c->n, c->cut ? " and no line's end: the table is cut short" : "", r->columns.n);
		r->report->lenient_helps |= fault && r->uid;
	}
	if (r->status || got == 0)
		return;
	r->status = r->error.status;
	if (r->status == TL_ERR_DATA && r->options->lenient && r->uid) {
		tl_read_note(r->report, "the table is damaged or cut short here", r->uid, -1);
		r->status = TL_OK;
	}
	r->report->lenient_helps |= r->uid > 0;
}

static void read_table(struct reader *r, struct tl_input *in)
{
	r->csv.in = in;
	r->error.status = TL_OK;
	if (take_header(&r->csv, &r->columns, &r->headers, &r->error) && r->columns.form)
		read_rows(r);
	else if (r->error.status || r->csv.n_bytes) /* an empty file is a table without rows */
		r->status = r->error.status ? r->error.status
		            : tl_fail(&r->error, TL_ERR_DATA, "%s, line 1: not the columns of a table of rocprofv3", in->name);
	r->has_device_table |= r->columns.form == DEVICE_EVENTS;
	if (r->columns.form == AGENTS)
		number_agents(r);
	r->report->n_bytes += r->csv.n_bytes;
	tl_csv_release(&r->csv);
}

/* ---- the tables of a run ------------------------------------------------------------------------------- */

struct file { struct tl_input in; FILE *f; };

static int64_t read_file(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct file *f = (struct file *)in;
	size_t n = fread(buf, 1, cap, f->f);

	if (n || !ferror(f->f))
		return (int64_t)n;
	tl_fail(err, TL_ERR_IO, "%s: cannot read: %s", in->name, strerror(errno));
	return -1;
}

/* Reads the file, if it is there. */
static void read_sibling(struct reader *r, const char *path)
{
	struct file file = { .in = { .name = path, .read = read_file } };

	file.f = fopen(path, "re");
	if (!file.f && errno == ENOENT)
		return;
	if (!file.f) {
		r->status = tl_fail(&r->error, TL_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
		return;
	}
	read_table(r, &file.in);
	fclose(file.f);
}

/* Which of the tables a file is, by its name; N_TABLES: none. *prefix: the length of what stands before that. */
static size_t table_of(const char *path, size_t *prefix)
{
	size_t len = strlen(path), i = 0;

	for (; i < N_TABLES; i++) {
		size_t n = strlen(tables[i]) + strlen(".csv");
		*prefix = len - n;
		if (len >= n && tl_ends_with(path, ".csv") && !memcmp(path + *prefix, tables[i], strlen(tables[i])) &&
		    (!*prefix || path[*prefix - 1] == '_' || path[*prefix - 1] == '/'))
			break;
	}
	return i;
}

static void read_run(struct reader *r, struct tl_input *in)
{
	size_t prefix = 0, own = in->path ? table_of(in->path, &prefix) : N_TABLES;

	for (size_t i = 0; own < N_TABLES && !r->status && i < N_TABLES; i++) {
		char *path = tl_strdupf("%.*s%s.csv", (int)prefix, in->path, tables[i]);
		if (i == own)
			read_table(r, in);
		else
			read_sibling(r, path);
		free(path);
	}
	if (own == N_TABLES)
		read_table(r, in);
	if (!r->status && !r->has_device_table)
		r->status = tl_fail(&r->error, TL_ERR_DATA, "no kernels and no copies: a trace needs kernel_trace.csv or memory_copy_trace.csv of its run, "
		                    "which rocprofv3 --sys-trace --output-format csv -- COMMAND writes%s",
		                    own == N_TABLES ? "; it is looked for beside a plain file that has the name rocprofv3 gave it" : "");
}

/* Is it a header line? Without quotes, as spreadsheets write it, its first column has to be known. */
static enum tl_match match_csv(const unsigned char *first, size_t len)
{
	struct tl_memory_input m = tl_memory_input("", first, len);
	size_t begin = len >= 3 && !memcmp(first, "\xef\xbb\xbf", 3) ? 3 : 0, end = begin;
	struct tl_csv csv = { .in = &m.in };
	struct columns columns;

	while (end < len && (tl_in_name((char)first[end]) || first[end] == '"' || first[end] == ','))
		end++;
	bool whole = end < len && (first[end] == '\n' || (first[end] == '\r' && (end + 1 == len || first[end + 1] == '\n')));
	if ((end < len && !whole) || begin == len)
		return TL_MATCH_NO;
	if (!whole && first[begin] == '"')
		return TL_MATCH_MORE;
	m.len = end;
	bool is = take_header(&csv, &columns, NULL, NULL) && (first[begin] == '"' || columns.items[0].role != OTHER);
	tl_csv_release(&csv);
	return !is ? TL_MATCH_NO : !whole ? TL_MATCH_MORE : columns.form ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status read_csv(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                               struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "rocprofv3", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->make.keep_ranges = options->keep_ranges;
	r->report = report;
	r->status = tl_maker_begin(&r->make, sink, report, &header, &r->error);
	if (!r->status)
		read_run(r, in);
	TL_EACH_OF(struct tl_process, p, r->processes.items, r->processes.n) {
		tl_process_describe(&r->make, p);
		tl_process_release(p);
	}
	if (!r->status)
		r->status = tl_push_members(&r->make, &r->error);
	enum tl_status st = r->status;
	if (st && err)
		*err = r->error;
	report->lenient_helps &= st && !options->lenient;
	tl_maker_release(&r->make);
	TL_KEYED_RELEASE(&r->processes);
	tl_strtab_release(&r->headers);
	tl_map_release(&r->gpus);
	tl_buf_release(&r->text);
	free(r->agents);
	free(r->gpu_agents);
	free(r);
	return st;
}

const struct tl_reader tl_reader_rocprofv3_csv = { "rocprofv3's tables", match_csv, read_csv };
