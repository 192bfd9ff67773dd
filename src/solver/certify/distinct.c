/* distinct.c - which zeros are distinct: boxes that are disjoint have different zeros, and a box inside of another has the same
 * zero, because each has exactly one.
 *
 * A random linear form of real and imaginary parts gives each box an interval. Boxes whose intervals are disjoint are
 * disjoint; sorted by their lower ends, only the others have to be compared, and those are few. Where two boxes overlap and
 * neither contains the other, the later point is refined in twice as many bits: its box then becomes so small that it lies inside of
 * the other, or apart from it, unless it is at its border; then the earlier one is refined, too. All comparisons are repeated after
 * that, so that the verdicts are those of the boxes in the end. */
#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/number/random.h"
#include "solver/certify/certify.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

typedef struct distinct_interval {
    double low, high;
    int64_t point;
} distinct_interval;

static int by_low(const void *p, const void *q)
{
    const distinct_interval *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

static int64_t find_intervals(const certify_work *work, const double *weight, distinct_interval *interval)
{
    int64_t count = 0;
    for (int64_t k = 0; k < work->count; k++)
        if (work->point[k].proven > 0) {
            distinct_interval *to = &interval[count++];
            to->point = k;
            work->ops->form(work->point[k].box, weight, &to->low, &to->high);
        }
    qsort(interval, (size_t)count, sizeof *interval, by_low);
    return count;
}

/* Asks for a smaller box of one of two points whose boxes overlap. False if there are no more bits. */
static bool refine(const certify_work *work, certify_point *first, certify_point *second, bool *chosen)
{
    certify_point *p = second->tried <= first->tried ? second : first;
    if (2 * p->tried > work->options.max_bits)
        p = p == second ? first : second;
    if (2 * p->tried > work->options.max_bits)
        return false;
    p->bits = 2 * p->tried;
    chosen[p - work->point] = true;
    return true;
}

/* What is known about two points, numbers a < b. */
static void compare(const certify_work *work, plumb_certificate *record, int64_t a, int64_t b, bool *chosen)
{
    certify_point *first = &work->point[a], *second = &work->point[b];
    switch (work->ops->compare(first->box, second->box)) {
    case BALLS_DISJOINT:
        return;
    case BALLS_INSIDE:
    case BALLS_CONTAINS:
        record[b].distinct = -1;
        record[b].same_as = a;
        return;
    case BALLS_OVERLAP:
    default:
        if (!refine(work, first, second, chosen) && record[b].distinct == 1)
            record[b].distinct = 0;
    }
}

/* One sweep over the sorted intervals. Two intervals that have a point in common meet while the one with the smaller lower
 * end is open. The list of open intervals is short, because boxes are small. */
static void sweep(const certify_work *work, plumb_certificate *record, const distinct_interval *interval, int64_t count,
                  int64_t *open, bool *chosen)
{
    int64_t opened = 0;
    for (int64_t k = 0; k < count; k++) {
        record[interval[k].point].distinct = 1;
        record[interval[k].point].same_as = -1;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t kept = 0;
        const int64_t b = interval[k].point;
        for (int64_t i = 0; i < opened; i++) {
            const int64_t a = interval[open[i]].point;
            if (interval[open[i]].high < interval[k].low)
                continue;
            open[kept++] = open[i];
            if (record[a].distinct != -1 && record[b].distinct != -1)
                compare(work, record, a < b ? a : b, a < b ? b : a, chosen);
        }
        opened = kept;
        open[opened++] = k;
    }
}

static plumb_status rounds(certify_work *work, plumb_certificate *record, const double *weight,
                           distinct_interval *interval, int64_t *list, bool *chosen)
{
    for (;;) {
        const int64_t count = find_intervals(work, weight, interval);
        int64_t again = 0;
        for (int64_t k = 0; k < work->count; k++)
            chosen[k] = false;
        sweep(work, record, interval, count, list, chosen);
        for (int64_t k = 0; k < work->count; k++)
            if (chosen[k])
                list[again++] = k;
        if (again == 0)
            return PLUMB_OK;
        plumb_status status = certify_points(work, list, again);
        if (status != PLUMB_OK)
            return status;
    }
}

plumb_status certify_distinct(certify_work *work, plumb_certificate *record)
{
    plumb_context *context = work->context;
    const size_t count = (size_t)work->count + 1;
    double *weight = malloc((size_t)(2 * work->unknowns + 1) * sizeof *weight);
    distinct_interval *interval = malloc(count * sizeof *interval);
    int64_t *list = malloc(count * sizeof *list);
    bool *chosen = calloc(count, sizeof *chosen);
    plumb_random random = plumb_random_start(work->options.seed);
    plumb_status status = weight && interval && list && chosen ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; status == PLUMB_OK && i < 2 * work->unknowns; i++)
        weight[i] = 2.0 * plumb_random_unit(&random) - 1.0;
    if (status == PLUMB_OK)
        status = rounds(work, record, weight, interval, list, chosen);
    free(weight);
    free(interval);
    free(list);
    free(chosen);
    return status;
}
