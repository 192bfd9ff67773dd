/* report.c - what plumb lsq says: for people, or as JSON. */
#include <math.h>

#include "cli/lsq/lsq.h"
#include "text/json/json.h"

enum { TEXT = 4096 }; /* a double and its inverse power of ten have some 1,400 digits at most */

static const char *const METHODS[] = {"mgs", "refined", "lu"};
enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0] };

static const char *method_name(const lsq_run *run)
{
    int32_t method = run->report.method;
    return method >= 0 && method < METHOD_COUNT ? METHODS[method] : "unknown";
}

static void part_of(const plumb_view *v, int64_t i, int64_t j, int32_t part, double limbs[PLUMB_QD])
{
    for (int32_t k = 0; k < v->prec; k++)
        limbs[k] = v->data[(part * v->prec + k) * v->plane + j * v->col + i];
}

/* "0" for the imaginary part of a real number. */
static bool write_part(const plumb_view *v, int64_t i, int64_t j, int32_t part, int32_t digits, char text[TEXT])
{
    double limbs[PLUMB_QD] = {0};
    if (part < v->parts)
        part_of(v, i, j, part, limbs);
    return plumb_number_write(v->prec, limbs, digits, text, TEXT, NULL) == PLUMB_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

static bool json_part(json_writer *w, const plumb_view *v, int64_t i, int64_t j, int32_t part)
{
    char text[TEXT];
    bool good = write_part(v, i, j, part, 0, text);
    json_string(w, NULL, good ? text : NULL);
    return good;
}

static bool json_numbers(json_writer *w, const lsq_run *run)
{
    bool good = true;
    json_open_array(w, "x");
    for (int64_t j = 0; j < run->x.cols; j++) {
        json_open_array(w, NULL);
        for (int64_t i = 0; i < run->x.rows; i++) {
            json_open_array(w, NULL);
            good &= json_part(w, &run->x, i, j, 0);
            good &= json_part(w, &run->x, i, j, 1);
            json_close_array(w);
        }
        json_close_array(w);
    }
    json_close_array(w);
    json_open_array(w, "residual");
    for (int64_t j = 0; j < run->residual.cols; j++)
        good &= json_part(w, &run->residual, 0, j, 0);
    json_close_array(w);
    return good;
}

bool lsq_print_json(const lsq_run *run)
{
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
    json_string(&w, "precision", plumb_prec_name(run->x.prec));
    json_string(&w, "method", method_name(run));
    json_int(&w, "m", run->m);
    json_int(&w, "n", run->n);
    bool good = json_numbers(&w, run);
    json_double(&w, "condition", run->report.condition);
    json_double(&w, "digits", run->report.digits);
    json_double(&w, "seconds", run->seconds);
    json_string(&w, "backend", run->report.backend == PLUMB_BACKEND_GPU ? "gpu" : "cpu");
    json_int(&w, "rank", run->report.rank);
    json_string(&w, "factor_precision", plumb_prec_name(run->report.factor_prec));
    json_int(&w, "steps", run->report.steps);
    json_int(&w, "threads", run->threads);
    json_string(&w, "note", run->report.note[0] != 0 ? run->report.note : NULL);
    json_close_object(&w);
    json_end(&w);
    return good;
}

/* ---- for people ----------------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back, unless that is longer than the precision has digits: a number like 1 + 1e-50 - 1e-90
 * is a quad double too, but nobody wants to see all of it. JSON and files have it. */
static bool write_for_people(const plumb_view *x, int64_t i, int64_t j, char text[2 * TEXT])
{
    double re[PLUMB_QD] = {0}, im[PLUMB_QD] = {0};
    int32_t most = (int32_t)ceil(53 * x->prec * 0.30102999566398120) + 1; /* 17, 33, 65 */
    size_t needed = 0;
    part_of(x, i, j, 0, re);
    if (x->parts == PLUMB_REAL) {
        size_t sign_point_exponent = 8;
        return plumb_number_write(x->prec, re, 0, text, 2 * TEXT, &needed) == PLUMB_OK &&
               (needed <= (size_t)most + sign_point_exponent ||
                plumb_number_write(x->prec, re, most, text, 2 * TEXT, NULL) == PLUMB_OK);
    }
    size_t signs_points_exponents = 24; /* and "( + *i)" */
    part_of(x, i, j, 1, im);
    return plumb_complex_write(x->prec, re, im, 0, text, 2 * TEXT, &needed) == PLUMB_OK &&
           (needed <= 2 * (size_t)most + signs_points_exponents ||
            plumb_complex_write(x->prec, re, im, most, text, 2 * TEXT, NULL) == PLUMB_OK);
}

static bool print_x(const lsq_run *run)
{
    const plumb_view *x = &run->x;
    char text[2 * TEXT];
    bool good = true;
    for (int64_t j = 0; j < x->cols; j++) {
        if (!run->quiet && x->cols > 1)
            printf("%sx, right-hand side %lld of %lld\n", j > 0 ? "\n" : "", (long long)j + 1, (long long)x->cols);
        else if (!run->quiet)
            printf("x\n");
        for (int64_t i = 0; i < x->rows; i++) {
            good &= write_for_people(x, i, j, text);
            printf("%s%s\n", run->quiet ? "" : text[0] == '-' ? " " : "  ", text);
        }
    }
    return good;
}

static void print_digits(const lsq_run *run)
{
    double digits = run->report.digits;
    const char *higher = run->x.prec == PLUMB_D ? "dd" : run->x.prec == PLUMB_DD ? "qd" : NULL;
    printf("digits      ");
    if (digits >= 1)
        printf("%.1f believed right in the largest entry of x\n", digits);
    else if (higher != NULL)
        printf("none believed right: too ill-conditioned for %s, try -p %s\n", plumb_prec_name(run->x.prec), higher);
    else
        printf("none believed right: too ill-conditioned for %s\n", plumb_prec_name(run->x.prec));
}

/* A line has room for a few; of more the largest. */
static bool print_residuals(const lsq_run *run)
{
    enum { A_FEW = 6 };
    const plumb_view *r = &run->residual;
    char text[TEXT];
    bool good = true;
    int64_t largest = 0;
    printf("residual    ");
    for (int64_t j = 0; j < r->cols; j++) {
        if (r->data[j * r->col] > r->data[largest * r->col])
            largest = j;
        if (r->cols > A_FEW)
            continue;
        good &= write_part(r, 0, j, 0, 3, text);
        printf("%s%s", j > 0 ? ", " : "", text);
    }
    if (r->cols > A_FEW) {
        good &= write_part(r, 0, largest, 0, 3, text);
        printf("%s, the largest of %lld", text, (long long)r->cols);
    }
    printf("\n");
    return good;
}

bool lsq_print(const lsq_run *run)
{
    const plumb_lsq_report *r = &run->report;
    bool good = run->output != NULL || print_x(run);
    if (run->quiet)
        return good;
    if (run->output == NULL)
        printf("\n");
    good &= print_residuals(run);
    printf("condition   %.2g\n", r->condition);
    print_digits(run);
    if (run->options.pivot)
        printf("rank        %lld of %lld\n", (long long)r->rank, (long long)run->n);
    printf("solved      %lld x %lld by %s in %s", (long long)run->m, (long long)run->n, method_name(run),
           plumb_prec_name(run->x.prec));
    if (r->method == PLUMB_METHOD_REFINED)
        printf(" (factored in %s, %d step%s)", plumb_prec_name(r->factor_prec), (int)r->steps,
               r->steps == 1 ? "" : "s");
    printf(", %s, %.3g s\n", r->backend == PLUMB_BACKEND_GPU ? "GPU" : "CPU", run->seconds);
    if (r->note[0] != 0)
        printf("note        %s\n", r->note);
    return good;
}
