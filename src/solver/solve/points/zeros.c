/* zeros.c - see zeros.h. */
#include "solver/solve/points/zeros.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/modulus.h"

/* ---- Terms --------------------------------------------------------------------------------------------------------- */

bool plumb_zeros_begin(const plumb_system *system, point_zeros *zeros)
{
    const int64_t terms = system->equation[system->equations], n = system->unknowns;
    *zeros = (point_zeros){.system = system};
    zeros->coefficient = malloc(((size_t)terms + 1) * 3 * sizeof *zeros->coefficient);
    zeros->x = malloc(((size_t)n + 1) * 4 * sizeof *zeros->x);
    zeros->place = malloc(((size_t)n + 1) * sizeof *zeros->place);
    zeros->used = malloc((size_t)(n + system->equations + 1) * sizeof *zeros->used);
    if (!zeros->coefficient || !zeros->x || !zeros->place || !zeros->used)
        return false;
    zeros->modulus = zeros->x + 2 * n;
    zeros->most = zeros->x + 3 * n;
    for (int64_t t = 0; t < terms; t++) {
        double *c = zeros->coefficient + 3 * t;
        c[0] = mpq_get_d(system->terms[t].re);
        c[1] = mpq_get_d(system->terms[t].im);
        c[2] = plumb_modulus(c[0], c[1]);
    }
    return true;
}

void plumb_zeros_end(point_zeros *zeros)
{
    free(zeros->coefficient);
    free(zeros->x);
    free(zeros->place);
    free(zeros->used);
    free(zeros->matrix);
    free(zeros->room);
    *zeros = (point_zeros){.system = NULL};
}

/* z *= x^e */
static void multiply(double z[2], const double x[2], int32_t e)
{
    double power[2] = {x[0], x[1]};
    for (; e > 0; e /= 2) {
        if (e % 2) {
            const double re = z[0] * power[0] - z[1] * power[1];
            z[1] = z[0] * power[1] + z[1] * power[0];
            z[0] = re;
        }
        const double re = power[0] * power[0] - power[1] * power[1];
        power[1] = 2.0 * power[0] * power[1];
        power[0] = re;
    }
}

static double power_of(double x, int32_t e)
{
    double z[2] = {1.0, 0.0};
    multiply(z, (const double[2]){x, 0.0}, e);
    return z[0];
}

/* A number, and how far it may be from what it stands for. */
typedef struct about {
    double re, im, radius;
} about;

/* A term divided by its first unknown that may be zero, which is *by; at the solution, where unknowns that may be zero are at most
 * as large as `most`. */
static about divided_term(const point_zeros *zeros, int64_t t, int64_t *by)
{
    const system_term *term = &zeros->system->terms[t];
    const double *c = zeros->coefficient + 3 * t;
    double z[2] = {c[0], c[1]}, least = c[2], most = c[2];
    *by = -1;
    for (int32_t k = 0; k < term->count; k++) {
        const system_factor *f = &zeros->system->factors[term->first + k];
        const int64_t i = f->unknown;
        const bool small = zeros->place[i] >= 0;
        const int32_t exponent = f->exponent - (small && *by < 0);
        *by = small && *by < 0 ? i : *by;
        most *= power_of(zeros->most[i], exponent);
        least *= small && exponent > 0 ? 0.0 : small ? 1.0 : power_of(zeros->modulus[i], exponent);
        multiply(z, small ? (const double[2]){0.0, 0.0} : zeros->x + 2 * i, exponent);
    }
    /* Each product is rounded a few times. */
    return (about){z[0], z[1], fmax(most - least, 0.0) + 0x1p-48 * (1.0 + (double)term->degree) * most};
}

/* ---- Which equations ----------------------------------------------------------------------------------------------- */

/* The unknown of a term that is the only one that may be zero, and has the exponent 1; -1: there is none. */
static int64_t only_small(const plumb_system *s, const system_term *term, const bool *zero)
{
    int64_t only = -1;
    int32_t exponents = 0;
    for (int32_t k = 0; k < term->count; k++) {
        const system_factor *f = &s->factors[term->first + k];
        if (zero[f->unknown]) {
            only = f->unknown;
            exponents += f->exponent;
        }
    }
    return exponents == 1 ? only : -1;
}

/* Whether each term of an equation has an unknown that may be zero. */
static bool vanishes(const point_zeros *zeros, int64_t e, const bool *zero)
{
    const plumb_system *s = zeros->system;
    for (int64_t t = s->equation[e]; t < s->equation[e + 1]; t++) {
        bool some = false;
        for (int32_t k = 0; k < s->terms[t].count && !some; k++)
            some = zero[s->factors[s->terms[t].first + k].unknown];
        if (!some)
            return false;
    }
    return s->equation[e + 1] > s->equation[e];
}

/* Takes out unknowns whose column of B would be zero, until none is left to take out. Returns the number of those that stay; *rows: of equations. */
static int64_t choose(const point_zeros *zeros, bool *zero, int64_t *rows)
{
    const plumb_system *s = zeros->system;
    bool *used = zeros->used, *has = used + s->equations;
    int64_t count = 0;
    for (bool changed = true; changed;) {
        changed = false;
        *rows = count = 0;
        memset(has, 0, (size_t)s->unknowns * sizeof *has);
        for (int64_t e = 0; e < s->equations; e++) {
            used[e] = vanishes(zeros, e, zero);
            *rows += used[e];
            for (int64_t t = s->equation[e]; t < s->equation[e + 1] && used[e]; t++) {
                const int64_t only = only_small(s, &s->terms[t], zero);
                if (only >= 0)
                    has[only] = true;
            }
        }
        for (int64_t i = 0; i < s->unknowns; i++) {
            changed = changed || (zero[i] && !has[i]);
            zero[i] = zero[i] && has[i];
            zeros->place[i] = zero[i] ? count++ : -1;
        }
    }
    return count;
}

/* ---- The matrix ---------------------------------------------------------------------------------------------------- */

static bool make_room(point_zeros *zeros, int64_t numbers)
{
    if (numbers <= zeros->size)
        return true;
    free(zeros->matrix);
    free(zeros->room);
    zeros->matrix = malloc((size_t)numbers * 2 * sizeof *zeros->matrix);
    zeros->room = malloc((size_t)numbers * 2 * sizeof *zeros->room);
    zeros->size = zeros->matrix && zeros->room ? numbers : 0;
    return zeros->size > 0;
}

/* B as a real matrix a of twice as many rows and columns, and how far its entries may be from those at the solution. */
static void make_matrix(const point_zeros *zeros, int64_t columns, double *a, double *radius)
{
    const plumb_system *s = zeros->system;
    const int64_t width = 2 * columns;
    int64_t row = 0;
    for (int64_t e = 0; e < s->equations; e++) {
        if (!zeros->used[e])
            continue;
        double *re = a + 2 * row * width, *im = re + width, *r = radius + 2 * row * width;
        memset(re, 0, (size_t)(2 * width) * sizeof *re);
        memset(r, 0, (size_t)(2 * width) * sizeof *r);
        for (int64_t t = s->equation[e]; t < s->equation[e + 1]; t++) {
            int64_t by;
            const about b = divided_term(zeros, t, &by);
            const int64_t j = 2 * zeros->place[by];
            re[j] += b.re;
            re[j + 1] -= b.im;
            im[j] += b.im;
            im[j + 1] += b.re;
            r[j] += b.radius;
        }
        for (int64_t j = 0; j < columns; j++)
            r[2 * j + 1] = r[width + 2 * j] = r[width + 2 * j + 1] = r[2 * j];
        row++;
    }
}

/* Divides rows and then columns by powers of two near their largest entries; radii too. False if one of them is zero or not finite. */
static bool scale(double *a, double *radius, int64_t rows, int64_t columns)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < (pass == 0 ? rows : columns); k++) {
            const int64_t count = pass == 0 ? columns : rows, step = pass == 0 ? 1 : columns;
            const int64_t first = pass == 0 ? k * columns : k;
            double most = 0.0;
            for (int64_t i = 0; i < count; i++)
                most = fmax(most, fabs(a[first + i * step]));
            if (!isfinite(most) || (pass == 1 && !(most > 0.0)))
                return false;
            const int exponent = most > 0.0 ? -ilogb(most) : 0;
            for (int64_t i = 0; i < count; i++) {
                a[first + i * step] = ldexp(a[first + i * step], exponent);
                radius[first + i * step] = ldexp(radius[first + i * step], exponent);
            }
        }
    return true;
}

static void swap_rows(double *a, int64_t columns, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < columns && i != j; k++) {
        const double swap = a[i * columns + k];
        a[i * columns + k] = a[j * columns + k];
        a[j * columns + k] = swap;
    }
}

/* Brings rows to the top that are independent, with their radii, by elimination in a copy. */
static bool choose_rows(double *a, double *radius, int64_t rows, int64_t n, double *copy)
{
    memcpy(copy, a, (size_t)(rows * n) * sizeof *copy);
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < rows; i++)
            best = fabs(copy[i * n + k]) > fabs(copy[best * n + k]) ? i : best;
        if (!(fabs(copy[best * n + k]) > 0.0))
            return false;
        swap_rows(copy, n, k, best);
        swap_rows(a, n, k, best);
        swap_rows(radius, n, k, best);
        for (int64_t i = k + 1; i < rows; i++) {
            const double factor = copy[i * n + k] / copy[k * n + k];
            for (int64_t j = k; j < n && factor != 0.0; j++)
                copy[i * n + j] -= factor * copy[k * n + j];
        }
    }
    return true;
}

/* inverse = that of the first n rows, about; they are destroyed. Their order is such that no exchanges are needed. */
static void invert(double *a, int64_t n, double *inverse)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            inverse[i * n + j] = i == j ? 1.0 : 0.0;
    for (int64_t k = 0; k < n; k++) {
        const double pivot = 1.0 / a[k * n + k];
        for (int64_t j = 0; j < n; j++) {
            a[k * n + j] *= pivot;
            inverse[k * n + j] *= pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            const double factor = i == k ? 0.0 : a[i * n + k];
            for (int64_t j = 0; j < n && factor != 0.0; j++) {
                a[i * n + j] -= factor * a[k * n + j];
                inverse[i * n + j] -= factor * inverse[k * n + j];
            }
        }
    }
}

/* Whether |1 - W A| + |W| radius is smaller than 1/2 in the norm of maxima: then no matrix within the radius is singular. */
static bool is_regular(const double *a, const double *radius, const double *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < n; j++) {
            double product = i == j ? -1.0 : 0.0, change = 0.0;
            for (int64_t k = 0; k < n; k++) {
                product += w[i * n + k] * a[k * n + j];
                change += fabs(w[i * n + k]) * radius[k * n + j];
            }
            sum += fabs(product) + change;
        }
        if (!(sum < 0.5))
            return false;
    }
    return true;
}

bool plumb_zeros_show(point_zeros *zeros, const double *x, int32_t room, const double *error, bool *zero)
{
    const int64_t n = zeros->system->unknowns;
    int64_t rows;
    const int64_t columns = choose(zeros, zero, &rows), size = 4 * rows * columns;
    if (columns == 0)
        return true;
    if (rows < columns || !make_room(zeros, size))
        return false;
    for (int64_t i = 0; i < n; i++) {
        zeros->x[2 * i] = x[2 * i * room];
        zeros->x[2 * i + 1] = x[(2 * i + 1) * room];
        zeros->modulus[i] = plumb_modulus(zeros->x[2 * i], zeros->x[2 * i + 1]);
        zeros->most[i] = zeros->modulus[i] + error[i];
    }
    double *a = zeros->matrix, *radius = a + size, *copy = zeros->room, *inverse = copy + size;
    make_matrix(zeros, columns, a, radius);
    if (!scale(a, radius, 2 * rows, 2 * columns) || !choose_rows(a, radius, 2 * rows, 2 * columns, copy))
        return false;
    memcpy(copy, a, (size_t)size * sizeof *copy);
    invert(copy, 2 * columns, inverse);
    return is_regular(a, radius, inverse, 2 * columns);
}
