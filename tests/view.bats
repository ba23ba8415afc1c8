#!/usr/bin/env bats
# view.bats - tl-view: streams as text and back, checking, headers, filters.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	cp "$TL_ROOT/tests/fuzz/corpus/text/records.txt" records.txt
	cp "$TL_ROOT/tests/fuzz/corpus/stream/records.tls" records.tls
	cp "$TL_ROOT/tests/fuzz/corpus/stream/reset.tls" reset.tls
	if command -v tl-parse >/dev/null && command -v tl-link >/dev/null; then
		tl-gen -n 20000 >trace.json
		tl-parse trace.json >trace.tls
		tl-link --python trace.tls >linked.tls
	fi
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	tab=$'\t'
}

# text LINE…: a text with these records
text() {
	printf 'tls\t2.0\nheader\tsource\tpytorch\nheader\tticks_per_us\t1000\n'
	printf '%s\n' "$@"
}

# ---- text -----------------------------------------------------------------------

@test "each record is a line of the documented columns" {
	text "event${tab}4${tab}kernel${tab}100${tab}-5${tab}0${tab}\"s\"${tab}Kernel${tab}X${tab}gemm${tab}ta${tab}stream:i=7${tab}grid:j=[1,2]${tab}id:S=x" \
		"link${tab}node${tab}4${tab}" "meta${tab}k${tab}{}" end |
		tl-view -b >a.tls
	run -0 --separate-stderr tl-view a.tls
	equal "$stderr" ''
	equal "$output" "tls${tab}2.0
header${tab}source${tab}pytorch
header${tab}ticks_per_us${tab}1000
header${tab}linked${tab}0
header${tab}python${tab}0
event${tab}4${tab}kernel${tab}100${tab}-5${tab}0${tab}\"s\"${tab}Kernel${tab}X${tab}gemm${tab}ta${tab}stream:i=7${tab}grid:j=[1,2]${tab}id:S=x
link${tab}node${tab}4${tab}
meta${tab}k${tab}{}
end"
}

@test "the text of a stored stream has not changed" {
	tl-view records.tls >out.txt
	cmp out.txt records.txt
}

@test "the stream of a stored text has not changed" {
	tl-view -b records.txt >out.tls
	cmp out.tls records.tls
}

@test "a stream comes back from its text byte for byte" {
	for f in trace linked; do
		run -0 --separate-stderr pipe "tl-view $f.tls | tl-view -b >back.tls"
		equal "$stderr" ''
		[ -s back.tls ]
		cmp $f.tls back.tls
	done
}

@test "a stream copied with -b is the same stream" {
	tl-view -b linked.tls >copy.tls
	[ -s copy.tls ]
	cmp linked.tls copy.tls
}

@test "text passed through is the same text" {
	tl-view <records.txt >out.txt
	cmp out.txt records.txt
}

@test "a stream with resets and frames that may be skipped is read" {
	run -0 --separate-stderr tl-view reset.tls
	equal "$stderr" ''
	like "$output" "event${tab}9${tab}cpu_op${tab}5${tab}2${tab}7${tab}7${tab}cpu_op${tab}X${tab}aten::mm"
}

@test "bytes that are not UTF-8 and control bytes survive" {
	printf 'tls\t2.0\nheader\tticks_per_us\t1\nevent\t0\tother\t\t\t\t\t\\e\t\t\xff\xc3\\x00\\x1b\\t\\n\\r\\\\\t\tk\\:\\=:s=\xfe\nend\n' >odd.txt
	tl-view -b odd.txt >odd.tls
	tl-view odd.tls | tail -n 2 >a
	tail -n 2 odd.txt >b
	cmp a b
}

@test "no column and an empty string stay apart" {
	text "event${tab}0${tab}other${tab}${tab}${tab}\\e${tab}${tab}${tab}${tab}\\e${tab}${tab}k:s${tab}l:s=" end >a.txt
	run -0 --separate-stderr pipe 'tl-view -b a.txt | tl-view | grep ^event'
	equal "$output" "event${tab}0${tab}other${tab}${tab}${tab}\\e${tab}${tab}${tab}${tab}\\e${tab}${tab}k:s${tab}l:s="
}

@test "the largest and smallest numbers survive" {
	text "event${tab}18446744073709551614${tab}other${tab}-9223372036854775808${tab}9223372036854775807${tab}${tab}${tab}${tab}${tab}${tab}${tab}k:i=-9223372036854775808" \
		"link${tab}node${tab}18446744073709551614${tab}0" end >a.txt
	run -0 --separate-stderr pipe 'tl-view -b a.txt | tl-view | grep -E "^(event|link)"'
	equal "$output" "$(grep -E '^(event|link)' a.txt)"
}

@test "a string of 64 MB goes through" {
	[ -z "${TL_SANITIZED-}" ] || skip 'slow under sanitizers'
	{
		printf 'tls\t2.0\nheader\tticks_per_us\t1\nevent\t0\tother\t\t\t\t\t\t\t'
		head -c 67108864 /dev/zero | tr '\0' x
		printf '\t\nend\n'
	} >big.txt
	run -0 --separate-stderr pipe 'tl-view -b big.txt | tl-view | cmp - <(sed "s/^header.*/header\tsource\t\n&\nheader\tlinked\t0\nheader\tpython\t0/" big.txt)'
	rm big.txt
}

@test "awk can rename, drop and add records" {
	tl-view trace.tls | awk -F'\t' -v OFS='\t' '
		$1 == "event" && $3 == "cpu_op" && $10 == "aten::mm" { $10 = "my::mm" }
		$1 == "event" && $3 == "python" { next }
		$1 == "end" { print "event", 999999999, "instant", 5, "", "", "", "", "i", "added", "" }
		{ print }' | tl-view -b >edited.tls
	run -0 --separate-stderr tl-view --check -v edited.tls
	run -0 --separate-stderr pipe "tl-view edited.tls | grep -c 'my::mm'"
	run -1 --separate-stderr pipe "tl-view edited.tls | grep 'aten::mm$tab'"
	run -1 --separate-stderr pipe "tl-view edited.tls | cut -f 3 | grep -x python"
	run -0 --separate-stderr pipe "tl-view edited.tls | tail -n 2 | cut -f 10"
	equal "$output" $'added\nend'
}

@test "every well-known field stands in the page of the stream" {
	keys=$(sed -n 's/^#define TL_KEY_[A-Z_]* *"\([^"]*\)".*/\1/p' "$TL_ROOT/lib/model/fields.h")
	[ "$(wc -l <<<"$keys")" -gt 15 ]
	while IFS= read -r key; do
		grep -qE "^\.It Ql (.&)?$key Ta" "$TL_ROOT/man/tl-stream.5" || { echo "$key" >&2; return 1; }
	done <<<"$keys"
}

# ---- text that is wrong ------------------------------------------------------------

wrong() {
	local message=$1
	shift
	text "$@" >wrong.txt
	run -1 --separate-stderr tl-view -b wrong.txt
	failed 1 "$message"
}

@test "a wrong line is an error with line and column" {
	wrong 'wrong.txt: line 4, column 9: .kernal., a kind of event was expected' \
		"event${tab}0${tab}kernal${tab}${tab}${tab}${tab}${tab}${tab}${tab}${tab}" end
	wrong 'line 4, column 11: .x., a whole number' "link${tab}node${tab}x${tab}" end
	wrong 'line 4, column 1: .evnt., header, meta, event, link or end was expected' evnt end
	wrong 'line 4, column 1: 3 columns in a line .event., at least 11' "event${tab}0${tab}kernel" end
}

@test "events out of order are an error" {
	wrong 'line 5, column 7: event 3 after event 3' \
		"event${tab}3${tab}kernel${tab}${tab}${tab}${tab}${tab}${tab}${tab}${tab}" \
		"event${tab}3${tab}kernel${tab}${tab}${tab}${tab}${tab}${tab}${tab}${tab}" end
}

@test "text without its last line is an error and leaves no whole stream" {
	text "meta${tab}k${tab}1" >cut.txt
	run -1 --separate-stderr tl-view -b -o cut.tls cut.txt
	failed 1 "cut.txt: the text ends after line 4, before a line 'end'"
	[ ! -e cut.tls ]
	tl-view -b cut.txt >cut.tls 2>/dev/null || true
	run -1 --separate-stderr tl-view --check cut.tls
	failed 1 'cut.tls'
}

@test "text after its last line is an error" {
	wrong 'there is text after line 4' end end
}

@test "text of another version names both" {
	printf 'tls\t3.1\nend\n' >other.txt
	run -1 --separate-stderr tl-view other.txt
	failed 1 'version 3.1, this program reads version 2.0'
}

# ---- check -----------------------------------------------------------------------------

@test "--check is silent about a whole stream and a whole text" {
	for f in records.tls records.txt; do
		run -0 --separate-stderr tl-view --check $f
		equal "$output$stderr" ''
	done
}

@test "--check -v tells what was seen" {
	run -0 --separate-stderr tl-view --check -v records.tls
	equal "$output" ''
	equal "$stderr" 'tl-view: records.tls: 6 events, 3 links, 1 members'
}

@test "--check finds a flipped bit anywhere" {
	"$TL_TOOLS/cuts" -f reset.tls 1 tl-view --check
}

@test "--check finds a stream without its end record" {
	head -c -20 records.tls >cut.tls
	run -1 --separate-stderr tl-view --check cut.tls
	failed 1 'cut.tls: byte [0-9]+: the event stream is cut short'
}

@test "--check finds data after the end record" {
	cat records.tls records.tls >two.tls
	run -1 --separate-stderr tl-view --check two.tls
	failed 1 'two.tls: byte [0-9]+: there is data after the end record'
}

@test "a stream of another version names both" {
	{ head -c 8 records.tls; printf '\3\0\7\0'; tail -c +13 records.tls; } >later.tls
	run -1 --separate-stderr tl-view --check later.tls
	failed 1 'later.tls: byte 8: event stream of version 3.7, this program reads version 2.0'
}

@test "a later minor version is read, and header keys that it adds are passed over" {
	printf 'tls\t2.7\nheader\tticks_per_us\t1\nheader\tlater\tx\nend\n' >later.txt
	run -0 --separate-stderr tl-view later.txt
	equal "${lines[0]}" "tls${tab}2.0"
}

# ---- other kinds of input ----------------------------------------------------------------

@test "a raw trace is not read, with a hint" {
	printf '\n {"traceEvents": []}' >raw.json
	run -1 --separate-stderr tl-view raw.json
	failed 1 'raw.json: byte 0: is a PyTorch trace, pipe it through tl-parse'
	gzip -kf raw.json
	run -1 --separate-stderr tl-view raw.json.gz
	failed 1 'is compressed with gzip'
}

# ---- header and schema ---------------------------------------------------------------------

@test "--header prints header, provenance, layouts and counts" {
	run -0 --separate-stderr tl-view --header records.tls
	equal "$stderr" ''
	equal "$output" "tls${tab}2.0
header${tab}source${tab}pytorch
header${tab}ticks_per_us${tab}1000
header${tab}linked${tab}1
header${tab}python${tab}0
header${tab}provenance${tab}id=1 prev=0 tl-parse 0.1.0: a.json
layout${tab}1${tab}cpu_op${tab}cpu_op${tab}X${tab}ts,dur,name,args${tab}External id:i${tab}Input Dims:j${tab}note:s
layout${tab}1${tab}runtime${tab}cuda_runtime${tab}X${tab}ts,dur,name,args,whole_ts,whole_dur${tab}correlation:i
layout${tab}1${tab}launch_flow${tab}ac2g${tab}s${tab}ts,name${tab}id:I${tab}bp:S
layout${tab}1${tab}kernel${tab}kernel${tab}X${tab}ts,dur,name,args${tab}stream:i${tab}f\\:k\\=:J${tab}none:s
layout${tab}1${tab}other${tab}${tab}${tab}
layout${tab}1${tab}meta${tab}${tab}${tab}ts${tab}:s
links${tab}2${tab}node
links${tab}1${tab}launch
members${tab}1"
}

@test "a stage adds its line of provenance, tl-view none" {
	run -0 --separate-stderr pipe 'tl-view linked.tls | tl-view -b | tl-view --header | grep provenance | cut -f 3'
	like "${lines[0]}" '^id=1 prev=0 tl-parse [0-9.]+: trace.json$'
	like "${lines[1]}" '^id=2 prev=1 tl-link [0-9.]+: --python trace.tls$'
	equal "${#lines[@]}" 2
}

# ---- filters ---------------------------------------------------------------------------------

@test "--kind keeps events of these kinds and no links" {
	run -0 --separate-stderr tl-view --kind kernel,cpu_op --kind runtime records.tls
	equal "$(printf '%s\n' "$output" | grep ^event | cut -f 3 | tr '\n' ' ')" 'cpu_op runtime kernel '
	equal "$(printf '%s\n' "$output" | grep -c ^link)" 0
	like "$output" "header${tab}linked${tab}0"
}

@test "--kind works on text as on a stream" {
	tl-view --kind kernel records.tls >a
	[ -s a ]
	tl-view --kind kernel records.txt >b
	cmp a b
}

@test "--links prints links only, --no-links none" {
	run -0 --separate-stderr pipe 'tl-view --links records.tls | grep -v ^header | cut -f 1 | uniq | tr "\n" " "'
	equal "$output" 'tls link end '
	run -0 --separate-stderr pipe 'tl-view --no-links records.tls | grep -v ^header | cut -f 1 | uniq | tr "\n" " "'
	equal "$output" 'tls meta event end '
}

@test "a stream without its links is not a linked stream, and can be linked again" {
	tl-view -b --no-links linked.tls | tl-link --python >again.tls
	[ -s again.tls ]
	run -0 --separate-stderr bash -c 'cmp <(tl-view again.tls | grep -v ^header) <(tl-view linked.tls | grep -v ^header)'
}

@test "a trace as Chrome JSON is the trace" {
	gen chrome.json -n 3000
	tl-parse --no-provenance chrome.json >chrome.tls
	tl-link --python --no-provenance -o linked.tls chrome.tls
	tl-view --chrome linked.tls | tl-parse --no-provenance >again.tls
	cmp chrome.tls again.tls
	tl-view --chrome --kind kernel linked.tls | tl-parse | tl-view | grep -c '^event.*kernel'
}

@test "-v tells how much was shown" {
	tl-link --no-provenance -o linked.tls "$TL_ROOT/tests/data/worked-example.json"
	run -0 --separate-stderr tl-view -v linked.tls
	equal "$stderr" 'tl-view: linked.tls: 16 events, 9 links, 1 members'
}

@test "filters that make no sense together are usage errors" {
	for o in '--check --header' '-b --check' '-b --chrome' '--chrome --links' '--links --kind kernel' '--links --no-links' '-b --links' \
		'--check --kind kernel' '--kind kernal' '--kind=' '--check -o x' 'a b'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tl-view $o </dev/null
		failed 2 ''
		equal "$output" ''
	done
}

# ---- memory -----------------------------------------------------------------------------------

@test "memory does not grow with the trace" {
	[ -z "${TL_SANITIZED-}" ] || skip 'memory of sanitizers'
	awk 'BEGIN {
		print "tls\t2.0\nheader\tticks_per_us\t1000"
		for (i = 0; i < 700000; i++)
			printf "event\t%d\tcpu_op\t%d\t5\t7\t%d\tc\tX\tname %d\ta\tkey:s=a value of its own %d\n", i, i * 10, i % 300000, i, i
		print "end" }' >many.txt
	for cmd in 'tl-view -b many.txt -o many.tls' 'tl-view many.tls -o many.back' 'tl-view --kind kernel many.txt -o none.txt' \
		'tl-view --header many.tls -o header.txt' 'tl-view --chrome many.tls -o many.json'; do
		# shellcheck disable=SC2016
		run -0 --separate-stderr bash -c 'ulimit -v 65536; exec $1' sh "$cmd"
	done
	cmp many.back <(sed 's/^header.*/header\tsource\t\n&\nheader\tlinked\t0\nheader\tpython\t0/' many.txt)
	rm many.*
}
