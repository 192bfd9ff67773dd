/* t_track_points.c - what becomes of endpoints after the paths have ended: the local dimension test, multiplicities, and
 * residuals and errors of the points that are returned, against exact rational arithmetic. */
#define TRACK_SEED 271828
#include "track_fixture.h"

#include <gmp.h>

#include "base/number/random.h"
#include "solver/track/local.h"

/* ---- The local dimension test alone --------------------------------------------------------------------------------- */

typedef struct local_case {
    const char *text;
    double x[4];   /* a point of it, real, unknowns in the order of their first appearance */
    int32_t paths; /* that end there */
    int32_t expected;
} local_case;

static const local_case local_cases[] = {
    /* multiplicities 2 to 24, at the origin and elsewhere */
    {"x^2; y;", {0, 0}, 2, PLUMB_PATH_SINGULAR},
    {"x^2; y^2;", {0, 0}, 4, PLUMB_PATH_SINGULAR},
    {"(x - 1)^2; (y - 1)^2;", {1, 1}, 4, PLUMB_PATH_SINGULAR},
    {"x^3; y^4;", {0, 0}, 12, PLUMB_PATH_SINGULAR},
    {"(x - 3)^3; (y + 2)^5;", {3, -2}, 15, PLUMB_PATH_SINGULAR},
    {"x^4; y^6;", {0, 0}, 24, PLUMB_PATH_SINGULAR},
    {"(x - 1/4)^4; (y - 5)^6;", {0.25, 5}, 24, PLUMB_PATH_SINGULAR},
    {"x^2 - y^2; x*y;", {0, 0}, 4, PLUMB_PATH_SINGULAR},
    {"y^2 - x^3; y - x^2;", {0, 0}, 3, PLUMB_PATH_SINGULAR},
    {"29/16*x^3 - 2*x*y; y - x^2;", {0, 0}, 3, PLUMB_PATH_SINGULAR}, /* Griewank and Osborne */
    {"x^2; y^2; z^2;", {0, 0, 0}, 8, PLUMB_PATH_SINGULAR},
    {"(x + 2*y - z - 2)^2; (y + 3*z - x - 3)^3; (z - 2*x + y)^2;", {1, 1, 1}, 12, PLUMB_PATH_SINGULAR},
    {"x - y + x^2; x - y + y^2;", {0, 0}, 3, PLUMB_PATH_SINGULAR},
    {"x^2 + y^2 + z^2 - 3; x + y + z - 3; x*y*z - 1;", {1, 1, 1}, 6, PLUMB_PATH_SINGULAR},
    {"(x - 1000000000000)^2; y - 3;", {1e12, 3}, 2, PLUMB_PATH_SINGULAR},
    /* lines and curves: simple, multiple, with a cusp and with a node; the number of paths says nothing there */
    {"x*y; x*(x - 1);", {0, 0.7}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"x*z; y*z; z*(x + y + z - 7);", {0.3, 0, -1.5}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"(x^2 + y^2 - 1)*x; (x^2 + y^2 - 1)*(y - 3);", {0.6, 0.8}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"(x^2 + y^2 - 1)^2*x; (x^2 + y^2 - 1)^2*(y - 3);", {0.6, 0.8}, 2, PLUMB_PATH_NOT_ISOLATED},
    {"(x^2 + y^2 - 1)^3*x; (x^2 + y^2 - 1)^2*(y - 3);", {0.6, 0.8}, 2, PLUMB_PATH_NOT_ISOLATED},
    {"(y^2 - x^3)*(x - 2); (y^2 - x^3)*(y - 5);", {0, 0}, 4, PLUMB_PATH_NOT_ISOLATED},
    {"(y^2 - x^3)*(x - 2); (y^2 - x^3)*(y - 5);", {8, 4}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"(y^2 - x^2*(x + 1))*(x - 2); (y^2 - x^2*(x + 1))*(y - 5);", {0, 0}, 4, PLUMB_PATH_NOT_ISOLATED},
    {"y - x^2; (y - x^2)*z; (z - x^3)*(y - x^2) + (z - x^3)*x;", {4, 2, 8}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"x^2; x*y;", {0, 0}, 2, PLUMB_PATH_NOT_ISOLATED}, /* an embedded point */
    {"x^2; x*y;", {0, 1.5}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"x*y - 1000000000000*x; x^2;", {0, 12}, 2, PLUMB_PATH_NOT_ISOLATED},
    /* cyclic 4-roots: a, 1/a, -a, -1/a */
    {"a + b + c + d; a*b + b*c + c*d + d*a; a*b*c + b*c*d + c*d*a + d*a*b; a*b*c*d - 1;",
     {2, 0.5, -2, -0.5},
     1,
     PLUMB_PATH_NOT_ISOLATED},
    /* surfaces */
    {"x*(x - 2); x*(y - 3); x*(z - 1);", {0, 0.7, -2}, 1, PLUMB_PATH_NOT_ISOLATED},
    {"(x^2 + y^2 + z^2 - 9)*x; (x^2 + y^2 + z^2 - 9)*(y - 7); (x^2 + y^2 + z^2 - 9)*(z - x);",
     {1, 2, 2},
     1,
     PLUMB_PATH_NOT_ISOLATED},
    /* an isolated double point beside a curve */
    {"((x - 1)^2)*x; (y - 2)*x;", {1, 2}, 2, PLUMB_PATH_SINGULAR},
    {"(x - 1)^2*(x*1000 - 999); (y - 2)*(x*1000 - 999);", {1, 2}, 2, PLUMB_PATH_SINGULAR},
};
enum { LOCAL_CASES = sizeof local_cases / sizeof local_cases[0] };

static int32_t test_case(plumb_context *with, const local_case *c, double error, uint64_t number, double *x)
{
    plumb_system *system = parse_good(c->text);
    const int64_t n = plumb_system_unknowns(system);
    plumb_random random = plumb_random_start(number);
    memset(x, 0, (size_t)n * 2 * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        const double size = error * fmax(1.0, fabs(c->x[i]));
        x[2 * i] = c->x[i] + size * (2.0 * plumb_random_unit(&random) - 1.0);
        x[2 * i + 1] = size * (2.0 * plumb_random_unit(&random) - 1.0);
    }
    local_point point = {.x = x, .prec = PLUMB_D, .paths = c->paths, .error = error, .seed = number};
    track_must(with, track_local_test(with, system, &point, 1, NULL));
    plumb_system_destroy(system);
    return point.verdict;
}

/* Points are known to 13 or to 9 digits. A verdict is never wrong, and a doubt is rare. */
static void isolated_points_are_told_from_curves(void **state)
{
    (void)state;
    static const double errors[] = {1e-13, 1e-9};
    int doubts = 0, all = 0;
    double x[8];
    for (int k = 0; k < LOCAL_CASES; k++)
        for (uint64_t number = 0; number < 10; number++) {
            const int32_t verdict =
                test_case(context, &local_cases[k], errors[number % 2], seed + 10 * number + (uint64_t)k, x);
            all++;
            if (verdict == PLUMB_PATH_UNDECIDED) {
                printf("  undecided: %s, seed %llu\n", local_cases[k].text, (unsigned long long)number);
                doubts++;
            } else if (verdict != local_cases[k].expected) {
                fail_msg("%s: %s, seed %llu", local_cases[k].text, plumb_path_text((plumb_path_code)verdict),
                         (unsigned long long)number);
            }
        }
    printf("  %d of %d undecided\n", doubts, all);
    assert_true(100 * doubts <= 2 * all);
}

/* A point of multiplicity 13 (a gradient of type D13 in other coordinates), where the terms cancel so much that near it all values are zero
 * to the digits of dd, and at which only some of its paths have been seen to end. */
static void zeros_of_few_digits_are_no_curves(void **state)
{
    static const char text[] =
        "162*x*y^2+486*x*y+549/2*x; -27*x^2+22029503845518*y^24+793062138438648*y^23+13532328810950634*y^22"
        "+145599769223904006*y^21+4434376538832939171/4*y^20+12709645745155395201/2*y^19"
        "+227900670062937200109/8*y^18+819257199691405196997/8*y^17+38444547341528122483953/128*y^16"
        "+11638429874960957113419/16*y^15+93880283995652058113517/64*y^14+158502497973024510724527/64*y^13"
        "+1797943199610643077629853/512*y^12+1071570334059675702527841/256*y^11"
        "+4290847770081875949518121/1024*y^10+3596221180229716193580117/1024*y^9"
        "+80309842330304571468379929/32768*y^8+11570034231776947069421883/8192*y^7"
        "+21758967785627407299462993/32768*y^6+8203553933658687603977967/32768*y^5"
        "+19349703868297142034790227/262144*y^4+2147546387927839352533101/131072*y^3"
        "+1349339302687790774826657/524288*y^2+133646934528776043945153/524288*y"
        "+100386607929582479790927/8388608;";
    (void)state;
    for (int32_t paths = 1; paths <= 4; paths++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double x[4];
            const local_case c = {text, {0.0, -1.5 + sign * sqrt(5.0) / 3.0}, paths, PLUMB_PATH_SINGULAR};
            assert_int_not_equal(test_case(context, &c, 1e-13, seed + (uint64_t)paths, x), PLUMB_PATH_NOT_ISOLATED);
        }
}

/* Points of cyclic 8-roots at which curves of solutions meet. On most hyperplanes near them |f| has a minimum that is not a zero, closer
 * than the zeros are. */
static void meeting_points_of_curves_are_not_isolated(void **state)
{
    (void)state;
    enum { UNKNOWNS = 8, POINTS = 100 };
    char text[4096] = "";
    for (int degree = 1; degree <= UNKNOWNS; degree++) {
        for (int first = 0; first < (degree < UNKNOWNS ? UNKNOWNS : 1); first++)
            for (int k = 0; k < degree; k++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%sx%d",
                         k > 0       ? "*"
                         : first > 0 ? " + "
                                     : "",
                         (first + k) % UNKNOWNS);
        snprintf(text + strlen(text), sizeof text - strlen(text), degree < UNKNOWNS ? "; " : " - 1;");
    }
    plumb_system *system = parse_good(text);
    const double a = sqrt(sqrt(2.0) - 1.0), b = (1.0 + sqrt(2.0)) / a;
    const double x[2 * UNKNOWNS] = {0, -a, 0, -a, 0, a, 0, a, 0, b, 0, -a, 0, a, 0, -b};
    local_point points[POINTS];
    int doubts = 0;
    for (int k = 0; k < POINTS; k++)
        points[k] =
            (local_point){.x = x, .prec = PLUMB_D, .paths = 2, .error = 1e-14, .seed = seed + 1000 * (uint64_t)k};
    track_must(context, track_local_test(context, system, points, POINTS, NULL));
    for (int k = 0; k < POINTS; k++) {
        doubts += points[k].verdict == PLUMB_PATH_UNDECIDED;
        assert_int_not_equal(points[k].verdict, PLUMB_PATH_SINGULAR);
    }
    printf("  %d of %d undecided\n", doubts, POINTS);
    assert_true(100 * doubts <= 5 * POINTS);
    plumb_system_destroy(system);
}

/* A point has the same verdict alone, among others and with other numbers of threads. */
static void verdicts_do_not_depend_on_company(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    plumb_context *others = track_context(3);
    plumb_system *system = parse_good("x*y^2; x*(x - 1)^2*(y - 3);"); /* the line x = 0, and (1, 0), a fourfold point */
    local_point points[COUNT];
    double x[COUNT][4] = {{0}};
    plumb_random random = plumb_random_start(seed);
    for (int k = 0; k < COUNT; k++) {
        x[k][0] = k % 3 == 0;
        x[k][2] = k % 3 == 0 ? 0.0 : 4.0 * plumb_random_unit(&random) - 2.0;
        points[k] =
            (local_point){.x = x[k], .prec = PLUMB_D, .paths = k % 3 == 0 ? 4 : 1, .error = 1e-14, .seed = (uint64_t)k};
    }
    track_must(others, track_local_test(others, system, points, COUNT, NULL));
    for (int k = 0; k < COUNT; k++) {
        local_point alone = points[k];
        track_must(context, track_local_test(context, system, &alone, 1, NULL));
        assert_int_equal(alone.verdict, points[k].verdict);
        if (points[k].verdict != PLUMB_PATH_UNDECIDED)
            assert_int_equal(points[k].verdict, k % 3 == 0 ? PLUMB_PATH_SINGULAR : PLUMB_PATH_NOT_ISOLATED);
    }
    plumb_system_destroy(system);
    plumb_context_destroy(others);
}

/* ---- Whole calls ---------------------------------------------------------------------------------------------------- */

typedef struct point_case {
    const char *text;
    double at[3]; /* the singular point */
    int64_t multiplicity, not_isolated, regular;
} point_case;

/* All paths of total degree: so many end at the point, which has this multiplicity, and so many on curves. */
static void multiplicities_are_numbers_of_paths(void **state)
{
    (void)state;
    static const point_case cases[] = {
        {"x^2; y;", {0, 0}, 2, 0, 0},
        {"x^2; y^2;", {0, 0}, 4, 0, 0},
        {"(x - 1)^2; (y - 1)^2;", {1, 1}, 4, 0, 0},
        {"x^3; (y - 2)^2;", {0, 2}, 6, 0, 0},
        {"x^4; y^3;", {0, 0}, 12, 0, 0},
        {"(x - 3)^4; (y + 2)^4;", {3, -2}, 16, 0, 0},
        {"x^4; y^6;", {0, 0}, 24, 0, 0},
        {"29/16*x^3 - 2*x*y; y - x^2;", {0, 0}, 3, 0, 0},
        {"y^2 - x^3; y - x^2;", {0, 0}, 3, 0, 1},
        {"x*y; x*(x - 1);", {0, 0}, 0, 3, 1},
        {"(x^2 + y^2 - 1)*x; (x^2 + y^2 - 1)*(y - 3);", {0, 0}, 0, 8, 1},
        {"x*z; y*z; (x - 1)*(y - 2)*(z - 3) + x*y;", {0, 0, 0}, 0, 3, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (uint64_t number = 0; number < 2; number++) {
            track_run run = track_total_degree(context, parse_good(cases[c].text), seed + number, 1, 0);
            plumb_track_options how = track_defaults(0, seed + number);
            track_all(context, &run, &how);
            int64_t found = 0;
            for (int64_t k = 0; k < run.paths; k++) {
                const plumb_path_record *r = &run.records[k];
                if (r->code == PLUMB_PATH_SINGULAR) {
                    found++;
                    assert_int_equal(r->multiplicity, cases[c].multiplicity);
                    for (int64_t i = 0; i < run.ends.rows; i++)
                        assert_true(track_off(&run, k, i, cases[c].at[i], 0.0) < 1e-6);
                } else if (r->code != PLUMB_PATH_AT_INFINITY && r->code != PLUMB_PATH_SUCCESS &&
                           r->code != PLUMB_PATH_NOT_ISOLATED) {
                    track_say(&run, k);
                }
            }
            if (found != cases[c].multiplicity || track_count(&run, PLUMB_PATH_NOT_ISOLATED) != cases[c].not_isolated ||
                track_count(&run, PLUMB_PATH_SUCCESS) != cases[c].regular)
                fail_msg("%s, seed %llu: %lld singular, %lld not isolated, %lld regular", cases[c].text,
                         (unsigned long long)number, (long long)found,
                         (long long)track_count(&run, PLUMB_PATH_NOT_ISOLATED),
                         (long long)track_count(&run, PLUMB_PATH_SUCCESS));
            track_run_destroy(context, &run);
        }
}

/* Callers that compare endpoints themselves get what the paths alone say. */
static void separate_paths_are_not_compared(void **state)
{
    (void)state;
    track_run run = track_total_degree(context, parse_good("x*y; x*(x - 1);"), seed, 1, 0);
    plumb_track_options how = track_defaults(0, seed);
    track_some(context, &run, &(track_part){.separate = true}, &how);
    assert_int_equal(track_count(&run, PLUMB_PATH_SINGULAR), 3);
    for (int64_t k = 0; k < run.paths; k++)
        assert_int_equal(run.records[k].multiplicity, 0);
    track_run_destroy(context, &run);
}

/* ---- Residuals and errors ------------------------------------------------------------------------------------------- */

/* The exact value of limbs. */
static void limbs_to_q(const plumb_view *x, int64_t k, int64_t i, int32_t part, mpq_t q)
{
    mpq_t limb;
    mpq_init(limb);
    mpq_set_ui(q, 0, 1);
    for (int32_t c = 0; c < x->prec; c++) {
        mpq_set_d(limb, x->data[k * x->next + (part * x->prec + c) * x->plane + i]);
        mpq_add(q, q, limb);
    }
    mpq_clear(limb);
}

/* (re, im) *= (a, b) */
static void multiply(mpq_t re, mpq_t im, const mpq_t a, const mpq_t b)
{
    mpq_t p, q;
    mpq_inits(p, q, NULL);
    mpq_mul(p, re, a);
    mpq_mul(q, im, b);
    mpq_sub(p, p, q);
    mpq_mul(q, re, b);
    mpq_mul(im, im, a);
    mpq_add(im, im, q);
    mpq_set(re, p);
    mpq_clears(p, q, NULL);
}

/* The largest |f_i| at endpoint k, exactly but for the last square root; *terms receives the size of its terms. */
static double exact_residual(const track_run *run, int64_t k, double *terms)
{
    const plumb_system *f = run->target;
    double most = 0.0;
    mpq_t sum_re, sum_im, re, im, *x = calloc((size_t)f->unknowns * 2, sizeof *x);
    assert_non_null(x);
    mpq_inits(sum_re, sum_im, re, im, NULL);
    for (int64_t i = 0; i < f->unknowns; i++)
        for (int32_t part = 0; part < 2; part++) {
            mpq_init(x[2 * i + part]);
            limbs_to_q(&run->ends, k, i, part, x[2 * i + part]);
        }
    *terms = 0.0;
    for (int64_t e = 0; e < f->equations; e++) {
        double size = 0.0;
        mpq_set_ui(sum_re, 0, 1);
        mpq_set_ui(sum_im, 0, 1);
        for (int64_t t = f->equation[e]; t < f->equation[e + 1]; t++) {
            mpq_set(re, f->terms[t].re);
            mpq_set(im, f->terms[t].im);
            for (int32_t j = 0; j < f->terms[t].count; j++) {
                const system_factor *factor = &f->factors[f->terms[t].first + j];
                for (int32_t p = 0; p < factor->exponent; p++)
                    multiply(re, im, x[2 * factor->unknown], x[2 * factor->unknown + 1]);
            }
            mpq_add(sum_re, sum_re, re);
            mpq_add(sum_im, sum_im, im);
            size += hypot(mpq_get_d(re), mpq_get_d(im));
        }
        most = fmax(most, hypot(mpq_get_d(sum_re), mpq_get_d(sum_im)));
        *terms = fmax(*terms, size);
    }
    for (int64_t i = 0; i < 2 * f->unknowns; i++)
        mpq_clear(x[i]);
    mpq_clears(sum_re, sum_im, re, im, NULL);
    free(x);
    return most;
}

/* In d, dd, qd and with the precision that each path needs; well scaled and in units that differ by many powers of ten. */
static void residuals_are_those_of_the_points(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x^2 + y^2 - 5; x*y - 2;",
        "x^3 - 3*x*y + 1/7; y^3 - x + 1/3;",
        "10000000000000000000000*x^2 - y; 1/1000000000000000*y^2 + x*y - 300000000000;",
        "x^2; y^2 - 2*y + 1;",
        "(x - 1)*(x - 2)*(x - 3)*(x - 4)*(x - 5)*(x - 6)*(x - 7)*(x - 8);",
    };
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD, 0};
    for (size_t c = 0; c < sizeof texts / sizeof texts[0]; c++)
        for (int p = 0; p < 4; p++) {
            track_run run = track_total_degree(context, parse_good(texts[c]), seed, 1, precisions[p]);
            plumb_track_options how = track_defaults(precisions[p], seed);
            int64_t checked = 0;
            track_all(context, &run, &how);
            for (int64_t k = 0; k < run.paths; k++) {
                const plumb_path_record *r = &run.records[k];
                double terms;
                if (r->code != PLUMB_PATH_SUCCESS && r->code != PLUMB_PATH_SINGULAR)
                    continue;
                const double exact = exact_residual(&run, k, &terms), unit = ldexp(1.0, -53 * r->checked);
                assert_int_equal(r->checked, r->prec == PLUMB_D ? PLUMB_DD : PLUMB_QD);
                if (!(fabs(r->residual - exact) <= 1e-12 * exact + 100.0 * unit * terms)) {
                    track_say(&run, k);
                    fail_msg("%s: residual %g, expected %g", texts[c], r->residual, exact);
                }
                checked++;
            }
            assert_true(checked > 0);
            track_run_destroy(context, &run);
        }
}

/* Errors are not below the true ones, and of regular roots not far above them. Roots x = 1 .. n, y = 1 / x in d, and
 * a large root beside a small one. */
static void errors_are_those_of_the_points(void **state)
{
    (void)state;
    static const char *const texts[] = {"(x - 1)*(x - 2)*(x - 4)*(x - 8); x*y - 1;",
                                        "(x - 1048576)*(x - 4); x*y - 2097152;"};
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, 0};
    for (size_t c = 0; c < 2; c++)
        for (int p = 0; p < 3; p++) {
            track_run run = track_total_degree(context, parse_good(texts[c]), seed, 1, precisions[p]);
            plumb_track_options how = track_defaults(precisions[p], seed);
            int64_t checked = 0;
            track_all(context, &run, &how);
            for (int64_t k = 0; k < run.paths; k++) {
                const plumb_path_record *r = &run.records[k];
                if (r->code != PLUMB_PATH_SUCCESS)
                    continue;
                const double x = round(track_re(&run, k, 0)), y = (c == 0 ? 1.0 : 2097152.0) / x; /* exact */
                const double dx = track_off(&run, k, 0, x, 0.0), dy = track_off(&run, k, 1, y, 0.0);
                const double most = fmax(dx, dy) / fmax(x, y), each = fmax(dx / fmax(x, 1.0), dy / fmax(y, 1.0));
                const double unit = ldexp(1.0, -53 * r->prec);
                if (!(most <= r->error && r->error <= 4.0 * most + unit && r->error <= r->component_error)) {
                    track_say(&run, k);
                    fail_msg("%s: error %g, true %g", texts[c], r->error, most);
                }
                if (run.homotopy->exponent == NULL)
                    assert_true(each <= r->component_error && r->component_error <= 4.0 * each + unit);
                checked++;
            }
            assert_int_equal(checked, c == 0 ? 4 : 2);
            track_run_destroy(context, &run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_points_are_told_from_curves),
        cmocka_unit_test(zeros_of_few_digits_are_no_curves),
        cmocka_unit_test(meeting_points_of_curves_are_not_isolated),
        cmocka_unit_test(verdicts_do_not_depend_on_company),
        cmocka_unit_test(multiplicities_are_numbers_of_paths),
        cmocka_unit_test(separate_paths_are_not_compared),
        cmocka_unit_test(residuals_are_those_of_the_points),
        cmocka_unit_test(errors_are_those_of_the_points),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
