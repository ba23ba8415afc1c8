#!/usr/bin/env bats
# pipes.bats - what the overview page promises: filters in pipes, scripts between
# them, sheets alone, saved streams.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 6000 | gzip -1 >trace.json.gz
	tl-parse trace.json.gz | tl-link -o trace.tls
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	out=$BATS_TEST_TMPDIR
}

# Two operators side by side, each with a kernel.
two_operators() {
	cat <<-'END'
	{"traceEvents": [
	{"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 1, "ts": 10, "dur": 50, "args": {"External id": 1}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {"correlation": 7}},
	{"ph": "X", "cat": "cpu_op", "name": "inner", "pid": 1, "tid": 1, "ts": 100, "dur": 50, "args": {"External id": 2}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 110, "dur": 5, "args": {"correlation": 8}},
	{"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 200, "dur": 10, "args": {"stream": 7, "correlation": 7}},
	{"ph": "X", "cat": "kernel", "name": "k2", "pid": 0, "tid": 7, "ts": 300, "dur": 30, "args": {"stream": 7, "correlation": 8}}
	]}
	END
}

# ---- the same sheet, whichever way --------------------------------------------------

same_sheet() { # COMMAND
	$1 trace.json.gz >"$out/raw"
	zcat trace.json.gz | $1 >"$out/plain"
	tl-parse trace.json.gz | $1 >"$out/parsed"
	tl-parse trace.json.gz | tl-link | $1 >"$out/linked"
	$1 trace.tls >"$out/saved"
	tl-view trace.tls | tl-view -b | $1 >"$out/viewed"
	[ "$(wc -l <"$out/raw")" -gt 1 ]
	for way in plain parsed linked saved viewed; do
		cmp "$out/raw" "$out/$way"
	done
}

@test "gpu_timeline is the same from the trace, a pipe, a saved stream, text" {
	same_sheet tl-timeline
}

@test "the operator sheets are, too" {
	for s in ops_summary ops_summary_by_category ops_unique_args 'ops_unique_args_kl_overlap --include_overlap_info'; do
		same_sheet "tl-ops --sheet $s"
	done
}

@test "the kernel sheets are, too" {
	for s in kernel_summary short_kernels_summary short_kernel_histogram; do
		same_sheet "tl-kcat --sheet $s"
	done
}

@test "coll_analysis is, too" {
	same_sheet tl-coll
}

@test "unified_perf_summary is, too" {
	same_sheet "tl-roofline -q"
}

@test "several sheets in one pass are those made one by one" {
	tl-ops --include_overlap_info -d "$out/all" trace.tls
	for s in ops_summary ops_summary_by_category ops_unique_args ops_unique_args_kl_overlap; do
		tl-ops --sheet $s trace.tls >"$out/one"
		cmp "$out/one" "$out/all/$s.tsv"
	done
}

@test "the driver's sheets are those of the filters" {
	tl-report -q --enable_kernel_summary --tsv_dir "$out/report" trace.json.gz
	tl-timeline trace.json.gz | cmp - "$out/report/gpu_timeline.tsv"
	tl-ops --sheet ops_unique_args trace.json.gz | cmp - "$out/report/ops_unique_args.tsv"
	tl-kcat trace.json.gz | cmp - "$out/report/kernel_summary.tsv"
	tl-coll trace.json.gz | cmp - "$out/report/coll_analysis.tsv"
	tl-roofline -q trace.json.gz | cmp - "$out/report/unified_perf_summary.tsv"
}

@test "a stream kept by the driver gives the same sheets again" {
	tl-report -q --keep-stream "$out/kept.tls" --tsv_dir "$out/report" trace.json.gz
	tl-view --check "$out/kept.tls"
	tl-ops --sheet ops_summary "$out/kept.tls" | cmp - "$out/report/ops_summary.tsv"
}

# ---- grep and awk on an intermediate ---------------------------------------------------

@test "grep counts events in the text of a stream" {
	run -0 pipe "tl-parse trace.json.gz | tl-view | grep -c '^event	[0-9]*	kernel	'"
	equal "$output" "$(zcat trace.json.gz | grep -c '"cat": "kernel"')"
}

@test "awk adds up kernel times that match the kernel sheet" {
	wanted=$(tl-kcat trace.json.gz | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Kernel duration (µs)_sum") c = i; next }
		{ sum += $c } END { printf "%.3f", sum }')
	unlike "$wanted" '^0'
	run -0 pipe "tl-view --kind kernel trace.tls | awk -F'\t' '\$1 == \"event\" { ns += \$5 } END { printf \"%.3f\", ns / 1000 }'"
	equal "$output" "$wanted"
}

# ---- a script between tl-link and tl-ops -------------------------------------------------

@test "an awk script renames an operator" {
	run -0 --separate-stderr pipe "tl-link trace.json.gz | tl-view |
		awk 'BEGIN { FS = OFS = \"\t\" } \$1 == \"event\" && \$10 == \"aten::gelu\" { \$10 = \"my::gelu\" } 1' |
		tl-view -b | tl-ops | cut -f 1 | grep '::gelu' | sort"
	equal "$stderr" ''
	equal "$output" 'aten::gelu_backward
my::gelu'
}

@test "an awk script re-parents an operator" {
	two_operators >"$out/two.json"
	tl-link -q -o "$out/two.tls" "$out/two.json"
	tl-ops "$out/two.tls" >"$out/before.tsv"
	equal "$(cut -f 1,2,3 "$out/before.tsv" | tail -n +2)" 'inner	30.0	30.0
outer	10.0	10.0' || equal "$(cut -f 1,2,3 "$out/before.tsv" | tail -n +2)" 'inner	30	30
outer	10	10'
	run -0 --separate-stderr pipe "tl-view $out/two.tls | awk -F'\t' -v OFS='\t' '
		\$1 == \"event\" && \$10 == \"outer\" { a = \$2 }
		\$1 == \"event\" && \$10 == \"inner\" { b = \$2 }
		\$1 == \"end\" { print \"link\", \"reparent\", a, b }
		{ print }' | tl-view -b | tl-ops | cut -f 1,2,3 | tail -n +2"
	equal "$stderr" ''
	# what inner launched now counts as work below outer as well
	like "$output" '^inner	30(.0)?	30(.0)?
outer	10(.0)?	40(.0)?$'
}

@test "an awk script injects an operator" {
	two_operators >"$out/two.json"
	run -0 --separate-stderr pipe "tl-parse $out/two.json | tl-view | awk -F'\t' -v OFS='\t' '
		\$1 == \"end\" { print \"event\", 99, \"cpu_op\", 5000, 200000, 1, 1, \"cpu_op\", \"X\", \"all\", \"a\", \"External id:i=3\" }
		{ print }' | tl-view -b | tl-link -q | tl-view --links | grep '	node	'"
	# both operators are inside it now
	like "$output" 'link	node	0	99'
	like "$output" 'link	node	2	99'
}

@test "a script that breaks the text is noticed by the next stage" {
	run -1 --separate-stderr pipe "tl-link trace.json.gz | tl-view | head -n 500 | tl-view -b | tl-ops"
	failed 1 ''
	equal "$output" ''
	run -1 --separate-stderr pipe "tl-link trace.json.gz | tl-view | sed 's/^event	100	/event	x	/' | tl-view -b | tl-ops"
	failed 1 'line [0-9]+'
	equal "$output" ''
}

@test "a stage that fails makes every stage after it fail" {
	head -c 100000 <(zcat trace.json.gz) >"$out/cut.json"
	run -1 --separate-stderr bash -c "tl-parse $out/cut.json | tl-link | tl-view | tl-view -b | tl-ops > $out/sheet.tsv; printf '%s ' \"\${PIPESTATUS[@]}\" >&2; exit 1"
	like "$stderr" '1 1 1 1 1 ?$'
	[ ! -s "$out/sheet.tsv" ]
}

@test "every filter reads its input to the end, so the stage before it is not killed" {
	run -0 --separate-stderr pipe "tl-parse trace.json.gz | tl-link | tl-timeline"
	equal "$stderr" ''
	like "$output" busy_time
}

@test "provenance tells the stages in order, once each" {
	run -0 pipe "tl-parse trace.json.gz | tl-link | tl-view --header | grep provenance | cut -f 3"
	equal "${#lines[@]}" 2
	like "${lines[0]}" '^id=1 prev=0 tl-parse '
	like "${lines[1]}" '^id=2 prev=1 tl-link '
	run -0 pipe "tl-parse --no-provenance trace.json.gz | tl-link --no-provenance | tl-view --header | grep -c provenance || true"
	equal "$output" 0
}
