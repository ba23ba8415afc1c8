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
