/* fuzz_number.c - any bytes at all through plumb_number_read, and back.
 *
 *     tests/fuzz/run number 60
 *
 * A real number must also pass as a complex one, a lower precision must not change the leading limb, an error must have
 * its place inside the text, what was read must survive being written, and an exact value must round as its token does.
 * The first byte chooses the precision. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"
#include "text/number/number.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static int all_finite(int32_t prec, const double *limbs)
{
    for (int32_t i = 0; i < prec; i++)
        if (!isfinite(limbs[i]))
            return 0;
    return 1;
}

static void check_round_trip(int32_t prec, const double *limbs)
{
    static char text[4096];
    double back[4], again[4];
    CHECK(plumb_number_write_hex(prec, limbs, text, sizeof text, NULL) == PLUMB_OK);
    CHECK(plumb_number_read(text, strlen(text), prec, back, NULL, NULL) == PLUMB_OK);
    for (int32_t i = 0; i < prec; i++)
        CHECK(isnan(limbs[i]) ? isnan(back[i]) : memcmp(&back[i], &limbs[i], sizeof(double)) == 0);

    plumb_status status = plumb_number_write(prec, limbs, 0, text, sizeof text, NULL);
    CHECK(status == PLUMB_OK || status == PLUMB_ERR_RANGE); /* a limb list may add up to too much */
    if (status != PLUMB_OK || !all_finite(prec, limbs))
        return;
    CHECK(plumb_number_read(text, strlen(text), prec, back, NULL, NULL) == PLUMB_OK);
    CHECK(plumb_number_write(prec, back, 0, text, sizeof text, NULL) == PLUMB_OK);
    CHECK(plumb_number_read(text, strlen(text), prec, again, NULL, NULL) == PLUMB_OK);
    CHECK(memcmp(back, again, (size_t)prec * sizeof *back) == 0);
}

static void check_exact(const char *text, size_t length, int32_t prec)
{
    text_cursor c = {.begin = text, .at = text, .end = text + length};
    number_token token;
    if (plumb_number_scan(&c, NUMBER_WITH_ALL, &token, NULL) != PLUMB_OK || token.kind == NUMBER_LIST)
        return;
    double rounded[4], limbs[4];
    number_exact exact;
    plumb_exact_init(&exact);
    plumb_status status = plumb_number_round(&c, &token, prec, rounded, NULL);
    CHECK(plumb_exact_from_token(&c, &token, &exact, NULL) == PLUMB_OK);
    CHECK(plumb_exact_to_limbs(&exact, prec, limbs) == status);
    for (int32_t i = 0; i < prec && status == PLUMB_OK; i++)
        CHECK(isnan(limbs[i]) ? isnan(rounded[i]) : memcmp(&limbs[i], &rounded[i], sizeof(double)) == 0);
    plumb_exact_clear(&exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const int32_t prec = 1 << data[0] % 3;
    const char *text = (const char *)data + 1;
    size_t length = size - 1;
    double re[4], im[4], alone[4];
    plumb_text_error error = {.line = 0};
    plumb_status status = plumb_number_read(text, length, prec, re, im, &error);
    if (status != PLUMB_OK) {
        CHECK(error.line >= 1 && error.column >= 1 && error.column <= (int64_t)length + 1);
        CHECK(strlen(error.message) > 0);
    } else {
        check_round_trip(prec, re);
        check_round_trip(prec, im);
    }
    plumb_status real = plumb_number_read(text, length, prec, alone, NULL, &error);
    CHECK(real != PLUMB_OK || status == PLUMB_OK);
    if (real == PLUMB_OK && prec > 1) {
        double leading;
        plumb_status narrow = plumb_number_read(text, length, PLUMB_D, &leading, NULL, NULL);
        CHECK(narrow == PLUMB_OK || memchr(text, ',', length) != NULL);
        CHECK(narrow != PLUMB_OK || isnan(leading) || leading == alone[0]);
    }
    check_exact(text, length, prec);
    return 0;
}
