/* report.c - the report of plumb newton: a table and the solutions as text, or everything as JSON. */
#include <math.h>
#include <stdio.h>

#include "app/digits.h"
#include "app/numbers.h"
#include "app/report.h"
#include "cli/newton/newton.h"

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void json_trace(json_writer *w, const newton_trace *trace)
{
    json_open_array(w, "trace");
    for (int64_t s = 0; s < trace->count; s++) {
        const newton_trace_step *step = &trace->step[s];
        json_open_object(w, NULL);
        json_string(w, "precision", plumb_prec_name(step->prec));
        json_string(w, "jacobian_precision", plumb_prec_name(step->jacobian_prec));
        json_double(w, "residual", step->residual);
        json_double(w, "correction", step->correction);
        json_close_object(w);
    }
    json_close_array(w);
}

/* What is known of a solution, and its numbers. */
static bool json_limbs(json_writer *w, const newton_cli *run, int64_t k)
{
    json_double(w, "error", run->reports[k].error);
    json_double(w, "digits", newton_digits(&run->reports[k]));
    json_open_array(w, "x");
    bool good = true;
    for (int64_t i = 0; i < run->x.rows; i++) {
        double re[PLUMB_QD], im[PLUMB_QD];
        app_entry(&run->x, k, i, 0, 0, re);
        app_entry(&run->x, k, i, 0, 1, im);
        good &= app_report_number(w, NULL, run->reports[k].prec, re, im);
    }
    json_close_array(w);
    return good;
}

static bool json_refined(json_writer *w, const newton_cli *run, int64_t k)
{
    plumb_digits_report r;
    if (plumb_digits_get(run->refined, k, &r) != PLUMB_OK)
        return false;
    json_double(w, "error", r.known > 0 ? app_digits_error(&r) : run->reports[k].error);
    json_int(w, "digits", r.known);
    json_string(w, "refined", plumb_digits_name(r.code));
    json_int(w, "bits", r.bits);
    app_digits_json(w, run->refined, k);
    return true;
}

bool newton_print_json(const newton_cli *run)
{
    bool good = true;
    json_writer w = app_report_begin(stdout, "newton");
    json_int(&w, "equations", plumb_system_equations(run->system));
    app_report_unknowns(&w, run->system);
    json_string(&w, "precision", plumb_prec_name(run->x.prec));
    if (run->digits > 0.0)
        json_double(&w, "digits_wanted", run->digits);
    json_int(&w, "count", run->x.batch);
    json_int(&w, "converged", run->converged);
    app_report_backend(&w, run->backend);
    json_int(&w, "threads", run->threads);
    json_double(&w, "seconds", run->seconds);
    json_open_array(&w, "solutions");
    for (int64_t k = 0; k < run->x.batch; k++) {
        const plumb_newton_report *r = &run->reports[k];
        json_open_object(&w, NULL);
        json_int(&w, "number", k + 1);
        json_string(&w, "code", plumb_newton_name(r->code));
        json_string(&w, "precision", plumb_prec_name(r->prec));
        json_string(&w, "jacobian_precision", plumb_prec_name(r->jacobian_prec));
        json_int(&w, "steps", r->steps);
        json_bool(&w, "quadratic", r->quadratic != 0);
        json_double(&w, "residual", r->residual);
        json_double(&w, "condition", r->condition);
        json_trace(&w, &run->traces[k]);
        good &= run->refined ? json_refined(&w, run, k) : json_limbs(&w, run, k);
        json_close_object(&w);
    }
    json_close_array(&w);
    app_report_end(&w);
    return good;
}

/* ---- Text --------------------------------------------------------------------------------------------------------- */

static void print_table(const newton_cli *run)
{
    printf("%6s  %-10s %5s  %-4s %-4s %-9s %8s %8s %9s %6s\n", "number", "outcome", "steps", "prec", "J", "converges",
           "residual", "error", "condition", "digits");
    for (int64_t k = 0; k < run->x.batch; k++) {
        const plumb_newton_report *r = &run->reports[k];
        printf("%6lld  %-10s %5lld  %-4s %-4s %-9s %8.1e %8.1e %9.1e %6.0f\n", (long long)k + 1,
               plumb_newton_name(r->code), (long long)r->steps, plumb_prec_name(r->prec),
               plumb_prec_name(r->jacobian_prec), r->quadratic ? "quadratic" : "-", r->residual, r->error, r->condition,
               floor(newton_digits(r)));
    }
}

/* Explains the outcomes that occur in the table. */
static void print_outcomes(const newton_cli *run)
{
    int64_t seen[PLUMB_NEWTON_CODES] = {0};
    for (int64_t k = 0; k < run->x.batch; k++)
        seen[run->reports[k].code]++;
    for (int code = PLUMB_NEWTON_CONVERGED + 1; code < PLUMB_NEWTON_CODES; code++)
        if (seen[code] > 0)
            printf("%-10s  %s\n", plumb_newton_name(code), plumb_newton_text((plumb_newton_code)code));
}

static bool print_point(const newton_cli *run, int64_t k)
{
    bool good = true;
    for (int64_t i = 0; run->refined && i < run->x.rows; i++) {
        printf("%s = ", plumb_system_name(run->system, i));
        app_digits_print_number(stdout, run->refined, k, i);
        putchar('\n');
    }
    if (run->refined)
        return true;
    for (int64_t i = 0; i < run->x.rows; i++) {
        double re[PLUMB_QD], im[PLUMB_QD];
        char text[CLI_NUMBER_ROOM];
        app_entry(&run->x, k, i, 0, 0, re);
        app_entry(&run->x, k, i, 0, 1, im);
        /* In the precision it ended in: limbs beyond that are zeros. */
        good &= app_limbs_text(run->reports[k].prec, re, im, text);
        printf("%s = %s\n", plumb_system_name(run->system, i), text);
    }
    return good;
}

bool newton_print(const newton_cli *run)
{
    bool good = true;
    if (!run->words->quiet) {
        if (run->refined) {
            app_digits_print(stdout, run->refined);
        } else {
            print_table(run);
            print_outcomes(run);
        }
        printf("%lld of %lld solution%s converged, %s, %.3g s\n", (long long)run->converged, (long long)run->x.batch,
               run->x.batch == 1 ? "" : "s", run->backend == PLUMB_BACKEND_GPU ? "GPU" : "CPU", run->seconds);
    }
    for (int64_t k = 0; run->words->output == NULL && k < run->x.batch; k++) {
        printf("%ssolution %lld\n", run->words->quiet && k == 0 ? "" : "\n", (long long)k + 1);
        good &= print_point(run, k);
    }
    return good;
}
