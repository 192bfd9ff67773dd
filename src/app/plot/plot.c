/* plot.c - draws paths: each coordinate in the complex plane, below them the step size and the precision along t.
 *
 * This file writes what gnuplot gets: commands and data (gnuplot.c runs it). Whatever comes from a log is data there: numbers that
 * were read and written again, and names that consist of letters, digits and '_'. One path and a thousand paths should both be readable: lines and
 * marks become thinner with the number of paths, a few paths far out do not determine the scale, and points that nobody could
 * distinguish are left out. Paths are smooth curves through their steps; a path to infinity has its direction, a mark on the
 * frame of the panel. */
#include "app/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/modulus.h"
#include "text/escape.h"

enum { WIDTH = 1200, HEIGHT = 900, PANELS = 4, DRAWN = 30000 /* points of a panel */ };

static const char *const end_name[PLOT_ENDS] = {
    "regular", "singular", "not isolated", "to infinity (triangles on the frame)", "undecided", "failed"};
static const char *const end_colour[PLOT_ENDS] = {"1f6fb4", "e08214", "2a8f6d", "a0a0a0", "8e5bb5", "c62828"};
static const char *const mark_colour[PLOT_ENDS] = {"0b3c68", "8a4b00", "0f5c43", "707070", "5b2f7d", "8e0000"};

/* ---- Which part of the complex plane to draw -------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The middle of the values and half of their range, without the given outermost part. */
static void spread(double *value, int64_t count, double part, double *middle, double *half)
{
    *middle = *half = 0;
    if (count == 0)
        return;
    qsort(value, (size_t)count, sizeof *value, by_value);
    int64_t out = (int64_t)(part * (double)count);
    double low = value[out], high = value[count - 1 - out];
    *middle = low / 2 + high / 2;
    *half = high / 2 - low / 2;
}

/* Collects values of a coordinate. Paths to infinity are left out unless there are no others. */
static int64_t collect(const app_plot_data *data, int column, bool infinite_too, double *value)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->count; i++) {
        const plot_path *p = &data->path[i];
        for (int64_t k = 0; k < p->count && (infinite_too || p->end != PLOT_INFINITY); k++)
            if (isfinite(p->point[k].x[column]))
                value[count++] = p->point[k].x[column];
    }
    return count;
}

/* About five marks on an axis of that length: 1, 2 or 5 times a power of ten apart. */
static double mark_distance(double length)
{
    double power = pow(10, floor(log10(length / 5))), times = length / 5 / power;
    return power * (times < 2 ? 2 : times < 5 ? 5 : 10);
}

/* Sets xrange, yrange and marks for a coordinate, such that a unit has the same length on both axes of a panel of that size. False
 * when memory ran out. */
static bool plot_ranges(FILE *out, const app_plot_data *data, int coordinate, double width, double height,
                        double centre[2], double shown[2])
{
    int64_t all = 1;
    double middle[2], half[2];
    for (int64_t i = 0; i < data->count; i++)
        all += data->path[i].count;
    double *value = malloc((size_t)all * sizeof *value);
    if (value == NULL)
        return false;
    for (int axis = 0; axis < 2; axis++) {
        int64_t count = collect(data, 2 * coordinate + axis, false, value);
        bool infinite = count == 0;
        if (infinite)
            count = collect(data, 2 * coordinate + axis, true, value);
        spread(value, count, infinite ? 0.1 : count > 1000 ? 0.02 : 0, &middle[axis], &half[axis]);
    }
    free(value);
    double unit = fmax(fmax(half[0] / width, half[1] / height), 1e-3 / width) * 1.12;
    fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", middle[0] - unit * width, middle[0] + unit * width,
            middle[1] - unit * height, middle[1] + unit * height);
    fprintf(out, "set xtics %.9g\n", mark_distance(2 * unit * width));
    memcpy(centre, middle, sizeof middle);
    shown[0] = 0.98 * unit * width;
    shown[1] = 0.98 * unit * height;
    return true;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* Writes selected points of the paths that ended that way, with a blank line between paths. */
typedef bool plot_row(FILE *out, const app_plot_data *data, int64_t path, const plot_point *point, int column);

static bool plane_row(FILE *out, const app_plot_data *data, int64_t path, const plot_point *p, int column)
{
    (void)data, (void)path;
    fprintf(out, "%.7g %.7g\n", p->x[column], p->x[column + 1]);
    return true;
}

/* The square root of a distance: the parameter of a centripetal Catmull-Rom spline, which has no loops or cusps that its points
 * do not have. */
static double knot_distance(const double *p, const double *q)
{
    return fmax(sqrt(plumb_modulus(q[0] - p[0], q[1] - p[1])), 1e-12);
}

/* The point at u in [0, 1] of the curve from p[1] to p[2], with p[0] before and p[3] behind them. */
static void spline_point(const double *const p[4], double u, double point[2])
{
    const double a = knot_distance(p[0], p[1]), b = knot_distance(p[1], p[2]), c = knot_distance(p[2], p[3]);
    for (int k = 0; k < 2; k++) {
        const double first = (p[1][k] - p[0][k]) / a - (p[2][k] - p[0][k]) / (a + b) + (p[2][k] - p[1][k]) / b;
        const double second = (p[2][k] - p[1][k]) / b - (p[3][k] - p[1][k]) / (b + c) + (p[3][k] - p[2][k]) / c;
        const double m = b * first, n = b * second, d = p[2][k] - p[1][k];
        point[k] = p[1][k] + u * (m + u * (3 * d - 2 * m - n + u * (m + n - 2 * d)));
    }
}

void app_plot_curve(const plot_path *path, int column, int64_t stride, int pieces,
                    void (*line)(void *data, double re, double im), void *data)
{
    const int64_t count = (path->count + stride - 1) / stride + 1;
    for (int64_t k = 0; k + 1 < count; k++) {
        const double *p[4];
        for (int j = 0; j < 4; j++) {
            int64_t at = k + j - 1 < 0 ? 0 : k + j - 1;
            at = at > count - 1 ? count - 1 : at;
            p[j] = (at == count - 1 ? &path->last : &path->point[at * stride])->x + column;
        }
        for (int i = 0; i < pieces; i++) {
            double point[2];
            spline_point(p, (double)i / pieces, point);
            line(data, point[0], point[1]);
        }
    }
    line(data, path->last.x[column], path->last.x[column + 1]);
}

static void put_line(void *data, double re, double im)
{
    fprintf((FILE *)data, "%.7g %.7g\n", re, im);
}

/* Each path has its own height within the band of its precision. */
static bool time_row(FILE *out, const app_plot_data *data, int64_t path, const plot_point *p, int column)
{
    (void)column;
    if (!p->on_axis)
        return false;
    double shift = data->count > 1 ? 0.7 * ((double)path / (double)(data->count - 1) - 0.5) : 0;
    fprintf(out, "%.9g %.4g %.4g\n", p->t, p->size, p->level + shift);
    return true;
}

static int64_t count_points(const app_plot_data *data)
{
    int64_t all = 0;
    for (int64_t i = 0; i < data->count; i++)
        all += data->path[i].count;
    return all;
}

static void put_curves(FILE *out, const app_plot_data *data, const char *name, plot_end end, int column)
{
    const int64_t all = count_points(data), stride = (all + DRAWN - 1) / DRAWN, room = DRAWN / (all + 1);
    const int pieces = room < 1 ? 1 : room > 8 ? 8 : (int)room;
    bool any = false;
    fprintf(out, "$%s << END_OF_DATA\n", name);
    for (int64_t i = 0; i < data->count; i++)
        if (data->path[i].end == end && data->path[i].count > 0) {
            app_plot_curve(&data->path[i], column, stride, pieces, put_line, out);
            fputc('\n', out);
            any = true;
        }
    if (!any)
        fputs("NaN NaN\n", out);
    fputs("END_OF_DATA\n", out);
}

static void put_data(FILE *out, const app_plot_data *data, const char *name, plot_end end, plot_row *row, int column)
{
    int64_t stride = (count_points(data) + DRAWN - 1) / DRAWN;
    fprintf(out, "$%s << END_OF_DATA\n", name);
    bool any = false;
    for (int64_t i = 0; i < data->count; i++) {
        const plot_path *p = &data->path[i];
        if (p->end != end || p->count == 0)
            continue;
        for (int64_t k = 0; k < p->count; k += stride)
            any |= row(out, data, i, &p->point[k], column);
        any |= row(out, data, i, &p->last, column);
        fputc('\n', out);
    }
    if (!any)
        fputs("NaN NaN NaN\n", out);
    fputs("END_OF_DATA\n", out);
}

/* The first points of all paths, or the last points of those that ended that way. */
static void put_marks(FILE *out, const app_plot_data *data, const char *name, int end, int column)
{
    bool any = false;
    fprintf(out, "$%s << END_OF_DATA\n", name);
    for (int64_t i = 0; i < data->count; i++) {
        const plot_path *p = &data->path[i];
        if (p->count > 0 && (end < 0 || ((int)p->end == end && !p->far)))
            any |= plane_row(out, data, i, end < 0 ? &p->point[0] : &p->last, column);
    }
    if (!any)
        fputs("NaN NaN\n", out);
    fputs("END_OF_DATA\n", out);
}

/* The directions of paths to infinity, on the frame of the panel as seen from its middle. A coordinate that stays finite has
 * none. */
static bool put_rim(FILE *out, const app_plot_data *data, int column, const double centre[2], const double half[2])
{
    bool any = false;
    fputs("$far << END_OF_DATA\n", out);
    for (int64_t i = 0; i < data->count; i++) {
        const plot_path *p = &data->path[i];
        const double re = fabs(p->far_x[column]), im = fabs(p->far_x[column + 1]);
        if (!p->far || !(plumb_modulus(re, im) > 1e-6))
            continue;
        const double times = re * half[1] > im * half[0] ? half[0] / re : half[1] / im;
        fprintf(out, "%.7g %.7g\n", centre[0] + times * p->far_x[column], centre[1] + times * p->far_x[column + 1]);
        any = true;
    }
    if (!any)
        fputs("NaN NaN\n", out);
    fputs("END_OF_DATA\n", out);
    return any;
}

/* ---- Panels ------------------------------------------------------------------------------------------------------ */

static int64_t count_ends(const app_plot_data *data, int end)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->count; i++)
        count += (int)data->path[i].end == end;
    return count;
}

static void place(FILE *out, double left, double right, double bottom, double top)
{
    fprintf(out,
            "set lmargin at screen %g\nset rmargin at screen %g\nset bmargin at screen %g\nset tmargin at screen %g\n",
            left, right, bottom, top);
}

static double line_width(const app_plot_data *data)
{
    return data->count <= 3 ? 1.8 : data->count <= 30 ? 1.0 : data->count <= 200 ? 0.6 : 0.35;
}

/* The transparency of a line, in hexadecimal: bundles of many lines are darker. */
static const char *transparency(const app_plot_data *data)
{
    return data->count <= 30 ? "00" : data->count <= 200 ? "60" : "b0";
}

static int panels(const app_plot_data *data)
{
    return data->coordinates < PANELS ? data->coordinates : PANELS;
}

static bool draw_plane(FILE *out, const app_plot_data *data, int coordinate)
{
    const double bottom = 0.47, top = 0.87, left = 0.07, right = 0.98, gap = 0.06;
    double width = (right - left + gap) / panels(data) - gap, from = left + (width + gap) * coordinate;
    double mark = data->count <= 30 ? 0.9 : data->count <= 200 ? 0.5 : 0.35;
    bool first = coordinate == 0;
    place(out, from, from + width, bottom, top);
    double centre[2], shown[2];
    if (!plot_ranges(out, data, coordinate, width * WIDTH, (top - bottom) * HEIGHT, centre, shown))
        return false;
    const bool rim = put_rim(out, data, 2 * coordinate, centre, shown);
    for (int end = 0; end < PLOT_ENDS; end++) {
        char name[16];
        snprintf(name, sizeof name, "lines%d", end);
        put_curves(out, data, name, (plot_end)end, 2 * coordinate);
        snprintf(name, sizeof name, "ends%d", end);
        put_marks(out, data, name, end, 2 * coordinate);
    }
    put_marks(out, data, "starts", -1, 2 * coordinate);
    fputs("set title ", out);
    escape_gnuplot(out, data->name[coordinate]);
    fprintf(out, " noenhanced offset 0,-0.5\nset xlabel 're' offset 0,0.5\nset ylabel '%s' offset 1,0\n",
            first ? "im" : "");
    fputs("unset key\nplot NaN", out); /* failed paths on top */
    for (int end = 0; end < PLOT_ENDS; end++)
        if (count_ends(data, end) > 0)
            fprintf(out, ", $lines%d with lines lc rgb '#%s%s' lw %g", end, transparency(data), end_colour[end],
                    line_width(data));
    for (int end = 0; end < PLOT_ENDS; end++)
        if (count_ends(data, end) > 0)
            fprintf(out, ", $ends%d with points pt 7 ps %g lc rgb '#%s'", end, mark, mark_colour[end]);
    if (rim)
        fprintf(out, ", $far with points pt 9 ps %g lc rgb '#%s'", mark, mark_colour[PLOT_INFINITY]);
    fprintf(out, ", $starts with points pt 6 ps %g lc rgb '#404040'\n", mark);
    return true;
}

/* The legend has its own panel, because it can be no wider than its panel. */
static void draw_legend(FILE *out, const app_plot_data *data)
{
    place(out, 0.07, 0.98, 0.91, 0.945);
    fputs("unset border\nunset tics\nunset grid\nset xrange [0:1]\nset yrange [0:1]\n"
          "set key at screen 0.5,0.93 center center horizontal maxrows 1\nplot ",
          out);
    for (int end = 0; end < PLOT_ENDS; end++) {
        int64_t count = count_ends(data, end);
        if (count > 0)
            fprintf(out, "NaN with linespoints pt 7 lc rgb '#%s' lw 1.5 title '%s: %lld', ", end_colour[end],
                    end_name[end], (long long)count);
    }
    fputs(
        "NaN with points pt 6 lc rgb '#404040' title 'start', NaN with points pt 7 lc rgb '#404040' title 'end'\n"
        "set border 31 lc rgb '#606060'\nset tics nomirror font ',11'\nset grid xtics ytics lc rgb '#e0e0e0' lw 0.5\n",
        out);
}

static void draw_time(FILE *out, const app_plot_data *data, bool precision)
{
    place(out, 0.07, 0.98, precision ? 0.06 : 0.225, precision ? 0.195 : 0.40);
    fputs("unset key\nunset title\nset xrange [0:1]\nset xtics 0.1\n", out);
    if (precision)
        fputs("unset logscale y\nset yrange [0.5:3.5]\nset ytics ('d' 1, 'dd' 2, 'qd' 3)\nset format y\n"
              "set format x '%h'\nset xlabel 't' offset 0,0.7\nset ylabel 'precision' offset 0,0\n",
              out);
    else
        fputs("set logscale y\nset yrange [*:*]\nset format y '10^{%T}'\nset format x ''\nset xlabel ''\n"
              "set ylabel 'step size'\n",
              out);
    fputs("plot NaN notitle", out);
    for (int end = 0; end < PLOT_ENDS; end++)
        if (count_ends(data, end) > 0)
            fprintf(out, ", $times%d using 1:%d with %s lc rgb '#%s%s' lw %g notitle", end, precision ? 3 : 2,
                    precision ? "steps" : "lines", transparency(data), end_colour[end], line_width(data));
    fputc('\n', out);
}

bool app_plot_draw(FILE *out, const app_plot_data *data)
{
    fprintf(out, "set terminal svg size %d,%d dynamic font 'sans-serif,14' background '#ffffff' name 'plumb'\n", WIDTH,
            HEIGHT);
    fputs("set encoding utf8\nset datafile missing 'NaN'\n", out);
    fprintf(out, "set multiplot\nset label 1 '%lld", (long long)data->count);
    if (data->left_out > 0)
        fprintf(out, " of %lld", (long long)data->count + (long long)data->left_out);
    fprintf(out, " path%s in %lld unknown%s", data->count == 1 ? "" : "s", (long long)data->unknowns,
            data->unknowns == 1 ? "" : "s");
    if (data->unknowns > PANELS)
        fprintf(out, ", the first %d drawn", PANELS);
    fputs("' at screen 0.5,0.97 center font ',18'\n", out);
    draw_legend(out, data);
    fputs("unset label 1\n", out);
    for (int i = 0; i < panels(data); i++)
        if (!draw_plane(out, data, i))
            return false;
    for (int end = 0; end < PLOT_ENDS; end++) {
        char name[16];
        snprintf(name, sizeof name, "times%d", end);
        put_data(out, data, name, (plot_end)end, time_row, 0);
    }
    draw_time(out, data, false);
    draw_time(out, data, true);
    fputs("unset multiplot\n", out);
    return !ferror(out);
}
