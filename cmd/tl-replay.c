/* tl-replay.c - operators of a trace as benchmarks that run without the model: command lines of libraries' tools,
 * programs that need PyTorch only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/args.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/replay_files.h"
#include "job/op_rows.h"
#include "replay/recorded_op.h"
#include "table/table_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much of a group's time its operators have to make, as in TraceLens. */
#define SHARE 0.99

static const char *sheets, *folder = "node_replay", *results, *device = "cuda";
static struct tl_opt_list ops, uids, schema_files;
static bool run, crossing, records, lenient;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'd', "output-dir", "DIR", "write the files to this folder (node_replay)", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "sheets", "DIR", "read no trace but gemm.tsv and conv.tsv, as tl-multi makes them", TL_OPT_TEXT, &sheets, 0, 0, NULL },
	{ 0, "crossing", NULL, "also the operator with which 99 % of the time are reached", TL_OPT_FLAG, &crossing, 0, 0, NULL },
	{ 0, "run", NULL, "run them with the tools that are there; write sheets of the times", TL_OPT_FLAG, &run, 0, 0, NULL },
	{ 0, "device", "NAME", "with --run, the device of PyTorch: cuda (also for ROCm; the default), cuda:N or cpu", TL_OPT_TEXT, &device, 0, 0, NULL },
	{ 0, "output_tsvs_dir", "DIR", "write the sheets to this folder instead", TL_OPT_TEXT, &results, 0, 0, NULL },
	{ 0, "op", "NAME[,NAME]...", "a script for each call of these operators that differs, to -o or standard output", TL_OPT_CALL, &ops, 0, 0, tl_add_names },
	{ 0, "uid", "N[,N]...", "the same for the events with these UIDs", TL_OPT_CALL, &uids, 0, 0, tl_add_names },
	{ 0, "ir", NULL, "with these two, portable records (JSON lines) instead of a script", TL_OPT_FLAG, &records, 0, 0, NULL },
	{ 0, "schemas", "FILE", "declarations of more operators; may be repeated", TL_OPT_LIST, &schema_files, 0, 0, NULL },
	TL_LENIENT_OPTION(&lenient),
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-replay",
	.synopsis = "[OPTION]... [FILE]... | --op NAME [OPTION]... [FILE]",
	.purpose = "operators of a trace as benchmarks that run without the model",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read. Several are the ranks of a job.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE,
	.c = &common,
};

static struct tl_replay_tables tables;

static void read_tables(void)
{
	struct tl_error err;
	size_t len;

	tl_replay_tables_read(&tables);
	for (size_t i = 0; i < schema_files.n; i++) {
		char *text = tl_read_file(schema_files.items[i], 16 << 20, &len);
		if (tl_replay_schemas_add(&tables, schema_files.items[i], text, len, &err))
			tl_die("%s", err.text);
		free(text);
	}
}

static struct tl_trace *load(const char *path)
{
	struct tl_load_options o = { .path = path, .lenient = lenient, .notes = true, .verbose = common.verbose };

	return tl_load_trace(&o);
}

/* ---- the operators of groups ---------------------------------------------------------------------- */

enum { GROUPS = 2 };
static struct tl_replay_group groups[GROUPS] = { { .name = "gemm", .what = "products of matrices" },
	{ .name = "conv", .what = "convolutions", .convolution = true } };
static struct tl_sheet_sum sums[TL_OP_GROUPS]; /* by group of op_groups */

/* Adds the operators of a trace to those of the traces before. */
static void add_trace(const char *path, const struct tl_op_groups *op_groups)
{
	struct tl_trace *t = load(path);
	struct tl_op_rows_left left;
	struct tl_error err;

	if (tl_op_rows_add(sums, t, tl_op_tables(), op_groups, &left, &err))
		tl_die_error(tl_input_name(path), &err);
	tl_trace_free(t);
}

static struct tl_table *sheet_of_traces(size_t k, const struct tl_op_groups *op_groups)
{
	for (size_t g = 0; g < op_groups->n_groups[TL_GROUP_SHEET]; g++)
		if (!strcmp(op_groups->groups[TL_GROUP_SHEET][g], groups[k].name))
			return tl_op_rows_sheet(&sums[g]);
	return NULL;
}

/* NULL: the folder has no such sheet. */
static struct tl_table *sheet_of_folder(size_t k, struct tl_strtab *strings)
{
	char *path = tl_sheet_path(sheets, groups[k].name);
	struct tl_table *t = NULL;
	struct tl_error err;

	if (!access(path, F_OK)) {
		struct tl_input *in = tl_open_input(path);
		if (tl_tsv_read_table(in, strings, &(struct tl_tsv_columns){ NULL, NULL, tl_replay_column_type }, &t, &err))
			tl_die_error(path, &err);
		tl_close_input(in);
	}
	free(path);
	return t;
}

static void fill_group(struct tl_replay_group *g, const struct tl_table *sheet)
{
	struct tl_replay_row *rows;
	struct tl_error err;

	if (!sheet)
		return;
	if (tl_replay_rows_select(sheet, SHARE, crossing, &rows, &g->n, &err))
		tl_die_error(g->name, &err);
	g->items = tl_alloc((g->n + 1) * sizeof *g->items);
	for (size_t i = 0; i < g->n; i++)
		tl_replay_item_make(&g->items[i], &rows[i], g->convolution, &tables);
	double share = g->n ? rows[g->n - 1].share : (double)NAN;
	tl_tell("%s: %zu of %zu, which take %.1f %% of their time", g->what, g->n, sheet->n_rows, share * 100);
	free(rows);
}

static void write_results(struct tl_replay_group *g)
{
	struct tl_strtab strings = { 0 };
	struct tl_replay_row *rows = tl_alloc((g->n + 1) * sizeof *rows);
	struct tl_sheet_files files = { .folder = results };
	struct tl_buf name = { 0 };

	for (size_t i = 0; i < g->n; i++)
		rows[i] = g->items[i].row;
	struct tl_table *t = tl_replay_sheet(g->name, rows, g->n, &strings);
	tl_buf_addf(&name, "%s_node_replay", g->name);
	tl_sheet_files_write(&files, name.data, t);
	tl_rename_outputs();
	tl_sheet_files_release(&files);
	tl_buf_release(&name);
	tl_table_free(t);
	tl_strtab_release(&strings);
	free(rows);
}

/* What was made, in the words of a note. */
static void say_what_is_there(void)
{
	if (!groups[0].n && !groups[1].n)
		tl_warn("no products of matrices and no convolutions with recorded shapes: there is nothing to run again");
	else if (!run)
		tl_note("%s has %zu products of matrices and %zu convolutions to run again; --run runs them", folder, groups[0].n, groups[1].n);
}

static void replay_groups(char **operands, size_t n)
{
	struct tl_table *tables_of[GROUPS];
	struct tl_op_groups op_groups;
	struct tl_strtab strings = { 0 };

	tl_op_groups_read(&op_groups);
	for (size_t i = 0; !sheets && i < (n ? n : 1); i++)
		add_trace(n ? operands[i] : NULL, &op_groups);
	for (size_t k = 0; k < GROUPS; k++) {
		tables_of[k] = sheets ? sheet_of_folder(k, &strings) : sheet_of_traces(k, &op_groups);
		fill_group(&groups[k], tables_of[k]);
	}
	tl_replay_files_write(folder, groups, GROUPS, &tables);
	say_what_is_there();
	if (run) {
		tl_make_folder(results);
		tl_replay_run(groups, GROUPS, folder, device);
	}
	for (size_t k = 0; k < GROUPS; k++) {
		if (run && groups[k].n)
			write_results(&groups[k]);
		for (size_t i = 0; i < groups[k].n; i++)
			tl_replay_item_release(&groups[k].items[i]);
		free(groups[k].items);
		tl_table_free(tables_of[k]);
	}
	for (size_t g = 0; g < TL_OP_GROUPS; g++)
		tl_sheet_sum_release(&sums[g]);
	tl_strtab_release(&strings);
	tl_op_groups_release(&op_groups);
}

/* ---- single operators ------------------------------------------------------------------------------- */

/* Calls with the same name and arguments. */
struct calls { const char *name, *args[4]; size_t count; };
static struct calls *calls;
static size_t n_calls, cap_calls;
static struct tl_strtab seen;  /* the texts of calls[id - 1], one after the other */

struct wanted { uint64_t *uids; size_t n; };

static bool is_wanted(const struct tl_ev *e, const char *name, const struct wanted *w)
{
	for (size_t i = 0; i < ops.n; i++)
		if (!strcmp(name, ops.items[i]))
			return true;
	for (size_t i = 0; i < w->n; i++)
		if (e->uid == w->uids[i])
			return true;
	return false;
}

static void add_call(const char *name, const char *const args[4])
{
	struct tl_buf key = { 0 };

	tl_buf_adds(&key, name);
	for (size_t i = 0; i < 4; i++) {
		tl_buf_addc(&key, '\n');
		tl_buf_adds(&key, args[i] ? args[i] : "");
	}
	uint32_t id = tl_intern(&seen, key.data, key.len);
	tl_buf_release(&key);
	if (id > n_calls) {
		TL_GROW(calls, cap_calls, n_calls + 1);
		calls[n_calls++] = (struct calls){ name, { args[0], args[1], args[2], args[3] }, 0 };
	}
	calls[id - 1].count++;
}

static void find_calls(struct tl_trace *t, const struct wanted *w)
{
	static const char *const keys[] = { TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS };
	struct tl_arg_cells cells = { .trace = t, .as_lists = true };
	struct tl_arg members[4];

	for (size_t i = 0; i < 4; i++)
		tl_arg_init(&members[i], t, keys[i]);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const char *name = tl_str(&t->strings, t->events[i].name), *args[4];
		if (t->events[i].kind != TL_KIND_CPU_OP || !is_wanted(&t->events[i], name, w))
			continue;
		for (size_t k = 0; k < 4; k++) {
			struct tl_cell c = tl_arg_cell(&cells, &members[k], i);
			args[k] = c.type == TL_CELL_TEXT ? tl_str(&t->strings, c.text) : NULL;
		}
		add_call(tl_str(&t->strings, t->events[i].name), args);
	}
	for (size_t i = 0; i < 4; i++)
		tl_arg_release(&members[i]);
	tl_arg_cells_release(&cells);
}

/* Appends the records of all calls; notes those without. */
static void write_records(struct tl_buf *lines)
{
	struct tl_arena arena = { 0 };

	for (size_t i = 0; i < n_calls; i++) {
		const struct calls *c = &calls[i];
		struct tl_recorded_op op;
		struct tl_error err;
		if (tl_recorded_op_read(&op, &arena, c->name, c->args[0], c->args[1], c->args[2], c->args[3], &err) ||
		    tl_replay_ir_write(lines, &op, &tables, c->count, &err))
			tl_warn("%s, %zu times: left out: %s", c->name, c->count, err.text);
		else
			tl_buf_addc(lines, '\n');
		tl_arena_clear(&arena);
	}
	tl_arena_release(&arena);
}

static void read_uids(struct wanted *w)
{
	w->uids = tl_alloc((uids.n + 1) * sizeof *w->uids);
	for (w->n = 0; w->n < uids.n; w->n++) {
		char *end;
		w->uids[w->n] = strtoull(uids.items[w->n], &end, 10);
		if (*end || end == uids.items[w->n])
			tl_usage("--uid expects a number, not '%s'", uids.items[w->n]);
	}
}

static void replay_events(const char *path)
{
	struct tl_buf lines = { 0 }, script = { 0 };
	struct wanted w;

	read_uids(&w);
	struct tl_trace *t = load(path);
	find_calls(t, &w);
	if (!n_calls)
		tl_die("%s: no operator has such a name or UID", tl_input_name(path));
	write_records(&lines);
	if (!lines.len)
		tl_die("%s: none of these operators can be run again", tl_input_name(path));
	if (!records)
		tl_torch_script_write(&script, "operators of a trace", lines.data, &tables);
	tl_write_text(common.output, records ? &lines : &script);
	tl_buf_release(&lines);
	tl_buf_release(&script);
	tl_strtab_release(&seen);
	free(calls);
	free(w.uids);
	tl_trace_free(t);
}

/* ---- main ------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	bool events = ops.n || uids.n;

	if (events && (run || sheets || crossing))
		tl_usage("--op and --uid do not go with --run, --sheets and --crossing");
	if (events && n > 1)
		tl_usage("--op and --uid expect one trace, %d given", n);
	if (!events && (records || common.output))
		tl_usage("%s needs --op or --uid", records ? "--ir" : "-o");
	if (sheets && n)
		tl_usage("--sheets does not go with a trace");
	if (results && !run)
		tl_usage("--output_tsvs_dir needs --run");
	if (!results)
		results = folder;
	read_tables();
	if (events)
		replay_events(n ? operands[0] : NULL);
	else
		replay_groups(operands, (size_t)n);
	tl_replay_tables_release(&tables);
	return 0;
}
