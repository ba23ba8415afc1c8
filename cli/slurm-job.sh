#!/bin/sh
# slurm-job.sh - a job of tl-multi or tl-ranks: runs a line of a file of command lines.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# usage: slurm-job.sh FILE NUMBER    (in a job array the number of the task is added)
eval "$(sed -n "$(($2 + ${SLURM_ARRAY_TASK_ID:-0}))p" "$1")"
