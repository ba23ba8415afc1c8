/* options.c - one option table for all programs: parsing, --help, --version.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/threads.h"

#include "base/escape.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_common no_common;

/* Every row of the program's tables, its own first. */
static struct tl_opt *all;
static size_t n_all, cap_all;
static bool *given; /* by row: tl_cli_start met it */
static size_t cap_given;
static const char *program_name = "tl";
static struct tl_buf given_words, provenance;
static bool no_provenance;
static bool want_help, want_version;

bool tl_opt_list_has(const struct tl_opt_list *l, const char *item)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], item))
			return true;
	return false;
}

/* The first row with this name. */
static size_t row_of(const char *long_name)
{
	size_t i = 0;

	while (i < n_all && strcmp(all[i].long_name, long_name))
		i++;
	return i;
}

static bool is_first(size_t i)
{
	return row_of(all[i].long_name) == i;
}

static bool tells_what_sheets_are_of(const char *name)
{
	static const char *const others[] = { "output", "dir", "keep-stream", "quiet", "verbose", "threads" };

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(name, others[i]))
			return false;
	return true;
}

static void remember_word(const char *long_name, const char *arg)
{
	if (!tells_what_sheets_are_of(long_name))
		return;
	if (given_words.len)
		tl_buf_addc(&given_words, ' ');
	tl_add_shell_option(&given_words, long_name, arg);
}

void tl_add_shell_option(struct tl_buf *b, const char *long_name, const char *arg)
{
	char *word = tl_strdupf("--%s%s%s", long_name, arg ? "=" : "", arg ? arg : "");

	tl_add_shell_word(b, word);
	free(word);
}

const char *tl_program_name(void)
{
	return program_name;
}

const char *tl_provenance_line(void)
{
	return no_provenance ? NULL : provenance.data;
}

const char *tl_options_given(void)
{
	return tl_buf_text(&given_words);
}

int tl_option_given(const char *long_name)
{
	size_t i = row_of(long_name);

	return i < n_all ? given[i] : -1;
}

/* Does the program that the user called take the option? tl-report takes those of what it starts. */
static bool takes_option(const char *option)
{
	const char *called = tl_called_program();

	return (!strcmp(called, tl_program_name()) || !strcmp(called, "tl-report")) && tl_option_given(option) >= 0;
}

/* A row that several tables share fills its dest once. */
static void add(struct tl_opt o)
{
	for (size_t i = 0; i < n_all; i++)
		if (all[i].dest == o.dest && !strcmp(all[i].long_name, o.long_name))
			return;
	TL_GROW(all, cap_all, n_all + 1);
	TL_GROW(given, cap_given, n_all + 1);
	given[n_all] = false;
	all[n_all++] = o;
}

static void add_table(const struct tl_opt *o)
{
	for (; o && o->long_name; o++)
		add(*o);
}

static void collect(const struct tl_program *p, struct tl_common *c)
{
	add_table(p->options);
	for (const struct tl_opt *const *t = p->more; t && *t; t++)
		add_table(*t);
	if (p->common & TL_COMMON_OUTPUT)
		add((struct tl_opt){ 'o', "output", "FILE", "write to FILE instead of standard output", TL_OPT_TEXT, &c->output, 0, 0, NULL });
	if (p->common & TL_COMMON_PROVENANCE)
		add((struct tl_opt){ 0, "no-provenance", NULL, "add no line about this stage to the stream's header", TL_OPT_FLAG, &c->no_provenance, 0, 0, NULL });
	if (p->common & TL_COMMON_VERBOSE)
		add((struct tl_opt){ 'v', "verbose", NULL, "say more on standard error", TL_OPT_FLAG, &c->verbose, 0, 0, NULL });
	add((struct tl_opt){ 'q', "quiet", NULL, "no warnings or notes", TL_OPT_FLAG, &c->quiet, 0, 0, NULL });
	add((struct tl_opt){ 'h', "help", NULL, "print this help and exit", TL_OPT_FLAG, &want_help, 0, 0, NULL });
	add((struct tl_opt){ 'V', "version", NULL, "print the version and exit", TL_OPT_FLAG, &want_version, 0, 0, NULL });
}

enum { COLUMN = 35 }; /* where help begins */

/* Prints a line, or more if it is longer than 80 columns, the further ones indented. A word that begins with - does not begin
 * a line: it would look like an option that is listed. COLUMNS of the environment: so many instead of 80, for scripts. */
static void print_line(const char *text, size_t len, size_t indent)
{
	const char *columns = getenv("COLUMNS");
	size_t width = columns && atoi(columns) > 80 ? (size_t)atoi(columns) : 80;

	for (size_t before = 0, at, word; before + len > width;) {
		size_t least = before ? 0 : indent;
		for (at = width - before; at > least && (text[at] != ' ' || text[at + 1] == '-'); )
			at--;
		for (at = at > least ? at : width - before; at < len && text[at] != ' '; )
			at++; /* a word that is longer than the line */
		if (at == len)
			break;
		word = strcspn(text + at + 1, " \n");
		before = indent + word > width && word < width ? width - word : indent;
		printf("%.*s\n%*s", (int)at, text, (int)before, "");
		text += at + 1;
		len -= at + 1;
	}
	printf("%.*s\n", (int)len, text);
}

/* Where the text begins behind a name that a line begins with; without such a name, where the line does. */
static size_t indent_of(const char *line, size_t len)
{
	size_t start = strspn(line, " "), at = start;

	while (start && at + 2 < len && strncmp(line + at, "  ", 2))
		at++;
	return start && at + 2 < len ? at + strspn(line + at, " ") : start;
}

static void print_help(const struct tl_program *p)
{
	struct tl_buf line = { 0 };

	tl_buf_addf(&line, "usage: %s %s", p->name, p->synopsis);
	print_line(line.data, line.len, strlen("usage: "));
	printf("%s\n\n", p->purpose);
	for (size_t i = 0; i < n_all; i++) {
		const struct tl_opt *o = &all[i];
		if (!is_first(i) || !o->help)
			continue;
		tl_buf_clear(&line);
		tl_buf_addf(&line, o->short_name ? "  -%c, --%s" : "   %c  --%s", o->short_name ? o->short_name : ' ', o->long_name);
		tl_buf_addf(&line, "%s%s", o->arg ? " " : "", o->arg ? o->arg : "");
		if (line.len >= COLUMN) {
			puts(line.data);
			tl_buf_clear(&line);
		}
		tl_buf_addf(&line, "%*s%s", (int)(COLUMN - line.len), "", o->help);
		print_line(line.data, line.len, COLUMN);
	}
	tl_buf_release(&line);
	if (p->detail)
		putchar('\n');
	for (const char *text = p->detail ? p->detail : ""; *text; text += *text == '\n') {
		size_t len = strcspn(text, "\n");
		print_line(text, len, indent_of(text, len));
		text += len;
	}
	tl_finish_stdout();
	exit(0);
}

static void print_version(const struct tl_program *p)
{
	printf("%s %s (stream %d)\n", p->name, tl_version(), TL_STREAM_MAJOR);
#ifdef TL_HAVE_ISAL
	printf("inflate: isa-l\n");
#else
	printf("inflate: zlib\n");
#endif
#ifdef __clang__
	printf("compiler: clang %s\n", __clang_version__);
#else
	printf("compiler: gcc %s\n", __VERSION__);
#endif
	tl_finish_stdout();
	exit(0);
}

static void store_int(const struct tl_opt *o, const char *arg)
{
	char *end;
	errno = 0;
	long long v = strtoll(arg, &end, 10);
	if (end == arg || *end || errno || isspace((unsigned char)*arg) || v < o->min || v > o->max)
		tl_usage("--%s: '%s' is not a whole number from %lld to %lld", o->long_name, arg,
		         (long long)o->min, (long long)o->max);
	*(int64_t *)o->dest = v;
}

static void store(const struct tl_opt *o, const char *arg)
{
	bool may_be_empty = o->kind == TL_OPT_INT || o->kind == TL_OPT_ANY || o->kind == TL_OPT_ANY_LIST;

	if (arg && !*arg && !may_be_empty) /* most often a shell variable that is not set */
		tl_usage("--%s: the argument is empty", o->long_name);
	switch (o->kind) {
	case TL_OPT_FLAG: *(bool *)o->dest = true; break;
	case TL_OPT_INT: store_int(o, arg); break;
	case TL_OPT_TEXT:
	case TL_OPT_ANY: *(const char **)o->dest = arg; break;
	case TL_OPT_LIST:
	case TL_OPT_ANY_LIST: {
		struct tl_opt_list *l = o->dest;
		TL_PUSH(l->items, l->n, l->cap, arg);
		break;
	}
	case TL_OPT_CALL: {
		const char *problem = o->fn(o->dest, arg);
		if (problem && arg)
			tl_usage("--%s: '%s': %s", o->long_name, arg, problem);
		if (problem)
			tl_usage("--%s: %s", o->long_name, problem);
		break;
	}
	}
}

/* name with c between its words */
static const char *spelled(struct tl_arena *a, const char *name, char c)
{
	char *s = tl_arena_dup(a, name, strlen(name));

	for (char *p = s; (p = strpbrk(p, "-_")); p++)
		*p = c;
	return s;
}

/* getopt_long gets each name in both spellings, and returns 1000 plus the number of
 * the row. */
static struct option *long_options(struct tl_arena *a)
{
	struct option *lo = tl_arena_alloc(a, (2 * n_all + 1) * sizeof *lo);
	size_t n = 0;

	for (size_t i = 0; i < n_all; i++) {
		int has_arg = all[i].arg ? required_argument : no_argument;
		if (!is_first(i))
			continue;
		lo[n++] = (struct option){ spelled(a, all[i].long_name, '_'), has_arg, NULL, 1000 + (int)i };
		lo[n++] = (struct option){ spelled(a, all[i].long_name, '-'), has_arg, NULL, 1000 + (int)i };
	}
	lo[n] = (struct option){ NULL, 0, NULL, 0 };
	return lo;
}

static void short_options(char *s)
{
	*s++ = ':';
	for (size_t i = 0; i < n_all; i++) {
		if (!all[i].short_name)
			continue;
		*s++ = all[i].short_name;
		if (all[i].arg)
			*s++ = ':';
	}
	*s = 0;
}

static size_t row_of_letter(int c)
{
	size_t i = 0;

	while (all[i].short_name != c)
		i++;
	return i;
}

/* Is an argument the long option NAME or NAME=VALUE, with '_' or '-' in it? */
static bool is_option(const char *arg, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (arg[2 + i] != name[i] && !(strchr("_-", name[i]) && arg[2 + i] && strchr("_-", arg[2 + i])))
			return false;
	return !arg[2 + n] || arg[2 + n] == '=';
}

/* Is the word before '=' in the long option `arg` the beginning of this name? */
static bool is_beginning(const char *arg, const char *name)
{
	for (arg += 2; *arg && *arg != '='; arg++, name++)
		if (*arg != *name && !(*name && strchr("_-", *name) && strchr("_-", *arg)))
			return false;
	return true;
}

/* How many letters are to be changed, added or left out to make `name` of the word before '=' in the long option. */
static size_t distance(const char *arg, const char *name)
{
	size_t row[128], n = strcspn(arg += 2, "="), before, above;

	for (size_t i = 0; i <= n; i++)
		row[i] = i;
	for (size_t k = 0; name[k]; k++) {
		before = row[0]++;
		for (size_t i = 0; i < n; i++, before = above) {
			bool same = arg[i] == name[k] || (strchr("_-", arg[i]) && strchr("_-", name[k]));
			above = row[i + 1];
			row[i + 1] = (above < row[i] ? above : row[i]) + 1;
			if (row[i + 1] > before + !same)
				row[i + 1] = before + !same;
		}
	}
	return row[n];
}

static size_t add_nearest(struct tl_buf *b, const char *arg)
{
	size_t len = strcspn(arg, "="), nearest = len < 8 ? 1 : len < 14 ? 2 : 3, n = 0;

	for (size_t i = 0; i < n_all && len < 100; i++) {
		size_t d = is_first(i) ? distance(arg, all[i].long_name) : SIZE_MAX;
		if (d > nearest)
			continue;
		if (d < nearest)
			n = 0, tl_buf_clear(b);
		nearest = d;
		tl_buf_addf(b, "%s--%s", n++ ? ", " : "", all[i].long_name);
	}
	return n;
}

/* Ends the program: no option has this name, or several begin so, or '_' and '-' are mixed in it. */
static void __attribute__((noreturn)) unknown_option(const char *arg)
{
	struct tl_buf fit = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < n_all; i++)
		if (is_first(i) && is_beginning(arg, all[i].long_name))
			tl_buf_addf(&fit, "%s--%s", n++ ? ", " : "", all[i].long_name);
	if (n > 1)
		tl_usage("ambiguous option '%s': it may be %s", arg, fit.data);
	if (!n)
		n = add_nearest(&fit, arg);
	tl_usage("unknown option '%s'%s%s", arg, n == 1 ? "; the nearest is " : n ? "; the nearest are " : "", tl_buf_text(&fit));
}

static void bad_option(int c, const char *arg)
{
	bool is_long = !optopt || optopt >= 1000; /* for a short option, arg may be the word before it */
	if (c == ':') {
		if (is_long)
			tl_usage("option '%s' needs an argument", arg);
		tl_usage("option '-%c' needs an argument", optopt);
	}
	if (is_long && optopt >= 1000)
		tl_usage("option '%s' takes no argument", arg);
	if (is_long)
		unknown_option(arg);
	tl_usage("unknown option '-%c'", optopt);
}

const char *tl_add_names(void *dest, const char *names)
{
	struct tl_opt_list *l = dest;

	for (size_t len; *names; names += len + (names[len] == ',')) {
		len = strcspn(names, ",");
		TL_GROW(l->items, l->cap, l->n + 1);
		if (len)
			l->items[l->n++] = tl_strndup(names, len);
	}
	return NULL;
}

const char *tl_add_kinds(void *dest, const char *arg)
{
	uint32_t *set = dest;

	for (;; arg++) {
		size_t len = strcspn(arg, ",");
		int kind = tl_kind_by_name(arg, len);

		if (kind < 0) {
			struct tl_buf b = { 0 }; /* the program ends with this text */

			tl_buf_addf(&b, "no event kind '%.*s', expected one of", (int)(len > 40 ? 40 : len), arg);
			for (unsigned k = 0; k < TL_KIND_COUNT; k++)
				tl_buf_addf(&b, " %s", tl_kind_name(k));
			return b.data;
		}
		*set |= (uint32_t)1 << kind;
		arg += len;
		if (!*arg)
			return NULL;
	}
}

/* Does an option give what else is the operand? */
static bool has_no_operand(const struct tl_program *p, int argc, char **argv)
{
	for (size_t row = 0; p->operand && row < n_all; row++)
		for (int i = 1; all[row].dest == p->operand && i < argc; i++)
			if (!strncmp(argv[i], "--", 2) && is_option(argv[i], all[row].long_name))
				return true;
	return false;
}

static void meet(const struct tl_program *p, size_t row, char *arg)
{
	given[row] = true;
	remember_word(all[row].long_name, arg);
	for (size_t i = row; i < n_all; i++)
		if (!strcmp(all[i].long_name, all[row].long_name))
			store(&all[i], arg);
	if (p->seen)
		p->seen(&all[row], arg);
}

/* Adds names of what the option needs, which have blanks between them, as users write them: --OPTION or --sheets SHEET. An option
 * that has the name of a sheet needs the sheet. met: only options that were given, and sheets that are made. */
static void add_needed(struct tl_buf *b, const char *option, const char *names, bool met, bool (*is_made)(const char *sheet))
{
	for (size_t len; names && *names; names += len + strspn(names + len, " ")) {
		len = strcspn(names, " ");
		char *name = tl_strndup(names, len);
		int is_given = strcmp(name, option) ? tl_option_given(name) : -1;
		if (!met || is_given > 0 || (is_made && is_made(name)))
			tl_buf_addf(b, "%s--%s%s", b->len ? " or " : "", is_given < 0 ? "sheets " : "", name);
		free(name);
	}
}

void tl_check_needs(const struct tl_opt_need *o, bool (*is_made)(const char *sheet))
{
	struct tl_buf with = { 0 }, without = { 0 };

	for (; o && o->option; o++) {
		if (tl_option_given(o->option) <= 0)
			continue;
		add_needed(&with, o->option, o->with, true, is_made);
		add_needed(&without, o->option, o->without, true, NULL);
		if (without.len)
			tl_usage("%s has no effect with --%s", without.data, o->option);
		if (o->with && !with.len) {
			add_needed(&with, o->option, o->with, false, NULL);
			tl_usage("--%s has no effect without %s", o->option, with.data);
		}
		tl_buf_clear(&with);
	}
	tl_buf_release(&with);
}

int64_t tl_threads_asked;

static void choose_threads(void)
{
	const char *said = getenv("TL_THREADS");
	cpu_set_t mine;

	if (tl_threads_asked)
		tl_threads = (unsigned)tl_threads_asked;
	else if (said && atoi(said) > 0)
		tl_threads = (unsigned)atoi(said);
	else if (!sched_getaffinity(0, sizeof mine, &mine))
		tl_threads = (unsigned)CPU_COUNT(&mine);
}

char **tl_cli_start(const struct tl_program *p, int argc, char **argv, int *n_operands)
{
	struct tl_common *c = p->c ? p->c : &no_common;
	struct tl_arena spellings = { 0 };

	tl_advise_by(takes_option);
	tl_speak_as(p->name);
	tl_follow_driver();
	/* before getopt_long() changes the order of argv */
	program_name = p->name;
	tl_buf_addf(&provenance, "%s %s:", p->name, tl_version());
	for (int i = 1; i < argc; i++) {
		tl_buf_addc(&provenance, ' ');
		tl_add_shell_word(&provenance, argv[i]);
	}
	tl_mask_controls(provenance.data);
	collect(p, c);
	struct option *lo = long_options(&spellings);
	char *so = tl_arena_alloc(&spellings, 2 * n_all + 2); /* a colon, letter and colon of each, NUL */
	short_options(so);
	opterr = 0;
	bool take_words = p->lists_take_words || has_no_operand(p, argc, argv);
	for (int ch; (ch = getopt_long(argc, argv, so, lo, NULL)) != -1;) {
		if (ch == '?' || ch == ':')
			bad_option(ch, argv[optind - 1]);
		size_t row = ch >= 1000 ? (size_t)ch - 1000 : row_of_letter(ch);
		meet(p, row, optarg);
		bool list = all[row].kind == TL_OPT_LIST || all[row].kind == TL_OPT_ANY_LIST;
		while (take_words && list && optind < argc && argv[optind][0] != '-')
			meet(p, row, argv[optind++]);
		if (want_help)
			print_help(p);
		if (want_version)
			print_version(p);
	}
	tl_check_needs(p->needs, NULL);
	if (c->quiet)
		tl_be_quiet();
	no_provenance = c->no_provenance;
	choose_threads();
	tl_arena_release(&spellings);
	*n_operands = argc - optind;
	return argv + optind;
}

const char *tl_cli_start_one(const struct tl_program *p, int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(p, argc, argv, &n);

	if (n > 1)
		tl_usage("one file expected, %d given", n);
	return n ? operands[0] : NULL;
}
