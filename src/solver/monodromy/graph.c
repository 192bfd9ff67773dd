/* graph.c - ends, arcs, and the paths along them; see monodromy.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "method/track/moving.h"
#include "solver/monodromy/monodromy.h"
#include "solver/track/track.h"

#define SAY(status, ...) plumb_say(status, graph->context->message, sizeof graph->context->message, __VA_ARGS__)

/* The bend of a parameter is a random number of a random size, 2^BEND_LEAST to 2^(BEND_LEAST + BEND_MORE); the middle of the arc moves by a
 * quarter of it. Loops have to go around many singular points to act like random ones: with sizes from 1 to 8, 16 of 80 runs missed a
 * root of x^3 - a x + b in ten loops, with 1 to 32 nine, with these one. */
enum { BEND_LEAST = 2, BEND_MORE = 6 };

/* Gentle arcs have bends smaller by this factor: their paths take half as many steps. */
#define GENTLE 0x1p-4

enum { FIRST_ROOM = 64, ATTEMPTS = 3, TOGETHER = 1 << 14 };

/* Paths take double doubles at most, and in the last attempt quad doubles where there are few unknowns. A path that needs more passes very
 * close to a singular point: in quad doubles one of SO(6) took minutes, for which all others waited. Its solution is found on other arcs. */
enum { FEW_UNKNOWNS = 16 };

static plumb_status no_memory(const loop_graph *graph)
{
    return SAY(PLUMB_ERR_MEMORY, "out of memory");
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Makes a list longer; new entries are UNTRIED. */
static bool lengthen(int32_t **list, int64_t before, int64_t after)
{
    int32_t *longer = realloc(*list, (size_t)(after + 1) * sizeof *longer);
    if (!longer)
        return false;
    for (int64_t k = before; k < after; k++)
        longer[k] = UNTRIED;
    *list = longer;
    return true;
}

/* Makes room for as many further solutions at an end. */
static plumb_status make_room(loop_graph *graph, int32_t which, int64_t more)
{
    loop_end *end = &graph->end[which];
    const int64_t maps = graph->options.symmetries;
    int64_t room = end->room > 0 ? end->room : FIRST_ROOM;
    if (end->points.count + more <= end->room)
        return PLUMB_OK;
    while (room < end->points.count + more)
        room *= 2;
    if (room > INT32_MAX / (maps + 1))
        return SAY(PLUMB_ERR_SIZE, "there are more than %lld solutions", (long long)end->points.count);
    bool good = plumb_family_points_room(&end->points, room) == PLUMB_OK;
    good = good && lengthen(&end->first, end->room, room) && lengthen(&end->image, end->room * maps, room * maps);
    for (int32_t a = 0; a < graph->arcs && good; a++)
        for (int32_t side = 0; side < 2 && good; side++)
            if (graph->arc[a].end[side] == which)
                good = lengthen(&graph->arc[a].match[side], end->room, room);
    if (!good)
        return no_memory(graph);
    end->room = room;
    return PLUMB_OK;
}

plumb_status loop_end_begin(loop_graph *graph, int32_t which, const double *at)
{
    loop_end *end = &graph->end[which];
    const size_t bytes = (size_t)(2 * graph->family->parameters) * sizeof *at;
    end->at = malloc(bytes);
    if (!end->at || plumb_family_points_begin(FIRST_ROOM, graph->family->unknowns, PLUMB_QD, &end->points) != PLUMB_OK)
        return no_memory(graph);
    memcpy(end->at, at, bytes);
    const plumb_status status = plumb_family_specialize(graph->family, at, &end->system);
    if (status != PLUMB_OK)
        return SAY(status, "the system for random parameters cannot be made: %s", plumb_status_text(status));
    return make_room(graph, which, 1);
}

void loop_graph_end(loop_graph *graph)
{
    for (int32_t k = 0; k < LOOP_ENDS; k++) {
        loop_end *end = &graph->end[k];
        plumb_system_destroy(end->system);
        plumb_family_points_end(&end->points);
        free(end->at);
        free(end->image);
        free(end->first);
    }
    for (int32_t a = 0; a < graph->arcs; a++) {
        free(graph->arc[a].bend);
        free(graph->arc[a].match[0]);
        free(graph->arc[a].match[1]);
    }
    free(graph->arc);
}

/* ---- Solutions at an end ----------------------------------------------------------------------------------------- */

static const double *point_at(const loop_end *end, int64_t k)
{
    return end->points.x + k * 2 * PLUMB_QD * end->points.unknowns;
}

/* The error of an unknown relative to its size, at least 1, from that relative to the largest one. */
static double error_of(const plumb_newton_report *report, const double *x, int64_t unknowns)
{
    double most = 1.0;
    for (int64_t i = 0; i < unknowns; i++)
        most = fmax(most, plumb_modulus(x[i], x[PLUMB_QD * unknowns + i]));
    return report->error * most;
}

/* Refines points of a batch in qd; number[k] becomes the solution that it is, a new one if there was none, or FAILED. */
static plumb_status settle(loop_graph *graph, int32_t which, plumb_view *x, int32_t *number)
{
    loop_end *end = &graph->end[which];
    const int64_t n = graph->family->unknowns;
    plumb_newton_report *reports = calloc((size_t)x->batch + 1, sizeof *reports);
    plumb_status status = reports ? make_room(graph, which, x->batch) : no_memory(graph);
    if (status == PLUMB_OK && x->batch > 0)
        status = plumb_newton(graph->context, end->system, x, NULL, reports);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        const double *point = x->data + k * x->next;
        plumb_path_record record = {.code = PLUMB_PATH_SUCCESS,
                                    .component_error = error_of(&reports[k], point, n),
                                    .condition = reports[k].condition};
        bool doubtful = false;
        number[k] = FAILED;
        if (!plumb_family_is_regular(&reports[k]))
            continue;
        const int64_t there = plumb_family_points_find(&end->points, point, record.component_error, &doubtful);
        if (there >= 0)
            number[k] = (int32_t)there;
        else if (!doubtful)
            number[k] = (int32_t)plumb_family_points_put(&end->points, point, &record);
    }
    free(reports);
    return status;
}

/* A view of a batch in the layout of family_points. */
static plumb_view view_of(double *x, int64_t unknowns, int64_t count)
{
    return (plumb_view){.data = x,
                        .rows = unknowns,
                        .cols = 1,
                        .batch = count,
                        .plane = unknowns,
                        .col = unknowns,
                        .next = 2 * PLUMB_QD * unknowns,
                        .prec = PLUMB_QD,
                        .parts = PLUMB_COMPLEX,
                        .where = PLUMB_HOST};
}

/* True if an image, real parts and then imaginary parts, is a solution but for rounding errors. */
static bool is_near(const double *image, const double *point, int64_t unknowns)
{
    const double rounding = 1e-6; /* of maps in doubles */
    double most = 1.0;
    for (int64_t i = 0; i < unknowns; i++)
        most = fmax(most, plumb_modulus(image[i], image[unknowns + i]));
    for (int64_t i = 0; i < unknowns; i++)
        if (!(plumb_modulus(image[i] - point[i], image[unknowns + i] - point[PLUMB_QD * unknowns + i]) <=
              rounding * most))
            return false;
    return true;
}

/* Adds the images of solutions from `from` on, and theirs, until the maps lead to no others. */
static plumb_status close_classes(loop_graph *graph, int32_t which, int64_t from)
{
    loop_end *end = &graph->end[which];
    const int64_t n = graph->family->unknowns, each = 2 * PLUMB_QD * n, maps = graph->options.symmetries;
    plumb_status status = PLUMB_OK;
    for (int64_t k = from; k < end->points.count; k++)
        if (end->first[k] == UNTRIED)
            end->first[k] = (int32_t)k;
    while (maps > 0 && from < end->points.count && status == PLUMB_OK) {
        const int64_t until = end->points.count, count = (until - from) * maps;
        double *x =
            malloc((size_t)(count * (each + 2 * n)) * sizeof *x); /* Newton's method moves them: the images behind */
        int32_t *number = calloc((size_t)count, sizeof *number);
        if (!x || !number) {
            free(x);
            free(number);
            return no_memory(graph);
        }
        for (int64_t k = 0; k < count; k++)
            loop_symmetry_map(graph, (int32_t)(k % maps), end->at, point_at(end, from + k / maps), x + k * each);
        for (int64_t k = 0; k < count; k++)
            for (int32_t part = 0; part < 2; part++)
                memcpy(x + count * each + (2 * k + part) * n, x + k * each + part * PLUMB_QD * n,
                       (size_t)n * sizeof *x);
        plumb_view view = view_of(x, n, count);
        status = settle(graph, which, &view, number);
        for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
            const double *point = number[k] >= 0 ? point_at(end, number[k]) : NULL;
            if (!point || !is_near(x + count * each + 2 * k * n, point, n)) {
                status =
                    SAY(PLUMB_ERR_ARGUMENT, "symmetry %lld takes a solution to no solution for the same parameters",
                        (long long)(k % maps) + 1);
                break;
            }
            end->image[(from + k / maps) * maps + k % maps] = number[k];
            if (end->first[number[k]] == UNTRIED)
                end->first[number[k]] = end->first[from + k / maps];
        }
        free(x);
        free(number);
        from = until;
    }
    return status;
}

/* Joins classes: a solution that came first may be the image of a later one. */
static void join_classes(loop_graph *graph, int32_t which)
{
    loop_end *end = &graph->end[which];
    const int64_t maps = graph->options.symmetries;
    for (bool changed = maps > 0; changed;) {
        changed = false;
        for (int64_t k = 0; k < end->points.count; k++)
            for (int64_t s = 0; s < maps; s++) {
                int32_t *a = &end->first[k], *b = &end->first[end->image[k * maps + s]];
                changed = changed || *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
    }
}

plumb_status loop_end_add(loop_graph *graph, int32_t which, const plumb_view *x, int64_t *added)
{
    const int64_t before = graph->end[which].points.count;
    int32_t *number = malloc((size_t)(x->batch + 1) * sizeof *number);
    plumb_view copy = *x;
    plumb_status status = number ? PLUMB_OK : no_memory(graph);
    if (status == PLUMB_OK)
        status = settle(graph, which, &copy, number);
    if (status == PLUMB_OK)
        status = close_classes(graph, which, before);
    if (status == PLUMB_OK)
        join_classes(graph, which);
    *added = graph->end[which].points.count - before;
    free(number);
    return status;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

/* Solutions that are followed together from one point of the parameters to another. */
typedef struct loop_batch {
    int64_t count;
    int64_t *source; /* their numbers; room for twice as many, because others may join them */
    int64_t *again;  /* those that do */
    int64_t joined, room;
    int32_t *reached; /* the solutions at which they end; FAILED */
    plumb_view starts, ends;
    plumb_path_record *records;
} loop_batch;

static void batch_free(plumb_context *context, loop_batch *b)
{
    plumb_array_destroy(context, &b->starts);
    plumb_array_destroy(context, &b->ends);
    free(b->source);
    free(b->again);
    free(b->reached);
    free(b->records);
}

static plumb_status batch_make(const loop_graph *graph, int64_t count, loop_batch *b)
{
    const int64_t n = graph->family->unknowns, room = 2 * count + 1;
    plumb_context *context = graph->context;
    *b = (loop_batch){.count = count, .room = room};
    b->source = calloc((size_t)room, sizeof *b->source);
    b->again = calloc((size_t)room, sizeof *b->again);
    b->reached = calloc((size_t)room, sizeof *b->reached);
    b->records = calloc((size_t)room, sizeof *b->records);
    if (!b->source || !b->again || !b->reached || !b->records)
        return no_memory(graph);
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, room, &b->starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, room, &b->ends);
    if (status == PLUMB_OK)
        b->starts.batch = b->ends.batch = count;
    return status;
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    loop_graph *graph = data;
    (void)total, (void)failed;
    const int result = graph->options.progress(graph->options.data, graph->paths + done, graph->failed, 0);
    graph->stopped = graph->stopped || result;
    return result;
}

/* Arcs that paths of one call follow, one after the other in the arrays, and which one each path follows. */
typedef struct loop_ways {
    double *from, *target, *bend;
    int32_t *row;
} loop_ways;

static void ways_free(loop_ways *ways)
{
    free(ways->from);
    free(ways->target);
    free(ways->bend);
    free(ways->row);
}

static plumb_status ways_make(const loop_graph *graph, int64_t count, int64_t paths, loop_ways *ways)
{
    const int64_t m = graph->family->parameters;
    *ways = (loop_ways){.from = calloc((size_t)(2 * m * count), sizeof *ways->from),
                        .target = calloc((size_t)(2 * PLUMB_QD * m * count), sizeof *ways->target),
                        .bend = calloc((size_t)(2 * m * count), sizeof *ways->bend),
                        .row = calloc((size_t)paths + 1, sizeof *ways->row)};
    return ways->from && ways->target && ways->bend && ways->row ? PLUMB_OK : no_memory(graph);
}

/* Sets arc number k: from parameters to those of an end. */
static void set_way(const loop_graph *graph, int64_t k, const double *from, int32_t to, const double *bend,
                    loop_ways *ways)
{
    const int64_t m = graph->family->parameters;
    memcpy(ways->from + k * 2 * m, from, (size_t)(2 * m) * sizeof *from);
    memcpy(ways->bend + k * 2 * m, bend, (size_t)(2 * m) * sizeof *bend);
    for (int32_t part = 0; part < 2; part++)
        memcpy(ways->target + (k * 2 + part) * PLUMB_QD * m, graph->end[to].at + part * m, (size_t)m * sizeof *from);
}

/* Tracks the paths of a batch along their arcs. */
static plumb_status track(loop_graph *graph, loop_batch *b, const loop_ways *ways, int32_t rerun)
{
    const track_moving moving = {.points = graph->family->parameters,
                                 .row = ways->row,
                                 .targets = ways->target,
                                 .from = ways->from,
                                 .bend = ways->bend,
                                 .own = 1};
    const bool any = rerun + 1 == ATTEMPTS && graph->family->unknowns <= FEW_UNKNOWNS;
    const track_part part = {.paths = b->source,
                             .rerun = rerun,
                             .most_prec = any ? PLUMB_QD : PLUMB_DD,
                             .separate = true,
                             .moving = &moving,
                             .backend = PLUMB_BACKEND_CPU};
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.max_steps = graph->options.max_steps;
    options.seed = graph->options.seed;
    options.progress = graph->options.progress ? on_progress : NULL;
    options.data = graph;
    const plumb_status status =
        track_paths(graph->context, graph->family->homotopy, &part, &b->starts, &b->ends, &options, b->records);
    graph->paths += b->count;
    return status;
}

/* Finds which solutions the ends are: those that are known by their digits, the others by Newton's method. */
static plumb_status recognise(loop_graph *graph, loop_batch *b, int32_t to)
{
    const int64_t n = graph->family->unknowns, each = 2 * PLUMB_QD * n;
    loop_end *end = &graph->end[to];
    const int64_t before = end->points.count;
    double *x = malloc((size_t)(b->count * each + 1) * sizeof *x);
    int32_t *number = malloc((size_t)(b->count + 1) * sizeof *number);
    int64_t open = 0;
    plumb_status status = x && number ? PLUMB_OK : no_memory(graph);
    for (int64_t k = 0; k < b->count && status == PLUMB_OK; k++) {
        bool doubtful;
        double *point = x + open * each;
        b->reached[k] = FAILED;
        if (b->records[k].code != PLUMB_PATH_SUCCESS)
            continue;
        for (int64_t c = 0; c < 2 * PLUMB_QD; c++)
            memcpy(point + c * n, b->ends.data + k * b->ends.next + c * b->ends.plane, (size_t)n * sizeof *x);
        b->reached[k] =
            (int32_t)plumb_family_points_find(&end->points, point, b->records[k].component_error, &doubtful);
        open += b->reached[k] == UNTRIED;
    }
    plumb_view view = view_of(x, n, open);
    if (status == PLUMB_OK)
        status = settle(graph, to, &view, number);
    open = 0;
    for (int64_t k = 0; k < b->count && status == PLUMB_OK; k++)
        if (b->reached[k] == UNTRIED)
            b->reached[k] = number[open++];
    if (status == PLUMB_OK)
        status = close_classes(graph, to, before);
    if (status == PLUMB_OK && end->points.count > before)
        join_classes(graph, to);
    free(x);
    free(number);
    return status;
}

plumb_status loop_graph_enter(loop_graph *graph, const double *from, const plumb_view *x)
{
    const int64_t m = graph->family->parameters;
    loop_batch b;
    loop_ways ways = {.from = NULL};
    double *bend = malloc((size_t)(2 * m) * sizeof *bend);
    plumb_status status = bend ? batch_make(graph, x->batch, &b) : no_memory(graph);
    if (!bend)
        return status;
    for (int64_t k = 0; k < 2 * m; k++)
        bend[k] = 2.0 * plumb_random_unit(&graph->random) - 1.0;
    if (status == PLUMB_OK)
        status = ways_make(graph, 1, x->batch, &ways);
    if (status == PLUMB_OK)
        set_way(graph, 0, from, 0, bend, &ways);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        b.source[k] = k;
        memcpy(b.starts.data + k * b.starts.next, x->data + k * x->next, (size_t)x->next * sizeof *x->data);
    }
    for (int32_t attempt = 0; attempt < ATTEMPTS && status == PLUMB_OK && graph->end[0].points.count == 0; attempt++) {
        status = track(graph, &b, &ways, attempt);
        if (status == PLUMB_OK && !graph->stopped)
            status = recognise(graph, &b, 0);
    }
    if (status == PLUMB_OK && !graph->stopped && graph->end[0].points.count == 0)
        status = SAY(PLUMB_ERR_ARGUMENT, "no path leads from the solutions that were given to generic parameters");
    batch_free(graph->context, &b);
    ways_free(&ways);
    free(bend);
    return status;
}

/* ---- Arcs -------------------------------------------------------------------------------------------------------- */

/* The end on a side of an arc. */
static loop_end *end_of(const loop_graph *graph, int32_t arc, int32_t side)
{
    return (loop_end *)&graph->end[graph->arc[arc].end[side]];
}

bool loop_arc_complete(const loop_graph *graph, int32_t arc)
{
    const loop_arc *a = &graph->arc[arc];
    if (a->broken || end_of(graph, arc, 0)->points.count != end_of(graph, arc, 1)->points.count)
        return false;
    for (int32_t side = 0; side < 2; side++)
        for (int64_t k = 0; k < end_of(graph, arc, side)->points.count; k++)
            if (a->match[side][k] < 0)
                return false;
    return true;
}

bool loop_graph_tree(const loop_graph *graph, int32_t way[LOOP_ENDS])
{
    bool reached[LOOP_ENDS] = {true};
    int32_t count = 1;
    for (int32_t e = 0; e < LOOP_ENDS; e++)
        way[e] = -1;
    for (bool more = true; more;) {
        more = false;
        for (int32_t a = 0; a < graph->arcs; a++)
            for (int32_t side = 0; side < 2; side++) {
                const int32_t from = graph->arc[a].end[1 - side], to = graph->arc[a].end[side];
                if (reached[from] || !reached[to] || !loop_arc_complete(graph, a))
                    continue;
                way[from] = a;
                reached[from] = more = true;
                count++;
            }
    }
    return count == LOOP_ENDS;
}

int64_t loop_graph_count(const loop_graph *graph)
{
    int64_t count = 0;
    for (int32_t e = 0; e < LOOP_ENDS; e++)
        count += graph->end[e].points.count;
    return count;
}

/* Solutions from which no path was tracked along an arc, one per class, at most `most` of them. list may be NULL. */
static int64_t untried(const loop_graph *graph, int32_t arc, int32_t side, int64_t most, int64_t *list)
{
    const loop_end *end = end_of(graph, arc, side);
    const int32_t *match = graph->arc[arc].match[side];
    int64_t count = 0;
    for (int64_t k = 0; k < end->points.count && count < most; k++)
        if (match[k] == UNTRIED && end->first[k] == k) {
            if (list)
                list[count] = k;
            count++;
        }
    return count;
}

static void connect(loop_graph *graph, int32_t arc, int32_t side, int32_t k, int32_t to)
{
    loop_arc *a = &graph->arc[arc];
    a->match[side][k] = to;
    a->match[1 - side][to] = k;
}

/* What follows from the symmetry: the image of k leads to the image of `to`. */
static void spread(loop_graph *graph, int32_t arc, int32_t side, int32_t k, int32_t to)
{
    const int64_t maps = graph->options.symmetries;
    loop_arc *a = &graph->arc[arc];
    for (int64_t s = 0; s < maps; s++) {
        const int32_t from = end_of(graph, arc, side)->image[k * maps + s],
                      at = end_of(graph, arc, 1 - side)->image[to * maps + s];
        if (a->match[side][from] == at)
            continue;
        if (a->match[side][from] >= 0 || a->match[1 - side][at] >= 0) {
            a->broken = true;
            continue;
        }
        connect(graph, arc, side, from, at);
        spread(graph, arc, side, from, at); /* as deep as a class is large */
    }
}

/* Enters the ends of paths into an arc. Those that share an end are left in the batch, and a solution that had led there before joins
 * them, because one of both is wrong. */
static void enter(loop_graph *graph, int32_t arc, int32_t side, loop_batch *b, bool last)
{
    loop_arc *a = &graph->arc[arc];
    int64_t left = 0;
    for (int64_t k = 0; k < b->count; k++) {
        const int32_t own = (int32_t)b->source[k], to = b->reached[k];
        bool clear = to >= 0;
        for (int64_t j = 0; j < b->count && clear; j++)
            clear = j == k || b->reached[j] != to;
        const int32_t before = to >= 0 ? a->match[1 - side][to] : FAILED;
        if (clear && before >= 0 && before != own) {
            clear = false;
            const bool joins = !last && b->count + b->joined < b->room;
            a->broken = a->broken || !joins;
            if (joins) {
                a->match[side][before] = a->match[1 - side][to] = UNTRIED;
                b->again[b->joined++] = before;
            }
        }
        if (clear) {
            connect(graph, arc, side, own, to);
            spread(graph, arc, side, own, to);
            continue;
        }
        if (last) {
            a->match[side][own] = FAILED;
            graph->failed++;
        }
        b->source[left++] = own;
    }
    for (int64_t k = 0; k < b->joined; k++)
        b->source[left++] = b->again[k];
    b->joined = 0;
    b->count = left;
}

/* An arc and the side from which its solutions are followed. */
typedef struct loop_pick {
    int32_t arc, side;
    loop_batch b;
} loop_pick;

/* Lists the solutions to follow: of each arc those of the side that has more of them, so that no path is followed in both directions.
 * There is room for a pick per arc. */
static plumb_status choose_picks(const loop_graph *graph, loop_pick *picks, int32_t *count)
{
    const int64_t most = TOGETHER / graph->arcs + 1;
    plumb_status status = PLUMB_OK;
    for (int32_t a = 0; a < graph->arcs && status == PLUMB_OK; a++) {
        const int64_t tried[] = {untried(graph, a, 0, most, NULL), untried(graph, a, 1, most, NULL)};
        const int32_t side = tried[1] > tried[0];
        if (tried[side] == 0)
            continue;
        loop_pick *pick = &picks[(*count)++];
        *pick = (loop_pick){.arc = a, .side = side};
        status = batch_make(graph, tried[side], &pick->b);
        if (status == PLUMB_OK)
            (void)untried(graph, a, side, most, pick->b.source);
    }
    return status;
}

/* Tracks the paths of all picks in one call: batches of one arc would often be smaller than the number of processors. */
static plumb_status track_picks(loop_graph *graph, loop_pick *picks, int32_t count, int32_t attempt)
{
    loop_batch all;
    loop_ways ways = {.from = NULL};
    int64_t paths = 0, next = 0;
    for (int32_t p = 0; p < count; p++)
        paths += picks[p].b.count;
    plumb_status status = batch_make(graph, paths, &all);
    if (status == PLUMB_OK)
        status = ways_make(graph, count, paths, &ways);
    for (int32_t p = 0; p < count && status == PLUMB_OK; p++) {
        const loop_arc *arc = &graph->arc[picks[p].arc];
        const loop_end *from = end_of(graph, picks[p].arc, picks[p].side);
        set_way(graph, p, from->at, arc->end[1 - picks[p].side], arc->bend, &ways);
        for (int64_t k = 0; k < picks[p].b.count; k++, next++) {
            ways.row[next] = p;
            all.source[next] = picks[p].b.source[k];
            memcpy(all.starts.data + next * all.starts.next, point_at(from, all.source[next]),
                   (size_t)all.starts.next * sizeof *all.starts.data);
        }
    }
    if (status == PLUMB_OK)
        status = track(graph, &all, &ways, attempt);
    next = 0;
    for (int32_t p = 0; p < count && status == PLUMB_OK; p++) {
        loop_batch *b = &picks[p].b;
        memcpy(b->ends.data, all.ends.data + next * all.ends.next,
               (size_t)(b->count * b->ends.next) * sizeof *b->ends.data);
        memcpy(b->records, all.records + next, (size_t)b->count * sizeof *b->records);
        next += b->count;
    }
    batch_free(graph->context, &all);
    ways_free(&ways);
    return status;
}

static int64_t paths_of(const loop_pick *picks, int32_t count)
{
    int64_t paths = 0;
    for (int32_t p = 0; p < count; p++)
        paths += picks[p].b.count;
    return paths;
}

/* Follows solutions along all arcs where that was not tried, and those whose paths failed or met again with shorter steps. *followed: how
 * many there were. */
static plumb_status follow(loop_graph *graph, int64_t *followed)
{
    loop_pick *picks = calloc((size_t)graph->arcs + 1, sizeof *picks);
    int32_t count = 0;
    plumb_status status = picks ? choose_picks(graph, picks, &count) : no_memory(graph);
    *followed = picks ? paths_of(picks, count) : 0;
    for (int32_t attempt = 0; attempt < ATTEMPTS && status == PLUMB_OK && !graph->stopped; attempt++) {
        if (paths_of(picks, count) == 0)
            break;
        status = track_picks(graph, picks, count, attempt);
        for (int32_t p = 0; p < count && status == PLUMB_OK && !graph->stopped; p++) {
            status = recognise(graph, &picks[p].b, graph->arc[picks[p].arc].end[1 - picks[p].side]);
            if (status == PLUMB_OK)
                enter(graph, picks[p].arc, picks[p].side, &picks[p].b, attempt + 1 == ATTEMPTS);
        }
    }
    for (int32_t p = 0; p < count; p++)
        batch_free(graph->context, &picks[p].b);
    free(picks);
    return status;
}

/* A random size, between powers of two linear in u, so that it has the same bits everywhere. */
static double bend_size(double u)
{
    const int whole = (int)(BEND_MORE * u);
    return ldexp(1.0 + (BEND_MORE * u - whole), BEND_LEAST + whole);
}

plumb_status loop_graph_join(loop_graph *graph, int32_t from, int32_t to)
{
    const int64_t m = graph->family->parameters;
    loop_arc *longer = realloc(graph->arc, (size_t)(graph->arcs + 1) * sizeof *longer);
    if (!longer)
        return no_memory(graph);
    graph->arc = longer;
    loop_arc *a = &graph->arc[graph->arcs++];
    *a = (loop_arc){.bend = malloc((size_t)(2 * m) * sizeof *a->bend), .end = {from, to}};
    if (!a->bend || !lengthen(&a->match[0], 0, graph->end[from].room) ||
        !lengthen(&a->match[1], 0, graph->end[to].room))
        return no_memory(graph);
    for (int64_t k = 0; k < m; k++) {
        const double size = bend_size(plumb_random_unit(&graph->random)) * (graph->gentle ? GENTLE : 1.0);
        a->bend[k] = size * (2.0 * plumb_random_unit(&graph->random) - 1.0);
        a->bend[m + k] = size * (2.0 * plumb_random_unit(&graph->random) - 1.0);
    }
    return PLUMB_OK;
}

plumb_status loop_graph_follow(loop_graph *graph)
{
    plumb_status status = PLUMB_OK;
    for (int64_t followed = 1; status == PLUMB_OK && !graph->stopped && followed > 0;) {
        if (graph->options.max_solutions > 0 && graph->end[0].points.count >= graph->options.max_solutions)
            break;
        status = follow(graph, &followed);
    }
    return status;
}
