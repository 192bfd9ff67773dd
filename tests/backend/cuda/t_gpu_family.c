/* t_gpu_family.c - tests families on a GPU: the solutions of many targets are those of the processor, special targets and neighbours too;
 * the kernel that follows paths has the bits of ticks; a target has the bits that it has alone. Skipped, with the reason, if there is no
 * GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_test.h"
#include "solver/context/context.h"
#include "solver/family/family.h"

static plumb_context *cpu;

/* In the first one the coefficients are parameters; in the second one they are computed from them; the third has more equations than
 * unknowns; the last one is P3P, half of whose paths follow from the others by changes of signs. */
static const char *const texts[] = {
    "2\nparameters a, b, c, d;\nx^2 + a*y^2 - b;\nx*y - c*x + d*y - 1;\n",
    "2\nparameters a, b, c, d;\na*b*x^2 + c*d*x^2 + a^2*x^2 + 3*a*c*y - b*d*y + c^2*y + b^2 - a*d - 2;\n"
    "a*d*x*y + b^2*x*y - c*x*y + a*c*y^2 + d^2*y^2 + y^2 + b*c*x - d*x + a*x - 1;\n",
    "3 2\nparameters a, b;\nx^2 - a;\ny^2 - b^3;\nx*y^2 - b^3*x;\n",
    "3\nparameters a, b, c, u, v, w;\nx^2 + y^2 - 2*x*y*u - a^2;\ny^2 + z^2 - 2*y*z*v - b^2;\n"
    "z^2 + x^2 - 2*z*x*w - c^2;\n",
};
enum { TEXTS = sizeof texts / sizeof *texts, DIRECT = 0, COMPUTED = 1, OVERDETERMINED = 2, P3P = 3 };

static int open_both(void **state)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    return open_gpu(state) || plumb_context_create(&options, &cpu) != PLUMB_OK;
}

static int close_both(void **state)
{
    plumb_context_destroy(cpu);
    return close_gpu(state);
}

static plumb_family *make(const char *text)
{
    plumb_system *system = NULL;
    plumb_family *family = NULL;
    plumb_text_error error;
    plumb_solve_options options;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    assert_ok(plumb_family_create(system, &family));
    plumb_solve_options_init(&options);
    options.seed = 3;
    const plumb_status status = plumb_family_generic(cpu, family, &options, NULL);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(cpu));
    plumb_system_destroy(system);
    return family;
}

/* Random real targets. */
static plumb_view targets_of(const plumb_family *family, int64_t count, uint32_t seed)
{
    plumb_view x;
    assert_ok(plumb_array_create(cpu, PLUMB_HOST, PLUMB_D, PLUMB_REAL, plumb_family_parameters(family), 1, count, &x));
    for (int64_t k = 0; k < count * x.next; k++) {
        seed = seed * 1664525U + 1013904223U;
        x.data[k] = (double)(seed >> 8) / 0x1p23 - 1.0;
    }
    return x;
}

typedef struct found {
    plumb_view x;
    plumb_solution_record *records;
    plumb_instance *instances;
    int64_t targets, paths;
} found;

static found solve(plumb_context *context, const plumb_family *family, const plumb_view *targets, int32_t prec,
                   int32_t neighbours)
{
    found f = {.targets = targets->batch, .paths = plumb_family_paths(family)};
    plumb_family_options options;
    plumb_family_options_init(&options);
    options.prec = prec;
    options.neighbours = neighbours;
    f.records = calloc((size_t)(f.targets * f.paths), sizeof *f.records);
    f.instances = calloc((size_t)f.targets, sizeof *f.instances);
    assert_true(f.records && f.instances);
    assert_ok(plumb_array_create(cpu, PLUMB_HOST, prec ? prec : PLUMB_QD, PLUMB_COMPLEX, plumb_family_unknowns(family),
                                 1, f.targets * f.paths, &f.x));
    if (plumb_family_solve(context, family, targets, &options, &f.x, f.records, f.instances) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return f;
}

static void found_free(found *f)
{
    plumb_array_destroy(cpu, &f->x);
    free(f->records);
    free(f->instances);
}

/* The distance of a solution from one of another list, relative to its unknowns. */
static double apart(const found *f, int64_t i, const found *g, int64_t j)
{
    double most = 0.0;
    for (int64_t k = 0; k < f->x.rows; k++)
        for (int part = 0; part < 2; part++) {
            const double a = f->x.data[i * f->x.next + part * f->x.prec * f->x.plane + k],
                         b = g->x.data[j * g->x.next + part * g->x.prec * g->x.plane + k];
            most = fmax(most, fabs(a - b) / fmax(1.0, fabs(a)));
        }
    return most;
}

/* The same outcome for each target, and for each solution the same one on the other side. */
static void assert_same(const char *what, const found *f, const found *g)
{
    for (int64_t t = 0; t < f->targets; t++) {
        const plumb_instance *a = &f->instances[t], *b = &g->instances[t];
        if (a->code != b->code || a->solutions != b->solutions || a->real != b->real || a->positive != b->positive)
            fail_msg("%s, target %d: %s, %d solutions, %d real, %d positive; on the processor %s, %d, %d, %d", what,
                     (int)t, plumb_instance_name(a->code), (int)a->solutions, (int)a->real, (int)a->positive,
                     plumb_instance_name(b->code), (int)b->solutions, (int)b->real, (int)b->positive);
        assert_int_equal(a->neighbour, b->neighbour);
        for (int64_t k = 0; k < a->solutions; k++) {
            double least = (double)INFINITY;
            for (int64_t j = 0; j < b->solutions; j++)
                least = fmin(least, apart(f, t * f->paths + k, g, t * g->paths + j));
            if (!(least <= 1e-6))
                fail_msg("%s, target %d: solution %d is %g off", what, (int)t, (int)k, least);
        }
    }
}

static void assert_same_bits(const found *f, int64_t first, const found *g)
{
    const int64_t count = g->targets * g->paths;
    assert_memory_equal(f->x.data + first * f->paths * f->x.next, g->x.data,
                        (size_t)(count * g->x.next) * sizeof(double));
    assert_memory_equal(f->instances + first, g->instances, (size_t)g->targets * sizeof *g->instances);
    assert_memory_equal(f->records + first * f->paths, g->records, (size_t)count * sizeof *g->records);
}

static machine *gpu_machine(void)
{
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    return m;
}

/* In doubles, double doubles, and the precision that each path needs. Quad doubles, for which an emulated GPU takes long, are those of singular
 * solutions below. */
static void gpu_solves_families_like_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int32_t precs[] = {0, PLUMB_D, PLUMB_DD}, count[TEXTS] = {3, 3, 3, 1};
    for (int k = 0; k < TEXTS; k++) {
        plumb_family *family = make(texts[k]);
        plumb_view targets = targets_of(family, 2, 11);
        for (int p = 0; p < count[k]; p++) {
            found f = solve(gpu, family, &targets, precs[p], 0), g = solve(cpu, family, &targets, precs[p], 0);
            for (int64_t t = 0; t < f.targets; t++)
                assert_int_equal(f.instances[t].code, PLUMB_INSTANCE_GENERIC);
            assert_same(texts[k], &f, &g);
            found_free(&f);
            found_free(&g);
        }
        plumb_array_destroy(cpu, &targets);
        plumb_family_destroy(family);
    }
}

/* Targets with double solutions, with solutions at infinity, and with none; their neighbours are generic. */
static void special_targets_are_those_of_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const double values[][3] = {{1, -2, 1}, {1, 3, 2}, {0, 1, 1}, {0, 0, 1}, {2, 1, 5}};
    plumb_family *family = make("1\nparameters a, b, c;\na*x^2 + b*x + c;\n");
    plumb_view targets;
    assert_ok(plumb_array_create(cpu, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 3, 1, 5, &targets));
    for (int t = 0; t < 5; t++)
        memcpy(targets.data + t * targets.next, values[t], sizeof values[t]);
    found f = solve(gpu, family, &targets, 0, 0), g = solve(cpu, family, &targets, 0, 0);
    assert_same("special", &f, &g);
    assert_int_equal(f.instances[0].code, PLUMB_INSTANCE_SPECIAL);
    assert_int_equal(f.instances[0].solutions, 1);
    assert_int_equal(f.records[0].multiplicity, 2);
    assert_int_equal(f.instances[1].code, PLUMB_INSTANCE_GENERIC);
    assert_int_equal(f.instances[2].infinite, 1);
    assert_int_equal(f.instances[4].code, PLUMB_INSTANCE_GENERIC);
    found_free(&f);
    found_free(&g);
    plumb_array_destroy(cpu, &targets);
    plumb_family_destroy(family);
}

/* The kernel that follows paths and the kernels of ticks, when these eliminate as it does; for any number of slots. */
static void followed_arcs_have_the_bits_of_ticks(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int32_t slots[] = {0, 3}, launch[] = {64, 5};
    machine *m = gpu_machine();
    for (int k = DIRECT; k <= COMPUTED; k++) {
        plumb_family *family = make(texts[k]);
        plumb_view targets = targets_of(family, 2, 5);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec++) {
            m->hooks.track_follow = -1;
            m->hooks.track_eliminate = 1;
            found ticks = solve(gpu, family, &targets, prec, 0);
            m->hooks.track_eliminate = 0;
            for (int which = 0; which < 2; which++) {
                m->hooks.track_slots = slots[which];
                m->hooks.track_follow = launch[which];
                found followed = solve(gpu, family, &targets, prec, 0);
                m->hooks.track_slots = m->hooks.track_follow = 0;
                assert_same_bits(&followed, 0, &ticks);
                found_free(&followed);
            }
            found_free(&ticks);
        }
        plumb_array_destroy(cpu, &targets);
        plumb_family_destroy(family);
    }
}

static void a_target_has_the_bits_that_it_has_alone(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int k = COMPUTED; k <= OVERDETERMINED; k++) {
        plumb_family *family = make(texts[k]);
        plumb_view targets = targets_of(family, 14, 17);
        found all = solve(gpu, family, &targets, 0, 0);
        for (int64_t t = 0; t < targets.batch; t += 13) {
            plumb_view one = targets;
            one.data += t * targets.next;
            one.batch = 1;
            found alone = solve(gpu, family, &one, 0, 0);
            assert_same_bits(&all, t, &alone);
            found_free(&alone);
        }
        found_free(&all);
        plumb_array_destroy(cpu, &targets);
        plumb_family_destroy(family);
    }
}

/* A motion: each target begins at the solutions of the one before it. */
static void neighbours_begin_at_the_target_before(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_family *family = make(texts[DIRECT]);
    plumb_view targets = targets_of(family, 4, 23);
    for (int64_t t = 1; t < 4; t++)
        for (int64_t i = 0; i < targets.rows; i++)
            targets.data[t * targets.next + i] = targets.data[(t - 1) * targets.next + i] + 0.01 * (double)(i + 1);
    found f = solve(gpu, family, &targets, 0, 2), g = solve(cpu, family, &targets, 0, 2);
    assert_int_equal(f.instances[1].neighbour, PLUMB_NEIGHBOUR_TAKEN);
    assert_same("neighbours", &f, &g);
    found_free(&f);
    found_free(&g);
    plumb_array_destroy(cpu, &targets);
    plumb_family_destroy(family);
}

/* A context that leaves the choice open looks for a GPU only if there are enough paths. */
static void auto_decides_by_counts(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_context *open = NULL;
    assert_ok(plumb_context_create(NULL, &open));
    plumb_family *family = make(texts[DIRECT]);
    plumb_view targets = targets_of(family, 2, 3);
    for (int large = 0; large < 2; large++) {
        found f = {.targets = 2, .paths = plumb_family_paths(family)};
        plumb_instance instances[2];
        plumb_family_options options;
        plumb_family_options_init(&options);
        options.prec = PLUMB_D;
        assert_ok(plumb_array_create(cpu, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 2 * f.paths, &f.x));
        assert_ok(
            plumb_family_solve_part(open, family, &targets, large ? 10000000 : 2, &options, &f.x, NULL, instances));
        assert_int_equal(open->gpu.ops != NULL, large);
        assert_int_equal(instances[1].code, PLUMB_INSTANCE_GENERIC);
        plumb_array_destroy(cpu, &f.x);
    }
    plumb_array_destroy(cpu, &targets);
    plumb_family_destroy(family);
    plumb_context_destroy(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_solves_families_like_the_processor),
        cmocka_unit_test(special_targets_are_those_of_the_processor),
        cmocka_unit_test(followed_arcs_have_the_bits_of_ticks),
        cmocka_unit_test(a_target_has_the_bits_that_it_has_alone),
        cmocka_unit_test(neighbours_begin_at_the_target_before),
        cmocka_unit_test(auto_decides_by_counts),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
