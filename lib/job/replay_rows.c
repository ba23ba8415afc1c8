/* replay_rows.c - the device time of traces, by calls of the operators that are run again and by what launched the rest.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/replay_rows.h"

#include "work/args.h"
#include "work/launchers.h"
#include "perf/device_work.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_A_TIME = 4096 }; /* before they are added up */

struct finder {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	const struct tl_op_groups *groups;
	struct tl_sheet_sum *sum;
	struct tl_table *rows;       /* those that are not added up yet */
	struct tl_device_work work;
	struct tl_arg args[4];
	uint8_t *group_of;           /* by event: 1 + the group whose operator it is; 0: none */
	uint8_t *covered;            /* by event: is it a device event that a row has? */
};

static void add_row(struct finder *f, struct tl_cell cells[N_CALL])
{
	tl_table_add_row(f->rows, cells);
	if (f->rows->n_rows < ROWS_AT_A_TIME)
		return;
	tl_sheet_sum_add(f->sum, f->rows);
	tl_table_head(f->rows, 0);
}

/* ---- operators of groups ------------------------------------------------------------------- */

/* 1 + the group of an operator; 0: none. Only an operator with a namespace can be called by its name, so others have no group by
 * their category: the one inside them may have it. */
static uint8_t group_of_name(const struct finder *f, const char *name)
{
	uint32_t bits = tl_op_groups_of(f->groups, TL_GROUP_REPLAY, name);

	if (!bits && strstr(name, "::"))
		bits = tl_op_groups_of_category(f->groups, tl_op_category_by_name(f->registry, name));
	return bits ? (uint8_t)__builtin_ctz(bits) + 1 : 0;
}

static void find_groups(struct finder *f)
{
	struct tl_trace *t = f->trace;
	uint8_t *of_name = tl_calloc((size_t)t->strings.count + 1, 1);
	bool *known = tl_calloc((size_t)t->strings.count + 1, sizeof *known);

	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t name = t->events[i].name;
		if (t->events[i].kind != TL_KIND_CPU_OP)
			continue;
		if (!known[name]) {
			of_name[name] = group_of_name(f, tl_str(&t->strings, name));
			known[name] = true;
		}
		f->group_of[i] = of_name[name];
	}
	free(known);
	free(of_name);
}

static void add_operator(struct finder *f, uint32_t event)
{
	struct tl_cell cells[N_CALL] = { [CALL_GROUP] = tl_cell_str(&f->trace->strings, f->groups->groups[TL_GROUP_SHEET][f->group_of[event] - 1]) };
	const struct tl_ev *e = &f->trace->events[event];
	struct tl_work work;

	tl_work_below(&f->work, event, &work);
	for (uint32_t i = 0; i < work.n; i++)
		f->covered[work.events[i]] = 1;
	for (size_t i = 0; i < 4; i++)
		cells[CALL_INPUT_DIMS + i] = tl_arg_list_cell(f->trace, &f->args[i], event);
	if (tl_cell_is_null(cells[CALL_INPUT_DIMS]) || tl_cell_is_null(cells[CALL_INPUT_TYPE]))
		cells[CALL_LEFT] = tl_cell_str(&f->trace->strings, "arguments not recorded");
	cells[CALL_NAME] = tl_name_cell(f->trace, e->name);
	cells[CALL_COUNT] = tl_cell_int(1);
	cells[CALL_UID] = tl_cell_int(e->uid);
	cells[CALL_KERNEL_TIME_US] = tl_cell_time(work.ticks, false);
	add_row(f, cells);
}

static enum tl_nearest_answer is_of_group(const struct tl_trace *t, uint32_t event, uintptr_t group_of)
{
	(void)t;
	return ((const uint8_t *)group_of)[event] ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static void add_operators(struct finder *f)
{
	struct tl_nearest outer = { f->trace, is_of_group, (uintptr_t)f->group_of, NULL };

	for (uint32_t i = 0; i < f->trace->n_events; i++)
		if (f->group_of[i] && tl_trace_work_count(f->trace, i) && tl_nearest(&outer, f->trace->events[i].parent) == TL_NONE)
			add_operator(f, i);
	tl_nearest_release(&outer);
}

/* ---- other work ------------------------------------------------------------------------------ */

static void add_other(struct finder *f, uint32_t gpu, const char *left, uint32_t by)
{
	const struct tl_ev *e = &f->trace->events[gpu];

	if (f->covered[gpu] || !tl_gpu_usable(e) || tl_gpu_is_comm(e))
		return;
	f->covered[gpu] = 1;
	add_row(f, (struct tl_cell[N_CALL]){ [CALL_LEFT] = tl_cell_str(&f->trace->strings, left),
		[CALL_NAME] = tl_name_cell(f->trace, f->trace->events[by].name), [CALL_COUNT] = tl_cell_int(1),
		[CALL_KERNEL_TIME_US] = tl_cell_time(e->dur, false) });
}

static void add_others(struct finder *f)
{
	static const char by_none[] = "launched by no operator";
	const struct tl_launchers *l = tl_launchers_of(f->trace);

	for (uint32_t k = 0; k < l->n; k++) {
		const struct tl_launcher *by = &l->items[k];
		bool op = f->trace->events[by->event].kind == TL_KIND_CPU_OP;
		for (uint32_t i = 0; i < by->n; i++)
			add_other(f, l->direct[by->first + i], op ? "no product, convolution or attention" : by_none, by->event);
	}
	for (uint32_t i = 0; i < l->n_gpus; i++)
		add_other(f, l->gpus[i], by_none, l->gpus[i]);
}

/* ---- all ---------------------------------------------------------------------------------------- */

enum tl_status tl_replay_rows_add(struct tl_sheet_sum *sum, struct tl_trace *t, const struct tl_registry *registry,
                                  const struct tl_op_groups *groups, struct tl_error *err)
{
	static const char *const keys[] = { TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS };
	struct finder f = { .trace = t, .registry = registry, .groups = groups, .sum = sum };

	sum->def = &tl_replay_call_sum_sheet;
	f.rows = tl_table_new(&t->strings, t->ticks_per_us, tl_replay_call_rows);
	f.group_of = tl_calloc((size_t)t->n_events + 1, 1);
	f.covered = tl_calloc((size_t)t->n_events + 1, 1);
	for (size_t i = 0; i < 4; i++)
		f.args[i] = tl_arg_of(t, keys[i]);
	tl_device_work_init(&f.work, t);
	find_groups(&f);
	add_operators(&f);
	add_others(&f);
	tl_sheet_sum_add(sum, f.rows);
	enum tl_status status = tl_device_work_check(&f.work, err);
	tl_device_work_release(&f.work);
	tl_table_free(f.rows);
	free(f.group_of);
	free(f.covered);
	return status;
}
