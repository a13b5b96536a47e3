# SPDX-License-Identifier: MIT
#
# Time per read of each back end where nothing is swept: a point for the median with its interval, and
# whiskers for the percentiles. Points and not bars: a logarithmic axis has no zero to stand on.
#
# Settings beside those of style.gp: floor_ns, floor_label, nr_references, reference_x[],
# reference_ns[], reference_backend[], reference_label[].
# Columns: 1 place, 2 middle, 3 and 4 interval of the median, 5 and 6 whiskers.

if (floor_ns == floor_ns) {
    set arrow 1 from graph 0, first floor_ns to graph 1, first floor_ns nohead lc rgb '#777777' lw 1.2 dt (3, 3) back
    if (dumb) {
        set label 1 floor_label at graph 0.98, first floor_ns right offset 0, 1 front
    } else {
        set label 1 floor_label at graph 0.995, first floor_ns right offset 0, 0.6 font small_font tc rgb '#555555'
    }
}
do for [i = 1:nr_references] {
    if (narrow) { reference_label[i] = 'published' }
    if (dumb) {
        set label 100+i 'R' at reference_x[i], reference_ns[i] center front
    } else { if (reference_x[i] <= nr_lines / 2) {
        set label 100+i reference_label[i] at reference_x[i], reference_ns[i] left offset 1.6, -0.1 boxed front font small_font point pt 3 ps 1.2 lc rgb colour(reference_backend[i])
    } else {
        set label 100+i reference_label[i] at reference_x[i], reference_ns[i] right offset -1.6, -0.1 boxed front font small_font point pt 3 ps 1.2 lc rgb colour(reference_backend[i])
    } }
}
if (dumb && nr_references) { set xlabel 'R: published' }
if (!dumb) {
    tick_font = narrow ? ',13.5' : ',11'
    # Names side by side where there are few, a line for each of their parts; slanted where there are many.
    if (narrow && nr_lines > 3) { set xtics rotate by 45 right font tick_font }
    if (!narrow && nr_lines > 10) { set xtics rotate by -30 font tick_font }
    if (!narrow && nr_lines <= 10) {
        # Of many even their words have lines of their own.
        cut = nr_lines > 6 ? ' ' : ', '
        do for [i = 1:nr_lines] {
            if (nr_lines > 6 && strstrt(line_label[i], ', ')) { tick_font = ',9.5' }
        }
        set xtics font tick_font
        do for [i = 1:nr_lines] {
            parts = line_label[i]
            while (strstrt(parts, cut)) {
                at = strstrt(parts, cut)
                parts = substr(parts, 1, at - 1)."\n".substr(parts, at + strlen(cut), strlen(parts))
            }
            set xtics add (parts i)
        }
    }
}

if (dumb) {
    plot for [i = 1:nr_lines] data index i-1 using 1:2 with points lt i notitle
} else {
    plot for [i = 1:nr_lines] data index i-1 using 1:5:(0):($6 - $5) with vectors heads size screen 0.012, 90 lc rgb colour(line_backend[i]) lw 1.2 dt solid notitle, \
         for [i = 1:nr_lines] data index i-1 using 1:3:(0):($4 - $3) with vectors heads size screen 0.004, 90 lc rgb colour(line_backend[i]) lw 1.1 dt solid notitle, \
         for [i = 1:nr_lines] data index i-1 using 1:2 with points lt i notitle
}
