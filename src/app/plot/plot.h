/* plot.h - a path log as series of points to draw, and the picture of paths that plumb track makes of it with gnuplot. picture.h draws
 * solutions. */
#ifndef PLUMB_APP_PLOT_H
#define PLUMB_APP_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_PATHS = 1000, PLOT_COORDINATES = 12, PLOT_POINTS = 2048, PLOT_NAME = 24 };

typedef struct plot_point {
    double t, size;
    double x[2 * PLOT_COORDINATES]; /* real and imaginary parts */
    int8_t level;                   /* 1, 2, 3: d, dd, qd */
    bool on_axis;                   /* t is real: not on a circle of an endgame */
} plot_point;

/* How a path ended; each has its name in the legend and its colour. */
typedef enum plot_end {
    PLOT_SUCCESS,
    PLOT_SINGULAR,
    PLOT_NOT_ISOLATED,
    PLOT_INFINITY,
    PLOT_UNDECIDED,
    PLOT_FAILED,
    PLOT_ENDS
} plot_end;

typedef struct plot_path {
    int64_t path, last_step, rerun;
    int64_t met, stride; /* steps read so far; every stride-th is kept */
    int64_t count, room;
    plot_point *point;
    plot_point last; /* the newest one, kept or not; in the end the endpoint */
    bool far;        /* it went to infinity, or was given up far out, and far_x is the direction */
    double far_x[2 * PLOT_COORDINATES];
    plot_end end;
    bool ended;
} plot_path;

typedef struct app_plot_data {
    plot_path *path;
    int64_t count;
    int64_t left_out; /* paths beyond PLOT_PATHS, counted by their records */
    int64_t unknowns;
    int coordinates; /* read: at most PLOT_COORDINATES */
    char name[PLOT_COORDINATES][PLOT_NAME];
} app_plot_data;

/* Reads a log; name is for messages. *data is to be cleared also after a failure. A path that starts again, because it was tracked again or the run was resumed, replaces its earlier points. */
int app_plot_data_read(const char *command, FILE *log, const char *name, app_plot_data *data);
void app_plot_data_clear(app_plot_data *data);

/* Draws a path as a smooth curve through every stride-th of its points and its end: calls line for the ends of its pieces,
 * `pieces` of them between two points. column is 2 * coordinate. */
void app_plot_curve(const plot_path *path, int column, int64_t stride, int pieces,
                    void (*line)(void *data, double re, double im), void *data);

/* Writes the commands and data for gnuplot. False when memory runs out or out cannot be written. */
bool app_plot_draw(FILE *out, const app_plot_data *data);

/* Draws the log of this name into an SVG, by gnuplot. */
int app_plot(const char *command, const char *log, const char *svg);
/* The same for the log of a run, of which there is no picture if it was stopped before the first step. */
int app_plot_run(const char *command, const char *log, const char *svg, bool stopped);
/* Checks that gnuplot is installed, before the work begins. */
int app_plot_check(const char *command);

#endif
