/* vector_tmpl.h - operations on the vectors of a path by a team of threads.
 *
 * Entry i of every vector belongs to one thread of the team, so loops over own entries need no barrier. Norms are
 * maxima of leading limbs over real and imaginary parts. Maxima do not depend on the order, so the size of the team
 * does not affect the result. */
#ifndef PLUMB_METHOD_TRACK_VECTOR_TMPL_H
#define PLUMB_METHOD_TRACK_VECTOR_TMPL_H

#define TRACK(name) REAL_JOIN(track_##name##_, PLUMB_PREC)

/* Loops over the entries of the calling thread: i is the first of a lane, and count, at most LANE_WIDTH, is their
 * number. */
#define TRACK_EACH(i, n) \
    for (int64_t i = (int64_t)team_rank(team) * LANE_WIDTH; i < (n); i += (int64_t)team_size(team) * LANE_WIDTH)
#define TRACK_COUNT(i, n) ((n) - (i) < LANE_WIDTH ? (int)((n) - (i)) : LANE_WIDTH)

LANE_FN cplx TRACK(get)(track_view v, int64_t column, int64_t i, int count)
{
    return cplx_load(v.p + column * v.col + i, v.plane, count);
}
LANE_FN void TRACK(put)(track_view v, int64_t column, int64_t i, cplx x, int count)
{
    cplx_store(v.p + column * v.col + i, v.plane, x, count);
}

/* Leading limbs alone. */
typedef struct track_heads {
    lane re, im;
} track_heads;
LANE_FN track_heads TRACK(heads)(track_view v, int64_t column, int64_t i, int count)
{
    track_heads h;
    h.re = lane_get(v.p + column * v.col + i, count);
    h.im = lane_get(v.p + PLUMB_LIMBS * v.plane + column * v.col + i, count);
    return h;
}

/* An entry of a column, its leading limbs. */
LANE_FN track_c TRACK(entry)(track_view v, int64_t column, int64_t i)
{
    return track_c_of(v.p[column * v.col + i], v.p[PLUMB_LIMBS * v.plane + column * v.col + i]);
}

/* The maximum of so_far and the first count places of x; infinite if one of them is NaN. */
LANE_FN double TRACK(most)(double so_far, lane x, int count)
{
    double part[LANE_WIDTH];
    lane_store(part, x);
    for (int k = 0; k < count; k++)
        so_far = part[k] <= so_far ? so_far : part[k] == part[k] ? part[k] : (double)INFINITY;
    return so_far;
}
LANE_FN double TRACK(most_size)(double so_far, cplx x, int count) { return TRACK(most)(so_far, cplx_size(x), count); }
/* The same for moduli, which do not change when a number is rotated. */
LANE_FN double TRACK(most_modulus)(double so_far, cplx x, int count)
{
    lane re = real_head(x.re), im = real_head(x.im);
    return TRACK(most)(so_far, lane_sqrt(lane_fma(re, re, lane_mul(im, im))), count);
}
LANE_FN double TRACK(most_heads)(double so_far, track_heads h, int count)
{
    return TRACK(most)(TRACK(most)(so_far, lane_abs(h.re), count), lane_abs(h.im), count);
}

LANE_FN lane TRACK(larger)(lane a, lane b) { return lane_select(lane_lt(a, b), b, a); }

/* Coordinates may be tiny near tau = 0, so numbers whose squares would underflow are multiplied by a power of two. */
LANE_FN lane TRACK(modulus)(track_heads h)
{
    lane_mask tiny = lane_lt(TRACK(larger)(lane_abs(h.re), lane_abs(h.im)), lane_set(0x1p-480));
    lane up = lane_select(tiny, lane_set(0x1p500), lane_set(1.0)),
         down = lane_select(tiny, lane_set(0x1p-500), lane_set(1.0));
    lane re = lane_mul(h.re, up), im = lane_mul(h.im, up);
    return lane_mul(lane_sqrt(lane_fma(re, re, lane_mul(im, im))), down);
}

/* Sets X to another column and returns |x|. */
LANE_FN double TRACK(restore)(track_team team, const track_path *p, track_view v, int64_t from, int64_t n)
{
    double size = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, from, i, count);
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->least_size);
}

#endif
