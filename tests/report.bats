#!/usr/bin/env bats
# report.bats - tl-report: what it writes, where, and how it fails.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	gen trace.json.gz --events 3000 --seed 7
}

# bats test_tags=quick
@test "without options a workbook appears beside the trace, and nothing else" {
	mkdir sub
	mv trace.json.gz sub/
	run -0 --separate-stderr tl-report -q sub/trace.json.gz
	equal "$output$stderr" ""
	equal "$(ls sub)" "trace.json.gz
trace_perf_report.xlsx"
	run -0 unzip -tq sub/trace_perf_report.xlsx
}

@test "a closed standard input matters only if the trace is to come from there" {
	run -0 --separate-stderr pipe 'tl-report -q -d sheets trace.json.gz <&-'
	equal "$stderr" ''
	[ -s sheets/overview.tsv ]
	run -1 --separate-stderr pipe 'tl-report -q -d none - <&-'
	failed 1 '<stdin>: '
}

@test "the workbook's name is the trace's name cut before its last .json" {
	cp trace.json.gz x.json.y.json.gz
	run -0 tl-report x.json.y.json.gz
	[ -s x.json.y_perf_report.xlsx ]
}

@test "the workbook is beside the trace whatever its folder's name" {
	mkdir d.json_runs
	zcat trace.json.gz >d.json_runs/trace
	mv trace.json.gz d.json_runs/
	run -0 tl-report d.json_runs/trace
	equal "$(ls . d.json_runs)" ".:
d.json_runs

d.json_runs:
trace
trace.json.gz
trace_perf_report.xlsx"
	rm d.json_runs/*.xlsx
	run -0 tl-report d.json_runs/trace.json.gz
	[ -s d.json_runs/trace_perf_report.xlsx ]
}

@test "CSV files alone write no workbook" {
	run -0 tl-report --output_csvs_dir deep/csv trace.json.gz
	[ -s deep/csv/gpu_timeline.csv ]
	[ -s deep/csv/ops_summary.csv ]
	[ -s deep/csv/unified_perf_summary.csv ]
	[ ! -e trace_perf_report.xlsx ]
}

@test "the reference's option names work: profile_json_path, csv folder and workbook at once" {
	run -0 tl-report --profile_json_path trace.json.gz --output_csvs_dir=csv --output_xlsx_path out.xlsx \
		--enable_kernel_summary --short_kernel_study --short_kernel_threshold_us 20 \
		--short_kernel_histogram_bins 12 --topk_short_kernels 5
	[ -s out.xlsx ]
	equal "$(($(wc -l <csv/short_kernel_histogram.csv) - 1))" 12
	equal "$(($(wc -l <csv/short_kernels_summary.csv) - 1))" 5
}

@test "an unambiguous prefix and dashes for underscores are accepted" {
	run -0 tl-report --output-csvs csv --enable-kernel trace.json.gz
	[ -s csv/kernel_summary.csv ]
	run -2 --separate-stderr tl-report --output=x trace.json.gz
	failed 2 "ambiguous option '--output=x': it may be --output_xlsx_path, --output_csvs_dir, "
	run -2 --separate-stderr tl-report --memcpy-by_s --topk trace.json.gz
	failed 2 "unknown option '--memcpy-by_s'; the nearest is --memcpy_by_size"
	run -2 --separate-stderr tl-report --html_ trace.json.gz
	failed 2 $'unknown option \'--html_\'; the nearest is --html\n'
}

@test "sheets come in the reference's order" {
	run -0 tl-report --enable_kernel_summary --short_kernel_study --kernel_config trace.json.gz
	unzip -p trace_perf_report.xlsx xl/workbook.xml | grep -o '<sheet name="[^"]*"' | cut -d'"' -f2 >order
	equal "$(head -n 16 order)" "overview
trace_health
setup
populations
findings
finding_evidence
findings_unasked
gpu_work
judged
gpu_timeline
device_times
idle_gaps
idle_summary
ledger
exposed_communication
exposed_copies"
	equal "$(sed -n '17,22p' order)" "step_times
ops_summary_by_category
ops_summary
ops_unique_args
kernel_sequences
unified_perf_summary"
	equal "$(grep -A 3 kernel_summary order)" "kernel_summary
short_kernel_histogram
short_kernels_summary
kernel_config"
}

@test "the sheets of short kernels are there, as a header line, where no kernel is short" {
	run -0 tl-report -q -d out --short_kernel_study --short_kernel_threshold_us 0 trace.json.gz
	equal "$(wc -l <out/short_kernel_histogram.tsv)" 1
	equal "$(wc -l <out/short_kernels_summary.tsv)" 1
}

@test "topk_ops and topk_roofline_ops keep the first rows and change none of them" {
	run -0 tl-report -d all trace.json.gz
	run -0 tl-report -d few --topk_ops 4 --topk_roofline_ops 3 trace.json.gz
	equal "$(cat few/ops_unique_args.tsv)" "$(head -n 5 all/ops_unique_args.tsv)"
	equal "$(cat few/unified_perf_summary.tsv)" "$(head -n 4 all/unified_perf_summary.tsv)"
	cmp few/ops_summary.tsv all/ops_summary.tsv
}

@test "chosen sheets only" {
	run -0 tl-report -d out --sheets gpu_timeline,kernel_summary trace.json.gz
	equal "$(ls out)" "gpu_timeline.tsv
kernel_summary.tsv"
	run -2 --separate-stderr tl-report -d out2 --sheets gpu_timeline,nonsense trace.json.gz
	failed 2 "--sheets: 'nonsense' is not one of overview, trace_health, setup, populations, findings, "
	[ ! -e out2 ]
	run -0 --separate-stderr tl-report -d out3 --sheets gpu_timeline,CrossEntropy_fwd trace.json.gz
	like "$stderr" 'tl-report: warning: no row for the sheet CrossEntropy_fwd$'
	equal "$(ls out3)" gpu_timeline.tsv
	run -1 --separate-stderr tl-report -q -o none.xlsx --sheets CrossEntropy_fwd trace.json.gz
	equal "$stderr" 'tl-report: error: trace.json.gz: no sheet could be made of this trace'
	[ ! -e none.xlsx ]
}

@test "what a filter refuses ends the report with its status before the trace is read" {
	mkdir tmp
	mkfifo trace # nothing comes
	exec 9<>trace
	refused() { # STATUS MESSAGE OPTION...
		local status_wanted=$1 message=$2
		shift 2
		TMPDIR=$PWD/tmp run "-$status_wanted" --separate-stderr timeout 20 tl-report -o w.xlsx "$@" trace 9>&-
		failed "$status_wanted" "$message"
		equal "$(ls -A tmp)" ''
		[ ! -e w.xlsx ]
	}
	refused 2 'no architecture "nosuch"' --arch nosuch
	refused 2 'no architecture "nosuch"' --sheets gpu_timeline --gpu_arch_platform nosuch
	refused 2 "--set tp=x: 'tp' is to be an integer" --enable_pseudo_ops --set tp=x
	refused 2 "--short_kernel_histogram_bins: '1000001' is not a whole number from 1 to 1000000" --short_kernel_histogram_bins 1000001
	printf 'x' >"a bad table"
	refused 1 'a bad table:1:1: expected op' --sheets gpu_timeline --ops "a bad table"
	refused 1 'a bad table:1:1: expected priority' --kernel-categories "a bad table"
	refused 1 'a bad table: expected JSON' --gpu_arch_json_path "a bad table"
	exec 9>&-
}

@test "a table or the description of a GPU may come from a pipe" {
	echo '{"mem_bw_gbps": 5300, "max_achievable_tflops": {"matrix_bf16": 700}}' >gpu.json
	printf '1\tmine\tgemm\n' >mine.tsv
	tl-report -q -d wanted --enable_kernel_summary --arch gpu.json --kernel-categories mine.tsv trace.json.gz
	tl-report -q -d out --enable_kernel_summary --arch <(cat gpu.json) --kernel-categories <(cat mine.tsv) trace.json.gz
	same_sheets -x overview.tsv -x 'finding*.tsv' -x trace_health.tsv wanted out # which name the files
	head -n 1 out/unified_perf_summary.tsv | grep -q "Pct Roofline_mean"
}

@test "an empty argument is a usage error" {
	for o in -o --output_xlsx_path -d --sheets --arch; do
		run -2 --separate-stderr tl-report "$o" '' trace.json.gz
		failed 2 '--[a-z_-]+: the argument is empty'
	done
	run -2 --separate-stderr tl-report --output_csvs_dir= trace.json.gz
	failed 2 '--output_csvs_dir: the argument is empty'
	equal "$(find . -type f ! -name 'separate-stderr-*')" ./trace.json.gz
}

@test "a trace from standard input wants an output" {
	run -2 --separate-stderr pipe 'zcat trace.json.gz | tl-report -'
	run -0 --separate-stderr pipe 'zcat trace.json.gz | tl-report -d out -'
	run -0 tl-report -d out2 trace.json.gz
	run -0 same_sheets -x overview.tsv -x 'finding*.tsv' out out2 # which names the trace
}

@test "sheets are the same for a moved clock" {
	tl-gen --events 3000 --seed 7 --origin 0 >a.json
	tl-gen --events 3000 --seed 7 --origin 5000000000000 >b.json
	run -0 tl-report -d a --include_overlap_info a.json
	run -0 tl-report -d b --include_overlap_info b.json
	for dir in a b; do # the last column has the stamps of the trace
		cut -f 1-22 "$dir/idle_gaps.tsv" >"$dir/gaps"
	done
	run -0 same_sheets -x overview.tsv -x 'finding*.tsv' -x idle_gaps.tsv a b # overview names the trace
}

@test "a cut trace fails, says where it is cut, and leaves no output" {
	zcat trace.json.gz >whole.json
	head -c 100000 whole.json >cut.json
	run -1 --separate-stderr tl-report --output_csvs_dir csv -o out.xlsx cut.json
	failed 1 "cut.json: byte [0-9]+: "
	[ ! -e csv ]
	[ ! -e out.xlsx ]
}

@test "of a trace without device events the report says what was found instead" {
	echo '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}]}' >cpu.json
	run -0 --separate-stderr tl-report -d out cpu.json
	like "$stderr" "tl-report: warning: No GPU events found in the trace: it has 1 event, among them 1 cpu_op"
	grep -q "^left out.*No GPU events found" out/overview.tsv
	[ ! -e out/gpu_timeline.tsv ]
	run -0 tl-report -q cpu.json
	[ -s cpu_perf_report.xlsx ]
	run -1 --separate-stderr tl-report --sheets gpu_timeline -d none cpu.json
	like "$stderr" "tl-report: error: cpu.json: No GPU events found"
	[ ! -e none ]
}

@test "every table of kernel categories counts, and must be there" {
	printf '1\tfirst\tgemm\n' >a.tsv
	printf '2\tsecond\treduce\n' >b.tsv
	printf 'x' >bad.tsv
	run -0 tl-report -q -d out --kernel-categories a.tsv --kernel-categories b.tsv --enable_kernel_summary trace.json.gz
	for bad in 'bad.tsv a.tsv' 'a.tsv bad.tsv'; do
		run -1 --separate-stderr tl-report -q --enable_kernel_summary --kernel-categories "${bad% *}" --kernel-categories "${bad#* }" trace.json.gz
		failed 1 'bad.tsv:1'
	done
	run -1 --separate-stderr tl-report -q --kernel-categories nosuch trace.json.gz
	failed 1 'nosuch: cannot open'
}

@test "options that are not built are errors, never ignored" {
	while read -r option reason; do
		run -2 --separate-stderr tl-report $option trace.json.gz
		failed 2 "${option%%=*}: .*not built: $reason"
		refute grep -e "${option%%=*}" <(tl-report --help)
	done <<-'END'
		--extension_file=x.py no Python runs here
		--enable-origami there is no GEMM simulator
		--python_path=python3 there is no GEMM simulator
	END
	run -2 --separate-stderr tl-report --gpu_arch_platform MI300X --gpu_arch_json_path x.json trace.json.gz
	like "$stderr" "only one of"
}

@test "the help says where the report goes, and its examples are true" {
	tl-report --help | sed -n 's/^  \(tl-report .*[^ ]\)   *makes \(.*\)/\1\n\2/p' >examples
	equal "$(wc -l <examples)" 6
	while read -r command; do
		read -r made
		eval "${command/tl-report/tl-report -q}"
		made=${made%, ...}
		for file in ${made//,/}; do
			[ -s "$file" ]
			rm "$file"
		done
	done <examples
	equal "$(find . -name '*.xlsx')" ''
}

@test "progress is shown when asked for, and not otherwise" {
	run -0 --separate-stderr tl-report --progress -d out trace.json.gz
	like "$stderr" "reading trace.json.gz"
	run -0 --separate-stderr tl-report -q -d out trace.json.gz
	equal "$stderr" ""
}

@test "progress tells the share of the trace that is read, of a pipe the bytes" {
	tl-gen -n 20000 >t.json
	TL_PROGRESS=0 run -0 --separate-stderr tl-report --progress -d out t.json
	like "$stderr" 'reading t.json.*t.json: [0-9]{1,2} % of the file is read.*t.json: 100 % of the file is read'
	[ "$(grep -c ' of the file is read' <<<"$stderr")" -le 20 ]
	run -0 --separate-stderr tl-report --progress -d out t.json
	unlike "$stderr" ' is read'
	TL_PROGRESS=0 run -0 --separate-stderr bash -c 'cat t.json | tl-report --progress -d out -'
	like "$stderr" '<stdin>: [0-9]+\.[0-9] MB are read'
	unlike "$stderr" ' % '
	TL_PROGRESS=0 run -0 --separate-stderr tl-report --no-progress -q -d out t.json
	equal "$stderr" ''
	need script
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be made here"
	like "$(TL_PROGRESS=0 script -qec 'tl-report -d out t.json' /dev/null </dev/null)" ' % of the file is read'
	unlike "$(TL_PROGRESS=0 script -qec 'tl-report -q -d out t.json' /dev/null </dev/null)" 'read'
}

@test "a message names the program that the user called" {
	local p
	for p in tl-findings tl-sheets tl-report tl-roofline; do
		run -2 --separate-stderr "$p" --arch H100 -d out trace.json.gz
		equal "$(sed 's/no arch.*//' <<<"$stderr")" "$p: error: --arch: "$'\n'"try '$p --help'"
	done
	printf 'name\tname\n' >bad.tsv
	tl-gen -n 300 --no-nccl >cpu.json
	for p in tl-compare\ trace.json.gz tl-report tl-sheets\ -d\ out 'tl-ranks --rank_sheets sheets --trace_glob'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr $p "$PWD/none.json"
		like "$stderr" "^${p%% *}: error: "
		unlike "$stderr" "(^|"$'\n'")tl-"'[a-z]*[^a-z:]'
	done
}

@test "-q is for all programs that a program runs; what they advise, the program that the user called can do" {
	cp trace.json.gz other.json.gz
	for p in 'tl-compare trace.json.gz other.json.gz -d out' 'tl-ranks --rank_sheets sheets -d out trace.json.gz' \
		'tl-report -o x.xlsx --html x.html --output_csvs_dir csv -d out trace.json.gz'; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr ${p%% *} -q ${p#* }
		equal "$stderr" ''
	done
	run -0 --separate-stderr tl-compare trace.json.gz other.json.gz -d out2
	tl-compare --help >help
	for p in $(grep -o -- '--[a-z_-]*' <<<"$stderr"); do
		grep -q -- " $p " help
	done
	gzip -dc trace.json.gz >whole.json
	head -c 30000 whole.json >cut.json
	run -1 --separate-stderr tl-compare trace.json.gz cut.json -d out3
	unlike "$stderr" 'lenient'
	run -1 --separate-stderr tl-report cut.json -d out3
	like "$stderr" '--lenient'
}

@test "a note says which GPU's roofline would fit the trace" {
	run -0 --separate-stderr tl-report -d out trace.json.gz
	like "$stderr" "^tl-report: .*NVIDIA H100 80GB HBM3.*--arch H100-SXM"
	run -0 --separate-stderr tl-report -d out --arch H100-SXM trace.json.gz
	unlike "$stderr" "the trace is of"
	head -n 1 out/GEMM.tsv | grep -q "Pct Roofline_mean"
}

@test "no work folder is left behind" {
	mkdir tmp
	TMPDIR=$PWD/tmp run -0 tl-report -d out trace.json.gz
	equal "$(ls tmp)" ""
	TMPDIR=$PWD/tmp run -1 tl-report -d out missing.json
	equal "$(ls tmp)" ""
}

@test "without TMPDIR work files are in memory where there is room, and nothing is left of them" {
	[ -w /dev/shm ] || skip "no /dev/shm here"
	env -u TMPDIR sh -x "$TL_BIN/tl-report" -q -o w.xlsx trace.json.gz 2>calls
	memory=$(sed -n 's/^+ memory=//p' calls | tail -n 1)
	like "$memory" '^/dev/shm/tmp\.'
	grep -q "^+ run tl-sheets .*-d $memory " calls
	[ ! -e "$memory" ]
	[ -s w.xlsx ]
	refute env -u TMPDIR sh -x "$TL_BIN/tl-report" -q -o w.xlsx missing.json 2>calls
	[ ! -e "$(sed -n 's/^+ memory=//p' calls | tail -n 1)" ]
	mkfifo pipe # nobody knows how much comes
	TL_MEMORY=$PWD/memory tl-sheets --words-of-report words -o w.xlsx pipe
	grep -q "^has_memory=''$" words
	[ ! -e memory ]
}

@test "the work folder is closed to others, and stands in TMPDIR or nowhere" {
	mkdir tmp
	mkfifo trace
	TMPDIR=$PWD/tmp tl-report -q -d out trace 3>&- &
	exec 9>trace
	for _ in {1..200}; do
		[ -z "$(find tmp -mindepth 1 -type d)" ] || break
		sleep 0.05
	done
	equal "$(find tmp -mindepth 1 -type d -perm /077)" ''
	zcat trace.json.gz >&9
	exec 9>&-
	wait $!
	equal "$(ls tmp)" ''
	TMPDIR=$PWD/none run -1 --separate-stderr tl-report -o w.xlsx trace.json.gz
	equal "$stderr" "tl-report: error: cannot make files in $PWD/none"
}

@test "names may hold blanks, quotes, line ends, a leading dash and UTF-8" {
	local odd
	for odd in "a b'c" $'a\nb' -d 'ä"$(x)'; do
		mkdir -- "$odd"
		cp trace.json.gz "./$odd/t $odd.json.gz"
		(
			cd -- "$odd"
			tl-report -q "--output_csvs_dir=c$odd" -d "$odd" -o "$odd.xlsx" -- "t $odd.json.gz"
		)
		[ -s "./$odd/c$odd/gpu_timeline.csv" ]
		[ -s "./$odd/$odd/gpu_timeline.tsv" ]
		run -0 unzip -tq "./$odd/$odd.xlsx"
		TMPDIR="./$odd" tl-report -q "./$odd/t $odd.json.gz"
		run -0 unzip -tq "./$odd/t ${odd}_perf_report.xlsx"
	done
}

@test "the linked stream can be kept and gives the same sheets" {
	umask 022
	run -0 tl-report --keep-stream t.tls -d out trace.json.gz
	tl-view --check t.tls
	equal "$(find t.tls out -type f ! -perm 644)" '' # the user's, unlike work files
	tl-ops --sheet ops_summary t.tls | cmp - out/ops_summary.tsv
}

@test "--set reaches the rules of pseudo operators" {
	run -2 --separate-stderr tl-report --set tp=8 trace.json.gz
	failed 2 "--set is for the rules of --enable_pseudo_ops"
	run -2 --separate-stderr tl-report --enable_pseudo_ops --set "other=a b" trace.json.gz
	failed 2 "--set other=a b: no rule asks for 'other'"
	run -0 --separate-stderr tl-report -q --enable_pseudo_ops --set "model=a b" --set tp=8 --tsv_dir out trace.json.gz
	equal "$stderr" ''
}

@test "no output of a report may be the trace or a table that is read" {
	printf 'op\tacme::x\tsdpa\tq=0 k=1 v=2 types=slice(typ(),0,2)\n' >my.ops
	mkdir out
	ln trace.json.gz out/unified_perf_summary.tsv
	ln trace.json.gz out/kernel_summary.csv
	ln -s trace.json.gz soft
	ln -s "$PWD/trace.json.gz" trace_perf_report.xlsx
	cp trace.json.gz before
	refused() { # MESSAGE OPTION...
		local message=$1
		shift
		run -1 --separate-stderr tl-report -q "$@"
		equal "${stderr#tl-*: }" "error: $message; nothing was written"
		cmp trace.json.gz before
		equal "$(ls out)" $'kernel_summary.csv\nunified_perf_summary.tsv'
	}
	refused 'trace_perf_report.xlsx: the output is the input trace.json.gz' trace.json.gz
	refused 'trace.json.gz: the output is the input' -o trace.json.gz trace.json.gz
	refused 'soft: the output is the input trace.json.gz' -o soft trace.json.gz
	refused 'out/kernel_summary.csv: the output is the input trace.json.gz' --output_csvs_dir out trace.json.gz
	refused 'out/unified_perf_summary.tsv: the output is the input trace.json.gz' -d out trace.json.gz
	refused 'soft: the output is the input trace.json.gz' -o w.xlsx --keep-stream soft trace.json.gz
	refused 'soft: the output is the input <stdin>' -o soft - <trace.json.gz
	refused 'my.ops: the output is the input' -o my.ops --ops my.ops trace.json.gz
}

@test "an output that cannot be is told before the trace is read" {
	mkdir folder
	run -1 --separate-stderr tl-report --html folder no-such-file
	failed 1 'folder: is a directory, expected a file'
	run -1 --separate-stderr tl-report --output_csvs_dir trace.json.gz no-such-file
	failed 1 'trace.json.gz: cannot make the folder: Not a directory'
	run -2 --separate-stderr tl-report -o x --html x no-such-file
	failed 2 "the workbook and the page are one file, 'x'"
}

@test "what fails before the workbook leaves none, and no part of a sheet" {
	gen trace.json.gz -n 500
	mkdir -p csv/gpu_timeline.csv
	run -1 --separate-stderr tl-report -q -o w.xlsx --output_csvs_dir csv trace.json.gz
	failed 1 ''
	[ -z "$(find . -name 'w.xlsx*')" ]
	mkdir -p tsv/gpu_timeline.tsv/x
	run -1 --separate-stderr tl-report -q -o w.xlsx -d tsv trace.json.gz
	failed 1 'tsv/gpu_timeline.tsv: cannot open for writing: Is a directory'
	[ ! -e w.xlsx ]
	equal "$(ls tsv)" gpu_timeline.tsv
}

@test "the stream goes into a pipe too, but not to standard output and not in place of a folder" {
	mkfifo pipe
	cat pipe >kept.tls 3>&- &
	tl-report -q -o w.xlsx --keep-stream pipe trace.json.gz
	wait $!
	[ -p pipe ]
	tl-view --check kept.tls
	run -1 --separate-stderr tl-report -q -o v.xlsx --keep-stream . trace.json.gz
	failed 1 'Is a directory'
	run -2 --separate-stderr tl-report -q -o v.xlsx --keep-stream - trace.json.gz
	failed 2 '--keep-stream: standard output is for the paths of the sheets'
	[ ! -e v.xlsx ]
}

@test "a signal ends the report at once, and leaves nothing" {
	mkdir tmp
	mkfifo trace # its end never comes
	exec 9<>trace
	zcat trace.json.gz >whole.json
	TMPDIR=$PWD/tmp tl-report -q -o w.xlsx trace 3>&- 9>&- &
	local pid=$! status=0
	head -c 30000 whole.json >&9
	sleep 0.1
	kill -TERM "$pid"
	wait "$pid" || status=$?
	exec 9>&-
	equal "$status" 143
	[ ! -e w.xlsx ]
	equal "$(ls tmp)" ''
	# at any time
	local ms
	for ms in 001 002 004 008 016 032 064; do
		TMPDIR=$PWD/tmp tl-report -q -o w.xlsx --keep-stream k -d out trace.json.gz 3>&- &
		pid=$!
		sleep 0.$ms
		kill -TERM "$pid" || :
		wait "$pid" || :
		equal "$(ls tmp)" ''
		equal "$(find . -name '*.new*')" ''
	done
}

# Waits until a command fails, 5 s at most.
until_fails() {
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	return 1
}

# A report that waits for its trace: its process becomes $pid, the program that reads $child.
start_waiting_report() {
	mkfifo trace
	exec 9<>trace
	tl-report -q -o w.xlsx trace 3>&- 9>&- 2>err &
	pid=$!
	until child=$(pgrep -P "$pid" tl-sheets) && readlink "/proc/$child/fd/"* | grep -q '/trace$'; do
		sleep 0.02
	done
}

@test "the programs end with the driver, however it ends" {
	need pgrep
	for signal in KILL TERM; do
		start_waiting_report
		kill "-$signal" "$pid"
		wait "$pid" || :
		until_fails kill -0 "$child"
		exec 9>&-
		rm trace
	done
	equal "$(cat err)" ''
	# it may end before the program has started
	run -1 --separate-stderr env TL_REPORT="$$$$ $PWD" tl-ops trace.json.gz
	equal "$output$stderr" ''
}

@test "the driver says when a program was ended by a signal" {
	need pgrep
	start_waiting_report
	kill -KILL "$child"
	exec 9>&-
	wait "$pid" || status=$?
	equal "$status" 1
	equal "$(cat err)" 'tl-report: error: tl-sheets was ended by the signal KILL, as when memory runs out'
}

@test "messages name the sheet and the folder of work files, not a file that is gone" {
	mkdir tmp
	TMPDIR=$PWD/tmp run -1 --separate-stderr bash -c 'ulimit -f 1; tl-report -q -o w.xlsx trace.json.gz'
	like "$stderr" "^tl-[a-z]*: error: sheet [a-z_]* in $PWD/tmp: cannot write: File too large$"
	# the files that the user named stay what they are
	run -1 --separate-stderr bash -c 'ulimit -f 1; tl-report -q -d out trace.json.gz'
	like "$stderr" '^tl-[a-z]*: error: out/[a-z_]*.tsv: cannot write: File too large$'
	# libxlsxwriter says nothing itself
	run -0 tl-report -q -d out trace.json.gz
	TMPDIR=$PWD/tmp run -1 --separate-stderr bash -c 'ulimit -f 50; tl-xlsx -o w.xlsx out/*.tsv'
	like "$stderr" "^tl-xlsx: error: w.xlsx: temporary files in $PWD/tmp: cannot write the workbook: [^[]*$"
	long=$(printf '%040000d' 7)
	rm -r tmp
	gen trace.json -n 200
	sed "s/\"name\": \"aten::mm\"/\"name\": \"$long\"/" trace.json >long.json
	run -0 --separate-stderr tl-report -o w.xlsx long.json
	like "$stderr" 'tl-report: warning: sheet ops_summary: 1 cell longer than 32767 characters cut to that'
}

@test "the reason of a failed write is said, and only once" {
	printf x >file
	failing() { # MESSAGE OPTION...
		local message=$1
		shift
		run -1 --separate-stderr tl-report -q "$@" trace.json.gz
		equal "$stderr" "$message"
	}
	failing 'tl-report: error: no/w.xlsx: cannot create: no/: No such file or directory' -o no/w.xlsx
	failing 'tl-report: error: file/w.xlsx: cannot create: file/: Not a directory' -o file/w.xlsx
	failing 'tl-report: error: file/csv: cannot make the folder: Not a directory' --output_csvs_dir file/csv
	failing 'tl-report: error: file: cannot make the folder: Not a directory' -d file
	failing 'tl-report: error: no/k: cannot create: No such file or directory' --keep-stream no/k
	failing 'tl-report: error: /dev/full: cannot write: No space left on device' -o /dev/full
	[ "$(id -u)" != 0 ] || need setpriv
	mkdir mine
	chmod 555 mine
	nobody=()
	[ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --clear-groups)
	"${nobody[@]}" test -r trace.json.gz || skip "another user cannot read here"
	"${nobody[@]}" tl-report --version >/dev/null 2>&1 || skip "another user cannot run the programs here"
	run -1 --separate-stderr "${nobody[@]}" tl-report -q -o mine/w.xlsx trace.json.gz
	equal "$stderr" 'tl-report: error: mine/w.xlsx: cannot create: mine/: Permission denied'
	run -1 --separate-stderr "${nobody[@]}" tl-report -q --output_csvs_dir mine/csv trace.json.gz
	equal "$stderr" 'tl-report: error: mine/csv: cannot make the folder: Permission denied'
}

@test "--lenient is named where it helps" {
	zcat trace.json.gz >whole.json
	head -c $(($(wc -c <whole.json) * 2 / 3)) whole.json >cut.json
	head -c $(($(wc -c <trace.json.gz) * 2 / 3)) trace.json.gz >cut.json.gz
	sed '60s/"ts"/"ts/' whole.json >damaged.json
	{ cat whole.json; echo more; } >longer.json
	local hint='; --lenient uses the events that can be read$'
	for command in "tl-report -d out" "tl-ops" "tl-link -o x.tls" "tl-rewrite --enable_pseudo_ops -o x.tls"; do
		run -1 --separate-stderr $command cut.json
		like "$stderr" "$hint"
		run -0 --separate-stderr $command --lenient cut.json
	done
	for bad in cut.json cut.json.gz damaged.json longer.json; do
		run -1 --separate-stderr tl-parse -o x.tls $bad
		like "$stderr" "$hint"
		run -0 --separate-stderr tl-parse -o x.tls --lenient $bad
	done
	head -c 20 whole.json >nothing.json
	tl-parse -o whole.tls whole.json
	head -c 20000 whole.tls >cut.tls
	sed 's/"deviceProperties": \[/&;/' whole.json >header.json # no event is damaged
	echo '{"no": 1}' >other.json
	for bad in nothing.json cut.tls header.json other.json; do
		run -1 --separate-stderr tl-ops $bad
		unlike "$stderr" lenient
		run -1 --separate-stderr tl-ops --lenient $bad
	done
}

@test "names may hold an equals sign, a work folder a leading dash" {
	gen trace.json.gz -n 500
	mkdir -- a=b -d
	TMPDIR=a=b tl-report -q -o w.xlsx trace.json.gz
	TMPDIR=-d tl-report -q -d out trace.json.gz
	equal "$(ls -A -- a=b -d)" $'-d:\n\na=b:'
}

@test "short options can stand in one word, the last with its argument" {
	gen trace.json.gz -n 500
	run -0 --separate-stderr tl-report -qv trace.json.gz
	equal "$output$stderr" ''
	run -0 tl-report -vqow.xlsx trace.json.gz
	run -0 tl-report -qo v.xlsx trace.json.gz
	cmp w.xlsx v.xlsx
	cmp w.xlsx trace_perf_report.xlsx
	run -0 tl-report -qV
	run -2 --separate-stderr tl-report -qx trace.json.gz
	failed 2 "unknown option '-x'"
	run -2 --separate-stderr tl-report trace.json.gz -qo
	failed 2 "option '-o' needs an argument"
}

@test "a long name of an output fits" {
	gen trace.json.gz -n 500
	local long
	long=$(printf '%0240d' 0)
	run -0 --separate-stderr tl-report -q -o "${long}w.xlsx" --keep-stream "${long}k" trace.json.gz
	equal "$stderr" ''
	tl-view --check "${long}k"
	run -0 unzip -tq "${long}w.xlsx"
	equal "$(find . -name '*.new*')" ''
}

# every program that writes a report, with the options of one list
@test "each report can be TSV, CSV, a workbook and a page" {
	mkdir ranks
	for i in 0 1; do
		gen ranks/rank_$i.json -n 800 --seed $i
	done
	forms() { # COMMAND... A SHEET
		local sheet=${!#}
		rm -rf out
		mkdir out
		"${@:1:$#-1}" --dir out/tsv --output_csvs_dir out/csv --output_xlsx_path out/book.xlsx --html out/page.html >/dev/null
		[ -s "out/tsv/$sheet.tsv" ]
		tl-csv "out/tsv/$sheet.tsv" | cmp - "out/csv/$sheet.csv"
		like "$(head -c 2 out/book.xlsx)" PK
		grep -q "$sheet" out/page.html
	}
	forms tl-report -q ranks/rank_0.json gpu_timeline
	forms tl-ranks -q ranks/rank_0.json ranks/rank_1.json nccl_long
	forms tl-multi -q -b ranks -f rank_ gpu_timelines
	forms tl-compare -q ranks/rank_0.json ranks/rank_1.json gpu_timeline
	forms tl-diff -q ranks/rank_0.json ranks/rank_1.json diff_stats
	forms tl-split -q -i 0:2 ranks/rank_0.json execution_details
	tl-show out/tsv/execution_details.tsv >/dev/null
}

@test "an option that can have no effect is wrong usage" {
	while read -r program option rest; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$program" $option $rest trace.json.gz </dev/null
		failed 2 "--[a-z_-]+ has no effect with"
	done <<-'END'
		tl-ranks --world_size 999 -d out
		tl-ranks --rank 3 -d out
		tl-ranks --output x -d out
		tl-ranks --part -d out
		tl-ranks --part --runner none
		tl-ranks --trace_dir . --rank_regex x(.)
		tl-multi --part --base .
		tl-multi --rank 3 -b .
		tl-multi --replay_dir x -b .
		tl-compare --min-share 3 x.json
		tl-compare --spreadsheet-safe -d out x.json
		tl-fuse --communication table
		tl-fuse --all --name x
		tl-fuse --no-provenance
		tl-replay --device cpu
		tl-path --what-if-most 3
		tl-findings --known x
		tl-pftrace --hip_summary_top 3
		tl-report --plot_dpi 50
		tl-split --num-steps 3 -i 0:1 -d out
		tl-timeline --topk_idle_gaps 3
		tl-memory --memory-curve-parts 3
		tl-host --unfolded
		tl-kcat --short_kernel_threshold_us 3
		tl-kcat --short_kernel_histogram_bins 3
		tl-kcat --topk_short_kernels 3
		tl-kcat --kernel_std --sheets kernels
		tl-roofline --topk_roofline_ops 3 --sheets diff_stats
		tl-ops --topk_ops 3
		tl-ops --ops_by_module
		tl-path --what-if gemm/2
		tl-rocprof --topk_kernels 3
		tl-pftrace --top_xla 3
	END
	run -2 --separate-stderr tl-host --unfolded trace.json.gz
	like "$stderr" 'error: --unfolded has no effect without --sheets host_modules'$'\n'
	run -2 --separate-stderr tl-kcat --short_kernel_threshold_us 3 trace.json.gz
	like "$stderr" 'without --sheets short_kernel_histogram or --sheets short_kernels_summary'$'\n'
	run -2 --separate-stderr tl-pftrace --hip_summary_top 3 trace.json.gz
	like "$stderr" 'has no effect without --write_md or --output_md_path'$'\n'
}

@test "an option that is for a sheet is taken if that sheet is made" {
	local words
	for words in 'timeline --topk_idle_gaps 3 --sheets idle_gaps' 'timeline --topk_idle_gaps 3 -d out' 'host --unfolded -d out' \
		'kcat --short_kernel_threshold_us 3 -d out' 'roofline --topk_roofline_ops 3 --sheets GEMM' 'roofline --topk_roofline_ops 3' \
		'ops --ops_by_step -d out' 'path --what-if-all --sheets path_then' 'sheets --topk_idle_gaps 3 --sheets gpu_timeline -d out'; do
		# shellcheck disable=SC2086 # words
		run -0 tl-$words -q trace.json.gz
	done
}
