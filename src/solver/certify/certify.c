/* certify.c - plumb_certify: checks, the order of attempts, and the certificates. */
#include "solver/certify/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/memory/memory.h"
#include "base/number/random.h"
#include "model/system/dependent.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

void plumb_certify_options_init(plumb_certify_options *options)
{
    if (options)
        *options = (plumb_certify_options){.size = sizeof *options, .max_bits = BALLS_MOST_BITS};
}

/* ---- The order of attempts ---------------------------------------------------------------------------------------- */

/* More bits than these cannot be expected to decide about the signs of coordinates, because many systems have coordinates that are
 * zero; nor that a zero is not real if coefficients are not, because it may be real, and that cannot be proven then. */
enum { SIGN_BITS = 256 };

/* True if more bits may decide what a proven box leaves open. */
static bool is_open(const certify_work *work, const certify_point *p)
{
    if (p->verdict.real == 0 && (work->real || p->bits < SIGN_BITS))
        return true;
    return p->verdict.positive == 0 && p->bits < SIGN_BITS;
}

/* The bits that a Jacobian needs before it is rounded to a precision. */
static int32_t bits_for(int32_t prec)
{
    return prec == PLUMB_D ? 64 : prec == PLUMB_DD ? 128 : 256;
}

/* After an attempt: true if another one is worth it, with more bits or a more accurate inverse. */
static bool next_attempt(const certify_work *work, certify_point *p)
{
    const int32_t most = work->options.max_bits;
    switch (p->outcome) {
    case BALLS_PROVEN:
        if (!is_open(work, p) || 2 * p->bits > most)
            return false;
        p->bits *= 2;
        return true;
    case BALLS_INVERSE:
        p->code = PLUMB_CERTIFY_SINGULAR;
        if (p->prec == PLUMB_QD || bits_for(2 * p->prec) > most)
            return false;
        p->prec *= 2;
        p->bits = p->bits > bits_for(p->prec) ? p->bits : bits_for(p->prec);
        return true;
    case BALLS_BITS:
        p->code = p->prec == PLUMB_QD ? PLUMB_CERTIFY_SINGULAR : PLUMB_CERTIFY_NO_CONTRACTION;
        if (2 * p->bits > most)
            return false;
        p->bits *= 2;
        return true;
    case BALLS_AWAY:
    default:
        p->code = PLUMB_CERTIFY_NO_CONTRACTION;
        return false;
    }
}

plumb_status certify_points(certify_work *work, int64_t *list, int64_t count)
{
    while (count > 0) {
        plumb_status status = certify_attempt(work, list, count);
        if (status != PLUMB_OK)
            return status;
        int64_t left = 0;
        for (int64_t k = 0; k < count; k++)
            if (next_attempt(work, &work->point[list[k]]))
                list[left++] = list[k];
            else
                work->failed += work->point[list[k]].proven == 0;
        work->done += count - left;
        count = left;
    }
    return PLUMB_OK;
}

/* ---- Systems with more equations than unknowns -------------------------------------------------------------------- */

/* Equation i of the square system is equation i plus random multiples of those beyond the first n. */
static int32_t *make_square(const plumb_system *system, uint64_t seed)
{
    enum { MOST = 99 };
    const int64_t m = system->equations, n = system->unknowns;
    int32_t *square = calloc((size_t)(m * n), sizeof *square);
    plumb_random random = plumb_random_start(seed);
    for (int64_t i = 0; square && i < n; i++) {
        square[i * m + i] = 1;
        for (int64_t k = n; k < m; k++) {
            const int32_t size = 1 + (int32_t)plumb_random_below(&random, MOST);
            square[i * m + k] = plumb_random_below(&random, 2) ? size : -size;
        }
    }
    return square;
}

/* ---- The call ----------------------------------------------------------------------------------------------------- */

static plumb_status check(plumb_context *context, const plumb_system *system, const plumb_view *points,
                          plumb_certificates **certificates)
{
    if (!system || !points || !certificates)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", !system ? "system" : !points ? "points" : "certificates");
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    plumb_status status = plumb_view_check(points, "points", context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (system->equations < system->unknowns)
        return SAY(PLUMB_ERR_ARGUMENT,
                   "the system has %lld equations and %lld unknowns, expected at least as many equations",
                   (long long)system->equations, (long long)system->unknowns);
    if (points->rows != system->unknowns || points->cols != 1 || points->parts != PLUMB_COMPLEX ||
        points->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "points: expected a complex array of %lld x 1 on the host",
                   (long long)system->unknowns);
    return PLUMB_OK;
}

/* FLINT ends the process if it gets no memory, so this is asked before: what the points take, of which most
 * need few bits, and the scratch memory of the threads in the highest precision, and as much again. */
static plumb_status reserve(plumb_context *context, const plumb_system *system, int64_t count, int32_t max_bits)
{
    const int64_t n = system->unknowns, m = system->equations, terms = system->equation[m];
    const int64_t small = 2 * 128,
                  number = 2 * (max_bits / 8 + 96); /* bytes of a complex ball in few and in most bits */
    int64_t bytes = plumb_memory_add(1 << 20, plumb_memory_add(1024, n, 3 * small), count);
    int64_t worker = plumb_memory_add(1 << 16, 6 * terms, number);
    worker = plumb_memory_add(worker, plumb_memory_add(16, n, 4 * (m + n)), number);
    bytes = plumb_memory_add(bytes, worker, 2 * context->cpu.threads);
    plumb_status status = plumb_memory_check(bytes, "certification", context->message, sizeof context->message);
    void *memory = status == PLUMB_OK ? malloc((size_t)bytes) : NULL;
    if (status == PLUMB_OK && !memory)
        status = SAY(PLUMB_ERR_MEMORY, "certification needs %lld bytes of memory", (long long)bytes);
    free(memory);
    return status;
}

static bool all_finite(const double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Copies the points into boxes; those that are not finite get none. */
static plumb_status take_points(certify_work *work, const plumb_view *points)
{
    plumb_context *context = work->context;
    const int64_t n = work->unknowns;
    double *x = calloc((size_t)(n * 2 * points->prec), sizeof *x);
    plumb_status status = x ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < work->count && status == PLUMB_OK; k++) {
        certify_point *p = &work->point[k];
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < 2 * points->prec; c++)
                x[i * 2 * points->prec + c] = points->data[k * points->next + c * points->plane + i];
        *p = (certify_point){.bits = BALLS_LEAST_BITS, .prec = PLUMB_D, .code = PLUMB_CERTIFY_NONFINITE};
        if (!all_finite(x, n * 2 * points->prec))
            continue;
        p->code = PLUMB_CERTIFY_NO_CONTRACTION;
        p->box = work->ops->box_create(n, points->prec, x);
        if (!p->box)
            status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    }
    free(x);
    return status;
}

static plumb_status certify_all(certify_work *work)
{
    plumb_context *context = work->context;
    int64_t *list = malloc(((size_t)work->count + 1) * sizeof *list), count = 0;
    if (!list)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < work->count; k++)
        if (work->point[k].box)
            list[count++] = k;
    work->done = work->failed = work->count - count; /* points that are not finite */
    plumb_status status = certify_points(work, list, count);
    free(list);
    return status;
}

static plumb_status give(const certify_work *work, plumb_certificates *c)
{
    plumb_context *context = work->context;
    const balls_ops *ops = work->ops;
    for (int64_t k = 0; k < work->count; k++) {
        const certify_point *p = &work->point[k];
        plumb_certificate *r = &c->record[k];
        r->code = p->code;
        if (p->proven == 0)
            continue;
        r->code = !c->square ? PLUMB_CERTIFIED : p->verdict.excluded ? PLUMB_CERTIFY_EXCLUDED : PLUMB_CERTIFY_SQUARED;
        r->bits = p->proven;
        r->real = p->verdict.real;
        r->positive = p->verdict.positive;
        r->radius = ops->radius(p->box);
        r->moved = ops->moved(p->box);
        for (int64_t i = 0; i < c->unknowns; i++)
            for (int part = 0; part < CERTIFICATE_NUMBERS; part++)
                if (!(certificate_number(c, k, i)[part] = ops->text(p->box, i, part)))
                    return SAY(PLUMB_ERR_MEMORY, "out of memory");
    }
    return PLUMB_OK;
}

static bool has_real_coefficients(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        if (mpq_sgn(system->terms[k].im) != 0)
            return false;
    return true;
}

static plumb_status run(certify_work *work, const plumb_system *system, const plumb_view *points, plumb_certificates *c)
{
    plumb_context *context = work->context;
    if (system->equations > system->unknowns && !(c->square = make_square(system, work->options.seed)))
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    work->real = has_real_coefficients(system);
    work->system = work->ops->system_create(system, c->square);
    plumb_status status = work->system ? take_points(work, points) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = certify_all(work);
    if (status == PLUMB_OK)
        status = certify_distinct(work, c->record);
    if (status == PLUMB_OK)
        status = give(work, c);
    return status;
}

static bool make_room(certify_work *work, plumb_certificates *c)
{
    const size_t count = (size_t)c->count + 1;
    work->point = calloc(count, sizeof *work->point);
    c->record = calloc(count, sizeof *c->record);
    c->number = calloc(count * (size_t)c->unknowns, CERTIFICATE_NUMBERS * sizeof *c->number);
    for (int64_t k = 0; c->record && k < c->count; k++)
        c->record[k].same_as = -1;
    return work->point && c->record && c->number;
}

plumb_status plumb_certify(plumb_context *context, const plumb_system *system, const plumb_view *points,
                           const plumb_certify_options *given, plumb_certificates **certificates)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_certify_options, max_bits, OPTION_INT32, BALLS_LEAST_BITS, BALLS_MOST_BITS),
        OPTION_RESERVED(plumb_certify_options, reserved), OPTION_END};
    char why[256];
    plumb_system *left = NULL;
    if (!context)
        return plumb_no_context();
    if (certificates)
        *certificates = NULL;
    certify_work work = {.context = context};
    plumb_certify_options_init(&work.options);
    plumb_status status = check(context, system, points, certificates);
    if (status == PLUMB_OK)
        status = plumb_options_take(given, &work.options, fields, context->message, sizeof context->message);
    if (status == PLUMB_OK && !(work.ops = balls_load(why, sizeof why)))
        status = SAY(PLUMB_ERR_UNSUPPORTED, "certification needs FLINT with Arb: %s", why);
    if (status == PLUMB_OK && (status = plumb_system_independent(system, &left)) != PLUMB_OK)
        status = SAY(status, "out of memory");
    if (left)
        system = left; /* it has the same zeros */
    if (status == PLUMB_OK)
        status = reserve(context, system, points->batch, work.options.max_bits);
    plumb_certificates *c = status == PLUMB_OK ? calloc(1, sizeof *c) : NULL;
    if (status == PLUMB_OK && !c)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status != PLUMB_OK) {
        plumb_system_destroy(left);
        return status;
    }
    c->count = work.count = points->batch;
    c->unknowns = work.unknowns = system->unknowns;
    c->equations = system->equations;
    status = make_room(&work, c) ? run(&work, system, points, c) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; work.point && k < work.count; k++)
        work.ops->box_destroy(work.point[k].box);
    if (work.system)
        work.ops->system_destroy(work.system);
    free(work.point);
    plumb_system_destroy(left);
    if (status == PLUMB_OK)
        *certificates = c;
    else
        plumb_certificates_destroy(c);
    return status;
}
