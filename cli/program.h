/* program.h - between the files of cli only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CLI_PRIVATE_H
#define TL_CLI_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

struct tl_program;
/* Names the program and installs the out-of-memory handler: before the first
 * allocation. */
void tl_cli_prepare(const struct tl_program *);
void tl_cli_heap(void);             /* before the first big allocation */
const char *tl_program_name(void);
bool tl_is_quiet(void);
void tl_die_oom(size_t size);
void tl_remove_unfinished(void);    /* temporary output files */

#endif
