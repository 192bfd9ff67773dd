/* certified.h - counts of certificates, and the argument that a list of solutions is complete. */
#ifndef PLUMB_APP_CERTIFIED_H
#define PLUMB_APP_CERTIFIED_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"
#include "text/json/json.h"

typedef struct app_certified {
    int64_t points;
    int64_t certified;                /* boxes with exactly one zero of the system */
    int64_t squared;                  /* boxes with exactly one zero of the squared-up system */
    int64_t excluded;                 /* of which it is proven that they are no solutions */
    int64_t distinct;                 /* certified zeros that are proven to be distinct */
    int64_t same;                     /* certified zeros that are proven to be those of others */
    int64_t real, not_real, positive; /* of the distinct ones */
} app_certified;

/* A proven upper bound of the number of isolated solutions in C^n: the Bezout number, or the stable mixed volume. */
typedef struct app_bound {
    const char *name; /* NULL: no bound is known */
    int64_t value;
} app_bound;

/* plumb_certify with a line of progress on a terminal, if shown, and a stop by signals; *seconds is the time it took. */
PLUMB_USE_RESULT plumb_status app_certify(plumb_context *context, const plumb_system *system, const plumb_view *x,
                                          const plumb_certify_options *options, bool shown,
                                          plumb_certificates **certificates, double *seconds);

/* The same for components; *seconds also. */
PLUMB_USE_RESULT plumb_status app_certify_components(plumb_context *context, plumb_components *components,
                                                     uint64_t seed, bool shown, double *seconds);

app_certified app_certified_count(const plumb_certificates *certificates);

/* The smallest one that is known (solver/certify/bound.h). */
app_bound app_bound_of(plumb_context *context, const plumb_system *system, int64_t found);

/* The line of the count argument: "156 certified distinct isolated solutions (12 real) = stable mixed volume 156: complete", or
 * "at least ...". Nothing is known about the number of solutions if the system was squared up. */
void app_certified_print(FILE *out, const app_certified *counts, const app_bound *bound);

/* The same as members of an object. */
void app_certified_json(json_writer *w, const app_certified *counts, const app_bound *bound);

/* A few words about one certificate, for tables and remarks: "certified, real, distinct". */
enum { CLI_CERTIFICATE_WORDS = 128 };
const char *app_certificate_words(const plumb_certificate *c, char words[CLI_CERTIFICATE_WORDS]);

#endif
