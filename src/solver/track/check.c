/* check.c - see check.h. */
#include "solver/track/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "base/os/team.h"
#include "method/track/moving.h"
#include "solver/eval/eval.h"
#include "solver/track/ends.h"

/* Jacobians of one batch take at most this many entries; and endpoints of one batch. */
enum { MOST_ENTRIES = 1 << 16, LEAST_TOGETHER = 8, TOGETHER = 32 };

/* ---- Room ---------------------------------------------------------------------------------------------------------- */

static plumb_status begin_part(const track_check *check, const machine *like, check_part *part)
{
    plumb_context *context = check->context;
    const int64_t m = check->homotopy->target->equations, n = check->homotopy->given_unknowns,
                  all = check->homotopy->target->unknowns;
    const struct {
        plumb_view *view;
        int64_t rows, cols;
    } rooms[] = {{&part->points, all, 1},   {&part->values, m, 1},    {&part->low_points, all, 1},
                 {&part->low_values, m, 1}, {&part->jacobians, m, n}, {&part->sides, m, 2},
                 {&part->solutions, n, 2}};
    part->cpu = (machine){.message = part->message, .message_size = sizeof part->message};
    plumb_status status = plumb_cpu_open(&part->cpu, like->isa, 1);
    for (size_t k = 0; k < sizeof rooms / sizeof rooms[0] && status == PLUMB_OK; k++)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, rooms[k].rows, rooms[k].cols,
                                    check->most, rooms[k].view);
    if (status != PLUMB_OK)
        return status;
    part->size = calloc((size_t)m, sizeof *part->size);
    part->scale = calloc((size_t)m, sizeof *part->scale);
    part->modulus = calloc((size_t)(all * check->most), sizeof *part->modulus);
    part->floored = calloc((size_t)all, sizeof *part->floored);
    part->which = calloc((size_t)check->most, sizeof *part->which);
    part->info = calloc((size_t)check->most, sizeof *part->info);
    return part->size && part->scale && part->modulus && part->floored && part->which && part->info ? PLUMB_OK
                                                                                                    : PLUMB_ERR_MEMORY;
}

static void end_part(const track_check *check, check_part *part)
{
    plumb_view *const views[] = {&part->points,    &part->values, &part->low_points, &part->low_values,
                                 &part->jacobians, &part->sides,  &part->solutions};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(check->context, views[k]);
    if (part->cpu.ops)
        part->cpu.ops->close(&part->cpu);
    free(part->size);
    free(part->scale);
    free(part->modulus);
    free(part->floored);
    free(part->which);
    free(part->info);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

plumb_status track_check_begin(plumb_context *context, const plumb_homotopy *homotopy,
                               const struct track_moving *moving, int64_t most, track_check *check)
{
    const plumb_system *target = homotopy->target;
    const int64_t fit = MOST_ENTRIES / (target->equations * target->unknowns) + 1;
    machine *cpu;
    *check = (track_check){
        .context = context, .homotopy = homotopy, .moving = moving, .most = smaller(smaller(most, TOGETHER), fit)};
    plumb_status status = plumb_context_machine(context, PLUMB_HOST, &cpu);
    if (status != PLUMB_OK)
        return status;
    check->parts = (int32_t)smaller(cpu->threads, (most + LEAST_TOGETHER - 1) / LEAST_TOGETHER);
    check->part = calloc((size_t)check->parts, sizeof *check->part);
    status = check->part && newton_sizes_of(target, &check->sizes) ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int32_t k = 0; k < check->parts && status == PLUMB_OK; k++)
        status = begin_part(check, cpu, &check->part[k]);
    if (status == PLUMB_ERR_MEMORY)
        return plumb_say(status, context->message, sizeof context->message, "out of memory");
    return status;
}

void track_check_end(track_check *check)
{
    if (!check->context)
        return;
    for (int32_t k = 0; k < check->parts && check->part; k++)
        end_part(check, &check->part[k]);
    free(check->part);
    *check = (track_check){.context = NULL};
}

/* The first `count` matrices of a room, in a precision up to qd. */
static plumb_view first_of(const plumb_view *room, int32_t prec, int64_t count)
{
    plumb_view view;
    const plumb_status status =
        plumb_view_init(&view, room->data, PLUMB_HOST, prec, room->parts, room->rows, room->cols, count, NULL);
    (void)status; /* the room is larger */
    return view;
}

/* ---- One batch ----------------------------------------------------------------------------------------------------- */

static int32_t exponent_of(const track_check *check, int64_t i)
{
    return check->homotopy->exponent ? check->homotopy->exponent[i] : 0;
}

/* Endpoint k of the batch, with the parameters of its target; limbs beyond those of `to` are zero. */
static void take_point(const track_check *check, const plumb_view *ends, int64_t entry, const plumb_view *to, int64_t k)
{
    if (check->homotopy->family) {
        const double *target = track_target(check->moving, check->moving->row[entry]);
        for (int64_t i = 0; i < check->moving->points; i++)
            for (int32_t part = 0; part < 2; part++)
                for (int32_t c = 0; c < to->prec; c++)
                    to->data[k * to->next + (part * to->prec + c) * to->plane + ends->rows + i] =
                        target[(part * PLUMB_QD + c) * check->moving->points + i];
    }
    for (int64_t i = 0; i < ends->rows; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < to->prec; c++)
                to->data[k * to->next + (part * to->prec + c) * to->plane + i] =
                    c < ends->prec ? ends->data[entry * ends->next + (part * ends->prec + c) * ends->plane + i] : 0.0;
}

static plumb_status evaluate(const track_check *check, check_part *part, const plumb_view *points, plumb_view *values,
                             plumb_view *jacobians)
{
    const plumb_system *target = check->homotopy->target;
    eval_call call = {.points = points, .values = values, .jacobians = jacobians};
    int64_t term;
    plumb_status status = plumb_program_of(target, &call.program);
    if (status == PLUMB_OK)
        status =
            plumb_system_coefficients(target, call.program, points->prec, PLUMB_COMPLEX, &call.coefficients, &term);
    if (status != PLUMB_OK)
        return plumb_say(status, part->message, sizeof part->message, "the target cannot be evaluated: %s",
                         plumb_status_text(status));
    return part->cpu.ops->eval(&part->cpu, &call, NULL);
}

static double modulus_of(const plumb_view *view, int64_t k, int64_t column, int64_t i)
{
    const double *p = view->data + k * view->next + column * view->col + i;
    return plumb_modulus(p[0], p[view->prec * view->plane]);
}

/* The power of two that makes a number of this size about 1. For the smallest doubles, which are not normal, it would be out of range;
 * then the largest power serves. */
static double scale_of(double size)
{
    const int exponent = size > 0.0 && isfinite(size) ? -ilogb(size) : 0;
    return ldexp(1.0, exponent <= DBL_MAX_EXP - 1 ? exponent : DBL_MAX_EXP - 1);
}

/* The error of an equation whose terms add up to this size: not smaller, and in no simple ratio to those of others, because errors that
 * are alike cancel where equations differ by little. */
static double noise_of(int64_t equation, double size)
{
    const double part = fmod(0.6180339887498949 * (double)(equation + 1), 1.0);
    return (equation % 2 ? -1.0 - part : 1.0 + part) * size;
}

/* With more equations than unknowns, an unknown that is zero but for rounding errors would give some rows weights beyond the precision of
 * the least squares. There it counts as this part of its unit. */
static const double LEAST_PART = 0x1p-40;

/* Makes the scales of the rows of a problem, whose terms add up to room->size for unknowns of these moduli. */
static void scale_rows(const track_check *check, const check_part *room, const double *modulus, int64_t m, int64_t n)
{
    memcpy(room->scale, room->size, (size_t)m * sizeof *room->scale);
    if (m > n) {
        for (int64_t i = 0; i < n; i++)
            room->floored[i] = fmax(modulus[i], LEAST_PART * (check->unit ? check->unit[i] : 1.0));
        for (int64_t i = n; i < check->homotopy->target->unknowns; i++)
            room->floored[i] = modulus[i];
        newton_sizes_at(&check->sizes, room->floored, room->scale);
    }
    for (int64_t i = 0; i < m; i++)
        room->scale[i] = scale_of(room->scale[i]);
}

/* Makes problem k: rows are scaled by powers of two such that their terms are about 1, so that the units of the
 * equations do not matter. The two right-hand sides are the values, and errors as large as the terms. */
static void put_problem(const track_check *check, const check_part *room, const plumb_view *values,
                        const plumb_view *jacobians, const plumb_view *sides, int64_t k)
{
    const int64_t m = sides->rows;
    const double *modulus = room->modulus + k * check->homotopy->target->unknowns;
    newton_sizes_at(&check->sizes, modulus, room->size);
    scale_rows(check, room, modulus, m, jacobians->cols);
    for (int32_t plane = 0; plane < 2 * sides->prec; plane++) {
        const int32_t part = plane / sides->prec, c = plane % sides->prec;
        const double *value = values->data + k * values->next + (part * values->prec + c) * values->plane;
        double *to = sides->data + k * sides->next + plane * sides->plane, *terms = to + sides->col;
        for (int64_t i = 0; i < m; i++)
            to[i] = value[i] * room->scale[i];
        for (int64_t i = 0; i < m; i++)
            terms[i] = plane == 0 ? noise_of(i, room->size[i]) * room->scale[i] : 0.0;
        for (int64_t j = 0; j < jacobians->cols; j++) {
            double *column = jacobians->data + k * jacobians->next + plane * jacobians->plane + j * jacobians->col;
            for (int64_t i = 0; i < m; i++)
                column[i] *= room->scale[i];
        }
    }
}

/* The errors of the unknowns of an endpoint. */
typedef struct end_errors {
    double component; /* largest error relative to the size of its unknown, or to its unit if that is larger */
    double largest;   /* largest error, in the units of the target */
    double size;      /* largest unknown in these units */
    double unit;      /* largest unit */
} end_errors;

/* Adds the error of scaled unknown i. */
static void add_error(const track_check *check, int64_t i, double modulus, double error, end_errors *e)
{
    const int exponent = exponent_of(check, i);
    const double unit = check->unit ? check->unit[i] : 1.0;
    e->component = fmax(e->component, error / fmax(modulus, unit));
    e->largest = fmax(e->largest, ldexp(error, exponent));
    e->size = fmax(e->size, ldexp(modulus, exponent));
    e->unit = fmax(e->unit, ldexp(unit, exponent));
}

/* What the tracker claims, relative to the largest of 1 and the scaled unknowns. */
static end_errors claimed_errors(const track_check *check, const double *modulus, int64_t unknowns, double error)
{
    end_errors e = {0};
    double size = 1.0;
    for (int64_t i = 0; i < unknowns; i++)
        size = fmax(size, modulus[i]);
    for (int64_t i = 0; i < unknowns; i++)
        add_error(check, i, modulus[i], error * size, &e);
    return e;
}

/* Twice the correction: estimates are no bounds, and at a point that is nearly a double root, the correction is half the error. */
static end_errors shown_errors(const track_check *check, const double *modulus, const plumb_view *solutions, int64_t k,
                               double noise)
{
    end_errors e = {0};
    for (int64_t i = 0; i < solutions->rows; i++)
        add_error(check, i, modulus[i], 2.0 * modulus_of(solutions, k, 0, i) + noise * modulus_of(solutions, k, 1, i),
                  &e);
    return e;
}

/* An endpoint that is zero within its error has no relative error: then the unit of the unknowns counts. */
static void put_errors(const end_errors *e, plumb_path_record *record)
{
    const double zero = 1e-3;
    record->component_error = e->component;
    record->error = e->largest / (e->largest < zero * e->size ? e->size : fmax(e->size, e->unit));
}

/* The residual in the units of the target. */
static double residual_of(const track_check *check, const plumb_view *values, int64_t k)
{
    const int32_t *row = check->homotopy->row;
    double most = 0.0;
    for (int64_t i = 0; i < values->rows; i++) {
        const double modulus = ldexp(modulus_of(values, k, 0, i), row ? -row[i] : 0);
        if (!(modulus <= most))
            most = modulus;
    }
    return most;
}

/* Computes the corrections in part->solutions, in the precision of the endpoints. If the values have no higher one, part->jacobians are
 * there already. */
static plumb_status correct(const track_check *check, check_part *part, const plumb_view *ends,
                            const plumb_view *values, int32_t prec)
{
    const int64_t count = values->batch;
    plumb_view jacobians = first_of(&part->jacobians, prec, count), sides = first_of(&part->sides, prec, count),
               solutions = first_of(&part->solutions, prec, count),
               low_points = first_of(&part->low_points, prec, count),
               low_values = first_of(&part->low_values, prec, count);
    plumb_status status = PLUMB_OK;
    if (prec < values->prec) {
        for (int64_t k = 0; k < count; k++)
            take_point(check, ends, part->which[k], &low_points, k);
        status = evaluate(check, part, &low_points, &low_values, &jacobians);
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        put_problem(check, part, values, &jacobians, &sides, k);
    const lsq_call solve = {.a = &jacobians, .b = &sides, .x = &solutions, .info = part->info};
    return status == PLUMB_OK ? part->cpu.ops->lsq(&part->cpu, &solve, NULL) : status;
}

/* Paths whose ends are in part->which, all in one precision. regular: with corrections, because the errors of endpoints that are not
 * regular are those that the tracker claims. */
static plumb_status check_batch(const track_check *check, check_part *part, const plumb_view *ends, int32_t prec,
                                bool regular, int64_t count, plumb_path_record *records)
{
    const int32_t above = precision_above(prec) ? precision_above(prec) : prec;
    plumb_view points = first_of(&part->points, above, count), values = first_of(&part->values, above, count);
    for (int64_t k = 0; k < count; k++) {
        take_point(check, ends, part->which[k], &points, k);
        for (int64_t i = 0; i < points.rows; i++)
            part->modulus[k * points.rows + i] = modulus_of(&points, k, 0, i);
    }
    plumb_view jacobians = first_of(&part->jacobians, above, count);
    plumb_status status = evaluate(check, part, &points, &values, regular && above == prec ? &jacobians : NULL);
    if (status == PLUMB_OK && regular)
        status = correct(check, part, ends, &values, prec);
    int64_t degree = 1;
    for (int64_t i = 0; i < values.rows; i++) {
        const int64_t d = plumb_system_degree(check->homotopy->target, i);
        degree = d > degree ? d : degree;
    }
    const double noise = (double)degree * precision_slack(above) * precision_unit(above);
    const plumb_view solutions = first_of(&part->solutions, prec, count);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        plumb_path_record *record = &records[part->which[k]];
        const double *modulus = part->modulus + k * points.rows;
        end_errors errors = {.largest = (double)INFINITY};
        if (regular && part->info[k] == 0)
            errors = shown_errors(check, modulus, &solutions, k, noise);
        if (!isfinite(errors.largest))
            errors = claimed_errors(check, modulus, ends->rows, record->error);
        put_errors(&errors, record);
        record->residual = residual_of(check, &values, k);
        record->checked = above;
    }
    return status;
}

static bool is_finite(const plumb_view *ends, int64_t entry)
{
    for (int64_t i = 0; i < ends->rows; i++)
        if (!isfinite(ends->data[entry * ends->next + i]) ||
            !isfinite(ends->data[entry * ends->next + ends->prec * ends->plane + i]))
            return false;
    return true;
}

/* Endpoints first .. last - 1 of the list: the regular ones in one precision, or the others. */
static plumb_status check_alike(const track_check *check, check_part *part, const plumb_view *ends,
                                const int64_t *entries, int64_t first, int64_t last, int32_t prec, bool regular,
                                plumb_path_record *records)
{
    int64_t found = 0;
    for (int64_t k = first; k < last; k++) {
        const int64_t entry = entries ? entries[k] : k;
        const plumb_path_record *record = &records[entry];
        if (record->prec == prec && (track_code_arrived(record->code) || record->code == PLUMB_PATH_UNDECIDED) &&
            (record->code == PLUMB_PATH_SUCCESS) == regular && is_finite(ends, entry))
            part->which[found++] = entry;
    }
    return found > 0 ? check_batch(check, part, ends, prec, regular, found, records) : PLUMB_OK;
}

/* Endpoints first .. last - 1 of the list. */
static plumb_status check_piece(const track_check *check, check_part *part, const plumb_view *ends,
                                const int64_t *entries, int64_t first, int64_t last, plumb_path_record *records)
{
    plumb_status status = PLUMB_OK;
    EACH_PRECISION (prec, PLUMB_D, ends->prec) {
        if (status == PLUMB_OK)
            status = check_alike(check, part, ends, entries, first, last, prec, false, records);
        if (status == PLUMB_OK)
            status = check_alike(check, part, ends, entries, first, last, prec, true, records);
    }
    return status;
}

/* Endpoints that threads share: they take `each` of them at a time. */
typedef struct check_share {
    const track_check *check;
    const plumb_view *ends;
    const int64_t *entries;
    plumb_path_record *records;
    int64_t count, each;
    team_counter next;
} check_share;

static void check_some(void *data, team *t, int32_t index, int32_t threads)
{
    check_share *share = data;
    check_part *part = &share->check->part[index];
    (void)t;
    (void)threads;
    part->status = PLUMB_OK;
    for (int64_t k; part->status == PLUMB_OK && (k = team_take(&share->next, share->each)) < share->count;)
        part->status = check_piece(share->check, part, share->ends, share->entries, k,
                                   smaller(k + share->each, share->count), share->records);
}

plumb_status track_check_ends(track_check *check, const plumb_view *ends, const int64_t *entries, int64_t count,
                              plumb_path_record *records)
{
    plumb_context *context = check->context;
    machine *cpu = &context->cpu;
    const int64_t even = smaller((count + check->parts - 1) / check->parts, check->most);
    check_share share = {check, ends, entries, records, count, even < 1 ? 1 : even, {0}};
    const int32_t threads = (int32_t)smaller(check->parts, (count + share.each - 1) / share.each);
    plumb_status status = PLUMB_OK;
    if (threads > 1)
        status = team_start(&cpu->team, threads, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        team_run(threads > 1 ? cpu->team : NULL, threads, check_some, &share);
    for (int32_t k = 0; k < threads && status == PLUMB_OK; k++) {
        status = check->part[k].status;
        if (status != PLUMB_OK)
            return plumb_say(status, context->message, sizeof context->message, "%s", check->part[k].message);
    }
    return status;
}
