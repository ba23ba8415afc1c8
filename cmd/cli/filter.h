/* filter.h - what the filters that make sheets share: a filter as a value, the
 * choice of sheets, the trace in memory, and options of several filters.
 * The program tl-sheets runs all of them over one trace; called by the name of one, that one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FILTER_H
#define TL_FILTER_H

#include "edit/merger.h"
#include "cli/cli.h"
#include "cli/crew.h"
#include "edit/rewrite.h"
#include "sheets/sheet_list.h"

/* ---- the trace in memory -------------------------------------------------------- */
struct tl_load_options {
	const char *path;             /* NULL or "-": standard input */
	uint32_t drop_kinds;          /* bits 1 << kind: events that are not kept in memory */
	/* If this is not NULL, tells drop_kinds once the source is known, see tl_trace_options. */
	uint32_t (*drop_kinds_of)(void *ctx, const struct tl_header *);
	void *ctx;                    /* for drop_kinds_of */
	bool python, recompute;       /* Python frames in the tree; mark recomputed work */
	bool all_frames;              /* Python frames in the tree, if there are any */
	bool any_tree;                /* a stream that was linked without them will do, too */
	bool frames;                  /* Python frames that tell what the host did, see TL_NEEDS_FRAMES */
	unsigned needs;               /* bits TL_NEEDS_ANNOTATIONS to TL_NEEDS_OTHERS of what options of filters need besides sheets */
	bool instants, counters;      /* events of these kinds of a raw trace; counters become tl_trace.samples ... */
	bool counter_events;          /* ... and stay events, too */
	bool lenient;
	struct tl_rules *rules;       /* tree edits after linking, freed by tl_run_filters; NULL: none */
	bool progress;                /* tell how much of the input is read */
	bool notes, verbose;          /* what to say about linking, see tl_pass_link */
	const char *keep;             /* write the linked and edited stream to this file too, which
	                                 gets its name with the sheets; NULL: do not */
	/* filled by tl_load_trace: bytes of the input, and of its text if it is compressed */
	uint64_t n_bytes, n_text_bytes;
	bool gzip;
};
/* Reads a raw trace or an event stream and runs the stages that are missing (link,
 * edit) in this process. An error ends the program. */
struct tl_trace *tl_load_trace(struct tl_load_options *);

/* --device and --rank of all filters that make sheets: tl_load_trace loads that part only. */
extern const struct tl_opt tl_part_options[];

struct tl_choice;

/* ---- filters ---------------------------------------------------------------------- */
struct tl_filter {
	const char *purpose;           /* one line, the same as in the manual page */
	const struct tl_sheet_family *sheets; /* with the filter's name */
	const struct tl_opt *options;  /* its own; tl_filter_main adds those of every filter */
	/* The i-th name that an entry with TL_SHEET_PATTERN stands for, or NULL past the
	 * last; called after prepare(). NULL: the filter has no such entry. */
	const char *(*pattern)(const struct tl_sheet *, size_t i);
	const struct tl_opt_need *needs; /* of these options, in the program that is this filter alone: in a report one may have no effect */
	/* Once the options are parsed: checks them and reads tables. NULL: nothing to do. */
	void (*prepare)(struct tl_load_options *);
	/* Makes the sheets and writes them; `input` is the trace's name for messages. What it leaves behind are sheets and messages:
	 * another process may run it. */
	void (*run)(struct tl_trace *, const char *input);
	const char *report;            /* the report that it is part of, see tl_report_of; NULL: of every one */
	int runs_last;                 /* after the other filters, wherever its sheets stand in a report: 1, or after those, too: 2 */
	/* Is called with each sheet that a filter makes, before it is written. NULL: nothing to see. */
	void (*see)(const struct tl_table *, const char *name);
	int weight;                    /* how much of a report's time it takes, more or less: who weighs more begins earlier */
	/* Names of sheets that `see` needs: they are made if one of its own is wanted, and written only into a folder. NULL
	 * ends, and is none. */
	const char *const *reads;
	/* Is one of these needed that the options do not put into the report? NULL: all are. */
	bool (*needs_sheet)(const char *name);
};

/* All filters in the order of a report, then NULL. The Makefile makes this list, for
 * tl-sheets. */
extern const struct tl_filter *const tl_filters[];

/* The whole of a program that is one filter; all: those that make the sheets it reads. Returns its exit status. */
int tl_filter_main(const struct tl_filter *, const struct tl_filter *const *all, int argc, char **argv);
/* What --help says below the options of these filters: their sheets. Never freed. */
const char *tl_filter_detail(const struct tl_filter *const *);
/* The same for a program that is no filter: a text, and its sheets below it. */
const char *tl_sheets_detail(const char *text, const struct tl_sheet_family *);
/* Prepares the filters, and the rules of TL_EDIT_OPTIONS. */
void tl_prepare_filters(const struct tl_filter *const *, struct tl_load_options *);
/* Loads the trace with what the wanted sheets need, and runs the filters that make them.
 * by_source: the sheets of the report that fits the trace's source; else those of all
 * filters. */
void tl_run_filters(const struct tl_choice *, size_t n, bool by_source, struct tl_load_options *);

/* Parses a command line of tl-report, whose options are its own and those of
 * tl-sheets, and writes a file for a shell to read: variables for its own options,
 * positional parameters for those of tl-sheets. --help and --version end the program
 * before there is a file. */
void tl_write_report_words(const char *path, const struct tl_opt *const *sheet_options, int argc, char **argv);

/* ---- reports ---------------------------------------------------------------------- */
/* The report that is made of traces of a source (tl_header.source): "pytorch". Unknown
 * sources get that one, too. */
const char *tl_report_of(const char *source);
/* The same of a file, by its format; that of PyTorch for a stream. */
const char *tl_report_of_file(const char *path);
/* For an option that says which report is wanted, whatever the source; workbook: the end of
 * the workbook's name, instead of that of the trace. Constant texts. */
void tl_ask_for_report(const char *report, const char *workbook);
/* The workbook beside a trace, to be freed: the trace's name with "_perf_report.xlsx" instead
 * of the ending that is usual for its format or, if it has another one, of all from its last
 * ".json" on. */
char *tl_workbook_of(const char *trace);
/* Ends the program if an option was given that only filters of other reports have, of which no
 * sheet is wanted. Call it after tl_choose_sheets. */
void tl_check_report_options(const char *report, const struct tl_choice *, size_t n);

/* ---- which sheets, and where to --------------------------------------------------- */
/* --sheets LIST names sheets; -d DIR makes them files of that folder. Without -d one
 * sheet goes to -o or standard output: the one that is named, or the usual one.
 * With -d, but without --sheets, all that are part of a report are made. */
extern const struct tl_opt tl_choice_options[], tl_result_options[];

/* For an option that names sheets as --sheets does: names separated by commas. Returns NULL, or
 * an error text. */
const char *tl_add_sheet_names(const char *names);

/* A sheet that can be made. */
struct tl_choice {
	const char *name;              /* sheets of two reports may have the same one */
	const struct tl_sheet *sheet; /* the entry; its name may be a pattern */
	const struct tl_filter *filter;
	bool current;                  /* part of the report at hand */
	bool wanted, written, empty;
	bool read;                     /* another filter needs it, see tl_filter.reads */
};
/* All sheets of these filters, which were prepared. To be called once. */
const struct tl_choice *tl_list_choices(const struct tl_filter *const *, size_t *n);
/* Checks the options; a wrong choice ends the program. output: the argument of -o, or
 * NULL. trace: its path, or NULL. has_usual: without options a usual sheet goes to standard output. */
void tl_check_choice(const char *output, const char *trace, bool has_usual);
/* Marks the sheets that are wanted of this report; NULL: of all filters. A sheet that
 * --sheets names may be of another report, if this one has none of that name. */
void tl_choose_sheets(const char *report);
/* Once the trace is read, and known is who wrote it (tl_trace_profiler): a trace in PyTorch's form may be another's, which gets all
 * sheets that are part of every report. */
void tl_choose_for_profiler(const char *);
/* Unless --sheets names them, only sheets of this filter are wanted, and those that it reads. */
void tl_choose_only(const struct tl_filter *);
/* The filter whose sheets the functions below are about if another one has a sheet of the
 * same name. */
void tl_choose_filter(const struct tl_filter *);
bool tl_wants_sheet(const char *name);
/* Do the options alone, whatever the trace, ask for a sheet of this name in the table of sheets, or for one that reads it? */
bool tl_asks_for_sheet(const char *name);
/* Before the source of the trace is known: may a sheet be wanted that has this bit of
 * tl_sheet.needs? */
bool tl_may_need(unsigned need);
/* Whether it is wanted because --sheets names it. */
bool tl_names_sheet(const char *name);
/* Whether any sheet is wanted whose name ends so. */
bool tl_wants_ending(const char *ending);
/* For a trace that the filter's usual sheet says nothing of: another one is wanted instead, unless sheets are named or go to a folder. */
void tl_want_instead(const char *sheet, const char *usual);
/* The only sheet that the running filter has to make; NULL if more or none are. */
const char *tl_only_sheet(void);
/* Whether -d was given. */
bool tl_into_folder(void);
/* Ends the program if one of the wanted sheets would replace a file that is read. */
void tl_check_sheet_outputs(void);
/* Makes and writes the wanted sheets; `made` is what the filter made of the trace. */
void tl_write_sheets(const struct tl_sheet_family *, void *made, const struct tl_trace *);
/* Writes one sheet. In a folder the file gets its name only in tl_finish_sheets. */
void tl_write_sheet(const struct tl_table *, const char *name);
/* Writes a text instead of a sheet that goes to -o or standard output. */
void tl_write_sheet_text(const char *name, const struct tl_buf *);
/* Writes a file that is no sheet. */
void tl_write_filter_file(const char *path, const struct tl_buf *text);
/* Writes what one of these three kept. */
void tl_take_kept_sheet(enum tl_kept, const char *data, size_t len);
/* Once all sheets are written: what messages about those without rows say of the trace. */
void tl_remember_contents(const struct tl_trace *);
/* Would a sheet go to a terminal? */
bool tl_sheets_to_terminal(void);
/* The status with which the program ends once all is written: 0 without a call. */
void tl_end_with(int status);
int tl_end_status(void);
/* Gives all files their names, prints the paths of the sheets, and warns of sheets that were named
 * and have no row; what is in the folder from earlier runs: see tl_manifest_close. trace: its path. Was any sheet written? */
bool tl_finish_sheets(const char *trace);

/* ---- communication ---------------------------------------------------------------------- */
/* For filters whose sheets depend on what is communication. */
#define TL_COMMUNICATION_OPTION \
	{ 0, "communication", "RULE", "what is communication: reference (as TraceLens says), table (more libraries) or FILE", \
	  TL_OPT_LIST, &tl_communication_named, 0, 0, NULL }
extern struct tl_opt_list tl_communication_named;
/* In a program with that option: reads the rules; a mistake in them ends the program. */
void tl_prepare_communication(void);
/* The rules of that option, without it those of TraceLens. They stay until the program ends. */
struct tl_name_rules *tl_communication_rules(void);
/* In such a program: decides what each device event of the trace does (tl_mark_work); one
 * note if TraceLens's rule or, with it, the table decides otherwise. */
void tl_mark_communication(struct tl_trace *);

/* ---- categories of kernels --------------------------------------------------------------- */
/* For filters whose sheets have categories of kernels. */
#define TL_CATEGORIES_OPTION \
	{ 0, "kernel-categories", "RULE", "rules for kernel categories: reference (those of TraceLens only), or FILE with more", \
	  TL_OPT_LIST, &tl_categories_named, 0, 0, NULL }
extern struct tl_opt_list tl_categories_named;
/* The rules that this option asks for: those of TraceLens; unless "reference" is named others
 * that are added to them; those of the files that are named. They stay until the program ends. A mistake
 * in a file ends the program. */
struct tl_name_rules *tl_kernel_category_rules(void);
/* The same for reports of rocprofv3, for which TraceLens has rules of their own; reference: as if named. */
struct tl_name_rules *tl_rocprof_category_rules(bool reference);

/* ---- phases of inference ------------------------------------------------------------------- */
/* For filters that tell phases apart. */
#define TL_PHASE_OPTIONS \
	{ 0, "phase_detection_method", "METHOD", "how phases are told (steps), see tl-phase(1)", \
	  TL_OPT_CALL, &tl_phases_chosen.method, 0, 0, tl_take_phase_method }, \
	{ 0, "phase-kernels", "FILE", "add rules that tell the phase of kernels in the method steps; may be repeated", \
	  TL_OPT_LIST, &tl_phase_kernel_files, 0, 0, NULL }
extern struct tl_phases_options tl_phases_chosen;
extern struct tl_opt_list tl_phase_kernel_files;
const char *tl_take_phase_method(void *dest, const char *name);
/* Reads what these options name, once; a mistake in a file ends the program. */
void tl_prepare_phases(void);
/* After that: the phases of the trace, found once. They stay until the program ends, for no
 * longer than the trace of use. An error ends the program; input: names the trace in it. */
struct tl_phases *tl_phases_of_trace(struct tl_trace *, const char *input);

/* ---- what the sheets of a trace leave out --------------------------------------------- */
/* A time as notes tell it, "1.500 ms"; "2^63 ticks or more" of a sum that stopped there. */
struct tl_note_time { char text[32]; };
struct tl_note_time tl_note_time(const struct tl_trace *, int64_t ticks);
/* One note if device events that no runtime call launched are missing in wanted sheets:
 * how many, their time, in which sheets, and the option that counts them. */
void tl_note_unlinked(struct tl_trace *, const struct tl_choice *, size_t n);

/* A note if a trace without host operators has device events, and sheets by operator are wanted. */
void tl_note_no_operators(const struct tl_trace *, const struct tl_choice *, size_t n);

/* A note if an inference trace replays graphs, and no captures are merged. */
void tl_note_graphs(const struct tl_trace *);

/* A warning if the trace has no device events, but sheets of them are wanted. If gpu_timeline
 * is, then that is an error anyway. */
void tl_warn_of_no_device_events(const struct tl_trace *, const struct tl_choice *, size_t n);

struct tl_timeline;
/* Warnings about what gpu_timeline, and overview with its numbers, do not tell. */
void tl_warn_of_timeline(const struct tl_timeline *, bool fell_back);
/* Notes how much of the idle time in the sheets gpu_timeline and gpu_timeline_by_device of this run is unrecorded (sheets/populations.h). */
void tl_note_unrecorded(const struct tl_table *populations);
/* Notes how busy devices are in the recorded window, if gpu_timeline, which is about the time from the first start to the last end, is wanted, and
 * these times are apart (tl_busy_of). */
void tl_note_busy(struct tl_trace *);

/* ---- options of several filters ---------------------------------------------------- */
#define TL_LENIENT_OPTION(dest) \
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them", TL_OPT_FLAG, dest, 0, 0, NULL }

/* Which device events count; `select` is a struct tl_gpu_select *. */
#define TL_SELECT_OPTIONS(select) \
	{ 0, "include_unlinked_kernels", NULL, "count device events that no runtime call launched", TL_OPT_FLAG, &(select)->include_unlinked, 0, 0, NULL }, \
	{ 0, "detect_recompute", NULL, "tell recomputed work (activation checkpointing) apart", TL_OPT_FLAG, &(select)->detect_recompute, 0, 0, NULL }

/* For filters whose sheets have another form in the report of an inference trace. */
#define TL_INFERENCE_OPTION(dest) \
	{ 0, "inference", NULL, "the report of an inference trace (a serving engine), see tl-report(1)", TL_OPT_FLAG, dest, 0, 0, NULL }

/* For filters that read tables of operators. */
#define TL_OPS_OPTION \
	{ 0, "ops", "FILE", "add a table of operators and models (tl-models(5)); may be repeated", TL_OPT_LIST, &tl_op_files, 0, 0, NULL }, \
	{ 0, "op-categories", "RULE", "categories and models of operators: reference (those of TraceLens) or tl (more operators)", \
	  TL_OPT_CALL, &tl_more_ops, 0, 0, tl_take_op_categories }
extern struct tl_opt_list tl_op_files;
extern bool tl_more_ops; /* --op-categories tl */
const char *tl_take_op_categories(void *dest, const char *arg);
/* The built-in tables of operators and models, as --op-categories says, with those of --ops added. They stay
 * until the program ends. A mistake in a table ends the program. */
struct tl_registry *tl_op_tables(void);
/* The same with more operators in any case. */
struct tl_registry *tl_more_op_tables(void);
/* The built-in GPU of that name, else the one that a file of that name describes, to
 * be freed. NULL for "auto", which tl_auto_arch finds when the trace is there. A mistake
 * ends the program. */
struct tl_arch *tl_load_arch(const char *name_or_file);
/* The built-in GPU that the trace names, to be freed. NULL, with a warning, if the trace names
 * none, different ones, or one that is not built in. input: names the trace in the
 * warning; NULL: none is wanted. */
struct tl_arch *tl_auto_arch(struct tl_trace *, const char *input);
/* For filters that compare with the peaks of a GPU. tl_prepare_arch reads what these options
 * name, and ends the program if that cannot be done; tl_chosen_arch returns it, for "auto"
 * that of the trace. It stays until the program ends. NULL: none was chosen. */
#define TL_ARCH_OPTIONS \
	{ 0, "arch", "NAME", "roofline against this GPU, that of a file (JSON or TSV), or that of the trace (auto)", TL_OPT_LIST, &tl_arch_choice, 0, 0, NULL }, \
	{ 0, "gpu_arch_platform", "NAME", "the same", TL_OPT_LIST, &tl_arch_choice, 0, 0, NULL }, \
	{ 0, "gpu_arch_json_path", "FILE", "the same", TL_OPT_LIST, &tl_arch_choice, 0, 0, NULL }
extern struct tl_opt_list tl_arch_choice;
void tl_prepare_arch(void);
const struct tl_arch *tl_chosen_arch(struct tl_trace *, const char *input);
/* For sheets that tell what could be saved: that one, or the built-in GPU that the trace names. NULL, without a word: none fits. */
const struct tl_arch *tl_rating_arch(struct tl_trace *, const char *input);
/* Its peaks by a formula, for a GPU that no table has (tl_arch_estimate); NULL: too little is known. Free with tl_arch_free. */
struct tl_arch *tl_estimated_arch(struct tl_trace *);

/* Adds the rules of a file (tl-kcat(1)). A mistake in it ends the program. */
void tl_add_rule_file(struct tl_name_rules *, const char *path);

/* ---- comparison with another trace ---------------------------------------------------------- */
/* For filters whose sheets compare the trace with another one. */
#define TL_COMPARISON_OPTIONS \
	{ 0, "comparison_json_path", "FILE", "compare with this trace: columns of unified_perf_summary, and diff_stats", \
	  TL_OPT_TEXT, &tl_comparison_trace, 0, 0, NULL }, \
	{ 0, "comparison_capture_folder", "DIR", "the --capture_folder of that trace", \
	  TL_OPT_TEXT, &tl_comparison_capture_folder, 0, 0, NULL }
extern const char *tl_comparison_trace, *tl_comparison_capture_folder;
/* In such a program: checks the options. */
void tl_prepare_comparison(void);
/* Loads the trace of --comparison_json_path as the first one was loaded. */
struct tl_trace *tl_load_comparison(const struct tl_load_options *first);
/* Compares two traces, which must outlive the result; names: of their files, for messages. Notes if they are identical, and
 * what was simplified. An error ends the program. */
struct tl_diff;
struct tl_diff_tables;
void tl_compare_traces(struct tl_diff **, struct tl_diff_tables *, struct tl_trace *traces[2], const char *names[2]);

/* For programs that merge captures of graphs. */
#define TL_CAPTURE_OPTION \
	{ 0, "capture_folder", "DIR", "merge the captures of graphs in DIR into their replays, see tl-rewrite(1)", TL_OPT_TEXT, &tl_capture_folder, 0, 0, NULL }
extern const char *tl_capture_folder;
/* Finds out which trace of the folder captured what, and writes that down there if nobody
 * has; NULL without the option. What cannot be used is an error or has a warning. */
const struct tl_merge_options *tl_open_captures(bool lenient, bool verbose);
/* Warns of what was not merged; with verbose, tells how much was. */
void tl_show_merge(const struct tl_merge_report *, bool verbose);

/* For programs that edit the tree of a trace. */
#define TL_EDIT_OPTIONS \
	{ 0, "enable_pseudo_ops", NULL, "apply the built-in rules of tl-rewrite(1)", TL_OPT_FLAG, &tl_pseudo_ops, 0, 0, NULL }, \
	{ 0, "set", "NAME=VALUE", "what rules ask for: model, tp (degree of tensor parallelism); may be repeated", TL_OPT_LIST, &tl_rule_settings, 0, 0, NULL }
extern bool tl_pseudo_ops;
extern struct tl_opt_list tl_rule_settings;
/* The rules of these options and of the files (may be NULL), to be freed. A mistake
 * in a rule or a setting ends the program. */
struct tl_rules *tl_edit_rules(const struct tl_opt_list *files);
/* Warns of what rules could not do; with verbose, tells how much was changed. */
void tl_show_edits(const struct tl_rewrite_report *, bool verbose);

#endif
