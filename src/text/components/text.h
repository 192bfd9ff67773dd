/* text.h - components of solution sets as JSON; docs/files.md describes the file.
 *
 * Systems and slices are texts in the form that plumb reads, with exact coefficients; points are written as in files of solutions. So
 * what is written reads back to the same components. */
#ifndef PLUMB_TEXT_COMPONENTS_TEXT_H
#define PLUMB_TEXT_COMPONENTS_TEXT_H

#include "model/components.h"
#include "text/cursor.h"
#include "text/json/json.h"

/* The members of the object, without its beginning and its end. */
PLUMB_USE_RESULT plumb_status plumb_components_json(json_writer *w, const plumb_components *components);

/* A file, flushed. */
PLUMB_USE_RESULT plumb_status plumb_components_write_json(FILE *out, const plumb_components *components);

/* A witness set in PHCpack's form (phc.c). */
PLUMB_USE_RESULT plumb_status plumb_components_read_phc(const text_cursor *c, plumb_components **components,
                                                        plumb_text_error *error);

#endif
