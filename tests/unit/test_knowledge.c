/* test_knowledge.c - the tables of lib: each is read without a mistake, and a line of it that is cut short
 * is a mistake with file and line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "vectors.h"

#include "work/name_rules.h"
#include "work/setup_names.h"
#include "job/op_groups.h"
#include "perf/arch.h"
#include "perf/perf.h"
#include "job/node_log.h"
#include "base/memory_io.h"
#include "model/stream.h"
#include "readers/chrome_held.h"
#include "readers/chrome_writers.h"
#include "readers/ranges.h"
#include "readers/counter_names.h"
#include "readers/closed_formats.h"
#include "readers/perfetto.h"
#include "readers/sqlite.h"
#include "replay/replay_tables.h"
#include "edit/rewrite.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 60 }; /* of a table, which are cut */
#define HEADER "name\tdevice" /* of arch.tsv: without it other lines are the mistakes */

typedef enum tl_status reader(const char *file, const char *text, size_t len, struct tl_error *err);

static enum tl_status read_op_groups(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_op_groups t = { 0 };
	enum tl_status st = tl_op_groups_add(&t, file, text, len, err);

	tl_op_groups_release(&t);
	return st;
}

static enum tl_status read_bench_types(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_replay_tables t = { 0 };
	enum tl_status st = tl_bench_types_add(&t, file, text, len, err);

	tl_replay_tables_release(&t);
	return st;
}

static enum tl_status read_bench_gemms(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_replay_tables t = { 0 };
	enum tl_status st = tl_bench_gemms_add(&t, file, text, len, err);

	tl_replay_tables_release(&t);
	return st;
}

static enum tl_status read_schemas(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_replay_tables t = { 0 };
	enum tl_status st = tl_replay_schemas_add(&t, file, text, len, err);

	tl_replay_tables_release(&t);
	return st;
}

static enum tl_status read_edits(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rules *rules = tl_rules_new();
	enum tl_status st = tl_rules_add(rules, file, text, len, err);

	tl_rules_free(rules);
	return st;
}

static enum tl_status read_models(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_registry *r;
	struct tl_table_text t = { file, text, len };
	enum tl_status st = tl_registry_new(&r, false, &t, 1, err);

	tl_registry_free(r);
	return st;
}

static enum tl_status read_names(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_name_rules *rules = tl_name_rules_new(TL_NO_RULES), *work = tl_name_rules_new(TL_KERNEL_WORK);
	tl_name_rules_ask(rules, work);
	enum tl_status st = tl_name_rules_add(rules, file, text, len, err);

	tl_name_rules_free(rules);
	tl_name_rules_free(work);
	return st;
}

static enum tl_status read_kinds(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_name_rules *rules = tl_name_rules_new(TL_KERNEL_KINDS);
	enum tl_status st = tl_name_rules_add(rules, file, text, len, err);

	tl_name_rules_free(rules);
	return st;
}

static enum tl_status read_setup_names(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_setup_names names = { 0 };
	enum tl_status st = tl_setup_names_read(&names, file, text, len, err);

	tl_setup_names_release(&names);
	return st;
}

/* All others are rules about names. */
static const struct { const char *file; reader *read; } readers[] = {
	{ "op-groups.tsv", read_op_groups }, { "bench-types.tsv", read_bench_types },
	{ "bench-gemms.tsv", read_bench_gemms }, { "op-schemas.tsv", read_schemas }, { "arch.tsv", tl_arch_check }, { "arch-sm.tsv", tl_arch_check },
	{ "closed-formats.tsv", tl_closed_formats_check }, { "chrome-writers.tsv", tl_chrome_writers_check },
	{ "chrome-kinds.tsv", tl_chrome_kinds_check }, { "chrome-fields.tsv", tl_chrome_fields_check },
	{ "range-classes.tsv", tl_range_classes_check }, { "range-lists.tsv", tl_range_lists_check },
	{ "counter-units.tsv", tl_counter_units_check },
	{ "nsys-tables.tsv", tl_nsys_tables_check }, { "nccl-calls.tsv", tl_nccl_calls_check }, { "perfetto-names.tsv", tl_pf_names_check },
	{ "pseudo-ops.tsv", read_edits }, { "models.tsv", read_models }, { "ops.tsv", read_models },
	{ "more-ops.tsv", read_models }, { "node-log-words.tsv", tl_node_log_check }, { "setup-names.tsv", read_setup_names },
	{ "kernel-kinds.tsv", read_kinds },
};

static char *read_text(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n = f ? getdelim(&text, &cap, 0, f) : -1;

	*len = n < 0 ? 0 : (size_t)n;
	if (f)
		fclose(f);
	return text;
}

/* Is it a mistake of this line, the bytes from `from` to `to`, if it ends behind its first word? */
static bool is_mistake(reader *read, const char *file, const char *text, size_t len, size_t from, size_t to, unsigned number)
{
	struct tl_error err = { 0 };
	char place[100], *cut = malloc(len + 1);
	size_t first = strcspn(text + from, "\t\n ") + from;

	memcpy(cut, text, first);
	memcpy(cut + first, text + to, len - to);
	snprintf(place, sizeof place, "%s:%u:", file, number);
	bool told = read(file, cut, len - (to - first), &err) == TL_ERR_DATA && !strncmp(err.text, place, strlen(place));
	if (!told)
		printf("%s without \"%.*s\": %s\n", place, (int)(to - first), text + first, err.text);
	free(cut);
	return told;
}

static void check_table(const char *path)
{
	const char *file = strrchr(path, '/') + 1;
	reader *read = read_names;
	struct tl_error err = { 0 };
	size_t len, at = 0, n = 0, told = 0;
	char *text = read_text(path, &len), title[200];
	unsigned number = 0;

	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (!strcmp(readers[i].file, file))
			read = readers[i].read;
	snprintf(title, sizeof title, "%s has no mistakes", file);
	check(title, text && read(file, text, len, &err) == TL_OK);
	fputs(err.text, stdout);
	for (size_t to; at < len && n < MOST_LINES; at = to + 1) {
		to = at + strcspn(text + at, "\n");
		number++;
		if (to == at || strchr("#\t ", text[at]) || !strncmp(text + at, HEADER, strlen(HEADER)))
			continue;
		n++;
		told += is_mistake(read, file, text, len, at, to, number);
	}
	snprintf(title, sizeof title, "%s: each of %zu lines that end with their first word is a mistake of this line", file, n);
	check(title, n && told == n);
	free(text);
}

/* A table is as long as it is: the mistake in its last line is found. */
static void long_table(void)
{
	struct tl_buf b = { 0 };
	struct tl_error err = { 0 };

	tl_buf_adds(&b, "name\tmem_bw_gbps\n");
	for (int i = 0; i < 1000; i++)
		tl_buf_addf(&b, "gpu%d\t1\n", i);
	check("1000 architectures", tl_arch_check("t", b.data, b.len, &err) == TL_OK);
	tl_buf_adds(&b, "last\tfast\n");
	check("the mistake of the last is told", tl_arch_check("t", b.data, b.len, &err) == TL_ERR_DATA &&
	      !strcmp(err.text, "t:1002: mem_bw_gbps: expected a positive number, found fast"));
	tl_buf_release(&b);
}

/* ---- examples of closed-formats.tsv ------------------------------------------------------ */

/* The bytes of a cell: \xNN, and \0*N for N bytes of 0. */
static void take_cell(struct tl_buf *out, const char *s)
{
	for (char *end; *s; s = end) {
		end = (char *)s + 1;
		if (s[0] == '\\' && s[1] == '0') {
			for (long n = strtol(s + 3, &end, 10); n > 0; n--)
				tl_buf_addc(out, '\0');
			end++;
		} else if (s[0] == '\\') {
			char digits[3] = { s[2], s[3], 0 };
			tl_buf_addc(out, (char)strtol(digits, NULL, 16));
			end = (char *)s + 4;
		} else
			tl_buf_addc(out, *s);
	}
}

/* Is the name one of those in a cell with commas between them? */
static bool is_in_cell(const void *cell, const char *name, size_t len)
{
	for (const char *s = cell, *cut; s; s = cut ? cut + 1 : NULL) {
		cut = strchr(s, ',');
		if ((cut ? (size_t)(cut - s) : strlen(s)) == len && !memcmp(s, name, len))
			return true;
	}
	return false;
}

static bool is_told_so(void *unused, char **cells)
{
	static const char *const kinds[] = { "tables", "members", "keys" };
	struct tl_buf first = { 0 }, said = { 0 };
	bool by_names = false, known = false;

	(void)unused;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(cells[0], kinds[i], strlen(kinds[i])) && cells[0][strlen(kinds[i])] == ' ') {
			by_names = true;
			known = tl_closed_by_names(kinds[i], is_in_cell, cells[2], &said);
		}
	take_cell(&first, cells[2]);
	if (by_names ? !known : !tl_closed_format(cells[1], (const unsigned char *)first.data, first.len, &said))
		tl_buf_adds(&said, "-");
	bool so = !strcmp(said.data, cells[3]);
	if (!so)
		printf("%s: %s, expected %s\n", cells[0], said.data, cells[3]);
	tl_buf_release(&first);
	tl_buf_release(&said);
	return so;
}

/* ---- examples of chrome-writers.tsv --------------------------------------------------------- */

static bool is_written_so(void *unused, char **cells)
{
	static const char *const kinds[] = { "process=", "thread=", "pid=", "category=", "argument=", "metadata=" };
	struct tl_chrome_writers w = { 0 };
	char *rest = cells[1];

	(void)unused;
	for (char *sign; (sign = strsep(&rest, "|"));)
		for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strncmp(sign, kinds[k], strlen(kinds[k])))
				tl_chrome_writers_see(&w, (enum tl_writer_sign)k, strchr(sign, '=') + 1, strlen(strchr(sign, '=') + 1));
	bool so = !strcmp(w.found ? w.found->writer : "-", cells[2]) && (!w.found || !w.found->hint) == !strcmp(cells[3], "read");
	if (!so)
		printf("%s: %s, expected %s %s\n", cells[0], w.found ? w.found->writer : "-", cells[2], cells[3]);
	tl_chrome_writers_release(&w);
	return so;
}

/* ---- examples of counter-units.tsv ---------------------------------------------------------- */

/* The name of a counter; what it is without the unit, the unit, the device (-: none). */
static bool is_counter_so(void *unused, char **cells)
{
	struct tl_counter_name n = tl_counter_name(cells[1], strlen(cells[1]));
	char device[24];

	(void)unused;
	snprintf(device, sizeof device, n.device < 0 ? "-" : "%lld", (long long)n.device);
	bool so = tl_text_is(n.name, n.len, cells[2]) && tl_text_is(n.unit_len ? n.unit : "-", n.unit_len ? n.unit_len : 1, cells[3]) &&
		!strcmp(device, cells[4]);
	if (!so)
		printf("%s: %.*s, %.*s, %s\n", cells[1], (int)n.len, n.name, (int)n.unit_len, n.unit, device);
	return so;
}

/* ---- examples of chrome-kinds.tsv and chrome-fields.tsv ------------------------------------- */

/* What stands in front of an event so that its trace is one of the writer. */
static const struct { const char *writer, *sign; } signs[] = {
	{ "ascend", "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":99,\"args\":{\"name\":\"CANN\"}}" },
	{ "onnxruntime", "{\"ph\":\"X\",\"cat\":\"Node\",\"args\":{\"provider\":\"\"}}" },
	{ "jax", "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":98,\"args\":{\"name\":\"/device:GPU:9\"}},"
	         "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":98,\"tid\":1,\"args\":{\"name\":\"XLA Ops\"}}" },
	{ "tensorflow", "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":99,\"args\":{\"name\":\"/job:\"}}" },
	{ "unitrace", "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":99,\"args\":{\"name\":\"HOST<\"}}" },
};

/* Adds the event that signs with | between them tell: of its process, its thread, members, and arguments. */
static void add_shaped(struct tl_buf *json, char *rest)
{
	struct tl_buf members = { 0 }, args = { 0 };

	for (char *sign, *value; (sign = strsep(&rest, "|")) && (value = strchr(sign, '='));) {
		const char *quote = *++value == '[' ? "" : "\"";
		value[-1] = '\0';
		if (!strcmp(sign, "process") || !strcmp(sign, "thread"))
			tl_buf_addf(json, ",{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":1,\"tid\":3,\"args\":{\"name\":\"%s\"}}", sign, value);
		else if (!strcmp(sign, "cat") || !strcmp(sign, "name") || !strcmp(sign, "ph"))
			tl_buf_addf(&members, ",\"%s\":\"%s\"", sign, value);
		else
			tl_buf_addf(&args, "%s\"%s\":%s%s%s", args.len ? "," : "", sign, quote, value, quote);
	}
	tl_buf_addf(json, ",{\"ph\":\"X\"%s,\"pid\":1,\"tid\":3,\"ts\":5,\"dur\":2,\"args\":{%s}}]", tl_buf_text(&members), tl_buf_text(&args));
	tl_buf_release(&members);
	tl_buf_release(&args);
}

/* Is each word, parted by |, a cell of the last event in the text of a stream, or none if it begins with !? */
static bool has_cells(const char *stream, char *words)
{
	const char *last = stream;
	bool so = true;

	for (const char *at = stream; (at = strstr(at, "\nevent\t")); at++)
		last = at;
	for (char *word; (word = strsep(&words, "|")) && so;) {
		struct tl_buf cell = { 0 };
		tl_buf_addf(&cell, "\t%s", word + (*word == '!'));
		const char *at = strstr(last, cell.data);
		so = (at && strchr("\t\n", at[cell.len])) == (*word != '!');
		tl_buf_release(&cell);
	}
	return so;
}

static bool is_shaped_so(void *unused, char **cells)
{
	struct tl_memory_output c = tl_memory_output("test");
	struct tl_sink *s = tl_text_writer_new(&c.out);
	struct tl_read_options o = { .lenient = false };
	struct tl_read_report report;
	struct tl_buf json = { 0 };
	struct tl_error err;

	(void)unused;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (!strncmp(cells[0], signs[i].writer, strlen(signs[i].writer)))
			tl_buf_addf(&json, "[%s", signs[i].sign);
	add_shaped(&json, cells[1]);
	struct tl_memory_input m = tl_memory_input("test", json.data, json.len);
	bool so = !tl_read(&m.in, &o, s, &report, &err) && has_cells(c.text.data, cells[2]);
	if (!so)
		printf("%s: %s\n%s", cells[0], json.data, tl_buf_text(&c.text));
	tl_text_writer_free(s);
	tl_buf_release(&c.text);
	tl_buf_release(&json);
	return so;
}

/* ---- examples of nsys-tables.tsv ---------------------------------------------------------- */

static bool is_table_so(void *unused, char **cells)
{
	char rows[100];
	bool so;

	(void)unused;
	so = tl_nsys_table(cells[1], rows, sizeof rows) ? !strcmp(rows, cells[2]) : !strcmp("-", cells[2]);
	if (!so)
		printf("%s: %s, expected %s\n", cells[1], rows, cells[2]);
	return so;
}

/* ---- examples of nccl-calls.tsv ----------------------------------------------------------- */

static bool is_call_so(void *unused, char **cells)
{
	char words[100] = "-";
	bool so;

	(void)unused;
	tl_nccl_call(cells[1], words, sizeof words);
	so = !strcmp(words, cells[2]);
	if (!so)
		printf("%s: %s, expected %s\n", cells[1], words, cells[2]);
	return so;
}

/* ---- examples of perfetto-names.tsv ------------------------------------------------------- */

/* Is it so where of the event only this holds, WHAT=TEXT? */
static bool holds_where(const struct tl_pf_where *w, const char *given)
{
	static const char *const signs[] = { "", "name", "stage", NULL };
	const char *sign = w->how == TL_PF_HAS_ARGUMENT ? w->argument : signs[w->how];
	size_t len = strlen(sign);

	if (w->how == TL_PF_ALWAYS || strncmp(given, sign, len) || given[len] != '=')
		return w->how == TL_PF_ALWAYS;
	return w->how == TL_PF_HAS_ARGUMENT ? !*w->text || !strcmp(given + len + 1, w->text) : !strncmp(given + len + 1, w->text, strlen(w->text));
}

static bool is_named_so(void *arg, char **cells)
{
	static const char *const roles[] = { "-", "gpu", "agent", "stream" };
	const struct tl_pf_names *names = arg;
	struct tl_pf_category c = { 0 };
	char said[100] = "-";
	const char *text = NULL, *name = cells[1];
	int64_t number;

	if (*cells[0] == 'c')
		while (!strcmp(said, "-") && tl_pf_category(names, name, strlen(name), &c))
			if (holds_where(&c.where, cells[2]))
				snprintf(said, sizeof said, "%s%s", c.kind < 0 ? "left out" : tl_kind_name((unsigned)c.kind), c.alone ? ",alone" : c.range ? ",range" : "");
	enum tl_pf_track_role role = *cells[0] == 't' ? tl_pf_track_role(names, name, strlen(name), &number) : TL_PF_NO_TRACK;
	if (role != TL_PF_NO_TRACK)
		snprintf(said, sizeof said, "%s %lld", roles[role], (long long)number);
	if (*cells[0] == 'u')
		text = tl_pf_unit(names, strtoul(name, NULL, 10));
	if (*cells[0] == 'm')
		snprintf(said, sizeof said, "%.*s", (int)tl_pf_without_mark(names, name, strlen(name)), name);
	if (*cells[0] == 'a' || *cells[0] == 'p')
		text = *cells[0] == 'a' ? tl_pf_argument(names, name, strlen(name)) : tl_pf_packet(names, (uint32_t)strtoul(name, NULL, 10));
	if (text)
		snprintf(said, sizeof said, "%s", text);
	bool so = !strcmp(said, cells[3]);
	if (!so)
		printf("%s: %s %s: %s, expected %s\n", cells[0], name, cells[2], said, cells[3]);
	return so;
}

static void names_of_perfetto(void)
{
	struct tl_pf_names names = { 0 };

	tl_pf_names_load(&names);
	check_vectors("perfetto-names", 4, is_named_so, &names);
	tl_pf_names_release(&names);
}

/* ---- examples of node-log-words.tsv ------------------------------------------------------ */

static void add_said(struct tl_buf *b, int64_t n)
{
	if (n < 0)
		tl_buf_addc(b, '-');
	else
		tl_buf_addf(b, "%lld", (long long)n);
}

static bool is_logged_so(void *unused, char **cells)
{
	struct tl_node_log log = tl_node_log_read(cells[1], strlen(cells[1]));
	struct tl_buf said = { 0 };

	(void)unused;
	add_said(&said, log.rank);
	tl_buf_addf(&said, " %s ", log.host ? log.host : "-");
	add_said(&said, log.nodes);
	bool so = !strcmp(said.data, cells[2]);
	if (!so)
		printf("%s: %s: %s, expected %s\n", cells[0], cells[1], said.data, cells[2]);
	free(log.host);
	tl_buf_release(&said);
	return so;
}

int main(void)
{
	check_vectors("closed-formats", 4, is_told_so, NULL);
	check_vectors("nsys-tables", 3, is_table_so, NULL);
	check_vectors("nccl-calls", 3, is_call_so, NULL);
	check_vectors("chrome-writers", 4, is_written_so, NULL);
	check_vectors("counter-units", 5, is_counter_so, NULL);
	check_vectors("chrome-kinds", 3, is_shaped_so, NULL);
	check_vectors("chrome-fields", 3, is_shaped_so, NULL);
	check_vectors("node-log-words", 3, is_logged_so, NULL);
	names_of_perfetto();
	long_table();
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/lib/*/*.tsv", getenv("TL_ROOT"));
	glob(pattern, 0, NULL, &found);
	snprintf(pattern, sizeof pattern, "%s/lib/*/*/*.tsv", getenv("TL_ROOT"));
	glob(pattern, GLOB_APPEND, NULL, &found);
	check("there are tables", found.gl_pathc > 30);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!strstr(found.gl_pathv[i], "/lib/report/")) /* test_columns reads that one */
			check_table(found.gl_pathv[i]);
	globfree(&found);
	return failures != 0;
}
