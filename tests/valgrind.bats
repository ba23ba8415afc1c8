#!/usr/bin/env bats
# valgrind.bats - each program once under valgrind: no invalid access, no use of
# undefined bytes, nothing lost.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	need valgrind
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 900 --recompute >trace.json
	gzip -k trace.json
	tl-parse -o trace.tls trace.json
	tl-link --detect_recompute -o trace.linked trace.tls
	printf 'name\tvalue\nadd\t1\nmul\t2.5\n' >sheet.tsv
}

setup() {
	need valgrind
	cd "$BATS_FILE_TMPDIR"
}

# checked PROGRAM ARGUMENT…: its output goes to $BATS_TEST_TMPDIR/out
checked() {
	local program=$TL_BIN/$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$program" "$@" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || { cat "$BATS_TEST_TMPDIR/err" >&2; return 1; }
}

@test "tl-parse, plain and gzip" {
	checked tl-parse trace.json
	checked tl-parse trace.json.gz
}

@test "tl-link" {
	checked tl-link --detect_recompute trace.tls
	checked tl-link trace.json
}

@test "tl-view, both ways" {
	checked tl-view trace.linked
	cp "$BATS_TEST_TMPDIR/out" text
	checked tl-view -b text
	cmp "$BATS_TEST_TMPDIR/out" trace.linked
}

@test "tl-split" {
	checked tl-split --store-single-iteration -o "$BATS_TEST_TMPDIR/parts" trace.json
	checked tl-split -i 0 trace.linked
	checked tl-split --match -o "$BATS_TEST_TMPDIR/pairs" trace.json trace.json
}

@test "tl-multi" {
	mkdir traces
	cp trace.json traces/rank_0.json
	cp trace.json traces/rank_1.json
	checked tl-multi -b traces -f rank_ -a --output_tsvs_dir "$BATS_TEST_TMPDIR/sheets"
}

@test "tl-diff" {
	tl-gen -n 600 --recompute >other.json
	checked tl-diff --python -d "$BATS_TEST_TMPDIR/diff" trace.json other.json
	checked tl-diff --summary trace.linked trace.linked
}

@test "tl-ranks" {
	checked tl-ranks --part --rank 0 -o "$BATS_TEST_TMPDIR/0.part" trace.json
	tl-gen -n 900 --rank 1 >"$BATS_TEST_TMPDIR/rank_1.json"
	checked tl-ranks --part --rank 1 -o "$BATS_TEST_TMPDIR/1.part" "$BATS_TEST_TMPDIR/rank_1.json"
	tl-sheets -q --sheets gpu_timeline,kernel_summary -d "$BATS_TEST_TMPDIR/rank0" trace.json
	cp -r "$BATS_TEST_TMPDIR/rank0" "$BATS_TEST_TMPDIR/rank1"
	checked tl-ranks --gpus_per_node 1 --all2allv_heatmap --rank_sheets "$BATS_TEST_TMPDIR" --agg_metrics var -d "$BATS_TEST_TMPDIR" \
		"$BATS_TEST_TMPDIR/0.part" "$BATS_TEST_TMPDIR/1.part"
	[ -s "$BATS_TEST_TMPDIR/ranks_kernels.tsv" ]
	[ -s "$BATS_TEST_TMPDIR/ranks_stragglers.tsv" ]
}

@test "tl-replay" {
	checked tl-replay -d "$BATS_TEST_TMPDIR/replay" trace.json
	checked tl-replay --op aten::mm,aten::add_ trace.linked
}

@test "tl-fuse" {
	checked tl-fuse 0=trace.json 1=trace.linked
	checked tl-fuse --reference --name mm -o "$BATS_TEST_TMPDIR/fused.json.gz" trace.json
}

@test "tl-timeline" {
	checked tl-timeline --detect_recompute trace.linked
}

@test "tl-ops" {
	checked tl-ops --include_overlap_info -d "$BATS_TEST_TMPDIR" trace.linked
}

@test "tl-phase" {
	checked tl-phase -d "$BATS_TEST_TMPDIR" trace.linked
}

@test "tl-kcat" {
	checked tl-kcat -d "$BATS_TEST_TMPDIR" trace.linked
}

@test "tl-api" {
	checked tl-api trace.linked
	checked tl-api --sheet memcpy_summary trace.linked
}

@test "tl-host" {
	checked tl-host -d "$BATS_TEST_TMPDIR" trace.json
}

@test "tl-tree" {
	checked tl-tree -d "$BATS_TEST_TMPDIR" trace.json
}

@test "tl-memory" {
	checked tl-memory -d "$BATS_TEST_TMPDIR" trace.linked
}

@test "tl-series" {
	checked tl-series -q -d "$BATS_TEST_TMPDIR" trace.linked
}

@test "tl-overview" {
	checked tl-overview -q trace.json
}

@test "tl-coll" {
	checked tl-coll trace.linked
}

@test "tl-roofline" {
	checked tl-roofline -q --include_call_stack -d "$BATS_TEST_TMPDIR" trace.json
}

@test "tl-rewrite" {
	checked tl-rewrite --enable_pseudo_ops trace.linked
}

@test "tl-compare: folders, a workbook, a trace" {
	mkdir a b
	printf 'type\ttime ms\nbusy\t1\nbusy\t2\n' >a/gpu_timeline.tsv
	printf 'type,time ms\nbusy,3\nidle,2\n' >b/gpu_timeline.csv
	tl-xlsx -o c.xlsx a/gpu_timeline.tsv
	checked tl-compare -q a b c.xlsx trace.json --sheets gpu_timeline --verdict -d "$BATS_TEST_TMPDIR/compared"
}

@test "tl-trend: a sheet, a workbook, and a series with a step, a stretch and an outlier" {
	mkdir one
	printf 'type\ttime ms\tpercent\nbusy\t1\t10\n' >one/gpu_timeline.tsv
	tl-xlsx -o one.xlsx one/gpu_timeline.tsv
	checked tl-trend -q one one.xlsx one/gpu_timeline.tsv
	awk 'BEGIN {
		print "metric\trun\tvalue"
		for (i = 0; i < 60; i++) {
			x = 100 + i * 7 % 11 / 10
			printf "step\t%d\t%f\nstretch\t%d\t%f\noutlier\t%d\t%f\n", i, x + (i > 30 ? 5 : 0), i, x + (i > 20 && i < 40 ? 5 : 0), i, x + (i == 9 ? 50 : 0)
		}
	}' >series.tsv
	checked tl-trend --fail-if '* > 90 %' series.tsv
}

@test "tl-openmetrics" {
	printf 'type\ttime ms\tpercent\na"b\t1\t10\n' >gpu_timeline.tsv
	checked tl-openmetrics gpu_timeline.tsv
}

@test "tl-csv, both ways" {
	checked tl-csv sheet.tsv
	cp "$BATS_TEST_TMPDIR/out" sheet.csv
	checked tl-csv -r sheet.csv
}

@test "tl-html" {
	checked tl-html sheet.tsv
}

@test "tl-plot" {
	need gnuplot
	printf 'name\ttotal_direct_kernel_time_ms\tCount\tPercentage (%%)\nadd\t1\t2\t40\nmul\t1.5\t3\t60\n' >ops_summary_prefill.tsv
	checked tl-plot --plot_dpi 20 -d "$BATS_TEST_TMPDIR" ops_summary_prefill.tsv ops_summary=ops_summary_prefill.tsv
}

@test "tl-xlsx" {
	checked tl-xlsx -o "$BATS_TEST_TMPDIR/book.xlsx" sheet.tsv
}

@test "tl-show" {
	checked tl-show sheet.tsv
	checked tl-show -x --sort value sheet.tsv
}
