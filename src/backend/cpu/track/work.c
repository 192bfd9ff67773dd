/* work.c - the tick on the processor: evaluation, elimination, and the memory they need. */
#include "backend/cpu/track/work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/eval/eval.h"
#include "backend/cpu/lsq/mgs.h"
#include "base/lsq_error.h"
#include "base/scale.h"
#include "base/size.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

/* Cuts one block of memory into arrays; the first time around, with base NULL, it only counts. */
typedef struct cutter {
    double *base;
    int64_t used;
    bool fits;
} cutter;

/* rows * cols doubles at the beginning of a cache line. */
static double *cut(cutter *c, int64_t rows, int64_t cols)
{
    int64_t count = 0, at = c->used;
    c->fits = c->fits && size_mul(rows, cols, &count) && size_add(count, 7, &count) &&
              size_add(c->used, count / 8 * 8, &c->used);
    return c->base && c->fits ? c->base + at : NULL;
}

static track_view cut_view(cutter *c, int64_t rows, int64_t cols, int32_t prec)
{
    int64_t plane = 0;
    c->fits = c->fits && size_mul(rows, cols, &plane);
    return (track_view){cut(c, plane, 2 * (int64_t)prec), plane, rows};
}

static void cut_room(cutter *c, const machine *m, const track_call *call, int32_t prec, track_room *room)
{
    const track_settings *s = call->settings;
    const eval_program *p = call->program;
    const int64_t rows = s->equations, cols = s->unknowns, all = cols + TRACK_RIGHT_SIDES, ld = all + MGS_OVERHANG;
    const int64_t planes = 2 * (int64_t)prec, w_plane = rows * ld + MGS_OVERHANG,
                  c_plane = (cols + 1) * ld + MGS_OVERHANG;
    const prec_kernels *kernels = m->isa->prec[prec];
    const double share = lsq_dependent(rows, prec);
    *room = (track_room){.track = kernels->track,
                         .mgs = kernels->mgs[PLUMB_COMPLEX],
                         .eval = kernels->eval[PLUMB_COMPLEX],
                         .evaluation = {.program = p, .coefficients = call->coefficients[prec], .derivatives = 1},
                         .dependent = share * share};
    room->evaluation.slots = cut(c, p->slots, planes);
    room->evaluation.scratch = cut(c, eval_scratch(p, room->eval), 1);
    room->elimination = (mgs_job){.w_plane = w_plane,
                                  .c_plane = c_plane,
                                  .s_plane = cols + MGS_OVERHANG,
                                  .ld = ld,
                                  .rank = cols,
                                  .rows = rows,
                                  .cols = cols,
                                  .all = all};
    room->elimination.w = cut(c, w_plane, planes);
    room->elimination.c = cut(c, c_plane, planes);
    room->elimination.s = cut(c, cols + MGS_OVERHANG, prec);
    room->vectors = cut_view(c, cols, TRACK_VECTORS, prec);
    room->values = cut_view(c, 2 * rows, 1, prec);
    room->jacobians = cut_view(c, 2 * rows, cols, prec);
    room->a = cut_view(c, rows, cols, prec);
    room->b = cut_view(c, rows, TRACK_RIGHT_SIDES, prec);
    room->solution = cut_view(c, cols, TRACK_RIGHT_SIDES, prec);
    room->end = cut_view(c, cols, 1, prec);
}

static void cut_all(cutter *c, const machine *m, const track_call *call, track_work *work)
{
    const track_settings *s = call->settings;
    for (int32_t prec = s->least_prec; prec <= s->most_prec; prec *= 2)
        cut_room(c, m, call, prec, &work->room[prec]);
    work->scale = cut(c, 2, s->equations);
    work->limits = cut(c, s->unknowns, 1);
    work->row = cut(c, s->equations, 1);
    work->exponent = (int32_t *)(void *)cut(c, s->unknowns + TRACK_RIGHT_SIDES, 1);
    work->interleaved = cut(c, 2 * (int64_t)s->most_prec, s->unknowns);
}

plumb_status track_work_create(const machine *m, const track_call *call, track_work *work)
{
    cutter c = {.fits = true};
    *work = (track_work){.program = call->program};
    cut_all(&c, m, call, work);
    if (!c.fits || c.used > (int64_t)(PTRDIFF_MAX / 16))
        return PLUMB_ERR_SIZE;
    work->memory = aligned_alloc(64, (size_t)c.used * sizeof(double));
    if (!work->memory)
        return PLUMB_ERR_MEMORY;
    memset(work->memory, 0, (size_t)c.used * sizeof(double)); /* zeros in the Jacobian and behind the columns stay */
    c = (cutter){.base = work->memory, .fits = true};
    cut_all(&c, m, call, work);
    return PLUMB_OK;
}

void track_work_destroy(track_work *work)
{
    free(work->memory);
    work->memory = NULL;
}

/* ---- The tick ------------------------------------------------------------------------------------------------------------ */

static void put_number(track_view to, int64_t row, int64_t col, const double *slot, int32_t planes)
{
    double *at = to.p + col * to.col + row;
    for (int32_t c = 0; c < planes; c++)
        at[c * to.plane] = slot[c];
}

static void evaluate(const track_room *room, int64_t unknowns)
{
    const eval_program *p = room->evaluation.program;
    const int32_t planes = room->eval->planes;
    double *slots = room->evaluation.slots;
    slots[0] = 1.0;
    for (int64_t v = 0; v < unknowns; v++)
        for (int32_t c = 0; c < planes; c++)
            slots[(1 + v) * planes + c] = room->vectors.p[c * room->vectors.plane + TRACK_X * room->vectors.col + v];
    plumb_cpu_eval_run(&room->evaluation, &room->eval->one);
    for (int32_t k = 0; k < p->equations; k++)
        put_number(room->values, k, 0, slots + (int64_t)p->value_slot[k] * planes, planes);
    for (int32_t k = 0; k < p->entries; k++)
        put_number(room->jacobians, p->entry_row[k], p->entry_col[k], slots + (int64_t)p->entry_slot[k] * planes,
                   planes);
}

/* Powers of two that bring the rows of A to about 1. Equations of different degree may be 10^50 apart, and then columns would differ in
 * nothing but the smallest rows. Where there are more equations than unknowns the rows stay: their sizes are weights. */
static void weigh_rows(const track_work *work, const track_room *room)
{
    const mgs_job *job = &room->elimination;
    const int32_t limbs = room->mgs->limbs, most = 1000;
    for (int64_t i = 0; i < job->rows; i++)
        work->row[i] = 0.0;
    for (int64_t j = 0; j < job->cols && job->rows == job->cols; j++)
        for (int32_t part = 0; part < 2; part++) {
            const double *column = room->a.p + part * limbs * room->a.plane + j * room->a.col;
            for (int64_t i = 0; i < job->rows; i++) {
                double a = fabs(column[i]);
                work->row[i] = a > work->row[i] ? a : work->row[i];
            }
        }
    for (int64_t i = 0; i < job->rows; i++) {
        int e = 0;
        if (work->row[i] > 0.0 && work->row[i] <= DBL_MAX)
            frexp(work->row[i], &e);
        work->row[i] = scale_normal_power(-e > most ? most : -e < -most ? -most : -e);
    }
}

/* A column to the work array, brought to a largest entry in [1/2, 1) by a power of two, and what must be left of it. 0 when an entry is
 * not finite. */
static int load_column(const track_work *work, const mgs_job *job, int32_t planes, const double *column, int64_t plane,
                       double dependent, int64_t j)
{
    double largest = 0.0, square = 0.0;
    for (int32_t c = 0; c < planes; c += planes / 2)
        for (int64_t i = 0; i < job->rows; i++) {
            double a = fabs(column[c * plane + i] * work->row[i]);
            if (!(a <= DBL_MAX))
                return 0;
            largest = a > largest ? a : largest;
        }
    int e = 0;
    if (largest > 0.0)
        frexp(largest, &e);
    work->exponent[j] = e;
    power_of_two power = scale_power(-e);
    for (int32_t c = 0; c < planes; c++)
        for (int64_t i = 0; i < job->rows; i++)
            job->w[c * job->w_plane + i * job->ld + j] = scale_by(column[c * plane + i] * work->row[i], &power);
    for (int32_t c = 0; j < job->cols && c < planes; c += planes / 2)
        for (int64_t i = 0; i < job->rows; i++) {
            double a = job->w[c * job->w_plane + i * job->ld + j];
            square += a * a;
        }
    if (j < job->cols)
        work->limits[j] = dependent * square;
    return 1;
}

static int64_t solve(track_work *work, const track_room *room)
{
    const mgs_job *job = &room->elimination;
    const int32_t planes = 2 * room->mgs->limbs;
    weigh_rows(work, room);
    for (int64_t j = 0; j < job->all; j++) {
        track_view from = j < job->cols ? room->a : room->b;
        int64_t column = j < job->cols ? j : j - job->cols;
        if (!load_column(work, job, planes, from.p + column * from.col, from.plane, room->dependent, j))
            return -PLUMB_ERR_NONFINITE;
    }
    int64_t dependent = plumb_cpu_mgs_factor(room->mgs, job, work->limits, 1);
    if (dependent)
        return dependent;
    room->mgs->back(job);
    for (int64_t r = 0; r < TRACK_RIGHT_SIDES; r++)
        for (int64_t k = 0; k < job->cols; k++) {
            power_of_two power = scale_power(work->exponent[job->cols + r] - work->exponent[k]);
            for (int32_t c = 0; c < planes; c++)
                room->solution.p[c * room->solution.plane + r * room->solution.col + k] =
                    scale_by(job->c[c * job->c_plane + k * job->ld + job->cols + r], &power);
        }
    return 0;
}

void track_work_tick(track_work *work, const track_settings *s, track_path *p)
{
    const track_room *room = &work->room[p->prec];
    if (p->wants != p->prec) {
        const track_room *from = room;
        room = &work->room[p->wants];
        for (int64_t k = 0; k < from->vectors.plane; k++)
            track_move_entry(from->vectors.p, p->prec, room->vectors.p, p->wants, from->vectors.plane, k);
        p->prec = p->wants;
    }
    evaluate(room, s->unknowns);
    room->track->combine(s, p, room->values, room->jacobians, work->scale, room->a, room->b);
    int64_t info = solve(work, room);
    room->track->decide(s, p, room->vectors, room->solution, info);
}
