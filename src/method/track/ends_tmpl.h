/* ends_tmpl.h - start points (before the first tick), the linear system (in each tick) and endpoints (after the last
 * tick). */

TRACK_PART void TRACK(begin)(track_team team, const track_settings *s, track_path *p, int64_t number, track_view v,
                             track_view start, const double *patch)
{
    const int64_t n = s->unknowns, shift = s->projective ? 1 : 0;
    cplx share = cplx_make(real_set(1.0), real_set(0.0));
    if (team_rank(team) == 0)
        track_begin(s, p, number, PLUMB_LIMBS);
    if (s->projective) { /* (1, x) / p.(1, x); every thread computes the whole sum, in order */
        cplx sum = cplx_make(real_set(patch[0]), real_set(patch[1]));
        for (int64_t i = 1; i < n; i++)
            sum = cplx_fma(cplx_make(real_set(patch[2 * i]), real_set(patch[2 * i + 1])),
                           cplx_spread(start.p + i - 1, start.plane), sum);
        share = cplx_inv(sum);
    }
    TRACK_EACH(i, n)
    for (int64_t column = 0; column < TRACK_VECTORS; column++)
        TRACK(put)(v, column, i, cplx_make(real_set(0.0), real_set(0.0)), TRACK_COUNT(i, n));
    team_sync(team); /* entries move to other threads here, and only here */
    double size = 0.0;
    TRACK_EACH(i, n - shift)
    {
        int count = TRACK_COUNT(i, n - shift);
        cplx x = TRACK(get)(start, 0, i, count);
        x = shift ? cplx_product(x, share) : x;
        TRACK(put)(v, TRACK_X, i + shift, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    if (shift) {
        if (team_rank(team) == 0)
            TRACK(put)(v, TRACK_X, 0, share, 1);
        size = TRACK(most_modulus)(size, share, 1);
    }
    TRACK(set_size)(team, p, track_larger(team_max(team, size), s->projective ? 0.0 : 1.0));
}

LANE_FN real TRACK(tau_part)(const double *part) { return real_add_d(real_set(part[0]), lane_set(part[1])); }

/* The weights of g and f at p->trial.tau, gamma tau and 1 - tau; or those of h and dh/dtau in h, where these are evaluated;
 * their moduli; and tau itself. */
typedef struct TRACK(shares) {
    cplx g, f, tau;
    track_shares_size size;
} TRACK(shares);

LANE_FN TRACK(shares) TRACK(shares_at)(const track_settings *s, const track_path *p)
{
    const cplx gamma = cplx_make(real_set(s->gamma[0]), real_set(s->gamma[1]));
    const cplx tau = cplx_make(TRACK(tau_part)(p->trial.tau), TRACK(tau_part)(p->trial.tau + 2));
    TRACK(shares) of;
    of.tau = tau;
    of.size = track_size_of_shares(s, p);
    if (s->moving) {
        of.g = cplx_make(real_set(1.0), real_set(0.0));
        of.f = cplx_make(real_set(0.0), real_set(0.0));
        return of;
    }
    of.g = cplx_mul(gamma, tau);
    /* 1 - tau in this order has all its digits near tau = 1, too. */
    of.f = cplx_make(real_add_d(real_sub(real_set(1.0), real_set(p->trial.tau[0])), lane_set(-p->trial.tau[1])),
                     real_neg(tau.im));
    return of;
}

/* The size of the terms of row i: computed in the first tick of a trial, and kept. At tau = 0, where all terms of a row
 * may vanish, it is that of the trial before. */
LANE_FN double TRACK(row_size)(const track_settings *s, const track_path *p, const TRACK(shares) * of,
                               const double *sizes, const double *scale, int64_t i)
{
    /* There is always room for the sizes of the rows. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    return p->corrector.corrections == 0 && !track_is_at_end(p) ? track_row_size(s, p, of->size, sizes, i) : scale[i];
}

/* Combines the matrix. Its entries are independent, so any number of threads can be used. levels has the level of each
 * row, and may be NULL where each entry has a thread of its own, which then computes it. */
TRACK_PART void TRACK(combine_jacobians)(track_team team, const track_settings *s, const track_path *p,
                                         TRACK(shares) of, track_view jacobians, const double *sizes,
                                         const double *scale, const double *levels, track_view a)
{
    const int64_t m = s->equations, stride = (int64_t)team_size(team) * LANE_WIDTH;
    int64_t j = 0, i = (int64_t)team_rank(team) * LANE_WIDTH; /* a row of the columns below each other */
    const int64_t rows = (m + LANE_WIDTH - 1) / LANE_WIDTH * LANE_WIDTH;
    TRACK_ROLLED
    for (;; i += stride) {
        for (; i >= rows; i -= rows)
            j++;
        if (j >= s->unknowns)
            return;
        int count = TRACK_COUNT(i, m);
        cplx g = TRACK(get)(jacobians, j, i, count), f = TRACK(get)(jacobians, j, m + i, count);
        const lane level = levels ? lane_get(levels + i, count)
                                  : lane_set(track_level(s, TRACK(row_size)(s, p, &of, sizes, scale, i))); /* one row */
        TRACK(put)(a, j, i, cplx_shift(cplx_fma(of.f, f, cplx_product(of.g, g)), level), count);
    }
}

/* Combines the right-hand sides, computes the size of h, and keeps the sizes of the rows. Row i of r is a random
 * direction with the size of the terms of the row. */
TRACK_PART void TRACK(combine_values)(track_team team, const track_settings *s, track_path *p, TRACK(shares) of,
                                      track_view values, const double *sizes, double *scale, track_view b)
{
    const int64_t m = s->equations;
    const int keeps =
        p->corrector.corrections == 0 && !track_is_at_end(p); /* otherwise other threads may read the sizes */
    double residual = 0.0, backward = 0.0, inverse = 0.0, largest = 0.0, lost = 0.0;
    TRACK_EACH(i, m)
    {
        int count = TRACK_COUNT(i, m);
        cplx g = TRACK(get)(values, 0, i, count), f = TRACK(get)(values, 0, m + i, count);
        if (p->scale.unit != 1.0 && i + count == m) { /* the patch, which is the last equation of both: patch.x - 1 */
            double more[LANE_WIDTH];
            for (int k = 0; k < LANE_WIDTH; k++)
                more[k] = k == count - 1 ? 1.0 - p->scale.unit : 0.0;
            g.re = real_add_d(g.re, lane_load(more));
            f.re = s->moving ? f.re : real_add_d(f.re, lane_load(more));
        }
        cplx g_part = cplx_product(of.g, g), h = cplx_fma(of.f, f, g_part);
        double size[LANE_WIDTH], levels[LANE_WIDTH], re[LANE_WIDTH], im[LANE_WIDTH];
        lane_store(size, cplx_size(h));
        for (int k = 0; k < LANE_WIDTH; k++) {
            levels[k] = re[k] = im[k] = 0.0;
            if (k >= count)
                continue;
            const double over = TRACK(row_size)(s, p, &of, sizes, scale, i + k);
            levels[k] = track_level(s, over);
            const track_c r = track_c_scale(track_direction(s->seed, p->number, i + k), levels[k] * over);
            re[k] = r.re;
            im[k] = r.im;
            if (keeps)
                scale[i + k] = over;
            largest = over > largest ? over : largest;
            lost = over >= TRACK_LOST ? lost : 1.0;
            if (over > 0.0 && over * inverse < 1.0)
                inverse = 1.0 / (over > TRACK_LOST ? over : TRACK_LOST);
            residual = size[k] <= residual ? residual : size[k] == size[k] ? size[k] : (double)INFINITY;
            if (over > 0.0 && !(size[k] <= backward * over))
                backward = size[k] / over;
        }
        const lane level = lane_load(levels);
        TRACK(put)(b, 0, i, cplx_shift(cplx_neg(h), level), count);
        cplx down = cplx_product(of.tau, f); /* -tau dh/dtau */
        down = s->moving ? cplx_neg(down) : cplx_sub(down, g_part);
        TRACK(put)(b, 1, i, cplx_shift(down, level), count);
        TRACK(put)(b, 2, i, cplx_make(real_of(lane_load(re)), real_of(lane_load(im))), count);
    }
    residual = team_max(team, residual);
    backward = team_max(team, backward);
    inverse = team_max(team, inverse);
    largest = team_max(team, largest);
    lost = team_max(team, lost);
    team_sync(team);
    if (team_rank(team) == 0) {
        p->terms.residual = residual;
        p->terms.backward = backward;
        p->terms.largest_inverse = inverse;
        p->terms.largest = largest;
        p->terms.lost = lost > 0.0;
    }
}

TRACK_PART void TRACK(combine)(track_team team, const track_settings *s, track_path *p, track_view values,
                               track_view jacobians, const double *sizes, double *scale, track_view a, track_view b)
{
    const TRACK(shares) of = TRACK(shares_at)(s, p);
    double *levels = scale + s->equations;
    for (int64_t i = 0; i < s->equations; i++)
        levels[i] = track_level(s, TRACK(row_size)(s, p, &of, sizes, scale, i));
    TRACK(combine_jacobians)(team, s, p, of, jacobians, sizes, scale, levels, a);
    TRACK(combine_values)(team, s, p, of, values, sizes, scale, b);
}

/* Writes a column in the given unknowns, divided by unknown `by` unless that is negative. */
TRACK_PART void TRACK(divide)(track_team team, const track_settings *s, track_view v, int64_t column, int64_t by,
                              track_view end)
{
    const int64_t shift = s->projective ? 1 : 0, given = s->unknowns - shift;
    cplx divisor = cplx_make(real_set(1.0), real_set(0.0));
    if (by >= 0)
        divisor = cplx_spread(v.p + column * v.col + by, v.plane);
    TRACK_EACH(i, given)
    {
        cplx x = TRACK(get)(v, column, i + shift, TRACK_COUNT(i, given));
        TRACK(put)(end, 0, i, by >= 0 ? cplx_div(x, divisor) : x, TRACK_COUNT(i, given));
    }
}

/* The newest accepted point in affine coordinates. */
TRACK_PART void TRACK(show)(track_team team, const track_settings *s, const track_path *p, track_view v, track_view end)
{
    team_sync(team);
    TRACK(divide)(team, s, v, TRACK_POINT + p->points.newest, s->projective ? 0 : -1, end);
}

TRACK_PART void TRACK(finish)(track_team team, const track_settings *s, const track_path *p, track_view v,
                              track_view end)
{
    const int64_t n = s->unknowns, shift = s->projective ? 1 : 0;
    int64_t by = shift ? 0 : -1;
    double most = -1.0;
    team_sync(team);
    for (int64_t i = shift; i < n && p->verdict.code == PLUMB_PATH_AT_INFINITY;
         i++) { /* a direction: divide by the largest entry */
        double re = fabs(v.p[i]), im = fabs(v.p[PLUMB_LIMBS * v.plane + i]), size = re > im ? re : im;
        if (size > most) {
            most = size;
            by = i;
        }
    }
    TRACK(divide)(team, s, v, TRACK_X, by, end);
}
