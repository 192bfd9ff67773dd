/* plan.c - see plan.h. */
#include "solver/cells/plan.h"

#include <stdlib.h>

#include "base/memory/size.h"
#include "base/number/random.h"

/* Allocates count zeroed entries, at least one; NULL if they do not fit. */
static void *new_array(int64_t count, size_t entry)
{
    int64_t bytes;
    if (count < 0 || !size_mul(count, (int64_t)entry, &bytes))
        return NULL;
    return calloc((size_t)(count > 0 ? count : 1), entry);
}

/* What a support needs of its placeholder. */
typedef struct support_shape {
    int32_t *least;   /* n entries: the smallest exponents */
    int32_t *unknown; /* n entries: the unknowns whose exponents vary, in order */
    int32_t unknowns; /* number of them */
    int64_t degree;   /* of the support after its smallest exponents were subtracted */
} support_shape;

static void find_shape(const cell_supports *s, int64_t g, support_shape *shape)
{
    int64_t n = s->unknowns, first = s->first[g], end = s->first[g + 1];
    shape->unknowns = 0;
    shape->degree = 0;
    for (int64_t i = 0; i < n && first < end; i++) {
        int32_t least = s->exponent[first * n + i], most = least;
        for (int64_t p = first + 1; p < end; p++) {
            int32_t e = s->exponent[p * n + i];
            least = e < least ? e : least;
            most = e > most ? e : most;
        }
        shape->least[i] = least;
        if (most > least)
            shape->unknown[shape->unknowns++] = (int32_t)i;
    }
    for (int64_t p = first; p < end; p++) {
        int64_t degree = 0;
        for (int64_t i = 0; i < n; i++)
            degree += (int64_t)s->exponent[p * n + i] - shape->least[i];
        shape->degree = degree > shape->degree ? degree : shape->degree;
    }
}

/* ---- The start cell ----------------------------------------------------------------------------------------------- */

/* Gives each row an unknown that varies in the support of its group, no two rows the same one, by augmenting paths,
 * which are found breadth first. Returns 1 if every row has one, 0 if that is impossible, -1 if memory is missing. */
static int match_rows(const walk_plan *plan, const support_shape *shape, int32_t *axis)
{
    int64_t n = plan->n;
    int32_t *owner = new_array(n, sizeof *owner), *from = new_array(n, sizeof *from);
    int32_t *queue = new_array(n, sizeof *queue);
    int result = owner && from && queue ? 1 : -1;
    for (int64_t i = 0; result == 1 && i < n; i++)
        owner[i] = axis[i] = -1;
    for (int32_t row = 0; result == 1 && row < n; row++) {
        int64_t head = 0, tail = 0;
        int32_t end = -1;
        for (int64_t i = 0; i < n; i++)
            from[i] = -1; /* the row from which this unknown was reached */
        queue[tail++] = row;
        while (end < 0 && head < tail) {
            int32_t r = queue[head++];
            const support_shape *own = &shape[plan->row_group[r]];
            for (int32_t k = 0; end < 0 && k < own->unknowns; k++) {
                int32_t u = own->unknown[k];
                if (from[u] >= 0)
                    continue;
                from[u] = r;
                if (owner[u] < 0)
                    end = u;
                else
                    queue[tail++] = owner[u];
            }
        }
        result = end >= 0;
        while (end >= 0) { /* along the path, each row passes on the unknown it had */
            int32_t r = from[end], before = axis[r];
            owner[end] = r;
            axis[r] = end;
            end = r == row ? -1 : before;
        }
    }
    free(owner);
    free(from);
    free(queue);
    return result;
}

/* ---- Numbers and liftings ----------------------------------------------------------------------------------------- */

/* Groups of low degree come first, then those of few points: the walk takes fewer steps in this order. */
static void choose_order(walk_plan *plan, const support_shape *shape)
{
    const cell_supports *s = plan->supports;
    for (int32_t g = 0; g < plan->groups; g++) {
        int64_t k = g;
        for (; k > 0; k--) {
            int32_t other = plan->order[k - 1];
            int64_t more = shape[other].degree - shape[g].degree;
            if (more == 0)
                more = (s->first[other + 1] - s->first[other]) - (s->first[g + 1] - s->first[g]);
            if (more <= 0)
                break;
            plan->order[k] = other;
        }
        plan->order[k] = g;
    }
}

static void number_points(walk_plan *plan, const support_shape *shape)
{
    const cell_supports *s = plan->supports;
    int32_t row = 0, id = 0;
    for (int32_t g = 0; g < plan->groups; g++) {
        plan->first_row[g] = row;
        for (int32_t k = 0; k < s->size[g]; k++)
            plan->row_group[row++] = g;
        plan->first_id[g] = id;
        plan->placeholder[g] = shape[g].unknowns + 1;
        id += plan->placeholder[g] + (int32_t)(s->first[g + 1] - s->first[g]);
    }
    plan->first_row[plan->groups] = row;
    plan->first_id[plan->groups] = id;
}

/* Draws the liftings. The points of the start cell have none, so that its normal is 0. */
static void lift(walk_plan *plan, const support_shape *shape, const int64_t *heights, uint64_t seed, int32_t bits)
{
    const cell_supports *s = plan->supports;
    plumb_random random = plumb_random_start(seed);
    for (int32_t g = 0; g < plan->groups; g++)
        for (int32_t id = plan->first_id[g]; id < plan->first_id[g + 1]; id++) {
            int32_t k = id - plan->first_id[g];
            plan->id_group[id] = g;
            plan->id_point[id] = k < plan->placeholder[g] ? -1 : (int32_t)s->first[g] + k - plan->placeholder[g];
            plan->lift[id] = (int64_t)plumb_random_below(&random, (uint64_t)1 << bits);
            plan->tie[id] = (int64_t)plumb_random_below(&random, (uint64_t)1 << bits);
            if (heights && plan->id_point[id] >= 0)
                plan->lift[id] += heights[plan->id_point[id]];
        }
    for (int32_t g = 0; g < plan->groups; g++)
        plan->lift[plan->first_id[g]] = plan->tie[plan->first_id[g]] = 0;
    for (int64_t row = 0; row < plan->n; row++) {
        int32_t g = plan->row_group[row], k = 0;
        while (shape[g].unknown[k] != plan->start_axis[row])
            k++;
        plan->start_row[row] = plan->first_id[g] + 1 + k;
        plan->lift[plan->start_row[row]] = plan->tie[plan->start_row[row]] = 0;
    }
}

/* ---- Places and stages -------------------------------------------------------------------------------------------- */

static int64_t whole_blocks(int64_t places)
{
    return (places + PLAN_BLOCK - 1) / PLAN_BLOCK * PLAN_BLOCK;
}

/* Gives every point its place; supports and placeholders begin with whole blocks. */
static void find_places(walk_plan *plan)
{
    const cell_supports *s = plan->supports;
    int64_t place = 0;
    for (int64_t k = 0; k < plan->groups; k++) {
        int32_t g = plan->order[k], id = plan->first_id[g] + plan->placeholder[g];
        plan->support_at[g] = place;
        for (int64_t p = s->first[g]; p < s->first[g + 1]; p++)
            plan->id_place[id++] = (int32_t)place++;
        plan->support_end[g] = place;
    }
    place = whole_blocks(place);
    for (int64_t k = 0; k < plan->groups; k++) {
        int32_t g = plan->order[k];
        plan->placeholder_at[g] = place;
        for (int32_t j = 0; j < plan->placeholder[g]; j++)
            plan->id_place[plan->first_id[g] + j] = (int32_t)place++;
    }
    plan->places = whole_blocks(place);
}

static void fill_places(walk_plan *plan, const support_shape *shape)
{
    const cell_supports *s = plan->supports;
    int64_t n = plan->n;
    for (int64_t q = 0; q < plan->places; q++)
        plan->place_id[q] = -1;
    for (int32_t id = 0; id < plan->ids; id++) {
        int32_t g = plan->id_group[id], j = id - plan->first_id[g], p = plan->id_point[id], q = plan->id_place[id];
        plan->place_id[q] = id;
        plan->height[q] = (double)plan->lift[id]; /* exact: at most CELLS_MOST_LIFTING_BITS */
        if (p < 0) {
            plan->axis[q] = j > 0 ? shape[g].unknown[j - 1] : (int32_t)n;
            continue;
        }
        plan->raised[q] = plan->stable && s->added[p];
        double *a = plan->a + q / PLAN_BLOCK * n * PLAN_BLOCK + q % PLAN_BLOCK;
        for (int64_t i = 0; i < n; i++)
            a[i * PLAN_BLOCK] = (double)((int64_t)s->exponent[p * n + i] - shape[g].least[i]);
    }
}

static void fill_stages(walk_plan *plan, const support_shape *shape)
{
    double norm = 1.0, highest = 0.0;
    int64_t end = 0;
    for (int32_t id = 0; id < plan->ids; id++) {
        int64_t behind = plan->id_place[id] + 1;
        highest = (double)plan->lift[id] > highest ? (double)plan->lift[id] : highest;
        end = behind > end ? behind : end;
    }
    for (int64_t k = 0; k <= plan->groups; k++) {
        plan_stage *stage = &plan->stages[k];
        bool last = k == plan->groups;
        int32_t g = plan->order[last ? k - 1 : k];
        double degree = (double)shape[g].degree;
        norm = degree > norm ? degree : norm;
        stage->group = last ? -1 : g;
        stage->scale = last ? 1 : shape[g].degree;
        stage->supports_end = plan->support_end[g];
        stage->current = last ? end : plan->placeholder_at[g];
        stage->later = last ? end : stage->current + plan->placeholder[g];
        stage->end = end;
        stage->norm = norm;
        stage->highest = highest * (last ? 1.0 : degree);
        stage->narrow = !plan->exact && stage->highest < 0x1p52;
    }
}

static plumb_status make_stages(walk_plan *plan, const support_shape *shape)
{
    int64_t n = plan->n, blocks, entries, groups = plan->groups;
    plan->id_place = new_array(plan->ids, sizeof *plan->id_place);
    plan->support_at = new_array(groups, sizeof *plan->support_at);
    plan->support_end = new_array(groups, sizeof *plan->support_end);
    plan->placeholder_at = new_array(groups, sizeof *plan->placeholder_at);
    plan->stages = new_array(groups + 1, sizeof *plan->stages);
    if (!plan->id_place || !plan->support_at || !plan->support_end || !plan->placeholder_at || !plan->stages)
        return PLUMB_ERR_MEMORY;
    find_places(plan);
    blocks = whole_blocks(plan->support_end[plan->order[groups - 1]]);
    if (!size_mul(blocks, n, &entries))
        return PLUMB_ERR_SIZE;
    plan->place_id = new_array(plan->places, sizeof *plan->place_id);
    plan->height = new_array(plan->places, sizeof *plan->height);
    plan->raised = new_array(plan->places, sizeof *plan->raised);
    plan->axis = new_array(plan->places, sizeof *plan->axis);
    plan->a = new_array(entries, sizeof *plan->a);
    if (!plan->place_id || !plan->height || !plan->raised || !plan->axis || !plan->a)
        return PLUMB_ERR_MEMORY;
    fill_places(plan, shape);
    fill_stages(plan, shape);
    return PLUMB_OK;
}

/* ---- The plan ----------------------------------------------------------------------------------------------------- */

static plumb_status fill_plan(walk_plan *plan, const support_shape *shape, const int64_t *heights, uint64_t seed,
                              int32_t bits)
{
    int64_t n = plan->n, groups = plan->groups;
    plan->row_group = new_array(n, sizeof *plan->row_group);
    plan->first_row = new_array(groups + 1, sizeof *plan->first_row);
    plan->order = new_array(groups, sizeof *plan->order);
    plan->first_id = new_array(groups + 1, sizeof *plan->first_id);
    plan->placeholder = new_array(groups, sizeof *plan->placeholder);
    plan->start_row = new_array(n, sizeof *plan->start_row);
    plan->start_axis = new_array(n, sizeof *plan->start_axis);
    if (!plan->row_group || !plan->first_row || !plan->order || !plan->first_id || !plan->placeholder ||
        !plan->start_row || !plan->start_axis)
        return PLUMB_ERR_MEMORY;
    plan->ids = plan->supports->first[groups];
    for (int64_t g = 0; g < groups; g++)
        plan->ids += shape[g].unknowns + 1;
    if (plan->ids > INT32_MAX - 4 * PLAN_BLOCK)
        return PLUMB_ERR_SIZE;
    number_points(plan, shape);
    int matched = match_rows(plan, shape, plan->start_axis);
    if (matched < 0)
        return PLUMB_ERR_MEMORY;
    plan->empty = matched == 0;
    if (plan->empty)
        return PLUMB_OK;
    plan->id_group = new_array(plan->ids, sizeof *plan->id_group);
    plan->id_point = new_array(plan->ids, sizeof *plan->id_point);
    plan->lift = new_array(plan->ids, sizeof *plan->lift);
    plan->tie = new_array(plan->ids, sizeof *plan->tie);
    if (!plan->id_group || !plan->id_point || !plan->lift || !plan->tie)
        return PLUMB_ERR_MEMORY;
    choose_order(plan, shape);
    lift(plan, shape, heights, seed, bits);
    return make_stages(plan, shape);
}

plumb_status plumb_plan_make(const cell_supports *supports, const cells_options *options, uint64_t seed, int32_t bits,
                             walk_plan *plan)
{
    int64_t n = supports->unknowns, groups = supports->groups, entries;
    *plan = (walk_plan){
        .supports = supports, .n = n, .groups = groups, .stable = options->stable != 0, .exact = options->exact != 0};
    if (!size_mul(2 * groups, n, &entries))
        return PLUMB_ERR_SIZE;
    support_shape *shape = new_array(groups, sizeof *shape);
    int32_t *memory = new_array(entries, sizeof *memory);
    plumb_status status = PLUMB_ERR_MEMORY;
    if (shape != NULL && memory != NULL) {
        for (int64_t g = 0; g < groups; g++) {
            shape[g].least = memory + 2 * g * n;
            shape[g].unknown = memory + (2 * g + 1) * n;
            find_shape(supports, g, &shape[g]);
        }
        status = fill_plan(plan, shape, options->heights, seed, bits);
    }
    free(shape);
    free(memory);
    return status;
}

void plumb_plan_free(walk_plan *plan)
{
    free(plan->row_group);
    free(plan->first_row);
    free(plan->order);
    free(plan->first_id);
    free(plan->placeholder);
    free(plan->id_group);
    free(plan->id_point);
    free(plan->lift);
    free(plan->tie);
    free(plan->start_row);
    free(plan->start_axis);
    free(plan->id_place);
    free(plan->support_at);
    free(plan->support_end);
    free(plan->placeholder_at);
    free(plan->place_id);
    free(plan->height);
    free(plan->raised);
    free(plan->axis);
    free(plan->a);
    free(plan->stages);
    *plan = (walk_plan){.supports = NULL};
}
