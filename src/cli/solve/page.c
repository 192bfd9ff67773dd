/* page.c - the data of the page of plumb solve --html. python/plumb/_page.py has the same members; src/app/page/page.js shows them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/account.h"
#include "app/app.h"
#include "app/files.h"
#include "app/page/page.h"
#include "cli/solve/solve.h"
#include "model/system/system.h"
#include "text/json/json.h"
#include "text/memory_file.h"

enum { MOST_ROWS = 100000, MOST_TEXT = 200000 /* bytes of equations */ };

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
    if (job->solutions->count > MOST_ROWS) {
        snprintf(line, sizeof line, "This page has the first %d solutions; -o FILE writes all of them.", MOST_ROWS);
        json_string(w, NULL, line);
    }
    json_close_array(w);
}

/* The polynomials in plain form, one per line, without the semicolons; those beyond a total length are left out. */
static bool put_equations(json_writer *w, const plumb_system *system)
{
    size_t needed = 0, used = 0;
    json_int(w, "equation_count", plumb_system_equations(system));
    json_open_array(w, "equations");
    (void)!plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed);
    char *text = malloc(needed + 1);
    const bool good = text != NULL && plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) == PLUMB_OK;
    for (char *s = good ? text : NULL, *end; s != NULL && (end = strchr(s, ';')) != NULL; s = end + 1) {
        *end = 0;
        s += strspn(s, " \n");
        used += strlen(s);
        if (used > MOST_TEXT)
            break;
        for (char *c = s; *c != 0; c++)
            *c = *c == '\n' ? ' ' : *c;
        json_string(w, NULL, s);
    }
    free(text);
    json_close_array(w);
    return good;
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

static void put_row(json_writer *w, const char *name, const char *value)
{
    json_open_array(w, NULL);
    json_string(w, NULL, name);
    json_string(w, NULL, value);
    json_close_array(w);
}

static void put_account(json_writer *w, const solve_job *job)
{
    app_account_entry entry[APP_ACCOUNT];
    char text[64];
    app_account(&job->report, job->words->largest, entry);
    json_open_array(w, "account");
    for (int k = 0; k < APP_ACCOUNT && job->report.paths > 0; k++) {
        json_open_array(w, NULL);
        json_string(w, NULL, entry[k].name);
        json_int(w, NULL, entry[k].count);
        json_string(w, NULL, entry[k].meaning);
        json_close_array(w);
    }
    json_close_array(w);
    json_open_array(w, "costs");
    snprintf(text, sizeof text, "%.3g s", job->seconds);
    put_row(w, "time for all solutions", text);
    if (job->certificates) {
        snprintf(text, sizeof text, "%.3g s", job->certify_seconds);
        put_row(w, "time for certificates", text);
    }
    if (job->report.mpfr_paths > 0) {
        snprintf(text, sizeof text, "%lld", (long long)job->report.mpfr_paths);
        put_row(w, "paths followed in MPFR", text);
        snprintf(text, sizeof text, "%lld digits, %.3g s", (long long)job->report.mpfr_digits,
                 job->report.mpfr_seconds);
        put_row(w, "largest precision there", text);
    }
    json_close_array(w);
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

/* [kind, multiplicity, real, positive, error, residual, condition, digits, certificate, x]; names in page.js. */
static void put_solution(json_writer *w, const solve_job *job, int64_t k)
{
    const plumb_solutions *s = job->solutions;
    const solution_record *r = &s->record[k];
    plumb_certificate c;
    char certificate[CLI_CERTIFICATE_WORDS];
    solve_number number;
    json_open_array(w, NULL);
    json_string(w, NULL, plumb_solution_kind_name(r->kind));
    json_int(w, NULL, r->multiplicity);
    json_int(w, NULL, r->real != 0);
    json_int(w, NULL, r->positive != 0 && r->real != 0);
    json_double(w, NULL, r->err);
    json_double(w, NULL, r->res);
    json_double(w, NULL, r->rco > 0 ? 1 / r->rco : INFINITY);
    json_int(w, NULL, r->known);
    const bool known = job->certificates && plumb_certificates_get(job->certificates, k, &c) == PLUMB_OK;
    json_string(w, NULL, known ? app_certificate_words(&c, certificate) : NULL);
    json_open_array(w, NULL);
    for (int64_t i = 0; i < s->unknowns; i++) {
        solve_answer_number(job, k, i, &number);
        json_open_array(w, NULL);
        json_string(w, NULL, number.re);
        json_string(w, NULL, number.im);
        json_close_array(w);
    }
    json_close_array(w);
    json_close_array(w);
}

static bool put_data(FILE *out, const solve_job *job)
{
    const plumb_solutions *s = job->solutions;
    const char *name = app_input_name(job->words->file[0]);
    char footer[128];
    json_writer w = json_begin_line(out);
    json_open_object(&w, NULL);
    json_string(&w, "schema", "plumb-page/1");
    json_string(&w, "title", job->words->file[0] != NULL ? name : "plumb solve");
    put_sentence(&w, job);
    put_warnings(&w, job);
    bool good = put_equations(&w, job->system);
    json_open_array(&w, "unknowns");
    for (int64_t i = 0; i < s->unknowns; i++)
        json_string(&w, NULL, s->names[i]);
    json_close_array(&w);
    put_work(&w, job);
    put_account(&w, job);
    good &= put_certificates(&w, job);
    snprintf(footer, sizeof footer, "plumb %s, random seed %llu", plumb_version(),
             (unsigned long long)job->words->seed);
    json_string(&w, "footer", footer);
    json_open_array(&w, "solutions");
    for (int64_t k = 0; k < s->count && k < MOST_ROWS && !ferror(out); k++)
        put_solution(&w, job, k);
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
    return good;
}

int solve_page(const solve_job *job)
{
    const char *command = job->words->command;
    app_output output = {.path = NULL};
    FILE *data = app_unnamed_file();
    if (data == NULL)
        return app_fail(command, "a temporary file could not be written");
    int result =
        put_data(data, job) ? app_output_open(command, &output, job->words->html) : app_fail(command, "out of memory");
    if (result == APP_OK && !app_page_write(output.file, data) && !ferror(output.file))
        result = app_fail(command, "a temporary file could not be written");
    if (result == APP_OK)
        result = app_output_commit(command, &output);
    app_output_discard(&output);
    fclose(data);
    return result;
}
