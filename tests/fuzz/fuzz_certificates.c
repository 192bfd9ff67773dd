/* fuzz_certificates.c - any bytes at all as the file of plumb certify --check.
 *
 *     tests/fuzz/run certificates 60
 *
 * The system x^2 = 1, y = 2 x has the zeros (1, 2) and (-1, -2). A certificate that holds must be true: its box contains exactly one
 * of them, distinct boxes contain different ones, and both are real, regular and simple; the point of its record is
 * nearer to that one. A file that is refused has one message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/files.h"
#include "cli/certify/check/check.h"
#include "messages.h"

static const uint8_t *given;
static size_t given_size;

/* Instead of those that read files. */
int app_bytes_load(const char *command, const char *path, file_may_be *may_be, unsigned char **bytes, size_t *length)
{
    (void)command, (void)path, (void)may_be;
    *bytes = malloc(given_size + 1);
    CHECK(*bytes != NULL);
    if (given_size > 0)
        memcpy(*bytes, given, given_size);
    (*bytes)[given_size] = 0;
    *length = given_size;
    return APP_OK;
}

const char *app_input_name(const char *path)
{
    return path;
}

/* True if the box contains the point (x, 2 x); boxes are closed. */
static bool contains(const check_claim *claim, int x)
{
    bool inside = true;
    mpq_t off;
    mpq_init(off);
    for (int i = 0; i < 2; i++) {
        mpq_set_si(off, (i + 1) * x, 1);
        mpq_sub(off, off, claim->re[i]);
        mpq_abs(off, off);
        inside = inside && mpq_cmp(off, claim->radius[i]) <= 0;
        mpq_abs(off, claim->im[i]);
        inside = inside && mpq_cmp(off, claim->radius[i]) <= 0;
    }
    mpq_clear(off);
    return inside;
}

static void check_truth(const check_file *file)
{
    int distinct[2] = {0, 0};
    for (int64_t k = 0; k < file->count; k++) {
        const check_claim *claim = &file->claim[k];
        if (claim->verdict != CHECK_CERTIFIED || claim->why[0])
            continue;
        const bool one = contains(claim, 1), other = contains(claim, -1);
        CHECK(one != other && claim->real != CHECK_NO);
        CHECK(claim->record.real != CHECK_NO && claim->record.regular != CHECK_NO && claim->record.multiplicity <= 1);
        CHECK(!claim->record.re || mpq_sgn(claim->record.re[0]) == (one ? 1 : -1));
        CHECK(claim->positive != CHECK_YES || one);
        CHECK(claim->positive != CHECK_NO || other);
        distinct[other] += claim->distinct == CHECK_YES;
        CHECK(claim->same_as < file->count);
        if (claim->same_as >= 0 && !file->claim[claim->same_as].why[0])
            CHECK(contains(&file->claim[claim->same_as], one ? 1 : -1));
    }
    CHECK(distinct[0] <= 1 && distinct[1] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static plumb_system *system;
    static const char *const equations[] = {"x^2 - 1", "y - 2*x"};
    if (!system)
        CHECK(plumb_system_parse_equations(equations, 2, &system, NULL) == PLUMB_OK);
    check_file file;
    given = data, given_size = size;
    messages = 0;
    const int result = check_file_read("certify", "a file", system, &file);
    CHECK((result == APP_OK) == (messages == 0) && messages <= 1);
    bool cheap = result == APP_OK;
    for (int64_t k = 0; k < file.count && cheap; k++)
        cheap = file.claim[k].bits <= 1024;
    if (cheap) {
        for (int64_t k = 0; k < file.count; k++) {
            check_claim *claim = &file.claim[k];
            if (claim->verdict == CHECK_NONE)
                continue;
            CHECK(check_box(&file, claim));
            if (claim->why[0])
                continue;
            check_reality(&file, claim);
            check_kind(claim);
            CHECK(claim->why[0] || check_point(&file, claim));
        }
        CHECK(check_distinct(&file));
        check_truth(&file);
        check_summary_compare(&file);
    }
    check_file_clear(&file);
    return 0;
}
