/* ends.c - see ends.h. Sorted by one of their numbers, equal fingerprints lie close together. Fingerprints that agree
 * are joined into clusters, which may contain several points; in each cluster the endpoints are then compared in all
 * their digits, in the order of their errors. */
#include "solver/track/ends.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/modulus.h"
#include "base/number/random.h"
#include "base/number/round.h"

/* Endpoints are the same if they agree within this many times the sum of their errors. The errors of regular endpoints
 * are computed from the endpoint (check.h), those of singular ones are estimates by extrapolation, which are less
 * certain; a distance above MOST_SINGULAR is always a difference. */
static const double REGULAR = 10, SINGULAR = 100, MOST_REGULAR = 1e-4, MOST_SINGULAR = 1e-3;

/* Rounding of fingerprints, relative to the sum of the sizes. */
static const double PRINT_ERROR = 0x1p-44;

/* Fingerprints after a first match that are compared too. Bounded, because thousands of paths may end at one singular
 * point. */
enum { LOOK_FURTHER = 1000 };

static float small(double value)
{
    return value < FLT_MAX ? (float)value : FLT_MAX; /* beyond the range of a float, sizes do not matter */
}

track_end track_end_of(const plumb_path_record *record, const double *x, int64_t n, int64_t unknown, int64_t part,
                       const int32_t *exponent)
{
    const double turn = 6.283185307179586;
    const uint64_t seed = 2013; /* the same weights for every path */
    plumb_random random = plumb_random_start(seed);
    track_end end = {.error = record->component_error,
                     .condition = small(record->condition),
                     .winding = record->winding < INT16_MAX ? (int16_t)record->winding : INT16_MAX,
                     .code = (int8_t)record->code,
                     .known = true};
    double scale = 0;
    for (int64_t i = 0; i < n; i++) {
        const int e = exponent != NULL ? exponent[i] : 0;
        const double re = ldexp(x[i * unknown], -e), im = ldexp(x[i * unknown + part], -e);
        scale += fmax(1.0, plumb_modulus(re, im));
        for (int p = 0; p < TRACK_PRINTS; p += 2) {
            double angle = turn * plumb_random_unit(&random), c = cos(angle), s = sin(angle);
            end.print[p] += c * re - s * im;
            end.print[p + 1] += c * im + s * re;
        }
    }
    end.scale = small(scale);
    return end;
}

/* ---- Clusters of fingerprints -------------------------------------------------------------------------------------- */

/* Endpoints in the order of their first prints. What the comparison of most of them needs is here, and not where they lie: they are far
 * apart in memory. */
typedef struct sorted_end {
    const track_end *end;
    double print; /* the first one of the endpoint */
    double scale;
    int64_t k;
    int64_t cluster; /* first of its cluster, in the order of the prints */
} sorted_end;

typedef struct print_key {
    uint64_t order; /* the larger, the larger the print is */
    int64_t k;
} print_key;

static uint64_t order_of(double x)
{
    uint64_t bits;
    const double value = x + 0.0; /* one zero */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Sorts by print, then by k, which is their order at first: by the digits of the order in base 2^11, the last one first. Comparisons
 * take longer, while all other threads wait. */
static bool sort_keys(print_key **keys, int64_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    print_key *from = *keys, *to = malloc(((size_t)count + 1) * sizeof *to);
    int64_t *place = malloc(DIGITS * sizeof *place);
    const bool good = to != NULL && place != NULL;
    for (int shift = 0; good && shift < 64; shift += BITS) {
        memset(place, 0, DIGITS * sizeof *place);
        for (int64_t i = 0; i < count; i++)
            place[from[i].order >> shift & (DIGITS - 1)]++;
        for (int64_t d = 0, sum = 0, here; d < DIGITS; d++, sum += here) {
            here = place[d];
            place[d] = sum;
        }
        for (int64_t i = 0; i < count; i++)
            to[place[from[i].order >> shift & (DIGITS - 1)]++] = from[i];
        print_key *swap = from;
        from = to;
        to = swap;
    }
    *keys = from; /* the caller frees one of the two, this function the other */
    free(to);
    free(place);
    return good;
}

/* The endpoints that arrived, sorted; to be freed. NULL without memory. */
static sorted_end *sort_by_print(const track_ends *ends, int64_t arrived)
{
    print_key *keys = malloc(((size_t)arrived + 1) * sizeof *keys);
    int64_t count = 0;
    for (int64_t k = 0; keys != NULL && k < ends->count; k++)
        if (track_end_arrived(track_ends_at(ends, k)))
            keys[count++] = (print_key){.order = order_of(track_ends_at(ends, k)->print[0]), .k = k};
    sorted_end *sorted = keys != NULL && sort_keys(&keys, count) ? calloc((size_t)count + 1, sizeof *sorted) : NULL;
    for (int64_t i = 0; sorted != NULL && i < count; i++) {
        const track_end *end = track_ends_at(ends, keys[i].k);
        sorted[i] =
            (sorted_end){.end = end, .print = end->print[0], .scale = (double)end->scale, .k = keys[i].k, .cluster = i};
    }
    free(keys);
    return sorted;
}

/* In a cluster. */
static int by_error(const void *a, const void *b)
{
    const sorted_end *x = a, *y = b;
    if (x->end->error != y->end->error)
        return x->end->error < y->end->error ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

/* Drops the ends that are alone. Puts those of each other cluster side by side, in the order of their errors; the clusters stay in their
 * order. */
static bool sort_by_cluster(sorted_end **ends, int64_t *count)
{
    const sorted_end *from = *ends;
    int64_t *place = calloc((size_t)*count + 1, sizeof *place), left = 0;
    if (place == NULL)
        return false;
    for (int64_t i = 0; i < *count; i++)
        place[from[i].cluster]++;
    for (int64_t c = 0, here; c < *count; c++) {
        here = place[c];
        place[c] = here > 1 ? left : -1;
        left += here > 1 ? here : 0;
    }
    sorted_end *to = calloc((size_t)left + 1, sizeof *to);
    if (to == NULL) {
        free(place);
        return false;
    }
    for (int64_t i = 0; i < *count; i++)
        if (place[from[i].cluster] >= 0)
            to[place[from[i].cluster]++] = from[i];
    for (int64_t i = 0, next; i < left; i = next) {
        next = place[to[i].cluster]; /* where the cluster ends */
        qsort(to + i, (size_t)(next - i), sizeof *to, by_error);
    }
    free(*ends);
    free(place);
    *ends = to;
    *count = left;
    return true;
}

static bool is_regular(const track_end *e)
{
    return e->code == PLUMB_PATH_SUCCESS;
}

static double tolerance(const track_end *a, const track_end *b)
{
    const bool regular = is_regular(a) && is_regular(b);
    return fmin((regular ? REGULAR : SINGULAR) * (a->error + b->error), regular ? MOST_REGULAR : MOST_SINGULAR);
}

/* The difference of prints that endpoints of this distance can have. */
static double window(double scale, double distance)
{
    return (1.5 * distance + PRINT_ERROR) * 2.0 * scale;
}

static bool prints_agree(const track_end *a, const track_end *b)
{
    const double most = window((double)(a->scale > b->scale ? a : b)->scale, tolerance(a, b));
    for (int p = 0; p < TRACK_PRINTS; p++)
        if (!(fabs(a->print[p] - b->print[p]) <= most))
            return false;
    return true;
}

/* The first of the set that i belongs to. */
static int64_t root(sorted_end *ends, int64_t i)
{
    while (ends[i].cluster != i) {
        ends[i].cluster = ends[ends[i].cluster].cluster;
        i = ends[i].cluster;
    }
    return i;
}

/* The window is as wide as the coarsest tolerance there is for an endpoint of that size: the tolerance of the pair at
 * hand says nothing about the pairs behind it. */
static void join(sorted_end *ends, int64_t count, double widest)
{
    for (int64_t i = 0; i < count; i++) {
        const double most = window(ends[i].scale, widest);
        int64_t further = count;
        for (int64_t j = i + 1; j < count && j < further && ends[j].print - ends[i].print <= most; j++) {
            const int64_t s = root(ends, i), t = root(ends, j);
            if (s == t || !prints_agree(ends[i].end, ends[j].end))
                continue;
            ends[s < t ? t : s].cluster = s < t ? s : t;
            further = j + LOOK_FURTHER;
        }
    }
    for (int64_t i = 0; i < count; i++)
        ends[i].cluster = root(ends, i);
}

/* ---- Points of a cluster ------------------------------------------------------------------------------------------- */

/* x - y, rounded once. */
static double difference(const double *x, int32_t x_prec, const double *y, int32_t y_prec)
{
    double term[2 * PLUMB_QD], rounded;
    int count = 0;
    for (int32_t c = 0; c < PLUMB_QD; c++) {
        if (c < x_prec)
            term[count++] = x[c];
        if (c < y_prec)
            term[count++] = -y[c];
    }
    plumb_round_limbs(term, count, &rounded, 1);
    return rounded;
}

double track_ends_distance(const double *x, int32_t x_prec, const double *y, int32_t y_prec, int64_t n)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double *a = x + 2 * i * x_prec, *b = y + 2 * i * y_prec;
        const double size = fmax(1.0, fmax(plumb_modulus(a[0], a[x_prec]), plumb_modulus(b[0], b[y_prec])));
        const double apart =
            plumb_modulus(difference(a, x_prec, b, y_prec), difference(a + x_prec, x_prec, b + y_prec, y_prec)) / size;
        if (!(apart <= most))
            most = apart;
    }
    return most;
}

/* The centres of a cluster with their points. */
typedef struct centre {
    const sorted_end *end;
    double *x;
    int32_t prec;
} centre;

typedef struct centres {
    centre *list;
    int64_t count, room;
} centres;

static bool add_centre(centres *all, const sorted_end *end, const double *x, int32_t prec, int64_t n)
{
    if (all->count == all->room) {
        const int64_t room = 2 * all->room + 8;
        centre *list = realloc(all->list, (size_t)room * sizeof *list);
        if (list == NULL)
            return false;
        all->list = list;
        all->room = room;
    }
    const size_t bytes = (size_t)(2 * n * prec) * sizeof *x;
    double *copy = malloc(bytes);
    if (copy == NULL)
        return false;
    memcpy(copy, x, bytes);
    all->list[all->count++] = (centre){end, copy, prec};
    return true;
}

static void clear_centres(centres *all)
{
    for (int64_t i = 0; i < all->count; i++)
        free(all->list[i].x);
    all->count = 0;
}

/* Finds the nearest centre that an endpoint agrees with, or -1. A second one nearly as close leaves a doubt; and so does
 * a singular endpoint at a regular one, because different paths to a regular endpoint cannot meet. */
static int64_t find_centre(const track_ends *ends, const centres *all, const sorted_end *end, const double *x,
                           int32_t prec, track_group *groups)
{
    double nearest = (double)INFINITY, second = (double)INFINITY;
    int64_t found = -1;
    for (int64_t i = 0; i < all->count; i++) {
        const centre *c = &all->list[i];
        const double apart = track_ends_distance(x, prec, c->x, c->prec, ends->unknowns);
        const double sum = end->end->error + c->end->end->error;
        if (is_regular(end->end) != is_regular(c->end->end)) {
            if (apart <= fmin(REGULAR * sum, MOST_SINGULAR))
                groups[is_regular(end->end) ? c->end->k : end->k].doubtful = true;
        } else if (apart <= tolerance(end->end, c->end->end)) {
            second = apart < nearest ? nearest : fmin(second, apart);
            found = apart < nearest ? i : found;
            nearest = fmin(nearest, apart);
        }
    }
    if (second < 4.0 * nearest)
        groups[end->k].doubtful = true;
    return found;
}

static plumb_status split_cluster(const track_ends *ends, const sorted_end *first, int64_t count, centres *all,
                                  double *x, track_group *groups)
{
    clear_centres(all);
    for (int64_t i = 0; i < count; i++) {
        int64_t at, number;
        int32_t prec = 0;
        if (!ends->read(ends->data, first[i].k, x, &prec, &number))
            return PLUMB_ERR_IO;
        at = find_centre(ends, all, &first[i], x, prec, groups);
        if (at < 0 && !add_centre(all, &first[i], x, prec, ends->unknowns))
            return PLUMB_ERR_MEMORY;
        groups[first[i].k].centre = at < 0 ? first[i].k : all->list[at].end->k;
    }
    return PLUMB_OK;
}

/* ---- All endpoints ------------------------------------------------------------------------------------------------- */

/* Those of the clusters; an endpoint that is alone is counted. */
static void count_groups(const sorted_end *members, int64_t count, track_group *groups)
{
    for (int64_t i = 0; i < count; i++)
        groups[members[i].k].all = 0;
    for (int64_t i = 0; i < count; i++)
        groups[groups[members[i].k].centre].all++;
    for (int64_t i = 0; i < count; i++) {
        track_group *own = &groups[members[i].k];
        own->all = groups[own->centre].all;
        own->regular = is_regular(members[i].end) ? own->all : 0;
    }
}

plumb_status track_ends_group(const track_ends *ends, track_group *groups)
{
    int64_t count = 0;
    double widest = 0.0;
    centres all = {.list = NULL};
    for (int64_t k = 0; k < ends->count; k++) {
        const track_end *end = track_ends_at(ends, k);
        groups[k] = (track_group){.centre = -1};
        if (!track_end_arrived(end))
            continue;
        groups[k] = (track_group){.centre = k, .all = 1, .regular = is_regular(end)};
        widest = fmax(widest, tolerance(end, end));
        count++;
    }
    sorted_end *sorted = sort_by_print(ends, count);
    double *x = malloc((size_t)(ends->unknowns * 2 * PLUMB_QD) * sizeof *x);
    plumb_status status = sorted != NULL && x != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        join(sorted, count, widest);
        status = sort_by_cluster(&sorted, &count) ? PLUMB_OK : PLUMB_ERR_MEMORY;
    }
    for (int64_t i = 0, next; i < count && status == PLUMB_OK; i = next) {
        for (next = i; next < count && sorted[next].cluster == sorted[i].cluster; next++)
            ;
        status = split_cluster(ends, sorted + i, next - i, &all, x, groups);
    }
    if (status == PLUMB_OK)
        count_groups(sorted, count, groups);
    clear_centres(&all);
    free(all.list);
    free(sorted);
    free(x);
    return status;
}
