/* walk.c - see walk.h. */
#include "backend/cpu/track/walk.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/eval/eval.h"
#include "backend/cpu/track/cut.h"
#include "method/track/trials.h"
#include "model/system/system.h"

/* Beyond so many unknowns, or if the numbers of a lane of paths take more doubles than this, paths leave the caches; beyond this degree of
 * coefficients in tau, polynomials lose digits; beyond so many monomials, or this degree of them, there is no table. */
enum { MOST_UNKNOWNS = 64, LANES_LIMIT = 1 << 18, MOST_DEGREE = 6, MOST_MONOMIALS = 4096, MOST_POWER = 64 };

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* ---- Lists -------------------------------------------------------------------------------------------------------------- */

static bool add_whole(walk_list *list, int64_t x)
{
    if (list->count == list->room) {
        const int64_t room = 2 * list->room + 64;
        int32_t *longer = realloc(list->at, (size_t)room * sizeof *longer);
        if (!longer)
            return false;
        list->at = longer;
        list->room = room;
    }
    list->at[list->count++] = (int32_t)x;
    return true;
}

static bool add_number(walk_numbers *list, double x)
{
    if (list->count == list->room) {
        const int64_t room = 2 * list->room + 64;
        double *longer = realloc(list->at, (size_t)room * sizeof *longer);
        if (!longer)
            return false;
        list->at = longer;
        list->room = room;
    }
    list->at[list->count++] = x;
    return true;
}

/* ---- Monomials ---------------------------------------------------------------------------------------------------------- */

/* What the system is made with. Monomial k has the exponents exponent[k * unknowns + i]. */
typedef struct walk_maker {
    track_walkers *w;
    const plumb_system *system;
    int64_t n, q; /* unknowns, and numbers that move */
    int32_t *q_degree;
    int32_t *table; /* of monomials, by hash; 0: none */
    unsigned char *exponent;
    int64_t monomials;
    double *re, *im;               /* of the terms */
    int32_t *group_of_term, *seen; /* seen: the group of a monomial in this equation */
    int32_t *group_monomial, *group_equation, *group_moves, *group_number;
    int64_t groups;
    bool has_memory, fits;
} walk_maker;

enum { TABLE = 2 * MOST_MONOMIALS };

static int64_t hash_of(const unsigned char *exponents, int64_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < n; i++)
        h = (h ^ exponents[i]) * UINT64_C(0x100000001b3);
    return (int64_t)((h ^ (h >> 29)) % TABLE);
}

/* The number of the monomial with these exponents, which is added if it is new, as are those that it is made of. */
static int32_t find_monomial(walk_maker *b, unsigned char *exponents)
{
    const int64_t n = b->n;
    int64_t place = hash_of(exponents, n), last = -1;
    int32_t degree = 0;
    for (; b->table[place] != 0; place = (place + 1) % TABLE)
        if (memcmp(b->exponent + b->table[place] * n, exponents, (size_t)n) == 0)
            return b->table[place];
    for (int64_t i = 0; i < n; i++) {
        degree += exponents[i];
        last = exponents[i] > 0 ? i : last;
    }
    if (degree == 0)
        return 0;
    int32_t left = 0;
    if (degree > 1) {
        exponents[last]--;
        left = find_monomial(b, exponents);
        exponents[last]++;
    }
    if (degree > MOST_POWER || b->monomials == MOST_MONOMIALS) {
        b->fits = false;
        return 0;
    }
    const int32_t own = (int32_t)b->monomials++;
    for (place = hash_of(exponents, n); b->table[place] != 0;)
        place = (place + 1) % TABLE;
    b->table[place] = own;
    memcpy(b->exponent + own * n, exponents, (size_t)n);
    b->has_memory =
        b->has_memory && add_whole(&b->w->list[WALK_LEFT], left) && add_whole(&b->w->list[WALK_RIGHT], 1 + last);
    return own;
}

/* 1, then the unknowns. */
static void begin_monomials(walk_maker *b)
{
    unsigned char exponents[MOST_UNKNOWNS] = {0};
    b->has_memory = add_whole(&b->w->list[WALK_LEFT], 0) && add_whole(&b->w->list[WALK_RIGHT], 0);
    b->monomials = 1;
    for (int64_t i = 0; i < b->n; i++) {
        exponents[i] = 1;
        (void)find_monomial(b, exponents);
        exponents[i] = 0;
    }
}

/* ---- Coefficients ------------------------------------------------------------------------------------------------------- */

/* Terms of an equation with the same monomial make one coefficient. */
static void group_terms(walk_maker *b, int64_t equation)
{
    const plumb_system *s = b->system;
    for (int64_t t = s->equation[equation]; t < s->equation[equation + 1] && b->fits; t++) {
        unsigned char exponents[MOST_UNKNOWNS] = {0};
        int32_t moves = 0;
        for (int32_t j = 0; j < s->terms[t].count; j++) {
            const system_factor *f = &s->factors[s->terms[t].first + j];
            if (f->unknown < b->n && f->exponent <= MOST_POWER)
                exponents[f->unknown] = (unsigned char)f->exponent;
            else if (f->unknown < b->n)
                b->fits = false;
            else
                moves += f->exponent * b->q_degree[f->unknown - b->n];
        }
        const int32_t monomial = b->fits ? find_monomial(b, exponents) : 0;
        int32_t group = b->seen[monomial];
        if (group < 0 || b->group_equation[group] != equation) {
            group = (int32_t)b->groups++;
            b->seen[monomial] = group;
            b->group_equation[group] = (int32_t)equation;
            b->group_monomial[group] = monomial;
            b->group_moves[group] = 0;
        }
        b->group_of_term[t] = group;
        b->group_moves[group] = larger(b->group_moves[group], moves);
        b->w->walk.system.degree = larger(b->w->walk.system.degree, moves);
    }
}

/* The rounded coefficients of the terms, from those of the program, where each term occurs in the row of its value. */
static void take_numbers(walk_maker *b)
{
    const eval_program *p = b->w->call->program;
    const double *c = b->w->call->coefficients[PLUMB_D];
    for (int64_t at = 0; at < program_steps(p) * PROGRAM_PAD; at++)
        if (p->term_of[at] >= 0 && p->times[at] == 1) {
            b->re[p->term_of[at]] = c[at / PROGRAM_PAD * 2 * PROGRAM_PAD + at % PROGRAM_PAD];
            b->im[p->term_of[at]] = c[(at / PROGRAM_PAD * 2 + 1) * PROGRAM_PAD + at % PROGRAM_PAD];
        }
}

/* Numbers the coefficients, first those that move, and lists what they are made of. */
static void list_coefficients(walk_maker *b)
{
    const plumb_system *s = b->system;
    track_walk_system *of = &b->w->walk.system;
    walk_list *list = b->w->list;
    bool good = true;
    for (int32_t moves = 1; moves >= 0; moves--)
        for (int64_t g = 0; g < b->groups; g++)
            if ((b->group_moves[g] > 0) == moves) {
                b->group_number[g] = (int32_t)of->coefficients++;
                of->moving += moves;
            }
    int32_t *first = calloc((size_t)b->groups + 2, sizeof *first);
    const int64_t terms = s->equation[of->equations];
    int32_t *order = calloc((size_t)terms + 1, sizeof *order);
    if (!first || !order) {
        b->has_memory = false;
        free(first);
        free(order);
        return;
    }
    for (int64_t t = 0; t < terms; t++) /* terms by the number of their coefficient */
        first[b->group_number[b->group_of_term[t]] + 1]++;
    for (int64_t k = 0; k < of->coefficients; k++)
        first[k + 1] += first[k];
    for (int64_t k = 0; k <= of->coefficients; k++)
        good = good && add_whole(&list[WALK_COEFFICIENT], first[k]);
    for (int64_t t = 0; t < terms; t++)
        order[first[b->group_number[b->group_of_term[t]]]++] = (int32_t)t;
    for (int64_t k = 0; k < terms && good; k++) {
        const system_term *term = &s->terms[order[k]];
        good = add_number(&b->w->numbers[WALK_RE], b->re[order[k]]) &&
               add_number(&b->w->numbers[WALK_IM], b->im[order[k]]) &&
               add_whole(&list[WALK_FACTOR], list[WALK_Q].count);
        for (int32_t j = 0; j < term->count && good; j++) {
            const system_factor *f = &s->factors[term->first + j];
            for (int32_t e = 0; e < f->exponent && f->unknown >= b->n && good; e++)
                good = add_whole(&list[WALK_Q], f->unknown - b->n);
        }
    }
    b->has_memory = b->has_memory && good && add_whole(&list[WALK_FACTOR], list[WALK_Q].count);
    free(first);
    free(order);
}

/* ---- Equations ---------------------------------------------------------------------------------------------------------- */

/* Lists the terms of the equations, those whose coefficients move first. */
static void list_rows(walk_maker *b)
{
    walk_list *list = b->w->list;
    bool good = true;
    for (int64_t i = 0, g = 0; i < b->n; i++) {
        const int64_t from = g;
        good = good && add_whole(&list[WALK_ROW], list[WALK_TERM].count);
        for (int32_t moves = 1; moves >= 0; moves--) {
            for (g = from; g < b->groups && b->group_equation[g] == i; g++)
                if ((b->group_moves[g] > 0) == moves)
                    good = good && add_whole(&list[WALK_TERM], b->group_number[g]) &&
                           add_whole(&list[WALK_TERM_MONOMIAL], b->group_monomial[g]);
            if (moves)
                good = good && add_whole(&list[WALK_ROW_MOVING], list[WALK_TERM].count);
        }
    }
    b->has_memory = b->has_memory && good && add_whole(&list[WALK_ROW], list[WALK_TERM].count);
}

/* Lists the terms of the Jacobian. */
static void list_entries(walk_maker *b)
{
    walk_list *list = b->w->list;
    bool good = true;
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t i = 0, g = 0; i < b->n; i++) {
            good = good && add_whole(&list[WALK_ENTRY], list[WALK_ENTRY_COEFFICIENT].count);
            for (; g < b->groups && b->group_equation[g] == i && b->fits; g++) {
                unsigned char exponents[MOST_UNKNOWNS] = {0};
                memcpy(exponents, b->exponent + b->group_monomial[g] * b->n, (size_t)b->n);
                const int32_t power = exponents[j];
                if (power == 0)
                    continue;
                exponents[j]--;
                good = good && add_whole(&list[WALK_ENTRY_COEFFICIENT], b->group_number[g]) &&
                       add_whole(&list[WALK_ENTRY_MONOMIAL], find_monomial(b, exponents)) &&
                       add_number(&b->w->numbers[WALK_TIMES], power);
            }
        }
    b->has_memory = b->has_memory && good && add_whole(&list[WALK_ENTRY], list[WALK_ENTRY_COEFFICIENT].count);
}

/* ---- The system --------------------------------------------------------------------------------------------------------- */

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

/* The degrees in tau of the numbers that move: 1 or, if arcs bend, 2, of parameters, and those that follow for the equations of a program. */
static bool find_degrees(const track_call *call, int64_t count, int32_t *q_degree)
{
    const int64_t points = call->moving->points;
    const int32_t own = call->moving->bend ? 2 : 1;
    const eval_program *p = call->moved;
    if (!p) {
        for (int64_t k = 0; k < count; k++)
            q_degree[k] = own;
        return true;
    }
    int32_t *degree = calloc((size_t)p->slots + 1, sizeof *degree);
    for (int64_t k = 0; degree && k < points; k++) {
        degree[1 + k] = own;
        degree[1 + points + k] = own - 1;
    }
    if (!degree)
        return false;
    degrees_of_products(p, degree);
    for (int32_t row = 0; row < p->rows; row++) {
        const int64_t step = p->slice_start[row / PROGRAM_PAD];
        const int32_t *slot = p->term_slot + step * PROGRAM_PAD + row % PROGRAM_PAD;
        for (int32_t t = 0; t < p->row_terms[row]; t++)
            degree[p->row_to + row] = larger(degree[p->row_to + row], degree[slot[t * PROGRAM_PAD]]);
    }
    for (int64_t k = 0; k < count; k++)
        q_degree[k] = larger(degree[p->value_slot[k]], 1);
    free(degree);
    return true;
}

static void maker_free(walk_maker *b)
{
    free(b->q_degree);
    free(b->table);
    free(b->exponent);
    free(b->re);
    free(b->im);
    free(b->group_of_term);
    free(b->seen);
    free(b->group_monomial);
    free(b->group_equation);
    free(b->group_moves);
    free(b->group_number);
}

static void take_lists(track_walkers *w, int64_t monomials)
{
    track_walk_system *s = &w->walk.system;
    const walk_list *list = w->list;
    s->monomials = monomials;
    s->left = list[WALK_LEFT].at;
    s->right = list[WALK_RIGHT].at;
    s->row = list[WALK_ROW].at;
    s->row_moving = list[WALK_ROW_MOVING].at;
    s->term_coefficient = list[WALK_TERM].at;
    s->term_monomial = list[WALK_TERM_MONOMIAL].at;
    s->entry = list[WALK_ENTRY].at;
    s->entry_coefficient = list[WALK_ENTRY_COEFFICIENT].at;
    s->entry_monomial = list[WALK_ENTRY_MONOMIAL].at;
    s->entry_times = w->numbers[WALK_TIMES].at;
}

/* Makes the system of the walk. */
static plumb_status make_system(track_walkers *w)
{
    const track_call *call = w->call;
    const plumb_system *s = call->system;
    const int64_t n = call->settings->unknowns, terms = s->equation[n];
    walk_maker b = {.w = w, .system = s, .n = n, .fits = true};
    b.q = call->moved ? call->moved_count : call->moving->points;
    w->walk.system = (track_walk_system){.equations = n};
    b.q_degree = calloc((size_t)b.q + 1, sizeof *b.q_degree);
    b.table = calloc(TABLE, sizeof *b.table);
    b.exponent = calloc((size_t)(MOST_MONOMIALS * n), 1);
    b.re = calloc((size_t)s->equation[s->equations] + 1, sizeof *b.re);
    b.im = calloc((size_t)s->equation[s->equations] + 1, sizeof *b.im);
    b.group_of_term = calloc((size_t)terms + 1, sizeof *b.group_of_term);
    b.seen = malloc(MOST_MONOMIALS * sizeof *b.seen);
    b.group_monomial = calloc((size_t)terms + 1, sizeof *b.group_monomial);
    b.group_equation = calloc((size_t)terms + 1, sizeof *b.group_equation);
    b.group_moves = calloc((size_t)terms + 1, sizeof *b.group_moves);
    b.group_number = calloc((size_t)terms + 1, sizeof *b.group_number);
    bool good = b.q_degree && b.table && b.exponent && b.re && b.im && b.group_of_term && b.seen && b.group_monomial &&
                b.group_equation && b.group_moves && b.group_number && find_degrees(call, b.q, b.q_degree);
    if (good) {
        memset(b.seen, 0xff, MOST_MONOMIALS * sizeof *b.seen);
        begin_monomials(&b);
        for (int64_t i = 0; i < n && b.fits; i++)
            group_terms(&b, i);
        take_numbers(&b);
        if (b.fits && b.has_memory) {
            list_coefficients(&b);
            list_rows(&b);
            list_entries(&b);
        }
        take_lists(w, b.monomials);
        good = b.has_memory;
    }
    const bool fits = b.fits && w->walk.system.degree <= MOST_DEGREE;
    maker_free(&b);
    return !good ? PLUMB_ERR_MEMORY : fits ? PLUMB_OK : PLUMB_ERR_UNSUPPORTED;
}

/* ---- Polynomials in tau --------------------------------------------------------------------------------------------------- */

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

/* The numbers that move, for a row of the targets, at the places: real and imaginary parts of one after the other. */
static void find_q(track_walkers *w, int64_t row)
{
    const track_moving *moving = w->call->moving;
    const eval_program *p = w->moved.program;
    const int64_t points = moving->points, width = w->kernels->width, count = p ? w->call->moved_count : points;
    const double *target = track_target(moving, row), *from = track_from(moving, row), *bend = track_bend(moving, row);
    const int32_t places = w->walk.system.degree + 1;
    for (int32_t first = 0; first < places; first += (int32_t)width) {
        for (int32_t l = 0; l < width && (p || first + l < places); l++) {
            const double tau = place_of(first + l < places ? first + l : 0, w->walk.system.degree);
            for (int64_t k = 0; k < 2 * points; k++) { /* parts of parameters */
                const int64_t part = k / points;
                const double goal = target[part * PLUMB_QD * points + k % points], way = from[k] - goal,
                             at = goal + tau * (bend ? way + (1.0 - tau) * bend[k] : way);
                if (p)
                    w->moved.slots[(2 * (1 + k % points) + part) * width + l] = at;
                else
                    w->q[((first + l) * points + k % points) * 2 + part] = at;
            }
        }
        if (!p)
            continue;
        plumb_cpu_eval_run(&w->moved, &w->eval->many);
        for (int32_t l = 0; l < width && first + l < places; l++)
            for (int64_t i = 0; i < 2 * count; i++)
                w->q[(first + l) * 2 * count + i] =
                    w->moved.slots[(2 * (int64_t)p->value_slot[i / 2] + i % 2) * width + l];
    }
}

/* Coefficient k for numbers q that move. */
static void coefficient_at(const track_walkers *w, int64_t k, const double *q, double *value)
{
    const walk_list *list = w->list;
    value[0] = value[1] = 0.0;
    for (int32_t t = list[WALK_COEFFICIENT].at[k]; t < list[WALK_COEFFICIENT].at[k + 1]; t++) {
        double re = w->numbers[WALK_RE].at[t], im = w->numbers[WALK_IM].at[t];
        for (int32_t f = list[WALK_FACTOR].at[t]; f < list[WALK_FACTOR].at[t + 1]; f++) {
            const double *by = q + 2 * (int64_t)list[WALK_Q].at[f], then = re;
            re = re * by[0] - im * by[1];
            im = then * by[1] + im * by[0];
        }
        value[0] += re;
        value[1] += im;
    }
}

/* Computes the polynomials of a row of the targets. */
static void find_polynomials(track_walkers *w, int64_t row)
{
    const int32_t places = w->walk.system.degree + 1;
    const int64_t moving = w->walk.system.moving,
                  count = w->moved.program ? w->call->moved_count : w->call->moving->points;
    find_q(w, row);
    for (int32_t j = 0; j < places; j++)
        for (int64_t k = 0; k < moving; k++)
            coefficient_at(w, k, w->q + j * 2 * count, w->values + (j * moving + k) * 2);
    for (int32_t k = 0; k < places; k++)
        for (int64_t i = 0; i < 2 * moving; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < places; j++)
                sum += w->matrix[k * places + j] * w->values[j * 2 * moving + i];
            w->row_polynomials[k * 2 * moving + i] = sum;
        }
    w->row = row;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

bool track_walkers_can(const machine *m, const track_call *call)
{
    const track_settings *s = call->settings;
    const int64_t n = s->unknowns;
    const bool plain = s->moving == TRACK_ARCS && !s->projective && s->equations == n && n <= MOST_UNKNOWNS &&
                       s->rerun == 0 && s->shorten == 1.0;
    const bool in_d = s->least_prec == PLUMB_D && track_goal(s) == PLUMB_D && s->least_step == 0.0;
    return m->hooks.track_walk >= 0 && plain && in_d && !call->step && call->most_seconds == 0.0 && call->system;
}

static void cut_walkers(cutter *c, const track_call *call, track_walkers *w)
{
    const track_walk_system *of = &w->walk.system;
    const int64_t n = call->settings->unknowns, width = w->kernels->width, number = 2 * width, places = of->degree + 1,
                  q = call->moved ? call->moved_count : call->moving->points;
    track_many *many = &w->walk.many;
    many->tau = cut(c, 4, width);
    many->first = cut(c, 1, width);
    many->scale = cut(c, n, width);
    many->direction = cut(c, 2 * n, width);
    many->terms = cut(c, TRACK_MANY_TERMS, width);
    many->a = cut(c, n * n, number);
    many->b = cut(c, TRACK_RIGHT_SIDES * n, number);
    many->inverses = cut(c, n, number);
    many->x = cut(c, n, number);
    many->w = cut(c, n, number);
    many->w_before = cut(c, n, number);
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        many->point[j] = cut(c, n, number);
        many->rate[j] = cut(c, n, number);
    }
    w->walk.numbers = cut(c, TRACK_WALK_NUMBERS, width);
    w->walk.at = cut(c, TRACK_HISTORY, width);
    w->walk.odd = cut(c, 1, width);
    w->walk.polynomials = cut(c, places * of->moving, number);
    w->walk.value = cut(c, of->coefficients, number);
    w->walk.slope = cut(c, of->moving, number);
    w->walk.monomial = cut(c, of->monomials, number);
    w->walk.size = cut(c, of->monomials, width);
    w->row_polynomials = cut(c, places * of->moving, 2);
    w->values = cut(c, places * of->moving, 2);
    w->q = cut(c, places * q, 2);
    w->matrix = cut(c, places, places);
    w->moved = (eval_job){.program = call->moved};
    if (call->moved) {
        w->moved.coefficients = call->moved_coefficients[PLUMB_D];
        w->moved.slots = cut(c, call->moved->slots, number);
        w->moved.scratch = cut(c, eval_scratch(call->moved, w->eval), 1);
    }
}

/* Sets what no tick changes: the constants, and monomial 1. */
static void set_constants(track_walkers *w)
{
    const track_walk_system *of = &w->walk.system;
    const int64_t width = w->kernels->width;
    for (int64_t l = 0; l < width; l++) {
        w->walk.monomial[l] = w->walk.size[l] = w->walk.many.tau[l] = 1.0;
        if (w->moved.program)
            w->moved.slots[l] = 1.0;
        for (int64_t k = of->moving; k < of->coefficients; k++) {
            double value[2];
            coefficient_at(w, k, NULL, value);
            w->walk.value[2 * k * width + l] = value[0];
            w->walk.value[(2 * k + 1) * width + l] = value[1];
        }
        w->entry[l] = -1;
    }
    w->row = -1;
    make_matrix(of->degree, w->matrix);
}

static plumb_status create(const track_call *call, track_walkers *w)
{
    cutter c = {.fits = true};
    const plumb_status status = make_system(w);
    if (status != PLUMB_OK)
        return status;
    cut_walkers(&c, call, w);
    if (!c.fits || c.used > LANES_LIMIT)
        return PLUMB_ERR_UNSUPPORTED;
    w->memory = aligned_alloc(64, (size_t)c.used * sizeof(double));
    if (!w->memory)
        return PLUMB_ERR_MEMORY;
    memset(w->memory, 0, (size_t)c.used * sizeof(double));
    c = (cutter){.base = w->memory, .fits = true};
    cut_walkers(&c, call, w);
    set_constants(w);
    return PLUMB_OK;
}

plumb_status track_walkers_create(const machine *m, const track_call *call, const track_work *work,
                                  track_walkers *walkers)
{
    const prec_kernels *kernels = m->isa->prec[PLUMB_D];
    *walkers = (track_walkers){.call = call, .kernels = kernels->track_many, .eval = kernels->eval[PLUMB_COMPLEX]};
    walkers->walk.many = (track_many){.settings = call->settings, .dependent = work->room[PLUMB_D].dependent};
    const plumb_status status = create(call, walkers);
    if (status != PLUMB_OK)
        track_walkers_destroy(walkers);
    return status;
}

void track_walkers_destroy(track_walkers *walkers)
{
    for (int32_t k = 0; k < WALK_LISTS; k++)
        free(walkers->list[k].at);
    for (int32_t k = 0; k < WALK_NUMBER_LISTS; k++)
        free(walkers->numbers[k].at);
    free(walkers->memory);
    *walkers = (track_walkers){.memory = NULL};
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
    const int64_t row = moving->row[entry], width = w->kernels->width;
    const int64_t start = call->start ? call->start[entry] : entry;
    w->entry[place] = entry;
    for (int32_t p = 0; p < 2; p++)
        for (int64_t i = 0; i < s->unknowns; i++) /* leading limbs are rounded numbers */
            *part(w, w->walk.many.x, i, p, place) =
                starts->data[start * starts->next + p * starts->prec * starts->plane + i];
    if (w->row != row)
        find_polynomials(w, row);
    for (int64_t i = 0; i < 2 * (w->walk.system.degree + 1) * w->walk.system.moving; i++)
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
    w->kernels->walk_combine(walk);
    w->kernels->eliminate(&walk->many);
    for (int64_t l = 0; l < w->kernels->width; l++)
        walk->odd[l] = walk->many.info[l] != 0 ? 1.0 : 0.0;
    w->kernels->walk_tick(walk);
}
