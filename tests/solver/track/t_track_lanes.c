/* t_track_lanes.c - tests paths side by side: they have the bits of paths that are tracked alone, whichever paths are beside them,
 * for every precision and instruction set, which agree as well; on straight lines, in polyhedral homotopies and in families. */
#define TRACK_SEED 577215
#include "track_fixture.h"

#include <stdbool.h>

#include "base/number/random.h"
#include "solver/context/context.h"
#include "solver/polyhedral/polyhedral.h"

enum { ALONE = -1, SIDE_BY_SIDE = 1 };

static plumb_context *context_of(const char *isa, int32_t threads)
{
    plumb_context *made = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.threads = threads;
    options.isa = isa;
    track_must(NULL, plumb_context_create(&options, &made));
    return made;
}

static void set_lanes(plumb_context *of, int32_t lanes)
{
    machine *m = NULL;
    track_must(of, plumb_context_machine(of, PLUMB_HOST, &m));
    m->hooks.track_lanes = lanes;
}

/* What a run has found. */
typedef struct found {
    double *ends;
    plumb_path_record *records;
    size_t end_bytes, record_bytes;
} found;

static found take(const track_run *run)
{
    found f = {.end_bytes = (size_t)(run->ends.next * run->paths) * sizeof(double),
               .record_bytes = (size_t)run->paths * sizeof *run->records};
    f.ends = malloc(f.end_bytes);
    f.records = malloc(f.record_bytes);
    assert_non_null(f.ends);
    assert_non_null(f.records);
    memcpy(f.ends, run->ends.data, f.end_bytes);
    memcpy(f.records, run->records, f.record_bytes);
    return f;
}

static void forget(found *f)
{
    free(f->ends);
    free(f->records);
}

static void assert_found(const found *f, const track_run *run)
{
    assert_memory_equal(f->records, run->records, f->record_bytes);
    assert_memory_equal(f->ends, run->ends.data, f->end_bytes);
}

/* Regular ends, ends at infinity, multiple ends with circles, zeros, many unknowns, very different sizes; and random ones. */
static const char *const texts[] = {
    "x^2 + y^2 - 5; x*y - 2;",
    "x^2 - 2*x*y + y^2 - 1; x^3 - y^3 - 7;",
    "(x - 1)^3 - y; y^2;",
    "x^3 - 3*x*y^2 - 1; 3*x^2*y - y^3;",
    "x + y + z + w; x*y + y*z + z*w + w*x; x*y*z + y*z*w + z*w*x + w*x*y; x*y*z*w - 1;",
    "1000000*x^2 + 0.000001*y - 3; x*y - 100000;",
    "x*(x - 1)*(x - 2); y^3 - x; z - x*y;",
    ("a + 2*b + 2*c + 2*d + 2*e - 1; a^2 + 2*b^2 + 2*c^2 + 2*d^2 + 2*e^2 - a; 2*a*b + 2*b*c + 2*c*d + 2*d*e - b;"
     "b^2 + 2*a*c + 2*b*d + 2*c*e - c; 2*b*c + 2*a*d + 2*b*e - d;"),
};
enum { TEXTS = sizeof texts / sizeof texts[0], RANDOM = 3 };

static plumb_system *system_at(int k)
{
    if (k < TEXTS)
        return parse_good(texts[k]);
    plumb_random random = plumb_random_start(seed + (uint64_t)k);
    char text[2000];
    int at = 0;
    const char names[] = "xyzu";
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 6; j++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s(%d %+d*i)*%c*%c", j ? " + " : "",
                           1 + (int)plumb_random_below(&random, 9), (int)plumb_random_below(&random, 9) - 4,
                           names[plumb_random_below(&random, 4)], names[plumb_random_below(&random, 4)]);
        at += snprintf(text + at, sizeof text - (size_t)at, " - %c + %d;", names[i],
                       1 + (int)plumb_random_below(&random, 5));
    }
    return parse_good(text);
}

static void paths_have_the_bits_they_have_alone(void **state)
{
    (void)state;
    found first[TEXTS + RANDOM][4]; /* of the scalar instruction set, with which others are compared */
    memset(first, 0, sizeof first);
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, 0, PLUMB_QD};
    for (int32_t isa = 0; isa < plumb_isa_count(); isa++) {
        plumb_isa_info info;
        track_must(NULL, plumb_isa_query(isa, &info));
        if (!info.usable)
            continue;
        plumb_context *of = context_of(info.name, 2);
        for (int k = 0; k < TEXTS + RANDOM; k++)
            for (int j = 0; j < (k == 1 ? 4 : 3); j++) { /* qd takes long */
                track_run run = track_total_degree(of, system_at(k), seed + (uint64_t)k, (k + j) & 1, precisions[j]);
                plumb_track_options how = track_defaults(precisions[j], seed + (uint64_t)j);
                set_lanes(of, ALONE);
                track_all(of, &run, &how);
                found f = take(&run);
                set_lanes(of, SIDE_BY_SIDE);
                track_all(of, &run, &how);
                assert_found(&f, &run);
                set_lanes(of, 0);
                track_all(of, &run, &how);
                assert_found(&f, &run);
                if (first[k][j].ends)
                    assert_found(&first[k][j], &run);
                else
                    first[k][j] = take(&run);
                forget(&f);
                track_run_destroy(of, &run);
            }
        plumb_context_destroy(of);
    }
    for (int k = 0; k < TEXTS + RANDOM; k++)
        for (int j = 0; j < 4; j++)
            forget(&first[k][j]);
}

/* Some paths of a run, in numbers that fill no lane: the same bits. */
static void neighbours_change_nothing(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    set_lanes(context, SIDE_BY_SIDE);
    for (int k = 0; k < TEXTS; k++) {
        track_run run = track_total_degree(context, system_at(k), seed, k & 1, 0);
        int64_t *numbers = calloc((size_t)run.paths, sizeof *numbers);
        assert_non_null(numbers);
        for (int64_t i = 0; i < run.paths; i++)
            numbers[i] = i;
        plumb_track_options how = track_defaults(0, seed);
        track_part part = {.paths = numbers, .of_paths = run.paths, .separate = true};
        track_some(context, &run, &part, &how);
        found f = take(&run);
        track_run some = run;
        for (some.paths = 1; some.paths < 12 && some.paths <= run.paths; some.paths += 2) {
            const int64_t first = (int64_t)plumb_random_below(&random, (uint64_t)(run.paths - some.paths + 1));
            part.paths = numbers + first;
            some.starts.data = run.starts.data + first * run.starts.next;
            some.starts.batch = some.ends.batch = some.paths;
            track_some(context, &some, &part, &how);
            assert_memory_equal(some.ends.data, f.ends + first * run.ends.next,
                                (size_t)(some.paths * run.ends.next) * sizeof(double));
            assert_memory_equal(some.records, f.records + first, (size_t)some.paths * sizeof *some.records);
        }
        forget(&f);
        free(numbers);
        track_run_destroy(context, &run);
    }
    set_lanes(context, 0);
}

/* Coefficients that move at rates. */
static void polyhedral_paths_have_the_bits_they_have_alone(void **state)
{
    (void)state;
    static const char *const sparse[] = {"x^3*y - 2*y^2 + 3; x*y^3 + x^2 - 5;",
                                         "x^2*y - x*y^2 + x; y^2 - y*z + 3*x; z^3 - z*x + y;",
                                         "x^5 + y^3*z - 2; y^4 + x*z^2 - 3; z^3 + x*y - 5;"};
    for (int k = 0; k < 3; k++) {
        plumb_system *target = parse_good(sparse[k]);
        polyhedral *p = NULL;
        track_must(context, plumb_polyhedral_create(context, target, 0, seed, 0, &p));
        plumb_view x[2] = {{0}};
        plumb_path_record *records[2];
        for (int way = 0; way < 2; way++) {
            track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, target->unknowns, 1,
                                                   p->count, &x[way]));
            records[way] = calloc((size_t)p->count + 1, sizeof **records);
            assert_non_null(records[way]);
            set_lanes(context, way ? SIDE_BY_SIDE : ALONE);
            track_must(context, plumb_polyhedral_solutions(context, p, NULL, NULL, &x[way], records[way]));
        }
        set_lanes(context, 0);
        assert_memory_equal(x[0].data, x[1].data, (size_t)(x[0].next * p->count) * sizeof(double));
        assert_memory_equal(records[0], records[1], (size_t)p->count * sizeof **records);
        for (int way = 0; way < 2; way++) {
            plumb_array_destroy(context, &x[way]);
            free(records[way]);
        }
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(target);
    }
}

/* Parameters that move on arcs, to targets of which one is special. */
static void families_have_the_bits_of_paths_alone(void **state)
{
    (void)state;
    enum { TARGETS = 5 };
    plumb_text_error error;
    static const char text[] = "parameters a, b, c; a*x^2 + b*x*y + y^2 - c; x^3 - a*y + b;";
    plumb_system *system = NULL;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s", error.message);
    plumb_family *family = NULL;
    track_must(context, plumb_family_create(system, &family));
    track_must(context, plumb_family_generic(context, family, NULL, NULL));
    const int64_t paths = plumb_family_paths(family), parameters = plumb_family_parameters(family);
    plumb_view targets = {0}, x[2] = {{0}};
    plumb_solution_record *records[2];
    plumb_instance instances[2][TARGETS];
    track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, parameters, 1, TARGETS, &targets));
    for (int64_t k = 0; k < TARGETS * parameters; k++)
        targets.data[k] = k < parameters ? 1.0 : 0.3 * (double)(k % 7) - 0.8;
    memset(instances, 0, sizeof instances);
    for (int way = 0; way < 2; way++) {
        track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX,
                                               plumb_family_unknowns(family), 1, TARGETS * paths, &x[way]));
        records[way] = calloc((size_t)(TARGETS * paths), sizeof **records);
        assert_non_null(records[way]);
        set_lanes(context, way ? SIDE_BY_SIDE : ALONE);
        track_must(context, plumb_family_solve(context, family, &targets, NULL, &x[way], records[way], instances[way]));
    }
    set_lanes(context, 0);
    assert_memory_equal(x[0].data, x[1].data, (size_t)(x[0].next * TARGETS * paths) * sizeof(double));
    assert_memory_equal(records[0], records[1], (size_t)(TARGETS * paths) * sizeof **records);
    for (int way = 0; way < 2; way++) {
        plumb_array_destroy(context, &x[way]);
        free(records[way]);
    }
    plumb_array_destroy(context, &targets);
    plumb_family_destroy(family);
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_the_bits_they_have_alone),
        cmocka_unit_test(neighbours_change_nothing),
        cmocka_unit_test(polyhedral_paths_have_the_bits_they_have_alone),
        cmocka_unit_test(families_have_the_bits_of_paths_alone),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
