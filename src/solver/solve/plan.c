/* plan.c - see plan.h. */
#include "solver/solve/plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "base/os/clock.h"
#include "solver/multihomogeneous/groups.h"
#include "solver/solve/direct.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

void plumb_solve_options_init(plumb_solve_options *options)
{
    if (options)
        *options = (plumb_solve_options){.size = sizeof *options,
                                         .reruns = 2,
                                         .max_steps = 10000,
                                         .max_work = 10000000,
                                         .largest = (double)INFINITY,
                                         .seed = 1,
                                         .max_digits = 10000};
}

plumb_status plumb_solve_read_options(plumb_context *context, const plumb_solve_options *given,
                                      plumb_solve_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_solve_options, start, OPTION_INT32, PLUMB_START_AUTO, PLUMB_START_POLYHEDRAL),
        OPTION_PRECISION(plumb_solve_options, prec),
        OPTION_RANGE(plumb_solve_options, digits, OPTION_INT32, 0.0, 10000.0),
        OPTION_FLAG(plumb_solve_options, real),
        OPTION_FLAG(plumb_solve_options, positive),
        OPTION_FLAG(plumb_solve_options, nonzero),
        OPTION_RANGE(plumb_solve_options, reruns, OPTION_INT32, 0.0, 8.0),
        OPTION_RESERVED(plumb_solve_options, reserved),
        OPTION_RANGE(plumb_solve_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
        OPTION_RANGE(plumb_solve_options, max_work, OPTION_INT64, 0.0, (double)INFINITY),
        OPTION_RANGE(plumb_solve_options, largest, OPTION_REAL, 100.0, (double)INFINITY),
        OPTION_RANGE(plumb_solve_options, residual, OPTION_REAL, 0.0, 1.0),
        OPTION_FLAG(plumb_solve_options, resume),
        OPTION_FLAG(plumb_solve_options, ranks),
        OPTION_FLAG(plumb_solve_options, fill),
        OPTION_FLAG(plumb_solve_options, unfiltered),
        OPTION_RANGE(plumb_solve_options, rank_threads, OPTION_INT32, 0.0, 65536.0),
        OPTION_RESERVED(plumb_solve_options, reserved_2),
        OPTION_FLAG(plumb_solve_options, plan_only),
        OPTION_RESERVED(plumb_solve_options, reserved_3),
        OPTION_RANGE(plumb_solve_options, max_digits, OPTION_INT32, 0.0, 10000.0),
        OPTION_RESERVED(plumb_solve_options, reserved_4),
        OPTION_RANGE(plumb_solve_options, path_first, OPTION_INT64, 0.0, (double)INFINITY),
        OPTION_RANGE(plumb_solve_options, path_count, OPTION_INT64, 0.0, (double)INFINITY),
        OPTION_END};
    plumb_solve_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

static int64_t bezout_number(const plumb_system *system)
{
    mpz_t bezout;
    mpz_init(bezout);
    const int64_t number =
        plumb_system_bezout(system, bezout) && mpz_sizeinbase(bezout, 2) < 63 ? (int64_t)mpz_get_si(bezout) : -1;
    mpz_clear(bezout);
    return number;
}

/* Are these fewer paths than those of the start system so far, or else of total degree? */
static bool are_fewer(const solve_plan *plan, int64_t paths)
{
    const int64_t others = plan->start.kind != PLUMB_START_AUTO ? plan->start.paths : plan->report.total_degree;
    return others < 0 || paths < others;
}

/* Start solutions of a polyhedral start system come from paths themselves, which are as long as those from there. So total
 * degree is used unless it has a quarter more paths, or leads to solutions that are not wanted. */
static bool is_worth_it(const solve_plan *plan, int64_t polyhedral)
{
    const int64_t total = plan->report.total_degree;
    return total < 0 || polyhedral < (plan->options.nonzero ? total : total - total / 5);
}

/* At equal numbers the same holds for a multi-homogeneous start system, if it has no more terms than the target. */
static bool is_simple(const solve_plan *plan, const plumb_system *start)
{
    const plumb_system *target = plumb_solve_target(plan);
    return start->equation[start->equations] <= target->equation[target->equations];
}

/* Notes why a start system is out of the question although nobody asked for another kind. */
static void give_up(solve_plan *plan, int32_t kind, const char *why)
{
    snprintf(plan->given_up[kind], sizeof plan->given_up[kind], "%s", why);
}

static const char too_many[] = "2^63 paths or more";

/* Counts the paths of a multi-homogeneous start system, and makes it if the options or the number speak for it. Without
 * any paths there are no isolated solutions; the paths of total degree tell what there is. */
static plumb_status try_multihomogeneous(solve_plan *plan)
{
    const plumb_solve_options *options = &plan->options;
    const bool wanted = options->start == PLUMB_START_MULTIHOMOGENEOUS;
    unknown_groups groups;
    solve_start start;
    plumb_status status = plumb_groups_find(plumb_solve_target(plan), &groups);
    if (status == PLUMB_ERR_SIZE)
        give_up(plan, PLUMB_START_MULTIHOMOGENEOUS, "too many unknowns to look for groups");
    if (status != PLUMB_OK)
        return status == PLUMB_ERR_SIZE && !wanted ? PLUMB_OK : status;
    plan->report.multihomogeneous = groups.paths == INT64_MAX ? -1 : groups.paths;
    if (groups.paths == INT64_MAX)
        give_up(plan, PLUMB_START_MULTIHOMOGENEOUS, too_many);
    const bool equal = plan->start.kind == PLUMB_START_POLYHEDRAL && groups.paths == plan->start.paths;
    const bool better = groups.paths > 0 && groups.paths < INT64_MAX && (equal || are_fewer(plan, groups.paths));
    if (!wanted && (options->start != PLUMB_START_AUTO || !better)) {
        plumb_groups_clear(&groups);
        return PLUMB_OK;
    }
    status = plumb_solve_start_multihomogeneous(plumb_solve_target(plan), &groups, options->seed, &start);
    if (status == PLUMB_ERR_SIZE)
        give_up(plan, PLUMB_START_MULTIHOMOGENEOUS, "its equations have too many terms");
    if (status != PLUMB_OK)
        return status == PLUMB_ERR_SIZE && !wanted ? PLUMB_OK : status;
    if (!wanted && equal && !is_simple(plan, start.system)) {
        plumb_solve_start_clear(&start);
        return PLUMB_OK;
    }
    plumb_solve_start_clear(&plan->start);
    plan->start = start;
    return PLUMB_OK;
}

/* Asks the progress of the options whether to stop: once per thousand steps of an enumeration, and now and then while roots are isolated. */
typedef struct stop_asked {
    const plumb_solve_options *options;
    bool stopped;
} stop_asked;

static int ask(void *data)
{
    stop_asked *asked = data;
    const plumb_solve_options *o = asked->options;
    asked->stopped =
        asked->stopped || (o->progress && o->progress(o->data, 0, 0, 0) != 0) || (o->stop && o->stop(o->data) != 0);
    return asked->stopped;
}

/* Counts the paths of a polyhedral start system; it is used if the options or the number speak for it. The work
 * is limited by a number of steps, never by time, so that the choice can be repeated. */
static plumb_status try_polyhedral(plumb_context *context, solve_plan *plan)
{
    const plumb_solve_options *options = &plan->options;
    solve_start start;
    if (options->start != PLUMB_START_AUTO && options->start != PLUMB_START_POLYHEDRAL)
        return PLUMB_OK;
    stop_asked asked = {.options = options};
    context->stop = options->progress || options->stop ? ask : NULL;
    context->stop_data = &asked;
    plumb_status status = plumb_solve_start_polyhedral(context, plumb_solve_target(plan), options->nonzero,
                                                       options->seed, options->max_work, &start);
    context->stop = NULL;
    context->stop_data = NULL;
    if (status != PLUMB_OK && asked.stopped)
        return plumb_say(PLUMB_ERR_STOPPED, context->message, sizeof context->message,
                         "stopped on request, before the paths are known");
    if (status == PLUMB_ERR_STOPPED)
        snprintf(plan->given_up[PLUMB_START_POLYHEDRAL], sizeof plan->given_up[PLUMB_START_POLYHEDRAL],
                 "mixed cells take more than %lld steps, or too long ones", (long long)options->max_work);
    else if (status != PLUMB_OK)
        give_up(plan, PLUMB_START_POLYHEDRAL, plumb_status_text(status));
    if (status != PLUMB_OK)
        return options->start == PLUMB_START_POLYHEDRAL || status == PLUMB_ERR_MEMORY ? status : PLUMB_OK;
    plan->report.polyhedral = start.paths;
    const bool better = start.paths > 0 && is_worth_it(plan, start.paths);
    if (options->start == PLUMB_START_AUTO && !better) {
        plumb_solve_start_clear(&start);
        return PLUMB_OK;
    }
    plumb_solve_start_clear(&plan->start);
    plan->start = start;
    return PLUMB_OK;
}

/* No start system is left. */
static plumb_status say_all_given_up(plumb_context *context, const solve_plan *plan)
{
    return SAY(
        PLUMB_ERR_SIZE,
        "given up, because there is no start system that can be used: total degree (%s), multi-homogeneous (%s), "
        "polyhedral (%s)",
        plan->given_up[PLUMB_START_TOTAL], plan->given_up[PLUMB_START_MULTIHOMOGENEOUS],
        plan->given_up[PLUMB_START_POLYHEDRAL]);
}

plumb_status plumb_solve_plan_start(plumb_context *context, solve_plan *plan)
{
    const plumb_system *target = plumb_solve_target(plan);
    plan->report.total_degree = bezout_number(target);
    if (plan->report.total_degree < 0)
        give_up(plan, PLUMB_START_TOTAL, too_many);
    double began = plumb_clock_seconds();
    plumb_status status = try_polyhedral(context, plan);
    plan->polyhedral_seconds = plumb_clock_seconds() - began;
    if (status != PLUMB_OK)
        return status;
    began = plumb_clock_seconds();
    if (plan->options.start != PLUMB_START_POLYHEDRAL)
        status = try_multihomogeneous(plan);
    plan->multihomogeneous_seconds = plumb_clock_seconds() - began;
    if (status == PLUMB_OK && plan->start.kind == PLUMB_START_AUTO)
        status = plumb_solve_start_total(target, plan->options.seed, &plan->start);
    if (status == PLUMB_ERR_ARGUMENT && plan->report.multihomogeneous == 0)
        return SAY(status, "the start system has no solutions: the system has no isolated ones");
    if (status == PLUMB_ERR_SIZE && plan->options.start == PLUMB_START_AUTO)
        return say_all_given_up(context, plan);
    if (status != PLUMB_OK)
        return SAY(status, "start system: %s", plumb_status_text(status));
    plan->report.start = plan->start.kind;
    plan->report.paths = plan->start.paths;
    return PLUMB_OK;
}

/* Exact elimination, and as many equations as unknowns. */
static plumb_status simplify(plumb_context *context, solve_plan *plan)
{
    plumb_status status = plumb_solve_simplify(plan->system, &plan->simple);
    if (status == PLUMB_ERR_ARGUMENT)
        return SAY(status, "%s", plan->simple.why);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_status_text(status));
    plan->report.eliminated = plan->simple.eliminated;
    plan->report.dependent = plan->simple.dependent;
    plan->report.lowered = plan->simple.lowered;
    if (plan->simple.inconsistent)
        return PLUMB_OK;
    plan->solved = plan->simple.changed && !plan->simple.system;
    const plumb_system *left = plumb_solve_left(plan);
    if (plan->solved || left->equations == left->unknowns)
        return PLUMB_OK;
    plan->report.squared = (int32_t)(left->equations < INT32_MAX ? left->equations : INT32_MAX);
    status = plumb_solve_square(left, plan->options.seed, &plan->square);
    return status == PLUMB_OK ? status : SAY(status, "random combinations: %s", plumb_status_text(status));
}

/* As many equations as unknowns, and options that do not speak of paths. */
static bool may_be_direct(const solve_plan *plan)
{
    const plumb_solve_options *o = &plan->options;
    const plumb_system *left = plumb_solve_left(plan);
    return left->equations == left->unknowns && o->start == PLUMB_START_AUTO && o->path_first == 0 &&
           o->path_count == 0 && !o->path_log && !o->parts && isinf(o->largest) && plan->denominator_count == 0;
}

/* Are all of these zero, or well within the range of doubles? */
static bool are_moderate(const mp_complex *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const double size = mp_log2(&x[k]);
        if (isfinite(size) && fabs(size) > 800.0)
            return false;
    }
    return true;
}

static bool are_in_range(const chain_points *points)
{
    for (int64_t k = 0; k < points->count; k++)
        if (!are_moderate(points->list[k].z, points->unknowns))
            return false;
    return true;
}

/* Solves what is left one unknown after the other. Without success, because it is not triangular or that would take too much work, or if
 * doubles cannot hold the solutions, paths are tracked. */
static plumb_status solve_directly(plumb_context *context, solve_plan *plan)
{
    const plumb_system *left = plumb_solve_left(plan);
    stop_asked asked = {.options = &plan->options};
    const mp_roots_options options = {.digits = plumb_direct_digits(plan), .stop = ask, .data = &asked};
    plumb_status status = plumb_chain_solve(left, &options, &plan->chain);
    if (status == PLUMB_ERR_SIZE)
        return PLUMB_OK;
    if (status != PLUMB_OK)
        return SAY(status, "%s",
                   status == PLUMB_ERR_STOPPED ? "stopped on request, before the roots are known"
                                               : plumb_status_text(status));
    if (!are_in_range(&plan->chain)) {
        plumb_chain_clear(&plan->chain);
        return PLUMB_OK;
    }
    plan->report.direct = left->unknowns;
    if (plan->chain.count == 0) {
        plan->simple.inconsistent = true;
        snprintf(plan->simple.why, sizeof plan->simple.why, "the equations contradict each other, one after the other");
        return PLUMB_OK;
    }
    plan->report.total_degree = bezout_number(left);
    plan->report.paths = plan->chain.degree;
    plan->report.start = PLUMB_START_TOTAL;
    return PLUMB_OK;
}

/* The same for systems of several equations whose solutions may have very different sizes. */
static plumb_status find_wide(plumb_context *context, solve_plan *plan)
{
    const plumb_system *left = plumb_solve_left(plan);
    if (left->unknowns < 2)
        return PLUMB_OK;
    stop_asked asked = {.options = &plan->options};
    context->stop = plan->options.progress || plan->options.stop ? ask : NULL;
    context->stop_data = &asked;
    const plumb_status status = plumb_tropical_solve(context, left, plan->options.seed, plan->options.max_work,
                                                     plumb_direct_bits(plan), &plan->wide);
    context->stop = NULL;
    context->stop_data = NULL;
    if (status == PLUMB_OK && !are_moderate(plan->wide.x, plan->wide.count * plan->wide.unknowns)) {
        plumb_tropical_clear(&plan->wide);
        return PLUMB_OK;
    }
    if (status == PLUMB_OK) {
        plan->report.start = PLUMB_START_POLYHEDRAL;
        plan->report.polyhedral = plan->report.paths = plan->wide.count + plan->wide.infinite;
    }
    if (status == PLUMB_OK || status == PLUMB_ERR_SIZE ||
        (status == PLUMB_ERR_STOPPED && !asked.stopped)) /* by the limit of an enumeration */
        return PLUMB_OK;
    return SAY(status, "%s",
               asked.stopped ? "stopped on request, before the solutions are known" : plumb_status_text(status));
}

static plumb_status make_homotopy(plumb_context *context, solve_plan *plan)
{
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = plan->options.seed;
    options.projective = 1;
    options.gamma[0] = plan->start.gamma; /* 0: at random */
    plumb_status status =
        plumb_homotopy_create(plan->start.system, plumb_solve_target(plan), &options, &plan->homotopy);
    return status == PLUMB_OK ? status : SAY(status, "the homotopy: %s", plumb_last_message());
}

/* Paths are those of the numerators. */
static plumb_status take_numerators(plumb_context *context, solve_plan *plan)
{
    const plumb_system *given = plan->given, *all = given->denominators;
    plumb_status status = plumb_system_numerators(given, 0, given->equations, &plan->numerators);
    plan->denominator = calloc((size_t)all->equations, sizeof(void *));
    if (!plan->denominator)
        status = PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < all->equations && status == PLUMB_OK; k++) {
        status = plumb_system_numerators(all, k, 1, &plan->denominator[k]);
        plan->denominator_count = k + 1;
    }
    plan->system = plan->numerators;
    return status == PLUMB_OK ? status : SAY(status, "%s", plumb_status_text(status));
}

plumb_status plumb_solve_plan_make(plumb_context *context, const plumb_system *system, const plumb_solve_options *given,
                                   solve_plan *plan)
{
    *plan = (solve_plan){.context = context, .given = system, .system = system};
    plumb_status status = plumb_solve_read_options(context, given, &plan->options);
    if (status != PLUMB_OK)
        return status;
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    if (system->declared > 0)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_PARAMETERS);
    plan->report.seed = plan->options.seed;
    plan->report.total_degree = plan->report.multihomogeneous = plan->report.polyhedral = -1;
    if (system->denominators)
        status = take_numerators(context, plan);
    if (status == PLUMB_OK)
        status = simplify(context, plan);
    const bool is_open = status == PLUMB_OK && !plan->simple.inconsistent && !plan->solved;
    if (is_open && may_be_direct(plan)) {
        status = solve_directly(context, plan);
        if (status == PLUMB_OK && plan->report.direct == 0)
            status = find_wide(context, plan);
    }
    if (is_open && status == PLUMB_OK && plan->report.direct == 0 && plumb_solve_direct_count(plan) == 0) {
        status = plumb_solve_plan_start(context, plan);
        if (status == PLUMB_OK)
            status = make_homotopy(context, plan);
    }
    plumb_track_options_init(&plan->track);
    plan->track.prec = plan->options.prec;
    plan->track.reruns = plan->options.reruns;
    plan->track.max_steps = plan->options.max_steps;
    plan->track.largest = plan->options.largest;
    plan->track.seed = plan->options.seed;
    return status;
}

void plumb_solve_plan_clear(solve_plan *plan)
{
    plumb_chain_clear(&plan->chain);
    plumb_tropical_clear(&plan->wide);
    plumb_homotopy_destroy(plan->homotopy);
    plumb_solve_start_clear(&plan->start);
    plumb_system_destroy(plan->square);
    plumb_solve_simple_clear(&plan->simple);
    for (int64_t k = 0; k < plan->denominator_count; k++)
        plumb_system_destroy(plan->denominator[k]);
    free(plan->denominator);
    plumb_system_destroy(plan->numerators);
    *plan = (solve_plan){.context = NULL};
}
