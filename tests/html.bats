#!/usr/bin/env bats
# html.bats - tl-html: sheets become a page. What the page does is tested in Chromium, if that is
# here: tests/page/drive.js uses a page, once for all tests, and says what it shows.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# A sheet whose names try to be more than text.
hostile_sheet() {
	printf 'name\tn\n'
	printf '%s\t1\n' '</script><script>window.hacked=1</script>'
	printf '%s\t2\n' '<img src=x onerror="window.hacked=1"><!--'
	printf '%s\t3\n' '"quotes" \\ '"'single'"' &amp; `${1}`'
	printf 'bell \a escape \e[31m nul \0 end \\r delete \x7f\t4\n'
	printf 'line \xe2\x80\xa8 paragraph \xe2\x80\xa9 right \xe2\x80\xae to left, malformed \xff\t5\n'
	printf '%65536s\t6\n' '' | tr ' ' y
}

# Sheets of tl-findings: a warning, eight findings, rules that were not asked.
findings_sheets() {
	local i
	printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\tconfidence\teffort\tevidence\twhat_to_do\talso\tid\n' >findings.tsv
	printf '0\thealth\tclocks differ\t\t\thigh\tsetting\ttrace_health: row 6\tRecord again.\t\thealth-1\n' >>findings.tsv
	printf '1\thigh\twaits <b title="x">for</b> 1 ms\t62.5\t50.0\thigh\tsetting\ttable: rows 1, 3\tLoad ahead.\tanother one\tloader-1\n' >>findings.tsv
	for i in {2..8}; do printf '%s\tlow\tfinding %s\t2.5\t2.0\tlow\tlines\tledger: row 1\tDo %s.\t\tother-%s\n' $i $i $i $i; done >>findings.tsv
	printf 'id\tsheet\trow\tUID\tstart_us\tms\nloader-1\ttable\t3\t\t\t2.0\nloader-1\ttable\t1\t\t\t1.0\nhealth-1\ttrace_health\t6\t\t\t\n' >finding_evidence.tsv
	printf 'rule\twhy\nfirst\tno graphs\nsecond\tno shapes\nthird\tno graphs\n' >findings_unasked.tsv
	printf 'class\tcause\ttime_ms\tPercent of window (%%)\nkernels\t\t50\t80\nidle\thost busy\t50\t80\nidle\tqueued\t12.5\t20\nunrecorded\t\t12.5\t20\n' >ledger.tsv
}

# on_page FILE [OPTION]…: Chromium's document after a minute of the page's time
on_page() {
	local file=$1
	shift
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
		--user-data-dir="$BATS_FILE_TMPDIR/profile" --allow-file-access-from-files --disable-web-security \
		--virtual-time-budget=60000 --enable-logging=stderr "$@" --dump-dom "file://$file" 2>"$BATS_FILE_TMPDIR/log"
}

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen --events 3000 >trace.json
	tl-report -q --arch H100-SXM --html report.html --tsv-dir sheets trace.json
	printf 'name\tn\ttime_us\nalpha\t10\t1.6\nbeta\t2\t2500.25\ngamma\t9\t3\n' >table.tsv
	{ printf 'name\tn\n'; seq 50000 | awk '{ print "row " $1 "\t" $1 * 3 % 50000 }'; } >large.tsv
	hostile_sheet >hostile.tsv
	printf 'step\tname\tphase\tconfidence\tprefill_tokens\tdecode_tokens\tstart_us\tduration_us\tgpu_busy_us\tgpu_idle_us\tkernel_count\ttop_category\n' >steps.tsv
	printf '%s\t%s\n' 0 $'first\tDecode\t0.9\t\t32\t0\t900\t700\t100\t7\tGEMM' \
		1 $'second\tPrefill\t1.0\t2048\t\t1000\t5000\t4500\t300\t9\tAttention' 2 $'third\t\t\t\t\t7000\t10\t0\t0\t0\t' >>steps.tsv
	printf '%s\n' $'device\ttype\ttime ms\tpercent' $'0\tcomputation_time\t6.0\t60' $'0\tidle_time\t4\t40' \
		$'1\tcomputation_time\t9\t90' $'1\tidle_time\t1\t10' >gpu_timeline_by_device.tsv
	printf '%s\n' $'rank\tprocess\tdevice\tcause\thost_name\tframe\tidle_ms\twhere' $'\t1\t0\tunrecorded\t\t\t9\tbetween' \
		$'\t1\t1\thost busy\taten::mm\ta/b.py(10): load\t2\thead' >idle_summary.tsv
	findings_sheets
	printf '%s\n' $'module\tdepth\tms' $'Net_0\t0\t9' $'Block × 2\t1\t7' $'Linear × 3\t2\t5' $'Norm\t2\t1' $'Loss_0\t1\t1' >tree.tsv
	sheets=(gpu_timeline_by_device.tsv idle_summary.tsv sheets/{overview,gpu_timeline,ops_summary,unified_perf_summary}.tsv steps.tsv table.tsv large.tsv hostile.tsv
		findings.tsv finding_evidence.tsv findings_unasked.tsv ledger.tsv tree.tsv)
	tl-html -o page.html "${sheets[@]}"
	printf '%s\n' "${sheets[@]}" >list
	command -v chromium >/dev/null || return 0
	cp "$BATS_TEST_DIRNAME"/page/drive.* .
	local try
	for try in 1 2 3; do # on a busy machine Chromium may end too early
		on_page "$PWD/drive.html" | sed -n '/<pre id="out">/,/<\/pre>/{s/.*<pre id="out">//; s/<\/pre>.*//; p}' |
			sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >said
		if grep -q ^finished said; then break; fi
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# shows NAME TEXT: what drive.js said
shows() {
	need chromium
	equal "$(sed -n "s/^$1: //p" said)" "$2"
}

# The rows of sheet N in a page, as JSON.
rows_of() {
	sed -n "/id=\"sheet-$2\">/,/<\/script>/{s/.*id=\"sheet-$2\">//; s/<\/script>//; p}" "$1"
}

# Checksum of the text between two marks of a page, as a policy has it.
checksum() {
	awk -v from="$2" -v to="$3" 'BEGIN { RS = "\001" } { i = index($0, from) + length(from); t = substr($0, i); printf "%s", substr(t, 1, index(t, to) - 1) }' "$1" |
		sha256sum | cut -d ' ' -f 1 | tr a-f A-F | basenc --base16 -d | base64
}

# ---- the file ---------------------------------------------------------------------

# bats test_tags=quick
@test "each file becomes a table under its name, in the order given, with its fields as they are" {
	printf 'a\tb\nx\\ty\t1.50\n\t007\na long text\t1234567890.25\na long text\tanother one\n' >one.tsv
	tl-html -o out.html table.tsv 'An other=one.tsv'
	equal "$(rows_of out.html 1)" $'{"rows":[\n["x\\u0009y","1.50"],\n["","007"],\n[1,"1234567890.25"],\n[1,2]],\n"texts":["",\n"a long text",\n"another one"]}'
	equal "$(sed -n '/id="index"/,$p' out.html | grep -oE '^      "name": "[^"]*"|"rows": [0-9]+' | tr '\n' ' ')" \
		'      "name": "table" "rows": 3       "name": "An other" "rows": 4 '
	tl-html <table.tsv >stdin.html
	like "$(grep -A 4 'id="index"' stdin.html)" '"name": "sheet"'
}

@test "the same sheets make the same bytes, and a page is one file that names no other" {
	xargs tl-html -o again.html <list
	cmp page.html again.html
	equal "$(grep -oE '<(script|link|img|iframe|object|embed)[^>]* (src|href|data)=[^ >]*' page.html | grep -v 'href="data:,"')" ''
	equal "$(sed -n '/<style>/,/<\/style>/p' page.html | grep -ciE '@import|url\(')" 0
}

@test "the policy names the page's own style and script, and allows nothing else" {
	local policy style script
	policy=$(grep -oE 'Content-Security-Policy" content="[^"]*"' page.html)
	style=$(checksum page.html '<style>' '</style>')
	script=$(checksum page.html $'</script>\n<script>' '</script>')
	equal "$policy" "Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-$style'; script-src 'sha256-$script'; img-src data:; base-uri 'none'; form-action 'none'\""
}

@test "no name of a trace is markup in the page" {
	local n
	n=$(grep -o '<script' page.html | wc -l)
	equal "$(grep -o '</script' page.html | wc -l)" "$n"
	equal "$n" 18 # sixteen sheets, the index, the script
	equal "$(rows_of page.html 9 | sed -n 9,11p)" "$(printf '%s\n' \
		'"\u003c/script>\u003cscript>window.hacked=1\u003c/script>",' \
		'"\u003cimg src=x onerror=\"window.hacked=1\">\u003c!--",' \
		'"\"quotes\" \\ '"'single'"' &amp; `${1}`",')"
	equal "$(grep -c '<img' page.html)" 0
}

@test "a page without Chart.js has no charts and says so" {
	"$TL_ROOT/scripts/make-page" head tail "$TL_ROOT/lib/report/page" ''
	equal "$(grep -c 'Chart.js v' tail)" 0
	like "$(cat tail)" 'built without Chart.js'
}

@test "memory does not grow with the rows" {
	[ -z "${TL_SANITIZED-}" ] || skip "sanitizers take memory of their own"
	awk 'BEGIN { print "name\tn"; for (i = 0; i < 400000; i++) print "a name of some length, which is repeated\t12345.678" }' >long.tsv
	[ "$("$TL_TOOLS/measure" 1 'tl-html -o long.html long.tsv' | cut -f 3)" -lt 12000 ]
}

@test "what cannot be a page is an error, and no file is left" {
	rm -f bad.html
	printf 'a\tb\n1\n' >short.tsv
	run -1 --separate-stderr tl-html -o bad.html table.tsv short.tsv
	failed 1 'short.tsv: row 1'
	run -2 --separate-stderr tl-html -o bad.html table.tsv table=large.tsv
	failed 2 "two sheets are named 'table'"
	run -1 --separate-stderr tl-html -o bad.html table.tsv nowhere.tsv
	failed 1 'nowhere.tsv'
	run -1 --separate-stderr tl-html -o table.tsv table.tsv
	failed 1 'the output is the input'
	[ ! -e bad.html ]
}

@test "tl-report writes a page, and with it no workbook beside the trace" {
	mkdir alone
	cp trace.json alone
	tl-report -q --html alone/report.html alone/trace.json
	equal "$(cd alone && echo *)" 'report.html trace.json'
	tl-report -q --html alone/report.html -o alone/report.xlsx alone/trace.json
	[ -s alone/report.xlsx ]
	run -1 --separate-stderr tl-report --html trace.json trace.json
	failed 1 'trace.json: the output is the input'
}

@test "a sheet that several programs make is of the one that makes most of the others" {
	for s in gpu_timeline gpu_busy kernel_summary kernel_summary_by_category; do
		printf 'type\ttime ms\n' >$s.tsv
	done
	tl-html -o most.html gpu_timeline.tsv gpu_busy.tsv kernel_summary.tsv kernel_summary_by_category.tsv
	equal "$(grep -c '"filter": "tl-rocprof"' most.html)" 4
	tl-html -o one.html gpu_timeline.tsv idle_gaps=gpu_busy.tsv
	equal "$(grep -c '"filter": "tl-timeline"' one.html)" 2
}

# ---- in a browser -------------------------------------------------------------------

@test "browser: the summary has cards and charts, which are painted" {
	shows finished 'without an error'
	shows title trace.json
	need chromium
	shows 'cards of the first and the last row differ by one at most in each row' true
	like "$(grep ^cards: said)" 'span of the trace\|kernels\|steps\|GPU busy\|.*\|largest operator'
	[ -n "$(make -s --no-print-directory -C "$TL_ROOT" print-CHART_JS)" ] || skip "Chart.js is not here"
	shows charts 'Where the time goes|Where the time of each device goes|Idle time by what the host did|Steps|Kernel time of the largest operators|Largest operators: percent of roofline|Largest operators against the roof|Not modelled: in no roofline'
	shows 'charts painted' true
	# of the ledger, as the sentence above the findings, not of gpu_timeline
	shows 'alternative of the first chart' 'Where the time goes: kernels 50.00 ms, 40.0 %; idle 62.50 ms, 50.0 %; unrecorded 12.50 ms, 10.0 %'
}

@test "browser: findings stand above all else, six at most, with their evidence and what could not be asked" {
	need chromium
	shows 'first of the summary' 'What to do first'
	shows 'time of the window' 'The recorded time: kernels 44.4 %, idle 55.6 %; unrecorded: 10.0 % of the whole time'
	shows 'health' 'clocks differ Record again.trace_health: row 6confidence: higheffort: setting'
	shows 'findings' 'waits <b title="x">for</b> 1 ms|finding 2|finding 3|finding 4|finding 5|finding 6'
	shows 'first finding' '62.50 ms 50.00 %|Load ahead.|table: rows 1, 3|another one'
	shows 'its bar' '50%'
	shows 'shares stand above their bars' true
	shows 'all findings' '#sheet=findings all 8 findings'
	shows 'not asked' 'Could not be asked: 3 rules|no graphs: first, third|no shapes: second'
	shows 'evidence' 'table alpha|gamma 2 of 3 rows (Reset: all)'
	shows 'address of evidence' '#sheet=table&rows=2,0'
	shows 'evidence of a reset' 'alpha|beta|gamma'
	shows 'from a finding' '#sheet=finding_evidence&f.id==loader-1'
	shows 'from the evidence' '#sheet=table&rows=2'
}

@test "browser: where nothing was found, that stands there, and what could not be asked is open" {
	need chromium
	printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\tconfidence\teffort\tevidence\twhat_to_do\talso\tid\n' >none.tsv
	printf '1\tnone\tno finding of 1 %% or more\t0.0\t0.0\t\t\tledger: kernels 98.0 %%\t\t\t\n' >>none.tsv
	tl-html -o none.html findings=none.tsv findings_unasked.tsv
	on_page "$PWD/none.html" >dom
	like "$(cat dom)" '<li class="none"><div class="says"><h3>no finding of 1 % or more</h3><p class="small">ledger: kernels 98.0 %</p></div></li></ol><details class="unasked" open="">'
}

@test "browser: memory, its peak and categories, the path, times of steps" {
	need chromium
	[ -n "$(make -s --no-print-directory -C "$TL_ROOT" print-CHART_JS)" ] || skip "Chart.js is not here"
	printf '%s\n' $'process\tdevice\ttime_us\tallocated_bytes\treserved_bytes' $'1\tCPU\t1\t900\t0' $'1\tGPU0\t1000\t2000\t4000' $'1\tGPU0\t3000\t1000\t4000' >memory_curve.tsv
	printf '%s\n' $'process\tdevice\tstep\tstart_us' $'1\tGPU0\ta\t1500' $'1\tGPU0\t(no step)\t' >memory_steps.tsv
	printf '%s\n' $'process\tdevice\toperator\tmodule\tbytes\tPercentage (%)' $'1\tCPU\thost\t\t9000\t100' $'1\tGPU0\taten::mm\tnn.Module: Linear_0\t3000\t75' \
		$'1\tGPU0\t(before the trace)\t\t1000\t25' >memory_peak.tsv
	printf '%s\n' $'time_us\tparameter_bytes\tinput_bytes\tactivation_bytes\tallocated_bytes' $'0\t10\t0\t5\t15' $'7\t10\t0\t0\t10' >memory_categories.tsv
	printf '%s\n' $'bound\tedges\ttime_ms\tPercentage (%)' $'host idle\t2\t7.5\t75' $'Python\t3\t2.5\t25' >path_summary.tsv
	printf '%s\n' $'step\tperiod_ms\tmark\tbusy_ms\tidle_ms' $'0\t30\tfirst\t1\t2' $'1\t10\t\t1\t2' $'2\t20\tslow\t1\t2' >step_times.tsv
	tl-html -o memory.html path_summary.tsv step_times.tsv memory_{curve,steps,peak,categories}.tsv
	on_page "$PWD/memory.html" | grep -oE '<p>[^<]*</p>|aria-label="[^"]*"' >dom
	equal "$(grep 'aria-label=".*: ' dom)" 'aria-label="What the critical path consists of: Python 2.500 ms, 25.0 %; host idle 7.500 ms, 75.0 %"
aria-label="Steps of the program: 1 step, 1 slow step, 1 first step"
aria-label="Memory over time: most allocated bytes 2.000 kB; most reserved bytes 4.000 kB"
aria-label="Memory over time by what it is for: most parameter bytes 10 B; most activation bytes 5 B"
aria-label="What filled the memory at its peak: aten::mm, nn.Module: Linear_0 3.000 kB  75.0 %; (before the trace) 1.000 kB  25.0 %"'
	like "$(cat dom)" 'of PyTorch.s allocator; of GPU0, others in the table; broken lines: steps begin'
	head -n 2 step_times.tsv >one.tsv
	tl-html -o one.html step_times=one.tsv
	on_page "$PWD/one.html" >dom
	refute grep -q '<figure' dom
}

@test "browser: charts have tooltips, and a click opens the sheet" {
	need chromium
	[ -n "$(make -s --no-print-directory -C "$TL_ROOT" print-CHART_JS)" ] || skip "Chart.js is not here"
	shows 'tip of a part' 'kernels: 50.00 ms, 40.0 %'
	shows 'tip of idle time' 'host busy, aten::mm, load, head, device 1|2 ms'
	shows 'tip of a device' 'device 1|idle_time: 1 ms, 10.0 %'
	like "$(grep '^tip of an operator' said)" ': [a-zA-Z:_]+\|[0-9.]+ ms  [0-9.]+ %$'
	like "$(grep '^tip of a point' said)" '\|[0-9.]+ TFLOP/s at [0-9.]+ FLOP/byte\|[0-9.]+ % of the roof, [0-9.]+ TFLOP/s \([a-z0-9_]+\)\|kernel time [0-9.]+ [mµ]?s, [0-9,]+ calls?, '
	shows 'labels of steps' 'Prefill|Decode|no phase|GPU idle'
	shows 'tip of a step' 'step 1  second|Prefill, confidence 1.0|2,048 prefill tokens|GPU busy 4.500 ms, idle 300 µs|starts at 1.000 ms, takes 5.000 ms|9 kernels, most of it Attention'
	like "$(grep '^share of' said)" 'together [0-9.]+ %'
	like "$(grep '^click' said)" 'ops_summary 1 of [0-9]+ rows'
}

@test "a sheet with depths is a tree, whose parts close" {
	shows tree '0 ▾Net_0|1 ▾Block × 2|2 Linear × 3|2 Norm|1 Loss_0'
	shows 'a part closed' '0 ▾Net_0|1 ▸Block × 2|1 Loss_0, 3 of 5 rows'
	shows 'all of it closed' '0 ▸Net_0'
	shows 'opened again' '0 ▾Net_0|1 ▸Block × 2|1 Loss_0'
	shows 'a tree that is searched' 'Linear × 3 0'
}

@test "browser: paper has the first 500 rows, and charts in its colours; themes change" {
	shows 'rows on paper' '500, 50,000 rows; the first 500 are printed'
	shows 'rows after it' true
	shows 'charts on paper' true
	shows theme 'dark rgb(18, 22, 29)'
	shows 'charts in the dark' true
}

@test "browser: a table sorts by numbers and texts, and back" {
	shows rows 'alpha|beta|gamma'
	shows columns 'name|n|time_us'
	shows 'numbers have units' '0.002 ms|2.500 ms|0.003 ms'
	shows 'sorted by number' 'alpha|gamma|beta'
	shows direction descending
	shows 'sorted the other way' 'beta|gamma|alpha'
	shows "sheet's order again" 'alpha|beta|gamma'
	shows 'sorted by text' 'alpha|beta|gamma'
}

@test "browser: filters, search, and an address that says what is shown" {
	shows 'number filter' 'alpha|gamma (2 of 3 rows)'
	shows 'range filter' 'beta|gamma'
	shows 'filter in the unit shown' 'beta'
	shows 'wrong filter is marked' true
	shows 'text filter' 'alpha|gamma'
	shows search gamma
	shows address '#sheet=table&q=gamma+9'
}

@test "browser: columns can be hidden, and what is shown exported" {
	shows 'columns left' 'name|time_us'
	shows csv '"name,time_us\nalpha,1.6\nbeta,2500.25\ngamma,3\n"'
	shows 'columns again' 3
}

@test "browser: keys choose a row, open and close its details, and search" {
	shows chosen 1
	shows details 'beta|2'
	shows 'details follow' 'Row 3 of 3'
	shows 'details closed' true
	shows focus search
}

@test "browser: of 50,000 rows only those in sight are elements" {
	shows large '50,000 rows, few elements: true'
	shows 'last row' 'row 50000'
	shows 'large filtered' 'row 7 21'
}

@test "browser: hostile names are text" {
	need chromium
	shows 'elements from texts' 0
	shows 'scripts ran' undefined
	shows 'long name whole' 65536
	equal "$(sed -n 's/^hostile names: //p' said)" "$(printf '%s' \
		'["</script><script>window.hacked=1</script>",' \
		'"<img src=x onerror=\"window.hacked=1\"><!--",' \
		'"\"quotes\" \\ '"'single'"' &amp; `${1}`",' \
		'"bell ⟨U+0007⟩ escape ⟨U+001B⟩[31m nul ⟨U+0000⟩ end ⟨U+000D⟩ delete ⟨U+007F⟩",' \
		'"line ⟨U+2028⟩ paragraph ⟨U+2029⟩ right ⟨U+202E⟩ to left, malformed �",' \
		'"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…yyyyyyyyyyyyyyyyyyy"]')"
}

@test "browser: the report of a hostile trace shows its names as text" {
	need chromium
	local long name='<b title=\"x\" onclick=alert(1)>bold</b></script><script>alert(2)</script>' file='<i>"'"quoted'&amp;.json"
	long=$(printf '%65536s' '' | tr ' ' z)
	op "$name" 0 10
	call 1 2 1
	gpu 1 "</style>\\u001b[31m$name\\u2028\\u0000" 20 50
	op "$long" 100 10
	call 2 102 1
	gpu 2 "$long" 120 40
	trace "$file"
	tl-report -q --enable_kernel_summary --html hostile.html "$file"
	on_page "$PWD/hostile.html" >dom
	equal "$(grep CONSOLE log)" ''
	equal "$(grep -o '<h1 id="title"[^>]*>.*</h1>' dom | sed 's/.*">//')" '&lt;i&gt;"quoted'"'"'&amp;amp;.json</h1>'
	equal "$(grep -c 'aria-label="Time of the largest kernels: [^"]*&lt;/style&gt;⟨U+001B⟩\[31m' dom)" 1
	on_page "$PWD/hostile.html#sheet=ops_summary" >dom
	equal "$(grep CONSOLE log)" ''
	equal "$(sed '/^<script>/,$d' dom | grep -o '<td class="[a-z ]*first"[^>]*>&lt;b title="x" onclick=' | wc -l)" 1
	equal "$(sed '/^<script>/,$d' dom | grep -cE '<b title|<i>')" 0
}

@test "browser: what is wrong in a job stands first on its page" {
	need chromium
	{
		printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\tconfidence\teffort\tevidence\twhat_to_do\talso\tid\n'
		printf '1\thigh\tRank 3 is slow\t5\t10\thigh\tlines\tranks_communication: row 1\tLook.\t\tslow-rank-1\n'
		printf '0\thealth\trank 2 lacks one\t\t\t\t\t\t\t\tx\n0\tjob\t4 ranks of 4\t\t\t\t\t\t\t\ty\n'
	} >ranks_overview.tsv
	printf 'cause\tname\trank\tloss_ms\tslow_in\nrank\trank 3\t3\t7\tcomputation\nrank\trank 0\t0\t1\twaiting\n' >ranks_causes.tsv
	tl-html -q -o job.html ranks_overview.tsv ranks_causes.tsv
	equal "$(grep -c '<title>GPU report</title>' job.html)" 1
	on_page "$PWD/job.html" >dom
	like "$(cat dom)" '<title>GPU job report</title>.*<h1 id="title">GPU job report</h1>'
	like "$(cat dom)" '<h2>What to do first</h2><p>4 ranks of 4</p>.*<b>rank 2 lacks one</b>.*<h3>Rank 3 is slow</h3>'
	like "$(cat dom)" 'aria-label="What the job loses: rank 3, computation 7'
}

@test "browser: cells of rank and step are a picture, which says where the most is" {
	need chromium
	{
		printf 'step\trank\texcess_ms\n'
		for rank in 0 1 9 10; do
			printf '%s\t%s\t%s\n' 7 $rank -1 8 $rank $((rank == 9 ? 5 : 1))
		done
	} >ranks_steps.tsv
	tl-html -q -o heat.html ranks_steps.tsv
	on_page "$PWD/heat.html" >dom
	like "$(cat dom)" 'aria-label="Which rank was slow in which step: the most: step 8, rank 9: 5.*ms"'
	# nothing is above the median: no picture
	sed -i 's/[15]$/0/' ranks_steps.tsv
	tl-html -q -o heat.html ranks_steps.tsv
	on_page "$PWD/heat.html" >dom
	equal "$(grep -c 'aria-label="Which' dom)" 0
}

@test "browser: the policy forbids other scripts, styles, pictures and connections" {
	shows 'policy forbids' 'connect-src|img-src|script-src|style-src'
	shows 'foreign script ran' undefined
}

@test "browser: the console has nothing but what the policy forbade" {
	need chromium
	equal "$(grep CONSOLE log | grep -v 'Content Security Policy')" ''
	on_page "$PWD/report.html" >dom
	equal "$(grep CONSOLE log)" ''
	like "$(cat dom)" '<title>trace.json – GPU trace report</title>'
}

@test "browser: the page of a job has bandwidths, slow groups apart, and ranks lead to their pages" {
	need chromium
	[ -n "$(make -s --no-print-directory -C "$TL_ROOT" print-CHART_JS)" ] || skip "Chart.js is not here"
	mkdir job
	printf 'rank\trule\tevidence\ttitle\tseverity\tid\n1\tslow-link\tranks_causes: row 1\tGroup dp1 is slow\thigh\tx\n' >ranks_overview.tsv
	printf 'cause\tname\trank\tProcess Group Name\tloss_ms\ngroup\tgroup dp1\t\tdp1\t3\nrank\trank 11\t11\t\t2\n' >ranks_causes.tsv
	printf 'Process Group Name\tCollective name\twait_ms\ntp0\tallreduce\t2\ndp1\tallreduce\t1\n' >ranks_stragglers.tsv
	printf 'Process Group Name\tCollective name\tmessage_mib\tbus_gbps\texpected_gbps\tslow_by_pct\n' >ranks_bandwidth.tsv
	printf 'dp1\tallreduce\t128\t65\t130\t50\ndp1\tbroadcast\t128\t130\t130\t0\ndp0\tallreduce\t128\t130\t65\t-100\n' >>ranks_bandwidth.tsv
	printf 'rank\tcaused_wait_ms\twait_ms\n11\t5\t0\n1\t1\t4\n2\t0\t0\n' >ranks_communication.tsv
	printf 'rank\tsteps_slowest\n1\t3\n' >ranks_summary.tsv
	touch job/rank1.html job/rank22.html job/rankx.html
	tl-html -o job/job.html ranks_*.tsv
	on_page "$PWD/job/job.html" >dom
	like "$(grep -o 'aria-label="Bandwidth[^"]*"' dom)" ': 3 rows; slow: dp1, allreduce, 128 MiB: 65 GB/s, others alike 130 GB/s, slower by 50\.00 %"$'
	equal "$(grep -o '<section class="box ranks">.*</table>' dom | sed 's/.*<tbody>//; s/<tr>/\n/g; s/<td[^>]*>/|/g; s/<\/\?t[a-z]*>//g')" '
|11|5 ms|0 ms|2 ms|
|<a href="rank1.html">1</a>|1 ms|4 ms||3
|2|0 ms|0 ms||'
	equal "$(sed -n '/"rankPages"/,/\]/p' job/job.html | grep -o '"rank[0-9x]*.html"' | xargs)" 'rank1.html rank22.html'
	tl-html ranks_communication.tsv | grep -A 1 '"rankPages"' >pages
	refute grep -q 'html"' pages
}
