#!/usr/bin/env bats
# communication.bats - --communication: what counts as communication, for all sheets alike.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# A trace with 10 µs of computation, 20 µs of NCCL, 30 µs of DeepEP and 4 µs of a kernel of one's own.
mixed() {
	op a 0 50; call 1 1 1; gpu 1 k 100 10
	op b 60 50; call 2 61 1; gpu 2 ncclX 200 20 20
	op c 120 50; call 3 121 1; gpu 3 'void deep_ep::internode::dispatch<8>(int*)' 300 30 20
	op d 180 50; call 4 181 1; gpu 4 my_ring_kernel 400 4 20
	trace "$1"
}

comm_time() {
	tl-timeline -q "$@" | awk -F'\t' '$1 == "total_comm_time" { print $2 }'
}

@test "the default is TraceLens's rule, and one note tells what the table would add" {
	mixed t.json
	equal "$(comm_time t.json)" 0.02
	equal "$(comm_time --communication reference t.json)" 0.02
	note='communication leaves out 1 device event (0.030 ms) that --communication table, which knows more libraries, counts'
	run -0 --separate-stderr tl-timeline t.json
	equal "$(grep -v "GPU busy" <<<"$stderr")" "tl-timeline: $note"
	run -0 --separate-stderr tl-sheets -d out t.json
	equal "$(grep -c -F "$note" <<<"$stderr")" 1
	run -0 --separate-stderr tl-report -q --tsv-dir out t.json
	equal "$stderr" ''
}

@test "with the table all sheets follow it" {
	mixed t.json
	run -0 --separate-stderr tl-sheets -d out --communication table --sheets gpu_timeline,ops_summary,launchers,unified_perf_summary,collectives,kernel_summary t.json
	like "$stderr" 'communication counts 1 device event \(0.030 ms\) that --communication reference, which is TraceLens.s rule, leaves out'
	equal "$(cell out/gpu_timeline.tsv 'time ms' "$(row out/gpu_timeline.tsv type=total_comm_time)")" 0.05
	equal "$(tail -n +2 out/ops_summary.tsv | cut -f 1 | sort)" $'a\nd'
	equal "$(tail -n +2 out/launchers.tsv | cut -f 2)" $'a\nd'
	equal "$(tail -n +2 out/unified_perf_summary.tsv | cut -f 1 | sort)" $'a\nd'
	equal "$(tl-coll -q --communication table --sheets collectives --columns collective,kernel t.json | tail -n 1)" \
		$'dispatch\tvoid deep_ep::internode::dispatch<8>(int*)'
	equal "$(tl-overview -q --communication table t.json | grep -c $'exposed communication\t12\.3')" 1
	tl-report -q --tsv-dir report --communication table t.json
	cmp out/gpu_timeline.tsv report/gpu_timeline.tsv
}

@test "rules of one's own come on top of the table, or of TraceLens's rule" {
	mixed t.json
	printf '50\tcommunication\tmy_ring\n' >mine.tsv
	equal "$(comm_time --communication mine.tsv t.json)" 0.054
	equal "$(comm_time --communication reference --communication mine.tsv t.json)" 0.024
	printf '50\tcomputation\tnccl\n' >not.tsv
	equal "$(comm_time --communication mine.tsv --communication not.tsv t.json)" 0.034
	run -0 --separate-stderr tl-timeline --communication reference --communication mine.tsv --communication not.tsv t.json
	like "$stderr" 'communication counts 1 device event \(0.004 ms\) that --communication table, .*, leaves out'
	like "$stderr" 'communication leaves out 2 device events \(0.050 ms\) that --communication table, .*, counts'
	run -0 --separate-stderr tl-timeline --communication mine.tsv t.json
	like "$stderr" 'counts 2 device events \(0.034 ms\) that --communication reference, .*, leaves out'
}

@test "a trace on which both rules agree gets no note" {
	op a 0 50; call 1 1 1; gpu 1 k 100 10; call 2 3 1; gpu 2 ncclX 200 20 20
	trace t.json
	run -0 --separate-stderr tl-timeline t.json
	equal "$(grep -v "GPU busy" <<<"$stderr")" ''
	run -0 --separate-stderr tl-timeline --communication table t.json
	equal "$(grep -v "GPU busy" <<<"$stderr")" ''
	like "$output" $'total_comm_time\t0.02'
}

@test "mistakes are found before the trace is read" {
	run -2 --separate-stderr tl-timeline --communication tabel none.json
	failed 2 "'tabel' is not reference, table or a file"
	printf '50\tcomm\tx\n' >bad.tsv
	run -1 --separate-stderr tl-coll --communication bad.tsv none.json
	failed 1 "bad.tsv:1:4: expected one of communication, memcpy, computation: 'comm'"
	run -1 --separate-stderr tl-report --communication bad.tsv none.json
	failed 1 'bad.tsv:1:4'
	run -2 --separate-stderr tl-view --communication table none.tls
	failed 2 'communication'
}

@test "reports of rocprofv3 and Perfetto follow it" {
	printf '1\tcommunication\tmy_ring\n' >mine.tsv
	cat >trace_results.json <<-'J'
		{"rocprofiler-sdk-tool":[{"metadata":{"pid":7,"init_time":0,"fini_time":100000},"strings":{},
		"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"my_ring_gemm"}],
		"buffer_records":{"kernel_dispatch":[{"start_timestamp":1000,"end_timestamp":9000,"thread_id":1,"dispatch_info":{"kernel_id":1}}]}}]}
	J
	category() {
		tl-rocprof -q --sheets kernel_summary_by_category --columns 'op category' "$@" trace_results.json | tail -n +2
	}
	equal "$(category)" GEMM-Generic
	equal "$(category --communication mine.tsv)" Comm-Generic
	equal "$(category --communication mine.tsv --kernel-categories reference)" GEMM
	printf '5\tRing\tmy_ring\n' >category.tsv
	equal "$(category --communication mine.tsv --kernel-categories category.tsv)" Ring
	like "$(tl-report -q --tsv-dir out --communication mine.tsv trace_results.json; cat out/overview.tsv)" 'largest category: Comm-Generic'
}
