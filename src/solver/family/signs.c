/* signs.c - changes of signs that take solutions of a family to solutions; see family.h.
 *
 * A change of signs D leaves the solutions for any parameters as they are if each equation stays the same but for its sign: all of
 * its terms have the same parity in the unknowns that change. These are linear equations modulo 2. If all images of the
 * generic solutions are among them, only one of each orbit has to be followed: the path from D x is D times that from x, exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/family/family.h"

/* With more unknowns, or more numbers in all terms, signs are not looked for: it would take seconds. */
enum { MOST_GENERATORS = 6, MOST_UNKNOWNS = 1000, MOST_NUMBERS = 50000000 };

/* Rows of equations modulo 2 in echelon form: row k is the one whose first one is at k, if there is one. */
typedef struct echelon {
    int64_t n;
    unsigned char *row; /* n x n */
    bool *is_there;
} echelon;

static void add_row(const echelon *e, unsigned char *v)
{
    for (int64_t k = 0; k < e->n; k++) {
        unsigned char *own = e->row + k * e->n;
        if (!v[k])
            continue;
        if (!e->is_there[k]) {
            memcpy(own, v, (size_t)e->n);
            e->is_there[k] = true;
            return;
        }
        for (int64_t i = k; i < e->n; i++)
            v[i] ^= own[i];
    }
}

/* Adds the equations of all terms; v has n entries. */
static void add_terms(const echelon *e, const plumb_system *s, unsigned char *v)
{
    for (int64_t i = 0; i < s->equations; i++)
        for (int64_t t = s->equation[i] + 1; t < s->equation[i + 1]; t++) {
            memset(v, 0, (size_t)e->n);
            for (int k = 0; k < 2; k++) { /* against the first term */
                const system_term *term = &s->terms[k == 0 ? s->equation[i] : t];
                for (int32_t f = 0; f < term->count; f++) {
                    const system_factor factor = s->factors[term->first + f];
                    if (factor.unknown < e->n)
                        v[factor.unknown] ^= (unsigned char)(factor.exponent & 1);
                }
            }
            add_row(e, v);
        }
}

/* The solution of the equations with unknown `free` 1 and the other free ones 0. */
static void solve_for(const echelon *e, int64_t free_one, unsigned char *x)
{
    for (int64_t k = e->n - 1; k >= 0; k--) {
        unsigned char sum = 0;
        for (int64_t i = k + 1; i < e->n && e->is_there[k]; i++)
            sum ^= (unsigned char)(e->row[k * e->n + i] & x[i]);
        x[k] = e->is_there[k] ? sum : k == free_one;
    }
}

/* Finds all changes of signs, 2^k of them with the identity first; NULL if there are no others, or without memory. *count: how many. */
static unsigned char *find_signs(const plumb_family *family, int64_t *count)
{
    const int64_t n = family->unknowns;
    *count = 1;
    if (n > MOST_UNKNOWNS || family->system->equation[family->system->equations] > MOST_NUMBERS / n)
        return NULL;
    echelon e = {.n = n, .row = calloc((size_t)n, (size_t)n), .is_there = calloc((size_t)n, sizeof(bool))};
    unsigned char *v = malloc((size_t)n), *signs = calloc((size_t)n, (size_t)1 << MOST_GENERATORS);
    if (e.row && e.is_there && v && signs) {
        add_terms(&e, family->system, v);
        for (int64_t k = 0, generators = 0; k < n && generators < MOST_GENERATORS; k++) {
            if (e.is_there[k])
                continue;
            solve_for(&e, k, v);
            for (int64_t g = 0; g < *count; g++)
                for (int64_t i = 0; i < n; i++)
                    signs[(*count + g) * n + i] = signs[g * n + i] ^ v[i];
            *count *= 2;
            generators++;
        }
    }
    free(e.row);
    free(e.is_there);
    free(v);
    if (*count > 1)
        return signs;
    free(signs);
    return NULL;
}

void plumb_family_change_signs(const unsigned char *signs, double *x, int64_t unknowns, int64_t planes, int64_t plane)
{
    for (int64_t i = 0; i < unknowns; i++)
        for (int64_t c = 0; c < planes && signs[i]; c++)
            x[c * plane + i] = -x[c * plane + i];
}

/* Which generic solution is the image of each one under each change; false if some are none, or it cannot be told. */
static bool find_images(const plumb_family *family, const unsigned char *signs, int64_t count, family_points *points,
                        double *x, int64_t *image)
{
    const int64_t n = family->unknowns, each = 2 * PLUMB_QD * n;
    const plumb_path_record record = {.code = PLUMB_PATH_SUCCESS};
    bool doubtful = false, good = true;
    for (int64_t k = 0; k < family->paths; k++) {
        good = good && plumb_family_points_find(points, family->starts + k * each, 0.0, &doubtful) < 0 && !doubtful;
        (void)plumb_family_points_put(points, family->starts + k * each, &record);
    }
    for (int64_t k = 0; k < family->paths && good; k++)
        for (int64_t g = 0; g < count && good; g++) {
            memcpy(x, family->starts + k * each, (size_t)each * sizeof *x);
            plumb_family_change_signs(signs + g * n, x, n, 2 * PLUMB_QD, n);
            image[k * count + g] = plumb_family_points_find(points, x, 0.0, &doubtful);
            good = image[k * count + g] >= 0 && !doubtful;
        }
    return good;
}

void plumb_family_forget_signs(plumb_family *family)
{
    free(family->signs);
    free(family->leader);
    free(family->place);
    free(family->change);
    free(family->zero);
    family->signs = family->zero = NULL;
    family->leader = family->place = family->change = NULL;
    family->leaders = family->paths;
}

/* Lists the first solution of each orbit, and how the others follow from them. */
static void list_leaders(plumb_family *family, const unsigned char *signs, const int64_t *image, int64_t count)
{
    const int64_t n = family->unknowns;
    family->leaders = 0;
    for (int64_t k = 0; k < family->paths; k++)
        family->place[k] = -1;
    for (int64_t k = 0; k < family->paths; k++) {
        if (family->place[k] >= 0)
            continue;
        for (int64_t g = count - 1; g >= 0; g--) { /* the identity last: it counts for k */
            family->place[image[k * count + g]] = family->leaders;
            family->change[image[k * count + g]] = g;
        }
        for (int64_t g = 0; g < count; g++)
            for (int64_t i = 0; i < n && image[k * count + g] == k; i++)
                family->zero[family->leaders * n + i] |= signs[g * n + i];
        family->leader[family->leaders++] = k;
    }
}

plumb_status plumb_family_find_signs(plumb_family *family)
{
    const int64_t paths = family->paths, n = family->unknowns;
    int64_t count;
    plumb_family_forget_signs(family);
    unsigned char *signs = find_signs(family, &count);
    if (!signs)
        return PLUMB_OK;
    family_points points = {.count = 0};
    plumb_status status = plumb_family_points_begin(paths, n, PLUMB_QD, &points);
    int64_t *image = malloc((size_t)(paths * count) * sizeof *image);
    double *x = malloc((size_t)n * 2 * PLUMB_QD * sizeof *x);
    family->leader = malloc((size_t)paths * sizeof *family->leader);
    family->place = malloc((size_t)paths * sizeof *family->place);
    family->change = malloc((size_t)paths * sizeof *family->change);
    family->zero = calloc((size_t)paths, (size_t)n);
    if (!family->zero || !image || !x || !family->leader || !family->place || !family->change)
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && find_images(family, signs, count, &points, x, image)) {
        list_leaders(family, signs, image, count);
        family->signs = signs;
    } else {
        plumb_family_forget_signs(family);
        free(signs);
    }
    plumb_family_points_end(&points);
    free(image);
    free(x);
    return status;
}
