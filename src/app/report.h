/* report.h - the beginning that every JSON object of the programs has, and the members that many of them share.
 * docs/json.md describes the schema. */
#ifndef PLUMB_APP_REPORT_H
#define PLUMB_APP_REPORT_H

#include "plumb.h"
#include "text/json/json.h"

/* Opens the object: "schema", "command", "version". */
json_writer app_report_begin(FILE *out, const char *command);
void app_report_end(json_writer *w);

/* "unknowns": the names of the unknowns of a system. */
void app_report_unknowns(json_writer *w, const plumb_system *system);

/* "backend": "cpu" or "gpu". */
void app_report_backend(json_writer *w, int32_t backend);

/* A complex number [re, im] as strings that read back to the same limbs, of prec limbs each; im NULL stands for 0. False when one
 * is beyond the range of a double; null stands there then. */
bool app_report_number(json_writer *w, const char *key, int32_t prec, const double *re, const double *im);

/* One real number as such a string. */
bool app_report_real(json_writer *w, const char *key, int32_t prec, const double *limbs);

/* The limbs of an entry of a view: part 0 the real part, 1 the imaginary one (zeros for a real view). */
void app_entry(const plumb_view *view, int64_t problem, int64_t row, int64_t col, int32_t part, double limbs[PLUMB_QD]);

/* The entries of column col of a problem of a batch, as complex numbers. */
bool app_report_column(json_writer *w, const char *key, const plumb_view *view, int64_t problem, int64_t col);

#endif
