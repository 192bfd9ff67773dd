/* groups.c - see groups.h. */
#include "solver/multihomogeneous/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"

enum {
    WORK_PER_PATH = 50000,   /* of one group: a path takes some times longer than this many operations */
    SEARCH_WORK = 20000000,  /* operations of the search, some nanoseconds each */
    SEARCH_STATES = 1 << 14, /* partitions with larger tables are not improved */
    SIMPLE_STATES =
        1 << 18,       /* simple partitions, of which there are few, may have larger ones: two groups of 511 unknowns */
    MOST_FOR_ALL = 10, /* maximum number of unknowns whose partitions may all be tried */
    MOST_UNKNOWNS = 1024
};

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

void plumb_groups_clear(unknown_groups *groups)
{
    free(groups->of);
    free(groups->size);
    free(groups->degree);
    *groups = (unknown_groups){.unknowns = 0};
}

static plumb_status groups_create(const plumb_system *system, unknown_groups *groups)
{
    const int64_t n = system->unknowns;
    int64_t entries;
    *groups = (unknown_groups){.unknowns = n};
    if (!size_mul(n, n, &entries) || !size_mul(entries, (int64_t)sizeof *groups->degree, &entries))
        return PLUMB_ERR_SIZE;
    groups->of = calloc((size_t)n, sizeof *groups->of);
    groups->size = calloc((size_t)n, sizeof *groups->size);
    groups->degree = calloc((size_t)entries + 1, 1);
    if (groups->of && groups->size && groups->degree)
        return PLUMB_OK;
    plumb_groups_clear(groups);
    return PLUMB_ERR_MEMORY;
}

/* Numbers the groups by their first unknowns and counts their unknowns. number has room for one per unknown. */
static void renumber(unknown_groups *groups, int32_t *number)
{
    groups->count = 0;
    for (int64_t u = 0; u < groups->unknowns; u++)
        number[u] = -1;
    for (int64_t u = 0; u < groups->unknowns; u++) {
        int32_t *to = &number[groups->of[u]];
        if (*to < 0) {
            *to = groups->count++;
            groups->size[*to] = 0;
        }
        groups->of[u] = *to;
        groups->size[*to]++;
    }
}

/* Computes the degrees of all equations in the unknowns of each group. Returns the number of operations. */
static int64_t find_degrees(const plumb_system *system, unknown_groups *groups, int32_t *sum)
{
    int64_t work = 0;
    for (int64_t i = 0; i < system->equations; i++) {
        int32_t *degree = groups->degree + i * groups->unknowns;
        memset(degree, 0, (size_t)groups->count * sizeof *degree);
        for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++) {
            const system_term *term = &system->terms[t];
            const system_factor *f = system->factors + term->first;
            for (int32_t k = 0; k < term->count; k++)
                sum[groups->of[f[k].unknown]] = 0;
            for (int32_t k = 0; k < term->count; k++) {
                const int32_t j = groups->of[f[k].unknown];
                sum[j] += f[k].exponent;
                if (sum[j] > degree[j])
                    degree[j] = sum[j];
            }
            work += 1 + 2 * term->count;
        }
        work += groups->count;
    }
    return work;
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* The sum plus the product, or INT64_MAX if that is too large; exact says that it is not. */
static inline int64_t add_product(int64_t sum, int64_t factor, int64_t ways, bool exact)
{
    if (exact)
        return sum + factor * ways;
    int64_t product;
    if (factor == 0 || ways == 0)
        return sum;
    if (__builtin_mul_overflow(factor, ways, &product) || __builtin_add_overflow(sum, product, &sum))
        return INT64_MAX;
    return sum;
}

/* The number of states; -1 if there are more than most. */
static int64_t count_states(const unknown_groups *groups, int64_t most)
{
    int64_t states = 1;
    for (int32_t j = 0; j < groups->count; j++)
        if (__builtin_mul_overflow(states, (int64_t)groups->size[j] + 1, &states) || states > most)
            return -1;
    return states;
}

/* Does no number of ways overflow? They are at most the product of the degrees of the equations in all groups together. */
static bool ways_fit(const unknown_groups *groups)
{
    int64_t most = 1;
    for (int64_t i = 0; i < groups->unknowns; i++) {
        int64_t sum = 0;
        for (int32_t j = 0; j < groups->count; j++)
            sum += groups->degree[i * groups->unknowns + j];
        if (__builtin_mul_overflow(most, sum > 1 ? sum : 1, &most))
            return false;
    }
    return true;
}

/* Fills ways, state by state: each adds to those that depend on it, which have larger numbers; most states of sparse systems have no ways,
 * and nothing to add. left counts up as the digits of the state. exact is a constant at each call. */
static inline void fill_states(const unknown_groups *groups, const int64_t *stride, int64_t states, int32_t *left,
                               int64_t *ways, bool exact)
{
    const int64_t n = groups->unknowns;
    const int32_t m = groups->count;
    int64_t sum = 0; /* of left: equations that are still to be assigned */
    memset(left, 0, (size_t)m * sizeof *left);
    memset(ways, 0, (size_t)states * sizeof *ways);
    ways[0] = 1;
    for (int64_t s = 0; s < states - 1; s++) {
        const int32_t *degree = groups->degree + (n - sum - 1) * n;
        const int64_t own = ways[s];
        for (int32_t j = 0; j < m && own != 0; j++) {
            /* Branches that depend on degrees would cost more than the products that they save. */
            const bool fits = left[j] < groups->size[j];
            int64_t *next = ways + s + (fits ? stride[j] : 0);
            *next = add_product(*next, fits ? degree[j] : 0, own, exact);
        }
        for (int32_t j = 0;; j++) { /* the next state */
            if (left[j] < groups->size[j]) {
                left[j]++;
                sum++;
                break;
            }
            sum -= left[j];
            left[j] = 0;
        }
    }
}

static void fill_ways(const unknown_groups *groups, const int64_t *stride, int64_t states, int32_t *left, int64_t *ways)
{
    if (ways_fit(groups))
        fill_states(groups, stride, states, left, ways, true);
    else
        fill_states(groups, stride, states, left, ways, false);
}

static void set_strides(const unknown_groups *groups, int64_t *stride)
{
    int64_t next = 1;
    for (int32_t j = 0; j < groups->count; j++) {
        stride[j] = next;
        next *= (int64_t)groups->size[j] + 1;
    }
}

plumb_status plumb_assignments_make(const unknown_groups *groups, int64_t most, assignment_table *table)
{
    *table = (assignment_table){.states = count_states(groups, most)};
    if (table->states < 0)
        return PLUMB_ERR_SIZE;
    int32_t *left = calloc((size_t)groups->count + 1, sizeof *left);
    table->ways = calloc((size_t)table->states + 1, sizeof *table->ways);
    table->stride = calloc((size_t)groups->count + 1, sizeof *table->stride);
    const bool enough = left && table->ways && table->stride;
    if (enough) {
        set_strides(groups, table->stride);
        fill_ways(groups, table->stride, table->states, left, table->ways);
    } else {
        plumb_assignments_clear(table);
    }
    free(left);
    return enough ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

void plumb_assignments_clear(assignment_table *table)
{
    free(table->ways);
    free(table->stride);
    *table = (assignment_table){.ways = NULL};
}

void plumb_assignment_get(const unknown_groups *groups, const assignment_table *table, int64_t number, int32_t *group,
                          int32_t *choice)
{
    int64_t state = table->states - 1;
    for (int64_t i = 0; i < groups->unknowns; i++) {
        const int32_t *degree = groups->degree + i * groups->unknowns;
        for (int32_t j = 0;; j++) {
            const int64_t radix = groups->size[j] + 1;
            if (degree[j] == 0 || state / table->stride[j] % radix == 0)
                continue;
            const int64_t ways = table->ways[state - table->stride[j]];
            if (ways == 0)
                continue;
            if (number / ways < degree[j]) {
                group[i] = j;
                choice[i] = (int32_t)(number / ways);
                number %= ways;
                state -= table->stride[j];
                break;
            }
            number -= degree[j] * ways;
        }
    }
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

typedef struct group_search {
    const plumb_system *system;
    unknown_groups best, trial;
    int32_t *scratch; /* three entries per unknown */
    int64_t *stride, *ways;
    int64_t work; /* operations that are left */
} group_search;

static void copy_groups(unknown_groups *to, const unknown_groups *from)
{
    const size_t n = (size_t)from->unknowns;
    to->count = from->count;
    to->paths = from->paths;
    memcpy(to->of, from->of, n * sizeof *to->of);
    memcpy(to->size, from->size, n * sizeof *to->size);
    for (size_t i = 0; i < n; i++)
        memcpy(to->degree + i * n, from->degree + i * n, (size_t)from->count * sizeof *to->degree);
}

/* Counts the paths of the trial, with a table of at most this many states. False if that would take too long. */
static bool count_with(group_search *s, int64_t most)
{
    unknown_groups *g = &s->trial;
    renumber(g, s->scratch);
    const int64_t states = count_states(g, most);
    if (states < 0 || s->work <= 0)
        return false;
    s->work -= find_degrees(s->system, g, s->scratch) + states * g->count;
    set_strides(g, s->stride);
    fill_ways(g, s->stride, states, s->scratch + g->unknowns, s->ways);
    g->paths = s->ways[states - 1];
    return true;
}

static bool count_trial(group_search *s)
{
    return count_with(s, SEARCH_STATES);
}

/* Keeps the trial if it is better than the best partition. Equal ones are kept where they have fewer groups. */
static void keep_trial(group_search *s)
{
    if (s->trial.paths < s->best.paths || (s->trial.paths == s->best.paths && s->trial.count < s->best.count))
        copy_groups(&s->best, &s->trial);
}

static void try_trial(group_search *s)
{
    if (count_with(s, SIMPLE_STATES))
        keep_trial(s);
}

/* All partitions, as restricted growth strings: the group of an unknown is at most one more than those before it. */
static void try_all(group_search *s)
{
    const int32_t n = (int32_t)s->system->unknowns;
    int32_t string[MOST_FOR_ALL] = {0};
    for (;;) {
        memcpy(s->trial.of, string, (size_t)n * sizeof *string);
        try_trial(s);
        int32_t u = n - 1;
        for (; u > 0; u--) {
            int32_t most = 0;
            for (int32_t v = 0; v < u; v++)
                most = string[v] > most ? string[v] : most;
            if (string[u] <= most)
                break;
        }
        if (u == 0 || s->work <= 0)
            return;
        string[u]++;
        for (int32_t v = u + 1; v < n; v++)
            string[v] = 0;
    }
}

/* Moves one unknown to another group, or joins two groups, as long as that is better. from is the partition that is being
 * improved; it has room for one number per unknown. */
static void improve(group_search *s, unknown_groups *from)
{
    const int64_t n = s->system->unknowns;
    memcpy(s->trial.of, from->of, (size_t)n * sizeof *from->of);
    if (!count_trial(s))
        return;
    copy_groups(from, &s->trial);
    for (bool better = true; better && s->work > 0;) {
        const unknown_groups base = *from;
        int32_t *of = s->scratch + 2 * n; /* of the best neighbour */
        int64_t paths = base.paths;
        better = false;
        for (int64_t u = 0; u < n; u++)
            for (int32_t j = 0; j <= base.count && j < n; j++) {
                if (j == base.of[u])
                    continue;
                memcpy(s->trial.of, base.of, (size_t)n * sizeof *of);
                s->trial.of[u] = j;
                if (count_trial(s) && s->trial.paths < paths) {
                    paths = s->trial.paths;
                    memcpy(of, s->trial.of, (size_t)n * sizeof *of);
                    better = true;
                }
            }
        for (int32_t a = 0; a < base.count; a++)
            for (int32_t b = a + 1; b < base.count; b++) {
                for (int64_t u = 0; u < n; u++)
                    s->trial.of[u] = base.of[u] == b ? a : base.of[u];
                if (count_trial(s) && s->trial.paths < paths) {
                    paths = s->trial.paths;
                    memcpy(of, s->trial.of, (size_t)n * sizeof *of);
                    better = true;
                }
            }
        if (better) {
            memcpy(s->trial.of, of, (size_t)n * sizeof *of);
            better = count_trial(s);
            if (better)
                copy_groups(from, &s->trial);
        }
    }
    if (from->paths < s->best.paths || (from->paths == s->best.paths && from->count < s->best.count))
        copy_groups(&s->best, from);
}

/* Are two unknowns, or one twice, factors of one term? Then they are better in different groups. together has n * n entries. */
static void find_neighbours(const plumb_system *system, bool *together)
{
    const int64_t n = system->unknowns, terms = system->equation[system->equations];
    for (int64_t t = 0; t < terms; t++) {
        const system_factor *f = system->factors + system->terms[t].first;
        for (int32_t a = 0; a < system->terms[t].count; a++)
            for (int32_t b = 0; b < system->terms[t].count; b++)
                together[f[a].unknown * n + f[b].unknown] = true;
    }
}

/* Each unknown joins the first group without a neighbour of it: a greedy colouring. Equations are then linear in each group,
 * except for powers of single unknowns. */
static void colour(const plumb_system *system, const bool *together, int32_t *of)
{
    const int64_t n = system->unknowns;
    for (int64_t u = 0; u < n; u++) {
        int32_t j = 0;
        for (bool taken = true; taken; j += taken) {
            taken = false;
            for (int64_t v = 0; v < u && !taken; v++)
                taken = of[v] == j && together[u * n + v];
        }
        of[u] = j;
    }
}

/* ---- Simple partitions ------------------------------------------------------------------------------------------- */

/* What speaks for having two unknowns in one group (positive) or in two (negative). An equation in which an unknown has a power above 1 has at
 * least this degree in the group of the unknown, whatever the others do, so that its unknowns are better together; in other equations,
 * unknowns that are multiplied are better apart. pull has n * n entries. Returns the number of operations. */
static int64_t find_pulls(const plumb_system *system, int32_t *list, int32_t *seen, int32_t *pull)
{
    const int64_t n = system->unknowns;
    int64_t work = 0;
    for (int64_t u = 0; u < n; u++)
        seen[u] = -1;
    for (int64_t i = 0; i < system->equations; i++) {
        bool powers = false;
        int32_t count = 0;
        for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++) {
            const system_factor *f = system->factors + system->terms[t].first;
            for (int32_t a = 0; a < system->terms[t].count; a++) {
                powers = powers || f[a].exponent > 1;
                if (seen[f[a].unknown] != (int32_t)i) {
                    seen[f[a].unknown] = (int32_t)i;
                    list[count++] = f[a].unknown;
                }
            }
            work += 1 + system->terms[t].count;
        }
        for (int32_t a = 0; powers && a < count; a++)
            for (int32_t b = 0; b < count; b++)
                pull[list[a] * n + list[b]]++;
        work += powers ? (int64_t)count * count : 0;
        for (int64_t t = system->equation[i]; !powers && t < system->equation[i + 1]; t++) {
            const system_factor *f = system->factors + system->terms[t].first;
            for (int32_t a = 0; a < system->terms[t].count; a++)
                for (int32_t b = 0; b < system->terms[t].count; b++)
                    pull[f[a].unknown * n + f[b].unknown]--;
            work += (int64_t)system->terms[t].count * system->terms[t].count;
        }
    }
    return work;
}

/* The pull of all unknowns that have a side (0 or 1; -1: none yet) on u: to side 0 if it is positive. */
static int64_t pull_on(const int32_t *pull, const int32_t *side, int64_t n, int64_t u)
{
    int64_t sum = 0;
    for (int64_t v = 0; v < n; v++)
        if (v != u && side[v] >= 0)
            sum += side[v] == 0 ? pull[u * n + v] : -pull[u * n + v];
    return sum;
}

/* Two groups by the pulls: the unknown that is pulled most comes next, until all have a side, and then unknowns change sides as long as
 * they follow their pulls; each change makes the sum of the pulls that are followed larger. */
static void divide_by_pulls(const int32_t *pull, int64_t n, int64_t *work, int32_t *side)
{
    for (int64_t u = 0; u < n; u++)
        side[u] = -1;
    for (int64_t k = 0; k<n && * work> 0; k++) {
        int64_t next = -1, most = -1;
        for (int64_t u = 0; u < n; u++) {
            const int64_t sum = side[u] < 0 ? pull_on(pull, side, n, u) : 0;
            if (side[u] < 0 && (sum < 0 ? -sum : sum) > most) {
                most = sum < 0 ? -sum : sum;
                next = u;
            }
        }
        side[next] = pull_on(pull, side, n, next) < 0;
        *work -= n * n;
    }
    for (bool changed = true; changed && *work > 0; *work -= n * n) {
        changed = false;
        for (int64_t u = 0; u < n; u++) {
            const int64_t sum = pull_on(pull, side, n, u);
            if (side[u] < 0 || (side[u] == 0 ? sum < 0 : sum > 0)) {
                side[u] = sum < 0;
                changed = true;
            }
        }
    }
}

/* Two groups by how unknowns are multiplied: neighbours get different groups, in the order of a breadth-first search, as far as they
 * can. */
static void divide_by_products(const bool *together, int64_t n, int32_t *queue, int32_t *of)
{
    int64_t first = 0, last = 0;
    for (int64_t u = 0; u < n; u++)
        of[u] = -1;
    for (int64_t root = 0; root < n; root++) {
        if (of[root] >= 0)
            continue;
        of[root] = 0;
        queue[last++] = (int32_t)root;
        for (; first < last; first++)
            for (int64_t v = 0; v < n; v++)
                if (together[queue[first] * n + v] && of[v] < 0) {
                    of[v] = 1 - of[queue[first]];
                    queue[last++] = (int32_t)v;
                }
    }
}

/* Group 1: the unknowns that have a power above 1 somewhere. */
static void divide_by_degrees(const plumb_system *system, int32_t *of)
{
    memset(of, 0, (size_t)system->unknowns * sizeof *of);
    for (int64_t t = 0; t < system->equation[system->equations]; t++) {
        const system_factor *f = system->factors + system->terms[t].first;
        for (int32_t k = 0; k < system->terms[t].count; k++)
            if (f[k].exponent > 1)
                of[f[k].unknown] = 1;
    }
}

/* Puts the unknowns of an equation into group `to`, beside a partition into groups 0 and 1. */
static void move_equation(const plumb_system *system, int64_t equation, int32_t to, int32_t *of)
{
    for (int64_t t = system->equation[equation]; t < system->equation[equation + 1]; t++)
        for (int32_t k = 0; k < system->terms[t].count; k++)
            of[system->factors[system->terms[t].first + k].unknown] = to;
}

/* Two groups that grow by whole equations: equations in the unknowns of one group alone have the lowest degree there, but to move their
 * unknowns one by one helps only at the end. from is the partition that is improved. */
static void grow_by_equations(group_search *s, unknown_groups *from)
{
    const plumb_system *system = s->system;
    const int64_t n = system->unknowns;
    const int64_t least = s->work - s->work / 4; /* the rest is for other partitions */
    int64_t paths = INT64_MAX;
    memset(from->of, 0, (size_t)n * sizeof *from->of);
    for (bool better = true; better && s->work > least;) {
        int64_t equation = -1;
        int32_t group = 1;
        better = false;
        for (int64_t i = 0; i < n; i++)
            for (int32_t to = 0; to <= 1 && s->work > least; to++) {
                memcpy(s->trial.of, from->of, (size_t)n * sizeof *from->of);
                move_equation(system, i, to, s->trial.of);
                if (!count_with(s, SIMPLE_STATES))
                    continue;
                keep_trial(s);
                if (s->trial.count > 1 && s->trial.paths < paths) {
                    paths = s->trial.paths;
                    equation = i;
                    group = to;
                    better = true;
                }
            }
        if (better)
            move_equation(system, equation, group, from->of);
    }
}

/* Tries partitions that follow from how unknowns occur, and improves the best of them. */
static void try_simple(group_search *s, unknown_groups *from, const bool *together, int32_t *pull)
{
    const int64_t n = s->system->unknowns;
    const size_t bytes = (size_t)n * sizeof *s->trial.of;
    s->work -= find_pulls(s->system, s->scratch, s->scratch + n, pull) + n * n;
    divide_by_pulls(pull, n, &s->work, s->scratch + 2 * n);
    for (int64_t u = 0; u < n; u++)
        s->trial.of[u] = s->scratch[2 * n + u] == 1;
    try_trial(s);
    divide_by_products(together, n, s->scratch, s->trial.of);
    try_trial(s);
    divide_by_degrees(s->system, s->trial.of);
    try_trial(s);
    grow_by_equations(s, from);
    if (s->best.count > 1) {
        memcpy(from->of, s->best.of, bytes);
        improve(s, from);
    }
}

static plumb_status search_from_starts(group_search *s)
{
    const int64_t n = s->system->unknowns;
    unknown_groups from;
    plumb_status status = groups_create(s->system, &from);
    if (status != PLUMB_OK)
        return status;
    bool *together = calloc((size_t)(n * n), sizeof *together);
    int32_t *pull = calloc((size_t)(n * n), sizeof *pull);
    if (together && pull) {
        find_neighbours(s->system, together);
        try_simple(s, &from, together, pull);
        colour(s->system, together, from.of);
        improve(s, &from);
        for (int32_t u = 0; u < n; u++)
            from.of[u] = u;
        improve(s, &from);
    }
    status = together && pull ? PLUMB_OK : PLUMB_ERR_MEMORY;
    free(together);
    free(pull);
    plumb_groups_clear(&from);
    return status;
}

/* Bell numbers: partitions of 0, 1, ... unknowns. */
static bool all_can_be_tried(const plumb_system *system, int64_t work)
{
    static const int64_t bell[MOST_FOR_ALL + 1] = {1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975};
    const int64_t n = system->unknowns;
    if (n > MOST_FOR_ALL)
        return false;
    int64_t each = n * n; /* at least as many operations as try_trial takes, on the average of all partitions */
    for (int64_t t = 0; t < system->equation[system->equations]; t++)
        each += 1 + 2 * system->terms[t].count;
    each += INT64_C(1) << n;
    return bell[n] * each <= work;
}

static plumb_status search(group_search *s)
{
    const int64_t n = s->system->unknowns;
    plumb_status status = groups_create(s->system, &s->best);
    if (status == PLUMB_OK)
        status = groups_create(s->system, &s->trial);
    s->scratch = calloc((size_t)(3 * n) + 1, sizeof *s->scratch);
    s->stride = calloc((size_t)n + 1, sizeof *s->stride);
    s->ways = calloc((size_t)SIMPLE_STATES, sizeof *s->ways);
    if (status == PLUMB_OK && (!s->scratch || !s->stride || !s->ways))
        status = PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK)
        return status;
    s->work = SEARCH_WORK;
    s->best.paths = INT64_MAX;
    s->best.count = INT32_MAX;
    try_trial(s); /* one group, which is always counted */
    if (s->best.paths < SEARCH_WORK / WORK_PER_PATH)
        s->work = s->best.paths * WORK_PER_PATH;
    if (!all_can_be_tried(s->system, s->work / 2))
        return search_from_starts(s);
    try_all(s);
    return PLUMB_OK;
}

static plumb_status check_system(const plumb_system *system)
{
    if (system->equations != system->unknowns)
        return PLUMB_ERR_ARGUMENT;
    return system->unknowns <= MOST_UNKNOWNS ? PLUMB_OK : PLUMB_ERR_SIZE;
}

plumb_status plumb_groups_find(const plumb_system *system, unknown_groups *groups)
{
    group_search s = {.system = system};
    *groups = (unknown_groups){.unknowns = 0};
    plumb_status status = check_system(system);
    if (status == PLUMB_OK)
        status = search(&s);
    if (status == PLUMB_OK) {
        *groups = s.best;
        s.best = (unknown_groups){.unknowns = 0};
    }
    plumb_groups_clear(&s.best);
    plumb_groups_clear(&s.trial);
    free(s.scratch);
    free(s.stride);
    free(s.ways);
    return status;
}

plumb_status plumb_groups_make(const plumb_system *system, const int32_t *of, unknown_groups *groups)
{
    *groups = (unknown_groups){.unknowns = 0};
    plumb_status status = check_system(system);
    if (status == PLUMB_OK)
        status = groups_create(system, groups);
    if (status != PLUMB_OK)
        return status;
    const int64_t n = system->unknowns;
    int32_t *scratch = calloc((size_t)n + 1, sizeof *scratch);
    assignment_table table = {.ways = NULL};
    if (scratch) {
        memcpy(groups->of, of, (size_t)n * sizeof *of);
        renumber(groups, scratch);
        (void)find_degrees(system, groups, scratch);
        status = plumb_assignments_make(groups, GROUPS_MOST_STATES, &table);
    } else {
        status = PLUMB_ERR_MEMORY;
    }
    if (status == PLUMB_OK)
        groups->paths = table.ways[table.states - 1];
    else
        plumb_groups_clear(groups);
    plumb_assignments_clear(&table);
    free(scratch);
    return status;
}
