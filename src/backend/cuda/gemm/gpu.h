/* gpu.h - exact products of matrices of integers by residues: what the host and the kernels share.
 *
 * Row i of op(A) is scaled by a power of two and rounded to integers of at most `bits` bits, and so is each column of op(B). The
 * product of the integers is exact: it is known modulo pairwise coprime numbers m_t <= 256, whose product exceeds twice its
 * size, from products of matrices of residues, which are bytes and whose sums of up to 65536 products fit into 32 bits. Tensor
 * cores compute those. The residues of an entry give its value by the Chinese remainder theorem. (Ozaki, Uchino, Imamura, "Ozaki
 * scheme II", 2025.) A complex product takes three real ones, which lose nothing because they are exact.
 *
 * An entry is wrong by what its factors lost when they were rounded. That is small compared with the sum S of the moduli of
 * its terms, unless the large entries of its row meet the small ones of its column. One more product of bytes, of the leading seven
 * bits rounded towards zero, bounds S from below; entries for which this bound does not suffice are computed by sums of
 * products in the precision of the matrices. */
#ifndef PLUMB_BACKEND_CUDA_GEMM_GPU_H
#define PLUMB_BACKEND_CUDA_GEMM_GPU_H

#include <stdint.h>

#include "plumb.h"

enum {
    GEMM_MODULI = 33,        /* enough for GEMM_MOST_TERMS products of complex numbers; see moduli.h */
    GEMM_DIGITS = 7,         /* a number modulo their product has this many digits ... */
    GEMM_DIGIT_BITS = 38,    /* ... of this many bits, which are doubles */
    GEMM_MOST_TERMS = 65536, /* of a sum of products of bytes */
    GEMM_BITS = 112,         /* of an integer; numbers in qd are two of them, the leading bits and the following ones */
    GEMM_SPECIAL = 1 << 16,  /* what `rounded` says of a row with an infinity or a NaN */
    GEMM_MOST_SIZE = 3000 /* of a row and a column together: beyond, about 2^956, the sums of an entry may overflow */
};

/* An integer as it is made: 8 bits that are only there to round, then GEMM_BITS per piece, then the sign, in 32-bit words. */
#define GEMM_PIECES(limbs) ((limbs) / 2)
#define GEMM_WORDS(limbs) (2 * (limbs))

/* A tile of a product of bytes, in rows of X and of Y, and the bytes of a row that are in shared memory at one time. Rows
 * are padded to whole tiles, and terms to whole steps, with zeros. */
enum { GEMM_TILE_X = 128, GEMM_TILE_Y = 256, GEMM_STEP = 128, GEMM_STAGES = 4 };

/* Residues lie in memory as tensor cores want them in shared memory, so that one bulk copy brings a part of a tile: the bytes of a step
 * of 128 rows are 16 KB of memory, and 16 bytes of a row change places by its number. The steps of these rows follow one another,
 * then come the next 128 rows. */
enum { GEMM_PART_ROWS = 128, GEMM_PART = GEMM_PART_ROWS * GEMM_STEP };
/* The place of byte k of row r, where rows have `ld` bytes; a step begins at GEMM_PART_ROWS * k. */
#define GEMM_BYTE(r, k, ld)                                                                                    \
    ((r) / GEMM_PART_ROWS * GEMM_PART_ROWS * (ld) + (k) / GEMM_STEP * GEMM_PART + (r) % GEMM_PART_ROWS * 128 + \
     (((k) / 16 % 8) ^ ((r) % 8)) * 16 + (k) % 16)

/* out = X Y^T modulo m for a list of planes: byte k of row r of plane p of X is x[p*x_next + GEMM_BYTE(r, k, ld)]. Entry (r, s) of
 * plane p is out[p*out_next + r*out_ld + s], congruent to the sum and between -128 and 127. */
typedef struct gemm_bytes_job {
    const int8_t *x, *y;
    int8_t *out;
    int64_t x_next, y_next, ld, out_next, out_ld;
    int32_t length; /* of the products in bytes: a multiple of GEMM_STEP, at most GEMM_MOST_TERMS */
    int32_t x_tiles, y_tiles, planes;
    int32_t planes_per_modulus; /* consecutive planes have the same modulus */
    int32_t checks;             /* 1: the last plane compares; see below */
    int32_t modulus[GEMM_MODULI];
    int32_t inverse[GEMM_MODULI], shift[GEMM_MODULI]; /* 2^shift / m, rounded, between 2^30 and 2^31 */
    /* Of the plane that compares: an entry of out is 1 if the sum is below min(terms of row, terms of column) * (rounded row + rounded
     * column) * limit, that is, if the entry must be computed otherwise. */
    const int32_t *x_terms, *y_terms;     /* nonzero entries */
    const int32_t *x_rounded, *y_rounded; /* 1: an entry of the row was rounded; GEMM_SPECIAL: the row is not finite */
    const int32_t *x_size, *y_size;       /* the largest exponent field */
    int32_t limit;
} gemm_bytes_job;

/* A modulus, as residues are made: weight[q][w] has what the four bytes of word w count in piece q. */
typedef struct gemm_modulus {
    float m, inverse;
    uint32_t negative; /* what is added if the number is negative, in the leading piece */
    uint32_t padding;
    uint32_t weight[2][8];
} gemm_modulus;

/* The scaled integers of an operand, modulo some numbers. Row i of the operand is the one that is scaled: of op(A) a row, of op(B) a
 * column; its entries are the terms. */
typedef struct gemm_scale_job {
    const double *data; /* plane c of term l of row i: data[c*plane + i*row + l*term] */
    int64_t plane, row, term, rows, terms;
    int64_t rows_padded, terms_padded;
    int32_t conjugate;
    int32_t *size;              /* of a row: the largest exponent field of its leading limbs */
    int32_t *nonzero, *rounded; /* of a row, see gemm_bytes_job */
    /* Byte l of row i of plane p: out[p*out_next + GEMM_BYTE(i, l, ld)]; piece q begins at byte place[q] of a row. Planes: for each modulus the real parts,
     * the imaginary parts and their sums; at last, if checks is set, the leading seven bits. */
    int8_t *out;
    int64_t out_next, ld;
    int64_t place[2];
    int32_t moduli, checks;
    gemm_modulus modulus[GEMM_MODULI];
} gemm_scale_job;

/* From residues to entries of C. */
typedef struct gemm_combine_job {
    const int8_t *from; /* the byte of row i of op(A) and column j of op(B) in plane p: from[p*next + j*ld + i] */
    int64_t next, ld;
    const int8_t *again; /* [j*ld + i]: 1 for entries that are left out; C is not touched there */
    int32_t *count;      /* receives their number */
    int64_t rows, cols;
    const int32_t *row_size, *col_size;
    double *c;
    int64_t c_plane, c_col;
    double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
    int32_t has_alpha, has_beta, fresh;
    int32_t moduli;
    /* Number 0: the product of the moduli; number 1 + t: the number that is 1 modulo m_t and 0 modulo the others, and behind its digits this
     * number over the product. */
    double digit[GEMM_MODULI + 1][GEMM_DIGITS + 1];
} gemm_combine_job;

/* Sums of products in the precision of the matrices, with the bits of the CPU. */
typedef struct gemm_tiles_job {
    const double *a, *b; /* entry (i, l) of op(A): a[i*a_row + l*a_col]; (l, j) of op(B): b[l*b_row + j*b_col] */
    int64_t a_row, a_col, a_plane, a_next, b_row, b_col, b_plane, b_next;
    int32_t a_conjugate, b_conjugate;
    double *c;
    int64_t c_plane, c_col, c_next;
    int64_t rows, cols, terms;
    double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
    int32_t has_alpha, has_beta, fresh;
    const int8_t *only; /* [j*only_ld + i]: 1 for entries that are computed; NULL: all of them */
    int64_t only_ld;
} gemm_tiles_job;

/* A triangular system in the order of its unknowns, see triangle_order in backend/gemm.h. */
typedef struct gemm_triangle_job {
    const double *t;
    int64_t t_before, t_after, t_plane, t_next;
    double *b; /* unknown 0 of the first right-hand side */
    int64_t step, other, b_plane, b_next, sides;
    int32_t n, unit, conjugate;
    int32_t right; /* T is the right factor of the product */
} gemm_triangle_job;

/* A block of a Cholesky factor: entry (i, j) of the lower factor is at i * row + j * col, conjugate if that is set. */
typedef struct gemm_factor_job {
    double *a;
    int64_t row, col, plane, next, first;
    int32_t n, conjugate;
    int64_t *info;
} gemm_factor_job;

/* Clears the other half of matrices, and all of those whose info is not 0. */
typedef struct gemm_clear_job {
    double *a;
    int64_t rows, plane, col, next;
    int32_t planes, upper; /* upper: this half stays */
    const int64_t *info;
} gemm_clear_job;

#endif
