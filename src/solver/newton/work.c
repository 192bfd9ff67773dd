/* work.c - memory for Newton's method on many points. */
#include <stdlib.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/random.h"
#include "model/system/system.h"
#include "solver/newton/round.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Makes fixed directions on the unit circle, from a rational parameter instead of an angle, so that the bits are the
 * same on every machine. */
static void make_directions(double *direction, int64_t m)
{
    const uint64_t seed = 1;
    plumb_random random = plumb_random_start(seed);
    for (int64_t i = 0; i < m; i++) {
        const double t = 2.0 * plumb_random_unit(&random) - 1.0, square = 1.0 + t * t,
                     sign = plumb_random_below(&random, 2) ? 1.0 : -1.0;
        direction[i] = sign * (1.0 - t * t) / square;
        direction[m + i] = sign * 2.0 * t / square;
    }
}

static double *doubles(int64_t count, int64_t each)
{
    int64_t all;
    if (!size_mul(count, each, &all) || all >= INT64_MAX / 16)
        return NULL;
    return malloc(((size_t)all + 1) * sizeof(double));
}

static bool make_plain(newton_work *work, int64_t m, int64_t n, int64_t most)
{
    newton_arrays *at = &work->at;
    at->sizes = doubles(most, m);
    at->modulus = doubles(n, 4);
    at->value = doubles(m, 1);
    at->before = doubles(most, 2 * n);
    at->direction = doubles(2, m);
    at->terms = doubles(most, 1);
    at->underflow = doubles(most, 1);
    at->weight = doubles(most, m);
    at->which = (int64_t *)(void *)doubles(most, 1);
    at->info = (plumb_info *)(void *)doubles(most, 1);
    at->singular = calloc((size_t)most, sizeof *at->singular);
    at->poor = calloc((size_t)most, sizeof *at->poor);
    work->point = calloc((size_t)most, sizeof *work->point);
    return at->sizes && at->modulus && at->value && at->before && at->direction && at->terms && at->underflow &&
           at->weight && at->singular && at->poor && at->which && at->info && work->point &&
           newton_sizes_of(work->system, &work->sizes);
}

plumb_status newton_work_create(plumb_context *context, const plumb_system *system, int32_t prec, int64_t most,
                                newton_work *work)
{
    const int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system), sides = m > n ? 4 : 3;
    newton_arrays *at = &work->at;
    *work = (newton_work){.context = context, .system = system};
    at->most = most;
    work->problem = (newton_problem){.prec = prec, .overdetermined = m > n, .zero_is_root = true};
    for (int64_t t = 0; t < system->equation[m]; t++)
        if (system->terms[t].count == 0)
            work->problem.zero_is_root = false;
    for (int64_t i = 0; i < m; i++)
        if (plumb_system_degree(system, i) > work->problem.degree)
            work->problem.degree = (int32_t)plumb_system_degree(system, i);
    const struct {
        plumb_view *view;
        int32_t parts;
        int64_t rows, cols;
    } arrays[] = {{&at->x, PLUMB_COMPLEX, n, 1},
                  {&at->best, PLUMB_COMPLEX, n, 1},
                  {&at->points, PLUMB_COMPLEX, n, 1},
                  {&at->values, PLUMB_COMPLEX, m, 1},
                  {&at->low_points, PLUMB_COMPLEX, n, 1},
                  {&at->low_values, PLUMB_COMPLEX, m, 1},
                  {&at->jacobians, PLUMB_COMPLEX, m, n},
                  {&at->sides, PLUMB_COMPLEX, m, sides},
                  {&at->solutions, PLUMB_COMPLEX, n, sides},
                  {&at->norms, PLUMB_REAL, 1, sides},
                  {&at->corrections, PLUMB_COMPLEX, n, 1}};
    plumb_status status = PLUMB_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && status == PLUMB_OK; k++)
        status = plumb_array_create(context, PLUMB_HOST, prec, arrays[k].parts, arrays[k].rows, arrays[k].cols, most,
                                    arrays[k].view);
    if (status == PLUMB_OK && !make_plain(work, m, n, most))
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        make_directions(at->direction, m);
    else
        newton_work_destroy(work);
    return status;
}

void newton_work_destroy(newton_work *work)
{
    newton_arrays *at = &work->at;
    plumb_view *const views[] = {&at->x,          &at->best,       &at->points,     &at->values,
                                 &at->low_points, &at->low_values, &at->jacobians,  &at->sides,
                                 &at->solutions,  &at->norms,      &at->corrections};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(work->context, views[k]);
    free(at->sizes);
    free(at->value);
    free(at->modulus);
    free(at->before);
    free(at->direction);
    free(at->terms);
    free(at->underflow);
    free(at->weight);
    free(at->which);
    free(at->info);
    free(at->singular);
    free(at->poor);
    free(work->point);
}
