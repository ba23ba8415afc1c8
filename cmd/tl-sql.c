/* tl-sql.c - traces and sheets as a database, and questions to them in SQL.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/filter.h"
#include "cli/programs.h"
#include "cli/rank_traces.h"
#include "cli/sheet_form.h"
#include "sql/event_tables.h"
#include "sql/query.h"
#include "work/device_events.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_QUERY (1 << 20)

static const char sheets_program[] = "tl-sheets";

static struct tl_opt_list sheets;
static const char *of_sheets, *query_file;
static bool events;
static int64_t timeout;
static struct tl_load_options load;
static struct tl_common common;
static struct tl_opt_list for_sheets; /* --NAME=ARG: what decides what is in sheets, too */

static void pass_on(const struct tl_opt *o, const char *arg)
{
	static const char *const names[] = { "lenient", "communication", "step-marker", "device", "rank", "keep-times", NULL };

	if (tl_is_one_of(names, o->long_name))
		TL_PUSH(for_sheets.items, for_sheets.n, for_sheets.cap, tl_strdupf("--%s%s%s", o->long_name, arg ? "=" : "", arg ? arg : ""));
}

static const struct tl_opt options[] = {
	{ 0, "events", NULL, "with --sheets: the tables of events, too", TL_OPT_FLAG, &events, 0, 0, NULL },
	{ 0, "sheets", "LIST", "only these sheets (names separated by commas), or none", TL_OPT_CALL, &sheets, 0, 0, tl_add_names },
	{ 'f', "file", "FILE", "read the query from FILE", TL_OPT_TEXT, &query_file, 0, 0, NULL },
	{ 0, "timeout", "SECONDS", "give up a query after this time", TL_OPT_INT, &timeout, 1, 1 << 20, NULL },
	{ 0, "of-sheets", "FILE", "write the sheets that are the operands, [NAME=]FILE.tsv, to the database FILE", TL_OPT_TEXT, &of_sheets, 0, 0, NULL },
	TL_FORM_OPTIONS,
	TL_LENIENT_OPTION(&load.lenient),
	TL_COMMUNICATION_OPTION,
	TL_STEP_MARKER_OPTION,
	{ .long_name = NULL },
};
static const struct tl_opt *const more[] = { tl_part_options, NULL };
static const struct tl_opt_need needs[] = {
	{ "events", "sheets", "of-sheets" }, { "file", NULL, "of-sheets events sheets" }, { "of-sheets", NULL, "output sheets" }, { .option = NULL }
};

static const struct tl_program program = {
	.name = "tl-sql",
	.synopsis = "[OPTION]... [TRACE]... QUERY | [OPTION]... -o FILE.db TRACE... | --of-sheets FILE.db SHEET...",
	.purpose = "ask traces and sheets in SQL, or make a database of them",
	.detail =
		"TRACE is a raw trace, an event stream or a database that tl-sql has made; without it, or with -, "
		"standard input is read.\n\n"
		"Examples:\n"
		"  tl-sql trace.json.gz 'SELECT name, sum(dur) FROM kernel GROUP BY name'\n"
		"  tl-sql -o trace.db trace.json.gz   then sqlite3, pandas, DuckDB ...\n\n"
		"tl-sql(5) lists tables and columns.",
	.options = options, .more = more, .common = TL_COMMON_OUTPUT, .c = &common, .needs = needs, .seen = pass_on,
};

static void check(const struct tl_sql *s)
{
	struct tl_error err;

	if (tl_sql_status(s, &err))
		tl_die("%s", err.text);
}

/* ---- the parts of a database ---------------------------------------------------------------------- */

static struct tl_trace *load_trace(const char *path)
{
	load.path = path;
	load.drop_kinds = 1u << TL_KIND_META;
	load.all_frames = load.any_tree = load.instants = load.counters = load.counter_events = true;
	struct tl_trace *t = tl_load_trace(&load);
	tl_mark_work(t, tl_communication_rules(), NULL, NULL);
	return t;
}

/* Frees the trace. */
static void add_trace(struct tl_sql *s, struct tl_trace *t, const char *path, int64_t number, const struct tl_sql_parts *parts)
{
	struct tl_rank_regex *regex = tl_rank_regex_new("", TL_RANK_REGEX);

	tl_sql_add_trace(s, t, &(struct tl_sql_trace){ number, path, tl_rank_of_path(regex, path), tl_kernel_category_rules(), *parts });
	check(s);
	tl_trace_free(t);
	tl_rank_regex_free(regex);
}

static void add_sheet(struct tl_sql *s, int64_t trace, const char *name, const char *path)
{
	struct tl_input *in = tl_open_input(path);

	tl_sql_add_sheet(s, trace, name, in);
	check(s);
	tl_close_input(in);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Sheets of a trace, while tl-sheets makes them. */
struct sheets_made { const char *folder; pid_t pid; };

/* Makes the sheets of these names, all of the report for NULL. */
static struct sheets_made start_sheets(const char *path, const char *names)
{
	struct sheets_made made = { .folder = tl_make_scratch_folder(program.name) };
	const char **argv = tl_calloc(for_sheets.n + 10, sizeof *argv);
	size_t n_words = 0;

	if (!strcmp(path, "-"))
		tl_usage("sheets of standard input cannot be made: name a file, or --sheets none");
	argv[n_words++] = sheets_program;
	argv[n_words++] = "-q";
	argv[n_words++] = "-d";
	argv[n_words++] = made.folder;
	for (size_t i = 0; i < for_sheets.n; i++)
		argv[n_words++] = for_sheets.items[i];
	if (names) {
		argv[n_words++] = "--sheets";
		argv[n_words++] = names;
	}
	argv[n_words++] = "--";
	argv[n_words] = path;
	made.pid = tl_start_program(argv);
	free(argv);
	return made;
}

/* Waits for them, and adds those that the trace gives. */
static void add_sheets(struct tl_sql *s, struct sheets_made made, int64_t trace)
{
	struct dirent **files;

	tl_finish_program(made.pid, sheets_program);
	int n = scandir(made.folder, &files, NULL, by_name);
	if (n < 0)
		tl_die("%s: %s", made.folder, errno == ENOMEM ? "out of memory" : strerror(errno));
	for (int i = 0; i < n; i++) {
		size_t len = strlen(files[i]->d_name);
		if (len > 4 && files[i]->d_name[0] != '.' && !strcmp(files[i]->d_name + len - 4, ".tsv")) {
			char *file = tl_join_path(made.folder, files[i]->d_name), *name = tl_strndup(files[i]->d_name, len - 4);
			add_sheet(s, trace, name, file);
			free(file);
			free(name);
		}
		free(files[i]);
	}
	free(files);
	tl_remove_scratch(made.folder);
}

static char *names_of(const struct tl_opt_list *l)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < l->n; i++)
		tl_buf_addf(&b, "%s%s", i ? "," : "", l->items[i]);
	return b.data;
}

/* ---- a file ------------------------------------------------------------------------------------------ */

static void make_file(const char *to, void (*fill)(struct tl_sql *, char **, int), char **operands, int n)
{
	struct tl_output *out = tl_open_output(to, true);
	const char *scratch = NULL, *file = tl_output_file(out); /* what has no name cannot be a database while it is made */
	int fd = file ? -1 : tl_open_scratch(program.name, &scratch);
	struct tl_sql *s = tl_sql_new(file ? file : scratch);

	fill(s, operands, n);
	tl_sql_finish(s);
	check(s);
	tl_sql_free(s);
	if (!file) {
		tl_copy_out(fd, out);
		tl_remove_scratch(scratch);
	}
	tl_close_output(out);
}

static void fill_from_traces(struct tl_sql *s, char **operands, int n)
{
	bool none = sheets.n == 1 && !strcmp(sheets.items[0], "none");
	char *names = sheets.n && !none ? names_of(&sheets) : NULL;

	for (int i = 0; i < n; i++) {
		struct tl_trace *t = !sheets.n || none || events ? load_trace(operands[i]) : NULL;
		struct sheets_made made = { 0 };
		if (!none) /* beside adding events; only now, so that a damaged trace is told once */
			made = start_sheets(operands[i], names);
		if (t)
			add_trace(s, t, operands[i], i + 1, &(struct tl_sql_parts){ true, true, true, true });
		if (!none)
			add_sheets(s, made, i + 1);
	}
	free(names);
}

static void fill_from_sheets(struct tl_sql *s, char **operands, int n)
{
	for (int i = 0; i < n; i++) {
		char *name = tl_operand_name(operands[i]);
		add_sheet(s, 1, name, tl_operand_file(operands[i]));
		free(name);
	}
}

/* ---- a query ----------------------------------------------------------------------------------------- */

static bool is_sheet(const char *name)
{
	const char *const argv[] = { sheets_program, "--list-sheets", NULL };
	char *line = tl_strdupf("\n%s\t", name);
	struct tl_buf list = { 0 };

	if (tl_program_output((struct tl_process){ .argv = argv }, NULL, &list, NULL))
		tl_end(1); /* it has said why */
	bool is = strstr(tl_buf_text(&list), line);
	tl_buf_release(&list);
	free(line);
	return is;
}

/* A database with what the query reads of the traces. */
static struct tl_sql *database_for(const char *query, char **operands, int n)
{
	struct tl_sql *s = tl_sql_new("");
	struct tl_query_reads reads;
	struct tl_error err;
	char *made = NULL;

	while (tl_query_reads(s, query, &reads, &err)) {
		if (made && reads.missing && !strcmp(made, reads.missing))
			tl_die("no trace gives the sheet %s", made);
		if (!reads.missing || !is_sheet(reads.missing))
			tl_usage("%s", err.text);
		for (int i = 0; i < n; i++)
			add_sheets(s, start_sheets(operands[i], reads.missing), i + 1);
		free(made);
		made = reads.missing;
	}
	free(made);
	tl_sql_plan(s, query);
	for (int i = 0; i < n && reads.events; i++)
		add_trace(s, load_trace(operands[i]), operands[i], i + 1, &reads.parts);
	tl_sql_finish(s);
	check(s);
	return s;
}

static void ask(const char *query, char **operands, int n)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *answer = tl_table_new(&strings, 1, NULL);
	bool made = n == 1 && tl_sql_is_database(operands[0]);
	struct tl_error err;
	struct tl_sql *s = made ? tl_sql_open(operands[0], &err) : database_for(query, operands, n);

	if (!s)
		tl_die_error(operands[0], &err);
	enum tl_status st = tl_query_ask(s, query, timeout, answer, &err);
	if (st == TL_ERR_USAGE)
		tl_usage("%s", err.text);
	if (st)
		tl_die("%s", err.text);
	tl_form_write(common.output, answer, NULL, n == 1 ? operands[0] : NULL);
	tl_table_free(answer);
	tl_strtab_release(&strings);
	tl_sql_free(s);
}

/* ---- main ---------------------------------------------------------------------------------------------- */

/* A query may begin with a comment, which would pass for an option. */
static void skip_comment(int argc, char **argv)
{
	char *last = argc > 1 ? argv[argc - 1] : NULL;

	if (last && last[0] == '-' && last[1] == '-' && strpbrk(last, " \n") && tl_query_is(last))
		memmove(last, tl_query_start(last), strlen(tl_query_start(last)) + 1);
}

int main(int argc, char **argv)
{
	static char dash[] = "-", *standard_input[] = { dash };
	int n;

	tl_speak_as(program.name);
	skip_comment(argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	const char *query = NULL;
	size_t len;

	tl_prepare_communication();
	char *text = query_file ? tl_read_file(query_file, MAX_QUERY, &len) : NULL;
	if (text)
		query = tl_query_start(text);
	else if (!of_sheets && n && tl_query_is(operands[n - 1]) && access(operands[n - 1], F_OK))
		query = tl_query_start(operands[--n]);
	if (!n) {
		operands = standard_input;
		n = 1;
	}
	for (int i = 0; i < n; i++)
		tl_will_read(of_sheets ? tl_operand_file(operands[i]) : operands[i]);
	if (n > TL_SQL_TRACES)
		tl_usage("%d files given, %d fit in a database", n, TL_SQL_TRACES);
	if (query && (sheets.n || events))
		tl_usage("a query makes the sheets that it reads: --sheets and --events are for -o");
	if (!query && (tl_form_is_asked() || tl_tsv_escapes_quotes))
		tl_usage("--format, --rows, --offset and --tsv-quotes are for a query");
	if (query)
		ask(query, operands, n);
	else if (of_sheets)
		make_file(of_sheets, fill_from_sheets, operands, n);
	else if (common.output)
		make_file(common.output, fill_from_traces, operands, n);
	else
		tl_usage("a query, or -o FILE.db");
	free(text);
	return 0;
}
