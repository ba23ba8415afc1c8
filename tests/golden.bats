#!/usr/bin/env bats
# golden.bats - whole sheets of two small traces, as they are kept in tests/data/golden.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# train.json: two training steps on two GPUs, with most kinds of events, and some odd ones.
# serve.json: steps of a serving engine. The sheets of train.json that TraceLens makes, too,
# were the same there, cell by cell (but the rank, and without the two events that lack a
# stamp or a duration). After a change that is meant to change sheets,
# `GOLDEN=write bats tests/golden.bats` keeps the new ones: look at what git diff shows. So it does with the README.

load helpers
# bats file_tags=quick

setup() {
	cd "$BATS_TEST_TMPDIR"
	golden=$TL_ROOT/tests/data/golden
	ln -s "$golden"/*.json .
}

# same FOLDER: what is in it is what is kept
same() {
	if [ "${GOLDEN-}" = write ]; then
		rm -rf "${golden:?}/$1"
		cp -r "$1" "$golden/"
		rm -f "$golden/$1"/.tl-*
	fi
	same_sheets "$golden/$1" "$1"
}
# sheets FOLDER PROGRAM OPTION… TRACE: the sheets and messages of this run
sheets() {
	"$2" -d "$1" "${@:3}" >/dev/null 2>messages
	mv messages "$1/"
}
# other: train.json as of another day: fewer, other, longer and moved events
other() {
	sed -e '/"aten::gelu"/d; /<gelu>/d; s/aten::add_"/aten::mul_"/' \
		-e '/nvjet/s/"dur":20/"dur":33/; s/nvjet_tst_64x64_gemm/cutlass_gemm/' \
		-e '/ProfilerStep#1"/s/1000/1001/' -e 's/"aten::linear"/"aten::dense"/' train.json
}

@test "the overview stays the same" {
	sheets overview tl-overview --arch MI300X --detect_recompute train.json
	sed -i '/^tool/d' overview/overview.tsv
	same overview
}

@test "timelines and idle gaps stay the same" {
	sheets timeline tl-timeline --detect_recompute --micro_idle_thresh_us 5 train.json
	sheets timeline-all tl-timeline --include_unlinked_kernels --topk_idle_gaps 3 train.json
	same timeline
	same timeline-all
}

@test "the sheets of operators stay the same" {
	sheets ops tl-ops --include_first_occurrence_time --detect_recompute \
		--sheets ops_summary,ops_summary_by_category,ops_unique_args_kl_overlap,ops_by_module,ops_by_step train.json
	sheets ops-modules tl-ops --group_by_parent_module --group_by_num_kernels \
		--sheets ops_summary_by_category,ops_unique_args,launchers train.json
	cut -f 1-4,7- ops-modules/launchers.tsv >launchers
	mv launchers ops-modules/launchers.tsv
	same ops
	same ops-modules
}

@test "the roofline sheets stay the same" {
	sheets roofline tl-roofline --arch MI300X --detect_recompute --sheets \
		unified_perf_summary_kl_overlap,GEMM_kl_overlap,SDPA_fwd,SDPA_bwd,CONV_fwd,CONV_bwd,BinaryElementwise,Normalization,Reduce_fwd train.json
	sheets roofline-stacks tl-roofline --include_call_stack --group_by_num_kernels --topk_roofline_ops 15 \
		--sheets unified_perf_summary,GEMM train.json
	sheets roofline-serve tl-roofline --arch MI300X --sheets unified_perf_summary,InferenceAttention_fwd serve.json
	same roofline
	same roofline-stacks
	same roofline-serve
}

@test "the sheets of kernels stay the same" {
	sheets kernels tl-kcat --kernel_category --detect_recompute --short_kernel_histogram_bins 7 --sheets \
		kernel_summary,kernel_categories,short_kernel_histogram,short_kernels_summary,kernels train.json
	sheets kernels-phases tl-kcat --kernel_category --include_unlinked_kernels --phase_detection_method steps \
		--sheets kernel_summary,kernel_categories serve.json
	same kernels
	same kernels-phases
}

@test "the sheets of collectives stay the same" {
	sheets collectives tl-coll --sheets coll_analysis,collectives train.json
	same collectives
}

@test "the sheets of calls, copies and ranges stay the same" {
	sheets api tl-api --sheets api_summary,memcpy_summary,memcpy_by_size,range_summary train.json
	same api
}

@test "the sheets of memory stay the same" {
	tl-gen --memory -n 600 >memory.json
	sheets memory tl-memory --memory-curve-parts 12 --sheets memory_summary,memory_peak,memory_ops,memory_steps,memory_curve,memory_blocks memory.json
	same memory
}

@test "phases stay the same, by each method" {
	local all=ops_summary_prefill,ops_summary_decode,kernel_summary_prefill,kernel_summary_decode,phase_summary,steps,launcher_phases
	sheets phase-steps tl-phase --sheets $all serve.json
	sheets phase-union tl-phase --phase_detection_method union --sheets $all,phase_votes serve.json
	sheets phase-hybrid tl-phase --phase_detection_method hybrid --decode_threshold 5 --sheets phase_summary,launcher_phases serve.json
	sheets phase-train tl-phase --sheets phase_summary,steps,launcher_phases train.json
	for name in steps union hybrid train; do
		same "phase-$name"
	done
}

@test "the sheets of rocprof's report stay the same" {
	sheets rocprof tl-rocprof --sheets gpu_timeline,gpu_busy,kernel_summary,kernel_summary_by_category,kernel_details,short_kernels_summary train.json
	sheets rocprof-reference tl-rocprof --reference-units --sheets gpu_timeline,kernel_summary train.json
	same rocprof
	same rocprof-reference
}

@test "the merged tree of two traces stays the same, and what differs" {
	other >other.json
	tl-slice -q --step 1 -o a.tls train.json
	tl-slice -q --step 1 -o b.tls other.json
	tl-diff --output_csvs_dir diff a.tls b.tls >/dev/null
	tl-diff --python --stats train.json other.json | cut -f 1,2,8- >diff/python.tsv
	tl-roofline -q --comparison_json_path other.json train.json |
		awk -F'\t' 'NR == 1 { for (from = 1; $from !~ /speedup/; from++); } { print $1, $10; for (i = from; i < from + 8; i++) print $i }' >diff/unified
	same diff
}

@test "two reports side by side stay the same" {
	other >other.json
	local options='-q --arch MI300X --enable_kernel_summary --sheets gpu_timeline,ops_summary,kernel_summary,GEMM'
	# shellcheck disable=SC2086
	tl-sheets $options -d a train.json >/dev/null
	# shellcheck disable=SC2086
	tl-sheets $options -d b other.json >/dev/null
	sheets side-by-side tl-compare --verdict a b
	same side-by-side
}

@test "the parts of a serving trace stay the same" {
	mkdir split
	for how in '--find-steady-state --num-steps 4' --divide-phases '--store-single-iteration -i 1:4' '--find-steady-state --CONC 5 --OSL 8 --R 0.5'; do
		# shellcheck disable=SC2086
		tl-split -o parts $how serve.json 2>>split/messages
		cat parts/execution_details.csv parts/execution_details.json >>split/details
	done
	same split
}

# slice NAME OPTION…: what a slice of train.json has
slice() {
	tl-slice -q --no-provenance "${@:2}" train.json | tl-view | awk -F'\t' '$1 == "event" { print $3, $4, $5, $10 }' >"slice/$1"
}

@test "slices of a trace have the same events" {
	mkdir slice
	slice step --step 1
	slice device --device 1
	slice time --from 30us --to 300us
	slice annotation --annotation 'nccl:all_to_allv|Optimizer.step'
	slice thread --thread 2 --to 600us
	slice stream --stream 8 --python
	same slice
}

@test "what gnuplot is told stays the same" {
	mkdir bin pictures
	printf '#!/bin/sh\ncat >>"$SCRIPTS"\necho picture\n' >bin/gnuplot
	chmod +x bin/gnuplot
	tl-sheets -q --arch MI300X -d train train.json >/dev/null
	tl-report -q --inference --inference_phase_analysis -d serve serve.json
	local name
	for name in train serve; do
		SCRIPTS=$PWD/pictures/$name.gp PATH=$PWD/bin:$PATH tl-plot -q -d out $name/*.tsv >/dev/null
	done
	same pictures
}

# The README with what its commands down to the examples print today; a command without output is not run.
readme() {
	local line command=
	sed '/^## Other systems/,$d' "$TL_ROOT/README.md" >above
	while IFS= read -r line; do
		case $line in
		'    $ '*)
			command=${line#'    $ '}
			printf '%s\n' "$line"
			;;
		'    '*)
			case $command in
			'') printf '%s\n' "$line" ;; # no output
			ran) ;;
			*) bash -c "$command" </dev/null 2>/dev/null | sed 's/^/    /' ;;
			esac
			command=${command:+ran}
			;;
		*)
			command=
			printf '%s\n' "$line"
			;;
		esac
	done <above
	sed -n '/^## Other systems/,$p' "$TL_ROOT/README.md"
}

# bats test_tags=slow
@test "the README shows what its first commands print" {
	local rank
	tl-gen --events 50000 --loader 1500 | gzip >trace.json.gz
	tl-gen --events 50000 | gzip >before.json.gz
	for rank in {0..7}; do
		tl-gen --tp 2 --dp 4 --steps 4 --layers 2 --slow-rank 5 --rank "$rank" | gzip >"rank$rank.json.gz"
	done
	readme >README.md
	if [ "${GOLDEN-}" = write ]; then
		cp README.md "$TL_ROOT/README.md"
	fi
	diff "$TL_ROOT/README.md" README.md # else: GOLDEN=write bats tests/golden.bats
}
