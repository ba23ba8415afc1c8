#!/bin/sh
# slurm.sh - a runner: a job array of Slurm runs the command lines, a job after it the one that merges. See cmd/cli/runner.h.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -u
jobs=$TL_FOLDER/jobs script=$TL_FOLDER/slurm-job.sh
numbers=$(sed -n 2p "$jobs" 2>/dev/null) # of the jobs, with blanks between them; the last one merges
unset SLURM_ARRAY_TASK_ID                # jobs have the environment of this program

error() {
	echo "$TL_PROGRAM: error: $1" >&2
}
alive() { # NUMBERS
	[ -n "$(squeue --noheader --jobs "$(echo "$1" | tr ' ' ,)" 2>/dev/null)" ]
}
# In --output, but not in the path itself, Slurm replaces what begins with "%".
literal() {
	printf %s "$1" | sed 's/%/%%/g'
}
# Submits a job that runs a line of the list, or of an array from there on. None is left behind if one is refused.
submit() { # LINE OPTION...
	line=$1
	shift
	set -- --parsable "$@" "$script" "$TL_LIST" "$line"
	job=$(sbatch "$@")
	job=${job%%[!0-9]*} # behind the number may stand the cluster
	if [ -n "$job" ]; then
		numbers="$numbers${numbers:+ }$job"
		return
	fi
	error "sbatch took no job; the command was: sbatch $*"
	[ -n "$numbers" ] || exit 1
	# shellcheck disable=SC2086
	if scancel $numbers; then
		error "the jobs before that one are cancelled: $numbers"
	else
		error "the jobs before that one are not cancelled; to cancel them: scancel $numbers"
	fi
	exit 1
}

case $1 in
run)
	numbers='' from=0
	cat >"$script" <<-'END' || exit 1
		#!/bin/sh
		# usage: slurm-job.sh FILE NUMBER    runs a line of the file; in a job array the number of the task is added
		eval "$(sed -n "$(($2 + ${SLURM_ARRAY_TASK_ID:-0}))p" "$1")"
	END
	size=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
	[ "${size:-0}" -gt 1 ] || size=1001
	while [ "$from" -lt "$TL_TASKS" ]; do # arrays of as many tasks as Slurm allows in one
		n=$((TL_TASKS - from))
		[ $n -lt "$size" ] || n=$((size - 1))
		array=--array=1-$n after=''
		if [ "$TL_JOBS" != 0 ]; then
			array=$array%$TL_JOBS
			after=${numbers:+--dependency=afterany:${numbers##* }} # one array after the other
		fi
		eval "submit $from --job-name=tl-parts \"--output=\$(literal \"\$TL_FOLDER\")/slurm-%A_%a.out\" $TL_SBATCH_OPTIONS $array $after"
		echo "Slurm job $job: $n part$([ $n = 1 ] || echo s) in $TL_FOLDER; messages in slurm-${job}_*.out there"
		from=$((from + n))
	done
	after=${numbers:+--dependency=afterany:$(echo "$numbers" | tr ' ' :)}
	eval "submit $((TL_TASKS + 1)) --job-name=tl-merge \"--output=\$(literal \"\$TL_LOG\")\" $TL_SBATCH_OPTIONS $after"
	echo "Slurm job $job: merges the parts into $TL_OUTPUT; messages in $TL_LOG"
	printf 'slurm\n%s\n' "$numbers" >"$jobs"
	;;
busy)
	if [ "${SLURM_JOB_ID-}" != "${numbers##* }" ] && alive "$numbers"; then
		echo "wait for the job ${numbers##* }, which merges the parts, or scancel $numbers"
	fi
	;;
wait)
	job=${numbers##* } pause=0
	while alive "$job"; do
		sleep $((pause += pause < 10))
	done
	said=$(scontrol show job "$job")
	state=$(echo "$said" | sed -n 's/.*JobState=\([^ ]*\).*/\1/p')
	code=$(echo "$said" | sed -n 's/.* ExitCode=\([0-9]*\).*/\1/p')
	if [ "${code:-0}" = 0 ] && [ "$state" != COMPLETED ]; then
		error "Slurm says of the job $job that it is ${state:-not known}; its messages are in $TL_LOG"
		exit 1
	fi
	[ ! -e "$TL_LOG" ] || cat -- "$TL_LOG"
	exit "${code:-0}"
	;;
esac
