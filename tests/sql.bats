#!/usr/bin/env bats
# sql.bats - tl-sql: traces and sheets as a database, questions in SQL.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 4000 --steps 3 >trace.json 2>/dev/null || tl-gen -n 4000 >trace.json
	# two devices; a call with a kernel under an operator under a module; a second kernel overlaps, a copy is exposed
	cat >small.json <<-'END'
	{"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "schemaVersion": 1, "traceEvents": [
	{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
	{"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 1, "tid": 1, "ts": 1, "dur": 60, "args": {"Python id": 1, "Python parent id": null}},
	{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 2, "dur": 50, "args": {"External id": 1, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"], "Sequence number": 5}},
	{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 3, "dur": 20.25, "args": {"External id": 2}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 5, "args": {"correlation": 7}},
	{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 10, "args": {"stream": 7, "device": 0, "correlation": 7, "grid": [3, 2, 1], "block": [128, 1, 1]}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 30, "dur": 5, "args": {"correlation": 8}},
	{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 8, "ts": 45, "dur": 15, "args": {"stream": 8, "device": 0, "correlation": 8}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": 65, "dur": 5, "args": {"correlation": 9}},
	{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 80, "dur": 8, "args": {"stream": 7, "device": 0, "correlation": 9, "bytes": 4000}}
	]}
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	trace=$BATS_FILE_TMPDIR/trace.json
	small=$BATS_FILE_TMPDIR/small.json
}

# answers QUERY ROWS: without the header
answers() {
	equal "$(tl-sql -q "$small" "$1" | tail -n +2)" "$(printf "$2")"
}

@test "kernels tell what is around their call" {
	answers 'SELECT name, ts, dur, call_name, delay, op_name, top_op_name, module_name, grid_x, block_x, class FROM kernel ORDER BY ts' \
		'gemm\t40000\t10000\tcudaLaunchKernel\t35000\taten::mm\taten::linear\tnn.Module: Linear_0\t3\t128\tcompute\nncclDevKernel_AllReduce\t45000\t15000\tcudaLaunchKernel\t15000\taten::linear\taten::linear\tnn.Module: Linear_0\t\t\tcomm'
	answers 'SELECT step, count(*) FROM kernel GROUP BY 1' '1\t2'
	answers 'SELECT step, typeof(step), ts, dur FROM step' '7\tinteger\t0\t100000'
	answers 'SELECT bytes, gb_s, op FROM copy' '4000\t0.5\t'
}

@test "spans are unions of a device, gaps what is between" {
	answers 'SELECT what, sum(dur) FROM span GROUP BY 1 ORDER BY 1' \
		'busy\t28000\ncomm\t15000\ncompute\t10000\ncopy\t8000\nexposed_comm\t10000\nexposed_copy\t8000\nidle\t20000'
	answers 'SELECT b.name, a.name, g.dur FROM gap g JOIN event b ON b.id = g.before JOIN event a ON a.id = g.after' \
		'ncclDevKernel_AllReduce\tMemcpy HtoD (Pinned -> Device)\t20000'
	answers 'SELECT x.name, y.name, o.dur FROM overlap o JOIN event x ON x.id = a JOIN event y ON y.id = b' 'gemm\tncclDevKernel_AllReduce\t5000'
}

@test "the call tree goes up and down" {
	answers 'SELECT h.name, a.distance FROM kernel k JOIN above a ON a.event = k.call JOIN event h ON h.id = a.host WHERE k.name = "gemm" ORDER BY 2' \
		'cudaLaunchKernel\t0\naten::mm\t1\naten::linear\t2\nnn.Module: Linear_0\t3'
	answers "SELECT count(*) FROM below b JOIN op o ON o.id = b.host WHERE o.name = 'aten::linear'" '2'
	answers "SELECT self, dims, seq FROM op WHERE name = 'aten::linear'" '24750\t[[2,3],[3,4]]\t5'
	answers "SELECT value FROM arg JOIN event e ON e.id = event WHERE key = 'grid'" '[3,2,1]'
	answers 'SELECT count(*) FROM launched_in' '3'
	answers 'SELECT type, count(*) FROM link WHERE type = "launch" GROUP BY 1' 'launch\t3'
	answers 'SELECT links = (SELECT count(*) FROM link) FROM trace' '1'
	answers 'SELECT l.b = e.parent FROM link l JOIN event e ON e.id = l.a WHERE type = "node" AND e.name = "aten::mm"' '1'
}

@test "a sheet is a table, with numbers that are numbers" {
	tl-kcat --sheets kernel_summary "$trace" >kernel_summary.tsv
	tl-sql -q "$trace" 'SELECT count(*), typeof(max(row)) FROM kernel_summary' >answer
	equal "$(sed 1d answer)" "$(printf '%s\tinteger' $(($(wc -l <kernel_summary.tsv) - 1)))"
	equal "$(tl-sql -q "$trace" 'SELECT name FROM ops_summary ORDER BY row LIMIT 2')" "$(tl-ops -q --columns name --rows 2 "$trace")"
	run -2 --separate-stderr tl-sql -q "$trace" 'SELECT 1 FROM nosuch'
	failed 2 'no such table: nosuch'
}

@test "sums over events are those of the sheets" {
	tl-sql -q -o all.db "$trace"
	equal "$(tl-sql all.db 'SELECT round(sum(dur) / 1e6, 6) FROM span WHERE what = "busy"' | sed 1d)" \
		"$(tl-sql all.db "SELECT round(sum(time_ms), 6) FROM gpu_timeline WHERE type = 'busy_time'" | sed 1d)"
	equal "$(tl-sql all.db "SELECT sum(c) FROM (SELECT count(*) c FROM call GROUP BY name)" | sed 1d)" \
		"$(tl-api -q --columns Count "$trace" | awk 'NR > 1 { n += $1 } END { print n }')"
}

@test "a database is the same bytes each time, and others read it" {
	tl-sql -q -o one.db "$small"
	tl-sql -q -o two.db "$small"
	cmp one.db two.db
	equal "$(sqlite3 one.db 'PRAGMA integrity_check; PRAGMA user_version; SELECT count(*) FROM kernel')" $'ok\n1\n2'
	equal "$(tl-sql one.db 'SELECT count(*) AS n FROM kernel')" $'n\n2'
	equal "$(python3 -c 'import sqlite3; print(sqlite3.connect("one.db").execute("select name from kernel order by ts").fetchall())')" \
		"[('gemm',), ('ncclDevKernel_AllReduce',)]"
}

@test "arguments are JSON for readers that know no NaN" {
	cat >odd.json <<-'END'
	{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 1, "ts": 3, "dur": 2,
	"args": {"a": NaN, "b": [1, -Infinity, "NaN \" Infinity"], "c": Infinity}}]}
	END
	equal "$(tl-sql -q odd.json 'SELECT args FROM event' | sed 1d)" '{"a": null, "b": [1,-9e999,"NaN \\" Infinity"], "c": 9e999}'
	equal "$(tl-sql -q odd.json 'SELECT key, type, value > 1e300 AS great FROM arg WHERE key <> "b"')" $'key\ttype\tgreat\na\tnull\t\nc\treal\t1'
}

@test "a database may go to a pipe, and a file may have any name" {
	tl-sql -q --sheets none -o file:one.db "$small"
	equal "$(echo *)" file:one.db
	equal "$(tl-sql file:one.db 'SELECT count(*) FROM kernel' | sed 1d)" 2
	tl-sql -q --sheets none -o - "$small" | cmp - file:one.db
	: >there.db
	chmod 640 there.db
	ln -s there.db link.db
	tl-sql -q --sheets none -o link.db "$small"
	cmp there.db file:one.db
	equal "$(stat -c %a there.db)" 640
	run -1 --separate-stderr tl-sql -q -o new.db no.json
	[ ! -e new.db ]
	equal "$(echo new* file*)" 'new* file:one.db'
}

@test "several traces have their own ids" {
	cp "$small" x_rank3.json
	equal "$(tl-sql -q "$small" x_rank3.json 'SELECT trace, count(*) AS n, min(id) >= (trace - 1) * (1 << 40) AS ok FROM event GROUP BY 1')" \
		$'trace\tn\tok\n1\t10\t1\n2\t10\t1'
	equal "$(tl-sql -q "$small" x_rank3.json 'SELECT e.trace, count(*) AS n, sum(h.trace <> e.trace) AS others FROM above a
		JOIN event e ON e.id = a.event JOIN event h ON h.id = a.host GROUP BY 1')" $'trace\tn\tothers\n1\t14\t0\n2\t14\t0'
	equal "$(tl-sql -q "$small" x_rank3.json "SELECT trace, count(*) AS n FROM link WHERE type = 'node' GROUP BY 1")" $'trace\tn\n1\t6\n2\t6'
	equal "$(tl-sql -q "$small" x_rank3.json 'SELECT rank FROM trace' | sed 1d)" $'\n3'
	equal "$(tl-sql -q "$small" x_rank3.json 'SELECT trace, count(*) AS n FROM ops_summary GROUP BY 1' | wc -l)" 3
}

@test "sheets that are there become a database" {
	tl-report -q -d sheets --sqlite sheets.db "$small"
	equal "$(sqlite3 sheets.db 'SELECT count(*) FROM ops_summary')" $(($(wc -l <sheets/ops_summary.tsv) - 1))
	printf 'name\tvalue\n"a\t1\nb"\t\n"\t2.5\n' >hostile.tsv
	tl-sql --of-sheets hostile.db hostile.tsv
	equal "$(sqlite3 hostile.db 'SELECT count(*), count(value), typeof(max(value)) FROM hostile WHERE name LIKE char(37) || char(34) || char(37)')" '3|2|real'
	printf 'id\trow\ttrace\ttrace 2\na\t7\t8\t9\n' >own.tsv
	tl-sql --of-sheets own.db own.tsv
	equal "$(sqlite3 own.db 'SELECT trace, row, id, row_2, trace_2, trace_2_2 FROM own')" '1|1|a|7|8|9'
	tl-sql -q --sheets ops_summary -o one.db "$small"
	equal "$(sqlite3 one.db 'SELECT count(*) FROM event_row')" 0
	tl-sql -q --sheets none -o none.db "$small"
	equal "$(sqlite3 none.db 'SELECT count(*) FROM event_row')" 10
}

@test "the answer has the forms of sheets, and texts stay texts" {
	equal "$(tl-sql -q --format jsonl "$small" "SELECT '12' AS a, 12 AS b, 1.5 AS c, NULL AS d")" '{"a": "12", "b": 12, "c": 1.5, "d": null}'
	equal "$(tl-sql -q --format json "$small" "SELECT 'a' AS name, 1 AS in_graph, '3' AS count, 2.0 AS in_nelems")" \
		'{"schema": 1, "sheet": null, "trace": "'"$small"'", "columns": ["name", "in_graph", "count", "in_nelems"], "total": 1, "rows": [
{"name": "a", "in_graph": 1, "count": "3", "in_nelems": 2.0}]}'
	echo '-- a comment
	SELECT 1 AS one' >query.sql
	equal "$(tl-sql -q "$small" -f query.sql)" $'one\n1'
	equal "$(tl-sql -q "$small" "$(cat query.sql)")" $'one\n1'
}

@test "sheets are of the part of the trace that the options choose" {
	equal "$(tl-sql -q --device 0 "$small" 'SELECT sum(count) AS n FROM kernel_stats')" $'n\n2'
	run -1 tl-sql -q --device 1 "$small" 'SELECT sum(count) AS n FROM kernel_stats'
	equal "$(tl-sql -q --step-marker '^aten::mm$' "$small" 'SELECT DISTINCT name FROM steps')" $'name\naten::mm'
}

@test "how a query is answered can be asked, and natural joins see arguments" {
	tl-sql -q "$small" 'EXPLAIN QUERY PLAN SELECT name FROM kernel WHERE ts > 3' | grep -q SEARCH
	tl-sql -q "$small" 'explain SELECT 1' | grep -q Halt
	equal "$(tl-sql -q "$small" 'SELECT count(*) AS n FROM op NATURAL JOIN event')" $'n\n2'
}

@test "a query can only read" {
	tl-sql -q --sheets none -o t.db "$small"
	local query
	for query in "WITH x AS (SELECT 1) DELETE FROM work" "SELECT load_extension('x')" "SELECT 1; DROP TABLE work" "SELECT" "SELECT nosuch FROM kernel" \
		"WITH x AS (SELECT 1) INSERT INTO meta SELECT 1, 2" "EXPLAIN ATTACH 'x' AS y" "VALUES (writefile('x', 'y'))"; do
		run -2 --separate-stderr tl-sql t.db "$query"
		failed 2 ''
		run -2 --separate-stderr tl-sql -q "$small" "$query"
		failed 2 ''
	done
	[ ! -e x ]
	run -1 --separate-stderr tl-sql --timeout 1 t.db 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n'
	failed 1 'no answer after 1 s'
}

@test "wrong usage and damaged files are told" {
	run -2 --separate-stderr tl-sql "$small"
	failed 2 'a query, or -o FILE.db'
	run -1 --separate-stderr tl-sql 'SELECT count(*) FROM event' </dev/null
	failed 1 '<stdin>: '
	tl-sql -q --sheets none -o t.db "$small"
	head -c 20000 t.db >cut.db
	run -1 --separate-stderr tl-sql cut.db 'SELECT count(*) FROM event'
	failed 1 ''
	run -2 --separate-stderr tl-sql -q - 'SELECT * FROM ops_summary' <"$small"
	failed 2 'standard input'
	equal "$(tl-sql -q - 'SELECT count(*) FROM kernel' <"$small" | sed 1d)" 2
}

@test "the queries of the manual work, in a file as of a trace" {
	need mandoc
	tl-sql -q -o trace.db "$trace"
	local block n=0
	while IFS= read -r -d '' block; do
		n=$((n + 1))
		tl-sql -q "$trace" "$block" >one
		tl-sql trace.db "$block" >two
		cmp one two
		[ "$(wc -l <one)" -gt 1 ] || echo "$block" >>empty
	done < <("$TL_ROOT/tests/examples-of" "$TL_ROOT/man/tl-sql.5" EXAMPLES)
	[ $n -ge 10 ]
	equal "$(cat empty 2>/dev/null)" ''
}

@test "queries about real traces have the answers worked out from the raw files" {
	local q=$TL_ROOT/../shared/doors/queries of=$TL_ROOT/../shared/traces n=0 sql traces
	[ -d "$q" ] || skip "there is none here"
	for sql in "$q"/*.sql; do
		mapfile -t traces <"${sql%.sql}.trace"
		tl-sql -q -f "$sql" "${traces[@]/#/$of/}" >answer
		cmp answer "${sql%.sql}.expected"
		n=$((n + 1))
	done
	[ $n -gt 0 ]
}
