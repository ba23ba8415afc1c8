/* made_sheets.c - the sheets of a trace, made by tl-sheets in a folder for a while.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/made_sheets.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;
static sigset_t before; /* the signals that were blocked before there was a folder */

/* ---- the folder -------------------------------------------------------------------- */

static void remove_folder(void)
{
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *e; d && (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (folder)
		rmdir(folder);
	free(folder);
	folder = NULL;
}

void tl_drop_sheets(void)
{
	remove_folder();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void make_folder(void)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s/tl-compare.XXXXXX", tl_temp_folder());
	if (!mkdtemp(b.data))
		tl_die("%s: cannot make a folder: %s", tl_temp_folder(), strerror(errno));
	folder = b.data;
}

/* ---- signals -------------------------------------------------------------------------- */

/* Blocks the signals that would end the program, and that of a child's end: sigwaitinfo takes
 * them. Those that the parent ignores stay as they are. */
static sigset_t block_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &before);
	return set;
}

/* The child's status. A signal that ends the program ends the child first. */
static int wait_for(pid_t child, const sigset_t *set)
{
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		int sig = sigwaitinfo(set, NULL);
		if (sig < 0 || sig == SIGCHLD)
			continue;
		kill(child, sig);
		waitpid(child, &status, 0);
		tl_drop_sheets();
		raise(sig);
	}
	return status;
}

/* ---- tl-sheets --------------------------------------------------------------------------- */

/* The program in the folder of this one; if there is none, its name, to be looked for. */
static char *program_path(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	struct tl_buf b = { 0 };

	self[n < 0 ? 0 : n] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		tl_buf_addf(&b, "%.*s/", (int)(slash - self), self);
	tl_buf_adds(&b, "tl-sheets");
	if (!access(b.data, X_OK))
		return b.data;
	tl_buf_release(&b);
	return tl_strdup("tl-sheets");
}

static void __attribute__((noreturn)) run(char **words)
{
	struct tl_buf driver = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	tl_buf_addf(&driver, "%ld %s", (long)getppid(), folder);
	setenv("TL_REPORT", driver.data, 1); /* it ends with this program; see cli.h */
	if (null >= 0)
		dup2(null, STDOUT_FILENO); /* it tells the paths of the sheets */
	sigprocmask(SIG_SETMASK, &before, NULL);
	execvp(words[0], words);
	_exit(127);
}

const char *tl_make_sheets(const char *trace, const char *const *options)
{
	size_t n = 0, n_words = 0;

	while (options[n])
		n++;
	const char **words = tl_alloc((n + 6) * sizeof *words);
	sigset_t set = block_signals();
	make_folder();
	words[n_words++] = program_path();
	memcpy(words + n_words, options, n * sizeof *words);
	n_words += n;
	words[n_words++] = "-d";
	words[n_words++] = folder;
	words[n_words++] = "--";
	words[n_words++] = trace;
	words[n_words] = NULL;
	pid_t child = fork();
	if (child == 0)
		run((char **)words);
	int status = child < 0 ? -1 : wait_for(child, &set);
	if (status)
		tl_drop_sheets();
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		tl_die("%s: cannot run tl-sheets, which makes the sheets of a trace", trace);
	if (status)
		tl_die("%s: its sheets could not be made", trace);
	free((char *)words[0]);
	free(words);
	return folder;
}
