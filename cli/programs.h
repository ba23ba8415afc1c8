/* programs.h - other programs of these tools, run by one of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROGRAMS_H
#define TL_PROGRAMS_H

#include <stdbool.h>
#include <sys/types.h>

/* The file of a program beside this one; NULL: there is none. The caller frees it. */
char *tl_program_path(const char *name);
/* Is there a program of this name in PATH? */
bool tl_has_program(const char *name);
/* In a new process that is to become another program: signals do what they do usually; it ends with its parent. */
void tl_be_child_of(pid_t parent);
/* Starts a program, the one beside this one if there is such a file; argv[0] is its name. It
 * ends with this program. Its standard output goes nowhere. A failure ends the program. */
pid_t tl_start_program(const char *const *argv);
/* Waits for it, or for any with pid -1 (*pid: which). Returns its exit status; 128 and the
 * signal's number if a signal ended it. */
int tl_wait_for_program(pid_t *pid);
/* Both. A program that does not end with 0 ends this one with the same status: it has said why. */
void tl_run_program(const char *const *argv);

#endif
