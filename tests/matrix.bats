#!/usr/bin/env bats
# matrix.bats - which sheets the report of each profiler's traces has, and which programs read them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load profilers

setup() {
	need sqlite3
	cd "$BATS_TEST_TMPDIR"
}

profilers=(kineto nsys rocprofv3 csv rocpd rpd pftrace xplane ascend onnx jaxjson)

# What the reports of the traces have that profilers.bash makes.
#   x  a sheet with rows in the report without options
#   r  a sheet with rows in the report that asks for it
#   .  no such sheet:
#        sheets of calls, copies, collectives, counters, modules: onnx and jaxjson write none of these here
#        ops_summary ...   of xplane and jaxjson: operators of XLA are no calls on the host; kernel_launchers_summary, op_gemm
#        GEMM, mfu         of onnx: its operators have names of their own; mfu: rpd, Perfetto, Ascend do not name the device
#        host_modules      of xplane, ascend: their frames of Python have no modules; XLA names modules in operators
#        coll_analysis     is of sizes as PyTorch records them; collectives is of all
#        counters_by_kernel of ascend: its counters are of no device
#        counters_by_step  of rocprofv3, csv, rocpd: their counters are of kernels
#        graph_nodes, migrations: only Nsight Systems records these
table='
sheet                    kineto nsys rocprofv3 csv rocpd rpd pftrace xplane ascend onnx jaxjson
overview                 x      x    x         x   x     x   x       x      x      x    x
trace_health             x      x    x         x   x     x   x       x      x      x    x
populations              x      x    x         x   x     x   x       x      x      x    x
findings                 x      x    x         x   x     x   x       x      x      x    x
findings_unasked         x      x    x         x   x     x   x       x      x      x    x
device_times             x      x    x         x   x     x   x       x      x      x    x
kernel_stats             r      x    x         x   x     x   x       x      x      x    x
kernel_categories        r      x    x         x   x     x   x       x      x      x    x
gpu_timeline             x      x    x         x   x     x   r       x      x      x    x
ledger                   x      x    x         x   x     x   x       x      x      x    x
idle_gaps                x      x    x         x   x     x   x       x      x      x    x
idle_summary             x      x    x         x   x     x   x       x      x      x    x
launch_delays            r      r    r         r   r     r   r       r      r      r    r
queue_length             r      r    r         r   r     r   r       r      r      r    r
api_summary              r      r    r         r   r     r   r       r      r      .    r
memcpy_summary           x      x    x         x   x     x   x       x      x      .    x
exposed_copies           x      x    x         x   x     x   x       x      x      .    x
step_times               x      x    x         x   x     x   x       x      x      x    x
counters_by_step         x      x    .         .   .     x   x       x      x      .    .
range_summary            r      r    r         r   r     r   r       r      r      r    r
range_paths              r      r    r         r   r     r   r       r      r      r    r
ops_summary              x      r    r         r   r     r   r       .      x      x    .
host_ops                 r      r    r         r   r     r   r       r      r      r    r
unified_perf_summary     x      r    r         r   r     r   r       .      x      x    .
GEMM                     x      r    r         r   r     r   r       .      x      .    .
headroom                 r      r    r         r   r     r   r       .      r      .    .
mfu                      x      r    r         r   r     .   .       .      .      .    .
host_modules             r      r    r         r   r     r   r       .      .      .    .
ops_by_module            r      r    r         r   r     r   r       r      r      r    r
coll_analysis            x      .    .         .   .     .   .       .      .      .    .
collectives              r      r    r         r   r     r   r       r      r      .    r
counters                 x      x    x         x   x     x   x       x      x      .    .
counters_by_kernel       x      x    x         x   x     x   x       x      .      .    .
graph_nodes              .      x    .         .   .     .   .       .      .      .    .
migrations               .      x    .         .   .     .   .       .      .      .    .
op_gemm                  .      .    .         .   .     .   .       x      .      .    .
kernel_launchers_summary .      .    .         .   .     .   .       x      .      .    .
'

# rows FILE: has the sheet rows?
rows() {
	[ -s "$1" ] || return 1
	[ "$(wc -l <"$1")" -gt 1 ]
}

# report KIND PROFILER: the reports of its trace of this kind: the usual one, and one of all sheets of the table but XLA's own
report() {
	local file asked
	file=$(trace_of "$2")
	asked=$(awk 'NF > 1 && !/^(sheet|op_gemm|kernel_launchers)/ { printf "%s%s", n++ ? "," : "", $1 }' <<<"$table")
	"$2_$1" "$file"
	tl-sheets -q -d "usual-$2" "$file" >/dev/null
	tl-sheets -q --sheets "$asked" -d "asked-$2" "$file" >/dev/null
}

@test "each report has the sheets that its profiler's traces allow" {
	local p sheet cells cell i has wrong=()
	for p in "${profilers[@]}"; do
		report full "$p"
	done
	while read -r sheet cells; do
		i=0
		for cell in $cells; do
			p=${profilers[i++]} has=.
			if [ "$sheet" = sheet ]; then
				has=$p
			elif rows "usual-$p/$sheet.tsv"; then
				has=x
			elif rows "asked-$p/$sheet.tsv"; then
				has=r
			fi
			[ "$cell" = "$has" ] || wrong+=("$sheet of $p: $has, not $cell;")
		done
	done <<<"$table"
	equal "${wrong[*]}" ''
}

# What recordings of kernels alone lack, and words in which their reports say how to record it.
lacks='
kineto     with_stack=True                   record_shapes=True
nsys       runtime,.too:.nsys.-t.cuda        --python-backtrace=cuda   NVTX.ranges
rocprofv3  runtime,.too:.rocprofv3.--hip     rocprof-sys-sample        roctx.ranges
csv        runtime,.too:.rocprofv3.--hip     rocprof-sys-sample        roctx.ranges
rocpd      runtime,.too:.rocprofv3.--hip     rocprof-sys-sample        roctx.ranges
rpd        runtime,.too:.runTracer.sh        Mark.with.ranges
pftrace    Record.the.calls.of.the.runtime   Mark.with.ranges
xplane     runtime,.too:.host_tracer_level=2 python_tracer_level=1
ascend     Record.the.calls.of.the.runtime   Mark.with.ranges
onnx       Record.the.arguments.of.operators Mark.with.ranges
jaxjson    Record.the.calls.of.the.runtime   Mark.with.ranges          xplane.pb
'

@test "what a trace lacks is told, with the command of its profiler" {
	local p words word sheet wrong=()
	while read -r p words; do
		[ "$p" ] || continue
		report bare "$p"
		cat "usual-$p"/{findings,findings_unasked,trace_health,overview}.tsv >said
		for word in $words; do
			grep -q -e "$word" said || wrong+=("$p does not say $word;")
		done
		if [ "$p" != kineto ] && grep -qE 'with_stack|record_shapes=True|ProfilerActivity' said; then
			wrong+=("$p: advice about PyTorch;")
		fi
		for sheet in overview findings device_times kernel_stats idle_summary; do
			rows "asked-$p/$sheet.tsv" || wrong+=("$p lacks $sheet;")
		done
		for sheet in api_summary step_times range_summary counters launch_delays memcpy_summary; do
			if rows "asked-$p/$sheet.tsv"; then
				wrong+=("$p has $sheet;")
			fi
		done
	done <<<"$lacks"
	equal "${wrong[*]}" ''
}

@test "programs read the traces of each profiler: the critical path, of a step, too; parts; comparisons; queues" {
	local p f n
	for p in "${profilers[@]}"; do
		f=$(trace_of "$p")
		"${p}_full" "$f"
		n=2
		[[ $p != @(ascend|onnx) ]] || n=1 # collectives of HCCL have no launch; ONNX Runtime makes none
		tl-path -q -d "path-$p" "$f" >/dev/null
		rows "path-$p/path_summary.tsv"
		tl-path -q --step 1 --what-if 'host idle/2' -d "step-$p" "$f" >/dev/null
		rows "step-$p/path_summary.tsv"
		rows "step-$p/path_what_if.tsv"
		equal "$p $(tl-slice -q --step 1 "$f" | tl-view | awk '$1 == "event" && $3 == "kernel"' | wc -l)" "$p $n"
		tl-split -q --store-single-iteration -d "split-$p" "$f" >/dev/null
		equal "$p $(tail -n +2 "split-$p/execution_details.tsv" | wc -l)" "$p 3"
		if [[ $p == @(xplane|jaxjson) ]]; then # no operators of the host, so no tree of calls
			run -1 --separate-stderr tl-diff -q -d "diff-$p" "$f" "$f"
			like "$stderr" 'has no operators'
		else
			tl-diff -q -d "diff-$p" "$f" "$f" >/dev/null
			rows "diff-$p/diff_stats.tsv"
		fi
		tl-compare -q --names a --names b -d "compare-$p" "$f" "$f" >/dev/null
		[ "$(find "compare-$p" -name '*.tsv' | wc -l)" -gt 2 ]
		tl-series -q -d "series-$p" "$f" >/dev/null
		rows "series-$p/busy_share.tsv"
	done
}

@test "pages and pictures of the traces of each profiler" {
	local p f
	for p in "${profilers[@]}"; do
		f=$(trace_of "$p")
		"${p}_full" "$f"
		tl-report -q --html "$p.html" "$f" >/dev/null
		grep -q device_times "$p.html"
	done
	need gnuplot
	for p in "${profilers[@]}"; do
		tl-sheets -q -d "report-$p" "$(trace_of "$p")" >/dev/null
		tl-plot -q -d "plots-$p" "report-$p"/*.tsv >pictures
		[ -s pictures ]
	done
}

@test "the sheets that mean the same for all say the same of the same work" {
	local p f
	for p in "${profilers[@]}"; do
		f=$(trace_of "$p")
		"${p}_bare" "$f"
		equal "$p $(tl-kcat -q --sheets kernel_stats --columns name,category,count,time_ms "$f" | tail -n 1)" "$p $gemm	GEMM-cuBLAS	2	0.4"
		equal "$p $(tl-timeline -q --sheets device_times --columns busy_ms "$f" | tail -n 1)" "$p 0.4"
	done
}
