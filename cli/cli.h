/* cli.h - what the programs share: options, help, messages, files, exit.
 * Not part of the installed library. The only place that prints and exits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CLI_H
#define TL_CLI_H

#include "tl.h"

/* ---- options ----------------------------------------------------------------
 * A program's options are one table. Long names may hold '_' or '-': both are
 * accepted for each other. Unambiguous prefixes are accepted. The common ones
 * (-o FILE, -@/--threads, -q, -v, --no-provenance) are those that the program's
 * TL_COMMON_* name; -q, -h/--help and -V/--version are always there. */
enum tl_opt_kind {
	TL_OPT_FLAG,   /* bool *: set true */
	TL_OPT_INT,    /* int64_t *: within min..max, whole string */
	TL_OPT_TEXT,   /* const char ** */
	TL_OPT_LIST,   /* struct tl_opt_list *: repeatable */
	TL_OPT_CALL,   /* fn(dest, argument or NULL); returns error text or NULL */
};
struct tl_opt_list { const char **items; size_t n, cap; };
struct tl_opt {
	char short_name;        /* 0 = none */
	const char *long_name;
	const char *arg;        /* metavariable, NULL: takes none */
	const char *help;       /* one line, lower case, no full stop */
	uint8_t kind;
	void *dest;
	int64_t min, max;       /* TL_OPT_INT */
	const char *(*fn)(void *dest, const char *arg);
};
struct tl_common {          /* filled by the common options */
	const char *output;     /* -o, NULL = stdout */
	int64_t threads;        /* -@, default 1 */
	bool quiet, verbose, no_provenance;
};
struct tl_program {
	const char *name;       /* "tl-ops" */
	const char *synopsis;   /* "[OPTION]... [FILE]" */
	const char *purpose;    /* one line for --help and the man page's NAME */
	const char *detail;     /* lines after the options in --help; may be NULL */
	const struct tl_opt *options; /* own ones, ends with long_name NULL */
	unsigned common;        /* TL_COMMON_* that apply */
	struct tl_common *c;
	bool commands;          /* operands are commands with options of their own:
	                           own options end at the first operand */
};
enum { TL_COMMON_OUTPUT = 1, TL_COMMON_THREADS = 2, TL_COMMON_PROVENANCE = 4, TL_COMMON_VERBOSE = 8 };

/* Parses argv by the program's table: serves --help and --version (exit 0),
 * ends with a usage error (exit 2) on anything unknown. Installs the
 * out-of-memory handler. Returns the operands. May be called again for another
 * program: messages are that one's from then on. */
char **tl_cli_start(const struct tl_program *, int argc, char **argv, int *n_operands);

/* For TL_OPT_CALL: names of event kinds, separated by commas, into bits
 * 1 << kind of the uint32_t at dest. */
const char *tl_add_kinds(void *dest, const char *names);

/* Messages come from this program from now on. */
void tl_cli_become(const struct tl_program *);

/* ---- messages and exit -------------------------------------------------------- */
void tl_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tl_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* not with -q */
/* Removes unfinished output files, prints "NAME: error: TEXT", exits 1. */
void tl_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same from an error, with the input's name and offset or record. */
void tl_die_error(const char *input_name, const struct tl_error *) __attribute__((noreturn));
/* Usage error: the same with a hint, exit 2. */
void tl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The provenance line of this stage, "tl-parse 0.1.0: ARGUMENTS". Call it before
 * tl_cli_start, which changes the order of argv; pass it to tl_writer_new
 * unless --no-provenance was given. */
char *tl_provenance_line(const struct tl_program *, int argc, char **argv);

/* ---- files ---------------------------------------------------------------------- */
/* Opens a file, or stdin for NULL or "-". Never returns NULL (dies). */
struct tl_input *tl_open_input(const char *path);
void tl_close_input(struct tl_input *);
/* What messages call it: the path, or <stdin>. */
const char *tl_input_name(const char *path);
/* Opens stdout for NULL or "-"; else a temporary file beside `path` that takes
 * its name when tl_close_output succeeds: a file appears whole or not at all.
 * binary: refuses a terminal. A write that fails ends the program with the
 * name of the output, EPIPE by SIGPIPE. */
struct tl_output *tl_open_output(const char *path, bool binary);
/* Flushes, checks, renames. Dies on failure. */
void tl_close_output(struct tl_output *);
/* Makes a file of which nothing is left when the program ends, by a signal too,
 * and opens it. *name stays until tl_remove_scratch, which removes the file. */
int tl_open_scratch(const char *folder, const char *stem, const char **name);
void tl_remove_scratch(const char *name);
/* Flushes what was printed to stdout; dies on failure. */
void tl_finish_stdout(void);
/* A text to path as tl_open_output takes it. */
void tl_write_text(const char *path, const struct tl_buf *);

/* One warning a reason for what a reader passed over. */
void tl_warn_drops(const char *input_name, const struct tl_read_report *);
/* What linking left out. */
void tl_warn_linker(const struct tl_link_report *);

/* ---- analysis filters ------------------------------------------------------------ */
/* Opens FILE (or stdin), finds out what it is (raw trace, stream, linked
 * stream), runs the missing stages in process and returns the linked trace in
 * memory. Warnings of the reader go to stderr. */
struct tl_load_options {
	uint32_t drop_kinds;
	bool lenient, python, recompute;
	const struct tl_rules *rules; /* tree edits after linking; NULL: none */
};
struct tl_trace *tl_load_trace(const char *path, const struct tl_load_options *, const struct tl_common *);
/* Writes one sheet: to DIR/NAME.tsv when dir is not NULL, else to path or
 * stdout. */
void tl_emit_sheet(const struct tl_table *, const char *name, const char *dir, const char *path);
/* From now on the path of each DIR/NAME.tsv is printed once it is there. */
void tl_announce_sheets(void);

/* ---- which sheets, and where to ------------------------------------------------- */
/* A filter that makes several sheets takes --sheet NAME and -d DIR: without -d
 * one sheet (the usual one, unless named) goes to -o or stdout, with -d all those
 * named, or all that are part of a report, in the order of a report. */
struct tl_sheet_choice { struct tl_opt_list names; const char *dir; };
#define TL_SHEET_OPTIONS(choice) \
	{ 0, "sheet", "NAME", "the sheet to write; with -d may be repeated", TL_OPT_LIST, &(choice).names, 0, 0, NULL }, \
	{ 'd', "dir", "DIR", "write all sheets, or those named, as DIR/NAME.tsv", TL_OPT_TEXT, &(choice).dir, 0, 0, NULL }
struct tl_sheet_source {
	const char *name;  /* NULL ends the table */
	bool extra;        /* not part of a report: written only when named */
	bool needs_rows;   /* with -d, left out when it has no rows */
	bool usual;        /* the one to write when none is named and there is no -d */
};
/* Usage errors for unknown names and for -d with -o. To be called before the
 * trace is loaded. */
void tl_check_sheets(const struct tl_sheet_choice *, const struct tl_sheet_source *, const struct tl_common *);
bool tl_sheet_chosen(const struct tl_sheet_choice *, const struct tl_sheet_source *, const char *name);
/* Makes and writes the chosen sheets. make() returns a table, which is freed. */
void tl_write_sheets(const struct tl_sheet_choice *, const struct tl_sheet_source *, const struct tl_common *,
                     struct tl_table *(*make)(void *ctx, const char *name), void *ctx);
/* The built-in tables of operators and models, with the user's added; dies on
 * a mistake in one. Filters that ask for the same tables share them. */
struct tl_registry *tl_load_registry(const struct tl_opt_list *tables);
void tl_drop_registry(struct tl_registry *);
/* A whole file in memory with a NUL behind (malloc'ed); dies when it is longer
 * than max bytes. */
char *tl_read_file(const char *path, size_t max, size_t *len);

#endif
