/* track_fixture.h - the context shared by the tests of tracking, and their seed, TRACK_SEED, which is printed at the
 * beginning. */
#ifndef PLUMB_SOLVER_TRACK_TRACK_FIXTURE_H
#define PLUMB_SOLVER_TRACK_TRACK_FIXTURE_H

#include "track_cases.h"

static const uint64_t seed = TRACK_SEED;
static plumb_context *context;

static int say_seed_and_make(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    context = track_context(2);
    return 0;
}

static int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

#endif
