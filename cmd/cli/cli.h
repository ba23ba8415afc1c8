/* cli.h - what the programs share: options, help, messages, files, exit.
 * Not part of the installed library. Only these functions print and exit.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CLI_H
#define TL_CLI_H

#include "cli/keep.h"
#include "work/link.h"
#include "base/pattern.h"
#include "edit/slice.h"
#include "tl.h"

#include <time.h>

/* ---- options ----------------------------------------------------------------
 * The options of a program are rows of tables. '_' and '-' stand for each other
 * in a long name, and an unambiguous prefix of a long name is enough. A program
 * names the common options it has (-o FILE, -v, --no-provenance) by its
 * TL_COMMON_* flags; every program has -q, -h/--help and -V/--version. */
enum tl_opt_kind {
	TL_OPT_FLAG,   /* bool *: becomes true */
	TL_OPT_INT,    /* int64_t *: a whole number from min to max */
	TL_OPT_TEXT,   /* const char **: not empty */
	TL_OPT_ANY,    /* const char **: maybe empty */
	TL_OPT_LIST,   /* struct tl_opt_list *: the option may be repeated; see tl_program.operand, too */
	TL_OPT_ANY_LIST, /* the same; its arguments may be empty */
	TL_OPT_CALL,   /* fn(dest, argument or NULL) returns an error text or NULL */
};
struct tl_opt_list { const char **items; size_t n, cap; };
bool tl_opt_list_has(const struct tl_opt_list *, const char *item);
struct tl_opt {
	char short_name;        /* 0: none */
	const char *long_name;
	const char *arg;        /* name of the argument in --help; NULL: takes none */
	const char *help;       /* one line, lower case, no full stop; NULL: not in --help */
	uint8_t kind;
	void *dest;
	int64_t min, max;       /* TL_OPT_INT */
	const char *(*fn)(void *dest, const char *arg);
};
struct tl_common {          /* filled by the common options */
	const char *output;     /* -o, NULL: standard output */
	bool quiet, verbose, no_provenance;
};
/* An option that does nothing by itself is wrong usage. */
struct tl_opt_need {
	const char *option;
	const char *with;       /* names with blanks between them: one of these must be given, too; NULL: none. Of a filter, also
	                           sheets, of which one must be made then; their names as in its table of sheets */
	const char *without;    /* with it these do nothing: none may be given; NULL: any may */
};
struct tl_program {
	const char *name;       /* "tl-ops" */
	const char *synopsis;   /* "[OPTION]... [FILE]" */
	const char *purpose;    /* one line, the same as in the manual page */
	const char *detail;     /* lines below the options in --help; may be NULL */
	const struct tl_opt *options;       /* ends with a row without long_name */
	const struct tl_opt *const *more;   /* further tables, up to a NULL; may be NULL.
	                           An option that stands in several tables fills the
	                           dest of each; --help shows its first row. */
	unsigned common;        /* TL_COMMON_* */
	struct tl_common *c;
	const struct tl_opt_need *needs;    /* ends with a row without option; may be NULL */
	void (*seen)(const struct tl_opt *, const char *arg); /* called after each option
	                           was stored; may be NULL */
	bool lists_take_words;  /* all words between an option that is a list and the next
	                           option are its arguments, as in programs in Python */
	const void *operand;    /* dest of the options that stand for the only operand. If
	                           one of them is given, lists take words. NULL: there are none */
};
enum { TL_COMMON_OUTPUT = 1, TL_COMMON_PROVENANCE = 2, TL_COMMON_VERBOSE = 4 };

/* Parses argv by the tables of the program and returns the operands. Serves
 * --help and --version (exit 0); a wrong option ends the program (exit 2). */
char **tl_cli_start(const struct tl_program *, int argc, char **argv, int *n_operands);
/* The same for a program with one operand, which it returns; NULL without one. */
const char *tl_cli_start_one(const struct tl_program *, int argc, char **argv);

/* The argument of --threads; 0: none. Both set tl_threads (base/threads.h): to it; without it to the value of the variable
 * TL_THREADS, which a program sets for others that it runs side by side; else to the number of processors for this process. */
extern int64_t tl_threads_asked;

/* Ends the program if an option that was given has no effect. is_made: for needs with sheets, else NULL. */
void tl_check_needs(const struct tl_opt_need *, bool (*is_made)(const char *sheet));

/* Whether tl_cli_start met the option: 1 yes, 0 no, -1 the program has no such
 * option. */
int tl_option_given(const char *long_name);

/* The name of the program whose options tl_cli_start met. */
const char *tl_program_name(void);

/* The options that tl_cli_start met, as a shell reads them, but those that only say where
 * output goes and how much is said. */
const char *tl_options_given(void);

/* For TL_OPT_CALL: names of event kinds, separated by commas, into bits
 * 1 << kind of the uint32_t at dest. */
const char *tl_add_kinds(void *dest, const char *names);

/* For TL_OPT_CALL: adds names, separated by commas, to the struct tl_opt_list at dest. */
const char *tl_add_names(void *dest, const char *names);

/* ---- messages and exit -------------------------------------------------------- */
/* What is said from now on is of this program, see tl_said. Also makes an allocation that fails end the program with a message.
 * Messages begin with the name of the program that the user called: the first that spoke here or, if another one
 * started this one, that, which the variable TL_CALLED of the environment names. */
void tl_speak_as(const char *program_name);
const char *tl_called_program(void);
/* For messages: the advice to give this option; "" if the program that the user called does not take it. */
const char *tl_advice(const char *option, const char *advice);
void tl_advise_by(bool (*takes)(const char *option)); /* says whether the program that the user called takes the option */
/* Neither warnings nor notes from now on. */
void tl_be_quiet(void);
bool tl_is_quiet(void);
/* Says a text, of a kind before TL_KEPT_END, or keeps it until its turn. */
void tl_say(enum tl_kept, const char *text);
void tl_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tl_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A note that -v asks for: it is not among those of tl_said. */
void tl_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What was warned of or noted so far, also if nothing was printed because of -q: each text
 * once, the first 100 of them. *more: how many further messages there were. */
const struct tl_remark *tl_said(size_t *n, size_t *more);
/* What removes unfinished files before the program ends by a failure; files.c sets it. */
void tl_clean_up_by(void (*)(void));
/* tl_end calls it first. It need not return. */
void tl_end_in_turn_by(void (*)(int status));
/* Ends the program with this status after a failure that was told. */
void tl_end(int status) __attribute__((noreturn));
/* Prints "NAME: error: TEXT", also with -q. */
/* Long work: tells how much of it is done whenever that is a twentieth more, or just more if the total is 0, which is: not known;
 * but not within 2 s, or as many as the variable TL_PROGRESS of the environment says. -q is the matter of the caller. */
void tl_tell_progress(uint64_t done, uint64_t total, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void tl_say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, removes unfinished output files, and exits with 1. */
void tl_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same for an error of the library, with the input's name and the error's
 * byte offset or row. */
void tl_die_error(const char *input_name, const struct tl_error *) __attribute__((noreturn));
/* The same for a trace that could not be read, with a hint at --lenient where that
 * would help. */
void tl_die_of_trace(const char *input_name, const struct tl_error *, const struct tl_read_report *) __attribute__((noreturn));
/* The same for wrong usage, with a hint at --help; exits with 2. */
void tl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* From now on an error that ends the program is also a line on standard output: {"schema": 1, "error": {"status": 1,
 * "program": "tl-ops", "message": TEXT, "file": FILE or null}}. */
void tl_tell_errors_as_json(void);

/* The provenance line of this stage, "tl-parse 0.1.0: ARGUMENTS", for tl_writer_new; NULL: --no-provenance was
 * given. It stays until the program ends. */
const char *tl_provenance_line(void);
/* Adds --NAME=ARG, or --NAME without an argument (NULL), as one word of a shell. */
void tl_add_shell_option(struct tl_buf *, const char *long_name, const char *arg);

/* ---- the driver ---------------------------------------------------------------------
 * tl-report sets TL_REPORT to its process and its work folder, "PID FOLDER", for the
 * programs that it runs. Messages of these do not name files in that folder, which are
 * gone when the user reads the message. */
/* Called at the start: the program ends with tl-report, however that ends. */
void tl_follow_driver(void);
/* How messages name a file: by its path, or by its sheet if it is a work file;
 * with_folder: and by the folder that work files are made in. */
const char *tl_shown_path(const char *path, bool with_folder);
/* How messages name the folder that temporary files are made in. */
const char *tl_shown_temp_folder(void);

/* ---- input files ----------------------------------------------------------------- */
/* No output may be a file that is read, whatever its name: it would be lost. A program
 * that opens an output before an input, or several of either, says first what it is
 * going to read, so that nothing is written before a refusal. tl_open_input() and
 * tl_open_output() call these, too.
 * path is as for tl_open_input() and tl_open_output(). */
void tl_will_read(const char *path);
/* Ends the program if the output is a file that is read. */
void tl_check_output(const char *path);
/* Opens a file, or standard input for NULL or "-". A file that cannot be opened
 * ends the program. */
struct tl_input *tl_open_input(const char *path);
/* The same for a file that the program found in a folder, or replaces once it is read; it is no pipe. */
struct tl_input *tl_open_own_file(const char *path);
void tl_close_input(struct tl_input *);
/* The input's name in messages: the path (see tl_shown_path), or <stdin>. */
const char *tl_input_name(const char *path);
/* A whole file in memory with a NUL behind it (malloc'ed). A file longer than
 * max bytes ends the program. */
char *tl_read_file(const char *path, size_t max, size_t *len);

/* tl_path_glob (base/path_glob.h); warns of folders that cannot be searched. */
struct tl_paths;
void tl_find_files(struct tl_paths *, const char *folder, const char *pattern);

/* ---- sheets as operands: [NAME=]FILE.tsv --------------------------------------------- */
/* The operands, standard input if there are none; says that all are going to be read. */
char **tl_sheet_operands(char **operands, int *n);
/* The file of an operand. */
const char *tl_operand_file(const char *operand);
/* The sheet's name: NAME, or that of the file without folder and suffix; "sheet" for
 * standard input. The caller frees it. */
char *tl_operand_name(const char *operand);
/* Ends the program for a sheet that cannot be used; a name that cannot be is wrong usage. */
void tl_die_of_sheet(const char *input_name, const struct tl_error *) __attribute__((noreturn));

/* ---- output files ----------------------------------------------------------------
 * An output file appears whole or not at all: it has a temporary name beside
 * `path` until it is renamed. A file that is replaced keeps its permissions,
 * and a link stays a link. Devices, pipes and /dev/fd/N are written directly. Any
 * failure ends the program with the name of the output; a pipe that nobody
 * reads ends it by SIGPIPE. */
/* Opens path, or standard output for NULL or "-". binary: a terminal is refused. path
 * must stay until the output is closed. */
struct tl_output *tl_open_output(const char *path, bool binary);
/* The name that the file has until it is closed: for libraries that write files themselves. Nothing is written by the output then.
 * NULL: a device or a pipe. */
const char *tl_output_file(const struct tl_output *);
/* Writes what is buffered and renames the file. */
void tl_close_output(struct tl_output *);
/* The same, but the file is renamed only by tl_rename_outputs(), together with
 * all others that were closed in this way. */
void tl_close_output_for_later(struct tl_output *);
void tl_rename_outputs(void);
/* Writes a sheet to path, which is as for tl_open_output. */
void tl_write_table(const char *path, const struct tl_table *);
/* Does the output go to a terminal? Is it one that shows colours, and does the user want them (NO_COLOR)? path is as for tl_open_output. */
bool tl_to_terminal(const char *path);
bool tl_has_colours(const char *path);
/* Shows a text that is longer than the screen of the terminal that it goes to by the pager of TL_PAGER or PAGER, else by less. False: nothing was
 * shown, as it is to be written at once. */
bool tl_page(const char *path, const struct tl_buf *);
/* Writes a text to path, which is as for tl_open_output; or pages it. */
void tl_write_text(const char *path, const struct tl_buf *);
/* Writes what was printed to standard output. */
void tl_finish_stdout(void);
/* Makes a file for the program's own use, in the folder for temporary files, and opens it. Nothing
 * is left of it when the program ends, by a signal too. *name is valid until tl_remove_scratch. */
int tl_open_scratch(const char *stem, const char **name);
/* The same for a folder. */
const char *tl_make_scratch_folder(const char *stem);
/* Removes such a file, or a folder with all that is in it. */
void tl_remove_scratch(const char *name);
/* Writes what a scratch file holds from where it is open to its end. */
void tl_copy_out(int fd, struct tl_output *);
/* The date that a made file states: SOURCE_DATE_EPOCH of the environment, else 1 January 1980. */
time_t tl_source_date(void);
/* Makes a folder and those above it. */
void tl_make_folder(const char *path);

/* ---- reports of readers ------------------------------------------------------------ */
/* One warning for each reason for which a reader passed over events. */
void tl_warn_drops(const char *input_name, const struct tl_read_report *);

/* ---- a trace or stream through stages ------------------------------------------------ */
struct tl_pass {
	struct tl_input *in;
	struct tl_output *out;     /* NULL: it goes to no file */
	struct tl_sink *writer;    /* of the stream that goes to `out` */
	struct tl_read_report report;
};
/* Opens the files: path as for tl_open_input, the output that the common options name. */
void tl_pass_open(struct tl_pass *, const char *path, const struct tl_common *);
/* Reads the input into the first stage, closes the output and warns of what was left out. A
 * failure ends the program. */
void tl_pass_read(struct tl_pass *, const struct tl_read_options *, struct tl_sink *first);
/* Reads a trace of any kind without these kinds of events, and links it with Python frames. */
struct tl_trace *tl_pass_load(const char *path, uint32_t drop_kinds, bool lenient);
/* Frees the writer and closes the input. The stages before the writer are the caller's. */
void tl_pass_close(struct tl_pass *);
/* The same with a linker before the sink. Warns of what it could not do; notes: and says what it did, unless the trace
 * was linked. */
void tl_pass_link(struct tl_pass *, const struct tl_read_options *, const struct tl_link_options *, struct tl_sink *to, bool notes, bool verbose);

/* ---- slices ----------------------------------------------------------------------- */
/* Which GPU and which rank; `slice` is a struct tl_slice_options *. */
#define TL_PART_OPTIONS(slice) \
	{ 0, "device", "N", "only the device N of the trace (or of each rank)", TL_OPT_INT, &(slice)->device, 0, INT32_MAX, NULL }, \
	{ 0, "rank", "N", "only the rank N of a joined trace; the rank of a trace that does not say it", TL_OPT_INT, &(slice)->rank, 0, INT32_MAX, NULL }
/* For TL_OPT_CALL: a regular expression into a struct tl_regex. */
const char *tl_take_regex(void *dest, const char *text);
/* What marks steps: the one of a program, which gives it to the traces that it loads. */
extern struct tl_regex tl_step_marker;
#define TL_STEP_MARKER_OPTION \
	{ 0, "step-marker", "REGEX", "what marks steps: annotations, else operators or kernels, whose names match", \
	  TL_OPT_CALL, &tl_step_marker, 0, 0, tl_take_regex }
/* The sink of slice.h. A wrong expression ends the program. */
struct tl_sink *tl_slicer(struct tl_sink *next, const struct tl_slice_options *);
/* Notes which numbers of sheets are of parts only; with verbose, tells how much is in the
 * slice. Warns if it has no device events. */
void tl_show_slice(const struct tl_slice_report *, bool verbose);

#endif
