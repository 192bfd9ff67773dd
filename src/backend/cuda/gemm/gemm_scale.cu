/* gemm_scale.cu - from numbers to residues of scaled integers, and from residues to entries of C; see gpu.h. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum {
    PIECES = GEMM_PIECES(PLUMB_LIMBS),
    WORDS = GEMM_WORDS(PLUMB_LIMBS),
    SUMS = PLUMB_PARTS == 1 ? 1 : 3, /* planes per modulus */
    TERMS = 16 / PLUMB_LIMBS,        /* of a thread: its integers are in registers */
    GROUPS = 32 / TERMS,             /* threads of a warp along a row: they write 32 bytes of it */
    ROWS = GPU_WARP / GROUPS,        /* rows of a block */
    SCALE_THREADS = 128,
    BLOCK_TERMS = SCALE_THREADS / GPU_WARP * 32,
    PIECE_TERMS = 64 /* terms of which a thread finds the largest */
};

GPU_FN uint64_t bits_of(double a)
{
    return (uint64_t)__double_as_longlong(a);
}
GPU_FN int field_of(double a)
{
    return (int)(bits_of(a) >> 52 & 0x7ff);
}

/* Finds the largest exponent field of each row, and counts the entries that are not zero. Neighbouring threads have neighbouring rows. */
static __global__ void NUM_NAME(gemm_sizes)(const __grid_constant__ gemm_scale_job job)
{
    const int64_t i = (int64_t)gpu_block() * gpu_threads() + gpu_thread(), first = (int64_t)gpu_block_y() * PIECE_TERMS;
    if (i >= job.rows)
        return;
    int most = 0, count = 0;
    for (int64_t l = first; l < first + PIECE_TERMS && l < job.terms; l++) {
        const double *x = job.data + i * job.row + l * job.term;
        bool zero = true;
        for (int p = 0; p < PLUMB_PARTS; p++) {
            const double head = x[p * PLUMB_LIMBS * job.plane];
            const int field = field_of(head);
            most = field > most ? field : most;
            zero = zero && head == 0.0;
        }
        count += !zero;
    }
    gpu_raise(job.size + i, most);
    gpu_fetch_add(job.nonzero + i, count);
}

/* The number in `pair`, 64 bits each, += or -= mantissa * 2^shift, without a branch; returns true if bits below the first were lost. */
GPU_FN bool add_limb(uint64_t *pair, uint64_t mantissa, int shift, bool negative)
{
    enum { PAIRS = WORDS / 2 };
    shift = shift < -64 ? -64 : shift;
    const int inside = shift & 63, place = shift >> 6; /* -1 and up */
    const uint64_t low = mantissa << inside, high = mantissa >> 1 >> (63 - inside), sign = negative ? ~UINT64_C(0) : 0;
    uint64_t carry = negative;
    LANE_UNROLL
    for (int w = 0; w < PAIRS; w++) {
        const uint64_t bits = (w == place ? low : w == place + 1 ? high : 0) ^ sign;
        const uint64_t sum = pair[w] + bits, all = sum + carry;
        carry = (uint64_t)(sum < bits) | (uint64_t)(all < sum);
        pair[w] = all;
    }
    return place < 0 && low != 0;
}

/* The integer of a number in a row whose largest exponent field is `most`: rounded to nearest, but for what is below the eight
 * bits that are kept to round. Returns true if it is not exact, or if its second piece is not zero, of which products leave out something. */
GPU_FN bool integer_of(uint32_t *word, const double *x, int64_t plane, int most, bool negate)
{
    bool lost = false;
    uint64_t pair[WORDS / 2];
    LANE_UNROLL
    for (int w = 0; w < WORDS / 2; w++)
        pair[w] = 0;
    LANE_UNROLL
    for (int c = 0; c < PLUMB_LIMBS; c++) {
        const double limb = x[c * plane];
        const uint64_t bits = bits_of(limb), fraction = bits & ((UINT64_C(1) << 52) - 1);
        const int field = field_of(limb);
        const uint64_t mantissa = field ? fraction | UINT64_C(1) << 52 : fraction;
        lost |= add_limb(pair, mantissa, (field ? field : 1) - (most ? most : 1) + PIECES * GEMM_BITS - 45,
                         (bits >> 63 != 0) != negate);
    }
    lost |= (pair[0] & 0xff) != 0;
    uint64_t carry = 0x80;
    LANE_UNROLL
    for (int w = 0; w < WORDS / 2; w++) {
        pair[w] += carry;
        carry = pair[w] < carry;
        word[2 * w] = (uint32_t)pair[w];
        word[2 * w + 1] = (uint32_t)(pair[w] >> 32);
    }
    if (PIECES == 2) /* bytes 1 .. 14 */
        lost |= (pair[0] >> 8 | (pair[1] & ((UINT64_C(1) << 56) - 1))) != 0;
    return lost;
}

/* Numbers below 2^22 as floats, and integral floats of at most 2^22 as integers. */
GPU_FN float float_of(uint32_t x)
{
    return __int_as_float((int)(0x4b000000u | x)) - 8388608.0f;
}
/* x modulo m, between -m/2 and m/2: the quotient is below 2^14 and no odd m has a tie, so that rounding it cannot be wrong. */
GPU_FN float remainder_of(float x, float m, float inverse)
{
    const float quotient = __fmaf_rn(x, inverse, 12582912.0f) - 12582912.0f;
    return __fmaf_rn(-quotient, m, x); /* exact */
}
/* The bytes of four of them. */
GPU_FN uint32_t bytes_of(const float *r)
{
    const uint32_t a = (uint32_t)__float_as_int(r[0] + 12582912.0f), b = (uint32_t)__float_as_int(r[1] + 12582912.0f);
    const uint32_t c = (uint32_t)__float_as_int(r[2] + 12582912.0f), d = (uint32_t)__float_as_int(r[3] + 12582912.0f);
    return gpu_pick_bytes(gpu_pick_bytes(a, b, 0x40), gpu_pick_bytes(c, d, 0x40), 0x5410);
}

/* Tables from the arguments of the kernel to shared memory: threads read them again and again. */
GPU_FN void bring_table(void *to, const void *from, int words)
{
    for (int k = gpu_thread(); k < words; k += gpu_threads())
        ((uint32_t *)to)[k] = ((const uint32_t *)from)[k];
    gpu_sync();
}

GPU_FN void put(int8_t *to, const uint32_t *bytes)
{
#if PLUMB_LIMBS == 2
    *(double *)to = __hiloint2double((int)bytes[1], (int)bytes[0]);
#else
    *(uint32_t *)to = bytes[0];
#endif
}

/* Makes the residues of ROWS rows and BLOCK_TERMS terms. */
static __global__ void __launch_bounds__(SCALE_THREADS)
    NUM_NAME(gemm_residues)(const __grid_constant__ gemm_scale_job job)
{
    gemm_modulus *table = (gemm_modulus *)gpu_shared();
    bring_table(table, job.modulus, job.moduli * (int)(sizeof(gemm_modulus) / 4));
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const int64_t i = (int64_t)gpu_block() * ROWS + lane % ROWS;
    const int64_t first = (int64_t)gpu_block_y() * BLOCK_TERMS + warp * 32 + lane / ROWS * TERMS;
    const int most = i < job.rows ? job.size[i] : 0;
    uint32_t word[PLUMB_PARTS][TERMS][WORDS];
    uint32_t leading[TERMS / 4] = {};
    bool rounded = false;
    LANE_UNROLL
    for (int k = 0; k < TERMS; k++) {
        const bool there = i < job.rows && first + k < job.terms && most < 0x7ff;
        uint32_t top = 0;
        LANE_UNROLL
        for (int p = 0; p < PLUMB_PARTS; p++) {
            LANE_UNROLL
            for (int w = 0; w < WORDS; w++)
                word[p][k][w] = 0x80 >> (w ? 8 : 0);
            if (there) {
                const double *x = job.data + i * job.row + (first + k) * job.term + p * PLUMB_LIMBS * job.plane;
                rounded |= integer_of(word[p][k], x, job.plane, most, p == 1 && job.conjugate);
                const int down = (most ? most : 1) - (field_of(x[0]) ? field_of(x[0]) : 1);
                const uint64_t mantissa = (bits_of(x[0]) & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(field_of(x[0]) != 0)
                                                                                            << 52;
                const uint32_t bits = down < 8 ? (uint32_t)(mantissa >> (46 + down)) : 0;
                top = bits > top ? bits : top;
            }
        }
        leading[k / 4] |= top << (k % 4 * 8);
    }
    int8_t *out = job.out + GEMM_BYTE(i, first, job.ld);
    if (job.checks) {
        put(out + GEMM_PART_ROWS * job.place[0] + (int64_t)job.moduli * SUMS * job.out_next, leading);
        if (i < job.rows && (rounded || most == 0x7ff))
            gpu_raise(job.rounded + i, most == 0x7ff ? GEMM_SPECIAL : 1);
    }
    GPU_ROLLED
    for (int t = 0; t < job.moduli; t++) {
        const float m = table[t].m, inverse = table[t].inverse;
        const uint32_t negative = table[t].negative;
        LANE_UNROLL
        for (int q = 0; q < PIECES; q++) {
            uint32_t weight[WORDS];
            LANE_UNROLL
            for (int w = 0; w < WORDS; w++)
                weight[w] = table[t].weight[q][w];
            uint32_t bytes[SUMS][TERMS / 4];
            LANE_UNROLL
            for (int k = 0; k < TERMS; k += 4) {
                float sum[4] = {};
                LANE_UNROLL
                for (int p = 0; p < PLUMB_PARTS; p++) {
                    float r[4];
                    LANE_UNROLL
                    for (int e = 0; e < 4; e++) {
                        uint32_t x = q == 0 && word[p][k + e][WORDS - 1] >> 31 ? negative : 0;
                        LANE_UNROLL
                        for (int w = 0; w < WORDS; w++)
                            if (WORDS == 4 || (q == 0 ? w >= 3 : w < 4)) /* the others count nothing */
                                x = gpu_dot_bytes(word[p][k + e][w], weight[w], x);
                        r[e] = remainder_of(float_of(x), m, inverse);
                        sum[e] += r[e];
                    }
                    bytes[p][k / 4] = bytes_of(r);
                }
                if (PLUMB_PARTS == 2) {
                    LANE_UNROLL
                    for (int e = 0; e < 4; e++)
                        sum[e] = remainder_of(sum[e], m, inverse);
                    bytes[SUMS - 1][k / 4] = bytes_of(sum);
                }
            }
            LANE_UNROLL
            for (int s = 0; s < SUMS; s++)
                put(out + GEMM_PART_ROWS * job.place[q] + (int64_t)(t * SUMS + s) * job.out_next, bytes[s]);
        }
    }
}

/* The value of digits whose moduli are below 2^53: carries first, then the digits from the top. The sum has a relative error of a few
 * units: later digits are smaller than the last place of what is there already. */
GPU_FN real value_of(double *digit)
{
    const double base = 274877906944.0; /* 2^38 */
    LANE_UNROLL
    for (int d = 0; d < GEMM_DIGITS - 1; d++) {
        const double carry = (digit[d] * (1.0 / base) + 6755399441055744.0) - 6755399441055744.0;
        digit[d] = __fma_rn(-carry, base, digit[d]);
        digit[d + 1] += carry;
    }
    double power = 1.0;
    LANE_UNROLL
    for (int d = 0; d < GEMM_DIGITS; d++) {
        digit[d] *= power; /* exact */
        power *= base;
    }
    real sum = real_of(digit[GEMM_DIGITS - 1]);
    LANE_UNROLL
    for (int d = GEMM_DIGITS - 2; d >= 0; d--)
        sum = real_add_d(sum, digit[d]);
    return sum;
}

GPU_FN double power_of_two(int e) /* from -1022 to 1023 */
{
    return __hiloint2double((e + 1023) << 20, 0);
}

GPU_FN real scaled(real x, int e)
{
    e = e < -2044 ? -2044 : e;
    const int half = e / 2;
    return real_scale(real_scale(x, power_of_two(half)), power_of_two(e - half));
}

/* Adds residue r of a modulus to the digits of a number; behind the digits, how often they exceed the product of the moduli. */
GPU_FN void add_residue(double *digit, int r, const double *of)
{
    const double x = (double)r;
    LANE_UNROLL
    for (int d = 0; d <= GEMM_DIGITS; d++)
        digit[d] = __fma_rn(x, of[d], digit[d]); /* the digits are exact: below 2^53 */
}

GPU_FN real number_of(const double *whole, double *digit)
{
    const double times = (digit[GEMM_DIGITS] + 6755399441055744.0) - 6755399441055744.0;
    LANE_UNROLL
    for (int d = 0; d < GEMM_DIGITS; d++)
        digit[d] = __fma_rn(-times, whole[d], digit[d]); /* exact */
    return value_of(digit);
}

GPU_FN int byte_at(uint32_t bytes, int e)
{
    return (int8_t)(bytes >> 8 * e);
}
GPU_FN uint32_t bytes_at(const int8_t *p)
{
#if PLUMB_PARTS == 1
    return *(const uint32_t *)p;
#else
    return *(const uint16_t *)p;
#endif
}

/* A thread has EACH neighbouring rows of a column. */
enum { EACH = PLUMB_PARTS == 1 ? 4 : 2, COMBINE_THREADS = 128, AHEAD = 4 };

static __global__ void __launch_bounds__(COMBINE_THREADS)
    NUM_NAME(gemm_combine)(const __grid_constant__ gemm_combine_job job)
{
    double(*table)[GEMM_DIGITS + 1] = (double(*)[GEMM_DIGITS + 1]) gpu_shared();
    bring_table(table, job.digit, (job.moduli + 1) * (GEMM_DIGITS + 1) * 2);
    const int64_t first = ((int64_t)gpu_block() * gpu_threads() + gpu_thread()) * EACH, j = gpu_block_y();
    const int64_t left = job.rows - first;
    uint32_t again = left > 0 ? bytes_at(job.again + j * job.ld + first) : 0;
    if (left < EACH && left > 0)
        again &= (1u << 8 * left) - 1;
    if (gpu_any(again != 0) && again)
        gpu_fetch_add(job.count, __popc(again)); /* bytes are 0 or 1 */
    if (left <= 0)
        return;
    real part[PLUMB_PARTS][EACH];
    LANE_UNROLL
    for (int p = 0; p < PLUMB_PARTS; p++)
        LANE_UNROLL
    for (int e = 0; e < EACH; e++)
        part[p][e] = real_set(0.0);
    GPU_ROLLED
    for (int q = PIECES - 1; q >= 0; q--) { /* in qd first the products of different pieces */
        double digit[PLUMB_PARTS][EACH][GEMM_DIGITS + 1] = {};
        const int8_t *from = job.from + j * job.ld + first + (int64_t)q * job.moduli * SUMS * job.next;
        GPU_ROLLED
        for (int t = 0; t < job.moduli; t += AHEAD) { /* what is read for some moduli is on its way at the same time */
            uint32_t bytes[AHEAD][SUMS];
            LANE_UNROLL
            for (int k = 0; k < AHEAD; k++)
                LANE_UNROLL
            for (int s = 0; s < SUMS; s++) {
                const int at = t + k < job.moduli ? t + k : t;
                bytes[k][s] = bytes_at(from + (int64_t)(at * SUMS + s) * job.next);
            }
            LANE_UNROLL
            for (int k = 0; k < AHEAD; k++) {
                if (t + k >= job.moduli)
                    break;
                double of[GEMM_DIGITS + 1];
                LANE_UNROLL
                for (int d = 0; d <= GEMM_DIGITS; d++)
                    of[d] = table[1 + t + k][d];
#if PLUMB_PARTS == 1
                LANE_UNROLL
                for (int e = 0; e < EACH; e++)
                    add_residue(digit[0][e], byte_at(bytes[k][0], e), of);
#else
                LANE_UNROLL
                for (int e = 0; e < EACH; e++) {
                    const int x = byte_at(bytes[k][0], e), y = byte_at(bytes[k][1], e);
                    add_residue(digit[0][e], x - y, of);
                    add_residue(digit[1][e], byte_at(bytes[k][2], e) - x - y, of);
                }
#endif
            }
        }
        LANE_UNROLL
        for (int p = 0; p < PLUMB_PARTS; p++)
            LANE_UNROLL
        for (int e = 0; e < EACH; e++) {
            const real x = number_of(table[0], digit[p][e]);
            part[p][e] = q == PIECES - 1 ? x : real_add(x, real_scale(part[p][e], power_of_two(-GEMM_BITS)));
        }
    }
    const int col = job.col_size[j] ? job.col_size[j] : 1; /* subnormal numbers count as the smallest normal ones */
    LANE_UNROLL
    for (int e = 0; e < EACH; e++) {
        if (e >= left || (again >> 8 * e & 0xff) != 0)
            continue;
        const int64_t i = first + e;
        const int row = job.row_size[i] ? job.row_size[i] : 1, power = row + col - 2 * 1022 - 2 * GEMM_BITS;
#if PLUMB_PARTS == 1
        num s = scaled(part[0][e], power);
#else
        num s = cplx_make(scaled(part[0][e], power), scaled(part[1][e], power));
#endif
        double *c = job.c + j * job.c_col + i;
        if (job.has_alpha)
            s = num_mul(num_load(job.alpha, 1, 1), s);
        if (!job.fresh) {
            num old = num_load(c, job.c_plane, 1);
            if (job.has_beta)
                old = num_mul(num_load(job.beta, 1, 1), old);
            s = num_add(old, s);
        }
        num_store(c, job.c_plane, s, 1);
    }
}

static plumb_status said(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a product failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gemm_sizes)(const gemm_scale_job *given, void *stream, char *message,
                                                        size_t size)
{
    gemm_scale_job job = *given;
    void *arguments[] = {&job};
    const dim3 grid((unsigned)((job.rows + 127) / 128), (unsigned)((job.terms + PIECE_TERMS - 1) / PIECE_TERMS));
    return said(
        cudaLaunchKernel((const void *)NUM_NAME(gemm_sizes), grid, dim3(128), arguments, 0, (cudaStream_t)stream),
        message, size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gemm_residues)(const gemm_scale_job *given, void *stream, char *message,
                                                           size_t size)
{
    gemm_scale_job job = *given;
    void *arguments[] = {&job};
    const dim3 grid((unsigned)(job.rows_padded / ROWS), (unsigned)(job.terms_padded / BLOCK_TERMS));
    return said(cudaLaunchKernel((const void *)NUM_NAME(gemm_residues), grid, dim3(SCALE_THREADS), arguments,
                                 (size_t)job.moduli * sizeof(gemm_modulus), (cudaStream_t)stream),
                message, size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gemm_combine)(const gemm_combine_job *given, void *stream, char *message,
                                                          size_t size)
{
    gemm_combine_job job = *given;
    void *arguments[] = {&job};
    const int64_t wide = COMBINE_THREADS * EACH;
    const dim3 grid((unsigned)((job.rows + wide - 1) / wide), (unsigned)job.cols);
    return said(cudaLaunchKernel((const void *)NUM_NAME(gemm_combine), grid, dim3(COMBINE_THREADS), arguments,
                                 (size_t)(job.moduli + 1) * sizeof job.digit[0], (cudaStream_t)stream),
                message, size);
}
