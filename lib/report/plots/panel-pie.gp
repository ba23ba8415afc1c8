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
