/* map.h - a family over its parameters, as SVG: numbers of solutions on a grid of two of them, or branches along one. */
#ifndef PLUMB_APP_MAP_H
#define PLUMB_APP_MAP_H

#include "app/plot/picture.h"
#include "plumb.h"

/* A parameter that varies. */
typedef struct app_map_axis {
    const char *name;
    double low, high;
    int64_t count; /* of cells or samples */
} app_map_axis;

/* Numbers of solutions: that in column i and row j, from the lower left on, is number[j * axis[0].count + i]. */
typedef struct app_map {
    app_map_axis axis[2];
    const int32_t *number; /* APP_MAP_OPEN where solutions may be missing */
    const char *what;      /* "real solutions" */
    const char *fixed;     /* the values of the other parameters, or "" */
} app_map;
enum { APP_MAP_OPEN = -1 };

int app_map_save(const char *command, const app_map *map, const char *svg);

/* Branches over axis[0], or over an unknown where a panel has two. */
typedef struct app_map_branches {
    app_map_axis axis;
    const plumb_branches *branches;
    const plumb_branches_report *report;
    const plumb_system *system;
    const app_panels *panels; /* y is -1 for x over the parameter */
    int64_t unknowns;
    bool positive;     /* only the parts with all unknowns above 0 */
    const char *fixed; /* as above */
} app_map_branches;

int app_map_save_branches(const char *command, const app_map_branches *map, const char *svg);

#endif
