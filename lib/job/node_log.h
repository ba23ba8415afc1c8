/* node_log.h - what the log of a node of a job says: its number, its name, how many nodes there are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NODE_LOG_H
#define TL_NODE_LOG_H

#include "base/base.h"

#define TL_NODE_LOG_LEN 5000 /* bytes at the start of a log that are looked at */

struct tl_node_log {
	int64_t rank, nodes;  /* -1: the log does not say it */
	char *host;           /* the caller frees it; NULL: the log does not say it */
};
/* By node-log-words.tsv. */
struct tl_node_log tl_node_log_read(const char *text, size_t len);
/* The name of a node in that of its file, NAME.log or NAME.xplane.pb: a letter, then letters, digits and '-'. The caller
 * frees it; NULL: the file's name is none. */
char *tl_node_of_file(const char *path, const char *suffix);
/* Checks such a table: TL_ERR_DATA, by *err, for a mistake. */
enum tl_status tl_node_log_check(const char *file, const char *text, size_t len, struct tl_error *err);

#endif
