/* track_kernels.c - the ticks of a path for one precision and instruction set; compiled like kernels.c, for complex
 * numbers only. */
/* Vectors of paths are short: with wide lanes most of them would be partly filled. */
#if PLUMB_LIMBS == 2
#define LANE_VECTORS 2
#else
#define LANE_VECTORS 1
#endif

#include "backend/cpu/kernels.h"
#include "backend/cpu/track/team_of_one.h"
#include "method/track/track_tmpl.h"

#include "method/track/arc_tmpl.h"
#include "method/track/eliminate_tmpl.h"

static void begin(const track_settings *s, track_path *p, int64_t number, track_view v, track_view start,
                  const double *patch)
{
    TRACK(begin)(alone, s, p, number, v, start, patch);
}

static void combine(const track_settings *s, track_path *p, track_view values, track_view jacobians,
                    const double *sizes, double *scale, track_view a, track_view b)
{
    TRACK(combine)(alone, s, p, values, jacobians, sizes, scale, a, b);
}

static void decide(const track_settings *s, track_path *p, track_view v, track_view solution, int64_t info)
{
    track_board board;
    const track_team team = {1, &board};
    const TRACK(older) old = TRACK(older_of)(team, s, p, v);
    TRACK(act)(team, s, p, v, solution, &old, TRACK(judge)(team, s, p, v, solution, &old, info), 0);
}

static void act(const track_settings *s, track_path *p, track_view v, track_view solution, int32_t action)
{
    track_board board;
    const track_team team = {1, &board};
    const TRACK(older) old = TRACK(older_of)(team, s, p, v);
    TRACK(act)(team, s, p, v, solution, &old, action, 0);
}

static void show(const track_settings *s, const track_path *p, track_view v, track_view end)
{
    TRACK(show)(alone, s, p, v, end);
}

static void finish(const track_settings *s, const track_path *p, track_view v, track_view end)
{
    TRACK(finish)(alone, s, p, v, end);
}

static void arc(const track_path *p, int64_t count, track_view target, track_view way, const double *bend,
                track_view to)
{
    TRACK(arc)(alone, p, count, target, way, bend, to);
}

#define TABLE_NAME_(prec, isa) plumb_track_cplx_##prec##_##isa
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const track_kernels TABLE;

const track_kernels TABLE = {begin, combine, TRACK(eliminate), decide, act, show, finish, arc};
