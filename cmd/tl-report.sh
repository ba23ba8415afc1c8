#!/bin/sh
# tl-report - the whole report of a trace: composes the filters, computes nothing.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -uf # file names are taken as they stand
LC_ALL=C
export LC_ALL
me=tl-report
lines='
'
version='@VERSION@'

# name, argument (- for none), help. '_' and '-' may stand for each other in a
# name; an unambiguous prefix will do. Names with '_' are the reference's own.
options='
profile_json_path|FILE|the trace (or give it as the operand)
output_xlsx_path|FILE|write the workbook to FILE
output_csvs_dir|DIR|write every sheet as DIR/NAME.csv
tsv_dir|DIR|write every sheet as DIR/NAME.tsv
sheets|LIST|make only these sheets (names separated by commas)
include_unlinked_kernels|-|count device events that no runtime call launched
micro_idle_thresh_us|N|split idle time: gaps shorter than N us are micro idle
disable_coll_analysis|-|no coll_analysis
enable_kernel_summary|-|add the sheet kernel_summary
short_kernel_study|-|add the sheets short_kernel_histogram, short_kernels_summary
short_kernel_threshold_us|N|a kernel below N us is short (10)
short_kernel_histogram_bins|N|bins of the histogram (100)
topk_short_kernels|N|keep the first N rows of short_kernels_summary
topk_ops|N|keep the first N rows of ops_unique_args
topk_roofline_ops|N|keep the first N rows of unified_perf_summary and of the sheets by category
enable_pseudo_ops|-|split known fused operators into pseudo operators
set|NAME=VALUE|what rules for pseudo operators ask for: model, tp (repeatable)
group_by_num_kernels|-|group by the number of kernels too
include_overlap_info|-|add the sheets *_kl_overlap
detect_recompute|-|tell recomputed work apart
include_first_occurrence_time|-|add first_occurrence_time to ops_unique_args
include_call_stack|-|add entry_point and call_stack_full to unified_perf_summary
gpu_arch_platform|NAME|roofline against this GPU
gpu_arch_json_path|FILE|roofline against the GPU described in FILE
arch|NAME|roofline against a GPU by name or described in a file
ops|FILE|more operators and models (repeatable)
kernel_categories|FILE|more kernel category rules (repeatable)
lenient|-|go on after damaged events
comparison_json_path|FILE|not built yet
extension_file|FILE|not built: use --ops, tl-rewrite or a filter of your own
enable_origami|-|not built
python_path|FILE|not built
inductor_cache_dir|DIR|accepted; has no effect on any sheet
threads|N|threads and processes that compute at the same time (2)
keep_stream|FILE|keep the linked event stream as FILE
progress|-|show progress even if standard error is no terminal
no_progress|-|show no progress
verbose|-|say more on standard error
quiet|-|no warnings or notes
help|-|print this help and exit
version|-|print the version and exit
'

usage() {
	printf '%s: error: %s\ntry '\''%s --help'\''\n' "$me" "$1" "$me" >&2
	exit 2
}

print_help() {
	cat <<-EOF
	usage: $me [OPTION]... FILE
	make the performance report of a profiler trace

	EOF
	printf '%s' "$options" | while IFS='|' read -r name arg text; do
		[ -n "$name" ] || continue
		case $name in tsv_dir | kernel_categories | keep_stream | no_progress | enable_origami) name=${name%%_*}-${name#*_} ;; esac
		short='    '
		case $name in
		output_xlsx_path) short='-o, ' ;; threads) short='-@, ' ;; verbose) short='-v, ' ;;
		quiet) short='-q, ' ;; help) short='-h, ' ;; version) short='-V, ' ;;
		esac
		[ "$arg" = - ] && arg='' || arg=" $arg"
		printf '  %s--%-32s %s\n' "$short" "$name$arg" "$text"
	done
	exit 0
}

print_version() {
	printf '%s %s (stream 2)\n' "$me" "$version"
	exit 0
}

# ---- options ------------------------------------------------------------------

# the canonical name of a long option: sets found and takes (its argument or -)
find_option() {
	wanted=$1
	while :; do
		case $wanted in *-*) wanted=${wanted%%-*}_${wanted#*-} ;; *) break ;; esac
	done
	found='' count=0
	blanks=$IFS
	IFS=$lines
	for line in $options; do
		case $line in
		"$wanted"*) ;;
		*) continue ;;
		esac
		found=${line%%"|"*} takes=${line#*"|"} count=$((count + 1))
		takes=${takes%%"|"*}
		[ "$found" != "$wanted" ] || { count=1; break; }
	done
	IFS=$blanks
	[ "$count" = 1 ] || usage "unknown or ambiguous option '--$1'"
}

number() { # OPTION VALUE [LEAST [MOST]]
	case $2 in
	'' | *[!0-9]*) ;;
	*) { [ "$2" -ge "${3:-0}" ] && [ "$2" -le "${4:-$2}" ]; } 2>/dev/null && return ;;
	esac
	[ $# -lt 4 ] || usage "--$1: '$2' is not a whole number from $3 to $4"
	usage "--$1: '$2' is not a whole number of at least ${3:-0}"
}

trace='' xlsx='' csvs='' tsvs='' sheets='' threads='' arch='' keep='' progress='' quiet='' verbose=''
parse_args='' link_args='' timeline_args='' ops_args='' kcat_args='' roofline_args='' rewrite=''
kernel_summary='' short_study='' coll=1 python=''
ops_options='' kcat_options='' settings='' # a line each: names may hold blanks

set_option() {
	case $1 in
	profile_json_path)
		[ -z "$trace" ] || usage "one trace at a time: '$trace' and '$2'"
		trace=$2 ;;
	output_xlsx_path) xlsx=$2 ;;
	output_csvs_dir) csvs=$2 ;;
	tsv_dir) tsvs=$2 ;;
	sheets) sheets=,$2, ;;
	include_unlinked_kernels)
		timeline_args="$timeline_args --$1" ops_args="$ops_args --$1"
		kcat_args="$kcat_args --$1" roofline_args="$roofline_args --$1" ;;
	micro_idle_thresh_us) number "$1" "$2"; timeline_args="$timeline_args --$1=$2" ;;
	disable_coll_analysis) coll='' ;;
	enable_kernel_summary) kernel_summary=1 ;;
	short_kernel_study) short_study=1 ;;
	short_kernel_threshold_us | topk_short_kernels) number "$1" "$2"; kcat_args="$kcat_args --$1=$2" ;;
	short_kernel_histogram_bins) number "$1" "$2" 1 1000000; kcat_args="$kcat_args --$1=$2" ;;
	topk_ops) number "$1" "$2"; ops_args="$ops_args --$1=$2" ;;
	topk_roofline_ops) number "$1" "$2"; roofline_args="$roofline_args --$1=$2" ;;
	enable_pseudo_ops) rewrite=1 ;;
	set) settings="$settings--set=$2
" ;;
	group_by_num_kernels) ops_args="$ops_args --$1" roofline_args="$roofline_args --$1" ;;
	include_overlap_info) ops_args="$ops_args --$1" roofline_args="$roofline_args --$1" ;;
	include_first_occurrence_time) ops_args="$ops_args --$1" ;;
	detect_recompute)
		python=1 link_args="$link_args --$1" timeline_args="$timeline_args --$1"
		ops_args="$ops_args --$1" kcat_args="$kcat_args --$1" roofline_args="$roofline_args --$1" ;;
	include_call_stack) python=1 roofline_args="$roofline_args --$1" ;;
	gpu_arch_platform | gpu_arch_json_path | arch)
		[ -z "$arch" ] || usage "--$1: only one of --gpu_arch_platform, --gpu_arch_json_path, --arch may be given"
		arch=$1=$2 ;;
	ops) ops_options="$ops_options--ops=$2
" ;;
	kernel_categories) kcat_options="$kcat_options--kernel-categories=$2
" ;;
	lenient) parse_args="$parse_args --lenient" ;;
	threads) number "$1" "$2" 1 256; threads=$2 ;;
	keep_stream) keep=$2 ;;
	progress) progress=1 ;;
	no_progress) progress=0 ;;
	verbose) verbose=-v ;;
	quiet) quiet=-q ;;
	inductor_cache_dir) ;;
	help) print_help ;;
	version) print_version ;;
	comparison_json_path) usage "--$1 is not built yet" ;;
	*) usage "--$1 is not built" ;;
	esac
}

set_argument() { # most often it is empty because a shell variable is not set
	[ -n "$2" ] || usage "--$1: the argument is empty"
	set_option "$1" "$2"
}

while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	--*=*)
		word=${1%%=*}
		find_option "${word#--}"
		[ "$takes" != - ] || usage "option '--$found' takes no argument"
		set_argument "$found" "${1#*=}" ;;
	--*)
		find_option "${1#--}"
		if [ "$takes" = - ]; then
			set_option "$found" ''
		else
			[ $# -gt 1 ] || usage "option '$1' needs an argument"
			set_argument "$found" "$2"
			shift
		fi ;;
	-?*) # short options: many in one word, and what is behind one with an argument is that
		letters=${1#-}
		while [ -n "$letters" ]; do
			after=${letters#?}
			case $letters in
			q*) set_option quiet '' ;;
			v*) set_option verbose '' ;;
			h*) print_help ;;
			V*) print_version ;;
			[o@]*)
				if [ -z "$after" ]; then
					[ $# -gt 1 ] || usage "option '-$letters' needs an argument"
					after=$2
					shift
				fi
				case $letters in o*) set_argument output_xlsx_path "$after" ;; *) set_argument threads "$after" ;; esac
				after='' ;;
			*) usage "unknown option '-$letters'" ;;
			esac
			letters=$after
		done ;;
	*)
		[ -z "$trace" ] || usage "one trace at a time: '$trace' and '$1'"
		trace=$1 ;;
	esac
	shift
done
for rest; do
	[ -z "$trace" ] || usage "one trace at a time: '$trace' and '$rest'"
	trace=$rest
done
[ -n "$trace" ] || usage "no trace given"
[ -z "$settings" ] || [ -n "$rewrite" ] || usage "--set is for the rules of --enable_pseudo_ops"

# A table must be there even if no wanted sheet reads it. One from a pipe can be read
# once only, so it is not tried before.
old_ifs=$IFS
IFS=$lines
try=$arch$kcat_options$ops_options
for f in $kcat_options $ops_options; do
	f=${f#--*=}
	[ -r "$f" ] || { printf '%s: error: %s: cannot open\n' "$me" "$f" >&2; exit 1; }
	[ -f "$f" ] || try=''
done
[ ! -e "${arch#*=}" ] || [ -f "${arch#*=}" ] || try=''
IFS=$old_ifs

# ---- work folder, messages, clean-up ---------------------------------------------

case $0 in */*) here=${0%/*} ;; *) here='' ;; esac
# the filters beside this driver come first, so that a build folder works as it is
[ -n "$here" ] && [ -x "$here/tl-parse" ] && PATH=$here:$PATH

if [ -z "$progress" ]; then
	if [ -t 2 ]; then progress=1; else progress=0; fi
fi
step() {
	[ "$progress" = 0 ] || printf '%s: %s\n' "$me" "$1" >&2
}
# Work files: the folder $work for sheets, and $work.messages, $work.list, $work.linked.
work='' unfinished='' half='' started='' # half: output that is not whole yet
remove_work() {
	rm -rf -- "$work" "$work.messages" "$work.list" "$work.linked"
}
clean_up() {
	[ -z "$work" ] || remove_work
	[ -z "$unfinished" ] || rm -f -- "$unfinished"
	[ -z "$half" ] || rm -rf -- "$half"
	work='' unfinished='' half=''
}
# The first stage and the last: with them gone those in between end too, soon. Until
# then they may make work files.
stop() { # SIGNAL
	if [ -n "$started" ]; then
		# by way of a file: in $(...) some shells have no jobs
		{ echo && jobs -p; } >&5
		while read -r pid; do
			case $pid in 0* | *[!0-9]*) ;; *) kill "$pid" 2>/dev/null ;; esac
		done <&6
		kill "${!-}" 2>/dev/null
		wait
	fi
	clean_up
	trap - EXIT "$1"
	kill -"$1" $$
}
# A program that has nothing to say is not worth starting another one for.
show_line() { # what came through a pipe goes by the trace's name
	case $1 in
	*'<stdin>'*) [ "$trace" = - ] || set -- "${1%%'<stdin>'*}$trace${1#*'<stdin>'}" ;;
	esac
	printf '%s\n' "$1" >&2
}
say() {
	printf '%s: error: %s\n' "$me" "$1" >&2
}
fail() {
	clean_up
	say "$1"
	exit 1
}
trap clean_up EXIT
trap 'stop INT' INT
trap 'stop TERM' TERM
trap 'stop HUP' HUP
trap 'stop PIPE' PIPE

if [ "$trace" != - ]; then
	[ -e "$trace" ] || fail "$trace: cannot open: no such file"
	[ ! -d "$trace" ] || fail "$trace: is a folder, expected a trace"
fi
if [ -z "$xlsx" ] && [ -z "$csvs" ] && [ -z "$tsvs" ]; then
	[ "$trace" != - ] || usage "the trace comes from standard input: say where the report goes (-o, --output_csvs_dir, --tsv-dir)"
	case ${trace##*/} in # a folder's name is not cut
	*.json*) xlsx=${trace%.json*}_perf_report.xlsx ;;
	*) xlsx=${trace}_perf_report.xlsx ;;
	esac
fi
# where the report goes must be there before the work begins
above() { # PATH: the folder it is in
	case $1 in /*/* | [!/]*/*) folder=${1%/*} ;; /*) folder=/ ;; *) folder=. ;; esac
}
check_folder() { # PATH: is made, with those above it
	folder=${1%/}
	while [ ! -e "${folder:=/}" ]; do above "$folder"; done
	{ [ -d "$folder" ] && [ -w "$folder" ]; } || fail "$1: cannot make or write the folder"
}
is_device() { [ -e "$1" ] && [ ! -f "$1" ]; } # or a pipe: it cannot be made anew
check_place() { # PATH
	[ ! -d "$1" ] || fail "$1: is a folder, expected a file"
	above "$1"
	[ -d "$folder" ] || fail "$1: there is no folder $folder"
	if is_device "$1"; then set -- "$1" "$1"; else set -- "$1" "$folder"; fi
	[ -w "$2" ] || fail "$1: cannot write"
}
[ -z "$xlsx" ] || [ "$xlsx" = - ] || check_place "$xlsx"
[ -z "$csvs" ] || check_folder "$csvs"
[ -z "$tsvs" ] || check_folder "$tsvs"
[ -z "$keep" ] || check_place "$keep"
# The stages run side by side, so with two threads the parser has one: a second that
# inflates gains nothing while linking needs its processor.
threads=${threads:-2}
parse_threads=$((threads > 2 ? threads - 1 : 1))
# Names that nobody can know before, and that nobody has.
read -r id 2>/dev/null </proc/sys/kernel/random/uuid || id=$$
case ${TMPDIR:=/tmp} in /*) name=$TMPDIR/$me.$id ;; *) name=$PWD/$TMPDIR/$me.$id ;; esac
# An empty file, new, for nobody else to read. Where the kernel tells the umask,
# no other process is needed to come back to it.
make_file() { # NAME
	title='' mask=''
	{ read -r _ && read -r title mask; } 2>/dev/null </proc/self/status
	[ "$title" = Umask: ] || mask=$(umask)
	umask 077
	set -C
	true 2>/dev/null >"$1"
	made=$?
	set +C
	umask "$mask"
	return $made
}
for f in "$name" "$name.messages" "$name.list" "$name.linked"; do
	{ [ ! -e "$f" ] && [ ! -h "$f" ]; } || fail "cannot make files in $TMPDIR"
done
work=$name list='' # from now on a signal removes them
make_file "$work.messages" || fail "cannot make files in $TMPDIR"
if [ -n "$csvs$tsvs" ]; then
	list=$work.list
	make_file "$list" || fail "cannot make files in $TMPDIR"
fi
[ -z "$keep" ] || make_file "$work.linked" || fail "cannot make files in $TMPDIR"
# shellcheck disable=SC2094 # for the stages to write, for this shell to read
exec 5>>"$work.messages" 6<"$work.messages"
# What is still to be done after the workbook may fail: then there is none.
book=$xlsx
if [ -n "$xlsx" ] && [ -n "$csvs$tsvs$keep" ] && [ "$xlsx" != - ] && ! is_device "$xlsx"; then
	above "$xlsx"
	book=$folder/$me.$id.xlsx.new unfinished=$folder/$me.$id.xlsx.new
fi

# ---- which filters ------------------------------------------------------------------

wants() { # is any of these sheets wanted?
	[ -n "$sheets" ] || return 0
	for s; do
		case $sheets in *,"$s",*) return 0 ;; esac
	done
	return 1
}
case $sheets in
*,kernel_summary,*) kernel_summary=1 ;;
esac
case $sheets in
*,short_kernel_histogram,* | *,short_kernels_summary,*) short_study=1 ;;
esac
case $sheets in
*_kl_overlap,*) ops_args="$ops_args --include_overlap_info" roofline_args="$roofline_args --include_overlap_info" ;;
esac
# With --sheets only the filters that make them; what no other one makes is of tl-roofline.
others='gpu_timeline ops_summary_by_category ops_summary ops_unique_args ops_unique_args_kl_overlap
	kernel_summary short_kernel_histogram short_kernels_summary coll_analysis'
# shellcheck disable=SC2086 # $sheets is cut at its commas
wants_roofline() {
	[ -n "$sheets" ] || return 0
	old_ifs=$IFS
	IFS=,
	set -- $sheets
	IFS=$old_ifs
	for s; do
		case " $others " in *[!a-z_]"$s"[!a-z_]*) ;; *) [ -z "$s" ] || return 0 ;; esac
	done
	return 1
}

# What tl-sheets is to run becomes the positional parameters: FILTER ARGUMENT... +
# Options with file names are a line each, so lines are words while those are added.
# shellcheck disable=SC2086 # the *_args hold options without blanks
plan() {
	blanks=$IFS
	set --
	if wants gpu_timeline; then set -- "$@" tl-timeline $timeline_args +; fi
	if wants ops_summary_by_category ops_summary ops_unique_args ops_unique_args_kl_overlap; then
		set -- "$@" tl-ops $ops_args
		IFS=$lines
		set -- "$@" $ops_options
		IFS=$blanks
		set -- "$@" +
	fi
	if wants_roofline; then
		set -- "$@" tl-roofline ${arch:+"--$arch"} $roofline_args
		IFS=$lines
		set -- "$@" $ops_options
		IFS=$blanks
		set -- "$@" +
	fi
	if [ -n "$kernel_summary$short_study" ]; then
		set -- "$@" tl-kcat $kcat_args
		[ -z "$kernel_summary" ] || set -- "$@" --sheet=kernel_summary
		[ -z "$short_study" ] || set -- "$@" --sheet=short_kernel_histogram --sheet=short_kernels_summary
		IFS=$lines
		set -- "$@" $ops_options $kcat_options
		IFS=$blanks
		set -- "$@" +
	fi
	if [ -n "$coll" ] && wants coll_analysis; then set -- "$@" tl-coll +; fi
	[ $# -gt 0 ] || { say "no sheet could be made of this trace"; return 1; }
	make_sheets "$@"
}

# What a filter refuses is told before the trace is read, whichever sheets are wanted.
# shellcheck disable=SC2086 # options are a line each
try_options() {
	IFS=$lines
	if [ -n "$try" ]; then
		tl-sheets -qn -d "$work" tl-roofline ${arch:+"--$arch"} $ops_options + \
			tl-kcat $kcat_options $ops_options </dev/null || exit
	fi
	if [ -n "$settings" ]; then
		tl-rewrite -n --enable_pseudo_ops $settings || exit
	fi
	IFS=$blanks
}

# ---- trace to sheets: parse, link, edit, compute ------------------------------------

# What no sheet needs is dropped at once; uids count it all the same.
parse_args="$parse_args --drop=instant,counter,overhead,trace"
[ -n "$python" ] && link_args="$link_args --python" || parse_args="$parse_args --no-python"

# shellcheck disable=SC2086 # the *_args hold options without blanks
parse() { exec tl-parse $quiet -@ "$parse_threads" $parse_args -- "$trace" <&4; }
# shellcheck disable=SC2086
link() { exec tl-link $quiet $verbose $link_args; }
# shellcheck disable=SC2086
edit() {
	IFS=$lines
	exec tl-rewrite $quiet --enable_pseudo_ops $settings
}
# The stream, as tl-sheets gets it, goes to a file too; if it cannot be written, no further.
keep() { tee -- "$work.linked" || say "$work.linked: cannot write: is there room in $TMPDIR?"; }
# Paths of sheets, each once it is there; a dot after the last. The folder is made
# beside the stages that read the trace; as DIR/. it is not made a second time.
# shellcheck disable=SC2086
compute() {
	mkdir -m 700 -- "$work" || exit 1
	exec tl-sheets $quiet --dot -@ "$threads" -d "$work/." - "$@"
}
# Those of them that are wanted. Without the dot the list is cut short, so that no book is made of it.
choose() {
	made=,
	while IFS= read -r path; do
		s=${path##*/}
		s=${s%.tsv}
		if [ "$s" = . ]; then
			IFS=,
			for s in $sheets; do
				case $made in *",$s,"*) ;; *) [ -z "$s" ] || { say "no sheet '$s' could be made of this trace"; return; } ;; esac
			done
			[ "$made" != , ] || { say "no sheet could be made of this trace"; return; }
		elif wants "$s"; then
			made=$made$s,
			printf '%s\n' "$path" >&3
		else
			continue
		fi
		printf '%s\n' "$path"
	done 3>>"${list:-/dev/null}"
}
# Nobody else reads the sheets, unless they go to other files too.
remove=--remove
[ -z "$list" ] || remove=''
# shellcheck disable=SC2086
write_book() {
	rm -f -- "$work.messages" # it stays open
	[ -z "$book" ] || exec tl-xlsx $quiet -o "$book" $remove --list -
	end=''
	while read -r line; do end=$line; done
	[ "$end" = . ]
}
# A stage that fails leaves no end in the pipe, so all behind it fail too. In the
# background, since a shell that waits for it hears a signal at once.
make_sheets() { # FILTER ARGUMENT... +...
	exec 4<&0
	started=1
	stages='parse | link'
	[ -z "$rewrite" ] || stages="$stages | edit"
	[ -z "$keep" ] || stages="$stages | keep"
	stages="$stages | compute \"\$@\""
	[ -z "$sheets$csvs$tsvs" ] || stages="$stages | choose"
	eval "$stages | write_book &"
	wait "$!"
	status=$?
	started=''
	return $status
}
blanks=$IFS
try_options
step "reading $trace"
plan 2>&5
status=$?
messages=''
while IFS= read -r line; do messages=$messages$line$lines; done <&6
errors_of() { # PROGRAM: shows its errors, if there are any
	had=1
	for line in $messages; do
		case $line in "$1: error: "*) had=0 && printf '%s\n' "$line" >&2 ;; esac
	done
	return $had
}
blanks=$IFS
IFS=$lines
if errors_of "$me"; then exit 1; fi
if [ "$status" != 0 ]; then
	# the first stage that failed has the reason; those after it only saw its stream end
	for first in tl-parse tl-link tl-rewrite; do
		if errors_of "$first"; then fail "$first failed"; fi
	done
	said=''
	for line in $messages; do
		case $line in
		'tl-xlsx: error: <stdin>: the list names no sheet'*) fail "no sheet could be made of this trace" ;;
		'tl-xlsx: error: <stdin>: the list of sheets is cut short'*) ;;
		*) said=1 && show_line "$line" ;;
		esac
	done
	[ -n "$said" ] || fail "a stage failed and could not say why: is there room in $TMPDIR?"
	fail "a stage failed"
fi
for line in $messages; do show_line "$line"; done
IFS=$blanks

# ---- the report in other forms -----------------------------------------------------

copy() { # FROM TO: appears whole or not at all
	if is_device "$2"; then
		cat -- "$1" >"$2" || fail "$2: cannot write"
		return
	fi
	above "$2"
	half=$folder/$me.$id.new
	# by cat: as a new file of the user's, not with the rights of the work file
	set -C
	if ! cat -- "$1" >"$half" || ! mv -f -- "$half" "$2"; then
		fail "$2: cannot write"
	fi
	set +C
	half=''
}
if [ -n "$csvs$tsvs" ]; then
	set --
	while IFS= read -r path; do set -- "$@" "$path"; done <"$list"
fi
# shellcheck disable=SC2086 # $quiet is an option or nothing
if [ -n "$csvs" ]; then
	tl-csv $quiet -d "$csvs" "$@" || fail "tl-csv failed"
fi
if [ -n "$tsvs" ]; then
	# under other names until all are there
	half=$tsvs/.new.$id
	if ! mkdir -p -- "$tsvs" || ! mkdir -- "$half" || ! cp -- "$@" "$half"; then
		fail "$tsvs: cannot write"
	fi
	if ! (cd -- "$half" && set +f && mv -f -- * ..); then
		fail "$tsvs: cannot write"
	fi
	rmdir -- "$half"
	half=''
fi
if [ -n "$keep" ]; then
	copy "$work.linked" "$keep"
fi
if [ -n "$unfinished" ]; then
	mv -f -- "$unfinished" "$xlsx" || fail "$xlsx: cannot write"
	unfinished=''
fi
[ -z "$xlsx" ] || step "wrote $xlsx"
trap - EXIT
[ -d "$work" ] || [ -n "$list$keep" ] || exit 0
# in place of the shell: it has nothing else to do; no signal leaves it half done
trap '' INT TERM HUP
exec rm -rf -- "$work" "$work.list" "$work.linked"
