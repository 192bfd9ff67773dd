/* ends.c - see ends.h. Sorted by one of its four numbers, equal fingerprints lie close together; those that are the same are joined
 * into sets. */
#include "solver/track/ends.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Endpoints are the same when they agree within a thousand times their estimated errors, since estimates are no bounds; relative to
 * their largest coordinate at least LEAST and at most MOST, which is far less than paths that jumped are off by. Singular endpoints
 * are known less well than regular ones. */
static const double LEAST = 1e-10, MOST = 4e-7, MOST_SINGULAR = 1e-3;

/* Endpoints after a first match that are compared too: each has its own tolerance, so that a later one may match where the first
 * does not. Bounded, because thousands of paths may end at one singular point. */
enum { LOOK_FURTHER = 1000 };

/* Beyond the range of a float sizes do not matter. */
static float small(double value)
{
    return value < FLT_MAX ? (float)value : FLT_MAX;
}

track_end track_end_of(const plumb_path_record *record, const double *x, int64_t n, int64_t unknown, int64_t part,
                       const int32_t *exponent)
{
    const double turn = 6.283185307179586;
    const uint64_t seed = 2013; /* the same weights for every path */
    plumb_random random = plumb_random_start(seed);
    track_end end = {.error = small(record->error), .code = (int8_t)record->code, .known = true};
    double scale = 0;
    for (int64_t i = 0; i < n; i++) {
        const int e = exponent != NULL ? exponent[i] : 0;
        const double re = ldexp(x[i * unknown], -e), im = ldexp(x[i * unknown + part], -e);
        scale = fmax(scale, fmax(fabs(re), fabs(im)));
        for (int p = 0; p < TRACK_PRINTS; p += 2) {
            double angle = turn * plumb_random_unit(&random), c = cos(angle), s = sin(angle);
            end.print[p] += c * re - s * im;
            end.print[p + 1] += c * im + s * re;
        }
    }
    end.scale = small(scale);
    return end;
}

typedef struct sorted_end {
    const track_end *end;
    int64_t path;
} sorted_end;

static int by_print(const void *a, const void *b)
{
    const sorted_end *x = a, *y = b;
    double p = x->end->print[0], q = y->end->print[0];
    if (p != q)
        return p < q ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

static double tolerance(const track_end *a, const track_end *b)
{
    bool singular = a->code == PLUMB_PATH_SINGULAR || b->code == PLUMB_PATH_SINGULAR;
    double relative = fmin(fmax(LEAST, 1e3 * ((double)a->error + (double)b->error)), singular ? MOST_SINGULAR : MOST);
    return relative * fmax(fmax((double)a->scale, (double)b->scale), DBL_MIN);
}

static bool same(const track_end *a, const track_end *b)
{
    double most = tolerance(a, b);
    for (int p = 0; p < TRACK_PRINTS; p++)
        if (!(fabs(a->print[p] - b->print[p]) <= most))
            return false;
    return true;
}

/* The first of the set that i belongs to. */
static int64_t root(int64_t *parent, int64_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Joins endpoints that are the same. The window is as wide as the coarsest tolerance there is for an endpoint of that size: the
 * tolerance of the pair at hand says nothing about the pairs behind it. */
static void join(const sorted_end *ends, int64_t count, int64_t *parent)
{
    double widest = MOST;
    for (int64_t i = 0; i < count; i++)
        if (ends[i].end->code == PLUMB_PATH_SINGULAR)
            widest = fmin(fmax(widest, 2e3 * (double)ends[i].end->error), MOST_SINGULAR);
    for (int64_t i = 0; i < count; i++) {
        const track_end *a = ends[i].end;
        double window = 2 * widest * fmax((double)a->scale, DBL_MIN);
        int64_t further = count;
        for (int64_t j = i + 1; j < count && j < further && ends[j].end->print[0] - a->print[0] <= window; j++) {
            if (root(parent, j) == root(parent, i) || !same(a, ends[j].end))
                continue;
            parent[root(parent, j)] = root(parent, i);
            further = j + LOOK_FURTHER;
        }
    }
}

bool track_same_ends(const track_end *first, size_t stride, int64_t count, int32_t *all, int32_t *regular)
{
    int64_t arrived = 0;
    size_t room = (size_t)count + 1;
    sorted_end *ends = malloc(room * sizeof *ends);
    int64_t *parent = malloc(room * sizeof *parent);
    int32_t *everyone = calloc(room, sizeof *everyone), *good = calloc(room, sizeof *good);
    bool done = ends != NULL && parent != NULL && everyone != NULL && good != NULL;
    memset(all, 0, (size_t)count * sizeof *all);
    memset(regular, 0, (size_t)count * sizeof *regular);
    for (int64_t k = 0; done && k < count; k++) {
        const track_end *end = (const track_end *)(const void *)((const char *)first + (size_t)k * stride);
        if (track_end_arrived(end)) {
            parent[arrived] = arrived;
            ends[arrived++] = (sorted_end){end, k};
        }
    }
    if (done) {
        qsort(ends, (size_t)arrived, sizeof *ends, by_print);
        join(ends, arrived, parent);
        for (int64_t i = 0; i < arrived; i++) {
            int64_t r = root(parent, i);
            everyone[r]++;
            good[r] += ends[i].end->code == PLUMB_PATH_SUCCESS;
        }
        for (int64_t i = 0; i < arrived; i++) {
            all[ends[i].path] = everyone[root(parent, i)];
            regular[ends[i].path] = ends[i].end->code == PLUMB_PATH_SUCCESS ? good[root(parent, i)] : 0;
        }
    }
    free(ends);
    free(parent);
    free(everyone);
    free(good);
    return done;
}
