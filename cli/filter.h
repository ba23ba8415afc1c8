/* filter.h - the filters that make sheets of a linked trace, each as a value:
 * tl-NAME runs one of them, tl-sheets several over one trace.
 * Part of the programs, not of the installed library.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FILTERS_H
#define TL_FILTERS_H

#include "cli/cli.h"

struct tl_filter {
	const struct tl_program *program;
	struct tl_sheet_choice *choice;
	struct tl_load_options *load; /* what it needs of the trace; whole after prepare() */
	/* Once the options are parsed: checks them and reads tables. Returns
	 * false when that was all there is to do, as for a list. */
	bool (*prepare)(int n_operands);
	/* Makes the sheets; `input` is the trace's name for messages. May change
	 * the trace (intern strings, build indexes), but not what is in it. */
	void (*run)(struct tl_trace *, const char *input);
	void (*release)(void); /* what prepare() made; NULL: nothing */
	unsigned weight;       /* about how long it takes, against the others */
};

/* All of them, in the order of a report; NULL ends the list. Made by the Makefile. */
extern const struct tl_filter *const tl_filters[];

/* Runs it; ends the program when it met damage in the trace. */
void tl_filter_run(const struct tl_filter *, struct tl_trace *, const char *input);
/* The whole of a program that is one filter. Returns its exit status. */
int tl_filter_main(const struct tl_filter *, int argc, char **argv);

#endif
