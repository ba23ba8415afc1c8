/* module_stacks.h - the modules of a model (frames of nn.Module) around an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MODULE_STACKS_H
#define TL_MODULE_STACKS_H

#include "analysis/nearest.h"

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
