/* t_public_files.c - tests reading and writing of matrices, systems and solutions through the public header alone:
 * what is written, to memory or to a file of any format, reads back to the same bits; failures name what was found
 * and where. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plumb.h"

static char folder[] = "/tmp/plumb-files-XXXXXX";
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.mtx", "a.npy", "a.csv", "f.phc", "f.txt", "s.json", "s.sol", "bad.phc", "t"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        (void)unlink(in_folder(names[k]));
    return rmdir(folder);
}

static void formats_go_by_the_ending(void **state)
{
    (void)state;
    assert_int_equal(plumb_format_of_path("x/a.mtx"), PLUMB_FORMAT_MTX);
    assert_int_equal(plumb_format_of_path("a.npy"), PLUMB_FORMAT_NPY);
    assert_int_equal(plumb_format_of_path("a.csv"), PLUMB_FORMAT_CSV);
    assert_int_equal(plumb_format_of_path("a.phc"), PLUMB_FORMAT_PHC);
    assert_int_equal(plumb_format_of_path("a.sol"), PLUMB_FORMAT_PHC);
    assert_int_equal(plumb_format_of_path("a.txt"), PLUMB_FORMAT_TXT);
    assert_int_equal(plumb_format_of_path("a.json"), PLUMB_FORMAT_JSON);
    assert_int_equal(plumb_format_of_path("a.json.gz"), PLUMB_FORMAT_AUTO);
    assert_int_equal(plumb_format_of_path(".mtx"), PLUMB_FORMAT_AUTO);
    assert_int_equal(plumb_format_of_path(""), PLUMB_FORMAT_AUTO);
    assert_int_equal(plumb_format_of_path(NULL), PLUMB_FORMAT_AUTO);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static void assert_entries(const plumb_matrix *m, const double *data, int64_t count, int32_t parts)
{
    assert_int_equal(m->view.parts, parts);
    assert_memory_equal(m->view.data, data, (size_t)count * sizeof *data);
}

static void matrices_come_back(void **state)
{
    (void)state;
    enum { ROWS = 3, COLS = 2 };
    double data[ROWS * COLS * 2 * PLUMB_DD];
    for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
        int64_t count;
        plumb_view a;
        assert_int_equal(plumb_view_init(&a, data, PLUMB_HOST, PLUMB_DD, parts, ROWS, COLS, 1, &count), PLUMB_OK);
        for (int64_t k = 0; k < count; k++)
            data[k] = (k / (ROWS * COLS)) % 2 ? 0x1p-56 / (double)(k + 3) : 1.0 / (double)(k + 1);
        static const struct {
            const char *name;
            plumb_format format;
        } files[] = {{"a.mtx", PLUMB_FORMAT_MTX}, {"a.npy", PLUMB_FORMAT_NPY}, {"a.csv", PLUMB_FORMAT_CSV}};
        for (int k = 0; k < 3; k++) {
            plumb_matrix back;
            plumb_matrix_info info;
            size_t needed = 0, used = 0;
            assert_int_equal(plumb_matrix_write_file(&a, in_folder(files[k].name), PLUMB_FORMAT_AUTO, 0), PLUMB_OK);
            assert_int_equal(plumb_matrix_read_file(path, PLUMB_DD, &back, NULL), PLUMB_OK);
            assert_entries(&back, data, count, parts);
            if (files[k].format == PLUMB_FORMAT_NPY) /* decimals read back to the limbs, but are not equal to them */
                assert_int_equal(back.exact, 1);
            plumb_matrix_destroy(&back);
            assert_null(back.view.data);

            assert_int_equal(plumb_matrix_write(&a, files[k].format, 0, NULL, 0, &needed), PLUMB_ERR_BUFFER);
            assert_true(needed > 20);
            char *bytes = malloc(needed);
            assert_int_equal(plumb_matrix_write(&a, files[k].format, 0, bytes, needed, &used), PLUMB_OK);
            assert_int_equal(used, needed);
            plumb_status status = files[k].format == PLUMB_FORMAT_CSV
                                      ? plumb_table_read(bytes, used, PLUMB_DD, &back, NULL)
                                      : plumb_matrix_read(bytes, used, PLUMB_DD, &back, NULL);
            assert_int_equal(status, PLUMB_OK);
            assert_entries(&back, data, count, parts);
            plumb_matrix_destroy(&back);
            if (files[k].format != PLUMB_FORMAT_CSV) {
                assert_int_equal(plumb_matrix_query(bytes, used, &info, NULL), PLUMB_OK);
                assert_true(info.rows == ROWS && info.cols == COLS && info.parts == parts);
                assert_int_equal(info.format, files[k].format);
                assert_int_equal(info.prec, files[k].format == PLUMB_FORMAT_NPY ? PLUMB_DD : 0);
            }
            free(bytes);
        }
    }
}

static void matrices_that_cannot_be_are_refused(void **state)
{
    (void)state;
    double data[4] = {1, 2, 3, 4};
    plumb_view a;
    plumb_matrix m;
    plumb_text_error error;
    char other[256];
    static const char bad[] = "%%MatrixMarket matrix array real general\n2 1\n1.0\noops\n";
    assert_int_equal(plumb_view_init(&a, data, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 2, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_matrix_read(bad, strlen(bad), PLUMB_D, &m, &error), PLUMB_ERR_PARSE);
    assert_true(error.line == 4 && error.column == 1);
    assert_non_null(strstr(plumb_last_message(), "line 4, column 1"));
    assert_null(m.view.data);
    assert_int_equal(plumb_matrix_read_file(in_folder("none.mtx"), PLUMB_D, &m, &error), PLUMB_ERR_IO);
    assert_non_null(strstr(plumb_last_message(), "none.mtx"));
    assert_non_null(strstr(error.message, "none.mtx"));
    assert_int_equal(plumb_matrix_read_file(NULL, PLUMB_D, &m, NULL), PLUMB_ERR_ARGUMENT);
    FILE *table = fopen(in_folder("a.mtx"), "w"); /* a table with a name that promises something else */
    assert_non_null(table);
    fputs("1 2\n3 4\n", table);
    fclose(table);
    assert_int_equal(plumb_matrix_read_file(path, PLUMB_D, &m, &error), PLUMB_ERR_PARSE);
    assert_int_equal(rename(path, (snprintf(other, sizeof other, "%s/t", folder), other)), 0);
    assert_int_equal(plumb_matrix_read_file(other, PLUMB_D, &m, &error), PLUMB_OK);
    assert_true(m.view.rows == 2 && m.view.cols == 2 && m.view.data[1] == 3.0);
    plumb_matrix_destroy(&m);
    assert_int_equal(plumb_matrix_write_file(&a, in_folder("a.json"), PLUMB_FORMAT_AUTO, 0), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_last_message(), ".mtx"));
    assert_int_equal(plumb_matrix_write_file(&a, in_folder("a.npy"), PLUMB_FORMAT_AUTO, 7), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_matrix_write_file(&a, "/nowhere/at/all/a.npy", PLUMB_FORMAT_AUTO, 0), PLUMB_ERR_IO);
    assert_non_null(strstr(plumb_last_message(), "/nowhere/at/all/a.npy"));
    assert_int_equal(plumb_matrix_write(&a, PLUMB_FORMAT_JSON, 0, NULL, 0, NULL), PLUMB_ERR_ARGUMENT);
    a.rows = 0;
    assert_int_equal(plumb_matrix_write_file(&a, in_folder("a.mtx"), PLUMB_FORMAT_AUTO, 0), PLUMB_ERR_ARGUMENT);
    plumb_matrix_destroy(NULL);
}

/* ---- Systems ----------------------------------------------------------------------------------------------------- */

static void systems_come_back(void **state)
{
    (void)state;
    static const char text[] = "3 2\n x^3 - 1/3; x*y - (2 + i); x^2*y - 6;";
    static const char *const names[] = {"f.phc", "f.txt"};
    plumb_system *system = NULL, *back = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    char expected[256], found[256];
    assert_int_equal(plumb_system_write(system, PLUMB_FORMAT_AUTO, expected, sizeof expected, NULL), PLUMB_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(plumb_system_write_file(system, in_folder(names[k]), PLUMB_FORMAT_AUTO), PLUMB_OK);
        assert_int_equal(plumb_system_read_file(path, &back, NULL), PLUMB_OK);
        assert_int_equal(plumb_system_write(back, PLUMB_FORMAT_PHC, found, sizeof found, NULL), PLUMB_OK);
        assert_string_equal(found, expected);
        plumb_system_destroy(back);
    }
    assert_int_equal(plumb_system_write_file(system, in_folder("f"), PLUMB_FORMAT_AUTO), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write_file(system, in_folder("t"), PLUMB_FORMAT_TXT), PLUMB_OK);
    assert_int_equal(plumb_system_read_file(in_folder("none.phc"), &back, NULL), PLUMB_ERR_IO);
    assert_null(back);
    FILE *bad = fopen(in_folder("bad.phc"), "w");
    assert_non_null(bad);
    fputs("1\n x + ;\n", bad);
    fclose(bad);
    assert_int_equal(plumb_system_read_file(path, &back, NULL), PLUMB_ERR_PARSE);
    assert_non_null(strstr(plumb_last_message(), "line 2"));
    plumb_system_destroy(system);
}

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

static void solutions_come_back(void **state)
{
    (void)state;
    enum { COUNT = 5, UNKNOWNS = 3 };
    static const char *const names[] = {"x", "y", "z"}, *const files[] = {"s.sol", "s.json"};
    plumb_solutions *list = NULL, *back = NULL;
    plumb_view x, y;
    int64_t doubles;
    double from[COUNT * UNKNOWNS * 2 * PLUMB_QD], to[COUNT * UNKNOWNS * 2 * PLUMB_QD];
    assert_int_equal(plumb_solutions_create(COUNT, UNKNOWNS, PLUMB_QD, names, &list), PLUMB_OK);
    assert_int_equal(plumb_view_init(&x, from, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, UNKNOWNS, 1, COUNT, &doubles),
                     PLUMB_OK);
    assert_int_equal(plumb_view_init(&y, to, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, UNKNOWNS, 1, COUNT, NULL), PLUMB_OK);
    for (int64_t k = 0; k < doubles; k++)
        from[k] = ldexp(1.0 / (double)(k + 1), -55 * (int)(k / UNKNOWNS % PLUMB_QD));
    assert_int_equal(plumb_solutions_set(list, 0, &x), PLUMB_OK);
    plumb_solution_record record = {
        .multiplicity = 2, .error = 1e-20, .rcond = 0.125, .residual = 1e-30, .t = {1.0, 0.0}};
    for (int64_t k = 0; k < COUNT; k++)
        assert_int_equal(plumb_solutions_set_record(list, k, &record), PLUMB_OK);
    for (int f = 0; f < 2; f++) {
        assert_int_equal(plumb_solutions_write_file(list, in_folder(files[f]), PLUMB_FORMAT_AUTO), PLUMB_OK);
        assert_int_equal(plumb_solutions_read_file(path, PLUMB_QD, &back, NULL), PLUMB_OK);
        assert_int_equal(plumb_solutions_count(back), COUNT);
        assert_int_equal(plumb_solutions_unknowns(back), UNKNOWNS);
        assert_int_equal(plumb_solutions_prec(back), PLUMB_QD);
        for (int i = 0; i < UNKNOWNS; i++)
            assert_string_equal(plumb_solutions_name(back, i), names[i]);
        assert_null(plumb_solutions_name(back, UNKNOWNS));
        memset(to, 0, sizeof to);
        assert_int_equal(plumb_solutions_get(back, 0, &y), PLUMB_OK);
        assert_memory_equal(from, to, sizeof from);
        plumb_solution_record found;
        assert_int_equal(plumb_solutions_get_record(back, 3, &found), PLUMB_OK);
        assert_true(found.multiplicity == 2 && found.t[0] == 1.0 && found.t[1] == 0.0);
        assert_true(fabs(found.rcond - 0.125) < 1e-3 && found.error < 1.1e-20 && found.residual < 1.1e-30);

        size_t needed = 0;
        const plumb_format format = f == 0 ? PLUMB_FORMAT_PHC : PLUMB_FORMAT_JSON;
        assert_int_equal(plumb_solutions_write(list, format, NULL, 0, &needed), PLUMB_ERR_BUFFER);
        char *text = malloc(needed);
        assert_int_equal(plumb_solutions_write(list, format, text, needed, NULL), PLUMB_OK);
        assert_int_equal(strlen(text) + 1, needed);
        plumb_solutions_destroy(back);
        assert_int_equal(plumb_solutions_read(text, needed - 1, PLUMB_QD, &back, NULL), PLUMB_OK);
        assert_int_equal(plumb_solutions_get(back, 0, &y), PLUMB_OK);
        assert_memory_equal(from, to, sizeof from);
        plumb_solutions_destroy(back);
        free(text);
    }
    assert_int_equal(plumb_solutions_get(list, 1, &y), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_last_message(), "there are 5"));
    assert_int_equal(plumb_solutions_get_record(list, COUNT, &record), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solutions_write_file(list, in_folder("s.csv"), PLUMB_FORMAT_AUTO), PLUMB_ERR_ARGUMENT);
    y.prec = PLUMB_DD;
    assert_int_equal(plumb_solutions_get(list, 0, &y), PLUMB_ERR_ARGUMENT);
    plumb_solutions_destroy(list);
    plumb_solutions_destroy(NULL);
    assert_int_equal(plumb_solutions_read("nothing", 7, PLUMB_D, &back, NULL), PLUMB_ERR_PARSE);
    assert_non_null(strstr(plumb_last_message(), "line 1"));
    assert_int_equal(plumb_solutions_create(1, 0, PLUMB_D, NULL, &list), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_last_message(), "unknowns"));
}

/* Some editors write a byte order mark before UTF-8. Columns are counted after it. */
static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
#define MARK "\xef\xbb\xbf"
    static const char *const systems[] = {
        MARK "2\nx - y;\nx + y - 1;\n",
        MARK "x - y\nx + y - 1\n",
        MARK "# both\nx - y;\nx + y - 1;",
        MARK "variable_group x, y;\nfunction f, g;\nf = x - y;\ng = x + y - 1;\nEND;\n",
        MARK
        "CONFIG\nTRACKTYPE: 0;\nEND;\nINPUT\nvariable_group x, y;\nfunction f, g;\nf = x - y;\ng = x + y - 1;\nEND;\n",
        MARK "x,y\n0\nx-y,\nx+y-1\n",
    };
    static const char *const lists[] = {
        MARK "THE SOLUTIONS :\n1 1\n===\nsolution 1 :\nt : 1 0\nm : 1\nthe solution for t :\n x : 2 0\n"
             "== err : 0 = rco : 1 = res : 0 ==\n",
        MARK "1 1\n===\nsolution 1 :\nt : 1 0\nm : 1\nthe solution for t :\n x : 2 0\n"
             "== err : 0 = rco : 1 = res : 0 ==\n",
        MARK "{\"unknowns\": [\"x\"], \"solutions\": [{\"x\": [[\"2\", \"0\"]]}]}",
    };
    static const char market[] = MARK "%%MatrixMarket matrix array real general\n1 1\n2\n", table[] = MARK "2\n",
                      bad[] = MARK "?", *const equations[] = {MARK "x - y", MARK "x + y - 1"};
    plumb_text_error error;
    plumb_system *system;
    plumb_matrix matrix;
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++) {
        assert_int_equal(plumb_system_parse(systems[k], strlen(systems[k]), &system, &error), PLUMB_OK);
        assert_int_equal(plumb_system_equations(system), 2);
        assert_string_equal(plumb_system_name(system, 0), "x");
        plumb_system_destroy(system);
    }
    assert_int_equal(plumb_system_parse_equations(equations, 2, &system, &error), PLUMB_OK);
    plumb_system_destroy(system);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        plumb_solutions *list;
        assert_int_equal(plumb_solutions_read(lists[k], strlen(lists[k]), PLUMB_D, &list, &error), PLUMB_OK);
        assert_int_equal(plumb_solutions_count(list), 1);
        plumb_solutions_destroy(list);
    }
    assert_int_equal(plumb_matrix_read(market, sizeof market - 1, PLUMB_D, &matrix, &error), PLUMB_OK);
    plumb_matrix_destroy(&matrix);
    assert_int_equal(plumb_table_read(table, sizeof table - 1, PLUMB_D, &matrix, &error), PLUMB_OK);
    plumb_matrix_destroy(&matrix);
    assert_int_equal(plumb_system_parse(bad, sizeof bad - 1, &system, &error), PLUMB_ERR_PARSE);
    assert_int_equal(error.column, 1);
    assert_non_null(strstr(error.message, "found '?'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_go_by_the_ending),
        cmocka_unit_test(matrices_come_back),
        cmocka_unit_test(matrices_that_cannot_be_are_refused),
        cmocka_unit_test(systems_come_back),
        cmocka_unit_test(solutions_come_back),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
