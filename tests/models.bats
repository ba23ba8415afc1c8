#!/usr/bin/env bats
# models.bats - tables of operators and models: what a user adds, and mistakes;
# lists by tl-models.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# run_op NAME ARGS: one operator with a kernel of 10 µs, as t.json
run_op() {
	op "$1" 100 20 "$2"
	call 1 101 2
	gpu 1 some_kernel 150 10
	trace t.json
}

lists() { # DIMS TYPES CONCRETE
	printf '"Input Dims":%s,"Input type":%s,"Input Strides":%s,"Concrete Inputs":%s' "$1" "$2" "$1" "$3"
}

@test "a new attention variant is one line" {
	run_op mylib::flash "$(lists '[[],[1,2,8,4],[1,2,8,4],[1,2,8,4],[],[]]' '["","float","float","float","",""]' '["","","","","","True"]')"
	echo 'op mylib::flash sdpa q=1 k=2 v=3 layout="BHND" causal=lit(con(5)) types=slice(typ(),1,3)' >mine.tsv
	tl-roofline --ops mine.tsv --sheet SDPA_fwd t.json >s.tsv
	# two products of 2*8*8*4 for each of two heads, halved by the mask
	equal "$(cell s.tsv GFLOPS_first 1)" 1.024e-06
	equal "$(cell s.tsv 'param: causal' 1)" True
	equal "$(cell s.tsv 'Compute Spec' 1)" matrix_fp32
	tl-roofline --ops mine.tsv t.json >u.tsv
	equal "$(cell u.tsv 'op category' 1)" SDPA_fwd
}

@test "an attention on tensors of another layout, and one that there is not" {
	run_op mylib::flash "$(lists '[[1,2,8,4],[1,2,16,4],[1,2,16,4]]' '["float","float","float"]' '["","",""]')"
	while read -r layout length heads gflops; do
		echo "op mylib::flash sdpa q=0 k=1 v=2 $layout" >mine.tsv
		tl-roofline --ops mine.tsv --sheet SDPA_fwd t.json >s.tsv
		equal "$(cell s.tsv 'param: N_Q' 1) $(cell s.tsv 'param: H_Q' 1) $(cell s.tsv GFLOPS_first 1)" "$length $heads $gflops"
	done <<-'END'
		layout="BHND" 8 2 4.096e-06
		layout="BNHD" 2 8 5.12e-07
	END
	for layout in BHSD bhnd BNHDx ''; do
		echo "op mylib::flash sdpa q=0 k=1 v=2 layout=\"$layout\"" >mine.tsv
		run -0 --separate-stderr tl-roofline --ops mine.tsv t.json
		like "$stderr" 'mylib::flash: no metrics for 1 event: '
		printf '%s\n' "$output" >u.tsv
		equal "$(cell u.tsv GFLOPS 1)" ''
	done
}

@test "a matrix product of a private library is one line" {
	run_op mylib::gemm4 "$(lists '[[2,32],[3,32]]' '["unsigned char","unsigned char"]' '["",""]')"
	echo 'op mylib::gemm4 gemm A=0 B=1 transB=True packed=2 bA=0.5 bB=0.5 bO=2 precision="fp4"' >mine.tsv
	tl-roofline --ops mine.tsv --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv GFLOPS_first 1)" 7.68e-07
	equal "$(cell g.tsv 'param: K' 1)" 64
	equal "$(cell g.tsv 'Compute Spec' 1)" matrix_fp4
}

@test "an operator that only needs a category is one line" {
	run_op mylib::shuffle "$(lists '[[2]]' '["float"]' '[""]')"
	echo 'category mylib::shuffle Permute' >mine.tsv
	tl-roofline --ops mine.tsv t.json >u.tsv
	equal "$(cell u.tsv 'op category' 1)" Permute
	equal "$(cell u.tsv has_perf_model 1)" False
}

@test "a model with a formula of its own makes a sheet of its own" {
	run_op mylib::square "$(lists '[[3,4]]' '["float"]' '[""]')"
	cat >mine.tsv <<-'END'
		# squares
		model square
		  # source: x * x
		  category MyFamily_fwd
		  slot X
		  let n=prod(shp(X)); b=bpe(typ(X))
		  flops n
		  bytes 2*n*b
		  spec vector prec(typ(X))
		  param elements=n; twice=2*n if n > 100
		op mylib::square square X=0
	END
	run -0 --separate-stderr tl-roofline --ops mine.tsv -d out t.json
	equal "$output" 'out/unified_perf_summary.tsv
out/headroom.tsv
out/MyFamily_fwd.tsv'
	equal "$(head -n 1 out/MyFamily_fwd.tsv | cut -f 1-3)" 'name	param: elements	GFLOPS_first'
	equal "$(cell out/MyFamily_fwd.tsv GFLOPS_first 1)" 1.2e-08
	run -0 tl-models --ops mine.tsv models
	like "$output" 'square	MyFamily_fwd		x \* x'
}

@test "a later table takes the place of an earlier one, operator by operator" {
	run_op aten::mm "$(lists '[[2,4],[4,3]]' '["float","float"]' '["",""]')"
	echo 'op aten::mm gemm A=0 B=1 bO=100' >one.tsv
	echo 'op aten::mm gemm A=0 B=1 bO=2' >two.tsv
	tl-roofline --ops one.tsv --ops two.tsv --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv 'Data Moved (MB)_first' 1)" 8.7738037109375e-05
	tl-roofline --ops two.tsv --ops one.tsv --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv 'Data Moved (MB)_first' 1)" 0.00064849853515625
}

@test "a model may read the annotation of the step" {
	event '{"ph":"X","cat":"user_annotation","name":"step[DECODE bs=3 g_sq=3 g_sqsq=3 g_sqsk=30 g_sk=30]","pid":1,"tid":1,"ts":50,"dur":900}'
	run_op mylib::paged "$(lists '[[3,8,4],[3,2,4]]' '["c10::BFloat16","c10::BFloat16"]' '["",""]')"
	echo 'op mylib::paged paged_attention q=0 k=1 annotation=step' >mine.tsv
	tl-roofline --ops mine.tsv --sheet InferenceAttention_fwd t.json >i.tsv
	equal "$(cell i.tsv 'param: g_sqsk' 1)" 30
	equal "$(cell i.tsv GFLOPS_first 1)" 3.84e-06
	sed -i s/annotation=step// mine.tsv
	run -0 --separate-stderr tl-roofline --ops mine.tsv t.json
	like "$stderr" 'mylib::paged: no metrics for 1 event: the model needs annotation != None'
}

@test "a mistake names file, line, column and what was expected" {
	while IFS='|' read -r line message; do
		printf '# one\n%s\n' "$line" >bad.tsv
		run --separate-stderr tl-models --ops bad.tsv ops
		failed 1 "bad.tsv:2:$message"
	done <<-'END'
		op mylib::x|12: expected the name of a model
		op mylib::x nosuch|13: no model "nosuch"
		op mylib::x gemm A=0 B=1 tO=lookup("typs","f")|29: no map "typs" before this place
		op mylib::x gemm A=0|13: slot "B" of model "gemm" must be set
		op mylib::x all_reduce x=1|24: model "all_reduce" has no slot "x"; its slots are X
		op mylib::x gemm A=0 A=1 B=2|22: slot "A" is set twice
		op mylib::x gemm A=0 B=dim(1)|24: dim takes 2 to 3 arguments, not 1
		op mylib::x gemm A=0 B=(1|26: expected "," or "\)", found the end of the line
		something|1: expected op, prefix, model
		map bytes|10: expected a key
		op mylib::x "gemm|13: the name of a model without its closing quote
		op mylib::x gemm A=0 B=1 category=|35: expected a category after category=
		op mylib::x gemm A=0 B=1 category=X category=Y|37: "category" is set twice
		model sdpa like=gemm|7: model "sdpa" does not fit an operator of an earlier table: ops:
	END
}

@test "tables are refused that are not text or do not exist" {
	printf 'op a\0b gemm\n' >bad.tsv
	run --separate-stderr tl-models --ops bad.tsv ops
	failed 1 'bad.tsv: a table is text'
	run --separate-stderr tl-models --ops nosuch.tsv ops
	failed 1 'nosuch.tsv'
}

@test "tl-ops takes categories from the same tables" {
	run_op mylib::shuffle "$(lists '[[2]]' '["float"]' '[""]')"
	echo 'category mylib::shuffle Permute' >mine.tsv
	tl-ops --ops mine.tsv --sheet ops_summary_by_category t.json >c.tsv
	equal "$(cell c.tsv 'op category' 1)" Permute
}

@test "an operator that a prefix line finds has its category everywhere" {
	run_op mylib::gemm_17 "$(lists '[[2,4],[4,3]]' '["float","float"]' '["",""]')"
	categories() { # of t.json's operator with the tables given
		tl-roofline "$@" t.json >u.tsv
		tl-ops "$@" --sheet ops_summary_by_category t.json >c.tsv
		tl-kcat "$@" --sheet kernel_summary t.json >k.tsv
		printf '%s %s %s ' "$(cell u.tsv 'op category' 1)" "$(cell c.tsv 'op category' 1)" "$(cell k.tsv 'Parent op category' 1)"
		tl-models "$@" explain mylib::gemm_17 t.json | sed -n 's/^category: //p'
	}
	equal "$(categories)" 'other other other other'
	echo 'prefix mylib::gemm_ gemm A=0 B=1' >model.tsv
	equal "$(categories --ops model.tsv)" 'GEMM GEMM GEMM GEMM'
	equal "$(tl-models --ops model.tsv ops | grep mylib)" 'mylib::gemm_*	GEMM		gemm'
	echo 'prefix mylib::gemm_ gemm A=0 B=1 category=Mine' >own.tsv
	equal "$(categories --ops own.tsv)" 'Mine Mine Mine Mine'
	# a category line is about one name, a category-prefix line about what nothing else names
	echo 'category mylib::gemm_17 Special' >one.tsv
	equal "$(categories --ops one.tsv --ops own.tsv)" 'Special Special Special Special'
	echo 'category-prefix mylib::gemm Many' >many.tsv
	equal "$(categories --ops many.tsv)" 'Many Many Many Many'
	equal "$(categories --ops own.tsv --ops many.tsv)" 'Mine Mine Mine Mine'
}

@test "explain tells the category of a category line" {
	run_op aten::mm "$(lists '[[2,4],[4,3]]' '["float","float"]' '["",""]')"
	echo 'category aten::mm Mine' >mine.tsv
	run -0 tl-models --ops mine.tsv explain aten::mm t.json
	like "$output" 'category: Mine'
	tl-roofline --ops mine.tsv t.json >u.tsv
	equal "$(cell u.tsv 'op category' 1)" Mine
}

@test "a sheet that there is not: the message names all there are" {
	for i in $(seq 100); do
		printf 'model m%s\n\tcategory MyFamily_%s\n\tflops 1\nop mylib::x%s m%s\n' "$i" "$i" "$i" "$i"
	done >mine.tsv
	run -2 --separate-stderr tl-roofline --ops mine.tsv --sheet nosuch
	failed 2 "'nosuch' is not one of unified_perf_summary, .*, MyFamily_100_fwd, MyFamily_100_bwd
try "
	run -2 --separate-stderr tl-ops --sheet nosuch
	failed 2 'ops_unique_args_kl_overlap, .*launchers'
}

@test "the name of a family is one of files and sheets" {
	run_op mylib::x "$(lists '[[3,4]]' '["float"]' '[""]')"
	mkdir in
	while IFS='|' read -r name message; do
		printf 'model m\n\tcategory %s\n\tflops 1\nop mylib::x m\n' "$name" >bad.tsv
		run --separate-stderr tl-roofline --ops bad.tsv -d in/out t.json
		failed 1 "bad.tsv:2:$message"
	done <<-'END'
		../up|11: expected a sheet family of 1 to 27 characters that begins with a letter
		a/b|12: expected a sheet family of letters, digits
		unified_perf_summary|11: expected another sheet family: unified_perf_summary is a sheet of its own
		gemm|11: expected another sheet family: "gemm" is "GEMM" but for upper and lower case
	END
	equal "$(find . ! -name 'separate-stderr-*' '(' -name '*up*' -o -path './in/*' ')')" ''
}

@test "sheets of the longest name of a family go into a workbook" {
	run_op mylib::x "$(lists '[[3,4]]' '["float"]' '[""]')"
	name=abcdefghijklmnopqrstuvwxyz1
	printf 'model m\n\tfamily %s\n\tflops 1\nop mylib::x m\nop mylib::y m row=moved\n' "$name" >mine.tsv
	tl-roofline --ops mine.tsv -d out t.json
	cp out/${name}_fwd.tsv out/${name}_bwd.tsv
	cp out/${name}_fwd.tsv out/${name}_fwd_kl_overlap.tsv
	cp out/${name}_fwd.tsv out/${name}_bwd_kl_overlap.tsv
	run -0 tl-xlsx -o book.xlsx out/*.tsv
}

@test "the tables of models and operators can be printed, and make the same sheets" {
	tl-models tables >tables
	for table in models ops; do
		head -n 1 "$TL_ROOT/lib/perf/$table.tsv" | grep -qxFf - tables
	done
	tl-models --ops tables ops | diff - <(tl-models ops)
	gen t.json -n 12000
	tl-roofline -q --arch H100-SXM --include_overlap_info -d built-in t.json >order
	[ "$(wc -l <order)" -gt 10 ]
	tl-roofline -q --arch H100-SXM --include_overlap_info -d again --ops tables t.json | sed s/^again/built-in/ | diff - order
	same_sheets built-in again
	# also one that ends within a line, with those after it
	printf 'category mylib::a A\ncategory mylib::b \\\nB\\' >one.tsv
	echo 'prefix mylib:: gemm A=0 B=1' >two.tsv
	tl-models --ops one.tsv --ops two.tsv tables -o all
	tl-models --ops all ops | diff - <(tl-models --ops one.tsv --ops two.tsv ops)
}

@test "a line of a table that is edited counts, whatever its kind" {
	run_op mylib::x "$(lists '[[2]]' '["float"]' '[""]')"
	sed -i 's/some_kernel/void at::native::elementwise_x/' t.json
	tl-roofline t.json >u.tsv
	equal "$(cell u.tsv 'op category' 1)" elementwise
	tl-models tables | sed '/^kernel.*elementwise/s/elementwise$/Mine/' >tables
	tl-roofline --ops tables t.json >u.tsv
	equal "$(cell u.tsv 'op category' 1)" Mine
	echo 'prefix triton_poi_ triton_compiled category=Mine' >mine.tsv
	equal "$(tl-models --ops mine.tsv ops | grep triton_poi_)" 'triton_poi_*	Mine		triton_compiled'
}

@test "the type of a map line is found in any case of letters" {
	run_op mylib::mm "$(lists '[[2,4],[4,3]]' '["MyInt4","MyInt4"]' '["",""]')"
	printf '\357\273\277' >mine.tsv
	printf '%s\r\n' 'op mylib::mm gemm A=0 B=1' 'map bytes MyINT4 0.5' 'map precision MyInt4 int4' >>mine.tsv
	tl-roofline --ops mine.tsv --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv 'Data Moved (MB)_first' 1) $(cell g.tsv 'Compute Spec' 1)" '1.239776611328125e-05 matrix_int4'
	tl-models --ops mine.tsv tables | tr -d '\r' | grep -c '^op mylib::mm'
}

@test "every operator of the built-in tables has a model with a source" {
	run -0 tl-models models
	equal "$(printf '%s\n' "$output" | awk -F'\t' 'NF != 4 || $4 == ""')" ''
	tl-models ops | tail -n +2 | cut -f 4 | sort -u >used
	[ -s used ]
	printf '%s\n' "$output" | cut -f 1 | sort -u >known
	equal "$(comm -23 used known)" ''
}

@test "every function is in the manual page, and the other way round" {
	tl-models functions | sed 's/[(:].*//' | sort -u >have
	sed -n '/^\.Ss Functions/,/^\.Ss Layouts/p' "$TL_ROOT/man/tl-models.5" | grep -oE '^[a-z][a-z0-9_]*[(]' | tr -d '(' | sort -u >told
	diff have told
}

# bats test_tags=quick
@test "the examples of the table format work" {
	need mandoc
	gen trace.json.gz -n 12000
	n=0
	while IFS= read -r -d '' block; do
		n=$((n + 1))
		bash -e -c "$block" >out 2>err </dev/null || { printf '%s' "$block" >&2; cat err >&2; return 1; }
	done < <("$TL_ROOT/tests/examples-of" "$TL_ROOT/man/tl-models.5" EXAMPLES)
	[ $n -eq 5 ]
}

@test "what a condition of a parameter depends on tells rows apart" {
	for i in 1 2 3; do
		op aten::mm $((100 * i)) 20 '"Input Dims":[[2,3],[3,4]],"Input type":["float","float"],"Input Strides":[[3,1],[4,1]],"mark":'$((i % 2))
		call $i $((100 * i + 1)) 2
		gpu $i k $((100 * i + 50)) 10
	done
	trace t.json
	printf 'model m like=gemm\n\tparam odd=1 if arg("mark")\nop aten::mm m A=0 B=1\n' >ops
	tl-roofline --ops ops --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv 'param: odd' 1),$(cell g.tsv name_count 1) $(cell g.tsv 'param: odd' 2),$(cell g.tsv name_count 2)" '1.0,2 ,1'
}

@test "what any line of a model keeps is there for others, whichever sheet is asked for" {
	op a::a 100 20
	call 1 101 2
	gpu 1 k 150 10
	op b::b 200 20
	call 2 201 2
	gpu 2 k 250 10
	trace t.json
	for keeps in 'flops remember("t",1,7)' 'flops 1\n\tparam p=1 if remember("t",1,7)' 'def f()=remember("t",1,7)\n\tflops f()'; do
		printf "model a\n\tcategory A\n\t$keeps\nmodel b\n\tcategory B\n\tflops recall(\"t\",1)\nop a::a a\nop b::b b\n" >ops
		run -0 --separate-stderr tl-roofline --ops ops t.json
		equal "$stderr" ''
		run -0 --separate-stderr tl-roofline --ops ops --sheet B_fwd t.json
		like "$output" '7e-09'
	done
}

@test "a list goes where -o says, and takes nothing that it would ignore" {
	run -0 --separate-stderr tl-models archs -o archs
	equal "$output$stderr" ''
	like "$(cat archs)" 'H100-SXM'
	while read -r arguments; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tl-models $arguments
		failed 2 '(a command is missing|no command |ops takes no file|explain takes an operator)'
	done <<-'END'

		nosuch
		ops trace.json
		ops --arch H100-SXM
		explain
		explain aten::mm one.json two.json
	END
}

