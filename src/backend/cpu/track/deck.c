/* deck.c - see deck.h. */
#include "backend/cpu/track/deck.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/eval/eval.h"
#include "backend/cpu/track/cut.h"
#include "base/number/precision.h"
#include "method/track/decide.h"

/* Measured with AVX-512, and with AVX2 (docs/notes/cpu-paths.md). Beyond so many unknowns, or if the numbers of a lane of paths take more
 * doubles than this, one path after the other is about as fast, because its numbers stay in a cache. */
enum { MOST_D = 40, MOST_DD = 64, MOST_QD = 32, LANES_LIMIT = 1 << 18 };

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static int64_t parameters_of(const track_call *call)
{
    return call->moved ? 2 * call->moved_count : call->moving ? 2 * call->moving->points : 0;
}

bool track_deck_can(const machine *m, const track_call *call, int32_t prec)
{
    const track_settings *s = call->settings;
    const eval_kernels *eval = m->isa->prec[prec]->eval[PLUMB_COMPLEX];
    const int64_t n = s->unknowns, width = eval->planes * (int64_t)eval->width,
                  most = prec == PLUMB_D    ? MOST_D
                         : prec == PLUMB_DD ? MOST_DD
                                            : MOST_QD;
    if (prec == PLUMB_QD && s->least_prec != PLUMB_QD) /* few paths need it, and lanes take much memory */
        return false;
    return s->equations == n && n <= most && (call->program->slots + n * n) * width <= LANES_LIMIT;
}

int32_t track_deck_least(const machine *m, int32_t prec)
{
    const int32_t width = m->isa->prec[prec]->track_many->width;
    if (m->hooks.track_lanes > 0)
        return 1;
    return prec == PLUMB_D ? width / 4 + 1 : prec == PLUMB_DD ? width / 2 + 1 : width > 2 ? width - 1 : 2;
}

int64_t track_deck_worth(const machine *m, int32_t prec, int32_t threads)
{
    const int64_t width = m->isa->prec[prec]->track_many->width;
    if (m->hooks.track_lanes > 0)
        return 1;
    return threads == 1 ? width : 4 * width;
}

/* The paths of a deck: so many that one of the precisions has a full lane. */
static int32_t places_of(const machine *m, const track_call *call)
{
    int32_t places = 1;
    EACH_PRECISION (prec, call->settings->least_prec, call->settings->most_prec)
        if (track_deck_can(m, call, prec))
            places += m->isa->prec[prec]->track_many->width - 1;
    return places;
}

static void cut_lanes(cutter *c, const machine *m, const track_call *call, int32_t prec, track_deck *deck)
{
    const track_settings *s = call->settings;
    const eval_program *p = call->program;
    const prec_kernels *kernels = m->isa->prec[prec];
    const eval_kernels *eval = kernels->eval[PLUMB_COMPLEX];
    const int64_t n = s->unknowns, width = eval->width, number = eval->planes * width;
    track_lanes *lanes = &deck->lanes[prec];
    *lanes = (track_lanes){.kernels = kernels->track_many, .least = track_deck_least(m, prec)};
    lanes->evaluation = (eval_job){.program = p, .coefficients = call->coefficients[prec], .derivatives = 1};
    lanes->evaluation.slots = cut(c, p->slots, number);
    lanes->evaluation.scratch = cut(c, eval_scratch(p, eval), 1);
    track_many *many = &lanes->many;
    many->settings = s;
    many->slots = lanes->evaluation.slots;
    many->value_slot = p->value_slot;
    many->dependent = deck->work->room[prec].dependent;
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
    many->x = lanes->evaluation.slots ? lanes->evaluation.slots + number : NULL;
    many->w = cut(c, n, 2 * width);
    many->w_before = cut(c, n, 2 * width);
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        many->point[j] = cut(c, n, number);
        many->rate[j] = cut(c, n, 2 * width);
    }
    many->newest = many->point[0];
    many->slope = many->rate[0];
    many->reach = cut(c, 2, width);
    many->least_size = cut(c, 1, width);
    many->at = cut(c, 4 * (int64_t)TRACK_HISTORY, width);
    many->tops = cut(c, TRACK_MANY_TOPS, width);
    many->odd = cut(c, 1, width);
    lanes->nowhere = cut(c, n, eval->planes);
    for (int64_t l = 0; l < width; l++)
        lanes->solution[l] = cut_view(c, n, TRACK_RIGHT_SIDES, prec);
}

static void cut_place(cutter *c, const track_call *call, track_place *place)
{
    const track_settings *s = call->settings;
    place->scale = cut(c, 2, s->equations);
    place->direction = cut(c, 2, s->equations);
    place->moduli = cut(c, parameters_of(call), 1);
    EACH_PRECISION (prec, s->least_prec, s->most_prec) {
        place->vectors[prec] = cut(c, track_vector_doubles(s->unknowns, prec), 1);
        place->parameters[prec] = cut(c, parameters_of(call), 2 * (int64_t)prec);
    }
}

static void cut_deck(cutter *c, const machine *m, const track_call *call, track_deck *deck)
{
    const track_settings *s = call->settings;
    const eval_kernels *size_eval = m->isa->prec[PLUMB_D]->eval[PLUMB_REAL];
    deck->size_evaluation = (eval_job){.program = call->program, .coefficients = call->magnitudes};
    deck->size_evaluation.slots = cut(c, call->program->slots, size_eval->width);
    deck->size_evaluation.scratch = cut(c, eval_scratch(call->program, size_eval), 1);
    _Static_assert(2 * sizeof(int32_t) == sizeof(double), "slots are cut as doubles");
    deck->g_slot = (int32_t *)(void *)cut(c, s->equations, (s->unknowns + 1) / 2);
    deck->f_slot = (int32_t *)(void *)cut(c, s->equations, (s->unknowns + 1) / 2);
    EACH_PRECISION (prec, s->least_prec, s->most_prec)
        if (track_deck_can(m, call, prec))
            cut_lanes(c, m, call, prec, deck);
    for (int32_t k = 0; k < deck->place_count; k++)
        cut_place(c, call, &deck->places[k]);
}

/* Notes which slots have the entries of the Jacobians. */
static void find_slots(const track_call *call, track_deck *deck)
{
    const eval_program *p = call->program;
    const int64_t m = call->settings->equations, n = call->settings->unknowns;
    for (int64_t k = 0; k < m * n; k++)
        deck->g_slot[k] = deck->f_slot[k] = -1;
    for (int32_t k = 0; k < p->entries; k++) {
        const int64_t row = p->entry_row[k], column = p->entry_col[k] * m;
        if (row < m)
            deck->g_slot[column + row] = p->entry_slot[k];
        else
            deck->f_slot[column + row - m] = p->entry_slot[k];
    }
}

/* Sets what no tick changes: slot 0 is 1, and places that no path fills have numbers that do no harm. */
static void set_constants(const machine *m, const track_call *call, track_deck *deck)
{
    const track_settings *s = call->settings;
    const int32_t size_width = m->isa->prec[PLUMB_D]->eval[PLUMB_REAL]->width;
    for (int64_t k = 0; k < (1 + call->program->unknowns) * (int64_t)size_width; k++)
        deck->size_evaluation.slots[k] = 1.0;
    EACH_PRECISION (prec, s->least_prec, s->most_prec) {
        track_lanes *lanes = &deck->lanes[prec];
        if (!lanes->kernels)
            continue;
        for (int32_t l = 0; l < lanes->kernels->width; l++)
            lanes->evaluation.slots[l] = 1.0;
        lanes->many.size_slots = deck->size_evaluation.slots;
        lanes->many.size_width = size_width;
        lanes->many.g_slot = deck->g_slot;
        lanes->many.f_slot = deck->f_slot;
    }
}

plumb_status track_deck_create(const machine *m, const track_call *call, track_work *work, int64_t most,
                               track_deck *deck)
{
    cutter c = {.fits = true};
    const int32_t places = places_of(m, call);
    *deck = (track_deck){.call = call, .work = work, .place_count = places};
    deck->most = most < places ? (int32_t)most : places;
    deck->places = calloc((size_t)places, sizeof *deck->places);
    if (!deck->places)
        return PLUMB_ERR_MEMORY;
    cut_deck(&c, m, call, deck);
    const bool fits = c.fits && c.used <= (int64_t)(PTRDIFF_MAX / 16);
    deck->memory = fits ? aligned_alloc(64, (size_t)c.used * sizeof(double)) : NULL;
    if (!deck->memory) {
        track_deck_destroy(deck);
        return fits ? PLUMB_ERR_MEMORY : PLUMB_ERR_SIZE;
    }
    memset(deck->memory, 0, (size_t)c.used * sizeof(double));
    c = (cutter){.base = deck->memory, .fits = true};
    cut_deck(&c, m, call, deck);
    find_slots(call, deck);
    set_constants(m, call, deck);
    return PLUMB_OK;
}

void track_deck_destroy(track_deck *deck)
{
    free(deck->memory);
    free(deck->places);
    deck->memory = NULL;
    deck->places = NULL;
}

/* ---- A path ------------------------------------------------------------------------------------------------------------- */

void track_deck_enter(track_deck *deck, track_place *place)
{
    const track_call *call = deck->call;
    const track_settings *s = call->settings;
    track_work *work = deck->work;
    EACH_PRECISION (prec, s->least_prec, s->most_prec)
        work->room[prec].vectors.p = place->vectors[prec];
    work->scale = place->scale;
    place->home = 0;
    if (call->moving)
        track_work_move(work, s, call->moving->row[place->entry]);
}

void track_deck_begin(track_deck *deck, track_place *place)
{
    const track_settings *s = deck->call->settings;
    place->moved = 0;
    for (int64_t i = 0; i < s->equations; i++) {
        const track_c r = track_direction(s->seed, place->path.number, i);
        place->direction[i] = r.re;
        place->direction[s->equations + i] = r.im;
    }
}

/* ---- The tick ----------------------------------------------------------------------------------------------------------- */

/* Moves a path to the precision that it wants. */
static void move_precision(const track_settings *s, track_place *place)
{
    track_precision *of = &place->path.precision;
    const int64_t plane = s->unknowns * TRACK_VECTORS;
    if (of->wants == of->now)
        return;
    for (int64_t k = 0; k < plane; k++)
        track_move_entry(place->vectors[of->now], of->now, place->vectors[of->wants], of->wants, plane, k);
    of->now = of->wants;
}

/* Computes the parameters of a path where its tau or its precision has changed, and keeps them. Returns 1 if that was so. */
static int find_parameters(track_deck *deck, int32_t prec, track_place *place)
{
    const int64_t count = parameters_of(deck->call), first = 1 + deck->call->settings->unknowns;
    track_work *work = deck->work;
    if (place->moved == prec && place->path.corrector.corrections > 0)
        return 0;
    track_work_move(work, deck->call->settings, deck->call->moving->row[place->entry]);
    track_work_parameters(work, deck->call->settings, &place->path);
    memcpy(place->parameters[prec], work->room[prec].evaluation.slots + first * 2 * prec,
           (size_t)(count * 2 * prec) * sizeof(double));
    memcpy(place->moduli, work->size_evaluation.slots + first, (size_t)count * sizeof(double));
    place->moved = prec;
    return 1;
}

/* Loads the parameters of a path, which place->parameters has, into place l of the lanes. */
static void load_parameters(track_deck *deck, int32_t prec, const track_place *place, int32_t l)
{
    const track_lanes *lanes = &deck->lanes[prec];
    const int64_t count = parameters_of(deck->call), first = 1 + deck->call->settings->unknowns, planes = 2 * prec,
                  width = lanes->kernels->width, size_width = lanes->many.size_width;
    double *slots = lanes->evaluation.slots + first * planes * width + l,
           *moduli = deck->size_evaluation.slots + first * size_width + l;
    for (int64_t k = 0; k < count * planes; k++)
        slots[k * width] = place->parameters[prec][k];
    for (int64_t k = 0; k < count; k++)
        moduli[k * size_width] = place->moduli[k];
}

/* Loads the scalars of a path into place l of the lanes. Returns 1 if its terms have to be measured. */
static int load_scalars(track_many *many, int32_t width, const track_path *p, int32_t l)
{
    const track_shares_size of = track_size_of_shares(many->settings, p);
    const int first = p->corrector.corrections == 0;
    for (int32_t k = 0; k < 4; k++)
        many->tau[k * width + l] = p->trial.tau[k];
    many->share[l] = of.g;
    many->share[width + l] = of.f;
    many->unit[l] = p->scale.unit;
    many->any_unit |= p->scale.unit != 1.0;
    many->first[l] = first && !track_is_at_end(p) ? 1.0 : 0.0;
    return first;
}

/* Loads columns of the paths, count numbers of `planes` planes that are `plane` apart in memory. */
static void load(const track_many_kernels *kernels, double *to, int64_t planes, const double *const *from,
                 int64_t plane, int64_t count)
{
    for (int64_t c = 0; c < planes; c++) {
        const double *part[TRACK_MANY_MOST] = {NULL};
        for (int32_t l = 0; l < kernels->width; l++)
            part[l] = from[l] + c * plane;
        kernels->gather(to + c * kernels->width, planes * kernels->width, part, count);
    }
}

/* True if all paths are where they were in the last tick of these lanes, and have not been alone or elsewhere since: then the lanes
 * have their scales and directions. */
static int are_at_home(track_lanes *lanes, int32_t prec, track_place *const *at, int32_t count)
{
    int same = 1;
    for (int32_t l = 0; l < lanes->kernels->width; l++) {
        same = same && l < count && lanes->last[l] == at[l] && at[l]->home == prec;
        lanes->last[l] = l < count ? at[l] : NULL;
    }
    for (int32_t l = 0; l < count; l++)
        at[l]->home = prec;
    return same;
}

/* True if the parameters of a path are in place l of the lanes since its last tick. The moduli may be those of a path in another
 * precision; they count in the first tick of a trial only, when parameters are new. */
static int has_parameters(const track_lanes *lanes, int32_t prec, const track_place *place, int32_t l, int32_t count)
{
    return l < count && lanes->last[l] == place && place->home == prec;
}

/* Loads all that a tick reads. Returns 1 if terms have to be measured. */
static int load_paths(track_deck *deck, int32_t prec, track_place *const *at, int32_t count)
{
    track_lanes *lanes = &deck->lanes[prec];
    const track_settings *s = deck->call->settings;
    const track_many_kernels *kernels = lanes->kernels;
    const int64_t n = s->unknowns, plane = n * TRACK_VECTORS, planes = 2 * prec, width = kernels->width;
    const double *from[TRACK_MANY_MOST] = {NULL};
    int measures = 0;
    lanes->many.any_unit = 0;
    for (int32_t l = 0; l < width; l++) {
        measures |= load_scalars(&lanes->many, kernels->width, &at[l]->path, l);
        const int found = deck->call->moving && l < count && find_parameters(deck, prec, at[l]);
        if (deck->call->moving && (found || !has_parameters(lanes, prec, at[l], l, count)))
            load_parameters(deck, prec, at[l], l);
        from[l] = at[l]->vectors[prec] + TRACK_X * n;
    }
    load(kernels, lanes->many.x, planes, from, plane, n);
    if (are_at_home(lanes, prec, at, count))
        return measures;
    for (int32_t l = 0; l < width; l++)
        from[l] = at[l]->scale;
    load(kernels, lanes->many.scale, 1, from, 0, n);
    for (int32_t l = 0; l < width; l++)
        from[l] = at[l]->direction;
    load(kernels, lanes->many.direction, 1, from, 0, 2 * n);
    return measures;
}

/* Stores columns of the paths that are marked, count numbers of `planes` planes that are `plane` apart in memory; those of the
 * others go nowhere. */
static void store(const track_lanes *lanes, const double *from, int64_t planes, double *const *to, int64_t plane,
                  int64_t count, uint32_t marked)
{
    const track_many_kernels *kernels = lanes->kernels;
    for (int64_t c = 0; c < planes; c++) {
        double *part[TRACK_MANY_MOST] = {NULL};
        for (int32_t l = 0; l < kernels->width; l++)
            part[l] = marked >> l & 1U ? to[l] + c * plane : lanes->nowhere;
        kernels->scatter(from + c * kernels->width, planes * kernels->width, part, count);
    }
}

/* Stores the sizes of the rows, if they have changed, and the solutions of the paths that are marked. */
static void store_solutions(const track_lanes *lanes, int32_t prec, track_place *const *at, int64_t n, int measured,
                            uint32_t marked)
{
    double *to[TRACK_MANY_MOST] = {NULL};
    for (int64_t j = 0; marked != 0 && j < TRACK_RIGHT_SIDES; j++) {
        for (int32_t l = 0; l < lanes->kernels->width; l++)
            to[l] = lanes->solution[l].p + j * n;
        store(lanes, lanes->many.b + j * n * 2 * prec * lanes->kernels->width, 2 * (int64_t)prec, to,
              lanes->solution[0].plane, n, marked);
    }
    for (int32_t l = 0; l < lanes->kernels->width; l++)
        to[l] = at[l]->scale;
    if (measured)
        lanes->kernels->scatter(lanes->many.scale, lanes->kernels->width, to, n);
}

static void take_terms(const track_many *many, int32_t width, track_path *p, int32_t l)
{
    p->terms.residual = many->terms[TRACK_MANY_RESIDUAL * width + l];
    p->terms.backward = many->terms[TRACK_MANY_BACKWARD * width + l];
    p->terms.largest_inverse = many->terms[TRACK_MANY_INVERSE * width + l];
    p->terms.largest = many->terms[TRACK_MANY_LARGEST * width + l];
    p->terms.lost = many->terms[TRACK_MANY_LOST * width + l] > 0.0;
}

/* The tick of a path alone, where the matrix has no pivot: then even what an elimination leaves behind is that of one path. */
static void tick_alone(track_deck *deck, track_place *place)
{
    track_deck_enter(deck, place);
    track_work_tick(deck->work, deck->call->settings, &place->path);
}

static track_view vectors_of(const track_place *place, int32_t prec, int64_t n)
{
    return (track_view){place->vectors[prec], n * TRACK_VECTORS, n};
}

/* Loads a column of the vectors: of `planes` planes that are `apart` planes from each other. column has one for each path. */
static void load_vectors(const track_lanes *lanes, int32_t prec, track_place *const *at, const int32_t *column,
                         int64_t n, double *to, int64_t planes, int64_t apart)
{
    const double *from[TRACK_MANY_MOST] = {NULL};
    for (int32_t l = 0; l < lanes->kernels->width; l++)
        from[l] = at[l]->vectors[prec] + column[l] * n;
    load(lanes->kernels, to, planes, from, apart * n * TRACK_VECTORS, n);
}

/* ---- Plain ticks -------------------------------------------------------------------------------------------------------- */

/* Corrects the points of plain paths, judges them and keeps what is accepted. action[l] is what follows. */
static void correct_paths(track_lanes *lanes, int32_t prec, track_place *const *at, int32_t count, uint32_t plain,
                          int32_t *action)
{
    track_many *many = &lanes->many;
    const int64_t n = many->settings->unknowns, planes = 2 * prec;
    const int32_t width = lanes->kernels->width;
    int32_t point[TRACK_MANY_MOST] = {0}, slope[TRACK_MANY_MOST] = {0}, w[TRACK_MANY_MOST] = {0},
            before[TRACK_MANY_MOST] = {0};
    double *x[TRACK_MANY_MOST] = {NULL}, *rate[TRACK_MANY_MOST] = {NULL}, *trial[TRACK_MANY_MOST] = {NULL};
    many->again = 0;
    for (int32_t l = 0; l < width; l++) {
        const track_path *p = &at[l]->path;
        point[l] = TRACK_POINT + p->points.newest;
        slope[l] = TRACK_SLOPE + p->points.newest;
        w[l] = TRACK_W;
        before[l] = TRACK_W_TRIAL;
        x[l] = at[l]->vectors[prec] + TRACK_X * n;
        trial[l] = at[l]->vectors[prec] + TRACK_W_TRIAL * n;
        rate[l] = lanes->solution[l].p + n;
        many->again |= p->corrector.corrections > 0;
        many->reach[l] = p->trial.length / track_tau_abs(p->trial.tau);
        many->reach[width + l] = p->trial.length / track_tau_abs(p->points.at[p->points.newest]);
        many->least_size[l] = p->scale.least_size;
    }
    many->floor = track_floor(&at[0]->path);
    load_vectors(lanes, prec, at, point, n, many->newest, planes, 1);
    load_vectors(lanes, prec, at, slope, n, many->slope, 2, prec);
    load_vectors(lanes, prec, at, w, n, many->w, 2, prec);
    if (many->again)
        load_vectors(lanes, prec, at, before, n, many->w_before, 2, prec);
    lanes->kernels->correct(many);
    store(lanes, many->x, planes, x, n * TRACK_VECTORS, n, plain);
    store(lanes, many->b + n * planes * width, planes, rate, lanes->solution[0].plane, n, plain);
    store(lanes, many->b + 2 * n * planes * width, planes, trial, n * TRACK_VECTORS, n, plain);
    for (int32_t l = 0; l < count; l++)
        if (plain >> l & 1U)
            action[l] = lanes->kernels->decide(many, l, &at[l]->path, vectors_of(at[l], prec, n), lanes->solution[l]);
}

/* Makes the predictions of the paths that are marked. Returns those that could be made. */
static uint32_t predict_paths(track_lanes *lanes, int32_t prec, track_place *const *at, uint32_t marked)
{
    track_many *many = &lanes->many;
    const int64_t n = many->settings->unknowns, planes = 2 * prec;
    const int32_t width = lanes->kernels->width;
    track_place *of[TRACK_MANY_MOST];
    double *x[TRACK_MANY_MOST] = {NULL};
    int32_t first = 0;
    while (!(marked >> first & 1U))
        first++;
    for (int32_t l = 0; l < TRACK_MANY_MOST; l++)
        of[l] = at[marked >> l & 1U ? l : first];
    for (int32_t l = 0; l < width; l++)
        x[l] = of[l]->vectors[prec] + TRACK_X * n;
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        int32_t point[TRACK_MANY_MOST] = {0}, slope[TRACK_MANY_MOST] = {0};
        for (int32_t l = 0; l < width; l++) {
            const track_points *points = &of[l]->path.points;
            const int32_t place = (points->newest + TRACK_HISTORY - j) % TRACK_HISTORY;
            point[l] = TRACK_POINT + place;
            slope[l] = TRACK_SLOPE + place;
            for (int32_t k = 0; k < 4; k++)
                many->at[(j * 4 + k) * width + l] = points->at[place][k];
        }
        load_vectors(lanes, prec, of, point, n, many->point[j], planes, 1);
        load_vectors(lanes, prec, of, slope, n, many->rate[j], 2, prec);
    }
    for (int32_t l = 0; l < width; l++) {
        for (int32_t k = 0; k < 4; k++)
            many->tau[k * width + l] = of[l]->path.trial.tau[k];
        many->least_size[l] = of[l]->path.scale.least_size;
    }
    lanes->kernels->predict(many);
    store(lanes, many->x, planes, x, n * TRACK_VECTORS, n, marked);
    uint32_t made = 0;
    for (int32_t l = 0; l < width; l++)
        if ((marked >> l & 1U) && many->odd[l] == 0.0) {
            of[l]->path.scale.size = many->tops[TRACK_MANY_SIZE * width + l];
            made |= 1U << l;
        }
    return made;
}

/* Carries out the actions of plain paths: predictions together, as far as that is possible. */
static void act_on_paths(track_deck *deck, int32_t prec, track_place *const *at, int32_t count, uint32_t plain,
                         const int32_t *action)
{
    track_lanes *lanes = &deck->lanes[prec];
    const track_settings *s = deck->call->settings;
    uint32_t predicted = 0;
    for (int32_t l = 0; l < count; l++)
        if ((plain >> l & 1U) && action[l] == TRACK_DO_PREDICT && track_predicts_plainly(&at[l]->path))
            predicted |= 1U << l;
    if (predicted)
        predicted = predict_paths(lanes, prec, at, predicted);
    for (int32_t l = 0; l < count; l++)
        if ((plain & ~predicted) >> l & 1U)
            deck->work->room[prec].track->act(s, &at[l]->path, vectors_of(at[l], prec, s->unknowns), lanes->solution[l],
                                              action[l]);
}

/* ---- A tick ------------------------------------------------------------------------------------------------------------- */

void track_deck_tick(track_deck *deck, int32_t prec, track_place *const *places, int32_t count)
{
    track_lanes *lanes = &deck->lanes[prec];
    track_many *many = &lanes->many;
    const track_work *work = deck->work;
    const track_settings *s = deck->call->settings;
    const track_room *room = &work->room[prec];
    const int32_t width = lanes->kernels->width;
    track_place *at[TRACK_MANY_MOST];
    int32_t action[TRACK_MANY_MOST] = {0};
    uint32_t plain = 0, others = 0;
    for (int32_t l = 0; l < TRACK_MANY_MOST; l++)
        at[l] = places[l < count ? l : 0];
    for (int32_t l = 0; l < count; l++)
        move_precision(s, at[l]);
    const int measures = load_paths(deck, prec, at, count);
    plumb_cpu_eval_run(&lanes->evaluation, &room->eval->many);
    if (measures) {
        lanes->kernels->moduli(deck->size_evaluation.slots + many->size_width, many->size_width, many->x, s->unknowns);
        plumb_cpu_eval_run(&deck->size_evaluation, &work->size_eval->many);
    }
    lanes->kernels->combine(many);
    lanes->kernels->eliminate(many);
    for (int32_t l = 0; l < count; l++) {
        if (many->info[l] != 0) {
            tick_alone(deck, at[l]);
            continue;
        }
        take_terms(many, width, &at[l]->path, l);
        *(track_is_plain(&at[l]->path) ? &plain : &others) |= 1U << l;
    }
    store_solutions(lanes, prec, at, s->unknowns, measures, others);
    for (int32_t l = 0; l < count; l++)
        if (others >> l & 1U)
            room->track->decide(s, &at[l]->path, vectors_of(at[l], prec, s->unknowns), lanes->solution[l], 0);
    if (plain) {
        correct_paths(lanes, prec, at, count, plain, action);
        act_on_paths(deck, prec, at, count, plain, action);
    }
}
