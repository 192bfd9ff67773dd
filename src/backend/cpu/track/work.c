/* work.c - one tick of a path on the CPU: evaluation, combination, least squares, decision; and the memory they need. */
#include "backend/cpu/track/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/eval/eval.h"
#include "backend/cpu/track/cut.h"
#include "backend/cpu/track/frame.h"
#include "base/array/view.h"
#include "method/lsq/error.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static plumb_view host_view(track_view view, int64_t cols, int32_t prec)
{
    return (plumb_view){.data = view.p,
                        .rows = view.col,
                        .cols = cols,
                        .batch = 1,
                        .plane = view.plane,
                        .col = view.col,
                        .next = 2 * (int64_t)prec * view.plane,
                        .prec = prec,
                        .parts = PLUMB_COMPLEX,
                        .where = PLUMB_HOST};
}

static void cut_elimination(cutter *c, int64_t n, int32_t prec, track_room *room)
{
    const int64_t rows = (n + TRACK_ROWS_ALIGNED - 1) / TRACK_ROWS_ALIGNED * TRACK_ROWS_ALIGNED;
    room->a = cut_view(c, rows, n, prec);
    room->b = cut_view(c, rows, TRACK_RIGHT_SIDES, prec);
    room->factors = cut_view(c, rows, 2, prec);
    room->solution = room->b;
}

static void cut_least_squares(cutter *c, const machine *m, int64_t rows, int64_t cols, int32_t prec, track_room *room)
{
    int64_t doubles = 0;
    c->fits = c->fits && lsq_work_size(prec, PLUMB_COMPLEX, rows, cols, TRACK_RIGHT_SIDES, &doubles);
    lsq_work_place(m, prec, PLUMB_COMPLEX, rows, cols, TRACK_RIGHT_SIDES, cut(c, doubles, 1), &room->lsq);
    room->lsq.threads = 1;
    room->lsq.dependent = room->dependent;
    room->a = cut_view(c, rows, cols, prec);
    room->b = cut_view(c, rows, TRACK_RIGHT_SIDES, prec);
    room->solution = cut_view(c, cols, TRACK_RIGHT_SIDES, prec);
    room->lsq_a = host_view(room->a, cols, prec);
    room->lsq_b = host_view(room->b, TRACK_RIGHT_SIDES, prec);
    room->lsq_x = host_view(room->solution, TRACK_RIGHT_SIDES, prec);
}

static void cut_room(cutter *c, const machine *m, const track_call *call, int32_t prec, track_room *room)
{
    const track_settings *s = call->settings;
    const eval_program *p = call->program;
    const int64_t rows = s->equations, cols = s->unknowns, planes = 2 * (int64_t)prec;
    const prec_kernels *kernels = m->isa->prec[prec];
    *room = (track_room){.track = kernels->track,
                         .eval = kernels->eval[PLUMB_COMPLEX],
                         .row = -1,
                         .evaluation = {.program = p, .coefficients = call->coefficients[prec], .derivatives = 1}};
    room->evaluation.slots = cut(c, p->slots, planes);
    room->evaluation.scratch = cut(c, eval_scratch(p, room->eval), 1);
    room->dependent = lsq_dependent(rows, prec);
    room->vectors = cut_view(c, cols, TRACK_VECTORS, prec);
    room->values = cut_view(c, 2 * rows, 1, prec);
    room->jacobians = cut_view(c, 2 * rows, cols, prec);
    room->end = cut_view(c, cols, 1, prec);
    if (s->moving == TRACK_ARCS) {
        room->target = cut_view(c, call->moving->points, 1, prec);
        room->way = cut_view(c, call->moving->points, 1, PLUMB_D);
        room->arc = cut_view(c, 2 * call->moving->points, 1, prec);
        if (call->moved) {
            room->moved = (eval_job){.program = call->moved, .coefficients = call->moved_coefficients[prec]};
            room->moved.slots = cut(c, call->moved->slots, planes);
            room->moved.scratch = cut(c, eval_scratch(call->moved, room->eval), 1);
        }
    }
    if (rows == cols)
        cut_elimination(c, rows, prec, room);
    else
        cut_least_squares(c, m, rows, cols, prec, room);
}

static void cut_all(cutter *c, const machine *m, const track_call *call, track_work *work)
{
    const track_settings *s = call->settings;
    EACH_PRECISION (prec, s->least_prec, s->most_prec)
        cut_room(c, m, call, prec, &work->room[prec]);
    work->size_eval = m->isa->prec[PLUMB_D]->eval[PLUMB_REAL];
    work->size_evaluation = (eval_job){.program = call->program, .coefficients = call->magnitudes};
    work->size_evaluation.slots = cut(c, call->program->slots, 1);
    work->size_evaluation.scratch = cut(c, eval_scratch(call->program, work->size_eval), 1);
    work->sizes = cut(c, 2, s->equations);
    work->scale = cut(c, 2, s->equations);
    work->interleaved = cut(c, 2 * (int64_t)s->most_prec, s->unknowns);
    _Static_assert(sizeof(int64_t) == sizeof(double), "the places are cut as doubles");
    work->entry_place = (int64_t *)(void *)cut(c, call->program->entries, 1);
}

/* Notes where the entries of the Jacobian of the stacked system go. The views of all precisions have the same places. */
static void find_places(const eval_program *p, int64_t *place)
{
    for (int32_t k = 0; k < p->entries; k++)
        place[k] = (int64_t)p->entry_col[k] * p->equations + p->entry_row[k];
}

plumb_status track_work_create(const machine *m, const track_call *call, track_work *work)
{
    cutter c = {.fits = true};
    *work = (track_work){.program = call->program, .moving = call->moving, .row = -1};
    cut_all(&c, m, call, work);
    if (!c.fits || c.used > (int64_t)(PTRDIFF_MAX / 16))
        return PLUMB_ERR_SIZE;
    work->memory = aligned_alloc(64, (size_t)c.used * sizeof(double));
    if (!work->memory)
        return PLUMB_ERR_MEMORY;
    memset(work->memory, 0,
           (size_t)c.used * sizeof(double)); /* zeros in the Jacobian and behind the columns are never overwritten */
    c = (cutter){.base = work->memory, .fits = true};
    cut_all(&c, m, call, work);
    find_places(call->program, work->entry_place);
    return PLUMB_OK;
}

void track_work_destroy(track_work *work)
{
    track_frame_free(work);
    free(work->memory);
    work->memory = NULL;
}

/* ---- The tick ------------------------------------------------------------------------------------------------------------ */

/* place: of an entry of a view, in each of its planes. */
static inline void put_number(track_view to, int64_t place, const double *slot, int32_t planes)
{
    for (int32_t c = 0; c < planes; c++)
        to.p[c * to.plane + place] = slot[c];
}

void track_work_move(track_work *work, const track_settings *s, int64_t row)
{
    const track_moving *m = work->moving;
    work->is_moved = 0;
    if (s->moving == TRACK_RATES) {
        work->rates = m->rates + row * m->points;
        return;
    }
    work->row = row;
}

/* Takes the arc of the row into a room. The paths of one target follow one another, and most need one precision. */
static void take_arc(const track_work *work, track_room *room)
{
    const track_moving *m = work->moving;
    const int64_t prec = room->eval->planes / 2;
    if (room->row == work->row)
        return;
    room->row = work->row;
    const double *target = track_target(m, room->row), *from = track_from(m, room->row);
    for (int32_t part = 0; part < 2; part++)
        for (int64_t k = 0; k < m->points; k++) {
            for (int64_t c = 0; c < prec; c++)
                room->target.p[(part * prec + c) * m->points + k] = target[(part * PLUMB_QD + c) * m->points + k];
            room->way.p[part * m->points + k] = from[part * m->points + k] - target[part * PLUMB_QD * m->points + k];
        }
}

/* Computes the coefficients from the parameters, which are in the slots of their program. */
static void compute_moved(const track_room *room, double *slots)
{
    const eval_program *p = room->moved.program;
    const int64_t planes = room->eval->planes;
    room->moved.slots[0] = 1.0;
    plumb_cpu_eval_run(&room->moved, &room->eval->one);
    for (int64_t k = 0; k < p->equations; k++)
        memcpy(slots + k * planes, room->moved.slots + p->value_slot[k] * planes, (size_t)planes * sizeof *slots);
}

/* Puts parameters on arcs into the slots of a room. */
static void follow_arc(const track_work *work, track_room *room, int64_t unknowns, const track_path *p)
{
    take_arc(work, room);
    const int64_t points = work->moving->points, planes = room->eval->planes;
    double *slots = room->evaluation.slots + (1 + unknowns) * planes;
    double *moduli = work->size_evaluation.slots + 1 + unknowns;
    room->track->arc(p, points, room->target, room->way, track_bend(work->moving, work->row), room->arc);
    double *at = room->moved.program ? room->moved.slots + planes : slots;
    for (int64_t k = 0; k < 2 * points; k++)
        for (int64_t c = 0; c < planes; c++)
            at[k * planes + c] = room->arc.p[c * room->arc.plane + k];
    const int64_t count = room->moved.program ? room->moved.program->equations : 2 * points;
    if (room->moved.program)
        compute_moved(room, slots);
    for (int64_t k = 0; k < count; k++) {
        const double re = slots[k * planes], im = slots[k * planes + planes / 2];
        moduli[k] = sqrt(re * re + im * im);
    }
}

/* Sets the parameters of coefficients that move at rates, in a room and for the sizes of terms. Their other limbs stay zero. */
static void move_coefficients(const track_work *work, track_room *room, int64_t unknowns, const track_path *p)
{
    const int64_t points = work->moving->points, planes = room->eval->planes;
    double *slots = room->evaluation.slots + (1 + unknowns) * planes;
    double *moduli = work->size_evaluation.slots + 1 + unknowns;
    for (int64_t k = 0; k < points; k++) {
        const track_parameter e = track_parameter_at(work->rates[k], p->trial.tau[0]);
        slots[k * planes] = moduli[k] = e.value;
        slots[(points + k) * planes] = e.slope;
        moduli[points + k] = -e.slope;
    }
}

void track_work_parameters(track_work *work, const track_settings *s, const track_path *p)
{
    track_room *room = &work->room[p->precision.now];
    (s->moving == TRACK_RATES ? move_coefficients : follow_arc)(work, room, s->unknowns, p);
    work->is_moved = 1;
}

/* Evaluates the stacked system at X. planes is that of the room, and a constant at each call, so that the numbers are copied
 * without loops over their few doubles. */
static inline void evaluate_planes(const track_work *work, const track_room *room, int64_t unknowns, int32_t planes)
{
    const eval_program *p = room->evaluation.program;
    const double *x = room->vectors.p + TRACK_X * room->vectors.col;
    double *slots = room->evaluation.slots;
    slots[0] = 1.0;
    for (int64_t v = 0; v < unknowns; v++)
        for (int32_t c = 0; c < planes; c++)
            slots[(1 + v) * planes + c] = x[c * room->vectors.plane + v];
    plumb_cpu_eval_run(&room->evaluation, &room->eval->one);
    for (int32_t k = 0; k < p->equations; k++)
        put_number(room->values, k, slots + (int64_t)p->value_slot[k] * planes, planes);
    for (int32_t k = 0; k < p->entries; k++)
        put_number(room->jacobians, work->entry_place[k], slots + (int64_t)p->entry_slot[k] * planes, planes);
}

static void evaluate(const track_work *work, const track_room *room, int64_t unknowns)
{
    switch (room->eval->planes) {
    case 2 * PLUMB_D:
        evaluate_planes(work, room, unknowns, 2 * PLUMB_D);
        break;
    case 2 * PLUMB_DD:
        evaluate_planes(work, room, unknowns, 2 * PLUMB_DD);
        break;
    default:
        evaluate_planes(work, room, unknowns, 2 * PLUMB_QD);
        break;
    }
}

/* The sizes of the terms at X: the program with the moduli of the coefficients, at the moduli of the unknowns. */
static void measure(const track_work *work, const track_room *room, int64_t unknowns)
{
    const eval_program *p = work->program;
    const track_view *v = &room->vectors;
    const int64_t imaginary = room->eval->planes / 2 * v->plane;
    double *slots = work->size_evaluation.slots;
    slots[0] = 1.0;
    for (int64_t i = 0; i < unknowns; i++) {
        double re = v->p[TRACK_X * v->col + i], im = v->p[imaginary + TRACK_X * v->col + i];
        slots[1 + i] = sqrt(re * re + im * im);
    }
    plumb_cpu_eval_run(&work->size_evaluation, &work->size_eval->one);
    for (int32_t k = 0; k < p->equations; k++)
        work->sizes[k] = slots[p->value_slot[k]];
}

static plumb_info solve(track_room *room, const track_settings *s)
{
    if (s->equations == s->unknowns)
        return room->track->eliminate(room->a, room->b, s->unknowns, TRACK_RIGHT_SIDES, room->dependent, room->factors);
    plumb_info info = lsq_work_load(&room->lsq, &room->lsq_a, 0, 0);
    if (info == 0)
        info = lsq_work_load(&room->lsq, &room->lsq_b, 0, room->lsq_a.cols);
    if (info == 0)
        info = lsq_work_factor(&room->lsq, 0);
    return info == 0 ? lsq_work_solve(&room->lsq, &room->lsq_x, NULL, 0) : info;
}

void track_work_tick(track_work *work, const track_settings *s, track_path *p)
{
    track_room *room = &work->room[p->precision.now];
    const track_room *from = room;
    if (p->precision.wants != p->precision.now) {
        room = &work->room[p->precision.wants];
        for (int64_t k = 0; k < from->vectors.plane; k++)
            track_move_entry(from->vectors.p, p->precision.now, room->vectors.p, p->precision.wants,
                             from->vectors.plane, k);
        p->precision.now = p->precision.wants;
    }
    if (work->moving && (p->corrector.corrections == 0 || from != room || !work->is_moved))
        track_work_parameters(work, s, p);
    track_frame_use(work, p->precision.now);
    evaluate(work, room, s->unknowns);
    if (p->corrector.corrections == 0)
        measure(work, room, s->unknowns);
    room->track->combine(s, p, room->values, room->jacobians, work->sizes, work->scale, room->a, room->b);
    plumb_info info = solve(room, s);
    room->track->decide(s, p, room->vectors, room->solution, info);
}
