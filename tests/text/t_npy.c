/* t_npy.c - tests npy: the bytes that numpy's format requires, round trips of every bit, and rounding between
 * precisions. */
#include "matrix_files.h"

static const uint64_t SEED = 27182;

static bytes written(const plumb_view *view)
{
    bytes b;
    char message[200];
    FILE *file = open_memstream(&b.at, &b.length);
    assert_non_null(file);
    if (plumb_matrix_write_npy(file, view, message, sizeof message) != PLUMB_OK)
        fail_msg("%s", message);
    fclose(file);
    return b;
}

static text_matrix read_ok(const bytes *b, int32_t prec)
{
    text_matrix matrix;
    plumb_text_error error;
    if (plumb_matrix_read(b->at, b->length, prec, &matrix, &error) != PLUMB_OK)
        fail_msg("%d:%d: %s", (int)error.line, (int)error.column, error.message);
    return matrix;
}

static void check_bytes(int32_t prec, int32_t parts, const double *planes, const char *dictionary,
                        const double *expected, size_t count)
{
    double data[16];
    int64_t doubles;
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, prec, parts, 1, 2, 1, &doubles), PLUMB_OK);
    memcpy(data, planes, (size_t)doubles * sizeof *data);
    bytes b = written(&view);
    unsigned char head[128 + 16 * 8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    memset(head + 10, ' ', 118);
    for (size_t i = 0; dictionary[i] != 0; i++)
        head[10 + i] = (unsigned char)dictionary[i];
    head[127] = '\n';
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &expected[i], sizeof bits);
        for (int k = 0; k < 8; k++)
            head[128 + 8 * i + (size_t)k] = (unsigned char)(bits >> 8 * k);
    }
    assert_int_equal(b.length, 128 + 8 * count);
    assert_memory_equal(b.at, head, b.length);
    free(b.at);
}

static void write_gives_these_bytes(void **state)
{
    (void)state;
    check_bytes(PLUMB_D, PLUMB_REAL, (double[]){1.5, -2}, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }",
                (double[]){1.5, -2}, 2);
    check_bytes(PLUMB_D, PLUMB_COMPLEX, (double[]){1, 2, 3, 4},
                "{'descr': '<c16', 'fortran_order': True, 'shape': (1, 2), }", (double[]){1, 3, 2, 4}, 4);
    check_bytes(PLUMB_DD, PLUMB_REAL, (double[]){1, 2, 0x1p-60, 0x1p-61},
                "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2, 2), }", (double[]){1, 2, 0x1p-60, 0x1p-61}, 4);
    /* planes: real limbs, then imaginary ones; in the file the part is the faster of the two axes */
    check_bytes(PLUMB_DD, PLUMB_COMPLEX, (double[]){1, 2, 0x1p-60, 0x1p-61, 3, 4, 0x1p-62, 0x1p-63},
                "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2, 2, 2), }",
                (double[]){1, 2, 3, 4, 0x1p-60, 0x1p-61, 0x1p-62, 0x1p-63}, 8);
}

/* Also a head that is as long as heads get. */
static void write_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    for (int round = 0; round < 100; round++)
        FOR_EACH_PRECISION(prec)
        {
            for (int32_t parts = 1; parts <= 2; parts++) {
                int64_t rows = 1 + (int64_t)plumb_random_below(&random, 12), doubles;
                int64_t cols = 1 + (int64_t)plumb_random_below(&random, round % 10 == 0 ? 120 : 12);
                plumb_view view;
                char where[200];
                assert_int_equal(plumb_view_init(&view, NULL, PLUMB_HOST, prec, parts, rows, cols, 1, &doubles),
                                 PLUMB_OK);
                view.data = malloc((size_t)doubles * sizeof(double));
                assert_non_null(view.data);
                for (int64_t i = 0; i < rows * cols * parts; i++) {
                    double limbs[4];
                    random_limbs(&random, prec, limbs);
                    for (int32_t k = 0; k < prec; k++)
                        view.data[(i / view.plane * prec + k) * view.plane + i % view.plane] = limbs[k];
                }
                bytes b = written(&view);
                text_matrix back = read_ok(&b, prec);
                assert_string_equal(difference(&view, &back.view, where, sizeof where), "");
                assert_true(back.exact);
                text_matrix_info info;
                assert_int_equal(plumb_matrix_query(b.at, b.length, &info, NULL), PLUMB_OK);
                assert_int_equal(info.format, PLUMB_FORMAT_NPY);
                assert_int_equal(info.prec, prec);
                assert_int_equal(info.stored, rows * cols);
                plumb_matrix_destroy(&back);
                free(b.at);
                free(view.data);
            }
        }
}

/* From a qd file: each lower precision holds the rounded sum, and says whether that lost anything. */
static void read_rounds_to_lower_precisions(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    for (int round = 0; round < 2000; round++) {
        double data[4];
        plumb_view view;
        assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, PLUMB_QD, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_OK);
        random_limbs(&random, PLUMB_QD, data);
        if (round % 5 == 0)
            data[2] = data[3] = 0;
        bytes b = written(&view);
        FOR_EACH_PRECISION(prec)
        {
            double expected[4];
            plumb_round_limbs(data, PLUMB_QD, expected, prec);
            text_matrix back = read_ok(&b, prec);
            bool lost = false;
            for (int32_t i = 0; i < PLUMB_QD; i++) {
                lost = lost || (i >= prec && data[i] != 0); /* data are canonical: nothing moves up */
                if (i < prec)
                    assert_true(same_double(back.view.data[i], expected[i]));
            }
            assert_int_equal(back.exact, !lost);
            plumb_matrix_destroy(&back);
        }
        free(b.at);
    }
}

/* Halfway limbs with an odd one above are as good as canonical and stay; at a higher precision zeros follow. */
static void read_keeps_limbs_that_do_not_overlap(void **state)
{
    (void)state;
    double data[2] = {0x1.0000000000001p0, 0x1p-53};
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, data, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_OK);
    bytes b = written(&view);
    text_matrix same = read_ok(&b, PLUMB_DD), more = read_ok(&b, PLUMB_QD), less = read_ok(&b, PLUMB_D);
    assert_memory_equal(same.view.data, data, sizeof data);
    assert_memory_equal(more.view.data, ((double[]){data[0], data[1], 0, 0}), 4 * sizeof(double));
    assert_true(same.exact && more.exact && !less.exact);
    assert_true(less.view.data[0] == 0x1.0000000000002p0); /* a tie, to even */
    plumb_matrix_destroy(&same);
    plumb_matrix_destroy(&more);
    plumb_matrix_destroy(&less);
    free(b.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_gives_these_bytes),
        cmocka_unit_test(write_reads_back_to_the_same_bits),
        cmocka_unit_test(read_rounds_to_lower_precisions),
        cmocka_unit_test(read_keeps_limbs_that_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
