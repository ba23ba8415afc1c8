/* ahead.c - worksheets are written while others are still read.
 *
 * libxlsxwriter writes all parts of a workbook at its end. A second thread does
 * so for worksheets as they become complete, into memory; the function at the
 * end of this file stands before the library's and takes what is there.
 *
 * The library has no locks and needs none for this: the thread works on a copy
 * of the worksheet, whose cells do not change any more, and the formats have
 * their numbers already, so that it only reads what the other one reads too.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "instead.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xlsxwriter.h>

#define MOST_CELLS 200000 /* of all sheets in memory as text, some 50 bytes each, twice while they grow */

struct job {
	lxw_worksheet *ws;
	lxw_worksheet copy; /* of it when it was complete */
	size_t n_cells;
	enum { WAITING, TAKEN, DONE } state;
	char *text; /* NULL if it could not be written */
	size_t len;
	unsigned char *deflated; /* NULL: not done */
	size_t deflated_len;
	struct job *next;
};

/* In the order of the workbook. */
static struct job *jobs, *last;
static size_t n_cells;
static bool running, ending;
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void write_original(lxw_worksheet *ws)
{
	static void (*real)(lxw_worksheet *);

	pthread_mutex_lock(&lock);
	if (!real) {
		void *f = dlsym(RTLD_NEXT, "lxw_worksheet_assemble_xml_file");
		memcpy(&real, &f, sizeof f);
	}
	pthread_mutex_unlock(&lock);
	real(ws);
}

static void write_text(struct job *job)
{
	char *text = NULL;

	job->copy.file = open_memstream(&text, &job->len);
	if (!job->copy.file)
		return;
	write_original(&job->copy);
	if (fclose(job->copy.file)) {
		free(text);
		return;
	}
	job->text = text;
	if (!tl_xlsx_deflate(text, job->len, &job->deflated, &job->deflated_len)) {
		free(job->deflated);
		job->deflated = NULL;
	}
}

static struct job *first_waiting(void)
{
	struct job *job = jobs;

	while (job && job->state != WAITING)
		job = job->next;
	return job;
}

/* Does the first job that nobody does; without one waits for what others do.
 * The lock is held before and after. */
static void work_or_wait(void)
{
	struct job *job = first_waiting();

	if (!job) {
		pthread_cond_wait(&changed, &lock);
		return;
	}
	job->state = TAKEN;
	pthread_mutex_unlock(&lock);
	write_text(job);
	pthread_mutex_lock(&lock);
	job->state = DONE;
	pthread_cond_broadcast(&changed);
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ending)
		work_or_wait();
	pthread_mutex_unlock(&lock);
	return unused;
}

void tl_xlsx_write_ahead(void *worksheet, size_t cells)
{
	if (cells > MOST_CELLS - n_cells)
		return;
	if (!running)
		running = !pthread_create(&thread, NULL, work, NULL);
	if (!running)
		return;
	struct job *job = malloc(sizeof *job);
	if (!job)
		return;
	*job = (struct job){ .ws = worksheet, .copy = *(lxw_worksheet *)worksheet, .n_cells = cells };
	n_cells += cells;
	pthread_mutex_lock(&lock);
	*(jobs ? &last->next : &jobs) = job;
	last = job;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void tl_xlsx_end_ahead(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}

/* The job of a worksheet, once it is done, or NULL if there is none. As
 * worksheets come in the same order, it is the first. */
static struct job *take(const lxw_worksheet *ws)
{
	pthread_mutex_lock(&lock);
	struct job *job = jobs;
	if (job && job->ws == ws) {
		while (job->state != DONE)
			work_or_wait();
		jobs = job->next;
		n_cells -= job->n_cells;
	} else {
		job = NULL;
	}
	pthread_mutex_unlock(&lock);
	return job;
}

static void drop(struct job *job)
{
	if (job) {
		free(job->text);
		free(job->deflated);
	}
	free(job);
}

void lxw_worksheet_assemble_xml_file(lxw_worksheet *ws)
{
	static struct job *latest; /* what it has deflated is needed until the next one */

	drop(latest);
	latest = take(ws);
	if (latest && latest->text)
		fwrite_unlocked(latest->text, 1, latest->len, ws->file);
	else
		write_original(ws);
	if (latest && latest->deflated)
		tl_xlsx_deflated(latest->deflated, latest->deflated_len);
}
