/* dependent.c - see dependent.h.
 *
 * A monomial that only one equation has cannot cancel, so this equation takes part in no combination that is zero; and if the
 * monomial is one of its highest degree, in none that lowers a degree. Such equations are set aside first, again and again,
 * which leaves little or nothing of most systems without dependent equations: that takes no arithmetic. */
#include "model/system/dependent.h"

#include <stdlib.h>
#include <string.h>

/* The budget of plumb_system_independent, as that of plumb_solve. */
static const int64_t WORK = 3000000;

typedef struct finder {
    const polynomial *equation;
    int64_t count;
    poly_work *work;
    bool *gone;
    const bool *usable; /* those that were not gone at first */
    polynomial
        *lower; /* of each equation: a combination of lower degree that can replace it, or empty; NULL: not wanted */
    polynomial *basis; /* reduced equations with different leading monomials and leading coefficients 1, as they came */
    int64_t *place;    /* their numbers, in the order of their leading monomials */
    int64_t size;
    int64_t contradiction;
} finder;

/* ---- Monomials of two equations ------------------------------------------------------------------------------------ */

/* A term with the factors of the polynomial that it belongs to. */
typedef struct one_term {
    const system_term *term;
    const system_factor *factors;
} one_term;

static one_term term_of(const polynomial *p, int64_t k)
{
    return (one_term){&p->terms[k], p->factors + p->terms[k].first};
}

/* The order of a normal polynomial. */
static int compare(one_term a, one_term b)
{
    if (a.term->degree != b.term->degree)
        return a.term->degree > b.term->degree ? -1 : 1;
    for (int32_t i = 0; i < a.term->count && i < b.term->count; i++) {
        const system_factor *f = &a.factors[i], *g = &b.factors[i];
        if (f->unknown != g->unknown)
            return f->unknown < g->unknown ? -1 : 1;
        if (f->exponent != g->exponent)
            return f->exponent > g->exponent ? -1 : 1;
    }
    return 0;
}

static bool divides(one_term a, one_term b)
{
    int32_t k = 0;
    if (a.term->degree > b.term->degree || a.term->count > b.term->count)
        return false;
    for (int32_t i = 0; i < a.term->count; i++) {
        while (k < b.term->count && b.factors[k].unknown < a.factors[i].unknown)
            k++;
        if (k == b.term->count || b.factors[k].unknown != a.factors[i].unknown ||
            b.factors[k].exponent < a.factors[i].exponent)
            return false;
    }
    return true;
}

/* product = a b / divisor, where the divisor divides b; returns the number of factors, or -1 if an exponent is too large.
 * There is room for all unknowns of a and b. */
static int32_t shift(one_term a, one_term b, one_term divisor, system_factor *product)
{
    int32_t count = 0, i = 0, k = 0, d = 0;
    while (i < a.term->count || k < b.term->count) {
        const int32_t u = i < a.term->count ? a.factors[i].unknown : INT32_MAX;
        const int32_t v = k < b.term->count ? b.factors[k].unknown : INT32_MAX;
        const int32_t unknown = u < v ? u : v;
        int64_t exponent = 0;
        if (u == unknown)
            exponent += a.factors[i++].exponent;
        if (v == unknown)
            exponent += b.factors[k++].exponent;
        if (d < divisor.term->count && divisor.factors[d].unknown == unknown)
            exponent -= divisor.factors[d++].exponent;
        if (exponent > POLY_MOST_EXPONENT)
            return -1;
        if (exponent > 0)
            product[count++] = (system_factor){unknown, (int32_t)exponent};
    }
    return count;
}

/* ---- Equations that no combination has ----------------------------------------------------------------------------- */

/* The terms of all equations, sorted by their monomials; a column is a monomial. */
typedef struct column_term {
    one_term t;
    int64_t equation, entry; /* entry: number of the term in the list of all, equation by equation */
} column_term;

static int by_monomial(const void *p, const void *q)
{
    const column_term *a = p, *b = q;
    const int order = compare(a->t, b->t);
    return order != 0 ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

typedef struct columns {
    int64_t *first;      /* entry with which the terms of an equation begin, count + 1 of them */
    int64_t *of;         /* column of an entry */
    int64_t *equations;  /* number of equations that have a column, and the sum of their numbers: the number of the */
    int64_t *sum;        /* last one, if only one is left */
    int32_t *degree;     /* of the monomial of a column */
    column_term *sorted; /* scratch memory */
} columns;

static void columns_clear(columns *c)
{
    free(c->first);
    free(c->of);
    free(c->equations);
    free(c->sum);
    free(c->degree);
    free(c->sorted);
}

static bool columns_make(const finder *f, columns *c)
{
    int64_t terms = 0, column = -1;
    c->first = calloc((size_t)f->count + 1, sizeof *c->first);
    for (int64_t e = 0; e < f->count && c->first; e++) {
        c->first[e] = terms;
        terms += f->gone[e] ? 0 : f->equation[e].count;
        c->first[e + 1] = terms;
    }
    const size_t room = (size_t)terms + 1;
    c->of = calloc(room, sizeof *c->of);
    c->equations = calloc(room, sizeof *c->equations);
    c->sum = calloc(room, sizeof *c->sum);
    c->degree = calloc(room, sizeof *c->degree);
    c->sorted = calloc(room, sizeof *c->sorted);
    if (!c->first || !c->of || !c->equations || !c->sum || !c->degree || !c->sorted)
        return false;
    for (int64_t e = 0; e < f->count; e++)
        for (int64_t k = c->first[e]; k < c->first[e + 1]; k++)
            c->sorted[k] = (column_term){term_of(&f->equation[e], k - c->first[e]), e, k};
    qsort(c->sorted, (size_t)terms, sizeof *c->sorted, by_monomial);
    for (int64_t k = 0; k < terms; k++) {
        const column_term *t = &c->sorted[k];
        column += k == 0 || compare(t[-1].t, t->t) != 0;
        c->of[t->entry] = column;
        c->equations[column]++;
        c->sum[column] += t->equation;
        c->degree[column] = t->t.term->degree;
    }
    return true;
}

/* Sets the last equation that has a column aside, if the column is a reason for it. A constant is none: the others may add up
 * to it. */
static void set_aside(const finder *f, const columns *c, int64_t column, bool *core, int64_t *stack, int64_t *depth)
{
    const int64_t e = c->sum[column];
    const int32_t degree = c->degree[column];
    if (c->equations[column] != 1 || degree == 0 || !core[e] || (f->lower && degree < f->equation[e].terms[0].degree))
        return;
    core[e] = false;
    stack[(*depth)++] = e;
}

/* Marks the equations that may take part in combinations. */
static plumb_status find_core(const finder *f, bool *core)
{
    columns c = {.first = NULL};
    int64_t *stack = calloc((size_t)f->count + 1, sizeof *stack), depth = 0;
    const bool good = stack && columns_make(f, &c);
    for (int64_t e = 0; e < f->count && good; e++)
        core[e] = !f->gone[e];
    for (int64_t k = 0; good && k < c.first[f->count]; k++)
        set_aside(f, &c, c.of[k], core, stack, &depth);
    while (good && depth > 0) {
        const int64_t e = stack[--depth];
        for (int64_t k = c.first[e]; k < c.first[e + 1]; k++) {
            const int64_t column = c.of[k];
            c.equations[column]--;
            c.sum[column] -= e;
            set_aside(f, &c, column, core, stack, &depth);
        }
    }
    columns_clear(&c);
    free(stack);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* ---- Reduction ----------------------------------------------------------------------------------------------------- */

/* The place of a leading monomial in the sorted list: of the first one that does not come before it. */
static int64_t find_place(const finder *f, one_term t)
{
    int64_t low = 0, high = f->size;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare(term_of(&f->basis[f->place[middle]], 0), t) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The reduced equation that cancels the leading term, or NULL. */
static const polynomial *find_divisor(const finder *f, one_term t, bool multiples)
{
    const int64_t place = find_place(f, t);
    if (place < f->size && compare(term_of(&f->basis[f->place[place]], 0), t) == 0)
        return &f->basis[f->place[place]];
    for (int64_t k = 0; k < f->size && multiples; k++)
        if (divides(term_of(&f->basis[k], 0), t))
            return &f->basis[k];
    return NULL;
}

static void drop_first(polynomial *p)
{
    mpq_clear(p->terms[0].re);
    mpq_clear(p->terms[0].im);
    memmove(p->terms, p->terms + 1, (size_t)(--p->count) * sizeof *p->terms);
}

/* Cancels the leading term of p by a multiple of g, whose leading coefficient is 1. */
static plumb_status cancel(polynomial *p, const polynomial *g, poly_work *work, mpq_t re, mpq_t im)
{
    const system_term lead = p->terms[0];
    const one_term from = {&lead, p->factors + lead.first};
    const int64_t most = lead.count + (g->used > 0 ? g->used : 1);
    system_factor *space = malloc(2 * (size_t)most * sizeof *space);
    if (!space)
        return PLUMB_ERR_MEMORY;
    if (lead.count > 0) /* p->factors moves when terms are appended */
        memcpy(space + most, from.factors, (size_t)lead.count * sizeof *space);
    const one_term of = {&lead, space + most};
    mpq_neg(re, lead.re);
    mpq_neg(im, lead.im);
    plumb_status status = plumb_work_spend(work, 4 + p->count + g->count);
    for (int64_t k = 1; k < g->count && status == PLUMB_OK; k++) {
        const int32_t count = shift(term_of(g, k), of, term_of(g, 0), space);
        const int32_t degree = g->terms[k].degree + lead.degree - g->terms[0].degree;
        status =
            count < 0 ? PLUMB_ERR_RANGE : plumb_poly_append(p, g->terms[k].re, g->terms[k].im, space, count, degree);
        if (status == PLUMB_OK)
            status = plumb_coefficient_multiply(p->terms[p->count - 1].re, p->terms[p->count - 1].im, re, im, work);
    }
    free(space);
    if (status != PLUMB_OK)
        return status;
    drop_first(p);
    return plumb_poly_normalise(p);
}

static plumb_status reduce(const finder *f, polynomial *p, bool multiples)
{
    plumb_status status = PLUMB_OK;
    const polynomial *g;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    while (status == PLUMB_OK && p->count > 0 && (g = find_divisor(f, term_of(p, 0), multiples)) != NULL)
        status = cancel(p, g, f->work, re, im);
    mpq_clears(re, im, NULL);
    return status;
}

/* Divides p by its leading coefficient. */
static plumb_status make_monic(polynomial *p, poly_work *work)
{
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_ui(re, 1, 1);
    plumb_status status = plumb_coefficient_divide(re, im, p->terms[0].re, p->terms[0].im, work);
    for (int64_t k = 0; k < p->count && status == PLUMB_OK; k++)
        status = plumb_coefficient_multiply(p->terms[k].re, p->terms[k].im, re, im, work);
    mpq_clears(re, im, NULL);
    return status;
}

/* Adds a reduced equation, which it takes over. */
static plumb_status keep(finder *f, polynomial *p)
{
    plumb_status status = make_monic(p, f->work);
    if (status != PLUMB_OK)
        return status;
    const int64_t place = find_place(f, term_of(p, 0));
    memmove(f->place + place + 1, f->place + place, (size_t)(f->size - place) * sizeof *f->place);
    f->place[place] = f->size;
    f->basis[f->size++] = *p;
    *p = (polynomial){.terms = NULL};
    return PLUMB_OK;
}

static void forget(finder *f)
{
    for (int64_t k = 0; k < f->size; k++)
        plumb_poly_clear(&f->basis[k]);
    f->size = 0;
}

/* ---- The equations in order ---------------------------------------------------------------------------------------- */

typedef struct ranked_equation {
    int64_t equation, degree;
} ranked_equation;

static int by_rank(const void *p, const void *q)
{
    const ranked_equation *a = p, *b = q;
    if (a->degree != b->degree)
        return a->degree < b->degree ? -1 : 1;
    return a->equation < b->equation ? -1 : a->equation > b->equation;
}

static plumb_status copy(const polynomial *from, polynomial *to)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < from->count && status == PLUMB_OK; k++) {
        const system_term *t = &from->terms[k];
        status = plumb_poly_append(to, t->re, t->im, from->factors + t->first, t->count, t->degree);
    }
    return status;
}

/* True if a combination is to replace an equation: its degree is lower, and it is linear or adds no terms. */
static bool is_better(const polynomial *p, const polynomial *given)
{
    return p->count > 0 && p->terms[0].degree < given->terms[0].degree &&
           (p->terms[0].degree == 1 || p->count <= given->count);
}

/* Is p a multiple of g? Division by one polynomial decides it. */
static plumb_status divide(const finder *f, const polynomial *p, const polynomial *g, bool *multiple)
{
    int64_t place = 0;
    polynomial rest = {.terms = NULL}, divisor = {.terms = NULL};
    const finder alone = {.work = f->work, .basis = &divisor, .place = &place, .size = 1};
    plumb_status status = copy(p, &rest);
    if (status == PLUMB_OK)
        status = copy(g, &divisor);
    if (status == PLUMB_OK)
        status = make_monic(&divisor, f->work);
    if (status == PLUMB_OK)
        status = reduce(&alone, &rest, true);
    *multiple = status == PLUMB_OK && rest.count == 0;
    plumb_poly_clear(&rest);
    plumb_poly_clear(&divisor);
    return status;
}

/* Is an equation a multiple of another one of lower degree? The first and the last term of a product are products, too. */
static plumb_status find_factor(const finder *f, int64_t e, bool *multiple)
{
    const polynomial *p = &f->equation[e];
    plumb_status status = PLUMB_OK;
    *multiple = false;
    for (int64_t k = 0; k < f->count && !*multiple && status == PLUMB_OK; k++) {
        const polynomial *g = &f->equation[k];
        if (f->usable[k] && g->count > 0 && g->terms[0].degree < p->terms[0].degree &&
            divides(term_of(g, 0), term_of(p, 0)) && divides(term_of(g, g->count - 1), term_of(p, p->count - 1)))
            status = divide(f, p, g, multiple);
    }
    return status;
}

/* Reduces an equation by those before it. */
static plumb_status take(finder *f, int64_t e, bool multiples)
{
    const polynomial *given = &f->equation[e];
    polynomial p = {.terms = NULL};
    bool multiple = false;
    plumb_status status = multiples ? find_factor(f, e, &multiple) : PLUMB_OK;
    if (status == PLUMB_OK && !multiple)
        status = copy(given, &p);
    if (status == PLUMB_OK && !multiple)
        status = reduce(f, &p, multiples);
    if (status == PLUMB_OK && f->lower && !multiples && is_better(&p, given))
        status = copy(&p, &f->lower[e]);
    if (status == PLUMB_OK && p.count == 0)
        f->gone[e] = true;
    else if (status == PLUMB_OK && p.terms[0].degree == 0)
        f->contradiction = e;
    else if (status == PLUMB_OK)
        status = keep(f, &p);
    plumb_poly_clear(&p);
    return status;
}

/* Looks for dependent equations among those that are marked. */
static plumb_status take_all(finder *f, const bool *marked, bool multiples)
{
    ranked_equation *order = calloc((size_t)f->count + 1, sizeof *order);
    plumb_status status = order ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t count = 0;
    for (int64_t e = 0; e < f->count && order; e++)
        if (marked[e]) {
            const polynomial *p = &f->equation[e];
            order[count++] = (ranked_equation){e, p->count > 0 ? p->terms[0].degree : 0};
        }
    if (order)
        qsort(order, (size_t)count, sizeof *order, by_rank);
    for (int64_t k = 0; k < count && status == PLUMB_OK && f->contradiction < 0; k++)
        status = take(f, order[k].equation, multiples);
    forget(f);
    free(order);
    return status == PLUMB_ERR_SIZE || status == PLUMB_ERR_RANGE ? PLUMB_OK : status; /* too much work: leave it */
}

static int64_t count_left(const finder *f, bool *left)
{
    int64_t count = 0;
    for (int64_t e = 0; e < f->count; e++) {
        left[e] = !f->gone[e];
        count += left[e];
    }
    return count;
}

plumb_status plumb_dependent_find(const polynomial *equations, int64_t count, int64_t unknowns, poly_work *work,
                                  bool *gone, polynomial *lower, int64_t *contradiction)
{
    finder f = {.equation = equations,
                .count = count,
                .work = work,
                .gone = gone,
                .lower = lower,
                .basis = calloc((size_t)count + 1, sizeof *f.basis),
                .place = calloc((size_t)count + 1, sizeof *f.place),
                .contradiction = -1};
    bool *marked = calloc((size_t)count + 1, sizeof *marked), *usable = calloc((size_t)count + 1, sizeof *usable);
    for (int64_t e = 0; e < count && usable; e++)
        usable[e] = !gone[e];
    f.usable = usable;
    plumb_status status = f.basis && f.place && marked && usable ? find_core(&f, marked) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = take_all(&f, marked, false);
    if (status == PLUMB_OK && f.contradiction < 0 && count_left(&f, marked) > unknowns)
        status = take_all(&f, marked, true);
    *contradiction = f.contradiction;
    free(f.basis);
    free(f.place);
    free(marked);
    free(usable);
    return status;
}

/* ---- Systems ------------------------------------------------------------------------------------------------------- */

/* Copies the equations that are not gone. */
static plumb_status select_equations(const plumb_system *system, const polynomial *view, const bool *gone,
                                     plumb_system **left)
{
    polynomial *list = calloc((size_t)system->equations + 1, sizeof *list);
    plumb_status status = list ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t count = 0;
    for (int64_t e = 0; e < system->equations && status == PLUMB_OK; e++) {
        for (int64_t k = 0; k < view[e].count && !gone[e] && status == PLUMB_OK; k++) {
            const system_term *t = &view[e].terms[k];
            status = plumb_poly_append(&list[count], t->re, t->im, system->factors + t->first, t->count, t->degree);
        }
        count += !gone[e];
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(list, count, (const char *const *)system->names, system->unknowns, left);
    for (int64_t k = 0; list && k < count; k++)
        plumb_poly_clear(&list[k]);
    free(list);
    return status;
}

plumb_status plumb_system_independent(const plumb_system *system, plumb_system **left)
{
    const int64_t m = system->equations;
    *left = NULL;
    if (m <= system->unknowns)
        return PLUMB_OK;
    polynomial *view = calloc((size_t)m, sizeof *view);
    bool *gone = calloc((size_t)m, sizeof *gone);
    plumb_status status = view && gone ? PLUMB_OK : PLUMB_ERR_MEMORY;
    poly_work work = {.left = WORK};
    int64_t contradiction = -1, count = 0;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++)
        view[e] = (polynomial){.terms = system->terms + system->equation[e],
                               .factors = system->factors,
                               .count = system->equation[e + 1] - system->equation[e]};
    if (status == PLUMB_OK)
        status = plumb_dependent_find(view, m, system->unknowns, &work, gone, NULL, &contradiction);
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++)
        count += !gone[e];
    if (status == PLUMB_OK && contradiction < 0 && count == system->unknowns)
        status = select_equations(system, view, gone, left);
    free(view);
    free(gone);
    return status;
}
