/* store.c - families in files: the system with its parameters, the generic parameters, and the generic solutions there.
 *
 * The text begins with the system in PHCpack's format and ends with a list of solutions in it; both parts are read by the readers of
 * such files. Between them:
 *
 *   THE GENERIC PARAMETERS :
 *   a :  0.5  -0.25
 *
 * with the real and the imaginary part of each parameter, in their order, and, if there are others,
 *
 *   LEFT OUT, BECAUSE THEY ARE NOT REGULAR :  2 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "model/solutions.h"
#include "solver/family/family.h"
#include "text/file.h"
#include "text/number/number.h"
#include "text/solutions/text.h"

static const char heading[] = "THE GENERIC PARAMETERS :";
static const char left_out[] = "LEFT OUT, BECAUSE THEY ARE NOT REGULAR :";

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static plumb_status write_system(FILE *out, const plumb_system *system)
{
    size_t needed = 0;
    plumb_status status = plumb_system_write(system, PLUMB_FORMAT_PHC, NULL, 0, &needed);
    char *text = status == PLUMB_ERR_BUFFER ? malloc(needed) : NULL;
    if (status == PLUMB_ERR_BUFFER)
        status = text ? plumb_system_write(system, PLUMB_FORMAT_PHC, text, needed, NULL) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        fputs(text, out);
    free(text);
    return status;
}

static plumb_status write_parameters(FILE *out, const plumb_family *family)
{
    plumb_status status = PLUMB_OK;
    fprintf(out, "\n%s\n", heading);
    for (int64_t k = 0; k < family->parameters && status == PLUMB_OK; k++) {
        fprintf(out, "%s :", plumb_system_name(family->system, family->unknowns + k));
        for (int part = 0; part < 2 && status == PLUMB_OK; part++) {
            char *text = NULL;
            status = plumb_solutions_decimal(PLUMB_D, &family->from[part * family->parameters + k], &text);
            if (status == PLUMB_OK)
                fprintf(out, "  %s", text);
            free(text);
        }
        fputc('\n', out);
    }
    if (family->omitted > 0)
        fprintf(out, "%s  %lld\n", left_out, (long long)family->omitted);
    fputc('\n', out);
    return status;
}

static plumb_status write_solutions(FILE *out, const plumb_family *family)
{
    plumb_solutions *list = NULL;
    const plumb_view x = plumb_family_starts(family);
    plumb_status status = plumb_solutions_create(family->paths, family->unknowns, PLUMB_QD,
                                                 (const char *const *)family->system->names, &list);
    if (status == PLUMB_OK)
        status = plumb_solutions_set(list, 0, &x);
    if (status == PLUMB_OK)
        status = plumb_solutions_write_phc(out, list);
    plumb_solutions_destroy(list);
    return status;
}

static plumb_status write_family(FILE *out, const void *what)
{
    const plumb_family *family = what;
    plumb_status status = write_system(out, family->system);
    if (status == PLUMB_OK)
        status = write_parameters(out, family);
    return status == PLUMB_OK ? write_solutions(out, family) : status;
}

plumb_status plumb_family_write(const plumb_family *family, char *buffer, size_t size, size_t *needed)
{
    plumb_call_begin();
    if (!family || (!buffer && size > 0))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", family ? "buffer" : "family");
    if (family->paths == 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "the family has no generic solutions yet (plumb_family_generic)");
    return plumb_call_end(plumb_file_to_buffer(write_family, family, 1, buffer, size, needed));
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Reads the name and the two numbers of parameter k. */
static plumb_status read_parameter(text_cursor *c, const plumb_family *family, int64_t k, double *from,
                                   plumb_text_error *error)
{
    const char *name = plumb_system_name(family->system, family->unknowns + k);
    const size_t length = strlen(name);
    char expected[96];
    text_skip_space(c);
    if ((size_t)(c->end - c->at) <= length || memcmp(c->at, name, length) != 0 || text_is_name(text_peek(c, length))) {
        (void)snprintf(expected, sizeof expected, "the value of the parameter %.48s", name);
        return plumb_text_expected(c, expected, error);
    }
    c->at += length;
    text_skip_blanks(c);
    if (text_peek(c, 0) != ':')
        return plumb_text_expected(c, "':' after the name of a parameter", error);
    c->at++;
    for (int part = 0; part < 2; part++) {
        number_token token;
        text_skip_blanks(c);
        plumb_status status = plumb_number_scan(c, NUMBER_WITH_SIGN, &token, error);
        if (status == PLUMB_OK)
            status = plumb_number_round(c, &token, PLUMB_D, &from[part * family->parameters + k], error);
        if (status != PLUMB_OK)
            return status;
    }
    return PLUMB_OK;
}

/* True if the cursor is at these words. */
static bool is_at(const text_cursor *c, const char *words)
{
    const size_t length = strlen(words);
    return (size_t)(c->end - c->at) >= length && memcmp(c->at, words, length) == 0;
}

/* Reads the number of solutions that are not in the list; 0 where there is none. */
static plumb_status read_omitted(text_cursor *c, int64_t *omitted, plumb_text_error *error)
{
    *omitted = 0;
    text_skip_space(c);
    if (!is_at(c, left_out))
        return PLUMB_OK;
    c->at += strlen(left_out);
    text_skip_blanks(c);
    const char *first = c->at;
    while (text_peek(c, 0) >= '0' && text_peek(c, 0) <= '9' && c->at - first < 15)
        *omitted = 10 * *omitted + (*c->at++ - '0');
    if (*omitted < 1 || text_is_name(text_peek(c, 0))) {
        c->at = first;
        return plumb_text_expected(c, "a number of solutions", error);
    }
    return PLUMB_OK;
}

static plumb_status read_parameters(text_cursor *c, const plumb_family *family, double *from, plumb_text_error *error)
{
    plumb_status status = PLUMB_OK;
    while (c->at < c->end && !is_at(c, heading)) {
        text_skip_line(c);
        c->at += c->at < c->end;
    }
    if (c->at == c->end)
        return plumb_text_expected(c, heading, error);
    text_skip_line(c);
    for (int64_t k = 0; k < family->parameters && status == PLUMB_OK; k++)
        status = read_parameter(c, family, k, from, error);
    return status;
}

/* The solutions, with their unknowns in the order of the family. */
static plumb_status take_solutions(plumb_family *family, const plumb_solutions *list, const double *from,
                                   int64_t omitted, const text_cursor *c, plumb_text_error *error)
{
    const int64_t n = family->unknowns, count = list->count;
    int64_t doubles;
    plumb_view x = {.data = NULL};
    if (list->unknowns != n || count < 1)
        return plumb_text_error_at(c, c->begin, PLUMB_ERR_PARSE, error,
                                   "found %lld generic solutions in %lld unknowns, expected at least one in %lld",
                                   (long long)count, (long long)list->unknowns, (long long)n);
    plumb_status status = plumb_view_init(&x, NULL, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, count, &doubles);
    if (status == PLUMB_OK && !(x.data = malloc((size_t)doubles * sizeof *x.data)))
        status = PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        int64_t u = 0;
        while (u < n && strcmp(list->names[u], family->system->names[i]) != 0)
            u++;
        if (u == n)
            status = plumb_text_error_at(c, c->begin, PLUMB_ERR_PARSE, error,
                                         "the generic solutions have no unknown %.48s", family->system->names[i]);
        for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
            for (int64_t part = 0; part < 2 * PLUMB_QD; part++) {
                const double limb = solution_value(list, k, u)[part];
                x.data[k * x.next + part * x.plane + i] = limb;
                if (!isfinite(limb))
                    status = plumb_text_error_at(c, c->begin, PLUMB_ERR_PARSE, error,
                                                 "generic solution %lld is not finite", (long long)k + 1);
            }
    }
    if (status == PLUMB_OK)
        status = plumb_family_take(family, from, &x, omitted);
    free(x.data);
    return status;
}

static plumb_status read_family(plumb_family *family, const char *text, size_t length, plumb_text_error *error)
{
    text_cursor c = text_begin(text, length);
    plumb_system *system = NULL;
    plumb_solutions *list = NULL;
    int64_t omitted = 0;
    double *from = calloc((size_t)(2 * family->parameters), sizeof *from);
    plumb_status status = from ? plumb_system_parse(text, length, &system, error) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && !plumb_system_same(system, family->system))
        status = plumb_text_error_at(&c, c.begin, PLUMB_ERR_ARGUMENT, error,
                                     "these are the generic solutions of another family, expected those of this one");
    if (status == PLUMB_OK)
        status = read_parameters(&c, family, from, error);
    if (status == PLUMB_OK)
        status = read_omitted(&c, &omitted, error);
    if (status == PLUMB_OK)
        status = plumb_solutions_read(text, length, PLUMB_QD, &list, error);
    if (status == PLUMB_OK)
        status = take_solutions(family, list, from, omitted, &c, error);
    if (status == PLUMB_ERR_MEMORY)
        status = plumb_text_error_at(&c, c.begin, status, error, "out of memory");
    plumb_solutions_destroy(list);
    plumb_system_destroy(system);
    free(from);
    return status;
}

plumb_status plumb_family_read(plumb_family *family, const char *text, size_t length, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (!family || !text)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", family ? "text" : "family");
    if (!error)
        error = &mine;
    return plumb_text_tell(read_family(family, text, length, error), error);
}
