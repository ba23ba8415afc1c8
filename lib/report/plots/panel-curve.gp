# panel-curve.gp - lines over time. $rows: time, then a value for each of $parts, in the colours $colours;
# filled: values are sums, between which areas are filled. $marks: n_marks times of vertical lines.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set xrange [first : last]
set yrange [0 : 1.1 * largest]
set bmargin 6
set key bmargin center horizontal Left reverse
do for [i = 1 : n_marks] {
	set arrow from real($marks[i]), graph 0 to real($marks[i]), graph 1 nohead dashtype 2 linecolor rgb "#777777" back
}
if (filled) {
	plot for [i = 1 : n_parts] $rows using 1:(column(n_parts + 2 - i)) with fillsteps fillcolor rgb said($colours[n_parts + 1 - i]), \
		for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
} else {
	plot for [i = 1 : n_parts] $rows using 1:(column(i + 1)) with steps linewidth 1.5 linecolor rgb said($colours[i]) title said($parts[i])
}
