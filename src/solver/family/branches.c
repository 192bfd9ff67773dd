/* branches.c - plumb_family_branches: the real solutions along a line of parameters, connected; see family.h.
 *
 * The line is divided by nodes: targets, solved as any other ones. Between two neighbouring nodes no real solution changes into
 * another one unless there is a singular point between them, so each is followed along the line, without a detour through complex
 * parameters, in both directions. An interval is *closed* when the paths from both sides are a bijection of the real solutions and
 * its inverse. Other intervals are cut by a further node, until they are 2^-halvings of what they were. What is open then meets in a
 * singular point: solutions near each other that lead to one, on the same side of it, turn around, and those on two sides go on, the
 * one to which the line through the last two points leads.
 *
 * Invariant: nodes are in the order of s, and match[side][k] of a node is the solution of its neighbour on that side which is
 * solution k, or NONE. Paths cannot begin at a point whose unknowns are all zero: STUCK, while intervals are judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/modulus.h"
#include "method/track/moving.h"
#include "solver/family/family.h"
#include "solver/track/track.h"

enum { TOGETHER = 1 << 14, MOST_NODES = 200000, MOST_STEPS = 2000, NONE = -1, STUCK = -2, LEFT = 0, RIGHT = 1 };

/* Solutions that meet are near each other: within this many times the square root of the part of the line between the nodes, relative to
 * the range of each unknown, or to its size where that is larger. Near a singular point they are apart by about that square root or less. */
#define NEAR 32.0

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

typedef struct node {
    double s;
    bool solved, usable; /* usable: its regular real solutions are known */
    bool singular;       /* it has singular solutions, too */
    int32_t cuts;        /* of the interval to the right of it */
    bool open, fresh;    /* that interval: it is not closed; it has not been looked at */
    double *at;          /* the parameters */
    family_points points;
    int64_t *match[2]; /* of each solution; NONE */
    int64_t *tip[2];   /* the tip that a solution leads to on that side, or NONE */
    int64_t *owner;    /* the branch of each solution */
    plumb_instance what;
} node;

/* Where two branches end. */
typedef struct tip {
    double s;
    double *x;
} tip;

typedef struct branch {
    int64_t points, room;
    double *s, *x;
    int32_t begin, end;
} branch;

struct plumb_branches {
    int64_t count, room, unknowns;
    branch *branch;
};

typedef struct line {
    plumb_context *context;
    const plumb_family *family;
    plumb_branches_options options;
    plumb_branches_report *report;
    int32_t prec; /* of solutions */
    double *from, *to;
    node **node; /* all, by s */
    int64_t nodes, room, done;
    node **used; /* the usable ones */
    int64_t uses;
    tip *tip;
    int64_t tips;
    double *range; /* of each unknown */
    bool singular; /* nodes with singular solutions are used */
    bool stopped;
} line;

void plumb_branches_options_init(plumb_branches_options *options)
{
    if (options)
        *options = (plumb_branches_options){
            .size = sizeof *options, .reruns = 2, .halvings = 14, .samples = 201, .max_steps = 10000, .seed = 1};
}

static plumb_status no_memory(const line *l)
{
    plumb_context *context = l->context;
    return SAY(PLUMB_ERR_MEMORY, "out of memory");
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static void node_free(node *n)
{
    if (!n)
        return;
    plumb_family_points_end(&n->points);
    for (int side = 0; side < 2; side++) {
        free(n->match[side]);
        free(n->tip[side]);
    }
    free(n->owner);
    free(n->at);
    free(n);
}

/* Adds a node at the end of the list. */
static plumb_status node_add(line *l, double s)
{
    const int64_t m = l->family->parameters;
    if (l->nodes == l->room) {
        const int64_t room = 2 * l->room + 64;
        node **longer = realloc(l->node, (size_t)room * sizeof(node *));
        if (!longer)
            return no_memory(l);
        l->node = longer;
        l->room = room;
    }
    node *n = calloc(1, sizeof *n);
    if (n)
        n->at = malloc((size_t)m * sizeof *n->at);
    if (!n || !n->at) {
        node_free(n);
        return no_memory(l);
    }
    n->s = s;
    for (int64_t k = 0; k < m; k++) /* the ends exactly */
        n->at[k] = s <= 0.0 ? l->from[k] : s >= 1.0 ? l->to[k] : l->from[k] + s * (l->to[k] - l->from[k]);
    l->node[l->nodes++] = n;
    return PLUMB_OK;
}

static int by_place(const void *a, const void *b)
{
    const node *const *x = a, *const *y = b;
    return ((*x)->s > (*y)->s) - ((*x)->s < (*y)->s);
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    line *l = data;
    (void)done, (void)failed, (void)total;
    if (!l->stopped)
        l->stopped = l->options.progress(l->options.data, l->done, l->report->incomplete, l->nodes) != 0;
    return l->stopped;
}

/* Takes the regular real solutions of a node from the arrays of a call. */
static plumb_status take(const line *l, node *n, const plumb_view *solutions, const plumb_solution_record *records,
                         int64_t first)
{
    const int64_t unknowns = l->family->unknowns;
    double *x = calloc((size_t)unknowns + 1, 2 * (size_t)l->prec * sizeof *x);
    int64_t count = 0;
    for (int64_t k = first; k < first + n->what.real; k++)
        count += records[k].kind == PLUMB_SOLUTION_REGULAR;
    plumb_status status = x ? plumb_family_points_begin(count, unknowns, l->prec, &n->points) : PLUMB_ERR_MEMORY;
    for (int64_t k = first; k < first + n->what.real && status == PLUMB_OK; k++) {
        double most = 1.0;
        if (records[k].kind != PLUMB_SOLUTION_REGULAR)
            continue;
        for (int64_t c = 0; c < 2 * l->prec; c++)
            for (int64_t i = 0; i < unknowns; i++)
                x[c * unknowns + i] = solutions->data[k * solutions->next + c * solutions->plane + i];
        for (int64_t i = 0; i < unknowns; i++)
            most = fmax(most, fabs(x[i]));
        const plumb_path_record record = {.code = PLUMB_PATH_SUCCESS, .component_error = records[k].error * most};
        (void)plumb_family_points_put(&n->points, x, &record);
    }
    free(x);
    for (int side = 0; side < 2 && status == PLUMB_OK; side++) {
        n->match[side] = malloc((size_t)(count + 1) * sizeof *n->match[side]);
        n->tip[side] = malloc((size_t)(count + 1) * sizeof *n->tip[side]);
        if (!n->match[side] || !n->tip[side])
            status = PLUMB_ERR_MEMORY;
        for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
            n->match[side][k] = n->tip[side][k] = NONE;
    }
    n->owner = malloc((size_t)(count + 1) * sizeof *n->owner);
    return status == PLUMB_OK && n->owner ? PLUMB_OK : no_memory(l);
}

static void account(line *l, node *n)
{
    plumb_branches_report *r = l->report;
    n->solved = true;
    n->singular = n->what.singular > 0;
    n->usable = n->what.code != PLUMB_INSTANCE_INCOMPLETE && n->what.code != PLUMB_INSTANCE_STOPPED;
    n->fresh = n->open = true;
    r->targets++;
    r->generic += n->what.code == PLUMB_INSTANCE_GENERIC;
    r->special += n->what.code == PLUMB_INSTANCE_SPECIAL;
    r->incomplete += n->what.code == PLUMB_INSTANCE_INCOMPLETE;
}

/* Solves for nodes first .. first + count - 1 of the list. */
static plumb_status solve_some(line *l, int64_t first, int64_t count)
{
    const int64_t m = l->family->parameters, paths = l->family->paths;
    plumb_context *context = l->context;
    plumb_view targets = {.data = NULL}, solutions = {.data = NULL};
    plumb_family_options options;
    plumb_instance *instances = calloc((size_t)count + 1, sizeof *instances);
    plumb_solution_record *records = calloc((size_t)(count * paths) + 1, sizeof *records);
    plumb_status status = instances && records ? PLUMB_OK : no_memory(l);
    plumb_family_options_init(&options);
    options.prec = l->options.prec;
    options.reruns = l->options.reruns;
    options.max_steps = l->options.max_steps;
    options.seed = l->options.seed;
    options.progress = l->options.progress ? on_progress : NULL;
    options.data = l;
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, m, 1, count, &targets);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, l->prec, PLUMB_COMPLEX, l->family->unknowns, 1, count * paths,
                                    &solutions);
    for (int64_t t = 0; t < count && status == PLUMB_OK; t++)
        memcpy(targets.data + t * targets.next, l->node[first + t]->at, (size_t)m * sizeof(double));
    if (status == PLUMB_OK)
        status = plumb_family_solve_part(context, l->family, &targets, 0, &options, &solutions, records, instances);
    for (int64_t t = 0; t < count && status == PLUMB_OK && !l->stopped; t++) {
        node *n = l->node[first + t];
        n->what = instances[t];
        account(l, n);
        status = take(l, n, &solutions, records, t * paths);
    }
    l->done += count;
    plumb_array_destroy(context, &targets);
    plumb_array_destroy(context, &solutions);
    free(instances);
    free(records);
    return status;
}

/* Solves for the nodes from `first` on, and puts all in order. */
static plumb_status solve_new(line *l, int64_t first)
{
    const int64_t paths = l->family->paths, each = paths < TOGETHER ? TOGETHER / paths : 1;
    plumb_status status = PLUMB_OK;
    for (int64_t k = first; k < l->nodes && status == PLUMB_OK && !l->stopped; k += each)
        status = solve_some(l, k, each < l->nodes - k ? each : l->nodes - k);
    qsort(l->node, (size_t)l->nodes, sizeof(node *), by_place);
    return status;
}

/* Lists the nodes that are used: those with singular solutions only if that is the rule on this line. */
static plumb_status choose(line *l)
{
    int64_t usable = 0, singular = 0;
    for (int64_t k = 0; k < l->nodes; k++) {
        usable += l->node[k]->usable;
        singular += l->node[k]->usable && l->node[k]->singular;
    }
    if (l->uses == 0)
        l->singular = 2 * singular > usable;
    node **used = realloc(l->used, (size_t)(l->nodes + 1) * sizeof(node *));
    if (!used)
        return no_memory(l);
    l->used = used;
    l->uses = 0;
    for (int64_t k = 0; k < l->nodes; k++)
        if (l->node[k]->usable && (!l->node[k]->singular || l->singular))
            l->used[l->uses++] = l->node[k];
    return PLUMB_OK;
}

/* ---- From node to node ------------------------------------------------------------------------------------------- */

static const double *point_of(const node *n, int64_t k)
{
    return n->points.x + k * 2 * n->points.prec * n->points.unknowns;
}

/* A path from solution k of node `place` of the used ones to its neighbour on a side. */
typedef struct step {
    int64_t place, k;
    int side;
} step;

/* Tracks some paths; those of one row have the same node and side. */
static plumb_status follow(line *l, const step *steps, int64_t count, int64_t *reached)
{
    const plumb_family *family = l->family;
    const int64_t m = family->parameters, unknowns = family->unknowns;
    plumb_context *context = l->context;
    plumb_view starts = {.data = NULL}, ends = {.data = NULL};
    int64_t *number = calloc((size_t)count, sizeof *number);
    int32_t *row = calloc((size_t)count, sizeof *row);
    double *target = calloc((size_t)(count * 2 * PLUMB_QD * m), sizeof *target),
           *from = calloc((size_t)(count * 2 * m), sizeof *from), *x = malloc((size_t)(8 * unknowns) * sizeof *x);
    plumb_path_record *records = calloc((size_t)count, sizeof *records);
    plumb_status status = number && row && target && from && x && records ? PLUMB_OK : no_memory(l);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, unknowns, 1, count, &starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, l->prec, PLUMB_COMPLEX, unknowns, 1, count, &ends);
    int32_t rows = 0;
    for (int64_t e = 0; e < count && status == PLUMB_OK; e++) {
        const step *own = &steps[e];
        const node *a = l->used[own->place], *b = l->used[own->place + (own->side == RIGHT ? 1 : -1)];
        rows += e == 0 || own->place != steps[e - 1].place || own->side != steps[e - 1].side;
        row[e] = rows - 1;
        number[e] = own->k;
        memcpy(target + row[e] * 2 * PLUMB_QD * m, b->at, (size_t)m * sizeof *target);
        memcpy(from + row[e] * 2 * m, a->at, (size_t)m * sizeof *from);
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < PLUMB_QD; c++)
                for (int64_t i = 0; i < unknowns; i++)
                    starts.data[e * starts.next + (part * PLUMB_QD + c) * starts.plane + i] =
                        c < l->prec ? point_of(a, own->k)[(part * l->prec + c) * unknowns + i] : 0.0;
        plumb_family_clear(&starts, e, 1, a->points.record[own->k].component_error);
    }
    const track_moving moving = {.points = m, .row = row, .targets = target, .from = from, .own = 1};
    const track_part part = {.paths = number, .separate = true, .moving = &moving, .backend = PLUMB_BACKEND_CPU};
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.prec = l->options.prec;
    options.max_steps = l->options.max_steps < MOST_STEPS ? l->options.max_steps : MOST_STEPS;
    options.seed = l->options.seed;
    options.progress = l->options.progress ? on_progress : NULL;
    options.data = l;
    if (status == PLUMB_OK)
        plumb_family_translate(family, &starts, 1.0);
    if (status == PLUMB_OK)
        status = track_paths(context, plumb_family_homotopy(family), &part, &starts, &ends, &options, records);
    if (status == PLUMB_OK)
        plumb_family_translate(family, &ends, -1.0);
    for (int64_t e = 0; e < count && status == PLUMB_OK; e++) {
        const node *b = l->used[steps[e].place + (steps[e].side == RIGHT ? 1 : -1)];
        bool doubtful = false;
        for (int64_t c = 0; c < 2 * l->prec; c++)
            memcpy(x + c * unknowns, ends.data + e * ends.next + c * ends.plane, (size_t)unknowns * sizeof *x);
        reached[e] = records[e].code == PLUMB_PATH_SUCCESS
                         ? plumb_family_points_find(&b->points, x, records[e].component_error, &doubtful)
                     : records[e].steps == 0 ? STUCK
                                             : NONE;
    }
    plumb_array_destroy(context, &starts);
    plumb_array_destroy(context, &ends);
    free(number);
    free(row);
    free(target);
    free(from);
    free(x);
    free(records);
    return status;
}

static bool is_zero(const node *n, int64_t k)
{
    for (int64_t i = 0; i < n->points.unknowns; i++)
        if (!(fabs(point_of(n, k)[i]) <= n->points.record[k].component_error))
            return false;
    return true;
}

/* Paths that could not begin are where those of the other side end, or from zero to zero. */
static void release(node *a, node *b, int side)
{
    for (int64_t k = 0; k < a->points.count; k++) {
        int64_t *match = &a->match[side][k];
        if (*match != STUCK)
            continue;
        *match = NONE;
        for (int64_t j = 0; j < b->points.count; j++) {
            const int64_t back = b->match[1 - side][j];
            if (back == k || (is_zero(a, k) && is_zero(b, j) && (back == STUCK || back == NONE)))
                *match = j;
        }
        if (*match != NONE && b->match[1 - side][*match] == STUCK)
            b->match[1 - side][*match] = k;
    }
}

/* Keeps the matches of an interval that hold in both directions; open if there are others. */
static void judge(node *a, node *b)
{
    release(a, b, RIGHT);
    release(b, a, LEFT);
    for (int64_t k = 0; k < a->points.count; k++) {
        const int64_t j = a->match[RIGHT][k];
        if (j != NONE && b->match[LEFT][j] != k)
            a->match[RIGHT][k] = NONE;
    }
    for (int64_t j = 0; j < b->points.count; j++) {
        const int64_t k = b->match[LEFT][j];
        if (k != NONE && a->match[RIGHT][k] != j)
            b->match[LEFT][j] = NONE;
    }
    a->open = false;
    for (int64_t k = 0; k < a->points.count; k++)
        a->open = a->open || a->match[RIGHT][k] == NONE;
    for (int64_t j = 0; j < b->points.count; j++)
        a->open = a->open || b->match[LEFT][j] == NONE;
    a->fresh = false;
}

/* Follows the solutions at both sides of all intervals that have not been looked at. */
static plumb_status connect(line *l)
{
    int64_t all = 0;
    for (int64_t p = 0; p + 1 < l->uses; p++)
        if (l->used[p]->fresh)
            all += l->used[p]->points.count + l->used[p + 1]->points.count;
    step *steps = malloc((size_t)(all + 1) * sizeof *steps);
    int64_t *reached = malloc((size_t)(all + 1) * sizeof *reached), count = 0;
    plumb_status status = steps && reached ? PLUMB_OK : no_memory(l);
    for (int64_t p = 0; p + 1 < l->uses && status == PLUMB_OK; p++)
        for (int side = 1; side >= 0 && l->used[p]->fresh;
             side--) { /* from p to the right, then from p + 1 to the left */
            const int64_t place = p + (side == LEFT);
            for (int64_t k = 0; k < l->used[place]->points.count; k++)
                steps[count++] = (step){place, k, side};
        }
    for (int64_t e = 0; e < count && status == PLUMB_OK && !l->stopped; e += TOGETHER)
        status = follow(l, steps + e, count - e < TOGETHER ? count - e : TOGETHER, reached + e);
    for (int64_t e = 0; e < count && status == PLUMB_OK && !l->stopped; e++)
        l->used[steps[e].place]->match[steps[e].side][steps[e].k] = reached[e];
    for (int64_t p = 0; p + 1 < l->uses && status == PLUMB_OK && !l->stopped; p++)
        if (l->used[p]->fresh)
            judge(l->used[p], l->used[p + 1]);
    free(steps);
    free(reached);
    return status;
}

/* Cuts the open intervals. */
static plumb_status cut(line *l, int64_t *added)
{
    /* Not in the middle, which is where singular points of symmetric problems are. */
    static const double part[] = {0.47265625, 0.5390625, 0.4140625};
    plumb_status status = PLUMB_OK;
    *added = 0;
    for (int64_t p = 0; p + 1 < l->uses && status == PLUMB_OK && l->nodes < MOST_NODES; p++) {
        node *a = l->used[p];
        node *b = l->used[p + 1];
        if (!a->open || a->cuts >= l->options.halvings)
            continue;
        const double s = a->s + part[a->cuts % 3] * (b->s - a->s);
        a->cuts++;
        status = node_add(l, s);
        if (status != PLUMB_OK)
            break;
        l->node[l->nodes - 1]->cuts = a->cuts;
        (*added)++;
    }
    return status;
}

/* Forgets the matches of an interval that a new node has divided. */
static void renew(line *l)
{
    for (int64_t p = 0; p + 1 < l->uses; p++) {
        node *a = l->used[p];
        node *b = l->used[p + 1];
        if (!a->fresh && !b->fresh)
            continue;
        if (b->fresh && !a->fresh && a->open) /* b is new */
            a->fresh = true;
        for (int64_t k = 0; k < a->points.count && a->fresh; k++)
            a->match[RIGHT][k] = NONE;
        for (int64_t k = 0; k < b->points.count && a->fresh; k++)
            b->match[LEFT][k] = NONE;
    }
}

/* ---- Singular points --------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The ranges of the unknowns, without the outermost tenth. */
static plumb_status find_ranges(line *l)
{
    const int64_t unknowns = l->family->unknowns;
    int64_t all = 0;
    for (int64_t p = 0; p < l->uses; p++)
        all += l->used[p]->points.count;
    double *value = malloc((size_t)(all + 1) * sizeof *value);
    l->range = malloc((size_t)unknowns * sizeof *l->range);
    if (!value || !l->range) {
        free(value);
        return no_memory(l);
    }
    for (int64_t i = 0; i < unknowns; i++) {
        int64_t count = 0;
        for (int64_t p = 0; p < l->uses; p++)
            for (int64_t k = 0; k < l->used[p]->points.count; k++)
                value[count++] = point_of(l->used[p], k)[i];
        qsort(value, (size_t)count, sizeof *value, by_value);
        l->range[i] = count > 0 ? value[count - 1 - count / 20] - value[count / 20] : 0.0;
        if (!(l->range[i] > 0.0))
            l->range[i] = count > 0 && value[count - 1] > value[0] ? value[count - 1] - value[0] : 1.0;
    }
    free(value);
    return PLUMB_OK;
}

/* A solution that leads to no other one. */
typedef struct loose {
    node *n;
    int side; /* of the interval on which it lies: LEFT ones end, RIGHT ones begin */
    int64_t k;
    int64_t cluster;
    bool done;
} loose;

static double apart(const line *l, const double *x, const double *y)
{
    double most = 0.0;
    for (int64_t i = 0; i < l->family->unknowns; i++)
        most = fmax(most, fabs(x[i] - y[i]) / fmax(l->range[i], 0.5 * (fabs(x[i]) + fabs(y[i]))));
    return most;
}

/* Where a solution at place p of the used nodes would be at s, by the line through it and its neighbour on the other side. */
static void predict(const line *l, const loose *u, int64_t p, double s, double *x)
{
    const int64_t unknowns = l->family->unknowns, beyond = u->side == LEFT ? p - 1 : p + 1;
    const double *own = point_of(u->n, u->k);
    const int64_t other = u->n->match[u->side][u->k];
    memcpy(x, own, (size_t)unknowns * sizeof *x);
    if (other == NONE || beyond < 0 || beyond >= l->uses)
        return;
    const node *n = l->used[beyond];
    const double t = (s - u->n->s) / (u->n->s - n->s);
    for (int64_t i = 0; i < unknowns; i++)
        x[i] += t * (own[i] - point_of(n, other)[i]);
}

/* Two solutions on the same side end together. */
static plumb_status turn(line *l, loose *u, loose *v, double low, double high)
{
    const int64_t unknowns = l->family->unknowns;
    const int out = u->side == LEFT ? RIGHT : LEFT;
    tip *longer = realloc(l->tip, (size_t)(l->tips + 1) * sizeof *longer);
    double *x = malloc((size_t)unknowns * sizeof *x);
    if (longer)
        l->tip = longer;
    if (!longer || !x) {
        free(x);
        return no_memory(l);
    }
    for (int64_t i = 0; i < unknowns; i++)
        x[i] = 0.5 * (point_of(u->n, u->k)[i] + point_of(v->n, v->k)[i]);
    l->tip[l->tips] = (tip){.s = 0.5 * (low + high), .x = x};
    u->n->tip[out][u->k] = v->n->tip[out][v->k] = l->tips++;
    u->done = v->done = true;
    l->report->turns++;
    return PLUMB_OK;
}

/* Lets the branches of a cluster go on as far as there are solutions on both sides. */
static plumb_status cross(line *l, loose *list, int64_t count, int64_t cluster, int64_t p, double middle)
{
    const int64_t unknowns = l->family->unknowns;
    double *x = malloc((size_t)(2 * unknowns) * sizeof *x);
    if (!x)
        return no_memory(l);
    for (;;) {
        double least = (double)INFINITY;
        loose *best[2] = {NULL, NULL};
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < count; b++) {
                loose *u = &list[a];
                loose *v = &list[b];
                if (u->done || v->done || u->cluster != cluster || v->cluster != cluster || u->side != LEFT ||
                    v->side != RIGHT)
                    continue;
                predict(l, u, p, middle, x);
                predict(l, v, p + 1, middle, x + unknowns);
                const double d = apart(l, x, x + unknowns);
                if (d < least) {
                    least = d;
                    best[0] = u;
                    best[1] = v;
                }
            }
        if (!best[0])
            break;
        best[0]->n->match[RIGHT][best[0]->k] = best[1]->k;
        best[1]->n->match[LEFT][best[1]->k] = best[0]->k;
        best[0]->done = best[1]->done = true;
        l->report->crossings++;
    }
    free(x);
    return PLUMB_OK;
}

/* Decides what the solutions of an interval that is open do, at places p and p + 1 of the used nodes. */
static plumb_status close_interval(line *l, int64_t p)
{
    node *side[2] = {l->used[p], l->used[p + 1]};
    const double width = side[1]->s - side[0]->s, near = NEAR * sqrt(width), middle = 0.5 * (side[0]->s + side[1]->s);
    loose *list = malloc((size_t)(side[0]->points.count + side[1]->points.count + 1) * sizeof *list);
    int64_t count = 0;
    plumb_status status = list ? PLUMB_OK : no_memory(l);
    for (int e = 0; e < 2 && status == PLUMB_OK; e++)
        for (int64_t k = 0; k < side[e]->points.count; k++)
            if (side[e]->match[e == 0 ? RIGHT : LEFT][k] == NONE) {
                list[count] = (loose){.n = side[e], .side = e == 0 ? LEFT : RIGHT, .k = k, .cluster = count};
                count++;
            }
    for (bool changed = status == PLUMB_OK; changed;) {
        changed = false;
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < a; b++)
                if (list[a].cluster != list[b].cluster &&
                    apart(l, point_of(list[a].n, list[a].k), point_of(list[b].n, list[b].k)) < near) {
                    list[a].cluster = list[b].cluster =
                        list[a].cluster < list[b].cluster ? list[a].cluster : list[b].cluster;
                    changed = true;
                }
    }
    for (int64_t c = 0; c < count && status == PLUMB_OK; c++)
        status = cross(l, list, count, c, p, middle);
    for (;;) { /* the nearest two that are left turn around */
        double least = near;
        loose *best[2] = {NULL, NULL};
        for (int64_t a = 0; a < count && status == PLUMB_OK; a++)
            for (int64_t b = 0; b < a; b++) {
                loose *u = &list[a];
                loose *v = &list[b];
                const bool may = !u->done && !v->done && u->cluster == v->cluster && u->side == v->side;
                const double d = may ? apart(l, point_of(u->n, u->k), point_of(v->n, v->k)) : least;
                if (d < least) {
                    least = d;
                    best[0] = u;
                    best[1] = v;
                }
            }
        if (!best[0])
            break;
        status = turn(l, best[0], best[1], side[0]->s, side[1]->s);
    }
    for (int64_t a = 0; a < count && status == PLUMB_OK; a++)
        l->report->open += !list[a].done;
    free(list);
    return status;
}

/* ---- Branches ---------------------------------------------------------------------------------------------------- */

static bool branch_add(branch *b, int64_t unknowns, double s, const double *x)
{
    if (b->points == b->room) {
        const int64_t room = 2 * b->room + 32;
        double *longer = realloc(b->s, (size_t)room * sizeof *longer);
        b->s = longer ? longer : b->s;
        double *wider = realloc(b->x, (size_t)(room * unknowns) * sizeof *wider);
        b->x = wider ? wider : b->x;
        if (!longer || !wider)
            return false;
        b->room = room;
    }
    b->s[b->points] = s;
    memcpy(b->x + b->points * unknowns, x, (size_t)unknowns * sizeof *x);
    b->points++;
    return true;
}

/* A new branch; -1 without memory. */
static int64_t branch_begin(plumb_branches *all, int32_t begin)
{
    if (all->count == all->room) {
        const int64_t room = 2 * all->room + 32;
        branch *longer = realloc(all->branch, (size_t)room * sizeof *longer);
        if (!longer)
            return -1;
        all->branch = longer;
        all->room = room;
    }
    all->branch[all->count] = (branch){.begin = begin, .end = PLUMB_BRANCH_EDGE};
    return all->count++;
}

/* Adds solution k of the node at place p to its branch. */
static bool add_point(const line *l, plumb_branches *all, int64_t p, int64_t k)
{
    node *n = l->used[p];
    const int64_t before = n->match[LEFT][k], first = n->tip[LEFT][k], last = n->tip[RIGHT][k];
    bool good = true;
    if (before != NONE && p > 0) {
        n->owner[k] = l->used[p - 1]->owner[before];
    } else {
        n->owner[k] = branch_begin(all, p == 0          ? PLUMB_BRANCH_EDGE
                                        : first != NONE ? PLUMB_BRANCH_TURN
                                                        : PLUMB_BRANCH_OPEN);
        good = n->owner[k] >= 0;
        if (good && first != NONE)
            good = branch_add(&all->branch[n->owner[k]], all->unknowns, l->tip[first].s, l->tip[first].x);
    }
    if (!good)
        return false;
    branch *own = &all->branch[n->owner[k]];
    good = branch_add(own, all->unknowns, n->s, point_of(n, k));
    if (good && last != NONE)
        good = branch_add(own, all->unknowns, l->tip[last].s, l->tip[last].x);
    if (p + 1 < l->uses && n->match[RIGHT][k] == NONE)
        own->end = last != NONE ? PLUMB_BRANCH_TURN : PLUMB_BRANCH_OPEN;
    return good;
}

static plumb_status assemble(line *l, plumb_branches **branches)
{
    plumb_branches_report *r = l->report;
    plumb_branches *all = calloc(1, sizeof *all);
    plumb_status status = all ? find_ranges(l) : no_memory(l);
    for (int64_t p = 0; p + 1 < l->uses && status == PLUMB_OK; p++)
        if (l->used[p]->open)
            status = close_interval(l, p);
    if (all)
        all->unknowns = l->family->unknowns;
    r->least = l->uses > 0 ? INT64_MAX : 0;
    for (int64_t p = 0; p < l->uses && status == PLUMB_OK; p++) {
        const int64_t real = l->used[p]->points.count;
        r->least = real < r->least ? real : r->least;
        r->most = real > r->most ? real : r->most;
        for (int64_t k = 0; k < real && status == PLUMB_OK; k++)
            status = add_point(l, all, p, k) ? PLUMB_OK : no_memory(l);
    }
    if (status != PLUMB_OK) {
        plumb_branches_destroy(all);
        return status;
    }
    r->branches = all->count;
    for (int64_t k = 0; k < all->count; k++)
        r->points += all->branch[k].points;
    *branches = all;
    return PLUMB_OK;
}

void plumb_branches_destroy(plumb_branches *branches)
{
    for (int64_t k = 0; branches && k < branches->count; k++) {
        free(branches->branch[k].s);
        free(branches->branch[k].x);
    }
    if (branches)
        free(branches->branch);
    free(branches);
}

int64_t plumb_branches_count(const plumb_branches *branches)
{
    return branches ? branches->count : 0;
}

plumb_status plumb_branches_get(const plumb_branches *branches, int64_t index, plumb_branch *given)
{
    plumb_call_begin();
    if (!branches || !given || index < 0 || index >= branches->count)
        return plumb_call_end(plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no branch %lld", (long long)index));
    const branch *b = &branches->branch[index];
    *given = (plumb_branch){.points = b->points, .s = b->s, .x = b->x, .begin = b->begin, .end = b->end};
    return plumb_call_end(PLUMB_OK);
}

/* ---- The call ---------------------------------------------------------------------------------------------------- */

static plumb_status draw_line(line *l, plumb_branches **branches)
{
    const int64_t samples = l->options.samples;
    int64_t added = samples;
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < samples && status == PLUMB_OK; k++)
        status = node_add(l, (double)k / (double)(samples - 1));
    while (status == PLUMB_OK && added > 0 && !l->stopped) {
        status = solve_new(l, l->nodes - added);
        if (status == PLUMB_OK && !l->stopped)
            status = choose(l);
        if (status == PLUMB_OK && !l->stopped) {
            renew(l);
            status = connect(l);
        }
        if (status == PLUMB_OK && !l->stopped)
            status = cut(l, &added);
    }
    l->report->stopped = l->stopped;
    return status == PLUMB_OK && !l->stopped ? assemble(l, branches) : status;
}

static plumb_status read_options(plumb_context *context, const plumb_branches_options *given,
                                 plumb_branches_options *options)
{
    static const option_field fields[] = {
        OPTION_PRECISION(plumb_branches_options, prec),
        OPTION_RANGE(plumb_branches_options, reruns, OPTION_INT32, 0.0, 8.0),
        OPTION_RANGE(plumb_branches_options, halvings, OPTION_INT32, 0.0, 40.0),
        OPTION_RESERVED(plumb_branches_options, reserved),
        OPTION_RANGE(plumb_branches_options, samples, OPTION_INT64, 2.0, 100000.0),
        OPTION_RANGE(plumb_branches_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
        OPTION_END};
    plumb_branches_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

/* The real parameters at an end of the line, in doubles. */
static plumb_status read_end(const line *l, const plumb_view *view, const char *name, double *at)
{
    plumb_context *context = l->context;
    plumb_status status = plumb_family_check_view(view, name, l->family->parameters, false);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_last_message());
    if (view->batch != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is a batch of %lld, expected one", name, (long long)view->batch);
    for (int64_t k = 0; k < l->family->parameters; k++) {
        at[k] = view->data[k];
        for (int32_t c = view->prec; c < view->parts * view->prec; c++)
            if (view->data[c * view->plane + k] != 0.0)
                return SAY(PLUMB_ERR_ARGUMENT, "%s is not real", name);
    }
    return PLUMB_OK;
}

static plumb_status check(line *l, const plumb_view *from, const plumb_view *to, plumb_branches **branches)
{
    plumb_context *context = l->context;
    const plumb_family *family = l->family;
    if (!branches)
        return SAY(PLUMB_ERR_ARGUMENT, "branches is NULL");
    if (!family)
        return SAY(PLUMB_ERR_ARGUMENT, "family is NULL");
    if (family->paths == 0)
        return SAY(PLUMB_ERR_ARGUMENT, "the family has no generic solutions yet (plumb_family_generic)");
    if (!plumb_family_is_real(family))
        return SAY(PLUMB_ERR_ARGUMENT, "the coefficients of the family are not real");
    l->from = malloc((size_t)family->parameters * sizeof *l->from);
    l->to = malloc((size_t)family->parameters * sizeof *l->to);
    if (!l->from || !l->to)
        return no_memory(l);
    const plumb_status status = read_end(l, from, "from", l->from);
    return status == PLUMB_OK ? read_end(l, to, "to", l->to) : status;
}

plumb_status plumb_family_branches(plumb_context *context, const plumb_family *family, const plumb_view *from,
                                   const plumb_view *to, const plumb_branches_options *options,
                                   plumb_branches **branches, plumb_branches_report *report)
{
    plumb_branches_report mine;
    line l = {.context = context, .family = family, .report = report ? report : &mine};
    if (branches)
        *branches = NULL;
    if (!context)
        return plumb_no_context();
    *l.report = (plumb_branches_report){.targets = 0};
    plumb_status status = read_options(context, options, &l.options);
    l.prec = l.options.prec ? l.options.prec : PLUMB_QD;
    if (status == PLUMB_OK)
        status = check(&l, from, to, branches);
    if (status == PLUMB_OK)
        status = draw_line(&l, branches);
    for (int64_t k = 0; k < l.nodes; k++)
        node_free(l.node[k]);
    for (int64_t k = 0; k < l.tips; k++)
        free(l.tip[k].x);
    free(l.tip);
    free(l.node);
    free(l.used);
    free(l.range);
    free(l.from);
    free(l.to);
    return status;
}
