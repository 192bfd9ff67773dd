/* market_write.c - writes a matrix as a Matrix Market array, one line per entry, column by column. */
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "text/matrix/parts.h"
#include "text/number/write.h"

enum { FEW = 2048 }; /* bytes that suffice for any number unless thousands of digits are requested */

static plumb_status put_number(matrix_sink *sink, const plumb_view *view, const double *at, int32_t digits, char last)
{
    double limbs[TEXT_MAX_LIMBS];
    for (int32_t limb = 0; limb < view->prec; limb++)
        limbs[limb] = at[limb * view->plane];
    char few[FEW], *text = few;
    size_t needed = 0;
    plumb_status status = plumb_number_write(view->prec, limbs, digits, few, sizeof few, &needed);
    if (status == PLUMB_ERR_BUFFER) {
        text = malloc(needed);
        if (text == NULL)
            return PLUMB_ERR_MEMORY;
        status = plumb_number_write(view->prec, limbs, digits, text, needed, &needed);
    }
    if (status == PLUMB_OK) {
        text[needed - 1] = last;
        plumb_sink_put(sink, text, needed);
    }
    if (text != few)
        free(text);
    return status;
}

plumb_status plumb_matrix_write_market(FILE *out, const plumb_view *view, int32_t digits, char *message, size_t size)
{
    plumb_status status = plumb_sink_check(out, view, message, size);
    if (status != PLUMB_OK)
        return status;
    if (digits < 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "found %d digits, expected a number of at least 0",
                         (int)digits);
    matrix_sink sink = {.out = out};
    char head[160];
    int length = snprintf(head, sizeof head, "%%%%MatrixMarket matrix array %s general\n%% precision: %s\n%lld %lld\n",
                          view->parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(view->prec),
                          (long long)view->rows, (long long)view->cols);
    plumb_sink_put(&sink, head, (size_t)length);
    for (int64_t col = 0; col < view->cols && sink.failed == 0; col++) {
        for (int64_t row = 0; row < view->rows; row++) {
            const double *at = view->data + col * view->col + row;
            bool real = view->parts == PLUMB_REAL;
            status = put_number(&sink, view, at, digits, real ? '\n' : ' ');
            if (status == PLUMB_OK && !real)
                status = put_number(&sink, view, at + view->prec * view->plane, digits, '\n');
            if (status != PLUMB_OK)
                return plumb_say(status, message, size, "could not write row %lld, column %lld: %s", (long long)row + 1,
                                 (long long)col + 1, plumb_status_text(status));
        }
    }
    return plumb_sink_finish(&sink, message, size);
}
