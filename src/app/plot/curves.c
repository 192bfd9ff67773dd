/* curves.c - see curves.h. Each plane of two unknowns is a panel. Equal lengths are equal distances in planes of two unknowns of similar size. */
#include "app/plot/curves.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/format.h"
#include "app/plot/frame.h"
#include "app/plot/picture.h"
#include "app/values.h"
#include "model/system/system.h"
#include "text/memory_file.h"

/* ---- Options --------------------------------------------------------------------------------------------------------- */

static int read_panels(const char *command, const app_curves_words *words, const plumb_system *system,
                       app_panels *panels)
{
    const int64_t n = plumb_system_unknowns(system);
    panels->count = 0;
    if (n < 2)
        return app_misuse(command, "--plot needs at least two unknowns");
    if (words->coordinates == NULL) {
        for (int64_t i = 0; i < n && i < 3; i++)
            for (int64_t j = i + 1; j < n && j < 3; j++)
                panels->panel[panels->count++] = (app_panel){i, j};
        return APP_OK;
    }
    const int result = app_panels_read(command, "--plot-coordinates", words->coordinates, system, panels);
    for (int k = 0; k < panels->count && result == APP_OK; k++)
        if (panels->panel[k].y < 0)
            return app_misuse(command, "--plot-coordinates: found '%s' alone, expected pairs such as %s:%s",
                              system->names[panels->panel[k].x], system->names[0], system->names[1]);
    return result;
}

/* "A:B" */
static bool read_range(const char *text, size_t length, double *low, double *high)
{
    char copy[128], *end;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *low = strtod(copy, &end);
    if (end == copy || *end != ':')
        return false;
    const char *second = end + 1;
    *high = strtod(second, &end);
    return end != second && *end == 0 && isfinite(*low) && isfinite(*high) && *low < *high;
}

typedef struct box_reader {
    const char *command;
    int64_t unknowns;
    double *box;
} box_reader;

static int take_range(void *data, int64_t unknown, const char *value, size_t length)
{
    const box_reader *r = data;
    if (read_range(value, length, &r->box[unknown], &r->box[r->unknowns + unknown]))
        return APP_OK;
    return app_misuse(r->command, "--plot-box: found '%.*s', expected LOW:HIGH, such as -2:2",
                      (int)(length < 100 ? length : 100), value);
}

/* box: low numbers, then high ones; all NULL in words->box: *given is false. */
static int read_box(const char *command, const app_curves_words *words, const plumb_system *system, double *box)
{
    const int64_t n = plumb_system_unknowns(system);
    const char *text = words->box;
    if (strchr(text, '=') == NULL) {
        if (!read_range(text, strlen(text), &box[0], &box[n]))
            return app_misuse(command, "--plot-box: found '%s', expected LOW:HIGH, such as -2:2", text);
        for (int64_t i = 1; i < n; i++) {
            box[i] = box[0];
            box[n + i] = box[n];
        }
        return APP_OK;
    }
    box_reader reader = {command, n, box};
    return app_values_read(command, "--plot-box", "NAME=LOW:HIGH", system, text, take_range, &reader);
}

int app_curves_check(const char *command, const app_curves_words *words, const plumb_system *system)
{
    static const app_format svg[] = {FORMAT_SVG, FORMAT_END};
    app_format format;
    app_panels panels;
    double *box = NULL;
    if (words->svg == NULL && (words->coordinates != NULL || words->box != NULL))
        return app_misuse(command, "--%s needs --plot", words->box ? "plot-box" : "plot-coordinates");
    if (words->svg == NULL)
        return APP_OK;
    int result = app_format_of(command, "--plot", words->svg, svg, &format);
    if (result == APP_OK)
        result = read_panels(command, words, system, &panels);
    if (result == APP_OK && words->box != NULL) {
        box = calloc(2 * (size_t)plumb_system_unknowns(system) + 1, sizeof *box);
        result = box ? read_box(command, words, system, box) : app_fail(command, "out of memory");
    }
    free(box);
    return result;
}

/* ---- The picture ----------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const plumb_system *system;
    const plumb_curves *curves;
    plumb_curves_report report;
    const app_panels *panels;
    const double *box; /* low numbers, then high ones */
    double *x;         /* of an isolated point */
    FILE *out;
} drawing;

static void set_scales(const drawing *d, const app_panel *panel, plot_frame *f)
{
    const int64_t n = plumb_system_unknowns(d->system), axis[2] = {panel->x, panel->y};
    const double size[2] = {f->width, f->height};
    double unit[2];
    for (int k = 0; k < 2; k++) {
        f->middle[k] = 0.5 * (d->box[axis[k]] + d->box[n + axis[k]]);
        unit[k] = 1.04 * (d->box[n + axis[k]] - d->box[axis[k]]) / size[k];
    }
    const double most = fmax(unit[0], unit[1]), least = fmin(unit[0], unit[1]);
    for (int k = 0; k < 2; k++)
        f->scale[k] = 1.0 / (most < 4.0 * least ? most : unit[k]);
}

static void put_line(const drawing *d, const app_panel *panel, const plot_frame *f, const plumb_curve_line *l)
{
    const int64_t n = plumb_system_unknowns(d->system);
    plot_pen pen = {.out = d->out, .f = f};
    for (int64_t k = 0; k < l->points; k++)
        app_pen_line(&pen, l->x[k * n + panel->x], l->x[k * n + panel->y]);
}

static void put_panel(const drawing *d, const app_panel *panel, plot_frame *f)
{
    set_scales(d, panel, f);
    app_frame_marks(d->out, f);
    fprintf(d->out, "<g transform=\"translate(%.1f %.1f)\">\n", f->left, f->top);
    fputs("<path class=\"curve\" fill=\"none\" stroke=\"#2563c9\" stroke-width=\"1.6\" stroke-linejoin=\"round\" "
          "stroke-linecap=\"round\" d=\"",
          d->out);
    for (int64_t k = 0; k < d->report.lines; k++) {
        plumb_curve_line line;
        if (plumb_curves_get_line(d->curves, k, &line) == PLUMB_OK)
            put_line(d, panel, f, &line);
    }
    fputs("\"/>\n", d->out);
    for (int64_t k = 0; k < d->report.isolated; k++)
        if (plumb_curves_get_isolated(d->curves, k, d->x) == PLUMB_OK)
            fprintf(d->out,
                    "<circle class=\"real\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"#d9541e\" stroke=\"#ffffff\" "
                    "stroke-width=\"0.6\"/>\n",
                    app_frame_x(f, d->x[panel->x]), app_frame_y(f, d->x[panel->y]));
    fprintf(d->out,
            "</g>\n<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#b6bdc6\"/>\n",
            f->left, f->top, f->width, f->height);
    app_frame_text(d->out, f->left + f->width, f->top + f->height + 32,
                   "font-size=\"13\" text-anchor=\"end\" font-style=\"italic\"", d->system->names[panel->x]);
    app_frame_text(d->out, f->left, f->top - 7, "font-size=\"13\" font-style=\"italic\"", d->system->names[panel->y]);
}

static void put_title(const drawing *d)
{
    const plumb_curves_report *r = &d->report;
    char text[160];
    snprintf(text, sizeof text, "%lld piece%s of real curves, %lld isolated real point%s", (long long)r->pieces,
             r->pieces == 1 ? "" : "s", (long long)r->isolated, r->isolated == 1 ? "" : "s");
    fprintf(d->out, "<title>%s</title>\n", text);
    app_frame_text(d->out, PLOT_EDGE, 34, "font-size=\"20\" font-weight=\"600\"", text);
}

static void draw(const drawing *d, double *bottom)
{
    const int n = d->panels->count, wide = n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
    const double step = (PLOT_WIDTH - 2.0 * PLOT_EDGE) / wide, width = step - 56,
                 height = n == 1 ? 560 : fmin(0.95 * width, 400);
    put_title(d);
    for (int k = 0; k < n; k++) {
        const int row = k / wide, column = k % wide;
        plot_frame f = {
            .left = PLOT_EDGE + 46 + column * step, .top = 78 + row * (height + 64), .width = width, .height = height};
        put_panel(d, &d->panels->panel[k], &f);
        *bottom = f.top + height + 46;
    }
}

static int write_svg(const char *command, drawing *d, const char *svg)
{
    memory_file body;
    double bottom = 0;
    app_output output = {.path = NULL};
    d->x = calloc((size_t)plumb_system_unknowns(d->system) + 1, sizeof *d->x);
    if (d->x == NULL || !memory_file_begin(&body)) {
        free(d->x);
        return app_fail(command, "out of memory");
    }
    d->out = body.file;
    draw(d, &bottom);
    int result = memory_file_end(&body) ? APP_OK : app_fail(command, "out of memory");
    if (result == APP_OK)
        result = app_output_open(command, &output, svg);
    if (result == APP_OK) {
        app_svg_write(output.file, bottom, body.text, body.length);
        result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    free(body.text);
    free(d->x);
    return result;
}

int app_curves_draw(const char *command, const app_curves_words *words, plumb_context *context,
                    const plumb_components *components, uint64_t seed, plumb_curves_report *report)
{
    const plumb_system *system = plumb_components_system(components);
    const int64_t n = plumb_system_unknowns(system);
    plumb_curves_options options;
    plumb_curves *curves = NULL;
    app_panels panels;
    double *box = calloc(2 * (size_t)n + 1, sizeof *box);
    int result = box ? read_panels(command, words, system, &panels) : app_fail(command, "out of memory");
    plumb_curves_options_init(&options);
    options.seed = seed;
    if (result == APP_OK && words->box != NULL && box != NULL) {
        result = read_box(command, words, system, box);
        options.low = box;
        options.high = box + n;
    }
    plumb_status status = PLUMB_OK;
    signal(SIGINT, SIG_DFL); /* the call has nothing to save, and cannot be asked to stop */
    signal(SIGTERM, SIG_DFL);
    if (result == APP_OK)
        status = plumb_components_curves(context, components, -1, &options, &curves);
    if (status == PLUMB_ERR_ARGUMENT || status == PLUMB_ERR_SIZE)
        result = app_fail(command, "--plot: %s", plumb_context_message(context));
    else if (status != PLUMB_OK)
        result = app_context_fail(command, context, status);
    drawing d = {.system = system, .curves = curves, .panels = &panels, .box = box};
    if (result == APP_OK && (plumb_curves_get_report(curves, &d.report) != PLUMB_OK ||
                             plumb_curves_get_box(curves, box, box + n) != PLUMB_OK))
        result = app_fail(command, "%s", plumb_last_message());
    if (result == APP_OK)
        result = write_svg(command, &d, words->svg);
    *report = d.report;
    plumb_curves_destroy(curves);
    free(box);
    return result;
}

void app_curves_print(const plumb_curves_report *r, FILE *out)
{
    fprintf(out, "drawn: %lld piece%s of real curves, %lld isolated real point%s", (long long)r->pieces,
            r->pieces == 1 ? "" : "s", (long long)r->isolated, r->isolated == 1 ? "" : "s");
    if (r->doubtful > 0)
        fprintf(out, "; %lld place%s where lines do not fit together: something may be missing", (long long)r->doubtful,
                r->doubtful == 1 ? "" : "s");
    fputc('\n', out);
}
