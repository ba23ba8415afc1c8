/* run_program.h - one program of the project runs another.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RUN_PROGRAM_H
#define TL_RUN_PROGRAM_H

/* Runs a program and waits for its end; argv[0] is its name: it is looked for beside the running program,
 * then in PATH. Returns its exit status, 128 and more if a signal ended it. A program that cannot be
 * started ends this one. */
int tl_run_program(const char *const *argv);

#endif
