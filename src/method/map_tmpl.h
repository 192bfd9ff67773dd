/* map_tmpl.h - the operations on arrays, written once and compiled for each precision (PLUMB_PREC), kind (real or
 * complex, PLUMB_PARTS) and machine (the lane).
 *
 * Lanes run across entries, so every instruction set returns the same bits. On a CPU the loop takes LANE_WIDTH
 * entries at a time; on a GPU it is a grid-stride loop, preceded by MAP_BEGIN, which the including file defines. */
#include "arith/number.h"
#include "method/map.h"

#define MAP_NAME(name) NUM_NAME(map_##name)

#ifdef __CUDACC__
#define MAP_LOOP(body)                                                                      \
    const int64_t step = (int64_t)gridDim.x * blockDim.x;                                   \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < job->n; i += step) \
        body(1);
#define MAP_KERNEL(name, call)                                 \
    static __global__ void MAP_NAME(name)(const map_job value) \
    {                                                          \
        const map_job *job = &value;                           \
        MAP_BEGIN();                                           \
        call;                                                  \
    }
#else
#define MAP_LOOP(body)                                \
    int64_t i = 0;                                    \
    for (; i + LANE_WIDTH <= job->n; i += LANE_WIDTH) \
        body(LANE_WIDTH);                             \
    if (LANE_WIDTH > 1 && i < job->n)                 \
        body((int)(job->n - i));
/* The job is copied, because through a pointer every store might change it, and the compiler would read it again. */
#define MAP_KERNEL(name, call)                       \
    static void MAP_NAME(name)(const map_job *given) \
    {                                                \
        const map_job value = *given, *job = &value; \
        call;                                        \
    }
#endif

/* Operands of entry i, count entries at a time. */
#define X(kind, count) kind##_load(job->x + i, job->x_plane, count)
#define Y(kind, count) kind##_load(job->y + i, job->y_plane, count)
#define Z(kind, count) kind##_load(job->z + i, job->z_plane, count)
#define Y_D(count) lane_get(job->y + i, count)
#define OUT(kind, value, count) kind##_store(job->out + i, job->out_plane, value, count)

LANE_FN void map_1(const map_job *job, num (*f)(num))
{
#define BODY(count) OUT(num, f(X(num, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_2(const map_job *job, num (*f)(num, num))
{
#define BODY(count) OUT(num, f(X(num, count), Y(num, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_d(const map_job *job, num (*f)(num, lane))
{
#define BODY(count) OUT(num, f(X(num, count), Y_D(count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_3(const map_job *job, num (*f)(num, num, num))
{
#define BODY(count) OUT(num, f(X(num, count), Y(num, count), Z(num, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_modulus(const map_job *job)
{
#define BODY(count) OUT(real, num_abs(X(num, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}

/* One entry of a row-wise sum of products, count rows at a time. */
LANE_FN num dot_at(const map_job *job, int64_t i, int count)
{
    num_acc s = num_acc_zero();
    for (int64_t j = 0; j < job->terms; j++)
        s = num_acc_add_conj(s, num_load(job->x + i + j * job->x_col, job->x_plane, count),
                             num_load(job->y + i + j * job->y_col, job->y_plane, count));
    return num_acc_value(s);
}
LANE_FN void map_dot(const map_job *job)
{
#define BODY(count) OUT(num, dot_at(job, i, count), count)
    MAP_LOOP(BODY)
#undef BODY
}

MAP_KERNEL(add, map_2(job, num_add))
MAP_KERNEL(sub, map_2(job, num_sub))
MAP_KERNEL(mul, map_2(job, num_mul))
MAP_KERNEL(div, map_2(job, num_div))
MAP_KERNEL(fma, map_3(job, num_fma))
MAP_KERNEL(sqr, map_1(job, num_sqr))
MAP_KERNEL(inv, map_1(job, num_inv))
MAP_KERNEL(sqrt, map_1(job, num_sqrt))
MAP_KERNEL(abs, map_modulus(job))
MAP_KERNEL(neg, map_1(job, num_neg))
MAP_KERNEL(conj, map_1(job, num_conj))
MAP_KERNEL(add_d, map_d(job, num_add_d))
MAP_KERNEL(mul_d, map_d(job, num_mul_d))
MAP_KERNEL(div_d, map_d(job, num_div_d))
MAP_KERNEL(scale, map_d(job, num_scale))
MAP_KERNEL(dot, map_dot(job))

#if PLUMB_PARTS == 1
LANE_FN void map_compare(const map_job *job)
{
#define BODY(count) lane_put(job->out + i, real_cmp(X(num, count), Y(num, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
MAP_KERNEL(cmp, map_compare(job))
#define MAP_CMP MAP_NAME(cmp)
#else
#define MAP_CMP NULL /* complex numbers have no order */
#endif

#undef X
#undef Y
#undef Z
#undef Y_D
#undef OUT
#undef MAP_KERNEL
#undef MAP_LOOP

/* The kernels in the order of plumb_op, for the table of a backend. */
#define MAP_KERNELS                                                                                              \
    MAP_NAME(add), MAP_NAME(sub), MAP_NAME(mul), MAP_NAME(div), MAP_NAME(fma), MAP_NAME(sqr), MAP_NAME(inv),     \
        MAP_NAME(sqrt), MAP_NAME(abs), MAP_NAME(neg), MAP_NAME(conj), MAP_CMP, MAP_NAME(add_d), MAP_NAME(mul_d), \
        MAP_NAME(div_d), MAP_NAME(scale), MAP_NAME(dot)
