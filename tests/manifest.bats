#!/usr/bin/env bats
# manifest.bats - folders of sheets: what is there of an earlier run is removed, or told.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace FILE NAME: a kernel of this name, which an operator launched
trace() {
	cat >"$1" <<-END
		[{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":9},
		{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},
		{"ph":"X","cat":"kernel","name":"$2","pid":0,"tid":7,"ts":2,"dur":5,"args":{"correlation":1,"stream":7,"device":0}}]
	END
}

# sheets FOLDER: their names in the manifest, sorted
sheets() {
	cut -f 1 "$1"/.tl-*-sheets | sed 1d | sort | paste -sd ' '
}

# there FOLDER SUFFIX: names of the sheets in it
there() {
	find "$1" -name "[!.]*.$2" -printf '%f\n' | sort | paste -sd ' '
}

@test "a report removes the sheets of the one before that it does not make, and says so" {
	trace t.json k
	tl-report -q --enable_kernel_summary -d out --output_csvs_dir csv t.json
	[ -e out/kernel_summary.tsv ]
	equal "$(cell out/.tl-tsv-sheets trace) $(cell out/.tl-tsv-sheets options)" "$PWD/t.json --enable_kernel_summary"
	run -0 --separate-stderr tl-report -d out --output_csvs_dir csv t.json
	like "$stderr" 'tl-report: out: removed 1 sheet of an earlier run, which this one does not make: kernel_summary.tsv'
	like "$stderr" 'tl-report: csv: removed 1 sheet of an earlier run, .*: kernel_summary.csv'
	[ ! -e out/kernel_summary.tsv ]
	[ ! -e csv/kernel_summary.csv ]
	equal "$(sheets out)" "$(there out tsv)"
	equal "$(sheets csv)" "$(there csv csv)"
}

@test "sheets that are of no manifest stay, and are counted and named" {
	trace t.json k
	mkdir out csv
	touch out/mine.tsv out/notes.txt csv/mine.csv csv/more.csv
	run -0 --separate-stderr tl-report -d out --output_csvs_dir csv t.json
	like "$stderr" 'tl-report: warning: out: 1 sheet here is not of this run: mine.tsv'
	like "$stderr" 'tl-report: warning: csv: 2 sheets here are not of this run: mine.csv, more.csv'
	[ -e out/mine.tsv ]
	run -0 --separate-stderr tl-report -q -d out t.json
	equal "$stderr" ''
}

@test "filters put sheets of one trace into one folder; those of another trace are told" {
	trace t.json k
	trace other.json k
	run -0 --separate-stderr tl-ops -d out t.json
	run -0 --separate-stderr tl-timeline -q -d out t.json
	equal "$stderr" ''
	[ -e out/ops_summary.tsv ]
	equal "$(sheets out)" "$(there out tsv)"
	run -0 --separate-stderr tl-ops -d out other.json
	like "$stderr" 'warning: out: . sheets here are not of this run: device_times.tsv, gpu_timeline.tsv'
	[ -e out/gpu_timeline.tsv ]
}

@test "--sheets adds to the sheets of this trace, and removes those of another one" {
	trace t.json k
	trace other.json k
	tl-sheets -q --sheets ops_summary -d out t.json
	tl-sheets --sheets gpu_timeline -d out t.json
	equal "$(there out tsv)" 'gpu_timeline.tsv ops_summary.tsv'
	run -0 --separate-stderr tl-sheets --sheets gpu_timeline -d out other.json
	like "$stderr" 'removed 1 sheet .*: ops_summary.tsv'
	equal "$(there out tsv)" gpu_timeline.tsv
}

@test "comparisons and conversions do the same" {
	trace t.json k
	tl-report -q --enable_kernel_summary -d a t.json
	tl-compare -q -d out --output_csvs_dir csv a a --names x y
	equal "$(sheets out)" "$(there out tsv)"
	tl-compare -d out --output_csvs_dir csv a a --names x y --sheets gpu_timeline 2>said
	like "$(cat said)" 'out: removed [0-9]+ sheets of an earlier run'
	like "$(cat said)" 'csv: removed [0-9]+ sheets of an earlier run'
	equal "$(there out tsv) $(there csv csv)" 'device_times.tsv gpu_timeline.tsv device_times.csv gpu_timeline.csv'
	# a single sheet is converted into the folder of the others
	tl-csv -d some a/gpu_timeline.tsv
	tl-csv -d some a/ops_summary.tsv
	equal "$(there some csv)" 'gpu_timeline.csv ops_summary.csv'
	equal "$(sheets some)" "$(there some csv)"
	rm a/gpu_timeline.tsv
	tl-report -q --sheets kernel_summary -d a t.json
	tl-csv -r -d back some/ops_summary.csv
	equal "$(there back tsv)" ops_summary.tsv
}

@test "a run that fails while sheets are put in place leaves none that its manifest does not name" {
	local f
	trace t.json k
	mkdir -p out/ops_summary.tsv
	run -1 --separate-stderr tl-report -d out t.json
	failed 1 'ops_summary.tsv: '
	rmdir out/ops_summary.tsv
	for f in $(there out tsv); do
		like " $(sheets out) " " $f "
	done
	run -0 --separate-stderr tl-report -d out --sheets gpu_timeline t.json
	unlike "$stderr" 'not of this run'
}

@test "programs that write to one folder at the same time do not lose each other's rows" {
	local p
	trace t.json k
	for p in ops timeline kcat api; do
		tl-$p -q -d out t.json >$p.paths &
	done
	wait
	equal "$(sheets out)" "$(there out tsv)"
}

@test "a manifest that is damaged: nothing is removed, and it is told; one with a path in it removes nothing elsewhere" {
	trace t.json k
	tl-report -q --enable_kernel_summary -d out t.json
	sed -i 's/^kernel_summary.tsv/..\/precious.tsv/' out/.tl-tsv-sheets
	touch precious.tsv
	run -0 --separate-stderr tl-report -d out t.json
	like "$stderr" 'warning: out/.tl-tsv-sheets: .*expected the name of a file: sheets of earlier runs are not told from others'
	like "$stderr" 'warning: out: 1 sheet here is not of this run: kernel_summary.tsv'
	[ -e precious.tsv ]
	[ -e out/kernel_summary.tsv ]
	equal "$(sheets out)" "$(there out tsv | sed 's/kernel_summary.tsv //')"
}

@test "programs that read folders of sheets do not take the manifest for one" {
	trace t.json k
	tl-report -q -d out t.json
	tl-compare -q -d both out out --names a b
	refute ls both/*sheets*
	tl-html -q -o page.html out/*.tsv
	refute grep -q tl-tsv-sheets page.html
}

@test "a pipe in the place of a sheet or of the manifest is an error, not a wait" {
	trace t.json k
	tl-report -q -d report t.json
	mkdir out
	mkfifo out/kernel_config.tsv
	for command in 'tl-kcat -q -d out' 'tl-sheets -q -d out' 'tl-report -q -d out'; do
		run -1 --separate-stderr timeout 60 $command t.json
		failed 1 'out/kernel_config.tsv: is a pipe, expected a file'
	done
	rm out/*
	mkfifo out/.tl-tsv-sheets
	run -1 --separate-stderr timeout 60 tl-kcat -q -d out t.json
	failed 1 'out/.tl-tsv-sheets: is a pipe, expected a file'
	cp -r report other
	rm other/gpu_timeline.tsv
	mkfifo other/gpu_timeline.tsv
	run -1 --separate-stderr timeout 60 tl-compare -q report other
	failed 1 'other/gpu_timeline.tsv: is a pipe, expected a file'
}
