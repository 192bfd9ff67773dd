/* phc.c - reads a witness set in PHCpack's form: an embedded system and its solutions.
 *
 * PHCpack makes a system square for a component of dimension k by k slack variables zz1, ..., zzk: each equation has random multiples of
 * them added, and k linear equations, the slice, come last. At witness points the slack variables are zero. Without them the first
 * equations are those of the system, or random combinations of them if it had more equations than the codimension; an equation in slack
 * variables alone takes the place of one that is missing. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "model/solutions.h"
#include "model/system/polynomial.h"
#include "text/components/text.h"
#include "text/cursor.h"

/* Slack variables that are larger belong to points that do not solve the system. */
static const double MOST_SLACK = 1e-8;

typedef struct embedding {
    const text_cursor *cursor;
    plumb_text_error *error;
    plumb_system *system; /* with slack variables */
    plumb_solutions *solutions;
    int64_t slack, unknowns;
    int32_t *to;        /* the number of each unknown without slack variables; -1 for those */
    const char **names; /* of those that stay */
} embedding;

__attribute__((format(printf, 2, 3))) static plumb_status wrong(const embedding *m, const char *format, ...)
{
    char line[160];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    return plumb_text_error_at(m->cursor, m->cursor->begin, PLUMB_ERR_PARSE, m->error, "%s", line);
}

static plumb_status failed(const embedding *m, plumb_status status)
{
    return plumb_text_error_at(m->cursor, m->cursor->begin, status, m->error, "%s", plumb_status_text(status));
}

/* "zz" and a number */
static bool is_slack(const char *name)
{
    if (strncmp(name, "zz", 2) != 0 || name[2] == 0)
        return false;
    for (const char *s = name + 2; *s; s++)
        if (!text_is_digit(*s))
            return false;
    return true;
}

static plumb_status find_slack(embedding *m)
{
    const plumb_system *s = m->system;
    m->to = calloc((size_t)s->unknowns + 1, sizeof *m->to);
    m->names = calloc((size_t)s->unknowns + 1, sizeof *m->names);
    if (!m->to || !m->names)
        return failed(m, PLUMB_ERR_MEMORY);
    for (int64_t i = 0; i < s->unknowns; i++) {
        m->to[i] = is_slack(s->names[i]) ? -1 : (int32_t)m->unknowns;
        if (m->to[i] >= 0)
            m->names[m->unknowns++] = s->names[i];
    }
    m->slack = s->unknowns - m->unknowns;
    if (m->slack < 1 || m->unknowns < m->slack)
        return wrong(m,
                     "found a system with %lld slack variables zz1, zz2, ... and %lld other unknowns, expected an "
                     "embedding of PHCpack",
                     (long long)m->slack, (long long)m->unknowns);
    if (s->denominators || s->declared > 0)
        return wrong(m, "found denominators or parameters, expected polynomials");
    if (s->equations < m->slack)
        return wrong(m, "found %lld equations, expected at least one per slack variable", (long long)s->equations);
    return PLUMB_OK;
}

/* Equations first .. last - 1 without slack variables; what becomes zero is left out. */
static plumb_status strip(const embedding *m, int64_t first, int64_t last, plumb_system **made)
{
    const plumb_system *s = m->system;
    int64_t count = 0;
    polynomial *p = calloc((size_t)(last - first) + 1, sizeof *p);
    system_factor *factors = calloc((size_t)s->unknowns + 1, sizeof *factors);
    plumb_status status = p && factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *made = NULL;
    for (int64_t e = first; e < last && status == PLUMB_OK; e++) {
        for (int64_t k = s->equation[e]; k < s->equation[e + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &s->terms[k];
            bool stays = true;
            for (int32_t i = 0; i < t->count; i++) {
                const system_factor *f = &s->factors[t->first + i];
                stays = stays && m->to[f->unknown] >= 0;
                factors[i] = (system_factor){m->to[f->unknown], f->exponent};
            }
            if (stays)
                status = plumb_poly_append(&p[count], t->re, t->im, factors, t->count, t->degree);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[count]);
        count += p[count].count > 0;
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, count, m->names, m->unknowns, made);
    for (int64_t e = 0; p && e <= last - first && e <= count; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    free(factors);
    return status;
}

/* Solution k without slack variables; false if these are not zero, or if unknowns are missing. */
static plumb_status take_point(const embedding *m, int64_t k, plumb_solutions *to, int64_t *count)
{
    const plumb_solutions *s = m->solutions;
    const plumb_system *system = m->system;
    double slack = 0.0;
    for (int64_t j = 0; j < s->unknowns; j++) {
        int64_t i = 0;
        while (i < system->unknowns && strcmp(system->names[i], s->names[j]) != 0)
            i++;
        if (i == system->unknowns)
            return wrong(m, "the solutions have an unknown %.60s, which the system does not have", s->names[j]);
        const double *value = solution_value(s, k, j);
        if (m->to[i] < 0)
            slack = fmax(slack, plumb_modulus(value[0], value[s->prec]));
        else
            memcpy(solution_value(to, *count, m->to[i]), value, 2 * (size_t)s->prec * sizeof *value);
    }
    if (!(slack <= MOST_SLACK))
        return PLUMB_OK;
    to->record[*count] = (solution_record){.multiplicity = s->record[k].multiplicity,
                                           .err = s->record[k].err,
                                           .rco = s->record[k].rco,
                                           .res = s->record[k].res};
    ++*count;
    return PLUMB_OK;
}

/* The first `count` points of a list whose multiplicity is m, as a component. */
static plumb_status add_component(const embedding *m, const plumb_solutions *all, int64_t count, int64_t multiplicity,
                                  plumb_components *made)
{
    plumb_component info = {
        .dimension = m->slack, .multiplicity = multiplicity > 0 ? multiplicity : 1, .state = PLUMB_COMPONENT_UNKNOWN};
    plumb_solutions *points = NULL;
    for (int64_t k = 0; k < count; k++)
        info.degree += all->record[k].multiplicity == multiplicity;
    plumb_status status = plumb_solutions_create(info.degree, m->unknowns, PLUMB_QD, m->names, &points);
    int64_t to = 0;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        if (all->record[k].multiplicity == multiplicity) {
            memcpy(solution_value(points, to, 0), solution_value(all, k, 0),
                   2 * (size_t)(m->unknowns * PLUMB_QD) * sizeof(double));
            points->record[to++] = all->record[k];
        }
    return status == PLUMB_OK ? plumb_components_add(made, &info, points) : status;
}

static plumb_status take_points(const embedding *m, plumb_components *made)
{
    plumb_solutions *all = NULL;
    int64_t count = 0;
    const int64_t room = plumb_solutions_count(m->solutions);
    plumb_status status = plumb_solutions_create(room, m->unknowns, PLUMB_QD, m->names, &all);
    if (status != PLUMB_OK)
        return failed(m, status);
    if (plumb_solutions_unknowns(m->solutions) != m->system->unknowns)
        status = wrong(m, "found solutions in %lld unknowns, expected %lld",
                       (long long)plumb_solutions_unknowns(m->solutions), (long long)m->system->unknowns);
    for (int64_t k = 0; k < room && status == PLUMB_OK; k++)
        status = take_point(m, k, all, &count);
    if (status == PLUMB_OK && count == 0)
        status = wrong(m, "found no solution whose slack variables are zero, expected witness points");
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        bool first = true;
        for (int64_t j = 0; j < k; j++)
            first = first && all->record[j].multiplicity != all->record[k].multiplicity;
        if (!first)
            continue;
        status = add_component(m, all, count, all->record[k].multiplicity, made);
        if (status != PLUMB_OK)
            failed(m, status);
    }
    plumb_solutions_destroy(all);
    return status;
}

static plumb_status read_all(embedding *m, plumb_components **components)
{
    plumb_system *system = NULL, *slice = NULL;
    plumb_components *made = NULL;
    plumb_component_dimension info = {.verdict = PLUMB_SOLVE_MISSING};
    plumb_status status = find_slack(m);
    if (status != PLUMB_OK)
        return status;
    info.dimension = m->slack;
    snprintf(info.line, sizeof info.line, "read from a witness set of PHCpack, of which nothing is known");
    status = strip(m, 0, m->system->equations - m->slack, &system);
    if (status == PLUMB_OK)
        status = strip(m, m->system->equations - m->slack, m->system->equations, &slice);
    if (status == PLUMB_OK)
        status = plumb_components_make(system, 0, m->slack, &made);
    if (status != PLUMB_OK)
        failed(m, status);
    bool linear = status == PLUMB_OK && slice->equations == m->slack;
    for (int64_t e = 0; e < m->slack && linear; e++)
        linear = plumb_system_degree(slice, e) == 1;
    if (status == PLUMB_OK && !linear)
        status = wrong(m, "expected linear equations as the last %lld of the system, without the slack variables",
                       (long long)m->slack);
    if (status == PLUMB_OK) {
        status = plumb_components_add_dimension(made, &info, slice);
        slice = NULL;
        if (status != PLUMB_OK)
            failed(m, status);
    }
    if (status == PLUMB_OK)
        status = take_points(m, made);
    if (status == PLUMB_OK)
        *components = made;
    else
        plumb_components_destroy(made);
    plumb_system_destroy(system);
    plumb_system_destroy(slice);
    return status;
}

plumb_status plumb_components_read_phc(const text_cursor *c, plumb_components **components, plumb_text_error *error)
{
    const size_t length = (size_t)(c->end - c->begin);
    embedding m = {.cursor = c, .error = error};
    plumb_status status = plumb_system_parse(c->begin, length, &m.system, error);
    if (status == PLUMB_OK)
        status = plumb_solutions_read(c->begin, length, PLUMB_QD, &m.solutions, error);
    if (status == PLUMB_OK)
        status = read_all(&m, components);
    plumb_system_destroy(m.system);
    plumb_solutions_destroy(m.solutions);
    free(m.to);
    free(m.names);
    return status;
}
