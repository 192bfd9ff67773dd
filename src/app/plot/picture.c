/* picture.c - see picture.h. All solutions are drawn, the real ones filled and on top, each kind with its own symbol. Where there are more
 * than MANY of a class, a panel shows how many lie in each of its small cells, because symbols would only cover one another. Colours
 * are plain attributes, which every renderer knows; a style on top of them serves dark screens. Equal lengths mean equal distances in
 * complex planes, and in planes of two unknowns of similar size. */
#include "app/plot/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/account.h"
#include "app/app.h"
#include "app/files.h"
#include "app/plot/frame.h"
#include "model/system/system.h"
#include "text/escape.h"
#include "text/memory_file.h"

enum {
    WIDTH = PLOT_WIDTH,
    EDGE = PLOT_EDGE,
    MANY = 400,
    FEW = 40, /* of a class: symbols have white rims */
    CELL = 4,
    SHADES = 5,
    MOST_PATHS = 250,
    LETTERS = 122 /* of a line of text */
};

/* ---- Which coordinates ------------------------------------------------------------------------------------------------ */

int app_panels_read(const char *command, const char *option, const char *text, const plumb_system *system,
                    app_panels *panels)
{
    const int64_t unknowns = plumb_system_unknowns(system);
    panels->count = 0;
    for (int64_t i = 0; text == NULL && i < unknowns && i < APP_PANELS; i++)
        panels->panel[panels->count++] = (app_panel){i, -1};
    for (const char *s = text; s != NULL; s = *s == ',' ? s + 1 : NULL) {
        const size_t length = strcspn(s, ","), first = strcspn(s, ":,");
        const bool is_pair = first < length;
        const app_panel panel = {plumb_system_find_unknown(system, s, first),
                                 is_pair ? plumb_system_find_unknown(system, s + first + 1, length - first - 1) : -1};
        if (panel.x < 0 || (is_pair && panel.y < 0))
            return app_misuse(command, "%s: found '%.*s', expected unknowns of the system, such as '%s%s%s'", option,
                              length < 100 ? (int)length : 100, s, system->names[0], unknowns > 1 ? "," : "",
                              unknowns > 1 ? system->names[1] : "");
        if (panels->count == APP_PANELS)
            return app_misuse(command, "%s: expected at most %d coordinates", option, APP_PANELS);
        panels->panel[panels->count++] = panel;
        s += length;
    }
    return APP_OK;
}

/* ---- Classes of solutions ---------------------------------------------------------------------------------------------- */

enum { REGULAR, SINGULAR, CLUSTER, CLASSES = 2 * (CLUSTER + 1) };

static const char *const class_name[CLASSES] = {"not real, regular", "real, regular",    "not real, singular",
                                                "real, singular",    "not real cluster", "real cluster"};

static int class_of(const solution_record *r)
{
    const int kind = r->kind == PLUMB_SOLUTION_SINGULAR  ? SINGULAR
                     : r->kind == PLUMB_SOLUTION_CLUSTER ? CLUSTER
                                                         : REGULAR;
    return 2 * kind + (r->real != 0);
}

static bool is_real(int class)
{
    return class % 2 != 0;
}

typedef struct drawing {
    const app_picture *picture;
    FILE *out;
    int64_t count[CLASSES];
    double *value; /* as many numbers as there are solutions */
    double radius; /* of a symbol */
    int64_t path_points;
} drawing;

/* ---- The frame of a panel ---------------------------------------------------------------------------------------------- */

typedef struct frame {
    app_panel panel;
    plot_frame at;
    int64_t outside; /* solutions that are marked on the rim */
} frame;

static double coordinate(const drawing *d, const frame *f, int64_t k, int axis)
{
    const plumb_solutions *s = d->picture->solutions;
    if (f->panel.y < 0)
        return solution_value(s, k, f->panel.x)[axis * s->prec];
    return solution_value(s, k, axis == 0 ? f->panel.x : f->panel.y)[0];
}

static bool is_in(const drawing *d, const frame *f, int64_t k)
{
    return f->panel.y < 0 || d->picture->solutions->record[k].real;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Middle and half length of the values of an axis. Where a few are much farther out than all others, they do not determine the scale. */
static void spread(const drawing *d, const frame *f, int axis, double *middle, double *half)
{
    int64_t count = 0;
    for (int64_t k = 0; k < d->picture->solutions->count; k++)
        if (is_in(d, f, k) && isfinite(coordinate(d, f, k, axis)))
            d->value[count++] = coordinate(d, f, k, axis);
    *middle = *half = 0;
    if (count == 0)
        return;
    qsort(d->value, (size_t)count, sizeof *d->value, by_value);
    const double inner[2] = {d->value[count / 20], d->value[count - 1 - count / 20]}, usual = inner[1] - inner[0];
    double low = d->value[0], high = d->value[count - 1];
    if (count >= 20 && usual > 0 && high - low > 4 * usual) {
        low = fmax(low, inner[0] - usual);
        high = fmin(high, inner[1] + usual);
    }
    *middle = low / 2 + high / 2;
    *half = high / 2 - low / 2;
}

static void set_scales(const drawing *d, frame *f)
{
    const double size[2] = {f->at.width, f->at.height};
    double half[2], unit[2];
    for (int axis = 0; axis < 2; axis++) {
        spread(d, f, axis, &f->at.middle[axis], &half[axis]);
        unit[axis] = 2.24 * fmax(half[axis], 1e-9 * fabs(f->at.middle[axis])) / size[axis];
    }
    const double most = fmax(unit[0], unit[1]), least = fmin(unit[0], unit[1]);
    const bool equal = f->panel.y < 0 || !(4 * least > 0) || most < 4 * least;
    for (int axis = 0; axis < 2; axis++) {
        const double one = equal ? most : unit[axis];
        f->at.scale[axis] = one > 0 ? 1 / one : size[axis] / 2;
    }
}

/* ---- Symbols ------------------------------------------------------------------------------------------------------------ */

/* A piece of a path: a circle, a diamond, a square. */
static void put_symbol(FILE *out, int kind, double x, double y, double r)
{
    if (kind == REGULAR)
        fprintf(out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 -%.1f 0", x - r, y, r, r, 2 * r, r, r, 2 * r);
    else if (kind == SINGULAR)
        fprintf(out, "M%.1f %.1fl%.1f %.1fl%.1f -%.1fl-%.1f -%.1fz", x - 1.5 * r, y, 1.5 * r, 1.5 * r, 1.5 * r, 1.5 * r,
                1.5 * r, 1.5 * r);
    else
        fprintf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x - r, y - r, 2 * r, 2 * r, 2 * r);
}

/* The rims of all symbols of an element lie on top of all of them: of many real solutions in a row they would hide them. */
static void open_symbols(FILE *out, int class, int64_t count)
{
    if (is_real(class))
        fprintf(out, "<path class=\"real\" fill=\"#d9541e\"%s d=\"",
                count <= FEW ? " stroke=\"#ffffff\" stroke-width=\"0.6\"" : "");
    else
        fputs(
            "<path class=\"other\" fill=\"#2563c9\" fill-opacity=\"0.18\" stroke=\"#2563c9\" stroke-width=\"1.1\" d=\"",
            out);
}

/* Is the point within the frame? Otherwise it is moved to the rim. */
static bool move_inside(const frame *f, double *x, double *y)
{
    const double a = fmin(fmax(*x, 7), f->at.width - 7), b = fmin(fmax(*y, 7), f->at.height - 7);
    const bool inside = *x >= 0 && *x <= f->at.width && *y >= 0 && *y <= f->at.height;
    if (!inside) {
        *x = a;
        *y = b;
    }
    return inside;
}

static void put_class(const drawing *d, frame *f, int class)
{
    const plumb_solutions *s = d->picture->solutions;
    open_symbols(d->out, class, d->count[class]);
    for (int64_t k = 0; k < s->count; k++) {
        if (class_of(&s->record[k]) != class || !is_in(d, f, k))
            continue;
        double x = app_frame_x(&f->at, coordinate(d, f, k, 0)), y = app_frame_y(&f->at, coordinate(d, f, k, 1));
        if (!isfinite(x) || !isfinite(y))
            continue;
        if (move_inside(f, &x, &y)) {
            put_symbol(d->out, class / 2, x, y, d->radius);
        } else {
            fprintf(d->out, "M%.1f %.1fl4 7h-8z", x, y - 4);
            f->outside++;
        }
    }
    fputs("\"/>\n", d->out);
}

static void open_cells(FILE *out, int class, int shade)
{
    fprintf(out, "<path class=\"%s\" fill=\"%s\" fill-opacity=\"%.2f\" d=\"", is_real(class) ? "real" : "cells",
            is_real(class) ? "#d9541e" : "#2563c9", 0.25 + 0.75 * shade / (SHADES - 1));
}

/* Shades of cells: the darker, the more solutions there are, on a logarithmic scale. False without memory. */
static bool put_density(const drawing *d, frame *f, int class)
{
    const plumb_solutions *s = d->picture->solutions;
    const int wide = (int)(f->at.width / CELL) + 1, tall = (int)(f->at.height / CELL) + 1;
    int64_t *cell = calloc((size_t)wide * (size_t)tall, sizeof *cell), most = 1;
    if (cell == NULL)
        return false;
    for (int64_t k = 0; k < s->count; k++) {
        if (class_of(&s->record[k]) != class || !is_in(d, f, k))
            continue;
        double x = app_frame_x(&f->at, coordinate(d, f, k, 0)), y = app_frame_y(&f->at, coordinate(d, f, k, 1));
        if (!isfinite(x) || !isfinite(y))
            continue;
        f->outside += !move_inside(f, &x, &y);
        int64_t *here = &cell[(int)(y / CELL) * wide + (int)(x / CELL)];
        most = ++*here > most ? *here : most;
    }
    for (int shade = 0; shade < SHADES; shade++) {
        open_cells(d->out, class, shade);
        for (int k = 0; k < wide * tall; k++)
            if (cell[k] > 0 && (int)fmin(SHADES - 1, SHADES * log((double)cell[k]) / log((double)most + 1)) == shade)
                fprintf(d->out, "M%d %dh%dv%dh-%dz", k % wide * CELL, k / wide * CELL, CELL, CELL, CELL);
        fputs("\"/>\n", d->out);
    }
    free(cell);
    return true;
}

enum { MOST_LABELS = 16 };

/* The multiplicities of singular solutions, where there are few. Those of solutions that share a place stand above one another. */
static void put_multiplicities(const drawing *d, const frame *f)
{
    const plumb_solutions *s = d->picture->solutions;
    double place[MOST_LABELS][2];
    int labels = 0;
    if (d->count[2 * SINGULAR] + d->count[2 * SINGULAR + 1] + d->count[2 * CLUSTER] + d->count[2 * CLUSTER + 1] >
        MOST_LABELS)
        return;
    for (int64_t k = 0; k < s->count; k++) {
        const double x = app_frame_x(&f->at, coordinate(d, f, k, 0)), y = app_frame_y(&f->at, coordinate(d, f, k, 1));
        char text[32];
        if (class_of(&s->record[k]) / 2 == REGULAR || !is_in(d, f, k) || !isfinite(x) || !isfinite(y))
            continue;
        double up = d->radius;
        for (int j = 0; j < labels; j++)
            if (fabs(x - place[j][0]) < 26 && fabs(y - up - place[j][1]) < 12)
                up = y - place[j][1] + 13;
        snprintf(text, sizeof text, "\xc3\x97%lld", (long long)s->record[k].multiplicity);
        const bool at_edge = x > f->at.width - 30;
        app_frame_text(d->out, at_edge ? x - 1.6 * d->radius - 2 : x + 1.6 * d->radius + 2, y - up,
                       at_edge ? "font-size=\"12\" text-anchor=\"end\"" : "font-size=\"12\"", text);
        place[labels][0] = x;
        place[labels++][1] = y - up;
    }
}

/* ---- Paths -------------------------------------------------------------------------------------------------------------- */

static int column_of(const app_plot_data *paths, const char *name)
{
    for (int i = 0; i < paths->coordinates; i++)
        if (strcmp(paths->name[i], name) == 0)
            return 2 * i;
    return -1;
}

static void put_paths(const drawing *d, const frame *f)
{
    const app_plot_data *paths = d->picture->paths;
    const int column = paths && f->panel.y < 0 ? column_of(paths, d->picture->solutions->names[f->panel.x]) : -1;
    if (column < 0)
        return;
    const int64_t stride = d->path_points / 20000 + 1;
    fprintf(d->out,
            "<path class=\"path\" fill=\"none\" stroke=\"#8b949e\" stroke-width=\"%.1f\" stroke-opacity=\"%.2f\" d=\"",
            paths->count > 20 ? 0.7 : 0.9, paths->count > 60 ? 0.5 : 0.7);
    for (int64_t i = 0; i < paths->count; i++) {
        plot_pen p = {.out = d->out, .f = &f->at};
        if (paths->path[i].count > 0)
            app_plot_curve(&paths->path[i], column, stride, d->path_points < 4000 ? 4 : 1, app_pen_line, &p);
    }
    fputs("\"/>\n", d->out);
}

/* ---- Panels and what is around them --------------------------------------------------------------------------------- */

static void put_names(const drawing *d, const frame *f)
{
    char *const *names = d->picture->solutions->names;
    const bool plane = f->panel.y < 0;
    char text[80];
    snprintf(text, sizeof text, plane ? "Re %.60s" : "%.60s", names[f->panel.x]);
    app_frame_text(d->out, f->at.left + f->at.width, f->at.top + f->at.height + 32,
                   "font-size=\"13\" text-anchor=\"end\" font-style=\"italic\"", text);
    snprintf(text, sizeof text, plane ? "Im %.60s" : "%.60s", names[plane ? f->panel.x : f->panel.y]);
    app_frame_text(d->out, f->at.left, f->at.top - 7, "font-size=\"13\" font-style=\"italic\"", text);
    if (f->outside == 0)
        return;
    snprintf(text, sizeof text, "%lld beyond the frame", (long long)f->outside);
    app_frame_text(d->out, f->at.left + f->at.width, f->at.top - 7, "font-size=\"12\" text-anchor=\"end\"", text);
}

static bool put_panel(const drawing *d, frame *f)
{
    bool good = true;
    set_scales(d, f);
    app_frame_marks(d->out, &f->at);
    fprintf(d->out, "<g transform=\"translate(%.1f %.1f)\">\n", f->at.left, f->at.top);
    put_paths(d, f);
    for (int real = 0; real < 2; real++)
        for (int kind = REGULAR; kind <= CLUSTER; kind++) {
            const int class = 2 * kind + real;
            if (d->count[class] > MANY)
                good &= put_density(d, f, class);
            else if (d->count[class] > 0)
                put_class(d, f, class);
        }
    put_multiplicities(d, f);
    fprintf(d->out,
            "</g>\n<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#b6bdc6\"/>\n",
            f->at.left, f->at.top, f->at.width, f->at.height);
    put_names(d, f);
    return good;
}

/* Adds a piece of text to a line, which is written and begun again where it would become too long. */
static double flow(const drawing *d, char line[2 * LETTERS], const char *piece, double y)
{
    if (piece == NULL || strlen(line) + strlen(piece) > LETTERS) {
        app_frame_text(d->out, EDGE, y, "font-size=\"13\"", line);
        line[0] = 0;
        y += 18;
    }
    if (piece != NULL)
        snprintf(line + strlen(line), 2 * LETTERS - strlen(line), "%s", piece);
    return y;
}

/* How the paths ended, with the numbers of the text. Returns where the next line begins. */
static double put_account(const drawing *d, double y)
{
    const plumb_solve_report *r = d->picture->report;
    app_account_entry entry[APP_ACCOUNT];
    char line[2 * LETTERS] = "", piece[LETTERS];
    const char *before = ": ";
    if (r->direct > 0 || r->paths == 0) {
        app_frame_text(d->out, EDGE, y, "font-size=\"13\"", "Solved without paths.");
        return y + 18;
    }
    app_account(r, d->picture->largest, entry);
    snprintf(line, sizeof line, "%lld path%s", (long long)r->paths, r->paths == 1 ? "" : "s");
    for (int k = 0; k < APP_ACCOUNT; k++)
        if (entry[k].count > 0) {
            snprintf(piece, sizeof piece, "%s%lld %s", before, (long long)entry[k].count, entry[k].name);
            y = flow(d, line, piece, y);
            before = ", ";
        }
    return flow(d, line, NULL, y);
}

/* A symbol of a class, or the lightest and the darkest of its cells. */
static void put_legend_symbol(const drawing *d, int class, double x, double y)
{
    if (d->count[class] <= MANY) {
        open_symbols(d->out, class, 1);
        put_symbol(d->out, class / 2, x + 6, y, 4.5);
        fputs("\"/>\n", d->out);
        return;
    }
    for (int shade = 0; shade < SHADES; shade += SHADES - 1) {
        open_cells(d->out, class, shade);
        fprintf(d->out, "M%.1f %.1fh7v10h-7z\"/>\n", shade == 0 ? x - 1 : x + 6, y - 5);
    }
}

/* Planes of two unknowns have the real solutions only. */
static double put_legend(const drawing *d, double y)
{
    double x = EDGE;
    bool planes = false;
    for (int k = 0; k < d->picture->panels->count; k++)
        planes |= d->picture->panels->panel[k].y < 0;
    char text[96];
    for (int class = 0; class < CLASSES; class ++) {
        const int shown = class ^ 1; /* real ones first */
        if (d->count[shown] == 0 || !(planes || is_real(shown)))
            continue;
        snprintf(text, sizeof text, "%s: %lld%s", class_name[shown], (long long)d->count[shown],
                 d->count[shown] > MANY ? " (darker: more)" : "");
        const double width = 7.2 * (double)strlen(text) + 44;
        if (x + width > WIDTH) {
            x = EDGE;
            y += 20;
        }
        put_legend_symbol(d, shown, x, y - 5);
        app_frame_text(d->out, x + 18, y, "font-size=\"14\"", text);
        x += width;
    }
    if (d->picture->paths) {
        if (x + 80 > WIDTH) {
            x = EDGE;
            y += 20;
        }
        fprintf(d->out, "<path class=\"path\" fill=\"none\" stroke=\"#8b949e\" d=\"M%.1f %.1fh16\"/>\n", x, y - 5);
        app_frame_text(d->out, x + 22, y, "font-size=\"14\"", "paths");
        x += 80;
    }
    return x > EDGE ? y + 22 : y;
}

static double put_title(const drawing *d)
{
    const plumb_solutions *s = d->picture->solutions;
    const plumb_solve_report *r = d->picture->report;
    char text[160];
    if (s->count < r->distinct)
        snprintf(text, sizeof text, "%lld of %lld solutions in %lld unknown%s", (long long)s->count,
                 (long long)r->distinct, (long long)s->unknowns, s->unknowns == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%lld solution%s, %lld real, in %lld unknown%s", (long long)r->distinct,
                 r->distinct == 1 ? "" : "s", (long long)r->real, (long long)s->unknowns, s->unknowns == 1 ? "" : "s");
    fputs("<title>", d->out);
    escape_xml(d->out, text);
    fputs("</title>\n", d->out);
    app_frame_text(d->out, EDGE, 34, "font-size=\"20\" font-weight=\"600\"", text);
    return 60;
}

/* Draws everything below the outermost element, whose height it sets. False without memory. */
static bool draw(const drawing *d, double *bottom)
{
    const app_panels *panels = d->picture->panels;
    const int64_t unknowns = d->picture->solutions->unknowns;
    const int n = panels->count, wide = n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
    const double step = (WIDTH - 2.0 * EDGE) / wide, width = step - 56, height = n == 1 ? 560 : fmin(0.85 * width, 400);
    bool good = true;
    double y = put_account(d, put_legend(d, put_title(d)));
    if (unknowns > APP_PANELS && n == APP_PANELS) {
        char text[LETTERS];
        snprintf(text, sizeof text, "%d of %lld unknowns are drawn; --plot-coordinates chooses them.", n,
                 (long long)unknowns);
        app_frame_text(d->out, EDGE, y, "font-size=\"13\"", text);
        y += 18;
    }
    for (int k = 0; k < n && d->picture->solutions->count > 0; k++) {
        const int row = k / wide, column = k % wide;
        frame f = {.panel = panels->panel[k],
                   .at = {.left = EDGE + 46 + column * step,
                          .top = y + 18 + row * (height + 64),
                          .width = width,
                          .height = height}};
        good &= put_panel(d, &f);
        *bottom = f.at.top + height + 46;
    }
    *bottom = fmax(*bottom, y + 10);
    return good;
}

static bool write_svg(FILE *out, const app_picture *picture)
{
    const plumb_solutions *s = picture->solutions;
    memory_file body;
    double bottom = 0;
    drawing d = {.picture = picture, .value = malloc(((size_t)s->count + 1) * sizeof(double))};
    bool good = d.value != NULL && memory_file_begin(&body);
    if (!good) {
        free(d.value);
        return false;
    }
    d.out = body.file;
    for (int64_t k = 0; k < s->count; k++)
        d.count[class_of(&s->record[k])]++;
    d.radius = s->count <= 60 ? 4.5 : 3.2;
    for (int64_t i = 0; picture->paths && i < picture->paths->count; i++)
        d.path_points += picture->paths->path[i].count;
    good = draw(&d, &bottom);
    good &= memory_file_end(&body);
    if (good)
        app_svg_write(out, bottom, body.text, body.length);
    free(body.text);
    free(d.value);
    return good;
}

int app_picture_save(const char *command, app_picture *picture, const char *log, const char *svg)
{
    app_plot_data paths = {.path = NULL};
    app_output output = {.path = NULL};
    FILE *file = log != NULL ? fopen(log, "rb") : NULL;
    int result =
        log != NULL && file == NULL ? app_fail(command, "%s could not be read: %s", log, strerror(errno)) : APP_OK;
    if (file != NULL && picture->report->paths <= MOST_PATHS)
        result = app_plot_data_read(command, file, log, &paths);
    if (file != NULL)
        fclose(file);
    if (paths.count > 0)
        picture->paths = &paths;
    if (result == APP_OK)
        result = app_output_open(command, &output, svg);
    if (result == APP_OK)
        result =
            write_svg(output.file, picture) ? app_output_commit(command, &output) : app_fail(command, "out of memory");
    app_output_discard(&output);
    picture->paths = NULL;
    app_plot_data_clear(&paths);
    return result;
}
