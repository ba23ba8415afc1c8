/* read_ahead.c - an input that a second thread reads while the caller works on what was read before.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/read_ahead.h"

#include "base/memory.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE ((size_t)1 << 20) /* so many bytes are read without a thread */
#define BLOCK ((size_t)256 << 10)
enum { BLOCKS = 3 };

struct ahead {
	struct tl_input base;
	struct tl_input *in;
	size_t at_once;      /* bytes that were read without a thread */
	pthread_t thread;
	bool running, holds; /* holds: the caller has the block at hand */
	atomic_bool stop;
	sem_t empty, full;   /* blocks of the thread, of the caller */
	size_t taken, used;  /* blocks; bytes of the block at hand */
	struct block { int64_t n; struct tl_error err; char bytes[BLOCK]; } *blocks;
};

static void *fill(void *arg)
{
	struct ahead *a = arg;
	int64_t n = 1;

	for (size_t i = 0; n > 0; i++) {
		struct block *b = &a->blocks[i % BLOCKS];

		sem_wait(&a->empty);
		if (a->stop)
			break;
		n = b->n = a->in->read(a->in, b->bytes, BLOCK, &b->err);
		sem_post(&a->full);
	}
	return NULL;
}

/* The thread gets no signals. If there is none to be had, the caller goes on reading. */
static void start(struct ahead *a)
{
	sigset_t all, before;

	a->blocks = tl_alloc(BLOCKS * sizeof *a->blocks);
	sem_init(&a->empty, 0, BLOCKS);
	sem_init(&a->full, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	a->running = !pthread_create(&a->thread, NULL, fill, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int64_t ahead_read(struct tl_input *base, void *buf, size_t cap, struct tl_error *err)
{
	struct ahead *a = (struct ahead *)base;

	if (!a->blocks && a->at_once >= AT_ONCE)
		start(a);
	if (!a->running) {
		int64_t n = a->in->read(a->in, buf, cap, err);

		a->at_once += n > 0 ? (size_t)n : 0;
		return n;
	}
	while (!a->holds)
		a->holds = !sem_wait(&a->full); /* fails after a signal */
	struct block *b = &a->blocks[a->taken % BLOCKS];
	if (b->n <= 0) { /* the end, which is never taken */
		if (b->n < 0 && err)
			*err = b->err;
		return b->n;
	}
	size_t left = (size_t)b->n - a->used, n = left < cap ? left : cap;
	memcpy(buf, b->bytes + a->used, n);
	a->used += n;
	if (n == left) {
		a->holds = false;
		a->used = 0;
		a->taken++;
		sem_post(&a->empty);
	}
	return (int64_t)n;
}

struct tl_input *tl_read_ahead_new(struct tl_input *in)
{
	struct ahead *a = tl_calloc(1, sizeof *a);

	a->base = (struct tl_input){ in->name, ahead_read, in->path };
	a->in = in;
	return &a->base;
}

void tl_read_ahead_free(struct tl_input *in)
{
	struct ahead *a = (struct ahead *)in;

	if (!a)
		return;
	if (a->running) {
		a->stop = true;
		sem_post(&a->empty);
		pthread_join(a->thread, NULL);
	}
	if (a->blocks) {
		sem_destroy(&a->empty);
		sem_destroy(&a->full);
	}
	free(a->blocks);
	free(a);
}
