/* homotopy.c - see homotopy.h. */
#include "model/homotopy/homotopy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "model/homotopy/homogenize.h"
#include "model/homotopy/scaling.h"

/* A name with its unknown, for sorting. */
typedef struct named {
    const char *name;
    int64_t unknown;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static named *sorted_names(const plumb_system *system)
{
    named *list = calloc((size_t)system->unknowns + 1, sizeof *list);
    for (int64_t i = 0; list != NULL && i < system->unknowns; i++)
        list[i] = (named){system->names[i], i};
    if (list != NULL)
        qsort(list, (size_t)system->unknowns, sizeof *list, by_name);
    return list;
}

/* Counts the names that two sorted lists share. Also returns one shared name, and the first name that only the start
 * system has. */
static int64_t count_shared(const named *a, const named *b, int64_t n, const char **shared, const char **own)
{
    int64_t count = 0;
    *shared = *own = NULL;
    for (int64_t i = 0, j = 0; i < n; i++) {
        while (j < n && strcmp(b[j].name, a[i].name) < 0)
            j++;
        if (j < n && strcmp(b[j].name, a[i].name) == 0) {
            *shared = a[i].name;
            count++;
        } else if (*own == NULL) {
            *own = a[i].name;
        }
    }
    return count;
}

/* Partly shared names are an error: matched by name some unknowns have no partner, matched by position some get a
 * wrong one. */
static plumb_status check_names(const plumb_system *start, const plumb_system *target, char *message, size_t size)
{
    const char *shared = NULL, *own = NULL;
    named *a = sorted_names(start), *b = sorted_names(target);
    plumb_status status = a != NULL && b != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    const int64_t count = status == PLUMB_OK ? count_shared(a, b, target->unknowns, &shared, &own) : 0;
    if (status != PLUMB_OK)
        status = plumb_say(status, message, size, "out of memory");
    else if (count > 0 && count < target->unknowns)
        status =
            plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                      "the start system shares the unknown %.64s with the target, but not %.64s: expected the same "
                      "unknowns in both, or none in common",
                      shared, own);
    free(a);
    free(b);
    return status;
}

/* Sets to[u] to the unknown of the target that corresponds to unknown u of the start system, counted from `first`. */
static plumb_status match_unknowns(const plumb_system *start, const plumb_system *target, int32_t first, int32_t *to)
{
    int64_t n = target->unknowns;
    named *a = sorted_names(start), *b = sorted_names(target);
    plumb_status status = a != NULL && b != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    bool same = status == PLUMB_OK;
    for (int64_t i = 0; i < n && same; i++)
        same = strcmp(a[i].name, b[i].name) == 0;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++)
        to[same ? a[i].unknown : i] = first + (int32_t)(same ? b[i].unknown : i);
    free(a);
    free(b);
    return status;
}

plumb_status plumb_homotopy_check(const plumb_system *start, const plumb_system *target, char *message, size_t size)
{
    const long long m = target->equations, n = target->unknowns;
    if (start->equations != m || start->unknowns != n)
        return plumb_say(
            PLUMB_ERR_ARGUMENT, message, size,
            "the start system has %lld equations in %lld unknowns, expected the %lld in %lld of the target",
            (long long)start->equations, (long long)start->unknowns, m, n);
    if (n < 1)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "the systems have no unknowns");
    if (m < n)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "found %lld equations in %lld unknowns, expected at least as many equations", m, n);
    if (n > INT32_MAX - 1 || m > INT32_MAX / 2 - 1)
        return plumb_say(PLUMB_ERR_SIZE, message, size, "the systems are too large");
    return check_names(start, target, message, size);
}

/* ---- Stacking ---------------------------------------------------------------------------------------------------- */

/* Sets p to patch.x - 1 in `unknowns` unknowns. */
static plumb_status make_patch(const double *patch, int64_t unknowns, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t i = 0; i < unknowns && status == PLUMB_OK; i++) {
        const system_factor factor = {(int32_t)i, 1};
        mpq_set_d(re, patch[2 * i]);
        mpq_set_d(im, patch[2 * i + 1]);
        status = plumb_poly_append(p, re, im, &factor, 1, 1);
    }
    mpq_set_si(re, -1, 1);
    mpq_set_si(im, 0, 1);
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, re, im, NULL, 0, 0);
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* Makes a name that no unknown of the system has. */
static void name_homogenizing(const plumb_system *system, char *name, size_t size)
{
    bool taken = true;
    for (int64_t suffix = 0; taken; suffix++) {
        snprintf(name, size, suffix == 0 ? "x0" : "x0_%lld", (long long)suffix);
        taken = false;
        for (int64_t i = 0; i < system->unknowns && !taken; i++)
            taken = strcmp(name, system->names[i]) == 0;
    }
}

/* Moves the polynomials into a system in the unknowns of the target, preceded by the homogenizing unknown if
 * projective. */
static plumb_status build_stacked(polynomial *p, int64_t equations, const plumb_system *target, bool projective,
                                  plumb_system **system)
{
    char first[32];
    const char **names = calloc((size_t)target->unknowns + 1, sizeof *names);
    if (names == NULL)
        return PLUMB_ERR_MEMORY;
    if (projective) {
        name_homogenizing(target, first, sizeof first);
        names[0] = first;
    }
    for (int64_t i = 0; i < target->unknowns; i++)
        names[i + projective] = target->names[i];
    plumb_status status = plumb_system_build(p, equations, names, target->unknowns + projective, system);
    free(names);
    return status;
}

/* Sets p to an equation in other unknowns, homogenized unless the degree is -1, and scaled. */
static plumb_status take_equation(const plumb_system *system, int64_t i, const int32_t *to, int64_t degree,
                                  const system_scaling *scaling, int32_t shift, polynomial *p)
{
    plumb_status status = plumb_homogenize(system, i, to, degree, p);
    if (status == PLUMB_OK && scaling->unknown != NULL)
        plumb_scaling_apply(scaling, i, shift, p);
    return status;
}

/* Fills in all equations of g, then all of f; if projective, the patch is the last equation of each. */
static plumb_status fill_stacked(const plumb_homotopy *h, const plumb_system *const pair[2], int32_t *const to[2],
                                 const system_scaling *scaling, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t i = 0; i < pair[0]->equations && status == PLUMB_OK; i++) {
        int64_t degree = -1;
        for (int which = 0; which < 2 && h->projective; which++)
            if (plumb_system_degree(pair[which], i) > degree)
                degree = plumb_system_degree(pair[which], i);
        for (int which = 0; which < 2 && status == PLUMB_OK; which++)
            status =
                take_equation(pair[which], i, to[which], degree, scaling, h->projective, &p[which * h->equations + i]);
    }
    for (int which = 0; which < 2 && h->projective && status == PLUMB_OK; which++)
        status = make_patch(h->patch, h->unknowns, &p[(which + 1) * h->equations - 1]);
    return status;
}

static plumb_status make_stacked(plumb_homotopy *h, const plumb_system *start, const plumb_system *target,
                                 const system_scaling *scaling)
{
    const plumb_system *const pair[2] = {start, target};
    polynomial *p = calloc((size_t)h->equations * 2, sizeof *p);
    int32_t *to[2] = {NULL, NULL};
    plumb_status status = p != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int which = 0; which < 2 && status == PLUMB_OK; which++) {
        to[which] = calloc((size_t)h->unknowns, sizeof *to[which]);
        status = to[which] != NULL ? match_unknowns(pair[which], target, h->projective, to[which]) : PLUMB_ERR_MEMORY;
    }
    if (status == PLUMB_OK)
        status = fill_stacked(h, pair, to, scaling, p);
    if (status == PLUMB_OK)
        status = build_stacked(p, 2 * h->equations, target, h->projective != 0, &h->stacked);
    for (int64_t i = 0; p != NULL && i < 2 * h->equations; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(to[0]);
    free(to[1]);
    return status;
}

/* Copies a system into the unknowns of the target, scaled. */
static plumb_status take_system(const plumb_system *system, const plumb_system *target, const system_scaling *scaling,
                                plumb_system **copy)
{
    polynomial *p = calloc((size_t)system->equations, sizeof *p);
    int32_t *to = calloc((size_t)system->unknowns, sizeof *to);
    plumb_status status = p != NULL && to != NULL ? match_unknowns(system, target, 0, to) : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < system->equations && status == PLUMB_OK; i++)
        status = take_equation(system, i, to, -1, scaling, 0, &p[i]);
    if (status == PLUMB_OK)
        status = build_stacked(p, system->equations, target, false, copy);
    for (int64_t i = 0; p != NULL && i < system->equations; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(to);
    return status;
}

/* Finds the scaling of the target; there is none if it would take the start system out of range. */
static plumb_status find_scaling(const plumb_system *start, const plumb_system *target, system_scaling *scaling)
{
    int32_t *to = calloc((size_t)start->unknowns, sizeof *to);
    plumb_status status = to != NULL ? match_unknowns(start, target, 0, to) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_scaling_find(target, scaling);
    if (status == PLUMB_OK && scaling->unknown != NULL && !plumb_scaling_fits(scaling, start, to))
        plumb_scaling_clear(scaling);
    free(to);
    return status;
}

plumb_status plumb_homotopy_build(const plumb_system *start, const plumb_system *target, const double gamma[2],
                                  const double *patch, int32_t scaled, plumb_homotopy **homotopy)
{
    *homotopy = NULL;
    plumb_homotopy *h = calloc(1, sizeof *h);
    if (h == NULL)
        return PLUMB_ERR_MEMORY;
    h->projective = patch != NULL;
    h->given_unknowns = target->unknowns;
    h->unknowns = target->unknowns + h->projective;
    h->equations = target->equations + h->projective;
    h->gamma[0] = gamma[0];
    h->gamma[1] = gamma[1];
    plumb_status status = PLUMB_OK;
    if (patch != NULL) {
        h->patch = malloc((size_t)h->unknowns * 2 * sizeof *h->patch);
        if (h->patch != NULL)
            memcpy(h->patch, patch, (size_t)h->unknowns * 2 * sizeof *h->patch);
        else
            status = PLUMB_ERR_MEMORY;
    }
    system_scaling scaling = {.unknown = NULL};
    if (status == PLUMB_OK && scaled)
        status = find_scaling(start, target, &scaling);
    if (status == PLUMB_OK)
        status = make_stacked(h, start, target, &scaling);
    if (status == PLUMB_OK)
        status = take_system(start, target, &scaling, &h->start);
    if (status == PLUMB_OK)
        status = take_system(target, target, &scaling, &h->target);
    h->row = scaling.equation;
    scaling.equation = NULL;
    if (scaling.moves) {
        h->exponent = scaling.unknown;
        scaling.unknown = NULL;
    }
    plumb_scaling_clear(&scaling);
    if (status != PLUMB_OK) {
        plumb_homotopy_destroy(h);
        return status;
    }
    *homotopy = h;
    return PLUMB_OK;
}

void plumb_homotopy_destroy(plumb_homotopy *homotopy)
{
    if (homotopy == NULL)
        return;
    plumb_system_destroy(homotopy->stacked);
    plumb_system_destroy(homotopy->moved);
    plumb_system_destroy(homotopy->start);
    plumb_system_destroy(homotopy->target);
    free(homotopy->patch);
    free(homotopy->exponent);
    free(homotopy->row);
    free(homotopy);
}
