/* rank_collectives.c - the sheets of tl-multi about collectives.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_collectives.h"
#include "cli/outputs.h"

#include "base/text.h"
#include "job/ranks.h"
#include "table/tsv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tl_multi_collective_sheets[] = {
	"summary_nccl_implicit_sync_cat", "long", "nccl_implicit_sync_cat", "nccl_implicit_sync_cat_detailed", "nccl_all2allv", NULL
};

/* Sheets of tl-ranks that become others, as they are or by columns: keep says which. */
static const char *const all2allv_columns[] = {
	"collective_id", "Process Group Name", "Process Group Ranks", "Collective name", "Group size", "dtype", "stream",
	"total data communicated (MB)", "total nelems communicated", "skew in start time", "skew in end time", NULL
};

static bool is_of_all2allv(const char *column)
{
	return tl_is_one_of(all2allv_columns, column);
}

static bool is_of_no_rank(const char *column)
{
	return !tl_starts_with(column, "rank_");
}

static const struct { const char *from, *to; bool (*keep)(const char *column); } made_of[] = {
	{ "nccl_summary_implicit_sync", "summary_nccl_implicit_sync_cat", NULL },
	{ "nccl_long", "long", NULL },
	{ "nccl_implicit_sync", "nccl_implicit_sync_cat", is_of_no_rank },
	{ "nccl_implicit_sync", "nccl_implicit_sync_cat_detailed", NULL },
	{ "nccl_all2allv", "nccl_all2allv", is_of_all2allv },
};

/* ---- the merge ---------------------------------------------------------------------------- */

struct merging {
	const struct tl_trace_group *group;
	const char *folder;        /* of the sheets of tl-ranks */
};

static struct tl_input *open_part(void *ctx, size_t i)
{
	const struct merging *m = ctx;

	return tl_open_input(m->group->files[i].part);
}

static void close_part(void *ctx, struct tl_input *in)
{
	(void)ctx;
	tl_close_input(in);
}

/* An output keeps its path, so each has one of its own until the program ends. */
static struct tl_output *create_sheet(void *ctx, const char *sheet)
{
	struct merging *m = ctx;
	static struct tl_arena paths;
	char *path = tl_sheet_path(m->folder, sheet);
	const char *kept = tl_arena_dup(&paths, path, strlen(path));

	free(path);
	return tl_open_output(kept, false);
}

static void finish_sheet(void *ctx, struct tl_output *out)
{
	(void)ctx;
	tl_close_output(out);
}

void tl_say_of_collectives(const struct tl_ranks_report *r)
{
	if (r->disagreeing)
		tl_warn("left out: %" PRIu64 " of %" PRIu64 " collectives about which ranks do not agree: %s", r->disagreeing,
		        r->collectives, r->first_disagreeing);
	if (r->incomplete)
		tl_warn("%" PRIu64 " of %" PRIu64 " collectives lack ranks of their group: %s", r->incomplete, r->collectives,
		        r->first_incomplete);
	if (r->renamed)
		tl_note("%" PRIu64 " group%s the name of another one, without a rank of it: its ranks stand behind the name", r->renamed,
		        r->renamed > 1 ? "s have" : " has");
	if (r->apart)
		tl_warn("%" PRIu64 " collectives ended on one rank before they began on another, by up to %.3f us (rank %" PRId64
		        " before rank %" PRId64 "): %s", r->apart, r->apart_us, r->apart_early, r->apart_late,
		        r->still_apart ? "other collectives are missing" : "clocks are apart, or other collectives are missing");
	if (r->lost)
		tl_warn("the collectives of rank %" PRIu64 "%s fit those of no other rank in any order: it is charged with nothing", r->first_lost,
		        r->lost > 1 ? ", and it is not the only one," : "");
	if (r->shifted)
		tl_warn(r->shifted_all ? "the trace of rank %" PRId64 " begins %" PRId64 " collectives of each group later than others, as by whole steps%s" :
		        "the trace of rank %" PRId64 " lacks the first %" PRId64 " collectives of a group%s", r->shifted_rank, r->shift,
		        r->shifted > 1 ? ", and it is not the only one" : "");
	if (r->left_wait_ms > 0)
		tl_note("ranks_wait_pairs leaves out %.6g ms of waiting: it has room for 262,144 pairs of ranks", r->left_wait_ms);
	if (r->unconnected)
		tl_warn("%" PRIu64 " rank%s, the first of them rank %" PRIu64 ", share no communication with most others, so how far their clocks are apart is "
		        "not known: they are not judged", r->unconnected,
		        r->unconnected == 1 ? "" : "s", r->first_unconnected);
	if (r->elsewhere)
		tl_warn("rank %" PRId64 " has all its collectives %.6f s %s those of most ranks%s: its trace may be of another run, or of other steps",
		        r->elsewhere_rank, fabs(r->elsewhere_us) / 1e6, r->elsewhere_us > 0 ? "after" : "before",
		        r->elsewhere > 1 ? ", and it is not the only one" : "");
	if (r->no_peer)
		tl_warn("ranks_p2p leaves out %" PRIu64 " sends and receives of which nothing tells the other rank, or the direction", r->no_peer);
	if (r->unusable_splits)
		tl_warn("nccl_all2allv_heatmap leaves out %" PRIu64 " events without a whole list of split sizes, or of unknown type",
		        r->unusable_splits);
}

/* False: no trace has a collective. */
static bool merge(struct merging *m)
{
	struct tl_rank_metric mean;
	int64_t *places = tl_alloc(m->group->n * sizeof *places);
	struct tl_ranks_report report;
	struct tl_error err;
	size_t failed;

	tl_rank_metric_named("mean", &mean);
	for (size_t i = 0; i < m->group->n; i++)
		places[i] = (int64_t)i;
	const struct tl_ranks_job job = { .ranks = places, .n = m->group->n, .metrics = &mean, .n_metrics = 1, .lenient = true, .reference_clocks = true,
		.open = open_part, .close = close_part, .create = create_sheet, .finish = finish_sheet, .ctx = m };
	bool good = !tl_ranks_merge(&job, &report, &failed, &err);
	if (!good && failed < m->group->n)
		tl_die_error(m->group->files[failed].part, &err);
	if (good)
		tl_say_of_collectives(&report);
	else
		tl_note("no sheets about collectives: %s", err.text);
	free(places);
	return good;
}

/* ---- columns ---------------------------------------------------------------------------------- */

struct copying {
	bool (*keep)(const char *column);
	bool *kept; size_t n;
	struct tl_output *out;
	struct tl_buf line;
};

static enum tl_status copy_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct copying *c = ctx;
	bool any = false;

	if (!row) {
		c->kept = tl_calloc(n + 1, sizeof *c->kept);
		for (size_t i = 0; i < n; i++) {
			char *name = tl_strndup(f[i].s, f[i].len);
			c->kept[i] = !c->keep || c->keep(name);
			free(name);
		}
	}
	c->line.len = 0;
	for (size_t i = 0; i < n; i++) {
		if (!c->kept[i])
			continue;
		if (any)
			tl_buf_addc(&c->line, '\t');
		tl_tsv_add_text(&c->line, f[i].s, f[i].len);
		any = true;
	}
	tl_buf_addc(&c->line, '\n');
	return c->out->write(c->out, c->line.data, c->line.len, err);
}

static void copy_columns(const char *from, const char *to, bool (*keep)(const char *column))
{
	struct tl_input *in = tl_open_input(from);
	struct copying c = { .keep = keep, .out = tl_open_output(to, false) };
	struct tl_error err;

	if (tl_tsv_read(in, copy_row, &c, &err))
		tl_die_error(from, &err);
	tl_close_output(c.out);
	tl_close_input(in);
	tl_buf_release(&c.line);
	free(c.kept);
}

void tl_multi_collectives(const struct tl_trace_group *g, const char *work, const char *folder)
{
	struct merging m = { .group = g, .folder = work };

	tl_make_folder(work);
	bool good = merge(&m);
	for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++) {
		char *from = tl_sheet_path(work, made_of[i].from), *to = tl_sheet_path(folder, made_of[i].to);
		if (good && !access(from, F_OK))
			copy_columns(from, to, made_of[i].keep);
		else if (unlink(to) && errno != ENOENT)
			tl_die("%s: cannot remove: %s", to, strerror(errno));
		free(from);
		free(to);
	}
}
