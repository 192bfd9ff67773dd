/* curves.c - plumb_components_curves: the real points of curves in a box, as lines.
 *
 * Critical points (critical.h) and the edges between their fibres (edges.h) are a graph: each edge ends at critical points, or at others, where
 * one edge goes on as another one. Edges are joined there, and at turning points, cut at the faces of the box, and counted. At every
 * point of a real curve an even number of branches meet; where it is odd, something went wrong, which is reported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "model/solutions.h"
#include "solver/sets/curves/critical.h"
#include "solver/sets/curves/edges.h"
#include "solver/sets/real.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { DIRECTION_BITS = 16 };

/* In units of the box: points of a graph that are the same; the end of an edge and a critical point; the same if the path to the end
 * stopped short of it. */
static const double SAME = 1e-6, AT_END = 1e-4, NEAR_END = 0.1;
/* Values of the linear function that are the same, relative to their range. */
static const double SAME_VALUE = 1e-9;

static const plumb_curves_options defaults = {.size = sizeof defaults, .seed = 1};

void plumb_curves_options_init(plumb_curves_options *options)
{
    *options = defaults;
}

typedef struct curve_line {
    int64_t component, piece, points, room;
    int64_t vertex[2]; /* at its ends, or -1 */
    double *x;
    bool closed;
} curve_line;

struct plumb_curves {
    int64_t unknowns;
    double *low, *high;
    plumb_curves_report report;
    int64_t room;
    curve_line *line;
    double *isolated; /* points */
    int64_t isolated_room;
};

typedef struct vertex {
    double *x;
    int64_t component, value; /* the number of the value of its fibre */
    int64_t degree, parent;   /* parent: of the pieces */
    bool critical, singular;
} vertex;

/* One curve. */
typedef struct curve {
    int64_t index;
    set_carrier carrier, fibres;
    critical_points critical;
    int64_t *place; /* the value of each critical point; -1: beyond the range */
    int64_t values;
    double *value;
} curve;

typedef struct drawing {
    plumb_context *context;
    const plumb_components *components;
    plumb_curves_options options;
    plumb_curves *made;
    double *a, *unit;
    int64_t count, vertices, room;
    curve *list;
    vertex *vertex;
    curve_edges edges;
} drawing;

void plumb_curves_destroy(plumb_curves *curves)
{
    if (!curves)
        return;
    for (int64_t k = 0; k < curves->report.lines; k++)
        free(curves->line[k].x);
    free(curves->line);
    free(curves->isolated);
    free(curves->low);
    free(curves->high);
    free(curves);
}

static double form(const drawing *d, const double *x)
{
    double sum = 0.0;
    for (int64_t i = 0; i < d->made->unknowns; i++)
        sum += d->a[i] * x[i];
    return sum;
}

static double distance(const drawing *d, const double *x, const double *y)
{
    double most = 0.0;
    for (int64_t i = 0; i < d->made->unknowns; i++)
        most = fmax(most, fabs(x[i] - y[i]) / d->unit[i]);
    return most;
}

static bool is_inside(const drawing *d, const double *x)
{
    const plumb_curves *c = d->made;
    for (int64_t i = 0; i < c->unknowns; i++)
        if (!(x[i] >= c->low[i] - SAME * d->unit[i] && x[i] <= c->high[i] + SAME * d->unit[i]))
            return false;
    return true;
}

/* ---- The curves ---------------------------------------------------------------------------------------------------- */

static plumb_status prepare(drawing *d, curve *c)
{
    plumb_context *context = d->context;
    plumb_system *slice = NULL;
    plumb_status status = set_carrier_make(context, d->components, c->index, true, d->options.seed, &c->carrier);
    if (status == PLUMB_OK)
        status = set_carrier_make(context, d->components, c->index, true, d->options.seed, &c->fibres);
    if (status == PLUMB_OK && (!c->carrier.usable || !c->fibres.usable))
        return SAY(PLUMB_ERR_ARGUMENT, "the witness points of component %lld are not those of its slice",
                   (long long)c->index);
    if (status == PLUMB_OK)
        status = set_real_form(d->components->system, d->a, d->options.seed, &slice);
    if (status == PLUMB_OK)
        status = set_carrier_turn(&c->fibres, slice, d->options.seed);
    plumb_system_destroy(slice);
    if (status == PLUMB_OK && !c->fibres.usable) {
        d->made->report.doubtful++;
        return PLUMB_OK;
    }
    if (status == PLUMB_OK)
        status = critical_find(&c->carrier, &c->fibres, d->options.seed, &c->critical);
    if (status == PLUMB_ERR_SIZE)
        return SAY(status, "component %lld: the equation of critical points is too large", (long long)c->index);
    d->made->report.paths += c->critical.paths;
    d->made->report.doubtful += c->critical.failed;
    return status;
}

static int by_value(const void *p, const void *q)
{
    const double x = *(const double *)p, y = *(const double *)q;
    return x < y ? -1 : x > y;
}

/* The values between which there are edges: the ends of the range, unless they are infinite, and those at critical points. */
static plumb_status set_values(const drawing *d, curve *c, double from, double to)
{
    const int64_t m = c->critical.count, n = d->made->unknowns;
    int64_t count = 0;
    free(c->value);
    free(c->place);
    c->values = 0;
    c->value = calloc((size_t)m + 2, sizeof *c->value);
    c->place = calloc((size_t)m + 1, sizeof *c->place);
    if (!c->value || !c->place)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < m; k++)
        c->value[count++] = form(d, c->critical.x + k * n);
    qsort(c->value, (size_t)count, sizeof *c->value, by_value);
    const double low = isfinite(from) ? from
                       : count > 0    ? c->value[0]
                                      : 0.0,
                 high = isfinite(to) ? to
                        : count > 0  ? c->value[count - 1]
                                     : 0.0,
                 same = SAME_VALUE * fmax(high - low, 1e-9 * (fabs(low) + fabs(high)));
    double *kept = calloc((size_t)m + 2, sizeof *kept);
    if (!kept)
        return PLUMB_ERR_MEMORY;
    if (isfinite(from))
        kept[c->values++] = from;
    for (int64_t k = 0; k < count; k++) {
        const bool within =
            (!isfinite(from) || c->value[k] > from + same) && (!isfinite(to) || c->value[k] < to - same);
        if (within && (c->values == 0 || c->value[k] > kept[c->values - 1] + same))
            kept[c->values++] = c->value[k];
    }
    if (isfinite(to))
        kept[c->values++] = to;
    free(c->value);
    c->value = kept;
    for (int64_t k = 0; k < m; k++) {
        const double v = form(d, c->critical.x + k * n);
        c->place[k] = -1;
        for (int64_t i = 0; i < c->values; i++)
            if (fabs(v - kept[i]) <= 2.0 * same && (c->place[k] < 0 || fabs(v - kept[i]) < fabs(v - kept[c->place[k]])))
                c->place[k] = i;
    }
    return PLUMB_OK;
}

static plumb_status find_edges(drawing *d, int64_t k)
{
    curve *c = &d->list[k];
    return c->fibres.usable && c->values > 1
               ? curve_edges_find(&c->fibres, d->a, c->value, 0, c->values - 1, d->options.seed, k, &d->edges)
               : PLUMB_OK;
}

/* ---- The box ------------------------------------------------------------------------------------------------------- */

static void extend(const drawing *d, const double *x)
{
    plumb_curves *c = d->made;
    for (int64_t i = 0; i < c->unknowns; i++) {
        c->low[i] = fmin(c->low[i], x[i]);
        c->high[i] = fmax(c->high[i], x[i]);
    }
}

static bool real_solution(const drawing *d, int64_t k, double *x)
{
    const plumb_solutions *s = d->components->isolated;
    double size = 1.0;
    for (int64_t i = 0; i < s->unknowns; i++) {
        x[i] = solution_value(s, k, i)[0];
        size = fmax(size, fabs(x[i]));
    }
    for (int64_t i = 0; i < s->unknowns; i++)
        if (!(fabs(solution_value(s, k, i)[s->prec]) <= fmax(1e-20, 64.0 * s->record[k].err) * size))
            return false;
    return true;
}

/* The critical points, the edges between them and the isolated points are inside. */
static plumb_status choose_box(drawing *d)
{
    plumb_curves *made = d->made;
    const int64_t n = made->unknowns;
    double *x = calloc((size_t)n, sizeof *x), widest = 0.0;
    plumb_status status = x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        made->low[i] = (double)INFINITY;
        made->high[i] = -(double)INFINITY;
        d->unit[i] = 1.0;
    }
    for (int64_t k = 0; k < d->count && status == PLUMB_OK; k++) {
        curve *c = &d->list[k];
        for (int64_t j = 0; j < c->critical.count; j++)
            extend(d, c->critical.x + j * n);
        status =
            c->critical.count > 0 ? set_values(d, c, -(double)INFINITY, (double)INFINITY) : set_values(d, c, -1.0, 1.0);
        if (status == PLUMB_OK)
            status = find_edges(d, k);
    }
    for (int64_t j = 0; j < d->edges.count && status == PLUMB_OK; j++) {
        const curve_edge *e = &d->edges.edge[j];
        for (int64_t k = 0; k < e->count; k++) {
            for (int64_t i = 0; i < n; i++)
                x[i] = curve_coordinate(&d->list[e->component].fibres, e, k, i);
            extend(d, x);
        }
    }
    for (int64_t k = 0; d->components->isolated && d->options.size > 0 && k < d->components->isolated->count; k++)
        if (status == PLUMB_OK && real_solution(d, k, x))
            extend(d, x);
    curve_edges_clear(&d->edges);
    for (int64_t i = 0; i < n; i++) {
        if (!(made->low[i] <= made->high[i])) /* nothing real so far */
            made->low[i] = made->high[i] = 0.0;
        widest = fmax(widest, made->high[i] - made->low[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        const double width = widest > 0.0 ? fmax(made->high[i] - made->low[i], 0.5 * widest) : 4.0;
        made->low[i] -= widest > 0.0 ? 0.25 * width : 2.0;
        made->high[i] += widest > 0.0 ? 0.25 * width : 2.0;
    }
    free(x);
    return status;
}

/* ---- The graph ----------------------------------------------------------------------------------------------------- */

static int64_t add_vertex(drawing *d, const double *x, int64_t component, int64_t value, bool critical, bool singular)
{
    if (d->vertices == d->room) {
        const int64_t room = 2 * d->room + 16;
        vertex *more = realloc(d->vertex, (size_t)room * sizeof *more);
        if (!more)
            return -1;
        d->vertex = more;
        d->room = room;
    }
    const size_t bytes = (size_t)d->made->unknowns * sizeof(double);
    double *copy = malloc(bytes);
    if (!copy)
        return -1;
    memcpy(copy, x, bytes);
    d->vertex[d->vertices] = (vertex){.x = copy,
                                      .component = component,
                                      .value = value,
                                      .parent = d->vertices,
                                      .critical = critical,
                                      .singular = singular};
    return d->vertices++;
}

static int64_t nearest(const drawing *d, const double *x, int64_t component, int64_t value, bool critical,
                       double *apart)
{
    int64_t best = -1;
    for (int64_t k = 0; k < d->vertices; k++) {
        const vertex *v = &d->vertex[k];
        if (v->component != component || v->value != value || v->critical != critical)
            continue;
        const double now = distance(d, x, v->x);
        if (best < 0 || now < *apart) {
            best = k;
            *apart = now;
        }
    }
    return best;
}

/* Moves the first (0) or last (1) sample of an edge to a vertex, or adds one. */
static bool attach(const drawing *d, curve_edge *e, int end, int64_t to)
{
    const set_carrier *c = &d->list[e->component].fibres;
    if (!c->start)
        return false;
    const int64_t width = 2 * c->start->unknowns;
    if (!e->arrived[end]) {
        const int64_t room = e->count + 1;
        double *pi = realloc(e->pi, (size_t)room * sizeof *pi);
        e->pi = pi ? pi : e->pi;
        double *x = realloc(e->x, (size_t)(room * width) * sizeof *x);
        e->x = x ? x : e->x;
        if (!pi || !x)
            return false;
        e->room = room;
        if (end == 0) {
            memmove(e->x + width, e->x, (size_t)(e->count * width) * sizeof *e->x);
            memmove(e->pi + 1, e->pi, (size_t)e->count * sizeof *e->pi);
        } else {
            memcpy(e->x + e->count * width, e->x + (e->count - 1) * width, (size_t)width * sizeof *e->x);
        }
        e->count++;
        e->pi[end == 0 ? 0 : e->count - 1] = d->list[e->component].value[e->interval + end];
        e->arrived[end] = true;
    }
    double *x = e->x + (end == 0 ? 0 : e->count - 1) * width;
    for (int64_t i = 0; i < c->unknowns; i++) {
        x[2 * i] = d->vertex[to].x[i] - c->shift[2 * i];
        x[2 * i + 1] = -c->shift[2 * i + 1];
    }
    return true;
}

static plumb_status connect_end(drawing *d, curve_edge *e, int end, double *x)
{
    const curve *c = &d->list[e->component];
    const int64_t value = e->interval + end, sample = end == 0 ? 0 : e->count - 1;
    double apart = 0.0;
    for (int64_t i = 0; i < d->made->unknowns; i++)
        x[i] = curve_coordinate(&c->fibres, e, sample, i);
    int64_t to = nearest(d, x, e->component, value, true, &apart);
    if (to >= 0 && apart > (e->arrived[end] ? AT_END : NEAR_END))
        to = -1;
    if (to < 0) {
        d->made->report.doubtful += !e->arrived[end];
        to = nearest(d, x, e->component, value, false, &apart);
        if (to >= 0 && apart > SAME)
            to = -1;
        if (to < 0)
            to = add_vertex(d, x, e->component, value, false, false);
    }
    if (to < 0 || !attach(d, e, end, to))
        return PLUMB_ERR_MEMORY;
    e->vertex[end] = to;
    d->vertex[to].degree++;
    return PLUMB_OK;
}

static int64_t root_of(drawing *d, int64_t k)
{
    while (d->vertex[k].parent != k)
        k = d->vertex[k].parent = d->vertex[d->vertex[k].parent].parent;
    return k;
}

static plumb_status make_graph(drawing *d)
{
    const int64_t n = d->made->unknowns;
    double *x = calloc((size_t)n, sizeof *x);
    plumb_status status = x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < d->count && status == PLUMB_OK; k++) {
        const curve *c = &d->list[k];
        for (int64_t j = 0; j < c->critical.count && status == PLUMB_OK; j++)
            if (c->place[j] >= 0 &&
                add_vertex(d, c->critical.x + j * n, k, c->place[j], true, c->critical.singular[j]) < 0)
                status = PLUMB_ERR_MEMORY;
    }
    for (int64_t j = 0; j < d->edges.count && status == PLUMB_OK; j++)
        for (int end = 0; end < 2 && status == PLUMB_OK; end++)
            status = connect_end(d, &d->edges.edge[j], end, x);
    for (int64_t k = 0; k < d->vertices && status == PLUMB_OK;
         k++) { /* an even number of branches, also at crossings */
        const vertex *v = &d->vertex[k];
        const bool at_end = v->value == 0 || v->value == d->list[v->component].values - 1;
        if (at_end && !v->critical)
            continue;
        d->made->report.doubtful += v->degree % 2 != 0 || (v->critical && !v->singular && v->degree == 0);
    }
    free(x);
    return status;
}

/* ---- Lines --------------------------------------------------------------------------------------------------------- */

static bool add_point(curve_line *l, const double *x, int64_t n)
{
    if (l->points == l->room) {
        const int64_t room = 2 * l->room + 64;
        double *more = realloc(l->x, (size_t)(room * n) * sizeof *more);
        if (!more)
            return false;
        l->x = more;
        l->room = room;
    }
    memcpy(l->x + l->points++ * n, x, (size_t)n * sizeof *x);
    return true;
}

static curve_line *new_line(plumb_curves *c, int64_t component)
{
    if (c->report.lines == c->room) {
        const int64_t room = 2 * c->room + 16;
        curve_line *more = realloc(c->line, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        c->line = more;
        c->room = room;
    }
    curve_line *l = &c->line[c->report.lines++];
    *l = (curve_line){.component = component, .piece = -1, .vertex = {-1, -1}};
    return l;
}

/* The part [*from, *to] of a segment that is in the box. */
static bool clip(const drawing *d, const double *x, const double *y, double *from, double *to)
{
    const plumb_curves *c = d->made;
    *from = 0.0;
    *to = 1.0;
    for (int64_t i = 0; i < c->unknowns; i++) {
        const double step = y[i] - x[i];
        const double low = c->low[i] - SAME * d->unit[i], high = c->high[i] + SAME * d->unit[i];
        if (step == 0.0) {
            if (x[i] < low || x[i] > high)
                return false;
            continue;
        }
        const double s = (low - x[i]) / step, t = (high - x[i]) / step;
        *from = fmax(*from, fmin(s, t));
        *to = fmin(*to, fmax(s, t));
    }
    return *from < *to;
}

/* Adds a chain of points as one or several lines within the box. ends: its vertices. */
static plumb_status add_chain(drawing *d, const curve_line *chain, const int64_t ends[2])
{
    const int64_t n = d->made->unknowns;
    curve_line *line = NULL;
    double *p = calloc((size_t)n, sizeof *p);
    bool good = p != NULL;
    int64_t cuts = 0;
    for (int64_t k = 0; k + 1 < chain->points && good; k++) {
        const double *x = chain->x + k * n, *y = x + n;
        double from, to;
        if (!clip(d, x, y, &from, &to)) {
            line = NULL;
            cuts++;
            continue;
        }
        if (!line || from > 0.0) {
            line = new_line(d->made, chain->component);
            good = line != NULL;
            for (int64_t i = 0; i < n; i++)
                p[i] = x[i] + from * (y[i] - x[i]);
            if (good && k == 0 && from == 0.0)
                line->vertex[0] = ends[0];
            good = good && add_point(line, p, n);
        }
        for (int64_t i = 0; i < n; i++)
            p[i] = to < 1.0 ? x[i] + to * (y[i] - x[i]) : y[i];
        good = good && add_point(line, p, n);
        if (good && k + 2 == chain->points && to == 1.0)
            line->vertex[1] = ends[1];
        if (to < 1.0) {
            line = NULL;
            cuts++;
        }
    }
    if (good && line && cuts == 0 && ends[0] == ends[1] && line->vertex[0] == line->vertex[1] && line->vertex[0] >= 0)
        line->closed = true;
    free(p);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* Whether lines go on through a vertex. */
static bool passes(const vertex *v)
{
    return v->degree == 2 && !(v->critical && v->singular);
}

static bool append_edge(const drawing *d, curve_line *chain, const curve_edge *e, bool forward, double *x)
{
    const int64_t n = d->made->unknowns;
    bool good = true;
    for (int64_t k = chain->points > 0; k < e->count && good; k++) { /* the first sample is there already */
        for (int64_t i = 0; i < n; i++)
            x[i] = curve_coordinate(&d->list[e->component].fibres, e, forward ? k : e->count - 1 - k, i);
        good = add_point(chain, x, n);
    }
    return good;
}

/* The edge that has this vertex besides `except`, and which of its ends. */
static int64_t next_edge(const drawing *d, int64_t at, int64_t except, const bool *used, int *end)
{
    for (int64_t j = 0; j < d->edges.count; j++)
        for (*end = 0; *end < 2; ++*end)
            if (j != except && !used[j] && d->edges.edge[j].vertex[*end] == at)
                return j;
    return -1;
}

/* Follows edges from one end of edge j, and adds them to a chain that begins there. */
static plumb_status follow_chain(drawing *d, int64_t j, int end, bool *used)
{
    curve_line chain = {.component = d->list[d->edges.edge[j].component].index};
    double *x = calloc((size_t)d->made->unknowns, sizeof *x);
    int64_t ends[2] = {d->edges.edge[j].vertex[end], -1};
    bool good = x != NULL;
    while (good && j >= 0) {
        const curve_edge *e = &d->edges.edge[j];
        used[j] = true;
        good = append_edge(d, &chain, e, end == 0, x);
        ends[1] = e->vertex[1 - end];
        j = passes(&d->vertex[ends[1]]) && ends[1] != ends[0] ? next_edge(d, ends[1], j, used, &end) : -1;
    }
    plumb_status status = good ? add_chain(d, &chain, ends) : PLUMB_ERR_MEMORY;
    free(chain.x);
    free(x);
    return status;
}

static plumb_status make_lines(drawing *d)
{
    bool *used = calloc((size_t)d->edges.count + 1, sizeof *used);
    plumb_status status = used ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) /* first from the ends of chains, then what is closed */
        for (int64_t j = 0; j < d->edges.count && status == PLUMB_OK; j++)
            for (int end = 0; end < 2 && status == PLUMB_OK; end++)
                if (!used[j] && (pass == 1 || !passes(&d->vertex[d->edges.edge[j].vertex[end]])))
                    status = follow_chain(d, j, end, used);
    free(used);
    return status;
}

/* Numbers the connected pieces: lines that share a vertex, or vertices at the same place. */
static void count_pieces(drawing *d)
{
    plumb_curves *c = d->made;
    for (int64_t k = 0; k < d->vertices; k++)
        for (int64_t j = 0; j < k; j++)
            if (d->vertex[k].degree > 0 && d->vertex[j].degree > 0 &&
                distance(d, d->vertex[k].x, d->vertex[j].x) <= SAME)
                d->vertex[root_of(d, k)].parent = root_of(d, j);
    for (int64_t k = 0; k < c->report.lines; k++) {
        const int64_t *v = c->line[k].vertex;
        if (v[0] >= 0 && v[1] >= 0)
            d->vertex[root_of(d, v[0])].parent = root_of(d, v[1]);
    }
    for (int64_t k = 0; k < c->report.lines; k++) {
        curve_line *l = &c->line[k];
        const int64_t own = l->vertex[0] >= 0 ? l->vertex[0] : l->vertex[1];
        for (int64_t j = 0; j < k && l->piece < 0 && own >= 0; j++) {
            const int64_t other = c->line[j].vertex[0] >= 0 ? c->line[j].vertex[0] : c->line[j].vertex[1];
            if (other >= 0 && root_of(d, own) == root_of(d, other))
                l->piece = c->line[j].piece;
        }
        if (l->piece < 0)
            l->piece = c->report.pieces++;
    }
    for (int64_t k = 0; k < d->vertices; k++) {
        bool first = d->vertex[k].singular && d->vertex[k].degree > 0 && is_inside(d, d->vertex[k].x);
        for (int64_t j = 0; j < k; j++)
            first = first && !(d->vertex[j].singular && distance(d, d->vertex[k].x, d->vertex[j].x) <= SAME);
        c->report.singular += first;
    }
}

/* ---- Isolated points ----------------------------------------------------------------------------------------------- */

static plumb_status add_isolated(drawing *d, const double *x)
{
    plumb_curves *c = d->made;
    const int64_t n = c->unknowns;
    if (!is_inside(d, x))
        return PLUMB_OK;
    for (int64_t k = 0; k < c->report.isolated; k++)
        if (distance(d, x, c->isolated + k * n) <= SAME)
            return PLUMB_OK;
    for (int64_t k = 0; k < d->vertices; k++)
        if (d->vertex[k].degree > 0 && distance(d, x, d->vertex[k].x) <= SAME)
            return PLUMB_OK;
    if (c->report.isolated == c->isolated_room) {
        const int64_t room = 2 * c->isolated_room + 16;
        double *more = realloc(c->isolated, (size_t)(room * n) * sizeof *more);
        if (!more)
            return PLUMB_ERR_MEMORY;
        c->isolated = more;
        c->isolated_room = room;
    }
    memcpy(c->isolated + c->report.isolated++ * n, x, (size_t)n * sizeof *x);
    return PLUMB_OK;
}

static plumb_status find_isolated(drawing *d, bool all)
{
    double *x = calloc((size_t)d->made->unknowns, sizeof *x);
    plumb_status status = x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < d->vertices && status == PLUMB_OK; k++)
        if (d->vertex[k].critical && d->vertex[k].singular && d->vertex[k].degree == 0)
            status = add_isolated(d, d->vertex[k].x);
    for (int64_t k = 0; all && d->components->isolated && k < d->components->isolated->count && status == PLUMB_OK; k++)
        if (real_solution(d, k, x))
            status = add_isolated(d, x);
    free(x);
    return status;
}

/* ---- The call ------------------------------------------------------------------------------------------------------ */

static plumb_status draw(drawing *d, bool all)
{
    plumb_curves *made = d->made;
    const int64_t n = made->unknowns;
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < d->count && status == PLUMB_OK; k++)
        status = prepare(d, &d->list[k]);
    if (status == PLUMB_OK && !d->options.low)
        status = choose_box(d);
    double from = 0.0, to = 0.0, largest = 0.0;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        if (d->options.low) {
            made->low[i] = d->options.low[i];
            made->high[i] = d->options.high[i];
        }
        d->unit[i] = made->high[i] - made->low[i];
        largest = fmax(largest, d->unit[i]);
        from += fmin(d->a[i] * made->low[i], d->a[i] * made->high[i]);
        to += fmax(d->a[i] * made->low[i], d->a[i] * made->high[i]);
    }
    d->edges.failed = 0;
    const double more = 1e-3 * (to - from); /* no face of the range touches a corner of the box */
    for (int64_t k = 0; k < d->count && status == PLUMB_OK; k++) {
        const int64_t first = d->edges.count;
        status = set_values(d, &d->list[k], from - more, to + 1.37 * more);
        if (status == PLUMB_OK)
            status = find_edges(d, k);
        if (status == PLUMB_OK && d->edges.count > first)
            status = curve_edges_refine(&d->list[k].fibres, d->unit, first, &d->edges);
    }
    made->report.doubtful += d->edges.failed;
    if (status == PLUMB_OK)
        status = make_graph(d);
    if (status == PLUMB_OK)
        status = make_lines(d);
    if (status == PLUMB_OK)
        count_pieces(d);
    return status == PLUMB_OK ? find_isolated(d, all) : status;
}

static plumb_status check(plumb_context *context, const plumb_components *components, int64_t index,
                          const plumb_curves_options *options)
{
    const int64_t n = components->system->unknowns;
    if (index < -1 || index >= components->count)
        return SAY(PLUMB_ERR_ARGUMENT, "found component %lld, expected one of %lld", (long long)index,
                   (long long)components->count);
    if (index >= 0 && components->list[index].info.dimension != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "component %lld has dimension %lld, expected a curve", (long long)index,
                   (long long)components->list[index].info.dimension);
    if ((options->low == NULL) != (options->high == NULL))
        return SAY(PLUMB_ERR_ARGUMENT, "the box has one side only, expected low and high");
    for (int64_t i = 0; i < n && options->low; i++)
        if (!(isfinite(options->low[i]) && isfinite(options->high[i]) && options->low[i] < options->high[i]))
            return SAY(PLUMB_ERR_ARGUMENT, "the box is empty or infinite for %s", components->system->names[i]);
    return PLUMB_OK;
}

static plumb_status begin(drawing *d, int64_t index)
{
    const int64_t n = d->components->system->unknowns;
    plumb_random random = plumb_random_start(d->options.seed ^ 0x4355525645);
    plumb_curves *c = d->made = calloc(1, sizeof *d->made);
    d->list = calloc((size_t)d->components->count + 1, sizeof *d->list);
    d->a = calloc((size_t)n, sizeof *d->a);
    d->unit = calloc((size_t)n, sizeof *d->unit);
    if (!c || !d->list || !d->a || !d->unit)
        return PLUMB_ERR_MEMORY;
    c->unknowns = n;
    c->low = calloc((size_t)n, sizeof *c->low);
    c->high = calloc((size_t)n, sizeof *c->high);
    if (!c->low || !c->high)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const double size = 0.3 + 0.7 * plumb_random_unit(&random), sign = plumb_random_below(&random, 2) ? 1.0 : -1.0;
        d->a[i] = sign * rint(ldexp(size, DIRECTION_BITS)) * ldexp(1.0, -DIRECTION_BITS);
    }
    for (int64_t k = 0; k < d->components->count; k++)
        if (d->components->list[k].info.dimension == 1 && (index < 0 || index == k))
            d->list[d->count++] = (curve){.index = k};
    c->report.components = d->count;
    return PLUMB_OK;
}

plumb_status plumb_components_curves(plumb_context *context, const plumb_components *components, int64_t index,
                                     const plumb_curves_options *options, plumb_curves **curves)
{
    static const option_field fields[] = {OPTION_END};
    drawing d = {.context = context, .components = components, .options = defaults};
    if (curves)
        *curves = NULL;
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    if (!components || !curves)
        return SAY(PLUMB_ERR_ARGUMENT, "components and curves must not be NULL");
    plumb_status status = plumb_options_take(options, &d.options, fields, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        status = check(context, components, index, &d.options);
    if (status == PLUMB_OK)
        status = begin(&d, index);
    if (status == PLUMB_OK)
        status = draw(&d, index < 0);
    for (int64_t k = 0; k < d.count; k++) {
        set_carrier_clear(&d.list[k].carrier);
        set_carrier_clear(&d.list[k].fibres);
        critical_clear(&d.list[k].critical);
        free(d.list[k].value);
        free(d.list[k].place);
    }
    for (int64_t k = 0; k < d.vertices; k++)
        free(d.vertex[k].x);
    curve_edges_clear(&d.edges);
    free(d.vertex);
    free(d.list);
    free(d.a);
    free(d.unit);
    if (status == PLUMB_OK) {
        *curves = d.made;
        return PLUMB_OK;
    }
    plumb_curves_destroy(d.made);
    return context->message[0] ? status : SAY(status, "%s", plumb_status_text(status));
}

plumb_status plumb_curves_get_report(const plumb_curves *curves, plumb_curves_report *report)
{
    plumb_call_begin();
    if (!curves || !report)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "curves and report must not be NULL");
    *report = curves->report;
    return plumb_call_end(PLUMB_OK);
}

plumb_status plumb_curves_get_line(const plumb_curves *curves, int64_t index, plumb_curve_line *line)
{
    plumb_call_begin();
    if (!curves || !line || index < 0 || index >= curves->report.lines)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no line with this number");
    const curve_line *l = &curves->line[index];
    *line = (plumb_curve_line){
        .component = l->component, .piece = l->piece, .points = l->points, .x = l->x, .closed = l->closed};
    return plumb_call_end(PLUMB_OK);
}

plumb_status plumb_curves_get_isolated(const plumb_curves *curves, int64_t index, double *x)
{
    plumb_call_begin();
    if (!curves || !x || index < 0 || index >= curves->report.isolated)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no isolated point with this number");
    memcpy(x, curves->isolated + index * curves->unknowns, (size_t)curves->unknowns * sizeof *x);
    return plumb_call_end(PLUMB_OK);
}

plumb_status plumb_curves_get_box(const plumb_curves *curves, double *low, double *high)
{
    plumb_call_begin();
    if (!curves || !low || !high)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "curves, low and high must not be NULL");
    memcpy(low, curves->low, (size_t)curves->unknowns * sizeof *low);
    memcpy(high, curves->high, (size_t)curves->unknowns * sizeof *high);
    return plumb_call_end(PLUMB_OK);
}
