#!/bin/sh
# tl-report - the whole report of a trace: tl-sheets makes the sheets, tl-csv, tl-xlsx,
# tl-html and tl-plot the files that people open. Options that do not say where the report goes
# are those of tl-sheets.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -uf # file names are taken as they stand
me=tl-report

# the programs beside this one come first, so that a build folder works as it is
case $0 in */*) [ ! -x "${0%/*}/tl-sheets" ] || PATH=${0%/*}:$PATH ;; esac

work=''    # the work folder
memory=''  # another one, in memory, which tl-sheets makes if there is room for the files of this trace
gate=0     # the status at the end
running='' # not empty while a program runs
clean_up() {
	[ -z "$work" ] || rm -rf -- "$work" ${memory:+"$memory"}
}
fail() {
	printf '%s: error: %s\n' "$me" "$1" >&2
	exit 1
}
stop() { # SIGNAL
	[ -z "$running" ] || kill "${!-}" 2>/dev/null
	wait
	clean_up
	trap - EXIT "$1"
	kill -"$1" $$
}
# In the background: a shell that waits for a program hears a signal at once.
run() { # PROGRAM ARGUMENT...
	running=1
	program=$1
	shift
	# shellcheck disable=SC2086 # $quiet is an option or nothing
	"$program" $quiet "$@" <&3 &
	{ wait "$!"; } 2>/dev/null # dash reports a signal itself
	status=$?
	running=''
	case $status in
	0) return ;;
	3) gate=3; return ;; # all is written, and --fail_percent says no
	1 | 2 | 126 | 127) ;; # the program, or the shell, has said why
	129 | 130 | 141 | 143) ;; # somebody wanted the program to end: HUP, INT, PIPE, TERM
	137) fail "$program was ended by the signal KILL, as when memory runs out" ;;
	*) fail "$program was ended by the signal $(kill -l "$status")" ;;
	esac
	exit "$status"
}
step() {
	[ "$progress" = 0 ] || printf '%s: %s\n' "$me" "$1" >&2
}

if (exec 3<&0) 2>/dev/null; then exec 3<&0; else exec 3</dev/null; fi # standard input may be closed
trap clean_up EXIT
trap 'stop HUP' HUP
trap 'stop INT' INT
trap 'stop TERM' TERM
trap 'stop PIPE' PIPE
# signals do not end mktemp: it could end after it made the folder and before it said the name
work=$(trap '' HUP INT TERM PIPE && exec mktemp -d 2>/dev/null) || fail "cannot make files in ${TMPDIR:-/tmp}"
case $work in /*) ;; *) work=$PWD/$work ;; esac
[ -n "${TMPDIR-}" ] || memory=/dev/shm/${work##*/}
export TL_CALLED=$me
files_in() { # FOLDER
	export TMPDIR="$1" # for temporary files of the programs: a signal may leave them behind
	export TL_REPORT="$$ $1" # the programs end with this one; see cmd/cli/cli.h
}
files_in "$work"

# ---- options: tl-sheets parses all words; "$@" becomes those that it needs itself
trace='' tsvs='' has_memory='' plots='' plot_format='' plot_dpi='' name='' progress='' quiet=''
TL_MEMORY=$memory run tl-sheets --words-of-report "$work/words" "$@"
[ -e "$work/words" ] || exit 0 # --help or --version
# shellcheck source=/dev/null
. "$work/words"
[ -z "$has_memory" ] || files_in "$memory"
[ -z "$plots" ] || command -v gnuplot >/dev/null ||
	fail "--generate_plots: cannot find gnuplot, which draws the pictures (Debian: gnuplot-nox)"
if [ -z "$progress" ]; then
	if [ -t 2 ] && [ -z "$quiet" ]; then progress=1; else progress=0; fi
fi
# tl-sheets tells how much it has read, every so many seconds
if [ "$progress" = 0 ]; then unset TL_PROGRESS; else export TL_PROGRESS="${TL_PROGRESS-2}"; fi

# ---- sheets
sheets=${tsvs:-$TMPDIR}
step "reading $trace"
run tl-sheets "$@" -d "$sheets" -- "$trace" >"$work/paths"

# ---- what is made of them
set --
case $sheets in /*) ;; *) sheets=./$sheets ;; esac # a path with '=' in it is no NAME=FILE
while IFS= read -r path; do
	# the name of the folder may hold a line end: then a path is several lines
	case $path in *.tsv) set -- "$@" "$sheets/${path##*/}" ;; esac
done <"$work/paths"
write_outputs "$@"
[ -z "$plots" ] || run tl-plot --plot_format "$plot_format" --plot_dpi "$plot_dpi" --name "$name" -d "$plots" -- "$@" >/dev/null
[ -z "$plots" ] || step "wrote $plots"
[ "$gate" = 0 ] || exit "$gate"
