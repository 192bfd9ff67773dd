/* box.c - points and boxes: exact comparisons, and exact texts.
 *
 * A box is a rectangle in each coordinate: the centre, and one radius for the real and the imaginary part. Centres are
 * dyadic numbers and radii, too, so everything that is said about boxes is said exactly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/certify/arb/arb.h"

static void set_limbs(arb_t to, int32_t prec, const double *limbs)
{
    arf_t limb;
    arf_init(limb);
    arb_zero(to);
    for (int32_t k = 0; k < prec; k++) {
        arf_set_d(limb, limbs[k]);
        arf_add(arb_midref(to), arb_midref(to), limb, ARF_PREC_EXACT, ARF_RND_DOWN); /* exact */
    }
    arf_clear(limb);
}

balls_box *balls_box_create(int64_t unknowns, int32_t prec, const double *x)
{
    balls_box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->n = unknowns;
    box->row = calloc((size_t)unknowns + 1, sizeof *box->row);
    box->col = calloc((size_t)unknowns + 1, sizeof *box->col);
    box->given = _acb_vec_init(unknowns);
    box->centre = _acb_vec_init(unknowns);
    box->proven = _acb_vec_init(unknowns);
    if (!box->row || !box->col) {
        balls_box_destroy(box);
        return NULL;
    }
    for (slong i = 0; i < box->n; i++) {
        set_limbs(acb_realref(box->given + i), prec, x + i * 2 * prec);
        set_limbs(acb_imagref(box->given + i), prec, x + (i * 2 + 1) * prec);
    }
    _acb_vec_set(box->centre, box->given, box->n);
    return box;
}

void balls_box_destroy(balls_box *box)
{
    if (!box)
        return;
    _acb_vec_clear(box->given, box->n);
    _acb_vec_clear(box->centre, box->n);
    _acb_vec_clear(box->proven, box->n);
    free(box->row);
    free(box->col);
    free(box);
}

/* acb_overlaps and acb_contains are exact; boxes that touch overlap. */
balls_relation balls_box_compare(const balls_box *a, const balls_box *b)
{
    bool inside = true, contains = true;
    for (slong i = 0; i < a->n; i++) {
        if (!acb_overlaps(a->proven + i, b->proven + i))
            return BALLS_DISJOINT;
        inside &= acb_contains(b->proven + i, a->proven + i) != 0;
        contains &= acb_contains(a->proven + i, b->proven + i) != 0;
    }
    return inside ? BALLS_INSIDE : contains ? BALLS_CONTAINS : BALLS_OVERLAP;
}

void balls_box_form(const balls_box *box, const double *weight, double *low, double *high)
{
    enum { BITS = 64 };
    arb_t sum, w;
    arf_t end;
    arb_init(sum);
    arb_init(w);
    arf_init(end);
    for (slong i = 0; i < box->n; i++) {
        arb_set_d(w, weight[2 * i]);
        arb_addmul(sum, acb_realref(box->proven + i), w, BITS);
        arb_set_d(w, weight[2 * i + 1]);
        arb_addmul(sum, acb_imagref(box->proven + i), w, BITS);
    }
    arb_get_lbound_arf(end, sum, BITS);
    *low = arf_get_d(end, ARF_RND_FLOOR);
    arb_get_ubound_arf(end, sum, BITS);
    *high = arf_get_d(end, ARF_RND_CEIL);
    arb_clear(sum);
    arb_clear(w);
    arf_clear(end);
}

/* A dyadic number as 0x(mantissa)p(exponent), exactly. */
static char *hexadecimal(const arf_t x)
{
    fmpz_t mantissa, exponent;
    char *text = NULL;
    fmpz_init(mantissa);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(mantissa, exponent, x);
    const int sign = fmpz_sgn(mantissa);
    fmpz_abs(mantissa, mantissa);
    char *digits = fmpz_get_str(NULL, 16, mantissa);
    char *power = fmpz_get_str(NULL, 10, exponent);
    const size_t size = strlen(digits) + strlen(power) + 8;
    text = malloc(size);
    if (text)
        snprintf(text, size, "%s0x%sp%s%s", sign < 0 ? "-" : "", digits, power[0] == '-' ? "" : "+", power);
    flint_free(digits);
    flint_free(power);
    fmpz_clear(mantissa);
    fmpz_clear(exponent);
    return text;
}

char *balls_box_text(const balls_box *box, int64_t unknown, int part)
{
    acb_srcptr z = box->proven + unknown;
    if (part < 2)
        return hexadecimal(arb_midref(part == 0 ? acb_realref(z) : acb_imagref(z)));
    arf_t radius;
    arf_init(radius);
    arf_set_mag(radius, arb_radref(acb_realref(z))); /* exact */
    char *text = hexadecimal(radius);
    arf_clear(radius);
    return text;
}

/* mag_get_d, but never 0 for what is not. */
static double rounded_up(const mag_t x)
{
    const double d = mag_get_d(x);
    return d > 0.0 || mag_is_zero(x) ? d : 4.9406564584124654e-324;
}

double balls_box_radius(const balls_box *box)
{
    double largest = 0.0;
    for (slong i = 0; i < box->n; i++)
        largest = fmax(largest, rounded_up(arb_radref(acb_realref(box->proven + i))));
    return largest;
}

double balls_box_moved(const balls_box *box)
{
    double largest = 0.0;
    arb_t t;
    mag_t far;
    arb_init(t);
    mag_init(far);
    for (slong i = 0; i < box->n; i++)
        for (int part = 0; part < 2; part++) {
            arb_srcptr from = part ? acb_imagref(box->given + i) : acb_realref(box->given + i);
            arb_srcptr to = part ? acb_imagref(box->proven + i) : acb_realref(box->proven + i);
            arf_sub(arb_midref(t), arb_midref(from), arb_midref(to), ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_get_mag(far, arb_midref(t));
            largest = fmax(largest, rounded_up(far));
        }
    arb_clear(t);
    mag_clear(far);
    return largest;
}
