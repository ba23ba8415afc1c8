#!/usr/bin/env bats
# coming-from.bats - the commands for people who come from other tools; how other programs read sheets.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen --tp 2 --dp 1 --steps 3 --rank 0 | gzip >rank0.json.gz
	tl-gen --tp 2 --dp 1 --steps 3 --rank 1 | gzip >rank1.json.gz
	tl-gen --memory --steps 3 | gzip >trace.json.gz
	cp trace.json.gz before.json.gz
	cp trace.json.gz after.json.gz
	sqlite3 report.sqlite <<-'SQL'
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm(float*)'), (3, 'gemm'), (4, 'layer'), (5, 'cudaMemcpyAsync_v3020');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 150, 0, (7<<24)+71, 5, 1, 0), (160, 170, 0, (7<<24)+71, 6, 5, 0);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 300, 0, 9, 5, 7<<24, 2, 3, 4, 2, 1, 64, 1, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (310, 350, 0, 9, 6, 7<<24, 4096, 1);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, textId INT);
		INSERT INTO NVTX_EVENTS VALUES (90, 180, 59, 'layer', (7<<24)+71, NULL);
	SQL
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "every command of the page works" {
	local command n=0
	while IFS= read -r command; do
		n=$((n + 1))
		echo "$command"
		bash -o pipefail -c "$command" >out 2>err </dev/null || { cat err; return 1; }
		refute grep 'error: ' err
	done < <(sed -n 's/^\.Dl //p' "$TL_ROOT/man/tl-coming-from.7")
	[ $n -ge 30 ]
}

hostile() {
	printf 'name\tvalue\n"a\t1\nb"\t\n"\t2.5\nNA\t3\n\\t\\\\\t4\n'
}

@test "a sheet with hostile names is read as the manual says: sqlite3, awk, pandas" {
	hostile >sheet.tsv
	equal "$(sqlite3 :memory: -cmd '.mode ascii' -cmd '.separator "\t" "\n"' -cmd '.import sheet.tsv sheet' 'SELECT count(*) FROM sheet')" 5
	equal "$(awk -F'\t' 'NR > 1 { n++; sum += $2 } END { print n, sum }' sheet.tsv)" '5 10.5'
	python3 -c 'import pandas' 2>/dev/null || return 0
	equal "$(python3 -c "
import pandas
f = pandas.read_csv('sheet.tsv', sep='\t', quoting=3, keep_default_na=False, na_values=[''])
print(len(f), f.value.sum(), f.name[3])")" '5 10.5 NA'
}

@test "a sheet with a cell that begins with a quote says so, once" {
	printf '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "\\"a", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "args": {"correlation": 7}},
		{"ph": "X", "cat": "kernel", "name": "\\"k", "pid": 0, "tid": 7, "ts": 4, "dur": 9, "args": {"stream": 7, "correlation": 7}}]}' >quote.json
	run -0 --separate-stderr tl-ops quote.json
	like "$stderr" '1 cell begins with a quote'
	run -0 --separate-stderr tl-ops --format json quote.json
	unlike "$stderr" 'begins with a quote'
}

@test "--tsv-quotes escape: twelve names that begin with a quote are twelve rows for every reader" {
	for i in {1..12}; do
		echo "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"\\\"op$((i % 2 ? i : -i))\", \"pid\": 1, \"tid\": 1, \"ts\": $((i * 10)), \"dur\": 5},"
	done | sed '$s/,$//; 1s/^/{"traceEvents": [/; $s/$/]}/' >quotes.json
	run -0 --separate-stderr tl-host -o sheet.tsv --columns name,calls --tsv-quotes escape quotes.json
	equal "$stderr" ''
	equal "$(grep -c '^\\x22op' sheet.tsv)" 12
	tl-host -q --columns name,calls quotes.json >plain.tsv
	equal "$(grep -c '^"op' plain.tsv)" 12
	# readers to whom quotes mean something
	equal "$(sqlite3 :memory: -cmd '.mode tabs' -cmd '.import sheet.tsv sheet' 'SELECT count(*) FROM sheet')" 12
	equal "$(python3 -c 'import csv; print(len(list(csv.DictReader(open("sheet.tsv"), delimiter="\t"))))')" 12
	equal "$(awk -F'\t' 'NR > 1' sheet.tsv | wc -l)" 12
	if python3 -c 'import pandas' 2>/dev/null; then
		equal "$(python3 -c 'import pandas; print(len(pandas.read_csv("sheet.tsv", sep="\t")))')" 12
	fi
	# the programs here read both alike
	for program in tl-csv tl-json 'tl-show -n 0'; do
		equal "$($program sheet.tsv)" "$($program plain.tsv | sed 's/"plain"/"sheet"/')"
	done
	equal "$(tl-csv sheet.tsv | python3 -c 'import csv, sys; print(sum(r[0].startswith(chr(34)) for r in csv.reader(sys.stdin)))')" 12
	tl-host -q -d sheets --tsv-quotes escape quotes.json >/dev/null
	equal "$(grep -c '^\\x22op' sheets/host_ops.tsv)" 12
	equal "$(tl-sql -q --tsv-quotes escape quotes.json "SELECT name FROM event WHERE name LIKE '%op%'" | grep -c '^\\x22op')" 12
	run -2 --separate-stderr tl-host --tsv-quotes no quotes.json
	failed 2 '--tsv-quotes: .*expected plain or escape'
	run -2 --separate-stderr tl-host --tsv-quotes escape --format json quotes.json
	failed 2 '--tsv-quotes is about TSV, not about --format json'
	run -2 --separate-stderr tl-compare --tsv-quotes escape --html page.html before.json.gz after.json.gz
	failed 2 '--tsv-quotes has no effect without --dir'
	run -2 --separate-stderr tl-ranks --tsv-quotes escape --html page.html rank0.json.gz rank1.json.gz
	failed 2 '--tsv-quotes is about TSV, of which none is written'
}
