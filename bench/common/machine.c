/* machine.c - the processor: its name from the system, its clock rate by measurement. */
#include "bench/common/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/sample.h"

/* Linux on arm64 names processors by numbers only. */
static const struct {
    int implementer, part;
    const char *name;
} arm_cores[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd08, "Cortex-A72"},    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"},   {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4f, "Neoverse-V2"}, {0x41, 0xd83, "Neoverse-V3AE"}, {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"}, {0xc0, 0xac3, "Ampere-1"},      {0xc0, 0xac4, "Ampere-1A"},
};

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
    out[strcspn(out, "\n")] = 0;
}

static void name_cpu(char *out, size_t size)
{
    char line[512];
    long implementer = -1, part = -1;
    copy_text(out, size, "unknown");
    FILE *info = fopen("/proc/cpuinfo", "r");
    if (info == NULL)
        return;
    while (fgets(line, sizeof line, info) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL)
            continue;
        value += 1 + strspn(value + 1, " \t");
        if (strncmp(line, "model name", 10) == 0) {
            copy_text(out, size, value);
            break;
        }
        if (strncmp(line, "CPU implementer", 15) == 0)
            implementer = strtol(value, NULL, 16);
        if (strncmp(line, "CPU part", 8) == 0)
            part = strtol(value, NULL, 16);
    }
    fclose(info);
    if (part >= 0)
        snprintf(out, size, "ARM implementer 0x%lx part 0x%lx", (unsigned long)implementer, (unsigned long)part);
    for (size_t i = 0; i < sizeof arm_cores / sizeof arm_cores[0]; i++)
        if (arm_cores[i].implementer == implementer && arm_cores[i].part == part)
            copy_text(out, size, arm_cores[i].name);
}

bench_machine bench_machine_now(void)
{
    bench_machine m = {.arch = "unknown", .cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    time_t now = time(NULL);
    struct tm utc;
    name_cpu(m.cpu, sizeof m.cpu);
    if (gmtime_r(&now, &utc) != NULL)
        strftime(m.date, sizeof m.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
#if defined(__x86_64__)
    m.arch = "x86-64";
#elif defined(__aarch64__)
    m.arch = "arm64";
#endif
    return m;
}

enum { CHAIN_ROUNDS = 10000, CHAIN_STEPS = 16 };

/* The empty asm makes every step a real instruction; the addend is in a register, because some processors execute additions of
 * small constants in no time. */
static void add_chain(void *data)
{
    uint64_t *x = data, sum = x[0], addend = x[1];
    for (int i = 0; i < CHAIN_ROUNDS; i++) {
#define STEP       \
    sum += addend; \
    __asm__ volatile("" : "+r"(sum), "+r"(addend));
#define FOUR_STEPS STEP STEP STEP STEP
        FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS
    }
    x[0] = sum;
}

double bench_clock_ghz(void)
{
    uint64_t x[2] = {1, 3};
    bench_timer timer = {0};
    double best = bench_sample(&timer, add_chain, x, 2e6);
    for (int i = 0; i < 5; i++)
        best = fmin(best, bench_sample(&timer, add_chain, x, 2e6));
    return (double)CHAIN_ROUNDS * CHAIN_STEPS / best;
}
