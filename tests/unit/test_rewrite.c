/* test_rewrite.c - the rewriter before a sink that fails.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/rewrite_rules.h"
#include "tl.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check(int ok, const char *what)
{
	if (!ok)
		failures++;
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
}

/* ---- a sink that takes so many events and links, then fails ---- */

struct failing {
	struct tl_sink base;
	unsigned left;
	enum tl_status status;
	unsigned ended;
};

static enum tl_status take(struct tl_sink *s, struct tl_error *err)
{
	struct failing *f = (struct failing *)s;
	if (f->left) {
		f->left--;
		return TL_OK;
	}
	return tl_fail(err, f->status, "no more");
}

static enum tl_status f_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	(void)e;
	return take(s, err);
}

static enum tl_status f_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	(void)l;
	return take(s, err);
}

static enum tl_status f_end(struct tl_sink *s, struct tl_error *err)
{
	(void)err;
	((struct failing *)s)->ended++;
	return TL_OK;
}

/* Two operators, one below the other, into the rewriter; what its end says. */
static enum tl_status run(const struct tl_rules *rules, struct failing *f, struct tl_error *err)
{
	struct tl_sink *s = tl_rewriter_new(&f->base, rules);
	struct tl_header h = { .source = "pytorch", .ticks_per_us = 1000, .linked = true };
	struct tl_layout l = { .kind = TL_KIND_CPU_OP, .ph = 'X', .flags = TL_HAS_TS | TL_HAS_DUR | TL_HAS_NAME };
	struct tl_link node = { TL_LINK_NODE, 0, TL_NO_UID }, below = { TL_LINK_NODE, 1, 0 };
	struct tl_tables t = { 0 };
	enum tl_status st = s->ops->begin(s, &h, &t, err);
	uint32_t name = tl_add_string(&t, "op", 2), layout = tl_add_layout(&t, &l);
	for (uint64_t i = 0; i < 2 && !st; i++)
		st = s->ops->event(s, &(struct tl_event){ .uid = i, .layout = layout, .name = name }, err);
	if (!st)
		st = s->ops->link(s, &node, err);
	if (!st)
		st = s->ops->link(s, &below, err);
	check(st == TL_OK, "the trace is taken");
	st = s->ops->end(s, err);
	tl_rewriter_free(s);
	tl_tables_release(&t);
	return st;
}

int main(void)
{
	static const char text[] = "rule\tr\tinsert\n\top\top\n\tname\tnew\n";
	static const enum tl_status statuses[] = { TL_ERR_IO, TL_ERR_USAGE, TL_ERR_DATA };
	struct tl_sink_ops ops = *tl_null_sink()->ops; /* what is not ours does nothing */
	struct tl_rules *rules = tl_rules_new();
	struct tl_error err;
	ops.event = f_event;
	ops.link = f_link;
	ops.end = f_end;
	check(tl_rules_add(rules, "rules", text, strlen(text), &err) == TL_OK, "the rule is one");
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		for (unsigned edit = 0; edit < 3; edit++) { /* the new event, replace, reparent */
			struct failing f = { .base.ops = &ops, .left = 4 + edit, .status = statuses[i] };
			enum tl_status st = run(rules, &f, &err);
			check(st == statuses[i] && !strcmp(err.text, "no more") && !f.ended,
			      "what the next sink says of an edit is what the rewriter says");
		}
	}
	struct failing f = { .base.ops = &ops, .left = 7, .status = TL_ERR_IO };
	check(run(rules, &f, &err) == TL_OK && f.ended == 1, "edits that are taken end well");
	tl_rules_free(rules);
	return failures != 0;
}
