/* groups.c - finds the distinct products of powers and arranges them in groups of equal shape. */
#include <stdlib.h>

#include "model/program/build.h"

/* Orders by shape, then by factors, so that equal products are adjacent, the earliest term first. Only the last equations
 * are plain, so a product that is also needed with derivatives has them. */
static int compare_products(const void *left, const void *right)
{
    const program_product *x = left, *y = right;
    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    if (x->raised != y->raised)
        return x->raised < y->raised ? -1 : 1;
    for (int32_t j = 0; j < x->k; j++) {
        const system_factor *f = &x->factors[j], *g = &y->factors[j];
        if (f->unknown != g->unknown)
            return f->unknown < g->unknown ? -1 : 1;
        if (f->exponent != g->exponent)
            return f->exponent < g->exponent ? -1 : 1;
    }
    return (x->term > y->term) - (x->term < y->term);
}

static bool same_shape(const program_product *x, const program_product *y)
{
    return x->k == y->k && x->raised == y->raised && x->plain == y->plain;
}

static bool same_product(const program_product *x, const program_product *y)
{
    if (!same_shape(x, y))
        return false;
    for (int32_t j = 0; j < x->k; j++)
        if (x->factors[j].unknown != y->factors[j].unknown || x->factors[j].exponent != y->factors[j].exponent)
            return false;
    return true;
}

/* Orders by shape, then by term, so that the products of one equation stay close together. */
static int compare_first_terms(const void *left, const void *right)
{
    const program_product *x = left, *y = right;
    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    if (x->raised != y->raised)
        return x->raised < y->raised ? -1 : 1;
    if (x->plain != y->plain)
        return x->plain < y->plain ? -1 : 1;
    return (x->term > y->term) - (x->term < y->term);
}

/* Makes one product for each term of two or more unknowns, sorts them, and keeps the distinct ones. term_product maps
 * a term to the first term that has the same product. */
static plumb_status collect(program_build *b)
{
    const plumb_system *system = b->system;
    const int64_t plain = system->equation[system->equations - system->plain]; /* terms from here on */
    int64_t terms = program_terms(system), count = 0, kept = 0;
    b->products = program_array(terms, sizeof *b->products);
    b->term_product = program_array(terms, sizeof *b->term_product);
    if (!b->products || !b->term_product)
        return PLUMB_ERR_MEMORY;
    for (int64_t t = 0; t < terms; t++) {
        const system_term *term = &system->terms[t];
        const system_factor *factors = &system->factors[term->first];
        int32_t raised = 0;
        for (int32_t j = 0; j < term->count && t < plain; j++)
            raised += factors[j].exponent > 1;
        b->term_product[t] = -1;
        if (term->count > 1)
            b->products[count++] = (program_product){
                .factors = factors, .k = term->count, .raised = raised, .term = t, .plain = t >= plain};
    }
    qsort(b->products, (size_t)count, sizeof *b->products, compare_products);
    for (int64_t i = 0; i < count; i++) {
        int64_t term = b->products[i].term;
        if (kept == 0 || !same_product(&b->products[kept - 1], &b->products[i]))
            b->products[kept++] = b->products[i];
        b->term_product[term] = b->products[kept - 1].term;
    }
    b->product_count = kept;
    qsort(b->products, (size_t)kept, sizeof *b->products, compare_first_terms);
    return PLUMB_OK;
}

/* Changes term_product to map a term to its product. */
static plumb_status lead_terms_to_products(program_build *b)
{
    int64_t terms = program_terms(b->system), *product_of = program_array(terms, sizeof *product_of);
    if (!product_of)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < b->product_count; i++)
        product_of[b->products[i].term] = i;
    for (int64_t t = 0; t < terms; t++)
        if (b->term_product[t] >= 0)
            b->term_product[t] = product_of[b->term_product[t]];
    free(product_of);
    return PLUMB_OK;
}

static plumb_status open_groups(program_build *b)
{
    eval_program *p = b->p;
    int64_t groups = 0, factor_count = 0;
    for (int64_t i = 0; i < b->product_count; i++)
        groups += i == 0 || !same_shape(&b->products[i - 1], &b->products[i]);
    p->group = program_array(groups, sizeof *p->group);
    if (!p->group)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < b->product_count; i++) {
        program_product *x = &b->products[i];
        if (i == 0 || !same_shape(x - 1, x))
            p->group[p->group_count++] = (program_group){.k = x->k, .raised = x->raised, .plain = x->plain};
        x->group = p->group_count - 1;
        x->place = p->group[x->group].count++;
    }
    for (int32_t g = 0; g < p->group_count; g++) {
        program_group *group = &p->group[g];
        int64_t slots = 0;
        group->kept = group->plain ? 0 : group->k == 2 ? group->raised : group->k;
        group->stride = (int32_t)program_padded(group->count);
        group->first = (int32_t)factor_count;
        /* k and stride are below 2^31, so nothing overflows in 64 bits. */
        factor_count += (int64_t)(group->k + group->raised) * group->stride;
        slots = (int64_t)(1 + group->kept) * group->stride;
        if (factor_count > INT32_MAX || !program_take_slots(b, slots, &group->to))
            return PLUMB_ERR_SIZE;
        if (group->k > p->most_factors)
            p->most_factors = group->k;
        int64_t sweeps = group->plain ? group->k - 1 : 3 * (int64_t)(group->k - 2) + 1 + group->raised;
        p->products += group->count * sweeps;
        p->value_products += group->count * (int64_t)(group->k - 1);
    }
    p->factor_count = (int32_t)factor_count;
    p->factors = program_array(factor_count, sizeof *p->factors);
    return p->factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* The position of factor j of a product in its group; raised factors come first. */
static int32_t position_of(const program_product *x, int32_t j)
{
    int32_t before = 0;
    bool raised = x->factors[j].exponent > 1;
    for (int32_t l = 0; l < j; l++)
        before += (x->factors[l].exponent > 1) == raised;
    return raised ? before : x->raised + before;
}

plumb_status program_build_groups(program_build *b)
{
    plumb_status status = collect(b);
    if (status == PLUMB_OK)
        status = lead_terms_to_products(b);
    if (status == PLUMB_OK)
        status = open_groups(b);
    if (status != PLUMB_OK)
        return status;
    for (int64_t i = 0; i < b->product_count; i++) {
        const program_product *x = &b->products[i];
        const program_group *group = &b->p->group[x->group];
        int32_t *place = b->p->factors + group->first + x->place, raised = 0, flat = x->raised;
        for (int32_t j = 0; j < x->k; j++) {
            const system_factor *f = &x->factors[j];
            bool is_raised = !x->plain && f->exponent > 1;
            int64_t at = is_raised ? raised++ : flat++;
            place[at * group->stride] = program_power_slot(b, f->unknown, f->exponent);
            if (is_raised)
                place[(group->k + at) * group->stride] = program_power_slot(b, f->unknown, f->exponent - 1);
        }
    }
    return PLUMB_OK;
}

int32_t program_term_value(const program_build *b, int64_t term)
{
    const system_term *t = &b->system->terms[term];
    const system_factor *factors = &b->system->factors[t->first];
    if (t->count == 0)
        return 0;
    if (t->count == 1)
        return program_power_slot(b, factors[0].unknown, factors[0].exponent);
    const program_product *x = &b->products[b->term_product[term]];
    return b->p->group[x->group].to + x->place;
}

int32_t program_term_derivative(const program_build *b, int64_t term, int32_t j)
{
    const system_term *t = &b->system->terms[term];
    const system_factor *factors = &b->system->factors[t->first];
    if (t->count == 1)
        return program_power_slot(b, factors[0].unknown, factors[0].exponent - 1);
    const program_product *x = &b->products[b->term_product[term]];
    const program_group *group = &b->p->group[x->group];
    int32_t position = position_of(x, j);
    if (position < group->kept)
        return group->to + (1 + position) * group->stride + x->place;
    return program_power_slot(b, factors[1 - j].unknown, factors[1 - j].exponent); /* k = 2: the other factor remains */
}
