/* t_matrix.c - tests Matrix Market: written matrices read back bit for bit, and the fast rounding gives the same
 * limbs as the general one. t_matrix_files.c tests the files in data/matrices. */
#include "matrix_files.h"

#include <gmp.h>
#include <time.h>

#include "text/matrix/value.h"

static const uint64_t SEED = 31415;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static text_matrix read_ok(const char *text, size_t length, int32_t prec)
{
    text_matrix matrix;
    plumb_text_error error;
    if (plumb_matrix_read(text, length, prec, &matrix, &error) != PLUMB_OK)
        fail_msg("%d:%d: %s", (int)error.line, (int)error.column, error.message);
    return matrix;
}

/* A view with gaps between its columns and planes, filled with random numbers; data to be freed. */
static plumb_view random_view(plumb_random *random, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    int64_t col = rows + (int64_t)plumb_random_below(random, 3), plane = cols * col + 5;
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, NULL, PLUMB_HOST, prec, parts, rows, cols, 1, NULL), PLUMB_OK);
    view.col = col;
    view.plane = plane;
    view.next = plane * prec * parts;
    view.data = calloc((size_t)view.next, sizeof(double));
    assert_non_null(view.data);
    for (int part = 0; part < parts; part++)
        for (int64_t j = 0; j < cols; j++)
            for (int64_t i = 0; i < rows; i++) {
                double limbs[4];
                random_limbs(random, prec, limbs);
                for (int32_t k = 0; k < prec; k++)
                    view.data[(part * prec + k) * plane + j * col + i] = limbs[k];
            }
    return view;
}

static void write_reads_back_to_the_same_limbs(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    for (int round = 0; round < 40; round++)
        FOR_EACH_PRECISION(prec)
        {
            for (int32_t parts = 1; parts <= 2; parts++) {
                plumb_view view = random_view(&random, prec, parts, 1 + (int64_t)plumb_random_below(&random, 9),
                                              1 + (int64_t)plumb_random_below(&random, 9));
                char *text, message[200], where[200];
                size_t length;
                FILE *file = open_memstream(&text, &length);
                assert_non_null(file);
                if (plumb_matrix_write_market(file, &view, 0, message, sizeof message) != PLUMB_OK)
                    fail_msg("%s", message);
                fclose(file);
                text_matrix back = read_ok(text, length, prec);
                if (*difference(&view, &back.view, where, sizeof where) != 0)
                    fail_msg("%s: %s in\n%s", plumb_prec_name(prec), where, text);
                plumb_matrix_destroy(&back);
                free(text);
                free(view.data);
            }
        }
}

static char *written(const plumb_view *view, int32_t digits)
{
    char *text, message[200];
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    if (plumb_matrix_write_market(file, view, digits, message, sizeof message) != PLUMB_OK)
        fail_msg("%s", message);
    fclose(file);
    return text;
}

static void write_has_the_digits_asked_for(void **state)
{
    (void)state;
    double data[] = {0x1.5555555555555p-2, -2, 0x1.5555555555555p-56, 0};
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 2, 1, 1, NULL), PLUMB_OK);
    char *text = written(&view, 0);
    assert_string_equal(text, "%%MatrixMarket matrix array real general\n% precision: dd\n2 1\n"
                              "0.333333333333333333333333333333332\n-2\n");
    free(text);
    text = written(&view, 5);
    assert_string_equal(text, "%%MatrixMarket matrix array real general\n% precision: dd\n2 1\n0.33333\n-2.0000\n");
    free(text);
    text = written(&view, 5000);
    assert_int_equal(strlen(text), strlen("%%MatrixMarket matrix array real general\n% precision: dd\n2 1\n") +
                                       strlen("0.\n-2.\n") + 2 * 5000 - 1);
    free(text);
    double both[] = {1, 3, -0.5, 1e22};
    assert_int_equal(plumb_view_init(&view, both, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 2, 1, NULL), PLUMB_OK);
    text = written(&view, 0);
    assert_string_equal(text, "%%MatrixMarket matrix array complex general\n% precision: d\n1 2\n1 -0.5\n3 1e22\n");
    free(text);
}

static void write_reports_failures(void **state)
{
    (void)state;
    char message[200];
    double data[2] = {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023};
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 1, 1, NULL), PLUMB_OK);
    FILE *full = fopen("/dev/full", "w");
    if (full != NULL) {
        assert_int_equal(plumb_matrix_write_market(full, &view, 0, message, sizeof message), PLUMB_ERR_IO);
        assert_string_equal(message, "could not write the matrix: No space left on device");
        fclose(full);
    }
    FILE *read_only = fopen("/dev/null", "r");
    assert_non_null(read_only);
    assert_int_equal(plumb_matrix_write_npy(read_only, &view, message, sizeof message), PLUMB_ERR_IO);
    assert_string_equal(message, "could not write the matrix: Bad file descriptor");
    fclose(read_only);

    FILE *null = fopen("/dev/null", "w");
    assert_non_null(null);
    assert_int_equal(plumb_matrix_write_market(null, &view, -1, message, sizeof message), PLUMB_ERR_ARGUMENT);
    assert_string_equal(message, "found -1 digits, expected a number of at least 0");
    assert_int_equal(plumb_matrix_write_market(NULL, &view, 0, NULL, 0), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_matrix_write_market(null, NULL, 0, NULL, 0), PLUMB_ERR_ARGUMENT);
    view.batch = 0;
    assert_int_equal(plumb_matrix_write_market(null, &view, 0, message, sizeof message), PLUMB_ERR_ARGUMENT);
    assert_string_equal(message, "found 2 x 1, batch 0, expected one matrix that is not empty, on the host");
    view.batch = 2;
    view.next = 0;
    assert_int_equal(plumb_matrix_write_npy(null, &view, message, sizeof message), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_matrix_write_market(null, &view, 0, message, sizeof message), PLUMB_ERR_RANGE);
    assert_string_equal(message, "could not write row 1, column 1: result out of range");
    fclose(null);
}

/* The value of a token through exact rationals. */
static bool sums_up(const text_cursor *c, const number_token *token, int32_t prec, const double *limbs)
{
    number_exact exact;
    mpq_t rest, limb;
    plumb_exact_init(&exact);
    mpq_inits(rest, limb, NULL);
    assert_int_equal(plumb_exact_from_token(c, token, &exact, NULL), PLUMB_OK);
    bool plain = exact.exponent == 0;
    mpq_set(rest, exact.value);
    for (int32_t i = 0; i < prec; i++) {
        mpq_set_d(limb, limbs[i]);
        mpq_sub(rest, rest, limb);
    }
    plain = plain && mpq_sgn(rest) == 0;
    mpq_clears(rest, limb, NULL);
    plumb_exact_clear(&exact);
    return plain;
}

static void check_value(const value_powers *powers, const char *text)
{
    text_cursor c = {.begin = text, .at = text, .end = text + strlen(text)};
    number_token token;
    assert_int_equal(plumb_number_scan(&c, NUMBER_WITH_ALL, &token, NULL), PLUMB_OK);
    FOR_EACH_PRECISION(prec)
    {
        double quick[4], thorough[4];
        bool exact = true;
        plumb_status expected = plumb_number_round(&c, &token, prec, thorough, NULL);
        plumb_status status = plumb_value_round(powers, &c, &token, prec, quick, &exact, NULL);
        if (status != expected || (status == PLUMB_OK && memcmp(quick, thorough, (size_t)prec * sizeof *quick) != 0))
            fail_msg("%s in %s: %a instead of %a", text, plumb_prec_name(prec), quick[0], thorough[0]);
        if (status == PLUMB_OK && exact != sums_up(&c, &token, prec, thorough))
            fail_msg("%s in %s is %sexact", text, plumb_prec_name(prec), exact ? "not " : "");
        exact = false;
        if (status == PLUMB_OK)
            assert_int_equal(plumb_value_round(powers, &c, &token, prec, quick, &exact, NULL), PLUMB_OK);
        assert_false(exact); /* it is only ever cleared */
    }
}

static void append_digits(plumb_random *random, char **at, uint64_t count)
{
    for (; count > 0; count--)
        *(*at)++ = (char)('0' + plumb_random_below(random, 10));
}

static void value_round_equals_number_round(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    value_powers powers;
    plumb_value_init(&powers);
    static const char *const chosen[] = {
        "0",
        "-0",
        "0.000",
        "-0e5",
        "1",
        "9007199254740993",
        "9007199254740992.5",
        "0.1",
        "1e22",
        "1e23",
        "1e-22",
        "1e108",
        "1e109",
        "1e-108",
        "1e-109",
        "1e-400",
        "-1e-400",
        "5e-324",
        "2.4e-324",
        "1e308",
        "1/3",
        "6/3",
        "3/8",
        "0x1p-1074",
        "0x1.8p-1074",
        "0x1.00000000000008p0",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.000000000000000111022302462515654042363166809082031251",
        "1.000000000000000111022302462515654042363166809082031249",
        "1e999999999999",
        "00000000000000000000000000001",
        "9999999999999999999999999999999999999999999999999999999999999999999999999999",
        "99999999999999999999999999999999999999999999999999999999999999999999999999990",
        "0.5e-323"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        check_value(&powers, chosen[i]);
    for (int round = 0; round < 20000; round++) {
        char text[400], *at = text;
        if (plumb_random_below(&random, 2) == 0)
            *at++ = '-';
        append_digits(&random, &at, 1 + plumb_random_below(&random, 40));
        *at++ = '.';
        append_digits(&random, &at, plumb_random_below(&random, round % 4 == 0 ? 60 : 20));
        *at = 0;
        if (round % 3 == 0)
            snprintf(at, 16, "e%d", (int)plumb_random_below(&random, 260) - 130);
        check_value(&powers, text);
    }
    /* What limbs look like in decimal, exactly, and a hair beside: ties, and long runs of zeros and nines. */
    for (int round = 0; round < 10000; round++) {
        double tie = ldexp((double)(plumb_random_next(&random) >> 10 | 1), -(int)plumb_random_below(&random, 70));
        if (plumb_random_below(&random, 2) == 0)
            tie = floor(tie) + ldexp(1, -(int)plumb_random_below(&random, 50));
        char text[400];
        int length = snprintf(text, sizeof text - 2, "%.*f", (int)plumb_random_below(&random, 71), tie);
        check_value(&powers, text);
        if (strchr(text, '.') != NULL && text[length - 1] != '0') {
            text[length - 1]--;
            check_value(&powers, text);
            memcpy(text + length, "9", 2);
            check_value(&powers, text);
        }
    }
    /* The halfway points themselves: 54 bits. */
    for (int round = 0; round < 10000; round++) {
        mpz_t n;
        mpz_init_set_ui(n, (plumb_random_next(&random) >> 10) | 1);
        unsigned long places = (unsigned long)plumb_random_below(&random, 20);
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, 5, places);
        mpz_mul(n, n, power); /* n / 10^places has 54 bits */
        char text[200];
        gmp_snprintf(text, sizeof text, "%Zde-%lu", n, places);
        check_value(&powers, text);
        mpz_add_ui(n, n, 1);
        gmp_snprintf(text, sizeof text, "%Zde-%lu", n, places);
        check_value(&powers, text);
        mpz_clears(n, power, NULL);
    }
}

static void read_is_exact_only_when_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *entry;
        int32_t from; /* exact from this precision on; 8: at none */
    } cases[] = {{"0.5", 1},
                 {"0.1", 8},
                 {"1/4", 1},
                 {"1/3", 8},
                 {"9007199254740993", 2},
                 {"inf", 1},
                 {"nan", 1},
                 {"0x1.0000000000000000000001", 2},
                 {"0.1000000000000000055511151231257827021181583404541015625", 1},

                 {"100000000000000000000000000000000000000000000000001", 4},
                 {"1e-330", 8},
                 {"-0", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        FOR_EACH_PRECISION(prec)
        {
            char text[200];
            int length =
                snprintf(text, sizeof text, "%%%%MatrixMarket matrix array real general\n2 1\n1\n%s\n", cases[k].entry);
            text_matrix matrix = read_ok(text, (size_t)length, prec);
            if (matrix.exact != (prec >= cases[k].from))
                fail_msg("%s in %s", cases[k].entry, plumb_prec_name(prec));
            plumb_matrix_destroy(&matrix);
        }
}

static void query_knows_shape_and_kind(void **state)
{
    (void)state;
    text_matrix_info info;
    const char text[] = "%%MatrixMarket matrix coordinate complex hermitian\n% c\n4 4 2\n4 4 1 0\n4 1 not read yet\n";
    assert_int_equal(plumb_matrix_query(text, sizeof text - 1, &info, NULL), PLUMB_OK);
    assert_int_equal(info.format, PLUMB_FORMAT_MTX);
    assert_int_equal(info.rows, 4);
    assert_int_equal(info.cols, 4);
    assert_int_equal(info.stored, 2);
    assert_int_equal(info.parts, PLUMB_COMPLEX);
    assert_int_equal(info.prec, 0);
}

/* Prints what it takes; 1000 x 1000 must stay under ten seconds even with sanitizers on a busy machine. */
static void read_large_is_quick(void **state)
{
    (void)state;
    const int64_t n = 1000;
    plumb_random random = plumb_random_start(SEED);
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, n, n, 1, NULL), PLUMB_OK);
    view.data = malloc((size_t)(n * n) * sizeof(double));
    assert_non_null(view.data);
    for (int64_t i = 0; i < n * n; i++)
        view.data[i] = plumb_random_unit(&random) - 0.5;
    double start = seconds();
    char *text = written(&view, 0), where[200];
    double writing = seconds() - start;
    start = seconds();
    text_matrix back = read_ok(text, strlen(text), PLUMB_D);
    double reading = seconds() - start;
    printf("1000 x 1000 doubles: written in %.2f s, read in %.2f s\n", writing, reading);
    assert_string_equal(difference(&view, &back.view, where, sizeof where), "");
    assert_true(reading < 10);
    plumb_matrix_destroy(&back);
    free(text);
    free(view.data);
}

/* A small file may promise a large matrix of zeros; that must not cost what the matrix would. */
static void read_of_few_coordinates_is_cheap(void **state)
{
    (void)state;
    const char text[] = "%%MatrixMarket matrix coordinate real general\n10000 5000 1\n9999 5000 7\n";
    text_matrix matrix = read_ok(text, sizeof text - 1, PLUMB_D);
    assert_true(matrix.view.data[4999 * 10000 + 9998] == 7);
    assert_true(matrix.view.data[4999 * 10000 + 9999] == 0);
    plumb_matrix_destroy(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_reads_back_to_the_same_limbs),
        cmocka_unit_test(write_has_the_digits_asked_for),
        cmocka_unit_test(write_reports_failures),
        cmocka_unit_test(value_round_equals_number_round),
        cmocka_unit_test(read_is_exact_only_when_it_is),
        cmocka_unit_test(query_knows_shape_and_kind),
        cmocka_unit_test(read_large_is_quick),
        cmocka_unit_test(read_of_few_coordinates_is_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
