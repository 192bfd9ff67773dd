/* device_gram.c - least squares by refinement with a Cholesky factor of the Gram matrix, on a GPU: see gram/gram.h.
 *
 * The host looks at each correction, so the call waits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/gram/gram.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/precision.h"
#include "method/lsq/error.h"

enum { MOST_STEPS = 24, MOST_SIDES = 16, LEAST_COLS = 64, LEAST_COLS_D = 768 };

/* The largest share of the first solution that its first correction may be with a factor in d: with more, one in dd takes less time. */
static const double most_first = 0x1p-10;

typedef plumb_status (*gram_entry)(const gram_job *, void *, char *, size_t);
#define FACTOR(kind)                                                                           \
    plumb_status plumb_cuda_gram_scale_##kind##_d(const gram_job *, void *, char *, size_t);   \
    plumb_status plumb_cuda_gram_scale_##kind##_dd(const gram_job *, void *, char *, size_t);  \
    plumb_status plumb_cuda_gram_tiles_##kind##_d(const gram_job *, void *, char *, size_t);   \
    plumb_status plumb_cuda_gram_systems_##kind##_d(const gram_job *, void *, char *, size_t); \
    plumb_status plumb_cuda_gram_units_##kind##_dd(const gram_job *, void *, char *, size_t);  \
    plumb_status plumb_cuda_gram_solve_##kind##_dd(const gram_job *, void *, char *, size_t)
#define STEPS(prec, kind)                                                                           \
    plumb_status plumb_cuda_gram_rest_##kind##_##prec(const gram_job *, void *, char *, size_t);    \
    plumb_status plumb_cuda_gram_adjoint_##kind##_##prec(const gram_job *, void *, char *, size_t); \
    plumb_status plumb_cuda_gram_update_##kind##_##prec(const gram_job *, void *, char *, size_t);  \
    plumb_status plumb_cuda_gram_norm_##kind##_##prec(const gram_job *, void *, char *, size_t)
FACTOR(real);
FACTOR(cplx);
STEPS(d, real);
STEPS(d, cplx);
STEPS(dd, real);
STEPS(dd, cplx);
STEPS(qd, real);
STEPS(qd, cplx);

typedef struct gram_entries {
    gram_entry scale[PLUMB_DD + 1], tiles, systems, units, solve, rest, adjoint, update, norm;
} gram_entries;
#define ENTRIES(prec, kind)                                                                               \
    {                                                                                                     \
        .scale = {NULL, plumb_cuda_gram_scale_##kind##_d, plumb_cuda_gram_scale_##kind##_dd},             \
        .tiles = plumb_cuda_gram_tiles_##kind##_d, .systems = plumb_cuda_gram_systems_##kind##_d,         \
        .units = plumb_cuda_gram_units_##kind##_dd, .solve = plumb_cuda_gram_solve_##kind##_dd,           \
        .rest = plumb_cuda_gram_rest_##kind##_##prec, .adjoint = plumb_cuda_gram_adjoint_##kind##_##prec, \
        .update = plumb_cuda_gram_update_##kind##_##prec, .norm = plumb_cuda_gram_norm_##kind##_##prec    \
    }
static const gram_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {{{0}}, ENTRIES(d, real), ENTRIES(d, cplx)},
    [PLUMB_DD] = {{{0}}, ENTRIES(dd, real), ENTRIES(dd, cplx)},
    [PLUMB_QD] = {{{0}}, ENTRIES(qd, real), ENTRIES(qd, cplx)},
};

typedef struct gram_run {
    machine *m;
    void *stream;
    gram_job job;
    const gram_entries *with;
    int32_t low, parts;        /* the precision of the factor, d or dd */
    plumb_view scaled, factor; /* in this precision */
    plumb_info *info;
    int64_t blocks;
    double condition; /* at least about this, by the diagonal of the factor */
} gram_run;

#define RUN(r, entry) (r)->with->entry(&(r)->job, (r)->stream, (r)->m->message, (r)->m->message_size)

/* The tensor cores that a factor in d needs. */
static bool has_tiles(const machine *m)
{
    return m->lsq->limits.capability >= 90;
}

bool plumb_cuda_mgs_gram_takes(const machine *m, const lsq_call *call, void *stream)
{
    const plumb_view *a = call->a;
    const bool large = a->cols >= (a->prec == PLUMB_D ? LEAST_COLS_D : LEAST_COLS) || m->hooks.lsq_gram;
    return call->b && call->x && !call->q && !call->r && !call->corrected && (a->prec >= PLUMB_DD || has_tiles(m)) &&
           call->b->cols <= MOST_SIDES && large && a->rows < INT32_MAX / 2 && a->cols < INT32_MAX / 2 &&
           !plumb_cuda_is_recorded(stream);
}

static plumb_status fetch(const gram_run *r, void *to, const void *from, size_t bytes)
{
    plumb_status status =
        plumb_cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)r->stream),
                          "fetching what a refinement has found", r->m->message, r->m->message_size);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamSynchronize((cudaStream_t)r->stream), "refining on the GPU", r->m->message,
                                   r->m->message_size);
    return status;
}

static plumb_view dd_view(double *data, int64_t rows, int64_t cols, int32_t parts)
{
    return (plumb_view){.data = data,
                        .rows = rows,
                        .cols = cols,
                        .batch = 1,
                        .plane = rows * cols,
                        .col = rows,
                        .next = rows * cols * PLUMB_DD * parts,
                        .prec = PLUMB_DD,
                        .parts = parts,
                        .where = PLUMB_DEVICE};
}

/* rows x cols in the precision of the factor; columns are `col` doubles apart, planes `all` columns. */
static plumb_view low_view(const gram_run *r, double *data, int64_t rows, int64_t cols, int64_t col, int64_t all)
{
    plumb_view v = dd_view(data, rows, cols, r->parts);
    v.prec = r->low, v.col = col, v.plane = col * all, v.next = v.plane * v.prec * v.parts;
    return v;
}

static int64_t round_up(int64_t a, int64_t to)
{
    return (a + to - 1) / to * to;
}

/* Divides scratch; PLUMB_ERR_MEMORY or PLUMB_ERR_SIZE where it is too large. */
static plumb_status make_room(gram_run *r, const lsq_call *call)
{
    const plumb_view *a = call->a;
    const bool tiles = r->low == PLUMB_D;
    const int64_t m = a->rows, n = a->cols, low = (int64_t)r->low * a->parts;
    const int64_t planes = (int64_t)(a->prec > PLUMB_DD ? a->prec : PLUMB_DD) * a->parts; /* of residuals */
    const int64_t ld = tiles ? round_up(m, GRAM_DEPTH) : m, wide = tiles ? round_up(n, GRAM_TILE) : n;
    const int64_t block = tiles ? GRAM_TILE : TRIANGLE_BLOCK;
    gram_job *job = &r->job;
    if ((double)ld * (double)wide + (double)wide * (double)wide >
        1e11 / (double)low) /* all other sizes are far below */
        return PLUMB_ERR_SIZE;
    job->splits = (int32_t)((n + GRAM_TERMS - 1) / GRAM_TERMS);
    job->splits = job->splits < GRAM_MOST_SPLITS ? job->splits : GRAM_MOST_SPLITS;
    job->terms = (n + job->splits - 1) / job->splits;
    job->low = r->low;
    job->ld = (int32_t)ld, job->wide = (int32_t)wide, job->tiles = (int32_t)(wide / GRAM_TILE);
    r->blocks = (n + block - 1) / block;
    const int64_t pieces[] = {ld * wide * low,
                              wide * wide * low,
                              r->blocks * block * block * low,
                              m * planes,
                              job->splits * m * planes,
                              n * low,
                              n * low,
                              n,
                              GRAM_WORDS,
                              1,
                              tiles ? 2 * n * low : 0,
                              tiles ? GRAM_FLAGS + r->blocks * r->blocks : 0};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    int64_t bytes = 0;
    for (int k = 0; k < PIECES; k++)
        bytes += (pieces[k] * 8 + MGS_ALIGNMENT - 1) / MGS_ALIGNMENT * MGS_ALIGNMENT;
    char *memory = NULL;
    plumb_status status = plumb_cuda_scratch(r->m, r->stream, SCRATCH_GRAM, (size_t)bytes, &memory);
    void *piece[PIECES];
    for (int k = 0; k < PIECES && status == PLUMB_OK; k++)
        piece[k] = plumb_cuda_mgs_take(&memory, pieces[k] * 8);
    if (status != PLUMB_OK)
        return status;
    job->scaled = piece[0], job->factor = piece[1], job->inverse = piece[2], job->rest = piece[3];
    job->sums = piece[4], job->from = piece[5], job->to = piece[6], job->exponent = piece[7], job->words = piece[8];
    r->info = piece[9];
    job->marks = tiles ? piece[10] : NULL, job->flags = tiles ? piece[11] : NULL;
    r->scaled = low_view(r, job->scaled, m, n, ld, wide);
    r->factor = low_view(r, job->factor, n, n, wide, wide);
    return PLUMB_OK;
}

/* The inverses of the diagonal blocks of the factor. */
static plumb_status invert_blocks(gram_run *r)
{
    const int64_t n = r->factor.cols, whole = n / TRIANGLE_BLOCK, rest = n % TRIANGLE_BLOCK;
    plumb_status status = RUN(r, units);
    for (int last = 0; last < 2 && status == PLUMB_OK; last++) {
        if (last ? rest == 0 : whole == 0)
            continue;
        plumb_view t = r->factor;
        t.rows = t.cols = last ? rest : TRIANGLE_BLOCK;
        t.batch = last ? 1 : whole;
        t.next = TRIANGLE_BLOCK * (n + 1);
        plumb_view b = dd_view(r->job.inverse, TRIANGLE_BLOCK, TRIANGLE_BLOCK, r->factor.parts);
        b.rows = b.cols = t.rows, b.batch = t.batch;
        if (last) {
            t.data += whole * t.next;
            b.data += whole * b.next;
        }
        const triangle_call call = {.t = &t, .b = &b, .triangle = PLUMB_UPPER, .side = PLUMB_SIDE_LEFT};
        status = r->m->ops->triangle(r->m, &call, r->stream);
    }
    return status;
}

/* The ratio of the largest and the smallest entry of the diagonal of the factor. */
static plumb_status find_condition(gram_run *r)
{
    const size_t n = (size_t)r->factor.cols;
    double *diagonal = malloc(n * sizeof *diagonal), most = 0.0, least = INFINITY;
    if (!diagonal)
        return plumb_say(PLUMB_ERR_MEMORY, r->m->message, r->m->message_size, "out of memory");
    plumb_status status = plumb_cuda_status(
        cudaMemcpy2DAsync(diagonal, sizeof *diagonal, r->factor.data, ((size_t)r->factor.col + 1) * sizeof *diagonal,
                          sizeof *diagonal, n, cudaMemcpyDeviceToHost, (cudaStream_t)r->stream),
        "fetching a diagonal", r->m->message, r->m->message_size);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamSynchronize((cudaStream_t)r->stream), "refining on the GPU", r->m->message,
                                   r->m->message_size);
    for (size_t k = 0; k < n; k++)
        most = fmax(most, diagonal[k]), least = fmin(least, diagonal[k]);
    r->condition = most / least;
    free(diagonal);
    return status;
}

static double of_high_word(int32_t high)
{
    const uint64_t bits = (uint64_t)(uint32_t)high << 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The factor of the Gram matrix in d; *there: 0 where it has none. */
static plumb_status factor_tiles(gram_run *r, int *there)
{
    machine *m = r->m;
    int32_t flags[GRAM_LOOKED_AT];
    *there = 0;
    const size_t words = GRAM_FLAGS + (size_t)r->job.tiles * (size_t)r->job.tiles;
    plumb_status status =
        plumb_cuda_status(cudaMemsetAsync(r->job.flags, 0, words * sizeof(int32_t), (cudaStream_t)r->stream),
                          "preparing a Gram matrix", m->message, m->message_size);
    if (status == PLUMB_OK)
        status = r->with->scale[PLUMB_D](&r->job, r->stream, m->message, m->message_size);
    if (status == PLUMB_OK)
        status = RUN(r, tiles);
    if (status == PLUMB_OK)
        status = fetch(r, flags, r->job.flags, sizeof flags);
    if (status != PLUMB_OK || flags[GRAM_FAILED])
        return status;
    *there = 1;
    r->condition = sqrt(of_high_word(flags[GRAM_MOST] + 1) / of_high_word(INT32_MAX - flags[GRAM_LEAST]));
    return PLUMB_OK;
}

/* The same in dd, with the inverses of its diagonal blocks. */
static plumb_status factor_products(gram_run *r, int *there)
{
    machine *m = r->m;
    triangles t = {.m = m, .triangle = PLUMB_UPPER, .add = 1, .stream = r->stream, .info = r->info};
    plumb_info outcome = 0;
    *there = 0;
    plumb_status status = r->with->scale[PLUMB_DD](&r->job, r->stream, m->message, m->message_size);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(
            cudaMemsetAsync(r->factor.data, 0, (size_t)r->factor.next * sizeof(double), (cudaStream_t)r->stream),
            "preparing a Gram matrix", m->message, m->message_size);
    if (status == PLUMB_OK)
        status = backend_downdate(&t, &r->scaled, &r->factor);
    t.add = 0;
    if (status == PLUMB_OK)
        status = backend_cholesky(&t, &r->factor, 0);
    if (status == PLUMB_OK)
        status = fetch(r, &outcome, r->info, sizeof outcome);
    if (status != PLUMB_OK || outcome != 0)
        return status;
    *there = 1;
    status = find_condition(r);
    return status == PLUMB_OK ? invert_blocks(r) : status;
}

/* to = (U^H U)^-1 from, both of which change their places twice. */
static plumb_status solve(gram_run *r)
{
    gram_job *job = &r->job;
    plumb_status status = PLUMB_OK;
    if (r->low == PLUMB_D) {
        job->to = job->marks + (int64_t)r->parts * job->cols;
        return RUN(r, systems);
    }
    for (job->backwards = 0; job->backwards < 2 && status == PLUMB_OK; job->backwards++) {
        for (int64_t k = 0; k < r->blocks && status == PLUMB_OK; k++) {
            job->block = (int32_t)(job->backwards ? r->blocks - 1 - k : k);
            status = RUN(r, solve);
        }
        double *other = job->from;
        job->from = job->to, job->to = other;
    }
    job->to = job->from; /* the last result */
    return status;
}

/* Adds corrections until they are rounding. */
static plumb_status iterate(gram_run *r, double unit, mgs_findings *found, int *converged)
{
    gram_job *job = &r->job;
    double before = 1.0, *const room[2] = {job->from, job->to};
    *converged = 0;
    for (int steps = 0; steps <= MOST_STEPS; steps++) {
        job->first = steps == 0;
        job->from = room[0], job->to = room[1];
        plumb_status status = RUN(r, rest);
        if (status == PLUMB_OK)
            status = RUN(r, adjoint);
        if (status == PLUMB_OK)
            status = solve(r);
        if (status == PLUMB_OK)
            status = RUN(r, update);
        double words[GRAM_WORDS];
        if (status == PLUMB_OK)
            status = fetch(r, words, job->words, sizeof words);
        if (status != PLUMB_OK)
            return status;
        const double now = words[GRAM_CHANGE] == 0.0 ? 0.0 : words[GRAM_CHANGE] / words[GRAM_LARGEST];
        const double rate = now / before;
        if (!isfinite(now) || !isfinite(words[GRAM_LARGEST]) || (r->low == PLUMB_D && steps == 1 && now > most_first))
            return PLUMB_OK;
        /* Rounding of the residual may prevent smaller corrections: as many units of x as the condition number and the sums explain. The
         * diagonal of the factor may miss the condition number by a factor of that order; whatever is accepted, the claim counts it. */
        const bool stalls = steps > 0 && rate > 0.25;
        const double slack = (double)job->cols * (double)job->cols;
        const double most = slack * lsq_growth(job->rows, job->cols, job->limbs) * unit * r->condition;
        if (stalls && !(now <= fmin(most, 1e-3)))
            return PLUMB_OK;
        /* A correction is known to a share `rate` of itself, but that one is much smaller than the one before may be luck. */
        if (now <= unit || stalls || (steps > 0 && now * rate <= 0.25 * unit && now * 0x1p-40 <= unit)) {
            *converged = 1;
            if (found) {
                found->steps = found->steps > steps ? found->steps : steps;
                found->last = fmax(found->last, now);
                found->remains = fmax(found->remains, 4.0 * now * (stalls ? 1.0 : fmin(rate, 0.25)));
            }
            break;
        }
        before = steps > 0 ? now : 1.0;
    }
    if (!*converged || !(found || job->residual.data))
        return PLUMB_OK;
    job->first = 0;
    plumb_status status = RUN(r, rest);
    if (status == PLUMB_OK)
        status = RUN(r, norm);
    double words[GRAM_WORDS];
    if (status == PLUMB_OK)
        status = fetch(r, words, job->words, sizeof words);
    if (status == PLUMB_OK && !isfinite(words[GRAM_REST]))
        *converged = 0;
    if (status == PLUMB_OK && found && words[GRAM_LARGEST] > 0.0)
        found->left = fmax(found->left, words[GRAM_REST] / words[GRAM_LARGEST]);
    return status;
}

/* What the report needs: leading limbs of the factor as coefficients and squares, and exponents. */
static plumb_status fill_in(gram_run *r, mgs_findings *found)
{
    const int64_t n = r->factor.cols;
    plumb_view from = r->factor;
    from.prec = PLUMB_D, from.plane *= r->low;
    plumb_view to = {.data = found->re,
                     .rows = n,
                     .cols = n,
                     .batch = 1,
                     .plane = n * n,
                     .col = n,
                     .next = n * n,
                     .prec = PLUMB_D,
                     .parts = PLUMB_REAL,
                     .where = PLUMB_HOST};
    from.parts = PLUMB_REAL;
    plumb_status status = r->m->ops->copy(r->m, &from, &to, r->stream);
    if (status == PLUMB_OK && found->im) {
        from.data += from.plane;
        to.data = found->im;
        status = r->m->ops->copy(r->m, &from, &to, r->stream);
    }
    if (status == PLUMB_OK)
        status = fetch(r, found->exponent, r->job.exponent, (size_t)n * sizeof(int32_t));
    if (status != PLUMB_OK)
        return status;
    for (int64_t k = 0; k < n; k++)
        found->square[k] = found->re[k * n + k];
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < n; k++) {
            found->re[j * n + k] = k < j ? found->re[j * n + k] / found->square[k] : 0.0;
            if (found->im)
                found->im[j * n + k] = k < j ? found->im[j * n + k] / found->square[k] : 0.0;
        }
    for (int64_t k = 0; k < n; k++)
        found->square[k] *= found->square[k];
    return PLUMB_OK;
}

/* With a factor in this precision; *converged: 0 where the results are not there. */
static plumb_status refine(machine *m, const lsq_call *call, int64_t index, int32_t low, mgs_findings *found,
                           int *converged, void *stream)
{
    const plumb_view *a = call->a;
    gram_run r = {.m = m,
                  .stream = stream,
                  .with = &entries[a->prec][a->parts],
                  .low = low,
                  .parts = a->parts,
                  .job = {.a = plumb_cuda_mgs_array(a, index),
                          .b = plumb_cuda_mgs_array(call->b, index),
                          .x = plumb_cuda_mgs_array(call->x, index),
                          .residual = plumb_cuda_mgs_array(call->residual, index),
                          .limbs = a->prec,
                          .rows = (int32_t)a->rows,
                          .cols = (int32_t)a->cols}};
    int there = 0;
    *converged = 0;
    plumb_status status = make_room(&r, call);
    if (status == PLUMB_ERR_MEMORY || status == PLUMB_ERR_SIZE) {
        m->message[0] = 0;
        return PLUMB_OK; /* full precision takes less memory */
    }
    if (found) {
        found->tried = 1, found->factor_prec = low, found->steps = 0;
        found->last = found->remains = found->left = 0.0;
    }
    if (status == PLUMB_OK)
        status = (low == PLUMB_D ? factor_tiles : factor_products)(&r, &there);
    int all = there;
    double *const room[2] = {r.job.from, r.job.to};
    for (r.job.side = 0; r.job.side < call->b->cols && status == PLUMB_OK && all; r.job.side++) {
        r.job.from = room[0], r.job.to = room[1];
        status = iterate(&r, precision_unit(a->prec), found, &all);
    }
    if (status != PLUMB_OK || !all)
        return status;
    *converged = 1;
    if (found)
        found->converged = 1;
    if (call->info)
        status = plumb_cuda_status(cudaMemsetAsync(call->info + index, 0, sizeof *call->info, (cudaStream_t)stream),
                                   "writing an outcome", m->message, m->message_size);
    return status == PLUMB_OK && found ? fill_in(&r, found) : status;
}

plumb_status plumb_cuda_mgs_gram(machine *m, const lsq_call *call, int64_t index, mgs_findings *found, int *converged,
                                 void *stream)
{
    plumb_status status = PLUMB_OK;
    *converged = 0;
    if (has_tiles(m) && m->hooks.lsq_gram != PLUMB_DD)
        status = refine(m, call, index, PLUMB_D, found, converged, stream);
    if (status == PLUMB_OK && !*converged && call->a->prec >= PLUMB_DD)
        status = refine(m, call, index, PLUMB_DD, found, converged, stream);
    return status;
}
