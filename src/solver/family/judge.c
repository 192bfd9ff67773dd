/* judge.c - which ends of the paths of one target are different solutions; see family.h.
 *
 * Points are compared by the largest difference of an unknown relative to its size, at least 1, as their errors are. Two
 * regular ends within SAME times the sum of their errors are one solution; between that and APART times it, the digits that are
 * known do not decide, and the target is doubtful. Points are kept in the order of a linear form, so that only neighbours
 * are compared: 3,000 paths are no more work per path than 10. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "solver/family/family.h"
#include "solver/track/ends.h"

#define SAME 64.0
#define APART 4096.0
#define NOISE 0x1p-50 /* errors are at least that of a double */

plumb_status plumb_family_points_begin(int64_t paths, int64_t unknowns, int32_t prec, family_points *points)
{
    int64_t numbers;
    const int64_t room = paths + 1;
    *points = (family_points){.room = room, .unknowns = unknowns, .prec = prec};
    if (!size_mul(room, 2 * (int64_t)prec * unknowns, &numbers) ||
        !size_mul(numbers, (int64_t)sizeof(double), &numbers))
        return PLUMB_ERR_SIZE;
    points->x = malloc((size_t)numbers);
    points->record = malloc((size_t)room * sizeof *points->record);
    points->order = malloc((size_t)room * sizeof *points->order);
    points->key = malloc((size_t)room * sizeof *points->key);
    if (points->x && points->record && points->order && points->key)
        return PLUMB_OK;
    plumb_family_points_end(points);
    return PLUMB_ERR_MEMORY;
}

void plumb_family_points_end(family_points *points)
{
    free(points->x);
    free(points->record);
    free(points->order);
    free(points->key);
    *points = (family_points){.count = 0};
}

void plumb_family_points_clear(family_points *points)
{
    points->count = 0;
    points->largest = 0.0;
}

static double error_of(const plumb_path_record *record)
{
    return record->component_error > NOISE ? record->component_error : NOISE;
}

/* A part of an unknown of a point: its first two limbs. sign is that of the imaginary part. */
typedef struct two_limbs {
    double high, low;
} two_limbs;

static two_limbs part_of(const family_points *p, const double *x, int64_t i, int32_t part)
{
    const double *limb = x + part * p->prec * p->unknowns + i;
    return (two_limbs){limb[0], p->prec > 1 ? limb[p->unknowns] : 0.0};
}

/* The distance of x, or with sign -1 of its conjugate, from y. */
static double distance(const family_points *p, const double *x, double sign, const double *y)
{
    double most = 0.0;
    for (int64_t i = 0; i < p->unknowns; i++) {
        const two_limbs a = part_of(p, x, i, 0), b = part_of(p, y, i, 0), c = part_of(p, x, i, 1),
                        d = part_of(p, y, i, 1);
        const double re = (a.high - b.high) + (a.low - b.low), im = (sign * c.high - d.high) + (sign * c.low - d.low);
        const double apart = plumb_modulus(re, im) / fmax(1.0, plumb_modulus(a.high, c.high));
        most = apart > most ? apart : most;
    }
    return most;
}

/* The form of a point, and a bound on how much it differs for points at distance 1. Conjugates have the same one. */
static double key_of(const family_points *p, const double *x, double *reach)
{
    double sum = 0.0;
    *reach = 0.0;
    for (int64_t i = 0; i < p->unknowns; i++) {
        const double weight = 1.0 + fmod(0.6180339887498949 * (double)(i + 1), 1.0);
        sum += weight * x[i];
        *reach += weight * fmax(1.0, plumb_modulus(x[i], x[p->prec * p->unknowns + i]));
    }
    return sum;
}

/* The first place in the order whose key is at least this. */
static int64_t place_of(const family_points *p, double key)
{
    int64_t low = 0, high = p->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (p->key[p->order[middle]] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const double *point_of(const family_points *p, int64_t k)
{
    return p->x + k * 2 * p->prec * p->unknowns;
}

/* The point nearest to x, or to its conjugate, in units of the sum of the two errors, as far as that is at most APART; or -1. */
static int64_t nearest(const family_points *p, const double *x, double sign, double error, double largest,
                       double *apart)
{
    double reach;
    const double key = key_of(p, x, &reach), width = 2.0 * APART * (error + largest) * reach;
    int64_t found = -1;
    *apart = APART;
    for (int64_t i = place_of(p, key - width); i < p->count && p->key[p->order[i]] <= key + width; i++) {
        const int64_t k = p->order[i];
        const double d = distance(p, x, sign, point_of(p, k)) / (error + error_of(&p->record[k]));
        if (d <= *apart) {
            *apart = d;
            found = k;
        }
    }
    return found;
}

static double largest_error(const family_points *p)
{
    return p->largest > NOISE ? p->largest : NOISE;
}

/* Adds the point at p->x + count, which is there already. */
static void insert(family_points *p, const plumb_path_record *record)
{
    const int64_t k = p->count;
    double reach;
    p->key[k] = key_of(p, point_of(p, k), &reach);
    const int64_t place = place_of(p, p->key[k]);
    memmove(p->order + place + 1, p->order + place, (size_t)(k - place) * sizeof *p->order);
    p->order[place] = k;
    p->record[k] = *record;
    p->largest = fmax(p->largest, record->component_error);
    p->count++;
}

plumb_status plumb_family_points_room(family_points *points, int64_t room)
{
    int64_t numbers;
    if (room <= points->room)
        return PLUMB_OK;
    if (!size_mul(room, 2 * (int64_t)points->prec * points->unknowns, &numbers) ||
        !size_mul(numbers, (int64_t)sizeof(double), &numbers))
        return PLUMB_ERR_SIZE;
    double *x = realloc(points->x, (size_t)numbers);
    points->x = x ? x : points->x;
    plumb_path_record *record = realloc(points->record, (size_t)room * sizeof *record);
    points->record = record ? record : points->record;
    int64_t *order = realloc(points->order, (size_t)room * sizeof *order);
    points->order = order ? order : points->order;
    double *key = realloc(points->key, (size_t)room * sizeof *key);
    points->key = key ? key : points->key;
    if (!x || !record || !order || !key)
        return PLUMB_ERR_MEMORY;
    points->room = room;
    return PLUMB_OK;
}

int64_t plumb_family_points_find(const family_points *points, const double *x, double error, bool *doubtful)
{
    double apart;
    const double own = error > NOISE ? error : NOISE, most = largest_error(points);
    const int64_t same = nearest(points, x, 1.0, own, own > most ? own : most, &apart);
    *doubtful = same >= 0 && apart > SAME;
    return same >= 0 && apart <= SAME ? same : -1;
}

int64_t plumb_family_points_put(family_points *points, const double *x, const plumb_path_record *record)
{
    const int64_t each = 2 * (int64_t)points->prec * points->unknowns;
    memcpy(points->x + points->count * each, x, (size_t)each * sizeof *x);
    insert(points, record);
    return points->count - 1;
}

void plumb_family_points_add(family_points *points, const plumb_view *ends, const plumb_path_record *records,
                             int64_t first, int64_t paths, family_account *account)
{
    const int64_t n = points->unknowns, before = points->count;
    int64_t *reached = malloc((size_t)(before + 1) * sizeof *reached); /* by how many of these paths each older point */
    double largest = largest_error(points);
    *account = (family_account){.doubtful = !reached};
    for (int64_t k = 0; reached && k < before; k++)
        reached[k] = 0;
    for (int64_t k = first; k < first + paths; k++) {
        const plumb_path_record *record = &records[k];
        if (record->code == PLUMB_PATH_SUCCESS && points->count < points->room) {
            double *x = points->x + points->count * 2 * points->prec * n, apart;
            for (int64_t c = 0; c < 2 * (int64_t)points->prec; c++)
                memcpy(x + c * n, ends->data + k * ends->next + c * ends->plane, (size_t)n * sizeof *x);
            const double error = error_of(record);
            largest = fmax(largest, error);
            const int64_t same = nearest(points, x, 1.0, error, largest, &apart);
            const bool is_same = same >= 0 && apart <= SAME;
            const bool again =
                is_same && (same >= before || !reached || reached[same]++ > 0); /* by two of these paths */
            account->doubtful = account->doubtful || (same >= 0 && !is_same);
            account->regular += !again;
            account->failed += again;
            if (!is_same)
                insert(points, record);
        } else if (record->code == PLUMB_PATH_SINGULAR || record->code == PLUMB_PATH_NOT_ISOLATED) {
            account->singular++;
        } else if (record->code == PLUMB_PATH_AT_INFINITY) {
            account->infinite++;
        } else {
            account->failed++;
            account->stopped += record->code == PLUMB_PATH_STOPPED;
        }
    }
    free(reached);
}

bool plumb_family_points_symmetric(const family_points *points)
{
    const double largest = largest_error(points);
    for (int64_t k = 0; k < points->count; k++) {
        double apart;
        if (nearest(points, point_of(points, k), -1.0, error_of(&points->record[k]), largest, &apart) < 0 ||
            apart > SAME)
            return false;
    }
    return true;
}

bool plumb_family_point_real(const family_points *points, int64_t k)
{
    const double *x = point_of(points, k);
    return distance(points, x, -1.0, x) <= SAME * 2.0 * error_of(&points->record[k]);
}
