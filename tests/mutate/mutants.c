/* mutants.c - draws small faults of C sources and tables, for scripts/mutate.
 *
 * usage: mutants SEED N FILE...       lists the first N: file, line, text of the line, change; TAB between
 *        mutants SEED N =K FILE...    prints the file of the K-th of them with that fault in it
 *
 * Lines are drawn evenly, then one of the faults that a line can have; none comes twice. The same seed and
 * files give the same faults. In C only bodies of functions are looked at, which in this project start with
 * a line "{" and end with a line "}".
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NAME, NUMBER, TEXT, SIGN };
struct token { size_t start, end; enum kind kind; };

struct file { const char *path; char *s; size_t n; bool table; struct token *t; size_t n_t; };

/* The bytes from start to end become text; shown: the part of the source that is told. */
struct fault { const struct file *file; size_t start, end, shown_start, shown_end; char *text; };

static struct fault *faults;
static size_t n_faults;

static void *grown(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p;
	p = realloc(p, (n ? 2 * n : 1) * size);
	if (!p)
		exit(1);
	return p;
}

static uint64_t state;

/* a random number below n (splitmix64) */
static size_t below(size_t n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (size_t)((z ^ z >> 31) % n);
}

/* ---- tokens ------------------------------------------------------------------------ */

static const char *const signs[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL };

static size_t sign_length(const char *s)
{
	for (size_t i = 0; signs[i]; i++)
		if (!strncmp(s, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 1;
}

/* The end of a comment, text or preprocessor line that starts at s, or s. */
static const char *skip_opaque(const char *s, bool at_line_start)
{
	const char *p = s;

	if (at_line_start && *p == '#') {
		while (*p && (*p != '\n' || p[-1] == '\\'))
			p++;
	} else if (*p == '/' && p[1] == '/') {
		p += strcspn(p, "\n");
	} else if (*p == '/' && p[1] == '*') {
		p = strstr(p + 2, "*/");
		return p ? p + 2 : s + strlen(s);
	}
	return p;
}

static void tokenize(struct file *f)
{
	bool line_start = true;

	for (const char *s = f->s; *s;) {
		const char *p = skip_opaque(s, line_start);
		enum kind kind = SIGN;

		if (p > s || isspace((unsigned char)*s)) {
			line_start = p == s ? *s == '\n' || line_start : line_start;
			s = p > s ? p : s + 1;
			continue;
		}
		line_start = false;
		if (*s == '"' || *s == '\'') {
			for (p = s + 1; *p && *p != *s; p++)
				p += *p == '\\' && p[1];
			p += *p != 0;
			kind = TEXT;
		} else if (isalpha((unsigned char)*s) || *s == '_') {
			while (isalnum((unsigned char)*p) || *p == '_')
				p++;
			kind = NAME;
		} else if (isdigit((unsigned char)*s)) {
			while (isalnum((unsigned char)*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]) && strncmp(s, "0x", 2)))
				p++;
			kind = NUMBER;
		} else {
			p = s + sign_length(s);
		}
		f->t = grown(f->t, f->n_t, sizeof *f->t);
		f->t[f->n_t++] = (struct token){ (size_t)(s - f->s), (size_t)(p - f->s), kind };
		s = p;
	}
}

static bool is(const struct file *f, size_t i, const char *text)
{
	return i < f->n_t && f->t[i].end - f->t[i].start == strlen(text) && !memcmp(f->s + f->t[i].start, text, strlen(text));
}

static bool is_any(const struct file *f, size_t i, const char *const *list)
{
	while (*list && !is(f, i, *list))
		list++;
	return *list;
}

static bool opens(const struct file *f, size_t i)
{
	return is(f, i, "(") || is(f, i, "[") || is(f, i, "{");
}

static bool closes(const struct file *f, size_t i)
{
	return is(f, i, ")") || is(f, i, "]") || is(f, i, "}");
}

/* The bracket that closes the one at i, or the end. */
static size_t closing(const struct file *f, size_t i)
{
	size_t depth = 0;

	for (; i < f->n_t; i++) {
		depth += opens(f, i);
		depth -= closes(f, i);
		if (!depth)
			break;
	}
	return i;
}

static const char *const assignments[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL };

/* Does an operand end at token i? also: a sign that ends it, too. */
static bool ends_operand(const struct file *f, size_t i, const char *also)
{
	static const char *const ends[] = { ",", ";", "?", ":", "return", "case", "||", NULL };

	return is_any(f, i, ends) || is_any(f, i, assignments) || is(f, i, also);
}

static size_t operand_start(const struct file *f, size_t i, const char *also)
{
	size_t depth = 0;

	for (; i > 0; i--) {
		size_t before = i - 1;

		if (opens(f, before) && !depth)
			break;
		if (!depth && (ends_operand(f, before, also)))
			break;
		depth += closes(f, before);
		depth -= opens(f, before);
	}
	return i;
}

/* past the last token of the operand that starts at i */
static size_t operand_end(const struct file *f, size_t i, const char *also)
{
	while (i < f->n_t && !closes(f, i) && !ends_operand(f, i, also))
		i = opens(f, i) ? closing(f, i) + 1 : i + 1;
	return i;
}

/* ---- faults of C --------------------------------------------------------------------- */

static void add(const struct file *f, size_t start, size_t end, size_t shown_start, size_t shown_end, const char *text)
{
	faults = grown(faults, n_faults, sizeof *faults);
	faults[n_faults++] = (struct fault){ f, start, end, shown_start, shown_end, strdup(text) };
}

/* Tokens from i to before end become text. */
static void replace(const struct file *f, size_t i, size_t end, const char *text)
{
	if (i < end)
		add(f, f->t[i].start, f->t[end - 1].end, f->t[i].start, f->t[end - 1].end, text);
}

/* Token i becomes text, the operands around it are told. */
static void replace_within(const struct file *f, size_t i, const char *text)
{
	size_t first = operand_start(f, i, "&&"), end = operand_end(f, i + 1, "&&");

	add(f, f->t[i].start, f->t[i].end, f->t[first].start, f->t[end - 1].end, text);
}

static void turn_comparison(const struct file *f, size_t i)
{
	static const char *const turned[][2] = { { "<", "<=" }, { "<=", "<" }, { ">", ">=" }, { ">=", ">" }, { "==", "!=" }, { "!=", "==" } };

	for (size_t k = 0; k < sizeof turned / sizeof *turned; k++)
		if (is(f, i, turned[k][0]))
			replace_within(f, i, turned[k][1]);
}

static void drop_operands(const struct file *f, size_t i)
{
	const char *also = is(f, i, "&&") ? "&&" : "||";
	size_t first = operand_start(f, i, also), end = operand_end(f, i + 1, also);

	if (!is(f, i, "&&") && !is(f, i, "||"))
		return;
	add(f, f->t[first].start, f->t[i + 1].start, f->t[first].start, f->t[end - 1].end, "");
	add(f, f->t[i - 1].end, f->t[end - 1].end, f->t[first].start, f->t[end - 1].end, "");
}

static void move_constant(const struct file *f, size_t i)
{
	const char *s = f->s + f->t[i].start;
	size_t len = f->t[i].end - f->t[i].start;
	bool hex = !strncmp(s, "0x", 2);
	bool octal = !hex && *s == '0' && len > 1;
	char *end, text[64];
	unsigned long long n;

	if (f->t[i].kind != NUMBER || len > 20 || (is(f, i - 1, "{") && is(f, i + 1, "}")))
		return;
	n = strtoull(s, &end, 0);
	snprintf(text, sizeof text, hex ? "%#llx%.*s" : octal ? "%#llo%.*s" : "%llu%.*s", n + 1, (int)(len - (size_t)(end - s)), end);
	replace_within(f, i, text);
	snprintf(text, sizeof text, hex ? "%#llx%.*s" : octal ? "%#llo%.*s" : "%llu%.*s", n - 1, (int)(len - (size_t)(end - s)), end);
	if (n)
		replace_within(f, i, text);
}

static void decide(const struct file *f, size_t i, size_t end, bool also_true)
{
	replace(f, i, end, "false");
	if (also_true)
		replace(f, i, end, "true");
}

static void within(const struct file *f, size_t i, size_t end)
{
	for (; i < end; i++) {
		turn_comparison(f, i);
		drop_operands(f, i);
		move_constant(f, i);
		if (is(f, i, "?"))
			decide(f, operand_start(f, i, "?"), i, true);
	}
}

/* A type and a name: what is declared; returns where its value starts, or end. */
static bool is_declaration(const struct file *f, size_t i)
{
	static const char *const words[] = { "return", "goto", "else", "case", "sizeof", NULL };

	if (f->t[i].kind != NAME || is_any(f, i, words))
		return false;
	for (i++; is(f, i, "*"); i++)
		;
	return i < f->n_t && f->t[i].kind == NAME;
}

static bool frees(const struct file *f, size_t i)
{
	const char *s = f->s + f->t[i].start;
	size_t len = f->t[i].end - f->t[i].start;

	return is(f, i, "free") || is(f, i, "fclose") || is(f, i, "closedir") || is(f, i, "close") || (len > 5 && !memcmp(s + len - 5, "_free", 5)) ||
	       (len > 8 && !memcmp(s + len - 8, "_release", 8));
}

/* Is it a call or an assignment, and more than a release of memory? */
static bool is_action(const struct file *f, size_t i, size_t end)
{
	static const char *const words[] = { "return", "goto", "break", "continue", "case", "default", NULL };

	return i < end && f->t[i].kind != TEXT && !is_any(f, i, words) && !(is(f, i + 1, "(") && frees(f, i)) && !(is(f, i, "(") && is(f, i + 1, "void"));
}

static size_t statement_end(const struct file *f, size_t i, size_t end)
{
	while (i < end && !is(f, i, ";"))
		i = opens(f, i) ? closing(f, i) + 1 : i + 1;
	return i;
}

/* (…) of if, while, switch and for; returns the token after it. */
static size_t header(const struct file *f, size_t i)
{
	size_t open = i + 1, end = closing(f, open);

	if (is(f, i, "if") || is(f, i, "while"))
		decide(f, open + 1, end, is(f, i, "if"));
	if (is(f, i, "for")) {
		size_t condition = statement_end(f, open + 1, end) + 1;

		decide(f, condition, statement_end(f, condition, end), false);
	}
	within(f, open + 1, end);
	return end + 1;
}

static void body(const struct file *f, size_t i, size_t end)
{
	static const char *const headed[] = { "if", "while", "switch", "for", NULL };
	static const char *const passed[] = { "{", "}", ";", "else", "do", "default", ":", NULL };

	while (i < end) {
		size_t last;

		if (is_any(f, i, headed)) {
			i = header(f, i);
		} else if (is(f, i, "case")) {
			while (i < end && !is(f, i, ":"))
				i++;
		} else if (is_any(f, i, passed) || is(f, i + 1, ":")) {
			i++;
		} else {
			last = statement_end(f, i, end);
			if (is_declaration(f, i))
				for (; i < last && !is(f, i, "="); i++)
					;
			else if (is_action(f, i, last))
				replace(f, i, last, "");
			within(f, i, last);
			i = last + 1;
		}
	}
}

static bool alone_on_line(const struct file *f, size_t i)
{
	size_t at = f->t[i].start;

	return (!at || f->s[at - 1] == '\n') && f->s[at + 1] == '\n';
}

static void functions(const struct file *f)
{
	for (size_t i = 0; i < f->n_t; i++)
		if (is(f, i, "{") && alone_on_line(f, i)) {
			size_t end = i + 1;

			while (end < f->n_t && !(is(f, end, "}") && alone_on_line(f, end)))
				end++;
			body(f, i + 1, end);
			i = end;
		}
}

/* ---- faults of tables ------------------------------------------------------------------ */

/* A digit or letter of the cell becomes the next one. */
static void alter(const struct file *f, size_t start, size_t end)
{
	size_t n = 0, at = start, which;
	char text[2] = "";

	for (size_t i = start; i < end; i++)
		n += isalnum((unsigned char)f->s[i]) != 0;
	if (!n)
		return;
	which = below(n);
	for (at = start; !isalnum((unsigned char)f->s[at]) || which--; at++)
		;
	text[0] = strchr("9zZ", f->s[at]) ? (char)(f->s[at] - 1) : (char)(f->s[at] + 1);
	add(f, at, at + 1, start, end, text);
}

static void swap(const struct file *f, size_t start, size_t middle, size_t end)
{
	char *text = malloc(end - start + 1);

	if (!text)
		exit(1);
	sprintf(text, "%.*s\t%.*s", (int)(end - middle - 1), f->s + middle + 1, (int)(middle - start), f->s + start);
	if (strncmp(text, f->s + start, end - start))
		add(f, start, end, start, end, text);
	free(text);
}

static void row(const struct file *f, size_t start, size_t end)
{
	size_t before = end;

	for (size_t i = start; i < end;) {
		size_t cell_end = i + strcspn(f->s + i, "\t\n");

		alter(f, i, cell_end);
		if (before < i)
			swap(f, before, i - 1, cell_end);
		before = i;
		i = cell_end + 1;
	}
	add(f, start, end + 1, start, end, "");
}

static void rows(const struct file *f)
{
	for (size_t i = 0; i < f->n;) {
		size_t end = i + strcspn(f->s + i, "\n");

		if (end > i && end < f->n && f->s[i + strspn(f->s + i, " \t")] != '#')
			row(f, i, end);
		i = end + 1;
	}
}

/* ---- drawing ----------------------------------------------------------------------------- */

static struct file load(const char *path)
{
	struct file f = { .path = path };
	size_t len = strlen(path);
	FILE *in = fopen(path, "rb");

	if (!in || fseek(in, 0, SEEK_END)) {
		fprintf(stderr, "mutants: cannot read %s\n", path);
		exit(1);
	}
	f.n = (size_t)ftell(in);
	rewind(in);
	f.s = calloc(f.n + 1, 1);
	if (!f.s || fread(f.s, 1, f.n, in) != f.n)
		exit(1);
	fclose(in);
	f.table = len < 2 || strcmp(path + len - 2, ".c");
	return f;
}

/* Text on one line, each run of blanks as one. */
static void print_flat(const char *s, size_t n)
{
	bool blank = false;

	for (size_t i = 0; i < n; i++) {
		if (blank && !isspace((unsigned char)s[i]))
			putchar(' ');
		blank = isspace((unsigned char)s[i]);
		if (!blank)
			putchar(s[i]);
	}
}

static size_t line_start(const struct file *f, size_t at)
{
	while (at && f->s[at - 1] != '\n')
		at--;
	return at;
}

static bool same_line(const struct fault *a, const struct fault *b)
{
	return a->file == b->file && line_start(a->file, a->start) == line_start(b->file, b->start);
}

static void list(const struct fault *m)
{
	const struct file *f = m->file;
	size_t line = 1, start = line_start(f, m->start);

	for (size_t i = 0; i < start; i++)
		line += f->s[i] == '\n';
	printf("%s\t%zu\t", f->path, line);
	while (isspace((unsigned char)f->s[start]))
		start++;
	print_flat(f->s + start, strcspn(f->s + start, "\n"));
	putchar('\t');
	if (!*m->text && m->shown_start == m->start && m->shown_end <= m->end) {
		printf("removed: ");
		print_flat(f->s + m->shown_start, m->shown_end - m->shown_start);
	} else {
		print_flat(f->s + m->shown_start, m->shown_end - m->shown_start);
		printf("  ->  ");
		print_flat(f->s + m->shown_start, m->start - m->shown_start);
		if (m->start > m->shown_start && isspace((unsigned char)f->s[m->start - 1]))
			putchar(' ');
		print_flat(m->text, strlen(m->text));
		print_flat(f->s + m->end, m->shown_end > m->end ? m->shown_end - m->end : 0);
	}
	putchar('\n');
}

static void plant(const struct fault *m)
{
	const struct file *f = m->file;

	fwrite(f->s, 1, m->start, stdout);
	fputs(m->text, stdout);
	fwrite(f->s + m->end, 1, f->n - m->end, stdout);
}

/* Faults of one line stand side by side, but a line may start in the middle of another's. */
static int by_place(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Takes a fault out of those that are left, of a random line. */
static struct fault draw(size_t *lines, size_t *n_lines)
{
	size_t which = below(*n_lines), first = lines[which], n = 1, at;
	struct fault taken;

	while (first + n < n_faults && faults[first + n].file && same_line(&faults[first], &faults[first + n]))
		n++;
	at = first + below(n);
	taken = faults[at];
	memmove(&faults[first + 1], &faults[first], (at - first) * sizeof *faults);
	faults[first].file = NULL;
	lines[which]++;
	if (n == 1)
		lines[which] = lines[--*n_lines];
	return taken;
}

int main(int argc, char **argv)
{
	bool listed = argc > 3 && argv[3][0] != '=';
	int first_file = listed ? 3 : 4;
	size_t n, n_lines = 0, *lines = NULL;
	struct file *files;

	if (argc <= first_file) {
		fprintf(stderr, "usage: mutants SEED N [=K] FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10);
	n = strtoull(argv[2], NULL, 10);
	files = calloc((size_t)argc, sizeof *files);
	if (!files)
		return 1;
	for (int i = first_file; i < argc; i++) {
		files[i] = load(argv[i]);
		if (files[i].table) {
			rows(&files[i]);
		} else {
			tokenize(&files[i]);
			functions(&files[i]);
		}
	}
	qsort(faults, n_faults, sizeof *faults, by_place);
	for (size_t i = 0; i < n_faults; i++)
		if (!i || !same_line(&faults[i - 1], &faults[i])) {
			lines = grown(lines, n_lines, sizeof *lines);
			lines[n_lines++] = i;
		}
	for (size_t k = 1; k <= n && n_lines; k++) {
		struct fault m = draw(lines, &n_lines);

		if (listed)
			list(&m);
		else if (k == strtoull(argv[3] + 1, NULL, 10))
			plant(&m);
	}
	return 0;
}
