/* programs.h - other programs, started by one of these tools: the only way in which they start one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PROGRAMS_H
#define TL_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/memory.h"

struct tl_process {
	const char *const *argv;        /* up to a NULL; argv[0]: a program beside this one, else one in PATH */
	const char *const *environment; /* NAME, VALUE, ... up to a NULL, which are added to that of this program; may be NULL */
	int in, out;                    /* descriptors of standard input and output; 0: nothing is read, what it prints goes nowhere */
	int errors;                     /* of standard error; 0: that of this program; -1: what it says goes nowhere */
	int ended;                      /* what becomes its descriptor 3; 0: nothing does */
	int limit_s;                    /* of processor time; 0: none */
	bool own_group;                 /* it gets a process group, so that it can end all that it starts */
};

/* The file of a program beside this one; NULL: there is none. The caller frees it. */
char *tl_program_path(const char *name);
/* Is there a program of this name in PATH? */
bool tl_has_program(const char *name);

/* As fork(): in the new process signals do what they do usually, and it ends with its parent. */
pid_t tl_fork(void);
/* Starts it, without a shell. One of these tools (tl-NAME) is quiet if this program is, and speaks as the program that the
 * user called. It ends with this program. -1: errno says why there is no new process. */
pid_t tl_try_program(const struct tl_process *);
/* Waits for it, or for any with pid -1 (*pid: which). Returns its exit status; 128 and the signal's number if a signal
 * ended it; TL_NO_PROGRAM if there is no such program. */
enum { TL_NO_PROGRAM = 127 };
int tl_wait_for_program(pid_t *pid);
/* Reads from a pipe until nothing holds its other end any more, as if it waited for pid; tells `seen` how many bytes came in all. */
void tl_read_until_end(pid_t pid, int from, void (*seen)(void *ctx, uint64_t n_bytes), void *ctx);
/* Ends the program that is waited for, if there is one. May be called by a handler of signals. */
void tl_end_program_in_wait(void);
/* Starts a program and waits for it. If it does not end with 0, this one ends with the same status: it has said why. */
void tl_run_program(const char *const *argv);
/* The same in two steps, between which this program works and starts no other. */
pid_t tl_start_program(const char *const *argv);
void tl_finish_program(pid_t, const char *name);
/* Starts a program, which reads `text` (NULL: its `in`), and waits for it; what it prints becomes *out (NULL: that goes to its `out`), and
 * what it says on standard error *said (NULL: that goes to its `errors`), each up to some hundred megabytes. Returns
 * its status as tl_wait_for_program does. If it cannot be started, this program ends. */
int tl_program_output(struct tl_process, const struct tl_buf *text, struct tl_buf *out, struct tl_buf *said);

/* Removes a folder with all that is in it. False: not all could be removed, and standard error says why. May be called by a
 * handler of signals. */
bool tl_remove_folder(const char *path);

#endif
