/* picture.h - the solutions of a run as an SVG: small multiples of chosen coordinates. */
#ifndef PLUMB_APP_PICTURE_H
#define PLUMB_APP_PICTURE_H

#include "app/plot/plot.h"
#include "model/solutions.h"

enum { APP_PANELS = PLOT_COORDINATES };

/* One coordinate in the complex plane, or, for real solutions, coordinate y against coordinate x. */
typedef struct app_panel {
    int64_t x, y; /* indices of unknowns; y is -1 for a complex plane */
} app_panel;

typedef struct app_panels {
    app_panel panel[APP_PANELS];
    int count;
} app_panels;

/* Reads the value of an option, "x,y,x:y", or takes the first unknowns if it is NULL. */
int app_panels_read(const char *command, const char *option, const char *text, const plumb_system *system,
                    app_panels *panels);

typedef struct app_picture {
    const plumb_solutions *solutions;
    const plumb_solve_report *report; /* its counts are those of the text */
    double largest;
    const app_panels *panels;
    const app_plot_data *paths; /* drawn behind the solutions, or NULL */
} app_picture;

/* Draws it into the file svg. log, or NULL, is the log of the run: its paths are drawn if they are few enough to be seen. */
int app_picture_save(const char *command, app_picture *picture, const char *log, const char *svg);

#endif
