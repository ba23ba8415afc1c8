/* programs.c - other programs, started by one of these tools.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/programs.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 256 << 20 };

static volatile pid_t in_wait; /* the program that is waited for; 0: none */

/* ---- finding ---------------------------------------------------------------------------- */

char *tl_program_path(const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
	char *file = slash ? tl_strdupf("%.*s/%s", (int)(slash - path), path, name) : NULL;

	if (file && !access(file, X_OK))
		return file;
	free(file);
	return NULL;
}

bool tl_has_program(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	for (size_t len; path && *path && !found; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		char *file = tl_strdupf("%.*s/%s", (int)len, path, name);
		found = !access(file, X_OK);
		free(file);
	}
	return found;
}

/* ---- starting --------------------------------------------------------------------------- */

/* fd becomes the descriptor `as`; without one /dev/null does, opened as `mode`. */
static void use(int fd, int as, int mode)
{
	if (fd <= 0)
		fd = open("/dev/null", mode | O_CLOEXEC);
	if (fd >= 0 && dup2(fd, as) < 0)
		_exit(TL_NO_PROGRAM);
}

/* One of these tools: its messages name the program that the user called, and -q holds for it, too. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "tl-", 3);
}

/* Its words, with -q if this program is quiet; to be freed. */
static const char **words_of(const struct tl_process *p)
{
	bool quiet = tl_is_quiet() && is_ours(p->argv[0]);
	size_t n = 0;

	while (p->argv[n])
		n++;
	const char **argv = tl_calloc(n + 2, sizeof *argv);
	argv[0] = p->argv[0];
	if (quiet)
		argv[1] = "-q";
	memcpy(argv + 1 + quiet, p->argv + 1, (n - 1) * sizeof *argv);
	return argv;
}

pid_t tl_fork(void)
{
	static const int usual[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	pid_t parent = getpid();

	fflush(stdout);
	pid_t pid = fork();
	if (pid)
		return pid;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		signal(usual[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

/* In the new process. */
static _Noreturn void become(const struct tl_process *p, const char *const *argv, const char *file)
{
	const struct rlimit limit = { (rlim_t)p->limit_s, (rlim_t)p->limit_s };

	if (p->own_group)
		setpgid(0, 0);
	if (p->limit_s)
		setrlimit(RLIMIT_CPU, &limit);
	use(p->in, STDIN_FILENO, O_RDONLY);
	use(p->out, STDOUT_FILENO, O_WRONLY);
	if (p->errors)
		use(p->errors, STDERR_FILENO, O_WRONLY);
	if (p->ended)
		use(p->ended, 3, O_WRONLY);
	if (is_ours(p->argv[0]))
		setenv("TL_CALLED", tl_called_program(), 1);
	for (const char *const *e = p->environment; e && e[0]; e += 2)
		setenv(e[0], e[1], 1);
	if (file)
		execv(file, (char *const *)(uintptr_t)argv);
	else
		execvp(argv[0], (char *const *)(uintptr_t)argv);
	fprintf(stderr, "cannot start %s: %s\n", p->argv[0], strerror(errno));
	_exit(TL_NO_PROGRAM);
}

pid_t tl_try_program(const struct tl_process *p)
{
	char *file = tl_program_path(p->argv[0]);
	const char **argv = words_of(p);
	pid_t pid = tl_fork();

	if (!pid)
		become(p, argv, file);
	free(argv);
	free(file);
	return pid;
}

static pid_t start(const struct tl_process *p)
{
	pid_t pid = tl_try_program(p);

	if (pid < 0)
		tl_die("cannot start %s: %s", p->argv[0], strerror(errno));
	return pid;
}

/* ---- waiting ---------------------------------------------------------------------------- */

int tl_wait_for_program(pid_t *pid)
{
	int status;
	pid_t ended;

	in_wait = *pid > 0 ? *pid : 0;
	while ((ended = waitpid(*pid, &status, 0)) < 0)
		if (errno != EINTR)
			tl_die("cannot wait for a program: %s", strerror(errno));
	in_wait = 0;
	*pid = ended;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void tl_read_until_end(pid_t pid, int from, void (*seen)(void *ctx, uint64_t n_bytes), void *ctx)
{
	char bytes[512];
	uint64_t all = 0;

	in_wait = pid;
	for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR);)
		seen(ctx, all += n > 0 ? (uint64_t)n : 0);
}

void tl_end_program_in_wait(void)
{
	if (in_wait && !kill(in_wait, SIGTERM))
		waitpid(in_wait, NULL, 0);
	in_wait = 0;
}

pid_t tl_start_program(const char *const *argv)
{
	return in_wait = start(&(struct tl_process){ .argv = argv });
}

void tl_finish_program(pid_t pid, const char *name)
{
	int status = tl_wait_for_program(&pid);

	if (status > 128)
		tl_die("%s was ended by the signal %d", name, status - 128);
	if (status)
		tl_end(status);
}

void tl_run_program(const char *const *argv)
{
	tl_finish_program(tl_start_program(argv), argv[0]);
}

/* A file in memory, of which nothing is left when nobody has it open; it holds the text, if there is one. */
static int open_memory(const struct tl_buf *text)
{
	int fd = memfd_create("tl-tools", MFD_CLOEXEC);
	ssize_t n = 0;

	for (size_t at = 0; fd >= 0 && n >= 0 && text && at < text->len; at += n > 0 ? (size_t)n : 0)
		n = pwrite(fd, text->data + at, text->len - at, (off_t)at);
	if (fd < 0 || n < 0)
		tl_die("cannot make a file in memory: %s", strerror(errno));
	return fd;
}

static void take_memory(int fd, struct tl_buf *out)
{
	ssize_t n;

	tl_buf_clear(out);
	do {
		tl_buf_reserve(out, 65536);
		n = pread(fd, out->data + out->len, 65536, (off_t)out->len);
		out->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && out->len < MAX_OUTPUT);
	out->data[out->len] = '\0';
	close(fd);
}

int tl_program_output(struct tl_process p, const struct tl_buf *text, struct tl_buf *out, struct tl_buf *said)
{
	if (out)
		p.out = open_memory(NULL);
	if (text)
		p.in = open_memory(text);
	if (said)
		p.errors = open_memory(NULL);
	pid_t pid = start(&p);
	int status = tl_wait_for_program(&pid);
	if (out)
		take_memory(p.out, out);
	if (text)
		close(p.in);
	if (said)
		take_memory(p.errors, said);
	return status;
}

/* ---- removing folders --------------------------------------------------------------------- */

bool tl_remove_folder(const char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
		_exit(TL_NO_PROGRAM);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}
