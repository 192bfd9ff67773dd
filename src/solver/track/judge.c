/* judge.c - see judge.h. */
#include "solver/track/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "solver/track/local.h"

/* Two regular roots at a relative distance d have condition numbers of at least about 1 / d. */
static const double ONE_ROOT = 0.01;

/* Points that are read and tested at a time. */
enum { BLOCK = 256 };

static void set_undecided(const track_ends *ends, track_group *groups, int64_t k)
{
    track_ends_at(ends, k)->code = PLUMB_PATH_UNDECIDED;
    groups[k] = (track_group){.centre = -1};
}

static plumb_status judge_groups(const track_ends *ends, track_group *groups)
{
    bool *unsure = calloc((size_t)ends->count + 1, sizeof *unsure);
    if (!unsure)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < ends->count; k++) {
        const track_end *e = track_ends_at(ends, k);
        if (groups[k].regular > 1 && !(e->error * fmax(1.0, (double)e->condition) <= ONE_ROOT))
            unsure[groups[k].centre] = true;
    }
    for (int64_t k = 0; k < ends->count; k++)
        if (groups[k].centre >= 0 && (groups[k].doubtful || (groups[k].regular > 1 && unsure[groups[k].centre])))
            set_undecided(ends, groups, k);
    free(unsure);
    return PLUMB_OK;
}

/* ---- Singular points ----------------------------------------------------------------------------------------------- */

/* Singular points in the order of their centres. */
typedef struct singular_point {
    int64_t centre;
    int32_t paths, winding; /* paths that end there; largest winding number among them */
} singular_point;

static bool is_singular(const track_ends *ends, const track_group *groups, int64_t k)
{
    return groups[k].centre >= 0 && track_ends_at(ends, k)->code == PLUMB_PATH_SINGULAR;
}

/* Lists the points; the point whose group has the centre k is list[place[k]]. Members may have left their group as
 * undecided, the centre as well; then the first that is left stands for them. */
static int64_t list_points(const track_ends *ends, const track_group *groups, singular_point *list, int64_t *place)
{
    int64_t count = 0;
    for (int64_t k = 0; k < ends->count; k++)
        place[k] = -1;
    for (int64_t k = 0; k < ends->count; k++) {
        if (!is_singular(ends, groups, k))
            continue;
        const int64_t centre = groups[k].centre;
        if (place[centre] < 0) {
            place[centre] = count;
            list[count++] = (singular_point){.centre = is_singular(ends, groups, centre) ? centre : k};
        }
        singular_point *point = &list[place[centre]];
        const int32_t winding = track_ends_at(ends, k)->winding;
        point->paths++;
        point->winding = winding > point->winding ? winding : point->winding;
    }
    return count;
}

/* Reads and tests some points, at most BLOCK; x has room for them. */
static plumb_status test_block(const track_judge *judge, const track_ends *ends, const singular_point *list,
                               int64_t count, double *x, int32_t *verdict)
{
    plumb_context *context = judge->context;
    local_point points[BLOCK];
    for (int64_t k = 0; k < count; k++) {
        int64_t number = 0;
        double *at = x + k * ends->unknowns * 2 * PLUMB_QD;
        const int32_t paths = list[k].paths > list[k].winding ? list[k].paths : list[k].winding;
        points[k] = (local_point){.x = at, .paths = paths, .error = track_ends_at(ends, list[k].centre)->error};
        if (!ends->read(ends->data, list[k].centre, at, &points[k].prec, &number))
            return plumb_say(PLUMB_ERR_IO, context->message, sizeof context->message, "an endpoint cannot be read");
        points[k].seed = judge->seed * 0x9e3779b97f4a7c15 + 2 * (uint64_t)number;
    }
    plumb_status status = track_local_test(context, judge->homotopy->target, points, count, judge->stop);
    for (int64_t k = 0; k < count; k++)
        verdict[k] = points[k].verdict;
    return status;
}

static plumb_status test_all(const track_judge *judge, const track_ends *ends, const singular_point *list,
                             int64_t count, int32_t *verdict, bool *stopped)
{
    const int64_t block = count < BLOCK ? count : BLOCK;
    double *x = malloc((size_t)(block * ends->unknowns * 2 * PLUMB_QD) * sizeof *x);
    plumb_status status = x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count && status == PLUMB_OK && !*stopped; k += block) {
        status = test_block(judge, ends, list + k, count - k < block ? count - k : block, x, verdict + k);
        *stopped = judge->stop && judge->stop->ask(judge->stop->data);
    }
    free(x);
    return status;
}

static plumb_status judge_singular(const track_judge *judge, const track_ends *ends, track_group *groups)
{
    const size_t room = (size_t)ends->count + 1;
    singular_point *list = calloc(room, sizeof *list);
    int64_t *place = calloc(room, sizeof *place);
    int32_t *verdict = calloc(room, sizeof *verdict);
    bool stopped = false;
    plumb_status status = list && place && verdict ? PLUMB_OK : PLUMB_ERR_MEMORY;
    const int64_t count = status == PLUMB_OK ? list_points(ends, groups, list, place) : 0;
    if (count > 0)
        status = test_all(judge, ends, list, count, verdict, &stopped);
    for (int64_t k = 0; k < ends->count && count > 0 && status == PLUMB_OK && !stopped; k++) {
        if (!is_singular(ends, groups, k))
            continue;
        const int64_t at = place[groups[k].centre];
        const int32_t code = verdict[at];
        if (code == PLUMB_PATH_UNDECIDED || (judge->complete && code == PLUMB_PATH_SINGULAR && list[at].paths < 2))
            set_undecided(ends, groups, k);
        else
            track_ends_at(ends, k)->code = (int8_t)code;
    }
    free(list);
    free(place);
    free(verdict);
    return status;
}

plumb_status track_judge_ends(const track_judge *judge, const track_ends *ends, track_group *groups)
{
    plumb_status status = judge_groups(ends, groups);
    if (status == PLUMB_OK && !judge->skip_local)
        status = judge_singular(judge, ends, groups);
    if (status == PLUMB_ERR_MEMORY)
        status = plumb_say(status, judge->context->message, sizeof judge->context->message, "out of memory");
    return status;
}
