/* map_tmpl.h - the operations on arrays, written once for each precision (PLUMB_PREC), real or complex (PLUMB_PARTS), and
 * machine (the lane).
 *
 * Vectors run across entries, so every instruction set returns the same bits. On a CPU the loop takes LANE_WIDTH entries at
 * a time; on a GPU each thread takes every so many-th entry. */
#include "arith/complex.h"
#include "backend/backend.h"

#ifdef __CUDACC__
#define MAP_LOOP(body)                                                                      \
    const int64_t step = (int64_t)gridDim.x * blockDim.x;                                   \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < job->n; i += step) \
        body(1);
#define MAP_KERNEL(name, call)                                                       \
    static __global__ void REAL_JOIN(map_##name##_, PLUMB_PREC)(const map_job value) \
    {                                                                                \
        const map_job *job = &value;                                                 \
        call;                                                                        \
    }
#else
#define MAP_LOOP(body)                                \
    int64_t i = 0;                                    \
    for (; i + LANE_WIDTH <= job->n; i += LANE_WIDTH) \
        body(LANE_WIDTH);                             \
    if (LANE_WIDTH > 1 && i < job->n)                 \
        body((int)(job->n - i));
/* The job is copied: through a pointer, every store might change it and it would be read again. */
#define MAP_KERNEL(name, call)                                             \
    static void REAL_JOIN(map_##name##_, PLUMB_PREC)(const map_job *given) \
    {                                                                      \
        const map_job value = *given, *job = &value;                       \
        call;                                                              \
    }
#endif

/* Operands of entry i, count entries at a time. */
#define X(kind, count) kind##_load(job->x + i, job->x_plane, count)
#define Y(kind, count) kind##_load(job->y + i, job->y_plane, count)
#define Z(kind, count) kind##_load(job->z + i, job->z_plane, count)
#define Y_D(count) lane_get(job->y + i, count)
#define OUT(kind, value, count) kind##_store(job->out + i, job->out_plane, value, count)

#if PLUMB_PARTS == 1

LANE_FN void map_real_1(const map_job *job, real (*f)(real))
{
#define BODY(count) OUT(real, f(X(real, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_real_2(const map_job *job, real (*f)(real, real))
{
#define BODY(count) OUT(real, f(X(real, count), Y(real, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_real_d(const map_job *job, real (*f)(real, lane))
{
#define BODY(count) OUT(real, f(X(real, count), Y_D(count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_real_3(const map_job *job, real (*f)(real, real, real))
{
#define BODY(count) OUT(real, f(X(real, count), Y(real, count), Z(real, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_compare(const map_job *job)
{
#define BODY(count) lane_put(job->out + i, real_cmp(X(real, count), Y(real, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}

/* One entry of a row-wise sum of products, count rows at a time. */
LANE_FN real dot_real_at(const map_job *job, int64_t i, int count)
{
    real_acc s = real_acc_zero();
    for (int64_t j = 0; j < job->terms; j++)
        s = real_acc_add(s, real_load(job->x + i + j * job->x_col, job->x_plane, count),
                         real_load(job->y + i + j * job->y_col, job->y_plane, count));
    return real_acc_value(s);
}
LANE_FN void map_real_dot(const map_job *job)
{
#define BODY(count) OUT(real, dot_real_at(job, i, count), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN real real_same(real a) { return a; }

MAP_KERNEL(real_add, map_real_2(job, real_add))
MAP_KERNEL(real_sub, map_real_2(job, real_sub))
MAP_KERNEL(real_mul, map_real_2(job, real_mul))
MAP_KERNEL(real_div, map_real_2(job, real_div))
MAP_KERNEL(real_fma, map_real_3(job, real_fma))
MAP_KERNEL(real_sqr, map_real_1(job, real_sqr))
MAP_KERNEL(real_inv, map_real_1(job, real_inv))
MAP_KERNEL(real_sqrt, map_real_1(job, real_sqrt))
MAP_KERNEL(real_abs, map_real_1(job, real_abs))
MAP_KERNEL(real_neg, map_real_1(job, real_neg))
MAP_KERNEL(real_conj, map_real_1(job, real_same))
MAP_KERNEL(real_cmp, map_compare(job))
MAP_KERNEL(real_add_d, map_real_d(job, real_add_d))
MAP_KERNEL(real_mul_d, map_real_d(job, real_mul_d))
MAP_KERNEL(real_div_d, map_real_d(job, real_div_d))
MAP_KERNEL(real_scale, map_real_d(job, real_scale))
MAP_KERNEL(real_dot, map_real_dot(job))

#else

LANE_FN void map_cplx_1(const map_job *job, cplx (*f)(cplx))
{
#define BODY(count) OUT(cplx, f(X(cplx, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_cplx_2(const map_job *job, cplx (*f)(cplx, cplx))
{
#define BODY(count) OUT(cplx, f(X(cplx, count), Y(cplx, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_cplx_d(const map_job *job, cplx (*f)(cplx, lane))
{
#define BODY(count) OUT(cplx, f(X(cplx, count), Y_D(count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_cplx_3(const map_job *job, cplx (*f)(cplx, cplx, cplx))
{
#define BODY(count) OUT(cplx, f(X(cplx, count), Y(cplx, count), Z(cplx, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}
LANE_FN void map_cplx_to_real(const map_job *job, real (*f)(cplx))
{
#define BODY(count) OUT(real, f(X(cplx, count)), count)
    MAP_LOOP(BODY)
#undef BODY
}

/* One entry of a row-wise sum of products, count rows at a time. */
LANE_FN cplx dot_cplx_at(const map_job *job, int64_t i, int count)
{
    cplx_acc s = cplx_acc_zero();
    for (int64_t j = 0; j < job->terms; j++)
        s = cplx_acc_add_conj(s, cplx_load(job->x + i + j * job->x_col, job->x_plane, count),
                              cplx_load(job->y + i + j * job->y_col, job->y_plane, count));
    return cplx_acc_value(s);
}
LANE_FN void map_cplx_dot(const map_job *job)
{
#define BODY(count) OUT(cplx, dot_cplx_at(job, i, count), count)
    MAP_LOOP(BODY)
#undef BODY
}

MAP_KERNEL(cplx_add, map_cplx_2(job, cplx_add))
MAP_KERNEL(cplx_sub, map_cplx_2(job, cplx_sub))
MAP_KERNEL(cplx_mul, map_cplx_2(job, cplx_mul))
MAP_KERNEL(cplx_div, map_cplx_2(job, cplx_div))
MAP_KERNEL(cplx_fma, map_cplx_3(job, cplx_fma))
MAP_KERNEL(cplx_sqr, map_cplx_1(job, cplx_sqr))
MAP_KERNEL(cplx_inv, map_cplx_1(job, cplx_inv))
MAP_KERNEL(cplx_sqrt, map_cplx_1(job, cplx_sqrt))
MAP_KERNEL(cplx_abs, map_cplx_to_real(job, cplx_abs))
MAP_KERNEL(cplx_neg, map_cplx_1(job, cplx_neg))
MAP_KERNEL(cplx_conj, map_cplx_1(job, cplx_conj))
MAP_KERNEL(cplx_add_d, map_cplx_d(job, cplx_add_d))
MAP_KERNEL(cplx_mul_d, map_cplx_d(job, cplx_mul_d))
MAP_KERNEL(cplx_div_d, map_cplx_d(job, cplx_div_d))
MAP_KERNEL(cplx_scale, map_cplx_d(job, cplx_scale))
MAP_KERNEL(cplx_dot, map_cplx_dot(job))

#endif

#undef X
#undef Y
#undef Z
#undef Y_D
#undef OUT
#undef MAP_KERNEL
#undef MAP_LOOP

/* The kernels in the order of plumb_op, for the table of a backend. */
#define MAP_NAME(name) REAL_JOIN(map_##name##_, PLUMB_PREC)
#if PLUMB_PARTS == 1
#define MAP_KERNELS                                                                                                \
    MAP_NAME(real_add), MAP_NAME(real_sub), MAP_NAME(real_mul), MAP_NAME(real_div), MAP_NAME(real_fma),            \
        MAP_NAME(real_sqr), MAP_NAME(real_inv), MAP_NAME(real_sqrt), MAP_NAME(real_abs), MAP_NAME(real_neg),       \
        MAP_NAME(real_conj), MAP_NAME(real_cmp), MAP_NAME(real_add_d), MAP_NAME(real_mul_d), MAP_NAME(real_div_d), \
        MAP_NAME(real_scale), MAP_NAME(real_dot)
#else
#define MAP_KERNELS                                                                                          \
    MAP_NAME(cplx_add), MAP_NAME(cplx_sub), MAP_NAME(cplx_mul), MAP_NAME(cplx_div), MAP_NAME(cplx_fma),      \
        MAP_NAME(cplx_sqr), MAP_NAME(cplx_inv), MAP_NAME(cplx_sqrt), MAP_NAME(cplx_abs), MAP_NAME(cplx_neg), \
        MAP_NAME(cplx_conj), NULL, MAP_NAME(cplx_add_d), MAP_NAME(cplx_mul_d), MAP_NAME(cplx_div_d),         \
        MAP_NAME(cplx_scale), MAP_NAME(cplx_dot)
#endif
