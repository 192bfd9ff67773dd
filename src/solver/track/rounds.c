/* rounds.c - see rounds.h. */
#include "solver/track/rounds.h"

static bool is_beyond(const track_rounds *r, int64_t k)
{
    const track_end *end = track_ends_at(r->ends, k);
    return end->known && end->code == PLUMB_PATH_BEYOND;
}

/* Paths to very large roots that were given up are followed as far as possible in the next round, if they are few. If they are many, a solution set at
 * infinity is near, and most of them have no root to reach. */
static bool are_few_beyond(const track_rounds *r)
{
    const int64_t few = 16, part = r->ends->count / 8;
    int64_t beyond = 0;
    for (int64_t k = 0; k < r->ends->count; k++)
        beyond += is_beyond(r, k);
    return beyond <= (part > few ? part : few);
}

/* Its steps were used up near a singular point: shorter ones do not lead further. */
static bool is_hopeless(const track_end *end)
{
    const double nearly_singular = 1e20;
    return end->code == PLUMB_PATH_TOO_MANY_STEPS && (double)end->condition >= nearly_singular;
}

static bool is_chosen(const track_rounds *r, int64_t k, int32_t rerun, bool hunts)
{
    const track_end *end = track_ends_at(r->ends, k);
    const bool failed =
        end->known && track_code_failed(end->code) && end->code != PLUMB_PATH_UNDECIDED && !is_hopeless(end);
    return rerun == 0 || (end->known && r->groups[k].regular > 1) || (r->retry && failed) || (hunts && is_beyond(r, k));
}

static int64_t choose(const track_rounds *r, int32_t rerun)
{
    const bool hunts = r->hunts && rerun == 1 && are_few_beyond(r);
    int64_t left = 0;
    for (int64_t k = 0; k < r->ends->count; k++) {
        r->todo[k] = is_chosen(r, k, rerun, hunts);
        left += r->todo[k];
    }
    return left;
}

static bool some_are_left(const track_rounds *r)
{
    for (int64_t k = 0; k < r->ends->count; k++)
        if (r->todo[k])
            return true;
    return false;
}

plumb_status track_rounds_run(const track_rounds *r, bool *stopped)
{
    plumb_status status = PLUMB_OK;
    *stopped = false;
    for (int32_t rerun = 0; status == PLUMB_OK && !*stopped; rerun++) {
        if (rerun > 0)
            status = track_ends_group(r->ends, r->groups);
        const int64_t left = status == PLUMB_OK && rerun <= r->reruns ? choose(r, rerun) : 0;
        if (left == 0)
            return status;
        status = r->track(r->data, r->todo, left, rerun);
        *stopped = status == PLUMB_OK && some_are_left(r);
    }
    return status == PLUMB_OK ? track_ends_group(r->ends, r->groups) : status;
}
