/* call_stacks.h - where in the program an operator was called.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CALL_STACKS_H
#define TL_CALL_STACKS_H

#include "work/calls.h"
#include "work/name_rules.h"
#include "model/trace.h"
#include "table/table.h"

/* The stacks of a trace. Where operators or Python functions are nested very deeply,
 * their texts grow with the square of the trace: the bytes of all frames are counted,
 * and after TL_STACKS_MAX of them `exhausted` is true and all further stacks are empty.
 * wrappers: TL_WRAPPER_FRAMES, the caller's. */
#define TL_STACKS_MAX (UINT64_C(1) << 28)
struct tl_stacks {
	struct tl_trace *trace;
	struct tl_name_rules *wrappers;
	bool exhausted;
	/* private */
	uint64_t bytes;
	struct tl_nearest shown; /* frames that stacks show */
};
void tl_stacks_init(struct tl_stacks *, struct tl_trace *, struct tl_name_rules *wrappers);
void tl_stacks_release(struct tl_stacks *);

/* What the stacks of a row are about: the row's event, and the event with which they
 * begin, the same or one above; TL_NONE: the row is synthetic, and they are empty. */
struct tl_stack_row { uint32_t event, top; };

/* The cells entry_point and call_stack_full of a row. name: the row's, a string id;
 * kernels: its n device events, in the order of its summary. Texts go into the trace's
 * string table. */
void tl_stack_columns(struct tl_stacks *, struct tl_stack_row, uint32_t name, const uint32_t *kernels, uint32_t n,
                      struct tl_cell *entry, struct tl_cell *full);
/* Appends the frames of a row's device event, as a Python list. */
void tl_stack_text(struct tl_stacks *, struct tl_stack_row, uint32_t kernel, struct tl_buf *);

/* ---- the modules of a model ----------------------------------------------- */

/* A module is an event of the tree whose name contains "nn.Module" within its first
 * TL_MODULE_NAME characters. Lists of modules are long where modules are nested deeply: the
 * bytes of all lists are counted, and after TL_MODULES_MAX of them `exhausted` is true and
 * all further lists are empty. */
enum { TL_MODULE_NAME = 256 };
#define TL_MODULES_MAX (UINT64_C(1) << 28)
struct tl_modules {
	struct tl_trace *trace;
	bool exhausted;
	/* private */
	struct tl_nearest nearest;
	struct tl_map parents; /* name of a module -> the text without numbers */
	struct tl_map lists;   /* module and name of an event -> the list */
	uint64_t bytes;
};
void tl_modules_init(struct tl_modules *, struct tl_trace *);
void tl_modules_release(struct tl_modules *);

/* The nearest module above an event, without "_" and digits: "nn.Module: Linear"; "NA" if
 * there is none. A string id of the trace. */
uint32_t tl_module_of(struct tl_modules *, uint32_t event);
/* The event's name and all modules above it, the nearest first, as a Python list. Names of
 * more than TL_MODULE_NAME characters end in "..". A string id of the trace. */
uint32_t tl_module_stack(struct tl_modules *, uint32_t event);

#endif
