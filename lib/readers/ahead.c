/* ahead.c - an input read ahead by a thread: a ring of buffers between two.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/inputs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
void __asan_unpoison_memory_region(void const volatile *p, size_t size);
#define DEAD_FRAMES 32768
#endif

/* A thread that sleeps is often woken on the processor of the one that wakes it,
 * and from then on the two run by turns instead of side by side. So who waits
 * looks again and again first, some 400 microseconds: longer than the other
 * needs for a slot or two. */
#define LOOKS 10000

#define SLOTS 16
#define SLOT_SIZE (64 * 1024)

struct ahead {
	struct tl_input base;
	struct tl_input *in;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	_Atomic size_t filled, taken; /* slots put in and given back, ever; changed under lock */
	int looks;            /* 0 where there is one processor only */
	bool stop;            /* under lock */
	size_t used;          /* bytes taken of the current slot; the reader's */
	struct {
		int64_t len;      /* 0: the end; -1: err */
		char *data;
	} slot[SLOTS];
	struct tl_error err;
};

/* Spins for a while as long as exactly `useless` slots are filled: 0 for who
 * takes from them, SLOTS for who fills them. */
static void look(const struct ahead *a, size_t useless)
{
	for (int i = 0; i < a->looks && a->filled - a->taken == useless; i++) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
	}
}

/* Waits for a free slot; -1 when the reader is gone. Once all are full it sleeps
 * until half are free: waking up for each one costs more than filling it. */
static int free_slot(struct ahead *a)
{
	int i;

	look(a, SLOTS);
	pthread_mutex_lock(&a->lock);
	if (a->filled - a->taken == SLOTS)
		while (a->filled - a->taken > SLOTS / 2 && !a->stop)
			pthread_cond_wait(&a->changed, &a->lock);
	i = a->stop ? -1 : (int)(a->filled % SLOTS);
	pthread_mutex_unlock(&a->lock);
	return i;
}

static void publish(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->filled++;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* Fills one slot by one read. May be cancelled only while it reads, where it
 * holds no lock. */
static int64_t fill_slot(struct ahead *a, char *data)
{
	int64_t n;
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	n = a->in->read(a->in, data, SLOT_SIZE, &a->err);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return n;
}

/* Runs when the thread is cancelled. The address sanitizer does not see that
 * the frames below are gone: it must be told. */
static void cancelled(void *arg)
{
	(void)arg;
#ifdef WITH_ASAN
	__asan_unpoison_memory_region((char *)__builtin_frame_address(0) - DEAD_FRAMES, DEAD_FRAMES);
#endif
}

static void fill_slots(struct ahead *a)
{
	int64_t n = 1;
	int i;

	while (n > 0 && (i = free_slot(a)) >= 0) {
		a->slot[i].len = n = fill_slot(a, a->slot[i].data);
		publish(a);
	}
}

static void *run(void *arg)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cleanup_push(cancelled, NULL);
	fill_slots(arg);
	pthread_cleanup_pop(0);
	return NULL;
}

static int64_t ahead_read(struct tl_input *base, void *out, size_t cap, struct tl_error *err)
{
	struct ahead *a = (struct ahead *)base;
	size_t i = a->taken % SLOTS, n;

	look(a, 0);
	pthread_mutex_lock(&a->lock);
	while (a->filled == a->taken)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (a->slot[i].len <= 0) { /* stays: asked again, it says the same */
		if (a->slot[i].len < 0 && err)
			*err = a->err;
		return a->slot[i].len;
	}
	n = (size_t)a->slot[i].len - a->used;
	if (n > cap)
		n = cap;
	memcpy(out, a->slot[i].data + a->used, n);
	a->used += n;
	if (a->used == (size_t)a->slot[i].len) {
		a->used = 0;
		pthread_mutex_lock(&a->lock);
		a->taken++;
		if (a->filled - a->taken == SLOTS / 2)
			pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return (int64_t)n;
}

static void release(struct ahead *a)
{
	for (size_t i = 0; i < SLOTS; i++)
		free(a->slot[i].data);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct tl_input *tl_ahead_new(struct tl_input *in)
{
	struct ahead *a = tl_calloc(1, sizeof *a);

	a->base.name = in->name;
	a->base.read = ahead_read;
	a->in = in;
	a->looks = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? LOOKS : 0;
	for (size_t i = 0; i < SLOTS; i++)
		a->slot[i].data = tl_alloc(SLOT_SIZE);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, run, a)) {
		release(a);
		return NULL;
	}
	return &a->base;
}

void tl_ahead_free(struct tl_input *in)
{
	struct ahead *a = (struct ahead *)in;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_cancel(a->thread); /* it may sit in a read that never returns */
	pthread_join(a->thread, NULL);
	release(a);
}
