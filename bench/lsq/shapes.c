/* shapes.c - which kernel takes one complex system of n unknowns on a GPU with the limits of an H200, and what it takes there: a
 * Markdown table. It asks mgs_plan.c, and cmake/cuda-limits.txt for registers, so it needs no GPU.
 *
 *   bench_shapes cmake/cuda-limits.txt */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/plan.h"
#include "plumb.h"

/* Of a multiprocessor of compute capability 9.0. */
enum { REGISTERS = 65536, SHARED = 228 * 1024, RESERVED = 1024, THREADS = 2048, BLOCKS = 32, WARP = 32 };

static const mgs_limits h200 = {.capability = 90, .multiprocessors = 132, .shared = 227 * 1024, .cluster = 16};

typedef struct shape {
    char kernel[64], family[32];
    int64_t blocks; /* 0: one launch after the other, of several sizes */
} shape;

static shape shape_of(const mgs_plan *plan, int64_t all, const char *prec)
{
    shape s = {.blocks = plan->cluster};
    if (plan->regime == MGS_BLOCK) {
        snprintf(s.family, sizeof s.family, "mgs_registers");
        snprintf(s.kernel, sizeof s.kernel, "registers_%d_%d_%d_%d_%d", (int)plan->team, (int)plan->share,
                 (int)plan->columns, plan->cluster > 1, (int)plan->together);
    } else if (plan->regime == MGS_SMALL) {
        snprintf(s.family, sizeof s.family, "mgs_small");
        snprintf(s.kernel, sizeof s.kernel, "small_%d_%d_%d", (int)plan->team, (int)plan->share, plan->cluster > 1);
    } else if (plan->regime == MGS_PANEL) {
        const int columns = plan->columns > 0 ? (int)plan->columns : 1;
        snprintf(s.family, sizeof s.family, "mgs_panel");
        snprintf(s.kernel, sizeof s.kernel, "panel_%d_%d", (int)plan->team / WARP, (int)plan->share);
        s.blocks = (all + columns - 1) / columns;
    } else if (plan->regime == MGS_FLOW) {
        snprintf(s.family, sizeof s.family, "mgs_flow");
        snprintf(s.kernel, sizeof s.kernel, "%s", plan->each ? "flow_each" : "flow_once");
        s.blocks = all;
    } else {
        snprintf(s.family, sizeof s.family, "mgs_large");
        snprintf(s.kernel, sizeof s.kernel, "mgs_large_products_cplx_%s", prec);
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
    const mgs_plan plan = plumb_mgs_plan(&h200, prec, PLUMB_COMPLEX, n, n, n + 1, 1, MGS_AUTO);
    const shape s = shape_of(&plan, n + 1, name);
    const long registers = registers_of(limits, name, &s);
    printf("| %s | %lld | %s |", name, (long long)n, s.kernel);
    if (s.blocks == 0) { /* its threads and shared memory are not those of the plan */
        printf(" | | %ld | | |\n", registers);
        return;
    }
    const long a_warp = (registers + 7) / 8 * 8 * WARP, warps = plan.threads / WARP; /* given out by eights */
    const long fit = a_warp > 0 ? REGISTERS / a_warp / warps : 0;
    const long held = least(least(fit, SHARED / ((long)plan.shared + RESERVED)), least(THREADS / plan.threads, BLOCKS));
    printf(" %lld | %d | %ld | %.1f | %ld%% |\n", (long long)s.blocks, (int)plan.threads, registers,
           (double)plan.shared / 1024.0, 100 * held * plan.threads / THREADS);
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
