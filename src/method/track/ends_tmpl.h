/* ends_tmpl.h - start points (before the first tick), the linear system (in each tick) and endpoints (after the last
 * tick). */

TRACK_PART void TRACK(begin)(track_team team, const track_settings *s, track_path *p, int64_t number, track_view v,
                             track_view start, const double *patch)
{
    const int64_t n = s->unknowns, shift = s->projective ? 1 : 0;
    const track_path fresh = {0};
    cplx share = cplx_make(real_set(1.0), real_set(0.0));
    *p = fresh;
    p->number = number;
    p->prec = p->wants = p->most_prec = PLUMB_LIMBS;
    p->mean_error = -1.0;
    p->resume = p->swell = p->excess = 1.0;
    track_tau_set(p->tau, 1.0);
    track_new_trial(p, TRACK_STARTS, 1);
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
    p->size = p->weighed = team_max(team, size);
    team_sync(team);
}

/* The largest entries of row i of both Jacobians in columns first, first + step, ... */
typedef struct TRACK(row_heads) {
    double g, f;
} TRACK(row_heads);

LANE_FN TRACK(row_heads)
    TRACK(look_along)(const track_settings *s, track_view jacobians, int64_t i, int64_t first, int64_t step)
{
    TRACK(row_heads) most = {0.0, 0.0};
    for (int64_t j = first; j < s->unknowns; j += step) {
        most.g = TRACK(most_heads)(most.g, TRACK(heads)(jacobians, j, i, 1), 1);
        most.f = TRACK(most_heads)(most.f, TRACK(heads)(jacobians, j, s->equations + i, 1), 1);
    }
    return most;
}

/* In the first tick, makes row i of r: a random direction with the size that the terms of the row can have, the
 * weighted row of both Jacobians times |x|. At later points the terms may be larger; the factor, in this row or those
 * before it, is returned. Smaller values prove nothing, because derivatives can be small where terms cancel. */
TRACK_PART double TRACK(weigh_row)(const track_settings *s, const track_path *p, int64_t i, TRACK(row_heads) most,
                                   double *scale, double swell)
{
    const double gamma = track_c_abs(track_c_of(s->gamma[0], s->gamma[1]));
    const double of_g = p->solves == 0 ? gamma : gamma * track_tau_abs(p->tau);
    const double of_f = p->solves == 0 ? 1.0 : track_c_abs(track_c_of(1.0 - p->tau[0], p->tau[2]));
    double size = (most.g * of_g + most.f * of_f) * p->size;
    if (p->solves == 0) {
        track_c r = track_c_scale(track_direction(s->seed, p->number, i), size);
        scale[2 * i] = r.re;
        scale[2 * i + 1] = r.im;
        return swell;
    }
    double re = fabs(scale[2 * i]), im = fabs(scale[2 * i + 1]);
    double expected = (re > im ? re : im) * track_growth(s, p, track_degree(s, i));
    return size > swell * expected ? size / expected : swell;
}

TRACK_PART void TRACK(weigh_rows)(track_team team, const track_settings *s, track_path *p, track_view jacobians,
                                  double *scale)
{
    double swell = 1.0;
    for (int64_t i = team_rank(team); i < s->equations; i += team_size(team))
        swell = TRACK(weigh_row)(s, p, i, TRACK(look_along)(s, jacobians, i, 0, 1), scale, swell);
    p->swell = team_max(team, swell);
}

LANE_FN real TRACK(tau_part)(const double *part) { return real_add_d(real_set(part[0]), lane_set(part[1])); }

/* The weights of g and f at p->tau, gamma tau and 1 - tau; and track_half. */
typedef struct TRACK(shares) {
    cplx g, f;
    double half;
} TRACK(shares);

LANE_FN TRACK(shares) TRACK(shares_at)(const track_settings *s, const track_path *p)
{
    const cplx gamma = cplx_make(real_set(s->gamma[0]), real_set(s->gamma[1]));
    const cplx tau = cplx_make(TRACK(tau_part)(p->tau), TRACK(tau_part)(p->tau + 2));
    TRACK(shares) of;
    of.g = cplx_mul(gamma, tau);
    of.f = cplx_make(real_sub(real_set(1.0), tau.re), real_neg(tau.im));
    of.half = track_half(s, p);
    return of;
}

/* The levels of rows i, i + 1, ... */
LANE_FN lane TRACK(levels)(const track_settings *s, double half, int64_t i, int count)
{
    double level[LANE_WIDTH];
    for (int k = 0; k < LANE_WIDTH; k++)
        level[k] = k < count ? track_level(s, half, i + k) : 1.0;
    return lane_load(level);
}

/* Combines the matrix. Its entries are independent, so any number of threads can be used. */
TRACK_PART void TRACK(combine_jacobians)(track_team team, const track_settings *s, TRACK(shares) of,
                                         track_view jacobians, track_view a)
{
    const int64_t m = s->equations, chunks = (m + LANE_WIDTH - 1) / LANE_WIDTH;
    for (int64_t k = team_rank(team); k < chunks * s->unknowns; k += team_size(team)) {
        int64_t j = k / chunks, i = k % chunks * LANE_WIDTH;
        int count = TRACK_COUNT(i, m);
        cplx g = TRACK(get)(jacobians, j, i, count), f = TRACK(get)(jacobians, j, m + i, count);
        const lane level = TRACK(levels)(s, of.half, i, count);
        TRACK(put)(a, j, i, cplx_shift(cplx_fma(of.f, f, cplx_product(of.g, g)), level), count);
    }
}

/* Combines the right-hand sides and computes the size of h. */
TRACK_PART void TRACK(combine_values)(track_team team, const track_settings *s, track_path *p, TRACK(shares) of,
                                      track_view values, const double *scale, track_view b)
{
    const int64_t m = s->equations;
    const cplx gamma = cplx_make(real_set(s->gamma[0]), real_set(s->gamma[1]));
    double residual = 0.0, backward = 0.0;
    for (int64_t i = team_rank(team); i < m; i += team_size(team)) {
        cplx g = TRACK(get)(values, 0, i, 1), f = TRACK(get)(values, 0, m + i, 1);
        cplx h = cplx_fma(of.f, f, cplx_product(of.g, g));
        const double growth = track_growth(s, p, track_degree(s, i)), r_re = scale[2 * i] * growth;
        const double r_im = scale[2 * i + 1] * growth, level = track_level(s, of.half, i);
        double size = TRACK(most_size)(0.0, h, 1), over = fabs(r_re) > fabs(r_im) ? fabs(r_re) : fabs(r_im);
        residual = size > residual ? size : residual;
        if (over > 0.0 && size > backward * over)
            backward = size / over;
        TRACK(put)(b, 0, i, cplx_shift(cplx_neg(h), lane_set(level)), 1);
        TRACK(put)(b, 1, i, cplx_shift(cplx_sub(f, cplx_product(gamma, g)), lane_set(level)), 1);
        TRACK(put)(b, 2, i, cplx_make(real_set(level * r_re), real_set(level * r_im)), 1);
    }
    p->residual = team_max(team, residual);
    p->backward = team_max(team, backward);
}

TRACK_PART void TRACK(combine)(track_team team, const track_settings *s, track_path *p, track_view values,
                               track_view jacobians, double *scale, track_view a, track_view b)
{
    const TRACK(shares) of = TRACK(shares_at)(s, p);
    if (p->corrections == 0)
        TRACK(weigh_rows)(team, s, p, jacobians, scale);
    TRACK(combine_jacobians)(team, s, of, jacobians, a);
    TRACK(combine_values)(team, s, p, of, values, scale, b);
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
    TRACK(divide)(team, s, v, TRACK_POINT + p->newest, s->projective ? 0 : -1, end);
}

TRACK_PART void TRACK(finish)(track_team team, const track_settings *s, const track_path *p, track_view v,
                              track_view end)
{
    const int64_t n = s->unknowns, shift = s->projective ? 1 : 0;
    int64_t by = shift ? 0 : -1;
    double most = -1.0;
    team_sync(team);
    for (int64_t i = shift; i < n && p->code == PLUMB_PATH_AT_INFINITY;
         i++) { /* a direction: divide by the largest entry */
        double re = fabs(v.p[i]), im = fabs(v.p[PLUMB_LIMBS * v.plane + i]), size = re > im ? re : im;
        if (size > most) {
            most = size;
            by = i;
        }
    }
    TRACK(divide)(team, s, v, TRACK_X, by, end);
}
