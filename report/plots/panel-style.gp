# panel-style.gp - what all panels share; stands before each of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Texts come in blocks of lines that begin with '=': they are data, never commands.
reset
said(line) = substr(line, 2, strlen(line))
set border 3 linecolor rgb "#555555" linewidth 1
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set style line 100 linetype 1 linecolor rgb "#dddddd" linewidth 1 # of grids
set style fill solid 1.0 noborder
set title said($title[1]) font panels > 1 ? bold : "" textcolor rgb "#111111" offset 0,0.3
set xlabel said($x_title[1]) textcolor rgb "#333333"
set ylabel said($y_title[1]) textcolor rgb "#333333"
set key noautotitle samplen 1.5 textcolor rgb "#333333"
