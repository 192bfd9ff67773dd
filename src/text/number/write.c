/* write.c - converts limbs to decimals exactly.
 *
 * The reals that read back to given limbs form an interval: a real rounds to the limbs l0, l1, ... if it lies within
 * half a gap of l0, of l0 + l1, and so on. The endpoints of the interval are integers in the units of fixed.h. The
 * shortest decimal is a multiple of the largest power of ten that has a multiple in the interval, and that power is
 * where the digits of the two ends first differ (Steele and White, 1990, by strings instead of digit by digit). Among
 * those multiples, the one nearest to the value is written.
 *
 * The sum of canonical limbs lies in their interval with one exception: it is exactly halfway between two doubles,
 * and the leading limb is the odd one of them. Numbers next to the halfway point read as such limbs, but the sum
 * itself does not. It is then an open endpoint of the interval, and the nearest decimal inside is written. */
#include <math.h>
#include <string.h>

#include "text/number/fixed.h"
#include "text/number/quick.h"
#include "text/number/write.h"

enum {
    WRITE_DIGITS = 1400,   /* the most a sum of doubles can have (309 before the point, 1,074 after), and some */
    POSITIONAL_LEAST = -5, /* 0.00001 */
    POSITIONAL_LIMIT = 21  /* 1e21 */
};

static const double LOG10_2 = 0.30102999566398120;

/* A positive decimal: 0.digits * 10^point. */
typedef struct decimal {
    char digits[WRITE_DIGITS + 16];
    long count, point;
} decimal;

typedef struct interval {
    mpz_t low, high;
    bool low_open, high_open;
} interval;

/* Whether to round up when only keep digits are kept; something not zero follows them all when sticky. Ties to even. */
static bool tail_rounds_up(const decimal *d, long keep, bool sticky)
{
    if (keep >= d->count || d->digits[keep] != '5')
        return keep < d->count && d->digits[keep] > '5';
    for (long i = keep + 1; i < d->count && !sticky; i++)
        sticky = d->digits[i] != '0';
    bool odd = keep > 0 && (d->digits[keep - 1] & 1) != 0; /* '0' is even */
    return sticky || odd;
}

static void cut(decimal *d, long keep, bool up)
{
    if (keep < d->count)
        d->count = keep;
    if (!up)
        return;
    long i = d->count;
    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
    } else { /* 999 became 1000; the last 0 is dropped */
        d->digits[0] = '1';
        d->count = d->count > 0 ? d->count : 1;
        d->point++;
    }
}

/* Removes leading zeros, and trailing ones unless a fixed number of digits is wanted. */
static void trim(decimal *d, bool at_end)
{
    long zeros = 0;
    while (zeros < d->count - 1 && d->digits[zeros] == '0')
        zeros++;
    memmove(d->digits, d->digits + zeros, (size_t)(d->count - zeros));
    d->count -= zeros;
    d->point -= zeros;
    while (at_end && d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* Writes the digits of n >= 0 to text and returns their number. mpz_get_str would allocate memory. */
static long put_integer(const mpz_t n, char *text)
{
    enum { CHUNK = 19 };
    const mp_limb_t power = UINT64_C(10000000000000000000); /* 10^CHUNK */
    mp_limb_t rest[FIXED_LIMBS];
    mp_size_t size = (mp_size_t)mpz_size(n);
    char reversed[WRITE_DIGITS + 16 + CHUNK];
    long count = 0;
    memcpy(rest, mpz_limbs_read(n), (size_t)size * sizeof *rest);
    while (size > 0) {
        mp_limb_t chunk = mpn_divrem_1(rest, 0, rest, size, power);
        while (size > 0 && rest[size - 1] == 0)
            size--;
        for (int k = 0; k < CHUNK && (size > 0 || chunk > 0); k++, chunk /= 10)
            reversed[count++] = (char)('0' + chunk % 10);
    }
    if (count == 0)
        reversed[count++] = '0';
    for (long k = 0; k < count; k++)
        text[k] = reversed[count - 1 - k];
    return count;
}

/* Sets d to n * 10^exponent, with at least width digits. */
static void set_decimal(decimal *d, const mpz_t n, long width, long exponent)
{
    char text[WRITE_DIGITS + 16 + 19];
    long length = put_integer(n, text), zeros = width > length ? width - length : 0;
    memset(d->digits, '0', (size_t)zeros);
    memcpy(d->digits + zeros, text, (size_t)length);
    d->count = zeros + length;
    d->point = d->count + exponent;
}

/* Narrows the interval to the reals that round to limb at this stage; sum is the sum of the limbs up to and including
 * it. */
static void narrow(interval *range, const mpz_t sum, double limb, bool first, mpz_t end)
{
    fixed_double f = plumb_fixed_split(limb);
    mp_bitcnt_t outward = f.shift - 1, inward = outward; /* logarithms of the half gaps away from zero and towards it */
    if (f.mantissa == (uint64_t)1 << 52 && f.shift > 2)
        inward--;
    bool open = (f.mantissa & 1) != 0;
    for (int side = 0; side < 2; side++) {
        bool upper = side == 1;
        mpz_set_ui(end, 1);
        mpz_mul_2exp(end, end, upper != f.negative ? outward : inward);
        if (upper)
            mpz_add(end, sum, end);
        else
            mpz_sub(end, sum, end);
        int order = first ? (upper ? -1 : 1) : mpz_cmp(end, upper ? range->high : range->low);
        bool tighter = upper ? order < 0 : order > 0;
        bool *is_open = upper ? &range->high_open : &range->low_open;
        if (tighter)
            mpz_set(upper ? range->high : range->low, end);
        if (tighter || (order == 0 && open))
            *is_open = open;
    }
}

/* Finds the shortest decimal in the interval that is nearest to x, which lies in the interval or is one of its
 * endpoints. */
static void shortest(decimal *d, const mpz_t x, const interval *range, mpz_t q, mpz_t scratch)
{
    mpz_sub(q, range->high, range->low);
    /* Choose an exponent with at least a hundred multiples of 10^exponent in the interval, so that the endpoints
     * differ before their last digit. */
    long exponent = (long)floor(((double)mpz_sizeinbase(q, 2) - 1 - FIXED_UNIT) * LOG10_2) - 2;

    decimal below, above; /* the last multiple before the interval, the last one in it */
    bool inexact = plumb_fixed_over_power10(q, range->high, exponent, scratch);
    if (range->high_open && !inexact)
        mpz_sub_ui(q, q, 1);
    set_decimal(&above, q, 0, exponent);
    inexact = plumb_fixed_over_power10(q, range->low, exponent, scratch);
    if (!range->low_open && !inexact)
        mpz_sub_ui(q, q, 1);
    set_decimal(&below, q, above.count, exponent);
    bool sticky = plumb_fixed_over_power10(q, x, exponent, scratch);
    if (range->high_open && !sticky && mpz_cmp(x, range->high) == 0) {
        mpz_sub_ui(q, q, 1); /* the whole interval lies below x */
        sticky = true;
    }
    set_decimal(d, q, above.count, exponent);

    long keep = 0;
    while (above.digits[keep] == below.digits[keep])
        keep++;
    keep++;
    bool down_is_in = memcmp(d->digits, below.digits, (size_t)keep) != 0;
    bool up_is_in = memcmp(d->digits, above.digits, (size_t)keep) != 0;
    bool up = down_is_in && up_is_in ? tail_rounds_up(d, keep, sticky) : up_is_in;
    cut(d, keep, up);
    trim(d, true);
}

static void significant(decimal *d, const mpz_t x, int32_t digits, mpz_t q, mpz_t scratch)
{
    long place = (long)floor(((double)mpz_sizeinbase(x, 2) - 1 - FIXED_UNIT) *
                             LOG10_2); /* the place of the first digit, or one less */
    long exponent =
        place - digits < -FIXED_DECIMALS ? -FIXED_DECIMALS : place - digits; /* all digits below these are 0 */
    bool sticky = plumb_fixed_over_power10(q, x, exponent, scratch);
    set_decimal(d, q, 0, exponent);
    cut(d, digits, tail_rounds_up(d, digits, sticky));
    trim(d, false);
}

static void put_digits(text_out *out, const decimal *d, long from, long to)
{
    for (long i = from; i < to; i++)
        plumb_out_char(out, i >= 0 && i < d->count ? d->digits[i] : '0');
}

/* Writes d with at least `least` significant digits, padded with zeros. */
static void lay_out(text_out *out, const decimal *d, long least)
{
    long count = d->count > least ? d->count : least, exponent = d->point - 1;
    if (exponent >= POSITIONAL_LEAST && exponent < POSITIONAL_LIMIT && (least == 0 || exponent < least)) {
        put_digits(out, d, exponent < 0 ? exponent : 0, exponent + 1);
        if (count > d->point) {
            plumb_out_char(out, '.');
            put_digits(out, d, exponent + 1, count);
        }
        return;
    }
    put_digits(out, d, 0, 1);
    if (count > 1) {
        plumb_out_char(out, '.');
        put_digits(out, d, 1, count);
    }
    plumb_out_char(out, 'e');
    if (exponent < 0)
        plumb_out_char(out, '-');
    char text[24];
    int n = 0;
    for (long e = exponent < 0 ? -exponent : exponent; e > 0 || n == 0; e /= 10)
        text[n++] = (char)('0' + e % 10);
    while (n > 0)
        plumb_out_char(out, text[--n]);
}

/* Sets range to the reals that read as these limbs. Returns false if there are none. */
static bool readers_of(interval *range, int32_t prec, const double *limbs, mpz_t sum, mpz_t scratch)
{
    mpz_set_ui(sum, 0);
    for (int32_t i = 0; i < prec; i++) {
        plumb_fixed_add(sum, limbs[i], scratch);
        narrow(range, sum, limbs[i], i == 0, scratch);
    }
    return mpz_cmp(range->low, range->high) < 0;
}

/* Writes x > 0, the sum of the limbs. Returns false if it is out of range and thus has no shortest decimal. */
static bool write_positive(text_out *out, mpz_t x, int32_t prec, double *limbs, int32_t digits)
{
    decimal d;
    interval range = {.low_open = false, .high_open = false};
    mpz_t q, scratch;
    fixed_room rooms[4];
    fixed_init(q, &rooms[0]);
    fixed_init(scratch, &rooms[1]);
    fixed_init(range.low, &rooms[2]);
    fixed_init(range.high, &rooms[3]);
    bool in_range = true;
    if (digits > 0) {
        significant(&d, x, digits, q, scratch);
    } else {
        if (!readers_of(&range, prec, limbs, q, scratch)) { /* not canonical: use the canonical limbs of x */
            mpz_set(scratch, x);
            in_range = plumb_fixed_to_limbs(scratch, false, prec, limbs) && readers_of(&range, prec, limbs, q, scratch);
        }
        if (in_range)
            shortest(&d, x, &range, q, scratch);
    }
    if (in_range)
        lay_out(out, &d, digits);
    return in_range;
}

/* The same for one double, where that is quick. */
static bool out_quick(text_out *out, double x, bool as_term)
{
    decimal d;
    if (!plumb_quick_shortest(fabs(x), d.digits, &d.count, &d.point))
        return false;
    if (as_term)
        plumb_out_string(out, x < 0 ? " - " : " + ");
    else if (x < 0)
        plumb_out_char(out, '-');
    lay_out(out, &d, 0);
    return true;
}

plumb_status plumb_out_real(text_out *out, int32_t prec, const double *limbs, int32_t digits, bool as_term)
{
    if (prec == 1 && digits == 0 && out_quick(out, limbs[0], as_term))
        return PLUMB_OK;
    double special = 0; /* infinite or NaN if a limb is */
    for (int32_t i = 0; i < prec; i++)
        if (!isfinite(limbs[i]))
            special += limbs[i];
    mpz_t x, scratch;
    fixed_room rooms[2];
    fixed_init(x, &rooms[0]);
    fixed_init(scratch, &rooms[1]);
    for (int32_t i = 0; i < prec && special == 0; i++)
        plumb_fixed_add(x, limbs[i], scratch);
    bool zero = special == 0 && mpz_sgn(x) == 0;
    bool negative = zero ? signbit(limbs[0]) != 0 : special < 0 || mpz_sgn(x) < 0;
    if (as_term)
        plumb_out_string(out, negative ? " - " : " + ");
    else if (negative)
        plumb_out_char(out, '-');
    mpz_abs(x, x);
    double modulus[TEXT_MAX_LIMBS];
    for (int32_t i = 0; i < prec; i++)
        modulus[i] = negative ? -limbs[i] : limbs[i];
    bool in_range = true;
    if (special != 0)
        plumb_out_string(out, isnan(special) ? "nan" : "inf");
    else if (zero)
        lay_out(out, &(decimal){.digits = "0", .count = 1, .point = 1}, digits);
    else
        in_range = write_positive(out, x, prec, modulus, digits);
    return in_range ? PLUMB_OK : PLUMB_ERR_RANGE;
}
