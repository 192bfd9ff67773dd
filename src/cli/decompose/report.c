/* report.c - what plumb decompose shows: a line per dimension with the degrees of its components, and the account of the paths. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report.h"
#include "cli/decompose/decompose.h"
#include "text/components/text.h"

enum { MOST_LISTED = 12, COUNT_ROOM = 48 };

/* Components of one dimension, irreducible or not: numbers first .. last - 1 of the list. */
typedef struct component_range {
    int64_t first, last;
} component_range;

static plumb_component get(const decompose_job *job, int64_t k)
{
    plumb_component c = {.dimension = -1};
    return plumb_components_get(job->components, k, &c) == PLUMB_OK ? c : (plumb_component){.dimension = -1};
}

static component_range range_of(const decompose_job *job, int64_t dimension, int32_t state)
{
    const int64_t count = plumb_components_count(job->components);
    component_range r = {0, 0};
    while (r.first < count && !(get(job, r.first).dimension == dimension && get(job, r.first).state == state))
        r.first++;
    for (r.last = r.first; r.last < count; r.last++)
        if (get(job, r.last).dimension != dimension || get(job, r.last).state != state)
            break;
    return r;
}

static void print_multiplicity(FILE *out, const plumb_component *c)
{
    if (c->multiplicity > 1)
        fprintf(out, "multiplicity %s%lld", c->bound ? "at most " : "", (long long)c->multiplicity);
}

/* "1, 1, 3 (multiplicity 2)"; of many components, equal ones together: "2 (8 times), 16 (8 times)". */
static void print_degrees(const decompose_job *job, FILE *out, component_range r)
{
    const bool many = r.last - r.first > MOST_LISTED;
    for (int64_t k = r.first, next; k < r.last; k = next) {
        const plumb_component c = get(job, k);
        for (next = k + 1; many && next < r.last; next++) {
            const plumb_component other = get(job, next);
            if (other.degree != c.degree || other.multiplicity != c.multiplicity || other.bound != c.bound)
                break;
        }
        const bool several = next > k + 1, multiple = c.multiplicity > 1;
        fprintf(out, "%s%lld%s", k > r.first ? ", " : " ", (long long)c.degree, several || multiple ? " (" : "");
        print_multiplicity(out, &c);
        if (several)
            fprintf(out, "%s%lld times", multiple ? ", " : "", (long long)(next - k));
        fputs(several || multiple ? ")" : "", out);
    }
}

/* "4 components", "1 point"; "" if there is nothing to show. */
static void count_text(const decompose_job *job, int64_t dimension, char text[COUNT_ROOM])
{
    const component_range r = range_of(job, dimension, PLUMB_COMPONENT_IRREDUCIBLE),
                          open = range_of(job, dimension, PLUMB_COMPONENT_OPEN);
    const int64_t count = r.last - r.first, points = plumb_solutions_count(plumb_components_isolated(job->components));
    text[0] = 0;
    if (dimension == 0 && points > 0)
        snprintf(text, COUNT_ROOM, "%lld point%s", (long long)points, points == 1 ? "" : "s");
    else if (dimension > 0 && (count > 0 || open.last > open.first))
        snprintf(text, COUNT_ROOM, "%lld component%s", (long long)count, count == 1 ? "" : "s");
}

/* The degrees of components that are known, and the points of those that are not. */
static void print_components(const decompose_job *job, FILE *out, int64_t dimension)
{
    const component_range r = range_of(job, dimension, PLUMB_COMPONENT_IRREDUCIBLE),
                          open = range_of(job, dimension, PLUMB_COMPONENT_OPEN);
    int64_t points = 0;
    if (r.last > r.first) {
        fprintf(out, "degree%s", r.last - r.first == 1 ? "" : "s");
        print_degrees(job, out, r);
    }
    for (int64_t k = open.first; k < open.last; k++)
        points += get(job, k).degree;
    if (points > 0)
        fprintf(out, "%s%lld point%s of components that could not be decomposed", r.last > r.first ? "; " : "",
                (long long)points, points == 1 ? "" : "s");
}

/* The number of multiple isolated solutions, and of all with their multiplicities. */
static int64_t count_multiple(const decompose_job *job, int64_t *all)
{
    const plumb_solutions *s = plumb_components_isolated(job->components);
    int64_t multiple = 0;
    plumb_solution_record r;
    *all = 0;
    for (int64_t k = 0; k < plumb_solutions_count(s); k++)
        if (plumb_solutions_get_record(s, k, &r) == PLUMB_OK) {
            multiple += r.multiplicity > 1;
            *all += r.multiplicity;
        }
    return multiple;
}

static bool has_multiple_points(const decompose_job *job)
{
    int64_t all;
    return count_multiple(job, &all) > 0;
}

static void print_points(const decompose_job *job, FILE *out, int64_t dimension)
{
    int64_t all;
    const int64_t multiple = count_multiple(job, &all);
    (void)dimension;
    fprintf(out, "%lld multiple, %lld with multiplicity", (long long)multiple, (long long)all);
}

plumb_component_dimension decompose_account(const decompose_job *job)
{
    plumb_component_dimension sum = {.paths = 0}, d;
    for (int64_t k = 0; k < plumb_components_dimensions(job->components); k++) {
        if (plumb_components_get_dimension(job->components, k, &d) != PLUMB_OK)
            continue;
        sum.paths += d.paths;
        sum.witness += d.witness;
        sum.infinite += d.infinite;
        sum.not_isolated += d.not_isolated;
        sum.extraneous += d.extraneous;
        sum.undecided += d.undecided;
        sum.failed += d.failed;
    }
    return sum;
}

/* Every path of all dimensions in one line. */
static void print_account(const decompose_job *job, FILE *out)
{
    const plumb_component_dimension sum = decompose_account(job);
    const struct {
        int64_t count;
        const char *name;
    } entry[] = {{sum.witness, "to witness points and isolated solutions"},
                 {sum.not_isolated, "to larger components"},
                 {sum.extraneous, "extraneous"},
                 {sum.infinite, "at infinity"},
                 {sum.undecided, "undecided"},
                 {sum.failed, "failed"}};
    fprintf(out, "%lld path%s", (long long)sum.paths, sum.paths == 1 ? "" : "s");
    for (size_t k = 0, shown = 0; k < sizeof entry / sizeof entry[0]; k++)
        if (entry[k].count > 0 || k == 0)
            fprintf(out, " %s %lld %s", shown++ == 0 ? "=" : "+", (long long)entry[k].count, entry[k].name);
    fprintf(out, ", %.3g s\n", job->seconds);
}

double decompose_trace_digits(const decompose_job *job)
{
    double least = (double)INFINITY;
    for (int64_t k = 0; k < plumb_components_count(job->components); k++)
        if (get(job, k).state == PLUMB_COMPONENT_IRREDUCIBLE && get(job, k).trace_digits > 0.0)
            least = fmin(least, get(job, k).trace_digits);
    return least;
}

static void print_traces(const decompose_job *job, FILE *out)
{
    const double least = decompose_trace_digits(job);
    if (isfinite(least))
        fprintf(out,
                "components are irreducible by trace tests that close to %.0f digits or more, which is numerical "
                "evidence\n",
                floor(least));
}

/* What is proven, and not only numerical evidence. */
static void print_proofs(const decompose_job *job, FILE *out)
{
    plumb_component_dimension d;
    char text[256];
    for (int64_t k = 0; k < plumb_components_dimensions(job->components); k++)
        if (plumb_components_get_dimension(job->components, k, &d) == PLUMB_OK &&
            decompose_proof(job, &d, text, sizeof text))
            fprintf(out, "%s\n", text);
    if (job->uncertified[0])
        fprintf(out, "witness points are not certified: %s\n", job->uncertified);
}

void decompose_print(const decompose_job *job, FILE *out)
{
    const plumb_components *c = job->components;
    plumb_component_dimension d = {.dimension = 0};
    char text[COUNT_ROOM];
    int width = 0;
    int64_t least = 0;
    for (int64_t k = 0; k < plumb_components_dimensions(c); k++)
        if (plumb_components_get_dimension(c, k, &d) == PLUMB_OK) {
            count_text(job, d.dimension, text);
            width = (int)strlen(text) > width ? (int)strlen(text) : width;
        }
    for (int64_t k = 0; k < plumb_components_dimensions(c); k++) {
        if (plumb_components_get_dimension(c, k, &d) != PLUMB_OK)
            continue;
        least = d.dimension;
        count_text(job, d.dimension, text);
        if (!text[0])
            continue;
        fprintf(out, "dimension %lld   ", (long long)d.dimension);
        if (d.dimension == 0 && !has_multiple_points(job)) {
            fputs(text, out);
        } else {
            fprintf(out, "%-*s   ", width, text);
            (d.dimension == 0 ? print_points : print_components)(job, out, d.dimension);
        }
        fputc('\n', out);
    }
    const bool stopped = plumb_components_verdict(c, NULL, 0) == PLUMB_SOLVE_STOPPED;
    if (width == 0 && !stopped)
        fprintf(out, "no solutions%s\n", job->words->dimension > 0 ? " of the dimensions that were looked at" : "");
    fputc('\n', out);
    if (stopped) /* the last one that was begun */
        fprintf(out, "dimension %lld was not finished%s\n", (long long)least,
                least > 0 ? ", and lower ones were not looked at" : "");
    else if (job->words->dimension > 0 && least >= job->words->dimension)
        fprintf(out, "dimensions below %lld were not looked at (--dimension)\n", (long long)job->words->dimension);
    print_traces(job, out);
    print_proofs(job, out);
    fprintf(out, "embedded components are not reported\n");
    print_account(job, out);
}

bool decompose_print_json(const decompose_job *job, FILE *out)
{
    json_writer w = app_report_begin(out, "decompose");
    const plumb_status status = plumb_components_json(&w, job->components);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
    return status == PLUMB_OK;
}
