/* t_lsq_plan.c - tests the tables that choose the least-squares kernels on a GPU: every line names a kernel and is
 * used, every kernel is in the measured table, and every problem on every device gets a valid plan. No GPU is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "backend/cuda/lsq/plan.h"
#include "plumb.h"

/* Measured table: the first two; any other GPU: one with clusters of 16, of 8, without, and one that is too old for most kernels. */
static const mgs_limits devices[] = {
    {90, 132, 227 * 1024, {132, 66, 32, 16, 7}},
    {90, 114, 227 * 1024, {114, 57, 26, 12, 0}},
    {100, 148, 227 * 1024, {148, 74, 36, 16, 8}},
    {120, 84, 99 * 1024, {84, 42, 20, 8, 0}},
    {80, 108, 163 * 1024, {108}},
    {75, 40, 64 * 1024, {40}},
};
enum { DEVICES = sizeof devices / sizeof devices[0] };

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
static const int64_t sizes[] = {1,   2,   8,   11,  16,  17,  24,  32,  33,  48,   64,   65,   80,   96,    100,   112,
                                128, 129, 160, 200, 256, 257, 512, 513, 768, 1024, 1025, 2048, 4096, 10000, 100000};
static const int64_t batches[] = {1, 2, 8, 24, 41, 60, 66, 500, 1024, 100000};
static const int64_t right_hand_sides[] = {0, 1, 3, 40, 5000};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* All problems of the sweep, one after the other; 0 after the last one. */
static int next_problem(size_t *at, mgs_problem *p)
{
    for (;; (*at)++) {
        size_t k = *at;
        const size_t prec = k % COUNT(precisions), parts = (k /= COUNT(precisions)) % 2, row = (k /= 2) % COUNT(sizes),
                     col = (k /= COUNT(sizes)) % COUNT(sizes), batch = (k /= COUNT(sizes)) % COUNT(batches),
                     rhs = (k /= COUNT(batches)) % COUNT(right_hand_sides);
        if (k >= COUNT(right_hand_sides))
            return 0;
        if (sizes[col] > sizes[row])
            continue;
        *p = (mgs_problem){precisions[prec], parts == 0 ? PLUMB_REAL : PLUMB_COMPLEX, sizes[row],
                           sizes[col],       sizes[col] + right_hand_sides[rhs],      batches[batch]};
        (*at)++;
        return 1;
    }
}

static int same(const mgs_plan *a, const mgs_plan *b)
{
    return a->family == b->family && a->cluster == b->cluster && a->team == b->team && a->threads == b->threads &&
           a->share == b->share && a->columns == b->columns && a->together == b->together && a->turn == b->turn &&
           a->slots == b->slots && a->warps == b->warps && a->along == b->along && a->shared == b->shared;
}

static int has_kernels(mgs_family family)
{
    return family == MGS_REGISTERS || family == MGS_SMALL || family == MGS_PANEL;
}

static void say(const char *what, const mgs_limits *device, const mgs_problem *p)
{
    fail_msg("%s: capability %d, %s %s, %lld x %lld, %lld columns in all, %lld systems", what, (int)device->capability,
             p->parts == PLUMB_COMPLEX ? "complex" : "real",
             p->prec == PLUMB_D    ? "d"
             : p->prec == PLUMB_DD ? "dd"
                                   : "qd",
             (long long)p->rows, (long long)p->cols, (long long)p->all, (long long)p->systems);
}

/* A plan that a kernel can run: within its own limits and those of the device. */
static void check_plan(const mgs_limits *device, const mgs_problem *p, const mgs_plan *plan)
{
    if (plan->family <= MGS_AUTO || plan->family >= MGS_FAMILIES)
        say("no plan", device, p);
    if (plan->shared > (size_t)device->shared)
        say("too much shared memory", device, p);
    if (plan->threads < 0 || plan->threads > 1024 || plan->threads % 32 != 0)
        say("threads", device, p);
    for (int k = 0, found = 0; plan->cluster > 1 && !found; k++) {
        if (k == MGS_CLUSTER_SIZES)
            say("a cluster that the device cannot run", device, p);
        found = plan->cluster <= 1 << k && device->clusters[k] > 0; /* or one with some blocks less */
    }
    if ((plan->family == MGS_FLOW || plan->family == MGS_PANEL || plan->family == MGS_LARGE) &&
        plan->multiprocessors != device->multiprocessors) /* launches are cut by them */
        say("multiprocessors of another device", device, p);
    if (!has_kernels(plan->family))
        return;
    int count, found = 0;
    const mgs_kernel *k = plumb_mgs_kernels(plan->family, p->prec, p->parts, &count);
    for (; count > 0; count--, k++) {
        const int is =
            k->team == plan->team && k->cluster == (plan->cluster > 1) && (k->share == 0 || k->share == plan->share) &&
            k->along == (p->prec == PLUMB_D && plan->family == MGS_REGISTERS && plan->along) &&
            (plan->family != MGS_REGISTERS || (k->columns == plan->columns && k->together == plan->together));
        found += is && plan->threads <= k->threads;
    }
    if (found != 1)
        say("no such kernel, or too many threads for it", device, p);
    /* A complex number takes one thread, but two where each thread has an entry (small) or a part of a row (panels in qd). */
    const int64_t entries = plan->family == MGS_SMALL || p->prec == PLUMB_QD ? p->rows * p->parts : p->rows;
    if ((int64_t)plan->team * plan->share < entries)
        say("rows that no thread has", device, p);
}

static void every_problem_has_a_plan(void **state)
{
    (void)state;
    int64_t taken[MGS_FAMILIES] = {0};
    for (int d = 0; d < DEVICES; d++) {
        mgs_problem p;
        for (size_t at = 0; next_problem(&at, &p);) {
            const mgs_plan plan = plumb_mgs_plan(&devices[d], &p, MGS_AUTO);
            check_plan(&devices[d], &p, &plan);
            taken[plan.family]++;
        }
    }
    for (mgs_family family = MGS_REGISTERS; family < MGS_FAMILIES; family++)
        if (taken[family] == 0)
            fail_msg("no problem is solved by %s", plumb_mgs_family_name(family));
}

/* Whatever a family is asked for, it takes with a valid plan or refuses. */
static void a_family_asked_for_is_taken_or_refuses(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        for (mgs_family want = MGS_REGISTERS; want < MGS_FAMILIES; want++) {
            mgs_problem p;
            for (size_t at = 0; next_problem(&at, &p);) {
                const mgs_plan plan = plumb_mgs_plan(&devices[d], &p, want);
                if (plan.family != MGS_AUTO)
                    check_plan(&devices[d], &p, &plan);
                if (plan.family != MGS_AUTO && plan.family != want)
                    say("another family", &devices[d], &p);
                if (want == MGS_COLUMNS && plan.family != MGS_COLUMNS)
                    say("columns take everything", &devices[d], &p);
            }
        }
}

/* A line that no problem gets would be dead. In each table, the line must be the choice for some problem of the sweep. */
static void every_line_is_the_choice_for_some_problem(void **state)
{
    (void)state;
    for (int d = 0; d < 4; d += 2) {
        int count;
        const mgs_choice *table = plumb_mgs_table(&devices[d], &count);
        for (int line = 0; line < count; line++) {
            const mgs_choice *c = &table[line];
            int used = 0;
            mgs_problem p;
            for (size_t at = 0; !used && next_problem(&at, &p);) {
                if (p.prec != c->prec || p.parts != c->parts)
                    continue;
                const mgs_plan of_line = plumb_mgs_plan_of(&devices[d], &p, c);
                const mgs_plan plan = plumb_mgs_plan(&devices[d], &p, MGS_AUTO);
                used = of_line.family != MGS_AUTO && same(&of_line, &plan);
            }
            if (!used)
                fail_msg("line %d of the table for capability %d (%s) is never taken", line, (int)devices[d].capability,
                         plumb_mgs_family_name(c->family));
        }
    }
}

/* A kernel without a line would be compiled for nothing. */
static void every_kernel_has_a_line(void **state)
{
    (void)state;
    int lines;
    const mgs_choice *table = plumb_mgs_table(&devices[0], &lines);
    for (mgs_family family = MGS_REGISTERS; family <= MGS_PANEL; family++)
        for (size_t p = 0; p < COUNT(precisions); p++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                int count;
                const mgs_kernel *k = plumb_mgs_kernels(family, precisions[p], parts, &count);
                for (; count > 0; count--, k++) {
                    int named = 0;
                    for (int i = 0; i < lines; i++) {
                        const mgs_choice *c = &table[i];
                        named += c->family == family && c->prec == precisions[p] && c->parts == parts &&
                                 c->team == k->team && c->share == k->share &&
                                 k->cluster == (c->cluster != 0 && c->cluster != 1) &&
                                 (family != MGS_REGISTERS || (c->columns == k->columns && c->together == k->together));
                    }
                    if (named == 0)
                        fail_msg("%s: no line for the kernel with %d threads per column, %d rows per thread",
                                 plumb_mgs_family_name(family), (int)k->team, (int)k->share);
                }
            }
}

/* What a caller states about the number of systems decides, and nothing else: classes, not numbers. Classes begin at half a system,
 * at 3 and at 6 systems per multiprocessor. */
static void the_number_of_systems_counts_by_class(void **state)
{
    (void)state;
    const mgs_limits *h200 = &devices[0];
    static const int64_t classes[][2] = {{66, 3 * 132 - 1}, {3 * 132, 6 * 132 - 1}, {6 * 132, 100000}};
    for (size_t p = 0; p < COUNT(precisions); p++)
        for (int64_t n = 4; n <= 128; n *= 2)
            for (size_t k = 0; k < COUNT(classes); k++)
                for (int64_t rhs = 1; rhs <= 3; rhs += 2) {
                    mgs_problem a = {precisions[p], PLUMB_COMPLEX, n, n, n + rhs, classes[k][0]}, b = a;
                    b.systems = classes[k][1];
                    const mgs_plan many = plumb_mgs_plan(h200, &a, MGS_AUTO), more = plumb_mgs_plan(h200, &b, MGS_AUTO);
                    assert_true(same(&many, &more));
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_has_a_plan),
        cmocka_unit_test(a_family_asked_for_is_taken_or_refuses),
        cmocka_unit_test(every_line_is_the_choice_for_some_problem),
        cmocka_unit_test(every_kernel_has_a_line),
        cmocka_unit_test(the_number_of_systems_counts_by_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
