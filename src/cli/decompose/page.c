/* page.c - the page of plumb decompose --html; app/page/data.h has what all pages share. */
#include "app/page/data.h"

#include <math.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/numbers.h"
#include "base/number/modulus.h"
#include "cli/decompose/decompose.h"
#include "model/solutions.h"

static plumb_component get(const decompose_job *job, int64_t k)
{
    plumb_component c = {.dimension = -1};
    return plumb_components_get(job->components, k, &c) == PLUMB_OK ? c : (plumb_component){.dimension = -1};
}

/* ---- Components -------------------------------------------------------------------------------------------------- */

static void put_point(app_page_data *page, const plumb_solutions *s, int64_t k)
{
    const solution_record *r = &s->record[k];
    app_known_pair pair;
    double size = 0.0;
    bool positive = r->real != 0;
    for (int64_t i = 0; i < s->unknowns; i++) {
        const double *x = solution_value(s, k, i);
        size = fmax(size, plumb_modulus(x[0], x[s->prec]));
        positive &= x[0] > 0.0;
    }
    const double error = size > r->err ? size * r->err : r->err;
    app_page_solution_begin(page, &(app_page_solution){.kind = r->kind,
                                                       .multiplicity = r->multiplicity,
                                                       .real = r->real != 0,
                                                       .positive = positive,
                                                       .error = r->err,
                                                       .residual = r->res,
                                                       .rcond = r->rco,
                                                       .known = r->known});
    for (int64_t i = 0; i < s->unknowns; i++) {
        const double *x = solution_value(s, k, i);
        app_known_number(r->prec > 0 ? r->prec : s->prec, x, x + s->prec, r->real != 0, error, 0, &pair);
        app_page_number(page, pair.re, pair.im);
    }
    app_page_solution_end(page);
}

static void put_points(app_page_data *page, const plumb_solutions *s)
{
    json_open_array(&page->w, NULL);
    for (int64_t k = 0; s != NULL && k < s->count && page->solutions < APP_PAGE_ROWS; k++)
        put_point(page, s, k);
    json_close_array(&page->w);
}

/* One row: what it is, its dimension, degree, multiplicity, state, the digits of its trace test, and its points. */
static void put_component(app_page_data *page, const decompose_job *job, int64_t k)
{
    const plumb_component c = get(job, k);
    json_writer *w = &page->w;
    char text[64];
    json_open_array(w, NULL);
    json_int(w, NULL, c.dimension);
    json_int(w, NULL, c.degree);
    snprintf(text, sizeof text, "%s%lld", c.bound ? "at most " : "", (long long)c.multiplicity);
    json_string(w, NULL, text);
    json_string(w, NULL,
                c.state == PLUMB_COMPONENT_IRREDUCIBLE ? "irreducible component"
                                                       : "points of components, not decomposed");
    if (c.trace_digits > 0.0 && isfinite(c.trace_digits))
        json_int(w, NULL, (int64_t)c.trace_digits);
    else
        json_string(w, NULL, NULL);
    put_points(page, plumb_components_points(job->components, k));
    json_close_array(w);
}

static void put_groups(app_page_data *page, const decompose_job *job)
{
    static const struct {
        const char *name, *kind;
    } columns[] = {{"dimension", "count"},
                   {"degree", "count"},
                   {"multiplicity", "text"},
                   {"kind", "text"},
                   {"trace digits", "count"}};
    const plumb_solutions *isolated = plumb_components_isolated(job->components);
    json_writer *w = &page->w;
    json_open_object(w, "groups");
    json_string(w, "one", "component");
    json_string(w, "heading", "Components");
    json_string(w, "points", "point");
    json_string(w, "hint",
                "The witness points of a component are those that it has in common with the slice of its dimension. "
                "Choose a component to see its points alone.");
    json_open_array(w, "columns");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        json_open_array(w, NULL);
        json_string(w, NULL, columns[k].name);
        json_string(w, NULL, columns[k].kind);
        json_close_array(w);
    }
    json_close_array(w);
    json_open_array(w, "rows");
    for (int64_t k = 0; k < plumb_components_count(job->components); k++)
        put_component(page, job, k);
    if (isolated != NULL && isolated->count > 0) {
        json_open_array(w, NULL);
        json_int(w, NULL, 0);
        json_int(w, NULL, isolated->count);
        json_string(w, NULL, "");
        json_string(w, NULL, isolated->count == 1 ? "isolated solution" : "isolated solutions");
        json_string(w, NULL, NULL);
        put_points(page, isolated);
        json_close_array(w);
    }
    json_close_array(w);
    json_close_object(w);
}

/* ---- What was found ---------------------------------------------------------------------------------------------- */

static void put_sentence(json_writer *w, const decompose_job *job)
{
    const int64_t count = plumb_components_count(job->components);
    const plumb_solutions *isolated = plumb_components_isolated(job->components);
    int64_t irreducible = 0;
    char text[512];
    for (int64_t k = 0; k < count; k++)
        irreducible += get(job, k).state == PLUMB_COMPONENT_IRREDUCIBLE;
    int used = snprintf(text, sizeof text, "%lld component%s of positive dimension", (long long)irreducible,
                        irreducible == 1 ? "" : "s");
    const char *before = ": ";
    for (int64_t k = 0, next; k < count && used < 400; k = next) { /* they are in the order of their dimensions */
        int64_t here = 0;
        for (next = k; next < count && get(job, next).dimension == get(job, k).dimension; next++)
            here += get(job, next).state == PLUMB_COMPONENT_IRREDUCIBLE;
        if (here == 0)
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld of dimension %lld", before, (long long)here,
                         (long long)get(job, k).dimension);
        before = ", ";
    }
    if (isolated != NULL)
        snprintf(text + used, sizeof text - (size_t)used, "%s%lld isolated solution%s", irreducible > 0 ? "; " : ", ",
                 (long long)isolated->count, isolated->count == 1 ? "" : "s");
    json_string(w, "sentence", count == 0 && isolated != NULL && isolated->count == 0 ? "No solutions" : text);
}

static void put_warnings(const app_page_data *page, json_writer *w, const decompose_job *job)
{
    char line[256];
    json_open_array(w, "warnings");
    if (plumb_components_verdict(job->components, line, sizeof line) != PLUMB_SOLVE_COMPLETE)
        json_string(w, NULL, line);
    if (job->words->dimension > 0) {
        snprintf(line, sizeof line, "Dimensions below %lld were not looked at.", (long long)job->words->dimension);
        json_string(w, NULL, line);
    }
    if (page->solutions >= APP_PAGE_ROWS) {
        snprintf(line, sizeof line, "This page has the first %d points; -o FILE writes all of them.", APP_PAGE_ROWS);
        json_string(w, NULL, line);
    }
    json_close_array(w);
}

static void put_slices(app_page_data *page, const decompose_job *job)
{
    plumb_component_dimension d;
    json_open_array(&page->w, "slices");
    for (int64_t k = 0; k < plumb_components_dimensions(job->components); k++) {
        if (plumb_components_get_dimension(job->components, k, &d) != PLUMB_OK)
            continue;
        const plumb_system *slice = plumb_components_slice(job->components, d.dimension);
        if (slice == NULL)
            continue;
        json_open_array(&page->w, NULL);
        json_int(&page->w, NULL, d.dimension);
        app_page_texts(page, NULL, slice);
        json_close_array(&page->w);
    }
    json_close_array(&page->w);
}

static void put_account(app_page_data *page, const decompose_job *job)
{
    const plumb_component_dimension sum = decompose_account(job);
    plumb_component_dimension d;
    char name[64], text[64];
    json_open_array(&page->w, "work");
    json_close_array(&page->w);
    json_open_array(&page->w, "account");
    app_page_account(page, "to points", sum.witness, "ended at witness points and isolated solutions");
    app_page_account(page, "not isolated", sum.not_isolated, "ended on components of larger dimension");
    app_page_account(page, "extraneous", sum.extraneous, "ended at points that do not solve the given equations");
    app_page_account(page, "at infinity", sum.infinite, "went to infinity");
    app_page_account(page, "undecided", sum.undecided, "ended, but it is not known in which of these ways");
    app_page_account(page, "failed", sum.failed, "did not end, or share the regular endpoint of another path");
    json_close_array(&page->w);
    json_open_array(&page->w, "costs");
    for (int64_t k = 0; k < plumb_components_dimensions(job->components); k++)
        if (plumb_components_get_dimension(job->components, k, &d) == PLUMB_OK && d.paths > 0) {
            snprintf(name, sizeof name, "paths for dimension %lld", (long long)d.dimension);
            snprintf(text, sizeof text, "%lld", (long long)d.paths);
            app_page_cost(page, name, text);
        }
    snprintf(text, sizeof text, "%.3g s", job->seconds);
    app_page_cost(page, "time for all dimensions", text);
    json_close_array(&page->w);
}

static void put_evidence(json_writer *w, const decompose_job *job)
{
    const double digits = decompose_trace_digits(job);
    plumb_component_dimension d;
    char line[256];
    json_string(w, "evidence", "What is certain");
    json_open_array(w, "certificates");
    if (isfinite(digits)) {
        snprintf(line, sizeof line,
                 "Components are irreducible by trace tests that close to %.0f digits or more. This is numerical "
                 "evidence, and not a proof.",
                 floor(digits));
        json_string(w, NULL, line);
    }
    for (int64_t k = 0; k < plumb_components_dimensions(job->components); k++)
        if (plumb_components_get_dimension(job->components, k, &d) == PLUMB_OK &&
            decompose_proof(job, &d, line, sizeof line - 1)) {
            line[0] = 'D';
            const size_t length = strlen(line);
            line[length] = '.';
            line[length + 1] = '\0';
            json_string(w, NULL, line);
        }
    if (job->certified)
        json_string(w, NULL, "To which component a point belongs is not proven.");
    json_string(w, NULL, "Embedded components are not reported.");
    json_close_array(w);
}

int decompose_page(const decompose_job *job)
{
    const plumb_system *system = plumb_components_system(job->components);
    app_page_data page = {.command = "decompose"};
    const char *file = job->words->file[0];
    const int result = app_page_begin(&page, file != NULL ? app_input_name(file) : NULL);
    if (result != APP_OK)
        return result;
    put_sentence(&page.w, job);
    app_page_equations(&page, system);
    app_page_names(&page, "unknowns", system, 0, plumb_system_unknowns(system));
    put_slices(&page, job);
    put_groups(&page, job);
    put_warnings(&page, &page.w, job);
    put_account(&page, job);
    put_evidence(&page.w, job);
    app_page_footer(&page, job->words->seed);
    return app_page_save(&page, job->words->html);
}
