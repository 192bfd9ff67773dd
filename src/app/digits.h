/* digits.h - refinement to many digits in the program: progress on a terminal, a stop by signals, and the result in a table and in
 * JSON. */
#ifndef PLUMB_APP_DIGITS_H
#define PLUMB_APP_DIGITS_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"
#include "text/json/json.h"

enum { APP_LIMB_DIGITS = 60, APP_MOST_DIGITS = 10000 }; /* what quad doubles can promise; what can be asked for */

/* plumb_refine_digits with a line of progress on a terminal, if shown, and a stop by signals. */
PLUMB_USE_RESULT plumb_status app_digits_of_points(plumb_context *context, const plumb_system *system,
                                                   const plumb_view *x, int64_t digits, bool shown,
                                                   plumb_digits **refined);

/* The number of points with this many digits, and that of points with any. */
int64_t app_digits_count(const plumb_digits *refined, int64_t digits);

/* A table of all points, and what the outcomes in it mean. */
void app_digits_print(FILE *out, const plumb_digits *refined);

/* An unknown of a point: (re + im*i). */
void app_digits_print_number(FILE *out, const plumb_digits *refined, int64_t point, int64_t unknown);

/* "x": the numbers of a point. */
void app_digits_json(json_writer *w, const plumb_digits *refined, int64_t point);

/* 10^-known, or the smallest double if that is less. */
double app_digits_error(const plumb_digits_report *report);

#endif
