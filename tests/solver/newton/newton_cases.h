/* newton_cases.h - shared by the tests of Newton's method: a context, points, and systems with a root known to MPFR. */
#ifndef PLUMB_SOLVER_NEWTON_NEWTON_CASES_H
#define PLUMB_SOLVER_NEWTON_NEWTON_CASES_H

#include "newton_oracle.h"

static const uint64_t seed = 271828;
static plumb_context *context;

static inline int say_seed_and_make(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    context = make_context(NULL, 2);
    return 0;
}

static inline int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static inline double unit(int32_t prec)
{
    return ldexp(1.0, -53 * prec);
}

static inline void set_point(const plumb_view *x, int64_t k, int64_t i, double re, double im)
{
    for (int32_t c = 0; c < 2 * x->prec; c++)
        x->data[k * x->next + c * x->plane + i] = 0.0;
    x->data[k * x->next + i] = re;
    x->data[k * x->next + x->prec * x->plane + i] = im;
}

static inline plumb_view copy_of(const plumb_view *x, int32_t prec)
{
    plumb_view copy = eval_view(prec, x->parts, x->rows, 1, x->batch);
    assert_int_equal(plumb_copy(context, x, &copy, NULL), PLUMB_OK);
    return copy;
}

static inline plumb_newton_report newton(const plumb_system *system, plumb_view *x, int32_t jacobian_prec)
{
    plumb_newton_report report;
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    options.jacobian_prec = jacobian_prec;
    plumb_status status = plumb_newton(context, system, x, &options, &report);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(context));
    return report;
}

/* A system with a root near a random point, and a start a little away from it. */
typedef struct problem {
    plumb_system *system;
    plumb_view start, root; /* start in d */
} problem;

static inline problem problem_create(const random_shape *shape, double share, uint64_t number)
{
    problem p;
    plumb_system *system = random_system(shape, number);
    plumb_view near = root_view(shape->unknowns);
    p.start = eval_view(PLUMB_D, PLUMB_COMPLEX, shape->unknowns, 1, 1);
    random_points(&near, 1.0, number);
    p.system = shifted_system(system, &near, share);
    plumb_random rng = plumb_random_start(number);
    for (int64_t i = 0; i < shape->unknowns; i++)
        for (int part = 0; part < 2; part++)
            p.start.data[part * p.start.plane + i] =
                near.data[part * ROOT_LIMBS * near.plane + i] + 1e-3 * (plumb_random_unit(&rng) - 0.5);
    p.root = oracle_root(p.system, &near);
    free(near.data);
    plumb_system_destroy(system);
    return p;
}

static inline void problem_destroy(problem *p)
{
    plumb_system_destroy(p->system);
    free(p->start.data);
    free(p->root.data);
}

#endif
