/* format.c - the public writers: decimal, complex and hexadecimal. */
#include <math.h>

#include "base/call/message.h"
#include "text/number/fixed.h"
#include "text/number/write.h"

void plumb_out_char(text_out *out, char c)
{
    if (out->used < out->size)
        out->buffer[out->used] = c;
    out->used++;
}

void plumb_out_string(text_out *out, const char *s)
{
    while (*s != 0)
        plumb_out_char(out, *s++);
}

static plumb_status finish(text_out *out, plumb_status status, size_t *needed)
{
    plumb_out_char(out, 0);
    if (status == PLUMB_OK && out->used > out->size)
        status = PLUMB_ERR_BUFFER;
    if (needed != NULL)
        *needed = out->used;
    if (status != PLUMB_OK && out->size > 0)
        out->buffer[0] = 0;
    plumb_call_begin();
    return plumb_call_end(status);
}

static bool arguments_fit(int32_t prec, const double *limbs, int32_t digits, const char *buffer, size_t size)
{
    return plumb_prec_name(prec) != NULL && prec <= TEXT_MAX_LIMBS && limbs != NULL && digits >= 0 &&
           (buffer != NULL || size == 0);
}

plumb_status plumb_number_write(int32_t prec, const double *limbs, int32_t digits, char *buffer, size_t size,
                                size_t *needed)
{
    if (!arguments_fit(prec, limbs, digits, buffer, size))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "no such precision, a number of digits below 0, or a NULL pointer");
    text_out out = {.buffer = buffer, .size = size};
    plumb_status status = plumb_out_real(&out, prec, limbs, digits, false);
    return finish(&out, status, needed);
}

plumb_status plumb_complex_write(int32_t prec, const double *re, const double *im, int32_t digits, char *buffer,
                                 size_t size, size_t *needed)
{
    if (!arguments_fit(prec, re, digits, buffer, size) || im == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "no such precision, a number of digits below 0, or a NULL pointer");
    text_out out = {.buffer = buffer, .size = size};
    plumb_out_char(&out, '(');
    plumb_status status = plumb_out_real(&out, prec, re, digits, false);
    if (status == PLUMB_OK)
        status = plumb_out_real(&out, prec, im, digits, true);
    plumb_out_string(&out, "*i)");
    return finish(&out, status, needed);
}

/* Like %a, but the same on every machine and in every locale; the leading digit is 1 for subnormal numbers, too. */
static void out_hex(text_out *out, double x)
{
    if (isnan(x)) {
        plumb_out_string(out, "nan");
        return;
    }
    if (signbit(x))
        plumb_out_char(out, '-');
    if (isinf(x) || x == 0) {
        plumb_out_string(out, x == 0 ? "0x0p+0" : "inf");
        return;
    }
    fixed_double f = plumb_fixed_split(x);
    int exponent = (int)f.shift - FIXED_UNIT + 52;
    for (; f.mantissa < (uint64_t)1 << 52; f.mantissa <<= 1)
        exponent--;
    plumb_out_string(out, "0x1");
    uint64_t fraction = f.mantissa << 12; /* the 52 bits after the point, moved to the top */
    if (fraction != 0)
        plumb_out_char(out, '.');
    for (; fraction != 0; fraction <<= 4)
        plumb_out_char(out, "0123456789abcdef"[fraction >> 60]);
    plumb_out_string(out, exponent < 0 ? "p-" : "p+");
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    for (unsigned scale = size >= 1000 ? 1000 : size >= 100 ? 100 : size >= 10 ? 10 : 1; scale > 0; scale /= 10)
        plumb_out_char(out, (char)('0' + size / scale % 10));
}

plumb_status plumb_number_write_hex(int32_t prec, const double *limbs, char *buffer, size_t size, size_t *needed)
{
    if (!arguments_fit(prec, limbs, 0, buffer, size))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "no such precision, a number of digits below 0, or a NULL pointer");
    text_out out = {.buffer = buffer, .size = size};
    for (int32_t i = 0; i < prec; i++) {
        plumb_out_char(&out, i == 0 ? '[' : ',');
        out_hex(&out, limbs[i]);
    }
    plumb_out_char(&out, ']');
    return finish(&out, PLUMB_OK, needed);
}
