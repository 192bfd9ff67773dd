/* t_gpu_follow.c - tests the kernel that follows paths for many ticks: its bits are those of ticks, for any number of slots and warps, in every precision it has, for fixed and for moving coefficients. Skipped, with the reason, if there is no
 * GPU. */
#include <stdlib.h>
#include <string.h>

#include "gpu_test.h"
#include "solver/context/context.h"
#include "solver/polyhedral/polyhedral.h"
#include "solver/track/track.h"

static machine *gpu_machine(void)
{
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    return m;
}

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return system;
}

typedef struct results {
    plumb_view ends;
    plumb_path_record *records;
} results;

static void results_destroy(results *r)
{
    plumb_array_destroy(gpu, &r->ends);
    free(r->records);
}

static void assert_same_bits(const results *x, const results *y, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (memcmp((const char *)(x->records + k), (const char *)(y->records + k), sizeof *x->records) != 0)
            fail_msg("path %d: %d steps, %d solves, %s when followed; %d, %d, %s by ticks", (int)k,
                     (int)x->records[k].steps, (int)x->records[k].solves,
                     plumb_path_text((plumb_path_code)x->records[k].code), (int)y->records[k].steps,
                     (int)y->records[k].solves, plumb_path_text((plumb_path_code)y->records[k].code));
    assert_memory_equal(x->ends.data, y->ends.data, (size_t)(x->ends.next * count) * sizeof(double));
}

/* Paths by total degree. */
typedef struct paths {
    plumb_homotopy *homotopy;
    plumb_view starts;
    int64_t count, unknowns;
} paths;

static paths total_degree(const char *text, int projective)
{
    plumb_system *target = parse(text), *start = NULL;
    paths p = {.unknowns = plumb_system_unknowns(target)};
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = 7;
    options.projective = projective;
    assert_ok(plumb_system_start(target, 3, &start));
    assert_ok(plumb_system_start_count(start, &p.count));
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, p.unknowns, 1, p.count, &p.starts));
    assert_ok(plumb_system_start_solutions(start, 0, &p.starts));
    assert_ok(plumb_homotopy_create(start, target, &options, &p.homotopy));
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    return p;
}

static results track(const paths *p, int32_t prec, int32_t slots, int32_t follow)
{
    machine *m = gpu_machine();
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.prec = prec;
    options.seed = 5;
    results r = {.records = calloc((size_t)p->count, sizeof *r.records)};
    assert_non_null(r.records);
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, prec, PLUMB_COMPLEX, p->unknowns, 1, p->count, &r.ends));
    m->hooks.track_slots = slots;
    m->hooks.track_follow = follow;
    m->hooks.track_eliminate = follow < 0;
    plumb_status status = plumb_track(gpu, p->homotopy, &p->starts, &r.ends, &options, r.records);
    m->hooks.track_slots = m->hooks.track_follow = m->hooks.track_eliminate = 0;
    assert_ok(status);
    return r;
}

/* Slots for all paths, of which an emulated GPU has twelve per multiprocessor, one warp each; and for fewer, with two warps and four; and
 * launches of any length. */
static void followed_paths_have_the_bits_of_ticks(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const char *const texts[] = {"2\nx^6 + x*y - 3*y + 1;\ny^8 - 2*x*y + x - 2;\n",
                                        "3\nx^2*y + y*z - 2;\ny^2 - x*z + 1;\nz^3*x + x*y - 3*x + 1;\n"};
    static const int32_t slots[] = {0, 20, 5}, launch[] = {64, 7, 1};
    for (int k = 0; k < 2; k++) {
        paths p = total_degree(texts[k], k);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec *= 2) {
            results ticks = track(&p, prec, 0, -1);
            for (int which = 0; which < 3; which++) {
                results followed = track(&p, prec, slots[which], launch[which]);
                assert_same_bits(&followed, &ticks, p.count);
                results_destroy(&followed);
            }
            results_destroy(&ticks);
        }
        plumb_homotopy_destroy(p.homotopy);
        plumb_array_destroy(gpu, &p.starts);
    }
}

/* The start solutions of a polyhedral homotopy, whose coefficients move. */
static void followed_coefficients_move_like_those_of_ticks(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse("3\nx*y^2 + y*z - 2*x + 1;\ny^2*z - x*z^2 + 3;\nz*x^2 + x*y - 3*z + 1;\n");
    polyhedral *p = NULL;
    assert_ok(plumb_polyhedral_create(gpu, system, 0, 5, 0, &p));
    for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec *= 2) {
        plumb_track_options options;
        plumb_track_options_init(&options);
        options.prec = prec;
        options.seed = 5;
        results r[2];
        for (int which = 0; which < 2; which++) {
            machine *m = gpu_machine();
            r[which].records = calloc((size_t)p->count, sizeof *r[which].records);
            assert_non_null(r[which].records);
            assert_ok(plumb_array_create(gpu, PLUMB_HOST, prec, PLUMB_COMPLEX, 3, 1, p->count, &r[which].ends));
            m->hooks.track_follow = which == 0 ? 16 : -1;
            m->hooks.track_eliminate = which;
            assert_ok(plumb_polyhedral_solutions(gpu, p, NULL, &options, &r[which].ends, r[which].records));
            m->hooks.track_follow = m->hooks.track_eliminate = 0;
            for (int64_t i = 0; i < p->count; i++)
                assert_int_equal(r[which].records[i].code, PLUMB_PATH_SUCCESS);
        }
        assert_same_bits(&r[0], &r[1], p->count);
        results_destroy(&r[0]);
        results_destroy(&r[1]);
    }
    plumb_polyhedral_destroy(p);
    plumb_system_destroy(system);
}

/* A context that leaves the choice open decides by counts, before it looks for a GPU: solving a small system opens none, and paths of a large
 * job do, however few of them a call has. */
static void auto_decides_before_it_looks_for_a_gpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_context *open = NULL;
    plumb_solutions *solutions = NULL;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    assert_ok(plumb_context_create(NULL, &open));
    plumb_system *small = parse("2\nx^6 + x*y - 3*y + 1;\ny^8 - 2*x*y + x - 2;\n");
    for (int prec = 0; prec <= PLUMB_QD; prec = prec ? 2 * prec : 1) {
        options.prec = prec;
        assert_ok(plumb_solve(open, small, &options, &solutions));
        assert_int_equal(plumb_context_backend(open), PLUMB_BACKEND_CPU);
        assert_int_equal(open->backend, PLUMB_BACKEND_AUTO);
        assert_null(open->gpu.ops);
        plumb_solutions_destroy(solutions);
    }
    plumb_system_destroy(small);

    paths p = total_degree("2\nx^2 + x*y - 3*y + 1;\ny^2 - 2*x*y + x - 2;\n", 0);
    for (int large = 0; large < 2; large++) {
        plumb_track_options track;
        plumb_track_options_init(&track);
        int64_t numbers[] = {0, 1, 2, 3};
        const track_part part = {.paths = numbers, .of_paths = large ? 100000000 : 4};
        plumb_track_report report;
        plumb_path_record records[4];
        plumb_view ends;
        track.prec = PLUMB_D;
        track.report = &report;
        assert_int_equal(p.count, 4);
        assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 4, &ends));
        assert_ok(track_paths(open, p.homotopy, &part, &p.starts, &ends, &track, records));
        assert_int_equal(report.backend, large ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU);
        assert_int_equal(open->gpu.ops != NULL, large);
        plumb_array_destroy(gpu, &ends);
    }
    plumb_homotopy_destroy(p.homotopy);
    plumb_array_destroy(gpu, &p.starts);
    plumb_context_destroy(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(followed_paths_have_the_bits_of_ticks),
        cmocka_unit_test(followed_coefficients_move_like_those_of_ticks),
        cmocka_unit_test(auto_decides_before_it_looks_for_a_gpu),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}
