/* page.c - the page of plumb solve --html; app/page/data.h has what all pages share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/account.h"
#include "app/app.h"
#include "app/files.h"
#include "app/page/data.h"
#include "cli/solve/solve.h"
#include "text/json/json.h"
#include "text/memory_file.h"

/* A line that a function prints, as a member of an array. */
static bool put_printed(json_writer *w, const solve_job *job, void (*print)(FILE *out, const solve_job *job))
{
    memory_file m;
    if (!memory_file_begin(&m))
        return false;
    print(m.file, job);
    const bool good = memory_file_end(&m);
    if (good && m.length > 0) {
        m.text[strcspn(m.text, "\n")] = 0;
        json_string(w, NULL, m.text);
    }
    free(m.text);
    return good;
}

static void print_bound(FILE *out, const solve_job *job)
{
    app_certified_print(out, &job->certified, &job->bound);
}

static void put_sentence(json_writer *w, const solve_job *job)
{
    const plumb_solve_report *r = &job->report;
    char text[256];
    const bool complete = job->certificates && job->bound.name &&
                          job->certified.squared + job->certified.excluded == 0 &&
                          job->certified.distinct == job->bound.value;
    snprintf(text, sizeof text, "%lld isolated solution%s, %lld real%s", (long long)r->distinct,
             r->distinct == 1 ? "" : "s", (long long)r->real,
             complete ? ": all certified, and the list is proven to be complete" : "");
    json_string(w, "sentence", text);
}

static void put_warnings(json_writer *w, const solve_job *job)
{
    const plumb_solve_report *r = &job->report;
    const solve_words *words = job->words;
    char line[256];
    json_open_array(w, "warnings");
    (void)plumb_solve_verdict(r, line, sizeof line);
    if (line[0])
        json_string(w, NULL, line);
    if (r->not_isolated > 0)
        json_string(
            w, NULL,
            "The system has solution sets of positive dimension, of which only isolated points are listed here.");
    if (r->misses > 0)
        json_string(w, NULL,
                    "Some points nearly solve the equations: --residual X accepts points that miss them by at most X.");
    if (job->solutions->count < r->distinct && (words->real || words->positive || words->nonzero)) {
        snprintf(line, sizeof line, "The options chose %lld of %lld solutions; the others are not on this page.",
                 (long long)job->solutions->count, (long long)r->distinct);
        json_string(w, NULL, line);
    }
    if (job->solutions->count > APP_PAGE_ROWS) {
        snprintf(line, sizeof line, "This page has the first %d solutions; -o FILE writes all of them.", APP_PAGE_ROWS);
        json_string(w, NULL, line);
    }
    json_close_array(w);
}

static void put_work(json_writer *w, const solve_job *job)
{
    const plumb_solve_report *r = &job->report, *p = &job->planned.report;
    char line[160];
    json_open_array(w, "work");
    if (r->eliminated > 0) {
        snprintf(line, sizeof line, "%lld unknown%s eliminated exactly, by linear equations.", (long long)r->eliminated,
                 r->eliminated == 1 ? " was" : "s were");
        json_string(w, NULL, line);
    }
    if (r->direct > 0 || r->paths == 0)
        json_string(w, NULL,
                    "Solved without paths: the unknowns were found one after the other, with their multiplicities.");
    else {
        snprintf(line, sizeof line, "%lld path%s tracked from the start system '%s'.", (long long)r->paths,
                 r->paths == 1 ? " was" : "s were", p->start != PLUMB_START_AUTO ? plumb_start_name(p->start) : "none");
        json_string(w, NULL, line);
    }
    json_close_array(w);
}

static void put_account(app_page_data *page, const solve_job *job)
{
    app_account_entry entry[APP_ACCOUNT];
    char text[64];
    app_account(&job->report, job->words->largest, entry);
    json_open_array(&page->w, "account");
    for (int k = 0; k < APP_ACCOUNT && job->report.paths > 0; k++)
        app_page_account(page, entry[k].name, entry[k].count, entry[k].meaning);
    json_close_array(&page->w);
    json_open_array(&page->w, "costs");
    snprintf(text, sizeof text, "%.3g s", job->seconds);
    app_page_cost(page, "time for all solutions", text);
    if (job->certificates) {
        snprintf(text, sizeof text, "%.3g s", job->certify_seconds);
        app_page_cost(page, "time for certificates", text);
    }
    if (job->report.mpfr_paths > 0) {
        snprintf(text, sizeof text, "%lld", (long long)job->report.mpfr_paths);
        app_page_cost(page, "paths followed in MPFR", text);
        snprintf(text, sizeof text, "%lld digits, %.3g s", (long long)job->report.mpfr_digits,
                 job->report.mpfr_seconds);
        app_page_cost(page, "largest precision there", text);
    }
    json_close_array(&page->w);
}

static bool put_certificates(json_writer *w, const solve_job *job)
{
    bool good = true;
    char line[320];
    json_open_array(w, "certificates");
    if (job->certificates) {
        good = put_printed(w, job, print_bound);
        json_string(
            w, NULL,
            "Certified: interval arithmetic proves that a small box around the numbers has exactly one solution of the "
            "system. Distinct boxes have distinct solutions; a box that equals its conjugate has a real one. Singular "
            "solutions cannot be certified in this way.");
    } else {
        snprintf(line, sizeof line, "Nothing was certified%s%s.", job->uncertified[0] ? ": " : "", job->uncertified);
        json_string(w, NULL, line);
    }
    json_close_array(w);
    return good;
}

static void put_solution(app_page_data *page, const solve_job *job, int64_t k)
{
    const plumb_solutions *s = job->solutions;
    const solution_record *r = &s->record[k];
    plumb_certificate c;
    char certificate[CLI_CERTIFICATE_WORDS];
    solve_number number;
    const bool known = job->certificates && plumb_certificates_get(job->certificates, k, &c) == PLUMB_OK;
    app_page_solution_begin(page,
                            &(app_page_solution){.kind = r->kind,
                                                 .multiplicity = r->multiplicity,
                                                 .real = r->real != 0,
                                                 .positive = r->positive != 0 && r->real != 0,
                                                 .error = r->err,
                                                 .residual = r->res,
                                                 .rcond = r->rco,
                                                 .known = r->known,
                                                 .certificate = known ? app_certificate_words(&c, certificate) : NULL});
    for (int64_t i = 0; i < s->unknowns; i++) {
        solve_answer_number(job, k, i, &number);
        app_page_number(page, number.re, number.im);
    }
    app_page_solution_end(page);
}

int solve_page(const solve_job *job)
{
    const plumb_solutions *s = job->solutions;
    app_page_data page = {.command = job->words->command};
    const char *file = job->words->file[0];
    int result = app_page_begin(&page, file != NULL ? app_input_name(file) : NULL);
    if (result != APP_OK)
        return result;
    put_sentence(&page.w, job);
    put_warnings(&page.w, job);
    app_page_equations(&page, job->system);
    app_page_names(&page, "unknowns", job->system, 0, s->unknowns);
    put_work(&page.w, job);
    put_account(&page, job);
    page.failed |= !put_certificates(&page.w, job);
    app_page_footer(&page, job->words->seed);
    json_open_array(&page.w, "solutions");
    for (int64_t k = 0; k < s->count && k < APP_PAGE_ROWS && !ferror(page.file); k++)
        put_solution(&page, job, k);
    json_close_array(&page.w);
    return app_page_save(&page, job->words->html);
}
