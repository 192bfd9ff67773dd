/* map.h - plumb solve --map: targets on a grid of one or two parameters, and the picture of what was found there. */
#ifndef PLUMB_CLI_FAMILY_MAP_H
#define PLUMB_CLI_FAMILY_MAP_H

#include "app/plot/map.h"
#include "cli/family/family.h"

typedef struct family_map {
    const family_words *words;
    const plumb_family *family;
    int axes; /* 1 or 2 */
    app_map_axis axis[2];
    int64_t parameter[2]; /* which one varies */
    double *limbs;        /* of a target, as family_rows_next has them: with the values of the other parameters */
    char *fixed;          /* these as a text */
    int32_t *number;      /* of each target, if there is a picture */
    app_panels panels;
} family_map;

/* Reads --map, for parameters of these names. Says in one line what is wrong. */
int family_map_begin(const family_words *words, const plumb_family *family, const char *const *names, family_map *map);
void family_map_end(family_map *map);

/* The number of targets, and one of them, from 0 on, row by row of the grid from its lower left corner: limbs as in map->limbs. On a
 * grid they are the centers of cells; on a line, points at equal distances with both ends. */
int64_t family_map_count(const family_map *map);
void family_map_target(const family_map *map, int64_t number, double *limbs);

/* Notes what was found for a target. */
void family_map_put(family_map *map, int64_t number, const plumb_instance *instance);

/* Draws the picture that --plot asks for. */
int family_map_save(family_map *map, plumb_context *context);

#endif
