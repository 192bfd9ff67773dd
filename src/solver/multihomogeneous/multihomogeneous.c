/* multihomogeneous.c - see multihomogeneous.h. */
#include "solver/multihomogeneous/multihomogeneous.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/memory/reserve.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "model/homotopy/scaling.h"
#include "text/matrix/random.h"

enum {
    MOST_TERMS = 50000,   /* of the start system */
    MOST_VISITED = 20000, /* assignments of some equations that are tried before all forms get all unknowns */
    FORM_BITS = 20,
    SPARE = 128,          /* bits beyond those of quad doubles, for the elimination */
    LIMBS_PER_NUMBER = 16 /* of GMP, for reserving memory */
};

void plumb_multihomogeneous_destroy(multihomogeneous *start)
{
    if (!start)
        return;
    plumb_system_destroy(start->system);
    plumb_groups_clear(&start->groups);
    plumb_assignments_clear(&start->table);
    free(start->uses);
    free(start->coefficients);
    free(start->first);
    free(start->exponent);
    free(start);
}

/* ---- Unknowns of the forms --------------------------------------------------------------------------------------- */

/* Tries all assignments of equations to groups. The linear system of a group is regular for almost all coefficients if its
 * equations can be matched with its unknowns such that each has the unknown it is matched with. */
typedef struct assignment_walk {
    const multihomogeneous *start;
    int64_t *partner; /* the equation that an unknown is matched with, or -1: n entries per depth of the walk */
    bool *seen;       /* by unknown */
    int64_t visited;
} assignment_walk;

/* Matches equation i with an unknown of group j, by an augmenting path. */
static bool match(assignment_walk *w, int64_t i, int32_t j, int64_t *partner)
{
    const int64_t n = w->start->groups.unknowns;
    for (int64_t u = 0; u < n; u++) {
        if (w->start->groups.of[u] != j || !w->start->uses[i * n + u] || w->seen[u])
            continue;
        w->seen[u] = true;
        if (partner[u] < 0 || match(w, partner[u], j, partner)) {
            partner[u] = i;
            return true;
        }
    }
    return false;
}

/* The number of solutions whose first equations are assigned; -1 if there is too much to try. */
static int64_t count_regular(assignment_walk *w, int64_t i)
{
    const unknown_groups *g = &w->start->groups;
    const int64_t n = g->unknowns;
    int64_t sum = 0;
    if (++w->visited > MOST_VISITED)
        return -1;
    if (i == n)
        return 1;
    for (int32_t j = 0; j < g->count; j++) {
        const int64_t degree = g->degree[i * n + j];
        int64_t *partner = w->partner + (i + 1) * n;
        memcpy(partner, w->partner + i * n, (size_t)n * sizeof *partner);
        memset(w->seen, 0, (size_t)n * sizeof *w->seen);
        if (degree == 0 || !match(w, i, j, partner))
            continue;
        const int64_t ways = count_regular(w, i + 1);
        if (ways < 0)
            return -1;
        sum += degree * ways; /* at most the number of paths */
    }
    return sum;
}

/* Each equation uses the unknowns that occur in it, or all of them if some assignment were not regular then. */
static plumb_status find_uses(multihomogeneous *s, const plumb_system *target)
{
    const int64_t n = s->groups.unknowns;
    s->uses = calloc((size_t)(n * n) + 1, sizeof *s->uses);
    assignment_walk w = {.start = s,
                         .partner = calloc((size_t)((n + 1) * n) + 1, sizeof *w.partner),
                         .seen = calloc((size_t)n + 1, sizeof *w.seen)};
    const bool enough = s->uses && w.partner && w.seen;
    if (enough) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t t = target->equation[i]; t < target->equation[i + 1]; t++)
                for (int32_t k = 0; k < target->terms[t].count; k++)
                    s->uses[i * n + target->factors[target->terms[t].first + k].unknown] = true;
        for (int64_t u = 0; u < n; u++)
            w.partner[u] = -1;
        if (count_regular(&w, 0) != s->groups.paths)
            memset(s->uses, 1, (size_t)(n * n) * sizeof *s->uses);
    }
    free(w.partner);
    free(w.seen);
    return enough ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* ---- Linear forms ------------------------------------------------------------------------------------------------- */

static int32_t degree_of(const multihomogeneous *s, int64_t i, int32_t j)
{
    return s->groups.degree[i * s->groups.unknowns + j];
}

static const double *form_of(const multihomogeneous *s, int64_t i, int32_t j, int32_t k)
{
    return s->coefficients + s->first[i * s->groups.count + j] + (int64_t)k * 2 * (s->groups.size[j] + 1);
}

/* Finds where the forms are stored. Returns the number of their coefficients, or -1 for too many. */
static int64_t place_forms(multihomogeneous *s)
{
    const unknown_groups *g = &s->groups;
    int64_t all = 0;
    for (int64_t i = 0; i < g->unknowns; i++)
        for (int32_t j = 0; j < g->count; j++) {
            int64_t part;
            s->first[i * g->count + j] = all;
            if (!size_mul(degree_of(s, i, j), 2 * ((int64_t)g->size[j] + 1), &part) || !size_add(all, part, &all))
                return -1;
        }
    return all;
}

/* Unknowns that an equation does not use have the coefficient 0. */
static void drop_unused(multihomogeneous *s)
{
    const unknown_groups *g = &s->groups;
    for (int64_t i = 0; i < g->unknowns; i++)
        for (int32_t j = 0; j < g->count; j++)
            for (int32_t k = 0; k < degree_of(s, i, j); k++) {
                double *form = s->coefficients + s->first[i * g->count + j] + (int64_t)k * 2 * (g->size[j] + 1);
                for (int64_t u = 0; u < g->unknowns; u++)
                    if (g->of[u] == j) {
                        form += 2;
                        if (!s->uses[i * g->unknowns + u])
                            form[0] = form[1] = 0;
                    }
            }
}

static plumb_status make_forms(multihomogeneous *s, uint64_t seed)
{
    const int64_t n = s->groups.unknowns;
    s->first = calloc((size_t)(n * s->groups.count) + 1, sizeof *s->first);
    if (!s->first)
        return PLUMB_ERR_MEMORY;
    const int64_t all = place_forms(s);
    if (all < 0)
        return PLUMB_ERR_SIZE;
    s->coefficients = calloc((size_t)all + 1, sizeof *s->coefficients);
    if (!s->coefficients)
        return PLUMB_ERR_MEMORY;
    plumb_status status = plumb_random_units(seed, all / 2, s->coefficients);
    for (int64_t k = 0; k < all && status == PLUMB_OK; k++)
        s->coefficients[k] = ldexp(nearbyint(ldexp(s->coefficients[k], FORM_BITS)), -FORM_BITS);
    if (status == PLUMB_OK)
        drop_unused(s);
    return status;
}

/* ---- The start system --------------------------------------------------------------------------------------------- */

/* The number of terms of a product of d forms in n unknowns, (n + d choose n), or more than MOST_TERMS. */
static int64_t terms_of_power(int64_t n, int64_t d)
{
    int64_t terms = 1;
    const int64_t small = n < d ? n : d, sum = n + d;
    for (int64_t k = 1; k <= small && terms <= MOST_TERMS; k++)
        terms = terms * (sum - small + k) / k;
    return terms;
}

static bool fits(const multihomogeneous *s)
{
    const unknown_groups *g = &s->groups;
    int64_t all = 0;
    for (int64_t i = 0; i < g->unknowns && all <= MOST_TERMS; i++) {
        int64_t terms = 1;
        for (int32_t j = 0; j < g->count && terms <= MOST_TERMS; j++) {
            int64_t used = 0;
            for (int64_t u = 0; u < g->unknowns; u++)
                used += g->of[u] == j && s->uses[i * g->unknowns + u];
            terms *= terms_of_power(used, degree_of(s, i, j));
        }
        all += terms;
    }
    return all <= MOST_TERMS;
}

/* Sets p to a form of group j. */
static plumb_status form_polynomial(const multihomogeneous *s, int32_t j, const double *form, polynomial *p)
{
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_d(re, form[0]);
    mpq_set_d(im, form[1]);
    plumb_status status = plumb_poly_append(p, re, im, NULL, 0, 0);
    for (int64_t u = 0; u < s->groups.unknowns && status == PLUMB_OK; u++)
        if (s->groups.of[u] == j) {
            const system_factor factor = {(int32_t)u, 1};
            form += 2;
            if (form[0] == 0 && form[1] == 0)
                continue;
            mpq_set_d(re, form[0]);
            mpq_set_d(im, form[1]);
            status = plumb_poly_append(p, re, im, &factor, 1, 1);
        }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* p *= form */
static plumb_status multiply_by_form(const multihomogeneous *s, int32_t j, const double *form, polynomial *p)
{
    poly_work work = {.left = POLY_MOST_WORK};
    polynomial factor = {.terms = NULL}, product = {.terms = NULL};
    plumb_status status = form_polynomial(s, j, form, &factor);
    if (status == PLUMB_OK)
        status = plumb_poly_add_product(&product, p, &factor, &work);
    plumb_poly_clear(&factor);
    plumb_poly_clear(p);
    *p = product;
    return status;
}

static plumb_status make_equation(const multihomogeneous *s, int64_t i, polynomial *p)
{
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_status status = plumb_poly_append(p, one, zero, NULL, 0, 0);
    mpq_clears(one, zero, NULL);
    for (int32_t j = 0; j < s->groups.count; j++)
        for (int32_t k = 0; k < degree_of(s, i, j) && status == PLUMB_OK; k++)
            status = multiply_by_form(s, j, form_of(s, i, j, k), p);
    return status;
}

static plumb_status make_system(multihomogeneous *s, const plumb_system *target)
{
    const int64_t n = target->unknowns;
    system_scaling scaling = {.unknown = NULL};
    polynomial *p = calloc((size_t)n, sizeof *p);
    s->exponent = calloc((size_t)n, sizeof *s->exponent);
    plumb_status status = p && s->exponent ? plumb_scaling_find(target, &scaling) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && scaling.unknown) {
        memcpy(s->exponent, scaling.unknown, (size_t)n * sizeof *s->exponent);
        for (int64_t i = 0; i < n; i++) {
            scaling.unknown[i] = -scaling.unknown[i];
            scaling.equation[i] = -scaling.equation[i];
        }
    }
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        status = make_equation(s, i, &p[i]);
        if (status == PLUMB_OK && scaling.unknown)
            plumb_scaling_apply(&scaling, i, 0, &p[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, n, (const char *const *)target->names, n, &s->system);
    for (int64_t i = 0; p && i < n; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    plumb_scaling_clear(&scaling);
    return status;
}

plumb_status plumb_multihomogeneous_create(const plumb_system *target, unknown_groups *groups, uint64_t seed,
                                           multihomogeneous **made)
{
    const int64_t paths = groups->paths;
    multihomogeneous *s = calloc(1, sizeof *s);
    *made = NULL;
    if (!s) {
        plumb_groups_clear(groups);
        return PLUMB_ERR_MEMORY;
    }
    s->groups = *groups;
    *groups = (unknown_groups){.unknowns = 0};
    plumb_status status = PLUMB_OK;
    if (paths < 1 || paths == INT64_MAX || s->groups.unknowns != target->unknowns)
        status = PLUMB_ERR_ARGUMENT;
    if (status == PLUMB_OK)
        status = find_uses(s, target);
    if (status == PLUMB_OK && !fits(s))
        status = PLUMB_ERR_SIZE;
    if (status == PLUMB_OK)
        status = plumb_assignments_make(&s->groups, GROUPS_MOST_STATES, &s->table);
    if (status == PLUMB_OK)
        status = make_forms(s, seed);
    if (status == PLUMB_OK)
        status = make_system(s, target);
    if (status != PLUMB_OK)
        plumb_multihomogeneous_destroy(s);
    else
        *made = s;
    return status;
}

/* ---- Solutions ---------------------------------------------------------------------------------------------------- */

/* Solves the linear system of one group at a time, by elimination in MPFR: every machine computes the same bits. */
typedef struct group_solver {
    mpfr_t
        *a; /* rows x (rows + 1) complex numbers: real part, imaginary part; the last column is the right-hand side */
    mpfr_t *re, *im, *size; /* the last numbers of a: results of complex operations */
    int64_t room;
} group_solver;

static mpfr_t *entry(const group_solver *g, int64_t rows, int64_t i, int64_t k)
{
    return g->a + 2 * (i * (rows + 1) + k);
}

/* (re, im) = a * b */
static void complex_product(group_solver *g, mpfr_t *a, mpfr_t *b)
{
    mpfr_fmms(*g->re, a[0], b[0], a[1], b[1], MPFR_RNDN);
    mpfr_fmma(*g->im, a[0], b[1], a[1], b[0], MPFR_RNDN);
}

static void complex_subtract(group_solver *g, mpfr_t *from)
{
    mpfr_sub(from[0], from[0], *g->re, MPFR_RNDN);
    mpfr_sub(from[1], from[1], *g->im, MPFR_RNDN);
}
/* b = 1 / b */
/* a /= b; b becomes its conjugate divided by |b|^2. */
static void complex_invert(group_solver *g, mpfr_t *b)
{
    mpfr_fmma(*g->size, b[0], b[0], b[1], b[1], MPFR_RNDN);
    mpfr_div(b[0], b[0], *g->size, MPFR_RNDN);
    mpfr_div(b[1], b[1], *g->size, MPFR_RNDN);
    mpfr_neg(b[1], b[1], MPFR_RNDN);
}

static double modulus(mpfr_t *z)
{
    return plumb_modulus(mpfr_get_d(z[0], MPFR_RNDN), mpfr_get_d(z[1], MPFR_RNDN));
}

/* Exchanges rows so that the largest entry of column k is the pivot. False if all are zero. */
static bool choose_pivot(const group_solver *g, int64_t rows, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < rows; i++)
        if (modulus(entry(g, rows, i, k)) > modulus(entry(g, rows, best, k)))
            best = i;
    for (int64_t c = 0; best != k && c <= rows; c++)
        for (int part = 0; part < 2; part++)
            mpfr_swap(entry(g, rows, k, c)[part], entry(g, rows, best, c)[part]);
    return modulus(entry(g, rows, k, k)) > 0;
}

/* The solution takes the place of the right-hand side. */
static bool eliminate(group_solver *g, int64_t rows)
{
    for (int64_t k = 0; k < rows; k++) {
        if (!choose_pivot(g, rows, k))
            return false;
        complex_invert(g, entry(g, rows, k, k));
        for (int64_t c = k + 1; c <= rows; c++) {
            complex_product(g, entry(g, rows, k, c), entry(g, rows, k, k));
            mpfr_set(entry(g, rows, k, c)[0], *g->re, MPFR_RNDN);
            mpfr_set(entry(g, rows, k, c)[1], *g->im, MPFR_RNDN);
        }
        for (int64_t i = 0; i < rows; i++)
            for (int64_t c = k + 1; i != k && c <= rows; c++) {
                complex_product(g, entry(g, rows, i, k), entry(g, rows, k, c));
                complex_subtract(g, entry(g, rows, i, c));
            }
    }
    return true;
}

/* The limbs of x, each the double nearest to the remainder; x is overwritten. A zero is +0. */
static void split(mpfr_t x, double limbs[PLUMB_QD])
{
    for (int limb = 0; limb < PLUMB_QD; limb++) {
        const double d = mpfr_get_d(x, MPFR_RNDN);
        limbs[limb] = d + 0.0;
        mpfr_sub_d(x, x, d, MPFR_RNDN);
    }
}

/* What belongs to one call: the choices of the solution before, so that groups whose forms are the same are not solved again. */
typedef struct solution_maker {
    const multihomogeneous *start;
    group_solver solver;
    int32_t *group, *choice, *group_before, *choice_before; /* by equation */
    double *point;                                          /* 2 PLUMB_QD doubles per unknown */
    bool any;                                               /* there is a solution before */
} solution_maker;

static bool same_forms(const solution_maker *m, int32_t j)
{
    for (int64_t i = 0; i < m->start->groups.unknowns; i++)
        if ((m->group[i] == j || m->group_before[i] == j) &&
            (m->group[i] != m->group_before[i] || m->choice[i] != m->choice_before[i]))
            return false;
    return true;
}

static void solve_group(solution_maker *m, int32_t j)
{
    const multihomogeneous *s = m->start;
    const int64_t rows = s->groups.size[j];
    for (int64_t i = 0, row = 0; i < s->groups.unknowns; i++) {
        if (m->group[i] != j)
            continue;
        const double *form = form_of(s, i, j, m->choice[i]);
        for (int part = 0; part < 2; part++) {
            mpfr_set_d(entry(&m->solver, rows, row, rows)[part], -form[part], MPFR_RNDN);
            for (int64_t k = 0; k < rows; k++)
                mpfr_set_d(entry(&m->solver, rows, row, k)[part], form[2 * (k + 1) + part], MPFR_RNDN);
        }
        row++;
    }
    const bool solved = eliminate(&m->solver, rows);
    for (int64_t u = 0, row = 0; u < s->groups.unknowns; u++) {
        if (s->groups.of[u] != j)
            continue;
        for (int part = 0; part < 2; part++) {
            mpfr_ptr x = entry(&m->solver, rows, row, rows)[part];
            double *limbs = m->point + (2 * u + part) * PLUMB_QD;
            mpfr_mul_2si(x, x, s->exponent[u], MPFR_RNDN);
            split(x, limbs);
            for (int limb = 0; limb < PLUMB_QD && !solved; limb++)
                limbs[limb] = NAN;
        }
        row++;
    }
}

static void make_solution(solution_maker *m, int64_t number, const plumb_view *x, int64_t b)
{
    const multihomogeneous *s = m->start;
    const size_t n = (size_t)s->groups.unknowns;
    plumb_assignment_get(&s->groups, &s->table, number, m->group, m->choice);
    for (int32_t j = 0; j < s->groups.count; j++)
        if (!m->any || !same_forms(m, j))
            solve_group(m, j);
    m->any = true;
    memcpy(m->group_before, m->group, n * sizeof *m->group);
    memcpy(m->choice_before, m->choice, n * sizeof *m->choice);
    for (size_t u = 0; u < n; u++)
        for (int c = 0; c < 2 * PLUMB_QD; c++)
            x->data[c * x->plane + b * x->next + (int64_t)u] = m->point[u * 2 * PLUMB_QD + (size_t)c];
}

static plumb_status maker_create(const multihomogeneous *s, solution_maker *m)
{
    const size_t n = (size_t)s->groups.unknowns;
    int64_t most = 1;
    for (int32_t j = 0; j < s->groups.count; j++)
        most = s->groups.size[j] > most ? s->groups.size[j] : most;
    *m = (solution_maker){.start = s, .solver.room = 2 * most * (most + 1) + 3};
    group_solver *g = &m->solver;
    g->a = calloc((size_t)g->room, sizeof *g->a);
    m->group = calloc(4 * n, sizeof *m->group);
    m->point = calloc(n * 2 * PLUMB_QD, sizeof *m->point);
    if (!g->a || !m->group || !m->point || !reserve_limbs((g->room + 8) * LIMBS_PER_NUMBER)) {
        free(g->a);
        free(m->group);
        free(m->point);
        return PLUMB_ERR_MEMORY;
    }
    m->choice = m->group + n;
    m->group_before = m->choice + n;
    m->choice_before = m->group_before + n;
    for (int64_t k = 0; k < g->room; k++)
        mpfr_init2(g->a[k], 53 * PLUMB_QD + SPARE);
    g->re = &g->a[g->room - 3];
    g->im = &g->a[g->room - 2];
    g->size = &g->a[g->room - 1];
    return PLUMB_OK;
}

static void maker_clear(solution_maker *m)
{
    group_solver *g = &m->solver;
    for (int64_t k = 0; k < g->room; k++)
        mpfr_clear(g->a[k]);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
    free(g->a);
    free(m->group);
    free(m->point);
}

plumb_status plumb_multihomogeneous_solutions(const multihomogeneous *start, int64_t first, const plumb_view *x)
{
    if (first < 0 || first > start->groups.paths || x->batch > start->groups.paths - first ||
        x->rows != start->groups.unknowns || x->cols != 1 || x->prec != PLUMB_QD || x->parts != PLUMB_COMPLEX ||
        x->where != PLUMB_HOST)
        return PLUMB_ERR_ARGUMENT;
    solution_maker maker;
    plumb_status status = maker_create(start, &maker);
    if (status != PLUMB_OK)
        return status;
    for (int64_t b = 0; b < x->batch; b++)
        make_solution(&maker, first + b, x, b);
    maker_clear(&maker);
    return PLUMB_OK;
}
