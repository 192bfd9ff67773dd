/* same.c - which paths end at the same point, without keeping the points.
 *
 * Each end leaves a fingerprint: two sums of its coordinates with fixed random weights on the unit circle. Equal ends have equal
 * fingerprints; different ones, that agree in both sums to seven digits would be one pair in 10^24 or so, and cost no more than
 * being tracked again. Sorted by one of the four numbers, equal fingerprints lie next to each other. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/track/track.h"

/* Ends that agree so well, relative to their largest entry, are one; whatever they say about their errors, at least and at most. */
static const double LEAST = 1e-10, MOST = 4e-7, MOST_SINGULAR = 1e-3;

/* Past the range of a float it does not matter any more. */
static float small(double value)
{
    return value < FLT_MAX ? (float)value : FLT_MAX;
}

void track_state_set(track_state *state, const plumb_path_record *record, int64_t line, const double *x, int32_t prec,
                     const plumb_homotopy *homotopy)
{
    const double turn = 6.283185307179586;
    const uint64_t seed = 2013; /* the same weights for every path */
    plumb_random random = plumb_random_start(seed);
    *state = (track_state){.line = line,
                           .error = small(record->error),
                           .steps = record->steps < INT32_MAX ? (int32_t)record->steps : INT32_MAX,
                           .winding = record->winding < INT16_MAX ? (int16_t)record->winding : INT16_MAX,
                           .code = (int8_t)record->code,
                           .prec = (int8_t)record->prec,
                           .most_prec = (int8_t)record->most_prec,
                           .reruns = record->reruns < INT8_MAX ? (int8_t)record->reruns : INT8_MAX};
    double scale = 0;
    for (int64_t i = 0; i < homotopy->given_unknowns; i++) {
        const int exponent = homotopy->exponent != NULL ? homotopy->exponent[i] : 0;
        double re = ldexp(x[2 * i * prec], -exponent), im = ldexp(x[(2 * i + 1) * prec], -exponent);
        scale = fmax(scale, fmax(fabs(re), fabs(im)));
        for (int p = 0; p < TRACK_PRINTS; p += 2) {
            double angle = turn * plumb_random_unit(&random), c = cos(angle), s = sin(angle);
            state->print[p] += c * re - s * im;
            state->print[p + 1] += c * im + s * re;
        }
    }
    state->scale = small(scale);
}

typedef struct sorted_end {
    const track_state *state;
    int64_t path;
} sorted_end;

static int by_print(const void *a, const void *b)
{
    const sorted_end *x = a, *y = b;
    double p = x->state->print[0], q = y->state->print[0];
    if (p != q)
        return p < q ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* Within a limit a thousand times what their errors are believed to be, since estimates are no bounds; singular ends are known
 * less well than regular ones, and may lie farther apart. */
static double tolerance(const track_state *a, const track_state *b)
{
    bool singular = a->code == PLUMB_PATH_SINGULAR || b->code == PLUMB_PATH_SINGULAR;
    double relative = fmin(fmax(LEAST, 1e3 * ((double)a->error + (double)b->error)), singular ? MOST_SINGULAR : MOST);
    return relative * fmax(fmax((double)a->scale, (double)b->scale), DBL_MIN);
}

static bool same(const track_state *a, const track_state *b)
{
    double most = tolerance(a, b);
    for (int p = 0; p < TRACK_PRINTS; p++)
        if (!(fabs(a->print[p] - b->print[p]) <= most))
            return false;
    return true;
}

static int64_t root(int64_t *parent, int64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Puts ends that are the same into one tree each. An end is compared with those after it until one is found that it agrees with;
 * the window is as wide as the coarsest tolerance there is for an end of its size. */
static void join(const sorted_end *ends, int64_t count, int64_t *parent)
{
    double widest = MOST;
    for (int64_t i = 0; i < count; i++)
        if (ends[i].state->code == PLUMB_PATH_SINGULAR)
            widest = fmin(fmax(widest, 2e3 * (double)ends[i].state->error), MOST_SINGULAR);
    for (int64_t i = 0; i < count; i++) {
        const track_state *a = ends[i].state;
        double window = 2 * widest * fmax((double)a->scale, DBL_MIN);
        for (int64_t j = i + 1; j < count && ends[j].state->print[0] - a->print[0] <= window; j++) {
            if (!same(a, ends[j].state))
                continue;
            parent[root(parent, j)] = root(parent, i);
            break;
        }
    }
}

bool track_same_ends(const track_state *states, int64_t count, int32_t *m, int32_t *regular)
{
    int64_t arrived = 0;
    size_t room = (size_t)count + 1;
    sorted_end *ends = malloc(room * sizeof *ends);
    int64_t *parent = malloc(room * sizeof *parent);
    int32_t *all = calloc(room, sizeof *all), *good = calloc(room, sizeof *good);
    bool done = ends != NULL && parent != NULL && all != NULL && good != NULL;
    memset(m, 0, (size_t)count * sizeof *m);
    memset(regular, 0, (size_t)count * sizeof *regular);
    for (int64_t k = 0; done && k < count; k++)
        if (track_arrived(&states[k])) {
            parent[arrived] = arrived;
            ends[arrived++] = (sorted_end){&states[k], k};
        }
    if (done) {
        qsort(ends, (size_t)arrived, sizeof *ends, by_print);
        join(ends, arrived, parent);
        for (int64_t i = 0; i < arrived; i++) {
            int64_t r = root(parent, i);
            all[r]++;
            good[r] += ends[i].state->code == PLUMB_PATH_SUCCESS;
        }
        for (int64_t i = 0; i < arrived; i++) {
            m[ends[i].path] = all[root(parent, i)];
            regular[ends[i].path] = ends[i].state->code == PLUMB_PATH_SUCCESS ? good[root(parent, i)] : 0;
        }
    }
    free(ends);
    free(parent);
    free(all);
    free(good);
    return done;
}
