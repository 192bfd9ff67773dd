/* matrix_files.h - shared by the tests of matrix files: the corpus in data/matrices, comparison of bits, random
 * canonical limbs. */
#ifndef PLUMB_TEXT_MATRIX_FILES_H
#define PLUMB_TEXT_MATRIX_FILES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "base/number/round.h"
#include "plumb.h"
#include "text/matrix/matrix.h"

static const int32_t PRECISIONS[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

#define FOR_EACH_PRECISION(prec) for (int32_t p_ = 0, prec = PLUMB_D; p_ < 3 && (prec = PRECISIONS[p_], true); p_++)

/* Exactly as many bytes as there are, so that a sanitizer sees one byte too many being read. */
typedef struct bytes {
    char *at;
    size_t length;
    bool table; /* a table of numbers, which only its name tells */
} bytes;

static inline bytes load_bytes(const char *folder, const char *name)
{
    char path[1024];
    const char *slash = strrchr(__FILE__, '/');
    int here = slash != NULL ? (int)(slash - __FILE__) + 1 : 0;
    snprintf(path, sizeof path, "%.*s../data/matrices/%s/%s", here, __FILE__, folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is missing", path);
    fseek(file, 0, SEEK_END);
    const char *end = strrchr(name, '.');
    bytes b = {.length = (size_t)ftell(file), .table = end != NULL && strcmp(end, ".csv") == 0};
    rewind(file);
    b.at = malloc(b.length > 0 ? b.length : 1);
    assert_non_null(b.at);
    assert_int_equal(fread(b.at, 1, b.length, file), b.length);
    fclose(file);
    return b;
}

/* Calls check with the words of each line of data/matrices/<folder>/LIST; the last word is the rest of the line. */
static inline void for_each_listed(const char *folder, void (*check)(char *words[3]))
{
    bytes list = load_bytes(folder, "LIST");
    int count = 0;
    for (char *line = list.at, *end = list.at + list.length; line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        assert_non_null(stop);
        *stop = 0;
        char *words[3] = {line, strchr(line, ' '), NULL};
        if (*line != '#') {
            assert_non_null(words[1]);
            *words[1]++ = 0;
            words[2] = strchr(words[1], ' ');
            assert_non_null(words[2]);
            *words[2]++ = 0;
            check(words);
            count++;
        }
        line = stop + 1;
    }
    printf("%s: %d files\n", folder, count);
    assert_true(count > 0);
    free(list.at);
}

/* The same bits, but for the sign and payload of NaN. */
static inline bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* The first place (plane, row, column) where two views of one shape differ, into where; "" when there is none. */
static inline const char *difference(const plumb_view *a, const plumb_view *b, char *where, size_t size)
{
    where[0] = 0;
    if (a->rows != b->rows || a->cols != b->cols || a->prec != b->prec || a->parts != b->parts) {
        snprintf(where, size, "shape or kind");
        return where;
    }
    for (int64_t c = 0; c < a->prec * a->parts; c++)
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t i = 0; i < a->rows; i++) {
                double x = a->data[c * a->plane + j * a->col + i], y = b->data[c * b->plane + j * b->col + i];
                if (!same_double(x, y)) {
                    snprintf(where, size, "plane %lld, row %lld, column %lld: %a and %a", (long long)c,
                             (long long)i + 1, (long long)j + 1, x, y);
                    return where;
                }
            }
    return where;
}

/* Canonical limbs of all magnitudes; now and then a zero of either sign, an end of the range, inf or nan. */
static inline void random_limbs(plumb_random *random, int32_t prec, double *limbs)
{
    static const double odd_ones[] = {0.0,       -0.0,     1.0,       -1.0, 5e-324, 0x1.fffffffffffffp1023,
                                      0x1p-1022, INFINITY, -INFINITY, NAN};
    double raw[4] = {0};
    uint64_t kind = plumb_random_below(random, 16);
    if (kind == 0) {
        raw[0] = odd_ones[plumb_random_below(random, sizeof odd_ones / sizeof *odd_ones)];
        memcpy(limbs, raw, (size_t)prec * sizeof *limbs);
        return;
    }
    int exponent = kind < 8 ? 0 : (int)plumb_random_below(random, 2000) - 1040;
    for (int32_t i = 0; i < prec; i++) {
        int gap = kind % 4 == 0 ? (int)plumb_random_below(random, 200) : 0; /* limbs far apart */
        raw[i] = ldexp(plumb_random_unit(random) - 0.5, exponent);
        exponent -= 54 + gap;
    }
    plumb_round_limbs(raw, prec, limbs, prec);
    for (int32_t i = 1; i < prec; i++)
        limbs[i] += 0.0; /* -0 becomes +0 */
}

#endif
