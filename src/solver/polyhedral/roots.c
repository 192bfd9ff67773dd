/* roots.c - the roots of the binomial system of a mixed cell; see polyhedral.h.
 *
 * The terms of the cell in the k equations of a group are solved for the quotients beta_j of its monomials, by
 * elimination. With the edges as rows of E, this is x^(row j of E) = beta_j. So log|x| = E^-1 log|beta|, and the
 * arguments, in turns, are E^-1 (arg beta + r) for integer vectors r, of which those count that differ modulo the
 * columns of E. With the Hermite normal form H = E U, r runs through the numbers of a mixed radix, the diagonal of H, and
 * E^-1 r = U H^-1 r has the denominator |det E|: it is computed modulo 1 in integers, so that a root is as accurate in a
 * cell of volume 1,000 as in one of volume 1.
 *
 * Roots are correct to nearly double precision, which is enough to begin with. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory/reserve.h"
#include "base/memory/size.h"
#include "model/cells/hermite.h"
#include "solver/polyhedral/polyhedral.h"

enum { BITS = 80, MPFR_NEEDS = 4096 }; /* MPFR_NEEDS: limbs, with its tables of constants */

/* A coordinate of a root depends on its share of the turn alone, of which the roots of a cell have few: it is kept. */
typedef struct kept_coordinate {
    int64_t share; /* -1: nothing is kept */
    double re, im;
} kept_coordinate;

enum { MOST_KEPT = 256 }; /* of each unknown */

struct cell_roots {
    int64_t n, volume;
    int64_t *h, *u;        /* n x n, by rows */
    int64_t *digit;        /* of the number of a root, then Z = |det E| H^-1 r modulo |det E| */
    double *right;         /* 2 n: log|x|, then the arguments of root 0 in turns */
    int64_t places;        /* of kept coordinates, for each unknown */
    kept_coordinate *kept; /* n x places; share s of d lies at place s * places / d */
    mpfr_t part, turn, cosine, sine;
};

/* ---- Small linear systems ------------------------------------------------------------------------------------------- */

static double size_of(const double *z)
{
    return fabs(z[0]) + fabs(z[1]);
}

/* Solves a complex system of k equations in place: row i of m has k + 1 numbers, the last one the right-hand side. False
 * if it is singular. The solution replaces the right-hand sides. */
static bool solve_complex(double *m, int64_t k)
{
    const int64_t width = 2 * (k + 1);
    for (int64_t c = 0; c < k; c++) {
        int64_t best = c;
        for (int64_t i = c + 1; i < k; i++)
            if (size_of(m + i * width + 2 * c) > size_of(m + best * width + 2 * c))
                best = i;
        double *pivot = m + c * width;
        for (int64_t j = 0; best != c && j < width; j++) {
            const double swap = pivot[j];
            pivot[j] = m[best * width + j];
            m[best * width + j] = swap;
        }
        const double re = pivot[2 * c], im = pivot[2 * c + 1], norm = re * re + im * im;
        if (!(norm > 0.0))
            return false;
        for (int64_t j = 2 * c; j < width; j += 2) {
            const double x = pivot[j], y = pivot[j + 1];
            pivot[j] = (x * re + y * im) / norm;
            pivot[j + 1] = (y * re - x * im) / norm;
        }
        for (int64_t i = 0; i < k; i++) {
            double *row = m + i * width;
            const double x = row[2 * c], y = row[2 * c + 1];
            for (int64_t j = 2 * c; i != c && j < width; j += 2) {
                row[j] -= x * pivot[j] - y * pivot[j + 1];
                row[j + 1] -= x * pivot[j + 1] + y * pivot[j];
            }
        }
    }
    return true;
}

/* Solves E x = b for two right-hand sides, which the solutions replace; e is overwritten. */
static bool solve_edges(double *e, int64_t n, double *first, double *second)
{
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabs(e[i * n + c]) > fabs(e[best * n + c]))
                best = i;
        double *const sides[] = {first, second};
        for (int64_t j = 0; best != c && j < n; j++) {
            const double swap = e[c * n + j];
            e[c * n + j] = e[best * n + j];
            e[best * n + j] = swap;
        }
        for (int k = 0; best != c && k < 2; k++) {
            const double swap = sides[k][c];
            sides[k][c] = sides[k][best];
            sides[k][best] = swap;
        }
        if (e[c * n + c] == 0.0)
            return false;
        for (int64_t i = c + 1; i < n; i++) {
            const double factor = e[i * n + c] / e[c * n + c];
            for (int64_t j = c + 1; factor != 0.0 && j < n; j++)
                e[i * n + j] -= factor * e[c * n + j];
            first[i] -= factor * first[c];
            second[i] -= factor * second[c];
        }
    }
    for (int64_t c = n; c-- > 0;) {
        first[c] /= e[c * n + c];
        second[c] /= e[c * n + c];
        for (int64_t i = 0; i < c; i++) {
            first[i] -= e[i * n + c] * first[c];
            second[i] -= e[i * n + c] * second[c];
        }
    }
    return true;
}

/* ---- The binomial system -------------------------------------------------------------------------------------------- */

/* Writes log|beta| and the argument of beta in turns. */
static void put_quotient(cell_roots *roots, const double *beta, int64_t row)
{
    mpfr_set_d(roots->cosine, beta[0], MPFR_RNDN);
    mpfr_set_d(roots->sine, beta[1], MPFR_RNDN);
    mpfr_hypot(roots->part, roots->cosine, roots->sine, MPFR_RNDN);
    mpfr_log(roots->part, roots->part, MPFR_RNDN);
    roots->right[row] = mpfr_get_d(roots->part, MPFR_RNDN);
    mpfr_atan2(roots->part, roots->sine, roots->cosine, MPFR_RNDN);
    mpfr_div(roots->part, roots->part, roots->turn, MPFR_RNDN);
    roots->right[roots->n + row] = mpfr_get_d(roots->part, MPFR_RNDN);
}

/* Solves the equations of each group for the quotients of its monomials; m has room for n (n + 1) complex numbers. */
static plumb_status find_quotients(const polyhedral *p, int64_t cell, cell_roots *roots, double *m)
{
    const cell_supports *s = p->supports;
    const int32_t *point = p->cells->point + cell * p->cells->width;
    int64_t row = 0;
    for (int64_t g = 0; g < s->groups; point += s->size[g++] + 1) {
        const int64_t k = s->size[g];
        const double *c = p->coefficients, *next = c; /* of each equation */
        int64_t i = 0;
        for (int64_t equation = 0; equation < s->unknowns; equation++) {
            c = next;
            next += 2 * (s->first[s->group[equation] + 1] - s->first[s->group[equation]]);
            if (s->group[equation] != g)
                continue;
            double *line = m + 2 * (k + 1) * i++;
            for (int64_t j = 0; j <= k; j++) { /* the first point of the cell goes to the other side */
                const double *from = c + 2 * (point[j] - s->first[g]);
                double *to = line + 2 * (j > 0 ? j - 1 : k);
                to[0] = j > 0 ? from[0] : -from[0];
                to[1] = j > 0 ? from[1] : -from[1];
            }
        }
        if (!solve_complex(m, k))
            return PLUMB_ERR_SINGULAR;
        for (i = 0; i < k; i++)
            put_quotient(roots, m + 2 * (k + 1) * i + 2 * k, row++);
    }
    return PLUMB_OK;
}

static plumb_status prepare(const polyhedral *p, int64_t cell, cell_roots *roots)
{
    const int64_t n = roots->n;
    int64_t entries;
    if (!size_mul(n, n + 1, &entries) || !size_mul(entries, 2, &entries))
        return PLUMB_ERR_SIZE;
    int64_t *edges = calloc((size_t)entries, sizeof *edges);
    double *work = calloc((size_t)entries, sizeof *work);
    plumb_status status = edges && work ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = find_quotients(p, cell, roots, work);
    if (status == PLUMB_OK) {
        plumb_cells_edges(p->supports, p->cells, cell, edges);
        status = plumb_hermite(n, edges, roots->h, roots->u);
    }
    int64_t volume = 1; /* a cell that was enumerated has this one */
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++)
        if (!size_mul(volume, roots->h[i * n + i], &volume))
            status = PLUMB_ERR_SIZE;
    if (status == PLUMB_OK && volume != roots->volume)
        status = PLUMB_ERR_ARGUMENT;
    for (int64_t i = 0; status == PLUMB_OK && i < n * n; i++)
        work[i] = (double)edges[i];
    if (status == PLUMB_OK && !solve_edges(work, n, roots->right, roots->right + n))
        status = PLUMB_ERR_SINGULAR;
    free(edges);
    free(work);
    return status;
}

plumb_status plumb_cell_roots_create(const polyhedral *p, int64_t cell, cell_roots **made)
{
    const int64_t n = p->supports->unknowns;
    *made = NULL;
    cell_roots *roots = calloc(1, sizeof *roots);
    if (!roots || !reserve_limbs(MPFR_NEEDS)) {
        free(roots);
        return PLUMB_ERR_MEMORY;
    }
    roots->n = n;
    roots->volume = p->cells->volume[cell];
    roots->h = calloc((size_t)(n * n), sizeof *roots->h);
    roots->u = calloc((size_t)(n * n), sizeof *roots->u);
    roots->digit = calloc((size_t)n, sizeof *roots->digit);
    roots->right = calloc((size_t)(2 * n), sizeof *roots->right);
    roots->places = roots->volume < MOST_KEPT ? roots->volume : MOST_KEPT;
    roots->kept = malloc((size_t)(n * roots->places) * sizeof *roots->kept);
    for (int64_t k = 0; roots->kept && k < n * roots->places; k++)
        roots->kept[k].share = -1;
    mpfr_inits2(BITS, roots->part, roots->turn, roots->cosine, roots->sine, (mpfr_ptr)0);
    mpfr_const_pi(roots->turn, MPFR_RNDN);
    mpfr_mul_2ui(roots->turn, roots->turn, 1, MPFR_RNDN);
    plumb_status status =
        roots->h && roots->u && roots->digit && roots->right && roots->kept ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = prepare(p, cell, roots);
    if (status == PLUMB_OK)
        *made = roots;
    else
        plumb_cell_roots_destroy(roots);
    return status;
}

void plumb_cell_roots_destroy(cell_roots *roots)
{
    if (!roots)
        return;
    mpfr_clears(roots->part, roots->turn, roots->cosine, roots->sine, (mpfr_ptr)0);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* otherwise the cached constants of MPFR leak when a thread ends */
    free(roots->h);
    free(roots->u);
    free(roots->digit);
    free(roots->right);
    free(roots->kept);
    free(roots);
}

const double *plumb_cell_roots_logarithms(const cell_roots *roots)
{
    return roots->right;
}

/* ---- One root ------------------------------------------------------------------------------------------------------- */

static int64_t modulo(__int128 a, int64_t d)
{
    const __int128 rest = a % d;
    return (int64_t)(rest < 0 ? rest + d : rest);
}

/* Sets digit to Z = d H^-1 r modulo d for the vector r of this number. Z_j modulo d instead of Z_j changes r by multiples of
 * columns of H, so the divisions stay exact. */
static void find_coset(cell_roots *roots, int64_t number)
{
    const int64_t n = roots->n, d = roots->volume;
    for (int64_t j = 0; j < n; j++) {
        const int64_t radix = roots->h[j * n + j];
        __int128 sum = (__int128)d * (number % radix);
        number /= radix;
        for (int64_t k = 0; k < j; k++)
            sum -= (__int128)roots->h[j * n + k] * roots->digit[k];
        roots->digit[j] = modulo(sum / radix, d);
    }
}

/* Computes coordinate i of the roots that have this share of a turn, in units of 1 / volume, beside the argument of root 0. */
static kept_coordinate make_coordinate(cell_roots *roots, int64_t i, int64_t share)
{
    kept_coordinate x = {.share = share};
    mpfr_set_d(roots->part, roots->right[roots->n + i], MPFR_RNDN);
    mpfr_set_d(roots->sine, (double)share, MPFR_RNDN);
    mpfr_div_d(roots->sine, roots->sine, (double)roots->volume, MPFR_RNDN);
    mpfr_add(roots->part, roots->part, roots->sine, MPFR_RNDN);
    mpfr_mul(roots->part, roots->part, roots->turn, MPFR_RNDN);
    mpfr_sin_cos(roots->sine, roots->cosine, roots->part, MPFR_RNDN);
    mpfr_set_d(roots->part, roots->right[i], MPFR_RNDN);
    mpfr_exp(roots->part, roots->part, MPFR_RNDN);
    mpfr_mul(roots->cosine, roots->cosine, roots->part, MPFR_RNDN);
    mpfr_mul(roots->sine, roots->sine, roots->part, MPFR_RNDN);
    x.re = mpfr_get_d(roots->cosine, MPFR_RNDN);
    x.im = mpfr_get_d(roots->sine, MPFR_RNDN);
    return x;
}

/* The share of a turn of coordinate i of the root with these digits, in units of 1 / volume. */
static int64_t share_of(const cell_roots *roots, int64_t i)
{
    const int64_t n = roots->n, d = roots->volume;
    int64_t share = 0;
    for (int64_t j = 0; j < n; j++)
        share = modulo((__int128)modulo(roots->u[i * n + j], d) * roots->digit[j] + share, d);
    return share;
}

void plumb_cell_roots_make(cell_roots *roots, int64_t within, double *x)
{
    const int64_t d = roots->volume;
    find_coset(roots, within);
    for (int64_t i = 0; i < roots->n; i++) {
        const int64_t share = share_of(roots, i);
        kept_coordinate *kept = &roots->kept[i * roots->places + (int64_t)((__int128)share * roots->places / d)];
        if (kept->share != share)
            *kept = make_coordinate(roots, i, share);
        x[2 * i] = kept->re;
        x[2 * i + 1] = kept->im;
    }
}

void plumb_cell_roots_turns(cell_roots *roots, int64_t within, double *turn)
{
    find_coset(roots, within);
    for (int64_t i = 0; i < roots->n; i++)
        turn[i] = roots->right[roots->n + i] + (double)share_of(roots, i) / (double)roots->volume;
}
