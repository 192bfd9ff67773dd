/* follow.c - see follow.h. */
#include "solver/solve/points/follow.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/os/clock.h"
#include "base/os/team.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Work of a path in the first round of a call, and at most in all calls, and that of all paths: about 0.05 s, 5 s, and 250 s on one
 * core and 0.1 s for each path of the run, which itself takes long if there are many. */
static const double FIRST_WORK = 2e7, GROWTH = 8.0, MOST_WORK = 2e9, TOTAL_WORK = 1e11, WORK_PER_PATH = 4e7;

/* Steps of a path in MPFR, for each that it may take in other precisions. */
enum { TIMES_STEPS = 2 };

/* Bits of start solutions. */
enum { START_BITS = 256 };

/* Seconds between two calls of the callbacks. */
static const double PAUSE = 0.05;

/* What threads share that follow paths. */
typedef struct followers {
    const solve_plan *plan;
    followed_path *paths;
    int64_t count;
    mp_follow_options options; /* of all paths: callbacks are those of a thread */
    team_counter next;
    double spent;  /* work of earlier calls */
    int64_t total; /* paths that are followed in this call */
    /* Written by all threads: how many of them have ended, and have failed. */
    int64_t done, failed;
    int32_t status, stopped, asking;
} followers;

/* ---- One thread ---------------------------------------------------------------------------------------------------- */

typedef struct follower_thread {
    followers *all;
    double last; /* when the callbacks were called */
} follower_thread;

/* Whether to stop; now and then the callbacks are asked, by one thread at a time. */
static bool ask(void *data)
{
    follower_thread *thread = data;
    followers *all = thread->all;
    const plumb_solve_options *o = &all->plan->options;
    const double now = plumb_clock_seconds();
    if (now - thread->last >= PAUSE && __atomic_exchange_n(&all->asking, 1, __ATOMIC_ACQUIRE) == 0) {
        thread->last = now;
        const int64_t done = __atomic_load_n(&all->done, __ATOMIC_RELAXED);
        const int64_t failed = __atomic_load_n(&all->failed, __ATOMIC_RELAXED);
        if ((o->mpfr_progress && o->mpfr_progress(o->data, done, failed, all->total) != 0) ||
            (o->stop && o->stop(o->data) != 0))
            __atomic_store_n(&all->stopped, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&all->asking, 0, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&all->stopped, __ATOMIC_RELAXED) != 0;
}

static bool is_finite(const mp_complex *x, int64_t n)
{
    bool good = true;
    for (int64_t i = 0; i < n; i++)
        good = good && mpfr_number_p(x[i].re) && mpfr_number_p(x[i].im);
    return good;
}

/* Makes the start solution by MPFR, where quad doubles could not. */
static plumb_status walk_to_start(follower_thread *thread, followed_path *p)
{
    const followers *all = thread->all;
    const solve_start *start = &all->plan->start;
    if (!start->walk) {
        p->lost = true;
        return PLUMB_OK;
    }
    mp_effort effort = {
        .most_work = MOST_WORK, .most_bits = all->options.most_bits, .stop = ask, .data = thread, .arrived = false};
    const plumb_status status = start->walk(start, p->number, &effort, p->start);
    p->path.work += effort.work;
    p->lost = !effort.arrived;
    return status;
}

static plumb_status follow_one(follower_thread *thread, followed_path *p)
{
    const followers *all = thread->all;
    const plumb_homotopy *h = all->plan->homotopy;
    mp_follow_options options = all->options;
    options.most_work = fmin(options.most_work + p->before, MOST_WORK);
    options.care = p->care;
    options.stop = ask;
    options.data = thread;
    plumb_status status = PLUMB_OK;
    p->pending = false;
    if (!is_finite(p->start, h->given_unknowns))
        status = walk_to_start(thread, p);
    if (status != PLUMB_OK || p->lost)
        return status;
    status = mp_follow(h, p->start, &options, &p->path);
    p->lost = !p->path.x;
    p->pending = !p->lost && p->path.end == MP_END_FAILED && p->path.limit == MP_LIMIT_WORK;
    return status;
}

static void follow_some(void *data, team *t, int32_t index, int32_t threads)
{
    followers *all = data;
    follower_thread thread = {.all = all, .last = plumb_clock_seconds()};
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&all->next, 1)) < all->count;) {
        followed_path *p = &all->paths[k];
        if (!p->pending || ask(&thread))
            continue;
        const plumb_status status = follow_one(&thread, p);
        if (status != PLUMB_OK)
            __atomic_store_n(&all->status, (int32_t)status, __ATOMIC_RELAXED);
        __atomic_fetch_add(&all->done, !p->pending, __ATOMIC_RELAXED);
        __atomic_fetch_add(&all->failed, !p->pending && (p->lost || p->path.end == MP_END_FAILED), __ATOMIC_RELAXED);
    }
    mpfr_free_cache(); /* of this thread */
}

/* ---- Start solutions ----------------------------------------------------------------------------------------------- */

static bool needs_start(const followed_path *p)
{
    return p->pending && !p->path.x && !p->start;
}

/* Takes the start solutions of paths that have not begun, in quad doubles; those that cannot be made are not finite. */
static plumb_status take_starts(const followers *all, int64_t needed)
{
    const solve_plan *plan = all->plan;
    plumb_context *context = plan->context;
    const int64_t n = plan->homotopy->given_unknowns;
    int64_t *numbers = calloc((size_t)needed + 1, sizeof *numbers), at = 0;
    double *x = calloc((size_t)(n * 2 * PLUMB_QD), sizeof *x);
    plumb_view starts = {.data = NULL};
    plumb_status status = numbers && x ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, needed, &starts);
    for (int64_t k = 0; k < all->count && status == PLUMB_OK; k++)
        if (needs_start(&all->paths[k]))
            numbers[at++] = all->paths[k].number;
    if (status == PLUMB_OK)
        status = plan->start.make(&plan->start, context, numbers, plan->options.reruns, &starts);
    at = 0;
    for (int64_t k = 0; k < all->count && status == PLUMB_OK; k++) {
        followed_path *p = &all->paths[k];
        if (!needs_start(p))
            continue;
        p->start = mp_make(n, START_BITS);
        status = p->start ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
        for (int64_t i = 0; i < n && p->start; i++) {
            const double *from = starts.data + at * starts.next + i;
            for (int64_t c = 0; c < 2 * PLUMB_QD; c++)
                x[c] = from[c * starts.plane];
            mp_set_limbs(&p->start[i], x, x + PLUMB_QD, PLUMB_QD);
        }
        at++;
    }
    free(numbers);
    free(x);
    plumb_array_destroy(context, &starts);
    return status;
}

/* ---- Rounds -------------------------------------------------------------------------------------------------------- */

static int64_t count_left(const followers *all)
{
    int64_t left = 0;
    for (int64_t k = 0; k < all->count; k++)
        left += all->paths[k].pending;
    return left;
}

static plumb_status run_round(followers *all, int64_t left)
{
    plumb_context *context = all->plan->context;
    const bool many = context->cpu.threads > 1 && left > 1;
    plumb_status status = PLUMB_OK;
    all->next = (team_counter){0};
    if (many)
        status = team_start(&context->cpu.team, context->cpu.threads, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        team_run(many ? context->cpu.team : NULL, context->cpu.threads, follow_some, all);
    if (status == PLUMB_OK && all->status != PLUMB_OK)
        status = SAY((plumb_status)all->status, "%s", plumb_status_text((plumb_status)all->status));
    return status;
}

/* The work of the call so far. */
static double count_work(const followers *all)
{
    double work = 0.0;
    for (int64_t k = 0; k < all->count; k++)
        work += all->paths[k].path.work - all->paths[k].before;
    return work;
}

/* Each round lets the paths that are left spend more, in this call, until nothing is left of the total. */
static plumb_status run_rounds(followers *all)
{
    const double total = TOTAL_WORK + WORK_PER_PATH * (double)all->plan->start.paths;
    double granted = 0.0;
    plumb_status status = PLUMB_OK;
    int64_t left = count_left(all);
    for (bool last = false; left > 0 && status == PLUMB_OK && !last && !all->stopped; left = count_left(all)) {
        const double wish = fmin(granted > 0.0 ? GROWTH * granted : FIRST_WORK, MOST_WORK);
        const double most = granted + fmax(0.0, total - all->spent - count_work(all)) / (double)left;
        last = !(most > wish) || wish >= MOST_WORK;
        granted = fmin(wish, most);
        all->options.most_work = granted;
        status = run_round(all, left);
    }
    return status;
}

/* The path was followed in vain: what it cost stays. */
static void begin_again(const solve_plan *plan, followed_path *p)
{
    const double work = p->path.work;
    const int64_t steps = p->path.steps;
    mp_path_clear(plan->homotopy, &p->path);
    p->path = (mp_path){.end = MP_END_FAILED, .work = work, .steps = steps};
    p->care++;
    p->again = false;
}

plumb_status plumb_solve_follow(const solve_plan *plan, followed_path *paths, int64_t count, double digits,
                                follow_account *account)
{
    const double began = plumb_clock_seconds();
    followers all = {.plan = plan, .paths = paths, .count = count, .spent = account->work, .status = PLUMB_OK};
    all.options = (mp_follow_options){.digits = digits,
                                      .most_bits = (int64_t)ceil(plan->options.max_digits * log2(10.0)),
                                      .most_steps = TIMES_STEPS * plan->options.max_steps};
    int64_t needed = 0;
    for (int64_t k = 0; k < count; k++) {
        followed_path *p = &paths[k];
        const mp_path *path = &p->path;
        if (p->again)
            begin_again(plan, p);
        p->before = path->work;
        p->pending =
            !p->ended && !p->lost && path->work < MOST_WORK &&
            (!path->x || path->end == MP_END_SINGULAR || (path->end == MP_END_FAILED && path->limit == MP_LIMIT_WORK));
        needed += needs_start(p);
        all.total += p->pending;
    }
    plumb_status status = needed > 0 ? take_starts(&all, needed) : PLUMB_OK;
    if (status == PLUMB_OK)
        status = run_rounds(&all);
    account->stopped = account->stopped || all.stopped;
    account->work += count_work(&all);
    account->seconds += plumb_clock_seconds() - began;
    return status;
}

void plumb_followed_clear(const solve_plan *plan, followed_path *path)
{
    mp_free(path->start, path->start ? plan->homotopy->given_unknowns : 0);
    mp_path_clear(plan->homotopy, &path->path);
    *path = (followed_path){.start = NULL};
}
