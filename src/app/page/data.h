/* data.h - the data of a page, as JSON, from its beginning to its end; src/app/page/page.js shows them, and python/plumb/_page.py writes the
 * same members. The parts that every page has are here; a command writes the others between them. */
#ifndef PLUMB_APP_PAGE_DATA_H
#define PLUMB_APP_PAGE_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plumb.h"
#include "text/json/json.h"

enum { APP_PAGE_ROWS = 100000, APP_PAGE_TEXT = 200000 }; /* solutions of a page, and bytes of equations */

typedef struct app_page_data {
    const char *command;
    FILE *file; /* without a name; NULL before the beginning */
    json_writer w;
    bool failed;       /* memory ran out */
    int64_t solutions; /* written so far */
} app_page_data;

/* Opens the object. title: the name of the input, or NULL for that of the command. */
int app_page_begin(app_page_data *page, const char *title);

/* Closes the object, and writes the page to a file that appears when it is complete. */
int app_page_save(app_page_data *page, const char *path);
void app_page_discard(app_page_data *page);

/* "equation_count" and "equations": the polynomials in plain form, one per line; those beyond APP_PAGE_TEXT are left out. */
void app_page_equations(app_page_data *page, const plumb_system *system);

/* The equations alone, as an array. */
void app_page_texts(app_page_data *page, const char *key, const plumb_system *system);

/* Names first ... first + count - 1 of a system, as an array. */
void app_page_names(app_page_data *page, const char *key, const plumb_system *system, int64_t first, int64_t count);

/* Entries of "account" and "costs". */
void app_page_account(app_page_data *page, const char *name, int64_t count, const char *meaning);
void app_page_cost(app_page_data *page, const char *name, const char *value);

/* "footer": version and seed. */
void app_page_footer(app_page_data *page, uint64_t seed);

/* The properties of a solution that a page shows, without its coordinates. */
typedef struct app_page_solution {
    int32_t kind;
    int64_t multiplicity;
    bool real, positive;
    double error, residual, rcond;
    int32_t known;
    const char *certificate; /* or NULL */
} app_page_solution;

/* Opens a solution, takes the parts of its unknowns in their order, and closes it. */
void app_page_solution_begin(app_page_data *page, const app_page_solution *solution);
void app_page_number(app_page_data *page, const char *re, const char *im);
void app_page_solution_end(app_page_data *page);

#endif
