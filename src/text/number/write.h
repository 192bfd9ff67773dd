/* write.h - writes numbers into a buffer that may be too small: characters that do not fit are counted but not
 * written. */
#ifndef PLUMB_TEXT_NUMBER_WRITE_H
#define PLUMB_TEXT_NUMBER_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

enum { TEXT_MAX_LIMBS = 16 };

typedef struct text_out {
    char *buffer;
    size_t size, used;
} text_out;

void plumb_out_char(text_out *out, char c);
void plumb_out_string(text_out *out, const char *s);

/* digits as in plumb_number_write; as_term puts " + " or " - " before the modulus. Returns PLUMB_ERR_RANGE if digits
 * = 0 and the sum of the limbs exceeds every double, because then no decimal reads back. */
plumb_status plumb_out_real(text_out *out, int32_t prec, const double *limbs, int32_t digits, bool as_term);

#endif
