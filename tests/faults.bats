#!/usr/bin/env bats
# faults.bats - what every program must do when something is wrong: one loop.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 60 --no-python --no-nccl >trace.json
	tl-gen -n 20000 >large.json
	gzip -k large.json
	tl-parse --no-provenance trace.json >trace.tls
	tl-parse --no-provenance large.json >large.tls
	small_trace >small.json
	tl-parse --no-provenance small.json >small.tls
	tl-link --no-provenance trace.tls >trace.linked
	tl-link --no-provenance large.tls >large.linked
	tl-link --no-provenance small.tls >small.linked
	echo 'SELECT count(*) FROM event' >query.sql
	printf 'name\tvalue\nadd\t1\nmul\t2.5\n' >sheet.tsv
	printf 'bin_start\tbin_end\tcount\n1\t2\t3\n2\t3\t4\n' >short_kernel_histogram.tsv
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	in=$BATS_FILE_TMPDIR
}

# Each way of linking once, in as few bytes as possible.
small_trace() {
	cat <<-'END'
	{"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": [
	{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 10, "dur": 30, "args": {}},
	{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10.5, "dur": 20.25, "args": {"External id": 1, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 15, "dur": 5, "args": {"correlation": 7}},
	{"ph": "s", "id": 7, "pid": 1, "tid": 1, "ts": 15, "cat": "ac2g", "name": "ac2g"},
	{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 9.125, "args": {"stream": 7, "correlation": 7}},
	{"ph": "f", "id": 7, "pid": 0, "tid": 7, "ts": 40, "cat": "ac2g", "name": "ac2g", "bp": "e"},
	{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 8, "ts": 50, "dur": 3, "args": {"stream": 8, "correlation": 9, "Collective name": "allreduce", "In msg nelems": 4, "Out msg nelems": 4, "Group size": 2, "dtype": "Float", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}},
	{"name": "process_name", "ph": "M", "ts": 0, "pid": 1, "tid": 0, "args": {"name": "python"}}
	], "traceName": "a.json"}
	END
}

# What a program reads: a trace, a stream (linked or not), a linked stream (or
# what can be linked), a sheet.
reads() {
	case $1 in
	tl-parse | tl-path | tl-tree | tl-report) echo trace ;; # tl-path, tl-tree: Python frames, which the linked streams here lack
	tl-link | tl-view) echo stream ;;
	tl-xlsx | tl-csv | tl-json | tl-html | tl-plot | tl-show | tl-openmetrics) echo sheet ;;
	*) echo linked ;;
	esac
}

# good NAME PROGRAM: the file of that name in the form that the program reads
good() {
	case $(reads "$2") in
	trace) echo "$in/$1.json" ;;
	stream) echo "$in/$1.tls" ;;
	linked) echo "$in/$1.linked" ;;
	sheet) if [ "$2" = tl-plot ]; then echo "$in/short_kernel_histogram.tsv"; else echo "$in/sheet.tsv"; fi ;;
	esac
}

# Options that a program needs to do something, and to write to stdout.
plain() {
	case $1 in
	tl-rewrite) echo --enable_pseudo_ops ;;
	tl-slice) echo --from 0s ;;
	tl-split) echo -i 0 ;;
	tl-ranks) echo --part ;;
	tl-replay) echo --op aten::mm --ir ;;
	tl-models) echo explain aten::mm ;;
	tl-plot) echo --pictures short_kernels --plot_dpi 20 ;;
	tl-roofline | tl-findings | tl-rocprof | tl-fuse | tl-path | tl-counters) echo -q ;; # they say what the trace does not tell
	tl-report) echo "-q -o $BATS_TEST_TMPDIR/report.xlsx" ;;
	tl-xlsx) echo "-o /dev/stdout" ;;
	tl-sheets) echo "-q -d $BATS_TEST_TMPDIR/sheets" ;;
	tl-sql) echo "-q -f $BATS_FILE_TMPDIR/query.sql" ;;
	esac
}
# The same without the place that the output goes to.
needed() {
	case $1 in
	tl-rewrite | tl-slice | tl-split | tl-roofline | tl-models | tl-plot | tl-ranks | tl-replay | tl-sql) plain "$1" ;;
	tl-sheets) echo --sheets ops_summary ;;
	esac
}

# on_input PROGRAM FILE [OPTION…]: the program on a file, output to stdout
on_input() {
	local program=$1 file=$2
	shift 2
	# shellcheck disable=SC2046
	"$program" $(plain "$program") "$@" "$file"
}

# Programs that take one input. Those of several have tests of bad ones in their own files, and so has tl-jax, which takes
# traces of JAX only.
one_input() {
	case $1 in
	tl-jax | tl-compare | tl-diff | tl-multi | tl-jaxcoll | tl-trend) return 1 ;;
	esac
}

# every FUNCTION: runs it once for every program; each FUNCTION: for those that take one
# input. bats prints the names when a line of the function fails; the last one is the
# program it failed for.
every() {
	local program
	for program in $(tl_filters) tl-report; do
		echo "program: $program"
		"$1" "$program"
	done
}
each() {
	local program
	for program in $(tl_filters) tl-report; do
		one_input "$program" || continue
		echo "program: $program"
		"$1" "$program"
	done
}
# The same for the programs that read event streams.
each_reader() {
	local program
	for program in $(tl_filters); do
		one_input "$program" || continue
		case $(reads "$program") in
		sheet) ;;
		*) echo "program: $program"; "$1" "$program" ;;
		esac
	done
}

# Options of a program whose line in --help matches a regex: options PROGRAM REGEX
options() {
	COLUMNS=10000 "$1" --help | sed -nE "s/^ +(-., )?--([a-z0-9_-]+)$2\$/\2/p"
}

# ---- asked for by name ----------------------------------------------------------

help_is_served() {
	local o
	for o in --help -h; do
		run -0 --separate-stderr "$1" "$o"
		equal "$stderr" ''
		like "$output" "^usage: $1 "
		equal "$(awk 'length($0) > 80' <<<"$output")" ''
	done
	# the words are the same in lines of any length
	equal "$(COLUMNS=9999 "$1" --help | xargs -d '\n' echo | tr -s ' ')" "$(xargs -d '\n' echo <<<"$output" | tr -s ' ')"
}
@test "--help and -h print the usage to stdout, in 80 columns, and end with 0" {
	every help_is_served
}

version_is_told() {
	local o
	for o in --version -V; do
		run -0 --separate-stderr "$1" "$o"
		equal "$stderr" ''
		equal "${lines[0]}" "$1 $(cat "$TL_ROOT/VERSION") (stream 2)"
	done
}
@test "--version names the program, its version and the stream's" {
	every version_is_told
}

# ---- usage errors ---------------------------------------------------------------

unknown_is_refused() {
	local o
	for o in --no-such-option -?; do
		run -2 --separate-stderr "$1" "$o" </dev/null
		failed 2 ''
		equal "$output" ''
		like "$stderr" "$1 --help"
	done
}
@test "an unknown option is a usage error with a hint" {
	every unknown_is_refused
}

@test "an option that is not known is told with the nearest, an ambiguous one with all that it may be" {
	wrong() { # PROGRAM OPTION REGEX
		run -2 --separate-stderr "$1" "$2" </dev/null
		like "$stderr" "^$1: error: $3"$'\n'"try '$1 --help'\$"
	}
	wrong tl-findings --formt "unknown option '--formt'; the nearest is --format"
	wrong tl-findings --formt=json "unknown option '--formt=json'; the nearest is --format"
	wrong tl-findings --gpu-arch_platform "unknown option '--gpu-arch_platform'; the nearest is --gpu_arch_platform"
	wrong tl-findings --gpu_arch "ambiguous option '--gpu_arch': it may be --gpu_arch_platform, --gpu_arch_json_path"
	wrong tl-report --output-cvs-dir "unknown option '--output-cvs-dir'; the nearest is --output_csvs_dir"
	wrong tl-ops --zzzz "unknown option '--zzzz'"
	wrong tl-view --no-lniks "unknown option '--no-lniks'; the nearest is --no-links"
}

@test "an unknown letter among others is the one that is named" {
	run -2 --separate-stderr tl-ops --lenient -qY "$in/trace.linked"
	like "$stderr" "^tl-ops: error: unknown option '-Y'"
}

argument_is_demanded() {
	local o
	like "$(options "$1" '[ =][A-Z].*')" .
	for o in $(options "$1" '[ =][A-Z].*'); do
		echo "--$o"
		run -2 --separate-stderr "$1" "--$o" </dev/null
		failed 2 ''
		equal "$output" ''
	done
}
@test "an option without its argument is a usage error" {
	every argument_is_demanded
}

@test "an option with an empty argument is a usage error" {
	run -2 --separate-stderr tl-ops -o '' t.json
	failed 2 '--output: the argument is empty'
}

numbers_are_strict() {
	local o n
	for o in $(options "$1" '[ =]N( .*)?'); do
		for n in x '' 1x -1 1.5 99999999999999999999; do
			case $o$n in m??_tid-1) continue ;; esac # this one may be negative
			echo "--$o=$n"
			run -2 --separate-stderr "$1" "--$o=$n" "$(good trace "$1")" </dev/null
			failed 2 ''
		done
	done
}
@test "an option that takes a number refuses anything else" {
	each numbers_are_strict
}

flag_takes_nothing() {
	run -2 --separate-stderr "$1" --help=yes </dev/null
	failed 2 ''
}
@test "a flag with an argument is a usage error" {
	every flag_takes_nothing
}

# ---- input that is not there ----------------------------------------------------

missing_is_told() {
	run -1 --separate-stderr on_input "$1" "$PWD/no such file"
	failed 1 'no such file: '
	equal "$output" ''
	like "$stderr" '[Nn]o such file'
}
@test "a missing file is an error that names it" {
	each missing_is_told
}

folder_is_refused() {
	run -1 --separate-stderr on_input "$1" "$PWD"
	failed 1 ''
	equal "$output" ''
}
@test "a folder in place of a file is an error" {
	each folder_is_refused
}

empty_is_refused() {
	: >empty
	run -1 --separate-stderr on_input "$1" "$PWD/empty"
	failed 1 'empty'
	equal "$output" ''
	like "$stderr" "$PWD/empty"
	[ "$1" != tl-xlsx ] || return 0 # has no default input
	run -1 --separate-stderr on_input "$1" - </dev/null
	failed 1 'empty'
	equal "$output" ''
}
@test "empty input is an error, from a file and from stdin" {
	each empty_is_refused
}

nonsense_is_refused() {
	printf 'neither a trace nor a stream\n' >nonsense
	head -c 3000 /dev/zero >zeros
	local file
	for file in nonsense zeros; do
		run -1 --separate-stderr on_input "$1" $file
		failed 1 ''
		equal "$output" ''
	done
}
@test "input of no known kind is an error" {
	each_reader nonsense_is_refused
	nonsense_is_refused tl-report
}

@test "what is no sheet is refused, with a word on what it is and what was expected" {
	tl-link -o stream "$in/small.json"
	tl-view stream >text
	gzip -c "$in/small.json" >gzip
	cp "$in/small.json" json
	printf '[\n  {"ph": "X"}]\n' >list
	tl-xlsx -o workbook "$in/sheet.tsv"
	printf '\n<!DOCTYPE HTML>\n<title>404</title>\n' >page
	printf '\xef\xbb\xbf<?xml version="1.0"?>\n' >xml
	head -c 3000 /dev/zero >zeros
	cp "$TL_BIN/tl-csv" program
	while read -r file what; do
		for options in tl-xlsx tl-csv 'tl-csv -r'; do
			run -1 --separate-stderr $options $file
			failed 1 "$file: this is $what; expected a sheet: a header line and rows of [TC]SV"
			equal "$output" ''
			run -1 --separate-stderr pipe "{ head -c 1 $file; sleep 0.02; tail -c +2 $file; } | $options"
			failed 1 "<stdin>: this is $what; expected"
		done
	done <<-'END'
		stream an event stream
		text the text of an event stream
		gzip compressed data \(gzip\)
		json JSON
		list JSON
		workbook a zip archive, such as a workbook
		page HTML
		xml XML
		zeros binary data
		program a program \(ELF\)
	END
}

# ---- output ---------------------------------------------------------------------

full_is_noticed() {
	local o
	[ "$1" != tl-report ] || return 0
	for o in --help --version; do
		run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$1" $o
	done
	# shellcheck disable=SC2046
	run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$1" $(plain "$1") "$(good trace "$1")"
	failed 1 'No space left'
}
@test "a full device is an error, for --help and --version too" {
	each full_is_noticed
}

pipe_is_left() {
	local ignore
	case $1 in tl-report | tl-xlsx) return 0 ;; esac
	for ignore in : 'trap "" PIPE'; do
		# shellcheck disable=SC2046,SC2016
		run -141 --separate-stderr unread bash -c "$ignore"'; exec "$@"' sh "$1" $(plain "$1") "$(good trace "$1")"
		equal "$stderr" ''
	done
}
@test "a closed pipe ends a filter by SIGPIPE without a message, even where the parent ignores it" {
	each pipe_is_left
}

takes_output() {
	local help
	help=$("$1" --help) # whole: a reader that has seen enough would end the program by a signal
	[[ $help =~ -o,\ [^$'\n']*FILE ]]
}

file_is_whole_or_absent() {
	local good
	takes_output "$1" || return 0
	mkdir "$1"
	cd "$1"
	good=$(good trace "$1")
	head -c $(($(wc -c <"$good") * 2 / 3)) "$good" >short
	# nothing there before: nothing after
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o out short
	failed 1 ''
	equal "$(ls)" short
	# something there before: left as it was
	echo before >out
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o out short
	equal "$(cat out)" before
	equal "$(echo *)" 'out short'
	# and a good run replaces it
	# shellcheck disable=SC2046
	run -0 --separate-stderr "$1" -q $(needed "$1") -o out "$good"
	refute grep -qx before 'out'
	equal "$(echo *)" 'out short'
	cd ..
}
@test "an output file appears whole or not at all" {
	each_reader file_is_whole_or_absent
	file_is_whole_or_absent tl-report
}

no_folder_no_output() {
	takes_output "$1" || return 0
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o no/such/folder "$(good trace "$1")"
	failed 1 'no/such/folder'
}
@test "an output file that cannot be made is an error that names it" {
	each no_folder_no_output
}

input_is_no_output() {
	local good name
	takes_output "$1" || return 0
	good=$(good small "$1")
	mkdir "$1"
	cd "$1"
	cp "$good" in
	ln in hard
	ln -s in soft
	ln -s ../"$1"/hard 'a link to it'
	stat -c %y . >"../before $1" # of the folder: tells that a file was made, even for a moment
	# shellcheck disable=SC2046
	for name in in hard 'a link to it'; do
		run -1 --separate-stderr "$1" $(needed "$1") -o "$name" in
		failed 1 "$name: the output is the input( in)?; nothing was written"
	done
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o in - <soft
	failed 1 'in: the output is the input <stdin>; nothing was written'
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o /dev/fd/5 in 5>>soft
	failed 1 '/dev/fd/5: the output is the input in; nothing was written'
	stat -c %y . | cmp - "../before $1"
	cmp in "$good"
	# shellcheck disable=SC2046
	"$1" -q $(needed "$1") -o other in
	cd ..
}
@test "an output that is the input, under any name, is refused before anything is written" {
	each input_is_no_output
}

@test "standard output that is the input is refused" {
	cp "$in/small.linked" in
	for program in tl-ops tl-view tl-link; do
		run -1 --separate-stderr bash -c "$program in >>in"
		failed 1 '<stdout>: the output is the input in; nothing was written'
	done
	cmp in "$in/small.linked"
}

sheet_is_no_input() {
	local sheet
	[ "$1" != tl-split ] || return 0 # its folder is for parts of the trace
	grep -q -- '-d, --dir' <("$1" --help) || return 0
	mkdir "$1"
	cp "$(good small "$1")" "$1/in"
	case $1 in
	tl-csv) sheet=in.csv ;;
	tl-sheets) sheet=ops_summary.tsv ;;
	tl-ranks) sheet=nccl_long.tsv ;;
	tl-plot) sheet=phase_overview.png ;;
	*) sheet=$("$1" --help | sed -n '/^Sheets:/,$s/^  \([^ ]*\) .*/\1/p' | head -n 1).tsv ;;
	esac
	ln "$1/in" "$1/$sheet"
	stat -c %y "$1" >"before $1"
	run -1 --separate-stderr "$1" -d "$1" "$1/in"
	failed 1 "$1/$sheet: the output is the input $1/in; nothing was written"
	stat -c %y "$1" | cmp - "before $1"
}
@test "a folder of sheets where one would replace the input is refused before anything is written" {
	each sheet_is_no_input
}

@test "a table that is read is no output either" {
	printf 'op\tacme::x\tsdpa\tq=0 k=1 v=2 types=slice(typ(),0,2)\n' >my.ops
	run -1 --separate-stderr tl-ops --ops my.ops -o my.ops "$in/small.linked"
	failed 1 'my.ops: the output is the input; nothing was written'
	printf 'a\tb\n' >one.tsv
	cp one.tsv two.tsv
	for name in one.tsv two.tsv; do # before the first is read
		run -1 --separate-stderr tl-xlsx -o $name x=one.tsv two.tsv
		failed 1 "$name: the output is the input; nothing was written"
	done
}

@test "-o /dev/stdout goes on where the shell's file is" {
	echo before >log
	tl-timeline -o /dev/stdout "$in/trace.linked" >>log
	equal "$(head -n 1 log)" before
	equal "$(sed -n 2p log | cut -f 1)" type
	tl-timeline -o /dev/fd/7 "$in/trace.linked" 7>seven
	cmp seven <(sed 1d log)
	run -1 --separate-stderr tl-timeline -o /dev/fd/9 "$in/trace.linked" 9>&-
	like "$stderr" "^tl-timeline: error: /dev/fd/9: cannot open for writing: "
}

@test "an output file that is there keeps its rights, and a link its place" {
	echo old >private
	chmod 600 private
	ln -s private link
	tl-timeline -o link "$in/trace.linked"
	[ -L link ]
	equal "$(head -n 1 private | cut -f 1)" type
	equal "$(stat -c %a private)" 600
}

@test "what a link points to is made when it is not there" {
	mkdir -p links/to/there
	ln -s there/new links/to/second
	ln -s links/to/second first
	tl-timeline -o first "$in/trace.linked"
	[ -L first ]
	[ -L links/to/second ]
	equal "$(head -n 1 links/to/there/new | cut -f 1)" type
	equal "$(ls links/to/there)" new
	ln -s "$PWD/whole" absolute
	tl-timeline -o ./absolute "$in/trace.linked"
	cmp whole links/to/there/new
	ln -s no/folder astray
	run -1 --separate-stderr tl-timeline -o astray "$in/trace.linked"
	like "$stderr" "^tl-timeline: error: astray: cannot create: No such file or directory"
	ln -s round round
	run -1 --separate-stderr tl-timeline -o round "$in/trace.linked"
	like "$stderr" "^tl-timeline: error: round: cannot create: Too many levels of symbolic links"
	[ -L round ]
}

@test "a limit on file sizes is an error that names the output, and leaves no file" {
	run -1 --separate-stderr bash -c 'ulimit -f 100; tl-parse -o out.tls "$BATS_FILE_TMPDIR/large.json"'
	failed 1 'out.tls: cannot write: File too large'
	equal "$(echo out.tls*)" 'out.tls*'
}

# ---- signals --------------------------------------------------------------------

@test "a signal that the parent ignores stays ignored" {
	mkfifo fifo
	bash -c 'trap "" HUP; exec tl-parse -o out.tls fifo' 3>&- &
	local pid=$!
	exec 9>fifo
	printf '{"traceEvents": [' >&9
	while ! compgen -G 'out.tls.*' >/dev/null; do sleep 0.05; done
	kill -HUP "$pid"
	printf ']}' >&9
	exec 9>&-
	wait "$pid"
	tl-view --check out.tls
}

signal_ends_waiting() {
	takes_output "$1" || return 0
	mkdir "$1"
	mkfifo "$1/fifo"
	# shellcheck disable=SC2046
	run -143 timeout --preserve-status -k 5 0.2 "$1" -q $(needed "$1") -o "$1/fifo" "$(good trace "$1")"
	equal "$(ls "$1")" fifo
}
@test "a signal ends a filter that waits for the reader of a pipe" {
	each signal_ends_waiting
	run env --default-signal=INT timeout -s INT --preserve-status -k 5 0.2 tl-ops -o tl-ops/fifo "$in/small.linked"
	echo "$output"
	equal "$status" 130
}

# ---- good runs ------------------------------------------------------------------

silent_and_same() {
	local good same=()
	good=$(good trace "$1")
	on_input "$1" "$good" >first 2>err
	equal "$(grep -v ' has no row; ' err)" '' # the trace has no collectives, say
	on_input "$1" "$good" >second 2>err
	cmp first second
	# the provenance line tells how the filter was called
	case $1 in tl-parse | tl-link | tl-rewrite | tl-slice | tl-split) same+=(--no-provenance) ;; esac
	on_input "$1" "$good" "${same[@]}" >first
	case $1 in tl-xlsx | tl-overview | tl-findings | tl-ranks) return ;; esac # they name the file
	on_input "$1" - "${same[@]}" <"$good" >stdin
	cmp first stdin
}
@test "a good run is silent, and the same twice, and from stdin" {
	local program
	for program in $(tl_filters); do
		one_input "$program" || continue
		echo "program: $program"
		silent_and_same "$program"
	done
}

# ---- damaged input --------------------------------------------------------------

# One reader of streams and one of traces serves all programs, so a few see the
# damage at every byte and the others at some.
step() {
	case $1,${TL_SANITIZED-} in
	tl-parse, | tl-view,) echo 1 ;;
	*,) echo 37 ;;
	*) echo 61 ;;
	esac
}

cut_anywhere() {
	local small whole
	small=$(good small "$1")
	whole=$(wc -c <"$small")
	[ "$1" != tl-parse ] || whole=$((whole - 1)) # the last byte is a newline
	# shellcheck disable=SC2046
	"$TL_TOOLS/cuts" "$small" "$(step "$1")" "$whole" "$1" $(plain "$1")
}
@test "input cut at any byte of a small file is an error" {
	each_reader cut_anywhere
	"$TL_TOOLS/cuts" "$in/small.json" 397 $(($(wc -c <"$in/small.json") - 1)) tl-report -q --output_csvs_dir csv -
}

@test "a gzipped trace cut at any byte is an error" {
	gzip -c "$in/small.json" >small.gz
	"$TL_TOOLS/cuts" small.gz "$(step tl-parse)" "$(wc -c <small.gz)" tl-parse
}

@test "input cut at random places of a large file is an error" {
	local input
	for input in 'large.json tl-parse' 'large.json.gz tl-parse' 'large.tls tl-link' 'large.linked tl-view' 'large.linked tl-ops' 'large.json tl-ops'; do
		# shellcheck disable=SC2086
		set -- $input
		"$TL_TOOLS/cuts" "$in/$1" -20 "$(wc -c <"$in/$1")" "$2"
	done
}

bit_is_noticed() {
	# shellcheck disable=SC2046
	"$TL_TOOLS/cuts" -f "$in/small.linked" "$(step "$1")" "$1" $(plain "$1")
}
@test "one wrong bit in a stream is an error" {
	each_reader bit_is_noticed
}

version_is_checked() {
	run -1 --separate-stderr on_input "$1" "$PWD/other.tls"
	failed 1 'version'
	like "$stderr" 7
	like "$stderr" 2
}
@test "a stream of another version is an error that names both versions" {
	{ head -c 8 "$in/small.linked"; printf '\x07'; tail -c +10 "$in/small.linked"; } >other.tls
	each_reader version_is_checked
}

more_is_refused() {
	run -1 --separate-stderr on_input "$1" "$PWD/more.tls"
	failed 1 ''
}
@test "a stream with more after its end record is an error" {
	{ cat "$in/small.linked"; printf x; } >more.tls
	each_reader more_is_refused
}

# ---- memory runs out ------------------------------------------------------------

memory_is_checked() {
	local n=1 status small options speaker=$1
	options=$(plain "$1")
	small=$(good small "$1")
	case $1 in tl-sheets | tl-findings) speaker='tl-[a-z]+' ;; esac # the filters in them speak too
	while :; do
		status=0
		# shellcheck disable=SC2086
		FAIL_MALLOC=$n LD_PRELOAD=$TL_TOOLS/failmalloc.so "$TL_BIN/$1" $options "$small" >out 2>err || status=$?
		[ $status != 0 ] || break
		equal "allocation $n: $status" "allocation $n: 1"
		like "$(cat err)" "$speaker: error: .*out of memory"
		# every one of the first, then ever fewer
		n=$((n + 1 + n / 10))
		[ $n -lt 1000000 ]
	done
}
@test "an allocation that fails is an error, wherever it is" {
	[ -z "${TL_SANITIZED-}" ] || skip "the sanitizers have an allocator of their own"
	local program
	for program in $(tl_filters); do
		one_input "$program" || continue
		[ "$program" != tl-xlsx ] || continue # libxlsxwriter does not check every allocation
		echo "program: $program"
		memory_is_checked "$program"
	done
}
