#!/usr/bin/env bats
# arch.bats - tl-roofline: architectures, their files, which of them fits a trace.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# matmul ID TS TYPE: aten::mm of a c10 type
matmul() {
	op aten::mm "$2" 20 '"Input Dims":[[200,100],[100,50]],"Input type":["'"$3"'","'"$3"'"],"Input Strides":[[100,1],[50,1]],"Concrete Inputs":["",""]'
	call "$1" "$(($2 + 1))" 2
	gpu "$1" gemm_kernel "$(($2 + 50))" 10
}
# add ID TS TYPE [NAME]: an elementwise operator
add() {
	op "${4-aten::mul}" "$2" 20 '"Input Dims":[[200,100],[200,100]],"Input type":["'"$3"'","'"$3"'"],"Input Strides":[[100,1],[100,1]],"Concrete Inputs":["",""]'
	call "$1" "$(($2 + 1))" 2
	gpu "$1" elementwise_kernel "$(($2 + 50))" 10
}
# note: the architecture that a note names for t.json, or nothing
note() {
	run -0 --separate-stderr tl-roofline t.json
	sed -n 's/.*; --arch \(.*\) adds its roofline$/\1/p' <<<"$stderr"
}

@test "the note names the architecture of exactly that GPU, or there is none" {
	matmul 1 100 c10::Half
	while IFS='|' read -r device units wanted; do
		device_trace t.json "{\"id\":0,\"name\":\"$device\"${units:+,\"numSms\":$units}}"
		equal "$device, $units: $(note)" "$device, $units: $wanted"
	done <<-'END'
		NVIDIA A100-SXM4-80GB|108|A100-SXM-80GB
		A100-SXM-80GB||A100-SXM-80GB
		NVIDIA A100 80GB PCIe|108|A100-PCIe-80GB
		NVIDIA A100-SXM4-40GB|108|A100-40GB
		A100-SXM4-40GB||A100-40GB
		NVIDIA A100-PCIE-40GB||A100-40GB
		NVIDIA A100-SXM-64GB|124|
		NVIDIA A100-SXM-64GB||
		NVIDIA A100-SXM4-40GB MIG 1g.5gb|14|
		NVIDIA A100-SXM4-40GB MIG 1g.5gb||
		NVIDIA A100-SXM4-80GB MIG 3g.40gb||
		NVIDIA A100X||
		NVIDIA A800-SXM4-80GB||A800-SXM-80GB
		NVIDIA A100-PG509-200|108|A100-40GB
		Tesla V100-DGXS-32GB|80|V100
		NVIDIA H800|132|H800-SXM
		GRID A100-40C||
		NVIDIA H100 80GB HBM3|132|H100-SXM
		NVIDIA H100 80GB HBM3||H100-SXM
		NVIDIA H100 80GB HBM3|16|
		NVIDIA H100 80GB HBM3 MIG 1g.10gb||
		NVIDIA H100 PCIe|114|H100-PCIe
		NVIDIA H100 NVL||H100-NVL
		NVIDIA H100 NVL|132|H100-NVL
		NVIDIA H100 NVL|114|
		NVIDIA H100||
		NVIDIA H20|78|H20
		NVIDIA H20||H20
		NVIDIA H20|132|
		NVIDIA H20-3e||
		NVIDIA H200|132|H200
		NVIDIA H200 NVL||H200-NVL
		NVIDIA H200 MIG 1g.18gb||
		NVIDIA GH200 480GB|132|GH200-96GB
		NVIDIA GH200 120GB||GH200-96GB
		NVIDIA GH200 144G HBM3e|132|GH200-144GB
		NVIDIA GH200||
		NVIDIA B200|148|B200
		NVIDIA GB200|152|GB200
		NVIDIA GB200 MIG 1g.23gb||
		NVIDIA GB300||
		NVIDIA B300 SXM6 AC|148|B300
		NVIDIA L40S|142|L40S
		NVIDIA L40|142|L40
		NVIDIA L40G||
		NVIDIA L4|58|L4
		NVIDIA L20|92|L20
		NVIDIA A10|72|A10
		NVIDIA A10G|80|
		NVIDIA A10-24Q||
		NVIDIA A10M||
		Tesla T4|40|T4
		NVIDIA T4||T4
		NVIDIA T400||
		NVIDIA T4G||
		GRID T4-16Q||
		Tesla V100-SXM2-16GB|80|V100
		Tesla V100-SXM2-32GB||V100
		Tesla V100-SXM2-32GB-LS||
		Tesla V100-SXM3-32GB||
		Tesla V100-PCIE-16GB||V100-PCIe
		Tesla V100S-PCIE-32GB||V100S
		AMD Instinct MI300X|304|MI300X
		AMD Instinct MI300X||MI300X
		AMD Instinct MI300X|38|
		AMD Instinct MI300X OAM||MI300X
		AMD Instinct MI300X VF|304|MI300X
		AMD Instinct MI300X VF|38|
		AMD Instinct MI300X HF||
		AMD Instinct MI308X|80|MI308X
		AMD Instinct MI308X|20|
		AMD Instinct MI300A|228|MI300A
		AMD Instinct MI325X|304|MI325X
		AMD Instinct MI325 OAM||MI325X
		AMD Instinct MI325X OAM||MI325X
		AMD Instinct MI350X|256|MI350X
		AMD Instinct MI355X|256|MI355X
		AMD Instinct MI250X|110|MI250X-GCD
		AMD Instinct MI250X||MI250X-GCD
		AMD Instinct MI250X / MI250|110|MI250X-GCD
		AMD Instinct MI250X / MI250|104|
		AMD Instinct MI250||
		AMD Instinct MI210|104|MI210
		AMD Instinct MI100||MI100
		NVIDIA GeForce RTX 4090|128|RTX-4090
		NVIDIA GeForce RTX 4090 D|114|
		NVIDIA GeForce RTX 4090 Laptop GPU||
		NVIDIA GeForce RTX 5090|170|RTX-5090
		NVIDIA GeForce RTX 5070 Ti|70|RTX-5070-Ti
		NVIDIA GeForce RTX 4070 Ti SUPER|66|RTX-4070-Ti-Super
		NVIDIA GeForce RTX 4060|24|RTX-4060
		NVIDIA GeForce RTX 4060 Laptop GPU|24|
		NVIDIA GeForce RTX 3060|28|RTX-3060
		NVIDIA GeForce RTX 3060|30|
		NVIDIA RTX 6000 Ada Generation|142|RTX-6000-Ada
		Quadro RTX 6000||
		NVIDIA RTX PRO 6000 Blackwell Workstation Edition|188|RTX-PRO-6000
		NVIDIA RTX PRO 6000 Blackwell Server Edition|188|RTX-PRO-6000-Server
		NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition||
		AMD Radeon Graphics||
		NVIDIA ||
		T4\u007cL4||
		MI300X\u007cMI300X OAM||
	END
}

@test "the note needs all devices that the trace names to be the same" {
	matmul 1 100 c10::Half
	a='"name":"NVIDIA L4","numSms":58' b='"name":"NVIDIA A10","numSms":72'
	while read -r wanted devices; do
		device_trace t.json "$devices"
		equal "$(note)" "${wanted#-}"
	done <<-END
		L4 {"id":0,$a},{"id":1,$a}
		L4 {"id":0},{"id":1,$a},7
		- {"id":0,$a},{"id":1,$b}
		- {"id":0,$a},{"id":1,"name":"NVIDIA L4","numSms":29}
		- {"id":0,"name":7},{"id":1}
	END
}

@test "a trace without operators is not told which architecture would fit" {
	lone 1 gemm_kernel 100 10
	device_trace t.json '{"id":0,"name":"NVIDIA H100 PCIe"}'
	equal "$(note)" ''
	matmul 2 200 c10::Half
	device_trace t.json '{"id":0,"name":"NVIDIA H100 PCIe"}'
	equal "$(note)" H100-PCIe
}

# pct: the mean share of the roofline in u.tsv
pct() {
	cell u.tsv 'Pct Roofline_mean'
}

@test "--arch auto takes the GPU that the trace names" {
	matmul 1 100 c10::Half
	device_trace t.json '{"id":0,"name":"NVIDIA H100 PCIe","numSms":114},{"id":1,"name":"NVIDIA H100 PCIe","numSms":114}'
	for option in --arch --gpu_arch_platform --gpu_arch_json_path; do
		run -0 --separate-stderr tl-roofline $option auto -o u.tsv t.json
		equal "$stderr" ''
		got=$(pct)
		tl-roofline --arch H100-PCIe -o u.tsv t.json
		equal "$got" "$(pct)"
	done
	tl-parse t.json | tl-link | tl-roofline --arch auto -o u.tsv
	equal "$got" "$(pct)"
	run -0 --separate-stderr tl-models --arch auto explain aten::mm t.json
	like "$output" 'architecture: H100-PCIe'
	run -0 --separate-stderr tl-sheets --arch auto --sheets unified_perf_summary -o u.tsv t.json
	equal "$got" "$(pct)"
	# only where a roofline is made
	device_trace u.json '{"id":0,"name":7}'
	run -0 tl-sheets -q --arch auto --sheets ops_summary u.json
	# a file of that name
	printf 'mem_bw_gbps\tmatrix_fp16\n1\t1000\n' >auto
	run -0 tl-roofline --arch ./auto u.json
}

@test "--arch auto leaves the roofline out if the trace does not tell one GPU, and says once what to give" {
	matmul 1 100 c10::Half
	rest="so there is no roofline; expected --arch with one of those that 'tl-models archs' lists, or a file"
	while IFS='|' read -r devices message; do
		device_trace t.json "$devices"
		for program in 'tl-roofline' 'tl-sheets -d out' 'tl-models explain aten::mm'; do
			$program t.json >without 2>/dev/null
			run -0 --separate-stderr $program --arch auto t.json
			like "$stderr" "warning: t.json: --arch auto: $message"
			equal "$(grep -c 'arch auto:' <<<"$stderr")" 1
			equal "$output" "$(cat without)"
		done
	done <<-END
		|the trace does not name its GPU, $rest
		{"id":0,"name":""}|the trace does not name its GPU, $rest
		{"id":0,"name":"NVIDIA L4","numSms":58},{"id":1,"name":"NVIDIA A10","numSms":72}|the trace names different GPUs: "NVIDIA L4" with 58 SMs or CUs, "NVIDIA A10" with 72, $rest
		{"id":0,"name":"NVIDIA L4","numSms":58},{"id":1,"name":"NVIDIA L4","numSms":29}|the trace names different GPUs: "NVIDIA L4" with 58 SMs or CUs, "NVIDIA L4" with 29, $rest
		{"id":0,"name":"NVIDIA TITAN V","numSms":80}|no architecture is built in for the trace's GPU, "NVIDIA TITAN V" with 80 SMs or CUs, $rest
		{"id":0,"name":"NVIDIA H100 XL"}|no architecture is built in for the trace's GPU, "NVIDIA H100 XL", so there is no roofline; expected --arch with one of H100-PCIe, H100-SXM, H100-NVL, or a file with the line .*
	END
	# the line, filled in, is such a file
	sed -n 's,.* with the line \({.*}}\)$,\1, ; s,GB/s,3350, ; s,TFLOP/s,989,p' <<<"$stderr" | sed 's/matrix_bf16/matrix_fp16/' >gpu.json
	run -0 --separate-stderr tl-roofline --arch gpu.json -o u.tsv t.json
	equal "$stderr" ''
	[ -n "$(pct)" ]
}

@test "--arch auto takes the GPU that has work, which --device may choose" {
	devices='{"id":0,"name":"NVIDIA L4","numSms":58},{"id":1,"name":"NVIDIA A10","numSms":72}'
	op aten::mm 0 10; call 1 1 1; gpu 1 k 100 10 7 kernel '"device":1'
	device_trace t.json "$devices"
	tl-overview -q --arch auto -o o.tsv t.json
	equal "$(cell o.tsv value "$(row o.tsv section=roofline item=architecture)")" A10
	tl-overview -q -o o.tsv t.json
	# what findings are of, though no sheet has rooflines
	r=$(row o.tsv section=roofline item=architecture)
	equal "$(cell o.tsv value "$r"): $(cell o.tsv unit "$r")" 'A10: peak, of findings and headroom; --arch auto adds rooflines'
	tl-overview -q --sheets trace_health -o h.tsv t.json
	equal "$(cell h.tsv value "$(row h.tsv check=architecture)")" A10
	run -0 --separate-stderr tl-roofline t.json
	like "$stderr" 'the trace is of "NVIDIA A10"; --arch A10 adds its roofline'
	op aten::mm 50 10; call 2 51 1; gpu 2 k 200 10 7 kernel '"device":0'
	device_trace t.json "$devices"
	run -0 --separate-stderr tl-roofline --arch auto t.json
	like "$stderr" 't.json: --arch auto: the trace names different GPUs: .*'
	tl-overview -q --arch auto --device 0 -o o.tsv t.json
	equal "$(cell o.tsv value "$(row o.tsv section=roofline item=architecture)")" L4
}

@test "a name that stands for several architectures lists these only" {
	matmul 1 100 c10::Half
	trace t.json
	while IFS='|' read -r name wanted; do
		run --separate-stderr tl-roofline --arch "$name" t.json
		failed 2 "no architecture \"$name\"; expected $wanted, or a file"
	done <<-'END'
		H100|one of H100-PCIe, H100-SXM, H100-NVL
		h100|one of H100-PCIe, H100-SXM, H100-NVL
		H100 NVL|H100-NVL
		H100-80GB|one of H100-PCIe, H100-SXM, H100-NVL
		NVIDIA H100 80GB HBM3|H100-SXM
		A100|one of A100-PCIe-80GB, A100-SXM-80GB, A100-40GB
		a100 sxm|A100-SXM-80GB
		GH200|one of GH200-144GB, GH200-96GB
		4090|RTX-4090
		rtx4090|RTX-4090
		GeForce RTX 4090|RTX-4090
		RTX 6000|RTX-6000-Ada
		MI300|one of MI300X, MI300X-peak, MI300A
		RTX 5080|one of those that 'tl-models archs' lists
		K80|one of those that 'tl-models archs' lists
		-|one of those that 'tl-models archs' lists
	END
}

@test "a note says that another GPU is used than that of the trace" {
	matmul 1 100 c10::Half
	printf 'name\tmem_bw_gbps\tmatrix_fp16\nmine\t100\t1000\n' >mine.tsv
	printf 'name\tmem_bw_gbps\tmatrix_fp16\nh100-pcie\t100\t1000\n' >pcie.tsv
	other() { printf 'tl-roofline: the trace is of "%s", not of %s; --arch auto takes %s' "$@"; }
	while IFS='|' read -r device arch wanted; do
		device_trace t.json "{\"id\":0,\"name\":\"$device\"}"
		run -0 --separate-stderr tl-roofline --arch $arch t.json
		equal "$device $arch $stderr" "$device $arch ${wanted:+$(other "$device" "${arch%.tsv}" "$wanted")}"
		run -0 --separate-stderr tl-roofline -q --arch $arch t.json
		equal "$stderr" ''
	done <<-'END'
		NVIDIA H100 PCIe|H100-SXM|H100-PCIe
		NVIDIA H100 PCIe|MI300X|H100-PCIe
		NVIDIA H100 PCIe|H100-PCIe|
		NVIDIA H100 PCIe|mine.tsv|
		NVIDIA H100 PCIe|pcie.tsv|
		NVIDIA H100 NVL|MI300X|H100-NVL
		AMD Instinct MI300X|MI300X-peak|
		AMD Instinct MI250X|MI250X|
		NVIDIA L40S|L40|L40S
		NVIDIA A100-SXM4-40GB|A10|A100-40GB
	END
}

@test "every built-in architecture says what its numbers are and where they come from" {
	run -0 tl-models archs
	equal "$(awk -F'\t' 'NR > 1 && ($1 == "" || $2 !~ /^(peak|achievable)$/ || $3 == "")' <<<"$output")" ''
	names=$(awk -F'\t' 'NR > 1 { print $1 }' <<<"$output")
	equal "$(sort <<<"$names" | uniq -d)" ''
	like "$names" MI300X
	# those with a name of PyTorch's are found by it
	table=$TL_ROOT/lib/perf/arch.tsv
	equal "$(awk -F'\t' 'NR > 1 && ($2 == "") == ($1 !~ /-peak$|^MI250X$/) { print $1 }' "$table")" ''
	equal "$(awk -F'\t' 'NR > 1 { n = split($2, d, "|"); for (i = 1; i <= n; i++) print d[i], $3 }' "$table" | sort | uniq -d)" ''
}

@test "a warning names the compute specs without a peak, and how many operators they are of" {
	matmul 1 100 c10::BFloat16
	add 2 300 c10::BFloat16
	add 3 500 c10::BFloat16
	add 4 700 c10::Half aten::div
	add 5 900 float aten::mul
	trace t.json
	run -0 --separate-stderr tl-roofline --arch MI210 t.json
	equal "$stderr" "tl-roofline: warning: MI210 has no peak for vector_bf16, vector_fp16: 2 operators' rows are without roofline"
	# several sheets, the same operators: once
	run -0 --separate-stderr tl-roofline --arch MI210 --include_overlap_info -d all t.json
	equal "$stderr" "tl-roofline: warning: MI210 has no peak for vector_bf16, vector_fp16: 2 operators' rows are without roofline"
	# only what is in the sheet that was asked for
	run -0 --separate-stderr tl-roofline --arch MI210 --sheet GEMM t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-roofline --arch T4 --sheet GEMM t.json
	equal "$stderr" "tl-roofline: warning: T4 has no peak for matrix_bf16: 1 operator's rows are without roofline"
	run -0 --separate-stderr tl-roofline -q --arch MI210 t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-roofline --arch H100-SXM t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-roofline t.json
	equal "$stderr" ''
	# a copy of bytes does not compute in FP8, though the tables take its type for that
	add 6 1100 'unsigned char' aten::copy_
	trace t.json
	run -0 --separate-stderr tl-roofline --arch MI300X t.json
	equal "$stderr" ''
	add 7 1300 c10::Float8_e4m3fn aten::mul
	trace t.json
	run -0 --separate-stderr tl-roofline --arch MI300X t.json
	equal "$stderr" "tl-roofline: warning: MI300X has no peak for vector_fp8: 1 operator's rows are without roofline"
}

@test "rows without a roofline for other reasons are not counted" {
	op aten::mul 100 20 '"Input Dims":[[0,100],[0,100]],"Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[100,1],[100,1]],"Concrete Inputs":["",""]'
	call 1 101 2
	gpu 1 elementwise_kernel 150 10
	op mylib::unknown 300 20
	call 2 301 2
	gpu 2 kernel 350 10
	trace t.json
	run -0 --separate-stderr tl-roofline --arch MI210 t.json
	equal "$stderr" ''
	like "$output" aten::mul
}

@test "which architectures have a peak for 16-bit vector operations" {
	add 1 100 c10::Half
	trace half.json
	add 1 100 c10::BFloat16
	trace bfloat.json
	while read -r arch half bfloat; do
		for type in half bfloat; do
			run -0 --separate-stderr tl-roofline --arch "$arch" $type.json
			lacks=${stderr:+no}
			equal "$arch $type ${lacks:-yes}" "$arch $type ${!type}"
		done
	done <<-'END'
		MI300X yes yes
		MI325X yes yes
		MI308X no no
		MI300X-peak yes no
		MI325X-peak yes no
		MI300A yes no
		MI350X yes no
		MI355X yes no
		MI250X-GCD no no
		MI250X no no
		MI210 no no
		B300 no no
		GB200 no no
		B200 no no
		GH200-144GB yes yes
		GH200-96GB yes yes
		H200 yes yes
		H100-PCIe yes yes
		H100-SXM yes yes
		H20 no no
		A100-PCIe-80GB yes yes
		A100-SXM-80GB yes yes
		A100-40GB yes yes
		L40S yes yes
		L40 yes yes
		L20 yes yes
		L4 yes yes
		A10 yes yes
		RTX-5090 yes yes
		RTX-4090 yes yes
		RTX-6000-Ada yes yes
		RTX-PRO-6000 yes yes
		RTX-PRO-6000-Server no no
		V100 yes no
		T4 yes no
	END
}

@test "a table has one architecture; blank lines do not count" {
	matmul 1 100 c10::Half
	trace t.json
	printf 'name\tmem_bw_gbps\tmatrix_fp16\n\n  \nx\t100\t1000\r\n\n\t\n' >one.tsv
	run -0 --separate-stderr tl-roofline --arch one.tsv t.json
	equal "$stderr" ''
	like "$output" MEMORY_BOUND
	printf 'name\tmem_bw_gbps\tmatrix_fp16\nx\t1\t1000\n\ny\t2\t1000\nz\t2\t1000' >two.tsv
	run --separate-stderr tl-roofline --arch two.tsv t.json
	failed 1 'two.tsv: expected one row after the header, found several'
	run --separate-stderr tl-roofline --arch "$TL_ROOT/lib/perf/arch.tsv" t.json
	failed 1 'arch.tsv: expected one row after the header, found several'
	for rest in '' '\n' '\n\n' '\n\t\t\n'; do
		printf "name\tmem_bw_gbps\tmatrix_fp16$rest" >none.tsv
		run --separate-stderr tl-roofline --arch none.tsv t.json
		failed 1 'none.tsv: expected one row after the header, found none'
	done
}

@test "a table that names no architecture is called as its file" {
	matmul 1 100 c10::Half
	trace t.json
	printf 'mem_bw_gbps\tmatrix_bf16\n1\t1000\n' >mine.tsv
	printf 'name\tmem_bw_gbps\tmatrix_bf16\n\t1\t1000\n' >empty.tsv
	printf '{"name":"","mem_bw_gbps":1,"max_achievable_tflops":{"matrix_bf16":5}}' >json.tsv
	for f in mine empty json; do
		run -0 --separate-stderr tl-roofline --arch $f.tsv t.json
		equal "$stderr" "tl-roofline: warning: $f.tsv has no peak for matrix_fp16: 1 operator's rows are without roofline"
	done
}

@test "without memory bandwidth there is no roofline, and one warning says so" {
	matmul 1 100 c10::Half
	add 2 300 c10::BFloat16
	trace t.json
	printf 'name\tmem_bw_gbps\tmatrix_fp16\nx\t\t1000\n' >x.tsv
	for o in '' '--include_overlap_info -d all' '--sheet GEMM'; do
		run -0 --separate-stderr tl-roofline --arch x.tsv $o t.json
		equal "$stderr" "tl-roofline: warning: x has no memory bandwidth: no roofline"
	done
	run -0 --separate-stderr tl-roofline -q --arch x.tsv t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-models --arch x.tsv explain aten::mm t.json
	equal "$stderr" ''
	like "$output" 'the bandwidth of the architecture is not known'
}

# refused FILE MESSAGE: FILE is no architecture
refused() {
	run --separate-stderr tl-roofline --arch "$1" t.json
	failed 1 "$1$2\$"
}

@test "a mistake in a table is an error that says where" {
	matmul 1 100 c10::Half
	trace t.json
	while IFS='|' read -r text message; do
		printf "$text" >m.tsv
		refused m.tsv "$message"
	done <<-'END'
		name\tmem_bw_gbps\nx\t1\t2\n|:2:5: cell 3 has no column in the header: 2
		name\tmem_bw_gbps\t\n\nx\t1\t2\n|:3:5: cell 3 has no column in the header: 2
		name\tmem_bw_gbps\nx\n|:2:1: expected 2 cells, as the header has, found 1
		mem_bw_gbps\tname\tmem_bw_gbps\n1\tx\t2\n|:1: column given twice: mem_bw_gbps
		mem_bw_gbps\tmatrix_fp16\tmatrix_fp16\n1\t2\t3\n|:1: column given twice: matrix_fp16
		mem_bw_gbps\tmatrix_fp16\n1\t-5\n|:2: matrix_fp16: expected a positive number, found -5
		mem_bw_gbps\tmatrix_fp16\n0\t5\n|:2: mem_bw_gbps: expected a positive number, found 0
		mem_bw_gbps\tmatrx_fp16\n1\t5\n|:2: unknown figure matrx_fp16; a peak is matrix_TYPE or vector_TYPE
		mem_bw_gbps\tmatrix_fp16\n1\tinf\n|:2: matrix_fp16: expected a positive number, found inf
	END
	# what spreadsheets leave behind
	printf 'name\tmem_bw_gbps\tmatrix_fp16\t\t\nx\t100\t1000\t\t\t\t\n' >m.tsv
	run -0 --separate-stderr tl-roofline --arch m.tsv t.json
	equal "$stderr" ''
}

@test "a mistake in a JSON architecture is an error with line and column, or names the key" {
	matmul 1 100 c10::Half
	trace t.json
	while IFS='|' read -r text message; do
		printf "$text" >m.json
		refused m.json "$message"
	done <<-'END'
		{\n "mem_bw_gbps": 1,\n}|:3:1: malformed JSON value: expected a member name in quotes
		{\n "mem_bw_gbps": 1 "a": 2}|:2:19: malformed JSON value: expected ',' or '}'
		{"mem_bw_gbps" 1}|:1:16: malformed JSON value: expected ':'
		{\n\n  mem_bw_gbps: 1}|:3:3: malformed JSON value: expected a member name in quotes
		{"a": [1, ],\n"b": 1}|:1:11: malformed JSON value: expected a value
		{"a": 01,\n"b": 1}|:1:8: malformed JSON value: a number must not start with 0
		{"a":\n "\\x"}|:2:4: malformed JSON value: expected one of .* after a backslash
		{"a":\n "x}|:2:5: malformed JSON value: it ends too early
		{"a": [1}|:1:9: malformed JSON value: expected ',' or '\]'
		{"a": {"b": 1}\n|:2:1: malformed JSON value: it ends too early
		{"a": 1}\n  x|:2:3: malformed JSON value: text after its end
		\n{"mem_bw_gbps": 1,\n "mem_bw_gbps": 2}|:3:2: malformed JSON value: key given twice: "mem_bw_gbps"
		{"mem_bw_gbps": 1, "max_achievable_tflops": {"a": 1,\n\t"b": 1, "a": 2}}|:2:10: malformed JSON value: key given twice: "a"
		{"mem_bw_gbps": 0, "max_achievable_tflops": {}}|: mem_bw_gbps: expected a positive number, found 0
		{"mem_bw_gbps": null, "max_achievable_tflops": {}}|: mem_bw_gbps: expected a positive number, found None
		{"mem_bw_gbps": 1, "max_achievable_tflops": {"a": -5}}|: a: expected a positive number, found -5
		{"mem_bw_gbps": 1, "max_achievable_tflops": {"matrx_fp16": 5}}|: unknown figure matrx_fp16; a peak is matrix_TYPE or vector_TYPE
		{"mem_bw_gbps": 1, "max_achievable_tflops": {"a": "5"}}|: a: expected a positive number, found '5'
		{"mem_bw_gbps": 1}|: expected a number mem_bw_gbps and an object max_achievable_tflops
	END
}

@test "a byte order mark before an architecture is passed over" {
	matmul 1 100 c10::Half
	trace t.json
	printf '\xef\xbb\xbfmem_bw_gbps\tmatrix_fp16\n100\t1000\n' >a.tsv
	printf '\xef\xbb\xbf{"mem_bw_gbps": 100, "max_achievable_tflops": {"matrix_fp16": 1000}}' >a.json
	for f in a.tsv a.json; do
		run -0 --separate-stderr tl-roofline --arch $f t.json
		equal "$stderr" ''
		like "$output" MEMORY_BOUND
	done
}

@test "a name that looks like a file's and is none: the message says both" {
	for name in nosuch.json ./nosuch dir/nosuch; do
		run --separate-stderr tl-roofline --arch $name t.json
		failed 2 "no architecture \"$name\"; expected one of those that 'tl-models archs' lists, or a file"
	done
	run --separate-stderr tl-roofline --gpu_arch_platform nosuch t.json
	failed 2 'no architecture "nosuch"; expected one of those that .tl-models archs. lists, or a file'
	touch plain
	run --separate-stderr tl-roofline --arch plain/x t.json
	failed 1 'plain/x: cannot open: Not a directory'
}

@test "a file may give the compute specs of compiled Triton kernels" {
	op triton_poi_fused_add_0 100 20 '"Input Dims":[[4096],[4096],[]],"Input type":["c10::BFloat16","c10::BFloat16","Scalar"],"Input Strides":[[1],[1],[]],"Concrete Inputs":["","","4096"]'
	call 1 101 2
	gpu 1 triton_poi_fused_add_0 150 10
	trace t.json
	run -0 --separate-stderr tl-roofline --arch MI300X t.json
	equal "$stderr" "tl-roofline: warning: MI300X has no peak for vector_bfloat16: 1 operator's rows are without roofline"
	printf 'name\tmem_bw_gbps\tvector_bfloat16\nx\t100\t1000\n' >x.tsv
	run -0 --separate-stderr tl-roofline --arch x.tsv t.json
	equal "$stderr" ''
	like "$output" MEMORY_BOUND
}

@test "a sheet that was asked for and has no row is missed, in a folder too" {
	matmul 1 100 c10::Half
	trace t.json
	run -0 --separate-stderr tl-roofline -d out --sheet SDPA_bwd t.json
	equal "$stderr" 'tl-roofline: warning: no row for the sheet SDPA_bwd'
	equal "$output" ''
	run -0 --separate-stderr tl-roofline -d out --sheet SDPA_bwd --sheet GEMM t.json
	equal "$stderr" 'tl-roofline: warning: no row for the sheet SDPA_bwd'
	equal "$output" out/GEMM.tsv
	run -0 --separate-stderr tl-roofline -d out t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-sheets -q -d out t.json
	equal "$stderr" ''
}

@test "a table with a NUL byte is no text" {
	matmul 1 100 c10::Half
	trace t.json
	printf 'name\tmem_bw_gbps\n\0x\t1\n' >nul.tsv
	run --separate-stderr tl-roofline --arch nul.tsv t.json
	failed 1 'nul.tsv:2:1: the line holds a NUL byte'
}
