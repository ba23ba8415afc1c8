/* files.c - input and output files of the programs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/path_glob.h"
#include "base/temp_file.h"
#include "cli/programs.h"
#include "table/tsv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is read is not written ---- */

struct known_input {
	dev_t device;
	ino_t inode;
	char *path; /* NULL: standard input */
	char *name;
};
static struct known_input *known;
static size_t n_known, cap_known;

/* The descriptor that a path names, -1 for none. Opening the path would begin
 * at the start of a file that the shell opened to append to. */
static int named_descriptor(const char *path)
{
	char *end;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	if (strncmp(path, "/dev/fd/", 8) || path[8] < '0' || path[8] > '9')
		return -1;
	unsigned long fd = strtoul(path + 8, &end, 10);
	return *end || fd > INT_MAX ? -1 : (int)fd;
}

static bool is_stdio(const char *path)
{
	return !path || !strcmp(path, "-");
}

void tl_will_read(const char *path)
{
	struct stat st;

	if ((is_stdio(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st)) || !S_ISREG(st.st_mode))
		return; /* writing to a pipe or a device replaces nothing */
	TL_GROW(known, cap_known, n_known + 1);
	known[n_known++] = (struct known_input){ st.st_dev, st.st_ino, is_stdio(path) ? NULL : tl_strdup(path), tl_strdup(tl_input_name(path)) };
}

static const char *output_name(const char *path)
{
	return is_stdio(path) ? "<stdout>" : tl_shown_path(path, true);
}

/* Is it the file of the input? A file that was removed gives its number to a new one. */
static bool is_input(const struct known_input *in, const struct stat *file)
{
	struct stat now;

	return in->device == file->st_dev && in->inode == file->st_ino &&
	       (!in->path || (!stat(in->path, &now) && now.st_dev == in->device && now.st_ino == in->inode));
}

void tl_check_output(const char *path)
{
	const char *name = output_name(path);
	int fd = is_stdio(path) ? STDOUT_FILENO : named_descriptor(path);
	struct stat st;

	if (fd >= 0 ? fstat(fd, &st) : stat(path, &st))
		return;
	for (const struct known_input *in = known; in < known + n_known; in++)
		if (is_input(in, &st))
			tl_die("%s: the output is the input%s%s; nothing was written", name,
			       strcmp(name, in->name) ? " " : "", strcmp(name, in->name) ? in->name : "");
}

/* ---- input ---- */

struct file_input {
	struct tl_input in;
	int fd;
};

static int64_t read_file(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct file_input *f = (struct file_input *)in;
	for (;;) {
		ssize_t n = read(f->fd, buf, cap);
		if (n >= 0)
			return n;
		if (errno == EINTR)
			continue;
		tl_fail(err, TL_ERR_IO, "cannot read: %s", strerror(errno));
		return -1;
	}
}

const char *tl_input_name(const char *path)
{
	return is_stdio(path) ? "<stdin>" : tl_shown_path(path, false);
}

static void __attribute__((noreturn)) cannot_open(const char *name, int e)
{
	struct tl_error err;

	tl_fail(&err, TL_ERR_IO, "cannot open: %s", strerror(e));
	tl_die_error(name, &err);
}

/* whole: nobody may have to write it while it is read. */
static struct tl_input *open_file(const char *path, bool whole)
{
	struct file_input *f = tl_calloc(1, sizeof *f);
	f->in.read = read_file;
	f->in.name = tl_input_name(path);
	if (is_stdio(path))
		return &f->in;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | (whole ? O_NONBLOCK : 0));
	if (f->fd < 0)
		cannot_open(f->in.name, errno);
	struct stat st;
	bool has_status = !fstat(f->fd, &st);
	if (has_status && whole && S_ISFIFO(st.st_mode))
		tl_die("%s: is a pipe, expected a file", path);
	if (has_status && S_ISDIR(st.st_mode))
		tl_die("%s: is a directory, expected a file", path);
	if (has_status && S_ISREG(st.st_mode) && strncmp(path, "/dev/", 5))
		f->in.path = path;
	return &f->in;
}

struct tl_input *tl_open_input(const char *path)
{
	tl_will_read(path);
	return open_file(path, false);
}

struct tl_input *tl_open_own_file(const char *path)
{
	return open_file(path, true);
}

void tl_close_input(struct tl_input *in)
{
	struct file_input *f = (struct file_input *)in;
	if (f->fd > 0)
		close(f->fd);
	free(f);
}

char *tl_read_file(const char *path, size_t max, size_t *len)
{
	struct tl_input *in = tl_open_input(path);
	struct tl_buf b = { 0 };
	struct tl_error err;
	int64_t n;

	do {
		tl_buf_reserve(&b, 16384);
		n = in->read(in, b.data + b.len, 16384, &err);
		if (n < 0)
			tl_die_error(in->name, &err);
		b.len += (size_t)n;
		if (b.len > max)
			tl_die("%s: longer than %zu bytes, the most such a file may hold", in->name, max);
	} while (n);
	tl_close_input(in);
	b.data[b.len] = '\0';
	*len = b.len;
	return b.data;
}

/* ---- temporary files ---- */

/* A file that is removed should the program end before its time. */
struct temp {
	struct temp *next;
	char *name;
	char *path;  /* what the file is to be called; NULL: a scratch file */
	bool closed; /* whole: waits for tl_rename_outputs() */
	bool folder; /* goes with all that is in it */
};
static struct temp *temps;

static void remove_unfinished(void)
{
	if (temps)
		tl_end_program_in_wait(); /* it may be writing in a folder */
	for (struct temp *t = temps; t; t = t->next)
		if (t->folder)
			tl_remove_folder(t->name);
		else
			unlink(t->name);
}

static void remove_and_reraise(int sig)
{
	remove_unfinished();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A signal that the parent ignores, as under nohup, stays ignored. */
static void catch(int sig)
{
	if (signal(sig, remove_and_reraise) == SIG_IGN)
		signal(sig, SIG_IGN);
}

static void catch_signals(void)
{
	static bool caught;

	if (caught)
		return;
	caught = true;
	tl_clean_up_by(remove_unfinished);
	catch(SIGINT);
	catch(SIGTERM);
	catch(SIGHUP);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes fails the write instead */
}

/* What is about to be made is in the list before it exists, so that no signal leaves it
 * behind. Takes over what it gets. */
static struct temp *add_temp(struct temp new)
{
	struct temp *t = tl_alloc(sizeof *t);

	catch_signals();
	*t = new;
	t->next = temps;
	return temps = t;
}

static void forget(struct temp *t)
{
	struct temp **p = &temps;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	free(t->name);
	free(t->path);
	free(t);
}

static void rename_temp(struct temp *t)
{
	if (rename(t->name, t->path))
		tl_die("%s: cannot rename into place: %s", t->path, strerror(errno));
	forget(t);
}

/* ---- output ---- */

struct file_output {
	struct tl_output out;
	struct temp *temp; /* NULL: standard output or a device, nothing to rename */
	FILE *file;
	char buffer[65536];
};

/* Ends the program here, where the output's name is known: the callers in
 * between would put the input's name before the message. */
static void __attribute__((noreturn)) write_failed(const char *name, int e)
{
	if (e == EPIPE) { /* the parent ignores SIGPIPE: end as if it did not */
		remove_unfinished();
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	tl_die("%s: cannot write: %s", name, strerror(e));
}

static enum tl_status write_file(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	(void)err;
	if (fwrite(buf, 1, len, ((struct file_output *)out)->file) != len)
		write_failed(out->name, errno);
	return TL_OK;
}

/* The file that is to be written for path: what a link points to, which need not
 * exist. NULL: it cannot be made. */
static char *behind_links(const char *path, bool exists)
{
	struct stat st;

	if (exists)
		return realpath(path, NULL);
	if (lstat(path, &st))
		return tl_strdup(path);
	/* realpath() wants a file: an empty one is made for a moment */
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	close(fd);
	char *real = realpath(path, NULL);
	if (real)
		unlink(real);
	return real;
}

static int open_temp(const char *path, const struct stat *there, struct temp **temp)
{
	mode_t mask = umask(0);

	umask(mask);
	char *real = behind_links(path, there != NULL);
	struct tl_buf name = { 0 };
	int fd = -1;

	if (real) {
		tl_buf_addf(&name, "%s.XXXXXX", real);
		*temp = add_temp((struct temp){ .name = name.data, .path = real });
		fd = tl_temp_make(name.data);
	}
	if (fd < 0)
		tl_die("%s: cannot create: %s", output_name(path), strerror(errno));
	fchmod(fd, there ? there->st_mode & 0777 : 0666 & ~mask);
	return fd;
}

/* path NULL: standard output. */
static int open_to_write(const char *path, const char *name, struct temp **temp)
{
	int given = path ? named_descriptor(path) : STDOUT_FILENO, fd;
	struct stat st;
	bool exists = given < 0 && !stat(path, &st);

	if (given < 0 && (!exists || S_ISREG(st.st_mode)))
		return open_temp(path, exists ? &st : NULL, temp);
	fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		tl_die("%s: cannot open for writing: %s", name, strerror(errno));
	return fd;
}

struct tl_output *tl_open_output(const char *path, bool binary)
{
	struct file_output *f = tl_calloc(1, sizeof *f);

	catch_signals();
	tl_check_output(path);
	if (is_stdio(path))
		path = NULL;
	if (!path && binary && isatty(STDOUT_FILENO))
		tl_usage("will not write a binary stream to a terminal: use -o FILE or a pipe");
	f->out = (struct tl_output){ .name = output_name(path), .write = write_file };
	f->file = fdopen(open_to_write(path, f->out.name, &f->temp), "w");
	if (!f->file)
		tl_die("out of memory");
	setvbuf(f->file, f->buffer, _IOFBF, sizeof f->buffer);
	return &f->out;
}

const char *tl_output_file(const struct tl_output *out)
{
	const struct temp *t = ((const struct file_output *)out)->temp;

	return t ? t->name : NULL;
}

/* Closes the output and frees it; returns the file that is to be renamed, or NULL. */
static struct temp *close_output(struct file_output *f)
{
	struct temp *t = f->temp;

	if (fclose(f->file))
		write_failed(f->out.name, errno);
	free(f);
	return t;
}

void tl_close_output(struct tl_output *out)
{
	struct temp *t = close_output((struct file_output *)out);

	if (t)
		rename_temp(t);
}

void tl_close_output_for_later(struct tl_output *out)
{
	struct temp *t = close_output((struct file_output *)out);

	if (t)
		t->closed = true;
}

void tl_rename_outputs(void)
{
	for (struct temp *t = temps, *next; t; t = next) {
		next = t->next;
		if (t->closed)
			rename_temp(t);
	}
}

void tl_write_text(const char *path, const struct tl_buf *text)
{
	if (tl_page(path, text))
		return;
	struct tl_output *out = tl_open_output(path, false);
	struct tl_error err;

	if (text->len && out->write(out, text->data, text->len, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_close_output(out);
}

void tl_write_table(const char *path, const struct tl_table *t)
{
	struct tl_output *out = tl_open_output(path, false);
	struct tl_error err;

	if (tl_tsv_write(t, out, &err))
		tl_die_error(out->name, &err);
	tl_close_output(out);
}

void tl_finish_stdout(void)
{
	if (fflush(stdout) || ferror(stdout))
		write_failed("<stdout>", errno);
}

void tl_make_folder(const char *path)
{
	char *copy = tl_strdup(path);
	struct stat st;

	for (char *p = copy + 1; *copy && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0777);
		*p = '/';
	}
	if (mkdir(copy, 0777) && (errno != EEXIST || stat(copy, &st) || !S_ISDIR(st.st_mode)))
		tl_die("%s: cannot make the folder: %s", path, strerror(errno));
	free(copy);
}

void tl_find_files(struct tl_paths *found, const char *folder, const char *pattern)
{
	struct tl_paths unread;

	tl_path_glob(found, &unread, folder, pattern, false);
	for (size_t i = 0; i < unread.n; i++)
		tl_warn("%s", unread.items[i]);
	tl_paths_release(&unread);
}

/* ---- scratch files ---- */

static const char *open_scratch(const char *stem, bool folder, int *fd)
{
	struct temp *t = add_temp((struct temp){ .name = tl_temp_name(stem), .folder = folder });

	*fd = folder ? tl_temp_make_folder(t->name) : tl_temp_make(t->name);
	if (*fd < 0)
		tl_die("%s: cannot make a temporary %s: %s", tl_shown_temp_folder(), folder ? "folder" : "file", strerror(errno));
	return t->name;
}

int tl_open_scratch(const char *stem, const char **name)
{
	int fd;

	*name = open_scratch(stem, false, &fd);
	return fd;
}

const char *tl_make_scratch_folder(const char *stem)
{
	int fd;

	return open_scratch(stem, true, &fd);
}

void tl_remove_scratch(const char *name)
{
	for (struct temp *t = temps; t; t = t->next) {
		if (t->name != name)
			continue;
		if (t->folder)
			tl_remove_folder(name);
		else
			unlink(name);
		forget(t);
		return;
	}
}
