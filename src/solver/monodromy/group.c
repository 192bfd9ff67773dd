/* group.c - the order of a permutation group.
 *
 * Most groups of families are those of all permutations, or of all even ones. They need no stabilizers: a transitive group on n points
 * that has a cycle of a prime length p with n/2 < p < n - 2 is primitive, because p points in one cycle fit neither into a block
 * nor into p different ones, and then it has all even permutations by a theorem of Jordan. Random products show such a cycle soon
 * if there is one.
 *
 * For other groups there is a chain of stabilizers (Schreier and Sims): level k has a base point, permutations that fix the base
 * points before it, and a tree of its orbit under them. The order is the product of the sizes of the orbits if every Schreier
 * generator of every level sifts to the identity. The chain is filled by random products, which takes most groups to the end;
 * the proof is by all Schreier generators, as far as a limit of operations allows.
 *
 * References: C. Jordan, 1873 (see Wielandt, Finite Permutation Groups, theorem 13.9); D.F. Holt, B. Eick and E.A. O'Brien, Handbook of
 * Computational Group Theory, 2005, chapter 4. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/random.h"
#include "solver/monodromy/permutations.h"

enum {
    PRODUCTS = 12,        /* random products at a time */
    WARM = 60,            /* steps before the first of them is used */
    GIANT_TRIALS = 400,   /* random permutations whose cycles are looked at */
    QUIET_SIFTS = 24,     /* random permutations in a row that sift to the identity */
    MOST_POINTS = 1 << 12 /* of a chain */
};

static const int64_t most_work = INT64_C(4000000000); /* images that are looked up */

/* ---- Random elements --------------------------------------------------------------------------------------------- */

/* Product replacement: a list of products of the generators, of which two random ones are multiplied in each step. */
typedef struct random_group {
    int32_t points;
    int32_t *product; /* PRODUCTS rows, and one that collects all of them */
    int32_t *inverse;
    plumb_random random;
} random_group;

static void invert(const int32_t *p, int32_t points, int32_t *inverse)
{
    for (int32_t i = 0; i < points; i++)
        inverse[p[i]] = i;
}

/* a = a b: first a, then b. */
static void multiply(int32_t *a, const int32_t *b, int32_t points)
{
    for (int32_t i = 0; i < points; i++)
        a[i] = b[a[i]];
}

static int32_t *step(random_group *g)
{
    const int32_t n = g->points;
    const uint64_t i = plumb_random_below(&g->random, PRODUCTS);
    const uint64_t j = (i + 1 + plumb_random_below(&g->random, PRODUCTS - 1)) % PRODUCTS;
    int32_t *a = g->product + (size_t)i * (size_t)n, *b = g->product + (size_t)j * (size_t)n,
            *all = g->product + (size_t)PRODUCTS * (size_t)n;
    if (plumb_random_below(&g->random, 2) == 0) {
        invert(b, n, g->inverse);
        b = g->inverse;
    }
    multiply(a, b, n);
    multiply(all, a, n);
    return all;
}

static bool random_begin(const plumb_permutations *given, random_group *g)
{
    const size_t n = (size_t)given->points;
    *g = (random_group){.points = given->points, .random = plumb_random_start(1)};
    g->product = malloc((PRODUCTS + 1) * n * sizeof *g->product);
    g->inverse = malloc(n * sizeof *g->inverse);
    if (!g->product || !g->inverse)
        return false;
    for (size_t k = 0; k <= PRODUCTS; k++)
        for (size_t i = 0; i < n; i++)
            g->product[k * n + i] = k < PRODUCTS ? given->image[(k % (size_t)given->count) * n + i] : (int32_t)i;
    for (int k = 0; k < WARM; k++)
        step(g);
    return true;
}

static void random_end(random_group *g)
{
    free(g->product);
    free(g->inverse);
}

/* ---- Giants ------------------------------------------------------------------------------------------------------ */

static bool is_prime(int32_t p)
{
    for (int32_t d = 2; d * d <= p; d++)
        if (p % d == 0)
            return false;
    return p > 1;
}

static bool is_odd(const int32_t *p, int32_t points, bool *seen)
{
    int32_t cycles = 0;
    memset(seen, 0, (size_t)points * sizeof *seen);
    for (int32_t i = 0; i < points; i++) {
        cycles += !seen[i];
        for (int32_t j = i; !seen[j]; j = p[j])
            seen[j] = true;
    }
    return (points - cycles) % 2 != 0;
}

/* True if a power of the permutation is a cycle that shows that a transitive group is a giant. */
static bool has_long_cycle(const int32_t *p, int32_t points, bool *seen)
{
    memset(seen, 0, (size_t)points * sizeof *seen);
    for (int32_t i = 0; i < points; i++) {
        int32_t length = 0;
        for (int32_t j = i; !seen[j]; j = p[j]) {
            seen[j] = true;
            length++;
        }
        if (length > points / 2 && length < points - 2 && is_prime(length))
            return true;
    }
    return false;
}

/* True if the group is transitive and has all even permutations; the order is set. */
static bool is_giant(const plumb_permutations *given, random_group *g, bool *seen, mpz_t order)
{
    bool found = false, odd = false;
    for (int trial = 0; trial < GIANT_TRIALS && !found; trial++)
        found = has_long_cycle(step(g), given->points, seen);
    for (int32_t k = 0; k < given->count && !odd; k++)
        odd = is_odd(given->image + (size_t)k * (size_t)given->points, given->points, seen);
    mpz_fac_ui(order, (unsigned long)given->points);
    if (!odd)
        mpz_divexact_ui(order, order, 2);
    return found;
}

/* ---- Stabilizers ------------------------------------------------------------------------------------------------- */

/* A level of the chain: permutations are numbers of those of the chain. */
typedef struct group_level {
    int32_t base;
    int32_t *own; /* permutations that fix the base points before */
    int32_t count, room;
    int32_t *orbit, size;
    int32_t *by; /* the permutation that leads to a point of the orbit; -1: the base point; -2: not in the orbit */
} group_level;

typedef struct group_chain {
    int32_t points, levels, permutations, room;
    group_level *level;
    int32_t *image, *inverse; /* of all permutations of the chain */
    int32_t *work, *other;
    int64_t spent;
    bool failed; /* no memory */
} group_chain;

static int32_t *image_of(const group_chain *c, int32_t k)
{
    return c->image + (size_t)k * (size_t)c->points;
}

static int32_t *inverse_of(const group_chain *c, int32_t k)
{
    return c->inverse + (size_t)k * (size_t)c->points;
}

/* Finds the orbit of a level anew. */
static void grow_orbit(group_chain *c, group_level *l)
{
    for (int32_t i = 0; i < c->points; i++)
        l->by[i] = -2;
    l->by[l->base] = -1;
    l->orbit[0] = l->base;
    l->size = 1;
    for (int32_t i = 0; i < l->size; i++)
        for (int32_t k = 0; k < l->count; k++) {
            const int32_t to = image_of(c, l->own[k])[l->orbit[i]];
            if (l->by[to] == -2) {
                l->by[to] = l->own[k];
                l->orbit[l->size++] = to;
            }
        }
    c->spent += (int64_t)l->size * l->count + c->points;
}

static bool add_level(group_chain *c, int32_t base)
{
    group_level *l = &c->level[c->levels++];
    *l = (group_level){.base = base, .room = 8};
    l->own = malloc((size_t)l->room * sizeof *l->own);
    l->orbit = malloc((size_t)c->points * sizeof *l->orbit);
    l->by = malloc((size_t)c->points * sizeof *l->by);
    c->failed = c->failed || !l->own || !l->orbit || !l->by;
    return !c->failed;
}

/* Sifts c->work from a level on; returns the level at which it stops, or the number of levels. It is the identity if it passes all of them
 * and moves no point. */
static int32_t sift(group_chain *c, int32_t from)
{
    const int32_t n = c->points;
    for (int32_t k = from; k < c->levels; k++) {
        const group_level *l = &c->level[k];
        if (l->by[c->work[l->base]] == -2)
            return k;
        while (l->by[c->work[l->base]] != -1) {
            multiply(c->work, inverse_of(c, l->by[c->work[l->base]]), n);
            c->spent += n;
        }
    }
    return c->levels;
}

static bool is_identity(const int32_t *p, int32_t points)
{
    for (int32_t i = 0; i < points; i++)
        if (p[i] != i)
            return false;
    return true;
}

/* Adds c->work, which fixes the base points of the levels before `to`, to the levels from `from` up to that. */
static bool add_permutation(group_chain *c, int32_t from, int32_t to)
{
    const size_t n = (size_t)c->points;
    if (to == c->levels) {
        int32_t moved = 0;
        while (c->work[moved] == moved)
            moved++;
        if (!add_level(c, moved))
            return false;
    }
    if (c->permutations == c->room) {
        const int32_t room = 2 * c->room;
        int32_t *image = realloc(c->image, (size_t)room * n * sizeof *image);
        c->image = image ? image : c->image;
        int32_t *inverse = image ? realloc(c->inverse, (size_t)room * n * sizeof *inverse) : NULL;
        c->inverse = inverse ? inverse : c->inverse;
        c->failed = !image || !inverse;
        if (c->failed)
            return false;
        c->room = room;
    }
    const int32_t number = c->permutations++;
    memcpy(image_of(c, number), c->work, n * sizeof *c->work);
    invert(c->work, c->points, inverse_of(c, number));
    for (int32_t k = from; k <= to; k++) {
        group_level *l = &c->level[k];
        if (l->count == l->room) {
            int32_t *own = realloc(l->own, 2 * (size_t)l->room * sizeof *own);
            c->failed = !own;
            if (c->failed)
                return false;
            l->own = own;
            l->room *= 2;
        }
        l->own[l->count++] = number;
        grow_orbit(c, l);
    }
    return true;
}

/* Sifts c->work, which fixes the base points before level `from`, and adds what is left of it to the levels from `own` on, below which it
 * is a product of permutations that are there. Returns true if nothing was left. */
static bool take(group_chain *c, int32_t from, int32_t own)
{
    const int32_t stop = sift(c, from);
    if (stop == c->levels && is_identity(c->work, c->points))
        return true;
    (void)add_permutation(c, own, stop);
    return false;
}

static bool chain_begin(const plumb_permutations *given, group_chain *c)
{
    const size_t n = (size_t)given->points;
    *c = (group_chain){.points = given->points, .room = 16};
    c->level = calloc(n, sizeof *c->level);
    c->image = malloc((size_t)c->room * n * sizeof *c->image);
    c->inverse = malloc((size_t)c->room * n * sizeof *c->inverse);
    c->work = malloc(n * sizeof *c->work);
    c->other = malloc(n * sizeof *c->other);
    return c->level && c->image && c->inverse && c->work && c->other;
}

static void chain_end(group_chain *c)
{
    for (int32_t k = 0; c->level && k < c->levels; k++) {
        free(c->level[k].own);
        free(c->level[k].orbit);
        free(c->level[k].by);
    }
    free(c->level);
    free(c->image);
    free(c->inverse);
    free(c->work);
    free(c->other);
}

/* c->work = the permutation of the tree that takes the base point of a level to a point of its orbit. */
static void representative(group_chain *c, const group_level *l, int32_t point)
{
    const int32_t n = c->points;
    for (int32_t i = 0; i < n; i++) /* the inverse first: it is a product from the point to the root */
        c->other[i] = i;
    for (int32_t at = point; l->by[at] != -1;) {
        const int32_t *back = inverse_of(c, l->by[at]);
        at = back[at];
        multiply(c->other, back, n);
        c->spent += n;
    }
    invert(c->other, n, c->work);
}

/* Sifts the Schreier generators of a level. Returns true if all of them were the identity, or the limit is exceeded. */
static bool prove_level(group_chain *c, int32_t k)
{
    group_level *l = &c->level[k];
    for (int32_t i = 0; i < l->size; i++)
        for (int32_t j = 0; j < l->count && !c->failed && c->spent < most_work; j++) {
            const int32_t *generator = image_of(c, l->own[j]);
            representative(c, l, l->orbit[i]);
            multiply(c->work, generator, c->points);
            c->spent += 2 * (int64_t)c->points;
            /* The sift on level k takes it back along the tree, and the result is in the stabilizer. */
            if (!take(c, k, k + 1))
                return false;
        }
    return true;
}

/* Fills the chain by the generators and random products. */
static void fill(const plumb_permutations *given, random_group *g, group_chain *c)
{
    const size_t bytes = (size_t)given->points * sizeof *c->work;
    for (int32_t k = 0; k < given->count && !c->failed; k++) {
        memcpy(c->work, given->image + (size_t)k * (size_t)given->points, bytes);
        (void)take(c, 0, 0);
    }
    for (int quiet = 0; quiet < QUIET_SIFTS && !c->failed && c->spent < most_work;) {
        memcpy(c->work, step(g), bytes);
        quiet = take(c, 0, 1) ? quiet + 1 : 0;
    }
}

static plumb_status order_of_chain(const plumb_permutations *given, random_group *g, mpz_t order, order_state *state)
{
    group_chain c;
    const bool begun = chain_begin(given, &c);
    if (begun)
        fill(given, g, &c);
    for (int32_t k = c.levels - 1; begun && k >= 0 && !c.failed && c.spent < most_work;)
        k = prove_level(&c, k) ? k - 1 : c.levels - 1;
    mpz_set_ui(order, 1);
    for (int32_t k = 0; k < c.levels; k++)
        mpz_mul_ui(order, order, (unsigned long)c.level[k].size);
    *state = c.spent < most_work ? ORDER_EXACT : ORDER_AT_LEAST;
    const plumb_status status = begun && !c.failed ? PLUMB_OK : PLUMB_ERR_MEMORY;
    chain_end(&c);
    return status;
}

/* ---- The group --------------------------------------------------------------------------------------------------- */

int64_t plumb_group_orbits(const plumb_permutations *permutations)
{
    const int32_t n = permutations->points;
    int32_t *list = malloc((size_t)n * sizeof *list);
    bool *seen = calloc((size_t)n, sizeof *seen);
    int64_t orbits = 0;
    for (int32_t first = 0; list && seen && first < n; first++) {
        int32_t count = 0;
        if (seen[first])
            continue;
        orbits++;
        list[count++] = first;
        seen[first] = true;
        for (int32_t i = 0; i < count; i++)
            for (int32_t k = 0; k < permutations->count; k++) {
                const int32_t to = permutations->image[(size_t)k * (size_t)n + (size_t)list[i]];
                if (!seen[to]) {
                    seen[to] = true;
                    list[count++] = to;
                }
            }
    }
    free(list);
    free(seen);
    return orbits;
}

plumb_status plumb_group_order(const plumb_permutations *permutations, mpz_t order, order_state *state)
{
    const int32_t n = permutations->points;
    random_group g = {.points = 0};
    bool *seen = malloc((size_t)n * sizeof *seen);
    plumb_status status = PLUMB_ERR_MEMORY;
    *state = ORDER_EXACT;
    mpz_set_ui(order, 1);
    if (permutations->count == 0) {
        free(seen);
        return PLUMB_OK;
    }
    if (seen && random_begin(permutations, &g)) {
        const bool giant = n > 7 && plumb_group_orbits(permutations) == 1 && is_giant(permutations, &g, seen, order);
        status = PLUMB_OK;
        if (!giant && n > MOST_POINTS)
            *state = ORDER_UNKNOWN;
        else if (!giant)
            status = order_of_chain(permutations, &g, order, state);
    }
    random_end(&g);
    free(seen);
    return status;
}
