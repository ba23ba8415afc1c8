#!/usr/bin/env bats
# sheets.bats - several filters over one trace.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 3000 >trace.json
	tl-parse trace.json | tl-link -q -o linked.tls
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	in=$BATS_FILE_TMPDIR/linked.tls
}

@test "the sheets are those the filters make by themselves" {
	mkdir one
	tl-timeline -d one "$in"
	tl-ops -d one --include_overlap_info "$in"
	tl-roofline -q -d one --arch H100-SXM --group_by_num_kernels "$in" | sed "s,one/,,; s,\.tsv$,," >names
	tl-kcat -d one "$in"
	tl-coll -d one "$in"
	{ echo coll_analysis; echo gpu_timeline; cat names; printf '%s\n' kernel_summary short_kernel_histogram short_kernels_summary \
		ops_summary_by_category ops_summary ops_unique_args ops_unique_args_kl_overlap; } >order
	for threads in 1 2 8; do
		run -0 --separate-stderr tl-sheets -q -@ $threads -d "all$threads" "$in" tl-coll + tl-timeline + \
			tl-roofline --arch H100-SXM --group_by_num_kernels + tl-kcat + tl-ops --include_overlap_info
		equal "$stderr" ''
		equal "$output" "$(sed "s,.*,all$threads/&.tsv," order)"
		diff -r one "all$threads"
	done
	run -0 --separate-stderr tl-sheets -q -d raw "$BATS_FILE_TMPDIR/trace.json" tl-timeline + tl-coll +
	cmp raw/gpu_timeline.tsv one/gpu_timeline.tsv
	cmp raw/coll_analysis.tsv one/coll_analysis.tsv
}

@test "without filters each runs" {
	run -0 --separate-stderr tl-sheets -q -d all - <"$in"
	for s in gpu_timeline ops_summary unified_perf_summary kernel_summary coll_analysis; do
		[ -s "all/$s.tsv" ]
	done
}

@test "a filter has its own folder and options" {
	tl-sheets -q -d here "$in" tl-timeline -d there + tl-ops --sheet ops_summary
	equal "$(ls here there | tr '\n' ' ')" 'here: ops_summary.tsv  there: gpu_timeline.tsv '
}

@test "wrong usage is told by whom it concerns, before the trace is read" {
	run -2 --separate-stderr tl-sheets no-such-file
	failed 2 '-d DIR is needed'
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-nothing
	failed 2 "'tl-nothing' is not one of the filters tl-timeline"
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-ops + tl-ops
	failed 2 'tl-ops is named twice'
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-timeline + tl-ops --no-such
	like "$stderr" "^tl-ops: error: unknown or ambiguous option '--no-such'"
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-timeline other-file
	like "$stderr" '^tl-timeline: error: no file expected here'
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-timeline -o out
	like "$stderr" '^tl-timeline: error: -o has no place here'
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-roofline --list-archs
	run -2 --separate-stderr tl-sheets -d x no-such-file tl-roofline --enable_pseudo_ops
	failed 2 'use tl-rewrite before'
	[ ! -e x ]
}

@test "a dry run checks options and tables, reads no trace and writes nothing" {
	run -0 --separate-stderr tl-sheets -n -d x no-such-file tl-roofline --arch H100-SXM + tl-kcat
	equal "$output$stderr" ''
	run -0 --separate-stderr tl-sheets --dry-run -d x
	equal "$output$stderr" ''
	run -2 --separate-stderr tl-sheets -n -d x tl-timeline + tl-roofline --arch nosuch
	failed 2 'no architecture "nosuch"'
	echo x >table
	run -1 --separate-stderr tl-sheets -n -d x tl-kcat --kernel-categories table
	failed 1 'table:1:1'
	[ ! -e x ]
}

@test "a filter that fails fails the whole" {
	tl-gen -n 50 --no-python | sed 's/"cat": "\(kernel\|gpu_mem...\)"/"cat": "other"/' >cpu.json
	for threads in 1 2; do
		run -1 --separate-stderr tl-sheets -@ $threads -d out cpu.json tl-kcat + tl-timeline
		like "$stderr" '^tl-timeline: error: cpu.json: No GPU events found'
		equal "$output" 'out/short_kernel_histogram.tsv
out/short_kernels_summary.tsv'
	done
}

@test "a closed pipe ends it, with processes too" {
	for threads in 1 2; do
		run -0 --separate-stderr bash -c '{ sleep 0.2; tl-sheets -q -@ '$threads' -d out "$1"; echo $? >status; } | true' sh "$in"
		equal "$stderr" ''
		equal "$(cat status)" 141
	done
}
