/* eval_cases.h - shared by the tests of evaluation: systems from texts, random systems and points, contexts. */
#ifndef PLUMB_SOLVER_EVAL_EVAL_CASES_H
#define PLUMB_SOLVER_EVAL_EVAL_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "plumb.h"

static inline plumb_context *make_context(const char *isa, int32_t threads)
{
    plumb_context_options options;
    plumb_context *context;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = isa;
    options.threads = threads;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

static inline plumb_system *parse_system(const char *text)
{
    plumb_system *system;
    plumb_text_error error;
    plumb_status status = plumb_system_parse(text, strlen(text), &system, &error);
    if (status != PLUMB_OK)
        fail_msg("%lld:%lld: %s", (long long)error.line, (long long)error.column, error.message);
    return system;
}

typedef struct random_shape {
    int equations, unknowns, terms; /* terms of an equation */
    int most_unknowns, most_exponent;
    int complex_coefficients;
} random_shape;

/* A number with more digits than any precision holds. */
static inline void write_digits(FILE *out, plumb_random *rng)
{
    fprintf(out, "%d.", (int)plumb_random_below(rng, 10));
    for (int i = 0; i < 5; i++)
        fprintf(out, "%016llu", (unsigned long long)plumb_random_below(rng, UINT64_C(10000000000000000)));
}

/* Every unknown is declared by a term that cancels, so that those that never occur are there too. */
static inline plumb_system *random_system(const random_shape *shape, uint64_t seed)
{
    plumb_random rng = plumb_random_start(seed);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "%d %d\n", shape->equations, shape->unknowns);
    for (int i = 0; i < shape->equations; i++) {
        for (int v = 0; i == 0 && v < shape->unknowns; v++)
            fprintf(out, " + x%d - x%d", v, v);
        for (int t = 0; t < shape->terms; t++) {
            int count = (int)plumb_random_below(&rng, (uint64_t)shape->most_unknowns + 1);
            fprintf(out, plumb_random_below(&rng, 2) ? " + " : " - ");
            if (shape->complex_coefficients) {
                fprintf(out, "(");
                write_digits(out, &rng);
                fprintf(out, " - ");
                write_digits(out, &rng);
                fprintf(out, "*i)");
            } else {
                write_digits(out, &rng);
            }
            for (int j = 0; j < count; j++)
                fprintf(out, "*x%d^%d", (int)plumb_random_below(&rng, (uint64_t)shape->unknowns),
                        1 + (int)plumb_random_below(&rng, (uint64_t)shape->most_exponent));
        }
        fprintf(out, ";\n");
    }
    fclose(out);
    plumb_system *system = parse_system(text);
    free(text);
    return system;
}

static inline plumb_view eval_view(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    plumb_view v;
    int64_t doubles;
    assert_int_equal(plumb_view_init(&v, NULL, PLUMB_HOST, prec, parts, rows, cols, batch, &doubles), PLUMB_OK);
    v.data = malloc(((size_t)doubles + 1) * sizeof(double));
    assert_non_null(v.data);
    for (int64_t i = 0; i < doubles; i++)
        v.data[i] = -12345.0;
    return v;
}

/* Parts uniform in [-size, size], every limb at work. */
static inline void random_points(const plumb_view *v, double size, uint64_t seed)
{
    plumb_random rng = plumb_random_start(seed);
    for (int64_t b = 0; b < v->batch; b++)
        for (int64_t i = 0; i < v->rows; i++)
            for (int32_t part = 0; part < v->parts; part++) {
                double *p = v->data + b * v->next + part * v->prec * v->plane + i;
                p[0] = size * (2 * plumb_random_unit(&rng) - 1);
                for (int32_t c = 1; c < v->prec; c++)
                    p[c * v->plane] = p[(c - 1) * v->plane] * 0x1p-54 * (2 * plumb_random_unit(&rng) - 1);
            }
}

#endif
