/* vector_tmpl.h - operations on the vectors of a path by a team of threads.
 *
 * Entry i of every vector belongs to one thread of the team, so loops over own entries need no barrier. Norms are
 * maxima of leading limbs over real and imaginary parts. Maxima do not depend on the order, so the size of the team
 * does not affect the result. */
#ifndef PLUMB_METHOD_TRACK_VECTOR_TMPL_H
#define PLUMB_METHOD_TRACK_VECTOR_TMPL_H

#define TRACK(name) REAL_JOIN(track_##name##_, PLUMB_PREC)

/* Declares operations whose code is long, on a GPU: it has one copy of each. */
#ifndef TRACK_LANE
#define TRACK_LANE LANE_FN
#endif

/* Loops over the entries of the calling thread: i is the first of a lane, and count, at most LANE_WIDTH, is their
 * number. */
#define TRACK_EACH(i, n) \
    TRACK_ROLLED         \
    for (int64_t i = (int64_t)team_rank(team) * LANE_WIDTH; i < (n); i += (int64_t)team_size(team) * LANE_WIDTH)
#define TRACK_COUNT(i, n) (LANE_WIDTH == 1 || (n) - (i) >= LANE_WIDTH ? LANE_WIDTH : (int)((n) - (i)))

LANE_FN cplx TRACK(get)(track_view v, int64_t column, int64_t i, int count)
{
    return cplx_load(v.p + column * v.col + i, v.plane, count);
}
LANE_FN void TRACK(put)(track_view v, int64_t column, int64_t i, cplx x, int count)
{
    cplx_store(v.p + column * v.col + i, v.plane, x, count);
}

/* Leading limbs alone. Places beyond count are zero, so that they do not count in norms. */
typedef struct track_heads {
    lane re, im;
} track_heads;
LANE_FN lane TRACK(head)(const double *from, int count)
{
    return count == LANE_WIDTH ? lane_load(from) : lane_load_part(from, count, 0.0);
}
LANE_FN track_heads TRACK(heads)(track_view v, int64_t column, int64_t i, int count)
{
    track_heads h;
    h.re = TRACK(head)(v.p + column * v.col + i, count);
    h.im = TRACK(head)(v.p + PLUMB_LIMBS * v.plane + column * v.col + i, count);
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

/* The larger of two numbers, and the larger modulus of the two parts; NaN if one of them is. */
LANE_FN lane TRACK(most_of)(lane a, lane b) { return lane_select(lane_lt(a, b), b, lane_select(lane_eq(b, b), a, b)); }
LANE_FN lane TRACK(size_of)(track_heads h) { return TRACK(most_of)(lane_abs(h.re), lane_abs(h.im)); }

/* The maximum over the places of a lane; infinite if one of them is NaN. */
LANE_FN double TRACK(top)(lane x) { return TRACK(most)(0.0, x, LANE_WIDTH); }

LANE_FN track_heads TRACK(minus)(track_heads a, track_heads b)
{
    a.re = lane_sub(a.re, b.re);
    a.im = lane_sub(a.im, b.im);
    return a;
}
LANE_FN track_heads TRACK(times)(track_heads a, lane by)
{
    a.re = lane_mul(a.re, by);
    a.im = lane_mul(a.im, by);
    return a;
}
LANE_FN track_heads TRACK(heads_of)(cplx x)
{
    track_heads h;
    h.re = real_head(x.re);
    h.im = real_head(x.im);
    return h;
}

/* The square of the modulus of h times a factor. */
LANE_FN lane TRACK(square)(track_heads h, lane by)
{
    h = TRACK(times)(h, by);
    return lane_fma(h.re, h.re, lane_mul(h.im, h.im));
}

/* Coordinates may be tiny near tau = 0, so numbers whose squares would underflow are multiplied by a power of two. */
#define TRACK_TINY 0x1p-480
#define TRACK_UP 0x1p500
#define TRACK_DOWN 0x1p-500
TRACK_LANE lane TRACK(modulus)(track_heads h)
{
    lane_mask tiny = lane_lt(TRACK(size_of)(h), lane_set(TRACK_TINY));
    lane up = lane_select(tiny, lane_set(TRACK_UP), lane_set(1.0)),
         down = lane_select(tiny, lane_set(TRACK_DOWN), lane_set(1.0));
    return lane_mul(lane_sqrt(TRACK(square)(h, up)), down);
}

TRACK_LANE lane TRACK(quotient)(lane a, lane b) { return lane_div(a, b); }

/* Sets p->scale.size, which every thread has computed. */
LANE_FN void TRACK(set_size)(track_team team, track_path *p, double size)
{
    team_sync(team);
    if (team_rank(team) == 0)
        p->scale.size = size;
    team_sync(team);
}

/* Sets X to another column and returns |x|. */
TRACK_PART double TRACK(restore)(track_team team, const track_path *p, track_view v, int64_t from, int64_t n)
{
    double size = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, from, i, count);
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->scale.least_size);
}

#endif
