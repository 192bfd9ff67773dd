/* tropical.c - see tropical.h. */
#include "solver/polyhedral/tropical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/random.h"
#include "base/os/team.h"
#include "model/cells/hermite.h"
#include "model/cells/supports.h"
#include "model/homotopy/scaling.h"
#include "model/system/echelon.h"
#include "solver/cells/cells.h"
#include "solver/mp/system.h"
#include "solver/mp/torus.h"
#include "solver/polyhedral/polyhedral.h"

enum {
    WIDE = 24,        /* bits between values of an unknown; no more than between coefficients of an equation */
    EVEN = 8,         /* the same after scaling: where one scale per unknown makes coefficients alike, solutions are */
    LONG = 53,        /* bits of a coefficient, of which a combination may have cancelled most */
    UNIT = 31,        /* log2 of the height of a factor e; random numbers are below 2 of these units */
    MOST_HEIGHT = 47, /* log2 of the largest height */
    MOST_UNKNOWNS = 12, /* with more of them, mixed cells take longer than all paths of double precision */
    MOST_PATHS = 1000,
    MOST_STEPS = 200000, /* of an enumeration of cells: some tenths of a second */
    START_BITS = 128,    /* of start points */
    MOST_BITS = 16384,   /* of a path */
    RERUNS = 2           /* of paths that end at the same solution, each with steps half as long */
};

static const double MOST_WORK = 1.6e10; /* in units of mp_system_cost, shared equally among the paths */
#define DEPTH 30.0                      /* terms that a start point neglects are at most e^-DEPTH */
#define LOG_2 0.69314718055994531

/* ---- Sizes of coefficients ------------------------------------------------------------------------------------------ */

/* log2|x| with an error of at most 0.1: linear between powers of two, and so the same on every machine. */
static double log_of(const mpz_t x)
{
    long exponent;
    const double part = fabs(mpz_get_d_2exp(&exponent, x)); /* in [1/2, 1) */
    return (double)exponent + 2.0 * part - 2.0;
}

static double log_of_part(const mpq_t x)
{
    return mpq_sgn(x) == 0 ? -(double)INFINITY : log_of(mpq_numref(x)) - log_of(mpq_denref(x));
}

static double log_of_term(const system_term *term)
{
    return fmax(log_of_part(term->re), log_of_part(term->im));
}

double plumb_tropical_width(const plumb_system *system)
{
    double width = 0.0;
    for (int64_t e = 0; e < system->equations; e++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const double size = log_of_term(&system->terms[k]);
            least = fmin(least, size);
            most = fmax(most, size);
        }
        width = fmax(width, most - least);
    }
    return width;
}

/* The largest number of bits between the coefficients of one equation after scaling. */
static plumb_status scaled_width(const plumb_system *system, double *width)
{
    system_scaling scaling = {.unknown = NULL};
    const plumb_status status = plumb_scaling_find(system, &scaling);
    *width = 0.0;
    for (int64_t e = 0; e < system->equations && status == PLUMB_OK; e++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const system_term *t = &system->terms[k];
            double size = log_of_term(t);
            for (int32_t i = 0; i < t->count && scaling.unknown; i++) {
                const system_factor *f = &system->factors[t->first + i];
                size += (double)f->exponent * scaling.unknown[f->unknown];
            }
            least = fmin(least, size);
            most = fmax(most, size);
        }
        *width = fmax(*width, most - least);
    }
    plumb_scaling_clear(&scaling);
    return status;
}

/* The largest number of bits of a numerator or denominator. */
static size_t longest(const plumb_system *system)
{
    size_t most = 0;
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        for (int part = 0; part < 2; part++) {
            mpq_srcptr c = part == 0 ? system->terms[k].re : system->terms[k].im;
            const size_t above = mpz_sizeinbase(mpq_numref(c), 2), below = mpz_sizeinbase(mpq_denref(c), 2);
            most = above > most ? above : most;
            most = below > most ? below : most;
        }
    return most;
}

/* ---- Cells ---------------------------------------------------------------------------------------------------------- */

/* A call. */
typedef struct tropical {
    plumb_context *context;
    const plumb_system *given;  /* the system itself */
    const plumb_system *system; /* that, or its echelon form */
    cell_supports *supports;    /* each equation is a group of its own, because each has coefficients of its own */
    mixed_cells *cells;
    int64_t *point; /* of each term */
    int64_t *term;  /* of each point */
    int64_t *height;
    double *angle; /* of each term */
} tropical;

/* Supports in which equations with the same exponents are not one group. */
static plumb_status separate(const cell_supports *from, cell_supports **made)
{
    const int64_t n = from->unknowns;
    int64_t points = 0;
    for (int64_t i = 0; i < n; i++)
        points += from->first[from->group[i] + 1] - from->first[from->group[i]];
    cell_supports *s = calloc(1, sizeof *s);
    *made = s;
    if (!s)
        return PLUMB_ERR_MEMORY;
    s->unknowns = s->groups = n;
    s->group = calloc((size_t)n, sizeof *s->group);
    s->size = calloc((size_t)n, sizeof *s->size);
    s->first = calloc((size_t)n + 1, sizeof *s->first);
    s->exponent = calloc((size_t)(points * n) + 1, sizeof *s->exponent);
    s->added = calloc((size_t)points + 1, sizeof *s->added);
    if (!s->group || !s->size || !s->first || !s->exponent || !s->added)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = from->first[from->group[i]], count = from->first[from->group[i] + 1] - first;
        s->group[i] = (int32_t)i;
        s->size[i] = 1;
        s->first[i + 1] = s->first[i] + count;
        memcpy(s->exponent + s->first[i] * n, from->exponent + first * n, (size_t)(count * n) * sizeof *s->exponent);
    }
    return PLUMB_OK;
}

static plumb_status make_supports(tropical *t)
{
    const plumb_system *s = t->system;
    const int64_t n = s->unknowns, terms = s->equation[n];
    cell_supports *grouped = NULL;
    plumb_status status = plumb_supports_of_system(s, 0, &grouped);
    if (status == PLUMB_OK)
        status = separate(grouped, &t->supports);
    plumb_supports_destroy(grouped);
    t->point = calloc((size_t)terms + 1, sizeof *t->point);
    t->term = calloc((size_t)terms + 1, sizeof *t->term);
    t->height = calloc((size_t)terms + 1, sizeof *t->height);
    t->angle = calloc((size_t)terms + 1, sizeof *t->angle);
    if (!t->point || !t->term || !t->height || !t->angle)
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_supports_of_terms(t->supports, s, t->point);
    for (int64_t k = 0; k < terms && status == PLUMB_OK; k++)
        t->term[t->point[k]] = k;
    return status;
}

/* The heights, from 0 for the largest coefficient of each equation. PLUMB_ERR_SIZE if they are too large. */
static plumb_status make_heights(const tropical *t)
{
    const plumb_system *s = t->system;
    for (int64_t e = 0; e < s->equations; e++) {
        double most = -(double)INFINITY;
        for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++)
            most = fmax(most, log_of_term(&s->terms[k]));
        for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
            const double height = floor(ldexp(LOG_2 * (most - log_of_term(&s->terms[k])), UNIT));
            if (!(height < ldexp(1.0, MOST_HEIGHT)))
                return PLUMB_ERR_SIZE;
            t->height[t->point[k]] = (int64_t)height;
        }
    }
    return PLUMB_OK;
}

static plumb_status find_cells(tropical *t, uint64_t seed, int64_t most_steps)
{
    plumb_context *context = t->context;
    const cells_options options = {.seed = seed,
                                   .most_steps = most_steps,
                                   .team = &context->cpu.team,
                                   .threads = context->cpu.threads,
                                   .heights = t->height,
                                   .stop = context->stop,
                                   .data = context->stop_data};
    const plumb_status status = plumb_cells_enumerate(t->supports, &options, &t->cells);
    if (status == PLUMB_OK && (t->cells->mixed_volume < 1 || t->cells->mixed_volume > MOST_PATHS))
        return PLUMB_ERR_SIZE;
    return status == PLUMB_ERR_RANGE ? PLUMB_ERR_SIZE : status;
}

/* ---- Start points --------------------------------------------------------------------------------------------------- */

/* What the roots of a cell have in common. */
typedef struct tropical_cell {
    int64_t index;
    double *rate, *weight;     /* of each term, and of each point */
    int64_t *edges, *h, *u;    /* n x n */
    double tau;                /* where paths begin */
    mp_complex *right;         /* n: logarithms of the quotients of the terms at tau = infinity, without turns */
    mp_complex *matrix, *side; /* room for n x n and n */
    mp_complex *room;          /* 3 */
    mpfr_t turn;               /* 2 pi */
} tropical_cell;

/* right = log(-c_0/c_1), with the angles that the terms have at tau. */
static void find_right(const tropical *t, tropical_cell *c)
{
    const plumb_system *s = t->system;
    const int64_t n = s->unknowns;
    const double turned = c->tau / (1.0 + c->tau);
    const int32_t *point = t->cells->point + c->index * t->cells->width;
    for (int64_t e = 0; e < n; e++) {
        mp_complex *right = &c->right[e];
        mpfr_set_zero(right->re, 1);
        mpfr_div_2ui(right->im, c->turn, 1, MPFR_RNDN);
        for (int end = 0; end < 2; end++) {
            const int64_t k = t->term[point[2 * e + end]];
            mpfr_set_q(c->room[0].re, s->terms[k].re, MPFR_RNDN);
            mpfr_set_q(c->room[0].im, s->terms[k].im, MPFR_RNDN);
            mpfr_hypot(c->room[1].re, c->room[0].re, c->room[0].im, MPFR_RNDN);
            mpfr_log(c->room[1].re, c->room[1].re, MPFR_RNDN);
            mpfr_atan2(c->room[1].im, c->room[0].im, c->room[0].re, MPFR_RNDN);
            mpfr_add_d(c->room[1].im, c->room[1].im, t->angle[k] * turned, MPFR_RNDN);
            if (end == 0)
                mp_add(right, right, &c->room[1]);
            else
                mp_sub(right, right, &c->room[1]);
        }
    }
}

/* z = the logarithms of root number `number` of the cell: E z = right + 2 pi i r, for vectors r that differ modulo the columns of E, whose
 * Hermite normal form is h. */
static bool make_root(const tropical *t, tropical_cell *c, int64_t number, mp_complex *z)
{
    const int64_t n = t->system->unknowns;
    for (int64_t e = 0; e < n; e++) {
        for (int64_t j = 0; j < n; j++) {
            mpfr_set_si(c->matrix[e * n + j].re, (long)c->edges[e * n + j], MPFR_RNDN);
            mpfr_set_zero(c->matrix[e * n + j].im, 1);
        }
        mp_set(&c->side[e], &c->right[e]);
        mpfr_mul_si(c->room[0].im, c->turn, (long)(number % c->h[e * n + e]), MPFR_RNDN);
        mpfr_add(c->side[e].im, c->side[e].im, c->room[0].im, MPFR_RNDN);
        number /= c->h[e * n + e];
    }
    if (!mp_solve(c->matrix, c->side, n, 1, c->room))
        return false;
    for (int64_t i = 0; i < n; i++)
        mp_set(&z[i], &c->side[i]);
    return true;
}

/* Where the terms that a start point z neglects are small enough: log(size relative to those of the cell) - rate tau <= -DEPTH. */
static double find_tau(const tropical *t, const tropical_cell *c, const mp_complex *z)
{
    const plumb_system *s = t->system;
    const int32_t *point = t->cells->point + c->index * t->cells->width;
    double tau = 0.0;
    for (int64_t e = 0; e < s->equations; e++) {
        double of_cell = 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
                double size = LOG_2 * log_of_term(&s->terms[k]);
                for (int32_t i = 0; i < s->terms[k].count; i++) {
                    const system_factor *f = &s->factors[s->terms[k].first + i];
                    size += f->exponent * mpfr_get_d(z[f->unknown].re, MPFR_RNDN);
                }
                if (pass == 0 && t->point[k] == point[2 * e])
                    of_cell = size;
                else if (pass == 1 && c->rate[k] > 0.0)
                    tau = fmax(tau, (DEPTH + size - of_cell) / c->rate[k]);
            }
    }
    return tau;
}

static plumb_status begin_cell(const tropical *t, tropical_cell *c)
{
    const int64_t n = t->system->unknowns;
    const int64_t terms = t->system->equation[n];
    *c = (tropical_cell){.index = -1,
                         .edges = calloc((size_t)(3 * n * n), sizeof *c->edges),
                         .rate = calloc(2 * (size_t)terms + 1, sizeof *c->rate)};
    c->right = mp_make(n, START_BITS);
    c->matrix = mp_make(n * n, START_BITS);
    c->side = mp_make(n, START_BITS);
    c->room = mp_make(3, START_BITS);
    mpfr_init2(c->turn, START_BITS);
    mpfr_const_pi(c->turn, MPFR_RNDN);
    mpfr_mul_2ui(c->turn, c->turn, 1, MPFR_RNDN);
    if (!c->edges || !c->rate || !c->right || !c->matrix || !c->side || !c->room)
        return PLUMB_ERR_MEMORY;
    c->weight = c->rate + terms;
    c->h = c->edges + n * n;
    c->u = c->h + n * n;
    return PLUMB_OK;
}

static void end_cell(const tropical *t, tropical_cell *c)
{
    const int64_t n = t->system->unknowns;
    mp_free(c->right, n);
    mp_free(c->matrix, n * n);
    mp_free(c->side, n);
    mp_free(c->room, 3);
    mpfr_clear(c->turn);
    free(c->edges);
    free(c->rate);
}

/* Turns to a cell: its rates and the tau at which its paths begin, which is the same for all of its roots. z is room. */
static plumb_status enter_cell(const tropical *t, tropical_cell *c, int64_t index, mp_complex *z)
{
    const int64_t n = t->system->unknowns;
    c->index = index;
    c->tau = 0.0;
    plumb_cells_edges(t->supports, t->cells, index, c->edges);
    plumb_status status = plumb_hermite(n, c->edges, c->h, c->u);
    if (status == PLUMB_OK)
        status = plumb_cells_weights(t->supports, t->cells, index, c->weight);
    for (int64_t k = 0; k < t->system->equation[n] && status == PLUMB_OK; k++)
        c->rate[k] = ldexp(c->weight[t->point[k]], -UNIT);
    if (status != PLUMB_OK)
        return status == PLUMB_ERR_MEMORY ? status : PLUMB_ERR_SIZE;
    find_right(t, c);
    if (!make_root(t, c, 0, z))
        return PLUMB_ERR_SIZE;
    c->tau = find_tau(t, c, z);
    find_right(t, c);
    return PLUMB_OK;
}

/* Solves the n x (n + 1) system m by elimination with row exchanges; the solution is its last column. */
static bool eliminate(double *m, int64_t n)
{
    const int64_t width = n + 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t r = c + 1; r < n; r++)
            best = fabs(m[r * width + c]) > fabs(m[best * width + c]) ? r : best;
        const double pivot = m[best * width + c];
        if (pivot == 0.0)
            return false;
        for (int64_t j = c; j < width; j++) {
            const double entry = m[best * width + j];
            m[best * width + j] = m[c * width + j];
            m[c * width + j] = entry / pivot;
        }
        for (int64_t r = 0; r < n; r++) {
            const double factor = r == c ? 0.0 : m[r * width + c];
            for (int64_t j = c; j < width && factor != 0.0; j++)
                m[r * width + j] -= factor * m[c * width + j];
        }
    }
    return true;
}

/* The sizes of the roots of a cell: column n of m becomes log2 of the modulus of each unknown. edges: room. */
static bool find_root_sizes(const tropical *t, int64_t index, int64_t *edges, double *m)
{
    const int64_t n = t->system->unknowns, width = n + 1;
    const int32_t *point = t->cells->point + index * t->cells->width;
    plumb_cells_edges(t->supports, t->cells, index, edges);
    for (int64_t e = 0; e < n; e++) {
        const system_term *terms = t->system->terms;
        for (int64_t j = 0; j < n; j++)
            m[e * width + j] = (double)edges[e * n + j];
        m[e * width + n] = log_of_term(&terms[t->term[point[2 * e]]]) - log_of_term(&terms[t->term[point[2 * e + 1]]]);
    }
    return eliminate(m, n);
}

/* Do values of an unknown at the roots of the cells differ so much that one scale would suit none of them? Or is one so much larger than the
 * scale that paths of double precision have that these would take it for infinity? */
static plumb_status are_wide(const tropical *t, bool *wide)
{
    const int64_t n = t->system->unknowns;
    int64_t *edges = calloc((size_t)(n * n), sizeof *edges);
    double *range = calloc((size_t)(n * (n + 3)), sizeof *range), *m = range + 2 * n;
    system_scaling scaling = {.unknown = NULL};
    plumb_status status = edges && range ? plumb_scaling_find(t->given, &scaling) : PLUMB_ERR_MEMORY;
    *wide = false;
    for (int64_t index = 0; index < t->cells->count && status == PLUMB_OK && !*wide; index++) {
        status = find_root_sizes(t, index, edges, m) ? PLUMB_OK : PLUMB_ERR_SIZE;
        for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
            const double size = m[i * (n + 1) + n], scale = scaling.unknown ? scaling.unknown[i] : 0.0;
            range[2 * i] = index == 0 ? size : fmin(range[2 * i], size);
            range[2 * i + 1] = index == 0 ? size : fmax(range[2 * i + 1], size);
            *wide = *wide || range[2 * i + 1] - range[2 * i] > WIDE || size - scale > WIDE;
        }
    }
    plumb_scaling_clear(&scaling);
    free(range);
    free(edges);
    return status;
}

/* ---- All paths ------------------------------------------------------------------------------------------------------ */

/* What threads share that follow paths. */
typedef struct tropical_walk {
    const tropical *t;
    tropical_roots *roots;
    uint8_t *end;    /* of each path, a mp_torus_end */
    double *shorter; /* steps of each path that is to be followed; 0: it is known */
    team_counter next;
    int32_t status;
} tropical_walk;

/* x = e^z, for the end of a path. */
static void set_root(const tropical_roots *roots, int64_t path, mp_complex *z, double condition)
{
    const int64_t n = roots->unknowns;
    for (int64_t i = 0; i < n; i++)
        mp_exp(&roots->x[path * n + i], &z[i], z[i].re);
    roots->condition[path] = exp2(condition);
}

/* Follows a path. */
static plumb_status follow_one(const tropical_walk *m, tropical_cell *cell, int64_t path, mp_torus *walk, mp_complex *z)
{
    const tropical *t = m->t;
    int64_t within;
    const int64_t index = plumb_cells_locate(t->cells, path, &within);
    plumb_status status = PLUMB_OK;
    mp_resize(z, m->roots->unknowns, START_BITS);
    if (index != cell->index)
        status = enter_cell(t, cell, index, z);
    if (status != PLUMB_OK)
        return status;
    mp_effort effort = {.most_work = MOST_WORK / (double)t->cells->mixed_volume, .most_bits = MOST_BITS};
    m->end[path] = MP_TORUS_LOST;
    if (make_root(t, cell, within, z))
        m->end[path] = (uint8_t)mp_torus_follow(walk, z, cell->tau, m->shorter[path], m->roots->bits, &effort);
    if (m->end[path] == MP_TORUS_REGULAR)
        set_root(m->roots, path, z, walk->condition);
    return m->end[path] == MP_TORUS_LOST ? PLUMB_ERR_SIZE : PLUMB_OK;
}

/* The first path that is lost ends the work of all threads: which one it is does not matter. */
static void follow_some(void *data, team *crew, int32_t index, int32_t threads)
{
    tropical_walk *m = data;
    const plumb_context *context = m->t->context;
    const int64_t n = m->t->system->unknowns;
    mp_torus walk;
    tropical_cell cell;
    (void)crew, (void)threads;
    mp_complex *z = mp_make(n, START_BITS);
    plumb_status status = begin_cell(m->t, &cell), begun = mp_torus_begin(m->t->system, &walk);
    status = status == PLUMB_OK ? begun : status;
    if (!z)
        status = PLUMB_ERR_MEMORY;
    walk.rate = cell.rate;
    walk.angle = m->t->angle;
    for (int64_t path; status == PLUMB_OK && (path = team_take(&m->next, 1)) < m->t->cells->mixed_volume;) {
        if (__atomic_load_n(&m->status, __ATOMIC_RELAXED) != PLUMB_OK)
            break;
        if (m->shorter[path] > 0.0)
            status = follow_one(m, &cell, path, &walk, z);
        if (index == 0 && context->stop && context->stop(context->stop_data) != 0)
            status = PLUMB_ERR_STOPPED;
    }
    if (status != PLUMB_OK)
        __atomic_store_n(&m->status, (int32_t)status, __ATOMIC_RELAXED);
    mp_free(z, z ? n : 0);
    mp_torus_clear(&walk);
    end_cell(m->t, &cell);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* otherwise the cached constants of MPFR leak when a thread ends */
}

/* Follows the paths that are marked. */
static plumb_status follow(tropical_walk *m)
{
    plumb_context *context = m->t->context;
    const int64_t paths = m->t->cells->mixed_volume;
    const int32_t threads = paths < context->cpu.threads ? (int32_t)paths : context->cpu.threads;
    plumb_status status =
        threads > 1 ? team_start(&context->cpu.team, threads, context->message, sizeof context->message) : PLUMB_OK;
    m->next = (team_counter){0};
    m->status = PLUMB_OK;
    if (status == PLUMB_OK)
        team_run(context->cpu.team, threads, follow_some, m);
    return status == PLUMB_OK ? (plumb_status)m->status : status;
}

/* log2 of the largest difference of an unknown of two solutions, relative to its size; room: one number. */
static double distance(const mp_complex *x, const mp_complex *y, int64_t n, mp_complex *room)
{
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        mp_sub(room, &x[i], &y[i]);
        most = fmax(most, mp_log2(room) - mp_log2(&x[i]));
    }
    return most;
}

/* Marks paths that end at the same solution, which one of them must have jumped to; false if there are none. */
static bool find_jumps(const tropical_walk *m, double shorter, mp_complex *room)
{
    const tropical_roots *roots = m->roots;
    const int64_t n = roots->unknowns, paths = m->t->cells->mixed_volume;
    bool some = false;
    memset(m->shorter, 0, (size_t)paths * sizeof *m->shorter);
    for (int64_t a = 0; a < paths; a++)
        for (int64_t b = 0; b < a; b++)
            if (m->end[a] == MP_TORUS_REGULAR && m->end[b] == MP_TORUS_REGULAR &&
                distance(roots->x + a * n, roots->x + b * n, n, room) < -0.5 * (double)roots->bits) {
                m->shorter[a] = m->shorter[b] = shorter;
                some = true;
            }
    return some;
}

/* Puts the solutions together, and counts the other paths. */
static void gather(const tropical_walk *m)
{
    tropical_roots *roots = m->roots;
    const int64_t n = roots->unknowns, paths = m->t->cells->mixed_volume;
    for (int64_t path = 0; path < paths; path++) {
        if (m->end[path] != MP_TORUS_REGULAR) {
            roots->infinite++;
            continue;
        }
        for (int64_t i = 0; i < n && roots->count < path; i++)
            mp_set(&roots->x[roots->count * n + i], &roots->x[path * n + i]);
        roots->condition[roots->count++] = roots->condition[path];
    }
}

static bool is_real(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        if (mpq_sgn(system->terms[k].im) != 0)
            return false;
    return true;
}

/* The conjugate of a solution of a real system is a solution. One that is as near as no other solution is the same. */
static void make_real(const tropical_roots *roots)
{
    const int64_t n = roots->unknowns;
    for (int64_t k = 0; k < roots->count; k++) {
        mp_complex *x = roots->x + k * n;
        double most = -(double)INFINITY;
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, mp_real_log2(x[i].im) - mp_log2(&x[i]));
        for (int64_t i = 0; i < n && most < -0.5 * (double)roots->bits - 2.0; i++)
            mpfr_set_zero(x[i].im, 1);
    }
}

/* Random angles of at most 45 degrees. */
static void draw_angles(const tropical *t, uint64_t seed)
{
    plumb_random random = plumb_random_start(seed);
    for (int64_t k = 0; k < t->system->equation[t->system->equations]; k++)
        t->angle[k] = 0.785 * (2.0 * plumb_random_unit(&random) - 1.0);
}

/* Makes the cells, and sees whether they are what this is for. */
static plumb_status prepare(tropical *t, uint64_t seed, int64_t most)
{
    const int64_t most_steps = most > 0 && most < MOST_STEPS ? most : MOST_STEPS;
    bool wide = true;
    int32_t zeros = 0;
    plumb_status status = make_supports(t);
    if (status == PLUMB_OK)
        status = make_heights(t);
    if (status == PLUMB_OK)
        status = find_cells(t, seed, most_steps);
    if (status == PLUMB_OK)
        status = are_wide(t, &wide);
    if (status == PLUMB_OK && wide)
        status = plumb_polyhedral_zeros(t->context, t->system, seed, most_steps, &zeros);
    return status == PLUMB_OK && (!wide || zeros) ? PLUMB_ERR_SIZE : status;
}

static plumb_status solve(tropical *t, uint64_t seed, int64_t most_steps, tropical_roots *roots)
{
    plumb_status status = prepare(t, seed, most_steps);
    if (status != PLUMB_OK)
        return status;
    roots->unknowns = t->system->unknowns;
    roots->room = t->cells->mixed_volume;
    roots->x = mp_make(roots->room * roots->unknowns, roots->bits);
    roots->condition = calloc((size_t)roots->room, sizeof *roots->condition);
    tropical_walk m = {.t = t, .roots = roots};
    m.end = calloc((size_t)roots->room, sizeof *m.end);
    m.shorter = calloc((size_t)roots->room, sizeof *m.shorter);
    mp_complex *room = mp_make(1, roots->bits);
    status = roots->x && roots->condition && m.end && m.shorter && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    draw_angles(t, seed);
    for (int64_t path = 0; path < roots->room && status == PLUMB_OK; path++)
        m.shorter[path] = 1.0;
    bool again = true;
    for (int rerun = 1; again && status == PLUMB_OK; rerun++) {
        status = follow(&m);
        again = status == PLUMB_OK && find_jumps(&m, ldexp(1.0, -rerun), room);
        if (again && rerun > RERUNS)
            status = PLUMB_ERR_SIZE;
    }
    if (status == PLUMB_OK)
        gather(&m);
    if (status == PLUMB_OK && is_real(t->system))
        make_real(roots);
    roots->error = 8.0 - (double)roots->bits;
    free(m.end);
    free(m.shorter);
    mp_free(room, room ? 1 : 0);
    return status;
}

/* Solves a system that is in echelon form, or need not be. */
static plumb_status solve_form(plumb_context *context, const plumb_system *given, const plumb_system *system,
                               uint64_t seed, int64_t most_steps, tropical_roots *roots)
{
    tropical t = {.context = context, .given = given, .system = system};
    double width;
    plumb_status status = scaled_width(system, &width);
    if (status == PLUMB_OK)
        status = width > EVEN ? solve(&t, seed, most_steps, roots) : PLUMB_ERR_SIZE;
    plumb_supports_destroy(t.supports);
    plumb_cells_destroy(t.cells);
    free(t.point);
    free(t.term);
    free(t.height);
    free(t.angle);
    return status;
}

plumb_status plumb_tropical_solve(plumb_context *context, const plumb_system *system, uint64_t seed, int64_t most_steps,
                                  int64_t bits, tropical_roots *roots)
{
    plumb_system *form = NULL;
    *roots = (tropical_roots){.bits = bits};
    if (system->equations != system->unknowns || system->unknowns > MOST_UNKNOWNS)
        return PLUMB_ERR_SIZE;
    const bool wide = plumb_tropical_width(system) > WIDE;
    if (!wide && longest(system) <= LONG)
        return PLUMB_ERR_SIZE;
    plumb_status status = plumb_system_echelon(system, &form);
    if (status == PLUMB_OK && !wide && !(form && plumb_tropical_width(form) > WIDE))
        status = PLUMB_ERR_SIZE;
    if (status == PLUMB_OK)
        status = solve_form(context, system, form ? form : system, seed, most_steps, roots);
    plumb_system_destroy(form);
    if (status != PLUMB_OK)
        plumb_tropical_clear(roots);
    return status;
}

void plumb_tropical_clear(tropical_roots *roots)
{
    mp_free(roots->x, roots->x ? roots->room * roots->unknowns : 0);
    free(roots->condition);
    *roots = (tropical_roots){.count = 0};
}
