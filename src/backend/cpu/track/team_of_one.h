/* team_of_one.h - the team that works on a path on the CPU (method/track/track_tmpl.h): one thread. */
#ifndef PLUMB_BACKEND_CPU_TRACK_TEAM_OF_ONE_H
#define PLUMB_BACKEND_CPU_TRACK_TEAM_OF_ONE_H

#include "method/track/control.h"

typedef struct track_team {
    int32_t size;
    track_board *board;
} track_team;

static inline __attribute__((unused)) int64_t team_rank(track_team team)
{
    return team.size - 1;
}
static inline __attribute__((unused)) int64_t team_size(track_team team)
{
    return team.size;
}
static inline __attribute__((unused)) double team_max(track_team team, double x)
{
    (void)team;
    return x;
}
static inline __attribute__((unused)) int32_t team_most(track_team team, int32_t x)
{
    (void)team;
    return x;
}
static inline __attribute__((unused)) void team_divide(track_team team, double *a, const double *b, int32_t count)
{
    (void)team;
    for (int32_t k = 0; k < count; k++)
        a[k] /= b[k];
}
static inline __attribute__((unused)) void team_stretch(track_team team, const double *error, const int32_t *order,
                                                        const double *least, const double *most, double *factor)
{
    (void)team;
    for (int32_t k = 0; k < 2; k++)
        factor[k] = track_stretch(error[k], order[k], least[k], most[k]);
}
static inline __attribute__((unused)) int32_t team_agree(track_team team, int32_t x)
{
    (void)team;
    return x;
}
static inline __attribute__((unused)) void team_sync(track_team team)
{
    (void)team;
}
static inline __attribute__((unused)) track_board *team_board(track_team team)
{
    return team.board;
}
static __attribute__((unused)) const track_team alone = {1, NULL};

#endif
