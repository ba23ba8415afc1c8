#!/usr/bin/env bats
# sheets.bats - tl-sheets: the sheets of all filters from one trace.
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

@test "the sheets are those the filters make by themselves, in the order of a report" {
	{
		tl-timeline -d one --micro_idle_thresh_us 5 "$in"
		tl-ops -d one --include_overlap_info --group_by_num_kernels "$in"
		tl-roofline -q -d one --arch H100-SXM --include_overlap_info --group_by_num_kernels "$in"
		tl-kcat -d one "$in"
		tl-coll -d one "$in"
		tl-api -d one "$in"
	} >order
	for trace in "$in" "$BATS_FILE_TMPDIR/trace.json"; do
		run -0 --separate-stderr tl-sheets -q -d all --arch H100-SXM --include_overlap_info --group_by_num_kernels \
			--micro_idle_thresh_us 5 --enable_kernel_summary --kernel_stats --short_kernel_study --headroom --api_summary --memcpy_by_size --range_summary --kernel_config "$trace"
		equal "$stderr" ''
		equal "$output" "all/overview.tsv
all/trace_health.tsv
all/setup.tsv
all/populations.tsv
all/findings.tsv
all/finding_evidence.tsv
all/findings_unasked.tsv
all/gpu_work.tsv
all/judged.tsv
$(sed 's,^one/,all/,' order)"
		same_sheets -x overview.tsv -x "finding*.tsv" -x trace_health.tsv -x setup.tsv -x populations.tsv -x gpu_work.tsv -x judged.tsv one all
		rm -r all
	done
}

@test "without options the sheets are those of a report without options" {
	run -0 --separate-stderr tl-sheets -q -d all - <"$in"
	tl-report -q --tsv-dir report "$BATS_FILE_TMPDIR/trace.json"
	same_sheets -x overview.tsv -x 'finding*.tsv' all report # which names the trace
	[ -s all/coll_analysis.tsv ]
	[ ! -e all/kernel_summary.tsv ]
	[ ! -e all/headroom.tsv ] # findings read it all the same
	tl-sheets -q -d less --disable_coll_analysis "$in"
	equal "$(same_sheets -q -x overview.tsv -x 'finding*' all less)" 'Only in all: coll_analysis.tsv'
}

@test "--sheets names sheets of any filter; one of them may go to standard output" {
	run -0 --separate-stderr tl-sheets -q -d some --sheets launchers,GEMM_kl_overlap --sheets kernels "$in"
	equal "$stderr" ''
	equal "$output" $'some/launchers.tsv\nsome/GEMM_kl_overlap.tsv\nsome/kernels.tsv'
	tl-kcat --sheets kernels "$in" | cmp - some/kernels.tsv
	tl-roofline -q --sheets GEMM_kl_overlap "$in" | cmp - some/GEMM_kl_overlap.tsv
	tl-sheets --sheets kernels -o k.tsv "$in"
	cmp k.tsv some/kernels.tsv
}

@test "a sheet that was named and has no row is said, and the others are written" {
	run -0 --separate-stderr tl-sheets -d some --sheets gpu_timeline,CrossEntropy_fwd "$in"
	like "$stderr" 'tl-sheets: warning: no row for the sheet CrossEntropy_fwd$'
	equal "$output $(ls some)" 'some/gpu_timeline.tsv gpu_timeline.tsv'
	run -1 --separate-stderr tl-sheets -q -d none --sheets CrossEntropy_fwd "$in"
	equal "$stderr" "tl-sheets: error: $in: no sheet could be made of this trace"
	equal "$output$(ls -A none)" ''
}

@test "each sheet of a report can be made alone" {
	in=$BATS_FILE_TMPDIR/trace.json # ops_by_module needs its Python frames
	tl-report -q --tsv-dir report --enable_kernel_summary --short_kernel_study --include_overlap_info --headroom --api_summary --memcpy_by_size --range_summary --kernel_config --ops_by_step "$in"
	tl-sheets --list-sheets | tail -n +2 >list
	[ -s list ]
	while IFS=$'\t' read -r sheet filter _; do
		[ -L "$TL_BIN/$filter" ] || continue
		[ "$filter" != tl-jax ] || continue # which takes traces of JAX only
		[ "$sheet" != hot_kernels ] || continue # with the frames that it needs, reals are added up in another order
		echo "$filter --sheets $sheet"
		"$filter" --sheets "$sheet" "$in" >alone 2>err
		if [ ! -e "report/$sheet.tsv" ]; then
			[ "$filter" != tl-roofline ] || grep -q "warning: no row for the sheet $sheet\$" err
			continue
		fi
		[ "$sheet" = overview ] || cmp alone "report/$sheet.tsv" # overview lists options and warnings
		rm "report/$sheet.tsv"
	done <list
	equal "$(ls report)" ''
}

@test "--list-sheets tells filter, option and source file of each sheet, those of own tables too" {
	tl-sheets --list-sheets >list
	equal "$(head -n 2 list)" $'sheet\tfilter\toption\thelp\tfile\noverview\ttl-overview\t\t'"$(sed -n 2p list | cut -f 4,5)"
	equal "$(awk -F'\t' '$1 == "short_kernels_summary" { print $2, $3 }' list)" $'tl-kcat short_kernel_study\ntl-rocprof short_kernel_study'
	equal "$(awk -F'\t' 'NF != 5 || !$4' list)" ''
	equal "$(awk -F'\t' '$1 == "memcpy_by_size" || $1 == "GEMM" { print $5 }' list | xargs)" 'lib/sheets/roofline.c lib/sheets/api.c'
	(cd "$TL_ROOT"; cut -f 5 "$OLDPWD/list" | sed 1d | grep . | sort -u | xargs ls >/dev/null)
	equal "$(awk -F'\t' '$1 == "ranks_summary" { print $2, $3 }' list)" 'tl-ranks rank_sheets'
	equal "$(awk -F'\t' '$1 == "nccl_all2allv" { print $2 }' list | xargs)" 'tl-ranks tl-multi'
	like "$(tl-ranks --help)" 'Sheets:.*ranks_stragglers +who is waited for'
	like "$(tl-multi --help)" 'grouped_breakdown +time of groups of launchers'
	printf 'model m\n\tcategory Mine\n\tflops 1\nop mylib::x m\n' >mine.tsv
	tl-sheets --ops mine.tsv --list-sheets | grep '^Mine_bwd_kl_overlap	tl-roofline	' >/dev/null
}

@test "an option that several filters have is listed once and reaches all of them" {
	equal "$(tl-sheets --help | grep -c -e '--ops ')" 1
	echo 'category aten::mm Mine' >mine.tsv
	tl-sheets -q -d out --enable_kernel_summary --ops mine.tsv "$in"
	grep -q Mine out/ops_summary_by_category.tsv
	grep -q Mine out/kernel_summary.tsv
	grep -q Mine out/unified_perf_summary.tsv
}

@test "edits of the tree concern every sheet" {
	tl-rewrite -q --enable_pseudo_ops "$in" >edited.tls
	tl-sheets -q -d wanted edited.tls
	tl-sheets -q -d got --enable_pseudo_ops "$in"
	same_sheets -x overview.tsv -x 'finding*.tsv' wanted got
	tl-sheets -q -d raw --enable_pseudo_ops --set tp=8 --keep-stream kept.tls "$BATS_FILE_TMPDIR/trace.json"
	same_sheets -x overview.tsv -x 'finding*.tsv' wanted raw
	tl-sheets -q -d kept kept.tls
	same_sheets -x overview.tsv -x 'finding*.tsv' wanted kept
	run -2 --separate-stderr tl-sheets -d x --set tp=8 "$in"
	failed 2 '--set is for the rules of --enable_pseudo_ops'
}

@test "wrong usage is told before the trace is read" {
	run -2 --separate-stderr tl-sheets no-such-file
	failed 2 '-d DIR is needed'
	run -2 --separate-stderr tl-sheets -d x -o y no-such-file
	failed 2 '-d and -o exclude each other'
	run -2 --separate-stderr tl-sheets -d x --sheets gpu_timeline,nothing no-such-file
	failed 2 "--sheets: 'nothing' is not one of overview, trace_health, setup, populations, findings, .*gpu_timeline, .*kernels, .*coll_analysis"
	run -2 --separate-stderr tl-sheets --sheets gpu_timeline,kernels no-such-file
	failed 2 'use -d DIR for several'
	run -2 --separate-stderr tl-sheets -d x one two
	failed 2 'one file expected'
	run -2 --separate-stderr tl-sheets -d x --arch nosuch no-such-file
	failed 2 'no architecture "nosuch"'
	echo x >table
	run -1 --separate-stderr tl-sheets -d x --kernel-categories table no-such-file
	failed 1 'table:1:1'
	[ ! -e x ]
}

@test "a dry run checks options and tables, reads no trace and writes nothing" {
	run -0 --separate-stderr tl-sheets -n -d x --arch H100-SXM no-such-file
	equal "$output$stderr" ''
	run -2 --separate-stderr tl-sheets --dry-run -d x --arch nosuch
	failed 2 'no architecture "nosuch"'
	[ ! -e x ]
}

@test "a program is the filter whose name it is called by, and all of them by any other" {
	local name
	equal "$(tl-sheets --list-sheets | cut -f 2 | sed 1d | sort -u)" "$(cd "$TL_BIN"; { find . -lname tl-sheets | sed "s,./,,"; printf 'tl-jaxcoll\ntl-multi\ntl-ranks\n'; } | sort)"
	for name in $(cd "$TL_BIN"; find . -lname tl-sheets | sed "s,./,,"); do
		like "$(cd /; "$TL_BIN/$name" --version)" "^$name "
	done
	cp "$TL_BIN/tl-sheets" other
	like "$(./other --version)" "^tl-sheets "
}

@test "a filter that fails fails the whole, and no sheet is there" {
	tl-gen -n 50 --no-python | sed 's/"cat": "\(kernel\|gpu_mem...\)"/"cat": "other"/' >cpu.json
	run -1 --separate-stderr tl-sheets --sheets gpu_timeline,ops_summary -d out cpu.json
	failed 1 ''
	like "$stderr" '^tl-sheets: error: cpu.json: No GPU events found'
	equal "$output" ''
	[ ! -e out ]
	mkdir -p part/ops_summary.tsv
	run -1 --separate-stderr tl-sheets -q -d part "$in"
	failed 1 'part/ops_summary.tsv: cannot open for writing'
	equal "$output$(ls part)" ops_summary.tsv
}

@test "a signal leaves no temporary file" {
	for ms in 001 004 016 064; do
		tl-sheets -q -d out "$in" 3>&- >/dev/null &
		sleep 0.$ms
		kill -TERM $! 2>/dev/null || :
		wait $! || :
		equal "$(find . -path './out/*' ! -name '*.tsv' ! -name '.tl-*')" ''
	done
}

@test "--describe tells the columns of a sheet in three forms, from one description" {
	tl-sheets --describe api_summary --format tsv >told.tsv
	tl-sheets --describe api_summary --format json >told.json
	tl-api --sheets api_summary "$in" >sheet.tsv
	# every column that the sheet has, in its order
	equal "$(cut -f 3 told.tsv | sed 1d)" "$(head -n 1 sheet.tsv | tr '\t' '\n')"
	equal "$(python3 -c 'import json, sys; print("\n".join(c["name"] for c in json.load(sys.stdin)["columns"]))' <told.json)" "$(cut -f 3 told.tsv | sed 1d)"
	equal "$(awk -F '\t' '$3 == "Percentage (%)" || $3 == "host_time_ms" { print $4, $5, $6, $7 }' told.tsv)" "$(printf 'host_time_ms number ms time\npct number percent share')"
	tl-sheets --describe api_summary --format text | grep -A 1 -F 'api  (text; key)' | grep -F 'Runtime or driver.' >/dev/null
	# the manual has the same sentence
	grep -qx 'Runtime or driver\.' "$TL_ROOT/${B:-build}/man/tl-api.1"
}

@test "--describe without a sheet lists them; an unknown one is wrong usage" {
	tl-sheets --describe | cut -f 1,2 >all
	grep -qx 'api_summary	tl-api' all
	run -2 tl-sheets --describe no_such
	[[ $output == *"no sheet is named 'no_such'"* ]]
	run -2 tl-sheets --describe --sheets api_summary
	run -2 tl-sheets --describe api_summary -d x
	[ ! -e x ]
	run -2 tl-sheets --describe api_summary --format markdown
	[[ $output == *"expected text, tsv or json"* ]]
}

@test "--describe of a family's sheet is that of all families" {
	tl-sheets --describe GEMM --format tsv | grep '^FAMILY	tl-roofline	param:	' >/dev/null
	# programs of one sheet name are told apart
	equal "$(tl-sheets --describe kernel_summary --format tsv | cut -f 2 | sed 1d | sort -u | tr '\n' ' ')" 'tl-kcat tl-pftrace tl-rocprof '
}
