/* report.c - what plumb monodromy shows. */
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/report.h"
#include "cli/monodromy/monodromy.h"

enum { MOST_DIGITS = 40 };

/* What the group is, where its order says it: all permutations, or all even ones. */
static const char *name_of(const monodromy_job *job)
{
    const int64_t n = job->report.solutions;
    const char *name = "";
    mpz_t order, all;
    if (job->order == NULL || !job->proven || n < 3)
        return name;
    mpz_inits(order, all, NULL);
    mpz_fac_ui(all, (unsigned long)n);
    if (mpz_set_str(order, job->order, 10) == 0) {
        if (mpz_cmp(order, all) == 0)
            name = "all permutations";
        mpz_mul_2exp(order, order, 1);
        if (mpz_cmp(order, all) == 0)
            name = "all even permutations";
    }
    mpz_clears(order, all, NULL);
    return name;
}

static void print_group(const monodromy_job *job, FILE *out)
{
    const char *name = name_of(job);
    const long long count = (long long)plumb_permutations_count(job->permutations);
    fprintf(out, "the permutations of %lld loop%s generate ", count, count == 1 ? "" : "s");
    if (job->order == NULL) {
        fprintf(out, "a group whose order was not computed\n");
        return;
    }
    fprintf(out, "%s", name[0] ? name : "a group");
    if (strlen(job->order) <= MOST_DIGITS)
        fprintf(out, "%s of order %s%s\n", name[0] ? ", a group" : "", job->proven ? "" : "at least ", job->order);
    else
        fprintf(out, "%s of order %s%.1s.%.3se%lld\n", name[0] ? ", a group" : "",
                job->proven ? "about " : "at least about ", job->order, job->order + 1,
                (long long)strlen(job->order) - 1);
}

static const char *trace_name(int32_t code)
{
    static const char *const names[] = {NULL, "unsuited", "complete", "missing", "undecided"};
    return code >= 0 && code <= PLUMB_TRACE_UNDECIDED ? names[code] : NULL;
}

void monodromy_print(const monodromy_job *job, FILE *out)
{
    const plumb_monodromy_report *r = &job->report;
    fprintf(out, "%lld solution%s for generic parameters", (long long)r->solutions, r->solutions == 1 ? "" : "s");
    if (job->words->symmetry.count > 0)
        fprintf(out, " in %lld class%s of the symmetry", (long long)r->classes, r->classes == 1 ? "" : "es");
    if (r->orbits > 1)
        fprintf(out, ", %lld orbits of the loops", (long long)r->orbits);
    fprintf(out, "\n%lld loop%s, the last %lld without a new solution; %lld paths, %lld failed, %.3g s\n",
            (long long)r->loops, r->loops == 1 ? "" : "s", (long long)r->quiet_loops, (long long)r->paths,
            (long long)r->failed, job->seconds);
    print_group(job, out);
    if (r->code == PLUMB_MONODROMY_QUIET && r->trace != PLUMB_TRACE_COMPLETE)
        fprintf(out,
                "the chance that solutions are missing is at most %.2g, if loops act like random elements of "
                "the group\n",
                r->doubt);
    if (r->trace == PLUMB_TRACE_UNSUITED)
        fprintf(out, "no trace test: on a line of the parameters the equations have too many terms\n");
    else if (r->trace == PLUMB_TRACE_MISSING && r->trace_error < 1e-20)
        fprintf(out, "trace test: missing (a curve of which all points are known leads to further solutions)\n");
    else if (r->trace != PLUMB_TRACE_NONE)
        fprintf(out,
                "trace test: %s (the sum of the solutions is within %.1e of a line, relative to how far it moves)\n",
                trace_name(r->trace), r->trace_error);
}

void monodromy_print_json(const monodromy_job *job, FILE *out)
{
    const plumb_monodromy_report *r = &job->report;
    json_writer w = app_report_begin(out, "monodromy");
    json_open_array(&w, "unknowns");
    for (int64_t i = 0; i < plumb_family_unknowns(job->family); i++)
        json_string(&w, NULL, plumb_system_name(plumb_family_system(job->family), i));
    json_close_array(&w);
    json_open_array(&w, "parameters");
    for (int64_t i = 0; i < plumb_family_parameters(job->family); i++)
        json_string(&w, NULL,
                    plumb_system_name(plumb_family_system(job->family), plumb_family_unknowns(job->family) + i));
    json_close_array(&w);
    json_string(&w, "outcome", plumb_monodromy_name(r->code));
    json_int(&w, "count", r->solutions);
    json_int(&w, "classes", r->classes);
    json_int(&w, "orbits", r->orbits);
    json_open_object(&w, "loops");
    json_int(&w, "total", r->loops);
    json_int(&w, "quiet", r->quiet_loops);
    json_int(&w, "complete", plumb_permutations_count(job->permutations));
    json_close_object(&w);
    json_open_object(&w, "paths");
    json_int(&w, "total", r->paths);
    json_int(&w, "failed", r->failed);
    json_close_object(&w);
    json_double(&w, "doubt", r->doubt);
    json_string(&w, "trace_test", trace_name(r->trace));
    json_double(&w, "trace_error", r->trace_error);
    json_string(&w, "group_order", job->order);
    json_bool(&w, "group_proven", job->order != NULL && job->proven);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
}
