/* digits.c - plumb_refine_digits and plumb_solutions_refine: checks, points shared by the threads of a context, and their numbers as
 * texts. The mathematics is in solver/mp/digits.h. */
#include "model/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/memory/memory.h"
#include "base/os/team.h"
#include "model/solutions.h"
#include "solver/mp/decimal.h"
#include "solver/mp/digits.h"
#include "solver/newton/newton.h"
#include "text/solutions/text.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { MOST_DIGITS = 10000 };

void plumb_digits_options_init(plumb_digits_options *options)
{
    if (options)
        *options = (plumb_digits_options){.size = sizeof *options, .digits = 100};
}

/* A call: points of this many limbs each, 2 * limbs doubles per unknown. */
typedef struct digits_call {
    const plumb_system *system;
    double *x;
    int32_t limbs;
    const solution_record *record; /* of solutions, or NULL: some kinds are not refined */
    plumb_digits_options options;
    plumb_digits *digits;
    bool keeps_limbs; /* x becomes the rounded numbers */
    team_counter next;
    int64_t done, failed;
    bool stopped, no_memory;
} digits_call;

/* What a thread of it needs. Only the first one may ask for progress. */
typedef struct digits_thread {
    digits_call *call;
    bool first;
} digits_thread;

/* ---- One point ---------------------------------------------------------------------------------------------------- */

static bool ask(void *data)
{
    const digits_thread *thread = data;
    digits_call *c = thread->call;
    const int64_t done = __atomic_load_n(&c->done, __ATOMIC_RELAXED),
                  failed = __atomic_load_n(&c->failed, __ATOMIC_RELAXED);
    if (thread->first && c->options.progress &&
        c->options.progress(c->options.data, done, failed, c->digits->count) != 0)
        __atomic_store_n(&c->stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&c->stopped, __ATOMIC_RELAXED);
}

static double *point_of(const digits_call *c, int64_t k)
{
    return c->x + k * c->digits->unknowns * 2 * c->limbs;
}

static bool is_finite(const digits_call *c, int64_t k)
{
    const double *x = point_of(c, k);
    for (int64_t i = 0; i < c->digits->unknowns * 2 * c->limbs; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* A point that was refined, as texts and rounded to limbs. */
static bool give(const digits_call *c, const mp_digits *d, int64_t k)
{
    double *x = point_of(c, k);
    for (int64_t i = 0; i < d->unknowns; i++) {
        char **number = digits_number(c->digits, k, i);
        double *re = x + 2 * c->limbs * i;
        number[0] = mp_decimal(d->x[i].re, d->unit[i], c->digits->report[k].known);
        number[1] = mp_decimal(d->x[i].im, d->unit[i], c->digits->report[k].known);
        if (!number[0] || !number[1])
            return false;
        if (c->keeps_limbs)
            mp_get_limbs(&d->x[i], re, re + c->limbs, c->limbs);
    }
    return true;
}

/* A point that keeps its value. */
static bool give_back(const digits_call *c, int64_t k)
{
    const double *x = point_of(c, k);
    for (int64_t i = 0; i < 2 * c->digits->unknowns; i++)
        if (plumb_solutions_decimal(c->limbs, x + c->limbs * i, &c->digits->number[2 * k * c->digits->unknowns + i]) !=
            PLUMB_OK)
            return false;
    return true;
}

/* The code of a point that is not tried. */
static int32_t refusal(const digits_call *c, int64_t k)
{
    if (!is_finite(c, k))
        return PLUMB_DIGITS_NONFINITE;
    const int32_t kind = c->record ? c->record[k].kind : PLUMB_SOLUTION_UNKNOWN;
    return kind == PLUMB_SOLUTION_SINGULAR || kind == PLUMB_SOLUTION_CLUSTER ? PLUMB_DIGITS_SINGULAR
                                                                             : PLUMB_DIGITS_REACHED;
}

static void refine(digits_call *c, mp_digits *d, int64_t k)
{
    plumb_digits_report *r = &c->digits->report[k];
    r->code = refusal(c, k);
    if (r->code == PLUMB_DIGITS_REACHED) {
        r->code = mp_digits_refine(d, point_of(c, k), c->limbs, c->options.digits, &r->known);
        r->bits = d->bits;
        r->steps = d->steps;
        r->condition = r->known > 0 ? exp2(fmin(d->condition, 1023.0)) : (double)INFINITY;
    }
    if (r->code < 0)
        return;
    if (!(r->known > 0 ? give(c, d, k) : give_back(c, k)))
        __atomic_store_n(&c->no_memory, true, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->failed, r->code != PLUMB_DIGITS_REACHED, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->done, 1, __ATOMIC_RELAXED);
}

/* ---- All points --------------------------------------------------------------------------------------------------- */

/* The first thread goes on asking while the others work, so that they can be stopped. */
static void wait_for_others(digits_thread *thread)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    digits_call *c = thread->call;
    while (__atomic_load_n(&c->done, __ATOMIC_RELAXED) < c->digits->count &&
           !__atomic_load_n(&c->no_memory, __ATOMIC_RELAXED) && !ask(thread))
        nanosleep(&pause, NULL);
}

static void share(void *data, team *t, int32_t index, int32_t threads)
{
    digits_thread thread = {.call = data, .first = index == 0};
    digits_call *c = data;
    mp_digits d;
    (void)t;
    (void)threads;
    if (mp_digits_begin(c->system, &d) != PLUMB_OK)
        __atomic_store_n(&c->no_memory, true, __ATOMIC_RELAXED);
    d.stopped = ask;
    d.data = &thread;
    for (int64_t k; !__atomic_load_n(&c->no_memory, __ATOMIC_RELAXED) && !ask(&thread) &&
                    (k = team_take(&c->next, 1)) < c->digits->count;)
        refine(c, &d, k);
    if (thread.first)
        wait_for_others(&thread);
    mp_digits_clear(&d);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

/* GMP ends the process if it gets no memory, so this is asked before. */
static plumb_status reserve(plumb_context *context, const digits_call *c, int32_t threads)
{
    const int64_t texts = plumb_memory_add(0, 2 * c->digits->count * c->digits->unknowns, c->options.digits + 64);
    const int64_t bytes = plumb_memory_add(texts, mp_digits_bytes(c->system, c->options.digits), threads);
    return plumb_memory_check(bytes, "refinement to this number of digits", context->message, sizeof context->message);
}

static plumb_status work(plumb_context *context, digits_call *c)
{
    machine *cpu = &context->cpu;
    const int32_t threads = c->digits->count < cpu->threads ? (int32_t)c->digits->count : cpu->threads;
    plumb_status status = reserve(context, c, threads);
    if (status == PLUMB_OK && threads > 1)
        status = team_start(&cpu->team, threads, context->message, sizeof context->message);
    if (status == PLUMB_OK && threads > 0)
        team_run(cpu->team, threads, share, c);
    if (status == PLUMB_OK && c->no_memory)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && c->stopped)
        status = SAY(PLUMB_ERR_STOPPED, "stopped on request");
    return status;
}

/* ---- The calls ---------------------------------------------------------------------------------------------------- */

static plumb_status settle(plumb_context *context, const plumb_digits_options *given, plumb_digits_options *options)
{
    static const option_field fields[] = {OPTION_RANGE(plumb_digits_options, digits, OPTION_INT64, 1.0, MOST_DIGITS),
                                          OPTION_END};
    plumb_digits_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

plumb_status plumb_refine_digits(plumb_context *context, const plumb_system *system, const plumb_view *x,
                                 const plumb_digits_options *options, plumb_digits **digits)
{
    if (!context)
        return plumb_no_context();
    if (!digits)
        return SAY(PLUMB_ERR_ARGUMENT, "digits is NULL");
    *digits = NULL;
    digits_call c = {.system = system};
    plumb_status status = newton_check_points(context, system, x);
    if (status == PLUMB_OK && (x->parts != PLUMB_COMPLEX || x->where != PLUMB_HOST))
        status = SAY(PLUMB_ERR_ARGUMENT, "x must be complex and on the host");
    if (status == PLUMB_OK)
        status = settle(context, options, &c.options);
    if (status != PLUMB_OK)
        return status;
    c.limbs = x->prec;
    c.x = calloc((size_t)(x->batch * x->rows) + 1, 2 * (size_t)x->prec * sizeof *c.x);
    c.digits = plumb_digits_create(x->batch, x->rows);
    status = c.x && c.digits ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && x->batch > 0)
        status = plumb_unpack(x, c.x);
    if (status == PLUMB_OK)
        status = work(context, &c);
    free(c.x);
    if (status == PLUMB_OK)
        *digits = c.digits;
    else
        plumb_digits_destroy(c.digits);
    return status;
}

/* What the records say of solutions that were refined. */
static void update(plumb_solutions *s)
{
    for (int64_t k = 0; k < s->count; k++) {
        const int64_t known = s->digits->report[k].known;
        if (known == 0)
            continue;
        s->record[k].prec = s->record[k].prec > 0 ? s->prec : 0;
        s->record[k].known = (int32_t)known;
        s->record[k].err = fmin(s->record[k].err, pow(10.0, -(double)known));
    }
}

plumb_status plumb_solutions_refine(plumb_context *context, const plumb_system *system, plumb_solutions *solutions,
                                    const plumb_digits_options *options)
{
    if (!context)
        return plumb_no_context();
    if (!system || !solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", system ? "solutions" : "system");
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    if (solutions->unknowns != system->unknowns || system->equations < system->unknowns)
        return SAY(PLUMB_ERR_ARGUMENT,
                   "the system has %lld equations in %lld unknowns, the solutions have %lld unknowns",
                   (long long)system->equations, (long long)system->unknowns, (long long)solutions->unknowns);
    digits_call c = {.system = system, .limbs = solutions->prec, .record = solutions->record, .keeps_limbs = true};
    plumb_status status = settle(context, options, &c.options);
    if (status != PLUMB_OK)
        return status;
    const size_t doubles = (size_t)(solutions->count * solutions->unknowns * 2 * solutions->prec);
    c.x = malloc((doubles + 1) * sizeof *c.x);
    c.digits = plumb_digits_create(solutions->count, solutions->unknowns);
    if (!c.x || !c.digits)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK) {
        memcpy(c.x, solutions->x, doubles * sizeof *c.x);
        status = work(context, &c);
    }
    if (status == PLUMB_OK) {
        memcpy(solutions->x, c.x, doubles * sizeof *c.x);
        plumb_digits_destroy(solutions->digits);
        solutions->digits = c.digits;
        update(solutions);
    } else {
        plumb_digits_destroy(c.digits);
    }
    free(c.x);
    return status;
}

const char *plumb_mpfr_version(void)
{
    return mpfr_get_version();
}
