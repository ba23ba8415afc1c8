/* op_tables.c - tables of knowledge: those of operators, models and GPUs, built in and of
 * --ops and --arch; rules about the names of kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/devices.h"
#include "work/trace_facts.h"
#include "cli/filter.h"
#include "work/name_rules.h"
#include "perf/arch.h"
#include "perf/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_TABLE = 1 << 20 };

struct tl_opt_list tl_op_files;
bool tl_more_ops;
struct tl_opt_list tl_arch_choice; /* of all three options together; at most one value may be given */
static struct tl_arch *chosen;

/* Refuses families of operators that have the name of another sheet: the files of both
 * would have one name. */
static void reserve_names(const struct tl_registry *r)
{
	struct tl_error err;

	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name; s++)
			if (tl_family_reserve(r, s->name, &err))
				tl_die("%s", err.text);
}

const char *tl_take_op_categories(void *dest, const char *arg)
{
	*(bool *)dest = !strcmp(arg, "tl");
	return !strcmp(arg, "tl") || !strcmp(arg, "reference") ? NULL : "expected reference or tl";
}

/* The files of --ops are read once, since they may be pipes. */
static const struct tl_table_text *user_tables(void)
{
	static struct tl_table_text *texts;

	if (texts)
		return texts;
	texts = tl_calloc(tl_op_files.n + 1, sizeof *texts);
	for (size_t i = 0; i < tl_op_files.n; i++) {
		texts[i].name = tl_op_files.items[i];
		texts[i].text = tl_read_file(texts[i].name, MAX_TABLE, &texts[i].len);
	}
	return texts;
}

static struct tl_registry *read_tables(bool more)
{
	struct tl_registry *r;
	struct tl_error err;

	if (tl_registry_new(&r, more, user_tables(), tl_op_files.n, &err) != TL_OK)
		tl_die("%s", err.text);
	reserve_names(r);
	return r;
}

struct tl_registry *tl_more_op_tables(void)
{
	static struct tl_registry *registry;

	return registry = registry ? registry : read_tables(true);
}

struct tl_registry *tl_op_tables(void)
{
	static struct tl_registry *registry;

	if (tl_more_ops)
		return tl_more_op_tables();
	return registry = registry ? registry : read_tables(false);
}

void tl_add_rule_file(struct tl_name_rules *rules, const char *path)
{
	struct tl_error err;
	size_t len;
	char *text = tl_read_file(path, TL_RULE_TABLE_MAX, &len);

	if (tl_name_rules_add(rules, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
}

struct tl_arch *tl_load_arch(const char *name)
{
	struct tl_error err;
	struct tl_arch *a;
	struct stat st;
	size_t len;

	if (!strcmp(name, "auto"))
		return NULL;
	if (tl_arch_by_name(&a, name, &err) == TL_OK)
		return a;
	if (stat(name, &st) && (errno == ENOENT || !strchr(name, '/')))
		tl_usage("--arch: %s, or a file", err.text);
	char *text = tl_read_file(name, MAX_TABLE, &len);
	if (tl_arch_from_text(&a, name, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
	return a;
}

/* Why tl_auto_arch finds none. */
static void explain_no_arch(const struct tl_trace_facts *facts, const struct tl_gpu_facts *of, struct tl_buf *why)
{
	const struct tl_gpu_facts *g = facts->gpus;

	if (!facts->n_gpus) {
		tl_buf_adds(why, "the trace does not name its GPU");
		return;
	}
	if (of) {
		tl_buf_addf(why, "no architecture is built in for the trace's GPU, \"%.60s\"", of->name);
		if (of->units)
			tl_buf_addf(why, " with %lld SMs or CUs", (long long)of->units);
		return;
	}
	size_t i = 1;
	while (tl_same_gpu_kind(&g[i], g))
		i++;
	tl_buf_addf(why, "the trace names different GPUs: \"%.60s\" with %lld SMs or CUs, \"%.60s\" with %lld", g->name,
	            (long long)g->units, g[i].name, (long long)g[i].units);
}

struct tl_arch *tl_auto_arch(struct tl_trace *t, const char *input)
{
	struct tl_trace_facts facts;
	struct tl_buf name = { 0 }, why = { 0 };
	struct tl_error err;
	struct tl_arch *a;

	tl_trace_facts_read(&facts, t);
	const struct tl_gpu_facts *of = tl_working_gpu_kind(&facts, t);
	if ((!of || !tl_arch_for_device(of->name, of->units, &name)) && !input) {
		a = NULL;
	} else if (!name.len) {
		explain_no_arch(&facts, of, &why);
		tl_arch_names(of ? of->name : "", &name);
		tl_warn("%s: --arch auto: %s, so there is no roofline; expected --arch with %s%s, or a file%s%.60s%s", input, why.data,
		        strchr(name.data, ',') ? "one of " : "", name.data, of ? " with the line {\"name\": \"" : "", of ? of->name : "",
		        of ? "\", \"mem_bw_gbps\": GB/s, \"max_achievable_tflops\": {\"matrix_bf16\": TFLOP/s}}" : "");
		a = NULL;
	} else if (tl_arch_by_name(&a, name.data, &err) != TL_OK) {
		tl_die("%s", err.text);
	}
	tl_buf_release(&name);
	tl_buf_release(&why);
	tl_trace_facts_release(&facts);
	return a;
}

void tl_prepare_arch(void)
{
	if (tl_arch_choice.n > 1)
		tl_usage("only one of --arch, --gpu_arch_platform, --gpu_arch_json_path may be given");
	if (tl_arch_choice.n && !chosen)
		chosen = tl_load_arch(tl_arch_choice.items[0]);
}

const struct tl_arch *tl_chosen_arch(struct tl_trace *t, const char *input)
{
	static bool looked;

	if (tl_arch_choice.n && !chosen && !looked)
		chosen = tl_auto_arch(t, input);
	looked = true;
	return chosen;
}

const struct tl_arch *tl_rating_arch(struct tl_trace *t, const char *input)
{
	static struct tl_arch *found;
	static bool looked;

	if (tl_arch_choice.n)
		return tl_chosen_arch(t, input);
	if (!looked)
		found = tl_auto_arch(t, NULL);
	looked = true;
	return found;
}

struct tl_arch *tl_estimated_arch(struct tl_trace *t)
{
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	const struct tl_gpu_facts *of = tl_working_gpu_kind(&facts, t);
	struct tl_arch *a = of ? tl_arch_estimate(of->name, of->units, of->capability) : NULL;
	tl_trace_facts_release(&facts);
	return a;
}
