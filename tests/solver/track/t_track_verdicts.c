/* t_track_verdicts.c - what becomes of paths whose ends are difficult, for systems whose roots are known: large roots
 * beside roots at infinity, winding numbers, multiplicities, and roots that are close to each other. A path may be
 * undecided or fail, which is rare; no path may have a wrong verdict. At last, random systems in general position
 * have as many roots as their mixed volume, in every precision. */
#define TRACK_SEED 141421
#include "track_fixture.h"

#include "base/number/random.h"
#include "solver/homotopy/start_system.h"

enum { TEXT = 4000, MOST_POINTS = 4 };

/* The smallest coefficient, as a power of 1/10, for which roots that are close to each other are told apart. */
enum { SMALLEST_SPLIT = 58 };

/* The expected ends of all paths of a start system of total degree; the rest of them go to infinity. */
typedef struct expected {
    int64_t regular, singular;
    int32_t winding; /* of singular ends; 0: not tested */
    int32_t points;  /* points below, in all; 0: not tested */
    double at[MOST_POINTS][3];
} expected;

typedef struct settings {
    int32_t prec, unscaled, max_winding;
    double largest; /* 0: the default */
} settings;

static int64_t all_paths, doubtful_paths; /* of the test */

static track_run solve(const char *text, uint64_t number, settings with)
{
    plumb_system *target = parse_good(text);
    track_run run = {.target = target};
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = number;
    options.projective = 1;
    options.unscaled = with.unscaled;
    track_must(context, plumb_start_make(target, number, !with.unscaled, &run.start));
    track_must(context, plumb_system_start_count(run.start, &run.paths));
    track_must(context, plumb_homotopy_create(run.start, target, &options, &run.homotopy));
    const int64_t n = plumb_system_unknowns(target);
    const int32_t prec = with.prec ? with.prec : PLUMB_QD;
    track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, run.paths, &run.starts));
    track_must(context, plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, run.paths, &run.ends));
    track_must(context, plumb_system_start_solutions(run.start, 0, &run.starts));
    run.records = calloc((size_t)run.paths, sizeof *run.records);
    assert_non_null(run.records);
    plumb_track_options how = track_defaults(with.prec, number);
    if (with.max_winding)
        how.max_winding = with.max_winding;
    if (with.largest > 0.0)
        how.largest = with.largest;
    track_all(context, &run, &how);
    return run;
}

/* The distance from a point, relative to its largest unknown. */
static double distance(const track_run *run, int64_t k, const double *at)
{
    double most = 0.0, size = 0.0;
    for (int64_t i = 0; i < run->ends.rows; i++) {
        most = fmax(most, track_off(run, k, i, at[i], 0.0));
        size = fmax(size, fabs(at[i]));
    }
    return most / fmax(size, 1.0);
}

static bool is_near_one(const track_run *run, int64_t k, const expected *e)
{
    for (int32_t p = 0; p < e->points; p++)
        if (distance(run, k, e->at[p]) <= fmax(10.0 * run->records[k].error, 1e-6))
            return true;
    return e->points == 0;
}

/* Counts the verdicts that are wrong; those that say that they do not know are not. */
static int64_t judge(const track_run *run, const expected *e)
{
    int64_t wrong = 0, decided = 0, counts[3] = {0, 0, 0};
    for (int64_t k = 0; k < run->paths; k++) {
        const plumb_path_record *r = &run->records[k];
        const int at = r->code == PLUMB_PATH_SUCCESS       ? 0
                       : r->code == PLUMB_PATH_SINGULAR    ? 1
                       : r->code == PLUMB_PATH_AT_INFINITY ? 2
                       : r->code == PLUMB_PATH_BEYOND      ? 2
                                                           : -1;
        wrong += r->code == PLUMB_PATH_NOT_ISOLATED || r->code == PLUMB_PATH_BAD_START;
        if (at < 0)
            continue;
        decided++;
        counts[at]++;
        wrong += at < 2 && !is_near_one(run, k, e);
        wrong += at == 0 && r->multiplicity != 1;
        wrong += at == 1 && e->winding > 0 && r->winding != e->winding;
    }
    const int64_t most[3] = {e->regular, e->singular, run->paths - e->regular - e->singular};
    for (int at = 0; at < 3; at++)
        wrong += counts[at] > most[at] ? counts[at] - most[at] : 0;
    all_paths += run->paths;
    doubtful_paths += run->paths - decided;
    return wrong;
}

static const char *precision_name(int32_t prec)
{
    return prec == 0 ? "auto" : plumb_prec_name(prec);
}

static int64_t check_with(const char *text, const expected *e, uint64_t number, settings with)
{
    const int64_t doubtful = doubtful_paths;
    track_run run = solve(text, number, with);
    const int64_t wrong = judge(&run, e);
    if (wrong > 0 || doubtful_paths > doubtful) {
        printf("  %s: %s (%s, seed %llu, %s): %lld regular, %lld singular and %lld at infinity of %lld, expected %lld "
               "and %lld\n",
               wrong > 0 ? "WRONG" : "not decided", text, precision_name(with.prec), (unsigned long long)number,
               with.unscaled ? "unscaled" : "scaled", (long long)track_count(&run, PLUMB_PATH_SUCCESS),
               (long long)track_count(&run, PLUMB_PATH_SINGULAR), (long long)track_count(&run, PLUMB_PATH_AT_INFINITY),
               (long long)run.paths, (long long)e->regular, (long long)e->singular);
        for (int64_t k = 0; k < run.paths && wrong > 0; k++)
            track_say(&run, k);
    }
    track_run_destroy(context, &run);
    return wrong;
}

static void begin_counts(void)
{
    all_paths = doubtful_paths = 0;
}

/* No verdict was wrong, and at most one path in so many was not decided. */
static void end_counts(int64_t wrong, int64_t one_in)
{
    printf("  %lld paths, %lld not decided\n", (long long)all_paths, (long long)doubtful_paths);
    assert_int_equal(wrong, 0);
    assert_true(doubtful_paths * one_in <= all_paths);
}

/* ---- Large roots beside roots at infinity --------------------------------------------------------------------------- */

/* 10^places as text. */
static const char *power(int places)
{
    static char text[4][128];
    static int turn;
    char *to = text[turn = (turn + 1) % 4];
    assert_true(places >= 0 && places < 120);
    to[0] = '1';
    memset(to + 1, '0', (size_t)places);
    to[places + 1] = '\0';
    return to;
}

static int64_t check_scaled_or_not(const char *text, const expected *e)
{
    int64_t wrong = 0;
    for (uint64_t number = 0; number < 2; number++)
        for (int32_t unscaled = 0; unscaled < 2; unscaled++)
            wrong += check_with(text, e, seed + number, (settings){.unscaled = unscaled});
    return wrong;
}

/* y = x^d and y = x^d + x - a have the root (a, a^d); all others are at infinity, in one point. */
static void one_large_root_beside_a_multiple_point_at_infinity(void **state)
{
    (void)state;
    static const struct {
        int degree;
        double root;
    } cases[] = {{4, 3.0}, {2, 1e3}, {4, 1e3}, {2, 1e7}, {3, 1e4}, {5, 5.0}, {6, 1e2}, {7, 1e2}};
    int64_t wrong = 0;
    begin_counts();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[TEXT];
        const double a = cases[c].root;
        const expected e = {.regular = 1, .points = 1, .at = {{a, pow(a, cases[c].degree)}}};
        snprintf(text, sizeof text, "x^%d - y; x^%d - y + x - %.0f;", cases[c].degree, cases[c].degree, a);
        wrong += check_scaled_or_not(text, &e);
    }
    end_counts(wrong, 50);
}

/* x has the values 1 and 10^places (and 2), and y is a function of it; u and v are x and y in other coordinates. */
static void products_with_a_large_root(void **state)
{
    (void)state;
    int64_t wrong = 0;
    begin_counts();
    for (int places = 6; places <= 14; places += 2) {
        char text[TEXT];
        const char *big = power(places);
        const expected two = {.regular = 2}, three = {.regular = 3}, six = {.regular = 6};
        snprintf(text, sizeof text, "(x - %s)*(x - 1); x*y - 1;", big);
        wrong += check_scaled_or_not(text, &two);
        snprintf(text, sizeof text, "(x - %s)*(x - 1)*(x - 2); x*y^2 - 1;", big);
        wrong += check_scaled_or_not(text, &six);
        snprintf(text, sizeof text, "(x - %s)*(x - 1)*(x - 2); x^3*y - x^2 - 1;", big);
        wrong += check_scaled_or_not(text, &three);
        snprintf(text, sizeof text, "(u + 2*v - %s)*(u + 2*v - 1); (u + 2*v)*(3*u - v) - 1;", big);
        wrong += check_scaled_or_not(text, &two);
        snprintf(text, sizeof text,
                 "(u + 2*v - w - %s)*(u + 2*v - w - 1); (u + 2*v - w)*(3*u - v + w) - 1; (u - v)*(u + 2*v - w) - 2;",
                 big);
        wrong += check_scaled_or_not(text, &two);
    }
    end_counts(wrong, 700);
}

/* x_0 falls like tau^(1/(d-j)) for long, and then stops: e x^d + x^j = 1 has j roots of size 1 and d - j of size
 * e^(-1/(d-j)). A second equation sends as many other paths to infinity. */
static void the_fall_of_x0_may_end(void **state)
{
    (void)state;
    static const char *const others[] = {"x*y - 1;", "y*x^2 + y - 1;", "x*y^2 + y - 3;"};
    static const int degree_of_y[] = {1, 1, 2};
    int64_t wrong = 0;
    begin_counts();
    for (int d = 2; d <= 5; d++)
        for (int j = 1; j < d; j++)
            for (int places = 6; places <= 14; places += 4) {
                char text[TEXT];
                const int other = (d + j + places / 4) % 3;
                const expected e = {.regular = (int64_t)d * degree_of_y[other]};
                snprintf(text, sizeof text, "1/%s*x^%d + x^%d - 1; %s", power(places * (d - j)), d, j, others[other]);
                wrong += check_scaled_or_not(text, &e);
            }
    end_counts(wrong, 100);
}

/* From u = 1 to -1 + 0.2 i on a line, |u| falls to about 0.1. v_k = u^(3^k), and 1 / v_k is the last unknown w: halfway it is
 * 10^240 for k = 5 and 10^700 for k = 6, beyond the range of doubles, and in the end it is finite and not large. So neither the
 * size of a point nor how long x_0 has fallen is evidence for a root at infinity. */
static void paths_return_from_beyond_the_range(void **state)
{
    (void)state;
    static const char chain[] = "v1 - u^3; v2 - v1^3; v3 - v2^3; v4 - v3^3; v5 - v4^3;";
    static const char *const ends[] = {"w*v5 - 1;", "v6 - v5^3; w*v6 - 1;"};
    const double end_of_w[2][2] = {{5.6663797808242199e-3, 6.3628434158113691e-3},
                                   {-5.0628802559951779e-7, 3.5528719798297177e-7}};
    for (int k = 0; k < 2; k++) {
        char start[TEXT], target[TEXT];
        const int64_t unknowns = 7 + k;
        plumb_homotopy_options options;
        plumb_homotopy_options_init(&options);
        options.gamma[0] = 1.0;
        options.gamma[1] = 0.0;
        options.projective = 1;
        snprintf(start, sizeof start, "%d\nu - 1; %s %s", (int)unknowns, chain, ends[k]);
        snprintf(target, sizeof target, "%d\nu + 1 - 0.2*i; %s %s", (int)unknowns, chain, ends[k]);
        track_run run = track_between(context, start, target, &options, 1, 0);
        for (int64_t i = 0; i < unknowns; i++)
            track_set_start(&run, 0, i, 1.0, 0.0);
        plumb_track_options how = track_defaults(0, seed);
        track_all(context, &run, &how);
        print_message("  w of 10^%d on the way: %s after %lld steps\n", k == 0 ? 240 : 700,
                      plumb_path_text((plumb_path_code)run.records[0].code), (long long)run.records[0].steps);
        assert_int_equal(run.records[0].code, PLUMB_PATH_SUCCESS);
        assert_true(track_off(&run, 0, unknowns - 1, end_of_w[k][0], end_of_w[k][1]) <=
                    1e-9 * hypot(end_of_w[k][0], end_of_w[k][1]));
        track_run_destroy(context, &run);
    }
}

/* The same with u = tau, or with u = tau + 0.001, so that w tends to infinity like tau^-243, or to a root of size 10^729 that
 * is beyond any that can be asked for. v_5 changes by powers of ten from one step to the next, and x_0 with it. */
static void steep_paths_go_to_infinity(void **state)
{
    (void)state;
    static const char chain[] = "v1 - u^3; v2 - v1^3; v3 - v2^3; v4 - v3^3; v5 - v4^3; w*v5 - 1;";
    static const char *const targets[] = {"u;", "u - 0.001;"};
    for (int k = 0; k < 2; k++) {
        char start[TEXT], target[TEXT];
        plumb_homotopy_options options;
        plumb_homotopy_options_init(&options);
        options.gamma[0] = 1.0;
        options.gamma[1] = 0.0;
        options.projective = 1;
        snprintf(start, sizeof start, "7\nu - 1; %s", chain);
        snprintf(target, sizeof target, "7\n%s %s", targets[k], chain);
        track_run run = track_between(context, start, target, &options, 1, 0);
        for (int64_t i = 0; i < 7; i++)
            track_set_start(&run, 0, i, 1.0, 0.0);
        plumb_track_options how = track_defaults(0, seed);
        track_all(context, &run, &how);
        print_message("  %s %s after %lld steps\n", targets[k], plumb_path_text((plumb_path_code)run.records[0].code),
                      (long long)run.records[0].steps);
        assert_int_equal(run.records[0].code, PLUMB_PATH_AT_INFINITY);
        for (int64_t i = 0; i < 7; i++) /* the direction is that of w */
            assert_true(track_off(&run, 0, i, i == 6 ? 1.0 : 0.0, 0.0) <= 1e-12);
        track_run_destroy(context, &run);
    }
}

/* y tends to infinity and x does not, so that in projective coordinates all terms of the first equation fall like
 * x_0^d, far below the smallest double; without the y^2 to the end, with it until y is large. */
static void terms_of_high_degree_do_not_underflow(void **state)
{
    (void)state;
    int64_t wrong = 0;
    begin_counts();
    for (int d = 30; d <= 120; d *= 2) {
        char text[TEXT];
        expected e = {.regular = d};
        snprintf(text, sizeof text, "x^%d - 2; x*y - 1;", d);
        wrong += check_scaled_or_not(text, &e);
        e.regular = 2 * (int64_t)d;
        snprintf(text, sizeof text, "x^%d - 2; 1/%s*y^2 + x*y - 1;", d, power(12));
        wrong += check_scaled_or_not(text, &e);
    }
    end_counts(wrong, 1000);
}

/* Along a path mostly y changes, and the system is almost linear in y; but corrections change x, of which it has degree 120. Points
 * must be corrected enough for predictions nevertheless, or steps become too short and too many. */
static void corrections_and_the_path_have_different_directions(void **state)
{
    (void)state;
    char text[TEXT];
    const expected e = {.regular = 240};
    int64_t wrong = 0;
    begin_counts();
    snprintf(text, sizeof text, "x^120 - 2; 1/%s*y^2 + x*y - 1;", power(12));
    for (uint64_t number = 1; number <= 5; number++)
        wrong += check_with(text, &e, number, (settings){.unscaled = 1});
    end_counts(wrong, 10000);
}

/* Intersections that are almost at infinity: of circles and spheres that almost have one centre, and of curves that
 * are almost parallel. In the last two x_0 falls to 1e-18 before it grows to 1e-14, and falls like tau^(1/12). */
static void almost_parallel(void **state)
{
    (void)state;
    int64_t wrong = 0;
    begin_counts();
    for (int places = 3; places <= 7; places += 2) {
        char text[TEXT];
        const char *big = power(places), *square = power(2 * places), *tiny = power(10 + places);
        const expected one = {.regular = 1}, two = {.regular = 2}, three = {.regular = 3}, four = {.regular = 4};
        snprintf(text, sizeof text, "x^2 + y^2 - 1; x^2 + y^2 - 1/%s*x - 2;", square);
        wrong += check_scaled_or_not(text, &two);
        snprintf(text, sizeof text,
                 "x^2 + y^2 + z^2 - 1; x^2 + y^2 + z^2 - 1/%s*x - 2; x^2 + y^2 + z^2 - 1/%s*y + x - 3;", big, big);
        wrong += check_scaled_or_not(text, &two);
        snprintf(text, sizeof text, "x^2 - y; x^2 - y + 1/%s*x - 1;", big);
        wrong += check_scaled_or_not(text, &one);
        snprintf(text, sizeof text, "x*y - 1; 1/%s*x^2 + y - 2;", tiny);
        wrong += check_scaled_or_not(text, &three);
        snprintf(text, sizeof text, "x*y - 1; 1/%s*x^2 + 1/%s*y^2 - x - y + 5;", square, big);
        wrong += check_scaled_or_not(text, &four);
    }
    const expected one = {.regular = 1}, three = {.regular = 3};
    char text[TEXT];
    snprintf(text, sizeof text, "x*y - 1; 1/%s*x^2 + y - 2;", power(28));
    wrong += check_scaled_or_not(text, &three);
    wrong += check_scaled_or_not("x^12 - y; x^12 - y + x - 10;", &one);
    end_counts(wrong, 20);
}

/* The inverse position problem of a manipulator (Morgan): 16 of its 64 roots are as large as 10^7 to 10^8, because the terms
 * that are left at infinity balance up to the eight digits of the coefficients. A point that continues their paths
 * looks right at any distance. */
static void a_balance_may_be_off_by_little(void **state)
{
    (void)state;
    static const char text[] =
        "x1^2 + x2^2 - 1; "
        "x3^2 + x4^2 - 1; "
        "x5^2 + x6^2 - 1; "
        "x7^2 + x8^2 - 1; "
        "- 0.24915068*x1*x3 + 1.6091354*x1*x4 + 0.27942343*x2*x3 + 1.4348016*x2*x4 + 0.40026384*x5*x8 - "
        "0.80052768*x6*x7 + 0.074052388*x1 - 0.083050031*x2 - 0.38615961*x3 - 0.75526603*x4 + 0.50420168*x5 - "
        "1.0916287*x6 + 0.40026384*x8 + 0.04920729; "
        "0.12501635*x1*x3 - 0.68660736*x1*x4 - 0.11922812*x2*x3 - 0.71994047*x2*x4 - 0.43241927*x5*x7 - "
        "0.86483855*x6*x8 - 0.03715727*x1 + 0.035436896*x2 + 0.085383482*x3 - 0.039251967*x5 - 0.43241927*x7 "
        "+ 0.01387301; "
        "- 0.63555007*x1*x3 - 0.11571992*x1*x4 - 0.66640448*x2*x3 + 0.11036211*x2*x4 + 0.29070203*x5*x7 + "
        "1.2587767*x5*x8 - 0.62938836*x6*x7 + 0.58140406*x6*x8 + 0.19594662*x1 - 1.2280342*x2 - "
        "0.079034221*x4 + 0.026387877*x5 - 0.05713143*x6 - 1.1628081*x7 + 1.2587767*x8 + 2.162575; "
        "1.4894773*x1*x3 + 0.23062341*x1*x4 + 1.3281073*x2*x3 - 0.25864503*x2*x4 + 1.165172*x5*x7 - "
        "0.26908494*x5*x8 + 0.53816987*x6*x7 + 0.58258598*x6*x8 - 0.20816985*x1 + 2.686832*x2 - 0.69910317*x3 "
        "+ 0.35744413*x4 + 1.2499117*x5 + 1.467736*x6 + 1.165172*x7 + 1.10763397*x8 - 0.69686809; ";
    const expected e = {.regular = 64};
    int64_t wrong = 0;
    begin_counts();
    for (uint64_t number = 0; number < 3; number++)
        wrong += check_with(text, &e, seed + number, (settings){0});
    end_counts(wrong, 100);
}

/* The number of paths of a call with this largest root whose verdict is wrong or not decided. Sizes of roots are those in
 * unscaled units. */
static int64_t check_largest(const char *text, int64_t regular, double largest, int32_t prec)
{
    const int64_t doubtful = doubtful_paths;
    const expected e = {.regular = regular};
    int64_t wrong = 0;
    for (uint64_t number = 0; number < 2; number++)
        wrong += check_with(text, &e, seed + number, (settings){.prec = prec, .unscaled = 1, .largest = largest});
    return wrong + doubtful_paths - doubtful;
}

/* Roots of size 10^places are roots if the largest root asked for is a hundred times larger, and beyond it if it is a
 * hundred times smaller; others are found in both cases. By default those below 10^15 are found. */
static void the_largest_root_is_asked_for(void **state)
{
    (void)state;
    static const int32_t precisions[] = {0, PLUMB_QD};
    int64_t wrong = 0;
    begin_counts();
    for (int places = 4; places <= 22; places += 6)
        for (int p = 0; p < 2; p++) {
            const char *big = power(places), *square = power(2 * places);
            struct {
                char text[TEXT];
                int64_t small, large;
            } cases[5] = {{.small = 1, .large = 1},
                          {.small = 1, .large = 2},
                          {.small = 0, .large = 1},
                          {.small = 4, .large = 2},
                          {.small = 2, .large = 1}};
            snprintf(cases[0].text, TEXT, "(x - %s)*(x - 1); x*y - 1;", big);
            snprintf(cases[1].text, TEXT, "x*y - 1; 1/%s*x^2 + y - 2;", square);
            snprintf(cases[2].text, TEXT, "x^2 - y; x^2 - y + x - %s;", power(places / 2));
            snprintf(cases[3].text, TEXT, "x^2 + y^2 - 5; 1/%s*x^3 + x*y - 2;", big);
            snprintf(cases[4].text, TEXT, "(x - %s)*(x - 1)*(x - 2); x^3*y - x^2 - 1;", big);
            for (int c = 0; c < 5; c++) {
                const int64_t all = cases[c].small + cases[c].large;
                const double size = pow(10.0, places);
                wrong += check_largest(cases[c].text, all, 100.0 * size, precisions[p]);
                wrong += check_largest(cases[c].text, cases[c].small, 0.01 * size, precisions[p]);
                if (places < 15)
                    wrong += check_largest(cases[c].text, all, 0.0, precisions[p]);
            }
        }
    printf("  %lld paths\n", (long long)all_paths);
    assert_int_equal(wrong, 0);
}

/* ---- Winding numbers and multiplicities ----------------------------------------------------------------------------- */

/* x^c = y and y^k = 0: all paths form one cycle. x^a = 0 and y^b = 0: cycles of lcm(a, b) paths. */
static void winding_numbers(void **state)
{
    (void)state;
    int64_t wrong = 0;
    begin_counts();
    for (int c = 1; c <= 12; c++)
        for (int k = 1; c * k <= 12; k++)
            for (int shifted = 0; shifted < 2 && c * k > 1; shifted++) {
                char text[TEXT];
                const expected e = {.singular = c * k,
                                    .winding = c * k,
                                    .points = 1,
                                    .at = {{shifted ? 2.0 : 0.0, shifted ? -1.0 : 0.0}}};
                snprintf(text, sizeof text, shifted ? "(x - 2)^%d - (y + 1); (y + 1)^%d;" : "x^%d - y; y^%d;", c, k);
                wrong += check_with(text, &e, seed + (uint64_t)c, (settings){0});
            }
    for (int a = 2; a <= 6; a++)
        for (int b = 2; b <= a; b++) {
            int lcm = a;
            while (lcm % b)
                lcm += a;
            if (lcm > 12)
                continue;
            char text[TEXT];
            const expected e = {.singular = (int64_t)a * b, .winding = lcm, .points = 1, .at = {{3.0, -2.0}}};
            snprintf(text, sizeof text, "(x - 3)^%d; (y + 2)^%d;", a, b);
            wrong += check_with(text, &e, seed, (settings){0});
        }
    end_counts(wrong, 100);
}

/* Points of a multiplicity m beside regular roots. x = 0 of x^m (x - 1), as the intersection of curves. */
static void multiplicities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t singular, regular;
        double at[3];
    } cases[] = {
        {"x^2; y - 3;", 2, 0, {0, 3}},
        {"(x - 1)^2*(x + 2); y - x^2;", 2, 1, {1, 1}},
        {"y - x^2; y^2 - x^3;", 3, 1, {0, 0}},
        {"(x - 1)^2; (y - x)^2;", 4, 0, {1, 1}},
        {"y - x^2; y^3 - x^5;", 5, 1, {0, 0}},
        {"(x - 1)^2; (y + x)^3;", 6, 0, {1, -1}},
        {"y - x^2; y^4 - x^7;", 7, 1, {0, 0}},
        {"x^2; y^2; z^2;", 8, 0, {0, 0, 0}},
        {"(x - 1)^2; (y - 2)^2; (z + x*y - 5)^2;", 8, 0, {1, 2, 3}},
        {"(x + y)^3; (x - y)^3;", 9, 0, {0, 0}},
        {"(x - 1)^2; (x - y)^5;", 10, 0, {1, 1}},
        {"y - x^2; y^6 - x^11;", 11, 1, {0, 0}},
        {"(x - 3)^3; (y - 2)^4;", 12, 0, {3, 2}},
        {"y - x^2; y^7 - x^13;", 13, 1, {0, 0}},
        {"(x - 1)^7; (y + 1)^2;", 14, 0, {1, -1}},
        {"(x - 1)^3; (y + 1)^5;", 15, 0, {1, -1}},
        {"(x + 2*y - 3)^4; (x - y)^4;", 16, 0, {1, 1}},
        {"x^2; y^3; z^3;", 18, 0, {0, 0, 0}},
        {"x^4; y^5;", 20, 0, {0, 0}},
        {"(x - 2)^3; (y - 1)^7;", 21, 0, {2, 1}},
        {"x^2; (y - 1)^3; (z - 2)^4;", 24, 0, {0, 1, 2}},
        {"x^4; y^6;", 24, 0, {0, 0}},
    };
    int64_t wrong = 0;
    begin_counts();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (uint64_t number = 0; number < 2; number++) {
            const uint64_t chosen = seed + number;
            track_run run = solve(cases[c].text, chosen, (settings){.max_winding = 24});
            const expected e = {.regular = cases[c].regular, .singular = cases[c].singular};
            int64_t bad = judge(&run, &e);
            for (int64_t k = 0; k < run.paths; k++) {
                const plumb_path_record *r = &run.records[k];
                if (r->code != PLUMB_PATH_SINGULAR)
                    continue;
                bad += r->multiplicity != track_count(&run, PLUMB_PATH_SINGULAR);
                bad += !(distance(&run, k, cases[c].at) < 1e-6);
            }
            if (bad) {
                printf("  WRONG: %s, seed %llu\n", cases[c].text, (unsigned long long)chosen);
                for (int64_t k = 0; k < run.paths; k++)
                    track_say(&run, k);
            } else if (track_count(&run, PLUMB_PATH_SINGULAR) != cases[c].singular) {
                printf("  not decided: %s, seed %llu, %lld of %lld\n", cases[c].text, (unsigned long long)chosen,
                       (long long)track_count(&run, PLUMB_PATH_SINGULAR), (long long)cases[c].singular);
            }
            wrong += bad;
            track_run_destroy(context, &run);
        }
    }
    end_counts(wrong, 600);
}

/* ---- Roots that are close to each other ----------------------------------------------------------------------------- */

/* Clusters of `count` simple roots within 10^-places, alone and with another unknown: never singular. In a cluster
 * of k roots, a change of the coefficients by 10^(-k places) makes a root of multiplicity k of it, which is above the
 * rounding errors of qd as long as that is above 10^-60. */
static void close_roots_are_not_singular(void **state)
{
    (void)state;
    static const char *const others[] = {"", " y^2 - x - 3;", " x*y - 1;"};
    static const int64_t roots_of_other[] = {1, 2, 1};
    int64_t wrong = 0;
    begin_counts();
    for (int count = 2; count <= 4; count++)
        for (int places = 6; places * count <= SMALLEST_SPLIT; places += 4)
            for (int other = 0; other < 3; other++) {
                char text[TEXT];
                const expected e = {.regular = (count + 1) * roots_of_other[other]};
                snprintf(text, sizeof text, "((x - 1)^%d - 1/%s)*(x + 2);%s", count, power(places * count),
                         others[other]);
                wrong += check_with(text, &e, seed + (uint64_t)places, (settings){0});
            }
    printf("  %lld paths, %lld not decided\n", (long long)all_paths, (long long)doubtful_paths);
    assert_int_equal(wrong, 0);
}

/* ---- Random systems -------------------------------------------------------------------------------------------------- */

/* Equations with random supports, which include the constant term, and random coefficients. */
static void random_system(plumb_random *random, char *text, size_t size)
{
    static const char name[] = "xyzw";
    static const int most_degree[] = {5, 3, 2};
    const int n = 2 + (int)plumb_random_below(random, 3);
    size_t at = 0;
    for (int e = 0; e < n; e++) {
        const int degree = 1 + (int)plumb_random_below(random, (uint64_t)most_degree[n - 2]);
        const int terms = 2 + (int)plumb_random_below(random, 3);
        for (int t = 0; t <= terms; t++) {
            const int sign = plumb_random_below(random, 2) ? '-' : '+';
            const int value = 100 + (int)plumb_random_below(random, 900);
            at += (size_t)snprintf(text + at, size - at, " %c %d/997", sign, value);
            for (int left = t < terms ? degree : 0; left > 0; left--) {
                const int unknown = t == 0 ? e : (int)plumb_random_below(random, (uint64_t)n + 1);
                if (unknown < n)
                    at += (size_t)snprintf(text + at, size - at, "*%c", name[unknown]);
            }
        }
        at += (size_t)snprintf(text + at, size - at, ";");
    }
    assert_true(at + 1 < size);
}

static void random_systems_have_their_roots_in_every_precision(void **state)
{
    (void)state;
    enum { SYSTEMS = 1000 };
    static const int32_t precisions[] = {0, PLUMB_DD, PLUMB_QD};
    int64_t wrong = 0, systems = 0;
    begin_counts();
    for (uint64_t number = 0; systems < SYSTEMS; number++) {
        char text[TEXT];
        plumb_random random = plumb_random_start(seed + number);
        random_system(&random, text, sizeof text);
        plumb_system *system = parse_good(text);
        plumb_mixed_report report;
        track_must(context, plumb_mixed_volume(context, system, NULL, &report));
        plumb_system_destroy(system);
        if (report.volume == 0)
            continue;
        systems++;
        const expected e = {.regular = report.volume};
        for (int p = 0; p < 3; p++)
            wrong += check_with(text, &e, seed + number, (settings){.prec = precisions[p]});
    }
    end_counts(wrong, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_large_root_beside_a_multiple_point_at_infinity),
        cmocka_unit_test(products_with_a_large_root),
        cmocka_unit_test(the_fall_of_x0_may_end),
        cmocka_unit_test(paths_return_from_beyond_the_range),
        cmocka_unit_test(steep_paths_go_to_infinity),
        cmocka_unit_test(terms_of_high_degree_do_not_underflow),
        cmocka_unit_test(corrections_and_the_path_have_different_directions),
        cmocka_unit_test(almost_parallel),
        cmocka_unit_test(a_balance_may_be_off_by_little),
        cmocka_unit_test(the_largest_root_is_asked_for),
        cmocka_unit_test(winding_numbers),
        cmocka_unit_test(multiplicities),
        cmocka_unit_test(close_roots_are_not_singular),
        cmocka_unit_test(random_systems_have_their_roots_in_every_precision),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
