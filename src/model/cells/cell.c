/* cell.c - single mixed cells: the cell of a root, its edges, its inner normal and the weights of all points; see supports.h. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory/size.h"
#include "model/cells/supports.h"

int64_t plumb_cells_locate(const mixed_cells *cells, int64_t root, int64_t *within)
{
    int64_t low = 0, high = cells->count; /* the cell is at low or between low and high */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (cells->first_root[middle] <= root)
            low = middle;
        else
            high = middle;
    }
    *within = root - cells->first_root[low];
    return low;
}

void plumb_cells_edges(const cell_supports *s, const mixed_cells *cells, int64_t index, int64_t *edges)
{
    int64_t n = s->unknowns;
    const int32_t *point = cells->point + index * cells->width;
    for (int64_t g = 0; g < s->groups; g++) {
        const int32_t *base = s->exponent + (int64_t)point[0] * n;
        for (int32_t k = 1; k <= s->size[g]; k++, edges += n)
            for (int64_t i = 0; i < n; i++)
                edges[i] = (int64_t)s->exponent[(int64_t)point[k] * n + i] - base[i];
        point += s->size[g] + 1;
    }
}

/* Solves the n x (n + 1) system m by Gauss-Jordan elimination over the rationals; the solution is its last column. */
static bool eliminate(mpq_t *m, int64_t n)
{
    int64_t width = n + 1;
    mpq_t t;
    mpq_init(t);
    bool good = true;
    for (int64_t c = 0; good && c < n; c++) {
        int64_t r = c;
        while (r < n && mpq_sgn(m[r * width + c]) == 0)
            r++;
        good = r < n;
        for (int64_t j = 0; good && r != c && j < width; j++)
            mpq_swap(m[r * width + j], m[c * width + j]);
        for (int64_t j = width - 1; good && j >= c; j--)
            mpq_div(m[c * width + j], m[c * width + j], m[c * width + c]);
        for (int64_t i = 0; good && i < n; i++)
            for (int64_t j = width - 1; i != c && mpq_sgn(m[i * width + c]) != 0 && j >= c; j--) {
                mpq_mul(t, m[i * width + c], m[c * width + j]);
                mpq_sub(m[i * width + j], m[i * width + j], t);
            }
    }
    mpq_clear(t);
    return good;
}

/* q = a - b, for any two numbers: liftings may come from a file. */
static void set_difference(mpq_t q, int64_t a, int64_t b)
{
    int64_t difference;
    if (!__builtin_sub_overflow(a, b, &difference)) {
        mpq_set_si(q, (long)difference, 1);
        return;
    }
    mpz_set_si(mpq_denref(q), (long)b);
    mpz_set_si(mpq_numref(q), (long)a);
    mpz_sub(mpq_numref(q), mpq_numref(q), mpq_denref(q));
    mpz_set_ui(mpq_denref(q), 1);
}

plumb_status plumb_cells_normal(const cell_supports *s, const mixed_cells *cells, int64_t index, mpq_t *v)
{
    int64_t n = s->unknowns, width = n + 1, row = 0, entries;
    if (!size_mul(n, width, &entries))
        return PLUMB_ERR_SIZE;
    int64_t *edges = calloc((size_t)entries, sizeof *edges);
    mpq_t *m = calloc((size_t)entries, sizeof *m);
    plumb_status status = PLUMB_ERR_MEMORY;
    if (edges != NULL && m != NULL) {
        plumb_cells_edges(s, cells, index, edges);
        for (int64_t i = 0; i < entries; i++)
            mpq_init(m[i]);
        for (int64_t i = 0; i < n * n; i++)
            mpq_set_si(m[i / n * width + i % n], (long)edges[i], 1);
        const int32_t *point = cells->point + index * cells->width;
        for (int64_t g = 0; g < s->groups; point += s->size[g++] + 1)
            for (int32_t k = 1; k <= s->size[g]; k++, row++)
                set_difference(m[row * width + n], cells->lifting[point[0]], cells->lifting[point[k]]);
        status = eliminate(m, n) ? PLUMB_OK : PLUMB_ERR_SINGULAR;
        for (int64_t i = 0; i < n; i++)
            mpq_set(v[i], m[i * width + n]);
        for (int64_t i = 0; i < entries; i++)
            mpq_clear(m[i]);
    }
    free(edges);
    free(m);
    return status;
}

static bool is_of_cell(const int32_t *point, int32_t count, int64_t p)
{
    bool found = false;
    for (int32_t k = 0; k < count; k++)
        found = found || point[k] == p;
    return found;
}

plumb_status plumb_cells_weights(const cell_supports *s, const mixed_cells *cells, int64_t index, double *weights)
{
    int64_t n = s->unknowns;
    mpq_t *v = calloc((size_t)n, sizeof *v), height, t;
    if (v == NULL)
        return PLUMB_ERR_MEMORY;
    mpq_inits(height, t, NULL);
    for (int64_t i = 0; i < n; i++)
        mpq_init(v[i]);
    plumb_status status = plumb_cells_normal(s, cells, index, v);
    const int32_t *point = cells->point + index * cells->width;
    for (int64_t g = 0; status == PLUMB_OK && g < s->groups; point += s->size[g++] + 1)
        for (int64_t p = s->first[g]; p < s->first[g + 1]; p++) {
            set_difference(height, cells->lifting[p], cells->lifting[point[0]]);
            for (int64_t i = 0; i < n; i++) {
                mpq_set_si(t, (long)s->exponent[p * n + i] - s->exponent[(int64_t)point[0] * n + i], 1);
                mpq_mul(t, t, v[i]);
                mpq_add(height, height, t);
            }
            weights[p] = mpq_get_d(height);
            if (mpq_sgn(height) != !is_of_cell(point, s->size[g] + 1, p))
                status = PLUMB_ERR_ARGUMENT;
        }
    for (int64_t i = 0; i < n; i++)
        mpq_clear(v[i]);
    mpq_clears(height, t, NULL);
    free(v);
    return status;
}
