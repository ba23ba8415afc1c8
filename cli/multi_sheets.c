/* multi_sheets.c - the sheets of tl-multi, made of the parts of a group of traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/multi_sheets.h"

#include "cli/multi_parts.h"
#include "cli/rank_collectives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double tl_multi_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* kernels_N; of a further trace with the same rank kernels_N_2 and so on. The caller frees it. */
static char *add_kernels(struct tl_sheet_files *s, int64_t rank, int which)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "kernels_%" PRId64, rank);
	if (which > 1)
		tl_buf_addf(&name, "_%d", which);
	char *path = tl_sheet_files_add(s, name.data);
	tl_buf_release(&name);
	return path;
}

static void say_what_is_missing(const char *sheet, const struct tl_op_groups *groups)
{
	for (size_t i = 0; i < groups->n_groups[TL_GROUP_SHEET]; i++)
		if (!strcmp(sheet, groups->groups[TL_GROUP_SHEET][i]))
			printf("No events to summarize performance metrics from group %s\n", sheet);
	if (!strcmp(sheet, "unlinked_short_kernels_summary"))
		puts("No unlinked kernel events found.");
	if (!strcmp(sheet, "short_cpu_op_counts"))
		puts("No short CPU ops found.");
}

/* Adds the sheet with the times, which tl-replay is to make, behind that of the operators; with --replay-only in its place. */
static void add_replayed(struct tl_sheet_files *s, const char *sheet, bool only)
{
	struct tl_buf name = { 0 };

	if (only)
		free(s->words[--s->n]);
	tl_buf_addf(&name, "%s_node_replay", sheet);
	free(tl_sheet_files_add(s, name.data));
	tl_buf_release(&name);
}

static void run_again(const struct tl_sheet_files *s, const struct tl_trace_group *g, const struct tl_multi_sheets *how)
{
	const char *folder = how->replay->folder;
	char *files = folder ? tl_trace_group_folder(g, folder) : tl_strdup(g->folder);

	if (s->n)
		tl_replay_sheets(how->replay, s->folder, files, how->common);
	else
		tl_warn("%s: no products of matrices and no convolutions with recorded shapes", g->folder);
	free(files);
}

static void write_sheets(struct tl_sheet_files *s, struct tl_multi_merge *m, const struct tl_multi_sheets *how)
{
	const char *name, *others;

	for (size_t i = 0;; i++) {
		struct tl_table *t = tl_multi_merge_sheet(m, i, &name);
		if (!name)
			break;
		bool again = tl_replays_sheet(how->replay, name);
		if (t && (again || !how->replay->only))
			tl_sheet_files_write(s, name, t);
		else if (!t)
			say_what_is_missing(name, how->groups);
		if (t && again)
			add_replayed(s, name, how->replay->only);
		else if (again)
			tl_replay_drop_sheet(s->folder, name);
		tl_table_free(t);
	}
	size_t n = tl_multi_merge_other_launchers(m, &others);
	if (n && !how->replay->only)
		tl_note("grouped_breakdown: launchers in no group count as Other; they are %zu: %s%s", n, others, n > 10 ? ", ..." : "");
}

static void add_collectives(struct tl_sheet_files *s, const struct tl_trace_group *g, const char *work)
{
	double began = tl_multi_seconds();

	printf("Starting NcclAnalyser with world_size %zu\n", g->n);
	tl_multi_collectives(g, work, s->folder);
	for (size_t i = 0; tl_multi_collective_sheets[i]; i++) {
		char *path = tl_sheet_files_add(s, tl_multi_collective_sheets[i]);
		if (access(path, F_OK))
			free(s->words[--s->n]);
		free(path);
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->files[i].rank != (int64_t)i) {
			tl_note("in the sheets about collectives, rank %zu is %s", i, g->files[i].name);
			break;
		}
	printf("Elapsed time: %.2f seconds.\n", tl_multi_seconds() - began);
}

void tl_multi_sheets_make(struct tl_sheet_files *s, const struct tl_trace_group *g, const struct tl_multi_sheets *how)
{
	struct tl_multi_merge *m = tl_multi_merge_new(how->groups);
	struct tl_multi_left left = { 0 };
	double began = tl_multi_seconds();
	int which = 1;

	for (size_t i = 0; i < g->n; i++) {
		which = i && g->files[i].rank == g->files[i - 1].rank ? which + 1 : 1;
		char *into = how->kernels ? add_kernels(s, g->files[i].rank, which) : NULL;
		tl_multi_part_read(g->files[i].part, how->groups, g->files[i].rank, m, &left, into);
		free(into);
	}
	tl_multi_say_left(&left);
	write_sheets(s, m, how);
	tl_multi_merge_free(m);
	if (how->replay->on)
		run_again(s, g, how);
	printf("Elapsed time for processing dataframes: %.2f seconds.\n", tl_multi_seconds() - began);
	if (g->n > 1 && !how->replay->only)
		add_collectives(s, g, how->work);
}
