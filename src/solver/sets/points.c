/* points.c - see points.h. */
#include "solver/sets/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "solver/sets/stage.h"

/* Points that are known to fewer digits do not count as regular. */
static const double MOST_ERROR = 1e-25;
/* The largest change of the inverse Jacobian per step: half of that of other paths, because a path that jumps to another one would
 * join two components. */
static const double TURN = 0.3;

void set_points_clear(plumb_context *context, set_points *points)
{
    plumb_array_destroy(context, &points->x);
    plumb_deflated_clear(context, &points->how);
    free(points->error);
    *points = (set_points){.count = 0};
}

plumb_view set_points_one(const plumb_view *x, int64_t k)
{
    plumb_view one = *x;
    one.data += k * x->next;
    one.batch = 1;
    return one;
}

static void copy_point(const plumb_view *from, int64_t k, const plumb_view *to, int64_t l)
{
    for (int64_t c = 0; c < 2 * to->prec; c++)
        memcpy(to->data + l * to->next + c * to->plane, from->data + k * from->next + c * from->plane,
               (size_t)to->rows * sizeof *to->data);
}

plumb_status set_points_add(plumb_context *context, set_points *points, const plumb_view *x, int64_t k, double error)
{
    if (points->count == points->room) {
        const int64_t room = 2 * points->room + 8;
        plumb_view more = {.data = NULL};
        double *errors = realloc(points->error, (size_t)room * sizeof *errors);
        if (!errors)
            return PLUMB_ERR_MEMORY;
        points->error = errors;
        plumb_status status =
            plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, points->unknowns, 1, room, &more);
        if (status != PLUMB_OK)
            return status;
        for (int64_t i = 0; i < points->count; i++)
            copy_point(&points->x, i, &more, i);
        plumb_array_destroy(context, &points->x);
        points->x = more;
        points->room = room;
    }
    copy_point(x, k, &points->x, points->count);
    points->error[points->count++] = error;
    return PLUMB_OK;
}

plumb_status set_points_stack(const plumb_system *base, const double *shift, const set_slice *slice,
                              plumb_system **stacked)
{
    plumb_system *given = NULL;
    plumb_status status = set_slice_stack(base, NULL, slice, &given);
    *stacked = NULL;
    if (status == PLUMB_OK)
        status = set_shift_system(given, shift, stacked);
    plumb_system_destroy(given);
    return status;
}

plumb_status set_points_system(const set_points *points, const set_slice *slice, plumb_system **system)
{
    plumb_system *stacked = NULL;
    plumb_status status = set_points_stack(points->base, points->shift, slice, &stacked);
    if (status != PLUMB_OK || points->how.stages == 0) {
        *system = stacked;
        return status;
    }
    status = plumb_deflate_again(stacked, &points->how, system);
    plumb_system_destroy(stacked);
    return status;
}

static double size_of(const plumb_view *x, int64_t k)
{
    double most = 0.0;
    for (int64_t i = 0; i < x->rows; i++) {
        const double *re = x->data + k * x->next + i;
        most = fmax(most, plumb_modulus(re[0], re[x->prec * x->plane]));
    }
    return most;
}

plumb_status set_points_refine(plumb_context *context, const plumb_system *system, plumb_view *x, double *error)
{
    plumb_newton_report *reports = calloc((size_t)x->batch + 1, sizeof *reports);
    if (!reports)
        return PLUMB_ERR_MEMORY;
    plumb_status status = x->batch > 0 ? plumb_newton(context, system, x, NULL, reports) : PLUMB_OK;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        const bool good = reports[k].code == PLUMB_NEWTON_CONVERGED && reports[k].error <= MOST_ERROR;
        error[k] = good && error[k] >= 0.0 ? fmax(reports[k].error, precision_unit(PLUMB_QD)) * size_of(x, k) : -1.0;
    }
    free(reports);
    return status;
}

/* What plumb_track asks, some times per second: whether to stop. */
typedef struct move_call {
    const plumb_decompose_options *options;
    bool stopped;
} move_call;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    move_call *call = data;
    const plumb_decompose_options *o = call->options;
    call->stopped = call->stopped || set_stopped(o) || (o->progress && o->progress(o->data, done, failed, total) != 0);
    return call->stopped;
}

/* Steps in quad doubles after which a path is given up: others, from another slice, need fewer. */
enum { MOST_STEPS_AGAIN = 2000 };

/* Tracks the points that have an error of at least 0; those that do not arrive get a negative one. */
static plumb_status track(plumb_context *context, const plumb_homotopy *homotopy, int32_t prec, double turn,
                          move_call *call, plumb_view *x, double *error)
{
    plumb_track_options options;
    plumb_view ends = {.data = NULL};
    plumb_path_record *records = calloc((size_t)x->batch + 1, sizeof *records);
    plumb_status status = records ? PLUMB_OK : PLUMB_ERR_MEMORY;
    plumb_track_options_init(&options);
    options.turn = turn;
    options.prec = prec;
    if (prec == PLUMB_QD)
        options.max_steps = MOST_STEPS_AGAIN;
    options.progress = call->options ? on_progress : NULL;
    options.data = call;
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, x->rows, 1, x->batch, &ends);
    if (status == PLUMB_OK)
        status = plumb_track(context, homotopy, x, &ends, &options, records);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++)
        if (records[k].code == PLUMB_PATH_SUCCESS && records[k].multiplicity == 1)
            copy_point(&ends, k, x, k);
        else
            error[k] = -1.0;
    plumb_array_destroy(context, &ends);
    free(records);
    return status;
}

/* The same in quad doubles for points that failed, one after the other: there are few. */
static plumb_status track_again(plumb_context *context, const plumb_homotopy *homotopy, const plumb_view *x,
                                const double *before, move_call *call, double *error)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK && !call->stopped; k++) {
        plumb_view one = set_points_one(x, k);
        if (before[k] < 0.0 || error[k] >= 0.0)
            continue;
        error[k] = 0.0;
        status = track(context, homotopy, PLUMB_QD, TURN / 2.0, call, &one, &error[k]);
    }
    return status;
}

plumb_status set_points_track(plumb_context *context, const plumb_system *start, const plumb_system *target,
                              const plumb_decompose_options *call_options, uint64_t seed, plumb_view *x, double *error)
{
    plumb_homotopy *homotopy = NULL;
    plumb_homotopy_options options;
    move_call call = {.options = call_options};
    double *before = calloc((size_t)x->batch + 1, sizeof *before);
    if (!before || x->batch == 0) {
        free(before);
        return x->batch == 0 ? PLUMB_OK : PLUMB_ERR_MEMORY;
    }
    plumb_homotopy_options_init(&options);
    options.seed = seed;
    plumb_status status = plumb_homotopy_create(start, target, &options, &homotopy);
    if (status == PLUMB_OK)
        memcpy(before, error, (size_t)x->batch * sizeof *before);
    if (status == PLUMB_OK)
        status = track(context, homotopy, 0, TURN, &call, x, error);
    if (status == PLUMB_OK)
        status = track_again(context, homotopy, x, before, &call, error);
    if (status == PLUMB_OK && call.stopped)
        status = PLUMB_ERR_STOPPED;
    if (status == PLUMB_OK)
        status = set_points_refine(context, target, x, error);
    free(before);
    plumb_homotopy_destroy(homotopy);
    return status;
}

plumb_status set_points_move(plumb_context *context, const set_points *points, const set_slice *from,
                             const set_slice *to, uint64_t seed, plumb_view *x, double *error)
{
    plumb_system *start = NULL, *target = NULL;
    if (x->batch == 0)
        return PLUMB_OK;
    plumb_status status = set_points_system(points, from, &start);
    if (status == PLUMB_OK)
        status = set_points_system(points, to, &target);
    if (status == PLUMB_OK)
        status = set_points_track(context, start, target, points->options, seed, x, error);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    return status;
}

double set_points_distance(const plumb_view *x, int64_t k, const plumb_view *y, int64_t l, int64_t unknowns)
{
    double most = 0.0;
    for (int64_t i = 0; i < unknowns; i++) {
        double part[2];
        for (int p = 0; p < 2; p++) {
            const double *a = x->data + k * x->next + p * x->prec * x->plane + i;
            const double *b = y->data + l * y->next + p * y->prec * y->plane + i;
            part[p] = 0.0; /* near points have equal leading limbs, and then the sum loses nothing */
            for (int32_t c = 0; c < x->prec; c++)
                part[p] += a[c * x->plane] - b[c * y->plane];
        }
        most = fmax(most, plumb_modulus(part[0], part[1]));
    }
    return most;
}
