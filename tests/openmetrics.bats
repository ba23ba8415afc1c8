#!/usr/bin/env bats
# openmetrics.bats - tl-openmetrics and --openmetrics: the headline figures of sheets as metrics.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# valid FILE: is it OpenMetrics text? Families in one piece with TYPE first, UNIT at the end of the name, escaped texts, no sample twice.
valid() {
	awk '
		function bad(why) { print FILENAME ":" FNR ": " why ": " $0; failed = 1; exit 1 }
		ended { bad("a line behind # EOF") }
		$0 == "# EOF" { ended = 1; next }
		/^# TYPE / {
			if ($3 !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*$/ || $4 != "gauge" || NF != 4) bad("TYPE")
			if (seen[$3]++) bad("a family twice")
			family = $3
			next
		}
		/^# UNIT / { if ($3 != family || substr($3, length($3) - length($4)) != "_" $4 || NF != 4) bad("UNIT"); next }
		/^# HELP / {
			if ($3 != family) bad("HELP")
			text = $0; gsub(/\\[\\n"]/, "", text); if (text ~ /[\\"]/) bad("an escape")
			next
		}
		{
			rest = $0
			if (!sub(/^[a-zA-Z_:][a-zA-Z0-9_:]*/, "", rest) || substr($0, 1, length($0) - length(rest)) != family) bad("a name")
			if (sub(/^\{/, "", rest)) {
				split("", labels)
				do {
					if (!match(rest, /^[a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\[\\n"])*"/)) bad("a label")
					label = substr(rest, 1, index(rest, "=") - 1)
					if (labels[label]++) bad("a label twice")
					rest = substr(rest, RLENGTH + 1)
				} while (sub(/^,/, "", rest))
				if (!sub(/^\}/, "", rest)) bad("an end of labels")
			}
			if (rest !~ /^ [-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/) bad("a value")
			if (sample[substr($0, 1, length($0) - length(rest))]++) bad("a sample twice")
		}
		END { if (!failed && !ended) { print "no # EOF"; exit 1 } exit failed }' "$1"
	if command -v promtool >/dev/null; then promtool check metrics <"$1"; fi
}

@test "times are seconds, percentages ratios, names and help come from the sheet" {
	printf 'rank\tprocess\tdevice\tclass\tcause\ttime_ms\tPercent of window (%%)\n\t7\t0\tkernels\t\t20.1\t80\n\t7\t0\tidle\t\t\t\n' >ledger.tsv
	run -0 --separate-stderr tl-openmetrics ledger.tsv
	equal "$stderr" ''
	equal "$output" "# TYPE tl_ledger_time_seconds gauge
# UNIT tl_ledger_time_seconds seconds
# HELP tl_ledger_time_seconds $(tl-sheets --describe ledger --format tsv | awk -F'\t' '$3 == "time_ms" { print $NF }')
tl_ledger_time_seconds{process=\"7\",device=\"0\",class=\"kernels\"} 0.0201
# TYPE tl_tools_info gauge
# HELP tl_tools_info The program that made these metrics.
tl_tools_info{version=\"$(cat "$TL_ROOT/VERSION")\"} 1
# EOF"
	echo "$output" >out
	valid out
	equal "$(tl-openmetrics ledger=- <ledger.tsv)" "$output"
	# several programs make a gpu_timeline of these columns: it is not known whose sentences are true
	printf 'type\ttime ms\tpercent\nbusy_time\t20.1\t80.5\n' >gpu_timeline.tsv
	tl-openmetrics gpu_timeline.tsv >out
	valid out
	grep -x '# HELP tl_gpu_timeline_ratio The column percent of the sheet gpu_timeline.' out
	grep -x 'tl_gpu_timeline_ratio{type="busy_time"} 0.805' out
}

@test "labels are escaped; equal rows, other sheets and more than 200 samples are left out" {
	printf 'type\ttime ms\tpercent\na"\\\\b\\nc\t1\t\nx\t2\t\nx\t3\t\n' >gpu_timeline.tsv
	printf 'name\ttotal_direct_kernel_time_sum\taten::mm\n' >ops_summary.tsv
	run -0 --separate-stderr tl-openmetrics gpu_timeline.tsv ops_summary.tsv
	like "$stderr" '1 row is left out: it has the labels of a row above'
	echo "$output" >out
	valid out
	grep -F 'tl_gpu_timeline_time_seconds{type="a\"\\b\nc"} 0.001' out
	grep -F 'tl_gpu_timeline_time_seconds{type="x"} 0.002' out
	refute grep -e mm -e 0.003 out
	{ printf 'type\ttime ms\tpercent\n'; printf 't%d\t1\t\n' {1..202}; } >gpu_timeline.tsv
	run -0 --separate-stderr tl-openmetrics gpu_timeline.tsv
	like "$stderr" '2 samples are left out: there are more than 200'
	equal "$(grep -c '^tl_gpu' <<<"$output")" 200
}

@test "reports write them, of several devices and of ranks, too" {
	gen t.json -n 3000
	tl-report -q -d sheets --openmetrics report.prom t.json
	valid report.prom
	for name in tl_gpu_timeline_time_seconds tl_gpu_timeline_ratio tl_ledger_time_seconds tl_populations_busy_ratio tl_findings_at_stake_seconds; do
		grep "^$name{" report.prom
	done
	refute grep -i 'aten::' report.prom
	equal "$(grep -F 'tl_gpu_timeline_time_seconds{type="busy_time"}' report.prom | cut -d ' ' -f 2)" \
		"$(awk -F'\t' '$1 == "busy_time" { printf "%.10g\n", $2 / 1000 }' sheets/gpu_timeline.tsv)"
	tl-compare -q sheets sheets --names a b --openmetrics none.prom
	valid none.prom
	mkdir job
	cp t.json job/rank0.json
	cp t.json job/rank1.json
	tl-ranks -q --rank_sheets ranks -d out --openmetrics ranks.prom job/rank0.json job/rank1.json
	valid ranks.prom
	grep '^tl_ranks_own_seconds{rank="1"}' ranks.prom
}

@test "what is no sheet, and what cannot be written, is an error; the file stays as it was" {
	echo '{}' >x.tsv
	echo before >out
	run -1 --separate-stderr tl-openmetrics -o out x.tsv
	failed 1 'x.tsv: '
	equal "$(cat out)" before
	printf 'type\ttime ms\na\t1\t2\n' >x.tsv
	run -1 --separate-stderr tl-openmetrics -o out x.tsv
	failed 1 'x.tsv: '
	equal "$(cat out)" before
}
