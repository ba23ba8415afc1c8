#!/usr/bin/env bats
# xlsx.bats - tl-xlsx: sheets become a workbook.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	need unzip
	cd "$BATS_TEST_TMPDIR"
}

# part BOOK NAME: an XML part of a workbook, an element a line
part() {
	unzip -p "$1" "$2" | sed 's/></>\n</g'
}

# The cells of sheet N of a workbook, without styles: A1 s 0, B1 n 5 …
cells() {
	part "$1" "xl/worksheets/sheet${2:-1}.xml" | tr '\n' ' ' | sed 's/<c /\n/g' |
		sed -nE 's/^r="([A-Z]+[0-9]+)"( s="[0-9]+")?( t="([a-z]+)")?> ?<v>([^<]*).*/\1 \4 \5/p' | awk 1
}

# Text of a shared string by index.
text() {
	unzip -p "$1" xl/sharedStrings.xml | sed 's/<si>/\n&/g' | sed -nE 's/^<si><t[^>]*>(.*)<\/t><\/si>.*/\1/p' | sed -n "$(($2 + 1))p"
}

sheet_names() {
	part "$1" xl/workbook.xml | sed -nE 's/^<sheet name="([^"]*)".*/\1/p'
}

# number_is TEXT VALUE: the cell becomes a number
number_is() {
	printf 'a\n%s\n' "$1" | tl-xlsx -o n.xlsx
	equal "$(cells n.xlsx | sed -n 2p)" "A2  $2"
}

# text_is TEXT [STORED]: the cell becomes text
text_is() {
	printf 'a\n%s\n' "$1" | tl-xlsx -o n.xlsx
	equal "$(cells n.xlsx | sed -n 2p)" 'A2 s 1'
	equal "$(text n.xlsx 1)" "${2-$1}"
}

@test "each file becomes a sheet under its name, in the order given" {
	printf 'a\n1\n' | tee gpu_timeline.tsv b.tsv >c.txt
	tl-xlsx -o out.xlsx b.tsv gpu_timeline.tsv 'Top ten=c.txt' ./c.txt
	equal "$(sheet_names out.xlsx | tr '\n' ';')" 'b;gpu_timeline;Top ten;c.txt;'
	unzip -tq out.xlsx
}

@test "standard input becomes a sheet" {
	printf 'a\n1\n' | tl-xlsx >1.xlsx
	printf 'a\n1\n' | tl-xlsx - >2.xlsx
	printf 'a\n1\n' | tl-xlsx x=- >3.xlsx
	cmp 1.xlsx 2.xlsx
	equal "$(sheet_names 1.xlsx) $(sheet_names 3.xlsx)" 'sheet x'
}

@test "cells that are decimal numbers become numbers" {
	number_is 0 0
	number_is -17 -17
	number_is 98.718 98.718
	number_is 1e-05 1E-05
	number_is 1.5e+16 1.5E+16
	number_is 123456789012345 123456789012345
}

@test "other cells become text" {
	text_is 007
	text_is 0x10
	text_is 1,000
	text_is nan
	text_is inf
	text_is 1e999
	text_is ' 5'
	text_is -
	text_is 1.
	text_is .5
	text_is 1234567890123456
	text_is '=1+1'
	text_is "('float', 'Scalar')"
	text_is 'a<b>&"c"' 'a&lt;b&gt;&amp;"c"'
	text_is 'µs 漢字'
}

@test "True and False become booleans, empty cells stay empty" {
	printf 'a\tb\nTrue\tFalse\n\tTRUE\n' | tl-xlsx >out.xlsx
	equal "$(cells out.xlsx | sed -n '3,$p' | tr '\n' ';')" 'A2 b 1;B2 b 0;B3 s 2;'
}

@test "booleans are shown as words by programs that show 1 and 0" {
	printf 'a\nTrue\n' | tl-xlsx >out.xlsx
	like "$(part out.xlsx xl/styles.xml)" 'formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"'
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" '<c r="A2" s="[0-9]+" t="b">'
}

@test "escapes of the TSV are resolved" {
	text_is 'a\tb\\c' 'a	b\c'
}

@test "bytes that are no text become U+FFFD" {
	printf 'a\n\xff \xed\xa0\x80\n' | tl-xlsx >out.xlsx
	equal "$(text out.xlsx 1)" '� ���'
	printf 'a\nx\0y \xef\xbf\xbf \x1b[0m\n' | tl-xlsx >out.xlsx
	equal "$(text out.xlsx 1)" 'x�y � _x001B_[0m'
}

@test "numbers are shown by the kind of their column" {
	printf 'time ms\tPercentage (%%)\tCount\tname\n1.25\t12.5\t1000\tx\n' | tl-xlsx >out.xlsx
	formats=$(part out.xlsx xl/styles.xml)
	for f in '#,##0.000' '#,##0.00' '#,##0'; do
		like "$formats" "formatCode=\"$f\"|numFmtId=\"[34]\""
	done
	# three number cells, three styles, none of them the plain one
	styles=$(part out.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<c r="[ABC]2" s="([0-9]+)".*/\1/p' | sort -u | wc -l)
	equal "$styles" 3
}

@test "numbers with fractions in a column without a unit are rounded, whole ones stay as they are" {
	printf 'check\tvalue\ttime ms\tms_pct\nshapes\t99.85205992509363\t1.25\t3\nsteps\t53321\t1.25\t3\nold\t-0.123456789\t1\t1\ntiny\t1.23456e-7\t1\t1\n' | tl-xlsx >out.xlsx
	styles=$(part out.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<c r="([BC][2-5])"( s="([0-9]+)")?.*/\1 \3/p')
	style() { sed -n "s/^$1 //p" <<<"$styles"; }
	equal "$(style B2)" "$(style C2)" # of a time
	equal "$(style B3)" ''
	equal "$(style B4)" "$(style C2)"
	refute [ "$(style B5)" = "$(style C2)" ]
	equal "$(cells out.xlsx | sed -n 's/^B2 *n* *//p')" 99.85205992509363
}

@test "ranks and devices are shown as ids, bytes as counts, paths of modules whole" {
	long=$(printf 'Module_0/%.0s' $(seq 11))
	printf 'rank\tdevice\tbytes_sum\tmodule\n1\t2000\t3000\t%s\n' "$long" | tl-xlsx >out.xlsx
	equal "$(part out.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<c r="[AB]2" s="([0-9]+)".*/\1/p' | sort -u | wc -l)" 1
	equal "$(part out.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<c r="[AC]2" s="([0-9]+)".*/\1/p' | sort -u | wc -l)" 2
	like "$(part out.xlsx xl/worksheets/sheet1.xml | grep '<col min="4"')" 'width="100'
}

@test "the header is bold, stays in sight and has filters" {
	printf 'a\tb\n1\t2\n3\t4\n' | tl-xlsx >out.xlsx
	sheet=$(part out.xlsx xl/worksheets/sheet1.xml)
	like "$sheet" '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
	like "$sheet" '<autoFilter ref="A1:B3"/>'
	like "$(part out.xlsx xl/styles.xml)" '<b/>'
}

@test "comments tell what columns are, if that is more than a few words; neighbours with one sentence share one" {
	printf '%s\n' $'name\top category\tInput Dims\tInput type\tCompute Spec\toperation_count' $'a\tb\tc\td\te\t1' >headroom.tsv
	tl-xlsx -o out.xlsx headroom.tsv
	equal "$(part out.xlsx xl/comments1.xml | grep -o 'ref="[A-Z]*1"' | xargs)" 'ref=B1 ref=C1 ref=E1'
	like "$(part out.xlsx xl/comments1.xml)" 'The arguments as Python tuples; empty if the operator has none.'
	tl-xlsx -o out.xlsx a=headroom.tsv # nobody knows whether it is the same sheet
	run -0 unzip -l out.xlsx
	unlike "$output" comments
}

@test "a wide sheet keeps its first column in sight" {
	printf 'name\t2\t3\t4\t5\t6\t7\t8\t9\nx\t1\t1\t1\t1\t1\t1\t1\t1\n' | tl-xlsx >out.xlsx
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" 'xSplit="1" ySplit="1"'
	# but not one that would leave little room for the others
	printf 'name\t2\t3\t4\t5\t6\t7\t8\t9\n%050d_\t1\t1\t1\t1\t1\t1\t1\t1\n' 0 | tl-xlsx >out.xlsx
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" '<pane ySplit="1"'
}

@test "columns are as wide as what they hold, within bounds" {
	long=$(printf '%0300d' 0 | tr 0 k)
	printf 'a\tKernel name\tInput Dims\n1\t%s\t%s\n' "$long" "$long" | tl-xlsx >out.xlsx
	widths=$(part out.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<col .*width="([0-9]+).*/\1/p' | tr '\n' ' ')
	equal "$widths" '8 60 40 '
}

@test "shares have bars" {
	printf 'op category\tPercentage (%%)\nx\t60\ny\t40\n' | tl-xlsx >out.xlsx
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" '<conditionalFormatting sqref="B2:B3">'
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" 'dataBar'
}

@test "a wide sheet has its statistics and full arguments folded, with a button behind them" {
	{
		printf 'name\tprocess_name\tInput Dims\tInput type\tConcrete Inputs\toperation_count\tx_us\t'
		printf 'Kernel Time (µs)_mean\tKernel Time (µs)_std\tKernel Time (µs)_sum\tTB/s_mean\tTB/s_median\tkernel_details_summary\n'
		printf 'x\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\n'
	} >wide.tsv
	tl-xlsx -o out.xlsx wide.tsv
	cols=$(part out.xlsx xl/worksheets/sheet1.xml | grep '^<col ')
	folded=$(grep 'hidden="1"' <<<"$cols" | sed -nE 's/.*min="([0-9]+)" max="([0-9]+)".*outlineLevel="1".*/\1-\2/p' | tr '\n' ' ')
	equal "$folded" '2-2 4-4 5-5 9-9 12-12 13-13 '
	equal "$(grep 'collapsed="1"' <<<"$cols" | sed -nE 's/.*min="([0-9]+)".*/\1/p' | tr '\n' ' ')" '3 6 10 14 '
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" '<sheetFormatPr [^>]*outlineLevelCol="1"'
	# the columns and their order stay
	equal "$(cells out.xlsx | grep -c '^[A-M]1 ')" 13
	cut -f 1-12 wide.tsv | tl-xlsx -o out.xlsx
	refute grep -q hidden <(part out.xlsx xl/worksheets/sheet1.xml)
}

# height OF A HEADER ROW with these names
header_height() {
	printf '%s\n' "$1" | tl-xlsx -o h.xlsx
	part h.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<row r="1" .* ht="([0-9.]+)".*/\1/p'
}

@test "headers break between words, and their row is high enough" {
	equal "$(header_height 'time ms')" '' # one line: the height that every row has
	equal "$(header_height $'a\tCumulative Percentage (%)')" 30
	equal "$(header_height 'Short Kernel duration (µs) percent of total time')" 45
	# a column is as wide as its longest word, with room for the filter's button
	width=$(part h.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<col .*width="([0-9]+).*/\1/p')
	[ "$width" -ge $((18 * 95 / 100)) ]
	printf 'total_direct_kernel_time_ms\n1\n' | tl-xlsx -o h.xlsx
	width=$(part h.xlsx xl/worksheets/sheet1.xml | sed -nE 's/^<col .*width="([0-9]+).*/\1/p')
	[ "$width" -ge 28 ]
	# or as its longest number in the column's format
	local name
	for name in 'time ms' TFLOPS/s; do # 123,456,789.500
		printf '%s\n123456789.5\n' "$name" | tl-xlsx -o h.xlsx
		like "$(part h.xlsx xl/worksheets/sheet1.xml)" '<col min="1" max="1" width="16\.7'
	done
}

@test "a page is as wide as the sheet, lies on its side, and begins with the header" {
	printf 'a\tb\n1\t2\n' >x.tsv
	tl-xlsx -o out.xlsx x.tsv
	sheet=$(part out.xlsx xl/worksheets/sheet1.xml)
	like "$sheet" '<pageSetUpPr fitToPage="1"/>'
	like "$sheet" '<pageSetup fitToHeight="0" orientation="landscape"/>'
	like "$(part out.xlsx xl/workbook.xml)" "Print_Titles.*>x!\\\$1:\\\$1<"
}

overview() {
	printf 'section\titem\tvalue\tunit\tsheet\n'
	printf 'headline\tGPU busy\t52.561\t%% of total_time\tgpu_timeline\n'
	printf 'headline\tlargest kernel: k\t7\t%%\tkernel_summary\n'
	printf 'left out\twarning of tl-x\t%s\t\t\n' "$(printf 'word %.0s' $(seq 40))"
	printf 'trace\tfile\t/data/a&b/run 7.json.gz\t\t\n'
	printf 'gpu\tname\tNVIDIA H100\t132 SMs\t\n'
	printf 'job\trank\t3\t\t\njob\tworld size\t8\tranks\t\n'
	printf 'software\tCUDA runtime\t12.40\t\t\n'
	printf "tool\ttl-tools\t0.1.0\t\t\ntool\toptions\t--arch=H100-SXM\t\t\n"
}

@test "the overview links to the sheets that the workbook has, and is the sheet in sight" {
	overview >overview.tsv
	timeline >gpu_timeline.tsv
	tl-xlsx -o out.xlsx overview.tsv gpu_timeline.tsv "it's=gpu_timeline.tsv"
	sheet=$(part out.xlsx xl/worksheets/sheet1.xml)
	equal "$(grep -o '<hyperlink .*' <<<"$sheet")" "<hyperlink ref=\"E2\" location=\"'gpu_timeline'!A1\" display=\"gpu_timeline\"/>"
	like "$sheet" 'tabSelected="1"'
	refute grep -q 'tabSelected' <(part out.xlsx xl/worksheets/sheet2.xml)
	printf 'sheet\nit'"'"'s\n' >overview.tsv
	tl-xlsx -o out.xlsx overview.tsv "it's=gpu_timeline.tsv"
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" "location=\"'it''s'!A1\""
}

# Sheets of tl-findings: a warning, seven findings; two rows of evidence.
findings() {
	local i
	printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\tevidence\twhat_to_do\tid\n' >findings.tsv
	printf '0\thealth\tclocks differ\t\t\ttrace_health: row 6\tRecord again.\thealth-1\n' >>findings.tsv
	for i in {1..7}; do printf '%s\tlow\t%s %s\t2.5\t2.04\tgpu_timeline: row 1\tDo it.\tother-%s\n' $i 'a finding that has many words, so that it does not stand in one line of its column:' $i $i; done >>findings.tsv
	printf 'id\tsheet\trow\tms\nhealth-1\ttrace_health\t6\t\nother-1\tgpu_timeline\t2\t1.0\nother-1\tgpu_timeline\t1\t0.5\n' >finding_evidence.tsv
}

# links BOOK N: the links of a worksheet, a line each
links() {
	part "$1" "xl/worksheets/sheet$2.xml" | sed -nE 's/^<hyperlink ref="([^"]*)" location="([^"]*)" display="([^"]*)".*/\1 \2 \3/p'
}

@test "the overview begins with findings, whose ids lead to their evidence, and that to its rows" {
	overview >overview.tsv
	timeline >gpu_timeline.tsv
	findings
	tl-xlsx -o out.xlsx overview.tsv findings.tsv finding_evidence.tsv gpu_timeline.tsv
	equal "$(sheet_names out.xlsx | tr '\n' ' ')" 'overview findings finding_evidence gpu_timeline '
	said=$(cells out.xlsx | sed -n 's/^[ABD][238] s //p' | while read -r i; do text out.xlsx "$i"; done)
	equal "$(sed -n '1,3p; 5,6p' <<<"$said")" $'recording\nclocks differ\nRecord again.\n1. a finding that has many words, so that it does not stand in one line of its column: 1\nms, 2.0 % of the window: Do it.'
	like "$said" '6. a finding'
	unlike "$said" '7. a finding'
	equal "$(cells out.xlsx | grep -E '^C[23] ')" 'C3  2.5'
	equal "$(links out.xlsx 1)" "E2 'finding_evidence'!A2 health-1"$'\n'"E3 'finding_evidence'!A3 other-1"$'\n'"E9 'gpu_timeline'!A1 gpu_timeline"
	equal "$(links out.xlsx 2)" "H2 'finding_evidence'!A2 health-1"$'\n'"H3 'finding_evidence'!A3 other-1"
	equal "$(links out.xlsx 3)" "B3 'gpu_timeline'!A3 gpu_timeline"$'\n'"B4 'gpu_timeline'!A2 gpu_timeline"
	like "$(part out.xlsx xl/worksheets/sheet2.xml)" '<row r="3" [^>]*ht="30"'
	like "$(part out.xlsx xl/worksheets/sheet1.xml)" '<conditionalFormatting sqref="A2:E18">'
}

@test "where nothing was found, the overview says so first" {
	overview >overview.tsv
	printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\tevidence\twhat_to_do\tid\n1\tnone\tno finding of 1 %%\t0.0\t0.0\tledger: kernels 98.0 %%\t\t\n' >findings.tsv
	tl-xlsx -o out.xlsx overview.tsv findings.tsv
	equal "$(cells out.xlsx | grep '^[A-E]2 ' | cut -d ' ' -f 1 | tr '\n' ' ')" 'A2 B2 D2 '
	equal "$(text out.xlsx "$(cells out.xlsx | sed -n 's/^B2 s //p')")" 'no finding of 1 %'
	equal "$(text out.xlsx "$(cells out.xlsx | sed -n 's/^D2 s //p')")" 'ledger: kernels 98.0 %'
}

@test "the overview has versions as text, numbers beside texts, and long texts in several lines" {
	overview >overview.tsv
	tl-xlsx -o out.xlsx overview.tsv
	equal "$(cells out.xlsx | grep '^C[237] ' | tr '\n' ';')" "C2  52.561;C3  7;C7  3;"
	equal "$(text out.xlsx "$(cells out.xlsx | sed -n 's/^C9 s //p')")" 12.40
	sheet=$(part out.xlsx xl/worksheets/sheet1.xml)
	like "$sheet" '<row r="4" [^>]*ht="45"'
	unlike "$sheet" '<row r="5" [^>]*ht='
	like "$sheet" '<conditionalFormatting sqref="A2:E11">'
	like "$sheet" '<formula>AND\(\$A2&lt;&gt;\$A1,'
}

@test "the properties of the workbook say what trace it is of, and how it was made" {
	overview >overview.tsv
	tl-xlsx -o out.xlsx overview.tsv
	about=$(part out.xlsx docProps/core.xml)
	like "$about" '<dc:title>run 7.json.gz</dc:title>'
	like "$about" '<dc:subject>performance report of a GPU trace, NVIDIA H100, rank 3 of 8</dc:subject>'
	like "$about" '<dc:description>tl-tools 0.1.0; options: --arch=H100-SXM; trace: /data/a&amp;b/run 7.json.gz</dc:description>'
	sed -i 's,run 7,\x01\xff,; s,--arch,'"$(printf '%0400d' 0)"',' overview.tsv
	tl-xlsx -o out.xlsx overview.tsv
	like "$(part out.xlsx docProps/core.xml)" '<dc:title>\?�.json.gz</dc:title>'
	equal "$(part out.xlsx docProps/core.xml | sed -nE 's,^<dc:description>(.*)</dc:description>,\1,p' | tr -d '\n' | wc -m)" 250
	if command -v xmllint >/dev/null; then
		unzip -p out.xlsx docProps/core.xml | xmllint --noout -
	fi
	timeline >gpu_timeline.tsv
	tl-xlsx -o out.xlsx gpu_timeline.tsv
	unlike "$(part out.xlsx docProps/core.xml)" 'dc:title>.'
}

@test "large sheets are written as they come: memory does not grow with their rows" {
	[ -z "${TL_SANITIZED-}" ] || skip "sanitizers take memory of their own"
	{
		printf 'name\tInput Dims\toperation_count\tPercentage (%%)\tflag\n'
		seq 45000 | awk '{ printf "mylib::a_namespace::of_its_own::operator_number_%d\t((%d, 1024), (1024, 7))\t%d\t%.6f\tTrue\n", $1, $1, $1, $1 / 7 }'
	} >big.tsv
	[ "$(stat -c %s big.tsv)" -gt 4000000 ]
	[ "$("$TL_TOOLS/measure" 1 'tl-xlsx -o big.xlsx big.tsv' | cut -f 3)" -lt 20000 ]
	unzip -tq big.xlsx
	equal "$(part big.xlsx xl/worksheets/sheet1.xml | grep -c '<row ')" 45001
	equal "$(unzip -p big.xlsx xl/worksheets/sheet1.xml | sed 's/<row /\n&/g' | tail -n 1 | grep -oE '<(v|t)>[^<]*' | tr '\n' ' ')" \
		'<t>mylib::a_namespace::of_its_own::operator_number_45000 <t>((45000, 1024), (1024, 7)) <v>45000 <v>6428.571429 <v>1 '
	# the same cells as of a sheet in memory
	head -n 40 big.tsv >small.tsv
	head -c 4000000 /dev/zero | tr '\0' x >pad
	{ echo pad; cat pad; echo; } >pad.tsv
	tl-xlsx -q -o large.xlsx small.tsv pad.tsv
	tl-xlsx -o small.xlsx small.tsv
	equal "$(cells large.xlsx | grep -v ' s ')" "$(cells small.xlsx | grep -v ' s ')"
	equal "$(part large.xlsx xl/worksheets/sheet1.xml | grep '^<col')" "$(part small.xlsx xl/worksheets/sheet1.xml | grep '^<col')"
}

timeline() {
	printf 'type\ttime ms\tpercent\ncomputation_time\t3.0\t30.0\nexposed_comm_time\t1.0\t10.0\nexposed_memcpy_time\t0.0\t0.0\nbusy_time\t4.0\t40.0\nidle_time\t6.0\t60.0\ntotal_time\t10.0\t100.0\n'
}

@test "where the time goes is drawn of the ledger, if that is there and of one device: idle time by cause, and what is unrecorded" {
	timeline >gpu_timeline.tsv
	printf 'rank\tdevice\tclass\tcause\ttime_ms\n0\t0\tkernels\t\t3.0\n0\t0\tunrecorded\t\t5.0\n0\t0\tidle\thost busy\t1.0\n0\t0\tidle\tqueued\t1.0\n' >ledger.tsv
	tl-xlsx -o out.xlsx gpu_timeline.tsv ledger.tsv
	equal "$(part out.xlsx xl/charts/chart1.xml | grep -oE 'ledger!\$[A-Z]\$[0-9]+' | sort | tr '\n' ' ')" \
		'ledger!$C$2 ledger!$C$3 ledger!$D$4 ledger!$D$5 ledger!$E$2 ledger!$E$3 ledger!$E$4 ledger!$E$5 '
	equal "$(part out.xlsx xl/drawings/_rels/drawing1.xml.rels | grep -c chart1.xml)" 1 # beside gpu_timeline
	run ! part out.xlsx xl/charts/chart2.xml
	printf '0\t1\tkernels\t\t4.0\n' >>ledger.tsv
	tl-xlsx -o out.xlsx gpu_timeline.tsv ledger.tsv
	like "$(part out.xlsx xl/charts/chart1.xml)" 'gpu_timeline!\$B\$6'
}

@test "the timeline and the largest categories and operators have charts" {
	timeline >gpu_timeline.tsv
	printf 'op category\tCount\ttotal_direct_kernel_time_ms\nGEMM\t2\t3.0\nother\t1\t1.0\n' >ops_summary_by_category.tsv
	printf 'name\ttotal_direct_kernel_time_ms\naten::mm\t3.0\naten::add\t1.0\n' >ops_summary.tsv
	printf 'bin_start\tbin_end\tcount\n0.0\t1.0\t5\n1.0\t2.0\t3\n' >short_kernel_histogram.tsv
	tl-xlsx -o out.xlsx gpu_timeline.tsv ops_summary_by_category.tsv ops_summary.tsv short_kernel_histogram.tsv
	like "$(part out.xlsx xl/charts/chart1.xml)" 'Where the time goes'
	equal "$(part out.xlsx xl/charts/chart1.xml | grep -c '<c:ser>')" 4
	like "$(part out.xlsx xl/charts/chart1.xml)" 'gpu_timeline!\$B\$6'
	like "$(part out.xlsx xl/charts/chart2.xml)" 'ops_summary_by_category!\$C\$2:\$C\$3'
	like "$(part out.xlsx xl/charts/chart3.xml)" 'ops_summary!\$A\$2:\$A\$3'
	like "$(part out.xlsx xl/charts/chart4.xml)" 'short_kernel_histogram!\$C\$2:\$C\$3'
	# three on the timeline, one on the histogram
	like "$(part out.xlsx xl/drawings/_rels/drawing1.xml.rels)" 'chart3.xml'
	like "$(part out.xlsx xl/drawings/_rels/drawing2.xml.rels)" 'chart4.xml'
}

@test "categories of kernels have a chart" {
	printf 'Kernel category\tKernel duration (µs)_sum\nGEMM-CK\t3.0\nReduce\t1.0\n' >kernel_categories.tsv
	tl-xlsx -o out.xlsx kernel_categories.tsv
	like "$(part out.xlsx xl/charts/chart1.xml)" 'kernel_categories!\$B\$2:\$B\$3'
	like "$(part out.xlsx xl/charts/chart1.xml)" '<a:t>µs</a:t>'
}

@test "memory: a curve and the peak of one device, the path as one bar; names of two columns" {
	need python3
	printf '%s\n' $'process\tdevice\ttime_us\tallocated_bytes\treserved_bytes' $'1\tCPU\t1\t9\t0' $'1\tGPU1\t2\t7\t8' \
		$'1\tGPU0\t1\t2\t4' $'1\tGPU0\t3\t1\t4' $'2\tGPU0\t5\t1\t4' >memory_curve.tsv
	printf '%s\n' $'process\tdevice\toperator\tmodule\tblock_count\tbytes' $'1\tCPU\thost\t\t1\t9' $'1\tGPU0\tat\x1ben\tMo\x1bd\t1\t3' >memory_peak.tsv
	printf '%s\n' $'bound\tedges\ttime_ms' $'Python\t2\t7.5' $'sync\t3\t2.5' >path_summary.tsv
	tl-xlsx -o out.xlsx path_summary.tsv memory_curve.tsv memory_peak.tsv
	equal "$(part out.xlsx xl/charts/chart1.xml | grep -o 'path_summary![^<]*' | tr '\n' ' ')" 'path_summary!$A$2 path_summary!$C$2 path_summary!$A$3 path_summary!$C$3 '
	equal "$(part out.xlsx xl/charts/chart2.xml | grep -o 'memory_curve!\$[CDE]\$[^<]*:[^<]*' | tr '\n' ' ')" \
		'memory_curve!$C$4:$C$5 memory_curve!$D$4:$D$5 memory_curve!$C$4:$C$5 memory_curve!$E$4:$E$5 '
	equal "$(part out.xlsx xl/charts/chart3.xml | grep -o 'memory_peak![^<]*' | tr '\n' ' ')" 'memory_peak!$C$3:$D$3 memory_peak!$F$3 '
	printf '%s\n' $'process\tdevice\tstep\tstart_us\tat_start_bytes' $'1\tCPU\ts\t1\t9' $'1\tGPU0\ts\t1\t0' $'1\tGPU0\ts\t2\t2' >memory_steps.tsv
	tl-xlsx -o steps.xlsx memory_curve.tsv memory_steps.tsv
	equal "$(part steps.xlsx xl/charts/chart1.xml | grep -o 'memory_steps!\$[^<]*' | tr '\n' ' ')" 'memory_steps!$D$3:$D$4 memory_steps!$E$3:$E$4 '
	sed -i '/GPU0/d' memory_steps.tsv
	tl-xlsx -o other.xlsx memory_curve.tsv memory_steps.tsv
	refute grep -q memory_steps <(part other.xlsx xl/charts/chart1.xml)
	for i in 1 2 3; do
		part out.xlsx xl/charts/chart$i.xml >chart.xml
		python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("chart.xml")'
	done
	printf '%s\n' $'process\tdevice\ttime_us\tallocated_bytes\treserved_bytes' $'1\tCPU\t1\t9\t0' >memory_curve.tsv
	tl-xlsx -o one.xlsx memory_curve.tsv
	run -0 sh -c 'unzip -l one.xlsx | grep -c charts || :'
	equal "$output" 0
}

@test "control characters in names leave every part of the workbook XML" {
	need python3
	{
		rooflines | sed 's/aten::mm/aten\x1b::mm/; s/matrix_/mat\x1brix_/'
		printf 'a\x1bb\t\t\t\t\t\t\t\n'
	} >unified_perf_summary.tsv
	printf 'name\ttotal_direct_kernel_time_ms\na\x1b\xffb\t3.0\n' >ops_summary.tsv
	printf 'section\titem\tvalue\tunit\tsheet\ntrace\tfile\ta\x1bb\t\t\ntool\ttl-tools\t1\x1b\t\t\n' >overview.tsv
	printf 'Parent\tKernel name\tKernel duration (µs)_sum\na\tk\x1bernel\t3.0\n' >kernel_summary.tsv
	tl-xlsx -o out.xlsx overview.tsv ops_summary.tsv kernel_summary.tsv unified_perf_summary.tsv
	mkdir parts
	unzip -q -d parts out.xlsx
	find parts -name '*.xml' >list
	[ "$(wc -l <list)" -gt 10 ]
	xargs python3 -c 'import sys, xml.dom.minidom
for f in sys.argv[1:]: xml.dom.minidom.parse(f)' <list
}

@test "charts whose columns are missing are left out" {
	printf 'type\tpercent\nx\t1\n' >gpu_timeline.tsv
	printf 'bin_start\tbin_end\tcount\n' >short_kernel_histogram.tsv
	tl-xlsx -o out.xlsx gpu_timeline.tsv short_kernel_histogram.tsv
	run -0 sh -c 'unzip -l out.xlsx | grep -c charts || :'
	equal "$output" 0
}

# A sheet with roofline columns: two units of 500 and 50 TFLOP/s, memory of 1 TB/s
rooflines() {
	printf 'name\tInput Dims\tGFLOPS\tFLOPS/Byte\tCompute Spec\tTFLOPS/s_mean\tRoofline Time (µs)_first\tPct Roofline_mean\n'
	printf 'aten::mm\t((9, 9), (9, 9))\t100.0\t1000.0\tmatrix_bf16\t400.0\t200.0\t80.0\n'
	printf 'aten::x\t\t\t\t\t\t\t\n'
	printf 'aten::mm\t((3, 3), (3, 3))\t10.0\t800.0\tmatrix_fp32\t25.0\t200.0\t50.0\n'
	printf 'aten::add\t\t0.1\t0.5\tvector_fp32\t0.0025\t200.0\t0.5\n'
}

@test "roofline columns give a sheet of the operators and their roofs" {
	rooflines >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	equal "$(sheet_names out.xlsx | tr '\n' ';')" 'unified_perf_summary;roofline_chart;'
	equal "$(cells out.xlsx 2 | grep -v ' s ' | grep '2 ' | tr '\n' ';')" 'B2  2;D2  1000;E2  400;F2  500;G2  80;H2  0.5;I2  0.5;J2  0.5;'
	equal "$(cells out.xlsx 2 | grep -v ' s ' | grep '3 ' | tr '\n' ';')" 'B3  4;D3  800;E3  25;F3  50;G3  50;H3  50;I3  50;J3  50;'
	equal "$(cells out.xlsx 2 | grep -v ' s ' | grep '4 ' | tr '\n' ';')" 'B4  5;D4  0.5;E4  0.0025;F4  0.5;G4  0.5;H4  500;I4  500;J4  50;'
	equal "$(cells out.xlsx 2 | grep '5 ' | tr '\n' ';')" 'H5  1000;I5  500;J5  50;'
	# operators of one name can be told apart, roofs have the unit's name
	texts=$(part out.xlsx xl/sharedStrings.xml)
	for t in 'aten::mm [9,9] [9,9]<' 'aten::mm [3,3] [3,3]<' 'aten::add<' 'unified_perf_summary row' 'roof matrix_bf16' 'roof matrix_fp32'; do
		[[ $texts == *"$t"* ]]
	done
	[[ $texts != *'roof vector_fp32'* ]]
	# what only draws the roofs is folded
	equal "$(part out.xlsx xl/worksheets/sheet2.xml | grep '^<col .*hidden="1"' | sed -nE 's/.*min="([0-9]+)".*/\1/p' | tr '\n' ' ')" '8 9 10 '
}

@test "the roofline chart has operators as points and roofs as lines" {
	rooflines >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	part out.xlsx xl/charts/chart2.xml | tr -d '\n' | sed 's/<c:ser>/\n&/g' >chart
	equal "$(grep -c '<c:ser>' chart)" 3
	like "$(sed -n 2p chart)" 'symbol val="circle".*xVal.*\$D\$2:\$D\$4.*yVal.*\$E\$2:\$E\$4'
	like "$(sed -n 3p chart)" 'roofline_chart!\$I\$1.*symbol val="none".*xVal.*\$H\$2:\$H\$5.*yVal.*\$I\$2:\$I\$5'
	like "$(sed -n 4p chart)" '\$J\$1.*symbol val="none".*\$J\$2:\$J\$5'
	equal "$(grep -o '<c:logBase val="10"/>' chart | wc -l)" 2
	# those of the list are the only ones that there are in the format
	run -1 grep -oE 'symbol val="(long|short)_dash"' chart
	# the percents stand with the operators' rows
	like "$(part out.xlsx xl/charts/chart1.xml)" 'roofline_chart!\$A\$2:\$A\$4'
	# the charts stand below each other: from and to of each, rows from 0
	equal "$(part out.xlsx xl/drawings/drawing1.xml | grep -oE '<xdr:row>[0-9]+' | tr -cd '0-9\n' | xargs)" '1 13 14 42'
	# folded columns are drawn
	unlike "$(cat chart)" '<c:plotVisOnly val="1"/>'
}

# The labels of the points of the roofline chart
labels() {
	part "$1" xl/charts/chart2.xml | grep -oE '<a:t> [^<]*' | cut -c 7-
}

@test "points have the operator and its shape as labels, unless labels would cover each other" {
	rooflines | sed 's/\t25.0\t/\t380.0\t/' >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	equal "$(labels out.xlsx)" 'aten::mm [9,9] [9,9]
aten::add'
	equal "$(part out.xlsx xl/charts/chart2.xml | grep -c '<c:delete val="1"/>')" 1 # near the first one
	sed -i 's/\t800.0\t/\t8.0\t/; s/((9, 9), (9, 9))/((1111, 2222, 3333), (), (4444,), (555, 66666), (7777, 88888))/' unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	equal "$(labels out.xlsx)" 'aten::mm [1111,2222,3333] [4444] [555,66666] …
aten::mm [3,3] [3,3]
aten::add'
	rooflines | sed 's/(3, 3)/(9, 9)/g; s/aten::mm/=1+1/' >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	like "$(part out.xlsx xl/sharedStrings.xml)" '=1\+1 \[9,9\] \[9,9\] #2'
	unlike "$(part out.xlsx xl/charts/chart2.xml)" '<c:f>1'
}

@test "operators without a model stand beside the roofline chart with their time" {
	{
		rooflines | sed -n 1p | sed 's/$/\tKernel Time (µs)_sum\tData Moved (MB)/'
		rooflines | sed -n 2p | sed 's/$/\t6000.0\t1.0/'
		printf 'own::a\t\t\t\t\t\t\t\t1000.0\t\n'
		printf 'own::copy\t\t\t\t\t\t\t\t500.0\t3.0\n'
		for i in $(seq 60); do
			printf 'own::b\t\t\t\t\t\t\t\t%s.0\t\n' 40
		done
		printf 'own::none\t\t\t\t\t\t\t\t\t\n'
		seq 20 | sed 's/.*/own::small&\t\t\t\t\t\t\t\t5.0\t/'
	} >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	# all rows count, not only those that may be points; the largest comes first
	equal "$(cells out.xlsx 2 | grep -E '^K[0-9]+  ' | head -n 3 | cut -d ' ' -f 3 | tr '\n' ' ')" '2.4 1 0.005 '
	equal "$(cells out.xlsx 2 | grep -cE '^K[0-9]+  ')" 15
	equal "$(text out.xlsx "$(cells out.xlsx 2 | sed -n 's/^J2 s //p')")" own::b
	chart=$(part out.xlsx xl/charts/chart3.xml)
	like "$chart" 'Not modelled'
	like "$chart" 'roofline_chart!\$J\$2:\$J\$16'
	like "$(part out.xlsx xl/charts/chart2.xml)" '1 row with 60.0 % of the kernel time, communication left out; not modelled: 35.0 %'
	rooflines >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	unlike "$(part out.xlsx xl/sharedStrings.xml)" 'not modelled'
}

@test "charts say what is in them and what is not" {
	timeline >gpu_timeline.tsv
	printf 'op category\tCount\ttotal_direct_kernel_time_ms\nGEMM\t2\t3.0\n' >ops_summary_by_category.tsv
	overview >overview.tsv
	tl-xlsx -o out.xlsx overview.tsv gpu_timeline.tsv ops_summary_by_category.tsv
	like "$(part out.xlsx xl/charts/chart1.xml)" 'overlap of streams counts once; communication and copies where nothing hides them
see the overview for all warnings and what is left out'
	like "$(part out.xlsx xl/charts/chart2.xml)" 'without communication and work that no call launched'
	# what concerns the timeline itself stands beside it
	sed 's/word word word word/word: 3 events left out of gpu_timeline/' overview.tsv >o.tsv
	tl-xlsx -o out.xlsx overview=o.tsv gpu_timeline.tsv
	like "$(part out.xlsx xl/charts/chart1.xml)" 'hides them
word: 3 events left out of gpu_timeline word.*…
see the overview'
	grep -v 'warning of' overview.tsv >o.tsv
	tl-xlsx -o out.xlsx overview=o.tsv gpu_timeline.tsv
	unlike "$(part out.xlsx xl/charts/chart1.xml)" 'see the overview'
}

@test "one unit, or only what the memory allows, makes one roof" {
	printf 'name\tGFLOPS\tFLOPS/Byte\tTFLOPS/s_mean\tRoofline Time (µs)_first\na\t0.1\t0.5\t0.25\t200.0\nb\t0.1\t0.25\t0.2\t400.0\n' >unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	equal "$(cells out.xlsx 2 | grep -E '^[A-Z]+[23] ' | grep -v ' s ' | tr '\n' ';')" \
		'B2  2;D2  0.5;E2  0.25;F2  0.5;G2  50;H2  0.25;I2  0.25;B3  3;D3  0.25;E3  0.2;F3  0.25;G3  80;H3  0.5;I3  0.5;'
	printf 'c\t0.1\t100.0\t0.25\t20.0\n' >>unified_perf_summary.tsv
	tl-xlsx -o out.xlsx unified_perf_summary.tsv
	like "$(part out.xlsx xl/sharedStrings.xml)" 'roof compute'
	equal "$(cells out.xlsx 2 | grep -E '^[HI][2-9] ' | tr '\n' ';')" 'H2  0.25;I2  0.25;H3  5;I3  5;H4  100;I4  5;'
}

@test "without all roofline columns, or any operator that has them, there is no such sheet" {
	rooflines | cut -f 1-5 >u.tsv
	tl-xlsx -o out.xlsx unified_perf_summary=u.tsv
	equal "$(sheet_names out.xlsx)" unified_perf_summary
	rooflines | sed -n '1p; 3p' >u.tsv
	tl-xlsx -o out.xlsx unified_perf_summary=u.tsv
	equal "$(sheet_names out.xlsx)" unified_perf_summary
}

@test "rates and amounts that are tiny are shown with their digits" {
	printf 'TFLOPS/s_mean\n0.0001\n' | tl-xlsx >out.xlsx
	like "$(part out.xlsx xl/styles.xml)" 'formatCode="\[=0\]0;\[&lt;0.01\]0.00E\+00;#,##0.000"'
}

@test "the same sheets make the same bytes at any time" {
	timeline >gpu_timeline.tsv
	tl-xlsx gpu_timeline.tsv >1.xlsx
	sleep 2.1 # zip archives count in steps of two seconds
	tl-xlsx -o 2.xlsx gpu_timeline.tsv
	cmp 1.xlsx 2.xlsx
	like "$(part 1.xlsx docProps/core.xml)" '1980-01-01T00:00:00Z'
}

@test "SOURCE_DATE_EPOCH sets the creation date" {
	timeline >gpu_timeline.tsv
	SOURCE_DATE_EPOCH=1700000000 tl-xlsx gpu_timeline.tsv >1.xlsx
	like "$(part 1.xlsx docProps/core.xml)" '2023-11-14T22:13:20Z'
	SOURCE_DATE_EPOCH=yesterday run -2 --separate-stderr tl-xlsx -o 2.xlsx gpu_timeline.tsv
	failed 2 yesterday
	[ ! -e 2.xlsx ]
}

# name_refused NAME MESSAGE
name_refused() {
	printf 'a\n1\n' >x.tsv
	run -2 --separate-stderr tl-xlsx -o out.xlsx "$1=x.tsv"
	failed 2 "$2"
	[ ! -e out.xlsx ]
}

@test "names a workbook cannot have are usage errors" {
	name_refused '' 'empty'
	name_refused 12345678901234567890123456789012 '32 characters, a workbook allows 31'
	name_refused 'a:b' 'forbids'
	name_refused 'a[1]' 'forbids'
	name_refused "'a" 'apostrophe'
	name_refused "$(printf 'a\377')" 'no text'
}

@test "31 characters are a name, in any alphabet" {
	printf 'a\n1\n' >x.tsv
	tl-xlsx -o out.xlsx 1234567890123456789012345678901=x.tsv µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ=x.tsv
	unzip -tq out.xlsx
}

@test "a file's name that is too long is cut, with a warning" {
	printf 'a\n1\n' | tee 1234567890123456789012345678901.tsv µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ.tsv >InferenceAttention_fwd_kl_overlap.tsv
	run -0 --separate-stderr tl-xlsx -o out.xlsx 1*.tsv µ*.tsv Inf*.tsv
	equal "$(sheet_names out.xlsx | tr '\n' ';')" '1234567890123456789012345678901;µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ…;InferenceAttention_fwd_kl_over…;'
	like "$stderr" "tl-xlsx: warning: InferenceAttention_fwd_kl_overlap.tsv: the sheet is called 'InferenceAttention_fwd_kl_over…'"
	equal "$(wc -l <<<"$stderr")" 2
	run -0 --separate-stderr tl-xlsx -q -o out.xlsx Inf*.tsv
	equal "$stderr" ''
}

@test "long names that begin alike are numbered" {
	local s
	for s in averages categorized averages_again; do
		printf 'a\n1\n' >trace_analysis_results_gpu_events_$s.tsv
	done
	run -0 --separate-stderr tl-xlsx -o out.xlsx trace_*.tsv
	equal "$(sheet_names out.xlsx | tr '\n' ';')" 'trace_analysis_results_gpu_eve…;trace_analysis_results_gpu_ev…2;trace_analysis_results_gpu_ev…3;'
	like "$stderr" "tl-xlsx: warning: trace_analysis_results_gpu_events_categorized.tsv: the sheet is called 'trace_analysis_results_gpu_ev…3'"
}

@test "two sheets of one name are a usage error" {
	printf 'a\n1\n' >x.tsv
	run -2 --separate-stderr tl-xlsx -o out.xlsx x.tsv X=x.tsv
	failed 2 "two sheets are named 'X'"
	equal "$(echo out.xlsx*)" 'out.xlsx*'
}

@test "a longer cell than a workbook allows is cut, with a warning" {
	{ printf 'a\tb\n'; head -c 40000 /dev/zero | tr '\0' k; printf '\t'; head -c 32767 /dev/zero | tr '\0' l; printf '\n'; } >x.tsv
	run -0 --separate-stderr tl-xlsx -o out.xlsx x.tsv
	equal "$stderr" 'tl-xlsx: warning: x.tsv: 1 cell longer than 32767 characters cut to that'
	equal "$(text out.xlsx 2 | tr -d '\n' | wc -m)" 32767
	like "$(text out.xlsx 2)" 'k…$'
	equal "$(text out.xlsx 3 | tr -d '\n' | wc -m)" 32767
	run -0 --separate-stderr tl-xlsx -q -o out.xlsx x.tsv
	equal "$stderr" ''
}

@test "characters beyond 16 bits count twice" {
	{ printf 'a\n'; for i in $(seq 64); do printf '😀%.0s' $(seq 300); done; printf '\n'; } >x.tsv
	run -0 --separate-stderr tl-xlsx -o out.xlsx x.tsv
	like "$stderr" '1 cell longer'
	equal "$(text out.xlsx 1 | tr -d '\n' | wc -m)" $((16383 + 1))
}

@test "more rows than a workbook allows are an error that names the sheet" {
	[ -z "${TL_SANITIZED-}" ] || skip "slow with sanitizers"
	{ printf 'a\n'; head -n 1048576 <(yes ''); } >big.tsv
	run -1 --separate-stderr tl-xlsx -o out.xlsx big.tsv
	failed 1 "sheet 'big' has more than 1048575 rows"
	[ ! -e out.xlsx ]
}

@test "more columns than a workbook allows are an error that names the sheet" {
	seq 16385 | paste -sd '\t' >big.tsv
	run -1 --separate-stderr tl-xlsx -o out.xlsx big.tsv
	failed 1 "sheet 'big' has 16385 columns"
}

@test "a damaged sheet leaves no workbook and no temporary file" {
	mkdir -p work/tmp
	cd work
	printf 'a\tb\n1\n' >x.tsv
	TMPDIR=$PWD/tmp run -1 --separate-stderr tl-xlsx -o out.xlsx x.tsv
	failed 1 'x.tsv: row 1: 1 field, the header has 2'
	TMPDIR=$PWD/tmp run -1 --separate-stderr tl-xlsx -o out.xlsx none.tsv
	equal "$(ls)$(ls tmp)" "$(printf 'tmp\nx.tsv')"
	timeline >x.tsv
	TMPDIR=$PWD/tmp tl-xlsx -o out.xlsx x.tsv
	equal "$(ls tmp)" ''
}

@test "temporary files that cannot be written whole are an error" {
	{ echo a; seq 20000; } >x.tsv
	mkdir tmp
	for limit in 1 20 100; do
		TMPDIR=$PWD/tmp run -1 --separate-stderr pipe "trap '' XFSZ; ulimit -f $limit; tl-xlsx x.tsv | cat"
		like "$stderr" "^tl-xlsx: error: <stdout>: temporary files in $PWD/tmp: cannot write the workbook: [^[]*$"
		equal "$output$(ls tmp)" ''
	done
	like "$stderr" 'xl/worksheets/sheet1.xml is cut short: no room left, or a limit on file sizes'
}

@test "nothing of a temporary file is left, however the program ends" {
	mkdir tmp
	timeline >x.tsv
	mkfifo in
	TMPDIR=$PWD/tmp tl-xlsx -o new.xlsx in 3>&- &
	pid=$!
	exec 9>in
	while [ -z "$(ls tmp)" ]; do sleep 0.05; done
	kill "$pid"
	exec 9>&-
	wait "$pid" || true
	equal "$(ls tmp)$(compgen -G 'new*' || true)" ''
	TMPDIR=$PWD/none run -1 --separate-stderr tl-xlsx -o out.xlsx x.tsv
	failed 1 'none: cannot make a temporary file: No such file'
}

@test "rows of a sheet with depths are an outline, whose upper rows hold the lower ones" {
	printf '%s\n' $'module\tdepth\tms' $'Net\t0\t9' $'Block\t1\t7' $'Linear\t9\t5' $'Loss\t\t1' >tree.tsv
	tl-xlsx -o tree.xlsx tree.tsv
	unzip -p tree.xlsx xl/worksheets/sheet1.xml >tree.xml
	equal "$(grep -o '<row [^>]*>' tree.xml | sed -n 's/.*outlineLevel="\([0-9]*\)".*/\1/p' | tr '\n' ' ')" '1 7 '
	grep -q '<outlinePr summaryBelow="0"/>' tree.xml
}
