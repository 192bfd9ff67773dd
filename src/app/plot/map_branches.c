/* map_branches.c - the branches of a family along a parameter: a bifurcation diagram; see map.h. A branch has one colour in all panels, and
 * those that meet in a turning point have different ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/plot/frame.h"
#include "app/plot/map.h"
#include "base/number/modulus.h"
#include "text/escape.h"
#include "text/memory_file.h"

/* Dark enough on white, and light enough on black. */
static const char *const colours[] = {"#2563c9", "#d9541e", "#1a9850", "#a4469b", "#c08a00",
                                      "#1b9aaa", "#c2255c", "#6b7a1f", "#7a5c3e", "#5f6b7a"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct drawing {
    const app_map_branches *map;
    FILE *out;
    int *colour; /* of each branch */
} drawing;

static int64_t count_of(const drawing *d)
{
    return plumb_branches_count(d->map->branches);
}

static plumb_branch branch_of(const drawing *d, int64_t k)
{
    plumb_branch b = {.points = 0};
    return plumb_branches_get(d->map->branches, k, &b) == PLUMB_OK ? b : (plumb_branch){.points = 0};
}

/* A number of point k of a branch: an unknown, or -1 for the parameter. */
static double value_of(const drawing *d, const plumb_branch *b, int64_t k, int64_t unknown)
{
    const app_map_axis *a = &d->map->axis;
    return unknown < 0 ? a->low + b->s[k] * (a->high - a->low) : b->x[k * d->map->unknowns + unknown];
}

/* False for points that --positive leaves out. Where branches turn, an unknown may be 0 within rounding errors. */
static bool is_shown(const drawing *d, const plumb_branch *b, int64_t k)
{
    for (int64_t i = 0; d->map->positive && i < d->map->unknowns; i++)
        if (!(b->x[k * d->map->unknowns + i] > 0.0))
            return false;
    return true;
}

/* ---- Colours ------------------------------------------------------------------------------------------------------- */

static bool meet(const drawing *d, const plumb_branch *a, int64_t k, const plumb_branch *b, int64_t j)
{
    return a->s[k] == b->s[j] && memcmp(a->x + k * d->map->unknowns, b->x + j * d->map->unknowns,
                                        (size_t)d->map->unknowns * sizeof *a->x) == 0;
}

/* One after the other, but not that of a branch that ends in the same point. */
static void choose_colours(const drawing *d)
{
    for (int64_t k = 0; k < count_of(d); k++) {
        bool taken[COLOURS] = {false};
        const plumb_branch own = branch_of(d, k);
        for (int64_t j = 0; j < k; j++) {
            const plumb_branch other = branch_of(d, j);
            if ((own.begin == PLUMB_BRANCH_TURN && other.begin == PLUMB_BRANCH_TURN && meet(d, &own, 0, &other, 0)) ||
                (own.end == PLUMB_BRANCH_TURN && other.end == PLUMB_BRANCH_TURN &&
                 meet(d, &own, own.points - 1, &other, other.points - 1)))
                taken[d->colour[j]] = true;
        }
        d->colour[k] = (int)(k % COLOURS);
        for (int more = 0; more < COLOURS && taken[d->colour[k]]; more++)
            d->colour[k] = (d->colour[k] + 1) % COLOURS;
    }
}

/* ---- Panels -------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets the scale of an axis to the values that are shown. If some are much farther out than the others, they do not determine it. */
static bool set_scale(const drawing *d, plot_frame *f, int axis, int64_t unknown)
{
    const double size = axis == 0 ? f->width : f->height;
    double low = d->map->axis.low, high = d->map->axis.high, margin = 0.0;
    double *value = malloc((size_t)(d->map->report->points + 1) * sizeof *value);
    int64_t count = 0;
    if (value == NULL)
        return false;
    for (int64_t k = 0; k < count_of(d) && unknown >= 0; k++) {
        const plumb_branch b = branch_of(d, k);
        for (int64_t j = 0; j < b.points; j++)
            if (is_shown(d, &b, j) && isfinite(value_of(d, &b, j, unknown)))
                value[count++] = value_of(d, &b, j, unknown);
    }
    if (unknown >= 0) {
        qsort(value, (size_t)count, sizeof *value, by_value);
        low = count > 0 ? value[0] : 0.0;
        high = count > 0 ? value[count - 1] : 1.0;
        const double inner[2] = {count > 0 ? value[count / 20] : 0.0, count > 0 ? value[count - 1 - count / 20] : 1.0},
                     usual = inner[1] - inner[0];
        if (count >= 20 && usual > 0.0 && high - low > 4.0 * usual) {
            low = fmax(low, inner[0] - 0.5 * usual);
            high = fmin(high, inner[1] + 0.5 * usual);
        }
        margin = high > low ? 0.05 * (high - low) : 0.1 * fmax(fabs(high), 1.0);
    }
    free(value);
    f->middle[axis] = 0.5 * (low + high);
    f->scale[axis] = size / (high - low + 2.0 * margin);
    return true;
}

/* The place of a point in a panel; in units of its axes, so that lengths are those that are seen. */
typedef struct place {
    double x, y;
} place;

static place place_of(const drawing *d, const app_panel *panel, const plot_frame *f, const plumb_branch *b, int64_t j)
{
    const int64_t across = panel->y < 0 ? -1 : panel->x, up = panel->y < 0 ? panel->x : panel->y;
    return (place){value_of(d, b, j, across) * f->scale[0], value_of(d, b, j, up) * f->scale[1]};
}

/* The point beyond an end of a branch: where it turns, the next one of the other branch; elsewhere that end itself. */
static place beyond(const drawing *d, const app_panel *panel, const plot_frame *f, int64_t k, bool at_end)
{
    const plumb_branch own = branch_of(d, k);
    const int64_t last = at_end ? own.points - 1 : 0;
    for (int64_t j = 0; j < count_of(d) && (at_end ? own.end : own.begin) == PLUMB_BRANCH_TURN; j++) {
        const plumb_branch other = branch_of(d, j);
        const int64_t tip = at_end ? other.points - 1 : 0;
        if (j != k && (at_end ? other.end : other.begin) == PLUMB_BRANCH_TURN && other.points > 1 &&
            meet(d, &own, last, &other, tip))
            return place_of(d, panel, f, &other, at_end ? tip - 1 : 1);
    }
    return place_of(d, panel, f, &own, last);
}

static place between(place a, place b, double t)
{
    return (place){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

/* A piece of a curve of Catmull and Rom from p[1] to p[2], with knots at distances of the square roots of chords: it has no loops. */
static void put_piece(plot_pen *pen, const plot_frame *f, const place p[4])
{
    enum { MOST = 16 };
    double knot[4] = {0.0};
    for (int k = 1; k < 4; k++)
        knot[k] = knot[k - 1] + fmax(sqrt(plumb_modulus(p[k].x - p[k - 1].x, p[k].y - p[k - 1].y)), 1e-3);
    const double length = plumb_modulus(p[2].x - p[1].x, p[2].y - p[1].y);
    const int pieces = length < 3.0 ? 1 : length < 3.0 * MOST ? (int)(length / 3.0) + 1 : MOST;
    for (int k = 1; k <= pieces; k++) {
        const double t = knot[1] + (knot[2] - knot[1]) * k / pieces;
        place a[3], b[2];
        for (int j = 0; j < 3; j++)
            a[j] = between(p[j], p[j + 1], (t - knot[j]) / (knot[j + 1] - knot[j]));
        for (int j = 0; j < 2; j++)
            b[j] = between(a[j], a[j + 1], (t - knot[j]) / (knot[j + 2] - knot[j]));
        const place at = k == pieces ? p[2] : between(b[0], b[1], (t - knot[1]) / (knot[2] - knot[1]));
        app_pen_line(pen, at.x / f->scale[0], at.y / f->scale[1]);
    }
}

static void put_branch(const drawing *d, const app_panel *panel, const plot_frame *f, int64_t k)
{
    const plumb_branch b = branch_of(d, k);
    plot_pen pen = {.out = d->out, .f = f};
    fprintf(d->out,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke-linecap=\"round\" "
            "d=\"",
            colours[d->colour[k]]);
    for (int64_t j = 0; j < b.points; j++) {
        if (!is_shown(d, &b, j)) {
            pen.begun = false;
            continue;
        }
        const place at = place_of(d, panel, f, &b, j);
        if (j == 0 || !pen.begun) {
            app_pen_line(&pen, at.x / f->scale[0], at.y / f->scale[1]);
            continue;
        }
        const place p[4] = {j > 1 ? place_of(d, panel, f, &b, j - 2) : beyond(d, panel, f, k, false),
                            place_of(d, panel, f, &b, j - 1), at,
                            j + 1 < b.points ? place_of(d, panel, f, &b, j + 1) : beyond(d, panel, f, k, true)};
        put_piece(&pen, f, p);
    }
    fputs("\"/>\n", d->out);
}

static bool put_panel(const drawing *d, const app_panel *panel, plot_frame *f)
{
    const int64_t across = panel->y < 0 ? -1 : panel->x, up = panel->y < 0 ? panel->x : panel->y;
    if (!set_scale(d, f, 0, across) || !set_scale(d, f, 1, up))
        return false;
    app_frame_marks(d->out, f);
    fprintf(d->out, "<g transform=\"translate(%.1f %.1f)\">\n", f->left, f->top);
    for (int64_t k = 0; k < count_of(d); k++)
        put_branch(d, panel, f, k);
    fprintf(d->out,
            "</g>\n<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#b6bdc6\"/>\n",
            f->left, f->top, f->width, f->height);
    app_frame_text(d->out, f->left + f->width, f->top + f->height + 32,
                   "font-size=\"13\" text-anchor=\"end\" font-style=\"italic\"",
                   across < 0 ? d->map->axis.name : plumb_system_name(d->map->system, across));
    app_frame_text(d->out, f->left, f->top - 7, "font-size=\"13\" font-style=\"italic\"",
                   plumb_system_name(d->map->system, up));
    return true;
}

static double put_title(const drawing *d)
{
    const plumb_branches_report *r = d->map->report;
    char text[256];
    double y = 34;
    int used = snprintf(text, sizeof text, "%lld branch%s of real solutions over %s", (long long)r->branches,
                        r->branches == 1 ? "" : "es", d->map->axis.name);
    if (used > 0 && (size_t)used < sizeof text && d->map->positive)
        snprintf(text + used, sizeof text - (size_t)used, ", where they are positive");
    fputs("<title>", d->out);
    escape_xml(d->out, text);
    fputs("</title>\n", d->out);
    app_frame_text(d->out, PLOT_EDGE, y, "font-size=\"20\" font-weight=\"600\"", text);
    snprintf(text, sizeof text, "%lld to %lld real solutions, %lld turning point%s%s", (long long)r->least,
             (long long)r->most, (long long)r->turns, r->turns == 1 ? "" : "s",
             r->incomplete > 0 ? "; at some targets solutions may be missing" : "");
    app_frame_text(d->out, PLOT_EDGE, y += 24, "font-size=\"14\"", text);
    if (d->map->fixed[0] != 0)
        app_frame_text(d->out, PLOT_EDGE, y += 20, "font-size=\"13\"", d->map->fixed);
    return y + 32;
}

static bool draw(const drawing *d, double *bottom)
{
    const int n = d->map->panels->count, wide = n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
    const double step = (PLOT_WIDTH - 2.0 * PLOT_EDGE) / wide, width = step - 56,
                 height = n == 1 ? 560 : fmin(0.95 * width, 400), top = put_title(d);
    bool good = true;
    choose_colours(d);
    for (int k = 0; k < n; k++) {
        const int row = k / wide, column = k % wide;
        plot_frame f = {
            .left = PLOT_EDGE + 46 + column * step, .top = top + row * (height + 64), .width = width, .height = height};
        good = good && put_panel(d, &d->map->panels->panel[k], &f);
        *bottom = f.top + height + 46;
    }
    return good;
}

int app_map_save_branches(const char *command, const app_map_branches *map, const char *svg)
{
    memory_file body;
    double bottom = 0;
    app_output output = {.path = NULL};
    drawing d = {.map = map, .colour = calloc((size_t)plumb_branches_count(map->branches) + 1, sizeof(int))};
    if (d.colour == NULL || !memory_file_begin(&body)) {
        free(d.colour);
        return app_fail(command, "out of memory");
    }
    d.out = body.file;
    const bool drawn = draw(&d, &bottom);
    int result = memory_file_end(&body) && drawn ? APP_OK : app_fail(command, "out of memory");
    if (result == APP_OK)
        result = app_output_open(command, &output, svg);
    if (result == APP_OK) {
        app_svg_write(output.file, bottom, body.text, body.length);
        result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    free(body.text);
    free(d.colour);
    return result;
}
