/* witness.c - see witness.h. */
#include "solver/sets/witness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "model/solutions.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"
#include "solver/newton/newton.h"
#include "solver/sets/equations.h"

/* Bits in which points are looked at first; those that seem to solve the system are confirmed with more. */
enum { FIRST_BITS = 256 };
enum { NEXT_SEED = 1000003 };
/* Paths without a verdict for which a further attempt is made in any case. */
enum { MOST_OPEN = 16 };
/* A point moves by at most this when it is refined, relative to its largest unknown. */
static const double MOST_MOVE = 0x1p-10;

void set_witness_clear(set_witness *witness)
{
    set_slice_clear(&witness->slice);
    plumb_system_destroy(witness->combined);
    plumb_solutions_destroy(witness->points);
    free(witness->kept);
    *witness = (set_witness){.points = NULL};
}

typedef enum verdict { SOLUTION, EXTRANEOUS, UNDECIDED } verdict;

/* ---- Extraneous points --------------------------------------------------------------------------------------------- */

/* Points that are looked at together at most, and entries of their Jacobians; how much larger their errors may be than estimated, and those of values in double doubles than half a
 * unit of the sums of their terms. */
enum { AT_ONCE = 256, ENTRIES_AT_ONCE = 1 << 20 };
static const double MARGIN = 0x1p20, ROUNDING = 0x1p12;

/* The error of a point, for all of its unknowns. */
static double error_of(const plumb_solutions *s, int64_t k)
{
    double largest = 0.0;
    for (int64_t i = 0; i < s->unknowns; i++) {
        const double *x = solution_value(s, k, i);
        largest = fmax(largest, plumb_modulus(x[0], x[s->prec]));
    }
    return largest * pow(10.0, -fmax(1.0, (double)s->record[k].known));
}

/* Is some equation not zero within `error` of a point, whose moduli are at least those of x, or 1? Terms of second order count. */
static bool misses(const newton_sizes *sizes, const plumb_view *values, const plumb_view *jacobian, int64_t k,
                   double error, const double *modulus, double *size)
{
    const double rounding = ROUNDING * precision_unit(PLUMB_DD);
    newton_sizes_at(sizes, modulus, size);
    for (int64_t e = 0; e < values->rows; e++) {
        const double *f = values->data + k * values->next + e;
        double blur = size[e] * (rounding + 0x1p20 * error * error);
        for (int64_t i = 0; i < jacobian->cols; i++) {
            const double *slope = jacobian->data + k * jacobian->next + i * jacobian->col + e;
            blur += 4.0 * error * plumb_modulus(slope[0], slope[jacobian->prec * jacobian->plane]);
        }
        if (plumb_modulus(f[0], f[values->prec * values->plane]) > blur)
            return true;
    }
    return false;
}

/* Values in double doubles show most extraneous points. extraneous: of each point, it is known to be one. */
static plumb_status find_extraneous(plumb_context *context, const plumb_system *system, const plumb_solutions *s,
                                    bool *extraneous)
{
    const int64_t m = system->equations, n = system->unknowns, fit = ENTRIES_AT_ONCE / (m * n) + 1,
                  some = fit < AT_ONCE ? fit : AT_ONCE, most = s->count < some ? s->count : some;
    const int32_t limbs = s->prec < PLUMB_DD ? s->prec : PLUMB_DD;
    double *modulus = calloc((size_t)(n + m) + 1, sizeof *modulus);
    newton_sizes sizes;
    plumb_view x = {.data = NULL}, values = {.data = NULL}, jacobian = {.data = NULL};
    plumb_status status = modulus && newton_sizes_of(system, &sizes) ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && most > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, n, 1, most, &x);
    if (status == PLUMB_OK && most > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, m, 1, most, &values);
    if (status == PLUMB_OK && most > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, m, n, most, &jacobian);
    for (int64_t first = 0; first < s->count && status == PLUMB_OK; first += most) {
        x.batch = values.batch = jacobian.batch = s->count - first < most ? s->count - first : most;
        for (int64_t k = 0; k < x.batch; k++)
            for (int64_t i = 0; i < n; i++)
                for (int32_t c = 0; c < 2 * PLUMB_DD; c++)
                    x.data[k * x.next + c * x.plane + i] =
                        c % PLUMB_DD < limbs ? solution_value(s, first + k, i)[c / PLUMB_DD * s->prec + c % PLUMB_DD]
                                             : 0.0;
        status = plumb_system_eval(context, system, &x, &values, &jacobian, NULL);
        for (int64_t k = 0; k < x.batch && status == PLUMB_OK; k++) {
            const double error = fmax(MARGIN * error_of(s, first + k), 0.0);
            for (int64_t i = 0; i < n; i++)
                modulus[i] = fmax(
                    1.0, error + plumb_modulus(x.data[k * x.next + i], x.data[k * x.next + PLUMB_DD * x.plane + i]));
            extraneous[first + k] = misses(&sizes, &values, &jacobian, k, error, modulus, modulus + n);
        }
    }
    if (status == PLUMB_ERR_RANGE) { /* coefficients that doubles do not hold: all points are left open */
        context->message[0] = 0;
        status = PLUMB_OK;
    }
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &values);
    plumb_array_destroy(context, &jacobian);
    free(modulus);
    return status;
}

/* A regular point is refined on the square system. A singular one lies on the solution set for almost all combinations: it is
 * extraneous only if an equation is not zero there. */
static plumb_status judge(const plumb_system *system, const plumb_system *square, const plumb_solutions *s, int64_t k,
                          verdict *found)
{
    const int64_t n = s->unknowns, last = mp_bits_for(system, 1024, 4);
    const bool regular = s->record[k].kind == PLUMB_SOLUTION_REGULAR;
    plumb_status status = PLUMB_OK;
    double miss, *errors = calloc((size_t)n + 1, sizeof *errors);
    mp_complex *x = mp_make(n, FIRST_BITS);
    if (!x || !errors) {
        mp_free(x, x ? n : 0);
        free(errors);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n; i++) {
        const double *value = solution_value(s, k, i);
        mp_set_limbs(&x[i], value, value + s->prec, s->prec);
    }
    *found = SOLUTION;
    if (!regular) {
        const double error = mp_log2_largest(x, n) - fmax(1.0, (double)s->record[k].known) * log2(10.0) + 7.0;
        for (int64_t i = 0; i < n; i++)
            errors[i] = error;
        if (mp_vanishes(system, x, FIRST_BITS, errors, &miss, &status) == MP_NOT_ZERO)
            *found = EXTRANEOUS;
    }
    for (int64_t bits = FIRST_BITS; regular && bits > 0 && *found == SOLUTION && status == PLUMB_OK;
         bits = bits < last ? last : 0) {
        if (!mp_refine(square, x, bits, log2(MOST_MOVE), NULL, errors, &status))
            *found = UNDECIDED;
        else if (mp_vanishes(system, x, bits, errors, &miss, &status) == MP_NOT_ZERO)
            *found = EXTRANEOUS;
    }
    mp_free(x, n);
    free(errors);
    return status;
}

static plumb_status sift(plumb_context *context, const plumb_system *system, const plumb_system *square, set_witness *w)
{
    const plumb_solutions *s = w->points;
    bool *extraneous = calloc((size_t)s->count + 1, sizeof *extraneous);
    int64_t open = 0;
    plumb_status status = extraneous ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && !w->exact)
        status = find_extraneous(context, system, s, extraneous);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++) {
        const int64_t points = s->record[k].multiplicity,
                      paths = w->info.paths > 0 ? points : 0; /* 0: solved directly */
        verdict found = extraneous[k] ? EXTRANEOUS : SOLUTION;
        if (!w->exact && !extraneous[k])
            status = judge(system, square, s, k, &found);
        w->kept[k] = found == SOLUTION;
        if (found == SOLUTION)
            continue;
        *(found == EXTRANEOUS ? &w->info.extraneous : &w->info.undecided) += paths;
        w->info.witness -= paths;
        open += found == UNDECIDED ? points : 0;
    }
    if (open > 0 && w->info.verdict == PLUMB_SOLVE_COMPLETE) {
        w->info.verdict = PLUMB_SOLVE_MISSING;
        snprintf(w->info.line, sizeof w->info.line,
                 "%lld point%s of random combinations could not be decided: witness points may be missing",
                 (long long)open, open == 1 ? "" : "s");
    }
    free(extraneous);
    return status;
}

static uint64_t seed_of(const set_solver *solver, int64_t attempt)
{
    return solver->options->seed + (uint64_t)attempt * NEXT_SEED;
}

/* Combinations and slice of an attempt, with random numbers of its own; and the system that they make. */
static plumb_status prepare(const set_solver *solver, const plumb_system *system, const set_stage *stage,
                            set_witness *witness, plumb_system **square)
{
    const int64_t dimension = stage->dimension, codimension = system->unknowns - dimension;
    const uint64_t seed = seed_of(solver, stage->attempt) + (uint64_t)dimension;
    *square = NULL;
    *witness = (set_witness){.exact = codimension == system->equations, .info = {.dimension = dimension}};
    plumb_status status = set_slice_make(dimension, system->unknowns, seed, &witness->slice);
    if (status == PLUMB_OK)
        status = set_equations_combine(system, solver->linear, codimension, seed, &witness->combined);
    if (status == PLUMB_OK)
        status = set_slice_stack(witness->combined, NULL, &witness->slice, square);
    return status;
}

static plumb_status try(const set_solver *solver, const plumb_system *system, const set_stage *stage,
                        set_witness *witness)
{
    plumb_system *square = NULL;
    plumb_status status = prepare(solver, system, stage, witness, &square);
    if (status == PLUMB_OK)
        status =
            set_stage_solve(solver, stage, square, seed_of(solver, stage->attempt), &witness->info, &witness->points);
    if (status == PLUMB_OK) {
        witness->kept = calloc((size_t)witness->points->count + 1, sizeof *witness->kept);
        status = witness->kept ? sift(solver->context, system, square, witness) : PLUMB_ERR_MEMORY;
    }
    plumb_system_destroy(square);
    return status;
}

/* Many paths without a verdict: it would be the same with other random numbers. */
static bool is_hopeless(const plumb_component_dimension *info)
{
    const int64_t open = info->failed + info->undecided;
    return open > MOST_OPEN && open > info->paths / 100;
}

plumb_status set_witness_find(const set_solver *solver, const plumb_system *system, int64_t dimension, int64_t *attempt,
                              set_witness *witness)
{
    for (;; ++*attempt) {
        const set_stage stage = {.kind = SET_STAGE_WITNESS, .dimension = dimension, .attempt = *attempt};
        set_witness_clear(witness);
        const plumb_status status = try(solver, system, &stage, witness);
        if (status != PLUMB_OK || witness->info.verdict == PLUMB_SOLVE_COMPLETE || *attempt + 1 >= SET_ATTEMPTS ||
            is_hopeless(&witness->info))
            return status;
    }
}

plumb_status set_witness_serve(const set_solver *solver, const plumb_system *system, const set_stage *stage)
{
    set_witness witness;
    plumb_system *square = NULL;
    plumb_status status = prepare(solver, system, stage, &witness, &square);
    if (status == PLUMB_OK)
        status =
            set_stage_solve(solver, stage, square, seed_of(solver, stage->attempt), &witness.info, &witness.points);
    plumb_system_destroy(square);
    set_witness_clear(&witness);
    return status;
}
