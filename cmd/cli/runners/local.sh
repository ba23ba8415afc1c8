#!/bin/bash
# local.sh - a runner: the command lines run as processes of this machine. See cmd/cli/runner.h.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -u
trap 'trap "" TERM; kill -TERM 0; wait; exit 1' INT TERM HUP # all of this process group end
[ "$TL_JOBS" != 0 ] || TL_JOBS=$(nproc)

# In a shell for each line, for xargs stops when a signal ends a program. sh starts faster than bash.
# shellcheck disable=SC2016
one='eval "$1"
	status=$?
	echo >&3
	[ $status -gt 128 ] || exit 0
	why=""
	[ $status != 137 ] || why=", as when memory runs out"
	eval "set -- $1"
	for last; do :; done
	echo "$TL_PROGRAM: error: $last: the program that reads it was ended by the signal $((status - 128))$why" >&2'

# TL_ENDED: the descriptor 3 takes an empty line for each command line that has ended
[ -n "${TL_ENDED-}" ] || exec 3>/dev/null

# a shell hears a signal at once only while it waits
head -n "$TL_TASKS" "$TL_LIST" | tr '\n' '\0' | xargs -0 -n 1 -P "$TL_JOBS" sh -c "$one" sh &
wait $!
