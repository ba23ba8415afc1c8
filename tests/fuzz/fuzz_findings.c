/* fuzz_findings.c - hostile tables of rules of findings, and what they make of a small sheet. A table is refused with a place
 * and a message, or its rules can be asked: no more is at stake than the window has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "findings/findings.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4, WINDOW = 100 };

static struct tl_table *sheet;

static const struct tl_table *sheet_of(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "none") ? sheet : NULL;
}

static void make_sheet(void)
{
	static const char *const columns[] = { "frame", "idle_ms", "Percent of window (%)", "count", NULL };
	static struct tl_strtab strings;

	sheet = tl_table_new(&strings, 1, columns);
	for (int i = 0; i < ROWS; i++)
		tl_table_add_row(sheet, (struct tl_cell[]){ i ? tl_cell_text(tl_intern_str(&strings, i & 1 ? "a.py(12): f" : "it's")) : tl_cell_null(),
			tl_cell_real(i * 2.5), i < 3 ? tl_cell_real(i) : tl_cell_null(), tl_cell_int(i) });
}

static void check(const struct tl_findings *f)
{
	double sum = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct tl_finding *x = &f->items[i];
		if (!x->id[0] || !x->title || !x->advice || !x->next || !x->n_rows || x->n_rows > ROWS)
			abort();
		if (x->rule->tier && !(x->stake_ms >= 0 && isfinite(x->stake_ms)))
			abort();
		sum += x->rule->tier ? x->stake_ms : 0;
	}
	if (sum > WINDOW * (1 + 1e-9))
		abort();
}

static void ask(const struct tl_rule_table *rules)
{
	const struct tl_finding_fact facts[] = { { "window_ms", tl_v_real(100) }, { "has_stacks", tl_v_bool(true) }, { "trace", tl_v_text("t.json", 6) } };
	struct tl_buf explained = { 0 };
	struct tl_findings_input in = {
		.rules = rules, .sheet = sheet_of, .facts = facts, .n_facts = sizeof facts / sizeof *facts,
		.window_ms = WINDOW, .least_share = 0.001, .explain = &explained, .explain_id = rules->n ? rules->rules[0]->id : "",
	};
	struct tl_findings out;
	struct tl_error err = { 0 };

	if (tl_findings_make(&out, &in, &err)) {
		if (!err.text[0])
			abort();
	} else {
		check(&out);
		tl_findings_release(&out);
	}
	tl_buf_release(&explained);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_rule_table rules = { 0 };
	struct tl_error err = { 0 };

	if (!sheet)
		make_sheet();
	enum tl_status s = tl_rule_table_read(&rules, "rules", (const char *)data, size < 20000 ? size : 20000, &err);
	if (s && (s != TL_ERR_DATA || strncmp(err.text, "rules:", 6)))
		abort();
	if (!s)
		ask(&rules);
	tl_rule_table_release(&rules);
	return 0;
}
