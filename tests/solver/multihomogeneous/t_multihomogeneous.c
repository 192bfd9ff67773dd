/* t_multihomogeneous.c - tests groups of unknowns and start systems that are products of linear forms: numbers of paths
 * that are known or counted by hand, solutions that solve the start system, and paths from them to all roots. */
#include "solver/eval/eval_oracle.h"

#include "base/number/random.h"
#include "solver/multihomogeneous/multihomogeneous.h"

static const uint64_t seed = 2718;

/* ---- Systems ------------------------------------------------------------------------------------------------------ */

/* A x = l x with random whole numbers, and one random linear equation for the length of x: n solutions. */
static plumb_system *eigenvalues(int n)
{
    static char text[1 << 16];
    plumb_random random = plumb_random_start(seed);
    text[0] = 0;
    for (int i = 1; i <= n + 1; i++) {
        for (int k = 1; k <= n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%+d*x%d",
                     (int)plumb_random_below(&random, 9) + 1, k);
        snprintf(text + strlen(text), sizeof text - strlen(text), i <= n ? " - l*x%d;\n" : " - 1;\n", i);
    }
    return parse_system(text);
}

/* Nash equilibria of n players with two strategies each: equation i is multilinear in the unknowns of the others. */
static plumb_system *game(int n)
{
    static char text[1 << 16];
    plumb_random random = plumb_random_start(seed);
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        for (int set = 0; set < 1 << n; set++) {
            if (set >> i & 1)
                continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%+d", (int)plumb_random_below(&random, 99) - 49);
            for (int k = 0; k < n; k++)
                if (set >> k & 1)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "*p%d", k);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), ";\n");
    }
    return parse_system(text);
}

/* Bilinear equations in x1..xa and y1..yb: (a + b choose a) solutions. */
static plumb_system *bilinear(int a, int b)
{
    static char text[1 << 16];
    plumb_random random = plumb_random_start(seed);
    text[0] = 0;
    for (int i = 0; i < a + b; i++) {
        for (int k = 0; k <= a; k++)
            for (int l = 0; l <= b; l++) {
                snprintf(text + strlen(text), sizeof text - strlen(text), "%+d",
                         (int)plumb_random_below(&random, 98) + 1);
                if (k > 0)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "*x%d", k);
                if (l > 0)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "*y%d", l);
            }
        snprintf(text + strlen(text), sizeof text - strlen(text), ";\n");
    }
    return parse_system(text);
}

/* Equations of degree 2 in some unknowns of a group of a or of b unknowns, qa and qb of them, and bilinear ones, in a random order: two groups
 * allow 2^(qa + qb) times (a + b - qa - qb choose a - qa) solutions. few: the equations have at most 4 unknowns of each group. */
static plumb_system *two_groups(int a, int b, int qa, int qb, bool few, uint64_t from)
{
    static char text[1 << 17];
    plumb_random random = plumb_random_start(from);
    text[0] = 0;
    for (int i = 0, left = a + b, squares[2] = {qa, qb}; left > 0; i++, left--) {
        /* Which kind comes next: those that are left have the same chance. */
        const int pick = (int)plumb_random_below(&random, (uint64_t)left);
        const int kind = pick < squares[0] ? 0 : pick < squares[0] + squares[1] ? 1 : 2;
        const int first = (int)plumb_random_below(&random, 30), second = (int)plumb_random_below(&random, 30);
        const int sizes[2] = {a, b}, most_k = few ? 4 : sizes[kind == 1], most_l = few ? 4 : sizes[kind > 0];
        if (kind < 2)
            squares[kind]--;
        for (int k = 0; k < most_k; k++)
            for (int l = kind < 2 ? k : 0; l < most_l; l++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%+d*%c%d*%c%d",
                         (int)plumb_random_below(&random, 98) + 1, "ab"[kind == 1], (first + k) % sizes[kind == 1],
                         "ab"[kind > 0], ((kind < 2 ? first : second) + l) % sizes[kind > 0]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%+d", i + 1);
        for (int u = 0; left == 1 && u < a + b; u++) /* each unknown occurs */
            snprintf(text + strlen(text), sizeof text - strlen(text), "+0*%c%d", "ab"[u >= a], u < a ? u : u - a);
        snprintf(text + strlen(text), sizeof text - strlen(text), ";\n");
    }
    return parse_system(text);
}

static int64_t paths_of(plumb_system *system)
{
    unknown_groups groups;
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_OK);
    const int64_t paths = groups.paths;
    plumb_groups_clear(&groups);
    plumb_system_destroy(system);
    return paths;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------- */

static void groups_have_the_known_numbers_of_paths(void **state)
{
    (void)state;
    for (int n = 2; n <= 30; n += n < 12 ? 1 : 6)
        assert_int_equal(paths_of(eigenvalues(n)), n);
    assert_int_equal(paths_of(game(3)), 2); /* derangements */
    assert_int_equal(paths_of(game(4)), 9);
    assert_int_equal(paths_of(game(5)), 44);
    assert_int_equal(paths_of(game(6)), 265);
    assert_int_equal(paths_of(game(7)), 1854);
    assert_int_equal(paths_of(bilinear(2, 2)), 6);
    assert_int_equal(paths_of(bilinear(4, 5)), 126);
    assert_int_equal(paths_of(bilinear(8, 8)), 12870);
    assert_int_equal(paths_of(parse_system("x^2 - 1; y^3 - 1;")), 6);
    assert_int_equal(paths_of(parse_system("x^2 + y^2 - 1; x^2 - y;")), 4);
    assert_int_equal(paths_of(parse_system("x*y - 1; x - y;")), 2);
    assert_int_equal(paths_of(parse_system("x*y - 1; x^2 + x*y;")), 3);
    assert_int_equal(paths_of(parse_system("x^2 - 1; x - 3 + 0*y;")), 0); /* y is free */
    assert_int_equal(paths_of(parse_system("x^10000 - 1; y^10000 - x; z^10000 - y; w^10000 - z;")),
                     INT64_C(10000000000000000));
}

/* Groups of which no single unknown can be moved with a gain are found where equations show them, and the result is never worse than one
 * group or than the groups that the system was made with. */
static void groups_are_found_from_how_unknowns_occur(void **state)
{
    (void)state;
    assert_int_equal(paths_of(two_groups(10, 10, 7, 6, false, 1)), 286720);
    assert_int_equal(paths_of(bilinear(20, 3)), 1771);
    for (uint64_t from = 1; from <= 40; from++) {
        plumb_random random = plumb_random_start(from);
        const int a = 4 + (int)plumb_random_below(&random, 10), b = 4 + (int)plumb_random_below(&random, 10);
        const int qa = (int)plumb_random_below(&random, (uint64_t)a),
                  qb = (int)plumb_random_below(&random, (uint64_t)b);
        plumb_system *system = two_groups(a, b, qa, qb, from % 2 == 0, from);
        unknown_groups planted, found;
        int32_t of[64];
        for (int64_t u = 0; u < system->unknowns; u++)
            of[u] = system->names[u][0] == 'b';
        assert_int_equal(plumb_groups_make(system, of, &planted), PLUMB_OK);
        assert_int_equal(plumb_groups_find(system, &found), PLUMB_OK);
        if (found.paths > planted.paths)
            printf("seed %llu: %lld paths with the groups that were planted, %lld found\n", (unsigned long long)from,
                   (long long)planted.paths, (long long)found.paths);
        assert_true(found.paths <= planted.paths && found.paths <= INT64_C(1) << (a + b));
        plumb_groups_clear(&planted);
        plumb_groups_clear(&found);
        plumb_system_destroy(system);
    }
}

/* The numbers that saturate are those that do not fit. */
static void groups_notice_numbers_that_are_too_large(void **state)
{
    (void)state;
    unknown_groups groups;
    multihomogeneous *start;
    plumb_system *system = parse_system("a^10000-1; b^10000-1; c^10000-1; d^10000-1; e^10000-1;");
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_OK);
    assert_int_equal(groups.paths, INT64_MAX);
    assert_int_equal(plumb_multihomogeneous_create(system, &groups, seed, &start), PLUMB_ERR_ARGUMENT);
    assert_null(start);
    plumb_system_destroy(system);
    system = parse_system("x*y - 1;");
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(system);
    system = parse_system("x^2 - 1; x - 3 + 0*y;");
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_OK);
    assert_int_equal(plumb_multihomogeneous_create(system, &groups, seed, &start), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(system);
    system = parse_system("(x+y+z)^60 - 1; (x-y+z)^60 - 2; (x+y-z)^60 - 3;");
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_OK);
    assert_int_equal(groups.paths, 216000);
    assert_int_equal(plumb_multihomogeneous_create(system, &groups, seed, &start), PLUMB_ERR_SIZE);
    plumb_system_destroy(system);
}

/* The sum over all assignments of equations to groups, one by one. */
static int64_t count_by_hand(const unknown_groups *g, int64_t equation, int32_t *left)
{
    int64_t sum = 0;
    if (equation == g->unknowns)
        return 1;
    for (int32_t j = 0; j < g->count; j++)
        if (left[j] > 0) {
            left[j]--;
            sum += g->degree[equation * g->unknowns + j] * count_by_hand(g, equation + 1, left);
            left[j]++;
        }
    return sum;
}

static void counts_agree_with_all_assignments(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    for (int trial = 0; trial < 300; trial++) {
        const int n = 1 + (int)plumb_random_below(&random, 6);
        char text[4096] = "";
        int32_t of[6], left[6];
        for (int i = 0; i < n; i++) {
            of[i] = (int32_t)plumb_random_below(&random, (uint64_t)n);
            snprintf(text + strlen(text), sizeof text - strlen(text), "0*x%d", i);
            for (int t = 0; t < 3; t++) {
                snprintf(text + strlen(text), sizeof text - strlen(text), "+ %d", t + 2);
                for (int k = 0; k < n; k++)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "*x%d^%d", k,
                             (int)plumb_random_below(&random, 3));
            }
            snprintf(text + strlen(text), sizeof text - strlen(text), "; ");
        }
        plumb_system *system = parse_system(text);
        unknown_groups given, found;
        assert_int_equal(plumb_groups_make(system, of, &given), PLUMB_OK);
        memcpy(left, given.size, (size_t)given.count * sizeof *left);
        assert_int_equal(given.paths, count_by_hand(&given, 0, left));
        assert_int_equal(plumb_groups_find(system, &found), PLUMB_OK);
        assert_true(found.paths <= given.paths);
        memcpy(left, found.size, (size_t)found.count * sizeof *left);
        assert_int_equal(found.paths, count_by_hand(&found, 0, left));
        /* every number is one assignment, and no two are the same */
        assignment_table table;
        assert_int_equal(plumb_assignments_make(&given, GROUPS_MOST_STATES, &table), PLUMB_OK);
        int32_t group[6] = {0}, choice[6] = {0}, before[12] = {0};
        for (int64_t k = 0; k < given.paths && k < 2000; k++) {
            plumb_assignment_get(&given, &table, k, group, choice);
            memset(left, 0, sizeof left);
            int differs = 0;
            for (int i = 0; i < n; i++) {
                left[group[i]]++;
                assert_true(choice[i] >= 0 && choice[i] < given.degree[i * n + group[i]]);
                if (differs == 0) /* ascending: by group, then by choice, from the first equation on */
                    differs = group[i] != before[2 * i] ? group[i] - before[2 * i] : choice[i] - before[2 * i + 1];
                before[2 * i] = group[i];
                before[2 * i + 1] = choice[i];
            }
            assert_true(k == 0 || differs > 0);
            assert_memory_equal(left, given.size, (size_t)given.count * sizeof *left);
        }
        plumb_assignments_clear(&table);
        plumb_groups_clear(&given);
        plumb_groups_clear(&found);
        plumb_system_destroy(system);
    }
}

/* ---- Solutions ---------------------------------------------------------------------------------------------------- */

static multihomogeneous *start_of(const plumb_system *system)
{
    unknown_groups groups;
    multihomogeneous *start;
    assert_int_equal(plumb_groups_find(system, &groups), PLUMB_OK);
    assert_int_equal(plumb_multihomogeneous_create(system, &groups, seed, &start), PLUMB_OK);
    return start;
}

static plumb_view solutions_of(const multihomogeneous *start, int64_t first, int64_t count)
{
    plumb_view x = eval_view(PLUMB_QD, PLUMB_COMPLEX, start->groups.unknowns, 1, count);
    assert_int_equal(plumb_multihomogeneous_solutions(start, first, &x), PLUMB_OK);
    return x;
}

static void check_solutions(plumb_context *context, plumb_system *target)
{
    multihomogeneous *start = start_of(target);
    const int64_t n = target->unknowns, count = start->groups.paths < 500 ? start->groups.paths : 500;
    plumb_view x = solutions_of(start, 0, count), f = eval_view(PLUMB_QD, PLUMB_COMPLEX, n, 1, count);
    assert_int_equal(plumb_system_eval(context, start->system, &x, &f, NULL, NULL), PLUMB_OK);
    for (int64_t b = 0; b < count; b++)
        for (int64_t i = 0; i < n; i++)
            assert_true(fabs(f.data[b * f.next + i]) < 1e-55 && fabs(f.data[4 * f.plane + b * f.next + i]) < 1e-55);
    for (int64_t a = 0; a < count; a++) /* all different */
        for (int64_t b = 0; b < a; b++) {
            double distance = 0;
            for (int64_t u = 0; u < n; u++)
                distance = fmax(distance, fabs(x.data[a * x.next + u] - x.data[b * x.next + u]));
            assert_true(distance > 1e-6);
        }
    for (int64_t b = 0; b < count; b += 1 + count / 7) { /* and the same alone */
        plumb_view one = solutions_of(start, b, 1);
        for (int64_t u = 0; u < n; u++)
            for (int c = 0; c < 8; c++)
                assert_true(one.data[c * one.plane + u] == x.data[c * x.plane + b * x.next + u]);
        free(one.data);
    }
    free(x.data);
    free(f.data);
    plumb_multihomogeneous_destroy(start);
    plumb_system_destroy(target);
}

static void solutions_solve_the_start_system(void **state)
{
    (void)state;
    plumb_context *context;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    check_solutions(context, eigenvalues(5));
    check_solutions(context, game(5));
    check_solutions(context, bilinear(3, 3));
    check_solutions(context, parse_system("x^3 - y; y^2*x - 1;"));
    check_solutions(context, parse_system("x^2 - 1; (x + y)^3 - z; x*z^2 - 2;"));
    plumb_context_destroy(context);
}

/* Equations whose unknowns have very different sizes: the start system is scaled as the target is. */
static void start_systems_have_the_scale_of_the_target(void **state)
{
    (void)state;
    plumb_system *target = parse_system("x*y - 1e20*x - 3; 1e-15*x*y + 1e25*x - 7;");
    multihomogeneous *start = start_of(target);
    assert_true(start->exponent[0] != 0 || start->exponent[1] != 0);
    plumb_context *context;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    plumb_view x = solutions_of(start, 0, start->groups.paths), f = eval_view(PLUMB_QD, PLUMB_COMPLEX, 2, 1, x.batch);
    assert_int_equal(plumb_system_eval(context, start->system, &x, &f, NULL, NULL), PLUMB_OK);
    for (int64_t i = 0; i < 2; i++) { /* relative to the constant term */
        const system_term *constant = &start->system->terms[start->system->equation[i + 1] - 1];
        const double size = hypot(mpq_get_d(constant->re), mpq_get_d(constant->im));
        for (int64_t b = 0; b < x.batch; b++)
            assert_true(fabs(f.data[b * f.next + i]) < 1e-55 * size);
    }
    free(x.data);
    free(f.data);
    plumb_context_destroy(context);
    plumb_multihomogeneous_destroy(start);
    plumb_system_destroy(target);
}

/* Forms have the unknowns of their equation only, unless a choice of forms would then have no solution. */
static void forms_are_as_short_as_they_may_be(void **state)
{
    (void)state;
    static const int32_t of[] = {0, 1, 0, 1};
    plumb_system *target = parse_system("a*x - 1; b*y - 2; a*x + b*y - a*y - b*x - 3; a*y + b + x - 2;");
    unknown_groups groups;
    multihomogeneous *start;
    assert_int_equal(plumb_groups_make(target, of, &groups), PLUMB_OK);
    assert_int_equal(groups.paths, 6);
    assert_int_equal(plumb_multihomogeneous_create(target, &groups, seed, &start), PLUMB_OK);
    assert_int_equal(plumb_system_terms(start->system, 0), 4); /* (a)(x) */
    assert_int_equal(plumb_system_terms(start->system, 2), 9); /* (a, b)(x, y) */
    plumb_multihomogeneous_destroy(start);
    plumb_system_destroy(target);
    /* both first equations have x alone: they cannot both be assigned to the group of x and y */
    target = parse_system("a*x - 1; a*x - 2*b; b*y - a + 3*x; a*y - b*x + 5;");
    assert_int_equal(plumb_groups_make(target, of, &groups), PLUMB_OK);
    assert_int_equal(groups.paths, 6);
    assert_int_equal(plumb_multihomogeneous_create(target, &groups, seed, &start), PLUMB_OK);
    assert_int_equal(plumb_system_terms(start->system, 0), 9);
    plumb_multihomogeneous_destroy(start);
    plumb_system_destroy(target);
}

static void same_seed_same_start(void **state)
{
    (void)state;
    plumb_system *target = game(4);
    multihomogeneous *a = start_of(target), *b = start_of(target), *c;
    unknown_groups groups;
    assert_true(plumb_system_same(a->system, b->system));
    assert_int_equal(plumb_groups_find(target, &groups), PLUMB_OK);
    assert_int_equal(plumb_multihomogeneous_create(target, &groups, seed + 1, &c), PLUMB_OK);
    assert_false(plumb_system_same(a->system, c->system));
    plumb_multihomogeneous_destroy(a);
    plumb_multihomogeneous_destroy(b);
    plumb_multihomogeneous_destroy(c);
    plumb_multihomogeneous_destroy(NULL);
    plumb_system_destroy(target);
}

/* ---- Paths -------------------------------------------------------------------------------------------------------- */

static int64_t successes(plumb_context *context, plumb_system *target)
{
    multihomogeneous *start = start_of(target);
    plumb_homotopy *homotopy;
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.projective = 1;
    options.seed = seed;
    assert_int_equal(plumb_homotopy_create(start->system, target, &options, &homotopy), PLUMB_OK);
    plumb_view x = solutions_of(start, 0, start->groups.paths);
    plumb_view ends = eval_view(PLUMB_QD, PLUMB_COMPLEX, target->unknowns, 1, x.batch);
    plumb_path_record *records = calloc((size_t)x.batch, sizeof *records);
    assert_non_null(records);
    assert_int_equal(plumb_track(context, homotopy, &x, &ends, NULL, records), PLUMB_OK);
    int64_t count = 0;
    for (int64_t k = 0; k < x.batch; k++)
        count += records[k].code == PLUMB_PATH_SUCCESS;
    free(records);
    free(x.data);
    free(ends.data);
    plumb_homotopy_destroy(homotopy);
    plumb_multihomogeneous_destroy(start);
    plumb_system_destroy(target);
    return count;
}

static void paths_lead_to_all_roots(void **state)
{
    (void)state;
    plumb_context *context;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    assert_int_equal(successes(context, eigenvalues(6)), 6);
    assert_int_equal(successes(context, game(4)), 9);
    assert_int_equal(successes(context, bilinear(2, 3)), 10);
    assert_int_equal(successes(context, parse_system("x*y - 1; x^2*y - 3*x + y - 2;")), 2);
    plumb_context_destroy(context);
}

static void solving_chooses_groups(void **state)
{
    (void)state;
    plumb_context *context;
    plumb_system *system = game(5);
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    plumb_solve_options options;
    for (int32_t kind = PLUMB_START_TOTAL; kind <= PLUMB_START_MULTIHOMOGENEOUS; kind++) {
        plumb_solutions *solutions;
        plumb_solve_report report = {.start = 0};
        plumb_solve_options_init(&options);
        options.start = kind;
        assert_int_equal(plumb_solve(context, system, &options, &solutions), PLUMB_OK);
        assert_int_equal(plumb_solutions_report(solutions, &report), PLUMB_OK);
        assert_int_equal(report.start, kind);
        assert_int_equal(report.total_degree, 1024);
        assert_int_equal(report.multihomogeneous, 44);
        assert_int_equal(report.paths, kind == PLUMB_START_TOTAL ? 1024 : 44);
        assert_int_equal(report.regular, 44);
        assert_int_equal(plumb_solutions_count(solutions), 44);
        plumb_solutions_destroy(solutions);
    }
    plumb_system_destroy(system);
    system = parse_system("x^2 + z^2 - 1; x*z - 2; x^2 - z^3 + 0*y;"); /* groups that allow no path */
    plumb_solutions *none = NULL;
    options.start = PLUMB_START_MULTIHOMOGENEOUS;
    assert_int_not_equal(plumb_solve(context, system, &options, &none), PLUMB_OK);
    assert_null(none);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_have_the_known_numbers_of_paths),
        cmocka_unit_test(groups_are_found_from_how_unknowns_occur),
        cmocka_unit_test(groups_notice_numbers_that_are_too_large),
        cmocka_unit_test(counts_agree_with_all_assignments),
        cmocka_unit_test(solutions_solve_the_start_system),
        cmocka_unit_test(start_systems_have_the_scale_of_the_target),
        cmocka_unit_test(forms_are_as_short_as_they_may_be),
        cmocka_unit_test(same_seed_same_start),
        cmocka_unit_test(paths_lead_to_all_roots),
        cmocka_unit_test(solving_chooses_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
