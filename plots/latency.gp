# SPDX-License-Identifier: MIT
#
# Time per read against one swept parameter: a line for each back end (and its dashes for each
# combination of the other swept parameters), a band of percentiles, the interval of the median, the
# timer's floor, the place where the data outgrows the last-level cache, and published figures.
#
# Settings beside those of style.gp: log_x, x_low, x_high, bands, floor_ns, floor_label, cache_x,
# cache_label, nr_references, reference_x[], reference_ns[], reference_backend[], reference_label[].
# Columns: 1 x, 2 middle, 3 and 4 interval of the median, 5 and 6 band.

# How far along the axis a value of x lies, 0 to 1: names go to the side that has room.
along(x) = log_x ? log(x / x_low) / log(x_high / x_low) : (x - x_low) / (x_high - x_low)

if (floor_ns == floor_ns) {
    set arrow 1 from graph 0, first floor_ns to graph 1, first floor_ns nohead lc rgb '#777777' lw 1.2 dt (3, 3) back
    if (dumb) {
        set label 1 floor_label at graph 0.98, first floor_ns right offset 0, 1 front
    } else {
        set label 1 floor_label at graph 0.995, first floor_ns right offset 0, 0.6 font small_font tc rgb '#555555'
    }
}
if (cache_x == cache_x && !dumb) {
    # The caption says it too, where there is no room.
    if (narrow) { cache_label = '' }
    set arrow 2 from cache_x, graph 0 to cache_x, graph 1 nohead lc rgb '#777777' lw 1.2 dt (9, 4, 2, 4) back
    set object 2 rectangle from cache_x, graph 0 to x_high, graph 1 fc rgb '#f2f2f2' fs solid noborder behind
    # Above the frame, so that it hides nothing.
    if (along(cache_x) < 0.3) {
        set label 2 cache_label at cache_x, graph 1 left offset 0, 0.6 font small_font tc rgb '#555555'
    } else { if (along(cache_x) > 0.7) {
        set label 2 cache_label at cache_x, graph 1 right offset 0, 0.6 font small_font tc rgb '#555555'
    } else {
        set label 2 cache_label at cache_x, graph 1 center offset 0, 0.6 font small_font tc rgb '#555555'
    } }
}
do for [i = 1:nr_references] {
    if (narrow) { reference_label[i] = 'published' }
    if (dumb) {
        set label 100+i 'R' at reference_x[i], reference_ns[i] center front
    } else { if (along(reference_x[i]) < 0.5) {
        set label 100+i reference_label[i] at reference_x[i], reference_ns[i] left offset 1.6, -0.1 boxed front font small_font point pt 3 ps 1.2 lc rgb colour(reference_backend[i])
    } else {
        set label 100+i reference_label[i] at reference_x[i], reference_ns[i] right offset -1.6, -0.1 boxed front font small_font point pt 3 ps 1.2 lc rgb colour(reference_backend[i])
    } }
}

if (dumb) {
    # The 18th of dumb's points is an R.
    plot for [i = 1:nr_lines] data index i-1 using 1:2 with linespoints lt i title line_label[i], \
         NaN with points pt 18 title nr_references ? 'published' : ''
} else {
    # A band that is hidden is drawn of nothing, so that one command serves both. Intervals are arrows
    # whose heads are bars across: gnuplot's own error bars have a hole in the middle, in which a narrow
    # interval is lost.
    plot for [i = 1:nr_lines] data index i-1 using 1:(bands ? $5 : NaN):6 with filledcurves fc rgb colour(line_backend[i]) fs transparent solid 0.18 noborder notitle, \
         for [i = 1:nr_lines] data index i-1 using 1:2 with linespoints lt i title line_label[i], \
         for [i = 1:nr_lines] data index i-1 using 1:3:(0):($4 - $3) with vectors heads size screen 0.004, 90 lc rgb colour(line_backend[i]) lw 1.1 dt solid notitle
}
