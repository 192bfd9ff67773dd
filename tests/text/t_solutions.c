/* t_solutions.c - tests files of solutions: PHCpack's format as other programs write it, round trips of our output
 * and of JSON, and every error. */
#include "base/number/random.h"
#include "base/number/round.h"
#include "system_texts.h"
#include "text/solutions/text.h"

#include <math.h>

static plumb_solutions *read_good(const char *text, int32_t prec)
{
    plumb_solutions *solutions;
    plumb_text_error error;
    if (plumb_solutions_read(text, strlen(text), prec, &solutions, &error) != PLUMB_OK)
        fail_msg("%s\n%d:%d: %s", text, (int)error.line, (int)error.column, error.message);
    return solutions;
}

/* To be freed. */
static char *write_solutions(const plumb_solutions *s, bool json)
{
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_int_equal(json ? plumb_solutions_write_json(file, s) : plumb_solutions_write_phc(file, s), PLUMB_OK);
    fclose(file);
    return text;
}

static bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void check_same(const plumb_solutions *a, const plumb_solutions *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->unknowns, b->unknowns);
    for (int64_t i = 0; i < a->unknowns; i++)
        assert_string_equal(a->names[i], b->names[i]);
    for (int64_t i = 0; i < a->count * a->unknowns * 2 * a->prec; i++)
        assert_true(same_double(a->x[i], b->x[i]));
    for (int64_t i = 0; i < a->count * 2 * a->prec; i++)
        assert_true(same_double(a->t[i], b->t[i]));
    for (int64_t k = 0; k < a->count; k++) {
        assert_int_equal(a->record[k].multiplicity, b->record[k].multiplicity);
        assert_true(same_double(a->record[k].err, b->record[k].err));
        assert_true(same_double(a->record[k].rco, b->record[k].rco));
        assert_true(same_double(a->record[k].res, b->record[k].res));
    }
}

static void check_round_trips(const plumb_solutions *s)
{
    for (int json = 0; json < 2; json++) {
        char *text = write_solutions(s, json != 0);
        plumb_solutions *back = read_good(text, s->prec);
        check_same(s, back);
        plumb_solutions_destroy(back);
        free(text);
    }
}

#define HEAD "THE SOLUTIONS :\n1 2\n====\n"
#define SOLUTION                                                                                              \
    "solution 1 :\nt :  1.0E+00   0.0E+00\nm : 2\nthe solution for t :\n x :  0.1  -2.5E-01\n y : 3 1e-400\n" \
    "== err :  2.143E-101 = rco :  4.775E-02 = res :  2.220E-16 = complex regular ==\n"

static void read_takes_what_phc_writes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD SOLUTION,
        "1 2\n==========\n" SOLUTION "==========\n",
        "2\n x + y - 1;\n x*y;\n\n" HEAD SOLUTION "\nTIMING INFORMATION\n",
        "START SOLUTIONS :\n\n 1 2 \r\n====\r\n" SOLUTION,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_solutions *s = read_good(texts[i], prec);
            double tenth[4];
            assert_int_equal(plumb_number_read("0.1", 3, prec, tenth, NULL, NULL), PLUMB_OK);
            assert_int_equal(s->count, 1);
            assert_int_equal(s->unknowns, 2);
            assert_string_equal(s->names[0], "x");
            assert_string_equal(s->names[1], "y");
            assert_memory_equal(solution_value(s, 0, 0), tenth, (size_t)prec * sizeof *tenth);
            assert_true(solution_value(s, 0, 0)[prec] == -0.25);
            assert_true(solution_value(s, 0, 1)[0] == 3 && solution_value(s, 0, 1)[prec] == 0);
            assert_true(s->t[0] == 1 && s->t[prec] == 0);
            assert_int_equal(s->record[0].multiplicity, 2);
            assert_true(s->record[0].err == 2.143e-101 && s->record[0].rco == 4.775e-2 && s->record[0].res == 2.22e-16);
            check_round_trips(s);
            plumb_solutions_destroy(s);
        }
    }
}

/* Reads the first bytes of a text, which must fail. */
static void expect_refusal(const char *text, size_t length, const char *message)
{
    plumb_solutions *s;
    plumb_text_error error = {.line = 0};
    char found[300];
    assert_int_equal(plumb_solutions_read(text, length, PLUMB_D, &s, &error), PLUMB_ERR_PARSE);
    snprintf(found, sizeof found, "%lld: %s", (long long)error.line, error.message);
    assert_string_equal(found, message);
}

/* An output file of phc -b has the solutions of the start system first, then a log of the paths, then the solutions. */
static void read_takes_the_last_list_of_an_output(void **state)
{
    (void)state;
    char *text = load_text("outputs/phc_b.txt");
    plumb_system *system = parse_good(text);
    plumb_solutions *s = read_good(text, PLUMB_D);
    assert_int_equal(plumb_system_equations(system), 2);
    assert_int_equal(s->count, 3);
    for (int64_t k = 0; k < 3; k++) {
        const double x = solution_value(s, k, 0)[0], y = solution_value(s, k, 1)[0];
        assert_true(x * y == 6 && x * x + y == 7);
    }
    plumb_solutions_destroy(s);
    plumb_system_destroy(system);
    const char *log = strstr(text, "\nTHE SOLUTIONS :"), *last = strstr(log + 1, "\nTHE SOLUTIONS :");
    expect_refusal(
        text, (size_t)(log - text),
        "38: found only start solutions, of the start system of line 17, expected solutions of the system that "
        "the text begins with");
    expect_refusal(
        text, (size_t)(last - text),
        "70: found a log of paths without the list of their endpoints after it, expected a list of solutions");
    free(text);
}

/* Where some solutions have zero coordinates, there are two lists of results, neither with all solutions. */
static void read_refuses_ambiguous_lists(void **state)
{
    (void)state;
    static const char again[] = "(phc -b refines solutions with zero coordinates apart), expected one list; the input "
                                "file of phc -b gets all solutions";
    char *text = load_text("outputs/phc_b_zeros.txt"), message[300];
    snprintf(message, sizeof message, "138: found a list that does not replace the one of line 78 %s", again);
    expect_refusal(text, strlen(text), message);
    free(text);
    static const char *const texts[] = {
        HEAD SOLUTION "THE SOLUTIONS :\n0 2\n====\n",                               /* another number */
        HEAD SOLUTION "THE SOLUTIONS WITH ZERO COMPONENTS :\n1 2\n====\n" SOLUTION, /* other solutions */
        HEAD SOLUTION "START SOLUTIONS :\n1 2\n====\n" SOLUTION,                    /* of another system */
        "START SOLUTIONS :\n1 2\n====\n" SOLUTION "START SOLUTIONS with zero coordinates :\n1 2\n====\n" SOLUTION,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(message, sizeof message, "%d: found a list that does not replace the one of line 1 %s", 11, again);
        expect_refusal(texts[i], strlen(texts[i]), message);
    }
    plumb_solutions *s = read_good("the given solutions :\n1 2\n====\n" SOLUTION HEAD SOLUTION, PLUMB_D);
    plumb_solutions_destroy(s);
}

/* A system and its solutions in one file, each found by its reader; unknowns in another order in the second solution. */
static void read_goes_by_names(void **state)
{
    (void)state;
    char *text = load_text("../../fuzz/systems/solved.phc");
    plumb_system *system = parse_good(text);
    assert_int_equal(plumb_system_equations(system), 2);
    plumb_solutions *s = read_good(text, PLUMB_DD);
    assert_int_equal(s->count, 2);
    assert_true(solution_value(s, 1, 0)[2] == -1e-70); /* the imaginary part of x */
    for (int64_t i = 0; i < 2; i++) {
        assert_string_equal(s->names[i], plumb_system_name(system, i));
        assert_true(solution_value(s, 0, i)[0] == -solution_value(s, 1, i)[0]);
        assert_true(solution_value(s, 0, i)[1] == -solution_value(s, 1, i)[1]);
    }
    check_round_trips(s);
    plumb_solutions_destroy(s);
    plumb_system_destroy(system);
    free(text);
}

static void written_looks_like_phc(void **state)
{
    (void)state;
    plumb_solutions *s;
    const char *const names[] = {"x", "y"};
    assert_int_equal(plumb_solutions_create(1, 2, PLUMB_D, names, &s), PLUMB_OK);
    solution_value(s, 0, 0)[0] = -1234.5;
    solution_value(s, 0, 0)[1] = 0.00625;
    solution_value(s, 0, 1)[0] = 1e300;
    solution_value(s, 0, 1)[1] = -5e-324;
    s->t[0] = 1;
    char *text = write_solutions(s, false);
    assert_string_equal(text, "THE SOLUTIONS :\n1 2\n"
                              "===========================================================================\n"
                              "solution 1 :\nt :  1.0E+00   0.0E+00\nm : 1\nthe solution for t :\n"
                              " x : -1.2345E+03   6.25E-03\n y :  1.0E+300  -5.0E-324\n"
                              "== err :  0.0E+00 = rco :  1.0E+00 = res :  0.0E+00 ==\n"
                              "===========================================================================\n");
    free(text);
    plumb_solutions_destroy(s);
}

/* Canonical limbs of many magnitudes, zeros of both signs among them. */
static void random_limbs(plumb_random *random, int32_t prec, double *limbs)
{
    double raw[4] = {0};
    int exponent = (int)plumb_random_below(random, 3) == 0 ? (int)plumb_random_below(random, 1800) - 900 : 0;
    for (int32_t i = 0; i < prec; i++)
        raw[i] = ldexp(plumb_random_unit(random) - 0.5, exponent - 54 * i - (int)plumb_random_below(random, 9));
    if (plumb_random_below(random, 8) == 0)
        memset(raw, 0, sizeof raw);
    plumb_round_limbs(raw, prec, limbs, prec);
    for (int32_t i = 1; i < prec; i++)
        limbs[i] += 0.0;
}

static void random_solutions_keep_every_bit(void **state)
{
    (void)state;
    const uint64_t seed = 271828;
    const char *const names[] = {"x", "y1", "a_b", "z"};
    printf("seed %llu\n", (unsigned long long)seed);
    plumb_random random = plumb_random_start(seed);
    for (int round = 0; round < 60; round++) {
        int32_t prec = 1 << plumb_random_below(&random, 3);
        plumb_solutions *s;
        int64_t count = (int64_t)plumb_random_below(&random, 6), unknowns = 1 + (int64_t)plumb_random_below(&random, 4);
        if (count == 0)
            continue; /* has no names in PHCpack's form */
        assert_int_equal(plumb_solutions_create(count, unknowns, prec, names, &s), PLUMB_OK);
        for (int64_t i = 0; i < count * unknowns * 2; i++)
            random_limbs(&random, prec, s->x + i * prec);
        for (int64_t k = 0; k < count; k++) {
            random_limbs(&random, prec, s->t + k * 2 * prec);
            random_limbs(&random, prec, s->t + (k * 2 + 1) * prec);
            s->record[k] = (solution_record){.multiplicity = (int64_t)plumb_random_below(&random, 100),
                                             .err = plumb_random_unit(&random) * 1e-200,
                                             .rco = plumb_random_unit(&random),
                                             .res = plumb_random_unit(&random) * 1e-16};
        }
        check_round_trips(s);
        plumb_solutions_destroy(s);
    }
}

static void an_empty_list_of_many_unknowns_reads_back(void **state)
{
    (void)state;
    plumb_solutions *s = read_good("THE SOLUTIONS :\n0 202\n===\n", PLUMB_D);
    assert_int_equal(plumb_solutions_unknowns(s), 202);
    check_round_trips(s);
    plumb_solutions_destroy(s);
}

static void an_empty_list_is_one(void **state)
{
    (void)state;
    plumb_solutions *s = read_good("THE SOLUTIONS :\n0 2\n====\n====\n", PLUMB_DD);
    assert_int_equal(s->count, 0);
    assert_string_equal(s->names[1], "x2");
    check_round_trips(s);
    plumb_solutions_destroy(s);
    plumb_solutions_destroy(NULL);
}

static void json_has_defaults(void **state)
{
    (void)state;
    plumb_solutions *s = read_good(
        " {\"unknowns\": [\"x\", \"y\"], \"more\": 1, \"solutions\": [{\"x\": [[\"1/3\", \"0\"], [0.1, -2]]}]}",
        PLUMB_QD);
    double third[4];
    assert_int_equal(plumb_number_read("1/3", 3, PLUMB_QD, third, NULL, NULL), PLUMB_OK);
    assert_memory_equal(solution_value(s, 0, 0), third, sizeof third);
    assert_true(solution_value(s, 0, 1)[0] == 0.1 && solution_value(s, 0, 1)[1] == 0); /* the double that it is */
    assert_true(s->t[0] == 0 && s->record[0].rco == 1 && s->record[0].err == 0 && s->record[0].multiplicity == 1);
    check_round_trips(s);
    plumb_solutions_destroy(s);
}

static void read_says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } bad[] = {
#include "data/systems/bad_solutions.inc"
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        plumb_solutions *s;
        plumb_text_error error = {.line = 0};
        char found[300];
        plumb_status status = plumb_solutions_read(bad[i].text, strlen(bad[i].text), PLUMB_DD, &s, &error);
        snprintf(found, sizeof found, "%lld:%lld: %s", (long long)error.line, (long long)error.column, error.message);
        assert_int_equal(plumb_solutions_read(bad[i].text, strlen(bad[i].text), PLUMB_DD, &s, NULL), status);
        if (status == PLUMB_OK || s != NULL || strcmp(found, bad[i].error) != 0) {
            print_message("%s\n  found    %s\n  expected %s\n", bad[i].text, found, bad[i].error);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    plumb_solutions *s;
    assert_int_equal(plumb_solutions_read("x", 1, 3, &s, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solutions_read(NULL, 1, PLUMB_D, &s, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solutions_create(INT64_MAX / 8, 8, PLUMB_QD, NULL, &s), PLUMB_ERR_SIZE);
    assert_int_equal(plumb_solutions_create(1, 0, PLUMB_QD, NULL, &s), PLUMB_ERR_ARGUMENT);
}

/* Every prefix of a good file is answered. */
static void read_survives_every_prefix(void **state)
{
    (void)state;
    static const char good[] = HEAD SOLUTION "====\n";
    for (size_t length = 0; length < sizeof good; length++) {
        char *part = malloc(length > 0 ? length : 1);
        assert_non_null(part);
        memcpy(part, good, length);
        plumb_solutions *s;
        plumb_text_error error = {.line = 0};
        if (plumb_solutions_read(part, length, PLUMB_DD, &s, &error) != PLUMB_OK)
            assert_true(error.line >= 1 && strlen(error.message) > 10);
        plumb_solutions_destroy(s);
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_takes_what_phc_writes),
        cmocka_unit_test(read_goes_by_names),
        cmocka_unit_test(written_looks_like_phc),
        cmocka_unit_test(random_solutions_keep_every_bit),
        cmocka_unit_test(an_empty_list_is_one),
        cmocka_unit_test(an_empty_list_of_many_unknowns_reads_back),
        cmocka_unit_test(json_has_defaults),
        cmocka_unit_test(read_says_what_is_wrong),
        cmocka_unit_test(read_survives_every_prefix),
        cmocka_unit_test(read_takes_the_last_list_of_an_output),
        cmocka_unit_test(read_refuses_ambiguous_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
