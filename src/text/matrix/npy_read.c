/* npy_read.c - reads the numbers of an npy file.
 *
 * Limbs are copied unchanged if they do not overlap and fit into the precision; otherwise their sum is rounded to
 * nearest, limb by limb. A higher precision adds zeros. */
#include <math.h>
#include <string.h>

#include "base/number/round.h"
#include "text/matrix/parts.h"

static uint64_t load(const unsigned char *from, int width, bool big_endian)
{
    uint64_t bits = 0;
    for (int i = 0; i < width; i++)
        bits |= (uint64_t)from[big_endian ? width - 1 - i : i] << 8 * i;
    return bits;
}

/* A whole number below 2^64 as two limbs, exactly. */
static void set_whole(uint64_t size, bool negative, double limbs[2])
{
    double high = (double)size; /* rounded to nearest; 2^64 itself does not fit back */
    int64_t rest = high < 0x1p64 ? (int64_t)(size - (uint64_t)high) : -(int64_t)(UINT64_MAX - size) - 1;
    limbs[0] = negative ? -high : high;
    limbs[1] = (double)(negative ? -rest : rest); /* never a negative zero */
}

/* One scalar of the file: one limb, or for integers of 8 bytes two. */
static void load_scalar(const npy_header *header, const unsigned char *from, double *limbs)
{
    uint64_t bits = load(from, header->width, header->big_endian);
    if (header->scalar == NPY_FLOAT && header->width == 8) {
        memcpy(limbs, &bits, sizeof *limbs);
    } else if (header->scalar == NPY_FLOAT) {
        uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        limbs[0] = (double)x;
    } else {
        double whole[2];
        bool negative = header->scalar == NPY_SIGNED && bits >> (8 * header->width - 1) != 0;
        uint64_t sign_bits = header->width < 8 ? ~UINT64_C(0) << 8 * header->width : 0;
        set_whole(negative ? -(bits | sign_bits) : bits, negative, whole);
        limbs[0] = whole[0];
        if (header->width == 8)
            limbs[1] = whole[1];
    }
}

/* True if no limb exceeds half a unit of the one before; exactly half a unit is allowed. */
static bool is_normalised(const double *limbs, int32_t count)
{
    for (int32_t i = 0; i + 1 < count; i++) {
        double sum = limbs[i] + limbs[i + 1];
        if (sum != limbs[i] && sum - limbs[i] != 2 * limbs[i + 1])
            return false;
    }
    return true;
}

/* If a limb is infinite or NaN, sets the number to that value followed by zeros and returns true. */
static bool settle_special(const double *from, int32_t count, double *to, int32_t prec)
{
    double special = 0;
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(from[i]))
            special += from[i];
    if (special == 0) /* all limbs are finite */
        return false;
    to[0] = isfinite(from[0]) ? special : from[0];
    for (int32_t i = 1; i < prec; i++)
        to[i] = 0;
    return true;
}

/* Converts one number. Returns false if it was rounded. */
static bool convert(const double *from, int32_t count, double *to, int32_t prec)
{
    if (settle_special(from, count, to, prec))
        return true;
    double rounded[PLUMB_QD] = {0}; /* padded with zeros */
    if (count <= prec && is_normalised(from, count))
        memcpy(rounded, from, (size_t)count * sizeof *rounded);
    else
        plumb_round_limbs(from, count, rounded, count);
    bool exact = true;
    for (int32_t i = 0; i < count || i < prec; i++) {
        if (i < prec)
            to[i] = rounded[i];
        else
            exact = exact && rounded[i] == 0;
    }
    return exact;
}

plumb_status plumb_npy_read(const text_cursor *c, int32_t prec, text_matrix *matrix, plumb_text_error *error)
{
    npy_header header;
    plumb_status status = plumb_npy_header(c, &header, error);
    if (status == PLUMB_OK)
        status = plumb_matrix_create(matrix, &header.info, prec, c, c->begin, error);
    if (status != PLUMB_OK)
        return status;
    const plumb_view *view = &matrix->view;
    for (int64_t col = 0; col < view->cols; col++) {
        for (int64_t row = 0; row < view->rows; row++) {
            for (int part = 0; part < view->parts; part++) {
                double from[PLUMB_QD] = {0}, limbs[PLUMB_QD] = {0};
                int64_t at = row * header.row_step + col * header.col_step + part * header.part_step;
                int32_t scalars = header.limb_step > 0 ? header.info.prec : 1;
                for (int32_t limb = 0; limb < scalars; limb++)
                    load_scalar(&header, header.data + header.width * (at + limb * header.limb_step), &from[limb]);
                bool exact = convert(from, header.info.prec, limbs, prec);
                matrix->exact = matrix->exact && exact;
                matrix_set(view, row, col, part, limbs, false);
            }
        }
    }
    return PLUMB_OK;
}
