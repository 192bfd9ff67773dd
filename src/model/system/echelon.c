/* echelon.c - see echelon.h. */
#include "model/system/echelon.h"

#include <stdlib.h>
#include <string.h>

#include "model/system/polynomial.h"

enum { MOST_ENTRIES = 20000 }; /* of the matrix */

typedef struct complex_rational {
    mpq_t re, im;
} complex_rational;

/* The matrix: a row for each equation, a column for each monomial. */
typedef struct echelon {
    const plumb_system *system;
    int64_t rows, columns;
    int32_t *exponent; /* unknowns entries for each column, after the degree */
    complex_rational *entry;
    mpq_t room[3];
} echelon;

static complex_rational *at(const echelon *m, int64_t row, int64_t column)
{
    return &m->entry[row * m->columns + column];
}

static bool is_zero(const complex_rational *x)
{
    return mpq_sgn(x->re) == 0 && mpq_sgn(x->im) == 0;
}

/* x -= a b, for x other than a and b. */
static void subtract_product(echelon *m, complex_rational *x, const complex_rational *a, const complex_rational *b)
{
    const mpq_t *const factors[4][2] = {{&a->re, &b->re}, {&a->im, &b->im}, {&a->re, &b->im}, {&a->im, &b->re}};
    for (int k = 0; k < 4; k++) {
        if (mpq_sgn(*factors[k][0]) == 0 || mpq_sgn(*factors[k][1]) == 0)
            continue;
        mpq_t *to = k < 2 ? &x->re : &x->im;
        mpq_mul(m->room[0], *factors[k][0], *factors[k][1]);
        if (k == 1)
            mpq_add(*to, *to, m->room[0]);
        else
            mpq_sub(*to, *to, m->room[0]);
    }
}

/* x /= a, for x other than a. */
static void divide(echelon *m, complex_rational *x, const complex_rational *a)
{
    mpq_mul(m->room[0], a->re, a->re);
    mpq_mul(m->room[1], a->im, a->im);
    mpq_add(m->room[0], m->room[0], m->room[1]); /* |a|^2 */
    mpq_mul(m->room[1], x->re, a->re);
    mpq_mul(m->room[2], x->im, a->im);
    mpq_add(m->room[1], m->room[1], m->room[2]);
    mpq_mul(x->im, x->im, a->re);
    mpq_mul(m->room[2], x->re, a->im);
    mpq_sub(x->im, x->im, m->room[2]);
    mpq_div(x->re, m->room[1], m->room[0]);
    mpq_div(x->im, x->im, m->room[0]);
}

/* ---- The matrix ----------------------------------------------------------------------------------------------------- */

static void write_exponents(const echelon *m, const system_term *term, int32_t *exponents)
{
    memset(exponents, 0, (size_t)(m->system->unknowns + 1) * sizeof *exponents);
    exponents[0] = term->degree;
    for (int32_t i = 0; i < term->count; i++) {
        const system_factor *f = &m->system->factors[term->first + i];
        exponents[1 + f->unknown] = f->exponent;
    }
}

/* Columns in descending order of degrees, and then of exponents. */
static int compare(const int32_t *a, const int32_t *b, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return a[i] > b[i] ? -1 : 1;
    return 0;
}

/* The column with these exponents, or where it would be; *found is true in the first case. */
static int64_t find_column(const echelon *m, const int32_t *exponents, bool *found)
{
    const int64_t length = m->system->unknowns + 1;
    int64_t low = 0, high = m->columns;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare(m->exponent + middle * length, exponents, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < m->columns && compare(m->exponent + low * length, exponents, length) == 0;
    return low;
}

static plumb_status fill(echelon *m, int32_t *exponents)
{
    const plumb_system *s = m->system;
    const int64_t length = s->unknowns + 1;
    bool found;
    for (int64_t k = 0; k < s->equation[s->equations]; k++) {
        write_exponents(m, &s->terms[k], exponents);
        const int64_t column = find_column(m, exponents, &found);
        if (found)
            continue;
        int32_t *here = m->exponent + column * length;
        memmove(here + length, here, (size_t)((m->columns - column) * length) * sizeof *here);
        memcpy(here, exponents, (size_t)length * sizeof *here);
        m->columns++;
    }
    m->entry = calloc((size_t)(m->rows * m->columns) + 1, sizeof *m->entry);
    if (!m->entry)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < m->rows * m->columns; k++)
        mpq_inits(m->entry[k].re, m->entry[k].im, NULL);
    for (int64_t e = 0; e < s->equations; e++)
        for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
            write_exponents(m, &s->terms[k], exponents);
            complex_rational *to = at(m, e, find_column(m, exponents, &found));
            mpq_set(to->re, s->terms[k].re);
            mpq_set(to->im, s->terms[k].im);
        }
    return PLUMB_OK;
}

/* ---- The form ------------------------------------------------------------------------------------------------------- */

static void swap_rows(const echelon *m, int64_t a, int64_t b)
{
    for (int64_t j = 0; j < m->columns && a != b; j++) {
        mpq_swap(at(m, a, j)->re, at(m, b, j)->re);
        mpq_swap(at(m, a, j)->im, at(m, b, j)->im);
    }
}

/* Makes the form; false if rows are dependent. */
static bool reduce(echelon *m)
{
    int64_t row = 0;
    for (int64_t c = 0; c < m->columns && row < m->rows; c++) {
        int64_t pivot = row;
        while (pivot < m->rows && is_zero(at(m, pivot, c)))
            pivot++;
        if (pivot == m->rows)
            continue;
        swap_rows(m, row, pivot);
        for (int64_t j = c + 1; j < m->columns; j++)
            if (!is_zero(at(m, row, j)))
                divide(m, at(m, row, j), at(m, row, c));
        mpq_set_ui(at(m, row, c)->re, 1, 1);
        mpq_set_ui(at(m, row, c)->im, 0, 1);
        for (int64_t i = 0; i < m->rows; i++) {
            if (i == row || is_zero(at(m, i, c)))
                continue;
            for (int64_t j = c + 1; j < m->columns; j++)
                if (!is_zero(at(m, row, j)))
                    subtract_product(m, at(m, i, j), at(m, i, c), at(m, row, j));
            mpq_set_ui(at(m, i, c)->re, 0, 1);
            mpq_set_ui(at(m, i, c)->im, 0, 1);
        }
        row++;
    }
    return row == m->rows;
}

static int64_t count_terms(const echelon *m)
{
    int64_t count = 0;
    for (int64_t k = 0; k < m->rows * m->columns; k++)
        count += !is_zero(&m->entry[k]);
    return count;
}

static plumb_status build(const echelon *m, plumb_system **made)
{
    const plumb_system *s = m->system;
    const int64_t n = s->unknowns;
    polynomial *equations = calloc((size_t)m->rows, sizeof *equations);
    system_factor *factors = calloc((size_t)n, sizeof *factors);
    plumb_status status = equations && factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m->rows && status == PLUMB_OK; e++) {
        for (int64_t j = 0; j < m->columns && status == PLUMB_OK; j++) {
            const int32_t *exponents = m->exponent + j * (n + 1);
            int32_t count = 0;
            if (is_zero(at(m, e, j)))
                continue;
            for (int32_t v = 0; v < n; v++)
                if (exponents[1 + v] > 0)
                    factors[count++] = (system_factor){v, exponents[1 + v]};
            status = plumb_poly_append(&equations[e], at(m, e, j)->re, at(m, e, j)->im, factors, count, exponents[0]);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&equations[e]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(equations, m->rows, (const char *const *)s->names, n, made);
    for (int64_t e = 0; equations && e < m->rows; e++)
        plumb_poly_clear(&equations[e]);
    free(equations);
    free(factors);
    return status;
}

plumb_status plumb_system_echelon(const plumb_system *system, plumb_system **made)
{
    const int64_t terms = system->equation[system->equations], n = system->unknowns;
    echelon m = {.system = system, .rows = system->equations};
    *made = NULL;
    if (terms > MOST_ENTRIES / (system->equations + 1))
        return PLUMB_OK;
    int32_t *exponents = calloc((size_t)n + 1, sizeof *exponents);
    m.exponent = calloc((size_t)((terms + 1) * (n + 1)), sizeof *m.exponent);
    mpq_inits(m.room[0], m.room[1], m.room[2], NULL);
    plumb_status status = exponents && m.exponent ? fill(&m, exponents) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && reduce(&m) && count_terms(&m) < terms)
        status = build(&m, made);
    for (int64_t k = 0; m.entry && k < m.rows * m.columns; k++)
        mpq_clears(m.entry[k].re, m.entry[k].im, NULL);
    mpq_clears(m.room[0], m.room[1], m.room[2], NULL);
    free(m.entry);
    free(m.exponent);
    free(exponents);
    return status;
}
