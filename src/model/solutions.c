/* solutions.c - see solutions.h. */
#include "model/solutions.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"

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
    *solutions = NULL;
    if (count < 0 || unknowns < 1 || plumb_prec_name(prec) == NULL)
        return PLUMB_ERR_ARGUMENT;
    if (!size_mul(count, unknowns, &values) || !size_mul(values, 2 * (int64_t)prec, &doubles) ||
        !size_mul(doubles, (int64_t)sizeof(double), &bytes) || !size_mul(count, 2 * (int64_t)prec, &times) ||
        !size_mul(times, (int64_t)sizeof(solution_record), &bytes))
        return PLUMB_ERR_SIZE;
    plumb_solutions *s = calloc(1, sizeof *s);
    if (s == NULL)
        return PLUMB_ERR_MEMORY;
    s->count = count;
    s->unknowns = unknowns;
    s->prec = prec;
    s->names = zeros(unknowns, sizeof *s->names);
    s->x = zeros(doubles, sizeof *s->x);
    s->t = zeros(times, sizeof *s->t);
    s->record = zeros(count, sizeof *s->record);
    if (s->names == NULL || s->x == NULL || s->t == NULL || s->record == NULL || !copy_names(s, names)) {
        plumb_solutions_destroy(s);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t k = 0; k < count; k++)
        s->record[k] = (solution_record){.multiplicity = 1, .rco = 1};
    *solutions = s;
    return PLUMB_OK;
}
