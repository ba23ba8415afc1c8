#!/usr/bin/env bats
# memory-timeline.bats - tl-memory: timelines of torch.profiler's export_memory_timeline.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# Two parameters and something unknown were there; activations come, one becomes a gradient, all goes.
raw='[[-1, 1, 100, 0], [-1, 1, 50, 0], [-1, 1, 7, 7], [1700000000000001000, 2, 500, 4], [1700000000000001000, 2, 20, 3],
[1700000000000001000, 4, -20, 3], [1700000000000003500, 2, 60, 5], [1700000000000004000, 3, -500, 4], [1700000000000004000, 3, 500, 5],
[1700000000000006000, 4, -560, 5]]'
header='time_us	parameter_bytes	optimizer_state_bytes	input_bytes	temporary_bytes	activation_bytes	gradient_bytes	autograd_detail_bytes	unknown_bytes	allocated_bytes'

# bats test_tags=quick
@test "memory_categories: sums by category, a point for each time; what was there before comes first" {
	echo "$raw" >t.raw.json
	run -0 --separate-stderr tl-memory --sheets memory_categories t.raw.json
	equal "$stderr" ''
	equal "$output" "$header
0.0	150	0	0	0	0	0	0	7	157
0.0	150	0	0	0	500	0	0	7	657
2.5	150	0	0	0	500	60	0	7	717
3.0	150	0	0	0	0	560	0	7	717
5.0	150	0	0	0	0	0	0	7	157"
	gzip t.raw.json
	equal "$(tl-memory --sheets memory_categories t.raw.json.gz)" "$output"
	equal "$(tl-parse t.raw.json.gz | tl-memory --sheets memory_categories)" "$output"
}

@test "memory_category_peaks: at the peak of all, and the most of each" {
	echo "$raw" >t.json
	equal "$(tl-memory --sheets memory_category_peaks t.json)" 'category	at_peak_bytes	Percentage (%)	largest_bytes	largest_us	at_start_bytes	at_end_bytes
(all)	717	100.0	717	2.5	157	157
activation	500	69.7350069735007	500	0.0	0	0
parameter	150	20.920502092050206	150	0.0	150	150
gradient	60	8.368200836820083	560	3.0	0	0
unknown	7	0.9762900976290098	7	0.0	7	7'
}

@test "the other form, times and sizes, gives the same curve; times are microseconds" {
	echo '[[1700000000001, 1700000000001, 1700000000003, 1700000000003500], [[0,150,0,0,0,0,0,0,7],[0,150,0,0,0,500,0,0,7],
		[0,150,0,0,0,500,60,0,7],[0,150,0,0,0,500,60,0,7]]]' >t.json
	equal "$(tl-memory --sheets memory_categories t.json)" "$header
0.0	150	0	0	0	0	0	0	7	157
0.0	150	0	0	0	500	0	0	7	657
2.0	150	0	0	0	500	60	0	7	717
1698300000003499.0	150	0	0	0	500	60	0	7	717"
	echo '[[-1],[[0,1,0,0,0,0,0,0,0]]]' >t.json
	equal "$(tl-memory --sheets memory_categories --columns time_us,allocated_bytes t.json)" $'time_us\tallocated_bytes\n0.0\t1'
}

@test "memory_categories: thinned, but exact at the extremes of each category" {
	{
		echo '[[0, 2, 10, 0]'
		for i in 1 2 3 4 5 6 7 8; do
			echo ", [$i, 2, $((i == 3 ? 90 : 1)), $((i == 5 ? 4 : 0))], [$i, 4, $((i == 4 ? -80 : 0)), 0]"
		done
		echo ', [9, 4, -2, 4], [100, 2, 1, 4]]'
	} >t.json
	equal "$(tl-memory --sheets memory_categories --memory-curve-parts 2 --columns time_us,parameter_bytes,activation_bytes t.json)" \
'time_us	parameter_bytes	activation_bytes
0.0	10	0
0.003	102	0
0.005	23	1
0.009	26	-1
0.1	26	0'
}

@test "timelines: tl-memory prints their peaks, other programs name it; a report has them with --memory; none at all" {
	echo "$raw" >t.json
	run -0 --separate-stderr tl-memory t.json
	equal "$stderr" ''
	equal "$output" "$(tl-memory --sheets memory_category_peaks t.json)"
	run -0 tl-findings --format text t.json
	like "$output" 'a memory timeline, without operators and device work:.*tl-memory shows it'
	unlike "$output" 'ProfilerActivity|with_stack'
	run -0 --separate-stderr tl-coll t.json
	like "$stderr" 'no row; it is a memory timeline, which tl-memory shows$'
	tl-memory -q -d d t.json
	equal "$(ls d)" $'memory_categories.tsv\nmemory_category_peaks.tsv'
	tl-report -q --tsv-dir r --memory t.json
	cmp d/memory_categories.tsv r/memory_categories.tsv
	echo '[[],[]]' >t.json
	run -0 --separate-stderr tl-memory --sheets memory_categories t.json
	equal "$output" "$header"
}

@test "damaged timelines: what is wrong, and where" {
	check() {
		printf "$1" >bad.json
		run -1 --separate-stderr tl-memory bad.json
		failed 1 "$2"
	}
	check '[[1,2,3]]' 'byte 1: a change of memory without four integers'
	check '[[1,2,3,4,5]]' 'byte 1: a change .*without four integers'
	check '[[1,2,3,4],[1,2,3]]' 'byte 12: a change .*without four integers'
	check '[[1,2,3,4],[1,2,3,4],[5]]' 'byte 22: a change .*without four integers'
	check '[[1,2,3,4],[1,2,3,4],5]' 'byte 21: '
	check '[[-2,2,3,4]]' 'byte 1: a time that cannot be'
	check '[[1,0,3,4]]' 'byte 1: an action that is not 1 to 4'
	check '[[1,5,3,4]]' 'byte 1: an action that is not 1 to 4'
	check '[[1,2,3,8]]' 'byte 1: a category that is not 0 to 7'
	check '[[1,2,3,-1]]' 'byte 1: a category that is not 0 to 7'
	check '[[1,2,3,"x"]]' 'byte 8: expected a digit'
	check '[[1,2,3,4],[]]' 'byte 13: expected an integer or a list'
	check '[[1,2],[[0,1,0,0,0,0,0,0,0]]]' 'fewer sizes than times'
	check '[[1],[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,0,0,0,0]]]' 'more sizes than times'
	check '[[1],[[1,0,0,0,0,0,0,0]]]' 'a list of sizes without nine integers'
	check '[[9223372036854775807],[[0,1,0,0,0,0,0,0,0]]]' 'a time that cannot be'
	check '[[1],[[0,1,0,0,0,0,0,0,0]],3]' 'expected the end of'
	check '[[1,2],[[0,9223372036854775807,0,0,0,0,0,0,0],[0,-9223372036854775807,0,0,0,0,0,0,0]]]' 'sizes that cannot be'
	check '[[1,2,3,4]]x' 'byte 11'
}

@test "every way to cut a timeline is an error, and with --lenient a note" {
	echo -n "$raw" >t.json
	size=$(stat -c %s t.json)
	for ((n = 3; n < size; n += 11)); do
		head -c $n t.json >cut.json
		run -1 --separate-stderr tl-memory cut.json
		failed 1 'cut short|ends|expected|without four'
	done
	head -c 120 t.json >cut.json
	run -0 --separate-stderr tl-memory --lenient --sheets memory_categories --columns allocated_bytes cut.json
	like "$stderr" 'cut short'
	equal "$output" $'allocated_bytes\n157\n677'
}

@test "the curve is that of HolisticTraceAnalysis, point by point" {
	ref=$TL_ROOT/../shared/traces/views
	[ -e "$ref/hta/memory_timeline.tsv.gz" ] || skip "no $ref"
	tl-memory --sheets memory_categories --memory-curve-parts 0 "$ref/inputs/hta-memory-timeline.raw.gz" |
		awk -F'\t' -v OFS='\t' 'NR > 1 { $1 = sprintf("%.0f", $1 * 1000); print }' >got.tsv
	need python3
	python3 - "$ref/hta/memory_timeline.tsv.gz" >want.tsv <<-'END'
	import gzip, sys
	rows = [line.rstrip('\n').split('\t') for line in gzip.open(sys.argv[1], 'rt')][1:]
	for row in rows:
	    print(int(row[0]) - int(rows[0][0]), *row[1:], sep='\t')
	END
	[ "$(wc -l <want.tsv)" -eq 7721 ]
	cmp got.tsv want.tsv
}
