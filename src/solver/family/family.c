/* family.c - families: creation, generic solutions, systems of targets. See family.h. */
#include "solver/family/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/random.h"
#include "base/number/round.h"
#include "solver/sets/shift.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)
#define SAY_TO(context, status, ...) plumb_say(status, (context)->message, sizeof(context)->message, __VA_ARGS__)

int64_t plumb_family_unknowns(const plumb_family *family)
{
    return family ? family->unknowns : 0;
}

int64_t plumb_family_parameters(const plumb_family *family)
{
    return family ? family->parameters : 0;
}

const plumb_system *plumb_family_system(const plumb_family *family)
{
    return family ? family->system : NULL;
}

int64_t plumb_family_paths(const plumb_family *family)
{
    return family ? family->paths : 0;
}

int64_t plumb_family_omitted(const plumb_family *family)
{
    return family ? family->omitted : 0;
}

/* ---- Creation ---------------------------------------------------------------------------------------------------- */

static plumb_status check_system(const plumb_system *system)
{
    const int64_t n = system->unknowns - system->declared;
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    if (system->declared < 1)
        return SAY(PLUMB_ERR_ARGUMENT, "the system declares no parameters, expected at least one");
    if (system->equations < n)
        return SAY(PLUMB_ERR_ARGUMENT,
                   "found %lld equation%s in %lld unknowns besides the parameters, expected at least as many equations",
                   (long long)system->equations, system->equations == 1 ? "" : "s", (long long)n);
    for (int64_t i = 0; i < system->equations; i++) {
        bool has_unknown = false;
        for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++) /* factors are ascending */
            has_unknown =
                has_unknown || (system->terms[t].count > 0 && system->factors[system->terms[t].first].unknown < n);
        if (!has_unknown)
            return SAY(PLUMB_ERR_ARGUMENT, "equation %lld has no unknowns besides parameters", (long long)(i + 1));
    }
    return PLUMB_OK;
}

static plumb_status create(const plumb_system *system, plumb_family **family)
{
    if (!family)
        return SAY(PLUMB_ERR_ARGUMENT, "family is NULL");
    *family = NULL;
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    plumb_status status = check_system(system);
    if (status != PLUMB_OK)
        return status;
    plumb_family *f = calloc(1, sizeof *f);
    if (!f)
        return PLUMB_ERR_MEMORY;
    f->parameters = system->declared;
    f->unknowns = system->unknowns - system->declared;
    status = plumb_system_numerators(system, 0, system->equations, &f->system);
    if (status == PLUMB_OK)
        status = plumb_homotopy_family(system, f->parameters, &f->homotopy);
    if (status == PLUMB_OK)
        *family = f;
    else
        plumb_family_destroy(f);
    return status;
}

plumb_status plumb_family_create(const plumb_system *system, plumb_family **family)
{
    plumb_call_begin();
    return plumb_call_end(create(system, family));
}

void plumb_family_destroy(plumb_family *family)
{
    if (!family)
        return;
    plumb_system_destroy(family->system);
    plumb_homotopy_destroy(family->homotopy);
    plumb_family_forget_signs(family);
    plumb_homotopy_destroy(family->shifted);
    free(family->shift);
    free(family->from);
    free(family->starts);
    free(family);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

void plumb_family_values_free(system_value *values, int64_t parameters)
{
    for (int64_t i = 0; values && i < parameters; i++)
        mpq_clears(values[i].re, values[i].im, NULL);
    free(values);
}

system_value *plumb_family_values(int64_t parameters, const plumb_view *view, int64_t entry)
{
    system_value *values = calloc((size_t)parameters + 1, sizeof *values);
    mpq_t limb;
    if (!values)
        return NULL;
    mpq_init(limb);
    for (int64_t i = 0; i < parameters; i++) {
        mpq_inits(values[i].re, values[i].im, NULL);
        for (int32_t part = 0; part < view->parts; part++)
            for (int32_t c = 0; c < view->prec; c++) {
                mpq_ptr sum = part == 0 ? values[i].re : values[i].im;
                mpq_set_d(limb, view->data[entry * view->next + (part * view->prec + c) * view->plane + i]);
                mpq_add(sum, sum, limb);
            }
    }
    mpq_clear(limb);
    return values;
}

/* The system of an entry of a batch of targets, which has been checked. */
static plumb_status system_at(const plumb_family *family, const plumb_view *targets, int64_t entry,
                              plumb_system **system)
{
    system_value *values = plumb_family_values(family->parameters, targets, entry);
    const plumb_status status = values ? plumb_system_specialize(family->system, values, system) : PLUMB_ERR_MEMORY;
    plumb_family_values_free(values, family->parameters);
    return status;
}

plumb_status plumb_family_check_view(const plumb_view *view, const char *name, int64_t rows, bool complex_only)
{
    if (!view)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", name);
    plumb_status status = plumb_view_check(view, name, NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (view->rows != rows || view->cols != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, expected %lld x 1", name, (long long)view->rows,
                   (long long)view->cols, (long long)rows);
    if (view->where != PLUMB_HOST || (complex_only && view->parts != PLUMB_COMPLEX))
        return SAY(PLUMB_ERR_ARGUMENT, "%s is to be %son the host", name, complex_only ? "complex and " : "");
    for (int64_t b = 0; b < view->batch; b++)
        for (int64_t c = 0; c < (int64_t)view->parts * view->prec; c++)
            for (int64_t i = 0; i < rows; i++)
                if (!isfinite(view->data[b * view->next + c * view->plane + i]))
                    return SAY(PLUMB_ERR_NONFINITE, "%s has a number that is not finite", name);
    return PLUMB_OK;
}

static plumb_status at(const plumb_family *family, const plumb_view *target, plumb_system **system)
{
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    *system = NULL;
    if (!family)
        return SAY(PLUMB_ERR_ARGUMENT, "family is NULL");
    plumb_status status = plumb_family_check_view(target, "target", family->parameters, false);
    if (status == PLUMB_OK && target->batch != 1)
        status = SAY(PLUMB_ERR_ARGUMENT, "target is a batch of %lld, expected one", (long long)target->batch);
    return status == PLUMB_OK ? system_at(family, target, 0, system) : status;
}

plumb_status plumb_family_at(const plumb_family *family, const plumb_view *target, plumb_system **system)
{
    plumb_call_begin();
    return plumb_call_end(at(family, target, system));
}

/* ---- Generic solutions ------------------------------------------------------------------------------------------- */

/* Unknowns of generic solutions are zero if they are that much smaller than the largest one of all. */
#define ZERO 0x1p-190

void plumb_family_clear(plumb_view *x, int64_t first, int64_t count, double noise)
{
    for (int64_t k = first; k < first + count; k++)
        for (int64_t i = 0; i < x->rows; i++) {
            double *entry = x->data + k * x->next + i;
            if (fabs(entry[0]) <= noise && fabs(entry[x->prec * x->plane]) <= noise)
                for (int64_t c = 0; c < 2 * x->prec; c++)
                    entry[c * x->plane] = 0.0;
        }
}

const plumb_homotopy *plumb_family_homotopy(const plumb_family *family)
{
    return family->shifted ? family->shifted : family->homotopy;
}

void plumb_family_translate(const plumb_family *family, plumb_view *x, double times)
{
    for (int64_t k = 0; k < x->batch && family->shift; k++)
        for (int64_t i = 0; i < x->rows; i++) {
            double limbs[PLUMB_QD + 1], *entry = x->data + k * x->next + i;
            if (family->shift[i] == 0.0)
                continue;
            for (int64_t c = 0; c < x->prec; c++)
                limbs[c] = entry[c * x->plane];
            limbs[x->prec] = times * family->shift[i];
            plumb_round_limbs(limbs, x->prec + 1, limbs, x->prec);
            for (int64_t c = 0; c < x->prec; c++)
                entry[c * x->plane] = limbs[c];
        }
}

/* Makes the translation that the generic solutions need, if its system is not too large. */
static plumb_status make_shift(plumb_family *family)
{
    const int64_t n = family->unknowns, next = 2 * PLUMB_QD * n;
    plumb_system *system = NULL;
    bool has_zeros = false;
    double *shift = calloc((size_t)n, sizeof *shift),
           *pairs = calloc((size_t)(n + family->parameters), 2 * sizeof *pairs);
    if (!shift || !pairs) {
        free(shift);
        free(pairs);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t k = 0; k < family->paths; k++)
        for (int64_t i = 0; i < n; i++)
            if (family->starts[k * next + i] == 0.0 && family->starts[k * next + PLUMB_QD * n + i] == 0.0) {
                shift[i] = (double)(192 + 37 * i % 128) / 256.0; /* short, so that coefficients are */
                pairs[2 * i] = -shift[i];
                has_zeros = true;
            }
    plumb_homotopy_destroy(family->shifted);
    free(family->shift);
    family->shifted = NULL;
    family->shift = NULL;
    plumb_status status = has_zeros ? set_shift_system(family->system, pairs, &system) : PLUMB_OK;
    free(pairs);
    if (has_zeros && status == PLUMB_OK)
        status = plumb_homotopy_family(system, family->parameters, &family->shifted);
    plumb_system_destroy(system);
    if (family->shifted)
        family->shift = shift;
    else
        free(shift);
    return status == PLUMB_ERR_MEMORY ? status : PLUMB_OK;
}

plumb_status plumb_family_take(plumb_family *family, const double *from, const plumb_view *solutions, int64_t omitted)
{
    const int64_t n = family->unknowns, m = family->parameters, next = 2 * PLUMB_QD * n;
    int64_t numbers;
    if (!size_mul(solutions->batch, next, &numbers) || !size_mul(numbers, (int64_t)sizeof(double), &numbers))
        return PLUMB_ERR_SIZE;
    double *starts = malloc((size_t)numbers), *parameters = malloc((size_t)(2 * m) * sizeof *parameters);
    if (!starts || !parameters) {
        free(starts);
        free(parameters);
        return PLUMB_ERR_MEMORY;
    }
    memcpy(parameters, from, (size_t)(2 * m) * sizeof *parameters);
    for (int64_t k = 0; k < solutions->batch; k++)
        for (int64_t c = 0; c < 2 * PLUMB_QD; c++)
            for (int64_t i = 0; i < n; i++)
                starts[k * next + c * n + i] = solutions->data[k * solutions->next + c * solutions->plane + i];
    free(family->starts);
    free(family->from);
    family->starts = starts;
    family->from = parameters;
    family->paths = solutions->batch;
    family->omitted = omitted;
    plumb_view view = plumb_family_starts(family);
    double most = 0.0;
    for (int64_t k = 0; k < family->paths; k++)
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, fmax(fabs(starts[k * next + i]), fabs(starts[k * next + PLUMB_QD * n + i])));
    plumb_family_clear(&view, 0, family->paths, ZERO * most);
    const plumb_status status = make_shift(family);
    return status == PLUMB_OK ? plumb_family_find_signs(family) : status;
}

plumb_view plumb_family_starts(const plumb_family *family)
{
    return (plumb_view){.data = family->starts,
                        .rows = family->unknowns,
                        .cols = 1,
                        .batch = family->paths,
                        .plane = family->unknowns,
                        .col = family->unknowns,
                        .next = 2 * PLUMB_QD * family->unknowns,
                        .prec = PLUMB_QD,
                        .parts = PLUMB_COMPLEX,
                        .where = PLUMB_HOST};
}

/* A view of parameters in one limb: real parts, then imaginary parts. */
static plumb_view view_of(double *from, int64_t parameters)
{
    return (plumb_view){.data = from,
                        .rows = parameters,
                        .cols = 1,
                        .batch = 1,
                        .plane = parameters,
                        .col = parameters,
                        .next = 2 * parameters,
                        .prec = PLUMB_D,
                        .parts = PLUMB_COMPLEX,
                        .where = PLUMB_HOST};
}

plumb_view plumb_family_from(const plumb_family *family)
{
    return view_of(family->from, family->parameters);
}

plumb_status plumb_family_specialize(const plumb_family *family, const double *from, plumb_system **system)
{
    system_value *values = calloc((size_t)family->parameters + 1, sizeof *values);
    plumb_status status = values ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; values && i < family->parameters; i++) {
        mpq_inits(values[i].re, values[i].im, NULL);
        mpq_set_d(values[i].re, from[i]);
        mpq_set_d(values[i].im, from[family->parameters + i]);
    }
    *system = NULL;
    if (status == PLUMB_OK)
        status = plumb_system_specialize(family->system, values, system);
    plumb_family_values_free(values, family->parameters);
    return status;
}

void plumb_family_draw(uint64_t seed, int64_t parameters, double *from)
{
    plumb_random random = plumb_random_start(seed);
    for (int64_t k = 0; k < parameters;) {
        const double re = floor(plumb_random_unit(&random) * 0x1p17 - 0x1p16) * 0x1p-16;
        const double im = floor(plumb_random_unit(&random) * 0x1p17 - 0x1p16) * 0x1p-16;
        const double square = re * re + im * im;
        if (square < 0.5 || square > 1.0)
            continue;
        from[k] = re;
        from[parameters + k++] = im;
    }
}

/* Keeps the regular solutions of a list. */
static plumb_status keep_regular(plumb_context *context, plumb_family *family, const double *from,
                                 const plumb_solutions *solutions)
{
    const int64_t count = plumb_solutions_count(solutions);
    plumb_view x = {.data = NULL}, one;
    int64_t kept = 0;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, family->unknowns, 1, count + 1, &x);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        plumb_solution_record record;
        one = x;
        one.data += kept * x.next;
        one.batch = 1;
        status = plumb_solutions_get_record(solutions, k, &record);
        if (status == PLUMB_OK)
            status = plumb_solutions_get(solutions, k, &one);
        kept += status == PLUMB_OK && record.kind == PLUMB_SOLUTION_REGULAR && record.multiplicity == 1;
    }
    one = x;
    one.batch = kept;
    if (status == PLUMB_OK && kept == 0)
        status = SAY_TO(context, PLUMB_ERR_ARGUMENT, "there are no regular solutions for generic parameters");
    if (status == PLUMB_OK)
        status = plumb_family_take(family, from, &one, count - kept);
    plumb_array_destroy(context, &x);
    return status;
}

static plumb_status find_generic(plumb_context *context, plumb_family *family, const plumb_solve_options *given,
                                 plumb_solve_report *report, double *from)
{
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    options.size = sizeof options;
    if (options.digits == 0)
        options.digits = 60; /* they are starts in every precision */
    options.real = options.positive = options.nonzero = 0;
    plumb_family_draw(options.seed, family->parameters, from);
    const plumb_view at = view_of(from, family->parameters);
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    plumb_status status = system_at(family, &at, 0, &system);
    if (status != PLUMB_OK)
        status =
            SAY_TO(context, status, "the system for generic parameters cannot be made: %s", plumb_status_text(status));
    if (status == PLUMB_OK)
        status = plumb_solve(context, system, &options, &solutions);
    plumb_solve_report found = {.stopped = 0};
    if (status == PLUMB_OK)
        status = plumb_solutions_report(solutions, &found);
    if (status == PLUMB_OK && report)
        *report = found;
    if (status == PLUMB_OK && found.stopped)
        status = SAY_TO(context, PLUMB_ERR_STOPPED, "stopped before all generic solutions were found");
    if (status == PLUMB_OK)
        status = keep_regular(context, family, from, solutions);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
    return status;
}

plumb_status plumb_family_generic(plumb_context *context, plumb_family *family, const plumb_solve_options *solve,
                                  plumb_solve_report *report)
{
    if (!context)
        return plumb_no_context();
    if (!family)
        return SAY_TO(context, PLUMB_ERR_ARGUMENT, "family is NULL");
    double *from = malloc((size_t)(2 * family->parameters) * sizeof *from);
    const plumb_status status =
        from ? find_generic(context, family, solve, report, from) : SAY_TO(context, PLUMB_ERR_MEMORY, "out of memory");
    free(from);
    return status;
}

bool plumb_family_is_regular(const plumb_newton_report *report)
{
    const double exact = 1e-20, most = 1e12; /* a point that is exact shows no quadratic convergence */
    return report->code == PLUMB_NEWTON_CONVERGED && report->condition < most &&
           (report->quadratic || (report->error < exact && report->residual < exact));
}

plumb_status plumb_family_refine(plumb_context *context, const plumb_system *system, plumb_view *x, int64_t unknowns)
{
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    plumb_newton_report *reports = calloc((size_t)x->batch + 1, sizeof *reports);
    plumb_path_record *records = calloc((size_t)x->batch + 1, sizeof *records);
    family_points points;
    family_account account = {.regular = 0};
    plumb_status status = reports && records ? PLUMB_OK : SAY_TO(context, PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_newton(context, system, x, &options, reports);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        if (!plumb_family_is_regular(&reports[k]))
            status =
                SAY_TO(context, PLUMB_ERR_ARGUMENT, "solution %lld is not a regular solution at these parameters (%s)",
                       (long long)(k + 1), plumb_newton_name(reports[k].code));
        records[k] = (plumb_path_record){.code = PLUMB_PATH_SUCCESS, .component_error = reports[k].error};
    }
    if (status == PLUMB_OK && plumb_family_points_begin(x->batch, unknowns, x->prec, &points) == PLUMB_OK) {
        plumb_family_points_add(&points, x, records, 0, x->batch, &account);
        if (points.count < x->batch)
            status = SAY_TO(context, PLUMB_ERR_ARGUMENT, "two of the solutions are the same");
        plumb_family_points_end(&points);
    }
    free(reports);
    free(records);
    return status;
}

plumb_status plumb_family_start(plumb_context *context, plumb_family *family, const plumb_view *parameters,
                                const plumb_view *solutions)
{
    if (!context)
        return plumb_no_context();
    if (!family)
        return SAY_TO(context, PLUMB_ERR_ARGUMENT, "family is NULL");
    const int64_t m = family->parameters;
    plumb_view x = {.data = NULL}, at;
    plumb_system *system = NULL;
    double *from = malloc((size_t)(2 * m) * sizeof *from);
    plumb_status status = from ? plumb_family_check_view(parameters, "parameters", m, false) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_family_check_view(solutions, "solutions", family->unknowns, true);
    if (status == PLUMB_OK && (parameters->batch != 1 || solutions->batch < 1))
        status = SAY(PLUMB_ERR_ARGUMENT, "expected one point of parameters, and at least one solution");
    for (int64_t i = 0; i < m && status == PLUMB_OK; i++) /* rounded: Newton's method moves the solutions along */
        for (int32_t part = 0; part < 2; part++)
            from[part * m + i] =
                part < parameters->parts ? parameters->data[part * parameters->prec * parameters->plane + i] : 0.0;
    if (status == PLUMB_OK) {
        at = view_of(from, m);
        status = system_at(family, &at, 0, &system);
    }
    if (status != PLUMB_OK) {
        status = SAY_TO(context, status, "%s", plumb_last_message());
        free(from);
        return status;
    }
    status =
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, family->unknowns, 1, solutions->batch, &x);
    if (status == PLUMB_OK)
        status = plumb_copy(context, solutions, &x, NULL);
    if (status == PLUMB_OK)
        status = plumb_family_refine(context, system, &x, family->unknowns);
    if (status == PLUMB_OK)
        status = plumb_family_take(family, from, &x, 0);
    plumb_array_destroy(context, &x);
    plumb_system_destroy(system);
    free(from);
    return status;
}
