/* shapes.c - writes a Markdown table: which kernel solves one complex system of n unknowns on an H200, with its threads, registers,
 * shared memory and occupancy. It asks the planner and cmake/cuda-limits.txt, so it needs no GPU.
 *
 *   bench_shapes cmake/cuda-limits.txt */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/registers/registers.h"
#include "bench/lsq/kernel_name.h"
#include "plumb.h"

/* Of a multiprocessor of compute capability 9.0. */
enum { REGISTERS = 65536, SHARED = 228 * 1024, RESERVED = 1024, THREADS = 2048, BLOCKS = 32, WARP = 32 };

static const mgs_limits h200 = {
    .capability = 90, .multiprocessors = 132, .shared = 227 * 1024, .clusters = {132, 66, 32, 16, 7}};

typedef struct shape {
    char kernel[64], family[32];
    int64_t blocks; /* 0: one launch after the other, of several sizes */
    int32_t threads;
} shape;

static shape shape_of(const mgs_plan *plan, int64_t all, const char *prec)
{
    shape s = {.blocks = plan->cluster, .threads = plan->threads};
    snprintf(s.family, sizeof s.family, "mgs_%s", plumb_mgs_family_name(plan->family));
    bench_kernel_name(plan, s.kernel, sizeof s.kernel);
    if (plan->family == MGS_PANEL)
        s.blocks = (all + plan->columns - 1) / plan->columns;
    else if (plan->family == MGS_FLOW)
        s.blocks = all;
    else if (plan->family == MGS_REGISTERS && plan->inverts) { /* the plan has those for x along with the columns */
        s.blocks = REGISTERS_ASIDE_BLOCKS(all, plan->cluster, plan->turn);
        s.threads = (int32_t)(REGISTERS_ASIDE_WARPS(all, s.blocks, plan->turn) + 1) * WARP;
    } else if (plan->family == MGS_LARGE || plan->family == MGS_COLUMNS) {
        snprintf(s.kernel, sizeof s.kernel, "mgs_%s_cplx_%s",
                 plan->family == MGS_LARGE ? "large_products" : "columns_step", prec);
        s.blocks = 0;
    }
    return s;
}

/* Registers of a kernel, by the line that has its name, mangled: NAME behind its length and before its first argument. */
static long registers_of(const char *limits, const char *prec, const shape *s)
{
    char head[128], line[512];
    long registers = 0;
    FILE *in = fopen(limits, "r");
    if (in == NULL)
        return -1;
    snprintf(head, sizeof head, "cplx-%s-%s:_Z%zu%s11mgs_gpu_job", prec, s->family, strlen(s->kernel), s->kernel);
    while (registers == 0 && fgets(line, sizeof line, in) != NULL) {
        const char *after = strchr(line, ' ');
        if (after != NULL && strncmp(line, head, strlen(head)) == 0)
            registers = strtol(after, NULL, 10);
    }
    fclose(in);
    return registers;
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

static void write_row(const char *limits, int32_t prec, const char *name, int64_t n)
{
    const mgs_problem problem = {prec, PLUMB_COMPLEX, n, n, n + 1, 1};
    const mgs_plan plan = plumb_mgs_plan(&h200, &problem, MGS_AUTO);
    const shape s = shape_of(&plan, n + 1, name);
    const long registers = registers_of(limits, name, &s);
    printf("| %s | %lld | %s |", name, (long long)n, s.kernel);
    if (s.blocks == 0) { /* its threads and shared memory are not those of the plan */
        printf(" | | %ld | | |\n", registers);
        return;
    }
    const long a_warp = (registers + 7) / 8 * 8 * WARP, warps = s.threads / WARP; /* given out by eights */
    const long fit = a_warp > 0 ? REGISTERS / a_warp / warps : 0;
    const long held = least(least(fit, SHARED / ((long)plan.shared + RESERVED)), least(THREADS / s.threads, BLOCKS));
    printf(" %lld | %d | %ld | %.1f | %ld%% |\n", (long long)s.blocks, (int)s.threads, registers,
           (double)plan.shared / 1024.0, 100 * held * s.threads / THREADS);
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = {16, 32, 48, 64, 80, 128, 256, 512, 1024, 2048};
    static const struct {
        int32_t prec;
        const char *name;
    } precisions[] = {{PLUMB_D, "d"}, {PLUMB_DD, "dd"}, {PLUMB_QD, "qd"}};
    if (argc != 2)
        return fprintf(stderr, "usage: bench_shapes cmake/cuda-limits.txt\n"), 2;
    printf("| | n | kernel | blocks | threads | registers | shared KiB | occupancy |\n"
           "|---|---:|---|---:|---:|---:|---:|---:|\n");
    for (int p = 0; p < 3; p++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            write_row(argv[1], precisions[p].prec, precisions[p].name, sizes[k]);
    return 0;
}
