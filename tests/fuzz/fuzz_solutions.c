/* fuzz_solutions.c - any bytes at all through plumb_solutions_read, PHCpack's format and JSON, and back.
 *
 *     tests/fuzz/run solutions 60
 *
 * Solutions must come back with every bit in both formats, at each precision; an error must have its place inside the
 * bytes and the same status when nobody asks for it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/solutions/text.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_error(const plumb_text_error *error, size_t size)
{
    CHECK(error->line >= 1 && error->column >= 1 && error->column <= (int64_t)size + 1);
    CHECK(error->line <= (int64_t)size + 1 && strlen(error->message) > 0);
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_same(const plumb_solutions *a, const plumb_solutions *b, int json)
{
    CHECK(a->count == b->count && a->unknowns == b->unknowns && a->prec == b->prec);
    for (int64_t i = 0; i < a->unknowns; i++)
        CHECK(strcmp(a->names[i], b->names[i]) == 0);
    for (int64_t i = 0; i < a->count * a->unknowns * 2 * a->prec; i++)
        CHECK(same(a->x[i], b->x[i]));
    for (int64_t i = 0; i < a->count * 2 * a->prec; i++)
        CHECK(same(a->t[i], b->t[i]));
    for (int64_t k = 0; k < a->count; k++) {
        const solution_record *r = &a->record[k], *s = &b->record[k];
        CHECK(json || r->multiplicity == s->multiplicity); /* JSON numbers are doubles */
        CHECK(same(r->err, s->err) || (json && !isfinite(r->err)));
        CHECK(same(r->rco, s->rco) || (json && !isfinite(r->rco)));
        CHECK(same(r->res, s->res) || (json && !isfinite(r->res)));
    }
}

/* Reads what is written of solutions; limb lists need not be canonical, so what is compared is the second time. */
static plumb_solutions *there_and_back(const plumb_solutions *s, int json)
{
    char *bytes;
    size_t length;
    plumb_solutions *back = NULL;
    FILE *file = open_memstream(&bytes, &length);
    CHECK(file != NULL);
    plumb_status status = json ? plumb_solutions_write_json(file, s) : plumb_solutions_write_phc(file, s);
    fclose(file);
    CHECK(status == PLUMB_OK || status == PLUMB_ERR_RANGE);
    if (status == PLUMB_OK) {
        status = plumb_solutions_read(bytes, length, s->prec, &back, NULL);
        CHECK(status == PLUMB_OK ||
              (json && status == PLUMB_ERR_PARSE)); /* names that are no UTF-8, large multiplicities */
    }
    free(bytes);
    return back;
}

static void check_solutions(const char *text, size_t size)
{
    plumb_solutions *all[3] = {NULL};
    const int32_t precs[3] = {PLUMB_QD, PLUMB_DD, PLUMB_D};
    for (int i = 0; i < 3; i++) {
        plumb_text_error error = {.line = 0};
        plumb_status status = plumb_solutions_read(text, size, precs[i], &all[i], &error);
        CHECK((status == PLUMB_OK) == (all[i] != NULL));
        if (status != PLUMB_OK) {
            check_error(&error, size);
            CHECK(plumb_solutions_read(text, size, precs[i], &all[i], NULL) == status && all[i] == NULL);
            break;
        }
        for (int json = 0; json < 2; json++) {
            plumb_solutions *once = there_and_back(all[i], json);
            plumb_solutions *twice = once != NULL ? there_and_back(once, json) : NULL;
            if (twice != NULL)
                check_same(once, twice, json);
            plumb_solutions_destroy(once);
            plumb_solutions_destroy(twice);
        }
    }
    for (int i = 0; i < 3; i++)
        plumb_solutions_destroy(all[i]);
}

/* The same text without rounding has as many points; numbers that are not finite, and very long ones, are refused there only. */
static void check_points(const char *text, size_t size)
{
    plumb_points *points = NULL;
    plumb_solutions *rounded = NULL;
    plumb_text_error error = {.line = 0};
    const plumb_status status = plumb_points_read(text, size, &points, &error);
    CHECK((status == PLUMB_OK) == (points != NULL));
    if (status != PLUMB_OK)
        check_error(&error, size);
    else if (plumb_solutions_read(text, size, PLUMB_D, &rounded, NULL) == PLUMB_OK)
        CHECK(plumb_points_count(points) == plumb_solutions_count(rounded) &&
              plumb_points_unknowns(points) == plumb_solutions_unknowns(rounded));
    plumb_solutions_destroy(rounded);
    plumb_points_destroy(points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_solutions((const char *)data, size);
    check_points((const char *)data, size);
    return 0;
}
