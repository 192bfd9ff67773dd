/* curves.h - real curves of a solution set, and its isolated real points, as an SVG. */
#ifndef PLUMB_APP_CURVES_H
#define PLUMB_APP_CURVES_H

#include "app/command/command.h"
#include "plumb.h"

/* What the options of a command say. */
typedef struct app_curves_words {
    const char *svg;         /* NULL: no picture */
    const char *coordinates; /* pairs "x:y,x:z"; NULL: those of the first three unknowns */
    const char *box;         /* "x=-1:2,y=0:3", or "-2:2" for all unknowns; NULL: chosen */
} app_curves_words;

#define APP_CURVES_OPTIONS(type, member)                                                        \
    {0,           "plot",                                                                       \
     APP_OUTPUT,  offsetof(type, member.svg),                                                   \
     "FILE",      "draw the real points of curves, and isolated real points, into FILE (.svg)", \
     "not drawn", 0,                                                                            \
     0,           NULL},                                                                        \
        {0,                                                                                     \
         "plot-coordinates",                                                                    \
         APP_TEXT,                                                                              \
         offsetof(type, member.coordinates),                                                    \
         "LIST",                                                                                \
         "the planes that are drawn, as pairs of unknowns: x:y,x:z",                            \
         "those of the first three unknowns",                                                   \
         0,                                                                                     \
         0,                                                                                     \
         NULL},                                                                                 \
    {                                                                                           \
        0, "plot-box", APP_TEXT, offsetof(type, member.box), "BOX",                             \
            "draw what is in this box, such as -2:2 for all unknowns, or x=-1:2,y=0:3",         \
            "all special points and bounded pieces", 0, 0, NULL                                 \
    }

/* Checks the options before the work begins. */
int app_curves_check(const char *command, const app_curves_words *words, const plumb_system *system);

/* Draws the curves among the components; report receives the account. */
int app_curves_draw(const char *command, const app_curves_words *words, plumb_context *context,
                    const plumb_components *components, uint64_t seed, plumb_curves_report *report);

/* "drew 2 pieces of curves and 1 isolated point", in one line; something may be missing if that is so. */
void app_curves_print(const plumb_curves_report *report, FILE *out);

#endif
