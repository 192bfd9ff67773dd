/* summary.c - compares the counts of a file with those of its certificates, all of which hold. */
#include <gmp.h>
#include <math.h>
#include <stdio.h>

#include "cli/certify/check/check.h"

const char *const check_count_names[CHECK_COUNTS] = {
    [COUNT_POINTS] = "count",
    [COUNT_CERTIFIED] = "certified",
    [COUNT_SQUARED] = "squared_up",
    [COUNT_EXCLUDED] = "excluded",
    [COUNT_DISTINCT] = "certified_distinct",
    [COUNT_REAL] = "certified_real",
    [COUNT_NOT_REAL] = "certified_not_real",
    [COUNT_POSITIVE] = "certified_positive",
};

/* As the commands that write files count. */
static void count_claims(const check_file *file, int64_t count[CHECK_COUNTS])
{
    for (int k = 0; k < CHECK_COUNTS; k++)
        count[k] = 0;
    count[COUNT_POINTS] = file->count;
    for (int64_t k = 0; k < file->count; k++) {
        const check_claim *claim = &file->claim[k];
        const bool solution = claim->verdict == CHECK_CERTIFIED || claim->verdict == CHECK_SQUARED;
        count[COUNT_CERTIFIED] += claim->verdict == CHECK_CERTIFIED;
        count[COUNT_SQUARED] += claim->verdict == CHECK_SQUARED;
        count[COUNT_EXCLUDED] += claim->verdict == CHECK_EXCLUDED;
        if (!solution || claim->distinct != CHECK_YES)
            continue;
        count[COUNT_DISTINCT]++;
        count[COUNT_REAL] += claim->real == CHECK_YES;
        count[COUNT_NOT_REAL] += claim->real == CHECK_NO;
        count[COUNT_POSITIVE] += claim->positive == CHECK_YES;
    }
}

/* Is this the product of the degrees, as far as a double holds it? */
static bool is_bezout(const plumb_system *system, double value)
{
    mpz_t product;
    mpz_init_set_ui(product, 1);
    for (int64_t e = 0; e < system->equations; e++) {
        int64_t degree = 0;
        for (int64_t t = system->equation[e]; t < system->equation[e + 1]; t++) {
            int64_t sum = 0;
            for (int32_t k = 0; k < system->terms[t].count; k++)
                sum += system->factors[system->terms[t].first + k].exponent;
            degree = sum > degree ? sum : degree;
        }
        mpz_mul_ui(product, product, (unsigned long)degree);
    }
    const bool equal = fabs(mpz_get_d(product) - value) <= (value > 0x1p53 ? 0x1p-51 * value : 0.0);
    mpz_clear(product);
    return equal;
}

#define REFUSE(...) snprintf(s->why, sizeof s->why, __VA_ARGS__)

void check_summary_compare(check_file *file)
{
    check_summary *s = &file->summary;
    int64_t count[CHECK_COUNTS];
    count_claims(file, count);
    for (int k = 0; k < CHECK_COUNTS && !s->why[0]; k++)
        if (!isnan(s->count[k]) && s->count[k] != (double)count[k])
            REFUSE("%s is %.17g, and its certificates give %lld", check_count_names[k], s->count[k],
                   (long long)count[k]);
    if (s->why[0])
        return;
    const bool square = count[COUNT_SQUARED] + count[COUNT_EXCLUDED] == 0;
    const bool complete = square && s->bound == (double)count[COUNT_DISTINCT];
    if (!isnan(s->bound) && square && s->bound < (double)count[COUNT_DISTINCT])
        REFUSE("bound is %.17g, and there are %lld distinct zeros", s->bound, (long long)count[COUNT_DISTINCT]);
    else if (!isnan(s->bound) && s->bezout && !is_bezout(file->system, s->bound))
        REFUSE("bound is %.17g, which is not the Bezout number", s->bound);
    else if (s->complete != CHECK_UNKNOWN && (s->complete == CHECK_YES) != complete)
        REFUSE("complete is %s, and its certificates and its bound say %s", complete ? "false" : "true",
               complete ? "true" : "false");
}
