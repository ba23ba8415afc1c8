set encoding utf8
set terminal pngcairo noenhanced size 4500,3600 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Inference Phase Analysis Overview
END
widest_heading = 2.930000000000e+01
panels = 4
set multiplot layout 2,2 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=Total Execution Time Distribution
END
widest_title = 2.760000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
$names << END
=Prefill
=Decode
END
widest_names = 6.250000000000e+00
$ends << END
=24.0 µs, 9.1 %
=238.8 µs, 90.9 %
END
widest_ends = 1.420000000000e+01
$rows << END
9.000000000000e+01 1.228829686013e+02 2.936200000000e+04
1.228829686013e+02 4.500000000000e+02 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-pie.gp - a slice for each row, beside it its name and its value.
# $rows: first and last angle in degrees, colour. $names, $ends: texts of the rows.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set size ratio -1
unset border
unset tics
unset xlabel
unset ylabel
set angles degrees
set style fill solid 1.0 border linecolor rgb "#ffffff"
set xrange [-2.2 : 2.2]
set yrange [-1.35 : 1.35]
# a text on one side of the pie; none on the other
side(a, is_right, text) = (cos(a) >= 0) == is_right ? text : ""
x_of(a) = 1.12 * cos(a)
y_of(a) = 1.24 * sin(a)
# gnuplot draws nothing for a slice from an angle to the same one: that of all is a disc
is_all(from, to) = to - from > 359.99
mid(from, to) = is_all(from, to) ? 0 : 0.5 * (from + to)
plot $rows using (is_all($1, $2) ? NaN : 0):(0):(1):1:2:3 with circles fillcolor rgb variable, \
	$rows using (is_all($1, $2) ? 0 : NaN):(0):(1):3 with circles fillcolor rgb variable, \
	$rows using (x_of(mid($1, $2))):(y_of(mid($1, $2))):(side(mid($1, $2), 1, said($names[int($0) + 1]))) with labels left font bold offset 0, 0.6, \
	$rows using (x_of(mid($1, $2))):(y_of(mid($1, $2))):(side(mid($1, $2), 1, said($ends[int($0) + 1]))) with labels left offset 0, -0.6, \
	$rows using (x_of(mid($1, $2))):(y_of(mid($1, $2))):(side(mid($1, $2), 0, said($names[int($0) + 1]))) with labels right font bold offset 0, 0.6, \
	$rows using (x_of(mid($1, $2))):(y_of(mid($1, $2))):(side(mid($1, $2), 0, said($ends[int($0) + 1]))) with labels right offset 0, -0.6
$title << END
=Number of Operations by Phase
END
widest_title = 2.620000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=Operation Count
END
widest_y_title = 1.345000000000e+01
n = 2
whole = 1
largest = 5.000000000000e+00
$names << END
=Prefill
=Decode
END
widest_names = 6.250000000000e+00
$ends << END
=3
=5
END
widest_ends = 1.000000000000e+00
$rows << END
3.000000000000e+00 2.936200000000e+04
5.000000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-columns.gp - a column for each row: its name below it, its value above it.
# $rows: height, colour. $names, $ends: texts of the rows. whole: heights are
# whole numbers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set xtics scale 0
if (whole && largest < 8) { set ytics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.12 * largest]
plot $rows using 0:1:(0.7):2:xtic(said($names[int($0) + 1])) with boxes linecolor rgb variable, \
	$rows using 0:1:(said($ends[int($0) + 1])) with labels offset 0, 0.7
$title << END
=Average Time per Operation
END
widest_title = 2.320000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=Average Time (µs)
END
widest_y_title = 1.590000000000e+01
n = 2
whole = 0
largest = 4.775000000000e+01
$names << END
=Prefill (3 ops)
=Decode (5 ops)
END
widest_names = 1.255000000000e+01
$ends << END
=8.00 µs
=47.75 µs
END
widest_ends = 7.600000000000e+00
$rows << END
8.000000000000e+00 2.936200000000e+04
4.775000000000e+01 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-columns.gp - a column for each row: its name below it, its value above it.
# $rows: height, colour. $names, $ends: texts of the rows. whole: heights are
# whole numbers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set xtics scale 0
if (whole && largest < 8) { set ytics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.12 * largest]
plot $rows using 0:1:(0.7):2:xtic(said($names[int($0) + 1])) with boxes linecolor rgb variable, \
	$rows using 0:1:(said($ends[int($0) + 1])) with labels offset 0, 0.7
$title << END
=Summary Statistics
END
widest_title = 1.680000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
columns = 4
lines = 6
$names << END
=Metric
=Prefill
=Decode
=Total/Ratio
=Total Time (ms)
=0.0
=0.2
=0.3
=Operation Count
=3
=5
=8
=Avg Time/Op (ms)
=0.0
=0.0
=0.0
=Phase Percentage
=9.1%
=90.9%
=100%
=Prefill:Decode Ratio
=0.10:1
=1:9.95
=Time Ratio
END
widest_names = 1.660000000000e+01
$rows << END
0.000000000000e+00 0.000000000000e+00 1.526397600000e+07
1.000000000000e+00 0.000000000000e+00 1.526397600000e+07
2.000000000000e+00 0.000000000000e+00 1.526397600000e+07
3.000000000000e+00 0.000000000000e+00 1.526397600000e+07
0.000000000000e+00 1.000000000000e+00 1.611928500000e+07
1.000000000000e+00 1.000000000000e+00 1.677721500000e+07
2.000000000000e+00 1.000000000000e+00 1.677721500000e+07
3.000000000000e+00 1.000000000000e+00 1.677721500000e+07
0.000000000000e+00 2.000000000000e+00 1.611928500000e+07
1.000000000000e+00 2.000000000000e+00 1.677721500000e+07
2.000000000000e+00 2.000000000000e+00 1.677721500000e+07
3.000000000000e+00 2.000000000000e+00 1.677721500000e+07
0.000000000000e+00 3.000000000000e+00 1.611928500000e+07
1.000000000000e+00 3.000000000000e+00 1.677721500000e+07
2.000000000000e+00 3.000000000000e+00 1.677721500000e+07
3.000000000000e+00 3.000000000000e+00 1.677721500000e+07
0.000000000000e+00 4.000000000000e+00 1.611928500000e+07
1.000000000000e+00 4.000000000000e+00 1.677721500000e+07
2.000000000000e+00 4.000000000000e+00 1.677721500000e+07
3.000000000000e+00 4.000000000000e+00 1.677721500000e+07
0.000000000000e+00 5.000000000000e+00 1.611928500000e+07
1.000000000000e+00 5.000000000000e+00 1.677721500000e+07
2.000000000000e+00 5.000000000000e+00 1.677721500000e+07
3.000000000000e+00 5.000000000000e+00 1.677721500000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-table.gp - a table. $rows: column and line, from 0; colour of the ground. $names: texts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
unset border
unset tics
unset xlabel
unset ylabel
set style fill solid 1.0 border linecolor rgb "#bbbbbb"
set xrange [-0.5 : columns - 0.5]
set yrange [lines - 0.5 : -0.5]
plot $rows using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor rgb variable, \
	$rows using ($2 > 0 && $1 > 0 ? $1 : NaN):2:(said($names[int($0) + 1])) with labels center, \
	$rows using ($2 > 0 && $1 > 0 ? NaN : $1):2:(said($names[int($0) + 1])) with labels center font bold
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 4500,3600 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Operation Time Distribution Analysis
END
widest_heading = 3.060000000000e+01
panels = 4
set multiplot layout 2,2 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=Top 10 Prefill Operations by Time
END
widest_title = 2.745000000000e+01
$x_title << END
=Time (µs)
END
widest_x_title = 8.500000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 1.000000000000e+01
across = 4.308317256163e+01
$names << END
=aten::addmm
=vllm::unified_attention_with_output
=aten::mm
END
widest_names = 2.980000000000e+01
$ends << END
=10.00 µs
=8.00 µs
=6.00 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.000000000000e+01 2.936200000000e+04
8.000000000000e+00 2.936200000000e+04
6.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Top 10 Decode Operations by Time
END
widest_title = 2.890000000000e+01
$x_title << END
=Time (µs)
END
widest_x_title = 8.500000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 5
largest = 1.120000000000e+02
across = 4.308317256163e+01
$names << END
=cudaGraphLaunch
=vllm::unified_attention_with_output
=aten::mm
=request_batch_prep
=sample_token
END
widest_names = 2.980000000000e+01
$ends << END
=112.0 µs
=72.0 µs
=48.0 µs
=4.5 µs
=2.2 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.120000000000e+02 1.511398400000e+07
7.200000000000e+01 1.511398400000e+07
4.800000000000e+01 1.511398400000e+07
4.500000000000e+00 1.511398400000e+07
2.250000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Prefill Time Distribution
END
widest_title = 1.960000000000e+01
$x_title << END
=Time of an Operation (µs)
END
widest_x_title = 2.170000000000e+01
$y_title << END
=Operations
END
widest_y_title = 9.050000000000e+00
begin = 5.920000000000e+00
end = 1.008000000000e+01
largest = 1.000000000000e+00
$rows << END
6.000000000000e+00 6.200000000000e+00 1.000000000000e+00 2.936200000000e+04
6.200000000000e+00 6.400000000000e+00 0.000000000000e+00 2.936200000000e+04
6.400000000000e+00 6.600000000000e+00 0.000000000000e+00 2.936200000000e+04
6.600000000000e+00 6.800000000000e+00 0.000000000000e+00 2.936200000000e+04
6.800000000000e+00 7.000000000000e+00 0.000000000000e+00 2.936200000000e+04
7.000000000000e+00 7.200000000000e+00 0.000000000000e+00 2.936200000000e+04
7.200000000000e+00 7.400000000000e+00 0.000000000000e+00 2.936200000000e+04
7.400000000000e+00 7.600000000000e+00 0.000000000000e+00 2.936200000000e+04
7.600000000000e+00 7.800000000000e+00 0.000000000000e+00 2.936200000000e+04
7.800000000000e+00 8.000000000000e+00 0.000000000000e+00 2.936200000000e+04
8.000000000000e+00 8.200000000000e+00 1.000000000000e+00 2.936200000000e+04
8.200000000000e+00 8.400000000000e+00 0.000000000000e+00 2.936200000000e+04
8.400000000000e+00 8.600000000000e+00 0.000000000000e+00 2.936200000000e+04
8.600000000000e+00 8.800000000000e+00 0.000000000000e+00 2.936200000000e+04
8.800000000000e+00 9.000000000000e+00 0.000000000000e+00 2.936200000000e+04
9.000000000000e+00 9.200000000000e+00 0.000000000000e+00 2.936200000000e+04
9.200000000000e+00 9.400000000000e+00 0.000000000000e+00 2.936200000000e+04
9.400000000000e+00 9.600000000000e+00 0.000000000000e+00 2.936200000000e+04
9.600000000000e+00 9.800000000000e+00 0.000000000000e+00 2.936200000000e+04
9.800000000000e+00 1.000000000000e+01 1.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
has_mean = 1
mean = 8.000000000000e+00
$mean << END
=Mean: 8.00 µs
END
widest_mean = 1.210000000000e+01
median = 8.000000000000e+00
$median << END
=Median: 8.00 µs
END
widest_median = 1.360000000000e+01
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-histogram.gp - how many values lie in each bin, with their mean and median if has_mean.
# $rows: begin, end, count, colour. $mean, $median: texts; mean, median: where they lie.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set style fill solid 1.0 border linecolor rgb "#ffffff"
set xrange [begin : end]
set yrange [0 : 1.15 * largest]
if (largest < 8) { set ytics 1 }
if (has_mean) {
	set arrow from mean, 0 to mean, 1.1 * largest nohead linecolor rgb "#D55E00" linewidth 2 dashtype 2 front
	set arrow from median, 0 to median, 1.1 * largest nohead linecolor rgb "#000000" linewidth 2 front
	set key top right opaque
	plot $rows using (0.5 * ($1 + $2)):(0.5 * $3):(0.5 * ($2 - $1)):(0.5 * $3):4 with boxxyerror fillcolor rgb variable, \
		keyentry with lines linecolor rgb "#D55E00" linewidth 2 dashtype 2 title said($mean[1]), \
		keyentry with lines linecolor rgb "#000000" linewidth 2 title said($median[1])
} else {
	plot $rows using (0.5 * ($1 + $2)):(0.5 * $3):(0.5 * ($2 - $1)):(0.5 * $3):4 with boxxyerror fillcolor rgb variable
}
$title << END
=Decode Time Distribution
END
widest_title = 2.105000000000e+01
$x_title << END
=Time of an Operation (µs)
END
widest_x_title = 2.170000000000e+01
$y_title << END
=Operations
END
widest_y_title = 9.050000000000e+00
begin = 5.500000000000e-02
end = 1.141950000000e+02
largest = 2.000000000000e+00
$rows << END
2.250000000000e+00 7.737500000000e+00 2.000000000000e+00 1.511398400000e+07
7.737500000000e+00 1.322500000000e+01 0.000000000000e+00 1.511398400000e+07
1.322500000000e+01 1.871250000000e+01 0.000000000000e+00 1.511398400000e+07
1.871250000000e+01 2.420000000000e+01 0.000000000000e+00 1.511398400000e+07
2.420000000000e+01 2.968750000000e+01 0.000000000000e+00 1.511398400000e+07
2.968750000000e+01 3.517500000000e+01 0.000000000000e+00 1.511398400000e+07
3.517500000000e+01 4.066250000000e+01 0.000000000000e+00 1.511398400000e+07
4.066250000000e+01 4.615000000000e+01 0.000000000000e+00 1.511398400000e+07
4.615000000000e+01 5.163750000000e+01 1.000000000000e+00 1.511398400000e+07
5.163750000000e+01 5.712500000000e+01 0.000000000000e+00 1.511398400000e+07
5.712500000000e+01 6.261250000000e+01 0.000000000000e+00 1.511398400000e+07
6.261250000000e+01 6.810000000000e+01 0.000000000000e+00 1.511398400000e+07
6.810000000000e+01 7.358750000000e+01 1.000000000000e+00 1.511398400000e+07
7.358750000000e+01 7.907500000000e+01 0.000000000000e+00 1.511398400000e+07
7.907500000000e+01 8.456250000000e+01 0.000000000000e+00 1.511398400000e+07
8.456250000000e+01 9.005000000000e+01 0.000000000000e+00 1.511398400000e+07
9.005000000000e+01 9.553750000000e+01 0.000000000000e+00 1.511398400000e+07
9.553750000000e+01 1.010250000000e+02 0.000000000000e+00 1.511398400000e+07
1.010250000000e+02 1.065125000000e+02 0.000000000000e+00 1.511398400000e+07
1.065125000000e+02 1.120000000000e+02 1.000000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
has_mean = 1
mean = 4.775000000000e+01
$mean << END
=Mean: 47.8 µs
END
widest_mean = 1.210000000000e+01
median = 4.800000000000e+01
$median << END
=Median: 48.0 µs
END
widest_median = 1.360000000000e+01
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-histogram.gp - how many values lie in each bin, with their mean and median if has_mean.
# $rows: begin, end, count, colour. $mean, $median: texts; mean, median: where they lie.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set style fill solid 1.0 border linecolor rgb "#ffffff"
set xrange [begin : end]
set yrange [0 : 1.15 * largest]
if (largest < 8) { set ytics 1 }
if (has_mean) {
	set arrow from mean, 0 to mean, 1.1 * largest nohead linecolor rgb "#D55E00" linewidth 2 dashtype 2 front
	set arrow from median, 0 to median, 1.1 * largest nohead linecolor rgb "#000000" linewidth 2 front
	set key top right opaque
	plot $rows using (0.5 * ($1 + $2)):(0.5 * $3):(0.5 * ($2 - $1)):(0.5 * $3):4 with boxxyerror fillcolor rgb variable, \
		keyentry with lines linecolor rgb "#D55E00" linewidth 2 dashtype 2 title said($mean[1]), \
		keyentry with lines linecolor rgb "#000000" linewidth 2 title said($median[1])
} else {
	plot $rows using (0.5 * ($1 + $2)):(0.5 * $3):(0.5 * ($2 - $1)):(0.5 * $3):4 with boxxyerror fillcolor rgb variable
}
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 4500,3600 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Operation Frequency Analysis
END
widest_heading = 2.495000000000e+01
panels = 4
set multiplot layout 2,2 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=Most Frequent Prefill Operations
END
widest_title = 2.665000000000e+01
$x_title << END
=Call Count
END
widest_x_title = 8.650000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 1.000000000000e+00
across = 4.848317256163e+01
$names << END
=aten::addmm
=vllm::unified_atte…th_output
=aten::mm
END
widest_names = 2.440000000000e+01
$ends << END
=1
=1
=1
END
widest_ends = 1.000000000000e+00
$rows << END
1.000000000000e+00 2.936200000000e+04
1.000000000000e+00 2.936200000000e+04
1.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Most Frequent Decode Operations
END
widest_title = 2.810000000000e+01
$x_title << END
=Call Count
END
widest_x_title = 8.650000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 5
largest = 8.000000000000e+00
across = 4.848317256163e+01
$names << END
=cudaGraphLaunch
=vllm::unified_atte…th_output
=aten::mm
=request_batch_prep
=sample_token
END
widest_names = 2.440000000000e+01
$ends << END
=8
=8
=8
=3
=1
END
widest_ends = 1.000000000000e+00
$rows << END
8.000000000000e+00 1.511398400000e+07
8.000000000000e+00 1.511398400000e+07
8.000000000000e+00 1.511398400000e+07
3.000000000000e+00 1.511398400000e+07
1.000000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Prefill: Frequency vs Total Time
END
widest_title = 2.635000000000e+01
$x_title << END
=Call Count
END
widest_x_title = 8.650000000000e+00
$y_title << END
=Total Time (µs)
END
widest_y_title = 1.315000000000e+01
has_line = 0
slope = 0.000000000000e+00
intercept = 8.000000000000e+00
least_x = 1.000000000000e+00
largest_x = 1.000000000000e+00
largest = 1.000000000000e+01
$names << END
=aten::addmm
=vllm::unified_atte…th_output
=aten::mm
END
widest_names = 2.440000000000e+01
$rows << END
1.000000000000e+00 1.000000000000e+01 2.936200000000e+04
1.000000000000e+00 8.000000000000e+00 2.936200000000e+04
1.000000000000e+00 6.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-scatter.gp - a point for each row, and the straight line that fits best if has_line.
# $rows: x, y, colour. $names: texts beside points, most of them empty.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics ytics linestyle 100
set xrange [0 : 1.1 * largest_x]
set yrange [0 : 1.15 * largest]
set key top left
line(x) = has_line && x >= least_x && x <= largest_x ? slope * x + intercept : NaN
# a name stands above its point, but within the panel
half(name) = 0.01 * largest_x * strlen(name)
beside(x, name) = x > 1.1 * largest_x - half(name) ? 1.1 * largest_x - half(name) : x < half(name) ? half(name) : x
if (largest_x >= 1e5) { set format x "%.1s%c" }
plot line(x) with lines linecolor rgb "#777777" linewidth 2 dashtype 2, \
	$rows using 1:2:3 with points pointtype 7 pointsize 1.4 linecolor rgb variable, \
	$rows using (beside($1, said($names[int($0) + 1]))):2:(said($names[int($0) + 1])) with labels center offset 0, 0.9 textcolor rgb "#333333"
$title << END
=Decode: Frequency vs Total Time
END
widest_title = 2.780000000000e+01
$x_title << END
=Call Count
END
widest_x_title = 8.650000000000e+00
$y_title << END
=Total Time (µs)
END
widest_y_title = 1.315000000000e+01
has_line = 1
slope = 1.183075221239e+01
intercept = -1.850221238938e+01
least_x = 1.000000000000e+00
largest_x = 8.000000000000e+00
largest = 1.120000000000e+02
$names << END
=cudaGraphLaunch
=vllm::unified_atte…th_output
=aten::mm
=request_batch_prep
=
END
widest_names = 2.440000000000e+01
$rows << END
8.000000000000e+00 1.120000000000e+02 1.511398400000e+07
8.000000000000e+00 7.200000000000e+01 1.511398400000e+07
8.000000000000e+00 4.800000000000e+01 1.511398400000e+07
3.000000000000e+00 4.500000000000e+00 1.511398400000e+07
1.000000000000e+00 2.250000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-scatter.gp - a point for each row, and the straight line that fits best if has_line.
# $rows: x, y, colour. $names: texts beside points, most of them empty.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics ytics linestyle 100
set xrange [0 : 1.1 * largest_x]
set yrange [0 : 1.15 * largest]
set key top left
line(x) = has_line && x >= least_x && x <= largest_x ? slope * x + intercept : NaN
# a name stands above its point, but within the panel
half(name) = 0.01 * largest_x * strlen(name)
beside(x, name) = x > 1.1 * largest_x - half(name) ? 1.1 * largest_x - half(name) : x < half(name) ? half(name) : x
if (largest_x >= 1e5) { set format x "%.1s%c" }
plot line(x) with lines linecolor rgb "#777777" linewidth 2 dashtype 2, \
	$rows using 1:2:3 with points pointtype 7 pointsize 1.4 linecolor rgb variable, \
	$rows using (beside($1, said($names[int($0) + 1]))):2:(said($names[int($0) + 1])) with labels center offset 0, 0.9 textcolor rgb "#333333"
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 4500,3600 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Performance Bottleneck Analysis
END
widest_heading = 2.785000000000e+01
panels = 4
set multiplot layout 2,2 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=Slowest Prefill Operations (Time/Call)
END
widest_title = 3.140000000000e+01
$x_title << END
=Time per Call (µs)
END
widest_x_title = 1.540000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 1.000000000000e+01
across = 4.308317256163e+01
$names << END
=aten::addmm
=vllm::unified_attention_with_output
=aten::mm
END
widest_names = 2.980000000000e+01
$ends << END
=10.00 µs
=8.00 µs
=6.00 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.000000000000e+01 2.936200000000e+04
8.000000000000e+00 2.936200000000e+04
6.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Slowest Decode Operations (Time/Call)
END
widest_title = 3.285000000000e+01
$x_title << END
=Time per Call (µs)
END
widest_x_title = 1.540000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 5
largest = 1.400000000000e+01
across = 4.308317256163e+01
$names << END
=cudaGraphLaunch
=vllm::unified_attention_with_output
=aten::mm
=sample_token
=request_batch_prep
END
widest_names = 2.980000000000e+01
$ends << END
=14.00 µs
=9.00 µs
=6.00 µs
=2.25 µs
=1.50 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.400000000000e+01 1.511398400000e+07
9.000000000000e+00 1.511398400000e+07
6.000000000000e+00 1.511398400000e+07
2.250000000000e+00 1.511398400000e+07
1.500000000000e+00 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Top Prefill Time Contributors
END
widest_title = 2.375000000000e+01
$x_title << END
=Percentage of Phase Time (%)
END
widest_x_title = 2.495000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 4.166666666667e+01
across = 4.308317256163e+01
$names << END
=aten::addmm
=vllm::unified_attention_with_output
=aten::mm
END
widest_names = 2.980000000000e+01
$ends << END
=41.67 %
=33.33 %
=25.00 %
END
widest_ends = 6.600000000000e+00
$rows << END
4.166666666667e+01 2.936200000000e+04
3.333333333333e+01 2.936200000000e+04
2.500000000000e+01 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Top Decode Time Contributors
END
widest_title = 2.520000000000e+01
$x_title << END
=Percentage of Phase Time (%)
END
widest_x_title = 2.495000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 5
largest = 4.691099476440e+01
across = 4.308317256163e+01
$names << END
=cudaGraphLaunch
=vllm::unified_attention_with_output
=aten::mm
=request_batch_prep
=sample_token
END
widest_names = 2.980000000000e+01
$ends << END
=46.91 %
=30.16 %
=20.10 %
=1.88 %
=0.94 %
END
widest_ends = 6.600000000000e+00
$rows << END
4.691099476440e+01 1.511398400000e+07
3.015706806283e+01 1.511398400000e+07
2.010471204188e+01 1.511398400000e+07
1.884816753927e+00 1.511398400000e+07
9.424083769634e-01 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 4500,3600 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Detailed Operation Breakdown
END
widest_heading = 2.520000000000e+01
panels = 4
set multiplot layout 2,2 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=Prefill Operations by Type
END
widest_title = 2.135000000000e+01
$x_title << END
=Total Time (µs)
END
widest_x_title = 1.315000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 2
largest = 1.600000000000e+01
across = 6.398317256163e+01
$names << END
=Matrix Ops
=Attention
END
widest_names = 8.900000000000e+00
$ends << END
=16.00 µs
=8.00 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.600000000000e+01 2.936200000000e+04
8.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Decode Operations by Type
END
widest_title = 2.280000000000e+01
$x_title << END
=Total Time (µs)
END
widest_x_title = 1.315000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 1.187500000000e+02
across = 6.398317256163e+01
$names << END
=Other
=Attention
=Matrix Ops
END
widest_names = 8.900000000000e+00
$ends << END
=118.8 µs
=72.0 µs
=48.0 µs
END
widest_ends = 7.600000000000e+00
$rows << END
1.187500000000e+02 1.511398400000e+07
7.200000000000e+01 1.511398400000e+07
4.800000000000e+01 1.511398400000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
$title << END
=Total vs Average Operation Time
END
widest_title = 2.720000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=Time (µs)
END
widest_y_title = 8.500000000000e+00
n = 4
whole = 0
largest = 2.387500000000e+02
$names << END
=Prefill: total
=Prefill: mean of 3
=Decode: total
=Decode: mean of 5
END
widest_names = 1.565000000000e+01
$ends << END
=24.0 µs
=8.0 µs
=238.8 µs
=47.8 µs
END
widest_ends = 7.600000000000e+00
$rows << END
2.400000000000e+01 2.936200000000e+04
8.000000000000e+00 8.436185000000e+06
2.387500000000e+02 1.511398400000e+07
4.775000000000e+01 1.597836800000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-columns.gp - a column for each row: its name below it, its value above it.
# $rows: height, colour. $names, $ends: texts of the rows. whole: heights are
# whole numbers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set xtics scale 0
if (whole && largest < 8) { set ytics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.12 * largest]
plot $rows using 0:1:(0.7):2:xtic(said($names[int($0) + 1])) with boxes linecolor rgb variable, \
	$rows using 0:1:(said($ends[int($0) + 1])) with labels offset 0, 0.7
$title << END
=Phase Efficiency Comparison
END
widest_title = 2.430000000000e+01
$x_title << END
=
END
widest_x_title = 0.000000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
columns = 4
lines = 5
$names << END
=Metric
=Prefill
=Decode
=Comparison
=Ops/ms
=125.000
=20.942
=Prefill more efficient
=Avg Time/Op (ms)
=0.01
=0.05
=Prefill faster ops
=Total Operations
=3
=5
=Decode more diverse
=Phase Dominance
=9.1%
=90.9%
=Decode dominates
END
widest_names = 1.765000000000e+01
$rows << END
0.000000000000e+00 0.000000000000e+00 1.526397600000e+07
1.000000000000e+00 0.000000000000e+00 1.526397600000e+07
2.000000000000e+00 0.000000000000e+00 1.526397600000e+07
3.000000000000e+00 0.000000000000e+00 1.526397600000e+07
0.000000000000e+00 1.000000000000e+00 1.611928500000e+07
1.000000000000e+00 1.000000000000e+00 1.677721500000e+07
2.000000000000e+00 1.000000000000e+00 1.677721500000e+07
3.000000000000e+00 1.000000000000e+00 1.677721500000e+07
0.000000000000e+00 2.000000000000e+00 1.611928500000e+07
1.000000000000e+00 2.000000000000e+00 1.677721500000e+07
2.000000000000e+00 2.000000000000e+00 1.677721500000e+07
3.000000000000e+00 2.000000000000e+00 1.677721500000e+07
0.000000000000e+00 3.000000000000e+00 1.611928500000e+07
1.000000000000e+00 3.000000000000e+00 1.677721500000e+07
2.000000000000e+00 3.000000000000e+00 1.677721500000e+07
3.000000000000e+00 3.000000000000e+00 1.677721500000e+07
0.000000000000e+00 4.000000000000e+00 1.611928500000e+07
1.000000000000e+00 4.000000000000e+00 1.677721500000e+07
2.000000000000e+00 4.000000000000e+00 1.677721500000e+07
3.000000000000e+00 4.000000000000e+00 1.677721500000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-table.gp - a table. $rows: column and line, from 0; colour of the ground. $names: texts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
unset border
unset tics
unset xlabel
unset ylabel
set style fill solid 1.0 border linecolor rgb "#bbbbbb"
set xrange [-0.5 : columns - 0.5]
set yrange [lines - 0.5 : -0.5]
plot $rows using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor rgb variable, \
	$rows using ($2 > 0 && $1 > 0 ? $1 : NaN):2:(said($names[int($0) + 1])) with labels center, \
	$rows using ($2 > 0 && $1 > 0 ? NaN : $1):2:(said($names[int($0) + 1])) with labels center font bold
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,885 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Where the time goes
END
widest_heading = 1.715000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=of the recorded window; overlap counts once; communication and copies where nothing hides them; unrecorded: launched before it
END
widest_title = 1.092000000000e+02
$x_title << END
=µs
END
widest_x_title = 2.600000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 1
largest = 1.295000000000e+03
n_parts = 4
$parts << END
=kernels  315.8 µs, 24.4 %
=exposed communication  32.0 µs, 2.5 %
=exposed copies  4.5 µs, 0.3 %
=idle  942.8 µs, 72.8 %
END
widest_parts = 3.355000000000e+01
$colours << END
=#0072b2
=#d55e00
=#e69f00
=#c3c9d1
END
widest_colours = 7.350000000000e+00
$names << END
=
END
widest_names = 0.000000000000e+00
$rows << END
0.000000000000e+00 0.000000000000e+00 3.157500000000e+02 2.936200000000e+04
0.000000000000e+00 3.157500000000e+02 3.477500000000e+02 1.398323200000e+07
0.000000000000e+00 3.477500000000e+02 3.522500000000e+02 1.511398400000e+07
0.000000000000e+00 3.522500000000e+02 1.295000000000e+03 1.283118500000e+07
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-parts.gp - stacked bars that lie: $rows: bar, begin, end, colour. $names: texts of the
# bars; $parts, $colours: texts and colours of the parts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set style fill solid 1.0 border linecolor rgb "#ffffff"
set ytics scale 0
set lmargin widest_names + 3
set xrange [0 : largest]
set yrange [n - 0.4 : -0.6]
set bmargin n_parts > 6 ? 5 + (n_parts + 2) / 3 : 6
set key bmargin center horizontal Left reverse
plot $rows using (0.5 * ($2 + $3)):1:(0.5 * ($3 - $2)):(0.38):4:ytic(said($names[int($1) + 1])) with boxxyerror fillcolor rgb variable, \
	for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,1170 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Kernel time of the largest operators
END
widest_heading = 2.970000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=without communication and work that no call launched; overlap of operators counts twice
END
widest_title = 7.435000000000e+01
$x_title << END
=µs
END
widest_x_title = 2.600000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 7
largest = 1.080000000000e+02
across = 1.009609860665e+02
$names << END
=vllm::unified_attention_with_output
=cudaGraphLaunch
=aten::mm
=aten::addmm
=cudaLaunchKernel
=sample_token
=request_batch_prep
END
widest_names = 2.980000000000e+01
$ends << END
=108.0 µs  33.7 %
=80.0 µs  25.0 %
=72.0 µs  22.5 %
=40.0 µs  12.5 %
=9.0 µs  2.8 %
=6.8 µs  2.1 %
=4.5 µs  1.4 %
END
widest_ends = 1.420000000000e+01
$rows << END
1.080000000000e+02 2.936200000000e+04
8.000000000000e+01 2.936200000000e+04
7.200000000000e+01 2.936200000000e+04
4.000000000000e+01 2.936200000000e+04
9.000000000000e+00 2.936200000000e+04
6.750000000000e+00 2.936200000000e+04
4.500000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,1080 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Kernel time by category
END
widest_heading = 1.995000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=without communication and work that no call launched; overlap of operators counts twice
END
widest_title = 7.435000000000e+01
$x_title << END
=µs
END
widest_x_title = 2.600000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 3
largest = 1.120000000000e+02
across = 1.152609860665e+02
$names << END
=GEMM
=InferenceAttention
=other
END
widest_names = 1.550000000000e+01
$ends << END
=112.0 µs  35.0 %
=108.0 µs  33.7 %
=100.2 µs  31.3 %
END
widest_ends = 1.420000000000e+01
$rows << END
1.120000000000e+02 2.936200000000e+04
1.080000000000e+02 2.936200000000e+04
1.002500000000e+02 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,1080 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Kernel time by phase
END
widest_heading = 1.765000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=without communication and work that no call launched; overlap of operators counts twice
END
widest_title = 7.435000000000e+01
$x_title << END
=µs
END
widest_x_title = 2.600000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 4
largest = 2.387500000000e+02
across = 1.231609860665e+02
$names << END
=Decode
=Mixed
=Prefill
=Unknown
END
widest_names = 7.600000000000e+00
$ends << END
=238.8 µs  67.8 %
=80.5 µs  22.9 %
=24.0 µs  6.8 %
=9.0 µs  2.6 %
END
widest_ends = 1.420000000000e+01
$rows << END
2.387500000000e+02 2.936200000000e+04
8.050000000000e+01 2.936200000000e+04
2.400000000000e+01 2.936200000000e+04
9.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,2400 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Steps
END
widest_heading = 4.900000000000e+00
panels = 2
set multiplot layout 2,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=How long each step takes on the GPU
END
widest_title = 3.105000000000e+01
$x_title << END
=Step
END
widest_x_title = 3.900000000000e+00
$y_title << END
=Time on the GPU (µs)
END
widest_y_title = 1.815000000000e+01
n = 14
largest = 7.825000000000e+01
n_parts = 5
$parts << END
=Prefill
=Decode
=Mixed
=Unknown
=GPU idle between the step's kernels
END
widest_parts = 2.995000000000e+01
$colours << END
=#0072b2
=#e69f00
=#009e73
=#7a7a7a
=#c3c9d1
END
widest_colours = 7.350000000000e+00
$rows << END
2.400000000000e+01 2.600000000000e+01 2.936200000000e+04
3.125000000000e+01 4.700000000000e+01 1.511398400000e+07
2.600000000000e+01 2.400000000000e+01 4.056300000000e+04
2.950000000000e+01 3.800000000000e+01 1.511398400000e+07
2.900000000000e+01 3.000000000000e+01 1.511398400000e+07
2.825000000000e+01 5.000000000000e+01 4.056300000000e+04
2.800000000000e+01 3.100000000000e+01 1.511398400000e+07
3.050000000000e+01 3.700000000000e+01 1.511398400000e+07
3.000000000000e+01 2.900000000000e+01 1.511398400000e+07
2.625000000000e+01 5.200000000000e+01 4.056300000000e+04
2.900000000000e+01 3.000000000000e+01 1.511398400000e+07
3.150000000000e+01 3.600000000000e+01 1.511398400000e+07
2.000000000000e+00 0.000000000000e+00 8.026746000000e+06
2.000000000000e+00 0.000000000000e+00 8.026746000000e+06
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-steps.gp - a column for each step: $rows: GPU busy, idle, colour. $parts, $colours: phases.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
if (n <= 20) { set xtics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.1 * largest]
set bmargin 6
set key bmargin center horizontal Left reverse
plot $rows using 0:(0.5 * $1):(n > 100 ? 0.5 : 0.4):(0.5 * $1):3 with boxxyerror fillcolor rgb variable, \
	$rows using 0:($1 + 0.5 * $2):(n > 100 ? 0.5 : 0.4):(0.5 * $2) with boxxyerror fillcolor rgb "#c3c9d1", \
	for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
$title << END
=When each step runs
END
widest_title = 1.740000000000e+01
$x_title << END
=Time since the trace begins (µs)
END
widest_x_title = 2.745000000000e+01
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
largest = 1.260000000000e+03
n = 28
$rows << END
0.000000000000e+00 9.000000000000e+01 0.000000000000e+00 2.936200000000e+04
1.000000000000e+01 6.000000000000e+01 1.000000000000e+00 2.936200000000e+04
1.000000000000e+02 1.900000000000e+02 0.000000000000e+00 1.511398400000e+07
1.100000000000e+02 1.882500000000e+02 1.000000000000e+00 1.511398400000e+07
2.000000000000e+02 2.900000000000e+02 0.000000000000e+00 4.056300000000e+04
2.100000000000e+02 2.600000000000e+02 1.000000000000e+00 4.056300000000e+04
3.000000000000e+02 3.900000000000e+02 0.000000000000e+00 1.511398400000e+07
3.100000000000e+02 3.775000000000e+02 1.000000000000e+00 1.511398400000e+07
4.000000000000e+02 4.900000000000e+02 0.000000000000e+00 1.511398400000e+07
4.100000000000e+02 4.690000000000e+02 1.000000000000e+00 1.511398400000e+07
5.000000000000e+02 5.900000000000e+02 0.000000000000e+00 4.056300000000e+04
5.100000000000e+02 5.882500000000e+02 1.000000000000e+00 4.056300000000e+04
6.000000000000e+02 6.900000000000e+02 0.000000000000e+00 1.511398400000e+07
6.100000000000e+02 6.690000000000e+02 1.000000000000e+00 1.511398400000e+07
7.000000000000e+02 7.900000000000e+02 0.000000000000e+00 1.511398400000e+07
7.100000000000e+02 7.775000000000e+02 1.000000000000e+00 1.511398400000e+07
8.000000000000e+02 8.900000000000e+02 0.000000000000e+00 1.511398400000e+07
8.100000000000e+02 8.690000000000e+02 1.000000000000e+00 1.511398400000e+07
9.000000000000e+02 9.900000000000e+02 0.000000000000e+00 4.056300000000e+04
9.100000000000e+02 9.882500000000e+02 1.000000000000e+00 4.056300000000e+04
1.000000000000e+03 1.090000000000e+03 0.000000000000e+00 1.511398400000e+07
1.010000000000e+03 1.069000000000e+03 1.000000000000e+00 1.511398400000e+07
1.100000000000e+03 1.190000000000e+03 0.000000000000e+00 1.511398400000e+07
1.110000000000e+03 1.177500000000e+03 1.000000000000e+00 1.511398400000e+07
1.210000000000e+03 1.230000000000e+03 0.000000000000e+00 8.026746000000e+06
1.218000000000e+03 1.220000000000e+03 1.000000000000e+00 8.026746000000e+06
1.240000000000e+03 1.260000000000e+03 0.000000000000e+00 8.026746000000e+06
1.246000000000e+03 1.248000000000e+03 1.000000000000e+00 8.026746000000e+06
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-spans.gp - when each step runs: $rows: begin, end, lane (0: host, 1: GPU), colour. n: how many
# rows; many have no room for gaps between them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0 ("host" 0, "GPU" 1)
set xrange [0 : largest]
set yrange [1.6 : -0.6]
if (n <= 200) { set style fill solid 1.0 border linecolor rgb "#ffffff" }
plot $rows using (0.5 * ($1 + $2)):3:(0.5 * ($2 - $1)):(0.35):4 with boxxyerror fillcolor rgb variable
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,1500 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Steps of the program
END
widest_heading = 1.760000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=from the start of each step to that of the next
END
widest_title = 3.770000000000e+01
$x_title << END
=step
END
widest_x_title = 3.650000000000e+00
$y_title << END
=µs
END
widest_y_title = 2.600000000000e+00
n = 13
largest = 1.400000000000e+02
n_parts = 3
$parts << END
=step
=slow step
=first step
END
widest_parts = 8.000000000000e+00
$colours << END
=#0072b2
=#d55e00
=#aab2bc
END
widest_colours = 7.350000000000e+00
$rows << END
1.000000000000e+02 0.000000000000e+00 1.118687600000e+07
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.000000000000e+02 0.000000000000e+00 2.936200000000e+04
1.400000000000e+02 0.000000000000e+00 1.398323200000e+07
2.000000000000e+01 0.000000000000e+00 2.936200000000e+04
END
widest_rows = 0.000000000000e+00
# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands. How wide the widest text of the block
# $NAME is, in digits, is widest_NAME.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
if (panels > 1) {
	set title said($title[1]) font bold textcolor rgb "#111111" offset 0,0.3
} else { # below the heading: beside a wide margin a long title would leave the picture
	set title " " offset 0,0.3
	set label said($title[1]) at screen 0.5, graph 1 center offset 0,1.3 textcolor rgb "#111111"
}
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
# panel-steps.gp - a column for each step: $rows: GPU busy, idle, colour. $parts, $colours: phases.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
if (n <= 20) { set xtics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.1 * largest]
set bmargin 6
set key bmargin center horizontal Left reverse
plot $rows using 0:(0.5 * $1):(n > 100 ? 0.5 : 0.4):(0.5 * $1):3 with boxxyerror fillcolor rgb variable, \
	$rows using 0:($1 + 0.5 * $2):(n > 100 ? 0.5 : 0.4):(0.5 * $2) with boxxyerror fillcolor rgb "#c3c9d1", \
	for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
unset multiplot
