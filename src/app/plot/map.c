/* map.c - numbers of solutions on a grid of two parameters; see map.h. A cell is a rectangle around its target; the cells of one number
 * are one path, in which those of a row that touch are one rectangle. */
#include "app/plot/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/plot/frame.h"
#include "text/escape.h"
#include "text/memory_file.h"

enum { MOST_LEGEND = 30, LETTER = 7 };

typedef struct shade {
    int32_t number;
    int64_t cells;
    char colour[8];
} shade;

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Light yellow to dark violet, which stay apart for all kinds of colour vision; none is grey, and "open" is red. */
static void set_colour(int32_t number, double place, char colour[8])
{
    static const double stop[][3] = {{253, 231, 37}, {122, 209, 81}, {34, 168, 132},
                                     {42, 120, 142}, {65, 68, 135},  {68, 1, 84}};
    const int last = (int)(sizeof stop / sizeof *stop) - 1;
    const double at = place * last;
    const int k = at >= last ? last - 1 : (int)at;
    int part[3];
    for (int c = 0; c < 3; c++)
        part[c] = (int)lround(stop[k][c] + (at - k) * (stop[k + 1][c] - stop[k][c]));
    if (number == APP_MAP_OPEN)
        snprintf(colour, 8, "#d62728");
    else if (number == 0)
        snprintf(colour, 8, "#eceff1");
    else
        snprintf(colour, 8, "#%02x%02x%02x", (unsigned)part[0] & 255u, (unsigned)part[1] & 255u,
                 (unsigned)part[2] & 255u);
}

/* The numbers that occur; NULL without memory. */
static shade *list_shades(const app_map *map, int64_t *count)
{
    const int64_t cells = map->axis[0].count * map->axis[1].count;
    int32_t *sorted = malloc((size_t)(cells + 1) * sizeof *sorted);
    shade *list = sorted ? calloc((size_t)(cells + 1), sizeof *list) : NULL;
    int64_t first = 0; /* of those that have a place in the scale: not 0, not open */
    *count = 0;
    if (list) {
        memcpy(sorted, map->number, (size_t)cells * sizeof *sorted);
        qsort(sorted, (size_t)cells, sizeof *sorted, by_number);
        for (int64_t k = 0; k < cells; k++) {
            if (*count == 0 || list[*count - 1].number != sorted[k])
                list[(*count)++].number = sorted[k];
            list[*count - 1].cells++;
        }
        while (first < *count && list[first].number <= 0)
            first++;
        for (int64_t k = 0; k < *count; k++)
            set_colour(list[k].number,
                       *count - first > 1 ? fmax(0.0, (double)(k - first) / (double)(*count - first - 1)) : 0.4,
                       list[k].colour);
    }
    free(sorted);
    return list;
}

/* Cells are bounded by whole pixels, so that no seams are seen between them. */
static double edge(const plot_frame *f, int axis, const app_map *map, int64_t k)
{
    const double part = (double)k / (double)map->axis[axis].count;
    return axis == 0 ? rint(f->width * part * 4.0) / 4.0 : rint(f->height * (1.0 - part) * 4.0) / 4.0;
}

static void put_cells(FILE *out, const plot_frame *f, const app_map *map, const shade *s)
{
    const int64_t wide = map->axis[0].count, tall = map->axis[1].count;
    fprintf(out, "<path fill=\"%s\" shape-rendering=\"crispEdges\" d=\"", s->colour);
    for (int64_t j = 0; j < tall; j++)
        for (int64_t i = 0; i < wide; i++) {
            const int64_t begin = i;
            while (i < wide && map->number[j * wide + i] == s->number)
                i++;
            if (i == begin)
                continue;
            const double left = edge(f, 0, map, begin), right = edge(f, 0, map, i), low = edge(f, 1, map, j),
                         high = edge(f, 1, map, j + 1);
            fprintf(out, "M%g %gH%gV%gH%gZ", left, high, right, low, left);
        }
    fputs("\"/>\n", out);
}

static double put_legend(FILE *out, const app_map *map, const shade *list, int64_t count, double y)
{
    const double all = (double)(map->axis[0].count * map->axis[1].count);
    double x = PLOT_EDGE;
    char text[96];
    for (int64_t k = 0; k < count && k < MOST_LEGEND; k++) {
        if (list[k].number == APP_MAP_OPEN)
            snprintf(text, sizeof text, "some may be missing (%.2g%%)", 100.0 * (double)list[k].cells / all);
        else
            snprintf(text, sizeof text, "%d (%.2g%%)", (int)list[k].number, 100.0 * (double)list[k].cells / all);
        const double width = LETTER * (double)strlen(text) + 40;
        if (x + width > PLOT_WIDTH - PLOT_EDGE) {
            x = PLOT_EDGE;
            y += 22;
        }
        fprintf(
            out,
            "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#b6bdc6\"/>\n",
            x, y - 12, list[k].colour);
        app_frame_text(out, x + 20, y, "font-size=\"14\"", text);
        x += width;
    }
    if (count > MOST_LEGEND) {
        snprintf(text, sizeof text, "... up to %d", (int)list[count - 1].number);
        app_frame_text(out, x, y, "font-size=\"14\"", text);
    }
    return y + 14;
}

static double put_title(FILE *out, const app_map *map, const shade *list, int64_t count)
{
    char text[160];
    int64_t least = count > 0 ? list[0].number : 0;
    if (count > 1 && least == APP_MAP_OPEN)
        least = list[1].number;
    const int64_t most = count > 0 ? list[count - 1].number : 0;
    if (least == most)
        snprintf(text, sizeof text, "%lld %s at all of %lld x %lld targets", (long long)most, map->what,
                 (long long)map->axis[0].count, (long long)map->axis[1].count);
    else
        snprintf(text, sizeof text, "%lld to %lld %s at %lld x %lld targets", (long long)least, (long long)most,
                 map->what, (long long)map->axis[0].count, (long long)map->axis[1].count);
    fputs("<title>", out);
    escape_xml(out, text);
    fputs("</title>\n", out);
    app_frame_text(out, PLOT_EDGE, 34, "font-size=\"20\" font-weight=\"600\"", text);
    if (map->fixed[0] == 0)
        return 64;
    app_frame_text(out, PLOT_EDGE, 56, "font-size=\"13\"", map->fixed);
    return 84;
}

static void draw(FILE *out, const app_map *map, const shade *list, int64_t count, double *bottom)
{
    const double top = put_legend(out, map, list, count, put_title(out, map, list, count)) + 26;
    plot_frame f = {.left = PLOT_EDGE + 56, .top = top, .width = PLOT_WIDTH - 2.0 * PLOT_EDGE - 66, .height = 560};
    const double size[2] = {f.width, f.height};
    for (int axis = 0; axis < 2; axis++) {
        f.middle[axis] = 0.5 * (map->axis[axis].low + map->axis[axis].high);
        f.scale[axis] = size[axis] / (map->axis[axis].high - map->axis[axis].low);
    }
    app_frame_marks(out, &f);
    fprintf(out, "<g transform=\"translate(%.1f %.1f)\">\n", f.left, f.top);
    for (int64_t k = 0; k < count; k++)
        put_cells(out, &f, map, &list[k]);
    fprintf(out,
            "</g>\n<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#b6bdc6\"/>\n",
            f.left, f.top, f.width, f.height);
    app_frame_text(out, f.left + f.width, f.top + f.height + 34,
                   "font-size=\"14\" text-anchor=\"end\" font-style=\"italic\"", map->axis[0].name);
    app_frame_text(out, f.left, f.top - 8, "font-size=\"14\" font-style=\"italic\"", map->axis[1].name);
    *bottom = f.top + f.height + 48;
}

int app_map_save(const char *command, const app_map *map, const char *svg)
{
    memory_file body;
    double bottom = 0;
    app_output output = {.path = NULL};
    int64_t count = 0;
    shade *list = list_shades(map, &count);
    if (list == NULL || !memory_file_begin(&body)) {
        free(list);
        return app_fail(command, "out of memory");
    }
    draw(body.file, map, list, count, &bottom);
    int result = memory_file_end(&body) ? APP_OK : app_fail(command, "out of memory");
    if (result == APP_OK)
        result = app_output_open(command, &output, svg);
    if (result == APP_OK) {
        app_svg_write(output.file, bottom, body.text, body.length);
        result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    free(body.text);
    free(list);
    return result;
}
