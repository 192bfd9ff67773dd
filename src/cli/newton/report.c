/* report.c - what plumb newton found: a table and the solutions for people, everything as JSON. */
#include <math.h>
#include <stdio.h>

#include "cli/newton/newton.h"
#include "text/json/json.h"

enum { TEXT = 2400 }; /* a double and its inverse power of ten have some 1,400 digits at most */

/* One word a code, in the order of PLUMB_NEWTON_LIST. */
static const char *code_name(int32_t code)
{
    static const char *const names[] = {"converged", "slow", "diverged", "singular", "nonfinite"};
    _Static_assert(sizeof names / sizeof names[0] == PLUMB_NEWTON_CODES, "a name for each code");
    return names[code];
}

static void part_of(const plumb_view *x, int64_t k, int64_t i, int32_t part, double limbs[PLUMB_QD])
{
    for (int32_t c = 0; c < x->prec; c++)
        limbs[c] = x->data[k * x->next + (part * x->prec + c) * x->plane + i];
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

static bool json_point(json_writer *w, const plumb_view *x, int64_t k)
{
    bool good = true;
    json_open_array(w, "x");
    for (int64_t i = 0; i < x->rows; i++) {
        json_open_array(w, NULL);
        for (int32_t part = 0; part < 2; part++) {
            double limbs[PLUMB_QD];
            char text[TEXT];
            part_of(x, k, i, part, limbs);
            const bool written = plumb_number_write(x->prec, limbs, 0, text, sizeof text, NULL) == PLUMB_OK;
            json_string(w, NULL, written ? text : NULL);
            good &= written;
        }
        json_close_array(w);
    }
    json_close_array(w);
    return good;
}

static void json_corrections(json_writer *w, const newton_trace *trace)
{
    json_open_array(w, "corrections");
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

bool newton_print_json(const newton_cli *run)
{
    bool good = true;
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
    json_int(&w, "equations", plumb_system_equations(run->system));
    json_int(&w, "unknowns", plumb_system_unknowns(run->system));
    json_open_array(&w, "names");
    for (int64_t v = 0; v < run->x.rows; v++)
        json_string(&w, NULL, plumb_system_name(run->system, v));
    json_close_array(&w);
    json_string(&w, "precision", plumb_prec_name(run->x.prec));
    if (run->digits > 0.0)
        json_double(&w, "digits_wanted", run->digits);
    json_int(&w, "count", run->x.batch);
    json_int(&w, "converged", run->converged);
    json_string(&w, "backend", run->backend == PLUMB_BACKEND_GPU ? "gpu" : "cpu");
    json_int(&w, "threads", run->threads);
    json_double(&w, "seconds", run->seconds);
    json_open_array(&w, "solutions");
    for (int64_t k = 0; k < run->x.batch; k++) {
        const plumb_newton_report *r = &run->reports[k];
        json_open_object(&w, NULL);
        json_int(&w, "number", k + 1);
        json_string(&w, "code", code_name(r->code));
        json_string(&w, "precision", plumb_prec_name(r->prec));
        json_string(&w, "jacobian_precision", plumb_prec_name(r->jacobian_prec));
        json_int(&w, "steps", r->steps);
        json_bool(&w, "quadratic", r->quadratic != 0);
        json_double(&w, "residual", r->residual);
        json_double(&w, "error", r->error);
        json_double(&w, "condition", r->condition);
        json_double(&w, "digits", newton_digits(r));
        json_corrections(&w, &run->traces[k]);
        good &= json_point(&w, &run->x, k);
        json_close_object(&w);
    }
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
    return good;
}

/* ---- for people ----------------------------------------------------------------------------------------------- */

static void print_table(const newton_cli *run)
{
    printf("%6s  %-10s %5s  %-4s %-4s %-9s %8s %8s %9s %6s\n", "number", "outcome", "steps", "prec", "J", "converges",
           "residual", "error", "condition", "digits");
    for (int64_t k = 0; k < run->x.batch; k++) {
        const plumb_newton_report *r = &run->reports[k];
        printf("%6lld  %-10s %5lld  %-4s %-4s %-9s %8.1e %8.1e %9.1e %6.0f\n", (long long)k + 1, code_name(r->code),
               (long long)r->steps, plumb_prec_name(r->prec), plumb_prec_name(r->jacobian_prec),
               r->quadratic ? "quadratic" : "-", r->residual, r->error, r->condition, floor(newton_digits(r)));
    }
}

/* What the words of the table mean, of those that are there. */
static void print_outcomes(const newton_cli *run)
{
    int64_t seen[PLUMB_NEWTON_CODES] = {0};
    for (int64_t k = 0; k < run->x.batch; k++)
        seen[run->reports[k].code]++;
    for (int code = PLUMB_NEWTON_CONVERGED + 1; code < PLUMB_NEWTON_CODES; code++)
        if (seen[code] > 0)
            printf("%-10s  %s\n", code_name(code), plumb_newton_text((plumb_newton_code)code));
}

/* The shortest decimals that read back, unless they are longer than the precision has digits. */
static bool write_for_people(int32_t prec, const double *re, const double *im, char text[2 * TEXT])
{
    const int32_t most = (int32_t)ceil(53 * prec * 0.30102999566398120) + 1; /* 17, 33, 65 */
    const size_t signs_points_exponents = 24;                                /* and "( + *i)" */
    size_t needed = 0;
    return plumb_complex_write(prec, re, im, 0, text, 2 * TEXT, &needed) == PLUMB_OK &&
           (needed <= 2 * (size_t)most + signs_points_exponents ||
            plumb_complex_write(prec, re, im, most, text, 2 * TEXT, NULL) == PLUMB_OK);
}

static bool print_point(const newton_cli *run, int64_t k)
{
    bool good = true;
    for (int64_t i = 0; i < run->x.rows; i++) {
        double re[PLUMB_QD], im[PLUMB_QD];
        char text[2 * TEXT];
        part_of(&run->x, k, i, 0, re);
        part_of(&run->x, k, i, 1, im);
        /* In the precision it ended in: limbs beyond that are zeros. */
        const bool written = write_for_people(run->reports[k].prec, re, im, text);
        printf("%s = %s\n", plumb_system_name(run->system, i), written ? text : "?");
        good &= written;
    }
    return good;
}

bool newton_print(const newton_cli *run)
{
    bool good = true;
    if (!run->quiet) {
        print_table(run);
        print_outcomes(run);
        printf("%lld of %lld solution%s converged, %s, %.3g s\n", (long long)run->converged, (long long)run->x.batch,
               run->x.batch == 1 ? "" : "s", run->backend == PLUMB_BACKEND_GPU ? "GPU" : "CPU", run->seconds);
    }
    for (int64_t k = 0; run->output == NULL && k < run->x.batch; k++) {
        printf("%ssolution %lld\n", run->quiet && k == 0 ? "" : "\n", (long long)k + 1);
        good &= print_point(run, k);
    }
    return good;
}
