#!/usr/bin/env bats
# faults.bats - what every filter must do when something is wrong: one loop.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 60 --no-python --no-nccl >trace.json
	tl-gen -n 20000 >large.json
	gzip -k trace.json
	gzip -k large.json
	tl-gen -n 1 --gpu-only --layers 1 --graph-kernels 1 --style compact >bytes.json
	tl-parse --no-provenance trace.json >trace.tls
	tl-parse --no-provenance large.json >large.tls
	small_trace >small.json
	tl-parse --no-provenance small.json >small.tls
	tl-link --no-provenance trace.tls >trace.linked
	tl-link --no-provenance large.tls >large.linked
	tl-link --no-provenance small.tls >small.linked
	printf 'name\tvalue\nadd\t1\nmul\t2.5\n' >sheet.tsv
}

# Each way of linking once, in as few bytes as possible.
small_trace() {
	cat <<-'END'
	{"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": [
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

# Whose name its messages have: those of tl-sheets come from the filters too.
speaker() {
	case $1 in tl-sheets) echo 'tl-[a-z]+' ;; *) echo "$1" ;; esac
}

# What a filter reads: trace (raw), stream, linked (either, or a raw trace), sheet.
reads() {
	case $1 in
	tl-parse | tl-report) echo trace ;;
	tl-link | tl-view) echo stream ;;
	tl-xlsx | tl-csv) echo sheet ;;
	*) echo linked ;;
	esac
}

good_input() {
	case $(reads "$1") in
	trace) echo "$BATS_FILE_TMPDIR/trace.json" ;;
	stream) echo "$BATS_FILE_TMPDIR/trace.tls" ;;
	linked) echo "$BATS_FILE_TMPDIR/trace.linked" ;;
	sheet) echo "$BATS_FILE_TMPDIR/sheet.tsv" ;;
	esac
}

# Options a filter needs to do something, and to write to stdout.
plain() {
	case $1 in
	tl-rewrite) echo --enable_pseudo_ops ;;
	tl-roofline) echo -q ;; # it says which GPU the trace is of
	tl-report) echo "-q -o $BATS_TEST_TMPDIR/report.xlsx" ;;
	tl-xlsx) echo "-o /dev/stdout" ;;
	tl-sheets) echo "-q -d $BATS_TEST_TMPDIR/sheets" ;;
	esac
}

# Runs a body once a filter; tells every filter it fails for.
each() {
	local f bad=''
	for f in $(tl_filters) tl-report; do
		need "$f" || return 1
		"$@" "$f" || { bad="$bad $f"; echo "^^^ $f" >&2; }
	done
	[ -z "$bad" ] || { echo "wrong for:$bad" >&2; return 1; }
}

# ---- asked for by name ----------------------------------------------------------

help_is_served() {
	local o
	for o in --help -h; do
		run -0 --separate-stderr "$1" "$o" || return 1
		equal "$stderr" '' && like "$output" "^usage: $1 " || return 1
	done
}
@test "--help and -h print the usage to stdout and end with 0" {
	each help_is_served
}

version_is_told() {
	local o
	for o in --version -V; do
		run -0 --separate-stderr "$1" "$o" || return 1
		equal "$stderr" '' && equal "${lines[0]}" "$1 $(cat "$TL_ROOT/VERSION") (stream 1)" || return 1
	done
}
@test "--version names the program, its version and the stream's" {
	each version_is_told
}

# ---- usage errors -----------------------------------------------------------------

unknown_is_refused() {
	local o
	for o in --no-such-option -?; do
		run -2 --separate-stderr "$1" "$o" </dev/null || return 1
		failed 2 '' && equal "$output" '' && like "$stderr" "$1 --help" || return 1
	done
}
@test "-o /dev/stdout goes on where the shell's file is" {
	echo before >log
	tl-timeline -o /dev/stdout "$BATS_FILE_TMPDIR/trace.linked" >>log
	[ "$(head -n 1 log)" = before ]
	[ "$(sed -n 2p log | cut -f 1)" = type ]
	tl-timeline -o /dev/fd/7 "$BATS_FILE_TMPDIR/trace.linked" 7>seven
	cmp seven <(sed 1d log)
	run -1 --separate-stderr tl-timeline -o /dev/fd/9 "$BATS_FILE_TMPDIR/trace.linked" 9>&-
	like "$stderr" "^tl-timeline: error: /dev/fd/9: cannot open for writing: "
}

@test "an output file that is there keeps its rights, and a link its place" {
	echo old >private
	chmod 600 private
	ln -s private link
	tl-timeline -o link "$BATS_FILE_TMPDIR/trace.linked"
	[ -L link ]
	[ "$(head -n 1 private | cut -f 1)" = type ]
	[ "$(stat -c %a private)" = 600 ]
}

@test "what a link points to is made when it is not there" {
	mkdir -p links/to/there
	ln -s there/new links/to/second
	ln -s links/to/second first
	tl-timeline -o first "$BATS_FILE_TMPDIR/trace.linked"
	[ -L first ]
	[ -L links/to/second ]
	[ "$(head -n 1 links/to/there/new | cut -f 1)" = type ]
	equal "$(ls links/to/there)" new
	ln -s "$PWD/whole" absolute
	tl-timeline -o ./absolute "$BATS_FILE_TMPDIR/trace.linked"
	cmp whole links/to/there/new
	ln -s no/folder astray
	run -1 --separate-stderr tl-timeline -o astray "$BATS_FILE_TMPDIR/trace.linked"
	like "$stderr" "^tl-timeline: error: astray: cannot create: No such file or directory"
	ln -s round round
	run -1 --separate-stderr tl-timeline -o round "$BATS_FILE_TMPDIR/trace.linked"
	like "$stderr" "^tl-timeline: error: round: cannot create: Too many levels of symbolic links"
	[ -L round ]
}

@test "an unknown letter among others is the one that is named" {
	run -2 --separate-stderr tl-ops --lenient -qY "$BATS_FILE_TMPDIR/trace.linked"
	like "$stderr" "^tl-ops: error: unknown option '-Y'"
}

@test "an unknown option is a usage error with a hint" {
	each unknown_is_refused
}

# Every option that takes an argument, as --help tells: without it, exit 2.
argument_is_demanded() {
	local o
	for o in $("$1" --help | sed -nE 's/^ +(-., )?--([a-z0-9_-]+)[ =][A-Z].*/\2/p'); do
		run -2 --separate-stderr "$1" "--$o" </dev/null || { echo "--$o" >&2; return 1; }
		failed 2 '' && equal "$output" '' || return 1
	done
}
@test "an option without its argument is a usage error" {
	each argument_is_demanded
}

# Options that take a number refuse all else, and trailing rubbish.
numbers_are_strict() {
	local o n
	for o in $("$1" --help | sed -nE 's/^ +(-., )?--([a-z0-9_-]+)[ =]N( .*)?$/\2/p'); do
		for n in x '' 1x -1 1.5 99999999999999999999; do
			run -2 --separate-stderr "$1" "--$o=$n" "$(good_input "$1")" </dev/null || { echo "--$o=$n" >&2; return 1; }
			failed 2 '' || return 1
		done
	done
}
@test "an option that takes a number refuses anything else" {
	each numbers_are_strict
}

flag_takes_nothing() {
	run -2 --separate-stderr "$1" --help=yes </dev/null || return 1
	failed 2 ''
}
@test "a flag with an argument is a usage error" {
	each flag_takes_nothing
}

# ---- input that is not there -------------------------------------------------------

# on_input FILTER FILE: the filter on a file, output to stdout
on_input() {
	local f=$1 file=$2
	shift 2
	# shellcheck disable=SC2046
	"$f" $(plain "$f") "$@" "$file"
}

missing_is_told() {
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/no such file" || return 1
	failed 1 'no such file: ' && equal "$output" '' && like "$stderr" '[Nn]o such file'
}
@test "a missing file is an error that names it" {
	each missing_is_told
}

folder_is_refused() {
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR" || return 1
	failed 1 '' && equal "$output" ''
}
@test "a folder in place of a file is an error" {
	each folder_is_refused
}

empty_is_refused() {
	: >"$BATS_TEST_TMPDIR/empty"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/empty" || return 1
	failed 1 'empty' && equal "$output" '' && like "$stderr" "$BATS_TEST_TMPDIR/empty" || return 1
	[ "$1" = tl-xlsx ] && return
	run -1 --separate-stderr on_input "$1" - </dev/null || return 1
	failed 1 'empty' && equal "$output" ''
}
@test "empty input is an error, from a file and from stdin" {
	each empty_is_refused
}

nonsense_is_refused() {
	[ "$(reads "$1")" != sheet ] || return 0
	printf 'neither a trace nor a stream\n' >"$BATS_TEST_TMPDIR/nonsense"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/nonsense" || return 1
	failed 1 '' && equal "$output" '' || return 1
	head -c 3000 /dev/zero >"$BATS_TEST_TMPDIR/nonsense"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/nonsense" || return 1
	failed 1 '' && equal "$output" ''
}
@test "input of no known kind is an error" {
	each nonsense_is_refused
}

# ---- output that cannot be written ---------------------------------------------------

full_is_noticed() {
	[ "$1" != tl-report ] || return 0
	# shellcheck disable=SC2046
	run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$1" $(plain "$1") "$(good_input "$1")" || return 1
	failed 1 'No space left' || return 1
	for o in --help --version; do
		run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$1" $o || return 1
	done
}
@test "a full device is an error, for --help and --version too" {
	each full_is_noticed
}

pipe_is_left() {
	case $1 in tl-report | tl-xlsx) return 0 ;; esac
	# shellcheck disable=SC2046,SC2016
	run -0 --separate-stderr bash -c '{ sleep 0.2; "$@"; echo $? >status; } | true' sh "$1" $(plain "$1") "$(good_input "$1")" || return 1
	equal "$stderr" '' && equal "$(cat status)" 141
}
@test "a closed pipe ends a filter by SIGPIPE without a message" {
	cd "$BATS_TEST_TMPDIR"
	each pipe_is_left
}

pipe_is_left_ignored() {
	case $1 in tl-report | tl-xlsx) return 0 ;; esac
	# shellcheck disable=SC2046,SC2016
	run -0 --separate-stderr bash -c 'trap "" PIPE; { sleep 0.2; "$@"; echo $? >status; } | true' sh "$1" $(plain "$1") "$(good_input "$1")" || return 1
	equal "$stderr" '' && equal "$(cat status)" 141
}
@test "a closed pipe does so too where the parent ignores SIGPIPE" {
	cd "$BATS_TEST_TMPDIR"
	each pipe_is_left_ignored
}

# plain without where the output goes
needed() {
	case $1 in tl-rewrite | tl-roofline) plain "$1" ;; esac
}

takes_output() {
	"$1" --help | grep -q -- '-o, '
}

file_is_whole_or_absent() {
	local dir="$BATS_TEST_TMPDIR/$1" good
	takes_output "$1" || return 0
	mkdir "$dir"
	good=$(good_input "$1")
	[ "$(reads "$1")" != sheet ] || return 0
	head -c $(($(wc -c <"$good") * 2 / 3)) "$good" >"$dir/cut"
	# nothing there before: nothing after
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o "$dir/out" "$dir/cut" || return 1
	failed 1 '' && equal "$(ls "$dir")" cut || return 1
	# something there before: left as it was
	echo before >"$dir/out"
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o "$dir/out" "$dir/cut" || return 1
	equal "$(cat "$dir/out")" before && equal "$(ls "$dir" | tr '\n' ' ')" 'cut out ' || return 1
	# and a good run replaces it
	# shellcheck disable=SC2046
	run -0 --separate-stderr "$1" -q $(needed "$1") -o "$dir/out" "$good" || return 1
	[ "$(head -c 6 "$dir/out")" != before ] && equal "$(ls "$dir" | tr '\n' ' ')" 'cut out '
}
@test "an output file appears whole or not at all" {
	each file_is_whole_or_absent
}

no_folder_no_output() {
	takes_output "$1" || return 0
	# shellcheck disable=SC2046
	run -1 --separate-stderr "$1" $(needed "$1") -o "$BATS_TEST_TMPDIR/no/such/folder" "$(good_input "$1")" || return 1
	failed 1 'no/such/folder'
}
@test "a limit on file sizes is an error that names the output, and leaves no file" {
	cd "$BATS_TEST_TMPDIR"
	run -1 --separate-stderr bash -c 'ulimit -f 100; tl-parse -o out.tls "$BATS_FILE_TMPDIR/large.json"'
	failed 1 'out.tls: cannot write: File too large'
	equal "$(echo out.tls*)" 'out.tls*'
}

@test "a signal that the parent ignores stays ignored" {
	cd "$BATS_TEST_TMPDIR"
	mkfifo in
	bash -c 'trap "" HUP; exec tl-parse -o out.tls in' 3>&- &
	local pid=$!
	exec 9>in
	printf '{"traceEvents": [' >&9
	while ! compgen -G 'out.tls.*' >/dev/null; do sleep 0.05; done
	kill -HUP "$pid"
	printf ']}' >&9
	exec 9>&-
	wait "$pid"
	tl-view --check out.tls
}

signal_ends_waiting() {
	local dir="$BATS_TEST_TMPDIR/$1"
	takes_output "$1" || return 0
	mkdir "$dir"
	mkfifo "$dir/fifo"
	# shellcheck disable=SC2046
	run -143 timeout --preserve-status -k 5 0.3 "$1" -q $(needed "$1") -o "$dir/fifo" "$(good_input "$1")" || return 1
	equal "$(ls "$dir")" fifo
}
@test "a signal ends a filter that waits for the reader of a pipe" {
	each signal_ends_waiting
	run -130 timeout -s INT --preserve-status -k 5 0.3 tl-ops -o "$BATS_TEST_TMPDIR/tl-ops/fifo" "$BATS_FILE_TMPDIR/small.linked"
}

@test "an option with an empty argument is a usage error" {
	run -2 --separate-stderr tl-ops -o '' t.json
	failed 2 '--output: the argument is empty'
}

@test "an output file that cannot be made is an error that names it" {
	each no_folder_no_output
}

# ---- good runs -------------------------------------------------------------------------

silent_and_same() {
	local dir="$BATS_TEST_TMPDIR/$1" good same=()
	[ "$1" != tl-report ] || return 0
	mkdir "$dir"
	good=$(good_input "$1")
	on_input "$1" "$good" >"$dir/1" 2>"$dir/err" || return 1
	equal "$(cat "$dir/err")" '' || return 1
	on_input "$1" "$good" >"$dir/2" 2>"$dir/err" || return 1
	cmp "$dir/1" "$dir/2" || return 1
	# the provenance line tells how the filter was called
	case $1 in tl-parse | tl-link | tl-rewrite) same+=(--no-provenance) ;; esac
	on_input "$1" "$good" "${same[@]}" >"$dir/1" || return 1
	if [ "$1" != tl-xlsx ]; then # names its sheet after the file
		on_input "$1" - "${same[@]}" <"$good" >"$dir/3" || return 1
		cmp "$dir/1" "$dir/3" || return 1
	fi
	"$1" --help | grep -q -- '--threads' || return 0
	on_input "$1" "$good" -@ 4 "${same[@]}" >"$dir/4" || return 1
	cmp "$dir/1" "$dir/4"
}
@test "a good run is silent, and the same twice, from stdin and with threads" {
	each silent_and_same
}

# ---- input cut short ----------------------------------------------------------------------

cuts() {
	"${TL_TOOLS:-$TL_ROOT/build/tests}/cuts" "$@"
}

every_byte() {
	local small step=1
	case $(reads "$1") in
	trace) small=$BATS_FILE_TMPDIR/small.json ;;
	stream) small=$BATS_FILE_TMPDIR/small.tls ;;
	linked) small=$BATS_FILE_TMPDIR/small.linked ;;
	sheet) return 0 ;;
	esac
	[ -z "${TL_SANITIZED-}" ] || step=13
	case $1 in
	tl-report) cuts "$small" 97 $(($(wc -c <"$small") - 1)) "$1" -q --output_csvs_dir "$BATS_TEST_TMPDIR/csv" - ;;
	tl-parse) cuts "$small" $step $(($(wc -c <"$small") - 1)) "$1" ;;
	*)
		# shellcheck disable=SC2046
		cuts "$small" $step "$(wc -c <"$small")" "$1" $(plain "$1")
		;;
	esac
}
@test "input cut at any byte of a small file is an error" {
	need tl-parse tl-link
	each every_byte
}

random_places() {
	local n=60 large
	[ -z "${TL_SANITIZED-}" ] || n=8
	case $(reads "$1") in
	trace) set -- "$1" large.json large.json.gz ;;
	stream) set -- "$1" large.tls ;;
	linked) set -- "$1" large.linked large.json ;;
	sheet) return 0 ;;
	esac
	[ "$1" != tl-report ] || return 0
	local f=$1
	shift
	for large; do
		# shellcheck disable=SC2046
		cuts "$BATS_FILE_TMPDIR/$large" -$n "$(wc -c <"$BATS_FILE_TMPDIR/$large")" "$f" $(plain "$f") || return 1
	done
}
@test "input cut at random places of a large file is an error" {
	need tl-parse tl-link
	each random_places
}

gz_every_byte() {
	gzip -c "$BATS_FILE_TMPDIR/small.json" >"$BATS_TEST_TMPDIR/small.gz"
	cuts "$BATS_TEST_TMPDIR/small.gz" 1 "$(wc -c <"$BATS_TEST_TMPDIR/small.gz")" tl-parse
}
@test "a gzipped trace cut at any byte is an error" {
	need tl-parse
	gz_every_byte
}

# ---- a stream that is none ------------------------------------------------------------------

changed() { # FILE OFFSET BYTE > changed
	head -c "$2" "$1"
	printf "$3"
	tail -c +$(($2 + 2)) "$1"
}

magic_is_checked() {
	[ "$(reads "$1")" != sheet ] && [ "$1" != tl-report ] || return 0
	for at in 0 1 3 4 7; do
		changed "$BATS_FILE_TMPDIR/small.linked" $at 'x' >"$BATS_TEST_TMPDIR/bad"
		run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/bad" || return 1
		failed 1 '' && equal "$output" '' || return 1
	done
}
@test "a stream with a wrong magic is an error" {
	need tl-link
	each magic_is_checked
}

version_is_checked() {
	[ "$(reads "$1")" != sheet ] && [ "$1" != tl-report ] || return 0
	changed "$BATS_FILE_TMPDIR/small.linked" 8 '\x07' >"$BATS_TEST_TMPDIR/bad"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/bad" || return 1
	failed 1 'version' && like "$stderr" 7 && like "$stderr" 1
}
@test "a stream of another version is an error that names both versions" {
	need tl-link
	each version_is_checked
}

end_is_demanded() {
	[ "$(reads "$1")" != sheet ] && [ "$1" != tl-report ] || return 0
	head -c $(($(wc -c <"$BATS_FILE_TMPDIR/small.linked") - 1)) "$BATS_FILE_TMPDIR/small.linked" >"$BATS_TEST_TMPDIR/bad"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/bad" || return 1
	failed 1 '' || return 1
	{ cat "$BATS_FILE_TMPDIR/small.linked"; printf x; } >"$BATS_TEST_TMPDIR/bad"
	run -1 --separate-stderr on_input "$1" "$BATS_TEST_TMPDIR/bad" || return 1
	failed 1 ''
}
@test "a stream without its end record, or with more after it, is an error" {
	need tl-link
	each end_is_demanded
}

flip_is_noticed() {
	local size step=7 at byte
	[ "$(reads "$1")" != sheet ] && [ "$1" != tl-report ] || return 0
	size=$(wc -c <"$BATS_FILE_TMPDIR/small.linked")
	[ -z "${TL_SANITIZED-}" ] || step=61
	for ((at = 10; at < size; at += step)); do
		byte=$(od -An -tu1 -j $at -N 1 "$BATS_FILE_TMPDIR/small.linked" | tr -d ' ')
		changed "$BATS_FILE_TMPDIR/small.linked" $at "\\x$(printf %02x $((byte ^ 4)))" >"$BATS_TEST_TMPDIR/bad"
		on_input "$1" "$BATS_TEST_TMPDIR/bad" >/dev/null 2>"$BATS_TEST_TMPDIR/err" && { echo "byte $at" >&2; return 1; }
		like "$(cat "$BATS_TEST_TMPDIR/err")" "$1: error: " || { echo "byte $at" >&2; return 1; }
	done
}
@test "one wrong bit in a stream is an error" {
	need tl-link
	each flip_is_noticed
}

# ---- memory runs out ---------------------------------------------------------------------------

memory_is_checked() {
	local n=1 status preload=${TL_TOOLS:-$TL_ROOT/build/tests}/failmalloc.so small options
	options=$(plain "$1")
	if [ "$1" = tl-rewrite ]; then
		# no regular expressions: glibc's regcomp frees twice when memory runs out
		printf 'rule\tx\tinsert\n\top\taten::mm\n\tname\tmy::mm\n' >"$BATS_TEST_TMPDIR/rules"
		options="--rules $BATS_TEST_TMPDIR/rules"
	fi
	case $(reads "$1") in
	trace) small=$BATS_FILE_TMPDIR/small.json ;;
	sheet) small=$BATS_FILE_TMPDIR/sheet.tsv ;;
	*) small=$BATS_FILE_TMPDIR/small.linked ;;
	esac
	[ "$1" != tl-report ] || return 0
	while :; do
		status=0
		# shellcheck disable=SC2086
		FAIL_MALLOC=$n LD_PRELOAD=$preload "$TL_BIN/$1" $options "$small" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ $status != 0 ] || break
		equal $status 1 && like "$(cat "$BATS_TEST_TMPDIR/err")" "$(speaker "$1"): error: .*out of memory" || { echo "allocation $n" >&2; return 1; }
		# every one of the first, then ever fewer
		n=$((n + 1 + n / 40))
		[ $n -lt 1000000 ] || return 1
	done
}
@test "an allocation that fails is an error, wherever it is" {
	[ -z "${TL_SANITIZED-}" ] || skip "the sanitizers have an allocator of their own"
	need tl-link
	each memory_is_checked
}
