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
