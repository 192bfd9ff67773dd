/* plot_scale.c - which part of the complex plane to draw. */
#include <math.h>
#include <stdlib.h>

#include "cli/track/plot.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The middle of the values and half of what they span, without the outermost part of them where there are many. */
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

/* Paths to infinity do not decide, unless there are no others. */
static int64_t collect(const plot_data *data, int column, bool infinite_too, double *value)
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

bool plot_ranges(FILE *out, const plot_data *data, int coordinate, double width, double height)
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
    return true;
}
