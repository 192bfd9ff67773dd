/* products.c - products COUNT SEED [gpu]: products of random matrices of every kind that is hard for products (gemm_oracle.h), against MPFR:
 * COUNT for each precision, of random shapes and operands, real and complex. The exit status is 1 if an entry is outside of its bound.
 * With gpu they are computed by residues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/gemm/gemm_oracle.h"

static int fail(plumb_context *context, const char *what)
{
    fprintf(stderr, "products: %s: %s\n", what, context ? plumb_context_message(context) : plumb_last_message());
    return 2;
}

/* Computes on the device and copies the result back. */
static plumb_status on_device(plumb_context *context, const plumb_view *host[3], plumb_view *c,
                              const plumb_gemm_options *options, plumb_gemm_report *report)
{
    plumb_view there[3] = {{0}};
    plumb_status status = PLUMB_OK;
    for (int v = 0; v < 3 && status == PLUMB_OK; v++) {
        status = plumb_array_create(context, PLUMB_DEVICE, host[v]->prec, host[v]->parts, host[v]->rows, host[v]->cols,
                                    1, &there[v]);
        if (status == PLUMB_OK)
            status = plumb_copy(context, host[v], &there[v], NULL);
    }
    if (status == PLUMB_OK)
        status = plumb_gemm(context, &there[0], &there[1], &there[2], options, report);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &there[2], c, NULL);
    for (int v = 0; v < 3; v++)
        plumb_array_destroy(context, &there[v]);
    return status;
}

int main(int argc, char **argv)
{
    const int64_t count = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const int gpu = argc > 3 && strcmp(argv[3], "gpu") == 0;
    plumb_context_options how;
    plumb_context_options_init(&how);
    how.backend = gpu ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU;
    plumb_context *context;
    if (plumb_context_create(&how, &context) != PLUMB_OK)
        return fail(NULL, "no context");
    int outside = 0;
    for (int32_t prec = gpu ? PLUMB_DD : PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        double worst[GEMM_KINDS] = {0};
        int64_t again = 0, entries = 0;
        plumb_random r = plumb_random_start(seed + (uint64_t)prec);
        for (int64_t k = 0; k < count; k++) {
            const gemm_kind kind = (gemm_kind)plumb_random_below(&r, GEMM_KINDS);
            const int32_t parts = 1 + (int32_t)plumb_random_below(&r, 2);
            const int64_t m = 1 + (int64_t)plumb_random_below(&r, 6), n = 1 + (int64_t)plumb_random_below(&r, 6);
            const int64_t terms = 1 + (int64_t)plumb_random_below(&r, plumb_random_below(&r, 8) ? 40 : 400);
            plumb_gemm_options options;
            plumb_gemm_options_init(&options);
            options.of_a = (int32_t)plumb_random_below(&r, 4), options.of_b = (int32_t)plumb_random_below(&r, 4);
            options.method = gpu ? PLUMB_GEMM_RESIDUES : PLUMB_GEMM_AUTO;
            const int ta = options.of_a & PLUMB_OPERAND_TRANSPOSE, tb = options.of_b & PLUMB_OPERAND_TRANSPOSE;
            plumb_view a, b, c, old;
            if (plumb_array_create(context, PLUMB_HOST, prec, parts, ta ? terms : m, ta ? m : terms, 1, &a) !=
                    PLUMB_OK ||
                plumb_array_create(context, PLUMB_HOST, prec, parts, tb ? n : terms, tb ? terms : n, 1, &b) !=
                    PLUMB_OK ||
                plumb_array_create(context, PLUMB_HOST, prec, parts, m, n, 1, &c) != PLUMB_OK ||
                plumb_array_create(context, PLUMB_HOST, prec, parts, m, n, 1, &old) != PLUMB_OK)
                return fail(context, "no memory");
            gemm_fill(&a, options.of_a, 1, kind, plumb_random_next(&r));
            gemm_fill(&b, options.of_b, 0, kind, plumb_random_next(&r));
            gemm_fill(&old, 0, 1, GEMM_RANDOM, plumb_random_next(&r));
            memcpy(c.data, old.data, (size_t)plumb_view_span(&c) * sizeof(double));
            double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
            for (int32_t p = 0; p < parts; p++) {
                gemm_random(&r, 2.0, prec, alpha + p * prec);
                gemm_random(&r, 2.0, prec, beta + p * prec);
            }
            if (plumb_random_below(&r, 2))
                options.alpha = alpha, options.beta = beta;
            plumb_gemm_report report = {0};
            const plumb_view *host[3] = {&a, &b, &old};
            const plumb_status status = gpu ? on_device(context, host, &c, &options, &report)
                                            : plumb_gemm(context, &a, &b, &c, &options, &report);
            if (status != PLUMB_OK)
                return fail(context, "a product");
            const double error = gemm_error(&a, &b, &c, &options, &old, 1.0);
            worst[kind] = fmax(worst[kind], error);
            again += report.again;
            entries += m * n;
            if (!(error <= 1.0)) {
                printf("%s %s %s, %lld x %lld, %lld terms: error %.3g of the bound\n", parts == 2 ? "complex" : "real",
                       plumb_prec_name(prec), gemm_kind_names[kind], (long long)m, (long long)n, (long long)terms,
                       error);
                outside++;
            }
            plumb_array_destroy(context, &a);
            plumb_array_destroy(context, &b);
            plumb_array_destroy(context, &c);
            plumb_array_destroy(context, &old);
        }
        printf("%s: %lld products, %lld entries, %lld computed again; largest error over the bound:",
               plumb_prec_name(prec), (long long)count, (long long)entries, (long long)again);
        for (int k = 0; k < GEMM_KINDS; k++)
            printf(" %s %.2g", gemm_kind_names[k], worst[k]);
        printf("\n");
    }
    plumb_context_destroy(context);
    printf("%d outside of the bound\n", outside);
    return outside != 0;
}
