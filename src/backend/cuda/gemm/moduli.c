/* moduli.c - see moduli.h. */
#include "backend/cuda/gemm/moduli.h"

#include <math.h>
#include <string.h>

/* From 256 down, each number that is coprime to those before it. */
static const int32_t moduli_list[GEMM_MODULI] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223,
                                                 217, 211, 199, 197, 193, 191, 181, 179, 173, 167, 163,
                                                 157, 151, 149, 139, 137, 131, 127, 113, 109, 107, 103};

int32_t gemm_modulus_number(int32_t t)
{
    return moduli_list[t];
}

int32_t gemm_moduli_for(int64_t terms, int32_t parts)
{
    const int32_t *m = moduli_list;
    /* Sums of pieces of two factors have twice as many terms in qd; the rounding of the sum of logarithms needs far less than 0.5. */
    double bits = 2.0 * GEMM_BITS + 2.0 + 0.5 + log2((double)terms) + (parts == PLUMB_COMPLEX ? 1.0 : 0.0);
    for (int32_t t = 0; t < GEMM_MODULI; t++) {
        bits -= log2(m[t]);
        if (bits < 0.0)
            return t + 1;
    }
    return 0;
}

gemm_modulus gemm_modulus_of(int32_t t, int32_t limbs)
{
    const uint32_t m = (uint32_t)moduli_list[t];
    gemm_modulus g = {.m = (float)m, .inverse = 1.0F / (float)m};
    const int32_t pieces = GEMM_PIECES(limbs), bytes = 4 * GEMM_WORDS(limbs), each = GEMM_BITS / 8;
    for (int32_t q = 0; q < pieces; q++) { /* piece 0 is the leading one and has all bytes from its first one on */
        const int32_t first = 1 + (pieces - 1 - q) * each, last = q == 0 ? bytes : first + each;
        uint32_t power = 1;
        for (int32_t b = first; b < last; b++) {
            g.weight[q][b / 4] |= power << (b % 4 * 8);
            power = 256 * power % m;
        }
        if (q == 0)
            g.negative = (m - power) % m;
    }
    return g;
}

/* Numbers of 32-bit words, the lowest first. */
enum { WORDS = 10 };

static void multiply(uint32_t *a, uint32_t by)
{
    uint64_t carry = 0;
    for (int k = 0; k < WORDS; k++) {
        carry += (uint64_t)a[k] * by;
        a[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static uint32_t divide(uint32_t *a, uint32_t by) /* returns the remainder */
{
    uint64_t rest = 0;
    for (int k = WORDS - 1; k >= 0; k--) {
        rest = rest << 32 | a[k];
        a[k] = (uint32_t)(rest / by);
        rest %= by;
    }
    return (uint32_t)rest;
}

/* The digits of a number as doubles; returns its value, rounded. */
static double digits(const uint32_t *a, double *digit)
{
    double value = 0.0;
    for (int k = GEMM_DIGITS - 1; k >= 0; k--) {
        uint64_t d = 0;
        for (int bit = GEMM_DIGIT_BITS - 1; bit >= 0; bit--) {
            const int at = k * GEMM_DIGIT_BITS + bit;
            d = 2 * d + (a[at / 32] >> at % 32 & 1);
        }
        digit[k] = (double)d;
        value = value * ldexp(1.0, GEMM_DIGIT_BITS) + digit[k];
    }
    return value;
}

void gemm_combine_tables(gemm_combine_job *job, int32_t moduli)
{
    const int32_t *m = moduli_list;
    uint32_t whole[WORDS] = {1};
    for (int32_t t = 0; t < moduli; t++)
        multiply(whole, (uint32_t)m[t]);
    const double size = digits(whole, job->digit[0]);
    job->digit[0][GEMM_DIGITS] = 1.0;
    job->moduli = moduli;
    for (int32_t t = 0; t < moduli; t++) {
        uint32_t one[WORDS], rest[WORDS];
        memcpy(one, whole, sizeof one);
        divide(one, (uint32_t)m[t]); /* the product of the others */
        memcpy(rest, one, sizeof rest);
        const uint32_t r = divide(rest, (uint32_t)m[t]);
        uint32_t inverse = 1;
        while (inverse * r % (uint32_t)m[t] != 1)
            inverse++;
        multiply(one, inverse);
        job->digit[1 + t][GEMM_DIGITS] = digits(one, job->digit[1 + t]) / size;
    }
}
