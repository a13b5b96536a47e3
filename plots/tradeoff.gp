# SPDX-License-Identifier: MIT
#
# What a design buys with what: a point for each back end, with the time of a read upwards and the
# error to the right, and its name and what an update costs beside it. A thin line goes from the error
# to the bound of the design. 0, which a logarithmic axis has not, has a place of its own at the left.
#
# Settings beside those of style.gp: has_zero, zero_end (x between 0 and the rest), name_x[], name_y[]
# (shares of the plot), name_side[] (0: the text begins there, 1: it ends there, 2: its middle is there).
# Columns: 1 x of the error, 2 middle, 3 and 4 interval of the median, 5 x of the bound.

if (has_zero && !dumb) {
    set object 1 rectangle from graph 0, graph 0 to zero_end, graph 1 fc rgb '#f2f2f2' fs solid noborder behind
    set arrow 1 from zero_end, graph 0 to zero_end, graph 1 nohead lc rgb '#777777' lw 1.2 dt (3, 3) back
    set label 1 'exact' at zero_end, graph 1 right offset -0.6, 0.6 font small_font tc rgb '#555555'
}
if (!dumb && !narrow) {
    do for [i = 1:nr_lines] {
        if (name_side[i] == 0) { set label 100+i line_label[i] at graph name_x[i], graph name_y[i] left front boxed font small_font tc rgb '#222222' }
        if (name_side[i] == 1) { set label 100+i line_label[i] at graph name_x[i], graph name_y[i] right front boxed font small_font tc rgb '#222222' }
        if (name_side[i] == 2) { set label 100+i line_label[i] at graph name_x[i], graph name_y[i] center front boxed font small_font tc rgb '#222222' }
    }
}

if (dumb) {
    plot for [i = 1:nr_lines] data index i-1 using 1:2 with points lt i title line_label[i]
} else {
    plot for [i = 1:nr_lines] data index i-1 using 1:2:($5 - $1):(0) with vectors heads size screen 0.005, 90 lc rgb colour(line_backend[i]) lw 1.0 dt solid notitle, \
         for [i = 1:nr_lines] data index i-1 using 1:3:(0):($4 - $3) with vectors heads size screen 0.004, 90 lc rgb colour(line_backend[i]) lw 1.1 dt solid notitle, \
         for [i = 1:nr_lines] data index i-1 using 1:2 with points lt i ps 1.7 title line_label[i]
}
