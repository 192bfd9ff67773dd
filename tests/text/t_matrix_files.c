/* t_matrix_files.c - tests a corpus of matrix files: valid files agree with one another, and each invalid file has
 * its message.
 *
 * data/matrices/good/LIST names for each file one that holds the same matrix, written differently; bad/LIST has the
 * exact place and words of each error. Then the good files are cut short and damaged in every way that chance finds. */
#include "matrix_files.h"

static plumb_status read_bytes(const bytes *b, int32_t prec, text_matrix *matrix, plumb_text_error *error)
{
    return b->table ? plumb_table_read(b->at, b->length, prec, matrix, error)
                    : plumb_matrix_read(b->at, b->length, prec, matrix, error);
}

/* What holds for any bytes: a query agrees with what is then read, and an error has a place and words. */
static plumb_status check_any(const bytes *b, int32_t prec)
{
    text_matrix_info info;
    text_matrix matrix;
    plumb_text_error error = {.line = 0};
    plumb_status query = b->table ? PLUMB_OK : plumb_matrix_query(b->at, b->length, &info, &error);
    if (query == PLUMB_OK && !b->table && (info.rows > 10000 || info.cols > 10000))
        return PLUMB_ERR_MEMORY; /* damage made it large: nothing to learn from gigabytes of zeros */
    plumb_status status = read_bytes(b, prec, &matrix, &error);
    assert_true(query == PLUMB_OK || status != PLUMB_OK);
    if (status == PLUMB_OK) {
        if (!b->table) {
            assert_int_equal(matrix.view.rows, info.rows);
            assert_int_equal(matrix.view.cols, info.cols);
            assert_int_equal(matrix.view.parts, info.parts);
        }
        assert_int_equal((uintptr_t)matrix.view.data % 64, 0);
    } else {
        assert_null(matrix.memory);
        assert_true(error.line >= 1 && error.column >= 1 && error.column <= (int64_t)b->length + 1);
        assert_true(strlen(error.message) > 10);
        assert_int_equal(read_bytes(b, prec, &matrix, NULL), status);
    }
    plumb_matrix_destroy(&matrix);
    return status;
}

static void check_good(char *words[3])
{
    bytes file = load_bytes("good", words[0]), other = load_bytes("good", words[1]);
    int32_t highest = plumb_prec_from_name(words[2]);
    assert_int_not_equal(highest, 0);
    FOR_EACH_PRECISION(prec)
    {
        plumb_text_error error;
        text_matrix a, b;
        char where[200];
        if (prec > highest)
            continue;
        if (read_bytes(&file, prec, &a, &error) != PLUMB_OK)
            fail_msg("%s:%d:%d: %s", words[0], (int)error.line, (int)error.column, error.message);
        assert_int_equal(read_bytes(&other, prec, &b, NULL), PLUMB_OK);
        if (*difference(&a.view, &b.view, where, sizeof where) != 0)
            fail_msg("%s and %s in %s: %s", words[0], words[1], plumb_prec_name(prec), where);
        if (strstr(words[0], ".npy") == NULL && strstr(words[1], ".npy") == NULL &&
            !(file.table && a.view.parts == PLUMB_COMPLEX)) /* such a table says of itself that it was rounded */
            assert_int_equal(a.exact, b.exact);
        plumb_matrix_destroy(&a);
        plumb_matrix_destroy(&b);
        assert_int_equal(check_any(&file, prec), PLUMB_OK);
    }
    free(file.at);
    free(other.at);
}

static void read_good_files_agree(void **state)
{
    (void)state;
    for_each_listed("good", check_good);
}

static void check_bad(char *words[3])
{
    bytes file = load_bytes("bad", words[0]);
    plumb_text_error error = {.line = 0};
    text_matrix matrix;
    plumb_status status = read_bytes(&file, PLUMB_QD, &matrix, &error);
    char place[64], *amounts = strstr(error.message, ": it needs"); /* which depend on the computer */
    snprintf(place, sizeof place, "%lld:%lld:", (long long)error.line, (long long)error.column);
    if (amounts != NULL)
        *amounts = 0;
    if (status == PLUMB_OK || strcmp(place, words[1]) != 0 || strcmp(error.message, words[2]) != 0)
        fail_msg("%s: status %d, %s %s\n  expected %s %s", words[0], (int)status, place, error.message, words[1],
                 words[2]);
    assert_null(matrix.memory);
    assert_int_not_equal(check_any(&file, PLUMB_D), PLUMB_OK);
    free(file.at);
}

static void read_bad_files_have_their_message(void **state)
{
    (void)state;
    for_each_listed("bad", check_bad);
}

static void check_prefixes(char *words[3])
{
    bytes file = load_bytes("good", words[0]);
    for (size_t length = 0; length < file.length; length++) {
        bytes part = {.at = malloc(length > 0 ? length : 1), .length = length, .table = file.table};
        assert_non_null(part.at);
        memcpy(part.at, file.at, length);
        check_any(&part, PLUMB_DD);
        free(part.at);
    }
    free(file.at);
}

static void read_survives_every_prefix(void **state)
{
    (void)state;
    for_each_listed("good", check_prefixes);
}

static uint64_t damage_seed;

static void check_damaged(char *words[3])
{
    bytes file = load_bytes("good", words[0]);
    plumb_random random = plumb_random_start(damage_seed++);
    for (int round = 0; round < 300; round++) {
        bytes copy = {.at = malloc(file.length), .length = file.length, .table = file.table};
        assert_non_null(copy.at);
        memcpy(copy.at, file.at, file.length);
        for (uint64_t n = 1 + plumb_random_below(&random, 3); n > 0; n--) {
            static const char usual[] = "0123456789+-./eExX%,;\"#()'{}: \n\r\t";
            size_t at = (size_t)plumb_random_below(&random, file.length);
            uint64_t byte = plumb_random_below(&random, 256);
            copy.at[at] = round % 2 == 0 ? (char)byte : usual[byte % (sizeof usual - 1)];
        }
        FOR_EACH_PRECISION(prec)
        {
            check_any(&copy, prec);
        }
        free(copy.at);
    }
    free(file.at);
}

static void read_survives_damage(void **state)
{
    (void)state;
    damage_seed = 90210;
    printf("seeds from %llu\n", (unsigned long long)damage_seed);
    for_each_listed("good", check_damaged);
}

static void read_says_wrong_arguments(void **state)
{
    (void)state;
    text_matrix matrix;
    plumb_text_error error;
    const char text[] = "%%MatrixMarket matrix array real general\n1 1\n1\n";
    assert_int_equal(plumb_matrix_read(text, sizeof text - 1, 3, &matrix, &error), PLUMB_ERR_ARGUMENT);
    assert_string_equal(error.message, "there is no precision of 3 limbs");
    assert_int_equal(plumb_matrix_read(NULL, 5, PLUMB_D, &matrix, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_matrix_read(NULL, 0, PLUMB_D, &matrix, &error), PLUMB_ERR_PARSE);
    plumb_matrix_destroy(&matrix);
    plumb_matrix_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_good_files_agree),      cmocka_unit_test(read_bad_files_have_their_message),
        cmocka_unit_test(read_survives_every_prefix), cmocka_unit_test(read_survives_damage),
        cmocka_unit_test(read_says_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
