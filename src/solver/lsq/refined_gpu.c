/* refined_gpu.c - the report of a refinement on a GPU: what lsq_refined.c says of one on the processor, by the same formulas. */
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "solver/lsq/gpu.h"
#include "solver/lsq/scaled.h"

/* The Frobenius norm of the scaled A = W C. */
static double matrix_norm(const lsq_triangle *triangle, int64_t n)
{
    double sum = 0.0;
    for (int64_t j = 0; j < n; j++) {
        sum += triangle->square[j];
        for (int64_t k = 0; k < j; k++) {
            const double re = triangle->re[j * n + k], im = triangle->im ? triangle->im[j * n + k] : 0.0;
            sum += (re * re + im * im) * triangle->square[k];
        }
    }
    return sqrt(sum);
}

/* Column j of x for scaled columns of A, in double, and times a power of two that keeps it in range. */
static void scaled_column(const plumb_view *x, int64_t j, const int32_t *exponent, const plumb_view *to)
{
    int most = INT32_MIN;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t part = 0; part < x->parts; part++)
            for (int64_t k = 0; k < x->rows; k++) {
                int e = 0;
                const double value = frexp(x->data[part * x->prec * x->plane + j * x->col + k], &e);
                if (pass == 0 && value != 0.0 && e + exponent[k] > most)
                    most = e + exponent[k];
                if (pass == 1)
                    to->data[part * to->plane + k] = value != 0.0 ? ldexp(value, e + exponent[k] - most) : 0.0;
            }
}

/* The error to expect of column j of x, relative to its largest entry. */
static double expected_error(const lsq_operands *on, const lsq_triangle *triangle, double condition, double left,
                             const plumb_view *scaled)
{
    double sum = 0.0, largest = 0.0;
    for (int64_t k = 0; k < scaled->parts * scaled->plane; k++) {
        sum += scaled->data[k] * scaled->data[k];
        largest = fmax(largest, fabs(scaled->data[k]));
    }
    const double moved = lsq_growth(on->a->rows, on->a->cols, on->a->prec) * lsq_unit(on->a->prec) * condition;
    const double residual =
        on->a->rows > on->a->cols ? condition / matrix_norm(triangle, on->a->cols) * left * largest : 0.0;
    return moved * (sqrt(sum) + residual) * lsq_scaled_amplify(scaled, 0, triangle->exponent);
}

plumb_status lsq_refined_gpu_report(plumb_context *context, const lsq_operands *on, const lsq_triangle *triangle,
                                    const lsq_refinement *refined, const plumb_view *x, plumb_lsq_report *report)
{
    const plumb_view *a = on->a;
    const lsq_operands factored = {.a = a};
    lsq_work work;
    double error = 0.0;
    plumb_view scaled = {.plane = a->cols, .col = a->cols, .rows = a->cols, .cols = 1, .batch = 1};
    scaled.prec = PLUMB_D;
    scaled.parts = a->parts;
    scaled.data = calloc((size_t)a->cols * (size_t)a->parts, sizeof(double));
    if (!scaled.data)
        return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    plumb_status status = lsq_work_create(context, PLUMB_D, a->parts, 1, a->cols, 0, &work);
    if (status != PLUMB_OK) {
        free(scaled.data);
        return status;
    }
    lsq_gpu_put_triangle(&factored, triangle, NULL, &work);
    status = lsq_work_estimate(&work, &report->condition, NULL);
    lsq_work_destroy(&work);
    for (int64_t j = 0; status == PLUMB_OK && x && j < x->cols; j++) {
        scaled_column(x, j, triangle->exponent, &scaled);
        error = fmax(error, expected_error(on, triangle, report->condition, refined->left, &scaled));
    }
    free(scaled.data);
    report->method = PLUMB_METHOD_REFINED;
    report->factor_prec = PLUMB_D;
    report->steps = refined->steps;
    report->backend = PLUMB_BACKEND_GPU;
    report->rank = a->cols;
    report->digits = lsq_scaled_digits(a->prec, error);
    return status;
}
