/* t_cells.c - tests mixed cells: against an oracle that tries every choice of points in rational arithmetic, against
 * areas of Minkowski sums in the plane, against known mixed volumes; and that lists do not depend on threads or on the
 * arithmetic that decides. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "solver/cells/store.h"
#include "text/system/make.h"

static const uint64_t seed = 2718;

static team *threads_of_tests; /* started by the first test that needs them */

enum { MOST_POINTS = 64, MOST_UNKNOWNS = 8 };

/* Supports that are about to be made. */
typedef struct case_supports {
    int64_t unknowns, first[MOST_UNKNOWNS + 1];
    int32_t exponents[MOST_POINTS * MOST_UNKNOWNS];
} case_supports;

static cell_supports *make(const case_supports *c, int32_t origins)
{
    cell_supports *s = NULL;
    assert_int_equal(plumb_supports_create(c->unknowns, c->first, c->exponents, origins, &s), PLUMB_OK);
    return s;
}

static mixed_cells *enumerate(const cell_supports *s, cells_options options)
{
    mixed_cells *cells = NULL;
    options.threads = options.threads > 0 ? options.threads : 1;
    options.team = &threads_of_tests;
    assert_int_equal(plumb_cells_enumerate(s, &options, &cells), PLUMB_OK);
    return cells;
}

static int64_t volume_of(const case_supports *c, int32_t origins, int32_t stable)
{
    cell_supports *s = make(c, origins);
    mixed_cells *cells = enumerate(s, (cells_options){.seed = seed, .stable = stable});
    int64_t volume = cells->mixed_volume;
    plumb_cells_destroy(cells);
    plumb_supports_destroy(s);
    return volume;
}

static void assert_same_cells(const mixed_cells *a, const mixed_cells *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->mixed_volume, b->mixed_volume);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->liftings, b->liftings);
    if (a->count == 0)
        return;
    assert_memory_equal(a->point, b->point, (size_t)(a->count * a->width) * sizeof *a->point);
    assert_memory_equal(a->volume, b->volume, (size_t)a->count * sizeof *a->volume);
}

/* count equations of the given number of points, with exponents from 0 to most. */
static case_supports random_case(plumb_random *random, int64_t unknowns, int64_t points, uint32_t most)
{
    case_supports c = {.unknowns = unknowns};
    for (int64_t e = 0; e < unknowns; e++)
        c.first[e + 1] = c.first[e] + points;
    for (int64_t i = 0; i < c.first[unknowns] * unknowns; i++)
        c.exponents[i] = (int32_t)plumb_random_below(random, most + 1);
    return c;
}

/* ---- The oracle --------------------------------------------------------------------------------------------------- */

/* Returns 1 if lifting + <v, .> takes its minimum over each group exactly at the points of the cell. */
static int is_cell(const cell_supports *s, const mixed_cells *cells, int64_t index)
{
    int64_t n = s->unknowns;
    mpq_t v[MOST_UNKNOWNS], height, least, t;
    mpq_inits(height, least, t, NULL);
    for (int64_t i = 0; i < n; i++)
        mpq_init(v[i]);
    int good = plumb_cells_normal(s, cells, index, v) == PLUMB_OK;
    const int32_t *point = cells->point + index * cells->width;
    for (int64_t g = 0; good && g < s->groups; g++) {
        int32_t at = 0;
        for (int64_t p = s->first[g] - 1; good && p < s->first[g + 1]; p++) {
            int64_t q = p < s->first[g] ? point[0] : p; /* the minimum first, then all points */
            mpq_set_si(height, (long)cells->lifting[q], 1);
            for (int64_t i = 0; i < n; i++) {
                mpq_set_si(t, s->exponent[q * n + i], 1);
                mpq_mul(t, t, v[i]);
                mpq_add(height, height, t);
            }
            if (p < s->first[g]) {
                mpq_set(least, height);
                continue;
            }
            int own = at <= s->size[g] && point[at] == p;
            at += own;
            good = own ? mpq_equal(height, least) : mpq_cmp(height, least) > 0;
        }
        point += s->size[g] + 1;
    }
    for (int64_t i = 0; i < n; i++)
        mpq_clear(v[i]);
    mpq_clears(height, least, t, NULL);
    return good;
}

/* Determinant of the differences of the points of a cell, by expansion along the first row of what is left. */
static int64_t determinant(const int64_t *m, int64_t n, int64_t row, uint32_t used)
{
    int64_t sum = 0, sign = 1;
    if (row == n)
        return 1;
    for (int64_t i = 0; i < n; i++)
        if (!(used & 1u << i)) {
            sum += sign * m[row * n + i] * determinant(m, n, row + 1, used | 1u << i);
            sign = -sign;
        }
    return sum;
}

static int64_t cell_volume(const cell_supports *s, const int32_t *point)
{
    int64_t n = s->unknowns, m[MOST_UNKNOWNS * MOST_UNKNOWNS] = {0}, row = 0;
    for (int64_t g = 0; g < s->groups; g++) {
        for (int32_t k = 1; k <= s->size[g]; k++, row++)
            for (int64_t i = 0; i < n; i++)
                m[row * n + i] = (int64_t)s->exponent[point[k] * n + i] - s->exponent[point[0] * n + i];
        point += s->size[g] + 1;
    }
    int64_t d = determinant(m, n, 0, 0);
    return d < 0 ? -d : d;
}

/* Steps to the next choice of size[g] + 1 points in each group, in lexicographic order. Returns 0 after the last one. */
static int next_choice(const cell_supports *s, int32_t *point)
{
    int32_t *end = point;
    for (int64_t g = 0; g < s->groups; g++)
        end += s->size[g] + 1;
    for (int64_t g = s->groups - 1; g >= 0; g--) {
        int32_t size = s->size[g] + 1, *mine = end -= size;
        for (int32_t k = size - 1; k >= 0; k--)
            if (mine[k] + size - k < s->first[g + 1]) {
                mine[k]++;
                for (int32_t j = k + 1; j < size; j++)
                    mine[j] = mine[j - 1] + 1;
                return 1;
            }
        for (int32_t k = 0; k < size; k++)
            mine[k] = (int32_t)s->first[g] + k;
    }
    return 0;
}

/* The list of cells is what trying every choice of points finds, for the lifting of the list. */
static void check_by_oracle(const cell_supports *s, const mixed_cells *cells)
{
    int32_t point[2 * MOST_UNKNOWNS];
    int64_t width = s->unknowns + s->groups, found = 0, sum = 0, volume;
    mixed_cells one = {.count = 1, .width = width, .point = point, .lifting = cells->lifting};
    int32_t *mine = point;
    for (int64_t g = 0; g < s->groups; g++)
        for (int32_t k = 0; k <= s->size[g]; k++) {
            if (s->first[g] + k >= s->first[g + 1]) { /* fewer points than a cell takes */
                assert_int_equal(cells->count, 0);
                return;
            }
            *mine++ = (int32_t)s->first[g] + k;
        }
    do {
        volume = cell_volume(s, point);
        if (volume == 0 || !is_cell(s, &one, 0))
            continue;
        assert_true(found < cells->count);
        assert_memory_equal(point, cells->point + found * width, (size_t)width * sizeof *point);
        assert_int_equal(volume, cells->volume[found]);
        sum += volume;
        found++;
    } while (next_choice(s, point));
    assert_int_equal(found, cells->count);
    assert_int_equal(sum, cells->mixed_volume);
}

static void cells_are_those_of_the_oracle(void **state)
{
    (void)state;
    static const struct {
        int64_t unknowns, points;
        uint32_t most;
        int rounds;
    } shapes[] = {{1, 5, 9, 10}, {2, 6, 5, 40},  {2, 9, 2, 40}, {3, 5, 4, 30},
                  {3, 4, 1, 30}, {3, 6, 30, 10}, {4, 4, 2, 6}};
    plumb_random random = plumb_random_start(seed);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int round = 0; round < shapes[k].rounds; round++) {
            case_supports c = random_case(&random, shapes[k].unknowns, shapes[k].points, shapes[k].most);
            cell_supports *s = make(&c, round % 2);
            mixed_cells *cells = enumerate(s, (cells_options){.seed = plumb_random_next(&random)});
            check_by_oracle(s, cells);
            plumb_cells_destroy(cells);
            plumb_supports_destroy(s);
        }
}

/* Equations that share a support, in groups of two and three. */
static void groups_take_one_more_point_than_equations(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed + 1);
    for (int round = 0; round < 40; round++) {
        int64_t n = 2 + round % 3, points = 6;
        case_supports c = random_case(&random, n, points, 3), apart;
        size_t block = (size_t)(points * n) * sizeof *c.exponents;
        for (int64_t e = 1; e < n; e++)
            if (e != 2 || round % 2) /* all alike, or one equation of its own */
                memcpy(c.exponents + e * points * n, c.exponents, block);
        cell_supports *s = make(&c, 0);
        assert_int_equal(s->groups, n < 3 || round % 2 ? 1 : 2);
        mixed_cells *cells = enumerate(s, (cells_options){.seed = plumb_random_next(&random)});
        check_by_oracle(s, cells);
        /* Translated, the supports are no longer the same, and the mixed volume is. */
        apart = c;
        for (int64_t e = 1; e < n; e++)
            for (int64_t i = 0; i < points * n; i++)
                apart.exponents[e * points * n + i] -= (int32_t)(7 * e + i % n);
        cell_supports *t = make(&apart, 0);
        assert_int_equal(t->groups, n);
        mixed_cells *fully = enumerate(t, (cells_options){.seed = plumb_random_next(&random)});
        assert_int_equal(fully->mixed_volume, cells->mixed_volume);
        plumb_cells_destroy(cells);
        plumb_cells_destroy(fully);
        plumb_supports_destroy(s);
        plumb_supports_destroy(t);
    }
}

/* Weights are 0 at the points of a cell and positive elsewhere, and the edges have the volume as their determinant. */
static void weights_tell_the_points_of_a_cell(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed + 6);
    for (int round = 0; round < 20; round++) {
        int64_t n = 2 + round % 3, edges[MOST_UNKNOWNS * MOST_UNKNOWNS] = {0};
        case_supports c = random_case(&random, n, 5, 3);
        if (round % 2)
            memcpy(c.exponents + 5 * n, c.exponents, (size_t)(5 * n) * sizeof *c.exponents);
        cell_supports *s = make(&c, 0);
        mixed_cells *cells = enumerate(s, (cells_options){.seed = (uint64_t)round});
        for (int64_t k = 0; k < cells->count; k++) {
            double weights[MOST_POINTS];
            const int32_t *point = cells->point + k * cells->width;
            int64_t zeros = 0;
            assert_int_equal(plumb_cells_weights(s, cells, k, weights), PLUMB_OK);
            for (int64_t i = 0; i < cells->width; i++)
                assert_true(weights[point[i]] == 0.0);
            for (int64_t p = 0; p < s->first[s->groups]; p++) {
                assert_true(weights[p] >= 0.0);
                zeros += weights[p] == 0.0;
            }
            assert_int_equal(zeros, cells->width);
            plumb_cells_edges(s, cells, k, edges);
            assert_int_equal(llabs(determinant(edges, n, 0, 0)), cells->volume[k]);
        }
        plumb_cells_destroy(cells);
        plumb_supports_destroy(s);
    }
}

/* ---- Areas in the plane ------------------------------------------------------------------------------------------- */

/* Twice the area of the convex hull of points, by gift wrapping. */
static int64_t hull_area(const int64_t (*p)[2], int64_t count)
{
    int64_t start = 0, area = 0;
    for (int64_t i = 1; i < count; i++)
        if (p[i][0] < p[start][0] || (p[i][0] == p[start][0] && p[i][1] < p[start][1]))
            start = i;
    int64_t at = start;
    do {
        int64_t next = -1;
        for (int64_t i = 0; i < count; i++) {
            int64_t x = p[i][0] - p[at][0], y = p[i][1] - p[at][1];
            if (x == 0 && y == 0)
                continue;
            if (next < 0) {
                next = i;
                continue;
            }
            int64_t u = p[next][0] - p[at][0], w = p[next][1] - p[at][1], turn = u * y - w * x;
            if (turn < 0 || (turn == 0 && x * x + y * y > u * u + w * w))
                next = i;
        }
        if (next < 0)
            return 0;
        area += p[at][0] * p[next][1] - p[at][1] * p[next][0];
        at = next;
    } while (p[at][0] != p[start][0] || p[at][1] != p[start][1]);
    return area < 0 ? -area : area;
}

/* MV(P, Q) = area(P + Q) - area(P) - area(Q). */
static void plane_volumes_are_areas_of_sums(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed + 2);
    for (int round = 0; round < 200; round++) {
        int64_t points = 1 + (int64_t)plumb_random_below(&random, 8);
        case_supports c = random_case(&random, 2, points, round % 2 ? 3 : 1000);
        int64_t p[2][MOST_POINTS][2] = {{{0}}}, sum[MOST_POINTS][2] = {{0}};
        for (int64_t i = 0; i < points; i++)
            for (int64_t k = 0; k < 2; k++) {
                p[0][i][k] = c.exponents[2 * i + k];
                p[1][i][k] = c.exponents[2 * (points + i) + k];
            }
        for (int64_t i = 0; i < points * points; i++)
            for (int64_t k = 0; k < 2; k++)
                sum[i][k] = p[0][i / points][k] + p[1][i % points][k];
        int64_t twice = hull_area((const int64_t(*)[2])sum, points * points) -
                        hull_area((const int64_t(*)[2])p[0], points) - hull_area((const int64_t(*)[2])p[1], points);
        assert_int_equal(2 * volume_of(&c, 0, 0), twice);
    }
}

/* ---- Properties --------------------------------------------------------------------------------------------------- */

/* A unimodular map of the exponents and other seeds change cells, but not the mixed volume. */
static void volumes_do_not_depend_on_coordinates_or_seeds(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed + 3);
    for (int round = 0; round < 30; round++) {
        int64_t n = 2 + round % 3;
        case_supports c = random_case(&random, n, 5, 3), d = c;
        for (int shear = 0; shear < 4; shear++) { /* column i += k times column j */
            int64_t i = (int64_t)plumb_random_below(&random, (uint64_t)n), j = (i + 1) % n;
            int32_t k = (int32_t)plumb_random_below(&random, 9) - 4;
            for (int64_t p = 0; p < d.first[n]; p++)
                d.exponents[p * n + i] += k * d.exponents[p * n + j];
        }
        int64_t volume = volume_of(&c, 0, 0);
        assert_int_equal(volume_of(&d, 0, 0), volume);
        cell_supports *s = make(&c, 0);
        for (uint64_t k = 0; k < 5; k++) {
            mixed_cells *cells = enumerate(s, (cells_options){.seed = k});
            assert_int_equal(cells->mixed_volume, volume);
            plumb_cells_destroy(cells);
        }
        plumb_supports_destroy(s);
    }
}

static cell_supports *family(const char *name, int64_t n, int32_t origins)
{
    const system_family *f = plumb_system_families;
    while (strcmp(f->name, name) != 0)
        f++;
    plumb_system *system;
    cell_supports *s;
    assert_int_equal(plumb_system_family_make(f, n, &system), PLUMB_OK);
    assert_int_equal(plumb_supports_of_system(system, origins, &s), PLUMB_OK);
    plumb_system_destroy(system);
    return s;
}

static void known_volumes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t n, torus, origin, stable;
    } cases[] = {{"cyclic", 5, 70, 70, 70},     {"cyclic", 6, 156, 156, 156},     {"cyclic", 7, 924, 924, 924},
                 {"cyclic", 8, 2560, 0, 0},     {"cyclic", 9, 11016, 0, 0},       {"cyclic", 10, 35940, 0, 0},
                 {"noon", 4, 73, 73, 73},       {"noon", 5, 233, 233, 233},       {"katsura", 5, 30, 32, 32},
                 {"katsura", 8, 240, 256, 256}, {"katsura", 10, 990, 1024, 1024}, {"eco", 8, 64, 64, 64},
                 {"eco", 12, 1024, 1024, 1024}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int32_t kind = 0; kind < 3; kind++) {
            int64_t expected = kind == 0 ? cases[k].torus : kind == 1 ? cases[k].origin : cases[k].stable;
            if (expected == 0)
                continue;
            cell_supports *s = family(cases[k].name, cases[k].n, kind > 0);
            mixed_cells *cells = enumerate(s, (cells_options){.seed = seed, .stable = kind == 2, .threads = 2});
            assert_int_equal(cells->mixed_volume, expected);
            plumb_cells_destroy(cells);
            plumb_supports_destroy(s);
        }
}

static void lists_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int32_t stable = 0; stable < 2; stable++) {
        cell_supports *s = family("cyclic", 9, stable);
        mixed_cells *one = enumerate(s, (cells_options){.seed = 5, .stable = stable});
        for (int32_t threads = 2; threads <= 5; threads++) {
            mixed_cells *many = enumerate(s, (cells_options){.seed = 5, .stable = stable, .threads = threads});
            assert_same_cells(one, many);
            assert_memory_equal(one->lifting, many->lifting, (size_t)s->first[s->groups] * sizeof *one->lifting);
            plumb_cells_destroy(many);
        }
        plumb_cells_destroy(one);
        plumb_supports_destroy(s);
    }
}

/* GMP alone takes the same steps as doubles. */
static void arithmetic_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"cyclic", "katsura", "eco", "noon"};
    for (size_t k = 0; k < 4; k++)
        for (int32_t kind = 0; kind < 3; kind++) {
            cell_supports *s = family(names[k], 6, kind > 0);
            mixed_cells *a = enumerate(s, (cells_options){.seed = k, .stable = kind == 2});
            mixed_cells *b = enumerate(s, (cells_options){.seed = k, .stable = kind == 2, .exact = 1});
            assert_same_cells(a, b);
            assert_memory_equal(a->lifting, b->lifting, (size_t)s->first[s->groups] * sizeof *a->lifting);
            assert_int_equal(b->exact_steps, b->steps);
            assert_true(a->exact_steps < a->steps);
            plumb_cells_destroy(a);
            plumb_cells_destroy(b);
            plumb_supports_destroy(s);
        }
}

/* Supports that are s times as large have s^n times the volume. Products no longer fit in doubles, and in the end the
 * volume does not fit in 63 bits. */
static void large_exponents_are_exact(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 5, 0);
    mixed_cells *small = enumerate(s, (cells_options){.seed = seed}), *large;
    int64_t entries = s->first[s->groups] * s->unknowns;
    for (int64_t i = 0; i < entries; i++)
        s->exponent[i] *= 1000;
    large = enumerate(s, (cells_options){.seed = seed});
    assert_true(large->exact_steps > 0);
    assert_true(large->exact_steps < large->steps);
    assert_int_equal(large->mixed_volume, INT64_C(70000000000000000));
    plumb_cells_destroy(large);
    large = NULL;
    for (int64_t i = 0; i < entries; i++)
        s->exponent[i] *= 10;
    assert_int_equal(plumb_cells_enumerate(s, &(cells_options){.seed = seed, .threads = 1}, &large), PLUMB_ERR_SIZE);
    assert_null(large);
    for (int64_t i = 0; i < entries; i++)
        s->exponent[i] = s->exponent[i] / 10000 * (1 << 30);
    assert_int_equal(
        plumb_cells_enumerate(s, &(cells_options){.seed = seed, .threads = 2, .team = &threads_of_tests}, &large),
        PLUMB_ERR_SIZE);
    plumb_cells_destroy(small);
    plumb_supports_destroy(s);
    /* The largest exponents of both signs, where differences have 32 bits. */
    const int32_t most = 1 << 30;
    case_supports c = {.unknowns = 1, .first = {0, 3}, .exponents = {-most, most, 1}};
    assert_int_equal(volume_of(&c, 0, 0), 2 * (int64_t)most);
    c.exponents[0] = most + 1;
    cell_supports *none;
    assert_int_equal(plumb_supports_create(1, c.first, c.exponents, 0, &none), PLUMB_ERR_RANGE);
    assert_int_equal(plumb_supports_create(0, c.first, c.exponents, 0, &none), PLUMB_ERR_ARGUMENT);
    assert_null(none);
}

/* Liftings of one bit are all ties: they are noticed, and longer ones are drawn until there are none. */
static void ties_are_lifted_again(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed + 4);
    int64_t liftings = 0;
    for (int round = 0; round < 40; round++) {
        case_supports c = random_case(&random, 2 + round % 2, 6, 4);
        int64_t volume = volume_of(&c, 0, 0);
        cell_supports *s = make(&c, 0);
        mixed_cells *cells = enumerate(s, (cells_options){.seed = (uint64_t)round, .lifting_bits = 1});
        assert_int_equal(cells->mixed_volume, volume);
        check_by_oracle(s, cells);
        liftings += cells->liftings;
        plumb_cells_destroy(cells);
        plumb_supports_destroy(s);
    }
    assert_true(liftings > 40);
    cell_supports *s = family("cyclic", 8, 0);
    mixed_cells *one = enumerate(s, (cells_options){.seed = 3, .lifting_bits = 1});
    mixed_cells *two = enumerate(s, (cells_options){.seed = 3, .lifting_bits = 1, .threads = 3});
    assert_true(one->liftings > 1);
    assert_int_equal(one->mixed_volume, 2560);
    assert_same_cells(one, two);
    plumb_cells_destroy(one);
    plumb_cells_destroy(two);
    plumb_supports_destroy(s);
}

static void degenerate_supports_have_volume_0(void **state)
{
    (void)state;
    /* a single point; two segments in one direction; an equation without the second unknown, twice; no points */
    static const case_supports cases[] = {
        {.unknowns = 2, .first = {0, 1, 4}, .exponents = {3, 1, 0, 0, 2, 0, 0, 2}},
        {.unknowns = 2, .first = {0, 2, 4}, .exponents = {0, 0, 1, 1, 1, 0, 3, 2}},
        {.unknowns = 2, .first = {0, 2, 5}, .exponents = {0, 4, 1, 4, 0, 2, 1, 2, 2, 2}},
        {.unknowns = 2, .first = {0, 0, 3}, .exponents = {0, 0, 1, 0, 0, 1}},
        {.unknowns = 1, .first = {0, 3}, .exponents = {2, 2, 2}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(volume_of(&cases[k], 0, 0), 0);
    /* Repeated points count once. */
    const case_supports repeated = {.unknowns = 1, .first = {0, 5}, .exponents = {4, 1, 1, 4, 1}};
    assert_int_equal(volume_of(&repeated, 0, 0), 3);
    assert_int_equal(volume_of(&repeated, 1, 0), 4);
    assert_int_equal(volume_of(&repeated, 1, 1), 4);
}

/* Huber and Sturmfels, Bernstein's theorem in affine space, 1997: y (a + b y + c x y^2) and x (d + e x + f x^2 y) have
 * three roots on the axes beside those of the two factors. */
static void stable_volumes_count_roots_on_axes(void **state)
{
    (void)state;
    const case_supports whole = {.unknowns = 2, .first = {0, 3, 6}, .exponents = {0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 3, 1}};
    const case_supports factors = {
        .unknowns = 2, .first = {0, 3, 6}, .exponents = {0, 0, 0, 1, 1, 2, 0, 0, 1, 0, 2, 1}};
    int64_t torus = volume_of(&factors, 0, 0);
    assert_int_equal(torus, 3);
    assert_int_equal(volume_of(&whole, 0, 0), torus);
    assert_int_equal(volume_of(&whole, 1, 1), torus + 3);
    assert_int_equal(volume_of(&whole, 1, 0), 8);
    /* Every stable cell is a cell of the final lifting, and the bounds are in order. */
    plumb_random random = plumb_random_start(seed + 5);
    for (int round = 0; round < 120; round++) {
        case_supports c = random_case(&random, 1 + round % 3, 4, round % 3 == 0 ? 40 : 3);
        cell_supports *s = make(&c, 1);
        /* Short liftings have ties before the origins are raised, and none afterwards. */
        mixed_cells *stable =
            enumerate(s, (cells_options){.seed = (uint64_t)round, .stable = 1, .lifting_bits = round % 2 ? 2 : 0});
        for (int64_t i = 0; i < stable->count; i++) {
            assert_true(is_cell(s, stable, i));
            assert_int_equal(stable->volume[i], cell_volume(s, stable->point + i * stable->width));
        }
        assert_true(stable->mixed_volume >= volume_of(&c, 0, 0));
        assert_true(stable->mixed_volume <= volume_of(&c, 1, 0));
        plumb_cells_destroy(stable);
        plumb_supports_destroy(s);
    }
}

/* Root k of all is root k - first of the cell whose roots begin at first. */
static void roots_belong_to_one_cell(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 6, 0);
    mixed_cells *cells = enumerate(s, (cells_options){.seed = 9});
    int64_t within, root = 0;
    for (int64_t i = 0; i < cells->count; i++)
        for (int64_t k = 0; k < cells->volume[i]; k++) {
            assert_int_equal(plumb_cells_locate(cells, root++, &within), i);
            assert_int_equal(within, k);
        }
    assert_int_equal(root, cells->mixed_volume);
    assert_int_equal(cells->first_root[cells->count], root);
    plumb_cells_destroy(cells);
    plumb_supports_destroy(s);
}

/* The limit on steps depends on the steps alone. */
static void limits_are_exact(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 9, 0);
    mixed_cells *all = enumerate(s, (cells_options){.seed = 1}), *cells = NULL;
    for (int32_t threads = 1; threads <= 3; threads++) {
        cells_options options = {
            .seed = 1, .team = &threads_of_tests, .threads = threads, .most_steps = all->steps - 1};
        assert_int_equal(plumb_cells_enumerate(s, &options, &cells), PLUMB_ERR_STOPPED);
        assert_null(cells);
        options.most_steps++;
        assert_int_equal(plumb_cells_enumerate(s, &options, &cells), PLUMB_OK);
        assert_same_cells(all, cells);
        plumb_cells_destroy(cells);
    }
    plumb_cells_destroy(all);
    plumb_supports_destroy(s);
}

static void public_call_checks_its_arguments(void **state)
{
    (void)state;
    plumb_context *context;
    plumb_mixed_options options;
    plumb_mixed_report report;
    plumb_system *square, *over;
    static const char two[] = "2\nx^2 + y;\nx*y - y;\n", three[] = "3 2\nx;\ny;\nx - y - 1;\n";
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    assert_int_equal(plumb_system_parse(two, strlen(two), &square, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_parse(three, strlen(three), &over, NULL), PLUMB_OK);
    plumb_mixed_options_init(&options);
    assert_int_equal(plumb_mixed_volume(context, square, NULL, &report), PLUMB_OK);
    assert_int_equal(report.volume, 3); /* a double root at the origin, and (1, -1) */
    options.kind = PLUMB_MIXED_NONZERO;
    assert_int_equal(plumb_mixed_volume(context, square, &options, &report), PLUMB_OK);
    assert_int_equal(report.volume, 1);
    assert_int_equal(report.cells, 1);
    options.max_steps = 1;
    assert_int_equal(plumb_mixed_volume(context, square, &options, &report), PLUMB_ERR_STOPPED);
    assert_non_null(strstr(plumb_context_message(context), "more than 1 steps"));
    options.max_steps = -1;
    assert_int_equal(plumb_mixed_volume(context, square, &options, &report), PLUMB_ERR_ARGUMENT);
    options.max_steps = 0;
    options.kind = 3;
    assert_int_equal(plumb_mixed_volume(context, square, &options, &report), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "kind"));
    assert_int_equal(plumb_mixed_volume(context, over, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "3 equations in 2 unknowns"));
    assert_int_equal(plumb_mixed_volume(context, NULL, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_mixed_volume(context, square, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_mixed_volume(NULL, square, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(square);
    plumb_system_destroy(over);
    plumb_context_destroy(context);
}

/* ---- Results that others have computed ------------------------------------------------------------------------------ */

/* Writes a store and reads it into another one. */
static void pass_on(const cells_store *store, cells_store *other)
{
    size_t length = 0;
    char *text = plumb_store_write(store, &length);
    assert_non_null(text);
    assert_true(plumb_store_read(other, text, length));
    for (size_t k = 0; k < length; k += 7) { /* a change of any byte is noticed */
        cells_store damaged = {.count = 0};
        text[k] ^= 1;
        assert_false(plumb_store_read(&damaged, text, length));
        text[k] ^= 1;
        plumb_store_clear(&damaged);
    }
    cells_store cut = {.count = 0};
    assert_false(plumb_store_read(&cut, text, length - 1));
    plumb_store_clear(&cut);
    free(text);
}

static void stored_lists_are_those_enumerated(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 5, 0), *others = family("katsura", 5, 0);
    const cells_options options = {.seed = seed, .threads = 1}, limited = {.seed = seed, .threads = 1, .most_steps = 3},
                        reseeded = {.seed = seed + 1, .threads = 1};
    mixed_cells *cells = enumerate(s, options), *found = NULL;
    plumb_status status = PLUMB_OK;
    cells_store store = {.count = 0}, read = {.count = 0};
    plumb_store_add(&store, s, &options, false, PLUMB_OK, cells);
    plumb_store_add(&store, s, &options, true, PLUMB_OK, cells);
    plumb_store_add(&store, s, &limited, false, PLUMB_ERR_STOPPED, NULL);
    plumb_store_add(&store, others, &options, false, PLUMB_ERR_MEMORY, NULL); /* is not kept */
    pass_on(&store, &read);
    assert_true(plumb_store_find(&read, s, &options, false, &status, &found));
    assert_int_equal(status, PLUMB_OK);
    assert_same_cells(cells, found);
    plumb_cells_destroy(found);
    assert_true(plumb_store_find(&read, s, &options, true, &status, &found));
    assert_int_equal(found->mixed_volume, cells->mixed_volume);
    assert_int_equal(found->count, 0);
    plumb_cells_destroy(found);
    assert_true(plumb_store_find(&read, s, &limited, false, &status, &found));
    assert_int_equal(status, PLUMB_ERR_STOPPED);
    assert_null(found);
    assert_int_equal(read.found, 3);
    assert_false(plumb_store_find(&read, s, &reseeded, false, &status, &found));
    assert_false(plumb_store_find(&read, others, &options, false, &status, &found));
    plumb_store_clear(&store);
    plumb_store_clear(&read);
    plumb_cells_destroy(cells);
    plumb_supports_destroy(s);
    plumb_supports_destroy(others);
}

/* Reads a store whose text was changed by a forger who knows how checksums are made. */
static bool read_forged(const char *body, cells_store *store)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const size_t length = strlen(body);
    char *text = malloc(length + 32);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)body[i]) * UINT64_C(0x100000001b3);
    snprintf(text, length + 32, "%scheck %016llx\n", body, (unsigned long long)hash);
    const bool good = plumb_store_read(store, text, strlen(text));
    free(text);
    return good;
}

/* The first lines of a store with one list of cells, with the mixed volume and number of cells given; then its lifting and its first cells. */
static char *forge(const mixed_cells *c, int64_t points, unsigned long long key, int64_t volume, int64_t count,
                   int64_t first_lifting)
{
    const size_t room = (size_t)(200 + 24 * points + count * (24 + 12 * c->width));
    char *text = malloc(room);
    assert_non_null(text);
    int n = snprintf(text, room, "plumb mixed cells %s\n%016llx 0 %lld %lld %lld %lld 1 0 1\n", plumb_version(), key,
                     (long long)volume, (long long)count, (long long)c->width, (long long)points);
    for (int64_t k = 0; k < points; k++)
        n += snprintf(text + n, room - (size_t)n, "%s%lld", k > 0 ? " " : "",
                      (long long)(k == 0 ? first_lifting : c->lifting[k]));
    n += snprintf(text + n, room - (size_t)n, "\n");
    for (int64_t i = 0; i < count; i++) {
        n += snprintf(text + n, room - (size_t)n, "%lld", (long long)c->volume[i]);
        for (int64_t k = 0; k < c->width; k++)
            n += snprintf(text + n, room - (size_t)n, " %d", (int)c->point[i * c->width + k]);
        n += snprintf(text + n, room - (size_t)n, "\n");
    }
    return text;
}

static void forged_lists_are_refuted_or_believed(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 5, 0);
    const int64_t points = s->first[s->groups];
    const cells_options options = {.seed = seed, .threads = 1};
    mixed_cells *cells = enumerate(s, options), *found = NULL;
    plumb_status status = PLUMB_OK;
    cells_store store = {.count = 0};
    plumb_store_add(&store, s, &options, false, PLUMB_OK, cells);
    const unsigned long long key = store.entry[0].key;
    plumb_store_clear(&store);
    const int64_t count = cells->count, all = cells->mixed_volume, lost = cells->volume[count - 1];
    const struct {
        int64_t volume, count, lifting, recount;
        bool found;
        int64_t believed, refuted;
    } cases[] = {
        {all, count, cells->lifting[0], 100000, true, 0, 0},             /* as it is */
        {all - lost, count - 1, cells->lifting[0], 100000, false, 0, 1}, /* a cell is missing */
        {all - lost, count - 1, cells->lifting[0], 3, true, 1, 0},       /* the same, and too much to enumerate */
        {all - lost, count - 1, cells->lifting[0], 0, true, 0, 0},       /* a message of another rank */
        {all, count, INT64_MAX, 100000, false, 0, 1},                    /* another lifting */
        {all, count - 1, cells->lifting[0], 0, false, 0, 0},             /* volumes that do not add up */
        {all, 0, cells->lifting[0], 0, false, 0, 0},                     /* roots without cells */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cells_store read = {.recount = cases[i].recount};
        char *text = forge(cells, points, key, cases[i].volume, cases[i].count, cases[i].lifting);
        assert_true(read_forged(text, &read));
        assert_int_equal(plumb_store_find(&read, s, &options, false, &status, &found), cases[i].found);
        assert_int_equal(read.believed, cases[i].believed);
        assert_int_equal(read.refuted, cases[i].refuted);
        plumb_cells_destroy(found);
        plumb_store_clear(&read);
        free(text);
    }
    char *text = forge(cells, points, key, all, count, cells->lifting[0]), *point = strrchr(text, ' ');
    snprintf(point, 16, " 4294967296\n"); /* 2^32, which is no point 0 */
    assert_false(read_forged(text, &store));
    plumb_store_clear(&store);
    free(text);
    plumb_cells_destroy(cells);
    plumb_supports_destroy(s);
}

/* Liftings of any size are taken exactly, and what is no cell of its lifting is noticed. */
static void forged_liftings_are_exact(void **state)
{
    (void)state;
    cell_supports *s = family("cyclic", 5, 0);
    const int64_t points = s->first[s->groups];
    mixed_cells *cells = enumerate(s, (cells_options){.seed = seed, .threads = 1});
    double *weights = calloc((size_t)points, sizeof *weights);
    assert_non_null(weights);
    const int32_t cell = cells->point[0];
    int64_t other = s->first[s->groups]; /* a point of the last group that is not of the cell */
    for (bool taken = true; taken;) {
        taken = false;
        other--;
        for (int64_t k = 0; k < cells->width; k++)
            taken = taken || cells->point[k] == other;
    }
    assert_int_equal(plumb_cells_weights(s, cells, 0, weights), PLUMB_OK);
    const int64_t height = cells->lifting[other];
    cells->lifting[other] = INT64_MAX; /* higher than all: the cell remains one */
    assert_int_equal(plumb_cells_weights(s, cells, 0, weights), PLUMB_OK);
    assert_true(weights[other] > 9e18);
    cells->lifting[other] = INT64_MIN; /* below the cell */
    assert_int_equal(plumb_cells_weights(s, cells, 0, weights), PLUMB_ERR_ARGUMENT);
    cells->lifting[other] = height;
    cells->lifting[cell] = INT64_MIN; /* differences of more than 63 bits */
    for (int64_t k = 0; k < points; k++)
        cells->lifting[k] = k == cell ? INT64_MIN : INT64_MAX;
    (void)!plumb_cells_weights(s, cells, 0, weights);
    for (int64_t k = 0; k < points; k++)
        assert_true(isfinite(weights[k]));
    free(weights);
    plumb_cells_destroy(cells);
    plumb_supports_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells_are_those_of_the_oracle),
                                       cmocka_unit_test(groups_take_one_more_point_than_equations),
                                       cmocka_unit_test(weights_tell_the_points_of_a_cell),
                                       cmocka_unit_test(plane_volumes_are_areas_of_sums),
                                       cmocka_unit_test(volumes_do_not_depend_on_coordinates_or_seeds),
                                       cmocka_unit_test(known_volumes),
                                       cmocka_unit_test(lists_do_not_depend_on_threads),
                                       cmocka_unit_test(arithmetic_does_not_matter),
                                       cmocka_unit_test(large_exponents_are_exact),
                                       cmocka_unit_test(ties_are_lifted_again),
                                       cmocka_unit_test(degenerate_supports_have_volume_0),
                                       cmocka_unit_test(stable_volumes_count_roots_on_axes),
                                       cmocka_unit_test(roots_belong_to_one_cell),
                                       cmocka_unit_test(limits_are_exact),
                                       cmocka_unit_test(stored_lists_are_those_enumerated),
                                       cmocka_unit_test(forged_lists_are_refuted_or_believed),
                                       cmocka_unit_test(forged_liftings_are_exact),
                                       cmocka_unit_test(public_call_checks_its_arguments)};
    print_message("seed %llu\n", (unsigned long long)seed);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    team_end(threads_of_tests);
    return failed;
}
