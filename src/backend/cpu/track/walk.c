/* walk.c - see walk.h. */
#include "backend/cpu/track/walk.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/eval/eval.h"
#include "backend/cpu/track/cut.h"
#include "method/track/trials.h"

/* Beyond so many unknowns, or if the numbers of a lane of paths take more doubles than this, paths leave the caches (deck.c). */
enum { MOST_UNKNOWNS = 40, LANES_LIMIT = 1 << 18 };

/* ---- Polynomials in tau --------------------------------------------------------------------------------------------------- */

/* Beyond this degree coefficients are computed from the parameters in each tick. */
enum { MOST_DEGREE = 6 };

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Adds the degrees of the powers and products of a program to those of its first slots. */
static void degrees_of_products(const eval_program *p, int32_t *degree)
{
    for (int32_t l = 0; l < p->level_count; l++) {
        const program_level *level = &p->level[l];
        for (int32_t i = 0; i < level->count; i++)
            degree[level->to + i] = degree[p->a[level->first + i]] + degree[p->b[level->first + i]];
    }
    for (int32_t g = 0; g < p->group_count; g++) {
        const program_group *group = &p->group[g];
        for (int32_t i = 0; i < group->count; i++)
            for (int32_t j = 0; j < group->k; j++)
                degree[group->to + i] += degree[p->factors[group->first + j * group->stride + i]];
    }
}

/* The highest degree in tau of the first half of the equations of a program, if its unknowns have this degree and their derivatives,
 * which come next, one less; -1 without memory. */
static int32_t degree_of(const eval_program *p, int64_t points, int32_t own)
{
    int32_t *degree = calloc((size_t)p->slots + 1, sizeof *degree), most = 0;
    for (int64_t k = 0; degree && k < points; k++) {
        degree[1 + k] = own;
        degree[1 + points + k] = own - 1;
    }
    if (!degree)
        return -1;
    degrees_of_products(p, degree);
    for (int32_t row = 0; row < p->rows; row++) {
        const int64_t step = p->slice_start[row / PROGRAM_PAD];
        const int32_t *slot = p->term_slot + step * PROGRAM_PAD + row % PROGRAM_PAD;
        for (int32_t t = 0; t < p->row_terms[row]; t++)
            degree[p->row_to + row] = larger(degree[p->row_to + row], degree[slot[t * PROGRAM_PAD]]);
    }
    for (int32_t i = 0; i < p->equations / 2; i++)
        most = larger(most, degree[p->value_slot[i]]);
    free(degree);
    return most;
}

/* The degree of coefficients that are computed from parameters; -1: there are none, or it is too high. */
static int32_t degree_of_call(const track_call *call)
{
    if (!call->moved)
        return -1;
    const int32_t degree = degree_of(call->moved, call->moving->points, call->moving->bend ? 2 : 1);
    return degree <= MOST_DEGREE ? degree : -1;
}

/* Place j of 0 .. degree, where values are computed. */
static double place_of(int32_t j, int32_t degree)
{
    return degree > 0 ? (double)j / (double)degree : 0.0;
}

/* matrix[k * (degree + 1) + j]: what the value at place j adds to the coefficient of tau^k: that of the Lagrange polynomial. */
static void make_matrix(int32_t degree, double *matrix)
{
    for (int32_t j = 0; j <= degree; j++) {
        double power[MOST_DEGREE + 2] = {1.0};
        int32_t count = 1;
        for (int32_t i = 0; i <= degree; i++) {
            const double at = place_of(i, degree), apart = place_of(j, degree) - at;
            if (i == j)
                continue;
            for (int32_t k = count; k >= 0; k--) /* times (tau - at) / apart */
                power[k] = ((k > 0 ? power[k - 1] : 0.0) - at * (k < count ? power[k] : 0.0)) / apart;
            count++;
        }
        for (int32_t k = 0; k <= degree; k++)
            matrix[k * (degree + 1) + j] = power[k];
    }
}

/* Computes the polynomials of a row of the targets: from the values at the places, which fill lanes. */
static void find_polynomials(track_walkers *w, int64_t row)
{
    const track_moving *moving = w->call->moving;
    const eval_program *p = w->moved.program;
    const int64_t points = moving->points, width = w->kernels->width, count = w->walk.coefficients;
    const double *target = track_target(moving, row), *from = track_from(moving, row), *bend = track_bend(moving, row);
    const int32_t places = w->walk.degree + 1;
    for (int32_t first = 0; first < places; first += (int32_t)width) {
        for (int32_t l = 0; l < width; l++) {
            const double tau = place_of(first + l < places ? first + l : 0, w->walk.degree);
            for (int64_t k = 0; k < 2 * points; k++) { /* parts of parameters */
                const int64_t part = k / points;
                const double goal = target[part * PLUMB_QD * points + k % points], way = from[k] - goal;
                w->moved.slots[(2 * (1 + k % points) + part) * width + l] =
                    goal + tau * (bend ? way + (1.0 - tau) * bend[k] : way);
            }
        }
        plumb_cpu_eval_run(&w->moved, &w->eval->many);
        for (int32_t l = 0; l < width && first + l < places; l++)
            for (int64_t i = 0; i < 2 * count; i++)
                w->values[(first + l) * 2 * count + i] =
                    w->moved.slots[(2 * (int64_t)p->value_slot[i / 2] + i % 2) * width + l];
    }
    for (int32_t k = 0; k < places; k++)
        for (int64_t i = 0; i < 2 * count; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < places; j++)
                sum += w->matrix[k * places + j] * w->values[j * 2 * count + i];
            w->row_polynomials[k * 2 * count + i] = sum;
        }
    w->row = row;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

bool track_walkers_can(const machine *m, const track_call *call)
{
    const track_settings *s = call->settings;
    const track_many_kernels *kernels = m->isa->prec[PLUMB_D]->track_many;
    const int64_t number = 2 * (int64_t)kernels->width, n = s->unknowns, moved = call->moved ? call->moved->slots : 0;
    const bool plain = s->moving == TRACK_ARCS && !s->projective && s->equations == n && n <= MOST_UNKNOWNS &&
                       s->rerun == 0 && s->shorten == 1.0;
    const bool in_d = s->least_prec == PLUMB_D && track_goal(s) == PLUMB_D && s->least_step == 0.0;
    return m->hooks.track_walk >= 0 && plain && in_d && !call->step && call->most_seconds == 0.0 &&
           (call->program->slots + moved + n * n) * number <= LANES_LIMIT;
}

static void cut_walk(cutter *c, const track_call *call, int64_t width, double dependent, track_walkers *w)
{
    const track_settings *s = call->settings;
    const eval_program *p = call->program;
    const int64_t n = s->unknowns, number = 2 * width, points = call->moving->points;
    track_many *many = &w->walk.many;
    *many = (track_many){.settings = s,
                         .slots = w->evaluation.slots,
                         .value_slot = p->value_slot,
                         .g_slot = w->g_slot,
                         .f_slot = w->f_slot,
                         .size_slots = w->size_evaluation.slots,
                         .size_width = width,
                         .dependent = dependent};
    many->tau = cut(c, 4, width);
    many->share = cut(c, 2, width);
    many->unit = cut(c, 1, width);
    many->first = cut(c, 1, width);
    many->scale = cut(c, n, width);
    many->direction = cut(c, 2 * n, width);
    many->terms = cut(c, TRACK_MANY_TERMS, width);
    many->a = cut(c, n * n, number);
    many->b = cut(c, TRACK_RIGHT_SIDES * n, number);
    many->inverses = cut(c, n, number);
    many->w = cut(c, n, number);
    many->w_before = cut(c, n, number);
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        many->point[j] = cut(c, n, number);
        many->rate[j] = cut(c, n, number);
    }
    many->x = w->evaluation.slots ? w->evaluation.slots + number : NULL;
    w->walk.numbers = cut(c, TRACK_WALK_NUMBERS, width);
    w->walk.at = cut(c, TRACK_HISTORY, width);
    w->walk.odd = cut(c, 1, width);
    w->walk.parameters = points;
    w->walk.target = cut(c, points, number);
    w->walk.way = cut(c, points, number);
    w->walk.bend = call->moving->bend ? cut(c, points, number) : NULL;
    const int64_t places = w->walk.degree + 1, coefficients = w->walk.coefficients;
    w->walk.to = !w->evaluation.slots         ? NULL
                 : call->moved && places == 0 ? w->moved.slots + number
                                              : w->evaluation.slots + (1 + n) * number;
    w->walk.polynomials = cut(c, places * coefficients, number);
    w->row_polynomials = cut(c, places * coefficients, 2);
    w->values = cut(c, places * coefficients, 2);
    w->matrix = cut(c, places, places);
}

static void cut_walkers(cutter *c, const track_call *call, double dependent, track_walkers *w)
{
    const track_settings *s = call->settings;
    const int64_t width = w->kernels->width, number = 2 * width;
    w->evaluation = (eval_job){.program = call->program, .coefficients = call->coefficients[PLUMB_D], .derivatives = 1};
    w->evaluation.slots = cut(c, call->program->slots, number);
    w->evaluation.scratch = cut(c, eval_scratch(call->program, w->eval), 1);
    w->size_evaluation = (eval_job){.program = call->program, .coefficients = call->magnitudes};
    w->size_evaluation.slots = cut(c, call->program->slots, width);
    w->size_evaluation.scratch = cut(c, eval_scratch(call->program, w->size_eval), 1);
    w->moved = (eval_job){.program = call->moved};
    if (call->moved) {
        w->moved.coefficients = call->moved_coefficients[PLUMB_D];
        w->moved.slots = cut(c, call->moved->slots, number);
        w->moved.scratch = cut(c, eval_scratch(call->moved, w->eval), 1);
    }
    _Static_assert(2 * sizeof(int32_t) == sizeof(double), "slots are cut as doubles");
    w->g_slot = (int32_t *)(void *)cut(c, s->equations, (s->unknowns + 1) / 2);
    w->f_slot = (int32_t *)(void *)cut(c, s->equations, (s->unknowns + 1) / 2);
    cut_walk(c, call, width, dependent, w);
}

/* Notes which slots have the entries of the Jacobians, and sets what no tick changes. */
static void set_constants(const track_call *call, track_walkers *w)
{
    const eval_program *p = call->program;
    const int64_t m = call->settings->equations, n = call->settings->unknowns;
    for (int64_t k = 0; k < m * n; k++)
        w->g_slot[k] = w->f_slot[k] = -1;
    for (int32_t k = 0; k < p->entries; k++) {
        const int64_t row = p->entry_row[k], column = p->entry_col[k] * m;
        if (row < m)
            w->g_slot[column + row] = p->entry_slot[k];
        else
            w->f_slot[column + row - m] = p->entry_slot[k];
    }
    for (int32_t l = 0; l < w->kernels->width; l++) {
        w->evaluation.slots[l] = w->size_evaluation.slots[l] = w->walk.many.share[l] = w->walk.many.unit[l] = 1.0;
        w->walk.many.tau[l] = 1.0;
        if (w->moved.program)
            w->moved.slots[l] = 1.0;
        w->entry[l] = -1;
    }
    w->row = -1;
    if (w->walk.degree >= 0)
        make_matrix(w->walk.degree, w->matrix);
}

plumb_status track_walkers_create(const machine *m, const track_call *call, const track_work *work,
                                  track_walkers *walkers)
{
    const prec_kernels *kernels = m->isa->prec[PLUMB_D];
    const double dependent = work->room[PLUMB_D].dependent;
    cutter c = {.fits = true};
    *walkers = (track_walkers){.call = call,
                               .kernels = kernels->track_many,
                               .eval = kernels->eval[PLUMB_COMPLEX],
                               .size_eval = kernels->eval[PLUMB_REAL]};
    walkers->walk.degree = degree_of_call(call);
    walkers->walk.coefficients = walkers->walk.degree >= 0 ? call->moved_count : 0;
    walkers->coefficients = call->moved ? call->moved->equations : 2 * call->moving->points;
    cut_walkers(&c, call, dependent, walkers);
    const bool fits = c.fits && c.used <= (int64_t)(PTRDIFF_MAX / 16);
    walkers->memory = fits ? aligned_alloc(64, (size_t)c.used * sizeof(double)) : NULL;
    if (!walkers->memory)
        return fits ? PLUMB_ERR_MEMORY : PLUMB_ERR_SIZE;
    memset(walkers->memory, 0, (size_t)c.used * sizeof(double));
    c = (cutter){.base = walkers->memory, .fits = true};
    cut_walkers(&c, call, dependent, walkers);
    set_constants(call, walkers);
    return PLUMB_OK;
}

void track_walkers_destroy(track_walkers *walkers)
{
    free(walkers->memory);
    walkers->memory = NULL;
}

/* ---- Between paths and places ------------------------------------------------------------------------------------------- */

/* Complex number i of a place in an array of lanes. */
static double *part(const track_walkers *w, double *lanes, int64_t i, int32_t part, int32_t place)
{
    return lanes + (2 * i + part) * w->kernels->width + place;
}

static double *number(const track_walkers *w, int32_t which, int32_t place)
{
    return w->walk.numbers + which * w->kernels->width + place;
}

void track_walkers_take(track_walkers *w, int32_t place, int64_t entry)
{
    const track_call *call = w->call;
    const track_settings *s = call->settings;
    const track_moving *moving = call->moving;
    const plumb_view *starts = call->starts;
    const int64_t row = moving->row[entry], points = moving->points, width = w->kernels->width;
    const double *target = track_target(moving, row), *from = track_from(moving, row), *bend = track_bend(moving, row);
    const int64_t start = call->start ? call->start[entry] : entry;
    w->entry[place] = entry;
    for (int32_t p = 0; p < 2; p++) {
        for (int64_t i = 0; i < s->unknowns; i++) /* leading limbs are rounded numbers */
            *part(w, w->walk.many.x, i, p, place) =
                starts->data[start * starts->next + p * starts->prec * starts->plane + i];
        for (int64_t k = 0; k < points && w->walk.degree < 0; k++) {
            const double goal = target[p * PLUMB_QD * points + k];
            *part(w, w->walk.target, k, p, place) = goal;
            *part(w, w->walk.way, k, p, place) = from[p * points + k] - goal;
            if (bend)
                *part(w, w->walk.bend, k, p, place) = bend[p * points + k];
        }
    }
    if (w->walk.degree >= 0 && w->row != row)
        find_polynomials(w, row);
    for (int64_t i = 0; i < 2 * (w->walk.degree + 1) * w->walk.coefficients; i++)
        w->walk.polynomials[i * width + place] = w->row_polynomials[i];
    for (int64_t i = 0; i < s->equations; i++) {
        const track_c r = track_direction(s->seed, call->records[entry].path, i);
        w->walk.many.direction[i * width + place] = r.re;
        w->walk.many.direction[(s->equations + i) * width + place] = r.im;
    }
    for (int32_t k = 0; k < TRACK_WALK_NUMBERS; k++)
        *number(w, k, place) = 0.0;
    w->walk.many.tau[place] = w->walk.many.first[place] = 1.0;
}

int32_t track_walkers_outcome(const track_walkers *w, int32_t place)
{
    return (int32_t)*number(w, TRACK_WALK_OUTCOME, place);
}

/* Sets what a path has taken so far. */
static void set_counts(const track_walkers *w, int32_t place, track_path *p)
{
    p->count.steps = (int64_t)*number(w, TRACK_WALK_STEPS, place);
    p->count.rejected = (int64_t)*number(w, TRACK_WALK_REJECTED, place);
    p->count.solves = (int64_t)*number(w, TRACK_WALK_SOLVES, place);
    p->control.least_step = *number(w, TRACK_WALK_SHORTEST, place);
}

static track_view vectors_of(const track_work *work)
{
    return work->room[PLUMB_D].vectors;
}

/* Copies a vector of a place, times a number, to a column of a path. */
static void copy_out(const track_walkers *w, double *lanes, int32_t place, double times, track_view to, int64_t column)
{
    for (int32_t p = 0; p < 2; p++)
        for (int64_t i = 0; i < w->call->settings->unknowns; i++)
            to.p[p * to.plane + column * to.col + i] = times * *part(w, lanes, i, p, place);
}

void track_walkers_arrive(const track_walkers *w, int32_t place, track_work *work, track_path *p)
{
    const track_many *many = &w->walk.many;
    const int32_t width = w->kernels->width;
    track_begin(w->call->settings, p, w->call->records[w->entry[place]].path, PLUMB_D);
    set_counts(w, place, p);
    copy_out(w, many->x, place, 1.0, vectors_of(work), TRACK_X);
    track_tau_set(p->trial.tau, 0.0);
    p->points.history = 1;
    p->terms.residual = many->terms[TRACK_MANY_RESIDUAL * width + place];
    p->corrector.condition = *number(w, TRACK_WALK_CONDITION, place);
    p->verdict.error = *number(w, TRACK_WALK_ERROR, place);
    (void)track_end(p, PLUMB_PATH_SUCCESS);
}

void track_walkers_leave(const track_walkers *w, int32_t place, track_work *work, track_path *p)
{
    const track_many *many = &w->walk.many;
    const int32_t width = w->kernels->width, points = (int32_t)*number(w, TRACK_WALK_POINTS, place);
    const track_view to = vectors_of(work);
    if (points == 0)
        return;
    set_counts(w, place, p);
    for (int32_t j = 0; j < points; j++) { /* the newest one last */
        const int64_t column = points - 1 - j;
        const double tau = w->walk.at[j * width + place];
        copy_out(w, many->point[j], place, 1.0, to, TRACK_POINT + column);
        copy_out(w, many->rate[j], place, tau, to, TRACK_SLOPE + column);
        track_tau_set(p->points.at[column], tau);
    }
    copy_out(w, many->point[0], place, 1.0, to, TRACK_X);
    copy_out(w, many->w, place, 1.0, to, TRACK_W);
    p->points.history = points;
    p->points.newest = points - 1;
    p->control.step = *number(w, TRACK_WALK_STEP, place);
    p->corrector.omega = *number(w, TRACK_WALK_OMEGA, place);
    track_tau_set(p->course.target, 0.0);
    track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
    track_new_trial(p, TRACK_REFINES, 1); /* its first tick measures what the path knows of its newest point */
}

/* ---- The tick ----------------------------------------------------------------------------------------------------------- */

void track_walkers_tick(track_walkers *w)
{
    track_walk *walk = &w->walk;
    track_many *many = &walk->many;
    const int64_t width = w->kernels->width, number = 2 * width, n = many->settings->unknowns;
    double *coefficients = w->evaluation.slots + (1 + n) * number;
    w->kernels->walk_arc(walk);
    if (w->moved.program && walk->degree < 0) {
        plumb_cpu_eval_run(&w->moved, &w->eval->many);
        for (int64_t k = 0; k < w->coefficients; k++)
            memcpy(coefficients + k * number, w->moved.slots + w->moved.program->value_slot[k] * number,
                   (size_t)number * sizeof(double));
    }
    plumb_cpu_eval_run(&w->evaluation, &w->eval->many);
    w->kernels->walk_sizes(w->size_evaluation.slots + width, width, many->x, n + w->coefficients);
    plumb_cpu_eval_run(&w->size_evaluation, &w->size_eval->many);
    w->kernels->combine(many);
    w->kernels->eliminate(many);
    for (int64_t l = 0; l < width; l++)
        walk->odd[l] = many->info[l] != 0 ? 1.0 : 0.0;
    w->kernels->walk_tick(walk);
}
