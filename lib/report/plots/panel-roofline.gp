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
