/* deflate.c - see deflate.h. */
#include "solver/solve/points/deflate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "base/number/random.h"
#include "model/system/polynomial.h"
#include "model/system/system.h"
#include "solver/newton/newton.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The seed of the first stage; the next ones follow. */
static const uint64_t SEED = 97;

/* Terms multiply with each stage: half a million of them take a second or two. */
enum { MOST_UNKNOWNS = 200, MOST_TERMS = 500000 };

/* The condition number below which a point is regular: singular ones have about 1 / error. */
static const double REGULAR = 1e12;
/* Rows that are expected to be larger are not: their terms cancel. */
static const double MOST_SIZE = 1e6;
static const double MOST_RESIDUAL = 1e2; /* see is_zero */

/* ---- The system ---------------------------------------------------------------------------------------------------- */

/* A multiple of 1/512 in [-1, 1], not 0: coefficients stay short. */
static void random_part(plumb_random *random, mpq_t x)
{
    const uint64_t k = plumb_random_below(random, 1024);
    mpq_set_si(x, (long)(k < 512 ? (int64_t)k - 512 : (int64_t)k - 511), 512);
    mpq_canonicalize(x);
}

/* Appends the derivative of a term by its factor `by`, times a number, times unknown y. */
static plumb_status add_derivative(const plumb_system *s, const system_term *t, int32_t by, mpq_srcptr times, int32_t y,
                                   system_factor *factors, polynomial *p)
{
    int32_t count = 0;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &s->factors[t->first + i];
        if (i != by)
            factors[count++] = *f;
        else if (f->exponent > 1)
            factors[count++] = (system_factor){f->unknown, f->exponent - 1};
    }
    factors[count++] = (system_factor){y, 1};
    mpq_set_si(re, s->factors[t->first + by].exponent, 1);
    mpq_mul(re, re, times);
    mpq_mul(im, re, t->im);
    mpq_mul(re, re, t->re);
    plumb_status status = plumb_poly_append(p, re, im, factors, count, t->degree); /* one less, and y */
    mpq_clears(re, im, NULL);
    return status;
}

/* Row i of J(x) B y. b has unknowns x columns numbers. */
static plumb_status make_row(const plumb_system *s, int64_t equation, const mpq_t *b, int64_t columns,
                             system_factor *factors, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = s->equation[equation]; k < s->equation[equation + 1]; k++) {
        const system_term *t = &s->terms[k];
        for (int32_t i = 0; i < t->count; i++)
            for (int64_t c = 0; c < columns && status == PLUMB_OK; c++)
                status = add_derivative(s, t, i, b[s->factors[t->first + i].unknown * columns + c],
                                        (int32_t)(s->unknowns + c), factors, p);
    }
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* h.y - 1 */
static plumb_status make_last(int64_t unknowns, const mpq_t *h, int64_t columns, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    mpq_t zero, one;
    mpq_inits(zero, one, NULL);
    mpq_set_si(one, -1, 1);
    for (int64_t c = 0; c < columns && status == PLUMB_OK; c++) {
        const system_factor y = {(int32_t)(unknowns + c), 1};
        status = plumb_poly_append(p, h[c], zero, &y, 1, 1);
    }
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, one, zero, NULL, 0, 0);
    mpq_clears(zero, one, NULL);
    return status;
}

static plumb_status make_names(const plumb_system *s, int64_t columns, const char ***names, char **text)
{
    enum { ROOM = 48 };
    const int64_t n = s->unknowns;
    *names = calloc((size_t)(n + columns), sizeof **names);
    *text = calloc((size_t)columns, ROOM);
    if (!*names || !*text)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        (*names)[i] = s->names[i];
    for (int64_t c = 0; c < columns; c++) { /* names that no system has: nobody sees them */
        snprintf(*text + c * ROOM, ROOM, "%lld.%lld", (long long)n, (long long)c);
        (*names)[n + c] = *text + c * ROOM;
    }
    return PLUMB_OK;
}

plumb_status plumb_deflate_system(const plumb_system *s, int64_t rank, uint64_t seed, plumb_system **deflated)
{
    const int64_t m = s->equations, n = s->unknowns, columns = rank + 1, numbers = (n + 1) * columns;
    plumb_random random = plumb_random_start(seed);
    polynomial *p = calloc((size_t)(2 * m + 1), sizeof *p);
    mpq_t *b = calloc((size_t)numbers, sizeof *b);
    system_factor *factors = calloc((size_t)n + 1, sizeof *factors);
    const char **names = NULL;
    char *text = NULL;
    *deflated = NULL;
    plumb_status status = p && b && factors ? make_names(s, columns, &names, &text) : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; b && k < numbers; k++) {
        mpq_init(b[k]);
        random_part(&random, b[k]);
    }
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        for (int64_t k = s->equation[e]; k < s->equation[e + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &s->terms[k];
            status = plumb_poly_append(&p[e], t->re, t->im, s->factors + t->first, t->count, t->degree);
        }
        if (status == PLUMB_OK)
            status = make_row(s, e, b, columns, factors, &p[m + e]);
    }
    if (status == PLUMB_OK)
        status = make_last(n, b + n * columns, columns, &p[2 * m]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, 2 * m + 1, names, n + columns, deflated);
    for (int64_t e = 0; p && e < 2 * m + 1; e++)
        plumb_poly_clear(&p[e]);
    for (int64_t k = 0; b && k < numbers; k++)
        mpq_clear(b[k]);
    free(p);
    free(b);
    free(factors);
    free(names);
    free(text);
    return status;
}

/* ---- A point ------------------------------------------------------------------------------------------------------- */

/* The sizes of the rows of the Jacobian that the terms of the system suggest, for unknowns of at least 1. Where all entries of a row are
 * noise, the largest of them says nothing. */
static bool expected_sizes(const plumb_system *s, const plumb_view *x, double *rows)
{
    const int64_t m = s->equations, n = s->unknowns;
    newton_sizes sizes;
    double *moduli = calloc((size_t)n, sizeof *moduli), largest = 1.0;
    if (!moduli || !newton_sizes_of(s, &sizes)) {
        free(moduli);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        moduli[i] = fmax(1.0, plumb_modulus(x->data[i], x->data[x->prec * x->plane + i]));
        largest = fmax(largest, moduli[i]);
    }
    newton_sizes_at(&sizes, moduli, rows);
    for (int64_t e = 0; e < m; e++)
        rows[e] /= largest;
    free(moduli);
    return true;
}

/* The number of columns of an m x n matrix of complex doubles (real and imaginary parts alternating) that are independent:
 * Gram-Schmidt with exchange of columns, until the rest of every column is below `least`. The matrix is overwritten. */
static int64_t count_independent(double *a, int64_t m, int64_t n, double least)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        double most = -1.0;
        for (int64_t j = k; j < n; j++) {
            double sum = 0.0;
            for (int64_t i = 0; i < 2 * m; i++)
                sum += a[j * 2 * m + i] * a[j * 2 * m + i];
            if (sum > most) {
                most = sum;
                best = j;
            }
        }
        if (!(sqrt(most) > least))
            return k;
        for (int64_t i = 0; i < 2 * m && best != k; i++) {
            const double swap = a[k * 2 * m + i];
            a[k * 2 * m + i] = a[best * 2 * m + i];
            a[best * 2 * m + i] = swap;
        }
        const double *q = a + k * 2 * m;
        for (int64_t j = k + 1; j < n; j++) {
            double *c = a + j * 2 * m, re = 0.0, im = 0.0; /* c -= q (q^H c) / q^H q */
            for (int64_t i = 0; i < 2 * m; i += 2) {
                re += q[i] * c[i] + q[i + 1] * c[i + 1];
                im += q[i] * c[i + 1] - q[i + 1] * c[i];
            }
            re /= most;
            im /= most;
            for (int64_t i = 0; i < 2 * m; i += 2) {
                c[i] -= re * q[i] - im * q[i + 1];
                c[i + 1] -= re * q[i + 1] + im * q[i];
            }
        }
    }
    return n;
}

/* The numerical rank of the Jacobian at x, where x has this relative error. Entries that should be zero are as large as the
 * error, and the smallest singular value that is not zero is expected to be far above: the tolerance is between them. Each row is
 * divided by its expected size, so that h.y - 1 is not lost compared with equations with large coefficients. */
static plumb_status find_rank(plumb_context *context, const plumb_system *s, const plumb_view *x, double error,
                              int64_t *rank)
{
    const int64_t m = s->equations, n = s->unknowns;
    const double tolerance = fmin(1e-3, fmax(1e-11, 1e2 * sqrt(error)));
    plumb_view values = {.data = NULL}, jacobian = {.data = NULL};
    double *a = calloc((size_t)(2 * m * n + m), sizeof *a), *size = a ? a + 2 * m * n : NULL;
    plumb_status status = a && expected_sizes(s, x, size) ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, m, 1, 1, &values);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, m, n, 1, &jacobian);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, s, x, &values, &jacobian, NULL);
    for (int64_t j = 0; j < n && status == PLUMB_OK; j++)
        for (int64_t i = 0; i < m; i++) {
            const double *entry = jacobian.data + j * jacobian.col + i;
            const double unit = size[i] > 0.0 ? fmin(size[i], MOST_SIZE) : 1.0;
            a[2 * (j * m + i)] = entry[0] / unit;
            a[2 * (j * m + i) + 1] = entry[jacobian.prec * jacobian.plane] / unit;
        }
    *rank = status == PLUMB_OK ? count_independent(a, m, n, tolerance) : -1;
    plumb_array_destroy(context, &values);
    plumb_array_destroy(context, &jacobian);
    free(a);
    return status;
}

/* The values of y that belong to x, by least squares: the last equations of the deflated system are linear in y. */
static plumb_status find_y(plumb_context *context, const plumb_system *deflated, int64_t m, int64_t n, plumb_view *x)
{
    const int64_t columns = deflated->unknowns - n, rows = m + 1;
    plumb_view values = {.data = NULL}, jacobian = {.data = NULL}, y = {.data = NULL};
    plumb_info info = 0;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, deflated->equations, 1, 1, &values);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, deflated->equations,
                                    deflated->unknowns, 1, &jacobian);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, columns, 1, 1, &y);
    if (status == PLUMB_OK) /* y is 0 there: the values are minus the right-hand side */
        status = plumb_system_eval(context, deflated, x, &values, &jacobian, NULL);
    if (status == PLUMB_OK) {
        plumb_view a = jacobian, b = values;
        a.data += m + n * jacobian.col;
        a.rows = b.rows = rows;
        a.cols = columns;
        b.data += m;
        status = plumb_lsq(context, &a, &b, &y, NULL, &info, NULL, NULL);
    }
    for (int64_t c = 0; c < 2 * x->prec && status == PLUMB_OK; c++)
        for (int64_t k = 0; k < columns; k++)
            x->data[c * x->plane + n + k] = -y.data[c * y.plane + k];
    if (status == PLUMB_OK && info != 0)
        status = PLUMB_ERR_SINGULAR;
    plumb_array_destroy(context, &values);
    plumb_array_destroy(context, &jacobian);
    plumb_array_destroy(context, &y);
    return status;
}

static double size_of(const plumb_view *x, int64_t n)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, plumb_modulus(x->data[i], x->data[x->prec * x->plane + i]));
    return most;
}

static void copy_rows(const plumb_view *from, const plumb_view *to, int64_t n)
{
    for (int64_t c = 0; c < 2 * from->prec; c++)
        memcpy(to->data + c * to->plane, from->data + c * from->plane, (size_t)n * sizeof *to->data);
}

/* The error of a regular point relative to the largest unknown, by one more correction, and by what rounding contributes. The
 * estimates of Newton's method are relative to each unknown: here some may be zero at the solution. */
static plumb_status find_error(plumb_context *context, const plumb_system *s, const plumb_view *x, double condition,
                               double *error)
{
    plumb_view there = {.data = NULL}, dx = {.data = NULL};
    plumb_info info = 0;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, x->rows, 1, 1, &there);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, x->rows, 1, 1, &dx);
    if (status == PLUMB_OK) {
        copy_rows(x, &there, x->rows);
        status = plumb_newton_step(context, s, &there, &dx, &info, NULL);
    }
    if (status == PLUMB_OK && info == 0)
        *error = 2.0 * size_of(&dx, x->rows) / size_of(x, x->rows) +
                 4.0 * precision_slack(x->prec) * precision_unit(x->prec) * condition;
    plumb_array_destroy(context, &there);
    plumb_array_destroy(context, &dx);
    return status;
}

/* There are more equations than unknowns, and the Gauss-Newton method also converges where they have no common zero, such as between two
 * zeros of the given system. At a zero with this error no equation has a value much larger than the error times its terms. */
static bool is_zero(const plumb_system *s, const plumb_view *x, double residual, double error)
{
    double largest = 0.0, *rows = calloc((size_t)s->equations, sizeof *rows);
    const bool known = rows && expected_sizes(s, x, rows);
    for (int64_t e = 0; e < s->equations && known; e++)
        largest = fmax(largest, rows[e]);
    free(rows);
    return known && residual <= MOST_RESIDUAL * error * largest * fmax(1.0, size_of(x, s->unknowns));
}

/* The number of terms of all entries of the Jacobian. */
static int64_t count_derivatives(const plumb_system *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->equation[s->equations]; k++)
        count += s->terms[k].count;
    return count;
}

/* One stage: deflates the system *s at *x, whose error is *error, and refines the point of the new system; both replace
 * what was there. *done: it has full rank, and the digits are known. *stop: nothing more can be done. */
typedef struct stage {
    plumb_system *system; /* NULL: the given one */
    plumb_view x;
    double error;
    int64_t rank; /* of the Jacobian before the stage */
    bool done, stop;
} stage;

static plumb_status deflate_once(plumb_context *context, const plumb_system *s, uint64_t seed, double digits,
                                 stage *now)
{
    int64_t rank;
    plumb_system *deflated = NULL;
    plumb_view x = {.data = NULL}, refined = {.data = NULL};
    plumb_newton_report report = {0};
    plumb_status status = find_rank(context, s, &now->x, now->error, &rank);
    now->stop = status != PLUMB_OK || rank < 0 || rank >= s->unknowns || s->unknowns + rank + 1 > MOST_UNKNOWNS ||
                count_derivatives(s) * (rank + 1) > MOST_TERMS;
    if (now->stop)
        return status;
    status = plumb_deflate_system(s, rank, seed, &deflated);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, now->x.prec, PLUMB_COMPLEX, deflated->unknowns, 1, 1, &x);
    if (status == PLUMB_OK) {
        copy_rows(&now->x, &x, s->unknowns);
        status = find_y(context, deflated, s->equations, s->unknowns, &x);
    }
    if (status == PLUMB_OK)
        status =
            plumb_array_create(context, PLUMB_HOST, now->x.prec, PLUMB_COMPLEX, deflated->unknowns, 1, 1, &refined);
    if (status == PLUMB_OK) {
        copy_rows(&x, &refined, deflated->unknowns);
        status = plumb_newton_refine(context, deflated, &refined, digits, NULL, &report);
    }
    double error = (double)INFINITY;
    if (status == PLUMB_OK && report.code == PLUMB_NEWTON_CONVERGED && report.condition < REGULAR)
        status = find_error(context, deflated, &refined, report.condition, &error);
    if (status == PLUMB_OK) {
        const bool done = error < now->error && is_zero(deflated, &refined, report.residual, error);
        plumb_system_destroy(now->system);
        plumb_array_destroy(context, &now->x);
        plumb_array_destroy(context, done ? &x : &refined); /* near a singular point refinement loses digits */
        *now = (stage){.system = deflated,
                       .x = done ? refined : x,
                       .error = done ? error : now->error,
                       .rank = rank,
                       .done = done};
        return PLUMB_OK;
    }
    now->stop = true;
    plumb_array_destroy(context, &refined);
    plumb_array_destroy(context, &x);
    plumb_system_destroy(deflated);
    return status == PLUMB_ERR_SINGULAR || status == PLUMB_ERR_RANGE || status == PLUMB_ERR_SIZE ? PLUMB_OK : status;
}

/* What the last stage found, unless it is somewhere else. */
static void take(const solve_points *points, const stage *last, int64_t n, int32_t prec, solve_point *p)
{
    const double size = size_of(&last->x, n), all = size_of(&last->x, last->x.rows);
    const double error = size > last->error * all ? last->error * all / size : last->error * all;
    double apart = 0.0;
    for (int64_t i = 0; i < n; i++)
        apart = fmax(apart,
                     plumb_modulus(last->x.data[i] - p->x[2 * i * points->room],
                                   last->x.data[last->x.prec * last->x.plane + i] - p->x[(2 * i + 1) * points->room]));
    if (error >= p->error || apart > 1e4 * p->error * fmax(size, 1.0))
        return;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < 2 * points->room; c++)
            p->x[2 * i * points->room + c] = last->x.data[c * last->x.plane + i];
    p->component_error = error * fmax(1.0, p->component_error / p->error);
    p->error = error;
    p->prec = prec;
}

static plumb_status deflate(const solve_points *points, const plumb_system *system, double digits, solve_point *p)
{
    plumb_context *context = points->context;
    stage now = {.error = fmax(p->error, 1e-30)};
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, points->room, PLUMB_COMPLEX, system->unknowns, 1, 1, &now.x);
    for (int64_t i = 0; i < system->unknowns && status == PLUMB_OK; i++)
        for (int32_t c = 0; c < 2 * points->room; c++)
            now.x.data[c * now.x.plane + i] = p->x[2 * i * points->room + c];
    for (int k = 0; k < DEFLATE_MOST_STAGES && status == PLUMB_OK && !now.done && !now.stop; k++)
        status = deflate_once(context, now.system ? now.system : system, SEED + (uint64_t)k, digits, &now);
    if (status == PLUMB_OK && now.done)
        take(points, &now, system->unknowns, points->room, p);
    plumb_system_destroy(now.system);
    plumb_array_destroy(context, &now.x);
    return status;
}

plumb_status plumb_solve_deflate(const solve_points *points, const plumb_system *system, double digits)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++)
        if (!points->list[k].regular && !points->list[k].cluster && -log10(points->list[k].error) < digits)
            status = deflate(points, system, digits, &points->list[k]);
    return status == PLUMB_OK ? plumb_solve_check(points, system, NULL) : status;
}

/* ---- For others ---------------------------------------------------------------------------------------------------- */

plumb_status plumb_deflate_point(plumb_context *context, const plumb_system *system, const plumb_view *x, double error,
                                 deflated_point *point)
{
    stage now = {.error = fmax(error, 1e-30)};
    *point = (deflated_point){.stages = 0};
    plumb_status status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, x->rows, 1, 1, &now.x);
    if (status == PLUMB_OK)
        copy_rows(x, &now.x, x->rows);
    int32_t k = 0;
    while (k < DEFLATE_MOST_STAGES && status == PLUMB_OK && !now.done && !now.stop) {
        status = deflate_once(context, now.system ? now.system : system, SEED + (uint64_t)k,
                              0.8 * precision_digits(x->prec), &now);
        point->rank[k++] = now.rank;
    }
    if (status == PLUMB_OK && now.done) {
        point->stages = k;
        point->system = now.system;
        point->x = now.x;
        point->error = now.error;
        return PLUMB_OK;
    }
    plumb_system_destroy(now.system);
    plumb_array_destroy(context, &now.x);
    return status;
}

void plumb_deflated_clear(plumb_context *context, deflated_point *point)
{
    plumb_system_destroy(point->system);
    plumb_array_destroy(context, &point->x);
    *point = (deflated_point){.stages = 0};
}

plumb_status plumb_deflate_again(const plumb_system *system, const deflated_point *point, plumb_system **deflated)
{
    plumb_system *now = NULL;
    plumb_status status = PLUMB_OK;
    for (int32_t k = 0; k < point->stages && status == PLUMB_OK; k++) {
        plumb_system *next = NULL;
        status = plumb_deflate_system(now ? now : system, point->rank[k], SEED + (uint64_t)k, &next);
        plumb_system_destroy(now);
        now = next;
    }
    *deflated = now;
    return status;
}
