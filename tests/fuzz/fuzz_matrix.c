/* fuzz_matrix.c - any bytes through plumb_matrix_read and plumb_table_read, and back through all writers.
 *
 *     tests/fuzz/run matrix 60
 *
 * A query must agree with what is then read, an error must have its place inside the bytes and the same status when
 * nobody asks for it, a lower precision must not change leading limbs of text, and what was read must come back with
 * every bit: from npy always, from Matrix Market with the sign of zeros in lower limbs and limbs at a tie left aside. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"
#include "text/matrix/matrix.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_same(const plumb_view *a, const plumb_view *b)
{
    CHECK(a->rows == b->rows && a->cols == b->cols && a->parts == b->parts && a->prec == b->prec);
    for (int64_t i = 0; i < a->next; i++)
        CHECK(same(a->data[i], b->data[i]));
}

static void check_round_trip(const text_matrix *matrix, plumb_format format, int from_text)
{
    char *bytes;
    size_t length;
    text_matrix back, again;
    FILE *file = open_memstream(&bytes, &length);
    CHECK(file != NULL);
    plumb_status status = format == PLUMB_FORMAT_NPY ? plumb_matrix_write_npy(file, &matrix->view, NULL, 0)
                                                     : plumb_matrix_write_market(file, &matrix->view, 0, NULL, 0);
    fclose(file);
    if (status == PLUMB_ERR_RANGE && !from_text) { /* limbs may add up to more than a double */
        free(bytes);
        return;
    }
    CHECK(status == PLUMB_OK);
    CHECK(plumb_matrix_read(bytes, length, matrix->view.prec, &back, NULL) == PLUMB_OK);
    if (format == PLUMB_FORMAT_NPY || from_text)
        check_same(&matrix->view, &back.view);
    free(bytes);

    file = open_memstream(&bytes, &length); /* limbs from text are canonical, so the second time all is the same */
    CHECK(file != NULL);
    CHECK(plumb_matrix_write_market(file, &back.view, 0, NULL, 0) == PLUMB_OK || !from_text);
    fclose(file);
    if (from_text) {
        CHECK(plumb_matrix_read(bytes, length, matrix->view.prec, &again, NULL) == PLUMB_OK);
        check_same(&back.view, &again.view);
        plumb_matrix_destroy(&again);
    }
    free(bytes);
    plumb_matrix_destroy(&back);
}

/* The same bytes as a table: an error with its place, or numbers that come back with every bit. */
static void check_table(const uint8_t *data, size_t size)
{
    const int32_t precs[3] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    for (int k = 0; k < 3; k++) {
        text_matrix table, back;
        plumb_text_error error = {.line = 0};
        plumb_status status = plumb_table_read(data, size, precs[k], &table, &error);
        if (status != PLUMB_OK) {
            CHECK(table.memory == NULL && table.view.data == NULL);
            CHECK(error.line >= 1 && error.line <= (int64_t)size + 1);
            CHECK(error.column >= 1 && error.column <= (int64_t)size + 1 && strlen(error.message) > 0);
            CHECK(plumb_table_read(data, size, precs[k], &table, NULL) == status);
            return;
        }
        char *bytes;
        size_t length;
        FILE *file = open_memstream(&bytes, &length);
        CHECK(file != NULL);
        CHECK(plumb_table_write(file, &table.view, NULL, 0) == PLUMB_OK);
        fclose(file);
        CHECK(plumb_table_read(bytes, length, precs[k], &back, NULL) == PLUMB_OK);
        CHECK(table.view.next == back.view.next);
        for (int64_t i = 0; i < table.view.next; i++) /* the sign of a zero part of a complex number is not kept */
            CHECK(table.view.data[i] == back.view.data[i] || (isnan(table.view.data[i]) && isnan(back.view.data[i])));
        free(bytes);
        plumb_matrix_destroy(&table);
        plumb_matrix_destroy(&back);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_table(data, size);
    text_matrix_info info;
    plumb_text_error error = {.line = 0};
    plumb_status query = plumb_matrix_query(data, size, &info, &error);
    if (query == PLUMB_OK && (info.rows > 1000 || info.cols > 1000))
        return 0; /* only zeros, many of them */
    text_matrix all[3];
    const int32_t precs[3] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    for (int k = 2; k >= 0; k--) {
        plumb_status status = plumb_matrix_read(data, size, precs[k], &all[k], &error);
        if (status != PLUMB_OK) {
            CHECK(k == 2); /* what can be read in qd can be read */
            CHECK(all[k].memory == NULL && all[k].view.data == NULL);
            CHECK(error.line >= 1 && error.column >= 1 && error.column <= (int64_t)size + 1);
            CHECK(error.line <= (int64_t)size + 1 && strlen(error.message) > 0);
            CHECK(plumb_matrix_read(data, size, precs[k], &all[k], NULL) == status);
            return 0;
        }
        CHECK(query == PLUMB_OK && all[k].view.rows == info.rows && all[k].view.cols == info.cols);
        CHECK(all[k].view.parts == info.parts);
        CHECK(k == 2 || !all[k].exact || all[k + 1].exact);
        check_round_trip(&all[k], PLUMB_FORMAT_NPY, info.format == PLUMB_FORMAT_MTX);
        check_round_trip(&all[k], PLUMB_FORMAT_MTX, info.format == PLUMB_FORMAT_MTX);
    }
    for (int part = 0; part < info.parts && info.format == PLUMB_FORMAT_MTX; part++)
        for (int64_t i = 0; i < info.rows * info.cols; i++)
            for (int k = 0; k < 2; k++)
                CHECK(same(all[k].view.data[part * all[k].view.prec * all[k].view.plane + i],
                           all[2].view.data[part * all[2].view.prec * all[2].view.plane + i]));
    for (int k = 0; k < 3; k++)
        plumb_matrix_destroy(&all[k]);
    return 0;
}
