/* solutions.c - see solutions.h. */
#include "model/solutions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "model/name.h"

void plumb_solutions_destroy(plumb_solutions *solutions)
{
    if (solutions == NULL)
        return;
    for (int64_t i = 0; solutions->names != NULL && i < solutions->unknowns; i++)
        free(solutions->names[i]);
    free(solutions->names);
    free(solutions->x);
    free(solutions->t);
    free(solutions->record);
    free(solutions->report);
    plumb_digits_destroy(solutions->digits);
    free(solutions);
}

static bool copy_names(plumb_solutions *s, const char *const *names)
{
    for (int64_t i = 0; names != NULL && i < s->unknowns; i++) {
        size_t size = strlen(names[i]) + 1;
        s->names[i] = malloc(size);
        if (s->names[i] == NULL)
            return false;
        memcpy(s->names[i], names[i], size);
    }
    return true;
}

static void *zeros(int64_t count, size_t entry)
{
    return calloc((size_t)(count > 0 ? count : 1), entry);
}

plumb_status plumb_solutions_create(int64_t count, int64_t unknowns, int32_t prec, const char *const *names,
                                    plumb_solutions **solutions)
{
    int64_t values, doubles, bytes, times;
    plumb_call_begin();
    if (solutions == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "solutions is NULL");
    *solutions = NULL;
    if (count < 0 || unknowns < 1 || plumb_prec_name(prec) == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "found %lld solutions in %lld unknowns with %d limbs, expected at least 0, at least 1, and a "
                         "precision",
                         (long long)count, (long long)unknowns, (int)prec);
    for (int64_t i = 0; names != NULL && i < unknowns; i++)
        if (!name_is_usable(names[i]))
            return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                             "names[%lld]: expected a name without white space, ':' and '='", (long long)i);
    if (!size_mul(count, unknowns, &values) || !size_mul(values, 2 * (int64_t)prec, &doubles) ||
        !size_mul(doubles, (int64_t)sizeof(double), &bytes) || !size_mul(count, 2 * (int64_t)prec, &times) ||
        !size_mul(times, (int64_t)sizeof(solution_record), &bytes))
        return plumb_call_end(PLUMB_ERR_SIZE);
    int64_t needed = plumb_memory_add(plumb_memory_add(0, doubles + times, (int64_t)sizeof(double)), count,
                                      (int64_t)sizeof(solution_record));
    plumb_status status = plumb_memory_check(needed, "a list of solutions", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    plumb_solutions *s = calloc(1, sizeof *s);
    if (s == NULL)
        return plumb_call_end(PLUMB_ERR_MEMORY);
    s->count = count;
    s->unknowns = unknowns;
    s->prec = prec;
    s->names = zeros(unknowns, sizeof *s->names);
    s->x = zeros(doubles, sizeof *s->x);
    s->t = zeros(times, sizeof *s->t);
    s->record = zeros(count, sizeof *s->record);
    plumb_memory_large(s->x, (size_t)doubles * sizeof *s->x);
    plumb_memory_large(s->t, (size_t)times * sizeof *s->t);
    plumb_memory_large(s->record, (size_t)count * sizeof *s->record);
    if (s->names == NULL || s->x == NULL || s->t == NULL || s->record == NULL || !copy_names(s, names)) {
        plumb_solutions_destroy(s);
        return plumb_call_end(PLUMB_ERR_MEMORY);
    }
    for (int64_t k = 0; k < count; k++)
        s->record[k] = (solution_record){.multiplicity = 1, .rco = 1};
    *solutions = s;
    return PLUMB_OK;
}

/* ---- Access ------------------------------------------------------------------------------------------------------ */

int64_t plumb_solutions_count(const plumb_solutions *solutions)
{
    return solutions != NULL ? solutions->count : 0;
}

int64_t plumb_solutions_unknowns(const plumb_solutions *solutions)
{
    return solutions != NULL ? solutions->unknowns : 0;
}

int32_t plumb_solutions_prec(const plumb_solutions *solutions)
{
    return solutions != NULL ? solutions->prec : 0;
}

const char *plumb_solutions_name(const plumb_solutions *solutions, int64_t unknown)
{
    return solutions != NULL && unknown >= 0 && unknown < solutions->unknowns ? solutions->names[unknown] : NULL;
}

static plumb_status check_points(const plumb_solutions *s, int64_t first, const plumb_view *x)
{
    if (s == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "solutions is NULL");
    plumb_status status = plumb_view_check(x, "x", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (x->where != PLUMB_HOST || x->parts != PLUMB_COMPLEX || x->prec != s->prec || x->rows != s->unknowns ||
        x->cols != 1)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "x: expected complex points of %lld x 1 in %s on the host",
                         (long long)s->unknowns, plumb_prec_name(s->prec));
    if (first < 0 || first > s->count || x->batch > s->count - first)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "%lld solutions from number %lld on were asked for, there are %lld", (long long)x->batch,
                         (long long)first, (long long)s->count);
    return PLUMB_OK;
}

plumb_status plumb_solutions_get(const plumb_solutions *solutions, int64_t first, plumb_view *x)
{
    plumb_status status = check_points(solutions, first, x);
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t c = 0; c < view_planes(x); c++)
                x->data[k * x->next + c * x->plane + i] = solution_value(solutions, first + k, i)[c];
    return plumb_call_end(status);
}

static void drop_digits(plumb_solutions *s)
{
    plumb_digits_destroy(s->digits);
    s->digits = NULL;
}

const plumb_digits *plumb_solutions_digits(const plumb_solutions *solutions)
{
    return solutions != NULL ? solutions->digits : NULL;
}

plumb_status plumb_solutions_set(plumb_solutions *solutions, int64_t first, const plumb_view *x)
{
    plumb_status status = check_points(solutions, first, x);
    if (status == PLUMB_OK)
        drop_digits(solutions);
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t c = 0; c < view_planes(x); c++)
                solution_value(solutions, first + k, i)[c] = x->data[k * x->next + c * x->plane + i];
    return plumb_call_end(status);
}

static plumb_status check_record(const plumb_solutions *s, int64_t index, const plumb_solution_record *record)
{
    if (s == NULL || record == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", s == NULL ? "solutions" : "record");
    if (index < 0 || index >= s->count)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no solution %lld, only 0 to %lld", (long long)index,
                         (long long)s->count - 1);
    return PLUMB_OK;
}

plumb_status plumb_solutions_get_record(const plumb_solutions *solutions, int64_t index, plumb_solution_record *record)
{
    plumb_status status = check_record(solutions, index, record);
    if (status == PLUMB_OK) {
        const solution_record *from = &solutions->record[index];
        const double *t = solutions->t + index * 2 * solutions->prec;
        *record = (plumb_solution_record){.multiplicity = from->multiplicity,
                                          .error = from->err,
                                          .rcond = from->rco,
                                          .residual = from->res,
                                          .t = {t[0], t[solutions->prec]},
                                          .kind = from->kind,
                                          .real = from->real,
                                          .prec = from->prec,
                                          .known = from->known};
    }
    return plumb_call_end(status);
}

plumb_status plumb_solutions_set_record(plumb_solutions *solutions, int64_t index, const plumb_solution_record *record)
{
    plumb_status status = check_record(solutions, index, record);
    if (status == PLUMB_OK) {
        double *t = solutions->t + index * 2 * solutions->prec;
        solutions->record[index] = (solution_record){.multiplicity = record->multiplicity,
                                                     .err = record->error,
                                                     .rco = record->rcond,
                                                     .res = record->residual,
                                                     .kind = record->kind,
                                                     .real = record->real,
                                                     .prec = record->prec,
                                                     .known = record->known};
        memset(t, 0, (size_t)(2 * solutions->prec) * sizeof *t);
        t[0] = record->t[0];
        t[solutions->prec] = record->t[1];
    }
    return plumb_call_end(status);
}

plumb_status plumb_solutions_report(const plumb_solutions *solutions, plumb_solve_report *report)
{
    if (solutions == NULL || report == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", solutions == NULL ? "solutions" : "report");
    if (solutions->report == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "these solutions do not come from plumb_solve");
    *report = *solutions->report;
    return plumb_call_end(PLUMB_OK);
}
