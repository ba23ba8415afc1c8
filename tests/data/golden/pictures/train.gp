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
largest = 1.900000000000e+03
n_parts = 4
$parts << END
=kernels  391.6 µs, 20.6 %
=exposed communication  55.5 µs, 2.9 %
=exposed copies  14.5 µs, 0.8 %
=idle  1,438.4 µs, 75.7 %
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
0.000000000000e+00 0.000000000000e+00 3.916250000000e+02 2.936200000000e+04
0.000000000000e+00 3.916250000000e+02 4.471250000000e+02 1.398323200000e+07
0.000000000000e+00 4.471250000000e+02 4.616250000000e+02 1.511398400000e+07
0.000000000000e+00 4.616250000000e+02 1.900000000000e+03 1.283118500000e+07
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
set terminal pngcairo noenhanced size 3900,990 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Where the time of each device goes
END
widest_heading = 2.980000000000e+01
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
n = 2
largest = 1.900000000000e+03
n_parts = 4
$parts << END
=kernels
=exposed communication
=exposed copies
=idle
END
widest_parts = 2.035000000000e+01
$colours << END
=#0072b2
=#d55e00
=#e69f00
=#c3c9d1
END
widest_colours = 7.350000000000e+00
$names << END
=rank 1, process 0, device 0
=rank 1, process 1, device 1
END
widest_names = 2.230000000000e+01
$rows << END
0.000000000000e+00 0.000000000000e+00 7.482500000000e+02 2.936200000000e+04
1.000000000000e+00 0.000000000000e+00 3.500000000000e+01 2.936200000000e+04
0.000000000000e+00 7.482500000000e+02 8.592500000000e+02 1.398323200000e+07
0.000000000000e+00 8.592500000000e+02 8.802500000000e+02 1.511398400000e+07
1.000000000000e+00 3.500000000000e+01 4.300000000000e+01 1.511398400000e+07
0.000000000000e+00 8.802500000000e+02 1.900000000000e+03 1.283118500000e+07
1.000000000000e+00 4.300000000000e+01 1.900000000000e+03 1.283118500000e+07
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
set terminal pngcairo noenhanced size 3900,1890 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
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
n = 15
largest = 1.300000000000e+02
across = 1.032109860665e+02
$names << END
=aten::mm
=aten::_flash_attention_backward
=aten::addmm
=aten::convolution_backward
=aten::_flash_attention_forward
=aten::convolution
=aten::_foreach_add_
=aten::native_layer_norm
=aten::sum
=aten::bmm
=cudaGraphLaunch
=aten::add
=aten::add_
=aten::gelu
=aten::to
END
widest_names = 2.755000000000e+01
$ends << END
=130.0 µs  16.7 %
=120.0 µs  15.4 %
=90.0 µs  11.5 %
=84.0 µs  10.8 %
=70.0 µs  9.0 %
=70.0 µs  9.0 %
=48.8 µs  6.2 %
=32.0 µs  4.1 %
=24.0 µs  3.1 %
=18.0 µs  2.3 %
=18.0 µs  2.3 %
=12.0 µs  1.5 %
=12.0 µs  1.5 %
=12.0 µs  1.5 %
=11.5 µs  1.5 %
END
widest_ends = 1.420000000000e+01
$rows << END
1.300000000000e+02 2.936200000000e+04
1.200000000000e+02 2.936200000000e+04
9.000000000000e+01 2.936200000000e+04
8.400000000000e+01 2.936200000000e+04
7.000000000000e+01 2.936200000000e+04
7.000000000000e+01 2.936200000000e+04
4.875000000000e+01 2.936200000000e+04
3.200000000000e+01 2.936200000000e+04
2.400000000000e+01 2.936200000000e+04
1.800000000000e+01 2.936200000000e+04
1.800000000000e+01 2.936200000000e+04
1.200000000000e+01 2.936200000000e+04
1.200000000000e+01 2.936200000000e+04
1.200000000000e+01 2.936200000000e+04
1.150000000000e+01 2.936200000000e+04
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
set terminal pngcairo noenhanced size 3900,1260 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
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
n = 8
largest = 2.802500000000e+02
across = 1.201609860665e+02
$names << END
=other
=GEMM
=CONV_bwd
=CONV_fwd
=elementwise
=NORM_fwd
=reduce
=triton
END
widest_names = 1.060000000000e+01
$ends << END
=280.2 µs  35.9 %
=238.0 µs  30.5 %
=84.0 µs  10.8 %
=70.0 µs  9.0 %
=36.0 µs  4.6 %
=32.0 µs  4.1 %
=24.0 µs  3.1 %
=16.0 µs  2.1 %
END
widest_ends = 1.420000000000e+01
$rows << END
2.802500000000e+02 2.936200000000e+04
2.380000000000e+02 2.936200000000e+04
8.400000000000e+01 2.936200000000e+04
7.000000000000e+01 2.936200000000e+04
3.600000000000e+01 2.936200000000e+04
3.200000000000e+01 2.936200000000e+04
2.400000000000e+01 2.936200000000e+04
1.600000000000e+01 2.936200000000e+04
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
set terminal pngcairo noenhanced size 4500,2550 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Largest operators against the roof
END
widest_heading = 2.835000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=16 rows with 83.1 % of the kernel time, communication left out; not modelled: 14.9 %
END
widest_title = 7.075000000000e+01
$x_title << END
=FLOP/byte
END
widest_x_title = 8.550000000000e+00
$y_title << END
=TFLOP/s
END
widest_y_title = 6.900000000000e+00
n_roofs = 1
$roof_names << END
=roof memory
END
widest_roof_names = 1.065000000000e+01
$roofs << END
1.240310077519e-01 6.573643410853e-01
1.376892430279e+01 7.297529880478e+01
END
widest_roofs = 0.000000000000e+00
n_parts = 8
$parts << END
=SDPA_bwd
=CONV_bwd
=CONV_fwd
=SDPA_fwd
=GEMM
=NORM_fwd
=elementwise
=other categories
END
widest_parts = 1.360000000000e+01
$colours << END
=#0072b2
=#e69f00
=#009e73
=#cc79a7
=#56b4e9
=#d55e00
=#f0e442
=#7a7a7a
END
widest_colours = 7.350000000000e+00
n_names = 13
$names << END
=1  ScaledDotProductFlashAttentionBackward0
=2  aten::convolution_backward [2,4,8,8] [2,3,8,8] [4,3,3,3]
=3  aten::convolution [2,3,8,8] [4,3,3,3] [4]
=4  aten::_scaled_dot_product_flash_atten…1,4,16,8] [1,4,16,8]
=5  aten::addmm [32] [32,16] [16,32]
=6  aten::addmm [32] [32,16] [16,32] #2
=7  aten::native_layer_norm [4,8,16] [16] [16]
=8  aten::mm [32,16] [16,64]
=9  aten::bmm [2,8,16] [2,16,8]
=10  aten::add [4,8,16] [4,8,16]
=11  aten::add_ [4,8,16] [16]
=12  aten::sum [4,8,16]
=13  aten::sum [32,32]
END
widest_names = 5.190000000000e+01
$rows << END
5.714285714286e+00 1.365333333333e-03 3.900000000000e+00 2.936200000000e+04 1.000000000000e+00
1.376892430279e+01 1.316571428571e-03 3.409980079602e+00 1.511398400000e+07 2.000000000000e+00
1.376892430279e+01 7.899428571429e-04 3.191287847478e+00 4.056300000000e+04 3.000000000000e+00
4.000000000000e+00 9.557333333333e-04 3.191287847478e+00 1.340048700000e+07 4.000000000000e+00
8.123076923077e+00 1.351680000000e-03 2.836491673104e+00 5.682409000000e+06 5.000000000000e+00
8.123076923077e+00 1.689600000000e-03 2.632050807569e+00 5.682409000000e+06 6.000000000000e+00
8.000000000000e+00 1.820444444444e-03 2.543167672515e+00 5.682409000000e+06 0.000000000000e+00
8.000000000000e+00 1.927529411765e-03 2.496871942267e+00 5.682409000000e+06 0.000000000000e+00
1.185714285714e+00 3.320000000000e-04 2.449193338483e+00 1.398323200000e+07 7.000000000000e+00
9.142857142857e+00 4.369066666667e-03 2.400000000000e+00 5.682409000000e+06 8.000000000000e+00
9.142857142857e+00 4.369066666667e-03 2.400000000000e+00 5.682409000000e+06 0.000000000000e+00
3.200000000000e+00 4.551111111111e-04 2.061895003862e+00 5.682409000000e+06 9.000000000000e+00
1.666666666667e-01 8.533333333333e-05 1.848683298051e+00 1.578707400000e+07 1.000000000000e+01
1.240310077519e-01 8.533333333333e-05 1.848683298051e+00 1.578707400000e+07 1.100000000000e+01
4.990253411306e-01 8.533333333333e-05 1.848683298051e+00 8.026746000000e+06 1.200000000000e+01
4.995121951220e-01 1.706666666667e-04 1.848683298051e+00 8.026746000000e+06 1.300000000000e+01
END
widest_rows = 0.000000000000e+00
least_x = 1.240310077519e-01
largest_x = 1.376892430279e+01
least_y = 8.533333333333e-05
largest_y = 7.297529880478e+01
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
# panel-roofline.gp - operators below roofs. $rows: FLOP/byte, TFLOP/s, size, colour, number or 0.
# $roofs: intensity and the height of each roof. $roof_names; $names: texts of the numbers;
# $parts, $colours: categories.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics ytics linestyle 100
set logscale xy
set format xy "%g"
set xrange [least_x / 2 : largest_x * 2]
set yrange [least_y / 2 : largest_y * 2]
set style fill transparent solid 0.75 border linecolor rgb "#ffffff"
# gnuplot takes a text to be as wide as so many digits as it has letters
longest = 0
larger(a, b) = a > b ? a : b
do for [i = 1 : n_roofs] { longest = larger(longest, strlen(said($roof_names[i]))) }
do for [i = 1 : n_parts] { longest = larger(longest, strlen(said($parts[i]))) }
do for [i = 1 : n_names] { longest = larger(longest, strlen(said($names[i]))) }
set key outside right top Left reverse vertical width larger(widest_roof_names, larger(widest_parts, widest_names)) - longest
# where the number of a point stands: above its circle
above(y, size) = y * exp(log(4 * largest_y / least_y) * (9 + 3.5 * size) / 720)
plot for [i = 1 : n_roofs] $roofs using 1:(column(i + 1)) with lines linewidth 2 linecolor rgb "#555555" dashtype i title said($roof_names[i]), \
	$rows using 1:2:3:4 with points pointtype 7 pointsize variable linecolor rgb variable, \
	$rows using 1:(above($2, $3)):($5 > 0 ? sprintf("%d", $5) : "") with labels center textcolor rgb "#111111", \
	for [i = 1 : n_parts] keyentry with points pointtype 7 pointsize 1.4 linecolor rgb said($colours[i]) title said($parts[i]), \
	keyentry with points pointtype 7 pointsize 0 title " ", \
	for [i = 1 : n_names] keyentry with points pointtype 7 pointsize 0 title said($names[i])
unset multiplot
set encoding utf8
set terminal pngcairo noenhanced size 3900,1890 font "Sans,11" fontscale 3.0000 linewidth 3.0000 pointscale 3.0000
bold = ":Bold"
heading = ":Bold,16"
$heading << END
=Largest operators: percent of roofline
END
widest_heading = 3.115000000000e+01
panels = 1
set multiplot layout 1,1 title substr($heading[1], 2, strlen($heading[1])) font heading
$title << END
=without communication; operators without a model: roofline_chart
END
widest_title = 5.510000000000e+01
$x_title << END
=%
END
widest_x_title = 1.600000000000e+00
$y_title << END
=
END
widest_y_title = 0.000000000000e+00
n = 15
largest = 1.298113207547e-02
across = 6.986098606645e+01
$names << END
=ScaledDotProductFlashAttentionBackward0
=aten::convolution_backward [2,4,8,8] [2,3,8,8] [4,3,3,3]
=aten::convolution [2,3,8,8] [4,3,3,3] [4]
=aten::_scaled_dot_product_flash_attention [1,4,16,8] [1,4,16,8] [1,4,16,8]
=aten::addmm [32] [32,16] [16,32]
=aten::addmm [32] [32,16] [16,32] #2
=aten::mm [32,32] [32,16]
=aten::mm [16,32] [32,32]
=aten::native_layer_norm [4,8,16] [16] [16]
=aten::mm [32,16] [16,64]
=aten::mm [16,32] [32,64]
=aten::bmm [2,8,16] [2,16,8]
=aten::add [4,8,16] [4,8,16]
=aten::add_ [4,8,16] [16]
=aten::sum [4,8,16]
END
widest_names = 6.090000000000e+01
$ends << END
=<0.01 %
=<0.01 %
=<0.01 %
=<0.01 %
=<0.01 %
=<0.01 %
=<0.01 %
=<0.01 %
=0.01 %
=0.01 %
=0.01 %
=<0.01 %
=0.01 %
=0.01 %
=<0.01 %
END
widest_ends = 6.950000000000e+00
$rows << END
4.508176100629e-03 4.056300000000e+04
1.804132973944e-03 4.056300000000e+04
1.082479784367e-03 4.056300000000e+04
4.508176100629e-03 4.056300000000e+04
3.139622641509e-03 4.056300000000e+04
3.924528301887e-03 4.056300000000e+04
4.293501048218e-03 4.056300000000e+04
4.546059933407e-03 4.056300000000e+04
5.283018867925e-03 4.056300000000e+04
9.016352201258e-03 4.056300000000e+04
9.016352201258e-03 4.056300000000e+04
2.683438155136e-03 4.056300000000e+04
9.660377358491e-03 4.056300000000e+04
1.298113207547e-02 4.056300000000e+04
3.226415094340e-03 4.056300000000e+04
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
n = 2
largest = 1.000000000000e+03
n_parts = 2
$parts << END
=step
=first step
END
widest_parts = 7.600000000000e+00
$colours << END
=#0072b2
=#aab2bc
END
widest_colours = 7.350000000000e+00
$rows << END
1.000000000000e+03 0.000000000000e+00 1.118687600000e+07
9.000000000000e+02 0.000000000000e+00 2.936200000000e+04
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
