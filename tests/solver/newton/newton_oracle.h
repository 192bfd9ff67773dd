/* newton_oracle.h - roots in MPFR by the Gauss-Newton method with normal equations, and systems with a prescribed
 * root. */
#ifndef PLUMB_SOLVER_NEWTON_NEWTON_ORACLE_H
#define PLUMB_SOLVER_NEWTON_NEWTON_ORACLE_H

#include <stdio.h> /* before mpfr.h, which then prints too */

#include "solver/eval/eval_oracle.h"

/* A root has so many limbs: twice what qd holds. Views of it are only for the oracle. */
enum { ROOT_LIMBS = 8 };

static void oracle_put(const oracle_number *z, const plumb_view *view, int64_t row)
{
    mpfr_t rest;
    mpfr_init2(rest, ORACLE_BITS);
    for (int part = 0; part < 2; part++) {
        mpfr_set(rest, part ? z->im : z->re, MPFR_RNDN);
        for (int32_t c = 0; c < view->prec; c++) {
            double limb = mpfr_get_d(rest, MPFR_RNDN);
            view->data[(part * view->prec + c) * view->plane + row] = limb;
            mpfr_sub_d(rest, rest, limb, MPFR_RNDN);
        }
    }
    mpfr_clear(rest);
}

/* a -= b c */
static void oracle_remove(oracle_number *a, const oracle_number *b, const oracle_number *c)
{
    mpfr_t t;
    mpfr_init2(t, ORACLE_BITS);
    mpfr_fmms(t, b->re, c->re, b->im, c->im, MPFR_RNDN);
    mpfr_sub(a->re, a->re, t, MPFR_RNDN);
    mpfr_fmma(t, b->re, c->im, b->im, c->re, MPFR_RNDN);
    mpfr_sub(a->im, a->im, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* a += conj(b) c */
static void oracle_add_dot(oracle_number *a, const oracle_number *b, const oracle_number *c)
{
    mpfr_t t;
    mpfr_init2(t, ORACLE_BITS);
    mpfr_fmma(t, b->re, c->re, b->im, c->im, MPFR_RNDN);
    mpfr_add(a->re, a->re, t, MPFR_RNDN);
    mpfr_fmms(t, b->re, c->im, b->im, c->re, MPFR_RNDN);
    mpfr_add(a->im, a->im, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* a /= b */
static void oracle_div(oracle_number *a, const oracle_number *b)
{
    oracle_number inverse;
    mpfr_t norm;
    oracle_init(&inverse);
    mpfr_init2(norm, ORACLE_BITS);
    mpfr_fmma(norm, b->re, b->re, b->im, b->im, MPFR_RNDN);
    mpfr_div(inverse.re, b->re, norm, MPFR_RNDN);
    mpfr_div(inverse.im, b->im, norm, MPFR_RNDN);
    mpfr_neg(inverse.im, inverse.im, MPFR_RNDN);
    oracle_mul(a, &inverse);
    mpfr_clear(norm);
    oracle_clear(&inverse);
}

/* a (n x n, row by row) y = b by elimination; J^H J needs no pivots. b becomes y. */
static void oracle_solve(oracle_number *a, oracle_number *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) {
            oracle_div(&a[i * n + k], &a[k * n + k]);
            for (int64_t j = k + 1; j < n; j++)
                oracle_remove(&a[i * n + j], &a[i * n + k], &a[k * n + j]);
            oracle_remove(&b[i], &a[i * n + k], &b[k]);
        }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++)
            oracle_remove(&b[k], &a[k * n + j], &b[j]);
        oracle_div(&b[k], &a[k * n + k]);
    }
}

/* One step of x (n numbers), whose limbs are in view; the largest correction over the largest entry. */
static double oracle_step(const plumb_system *s, const plumb_view *view)
{
    const int64_t n = s->unknowns;
    oracle_result r = oracle_eval(s, view, 0);
    oracle_number *a = oracle_array(n * n), *b = oracle_array(n), x;
    double size = 0, moved = 0;
    oracle_init(&x);
    for (int64_t i = 0; i < s->equations; i++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < n; k++)
                oracle_add_dot(&a[j * n + k], &r.entry[i * n + j], &r.entry[i * n + k]);
            oracle_add_dot(&b[j], &r.entry[i * n + j], &r.value[i]);
        }
    oracle_solve(a, b, n);
    for (int64_t j = 0; j < n; j++) {
        oracle_get(&x, view, 0, j, 0);
        mpfr_sub(x.re, x.re, b[j].re, MPFR_RNDN);
        mpfr_sub(x.im, x.im, b[j].im, MPFR_RNDN);
        oracle_put(&x, view, j);
        size = fmax(size, oracle_modulus(&x));
        moved = fmax(moved, oracle_modulus(&b[j]));
    }
    oracle_clear(&x);
    oracle_free(a, n * n);
    oracle_free(b, n);
    oracle_result_free(&r);
    return moved / size;
}

static inline plumb_view root_view(int64_t rows)
{
    plumb_view root = {.rows = rows,
                       .cols = 1,
                       .batch = 1,
                       .plane = rows,
                       .col = rows,
                       .next = 2 * ROOT_LIMBS * rows,
                       .prec = ROOT_LIMBS,
                       .parts = PLUMB_COMPLEX};
    root.data = calloc((size_t)root.next, sizeof(double));
    assert_non_null(root.data);
    return root;
}

/* The root near point 0 of start, in ROOT_LIMBS limbs; freed by the caller. */
static inline plumb_view oracle_root(const plumb_system *s, const plumb_view *start)
{
    plumb_view root = root_view(start->rows);
    oracle_number x;
    oracle_init(&x);
    for (int64_t i = 0; i < root.rows; i++) {
        oracle_get(&x, start, 0, i, 0);
        oracle_put(&x, &root, i);
    }
    oracle_clear(&x);
    double moved = 1;
    for (int k = 0; k < 300 && moved > 1e-90; k++)
        moved = oracle_step(s, &root);
    if (!(moved <= 1e-90))
        fail_msg("the oracle has found no root: its last correction is %g", moved);
    return root;
}

/* The largest distance of point k of x from a point of root, over the largest entry of the latter. */
static inline double oracle_distance(const plumb_view *x, int64_t k, const plumb_view *root)
{
    oracle_number a, b;
    double size = 0, far = 0;
    oracle_init(&a);
    oracle_init(&b);
    for (int64_t i = 0; i < x->rows; i++) {
        oracle_get(&a, x, k, i, 0);
        oracle_get(&b, root, 0, i, 0);
        size = fmax(size, oracle_modulus(&b));
        mpfr_sub(a.re, a.re, b.re, MPFR_RNDN);
        mpfr_sub(a.im, a.im, b.im, MPFR_RNDN);
        far = fmax(far, oracle_modulus(&a));
    }
    oracle_clear(&a);
    oracle_clear(&b);
    return far / size;
}

/* system - share * value(point): with share = 1 the point is a root to 150 digits, else there may be one with a residual near it. */
static inline plumb_system *shifted_system(const plumb_system *system, const plumb_view *point, double share)
{
    char *text = NULL, *shifted = NULL, *line, *save = NULL;
    size_t needed, size;
    oracle_result r = oracle_eval(system, point, 0);
    assert_int_equal(plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL), PLUMB_OK);
    FILE *out = open_memstream(&shifted, &size);
    fprintf(out, "%lld %lld\n", (long long)system->equations, (long long)system->unknowns);
    for (int64_t v = 0; v < system->unknowns; v++) /* in this order */
        fprintf(out, " + %s - %s", system->names[v], system->names[v]);
    line = strtok_r(text, ";", &save);
    for (int64_t i = 0; i < system->equations; i++, line = strtok_r(NULL, ";", &save)) {
        mpfr_mul_d(r.value[i].re, r.value[i].re, share, MPFR_RNDN);
        mpfr_mul_d(r.value[i].im, r.value[i].im, share, MPFR_RNDN);
        mpfr_fprintf(out, " + (%s) - (%.150Re + %.150Re*i);\n", line, r.value[i].re, r.value[i].im);
    }
    fclose(out);
    plumb_system *result = parse_system(shifted);
    free(text);
    free(shifted);
    oracle_result_free(&r);
    return result;
}

#endif
