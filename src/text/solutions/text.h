/* text.h - solutions in files: PHCpack's format and JSON, recognised by their content. docs/files.md describes both.
 *
 * Canonical numbers that are written read back to the same limbs in the same precision. */
#ifndef PLUMB_TEXT_SOLUTIONS_TEXT_H
#define PLUMB_TEXT_SOLUTIONS_TEXT_H

#include <stdio.h>

#include "model/points.h"
#include "model/solutions.h" /* plumb_solutions_read is public */
#include "text/cursor.h"
#include "text/json/json.h"
#include "text/number/number.h"

/* Write all solutions and flush. Return PLUMB_ERR_IO if writing fails, and PLUMB_ERR_RANGE for limbs whose sum
 * exceeds every double, because no decimal reads back to them. */
PLUMB_USE_RESULT plumb_status plumb_solutions_write_phc(FILE *out, const plumb_solutions *solutions);
/* The same in pieces, for lists that do not fit into memory: the head; solution k of s as number n of the list, with
 * a remark (or NULL) on its first line; and the end, which flushes. */
void plumb_solutions_phc_begin(FILE *out, int64_t count, int64_t unknowns);
PLUMB_USE_RESULT plumb_status plumb_solutions_phc_one(FILE *out, const plumb_solutions *s, int64_t k, int64_t n,
                                                      const char *remark);
PLUMB_USE_RESULT plumb_status plumb_solutions_phc_end(FILE *out);

/* The same as JSON. Begin sets *w up; solution k of s becomes number n of the list, in the precision of s. Certificates are written
 * with the solutions, certificate `point` with this one, if there are any (or NULL). */
PLUMB_USE_RESULT plumb_status plumb_solutions_write_json(FILE *out, const plumb_solutions *solutions);
void plumb_solutions_json_begin(json_writer *w, FILE *out, int64_t unknowns, const char *const *names);
PLUMB_USE_RESULT plumb_status plumb_solutions_json_one(json_writer *w, const plumb_solutions *s, int64_t k, int64_t n,
                                                       const plumb_certificates *certificates, int64_t point);
PLUMB_USE_RESULT plumb_status plumb_solutions_json_end(json_writer *w, const plumb_certificates *certificates);

/* Moves the cursor to the counts of the list that is meant, in a text of PHCpack's format that may have several (lists.c). */
PLUMB_USE_RESULT plumb_status plumb_solutions_find(text_cursor *c, plumb_text_error *error);

/* The JSON part of plumb_solutions_read. exact (or NULL) receives the points without rounding. */
PLUMB_USE_RESULT plumb_status plumb_solutions_read_json(const text_cursor *c, int32_t prec, plumb_solutions **solutions,
                                                        plumb_points **exact, plumb_text_error *error);

/* The exact value of a number that was scanned. */
PLUMB_USE_RESULT plumb_status plumb_solutions_exactly(const text_cursor *c, const number_token *token, mpq_t value,
                                                      plumb_text_error *error);

/* The same for a list of solutions within another file, in these unknowns. */
struct json_node;
PLUMB_USE_RESULT plumb_status plumb_solutions_read_list(const text_cursor *c, const struct json_node *list,
                                                        const char *const *names, int64_t unknowns, int32_t prec,
                                                        plumb_solutions **solutions, plumb_text_error *error);

/* A part of an unknown of solution k as such a text, or with all digits that the list keeps. */
PLUMB_USE_RESULT plumb_status plumb_solutions_number(const plumb_solutions *s, int64_t k, int64_t unknown, int part,
                                                     char **text);

/* Sets *text to the shortest decimal that reads back, in newly allocated memory. */
PLUMB_USE_RESULT plumb_status plumb_solutions_decimal(int32_t prec, const double *limbs, char **text);

#endif
