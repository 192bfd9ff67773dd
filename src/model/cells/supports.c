/* supports.c - see supports.h. */
#include "model/cells/supports.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "model/system/system.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

static const int32_t most_exponent = 1 << 30;

/* Allocates count zeroed entries, at least one; NULL if they do not fit. */
static void *new_array(int64_t count, size_t entry)
{
    int64_t bytes;
    if (count < 0 || !size_mul(count, (int64_t)entry, &bytes))
        return NULL;
    return calloc((size_t)(count > 0 ? count : 1), entry);
}

void plumb_supports_destroy(cell_supports *s)
{
    if (s == NULL)
        return;
    free(s->group);
    free(s->size);
    free(s->first);
    free(s->exponent);
    free(s->added);
    free(s);
}

void plumb_cells_destroy(mixed_cells *cells)
{
    if (cells == NULL)
        return;
    free(cells->point);
    free(cells->volume);
    free(cells->first_root);
    free(cells->lifting);
    free(cells);
}

/* ---- Sorted points ------------------------------------------------------------------------------------------------ */

static int compare_points(const int32_t *a, const int32_t *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* By heap sort, which needs neither memory nor a global for the length of a point. */
void plumb_points_sort(const int32_t **p, int64_t count, int64_t n)
{
    for (int64_t end = count, start = count / 2; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            const int32_t *last = p[--end];
            p[end] = p[0];
            p[0] = last;
        }
        int64_t root = start;
        for (int64_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare_points(p[child], p[child + 1], n) < 0)
                child++;
            if (compare_points(p[root], p[child], n) >= 0)
                break;
            const int32_t *t = p[root];
            p[root] = p[child];
            p[child] = t;
        }
    }
}

/* Sorts the points and removes repeated ones; returns how many are left. */
static int64_t make_distinct(const int32_t **p, int64_t count, int64_t n)
{
    int64_t kept = 0;
    plumb_points_sort(p, count, n);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || compare_points(p[kept - 1], p[i], n) != 0)
            p[kept++] = p[i];
    return kept;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------- */

/* Returns the group among the first `groups` that has exactly these points, or groups if there is none. */
static int64_t find_group(const cell_supports *s, int64_t groups, const int32_t *const *p, int64_t count)
{
    int64_t n = s->unknowns;
    for (int64_t g = 0; g < groups; g++) {
        bool same = s->first[g + 1] - s->first[g] == count;
        for (int64_t i = 0; same && i < count; i++)
            same = compare_points(s->exponent + (s->first[g] + i) * n, p[i], n) == 0;
        if (same)
            return g;
    }
    return groups;
}

/* Appends the points as group g. */
static void append_group(cell_supports *s, int64_t g, const int32_t *const *p, int64_t count, const int32_t *artificial)
{
    int64_t n = s->unknowns;
    for (int64_t i = 0; i < count; i++) {
        memcpy(s->exponent + (s->first[g] + i) * n, p[i], (size_t)n * sizeof **p);
        s->added[s->first[g] + i] = p[i] == artificial;
    }
    s->first[g + 1] = s->first[g] + count;
    s->groups = g + 1;
}

/* Equations with equal points, of which only one has the origin of its own, are not one group: their coefficients at
 * the origin have different meanings. */
static bool same_origin(const cell_supports *s, int64_t g, bool artificial)
{
    bool has = false;
    for (int64_t i = s->first[g]; i < s->first[g + 1]; i++)
        has = has || s->added[i];
    return has == artificial;
}

static void fill(cell_supports *s, const int64_t *first, const int32_t *exponents, const int32_t *origin,
                 const int32_t **p)
{
    int64_t n = s->unknowns;
    for (int64_t e = 0; e < n; e++) {
        int64_t count = first[e + 1] - first[e];
        bool has = origin == NULL || count == 0; /* a zero polynomial stays without points */
        for (int64_t i = 0; i < count; i++) {
            p[i] = exponents + (first[e] + i) * n;
            has = has || compare_points(p[i], origin, n) == 0;
        }
        if (!has)
            p[count++] = origin;
        count = make_distinct(p, count, n);
        int64_t g = find_group(s, s->groups, p, count);
        if (g < s->groups && !same_origin(s, g, !has))
            g = s->groups;
        if (g == s->groups)
            append_group(s, g, p, count, has ? NULL : origin);
        s->group[e] = (int32_t)g;
        s->size[g]++;
    }
}

plumb_status plumb_supports_create(int64_t unknowns, const int64_t *first, const int32_t *exponents, int32_t origins,
                                   cell_supports **supports)
{
    *supports = NULL;
    if (unknowns < 1)
        return SAY(PLUMB_ERR_ARGUMENT, "supports: there are no unknowns");
    int64_t points = first[unknowns] + unknowns, entries;
    if (!size_mul(points, unknowns, &entries) || unknowns > INT32_MAX / 2 || points > INT32_MAX / 2)
        return PLUMB_ERR_SIZE;
    for (int64_t i = 0; i < first[unknowns] * unknowns; i++)
        if (exponents[i] > most_exponent || exponents[i] < -most_exponent)
            return SAY(PLUMB_ERR_RANGE, "supports: found the exponent %d, expected at most %d", (int)exponents[i],
                       (int)most_exponent);
    cell_supports *s = calloc(1, sizeof *s);
    const int32_t **p = new_array(points, sizeof *p);
    int32_t *origin = new_array(unknowns, sizeof *origin);
    plumb_status status = PLUMB_ERR_MEMORY;
    if (s != NULL) {
        s->unknowns = unknowns;
        s->group = new_array(unknowns, sizeof *s->group);
        s->size = new_array(unknowns, sizeof *s->size);
        s->first = new_array(unknowns + 1, sizeof *s->first);
        s->exponent = new_array(entries, sizeof *s->exponent);
        s->added = new_array(points, sizeof *s->added);
    }
    if (s && p && origin && s->group && s->size && s->first && s->exponent && s->added) {
        fill(s, first, exponents, origins ? origin : NULL, p);
        *supports = s;
        s = NULL;
        status = PLUMB_OK;
    }
    plumb_supports_destroy(s);
    free((void *)p);
    free(origin);
    return status;
}

plumb_status plumb_supports_of_system(const plumb_system *system, int32_t origins, cell_supports **supports)
{
    *supports = NULL;
    int64_t n = system->unknowns, entries;
    if (system->equations != n)
        return SAY(PLUMB_ERR_ARGUMENT, "system: found %lld equations in %lld unknowns, expected as many as unknowns",
                   (long long)system->equations, (long long)n);
    int64_t terms = system->equation[n];
    if (!size_mul(terms, n, &entries))
        return PLUMB_ERR_SIZE;
    int32_t *exponents = new_array(entries, sizeof *exponents);
    if (exponents == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t t = 0; t < terms; t++)
        for (int64_t k = 0; k < system->terms[t].count; k++) {
            const system_factor *f = &system->factors[system->terms[t].first + k];
            exponents[t * n + f->unknown] = f->exponent;
        }
    plumb_status status = plumb_supports_create(n, system->equation, exponents, origins, supports);
    free(exponents);
    return status;
}

int64_t plumb_supports_find(const cell_supports *s, int64_t equation, const int32_t *exponents)
{
    const int64_t n = s->unknowns, g = s->group[equation];
    int64_t low = s->first[g], high = s->first[g + 1];
    while (low < high) { /* the points are in lexicographic order */
        const int64_t middle = low + (high - low) / 2;
        const int32_t *here = s->exponent + middle * n;
        int64_t i = 0;
        while (i < n && here[i] == exponents[i])
            i++;
        if (i == n)
            return middle;
        if (here[i] < exponents[i])
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

plumb_status plumb_supports_of_terms(const cell_supports *supports, const plumb_system *system, int64_t *point)
{
    const int64_t n = supports->unknowns;
    int32_t *exponents = calloc((size_t)n, sizeof *exponents);
    if (!exponents)
        return PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < n; e++)
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const system_factor *f = system->factors + system->terms[k].first;
            memset(exponents, 0, (size_t)n * sizeof *exponents);
            for (int32_t i = 0; i < system->terms[k].count; i++)
                exponents[f[i].unknown] = f[i].exponent;
            point[k] = plumb_supports_find(supports, e, exponents);
        }
    free(exponents);
    return PLUMB_OK;
}
