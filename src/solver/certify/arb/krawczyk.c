/* krawczyk.c - proves that the system has exactly one zero in a box around a point.
 *
 * With a point z, any matrix Y and radii r, let X be the box of all z + d with |Re d_i| <= r_i and |Im d_i| <= r_i. Let
 * b_i bound the moduli of the real and imaginary part of (Y g(z))_i, and let t_ij bound |Re| + |Im| of entry (i, j) of I - Y A for all
 * matrices A in an interval matrix that contains the Jacobian on X. If b_i + sum over j of t_ij r_j < r_i for every i, then
 * g has exactly one zero in X, it is in the interior, and the Jacobian there is regular. This is Krawczyk's test for the
 * real and imaginary parts as 2n real unknowns; docs/certification.md has the proof. All bounds are mag_t, which Arb rounds
 * up, and the last comparison is exact.
 *
 * Only that comparison proves anything. Which z, Y and r are tried is a matter of success, not of correctness. */
#include <math.h>

#include "solver/certify/arb/arb.h"

enum {
    MOST_STEPS = 100,
    MOST_BOXES = 6,
    HOPELESS = 20
}; /* the last: a box that grows by this many bits never contracts */

/* ---- The Jacobian as doubles -------------------------------------------------------------------------------------- */

/* The exponent of the larger part of the centre of an entry; SLONG_MIN if it is zero or out of all range. */
static slong exponent_of(const acb_t z)
{
    const slong re = arf_abs_bound_lt_2exp_si(arb_midref(acb_realref(z)));
    const slong im = arf_abs_bound_lt_2exp_si(arb_midref(acb_imagref(z)));
    return re > im ? re : im;
}

/* Finds exponents of rows and columns such that the largest entry of each is about 1. False if one is zero or if exponents
 * are absurd. */
static bool scale(balls_worker *w, balls_box *box)
{
    const slong n = box->n, far = WORD(1) << 40;
    for (slong i = 0; i < n; i++)
        box->row[i] = box->col[i] = 0;
    for (int sweep = 0; sweep < 3; sweep++) {
        for (int rows = 1; rows >= 0; rows--)
            for (slong i = 0; i < n; i++) {
                slong most = WORD_MIN;
                for (slong k = 0; k < n; k++) {
                    const slong r = rows ? i : k, c = rows ? k : i, e = exponent_of(acb_mat_entry(w->j, r, c));
                    if (e > -far && e < far && e - box->row[r] - box->col[c] > most)
                        most = e - box->row[r] - box->col[c];
                }
                if (most == WORD_MIN)
                    return false;
                *(rows ? &box->row[i] : &box->col[i]) += most;
            }
    }
    return true;
}

static void get_limbs(const arf_t x, slong shift, int32_t prec, double *to, slong stride)
{
    arf_t rest, limb;
    arf_init(rest);
    arf_init(limb);
    arf_mul_2exp_si(rest, x, -shift);
    for (int32_t k = 0; k < prec; k++) {
        const double d = arf_get_d(rest, ARF_RND_NEAR);
        to[k * stride] = d;
        arf_set_d(limb, d);
        arf_sub(rest, rest, limb, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_clear(rest);
    arf_clear(limb);
}

bool balls_jacobian(balls_worker *w, balls_box *box, int64_t bits, int32_t prec, double *j)
{
    const slong n = box->n, plane = n * n;
    balls_eval(w, box->centre, bits, true);
    if (!scale(w, box))
        return false;
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k < n; k++) {
            acb_srcptr z = acb_mat_entry(w->j, i, k);
            double *to = j + k * n + i;
            const slong shift = box->row[i] + box->col[k];
            get_limbs(arb_midref(acb_realref(z)), shift, prec, to, plane);
            get_limbs(arb_midref(acb_imagref(z)), shift, prec, to + prec * plane, plane);
        }
    return true;
}

/* ---- The inverse -------------------------------------------------------------------------------------------------- */

/* Y = C^-1 Y' R^-1 exactly, where R J' C is the Jacobian with powers of two R and C, and Y' is what the doubles stand for. */
static void set_inverse(balls_worker *w, const balls_box *box, int32_t prec, const double *y)
{
    const slong n = box->n, plane = n * n;
    arf_t limb;
    arf_init(limb);
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k < n; k++) {
            acb_ptr z = acb_mat_entry(w->y, i, k);
            acb_zero(z);
            for (int32_t c = 0; c < 2 * prec; c++) {
                arf_ptr part = arb_midref(c < prec ? acb_realref(z) : acb_imagref(z));
                arf_set_d(limb, y[c * plane + k * n + i]);
                arf_add(part, part, limb, ARF_PREC_EXACT, ARF_RND_DOWN);
            }
            acb_mul_2exp_si(z, z, -box->col[i] - box->row[k]);
        }
    arf_clear(limb);
}

static void subtract_from_identity(acb_mat_t r, slong bits)
{
    const slong n = acb_mat_nrows(r);
    acb_mat_neg(r, r);
    for (slong i = 0; i < n; i++)
        acb_add_ui(acb_mat_entry(r, i, i), acb_mat_entry(r, i, i), 1, bits);
}

/* A bound of the norm of I - Y J for the Jacobian that was evaluated last, in the scaled unknowns. */
static double distance_from_inverse(balls_worker *w, const balls_box *box, slong bits)
{
    const slong n = box->n;
    double largest = 0.0;
    acb_mat_mul(w->r, w->y, w->j, bits);
    subtract_from_identity(w->r, bits);
    for (slong i = 0; i < n; i++) {
        double sum = 0.0;
        for (slong k = 0; k < n; k++) {
            acb_get_mag(w->mag, acb_mat_entry(w->r, i, k));
            mag_mul_2exp_si(w->mag, w->mag, box->col[i] - box->col[k]);
            sum += mag_get_d(w->mag);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

/* ---- Newton's method ---------------------------------------------------------------------------------------------- */

/* w->step = Y g(x) at an exact x. */
static void evaluate_step(balls_worker *w, acb_srcptr x, slong bits)
{
    const slong n = w->system->n;
    balls_eval(w, x, bits, false);
    for (slong i = 0; i < n; i++)
        acb_dot(w->step + i, NULL, 0, acb_mat_entry(w->y, i, 0), 1, w->g, 1, n, bits);
}

static void round_exact(arb_t x, slong bits)
{
    arf_set_round(arb_midref(x), arb_midref(x), bits, ARF_RND_NEAR);
    mag_zero(arb_radref(x));
}

/* least = what is negligible for unknown i. */
static void negligible(mag_t least, const balls_box *box, slong i, slong bits)
{
    mag_set_ui_2exp_si(least, 1, -box->col[i] - 2 * bits);
}

/* bound = the last bit of unknown i, which is at x. A coordinate that tends to zero ends where it is negligible. */
static void last_bit(mag_t bound, const balls_box *box, acb_srcptr x, slong i, slong bits)
{
    mag_t least;
    mag_init(least);
    acb_get_mag(bound, x + i);
    mag_mul_2exp_si(bound, bound, 1 - bits);
    negligible(least, box, i, bits);
    mag_max(bound, bound, least);
    mag_clear(least);
}

/* Parts that are negligible become zero: corrections may have made them so small that their exponents cannot be read back. */
static void drop_negligible(balls_worker *w, const balls_box *box, acb_ptr x, slong bits)
{
    for (slong i = 0; i < w->system->n; i++)
        for (int part = 0; part < 2; part++) {
            arb_ptr z = part ? acb_imagref(x + i) : acb_realref(x + i);
            negligible(w->most, box, i, bits);
            arf_get_mag(w->mag, arb_midref(z));
            if (mag_cmp(w->mag, w->most) < 0)
                arb_zero(z);
        }
}

typedef enum balls_progress { PROGRESS_CONVERGED, PROGRESS_NOISE, PROGRESS_AWAY } balls_progress;

/* Corrects x, by real numbers only if it is to stay real, until corrections are as small as their own uncertainty or the last
 * bit. Otherwise returns why they do not decrease by half: because of noise, or because the point is not close to a zero. */
static balls_progress improve(balls_worker *w, const balls_box *box, acb_ptr x, bool real, slong bits)
{
    const slong n = w->system->n;
    balls_progress progress = PROGRESS_AWAY;
    bool noisy = false; /* a correction had fewer than 8 certain bits */
    mag_t before, size, noise, last;
    mag_init(before);
    mag_init(size);
    mag_init(noise);
    mag_init(last);
    mag_inf(before);
    for (slong i = 0; i < n; i++) {
        round_exact(acb_realref(x + i), bits);
        round_exact(acb_imagref(x + i), bits);
        if (real)
            arb_zero(acb_imagref(x + i));
    }
    for (int step = 0; step < MOST_STEPS; step++) {
        bool done = true;
        evaluate_step(w, x, bits);
        mag_zero(size);
        mag_zero(noise);
        for (slong i = 0; i < n; i++) {
            last_bit(last, box, x, i, bits);
            for (int part = 0; part < (real ? 1 : 2); part++) {
                arb_ptr z = part ? acb_imagref(x + i) : acb_realref(x + i);
                arb_srcptr d = part ? acb_imagref(w->step + i) : acb_realref(w->step + i);
                arf_get_mag(w->mag, arb_midref(d));
                mag_add(w->most, last, arb_radref(d));
                done &= mag_cmp(w->mag, w->most) <= 0;
                mag_mul_2exp_si(w->mag, w->mag, box->col[i]);
                mag_max(size, size, w->mag);
                mag_mul_2exp_si(w->mag, arb_radref(d), box->col[i]);
                mag_max(noise, noise, w->mag);
                arf_sub(arb_midref(z), arb_midref(z), arb_midref(d), bits, ARF_RND_NEAR);
            }
        }
        if (done) {
            progress = PROGRESS_CONVERGED;
            break;
        }
        mag_mul_2exp_si(noise, noise, 8);
        const bool in_noise = mag_cmp(size, noise) <= 0;
        noisy |= in_noise;
        mag_mul_2exp_si(w->mag, size, 1);
        if (mag_cmp(w->mag, before) > 0) { /* where unknowns differ much, noise of one may be corrections of another */
            progress = in_noise && step > 0 ? PROGRESS_CONVERGED : PROGRESS_AWAY;
            break;
        }
        mag_set(before, size);
    }
    drop_negligible(w, box, x, bits);
    mag_clear(before);
    mag_clear(size);
    mag_clear(noise);
    mag_clear(last);
    return progress == PROGRESS_AWAY && noisy ? PROGRESS_NOISE : progress;
}

/* ---- The test ----------------------------------------------------------------------------------------------------- */

/* w->bound = b. */
static void find_bounds(balls_worker *w)
{
    for (slong i = 0; i < w->system->n; i++) {
        arb_get_mag(w->bound + i, acb_realref(w->step + i));
        arb_get_mag(w->mag, acb_imagref(w->step + i));
        mag_max(w->bound + i, w->bound + i, w->mag);
    }
}

/* One comparison of the heading, for the box x with the radii w->radius; w->size becomes its left side. */
static bool contracts(balls_worker *w, acb_srcptr x, slong bits)
{
    const slong n = w->system->n;
    bool inside = true;
    balls_eval(w, x, bits, true);
    acb_mat_mul(w->r, w->y, w->j, bits);
    subtract_from_identity(w->r, bits);
    for (slong i = 0; i < n; i++) {
        mag_set(w->size + i, w->bound + i);
        for (slong k = 0; k < n; k++) {
            acb_srcptr z = acb_mat_entry(w->r, i, k);
            arb_get_mag(w->mag, acb_realref(z));
            arb_get_mag(w->most, acb_imagref(z));
            mag_add(w->mag, w->mag, w->most);
            mag_addmul(w->size + i, w->mag, w->radius + k);
        }
        inside &= mag_cmp(w->size + i, w->radius + i) < 0;
    }
    return inside;
}

/* True if the image is far larger than the box, in the scale of the Jacobian: radii of coordinates that are zero begin far below those of
 * the others, and may grow by many bits. */
static bool is_hopeless(balls_worker *w, const balls_box *box)
{
    mag_t image;
    mag_init(image);
    mag_zero(w->most);
    for (slong i = 0; i < w->system->n; i++) {
        mag_mul_2exp_si(w->mag, w->size + i, box->col[i]);
        mag_max(image, image, w->mag);
        mag_mul_2exp_si(w->mag, w->radius + i, box->col[i]);
        mag_max(w->most, w->most, w->mag);
    }
    mag_mul_2exp_si(w->most, w->most, HOPELESS);
    const bool hopeless = mag_cmp(image, w->most) > 0;
    mag_clear(image);
    return hopeless;
}

/* Tries boxes around an exact point: the first is twice as large as the next correction of Newton's method, further ones twice as large
 * as the bound of the image. On success w->x is the box. */
static bool find_box(balls_worker *w, const balls_box *box, acb_srcptr point, slong bits)
{
    const slong n = w->system->n;
    evaluate_step(w, point, bits);
    find_bounds(w);
    for (slong i = 0; i < n; i++) {
        last_bit(w->mag, box, point, i, bits);
        mag_mul_2exp_si(w->mag, w->mag, 1);
        mag_mul_2exp_si(w->radius + i, w->bound + i, 1);
        mag_max(w->radius + i, w->radius + i, w->mag);
    }
    for (slong k = 0; k < MOST_BOXES + n; k++) { /* radii may grow one after the other */
        for (slong i = 0; i < n; i++) {
            acb_set(w->x + i, point + i);
            mag_set(arb_radref(acb_realref(w->x + i)), w->radius + i);
            mag_set(arb_radref(acb_imagref(w->x + i)), w->radius + i);
        }
        if (contracts(w, w->x, bits))
            return true;
        if (is_hopeless(w, box))
            return false;
        for (slong i = 0; i < n; i++) {
            mag_mul_2exp_si(w->mag, w->size + i, 1);
            mag_max(w->radius + i, w->radius + i, w->mag);
        }
    }
    return false;
}

/* ---- Verdicts ----------------------------------------------------------------------------------------------------- */

/* What the proven box shows; is_real: the system has real coefficients, and the centre is real. */
static void judge(const balls_worker *w, const balls_box *box, bool is_real, balls_verdict *verdict)
{
    bool above = true, below = false;
    *verdict = (balls_verdict){.real = is_real ? 1 : 0};
    for (slong i = 0; i < w->system->n; i++) {
        if (!arb_contains_zero(acb_imagref(box->proven + i)))
            verdict->real = -1;
        above &= arb_is_positive(acb_realref(box->proven + i)) != 0;
        below |= arb_is_nonpositive(acb_realref(box->proven + i)) != 0;
    }
    verdict->positive = verdict->real == 1 && above ? 1 : verdict->real == -1 || below ? -1 : 0;
}

/* True if one of the given equations has no zero in the proven box, by the mean value form. */
static bool excludes(balls_worker *w, const balls_box *box, slong bits)
{
    const slong m = w->system->m, n = w->system->n;
    bool excluded = false;
    acb_ptr values = _acb_vec_init(m), centre = _acb_vec_init(n);
    for (slong i = 0; i < n; i++)
        acb_get_mid(centre + i, box->proven + i);
    balls_eval(w, centre, bits, false);
    _acb_vec_set(values, w->f, m);
    balls_eval(w, box->proven, bits, true);
    for (slong i = 0; i < m; i++) {
        for (slong k = 0; k < n; k++) {
            acb_sub(w->t, box->proven + k, centre + k, bits);
            acb_addmul(values + i, acb_mat_entry(w->df, i, k), w->t, bits);
        }
        excluded |= acb_contains_zero(values + i) == 0;
    }
    _acb_vec_clear(values, m);
    _acb_vec_clear(centre, n);
    return excluded;
}

static void keep(balls_worker *w, balls_box *box, acb_srcptr point)
{
    _acb_vec_set(box->centre, point, box->n);
    _acb_vec_set(box->proven, w->x, box->n);
    box->is_proven = true;
}

/* True if the imaginary parts of the point are not larger than what its next correction leaves uncertain. */
static bool may_be_real(balls_worker *w, const balls_box *box, acb_srcptr point, slong bits)
{
    evaluate_step(w, point, bits);
    find_bounds(w);
    for (slong i = 0; i < box->n; i++) {
        last_bit(w->mag, box, point, i, bits);
        mag_add(w->mag, w->mag, w->bound + i);
        mag_mul_2exp_si(w->mag, w->mag, 4);
        if (arf_cmpabs_mag(arb_midref(acb_imagref(point + i)), w->mag) > 0)
            return false;
    }
    return true;
}

/* Why no box could be proven: what to try next. */
static balls_outcome explain(balls_worker *w, const balls_box *box, balls_progress progress, slong bits)
{
    const double good = 0.25;
    balls_eval(w, box->centre, bits, true);
    if (distance_from_inverse(w, box, bits) < good) /* the inverse is good, and the Jacobian is certain */
        return progress == PROGRESS_AWAY ? BALLS_AWAY : BALLS_BITS;
    acb_mat_get_mid(w->j, w->j);
    return distance_from_inverse(w, box, bits) < good ? BALLS_BITS : BALLS_INVERSE;
}

/* Looks for a box around a real point beside this one: the zero in it is real. The point without its imaginary parts may do, or a better
 * one beside it. */
static bool prove_real(balls_worker *w, balls_box *box, acb_srcptr point, slong bits)
{
    acb_ptr real_point = _acb_vec_init(box->n);
    for (slong i = 0; i < box->n; i++)
        acb_set_arb(real_point + i, acb_realref(point + i));
    bool proven = find_box(w, box, real_point, bits);
    if (!proven && improve(w, box, real_point, true, bits) == PROGRESS_CONVERGED)
        proven = find_box(w, box, real_point, bits);
    if (proven)
        keep(w, box, real_point);
    _acb_vec_clear(real_point, box->n);
    return proven;
}

/* A point whose imaginary parts are larger than what is uncertain about them may still belong to a real zero: coordinates that
 * are zero are never certain. So a box that contains real points is tried as a real one, too. */
balls_outcome balls_prove(balls_worker *w, balls_box *box, int64_t bits, int32_t prec, const double *y,
                          balls_verdict *verdict)
{
    acb_ptr point = _acb_vec_init(box->n);
    set_inverse(w, box, prec, y);
    _acb_vec_set(point, box->centre, box->n);
    const balls_progress progress = improve(w, box, point, false, bits);
    const bool converged = progress == PROGRESS_CONVERGED;
    bool is_real = converged && w->system->real && may_be_real(w, box, point, bits) && prove_real(w, box, point, bits);
    bool proven = is_real;
    if (converged && !is_real && find_box(w, box, point, bits)) {
        proven = true;
        keep(w, box, point);
        judge(w, box, false, verdict);
        is_real = w->system->real && verdict->real == 0 && prove_real(w, box, point, bits);
    }
    if (proven) {
        judge(w, box, is_real, verdict);
        verdict->excluded = w->system->square != NULL && excludes(w, box, bits);
    }
    const balls_outcome outcome = proven ? BALLS_PROVEN : explain(w, box, progress, bits);
    _acb_vec_clear(point, box->n);
    return outcome;
}
