/* certify.c - certificates of the witness points that plumb decompose found, and what they prove. */
#include <string.h>

#include "app/app.h"
#include "app/certified.h"
#include "cli/decompose/decompose.h"

/* The limits without --certify: some seconds on one core. */
enum { MOST_POINTS = 10000, MOST_UNKNOWNS = 20 };

static const char command[] = "decompose";

static int64_t count_points(const decompose_job *job)
{
    const plumb_components *c = job->components;
    int64_t count = plumb_solutions_count(plumb_components_isolated(c));
    for (int64_t k = 0; k < plumb_components_count(c); k++)
        count += plumb_solutions_count(plumb_components_points(c, k));
    return count;
}

/* Otherwise job->uncertified has the reason why not, or is empty if it was not requested. */
static bool is_wanted(decompose_job *job)
{
    const decompose_words *words = job->words;
    const int64_t points = count_points(job);
    char why[sizeof job->uncertified];
    if (words->no_certify || points == 0 ||
        (plumb_components_verdict(job->components, NULL, 0) == PLUMB_SOLVE_STOPPED && !words->certify))
        return false;
    if (!plumb_certify_available(why, sizeof why)) {
        snprintf(job->uncertified, sizeof job->uncertified, "this needs FLINT with Arb: %.200s", why);
        return false;
    }
    if (!words->certify && (points > MOST_POINTS || plumb_system_unknowns(job->system) > MOST_UNKNOWNS)) {
        snprintf(job->uncertified, sizeof job->uncertified,
                 "that is only done for up to %d points in up to %d unknowns, unless --certify asks for it",
                 MOST_POINTS, MOST_UNKNOWNS);
        return false;
    }
    return true;
}

int decompose_certify(decompose_job *job)
{
    const decompose_words *words = job->words;
    if (!is_wanted(job))
        return APP_OK;
    const plumb_status status = app_certify_components(job->context, job->components, words->seed,
                                                       !words->quiet && !words->json, &job->certify_seconds);
    job->certified = status == PLUMB_OK;
    job->certify_stopped = status == PLUMB_ERR_STOPPED;
    if (job->certify_stopped)
        snprintf(job->uncertified, sizeof job->uncertified, "stopped on request");
    return status == PLUMB_OK || job->certify_stopped ? APP_OK : app_context_fail(command, job->context, status);
}

int decompose_certify_verdict(const decompose_job *job)
{
    const plumb_components *c = job->components;
    int64_t missed = 0, all = 0;
    if (job->certify_stopped)
        return app_fail(command, "certification was stopped%s", job->journal != NULL ? "; --resume continues it" : "");
    if (!job->words->certify)
        return APP_OK;
    if (!job->certified && count_points(job) > 0)
        return app_fail(command, "the points are not certified: %s", job->uncertified);
    for (int64_t k = 0; k < plumb_components_count(c); k++) {
        plumb_component info;
        if (plumb_components_get(c, k, &info) != PLUMB_OK || info.multiplicity > 1)
            continue;
        all += info.degree;
        missed += info.degree - info.certified;
    }
    return missed > 0
               ? app_fail(command, "%lld of %lld witness points of components of multiplicity 1 could not be certified",
                          (long long)missed, (long long)all)
               : APP_OK;
}

/* Are there witness points, or isolated solutions, of this dimension? */
static bool has_points(const decompose_job *job, int64_t dimension)
{
    const plumb_components *c = job->components;
    bool found = dimension == 0 && plumb_solutions_count(plumb_components_isolated(c)) > 0;
    for (int64_t k = 0; k < plumb_components_count(c) && !found; k++) {
        plumb_component info;
        found = plumb_components_get(c, k, &info) == PLUMB_OK && info.dimension == dimension;
    }
    return found;
}

bool decompose_proof(const decompose_job *job, const plumb_component_dimension *d, char *text, size_t size)
{
    const char *points = d->dimension == 0 ? "solution" : "witness point", *plural = d->certified == 1 ? "" : "s";
    const char *verb = d->certified == 1 ? "proves" : "prove";
    const long long n = d->certified;
    if (!job->certified || !has_points(job, d->dimension))
        return false;
    if (d->proof == PLUMB_DEGREE_UNPROVEN)
        snprintf(text, size, "dimension %lld: nothing is proven", (long long)d->dimension);
    else if (d->proof == PLUMB_DEGREE_PROVEN && d->dimension == 0)
        snprintf(text, size, "dimension 0: %lld certified solution%s = root count: proven to be all isolated solutions",
                 n, plural);
    else if (d->proof == PLUMB_DEGREE_PROVEN)
        snprintf(text, size,
                 "dimension %lld: %lld certified witness point%s = root count: the sum of the degrees is proven",
                 (long long)d->dimension, n, plural);
    else
        snprintf(text, size, "dimension %lld: %lld certified %s%s %s that %s at least %lld", (long long)d->dimension, n,
                 points, plural, verb,
                 d->dimension == 0 ? "the number of isolated solutions is" : "the sum of the degrees is", n);
    return true;
}
