#!/usr/bin/env bats
# man.bats - the manual pages: clean, complete, and their examples work.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	gen "$BATS_FILE_TMPDIR/trace.json.gz" -n 12000
}

setup() {
	man=$TL_ROOT/${B:-build}/man
	cd "$BATS_TEST_TMPDIR"
}

programs() {
	tl_filters
	echo tl
	echo tl-report
}

@test "every program and format has its page" {
	for p in $(programs); do
		[ -e "$man/$p.1" ]
	done
	[ -e "$man/tl-tools.7" ]
	[ -e "$man/tl-stream.5" ]
}

@test "mandoc has no warning about any page" {
	need mandoc
	# a reference to a page that is not installed is not the page's fault
	mandoc -Tlint -Wwarning "$man"/*.[1-8]
}

@test "the sections of a page are all there and in the agreed order" {
	for p in $(programs); do
		# others may stand between these; options may be part of the description
		order=$(sed -n 's/^\.Sh //p' "$man/$p.1" | grep -xE 'NAME|SYNOPSIS|DESCRIPTION|OUTPUT|EXIT STATUS|EXAMPLES|SEE ALSO' | tr '\n' ';')
		equal "$p: $order" "$p: NAME;SYNOPSIS;DESCRIPTION;OUTPUT;EXIT STATUS;EXAMPLES;SEE ALSO;"
	done
}

# Options as --help lists them, one a line: -o, --output
options_of_help() {
	"$1" --help | sed -nE 's/^ +((-[^ -]), )?--([A-Za-z0-9_-]+).*/\2 --\3/p; s/^ +(-[^ -])( .*)?$/\1/p' | tr ' ' '\n' | grep . | sort -u
}
# Options as the page's lists tag them.
options_of_page() {
	awk '/^\.Sh EXAMPLES/ { exit } /^\.It Fl / { for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' "$man/$1.1" | sort -u
}

# Pages that describe options of a program besides its own.
further_pages() {
	case $1 in
	tl-sheets) sheet_filters ;;
	tl-report) echo tl-sheets; sheet_filters ;;
	*) if sheet_filters | grep -qx "$1"; then echo tl-sheets; fi ;;
	esac
}
sheet_filters() {
	find "$TL_BIN" -lname tl-sheets | sed 's,.*/,,' | sort
}

@test "every option in --help is in a page, and the other way round" {
	for p in $(programs); do
		echo "$p"
		options_of_help "$p" >help
		options_of_page "$p" >page
		equal "$(comm -13 help page)" ''
		for further in $(further_pages "$p"); do
			options_of_page "$further" >>page
		done
		equal "$(sort -u page | comm -23 help -)" ''
	done
}

@test "every sheet has its entry in the page of its filter" {
	tl-sheets --list-sheets | tail -n +2 >list
	[ -s list ]
	while IFS=$'\t' read -r sheet filter _; do
		echo "$sheet"
		heading=${sheet%_kl_overlap}
		case $filter/$heading in
		*/ops_unique_args) heading=$sheet ;;
		tl-roofline/unified_perf_summary | tl-roofline/headroom | tl-roofline/mfu | tl-roofline/hot_kernels) ;;
		tl-roofline/*) heading='Sheets of families' ;;
		tl-ranks/* | tl-multi/*)
			grep -xE "\.(Ss|It) (.*, )?$sheet( ?,.*)?" "$man/$filter.1"
			continue
			;;
		esac
		grep -x -e "\.Ss $heading" "$man/$filter.1"
	done <list
}

@test "every column of PyTorch's report has its entry in the page of its filter, and its row in the table of columns" {
	tl-sheets -q -d sheets --enable_kernel_summary --kernel_category --short_kernel_study --include_overlap_info --inference_phase_analysis \
		--api_summary --memcpy_by_size --critical_path --host --stacks --series --range_summary --ops_by_step --ops_by_module --arch H100-SXM "$BATS_FILE_TMPDIR/trace.json.gz"
	"$TL_TOOLS/test_columns" sheets/*.tsv
	tl-sheets --list-sheets | while IFS=$'\t' read -r sheet filter _; do
		[ -s "sheets/$sheet.tsv" ] || continue
		[ -e "$filter" ] || sed -n '/^\.It In /d; s/\\(mc/µ/g; s/\\&//g; /^\.It /p' "$man/$filter.1" >"$filter" # In is a macro
		# parameters of models are in their tables; statistics stand behind the name of what they are of
		awk -F'\t' -v sheet="$sheet" '
			NR == FNR { page = page $0 "\n"; next }
			{
				for (i = 1; i <= NF; i++) {
					sub(/_(sum|mean|std|median|min|max|count|first)$/, "", $i)
					if ($i !~ /^param: / && !index(page, $i)) print sheet ": " $i
				}
				exit
			}' "$filter" "sheets/$sheet.tsv"
		rm "sheets/$sheet.tsv" # sheets of other reports have the same names
	done >missing
	equal "$(cat missing; ls sheets)" ''
}

@test "the purpose in --help is the one in the page" {
	for p in $(programs); do
		equal "$p: $("$p" --help | sed -n '2,$ { /^ /!{ p; q; }; }')" "$p: $(sed -n 's/^\.Nd //p' "$man/$p.1")"
	done
}

# run_examples PAGE: the blocks of its examples, one after another in one folder
run_examples() {
	local block n=0
	mkdir "${1##*/}"
	cd "${1##*/}"
	cp "$BATS_FILE_TMPDIR/trace.json.gz" .
	mkdir captures
	cp trace.json.gz captures
	cp trace.json.gz before.json.gz
	cp trace.json.gz after.json.gz
	cp trace.json.gz rank0.json.gz
	cp trace.json.gz rank1.json.gz
	mkdir -p job/a job/b
	echo '1:{ 2:"/device:GPU:0" }' | "$TL_TOOLS/protobuf" | tee job/a/tw000.xplane.pb >job/b/tw001.xplane.pb
	cp job/a/tw000.xplane.pb trace.xplane.pb
	echo NODE_RANK=0 >job/tw000.log
	while IFS= read -r -d '' block; do
		n=$((n + 1))
		printf '%s:\n%s' "${1##*/}" "$block"
		bash -e -c "$block" >../out 2>../err </dev/null || { cat ../err; return 1; }
		refute grep 'error: ' ../err
	done < <("$TL_ROOT/tests/examples-of" "$1" EXAMPLES)
	[ $n -gt 0 ]
	cd ..
}

@test "the examples of every page work" {
	need mandoc
	for p in $(programs); do
		run_examples "$man/$p.1"
	done
}

@test "the examples of the overview and of the page about many ranks work" {
	need mandoc
	run_examples "$man/tl-tools.7"
	run_examples "$man/tl-scale.7"
}

@test "an example that chooses a column by number says which one it is" {
	need mandoc
	cp "$BATS_FILE_TMPDIR/trace.json.gz" .
	tl-timeline trace.json.gz | tl-csv -o gpu_timeline.csv
	local page
	for page in "$man"/*.[1-8]; do
		equal "$("$TL_ROOT/tests/unnamed-columns" "$page")" ''
	done
	# and notices a wrong number
	cat >wrong.1 <<-'END'
		.Dd November 22, 2026
		.Dt WRONG 1
		.Os
		.Sh NAME
		.Nm wrong
		.Nd wrong
		.Sh EXAMPLES
		The name and TFLOPS/s_mean:
		.Dl tl-roofline -q trace.json.gz | cut -f 1,11 | head
		.Pp
		The uid:
		.Bd -literal
		tl-kcat --sheets kernels --columns category,dur_ns trace.json.gz |
		    awk '{ print $1, $3 }'
		.Ed
		.Pp
		The duration of kernels:
		.Dl tl-parse trace.json.gz | tl-view --kind kernel | awk '{ print $4, $5 }'
	END
	run -0 "$TL_ROOT/tests/unnamed-columns" wrong.1
	equal "${#lines[@]}" 3
	like "${lines[0]}" 'column 11, "operation_count", is not named'
	like "${lines[1]}" 'awk .* column 3, "", is not named'
	like "${lines[2]}" 'column 4, "start uid", is not named'
}

@test "every page another page refers to is there" {
	for page in $(sed -nE 's/^\.Xr (tl[a-z-]*) ([1-8]).*/\1.\2/p' "$man"/*.[1-8] | sort -u); do
		[ -e "$man/$page" ]
	done
}

@test "the overview lists every filter" {
	for p in $(programs); do
		echo "$p"
		grep -q "^\.It Xr $p " "$man/tl-tools.7"
	done
}

@test "no table and no command of a page is wider than 80 columns" {
	need mandoc col
	local page
	# what cannot be broken: a line of a table of operators, a name, a branch of a tree
	for page in "$TL_ROOT"/man/*.[1-9]; do
		mandoc -Tutf8 -O width=80 "$page" | col -bx | grep -E '^.{81}' | grep -vE '^ +op mylib::|^ +“execute_|│' || true
	done >wide
	equal "$(cat wide)" ''
}
