/* lsq.c - fits a polynomial of degree 11 to 24 points in double double, and prints how many digits of the answer are correct. */
#include <plumb.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 24, TERMS = 12 };

/* Row i of a has the powers of t = i / 8, and b the values of 1 + t + ... + t^11: all of them are exact doubles, so the other limbs are
 * zero, as they were created. */
static void fill(const plumb_view *a, const plumb_view *b)
{
    for (int i = 0; i < POINTS; i++) {
        const double t = i / 8.0;
        double power = 1.0, sum = 0.0;
        for (int j = 0; j < TERMS; j++, power *= t) {
            a->data[j * a->col + i] = power;
            sum += power;
        }
        b->data[i] = sum;
    }
}

static plumb_status fit(plumb_context *context, plumb_view *a, plumb_view *b, plumb_view *x)
{
    plumb_lsq_report report;
    plumb_info info;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, POINTS, TERMS, 1, a);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, POINTS, 1, 1, b);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, TERMS, 1, 1, x);
    if (status != PLUMB_OK)
        return status;
    fill(a, b);
    status = plumb_lsq(context, a, b, x, NULL, &info, NULL, &report);
    if (status != PLUMB_OK)
        return status;
    if (info != 0) {
        printf("the columns of the matrix are dependent\n");
        return PLUMB_OK;
    }
    for (int j = 0; j < TERMS; j++)
        printf("coefficient of t^%-2d %.15g\n", j, x->data[j]);
    printf("condition number %.1e, %.0f digits are correct\n", report.condition, report.digits);
    return PLUMB_OK;
}

int main(void)
{
    plumb_context *context = NULL;
    plumb_view a = {0}, b = {0}, x = {0};
    if (plumb_context_create(NULL, &context) != PLUMB_OK) {
        fprintf(stderr, "%s\n", plumb_last_message());
        return EXIT_FAILURE;
    }
    const plumb_status status = fit(context, &a, &b, &x);
    if (status != PLUMB_OK)
        fprintf(stderr, "%s\n", plumb_context_message(context));
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &b);
    plumb_array_destroy(context, &a);
    plumb_context_destroy(context);
    return status == PLUMB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
