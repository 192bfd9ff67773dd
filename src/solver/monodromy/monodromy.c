/* monodromy.c - plumb_monodromy: the first solution, loops until they find nothing new, and what they showed. */
#include "solver/monodromy/monodromy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

void plumb_monodromy_options_init(plumb_monodromy_options *options)
{
    if (options)
        *options = (plumb_monodromy_options){
            .size = sizeof *options, .quiet_loops = 10, .max_loops = 100, .max_steps = 10000, .seed = 1};
}

const char *plumb_monodromy_name(int32_t code)
{
    static const char *const names[] = {"quiet", "reached", "loops", "stopped"};
    return code >= 0 && code <= PLUMB_MONODROMY_STOPPED ? names[code] : "unknown code";
}

static plumb_status read_options(plumb_context *context, const plumb_monodromy_options *given,
                                 plumb_monodromy_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_monodromy_options, quiet_loops, OPTION_INT32, 1.0, 1000.0),
        OPTION_RANGE(plumb_monodromy_options, max_loops, OPTION_INT32, 1.0, 10000.0),
        OPTION_FLAG(plumb_monodromy_options, trace),
        OPTION_RANGE(plumb_monodromy_options, symmetries, OPTION_INT32, 0.0, 1000.0),
        OPTION_RANGE(plumb_monodromy_options, max_solutions, OPTION_INT64, 0.0, (double)INFINITY),
        OPTION_RANGE(plumb_monodromy_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
        OPTION_END};
    plumb_monodromy_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

/* ---- The first solutions ----------------------------------------------------------------------------------------- */

static plumb_status check_given(plumb_context *context, const plumb_family *family, const plumb_view *parameters,
                                const plumb_view *solutions)
{
    plumb_status status = PLUMB_OK;
    if (parameters && !solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is NULL, expected some for the parameters that were given");
    if (parameters)
        status = plumb_family_check_view(parameters, "parameters", family->parameters, false);
    if (status == PLUMB_OK && solutions)
        status = plumb_family_check_view(solutions, "solutions", family->unknowns, true);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_last_message());
    if ((parameters && parameters->batch != 1) || (solutions && solutions->batch < 1))
        return SAY(PLUMB_ERR_ARGUMENT, "expected one point of parameters, and at least one solution");
    return PLUMB_OK;
}

/* The solutions that were given, regular ones for the parameters in `from`. */
static plumb_status take_given(loop_graph *graph, const plumb_view *parameters, double *from, plumb_view *x)
{
    const plumb_family *family = graph->family;
    const int64_t m = family->parameters;
    plumb_context *context = graph->context;
    plumb_system *system = NULL;
    if (!parameters)
        return loop_pair(graph, true, from, x);
    for (int64_t i = 0; i < m; i++)
        for (int32_t part = 0; part < 2; part++)
            from[part * m + i] =
                part < parameters->parts ? parameters->data[part * parameters->prec * parameters->plane + i] : 0.0;
    plumb_status status = plumb_family_specialize(family, from, &system);
    if (status != PLUMB_OK)
        return SAY(status, "the system for the parameters cannot be made: %s", plumb_status_text(status));
    status = plumb_family_refine(context, system, x, family->unknowns);
    plumb_system_destroy(system);
    return status;
}

/* Random parameters of random sizes: powers of two, which keep them short. */
static void draw_end(loop_graph *graph, double *at)
{
    const int64_t m = graph->family->parameters;
    plumb_family_draw(plumb_random_next(&graph->random), m, at);
    for (int64_t k = 0; k < m; k++) {
        const int power = (int)plumb_random_below(&graph->random, 5) - 2;
        at[k] = ldexp(at[k], power);
        at[m + k] = ldexp(at[m + k], power);
    }
}

/* Puts the first solutions at end 0. */
static plumb_status begin(loop_graph *graph, const plumb_view *parameters, const plumb_view *solutions)
{
    const plumb_family *family = graph->family;
    const bool has_own = !solutions && family->paths > 0;
    const plumb_view own = has_own ? plumb_family_starts(family) : (plumb_view){.data = NULL};
    const plumb_view own_parameters = plumb_family_from(family);
    if (has_own) {
        parameters = &own_parameters;
        solutions = &own;
    }
    const int64_t n = family->unknowns, m = family->parameters;
    plumb_context *context = graph->context;
    plumb_view x = {.data = NULL}, given;
    double *from = malloc((size_t)(2 * m) * sizeof *from), *at = malloc((size_t)(2 * m) * sizeof *at);
    const int64_t count = solutions && parameters ? solutions->batch : 1;
    int64_t added;
    plumb_status status = from && at ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, count, &x);
    if (status == PLUMB_OK && solutions) {
        given = *solutions;
        given.batch = count;
        status = plumb_copy(context, &given, &x, NULL);
    }
    if (status == PLUMB_OK)
        status = solutions ? take_given(graph, parameters, from, &x) : loop_pair(graph, false, from, &x);
    if (status == PLUMB_OK) {
        plumb_family_draw(plumb_random_next(&graph->random), m, at);
        status = loop_end_begin(graph, 0, solutions ? at : from);
    }
    for (int32_t e = 1; e < LOOP_ENDS && status == PLUMB_OK; e++) {
        draw_end(graph, at);
        status = loop_end_begin(graph, e, at);
    }
    if (status == PLUMB_OK)
        status = solutions ? loop_graph_enter(graph, from, &x) : loop_end_add(graph, 0, &x, &added);
    plumb_array_destroy(context, &x);
    free(from);
    free(at);
    return status;
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

/* True if enough solutions are known. */
static bool has_enough(const loop_graph *graph)
{
    return graph->options.max_solutions > 0 && graph->end[0].points.count >= graph->options.max_solutions;
}

/* Adds an arc between two random ends, along which nothing is followed yet. */
static plumb_status add_loop(loop_graph *graph)
{
    const int32_t from = (int32_t)plumb_random_below(&graph->random, LOOP_ENDS),
                  step = 1 + (int32_t)plumb_random_below(&graph->random, LOOP_ENDS - 1);
    return loop_graph_join(graph, from, (from + step) % LOOP_ENDS);
}

/* ---- What was found ---------------------------------------------------------------------------------------------- */

typedef struct class_place {
    int32_t first, number;
} class_place;

static int by_class(const void *a, const void *b)
{
    const class_place *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->number > y->number) - (x->number < y->number);
}

/* Lists the solutions of end 0 by classes; NULL without memory. */
static class_place *list_classes(const loop_graph *graph, int64_t *classes)
{
    const loop_end *end = &graph->end[0];
    class_place *list = malloc((size_t)(end->points.count + 1) * sizeof *list);
    *classes = 0;
    for (int64_t k = 0; list && k < end->points.count; k++) {
        list[k] = (class_place){end->first[k], (int32_t)k};
        *classes += end->first[k] == k;
    }
    if (list)
        qsort(list, (size_t)end->points.count, sizeof *list, by_class);
    return list;
}

static plumb_status keep(const loop_graph *graph, const class_place *list)
{
    const loop_end *end = &graph->end[0];
    const int64_t n = graph->family->unknowns, each = 2 * PLUMB_QD * n, count = end->points.count;
    double *x = malloc((size_t)(count * each) * sizeof *x);
    plumb_context *context = graph->context;
    if (!x)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count; k++)
        memcpy(x + k * each, end->points.x + list[k].number * each, (size_t)each * sizeof *x);
    const plumb_view view = {.data = x,
                             .rows = n,
                             .cols = 1,
                             .batch = count,
                             .plane = n,
                             .col = n,
                             .next = each,
                             .prec = PLUMB_QD,
                             .parts = PLUMB_COMPLEX,
                             .where = PLUMB_HOST};
    const plumb_status status = plumb_family_take(graph->family, end->at, &view, 0);
    free(x);
    return status == PLUMB_OK ? status : SAY(status, "out of memory");
}

/* Gentle loops need so many parameters: with few, they go around few singular points, and the large loops after them are less random for being
 * closed by gentle arcs. Of 80 runs with x^3 - a x + b five missed a root with them. */
enum { MANY_PARAMETERS = 16 };

/* Loops of the beginning. One loop alone is a permutation, whose cycles would be followed one solution after the other. */
enum { FIRST_LOOPS = 3 };

/* Loops that find nothing new before the trace test is tried again: it takes three paths per solution, a loop takes one. */
enum { BEFORE_TRACE = 2 };

/* Tests whether the solutions that are known are all. */
static plumb_status try_trace(const loop_graph *graph, plumb_monodromy_report *report)
{
    plumb_context *context = graph->context;
    class_place *list = list_classes(graph, &report->classes);
    plumb_status status = list ? keep(graph, list) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    free(list);
    return status == PLUMB_OK ? loop_trace(context, graph->family, &graph->options, report) : status;
}

/* Makes the chain, and then loops until enough of them in a row found nothing new. Arcs are gentle until the first loop that finds nothing
 * new, so that most solutions are found along short paths; only the other ones, which go around many singular points, count as quiet. */
static plumb_status walk(loop_graph *graph, plumb_monodromy_report *report)
{
    const plumb_monodromy_options *options = &graph->options;
    plumb_status status = PLUMB_OK;
    int32_t way[LOOP_ENDS];
    graph->gentle = graph->family->parameters >= MANY_PARAMETERS;
    for (int32_t e = 1; e < LOOP_ENDS && status == PLUMB_OK; e++)
        status = loop_graph_join(graph, e - 1, e);
    while (status == PLUMB_OK && report->loops < FIRST_LOOPS && report->loops + 1 < options->max_loops) {
        status = add_loop(graph);
        report->loops++;
    }
    if (status == PLUMB_OK)
        status = loop_graph_follow(graph);
    report->code = PLUMB_MONODROMY_LOOPS;
    while (status == PLUMB_OK && !graph->stopped && report->loops < options->max_loops && !has_enough(graph)) {
        const int64_t before = loop_graph_count(graph);
        status = add_loop(graph);
        report->loops++;
        if (status == PLUMB_OK)
            status = loop_graph_follow(graph);
        const bool found = loop_graph_count(graph) > before, settles = !found && report->quiet_loops == 0;
        if (found)
            report->quiet_loops = 0;
        else if (!graph->gentle && loop_arc_complete(graph, graph->arcs - 1) && loop_graph_tree(graph, way))
            report->quiet_loops++;
        graph->gentle = graph->gentle && found;
        if (options->trace && (settles || report->quiet_loops == BEFORE_TRACE) &&
            report->trace != PLUMB_TRACE_UNSUITED && status == PLUMB_OK && !graph->stopped)
            status = try_trace(graph, report);
        if (report->quiet_loops == options->quiet_loops || report->trace == PLUMB_TRACE_COMPLETE) {
            report->code = PLUMB_MONODROMY_QUIET;
            break;
        }
    }
    if (has_enough(graph))
        report->code = PLUMB_MONODROMY_REACHED;
    if (graph->stopped)
        report->code = PLUMB_MONODROMY_STOPPED;
    return status;
}

/* The solution at end 0 to which the complete arcs of the tree lead. */
static int32_t back(const loop_graph *graph, const int32_t way[LOOP_ENDS], int32_t end, int32_t k)
{
    while (end != 0) {
        const loop_arc *a = &graph->arc[way[end]];
        const int32_t side = a->end[1] == end;
        k = a->match[side][k];
        end = a->end[1 - side];
    }
    return k;
}

/* The permutations of the loops that complete arcs close with the tree. */
static plumb_status collect(const loop_graph *graph, const class_place *list, plumb_permutations **permutations)
{
    const int64_t count = graph->end[0].points.count;
    int32_t way[LOOP_ENDS];
    const bool has_tree = loop_graph_tree(graph, way);
    int64_t *images = malloc((size_t)(count * graph->arcs + 1) * sizeof *images);
    int64_t *place = malloc((size_t)(count + 1) * sizeof *place), loops = 0;
    plumb_status status = images && place ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        place[list[k].number] = k;
    for (int32_t a = 0; a < graph->arcs && status == PLUMB_OK && has_tree; a++) {
        const loop_arc *arc = &graph->arc[a];
        bool closes = loop_arc_complete(graph, a);
        for (int32_t e = 0; e < LOOP_ENDS; e++)
            closes = closes && way[e] != a;
        for (int64_t k = 0; k < count && closes; k++) {
            const int32_t from = back(graph, way, arc->end[0], (int32_t)k),
                          to = back(graph, way, arc->end[1], arc->match[0][k]);
            images[loops * count + place[from]] = place[to];
        }
        loops += closes;
    }
    if (status == PLUMB_OK)
        status = plumb_permutations_create(count, loops, images, permutations);
    free(images);
    free(place);
    return status;
}

static plumb_status finish(const loop_graph *graph, plumb_permutations **permutations, plumb_monodromy_report *report)
{
    plumb_context *context = graph->context;
    plumb_permutations *found = NULL;
    class_place *list = list_classes(graph, &report->classes);
    plumb_status status = list ? collect(graph, list, &found) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = keep(graph, list);
    if (status == PLUMB_OK) {
        report->solutions = graph->end[0].points.count;
        report->orbits = plumb_group_orbits(found);
        report->paths = graph->paths;
        report->failed = graph->failed;
        report->doubt = ldexp(1.0, -(int)report->quiet_loops);
    }
    if (status == PLUMB_OK && permutations)
        *permutations = found;
    else
        plumb_permutations_destroy(found);
    free(list);
    return status == PLUMB_ERR_MEMORY ? SAY(status, "out of memory") : status;
}

plumb_status plumb_monodromy(plumb_context *context, plumb_family *family, const plumb_view *parameters,
                             const plumb_view *solutions, const plumb_monodromy_options *options,
                             plumb_permutations **permutations, plumb_monodromy_report *report)
{
    plumb_monodromy_report mine;
    loop_graph graph = {.context = context, .family = family};
    if (permutations)
        *permutations = NULL;
    if (!context)
        return plumb_no_context();
    if (!report)
        report = &mine;
    *report = (plumb_monodromy_report){.code = PLUMB_MONODROMY_STOPPED};
    if (!family)
        return SAY(PLUMB_ERR_ARGUMENT, "family is NULL");
    plumb_status status = read_options(context, options, &graph.options);
    if (status == PLUMB_OK)
        status = check_given(context, family, parameters, solutions);
    if (status == PLUMB_OK)
        status = loop_symmetry_check(&graph);
    if (status != PLUMB_OK)
        return status;
    graph.random = plumb_random_start(graph.options.seed);
    status = begin(&graph, parameters, solutions);
    if (status == PLUMB_OK)
        status = walk(&graph, report);
    if (status == PLUMB_OK && graph.end[0].points.count == 0)
        status = SAY(PLUMB_ERR_STOPPED, "stopped before the first solution was found");
    if (status == PLUMB_OK)
        status = finish(&graph, permutations, report);
    if (status == PLUMB_OK && graph.options.trace && report->trace != PLUMB_TRACE_COMPLETE &&
        report->code != PLUMB_MONODROMY_STOPPED) {
        status = loop_trace(context, family, &graph.options, report);
        if (status == PLUMB_OK && report->trace == PLUMB_TRACE_UNSUITED)
            status = loop_trace_curve(context, family, &graph.options, report);
    }
    loop_graph_end(&graph);
    return status;
}
