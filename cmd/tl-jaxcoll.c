/* tl-jaxcoll.c - the collectives of a job of JAX, from the profiles of its nodes and the programs that XLA dumped.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/path_glob.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/sheet_form.h"
#include "job/node_log.h"
#include "sheets/jax_collectives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DUMPS "**/xla_dumps/*_gpu_after_optimizations.txt"
#define REFERENCE_DUMPS "**/xla_dumps/*jit_train_step.*_gpu_after_optimizations.txt"
#define MAX_DUMP ((size_t)4 << 30) /* bytes */

static struct tl_outputs outputs;
static struct tl_opt_list dumps;
static struct tl_jax_collectives_options how;
static const char *folder;
static bool node_map, lenient;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "dump", "NODE=FILE", "a program of the node as XLA dumped it; may be repeated (searched in --dir DIR)", TL_OPT_LIST, &dumps, 0, 0, NULL },
	{ 0, "dir", "DIR", "where dumps are searched, and without operands profiles, too", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "node_map", NULL, "print which profile below DIR is of which node, as logs there say, and end", TL_OPT_FLAG, &node_map, 0, 0, NULL },
	{ 0, "gpus_per_node", "N", "GPUs of a node (as many as a profile has at most)", TL_OPT_INT, &how.gpus_per_node, 1, INT32_MAX, NULL },
	{ 0, "reference", NULL, "compute as TraceLens does, see tl-differences(7)", TL_OPT_FLAG, &how.reference, 0, 0, NULL },
	TL_LENIENT_OPTION(&lenient),
	TL_OTHER_OUTPUT_OPTIONS(&outputs, 'o'),
	TL_QUOTES_OPTION,
	{ 'd', "tsv-dir", "DIR", "write every sheet as DIR/NAME.tsv", TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL },
	{ .long_name = NULL },
};

static struct tl_program program = {
	.name = "tl-jaxcoll", .synopsis = "[OPTION]... NODE=FILE... | [OPTION]... --dir DIR",
	.purpose = "bandwidth of the collectives of a job of JAX",
	.options = options, .c = &common,
};

/* ---- profiles and their nodes ------------------------------------------------------------------ */

/* text: the collectives of the programs in the profile; read: a dump tells them. */
struct profile { int64_t node; char *path; struct tl_buf text; bool read; };
static struct { struct profile *items; size_t n, cap; } profiles;

static void add_profile(int64_t node, const char *path)
{
	TL_PUSH(profiles.items, profiles.n, profiles.cap, (struct profile){ .node = node, .path = tl_strdup(path) });
}

/* NODE=FILE; returns FILE. */
static const char *take_node(const char *operand, int64_t *node)
{
	const char *equals = strchr(operand, '=');
	struct tl_field_text number = { operand, equals ? (size_t)(equals - operand) : 0 };

	if (!equals || !equals[1] || !tl_field_int(&number, node) || *node < 0 || *node > INT32_MAX)
		tl_usage("expected NODE=FILE, NODE a whole number, not '%s'", operand);
	return equals + 1;
}

/* The start of a log. */
static struct tl_node_log read_log(const char *path)
{
	struct tl_input *in = tl_open_input(path);
	char text[TL_NODE_LOG_LEN];
	struct tl_error err;
	int64_t len = 0, n;

	while (len < TL_NODE_LOG_LEN && (n = in->read(in, text + len, (size_t)(TL_NODE_LOG_LEN - len), &err)) != 0) {
		if (n < 0)
			tl_die_error(path, &err);
		len += n;
	}
	tl_close_input(in);
	return tl_node_log_read(text, (size_t)len);
}

/* What logs say: the host `names` id to its node. */
struct nodes { struct tl_strtab names; int64_t *node; size_t cap; int64_t all; /* -1: not said */ };

static void read_logs(struct nodes *nodes)
{
	struct tl_paths logs;

	tl_find_files(&logs, folder, "*.log");
	if (!logs.n)
		tl_find_files(&logs, folder, "**/*.log");
	for (size_t i = 0; i < logs.n; i++) {
		struct tl_node_log log = read_log(logs.items[i]);
		char *host = log.host ? log.host : tl_node_of_file(logs.items[i], ".log");
		nodes->all = nodes->all < 0 ? log.nodes : nodes->all;
		if (host && log.rank >= 0) {
			uint32_t id = tl_intern_str(&nodes->names, host);
			TL_GROW(nodes->node, nodes->cap, (size_t)id + 1);
			nodes->node[id] = log.rank;
		}
		free(host);
	}
	tl_paths_release(&logs);
}

TL_ORDER(by_node, struct profile, TL_ASC(x->node) TL_BY(strcmp(a->path, b->path)))

/* Of several profiles of a node the last counts. */
static void keep_last(void)
{
	size_t n = 0;

	tl_merge_sort(profiles.items, profiles.n, sizeof *profiles.items, by_node, NULL);
	for (size_t i = 0; i < profiles.n; i++) {
		if (n && profiles.items[n - 1].node == profiles.items[i].node) {
			tl_warn("two profiles of node %" PRId64 ": %s counts, not %s", profiles.items[i].node, profiles.items[i].path, profiles.items[n - 1].path);
			free(profiles.items[--n].path);
		}
		profiles.items[n++] = profiles.items[i];
	}
	profiles.n = n;
}

/* Finds the profiles below the folder, and by logs their nodes; returns how many nodes the job has. */
static int64_t find_profiles(void)
{
	struct nodes nodes = { .all = -1 };
	struct tl_paths found;

	read_logs(&nodes);
	tl_find_files(&found, folder, "**/*.xplane.pb");
	for (size_t i = 0; i < found.n; i++) {
		char *host = tl_node_of_file(found.items[i], ".xplane.pb");
		uint32_t id = host ? tl_strtab_find(&nodes.names, host, strlen(host)) : 0;
		if (id)
			add_profile(nodes.node[id], found.items[i]);
		else
			tl_warn("%s: no log tells which node '%s' is: the profile does not count", found.items[i], host ? host : "this");
		free(host);
	}
	if (nodes.all >= 0 && nodes.all != (int64_t)nodes.names.count)
		tl_warn("logs tell of %" PRId64 " nodes, and the numbers of %" PRIu32, nodes.all, nodes.names.count);
	keep_last();
	tl_paths_release(&found);
	tl_strtab_release(&nodes.names);
	free(nodes.node);
	return nodes.all >= 0 ? nodes.all : (int64_t)profiles.n;
}

/* What a path has behind the folder. */
static const char *below(const char *path, const char *in)
{
	size_t len = strlen(in);

	if (strncmp(path, in, len) != 0 || (len && in[len - 1] != '/' && path[len] != '/'))
		return NULL;
	return path + len + strspn(path + len, "/");
}

static void load_profiles(struct tl_jax_collectives *j)
{
	uint32_t others = ~(1u << TL_KIND_KERNEL | 1u << TL_KIND_MEMCPY | 1u << TL_KIND_MEMSET | 1u << TL_KIND_META);
	size_t all = 0, n, damaged = 0;
	struct tl_error err;

	for (size_t i = 0; i < profiles.n; i++) {
		struct tl_trace *t = tl_pass_load(profiles.items[i].path, others, lenient);
		const char *path = profiles.items[i].path, *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		const char *end = strstr(name, ".xplane.pb");
		char *host = tl_strndup(name, end ? (size_t)(end - name) : strlen(name)); /* the name of its file is that of the host */
		if (tl_jax_collectives_add_trace(j, profiles.items[i].node, host, t, &n, &err) != TL_OK)
			tl_die_error(profiles.items[i].path, &err);
		if (!n)
			tl_warn("%s: no kernel of a collective", profiles.items[i].path);
		if (!how.reference)
			tl_hlo_program_text(t, &profiles.items[i].text, &damaged);
		if (damaged)
			tl_warn("%s: programs that cannot be read: %zu", profiles.items[i].path, damaged);
		all += n;
		free(host);
		tl_trace_free(t);
	}
	if (!all)
		tl_warn("no collectives: the sheets have no rows");
}

/* ---- dumps ------------------------------------------------------------------------------------------ */

/* The program in the name of a dump, module_0001.jit_train_step.gfx942_gpu_after_optimizations.txt; NULL: none. The caller frees it. */
static char *module_of(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *from = strchr(name, '.'), *end = from ? strchr(from + 1, '.') : NULL;

	return end && tl_starts_with(name, "module_") ? tl_strndup(from + 1, (size_t)(end - from - 1)) : NULL;
}

static void read_dump(struct tl_jax_collectives *j, int64_t node, const char *path)
{
	size_t len;
	for (size_t i = 0; i < profiles.n; i++)
		profiles.items[i].read |= profiles.items[i].node == node;
	char *text = tl_read_file(path, MAX_DUMP, &len), *module = module_of(path);

	if (!tl_jax_collectives_add_dump(j, node, module, text, len))
		tl_note("%s: no collectives", path);
	free(module);
	free(text);
}

static void read_named_dumps(struct tl_jax_collectives *j)
{
	for (size_t i = 0; i < dumps.n; i++) {
		int64_t node;
		const char *path = take_node(dumps.items[i], &node);
		if (access(path, F_OK))
			tl_warn("node %" PRId64 ": there is no dump %s", node, path);
		else
			read_dump(j, node, path);
	}
}

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* The dumps whose paths share most with that of the profile; TraceLens has the first of them only. */
static void read_nearest(struct tl_jax_collectives *j, const struct profile *p, const struct tl_paths *found, const char *top)
{
	char *whole = realpath(p->path, NULL);
	const char *path = whole ? below(whole, top) : NULL;
	size_t most = 1;

	for (size_t i = 0; path && i < found->n; i++) {
		size_t n = common_length(path, below(found->items[i], top));
		most = n > most ? n : most;
	}
	for (size_t i = 0; path && i < found->n && !(p->read && how.reference); i++)
		if (common_length(path, below(found->items[i], top)) == most)
			read_dump(j, p->node, found->items[i]);
	free(whole);
}

static void search_dumps(struct tl_jax_collectives *j)
{
	const char *pattern = how.reference ? REFERENCE_DUMPS : DUMPS;
	char *top = realpath(folder, NULL);
	struct tl_paths found;

	if (!top)
		tl_die("%s: no such folder", folder);
	tl_find_files(&found, top, pattern);
	if (!found.n)
		tl_note("there are no dumps %s/%s", folder, pattern);
	for (size_t i = 0; found.n && i < profiles.n; i++)
		read_nearest(j, &profiles.items[i], &found, top);
	tl_paths_release(&found);
	free(top);
}

/* Where no dump tells the programs of a node, its profile may have them. */
static void read_programs(struct tl_jax_collectives *j)
{
	size_t from_profile = 0, none = 0;
	int64_t first = 0;

	for (size_t i = 0; i < profiles.n; i++) {
		struct profile *p = &profiles.items[i];
		if (p->read)
			continue;
		if (tl_jax_collectives_add_dump(j, p->node, NULL, tl_buf_text(&p->text), p->text.len))
			from_profile++;
		else if (!none++)
			first = p->node;
	}
	if (from_profile)
		tl_note("nodes without a dump: %zu; the programs in their profiles tell groups and sizes", from_profile);
	if (none)
		tl_warn("nodes without a dump (--dump, --dir), whose profiles have no programs either: %zu, the first %" PRId64 "; no groups and sizes, no bandwidth",
		        none, first);
}

/* ---- what is said ------------------------------------------------------------------------------------- */

static void warn_of(struct tl_jax_left left, const char *what)
{
	if (left.n)
		tl_warn("%s: %" PRIu64 ", the first %s", what, left.n, left.first);
}

static void warn_of_dumps(struct tl_hlo_dump_doubts d)
{
	if (d.groups)
		tl_warn("groups that make no sense: %" PRIu64 ", the first of %s", d.groups, d.first_group);
	if (d.sizes)
		tl_warn("arrays of unknown size, which count as 0 bytes: %" PRIu64 ", the first %s", d.sizes, d.first_size);
	if (d.doubles)
		tl_warn("collectives that a node's dumps have twice, with other groups or sizes: %" PRIu64 ", the first %s; the first of each counts", d.doubles,
		        d.first_double);
}

static void warn_of_doubts(const struct tl_jax_collectives *j)
{
	struct tl_jax_collectives_doubts d = tl_jax_collectives_doubts(j);

	if (!how.gpus_per_node && !how.reference && d.gpus_per_node)
		tl_note("nodes of %" PRId64 " GPUs, as the profiles have (--gpus_per_node N for others)", d.gpus_per_node);
	if (d.last_device > d.devices)
		tl_warn("dumps have groups of %" PRId64 " GPUs, the nodes given have %" PRId64, d.last_device, d.devices);
	warn_of(d.no_groups, "collectives without groups, left out");
	warn_of(d.many_groups, "collectives whose GPUs have different groups, left out");
	warn_of(d.no_bytes, "groups whose size no dump tells, without a bandwidth");
	warn_of(d.uneven, "collectives that some GPUs have more often than others, paired by their number");
	if (d.brief)
		tl_warn("kernels shorter than 1 ns, from which no bandwidth comes: %" PRIu64, d.brief);
	warn_of_dumps(d.dumps);
}

/* ---- output -------------------------------------------------------------------------------------------- */

static void rule(char c, int n)
{
	while (n--)
		putchar(c);
	putchar('\n');
}

static void print_types(const struct tl_table *t)
{
	static const char *const names[] = { "type", "num_operations", "avg_bandwidth_gbps", "avg_bus_bandwidth_gbps" };
	size_t at[4];

	for (size_t i = 0; i < 4; i++)
		at[i] = (size_t)tl_table_column(t, names[i]);
	puts("SUMMARY TABLE - ALL COLLECTIVE TYPES");
	rule('=', 80);
	puts("\nCOMBINED BANDWIDTH ANALYSIS:");
	rule('-', 50);
	printf("%-15s %-4s %-8s %-8s\n", "Type", "Ops", "Alg-Avg", "Bus-Avg");
	rule('-', 50);
	for (size_t i = 0; i < t->n_rows; i++)
		printf("%-15s %-4" PRId64 " %-8.1f %-8.1f\n", tl_table_text(t, i, (int)at[0], ""), tl_table_cell(t, i, at[1]).i,
		       tl_cell_number(tl_table_cell(t, i, at[2]), 1), tl_cell_number(tl_table_cell(t, i, at[3]), 1));
}

/* Writes all sheets, and prints the first. */
static void write_sheets(struct tl_jax_collectives *j)
{
	const char *scratch = outputs.to[TL_AS_TSV] || !tl_outputs_any(&outputs) ? NULL : tl_make_scratch_folder(program.name);
	struct tl_sheet_files files = { .folder = scratch ? scratch : outputs.to[TL_AS_TSV], .of = profiles.items[0].path };

	if (files.folder)
		tl_make_folder(files.folder);
	for (const struct tl_sheet *s = tl_jaxcoll_sheets.sheets; s->name; s++) {
		struct tl_table *t = files.folder || s == tl_jaxcoll_sheets.sheets ? tl_sheet_of(s, j) : NULL;
		if (t && s == tl_jaxcoll_sheets.sheets)
			print_types(t);
		if (t && files.folder)
			tl_sheet_files_write(&files, s->name, t);
		tl_table_free(t);
	}
	if (files.folder) {
		tl_sheet_files_finish(&files);
		tl_sheet_files_convert(&files, &outputs);
	}
	if (scratch)
		tl_remove_scratch(scratch);
	tl_sheet_files_release(&files);
}

static void check_options(char **operands, int n)
{
	struct stat st;
	int64_t node;

	for (int i = 0; i < n; i++) {
		const char *path = take_node(operands[i], &node);
		for (size_t k = 0; k < profiles.n; k++)
			if (profiles.items[k].node == node)
				tl_usage("two profiles of node %" PRId64, node);
		add_profile(node, path);
		tl_will_read(path);
	}
	for (size_t i = 0; i < dumps.n; i++)
		tl_will_read(take_node(dumps.items[i], &node));
	if (!n && !folder)
		tl_usage("no profiles: name them as NODE=FILE, or give --dir");
	if (n && node_map)
		tl_usage("--node_map goes with --dir, not with profiles");
	if (folder && (stat(folder, &st) || !S_ISDIR(st.st_mode)))
		tl_die("%s: no such folder", folder);
	tl_outputs_check(&outputs);
}

int main(int argc, char **argv)
{
	int n;
	tl_speak_as(program.name);
	program.detail = tl_sheets_detail("FILE is the profile of a node, *.xplane.pb. Sheets:", &tl_jaxcoll_sheets);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	check_options(operands, n);
	if (node_map) {
		int64_t all = find_profiles();
		for (size_t i = 0; i < profiles.n; i++)
			printf("%" PRId64 "\t%s\n", profiles.items[i].node, below(profiles.items[i].path, folder));
		printf("world_size\t%" PRId64 "\n", all);
	} else {
		if (!n)
			find_profiles();
		if (!profiles.n)
			tl_die("%s: no profile *.xplane.pb of a node that a log there tells (NODE=FILE names them)", folder);
		struct tl_jax_collectives *j = tl_jax_collectives_new(&how);
		load_profiles(j);
		read_named_dumps(j);
		if (!dumps.n && folder)
			search_dumps(j);
		read_programs(j);
		tl_jax_collectives_finish(j);
		write_sheets(j);
		warn_of_doubts(j);
		tl_jax_collectives_free(j);
	}
	tl_finish_stdout();
	for (size_t i = 0; i < profiles.n; i++) {
		tl_buf_release(&profiles.items[i].text);
		free(profiles.items[i].path);
	}
	free(profiles.items);
	return 0;
}
