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
