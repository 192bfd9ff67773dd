/* sample.h - how a benchmark takes one sample and makes its operands. plumb and other libraries share this code, so that
 * they are measured in the same way.
 *
 * A sample runs the work often enough to last about the target time and returns the time of one run. The number of runs
 * is found on the first call and kept. Include after <time.h> has been made to declare clock_gettime. C11 and C++. */
#ifndef PLUMB_APP_SAMPLE_H
#define PLUMB_APP_SAMPLE_H

#include <math.h>
#include <stdint.h>
#include <time.h>

enum { BENCH_LENGTH = 1024, BENCH_TERMS = 16 }; /* entries of an array; columns of a dot product */

typedef struct bench_timer {
    int64_t runs; /* 0: not calibrated yet */
} bench_timer;

typedef void (*bench_work)(void *data);

static inline double bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline double bench_time_runs(bench_work work, void *data, int64_t times)
{
    double start = bench_now_ns();
    for (int64_t i = 0; i < times; i++)
        work(data);
    return bench_now_ns() - start;
}

/* Returns the nanoseconds of one run. The first call also warms up caches and clock rates. */
static inline double bench_sample(bench_timer *timer, bench_work work, void *data, double target_ns)
{
    if (timer->runs == 0) {
        int64_t times = 1;
        double elapsed = bench_time_runs(work, data, times);
        while (elapsed < target_ns / 4 && times < INT64_MAX / 4) {
            times *= 2;
            elapsed = bench_time_runs(work, data, times);
        }
        double wanted = (double)times * target_ns / (elapsed > 1 ? elapsed : 1);
        timer->runs = wanted < 1 ? 1 : (int64_t)wanted;
    }
    return bench_time_runs(work, data, timer->runs) / (double)timer->runs;
}

/* splitmix64, so that every benchmark run sees the same operands. */
static inline uint64_t bench_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double bench_uniform(uint64_t *state)
{
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

/* A canonical number whose limbs are all in use: magnitude in [1/16, 16), random sign, each further limb random within
 * half a unit in the last place of the one before. */
static inline void bench_random_limbs(uint64_t *state, int limbs, double *out)
{
    int exponent = (int)(bench_random(state) % 8) - 4;
    double sign = bench_random(state) & 1 ? -1.0 : 1.0;
    out[0] = sign * ldexp(1.0 + bench_uniform(state), exponent);
    for (int i = 1; i < limbs; i++) {
        int previous;
        frexp(out[i - 1], &previous);
        out[i] = ldexp(2.0 * bench_uniform(state) - 1.0, previous - 54);
    }
}

/* 2^-8 .. 2^7. */
static inline double bench_random_power(uint64_t *state)
{
    return ldexp(1.0, (int)(bench_random(state) % 16) - 8);
}

#endif
