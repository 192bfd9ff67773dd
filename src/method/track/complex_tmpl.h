/* complex_tmpl.h - complex numbers in double with one number in each place of a lane: quotients, moduli,
 * logarithms and exponentials.
 *
 * They are the operations of tau.h, in the same order, with selections instead of branches. */
#ifndef PLUMB_METHOD_TRACK_COMPLEX_TMPL_H
#define PLUMB_METHOD_TRACK_COMPLEX_TMPL_H

#include "arith/lane_any.h"

LANE_FN track_heads TRACK(plus)(track_heads a, track_heads b)
{
    a.re = lane_add(a.re, b.re);
    a.im = lane_add(a.im, b.im);
    return a;
}
LANE_FN track_heads TRACK(spread)(track_c z)
{
    track_heads h;
    h.re = lane_set(z.re);
    h.im = lane_set(z.im);
    return h;
}

LANE_FN track_heads TRACK(product_of)(track_heads a, track_heads b) /* track_c_mul */
{
    track_heads x;
    x.re = lane_sub(lane_mul(a.re, b.re), lane_mul(a.im, b.im));
    x.im = lane_add(lane_mul(a.re, b.im), lane_mul(a.im, b.re));
    return x;
}

LANE_FN lane TRACK(modulus_of)(track_heads a) /* track_c_abs */
{
    const lane square = lane_add(lane_mul(a.re, a.re), lane_mul(a.im, a.im)), one = lane_set(1.0);
    const lane_mask tiny = lane_lt(square, lane_set(0x1p-900));
    const lane up = lane_select(tiny, lane_set(0x1p500), one), down = lane_select(tiny, lane_set(0x1p-500), one);
    const lane re = lane_mul(a.re, up), im = lane_mul(a.im, up);
    return lane_mul(lane_sqrt(lane_add(lane_mul(re, re), lane_mul(im, im))), down);
}

LANE_FN track_heads TRACK(quotient_of)(track_heads a, track_heads b) /* track_c_div */
{
    const lane zero = lane_set(0.0), one = lane_set(1.0);
    const lane_mask is_real = lane_eq(b.im, zero);
    const lane square = lane_add(lane_mul(b.re, b.re), lane_mul(b.im, b.im));
    const lane up = lane_select(lane_lt(square, lane_set(0x1p-900)), lane_set(0x1p500), one);
    const lane are = lane_mul(a.re, up), aim = lane_mul(a.im, up), bre = lane_mul(b.re, up), bim = lane_mul(b.im, up);
    const lane over = lane_select(is_real, b.re, lane_add(lane_mul(bre, bre), lane_mul(bim, bim)));
    const lane re = lane_select(is_real, a.re, lane_add(lane_mul(are, bre), lane_mul(aim, bim)));
    const lane im = lane_select(is_real, a.im, lane_sub(lane_mul(aim, bre), lane_mul(are, bim)));
    const lane_mask is_zero = lane_mask_and(lane_mask_and(is_real, lane_eq(a.im, zero)),
                                            lane_mask_and(lane_lt(zero, lane_abs(b.re)), lane_is_finite(b.re)));
    track_heads q;
    q.re = lane_div(re, over);
    q.im = lane_select(is_zero, lane_mul(a.im, b.re), lane_div(im, over));
    return q;
}

LANE_FN lane TRACK(arc_series)(lane x) /* track_arc_series */
{
#define NEXT(at, sum) lane_add(lane_set(at), lane_mul(q, sum))
    const lane q = lane_mul(x, x);
    lane even = NEXT(1.0 / 17.0, lane_set(1.0 / 21.0)), odd = NEXT(1.0 / 19.0, lane_set(1.0 / 23.0));
    even = NEXT(1.0 / 9.0, NEXT(1.0 / 13.0, even));
    odd = NEXT(1.0 / 11.0, NEXT(1.0 / 15.0, odd));
    even = NEXT(1.0, NEXT(1.0 / 5.0, even));
    odd = NEXT(1.0 / 3.0, NEXT(1.0 / 7.0, odd));
    return lane_add(even, lane_mul(x, odd));
#undef NEXT
}

LANE_FN lane TRACK(log_of)(lane s, lane m) /* track_log_of */
{
    const lane one = lane_set(1.0);
    const lane_mask small = lane_mask_and(lane_lt(lane_set(-0.25), s), lane_lt(s, lane_set(0.5)));
    const lane_mask usual = lane_mask_and(lane_lt(lane_set(0x1p-1000), m), lane_lt(m, lane_set(0x1p1000)));
    const lane_int biased =
        lane_int_shr(lane_int_add(lane_to_int(m), lane_int_set(UINT64_C(1) << 51)), 52); /* k + 1023 */
    const lane k = lane_sub(lane_from_int(lane_int_add(biased, lane_int_set(UINT64_C(0x4330000000000000)))),
                            lane_set(0x1p52 + 1023.0));
    const lane down = lane_from_int(lane_int_shl(lane_int_sub(lane_int_set(2046), biased), 52));
    const lane rest = lane_select(small, s, lane_sub(lane_mul(m, down), one));
    const lane whole = lane_select(small, lane_set(0.0), lane_mul(lane_set(0x1.62e42fefa39efp-1), k));
    const lane t = lane_div(rest, lane_add(lane_set(2.0), rest));
    const lane log = lane_add(whole, lane_mul(lane_mul(lane_set(2.0), t), TRACK(arc_series)(lane_mul(t, t))));
    const lane far = lane_select(lane_lt(one, m), lane_set(694.0), lane_set(-694.0));
    return lane_select(small, log, lane_select(usual, log, far));
}

LANE_FN lane TRACK(angle)(lane a, lane b, lane r) /* track_angle */
{
    const lane zero = lane_set(0.0), one = lane_set(1.0);
    const lane_mask right = lane_mask_or(lane_lt(zero, a), lane_eq(a, zero));
    lane t = lane_div(lane_select(right, b, lane_sub(r, a)), lane_select(right, lane_add(r, a), b)),
         times = lane_set(2.0);
    for (int k = 0; k < 7; k++) { /* until times is 256 */
        const lane_mask large = lane_lt(lane_set(0.04), lane_mul(t, t));
        if (lane_bits(large) == 0)
            break;
        const lane half = lane_div(t, lane_add(one, lane_sqrt(lane_add(one, lane_mul(t, t)))));
        t = lane_select(large, half, t);
        times = lane_select(large, lane_mul(times, lane_set(2.0)), times);
    }
    const lane angle = lane_mul(lane_mul(times, t), TRACK(arc_series)(lane_mul(lane_neg(t), t)));
    const lane flat = lane_select(lane_lt(a, zero), lane_set(0x1.921fb54442d18p1), zero);
    return lane_select(lane_eq(b, zero), flat, angle);
}

/* Replaces the values at the places that are marked, by those of a function of one number. */
TRACK_PART void TRACK(repeat)(unsigned marked, track_heads of, track_heads *value, track_c (*function)(track_c))
{
    double re[LANE_WIDTH], im[LANE_WIDTH], of_re[LANE_WIDTH], of_im[LANE_WIDTH];
    lane_store(re, value->re);
    lane_store(im, value->im);
    lane_store(of_re, of.re);
    lane_store(of_im, of.im);
    for (int l = 0; l < LANE_WIDTH; l++)
        if (marked >> l & 1U) {
            const track_c exact = function(track_c_of(of_re[l], of_im[l]));
            re[l] = exact.re;
            im[l] = exact.im;
        }
    value->re = lane_load(re);
    value->im = lane_load(im);
}

TRACK_PART track_heads TRACK(logarithm)(track_heads e) /* track_c_log */
{
    const lane one = lane_set(1.0);
    const lane_mask is_real = lane_mask_and(lane_eq(e.im, lane_set(0.0)), lane_lt(lane_set(-1.0), e.re));
    const lane a = lane_add(one, e.re), m = lane_add(lane_mul(a, a), lane_mul(e.im, e.im));
    const lane_mask usual = lane_mask_and(lane_lt(lane_set(0x1p-900), m), lane_lt(m, lane_set(0x1p900)));
    const lane s = lane_add(lane_mul(e.re, lane_add(lane_set(2.0), e.re)), lane_mul(e.im, e.im));
    const lane log = TRACK(log_of)(lane_select(is_real, e.re, s), lane_select(is_real, a, m));
    track_heads z;
    z.re = lane_select(is_real, log, lane_mul(lane_set(0.5), log));
    z.im = lane_select(is_real, e.im, TRACK(angle)(a, e.im, lane_sqrt(m)));
    const unsigned rare = LANE_ALL & ~lane_bits(lane_mask_or(is_real, usual));
    if (rare != 0)
        TRACK(repeat)(rare, e, &z, track_c_log);
    return z;
}

/* k, the number nearest to x * by, with halves away from zero as far as the rounded product tells. */
LANE_FN lane TRACK(times_in)(lane x, lane by)
{
    const lane zero = lane_set(0.0), magic = lane_set(0x1.8p52);
    const lane_mask negative = lane_lt(x, zero);
    const lane y = lane_add(lane_mul(x, by), lane_select(negative, lane_set(-0.5), lane_set(0.5)));
    const lane k = lane_sub(lane_add(y, magic), magic); /* nearest to y, which has to be towards zero */
    const lane back = lane_select(negative, lane_set(-1.0), lane_set(1.0));
    return lane_add(lane_select(lane_lt(lane_abs(y), lane_abs(k)), lane_sub(k, back), k), zero);
}

#define LESS(at, sum) lane_sub(lane_set(at), lane_mul(q, sum))
#define MORE(at, sum) lane_add(lane_set(at), lane_mul(q, sum))
LANE_FN lane TRACK(exp_less_1)(lane z) /* track_exp_less_1 */
{
    const lane one = lane_set(1.0), k = TRACK(times_in)(z, lane_set(0x1.71547652b82fep0));
    const lane r = lane_sub(lane_sub(z, lane_mul(k, lane_set(0x1.62e42fefa38p-1))),
                            lane_mul(k, lane_set(0x1.ef35793c7673p-45))),
               q = lane_mul(r, r);
    lane odd = MORE(1.0 / 5040.0, MORE(1.0 / 362880.0, MORE(1.0 / 39916800.0, lane_set(1.0 / 6227020800.0))));
    lane even = MORE(1.0 / 720.0, MORE(1.0 / 40320.0, MORE(1.0 / 3628800.0, lane_set(1.0 / 479001600.0))));
    odd = lane_mul(r, MORE(1.0, MORE(1.0 / 6.0, MORE(1.0 / 120.0, odd))));
    even = lane_mul(q, MORE(0.5, MORE(1.0 / 24.0, even)));
    const lane rest = lane_add(odd, even);
    const lane scale = lane_from_int(lane_int_shl(lane_to_int(lane_add(k, lane_set(0x1p52 + 1023.0))), 52));
    return lane_select(lane_eq(k, lane_set(0.0)), rest, lane_add(lane_sub(scale, one), lane_mul(scale, rest)));
}

/* e^z - 1 = g where z is real, otherwise with the sine and the cosine of its imaginary part. */
LANE_FN track_heads TRACK(turn)(lane g, lane angle)
{
    const lane zero = lane_set(0.0), one = lane_set(1.0), k = TRACK(times_in)(angle, lane_set(0x1.45f306dc9c883p-1));
    const lane r = lane_sub(lane_sub(angle, lane_mul(k, lane_set(0x1.921fb544p0))),
                            lane_mul(k, lane_set(0x1.0b4611a626331p-34))),
               q = lane_mul(r, r);
    lane sine = LESS(1.0 / 362880.0, LESS(1.0 / 39916800.0, LESS(1.0 / 6227020800.0, lane_set(1.0 / 1307674368000.0))));
    lane cosine =
        LESS(1.0 / 3628800.0, LESS(1.0 / 479001600.0, LESS(1.0 / 87178291200.0, lane_set(1.0 / 20922789888000.0))));
    sine = lane_sub(r, lane_mul(lane_mul(r, q), LESS(1.0 / 6.0, LESS(1.0 / 120.0, LESS(1.0 / 5040.0, sine)))));
    cosine = lane_mul(lane_neg(q), LESS(0.5, LESS(1.0 / 24.0, LESS(1.0 / 720.0, LESS(1.0 / 40320.0, cosine)))));
    const lane_int quarter = lane_to_int(lane_add(k, lane_set(0x1p52 + 1024.0)));
    const lane_mask odd = lane_lt(zero, lane_from_int(lane_int_shl(lane_int_and(quarter, lane_int_set(1)), 62))),
                    half = lane_lt(zero, lane_from_int(lane_int_shl(lane_int_and(quarter, lane_int_set(2)), 61)));
    const lane whole = lane_add(one, cosine), turned = lane_select(half, sine, lane_neg(sine));
    const lane sine_odd = lane_select(half, lane_neg(whole), whole),
               sine_even = lane_select(half, lane_neg(sine), sine);
    const lane cosine_even = lane_select(half, lane_sub(lane_neg(whole), one), cosine);
    sine = lane_select(odd, sine_odd, sine_even);
    cosine = lane_select(odd, lane_sub(turned, one), cosine_even);
    const lane_mask is_real = lane_eq(angle, zero);
    track_heads z;
    z.re = lane_select(is_real, g, lane_add(lane_mul(g, lane_add(one, cosine)), cosine));
    z.im = lane_select(is_real, angle, lane_add(lane_mul(g, sine), sine));
    return z;
}
#undef LESS
#undef MORE

TRACK_PART track_heads TRACK(exponential)(track_heads z) /* track_c_exp */
{
    const unsigned rare = LANE_ALL & ~lane_bits(lane_lt(TRACK(modulus_of)(z), lane_set(600.0)));
    track_heads e = TRACK(turn)(TRACK(exp_less_1)(z.re), z.im);
    if (rare != 0)
        TRACK(repeat)(rare, z, &e, track_c_exp);
    return e;
}

/* What the pole adds to a polynomial prediction, as TRACK(pole). */
LANE_FN track_heads TRACK(pole_of)(track_heads high, track_heads low)
{
    const lane_mask near = lane_lt(TRACK(modulus_of)(high), lane_mul(lane_set(TRACK_POLE), TRACK(modulus_of)(low)));
    track_heads more = TRACK(quotient_of)(TRACK(product_of)(high, high), TRACK(minus)(low, high));
    more.re = lane_keep(near, more.re);
    more.im = lane_keep(near, more.im);
    return more;
}

#endif
