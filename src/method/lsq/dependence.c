/* dependence.c - see dependence.h.
 *
 * Entries are dyadic rationals, so they have values modulo a prime P other than 2, and the rank modulo P is at most the rank. The columns
 * that were left out are replaced by one random combination of them modulo P, which depends on the used columns only if, but for
 * a chance of 1/P, all of them do. P = 2^62 - 57 is a prime for which the powers of 2 take (P - 1) / 2 values, so that
 * differences of powers of two, which are usual in data, are not multiples of it. A complex matrix takes its real form
 * [re -im; im re]. */
#include "method/lsq/dependence.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/size.h"
#include "base/number/random.h"

#define PRIME ((UINT64_C(1) << 62) - 57)
#define SEED 1 /* any number: the combination need only be unrelated to the data */

/* x y modulo PRIME: 2^62 is 57. */
static uint64_t mod_mul(uint64_t x, uint64_t y)
{
    const uint64_t mask = (UINT64_C(1) << 62) - 1;
    unsigned __int128 z = (unsigned __int128)x * y;
    z = (z >> 62) * 57 + ((uint64_t)z & mask);
    const uint64_t sum = (uint64_t)(z >> 62) * 57 + ((uint64_t)z & mask); /* below 2^62 + 2^14 */
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t mod_add(uint64_t x, uint64_t y)
{
    const uint64_t sum = x + y;
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t mod_power(uint64_t x, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, x = mod_mul(x, x))
        if (exponent & 1)
            result = mod_mul(result, x);
    return result;
}

/* A double is an integer times a power of two; exponents are those modulo PRIME - 1. */
static uint64_t mod_double(double x)
{
    int exponent = 0;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    const int64_t power = exponent - 53;
    const uint64_t value = mod_mul(mantissa, mod_power(2, power >= 0 ? (uint64_t)power : PRIME - 1 - (uint64_t)-power));
    return x < 0.0 && value != 0 ? PRIME - value : value;
}

static uint64_t mod_entry(const plumb_view *a, int64_t i, int64_t j, int32_t part)
{
    uint64_t sum = 0;
    for (int32_t c = 0; c < a->prec; c++) {
        const double limb = a->data[(part * a->prec + c) * a->plane + j * a->col + i];
        if (limb != 0.0)
            sum = mod_add(sum, mod_double(limb));
    }
    return sum;
}

/* column += factor * column j of a, in its real form, or column j times i. */
static void add_column(const plumb_view *a, int64_t j, bool turned, uint64_t factor, uint64_t *column)
{
    for (int64_t i = 0; i < a->rows; i++) {
        const uint64_t re = mod_mul(factor, mod_entry(a, i, j, 0));
        const uint64_t im = a->parts > 1 ? mod_mul(factor, mod_entry(a, i, j, 1)) : 0;
        column[i] = mod_add(column[i], turned ? (im != 0 ? PRIME - im : 0) : re);
        if (a->parts > 1)
            column[a->rows + i] = mod_add(column[a->rows + i], turned ? re : im);
    }
}

/* Gaussian elimination by columns. True if the last column becomes zero. Used columns that depend on each other modulo PRIME are passed
 * over. */
static bool eliminate(uint64_t *m, int64_t rows, int64_t cols)
{
    int64_t rank = 0;
    for (int64_t k = 0; k + 1 < cols; k++) {
        uint64_t *column = m + k * rows;
        int64_t pivot = rank;
        while (pivot < rows && column[pivot] == 0)
            pivot++;
        if (pivot == rows)
            continue;
        const uint64_t inverse = mod_power(column[pivot], PRIME - 2);
        for (int64_t j = k; j < cols; j++) {
            uint64_t *other = m + j * rows;
            const uint64_t t = other[pivot];
            other[pivot] = other[rank], other[rank] = t;
        }
        for (int64_t j = k + 1; j < cols; j++) {
            uint64_t *other = m + j * rows;
            const uint64_t factor = other[rank] != 0 ? PRIME - mod_mul(other[rank], inverse) : 0;
            for (int64_t i = rank; i < rows && factor != 0; i++)
                other[i] = mod_add(other[i], mod_mul(factor, column[i]));
        }
        rank++;
    }
    for (int64_t i = 0; i < rows; i++)
        if (i >= rank && m[(cols - 1) * rows + i] != 0)
            return false;
    return true;
}

plumb_status lsq_find_dependence(const plumb_view *a, const int64_t *order, int64_t rank, bool *dependent)
{
    const int64_t rows = a->rows * a->parts, cols = rank * a->parts + 1;
    int64_t entries;
    if (!size_mul(rows, cols, &entries) || !size_mul(entries, (int64_t)sizeof(uint64_t), &entries))
        return PLUMB_ERR_MEMORY;
    uint64_t *m = calloc((size_t)entries, 1);
    if (!m)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < rank; k++)
        for (int32_t part = 0; part < a->parts; part++)
            add_column(a, order[k], part == 1, 1, m + (k * a->parts + part) * rows);
    plumb_random random = plumb_random_start(SEED);
    for (int64_t k = rank; k < a->cols; k++)
        for (int32_t part = 0; part < a->parts; part++)
            add_column(a, order[k], part == 1, plumb_random_below(&random, PRIME), m + (cols - 1) * rows);
    *dependent = eliminate(m, rows, cols);
    free(m);
    return PLUMB_OK;
}
