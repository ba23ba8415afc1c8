#!/bin/sh
# parallel.sh - a runner: GNU parallel runs the command lines, here or on other machines. See cmd/cli/runner.h.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -u
# the lines are written for it; without SHELL, as in a job of cron, parallel cannot tell which to take
export PARALLEL_SHELL=/bin/sh
trap 'kill $!; wait; exit 1' INT TERM HUP
[ "$TL_JOBS" = 0 ] || set -- "$@" --jobs "$TL_JOBS"
[ -z "$TL_HOSTS" ] || set -- "$@" --sshloginfile "$TL_HOSTS" --workdir .
shift # the word "run"
[ "$TL_TASKS" = 0 ] || head -n "$TL_TASKS" "$TL_LIST" | parallel "$@" &
wait $!
status=$?
[ $status -le 101 ] && exit # so many tasks failed: they have said why
echo "$TL_PROGRAM: error: GNU parallel ended with the status $status" >&2
exit 1
