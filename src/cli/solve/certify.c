/* certify.c - certificates of the solutions that plumb solve found. They come after the paths and change nothing but what is
 * said to be real: that is proven then, no longer estimated. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "cli/solve/solve.h"

/* The limits without --certify: some seconds on one core. */
enum { MOST_SOLUTIONS = 10000, MOST_UNKNOWNS = 20 };

/* True if certificates are to be made; otherwise job->uncertified has the reason why not, or is empty if it was not requested. */
static bool is_wanted(solve_job *job)
{
    const solve_words *words = job->words;
    const plumb_solutions *s = job->solutions;
    char why[sizeof job->uncertified];
    if (words->no_certify || job->count == 0 || (job->report.unfinished > 0 && !words->certify))
        return false;
    if (plumb_system_denominators(job->system) > 0) {
        snprintf(job->uncertified, sizeof job->uncertified, "the equations have denominators");
        return false;
    }
    if (!plumb_certify_available(why, sizeof why)) {
        snprintf(job->uncertified, sizeof job->uncertified, "this needs FLINT with Arb: %.200s", why);
        return false;
    }
    if (!words->certify && (job->count > MOST_SOLUTIONS || s->unknowns > MOST_UNKNOWNS)) {
        snprintf(job->uncertified, sizeof job->uncertified,
                 "that is only done for up to %d solutions in up to %d unknowns, unless --certify asks for it",
                 MOST_SOLUTIONS, MOST_UNKNOWNS);
        return false;
    }
    return true;
}

/* The numbers of paths of the start systems bound the number of solutions, too, and so does that of solutions without paths, also where linear equations have been eliminated and
 * degrees lowered. Polyhedral paths lead to all solutions unless those with zero coordinates are not wanted, or unless mixed cells of
 * a file are only believed. */
static void use_bounds_of_paths(const solve_job *job, app_bound *bound)
{
    const plumb_solve_report *r = &job->report;
    const app_bound known[] = {
        {r->eliminated + r->lowered > 0 ? "Bezout number after elimination" : "Bezout number", r->total_degree},
        {"multi-homogeneous Bezout number", r->multihomogeneous},
        {"number of polyhedral paths",
         job->words->nonzero || job->planned.cells == PLUMB_CELLS_BELIEVED ? -1 : r->polyhedral},
        {"number of roots of the triangular system", r->direct > 1 ? r->paths : -1}};
    for (size_t k = 0; k < sizeof known / sizeof *known && r->squared == 0; k++)
        if (known[k].value >= 0 && (!bound->name || known[k].value < bound->value))
            *bound = known[k];
}

static int certify(solve_job *job)
{
    const plumb_solutions *s = job->solutions;
    plumb_certify_options options;
    plumb_view x;
    if (!is_wanted(job))
        return APP_OK;
    plumb_status status =
        plumb_array_create(job->context, PLUMB_HOST, s->prec, PLUMB_COMPLEX, s->unknowns, 1, s->count, &x);
    if (status == PLUMB_OK) {
        plumb_certify_options_init(&options);
        options.seed = job->words->seed;
        status = plumb_solutions_get(s, 0, &x);
        if (status == PLUMB_OK)
            status = app_certify(job->context, job->system, &x, &options, !job->words->quiet && !job->words->json,
                                 &job->certificates, &job->certify_seconds);
        plumb_array_destroy(job->context, &x);
    }
    if (status == PLUMB_ERR_STOPPED) {
        snprintf(job->uncertified, sizeof job->uncertified, "stopped on request");
        job->report.stopped = 1; /* the journal is kept: a run that continues certifies */
        return APP_OK;
    }
    if (status != PLUMB_OK)
        return app_context_fail(job->words->command, job->context, status);
    job->certified = app_certified_count(job->certificates);
    job->bound = app_bound_of(job->context, job->system, job->certified.distinct);
    use_bounds_of_paths(job, &job->bound);
    return APP_OK;
}

int solve_certify(solve_job *job)
{
    const int64_t stopped = job->report.stopped;
    int result = certify(job);
    if (result != APP_OK || job->stream != NULL) /* there are no certificates then, and no filters */
        return result;
    const bool was_stopped = job->report.stopped > stopped;
    plumb_status status = plumb_solutions_choose(job->solutions, job->certificates, &job->options);
    if (status == PLUMB_OK)
        status = plumb_solutions_report(job->solutions, &job->report);
    job->count = job->solutions->count;
    job->report.stopped += was_stopped;
    if (job->certificates)
        job->chosen = app_certified_count(job->certificates);
    return status == PLUMB_OK ? APP_OK : app_fail(job->words->command, "%s", plumb_status_text(status));
}

int solve_certify_verdict(const solve_job *job)
{
    int64_t regular = 0, missed = 0;
    if (!job->words->certify)
        return APP_OK;
    if (!job->certificates && job->solutions->count > 0)
        return app_fail(job->words->command, "the solutions are not certified: %s", job->uncertified);
    for (int64_t k = 0; k < job->solutions->count; k++)
        if (job->solutions->record[k].kind == PLUMB_SOLUTION_REGULAR) {
            plumb_certificate c;
            const plumb_status status = plumb_certificates_get(job->certificates, k, &c);
            regular++;
            missed += status != PLUMB_OK || (c.code != PLUMB_CERTIFIED && c.code != PLUMB_CERTIFY_SQUARED);
        }
    if (missed > 0)
        return app_fail(job->words->command, "%lld of %lld regular solutions could not be certified", (long long)missed,
                        (long long)regular);
    return APP_OK;
}
