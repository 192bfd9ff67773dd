/* report.c - the report of plumb lsq, as text or as JSON. */
#include <math.h>

#include "app/numbers.h"
#include "app/report.h"
#include "base/number/precision.h"
#include "cli/lsq/lsq.h"

static const char *method_name(const lsq_run *run)
{
    const char *name = plumb_method_name(run->report.method);
    return name ? name : "unknown";
}

bool lsq_lacks_rank(const lsq_run *run)
{
    return run->report.rank < run->n && run->report.rank < run->m;
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

/* One object per column of b. */
static bool json_columns(json_writer *w, const lsq_run *run)
{
    bool good = true;
    double limbs[PLUMB_QD];
    json_open_array(w, "right_hand_sides");
    for (int64_t j = 0; j < run->x.cols; j++) {
        json_open_object(w, NULL);
        good &= app_report_column(w, "x", &run->x, 0, j);
        app_entry(&run->residual, 0, 0, j, 0, limbs);
        good &= app_report_real(w, "residual_norm", run->residual.prec, limbs);
        if (run->words->errors) {
            json_open_array(w, "standard_errors");
            for (int64_t i = 0; i < run->n; i++) {
                app_entry(&run->errors, 0, i, j, 0, limbs);
                good &= app_report_real(w, NULL, run->errors.prec, limbs);
            }
            json_close_array(w);
        }
        json_close_object(w);
    }
    json_close_array(w);
    return good;
}

bool lsq_print_json(const lsq_run *run, FILE *out)
{
    json_writer w = app_report_begin(out, "lsq");
    json_string(&w, "precision", plumb_prec_name(run->x.prec));
    json_string(&w, "method", method_name(run));
    json_int(&w, "m", run->m);
    json_int(&w, "n", run->n);
    bool good = json_columns(&w, run);
    json_double(&w, "condition", run->report.condition);
    json_double(&w, "digits", run->report.digits);
    if (run->prec == 0)
        json_double(&w, "digits_wanted", run->digits);
    json_int(&w, "rank", run->report.rank);
    json_string(&w, "factor_precision", plumb_prec_name(run->report.factor_prec));
    json_int(&w, "steps", run->report.steps);
    app_report_backend(&w, run->report.backend);
    json_int(&w, "threads", run->threads);
    json_double(&w, "seconds", run->seconds);
    json_string(&w, "note", run->report.note[0] != 0 ? run->report.note : NULL);
    app_report_end(&w);
    return good;
}

/* ---- Text --------------------------------------------------------------------------------------------------------- */

static bool print_x(const lsq_run *run)
{
    const plumb_view *x = &run->x;
    char text[CLI_NUMBER_ROOM];
    bool good = true, quiet = run->words->quiet;
    for (int64_t j = 0; j < x->cols; j++) {
        if (!quiet && x->cols > 1)
            printf("%sx, right-hand side %lld of %lld\n", j > 0 ? "\n" : "", (long long)j + 1, (long long)x->cols);
        else if (!quiet)
            printf("x\n");
        for (int64_t i = 0; i < x->rows; i++) {
            good &= app_number_text(x, 0, i, j, text);
            printf("%s%s\n", quiet ? "" : text[0] == '-' ? " " : "  ", text);
        }
    }
    return good;
}

static void print_errors(const lsq_run *run)
{
    const plumb_view *e = &run->errors;
    for (int64_t j = 0; j < e->cols; j++) {
        if (e->cols > 1)
            printf("standard errors, right-hand side %lld of %lld\n", (long long)j + 1, (long long)e->cols);
        else
            printf("standard errors\n");
        for (int64_t i = 0; i < e->rows; i++)
            printf("  %.6g\n", e->data[j * e->col + i]);
        printf("\n");
    }
}

static void print_digits(const lsq_run *run)
{
    double digits = run->report.digits;
    const char *higher = plumb_prec_name(precision_above(run->x.prec));
    printf("digits      ");
    if (digits >= 1)
        printf("about %.0f correct in the largest entry of x (estimated)\n", floor(digits));
    else if (lsq_lacks_rank(run))
        printf("none claimed: the rank depends on rounding\n");
    else if (higher != NULL)
        printf("none correct (estimated): too ill-conditioned or too small for %s, try -p %s\n",
               plumb_prec_name(run->x.prec), higher);
    else
        printf("none correct (estimated): too ill-conditioned or too small for %s\n", plumb_prec_name(run->x.prec));
}

/* A few norms of b - A x, one per line and in full; of many the largest. */
static bool print_residuals(const lsq_run *run)
{
    enum { A_FEW = 6 };
    const plumb_view *r = &run->residual;
    char text[CLI_NUMBER_ROOM];
    bool good = true;
    int64_t largest = 0;
    for (int64_t j = 0; j < r->cols; j++) {
        if (r->data[j * r->col] > r->data[largest * r->col])
            largest = j;
        if (r->cols > A_FEW)
            continue;
        good &= app_number_text(r, 0, 0, j, text);
        printf("%-12s%s\n", j == 0 ? "residual" : "", text);
    }
    if (r->cols > A_FEW) {
        good &= app_number_text(r, 0, 0, largest, text);
        printf("%-12s%s, the largest of %lld\n", "residual", text, (long long)r->cols);
    }
    return good;
}

bool lsq_print(const lsq_run *run)
{
    const lsq_words *words = run->words;
    const plumb_lsq_report *r = &run->report;
    bool good = words->output != NULL || print_x(run);
    if (words->output == NULL && (!words->quiet || words->errors))
        printf("\n");
    if (words->errors)
        print_errors(run);
    if (words->quiet)
        return good;
    good &= print_residuals(run);
    printf("condition   %.2g\n", r->condition);
    print_digits(run);
    if (run->options.pivot)
        printf("rank        %lld of %lld\n", (long long)r->rank, (long long)run->n);
    printf("solved      %lld x %lld%s by %s in %s", (long long)run->m, (long long)run->n,
           run->m < run->n ? " for the least norm" : "", method_name(run), plumb_prec_name(run->x.prec));
    if (r->method == PLUMB_METHOD_REFINED)
        printf(" (factored in %s, %d step%s)", plumb_prec_name(r->factor_prec), (int)r->steps,
               r->steps == 1 ? "" : "s");
    printf(", %s, %.3g s\n", r->backend == PLUMB_BACKEND_GPU ? "GPU" : "CPU", run->seconds);
    if (r->note[0] != 0)
        printf("note        %s\n", r->note);
    return good;
}
