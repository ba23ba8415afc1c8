#!/bin/bash
# local.sh - a runner: the command lines run as processes of this machine. See cli/runner.h.
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

# A line for each command that has ended comes in; every twentieth part of them is told, but not within 2 s.
tell() {
	n=0 told=0 last=0
	while read -r _; do
		n=$((n + 1))
		if [ $((n * 20 / TL_TASKS)) -gt $told ] && [ $((SECONDS - last)) -ge 2 ]; then
			told=$((n * 20 / TL_TASKS)) last=$SECONDS
			echo "$TL_PROGRAM: $n of $TL_TASKS traces are read" >&2
		fi
	done
}
if [ -n "${TL_PROGRESS-}" ]; then exec 3> >(tell); else exec 3>/dev/null; fi

# a shell hears a signal at once only while it waits
head -n "$TL_TASKS" "$TL_LIST" | tr '\n' '\0' | xargs -0 -n 1 -P "$TL_JOBS" sh -c "$one" sh &
wait $!
