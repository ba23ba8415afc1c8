#!/usr/bin/env bats
# csv.bats - tl-csv: TSV to CSV and back.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# converts INPUT-TEXT EXPECTED-TEXT [OPTION...]: printf formats both
converts() {
	local in=$1 out=$2
	shift 2
	printf "$in" >in
	printf "$out" >expected
	tl-csv "$@" in >out || return 1
	cmp expected out || { cat out >&2; return 1; }
}

@test "plain cells are separated by commas" {
	converts 'a\tb c\n1\t-2.5e-05\n\t\n' 'a,b c\n1,-2.5e-05\n,\n'
}

@test "a cell is quoted if it holds a comma, a double quote or a line end" {
	converts 'a\tb\nx,y\tsay "hi"\n1\\n2\t3\\r4\n  x\t'"'y'"'\n' 'a,b\n"x,y","say ""hi"""\n"1\n2","3\r4"\n  x,'"'y'"'\n'
}

@test "tabs and backslashes come out of their escapes" {
	converts 'a\nx\\ty\\\\z\n' 'a\nx\ty\\z\n'
}

@test "the only cell of a row is quoted when it is empty" {
	converts 'a\n\nb\n' 'a\n""\nb\n'
}

@test "CSV becomes TSV" {
	converts 'a,b\n1,"x, ""y"""\n"2\n3","\t\\"\n,\n' 'a\tb\n1\tx, "y"\n2\\n3\t\\t\\\\\n\t\n' -r
}

@test "CSV may have CR LF line ends, a byte order mark and no last line end" {
	converts '\xef\xbb\xbfa,b\r\n"q",2\r\n3,4' 'a\tb\nq\t2\n3\t4\n' --reverse
}

@test "blanks of a CSV cell are kept" {
	converts ' a ,b\n x ,"  y "\n' ' a \tb\n x \t  y \n' -r
}

@test "TSV to CSV and back gives the same bytes" {
	printf 'a\tb, "c"\n\\t\\n\\r\\\\\t"\n\t\n , \t\\r\nµ\t\xf0\x9f\x98\x80\n\\n\\r\t\\r\\n\n' >1.tsv
	tl-csv 1.tsv >1.csv
	tl-csv -r 1.csv >2.tsv
	cmp 1.tsv 2.tsv
	tl-csv <2.tsv >2.csv
	cmp 1.csv 2.csv
	printf 'a\n\nx\n\n' | tl-csv | tl-csv -r >3.tsv
	printf 'a\n\nx\n\n' | cmp - 3.tsv
}

@test "NUL and other bytes pass through" {
	converts 'a\tb\n\0\t\xff\xfe\n' 'a,b\n\0,\xff\xfe\n'
	converts 'a,b\nx\0y,\x01\n' 'a\tb\nx\0y\t\x01\n' -r
}

@test "several files go to a folder under their names" {
	printf 'a\n1\n' >x.tsv
	printf 'b\n2\n' >y.tsv
	run -0 --separate-stderr tl-csv -d new/folder x.tsv y.tsv
	equal "$output$stderr" ''
	equal "$(cat new/folder/x.csv new/folder/y.csv)" "$(printf 'a\n1\nb\n2')"
	tl-csv -r -d back new/folder/*.csv
	cmp x.tsv back/x.tsv
	cmp y.tsv back/y.tsv
}

@test "two files of one name in a folder are refused before anything is written" {
	mkdir p q
	printf 'a\n1\n' | tee p/x.tsv >q/x.tsv
	run -2 --separate-stderr tl-csv -d out p/x.tsv q/x.tsv
	failed 2 'both become out/x.csv'
	[ ! -e out ]
}

@test "operands that do not fit are usage errors" {
	run -2 --separate-stderr tl-csv a b
	failed 2 'one file expected, 2 given'
	run -2 --separate-stderr tl-csv -d out
	failed 2 'at least one file'
	run -2 --separate-stderr tl-csv -d out -o x a
	failed 2 'exclude'
	run -2 --separate-stderr tl-csv -d out -
	failed 2 'name'
}

@test "a folder that is a file is an error" {
	printf 'a\n1\n' | tee x.tsv >out
	run -1 --separate-stderr tl-csv -d out x.tsv
	failed 1 'out: cannot make the folder'
}

# refuses INPUT-TEXT MESSAGE [OPTION...]
refuses() {
	local in=$1 message=$2
	shift 2
	printf "$in" >in
	run -1 --separate-stderr tl-csv "$@" in
	failed 1 "in: $message"
}

@test "a row with too few or too many cells is an error that names it" {
	refuses 'a\tb\n1\t2\n3\n' 'row 2: 1 field, the header has 2'
	refuses 'a\n1\t2\n' 'row 1: 2 fields, the header has 1'
	refuses 'a,b\n1,2\n3\n' 'row 2: 1 field, the header has 2' -r
	refuses 'a\n1,2\n' 'row 1: 2 fields, the header has 1' -r
}

@test "TSV that is cut short or no TSV is an error" {
	refuses 'a\n1' 'row 1: no line end'
	refuses 'a\r\n1\r\n' 'row 0: raw carriage return'
	refuses 'a\n1\\x\n' 'row 1: field 1: unknown escape'
	refuses 'a\n1\\' 'row 1: no line end'
	refuses 'a\n1\\\n' 'row 1: field 1: unknown escape'
}

@test "a file of CSV is not taken for a sheet" {
	printf 'a,b\n1,2\n' >s.csv
	run -1 --separate-stderr tl-csv s.csv
	failed 1 's.csv: this is CSV; expected a sheet as TSV, which tl-csv --reverse makes of it'
	equal "$(tl-csv -r s.csv | tl-csv)" $'a,b\n1,2'
}

@test "CSV with a misplaced double quote is an error with its place" {
	refuses 'a,b\n"q"x,2\n' 'byte 7: row 1: misplaced or missing double quote' -r
	refuses 'a,b\nq"x,2\n' 'byte 5: row 1: misplaced or missing double quote' -r
	refuses 'a,b\n"q,2\n' 'byte 9: row 1: misplaced or missing double quote' -r
}

@test "memory does not grow with the number of rows" {
	awk 'BEGIN { print "name\tvalue"; for (i = 0; i < 400000; i++) print "a name of some length, as they are\t" i }' >big.tsv
	[ "$(wc -c <big.tsv)" -gt 15000000 ]
	[ -z "${TL_SANITIZED-}" ] || skip "sanitizers take memory of their own"
	(ulimit -v 30000; tl-csv big.tsv >big.csv)
	(ulimit -v 30000; tl-csv -r big.csv | cmp - big.tsv)
}

@test "output that cannot be written is an error that names it, not the input" {
	printf 'a,b\n1,2\n' >in.csv
	{ echo a; seq 100000; } >in.tsv
	run -1 --separate-stderr tl-csv -o /dev/full in.tsv
	equal "$stderr" 'tl-csv: error: /dev/full: cannot write: No space left on device'
	run -1 --separate-stderr tl-csv -r -o /dev/full in.csv
	equal "$stderr" 'tl-csv: error: /dev/full: cannot write: No space left on device'
}

@test "--spreadsheet-safe puts a quote before texts that a spreadsheet would run, not before numbers" {
	converts '=a\t-b\n=1+1\t-2.5e-05\n+x\t-3\n@sum(a)\t-x\n\\tq\t\\rq\na=b\t-\n=a,b\t\n' \
		"'=a,'-b\n'=1+1,-2.5e-05\n'+x,-3\n'@sum(a),'-x\n'\tq,\"'\rq\"\na=b,'-\n\"'=a,b\",\n" --spreadsheet-safe
	converts 'a\n=1\n' 'a\n=1\n'
	run -2 --separate-stderr tl-csv -r --spreadsheet-safe in
	failed 2 'CSV that is written'
}

@test "reports write safe CSV, too" {
	printf '[{"ph":"X","cat":"cpu_op","name":"=cmd()","pid":1,"tid":1,"ts":0,"dur":9},{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":5,"args":{"correlation":1,"stream":7,"device":0}}]' >t.json
	tl-report -q --output_csvs_dir plain t.json
	tl-report -q --spreadsheet-safe --output_csvs_dir safe t.json
	equal "$(cut -d , -f 1 plain/ops_summary.csv | paste -sd ' ')" 'name =cmd()'
	equal "$(cut -d , -f 1 safe/ops_summary.csv | paste -sd ' ')" "name '=cmd()"
	tl-report -q -d a t.json
	tl-compare -q --spreadsheet-safe --output_csvs_dir both a a --names x y
	grep -rq "'=cmd()" both
	run -2 --separate-stderr tl-report --spreadsheet-safe t.json
	failed 2 'output_csvs_dir'
}
