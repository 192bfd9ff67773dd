/* frame.h - a rectangle of a picture with axes, and lines in it. */
#ifndef PLUMB_APP_FRAME_H
#define PLUMB_APP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_WIDTH = 900, PLOT_EDGE = 20 };

typedef struct plot_frame {
    double left, top, width, height;
    double middle[2], scale[2]; /* pixels per unit */
} plot_frame;

/* Where a place in the plane is, in pixels from the left and the top of the frame. */
double app_frame_x(const plot_frame *f, double x);
double app_frame_y(const plot_frame *f, double y);

/* A text in the picture; more: further attributes. */
void app_frame_text(FILE *out, double x, double y, const char *more, const char *text);

/* The lines of the grid, and the numbers at its edges. */
void app_frame_marks(FILE *out, const plot_frame *f);

/* Writes the data of a path element, of which the parts beyond the frame are left out. */
typedef struct plot_pen {
    FILE *out;
    const plot_frame *f;
    bool begun, drawn; /* is there a last point, and has the line been drawn to it? */
    double x, y;       /* the last point */
} plot_pen;
void app_pen_line(void *data, double re, double im);

/* Writes a picture of this height around its elements. */
void app_svg_write(FILE *out, double height, const char *body, size_t length);

#endif
