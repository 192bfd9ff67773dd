/* npy_read.c - reads the numbers of an npy file.
 *
 * Limbs are copied unchanged if they do not overlap and fit into the precision; otherwise their sum is rounded to
 * nearest, limb by limb. A higher precision adds zeros. */
#include <math.h>
#include <string.h>

#include "base/round.h"
#include "text/matrix/parts.h"

static double load(const unsigned char *from, bool big_endian)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)from[big_endian ? 7 - i : i] << 8 * i;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
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
                for (int32_t limb = 0; limb < header.info.prec; limb++)
                    from[limb] = load(header.data + 8 * (at + limb * header.limb_step), header.big_endian);
                bool exact = convert(from, header.info.prec, limbs, prec);
                matrix->exact = matrix->exact && exact;
                matrix_set(view, row, col, part, limbs, false);
            }
        }
    }
    return PLUMB_OK;
}
