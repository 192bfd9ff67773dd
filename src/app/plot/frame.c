/* frame.c - see frame.h. Colours are plain attributes, which every renderer knows; a style on top of them serves dark screens. */
#include "app/plot/frame.h"

#include <math.h>

#include "text/escape.h"

enum { MOST_MARKS = 100 };

double app_frame_x(const plot_frame *f, double x)
{
    return f->width / 2 + (x - f->middle[0]) * f->scale[0];
}

double app_frame_y(const plot_frame *f, double y)
{
    return f->height / 2 - (y - f->middle[1]) * f->scale[1];
}

/* 1, 2 or 5 times a power of ten, such that marks are at least this many pixels apart. */
static double mark_distance(double scale, double pixels)
{
    const double least = pixels / scale, power = pow(10, floor(log10(least))), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

typedef struct marks {
    double distance, first, last; /* marks are at distance times first, first + 1, ..., last */
} marks;

static int mark_text(char text[32], double distance, double k)
{
    return snprintf(text, 32, "%.6g", k == 0 ? 0.0 : k * distance); /* no minus zero */
}

static marks marks_of_axis(const plot_frame *f, int axis, double pixels)
{
    const double scale = f->scale[axis], reach = (axis == 0 ? f->width : f->height) / 2 / scale;
    const double distance = mark_distance(scale, pixels);
    return (marks){distance, ceil((f->middle[axis] - reach) / distance), floor((f->middle[axis] + reach) / distance)};
}

/* As many marks as there is room for: on the horizontal axis, their texts stand side by side. */
static marks choose_marks(const plot_frame *f, int axis)
{
    marks m = marks_of_axis(f, axis, 30);
    for (int longest = 1; axis == 0 && longest > 0;) {
        char text[32];
        longest = 0;
        for (int k = 0; k < MOST_MARKS && m.first + k <= m.last; k++)
            longest = (int)fmax(longest, mark_text(text, m.distance, m.first + k));
        const double wide = 7.0 * longest + 12, apart = m.distance * f->scale[axis];
        if (!(wide > apart) || !(apart < f->width))
            break;
        m = marks_of_axis(f, axis, 1.01 * apart);
    }
    return m;
}

void app_frame_text(FILE *out, double x, double y, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"ink\" fill=\"#1c2128\" %s>", x, y, more);
    escape_xml(out, text);
    fputs("</text>\n", out);
}

static void put_marks_of_axis(FILE *out, const plot_frame *f, int axis)
{
    const marks m = choose_marks(f, axis);
    for (int j = 0; j < MOST_MARKS && m.first + j <= m.last; j++) {
        const double k = m.first + j;
        char text[32];
        mark_text(text, m.distance, k);
        const double at =
            axis == 0 ? f->left + app_frame_x(f, k * m.distance) : f->top + app_frame_y(f, k * m.distance);
        fprintf(out, "<path class=\"%s\" stroke=\"%s\" fill=\"none\" d=\"M%.1f %.1f%c%.1f\"/>\n",
                k == 0 ? "zero" : "grid", k == 0 ? "#9aa4b0" : "#e3e7ec", axis == 0 ? at : f->left,
                axis == 0 ? f->top : at, axis == 0 ? 'v' : 'h', axis == 0 ? f->height : f->width);
        if (axis == 0)
            app_frame_text(out, at, f->top + f->height + 16, "font-size=\"12\" text-anchor=\"middle\"", text);
        else
            app_frame_text(out, f->left - 6, at + 4, "font-size=\"12\" text-anchor=\"end\"", text);
    }
}

void app_frame_marks(FILE *out, const plot_frame *f)
{
    put_marks_of_axis(out, f, 0);
    put_marks_of_axis(out, f, 1);
}

/* ---- Lines ----------------------------------------------------------------------------------------------------------- */

/* Shortens the part [from, to] of a segment to where start + t step is at most most. */
static void shorten(double start, double step, double most, double *from, double *to)
{
    const double t = (most - start) / step;
    if (step > 0)
        *to = fmin(*to, t);
    else if (step < 0)
        *from = fmax(*from, t);
    else if (start > most)
        *to = -1;
}

/* Draws the part of a line that is within the frame. No clip path is needed for it, which not every renderer knows. */
void app_pen_line(void *data, double re, double im)
{
    plot_pen *p = data;
    const double x = app_frame_x(p->f, re), y = app_frame_y(p->f, im), dx = x - p->x, dy = y - p->y;
    double from = 0, to = 1;
    if (p->begun && isfinite(dx) && isfinite(dy)) {
        shorten(p->x, dx, p->f->width, &from, &to);
        shorten(-p->x, -dx, 0, &from, &to);
        shorten(p->y, dy, p->f->height, &from, &to);
        shorten(-p->y, -dy, 0, &from, &to);
        if (from < to) {
            if (!p->drawn || from > 0)
                fprintf(p->out, "M%.1f %.1f", p->x + from * dx, p->y + from * dy);
            fprintf(p->out, "L%.1f %.1f", p->x + to * dx, p->y + to * dy);
        }
        p->drawn = from < to && to == 1;
    }
    p->begun = isfinite(x) && isfinite(y);
    p->x = x;
    p->y = y;
}

/* ---- The file -------------------------------------------------------------------------------------------------------- */

static const char style[] =
    "<style>\n"
    "@media screen and (prefers-color-scheme: dark) {\n"
    "  .paper { fill: #14181d } .ink { fill: #e2e7ec } .grid { stroke: #272d35 } .zero { stroke: #5c6773 }\n"
    "  .frame { stroke: #414a55 } .path { stroke: #727d89 } .real { fill: #ff8a57 } .real[stroke] { stroke: #14181d }\n"
    "  .other { fill: #7fb0ff; stroke: #7fb0ff } .cells { fill: #7fb0ff }\n"
    "}\n"
    "</style>\n";

void app_svg_write(FILE *out, double height, const char *body, size_t length)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "font-family=\"system-ui, 'Helvetica Neue', 'DejaVu Sans', sans-serif\" stroke=\"none\">\n%s"
            "<rect class=\"paper\" width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
            PLOT_WIDTH, height, PLOT_WIDTH, height, style, PLOT_WIDTH, height);
    fwrite(body, 1, length, out);
    fputs("</svg>\n", out);
}
