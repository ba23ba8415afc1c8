/* tree_edits.c - options that edit the tree of a trace: rules, captures of graphs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/filter.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- rules, built in and from files, with their settings ----------------------- */

enum { MAX_RULES_FILE = 16 << 20 };

bool tl_pseudo_ops;
struct tl_opt_list tl_rule_settings;

static void add_rules(struct tl_rules *rules, const char *path)
{
	struct tl_error err;
	size_t len;
	char *text = tl_read_file(path, MAX_RULES_FILE, &len);

	if (tl_rules_add(rules, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
}

static void set_value(struct tl_rules *rules, const char *setting)
{
	struct tl_error err;
	const char *equals = strchr(setting, '=');

	if (!equals || equals == setting)
		tl_usage("--set %s: expected NAME=VALUE", setting);
	char *name = tl_strndup(setting, (size_t)(equals - setting));
	if (tl_rules_set(rules, name, equals + 1, &err) != TL_OK)
		tl_usage("--set %s: %s", setting, err.text);
	free(name);
}

struct tl_rules *tl_edit_rules(const struct tl_opt_list *files)
{
	struct tl_rules *rules = tl_rules_new();
	struct tl_error err;

	if (tl_pseudo_ops && tl_rules_add_pseudo_ops(rules, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; files && i < files->n; i++)
		add_rules(rules, files->items[i]);
	for (size_t i = 0; i < tl_rule_settings.n; i++)
		set_value(rules, tl_rule_settings.items[i]);
	return rules;
}

void tl_show_edits(const struct tl_rewrite_report *r, bool verbose)
{
	for (size_t i = 0; i < r->n_notes; i++)
		tl_warn("rule %s: %s (%llu times, first at event %llu)", r->notes[i].rule, r->notes[i].text,
		        (unsigned long long)r->notes[i].count, (unsigned long long)r->notes[i].uid);
	if (!verbose)
		return;
	tl_tell("operators renamed: %llu", (unsigned long long)r->n_renamed);
	tl_tell("operators added: %llu", (unsigned long long)r->n_new);
	tl_tell("events moved: %llu", (unsigned long long)r->n_moved);
}

/* ---- captures of a folder without an index ---------------------------------------------- */

enum { MAX_INDEX = 16 << 20 };

const char *tl_capture_folder;

static struct tl_capture_index captures;
static bool go_on_after_damage;

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files *.json and *.json.gz of the folder, sorted; their names belong to the caller. */
static char **list_files(size_t *n)
{
	DIR *d = opendir(tl_capture_folder);
	char **names = NULL;
	size_t cap = 0;

	if (!d)
		tl_die("--capture_folder %s: %s", tl_capture_folder, strerror(errno));
	*n = 0;
	TL_GROW(names, cap, 1);
	for (struct dirent *e; (e = readdir(d));) {
		if (!tl_ends_with(e->d_name, ".json") && !tl_ends_with(e->d_name, ".json.gz"))
			continue;
		TL_PUSH(names, *n, cap, tl_strdup(e->d_name));
	}
	closedir(d);
	qsort(names, *n, sizeof *names, by_text);
	return names;
}

/* Adds what a trace captured. What is no trace is left out, with a warning. */
static void classify(const char *file)
{
	const struct tl_read_options ro = { .drop_kinds = ~TL_CAPTURE_SCAN_KINDS, .lenient = go_on_after_damage };
	struct tl_read_report report = { 0 };
	struct tl_error err;
	char *path = tl_join_path(tl_capture_folder, file);
	struct tl_sink *scan = tl_capture_scan_new();
	struct tl_input *in = tl_open_input(path);

	if (tl_read(in, &ro, scan, &report, &err) == TL_OK) {
		struct tl_capture found = tl_capture_scan_result(scan);
		found.file = file;
		tl_capture_index_add(&captures, &found);
		tl_warn_drops(path, &report);
	} else if (report.n_events) {
		tl_die_of_trace(in->name, &err, &report);
	} else {
		tl_warn("%s: left out, since it is no trace: %s", path, err.text);
	}
	tl_close_input(in);
	tl_capture_scan_free(scan);
	free(path);
}

/* Later runs need not look at all traces again. A folder that nobody may write to stays as it is. */
static void write_index(const char *path)
{
	struct tl_buf text = { 0 };
	struct stat st;

	if (stat(tl_capture_folder, &st) || !(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) ||
	    access(tl_capture_folder, W_OK | X_OK))
		return;
	tl_capture_index_write(&captures, &text);
	tl_write_text(path, &text);
	tl_tell("wrote %s: which trace captured which batch size; later runs read it", path);
	tl_buf_release(&text);
}

static void classify_all(const char *index_path)
{
	size_t n;
	char **names = list_files(&n);

	for (size_t i = 0; i < n; i++) {
		char *path = tl_join_path(tl_capture_folder, names[i]);
		struct stat st;
		if (stat(path, &st))
			tl_warn("%s: left out: %s", path, strerror(errno));
		else if (!S_ISREG(st.st_mode))
			tl_warn("%s: left out, since it is no file", path);
		else
			classify(names[i]);
		free(path);
		free(names[i]);
	}
	free(names);
	if (!captures.n)
		tl_die("--capture_folder %s: no trace in the folder: expected files *.json or *.json.gz", tl_capture_folder);
	write_index(index_path);
}

/* ---- the index of captures ------------------------------------------------------------------------- */

static void read_index(const char *path)
{
	struct tl_error err;
	struct stat st;
	size_t len;

	if (stat(path, &st))
		tl_die("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		tl_die("%s: expected a file", path);
	char *text = tl_read_file(path, MAX_INDEX, &len);
	if (tl_capture_index_read(&captures, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
}

/* Takes captures out of the choice that cannot be used, with a warning. */
static void check_captures(bool verbose)
{
	size_t usable = 0;

	for (size_t i = 0; i < captures.n; i++) {
		struct tl_capture *c = &captures.items[i];
		char *path = tl_join_path(tl_capture_folder, c->file);
		struct stat st;
		if (strcmp(c->mode, "FULL") != 0 && strcmp(c->mode, "PIECEWISE") != 0)
			tl_warn("%s: left out: its mode is '%s', expected FULL or PIECEWISE", path, c->mode);
		else if (!c->has_batch_size)
			tl_warn("%s: left out, since its batch size is not known", path);
		else if (stat(path, &st))
			tl_warn("%s: left out: %s", path, strerror(errno));
		else if (!S_ISREG(st.st_mode))
			tl_warn("%s: left out, since it is no file", path);
		else {
			tl_will_read(path);
			if (verbose)
				tl_tell("%s: batch size %lld, %s", path, (long long)c->batch_size, c->mode);
			usable++;
			free(path);
			continue;
		}
		c->has_batch_size = false;
		free(path);
	}
	if (!usable)
		tl_die("--capture_folder %s: no trace with the graph of a known batch size", tl_capture_folder);
}

/* ---- captures, merged into the replays ---------------------------------------------------------------- */

static enum tl_status load_capture(void *ctx, const char *file, struct tl_trace **out, struct tl_error *err)
{
	char *path = tl_join_path(tl_capture_folder, file);

	(void)ctx, (void)err;
	*out = tl_pass_load(path, ~TL_CAPTURE_KINDS, go_on_after_damage);
	free(path);
	return TL_OK;
}

const struct tl_merge_options *tl_open_captures(bool lenient, bool verbose)
{
	static struct tl_merge_options options;
	struct stat st;

	if (!tl_capture_folder)
		return NULL;
	if (stat(tl_capture_folder, &st))
		tl_die("--capture_folder %s: %s", tl_capture_folder, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		tl_die("--capture_folder %s: expected a folder", tl_capture_folder);
	tl_capture_index_release(&captures); /* of a trace that was loaded before */
	char *path = tl_join_path(tl_capture_folder, TL_CAPTURE_INDEX_FILE);
	go_on_after_damage = lenient;
	if (!lstat(path, &st))
		read_index(path);
	else
		classify_all(path);
	free(path);
	check_captures(verbose);
	options = (struct tl_merge_options){ &captures, load_capture, NULL };
	return &options;
}

void tl_show_merge(const struct tl_merge_report *r, bool verbose)
{
	if (!r->n_steps)
		tl_warn("--capture_folder: the trace has no step of a serving engine: nothing is merged");
	else if (!r->n_replays)
		tl_warn("--capture_folder: no step launches a graph: nothing is merged");
	for (size_t i = 0; i < r->n_notes; i++) {
		const struct tl_merge_note *n = &r->notes[i];
		if (n->count == 1)
			tl_warn("not merged: %s, in the step %s", n->why, n->step);
		else
			tl_warn("not merged: %s (%llu times, first in the step %s)", n->why, (unsigned long long)n->count, n->step);
	}
	if (r->n_unchecked)
		tl_warn("%llu kernels got their calls by place alone: these calls do not say which kernel they launched",
		        (unsigned long long)r->n_unchecked);
	if (!verbose)
		return;
	tl_tell("graphs merged: %llu of %llu", (unsigned long long)r->n_merged, (unsigned long long)r->n_replays);
	tl_tell("kernels with a captured call: %llu", (unsigned long long)r->n_kernels);
	tl_tell("events added: %llu", (unsigned long long)r->n_events);
}
